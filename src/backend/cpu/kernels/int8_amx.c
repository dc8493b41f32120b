/* int8_amx.c: TDPBUSD: 32 × 32 sums in four tiles; a step multiplies as many quads as divide a segment, at most
 * sixteen. Weights are packed as tiles read them: the rows of a tile of B are quads. The two tiles of A share a
 * register, as in bf16_amx.c. Sums go through memory and are finished by vectors. This file is compiled without
 * contraction. */
#include "backend/cpu/kernels/tables.h"

#if defined(__x86_64__)
#include "backend/cpu/kernels/amx.h"
#include "backend/cpu/kernels/int8_avx512.h"

/* Tiles 0 to 3 are sums; 4 is the first half of A, then the second; 5 and 6 are B. */
enum { HALF = 16, MOST_QUADS = 16, LEAST_QUADS = 6, ROW = INT8_QUAD * INT8_COLUMNS, SUMS = 4, TILES = 7 };

/* Quads of a step: the segment's, in equal parts. */
static int64_t step_of(int64_t quads) {
  int64_t parts = (quads + MOST_QUADS - 1) / MOST_QUADS;
  while (quads % parts) parts++;
  return quads / parts;
}

static const ten_int8_form *amx_or_vnni(int64_t quads) {
  return step_of(quads) < LEAST_QUADS ? &ten_int8_vnni : &ten_int8_amx;
}

static void amx_begin(int half, int64_t quads) {
  const int64_t step = step_of(quads);
  _Alignas(LINE) tile_config config = {.palette = 1};
  for (int i = 0; i < TILES; i++) {
    config.rows[i] = (uint8_t)(i <= SUMS ? half : step);
    config.row_bytes[i] = (uint16_t)(i == SUMS ? step * INT8_QUAD : LINE);
  }
  AMX_CONFIGURE(&config);
}

/* Where the next step reads A, and where B. */
typedef struct place {
  const uint8_t *a;
  const int8_t *b;
  int64_t segment, left; /* steps of the segment */
} place;

INLINE void advance(place *at, const ten_int8_tile *t, int64_t step, int64_t steps) {
  at->a += step * INT8_QUAD, at->b += step * ROW;
  if (--at->left) return;
  at->segment++, at->left = steps;
  if (at->segment < t->segments) at->a = t->a + t->offsets[at->segment];
}

INLINE void prefetch(const char **soon, int64_t bytes) {
  for (const char *end = *soon + bytes; *soon < end; *soon += LINE) _mm_prefetch(*soon, _MM_HINT_T1);
}

INLINE void sum_halves(const ten_int8_tile *t, int64_t step, int64_t steps) {
  const int64_t stride = t->row_stride, second = t->second;
  const char *soon = t->soon;
  place at = {.a = t->a + t->offsets[0], .b = t->b, .left = steps};
  _tile_loadd(0, t->init, 0);
  _tile_loadd(1, t->init + VECTOR, 0);
  _tile_loadd(2, t->init, 0);
  _tile_loadd(3, t->init + VECTOR, 0);
  _tile_loadd(5, at.b, ROW);
  _tile_loadd(6, at.b + LINE, ROW);
  for (;;) {
    _tile_loadd(4, at.a, stride);
    _tile_dpbusd(0, 4, 5);
    _tile_dpbusd(1, 4, 6);
    _tile_loadd(4, at.a + second, stride);
    prefetch(&soon, t->soon_step * (step / INT8_STEP));
    _tile_dpbusd(2, 4, 5);
    advance(&at, t, step, steps);
    if (at.segment == t->segments) break;
    _tile_loadd(5, at.b, ROW);
    _tile_dpbusd(3, 4, 6);
    _tile_loadd(6, at.b + LINE, ROW);
  }
  _tile_dpbusd(3, 4, 6);
}

INLINE void sum_half(const ten_int8_tile *t, int64_t step, int64_t steps) {
  const char *soon = t->soon;
  _tile_loadd(0, t->init, 0);
  _tile_loadd(1, t->init + VECTOR, 0);
  for (place at = {.a = t->a + t->offsets[0], .b = t->b, .left = steps}; at.segment < t->segments;
       advance(&at, t, step, steps)) {
    prefetch(&soon, t->soon_step * (step / INT8_STEP));
    _tile_loadd(4, at.a, t->row_stride);
    _tile_loadd(5, at.b, ROW);
    _tile_dpbusd(0, 4, 5);
    _tile_loadd(6, at.b + LINE, ROW);
    _tile_dpbusd(1, 4, 6);
  }
}

