/* build_shape.c: ops that move elements without changing them. Each returns its operand when it would be a
 * no-op. */
#include "ir/build_infer.h"

enum { RANK_MAX = 64 };

static void rank_check(const ten_builder *b, uint32_t rank) {
  ten_build_check(b, rank <= RANK_MAX, "a tensor of rank %u; the limit is %d", rank, RANK_MAX);
}

static ten_named_attr dims_attr(ten_builder *b, ten_str name, size_t count, const int64_t *values) {
  return (ten_named_attr){name, ten_attr_dims(b->module, count, values), true};
}

static ten_value *one(ten_builder *b, ten_opcode code, ten_value *x, const ten_type *type, uint32_t attr_count,
                      const ten_named_attr *attrs) {
  return &ten_build_op(b, code, 1, &x, 1, &type, attr_count, attrs, 0)->results[0];
}

static bool same_dims(const ten_type *type, uint32_t rank, const int64_t *dims) {
  return type->rank == rank && (!rank || !memcmp(type->dims, dims, rank * sizeof *dims));
}

ten_value *ten_build_reshape(ten_builder *b, ten_value *x, uint32_t rank, const int64_t *dims) {
  if (same_dims(x->type, rank, dims)) return x;
  const ten_type *type = ten_type_with_shape(b->module, x->type, rank, dims);
  ten_build_check(b, ten_type_count(type) == ten_type_count(x->type), "%lld elements reshaped to %lld",
                  (long long)ten_type_count(x->type), (long long)ten_type_count(type));
  return one(b, TEN_OP_RESHAPE, x, type, 0, NULL);
}

ten_value *ten_build_broadcast(ten_builder *b, ten_value *x, uint32_t rank, const int64_t *dims, const int64_t *map) {
  for (uint32_t i = 0; i < x->type->rank; i++)
    ten_build_check(
        b, map[i] >= 0 && map[i] < rank && (x->type->dims[i] == 1 || !ten_size_differs(x->type->dims[i], dims[map[i]])),
        "size %lld does not broadcast along dimension %lld of a tensor of rank %u", (long long)x->type->dims[i],
        (long long)map[i], rank);
  bool identity = same_dims(x->type, rank, dims);
  for (uint32_t i = 0; identity && i < rank; i++) identity = map[i] == i;
  if (identity) return x;
  const ten_named_attr attr = dims_attr(b, TEN_STR("broadcast_dimensions"), x->type->rank, map);
  return one(b, TEN_OP_BROADCAST_IN_DIM, x, ten_type_with_shape(b->module, x->type, rank, dims), 1, &attr);
}

ten_value *ten_build_broadcast_to(ten_builder *b, ten_value *x, uint32_t rank, const int64_t *dims) {
  int64_t map[RANK_MAX];
  ten_build_check(b, x->type->rank <= rank && rank <= RANK_MAX, "rank %u broadcast to rank %u", x->type->rank, rank);
  for (uint32_t i = 0; i < x->type->rank; i++) map[i] = (int64_t)(rank - x->type->rank + i);
  return ten_build_broadcast(b, x, rank, dims, map);
}

ten_value *ten_build_transpose(ten_builder *b, ten_value *x, const int64_t *permutation) {
  bool identity = true;
  rank_check(b, x->type->rank);
  for (uint32_t i = 0; i < x->type->rank; i++) identity &= permutation[i] == i;
  if (identity) return x;
  const ten_named_attr attr = dims_attr(b, TEN_STR("permutation"), x->type->rank, permutation);
  return ten_build_inferred(b, TEN_OP_TRANSPOSE, 1, &x, TEN_DTYPE_NONE, 1, &attr);
}

ten_value *ten_build_reverse(ten_builder *b, ten_value *x, size_t count, const int64_t *dims) {
  if (!count) return x;
  for (size_t i = 0; i < count; i++) (void)ten_build_dim(b, x, dims[i]);
  const ten_named_attr attr = dims_attr(b, TEN_STR("dimensions"), count, dims);
  return one(b, TEN_OP_REVERSE, x, x->type, 1, &attr);
}

