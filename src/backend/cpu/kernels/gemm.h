/* gemm.h: matmul functions used by other kernels, one copy per instruction set. */
#ifndef TEN_CPU_KERNELS_GEMM_H
#define TEN_CPU_KERNELS_GEMM_H

#include "backend/cpu/kernels/isa.h"
#include "backend/cpu/kernels/kernels.h"

/* What to prefetch meanwhile: one line per step of k, advancing by `step` floats. */
typedef struct gemm_ahead {
  const float *at; /* NULL: nothing */
  int64_t step;
} gemm_ahead;

/* Rows of A read in place: their stride (0: packed), and the number of contiguous runs in each, with their stride. */
typedef struct gemm_runs {
  int64_t row, count, apart;
} gemm_runs;

/* Where a load broadcasts an element of A for free, rows of A need no packing. */
#if defined(__AVX2__)
enum { GEMM_IN_PLACE = 1 };
#else
enum { GEMM_IN_PLACE = 0 };
#endif

/* Maximum rows of a tile where panels of A are consecutive: a tile of few rows has too few sums in flight to run alone,
 * so that, if registers suffice, they are added to the previous tile. */
#if defined(__aarch64__)
enum { GEMM_MR_MOST = GEMM_MR + 4 };
#else
enum { GEMM_MR_MOST = GEMM_MR };
#endif

/* ---- panels of B: NR columns each. With AVX2 and AVX-512 the last ones are only as wide as needed, in whole vectors:
 * so little padding is needed. With AVX-512, where one vector would remain, the last two have equal widths, so that no
 * tile is too narrow to keep the CPU busy. A panel is stored as [k][width] at offset (first column · k). */

/* n columns with their padding. */
ALWAYS_INLINE int64_t gemm_padded(int64_t n) { return (n + GEMM_NARROW - 1) / GEMM_NARROW * GEMM_NARROW; }
ALWAYS_INLINE int64_t gemm_panels(int64_t n) { return (n + GEMM_NR - 1) / GEMM_NR; }

/* The first column of a panel; n if there is none. */
ALWAYS_INLINE int64_t gemm_panel(int64_t n, int64_t index) {
  const int64_t at = index * GEMM_NR;
  if (GEMM_NV > 2 && index > 0 && gemm_padded(n) - at == GEMM_NARROW) return at - GEMM_NARROW;
  return at < n ? at : n;
}

/* The width of the panel whose first column is n0. */
ALWAYS_INLINE int64_t gemm_width(int64_t n, int64_t n0) {
  const int64_t left = gemm_padded(n) - n0;
  if (GEMM_NARROW == GEMM_NR) return GEMM_NR;
  return GEMM_NV > 2 && left == GEMM_NR + GEMM_NARROW ? left / 2 : left < GEMM_NR ? left : GEMM_NR;
}

/* How many of its columns are valid. */
ALWAYS_INLINE int gemm_columns(int64_t n, int64_t n0) {
  const int64_t width = gemm_width(n, n0);
  return (int)(n - n0 < width ? n - n0 : width);
}

/* Whether one thread finishes before another would wake up: some microseconds of multiply-adds, and of reading B. */
ALWAYS_INLINE bool gemm_is_small(const ten_gemm *g) {
  enum { PRODUCTS = 50, NUMBERS = 5 /* of B, per nanosecond */, MOST = 4000 /* nanoseconds */ };
  const int64_t b = g->k * g->n, batch = g->batch > 1 ? g->batch : 1;
  return b < MOST * NUMBERS && batch * (g->m * b / PRODUCTS + b / NUMBERS) < MOST;
}

/* Which overlapped task this is; -1: a matmul task, whose number replaces `index`. Half of them come first, and half in
 * the middle: threads take tasks from both ends, so that one runs them while the other multiplies. */
ALWAYS_INLINE int64_t gemm_overlapped(const ten_gemm *g, int64_t tasks, int64_t *index) {
  const int64_t others = g->overlap_count, first = others / 2, middle = first + tasks / 2;
  if (*index < first) return *index;
  if (*index < middle) return *index -= first, -1;
  if (*index < middle + others - first) return *index - middle + first;
  *index -= others;
  return -1;
}

/* One tile: rows ≤ MR_MOST, columns ≤ NR; a is a packed panel [kc][MR] (and the next) or, if GEMM_IN_PLACE and a_row is
 * not 0, rows a_row apart; b a packed panel with so many valid columns. */
void TEN_K(gemm_tile)(int rows, int columns, int64_t kc, const float *a, int64_t a_row, const float *b, float *c,
                      int64_t ldc, bool accumulate, gemm_ahead ahead);
/* Likewise, where each row consists of several runs of kc, only for rows read in place. */
void TEN_K(gemm_tile_runs)(int rows, int columns, int64_t kc, const float *a, gemm_runs runs, const float *b, float *c,
                           int64_t ldc, bool accumulate, gemm_ahead ahead);
#if defined(__AVX2__)
/* All of C, `ldc` apart, where rows of A and B are read in place and n is whole vectors. */
void TEN_K(gemm_small)(const ten_gemm *g, float *c, int64_t ldc);
#endif
/* The share of tile `index` of `count` in prefetching the next panel (NULL: none): spread evenly, so that it does not
 * delay the tiles' own loads. */
