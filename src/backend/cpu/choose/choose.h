/* choose.h: which C kernel computes an op. Every op of a block is matched once, before anything is fused; fusion and
 * lowering read what was chosen. */
#ifndef TEN_CPU_CHOOSE_H
#define TEN_CPU_CHOOSE_H

#include "backend/cpu/plan/plan.h"

struct cpu_lowering;

/* The compiler's half of a kernel (CHOICE rows of exec/kernels.def); what runs it is its exec_kernel. */
typedef struct cpu_kernel_choice {
  ten_opcode ops[2];  /* that it may compute; TEN_OP_UNKNOWN: no more */
  double nanoseconds; /* about, of one multiply-add, combination or element on one thread */
  /* Fills the descriptor, which is all zeros, with the op as the kernel sees it; false: not for it. */
  bool (*match)(struct cpu_lowering *l, const ten_op *op, void *descriptor);
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

/* Of the kernels that match an op, the one with the lowest estimate; generated loops where none does. */
void cpu_choose(struct cpu_lowering *l, const ten_block *block);
/* NULL: no C kernel. */
const cpu_chosen *cpu_chosen_of(const struct cpu_lowering *l, const ten_op *op);
/* NULL unless it is that kernel's. */
const cpu_gemm *cpu_chosen_gemm(const struct cpu_lowering *l, const ten_op *op);
const cpu_conv *cpu_chosen_conv(const struct cpu_lowering *l, const ten_op *op);

/* print.c, for `show --stage choice`: for each op what computes it, and the estimates of all that were considered. */
void cpu_choices_print(cpu_plan *plan, ten_buf *out);
/* What can compute the op, lowest estimate first; how many, 0 where no kernel is considered. */
enum { CPU_CANDIDATES_MOST = 8 };
typedef struct cpu_candidate {
  const char *name;
  double seconds;
} cpu_candidate;
size_t cpu_candidates(struct cpu_lowering *l, const ten_op *op, cpu_candidate out[CPU_CANDIDATES_MOST]);

#endif
