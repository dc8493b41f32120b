/* kernels.c: what each op computes, as TFLite's reference kernels have it: sums in i32, then one rescaling. */
#include "edge/kernels.h"

#include <math.h>
#include <stdlib.h>

#include "edge/multiplier.h"

#define SCALE(t) ((t)->scales[0])

static const edge_tensor *in(const edge_graph *g, const edge_node *n, uint32_t i) { return edge_get(g, n->inputs[i]); }

static void same_padding(const edge_node *n, const edge_tensor *x, const edge_tensor *y, const int64_t *size,
                         int64_t *out) {
  for (int i = 0; i < 2; i++) {
    const int64_t reach = (size[i] - 1) * n->dilation[i] + 1;
    int64_t total = (y->dims[1 + i] - 1) * n->stride[i] + reach - x->dims[1 + i];
    if (total < 0 || !n->same) total = 0;
    out[2 * i] = total / 2, out[2 * i + 1] = total - total / 2;
  }
}

/* What sums of products of x and w are multiplied with. */
static double *layer_factors(const edge_tensor *x, const edge_tensor *w, const edge_tensor *y) {
  double *factors = ten_alloc(w->scale_count * sizeof *factors);
  for (size_t i = 0; i < w->scale_count; i++) factors[i] = (double)SCALE(x) * (double)w->scales[i] / (double)SCALE(y);
  return factors;
}

static ten_value *finish_layer(ten_builder *b, const edge_graph *g, const edge_node *n, ten_value *sums,
                               ten_value *bias) {
  const edge_tensor *x = in(g, n, 0), *w = in(g, n, 1), *y = edge_get(g, n->output);
  const int64_t last = (int64_t)sums->type->rank - 1;
  sums = ten_build_binary(b, TEN_OP_ADD, sums, ten_build_broadcast(b, bias, sums->type->rank, sums->type->dims, &last));
  double *factors = layer_factors(x, w, y);
  ten_value *scaled =
      (n->kind == EDGE_FULLY_CONNECTED ? edge_rescale_once : edge_rescale)(b, sums, w->scale_count, factors);
  free(factors);
  return edge_stored(b, scaled, y, n->activation);
}

static ten_value *build_conv(ten_builder *b, const edge_graph *g, const edge_node *n, ten_value *const *operands) {
  static const int64_t spatial[] = {1, 2};
  const edge_tensor *x = in(g, n, 0), *w = in(g, n, 1), *y = edge_get(g, n->output);
  const bool deep = n->kind == EDGE_DEPTHWISE_CONV_2D;
  int64_t padding[4];
  same_padding(n, x, y, w->dims + 1, padding);
  const ten_ints images = {spatial, 2};
  const ten_conv_config config = {.dims = {.input_batch = 0,
                                           .input_feature = 3,
                                           .kernel_input_feature = deep ? 0 : 3,
                                           .kernel_output_feature = deep ? 3 : 0,
                                           .output_batch = 0,
                                           .output_feature = 3,
                                           .input_spatial = images,
                                           .kernel_spatial = images,
                                           .output_spatial = images},
                                  .rank = 2,
                                  .strides = n->stride,
                                  .padding = padding,
                                  .rhs_dilation = n->dilation,
                                  .feature_groups = deep ? x->dims[3] : x->dims[3] / w->dims[3],
                                  .batch_groups = 1};
  ten_value *sums =
      ten_build_conv(b, edge_centered(b, operands[0], x), ten_build_convert(b, operands[1], TEN_I32), &config);
  return finish_layer(b, g, n, sums, operands[2]);
}

static ten_value *build_dense(ten_builder *b, const edge_graph *g, const edge_node *n, ten_value *const *operands) {
  static const int64_t last = 1;
  const ten_dot_dims dims = {.lhs_contract = {&last, 1}, .rhs_contract = {&last, 1}};
  ten_value *x = edge_centered(b, operands[0], in(g, n, 0)), *w = ten_build_convert(b, operands[1], TEN_I32);
  return finish_layer(b, g, n, ten_build_dot(b, x, w, &dims, TEN_I32), operands[2]);
}

static ten_value *spread(ten_builder *b, ten_value *x, const edge_tensor *like) {
  return ten_build_broadcast_to(b, x, like->rank, like->dims);
}

