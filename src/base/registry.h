/* registry.h: what a program that embeds the library has registered by name. The one piece of state that is the whole
 * process's: registration happens before programs are loaded, from anywhere, and has no object to hang on. */
#ifndef TEN_BASE_REGISTRY_H
#define TEN_BASE_REGISTRY_H

#include <stdbool.h>

#include "base/str.h"

typedef enum ten_registry_kind { TEN_REGISTRY_LOWERING, TEN_REGISTRY_KERNEL } ten_registry_kind;
typedef void (*ten_registry_function)(void); /* cast to what the kind means */

typedef struct ten_registry_entry {
  ten_registry_function function;
  void *user;
} ten_registry_entry;

/* The last one of a name counts. */
void ten_registry_set(ten_registry_kind kind, ten_str name, ten_registry_entry entry);
bool ten_registry_get(ten_registry_kind kind, ten_str name, ten_registry_entry *out_entry);

#endif
