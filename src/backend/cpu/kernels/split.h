/* split.h: f32 matmuls by tiles of bf16. An f32 is, exactly, the sum of three bf16: its first eight bits, the next
 * eight, and the last. Of the nine products of two such values the six that are significant in f32 are summed in f32,
 * so that the error is no larger than with f32 instructions (smaller: a tile adds up 32 products before it rounds to
 * the accumulator). Where tiles of bf16 are more than six times as fast, this is faster.
 *
 * Parts are in tiles of 1 KiB, all of a step of 32 elements of k together: [part][half][16][32] for 32 rows of A,
 * [part][half][16][16][2], with pairs of k, for 32 columns of B. Which elements of k form a pair is up to the form. */
#ifndef TEN_CPU_KERNELS_SPLIT_H
#define TEN_CPU_KERNELS_SPLIT_H

#include <stdbool.h>
#include <stdint.h>

enum { SPLIT_ROWS = 32, SPLIT_COLUMNS = 32, SPLIT_K = 32, SPLIT_TILE = 1024, SPLIT_STEP = 6 * SPLIT_TILE };

/* The largest magnitudes of some rows or columns, as bits: the maximum over all of them, and the minimum, ignoring
 * those that are all zero. */
typedef struct split_range {
  uint32_t least, most;
} split_range;

/* Whether parts can represent rows and columns in such ranges: not if values are huge, infinite or NaN, nor if they, or
 * their products, are so small that last parts would underflow (tiles flush below 2^-126). */
static inline bool split_fits(split_range rows, split_range columns) {
  enum { BIAS = 127, LEAST = BIAS - 80, LEAST_PRODUCT = 2 * BIAS - 100, MOST = BIAS + 60 };
  const uint32_t row = rows.least >> 23, column = columns.least >> 23;
  return rows.most >> 23 < MOST && columns.most >> 23 < MOST && row >= LEAST && column >= LEAST &&
         row + column >= LEAST_PRODUCT;
}

/* What to prefetch meanwhile: at each half of a step `times` consecutive lines. */
typedef struct ten_split_ahead {
  const char *at;
  int times;
} ten_split_ahead;

typedef struct ten_split_form {
  void (*begin)(void), (*end)(void); /* around blocks, on the thread that runs them */
  /* Split rows ≤ 32 of A, kc elements each, and 16 columns of B, rows b_row apart, into their tiles (one half for B),
   * zero-padded. `most`: the largest magnitude of each row or column so far, as bits. */
  void (*split_a)(int rows, int64_t kc, const float *a, int64_t a_row, char *parts, uint32_t *most);
  void (*split_b)(int64_t kc, const float *b, int64_t b_row, char *parts, uint32_t *most);
  /* 32 × 32 of C over so many steps of k; the next block probably has the same A, and the B that follows this one.
   * `halves`: 1 if only 16 columns are needed. */
  void (*block)(int64_t steps, const char *a, const char *b, float *c, int64_t ldc, bool accumulate, int halves,
                ten_split_ahead ahead);
} ten_split_form;

/* NULL if f32 instructions are as fast, or TENFOLD_CPU forces them. */
const ten_split_form *ten_split_best(void);

#endif
