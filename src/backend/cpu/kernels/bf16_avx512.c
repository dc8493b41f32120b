/* bf16_avx512.c: broadcasts a pair of A and multiplies it by sixteen pairs of B. */
#include "backend/cpu/kernels/bf16.h"
#include "backend/cpu/kernels/tables.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

enum { MOST_ROWS = 12 };

static inline __attribute__((always_inline)) void rows_of(const int rows, const uint16_t *a, int64_t row_stride,
                                                          const int64_t *offsets, int64_t blocks, const uint16_t *b,
                                                          float *c, int64_t ldc) {
  __m512 acc[MOST_ROWS][2];
  for (int i = 0; i < rows; i++) acc[i][0] = acc[i][1] = _mm512_setzero_ps();
  for (int64_t block = 0; block < blocks; block++) {
    const uint16_t *at = a + offsets[block];
    for (int k = 0; k < BF16_K; k += 2, b += 2 * BF16_COLUMNS) {
      const __m512bh b0 = (__m512bh)_mm512_loadu_si512(b), b1 = (__m512bh)_mm512_loadu_si512(b + BF16_COLUMNS);
#pragma GCC unroll 12
      for (int i = 0; i < rows; i++) {
        int pair;
        memcpy(&pair, at + i * row_stride + k, sizeof pair);
        const __m512bh av = (__m512bh)_mm512_set1_epi32(pair);
        acc[i][0] = _mm512_dpbf16_ps(acc[i][0], av, b0);
        acc[i][1] = _mm512_dpbf16_ps(acc[i][1], av, b1);
      }
    }
  }
  for (int i = 0; i < rows; i++) {
    _mm512_storeu_ps(c + i * ldc, acc[i][0]);
    _mm512_storeu_ps(c + i * ldc + BF16_COLUMNS / 2, acc[i][1]);
  }
}

static void avx512_block(const uint16_t *a, int64_t row_stride, const int64_t *offsets, int64_t blocks,
                         const uint16_t *b, int rows, float *c, int64_t ldc, ten_bf16_ahead ahead) {
  (void)ahead;
  int m = 0;
  for (; m + MOST_ROWS <= rows; m += MOST_ROWS)
    rows_of(MOST_ROWS, a + m * row_stride, row_stride, offsets, blocks, b, c + m * ldc, ldc);
  for (; m + 4 <= rows; m += 4) rows_of(4, a + m * row_stride, row_stride, offsets, blocks, b, c + m * ldc, ldc);
  for (; m < rows; m++) rows_of(1, a + m * row_stride, row_stride, offsets, blocks, b, c + m * ldc, ldc);
}

const ten_bf16_form ten_bf16_avx512 = {.name = "avx512bf16", .block = avx512_block};
#endif
