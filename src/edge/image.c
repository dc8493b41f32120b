/* image.c: values as images with their channels last, and the padding of windows in TFLite's two words. */
#include "edge/image.h"

uint32_t edge_to_image(edge_graph *g, uint32_t tensor, const edge_image *image, const ten_loc *loc) {
  uint8_t order[EDGE_RANK] = {image->batch};
  for (uint32_t i = 0; i < image->spatial_count; i++) order[1 + i] = image->spatial[i];
  order[1 + image->spatial_count] = image->channel;
  tensor = edge_arrange(g, tensor, order, loc);
  if (image->spatial_count == 2) return tensor;
  const int64_t *dims = edge_get(g, tensor)->dims, wide[4] = {dims[0], 1, dims[1], dims[2]};
  return edge_reshape(g, tensor, 4, wide, NULL, loc);
}

uint32_t edge_image_new(edge_graph *g, ten_str name, int64_t batch, const edge_window *window, int64_t channels) {
  const int64_t dims[4] = {batch, window->out[0], window->out[1], channels};
  return edge_tensor_add(g, name, 4, dims, NULL);
}

uint32_t edge_from_image(edge_graph *g, uint32_t tensor, const edge_image *image, const ten_loc *loc) {
  uint8_t order[EDGE_RANK] = {image->batch};
  for (uint32_t i = 0; i < image->spatial_count; i++) order[1 + i] = image->spatial[i];
  order[1 + image->spatial_count] = image->channel;
  if (image->spatial_count == 2) {
    memcpy(edge_at(g, tensor)->order, order, 4);
    return tensor;
  }
  const int64_t *dims = edge_get(g, tensor)->dims, flat[3] = {dims[0], dims[2], dims[3]};
  return edge_reshape(g, tensor, 3, flat, order, loc);
}

const char *edge_window_problem(const edge_window *w) {
  for (int i = 0; i < 2; i++) {
    const int64_t sizes[] = {w->size[i], w->stride[i], w->dilation[i]};
    bool fits = w->low[i] >= 0 && w->low[i] <= EDGE_WINDOW_MOST;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) fits &= sizes[k] > 0 && sizes[k] <= EDGE_WINDOW_MOST;
    if (!fits) return "a window whose size, stride, dilation or padding is above 32767, or negative";
  }
  return NULL;
}

static int64_t reach(const edge_window *w, int i) { return (w->size[i] - 1) * w->dilation[i] + 1; }

static bool dim_is_same(const edge_window *w, int i) {
  const int64_t out = (w->in[i] + w->stride[i] - 1) / w->stride[i];
  int64_t total = (out - 1) * w->stride[i] + reach(w, i) - w->in[i];
  if (total < 0) total = 0;
  return w->out[i] == out && w->low[i] == total / 2;
}

static bool dim_is_valid(const edge_window *w, int i) {
  return w->low[i] == 0 && w->in[i] >= reach(w, i) && w->out[i] == (w->in[i] - reach(w, i)) / w->stride[i] + 1;
}

bool edge_pad_image(edge_graph *g, uint32_t *tensor, const edge_window *w, edge_kind kind, bool may_same,
                    const ten_loc *loc) {
  if (dim_is_valid(w, 0) && dim_is_valid(w, 1)) return false;
  if (may_same && dim_is_same(w, 0) && dim_is_same(w, 1)) return true;
  int64_t pads[8] = {0}, dims[4];
  memcpy(dims, edge_get(g, *tensor)->dims, sizeof dims);
  for (int i = 0; i < 2; i++) {
    const int64_t high = (w->out[i] - 1) * w->stride[i] + reach(w, i) - w->in[i] - w->low[i];
    pads[2 * (i + 1)] = w->low[i];
    pads[2 * (i + 1) + 1] = high > 0 ? high : 0;
    dims[i + 1] += pads[2 * (i + 1)] + pads[2 * (i + 1) + 1];
  }
  const uint32_t from = *tensor;
  *tensor = edge_tensor_add(g, edge_get(g, from)->name, 4, dims, NULL);
  edge_node_list(g, edge_node_add(g, kind, 1, &from, *tensor, loc), 8, pads);
  return false;
}
