/* int8.h: matmuls and convolutions of 8-bit integers: args = the epilogue's, x, packed weights, output, scratch. */
#ifndef TEN_CPU_INT8_H
#define TEN_CPU_INT8_H

#include "backend/cpu/exec/flat.h"
#include "backend/cpu/kernels/kernels.h"

enum { CPU_INT8_BATCH = 4 };
typedef struct cpu_int8 {
  ten_int8 shape;      /* without addresses */
  int64_t offset;      /* first element of the weights' view */
  uint32_t batch_rank; /* of a matmul */
  int64_t batches, batch[CPU_INT8_BATCH], x_batch[CPU_INT8_BATCH], weights_batch[CPU_INT8_BATCH];
  bool shared; /* all batches have the same weights */
  uint32_t epilogue_args;
  int64_t out_bytes;           /* per element */
  uint32_t scale, bias, other; /* which of the epilogue's args the finish reads; the last UINT32_MAX: none */
  const ten_kernels *kernels;  /* for the packing: filled in when loaded */
} cpu_int8;

/* Whether the kernel can run it: sizes are in range, and channels as it needs them. */
bool cpu_int8_fits(const cpu_int8 *d);
static inline int64_t cpu_int8_packs(const cpu_int8 *d) { return d->shared ? 1 : d->batches; }

#endif
