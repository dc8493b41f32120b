/* solve.c: Cholesky factors and triangular systems of f32 and f64, by contiguous rows. */
#include <math.h>
#include <string.h>

#include "backend/cpu/kernels/gemm.h"

enum { ROWS = 4, SMALL = 16 };
#define VECTOR_OF(name, type) \
  typedef type name __attribute__((vector_size(VL * sizeof(float)), aligned(sizeof(type)), may_alias));
VECTOR_OF(v_f32, float)
VECTOR_OF(v_f64, double)

#define REAL float
#define VEC v_f32
#define S(name) f32_##name
#include "backend/cpu/kernels/solve_block.h"
#undef REAL
#undef VEC
#undef S
#define REAL double
#define VEC v_f64
#define S(name) f64_##name
#include "backend/cpu/kernels/solve_block.h"

void TEN_K(cholesky_run)(bool wide, int64_t n, bool lower, const void *a, void *out) {
  if (wide)
    f64_cholesky(n, lower, a, out);
  else
    f32_cholesky(n, lower, a, out);
}

/* Small systems are solved in double: each unknown then has one rounding error instead of accumulated ones. */
static void solve_small(const ten_solve *s, const float *a, float *x) {
  double wide_a[SMALL * SMALL], wide_x[SMALL * SMALL];
  for (int64_t i = 0; i < s->n * s->n; i++) wide_a[i] = (double)a[i];
  for (int64_t i = 0; i < s->n * s->sides; i++) wide_x[i] = (double)x[i];
  f64_solve(s, wide_a, wide_x);
  for (int64_t i = 0; i < s->n * s->sides; i++) x[i] = (float)wide_x[i];
}

void TEN_K(solve_run)(const ten_solve *s, const void *a, const void *b, void *x) {
  memcpy(x, b, (size_t)(s->n * s->sides) * (s->wide ? sizeof(double) : sizeof(float)));
  if (s->wide)
    f64_solve(s, a, x);
  else if (s->n <= SMALL && s->sides <= SMALL)
    solve_small(s, a, x);
  else
    f32_solve(s, a, x);
}
