/* linalg.c: factorisations and ops based on them. Cholesky and triangular solves are StableHLO ops; LU with partial
 * pivoting is a loop over columns, for every matrix of a batch at once. */
#include "front/aten/linalg.h"

#define R(x) ((int64_t)at_rank(x))

ten_value *at_mat_t(at *l, ten_value *x) { return at_swap(l, x, R(x) - 2, R(x) - 1); }

void at_mat_check(at *l, const ten_value *x, bool square) {
  at_check(l, at_rank(x) >= 2, "a matrix is needed");
  at_check(l, !square || at_dim(l, x, R(x) - 2) == at_dim(l, x, R(x) - 1), "a square matrix is needed");
}

ten_value *at_mat_mask(at *l, const ten_value *like, ten_compare direction) {
  return at_cmp(l, direction, at_iota(l, TEN_I64, at_rank(like), at_dims(like), R(like) - 2),
                at_iota(l, TEN_I64, at_rank(like), at_dims(like), R(like) - 1));
}

ten_value *at_mat_eye(at *l, const ten_value *x, int64_t rows, int64_t cols) {
  int64_t dims[AT_DIMS];
  at_need_rank(l, x, 2);
  for (uint32_t i = 0; i < at_rank(x); i++) dims[i] = at_dim(l, x, i);
  dims[R(x) - 2] = rows, dims[R(x) - 1] = cols;
  return at_cast(l, at_mat_mask(l, at_full(l, TEN_I1, at_rank(x), dims, 0), TEN_EQ), at_type(x));
}

static ten_value *identity_like(at *l, const ten_value *x) {
  return at_mat_eye(l, x, at_mat_rows(l, x), at_mat_cols(l, x));
}
ten_value *at_mat_tril(at *l, ten_value *x) { return at_sel(l, at_mat_mask(l, x, TEN_GE), x, at_num(l, x, 0)); }
ten_value *at_mat_triu(at *l, ten_value *x) { return at_sel(l, at_mat_mask(l, x, TEN_LE), x, at_num(l, x, 0)); }

static ten_value *zeros_i32(at *l, const ten_value *x) {
  return at_full(l, TEN_I32, at_rank(x) - 2, at_dims_first(l, x, at_rank(x) - 2), 0);
}

static ten_value *cholesky(at *l, ten_value *x) {
  at_mat_check(l, x, true);
  const ten_named_attr attr = {.name = TEN_STR("lower"), .value = ten_attr_bool(l->b.module, true), .inherent = true};
  ten_value *y = ten_op_result(ten_build_op(&l->b, TEN_OP_CHOLESKY, 1, &x, 1, &x->type, 1, &attr, 0), 0);
  return at_mat_tril(l, y);
}

/* a y = b (left) or y a = b, batches equal. */
static ten_value *triangular(at *l, ten_value *a, ten_value *b, bool left, bool lower, bool unit, bool transpose) {
  const ten_named_attr attrs[4] = {
      {.name = TEN_STR("left_side"), .value = ten_attr_bool(l->b.module, left), .inherent = true},
      {.name = TEN_STR("lower"), .value = ten_attr_bool(l->b.module, lower), .inherent = true},
      {.name = TEN_STR("transpose_a"),
       .value = ten_attr_enum(l->b.module, TEN_ENUM_TRANSPOSE, transpose ? 2 : 1),
       .inherent = true},
      {.name = TEN_STR("unit_diagonal"), .value = ten_attr_bool(l->b.module, unit), .inherent = true}};
  at_mat_check(l, a, true);
  at_mat_check(l, b, false);
  ten_value *operands[2] = {a, b};
  return ten_op_result(ten_build_op(&l->b, TEN_OP_TRIANGULAR_SOLVE, 2, operands, 1, &b->type, 4, attrs, 0), 0);
}

