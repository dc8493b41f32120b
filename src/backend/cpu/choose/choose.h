/* choose.h: which C kernel computes an op. Every op of a block is matched once, before anything is fused; fusion and
 * lowering read what was chosen. */
#ifndef TEN_CPU_CHOOSE_H
#define TEN_CPU_CHOOSE_H

#include "backend/cpu/plan/plan.h"

struct cpu_lowering;

/* The compiler's half of a kernel (CHOICE rows of exec/kernels.def); what runs it is its exec_kernel. */
typedef struct cpu_kernel_choice {
  ten_opcode ops[2]; /* that it may compute; TEN_OP_UNKNOWN: no more */
  /* What the estimate needs (estimate.c): which shares of this machine's arithmetic and memory rates the kernel
   * reaches, 0 of memory: all of it; and from how many flops on it is faster than generated loops, 0: always. */
  double compute, memory, from;
  /* Where fusion gives the result memory anyway; any other kernel has its operands and results in memory. */
  bool if_stored;
  /* Fills the descriptor, which is all zeros, with the op as the kernel sees it; false: not for it. */
  bool (*match)(struct cpu_lowering *l, const ten_op *op, void *descriptor);
  /* After fusion, of a kernel with `if_stored`: whether its operands lie where it can read them. */
  bool (*fits)(struct cpu_lowering *l, const ten_op *op);
  /* The steps that compute `root` of it: the op's own result, or, of a kernel with an epilogue, what is made of that.
   */
  ten_status *(*lower)(struct cpu_lowering *l, const ten_op *op, const void *descriptor, const ten_value *root,
                       cpu_body *body);
} cpu_kernel_choice;

/* The kernel for one op, and the op as that kernel sees it. */
typedef struct cpu_chosen {
  cpu_step_kind kind;
  const cpu_kernel_choice *choice;
  const void *descriptor;
} cpu_chosen;

/* Of the kernels that match an op and generated loops, the one with the lowest estimate. */
void cpu_choose(struct cpu_lowering *l, const ten_block *block);
/* NULL: generated loops, or a kernel with `if_stored`. */
const cpu_chosen *cpu_chosen_of(const struct cpu_lowering *l, const ten_op *op);
/* After fusion, for an op whose result is stored: a kernel with `if_stored` that fits, or NULL. */
const cpu_chosen *cpu_chosen_if_stored(struct cpu_lowering *l, const ten_op *op);
/* NULL unless it is that kernel's. */
const cpu_gemm *cpu_chosen_gemm(const struct cpu_lowering *l, const ten_op *op);
const cpu_conv *cpu_chosen_conv(const struct cpu_lowering *l, const ten_op *op);

/* estimate.c: the seconds that an op takes on one thread: the longer of its arithmetic and its memory traffic, at the
 * rates of this machine. By a kernel, which also costs to start; and by generated loops. */
double cpu_kernel_seconds(const cpu_kernel_choice *choice, cpu_step_kind kind, const ten_op *op,
                          const void *descriptor);
double cpu_loops_seconds(const ten_op *op);
/* The rates of one thread that the estimates are made of. */
typedef struct cpu_rates {
  const char *isa;
  double flops, bytes; /* in a second */
} cpu_rates;
const cpu_rates *cpu_machine_rates(void);

/* What can compute an op, lowest estimate first. */
enum { CPU_CANDIDATES_MOST = 8 };
typedef struct cpu_candidate {
  const char *name;
  double seconds;
} cpu_candidate;
typedef struct cpu_considered {
  const char *chosen; /* its kernel, wherever it is computed; NULL: loops, or a kernel with `if_stored` */
  size_t count;
  cpu_candidate list[CPU_CANDIDATES_MOST];
} cpu_considered;

/* print.c, for `show --stage choice`, of a plan with `considered`: for each op what computes it, and the estimates of
 * all that was considered. */
void cpu_choices_print(cpu_plan *plan, ten_buf *out);

#endif
