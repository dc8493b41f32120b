/* client_execute.c: compiles a program with a plugin and runs it: upload arguments, execute, download results. All
 * uploads and downloads start before any is waited for. The plugin borrows an argument's memory during the call (zero
 * copy, where supported), unless the argument is donated: then the device gets its own copy, which it may overwrite.
 * Weights are uploaded once, when the program is compiled. */
#include <inttypes.h>
#include <stdlib.h>

#include "backend/pjrt/client_device.h"
#include "backend/pjrt/client_program.h"
#include "base/clock.h"

typedef struct pjrt_executable {
  ten_executable base;
  pjrt_device *device;
  pjrt_program program;
  PJRT_LoadedExecutable *loaded;
  pjrt_tilings tilings; /* how arguments and results are distributed over the devices */
  size_t device_count;
  PJRT_Buffer **weights; /* owned; program.constant_count per device */
  ten_executable *host;  /* owned, or NULL: what the host computes from the last outputs */
  size_t argument_count, result_count;
  int64_t *replaced_by; /* owned; per argument: the result that aliases it, or -1 */
  int64_t *kept;        /* owned; arguments that the plugin must not overwrite in a repeated run */
  size_t kept_count;
  void (*free_owner)(void *); /* for a program from a file */
  void *owner;
} pjrt_executable;

extern const ten_backend ten_interp_backend;

static void buffer_destroy(const pjrt_plugin *plugin, PJRT_Buffer *buffer) {
  if (!buffer) return;
  PJRT_Buffer_Destroy_Args args = PJRT_ARGS(PJRT_Buffer_Destroy, .buffer = buffer);
  ten_status_free(PJRT_TRY_CALL(plugin, PJRT_Buffer_Destroy, &args)); /* there is no recovery */
}

/* A tile of a tensor, or one with another layout on the device, is read in place by strides. */
static ten_status *upload(pjrt_device *device, size_t index, ten_dtype dtype, uint32_t rank, const int64_t *dims,
                          const void *data, const int64_t *order, const ten_tiling *tiling,
                          PJRT_HostBufferSemantics semantics, PJRT_Buffer **out_buffer, PJRT_Event **out_done) {
  const PJRT_Buffer_Type type = pjrt_type_of(dtype);
  if (type == PJRT_Buffer_Type_INVALID)
    return ten_error(TEN_UNSUPPORTED, "PJRT has no elements of type %s", ten_dtype_name(dtype));
  int64_t own[TEN_RANK_MAX], strides[TEN_RANK_MAX], lying[TEN_RANK_MAX], stride = (int64_t)ten_dtype_bytes(dtype);
  for (uint32_t i = rank; i--;) {
    lying[i] = stride;
    stride *= dims[i];
  }
  for (uint32_t i = 0; i < rank; i++) {
    own[i] = dims[order ? order[i] : i];
    strides[i] = lying[order ? order[i] : i];
  }
  for (uint32_t i = 0; tiling && i < rank; i++) {
    own[i] /= tiling->tiles[i];
    data = (const char *)data + (int64_t)tiling->place[index * rank + i] * own[i] * strides[i];
  }
  const bool strided = tiling || order;
  PJRT_Client_BufferFromHostBuffer_Args args =
      PJRT_ARGS(PJRT_Client_BufferFromHostBuffer, .client = device->client, .data = data, .type = type, .dims = own,
                .num_dims = rank, .byte_strides = strided ? strides : NULL, .num_byte_strides = strided ? rank : 0,
                .host_buffer_semantics = semantics, .device = device->devices[index]);
  const double start = ten_transfer_start();
  TEN_TRY(PJRT_TRY_CALL(&device->plugin, PJRT_Client_BufferFromHostBuffer, &args));
  size_t bytes = ten_dtype_bytes(dtype);
  for (uint32_t i = 0; i < rank; i++) bytes *= (size_t)own[i];
  ten_transfer_end(true, bytes, start); /* the host's part of it: a plugin may go on copying while the program runs */
  *out_buffer = args.buffer;
  *out_done = args.done_with_host_buffer;
  return args.buffer
             ? NULL
             : ten_error(TEN_INVALID, "%s: Client_BufferFromHostBuffer returned no buffer", device->plugin.name);
}