/* Broadcasts the batches of a and b. */
static void batch_match(at *l, ten_value **a, ten_value **b) {
  const uint32_t ra = at_rank(*a), rb = at_rank(*b), rank = ra > rb ? ra : rb;
  int64_t da[AT_DIMS], db[AT_DIMS];
  for (uint32_t i = 0; i < rank; i++) {
    const int64_t x = i + ra >= rank ? at_dim(l, *a, i + ra - rank) : 1,
                  y = i + rb >= rank ? at_dim(l, *b, i + rb - rank) : 1;
    da[i] = x, db[i] = y;
    if (i + 2 < rank) {
      at_check(l, x == y || x == 1 || y == 1, "batches of %lld and %lld", (long long)x, (long long)y);
      da[i] = db[i] = x == 1 ? y : x;
    }
  }
  *a = at_expand(l, *a, rank, da);
  *b = at_expand(l, *b, rank, db);
}

/* ---- loops over columns ---- */
static void sweep_cond(ten_builder *b, ten_value *const *args, void *context) {
  const at_sweep *s = context;
  ten_value *more = ten_build_compare(b, TEN_LT, args[0], ten_build_scalar_int(b, TEN_I64, s->count));
  ten_build_return(b, 1, &more);
}

static void sweep_body(ten_builder *b, ten_value *const *args, void *context) {
  at_sweep *s = context;
  at *l = s->l;
  const ten_builder was = l->b;
  l->b = *b;
  ten_value *values[8];
  values[0] = at_add(l, args[0], ten_build_scalar_int(&l->b, TEN_I64, 1));
  for (uint32_t i = 0; i < s->value_count; i++) values[i + 1] = args[i + 1];
  s->step(s, args[0], values + 1);
  ten_build_return(&l->b, s->value_count + 1, values);
  l->b = was;
}

void at_sweep_run(at_sweep *s, ten_value **values) {
  at *l = s->l;
  ten_value *inits[8];
  inits[0] = ten_build_scalar_int(&l->b, TEN_I64, 0);
  for (uint32_t i = 0; i < s->value_count; i++) inits[i + 1] = values[i];
  ten_op *loop = ten_build_while(&l->b, s->value_count + 1, inits, sweep_cond, sweep_body, s);
  for (uint32_t i = 0; i < s->value_count; i++) values[i] = ten_op_result(loop, i + 1);
}

ten_value *at_mat_pick(at *l, ten_value *x, ten_value *k, int64_t dim) {
  ten_value *on = at_cmp(l, TEN_EQ, at_iota(l, TEN_I64, at_rank(x), at_dims(x), dim), k);
  return at_sum(l, at_sel(l, on, x, at_num(l, x, 0)), 1, &dim, true);
}

/* |x|², or |x| of real numbers: for comparing pivots. */
static ten_value *magnitude(at *l, ten_value *x) {
  if (!at_is_complex(x)) return at_un(l, TEN_OP_ABS, x);
  ten_value *re = ten_build_part(&l->b, TEN_OP_REAL, x), *im = ten_build_part(&l->b, TEN_OP_IMAG, x);
  return at_add(l, at_mul(l, re, re), at_mul(l, im, im));
}

