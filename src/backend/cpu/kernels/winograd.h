/* winograd.h: 3×3 convolutions of stride 1 with fewer multiplications. F(4,3) needs 36 for 16 outputs (144 by the
 * definition); its error is some ten times that of the direct sum, bounded and documented; F(2,3) needs 16 for 4 with a
 * smaller one. */
#ifndef TEN_CPU_KERNELS_WINOGRAD_H
#define TEN_CPU_KERNELS_WINOGRAD_H

#include <string.h>

#include "backend/cpu/kernels/gemm.h"

void TEN_K(winograd_pack)(const ten_conv2d *conv, ten_conv_algorithm algorithm, const float *kernel,
                          const int64_t strides[4], int64_t begin, int64_t end, float *packed);
size_t TEN_K(winograd_scratch)(const ten_conv2d *conv, unsigned threads);
void TEN_K(winograd_run)(const ten_conv2d *conv, ten_pool *pool);

/* The kernel gradient, by F(3,4): the same points, so the same transform of the input. */
size_t TEN_K(winograd_wgrad_scratch)(const ten_wgrad2d *w, unsigned threads);
void TEN_K(winograd_wgrad_run)(const ten_wgrad2d *w, ten_pool *pool);

/* One dimension of the input transform, in place at the given step; α = 6. */
ALWAYS_INLINE void winograd_input_6(vf *d, int step) {
  const vf d0 = d[0], d1 = d[step], d2 = d[2 * step], d3 = d[3 * step], d4 = d[4 * step], d5 = d[5 * step];
  const vf even = d4 - 4.0f * d2, odd = d3 - 4.0f * d1, even2 = d4 - d2, odd2 = 2.0f * (d3 - d1);
  d[0] = 4.0f * d0 - 5.0f * d2 + d4;
  d[step] = even + odd;
  d[2 * step] = even - odd;
  d[3 * step] = even2 + odd2;
  d[4 * step] = even2 - odd2;
  d[5 * step] = 4.0f * d1 - 5.0f * d3 + d5;
}

/* Loads the available of VL values, then zeros. */
ALWAYS_INLINE vf winograd_load(const float *at, int64_t count) {
  if (count >= VL) return vload(at);
  _Alignas(64) float part[VL] = {0};
  memcpy(part, at, (size_t)count * sizeof(float));
  return vload(part);
}

#endif
