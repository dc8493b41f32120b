/* int8_avx512.h: what becomes of sixteen sums in a register: floats or bytes, each operation rounded. Sources that
 * include it are compiled without contraction. */
#ifndef TEN_CPU_KERNELS_INT8_AVX512_H
#define TEN_CPU_KERNELS_INT8_AVX512_H

#include <immintrin.h>

#include "backend/cpu/kernels/int8.h"

#define INLINE static inline __attribute__((always_inline))
enum { VECTOR = INT8_COLUMNS / 2, LINE = 64 };

INLINE __mmask16 mask_of(int columns) {
  return columns >= VECTOR ? (__mmask16)-1 : columns > 0 ? (__mmask16)((1u << columns) - 1) : 0;
}

INLINE __m512 scaled(__m512i sum, __m512 scale, __m512 bias) {
  return _mm512_add_ps(_mm512_mul_ps(_mm512_cvtepi32_ps(sum), scale), bias);
}

/* What is beyond 255 saturates; the maximum of a NaN and zero is zero. */
INLINE __m128i bytes_of(__m512 t) {
  return _mm512_cvtusepi32_epi8(_mm512_cvtps_epi32(_mm512_max_ps(t, _mm512_setzero_ps())));
}

/* t with other bytes, which are scaled, added. */
INLINE __m512 with_bytes(__m512 t, __m128i other, __m512 factor) {
  return _mm512_add_ps(t, _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(other)), factor));
}

/* 32 sums of one row. */
typedef struct row_of_32 {
  __m512 first, second;
} row_of_32;

INLINE row_of_32 scaled_columns(__m512i first, __m512i second, const ten_int8_finish *f) {
  return (row_of_32){scaled(first, _mm512_loadu_ps(f->scale), _mm512_loadu_ps(f->bias)),
                     scaled(second, _mm512_loadu_ps(f->scale + VECTOR), _mm512_loadu_ps(f->bias + VECTOR))};
}

INLINE row_of_32 with_bytes_of(row_of_32 t, const uint8_t *other, __m512 factor) {
  return (row_of_32){with_bytes(t.first, _mm_loadu_si128((const void *)other), factor),
                     with_bytes(t.second, _mm_loadu_si128((const void *)(other + VECTOR)), factor)};
}

/* In 16 bits. What is too large for 32 is cut off; a NaN becomes the least. */
INLINE __m512i words_of(row_of_32 t) {
  const __m512 most = _mm512_set1_ps(INT16_MAX);
  return _mm512_packs_epi32(_mm512_cvtps_epi32(_mm512_min_ps(most, t.first)),
                            _mm512_cvtps_epi32(_mm512_min_ps(most, t.second)));
}

/* Two rows in bytes: fewer instructions than one after the other. Packing goes by quarters of a register. */
INLINE void store_bytes(row_of_32 a, row_of_32 b, uint8_t *to_a, uint8_t *to_b) {
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  const __m512i both = _mm512_permutexvar_epi32(order, _mm512_packus_epi16(words_of(a), words_of(b)));
  _mm256_storeu_si256((void *)to_a, _mm512_castsi512_si256(both));
  _mm256_storeu_si256((void *)to_b, _mm512_extracti64x4_epi64(both, 1));
}

#endif