/* Gaussian elimination with partial pivoting: values are the matrix and the order of its rows (i64 [..., m, 1]). */
static void lu_step(at_sweep *s, ten_value *k, ten_value **values) {
  at *l = s->l;
  ten_value *a = values[0], *order = values[1];
  const int64_t row = R(a) - 2, col = R(a) - 1;
  ten_value *rows = at_iota(l, TEN_I64, at_rank(a), at_dims(a), row),
            *thin_rows = at_iota(l, TEN_I64, at_rank(order), at_dims(order), row);
  ten_value *column = at_mat_pick(l, a, k, col); /* [..., m, 1] */
  ten_value *size = magnitude(l, column);
  size = at_sel(l, at_cmp(l, TEN_GE, thin_rows, k), size, at_num(l, size, -1));
  ten_value *pivot = at_unsqueeze(l, at_arg_extreme(l, size, row, true, NULL), row); /* [..., 1, 1] */
  /* Swap row k and the pivot row. */
  ten_value *row_k = at_mat_pick(l, a, k, row),
            *row_p = at_sum(l, at_sel(l, at_cmp(l, TEN_EQ, rows, pivot), a, at_num(l, a, 0)), 1, &row, true);
  a = at_sel(l, at_cmp(l, TEN_EQ, rows, k), row_p, at_sel(l, at_cmp(l, TEN_EQ, rows, pivot), row_k, a));
  ten_value *at_k = at_mat_pick(l, order, k, row),
            *at_p =
                at_sum(l, at_sel(l, at_cmp(l, TEN_EQ, thin_rows, pivot), order, at_num(l, order, 0)), 1, &row, true);
  values[1] =
      at_sel(l, at_cmp(l, TEN_EQ, thin_rows, k), at_p, at_sel(l, at_cmp(l, TEN_EQ, thin_rows, pivot), at_k, order));
  if (s->value_count > 2) {
    ten_value *spots = at_iota(l, TEN_I64, at_rank(values[2]), at_dims(values[2]), row);
    values[2] = at_sel(l, at_cmp(l, TEN_EQ, spots, k), at_addn(l, pivot, 1), values[2]);
  }
  ten_value *head = at_mat_pick(l, row_p, k, col), *zero = at_num(l, a, 0);
  ten_value *safe = at_sel(l, at_cmp(l, TEN_EQ, head, zero), at_num(l, a, 1), head);
  ten_value *factor =
      at_sel(l, at_cmp(l, TEN_GT, thin_rows, k), at_div(l, at_mat_pick(l, a, k, col), safe), zero); /* [..., m, 1] */
  ten_value *cols = at_iota(l, TEN_I64, at_rank(a), at_dims(a), col);
  ten_value *update =
      at_mul(l, factor,
             at_sel(l, at_cmp(l, TEN_GT, at_iota(l, TEN_I64, at_rank(row_p), at_dims(row_p), col), k), row_p, zero));
  a = at_sub(l, a, update);
  values[0] = at_sel(l, at_and(l, at_cmp(l, TEN_EQ, cols, k), at_cmp(l, TEN_GT, rows, k)), factor, a);
}

typedef struct lu {
  ten_value *packed, *order, *pivots; /* order: [..., m] i64; pivots: [..., min] i32, 1-based */
} lu;

static lu lu_of(at *l, ten_value *x) {
  at_need_rank(l, x, 2);
  const int64_t m = at_mat_rows(l, x), n = at_mat_cols(l, x), least = m < n ? m : n;
  int64_t dims[AT_DIMS];
  for (uint32_t i = 0; i < at_rank(x); i++) dims[i] = at_dim(l, x, i);
  dims[R(x) - 1] = 1;
  ten_value *values[3] = {x, at_iota(l, TEN_I64, at_rank(x), dims, R(x) - 2), NULL};
  dims[R(x) - 2] = least;
  values[2] = at_full(l, TEN_I64, at_rank(x), dims, 0);
  at_sweep s = {l, least, lu_step, 3};
  if (at_count(x)) at_sweep_run(&s, values);
  return (lu){values[0], at_squeeze(l, values[1], R(x) - 1), at_cast(l, at_squeeze(l, values[2], R(x) - 1), TEN_I32)};
}

/* One row swap per step: values are the order so far and the pivots, [..., m] and [..., min] i64. */
static void order_step(at_sweep *s, ten_value *k, ten_value **values) {
  at *l = s->l;
  ten_value *order = values[0], *pivots = values[1];
  const int64_t last = R(order) - 1;
  ten_value *place = at_iota(l, TEN_I64, at_rank(order), at_dims(order), last);
  ten_value *pivot = at_addn(l, at_mat_pick(l, pivots, k, last), -1), *zero = at_num(l, order, 0);
  ten_value *here = at_mat_pick(l, order, k, last), *is_pivot = at_cmp(l, TEN_EQ, place, pivot);
  ten_value *there = at_sum(l, at_sel(l, is_pivot, order, zero), 1, &last, true);
  values[0] = at_sel(l, at_cmp(l, TEN_EQ, place, k), there, at_sel(l, is_pivot, here, order));
}

/* A factorisation in PyTorch's form. */
static lu lu_given(at *l, ten_value *packed, ten_value *pivots) {
  int64_t dims[AT_DIMS];
  const uint32_t rank = at_rank(pivots);
  at_need_rank(l, pivots, 1);
  for (uint32_t i = 0; i < rank; i++) dims[i] = at_dim(l, pivots, i);
  dims[rank - 1] = at_mat_rows(l, packed);
  ten_value *values[2] = {at_iota(l, TEN_I64, rank, dims, rank - 1), at_cast(l, pivots, TEN_I64)};
  at_sweep s = {l, at_dim(l, pivots, rank - 1), order_step, 2};
  if (at_count(pivots)) at_sweep_run(&s, values);
  return (lu){packed, values[0], pivots};
}

