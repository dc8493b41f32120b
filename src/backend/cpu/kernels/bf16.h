/* bf16.h: bf16 matmuls, summed in f32. Every form of it works on the same layouts, so that packed weights
 * do not depend on the CPU:
 *
 * A is rows of bf16 numbers at one stride; k runs over blocks of 32 numbers, each at an offset that is the same for
 * every row (a matrix: 0, 32, 64…; a convolution: the taps of a block of channels over a padded image, then the next).
 * B is packed in panels of 32 columns, [k/2][32][2], zero where k or the columns end. A form computes 32 × 32 sums at a
 * time. */
#ifndef TEN_CPU_KERNELS_BF16_H
#define TEN_CPU_KERNELS_BF16_H

#include <stdbool.h>
#include <stdint.h>

enum { BF16_ROWS = 32, BF16_COLUMNS = 32, BF16_K = 32, BF16_STEP = BF16_K * BF16_COLUMNS };

/* Cache lines to prefetch, as many for each block of k. */
typedef struct ten_bf16_lines {
  const char *at;
  int count;
} ten_bf16_lines;

/* What to prefetch meanwhile: of a panel and of rows that come much later; and, where `soon`, what the blocks that
 * follow will read, which L1 has not got yet: A is farther away than L2, or it is not. */
typedef struct ten_bf16_ahead {
  ten_bf16_lines panel, rows;
  bool soon, far_a;
} ten_bf16_ahead;

/* c[rows][32] = A × B, rows of c ldc apart: rows ≤ 32 (as many as the form was told at most are readable at a, and
 * writable at c, in any case), offsets[i] is where block i of k is in a row, b one panel. */
typedef void (*ten_bf16_block)(const uint16_t *a, int64_t row_stride, const int64_t *offsets, int64_t blocks,
                               const uint16_t *b, int rows, float *c, int64_t ldc, ten_bf16_ahead ahead);

typedef struct ten_bf16_form {
  const char *name;
  ten_bf16_block block;
  /* Around blocks, on the thread that does them, none of more than so many rows; NULL: nothing. Whether nobody is
   * on the other hyper-thread of its core, so that memory comes in time where it is read in order. */
  bool (*begin)(int rows);
  void (*end)(void);
} ten_bf16_form;

/* The fastest that this CPU can run; never NULL. Where TENFOLD_CPU forces a set of instructions, that set's portable
 * form, unless it names a form itself: "amx", "avx512bf16", "neonbf16". */
const ten_bf16_form *ten_bf16_best(void);
/* NULL when unknown or when this CPU cannot run it; "portable" is the best kernels' own. */
const ten_bf16_form *ten_bf16_named(const char *name);

#endif
