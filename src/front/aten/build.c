/* build.c: StableHLO arithmetic with PyTorch's broadcasting, and shape checks before the builder is called. */
#include "base/size.h"
#include "front/aten/lower.h"

void *at_array(at *l, size_t count, size_t size) {
  const size_t most = (size_t)1 << 28;
  size_t bytes;
  void *room = ten_mul(count, size, &bytes) && bytes <= most ? ten_arena_try(&l->b.module->arena, bytes) : NULL;
  if (!room)
    at_fail(l, TEN_LIMIT, "sizes that need a table of %zu numbers while lowering; one may have %zu", count,
            most / size);
  return memset(room, 0, bytes);
}

int64_t at_product(at *l, uint32_t rank, const int64_t *dims) {
  int64_t count = 1; /* an empty dimension does not hide oversized ones */
  bool empty = false;
  for (uint32_t i = 0; i < rank; i++) {
    at_check(l, dims[i] >= 0, "a size of %lld", (long long)dims[i]);
    empty |= dims[i] == 0;
    if (!ten_mul_i64(count, dims[i] ? dims[i] : 1, &count) || count > TEN_BUILD_COUNT_MAX)
      at_fail(l, TEN_LIMIT, "a tensor with too many elements");
  }
  return empty ? 0 : count;
}

int64_t at_mul_size(at *l, int64_t a, int64_t b) {
  int64_t out = 0;
  at_check(l, ten_mul_i64(a, b, &out), "%lld times %lld does not fit 64 bits", (long long)a, (long long)b);
  return out;
}

int64_t at_add_size(at *l, int64_t a, int64_t b) {
  int64_t out = 0;
  at_check(l, ten_add_i64(a, b, &out), "%lld plus %lld does not fit 64 bits", (long long)a, (long long)b);
  return out;
}

int64_t at_sub_size(at *l, int64_t a, int64_t b) {
  int64_t out = 0;
  at_check(l, ten_sub_i64(a, b, &out), "%lld minus %lld does not fit 64 bits", (long long)a, (long long)b);
  return out;
}

int64_t at_reach(at *l, int64_t step, int64_t count) {
  const int64_t reach = at_mul_size(l, step, count - 1), most = (int64_t)1 << 60; /* sums of several of them fit */
  at_check(l, reach >= -most && reach <= most, "%lld places by steps of %lld", (long long)count, (long long)step);
  return reach;
}

void at_broadcast_dims(at *l, const ten_value *a, const ten_value *b, uint32_t *rank, int64_t *dims) {
  const uint32_t ra = at_rank(a), rb = at_rank(b), r = ra > rb ? ra : rb;
  *rank = r;
  for (uint32_t i = 0; i < r; i++) {
    const int64_t da = i + ra >= r ? at_dim(l, a, i + ra - r) : 1, db = i + rb >= r ? at_dim(l, b, i + rb - r) : 1;
    at_check(l, da == db || da == 1 || db == 1, "sizes %lld and %lld do not broadcast", (long long)da, (long long)db);
    dims[i] = da == 1 ? db : da;
  }
}

ten_value *at_reshape(at *l, ten_value *x, uint32_t rank, const int64_t *dims) {
  at_check(l, rank <= AT_MAX_RANK, "%u dimensions", rank);
  at_check(l, at_product(l, rank, dims) == at_count(x), "a tensor of %lld elements does not take this shape",
           (long long)at_count(x));
  return ten_build_reshape(&l->b, x, rank, dims);
}

ten_value *at_expand(at *l, ten_value *x, uint32_t rank, const int64_t *dims) {
  const uint32_t have = at_rank(x);
  at_check(l, rank >= have && rank <= AT_MAX_RANK, "%u dimensions do not expand to %u", have, rank);
  for (uint32_t i = 0; i < have; i++)
    at_check(l, at_dim(l, x, i) == 1 || at_dim(l, x, i) == dims[rank - have + i], "size %lld does not expand to %lld",
             (long long)at_dim(l, x, i), (long long)dims[rank - have + i]);
  at_product(l, rank, dims);
  return ten_build_broadcast_to(&l->b, x, rank, dims);
}

ten_value *at_expand_like(at *l, ten_value *x, const ten_value *like) {
  return at_expand(l, x, at_rank(like), at_dims(like));
}

ten_value *at_flatten(at *l, ten_value *x) { return ten_build_reshape(&l->b, x, 1, (const int64_t[]){at_count(x)}); }

