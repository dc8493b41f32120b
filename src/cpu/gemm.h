/* gemm.h: running a matrix product step. */
#ifndef TEN_CPU_GEMM_H
#define TEN_CPU_GEMM_H

#include "cpu/kernels/kernels.h"
#include "cpu/plan.h"

/* One unit packs a panel of one batch: cpu_pack_b_units in all. */
int64_t cpu_pack_b_units(const cpu_gemm *g);
void cpu_pack_b(void *const *args, const void *descriptor, int64_t begin, int64_t end, int64_t worker);
/* Tasks that are to be done at the same time. */
typedef struct cpu_beside {
  ten_task task;
  void *context;
  int64_t count;
} cpu_beside;
/* `beside` may be NULL; of a product of bf16 numbers it must be. */
void cpu_gemm_run(const ten_kernels *kernels, const cpu_step *step, const cpu_beside *beside, void **args,
                  ten_pool *pool);

#endif
