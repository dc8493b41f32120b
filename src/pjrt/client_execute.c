/* client_execute.c: a program compiled by a plugin, and its runs: arguments up, execute, results down.
 * Uploads and downloads are all started before any is waited for. An argument's memory is lent to the plugin for the
 * call (zero copy, where the plugin can), unless the program gives the argument up: then the device gets its own copy,
 * which it may write over. Weights are uploaded once, when the program is compiled. */
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "pjrt/client_device.h"
#include "pjrt/client_program.h"

typedef struct pjrt_executable {
  ten_executable base;
  pjrt_device *device;
  pjrt_program program;
  PJRT_LoadedExecutable *loaded;
  PJRT_Buffer **weights; /* owned, program.constant_count */
  ten_executable *host;  /* owned, or NULL: what the host does with the last outputs */
  size_t argument_count, result_count;
  int64_t *replaced_by; /* owned; of each argument: the result that takes its place, or -1 */
  int64_t *kept;        /* owned; arguments that the plugin must not write over in a repeated run */
  size_t kept_count;
  void (*free_owner)(void *); /* of a program from a file */
  void *owner;
} pjrt_executable;

extern const ten_backend ten_interp_backend;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void buffer_destroy(const pjrt_plugin *plugin, PJRT_Buffer *buffer) {
  if (!buffer) return;
  PJRT_Buffer_Destroy_Args args = PJRT_ARGS(PJRT_Buffer_Destroy, .buffer = buffer);
  ten_status_free(PJRT_TRY_CALL(plugin, PJRT_Buffer_Destroy, &args)); /* nothing could be done about it */
}

static ten_status *upload(pjrt_device *device, ten_dtype dtype, uint32_t rank, const int64_t *dims, const void *data,
                          PJRT_HostBufferSemantics semantics, PJRT_Buffer **out_buffer, PJRT_Event **out_done) {
  const PJRT_Buffer_Type type = pjrt_type_of(dtype);
  if (type == PJRT_Buffer_Type_INVALID)
    return ten_error(TEN_UNSUPPORTED, "PJRT has no elements of type %s", ten_dtype_name(dtype));
  PJRT_Client_BufferFromHostBuffer_Args args =
      PJRT_ARGS(PJRT_Client_BufferFromHostBuffer, .client = device->client, .data = data, .type = type, .dims = dims,
                .num_dims = rank, .host_buffer_semantics = semantics, .device = device->devices[0]);
  TEN_TRY(PJRT_TRY_CALL(&device->plugin, PJRT_Client_BufferFromHostBuffer, &args));
  *out_buffer = args.buffer;
  *out_done = args.done_with_host_buffer;
  return args.buffer ? NULL
                     : ten_error(TEN_INVALID, "%s: Client_BufferFromHostBuffer gives no buffer", device->plugin.name);
}

static ten_status *upload_weights(pjrt_executable *e) {
  const pjrt_program *p = &e->program;
  e->weights = ten_alloc((p->constant_count + 1) * sizeof *e->weights);
  PJRT_Event **done = ten_alloc((p->constant_count + 1) * sizeof *done);
  ten_status *status = NULL;
  for (uint32_t i = 0; i < p->constant_count && !status; i++) {
    const ten_type *type = p->constants[i]->dense.type;
    status = upload(e->device, type->dtype, type->rank, type->dims, p->constants[i]->dense.data,
                    PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes, &e->weights[i], &done[i]);
  }
  for (uint32_t i = 0; i < p->constant_count; i++)
    status = ten_first_error(status, pjrt_await(&e->device->plugin, done[i], e->device->timeout, "uploading a weight"));
  free(done);
  return ten_annotate(status, "uploading the program's weights");
}

/* Which result stands where which argument stood. */
static void find_replaced(pjrt_executable *e) {
  const pjrt_program *p = &e->program;
  e->replaced_by = ten_alloc((e->argument_count + 1) * sizeof *e->replaced_by);
  e->kept = ten_alloc((e->argument_count + 1) * sizeof *e->kept);
  for (uint32_t i = 0; i < e->argument_count; i++) {
    const ten_attr *alias = i < p->input_count ? ten_func_arg_attr(p->func, i, "tf.aliasing_output") : NULL;
    e->replaced_by[i] = ten_attr_as_int(alias, -1);
    if (e->replaced_by[i] >= (int64_t)e->result_count) e->replaced_by[i] = -1;
    if (e->replaced_by[i] < 0) e->kept[e->kept_count++] = i;
  }
}

