/* bf16_rows.h: shared by packing and running: conversion to bf16, and the rows formed by a convolution's pixels. */
#ifndef TEN_CPU_KERNELS_BF16_ROWS_H
#define TEN_CPU_KERNELS_BF16_ROWS_H

#include <string.h>

#include "backend/cpu/kernels/bf16.h"
#include "backend/cpu/kernels/gemm.h"

typedef uint16_t oct __attribute__((vector_size(16), aligned(2), may_alias));

ALWAYS_INLINE uint16_t round_bf16(uint32_t bits) {
  const uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? bits >> 16 | 0x40 : rounded);
}

ALWAYS_INLINE uint16_t bf16_at(const void *data, bool narrow, int64_t i) {
  return narrow ? ((const uint16_t *)data)[i] : round_bf16(((const uint32_t *)data)[i]);
}

ALWAYS_INLINE void convert(const void *from, bool narrow, int64_t count, uint16_t *restrict to) {
  if (narrow) {
    memcpy(to, from, (size_t)count * sizeof *to);
    return;
  }
  const uint32_t *restrict bits = from;
  for (int64_t i = 0; i < count; i++) to[i] = round_bf16(bits[i]);
}

ALWAYS_INLINE const void *element(const void *base, bool narrow, int64_t i) {
  return (const char *)base + i * (narrow ? 2 : 4);
}

/* For possibly few elements: a call of memcpy would take longer. */
ALWAYS_INLINE void convert_few(const void *from, bool narrow, int64_t count, uint16_t *restrict to) {
  enum { AT_ONCE = 8, MANY = 16 * AT_ONCE };
  const uint16_t *numbers = from;
  if (!narrow || count >= MANY) {
    convert(from, narrow, count, to);
    return;
  }
  if (count < AT_ONCE) {
    for (int64_t i = 0; i < count; i++) to[i] = numbers[i];
    return;
  }
  for (int64_t i = 0; i + AT_ONCE < count; i += AT_ONCE) *(oct *)(to + i) = *(const oct *)(numbers + i);
  *(oct *)(to + count - AT_ONCE) = *(const oct *)(numbers + count - AT_ONCE);
}

/* One row times ROW_PANELS panels (bf16_portable.c). */
enum { ROW_PANELS = 4 };
void TEN_K(bf16_row)(const uint16_t *a, const int64_t *offsets, int64_t blocks, const uint16_t *b, int64_t panel,
                     float *c);

/* Rows a multiple of this many elements apart conflict in L1 sets: one more cache line avoids that. */
enum { BF16_FAR = 128, BF16_APART = 32 };

enum { IMAGE_CHANNELS = 16 }; /* below: patches */
typedef struct image {
  bool patches;            /* few channels: patches of all pixels are written */
  bool together;           /* few channels: a row of taps is one block of k, in place, with some pixels after it */
  int64_t channels, pixel; /* elements of a pixel; pixel stride */
  int64_t phases_h, phases_w, h, w; /* of one phase */
  int64_t shared;                   /* padding pixels shared by the end of a row and the start of the next */
  int64_t k;                        /* padded */
} image;

/* Where padding k costs less than writing patches: at most 1.4 times the multiply-adds. */
ALWAYS_INLINE image image_of_few(const ten_conv2d *c) {
  const int64_t k = round_up(c->kh * c->kw * c->ci, BF16_K), channels = c->ci <= 4 ? 4 : c->ci <= 8 ? 8 : 16;
  if (c->dilation_w != 1 || c->kw * channels > BF16_K || 5 * c->kh * BF16_K > 7 * k)
    return (image){.patches = true, .k = k};
  const int64_t reach_h = (c->kh - 1) * c->dilation_h;
  return (image){.together = true,
                 .channels = channels,
                 .pixel = channels,
                 .phases_h = reach_h + 1 < c->stride_h ? reach_h + 1 : c->stride_h,
                 .phases_w = 1,
                 .h = c->oh + reach_h / c->stride_h,
                 .w = round_up((c->ow - 1) * c->stride_w + BF16_K / channels, c->stride_w),
                 .k = c->kh * BF16_K};
}

ALWAYS_INLINE image image_of(const ten_conv2d *c) {
  if (c->ci < IMAGE_CHANNELS) return image_of_few(c);
  const int64_t reach_h = (c->kh - 1) * c->dilation_h, reach_w = (c->kw - 1) * c->dilation_w;
  image i = {.channels = round_up(c->ci, BF16_K),
             .phases_h = reach_h + 1 < c->stride_h ? reach_h + 1 : c->stride_h,
             .phases_w = reach_w + 1 < c->stride_w ? reach_w + 1 : c->stride_w,
             .h = c->oh + reach_h / c->stride_h,
             .w = c->ow + reach_w / c->stride_w};
  const int64_t left = c->pad_left, right = i.w - left - c->w, padding = left < right ? left : right;
  if (c->stride_w == 1 && padding > 0) i.shared = padding < reach_w ? padding : reach_w;
  i.w -= i.shared;
  i.pixel = i.channels + (i.channels % BF16_FAR ? 0 : BF16_APART);
  i.k = c->kh * c->kw * i.channels;
  return i;
}

#endif
