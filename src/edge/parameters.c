/* parameters.c: ranges become scales and zero points, constants become integers.
 *
 * Activations have one scale and one zero point a tensor; tensors that an op only moves share them. Weights are
 * symmetric, -127 to 127, with a scale for each output channel of a convolution; biases are i32 at the product of both
 * scales. Rounding weights moves the mean of what a layer gives: the bias takes that back (bias correction), by the
 * means of the layer's inputs that calibration saw. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "edge/edge.h"
#include "edge/multiplier.h"

enum { WEIGHT_MOST = 127 };

static const float *one_scale(edge_graph *g, float scale) { return ten_arena_copy(&g->arena, &scale, sizeof scale); }

/* The op decides: results of a softmax and a logistic are 0 to 1, of a tanh -1 to 1. */
static void fix_scales(edge_graph *g) {
  for (size_t i = 0; i < g->nodes.count; i++) {
    const edge_node *n = &g->nodes.data[i];
    edge_tensor *root = edge_at(g, edge_tie_of(g, n->output));
    if (n->kind == EDGE_TANH) root->scales = one_scale(g, 1.0f / 128), root->zero_point = 0;
    if (n->kind == EDGE_SOFTMAX || n->kind == EDGE_LOGISTIC)
      root->scales = one_scale(g, 1.0f / 256), root->zero_point = EDGE_LOW;
  }
}

static ten_status *activation_scales(edge_graph *g) {
  fix_scales(g);
  for (size_t i = 0; i < g->tensors.count; i++) { /* the range of a tie is that of all its tensors */
    const edge_tensor t = *edge_get(g, (uint32_t)i);
    edge_tensor *root = edge_at(g, edge_tie_of(g, (uint32_t)i));
    if (t.real || t.low > t.high) continue;
    if (root->low > root->high) root->low = t.low, root->high = t.high;
    if (t.low < root->low) root->low = t.low;
    if (t.high > root->high) root->high = t.high;
  }
  for (size_t i = 0; i < g->tensors.count; i++) {
    edge_tensor *t = edge_at(g, (uint32_t)i), *root = edge_at(g, edge_tie_of(g, (uint32_t)i));
    if (t->real || t->dtype != TEN_I8) continue;
    if (!root->scales && root->low <= root->high) {
      float scale;
      edge_range_scale(root->low, root->high, &scale, &root->zero_point);
      root->scales = one_scale(g, scale);
    }
    t->scales = root->scales, t->zero_point = root->zero_point, t->scale_count = root->scales ? 1 : 0;
    root->scale_count = t->scale_count;
  }
  for (size_t i = 0; i < g->inputs.count; i++) {
    const edge_tensor *t = edge_get(g, g->inputs.data[i]);
    if (t->dtype == TEN_I8 && !t->scales)
      return ten_error(TEN_INVALID, "no range is known of input '%.*s': --data gives samples", TEN_FMT(t->name));
  }
  for (size_t i = 0; i < g->nodes.count; i++) {
    const edge_tensor *t = edge_get(g, g->nodes.data[i].output);
    if (t->dtype == TEN_I8 && !t->scales)
      return ten_error(TEN_INVALID, "no range is known of '%.*s' (%s): --data gives samples", TEN_FMT(t->name),
                       edge_op_infos[g->nodes.data[i].kind].builtin);
  }
  return NULL;
}

/* A constant of an elementwise op. */
static ten_status *quantize_literal(edge_graph *g, edge_tensor *t) {
  const int64_t count = edge_tensor_count(t);
  float low = 0, high = 0, scale;
  for (int64_t i = 0; i < count; i++) {
    if (!isfinite(t->real[i])) return ten_error(TEN_INVALID, "a constant of '%.*s' is not finite", TEN_FMT(t->name));
    low = fminf(low, t->real[i]), high = fmaxf(high, t->real[i]);
  }
  edge_range_scale(low, high, &scale, &t->zero_point);
  int8_t *data = ten_arena_alloc(&g->arena, (size_t)count);
  for (int64_t i = 0; i < count; i++)
    data[i] = (int8_t)edge_quantized((double)t->real[i], (double)scale, t->zero_point, EDGE_LOW, EDGE_HIGH);
  t->data = data, t->scales = one_scale(g, scale), t->scale_count = 1;
  return NULL;
}

/* Means of the channels of a layer's input, looked for before what only pads or reshapes it. */
static const double *input_means(const edge_graph *g, uint32_t tensor, int64_t *channels) {
  *channels = edge_get(g, tensor)->dims[edge_get(g, tensor)->rank - 1];
  for (;;) {
    const edge_tensor *t = edge_get(g, tensor);
    const int64_t last = t->rank ? t->dims[t->rank - 1] : 1;
    if (*channels % last) return NULL;
    *channels = last; /* of a flattened image the channels come again and again */
    if (t->means) return t->means;
    const edge_node *from = NULL;
    for (size_t i = 0; i < g->nodes.count && !from; i++)
      if (g->nodes.data[i].output == tensor) from = &g->nodes.data[i];
    if (!from || (from->kind != EDGE_PAD && from->kind != EDGE_RESHAPE)) return NULL;
    tensor = from->inputs[0];
  }
}

typedef struct layer {
  edge_tensor *x, *w, *b, *y;
  int64_t features, taps; /* weights of one feature */
  bool deep;
} layer;

