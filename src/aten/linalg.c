/* linalg.c: factorisations and what is built on them. Cholesky and triangular systems are StableHLO's own; LU with row
 * exchanges and Householder QR are loops over columns, the same for every matrix of a batch. */
#include "aten/lower.h"

#define R(x) ((int64_t)at_rank(x))

static ten_value *transposed(at *l, ten_value *x) { return at_swap(l, x, R(x) - 2, R(x) - 1); }

static void matrix_check(at *l, const ten_value *x, bool square) {
  at_check(l, at_rank(x) >= 2, "a matrix is needed");
  at_check(l, !square || at_dim(x, R(x) - 2) == at_dim(x, R(x) - 1), "a square matrix is needed");
}

/* 1 where row - col = k, in the last two dimensions of `like`. */
static ten_value *diagonal_mask(at *l, const ten_value *like, ten_compare direction) {
  return at_cmp(l, direction, at_iota(l, TEN_I64, at_rank(like), at_dims(like), R(like) - 2),
                at_iota(l, TEN_I64, at_rank(like), at_dims(like), R(like) - 1));
}

static ten_value *identity_like(at *l, const ten_value *x) {
  return at_cast(l, diagonal_mask(l, x, TEN_EQ), at_type(x));
}
static ten_value *lower_of(at *l, ten_value *x) { return at_sel(l, diagonal_mask(l, x, TEN_GE), x, at_num(l, x, 0)); }
static ten_value *upper_of(at *l, ten_value *x) { return at_sel(l, diagonal_mask(l, x, TEN_LE), x, at_num(l, x, 0)); }

static ten_value *zeros_i32(at *l, const ten_value *x) { return at_full(l, TEN_I32, at_rank(x) - 2, at_dims(x), 0); }

static ten_value *cholesky(at *l, ten_value *x) {
  const ten_named_attr attr = {.name = TEN_STR("lower"), .value = ten_attr_bool(l->b.module, true), .inherent = true};
  ten_value *y = ten_op_result(ten_build_op(&l->b, TEN_OP_CHOLESKY, 1, &x, 1, &x->type, 1, &attr, 0), 0);
  return lower_of(l, y);
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
  ten_value *operands[2] = {a, b};
  return ten_op_result(ten_build_op(&l->b, TEN_OP_TRIANGULAR_SOLVE, 2, operands, 1, &b->type, 4, attrs, 0), 0);
}