/* Both at half the larger scale and 20 bits more, so that little is lost. */
static ten_value *build_add(ten_builder *b, const edge_graph *g, const edge_node *n, ten_value *const *operands) {
  const edge_tensor *x = in(g, n, 0), *z = in(g, n, 1), *y = edge_get(g, n->output);
  const float most = SCALE(x) > SCALE(z) ? SCALE(x) : SCALE(z);
  const double twice = 2.0 * (double)most, bits = 1 << 20;
  const double fx = (double)SCALE(x) / twice, fz = (double)SCALE(z) / twice, fy = twice / (bits * (double)SCALE(y));
  const edge_tensor *const tensors[] = {x, z};
  ten_value *parts[2];
  for (int i = 0; i < 2; i++) {
    ten_value *part = edge_centered(b, operands[i], tensors[i]);
    part = ten_build_binary(b, TEN_OP_MULTIPLY, part, ten_build_like(b, part, bits));
    parts[i] = spread(b, edge_rescale(b, part, 1, i ? &fz : &fx), y);
  }
  ten_value *sum = ten_build_binary(b, n->kind == EDGE_SUB ? TEN_OP_SUBTRACT : TEN_OP_ADD, parts[0], parts[1]);
  return edge_stored(b, edge_rescale(b, sum, 1, &fy), y, n->activation);
}

static ten_value *build_mul(ten_builder *b, const edge_graph *g, const edge_node *n, ten_value *const *operands) {
  const edge_tensor *x = in(g, n, 0), *z = in(g, n, 1), *y = edge_get(g, n->output);
  const double factor = (double)(SCALE(x) * SCALE(z) / SCALE(y));
  ten_value *product = ten_build_binary(b, TEN_OP_MULTIPLY, spread(b, edge_centered(b, operands[0], x), y),
                                        spread(b, edge_centered(b, operands[1], z), y));
  return edge_stored(b, edge_rescale(b, product, 1, &factor), y, n->activation);
}

static void reduce_body(ten_builder *b, ten_value *const *args, void *context) {
  ten_value *y = ten_build_binary(b, *(const ten_opcode *)context, args[0], args[1]);
  ten_build_return(b, 1, &y);
}

static ten_value *windows(ten_builder *b, ten_opcode code, ten_value *x, ten_value *init, const edge_node *n,
                          const int64_t *padding) {
  static const int64_t ones[4] = {1, 1, 1, 1};
  const int64_t size[4] = {1, n->window[0], n->window[1], 1}, stride[4] = {1, n->stride[0], n->stride[1], 1},
                pads[8] = {0, 0, padding[0], padding[1], padding[2], padding[3], 0, 0};
  const ten_window window = {
      .rank = 4, .size = size, .strides = stride, .padding = pads, .base_dilation = ones, .dilation = ones};
  return ten_op_result(ten_build_reduce_window(b, 1, &x, &init, &window, reduce_body, &code), 0);
}

/* x / count, halves away from zero. */
static ten_value *rounded_division(ten_builder *b, ten_value *x, int64_t count) {
  ten_value *half = ten_build_like(b, x, (double)(count / 2)),
            *positive = ten_build_compare(b, TEN_GT, x, ten_build_like(b, x, 0));
  ten_value *moved = ten_build_select(b, positive, ten_build_binary(b, TEN_OP_ADD, x, half),
                                      ten_build_binary(b, TEN_OP_SUBTRACT, x, half));
  return ten_build_binary(b, TEN_OP_DIVIDE, moved, ten_build_like(b, x, (double)count));
}

static ten_value *build_pool(ten_builder *b, const edge_graph *g, const edge_node *n, ten_value *const *operands) {
  int64_t padding[4];
  same_padding(n, in(g, n, 0), edge_get(g, n->output), n->window, padding);
  if (n->kind == EDGE_MAX_POOL_2D)
    return windows(b, TEN_OP_MAXIMUM, operands[0], ten_build_scalar_int(b, TEN_I8, EDGE_LOW), n, padding);
  ten_value *sums = windows(b, TEN_OP_ADD, ten_build_convert(b, operands[0], TEN_I32),
                            ten_build_scalar_int(b, TEN_I32, 0), n, padding);
  return ten_build_convert(b, rounded_division(b, sums, n->window[0] * n->window[1]), TEN_I8);
}

