/* chlo_ragged.c: chlo.ragged_dot as one dot_general per group, combined with masks. Rows of lhs come in groups of given
 * sizes. If the ragged dimension is free, each group has its own rhs; if it is contracted, each group has its own
 * result; if it is a batch dimension, groups have no effect. */
#include "transform/pass/chlo.h"

typedef struct ragged {
  ten_value *x, *y, *sizes;
  ten_dot_dims dims;
  int64_t ragged, groups;
  ten_dtype dtype;
} ragged;

/* The end of each group, a cumulative sum: element g of the last dimension. */
static ten_value *group_end(ten_builder *b, const ragged *r, int64_t group) {
  ten_value *sizes = ten_build_convert(b, r->sizes, TEN_I64);
  const int64_t last = (int64_t)sizes->type->rank - 1;
  ten_value *upto = ten_build_slice_dim(b, sizes, last, 0, group, 1);
  return ten_build_reduce(b, TEN_OP_ADD, upto, ten_build_scalar_int(b, TEN_I64, 0), 1, &last);
}

/* The end of a group, one per batch (or one for all), broadcast to `like`, whose dimensions `batch` are the
 * batch. */
static ten_value *spread_end(ten_builder *b, ten_value *end, const ten_type *like, ten_ints batch) {
  return ten_build_broadcast(b, end, like->rank, like->dims, end->type->rank ? batch.data : NULL);
}

/* Whether index `dim` of an element of `like` is in the group. */
static ten_value *in_group(ten_builder *b, const ragged *r, const ten_type *like, int64_t dim, ten_ints batch,
                           int64_t group) {
  const ten_type *type = ten_type_with_dtype(b->module, like, TEN_I64);
  ten_value *at = ten_build_iota(b, type, dim);
  ten_value *after = ten_build_compare(b, TEN_GE, at, spread_end(b, group_end(b, r, group), type, batch));
  ten_value *before = ten_build_compare(b, TEN_LT, at, spread_end(b, group_end(b, r, group + 1), type, batch));
  return ten_build_binary(b, TEN_OP_AND, after, before);
}

static ten_ints without(ten_builder *b, ten_ints list, int64_t removed) {
  int64_t *data = ten_arena_new_array(&b->module->arena, int64_t, list.count);
  for (size_t i = 0; i < list.count; i++) data[i] = list.data[i] > removed ? list.data[i] - 1 : list.data[i];
  return (ten_ints){data, list.count};
}

static ten_value *free_dimension(ten_builder *b, const ragged *r, int64_t group_dim, const ten_type *type) {
  int64_t *batch_of_result = ten_arena_new_array(&b->module->arena, int64_t, r->dims.lhs_batch.count);
  for (size_t i = 0; i < r->dims.lhs_batch.count; i++) batch_of_result[i] = (int64_t)i;
  const ten_ints batch = {batch_of_result, r->dims.lhs_batch.count};
  int64_t place = (int64_t)r->dims.lhs_batch.count; /* of the ragged dimension in the result */
  for (int64_t i = 0; i < r->ragged; i++)
    place += !ten_ints_has(r->dims.lhs_batch, i) && !ten_ints_has(r->dims.lhs_contract, i);
  ten_dot_dims dims = r->dims;
  dims.rhs_batch = without(b, dims.rhs_batch, group_dim);
  dims.rhs_contract = without(b, dims.rhs_contract, group_dim);
  ten_value *result = ten_build_splat_int(b, type, 0);
  for (int64_t g = 0; g < r->groups; g++) {
    ten_value *slice = ten_build_slice_dim(b, r->y, group_dim, g, g + 1, 1);
    int64_t *shape = ten_arena_new_array(&b->module->arena, int64_t, slice->type->rank);
    for (uint32_t i = 0, k = 0; i < slice->type->rank; i++)
      if ((int64_t)i != group_dim) shape[k++] = slice->type->dims[i];
    slice = ten_build_reshape(b, slice, slice->type->rank - 1, shape);
    ten_value *product = ten_build_dot(b, r->x, slice, &dims, r->dtype);
    result = ten_build_select(b, in_group(b, r, type, place, batch, g), product, result);
  }
  return result;
}

static ten_value *contracted_dimension(ten_builder *b, const ragged *r) {
  ten_value **parts = ten_arena_new_array(&b->module->arena, ten_value *, (size_t)r->groups);
  for (int64_t g = 0; g < r->groups; g++) {
    ten_value *mask = in_group(b, r, r->x->type, r->ragged, r->dims.lhs_batch, g);
    ten_value *x = ten_build_select(b, mask, r->x, ten_build_splat_int(b, r->x->type, 0));
    ten_value *product = ten_build_dot(b, x, r->y, &r->dims, r->dtype);
    const uint32_t rank = product->type->rank;
    int64_t *shape = ten_arena_new_array(&b->module->arena, int64_t, rank + 1);
    shape[0] = 1;
    for (uint32_t i = 0; i < rank; i++) shape[1 + i] = product->type->dims[i];
    parts[g] = ten_build_reshape(b, product, rank + 1, shape);
  }
  return ten_build_concat(b, (uint32_t)r->groups, parts, 0);
}

ten_value *ten_chlo_ragged_dot(ten_builder *b, const ten_op *op) {
  const ten_attr *attr = ten_op_attr(op, "ragged_dot_dimension_numbers");
  ragged r = {.x = ten_op_operand(op, 0), .y = ten_op_operand(op, 1), .sizes = ten_op_operand(op, 2)};
  for (uint32_t i = 0; i < 3; i++)
    if (!ten_type_is_static(ten_op_operand(op, i)->type)) return NULL;
  r.dims = (ten_dot_dims){ten_attr_as_ints(ten_attr_field(attr, "lhs_batching_dimensions")),
                          ten_attr_as_ints(ten_attr_field(attr, "rhs_batching_dimensions")),
                          ten_attr_as_ints(ten_attr_field(attr, "lhs_contracting_dimensions")),
                          ten_attr_as_ints(ten_attr_field(attr, "rhs_contracting_dimensions"))};
  const ten_ints rows = ten_attr_as_ints(ten_attr_field(attr, "lhs_ragged_dimensions"));
  const ten_ints groups = ten_attr_as_ints(ten_attr_field(attr, "rhs_group_dimensions"));
  const ten_type *sizes = r.sizes->type, *type = op->results[0].type;
  if (rows.count != 1 || !sizes->rank) return NULL;
  r.ragged = rows.data[0];
  r.groups = sizes->dims[sizes->rank - 1];
  r.dtype = type->dtype;
  if (ten_ints_has(r.dims.lhs_batch, r.ragged)) return ten_build_dot(b, r.x, r.y, &r.dims, r.dtype);
  if (ten_ints_has(r.dims.lhs_contract, r.ragged)) return contracted_dimension(b, &r);
  return groups.count == 1 ? free_dimension(b, &r, groups.data[0], type) : NULL;
}
