/* api_executable.c: the public face of compiled programs (tenfold/executable.h). Plain programs read and write the
 * caller's buffers where they are; others go through tensors. */
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "backend/settings.h"
#include "base/file.h"
#include "driver/devices.h"
#include "ir/assert.h"

static bool has_field(const ten_compile_options *options, size_t offset, size_t size) {
  return options && options->size >= offset + size;
}
#define HAS(options, field) \
  has_field(options, offsetof(ten_compile_options, field), sizeof((ten_compile_options){0}.field))

/* The module to compile, the model's own or, without checks, a copy of it that shares its constants; and how. */
static ten_status *read_options(const ten_model *model, const ten_compile_options *options, ten_settings *out_settings,
                                ten_module **out_copy) {
  const char *precision = HAS(options, precision) ? options->precision : NULL;
  const bool exact_conv = HAS(options, exact_conv) && options->exact_conv;
  const bool no_checks = HAS(options, no_checks) && options->no_checks;
  *out_copy = NULL;
  if ((precision || exact_conv) && options->device && strcmp(options->device, "cpu"))
    return ten_error(TEN_UNSUPPORTED, "precision and exact_conv are options of the cpu, not of %s", options->device);
  TEN_TRY(ten_settings_parse(precision, exact_conv, out_settings));
  if (!no_checks) return NULL;
  *out_copy = ten_module_clone_view(model->module);
  ten_asserts_strip(*out_copy);
  return NULL;
}

static ten_status *find_entry(const ten_module *module, const ten_compile_options *options, ten_op **out_func) {
  const char *name = options ? options->entry : NULL;
  *out_func = ten_module_entry(module, ten_str_of(name));
  if (*out_func) return NULL;
  return name ? ten_error(TEN_NOT_FOUND, "the program has no function @%s", name)
              : ten_error(TEN_NOT_FOUND, "the program has neither @main nor a single public function: name one");
}

static void describe(ten_buffer *buffer, const ten_type *type) {
  *buffer = (ten_buffer){.dtype = type->dtype, .rank = type->rank};
  int64_t *dims = ten_alloc((type->rank + 1) * sizeof *dims);
  for (uint32_t i = 0; i < type->rank; i++) dims[i] = type->dims[i] == TEN_DYNAMIC ? -1 : type->dims[i];
  buffer->dims = dims;
  if (ten_type_is_static(type)) buffer->bytes = ten_type_bytes(type);
}

static ten_compiled *wrap(ten_model *model, ten_executable *executable, uint32_t input_count,
                          const ten_type *const *inputs, uint32_t output_count, const ten_type *const *outputs) {
  ten_compiled *compiled = ten_alloc(sizeof *compiled);
  *compiled = (ten_compiled){.model = model ? ten_model_retain(model) : NULL,
                             .executable = executable,
                             .input_count = input_count,
                             .output_count = output_count};
  compiled->inputs = ten_alloc((input_count + 1) * sizeof *compiled->inputs);
  compiled->outputs = ten_alloc((output_count + 1) * sizeof *compiled->outputs);
  for (uint32_t i = 0; i < input_count; i++) describe(&compiled->inputs[i], inputs[i]);
  for (uint32_t i = 0; i < output_count; i++) describe(&compiled->outputs[i], outputs[i]);
  return compiled;
}

ten_status *ten_model_compile(ten_model *model, const ten_compile_options *options, ten_compiled **out_compiled) {
  *out_compiled = NULL;
  TEN_RECOVER("compiling the program");
  const char *name = options && options->device ? options->device : "cpu";
  const ten_backend *backend;
  ten_settings settings;
  ten_module *copy;
  TEN_TRY(read_options(model, options, &settings, &copy));
  ten_op *func = NULL;
  ten_executable *executable = NULL;
  ten_status *status = find_entry(copy ? copy : model->module, options, &func);
  if (!status) status = ten_backend_open(name, &backend);
  if (!status) status = ten_compile(backend, copy ? copy : model->module, func, &settings, &executable);
  if (status) {
    if (copy) ten_module_destroy(copy);
    return status;
  }
  const ten_type *type = ten_func_type(func);
  *out_compiled = wrap(model, executable, type->input_count, type->inputs, type->result_count, type->results);
  (*out_compiled)->module = copy;
  return NULL;
}