/* NULL: replicated on every device. */
static const ten_tiling *cut(const ten_tiling *tilings, size_t index) {
  return tilings && !ten_tiling_is_whole(&tilings[index]) ? &tilings[index] : NULL;
}

static const int64_t *order_of(const pjrt_program *p, uint32_t argument) {
  return p->transposed ? p->transposed[argument] : NULL;
}

static const int64_t *result_order_of(const pjrt_program *p, size_t result) {
  return p->transposed_results ? p->transposed_results[result] : NULL;
}

static ten_status *upload_weights(pjrt_executable *e) {
  const pjrt_program *p = &e->program;
  const size_t count = e->device_count * p->constant_count;
  e->weights = ten_alloc((count + 1) * sizeof *e->weights);
  PJRT_Event **done = ten_alloc((count + 1) * sizeof *done);
  ten_status *status = NULL;
  for (size_t i = 0; i < count && !status; i++) {
    const uint32_t weight = (uint32_t)(i % p->constant_count);
    const size_t device = i / p->constant_count;
    const ten_type *type = p->constants[weight]->dense.type;
    status = upload(e->device, device, type->dtype, type->rank, type->dims, p->constants[weight]->dense.data,
                    order_of(p, p->input_count + weight), cut(e->tilings.inputs, p->input_count + weight),
                    PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes, &e->weights[i], &done[i]);
  }
  for (size_t i = 0; i < count; i++)
    status = ten_first_error(status, pjrt_await(&e->device->plugin, done[i], e->device->timeout, "uploading a weight"));
  free(done);
  return ten_annotate(status, "uploading the program's weights");
}

