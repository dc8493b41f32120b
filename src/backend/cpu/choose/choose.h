/* choose.h: which tuned kernel computes an op. Every op of a block is matched once, before anything is fused; fusion
 * and lowering read what was chosen. */
#ifndef TEN_CPU_CHOOSE_H
#define TEN_CPU_CHOOSE_H

#include "backend/cpu/plan/plan.h"

struct cpu_lowering;
struct cpu_kernel_row;

/* The kernel for one op, and the op as that kernel sees it. */
typedef struct cpu_chosen {
  const struct cpu_kernel_row *row;
  union {
    cpu_gemm gemm;
    cpu_conv conv;
    ten_wgrad2d wgrad;
    ten_scan scan;
    ten_product product;
  } as;
} cpu_chosen;

/* One kernel. What runs it is the step's kind (exec/call.c). */
typedef struct cpu_kernel_row {
  const char *name;
  double nanoseconds; /* about, of one multiply-add or combination on one thread */
  bool (*match)(struct cpu_lowering *l, const ten_op *op, cpu_chosen *out); /* fills out->as; false: not for it */
  ten_status *(*lower)(struct cpu_lowering *l, const ten_op *op, const cpu_chosen *chosen, const ten_value *root,
                       cpu_body *body);
} cpu_kernel_row;

/* Of the kernels that match an op, the one with the lowest estimate; generated loops where none does. */
void cpu_choose(struct cpu_lowering *l, const ten_block *block);
/* NULL: no tuned kernel. */
const cpu_chosen *cpu_chosen_of(const struct cpu_lowering *l, const ten_op *op);
/* NULL unless it is that kernel's. */
const cpu_gemm *cpu_chosen_gemm(const struct cpu_lowering *l, const ten_op *op);
const cpu_conv *cpu_chosen_conv(const struct cpu_lowering *l, const ten_op *op);

/* print.c, for `show --stage choice`: for each op what computes it, and the estimates of all that were considered. */
void cpu_choices_print(cpu_plan *plan, ten_buf *out);
/* The kernels that match, lowest estimate first: how many. */
enum { CPU_KERNEL_ROWS = 5 };
typedef struct cpu_candidate {
  const char *name;
  double seconds;
} cpu_candidate;
size_t cpu_candidates(struct cpu_lowering *l, const ten_op *op, cpu_candidate out[CPU_KERNEL_ROWS + 1]);

#endif
