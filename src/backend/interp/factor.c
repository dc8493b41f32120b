/* factor.c: custom calls that factorise matrices: QR (plain and pivoted), Hessenberg and tridiagonal forms, singular
 * values; eigen.c has the iterations for eigenvalues. JAX emits Qr and ProductOfElementaryHouseholderReflectors for
 * platforms without LAPACK; the package jax-tenfold emits the calls named tenfold.*. Everything is computed in double
 * and rounded at the end. A matrix that contains an infinity or NaN gives NaN. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/interp/factor.h"
#include "backend/interp/interp.h"
#include "backend/interp/lanes.h"
#include "base/size.h"
#include "ir/ten.h"

typedef factor_number number;

static double size2(number x) { return creal(x) * creal(x) + cimag(x) * cimag(x); }

static double norm_of(size_t n, const number *x) {
  double largest = 0, sum = 0;
  for (size_t i = 0; i < n; i++) largest = fmax(largest, fmax(fabs(creal(x[i])), fabs(cimag(x[i]))));
  if (largest == 0) return 0;
  for (size_t i = 0; i < n; i++) sum += size2(x[i] / largest);
  return largest * sqrt(sum);
}

number factor_reflect(size_t n, number *x) {
  const double tail = norm_of(n - 1, x + 1);
  if (tail == 0 && cimag(x[0]) == 0) return 0;
  const double beta = -copysign(hypot(cabs(x[0]), tail), creal(x[0]));
  const number tau = (beta - x[0]) / beta, scale = 1 / (x[0] - beta);
  for (size_t i = 1; i < n; i++) x[i] *= scale;
  x[0] = beta;
  return tau;
}

void factor_apply_left(size_t n, const number *v, number tau, number *c, size_t columns, size_t stride) {
  if (tau == 0) return;
  for (size_t j = 0; j < columns; j++, c += stride) {
    number dot = c[0];
    for (size_t i = 1; i < n; i++) dot += conj(v[i]) * c[i];
    dot *= tau;
    c[0] -= dot;
    for (size_t i = 1; i < n; i++) c[i] -= v[i] * dot;
  }
}

void factor_product(size_t m, size_t columns, size_t count, const number *a, const number *taus, number *q) {
  for (size_t i = 0; i < m * columns; i++) q[i] = 0;
  for (size_t i = 0; i < m && i < columns; i++) q[i * m + i] = 1;
  for (size_t k = count; k-- > 0;) factor_apply_left(m - k, a + k * m + k, taus[k], q + k * m + k, columns - k, m);
}

static void factor_qr(size_t m, size_t n, number *a, number *taus) {
  for (size_t k = 0; k < n && k < m; k++) {
    taus[k] = factor_reflect(m - k, a + k * m + k);
    factor_apply_left(m - k, a + k * m + k, conj(taus[k]), a + (k + 1) * m + k, n - k - 1, m);
  }
}

static void swap_columns(size_t m, number *a, size_t i, size_t j) {
  for (size_t r = 0; r < m; r++) {
    const number x = a[i * m + r];
    a[i * m + r] = a[j * m + r];
    a[j * m + r] = x;
  }
}

/* Columns with an initial pivot go first; then, the one with the largest remaining norm. Pivots count from 1. */
static void factor_qr_pivots(size_t m, size_t n, number *a, number *taus, int64_t *pivots) {
  size_t fixed = 0;
  for (size_t j = 0; j < n; j++) {
    const bool first = pivots[j] != 0;
    pivots[j] = (int64_t)j + 1;
    if (!first) continue;
    swap_columns(m, a, j, fixed);
    pivots[j] = pivots[fixed];
    pivots[fixed++] = (int64_t)j + 1;
  }
  for (size_t k = 0; k < n && k < m; k++) {
    size_t best = k;
    double most = -1;
    for (size_t j = k; j < n && k >= fixed; j++) {
      const double left = norm_of(m - k, a + j * m + k);
      if (left > most) most = left, best = j;
    }
    if (best != k) {
      swap_columns(m, a, k, best);
      const int64_t pivot = pivots[k];
      pivots[k] = pivots[best];
      pivots[best] = pivot;
    }
    taus[k] = factor_reflect(m - k, a + k * m + k);
    factor_apply_left(m - k, a + k * m + k, conj(taus[k]), a + (k + 1) * m + k, n - k - 1, m);
  }
}

