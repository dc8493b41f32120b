/* plugin_run.c: runs a loaded program: on one device, or on several: arguments are each device's tile, are assembled
 * where the program needs them whole, and results are split again. */
#include <stdatomic.h>
#include <stdlib.h>

#include "base/proto.h"
#include "plugin/plugin.h"

static bool stays(const PJRT_ExecuteOptions *options, int64_t input) {
  for (size_t i = 0; options && i < options->num_non_donatable_input_indices; i++)
    if (options->non_donatable_input_indices[i] == input) return true;
  return false;
}

/* Copies a tile into the whole tensor, or out of it. */
static void move_tile(const ten_tiling *tiling, uint32_t device, ten_tensor *whole, ten_tensor *tile, bool out) {
  const size_t element = ten_dtype_bytes(whole->dtype);
  int64_t index[TEN_RANK_MAX] = {0};
  const uint32_t rank = whole->rank, inner = rank ? rank - 1 : 0;
  const size_t run = (rank ? (size_t)tile->dims[inner] : 1) * element;
  if (!tile->count) return;
  for (char *at = tile->data, *end = at + tile->bytes; at < end; at += run) {
    size_t offset = 0;
    for (uint32_t i = 0; i < rank; i++)
      offset = offset * (size_t)whole->dims[i] +
               (size_t)(tiling->place[(size_t)device * rank + i] * tile->dims[i] + index[i]);
    char *place = (char *)whole->data + offset * element;
    memcpy(out ? at : place, out ? place : at, run);
    for (uint32_t i = inner; i-- > 0;) {
      if (++index[i] < tile->dims[i]) break;
      index[i] = 0;
    }
  }
}

static ten_status *put_together(const ten_tiling *tiling, ten_tensor *const *tiles, ten_tensor **out) {
  const ten_tensor *first = tiles[0];
  if (first->kind == TEN_VALUE_TOKEN || ten_tiling_is_whole(tiling)) {
    *out = ten_tensor_retain(tiles[0]);
    return NULL;
  }
  int64_t dims[TEN_RANK_MAX];
  for (uint32_t i = 0; i < first->rank; i++) dims[i] = first->dims[i] * tiling->tiles[i];
  TEN_TRY(ten_tensor_create(first->dtype, first->rank, dims, out));
  for (uint32_t d = 0; d < tiling->devices; d++) move_tile(tiling, d, *out, tiles[d], false);
  return NULL;
}

static ten_status *cut_up(const ten_tiling *tiling, uint32_t device, ten_tensor *whole, ten_tensor **out) {
  if (whole->kind == TEN_VALUE_TOKEN || ten_tiling_is_whole(tiling)) {
    *out = ten_tensor_retain(whole);
    return NULL;
  }
  int64_t dims[TEN_RANK_MAX];
  if (!ten_tiling_local(tiling, whole->dims, dims)) return ten_error(TEN_INTERNAL, "a result cannot be cut evenly");
  TEN_TRY(ten_tensor_create(whole->dtype, whole->rank, dims, out));
  move_tile(tiling, device, whole, *out, true);
  return NULL;
}

/* Inputs and outputs of all processes; whole inputs are shared. */
typedef struct processes {
  size_t count, inputs, outputs;
  ten_tensor **values; /* all inputs, then all outputs; owned references */
  ten_tensor ***takes, ***gives;
} processes;

static processes processes_make(const plugin_program *p, size_t count) {
  processes all = {.count = count, .inputs = p->input_count, .outputs = p->output_count};
  const size_t total = count * (all.inputs + all.outputs);
  all.values = ten_alloc((total + 1) * sizeof *all.values);
  memset(all.values, 0, (total + 1) * sizeof *all.values);
  all.takes = ten_alloc(count * sizeof *all.takes);
  all.gives = ten_alloc(count * sizeof *all.gives);
  for (size_t i = 0; i < count; i++) {
    all.takes[i] = all.values + i * all.inputs;
    all.gives[i] = all.values + count * all.inputs + i * all.outputs;
  }
  return all;
}

static void processes_free(processes *all) {
  ten_tensors_release(all->values, all->count * (all->inputs + all->outputs));
  free(all->values), free(all->takes), free(all->gives);
}

/* The arguments of a call, device by device: donated buffers are empty while it runs, so that no other thread gets
 * their values; the others' are held. */
typedef struct arguments {
  size_t count; /* of a device */
  ten_tensor **values;
  bool *donated, *given; /* given: nothing else reads its memory, neither another buffer nor a view of the host */
} arguments;

