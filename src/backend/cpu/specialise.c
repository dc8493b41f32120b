/* specialise.c: functions with dynamic dimensions. Each set of shapes gets its own flat program, made when first used;
 * generated code is shared between them (codegen/variants.h). The most recent sets stay, as many as fit into a budget:
 * a thousand sizes take no more memory than a few. */
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/run/executable.h"
#include "backend/shared.h"

enum { MOST = 64, BUDGET = 1 << 29 }; /* sets of shapes; bytes of working memory and packed constants of all but one */

typedef struct special {
  int64_t *dims; /* owned: dimensions of all inputs, concatenated */
  cpu_executable *executable;
  uint32_t calls; /* in progress */
  bool dropped;   /* destroyed when the last of them ends */
  size_t bytes;
  struct special *next;
} special;

struct cpu_shapes {
  ten_mutex mutex;
  special *first; /* the most recently used */
};

ten_executable *cpu_shapes_create(ten_module *module, const ten_settings *settings) {
  ten_settings own = *settings;
  ten_shared *made = own.shared ? NULL : ten_shared_create();
  if (made) own.shared = made;
  cpu_executable *executable = cpu_executable_create(module, &own);
  ten_shared_release(made); /* the executable retains it */
  executable->shapes = ten_alloc(sizeof *executable->shapes);
  memset(executable->shapes, 0, sizeof *executable->shapes);
  ten_mutex_init(&executable->shapes->mutex);
  return &executable->base;
}

static void special_free(special *s) {
  cpu_destroy(&s->executable->base);
  free(s->dims);
  free(s);
}

void cpu_shapes_destroy(struct cpu_shapes *shapes) {
  if (!shapes) return;
  while (shapes->first) {
    special *s = shapes->first;
    shapes->first = s->next;
    special_free(s);
  }
  ten_mutex_destroy(&shapes->mutex);
  free(shapes);
}

/* Ranks are fixed, so the dimensions alone identify a set. */
static int64_t *dims_of(const cpu_executable *executable, ten_tensor *const *inputs, size_t *out_count) {
  size_t count = 0;
  for (uint32_t i = 0; i < executable->base.input_count; i++) count += inputs[i]->rank;
  int64_t *dims = ten_alloc((count + 1) * sizeof *dims), *at = dims;
  for (uint32_t i = 0; i < executable->base.input_count; i++)
    for (uint32_t k = 0; k < inputs[i]->rank; k++) *at++ = inputs[i]->dims[k];
  *out_count = count;
  return dims;
}

/* Evicts the least recently used programs beyond the budget; running ones are destroyed when they end. */
static void shapes_trim(struct cpu_shapes *shapes) {
  size_t count = 0, bytes = 0;
  for (special **at = &shapes->first; *at;) {
    special *s = *at;
    bytes += count++ ? s->bytes : 0;
    if (count <= MOST && bytes <= BUDGET) {
      at = &s->next;
      continue;
    }
    *at = s->next;
    s->next = NULL;
    s->dropped = true;
    if (!s->calls) special_free(s);
  }
}

static ten_status *shapes_add(cpu_executable *executable, ten_tensor *const *inputs, int64_t *dims, size_t count) {
  struct cpu_shapes *shapes = executable->shapes;
  ten_executable *made = NULL;
  ten_settings settings = executable->settings;
  int64_t *open = ten_alloc((count + 1) * sizeof *open);
  settings.open_sizes = open;
  const ten_type *type = ten_func_type(executable->base.func);
  for (uint32_t i = 0; i < type->input_count; i++)
    for (uint32_t k = 0; k < inputs[i]->rank && ten_type_is_tensor(type->inputs[i]); k++)
      if (!type->inputs[i]->ranked || type->inputs[i]->dims[k] == TEN_DYNAMIC)
        open[settings.open_count++] = inputs[i]->dims[k];
  ten_status *status = cpu_compile_for(executable->source, executable->base.func, &settings, inputs, &made);
  free(open);
  if (status) return status;
  made->backend = executable->base.backend;
  made->func = executable->base.func;
  made->input_count = executable->base.input_count;
  made->output_count = executable->base.output_count;
  cpu_executable *own = (cpu_executable *)made;
  special *s = ten_alloc(sizeof *s);
  *s = (special){.dims = dims,
                 .executable = own,
                 .bytes = own->exec.program.arena_bytes + own->exec.program.hoisted_bytes,
                 .next = shapes->first};
  shapes->first = s;
  return NULL;
}

ten_status *cpu_shapes_find(cpu_executable *executable, ten_tensor *const *inputs, cpu_executable **out_executable,
                            cpu_special **out_special) {
  struct cpu_shapes *shapes = executable->shapes;
  size_t count;
  int64_t *dims = dims_of(executable, inputs, &count);
  ten_status *status = NULL;
  ten_mutex_lock(&shapes->mutex);
  special **at = &shapes->first;
  while (*at && memcmp((*at)->dims, dims, count * sizeof *dims)) at = &(*at)->next;
  if (*at) {
    special *found = *at;
    *at = found->next;
    found->next = shapes->first;
    shapes->first = found;
    free(dims);
  } else {
    status = shapes_add(executable, inputs, dims, count);
    if (status) free(dims);
  }
  if (!status) {
    shapes->first->calls++;
    *out_special = shapes->first;
    *out_executable = shapes->first->executable;
    shapes_trim(shapes);
  }
  ten_mutex_unlock(&shapes->mutex);
  return status;
}

void cpu_shapes_done(cpu_executable *executable, cpu_special *used) {
  if (!used) return;
  ten_mutex_lock(&executable->shapes->mutex);
  const bool last = !--used->calls && used->dropped;
  ten_mutex_unlock(&executable->shapes->mutex);
  if (last) special_free(used);
}
