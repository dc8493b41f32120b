/* partition.c: a program whose shardings say how arguments and results are cut, made into one that works on tiles.
 * Ops are gone through in order. Where an op's operands are cut along dimensions that it leaves alone, it works on the
 * tiles and its result is cut alike; a sum over a dimension that is cut is each device's part of it, added up between
 * them; anything else gets its operands whole, gathered from all devices. Constraints cut again.
 * Needs: a function without calls, manual computations and collectives.  Keeps: values, up to the order of sums. */
#include "transform/shard/partition.h"

#include <stdlib.h>
#include <string.h>

#include "ir/builder.h"
#include "transform/pass/pass.h"

/* What there is of a value of the program as it was. */
typedef struct held {
  ten_value *local;  /* the tile, or all of it */
  ten_value *whole;  /* NULL until somebody needed it */
  ten_tiling tiling; /* owned */
} held;

typedef struct partitioning {
  ten_module *module;
  uint32_t devices;
  int64_t channel;
  ten_value_map index; /* to a place in `values`, kept as a number */
  TEN_VEC(held) values;
  TEN_VEC(ten_op *) gone; /* replaced: erased when all is done, last first */
  ten_builder b;
} partitioning;

static held *held_of(partitioning *p, const ten_value *value) {
  const uintptr_t at = (uintptr_t)ten_value_map_get(&p->index, value);
  return at ? &p->values.data[at - 1] : NULL;
}

static void hold(partitioning *p, const ten_value *value, ten_value *local, const ten_tiling *tiling) {
  held made = {.local = local};
  if (tiling)
    ten_tiling_copy(tiling, &made.tiling);
  else
    ten_tiling_whole(ten_type_is_tensor(value->type) ? value->type->rank : 0, p->devices, &made.tiling);
  if (ten_tiling_is_whole(&made.tiling)) made.whole = local;
  ten_vec_push(&p->values, made);
  ten_value_map_set(&p->index, value, (ten_value *)(uintptr_t)p->values.count);
}

static ten_value *whole_of(partitioning *p, const ten_value *value) {
  held *h = held_of(p, value);
  if (!h) return (ten_value *)value; /* of a region inside */
  if (!h->whole) h->whole = ten_build_whole(&p->b, h->local, &h->tiling, &p->channel);
  return h->whole;
}

/* A value cut in this way. */
static ten_value *tile_of(partitioning *p, ten_value *value, const ten_tiling *tiling) {
  const held *h = held_of(p, value);
  if (ten_tiling_equal(&h->tiling, tiling)) return h->local;
  const ten_op *op = value->op;
  const ten_attr *data = op && op->code == TEN_OP_CONSTANT ? ten_op_attr(op, "value") : NULL;
  if (data && data->kind == TEN_ATTR_DENSE && data->dense.splat) { /* one number: nothing to cut */
    int64_t dims[TEN_RANK_MAX];
    if (ten_tiling_local(tiling, value->type->dims, dims)) {
      ten_value *one =
          ten_build_constant(&p->b, ten_attr_dense(p->module, ten_type_with_shape(p->module, value->type, 0, NULL),
                                                   data->dense.data, ten_dtype_bytes(value->type->dtype)));
      return ten_build_broadcast(&p->b, one, tiling->rank, dims, NULL);
    }
  }
  return ten_build_tile(&p->b, whole_of(p, value), tiling);
}

static const ten_type *tile_type(partitioning *p, const ten_type *type, const ten_tiling *tiling) {
  int64_t dims[TEN_RANK_MAX];
  return ten_tiling_local(tiling, type->dims, dims) ? ten_type_with_shape(p->module, type, type->rank, dims) : NULL;
}

/* Takes dimension `from` of one tiling as dimension `to` of another; both are of the same devices. */
static void take_dim(ten_tiling *to, uint32_t at, const ten_tiling *from, uint32_t dim) {
  to->tiles[at] = from->tiles[dim];
  for (uint32_t d = 0; d < to->devices; d++) to->place[d * to->rank + at] = from->place[d * from->rank + dim];
}

