/* layers.c: convolutions and matmuls with their bias and activation. */
#include <stdlib.h>

#include "edge/image.h"

typedef struct conv {
  ten_conv_dims dims;
  ten_window window;
  edge_image in, out;
  edge_window w;
  const ten_tensor *kernel;
  const float *given; /* its scales */
  int64_t groups, channels, features;
  bool depthwise;
} conv;

/* NULL, or what TFLite has no convolution for. */
static const char *conv_read(recogniser *r, const ten_op *op, conv *c) {
  const ten_type *x = ten_op_operand(op, 0)->type, *k = ten_op_operand(op, 1)->type, *y = op->results[0].type;
  c->dims = ten_conv_dims_of(ten_op_attr(op, "dimension_numbers"));
  c->window = ten_op_window(r->module, op);
  const uint32_t spatial = c->window.rank;
  if (spatial < 1 || spatial > 2) return "a convolution over more than two dimensions";
  if (x->dtype != TEN_F32 || y->dtype != TEN_F32) return "elements that are not f32";
  if (ten_op_int(op, "batch_group_count", 1) != 1) return "batch groups";
  c->kernel = edge_known(r, ten_op_operand(op, 1));
  if (!c->kernel || k->dtype != TEN_F32) return "a kernel that is not constant";
  c->in = (edge_image){
      .spatial_count = spatial, .batch = (uint8_t)c->dims.input_batch, .channel = (uint8_t)c->dims.input_feature};
  c->out = (edge_image){
      .spatial_count = spatial, .batch = (uint8_t)c->dims.output_batch, .channel = (uint8_t)c->dims.output_feature};
  c->w = (edge_window){.in = {1, 1}, .size = {1, 1}, .stride = {1, 1}, .dilation = {1, 1}, .out = {1, 1}};
  for (uint32_t i = 0; i < spatial; i++) {
    const uint32_t to = i + 2 - spatial;
    c->in.spatial[i] = (uint8_t)c->dims.input_spatial.data[i],
    c->out.spatial[i] = (uint8_t)c->dims.output_spatial.data[i];
    if (c->window.base_dilation[i] != 1) return "a transposed convolution";
    if (c->window.reversal && c->window.reversal[i]) return "a reversed kernel";
    c->w.in[to] = x->dims[c->dims.input_spatial.data[i]];
    c->w.size[to] = k->dims[c->dims.kernel_spatial.data[i]];
    c->w.stride[to] = c->window.strides[i];
    c->w.dilation[to] = c->window.dilation[i];
    c->w.low[to] = c->window.padding[2 * i];
    c->w.out[to] = y->dims[c->dims.output_spatial.data[i]];
  }
  c->given = edge_given_scales(r, ten_op_operand(op, 1), c->dims.kernel_output_feature);
  c->groups = ten_op_int(op, "feature_group_count", 1);
  c->channels = x->dims[c->dims.input_feature];
  c->features = k->dims[c->dims.kernel_output_feature];
  c->depthwise = c->groups > 1 && c->groups == c->channels;
  if (!ten_type_count(x) || !ten_type_count(y) || !ten_type_count(k)) return "no elements";
  return edge_window_problem(&c->w);
}

/* The kernel as TFLite stores it: [out, height, width, in], of a depthwise one [1, height, width, out]. */
static uint32_t conv_kernel(recogniser *r, const conv *c, ten_str name) {
  const ten_tensor *k = c->kernel;
  int64_t steps[EDGE_RANK] = {0}, step = 1;
  for (uint32_t i = k->rank; i-- > 0;) steps[i] = step, step *= k->dims[i];
  const int64_t in = k->dims[c->dims.kernel_input_feature], height = c->w.size[0], width = c->w.size[1];
  const uint32_t spatial = c->in.spatial_count;
  const int64_t row = spatial == 2 ? steps[c->dims.kernel_spatial.data[0]] : 0,
                column = steps[c->dims.kernel_spatial.data[spatial - 1]], from = steps[c->dims.kernel_input_feature],
                to = steps[c->dims.kernel_output_feature];
  float *data = ten_arena_new_array(&r->g->arena, float, k->count);
  const float *source = k->data;
  for (int64_t o = 0; o < c->features; o++)
    for (int64_t h = 0; h < height; h++)
      for (int64_t w = 0; w < width; w++)
        for (int64_t i = 0; i < in; i++) {
          const int64_t at = c->depthwise ? (h * width + w) * c->features + o : ((o * height + h) * width + w) * in + i;
          data[at] = source[o * to + h * row + w * column + i * from];
        }
  const int64_t plain[4] = {c->features, height, width, in}, deep[4] = {1, height, width, c->features};
  const uint32_t tensor = edge_constant(r->g, name, 4, c->depthwise ? deep : plain, data);
  edge_at(r->g, tensor)->axis = c->depthwise ? 3 : 0;
  edge_at(r->g, tensor)->given = c->given;
  return tensor;
}