ten_value *at_unsqueeze(at *l, ten_value *x, int64_t dim) {
  int64_t dims[AT_DIMS];
  const uint32_t rank = at_rank(x);
  at_check(l, rank < AT_MAX_RANK && dim >= 0 && dim <= rank, "dimension %lld of %u", (long long)dim, rank + 1);
  for (uint32_t i = 0; i <= rank; i++) dims[i] = i < dim ? at_dim(l, x, i) : i == dim ? 1 : at_dim(l, x, i - 1);
  return ten_build_reshape(&l->b, x, rank + 1, dims);
}

ten_value *at_squeeze(at *l, ten_value *x, int64_t dim) {
  int64_t dims[AT_DIMS];
  uint32_t rank = 0;
  for (uint32_t i = 0; i < at_rank(x); i++)
    if (i != dim) dims[rank++] = at_dim(l, x, i);
  return at_reshape(l, x, rank, dims);
}

ten_value *at_permute(at *l, ten_value *x, const int64_t *permutation) {
  bool seen[AT_DIMS] = {0}, same = true;
  for (uint32_t i = 0; i < at_rank(x); i++) {
    at_check(l, permutation[i] >= 0 && permutation[i] < at_rank(x) && !seen[permutation[i]],
             "not a permutation of the dimensions");
    seen[permutation[i]] = true;
    same &= permutation[i] == i;
  }
  return same ? x : ten_build_transpose(&l->b, x, permutation);
}

ten_value *at_swap(at *l, ten_value *x, int64_t a, int64_t b) {
  int64_t permutation[AT_DIMS];
  if (!at_rank(x)) return x;
  for (uint32_t i = 0; i < at_rank(x); i++) permutation[i] = i == a ? b : i == b ? a : i;
  return at_permute(l, x, permutation);
}

ten_value *at_slice(at *l, ten_value *x, int64_t dim, int64_t start, int64_t limit, int64_t step) {
  at_check(l, dim >= 0 && dim < at_rank(x) && step > 0, "a slice of dimension %lld by steps of %lld", (long long)dim,
           (long long)step);
  at_check(l, start >= 0 && limit <= at_dim(l, x, dim) && start <= limit, "a slice from %lld to %lld of %lld",
           (long long)start, (long long)limit, (long long)at_dim(l, x, dim));
  if (start == 0 && limit == at_dim(l, x, dim) && step == 1) return x;
  return ten_build_slice_dim(&l->b, x, dim, start, limit, step);
}

ten_value *at_cat(at *l, size_t count, ten_value *const *xs, int64_t dim) {
  at_check(l, count > 0, "nothing to join");
  for (size_t k = 1; k < count; k++) {
    at_check(l, at_rank(xs[k]) == at_rank(xs[0]) && at_type(xs[k]) == at_type(xs[0]), "tensors that do not join");
    for (uint32_t i = 0; i < at_rank(xs[0]); i++)
      at_check(l, i == dim || at_dim(l, xs[k], i) == at_dim(l, xs[0], i),
               "sizes %lld and %lld of dimension %u do not join", (long long)at_dim(l, xs[k], i),
               (long long)at_dim(l, xs[0], i), i);
  }
  return count == 1 ? xs[0] : ten_build_concat(&l->b, (uint32_t)count, xs, dim);
}

ten_value *at_pad(at *l, ten_value *x, int64_t dim, int64_t low, int64_t high, int64_t interior, double value) {
  int64_t lows[AT_DIMS] = {0}, highs[AT_DIMS] = {0}, inner[AT_DIMS] = {0};
  at_check(l, dim >= 0 && dim < at_rank(x), "dimension %lld", (long long)dim);
  if (!low && !high && !interior) return x;
  lows[dim] = low, highs[dim] = high, inner[dim] = interior;
  return ten_build_pad(&l->b, x, at_num(l, x, value), lows, highs, inner);
}

ten_value *at_along(at *l, ten_value *vector, uint32_t rank, int64_t dim) {
  int64_t dims[AT_DIMS];
  at_check(l, rank <= AT_MAX_RANK && at_rank(vector) <= 1, "not a vector");
  for (uint32_t i = 0; i < rank; i++) dims[i] = i == dim ? at_count(vector) : 1;
  return at_reshape(l, vector, rank, dims);
}

