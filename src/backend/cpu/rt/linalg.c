/* linalg.c: Cholesky factors and triangular systems. Elements are read as pairs of doubles and rounded when stored, so
 * that the same code serves every float and complex type; f32 and f64 have specialised kernels. */
#include <math.h>

#include "backend/cpu/rt/rt.h"
#include "base/float.h"

typedef struct pair {
  double re, im;
} pair;

static pair load(ten_dtype dtype, const void *base, int64_t i) {
  const ten_dtype part = ten_dtype_part(dtype);
  const char *at = (const char *)base + (size_t)i * ten_dtype_bytes(dtype);
  pair value = {ten_float_decode(part, at), 0};
  if (ten_dtype_is_complex(dtype)) value.im = ten_float_decode(part, at + ten_dtype_bytes(part));
  return value;
}

static void store(ten_dtype dtype, void *base, int64_t i, pair value) {
  const ten_dtype part = ten_dtype_part(dtype);
  char *at = (char *)base + (size_t)i * ten_dtype_bytes(dtype);
  ten_float_encode(part, value.re, at);
  if (ten_dtype_is_complex(dtype)) ten_float_encode(part, value.im, at + ten_dtype_bytes(part));
}

static pair conj_of(pair a) { return (pair){a.re, -a.im}; }
static pair sub_product(pair s, pair a, pair b) {
  return (pair){s.re - (a.re * b.re - a.im * b.im), s.im - (a.re * b.im + a.im * b.re)};
}
static pair divide(pair a, pair b) {
  if (b.im == 0) return (pair){a.re / b.re, a.im / b.re};
  const double size = b.re * b.re + b.im * b.im;
  return (pair){(a.re * b.re + a.im * b.im) / size, (a.im * b.re - a.re * b.im) / size};
}

/* L·Lᴴ = A from A's lower triangle; for `upper`, U = Lᴴ of its upper one. The other triangle is zero. */
void ten_cpu_cholesky_run(void *const *args, const void *descriptor, int64_t begin, int64_t end, int64_t worker) {
  (void)worker;
  const ten_cpu_cholesky *c = descriptor;
  const int64_t n = c->n;
  const size_t bytes = (size_t)(n * n) * ten_dtype_bytes(c->dtype);
  if (c->dtype == TEN_F32 || c->dtype == TEN_F64) {
    for (int64_t unit = begin; unit < end; unit++)
      ten_kernels_best()->cholesky_run(c->dtype == TEN_F64, n, c->lower, (const char *)args[0] + (size_t)unit * bytes,
                                       (char *)args[1] + (size_t)unit * bytes);
    return;
  }
  for (int64_t unit = begin; unit < end; unit++) {
    const char *a = (const char *)args[0] + (size_t)unit * bytes;
    char *out = (char *)args[1] + (size_t)unit * bytes;
    for (int64_t j = 0; j < n; j++) {
      for (int64_t i = 0; i < n; i++) {
        const int64_t at = c->lower ? i * n + j : j * n + i;
        if (i < j) {
          store(c->dtype, out, at, (pair){0, 0});
          continue;
        }
        pair sum = load(c->dtype, a, at);
        if (!c->lower) sum = conj_of(sum);
        for (int64_t k = 0; k < j; k++) {
          pair x = load(c->dtype, out, c->lower ? i * n + k : k * n + i),
               y = load(c->dtype, out, c->lower ? j * n + k : k * n + j);
          if (!c->lower) x = conj_of(x), y = conj_of(y);
          sum = sub_product(sum, x, conj_of(y));
        }
        if (i == j) {
          sum = (pair){sqrt(sum.re), 0};
        } else {
          const pair diagonal = load(c->dtype, out, j * n + j);
          sum = (pair){sum.re / diagonal.re, sum.im / diagonal.re};
        }
        store(c->dtype, out, at, c->lower ? sum : conj_of(sum));
      }
    }
  }
}

/* op(A)·X = B, or X·op(A) = B, by substitution, one right-hand side at a time. */
void ten_cpu_trisolve_run(void *const *args, const void *descriptor, int64_t begin, int64_t end, int64_t worker) {
  (void)worker;
  const ten_cpu_trisolve *t = descriptor;
  const int64_t n = t->n, others = t->left ? t->cols : t->rows;
  const size_t element = ten_dtype_bytes(t->dtype);
  /* X·M = B is Mᵀ·Xᵀ = Bᵀ */
  const bool transposed = t->transpose != !t->left;
  const bool forward = t->lower != transposed;
  if (t->dtype == TEN_F32 || t->dtype == TEN_F64) {
    const ten_solve solve = {n, others, t->dtype == TEN_F64, t->left, transposed, forward, t->unit};
    const size_t matrix = (size_t)(n * n) * element, whole = (size_t)(t->rows * t->cols) * element;
    for (int64_t unit = begin; unit < end; unit++)
      ten_kernels_best()->solve_run(&solve, (const char *)args[0] + (size_t)unit * matrix,
                                    (const char *)args[1] + (size_t)unit * whole,
                                    (char *)args[2] + (size_t)unit * whole);
    return;
  }
  for (int64_t unit = begin; unit < end; unit++) {
    const char *a = (const char *)args[0] + (size_t)(unit * n * n) * element;
    const char *b = (const char *)args[1] + (size_t)(unit * t->rows * t->cols) * element;
    char *x = (char *)args[2] + (size_t)(unit * t->rows * t->cols) * element;
    for (int64_t side = 0; side < others; side++)
      for (int64_t step = 0; step < n; step++) {
        const int64_t i = forward ? step : n - 1 - step;
        const int64_t at = t->left ? i * t->cols + side : side * t->cols + i;
        pair sum = load(t->dtype, b, at);
        for (int64_t k = forward ? 0 : i + 1; k < (forward ? i : n); k++) {
          pair m = load(t->dtype, a, transposed ? k * n + i : i * n + k);
          if (t->conjugate) m = conj_of(m);
          sum = sub_product(sum, m, load(t->dtype, x, t->left ? k * t->cols + side : side * t->cols + k));
        }
        if (!t->unit) {
          pair diagonal = load(t->dtype, a, i * n + i);
          sum = divide(sum, t->conjugate ? conj_of(diagonal) : diagonal);
        }
        store(t->dtype, x, at, sum);
      }
  }
}