static ten_op *clone_with(partitioning *p, const ten_op *op, ten_value *const *operands, const ten_type *type) {
  ten_value_map map = {0};
  for (uint32_t i = 0; i < op->operand_count; i++) ten_value_map_set(&map, ten_op_operand(op, i), operands[i]);
  ten_op *made = ten_op_clone(p->module, op, &map);
  ten_value_map_free(&map);
  for (uint32_t i = 0; i < op->operand_count; i++) ten_op_set_operand(made, i, operands[i]);
  made->results[0].type = type;
  ten_op_insert_before(p->b.before, made);
  return made;
}

static void replaced(partitioning *p, ten_op *op, ten_value *local, const ten_tiling *tiling) {
  hold(p, &op->results[0], local, tiling);
  ten_vec_push(&p->gone, op);
}

static bool do_elementwise(partitioning *p, ten_op *op) {
  const ten_tiling *tiling = NULL;
  const uint32_t rank = op->results[0].type->rank;
  for (uint32_t i = 0; i < op->operand_count && !tiling; i++) {
    const held *h = held_of(p, ten_op_operand(op, i));
    if (ten_op_operand(op, i)->type->rank == rank && !ten_tiling_is_whole(&h->tiling)) tiling = &h->tiling;
  }
  if (!tiling || op->operand_count > 8) return false;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (ten_op_operand(op, i)->type->rank != rank && ten_op_operand(op, i)->type->rank) return false;
  ten_tiling own;
  ten_tiling_copy(tiling, &own); /* values may move */
  ten_value *operands[8];
  for (uint32_t i = 0; i < op->operand_count; i++) {
    ten_value *operand = ten_op_operand(op, i);
    operands[i] = operand->type->rank == rank ? tile_of(p, operand, &own) : whole_of(p, operand); /* select's scalar */
  }
  ten_op *made = clone_with(p, op, operands, tile_type(p, op->results[0].type, &own));
  replaced(p, op, &made->results[0], &own);
  ten_tiling_free(&own);
  return true;
}

/* Each dimension of the result that is a dimension of the operand, all of it: map[i], or -1. The op works on tiles. */
static bool do_mapped(partitioning *p, ten_op *op, const int64_t *map) {
  ten_value *operand = ten_op_operand(op, 0);
  const held *h = held_of(p, operand);
  const ten_type *type = op->results[0].type;
  ten_tiling own;
  ten_tiling_whole(type->rank, p->devices, &own);
  uint32_t cut = 0, kept = 0;
  for (uint32_t i = 0; i < h->tiling.rank; i++) cut += h->tiling.tiles[i] > 1;
  for (uint32_t i = 0; i < type->rank; i++)
    if (map[i] >= 0 && h->tiling.tiles[map[i]] > 1) {
      take_dim(&own, i, &h->tiling, (uint32_t)map[i]);
      kept++;
    }
  const ten_type *tile = cut && cut == kept ? tile_type(p, type, &own) : NULL;
  if (tile) {
    ten_value *operands[8] = {h->local};
    for (uint32_t i = 1; i < op->operand_count; i++) operands[i] = whole_of(p, ten_op_operand(op, i));
    replaced(p, op, &clone_with(p, op, operands, tile)->results[0], &own);
  }
  ten_tiling_free(&own);
  return tile != NULL;
}

static bool do_transpose(partitioning *p, ten_op *op) { return do_mapped(p, op, ten_op_ints(op, "permutation").data); }

static bool do_broadcast(partitioning *p, ten_op *op) {
  const ten_ints dims = ten_op_ints(op, "broadcast_dimensions");
  const ten_type *from = ten_op_operand(op, 0)->type, *to = op->results[0].type;
  int64_t map[TEN_RANK_MAX];
  for (uint32_t i = 0; i < to->rank; i++) map[i] = -1;
  for (size_t i = 0; i < dims.count; i++)
    if (from->dims[i] == to->dims[dims.data[i]]) map[dims.data[i]] = (int64_t)i;
  return do_mapped(p, op, map);
}

/* Dimensions that come after as many elements as before, and are as long. */
static bool do_reshape(partitioning *p, ten_op *op) {
  const ten_type *from = ten_op_operand(op, 0)->type, *to = op->results[0].type;
  int64_t map[TEN_RANK_MAX], before = 1;
  for (uint32_t i = 0; i < to->rank; before *= to->dims[i++]) {
    int64_t other = 1;
    map[i] = -1;
    for (uint32_t k = 0; k < from->rank && map[i] < 0; other *= from->dims[k++])
      if (other == before && from->dims[k] == to->dims[i]) map[i] = k;
  }
  return do_mapped(p, op, map);
}

