/* split_amx.c: f32 products by the tiles of AMX (split.h). Four tiles are sums, one is of A, two are of B (one more of
 * A would spare loads, and make all wait for each other: docs/decisions/009); products of parts come in an order in
 * which nearly every pair needs only A or only B anew. */
#include "cpu/kernels/tables.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define INLINE static inline __attribute__((always_inline))

enum { LINE = 64, HALF = SPLIT_ROWS / 2, VL = 16, PART = 2 * SPLIT_TILE };

/* ---- splitting ---- */

typedef struct parts {
  __m512i first, second, third; /* each in the upper half of a number */
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

/* Where the next step is stored, which is not near yet. */
INLINE void ask_to_store(const char *at) { __builtin_prefetch(at + SPLIT_STEP, 1, 3); }

/* The upper halves of two vectors, one after the other. */
INLINE void store_row(char *to, __m512i low, __m512i high) {
  static const _Alignas(LINE) uint16_t odd[2 * VL] = {1,  3,  5,  7,  9,  11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31,
                                                      33, 35, 37, 39, 41, 43, 45, 47, 49, 51, 53, 55, 57, 59, 61, 63};
  ask_to_store(to);
  _mm512_store_si512(to, _mm512_permutex2var_epi16(low, _mm512_load_si512(odd), high));
}

/* Numbers of k that are there, from the first of a vector on. */
INLINE __mmask16 there(int64_t count) { return count >= VL ? 0xffff : count <= 0 ? 0 : (__mmask16)((1 << count) - 1); }

static void amx_split_a(int rows, int64_t kc, const float *a, int64_t a_row, char *to, uint32_t *most_bits) {
  enum { AHEAD = 2 * SPLIT_K };
  __m512i most[SPLIT_ROWS];
  for (int i = 0; i < SPLIT_ROWS; i++) most[i] = _mm512_setzero_si512();
  for (int64_t k = 0; k < kc; k += SPLIT_K, to += SPLIT_STEP) {
    const __mmask16 low = there(kc - k), high = there(kc - k - VL);
    for (int i = 0; i < SPLIT_ROWS; i++) {
      const float *from = a + i * a_row + k;
      char *row = to + i / HALF * SPLIT_TILE + i % HALF * LINE;
      __m512 x = _mm512_setzero_ps(), y = x;
      if (i < rows) {
        x = _mm512_maskz_loadu_ps(low, from);
        y = _mm512_maskz_loadu_ps(high, from + VL);
        _mm_prefetch((const char *)(from + AHEAD), _MM_HINT_T0);
        _mm_prefetch((const char *)(from + AHEAD + VL), _MM_HINT_T0);
      }
      most[i] = larger(larger(most[i], x), y);
      const parts p = split(x), q = split(y);
      store_row(row, p.first, q.first);
      store_row(row + PART, p.second, q.second);
      store_row(row + 2 * PART, p.third, q.third);
    }
  }
  for (int i = 0; i < rows; i++) {
    const uint32_t here = _mm512_reduce_max_epu32(most[i]);
    if (here > most_bits[i]) most_bits[i] = here;
  }
}

INLINE void store_pairs(char *to, __m512i even, __m512i odd) {
  ask_to_store(to);
  _mm512_store_si512(to, _mm512_or_si512(_mm512_srli_epi32(even, 16), odd));
}

static void amx_split_b(int64_t kc, const float *b, int64_t b_row, char *to, uint32_t *most_bits) {
  __m512i most = _mm512_loadu_si512(most_bits);
  for (int64_t k = 0; k < kc; k += SPLIT_K, to += SPLIT_STEP)
    for (int i = 0; i < HALF; i++) {
      const float *from = b + (k + 2 * i) * b_row;
      __m512 x = _mm512_setzero_ps(), y = x;
      if (k + 2 * i < kc) x = _mm512_loadu_ps(from);
      if (k + 2 * i + 1 < kc) y = _mm512_loadu_ps(from + b_row);
      _mm_prefetch((const char *)(from + SPLIT_K * b_row), _MM_HINT_T0);
      _mm_prefetch((const char *)(from + (SPLIT_K + 1) * b_row), _MM_HINT_T0);
      most = larger(larger(most, x), y);
      const parts p = split(x), q = split(y);
      store_pairs(to + i * LINE, p.first, q.first);
      store_pairs(to + i * LINE + PART, p.second, q.second);
      store_pairs(to + i * LINE + 2 * PART, p.third, q.third);
    }
  _mm512_storeu_si512(most_bits, most);
}

/* ---- products ---- */

/* The lines of a tile of the next step, into L1: a load waits for those that are not there one after the other. */
INLINE void ask_for_tile(const char *tile) {
#pragma GCC unroll 16
  for (int i = 0; i < HALF; i++) _mm_prefetch(tile + SPLIT_STEP + i * LINE, _MM_HINT_T0);
}

INLINE void ask_for(ten_split_ahead *ahead) {
  for (int i = 0; i < ahead->times; i++)
    for (int j = 0; j < 2; j++, ahead->at[j - 1] += ahead->step[j - 1]) _mm_prefetch(ahead->at[j], _MM_HINT_T1);
}

/* Rows of the block of C below this one, some at each step. */
INLINE int ask_for_rows(float *below, int64_t ldc, int asked, int times) {
  for (int i = 0; i < times && asked < SPLIT_ROWS; i++, asked++) {
    __builtin_prefetch(below + asked * ldc, 1, 3);
    __builtin_prefetch(below + asked * ldc + VL, 1, 3);
  }
  return asked;
}

/* Two products of the upper or the lower half of a part of A, in tile 4, with a part of B, in tiles 5 and 6. */
INLINE void upper_half(void) {
  _tile_dpbf16ps(0, 4, 5);
  _tile_dpbf16ps(1, 4, 6);
}

INLINE void lower_half(void) {
  _tile_dpbf16ps(2, 4, 5);
  _tile_dpbf16ps(3, 4, 6);
}

/* What tile 4 holds next, and what to ask for meanwhile. */
INLINE void then_a(const char *a, const char *soon) {
  _tile_loadd(4, a, LINE);
  ask_for_tile(soon);
}

/* The six products of parts; the next step's third part of A and first of B are `next` bytes further. */
INLINE void amx_step(const char *a, const char *b, int64_t next) {
  const char *const first = a, *const second = a + PART, *const third = a + 2 * PART;
  enum { LOWER = SPLIT_TILE, RIGHT = SPLIT_TILE };
  upper_half(); /* third part of A, first of B */
  then_a(third + LOWER, third);
  lower_half();
  then_a(second + LOWER, third + LOWER);
  lower_half(); /* second, first */
  then_a(second, b);
  upper_half();
  then_a(first, b + RIGHT);
  upper_half(); /* first, first */
  then_a(first + LOWER, second);
  _tile_dpbf16ps(2, 4, 5);
  _tile_loadd(5, b + 2 * PART, LINE);
  _tile_dpbf16ps(3, 4, 6);
  _tile_loadd(6, b + 2 * PART + RIGHT, LINE);
  ask_for_tile(second + LOWER);
  lower_half(); /* first, third */
  then_a(first, first);
  _tile_dpbf16ps(0, 4, 5);
  _tile_loadd(5, b + PART, LINE);
  _tile_dpbf16ps(1, 4, 6);
  _tile_loadd(6, b + PART + RIGHT, LINE);
  ask_for_tile(first + LOWER);
  upper_half(); /* first, second */
  then_a(first + LOWER, b + 2 * PART);
  lower_half();
  then_a(second + LOWER, b + 2 * PART + RIGHT);
  lower_half(); /* second, second */
  then_a(second, b + PART);
  _tile_dpbf16ps(0, 4, 5);
  _tile_loadd(5, b + next, LINE);
  _tile_dpbf16ps(1, 4, 6);
  then_a(third + next, b + PART + RIGHT);
  _tile_loadd(6, b + next + RIGHT, LINE);
}

static void amx_block(int64_t steps, const char *a, const char *b, float *c, int64_t ldc, bool accumulate,
                      ten_split_ahead ahead) {
  const int64_t row = ldc * (int64_t)sizeof(float);
  const int rows = (int)((SPLIT_ROWS + steps - 1) / steps);
  int asked = 0;
  float *const low = c + HALF * ldc;
  if (accumulate) {
    _tile_loadd(0, c, row);
    _tile_loadd(1, c + VL, row);
    _tile_loadd(2, low, row);
    _tile_loadd(3, low + VL, row);
  } else {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
  _tile_loadd(4, a + 2 * PART, LINE);
  _tile_loadd(5, b, LINE);
  _tile_loadd(6, b + SPLIT_TILE, LINE);
  for (int64_t i = 0; i < steps; i++, a += SPLIT_STEP, b += SPLIT_STEP) {
    ask_for(&ahead);
    asked = ask_for_rows(c + SPLIT_ROWS * ldc, ldc, asked, rows);
    amx_step(a, b, i + 1 < steps ? SPLIT_STEP : 0);
  }
  _tile_stored(0, c, row);
  _tile_stored(1, c + VL, row);
  _tile_stored(2, low, row);
  _tile_stored(3, low + VL, row);
}

const ten_split_form ten_split_amx = {
    .begin = ten_amx_begin, .end = ten_amx_end, .split_a = amx_split_a, .split_b = amx_split_b, .block = amx_block};
#endif
