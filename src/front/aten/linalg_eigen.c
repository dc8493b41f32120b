/* linalg_eigen.c: eigenvalues of symmetric matrices and singular values, by Jacobi rotations in double precision. A
 * round rotates n/2 disjoint pairs of columns at once, as one matmul by a matrix that is 0 but for its diagonal and one
 * more element per row; after n - 1 rounds every pair was rotated once. Twelve such sweeps are far more than
 * convergence needs. */
#include "front/aten/linalg.h"

#define R(x) ((int64_t)at_rank(x))
enum { TIMES = 12 };

/* The pairs of each round: [rounds, n], by the circle method; with odd n one column is unpaired each round. */
static ten_value *partners(at *l, int64_t n, int64_t rounds) {
  int64_t *table = at_new_array(l, int64_t, (size_t)(n * rounds) + 1);
  const int64_t size = n + n % 2, turn = size - 1;
  for (int64_t r = 0; r < rounds; r++)
    for (int64_t i = 0; i < n; i++) {
      const int64_t place = i == size - 1 ? r % turn : ((2 * (r % turn) - i) % turn + turn) % turn;
      const int64_t other = i == size - 1 ? place : place == i ? size - 1 : place;
      table[r * n + i] = other < n ? other : i;
    }
  return at_reshape(l, ten_build_i64s(&l->b, (size_t)(n * rounds), table), 2, (const int64_t[]){rounds, n});
}

/* The rotation of round k for the symmetric matrix g: [..., n, n]. */
static ten_value *rotation(at *l, ten_value *g, ten_value *table, ten_value *k, int64_t rounds) {
  const int64_t n = at_mat_cols(l, g), first = 0;
  ten_value *round = at_bin(l, TEN_OP_REMAINDER, k, at_int_num(l, k, rounds));
  ten_value *on = at_cmp(l, TEN_EQ, at_iota(l, TEN_I64, 2, at_dims_first(l, table, 2), 0), round);
  ten_value *other = at_sum(l, at_sel(l, on, table, at_num(l, table, 0)), 1, &first, false); /* [n] */
  ten_value *row = at_iota(l, TEN_I64, at_rank(g), at_dims(g), R(g) - 2),
            *col = at_iota(l, TEN_I64, at_rank(g), at_dims(g), R(g) - 1);
  ten_value *mine = at_along(l, other, at_rank(g), R(g) - 2), *zero = at_num(l, g, 0), *one = at_num(l, g, 1);
  ten_value *is_other = at_cmp(l, TEN_EQ, col, at_expand_like(l, mine, g)), *is_self = at_cmp(l, TEN_EQ, row, col);
  const int64_t last = R(g) - 1, above = R(g) - 2;
  ten_value *own = at_sum(l, at_sel(l, is_self, g, zero), 1, &last, true); /* [..., n, 1] */
  ten_value *cross = at_sum(l, at_sel(l, is_other, g, zero), 1, &last, true);
  ten_value *theirs = at_sum(
      l, at_sel(l, at_cmp(l, TEN_EQ, row, at_expand_like(l, at_along(l, other, at_rank(g), last), g)), own, zero), 1,
      &above, true); /* of the partner, along columns */
  theirs = at_mat_t(l, theirs);
  ten_value *idle =
      at_or(l, at_cmp(l, TEN_EQ, cross, zero),
            at_expand_like(l, at_cmp(l, TEN_EQ, mine, at_along(l, at_iota(l, TEN_I64, 1, &n, 0), at_rank(g), R(g) - 2)),
                           cross));
  ten_value *tau = at_div(l, at_sub(l, theirs, own), at_muln(l, at_sel(l, idle, one, cross), 2));
  ten_value *early = at_cmp(l, TEN_LT, at_along(l, at_iota(l, TEN_I64, 1, &n, 0), at_rank(g), R(g) - 2), mine);
  ten_value *positive =
      at_or(l, at_cmp(l, TEN_GT, tau, zero), at_and(l, at_cmp(l, TEN_EQ, tau, zero), at_expand_like(l, early, tau)));
  ten_value *t = at_div(l, one, at_add(l, at_un(l, TEN_OP_ABS, tau), at_sqrt(l, at_addn(l, at_mul(l, tau, tau), 1))));
  t = at_sel(l, idle, zero, at_sel(l, positive, t, at_neg(l, t)));
  ten_value *c = at_rsqrt(l, at_addn(l, at_mul(l, t, t), 1)), *s = at_mul(l, t, c);
  return at_sel(l, is_self, c, at_sel(l, is_other, s, zero));
}