/* Finds which result aliases which argument. */
static void find_replaced(pjrt_executable *e) {
  const pjrt_program *p = &e->program;
  e->replaced_by = ten_alloc((e->argument_count + 1) * sizeof *e->replaced_by);
  e->kept = ten_alloc((e->argument_count + 1) * sizeof *e->kept);
  for (uint32_t i = 0; i < e->argument_count; i++) {
    const ten_attr *alias = i < p->input_count ? ten_func_arg_attr(p->func, i, "tf.aliasing_output") : NULL;
    e->replaced_by[i] = ten_attr_as_int(alias, -1);
    if (e->replaced_by[i] >= (int64_t)e->result_count) e->replaced_by[i] = -1;
    if (e->replaced_by[i] >= 0 && e->tilings.inputs &&
        !ten_tiling_equal(&e->tilings.inputs[i], &e->tilings.outputs[e->replaced_by[i]]))
      e->replaced_by[i] = -1; /* its tiling differs between input and output */
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

static ten_status *read_ids(const pjrt_device *device, size_t count, int *ids) {
  for (size_t i = 0; i < count; i++) {
    PJRT_Device_GetDescription_Args get = PJRT_ARGS(PJRT_Device_GetDescription, .device = device->devices[i]);
    TEN_TRY(PJRT_TRY_CALL(&device->plugin, PJRT_Device_GetDescription, &get));
    PJRT_DeviceDescription_Id_Args id =
        PJRT_ARGS(PJRT_DeviceDescription_Id, .device_description = get.device_description);
    TEN_TRY(PJRT_TRY_CALL(&device->plugin, PJRT_DeviceDescription_Id, &id));
    ids[i] = id.id;
  }
  return NULL;
}

/* Partitions over the first devices of this process if a mesh was requested, or if the program asks for it and there
 * are enough; a foreign program that we cannot partition runs on one device. */
static ten_status *spread(pjrt_executable *e, ten_buf *options) {
  pjrt_device *device = e->device;
  const size_t requested = (size_t)device->mesh.data * device->mesh.model;
  if (requested > device->device_count)
    return ten_error(TEN_INVALID, "the program is spread over %zu devices; %s has %zu", requested, device->name,
                     device->device_count);
  pjrt_spread how = {0};
  int *ids = ten_alloc((TEN_SPREAD_MOST + 1) * sizeof *ids);
  ten_status *status = pjrt_spread_program(&e->program, &device->mesh, ids, &how, &e->tilings);
  if (!status && (e->tilings.why || e->tilings.devices > device->device_count)) {
    pjrt_tilings_free(&e->tilings);
    e->tilings.devices = 1;
  }
  e->device_count = e->tilings.devices;
  if (e->device_count == 1) how = (pjrt_spread){0};
  if (!status && e->device_count > 1) status = read_ids(device, e->device_count, ids);
  if (!status) pjrt_compile_options(options, &how);
  free(ids);
  return status;
}

static ten_status *compile(pjrt_executable *e, const ten_module *module, const ten_op *func) {
  pjrt_device *device = e->device;
  pjrt_program *p = &e->program;
  TEN_TRY(pjrt_program_make(module, func, (pjrt_style){0}, p));
  const ten_type *type = ten_func_type(p->func);
  e->argument_count = type->input_count;
  e->result_count = type->result_count;
  ten_buf artifact = {0}, options = {0};
  if (device->highest) TEN_TRY(pjrt_use_highest(p));
  TEN_TRY(spread(e, &options));
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
    if (!status && !e->loaded)
      status = ten_error(TEN_INVALID, "%s: Client_Compile returned no executable", device->plugin.name);
  }
  ten_buf_free(&artifact);
  ten_buf_free(&options);
  if (!status) status = check_outputs(e);
  if (!status && p->host)
    status = ten_compile(&ten_interp_backend, p->host, ten_module_entry(p->host, TEN_STR("main")), NULL, &e->host);
  if (!status) find_replaced(e);
  if (!status) status = upload_weights(e);
  return status;
}

ten_status *pjrt_compile(const ten_backend *self, ten_module *module, const ten_op *func, const ten_settings *settings,
                         ten_executable **out_executable) {
  (void)settings;
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
  e->device_count = e->tilings.devices;
  if (e->device_count > device->device_count)
    return ten_error(TEN_INVALID, "the program is compiled for %zu devices; %s has %zu", e->device_count, device->name,
                     device->device_count);
  PJRT_Executable_DeserializeAndLoad_Args args =
      PJRT_ARGS(PJRT_Executable_DeserializeAndLoad, .client = device->client, .serialized_executable = code.data,
                .serialized_executable_size = code.size);
  TEN_TRY(PJRT_TRY_CALL(&device->plugin, PJRT_Executable_DeserializeAndLoad, &args));
  e->loaded = args.loaded_executable;
  if (!e->loaded)
    return ten_error(TEN_INVALID, "%s: Executable_DeserializeAndLoad returned no executable", device->plugin.name);
  TEN_TRY(check_outputs(e));
  find_replaced(e);
  return upload_weights(e);
}

ten_status *pjrt_load(const ten_backend *backend, pjrt_program *program, ten_str code, const ten_op *entry,
                      pjrt_tilings *tilings, void (*free_owner)(void *), void *owner, ten_executable **out_executable) {
  *out_executable = NULL;
  const ten_type *type = ten_func_type(entry);
  pjrt_executable *e = ten_alloc(sizeof *e);
  *e = (pjrt_executable){
      .base = {.backend = backend, .func = entry, .input_count = type->input_count, .output_count = type->result_count},
      .device = pjrt_device_of(backend),
      .program = *program,
      .tilings = *tilings,
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
  for (size_t i = 0; e->weights && i < e->device_count * e->program.constant_count; i++)
    buffer_destroy(plugin, e->weights[i]);
  if (e->loaded) {
    PJRT_LoadedExecutable_Destroy_Args args = PJRT_ARGS(PJRT_LoadedExecutable_Destroy, .executable = e->loaded);
    ten_status_free(PJRT_TRY_CALL(plugin, PJRT_LoadedExecutable_Destroy, &args));
  }
  ten_executable_release(e->host);
  pjrt_program_free(&e->program);
  pjrt_tilings_free(&e->tilings);
  free(e->weights);
  free(e->replaced_by);
  free(e->kept);
  if (e->free_owner) e->free_owner(e->owner);
  free(e);
}

/* One run: inputs are `arguments`, outputs `results`, grouped by device; waits until all are done. */
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
  const size_t count = e->device_count;
  PJRT_Buffer *const **argument_lists = ten_alloc(count * sizeof *argument_lists);
  PJRT_Buffer ***result_lists = ten_alloc(count * sizeof *result_lists);
  PJRT_Event **done = ten_alloc(count * sizeof(PJRT_Event *));
  for (size_t i = 0; i < count; i++) {
    argument_lists[i] = arguments + i * e->argument_count;
    result_lists[i] = results + i * e->result_count;
  }
  PJRT_LoadedExecutable_Execute_Args args =
      PJRT_ARGS(PJRT_LoadedExecutable_Execute, .executable = e->loaded, .options = &options.known,
                .argument_lists = argument_lists, .num_devices = count, .num_args = e->argument_count,
                .output_lists = result_lists, .device_complete_events = done);
  ten_status *status = PJRT_TRY_CALL(&device->plugin, PJRT_LoadedExecutable_Execute, &args);
  for (size_t i = 0; i < count && !status; i++)
    status = pjrt_await(&device->plugin, done[i], device->timeout, "running the program");
  for (size_t i = 0; i < count * e->result_count && !status; i++)
    if (!results[i])
      status = ten_error(TEN_INVALID, "%s: LoadedExecutable_Execute returned no result %zu", device->plugin.name,
                         i % e->result_count);
  free(argument_lists);
  free(result_lists);
  free(done);
  return status;
}

/* Starts copying a result to the host; row-major there, whatever the device layout. */
static ten_status *download(pjrt_device *device, PJRT_Buffer *buffer, const ten_type *type, const ten_tiling *tiling,
                            ten_tensor **out_tensor, PJRT_Event **out_done) {
  int64_t order[TEN_RANK_MAX], dims[TEN_RANK_MAX];
  for (uint32_t i = 0; i < type->rank; i++) {
    order[i] = type->rank - 1 - i;
    dims[i] = type->dims[i] / (tiling ? tiling->tiles[i] : 1);
  }
  TEN_TRY(ten_tensor_create(type->dtype, type->rank, dims, out_tensor));
  if (!(*out_tensor)->bytes) return NULL;
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

/* Transposes a result from the device's layout to the host's. */
static ten_status *transpose_back(ten_tensor **tensor, const int64_t *order) {
  const ten_tensor *from = *tensor;
  int64_t dims[TEN_RANK_MAX], strides[TEN_RANK_MAX], stride = (int64_t)ten_dtype_bytes(from->dtype);
  for (uint32_t i = from->rank; i--;) {
    dims[order[i]] = from->dims[i];
    strides[order[i]] = stride;
    stride *= from->dims[i];
  }
  ten_tensor *made = NULL;
  TEN_TRY(ten_tensor_create(from->dtype, from->rank, dims, &made));
  char *to = made->data;
  if (made->bytes) pjrt_gather_rows(from->data, strides, dims, from->rank, ten_dtype_bytes(from->dtype), &to);
  ten_tensor_release(*tensor);
  *tensor = made;
  return NULL;
}

/* Copies a tile into the whole tensor, in contiguous rows of unsplit dimensions. `place` is in the host's order. */
static void join(ten_tensor *whole, const ten_tensor *tile, const uint32_t *place) {
  uint32_t last = 0; /* the last dimension that is split */
  for (uint32_t i = 0; i < whole->rank; i++)
    if (tile->dims[i] != whole->dims[i]) last = i;
  int64_t strides[TEN_RANK_MAX], stride = (int64_t)ten_dtype_bytes(whole->dtype), start = 0, rows = 1;
  for (uint32_t i = whole->rank; i--;) {
    strides[i] = stride;
    stride *= whole->dims[i];
    start += (int64_t)place[i] * tile->dims[i] * strides[i];
  }
  for (uint32_t i = 0; i < last; i++) rows *= tile->dims[i];
  const size_t bytes = (size_t)(tile->dims[last] * strides[last]);
  for (int64_t row = 0; row < rows; row++) {
    int64_t left = row, at = start;
    for (uint32_t i = last; i--; left /= tile->dims[i]) at += left % tile->dims[i] * strides[i];
    memcpy((char *)whole->data + at, (const char *)tile->data + (size_t)row * bytes, bytes);
  }
}

/* Whether a result is read from this device: the first that has this tile. */
static bool is_taken(const pjrt_executable *e, size_t result, size_t device) {
  const ten_tiling *tiling = cut(e->tilings.outputs, result);
  return tiling ? ten_tiling_holder(tiling, tiling->place + device * tiling->rank) == device : device == 0;
}

/* Stores a downloaded tile in its tensor, which the first tile allocates. */
static ten_status *take_tile(const pjrt_executable *e, size_t result, size_t device, const ten_tensor *tile,
                             ten_tensor **out_whole) {
  const ten_type *type = ten_func_type(e->program.func)->results[result];
  const int64_t *order = result_order_of(&e->program, result);
  const ten_tiling *tiling = &e->tilings.outputs[result];
  int64_t dims[TEN_RANK_MAX];
  uint32_t place[TEN_RANK_MAX];
  for (uint32_t i = 0; i < type->rank; i++) {
    dims[order ? order[i] : i] = type->dims[i];
    place[order ? order[i] : i] = tiling->place[device * type->rank + i];
  }
  if (!*out_whole) TEN_TRY(ten_tensor_create(type->dtype, type->rank, dims, out_whole));
  if (tile->bytes) join(*out_whole, tile, place);
  return NULL;
}

/* All results as tensors: the first go to the caller, the others to the host's part of the program. */
static ten_status *take_results(pjrt_executable *e, PJRT_Buffer *const *results, const ten_run_options *options,
                                ten_tensor **outputs) {
  const ten_type *type = ten_func_type(e->program.func);
  const size_t pieces = e->device_count * e->result_count;
  ten_tensor **all = ten_alloc((e->result_count + 1) * sizeof *all), **each = ten_alloc((pieces + 1) * sizeof *each);
  PJRT_Event **done = ten_alloc((pieces + 1) * sizeof *done);
  ten_status *status = NULL;
  const double start = ten_transfer_start();
  size_t bytes = 0;
  for (size_t i = 0; i < pieces && !status; i++) {
    const size_t result = i % e->result_count;
    if (is_taken(e, result, i / e->result_count))
      status =
          download(e->device, results[i], type->results[result], cut(e->tilings.outputs, result), &each[i], &done[i]);
  }
  for (size_t i = 0; i < pieces; i++) {
    ten_status *waited = pjrt_await(&e->device->plugin, done[i], e->device->timeout, "copying a result to the host");
    /* An unfinished copy may still write: its memory is leaked. */
    if (waited && ten_status_code(waited) == TEN_LIMIT) each[i] = NULL;
    if (each[i]) bytes += each[i]->bytes;
    status = ten_first_error(status, waited);
  }
  if (bytes) ten_transfer_end(false, bytes, start);
  for (size_t i = 0; i < pieces && !status; i++) {
    const size_t result = i % e->result_count, device = i / e->result_count;
    if (!is_taken(e, result, device)) continue;
    const int64_t *order = result_order_of(&e->program, result);
    if (order) status = transpose_back(&each[i], order);
    if (status) break;
    if (cut(e->tilings.outputs, result))
      status = take_tile(e, result, device, each[i], &all[result]);
    else
      all[result] = ten_tensor_retain(each[i]);
  }
  ten_tensors_release(each, pieces);
  free(each);
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
  PJRT_Buffer **buffers; /* owned array, grouped by device; the inputs are owned, weights are not */
  PJRT_Event **done;     /* of the inputs, at the same indices */
} arguments;

static ten_status *arguments_make(pjrt_executable *e, ten_tensor *const *inputs, bool lend, arguments *a) {
  const size_t count = e->device_count * e->argument_count;
  *a = (arguments){.buffers = ten_alloc((count + 1) * sizeof *a->buffers),
                   .done = ten_alloc((count + 1) * sizeof *a->done)};
  ten_status *status = NULL;
  for (size_t i = 0; i < count && !status; i++) {
    const uint32_t argument = (uint32_t)(i % e->argument_count);
    const size_t device = i / e->argument_count;
    if (argument >= e->program.input_count) {
      a->buffers[i] = e->weights[device * e->program.constant_count + argument - e->program.input_count];
      continue;
    }
    const ten_tensor *in = inputs[argument];
    const bool copied = !lend || e->program.donated[argument];
    status = upload(e->device, device, in->dtype, in->rank, in->dims, in->data, order_of(&e->program, argument),
                    cut(e->tilings.inputs, argument),
                    copied ? PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes
                           : PJRT_HostBufferSemantics_kImmutableZeroCopy,
                    &a->buffers[i], &a->done[i]);
    if (status) status = ten_annotate(status, "uploading input %u", argument);
  }
  return status;
}

/* Borrowed memory is released once the buffer is destroyed, so the buffers go first. */
static ten_status *arguments_free(pjrt_executable *e, arguments *a) {
  const size_t count = e->device_count * e->argument_count;
  ten_status *status = NULL;
  for (size_t i = 0; i < count; i++)
    if (i % e->argument_count < e->program.input_count) buffer_destroy(&e->device->plugin, a->buffers[i]);
  for (size_t i = 0; i < count; i++)
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
  const size_t pieces = e->device_count * e->result_count;
  PJRT_Buffer **results = ten_alloc((pieces + 1) * sizeof *results);
  arguments a;
  ten_status *status = arguments_make(e, inputs, true, &a);
  if (!status) status = run(e, a.buffers, false, results);
  if (!status) status = take_results(e, results, options, outputs);
  for (size_t i = 0; i < pieces; i++) buffer_destroy(&e->device->plugin, results[i]);
  status = ten_first_error(status, arguments_free(e, &a));
  if (status) ten_tensors_release(outputs, e->program.output_count);
  free(results);
  return status;
}

ten_status *pjrt_repeat(ten_executable *executable, ten_tensor *const *inputs, size_t count, double *out_seconds,
                        ten_tensor **outputs) {
  static const ten_run_options none;
  pjrt_executable *e = (pjrt_executable *)executable;
  const pjrt_plugin *plugin = &e->device->plugin;
  const size_t pieces = e->device_count * e->result_count, places = e->device_count * e->argument_count;
  PJRT_Buffer **results = ten_alloc((pieces + 1) * sizeof *results);
  arguments a;
  ten_status *status = arguments_make(e, inputs, false, &a);
  for (size_t i = 0; i < places && !status; i++) {
    status = pjrt_await(plugin, a.done[i], e->device->timeout, "uploading an input");
    a.done[i] = NULL;
  }
  for (size_t n = 0; n < count && !status; n++) {
    if (n) { /* results of the previous run: aliased ones become arguments, the others are freed */
      for (size_t i = 0; i < places; i++) {
        const int64_t result = e->replaced_by[i % e->argument_count];
        if (result < 0) continue;
        PJRT_Buffer **from = &results[i / e->argument_count * e->result_count + (size_t)result];
        buffer_destroy(plugin, a.buffers[i]);
        a.buffers[i] = *from;
        *from = NULL;
      }
      for (size_t i = 0; i < pieces; i++) buffer_destroy(plugin, results[i]);
    }
    for (size_t i = 0; i < pieces; i++) results[i] = NULL;
    const double start = ten_clock();
    status = run(e, a.buffers, true, results);
    out_seconds[n] = ten_clock() - start;
  }
  if (!status) status = take_results(e, results, &none, outputs);
  for (size_t i = 0; i < pieces; i++) buffer_destroy(plugin, results[i]);
  status = ten_first_error(status, arguments_free(e, &a));
  free(results);
  return status;
}
