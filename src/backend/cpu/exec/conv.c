/* conv.c: steps for convolutions by the tuned kernels, packing for them, and gradient kernels. */
#include "backend/cpu/exec/conv.h"

#include <string.h>

#include "backend/cpu/exec/kernel.h"

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

static bool check_window(cpu_checker *c, const int64_t *strides, const int64_t *pads) {
  bool good = true;
  for (int i = 0; i < 2; i++) good &= pads[i] >= -INT32_MAX && pads[i] <= INT32_MAX;
  cpu_check(c, good, "impossible padding");
  return cpu_check_extents(c, 4, strides) && good;
}

/* 0 and 1: channels are not split. */
static void check_groups(cpu_checker *c, int64_t groups, int64_t ci, int64_t co) {
  cpu_check(c, groups >= 0 && (groups <= 1 || (ci % groups == 0 && co % groups == 0)),
            "channels that the groups do not divide");
}

static bool check_conv(cpu_checker *c, const cpu_conv *d) {
  const ten_conv2d *v = &d->conv;
  const int64_t sizes[] = {v->n, v->h, v->w, v->ci, v->co, v->kh, v->kw, v->oh, v->ow};
  CPU_CHECK_BOOL(c, d->bf16);
  CPU_CHECK_BOOL(c, d->tile);
  CPU_CHECK_BOOL(c, d->alone);
  CPU_CHECK_BOOL(c, v->narrow);
  if (c->wrong || !cpu_check_extents(c, 9, sizes) ||
      !check_window(c, (const int64_t[]){v->stride_h, v->stride_w, v->dilation_h, v->dilation_w},
                    (const int64_t[]){v->pad_top, v->pad_left}))
    return false;
  const ten_kernels *kernels = c->loaded->kernels;
  cpu_check(c, v->block >= 0 && v->block <= CPU_BLOCK_MOST, "an invalid convolution shape");
  check_groups(c, v->groups, v->ci, v->co);
  cpu_check(c, v->spread_h >= 0 && v->spread_h <= INT32_MAX && v->spread_w >= 0 && v->spread_w <= INT32_MAX,
            "an impossible size");
  cpu_check(c, !d->bf16 || (v->groups <= 1 && v->spread_h <= 1 && v->spread_w <= 1),
            "a convolution that no kernel computes");
  cpu_check(c,
            CPU_PRODUCT(v->kh, v->kw, v->ci, v->co, 64) >= 0 && CPU_PRODUCT(v->n, v->oh, v->ow, v->co, 64) >= 0 &&
                CPU_PRODUCT(v->n, v->h, v->w, v->ci, 64) >= 0,
            "an impossible size");
  cpu_check(c,
            d->bf16 || (v->algorithm >= TEN_CONV_GEMM && v->algorithm <= TEN_CONV_GROUPS && !v->narrow &&
                        kernels->conv_can(v, (ten_conv_algorithm)v->algorithm)),
            "a convolution that no kernel computes");
  return !c->wrong;
}

static void check_pack_conv(cpu_checker *c) {
  const cpu_conv *d = c->step->descriptor;
  const ten_conv2d *v = &d->conv;
  const ten_kernels *kernels = c->loaded->kernels;
  cpu_check_args(c, 2, 1);
  if (c->wrong || !check_conv(c, d)) return;
  const int64_t inputs = v->ci / (v->groups > 1 ? v->groups : 1); /* that contribute to an output channel */
  cpu_check_reach(c, 0, false, d->offset, 4, (const int64_t[]){v->kh, v->kw, inputs, v->co}, d->strides,
                  v->narrow ? 2 : 4);
  cpu_check_room(c, 1, true, (int64_t)cpu_conv_packed_bytes(c->loaded->kernels, d));
  cpu_check(c, c->step->count == (d->bf16 ? kernels->bf16_conv_pack_units(v) : kernels->conv_pack_units(v)),
            "a wrong number of units");
}

static void check_conv_step(cpu_checker *c) {
  const cpu_conv *d = c->step->descriptor;
  const ten_conv2d *v = &d->conv;
  if (!check_conv(c, d)) return;
  const uint64_t first = d->epilogue_args;
  cpu_check(c, c->step->arg_count == first + 4, "a wrong number of arguments");
  cpu_check(c, v->out_bytes >= 0 && v->out_bytes <= 16, "elements of an unknown size");
  if (c->wrong) return;
  cpu_check_epilogue(c, d->epilogue_args, d->tile, d->also, v->also_count, v->co);
  cpu_check_room(c, first, false, CPU_PRODUCT(v->n, v->h, v->w, v->ci, v->narrow ? 2 : 4));
  cpu_check_room(c, first + 1, false, (int64_t)cpu_conv_packed_bytes(c->loaded->kernels, d));
  cpu_check_room(c, first + 2, true, CPU_PRODUCT(v->n, v->oh, v->ow, v->co, d->tile ? v->out_bytes : 4));
  if (!c->wrong) cpu_check_scratch_size(c, first + 3, cpu_conv_scratch(c->loaded->kernels, d, c->program->threads));
}

