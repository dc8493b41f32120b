/* int8_vnni.c: VPDPBUSD: four unsigned bytes of A, broadcast, times four signed bytes of each of sixteen columns of B,
 * summed in 32 bits without saturation. Fourteen rows by two vectors of columns take 28 of 32 registers, and their 28
 * products for 16 loads leave the load ports idle half of the time; ResNet's images are 56, 28, 14 and 7 pixels wide.
 */
#include "backend/cpu/kernels/tables.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

enum { MOST_ROWS = 14, VECTOR = INT8_COLUMNS / 2 };

/* Rows are addressed from every fifth of them: with one, two, three and four strides that takes few registers. */
static inline __attribute__((always_inline)) __m512i quad_at(const uint8_t *const base[3], int64_t stride, int row,
                                                             int64_t k) {
  int four;
  memcpy(&four, base[row / 5] + row % 5 * stride + k, sizeof four);
  return _mm512_set1_epi32(four);
}

static inline __attribute__((always_inline)) void rows_of(const int rows, const uint8_t *a, int64_t row_stride,
                                                          const int64_t *offsets, int64_t segments, int64_t quads,
                                                          const int8_t *b, const int32_t *init, int32_t *c,
                                                          int64_t ldc) {
  __m512i acc[MOST_ROWS][2];
  const __m512i first = _mm512_loadu_si512(init), second = _mm512_loadu_si512(init + VECTOR);
#pragma GCC unroll 14
  for (int r = 0; r < rows; r++) acc[r][0] = first, acc[r][1] = second;
  for (int64_t s = 0; s < segments; s++) {
    const uint8_t *base[3] = {a + offsets[s]};
    base[1] = base[0] + 5 * row_stride;
    base[2] = base[1] + 5 * row_stride;
    for (int64_t k = 0; k < quads * INT8_QUAD; k += INT8_QUAD, b += INT8_QUAD * INT8_COLUMNS) {
      const __m512i b0 = _mm512_loadu_si512(b), b1 = _mm512_loadu_si512(b + INT8_QUAD * VECTOR);
#pragma GCC unroll 14
      for (int r = 0; r < rows; r++) {
        const __m512i x = quad_at(base, row_stride, r, k);
        acc[r][0] = _mm512_dpbusd_epi32(acc[r][0], x, b0);
        acc[r][1] = _mm512_dpbusd_epi32(acc[r][1], x, b1);
      }
    }
  }
#pragma GCC unroll 14
  for (int r = 0; r < rows; r++) {
    _mm512_storeu_si512(c + r * ldc, acc[r][0]);
    _mm512_storeu_si512(c + r * ldc + VECTOR, acc[r][1]);
  }
}

/* A function for each number of rows: the sums stay in registers. */
static void vnni_block(const uint8_t *a, int64_t row_stride, const int64_t *offsets, int64_t segments, int64_t quads,
                       const int8_t *b, const int32_t *init, int rows, int32_t *c, int64_t ldc) {
  for (; rows > MOST_ROWS; rows -= MOST_ROWS, a += MOST_ROWS * row_stride, c += MOST_ROWS * ldc)
    rows_of(MOST_ROWS, a, row_stride, offsets, segments, quads, b, init, c, ldc);
#define ROWS(count) \
  case count: rows_of(count, a, row_stride, offsets, segments, quads, b, init, c, ldc); break;
  switch (rows) {
    ROWS(1)
    ROWS(2)
    ROWS(3)
    ROWS(4) ROWS(5) ROWS(6) ROWS(7) ROWS(8) ROWS(9) ROWS(10) ROWS(11) ROWS(12) ROWS(13) ROWS(14) default : break;
  }
#undef ROWS
}

const ten_int8_form ten_int8_vnni = {.name = "vnni", .block = vnni_block, .rows = MOST_ROWS};
#endif
