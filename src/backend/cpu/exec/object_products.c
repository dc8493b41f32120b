/* object_products.c: checks of matrix products, convolutions and attention, and of packing for them. How large packed
 * data and scratch are the kernels themselves say, once the sizes are known to be sane. */
#include "backend/cpu/exec/attention.h"
#include "backend/cpu/exec/conv.h"
#include "backend/cpu/exec/gemm.h"
#include "backend/cpu/exec/object_check.h"

enum { RANK = CPU_GEMM_BATCH + 2, BLOCK_MOST = 1 << 24 };

static unsigned threads_of(const cpu_checker *c) { return c->program->threads; }
static void check_scratch(cpu_checker *c, size_t k, size_t bytes) {
  cpu_check_scratch(c, k, bytes <= INT64_MAX ? (int64_t)bytes : -1);
}
/* Sizes of what is there: one at least, and such that no sum of products of three does not fit. */
static bool check_extents(cpu_checker *c, size_t count, const int64_t *sizes) {
  bool good = true;
  for (size_t i = 0; i < count; i++) good &= sizes[i] >= 1 && sizes[i] <= INT32_MAX;
  cpu_check(c, good, "a size that cannot be");
  return good;
}

/* What the epilogue reads besides, and one that is there already. */
static void check_epilogue(cpu_checker *c, uint32_t args, bool tile, const uint32_t *also, int also_count,
                           int64_t columns) {
  const exec_step *step = c->step;
  cpu_check(c, also_count >= 0 && also_count <= TEN_ALSO, "too many arguments of an epilogue");
  for (int i = 0; i < also_count && !c->wrong; i++)
    cpu_check(c, also[i] < args, "an argument that is not the epilogue's");
  cpu_check(c, !tile || step->symbol != UINT32_MAX, "generated code that is not there");
  cpu_check(c, !step->ready || (!tile && step->symbol == UINT32_MAX), "two epilogues");
  const bool bias = step->ready == 1 + TEN_READY_BIAS || step->ready == 1 + TEN_READY_BIAS_RELU;
  if (bias) {
    cpu_check(c, args >= 1, "an epilogue without a bias");
    cpu_check_room(c, 0, false, CPU_PRODUCT(columns, 4));
  }
}

static bool check_gemm(cpu_checker *c, const cpu_gemm *g) {
  CPU_CHECK_BOOL(c, g->bf16);
  CPU_CHECK_BOOL(c, g->narrow);
  CPU_CHECK_BOOL(c, g->tile);
  CPU_CHECK_BOOL(c, g->direct);
  CPU_CHECK_BOOL(c, g->alone);
  const int64_t sizes[] = {g->m, g->n, g->k};
  cpu_check(c, g->batch_rank <= CPU_GEMM_BATCH && g->block >= 0 && g->block <= BLOCK_MOST, "a product of no shape");
  if (c->wrong || !check_extents(c, 3, sizes) || !check_extents(c, g->batch_rank, g->batch)) return false;
  cpu_check(c, g->batches == cpu_check_product(g->batch_rank, g->batch), "batches that do not come out even");
  cpu_check(c, CPU_PRODUCT(g->batches, g->m, g->n) >= 0 && CPU_PRODUCT(g->k, g->n, 4) >= 0, "a size that cannot be");
  if (c->wrong) return false;
  const ten_kernels *kernels = c->loaded->kernels;
  const int64_t packed = g->bf16 ? kernels->bf16_packed_size(g->k, g->n) : kernels->gemm_packed_size(g->k, g->n);
  cpu_check(c, g->packed_size == packed, "a packed matrix of another size");
  cpu_check(c, !(g->direct && g->bf16) && (!g->narrow || g->bf16), "a product that no kernel does");
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
  cpu_check(c, c->step->count == CPU_PRODUCT(g->batches, (g->n + columns - 1) / columns),
            "another number of units than the kernel has");
}