static void check_wgrad(cpu_checker *c) {
  const ten_wgrad2d *w = c->step->descriptor;
  const ten_kernels *kernels = c->loaded->kernels;
  const int64_t sizes[] = {w->n, w->h, w->w, w->ci, w->co, w->kh, w->kw, w->oh, w->ow};
  CPU_CHECK_BOOL(c, w->winograd);
  cpu_check_args(c, 4, 2);
  if (c->wrong || !cpu_check_extents(c, 9, sizes) ||
      !check_window(c, (const int64_t[]){w->stride_h, w->stride_w, w->dilation_h, w->dilation_w},
                    (const int64_t[]){w->pad_top, w->pad_left}))
    return;
  const int64_t groups = w->groups > 1 ? w->groups : 1;
  check_groups(c, w->groups, w->ci, w->co);
  cpu_check(c,
            groups == 1 || (w->kh * w->kw <= TEN_GROUP_TAPS &&
                            (w->co / groups >= TEN_GROUP_COLUMNS || (w->ci == groups && w->co == groups))),
            "a convolution that no kernel computes");
  cpu_check(c, !w->winograd || (groups == 1 && kernels->wgrad_can_winograd(w)),
            "a convolution that no kernel computes");
  cpu_check_room(c, 0, false, CPU_PRODUCT(w->n, w->h, w->w, w->ci, 4));
  cpu_check_room(c, 1, false, CPU_PRODUCT(w->n, w->oh, w->ow, w->co, 4));
  cpu_check_room(c, 2, true, CPU_PRODUCT(w->kh, w->kw, w->ci / groups, w->co, 4));
  if (!c->wrong) cpu_check_scratch_size(c, 3, kernels->wgrad_scratch(w, c->program->threads));
}

static void conv_clear(void *descriptor) {
  cpu_conv *c = descriptor;
  ten_conv2d *v = &c->conv;
  c->kernels = NULL;
  v->x = v->kernel = NULL;
  v->y = NULL;
  v->epilogue = NULL;
  v->epilogue_context = v->scratch = v->out = NULL;
  v->split = NULL;
  v->form = NULL;
  memset(v->also, 0, sizeof v->also);
}

static void wgrad_clear(void *descriptor) {
  ten_wgrad2d *w = descriptor;
  w->x = w->g = NULL;
  w->dw = NULL;
  w->scratch = NULL;
}

static void pack_conv_link(exec_step *step, const ten_kernels *kernels, void *code) {
  (void)code;
  ((cpu_conv *)step->descriptor)->kernels = kernels;
}

/* Of the image nothing, but for bf16, where its size decides on the order of taps. */
static void pack_conv_clear_unread(void *descriptor) {
  cpu_conv *c = descriptor;
  const cpu_conv was = *c;
  if (was.bf16) return;
  memset(c, 0, sizeof *c);
  ten_conv2d *to = &c->conv;
  const ten_conv2d *from = &was.conv;
  to->ci = from->ci, to->co = from->co, to->kh = from->kh, to->kw = from->kw;
  to->stride_h = from->stride_h, to->stride_w = from->stride_w;
  to->dilation_h = from->dilation_h, to->dilation_w = from->dilation_w;
  to->groups = from->groups, to->spread_h = from->spread_h, to->spread_w = from->spread_w;
  to->algorithm = from->algorithm, to->narrow = from->narrow;
  memcpy(c->strides, was.strides, sizeof c->strides);
  c->offset = was.offset;
}

static double conv_flops(const void *descriptor) {
  const ten_conv2d *c = &((const cpu_conv *)descriptor)->conv;
  return 2.0 * (double)(c->n * c->oh * c->ow) * (double)(c->kh * c->kw * c->ci) * (double)c->co /
         (double)(c->groups > 1 ? c->groups * c->spread_h * c->spread_w : 1);
}

static double wgrad_flops(const void *descriptor) {
  const ten_wgrad2d *w = descriptor;
  return 2.0 * (double)(w->n * w->oh * w->ow) * (double)(w->kh * w->kw * w->ci) * (double)w->co /
         (double)(w->groups > 1 ? w->groups : 1);
}

const exec_kernel exec_kernel_pack_conv = {.descriptor = sizeof(cpu_conv),
                                           .run = cpu_pack_conv,
                                           .check = check_pack_conv,
                                           .clear = conv_clear,
                                           .clear_unread = pack_conv_clear_unread,
                                           .link = pack_conv_link};
const exec_kernel exec_kernel_conv = {.descriptor = sizeof(cpu_conv),
                                      .takes_code = true,
                                      .run_whole = cpu_conv_run,
                                      .check = check_conv_step,
                                      .clear = conv_clear,
                                      .link = exec_link_epilogue,
                                      .flops = conv_flops};
const exec_kernel exec_kernel_wgrad = {.descriptor = sizeof(ten_wgrad2d),
                                       .run_whole = cpu_wgrad_run,
                                       .check = check_wgrad,
                                       .clear = wgrad_clear,
                                       .flops = wgrad_flops};
