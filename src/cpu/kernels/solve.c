/* solve.c: Cholesky factors and triangular systems of f32 and f64, by rows that lie together. */
#include <math.h>
#include <string.h>

#include "cpu/kernels/gemm.h"

#define SOLVE(REAL, VEC, name)                                                                                        \
  typedef REAL VEC __attribute__((vector_size(VL * sizeof(float)), aligned(sizeof(REAL)), may_alias));                \
  static REAL name##_dot(const REAL *a, const REAL *b, int64_t n) {                                                   \
    enum { LANES = sizeof(VEC) / sizeof(REAL) };                                                                      \
    VEC sums[2] = {{0}, {0}};                                                                                         \
    int64_t k = 0;                                                                                                    \
    for (; k + 2 * LANES <= n; k += 2 * LANES)                                                                        \
      for (int v = 0; v < 2; v++) sums[v] += *(const VEC *)(a + k + v * LANES) * *(const VEC *)(b + k + v * LANES);   \
    const VEC all = sums[0] + sums[1];                                                                                \
    REAL sum = 0;                                                                                                     \
    for (int i = 0; i < LANES; i++) sum += all[i];                                                                    \
    for (; k < n; k++) sum += a[k] * b[k];                                                                            \
    return sum;                                                                                                       \
  }                                                                                                                   \
  static void name##_axpy(int64_t n, REAL a, const REAL *restrict x, REAL *restrict y) {                              \
    for (int64_t i = 0; i < n; i++) y[i] -= a * x[i];                                                                 \
  }                                                                                                                   \
  /* L·Lᵀ = A of A's lower triangle, or Lᵀ of its upper one, which is worked out as L and turned over. */             \
  static void name##_cholesky(int64_t n, bool lower, const REAL *a, REAL *out) {                                      \
    for (int64_t i = 0; i < n; i++)                                                                                   \
      for (int64_t j = 0; j < n; j++) out[i * n + j] = j > i ? 0 : lower ? a[i * n + j] : a[j * n + i];               \
    for (int64_t i = 0; i < n; i++) {                                                                                 \
      REAL *row = out + i * n;                                                                                        \
      for (int64_t j = 0; j < i; j++) row[j] = (row[j] - name##_dot(row, out + j * n, j)) / out[j * n + j];           \
      row[i] = (REAL)sqrt((double)(row[i] - name##_dot(row, row, i)));                                                \
    }                                                                                                                 \
    for (int64_t i = 0; i < n && !lower; i++)                                                                         \
      for (int64_t j = 0; j < i; j++) out[j * n + i] = out[i * n + j], out[i * n + j] = 0;                            \
  }                                                                                                                   \
  /* M·X = B, M[i, k] = a[i·row + k·col]: one row of X after the other, `sides` right-hand sides at once. */          \
  static void name##_left(int64_t n, int64_t sides, int64_t row, int64_t col, bool forward, bool unit, const REAL *a, \
                          REAL *x) {                                                                                  \
    for (int64_t step = 0; step < n; step++) {                                                                        \
      const int64_t i = forward ? step : n - 1 - step;                                                                \
      for (int64_t k = forward ? 0 : i + 1; k < (forward ? i : n); k++)                                               \
        name##_axpy(sides, a[i * row + k * col], x + k * sides, x + i * sides);                                       \
      const REAL diagonal = unit ? 1 : a[i * (row + col)];                                                            \
      for (int64_t s = 0; s < sides && !unit; s++) x[i * sides + s] /= diagonal;                                      \
    }                                                                                                                 \
  }                                                                                                                   \
  /* The same of one right-hand side that lies together. */                                                           \
  static void name##_line(int64_t n, int64_t row, int64_t col, bool forward, bool unit, const REAL *a, REAL *x) {     \
    for (int64_t step = 0; step < n; step++) {                                                                        \
      const int64_t i = forward ? step : n - 1 - step, first = forward ? 0 : i + 1, count = forward ? i : n - 1 - i;  \
      if (col == 1) x[i] -= name##_dot(a + i * row + first, x + first, count);                                        \
      if (!unit) x[i] /= a[i * (row + col)];                                                                          \
      const int64_t rest = forward ? i + 1 : 0, others = forward ? n - 1 - i : i;                                     \
      if (col != 1) name##_axpy(others, x[i], a + i * col + rest * row, x + rest);                                    \
    }                                                                                                                 \
  }
SOLVE(float, v_float, f32)
SOLVE(double, v_double, f64)

void TEN_K(cholesky_run)(bool wide, int64_t n, bool lower, const void *a, void *out) {
  if (wide)
    f64_cholesky(n, lower, a, out);
  else
    f32_cholesky(n, lower, a, out);
}

void TEN_K(solve_run)(const ten_solve *s, const void *a, const void *b, void *x) {
  const int64_t n = s->n, row = s->transposed ? 1 : n, col = s->transposed ? n : 1;
  memcpy(x, b, (size_t)(n * s->sides) * (s->wide ? sizeof(double) : sizeof(float)));
  if (s->left && s->sides > 1) {
    if (s->wide)
      f64_left(n, s->sides, row, col, s->forward, s->unit, a, x);
    else
      f32_left(n, s->sides, row, col, s->forward, s->unit, a, x);
    return;
  }
  for (int64_t i = 0; i < s->sides; i++)
    if (s->wide)
      f64_line(n, row, col, s->forward, s->unit, a, (double *)x + i * n);
    else
      f32_line(n, row, col, s->forward, s->unit, a, (float *)x + i * n);
}