static void check_gemm_step(cpu_checker *c) {
  const cpu_gemm *g = c->step->descriptor;
  if (!check_gemm(c, g)) return;
  const uint64_t first = g->epilogue_args;
  cpu_check(c, g->outputs >= 1 && c->step->arg_count == first + 2 + g->outputs + 1, "another number of arguments");
  cpu_check(c, g->tile || g->outputs == 1, "outputs that nobody writes");
  cpu_check(c, g->out_bytes >= 0 && g->out_bytes <= 16, "elements of a size that is not there");
  if (c->wrong) return;
  check_epilogue(c, g->epilogue_args, g->tile, g->also, g->also_count, g->n);
  check_operand(c, first, g, g->a_batch, (const int64_t[]){g->m, g->k}, (const int64_t[]){g->a_row, g->a_col},
                g->narrow ? 2 : 4);
  if (g->direct)
    check_b(c, first + 1, g, 4);
  else
    cpu_check_room(c, first + 1, false, CPU_PRODUCT(g->batches, g->packed_size, g->bf16 ? 2 : 4));
  cpu_check_room(c, first + 2, true, CPU_PRODUCT(g->batches, g->m, g->n, g->tile ? g->out_bytes : 4));
  const ten_gemm sizes = cpu_gemm_sizes(g);
  const ten_kernels *kernels = c->loaded->kernels;
  if (!c->wrong)
    check_scratch(
        c, first + 2 + g->outputs,
        g->bf16 ? kernels->bf16_gemm_scratch(&sizes, threads_of(c)) : kernels->gemm_scratch(&sizes, threads_of(c)));
}

static bool check_window(cpu_checker *c, const int64_t *strides, const int64_t *pads) {
  bool good = true;
  for (int i = 0; i < 2; i++) good &= pads[i] >= -INT32_MAX && pads[i] <= INT32_MAX;
  cpu_check(c, good, "padding that cannot be");
  return check_extents(c, 4, strides) && good;
}

/* 0 and 1: channels are not split. */
static void check_groups(cpu_checker *c, int64_t groups, int64_t ci, int64_t co) {
  cpu_check(c, groups >= 0 && (groups <= 1 || (ci % groups == 0 && co % groups == 0)),
            "groups of channels that do not come out even");
}

static bool check_conv(cpu_checker *c, const cpu_conv *d) {
  const ten_conv2d *v = &d->conv;
  const int64_t sizes[] = {v->n, v->h, v->w, v->ci, v->co, v->kh, v->kw, v->oh, v->ow};
  CPU_CHECK_BOOL(c, d->bf16);
  CPU_CHECK_BOOL(c, d->tile);
  CPU_CHECK_BOOL(c, d->alone);
  CPU_CHECK_BOOL(c, v->narrow);
  if (c->wrong || !check_extents(c, 9, sizes) ||
      !check_window(c, (const int64_t[]){v->stride_h, v->stride_w, v->dilation_h, v->dilation_w},
                    (const int64_t[]){v->pad_top, v->pad_left}))
    return false;
  const ten_kernels *kernels = c->loaded->kernels;
  cpu_check(c, v->block >= 0 && v->block <= BLOCK_MOST, "a convolution of no shape");
  check_groups(c, v->groups, v->ci, v->co);
  cpu_check(c, v->spread_h >= 0 && v->spread_h <= INT32_MAX && v->spread_w >= 0 && v->spread_w <= INT32_MAX,
            "a size that cannot be");
  cpu_check(c, !d->bf16 || (v->groups <= 1 && v->spread_h <= 1 && v->spread_w <= 1),
            "a convolution that no kernel does");
  cpu_check(c,
            CPU_PRODUCT(v->kh, v->kw, v->ci, v->co, 64) >= 0 && CPU_PRODUCT(v->n, v->oh, v->ow, v->co, 64) >= 0 &&
                CPU_PRODUCT(v->n, v->h, v->w, v->ci, 64) >= 0,
            "a size that cannot be");
  cpu_check(c,
            d->bf16 || (v->algorithm >= TEN_CONV_GEMM && v->algorithm <= TEN_CONV_GROUPS && !v->narrow &&
                        kernels->conv_can(v, (ten_conv_algorithm)v->algorithm)),
            "a convolution that no kernel does");
  return !c->wrong;
}

static int64_t packed_conv_bytes(const cpu_checker *c, const cpu_conv *d) {
  const ten_kernels *kernels = c->loaded->kernels;
  return d->bf16 ? 2 * kernels->bf16_conv_packed_size(&d->conv)
                 : 4 * kernels->conv_packed_size(&d->conv, (ten_conv_algorithm)d->conv.algorithm);
}

static void check_pack_conv(cpu_checker *c) {
  const cpu_conv *d = c->step->descriptor;
  const ten_conv2d *v = &d->conv;
  const ten_kernels *kernels = c->loaded->kernels;
  cpu_check_args(c, 2, 1);
  if (c->wrong || !check_conv(c, d)) return;
  const int64_t inputs = v->ci / (v->groups > 1 ? v->groups : 1); /* that an output channel is made of */
  cpu_check_reach(c, 0, false, d->offset, 4, (const int64_t[]){v->kh, v->kw, inputs, v->co}, d->strides,
                  v->narrow ? 2 : 4);
  cpu_check_room(c, 1, true, packed_conv_bytes(c, d));
  cpu_check(c, c->step->count == (d->bf16 ? kernels->bf16_conv_pack_units(v) : kernels->conv_pack_units(v)),
            "another number of units than the kernel has");
}

