/* specialise.c: functions with dimensions that only a call decides. Each set of shapes gets a program of its own,
 * compiled when it is first met and kept: compiling takes milliseconds, and code for known shapes is faster than code
 * for any.
 */
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/run/executable.h"

typedef struct special {
  int64_t *dims; /* owned: of every input, one after the other */
  cpu_executable *executable;
  struct special *next;
} special;

struct cpu_shapes {
  ten_mutex mutex;
  special *first;
};

ten_executable *cpu_shapes_create(ten_module *module, const ten_settings *settings) {
  cpu_executable *executable = cpu_executable_create(module, settings);
  executable->shapes = ten_alloc(sizeof *executable->shapes);
  memset(executable->shapes, 0, sizeof *executable->shapes);
  ten_mutex_init(&executable->shapes->mutex);
  return &executable->base;
}

void cpu_shapes_destroy(struct cpu_shapes *shapes) {
  if (!shapes) return;
  while (shapes->first) {
    special *s = shapes->first;
    shapes->first = s->next;
    cpu_destroy(&s->executable->base);
    free(s->dims);
    free(s);
  }
  ten_mutex_destroy(&shapes->mutex);
  free(shapes);
}

/* Ranks are the declared ones, so the dimensions alone tell two sets apart. */
static int64_t *dims_of(const cpu_executable *executable, ten_tensor *const *inputs, size_t *out_count) {
  size_t count = 0;
  for (uint32_t i = 0; i < executable->base.input_count; i++) count += inputs[i]->rank;
  int64_t *dims = ten_alloc((count + 1) * sizeof *dims), *at = dims;
  for (uint32_t i = 0; i < executable->base.input_count; i++)
    for (uint32_t k = 0; k < inputs[i]->rank; k++) *at++ = inputs[i]->dims[k];
  *out_count = count;
  return dims;
}

ten_status *cpu_shapes_find(cpu_executable *executable, ten_tensor *const *inputs, cpu_executable **out_executable) {
  struct cpu_shapes *shapes = executable->shapes;
  size_t count;
  int64_t *dims = dims_of(executable, inputs, &count);
  ten_status *status = NULL;
  ten_mutex_lock(&shapes->mutex);
  special *found = shapes->first;
  while (found && memcmp(found->dims, dims, count * sizeof *dims)) found = found->next;
  if (!found) {
    ten_executable *made = NULL;
    status = cpu_compile_for(executable->source, executable->base.func, &executable->settings, inputs, &made);
    if (!status) {
      made->backend = executable->base.backend;
      made->func = executable->base.func;
      made->input_count = executable->base.input_count;
      made->output_count = executable->base.output_count;
      found = ten_alloc(sizeof *found);
      *found = (special){dims, (cpu_executable *)made, shapes->first};
      shapes->first = found;
      dims = NULL;
    }
  }
  ten_mutex_unlock(&shapes->mutex);
  free(dims);
  if (!status) *out_executable = found->executable;
  return status;
}
