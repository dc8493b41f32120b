/* multiplier.h: TFLite's fixed-point factors: real = multiplier / 2^31 · 2^shift; its places between pixels. */
#ifndef TEN_EDGE_MULTIPLIER_H
#define TEN_EDGE_MULTIPLIER_H

#include "edge/graph.h"

typedef struct edge_factor {
  int32_t multiplier; /* 2^30 to 2^31 - 1, or 0 */
  int shift;
} edge_factor;

edge_factor edge_factor_of(double real);
/* The scale and zero point for elements from low to high, of which 0 is one. */
void edge_range_scale(float low, float high, float *out_scale, int32_t *out_zero_point);
/* The integer that stands for a real number. */
int32_t edge_quantized(double real, double scale, int32_t zero_point, int32_t low, int32_t high);
/* The integers between which an activation leaves a tensor. */
void edge_activation_range(const edge_tensor *t, edge_activation activation, int32_t *out_low, int32_t *out_high);

/* Where LiteRT's integer kernel takes an interpolated pixel from: 1024 - part of pixel `low` and part of `high`. */
typedef struct edge_place {
  int32_t low, high, part;
} edge_place;
edge_place edge_linear_place(int64_t to, int64_t in, int64_t out, bool corners);
/* Whether all these places are inside the image and at most a quarter of a pixel from the exact ones: the integer step
 * is rounded, which adds up in large results. */
bool edge_linear_fits(int64_t in, int64_t out, bool corners);

#endif
