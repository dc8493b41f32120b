/* arena.h: bump allocation for objects with one lifetime. Memory is zeroed, aligned to 16, and freed all at once.
 * A failed allocation does not return: it becomes the error of the innermost recovery point (recover.h). For sizes that
 * come from input, check with size.h and use ten_arena_try, so that the error names what was too large. */
#ifndef TEN_BASE_ARENA_H
#define TEN_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/recover.h"

typedef struct ten_arena_block ten_arena_block;

typedef struct ten_arena {
  ten_arena_block *head; /* owned, newest first */
  char *cursor, *limit;  /* free space of the newest block */
  size_t reserved;       /* bytes allocated from the system */
} ten_arena;

void ten_arena_init(ten_arena *arena);
void ten_arena_destroy(ten_arena *arena);
bool ten_arena_has(const ten_arena *arena, const void *data); /* of large allocations, which have their own block */
/* Where `size` bytes at `data` will be once `from` is destroyed: what lies there comes to `to`, a large allocation as
 * it is with all in it, others as copies. `data` itself if it is not in `from`. */
const void *ten_arena_keep(ten_arena *to, ten_arena *from, const void *data, size_t size);
void *ten_arena_alloc(ten_arena *arena, size_t size);
/* NULL when the system is out of memory. For sizes that the input determines. Not zeroed. */
void *ten_arena_try(ten_arena *arena, size_t size);
void *ten_arena_array(ten_arena *arena, size_t count, size_t size);
void *ten_arena_copy(ten_arena *arena, const void *data, size_t size);
char *ten_arena_strdup(ten_arena *arena, const char *text, size_t size); /* NUL-terminated */

#define ten_arena_new(arena, type) ((type *)ten_arena_alloc((arena), sizeof(type)))
#define ten_arena_new_array(arena, type, count) ((type *)ten_arena_array((arena), (count), sizeof(type)))

/* malloc family with the same rule; free with free(). */
void *ten_alloc(size_t size);
void *ten_realloc(void *old, size_t size);
char *ten_strdup(const char *text);
/* Zeroed memory that replaces `old`. Frees `old` only after the allocation succeeded, so the caller never holds freed
 * memory. */
void *ten_renew(void *old, size_t size);

/* A growable array: TEN_VEC(int) v = {0}; ten_vec_push(&v, 3); v.data[0]; ten_vec_free(&v); */
#define TEN_VEC(type)       \
  struct {                  \
    type *data;             \
    size_t count, capacity; \
  }
#define ten_vec_reserve(vec, wanted)                                            \
  do {                                                                          \
    if ((vec)->capacity < (wanted)) {                                           \
      size_t ten_vec_n_ = (vec)->capacity ? (vec)->capacity * 2 : 8;            \
      if (ten_vec_n_ < (wanted)) ten_vec_n_ = (wanted);                         \
      (vec)->data = ten_realloc((vec)->data, ten_vec_n_ * sizeof *(vec)->data); \
      (vec)->capacity = ten_vec_n_;                                             \
    }                                                                           \
  } while (0)
#define ten_vec_push(vec, ...)                 \
  do {                                         \
    ten_vec_reserve((vec), (vec)->count + 1);  \
    (vec)->data[(vec)->count++] = __VA_ARGS__; \
  } while (0)
#define ten_vec_free(vec) (free((vec)->data), (vec)->data = NULL, (vec)->count = (vec)->capacity = 0)

#endif
