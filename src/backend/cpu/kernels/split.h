/* split.h: f32 matmuls by tiles of bf16. A number of f32 is, exactly, the sum of three of bf16: its first eight bits,
 * the next eight, and the last. Of the nine products of two such numbers the six are summed that an f32 can tell, in
 * f32, so that the sum is no further off than one by f32 instructions (nearer: a tile adds up 32 products before it
 * rounds to what was there). Where tiles of bf16 are more than six times as fast, that is the faster way.
 *
 * Parts lie in tiles of 1 KiB, all of a step of 32 numbers of k together: [part][half][16][32] of 32 rows of A,
 * [part][half][16][16][2], pairs of k together, of 32 columns of B. Which numbers of k are a pair is the form's
 * business. */
#ifndef TEN_CPU_KERNELS_SPLIT_H
#define TEN_CPU_KERNELS_SPLIT_H

#include <stdbool.h>
#include <stdint.h>

enum { SPLIT_ROWS = 32, SPLIT_COLUMNS = 32, SPLIT_K = 32, SPLIT_TILE = 1024, SPLIT_STEP = 6 * SPLIT_TILE };

/* The largest numbers of some rows or columns, as bits: of all of them, and of the one where it is smallest, but for
 * those that are zero throughout. */
typedef struct split_range {
  uint32_t least, most;
} split_range;

/* Whether parts stand for rows and columns in such ranges: not where numbers are huge, infinite or none, nor where
 * they, or their products, are so small that last parts would vanish (tiles know no numbers below 2^-126). */
static inline bool split_fits(split_range rows, split_range columns) {
  enum { BIAS = 127, LEAST = BIAS - 80, LEAST_PRODUCT = 2 * BIAS - 100, MOST = BIAS + 60 };
  const uint32_t row = rows.least >> 23, column = columns.least >> 23;
  return rows.most >> 23 < MOST && columns.most >> 23 < MOST && row >= LEAST && column >= LEAST &&
         row + column >= LEAST_PRODUCT;
}

/* What to prefetch meanwhile: at each half of a step `times` lines, one after the other. */
typedef struct ten_split_ahead {
  const char *at;
  int times;
} ten_split_ahead;

typedef struct ten_split_form {
  void (*begin)(void), (*end)(void); /* around blocks, on the thread that does them */
  /* rows ≤ 32 of A, kc numbers each, and 16 columns of B, rows b_row apart, into their tiles (of B one half), zero
   * where rows or k end. `most`: the largest number of each row or column so far, without its sign, as bits. */
  void (*split_a)(int rows, int64_t kc, const float *a, int64_t a_row, char *parts, uint32_t *most);
  void (*split_b)(int64_t kc, const float *b, int64_t b_row, char *parts, uint32_t *most);
  /* 32 × 32 of C over so many steps of k; the next block is likely of the same A, and of the B that follows this one.
   * `halves`: 1 where 16 columns are all that is needed. */
  void (*block)(int64_t steps, const char *a, const char *b, float *c, int64_t ldc, bool accumulate, int halves,
                ten_split_ahead ahead);
} ten_split_form;

/* NULL where f32 instructions are as fast, or TENFOLD_CPU forces them. */
const ten_split_form *ten_split_best(void);

#endif