void factor_hessenberg(size_t n, number *a, number *taus) {
  for (size_t k = 0; k + 1 < n; k++) {
    number *v = a + k * n + k + 1;
    const size_t height = n - k - 1;
    const number tau = taus[k] = factor_reflect(height, v);
    factor_apply_left(height, v, conj(tau), a + (k + 1) * n + k + 1, height, n);
    for (size_t r = 0; r < n; r++) { /* and from the right */
      number dot = a[(k + 1) * n + r];
      for (size_t i = 1; i < height; i++) dot += a[(k + 1 + i) * n + r] * v[i];
      dot *= tau;
      a[(k + 1) * n + r] -= dot;
      for (size_t i = 1; i < height; i++) a[(k + 1 + i) * n + r] -= dot * conj(v[i]);
    }
  }
}

void factor_hessenberg_q(size_t n, const number *a, const number *taus, number *q) {
  for (size_t i = 0; i < n * n; i++) q[i] = 0;
  for (size_t i = 0; i < n; i++) q[i * n + i] = 1;
  for (size_t k = n < 2 ? 0 : n - 1; k-- > 0;)
    factor_apply_left(n - k - 1, a + k * n + k + 1, taus[k], q + (k + 1) * n + k + 1, n - k - 1, n);
}

/* Rotates columns p and q of x by angle and phase. */
static void rotate(size_t rows, number *x, size_t p, size_t q, double c, double s, number phase) {
  number *a = x + p * rows, *b = x + q * rows;
  for (size_t i = 0; i < rows; i++) {
    const number y = a[i], z = b[i];
    a[i] = c * y - s * conj(phase) * z;
    b[i] = s * phase * y + c * z;
  }
}

/* One sweep of one-sided Jacobi over all pairs of columns; returns whether any was not yet orthogonal. */
static bool sweep(size_t m, size_t n, number *a, number *v) {
  bool rotated = false;
  for (size_t p = 0; p + 1 < n; p++)
    for (size_t q = p + 1; q < n; q++) {
      double x = 0, y = 0;
      number g = 0;
      for (size_t i = 0; i < m; i++) {
        x += size2(a[p * m + i]);
        y += size2(a[q * m + i]);
        g += conj(a[p * m + i]) * a[q * m + i];
      }
      const double size = cabs(g);
      if (size <= 1e-15 * sqrt(x) * sqrt(y) || size == 0) continue;
      rotated = true;
      const double zeta = (y - x) / (2 * size);
      const double t = (zeta >= 0 ? 1 : -1) / (fabs(zeta) + hypot(1, zeta)), c = 1 / hypot(1, t);
      rotate(m, a, p, q, c, c * t, g / size);
      rotate(n, v, p, q, c, c * t, g / size);
    }
  return rotated;
}

/* a (m×n, m ≥ n) = U·diag(s)·Vᴴ, with `columns` of U. */
static void factor_svd(size_t m, size_t n, number *a, double *s, number *u, size_t columns, number *v) {
  enum { SWEEPS = 60 };
  double largest = 0;
  for (size_t i = 0; i < m * n; i++) largest = fmax(largest, fmax(fabs(creal(a[i])), fabs(cimag(a[i]))));
  if (largest == 0) largest = 1;
  for (size_t i = 0; i < m * n; i++) a[i] /= largest; /* squares stay in range */
  number *r = a, *taus = ten_alloc((n + 1) * sizeof *taus), *q = NULL;
  if (m > n) { /* iterate on the square factor R */
    factor_qr(m, n, a, taus);
    q = ten_alloc((m * columns + 1) * sizeof *q);
    factor_product(m, columns, n, a, taus, q);
    r = ten_alloc((n * n + 1) * sizeof *r);
    for (size_t j = 0; j < n; j++)
      for (size_t i = 0; i < n; i++) r[j * n + i] = i <= j ? a[j * m + i] : 0;
  }
  for (size_t i = 0; i < n * n; i++) v[i] = i % (n + 1) == 0;
  for (int i = 0; i < SWEEPS && sweep(n, n, r, v); i++) continue;
  for (size_t j = 0; j < n; j++) s[j] = norm_of(n, r + j * n);
  for (size_t j = 0; j < n; j++) { /* descending */
    size_t best = j;
    for (size_t k = j + 1; k < n; k++)
      if (s[k] > s[best]) best = k;
    const double x = s[j];
    s[j] = s[best];
    s[best] = x;
    if (best != j) swap_columns(n, r, j, best), swap_columns(n, v, j, best);
  }
  /* Vectors of zero singular values complete the basis. */
  size_t rank = 0;
  while (rank < n && s[rank] > 0) rank++;
  number *w = ten_alloc((n * n + 1) * sizeof *w);
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) w[j * n + i] = j < rank ? r[j * n + i] / s[j] : 0;
  if (rank < n) {
    number *basis = ten_alloc((n * n + 1) * sizeof *basis), *copy = ten_alloc((n * n + 1) * sizeof *copy);
    memcpy(copy, w, n * n * sizeof *copy);
    factor_qr(n, rank, copy, taus);
    factor_product(n, n, rank, copy, taus, basis);
    memcpy(w + rank * n, basis + rank * n, (n - rank) * n * sizeof *w);
    free(basis), free(copy);
  }
  for (size_t j = 0; j < n; j++) s[j] *= largest;
  for (size_t j = 0; j < columns; j++)
    for (size_t i = 0; i < m; i++) {
      if (!q) {
        u[j * m + i] = w[j * n + i];
      } else if (j >= n) {
        u[j * m + i] = q[j * m + i];
      } else {
        number sum = 0;
        for (size_t k = 0; k < n; k++) sum += q[k * m + i] * w[j * n + k];
        u[j * m + i] = sum;
      }
    }
  free(w), free(taus), free(q);
  if (r != a) free(r);
}

