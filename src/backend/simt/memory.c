/* memory.c: device memory that values leave behind, for the next values of their size: to allocate and free takes
 * longer than to compute small values, and waits for the device. Each device keeps MEMORY_MOST bytes at most. */
#include "backend/simt/program.h"

#define MEMORY_MOST ((size_t)1 << 29)

typedef struct block {
  simt_memory memory;
  size_t bytes;
} block;

/* The latest last. */
typedef struct shelf {
  const ten_backend *backend;
  size_t held;  /* bytes that were allocated and not freed */
  size_t bytes; /* of blocks */
  TEN_VEC(block) blocks;
} shelf;

static struct {
  ten_mutex mutex;
  TEN_VEC(shelf) shelves; /* of each device that a value lay on; never freed */
} state = {.mutex = TEN_MUTEX_INIT};

size_t simt_memory_size(size_t bytes) {
  size_t size = 256;
  while (size < bytes && size < ((size_t)1 << 62)) size *= 2;
  return bytes > ((size_t)1 << 20) ? (bytes + 0xffff) & ~(size_t)0xffff : size;
}

/* With the mutex. */
static shelf *shelf_of(const ten_backend *backend) {
  for (size_t i = 0; i < state.shelves.count; i++)
    if (state.shelves.data[i].backend == backend) return &state.shelves.data[i];
  const shelf fresh = {.backend = backend};
  ten_vec_push(&state.shelves, fresh);
  return &state.shelves.data[state.shelves.count - 1];
}

static bool find(const ten_backend *backend, size_t bytes, simt_memory *out_memory) {
  ten_mutex_lock(&state.mutex);
  shelf *s = shelf_of(backend);
  size_t i = s->blocks.count;
  while (i && s->blocks.data[i - 1].bytes != bytes) i--;
  if (i) {
    *out_memory = s->blocks.data[i - 1].memory;
    s->blocks.data[i - 1] = s->blocks.data[--s->blocks.count];
    s->bytes -= bytes;
  }
  ten_mutex_unlock(&state.mutex);
  return i != 0;
}

/* Frees all that is left behind; false: nothing was. */
static bool clear(const ten_backend *backend, const simt_driver *driver) {
  ten_mutex_lock(&state.mutex);
  shelf *s = shelf_of(backend);
  const bool some = s->blocks.count;
  for (size_t i = 0; some && i < s->blocks.count; i++) driver->free(s->blocks.data[i].memory);
  s->held -= s->bytes;
  s->blocks.count = s->bytes = 0;
  ten_mutex_unlock(&state.mutex);
  return some;
}

static ten_status *allocate(const ten_backend *backend, const simt_driver *driver, size_t bytes,
                            simt_memory *out_memory) {
  ten_status *status = driver->allocate(bytes, out_memory);
  ten_mutex_lock(&state.mutex);
  shelf *s = shelf_of(backend);
  const size_t held = s->held += status ? 0 : bytes;
  ten_mutex_unlock(&state.mutex);
  return ten_annotate(status, "when this process holds %zu bytes of the memory of '%s'", held, backend->name);
}

ten_status *simt_memory_take(const ten_backend *backend, const simt_driver *driver, size_t bytes,
                             simt_memory *out_memory) {
  if (find(backend, bytes, out_memory)) return NULL;
  ten_status *status = allocate(backend, driver, bytes, out_memory);
  if (!status || !clear(backend, driver)) return status;
  ten_status_free(status);
  return allocate(backend, driver, bytes, out_memory);
}

void simt_memory_give(const ten_backend *backend, const simt_driver *driver, size_t bytes, simt_memory memory) {
  ten_mutex_lock(&state.mutex);
  shelf *s = shelf_of(backend);
  const bool stays = bytes <= MEMORY_MOST - s->bytes;
  if (stays) {
    const block left = {memory, bytes};
    ten_vec_push(&s->blocks, left);
    s->bytes += bytes;
  } else {
    s->held -= bytes;
  }
  ten_mutex_unlock(&state.mutex);
  if (!stays) driver->free(memory);
}
