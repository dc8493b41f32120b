/* lower_conv.c: 2-D convolutions of f32 and bf16, channels last, through the tuned kernels. Layout is not changed here
 * (transform/pass/layout.c converts programs to channels last); the rest is compiled to generated loops. */
#include "backend/cpu/choose/tune.h"
#include "backend/cpu/exec/conv.h"
#include "backend/cpu/plan/lower.h"
#include "ir/ten.h"

/* The cost of a convolution, in multiplications: the wider the vectors, the more of them run while memory delivers one
 * element of the packed kernel (four times that if the kernel is packed at every run), or while a transform writes one
 * and the multiplications read it. An element that a gather touches costs a few. */
enum { GATHER = 4, PACK_AGAIN = 4, WIDE_COLUMNS = 32 };

static double conv_cost(const ten_kernels *kernels, const ten_conv2d *c, ten_conv_algorithm algorithm, bool kept) {
  const bool wide = kernels->gemm_nr >= WIDE_COLUMNS;
  const double channels = (double)c->ci * (double)c->co, transform = wide ? 16 : 8;
  const double memory = (wide ? 12 : kernels->gemm_nr / 4) * (kept ? 1 : PACK_AGAIN);
  const int64_t step = algorithm == TEN_CONV_WINOGRAD43 ? 4 : 2, areas = (step + 2) * (step + 2);
  if (algorithm == TEN_CONV_IM2COL) {
    const double pixels = (double)(c->n * c->oh * c->ow);
    return (double)(c->kh * c->kw) * (pixels * (channels + (double)(GATHER * c->ci)) + memory * channels);
  }
  const double tiles = (double)(c->n * ((c->oh + step - 1) / step) * ((c->ow + step - 1) / step));
  return (double)areas * (tiles * (channels + transform * (double)(c->ci + c->co)) + memory * channels);
}

/* Whether a value is computed only from constants, and so is packed once. */
static bool is_hoisted(const ten_value *value, int depth) {
  if (!value->op || depth > 8) return false;
  if (value->op->code == TEN_OP_CONSTANT) return true;
  for (uint32_t i = 0; i < value->op->operand_count; i++)
    if (!is_hoisted(ten_op_operand(value->op, i), depth + 1)) return false;
  return value->op->operand_count > 0;
}

static bool choose_algorithm(bool exact, const ten_value *kernel, ten_conv2d *c) {
  static const ten_conv_algorithm all[] = {TEN_CONV_GEMM, TEN_CONV_WINOGRAD43, TEN_CONV_WINOGRAD23, TEN_CONV_IM2COL};
  const ten_kernels *kernels = ten_kernels_best();
  const bool kept = is_hoisted(kernel, 0);
  double best = 0;
  bool found = false;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    const bool winograd = all[i] == TEN_CONV_WINOGRAD43 || all[i] == TEN_CONV_WINOGRAD23;
    if ((winograd && exact) || !kernels->conv_can(c, all[i])) continue;
    const double cost = all[i] == TEN_CONV_GEMM ? 0 : conv_cost(kernels, c, all[i], kept);
    if (found && cost >= best) continue;
    c->algorithm = (int)all[i];
    best = cost;
    found = true;
  }
  return found;
}

enum { GROUPS_FROM = 1 << 13 }; /* multiplications: below, a loop is faster, which fuses with its neighbours */

/* Whether grouped channels, or the kernel gradient of such a convolution, are worth a dedicated kernel. */
static bool choose_groups(const cpu_plan *plan, ten_conv2d *c) {
  if (plan->bf16 && c->ci != c->groups) return false;
  c->algorithm = TEN_CONV_GROUPS;
  return ten_kernels_best()->conv_can(c, TEN_CONV_GROUPS) &&
         c->n * c->oh * c->ow * c->co >= GROUPS_FROM / (c->kh * c->kw * (c->ci / c->groups));
}

static bool plain_window(const ten_window *w) {
  for (uint32_t i = 0; i < 2; i++)
    if (w->base_dilation[i] != 1 || w->padding[2 * i] < 0) return false;
  return true;
}

