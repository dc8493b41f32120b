/* linalg_qr.c: Householder reflections H = 1 - τvvᵀ, stored and applied as in LAPACK: v below the diagonal, its first
 * element 1 not stored, R on and above the diagonal. */
#include "front/aten/linalg.h"

#define R(x) ((int64_t)at_rank(x))

static ten_value *column_sum(at *l, ten_value *x) {
  const int64_t row = R(x) - 2;
  return at_sum(l, x, 1, &row, true);
}

/* Column k of the packed form as a vector [..., m, 1]: 0, 1, then the stored elements. */
static ten_value *reflector(at *l, ten_value *packed, ten_value *k) {
  ten_value *column = at_mat_pick(l, packed, k, R(packed) - 1);
  ten_value *rows = at_iota(l, TEN_I64, at_rank(column), at_dims(column), R(column) - 2);
  ten_value *v = at_sel(l, at_cmp(l, TEN_GT, rows, k), column, at_num(l, column, 0));
  return at_sel(l, at_cmp(l, TEN_EQ, rows, k), at_num(l, v, 1), v);
}

/* x - τ v (vᵀ x) */
static ten_value *reflect(at *l, ten_value *x, ten_value *v, ten_value *tau) {
  return at_sub(l, x, at_mul(l, at_mul(l, tau, v), at_matmul(l, at_mat_t(l, v), x)));
}

/* Values: the matrix, packed so far, and τ [..., 1, min]. */
static void factor_step(at_sweep *s, ten_value *k, ten_value **values) {
  at *l = s->l;
  ten_value *a = values[0], *taus = values[1], *zero = at_num(l, a, 0), *one = at_num(l, a, 1);
  const int64_t row = R(a) - 2, col = R(a) - 1;
  ten_value *column = at_mat_pick(l, a, k, col), *rows = at_iota(l, TEN_I64, at_rank(column), at_dims(column), row);
  ten_value *on = at_cmp(l, TEN_EQ, rows, k), *below = at_cmp(l, TEN_GT, rows, k);
  ten_value *head = column_sum(l, at_sel(l, on, column, zero)), *tail = at_sel(l, below, column, zero);
  ten_value *rest = column_sum(l, at_mul(l, tail, tail)), *none = at_cmp(l, TEN_EQ, rest, zero);
  ten_value *norm = at_sqrt(l, at_add(l, at_mul(l, head, head), rest));
  ten_value *beta = at_sel(l, at_cmp(l, TEN_LT, head, zero), norm, at_neg(l, norm));
  ten_value *tau = at_sel(l, none, zero, at_div(l, at_sub(l, beta, head), at_sel(l, none, one, beta)));
  ten_value *v = at_div(l, tail, at_sel(l, none, one, at_sub(l, head, beta)));
  v = at_sel(l, on, one, v);
  ten_value *cols = at_iota(l, TEN_I64, at_rank(a), at_dims(a), col);
  ten_value *packed = at_sel(l, on, at_sel(l, none, head, beta), at_sel(l, below, v, column));
  ten_value *done = at_sel(l, at_cmp(l, TEN_GT, cols, k), reflect(l, a, v, tau), a);
  values[0] = at_sel(l, at_cmp(l, TEN_EQ, cols, k), packed, done);
  ten_value *spots = at_iota(l, TEN_I64, at_rank(taus), at_dims(taus), col);
  values[1] = at_sel(l, at_cmp(l, TEN_EQ, spots, k), tau, taus);
}

static void factor(at *l, ten_value *x, ten_value **packed, ten_value **taus) {
  at_need_rank(l, x, 2);
  const int64_t m = at_mat_rows(l, x), n = at_mat_cols(l, x), least = m < n ? m : n;
  int64_t dims[AT_DIMS];
  for (uint32_t i = 0; i < at_rank(x); i++) dims[i] = at_dim(l, x, i);
  dims[R(x) - 2] = 1, dims[R(x) - 1] = least;
  ten_value *values[2] = {x, at_full(l, at_type(x), at_rank(x), dims, 0)};
  at_sweep s = {l, least, factor_step, 2};
  if (at_count(x)) at_sweep_run(&s, values);
  *packed = values[0], *taus = values[1];
}