/* Loads a matrix of a tensor, column-major. */
static bool load(const ten_tensor *x, size_t batch, size_t rows, size_t columns, number *out) {
  const bool pairs = ten_dtype_is_complex(x->dtype);
  bool finite = true;
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < columns; j++) {
      const size_t at = (batch * rows + i) * columns + j;
      const double re = ten_tensor_real(x, at, 0), im = pairs ? ten_tensor_real(x, at, 1) : 0;
      out[j * rows + i] = re + im * I;
      finite &= isfinite(re) && isfinite(im);
    }
  return finite;
}

static void store(ten_tensor *out, size_t batch, size_t rows, size_t columns, const number *values, bool good) {
  const bool pairs = ten_dtype_is_complex(out->dtype);
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < columns; j++) {
      const size_t at = (batch * rows + i) * columns + j;
      const number x = good ? values[j * rows + i] : NAN + NAN * I;
      interp_store_real(out, pairs ? 2 * at : at, creal(x));
      if (pairs) interp_store_real(out, 2 * at + 1, cimag(x));
    }
}

static void store_reals(ten_tensor *out, size_t batch, size_t count, const double *values, bool good) {
  for (size_t i = 0; i < count; i++) interp_store_real(out, batch * count + i, good ? values[i] : NAN);
}

/* One matrix of the batch, with space for its factors. */
typedef struct matrix {
  size_t batch, m, n, small; /* small: the lesser of m and n */
  bool finite, real, upper;  /* upper: the upper triangle of a Hermitian matrix is given */
  number *a, *taus, *q, *r;  /* a: m×n; q, r: (larger of m and n)² */
  double *w, *e;
} matrix;

static void run_qr(interp_call *call, matrix *x) {
  factor_qr(x->m, x->n, x->a, x->taus);
  store(call->out[0], x->batch, x->m, x->n, x->a, x->finite);
  store(call->out[1], x->batch, x->small, 1, x->taus, x->finite);
}

static void run_qr_pivots(interp_call *call, matrix *x) {
  int64_t *pivots = ten_alloc((x->n + 1) * sizeof *pivots);
  for (size_t j = 0; j < x->n; j++) pivots[j] = (int64_t)ten_tensor_real(call->in[1], x->batch * x->n + j, 0);
  factor_qr_pivots(x->m, x->n, x->a, x->taus, pivots);
  store(call->out[0], x->batch, x->m, x->n, x->a, x->finite);
  for (size_t j = 0; j < x->n; j++) interp_store_int(call->out[1], x->batch * x->n + j, pivots[j]);
  store(call->out[2], x->batch, x->small, 1, x->taus, x->finite);
  free(pivots);
}

static void run_product(interp_call *call, matrix *x) {
  const ten_tensor *taus = call->in[1];
  const size_t count = (size_t)taus->dims[taus->rank - 1];
  const bool finite = load(taus, x->batch, count, 1, x->taus) && x->finite;
  factor_product(x->m, x->n, count, x->a, x->taus, x->q);
  store(call->out[0], x->batch, x->m, x->n, x->q, finite);
}

