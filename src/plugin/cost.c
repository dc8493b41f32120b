/* cost.c: the cost of a program: operations, counted on the original program (ir/cost.h); bytes, counted on the fused
 * plan; memory, from the plan. */
#include <stdlib.h>

#include "ir/cost.h"
#include "plugin/plugin.h"

static PJRT_NamedValue property(const char *name, double value) {
  return (PJRT_NamedValue){.struct_size = sizeof(PJRT_NamedValue),
                           .name = name,
                           .name_size = strlen(name),
                           .type = PJRT_NamedValue_kFloat,
                           .float_value = (float)value,
                           .value_size = 1};
}

void plugin_costs(plugin_program *p) {
  ten_work work = {0};
  for (const ten_op *op = ten_op_body(p->executable->func, 0)->first; op; op = op->next)
    ten_count_op(p->module, op, &work);
  p->costs[0] = property("flops", (double)(work.flops - work.transcendentals)); /* XLA counts the two separately */
  p->costs[1] = property("transcendentals", (double)work.transcendentals);
  p->costs[2] = property("bytes accessed", ten_backend_cost(p->executable).bytes);
}

PJRT_Error *plugin_PJRT_Executable_GetCostAnalysis(PJRT_Executable_GetCostAnalysis_Args *args) {
  args->properties = args->executable->program->costs;
  args->num_properties = PLUGIN_COSTS;
  return NULL;
}

static int64_t bytes_of(uint32_t count, const ten_type *const *types) {
  int64_t sum = 0;
  for (uint32_t i = 0; i < count; i++)
    if (types[i]->kind == TEN_TYPE_TENSOR) sum += (int64_t)ten_type_bytes(types[i]);
  return sum;
}

PJRT_Error *plugin_PJRT_Executable_GetCompiledMemoryStats(PJRT_Executable_GetCompiledMemoryStats_Args *args) {
  const plugin_program *p = args->executable->program;
  const ten_type *type = ten_func_type(p->executable->func);
  PJRT_Executable_GetCompiledMemoryStats_Args out = {
      .struct_size = args->struct_size, .extension_start = args->extension_start, .executable = args->executable};
  out.argument_size_in_bytes = bytes_of(type->input_count, type->inputs);
  out.output_size_in_bytes = bytes_of(type->result_count, type->results);
  for (uint32_t i = 0; i < type->input_count; i++)
    if (p->donated[i]) out.alias_size_in_bytes += bytes_of(1, &type->inputs[i]);
  ten_memory memory;
  if (ten_executable_memory(p->executable, &memory)) out.temp_size_in_bytes = (int64_t)memory.work;
  out.peak_memory_in_bytes = out.argument_size_in_bytes + out.output_size_in_bytes + out.temp_size_in_bytes;
  memcpy(args, &out, args->struct_size < sizeof out ? args->struct_size : sizeof out);
  return NULL;
}
