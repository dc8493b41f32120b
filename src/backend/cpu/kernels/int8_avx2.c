/* int8_avx2.c: tiles for CPUs without dot products of bytes. VPMADDUBSW multiplies 32 bytes at once but saturates sums
 * of two full products, so bytes of A come as two planes of four bits: x = low + 16·high. A product is then at most
 * 15·128, and eight quads of k are summed in 16 bits, exactly, before VPMADDWD widens them: two multiplications and two
 * additions for 32 products, as with VPMADDWD on bytes that were widened, but weights are used as they are packed.
 * Three rows by two vectors of columns take 12 registers for sums of 16 bits; those of 32 bits stay in memory, where
 * each group of eight quads adds to them. This file is compiled without
 * contraction. */
#include "backend/cpu/kernels/tables.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#include "backend/cpu/kernels/int8_job.h"

enum {
  LANES = 8, /* columns of a vector */
  VECTORS = 2,
  WIDTH = VECTORS * LANES,
  MOST_ROWS = 3,
  GROUP = 8,  /* quads that are summed in 16 bits: 2 · 8 · 15 · 128 is below 2^15 */
  BLOCK = 64, /* quads of which A and B stay in the nearest cache for all rows and columns of a tile */
  LINE = 64,
  STEP = INT8_QUAD * INT8_COLUMNS
};

/* Some rows of A, at their displacements from `a`, and some columns of B. */
typedef struct part {
  const uint8_t *a;
  const int64_t *rows;
  int64_t plane;
  const int8_t *b;
  const int32_t *from; /* what is added to, `from_row` apart */
  int64_t from_row;
  int32_t *to;
  int64_t to_row;
} part;

ALWAYS_INLINE __m256i quad_at(const uint8_t *from) {
  int four;
  memcpy(&four, from, sizeof four);
  return _mm256_set1_epi32(four);
}

/* Compilers would add the products of all quads in another order, and keep them in memory until then. */
ALWAYS_INLINE void add_product(const bool first, __m256i *sum, __m256i x, __m256i b) {
  const __m256i product = _mm256_maddubs_epi16(x, b);
  *sum = first ? product : _mm256_add_epi16(*sum, product);
  __asm__("" : "+x"(*sum));
}

ALWAYS_INLINE void multiply(const int rows, const bool first, __m256i low[MOST_ROWS][VECTORS],
                            __m256i high[MOST_ROWS][VECTORS], const uint8_t *const *at, int64_t plane, const int8_t *b,
                            int64_t q) {
  const __m256i b0 = _mm256_loadu_si256((const void *)(b + q * STEP)),
                b1 = _mm256_loadu_si256((const void *)(b + q * STEP + LANES * INT8_QUAD));
  for (int r = 0; r < rows; r++) {
    __m256i x = quad_at(at[r] + q * INT8_QUAD);
    add_product(first, &low[r][0], x, b0);
    add_product(first, &low[r][1], x, b1);
    x = quad_at(at[r] + plane + q * INT8_QUAD);
    add_product(first, &high[r][0], x, b0);
    add_product(first, &high[r][1], x, b1);
  }
}

/* Adds to the sums in memory. */
ALWAYS_INLINE void widen(const int rows, __m256i low[MOST_ROWS][VECTORS], __m256i high[MOST_ROWS][VECTORS],
                         const int32_t *from, int64_t from_row, int32_t *to, int64_t to_row) {
  for (int r = 0; r < rows; r++)
    for (int v = 0; v < VECTORS; v++) {
      const __m256i sum = _mm256_add_epi32(_mm256_madd_epi16(low[r][v], _mm256_set1_epi16(1)),
                                           _mm256_madd_epi16(high[r][v], _mm256_set1_epi16(16))),
                    before = _mm256_loadu_si256((const void *)(from + r * from_row + v * LANES));
      _mm256_storeu_si256((void *)(to + r * to_row + v * LANES), _mm256_add_epi32(before, sum));
    }
}

/* Where a part's rows, columns and sums are, in registers. */
typedef struct cursor {
  const uint8_t *at[MOST_ROWS];
  const int8_t *b;
  const int32_t *from;
  int64_t from_row;
} cursor;

ALWAYS_INLINE void sum_group(const int rows, const int quads, const part *p, cursor *c) {
  __m256i low[MOST_ROWS][VECTORS], high[MOST_ROWS][VECTORS];
  multiply(rows, true, low, high, c->at, p->plane, c->b, 0);
#pragma GCC unroll 8
  for (int q = 1; q < quads; q++) multiply(rows, false, low, high, c->at, p->plane, c->b, q);
  widen(rows, low, high, c->from, c->from_row, p->to, p->to_row);
}

ALWAYS_INLINE void sum_quads(const int rows, const part *p, int64_t quads) {
  cursor c = {.b = p->b, .from = p->from, .from_row = p->from_row};
  for (int r = 0; r < rows; r++) c.at[r] = p->a + p->rows[r];
  for (; quads >= GROUP; quads -= GROUP) {
    sum_group(rows, GROUP, p, &c);
    c.from = p->to, c.from_row = p->to_row, c.b += GROUP * STEP;
    for (int r = 0; r < rows; r++) c.at[r] += GROUP * INT8_QUAD;
  }
  switch (quads) {
    case 1: sum_group(rows, 1, p, &c); break;
    case 2: sum_group(rows, 2, p, &c); break;
    case 3: sum_group(rows, 3, p, &c); break;
    case 4: sum_group(rows, 4, p, &c); break;
    case 5: sum_group(rows, 5, p, &c); break;
    case 6: sum_group(rows, 6, p, &c); break;
    case 7: sum_group(rows, 7, p, &c); break;
    default: break;
  }
}

