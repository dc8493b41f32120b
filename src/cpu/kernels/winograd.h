/* winograd.h: 3×3 convolutions of stride 1 in fewer multiplications. F(4,3) does 36 products for 16 outputs (144 by the
 * definition); its error is some ten times that of the direct sum, bounded and documented; F(2,3) does 16 for 4 with a
 * smaller one. */
#ifndef TEN_CPU_KERNELS_WINOGRAD_H
#define TEN_CPU_KERNELS_WINOGRAD_H

#include "cpu/kernels/gemm.h"

void TEN_K(winograd_pack)(const ten_conv2d *conv, ten_conv_algorithm algorithm, const float *kernel,
                          const int64_t strides[4], int64_t begin, int64_t end, float *packed);
size_t TEN_K(winograd_scratch)(const ten_conv2d *conv);
void TEN_K(winograd_run)(const ten_conv2d *conv, ten_pool *pool);

#endif
