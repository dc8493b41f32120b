/* product.c: dot_general and convolution on tiles. Shared dimensions of the operands are split alike; a sum over a
 * split dimension becomes a partial sum and an all-reduce. */
#include "ir/builder.h"
#include "transform/shard/state.h"

/* A contraction of two operands: which dimensions of each are dimensions of the result (-1: none), and which pairs are
 * contracted. Others must be whole. */
typedef struct product {
  int64_t from[2][TEN_RANK_MAX]; /* of each dimension of the result */
  int64_t summed[2][TEN_RANK_MAX];
  uint32_t summed_count;
} product;

static bool covered(const ten_tiling *tiling, const product *m, int side, uint32_t rank) {
  for (uint32_t i = 0; i < tiling->rank; i++) {
    bool known = tiling->tiles[i] == 1;
    for (uint32_t k = 0; k < rank; k++) known |= m->from[side][k] == (int64_t)i;
    for (uint32_t k = 0; k < m->summed_count; k++) known |= m->summed[side][k] == (int64_t)i;
    if (!known) return false;
  }
  return true;
}

/* The tiling of the other side that fits, and whether the result's tiles are complete. */
static bool fit(shard_state *p, const ten_op *op, const product *m, int lead, ten_tiling *sides, ten_tiling *own,
                ten_tiling *parts) {
  const uint32_t rank = op->results[0].type->rank;
  const int other = 1 - lead;
  const ten_tiling *first = &shard_held_of(p, ten_op_operand(op, (uint32_t)lead))->tiling,
                   *second = &shard_held_of(p, ten_op_operand(op, (uint32_t)other))->tiling;
  if (!covered(first, m, lead, rank)) return false;
  ten_tiling_copy(first, &sides[lead]);
  ten_tiling_whole(second->rank, p->devices, &sides[other]);
  ten_tiling_whole(rank, p->devices, own);
  ten_tiling_whole(m->summed_count, p->devices, parts);
  for (uint32_t i = 0; i < rank; i++) {
    if (m->from[lead][i] >= 0) shard_take_dim(own, i, first, (uint32_t)m->from[lead][i]);
    if (m->from[lead][i] >= 0 && m->from[other][i] >= 0)
      shard_take_dim(&sides[other], (uint32_t)m->from[other][i], first, (uint32_t)m->from[lead][i]);
  }
  for (uint32_t k = 0; k < m->summed_count; k++) {
    shard_take_dim(parts, k, first, (uint32_t)m->summed[lead][k]);
    shard_take_dim(&sides[other], (uint32_t)m->summed[other][k], first, (uint32_t)m->summed[lead][k]);
  }
  for (uint32_t i = 0; i < rank; i++) { /* dimensions that only the other has, if compatible */
    const int64_t dim = m->from[other][i];
    if (m->from[lead][i] >= 0 || dim < 0 || second->tiles[dim] == 1) continue;
    ten_tiling both;
    ten_tiling_whole(rank + m->summed_count, p->devices, &both);
    for (uint32_t k = 0; k < rank; k++) shard_take_dim(&both, k, own, k);
    for (uint32_t k = 0; k < m->summed_count; k++) shard_take_dim(&both, rank + k, parts, k);
    shard_take_dim(&both, i, second, (uint32_t)dim);
    if (ten_tiling_is_complete(&both)) {
      shard_take_dim(own, i, second, (uint32_t)dim);
      shard_take_dim(&sides[other], (uint32_t)dim, second, (uint32_t)dim);
    }
    ten_tiling_free(&both);
  }
  return ten_tiling_is_complete(own) && ten_tiling_is_complete(&sides[other]);
}

static bool do_product(shard_state *p, ten_op *op, const product *m) {
  const shard_held *left = shard_held_of(p, ten_op_operand(op, 0)), *right = shard_held_of(p, ten_op_operand(op, 1));
  const bool cut[2] = {!ten_tiling_is_whole(&left->tiling), !ten_tiling_is_whole(&right->tiling)};
  bool done = false;
  for (int lead = 0; lead < 2 && !done; lead++) {
    if (!cut[lead]) continue;
    ten_tiling sides[2] = {{0}}, own = {0}, parts = {0};
    const ten_type *type = NULL;
    if (fit(p, op, m, lead, sides, &own, &parts)) type = shard_tile_type(p, op->results[0].type, &own);
    if (type) {
      ten_value *operands[] = {shard_tile_of(p, ten_op_operand(op, 0), &sides[0]),
                               shard_tile_of(p, ten_op_operand(op, 1), &sides[1])};
      const ten_dtype dtype = type->dtype;
      const bool summed = !ten_tiling_is_whole(&parts);
      if (summed && (dtype == TEN_BF16 || dtype == TEN_F16)) type = ten_type_with_dtype(p->module, type, TEN_F32);
      ten_value *made = &shard_clone_with(p, op, operands, type)->results[0];
      ten_value *sum = summed ? ten_build_sum(&p->b, made, &own, &parts, TEN_OP_ADD, &p->channel) : made;
      if (sum) sum = ten_build_convert(&p->b, sum, dtype); /* partial sums are rounded once, after the all-reduce */
      done = sum != NULL;
      if (done) shard_replaced(p, op, sum, &own);
    }
    ten_tiling_free(&sides[0]), ten_tiling_free(&sides[1]), ten_tiling_free(&own), ten_tiling_free(&parts);
  }
  return done;
}

bool shard_do_dot(shard_state *p, ten_op *op) {
  const ten_dot_dims d = ten_dot_dims_of(ten_op_attr(op, "dot_dimension_numbers"));
  product m = {.summed_count = (uint32_t)d.lhs_contract.count};
  uint32_t at = 0;
  for (size_t i = 0; i < d.lhs_batch.count; i++, at++)
    m.from[0][at] = d.lhs_batch.data[i], m.from[1][at] = d.rhs_batch.data[i];
  for (int side = 0; side < 2; side++) {
    const ten_ints batch = side ? d.rhs_batch : d.lhs_batch, sum = side ? d.rhs_contract : d.lhs_contract;
    for (uint32_t i = 0; i < ten_op_operand(op, (uint32_t)side)->type->rank; i++) {
      if (shard_in_list(batch, i) || shard_in_list(sum, i)) continue;
      m.from[side][at] = i;
      m.from[1 - side][at++] = -1;
    }
    for (size_t i = 0; i < sum.count; i++) m.summed[side][i] = sum.data[i];
  }
  return do_product(p, op, &m);
}

bool shard_do_convolution(shard_state *p, ten_op *op) {
  if (ten_op_int(op, "feature_group_count", 1) != 1 || ten_op_int(op, "batch_group_count", 1) != 1) return false;
  const ten_conv_dims d = ten_conv_dims_of(ten_op_attr(op, "dimension_numbers"));
  product m = {.summed_count = 1, .summed = {{d.input_feature}, {d.kernel_input_feature}}};
  for (uint32_t i = 0; i < op->results[0].type->rank; i++) m.from[0][i] = m.from[1][i] = -1;
  m.from[0][d.output_batch] = d.input_batch;
  m.from[1][d.output_feature] = d.kernel_output_feature;
  return do_product(p, op, &m);
}