/* slice, pad: dimensions that stay as they are. */
static bool do_same_dims(partitioning *p, ten_op *op) {
  const ten_type *from = ten_op_operand(op, 0)->type, *to = op->results[0].type;
  int64_t map[TEN_RANK_MAX];
  const ten_ints low = ten_op_ints(op, op->code == TEN_OP_PAD ? "edge_padding_low" : "start_indices");
  const ten_ints inside = ten_op_ints(op, op->code == TEN_OP_PAD ? "interior_padding" : "start_indices");
  for (uint32_t i = 0; i < to->rank; i++)
    map[i] = from->dims[i] == to->dims[i] && !low.data[i] && !inside.data[i] ? (int64_t)i : -1;
  ten_tiling own;
  const held *h = held_of(p, ten_op_operand(op, 0));
  ten_tiling_copy(&h->tiling, &own);
  if (!do_mapped(p, op, map)) {
    ten_tiling_free(&own);
    return false;
  }
  if (op->code == TEN_OP_SLICE) { /* its limits are of the tile */
    ten_op *made = held_of(p, &op->results[0])->local->op;
    int64_t limits[TEN_RANK_MAX];
    const ten_ints old = ten_op_ints(op, "limit_indices");
    for (uint32_t i = 0; i < to->rank; i++) limits[i] = own.tiles[i] > 1 ? made->results[0].type->dims[i] : old.data[i];
    ten_op_set_attr(p->module, made, TEN_STR("limit_indices"), ten_attr_list(p->module, TEN_I64, to->rank, limits));
  }
  ten_tiling_free(&own);
  return true;
}

/* Windows that see one element at a time along what is cut. */
static bool do_window(partitioning *p, ten_op *op) {
  if (op->operand_count != 2 && op->code == TEN_OP_REDUCE_WINDOW) return false;
  const ten_window w = ten_op_window(p->module, op);
  const held *h = held_of(p, ten_op_operand(op, 0));
  if (ten_tiling_is_whole(&h->tiling)) return false;
  for (uint32_t i = 0; i < w.rank; i++)
    if (h->tiling.tiles[i] > 1 && (w.size[i] != 1 || w.strides[i] != 1 || w.padding[2 * i] || w.padding[2 * i + 1] ||
                                   (w.base_dilation && w.base_dilation[i] != 1)))
      return false;
  ten_tiling own;
  ten_tiling_copy(&h->tiling, &own);
  const ten_type *type = tile_type(p, op->results[0].type, &own);
  const bool scatter = op->code == TEN_OP_SELECT_AND_SCATTER;
  if (type) {
    ten_value *operands[3] = {tile_of(p, ten_op_operand(op, 0), &own),
                              scatter ? tile_of(p, ten_op_operand(op, 1), &own) : whole_of(p, ten_op_operand(op, 1)),
                              scatter ? whole_of(p, ten_op_operand(op, 2)) : NULL};
    replaced(p, op, &clone_with(p, op, operands, type)->results[0], &own);
  }
  ten_tiling_free(&own);
  return type != NULL;
}

static bool is_neutral(const ten_value *init, ten_opcode code) {
  const ten_attr *data = init->op && init->op->code == TEN_OP_CONSTANT ? ten_op_attr(init->op, "value") : NULL;
  if (!data || data->kind != TEN_ATTR_DENSE) return false;
  if (code == TEN_OP_MAXIMUM || code == TEN_OP_MINIMUM || code == TEN_OP_AND || code == TEN_OP_OR)
    return true; /* twice is once */
  if (code != TEN_OP_ADD || (!data->dense.splat && ten_type_count(init->type) != 1)) return false;
  const unsigned char *bytes = ten_dense_at(data, 0);
  for (size_t i = 0; i < ten_dtype_bytes(init->type->dtype); i++)
    if (bytes[i]) return false;
  return true;
}

static ten_opcode body_of(const ten_op *op) {
  const ten_block *body = ten_op_body(op, 0);
  const ten_op *first = body->first, *end = ten_block_terminator(body);
  if (!first || first->next != end || first->operand_count != 2 || ten_op_operand(end, 0) != &first->results[0])
    return TEN_OP_UNKNOWN;
  return first->code;
}

