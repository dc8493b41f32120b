/* array.h: the growable array for tree-sitter-python's scanner. Failed growth leaves the scanner by longjmp, since it
 * cannot report it (base/recover.h). */
#ifndef TEN_MIGRATE_GRAMMAR_ARRAY_H
#define TEN_MIGRATE_GRAMMAR_ARRAY_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *ten_realloc(void *old, size_t size); /* base/arena.h */

#define Array(type)          \
  struct {                   \
    type *contents;          \
    uint32_t size, capacity; \
  }

#define array_init(self) ((self)->contents = NULL, (self)->size = 0, (self)->capacity = 0)
#define array_get(self, index) (&(self)->contents[index])
#define array_back(self) (&(self)->contents[(self)->size - 1])
#define array_delete(self) (free((self)->contents), array_init(self))
#define array_reserve(self, wanted)                                                                      \
  ((self)->capacity < (uint32_t)(wanted)                                                                 \
       ? ((self)->contents = ten_realloc((self)->contents, (size_t)(wanted) * sizeof *(self)->contents), \
          (self)->capacity = (uint32_t)(wanted))                                                         \
       : 0)
#define array_push(self, element)                                                                             \
  ((self)->size == (self)->capacity ? array_reserve((self), (self)->capacity ? (self)->capacity * 2 : 8) : 0, \
   (self)->contents[(self)->size++] = (element))
#define array_pop(self) ((self)->contents[--(self)->size])

#endif