static bool match_conv(cpu_lowering *l, const ten_op *op, void *descriptor) {
  const cpu_plan *plan = l->plan;
  cpu_conv *c = descriptor;
  if (cpu_is_empty(op)) return false;
  const ten_type *x = ten_op_operand(op, 0)->type, *k = ten_op_operand(op, 1)->type, *y = op->results[0].type;
  bool narrow = false;
  if (!cpu_matmul_types(x, k, y, &narrow) || x->rank != 4) return false;
  const int64_t groups = ten_op_int(op, "feature_group_count", 1);
  if ((groups != 1 && narrow) || ten_op_int(op, "batch_group_count", 1) != 1) return false;
  const ten_conv_dims d = ten_conv_dims_of(ten_op_attr(op, "dimension_numbers"));
  if (d.input_batch != 0 || d.input_feature != 3 || d.input_spatial.data[0] != 1 || d.input_spatial.data[1] != 2)
    return false;
  if (d.output_batch != 0 || d.output_feature != 3 || d.output_spatial.data[0] != 1 || d.output_spatial.data[1] != 2)
    return false;
  const ten_window w = ten_op_window(plan->module, op);
  if (groups == 1 && !plain_window(&w)) return false;
  c->conv = (ten_conv2d){.n = x->dims[0],
                         .h = x->dims[1],
                         .w = x->dims[2],
                         .ci = x->dims[3],
                         .co = y->dims[3],
                         .kh = k->dims[d.kernel_spatial.data[0]],
                         .kw = k->dims[d.kernel_spatial.data[1]],
                         .oh = y->dims[1],
                         .ow = y->dims[2],
                         .stride_h = w.strides[0],
                         .stride_w = w.strides[1],
                         .pad_top = w.padding[0],
                         .pad_left = w.padding[2],
                         .dilation_h = w.dilation[0],
                         .dilation_w = w.dilation[1],
                         .groups = groups,
                         .spread_h = w.base_dilation[0],
                         .spread_w = w.base_dilation[1],
                         .narrow = narrow};
  c->bf16 = (narrow || plan->bf16) && groups == 1;
  c->exact = ten_own_attr(op, TEN_NAME_INTEGERS) != NULL;
  const int64_t dims[4] = {d.kernel_spatial.data[0], d.kernel_spatial.data[1], d.kernel_input_feature,
                           d.kernel_output_feature};
  for (int i = 0; i < 4; i++) {
    c->strides[i] = 1;
    for (uint32_t j = (uint32_t)dims[i] + 1; j < k->rank; j++) c->strides[i] *= k->dims[j];
    if (i > 1 || !w.reversal[i]) continue;
    c->offset += (k->dims[dims[i]] - 1) * c->strides[i]; /* the last tap first */
    c->strides[i] = -c->strides[i];
  }
  if (groups > 1) return choose_groups(plan, &c->conv);
  if (!c->bf16 && !choose_algorithm(plan->exact_conv || c->exact, ten_op_operand(op, 1), &c->conv)) return false;
  if (plan->tuning) cpu_tuned_conv(plan->tuning, c);
  return true;
}

static ten_status *lower_conv(cpu_lowering *l, const ten_op *op, const void *descriptor, const ten_value *root,
                              cpu_body *body) {
  const ten_kernels *kernels = ten_kernels_best();
  cpu_conv *c = ten_arena_copy(&l->plan->arena, descriptor, sizeof *c);
  const uint32_t x = cpu_value_place(l->plan, ten_op_operand(op, 0)),
                 kernel = cpu_value_place(l->plan, ten_op_operand(op, 1));
  cpu_step *pack = cpu_step_new(l, CPU_PACK_CONV, op, body);
  c->tile = op->results[0].type->dtype != TEN_F32 || root->type->dtype != TEN_F32;
  c->conv.out_bytes = (int64_t)ten_dtype_bytes(root->type->dtype);
  const uint32_t packed = cpu_buffer_new(l->plan, CPU_ARENA, NULL, cpu_conv_packed_bytes(kernels, c));
  pack->descriptor = c;
  pack->count = c->bf16 ? kernels->bf16_conv_pack_units(&c->conv) : kernels->conv_pack_units(&c->conv);
  pack->grain = 1;
  cpu_step_read(pack, kernel);
  cpu_step_write(pack, packed);

  cpu_step *step = cpu_step_new(l, CPU_CONV, op, body);
  step->descriptor = c;
  cpu_collect_epilogue(l, step, op, &root, 1, c->tile);
  c->epilogue_args = (uint32_t)step->args.count;
  c->conv.also_count = cpu_epilogue_also(l->plan, step, root, c->also, &c->conv.also_bytes);
  cpu_step_read(step, x);
  cpu_step_read(step, packed);
  cpu_step_write(step, cpu_value_place(l->plan, root));
  const size_t bytes = cpu_conv_scratch(kernels, c, l->plan->threads);
  cpu_step_write(step, cpu_buffer_new(l->plan, CPU_ARENA, NULL, bytes ? bytes : 64));
  return NULL;
}