static bool do_reduce(partitioning *p, ten_op *op) {
  if (op->operand_count != 2) return false;
  ten_value *x = ten_op_operand(op, 0), *init = ten_op_operand(op, 1);
  const held *h = held_of(p, x);
  if (ten_tiling_is_whole(&h->tiling)) return false;
  const ten_ints dims = ten_op_ints(op, "dimensions");
  ten_tiling own, parts;
  ten_tiling_whole(op->results[0].type->rank, p->devices, &own);
  ten_tiling_whole((uint32_t)dims.count, p->devices, &parts);
  bool summed = false;
  for (uint32_t i = 0, at = 0; i < h->tiling.rank; i++) {
    bool gone = false;
    for (size_t k = 0; k < dims.count; k++)
      if (dims.data[k] == (int64_t)i) {
        take_dim(&parts, (uint32_t)k, &h->tiling, i);
        summed |= h->tiling.tiles[i] > 1;
        gone = true;
      }
    if (!gone) take_dim(&own, at++, &h->tiling, i);
  }
  const ten_opcode code = body_of(op);
  const ten_type *type = tile_type(p, op->results[0].type, &own);
  bool done = type && ten_tiling_is_complete(&own) && (!summed || is_neutral(init, code));
  if (done) {
    ten_value *operands[] = {h->local, whole_of(p, init)};
    ten_value *made = &clone_with(p, op, operands, type)->results[0];
    ten_value *sum = summed ? ten_build_sum(&p->b, made, &own, &parts, code, &p->channel) : made;
    done = sum != NULL;
    if (done) replaced(p, op, sum, &own);
  }
  ten_tiling_free(&own);
  ten_tiling_free(&parts);
  return done;
}

/* A product of two operands: which dimensions of each are dimensions of the result (-1: none), and which pairs are
 * summed over. Everything else must be whole. */
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

/* How the other side must be cut so that both fit, and whether the result's tiles are all there. */
static bool fit(partitioning *p, const ten_op *op, const product *m, int lead, ten_tiling *sides, ten_tiling *own,
                ten_tiling *parts) {
  const uint32_t rank = op->results[0].type->rank;
  const int other = 1 - lead;
  const ten_tiling *first = &held_of(p, ten_op_operand(op, (uint32_t)lead))->tiling,
                   *second = &held_of(p, ten_op_operand(op, (uint32_t)other))->tiling;
  if (!covered(first, m, lead, rank)) return false;
  ten_tiling_copy(first, &sides[lead]);
  ten_tiling_whole(second->rank, p->devices, &sides[other]);
  ten_tiling_whole(rank, p->devices, own);
  ten_tiling_whole(m->summed_count, p->devices, parts);
  for (uint32_t i = 0; i < rank; i++) {
    if (m->from[lead][i] >= 0) take_dim(own, i, first, (uint32_t)m->from[lead][i]);
    if (m->from[lead][i] >= 0 && m->from[other][i] >= 0)
      take_dim(&sides[other], (uint32_t)m->from[other][i], first, (uint32_t)m->from[lead][i]);
  }
  for (uint32_t k = 0; k < m->summed_count; k++) {
    take_dim(parts, k, first, (uint32_t)m->summed[lead][k]);
    take_dim(&sides[other], (uint32_t)m->summed[other][k], first, (uint32_t)m->summed[lead][k]);
  }
  for (uint32_t i = 0; i < rank; i++) { /* what only the other has, where it goes with the rest */
    const int64_t dim = m->from[other][i];
    if (m->from[lead][i] >= 0 || dim < 0 || second->tiles[dim] == 1) continue;
    ten_tiling both;
    ten_tiling_whole(rank + m->summed_count, p->devices, &both);
    for (uint32_t k = 0; k < rank; k++) take_dim(&both, k, own, k);
    for (uint32_t k = 0; k < m->summed_count; k++) take_dim(&both, rank + k, parts, k);
    take_dim(&both, i, second, (uint32_t)dim);
    if (ten_tiling_is_complete(&both)) {
      take_dim(own, i, second, (uint32_t)dim);
      take_dim(&sides[other], (uint32_t)dim, second, (uint32_t)dim);
    }
    ten_tiling_free(&both);
  }
  return ten_tiling_is_complete(own) && ten_tiling_is_complete(&sides[other]);
}

