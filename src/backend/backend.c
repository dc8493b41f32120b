/* backend.c: compiling and running code shared by all backends. */
#include "backend/backend.h"
#include "base/clock.h"
#include "base/environment.h"
#include "base/hash.h"
#include "base/mapped.h"

#include <stdlib.h>
#include <string.h>

#include "ir/verify/verify.h"

void ten_checks_init(ten_checks *checks) {
  *checks = (ten_checks){0};
  ten_mutex_init(&checks->mutex);
}

void ten_checks_destroy(ten_checks *checks) {
  for (size_t i = 0; i < checks->failures.count; i++) ten_status_free(checks->failures.data[i]);
  ten_vec_free(&checks->failures);
  ten_mutex_destroy(&checks->mutex);
}

void ten_checks_add(ten_checks *checks, const ten_tensor *seen, ten_status *failure) {
  const uint64_t bits = seen && seen->bytes ? ten_hash64(seen->data, seen->bytes, seen->count) : 0;
  ten_mutex_lock(&checks->mutex);
  checks->run++;
  checks->digest += bits;
  if (failure) ten_vec_push(&checks->failures, failure);
  ten_mutex_unlock(&checks->mutex);
}

static const ten_settings *settings_or_default(const ten_settings *settings) {
  static const ten_settings defaults;
  return settings ? settings : &defaults;
}

static ten_status *check_precision(const ten_backend *backend, const ten_settings *settings) {
  const ten_precision wanted = settings->precision;
  if (wanted <= TEN_PRECISION_F32 || backend->precisions >> wanted & 1) return NULL;
  ten_buf takes = {0};
  ten_buf_adds(&takes, "f32");
  for (int i = TEN_PRECISION_F32 + 1; i <= TEN_PRECISION_TF32; i++)
    if (backend->precisions >> i & 1) ten_buf_printf(&takes, " or %s", ten_precision_name((ten_precision)i));
  ten_status *status =
      ten_error(TEN_UNSUPPORTED, "device '%s' computes f32 matmuls in %s: it does not take precision %s", backend->name,
                takes.data, ten_precision_name(wanted));
  ten_buf_free(&takes);
  return status;
}

ten_workspace *ten_workspace_create(const ten_backend *backend) {
  ten_workspace *workspace = backend->create_workspace ? backend->create_workspace() : NULL;
  if (workspace) *workspace = (ten_workspace){backend, 1};
  return workspace;
}

ten_workspace *ten_workspace_retain(ten_workspace *workspace) {
  if (workspace) __atomic_add_fetch(&workspace->references, 1, __ATOMIC_RELAXED);
  return workspace;
}

void ten_workspace_release(ten_workspace *workspace) {
  if (workspace && !__atomic_sub_fetch(&workspace->references, 1, __ATOMIC_ACQ_REL))
    workspace->backend->destroy_workspace(workspace);
}

ten_status *ten_compile(const ten_backend *backend, ten_module *module, const ten_op *func,
                        const ten_settings *settings, ten_executable **out_executable) {
  *out_executable = NULL;
  TEN_RECOVER("compiling the program");
  if (!settings_or_default(settings)->verified) TEN_TRY(ten_verify(module));
  const ten_type *type = ten_func_type(func);
  if (!type || !func->regions[0].first)
    return ten_op_error(func, TEN_INVALID, "a function without a body cannot be run");
  TEN_TRY(ten_env_check()); /* a misspelt variable would change the program silently */
  ten_settings chosen = *settings_or_default(settings);
  TEN_TRY(check_precision(backend, &chosen));
  if (chosen.workspace && chosen.workspace->backend != backend) chosen.workspace = NULL;
  const double start = ten_clock();
  ten_traced *traced = ten_trace_start(&chosen);
  if (traced) chosen.module_lent = false; /* a trace describes the program as it was given */
  ten_status *status = backend->compile(backend, module, func, &chosen, out_executable);
  if (status) {
    ten_traced_free(traced);
    return status;
  }
  (*out_executable)->backend = backend;
  (*out_executable)->func = func;
  (*out_executable)->face = NULL;
  (*out_executable)->input_count = type->input_count;
  (*out_executable)->output_count = type->result_count;
  ten_trace_program(*out_executable, traced, start);
  status = ten_mapped_check(); /* constants have been read */
  if (status) ten_executable_release(*out_executable), *out_executable = NULL;
  return status;
}