/* Values: the matrix, the vectors, the table. */
static void eigen_step(at_sweep *s, ten_value *k, ten_value **values) {
  at *l = s->l;
  ten_value *turn = rotation(l, values[0], values[2], k, at_dim(l, values[2], 0));
  values[0] = at_matmul(l, at_mat_t(l, turn), at_matmul(l, values[0], turn));
  values[1] = at_matmul(l, values[1], turn);
}

/* Values: the columns, the vectors, the table. */
static void singular_step(at_sweep *s, ten_value *k, ten_value **values) {
  at *l = s->l;
  ten_value *products = at_matmul(l, at_mat_t(l, values[0]), values[0]);
  ten_value *turn = rotation(l, products, values[2], k, at_dim(l, values[2], 0));
  values[0] = at_matmul(l, values[0], turn);
  values[1] = at_matmul(l, values[1], turn);
}

static void jacobi(at *l, ten_value *x, ten_value **values, void (*step)(at_sweep *, ten_value *, ten_value **)) {
  const int64_t n = at_mat_cols(l, x), rounds = n > 1 ? n + n % 2 - 1 : 0;
  values[0] = x, values[1] = at_mat_eye(l, x, n, n);
  if (!rounds || !at_count(x)) return;
  at_check(l, n <= 1024, "a matrix of %lld columns", (long long)n);
  values[2] = partners(l, n, rounds);
  at_sweep s = {l, TIMES * rounds, step, 3};
  at_sweep_run(&s, values);
}

/* Columns of x in the given order: [..., n]. */
static ten_value *columns(at *l, ten_value *x, ten_value *order) {
  return at_gather(l, x, at_expand_like(l, at_unsqueeze(l, order, at_rank(order) - 1), x), R(x) - 1);
}

static ten_value *empty_like_result(at *l, uint32_t index, ten_dtype dtype) {
  const ten_type *declared = at_declared(l, index);
  const int64_t none = 0;
  if (!declared) return at_full(l, dtype, 1, &none, 0);
  return at_full(l, dtype, declared->rank, declared->dims, 0);
}

static ten_value *symmetric(at *l, ten_value *x, bool upper) {
  ten_value *half = upper ? at_mat_triu(l, x) : at_mat_tril(l, x);
  return at_sel(l, at_mat_mask(l, x, upper ? TEN_LE : TEN_GE), half, at_mat_t(l, half));
}

static void lower_eigh(at *l) {
  ten_value *a = at_t(l, at_has(l, "A") ? "A" : "self"), *values[3], *sorted, *order;
  at_mat_check(l, a, true);
  if (at_is_complex(a)) at_fail(l, TEN_UNSUPPORTED, "complex elements are not supported");
  const ten_str which = at_string(l, "UPLO");
  const ten_dtype dtype = at_type(a);
  ten_value *x = symmetric(l, at_cast(l, a, TEN_F64), ten_str_is(which, "U") || ten_str_is(which, "u"));
  jacobi(l, x, values, eigen_step);
  at_sort(l, at_mat_diagonal(l, values[0]), R(x) - 2, false, &sorted, &order);
  at_ret(l, 0, at_cast(l, sorted, dtype));
  if (l->result_count < 2) return;
  at_ret(
      l, 1,
      at_bool(l, "compute_v", true) ? at_cast(l, columns(l, values[1], order), dtype) : empty_like_result(l, 1, dtype));
}