static bool do_product(partitioning *p, ten_op *op, const product *m) {
  const held *left = held_of(p, ten_op_operand(op, 0)), *right = held_of(p, ten_op_operand(op, 1));
  const bool cut[2] = {!ten_tiling_is_whole(&left->tiling), !ten_tiling_is_whole(&right->tiling)};
  bool done = false;
  for (int lead = 0; lead < 2 && !done; lead++) {
    if (!cut[lead]) continue;
    ten_tiling sides[2] = {{0}}, own = {0}, parts = {0};
    const ten_type *type = NULL;
    if (fit(p, op, m, lead, sides, &own, &parts)) type = tile_type(p, op->results[0].type, &own);
    if (type) {
      ten_value *operands[] = {tile_of(p, ten_op_operand(op, 0), &sides[0]),
                               tile_of(p, ten_op_operand(op, 1), &sides[1])};
      const ten_dtype dtype = type->dtype;
      const bool summed = !ten_tiling_is_whole(&parts);
      if (summed && (dtype == TEN_BF16 || dtype == TEN_F16)) type = ten_type_with_dtype(p->module, type, TEN_F32);
      ten_value *made = &clone_with(p, op, operands, type)->results[0];
      ten_value *sum = summed ? ten_build_sum(&p->b, made, &own, &parts, TEN_OP_ADD, &p->channel) : made;
      if (sum) sum = ten_build_convert(&p->b, sum, dtype); /* parts are rounded once, after they are added up */
      done = sum != NULL;
      if (done) replaced(p, op, sum, &own);
    }
    ten_tiling_free(&sides[0]), ten_tiling_free(&sides[1]), ten_tiling_free(&own), ten_tiling_free(&parts);
  }
  return done;
}

static bool in_list(ten_ints list, int64_t value) {
  for (size_t i = 0; i < list.count; i++)
    if (list.data[i] == value) return true;
  return false;
}

static bool do_dot(partitioning *p, ten_op *op) {
  const ten_dot_dims d = ten_dot_dims_of(ten_op_attr(op, "dot_dimension_numbers"));
  product m = {.summed_count = (uint32_t)d.lhs_contract.count};
  uint32_t at = 0;
  for (size_t i = 0; i < d.lhs_batch.count; i++, at++)
    m.from[0][at] = d.lhs_batch.data[i], m.from[1][at] = d.rhs_batch.data[i];
  for (int side = 0; side < 2; side++) {
    const ten_ints batch = side ? d.rhs_batch : d.lhs_batch, sum = side ? d.rhs_contract : d.lhs_contract;
    for (uint32_t i = 0; i < ten_op_operand(op, (uint32_t)side)->type->rank; i++) {
      if (in_list(batch, i) || in_list(sum, i)) continue;
      m.from[side][at] = i;
      m.from[1 - side][at++] = -1;
    }
    for (size_t i = 0; i < sum.count; i++) m.summed[side][i] = sum.data[i];
  }
  return do_product(p, op, &m);
}

static bool do_convolution(partitioning *p, ten_op *op) {
  if (ten_op_int(op, "feature_group_count", 1) != 1 || ten_op_int(op, "batch_group_count", 1) != 1) return false;
  const ten_conv_dims d = ten_conv_dims_of(ten_op_attr(op, "dimension_numbers"));
  product m = {.summed_count = 1, .summed = {{d.input_feature}, {d.kernel_input_feature}}};
  for (uint32_t i = 0; i < op->results[0].type->rank; i++) m.from[0][i] = m.from[1][i] = -1;
  m.from[0][d.output_batch] = d.input_batch;
  m.from[1][d.output_feature] = d.kernel_output_feature;
  return do_product(p, op, &m);
}

/* Which dimension of gather's indices each batch dimension of its result (of scatter: of its updates) is; -1 for those
 * of the slices. */
static void map_indices(uint32_t rank, ten_ints window, int64_t vector_dim, int64_t *map) {
  int64_t at = 0;
  for (uint32_t i = 0; i < rank; i++) {
    map[i] = -1;
    if (in_list(window, i)) continue;
    if (at == vector_dim) at++;
    map[i] = at++;
  }
}