/* Broadcasts the factors and b to the same batch. */
static lu lu_match(at *l, lu f, ten_value **b) {
  batch_match(l, &f.packed, b);
  f.order = at_expand(l, f.order, at_rank(*b) - 1, at_dims_first(l, f.packed, at_rank(*b) - 1));
  return f;
}

static ten_value *order_wide(at *l, const ten_value *b, ten_value *order) {
  return at_expand(l, at_unsqueeze(l, order, at_rank(order)), at_rank(b), at_dims(b));
}

/* Solves a x = b for the factored a. */
static ten_value *lu_solve(at *l, lu f, ten_value *b) {
  if (!at_count(b)) return b;
  ten_value *moved = at_gather(l, b, order_wide(l, b, f.order), R(b) - 2);
  ten_value *y = triangular(l, f.packed, moved, true, true, true, false);
  return triangular(l, f.packed, y, true, false, false, false);
}

/* Solves aᵀ x = b for the factored a. */
static ten_value *lu_solve_transposed(at *l, lu f, ten_value *b) {
  if (!at_count(b)) return b;
  ten_value *y = triangular(l, f.packed, b, true, false, false, true);
  y = triangular(l, f.packed, y, true, true, true, true);
  return at_scatter(l, TEN_OP_UNKNOWN, ten_build_like(&l->b, y, 0), order_wide(l, b, f.order), y, R(b) - 2);
}

/* +1 or -1: the parity of the row swaps. */
static ten_value *pivot_sign(at *l, lu f, ten_dtype dtype) {
  const int64_t last = R(f.pivots) - 1;
  ten_value *moved =
      at_cmp(l, TEN_NE, f.pivots, at_addn(l, at_iota(l, TEN_I32, at_rank(f.pivots), at_dims(f.pivots), last), 1));
  ten_value *odd =
      at_bin(l, TEN_OP_REMAINDER, at_sum(l, at_cast(l, moved, TEN_I32), 1, &last, false), at_const(l, TEN_I32, 2));
  return at_cast(l, at_addn(l, at_muln(l, odd, -2), 1), dtype);
}

ten_value *at_mat_diagonal(at *l, ten_value *x) {
  const int64_t last = R(x) - 1;
  return at_sum(l, at_sel(l, at_mat_mask(l, x, TEN_EQ), x, at_num(l, x, 0)), 1, &last, false);
}

/* LAPACK's info of each matrix: 0, or the 1-based index of the first element that is `bad` ([..., n] i1). */
static ten_value *info_of(at *l, ten_value *bad) {
  const int64_t last = R(bad) - 1, n = at_dim(l, bad, last);
  if (!n) return at_full(l, TEN_I32, at_rank(bad) - 1, at_dims_first(l, bad, at_rank(bad) - 1), 0);
  ten_value *number = at_addn(l, at_iota(l, TEN_I32, at_rank(bad), at_dims(bad), last), 1);
  number = at_sel(l, bad, number, at_const(l, TEN_I32, (double)n + 1));
  ten_value *first = at_reduce(l, TEN_OP_MINIMUM, number, 1, &last, false), *none = at_const(l, TEN_I32, 0);
  return at_sel(l, at_cmp(l, TEN_GT, first, at_const(l, TEN_I32, (double)n)), none, first);
}

/* A zero on the factor's diagonal: the matrix is singular. */
static ten_value *lu_info(at *l, ten_value *packed) {
  const int64_t least =
      at_mat_rows(l, packed) < at_mat_cols(l, packed) ? at_mat_rows(l, packed) : at_mat_cols(l, packed);
  packed = at_slice(l, at_slice(l, packed, R(packed) - 1, 0, least, 1), R(packed) - 2, 0, least, 1);
  ten_value *d = at_mat_diagonal(l, packed);
  return info_of(l, at_cmp(l, TEN_EQ, d, at_num(l, d, 0)));
}