/* A function for each number of rows: the sums stay in registers. */
#define ROWS(count) \
  static void rows_##count(const part *p, int64_t quads) { sum_quads(count, p, quads); }
ROWS(1)
ROWS(2)
ROWS(3)

/* Up to BLOCK quads of all rows and columns, added to sums. Only numbers change in `p`: a copy of it would wait for
 * what was just written. */
static void sum_block(const ten_int8_tile *t, part *p, int64_t quads) {
  static void (*const forms[])(const part *p, int64_t quads) = {rows_1, rows_2, rows_3};
  const int64_t *first = p->rows;
  const int32_t *from = p->from;
  int32_t *to = p->to;
  for (int n = 0; n < INT8_COLUMNS; n += WIDTH) {
    for (int left = t->rows, rows; left > 0; left -= rows) {
      rows = left == MOST_ROWS + 1 ? 2 : left < MOST_ROWS ? left : MOST_ROWS; /* rather two and two than one alone */
      forms[rows - 1](p, quads);
      p->rows += rows, p->from += rows * p->from_row, p->to += rows * p->to_row;
    }
    p->b += WIDTH * INT8_QUAD, p->rows = first, p->from = from + n + WIDTH, p->to = to + n + WIDTH;
  }
  p->b -= INT8_COLUMNS * INT8_QUAD, p->from = from, p->to = to;
}

/* Eight sums of a row, as int8_finish.c computes them. */
ALWAYS_INLINE __m256 scaled(const int32_t *sums, const ten_int8_finish *f, int column) {
  const __m256 t = _mm256_cvtepi32_ps(_mm256_loadu_si256((const void *)(sums + column)));
  return _mm256_add_ps(_mm256_mul_ps(t, _mm256_loadu_ps(f->scale + column)), _mm256_loadu_ps(f->bias + column));
}

/* What is too large for 16 bits is cut off; a NaN becomes the least. */
ALWAYS_INLINE __m256i words_of(__m256 first, __m256 second) {
  const __m256 most = _mm256_set1_ps(INT16_MAX);
  return _mm256_packs_epi32(_mm256_cvtps_epi32(_mm256_min_ps(most, first)),
                            _mm256_cvtps_epi32(_mm256_min_ps(most, second)));
}

/* Rows of all columns in bytes. Packing goes by halves of a register. */
ALWAYS_INLINE void finish_bytes(const bool adds, const ten_int8_tile *t, const int32_t *sums) {
  const ten_int8_finish *f = t->finish;
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  const __m256 factor = _mm256_set1_ps(f->other_scale);
  uint8_t *out = f->out;
  const uint8_t *other = f->other;
  for (int r = 0; r < t->rows; r++, sums += INT8_COLUMNS, out += t->co) {
    __m256 x[INT8_COLUMNS / LANES];
    for (int v = 0; v < INT8_COLUMNS / LANES; v++) {
      x[v] = scaled(sums, f, v * LANES);
      if (!adds) continue;
      const __m256i bytes = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)(other + v * LANES)));
      x[v] = _mm256_add_ps(x[v], _mm256_mul_ps(_mm256_cvtepi32_ps(bytes), factor));
    }
    const __m256i bytes = _mm256_packus_epi16(words_of(x[0], x[1]), words_of(x[2], x[3]));
    _mm256_storeu_si256((void *)out, _mm256_permutevar8x32_epi32(bytes, order));
    if (adds) other += t->co;
  }
}

static void finish(const ten_int8_tile *t, const int32_t *sums) {
  const ten_int8_finish *f = t->finish;
  if (f->kind != INT8_BYTES || t->columns < INT8_COLUMNS)
    TEN_K(int8_finish)(f, sums, INT8_COLUMNS, t->rows, t->columns, t->co);
  else if (f->other)
    finish_bytes(true, t, sums);
  else
    finish_bytes(false, t, sums);
}

static void avx2_tile(const ten_int8_tile *t) {
  int32_t buffer[INT8_TILE_ROWS * INT8_COLUMNS];
  int64_t rows[INT8_TILE_ROWS];
  for (int r = 0; r < t->rows; r++)
    rows[r] = r < INT8_HALF ? r * t->row_stride : t->second + (r - INT8_HALF) * t->row_stride;
  part p = {.rows = rows, .plane = t->plane, .b = t->b, .from = t->init, .to = t->sums ? t->sums : buffer};
  p.to_row = t->sums ? INT8_SPAN : INT8_COLUMNS;
  const char *soon = t->soon;
  for (int64_t s = 0; s < t->segments; s++) {
    p.a = t->a + t->offsets[s];
    for (int64_t left = t->quads; left > 0; left -= BLOCK) {
      const int64_t quads = left < BLOCK ? left : BLOCK;
      for (const char *end = soon + quads / INT8_STEP * t->soon_step; soon < end; soon += LINE)
        _mm_prefetch(soon, _MM_HINT_T1);
      sum_block(t, &p, quads);
      p.a += quads * INT8_QUAD, p.b += quads * STEP;
      p.from = p.to, p.from_row = p.to_row;
    }
  }
  if (!t->sums) finish(t, buffer);
}

const ten_int8_form ten_int8_avx2 = {.name = "avx2", .tile = avx2_tile, .rows = INT8_TILE_ROWS, .is_split = true};
#endif