/* Looking up in a table that is whole: as many devices as cut the indices. */
static bool do_gather(partitioning *p, ten_op *op) {
  const ten_gather_dims d = ten_gather_dims_of(ten_op_attr(op, "dimension_numbers"));
  const held *h = held_of(p, ten_op_operand(op, 1));
  const ten_type *type = op->results[0].type;
  if (d.operand_batching_dims.count || ten_tiling_is_whole(&h->tiling)) return false;
  if (d.index_vector_dim < (int64_t)h->tiling.rank && h->tiling.tiles[d.index_vector_dim] > 1) return false;
  int64_t map[TEN_RANK_MAX];
  map_indices(type->rank, d.offset_dims, d.index_vector_dim, map);
  ten_tiling own;
  ten_tiling_whole(type->rank, p->devices, &own);
  for (uint32_t i = 0; i < type->rank; i++)
    if (map[i] >= 0) take_dim(&own, i, &h->tiling, (uint32_t)map[i]);
  const ten_type *tile = tile_type(p, type, &own);
  if (tile) {
    ten_value *operands[] = {whole_of(p, ten_op_operand(op, 0)), h->local};
    replaced(p, op, &clone_with(p, op, operands, tile)->results[0], &own);
  }
  ten_tiling_free(&own);
  return tile != NULL;
}

static const ten_value *behind_broadcast(const ten_value *value) {
  return value->op && value->op->code == TEN_OP_BROADCAST_IN_DIM ? ten_op_operand(value->op, 0) : value;
}

/* Adding to zeros, as the gradient of a lookup does: each device its own, and then all together. */
static bool do_scatter(partitioning *p, ten_op *op) {
  const ten_scatter_dims d = ten_scatter_dims_of(ten_op_attr(op, "scatter_dimension_numbers"));
  if (op->operand_count != 3 || d.input_batching_dims.count || body_of(op) != TEN_OP_ADD) return false;
  if (!is_neutral(behind_broadcast(ten_op_operand(op, 0)), TEN_OP_ADD)) return false;
  ten_value *indices = ten_op_operand(op, 1), *updates = ten_op_operand(op, 2);
  const held *h = held_of(p, updates);
  if (ten_tiling_is_whole(&h->tiling)) return false;
  int64_t map[TEN_RANK_MAX];
  map_indices(updates->type->rank, d.update_window_dims, d.index_vector_dim, map);
  for (uint32_t i = 0; i < updates->type->rank; i++)
    if (map[i] < 0 && h->tiling.tiles[i] > 1) return false;
  ten_tiling own, parts, index;
  ten_tiling_whole(op->results[0].type->rank, p->devices, &own);
  ten_tiling_whole(indices->type->rank, p->devices, &index);
  ten_tiling_copy(&h->tiling, &parts);
  for (uint32_t i = 0; i < updates->type->rank; i++)
    if (map[i] >= 0) take_dim(&index, (uint32_t)map[i], &parts, i);
  ten_value *operands[] = {whole_of(p, ten_op_operand(op, 0)), tile_of(p, indices, &index), h->local};
  ten_value *sum = ten_build_sum(&p->b, &clone_with(p, op, operands, op->results[0].type)->results[0], &own, &parts,
                                 TEN_OP_ADD, &p->channel);
  if (sum) replaced(p, op, sum, &own);
  ten_tiling_free(&own), ten_tiling_free(&parts), ten_tiling_free(&index);
  return sum != NULL;
}

/* Keeps the op as it is, with all it reads whole. */
static ten_status *make_whole(ten_op *op, void *context) {
  for (uint32_t i = 0; i < op->operand_count; i++) {
    ten_value *value = ten_op_operand(op, i), *whole = whole_of(context, value);
    if (whole != value) ten_op_set_operand(op, i, whole);
  }
  return NULL;
}

/* A call that wants what each device holds. */
static bool call_on_tiles(partitioning *p, ten_op *op) {
  if (op->result_count || !ten_is_callback(op, "tiles")) return false;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const held *h = held_of(p, ten_op_operand(op, i));
    if (h) ten_op_set_operand(op, i, h->local);
  }
  return true;
}