static ten_value *cholesky_info(at *l, ten_value *factor) {
  ten_value *d = at_mat_diagonal(l, factor);
  if (at_is_complex(d)) d = ten_build_part(&l->b, TEN_OP_REAL, d);
  return info_of(l, at_not(l, at_cmp(l, TEN_GT, d, at_num(l, d, 0))));
}

/* PyTorch's error for a nonzero info; `name` is the op, with or without "_ex". */
static void assert_info(at *l, ten_value *info, ten_str name) {
  const char *exception = "LinAlgError", *text = "the diagonal element {} is zero: the input matrix is singular";
  if (ten_str_ends(name, "cholesky") || ten_str_ends(name, "cholesky_ex"))
    text = "the leading minor of order {} is not positive-definite";
  else if (ten_str_ends(name, "lu_factor") || ten_str_ends(name, "lu_factor_ex"))
    exception = "RuntimeError", text = "diagonal element {} of U is zero, and lu_solve would divide by it";
  at_assert_range(l, info, 0, 1, exception, "%s", text);
}

/* The info of each matrix; ops that raise check that it is 0. */
static ten_value *info_checked(at *l, ten_value *info) {
  const ten_str name = l->op->name;
  const char *dot = memrchr(name.data, '.', name.size); /* of "aten.name.overload", or of "aten.name" */
  const bool overload = dot && dot != memchr(name.data, '.', name.size);
  const ten_str base = {name.data, overload ? (size_t)(dot - name.data) : name.size};
  const bool silent = ten_str_ends(base, "_ex") || ten_str_ends(base, "_with_info");
  if (!silent || at_bool(l, "check_errors", false)) assert_info(l, info, base);
  return info;
}

/* Of nonempty matrices; out_info may be NULL. */
static ten_value *inverse(at *l, ten_value *x, ten_value **out_info) {
  const lu f = lu_of(l, x);
  ten_value *info = info_checked(l, lu_info(l, f.packed));
  if (out_info) *out_info = info;
  return lu_solve(l, f, identity_like(l, x));
}

/* ---- lowerings ---- */
static void lower_cholesky(at *l) {
  ten_value *x = at_t(l, "self");
  at_mat_check(l, x, true);
  ten_value *y;
  if (at_bool(l, "upper", false))
    y = at_mat_t(l, cholesky(l, at_mat_t(l, x)));
  else
    y = cholesky(l, x);
  at_ret(l, 0, y);
  at_ret(l, 1, info_checked(l, cholesky_info(l, y)));
}

static void lower_solve_triangular(at *l) {
  const bool named = at_has(l, "B");
  ten_value *a = at_t(l, named ? "self" : "A"), *b = at_t(l, named ? "B" : "self");
  const bool upper = at_bool(l, "upper", true), left = at_bool(l, "left", true),
             unit = at_bool(l, "unitriangular", false), transpose = at_bool(l, "transpose", false);
  batch_match(l, &a, &b);
  at_ret(l, 0, triangular(l, a, b, left, !upper, unit, transpose));
  if (!named) at_ret(l, 1, a);
}

static void lower_cholesky_solve(at *l) {
  ten_value *b = at_t(l, "self"), *a = at_t(l, "input2");
  const bool upper = at_bool(l, "upper", false);
  batch_match(l, &a, &b);
  ten_value *y = triangular(l, a, b, true, !upper, false, upper);
  at_ret(l, 0, triangular(l, a, y, true, !upper, false, !upper));
}

static void lower_cholesky_inverse(at *l) {
  ten_value *a = at_t(l, "self"), *b = identity_like(l, a);
  const bool upper = at_bool(l, "upper", false);
  ten_value *y = triangular(l, a, b, true, !upper, false, upper);
  at_ret(l, 0, triangular(l, a, y, true, !upper, false, !upper));
}

static void lower_inv(at *l) {
  ten_value *x = at_t(l, at_has(l, "A") ? "A" : "self");
  at_mat_check(l, x, true);
  ten_value *info = at_count(x) ? NULL : zeros_i32(l, x);
  at_ret(l, 0, at_count(x) ? inverse(l, x, &info) : x);
  at_ret(l, 1, info);
}

