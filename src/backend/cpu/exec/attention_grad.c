/* attention_grad.c: the gradient of attention as a step: args = q, k, v, the gradient of the result, output, scratch of
 * ten_attention_grad_scratch floats per worker. */
#include "backend/cpu/exec/kernel.h"

static void run_attention_grad(void *const *args, const void *descriptor, int64_t begin, int64_t end, int64_t worker) {
  const ten_attention_grad *a = descriptor;
  const float *const in[] = {args[0], args[1], args[2], args[3]};
  float *scratch = (float *)args[5] + ten_attention_grad_scratch(a) * worker;
  ten_kernels_best()->attention_grad_run(a, in, args[4], scratch, begin, end);
}

static void check_attention_grad(cpu_checker *c) {
  const ten_attention_grad *d = c->step->descriptor;
  enum { RANK = TEN_ATTENTION_BATCH + 2 };
  cpu_check_args(c, 6, 4);
  int64_t sizes[RANK + 1] = {3}, strides[RANK + 1] = {d->out_part};
  for (int i = 0; i < TEN_ATTENTION_BATCH; i++) sizes[i + 1] = d->batch[i], strides[i + 1] = d->out_batch[i];
  sizes[RANK - 1] = d->n, sizes[RANK] = d->d;
  strides[RANK - 1] = d->out_row, strides[RANK] = 1;
  if (!cpu_check_sizes(c, RANK + 1, sizes) || c->wrong) return;
  cpu_check(c, d->batches == cpu_check_product(TEN_ATTENTION_BATCH, d->batch),
            "a batch count that is not the product of the batch sizes");
  cpu_check(c, d->n <= INT32_MAX && d->d <= INT32_MAX, "an impossible size");
  if (c->wrong) return;
  cpu_check_reach(c, 4, true, 0, RANK + 1, sizes, strides, 4);
  for (int k = 0; k < TEN_GRAD_INPUTS; k++) {
    for (int i = 0; i < TEN_ATTENTION_BATCH; i++) strides[i + 1] = d->strides[k][i];
    strides[RANK - 1] = d->row[k], strides[RANK] = d->column[k];
    cpu_check_reach(c, (size_t)k, false, d->offset[k], RANK, sizes + 1, strides + 1, 4);
  }
  cpu_check_scratch(c, 5, CPU_PRODUCT(ten_attention_grad_scratch(d), 4, (int64_t)c->program->threads));
  cpu_check_units(c, d->batches);
}

static double attention_grad_flops(const void *descriptor) {
  const ten_attention_grad *a = descriptor;
  return 10.0 * (double)a->batches * (double)a->n * (double)a->n * (double)a->d;
}

const exec_kernel exec_kernel_attention_grad = {.descriptor = sizeof(ten_attention_grad),
                                                .run = run_attention_grad,
                                                .check = check_attention_grad,
                                                .flops = attention_grad_flops};
