/* cuda_map.c: makes tensor maps by cuTensorMapEncodeTiled, and by cuTensorMapEncodeIm2col for convolutions' inputs.
 * What is outside of the tensor is read as zero. */
#include "backend/simt/cuda_map.h"

#include <dlfcn.h>

enum { TYPE_U16 = 1, TYPE_F32 = 7, NOT_INTERLEAVED = 0, SWIZZLE_128 = 3, PROMOTION_256 = 3, ZEROS = 0 };
enum { NOT_SUPPORTED = 801 };

static struct {
  int (*tiled)(cuda_tensor_map *, int, uint32_t, uint64_t, const uint64_t *, const uint64_t *, const uint32_t *,
               const uint32_t *, int, int, int, int);
  int (*im2col)(cuda_tensor_map *, int, uint32_t, uint64_t, const uint64_t *, const uint64_t *, const int *,
                const int *, uint32_t, uint32_t, const uint32_t *, int, int, int, int);
} encode;

void cuda_map_load(void *library) {
  *(void **)&encode.tiled = dlsym(library, "cuTensorMapEncodeTiled");
  *(void **)&encode.im2col = dlsym(library, "cuTensorMapEncodeIm2col");
}

int cuda_map_encode(const simt_map *map, simt_memory memory, cuda_tensor_map *out) {
  uint64_t dims[SIMT_MAP_RANK], strides[SIMT_MAP_RANK]; /* of the first dimension there is no stride */
  uint32_t box[SIMT_MAP_RANK], steps[SIMT_MAP_RANK];
  for (uint32_t i = 0; i < map->rank; i++) {
    dims[i] = (uint64_t)map->dims[i];
    if (i) strides[i - 1] = (uint64_t)map->strides[i];
    box[i] = (uint32_t)map->box[i];
    steps[i] = map->window ? (uint32_t)map->steps[i] : 1;
  }
  if (!encode.tiled || !encode.im2col) return NOT_SUPPORTED;
  const int type = map->bytes == 2 ? TYPE_U16 : TYPE_F32;
  const uint64_t at = memory + (uint64_t)map->offset;
  if (map->window)
    return encode.im2col(out, type, map->rank, at, dims, strides, map->low, map->high, box[0], box[1], steps,
                         NOT_INTERLEAVED, SWIZZLE_128, PROMOTION_256, ZEROS);
  return encode.tiled(out, type, map->rank, at, dims, strides, box, steps, NOT_INTERLEAVED, SWIZZLE_128, PROMOTION_256,
                      ZEROS);
}
