/* gemm.h: running a matrix product step. */
#ifndef TEN_CPU_GEMM_H
#define TEN_CPU_GEMM_H

#include "backend/cpu/kernels/kernels.h"
#include "backend/cpu/plan/plan.h"

/* What its kernels' scratch depends on: planning makes room by it, reading a compiled file checks by it. */
static inline ten_gemm cpu_gemm_sizes(const cpu_gemm *g) {
  return (ten_gemm){.m = g->m,
                    .n = g->n,
                    .k = g->k,
                    .a_row = g->a_row,
                    .a_col = g->a_col,
                    .direct = true,
                    .b_row = g->b_row,
                    .b_col = g->b_col,
                    .narrow = g->narrow,
                    .tile = g->tile && !g->bf16,
                    .batch = g->batch_rank ? g->batch[g->batch_rank - 1] : 1,
                    .block = g->block};
}

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