static ten_status *check_input(const ten_executable *executable, const ten_type *type, uint32_t index,
                               const ten_tensor *input) {
  const ten_type *want = type->inputs[index];
  if (ten_tensor_fits(input, want)) return NULL;
  TEN_RECOVER("running the program");
  ten_buf a = {0}, b = {0};
  ten_tensor_print_type(&a, input);
  ten_type_print(&b, want);
  ten_status *status = ten_error(TEN_INVALID, "input %u is %s, @%.*s takes %s", index, a.data,
                                 TEN_FMT(ten_func_name(executable->func)), b.data);
  ten_buf_free(&a);
  ten_buf_free(&b);
  return status;
}

static ten_status *execute(ten_executable *executable, ten_tensor *const *inputs, size_t input_count,
                           const ten_run_options *options, ten_tensor **outputs) {
  TEN_RECOVER("running the program");
  static const ten_run_options none;
  return executable->backend->execute(executable, inputs, input_count, options ? options : &none, outputs);
}

ten_status *ten_execute(ten_executable *executable, ten_tensor *const *inputs, size_t input_count,
                        const ten_run_options *options, ten_tensor **outputs) {
  for (uint32_t i = 0; i < executable->output_count; i++) outputs[i] = NULL;
  if (input_count != executable->input_count)
    return ten_error(TEN_INVALID, "@%.*s takes %u inputs, got %zu", TEN_FMT(ten_func_name(executable->func)),
                     executable->input_count, input_count);
  const ten_type *type = ten_func_type(executable->func);
  for (uint32_t i = 0; i < executable->input_count; i++) TEN_TRY(check_input(executable, type, i, inputs[i]));
  const double start = executable->traced ? ten_clock() : 0;
  ten_status *status = execute(executable, inputs, input_count, options, outputs);
  if (executable->traced) ten_trace_run(executable->traced, start);
  if (!status) status = ten_mapped_check();
  if (status) ten_tensors_release(outputs, executable->output_count);
  return status;
}

void ten_executable_release(ten_executable *executable) {
  if (!executable) return;
  struct ten_executable_face *face = executable->face;
  ten_traced *traced = executable->traced;
  executable->backend->destroy(executable);
  ten_traced_free(traced);
  if (face) face->destroy(face);
}

static ten_status *not_offered(const ten_backend *backend, const char *what) {
  return ten_error(TEN_UNSUPPORTED, "device '%s' does not support %s", backend->name, what);
}

ten_cost ten_backend_cost(const ten_executable *executable) {
  ten_cost cost = {0};
  const ten_backend *backend = executable->backend;
  return backend->cost && backend->cost(executable, &cost) ? cost : (ten_cost){0};
}

bool ten_executable_memory(const ten_executable *executable, ten_memory *out_memory) {
  *out_memory = (ten_memory){0};
  return executable->backend->memory && executable->backend->memory(executable, out_memory);
}

bool ten_executable_is_plain(const ten_executable *executable) {
  return executable->backend->is_plain && executable->backend->is_plain(executable);
}

ten_status *ten_executable_call(ten_executable *executable, void *const *inputs, void *const *outputs) {
  const double start = executable->traced ? ten_clock() : 0;
  ten_status *status = executable->backend->call(executable, inputs, outputs);
  if (executable->traced) ten_trace_run(executable->traced, start);
  return status ? status : ten_mapped_check();
}

bool ten_executable_in_place(const ten_executable *executable, uint32_t input, uint32_t output) {
  return executable->backend->in_place && executable->backend->in_place(executable, input, output);
}

