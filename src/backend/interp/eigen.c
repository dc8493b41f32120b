/* eigen.c: eigenvalue iterations. A Hermitian matrix is reduced to tridiagonal and then diagonal form by implicit QL
 * steps; any other to Hessenberg and then triangular form by QR steps: with single complex shifts or, to keep a real
 * matrix real, with Francis's double shifts, where pairs of eigenvalues stay as 2×2 blocks. Eigenvectors come from the
 * triangle by back substitution. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "backend/interp/factor.h"
#include "base/arena.h"

typedef factor_number number;

enum { STEPS = 60 }; /* maximum iterations per eigenvalue */

/* Columns p and p+1 of z: (x, y) := (c·x - s·y, s·x + c·y). */
static void rotate_columns(size_t rows, number *z, size_t p, double c, double s) {
  number *a = z + p * rows, *b = a + rows;
  for (size_t i = 0; i < rows; i++) {
    const number x = a[i], y = b[i];
    a[i] = c * x - s * y;
    b[i] = s * x + c * y;
  }
}

/* d: diagonal, e: off-diagonal of a real symmetric tridiagonal matrix; z accumulates the rotations. */
static bool tridiagonal_ql(size_t n, double *d, double *e, number *z) {
  e[n - 1] = 0;
  for (size_t l = 0; l < n; l++)
    for (int step = 0;; step++) {
      size_t m = l;
      while (m + 1 < n && fabs(e[m]) > DBL_EPSILON * (fabs(d[m]) + fabs(d[m + 1])) && fabs(e[m]) > DBL_MIN) m++;
      if (m == l) break;
      if (step == STEPS) return false;
      double g = (d[l + 1] - d[l]) / (2 * e[l]), r = hypot(g, 1);
      g = d[m] - d[l] + e[l] / (g + copysign(r, g));
      double s = 1, c = 1, p = 0;
      size_t i = m;
      while (i-- > l) {
        double f = s * e[i];
        const double b = c * e[i];
        e[i + 1] = r = hypot(f, g);
        if (r == 0) { /* the matrix decouples here */
          d[i + 1] -= p;
          e[m] = 0;
          break;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        rotate_columns(n, z, i, c, s);
      }
      if (r == 0 && i + 1 > l) continue;
      d[l] -= p;
      e[l] = g;
      e[m] = 0;
    }
  return true;
}

bool factor_eigh(size_t n, number *a, double *w) {
  number *taus = ten_alloc((n + 1) * sizeof *taus), *z = ten_alloc((n * n + 1) * sizeof *z);
  double *e = ten_alloc((n + 1) * sizeof *e);
  factor_hessenberg(n, a, taus);
  factor_hessenberg_q(n, a, taus, z);
  for (size_t i = 0; i < n; i++) {
    w[i] = creal(a[i * n + i]);
    e[i] = i + 1 < n ? creal(a[i * n + i + 1]) : 0;
  }
  const bool settled = tridiagonal_ql(n, w, e, z);
  size_t *order = ten_alloc((n + 1) * sizeof *order);
  for (size_t i = 0; i < n; i++) { /* ascending */
    size_t at = i;
    for (; at > 0 && w[order[at - 1]] > w[i]; at--) order[at] = order[at - 1];
    order[at] = i;
  }
  for (size_t i = 0; i < n; i++) {
    e[i] = w[order[i]];
    for (size_t r = 0; r < n; r++) a[i * n + r] = z[order[i] * n + r];
  }
  for (size_t i = 0; i < n; i++) w[i] = e[i];
  free(taus), free(z), free(e), free(order);
  return settled;
}

#define T(i, j) t[(j) * n + (i)]

static double one_norm(size_t n, const number *t) {
  double most = 0;
  for (size_t j = 0; j < n; j++) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += cabs(T(i, j));
    most = fmax(most, sum);
  }
  return most;
}

/* The first row of the block that ends at `high`; a negligible subdiagonal above it is set to zero. */
static size_t block_start(size_t n, number *t, size_t high, double norm) {
  size_t low = high;
  for (; low > 0; low--) {
    double size = cabs(T(low - 1, low - 1)) + cabs(T(low, low));
    if (size == 0) size = norm;
    if (cabs(T(low, low - 1)) > DBL_EPSILON * size && cabs(T(low, low - 1)) > DBL_MIN) continue;
    T(low, low - 1) = 0;
    break;
  }
  return low;
}

/* The unitary [a, -conj(b); b, conj(a)] on rows (its adjoint) and columns p, p+1 of t and the columns of z. */
static void similar(size_t n, number *t, number *z, size_t p, number a, number b) {
  for (size_t j = 0; j < n; j++) {
    const number x = T(p, j), y = T(p + 1, j);
    T(p, j) = conj(a) * x + conj(b) * y;
    T(p + 1, j) = a * y - b * x;
  }
  number *const sides[] = {t, z};
  for (int k = 0; k < 2; k++) {
    number *u = sides[k] + p * n, *v = u + n;
    for (size_t i = 0; i < n; i++) {
      const number x = u[i], y = v[i];
      u[i] = a * x + b * y;
      v[i] = conj(a) * y - conj(b) * x;
    }
  }
}

