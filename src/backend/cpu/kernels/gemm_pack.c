/* gemm_pack.c: packs A and B in the micro-kernel's order: panels [k][MR] and [k][NR]. */
#include <string.h>

#include "backend/cpu/kernels/gemm.h"

enum { LINE = 16 /* floats */ };

int64_t TEN_K(gemm_packed_size)(int64_t k, int64_t n) { return gemm_padded(n) * k; }

typedef float quad __attribute__((vector_size(16), aligned(4), may_alias));

/* Transposes four rows of four elements in registers: a column is stored as a row. */
ALWAYS_INLINE void turn(const float *r0, const float *r1, const float *r2, const float *r3, float *to, int64_t step) {
  const quad x0 = *(const quad *)r0, x1 = *(const quad *)r1, x2 = *(const quad *)r2, x3 = *(const quad *)r3;
  const quad low0 = __builtin_shufflevector(x0, x1, 0, 4, 1, 5), high0 = __builtin_shufflevector(x0, x1, 2, 6, 3, 7);
  const quad low1 = __builtin_shufflevector(x2, x3, 0, 4, 1, 5), high1 = __builtin_shufflevector(x2, x3, 2, 6, 3, 7);
  *(quad *)to = __builtin_shufflevector(low0, low1, 0, 1, 4, 5);
  *(quad *)(to + step) = __builtin_shufflevector(low0, low1, 2, 3, 6, 7);
  *(quad *)(to + 2 * step) = __builtin_shufflevector(high0, high1, 0, 1, 4, 5);
  *(quad *)(to + 3 * step) = __builtin_shufflevector(high0, high1, 2, 3, 6, 7);
}

#if defined(__AVX512F__)
/* Transposes sixteen columns of sixteen elements, each a cache line read once, in registers: by elements, by pairs, by
 * quarters of a vector. */