/* Input `i` of every device, in row-major order; the caller releases them. */
static ten_status *take_rows(PJRT_Buffer *const *const *lists, const arguments *a, size_t devices, size_t i,
                             ten_tensor **out) {
  memset(out, 0, devices * sizeof *out);
  for (size_t d = 0; d < devices; d++) TEN_TRY(plugin_rows_of(lists[d][i], a->values[d * a->count + i], &out[d]));
  return NULL;
}

/* Result `i` in the program's declared layout and memory. */
static ten_status *give(const plugin_program *p, PJRT_Device *device, size_t i, ten_tensor *rows, PJRT_Buffer **out) {
  const PJRT_Layouts_MemoryLayout *layout = p->layouts[p->input_count + i];
  ten_tensor *laid_out;
  TEN_TRY(plugin_lay_out(rows, layout, &laid_out));
  *out = plugin_buffer(&device->memory[p->memories[p->input_count + i]], laid_out, layout);
  return NULL;
}

static ten_status *run_spread(const plugin_program *p, PJRT_Buffer *const *const *lists, const arguments *a,
                              PJRT_Buffer **const *outputs) {
  const ten_spread *spread = &p->spread;
  const bool replicas = p->replicas > 1; /* no shardings then: each replica has its own values */
  const size_t count = replicas || spread->together ? p->device_count : 1;
  processes all = processes_make(p, count);
  ten_status *status = NULL;
  ten_tensor **tiles = ten_alloc((p->device_count + 1) * sizeof *tiles);
  for (size_t i = 0; i < p->input_count && !status; i++) {
    status = take_rows(lists, a, p->device_count, i, tiles);
    if (!status && (replicas || spread->inputs[i].local)) {
      for (size_t k = 0; k < count; k++) all.takes[k][i] = ten_tensor_retain(tiles[k]);
    } else if (!status) {
      status = put_together(&spread->inputs[i].tiling, tiles, &all.takes[0][i]);
      for (size_t k = 1; k < count && !status; k++) all.takes[k][i] = ten_tensor_retain(all.takes[0][i]);
    }
    ten_tensors_release(tiles, p->device_count);
  }
  free(tiles);
  if (!status && count == 1)
    status = ten_execute(p->executable, all.takes[0], p->input_count, NULL, all.gives[0]);
  else if (!status)
    status = ten_execute_together(p->executable, p->replicas, p->partitions, (ten_tensor *const *const *)all.takes,
                                  (ten_tensor * *const *)all.gives);
  for (size_t d = 0; d < p->device_count && !status; d++)
    for (size_t i = 0; i < p->output_count && !status; i++) {
      ten_tensor *mine = NULL;
      if (replicas || spread->outputs[i].local)
        mine = ten_tensor_retain(all.gives[d][i]);
      else
        status = cut_up(&spread->outputs[i].tiling, (uint32_t)d, all.gives[0][i], &mine);
      if (!status) status = give(p, p->devices[d], i, mine, &outputs[d][i]);
      ten_tensor_release(mine);
    }
  processes_free(&all);
  return status;
}

static void release_tensor(void *tensor) { ten_tensor_release(tensor); }

/* A TPU's runtime compares sizes, not shapes, and TorchTPU relies on it: it gives 1xi64 for a scalar. `*value` becomes
 * a view of the parameter's shape. */
static ten_status *take_shape(const ten_type *type, ten_tensor **value, bool *given) {
  ten_tensor *have = *value;
  if (have->kind != TEN_VALUE_TENSOR || ten_tensor_fits(have, type) || type->kind != TEN_TYPE_TENSOR ||
      have->dtype != type->dtype || ten_type_bytes(type) != have->bytes)
    return NULL; /* what does not fit is ten_execute's error */
  ten_tensor *view;
  TEN_TRY(ten_tensor_from_memory(have->dtype, type->rank, type->dims, have->data, release_tensor, have, &view));
  *value = view;
  *given = false; /* the memory stays the buffer's */
  return NULL;
}

static ten_status *run_alone(const plugin_program *p, PJRT_Buffer *const *list, const arguments *a, PJRT_Device *device,
                             PJRT_Buffer **outputs) {
  ten_tensor *small[32], **values = p->input_count + p->output_count < 32
                                        ? small
                                        : ten_alloc((p->input_count + p->output_count) * sizeof *values);
  const ten_type *type = ten_func_type(p->executable->func);
  memset(values, 0, (p->input_count + p->output_count) * sizeof *values);
  ten_status *status = NULL;
  for (size_t i = 0; i < p->input_count && !status; i++) /* a token may be any buffer */
    if (type->inputs[i]->kind == TEN_TYPE_TOKEN)
      values[i] = ten_tensor_token();
    else
      status = plugin_rows_of(list[i], a->values[i], &values[i]);
  for (size_t i = 0; p->client->simulation && i < p->input_count && !status; i++)
    status = take_shape(type->inputs[i], &values[i], &a->given[i]);
  unsigned run = 0;
  if (!status) status = plugin_dump_operands(p, values, &run);
  if (!status)
    status = ten_execute(p->executable, values, p->input_count, &(ten_run_options){.donated = a->given},
                         values + p->input_count);
  if (!status) status = plugin_dump_results(p, values + p->input_count, run);
  for (size_t i = 0; i < p->output_count && !status; i++)
    status = give(p, device, i, values[p->input_count + i], &outputs[i]);
  ten_tensors_release(values, p->input_count + p->output_count);
  if (values != small) free(values);
  return status;
}

