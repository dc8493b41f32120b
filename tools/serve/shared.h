/* shared.h: shared memory of this machine (/dev/shm) that clients registered. It is read and written by system calls,
 * not mapped: a client that truncates or changes it while a program runs only gets an error or other numbers. Any
 * thread. */
#ifndef TEN_SERVE_SHARED_H
#define TEN_SERVE_SHARED_H

#include <pthread.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

enum { SERVE_REGIONS_MOST = 256 };

typedef struct serve_region {
  int references;   /* atomic */
  char *name, *key; /* owned */
  uint64_t offset, size;
  int fd;
} serve_region;

typedef struct serve_shared {
  bool allowed;
  pthread_mutex_t mutex;
  serve_region *regions[SERVE_REGIONS_MOST]; /* retained */
  size_t count;
} serve_shared;

void serve_shared_init(serve_shared *shared, bool allowed);
void serve_shared_destroy(serve_shared *shared);
TEN_MUST_USE ten_status *serve_shared_add(serve_shared *shared, const char *name, const char *key, uint64_t offset,
                                          uint64_t size);
/* NULL or "": all. */
TEN_MUST_USE ten_status *serve_shared_remove(serve_shared *shared, const char *name);
/* Retained. */
TEN_MUST_USE ten_status *serve_shared_find(serve_shared *shared, const char *name, serve_region **out_region);
/* All of that name (NULL or "": all), retained; returns how many. */
size_t serve_shared_list(serve_shared *shared, const char *name, serve_region *out[SERVE_REGIONS_MOST]);
void serve_region_release(serve_region *region); /* NULL is fine */
TEN_MUST_USE ten_status *serve_region_read(const serve_region *region, uint64_t offset, void *data, size_t size);
TEN_MUST_USE ten_status *serve_region_write(const serve_region *region, uint64_t offset, const void *data, size_t size);

#endif
