/* conv.h: runs convolution steps, and gradient kernels. */
#ifndef TEN_CPU_CONV_H
#define TEN_CPU_CONV_H

#include "backend/cpu/exec/flat.h"
#include "backend/cpu/kernels/kernels.h"

typedef struct cpu_conv {
  ten_conv2d conv;            /* without addresses */
  int64_t strides[4];         /* of the unpacked kernel: kh, kw, ci, co; negative if reversed */
  int64_t offset;             /* first element of that view */
  bool bf16, tile;            /* as in cpu_gemm; conv.narrow: x and the kernel are bf16 in memory */
  uint32_t epilogue_args;     /* how many args of the step are the epilogue's; then x, packed kernel, output, scratch */
  uint32_t also[TEN_ALSO];    /* which of them are laid out as the output is; conv.also_count */
  const ten_kernels *kernels; /* of the packing: filled in when loaded */
  bool alone;                 /* on the caller's thread: sharing it out costs more */
  bool exact;                 /* sums of integers: no algorithm that rounds */
} cpu_conv;

/* Bytes of the packed kernel and of scratch: used for allocation in planning and measuring, and to check a program. */
static inline size_t cpu_conv_packed_bytes(const ten_kernels *kernels, const cpu_conv *c) {
  return c->bf16 ? (size_t)kernels->bf16_conv_packed_size(&c->conv) * sizeof(uint16_t)
                 : (size_t)kernels->conv_packed_size(&c->conv, (ten_conv_algorithm)c->conv.algorithm) * sizeof(float);
}
static inline size_t cpu_conv_scratch(const ten_kernels *kernels, const cpu_conv *c, unsigned threads) {
  return c->bf16 ? kernels->bf16_conv_scratch(&c->conv, threads) : kernels->conv_scratch(&c->conv, threads);
}

void cpu_pack_conv(void *const *args, const void *descriptor, int64_t begin, int64_t end, int64_t worker);
void cpu_conv_run(const ten_kernels *kernels, const exec_step *step, void **args, ten_pool *pool);

void cpu_wgrad_run(const ten_kernels *kernels, const exec_step *step, void **args,
                   ten_pool *pool); /* args: x, g, output, scratch */

#endif