/* A file of the model: a shared object with `shared`, else compiled. */
static ten_status *write_file(ten_model *model, const ten_compile_options *options, const ten_export_options *shared,
                              const char *path) {
  ten_settings settings;
  ten_module *copy;
  TEN_TRY(read_options(model, options, &settings, &copy));
  ten_op *func = NULL;
  ten_buf bytes = {0};
  ten_tuning tuning = {0}, *tune = HAS(options, tune) && options->tune ? &tuning : NULL;
  const ten_backend *backend = ten_backend_default();
  ten_module *module = copy ? copy : model->module;
  ten_status *status = find_entry(module, options, &func);
  if (!status && shared) status = ten_backend_export(backend, module, func, &settings, shared, tune);
  if (!status && !shared) status = ten_backend_save(backend, module, func, &settings, tune, &bytes);
  if (!status && !shared) status = ten_file_write_atomic(path, bytes.data, bytes.size);
  ten_buf_free(&bytes);
  ten_tuning_free(&tuning);
  if (copy) ten_module_destroy(copy);
  return status;
}

ten_status *ten_model_compile_to(ten_model *model, const ten_compile_options *options, const char *path) {
  TEN_RECOVER("compiling the program");
  return write_file(model, options, NULL, path);
}

ten_status *ten_model_export(ten_model *model, const ten_compile_options *options, const char *path, const char *header,
                             const char *name) {
  TEN_RECOVER("compiling the program");
  return write_file(model, options, &(ten_export_options){.path = path, .header = header, .name = name}, path);
}

ten_status *ten_compiled_open(const char *path, ten_compiled **out_compiled) {
  *out_compiled = NULL;
  TEN_RECOVER("opening the compiled program");
  ten_executable *executable;
  TEN_TRY(ten_executable_open(path, NULL, &executable));
  const ten_type *type = ten_func_type(executable->func);
  *out_compiled = wrap(NULL, executable, type->input_count, type->inputs, type->result_count, type->results);
  return NULL;
}

void ten_compiled_release(ten_compiled *compiled) {
  if (!compiled) return;
  ten_executable_destroy(compiled->executable);
  for (uint32_t i = 0; i < compiled->input_count; i++) free((void *)(uintptr_t)compiled->inputs[i].dims);
  for (uint32_t i = 0; i < compiled->output_count; i++) free((void *)(uintptr_t)compiled->outputs[i].dims);
  free(compiled->inputs);
  free(compiled->outputs);
  if (compiled->module) ten_module_destroy(compiled->module);
  ten_model_release(compiled->model);
  free(compiled);
}

size_t ten_compiled_input_count(const ten_compiled *compiled) { return compiled->input_count; }
size_t ten_compiled_output_count(const ten_compiled *compiled) { return compiled->output_count; }
ten_buffer ten_compiled_input(const ten_compiled *compiled, size_t index) { return compiled->inputs[index]; }
ten_buffer ten_compiled_output(const ten_compiled *compiled, size_t index) { return compiled->outputs[index]; }

ten_cost ten_compiled_cost(const ten_compiled *compiled) {
  TEN_RECOVER_AS("counting costs", (ten_cost){0});
  return ten_executable_cost(compiled->executable);
}

static ten_status *check_buffer(const char *what, size_t index, const ten_buffer *given, const ten_buffer *wanted) {
  bool fits = given->dtype == wanted->dtype && given->rank == wanted->rank;
  size_t count = 1;
  for (uint32_t i = 0; i < given->rank && fits; i++) {
    fits = given->dims[i] == wanted->dims[i] || wanted->dims[i] == -1;
    count *= (size_t)given->dims[i];
  }
  if (!fits) return ten_error(TEN_INVALID, "%s %zu has not the type and shape that the program declares", what, index);
  const size_t bytes = count * ten_dtype_bytes(given->dtype);
  if (given->bytes < bytes || (!given->data && bytes))
    return ten_error(TEN_INVALID, "%s %zu needs %zu bytes, %zu are given", what, index, bytes,
                     given->data ? given->bytes : 0);
  return NULL;
}

enum { SMALL = 32 };

/* Straight into the caller's memory. */
static ten_status *execute_direct(ten_compiled *compiled, const ten_buffer *inputs, const ten_buffer *outputs) {
  const size_t count = (size_t)compiled->input_count + compiled->output_count;
  void *small[SMALL], **at = count <= SMALL ? small : malloc(count * sizeof *at);
  if (!at) return ten_error(TEN_LIMIT, "out of memory: no room for the addresses of %zu buffers", count);
  for (uint32_t i = 0; i < compiled->input_count; i++) at[i] = inputs[i].data;
  for (uint32_t i = 0; i < compiled->output_count; i++) at[compiled->input_count + i] = outputs[i].data;
  ten_status *status = ten_executable_call(compiled->executable, at, at + compiled->input_count);
  if (at != small) free(at);
  return status;
}

