/* group_block.h: a convolution of groups of several channels along rows of the output: blocks of adjacent pixels by
 * columns of one group, as many sums as registers hold. Pixels at the ends of a row are computed with the others: taps
 * out of bounds read zeros. An element is summed in the order of the taps, whatever the blocks. */
#ifndef TEN_CPU_KERNELS_GROUP_BLOCK_H
#define TEN_CPU_KERNELS_GROUP_BLOCK_H

#include "backend/cpu/kernels/gemm.h"

enum {
  BLOCK_PIXELS = 6,
  BLOCK_FEWER = 4, /* where three vectors of columns are left */
  BLOCK_LONG = 48, /* pixels: the ends of longer rows are few */
  BLOCK_INPUTS_LEAST = 8,
  BLOCK_INPUTS = 256
};

typedef struct group_row {
  const ten_conv2d *c;
  const float *x; /* the image */
  float *y;       /* the row */
  int64_t oh, inputs, outputs, vectors;
} group_row;

/* Whether the last three vectors of columns are computed together: one alone would have too few sums. */
static inline bool block_three(int64_t vectors) { return vectors > 1 && vectors % 2; }

static inline bool block_can(const ten_conv2d *c) {
  const int64_t inputs = c->ci / c->groups;
  if (c->spread_h > 1 || c->spread_w > 1 || c->ow < BLOCK_FEWER) return false;
  if (inputs < BLOCK_INPUTS_LEAST || inputs > BLOCK_INPUTS) return false;
  return c->ow < BLOCK_LONG || block_three(blocks(c->co / c->groups, VL));
}

/* P pixels from `pixel` on, V vectors of a group's columns. */
ALWAYS_INLINE void block_tile(const group_row *r, int64_t pixel, int64_t group, int64_t column, const int P,
                              const int V) {
  static const float zeros[BLOCK_INPUTS];
  const ten_conv2d *c = r->c;
  const int64_t padded = r->vectors * VL;
  const float *kernel = c->kernel + group * c->kh * c->kw * r->inputs * padded + column;
  vf sums[BLOCK_PIXELS][3];
#pragma GCC unroll 8
  for (int p = 0; p < P; p++)
#pragma GCC unroll 4
    for (int v = 0; v < V; v++) sums[p][v] = (vf){0};
  for (int64_t kh = 0; kh < c->kh; kh++) {
    const int64_t h = r->oh * c->stride_h + kh * c->dilation_h - c->pad_top;
    if (h < 0 || h >= c->h) continue;
    for (int64_t kw = 0; kw < c->kw; kw++) {
      const int64_t first = pixel * c->stride_w + kw * c->dilation_w - c->pad_left;
      const bool inside = first >= 0 && first + (P - 1) * c->stride_w < c->w;
      const float *x[BLOCK_PIXELS], *k = kernel + (kh * c->kw + kw) * r->inputs * padded,
                                    *from = r->x + (h * c->w + first) * c->ci + group * r->inputs;
#pragma GCC unroll 8
      for (int p = 0; p < P; p++, from += c->stride_w * c->ci) {
        x[p] = from;
        if (!inside && (uint64_t)(first + p * c->stride_w) >= (uint64_t)c->w) x[p] = zeros;
      }
      for (int64_t i = 0; i < r->inputs; i++, k += padded) {
        vf by[3];
#pragma GCC unroll 4
        for (int v = 0; v < V; v++) by[v] = vload(k + v * VL);
#pragma GCC unroll 8
        for (int p = 0; p < P; p++) {
          const vf number = vsplat(x[p][i]);
#pragma GCC unroll 4
          for (int v = 0; v < V; v++) sums[p][v] += by[v] * number;
        }
      }
    }
  }
#pragma GCC unroll 8
  for (int p = 0; p < P; p++)
#pragma GCC unroll 4
    for (int v = 0; v < V; v++) {
      float *to = r->y + (pixel + p) * c->co + group * r->outputs + column + v * VL;
      const int64_t left = r->outputs - column - v * VL;
      if (left >= VL)
        vstore(to, sums[p][v]);
      else
        memcpy(to, &sums[p][v], (size_t)left * sizeof *to);
    }
}

#define BLOCK_TILE(P, V)                                                                  \
  static void block_tile_##P##_##V(const group_row *r, int64_t j, int64_t g, int64_t n) { \
    block_tile(r, j, g, n, P, V);                                                         \
  }
BLOCK_TILE(4, 1)
BLOCK_TILE(5, 1)
BLOCK_TILE(6, 1)
BLOCK_TILE(4, 2)
BLOCK_TILE(5, 2)
BLOCK_TILE(6, 2)
BLOCK_TILE(4, 3)

/* One row: evenly sized blocks of pixels, the last of which may compute some again. */
static void block_row_run(const group_row *r) {
  typedef void tile_function(const group_row *, int64_t, int64_t, int64_t);
  static tile_function *const tiles[3][BLOCK_PIXELS - BLOCK_FEWER + 1] = {
      {block_tile_4_1, block_tile_5_1, block_tile_6_1},
      {block_tile_4_2, block_tile_5_2, block_tile_6_2},
      {block_tile_4_3}};
  const int64_t ow = r->c->ow;
  const bool three = block_three(r->vectors);
  const int64_t count = blocks(ow, three ? BLOCK_FEWER : BLOCK_PIXELS), even = blocks(ow, count),
                per = even < BLOCK_FEWER ? BLOCK_FEWER : even;
  for (int64_t j = 0; j < ow; j += per)
    for (int64_t group = 0; group < r->c->groups; group++)
      for (int64_t v = 0, some; v < r->vectors; v += some) {
        some = three && r->vectors - v == 3 ? 3 : r->vectors - v > 1 ? 2 : 1;
        tiles[some - 1][per - BLOCK_FEWER](r, j + per <= ow ? j : ow - per, group, v * VL);
      }
}

#endif
