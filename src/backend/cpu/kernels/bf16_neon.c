/* bf16_neon.c: BFMMLA: two rows by two columns over four k at a time. Eight rows by eight columns stay in registers;
 * zips pair rows of A, and columns of B. */
#include "backend/cpu/kernels/bf16.h"
#include "backend/cpu/kernels/tables.h"

#if defined(__aarch64__)
#include <arm_neon.h>

enum { PAIRS_MOST = 4, WIDTH = 8 };

static bfloat16x8_t zip_low(uint32x4_t x, uint32x4_t y) { return vreinterpretq_bf16_u32(vzip1q_u32(x, y)); }
static bfloat16x8_t zip_high(uint32x4_t x, uint32x4_t y) { return vreinterpretq_bf16_u32(vzip2q_u32(x, y)); }

/* `single`: the last pair has one row only. */
static inline __attribute__((always_inline)) void pairs_of(const int pairs, bool single, const uint16_t *a,
                                                           int64_t row_stride, const int64_t *offsets, int64_t blocks,
                                                           const uint16_t *b, float *c, int64_t ldc) {
  float32x4_t acc[PAIRS_MOST][WIDTH / 2];
  for (int i = 0; i < pairs; i++)
    for (int j = 0; j < WIDTH / 2; j++) acc[i][j] = vdupq_n_f32(0);
  const int64_t second = single ? 0 : row_stride; /* of the last pair */
  for (int64_t block = 0; block < blocks; block++)
    for (int k = 0; k < BF16_K; k += 8) {
      const uint16_t *at = a + offsets[block] + k;
      bfloat16x8_t low[PAIRS_MOST], high[PAIRS_MOST];
      for (int i = 0; i < pairs; i++) {
        const uint64x2_t x = vreinterpretq_u64_u16(vld1q_u16(at + 2 * i * row_stride));
        const uint64x2_t y =
            vreinterpretq_u64_u16(vld1q_u16(at + 2 * i * row_stride + (i == pairs - 1 ? second : row_stride)));
        low[i] = vreinterpretq_bf16_u64(vzip1q_u64(x, y));
        high[i] = vreinterpretq_bf16_u64(vzip2q_u64(x, y));
      }
      for (int half = 0; half < 2; half++, b += 4 * BF16_COLUMNS)
        for (int j = 0; j < WIDTH / 4; j++) {
          const uint32x4_t x = vreinterpretq_u32_u16(vld1q_u16(b + 8 * j)),
                           y = vreinterpretq_u32_u16(vld1q_u16(b + 2 * BF16_COLUMNS + 8 * j));
          const bfloat16x8_t first = zip_low(x, y), last = zip_high(x, y);
          for (int i = 0; i < pairs; i++) {
            acc[i][2 * j] = vbfmmlaq_f32(acc[i][2 * j], half ? high[i] : low[i], first);
            acc[i][2 * j + 1] = vbfmmlaq_f32(acc[i][2 * j + 1], half ? high[i] : low[i], last);
          }
        }
    }
  for (int i = 0; i < pairs; i++)
    for (int j = 0; j < WIDTH / 2; j += 2) {
      const float64x2_t x = vreinterpretq_f64_f32(acc[i][j]), y = vreinterpretq_f64_f32(acc[i][j + 1]);
      float *to = c + 2 * i * ldc + 2 * j;
      vst1q_f32(to, vreinterpretq_f32_f64(vzip1q_f64(x, y)));
      if (!single || i < pairs - 1) vst1q_f32(to + ldc, vreinterpretq_f32_f64(vzip2q_f64(x, y)));
    }
}

static void neon_block(const uint16_t *a, int64_t row_stride, const int64_t *offsets, int64_t blocks, const uint16_t *b,
                       int rows, float *c, int64_t ldc, ten_bf16_ahead ahead) {
  (void)ahead;
  for (int n = 0; n < BF16_COLUMNS; n += WIDTH) {
    int m = 0;
    for (; m + 2 * PAIRS_MOST <= rows; m += 2 * PAIRS_MOST)
      pairs_of(PAIRS_MOST, false, a + m * row_stride, row_stride, offsets, blocks, b + 2 * n, c + m * ldc + n, ldc);
    for (; m < rows; m += 2)
      pairs_of(1, rows - m == 1, a + m * row_stride, row_stride, offsets, blocks, b + 2 * n, c + m * ldc + n, ldc);
  }
}

const ten_bf16_form ten_bf16_neon = {.name = "neonbf16", .block = neon_block};
#endif
