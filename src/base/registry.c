/* registry.c: names and functions, under a lock. A linear list: programs register few. */
#include "base/registry.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/thread.h"

typedef struct named {
  ten_registry_kind kind;
  ten_str name; /* owned */
  ten_registry_entry entry;
} named;

static ten_mutex mutex = TEN_MUTEX_INIT;
static named *entries;
static size_t entry_count;

static named *find(ten_registry_kind kind, ten_str name) {
  for (size_t i = 0; i < entry_count; i++)
    if (entries[i].kind == kind && ten_str_eq(entries[i].name, name)) return &entries[i];
  return NULL;
}

void ten_registry_set(ten_registry_kind kind, ten_str name, ten_registry_entry entry) {
  ten_mutex_lock(&mutex);
  named *found = find(kind, name);
  if (!found) {
    named *grown = ten_alloc((entry_count + 1) * sizeof *grown), *old = entries;
    if (entry_count) memcpy(grown, entries, entry_count * sizeof *grown);
    char *own = ten_alloc(name.size + 1);
    memcpy(own, name.data, name.size);
    own[name.size] = 0;
    grown[entry_count] = (named){.kind = kind, .name = {own, name.size}, .entry = entry};
    __atomic_store_n(&entries, grown, __ATOMIC_RELEASE); /* consistent at every store: a fork may happen in between */
    __atomic_store_n(&entry_count, entry_count + 1, __ATOMIC_RELEASE);
    free(old);
  } else {
    found->entry = entry;
  }
  ten_mutex_unlock(&mutex);
}

bool ten_registry_get(ten_registry_kind kind, ten_str name, ten_registry_entry *out_entry) {
  ten_mutex_lock(&mutex);
  const named *found = find(kind, name);
  if (found) *out_entry = found->entry;
  ten_mutex_unlock(&mutex);
  return found != NULL;
}
