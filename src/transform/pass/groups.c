/* groups.c: grouped convolutions of sizes that kernels/group.c does not support.
 *
 * Several outputs per channel (a depthwise multiplier): every channel of the input is repeated, and the convolution is
 * depthwise. Several channels for one output (the gradient of the former by its input): depthwise, and the results of a
 * group are summed. Few, wide groups, whose kernels do not stay in the cache while an image passes: one convolution per
 * group.
 * Needs: channels last (layout), static shapes.  Keeps: types. */
#include <string.h>

#include "ir/builder.h"
#include "transform/pass/pass.h"

enum {
  MULTIPLIER_MOST = 8,
  WIDE_GROUPS_MOST = 8,
  WIDE_CHANNELS = 32,    /* of a group, in and out, minimum */
  WIDE_KERNEL = 1 << 15, /* elements of the kernel of a group, minimum: 128 KiB of f32 */
};

typedef struct grouped {
  ten_builder b;
  ten_value *x, *k;
  const ten_type *y;
  ten_conv_dims dims;
  ten_window window;
  int64_t groups, inputs, outputs; /* channels of a group */
} grouped;

static ten_value *convolve(grouped *g, ten_value *x, ten_value *k, int64_t groups) {
  const ten_window *w = &g->window;
  const ten_conv_config config = {.dims = g->dims,
                                  .rank = w->rank,
                                  .strides = w->strides,
                                  .padding = w->padding,
                                  .lhs_dilation = w->base_dilation,
                                  .rhs_dilation = w->dilation,
                                  .reversal = w->reversal,
                                  .feature_groups = groups,
                                  .batch_groups = 1};
  return ten_build_conv(&g->b, x, k, &config);
}

/* [n, h, w, c] as [n, h, w, c·times], each channel repeated consecutively. */
static ten_value *repeat_channels(ten_builder *b, ten_value *x, int64_t times) {
  const int64_t *d = x->type->dims, wide[5] = {d[0], d[1], d[2], d[3], times}, map[4] = {0, 1, 2, 3};
  const int64_t merged[4] = {d[0], d[1], d[2], d[3] * times};
  return ten_build_reshape(b, ten_build_broadcast(b, x, 5, wide, map), 4, merged);
}

/* A kernel of one output and several inputs per group: the inputs become groups. */
static ten_value *spread_kernel(grouped *g) {
  const int64_t in = g->dims.kernel_input_feature, out = g->dims.kernel_output_feature;
  int64_t order[4], merged[4], from = 0;
  for (uint32_t i = 0; i < 4; i++) merged[i] = g->k->type->dims[i];
  merged[in] = 1;
  merged[out] = g->groups * g->inputs;
  /* inputs vary fastest: move them behind the outputs, and merge both */
  for (uint32_t i = 0; i < 4; i++) {
    if (i != in) order[from++] = i;
    if (i == out) order[from++] = in;
  }
  ten_value *k = ten_build_transpose(&g->b, g->k, order);
  return ten_build_reshape(&g->b, k, 4, merged);
}

static ten_value *sum_groups(grouped *g, ten_value *products) {
  const int64_t *d = products->type->dims, split[5] = {d[0], d[1], d[2], g->groups, g->inputs}, last = 4;
  ten_value *zero = ten_build_scalar(&g->b, products->type->dtype, 0);
  return ten_build_reduce(&g->b, TEN_OP_ADD, ten_build_reshape(&g->b, products, 5, split), zero, 1, &last);
}

static ten_value *convolve_each(grouped *g) {
  ten_value *parts[WIDE_GROUPS_MOST];
  for (int64_t i = 0; i < g->groups; i++) {
    ten_value *x = ten_build_slice_dim(&g->b, g->x, 3, i * g->inputs, (i + 1) * g->inputs, 1);
    ten_value *k =
        ten_build_slice_dim(&g->b, g->k, g->dims.kernel_output_feature, i * g->outputs, (i + 1) * g->outputs, 1);
    parts[i] = convolve(g, x, k, 1);
  }
  return ten_build_concat(&g->b, (uint32_t)g->groups, parts, 3);
}

static bool can_rewrite(const ten_op *op, const grouped *g) {
  const ten_type *x = g->x->type, *k = g->k->type;
  const ten_conv_dims *d = &g->dims;
  if (x->dtype != k->dtype || x->dtype != g->y->dtype || (x->dtype != TEN_F32 && x->dtype != TEN_BF16)) return false;
  if (!ten_type_is_static(x) || !ten_type_is_static(k) || !ten_type_is_static(g->y)) return false;
  if (!ten_type_count(x) || !ten_type_count(g->y) || ten_op_int(op, "batch_group_count", 1) != 1) return false;
  return d->input_batch == 0 && d->input_feature == 3 && d->input_spatial.data[0] == 1 && d->output_batch == 0 &&
         d->output_feature == 3 && d->output_spatial.data[0] == 1;
}

static ten_value *rewrite(grouped *g) {
  const bool f32 = g->y->dtype == TEN_F32;
  if (f32 && g->inputs == 1 && g->outputs > 1 && g->outputs <= MULTIPLIER_MOST)
    return convolve(g, repeat_channels(&g->b, g->x, g->outputs), g->k, g->groups * g->outputs);
  if (f32 && g->outputs == 1 && g->inputs > 1 && g->inputs <= MULTIPLIER_MOST)
    return sum_groups(g, convolve(g, g->x, spread_kernel(g), g->groups * g->inputs));
  const int64_t kernel = ten_type_count(g->k->type) / g->groups;
  if (g->groups <= WIDE_GROUPS_MOST && g->inputs >= WIDE_CHANNELS && g->outputs >= WIDE_CHANNELS &&
      kernel >= WIDE_KERNEL)
    return convolve_each(g);
  return NULL;
}

static void visit(ten_module *module, ten_op *op) {
  const int64_t groups = ten_op_int(op, "feature_group_count", 1);
  grouped g = {.b = {.module = module, .block = op->block, .before = op, .loc = op->loc},
               .x = ten_op_operand(op, 0),
               .k = ten_op_operand(op, 1),
               .y = op->results[0].type,
               .groups = groups};
  if (groups < 2 || g.x->type->rank != 4) return;
  g.dims = ten_conv_dims_of(ten_op_attr(op, "dimension_numbers"));
  g.window = ten_op_window(module, op);
  if (!can_rewrite(op, &g)) return;
  g.inputs = g.x->type->dims[3] / groups;
  g.outputs = g.y->dims[3] / groups;
  ten_value *y = rewrite(&g);
  if (!y) return;
  ten_value_replace(&op->results[0], y);
  ten_op_erase(op);
}

static ten_status *run(ten_module *module) { return ten_pass_each(module, TEN_OP_CONVOLUTION, visit); }

const ten_pass ten_pass_groups = {"groups", "rewrite grouped convolutions into ones that have kernels", run};
