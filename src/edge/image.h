/* image.h: values as images [batch, height, width, channels], and windows over them. */
#ifndef TEN_EDGE_IMAGE_H
#define TEN_EDGE_IMAGE_H

#include "edge/recognise.h"

/* Which dimension of a value is what; one spatial dimension is a width. */
typedef struct edge_image {
  uint32_t spatial_count; /* 1 or 2 */
  uint8_t batch, spatial[2], channel;
} edge_image;

/* Height, width. */
typedef struct edge_window {
  int64_t in[2], size[2], stride[2], dilation[2], low[2], out[2];
} edge_window;

/* NULL, or what is wrong with the sizes of a window. */
const char *edge_window_problem(const edge_window *window);
/* The tensor stored as an image of four dimensions. */
uint32_t edge_to_image(edge_graph *g, uint32_t tensor, const edge_image *image, const ten_loc *loc);
/* A new tensor for what a node over an image makes: [batch, out…, channels]. */
uint32_t edge_image_new(edge_graph *g, ten_str name, int64_t batch, const edge_window *window, int64_t channels);
/* That tensor as one of the value's rank. */
uint32_t edge_from_image(edge_graph *g, uint32_t tensor, const edge_image *image, const ten_loc *loc);

/* How TFLite pads for the window: SAME, VALID (false), or an op in front that pads and then VALID. `kind` is
 * EDGE_PAD, or EDGE_PADV2 where padding is below everything. `may_same`: what
 * the op computes does not depend on which. Replaces *tensor. */
bool edge_pad_image(edge_graph *g, uint32_t *tensor, const edge_window *window, edge_kind kind, bool may_same,
                    const ten_loc *loc);

#endif
