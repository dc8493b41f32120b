/* kernel_cache.h: compiled kernels in Tenfold's cache directory, under the digest of all that decides what they are. */
#ifndef TEN_SIMT_KERNEL_CACHE_H
#define TEN_SIMT_KERNEL_CACHE_H

#include "base/digest.h"

/* Appends the code that was stored under the key; false when there is none, or none that can be used. */
bool simt_kernel_cache_find(const ten_digest *key, ten_buf *out_code);
/* A cache that cannot be written is no error. */
void simt_kernel_cache_store(const ten_digest *key, ten_str code);

#endif
