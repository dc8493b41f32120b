/* cache.h: the cache on disk, as the command sees it. */
#ifndef TEN_BACKEND_CACHE_H
#define TEN_BACKEND_CACHE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

typedef struct ten_cache_usage {
  size_t entries;
  uint64_t bytes, limit;
} ten_cache_usage;

/* Appends the directory; false when there is none. */
bool ten_cache_dir(ten_buf *out);
/* An error when the directory exists but is not used, because another user owns it or may write to it. */
TEN_MUST_USE ten_status *ten_cache_check(void);
TEN_MUST_USE ten_status *ten_cache_measure(ten_cache_usage *out_usage);
/* Removes every entry, and nothing else. */
TEN_MUST_USE ten_status *ten_cache_clear(size_t *out_removed);

#endif
