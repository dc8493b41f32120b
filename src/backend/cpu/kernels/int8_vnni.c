/* int8_vnni.c: VPDPBUSD: four unsigned bytes of A, broadcast, times four signed bytes of each of sixteen columns of B,
 * summed in 32 bits without saturation. Fourteen rows by two vectors of columns take 28 of 32 registers, and their 28
 * products for 16 loads leave the load ports idle half of the time; ResNet's images are 56, 28, 14 and 7 pixels wide.
 * Sums are finished in their registers. This file is compiled without contraction. */
#include "backend/cpu/kernels/tables.h"

#if defined(__x86_64__)
#include <string.h>

#include "backend/cpu/kernels/int8_avx512.h"

enum { STEP = INT8_QUAD * INT8_COLUMNS };

/* Rows are addressed from every seventh of them: with one, three and five strides that takes few registers. */
typedef struct rows_at {
  const uint8_t *first, *second;
  int64_t stride, three, five;
} rows_at;

INLINE __m512i quad_at(const rows_at *at, int row, int64_t k) {
  const uint8_t *from = row < INT8_HALF ? at->first : at->second;
  switch (row % INT8_HALF) {
    case 1: from += at->stride; break;
    case 2: from += 2 * at->stride; break;
    case 3: from += at->three; break;
    case 4: from += 4 * at->stride; break;
    case 5: from += at->five; break;
    case 6: from += 2 * at->three; break;
    default: break;
  }
  int four;
  memcpy(&four, from + k, sizeof four);
  return _mm512_set1_epi32(four);
}

INLINE void multiply(const int rows, __m512i acc[INT8_TILE_ROWS][2], const rows_at *at, int64_t k, const int8_t *b) {
  const __m512i b0 = _mm512_loadu_si512(b), b1 = _mm512_loadu_si512(b + LINE);
#pragma GCC unroll 14
  for (int r = 0; r < rows; r++) {
    const __m512i x = quad_at(at, r, k);
    acc[r][0] = _mm512_dpbusd_epi32(acc[r][0], x, b0);
    acc[r][1] = _mm512_dpbusd_epi32(acc[r][1], x, b1);
  }
}

INLINE void sum_rows(const int rows, __m512i acc[INT8_TILE_ROWS][2], const ten_int8_tile *t) {
  const __m512i first = _mm512_loadu_si512(t->init), second = _mm512_loadu_si512(t->init + VECTOR);
#pragma GCC unroll 14
  for (int r = 0; r < rows; r++) acc[r][0] = first, acc[r][1] = second;
  const int8_t *b = t->b;
  const char *soon = t->soon;
  for (int64_t s = 0; s < t->segments; s++) {
    rows_at at = {.first = t->a + t->offsets[s], .stride = t->row_stride};
    at.second = at.first + t->second, at.three = 3 * at.stride, at.five = 5 * at.stride;
    int64_t left = t->quads;
    for (; left >= INT8_STEP; left -= INT8_STEP, soon += t->soon_step) {
      _mm_prefetch(soon, _MM_HINT_T1);

      for (int i = 0; i < INT8_STEP; i++) multiply(rows, acc, &at, i * INT8_QUAD, b + i * STEP);
      at.first += INT8_STEP * INT8_QUAD, at.second += INT8_STEP * INT8_QUAD, b += INT8_STEP * STEP;
    }
    for (; left > 0; left--) {
      multiply(rows, acc, &at, 0, b);
      at.first += INT8_QUAD, at.second += INT8_QUAD, b += STEP;
    }
  }
}

