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
  return shared;
}

ten_shared *ten_shared_retain(ten_shared *shared) {
  if (!shared) return NULL;
  ten_mutex_lock(&shared->mutex);
  shared->references++;
  ten_mutex_unlock(&shared->mutex);
  return shared;
}

void ten_shared_release(ten_shared *shared) {
  if (!shared) return;
  ten_mutex_lock(&shared->mutex);
  const bool last = !--shared->references;
  ten_mutex_unlock(&shared->mutex);
  if (!last) return;
  if (shared->destroy) shared->destroy(shared->code);
  ten_mutex_destroy(&shared->mutex);
  free(shared);
}

ten_shared_counts ten_shared_count(ten_shared *shared) {
  if (!shared) return (ten_shared_counts){0};
  ten_mutex_lock(&shared->mutex);
  const ten_shared_counts counts = {shared->compilations, shared->sizes};
  ten_mutex_unlock(&shared->mutex);
  return counts;
}
