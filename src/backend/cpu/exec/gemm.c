/* gemm.c: steps for matmuls by the tuned kernels, and packing for them. The kernels report the sizes of packed data and
 * scratch, once the sizes are validated. */
#include "backend/cpu/exec/gemm.h"

#include <string.h>

#include "backend/cpu/exec/kernel.h"

enum { RANK = CPU_GEMM_BATCH + 2 };

/* The offset of batch `index`, by the strides of one operand. */
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
  /* the kernel handles the innermost batch dimension, the others are a loop here */
  const uint32_t outer_rank = g->batch_rank ? g->batch_rank - 1 : 0;
  const int64_t inner = g->batch_rank ? g->batch[outer_rank] : 1, outer = g->batches / inner;
  const ten_bf16_form *form = g->bf16 ? ten_bf16_best() : NULL;
  const int64_t a_bytes = g->narrow ? 2 : 4, b_bytes = g->bf16 ? 2 : 4;
  for (int64_t i = 0; i < outer; i++) {
    const bool first = overlap && !i;
    ten_gemm gemm = {
        .overlap = first ? overlap->task : NULL,
        .overlap_context = first ? overlap->context : NULL,
        .overlap_count = first ? overlap->count : 0,
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

static bool check_gemm(cpu_checker *c, const cpu_gemm *g) {
  CPU_CHECK_BOOL(c, g->bf16);
  CPU_CHECK_BOOL(c, g->narrow);
  CPU_CHECK_BOOL(c, g->tile);
  CPU_CHECK_BOOL(c, g->direct);
  CPU_CHECK_BOOL(c, g->alone);
  const int64_t sizes[] = {g->m, g->n, g->k};
  cpu_check(c, g->batch_rank <= CPU_GEMM_BATCH && g->block >= 0 && g->block <= CPU_BLOCK_MOST,
            "an invalid matmul shape");
  if (c->wrong || !cpu_check_extents(c, 3, sizes) || !cpu_check_extents(c, g->batch_rank, g->batch)) return false;
  cpu_check(c, g->batches == cpu_check_product(g->batch_rank, g->batch),
            "a batch count that is not the product of the batch sizes");
  cpu_check(c, CPU_PRODUCT(g->batches, g->m, g->n) >= 0 && CPU_PRODUCT(g->k, g->n, 4) >= 0, "an impossible size");
  if (c->wrong) return false;
  const ten_kernels *kernels = c->loaded->kernels;
  cpu_check(c, g->packed_size == cpu_gemm_packed_size(kernels, g), "a packed matrix of the wrong size");
  cpu_check(c, !(g->direct && g->bf16) && (!g->narrow || g->bf16), "a matmul that no kernel computes");
  return !c->wrong;
}

static void check_operand(cpu_checker *c, size_t k, const cpu_gemm *g, const int64_t *batch, const int64_t sizes[2],
                          const int64_t strides[2], int64_t element) {
  int64_t all[RANK], steps[RANK];
  uint32_t rank = 0;
  for (; rank < g->batch_rank; rank++) all[rank] = g->batch[rank], steps[rank] = batch[rank];
  for (int i = 0; i < 2; i++, rank++) all[rank] = sizes[i], steps[rank] = strides[i];
  cpu_check_reach(c, k, false, 0, rank, all, steps, element);
}

static void check_b(cpu_checker *c, size_t k, const cpu_gemm *g, int64_t element) {
  check_operand(c, k, g, g->b_batch, (const int64_t[]){g->k, g->n}, (const int64_t[]){g->b_row, g->b_col}, element);
}

static void check_pack_b(cpu_checker *c) {
  const cpu_gemm *g = c->step->descriptor;
  cpu_check_args(c, 2, 1);
  if (c->wrong || !check_gemm(c, g)) return;
  const ten_kernels *kernels = c->loaded->kernels;
  const int64_t columns = g->bf16 ? BF16_COLUMNS : kernels->gemm_nr;
  check_b(c, 0, g, g->narrow ? 2 : 4);
  cpu_check_room(c, 1, true, CPU_PRODUCT(g->batches, g->packed_size, g->bf16 ? 2 : 4));
  cpu_check(c, c->step->count == CPU_PRODUCT(g->batches, (g->n + columns - 1) / columns), "a wrong number of units");
}

static void check_gemm_step(cpu_checker *c) {
  const cpu_gemm *g = c->step->descriptor;
  if (!check_gemm(c, g)) return;
  const uint64_t first = g->epilogue_args;
  cpu_check(c, g->outputs >= 1 && c->step->arg_count == first + 2 + g->outputs + 1, "a wrong number of arguments");
  cpu_check(c, g->tile || g->outputs == 1, "outputs that are not written");
  cpu_check(c, g->out_bytes >= 0 && g->out_bytes <= 16, "elements of an unknown size");
  if (c->wrong) return;
  cpu_check_epilogue(c, g->epilogue_args, g->tile, g->also, g->also_count, g->n);
  check_operand(c, first, g, g->a_batch, (const int64_t[]){g->m, g->k}, (const int64_t[]){g->a_row, g->a_col},
                g->narrow ? 2 : 4);
  if (g->direct)
    check_b(c, first + 1, g, 4);
  else
    cpu_check_room(c, first + 1, false, CPU_PRODUCT(g->batches, g->packed_size, g->bf16 ? 2 : 4));
  cpu_check_room(c, first + 2, true, CPU_PRODUCT(g->batches, g->m, g->n, g->tile ? g->out_bytes : 4));
  if (!c->wrong)
    cpu_check_scratch_size(c, first + 2 + g->outputs, cpu_gemm_scratch(c->loaded->kernels, g, c->program->threads));
}

static void gemm_clear(void *descriptor) { ((cpu_gemm *)descriptor)->kernels = NULL; }

static void pack_b_link(exec_step *step, const ten_kernels *kernels, void *code) {
  (void)code;
  ((cpu_gemm *)step->descriptor)->kernels = kernels;
}

/* Neither the rows of A nor how the matmul runs. */
static void pack_b_clear_unread(void *descriptor) {
  cpu_gemm *g = descriptor;
  const cpu_gemm was = *g;
  memset(g, 0, sizeof *g);
  g->n = was.n, g->k = was.k, g->b_row = was.b_row, g->b_col = was.b_col;
  g->batch_rank = was.batch_rank, g->batches = was.batches, g->packed_size = was.packed_size;
  g->bf16 = was.bf16, g->narrow = was.narrow;
  for (uint32_t i = 0; i < was.batch_rank; i++) g->batch[i] = was.batch[i], g->b_batch[i] = was.b_batch[i];
}

/* call.c passes overlapped work. */
static void run_gemm(const ten_kernels *kernels, const exec_step *step, void **args, ten_pool *pool) {
  cpu_gemm_run(kernels, step, NULL, args, pool);
}

static double gemm_flops(const void *descriptor) {
  const cpu_gemm *g = descriptor;
  return 2.0 * (double)g->batches * (double)g->m * (double)g->n * (double)g->k;
}

const exec_kernel exec_kernel_pack_b = {.descriptor = sizeof(cpu_gemm),
                                        .run = cpu_pack_b,
                                        .check = check_pack_b,
                                        .clear = gemm_clear,
                                        .clear_unread = pack_b_clear_unread,
                                        .link = pack_b_link};
const exec_kernel exec_kernel_gemm = {.descriptor = sizeof(cpu_gemm),
                                      .takes_code = true,
                                      .run_whole = run_gemm,
                                      .check = check_gemm_step,
                                      .clear = gemm_clear,
                                      .link = exec_link_epilogue,
                                      .flops = gemm_flops};