static ten_status *execute_tensors(ten_compiled *compiled, const ten_buffer *inputs, const ten_buffer *outputs) {
  TEN_RECOVER("running the program");
  const size_t count = (size_t)compiled->input_count + compiled->output_count;
  ten_tensor **tensors = ten_alloc((count + 1) * sizeof *tensors), **results = tensors + compiled->input_count;
  memset(tensors, 0, (count + 1) * sizeof *tensors);
  ten_status *status = NULL;
  for (uint32_t i = 0; i < compiled->input_count && !status; i++)
    status = ten_tensor_view(inputs[i].dtype, inputs[i].rank, inputs[i].dims, inputs[i].data, NULL, NULL, &tensors[i]);
  if (!status) status = ten_execute(compiled->executable, tensors, compiled->input_count, NULL, results);
  for (uint32_t i = 0; i < compiled->output_count && !status; i++) {
    if (results[i]->bytes > outputs[i].bytes)
      status =
          ten_error(TEN_INVALID, "output %u takes %zu bytes, %zu are given", i, results[i]->bytes, outputs[i].bytes);
    else
      memcpy(outputs[i].data, results[i]->data, results[i]->bytes);
  }
  ten_tensors_release(tensors, count);
  free(tensors);
  return status;
}

ten_status *ten_compiled_execute(ten_compiled *compiled, const ten_buffer *inputs, size_t input_count,
                                 const ten_buffer *outputs, size_t output_count) {
  if (input_count != compiled->input_count || output_count != compiled->output_count)
    return ten_error(TEN_INVALID, "the program takes %u inputs and gives %u outputs; %zu and %zu are given",
                     compiled->input_count, compiled->output_count, input_count, output_count);
  for (size_t i = 0; i < input_count; i++) TEN_TRY(check_buffer("input", i, &inputs[i], &compiled->inputs[i]));
  for (size_t i = 0; i < output_count; i++) TEN_TRY(check_buffer("output", i, &outputs[i], &compiled->outputs[i]));
  return ten_executable_is_plain(compiled->executable) ? execute_direct(compiled, inputs, outputs)
                                                       : execute_tensors(compiled, inputs, outputs);
}

struct ten_event {
  ten_compiled *compiled;
  ten_buffer *buffers; /* owned copies of the descriptions: inputs, then outputs */
  ten_thread thread;
  ten_status *status;
  int done; /* atomic */
  bool joined;
};

static void *event_run(void *argument) {
  ten_event *event = argument;
  const ten_compiled *c = event->compiled;
  event->status = ten_compiled_execute(event->compiled, event->buffers, c->input_count, event->buffers + c->input_count,
                                       c->output_count);
  __atomic_store_n(&event->done, 1, __ATOMIC_RELEASE);
  return NULL;
}

ten_status *ten_compiled_start(ten_compiled *compiled, const ten_buffer *inputs, size_t input_count,
                               const ten_buffer *outputs, size_t output_count, ten_event **out_event) {
  *out_event = NULL;
  TEN_RECOVER("starting the program");
  if (input_count != compiled->input_count || output_count != compiled->output_count)
    return ten_error(TEN_INVALID, "the program takes %u inputs and gives %u outputs", compiled->input_count,
                     compiled->output_count);
  ten_event *event = ten_alloc(sizeof *event);
  *event = (ten_event){.compiled = compiled,
                       .buffers = ten_alloc((input_count + output_count + 1) * sizeof *event->buffers)};
  if (input_count) memcpy(event->buffers, inputs, input_count * sizeof *inputs);
  if (output_count) memcpy(event->buffers + input_count, outputs, output_count * sizeof *outputs);
  ten_status *status = ten_thread_start(0, event_run, event, &event->thread);
  if (status) {
    free(event->buffers);
    free(event);
    return status;
  }
  *out_event = event;
  return NULL;
}

ten_status *ten_event_wait(ten_event *event) {
  if (!event->joined) ten_thread_join(event->thread);
  event->joined = true;
  if (!event->status && !ten_event_done(event))
    return ten_error(TEN_UNSUPPORTED, "the call was started before this process was forked, and ends in its parent");
  ten_status *status = event->status;
  event->status = NULL;
  return status;
}

int ten_event_done(ten_event *event) { return __atomic_load_n(&event->done, __ATOMIC_ACQUIRE); }

void ten_event_release(ten_event *event) {
  if (!event) return;
  ten_status_free(ten_event_wait(event));
  free(event->buffers);
  free(event);
}
