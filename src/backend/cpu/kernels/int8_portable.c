/* int8_portable.c: blocks of 8-bit matmuls for CPUs without dot products of bytes: bytes are widened to 16 bits, and
 * pairs of products summed in 32 (PMADDWD), which is exact for any bytes; its sibling for bytes (PMADDUBSW) saturates.
 */
#include <string.h>

#include "backend/cpu/kernels/int8_job.h"

#if defined(__x86_64__)
#include <immintrin.h>

#if defined(__AVX512BW__)
typedef __m512i wide;
enum { GROUP = 8 /* columns of a vector: four 16-bit elements each */, MOST_ROWS = 4 };
ALWAYS_INLINE wide weights_of(const int8_t *b) { return _mm512_cvtepi8_epi16(_mm256_loadu_si256((const void *)b)); }
ALWAYS_INLINE wide spread_of(__m128i four) { return _mm512_broadcastq_epi64(four); }
ALWAYS_INLINE wide sums_of(wide acc, wide a, wide b) { return _mm512_add_epi32(acc, _mm512_madd_epi16(a, b)); }
#elif defined(__AVX2__)
typedef __m256i wide;
enum { GROUP = 4, MOST_ROWS = 3 };
ALWAYS_INLINE wide weights_of(const int8_t *b) { return _mm256_cvtepi8_epi16(_mm_loadu_si128((const void *)b)); }
ALWAYS_INLINE wide spread_of(__m128i four) { return _mm256_broadcastq_epi64(four); }
ALWAYS_INLINE wide sums_of(wide acc, wide a, wide b) { return _mm256_add_epi32(acc, _mm256_madd_epi16(a, b)); }
#else
typedef __m128i wide;
enum { GROUP = 2, MOST_ROWS = 3 };
ALWAYS_INLINE wide weights_of(const int8_t *b) {
  const __m128i x = _mm_loadl_epi64((const void *)b);
  return _mm_srai_epi16(_mm_unpacklo_epi8(x, x), 8);
}
ALWAYS_INLINE wide spread_of(__m128i four) { return _mm_unpacklo_epi64(four, four); }
ALWAYS_INLINE wide sums_of(wide acc, wide a, wide b) { return _mm_add_epi32(acc, _mm_madd_epi16(a, b)); }
#endif
enum { VECTORS = 4, WIDTH = GROUP * VECTORS /* columns at a time */ };

/* Each column has two partial sums next to each other, which are added at the end. */
ALWAYS_INLINE void rows_of(const int rows, const uint8_t *a, int64_t row_stride, const int64_t *offsets,
                           int64_t segments, int64_t quads, const int8_t *b, const int32_t *init, int32_t *c,
                           int64_t ldc) {
  wide acc[MOST_ROWS][VECTORS];
  for (int r = 0; r < rows; r++)
    for (int j = 0; j < VECTORS; j++) memset(&acc[r][j], 0, sizeof acc[r][j]);
  for (int64_t s = 0; s < segments; s++) {
    const uint8_t *at = a + offsets[s];
    for (int64_t q = 0; q < quads; q++, at += INT8_QUAD, b += INT8_QUAD * INT8_COLUMNS) {
      wide w[VECTORS];
      for (int j = 0; j < VECTORS; j++) w[j] = weights_of(b + j * GROUP * INT8_QUAD);
      for (int r = 0; r < rows; r++) {
        int four;
        memcpy(&four, at + r * row_stride, sizeof four);
        const wide x = spread_of(_mm_unpacklo_epi8(_mm_cvtsi32_si128(four), _mm_setzero_si128()));
        for (int j = 0; j < VECTORS; j++) acc[r][j] = sums_of(acc[r][j], x, w[j]);
      }
    }
  }
  for (int r = 0; r < rows; r++)
    for (int j = 0; j < VECTORS; j++) {
      uint32_t parts[2 * GROUP];
      memcpy(parts, &acc[r][j], sizeof parts);
      for (int i = 0; i < GROUP; i++) {
        const uint32_t sum = (uint32_t)init[j * GROUP + i] + parts[2 * i] + parts[2 * i + 1];
        memcpy(c + r * ldc + j * GROUP + i, &sum, sizeof sum);
      }
    }
}
#else
enum { MOST_ROWS = 4, WIDTH = 16 };

ALWAYS_INLINE void rows_of(const int rows, const uint8_t *a, int64_t row_stride, const int64_t *offsets,
                           int64_t segments, int64_t quads, const int8_t *b, const int32_t *init, int32_t *c,
                           int64_t ldc) {
  uint32_t acc[MOST_ROWS][WIDTH];
  for (int r = 0; r < rows; r++) memcpy(acc[r], init, sizeof acc[r]);
  for (int64_t s = 0; s < segments; s++) {
    const uint8_t *at = a + offsets[s];
    for (int64_t q = 0; q < quads; q++, at += INT8_QUAD, b += INT8_QUAD * INT8_COLUMNS)
      for (int r = 0; r < rows; r++)
        for (int j = 0; j < WIDTH; j++) {
          int sum = 0; /* below 2^18 */
          for (int i = 0; i < INT8_QUAD; i++) sum += at[r * row_stride + i] * b[j * INT8_QUAD + i];
          acc[r][j] += (uint32_t)sum;
        }
  }
  for (int r = 0; r < rows; r++) memcpy(c + r * ldc, acc[r], sizeof acc[r]);
}
#endif

static void portable_block(const uint8_t *a, int64_t row_stride, const int64_t *offsets, int64_t segments,
                           int64_t quads, const int8_t *b, const int32_t *init, int rows, int32_t *c, int64_t ldc) {
  for (int n = 0; n < INT8_COLUMNS; n += WIDTH) {
    int m = 0;
    for (; m + MOST_ROWS <= rows; m += MOST_ROWS)
      rows_of(MOST_ROWS, a + m * row_stride, row_stride, offsets, segments, quads, b + n * INT8_QUAD, init + n,
              c + m * ldc + n, ldc);
    for (; m < rows; m++)
      rows_of(1, a + m * row_stride, row_stride, offsets, segments, quads, b + n * INT8_QUAD, init + n, c + m * ldc + n,
              ldc);
  }
}

const ten_int8_form TEN_K(int8_portable) = {.name = "portable", .block = portable_block, .rows = 3 * MOST_ROWS};
