/* build_shape.c: ops that move elements without changing them. Each gives its operand back when nothing would change.
 */
#include "base/size.h"
#include "ir/builder.h"

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
  int64_t dims[RANK_MAX];
  bool identity = true;
  rank_check(b, x->type->rank);
  for (uint32_t i = 0; i < x->type->rank; i++) {
    dims[i] = ten_build_dim(b, x, permutation[i]);
    identity &= permutation[i] == i;
  }
  if (identity) return x;
  const ten_named_attr attr = dims_attr(b, TEN_STR("permutation"), x->type->rank, permutation);
  return one(b, TEN_OP_TRANSPOSE, x, ten_type_with_shape(b->module, x->type, x->type->rank, dims), 1, &attr);
}

ten_value *ten_build_reverse(ten_builder *b, ten_value *x, size_t count, const int64_t *dims) {
  if (!count) return x;
  for (size_t i = 0; i < count; i++) (void)ten_build_dim(b, x, dims[i]);
  const ten_named_attr attr = dims_attr(b, TEN_STR("dimensions"), count, dims);
  return one(b, TEN_OP_REVERSE, x, x->type, 1, &attr);
}

ten_value *ten_build_slice(ten_builder *b, ten_value *x, const int64_t *start, const int64_t *limit,
                           const int64_t *strides) {
  int64_t dims[RANK_MAX];
  bool whole = true;
  const uint32_t rank = x->type->rank;
  rank_check(b, rank);
  for (uint32_t i = 0; i < rank; i++) {
    ten_build_check(
        b, start[i] >= 0 && (limit[i] <= x->type->dims[i] || x->type->dims[i] == TEN_DYNAMIC) && strides[i] > 0,
        "a slice from %lld to %lld by %lld of size %lld", (long long)start[i], (long long)limit[i],
        (long long)strides[i], (long long)x->type->dims[i]);
    dims[i] = limit[i] <= start[i] ? 0 : (limit[i] - start[i] - 1) / strides[i] + 1;
    whole &= start[i] == 0 && limit[i] == x->type->dims[i] && strides[i] == 1;
  }
  if (whole) return x;
  const ten_named_attr attrs[] = {dims_attr(b, TEN_STR("start_indices"), rank, start),
                                  dims_attr(b, TEN_STR("limit_indices"), rank, limit),
                                  dims_attr(b, TEN_STR("strides"), rank, strides)};
  return one(b, TEN_OP_SLICE, x, ten_type_with_shape(b->module, x->type, rank, dims), 3, attrs);
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
  int64_t dims[RANK_MAX];
  bool nothing = true;
  const uint32_t rank = x->type->rank;
  rank_check(b, rank);
  for (uint32_t i = 0; i < rank; i++) {
    const int64_t size = x->type->dims[i];
    int64_t inner = 0;
    ten_build_check(b,
                    interior[i] >= 0 && (size <= 1 || ten_mul_i64(size - 1, interior[i], &inner)) &&
                        ten_add_i64(size, inner, &dims[i]) && ten_add_i64(dims[i], low[i], &dims[i]) &&
                        ten_add_i64(dims[i], high[i], &dims[i]) && dims[i] >= 0,
                    "size %lld padded by %lld, %lld and %lld between elements", (long long)size, (long long)low[i],
                    (long long)high[i], (long long)interior[i]);
    nothing &= !low[i] && !high[i] && !interior[i];
  }
  if (nothing) return x;
  ten_value *operands[] = {x, value};
  const ten_named_attr attrs[] = {dims_attr(b, TEN_STR("edge_padding_low"), rank, low),
                                  dims_attr(b, TEN_STR("edge_padding_high"), rank, high),
                                  dims_attr(b, TEN_STR("interior_padding"), rank, interior)};
  const ten_type *type = ten_type_with_shape(b->module, x->type, rank, dims);
  return &ten_build_op(b, TEN_OP_PAD, 2, operands, 1, &type, 3, attrs, 0)->results[0];
}

ten_value *ten_build_concat(ten_builder *b, uint32_t count, ten_value *const *xs, int64_t dim) {
  if (count == 1) return xs[0];
  int64_t dims[RANK_MAX];
  const ten_type *first = xs[0]->type;
  rank_check(b, first->rank);
  if (first->rank) memcpy(dims, first->dims, first->rank * sizeof *dims);
  dims[dim] = ten_build_dim(b, xs[0], dim);
  for (uint32_t i = 1; i < count; i++)
    ten_build_check(
        b, xs[i]->type->rank == first->rank && ten_add_i64(dims[dim], ten_build_dim(b, xs[i], dim), &dims[dim]),
        "tensors that do not join along dimension %lld", (long long)dim);
  const ten_named_attr attr = {TEN_STR("dimension"), ten_attr_i64(b->module, dim), true};
  const ten_type *type = ten_type_with_shape(b->module, first, first->rank, dims);
  return &ten_build_op(b, TEN_OP_CONCATENATE, count, xs, 1, &type, 1, &attr, 0)->results[0];
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
