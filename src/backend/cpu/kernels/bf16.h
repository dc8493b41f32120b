/* bf16.h: bf16 matmuls, accumulated in f32. Every implementation (form) uses the same layouts, so that packed weights
 * do not depend on the CPU:
 *
 * A is rows of bf16 elements at one stride; k is split into blocks of 32 elements, each at an offset that is the same
 * for every row (a matrix: 0, 32, 64…; a convolution: the taps of a block of channels over a padded image, then the
 * next). B is packed in panels of 32 columns, [k/2][32][2], zero-padded in k and columns. A form computes 32 × 32 sums
 * at a time. */
#ifndef TEN_CPU_KERNELS_BF16_H
#define TEN_CPU_KERNELS_BF16_H

#include <stdbool.h>
#include <stdint.h>

enum { BF16_ROWS = 32, BF16_COLUMNS = 32, BF16_K = 32, BF16_STEP = BF16_K * BF16_COLUMNS };

/* Cache lines to prefetch, spread evenly over the blocks of k. */
typedef struct ten_bf16_lines {
  const char *at;
  int count;
} ten_bf16_lines;

/* What to prefetch meanwhile: parts of a later panel and of later rows; and, where `soon`, the next blocks' inputs,
 * which are not in L1 yet: A is in or beyond L2. */
typedef struct ten_bf16_ahead {
  ten_bf16_lines panel, rows;
  bool soon, far_a;
} ten_bf16_ahead;

/* c[rows][32] = A × B, with rows of c ldc apart: rows ≤ 32 (the maximum passed to `begin` must be readable at a and
 * writable at c in any case), offsets[i] is the offset of k block i in a row, b one panel. */
typedef void (*ten_bf16_block)(const uint16_t *a, int64_t row_stride, const int64_t *offsets, int64_t blocks,
                               const uint16_t *b, int rows, float *c, int64_t ldc, ten_bf16_ahead ahead);

typedef struct ten_bf16_form {
  const char *name;
  ten_bf16_block block;
  /* Around blocks, on the thread that runs them, none of more than so many rows; NULL: nothing. Returns whether the
   * core's other hyper-thread is idle, so that sequential reads arrive in time. */
  bool (*begin)(int rows);
  void (*end)(void);
} ten_bf16_form;

/* The fastest on this CPU; never NULL. If TENFOLD_CPU forces an instruction set, that set's portable form, unless it
 * names a form itself: "amx", "avx512bf16", "neonbf16". */
const ten_bf16_form *ten_bf16_best(void);
/* NULL when unknown or unsupported by this CPU; "portable" is that of the best kernels. */
const ten_bf16_form *ten_bf16_named(const char *name);

#endif
