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

#endif
