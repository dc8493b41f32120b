/* rescale.c: from one scale to another, bit for bit as TFLite does it: a product of 32 × 32 bits of which the upper
 * half is taken, rounded, and then shifted, rounded again; sums of a matmul are rounded once, at the end. */
#include <stdlib.h>

#include "edge/kernels.h"
#include "edge/multiplier.h"

/* One integer for all, or one for each place of the last dimension. */
static ten_value *integers(ten_builder *b, ten_dtype dtype, const ten_type *like, size_t count, const int64_t *values) {
  const ten_type *type = ten_type_tensor(b->module, dtype, like->rank, like->dims);
  if (count == 1) return ten_build_splat_int(b, type, values[0]);
  const int64_t last = (int64_t)like->rank - 1, size = (int64_t)count;
  ten_value *row;
  if (dtype == TEN_I64) {
    row = ten_build_i64s(b, count, values);
  } else {
    int32_t *narrow = ten_arena_new_array(&b->module->arena, int32_t, count);
    for (size_t i = 0; i < count; i++) narrow[i] = (int32_t)values[i];
    const ten_type *list = ten_type_tensor(b->module, TEN_I32, 1, &size);
    row = ten_build_constant(b, ten_attr_dense(b->module, list, narrow, count * sizeof *narrow));
  }
  return ten_build_broadcast(b, row, like->rank, like->dims, &last);
}

/* x / 2^by, halves away from zero. */
static ten_value *divide_by_power(ten_builder *b, ten_value *x, ten_value *by, ten_value *mask, ten_value *half) {
  ten_value *negative = ten_build_binary(b, TEN_OP_SHIFT_RIGHT_ARITHMETIC, x, ten_build_like(b, x, 31)); /* -1 or 0 */
  ten_value *threshold = ten_build_binary(b, TEN_OP_SUBTRACT, half, negative);
  ten_value *rest = ten_build_binary(b, TEN_OP_AND, x, mask);
  ten_value *up = ten_build_convert(b, ten_build_compare(b, TEN_GT, rest, threshold), TEN_I32);
  return ten_build_binary(b, TEN_OP_ADD, ten_build_binary(b, TEN_OP_SHIFT_RIGHT_ARITHMETIC, x, by), up);
}

ten_value *edge_rescale_once(ten_builder *b, ten_value *x, size_t count, const double *factors) {
  int64_t *lists = ten_alloc(count * 3 * sizeof *lists), *scale = lists, *half = lists + count, *by = half + count;
  for (size_t i = 0; i < count; i++) {
    const edge_factor factor = edge_factor_of(factors[i]);
    scale[i] = factor.multiplier;
    by[i] = 31 - factor.shift;
    half[i] = INT64_C(1) << (by[i] - 1);
  }
  ten_value *product = ten_build_binary(b, TEN_OP_MULTIPLY, ten_build_convert(b, x, TEN_I64),
                                        integers(b, TEN_I64, x->type, count, scale));
  ten_value *moved = ten_build_binary(b, TEN_OP_ADD, product, integers(b, TEN_I64, x->type, count, half));
  ten_value *result =
      ten_build_binary(b, TEN_OP_SHIFT_RIGHT_ARITHMETIC, moved, integers(b, TEN_I64, x->type, count, by));
  free(lists);
  return ten_build_convert(b, result, TEN_I32);
}

ten_value *edge_rescale(ten_builder *b, ten_value *x, size_t count, const double *factors) {
  int64_t *lists = ten_alloc(count * 5 * sizeof *lists), *scale = lists, *left = lists + count, *right = left + count,
          *mask = right + count, *half = mask + count;
  for (size_t i = 0; i < count; i++) {
    const edge_factor factor = edge_factor_of(factors[i]);
    scale[i] = factor.multiplier;
    left[i] = factor.shift > 0 ? INT64_C(1) << factor.shift : 1;
    right[i] = factor.shift < 0 ? -factor.shift : 0;
    mask[i] = (INT64_C(1) << right[i]) - 1;
    half[i] = mask[i] >> 1;
  }
  const ten_type *type = x->type;
  ten_value *wide = ten_build_convert(b, x, TEN_I64);
  for (size_t i = 0; i < count; i++) scale[i] *= left[i];
  ten_value *product = ten_build_binary(b, TEN_OP_MULTIPLY, wide, integers(b, TEN_I64, type, count, scale));
  /* The nearest multiple of 2^31, halves up. TFLite nudges by 2^30, or 1 - 2^30 below 0, and truncates: the same. */
  ten_value *nudged = ten_build_binary(b, TEN_OP_ADD, product, ten_build_splat_int(b, product->type, INT64_C(1) << 30));
  ten_value *by = ten_build_splat_int(b, product->type, 31);
  ten_value *high = ten_build_convert(b, ten_build_binary(b, TEN_OP_SHIFT_RIGHT_ARITHMETIC, nudged, by), TEN_I32);
  bool shifted = false;
  for (size_t i = 0; i < count; i++) shifted |= right[i] != 0;
  if (shifted)
    high = divide_by_power(b, high, integers(b, TEN_I32, type, count, right), integers(b, TEN_I32, type, count, mask),
                           integers(b, TEN_I32, type, count, half));
  free(lists);
  return high;
}

ten_value *edge_centered(ten_builder *b, ten_value *x, const edge_tensor *t) {
  ten_value *wide = ten_build_convert(b, x, TEN_I32);
  if (!t->zero_point) return wide;
  return ten_build_binary(b, TEN_OP_SUBTRACT, wide, ten_build_like(b, wide, t->zero_point));
}

ten_value *edge_stored(ten_builder *b, ten_value *x, const edge_tensor *t, edge_activation activation) {
  int32_t low, high;
  edge_activation_range(t, activation, &low, &high);
  ten_value *moved = ten_build_binary(b, TEN_OP_ADD, x, ten_build_like(b, x, t->zero_point));
  ten_value *inside = ten_build_clamp(b, ten_build_like(b, x, low), moved, ten_build_like(b, x, high));
  return ten_build_convert(b, inside, TEN_I8);
}
