/* phases.c: splits a convolution over a dilated input (lhs_dilation: the gradient of a strided convolution by its
 * input) into one dense convolution per phase of its output. Output o = s·q + r meets the taps k with (r + k - padding)
 * divisible by s, and reads the input at q + (r + k - padding) / s: a kernel of every s-th tap, without dilation. The
 * phases are interleaved by concatenation; phases along rows that read the same positions (the kernel is a multiple of
 * the stride, and nothing is cropped) are channels of one convolution. Needs: channels last (layout).  Keeps: types.
 * Skips convolutions that are also strided, dilated or grouped. */
#include <string.h>

#include "transform/pass/pass.h"

#include "ir/builder.h"

enum { SEPARATE_MOST = 4, PHASES_MOST = 64 };

typedef struct phased {
  ten_builder b;
  const ten_op *op;
  ten_conv_dims dims;
  ten_window window;
  const ten_type *x, *k, *y;
  int64_t kernel[2], most[2]; /* kernel sizes; outputs of each phase */
} phased;

/* The first tap of a phase of one dimension, its number of taps, and its padding. False: none, it is zero. */
typedef struct taps {
  int64_t first, count, low, high;
} taps;

static bool taps_of(const phased *p, uint32_t d, int64_t phase, taps *t) {
  const int64_t s = p->window.base_dilation[d], padding = p->window.padding[2 * d];
  t->first = ((padding - phase) % s + s) % s;
  if (t->first >= p->kernel[d]) return false;
  t->count = (p->kernel[d] - t->first + s - 1) / s;
  t->low = (padding - phase - t->first) / s;
  t->high = p->most[d] + t->count - 1 - p->x->dims[d + 1] - t->low;
  return true;
}

static bool can_split(const phased *p) {
  const ten_window *w = &p->window;
  if (p->x->rank != 4 || (p->x->dtype != TEN_F32 && p->x->dtype != TEN_BF16) || p->x->dtype != p->k->dtype)
    return false;
  if (!ten_type_is_static(p->x) || !ten_type_is_static(p->k) || !ten_type_is_static(p->y)) return false;
  if (!ten_type_count(p->x) || !ten_type_count(p->y) || p->y->dtype != p->x->dtype) return false;
  if (ten_op_int(p->op, "feature_group_count", 1) != 1 || ten_op_int(p->op, "batch_group_count", 1) != 1) return false;
  const ten_conv_dims *d = &p->dims;
  if (d->input_batch || d->input_feature != 3 || d->input_spatial.data[0] != 1 || d->output_batch ||
      d->output_feature != 3 || d->output_spatial.data[0] != 1)
    return false;
  if (w->base_dilation[0] == 1 && w->base_dilation[1] == 1) return false;
  for (uint32_t i = 0; i < 2; i++) {
    if (w->strides[i] != 1 || w->dilation[i] != 1 || w->base_dilation[i] > PHASES_MOST) return false;
    taps t;
    for (int64_t phase = 0; phase < w->base_dilation[i]; phase++)
      if (taps_of(p, i, phase, &t) && t.low < 0) return false;
  }
  return true;
}

static ten_value *one_phase(phased *p, int64_t phase_h, int64_t phase_w) {
  const int64_t phases[2] = {phase_h, phase_w};
  const int64_t shape[4] = {p->y->dims[0], p->most[0], p->most[1], p->y->dims[3]};
  const ten_type *type = ten_type_with_shape(p->b.module, p->y, 4, shape);
  int64_t start[4] = {0}, limit[4], strides[4] = {1, 1, 1, 1}, padding[4];
  memcpy(limit, p->k->dims, sizeof limit);
  for (uint32_t i = 0; i < 2; i++) {
    taps t;
    if (!taps_of(p, i, phases[i], &t)) return ten_build_splat(&p->b, type, 0);
    const int64_t d = p->dims.kernel_spatial.data[i];
    strides[d] = p->window.base_dilation[i];
    /* if reversed, the first tap is the last of the kernel */
    start[d] = p->window.reversal[i] ? p->kernel[i] - 1 - t.first - (t.count - 1) * strides[d] : t.first;
    limit[d] = start[d] + (t.count - 1) * strides[d] + 1;
    padding[2 * i] = t.low;
    padding[2 * i + 1] = t.high;
  }
  const ten_conv_config config = {.dims = p->dims,
                                  .rank = 2,
                                  .padding = padding,
                                  .reversal = p->window.reversal,
                                  .feature_groups = 1,
                                  .batch_groups = 1};
  return ten_build_conv(&p->b, ten_op_operand(p->op, 0),
                        ten_build_slice(&p->b, ten_op_operand(p->op, 1), start, limit, strides), &config);
}

