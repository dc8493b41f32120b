/* shared.c: reference-counted state shared by the executables of one program. */
#include "backend/shared.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

ten_shared *ten_shared_create(void) {
  ten_shared *shared = ten_alloc(sizeof *shared);
  memset(shared, 0, sizeof *shared);
  shared->references = 1;
  ten_mutex_init(&shared->mutex);
  shared->forks = ten_forks();
  return shared;
}

void ten_shared_lock(ten_shared *shared) {
  ten_mutex_lock(&shared->mutex);
  if (shared->forks != ten_forks()) {
    shared->forks = ten_forks();
    if (shared->busy) shared->code = NULL;
  }
  shared->busy = true;
}

void ten_shared_unlock(ten_shared *shared) {
  shared->busy = false;
  ten_mutex_unlock(&shared->mutex);
}

ten_shared *ten_shared_retain(ten_shared *shared) {
  if (!shared) return NULL;
  ten_shared_lock(shared);
  shared->references++;
  ten_shared_unlock(shared);
  return shared;
}

void ten_shared_release(ten_shared *shared) {
  if (!shared) return;
  ten_shared_lock(shared);
  const bool last = !--shared->references;
  ten_shared_unlock(shared);
  if (!last) return;
  if (shared->code) shared->destroy(shared->code);
  ten_mutex_destroy(&shared->mutex);
  free(shared);
}

ten_shared_counts ten_shared_count(ten_shared *shared) {
  if (!shared) return (ten_shared_counts){0};
  ten_shared_lock(shared);
  const ten_shared_counts counts = {shared->compilations, shared->sizes};
  ten_shared_unlock(shared);
  return counts;
}