static ten_value *build_mean(ten_builder *b, const edge_graph *g, const edge_node *n, ten_value *const *operands) {
  const edge_tensor *x = in(g, n, 0), *y = edge_get(g, n->output);
  int64_t axes[EDGE_RANK], count = 1;
  for (uint32_t i = 0; i < n->list_count; i++) axes[i] = n->list[i], count *= x->dims[axes[i]];
  ten_value *sums = ten_build_reduce(b, TEN_OP_ADD, edge_centered(b, operands[0], x),
                                     ten_build_scalar_int(b, TEN_I32, 0), n->list_count, axes);
  sums = ten_build_reshape(b, sums, y->rank, y->dims);
  const double factor = (double)SCALE(x) / ((double)SCALE(y) * (double)count);
  return edge_stored(b, edge_rescale(b, sums, 1, &factor), y, EDGE_LINEAR);
}

/* table[index] for every element. */
static ten_value *look_up(ten_builder *b, ten_value *table, ten_value *index) {
  static const int64_t zero = 0, one = 1;
  const ten_gather_dims dims = {
      .collapsed_slice_dims = {&zero, 1}, .start_index_map = {&zero, 1}, .index_vector_dim = index->type->rank};
  return ten_build_gather(b, table, index, &dims, &one, false);
}

static ten_value *build_table(ten_builder *b, const edge_graph *g, const edge_node *n, ten_value *const *operands) {
  const edge_tensor *x = in(g, n, 0), *y = edge_get(g, n->output);
  int8_t table[256];
  for (int q = EDGE_LOW; q <= EDGE_HIGH; q++) {
    const float real = SCALE(x) * (float)(q - x->zero_point);
    const float result = n->kind == EDGE_TANH ? tanhf(real) : 1 / (1 + expf(-real));
    table[q - EDGE_LOW] = (int8_t)edge_quantized((double)result, (double)SCALE(y), y->zero_point, EDGE_LOW, EDGE_HIGH);
  }
  const int64_t size = 256;
  const ten_type *type = ten_type_tensor(b->module, TEN_I8, 1, &size);
  ten_value *constant = ten_build_constant(b, ten_attr_dense(b->module, type, table, sizeof table));
  ten_value *index = ten_build_convert(b, operands[0], TEN_I32);
  return look_up(b, constant, ten_build_binary(b, TEN_OP_SUBTRACT, index, ten_build_like(b, index, EDGE_LOW)));
}

/* Exponentials from a table of f32, whose sum is divided by in f32. */
static ten_value *build_softmax(ten_builder *b, const edge_graph *g, const edge_node *n, ten_value *const *operands) {
  const edge_tensor *x = in(g, n, 0), *y = edge_get(g, n->output);
  float table[256];
  for (int i = 0; i < 256; i++) table[i] = expf(-SCALE(x) * (float)i);
  const int64_t size = 256, last = (int64_t)x->rank - 1;
  int64_t kept[EDGE_RANK];
  for (uint32_t i = 0; i < x->rank; i++) kept[i] = i == last ? 1 : x->dims[i];
  const ten_type *type = ten_type_tensor(b->module, TEN_F32, 1, &size);
  ten_value *constant = ten_build_constant(b, ten_attr_dense(b->module, type, table, sizeof table));
  ten_value *wide = ten_build_convert(b, operands[0], TEN_I32);
  ten_value *top = ten_build_reduce(b, TEN_OP_MAXIMUM, wide, ten_build_scalar_int(b, TEN_I32, EDGE_LOW), 1, &last);
  top = spread(b, ten_build_reshape(b, top, x->rank, kept), x);
  ten_value *exps = look_up(b, constant, ten_build_binary(b, TEN_OP_SUBTRACT, top, wide));
  ten_value *sum = ten_build_reduce(b, TEN_OP_ADD, exps, ten_build_scalar(b, TEN_F32, 0), 1, &last);
  ten_value *scaled = ten_build_binary(b, TEN_OP_MULTIPLY, sum, ten_build_like(b, sum, (double)SCALE(y)));
  ten_value *inverse = ten_build_binary(b, TEN_OP_DIVIDE, ten_build_like(b, sum, 1), scaled);
  inverse = spread(b, ten_build_reshape(b, inverse, x->rank, kept), x);
  ten_value *share = ten_build_binary(b, TEN_OP_MULTIPLY, exps, inverse);
  share = ten_build_binary(b, TEN_OP_ADD, share, ten_build_like(b, share, 0.5));
  return edge_stored(b, ten_build_convert(b, share, TEN_I32), y, EDGE_LINEAR);
}

