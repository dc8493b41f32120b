/* epilogues.c: matmul epilogues that every network has, so that a program with no others needs no compiler: bias per
 * column, ReLU. They match generated code bit for bit, including NaN and zeros. */
#include "backend/cpu/kernels/gemm.h"
#include "backend/cpu/kernels/kernels.h"

ALWAYS_INLINE void ready_end(const float *bias, bool relu, float *c, int64_t ldc, int64_t rows, int64_t columns) {
  for (int64_t i = 0; i < rows; i++, c += ldc)
    for (int64_t j = 0; j < columns; j++) {
      const float x = bias ? c[j] + bias[j] : c[j];
      c[j] = !relu || x > 0 ? x : x <= 0 ? 0 : x; /* NaN stays */
    }
}

static void add_bias(void *context, float *c, int64_t ldc, int64_t m0, int64_t m1, int64_t n0, int64_t n1) {
  ready_end(((const float *const *)context)[0] + n0, false, c, ldc, m1 - m0, n1 - n0);
}
static void add_bias_cut(void *context, float *c, int64_t ldc, int64_t m0, int64_t m1, int64_t n0, int64_t n1) {
  ready_end(((const float *const *)context)[0] + n0, true, c, ldc, m1 - m0, n1 - n0);
}
static void cut(void *context, float *c, int64_t ldc, int64_t m0, int64_t m1, int64_t n0, int64_t n1) {
  (void)context;
  ready_end(NULL, true, c, ldc, m1 - m0, n1 - n0);
}

const ten_epilogue TEN_K(ready)[TEN_READY_COUNT] = {
    [TEN_READY_BIAS] = add_bias, [TEN_READY_BIAS_RELU] = add_bias_cut, [TEN_READY_RELU] = cut};
