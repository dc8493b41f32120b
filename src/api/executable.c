/* executable.c: the public API of compiled programs (tenfold/executable.h). Plain programs access the caller's buffers
 * in place; others go through tensors. */
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "backend/settings.h"
#include "base/file.h"
#include "base/size.h"
#include "base/versioned.h"
#include "driver/devices.h"
#include "driver/open_program.h"
#include "ir/assert.h"

/* The module to compile, the program's own or, without checks, a copy that shares its constants; and the settings. */
static ten_status *read_options(const ten_program *program, const ten_compile_options *options,
                                ten_settings *out_settings, ten_module **out_copy) {
  *out_copy = NULL;
  TEN_TRY(TEN_OPTIONS_CHECK(options, ten_compile_options, no_checks));
  const char *precision = options ? options->precision : NULL;
  const bool exact_conv = options && options->exact_conv, no_checks = options && options->no_checks;
  if (exact_conv && options->device && strcmp(options->device, "cpu"))
    return ten_error(TEN_UNSUPPORTED, "exact_conv is an option of the cpu, not of %s", options->device);
  TEN_TRY(ten_settings_parse(precision, exact_conv, out_settings));
  if (!no_checks) return NULL;
  *out_copy = ten_module_clone_view(program->module);
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

static void face_destroy(struct ten_executable_face *face) {
  for (ten_buffer *at = face->inputs; at->dims; at++) free((void *)(uintptr_t)at->dims);
  for (ten_buffer *at = face->outputs; at->dims; at++) free((void *)(uintptr_t)at->dims);
  free(face->inputs);
  free(face->outputs);
  for (char **name = face->names; *name; name++) free(*name);
  free(face->names);
  if (face->module) ten_module_destroy(face->module);
  ten_program_release(face->program);
  free(face);
}

/* Descriptions, terminated by one without dimensions. */
static ten_buffer *describe_all(uint32_t count, const ten_type *const *types) {
  ten_buffer *all = ten_alloc((count + 1) * sizeof *all);
  memset(all, 0, (count + 1) * sizeof *all);
  for (uint32_t i = 0; i < count; i++) describe(&all[i], types[i]);
  return all;
}

static char *name_copy(ten_str name) {
  char *copy = ten_alloc(name.size + 1);
  if (name.size) memcpy(copy, name.data, name.size);
  copy[name.size] = 0;
  return copy;
}

/* Of the inputs, then of the outputs, terminated by NULL. */
static char **name_all(const ten_op *func) {
  const ten_type *type = ten_func_type(func);
  const uint32_t inputs = type->input_count, outputs = type->result_count;
  char **names = ten_alloc((inputs + outputs + 1) * sizeof *names);
  memset(names, 0, (inputs + outputs + 1) * sizeof *names);
  for (uint32_t i = 0; i < inputs; i++) names[i] = name_copy(ten_func_input_name(func, i));
  for (uint32_t i = 0; i < outputs; i++) names[inputs + i] = name_copy(ten_func_result_name(func, i));
  return names;
}

/* Adds what the public functions need besides the executable itself. */
static void add_face(ten_executable *executable, ten_program *program, ten_module *module, const ten_op *func) {
  const ten_type *type = ten_func_type(func);
  struct ten_executable_face *face = ten_alloc(sizeof *face);
  *face = (struct ten_executable_face){.destroy = face_destroy,
                                       .inputs = describe_all(type->input_count, type->inputs),
                                       .outputs = describe_all(type->result_count, type->results),
                                       .names = name_all(func),
                                       .program = program ? ten_program_retain(program) : NULL,
                                       .module = module};
  executable->face = face;
}

/* Whether dimensions stay open that the program leaves open. */
static bool wants_open(const ten_compile_options *options) {
  return options && options->size >= TEN_SIZE_WITH(ten_compile_options, open) && options->open;
}

/* The program as it came; borrowed. */
static ten_import import_of(const ten_program *program, ten_module *copy) {
  if (program->archive && program->archive->aten) return *program->archive;
  return (ten_import){.stablehlo = copy ? copy : program->module};
}

static ten_open_options open_options(const ten_compile_options *options, const ten_settings *settings) {
  return (ten_open_options){
      .entry = options ? options->entry : NULL, .settings = *settings, .unchecked = options && options->no_checks};
}

/* Whether the executable takes all sizes: an archive's where that is asked for, as it has an example to take sizes
 * from. Other devices get StableHLO as it is. */
static bool stays_open(const ten_import *import, const ten_compile_options *options, const ten_backend *backend) {
  if (import->aten) return wants_open(options) && ten_import_is_open(import, NULL);
  return backend == ten_backend_default() && ten_import_is_open(import, options ? options->entry : NULL);
}

static ten_status *compile_open(const ten_import *import, const ten_compile_options *options,
                                const ten_backend *backend, const ten_settings *settings,
                                ten_executable **out_executable) {
  const ten_open_options open = open_options(options, settings);
  if (backend != ten_backend_default())
    return ten_error(TEN_UNSUPPORTED, "open dimensions are an option of the cpu, not of %s", backend->name);
  return ten_open_program_create(import, &open, out_executable);
}

ten_status *ten_program_compile(ten_program *program, const ten_compile_options *options,
                                ten_executable **out_executable) {
  *out_executable = NULL;
  TEN_RECOVER("compiling the program");
  const char *name = options && options->device ? options->device : "cpu";
  const ten_backend *backend;
  ten_settings settings;
  ten_module *copy;
  TEN_TRY(read_options(program, options, &settings, &copy));
  ten_op *func = NULL;
  ten_executable *executable = NULL;
  ten_status *status = find_entry(copy ? copy : program->module, options, &func);
  if (!status) status = ten_backend_open(name, &backend);
  const ten_import import = import_of(program, copy);
  const bool open = !status && stays_open(&import, options, backend);
  if (!status && open) status = compile_open(&import, options, backend, &settings, &executable);
  if (!status && !open) status = ten_compile(backend, copy ? copy : program->module, func, &settings, &executable);
  if (status) {
    if (copy) ten_module_destroy(copy);
    return status;
  }
  add_face(executable, program, copy, executable->func);
  *out_executable = executable;
  return NULL;
}

/* A compiled file, with open dimensions where the program has them: StableHLO has no example to take sizes from. */
static ten_status *write_compiled(ten_program *program, const ten_compile_options *options,
                                  const ten_settings *settings, ten_module *copy, const ten_op *func, const char *path,
                                  ten_tuning *tune) {
  const ten_import import = import_of(program, copy);
  const ten_open_options open = open_options(options, settings);
  if (ten_import_is_open(&import, open.entry) && (import.stablehlo || wants_open(options)))
    return tune ? ten_error(TEN_UNSUPPORTED, "a program with open dimensions cannot be tuned")
                : ten_open_program_save(&import, &open, path);
  ten_buf bytes = {0};
  ten_module *module = copy ? copy : program->module;
  ten_status *status = ten_backend_save(ten_backend_default(), module, func, settings, tune, &bytes);
  if (!status) status = ten_file_write_atomic(path, bytes.data, bytes.size);
  ten_buf_free(&bytes);
  return status;
}

/* Writes the program to a file: a shared object with `shared`, otherwise a compiled file. */
static ten_status *write_file(ten_program *program, const ten_compile_options *options,
                              const ten_export_options *shared, const char *path) {
  ten_settings settings;
  ten_module *copy;
  TEN_TRY(read_options(program, options, &settings, &copy));
  ten_op *func = NULL;
  ten_tuning tuning = {0}, *tune = options && options->tune ? &tuning : NULL;
  const ten_backend *backend = ten_backend_default();
  ten_module *module = copy ? copy : program->module;
  ten_status *status = find_entry(module, options, &func);
  if (!status && shared && wants_open(options))
    status = ten_error(TEN_UNSUPPORTED, "a shared object takes one shape of each input: dimensions cannot stay open");
  if (!status && shared) status = ten_backend_export(backend, module, func, &settings, shared, tune);
  if (!status && !shared) status = write_compiled(program, options, &settings, copy, func, path, tune);
  ten_tuning_free(&tuning);
  if (copy) ten_module_destroy(copy);
  return status;
}

ten_status *ten_program_compile_to(ten_program *program, const ten_compile_options *options, const char *path) {
  TEN_RECOVER("compiling the program");
  return write_file(program, options, NULL, path);
}

ten_status *ten_program_export(ten_program *program, const ten_compile_options *options, const char *path,
                               const char *header, const char *name) {
  TEN_RECOVER("compiling the program");
  return write_file(program, options, &(ten_export_options){.path = path, .header = header, .name = name}, path);
}

ten_status *ten_executable_open(const char *path, ten_executable **out_executable) {
  *out_executable = NULL;
  TEN_RECOVER("opening the compiled program");
  ten_executable *executable;
  TEN_TRY(ten_compiled_file_open(path, NULL, &executable));
  add_face(executable, NULL, NULL, executable->func);
  *out_executable = executable;
  return NULL;
}

size_t ten_executable_input_count(const ten_executable *executable) { return executable->input_count; }
size_t ten_executable_output_count(const ten_executable *executable) { return executable->output_count; }
ten_buffer ten_executable_input(const ten_executable *executable, size_t index) {
  return executable->face->inputs[index];
}
ten_buffer ten_executable_output(const ten_executable *executable, size_t index) {
  return executable->face->outputs[index];
}
const char *ten_executable_input_name(const ten_executable *executable, size_t index) {
  return executable->face->names[index];
}
const char *ten_executable_output_name(const ten_executable *executable, size_t index) {
  return executable->face->names[executable->input_count + index];
}

ten_status *ten_executable_cost(const ten_executable *executable, ten_cost *out_cost) {
  TEN_RECOVER("counting costs");
  const ten_cost cost = ten_backend_cost(executable);
  return TEN_RESULT_FILL(out_cost, &cost, ten_cost, bytes);
}

/* "f32[2, ?, 4]"; a dynamic dimension is a question mark. */
static void print_buffer(ten_buf *out, const ten_buffer *buffer) {
  ten_buf_printf(out, "%s[", ten_dtype_name(buffer->dtype));
  if (buffer->rank && !buffer->dims) ten_buf_printf(out, "no dimensions for rank %u", buffer->rank);
  for (uint32_t i = 0; i < buffer->rank && buffer->dims; i++) {
    if (i) ten_buf_adds(out, ", ");
    if (buffer->dims[i] < 0)
      ten_buf_adds(out, "?");
    else
      ten_buf_printf(out, "%lld", (long long)buffer->dims[i]);
  }
  ten_buf_adds(out, "]");
}

static ten_status *wrong_buffer(const char *what, size_t index, const ten_buffer *given, const ten_buffer *wanted) {
  TEN_RECOVER("checking buffers");
  ten_buf is = {0}, must = {0};
  print_buffer(&is, given);
  print_buffer(&must, wanted);
  ten_status *status = ten_error(TEN_INVALID, "%s %zu is %s, must be %s", what, index, is.data, must.data);
  ten_buf_free(&is);
  ten_buf_free(&must);
  return status;
}

/* Whether the dimensions match, and how many bytes they take. */
static bool dims_fit(const ten_buffer *given, const ten_buffer *wanted, size_t *out_bytes) {
  *out_bytes = ten_dtype_bytes(wanted->dtype);
  if (given->dtype != wanted->dtype || given->rank != wanted->rank || (given->rank && !given->dims)) return false;
  for (uint32_t i = 0; i < given->rank; i++)
    if (given->dims[i] < 0 || (given->dims[i] != wanted->dims[i] && wanted->dims[i] != -1) ||
        !ten_mul(*out_bytes, (size_t)given->dims[i], out_bytes))
      return false;
  return true;
}

ten_status *ten_buffer_check(const char *what, size_t index, const ten_buffer *given, const ten_buffer *wanted) {
  size_t bytes;
  if (!dims_fit(given, wanted, &bytes)) return wrong_buffer(what, index, given, wanted);
  if (given->bytes < bytes || (!given->data && bytes))
    return ten_error(TEN_INVALID, "%s %zu needs %zu bytes, %zu are given", what, index, bytes,
                     given->data ? given->bytes : 0);
  if (!ten_dtype_is_aligned(given->dtype, given->data))
    return ten_error(TEN_INVALID, "%s %zu is at address %p; elements of type %s must be aligned to %zu bytes", what,
                     index, given->data, ten_dtype_name(given->dtype), ten_dtype_bytes(ten_dtype_part(given->dtype)));
  return NULL;
}

enum { SMALL = 32 };

/* Executes directly on the caller's memory. */
static ten_status *execute_direct(ten_executable *executable, const ten_buffer *inputs, const ten_buffer *outputs) {
  const size_t count = (size_t)executable->input_count + executable->output_count;
  void *small[SMALL], **at = count <= SMALL ? small : malloc(count * sizeof *at);
  if (!at) return ten_error(TEN_LIMIT, "out of memory: no room for the addresses of %zu buffers", count);
  for (uint32_t i = 0; i < executable->input_count; i++) at[i] = inputs[i].data;
  for (uint32_t i = 0; i < executable->output_count; i++) at[executable->input_count + i] = outputs[i].data;
  ten_status *status = ten_executable_call(executable, at, at + executable->input_count);
  if (at != small) free(at);
  return status;
}

static ten_status *execute_tensors(ten_executable *executable, const ten_buffer *inputs, const ten_buffer *outputs) {
  TEN_RECOVER("running the program");
  const size_t count = (size_t)executable->input_count + executable->output_count;
  ten_tensor **tensors = ten_alloc((count + 1) * sizeof *tensors), **results = tensors + executable->input_count;
  memset(tensors, 0, (count + 1) * sizeof *tensors);
  ten_status *status = NULL;
  for (uint32_t i = 0; i < executable->input_count && !status; i++)
    status = ten_tensor_from_memory(inputs[i].dtype, inputs[i].rank, inputs[i].dims, inputs[i].data, NULL, NULL,
                                    &tensors[i]);
  if (!status) status = ten_execute(executable, tensors, executable->input_count, NULL, results);
  for (uint32_t i = 0; i < executable->output_count && !status; i++) {
    const ten_buffer result = {.dtype = results[i]->dtype, .rank = results[i]->rank, .dims = results[i]->dims};
    size_t bytes;
    if (!dims_fit(&outputs[i], &result, &bytes))
      status = wrong_buffer("output", i, &outputs[i], &result);
    else if (results[i]->bytes > outputs[i].bytes)
      status =
          ten_error(TEN_INVALID, "output %u takes %zu bytes, %zu are given", i, results[i]->bytes, outputs[i].bytes);
    else
      memcpy(outputs[i].data, results[i]->data, results[i]->bytes);
  }
  ten_tensors_release(tensors, count);
  free(tensors);
  return status;
}

ten_status *ten_executable_execute(ten_executable *executable, const ten_buffer *inputs, size_t input_count,
                                   const ten_buffer *outputs, size_t output_count) {
  if (input_count != executable->input_count || output_count != executable->output_count)
    return ten_error(TEN_INVALID, "the program takes %u inputs and returns %u outputs; %zu and %zu are given",
                     executable->input_count, executable->output_count, input_count, output_count);
  for (size_t i = 0; i < input_count; i++)
    TEN_TRY(ten_buffer_check("input", i, &inputs[i], &executable->face->inputs[i]));
  for (size_t i = 0; i < output_count; i++)
    TEN_TRY(ten_buffer_check("output", i, &outputs[i], &executable->face->outputs[i]));
  return ten_executable_is_plain(executable) ? execute_direct(executable, inputs, outputs)
                                             : execute_tensors(executable, inputs, outputs);
}

struct ten_event {
  ten_executable *executable;
  ten_buffer *buffers; /* owned copies of the descriptions: inputs, then outputs */
  ten_thread thread;
  ten_status *status;
  int done; /* atomic */
  bool joined;
};

static void *event_run(void *argument) {
  ten_event *event = argument;
  const ten_executable *c = event->executable;
  event->status = ten_executable_execute(event->executable, event->buffers, c->input_count,
                                         event->buffers + c->input_count, c->output_count);
  __atomic_store_n(&event->done, 1, __ATOMIC_RELEASE);
  return NULL;
}

ten_status *ten_executable_start(ten_executable *executable, const ten_buffer *inputs, size_t input_count,
                                 const ten_buffer *outputs, size_t output_count, ten_event **out_event) {
  *out_event = NULL;
  TEN_RECOVER("starting the program");
  if (input_count != executable->input_count || output_count != executable->output_count)
    return ten_error(TEN_INVALID, "the program takes %u inputs and returns %u outputs; %zu and %zu are given",
                     executable->input_count, executable->output_count, input_count, output_count);
  ten_event *event = ten_alloc(sizeof *event);
  *event = (ten_event){.executable = executable,
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