typedef struct svd {
  ten_value *u, *s, *v; /* a = u·diag(s)·vᵀ; s descending */
} svd;

/* The longer side first: rows ≥ columns. `whole`: u is square. */
static svd svd_tall(at *l, ten_value *x, bool whole) {
  ten_value *values[3], *r, *sorted, *order;
  const int64_t row = R(x) - 2, n = at_mat_cols(l, x);
  jacobi(l, x, values, singular_step);
  ten_value *size = at_sqrt(l, at_sum(l, at_mul(l, values[0], values[0]), 1, &row, false));
  at_sort(l, size, R(x) - 2, true, &sorted, &order);
  /* Columns are now orthogonal: their QR has a diagonal R, and a full Q even where singular values are 0. */
  ten_value *q = at_mat_qr(l, columns(l, values[0], order), &r), *zero = at_num(l, x, 0);
  ten_value *d = at_mat_diagonal(l, at_slice(l, r, R(r) - 2, 0, n, 1));
  ten_value *sign = at_sel(l, at_cmp(l, TEN_LT, d, zero), at_num(l, x, -1), at_num(l, x, 1));
  ten_value *u = at_mul(l, at_slice(l, q, R(q) - 1, 0, n, 1), at_unsqueeze(l, sign, R(q) - 2));
  if (whole && at_mat_rows(l, x) > n) {
    ten_value *parts[2] = {u, at_slice(l, q, R(q) - 1, n, at_mat_rows(l, x), 1)};
    u = at_cat(l, 2, parts, R(q) - 1);
  }
  return (svd){u, sorted, columns(l, values[1], order)};
}

/* The largest magnitude of each matrix, or 1 where that is 0. */
static ten_value *magnitude(at *l, ten_value *x) {
  const int64_t both[2] = {R(x) - 2, R(x) - 1};
  ten_value *most = at_reduce(l, TEN_OP_MAXIMUM, at_abs(l, x), 2, both, true);
  return at_stop(l, at_sel(l, at_cmp(l, TEN_GT, most, at_num(l, x, 0)), most, at_num(l, x, 1)));
}

/* Squares stay in range: singular values are those of x / magnitude(x), times that. */
static svd svd_of(at *l, ten_value *x, bool whole) {
  ten_value *scale = magnitude(l, x);
  const bool tall = at_mat_rows(l, x) >= at_mat_cols(l, x);
  ten_value *unit = at_div(l, x, scale);
  const svd t = svd_tall(l, tall ? unit : at_mat_t(l, unit), whole);
  const int64_t last = R(x) - 1;
  ten_value *sizes = at_mul(l, t.s, at_squeeze(l, scale, last));
  return tall ? (svd){t.u, sizes, t.v} : (svd){t.v, sizes, t.u};
}

static void lower_svd(at *l) {
  ten_value *a = at_t(l, at_has(l, "A") ? "A" : "self");
  at_mat_check(l, a, false);
  if (at_is_complex(a)) at_fail(l, TEN_UNSUPPORTED, "complex elements are not supported");
  const ten_dtype dtype = at_type(a);
  const svd f = svd_of(l, at_cast(l, a, TEN_F64), at_bool(l, "full_matrices", false));
  at_ret(l, 1, at_cast(l, f.s, dtype));
  const bool wanted = at_bool(l, "compute_uv", true);
  at_ret(l, 0, wanted ? at_cast(l, f.u, dtype) : empty_like_result(l, 0, dtype));
  at_ret(l, 2, wanted ? at_cast(l, at_mat_t(l, f.v), dtype) : empty_like_result(l, 2, dtype));
}