static int64_t weight_at(const layer *l, int64_t feature, int64_t tap) {
  return l->deep ? tap * l->features + feature : feature * l->taps + tap;
}

/* Which of `channels` means belongs to a tap: groups of features see groups of channels, and of a flattened image the
 * channels come again and again. */
static int64_t input_channel(const layer *l, int64_t feature, int64_t tap, int64_t channels) {
  if (l->deep) return feature / (l->features / channels);
  const int64_t seen = l->w->dims[l->w->rank - 1], all = l->x->dims[l->x->rank - 1];
  if (seen >= all) return tap % channels;
  return feature / (l->features / (all / seen)) * seen + tap % seen;
}

static ten_status *check_finite(const edge_tensor *t) {
  const int64_t count = edge_tensor_count(t);
  for (int64_t i = 0; i < count; i++)
    if (!isfinite(t->real[i]))
      return ten_error(TEN_INVALID, "a weight of '%.*s' is %g; weights have to be finite", TEN_FMT(t->name),
                       (double)t->real[i]);
  return NULL;
}

/* One scale for each feature, or the largest for all. Small enough for precision, large enough for the bias to fit and
 * for TFLite's factors to be in their range. */
static float *weight_scales(edge_graph *g, const layer *l, bool each) {
  if (l->w->given) return ten_arena_copy(&g->arena, l->w->given, (size_t)l->features * sizeof(float));
  const double in = (double)l->x->scales[0], out = (double)l->y->scales[0];
  float *scales = ten_arena_new_array(&g->arena, float, l->features);
  float largest = 0;
  for (int64_t f = 0; f < l->features; f++) {
    double most = 0;
    for (int64_t t = 0; t < l->taps; t++) most = fmax(most, fabs((double)l->w->real[weight_at(l, f, t)]));
    const double bias = fabs((double)l->b->real[f]) / in / (1 << 30), least = fmax(out / in / (1 << 24), FLT_MIN);
    scales[f] = (float)fmax(most / (double)WEIGHT_MOST, fmax(bias, least));
    largest = fmaxf(largest, scales[f]);
  }
  for (int64_t f = 0; f < l->features && !each; f++) scales[f] = largest;
  return scales;
}

static ten_status *quantize_layer(edge_graph *g, const edge_node *n, const edge_options *options) {
  layer l = {.x = edge_at(g, n->inputs[0]),
             .w = edge_at(g, n->inputs[1]),
             .b = edge_at(g, n->inputs[2]),
             .y = edge_at(g, n->output)};
  l.deep = n->kind == EDGE_DEPTHWISE_CONV_2D;
  l.features = l.b->dims[0], l.taps = edge_tensor_count(l.w) / l.features;
  TEN_TRY(check_finite(l.w));
  TEN_TRY(check_finite(l.b));
  bool each = n->kind != EDGE_FULLY_CONNECTED || options->dense_per_channel;
  for (int64_t f = 1; l.w->given && f < l.features; f++) each |= l.w->given[f] != l.w->given[0];
  float *scales = weight_scales(g, &l, each), *bias_scales = ten_arena_new_array(&g->arena, float, l.features);
  int64_t channels;
  const double *means = input_means(g, n->inputs[0], &channels);
  if (options->no_bias_correction) means = NULL;
  int8_t *weights = ten_arena_alloc(&g->arena, (size_t)(l.features * l.taps));
  int32_t *bias = ten_arena_new_array(&g->arena, int32_t, l.features);
  for (int64_t f = 0; f < l.features; f++) {
    const double scale = (double)scales[f];
    double moved = 0;
    for (int64_t t = 0; t < l.taps; t++) {
      const int64_t at = weight_at(&l, f, t), channel = input_channel(&l, f, t, channels);
      weights[at] = (int8_t)edge_quantized((double)l.w->real[at], scale, 0, -WEIGHT_MOST, WEIGHT_MOST);
      if (means) moved += ((double)l.w->real[at] - scale * weights[at]) * means[channel];
    }
    bias_scales[f] = l.x->scales[0] * scales[f];
    bias[f] = edge_quantized((double)l.b->real[f] + moved, (double)bias_scales[f], 0, -INT32_MAX, INT32_MAX);
  }
  l.w->data = weights, l.w->scales = scales, l.w->scale_count = each ? (size_t)l.features : 1;
  l.w->axis = l.deep ? 3 : 0;
  l.b->data = bias, l.b->scales = bias_scales, l.b->scale_count = l.w->scale_count;
  return NULL;
}

ten_status *edge_parameters(edge_graph *g, const edge_options *options) {
  TEN_TRY(activation_scales(g));
  for (size_t i = 0; i < g->nodes.count; i++) {
    const edge_node *n = &g->nodes.data[i];
    if (n->kind == EDGE_CONV_2D || n->kind == EDGE_DEPTHWISE_CONV_2D || n->kind == EDGE_FULLY_CONNECTED) {
      TEN_TRY(quantize_layer(g, n, options));
      continue;
    }
    for (uint32_t k = 0; k < n->input_count; k++) {
      edge_tensor *t = edge_at(g, n->inputs[k]);
      if (t->real && !t->data) TEN_TRY(quantize_literal(g, t));
    }
  }
  return NULL;
}
