/* cache.h: the cache on disk, as the command sees it. */
#ifndef TEN_CPU_CACHE_H
#define TEN_CPU_CACHE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

typedef struct ten_cache_usage {
  size_t entries;
  uint64_t bytes, limit;
} ten_cache_usage;

/* Appends the directory; false when there is none. */
bool ten_cache_dir(ten_buf *out);
ten_cache_usage ten_cache_measure(void);
TEN_MUST_USE ten_status *ten_cache_clear(size_t *out_removed);

#endif