/* The kernel gradient of such a convolution, in the layout of transform/pass/layout.c: [n, h, w, ci] and [n, oh, ow,
 * co] to [kh, kw, ci, co]. */
static bool match_wgrad(cpu_lowering *l, const ten_op *op, void *descriptor) {
  ten_wgrad2d *out = descriptor;
  if (cpu_is_empty(op)) return false;
  const ten_type *x = ten_op_operand(op, 0)->type, *g = ten_op_operand(op, 1)->type, *y = op->results[0].type;
  if (x->dtype != TEN_F32 || g->dtype != TEN_F32 || y->dtype != TEN_F32 || x->rank != 4) return false;
  const int64_t groups = ten_op_int(op, "batch_group_count", 1);
  if (ten_op_int(op, "feature_group_count", 1) != 1) return false;
  const ten_conv_dims d = ten_conv_dims_of(ten_op_attr(op, "dimension_numbers"));
  if (d.input_feature != 0 || d.input_batch != 3 || d.input_spatial.data[0] != 1 || d.input_spatial.data[1] != 2)
    return false;
  if (d.kernel_input_feature != 0 || d.kernel_output_feature != 3 || d.kernel_spatial.data[0] != 1 ||
      d.kernel_spatial.data[1] != 2)
    return false;
  if (d.output_spatial.data[0] != 0 || d.output_spatial.data[1] != 1 || d.output_batch != 2 || d.output_feature != 3)
    return false;
  const ten_window w = ten_op_window(l->plan->module, op);
  if (w.base_dilation[0] != 1 || w.base_dilation[1] != 1 || w.reversal[0] || w.reversal[1] ||
      (groups == 1 && !plain_window(&w)))
    return false;
  *out = (ten_wgrad2d){.n = x->dims[0],
                       .h = x->dims[1],
                       .w = x->dims[2],
                       .ci = x->dims[3],
                       .co = g->dims[3],
                       .kh = y->dims[0],
                       .kw = y->dims[1],
                       .oh = g->dims[1],
                       .ow = g->dims[2],
                       .stride_h = w.dilation[0],
                       .stride_w = w.dilation[1], /* the two are swapped in the gradient */
                       .dilation_h = w.strides[0],
                       .dilation_w = w.strides[1],
                       .pad_top = w.padding[0],
                       .pad_left = w.padding[2],
                       .groups = groups};
  if (groups == 1) return true;
  const int64_t each = out->co / groups, products = out->n * out->oh * out->ow * out->kh * out->kw;
  return out->kh * out->kw <= TEN_GROUP_TAPS && products >= GROUPS_FROM / (out->co * (out->ci / groups)) &&
         (each >= TEN_GROUP_COLUMNS || (each == 1 && out->ci == groups));
}

static ten_status *lower_wgrad(cpu_lowering *l, const ten_op *op, const void *descriptor, const ten_value *root,
                               cpu_body *body) {
  cpu_step *step = cpu_step_new(l, CPU_WGRAD, op, body);
  const ten_kernels *kernels = ten_kernels_best();
  ten_wgrad2d *wgrad = ten_arena_copy(&l->plan->arena, descriptor, sizeof *wgrad);
  wgrad->winograd = wgrad->groups <= 1 && !l->plan->exact_conv && kernels->wgrad_can_winograd(wgrad);
  if (l->plan->tuning && wgrad->groups <= 1) cpu_tuned_wgrad(l->plan->tuning, wgrad);
  step->descriptor = wgrad;
  cpu_step_read(step, cpu_value_place(l->plan, ten_op_operand(op, 0)));
  cpu_step_read(step, cpu_value_place(l->plan, ten_op_operand(op, 1)));
  cpu_step_write(step, cpu_value_place(l->plan, root));
  cpu_step_write(step, cpu_buffer_new(l->plan, CPU_ARENA, NULL, kernels->wgrad_scratch(wgrad, l->plan->threads)));
  return NULL;
}

const cpu_kernel_choice cpu_choice_conv = {
    .ops = {TEN_OP_CONVOLUTION}, .compute = 0.8, .match = match_conv, .lower = lower_conv};
const cpu_kernel_choice cpu_choice_wgrad = {
    .ops = {TEN_OP_CONVOLUTION}, .compute = 0.67, .match = match_wgrad, .lower = lower_wgrad};