static ten_status *check_outputs(const pjrt_executable *e) {
  const pjrt_plugin *plugin = &e->device->plugin;
  PJRT_LoadedExecutable_GetExecutable_Args get =
      PJRT_ARGS(PJRT_LoadedExecutable_GetExecutable, .loaded_executable = e->loaded);
  TEN_TRY(PJRT_TRY_CALL(plugin, PJRT_LoadedExecutable_GetExecutable, &get));
  PJRT_Executable_NumOutputs_Args count = PJRT_ARGS(PJRT_Executable_NumOutputs, .executable = get.executable);
  ten_status *status = PJRT_TRY_CALL(plugin, PJRT_Executable_NumOutputs, &count);
  PJRT_Executable_Destroy_Args destroy = PJRT_ARGS(PJRT_Executable_Destroy, .executable = get.executable);
  status = ten_first_error(status, PJRT_TRY_CALL(plugin, PJRT_Executable_Destroy, &destroy));
  if (!status && count.num_outputs != e->result_count)
    status = ten_error(TEN_INVALID, "%s: made a program of %zu results; ours has %zu", plugin->name, count.num_outputs,
                       e->result_count);
  return status;
}

static ten_status *compile(pjrt_executable *e, const ten_module *module, const ten_op *func) {
  pjrt_device *device = e->device;
  pjrt_program *p = &e->program;
  TEN_TRY(pjrt_program_make(module, func, p));
  const ten_type *type = ten_func_type(p->func);
  e->argument_count = type->input_count;
  e->result_count = type->result_count;
  ten_buf artifact = {0}, options = {0};
  pjrt_compile_options(&options, &(pjrt_spread){0});
  ten_status *status = pjrt_program_write(p, device->plugin.stablehlo, &artifact);
  if (!status) {
    PJRT_Program code = {.struct_size = sizeof code,
                         .code = artifact.data,
                         .code_size = artifact.size,
                         .format = "mlir",
                         .format_size = 4};
    PJRT_Client_Compile_Args args = PJRT_ARGS(PJRT_Client_Compile, .client = device->client, .program = &code,
                                              .compile_options = options.data, .compile_options_size = options.size);
    status = PJRT_TRY_CALL(&device->plugin, PJRT_Client_Compile, &args);
    e->loaded = args.executable;
    if (!status && !e->loaded) status = ten_error(TEN_INVALID, "%s: Client_Compile gives nothing", device->plugin.name);
  }
  ten_buf_free(&artifact);
  ten_buf_free(&options);
  if (!status) status = check_outputs(e);
  if (!status && p->host)
    status = ten_compile(&ten_interp_backend, p->host, ten_module_entry(p->host, TEN_STR("main")), &e->host);
  if (!status) find_replaced(e);
  if (!status) status = upload_weights(e);
  return status;
}

ten_status *pjrt_compile(const ten_backend *self, ten_module *module, const ten_op *func,
                         ten_executable **out_executable) {
  *out_executable = NULL;
  pjrt_device *device = pjrt_device_of(self);
  TEN_TRY(pjrt_device_open(device));
  pjrt_executable *e = ten_alloc(sizeof *e);
  *e = (pjrt_executable){.base.backend = self, .device = device};
  ten_status *status = compile(e, module, func);
  if (status)
    pjrt_destroy(&e->base);
  else
    *out_executable = &e->base;
  return status;
}

static ten_status *load(pjrt_executable *e, ten_str code) {
  pjrt_device *device = e->device;
  TEN_TRY(pjrt_device_open(device));
  const ten_type *type = ten_func_type(e->program.func);
  e->argument_count = type->input_count;
  e->result_count = type->result_count;
  PJRT_Executable_DeserializeAndLoad_Args args =
      PJRT_ARGS(PJRT_Executable_DeserializeAndLoad, .client = device->client, .serialized_executable = code.data,
                .serialized_executable_size = code.size);
  TEN_TRY(PJRT_TRY_CALL(&device->plugin, PJRT_Executable_DeserializeAndLoad, &args));
  e->loaded = args.loaded_executable;
  if (!e->loaded) return ten_error(TEN_INVALID, "%s: Executable_DeserializeAndLoad gives nothing", device->plugin.name);
  TEN_TRY(check_outputs(e));
  find_replaced(e);
  return upload_weights(e);
}

ten_status *pjrt_load(const ten_backend *backend, pjrt_program *program, ten_str code, const ten_op *entry,
                      void (*free_owner)(void *), void *owner, ten_executable **out_executable) {
  *out_executable = NULL;
  const ten_type *type = ten_func_type(entry);
  pjrt_executable *e = ten_alloc(sizeof *e);
  *e = (pjrt_executable){
      .base = {.backend = backend, .func = entry, .input_count = type->input_count, .output_count = type->result_count},
      .device = pjrt_device_of(backend),
      .program = *program,
      .free_owner = free_owner,
      .owner = owner};
  ten_status *status = load(e, code);
  if (status)
    pjrt_destroy(&e->base);
  else
    *out_executable = &e->base;
  return status;
}