static bool works_on_tiles(partitioning *p, ten_op *op) {
  if (op->result_count != 1 || !op->operand_count) return false;
  bool cut = false;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const held *h = held_of(p, ten_op_operand(op, i));
    if (!h || !ten_type_is_tensor(ten_op_operand(op, i)->type) || ten_op_operand(op, i)->type->quant) return false;
    cut |= !ten_tiling_is_whole(&h->tiling);
  }
  if (!cut || !ten_type_is_tensor(op->results[0].type) || !ten_type_is_static(op->results[0].type)) return false;
  switch (op->code) {
    case TEN_OP_TRANSPOSE: return do_transpose(p, op);
    case TEN_OP_BROADCAST_IN_DIM: return do_broadcast(p, op);
    case TEN_OP_RESHAPE: return do_reshape(p, op);
    case TEN_OP_SLICE:
    case TEN_OP_PAD: return do_same_dims(p, op);
    case TEN_OP_REDUCE_WINDOW:
    case TEN_OP_SELECT_AND_SCATTER: return do_window(p, op);
    case TEN_OP_REDUCE: return do_reduce(p, op);
    case TEN_OP_DOT_GENERAL: return do_dot(p, op);
    case TEN_OP_CONVOLUTION: return do_convolution(p, op);
    case TEN_OP_GATHER: return do_gather(p, op);
    case TEN_OP_SCATTER: return do_scatter(p, op);
    default: return !op->region_count && ten_op_has(op, TEN_TRAIT_ELEMENTWISE) && do_elementwise(p, op);
  }
}

static void finish(partitioning *p) {
  for (size_t i = p->gone.count; i--;) ten_op_erase(p->gone.data[i]);
  for (size_t i = 0; i < p->values.count; i++) ten_tiling_free(&p->values.data[i].tiling);
  ten_value_map_free(&p->index);
  ten_vec_free(&p->values);
  ten_vec_free(&p->gone);
}

ten_status *ten_partition(ten_module *module, ten_op *func, ten_constraint constraint, void *context,
                          ten_spread *spread) {
  ten_block *body = ten_op_body(func, 0);
  partitioning p = {
      .module = module, .devices = spread->devices, .channel = 1 << 20, .b = {.module = module, .block = body}};
  ten_op *start = body->first, *end = ten_block_terminator(body);
  p.b.before = start;
  for (uint32_t i = 0; i < body->arg_count; i++) {
    ten_value *arg = body->args[i];
    const ten_tiling *tiling = &spread->inputs[i].tiling;
    if (!ten_type_is_tensor(arg->type) || ten_tiling_is_whole(tiling)) {
      hold(&p, arg, arg, NULL);
      continue;
    }
    /* Something of the whole's type stands for it until the ops that read it are replaced. */
    ten_value *stand_in = ten_build_iota(&p.b, arg->type, 0);
    ten_value_replace(arg, stand_in);
    spread->inputs[i].local = true;
    arg->type = tile_type(&p, arg->type, tiling);
    replaced(&p, stand_in->op, arg, tiling);
  }
  ten_status *status = NULL;
  for (ten_op *op = start, *next; op != end && !status; op = next) {
    next = op->next;
    p.b.before = op;
    p.b.loc = op->loc;
    ten_tiling again;
    if (constraint(context, op, &again)) {
      const ten_type *type = tile_type(&p, op->results[0].type, &again);
      if (type) replaced(&p, op, tile_of(&p, ten_op_operand(op, 0), &again), &again);
      ten_tiling_free(&again);
      if (type) continue;
    }
    if (call_on_tiles(&p, op) || works_on_tiles(&p, op)) continue;
    status = ten_op_walk(op, make_whole, &p);
    for (uint32_t i = 0; i < op->result_count; i++) hold(&p, &op->results[i], &op->results[i], NULL);
  }
  p.b.before = end;
  for (uint32_t i = 0; i < end->operand_count && !status; i++) {
    ten_value *value = ten_op_operand(end, i);
    const ten_tiling *tiling = &spread->outputs[i].tiling;
    if (!ten_type_is_tensor(value->type)) continue;
    spread->outputs[i].local = !ten_tiling_is_whole(tiling);
    ten_op_set_operand(end, i, ten_tiling_is_whole(tiling) ? whole_of(&p, value) : tile_of(&p, value, tiling));
  }
  finish(&p);
  return status;
}