/* Bytes of all 32 columns, two rows at a time; an odd one is stored twice. */
INLINE void finish_bytes(const int rows, __m512i acc[INT8_TILE_ROWS][2], const ten_int8_tile *t) {
  const ten_int8_finish *f = t->finish;
  uint8_t *out = f->out;
  const uint8_t *other = f->other;
  const __m512 factor = _mm512_set1_ps(f->other_scale);
#pragma GCC unroll 7
  for (int r = 0; r < rows; r += 2) {
    const int s = r + 1 < rows ? r + 1 : r;
    row_of_32 a = scaled_columns(acc[r][0], acc[r][1], f), b = scaled_columns(acc[s][0], acc[s][1], f);
    if (other) a = with_bytes_of(a, other + r * t->co, factor), b = with_bytes_of(b, other + s * t->co, factor);
    store_bytes(a, b, out + r * t->co, out + s * t->co);
  }
}

INLINE void finish_rows(const int rows, __m512i acc[INT8_TILE_ROWS][2], const ten_int8_tile *t) {
  const ten_int8_finish *f = t->finish;
  if (f->kind == INT8_BYTES && t->columns >= INT8_COLUMNS) {
    finish_bytes(rows, acc, t);
    return;
  }
#pragma GCC unroll 2
  for (int v = 0; v < 2; v++) {
    const __mmask16 mask = mask_of(t->columns - v * VECTOR);
    const __m512 scale = _mm512_maskz_loadu_ps(mask, f->scale + v * VECTOR),
                 bias = _mm512_maskz_loadu_ps(mask, f->bias + v * VECTOR);
    if (f->kind == INT8_FLOATS) {
      float *out = (float *)f->out + v * VECTOR;
#pragma GCC unroll 14
      for (int r = 0; r < rows; r++, out += t->co) _mm512_mask_storeu_ps(out, mask, scaled(acc[r][v], scale, bias));
      continue;
    }
    uint8_t *out = (uint8_t *)f->out + v * VECTOR;
    if (!f->other) {
#pragma GCC unroll 14
      for (int r = 0; r < rows; r++, out += t->co)
        _mm_mask_storeu_epi8(out, mask, bytes_of(scaled(acc[r][v], scale, bias)));
      continue;
    }
    const uint8_t *other = f->other + v * VECTOR;
    const __m512 factor = _mm512_set1_ps(f->other_scale);
#pragma GCC unroll 14
    for (int r = 0; r < rows; r++, out += t->co, other += t->co)
      _mm_mask_storeu_epi8(
          out, mask, bytes_of(with_bytes(scaled(acc[r][v], scale, bias), _mm_maskz_loadu_epi8(mask, other), factor)));
  }
}

INLINE void rows_of(const int rows, const ten_int8_tile *t) {
  __m512i acc[INT8_TILE_ROWS][2];
  sum_rows(rows, acc, t);
  if (!t->sums) {
    finish_rows(rows, acc, t);
    return;
  }
#pragma GCC unroll 14
  for (int r = 0; r < rows; r++) {
    _mm512_storeu_si512(t->sums + r * INT8_SPAN, acc[r][0]);
    _mm512_storeu_si512(t->sums + r * INT8_SPAN + VECTOR, acc[r][1]);
  }
}

/* A function for each number of rows: the sums stay in registers. */
#define ROWS(count) \
  static void rows_##count(const ten_int8_tile *t) { rows_of(count, t); }
ROWS(1)
ROWS(2)
ROWS(3)
ROWS(4)
ROWS(5)
ROWS(6)
ROWS(7)
ROWS(8)
ROWS(9)
ROWS(10)
ROWS(11)
ROWS(12)
ROWS(13)
ROWS(14)

static void vnni_tile(const ten_int8_tile *t) {
  static void (*const forms[])(const ten_int8_tile *t) = {rows_1, rows_2, rows_3,  rows_4,  rows_5,  rows_6,  rows_7,
                                                          rows_8, rows_9, rows_10, rows_11, rows_12, rows_13, rows_14};
  forms[t->rows - 1](t);
}

const ten_int8_form ten_int8_vnni = {.name = "vnni", .tile = vnni_tile, .rows = INT8_TILE_ROWS};
#endif