static ten_value *build_quantize(ten_builder *b, const edge_graph *g, const edge_node *n, ten_value *const *operands) {
  const edge_tensor *x = in(g, n, 0), *y = edge_get(g, n->output);
  if (x->dtype == TEN_F32) {
    ten_value *steps =
        ten_build_binary(b, TEN_OP_DIVIDE, operands[0], ten_build_like(b, operands[0], (double)SCALE(y)));
    ten_value *low = ten_build_like(b, steps, -65536), *high = ten_build_like(b, steps, 65536);
    steps = ten_build_unary(b, TEN_OP_ROUND_NEAREST_AFZ, ten_build_clamp(b, low, steps, high));
    return edge_stored(b, ten_build_convert(b, steps, TEN_I32), y, EDGE_LINEAR);
  }
  const double factor = (double)SCALE(x) / (double)SCALE(y);
  const edge_activation activation = n->kind == EDGE_RELU    ? EDGE_ACT_RELU
                                     : n->kind == EDGE_RELU6 ? EDGE_ACT_RELU6
                                                             : EDGE_LINEAR;
  return edge_stored(b, edge_rescale(b, edge_centered(b, operands[0], x), 1, &factor), y, activation);
}

/* Below zero another factor. */
static ten_value *build_leaky(ten_builder *b, const edge_graph *g, const edge_node *n, ten_value *const *operands) {
  const edge_tensor *x = in(g, n, 0), *y = edge_get(g, n->output);
  const double above = (double)(SCALE(x) / SCALE(y)), below = (double)(SCALE(x) * n->alpha / SCALE(y));
  ten_value *steps = edge_centered(b, operands[0], x);
  ten_value *positive = ten_build_compare(b, TEN_GE, steps, ten_build_like(b, steps, 0));
  ten_value *chosen =
      ten_build_select(b, positive, edge_rescale(b, steps, 1, &above), edge_rescale(b, steps, 1, &below));
  return edge_stored(b, chosen, y, EDGE_LINEAR);
}

static ten_value *build_dequantize(ten_builder *b, const edge_graph *g, const edge_node *n,
                                   ten_value *const *operands) {
  const edge_tensor *x = in(g, n, 0);
  ten_value *real = ten_build_convert(b, edge_centered(b, operands[0], x), TEN_F32);
  return ten_build_binary(b, TEN_OP_MULTIPLY, real, ten_build_like(b, real, (double)SCALE(x)));
}

/* Rows or columns `places` of the image. */
static ten_value *pick(ten_builder *b, ten_value *x, int64_t dim, size_t count, const int64_t *places) {
  int64_t sizes[4], offsets[3], rest = 0;
  for (int64_t i = 0; i < 4; i++) {
    sizes[i] = i == dim ? 1 : x->type->dims[i];
    if (i != dim) offsets[rest++] = i;
  }
  const ten_gather_dims dims = {.offset_dims = {offsets, 3},
                                .collapsed_slice_dims = {&dim, 1},
                                .start_index_map = {&dim, 1},
                                .index_vector_dim = 1};
  return ten_build_gather(b, x, ten_build_i64s(b, count, places), &dims, sizes, true);
}

static ten_value *build_resize(ten_builder *b, const edge_graph *g, const edge_node *n, ten_value *x) {
  const edge_tensor *y = edge_get(g, n->output);
  for (int64_t dim = 1; dim <= 2; dim++) {
    const int64_t in_size = x->type->dims[dim], out = y->dims[dim];
    int64_t *places = ten_alloc((size_t)out * sizeof *places);
    for (int64_t i = 0; i < out; i++) places[i] = i * in_size / out;
    x = pick(b, x, dim, (size_t)out, places);
    free(places);
  }
  return x;
}

/* Rows or columns `places` of the image, each times its weight. */
static ten_value *weighted(ten_builder *b, ten_value *x, int64_t dim, size_t count, const int64_t *places,
                           const int32_t *weights) {
  const int64_t size = (int64_t)count;
  const ten_type *type = ten_type_tensor(b->module, TEN_I32, 1, &size);
  ten_value *row = ten_build_constant(b, ten_attr_dense(b->module, type, weights, count * sizeof *weights)),
            *picked = pick(b, x, dim, count, places);
  if (picked->type->dtype != TEN_I32) picked = ten_build_convert(b, picked, TEN_I32);
  return ten_build_binary(b, TEN_OP_MULTIPLY, picked, ten_build_broadcast(b, row, 4, picked->type->dims, &dim));
}

