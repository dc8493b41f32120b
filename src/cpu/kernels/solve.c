/* solve.c: Cholesky factors and triangular systems of f32 and f64, by rows that lie together. */
#include <math.h>
#include <string.h>

#include "cpu/kernels/gemm.h"

enum { ROWS = 4 };
#define VECTOR_OF(name, type) \
  typedef type name __attribute__((vector_size(VL * sizeof(float)), aligned(sizeof(type)), may_alias));
VECTOR_OF(v_f32, float)
VECTOR_OF(v_f64, double)

#define REAL float
#define VEC v_f32
#define S(name) f32_##name
#include "cpu/kernels/solve_block.h"
#undef REAL
#undef VEC
#undef S
#define REAL double
#define VEC v_f64
#define S(name) f64_##name
#include "cpu/kernels/solve_block.h"

void TEN_K(cholesky_run)(bool wide, int64_t n, bool lower, const void *a, void *out) {
  if (wide)
    f64_cholesky(n, lower, a, out);
  else
    f32_cholesky(n, lower, a, out);
}

void TEN_K(solve_run)(const ten_solve *s, const void *a, const void *b, void *x) {
  memcpy(x, b, (size_t)(s->n * s->sides) * (s->wide ? sizeof(double) : sizeof(float)));
  if (s->wide)
    f64_solve(s, a, x);
  else
    f32_solve(s, a, x);
}
