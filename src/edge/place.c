/* place.c: which ops the Edge TPU's compiler maps to it, by its published list (runtime 14): all tensors int8 and of at
 * most three dimensions larger than 1, and what each op asks for. The first op that it does not map ends the part that
 * runs there. */
#include "edge/graph.h"

enum { SOFTMAX_MOST = 16000 };

/* At most the three innermost dimensions are larger than 1. */
static bool is_deep(const edge_tensor *t) {
  for (uint32_t i = 0; i + 3 < t->rank; i++)
    if (t->dims[i] != 1) return true;
  return false;
}

static const char *reduction_reason(const edge_graph *g, const edge_node *n) {
  const edge_tensor *x = edge_get(g, n->inputs[0]);
  for (uint32_t i = 0; i < n->list_count; i++) {
    if (n->list[i] == 0 && x->rank == 4) return "it reduces the batch";
    if (n->list[i] == (int32_t)x->rank - 1 && x->dims[n->list[i]] % 4)
      return "it reduces channels that are no multiple of 4";
  }
  return NULL;
}

const char *edge_cpu_reason(const edge_graph *g, const edge_node *n) {
  const edge_tensor *x = edge_get(g, n->inputs[0]), *y = edge_get(g, n->output);
  if (x->dtype == TEN_F32) return "its input is f32 (--io int8 leaves it out)";
  if (y->dtype == TEN_F32) return "its result is f32 (--io int8 leaves it out)";
  for (uint32_t i = 0; i < n->input_count; i++)
    if (!edge_get(g, n->inputs[i])->data && is_deep(edge_get(g, n->inputs[i]))) return "a batch larger than 1";
  if (is_deep(y)) return "a batch larger than 1";
  switch (n->kind) {
    case EDGE_CONV_2D:
      if (edge_get(g, n->inputs[1])->dims[3] != x->dims[3]) return "groups of channels";
      return n->dilation[0] == n->dilation[1] ? NULL : "height and width have different dilations";
    case EDGE_DEPTHWISE_CONV_2D:
      return n->dilation[0] == n->dilation[1] ? NULL : "height and width have different dilations";
    case EDGE_FULLY_CONNECTED:
      if (edge_get(g, n->inputs[1])->scale_count > 1)
        return "its weights have a scale for each output (--dense-scales one gives one)";
      return y->dims[0] == 1 ? NULL : "its result has several rows";
    case EDGE_MEAN: return reduction_reason(g, n);
    case EDGE_PAD: return x->rank == 4 && (n->list[0] || n->list[1]) ? "it pads the batch" : NULL;
    case EDGE_LEAKY_RELU: return "the Edge TPU has no leaky ReLU";
    case EDGE_PADV2: return "it pads with something else than 0";
    case EDGE_SOFTMAX:
      if (edge_tensor_count(x) != x->dims[x->rank - 1]) return "it has several rows";
      return edge_tensor_count(x) > SOFTMAX_MOST ? "it has more than 16,000 elements" : NULL;
    default: return NULL;
  }
}
