/* shape.c: rules of data-movement ops. Each is the transpose of a linear map: copies are summed, dropped elements are
 * zero. */
#include "transform/grad/rules.h"

enum { RANK_MAX = 64 };

ten_status *ten_rule_broadcast_in_dim(ten_vjp *v) {
  const ten_type *from = x_of(v, 0)->type, *to = y_of(v, 0)->type;
  const ten_ints map = ten_op_ints(v->op, "broadcast_dimensions");
  int64_t summed[RANK_MAX], order[RANK_MAX], kept[RANK_MAX];
  size_t count = 0;
  for (uint32_t i = 0; i < to->rank; i++) {
    bool keeps = false;
    for (uint32_t d = 0; d < from->rank; d++) keeps |= map.data[d] == i && from->dims[d] == to->dims[i];
    if (!keeps) summed[count++] = i;
  }
  ten_value *g = ten_vjp_sum(v, v->ct[0], count, summed);
  /* The kept dimensions remain, in the result's order; the map may have transposed them. */
  uint32_t left = 0;
  for (uint32_t i = 0; i < to->rank; i++)
    for (uint32_t d = 0; d < from->rank; d++)
      if (map.data[d] == i && from->dims[d] == to->dims[i]) kept[left++] = d;
  uint32_t at = 0;
  for (uint32_t d = 0; d < from->rank; d++)
    for (uint32_t i = 0; i < left; i++)
      if (kept[i] == d) order[at++] = i;
  g = ten_build_transpose(v->b, g, order);
  ten_vjp_add(v, 0, ten_build_reshape(v->b, g, from->rank, from->dims));
  return NULL;
}

ten_status *ten_rule_broadcast(ten_vjp *v) {
  const uint32_t extra = y_of(v, 0)->type->rank - x_of(v, 0)->type->rank;
  int64_t dims[RANK_MAX];
  for (uint32_t i = 0; i < extra; i++) dims[i] = i;
  ten_vjp_add(v, 0, ten_vjp_sum(v, v->ct[0], extra, dims));
  return NULL;
}

ten_status *ten_rule_reshape(ten_vjp *v) {
  ten_vjp_add(v, 0, ten_build_reshape(v->b, v->ct[0], x_of(v, 0)->type->rank, x_of(v, 0)->type->dims));
  return NULL;
}

ten_status *ten_rule_transpose(ten_vjp *v) {
  const ten_ints permutation = ten_op_ints(v->op, "permutation");
  int64_t back[RANK_MAX];
  for (size_t i = 0; i < permutation.count; i++) back[permutation.data[i]] = (int64_t)i;
  ten_vjp_add(v, 0, ten_build_transpose(v->b, v->ct[0], back));
  return NULL;
}

ten_status *ten_rule_reverse(ten_vjp *v) {
  const ten_ints dims = ten_op_ints(v->op, "dimensions");
  ten_vjp_add(v, 0, ten_build_reverse(v->b, v->ct[0], dims.count, dims.data));
  return NULL;
}

ten_status *ten_rule_slice(ten_vjp *v) {
  const ten_type *from = x_of(v, 0)->type, *to = y_of(v, 0)->type;
  const ten_ints start = ten_op_ints(v->op, "start_indices"), strides = ten_op_ints(v->op, "strides");
  int64_t high[RANK_MAX], interior[RANK_MAX];
  for (uint32_t i = 0; i < from->rank; i++) {
    interior[i] = strides.data[i] - 1;
    const int64_t reach = to->dims[i] ? start.data[i] + (to->dims[i] - 1) * strides.data[i] + 1 : start.data[i];
    high[i] = from->dims[i] - reach;
  }
  ten_vjp_add(v, 0, ten_build_pad(v->b, v->ct[0], ten_build_scalar(v->b, from->dtype, 0), start.data, high, interior));
  return NULL;
}

ten_status *ten_rule_pad(ten_vjp *v) {
  const ten_type *from = x_of(v, 0)->type, *to = y_of(v, 0)->type;
  const ten_ints low = ten_op_ints(v->op, "edge_padding_low"), high = ten_op_ints(v->op, "edge_padding_high");
  const ten_ints interior = ten_op_ints(v->op, "interior_padding");
  int64_t negative_low[RANK_MAX], negative_high[RANK_MAX], zeros[RANK_MAX] = {0}, strides[RANK_MAX], all[RANK_MAX];
  for (uint32_t i = 0; i < from->rank; i++) {
    negative_low[i] = -low.data[i];
    negative_high[i] = -high.data[i];
    strides[i] = interior.data[i] + 1;
    all[i] = i;
  }
  /* Remove the edges (a negative pad cropped some, which become zeros), then the interior padding. */
  ten_value *inner =
      ten_build_pad(v->b, v->ct[0], ten_build_scalar(v->b, from->dtype, 0), negative_low, negative_high, zeros);
  ten_value *g = ten_build_slice(v->b, inner, zeros, inner->type->dims, strides);
  ten_vjp_add(v, 0, g);
  if (ten_vjp_wants(v, 1))
    ten_vjp_add(v, 1, sub(v, ten_vjp_sum(v, v->ct[0], to->rank, all), ten_vjp_sum(v, g, from->rank, all)));
  return NULL;
}

ten_status *ten_rule_concatenate(ten_vjp *v) {
  const int64_t dim = ten_op_int(v->op, "dimension", 0);
  int64_t at = 0;
  for (uint32_t i = 0; i < v->op->operand_count; i++) {
    const int64_t size = x_of(v, i)->type->dims[dim];
    if (ten_vjp_wants(v, i)) ten_vjp_add(v, i, ten_build_slice_dim(v->b, v->ct[0], dim, at, at + size, 1));
    at += size;
  }
  return NULL;
}

static ten_value **starts_from(ten_vjp *v, uint32_t first) {
  ten_value **starts = ten_arena_new_array(&v->b->module->arena, ten_value *, v->op->operand_count);
  for (uint32_t i = first; i < v->op->operand_count; i++) starts[i - first] = x_of(v, i);
  return starts;
}

ten_status *ten_rule_dynamic_slice(ten_vjp *v) {
  ten_value *zeros = ten_build_splat(v->b, x_of(v, 0)->type, 0);
  ten_vjp_add(v, 0, ten_build_dynamic_update_slice(v->b, zeros, v->ct[0], starts_from(v, 1)));
  return NULL;
}

ten_status *ten_rule_dynamic_update_slice(ten_vjp *v) {
  ten_value **starts = starts_from(v, 2);
  const ten_type *update = x_of(v, 1)->type;
  if (ten_vjp_wants(v, 0))
    ten_vjp_add(v, 0, ten_build_dynamic_update_slice(v->b, v->ct[0], ten_build_splat(v->b, update, 0), starts));
  if (ten_vjp_wants(v, 1)) ten_vjp_add(v, 1, ten_build_dynamic_slice(v->b, v->ct[0], starts, update->dims));
  return NULL;
}