static void run_hessenberg(interp_call *call, matrix *x) {
  factor_hessenberg(x->n, x->a, x->taus);
  store(call->out[0], x->batch, x->n, x->n, x->a, x->finite);
  store(call->out[1], x->batch, x->n - 1, 1, x->taus, x->finite);
}

/* Fills the other triangle from the given one. */
static void fill_hermitian(matrix *x) {
  for (size_t j = 0; j < x->n; j++) {
    x->a[j * x->n + j] = creal(x->a[j * x->n + j]);
    for (size_t i = j + 1; i < x->n; i++)
      if (x->upper)
        x->a[j * x->n + i] = conj(x->a[i * x->n + j]);
      else
        x->a[i * x->n + j] = conj(x->a[j * x->n + i]);
  }
}

static void turn_round(size_t n, number *a) { /* reverses rows and columns */
  for (size_t i = 0; i < n * n / 2; i++) {
    const number x = a[i];
    a[i] = a[n * n - 1 - i];
    a[n * n - 1 - i] = x;
  }
}

/* The upper form starts from the last column: it is the lower form of the matrix with rows and columns reversed. */
static void run_tridiagonal(interp_call *call, matrix *x) {
  const size_t n = x->n;
  fill_hermitian(x);
  if (x->upper) turn_round(n, x->a);
  factor_hessenberg(n, x->a, x->taus);
  if (x->upper) {
    turn_round(n, x->a);
    for (size_t i = 0; i < (n - 1) / 2; i++) {
      const number t = x->taus[i];
      x->taus[i] = x->taus[n - 2 - i];
      x->taus[n - 2 - i] = t;
    }
  }
  for (size_t i = 0; i < n; i++) x->w[i] = creal(x->a[i * n + i]);
  for (size_t i = 0; i + 1 < n; i++) x->e[i] = creal(x->upper ? x->a[(i + 1) * n + i] : x->a[i * n + i + 1]);
  store(call->out[0], x->batch, n, n, x->a, x->finite);
  store_reals(call->out[1], x->batch, n, x->w, x->finite);
  store_reals(call->out[2], x->batch, n - 1, x->e, x->finite);
  store(call->out[3], x->batch, n - 1, 1, x->taus, x->finite);
}

static void run_eigh(interp_call *call, matrix *x) {
  fill_hermitian(x);
  const bool good = x->finite && factor_eigh(x->n, x->a, x->w);
  store(call->out[0], x->batch, x->n, x->n, x->a, good);
  store_reals(call->out[1], x->batch, x->n, x->w, good);
}

static void run_schur(interp_call *call, matrix *x) {
  const bool good = x->finite && factor_schur(x->n, x->real, x->a, x->q);
  store(call->out[0], x->batch, x->n, x->n, x->a, good);
  if (call->op->result_count > 1) store(call->out[1], x->batch, x->n, x->n, x->q, good);
}

/* Results: eigenvalues; then left and right eigenvectors, as the call's configuration requests. */
static void run_eig(interp_call *call, matrix *x) {
  const ten_str wanted = ten_attr_as_string(ten_op_attr(call->op, "backend_config"));
  const bool left = memchr(wanted.data, 'l', wanted.size) != NULL,
             right = memchr(wanted.data, 'r', wanted.size) != NULL;
  const bool good = x->finite && factor_eig(x->n, x->real, x->a, x->taus, left ? x->q : NULL, right ? x->r : NULL);
  uint32_t next = 0;
  store(call->out[next++], x->batch, x->n, 1, x->taus, good);
  if (left && next < call->op->result_count) store(call->out[next++], x->batch, x->n, x->n, x->q, good);
  if (right && next < call->op->result_count) store(call->out[next++], x->batch, x->n, x->n, x->r, good);
}

/* P·a = L·U with partial pivoting; pivots[j]: the row that row j was swapped with. */
/* What LAPACK compares when it looks for a pivot; its choice of a row is part of the result. */
static double pivot_size(number x) { return fabs(creal(x)) + fabs(cimag(x)); }

static void factor_lu(size_t m, size_t n, number *a, int64_t *pivots, int64_t *rows) {
  for (size_t i = 0; i < m; i++) rows[i] = (int64_t)i;
  for (size_t j = 0; j < m && j < n; j++) {
    size_t best = j;
    for (size_t i = j + 1; i < m; i++)
      if (pivot_size(a[j * m + i]) > pivot_size(a[j * m + best])) best = i;
    pivots[j] = (int64_t)best;
    const int64_t row = rows[j];
    rows[j] = rows[best];
    rows[best] = row;
    for (size_t k = 0; k < n && best != j; k++) {
      const number x = a[k * m + j];
      a[k * m + j] = a[k * m + best];
      a[k * m + best] = x;
    }
    if (a[j * m + j] == 0) continue; /* singular: the factorisation is still valid */
    for (size_t i = j + 1; i < m; i++) a[j * m + i] /= a[j * m + j];
    for (size_t k = j + 1; k < n; k++)
      for (size_t i = j + 1; i < m; i++) a[k * m + i] -= a[j * m + i] * a[k * m + j];
  }
}