/* Results: the solution, the packed factors, the pivots, info. */
static void lower_solve(at *l) {
  ten_value *a = at_t(l, "A"), *b = at_t(l, "B");
  const bool vector = at_rank(b) == 1 || (at_rank(b) == at_rank(a) - 1 &&
                                          at_dim(l, b, R(b) - 1) == at_dim(l, a, R(a) - 1) && at_rank(a) > 2);
  const bool left = at_bool(l, "left", true);
  at_mat_check(l, a, true);
  const lu f = lu_of(l, a);
  if (vector) b = at_unsqueeze(l, b, at_rank(b));
  if (!left) b = at_mat_t(l, b);
  const lu wide = lu_match(l, f, &b);
  ten_value *x = left ? lu_solve(l, wide, b) : lu_solve_transposed(l, wide, b);
  if (!left) x = at_mat_t(l, x);
  at_ret(l, 0, vector ? at_squeeze(l, x, R(x) - 1) : x);
  at_ret(l, 1, f.packed);
  at_ret(l, 2, f.pivots);
  ten_value *info = info_checked(l, lu_info(l, f.packed));
  at_ret(l, l->result_count == 2 ? 1 : 3, info); /* solve_ex has two results, the inner _solve_ex four */
}

/* Reshapes to a matrix: the first `count` dimensions form its rows. */
static ten_value *as_matrix(at *l, ten_value *x, size_t count) {
  int64_t dims[2] = {1, 1};
  for (uint32_t i = 0; i < at_rank(x); i++) dims[i >= count] *= at_dim(l, x, i);
  at_check(l, dims[0] == dims[1], "%lld rows of %lld numbers", (long long)dims[0], (long long)dims[1]);
  return at_reshape(l, x, 2, dims);
}

static void lower_tensorsolve(at *l) {
  ten_value *a = at_t(l, "self"), *b = at_t(l, "other");
  const ten_ints moved = at_ints(l, "dims"); /* to the end */
  int64_t order[AT_DIMS];
  uint32_t count = 0;
  for (uint32_t i = 0; i < at_rank(a); i++) {
    bool last = false;
    for (size_t k = 0; k < moved.count; k++) last |= at_wrap(l, moved.data[k], at_rank(a)) == i;
    if (!last) order[count++] = i;
  }
  for (size_t k = 0; k < moved.count && count < at_rank(a); k++) order[count++] = at_wrap(l, moved.data[k], at_rank(a));
  at_check(l, count == at_rank(a) && at_rank(b) <= at_rank(a), "dimensions that do not fit");
  a = at_permute(l, a, order);
  const lu f = lu_of(l, as_matrix(l, a, at_rank(b)));
  info_checked(l, lu_info(l, f.packed));
  ten_value *x = lu_solve(l, f, at_reshape(l, b, 2, (const int64_t[]){at_count(b), 1}));
  at_ret(l, 0, at_reshape(l, x, at_rank(a) - at_rank(b), at_rank(a) ? at_dims(a) + at_rank(b) : NULL));
}

static void lower_tensorinv(at *l) {
  ten_value *x = at_t(l, "self");
  const int64_t first = at_int(l, "ind", 2), rank = at_rank(x);
  at_check(l, first > 0 && first <= rank, "ind of %lld", (long long)first);
  int64_t dims[AT_DIMS];
  for (int64_t i = 0; i < rank; i++) dims[i] = at_dim(l, x, (i + first) % rank);
  at_ret(l, 0, at_reshape(l, inverse(l, as_matrix(l, x, (size_t)first), NULL), (uint32_t)rank, dims));
}

static ten_value *conjugate(at *l, ten_value *x) {
  if (!at_is_complex(x)) return x;
  return ten_build_complex(&l->b, ten_build_part(&l->b, TEN_OP_REAL, x),
                           at_neg(l, ten_build_part(&l->b, TEN_OP_IMAG, x)));
}

/* a x = b, x a = b, or the same with a's adjoint. */
static void lower_lu_solve(at *l) {
  ten_value *b = at_t(l, at_has(l, "B") ? "B" : "self");
  ten_value *packed = at_t(l, at_has(l, "LU") ? "LU" : "LU_data");
  const bool left = at_bool(l, "left", true), adjoint = at_bool(l, "adjoint", false);
  if (!left) b = at_mat_t(l, b);
  if (adjoint) b = conjugate(l, b);
  const lu f = lu_match(l, lu_given(l, packed, at_t(l, at_has(l, "pivots") ? "pivots" : "LU_pivots")), &b);
  ten_value *x = left == adjoint ? lu_solve_transposed(l, f, b) : lu_solve(l, f, b);
  if (adjoint) x = conjugate(l, x);
  at_ret(l, 0, left ? x : at_mat_t(l, x));
}

