/* bf16_portable.c: the form of bf16.h for any CPU: a pair of bf16 elements is one 32-bit lane, whose halves become f32
 * by a shift or a mask. */
#include "backend/cpu/kernels/bf16_rows.h"

#if defined(__AVX512F__) || defined(__aarch64__)
enum { PORTABLE_ROWS = 8 };
#else
enum { PORTABLE_ROWS = 4 };
#endif
enum { PORTABLE_COLUMNS = 2 * VL };
typedef uint32_t vu __attribute__((vector_size(VL * sizeof(uint32_t)), may_alias));
typedef uint32_t vuu __attribute__((vector_size(VL * sizeof(uint32_t)), aligned(2), may_alias));

ALWAYS_INLINE float high_float(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

ALWAYS_INLINE void widen(const uint16_t *from, float to[BF16_K]) {
  uint32_t bits[BF16_K];
  for (int k = 0; k < BF16_K; k++) bits[k] = (uint32_t)from[k] << 16;
  memcpy(to, bits, sizeof bits);
}

ALWAYS_INLINE void portable_rows(const int rows, const uint16_t *a, int64_t row_stride, const int64_t *offsets,
                                 int64_t blocks, const uint16_t *b, float *c, int64_t ldc) {
  vf acc[PORTABLE_ROWS][2];
  float wide[PORTABLE_ROWS][BF16_K]; /* a load from memory broadcasts for free */
  for (int i = 0; i < rows; i++) acc[i][0] = acc[i][1] = (vf){0};
  for (int64_t block = 0; block < blocks; block++) {
    for (int i = 0; i < rows; i++) widen(a + offsets[block] + i * row_stride, wide[i]);
    for (int k = 0; k < BF16_K; k += 2, b += 2 * BF16_COLUMNS) {
      vf even[2], odd[2];
      for (int j = 0; j < 2; j++) {
        const vu pair = *(const vuu *)(b + 2 * j * VL);
        even[j] = (vf)(pair << 16);
        odd[j] = (vf)(pair & 0xffff0000u);
      }
#pragma GCC unroll 8
      for (int i = 0; i < rows; i++) {
        for (int j = 0; j < 2; j++) acc[i][j] += even[j] * wide[i][k];
        for (int j = 0; j < 2; j++) acc[i][j] += odd[j] * wide[i][k + 1];
      }
    }
  }
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < 2; j++) vstore(c + i * ldc + j * VL, acc[i][j]);
}

static void portable_block(const uint16_t *a, int64_t row_stride, const int64_t *offsets, int64_t blocks,
                           const uint16_t *b, int rows, float *c, int64_t ldc, ten_bf16_ahead ahead) {
  (void)ahead;
  for (int n = 0; n < BF16_COLUMNS; n += PORTABLE_COLUMNS) {
    int m = 0;
    for (; m + PORTABLE_ROWS <= rows; m += PORTABLE_ROWS)
      portable_rows(PORTABLE_ROWS, a + m * row_stride, row_stride, offsets, blocks, b + 2 * n, c + m * ldc + n, ldc);
    for (; m < rows; m++)
      portable_rows(1, a + m * row_stride, row_stride, offsets, blocks, b + 2 * n, c + m * ldc + n, ldc);
  }
}

/* One row times ROW_PANELS panels: it is memory bound, and several streams raise the bandwidth. */
void TEN_K(bf16_row)(const uint16_t *a, const int64_t *offsets, int64_t blocks, const uint16_t *b, int64_t panel,
                     float *c) {
  for (int n = 0; n < BF16_COLUMNS; n += PORTABLE_COLUMNS) {
    vf acc[ROW_PANELS][2];
    for (int p = 0; p < ROW_PANELS; p++) acc[p][0] = acc[p][1] = (vf){0};
    for (int64_t block = 0; block < blocks; block++)
      for (int k = 0; k < BF16_K; k += 2) {
        uint32_t pair;
        memcpy(&pair, a + offsets[block] + k, sizeof pair);
        const float low = high_float(pair << 16), high = high_float(pair & 0xffff0000u);
        for (int p = 0; p < ROW_PANELS; p++)
          for (int j = 0; j < 2; j++) {
            const vu two = *(const vuu *)(b + p * panel + (block * BF16_K + k) * BF16_COLUMNS + 2 * (n + j * VL));
            acc[p][j] += (vf)(two << 16) * low;
            acc[p][j] += (vf)(two & 0xffff0000u) * high;
          }
      }
    for (int p = 0; p < ROW_PANELS; p++)
      for (int j = 0; j < 2; j++) vstore(c + p * BF16_COLUMNS + n + j * VL, acc[p][j]);
  }
}

const ten_bf16_form TEN_K(bf16_portable) = {.name = "portable", .block = portable_block};
