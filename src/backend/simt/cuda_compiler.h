/* cuda_compiler.h: NVRTC, loaded by name. It needs no GPU. */
#ifndef TEN_SIMT_CUDA_COMPILER_H
#define TEN_SIMT_CUDA_COMPILER_H

#include "base/str.h"

/* The functions of a library by their names, to `slots`. */
TEN_MUST_USE ten_status *cuda_load(void *library, const char *file, const char *const *names, size_t count,
                                   void **slots);

/* Loads it; must come first, once. */
TEN_MUST_USE ten_status *cuda_compiler_load(void);
/* The machine code of a source for "sm_90a", from the cache where it is there. */
TEN_MUST_USE ten_status *cuda_compile(const char *source, const char *arch, ten_buf *cubin);

#endif
