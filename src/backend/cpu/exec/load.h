/* load.h: loads object code into this process. */
#ifndef TEN_CPU_LOAD_H
#define TEN_CPU_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tenfold/status.h"

/* Prefix of a generated function's name, before its number. */
#define TEN_KERNEL_PREFIX "ten_k"
enum { TEN_KERNEL_NAME = 32 };
static inline void ten_kernel_name(char name[TEN_KERNEL_NAME], uint32_t number) {
  snprintf(name, TEN_KERNEL_NAME, TEN_KERNEL_PREFIX "%u", number);
}

/* Whether it is an object file for another architecture. */
bool ten_object_is_foreign(const void *object, size_t size);

typedef struct ten_loaded ten_loaded;
/* Links a relocatable object file; fills `addresses` with those of the first `count` generated functions. The object is
 * not needed afterwards. */
TEN_MUST_USE ten_status *ten_loaded_create(const void *object, size_t size, uint32_t count, void **addresses,
                                           ten_loaded **out_code);
/* The same, but functions missing from the object are allowed: their addresses are NULL. */
TEN_MUST_USE ten_status *ten_loaded_create_some(const void *object, size_t size, uint32_t count, void **addresses,
                                                ten_loaded **out_code);
void ten_loaded_destroy(ten_loaded *code);

#endif
