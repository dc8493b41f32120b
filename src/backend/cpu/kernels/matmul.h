/* matmul.h: matmuls and convolutions of every type, through strides: those that the tuned f32 and bf16 kernels do not
 * support. */
#ifndef TEN_CPU_KERNELS_MATMUL_H
#define TEN_CPU_KERNELS_MATMUL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* C[row, col] = Σ A[row, k] · B[k, col] for every batch, in the accumulator type. Strides are in elements.
 *
 * As a convolution (spatial > 0) a row is a pixel of an image of the output, k a tap of the kernel and an input
 * channel, a column an output channel, and a batch a group of channels: A is the input, B the kernel, C the output, and
 * rows and k are decomposed by `sizes` and `taps`. Out-of-bounds pixels are zero. */
enum { TEN_MATMUL_RANK = 4, TEN_MATMUL_MC = 128, TEN_MATMUL_NC = 128, TEN_MATMUL_KC = 256, TEN_MATMUL_ROW = 1024 };
typedef enum ten_matmul_type {
  TEN_MATMUL_F32,
  TEN_MATMUL_F64,
  TEN_MATMUL_C64,
  TEN_MATMUL_C128,
  TEN_MATMUL_I8,
  TEN_MATMUL_U8,
  TEN_MATMUL_I16,
  TEN_MATMUL_U16,
  TEN_MATMUL_I32,
  TEN_MATMUL_I64
} ten_matmul_type;
typedef struct ten_matmul {
  ten_matmul_type from, to; /* in memory; the accumulator is `to`, i32 for narrow integers */
  bool portable;            /* no instructions beyond the architecture's baseline */
  int64_t m, n, k;
  int64_t a_row, a_col, b_row, b_col, c_row, c_col;
  uint32_t batch_rank;
  int64_t batches, batch[TEN_MATMUL_RANK], a_batch[TEN_MATMUL_RANK], b_batch[TEN_MATMUL_RANK], c_batch[TEN_MATMUL_RANK];
  /* a convolution: a_row and c_row are per image, a_col and b_row per channel */
  uint32_t spatial;
  int64_t channels;                                                               /* k = taps · channels */
  int64_t sizes[TEN_MATMUL_RANK], extent[TEN_MATMUL_RANK], taps[TEN_MATMUL_RANK]; /* of output, input, kernel */
  int64_t stride[TEN_MATMUL_RANK], pad[TEN_MATMUL_RANK], dilation[TEN_MATMUL_RANK], spread[TEN_MATMUL_RANK];
  bool reversed[TEN_MATMUL_RANK];
  int64_t a_step[TEN_MATMUL_RANK], b_step[TEN_MATMUL_RANK], c_step[TEN_MATMUL_RANK];
} ten_matmul;

/* One row, with the same type in memory and accumulator, reads B in place. */
static inline bool ten_matmul_is_row(const ten_matmul *p) {
  return p->m == 1 && !p->spatial && p->from == p->to &&
         (p->to == TEN_MATMUL_F64 || p->to == TEN_MATMUL_I32 || p->to == TEN_MATMUL_I64);
}
static inline int64_t ten_matmul_columns(const ten_matmul *p) {
  return ten_matmul_is_row(p) ? TEN_MATMUL_ROW : TEN_MATMUL_NC;
}
/* A unit is a block of MC rows and NC columns of one batch. */
static inline int64_t ten_matmul_units(const ten_matmul *p) {
  return p->batches * ((p->m + TEN_MATMUL_MC - 1) / TEN_MATMUL_MC) *
         ((p->n + ten_matmul_columns(p) - 1) / ten_matmul_columns(p));
}
/* Scratch bytes per worker: a packed slice of A and of B, and the block of C; for the widest type. */
enum { TEN_MATMUL_SCRATCH = 16 * (TEN_MATMUL_KC * (TEN_MATMUL_MC + TEN_MATMUL_NC) + TEN_MATMUL_MC * TEN_MATMUL_NC) };

#endif