/* Both dimensions in 1024ths of a pixel, rounded once. */
static ten_value *build_linear(ten_builder *b, const edge_graph *g, const edge_node *n, ten_value *x) {
  const edge_tensor *y = edge_get(g, n->output);
  for (int64_t dim = 1; dim <= 2; dim++) {
    const int64_t in_size = x->type->dims[dim];
    const size_t out = (size_t)y->dims[dim];
    int64_t *places = ten_alloc(2 * out * sizeof *places);
    int32_t *weights = ten_alloc(2 * out * sizeof *weights);
    for (size_t i = 0; i < out; i++) {
      const edge_place place = edge_linear_place((int64_t)i, in_size, (int64_t)out, n->corners);
      places[i] = place.low, places[out + i] = place.high;
      weights[i] = 1024 - place.part, weights[out + i] = place.part;
    }
    x = ten_build_binary(b, TEN_OP_ADD, weighted(b, x, dim, out, places, weights),
                         weighted(b, x, dim, out, places + out, weights + out));
    free(weights);
    free(places);
  }
  return ten_build_convert(b, rounded_division(b, x, 1 << 20), TEN_I8);
}

static ten_value *build_moved(ten_builder *b, const edge_graph *g, const edge_node *n, ten_value *const *operands) {
  const edge_tensor *x = in(g, n, 0), *y = edge_get(g, n->output);
  int64_t low[EDGE_RANK], high[EDGE_RANK], inner[EDGE_RANK] = {0}, ones[EDGE_RANK] = {1, 1, 1, 1, 1, 1};
  switch (n->kind) {
    case EDGE_RESHAPE: return ten_build_reshape(b, operands[0], y->rank, y->dims);
    case EDGE_TRANSPOSE:
      for (uint32_t i = 0; i < x->rank; i++) low[i] = n->list[i];
      return ten_build_transpose(b, operands[0], low);
    case EDGE_CONCATENATION: return ten_build_concat(b, n->input_count, operands, n->axis);
    case EDGE_SLICE:
      for (uint32_t i = 0; i < x->rank; i++) low[i] = n->list[i], high[i] = low[i] + n->list[x->rank + i];
      return ten_build_slice(b, operands[0], low, high, ones);
    case EDGE_RESIZE_BILINEAR: return build_linear(b, g, n, operands[0]);
    case EDGE_RESIZE_NEAREST_NEIGHBOR: return build_resize(b, g, n, operands[0]);
    default:
      for (uint32_t i = 0; i < x->rank; i++) low[i] = n->list[2 * i], high[i] = n->list[2 * i + 1];
      return ten_build_pad(b, operands[0],
                           ten_build_scalar_int(b, TEN_I8, n->kind == EDGE_PAD ? x->zero_point : EDGE_LOW), low, high,
                           inner);
  }
}

ten_value *edge_build(ten_builder *b, const edge_graph *g, const edge_node *n, ten_value *const *operands) {
  switch (n->kind) {
    case EDGE_CONV_2D:
    case EDGE_DEPTHWISE_CONV_2D: return build_conv(b, g, n, operands);
    case EDGE_FULLY_CONNECTED: return build_dense(b, g, n, operands);
    case EDGE_ADD:
    case EDGE_SUB: return build_add(b, g, n, operands);
    case EDGE_MUL: return build_mul(b, g, n, operands);
    case EDGE_AVERAGE_POOL_2D:
    case EDGE_MAX_POOL_2D: return build_pool(b, g, n, operands);
    case EDGE_MEAN: return build_mean(b, g, n, operands);
    case EDGE_LOGISTIC:
    case EDGE_TANH: return build_table(b, g, n, operands);
    case EDGE_SOFTMAX: return build_softmax(b, g, n, operands);
    case EDGE_QUANTIZE:
    case EDGE_RELU:
    case EDGE_RELU6: return build_quantize(b, g, n, operands);
    case EDGE_DEQUANTIZE: return build_dequantize(b, g, n, operands);
    case EDGE_LEAKY_RELU: return build_leaky(b, g, n, operands);
    default: return build_moved(b, g, n, operands);
  }
}