/* The pseudo-inverse p of x, as a differentiable function of x at constant rank. Newton steps from xᵀ·m·xᵀ, which
 * always has the right row and column space, converge quadratically: they change nothing at x itself, and their
 * derivatives (up to the third) are those of the pseudo-inverse, at any rank and for equal singular values. */
static ten_value *follow_pinv(at *l, ten_value *x, ten_value *p) {
  ten_value *transposed = at_mat_t(l, p), *two = at_num(l, x, 2);
  ten_value *near =
      at_matmul(l, at_matmul(l, at_mat_t(l, x), at_matmul(l, transposed, at_matmul(l, p, transposed))), at_mat_t(l, x));
  for (int i = 0; i < 2; i++) near = at_sub(l, at_mul(l, two, near), at_matmul(l, at_matmul(l, near, x), near));
  return at_add(l, p, at_sub(l, near, at_stop(l, near)));
}

/* Of x, in f64. Singular values up to the tolerance (one per matrix) count as 0; `out_s` and `out_keep` receive the
 * singular values, and which of them are nonzero. */
static ten_value *pinv_of(at *l, ten_value *x, ten_value *absolute, ten_value *relative, ten_value **out_s,
                          ten_value **out_keep) {
  const int64_t last = R(x) - 2;
  ten_value *zero = at_num(l, x, 0);
  if (at_rank(absolute)) absolute = at_unsqueeze(l, absolute, at_rank(absolute));
  if (at_rank(relative)) relative = at_unsqueeze(l, relative, at_rank(relative));
  const svd f = svd_of(l, at_stop(l, x), false);
  ten_value *most = at_reduce(l, TEN_OP_MAXIMUM, f.s, 1, &last, true);
  ten_value *keep = at_cmp(l, TEN_GT, f.s, at_max(l, absolute, at_mul(l, relative, most)));
  ten_value *inverse = at_sel(l, keep, at_div(l, at_num(l, x, 1), at_sel(l, keep, f.s, at_num(l, x, 1))), zero);
  ten_value *y = at_matmul(l, at_mul(l, f.v, at_unsqueeze(l, inverse, R(x) - 2)), at_mat_t(l, f.u));
  *out_s = f.s;
  *out_keep = keep;
  return l->options->training ? follow_pinv(l, x, at_stop(l, y)) : y;
}

static double least_share(ten_dtype dtype, int64_t m, int64_t n) {
  return (dtype == TEN_F64 ? 2.220446049250313e-16 : 1.1920928955078125e-07) * (double)(m > n ? m : n);
}

static void lower_pinv(at *l) {
  ten_value *a = at_t(l, "self");
  at_mat_check(l, a, false);
  if (at_is_complex(a)) at_fail(l, TEN_UNSUPPORTED, "complex elements are not supported");
  const ten_dtype dtype = at_type(a);
  const char *const share = at_has(l, "rcond") ? "rcond" : "rtol";
  ten_value *x = at_cast(l, a, TEN_F64), *atol = at_has(l, "atol") ? at_ref_value(l, at_arg(l, "atol"), TEN_F64) : NULL,
            *rtol = at_has(l, share) ? at_ref_value(l, at_arg(l, share), TEN_F64) : NULL;
  if (!at_count(x)) {
    at_ret(l, 0, at_mat_t(l, a));
    return;
  }
  if (at_bool(l, "hermitian", false)) x = symmetric(l, x, false);
  ten_value *s, *keep, *zero = at_num(l, x, 0), *absolute = atol ? at_cast(l, atol, TEN_F64) : zero,
                       *relative = at_num(l, x, least_share(dtype, at_mat_rows(l, a), at_mat_cols(l, a)));
  if (rtol)
    relative = at_cast(l, rtol, TEN_F64);
  else if (atol)
    relative = at_sel(l, at_cmp(l, TEN_GT, absolute, zero), zero, relative);
  at_ret(l, 0, at_cast(l, pinv_of(l, x, absolute, relative, &s, &keep), dtype));
}

