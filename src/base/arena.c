/* arena.c: bump allocation. Blocks double up to 1 MiB, so that a small module costs one page and a large one few calls.
 */
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ARENA_FIRST = 4096, ARENA_BLOCK_MAX = 1 << 20, ARENA_ALIGN = 16 };

struct ten_arena_block {
  ten_arena_block *next;
  size_t size;  /* that the next block doubles */
  size_t bytes; /* of this one */
  bool own;     /* for one large allocation */
};

enum { ARENA_HEADER = (sizeof(ten_arena_block) + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN };

/* glibc's calloc does not look into the thread's cache of freed blocks: small ones are faster zeroed here. */
void *ten_alloc(size_t size) {
  enum { SMALL = 1024 };
  void *data = size > SMALL ? calloc(1, size) : malloc(size ? size : 1);
  if (!data) ten_out_of_memory(size);
  return size > SMALL ? data : memset(data, 0, size);
}

void *ten_realloc(void *old, size_t size) {
  void *data = realloc(old, size ? size : 1);
  if (!data) ten_out_of_memory(size);
  return data;
}

char *ten_strdup(const char *text) {
  const size_t size = strlen(text) + 1;
  return memcpy(ten_alloc(size), text, size);
}

void *ten_renew(void *old, size_t size) {
  void *data = ten_alloc(size);
  free(old);
  return data;
}

void ten_arena_init(ten_arena *arena) { memset(arena, 0, sizeof *arena); }

void ten_arena_destroy(ten_arena *arena) {
  for (ten_arena_block *block = arena->head; block;) {
    ten_arena_block *next = block->next;
    free(block);
    block = next;
  }
  memset(arena, 0, sizeof *arena);
}

bool ten_arena_has(const ten_arena *arena, const void *data) {
  for (const ten_arena_block *block = arena->head; block; block = block->next)
    if ((const char *)data == (const char *)block + ARENA_HEADER) return true;
  return false;
}

static void add_own(ten_arena *arena, ten_arena_block *block) {
  if (!arena->head) ten_arena_alloc(arena, 1); /* the newest block is one that things are put into */
  block->next = arena->head->next;
  arena->head->next = block;
  arena->reserved += block->bytes;
}

const void *ten_arena_keep(ten_arena *to, ten_arena *from, const void *data, size_t size) {
  ten_arena_block **at = &from->head;
  while (*at && ((uintptr_t)data < (uintptr_t)*at || (uintptr_t)data >= (uintptr_t)*at + (*at)->bytes))
    at = &(*at)->next;
  ten_arena_block *block = *at;
  if (!block) return data;
  if (!block->own) return ten_arena_copy(to, data, size);
  *at = block->next;
  from->reserved -= block->bytes;
  add_own(to, block);
  return data;
}

void *ten_arena_try(ten_arena *arena, size_t size) {
  if (size > SIZE_MAX / 2) return NULL;
  if (!size) size = 1; /* NULL always means failure */
  size = (size + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
  if (size <= (size_t)(arena->limit - arena->cursor)) {
    void *data = arena->cursor;
    arena->cursor += size;
    return data;
  }
  const size_t header = ARENA_HEADER;
  size_t wanted = arena->head ? arena->head->size * 2 : ARENA_FIRST;
  if (wanted > ARENA_BLOCK_MAX) wanted = ARENA_BLOCK_MAX;
  const int own = size + header > wanted / 2; /* a large allocation gets its own block; the bump block stays current */
  if (own) wanted = size + header;
  ten_arena_block *block = malloc(wanted);
  if (!block) return NULL;
  arena->reserved += wanted;
  block->bytes = wanted;
  block->own = own && arena->head;
  block->size = block->own ? arena->head->size : wanted;
  char *data = (char *)block + header;
  if (block->own) {
    block->next = arena->head->next;
    arena->head->next = block;
    return data;
  }
  block->next = arena->head;
  arena->head = block;
  arena->cursor = data + size;
  arena->limit = (char *)block + wanted;
  return data;
}

void *ten_arena_alloc(ten_arena *arena, size_t size) {
  void *data = ten_arena_try(arena, size);
  if (!data) ten_out_of_memory(size);
  return memset(data, 0, size);
}

void *ten_arena_array(ten_arena *arena, size_t count, size_t size) {
  if (size && count > SIZE_MAX / size) ten_out_of_memory(SIZE_MAX);
  return ten_arena_alloc(arena, count * size);
}

void *ten_arena_copy(ten_arena *arena, const void *data, size_t size) {
  void *copy = ten_arena_try(arena, size);
  if (!copy) ten_out_of_memory(size);
  return size ? memcpy(copy, data, size) : copy;
}

char *ten_arena_strdup(ten_arena *arena, const char *text, size_t size) {
  char *copy = ten_arena_alloc(arena, size + 1);
  if (size) memcpy(copy, text, size);
  return copy;
}
