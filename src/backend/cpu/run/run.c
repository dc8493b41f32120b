/* run.c: runs a program on tensors: allocates its outputs, then calls it (exec/call.c). */
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/cache/store.h"
#include "backend/cpu/codegen/llvm.h"
#include "backend/cpu/run/executable.h"
#include "backend/cpu/run/share_constants.h"
#include "backend/shared.h"

/* What is given away and updated in place comes back as it is. */
static ten_status *make_outputs(cpu_executable *executable, const ten_run_options *options, ten_tensor *const *inputs,
                                ten_tensor **outputs) {
  const exec_program *program = &executable->exec.program;
  for (uint32_t i = 0; i < program->output_count; i++) outputs[i] = NULL;
  for (uint32_t i = 0; i < program->input_count && options && options->donated; i++)
    if (program->updates[i] != UINT32_MAX && options->donated[i])
      outputs[program->updates[i]] = ten_tensor_retain(inputs[i]);
  for (uint32_t i = 0; i < program->output_count; i++) {
    const exec_type *type = &program->outputs[i];
    if (outputs[i]) continue;
    if (type->dtype == TEN_DTYPE_NONE)
      outputs[i] = ten_tensor_token();
    else
      TEN_TRY(options && options->reuse_results
                  ? cpu_output_create(executable, i, &outputs[i])
                  : ten_tensor_create_in(options ? options->pool : NULL, false, type->dtype, type->rank, type->dims,
                                         &outputs[i]));
  }
  return NULL;
}

void cpu_count_call(cpu_executable *executable) {
  if (__atomic_load_n(&executable->calls, __ATOMIC_RELAXED) >= CPU_SETTLED) return;
  if (__atomic_add_fetch(&executable->calls, 1, __ATOMIC_RELAXED) == CPU_SETTLED) ten_llvm_release_unused();
}

ten_status *cpu_execute_in(cpu_executable *executable, ten_host_process *process, cpu_feed *feed,
                           ten_tensor *const *inputs, ten_tensor **outputs) {
  cpu_executable *whole = executable;
  ten_shaped *special = NULL;
  if (whole->shapes) TEN_TRY(cpu_shapes_find(whole, inputs, &executable, &special));
  const exec_program *flat = &executable->exec.program;
  cpu_run run = {executable, process, feed};
  void *small[32];
  const size_t count = (size_t)flat->input_count + flat->output_count;
  void **addresses = count <= 32 ? small : ten_alloc(count * sizeof *addresses);
  ten_status *status = make_outputs(executable, process->options, inputs, outputs);
  for (uint32_t i = 0; i < flat->input_count && !status; i++) addresses[i] = inputs[i]->data;
  for (uint32_t i = 0; i < flat->output_count && !status; i++) addresses[flat->input_count + i] = outputs[i]->data;
  if (!status)
    status = exec_call(&executable->exec, &run, process->group != NULL, addresses, addresses + flat->input_count);
  cpu_count_call(executable);
  if (addresses != small) free(addresses);
  if (status) ten_tensors_release(outputs, flat->output_count);
  ten_shapes_done(whole->shapes, special);
  return status;
}

ten_status *cpu_execute(ten_executable *base, ten_tensor *const *inputs, size_t input_count,
                        const ten_run_options *options, ten_tensor **outputs) {
  (void)input_count;
  cpu_executable *executable = (cpu_executable *)base;
  ten_host_process process = {.options = options};
  if (executable->exec.program.has_host || executable->shapes) process.probes = ten_host_probes_create();
  ten_status *status = cpu_execute_in(executable, &process, NULL, inputs, outputs);
  ten_host_probes_destroy(process.probes);
  return status;
}

cpu_executable *cpu_executable_create(ten_module *source, const ten_settings *settings) {
  cpu_executable *executable = ten_alloc(sizeof *executable);
  memset(executable, 0, sizeof *executable);
  executable->source = source;
  if (settings) executable->settings = *settings;
  ten_shared_retain(executable->settings.shared);
  ten_workspace_retain(executable->settings.workspace);
  exec_open(&executable->exec);
  return executable;
}

void cpu_destroy(ten_executable *base) {
  cpu_executable *executable = (cpu_executable *)base;
  cpu_cache_wait(executable->storing);
  ten_shapes_destroy(executable->shapes);
  cpu_outputs_destroy(executable->outputs);
  cpu_return_constants(executable);
  exec_close(&executable->exec);
  ten_loaded_destroy(executable->code);
  if (executable->module) ten_module_destroy(executable->module);
  if (executable->file.data) ten_file_unmap(&executable->file);
  ten_shared_release(executable->settings.shared); /* code may be in there */
  ten_workspace_release(executable->settings.workspace);
  free(executable);
}
