/* conv.h: running a convolution step, and the gradient by its kernel. */
#ifndef TEN_CPU_CONV_H
#define TEN_CPU_CONV_H

#include "backend/cpu/exec/flat.h"
#include "backend/cpu/kernels/kernels.h"

typedef struct cpu_conv {
  ten_conv2d conv;            /* without addresses */
  int64_t strides[4];         /* of the kernel as it lies: kh, kw, ci, co; negative where it is read backwards */
  int64_t offset;             /* where that reading starts */
  bool bf16, tile;            /* as in cpu_gemm; conv.narrow: x and the kernel are bf16 in memory */
  uint32_t epilogue_args;     /* how many args of the step are the epilogue's; then x, packed kernel, output, scratch */
  uint32_t also[TEN_ALSO];    /* which of them are laid out as the output is; conv.also_count */
  const ten_kernels *kernels; /* of the packing: filled in when loaded */
  bool alone;                 /* on the caller's thread: sharing it out costs more */
} cpu_conv;

void cpu_pack_conv(void *const *args, const void *descriptor, int64_t begin, int64_t end, int64_t worker);
void cpu_conv_run(const ten_kernels *kernels, const exec_step *step, void **args, ten_pool *pool);

void cpu_wgrad_run(const ten_kernels *kernels, const exec_step *step, void **args,
                   ten_pool *pool); /* args: x, g, output, scratch */

#endif
