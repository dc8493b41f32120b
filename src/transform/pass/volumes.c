/* volumes.c: a convolution over three dimensions becomes one over two, for which there are kernels: every depth of the
 * result is an image, and what a window covers along the depth are channels of it. Where the window has one depth,
 * nothing is copied. Needs: verified IR; before planar and layout.  Keeps: results to within the order of sums; types.
 * Skips those with one channel per group (depthwise.c), and open shapes. */
#include "ir/builder.h"
#include "transform/pass/pass.h"

enum { PARTS_MOST = 80 }; /* operands of a concatenation that are copied as they are */

typedef struct volume {
  ten_builder b;
  ten_conv_dims d;
  ten_window w;
  int64_t groups, batch_groups;
  int64_t depth; /* of the result */
  int64_t taps;  /* depths that a window covers */
} volume;

static bool is_narrow_enough(const ten_type *type) {
  return ten_type_is_static(type) && ten_type_count(type) > 0 && ten_dtype_is_float(type->dtype);
}

/* Images are made either for each tap, of all depths, or for each depth, of all taps: whichever are fewer. */
static bool describe(ten_module *module, ten_op *op, volume *v) {
  const ten_type *x = ten_op_operand(op, 0)->type, *k = ten_op_operand(op, 1)->type, *y = op->results[0].type;
  if (x->rank != 5 || !is_narrow_enough(x) || !is_narrow_enough(k) || !is_narrow_enough(y)) return false;
  v->b = (ten_builder){.module = module, .block = op->block, .before = op, .loc = op->loc};
  v->d = ten_conv_dims_of(ten_op_attr(op, "dimension_numbers"));
  v->w = ten_op_window(module, op);
  v->groups = ten_op_int(op, "feature_group_count", 1), v->batch_groups = ten_op_int(op, "batch_group_count", 1);
  v->depth = y->dims[v->d.output_spatial.data[0]], v->taps = k->dims[v->d.kernel_spatial.data[0]];
  if (v->groups > 1 && v->groups == x->dims[v->d.input_feature]) return false;
  return (v->depth < v->taps ? v->depth : v->taps) <= PARTS_MOST;
}

/* The input, padded along its depth, in the order batch, depth, rows, columns, channels. */
static ten_value *padded(volume *v, ten_value *x) {
  const int64_t order[5] = {v->d.input_batch, v->d.input_spatial.data[0], v->d.input_spatial.data[1],
                            v->d.input_spatial.data[2], v->d.input_feature};
  const int64_t low[5] = {0, v->w.padding[0]}, high[5] = {0, v->w.padding[1]},
                between[5] = {0, v->w.base_dilation[0] - 1};
  x = ten_build_transpose(&v->b, x, order);
  if (!low[1] && !high[1] && !between[1]) return x;
  const ten_type *scalar = ten_type_with_shape(v->b.module, x->type, 0, NULL);
  return ten_build_pad(&v->b, x, ten_build_splat(&v->b, scalar, 0), low, high, between);
}

/* [batch · depth, rows, columns, groups · taps · channels of a group] */
static ten_value *images_of(volume *v, ten_value *x) {
  const int64_t n = x->type->dims[0], rows = x->type->dims[2], columns = x->type->dims[3],
                each = x->type->dims[4] / v->groups;
  const bool by_tap = v->taps <= v->depth;
  const int64_t count = by_tap ? v->taps : v->depth, step = by_tap ? v->w.dilation[0] : v->w.strides[0],
                stride = by_tap ? v->w.strides[0] : v->w.dilation[0], size = by_tap ? v->depth : v->taps;
  ten_value *parts[PARTS_MOST];
  for (int64_t i = 0; i < count; i++) {
    const int64_t start = i * step;
    ten_value *part = ten_build_slice_dim(&v->b, x, 1, start, start + (size - 1) * stride + 1, stride);
    if (by_tap) {
      const int64_t dims[] = {n * size, rows, columns, v->groups, 1, each};
      parts[i] = ten_build_reshape(&v->b, part, 6, dims);
    } else {
      const int64_t dims[] = {n, size, rows, columns, v->groups, each}, order[] = {0, 2, 3, 4, 1, 5};
      const int64_t whole[] = {n, 1, rows, columns, v->groups * size * each};
      part = ten_build_transpose(&v->b, ten_build_reshape(&v->b, part, 6, dims), order);
      parts[i] = ten_build_reshape(&v->b, part, 5, whole);
    }
  }
  ten_value *all = ten_build_concat(&v->b, (uint32_t)count, parts, by_tap ? 4 : 1);
  const int64_t dims[] = {n * v->depth, rows, columns, v->groups * v->taps * each};
  return ten_build_reshape(&v->b, all, 4, dims);
}