/* The three factors of a = P L U. */
static void ret_factors(at *l, lu f, bool data, bool pivots) {
  ten_value *x = f.packed;
  const int64_t m = at_mat_rows(l, x), n = at_mat_cols(l, x), least = m < n ? m : n, none = 0;
  ten_value *empty = at_full(l, at_type(x), 1, &none, 0), *low = empty, *high = empty, *exchange = empty;
  if (data) {
    low = at_mat_tril(l, at_slice(l, x, R(x) - 1, 0, least, 1));
    low = at_sel(l, at_mat_mask(l, low, TEN_EQ), at_num(l, low, 1), low);
    high = at_mat_triu(l, at_slice(l, x, R(x) - 2, 0, least, 1));
  }
  if (pivots) { /* column i of P is 1 in row order[i] */
    ten_value *like = at_mat_eye(l, x, m, m);
    ten_value *row = at_iota(l, TEN_I64, at_rank(like), at_dims(like), R(x) - 2);
    exchange = at_cast(l, at_cmp(l, TEN_EQ, row, at_unsqueeze(l, f.order, R(x) - 2)), at_type(x));
  }
  at_ret(l, 0, exchange);
  at_ret(l, 1, low);
  at_ret(l, 2, high);
}

static void lower_lu_unpack(at *l) {
  ten_value *packed = at_t(l, "LU_data");
  ret_factors(l, lu_given(l, packed, at_t(l, "LU_pivots")), at_bool(l, "unpack_data", true),
              at_bool(l, "unpack_pivots", true));
}

static void lower_lu(at *l) {
  if (!at_bool(l, "pivot", true)) at_fail(l, TEN_UNSUPPORTED, "factorisation without pivoting is not supported");
  ret_factors(l, lu_of(l, at_t(l, "A")), true, true);
}

static void lower_lu_factor(at *l) {
  if (!at_bool(l, "pivot", true)) at_fail(l, TEN_UNSUPPORTED, "factorisation without pivoting is not supported");
  const lu f = lu_of(l, at_t(l, at_has(l, "A") ? "A" : "self"));
  at_ret(l, 0, f.packed);
  at_ret(l, 1, f.pivots);
  at_ret(l, 2, info_checked(l, lu_info(l, f.packed)));
}

/* code 0: determinant, 1: sign and logarithm; then the factors. Like PyTorch's they are of the transposed matrix for a
 * row-major one: its gradient relies on it. */
static void lower_det(at *l) {
  ten_value *x = at_t(l, at_has(l, "A") ? "A" : "self");
  at_mat_check(l, x, true);
  const bool flip = !at_is_complex(x) && !ten_op_attr(l->op, "aten.transposed");
  const lu f = lu_of(l, flip ? at_mat_t(l, x) : x);
  ten_value *d = at_mat_diagonal(l, f.packed), *sign = pivot_sign(l, f, at_type(x));
  const int64_t last = R(d) - 1;
  if (l->row->code == 2) { /* logdet: NaN where the determinant is negative */
    at_ret(l, 0, at_log(l, at_mul(l, at_reduce(l, TEN_OP_MULTIPLY, d, 1, &last, false), sign)));
    return;
  }
  const uint32_t factors = l->row->code ? 2 : 1;
  if (l->result_count > factors) {
    at_ret(l, factors, f.packed);
    at_ret(l, factors + 1, f.pivots);
  }
  if (!l->row->code) {
    at_ret(l, 0, at_mul(l, at_reduce(l, TEN_OP_MULTIPLY, d, 1, &last, false), sign));
    return;
  }
  if (at_is_complex(x)) at_fail(l, TEN_UNSUPPORTED, "complex elements are not supported");
  at_ret(l, 0, at_mul(l, at_reduce(l, TEN_OP_MULTIPLY, at_un(l, TEN_OP_SIGN, d), 1, &last, false), sign));
  at_ret(l, 1, at_sum(l, at_log(l, at_un(l, TEN_OP_ABS, d)), 1, &last, false));
}

