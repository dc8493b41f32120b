/* conv.c: runs the convolutions and attentions of a plan on the tuned kernels. */
#include "backend/cpu/exec/conv.h"

#include "backend/cpu/exec/attention.h"
#include "backend/cpu/exec/gemm.h"

void cpu_pack_conv(void *const *args, const void *descriptor, int64_t begin, int64_t end, int64_t worker) {
  (void)worker;
  const cpu_conv *c = descriptor;
  if (c->bf16) {
    const char *kernel = (const char *)args[0] + c->offset * (c->conv.narrow ? 2 : 4);
    c->kernels->bf16_conv_pack(&c->conv, kernel, c->conv.narrow, c->strides, begin, end, args[1]);
    return;
  }
  const float *kernel = (const float *)args[0] + c->offset;
  c->kernels->conv_pack(&c->conv, (ten_conv_algorithm)c->conv.algorithm, kernel, c->strides, begin, end, args[1]);
}

void cpu_conv_run(const ten_kernels *kernels, const exec_step *step, void **args, ten_pool *pool) {
  const cpu_conv *c = step->descriptor;
  void **rest = args + c->epilogue_args;
  ten_conv2d conv = c->conv;
  conv.x = rest[0];
  conv.kernel = rest[1];
  conv.y = c->tile ? NULL : rest[2];
  conv.out = c->tile ? rest[2] : NULL;
  for (int i = 0; i < conv.also_count; i++) conv.also[i] = args[c->also[i]];
  conv.scratch = rest[3];
  conv.epilogue = (ten_epilogue)(uintptr_t)step->epilogue;
  conv.epilogue_context = args;
  conv.form = c->bf16 ? ten_bf16_best() : NULL;
  conv.split = c->bf16 || conv.algorithm != TEN_CONV_GEMM ? NULL : ten_split_best();
  if (c->alone) pool = NULL;
  if (c->bf16)
    kernels->bf16_conv_run(&conv, pool);
  else
    kernels->conv_run(&conv, pool);
}

void cpu_wgrad_run(const ten_kernels *kernels, const exec_step *step, void **args, ten_pool *pool) {
  ten_wgrad2d wgrad = *(const ten_wgrad2d *)step->descriptor;
  wgrad.x = args[0];
  wgrad.g = args[1];
  wgrad.dw = args[2];
  wgrad.scratch = args[3];
  kernels->wgrad_run(&wgrad, pool);
}

void cpu_attention_run(const ten_kernels *kernels, const exec_step *step, void **args, ten_pool *pool) {
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
  if (a.form == kernels->bf16_portable) a.form = NULL; /* f32 products are as fast, and exact */
  kernels->attention_run(&a, pool);
}

double exec_step_flops(const exec_step *step) {
  if (step->kind == CPU_GEMM) {
    const cpu_gemm *g = step->descriptor;
    return 2.0 * (double)g->batches * (double)g->m * (double)g->n * (double)g->k;
  }
  if (step->kind == CPU_ATTENTION) {
    const ten_attention *a = &((const cpu_attention *)step->descriptor)->shape;
    return 2.0 * (double)a->batches * (double)a->m * (double)a->n * (double)(a->d + a->dv);
  }
  if (step->kind == CPU_CALL && step->function == ten_cpu_attention_grad_run) {
    const ten_attention_grad *a = step->descriptor;
    return 10.0 * (double)a->batches * (double)a->n * (double)a->n * (double)a->d;
  }
  if (step->kind == CPU_WGRAD) {
    const ten_wgrad2d *w = step->descriptor;
    return 2.0 * (double)(w->n * w->oh * w->ow) * (double)(w->kh * w->kw * w->ci) * (double)w->co /
           (double)(w->groups > 1 ? w->groups : 1);
  }
  if (step->kind != CPU_CONV) return 0;
  const ten_conv2d *c = &((const cpu_conv *)step->descriptor)->conv;
  return 2.0 * (double)(c->n * c->oh * c->ow) * (double)(c->kh * c->kw * c->ci) * (double)c->co /
         (double)(c->groups > 1 ? c->groups * c->spread_h * c->spread_w : 1);
}
