/* cuda_map.h: CUDA's tensor maps, which kernels get as parameters. */
#ifndef TEN_SIMT_CUDA_MAP_H
#define TEN_SIMT_CUDA_MAP_H

#include "backend/simt/device.h"

/* CUtensorMap */
typedef struct cuda_tensor_map {
  uint64_t words[16];
} __attribute__((aligned(64))) cuda_tensor_map;

/* Looks the driver's functions up, which one before CUDA 12 lacks. */
void cuda_map_load(void *library);
/* The map of what lies at `memory`, the parameter; a CUDA error number, 0: none. */
int cuda_map_encode(const simt_map *map, simt_memory memory, cuda_tensor_map *out);

#endif
