/* language.h: the kernel languages: a prelude for each that defines the names used by gen.h's text. */
#ifndef TEN_SIMT_LANGUAGE_H
#define TEN_SIMT_LANGUAGE_H

#include "base/str.h"

enum { SIMT_GROUP = 256 }; /* threads of a group */

typedef enum simt_language { SIMT_OPENCL_C, SIMT_CUDA_C, SIMT_HIP_C, SIMT_WGSL /* printed by wgsl.h */ } simt_language;

void simt_prelude(simt_language language, ten_buf *out);
void simt_hip_prelude(ten_buf *out); /* hip_language.c: the part of it that is HIP's own */

#endif
