/* int8_neon.h: blocks of 8-bit matmuls by dot products of four bytes, which each form has its own instruction for. */
#ifndef TEN_CPU_KERNELS_INT8_NEON_H
#define TEN_CPU_KERNELS_INT8_NEON_H

#include <arm_neon.h>
#include <string.h>

#include "backend/cpu/kernels/int8.h"

enum { NEON_ROWS = 3, NEON_VECTORS = INT8_COLUMNS / 4 };
#define NEON_INLINE static inline __attribute__((always_inline))

/* acc + the dot products of four columns of B with the same four bytes of A. */
typedef int32x4_t (*int8_neon_dot)(int32x4_t acc, int8x16_t b, uint8x16_t a);

NEON_INLINE void int8_neon_rows(int8_neon_dot dot, const int rows, const uint8_t *a, int64_t row_stride,
                                const int64_t *offsets, int64_t segments, int64_t quads, const int8_t *b,
                                const int32_t *init, int32_t *c, int64_t ldc) {
  int32x4_t acc[NEON_ROWS][NEON_VECTORS];
  for (int r = 0; r < rows; r++)
    for (int j = 0; j < NEON_VECTORS; j++) acc[r][j] = vld1q_s32(init + 4 * j);
  for (int64_t s = 0; s < segments; s++) {
    const uint8_t *at = a + offsets[s];
    for (int64_t q = 0; q < quads; q++, at += INT8_QUAD, b += INT8_QUAD * INT8_COLUMNS) {
      uint8x16_t x[NEON_ROWS];
      for (int r = 0; r < rows; r++) {
        uint32_t four;
        memcpy(&four, at + r * row_stride, sizeof four);
        x[r] = vreinterpretq_u8_u32(vdupq_n_u32(four));
      }
      for (int j = 0; j < NEON_VECTORS; j++) {
        const int8x16_t w = vld1q_s8(b + 4 * INT8_QUAD * j);
        for (int r = 0; r < rows; r++) acc[r][j] = dot(acc[r][j], w, x[r]);
      }
    }
  }
  for (int r = 0; r < rows; r++)
    for (int j = 0; j < NEON_VECTORS; j++) vst1q_s32(c + r * ldc + 4 * j, acc[r][j]);
}

NEON_INLINE void int8_neon_block(int8_neon_dot dot, const uint8_t *a, int64_t row_stride, const int64_t *offsets,
                                 int64_t segments, int64_t quads, const int8_t *b, const int32_t *init, int rows,
                                 int32_t *c, int64_t ldc) {
  int m = 0;
  for (; m + NEON_ROWS <= rows; m += NEON_ROWS)
    int8_neon_rows(dot, NEON_ROWS, a + m * row_stride, row_stride, offsets, segments, quads, b, init, c + m * ldc, ldc);
  for (; m < rows; m++)
    int8_neon_rows(dot, 1, a + m * row_stride, row_stride, offsets, segments, quads, b, init, c + m * ldc, ldc);
}

#endif