/* Results: both factors in one matrix, pivots, the resulting permutation. */
static void run_lu(interp_call *call, matrix *x) {
  int64_t *pivots = ten_alloc((x->m + x->small + 1) * sizeof *pivots), *rows = pivots + x->small;
  factor_lu(x->m, x->n, x->a, pivots, rows);
  store(call->out[0], x->batch, x->m, x->n, x->a, x->finite);
  for (size_t j = 0; j < x->small; j++) interp_store_int(call->out[1], x->batch * x->small + j, pivots[j]);
  for (size_t i = 0; i < x->m; i++) interp_store_int(call->out[2], x->batch * x->m + i, rows[i]);
  free(pivots);
}

/* Results: s, then U and Vᴴ. A wide matrix is factorised through its adjoint. */
static void run_svd(interp_call *call, matrix *x) {
  const size_t m = x->m, n = x->n, large = m > n ? m : n, small = x->small;
  const bool vectors = call->op->result_count > 1, wide = m < n;
  const ten_type *u_type = vectors ? interp_out_type(call, 1) : NULL;
  const size_t columns = vectors && u_type->dims[u_type->rank - 1] == (int64_t)m &&
                                 interp_out_type(call, 2)->dims[u_type->rank - 2] == (int64_t)n
                             ? large
                             : small;
  number *a = x->a, *transposed = NULL;
  if (wide) {
    a = transposed = ten_alloc((m * n + 1) * sizeof *transposed);
    for (size_t i = 0; i < m; i++)
      for (size_t j = 0; j < n; j++) transposed[i * n + j] = conj(x->a[j * m + i]);
  }
  if (x->finite) factor_svd(large, small, a, x->w, x->q, columns, x->r);
  store_reals(call->out[0], x->batch, small, x->w, x->finite);
  if (vectors) {
    /* Column-major Vᴴ is row-major conj(V). */
    number *u = wide ? x->r : x->q, *v = wide ? x->q : x->r;
    const size_t u_columns = wide ? small : columns, v_columns = wide ? columns : small;
    number *adjoint = ten_alloc((n * v_columns + 1) * sizeof *adjoint);
    for (size_t j = 0; j < n; j++)
      for (size_t k = 0; k < v_columns; k++) adjoint[j * v_columns + k] = conj(v[k * n + j]);
    store(call->out[1], x->batch, m, u_columns, u, x->finite);
    store(call->out[2], x->batch, v_columns, n, adjoint, x->finite);
    free(adjoint);
  }
  free(transposed);
}

/* Shapes after the batch, one letter per dimension: m and n are the first operand's, s the lesser of them, p is n - 1,
 * k is any up to s, M is m or s, N is n or s. */
typedef struct factor_call {
  const char *target;
  const char *second;     /* operand; NULL: there is none */
  const char *results[4]; /* NULL: none */
  uint32_t results_min;
  bool square;
  void (*run)(interp_call *call, matrix *x);
} factor_call;

static const factor_call calls[] = {
    {"Qr", NULL, {"mn", "s"}, 2, false, run_qr},
    {"ProductOfElementaryHouseholderReflectors", "k", {"mn"}, 1, false, run_product},
    {"LuDecomposition", NULL, {"mn", "s", "m"}, 3, false, run_lu},
    {"Eigh", NULL, {"nn", "n"}, 2, true, run_eigh},
    {ten_text_QR_PIVOTS, "n", {"mn", "n", "s"}, 3, false, run_qr_pivots},
    {ten_text_HESSENBERG, NULL, {"nn", "p"}, 2, true, run_hessenberg},
    {ten_text_TRIDIAGONAL, NULL, {"nn", "n", "p", "p"}, 4, true, run_tridiagonal},
    {ten_text_EIGH, NULL, {"nn", "n"}, 2, true, run_eigh},
    {ten_text_SCHUR, NULL, {"nn", "nn"}, 1, true, run_schur},
    {ten_text_EIG, NULL, {"n", "nn", "nn"}, 1, true, run_eig},
    {ten_text_SVD, NULL, {"s", "mM", "Nn"}, 1, false, run_svd},
};