/* A result that only some drivers return. */
static void ret_or_nothing(at *l, uint32_t index, bool there, ten_value *value) {
  at_ret(l, index, there ? value : empty_like_result(l, index, at_type(value)));
}

/* The minimum-norm least-squares solution, whatever the driver. Residuals are returned as for full rank. */
static void lower_lstsq(at *l) {
  ten_value *a = at_t(l, at_has(l, "A") ? "A" : "self"), *b = at_t(l, at_has(l, "B") ? "B" : "b");
  at_mat_check(l, a, false);
  if (at_is_complex(a)) at_fail(l, TEN_UNSUPPORTED, "complex elements are not supported");
  const ten_dtype dtype = at_type(a);
  const int64_t m = at_mat_rows(l, a), n = at_mat_cols(l, a), row = R(a) - 2;
  if (!at_count(a)) at_fail(l, TEN_UNSUPPORTED, "a matrix without elements is not supported");
  const bool vectors = R(b) == R(a) - 1;
  ten_value *x = at_cast(l, a, TEN_F64), *y = at_cast(l, b, TEN_F64);
  if (vectors) y = at_unsqueeze(l, y, R(b));
  ten_value *share =
      at_has(l, "rcond") ? at_ref_value(l, at_arg(l, "rcond"), TEN_F64) : at_num(l, x, least_share(dtype, m, n));
  ten_value *s, *keep;
  ten_value *solution = at_matmul(l, pinv_of(l, x, at_num(l, x, 0), at_cast(l, share, TEN_F64), &s, &keep), y);
  at_ret(l, 0, at_cast(l, vectors ? at_squeeze(l, solution, R(solution) - 1) : solution, dtype));
  const ten_str driver = at_has(l, "driver") ? at_string(l, "driver") : TEN_STR("gelsy");
  const int64_t last = R(s) - 1;
  const bool by_values = ten_str_is(driver, "gelss") || ten_str_is(driver, "gelsd");
  if (by_values && m > n && !l->options->training) /* PyTorch itself decides this by the rank */
    at_fail(l, TEN_UNSUPPORTED, "by '%.*s': whether there are residuals depends on data", TEN_FMT(driver));
  ten_value *rest = at_sub(l, at_matmul(l, x, solution), y);
  ret_or_nothing(l, 1, m > n && !ten_str_is(driver, "gelsy"),
                 at_cast(l, at_sum(l, at_mul(l, rest, rest), 1, &row, false), dtype));
  ret_or_nothing(l, 2, !ten_str_is(driver, "gels"), at_sum(l, at_cast(l, keep, TEN_I64), 1, &last, false));
  ret_or_nothing(l, 3, by_values, at_cast(l, s, dtype));
}

/* ---- composite forms, as exports contain them ---- */
static ten_value *singular_values(at *l, ten_value *a) {
  at_mat_check(l, a, false);
  if (at_is_complex(a)) at_fail(l, TEN_UNSUPPORTED, "complex elements are not supported");
  return svd_of(l, at_cast(l, a, TEN_F64), false).s;
}

static void lower_svdvals(at *l) {
  ten_value *a = at_t(l, "A");
  at_ret(l, 0, at_cast(l, singular_values(l, a), at_type(a)));
}

/* torch.svd returns V, not its transpose. */
static void lower_old_svd(at *l) {
  ten_value *a = at_t(l, "self");
  at_mat_check(l, a, false);
  if (at_is_complex(a) || !at_bool(l, "compute_uv", true))
    at_fail(l, TEN_UNSUPPORTED, "complex elements, or a result without U and V, are not supported");
  const svd f = svd_of(l, at_cast(l, a, TEN_F64), !at_bool(l, "some", true));
  at_ret(l, 0, at_cast(l, f.u, at_type(a)));
  at_ret(l, 1, at_cast(l, f.s, at_type(a)));
  at_ret(l, 2, at_cast(l, f.v, at_type(a)));
}