ALWAYS_INLINE void turn_lines(const float *from, int64_t column, float *to, int64_t row) {
  vf x[VL], y[VL];
#pragma GCC unroll 16
  for (int i = 0; i < VL; i++) x[i] = vload(from + i * column);
#pragma GCC unroll 16
  for (int i = 0; i < VL; i += 2) {
    y[i] = __builtin_shufflevector(x[i], x[i + 1], 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
    y[i + 1] = __builtin_shufflevector(x[i], x[i + 1], 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
  }
#pragma GCC unroll 16
  for (int i = 0; i < VL; i += 4)
#pragma GCC unroll 2
    for (int j = 0; j < 2; j++) {
      x[i + 2 * j] =
          __builtin_shufflevector(y[i + j], y[i + 2 + j], 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
      x[i + 2 * j + 1] =
          __builtin_shufflevector(y[i + j], y[i + 2 + j], 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
    }
#pragma GCC unroll 16
  for (int i = 0; i < 4; i++) {
    const vf even0 = __builtin_shufflevector(x[i], x[4 + i], 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27);
    const vf even1 =
        __builtin_shufflevector(x[8 + i], x[12 + i], 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27);
    const vf odd0 = __builtin_shufflevector(x[i], x[4 + i], 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
    const vf odd1 =
        __builtin_shufflevector(x[8 + i], x[12 + i], 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
    vstore(to + i * row,
           __builtin_shufflevector(even0, even1, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27));
    vstore(to + (4 + i) * row,
           __builtin_shufflevector(odd0, odd1, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27));
    vstore(to + (8 + i) * row,
           __builtin_shufflevector(even0, even1, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31));
    vstore(to + (12 + i) * row,
           __builtin_shufflevector(odd0, odd1, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31));
  }
}
#endif

/* Packs a panel of B with contiguous columns: as many rows at a time as a cache line holds, or four, transposed in
 * registers. */
static void pack_turned(int64_t k, int64_t width, const float *b, int64_t b_col, float *packed) {
  int64_t r = 0;
#if defined(__AVX512F__)
  for (int64_t j = 0; j < width; j += VL) /* limits the pages in use */
    for (r = 0; r + LINE <= k; r += LINE) {
      for (int64_t i = VL; i < 2 * VL; i++) /* columns are too short for hardware prefetchers */
        __builtin_prefetch(b + (j + i) * b_col + r, 0, 2);
      turn_lines(b + j * b_col + r, b_col, packed + r * width + j, width);
    }
#endif
  for (; r + 4 <= k; r += 4) {
    if (r % LINE == 0)
      for (int64_t j = width; j < 2 * width; j++) __builtin_prefetch(b + j * b_col + r, 0, 2);
    for (int64_t j = 0; j < width; j += 4) {
      const float *from = b + j * b_col + r;
      turn(from, from + b_col, from + 2 * b_col, from + 3 * b_col, packed + r * width + j, width);
    }
  }
  for (; r < k; r++)
    for (int64_t j = 0; j < width; j++) packed[r * width + j] = b[j * b_col + r];
}

void TEN_K(gemm_pack_panel)(int64_t k, int64_t columns, const float *b, int64_t b_row, int64_t b_col, float *packed) {
  const int64_t width = gemm_padded(columns);
  if (b_row == 1 && columns == width) {
    pack_turned(k, width, b, b_col, packed);
    return;
  }
  for (int64_t r = 0; r < k; r++, packed += width) {
    const float *from = b + r * b_row;
    if (b_col == 1 && columns == width) {
      for (int64_t j = 0; j < width; j += VL) vstore(packed + j, vload(from + j));
      continue;
    }
    for (int64_t j = 0; j < columns; j++) packed[j] = from[j * b_col];
    for (int64_t j = columns; j < width; j++) packed[j] = 0;
  }
}

/* Packs panels [begin, end) of a B with contiguous rows, all columns valid: some rows at a time for all panels, so that
 * memory is read by whole lines, and few pages are in use at a time. */
static void pack_across(int64_t k, const float *b, int64_t b_row, int64_t begin, int64_t end, float *packed) {
  enum { TOGETHER = 8 };
  for (int64_t k0 = 0; k0 < k; k0 += TOGETHER)
    for (int64_t panel = begin; panel < end; panel++) {
      float *to = packed + (panel * k + k0) * GEMM_NR;
      const float *from = b + k0 * b_row + panel * GEMM_NR;
      for (int64_t r = k0; r < k && r < k0 + TOGETHER; r++, to += GEMM_NR, from += b_row)
        for (int j = 0; j < GEMM_NV; j++) vstore(to + j * VL, vload(from + j * VL));
    }
}

void TEN_K(gemm_pack_b)(int64_t k, int64_t n, const float *b, int64_t b_row, int64_t b_col, int64_t begin, int64_t end,
                        float *packed) {
  enum { PANELS = 32 };
  int64_t whole = end; /* panels before it are NR columns wide, all valid */
  while (whole > begin && gemm_columns(n, gemm_panel(n, whole - 1)) < GEMM_NR) whole--;
  for (int64_t next; b_col == 1 && begin < whole; begin = next) {
    next = begin + PANELS < whole ? begin + PANELS : whole;
    pack_across(k, b, b_row, begin, next, packed);
  }
  for (int64_t panel = begin; panel < end && panel < gemm_panels(n); panel++) {
    const int64_t n0 = gemm_panel(n, panel);
    TEN_K(gemm_pack_panel)(k, gemm_columns(n, n0), b + n0 * b_col, b_row, b_col, packed + n0 * k);
  }
}

void TEN_K(gemm_pack_rows)(const float *const rows[GEMM_MR], int64_t from, int64_t kc, float *packed) {
  enum { TRANSPOSED = GEMM_MR / 4 * 4 };
  int64_t k = 0;
  for (; k + 4 <= kc; k += 4) {
    float *to = packed + k * GEMM_MR;
    for (int i = 0; i < TRANSPOSED; i += 4)
      turn(rows[i] + from + k, rows[i + 1] + from + k, rows[i + 2] + from + k, rows[i + 3] + from + k, to + i, GEMM_MR);
    for (int i = TRANSPOSED; i < GEMM_MR; i++)
      for (int j = 0; j < 4; j++) to[j * GEMM_MR + i] = rows[i][from + k + j];
  }
  for (; k < kc; k++)
    for (int i = 0; i < GEMM_MR; i++) packed[k * GEMM_MR + i] = rows[i][from + k];
}

void TEN_K(gemm_pack_a)(int64_t rows, int64_t kc, const float *a, int64_t a_row, int64_t a_col, float *packed) {
  if (rows == GEMM_MR && a_col == 1) {
    const float *at[GEMM_MR];
    for (int i = 0; i < GEMM_MR; i++) at[i] = a + i * a_row;
    TEN_K(gemm_pack_rows)(at, 0, kc, packed);
    return;
  }
  if (rows == GEMM_MR && a_row == 1) { /* already transposed */
    for (int64_t k = 0; k < kc; k++) memcpy(packed + k * GEMM_MR, a + k * a_col, GEMM_MR * sizeof(float));
    return;
  }
  for (int64_t k = 0; k < kc; k++, packed += GEMM_MR) {
    for (int64_t i = 0; i < rows; i++) packed[i] = a[i * a_row + k * a_col];
    for (int64_t i = rows; i < GEMM_MR; i++) packed[i] = 0;
  }
}

void TEN_K(gemm_pack_block)(int64_t rows, int64_t kc, const float *a, int64_t a_row, int64_t a_col, float *packed) {
  enum { TOGETHER = 8 };
  int64_t m = 0;
  if (a_row == 1) {
    m = rows / GEMM_MR * GEMM_MR;
    for (int64_t k0 = 0; k0 < kc; k0 += TOGETHER)
      for (int64_t i = 0; i < m; i += GEMM_MR)
        for (int64_t k = k0; k < kc && k < k0 + TOGETHER; k++)
          memcpy(packed + i * kc + k * GEMM_MR, a + k * a_col + i, GEMM_MR * sizeof(float));
  }
  for (; m < rows; m += GEMM_MR)
    TEN_K(gemm_pack_a)(rows - m < GEMM_MR ? rows - m : GEMM_MR, kc, a + m * a_row, a_row, a_col, packed + m * kc);
}