ten_value *at_const(at *l, ten_dtype dtype, double value) { return ten_build_scalar(&l->b, dtype, value); }
ten_value *at_num(at *l, const ten_value *like, double value) { return at_const(l, at_type(like), value); }
ten_value *at_int_num(at *l, const ten_value *like, int64_t value) {
  return ten_build_scalar_int(&l->b, at_type(like), value);
}

ten_value *at_full(at *l, ten_dtype dtype, uint32_t rank, const int64_t *dims, double value) {
  at_check(l, rank <= AT_MAX_RANK, "%u dimensions", rank);
  at_product(l, rank, dims);
  return ten_build_splat(&l->b, ten_type_tensor(l->b.module, dtype, rank, dims), value);
}

ten_value *at_iota(at *l, ten_dtype dtype, uint32_t rank, const int64_t *dims, int64_t dim) {
  at_product(l, rank, dims);
  return ten_build_iota(&l->b, ten_type_tensor(l->b.module, dtype, rank, dims), dim);
}

ten_value *at_cast(at *l, ten_value *x, ten_dtype dtype) {
  if (at_type(x) == dtype) return x;
  if (at_is_complex(x) && !ten_dtype_is_complex(dtype)) {
    ten_value *real = ten_build_part(&l->b, TEN_OP_REAL, x);
    if (dtype != TEN_I1) return at_cast(l, real, dtype);
    ten_value *imag = ten_build_part(&l->b, TEN_OP_IMAG, x);
    return at_or(l, at_cast(l, real, TEN_I1), at_cast(l, imag, TEN_I1));
  }
  if (!at_is_complex(x) && ten_dtype_is_complex(dtype)) {
    ten_value *real = at_cast(l, x, ten_dtype_part(dtype));
    return ten_build_complex(&l->b, real, ten_build_like(&l->b, real, 0));
  }
  /* NaN is true. */
  if (dtype == TEN_I1) return ten_build_compare(&l->b, TEN_NE, x, ten_build_like(&l->b, x, 0));
  /* A float outside the range of a small integer wraps like a C cast through a wider one. */
  if (at_is_float(x) && ten_dtype_is_int(dtype) && ten_dtype_bits(dtype) < 32) x = ten_build_convert(&l->b, x, TEN_I32);
  return ten_build_convert(&l->b, x, dtype);
}

ten_value *at_ref_value(at *l, at_ref ref, ten_dtype dtype) {
  if (ref.kind == AT_TENSOR) return at_cast(l, at_read(l, ref.tensor), dtype);
  if (ref.value) return at_cast(l, ref.value, dtype);
  if (ref.kind == AT_NONE) at_fail(l, TEN_INVALID, "a numeric argument is missing");
  if (ref.kind == AT_COMPLEX) {
    if (!ten_dtype_is_complex(dtype)) return ten_build_scalar(&l->b, dtype, ref.f);
    const ten_dtype part = ten_dtype_part(dtype);
    return ten_build_complex(&l->b, ten_build_scalar(&l->b, part, ref.f), ten_build_scalar(&l->b, part, ref.imag));
  }
  if (ref.kind == AT_FLOAT) {
    if (dtype == TEN_I1) return ten_build_scalar_int(&l->b, dtype, ref.f != 0);
    if (ten_dtype_is_int(dtype))
      return ten_build_scalar_int(&l->b, dtype, ref.f > -9.2e18 && ref.f < 9.2e18 ? (int64_t)ref.f : INT64_MIN);
    return ten_build_scalar(&l->b, dtype, ref.f);
  }
  if (dtype == TEN_I1) return ten_build_scalar_int(&l->b, dtype, ref.i != 0);
  return ten_dtype_is_int(dtype) ? ten_build_scalar_int(&l->b, dtype, ref.i)
                                 : ten_build_scalar(&l->b, dtype, (double)ref.i);
}

static void pair_fit(at *l, ten_value **a, ten_value **b) {
  at_check(l, at_type(*a) == at_type(*b), "%s and %s do not mix", ten_dtype_name(at_type(*a)),
           ten_dtype_name(at_type(*b)));
  if ((*a)->type == (*b)->type) return;
  uint32_t rank;
  int64_t dims[AT_DIMS];
  at_broadcast_dims(l, *a, *b, &rank, dims);
  *a = at_expand(l, *a, rank, dims);
  *b = at_expand(l, *b, rank, dims);
}

