/* versioned.h: structs of the public API that may grow. Their first field, `size`, says which version of them the
 * caller was compiled with. */
#ifndef TEN_BASE_VERSIONED_H
#define TEN_BASE_VERSIONED_H

#include <stddef.h>

#include "tenfold/status.h"

/* The size that a struct had when `field` was its last. */
#define TEN_SIZE_WITH(type, field) (offsetof(type, field) + sizeof(((type *)0)->field))

/* Options: NULL, or at least `first` bytes, the size in the first version; bytes beyond `known` must be
 * zero. */
TEN_MUST_USE ten_status *ten_options_check(const void *options, size_t first, size_t known, const char *name);
#define TEN_OPTIONS_CHECK(options, type, last_of_first) \
  ten_options_check((options), TEN_SIZE_WITH(type, last_of_first), sizeof(type), #type)

/* Results: copies `known` bytes of `from`, or as many as fit in `out`, behind its size. */
TEN_MUST_USE ten_status *ten_result_fill(void *out, const void *from, size_t first, size_t known, const char *name);
#define TEN_RESULT_FILL(out, from, type, last_of_first) \
  ten_result_fill((out), (from), TEN_SIZE_WITH(type, last_of_first), sizeof(type), #type)

#endif
