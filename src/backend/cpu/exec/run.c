/* run.c: runs a program on tensors: makes its outputs, then calls it (call.c). */
#include <stdlib.h>

#include "backend/cpu/exec/object.h"
#include "backend/cpu/exec/program.h"

/* What is given away and updated in place comes back as it is. */
static ten_status *make_outputs(const cpu_plan *plan, const ten_run_options *options, ten_tensor *const *inputs,
                                ten_tensor **outputs) {
  for (uint32_t i = 0; i < plan->output_count; i++) outputs[i] = NULL;
  for (uint32_t i = 0; i < plan->input_count && options && options->donated; i++)
    if (plan->updates[i] != UINT32_MAX && options->donated[i]) outputs[plan->updates[i]] = ten_tensor_retain(inputs[i]);
  for (uint32_t i = 0; i < plan->output_count; i++) {
    const ten_type *type = plan->output_types[i];
    if (outputs[i]) continue;
    if (type->kind == TEN_TYPE_TOKEN)
      outputs[i] = ten_tensor_token();
    else
      TEN_TRY(ten_tensor_create(type->dtype, type->rank, type->dims, &outputs[i]));
  }
  return NULL;
}

ten_status *cpu_execute_in(cpu_program *program, interp_state *state, cpu_feed *feed, ten_tensor *const *inputs,
                           ten_tensor **outputs) {
  if (program->shapes) TEN_TRY(cpu_shapes_find(program, inputs, &program));
  const cpu_plan *plan = &program->plan;
  void *small[32];
  const size_t count = (size_t)plan->input_count + plan->output_count;
  void **addresses = count <= 32 ? small : ten_alloc(count * sizeof *addresses);
  ten_status *status = make_outputs(plan, state->options, inputs, outputs);
  for (uint32_t i = 0; i < plan->input_count && !status; i++) addresses[i] = inputs[i]->data;
  for (uint32_t i = 0; i < plan->output_count && !status; i++) addresses[plan->input_count + i] = outputs[i]->data;
  if (!status) status = cpu_call(program, state, feed, addresses, addresses + plan->input_count);
  if (addresses != small) free(addresses);
  if (status) ten_tensors_release(outputs, plan->output_count);
  return status;
}

ten_status *cpu_execute(ten_executable *executable, ten_tensor *const *inputs, size_t input_count,
                        const ten_run_options *options, ten_tensor **outputs) {
  (void)input_count;
  cpu_program *program = (cpu_program *)executable;
  interp_state state = {.options = options};
  if (program->plan.has_host || program->shapes) state.probes = interp_probes_create();
  ten_status *status = cpu_execute_in(program, &state, NULL, inputs, outputs);
  if (state.probes) interp_probes_destroy(state.probes);
  return status;
}

void cpu_destroy(ten_executable *executable) {
  cpu_program *program = (cpu_program *)executable;
  cpu_cache_wait(program->storing);
  cpu_shapes_destroy(program->shapes);
  cpu_unload(program);
  ten_loaded_destroy(program->code);
  cpu_plan_destroy(&program->plan);
  if (program->file.data) ten_file_unmap(&program->file);
  free(program);
}
