/* depthwise.c: rewrites a small convolution with one channel per group, or one over three dimensions, as a sum over
 * taps of a shifted input times one weight per channel: slices, multiplications and sums, which fuse into one loop over
 * the output in any layout. Needs: verified IR.  Keeps: types; the order of the taps in the sum.  f32 only: narrow
 * types would round every sum. */
#include "ir/builder.h"
#include "transform/pass/pass.h"

enum {
  KERNELS_FROM = 1 << 13 /* taps: kernels/group.c handles larger ones, of two dimensions */,
  TAPS_MOST = 49,
  SPATIAL_MOST = 3,
  RANK_MOST = SPATIAL_MOST + 2
};

/* The number of taps; 0: the convolution does not become a sum. */
static int64_t taps_of(const ten_op *op, const ten_conv_dims *d, const ten_window *w) {
  const ten_type *x = ten_op_operand(op, 0)->type, *k = ten_op_operand(op, 1)->type, *y = op->results[0].type;
  const int64_t channels = x->dims[d->input_feature];
  if (channels < 2 || ten_op_int(op, "feature_group_count", 1) != channels || y->dims[d->output_feature] != channels ||
      ten_op_int(op, "batch_group_count", 1) != 1)
    return 0;
  int64_t taps = 1;
  for (uint32_t i = 0; i < w->rank; i++) {
    taps *= k->dims[d->kernel_spatial.data[i]];
    if (w->base_dilation[i] != 1) return 0;
  }
  return taps <= TAPS_MOST && ten_type_count(y) > 0 && ten_type_count(x) > 0 ? taps : 0;
}

/* The padded input in the output's order of dimensions. */
static ten_value *arranged(ten_builder *b, ten_value *x, const ten_type *y, const ten_conv_dims *d,
                           const ten_window *w) {
  int64_t order[RANK_MOST], low[RANK_MOST] = {0}, high[RANK_MOST] = {0}, interior[RANK_MOST] = {0};
  order[d->output_batch] = d->input_batch;
  order[d->output_feature] = d->input_feature;
  for (uint32_t i = 0; i < w->rank; i++) {
    order[d->output_spatial.data[i]] = d->input_spatial.data[i];
    low[d->output_spatial.data[i]] = w->padding[2 * i];
    high[d->output_spatial.data[i]] = w->padding[2 * i + 1];
  }
  const ten_type *scalar = ten_type_with_shape(b->module, y, 0, NULL);
  return ten_build_pad(b, ten_build_transpose(b, x, order), ten_build_splat(b, scalar, 0), low, high, interior);
}

/* One tap: a slice of the input, times its weight per channel. */
static ten_value *product_of(ten_builder *b, ten_value *padded, ten_value *k, const ten_type *y, const ten_conv_dims *d,
                             const ten_window *w, int64_t tap) {
  int64_t start[RANK_MOST] = {0}, limit[RANK_MOST], strides[RANK_MOST], from[RANK_MOST] = {0}, to[RANK_MOST],
          ones[RANK_MOST];
  for (uint32_t i = 0; i < y->rank; i++) {
    strides[i] = ones[i] = 1;
    limit[i] = padded->type->dims[i];
    to[i] = k->type->dims[i];
  }
  for (uint32_t i = w->rank; i-- > 0;) { /* the last of the kernel's dimensions runs fastest */
    const int64_t out = d->output_spatial.data[i], in_kernel = d->kernel_spatial.data[i],
                  size = k->type->dims[in_kernel], place = tap % size;
    tap /= size;
    start[out] = place * w->dilation[i];
    strides[out] = w->strides[i];
    limit[out] = start[out] + (y->dims[out] - 1) * w->strides[i] + 1;
    from[in_kernel] = w->reversal[i] ? size - 1 - place : place;
    to[in_kernel] = from[in_kernel] + 1;
  }
  const int64_t channels = y->dims[d->output_feature];
  ten_value *factor = ten_build_reshape(b, ten_build_slice(b, k, from, to, ones), 1, &channels);
  factor = ten_build_broadcast(b, factor, y->rank, y->dims, &d->output_feature);
  return ten_build_binary(b, TEN_OP_MULTIPLY, ten_build_slice(b, padded, start, limit, strides), factor);
}

static void expand(ten_module *module, ten_op *op) {
  ten_value *x = ten_op_operand(op, 0), *k = ten_op_operand(op, 1);
  const ten_type *y = op->results[0].type;
  if (x->type->rank < 3 || x->type->rank > RANK_MOST) return;
  if (x->type->dtype != TEN_F32 || k->type->dtype != TEN_F32 || y->dtype != TEN_F32) return;
  if (!ten_type_is_static(x->type) || !ten_type_is_static(k->type) || !ten_type_is_static(y)) return;
  const ten_conv_dims d = ten_conv_dims_of(ten_op_attr(op, "dimension_numbers"));
  const ten_window w = ten_op_window(module, op);
  const int64_t taps = taps_of(op, &d, &w);
  if (!taps || (y->rank == 4 && ten_type_count(y) >= KERNELS_FROM / taps)) return;
  ten_builder b = {.module = module, .block = op->block, .before = op, .loc = op->loc};
  ten_value *padded = arranged(&b, x, y, &d, &w), *sum = NULL;
  for (int64_t tap = 0; tap < taps; tap++) {
    ten_value *product = product_of(&b, padded, k, y, &d, &w, tap);
    sum = sum ? ten_build_binary(&b, TEN_OP_ADD, sum, product) : product;
  }
  ten_value_replace(&op->results[0], sum);
  ten_op_erase(op);
}

static ten_status *run(ten_module *module) { return ten_pass_each(module, TEN_OP_CONVOLUTION, expand); }

const ten_pass ten_pass_depthwise = {"depthwise", "write depthwise convolutions as sums of shifted inputs", run};