ten_value *ten_build_slice(ten_builder *b, ten_value *x, const int64_t *start, const int64_t *limit,
                           const int64_t *strides) {
  bool whole = true;
  const uint32_t rank = x->type->rank;
  rank_check(b, rank);
  for (uint32_t i = 0; i < rank; i++) whole &= start[i] == 0 && limit[i] == x->type->dims[i] && strides[i] == 1;
  if (whole) return x;
  const ten_named_attr attrs[] = {dims_attr(b, TEN_STR("start_indices"), rank, start),
                                  dims_attr(b, TEN_STR("limit_indices"), rank, limit),
                                  dims_attr(b, TEN_STR("strides"), rank, strides)};
  return ten_build_inferred(b, TEN_OP_SLICE, 1, &x, TEN_DTYPE_NONE, 3, attrs);
}

ten_value *ten_build_slice_dim(ten_builder *b, ten_value *x, int64_t dim, int64_t start, int64_t limit,
                               int64_t stride) {
  int64_t starts[RANK_MAX], limits[RANK_MAX], strides[RANK_MAX];
  rank_check(b, x->type->rank);
  (void)ten_build_dim(b, x, dim);
  for (uint32_t i = 0; i < x->type->rank; i++) {
    starts[i] = i == dim ? start : 0;
    limits[i] = i == dim ? limit : x->type->dims[i];
    strides[i] = i == dim ? stride : 1;
  }
  return ten_build_slice(b, x, starts, limits, strides);
}

ten_value *ten_build_pad(ten_builder *b, ten_value *x, ten_value *value, const int64_t *low, const int64_t *high,
                         const int64_t *interior) {
  bool nothing = true;
  const uint32_t rank = x->type->rank;
  rank_check(b, rank);
  for (uint32_t i = 0; i < rank; i++) nothing &= !low[i] && !high[i] && !interior[i];
  if (nothing) return x;
  ten_value *operands[] = {x, value};
  const ten_named_attr attrs[] = {dims_attr(b, TEN_STR("edge_padding_low"), rank, low),
                                  dims_attr(b, TEN_STR("edge_padding_high"), rank, high),
                                  dims_attr(b, TEN_STR("interior_padding"), rank, interior)};
  return ten_build_inferred(b, TEN_OP_PAD, 2, operands, TEN_DTYPE_NONE, 3, attrs);
}

ten_value *ten_build_concat(ten_builder *b, uint32_t count, ten_value *const *xs, int64_t dim) {
  if (count == 1) return xs[0];
  const ten_named_attr attr = {TEN_STR("dimension"), ten_attr_i64(b->module, dim), true};
  return ten_build_inferred(b, TEN_OP_CONCATENATE, count, xs, TEN_DTYPE_NONE, 1, &attr);
}

ten_value *ten_build_dynamic_slice(ten_builder *b, ten_value *x, ten_value *const *starts, const int64_t *sizes) {
  ten_value *operands[RANK_MAX + 1] = {x};
  const uint32_t rank = x->type->rank;
  rank_check(b, rank);
  for (uint32_t i = 0; i < rank; i++) operands[i + 1] = starts[i];
  const ten_named_attr attr = dims_attr(b, TEN_STR("slice_sizes"), rank, sizes);
  const ten_type *type = ten_type_with_shape(b->module, x->type, rank, sizes);
  return &ten_build_op(b, TEN_OP_DYNAMIC_SLICE, rank + 1, operands, 1, &type, 1, &attr, 0)->results[0];
}

ten_value *ten_build_dynamic_update_slice(ten_builder *b, ten_value *x, ten_value *update, ten_value *const *starts) {
  ten_value *operands[RANK_MAX + 2] = {x, update};
  rank_check(b, x->type->rank);
  for (uint32_t i = 0; i < x->type->rank; i++) operands[i + 2] = starts[i];
  return &ten_build_op(b, TEN_OP_DYNAMIC_UPDATE_SLICE, x->type->rank + 2, operands, 1, &x->type, 0, NULL, 0)
              ->results[0];
}