static void lower_matrix_power(at *l) {
  ten_value *x = at_t(l, "self");
  int64_t n = at_int(l, "n", 1);
  at_mat_check(l, x, true);
  if (n < 0) x = at_count(x) ? inverse(l, x, NULL) : x, n = -n;
  ten_value *result = NULL;
  for (ten_value *square = x; n; n >>= 1) {
    if (n & 1) result = result ? at_matmul(l, result, square) : square;
    if (n > 1) square = at_matmul(l, square, square);
  }
  at_ret(l, 0, result ? result : identity_like(l, x));
}

static void lower_multi_dot(at *l) {
  ten_value **xs;
  const size_t count = at_ts(l, "tensors", &xs);
  at_check(l, count > 0, "nothing to multiply");
  ten_value *y = xs[0];
  for (size_t i = 1; i < count; i++) y = at_matmul(l, y, xs[i]);
  at_ret(l, 0, y);
}

/* Scaling and squaring of a Taylor series. */
static void lower_matrix_exp(at *l) {
  ten_value *x = at_t(l, "self");
  at_mat_check(l, x, true);
  enum { SQUARES = 8, TERMS = 14 };
  const ten_dtype dtype = at_type(x);
  if (!at_is_complex(x)) x = at_cast(l, x, TEN_F64); /* squaring eight times loses precision */
  ten_value *small = at_muln(l, x, 1.0 / (1 << SQUARES)), *term = identity_like(l, x), *sum = term;
  for (int i = 1; i <= TERMS; i++) {
    term = at_muln(l, at_matmul(l, term, small), 1.0 / i);
    sum = at_add(l, sum, term);
  }
  for (int i = 0; i < SQUARES; i++) sum = at_matmul(l, sum, sum);
  at_ret(l, 0, at_cast(l, sum, dtype));
}

static void lower_check_errors(at *l) { assert_info(l, at_t(l, "info"), at_string(l, "api_name")); }

const at_row at_rows_linalg[] = {{"_linalg_check_errors", lower_check_errors},
                                 {"cholesky", lower_cholesky},
                                 {"linalg_cholesky_ex", lower_cholesky},
                                 {"linalg_cholesky", lower_cholesky},
                                 {"linalg_solve_triangular", lower_solve_triangular},
                                 {"triangular_solve", lower_solve_triangular},
                                 {"cholesky_solve", lower_cholesky_solve},
                                 {"cholesky_inverse", lower_cholesky_inverse},
                                 {"linalg_inv_ex", lower_inv},
                                 {"linalg_inv", lower_inv},
                                 {"inverse", lower_inv},
                                 {"_linalg_solve_ex", lower_solve},
                                 {"linalg_solve", lower_solve},
                                 {"linalg_tensorsolve", lower_tensorsolve},
                                 {"linalg_tensorinv", lower_tensorinv},
                                 {"linalg_solve_ex", lower_solve},
                                 {"linalg_lu_factor_ex", lower_lu_factor},
                                 {"linalg_lu_factor", lower_lu_factor},
                                 {"_lu_with_info", lower_lu_factor},
                                 {"linalg_lu_solve", lower_lu_solve},
                                 {"lu_solve", lower_lu_solve},
                                 {"lu_unpack", lower_lu_unpack},
                                 {"linalg_lu", lower_lu},
                                 {"_linalg_det", lower_det},
                                 {"linalg_det", lower_det},
                                 {"det", lower_det},
                                 {"_linalg_slogdet", lower_det, .code = 1},
                                 {"linalg_slogdet", lower_det, .code = 1},
                                 {"slogdet", lower_det, .code = 1},
                                 {"logdet", lower_det, .code = 2},
                                 {"matrix_exp", lower_matrix_exp},
                                 {"matrix_power", lower_matrix_power},
                                 {"linalg_matrix_power", lower_matrix_power},
                                 {"linalg_multi_dot", lower_multi_dot},
                                 {"linalg_matrix_exp", lower_matrix_exp},
                                 {NULL}};
