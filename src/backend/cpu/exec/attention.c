/* attention.c: attention as a step. */
#include "backend/cpu/exec/attention.h"

#include "backend/cpu/exec/kernel.h"

static void run_attention(const ten_kernels *kernels, const exec_step *step, void **args, ten_pool *pool) {
  const cpu_attention *c = step->descriptor;
  ten_attention a = c->shape;
  void **rest = args + c->epilogue_args;
  if (c->has_scores) {
    a.scores = *rest++;
  } else {
    a.q = (const char *)*rest++ + c->q_offset * (a.q_narrow ? 2 : 4);
    a.k = (const char *)*rest++ + c->k_offset * (a.k_narrow ? 2 : 4);
  }
  a.v = (const char *)rest[0] + c->v_offset * (a.v_narrow ? 2 : 4);
  a.out = rest[1];
  a.scratch = rest[2];
  a.epilogue = (ten_epilogue)(uintptr_t)step->epilogue;
  a.epilogue_context = args;
  if (a.rounded) a.form = ten_bf16_best();
  if (a.form == kernels->bf16_portable) a.form = NULL; /* f32 matmuls are as fast, and exact */
  kernels->attention_run(&a, pool);
}

static void check_part(cpu_checker *c, size_t k, bool written, const ten_attention *a, int64_t offset,
                       const int64_t *batch, const int64_t sizes[2], const int64_t strides[2], int64_t element) {
  enum { BATCH = TEN_ATTENTION_BATCH };
  int64_t all[BATCH + 2], steps[BATCH + 2];
  for (int i = 0; i < BATCH; i++) all[i] = a->batch[i], steps[i] = batch[i];
  for (int i = 0; i < 2; i++) all[BATCH + i] = sizes[i], steps[BATCH + i] = strides[i];
  cpu_check_reach(c, k, written, offset, BATCH + 2, all, steps, element);
}

static void check_attention(cpu_checker *c) {
  const cpu_attention *d = c->step->descriptor;
  const ten_attention *a = &d->shape;
  const int64_t sizes[] = {a->m, a->n, a->dv};
  CPU_CHECK_BOOL(c, d->has_scores);
  CPU_CHECK_BOOL(c, a->q_narrow);
  CPU_CHECK_BOOL(c, a->k_narrow);
  CPU_CHECK_BOOL(c, a->v_narrow);
  CPU_CHECK_BOOL(c, a->empty_is_zero);
  CPU_CHECK_BOOL(c, a->rounded);
  if (c->wrong || !cpu_check_extents(c, 3, sizes) || !cpu_check_extents(c, TEN_ATTENTION_BATCH, a->batch)) return;
  cpu_check(c, a->batches == cpu_check_product(TEN_ATTENTION_BATCH, a->batch),
            "a batch count that is not the product of the batch sizes");
  cpu_check(c, a->d >= 0 && a->d <= INT32_MAX && (d->has_scores || a->d), "an impossible size");
  size_t at = d->epilogue_args;
  cpu_check(c, c->step->arg_count == at + (d->has_scores ? 4 : 5), "a wrong number of arguments");
  cpu_check(c, c->step->symbol == UINT32_MAX || !d->has_scores, "generated code for a kernel that takes none");
  if (c->wrong) return;
  if (d->has_scores) {
    cpu_check_room(c, at++, false, CPU_PRODUCT(a->batches, a->m, a->n, 4));
  } else {
    check_part(c, at++, false, a, d->q_offset, a->q_batch, (const int64_t[]){a->m, a->d},
               (const int64_t[]){a->q_row, a->q_col}, a->q_narrow ? 2 : 4);
    check_part(c, at++, false, a, d->k_offset, a->k_batch, (const int64_t[]){a->n, a->d},
               (const int64_t[]){a->k_row, a->k_col}, a->k_narrow ? 2 : 4);
  }
  check_part(c, at, false, a, d->v_offset, a->v_batch, (const int64_t[]){a->n, a->dv},
             (const int64_t[]){a->v_row, a->v_col}, a->v_narrow ? 2 : 4);
  check_part(c, at + 1, true, a, 0, a->out_batch, (const int64_t[]){a->m, a->dv}, (const int64_t[]){a->out_row, 1}, 4);
  static const float none;
  ten_attention shape = *a;
  if (d->has_scores) shape.scores = &none;
  if (!c->wrong) cpu_check_scratch_size(c, at + 2, c->loaded->kernels->attention_scratch(&shape, c->program->threads));
}

static void attention_clear(void *descriptor) {
  ten_attention *a = &((cpu_attention *)descriptor)->shape;
  a->q = a->k = a->v = NULL;
  a->scores = NULL;
  a->out = NULL;
  a->epilogue = NULL;
  a->epilogue_context = a->scratch = NULL;
  a->form = NULL;
}

static double attention_flops(const void *descriptor) {
  const ten_attention *a = &((const cpu_attention *)descriptor)->shape;
  return 2.0 * (double)a->batches * (double)a->m * (double)a->n * (double)(a->d + a->dv);
}

const exec_kernel exec_kernel_attention = {.descriptor = sizeof(cpu_attention),
                                           .takes_code = true,
                                           .run_whole = run_attention,
                                           .check = check_attention,
                                           .clear = attention_clear,
                                           .link = exec_link_epilogue,
                                           .flops = attention_flops};