ten_value *at_bin(at *l, ten_opcode code, ten_value *a, ten_value *b) {
  pair_fit(l, &a, &b);
  return ten_build_binary(&l->b, code, a, b);
}

ten_value *at_un(at *l, ten_opcode code, ten_value *a) { return ten_build_unary(&l->b, code, a); }

ten_value *at_cmp(at *l, ten_compare direction, ten_value *a, ten_value *b) {
  pair_fit(l, &a, &b);
  return ten_build_compare(&l->b, direction, a, b);
}

ten_value *at_sel(at *l, ten_value *pred, ten_value *on_true, ten_value *on_false) {
  pair_fit(l, &on_true, &on_false);
  uint32_t rank;
  int64_t dims[AT_DIMS];
  at_check(l, at_type(pred) == TEN_I1, "a condition that is not boolean");
  at_broadcast_dims(l, pred, on_true, &rank, dims);
  return ten_build_select(&l->b, at_expand(l, pred, rank, dims), at_expand(l, on_true, rank, dims),
                          at_expand(l, on_false, rank, dims));
}

ten_value *at_add(at *l, ten_value *a, ten_value *b) { return at_bin(l, TEN_OP_ADD, a, b); }
ten_value *at_sub(at *l, ten_value *a, ten_value *b) { return at_bin(l, TEN_OP_SUBTRACT, a, b); }
ten_value *at_mul(at *l, ten_value *a, ten_value *b) { return at_bin(l, TEN_OP_MULTIPLY, a, b); }
ten_value *at_div(at *l, ten_value *a, ten_value *b) { return at_bin(l, TEN_OP_DIVIDE, a, b); }
ten_value *at_max(at *l, ten_value *a, ten_value *b) { return at_bin(l, TEN_OP_MAXIMUM, a, b); }
ten_value *at_min(at *l, ten_value *a, ten_value *b) { return at_bin(l, TEN_OP_MINIMUM, a, b); }
ten_value *at_addn(at *l, ten_value *a, double b) { return b == 0 ? a : at_add(l, a, at_num(l, a, b)); }
ten_value *at_muln(at *l, ten_value *a, double b) { return b == 1 ? a : at_mul(l, a, at_num(l, a, b)); }
ten_value *at_neg(at *l, ten_value *a) { return at_un(l, TEN_OP_NEGATE, a); }
ten_value *at_not(at *l, ten_value *a) { return at_un(l, TEN_OP_NOT, a); }
ten_value *at_and(at *l, ten_value *a, ten_value *b) { return at_bin(l, TEN_OP_AND, a, b); }
ten_value *at_or(at *l, ten_value *a, ten_value *b) { return at_bin(l, TEN_OP_OR, a, b); }

ten_value *at_isnan(at *l, ten_value *a) {
  if (at_is_complex(a))
    return at_or(l, at_isnan(l, ten_build_part(&l->b, TEN_OP_REAL, a)),
                 at_isnan(l, ten_build_part(&l->b, TEN_OP_IMAG, a)));
  if (!at_is_float(a)) return at_full(l, TEN_I1, at_rank(a), at_dims(a), 0);
  return ten_build_compare(&l->b, TEN_NE, a, a);
}

ten_value *at_isfinite(at *l, ten_value *a) {
  return at_cmp(l, TEN_LT, at_un(l, TEN_OP_ABS, a), at_num(l, a, INFINITY));
}

static ten_value *bits(at *l, ten_value *x, ten_dtype dtype) {
  const ten_type *type = ten_type_with_dtype(l->b.module, x->type, dtype);
  return ten_op_result(ten_build_op(&l->b, TEN_OP_BITCAST_CONVERT, 1, &x, 1, &type, 0, NULL, 0), 0);
}

ten_value *at_stop(at *l, ten_value *x) {
  if (!l->options->training) return x;
  if (at_is_complex(x))
    return ten_build_complex(&l->b, at_stop(l, ten_build_part(&l->b, TEN_OP_REAL, x)),
                             at_stop(l, ten_build_part(&l->b, TEN_OP_IMAG, x)));
  if (!at_is_float(x)) return x;
  const size_t width = ten_dtype_bytes(at_type(x));
  const ten_dtype integer = width == 1 ? TEN_UI8 : width == 2 ? TEN_UI16 : width == 4 ? TEN_UI32 : TEN_UI64;
  return bits(l, bits(l, x, integer), at_type(x));
}
