/* gemm.c: runs the matrix products of a plan on the tuned kernels. */
#include "backend/cpu/exec/gemm.h"

/* Where batch `index` starts, by the strides of one operand. */
static int64_t batch_offset(const cpu_gemm *g, const int64_t *strides, int64_t index, uint32_t rank) {
  int64_t offset = 0;
  for (uint32_t i = rank; i-- > 0;) {
    offset += index % g->batch[i] * strides[i];
    index /= g->batch[i];
  }
  return offset;
}

static int64_t panels_of(const cpu_gemm *g, const ten_kernels *kernels) {
  const int64_t columns = g->bf16 ? BF16_COLUMNS : kernels->gemm_nr;
  return (g->n + columns - 1) / columns;
}

int64_t cpu_pack_b_units(const cpu_gemm *g) { return g->batches * panels_of(g, ten_kernels_best()); }

void cpu_pack_b(void *const *args, const void *descriptor, int64_t begin, int64_t end, int64_t worker) {
  (void)worker;
  const cpu_gemm *g = descriptor;
  const ten_kernels *kernels = g->kernels;
  const int64_t panels = panels_of(g, kernels);
  for (int64_t unit = begin; unit < end;) {
    const int64_t i = unit / panels, first = unit % panels;
    const int64_t last = end - unit < panels - first ? first + end - unit : panels;
    if (g->bf16)
      kernels->bf16_pack_b(g->k, g->n,
                           (const char *)args[0] + batch_offset(g, g->b_batch, i, g->batch_rank) * (g->narrow ? 2 : 4),
                           g->narrow, g->b_row, g->b_col, first, last, (uint16_t *)args[1] + i * g->packed_size);
    else
      kernels->gemm_pack_b(g->k, g->n, (const float *)args[0] + batch_offset(g, g->b_batch, i, g->batch_rank), g->b_row,
                           g->b_col, first, last, (float *)args[1] + i * g->packed_size);
    unit += last - first;
  }
}

void cpu_gemm_run(const ten_kernels *kernels, const exec_step *step, const cpu_overlap *overlap, void **args,
                  ten_pool *pool) {
  const cpu_gemm *g = step->descriptor;
  void **rest = args + g->epilogue_args; /* A, B (packed unless direct), outputs, scratch */
  /* the innermost batch dimension goes to the kernel, the others are a loop here */
  const uint32_t outer_rank = g->batch_rank ? g->batch_rank - 1 : 0;
  const int64_t inner = g->batch_rank ? g->batch[outer_rank] : 1, outer = g->batches / inner;
  const ten_bf16_form *form = g->bf16 ? ten_bf16_best() : NULL;
  const int64_t a_bytes = g->narrow ? 2 : 4, b_bytes = g->bf16 ? 2 : 4;
  for (int64_t i = 0; i < outer; i++) {
    const bool first = overlap && !i;
    ten_gemm gemm = {
        .beside = first ? overlap->task : NULL,
        .beside_context = first ? overlap->context : NULL,
        .beside_count = first ? overlap->count : 0,
        .m = g->m,
        .n = g->n,
        .k = g->k,
        .a = (const float *)((const char *)rest[0] + batch_offset(g, g->a_batch, i, outer_rank) * a_bytes),
        .a_row = g->a_row,
        .a_col = g->a_col,
        .b = (const float *)((const char *)rest[1] +
                             (g->direct ? batch_offset(g, g->b_batch, i, outer_rank) : i * inner * g->packed_size) *
                                 b_bytes),
        .direct = g->direct,
        .b_row = g->b_row,
        .b_col = g->b_col,
        .c = g->tile ? NULL : (float *)rest[2] + i * inner * g->m * g->n,
        .ldc = g->n,
        .batch = inner,
        .a_batch = g->batch_rank ? g->a_batch[outer_rank] : 0,
        .b_batch = !g->direct      ? g->packed_size
                   : g->batch_rank ? g->b_batch[outer_rank]
                                   : 0,
        .c_batch = g->m * g->n,
        .epilogue = (ten_epilogue)(uintptr_t)step->epilogue,
        .epilogue_context = args,
        .scratch = rest[2 + g->outputs],
        .block = g->block,
        .split = g->bf16 || g->m < SPLIT_ROWS ? NULL : ten_split_best(),
        .form = form,
        .narrow = g->narrow,
        .first_row = i * inner * g->m,
        .out = g->tile ? rest[2] : NULL,
        .out_bytes = g->out_bytes,
        .tile = g->tile && !g->bf16,
        .also_count = outer == 1 ? g->also_count : 0,
        .also_bytes = g->also_bytes};
    for (int j = 0; j < gemm.also_count; j++) gemm.also[j] = args[g->also[j]];
    if (form)
      kernels->bf16_gemm_run(&gemm, g->alone ? NULL : pool);
    else
      kernels->gemm_run(&gemm, g->alone ? NULL : pool);
  }
}