static uint32_t bias_new(recogniser *r, ten_str name, int64_t count, const float *bias) {
  const uint32_t tensor = edge_constant(r->g, name, 1, &count, bias);
  edge_at(r->g, tensor)->dtype = TEN_I32;
  return tensor;
}

ten_status *edge_take_conv(recogniser *r, ten_op *op) {
  edge_graph *g = r->g;
  conv c = {0};
  uint32_t tensor = edge_tensor_of(r, ten_op_operand(op, 0), false, op);
  if (tensor == EDGE_NONE) return NULL;
  const char *problem = conv_read(r, op, &c);
  if (problem) return edge_refuse(r, op, "%s", problem);
  float *bias = ten_arena_new_array(&g->arena, float, c.features);
  edge_activation activation;
  ten_value *end = edge_take_bias(r, &op->results[0], c.dims.output_feature, bias);
  end = edge_take_activation(r, end, &activation);
  const ten_str name = edge_name_of(op);
  tensor = edge_to_image(g, tensor, &c.in, op->loc);
  const int64_t batch = edge_get(g, tensor)->dims[0];
  const bool same = edge_pad_image(g, &tensor, &c.w, EDGE_PAD, true, op->loc);
  const uint32_t inputs[] = {tensor, conv_kernel(r, &c, name), bias_new(r, name, c.features, bias)};
  const uint32_t output = edge_image_new(g, name, batch, &c.w, c.features);
  edge_node *node = edge_node_add(g, c.depthwise ? EDGE_DEPTHWISE_CONV_2D : EDGE_CONV_2D, 3, inputs, output, op->loc);
  node->same = same;
  node->activation = activation;
  memcpy(node->stride, c.w.stride, sizeof node->stride);
  memcpy(node->dilation, c.w.dilation, sizeof node->dilation);
  edge_at(g, output)->nonnegative = activation != EDGE_LINEAR;
  edge_set(r, end, edge_from_image(g, output, &c.out, op->loc));
  return NULL;
}

/* The matrix [out, in] behind the right side of a matmul. */
static const float *dense_weights(recogniser *r, const ten_tensor *k, int64_t contract, int64_t *out_features) {
  const int64_t in = k->dims[contract], out = (int64_t)k->count / in, step = contract == 0 ? k->count / (size_t)in : 1;
  float *data = ten_arena_new_array(&r->g->arena, float, k->count);
  const float *source = k->data;
  for (int64_t o = 0; o < out; o++)
    for (int64_t i = 0; i < in; i++) data[o * in + i] = source[contract == 0 ? i * step + o : o * in + i];
  *out_features = out;
  return data;
}

/* What is flattened before a matmul stays as it is stored: the columns of the weights change places instead. The tensor
 * as rows, or EDGE_NONE: it is no such thing. */