ALWAYS_INLINE gemm_ahead TEN_K(gemm_share)(const float *next, int64_t index, int64_t count, int64_t kc) {
  const int64_t step = (GEMM_NR + count - 1) / count;
  if (!next || index * step >= GEMM_NR) return (gemm_ahead){0};
  return (gemm_ahead){next + index * step * kc, step};
}
/* Packs elements [from, from + kc) of MR rows given by their addresses into a panel [kc][MR]. */
void TEN_K(gemm_pack_rows)(const float *const rows[GEMM_MR], int64_t from, int64_t kc, float *packed);
/* Packs rows × kc of A into one panel [kc][MR]; missing rows are zero. */
void TEN_K(gemm_pack_a)(int64_t rows, int64_t kc, const float *a, int64_t a_row, int64_t a_col, float *packed);
/* Packs rows × kc of A into panels. A transposed A is read along its rows, all panels at once, some rows at a time:
 * every cache line once. */
void TEN_K(gemm_pack_block)(int64_t rows, int64_t kc, const float *a, int64_t a_row, int64_t a_col, float *packed);
/* Packs k rows of one panel of B with so many valid columns. */
void TEN_K(gemm_pack_panel)(int64_t k, int64_t columns, const float *b, int64_t b_row, int64_t b_col, float *packed);
int64_t TEN_K(gemm_packed_size)(int64_t k, int64_t n);
void TEN_K(gemm_pack_b)(int64_t k, int64_t n, const float *b, int64_t b_row, int64_t b_col, int64_t begin, int64_t end,
                        float *packed);
/* gemm_few.c: few rows times columns [n0, n1) of B; an unpacked B has contiguous rows or columns, a packed one is for a
 * single row. `own`: scratch of m × most_k elements. */
void TEN_K(gemm_few)(const ten_gemm *g, const float *a, const float *b, float *c, int64_t n0, int64_t n1,
                     int64_t most_k, float *own);
#if defined(__AVX512F__)
/* gemm_split.c: whether a matmul is large enough for it, by its sizes. */
bool TEN_K(gemm_splits)(const ten_gemm *g);
size_t TEN_K(gemm_split_scratch)(const ten_gemm *g, unsigned threads);
void TEN_K(gemm_split_run)(const ten_gemm *g, ten_pool *pool);
#endif
size_t TEN_K(gemm_scratch)(const ten_gemm *gemm, unsigned threads);
void TEN_K(gemm_run)(const ten_gemm *gemm, ten_pool *pool);

bool TEN_K(conv_can)(const ten_conv2d *conv, ten_conv_algorithm algorithm);
int64_t TEN_K(conv_packed_size)(const ten_conv2d *conv, ten_conv_algorithm algorithm);
int64_t TEN_K(conv_pack_units)(const ten_conv2d *conv);
void TEN_K(conv_pack)(const ten_conv2d *conv, ten_conv_algorithm algorithm, const float *kernel,
                      const int64_t strides[4], int64_t begin, int64_t end, float *packed);
size_t TEN_K(conv_scratch)(const ten_conv2d *conv, unsigned threads);
void TEN_K(conv_run)(const ten_conv2d *conv, ten_pool *pool);
bool TEN_K(winograd_wgrad_can)(const ten_wgrad2d *w);
size_t TEN_K(wgrad_scratch)(const ten_wgrad2d *w, unsigned threads);
void TEN_K(wgrad_run)(const ten_wgrad2d *w, ten_pool *pool);
size_t TEN_K(attention_scratch)(const ten_attention *a, unsigned threads);
void TEN_K(attention_run)(const ten_attention *a, ten_pool *pool);
void TEN_K(attention_grad_run)(const ten_attention_grad *a, const float *const in[TEN_GRAD_INPUTS], float *out,
                               float *scratch, int64_t begin, int64_t end);
void TEN_K(fft_run)(const ten_fft *fft, const void *from, const void *table, void *to, void *scratch, int64_t begin,
                    int64_t end);
void TEN_K(product_run)(const ten_matmul *product, const void *a, const void *b, void *c, void *scratch, int64_t begin,
                        int64_t end);
void TEN_K(cholesky_run)(bool wide, int64_t n, bool lower, const void *a, void *out);
void TEN_K(solve_run)(const ten_solve *solve, const void *a, const void *b, void *x);
void TEN_K(threefry_run)(const uint32_t key[2], uint64_t counter, uint32_t out[2][TEN_RANDOM_LANES]);
void TEN_K(philox_run)(const uint32_t key[2], uint64_t low, uint64_t high, uint64_t counter,
                       uint32_t out[4][TEN_RANDOM_LANES]);
void TEN_K(move_run)(const ten_move *move, const void *from, void *to, int64_t begin, int64_t end);
void TEN_K(scan_run)(const ten_scan *scan, const void *from, const void *init, void *to, int64_t begin, int64_t end);
/* scan_log.c: the part of scan_run whose op is TEN_SCAN_LOG_SUM. */
void TEN_K(scan_log_run)(const ten_scan *scan, const void *from, void *to, int64_t begin, int64_t end);

extern const ten_bf16_form TEN_K(bf16_portable);
int64_t TEN_K(bf16_packed_size)(int64_t k, int64_t n);
void TEN_K(bf16_pack_b)(int64_t k, int64_t n, const void *b, bool narrow, int64_t b_row, int64_t b_col, int64_t begin,
                        int64_t end, uint16_t *packed);
size_t TEN_K(bf16_gemm_scratch)(const ten_gemm *gemm, unsigned threads);
void TEN_K(bf16_gemm_run)(const ten_gemm *gemm, ten_pool *pool);
int64_t TEN_K(bf16_conv_packed_size)(const ten_conv2d *conv);
int64_t TEN_K(bf16_conv_pack_units)(const ten_conv2d *conv);
void TEN_K(bf16_conv_pack)(const ten_conv2d *c, const void *kernel, bool narrow, const int64_t strides[4],
                           int64_t begin, int64_t end, uint16_t *packed);
size_t TEN_K(bf16_conv_scratch)(const ten_conv2d *conv, unsigned threads);
void TEN_K(bf16_conv_run)(const ten_conv2d *c, ten_pool *pool);

#endif