/* Values: the product so far, packed, τ, a direction: +1 first reflection first, -1 last first. */
static void apply_step(at_sweep *s, ten_value *step, ten_value **values) {
  at *l = s->l;
  ten_value *packed = values[1], *taus = values[2];
  ten_value *last = at_int_num(l, step, s->count - 1), *back = at_cmp(l, TEN_LT, values[3], at_num(l, step, 0));
  ten_value *k = at_sel(l, back, at_sub(l, last, step), step);
  values[0] = reflect(l, values[0], reflector(l, packed, k), at_mat_pick(l, taus, k, R(taus) - 1));
}

/* Q x, or Qᵀ x. */
static ten_value *apply(at *l, ten_value *packed, ten_value *taus, ten_value *x, bool transpose) {
  ten_value *values[4] = {x, packed, taus, ten_build_scalar_int(&l->b, TEN_I64, transpose ? 1 : -1)};
  at_sweep s = {l, at_mat_cols(l, taus), apply_step, 4};
  if (s.count && at_count(x)) at_sweep_run(&s, values);
  return values[0];
}

ten_value *at_mat_qr(at *l, ten_value *x, ten_value **out_r) {
  ten_value *packed, *taus;
  factor(l, x, &packed, &taus);
  *out_r = packed;
  return apply(l, packed, taus, at_mat_eye(l, x, at_mat_rows(l, x), at_mat_rows(l, x)), false);
}

static void lower_qr(at *l) {
  ten_value *x = at_t(l, at_has(l, "A") ? "A" : "self"), *packed, *taus;
  at_mat_check(l, x, false);
  if (at_is_complex(x)) at_fail(l, TEN_UNSUPPORTED, "complex elements are not supported");
  const ten_str mode = at_string(l, "mode");
  const int64_t m = at_mat_rows(l, x), n = at_mat_cols(l, x), least = m < n ? m : n, none = 0;
  const int64_t wide = ten_str_is(mode, "complete") ? m : least;
  factor(l, x, &packed, &taus);
  ten_value *r = at_mat_triu(l, at_slice(l, packed, R(x) - 2, 0, wide, 1));
  ten_value *q = ten_str_is(mode, "r") ? at_full(l, at_type(x), 1, &none, 0)
                                       : apply(l, packed, taus, at_mat_eye(l, x, m, wide), false);
  at_ret(l, 0, q);
  at_ret(l, 1, r);
}

static void lower_geqrf(at *l) {
  ten_value *x = at_t(l, "self"), *packed, *taus;
  at_mat_check(l, x, false);
  if (at_is_complex(x)) at_fail(l, TEN_UNSUPPORTED, "complex elements are not supported");
  factor(l, x, &packed, &taus);
  at_ret(l, 0, packed);
  at_ret(l, 1, at_squeeze(l, taus, R(taus) - 2));
}

static void lower_householder_product(at *l) {
  ten_value *packed = at_t(l, at_has(l, "input") ? "input" : "self"),
            *taus = at_t(l, at_has(l, "tau") ? "tau" : "input2");
  at_mat_check(l, packed, false);
  if (at_is_complex(packed)) at_fail(l, TEN_UNSUPPORTED, "complex elements are not supported");
  ten_value *start = at_mat_eye(l, packed, at_mat_rows(l, packed), at_mat_cols(l, packed));
  at_ret(l, 0, apply(l, packed, at_unsqueeze(l, taus, at_rank(taus) - 1), start, false));
}

static void lower_ormqr(at *l) {
  ten_value *packed = at_t(l, "self"), *taus = at_t(l, "input2"), *x = at_t(l, "input3");
  if (at_is_complex(packed)) at_fail(l, TEN_UNSUPPORTED, "complex elements are not supported");
  const bool left = at_bool(l, "left", true), transpose = at_bool(l, "transpose", false);
  taus = at_unsqueeze(l, taus, at_rank(taus) - 1);
  ten_value *y = apply(l, packed, taus, left ? x : at_mat_t(l, x), left == transpose);
  at_ret(l, 0, left ? y : at_mat_t(l, y));
}

const at_row at_rows_linalg_qr[] = {{"linalg_qr", lower_qr},
                                    {"geqrf", lower_geqrf},
                                    {"linalg_householder_product", lower_householder_product},
                                    {"orgqr", lower_householder_product},
                                    {"ormqr", lower_ormqr},
                                    {NULL}};
