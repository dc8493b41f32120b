/* group.h: grouped convolutions, one copy per instruction set. */
#ifndef TEN_CPU_KERNELS_GROUP_H
#define TEN_CPU_KERNELS_GROUP_H

#include "backend/cpu/kernels/isa.h"
#include "backend/cpu/kernels/kernels.h"

bool TEN_K(group_can)(const ten_conv2d *c);
int64_t TEN_K(group_packed_size)(const ten_conv2d *c);
int64_t TEN_K(group_pack_units)(const ten_conv2d *c);
void TEN_K(group_pack)(const ten_conv2d *c, const float *kernel, const int64_t strides[4], int64_t begin, int64_t end,
                       float *packed);
void TEN_K(group_run)(const ten_conv2d *c, ten_pool *pool);

/* For depthwise convolutions. */
size_t TEN_K(group_wgrad_scratch)(const ten_wgrad2d *w);
void TEN_K(group_wgrad_run)(const ten_wgrad2d *w, ten_pool *pool);

#endif