/* The kind of norm: 'f', 'n' (the sum of singular values), or a number. */
typedef struct matrix_order {
  char name;
  double number;
} matrix_order;

static matrix_order order_read(at *l) {
  if (ten_str_starts(l->op->name, "aten.nuclear_norm")) return (matrix_order){'n', 0};
  const char *const argument = at_has(l, "p") ? "p" : "ord";
  const ten_str text = at_string(l, argument);
  if (ten_str_is(text, "nuc")) return (matrix_order){'n', 0};
  if (text.size || !at_has(l, argument)) return (matrix_order){'f', 0};
  return (matrix_order){'p', at_float(l, argument, 2)};
}

/* Of the last two dimensions. */
static ten_value *matrix_norm(at *l, ten_value *x, matrix_order order) {
  const int64_t last = R(x) - 1, row = R(x) - 2, both[2] = {row, last};
  if (order.name == 'f') return at_sqrt(l, at_sum(l, at_mul(l, x, x), 2, both, false));
  if (order.name == 'n') return at_sum(l, singular_values(l, x), 1, &row, false);
  const double size = fabs(order.number);
  const ten_opcode pick = order.number > 0 ? TEN_OP_MAXIMUM : TEN_OP_MINIMUM;
  if (size == 2) return at_reduce(l, pick, singular_values(l, x), 1, &row, false);
  at_check(l, size == 1 || isinf(size), "there is no matrix norm of order %g", order.number);
  ten_value *sums = at_sum(l, at_un(l, TEN_OP_ABS, x), 1, size == 1 ? &row : &last, false);
  return at_reduce(l, pick, sums, 1, &row, false);
}

static void lower_matrix_norm(at *l) {
  ten_value *x = at_t(l, at_has(l, "A") ? "A" : "self");
  if (at_is_complex(x)) at_fail(l, TEN_UNSUPPORTED, "complex elements are not supported");
  const uint32_t rank = at_rank(x);
  const ten_dtype dtype = at_dtype(l, "dtype", at_type(x));
  int64_t dims[2] = {(int64_t)rank - 2, (int64_t)rank - 1}, permutation[AT_DIMS];
  const ten_ints given = at_ints(l, "dim");
  at_check(l, rank >= 2 && (!given.count || given.count == 2), "two dimensions make a matrix");
  for (size_t i = 0; i < given.count; i++) dims[i] = at_wrap(l, given.data[i], rank);
  uint32_t count = 0;
  for (uint32_t i = 0; i < rank; i++)
    if (i != dims[0] && i != dims[1]) permutation[count++] = i;
  permutation[count] = dims[0], permutation[count + 1] = dims[1];
  ten_value *y = matrix_norm(l, at_cast(l, at_permute(l, x, permutation), TEN_F64), order_read(l));
  if (at_bool(l, "keepdim", false)) {
    const int64_t first = dims[0] < dims[1] ? dims[0] : dims[1], second = dims[0] < dims[1] ? dims[1] : dims[0];
    y = at_unsqueeze(l, at_unsqueeze(l, y, first), second);
  }
  at_ret(l, 0, at_cast(l, y, dtype));
}