static number wilkinson(size_t n, const number *t, size_t high) {
  const number a = T(high - 1, high - 1), b = T(high - 1, high), c = T(high, high - 1), d = T(high, high);
  const number half = (a - d) / 2, root = csqrt(half * half + b * c);
  const number x = d + half + root, y = d + half - root;
  return cabs(x - d) < cabs(y - d) ? x : y;
}

static void qr_step(size_t n, number *t, number *z, size_t low, size_t high, number shift, number *turns) {
  for (size_t i = low; i <= high; i++) T(i, i) -= shift;
  for (size_t k = low; k < high; k++) { /* T := R */
    const double r = hypot(cabs(T(k, k)), cabs(T(k + 1, k)));
    const number a = r > 0 ? T(k, k) / r : 1, b = r > 0 ? T(k + 1, k) / r : 0;
    turns[2 * k] = a;
    turns[2 * k + 1] = b;
    for (size_t j = k; j < n; j++) {
      const number x = T(k, j), y = T(k + 1, j);
      T(k, j) = conj(a) * x + conj(b) * y;
      T(k + 1, j) = a * y - b * x;
    }
    T(k + 1, k) = 0;
  }
  for (size_t k = low; k < high; k++) { /* T := R·Q */
    const number a = turns[2 * k], b = turns[2 * k + 1];
    for (size_t i = 0; i <= k + 1; i++) {
      const number x = T(i, k), y = T(i, k + 1);
      T(i, k) = a * x + b * y;
      T(i, k + 1) = conj(a) * y - conj(b) * x;
    }
    for (size_t i = 0; i < n; i++) {
      const number x = z[k * n + i], y = z[(k + 1) * n + i];
      z[k * n + i] = a * x + b * y;
      z[(k + 1) * n + i] = conj(a) * y - conj(b) * x;
    }
  }
  for (size_t i = low; i <= high; i++) T(i, i) += shift;
}

static bool schur_complex(size_t n, number *t, number *z) {
  const double norm = one_norm(n, t);
  number *turns = ten_alloc((2 * n + 2) * sizeof *turns);
  bool settled = true;
  size_t high = n - 1;
  for (int step = 0; high > 0 && settled;) {
    const size_t low = block_start(n, t, high, norm);
    if (low == high) {
      high--;
      step = 0;
      continue;
    }
    settled = ++step <= STEPS;
    const bool stuck = step % 10 == 0;
    qr_step(n, t, z, low, high, stuck ? cabs(T(high, high - 1)) + T(high, high) : wilkinson(n, t, high), turns);
  }
  free(turns);
  return settled;
}

/* Makes a 2×2 block with real eigenvalues triangular, and equalizes the diagonal of one with a complex pair. */
static void standardise(size_t n, number *t, number *z, size_t p) {
  const double a = creal(T(p, p)), b = creal(T(p, p + 1)), c = creal(T(p + 1, p)), d = creal(T(p + 1, p + 1));
  if (c == 0) return;
  const double half = (a - d) / 2, inside = half * half + b * c;
  if (inside >= 0) {
    const double root = half + copysign(sqrt(inside), half), r = hypot(root, c);
    similar(n, t, z, p, root / r, c / r);
    T(p + 1, p) = 0;
    return;
  }
  if (half == 0) return;
  const double sum = b + c, r = hypot(sum, a - d), cosine = sqrt((1 + fabs(sum) / r) / 2);
  similar(n, t, z, p, cosine, -copysign(half / (r * cosine), half * sum));
  T(p, p) = T(p + 1, p + 1) = (creal(T(p, p)) + creal(T(p + 1, p + 1))) / 2;
}

/* Applies a reflector of 2 or 3 entries from row k to rows and columns of t, and the columns of z. */
static void bulge(size_t n, number *t, number *z, size_t k, size_t count, number *x) {
  const number tau = factor_reflect(count, x);
  factor_apply_left(count, x, tau, &T(k, 0), n, n);
  number *const sides[] = {t, z};
  for (int side = 0; side < 2; side++)
    for (size_t i = 0; i < n; i++) {
      number *at = sides[side] + k * n + i, dot = at[0];
      for (size_t j = 1; j < count; j++) dot += at[j * n] * x[j];
      dot *= tau;
      at[0] -= dot;
      for (size_t j = 1; j < count; j++) at[j * n] -= dot * x[j];
    }
}

static void francis_step(size_t n, number *t, number *z, size_t low, size_t high, double sum, double product) {
  const double h = creal(T(low, low)), under = creal(T(low + 1, low));
  number x[3] = {h * h + creal(T(low, low + 1)) * under - sum * h + product,
                 under * (h + creal(T(low + 1, low + 1)) - sum), under * creal(T(low + 2, low + 1))};
  for (size_t k = low; k + 1 <= high; k++) {
    const size_t count = k + 2 <= high ? 3 : 2;
    if (k > low)
      for (size_t i = 0; i < count; i++) x[i] = T(k + i, k - 1);
    bulge(n, t, z, k, count, x);
    if (k > low)
      for (size_t i = 1; i < count; i++) T(k + i, k - 1) = 0;
  }
}

