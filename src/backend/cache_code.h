/* cache_code.h: generated code in Tenfold's cache directory, under the digest of all that decides what it is. */
#ifndef TEN_BACKEND_CACHE_CODE_H
#define TEN_BACKEND_CACHE_CODE_H

#include "base/digest.h"

/* What the code is; part of an entry's name. */
#define TEN_CACHE_CUBIN ".cubin" /* kernels of a GPU */
#define TEN_CACHE_SIZES ".sizes" /* what the sizes of a program share */

/* Appends the code that was stored under the key; false when there is none, or none that can be used. */
bool ten_cache_code_find(const char *kind, const ten_digest *key, ten_buf *out_code);
/* A cache that cannot be written is no error. */
void ten_cache_code_store(const char *kind, const ten_digest *key, ten_str code);

#endif