ten_status *ten_executable_enqueue(ten_executable *executable, const uint64_t *inputs, const uint64_t *outputs,
                                   void *stream, ten_enqueue_counts *counts) {
  TEN_RECOVER("running the program");
  const ten_backend *backend = executable->backend;
  return backend->enqueue ? backend->enqueue(executable, inputs, outputs, stream, counts)
                          : not_offered(backend, "calls on memory of the device");
}

void ten_executable_share(ten_executable *executable, ten_task task, void *context, int64_t count) {
  if (executable->backend->share)
    executable->backend->share(executable, task, context, count);
  else
    for (int64_t i = 0; i < count; i++) task(context, i, 0);
}

ten_status *ten_executable_profile(ten_executable *executable, ten_profile *profile) {
  TEN_RECOVER("running the program");
  const ten_backend *backend = executable->backend;
  return backend->profile ? backend->profile(executable, profile) : not_offered(backend, "a profile by step");
}

ten_status *ten_executable_steps(const ten_executable *executable, ten_steps *out_steps) {
  TEN_RECOVER("listing the program's steps");
  const ten_backend *backend = executable->backend;
  *out_steps = (ten_steps){0};
  return backend->steps ? backend->steps(executable, out_steps) : not_offered(backend, "a list of steps");
}

ten_status *ten_execute_together(ten_executable *executable, uint32_t replicas, uint32_t partitions,
                                 ten_tensor *const *const *inputs, ten_tensor **const *outputs) {
  TEN_RECOVER("running the program");
  const ten_backend *backend = executable->backend;
  return backend->execute_together ? backend->execute_together(executable, replicas, partitions, inputs, outputs)
                                   : not_offered(backend, "programs of several processes");
}

ten_status *ten_backend_plan_memory(const ten_backend *backend, const ten_module *module, const ten_op *func,
                                    const ten_settings *settings, ten_memory *out_memory) {
  *out_memory = (ten_memory){0};
  TEN_RECOVER("planning memory");
  TEN_TRY(ten_verify(module));
  return backend->plan_memory ? backend->plan_memory(backend, module, func, settings_or_default(settings), out_memory)
                              : not_offered(backend, "memory estimates");
}

ten_status *ten_backend_show(const ten_backend *backend, const ten_module *module, const ten_op *func,
                             const ten_settings *settings, const char *stage, ten_buf *out) {
  TEN_RECOVER("compiling the program");
  TEN_TRY(ten_verify(module));
  TEN_TRY(check_precision(backend, settings_or_default(settings)));
  for (size_t i = 0; backend->show && backend->stages[i]; i++)
    if (!strcmp(backend->stages[i], stage))
      return backend->show(backend, module, func, settings_or_default(settings), stage, out);
  return ten_error(TEN_UNSUPPORTED, "device '%s' has no stage '%s'", backend->name, stage);
}

ten_status *ten_backend_save(const ten_backend *backend, ten_module *module, const ten_op *func,
                             const ten_settings *settings, ten_tuning *tuning, ten_buf *out) {
  TEN_RECOVER("compiling the program");
  TEN_TRY(ten_verify(module));
  return backend->save ? backend->save(backend, module, func, settings_or_default(settings), tuning, out)
                       : not_offered(backend, "compiled files");
}

ten_status *ten_backend_export(const ten_backend *backend, ten_module *module, const ten_op *func,
                               const ten_settings *settings, const ten_export_options *options, ten_tuning *tuning) {
  TEN_RECOVER("compiling the program");
  TEN_TRY(ten_verify(module));
  return backend->export_library
             ? backend->export_library(backend, module, func, settings_or_default(settings), options, tuning)
             : not_offered(backend, "shared objects");
}

ten_status *ten_backend_load(const ten_backend *backend, const void *data, size_t size, const char *name,
                             ten_executable **out_executable) {
  *out_executable = NULL;
  TEN_RECOVER("loading the compiled program");
  if (!backend->load) return not_offered(backend, "compiled files");
  const double start = ten_clock();
  TEN_TRY(backend->load(backend, data, size, name, out_executable));
  (*out_executable)->face = NULL;
  ten_trace_program(*out_executable, ten_trace_start(NULL), start);
  return NULL;
}