static bool schur_real(size_t n, number *t, number *z) {
  const double norm = one_norm(n, t);
  size_t end = n; /* rows below have converged */
  for (int step = 0; end > 1;) {
    const size_t high = end - 1, low = block_start(n, t, high, norm);
    if (low + 1 >= high) {
      if (low < high) standardise(n, t, z, low);
      end = low;
      step = 0;
      continue;
    }
    if (++step > STEPS) return false;
    const double a = creal(T(high - 1, high - 1)), b = creal(T(high - 1, high)), c = creal(T(high, high - 1)),
                 d = creal(T(high, high)), size = fabs(c) + fabs(creal(T(high - 1, high - 2)));
    const bool stuck = step % 10 == 0;
    francis_step(n, t, z, low, high, stuck ? 1.5 * size : a + d, stuck ? size * size : a * d - b * c);
  }
  return true;
}

bool factor_schur(size_t n, bool real, number *t, number *z) {
  number *taus = ten_alloc((n + 1) * sizeof *taus);
  factor_hessenberg(n, t, taus);
  factor_hessenberg_q(n, t, taus, z);
  free(taus);
  for (size_t j = 0; j < n; j++)
    for (size_t i = j + 2; i < n; i++) T(i, j) = 0;
  return real ? schur_real(n, t, z) : schur_complex(n, t, z);
}

/* Splits 2×2 blocks in complex arithmetic; eigenvalues as in the real form: exact pairs, plus before minus. */
static void split_pairs(size_t n, number *t, number *z, number *w) {
  for (size_t p = 0; p < n; p++) {
    w[p] = creal(T(p, p));
    if (p + 1 == n || T(p + 1, p) == 0) continue;
    const double b = creal(T(p, p + 1)), c = creal(T(p + 1, p)), part = sqrt(fabs(b)) * sqrt(fabs(c));
    w[p] = creal(T(p, p)) + part * I;
    w[p + 1] = conj(w[p]);
    const number x = w[p] - T(p + 1, p + 1);
    const double r = hypot(cabs(x), c);
    similar(n, t, z, p, x / r, c / r);
    T(p + 1, p) = 0;
    p++;
  }
}

/* Scales to length 1 with the largest entry real; for a real eigenvalue of a real matrix, all entries. */
static void normalise(size_t n, number *x, bool real) {
  double sum = 0, most = -1;
  number top = 1;
  for (size_t i = 0; i < n; i++) {
    const double size = cabs(x[i]);
    sum += size * size;
    if (size > most * (1 + 1e-12)) most = size, top = x[i];
  }
  const number scale = conj(top) / (cabs(top) * sqrt(sum));
  for (size_t i = 0; i < n; i++) {
    x[i] *= scale;
    if (real) x[i] = creal(x[i]);
  }
}

static number divide(number x, number difference, double least) {
  return x / (cabs(difference) < least ? least : difference);
}

/* Eigenvector k of the triangle t, transformed by z. */
static void vector(size_t n, const number *t, const number *z, size_t k, bool left, double least, number *y,
                   number *out) {
  for (size_t i = 0; i < n; i++) y[i] = i == k;
  if (left)
    for (size_t j = k + 1; j < n; j++) {
      number sum = 0;
      for (size_t i = k; i < j; i++) sum += conj(y[i]) * T(i, j);
      y[j] = conj(divide(-sum, T(j, j) - T(k, k), least));
    }
  else
    for (size_t i = k; i-- > 0;) {
      number sum = 0;
      for (size_t j = i + 1; j <= k; j++) sum += T(i, j) * y[j];
      y[i] = divide(-sum, T(i, i) - T(k, k), least);
    }
  for (size_t i = 0; i < n; i++) out[i] = 0;
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) out[i] += z[j * n + i] * y[j];
}

bool factor_eig(size_t n, bool real, number *t, number *w, number *left, number *right) {
  number *z = ten_alloc((n * n + 1) * sizeof *z), *y = ten_alloc((n + 1) * sizeof *y);
  const bool settled = factor_schur(n, real, t, z);
  if (real)
    split_pairs(n, t, z, w);
  else
    for (size_t i = 0; i < n; i++) w[i] = T(i, i);
  const double least = fmax(DBL_EPSILON * one_norm(n, t), DBL_MIN);
  for (size_t k = 0; k < n; k++) {
    const bool plain = real && cimag(w[k]) == 0;
    if (left) vector(n, t, z, k, true, least, y, left + k * n), normalise(n, left + k * n, plain);
    if (right) vector(n, t, z, k, false, least, y, right + k * n), normalise(n, right + k * n, plain);
  }
  free(z), free(y);
  return settled;
}