/* Of matrices when an order and two dimensions are given; else of all elements together. */
static void lower_linalg_norm(at *l) {
  ten_value *x = at_t(l, "self");
  const ten_ints given = at_ints(l, "dim");
  const bool ordered = at_has(l, "ord");
  if (ordered && (given.count == 2 || (!given.count && at_rank(x) == 2))) {
    lower_matrix_norm(l);
    return;
  }
  if (at_is_complex(x)) at_fail(l, TEN_UNSUPPORTED, "complex elements are not supported");
  int64_t dims[AT_DIMS];
  const uint32_t count = at_dims_arg(l, "dim", at_rank(x), dims);
  const bool keep = at_bool(l, "keepdim", false);
  const ten_dtype dtype = at_dtype(l, "dtype", at_type(x));
  const double p = ordered ? at_float(l, "ord", 2) : 2;
  x = at_un(l, TEN_OP_ABS, at_cast(l, x, TEN_F64));
  ten_value *y;
  if (isinf(p)) {
    y = at_reduce(l, p > 0 ? TEN_OP_MAXIMUM : TEN_OP_MINIMUM, x, count, dims, keep);
  } else if (p == 0) {
    y = at_sum(l, at_cast(l, at_cmp(l, TEN_NE, x, at_num(l, x, 0)), TEN_F64), count, dims, keep);
  } else {
    y = at_sum(l, at_bin(l, TEN_OP_POWER, x, at_num(l, x, p)), count, dims, keep);
    y = at_bin(l, TEN_OP_POWER, y, at_num(l, y, 1 / p));
  }
  at_ret(l, 0, at_cast(l, y, dtype));
}

static void lower_cond(at *l) {
  ten_value *x = at_t(l, "self");
  const matrix_order order = at_has(l, "p") ? order_read(l) : (matrix_order){'p', 2};
  if (order.name != 'p' || fabs(order.number) != 2)
    at_fail(l, TEN_UNSUPPORTED, "orders other than 2 and -2 are not supported");
  ten_value *s = singular_values(l, x);
  const int64_t last = R(s) - 1, n = at_dim(l, s, last);
  ten_value *most = at_squeeze(l, at_slice(l, s, last, 0, 1, 1), last),
            *least = at_squeeze(l, at_slice(l, s, last, n - 1, n, 1), last);
  at_ret(l, 0, at_cast(l, order.number > 0 ? at_div(l, most, least) : at_div(l, least, most), at_type(x)));
}

static void lower_matrix_rank(at *l) {
  ten_value *x = at_t(l, at_has(l, "input") ? "input" : "self"), *s = singular_values(l, x);
  const int64_t last = R(s) - 1, m = at_mat_rows(l, x), n = at_mat_cols(l, x);
  const double eps = at_type(x) == TEN_F64 ? 2.220446049250313e-16 : 1.1920928955078125e-07;
  ten_value *most = at_reduce(l, TEN_OP_MAXIMUM, s, 1, &last, true);
  const char *const absolute = at_has(l, "tol") ? "tol" : "atol";
  ten_value *least = at_muln(l, most, eps * (double)(m > n ? m : n));
  if (at_has(l, "rtol")) least = at_mul(l, most, at_ref_value(l, at_arg(l, "rtol"), TEN_F64));
  if (at_has(l, absolute)) {
    ten_value *given = at_ref_value(l, at_arg(l, absolute), TEN_F64);
    if (at_rank(given)) given = at_unsqueeze(l, given, at_rank(given));
    least = at_has(l, "rtol") ? at_max(l, least, given) : given;
  }
  at_ret(l, 0, at_sum(l, at_cast(l, at_cmp(l, TEN_GT, s, least), TEN_I64), 1, &last, false));
}

const at_row at_rows_linalg_eigen[] = {{"_linalg_eigh", lower_eigh},
                                       {"linalg_eigh", lower_eigh},
                                       {"linalg_eigvalsh", lower_eigh},
                                       {"_linalg_svd", lower_svd},
                                       {"linalg_svd", lower_svd},
                                       {"linalg_pinv", lower_pinv},
                                       {"pinverse", lower_pinv},
                                       {"linalg_lstsq", lower_lstsq},
                                       {"linalg_svdvals", lower_svdvals},
                                       {"svd", lower_old_svd},
                                       {"nuclear_norm", lower_matrix_norm},
                                       {"linalg_matrix_norm", lower_matrix_norm},
                                       {"linalg_norm.ord_str", lower_matrix_norm},
                                       {"linalg_norm", lower_linalg_norm},
                                       {"linalg_cond", lower_cond},
                                       {"linalg_matrix_rank", lower_matrix_rank},
                                       {NULL}};
