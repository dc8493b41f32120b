/* registry.h: functions that the embedding program registered by name. The only process-wide state: registration
 * happens before programs are loaded, from anywhere, so no object can own it. */
#ifndef TEN_BASE_REGISTRY_H
#define TEN_BASE_REGISTRY_H

#include <stdbool.h>

#include "base/str.h"

typedef enum ten_registry_kind { TEN_REGISTRY_LOWERING, TEN_REGISTRY_KERNEL } ten_registry_kind;
typedef void (*ten_registry_function)(void); /* cast to the type that the kind implies */

typedef struct ten_registry_entry {
  ten_registry_function function;
  void *user;
} ten_registry_entry;

/* A later registration replaces an earlier one of the same name. */
void ten_registry_set(ten_registry_kind kind, ten_str name, ten_registry_entry entry);
bool ten_registry_get(ten_registry_kind kind, ten_str name, ten_registry_entry *out_entry);

#endif