void pjrt_destroy(ten_executable *executable) {
  pjrt_executable *e = (pjrt_executable *)executable;
  const pjrt_plugin *plugin = &e->device->plugin;
  for (uint32_t i = 0; e->weights && i < e->program.constant_count; i++) buffer_destroy(plugin, e->weights[i]);
  if (e->loaded) {
    PJRT_LoadedExecutable_Destroy_Args args = PJRT_ARGS(PJRT_LoadedExecutable_Destroy, .executable = e->loaded);
    ten_status_free(PJRT_TRY_CALL(plugin, PJRT_LoadedExecutable_Destroy, &args));
  }
  ten_executable_destroy(e->host);
  pjrt_program_free(&e->program);
  free(e->weights);
  free(e->replaced_by);
  free(e->kept);
  if (e->free_owner) e->free_owner(e->owner);
  free(e);
}

/* One run: arguments in `arguments`, results into `results`; waits until the device is done. */
static ten_status *run(pjrt_executable *e, PJRT_Buffer *const *arguments, bool keep, PJRT_Buffer **results) {
  pjrt_device *device = e->device;
  struct {
    PJRT_ExecuteOptions known;
    uint64_t later[PJRT_LATER];
  } options = {.known = {.struct_size = PJRT_IS_NEWER(&device->plugin) ? sizeof options : sizeof options.known}};
  if (keep) {
    options.known.non_donatable_input_indices = e->kept;
    options.known.num_non_donatable_input_indices = e->kept_count;
  }
  PJRT_Buffer *const *const argument_lists[] = {arguments};
  PJRT_Buffer **const result_lists[] = {results};
  PJRT_Event *done[1] = {NULL};
  PJRT_LoadedExecutable_Execute_Args args =
      PJRT_ARGS(PJRT_LoadedExecutable_Execute, .executable = e->loaded, .options = &options.known,
                .argument_lists = argument_lists, .num_devices = 1, .num_args = e->argument_count,
                .output_lists = result_lists, .device_complete_events = done);
  TEN_TRY(PJRT_TRY_CALL(&device->plugin, PJRT_LoadedExecutable_Execute, &args));
  TEN_TRY(pjrt_await(&device->plugin, done[0], device->timeout, "running the program"));
  for (size_t i = 0; i < e->result_count; i++)
    if (!results[i])
      return ten_error(TEN_INVALID, "%s: LoadedExecutable_Execute gives no result %zu", device->plugin.name, i);
  return NULL;
}

/* Starts copying a result to the host; row-major, whatever the device has. */
static ten_status *download(pjrt_device *device, PJRT_Buffer *buffer, const ten_type *type, ten_tensor **out_tensor,
                            PJRT_Event **out_done) {
  TEN_TRY(ten_tensor_create(type->dtype, type->rank, type->dims, out_tensor));
  if (!(*out_tensor)->bytes) return NULL;
  int64_t order[TEN_RANK_MAX];
  for (uint32_t i = 0; i < type->rank; i++) order[i] = type->rank - 1 - i;
  PJRT_Buffer_MemoryLayout layout = {
      .struct_size = sizeof layout,
      .tiled = {.struct_size = sizeof layout.tiled, .minor_to_major = order, .minor_to_major_size = type->rank},
      .type = PJRT_Buffer_MemoryLayout_Type_Tiled};
  PJRT_Buffer_ToHostBuffer_Args args = PJRT_ARGS(PJRT_Buffer_ToHostBuffer, .src = buffer, .host_layout = &layout,
                                                 .dst = (*out_tensor)->data, .dst_size = (*out_tensor)->bytes);
  TEN_TRY(PJRT_TRY_CALL(&device->plugin, PJRT_Buffer_ToHostBuffer, &args));
  *out_done = args.event;
  return NULL;
}

/* All results as tensors: `count` are the caller's, the others go to the host's own part of the program. */
static ten_status *take_results(pjrt_executable *e, PJRT_Buffer *const *results, const ten_run_options *options,
                                ten_tensor **outputs) {
  const ten_type *type = ten_func_type(e->program.func);
  ten_tensor **all = ten_alloc((e->result_count + 1) * sizeof *all);
  PJRT_Event **done = ten_alloc((e->result_count + 1) * sizeof *done);
  ten_status *status = NULL;
  for (size_t i = 0; i < e->result_count && !status; i++)
    status = download(e->device, results[i], type->results[i], &all[i], &done[i]);
  for (size_t i = 0; i < e->result_count; i++) {
    ten_status *waited = pjrt_await(&e->device->plugin, done[i], e->device->timeout, "copying a result to the host");
    /* A copy that has not ended may still write: its memory is given up. */
    if (waited && ten_status_code(waited) == TEN_LIMIT) all[i] = NULL;
    status = ten_first_error(status, waited);
  }
  const uint32_t count = e->program.output_count;
  if (!status && e->host) {
    ten_tensor **made = ten_alloc((e->program.host_result_count + 1) * sizeof *made);
    status = ten_execute(e->host, all + count, e->result_count - count, options, made);
    for (uint32_t i = 0; i < e->program.host_result_count && !status; i++) {
      ten_tensor_release(all[e->program.host_results[i]]);
      all[e->program.host_results[i]] = made[i];
    }
    free(made);
  }
  for (uint32_t i = 0; i < count && !status; i++) outputs[i] = ten_tensor_retain(all[i]);
  ten_tensors_release(all, e->result_count);
  free(all);
  free(done);
  return status;
}

