/* kernel.h: the interface of a C kernel. Its row of kernels.def names it; everything else is in its file, as one
 * exec_kernel. */
#ifndef TEN_CPU_EXEC_KERNEL_H
#define TEN_CPU_EXEC_KERNEL_H

#include "backend/cpu/exec/object_check.h"

/* An array that a descriptor points to, stored after the descriptor. */
typedef struct exec_tail {
  const void **data; /* the descriptor's field with its address */
  size_t bytes;
} exec_tail;

typedef struct exec_kernel {
  size_t descriptor; /* its size in bytes; at most EXEC_DESCRIPTOR_MOST */
  bool takes_code;   /* it calls generated code: an epilogue, a comparator */
  /* One of the two: units [begin, end) of the step's `count`, on any thread; or all of it, parallelized by itself. */
  ten_cpu_kernel run;
  void (*run_whole)(const ten_kernels *kernels, const exec_step *step, void **args, ten_pool *pool);
  /* Whether the kernel can run the descriptor, on these arguments, without leaving its buffers. The descriptor is
   * untrusted: it may come from a file. */
  void (*check)(cpu_checker *c);
  /* The rest may be NULL. */
  exec_tail (*tail)(void *descriptor);
  void (*clear)(void *descriptor);        /* clears addresses, which are meaningless in a file */
  void (*clear_unread)(void *descriptor); /* of packing: clears what only the matmul reads that it is for */
  /* When the program is loaded: fills in addresses. `code`: the generated function, or NULL. */
  void (*link)(exec_step *step, const ten_kernels *kernels, void *code);
  double (*flops)(const void *descriptor); /* NULL: not counted */
} exec_kernel;

enum { EXEC_DESCRIPTOR_MOST = 2048 };

/* kernels.c: NULL when steps of this kind call no C kernel. */
const exec_kernel *exec_kernel_of(cpu_step_kind kind);
/* The generated code is an epilogue. */
void exec_link_epilogue(exec_step *step, const ten_kernels *kernels, void *code);

#endif
