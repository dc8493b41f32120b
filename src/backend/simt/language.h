/* language.h: the kernel languages: a prelude for each that defines the names used by gen.h's text. */
#ifndef TEN_SIMT_LANGUAGE_H
#define TEN_SIMT_LANGUAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum { SIMT_GROUP = 256 }; /* threads of a group */

typedef enum simt_language { SIMT_OPENCL_C, SIMT_CUDA_C, SIMT_HIP_C, SIMT_WGSL /* printed by wgsl.h */ } simt_language;

/* A tensor in memory, of which boxes are copied to shared memory (CUDA's tensor map): a kernel's parameter m0, m1…. */
enum { SIMT_MAP_RANK = 5, SIMT_MAPS_MOST = 2 };
typedef struct simt_map {
  uint32_t read;        /* the number of the kernel's parameter p0, p1… that it lies in */
  uint32_t rank, bytes; /* of an element */
  int64_t offset;       /* bytes from the parameter */
  int64_t dims[SIMT_MAP_RANK], strides[SIMT_MAP_RANK], box[SIMT_MAP_RANK]; /* innermost first; strides in bytes */
  /* Of a convolution's input (features, places, images): the box is of features and, counted over places and images,
   * pixels, every `steps` of those from `low` to the size and `high`. */
  bool window;
  int32_t low[SIMT_MAP_RANK - 2], high[SIMT_MAP_RANK - 2], steps[SIMT_MAP_RANK];
} simt_map;

void simt_prelude(simt_language language, ten_buf *out);
void simt_hip_prelude(ten_buf *out); /* hip_language.c: the part of it that is HIP's own */

#endif