static uint32_t take_flattened(recogniser *r, const ten_op *op, int64_t features, const float **weights) {
  const ten_op *flatten = ten_op_operand(op, 0)->op;
  if (!flatten || flatten->code != TEN_OP_RESHAPE) return EDGE_NONE;
  const ten_type *from = ten_op_operand(flatten, 0)->type, *to = flatten->results[0].type;
  if (to->rank != 2 || from->rank < 3 || from->rank > EDGE_RANK || from->dims[0] != to->dims[0]) return EDGE_NONE;
  const uint32_t tensor = edge_tensor_of(r, ten_op_operand(flatten, 0), true, op);
  if (tensor == EDGE_NONE) return EDGE_NONE;
  const edge_tensor t = *edge_get(r->g, tensor);
  if (t.order[0] != 0 || edge_tensor_count(&t) != ten_type_count(from)) return EDGE_NONE;
  int64_t steps[EDGE_RANK] = {0}, step = 1, at[EDGE_RANK] = {0};
  for (uint32_t i = from->rank; i-- > 1;) steps[i] = step, step *= from->dims[i];
  float *moved = ten_arena_new_array(&r->g->arena, float, features *step);
  for (int64_t k = 0; k < step; k++) {
    int64_t column = 0;
    for (uint32_t i = 1; i < t.rank; i++) column += at[i] * steps[t.order[i]];
    for (int64_t f = 0; f < features; f++) moved[f * step + k] = (*weights)[f * step + column];
    for (uint32_t i = t.rank; i-- > 1;) {
      if (++at[i] < t.dims[i]) break;
      at[i] = 0;
    }
  }
  *weights = moved;
  return edge_reshape(r->g, tensor, 2, to->dims, NULL, op->loc);
}

ten_status *edge_take_dot(recogniser *r, ten_op *op) {
  edge_graph *g = r->g;
  const ten_value *x = ten_op_operand(op, 0), *y = ten_op_operand(op, 1);
  const ten_tensor *k = edge_known(r, y);
  const ten_dot_dims dims = ten_dot_dims_of(ten_op_attr(op, "dot_dimension_numbers"));
  uint32_t tensor = edge_tensor_of(r, x, false, op);
  if (tensor == EDGE_NONE)
    return k || edge_known(r, x) ? edge_refuse(r, op, "a constant on the left of a matmul") : NULL;
  if (!k) return edge_refuse(r, op, "a matmul of two values; the right side has to be constant");
  if (k->dtype != TEN_F32 || k->rank != 2 || !k->count || dims.lhs_batch.count || dims.lhs_contract.count != 1)
    return edge_refuse(r, op, "a matmul with other weights than one matrix");
  const int64_t along = dims.lhs_contract.data[0];
  int64_t features, rows = 1;
  const float *weights = dense_weights(r, k, dims.rhs_contract.data[0], &features);
  uint8_t order[EDGE_RANK];
  uint32_t count = 0;
  for (uint32_t i = 0; i < x->type->rank; i++)
    if (i != along) order[count++] = (uint8_t)i, rows *= x->type->dims[i];
  order[count] = (uint8_t)along;
  const int64_t in = k->dims[dims.rhs_contract.data[0]], flat[2] = {rows, in}, made[2] = {rows, features};
  const uint32_t flattened = along == 1 ? take_flattened(r, op, features, &weights) : EDGE_NONE;
  if (flattened != EDGE_NONE)
    tensor = flattened;
  else
    tensor = edge_reshape(g, edge_arrange(g, tensor, order, op->loc), 2, flat, NULL, op->loc);
  float *bias = ten_arena_new_array(&g->arena, float, features);
  edge_activation activation;
  ten_value *end = edge_take_bias(r, &op->results[0], (int64_t)op->results[0].type->rank - 1, bias);
  end = edge_take_activation(r, end, &activation);
  const ten_str name = edge_name_of(op);
  const int64_t shape[2] = {features, in};
  const uint32_t kernel = edge_constant(g, name, 2, shape, weights),
                 inputs[] = {tensor, kernel, bias_new(r, name, features, bias)};
  edge_at(g, kernel)->given = edge_given_scales(r, y, 1 - dims.rhs_contract.data[0]);
  const uint32_t output = edge_tensor_add(g, name, 2, made, NULL);
  edge_node_add(g, EDGE_FULLY_CONNECTED, 3, inputs, output, op->loc)->activation = activation;
  edge_at(g, output)->nonnegative = activation != EDGE_LINEAR;
  edge_set(r, end, edge_reshape(g, output, op->results[0].type->rank, op->results[0].type->dims, NULL, op->loc));
  return NULL;
}
