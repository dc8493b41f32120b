/* api_custom.c: the public face of custom operators (tenfold/custom.h). */
#include "tenfold/custom.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/registry.h"

ten_status *ten_register_lowering(const char *op, ten_lowering lowering, void *user) {
  if (!op || !*op || !lowering) return ten_error(TEN_INVALID, "a lowering needs an operator's name and a function");
  char *name = ten_alloc(strlen(op) + 1); /* "mylib::scale" → "mylib.scale", as programs spell it */
  size_t size = 0;
  for (const char *at = op; *at; at++) {
    if (at[0] == ':' && at[1] == ':') {
      name[size++] = '.';
      at++;
    } else {
      name[size++] = *at;
    }
  }
  ten_registry_set(TEN_REGISTRY_LOWERING, (ten_str){name, size},
                   (ten_registry_entry){(ten_registry_function)lowering, user});
  free(name);
  return NULL;
}

ten_status *ten_register_kernel(const char *name, ten_kernel kernel, void *user) {
  if (!name || !*name || !kernel) return ten_error(TEN_INVALID, "a kernel needs a name and a function");
  ten_registry_set(TEN_REGISTRY_KERNEL, ten_str_of(name), (ten_registry_entry){(ten_registry_function)kernel, user});
  return NULL;
}