static void check_conv_step(cpu_checker *c) {
  const cpu_conv *d = c->step->descriptor;
  const ten_conv2d *v = &d->conv;
  const ten_kernels *kernels = c->loaded->kernels;
  if (!check_conv(c, d)) return;
  const uint64_t first = d->epilogue_args;
  cpu_check(c, c->step->arg_count == first + 4, "another number of arguments");
  cpu_check(c, v->out_bytes >= 0 && v->out_bytes <= 16, "elements of a size that is not there");
  if (c->wrong) return;
  check_epilogue(c, d->epilogue_args, d->tile, d->also, v->also_count, v->co);
  cpu_check_room(c, first, false, CPU_PRODUCT(v->n, v->h, v->w, v->ci, v->narrow ? 2 : 4));
  cpu_check_room(c, first + 1, false, packed_conv_bytes(c, d));
  cpu_check_room(c, first + 2, true, CPU_PRODUCT(v->n, v->oh, v->ow, v->co, d->tile ? v->out_bytes : 4));
  if (!c->wrong)
    check_scratch(c, first + 3,
                  d->bf16 ? kernels->bf16_conv_scratch(v, threads_of(c)) : kernels->conv_scratch(v, threads_of(c)));
}

static void check_wgrad(cpu_checker *c) {
  const ten_wgrad2d *w = c->step->descriptor;
  const ten_kernels *kernels = c->loaded->kernels;
  const int64_t sizes[] = {w->n, w->h, w->w, w->ci, w->co, w->kh, w->kw, w->oh, w->ow};
  CPU_CHECK_BOOL(c, w->winograd);
  cpu_check_args(c, 4, 2);
  if (c->wrong || !check_extents(c, 9, sizes) ||
      !check_window(c, (const int64_t[]){w->stride_h, w->stride_w, w->dilation_h, w->dilation_w},
                    (const int64_t[]){w->pad_top, w->pad_left}))
    return;
  const int64_t groups = w->groups > 1 ? w->groups : 1;
  check_groups(c, w->groups, w->ci, w->co);
  cpu_check(c,
            groups == 1 || (w->kh * w->kw <= TEN_GROUP_TAPS &&
                            (w->co / groups >= TEN_GROUP_COLUMNS || (w->ci == groups && w->co == groups))),
            "a convolution that no kernel does");
  cpu_check(c, !w->winograd || (groups == 1 && kernels->wgrad_can_winograd(w)), "a convolution that no kernel does");
  cpu_check_room(c, 0, false, CPU_PRODUCT(w->n, w->h, w->w, w->ci, 4));
  cpu_check_room(c, 1, false, CPU_PRODUCT(w->n, w->oh, w->ow, w->co, 4));
  cpu_check_room(c, 2, true, CPU_PRODUCT(w->kh, w->kw, w->ci / groups, w->co, 4));
  if (!c->wrong) check_scratch(c, 3, kernels->wgrad_scratch(w, threads_of(c)));
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
  if (c->wrong || !check_extents(c, 3, sizes) || !check_extents(c, TEN_ATTENTION_BATCH, a->batch)) return;
  cpu_check(c, a->batches == cpu_check_product(TEN_ATTENTION_BATCH, a->batch), "batches that do not come out even");
  cpu_check(c, a->d >= 0 && a->d <= INT32_MAX && (d->has_scores || a->d), "a size that cannot be");
  size_t at = d->epilogue_args;
  cpu_check(c, c->step->arg_count == at + (d->has_scores ? 4 : 5), "another number of arguments");
  cpu_check(c, c->step->symbol == UINT32_MAX || !d->has_scores, "code of a kernel that has none");
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
  if (!c->wrong) check_scratch(c, at + 2, c->loaded->kernels->attention_scratch(&shape, threads_of(c)));
}

void cpu_check_product_step(cpu_checker *c) {
  if (!c->step->descriptor) {
    cpu_check(c, false, "a kernel that is not there");
    return;
  }
  switch (c->step->kind) {
    case CPU_PACK_B: check_pack_b(c); break;
    case CPU_GEMM: check_gemm_step(c); break;
    case CPU_PACK_CONV: check_pack_conv(c); break;
    case CPU_CONV: check_conv_step(c); break;
    case CPU_WGRAD: check_wgrad(c); break;
    case CPU_ATTENTION: check_attention(c); break;
    default: cpu_check(c, false, "a kind of step that is not there");
  }
}
