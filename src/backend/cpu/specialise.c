/* specialise.c: functions with dynamic dimensions. Each set of shapes gets its own flat program, made when first used
 * (backend/shapes.h); generated code is shared between them (codegen/variants.h). */
#include <stdlib.h>

#include "backend/cpu/run/executable.h"
#include "backend/shapes.h"
#include "backend/shared.h"

ten_executable *cpu_shapes_create(ten_module *module, const ten_settings *settings) {
  ten_settings own = *settings;
  ten_shared *made = own.shared ? NULL : ten_shared_create();
  if (made) own.shared = made;
  cpu_executable *executable = cpu_executable_create(module, &own);
  ten_shared_release(made); /* the executable retains it */
  executable->shapes = ten_shapes_create();
  return &executable->base;
}

static ten_status *make(void *context, ten_tensor *const *inputs, ten_executable **out_executable,
                        ten_module **out_module) {
  cpu_executable *executable = context;
  (void)out_module; /* the source is shared by all */
  ten_settings settings = executable->settings;
  const ten_type *type = ten_func_type(executable->base.func);
  size_t count = 0;
  for (uint32_t i = 0; i < type->input_count; i++) count += inputs[i]->rank;
  int64_t *open = ten_alloc((count + 1) * sizeof *open);
  settings.open_sizes = open;
  for (uint32_t i = 0; i < type->input_count; i++)
    for (uint32_t k = 0; k < inputs[i]->rank && ten_type_is_tensor(type->inputs[i]); k++)
      if (!type->inputs[i]->ranked || type->inputs[i]->dims[k] == TEN_DYNAMIC)
        open[settings.open_count++] = inputs[i]->dims[k];
  ten_executable *made = NULL;
  ten_status *status = cpu_compile_for(executable->source, executable->base.func, &settings, inputs, &made);
  free(open);
  if (status) return status;
  made->backend = executable->base.backend;
  made->func = executable->base.func;
  made->input_count = executable->base.input_count;
  made->output_count = executable->base.output_count;
  *out_executable = made;
  return NULL;
}

ten_status *cpu_shapes_find(cpu_executable *executable, ten_tensor *const *inputs, cpu_executable **out_executable,
                            ten_shaped **out_used) {
  ten_executable *found = NULL;
  TEN_TRY(
      ten_shapes_find(executable->shapes, inputs, executable->base.input_count, make, executable, &found, out_used));
  *out_executable = (cpu_executable *)found;
  return NULL;
}