/* [rows, columns, taps · channels of a group, features] */
static ten_value *kernel_of(volume *v, ten_value *k) {
  const int64_t order[5] = {v->d.kernel_spatial.data[1], v->d.kernel_spatial.data[2], v->d.kernel_spatial.data[0],
                            v->d.kernel_input_feature, v->d.kernel_output_feature};
  if (v->w.reversal[0]) k = ten_build_reverse(&v->b, k, 1, &v->d.kernel_spatial.data[0]);
  k = ten_build_transpose(&v->b, k, order);
  const int64_t dims[] = {k->type->dims[0], k->type->dims[1], k->type->dims[2] * k->type->dims[3], k->type->dims[4]};
  return ten_build_reshape(&v->b, k, 4, dims);
}

static ten_value *convolve(volume *v, ten_value *images, ten_value *kernel) {
  static int64_t rows_columns[] = {1, 2}, first_two[] = {0, 1};
  const uint8_t reversal[2] = {v->w.reversal[1], v->w.reversal[2]};
  const ten_conv_config config = {.dims = {.input_batch = 0,
                                           .input_feature = 3,
                                           .input_spatial = {rows_columns, 2},
                                           .kernel_input_feature = 2,
                                           .kernel_output_feature = 3,
                                           .kernel_spatial = {first_two, 2},
                                           .output_batch = 0,
                                           .output_feature = 3,
                                           .output_spatial = {rows_columns, 2}},
                                  .rank = 2,
                                  .strides = v->w.strides + 1,
                                  .padding = v->w.padding + 2,
                                  .lhs_dilation = v->w.base_dilation + 1,
                                  .rhs_dilation = v->w.dilation + 1,
                                  .reversal = reversal,
                                  .feature_groups = v->groups,
                                  .batch_groups = v->batch_groups};
  return ten_build_conv(&v->b, images, kernel, &config);
}

static void flatten(ten_module *module, ten_op *op) {
  volume v;
  if (!describe(module, op, &v)) return;
  const ten_type *y = op->results[0].type;
  if (ten_op_operand(op, 0)->type->dtype != y->dtype || ten_op_operand(op, 1)->type->dtype != y->dtype) return;
  ten_value *images = images_of(&v, padded(&v, ten_op_operand(op, 0)));
  ten_value *made = convolve(&v, images, kernel_of(&v, ten_op_operand(op, 1)));
  const int64_t from[5] = {v.d.output_batch, v.d.output_spatial.data[0], v.d.output_spatial.data[1],
                           v.d.output_spatial.data[2], v.d.output_feature};
  int64_t dims[5], back[5];
  for (int64_t i = 0; i < 5; i++) dims[i] = y->dims[from[i]], back[from[i]] = i;
  ten_value_replace(&op->results[0], ten_build_transpose(&v.b, ten_build_reshape(&v.b, made, 5, dims), back));
  ten_op_erase(op);
}

static ten_status *run(ten_module *module) { return ten_pass_each(module, TEN_OP_CONVOLUTION, flatten); }

const ten_pass ten_pass_volumes = {"volumes", "bring convolutions over three dimensions to the kernels' shapes", run};