/* A donated buffer cannot be read twice by the same call. */
static ten_status *check_donated(const plugin_program *p, PJRT_Buffer *const *list,
                                 const PJRT_ExecuteOptions *options) {
  for (size_t i = 0; i < p->input_count; i++)
    for (size_t k = 0; k < p->input_count && p->donated[i] && !stays(options, (int64_t)i); k++)
      if (k != i && list[k] == list[i])
        return ten_error(TEN_INVALID, "argument %zu is donated, and is argument %zu as well", i, k);
  return NULL;
}

/* Ends the call: what was donated is gone, unless it failed. */
static void arguments_release(const plugin_program *p, PJRT_Buffer *const *const *lists, arguments *a, bool failed) {
  for (size_t at = 0; a->values && at < p->device_count * a->count; at++) {
    if (!a->values[at]) continue;
    if (failed && a->donated[at])
      plugin_buffer_put_back(lists[at / a->count][at % a->count], a->values[at]);
    else
      ten_tensor_release(a->values[at]);
  }
  free(a->values);
  free(a->donated);
}

static ten_status *arguments_take(const plugin_program *p, PJRT_Buffer *const *const *lists,
                                  const PJRT_ExecuteOptions *options, arguments *a) {
  const size_t count = p->device_count * p->input_count;
  *a = (arguments){.count = p->input_count};
  a->values = ten_alloc((count + 1) * sizeof *a->values);
  a->donated = ten_alloc(2 * (count + 1) * sizeof *a->donated);
  a->given = a->donated + count + 1;
  memset(a->values, 0, (count + 1) * sizeof *a->values);
  memset(a->donated, 0, 2 * (count + 1) * sizeof *a->donated);
  for (size_t at = 0; at < count; at++) {
    const size_t i = at % p->input_count;
    PJRT_Buffer *buffer = lists[at / p->input_count][i];
    a->donated[at] = p->donated[i] && !stays(options, (int64_t)i);
    a->values[at] = a->donated[at] ? plugin_buffer_take(buffer, &a->given[at]) : plugin_buffer_hold(buffer);
    if (a->values[at]) continue;
    arguments_release(p, lists, a, true);
    return ten_error(TEN_INVALID, "argument %zu was deleted or donated", i);
  }
  return NULL;
}

PJRT_Error *plugin_PJRT_LoadedExecutable_Execute(PJRT_LoadedExecutable_Execute_Args *args) {
  const plugin_program *p = args->executable->program;
  if (args->num_devices != p->device_count)
    return plugin_error(ten_error(TEN_INVALID, "the program is for %zu devices, and is called for %zu", p->device_count,
                                  args->num_devices));
  if (atomic_load(&args->executable->deleted))
    return plugin_error(ten_error(TEN_INVALID, "the executable was deleted"));
  if (args->num_args != p->input_count)
    return plugin_error(
        ten_error(TEN_INVALID, "the program takes %zu arguments, %zu were given", p->input_count, args->num_args));
  for (size_t d = 0; d < p->device_count; d++) {
    ten_status *twice = check_donated(p, args->argument_lists[d], args->options);
    if (twice) return plugin_error(twice);
  }
  for (size_t d = 0; p->client->simulation && d < p->device_count; d++) {
    const PJRT_Device *device = p->device_count == 1 && args->execute_device ? args->execute_device : p->devices[d];
    ten_status *full = plugin_room(device, NULL, plugin_simulation_needs(p));
    if (full) return plugin_error(full);
  }
  arguments a;
  ten_status *status = arguments_take(p, args->argument_lists, args->options, &a);
  if (status) return plugin_error(status);
  status = p->device_count > 1
               ? run_spread(p, args->argument_lists, &a, args->output_lists)
               : run_alone(p, args->argument_lists[0], &a, args->execute_device ? args->execute_device : p->devices[0],
                           args->output_lists[0]);
  arguments_release(p, args->argument_lists, &a, status != NULL);
  if (status) return plugin_error(status);
  plugin_simulation_ran(p);
  for (size_t d = 0; d < p->device_count && args->device_complete_events; d++)
    args->device_complete_events[d] = plugin_event();
  return NULL;
}
