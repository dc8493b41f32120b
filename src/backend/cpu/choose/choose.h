/* choose.h: which C kernel computes an op. Every op of a block is matched once, before fusion; fusion and lowering read
 * the choice. */
#ifndef TEN_CPU_CHOOSE_H
#define TEN_CPU_CHOOSE_H

#include "backend/cpu/plan/plan.h"

struct cpu_lowering;

/* The compile-time part of a kernel (CHOICE rows of exec/kernels.def); exec_kernel is the run-time part. */
typedef struct cpu_kernel_choice {
  ten_opcode ops[2]; /* supported ops; TEN_OP_UNKNOWN: no more */
  /* Input of the estimate (estimate.c): the fractions of this machine's arithmetic and memory rates that the kernel
   * reaches, 0 for memory: all of it; and the flops from which it is faster than generated loops, 0: always. */
  double compute, memory, from;
  /* Used only if fusion materializes the result; other kernels force their operands and results into memory. */
  bool if_stored;
  /* Fills the zeroed descriptor with the op as the kernel sees it; false: not supported. */
  bool (*match)(struct cpu_lowering *l, const ten_op *op, void *descriptor);
  /* After fusion, for a kernel with `if_stored`: whether it can read its operands in place. */
  bool (*fits)(struct cpu_lowering *l, const ten_op *op);
  /* Lowers the op to steps that compute `root`: the op's own result or, for a kernel with an epilogue, the epilogue's.
   */
  ten_status *(*lower)(struct cpu_lowering *l, const ten_op *op, const void *descriptor, const ten_value *root,
                       cpu_body *body);
} cpu_kernel_choice;

/* The kernel for one op, and its descriptor. */
typedef struct cpu_chosen {
  cpu_step_kind kind;
  const cpu_kernel_choice *choice;
  const void *descriptor;
} cpu_chosen;

/* Chooses the lowest estimate among the matching kernels and generated loops. */
void cpu_choose(struct cpu_lowering *l, const ten_block *block);
/* NULL: generated loops, or a kernel with `if_stored`. */
const cpu_chosen *cpu_chosen_of(const struct cpu_lowering *l, const ten_op *op);
/* After fusion, for an op whose result is stored: a kernel with `if_stored` that fits, or NULL. */
const cpu_chosen *cpu_chosen_if_stored(struct cpu_lowering *l, const ten_op *op);
/* NULL unless the choice is a GEMM. */
const cpu_gemm *cpu_chosen_gemm(const struct cpu_lowering *l, const ten_op *op);
const cpu_conv *cpu_chosen_conv(const struct cpu_lowering *l, const ten_op *op);

/* estimate.c: the seconds that an op takes on one thread: the longer of its arithmetic and its memory traffic, at the
 * rates of this machine. For a kernel, including its launch; and for generated loops. */
double cpu_kernel_seconds(const cpu_kernel_choice *choice, cpu_step_kind kind, const ten_op *op,
                          const void *descriptor);
double cpu_loops_seconds(const ten_op *op);
/* Rates of one thread, used by the estimates. */
typedef struct cpu_rates {
  const char *isa;
  double flops, bytes; /* per second */
} cpu_rates;
const cpu_rates *cpu_machine_rates(void);

/* Candidates for an op, lowest estimate first. */
enum { CPU_CANDIDATES_MOST = 8 };
typedef struct cpu_candidate {
  const char *name;
  double seconds;
} cpu_candidate;
typedef struct cpu_considered {
  const char *chosen; /* its kernel; NULL: loops, or a kernel with `if_stored` */
  size_t count;
  cpu_candidate list[CPU_CANDIDATES_MOST];
} cpu_considered;

/* print.c, for `show --stage choice`, of a plan with `considered`: the choice for each op, and the estimates of all
 * candidates. */
void cpu_choices_print(cpu_plan *plan, ten_buf *out);

#endif