typedef struct arguments {
  PJRT_Buffer **buffers; /* owned array; the first input_count are owned too */
  PJRT_Event **done;
} arguments;

static ten_status *arguments_make(pjrt_executable *e, ten_tensor *const *inputs, bool lend, arguments *a) {
  *a = (arguments){.buffers = ten_alloc((e->argument_count + 1) * sizeof *a->buffers),
                   .done = ten_alloc((e->argument_count + 1) * sizeof *a->done)};
  ten_status *status = NULL;
  for (uint32_t i = 0; i < e->program.input_count && !status; i++) {
    const ten_tensor *in = inputs[i];
    const bool copied = !lend || e->program.donated[i];
    status = upload(e->device, in->dtype, in->rank, in->dims, in->data,
                    copied ? PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes
                           : PJRT_HostBufferSemantics_kImmutableZeroCopy,
                    &a->buffers[i], &a->done[i]);
    if (status) status = ten_annotate(status, "uploading input %u", i);
  }
  for (uint32_t i = 0; i < e->program.constant_count; i++) a->buffers[e->program.input_count + i] = e->weights[i];
  return status;
}

/* The memory that was lent is given back once the buffer is gone, so the buffers go first. */
static ten_status *arguments_free(pjrt_executable *e, arguments *a) {
  ten_status *status = NULL;
  for (uint32_t i = 0; i < e->program.input_count; i++) buffer_destroy(&e->device->plugin, a->buffers[i]);
  for (uint32_t i = 0; i < e->program.input_count; i++)
    status =
        ten_first_error(status, pjrt_await(&e->device->plugin, a->done[i], e->device->timeout, "uploading an input"));
  free(a->buffers);
  free(a->done);
  return status;
}

ten_status *pjrt_execute(ten_executable *executable, ten_tensor *const *inputs, size_t input_count,
                         const ten_run_options *options, ten_tensor **outputs) {
  (void)input_count;
  pjrt_executable *e = (pjrt_executable *)executable;
  PJRT_Buffer **results = ten_alloc((e->result_count + 1) * sizeof *results);
  arguments a;
  ten_status *status = arguments_make(e, inputs, true, &a);
  if (!status) status = run(e, a.buffers, false, results);
  if (!status) status = take_results(e, results, options, outputs);
  for (size_t i = 0; i < e->result_count; i++) buffer_destroy(&e->device->plugin, results[i]);
  status = ten_first_error(status, arguments_free(e, &a));
  if (status) ten_tensors_release(outputs, e->program.output_count);
  free(results);
  return status;
}

ten_status *ten_pjrt_repeat(ten_executable *executable, ten_tensor *const *inputs, size_t count, double *out_seconds,
                            ten_tensor **outputs) {
  static const ten_run_options none;
  pjrt_executable *e = (pjrt_executable *)executable;
  const pjrt_plugin *plugin = &e->device->plugin;
  PJRT_Buffer **results = ten_alloc((e->result_count + 1) * sizeof *results);
  arguments a;
  ten_status *status = arguments_make(e, inputs, false, &a);
  for (uint32_t i = 0; i < e->program.input_count && !status; i++) {
    status = pjrt_await(plugin, a.done[i], e->device->timeout, "uploading an input");
    a.done[i] = NULL;
  }
  for (size_t n = 0; n < count && !status; n++) {
    if (n) { /* the last results: those that stand for arguments go round, the others go */
      for (size_t i = 0; i < e->argument_count; i++) {
        if (e->replaced_by[i] < 0) continue;
        buffer_destroy(plugin, a.buffers[i]);
        a.buffers[i] = results[e->replaced_by[i]];
        results[e->replaced_by[i]] = NULL;
      }
      for (size_t i = 0; i < e->result_count; i++) buffer_destroy(plugin, results[i]);
    }
    for (size_t i = 0; i < e->result_count; i++) results[i] = NULL;
    const double start = now();
    status = run(e, a.buffers, true, results);
    out_seconds[n] = now() - start;
  }
  if (!status) status = take_results(e, results, &none, outputs);
  for (size_t i = 0; i < e->result_count; i++) buffer_destroy(plugin, results[i]);
  status = ten_first_error(status, arguments_free(e, &a));
  free(results);
  return status;
}
