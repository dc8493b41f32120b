/* split_amx.c: f32 matmuls by AMX tiles (split.h). A block of 32 × 32 is computed in halves: two tiles are sums, two
 * are of A, one is of B. More registers would save loads, but stall each other (docs/decisions/009). */
#include "backend/cpu/kernels/tables.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define INLINE static inline __attribute__((always_inline))

enum { LINE = 64, HALF = SPLIT_ROWS / 2, VL = 16, PART = 2 * SPLIT_TILE };

/* ---- splitting ---- */

typedef struct parts {
  __m512i first, second, third; /* each in the upper half of a lane */
} parts;

INLINE __m512i upper(__m512 x) {
  const __m512i rounded = _mm512_add_epi32(_mm512_castps_si512(x), _mm512_set1_epi32(0x8000));
  return _mm512_and_si512(rounded, _mm512_set1_epi32((int)0xffff0000));
}

INLINE parts split(__m512 x) {
  const __m512i first = upper(x);
  const __m512 rest = _mm512_sub_ps(x, _mm512_castsi512_ps(first));
  const __m512i second = upper(rest);
  return (parts){first, second, _mm512_castps_si512(_mm512_sub_ps(rest, _mm512_castsi512_ps(second)))};
}

INLINE __m512i larger(__m512i most, __m512 x) {
  return _mm512_max_epu32(most, _mm512_and_si512(_mm512_castps_si512(x), _mm512_set1_epi32(0x7fffffff)));
}

/* Prefetches the next step's destination for writing. */
INLINE void ask_to_store(const char *at) { __builtin_prefetch(at + SPLIT_STEP, 1, 3); }

/* The upper halves of two vectors, interleaved: k and k + 16 are a pair. (The lower halves are zero, except for last
 * parts that are too small.) */
INLINE void store_pairs(char *to, __m512i low, __m512i high) {
  enum { LOW_OR_HIGH_AND_MASK = 0xf8 };
  ask_to_store(to);
  _mm512_store_si512(to, _mm512_ternarylogic_epi32(_mm512_srli_epi32(low, 16), high, _mm512_set1_epi32((int)0xffff0000),
                                                   LOW_OR_HIGH_AND_MASK));
}

/* Mask of the valid elements of k, from the first of a vector on. */
INLINE __mmask16 there(int64_t count) { return count >= VL ? 0xffff : count <= 0 ? 0 : (__mmask16)((1 << count) - 1); }

/* Row by row: the maximum is found in the same pass. */
static void amx_split_a(int rows, int64_t kc, const float *a, int64_t a_row, char *to, uint32_t *most_bits) {
  for (int i = 0; i < SPLIT_ROWS; i++) {
    const float *from = a + i * a_row, *soon = i < HALF ? from + HALF * a_row : from - HALF * a_row + kc;
    char *row = to + i / HALF * SPLIT_TILE + i % HALF * LINE;
    __m512i most = _mm512_setzero_si512();
    for (int64_t k = 0; k < kc; k += SPLIT_K, row += SPLIT_STEP) {
      const int64_t count = i < rows ? kc - k : 0;
      const __m512 x = _mm512_maskz_loadu_ps(there(count), from + k),
                   y = _mm512_maskz_loadu_ps(there(count - VL), from + k + VL);
      _mm_prefetch((const char *)(soon + k), _MM_HINT_T0);
      _mm_prefetch((const char *)(soon + k + VL), _MM_HINT_T0);
      most = larger(larger(most, x), y);
      const parts p = split(x), q = split(y);
      store_pairs(row, p.first, q.first);
      store_pairs(row + PART, p.second, q.second);
      store_pairs(row + 2 * PART, p.third, q.third);
    }
    const uint32_t here = _mm512_reduce_max_epu32(most);
    if (i < rows && here > most_bits[i]) most_bits[i] = here;
  }
}

static void amx_split_b(int64_t kc, const float *b, int64_t b_row, char *to, uint32_t *most_bits) {
  __m512i most = _mm512_loadu_si512(most_bits);
  for (int64_t k = 0; k < kc; k += SPLIT_K, to += SPLIT_STEP)
    for (int i = 0; i < HALF; i++) {
      const float *from = b + (k + i) * b_row;
      __m512 x = _mm512_setzero_ps(), y = x;
      if (k + i < kc) x = _mm512_loadu_ps(from);
      if (k + i + VL < kc) y = _mm512_loadu_ps(from + VL * b_row);
      _mm_prefetch((const char *)(from + SPLIT_K * b_row), _MM_HINT_T0);
      _mm_prefetch((const char *)(from + (SPLIT_K + VL) * b_row), _MM_HINT_T0);
      most = larger(larger(most, x), y);
      const parts p = split(x), q = split(y);
      store_pairs(to + i * LINE, p.first, q.first);
      store_pairs(to + i * LINE + PART, p.second, q.second);
      store_pairs(to + i * LINE + 2 * PART, p.third, q.third);
    }
  _mm512_storeu_si512(most_bits, most);
}