/* Bytes of all 32 columns, two rows at a time; an odd one is stored twice. */
INLINE void finish_bytes(const bool adds, const ten_int8_tile *t, const int32_t *sums) {
  const ten_int8_finish *f = t->finish;
  const __m512 factor = _mm512_set1_ps(f->other_scale);
  for (int r = t->done; r < t->rows; r += 2) {
    const int s = r + 1 < t->rows ? r + 1 : r;
    const int32_t *first = sums + r * INT8_COLUMNS, *second = sums + s * INT8_COLUMNS;
    row_of_32 a = scaled_columns(_mm512_load_si512(first), _mm512_load_si512(first + VECTOR), f),
              b = scaled_columns(_mm512_load_si512(second), _mm512_load_si512(second + VECTOR), f);
    if (adds) a = with_bytes_of(a, f->other + r * t->co, factor), b = with_bytes_of(b, f->other + s * t->co, factor);
    store_bytes(a, b, (uint8_t *)f->out + r * t->co, (uint8_t *)f->out + s * t->co);
  }
}

static void finish(const ten_int8_tile *t, const int32_t *sums) {
  const ten_int8_finish *f = t->finish;
  if (f->kind == INT8_BYTES && t->columns >= INT8_COLUMNS) {
    if (f->other)
      finish_bytes(true, t, sums);
    else
      finish_bytes(false, t, sums);
    return;
  }
  for (int v = 0; v < 2; v++) {
    const int columns = t->columns - v * VECTOR;
    if (columns <= 0) return;
    const __mmask16 mask = mask_of(columns);
    const __m512 scale = _mm512_maskz_loadu_ps(mask, f->scale + v * VECTOR),
                 bias = _mm512_maskz_loadu_ps(mask, f->bias + v * VECTOR);
    const int32_t *from = sums + t->done * INT8_COLUMNS + v * VECTOR, *end = sums + t->rows * INT8_COLUMNS;
    const int64_t first = t->done * t->co + v * VECTOR;
    if (f->kind == INT8_FLOATS) {
      float *out = (float *)f->out + first;
      for (; from < end; from += INT8_COLUMNS, out += t->co)
        _mm512_mask_storeu_ps(out, mask, scaled(_mm512_load_si512(from), scale, bias));
      continue;
    }
    uint8_t *out = (uint8_t *)f->out + first;
    if (!f->other) {
      for (; from < end; from += INT8_COLUMNS, out += t->co)
        _mm_mask_storeu_epi8(out, mask, bytes_of(scaled(_mm512_load_si512(from), scale, bias)));
      continue;
    }
    const uint8_t *other = f->other + first;
    const __m512 factor = _mm512_set1_ps(f->other_scale);
    for (; from < end; from += INT8_COLUMNS, out += t->co, other += t->co) {
      const __m512 sum = scaled(_mm512_load_si512(from), scale, bias);
      _mm_mask_storeu_epi8(out, mask, bytes_of(with_bytes(sum, _mm_maskz_loadu_epi8(mask, other), factor)));
    }
  }
}

static void amx_tile(const ten_int8_tile *t) {
  _Alignas(LINE) int32_t buffer[2 * HALF * INT8_COLUMNS];
  int32_t *sums = t->sums ? t->sums : buffer;
  const int64_t columns = t->sums ? INT8_SPAN : INT8_COLUMNS, bytes = columns * (int64_t)sizeof *sums;
  const int64_t step = step_of(t->quads), steps = t->quads / step;
  if (t->rows > t->half) {
    int32_t *second = sums + (t->rows - t->half) * columns;
    sum_halves(t, step, steps);
    _tile_stored(0, sums, bytes);
    _tile_stored(1, sums + VECTOR, bytes);
    _tile_stored(2, second, bytes);
    _tile_stored(3, second + VECTOR, bytes);
  } else {
    sum_half(t, step, steps);
    _tile_stored(0, sums, bytes);
    _tile_stored(1, sums + VECTOR, bytes);
  }
  if (!t->sums) finish(t, sums);
}

const ten_int8_form ten_int8_amx = {
    .name = "amx", .tile = amx_tile, .rows = 2 * HALF, .begin = amx_begin, .end = ten_amx_end, .instead = amx_or_vnni};
#endif
