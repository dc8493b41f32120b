/* shapes.c: the sizes that a program is compiled for, one set after another. */
#include <stdlib.h>
#include <string.h>

#include "backend/settings.h"
#include "backend/shared.h"
#include "base/thread.h"
#include "core.h"

void core_given_free(core_given *given) {
  free(given->inputs);
  if (given->types) ten_module_destroy(given->types);
  *given = (core_given){0};
}

static ten_mutex making = TEN_MUTEX_INIT; /* two threads may compile a program for its first sizes */

ten_status *core_share(const ten_import *program, const ten_backend *backend, const core_given *given,
                       ten_module *module, ten_shared **shared, ten_settings *settings) {
  TEN_RECOVER("compiling the program");
  if (strcmp(backend->name, "cpu")) return NULL;
  const ten_op *func = program->aten ? ten_module_entry(program->aten, TEN_STR("main")) : NULL;
  const ten_type *type = func ? ten_func_type(func) : NULL;
  const ten_aten_input *inputs = given->inputs;
  const size_t count = given->count;
  int64_t *sizes = ten_arena_new_array(&module->arena, int64_t, count *TEN_RANK_MAX + 1);
  for (size_t i = 0; type && i < count; i++) {
    if (inputs[i].has_number) sizes[settings->open_count++] = (int64_t)inputs[i].number;
    for (uint32_t d = 0; inputs[i].type && d < inputs[i].type->rank; d++)
      if (type->inputs[i]->rank > d && type->inputs[i]->dims[d] == TEN_DYNAMIC)
        sizes[settings->open_count++] = inputs[i].type->dims[d];
  }
  ten_mutex_lock(&making);
  if (!*shared) *shared = ten_shared_create();
  ten_mutex_unlock(&making);
  settings->shared = *shared;
  settings->open_sizes = sizes;
  return NULL;
}