/* Interleaves s values [n, …, m, …] along `dim`: [n, …, m·s, …]. */
static ten_value *interleave(ten_builder *b, ten_value **parts, int64_t count, uint32_t dim) {
  if (count == 1) return parts[0];
  const ten_type *type = parts[0]->type;
  int64_t dims[5], merged[4];
  for (uint32_t i = 0; i < 5; i++) dims[i] = i <= dim ? type->dims[i] : i == dim + 1 ? 1 : type->dims[i - 1];
  memcpy(merged, type->dims, sizeof merged);
  merged[dim] *= count;
  for (int64_t i = 0; i < count; i++) parts[i] = ten_build_reshape(b, parts[i], 5, dims);
  return ten_build_reshape(b, ten_build_concat(b, (uint32_t)count, parts, dim + 1), 4, merged);
}

/* The number of phases of a dimension if all have the same number of taps and the same position; 0: they differ. */
static int64_t like_phases(const phased *p, uint32_t d) {
  taps first, t;
  const int64_t s = p->window.base_dilation[d];
  if (!taps_of(p, d, 0, &first)) return 0;
  for (int64_t phase = 1; phase < s; phase++)
    if (!taps_of(p, d, phase, &t) || t.count != first.count || t.low != first.low) return 0;
  return s;
}

/* The taps of one phase of the last dimension, as kernel. */
static ten_value *phase_kernel(phased *p, int64_t phase) {
  taps t;
  if (!taps_of(p, 1, phase, &t)) return NULL;
  const int64_t d = p->dims.kernel_spatial.data[1], s = p->window.base_dilation[1];
  const int64_t start = p->window.reversal[1] ? p->kernel[1] - 1 - t.first - (t.count - 1) * s : t.first;
  return ten_build_slice_dim(&p->b, ten_op_operand(p->op, 1), d, start, start + (t.count - 1) * s + 1, s);
}

/* All phases of the last dimension as channels of one convolution: [n, h, w, s·c] is [n, h, w·s, c] in memory. */
static ten_value *phases_as_channels(phased *p) {
  const int64_t s = p->window.base_dilation[1],
                shape[4] = {p->y->dims[0], p->y->dims[1], p->most[1] * s, p->y->dims[3]};
  ten_value *kernels[PHASES_MOST];
  taps t;
  if (!taps_of(p, 1, 0, &t)) return NULL;
  for (int64_t phase = 0; phase < s; phase++) kernels[phase] = phase_kernel(p, phase);
  const int64_t padding[4] = {p->window.padding[0], p->window.padding[1], t.low, t.high};
  const ten_conv_config config = {.dims = p->dims,
                                  .rank = 2,
                                  .padding = padding,
                                  .reversal = p->window.reversal,
                                  .feature_groups = 1,
                                  .batch_groups = 1};
  ten_value *kernel = ten_build_concat(&p->b, (uint32_t)s, kernels, p->dims.kernel_output_feature);
  ten_value *y = ten_build_conv(&p->b, ten_op_operand(p->op, 0), kernel, &config);
  return ten_build_slice_dim(&p->b, ten_build_reshape(&p->b, y, 4, shape), 2, 0, p->y->dims[2], 1);
}

static void split(ten_module *module, ten_op *op) {
  phased p = {.b = {.module = module, .block = op->block, .before = op, .loc = op->loc},
              .op = op,
              .dims = ten_conv_dims_of(ten_op_attr(op, "dimension_numbers")),
              .x = ten_op_operand(op, 0)->type,
              .k = ten_op_operand(op, 1)->type,
              .y = op->results[0].type};
  if (p.x->rank != 4) return;
  p.window = ten_op_window(module, op);
  for (uint32_t i = 0; i < 2; i++) {
    p.kernel[i] = p.k->dims[p.dims.kernel_spatial.data[i]];
    p.most[i] = (p.y->dims[i + 1] + p.window.base_dilation[i] - 1) / p.window.base_dilation[i];
  }
  if (!can_split(&p)) return;
  if (p.window.base_dilation[0] == 1 && like_phases(&p, 1)) {
    ten_value_replace(&op->results[0], phases_as_channels(&p));
    ten_op_erase(op);
    return;
  }
  if (p.window.base_dilation[0] > SEPARATE_MOST || p.window.base_dilation[1] > SEPARATE_MOST) return;
  ten_value *rows[SEPARATE_MOST], *parts[SEPARATE_MOST];
  for (int64_t h = 0; h < p.window.base_dilation[0]; h++) {
    for (int64_t w = 0; w < p.window.base_dilation[1]; w++) parts[w] = one_phase(&p, h, w);
    rows[h] = interleave(&p.b, parts, p.window.base_dilation[1], 2);
  }
  ten_value *whole = interleave(&p.b, rows, p.window.base_dilation[0], 1);
  for (int64_t d = 1; d < 3; d++) whole = ten_build_slice_dim(&p.b, whole, d, 0, p.y->dims[d], 1);
  ten_value_replace(&op->results[0], whole);
  ten_op_erase(op);
}

static ten_status *run(ten_module *module) { return ten_pass_each(module, TEN_OP_CONVOLUTION, split); }

const ten_pass ten_pass_phases = {"phases", "split convolutions over inputs with holes into dense ones", run};
