/* arenas.c: a list of idle blocks. A block that is too small for a call makes room for a larger one, so that there are
 * as many as calls that ran concurrently; one that is far too large for many consecutive calls is replaced by a smaller
 * one, so that a single large size does not hold memory. */
#include "backend/cpu/exec/arenas.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/thread.h"

enum {
  ALIGN = 64,
  LARGE_PAGE = 1 << 21,
  PAGE = 1 << 12,
  STEP = 4,            /* a block that is too small by less than a quarter is replaced by one */
  SPARE = 8,           /* larger than needed by 1/8: sizes that grow step by step rarely need another */
  WIDE = 4,            /* times as large as needed is too large, */
  WIDE_FROM = 1 << 20, /* from so many bytes on */
  PATIENCE = 64        /* calls until it is replaced */
};

/* At the start of an idle block. */
typedef struct idle_block {
  struct idle_block *next;
  size_t bytes;
} idle_block;

struct exec_arenas {
  ten_mutex mutex;
  idle_block *first; /* the one given back last; owned */
  unsigned wide;     /* consecutive calls that got too large a block */
};

void *exec_memory_new(size_t bytes) {
  if (bytes < LARGE_PAGE) return aligned_alloc(ALIGN, (bytes + ALIGN) / ALIGN * ALIGN);
  /* The last large page is one unless that takes much more memory: with small ones a first touch takes longer. */
  const size_t rest = (bytes - 1) % LARGE_PAGE + 1, unit = LARGE_PAGE - rest <= bytes / SPARE ? LARGE_PAGE : PAGE;
  const size_t size = (bytes + unit - 1) / unit * unit;
  void *memory = NULL; /* aligned_alloc takes multiples of the alignment only */
  if (posix_memalign(&memory, LARGE_PAGE, size)) return NULL;
#if defined(MADV_HUGEPAGE)
  madvise(memory, size / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE); /* a hint */
#endif
  return memory;
}

exec_arenas *exec_arenas_create(void) {
  exec_arenas *arenas = calloc(1, sizeof *arenas);
  if (!arenas) return NULL;
  ten_mutex_init(&arenas->mutex);
  return arenas;
}

void exec_arenas_destroy(exec_arenas *arenas) {
  if (!arenas) return;
  while (arenas->first) {
    idle_block *block = arenas->first;
    arenas->first = block->next;
    free(block);
  }
  ten_mutex_destroy(&arenas->mutex);
  free(arenas);
}

/* Takes a block off the list: one that fits, or else `out_drop`, which is to be freed. The mutex is held. */
static idle_block *find(exec_arenas *arenas, size_t bytes, idle_block **out_drop) {
  idle_block **at = &arenas->first;
  while (*at && (*at)->bytes < bytes) at = &(*at)->next;
  idle_block **taken = *at ? at : &arenas->first, *block = *taken;
  *out_drop = NULL;
  if (!block) return NULL;
  *taken = block->next;
  const bool fits = block->bytes >= bytes;
  arenas->wide = fits && block->bytes > WIDE_FROM && block->bytes / WIDE > bytes ? arenas->wide + 1 : 0;
  if (fits && arenas->wide <= PATIENCE) return block;
  arenas->wide = 0;
  *out_drop = block;
  return NULL;
}

void *exec_arenas_take(exec_arenas *arenas, size_t bytes, size_t *out_bytes) {
  idle_block *drop;
  if (bytes < ALIGN) bytes = ALIGN;
  ten_mutex_lock_leaf(&arenas->mutex);
  idle_block *block = find(arenas, bytes, &drop);
  if (block) *out_bytes = block->bytes;
  ten_mutex_unlock_leaf(&arenas->mutex);
  const bool steps = drop && drop->bytes < bytes && bytes - drop->bytes <= drop->bytes / STEP;
  const size_t spare = steps ? bytes / SPARE : 0;
  free(drop);
  if (block) return block;
  *out_bytes = bytes > SIZE_MAX / 2 ? bytes : bytes + spare;
  void *memory = exec_memory_new(*out_bytes);
  if (memory || *out_bytes == bytes) return memory;
  *out_bytes = bytes;
  return exec_memory_new(bytes);
}

void exec_arenas_give(exec_arenas *arenas, void *memory, size_t bytes) {
  idle_block *block = memory;
  ten_mutex_lock_leaf(&arenas->mutex);
  *block = (idle_block){arenas->first, bytes};
  arenas->first = block;
  ten_mutex_unlock_leaf(&arenas->mutex);
}
