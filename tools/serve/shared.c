/* shared.c: regions of shared memory by name. */
#include "serve/shared.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void serve_shared_init(serve_shared *shared, bool allowed) {
  *shared = (serve_shared){.allowed = allowed};
  pthread_mutex_init(&shared->mutex, NULL);
}

void serve_region_release(serve_region *region) {
  if (!region || __atomic_sub_fetch(&region->references, 1, __ATOMIC_ACQ_REL)) return;
  close(region->fd);
  free(region->name);
  free(region->key);
  free(region);
}

void serve_shared_destroy(serve_shared *shared) {
  for (size_t i = 0; i < shared->count; i++) serve_region_release(shared->regions[i]);
  pthread_mutex_destroy(&shared->mutex);
}

static ten_status *not_allowed(void) {
  return ten_error(TEN_UNSUPPORTED, "shared memory is off; start the server with --allow-shared-memory");
}

static ten_status *in_file(const serve_region *region, uint64_t offset, uint64_t size) {
  struct stat about;
  uint64_t end, whole_end;
  if (__builtin_add_overflow(offset, size, &end) || end > region->size)
    return ten_error(TEN_INVALID, "bytes %llu to %llu are not in the region '%s' of %llu bytes",
                     (unsigned long long)offset, (unsigned long long)(offset + size), region->name,
                     (unsigned long long)region->size);
  if (__builtin_add_overflow(region->offset, end, &whole_end) || fstat(region->fd, &about) ||
      (uint64_t)about.st_size < whole_end)
    return ten_error(TEN_INVALID, "the shared memory '%s' of region '%s' is smaller than the region", region->key,
                     region->name);
  return NULL;
}

ten_status *serve_shared_add(serve_shared *shared, const char *name, const char *key, uint64_t offset, uint64_t size) {
  if (!shared->allowed) return not_allowed();
  const char *bare = *key == '/' ? key + 1 : key;
  if (!*name || !*bare || strchr(bare, '/') || strlen(bare) > 200)
    return ten_error(TEN_INVALID, "'%s' is no key of shared memory: '/name', without another '/'", key);
  const int fd = shm_open(key, O_RDWR | O_CLOEXEC, 0);
  if (fd < 0) return ten_error(TEN_NOT_FOUND, "the shared memory '%s' cannot be opened: %s", key, strerror(errno));
  serve_region *region = calloc(1, sizeof *region);
  if (region) *region = (serve_region){1, strdup(name), strdup(key), offset, size, fd};
  if (!region || !region->name || !region->key) {
    if (region) free(region->name), free(region->key);
    free(region);
    close(fd);
    return ten_error(TEN_LIMIT, "out of memory");
  }
  ten_status *status = in_file(region, 0, size);
  pthread_mutex_lock(&shared->mutex);
  bool there = false;
  for (size_t i = 0; i < shared->count && !there; i++) there = !strcmp(shared->regions[i]->name, name);
  const bool full = shared->count == SERVE_REGIONS_MOST;
  if (!status && !there && !full) shared->regions[shared->count++] = region;
  pthread_mutex_unlock(&shared->mutex);
  if (!status && there) status = ten_error(TEN_INVALID, "the region '%s' is registered already", name);
  if (!status && full)
    status = ten_error(TEN_LIMIT, "%d regions are registered, there can be no more", SERVE_REGIONS_MOST);
  if (status) serve_region_release(region);
  return status;
}

ten_status *serve_shared_remove(serve_shared *shared, const char *name) {
  if (!shared->allowed) return not_allowed();
  for (;;) {
    serve_region *region = NULL;
    pthread_mutex_lock(&shared->mutex);
    for (size_t i = 0; i < shared->count && !region; i++)
      if (!name || !*name || !strcmp(shared->regions[i]->name, name)) {
        region = shared->regions[i];
        shared->regions[i] = shared->regions[--shared->count];
      }
    pthread_mutex_unlock(&shared->mutex);
    if (!region) return NULL; /* by the protocol, unregistering a missing region is no error */
    serve_region_release(region);
  }
}

ten_status *serve_shared_find(serve_shared *shared, const char *name, serve_region **out_region) {
  *out_region = NULL;
  if (!shared->allowed) return not_allowed();
  pthread_mutex_lock(&shared->mutex);
  for (size_t i = 0; i < shared->count && !*out_region; i++)
    if (!strcmp(shared->regions[i]->name, name)) *out_region = shared->regions[i];
  if (*out_region) __atomic_add_fetch(&(*out_region)->references, 1, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&shared->mutex);
  return *out_region ? NULL : ten_error(TEN_NOT_FOUND, "no region of shared memory is registered as '%s'", name);
}

size_t serve_shared_list(serve_shared *shared, const char *name, serve_region *out[SERVE_REGIONS_MOST]) {
  size_t count = 0;
  pthread_mutex_lock(&shared->mutex);
  for (size_t i = 0; i < shared->count; i++) {
    if (name && *name && strcmp(shared->regions[i]->name, name) != 0) continue;
    out[count++] = shared->regions[i];
    __atomic_add_fetch(&shared->regions[i]->references, 1, __ATOMIC_RELAXED);
  }
  pthread_mutex_unlock(&shared->mutex);
  return count;
}

ten_status *serve_region_read(const serve_region *region, uint64_t offset, void *data, size_t size) {
  TEN_TRY(in_file(region, offset, size));
  for (size_t at = 0; at < size;) {
    const ssize_t got = pread(region->fd, (char *)data + at, size - at, (off_t)(region->offset + offset + at));
    if (got > 0)
      at += (size_t)got;
    else if (!got || errno != EINTR)
      return ten_error(TEN_IO, "the shared memory '%s' cannot be read", region->key);
  }
  return NULL;
}

ten_status *serve_region_write(const serve_region *region, uint64_t offset, const void *data, size_t size) {
  TEN_TRY(in_file(region, offset, size));
  for (size_t at = 0; at < size;) {
    const ssize_t put = pwrite(region->fd, (const char *)data + at, size - at, (off_t)(region->offset + offset + at));
    if (put > 0)
      at += (size_t)put;
    else if (!put || errno != EINTR)
      return ten_error(TEN_IO, "the shared memory '%s' cannot be written", region->key);
  }
  return NULL;
}
