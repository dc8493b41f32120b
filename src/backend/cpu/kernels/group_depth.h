/* group_depth.h: a depthwise convolution along rows of the output, for the usual windows: 3, 5 or 7 columns, undilated,
 * of stride 1 or 2. The sums of several adjacent pixels and the taps of a kernel row are in registers, so that an
 * element of the input is loaded once for all the taps that use it, and columns out of bounds are skipped where they
 * would be loaded: pixels at the ends of a row are computed with the others. An element is summed in the order of the
 * taps, as in group.c. */
#ifndef TEN_CPU_KERNELS_GROUP_DEPTH_H
#define TEN_CPU_KERNELS_GROUP_DEPTH_H

#include "backend/cpu/kernels/gemm.h"

enum { DEPTH_PIXELS = 7 /* as many sums as registers hold next to seven taps */, DEPTH_FEWER = 4 };

/* Row oh of one image: x is the image, y the row. */
typedef struct depth_row {
  const ten_conv2d *c;
  const float *x;
  float *y;
  int64_t oh;
} depth_row;

static inline bool depth_can(const ten_conv2d *c) {
  return c->co >= VL && (c->kw == 3 || c->kw == 5 || c->kw == 7) && c->dilation_w == 1 &&
         (c->stride_w == 1 || c->stride_w == 2) && c->spread_h <= 1 && c->spread_w <= 1;
}

/* Adds one row of taps to P pixels of a vector of channels; `from` is the first pixel's first tap, in column `first`;
 * `inside`: all columns are in bounds. */
ALWAYS_INLINE void depth_taps(const ten_conv2d *c, const float *from, int64_t first, const float *kernel,
                              const bool inside, const int KW, const int S, const int P, vf *sums) {
  vf taps[7];
#pragma GCC unroll 8
  for (int k = 0; k < KW; k++) taps[k] = vload(kernel + k * c->co);
#pragma GCC unroll 32
  for (int q = 0; q < (P - 1) * S + KW; q++, from += c->ci) {
    if (!inside && (uint64_t)(first + q) >= (uint64_t)c->w) continue;
    const vf x = vload(from);
#pragma GCC unroll 8
    for (int k = KW - 1; k >= 0; k--)
      if (q >= k && (q - k) % S == 0 && (q - k) / S < P) sums[(q - k) / S] += x * taps[k];
  }
}

/* P pixels of a row from `pixel` on, all channels. */
ALWAYS_INLINE void depth_pixels_of(const depth_row *r, int64_t pixel, const bool inside, const int KW, const int S,
                                   const int P) {
  const ten_conv2d *c = r->c;
  const int64_t first = pixel * S - c->pad_left, top = r->oh * c->stride_h - c->pad_top;
  for (int64_t at = 0; at < c->co; at += VL) { /* the last vector may recompute some channels */
    const int64_t channel = at + VL <= c->co ? at : c->co - VL;
    vf sums[DEPTH_PIXELS];
#pragma GCC unroll 8
    for (int p = 0; p < P; p++) sums[p] = (vf){0};
    for (int64_t kh = 0; kh < c->kh; kh++) {
      const int64_t h = top + kh * c->dilation_h;
      if (h < 0 || h >= c->h) continue;
      depth_taps(c, r->x + ((h * c->w + first) * c->ci + channel), first, c->kernel + kh * KW * c->co + channel, inside,
                 KW, S, P, sums);
    }
    float *to = r->y + pixel * c->co + channel;
#pragma GCC unroll 8
    for (int p = 0; p < P; p++, to += c->co) vstore(to, sums[p]);
  }
}

ALWAYS_INLINE void depth_several(const depth_row *r, int64_t pixel, const int KW, const int S, const int P) {
  const int64_t first = pixel * S - r->c->pad_left;
  if (first >= 0 && first + (P - 1) * S + KW <= r->c->w)
    depth_pixels_of(r, pixel, true, KW, S, P);
  else
    depth_pixels_of(r, pixel, false, KW, S, P);
}

/* The last pixels may be computed twice, where that fills a tile. */
ALWAYS_INLINE void depth_row_of(const depth_row *r, const int KW, const int S) {
  const int64_t ow = r->c->ow;
  int64_t pixel = 0;
  for (; pixel + DEPTH_PIXELS <= ow; pixel += DEPTH_PIXELS) depth_several(r, pixel, KW, S, DEPTH_PIXELS);
  for (; pixel < ow && ow >= DEPTH_FEWER; pixel += DEPTH_FEWER)
    depth_several(r, pixel + DEPTH_FEWER <= ow ? pixel : ow - DEPTH_FEWER, KW, S, DEPTH_FEWER);
  for (; pixel < ow; pixel++) depth_several(r, pixel, KW, S, 1);
}

#define DEPTH_ROW(KW, S) \
  static void depth_row_##KW##_##S(const depth_row *r) { depth_row_of(r, KW, S); }
DEPTH_ROW(3, 1)
DEPTH_ROW(3, 2)
DEPTH_ROW(5, 1)
DEPTH_ROW(5, 2)
DEPTH_ROW(7, 1)
DEPTH_ROW(7, 2)

static void depth_row_run(const depth_row *r) {
  const bool one = r->c->stride_w == 1;
  switch (r->c->kw) {
    case 3: (one ? depth_row_3_1 : depth_row_3_2)(r); return;
    case 5: (one ? depth_row_5_1 : depth_row_5_2)(r); return;
    default: (one ? depth_row_7_1 : depth_row_7_2)(r);
  }
}

#endif