/* Batches of a and b made equal. */
static void batch_match(at *l, ten_value **a, ten_value **b) {
  const uint32_t ra = at_rank(*a), rb = at_rank(*b), rank = ra > rb ? ra : rb;
  int64_t da[AT_MAX_RANK], db[AT_MAX_RANK];
  for (uint32_t i = 0; i < rank; i++) {
    const int64_t x = i + ra >= rank ? at_dim(*a, i + ra - rank) : 1,
                  y = i + rb >= rank ? at_dim(*b, i + rb - rank) : 1;
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
typedef struct sweep {
  at *l;
  int64_t count;
  void (*step)(struct sweep *s, ten_value *k, ten_value **values);
  uint32_t value_count;
} sweep;

static void sweep_cond(ten_builder *b, ten_value *const *args, void *context) {
  const sweep *s = context;
  ten_value *more = ten_build_compare(b, TEN_LT, args[0], ten_build_scalar_int(b, TEN_I64, s->count));
  ten_build_return(b, 1, &more);
}

static void sweep_body(ten_builder *b, ten_value *const *args, void *context) {
  sweep *s = context;
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

static void sweep_run(sweep *s, ten_value **values) {
  at *l = s->l;
  ten_value *inits[8];
  inits[0] = ten_build_scalar_int(&l->b, TEN_I64, 0);
  for (uint32_t i = 0; i < s->value_count; i++) inits[i + 1] = values[i];
  ten_op *loop = ten_build_while(&l->b, s->value_count + 1, inits, sweep_cond, sweep_body, s);
  for (uint32_t i = 0; i < s->value_count; i++) values[i] = ten_op_result(loop, i + 1);
}

/* Column (dim last) or row (dim last but one) k, kept as a dimension of 1. */
static ten_value *pick(at *l, ten_value *x, ten_value *k, int64_t dim) {
  ten_value *on = at_cmp(l, TEN_EQ, at_iota(l, TEN_I64, at_rank(x), at_dims(x), dim), k);
  return at_sum(l, at_sel(l, on, x, at_num(l, x, 0)), 1, &dim, true);
}

/* Gaussian elimination with the largest pivot: values are the matrix and the order of its rows (i64 [..., m, 1]). */
static void lu_step(sweep *s, ten_value *k, ten_value **values) {
  at *l = s->l;
  ten_value *a = values[0], *order = values[1];
  const int64_t row = R(a) - 2, col = R(a) - 1;
  ten_value *rows = at_iota(l, TEN_I64, at_rank(a), at_dims(a), row),
            *thin_rows = at_iota(l, TEN_I64, at_rank(order), at_dims(order), row);
  ten_value *column = pick(l, a, k, col); /* [..., m, 1] */
  ten_value *size = at_sel(l, at_cmp(l, TEN_GE, thin_rows, k), at_un(l, TEN_OP_ABS, column), at_num(l, a, -1));
  ten_value *pivot = at_unsqueeze(l, at_arg_extreme(l, size, row, true, NULL), row); /* [..., 1, 1] */
  /* Rows k and pivot change places. */
  ten_value *row_k = pick(l, a, k, row),
            *row_p = at_sum(l, at_sel(l, at_cmp(l, TEN_EQ, rows, pivot), a, at_num(l, a, 0)), 1, &row, true);
  a = at_sel(l, at_cmp(l, TEN_EQ, rows, k), row_p, at_sel(l, at_cmp(l, TEN_EQ, rows, pivot), row_k, a));
  ten_value *at_k = pick(l, order, k, row),
            *at_p =
                at_sum(l, at_sel(l, at_cmp(l, TEN_EQ, thin_rows, pivot), order, at_num(l, order, 0)), 1, &row, true);
  values[1] =
      at_sel(l, at_cmp(l, TEN_EQ, thin_rows, k), at_p, at_sel(l, at_cmp(l, TEN_EQ, thin_rows, pivot), at_k, order));
  if (s->value_count > 2) {
    ten_value *spots = at_iota(l, TEN_I64, at_rank(values[2]), at_dims(values[2]), row);
    values[2] = at_sel(l, at_cmp(l, TEN_EQ, spots, k), at_addn(l, pivot, 1), values[2]);
  }
  ten_value *head = pick(l, row_p, k, col), *zero = at_num(l, a, 0);
  ten_value *safe = at_sel(l, at_cmp(l, TEN_EQ, head, zero), at_num(l, a, 1), head);
  ten_value *factor =
      at_sel(l, at_cmp(l, TEN_GT, thin_rows, k), at_div(l, pick(l, a, k, col), safe), zero); /* [..., m, 1] */
  ten_value *cols = at_iota(l, TEN_I64, at_rank(a), at_dims(a), col);
  ten_value *update =
      at_mul(l, factor,
             at_sel(l, at_cmp(l, TEN_GT, at_iota(l, TEN_I64, at_rank(row_p), at_dims(row_p), col), k), row_p, zero));
  a = at_sub(l, a, update);
  values[0] = at_sel(l, at_and(l, at_cmp(l, TEN_EQ, cols, k), at_cmp(l, TEN_GT, rows, k)), factor, a);
}

typedef struct lu {
  ten_value *packed, *order, *pivots; /* order: [..., m] i64; pivots: [..., min] i32, from 1 */
} lu;

static lu lu_of(at *l, ten_value *x) {
  const int64_t m = at_dim(x, R(x) - 2), n = at_dim(x, R(x) - 1), least = m < n ? m : n;
  int64_t dims[AT_MAX_RANK];
  for (uint32_t i = 0; i < at_rank(x); i++) dims[i] = at_dim(x, i);
  dims[R(x) - 1] = 1;
  ten_value *values[3] = {x, at_iota(l, TEN_I64, at_rank(x), dims, R(x) - 2), NULL};
  dims[R(x) - 2] = least;
  values[2] = at_full(l, TEN_I64, at_rank(x), dims, 0);
  sweep s = {l, least, lu_step, 3};
  sweep_run(&s, values);
  return (lu){values[0], at_squeeze(l, values[1], R(x) - 1), at_cast(l, at_squeeze(l, values[2], R(x) - 1), TEN_I32)};
}

/* Rows of b in the order the factorisation left them. */
static ten_value *rows_in_order(at *l, ten_value *b, ten_value *order) {
  ten_value *wide = at_expand(l, at_unsqueeze(l, order, at_rank(order)), at_rank(b), at_dims(b));
  return at_gather(l, b, wide, R(b) - 2);
}

static ten_value *lu_solve(at *l, lu f, ten_value *b) {
  ten_value *y = triangular(l, f.packed, rows_in_order(l, b, f.order), true, true, true, false);
  return triangular(l, f.packed, y, true, false, false, false);
}

static ten_value *inverse(at *l, ten_value *x) { return lu_solve(l, lu_of(l, x), identity_like(l, x)); }

/* +1 or -1: how many exchanges the pivots made. */
static ten_value *pivot_sign(at *l, lu f, ten_dtype dtype) {
  const int64_t last = R(f.pivots) - 1;
  ten_value *moved =
      at_cmp(l, TEN_NE, f.pivots, at_addn(l, at_iota(l, TEN_I32, at_rank(f.pivots), at_dims(f.pivots), last), 1));
  ten_value *odd =
      at_bin(l, TEN_OP_REMAINDER, at_sum(l, at_cast(l, moved, TEN_I32), 1, &last, false), at_const(l, TEN_I32, 2));
  return at_cast(l, at_addn(l, at_muln(l, odd, -2), 1), dtype);
}

static ten_value *diagonal(at *l, ten_value *x) {
  const int64_t last = R(x) - 1;
  return at_sum(l, at_sel(l, diagonal_mask(l, x, TEN_EQ), x, at_num(l, x, 0)), 1, &last, false);
}

/* ---- lowerings ---- */
static void lower_cholesky(at *l) {
  ten_value *x = at_t(l, "self");
  matrix_check(l, x, true);
  ten_value *y;
  if (at_bool(l, "upper", false))
    y = transposed(l, cholesky(l, transposed(l, x)));
  else
    y = cholesky(l, x);
  at_ret(l, 0, y);
  at_ret(l, 1, zeros_i32(l, x));
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
  matrix_check(l, x, true);
  at_ret(l, 0, at_count(x) ? inverse(l, x) : x);
  at_ret(l, 1, zeros_i32(l, x));
}

/* Results: the solution, the packed factors, the pivots, a zero. */
static void lower_solve(at *l) {
  ten_value *a = at_t(l, "A"), *b = at_t(l, "B");
  const bool vector =
      at_rank(b) == 1 || (at_rank(b) == at_rank(a) - 1 && at_dim(b, R(b) - 1) == at_dim(a, R(a) - 1) && at_rank(a) > 2);
  const bool left = at_bool(l, "left", true);
  matrix_check(l, a, true);
  const lu f = lu_of(l, left ? a : transposed(l, a));
  if (vector) b = at_unsqueeze(l, b, at_rank(b));
  if (!left) b = transposed(l, b);
  ten_value *packed = f.packed, *x;
  lu wide = f;
  batch_match(l, &packed, &b);
  wide.packed = packed;
  if (at_rank(f.order) + 1 < at_rank(b) || at_count(packed) != at_count(f.packed))
    wide.order = at_expand(l, f.order, at_rank(b) - 1, at_dims(packed));
  x = lu_solve(l, wide, b);
  if (!left) x = transposed(l, x);
  at_ret(l, 0, vector ? at_squeeze(l, x, R(x) - 1) : x);
  at_ret(l, 1, f.packed);
  at_ret(l, 2, f.pivots);
  at_ret(l, 3, zeros_i32(l, a));
}

static void lower_lu_factor(at *l) {
  const lu f = lu_of(l, at_t(l, "A"));
  at_ret(l, 0, f.packed);
  at_ret(l, 1, f.pivots);
  at_ret(l, 2, zeros_i32(l, f.packed));
}

/* code 0: determinant (and factors), 1: sign and logarithm */
static void lower_det(at *l) {
  ten_value *x = at_t(l, "A");
  matrix_check(l, x, true);
  if (at_dim(x, R(x) - 1) == 0) { /* of nothing: 1, and its logarithm 0 */
    at_ret(l, 0, at_full(l, at_type(x), at_rank(x) - 2, at_dims(x), 1));
    at_ret(l, 1, l->row->code ? at_full(l, at_type(x), at_rank(x) - 2, at_dims(x), 0) : x);
    return;
  }
  const lu f = lu_of(l, x);
  ten_value *d = diagonal(l, f.packed), *sign = pivot_sign(l, f, at_type(x));
  const int64_t last = R(d) - 1;
  if (!l->row->code) {
    at_ret(l, 0, at_mul(l, at_reduce(l, TEN_OP_MULTIPLY, d, 1, &last, false), sign));
    at_ret(l, 1, f.packed);
    at_ret(l, 2, f.pivots);
    return;
  }
  at_ret(l, 0, at_mul(l, at_reduce(l, TEN_OP_MULTIPLY, at_un(l, TEN_OP_SIGN, d), 1, &last, false), sign));
  at_ret(l, 1, at_sum(l, at_log(l, at_un(l, TEN_OP_ABS, d)), 1, &last, false));
  at_ret(l, 2, f.packed);
  at_ret(l, 3, f.pivots);
}

/* Householder: values are R so far [..., m, n] and Q so far [..., m, m]. */
static void qr_step(sweep *s, ten_value *k, ten_value **values) {
  at *l = s->l;
  ten_value *r = values[0], *q = values[1];
  const int64_t row = R(r) - 2, col = R(r) - 1;
  ten_value *column = pick(l, r, k, col), *zero = at_num(l, r, 0);
  ten_value *rows = at_iota(l, TEN_I64, at_rank(column), at_dims(column), row);
  ten_value *tail = at_sel(l, at_cmp(l, TEN_GE, rows, k), column, zero);
  ten_value *head = at_sum(l, at_sel(l, at_cmp(l, TEN_EQ, rows, k), column, zero), 1, &row, true);
  ten_value *norm = at_sqrt(l, at_sum(l, at_mul(l, tail, tail), 1, &row, true));
  ten_value *sign = at_sel(l, at_cmp(l, TEN_LT, head, zero), at_num(l, r, -1), at_num(l, r, 1));
  ten_value *v = at_sel(l, at_cmp(l, TEN_EQ, rows, k), at_add(l, tail, at_mul(l, sign, norm)), tail);
  ten_value *square = at_sum(l, at_mul(l, v, v), 1, &row, true);
  ten_value *beta = at_sel(l, at_cmp(l, TEN_EQ, square, zero), zero, at_div(l, at_num(l, r, 2), square));
  ten_value *vt = transposed(l, v);
  values[0] = at_sub(l, r, at_mul(l, at_mul(l, beta, v), at_matmul(l, vt, r)));
  values[1] = at_sub(l, q, at_mul(l, at_matmul(l, q, v), at_mul(l, beta, vt)));
}

static void lower_qr(at *l) {
  ten_value *x = at_t(l, "A");
  matrix_check(l, x, false);
  const ten_str mode = at_string(l, "mode");
  const int64_t m = at_dim(x, R(x) - 2), n = at_dim(x, R(x) - 1), least = m < n ? m : n;
  int64_t dims[AT_MAX_RANK];
  for (uint32_t i = 0; i < at_rank(x); i++) dims[i] = at_dim(x, i);
  dims[R(x) - 1] = m;
  ten_value *values[2] = {x, identity_like(l, at_full(l, at_type(x), at_rank(x), dims, 0))};
  sweep s = {l, m > n ? n : m - 1, qr_step, 2};
  if (s.count > 0) sweep_run(&s, values);
  ten_value *r = upper_of(l, values[0]), *q = values[1];
  if (!ten_str_is(mode, "complete"))
    q = at_slice(l, q, R(q) - 1, 0, least, 1), r = at_slice(l, r, R(r) - 2, 0, least, 1);
  if (ten_str_is(mode, "r")) q = at_full(l, at_type(x), 1, (const int64_t[]){0}, 0);
  at_ret(l, 0, q);
  at_ret(l, 1, r);
}

static void lower_matrix_power(at *l) {
  ten_value *x = at_t(l, "self");
  int64_t n = at_int(l, "n", 1);
  matrix_check(l, x, true);
  if (n < 0) x = inverse(l, x), n = -n;
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

/* Scaling and squaring around a Taylor series. */
static void lower_matrix_exp(at *l) {
  ten_value *x = at_t(l, "self");
  matrix_check(l, x, true);
  enum { SQUARES = 8, TERMS = 14 };
  ten_value *small = at_muln(l, x, 1.0 / (1 << SQUARES)), *term = identity_like(l, x), *sum = term;
  for (int i = 1; i <= TERMS; i++) {
    term = at_muln(l, at_matmul(l, term, small), 1.0 / i);
    sum = at_add(l, sum, term);
  }
  for (int i = 0; i < SQUARES; i++) sum = at_matmul(l, sum, sum);
  at_ret(l, 0, sum);
}

/* A matrix that has no inverse shows in the numbers, not as an exception. */
static void lower_check_errors(at *l) { (void)l; }

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
                                 {"linalg_solve_ex", lower_solve},
                                 {"linalg_lu_factor_ex", lower_lu_factor},
                                 {"linalg_lu_factor", lower_lu_factor},
                                 {"_linalg_det", lower_det},
                                 {"linalg_det", lower_det},
                                 {"det", lower_det},
                                 {"_linalg_slogdet", lower_det, .code = 1},
                                 {"linalg_slogdet", lower_det, .code = 1},
                                 {"linalg_qr", lower_qr},
                                 {"matrix_power", lower_matrix_power},
                                 {"linalg_matrix_power", lower_matrix_power},
                                 {"linalg_multi_dot", lower_multi_dot},
                                 {"linalg_matrix_exp", lower_matrix_exp},
                                 {NULL}};
