/* gemm.h: runs matmul steps. */
#ifndef TEN_CPU_GEMM_H
#define TEN_CPU_GEMM_H

#include "backend/cpu/exec/flat.h"
#include "backend/cpu/kernels/kernels.h"

/* A matmul: batch × m × k × n with strides in elements. */
enum { CPU_GEMM_BATCH = 4 };
typedef struct cpu_gemm {
  int64_t m, n, k, a_row, a_col, b_row, b_col;
  uint32_t batch_rank;
  int64_t batch[CPU_GEMM_BATCH], a_batch[CPU_GEMM_BATCH], b_batch[CPU_GEMM_BATCH], batches;
  int64_t packed_size;     /* floats of one packed B */
  uint32_t epilogue_args;  /* number of args for the epilogue */
  uint32_t also[TEN_ALSO]; /* which of them have the output's layout */
  int also_count;
  int64_t also_bytes;         /* per element of them */
  bool bf16;                  /* in bf16, accumulated in f32; packed_size in bf16 elements */
  bool narrow;                /* the operands are bf16 in memory */
  bool tile;                  /* the matmul result is not stored: the epilogue computes the outputs */
  uint32_t outputs;           /* how many */
  int64_t out_bytes;          /* per output element */
  bool direct;                /* B is read in place, not packed before */
  const ten_kernels *kernels; /* for the packing: filled in when loaded */
  int64_t block;              /* ten_gemm.block */
  bool alone;                 /* on the caller's thread: parallelizing costs more */
  int8_t wish;                /* measured: 1, read B in place; -1, pack it; 0: not measured */
} cpu_gemm;

/* Elements of one packed B, and bytes of scratch: used for allocation in planning and measuring, and to check a
 * program. */
static inline int64_t cpu_gemm_packed_size(const ten_kernels *kernels, const cpu_gemm *g) {
  return g->bf16 ? kernels->bf16_packed_size(g->k, g->n) : kernels->gemm_packed_size(g->k, g->n);
}
static inline size_t cpu_gemm_scratch(const ten_kernels *kernels, const cpu_gemm *g, unsigned threads) {
  const ten_gemm sizes = {.m = g->m,
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
  return g->bf16 ? kernels->bf16_gemm_scratch(&sizes, threads) : kernels->gemm_scratch(&sizes, threads);
}

/* One unit packs a panel of one batch: cpu_pack_b_units in all. */
int64_t cpu_pack_b_units(const cpu_gemm *g);
void cpu_pack_b(void *const *args, const void *descriptor, int64_t begin, int64_t end, int64_t worker);
/* Tasks to overlap with the matmul. */
typedef struct cpu_overlap {
  ten_task task;
  void *context;
  int64_t count;
} cpu_overlap;
/* `overlap` may be NULL; for a bf16 matmul it must be. */
void cpu_gemm_run(const ten_kernels *kernels, const exec_step *step, const cpu_overlap *overlap, void **args,
                  ten_pool *pool);

#endif