static bool fits_letter(char letter, int64_t size, int64_t m, int64_t n) {
  const int64_t small = m < n ? m : n;
  switch (letter) {
    case 'm': return size == m;
    case 'n': return size == n;
    case 's': return size == small;
    case 'p': return size == (n ? n - 1 : 0);
    case 'k': return size <= small;
    case 'M': return size == m || size == small;
    default: return size == n || size == small;
  }
}

static bool fits(const ten_tensor *in, const char *letters, uint32_t rank, const int64_t *dims) {
  const uint32_t batch = in->rank - 2;
  if (rank != batch + strlen(letters) || (batch && memcmp(dims, in->dims, batch * sizeof *dims) != 0)) return false;
  for (uint32_t i = batch; i < rank; i++)
    if (!fits_letter(letters[i - batch], dims[i], in->dims[batch], in->dims[batch + 1])) return false;
  return true;
}

/* Checks the program's declared shapes: all writes rely on them. */
static bool call_fits(interp_call *call, const factor_call *row) {
  const ten_tensor *in = call->op->operand_count ? call->in[0] : NULL;
  if (!in || call->op->operand_count != (row->second ? 2u : 1u) || in->rank < 2 ||
      call->op->result_count < row->results_min || call->op->result_count > 4 ||
      (row->square && in->dims[in->rank - 1] != in->dims[in->rank - 2]))
    return false;
  if (row->second && !fits(in, row->second, call->in[1]->rank, call->in[1]->dims)) return false;
  for (uint32_t i = 0; i < call->op->result_count; i++) {
    const ten_type *type = interp_out_type(call, i);
    if (!row->results[i] || !ten_type_is_tensor(type) || !fits(in, row->results[i], type->rank, type->dims))
      return false;
  }
  return true;
}

/* "U", or @Eigh's flag for the lower triangle: "0,…". */
static bool says_upper(const ten_attr *config) {
  if (!config || config->kind != TEN_ATTR_STRING) return false;
  const ten_str text = ten_attr_as_string(config);
  return ten_str_is(text, "U") || ten_str_starts(text, "0,");
}

static ten_status *run_all(interp_call *call, const factor_call *row) {
  if (!call_fits(call, row))
    return interp_error(call, TEN_INVALID, "@%s does not take these operands and results", row->target);
  const ten_tensor *in = call->in[0];
  for (uint32_t i = 0; i < call->op->result_count; i++) {
    const ten_type *type = interp_out_type(call, i);
    TEN_TRY(interp_make(call, i, type->rank, type->dims, &call->out[i]));
  }
  const size_t m = (size_t)in->dims[in->rank - 2], n = (size_t)in->dims[in->rank - 1], large = m > n ? m : n;
  if (!m || !n) return NULL;
  matrix x = {.m = m, .n = n, .small = m < n ? m : n, .real = !ten_dtype_is_complex(in->dtype)};
  x.upper = says_upper(ten_op_attr(call->op, "backend_config"));
  size_t cells = 0;
  if (!ten_mul(large, large, &cells) || !ten_mul(cells, 4 * sizeof *x.a, &cells))
    return interp_error(call, TEN_LIMIT, "a matrix of %zu by %zu is too big", m, n);
  x.a = ten_alloc((m * n + 1) * sizeof *x.a);
  x.taus = ten_alloc((large + 1) * sizeof *x.taus);
  x.q = ten_alloc((large * large + 1) * sizeof *x.q);
  x.r = ten_alloc((large * large + 1) * sizeof *x.r);
  x.w = ten_alloc((large + 1) * sizeof *x.w);
  x.e = ten_alloc((large + 1) * sizeof *x.e);
  for (x.batch = 0; x.batch < in->count / (m * n); x.batch++) {
    x.finite = load(in, x.batch, m, n, x.a);
    row->run(call, &x);
  }
  free(x.a), free(x.taus), free(x.q), free(x.r), free(x.w), free(x.e);
  return NULL;
}

bool interp_is_factor(ten_str target) {
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
    if (ten_str_is(target, calls[i].target)) return true;
  return false;
}

ten_status *interp_factor(interp_call *call, ten_str target, bool *out_found) {
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
    if (ten_str_is(target, calls[i].target)) {
      *out_found = true;
      return run_all(call, &calls[i]);
    }
  *out_found = false;
  return NULL;
}