/* ---- multiplications ---- */

/* Prefetches the lines of a tile into L1: a tile load waits for missing lines one after the other. */
INLINE void ask_for_tile(const char *tile) {
#pragma GCC unroll 16
  for (int i = 0; i < HALF; i++) _mm_prefetch(tile + i * LINE, _MM_HINT_T0);
}

INLINE void ask_for(ten_split_ahead *ahead) {
  for (int i = 0; i < ahead->times; i++, ahead->at += LINE) _mm_prefetch(ahead->at, _MM_HINT_T1);
}

/* Prefetches rows of the next block of C, some per step. */
INLINE int ask_for_rows(float *c, int64_t ldc, int asked, int times) {
  for (int i = 0; i < times && asked < SPLIT_ROWS; i++, asked++) {
    __builtin_prefetch(c + asked * ldc, 1, 3);
    __builtin_prefetch(c + asked * ldc + VL, 1, 3);
  }
  return asked;
}

/* A part of 32 rows of A, in tiles 2 and 3, times one of 16 columns of B, in tile 4. */
INLINE void products(void) {
  _tile_dpbf16ps(0, 2, 4);
  _tile_dpbf16ps(1, 3, 4);
}

/* Likewise; then loads another part of A in its place. */
INLINE void products_then(const char *a) {
  _tile_dpbf16ps(0, 2, 4);
  _tile_loadd(2, a, LINE);
  _tile_dpbf16ps(1, 3, 4);
  _tile_loadd(3, a + SPLIT_TILE, LINE);
}

INLINE void begin_step(const char *a, const char *b) {
  _tile_loadd(2, a + 2 * PART, LINE);
  _tile_loadd(3, a + 2 * PART + SPLIT_TILE, LINE);
  _tile_loadd(4, b, LINE);
}

/* The six products of parts; meanwhile prefetches the next B (`soon`). */
INLINE void amx_step(const char *a, const char *b, const char *soon) {
  products_then(a + PART); /* third part of A, first of B */
  ask_for_tile(soon);
  products_then(a); /* second, first */
  products();       /* first, first */
  _tile_loadd(4, b + 2 * PART, LINE);
  ask_for_tile(soon + 2 * PART);
  products(); /* first, third */
  _tile_loadd(4, b + PART, LINE);
  ask_for_tile(soon + PART);
  products_then(a + PART); /* first, second */
  products();              /* second, second */
}

static void amx_block(int64_t steps, const char *a, const char *b, float *c, int64_t ldc, bool accumulate, int halves,
                      ten_split_ahead ahead) {
  const int64_t row = ldc * (int64_t)sizeof(float), deep = steps * SPLIT_STEP;
  const int rows = (int)((SPLIT_ROWS + 2 * steps - 1) / (2 * steps));
  int asked = accumulate ? SPLIT_ROWS : 0; /* rows to accumulate into were loaded before */
  begin_step(a, b);
  for (int half = 0; half < halves; half++) {
    float *const upper = c + half * VL, *const lower = upper + HALF * ldc;
    const char *const from = b + half * SPLIT_TILE, *const then = half + 1 < halves ? b + SPLIT_TILE : b + deep;
    if (accumulate) {
      _tile_loadd(0, upper, row);
      _tile_loadd(1, lower, row);
    } else {
      _tile_zero(0);
      _tile_zero(1);
    }
    for (int64_t at = 0; at < deep; at += SPLIT_STEP) {
      const bool last = at + SPLIT_STEP == deep;
      ask_for(&ahead);
      asked = ask_for_rows(c + SPLIT_COLUMNS, ldc, asked, rows);
      amx_step(a + at, from + at, last ? then : from + at + SPLIT_STEP);
      if (!last)
        begin_step(a + at + SPLIT_STEP, from + at + SPLIT_STEP);
      else if (half + 1 < halves)
        begin_step(a, then);
    }
    _tile_stored(0, upper, row);
    _tile_stored(1, lower, row);
  }
}

const ten_split_form ten_split_amx = {
    .begin = ten_amx_begin, .end = ten_amx_end, .split_a = amx_split_a, .split_b = amx_split_b, .block = amx_block};
#endif
