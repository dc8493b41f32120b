/* plugin_memory.c: the memories of each device: its own, and those of the host that JAX offloads to. On a CPU they are
 * identical; only the kind attached to arrays and results differs. */
#include <stdio.h>
#include <stdlib.h>

#include "plugin/plugin.h"

static const char *const kinds[PLUGIN_MEMORY_KINDS] = {"device", "pinned_host", "unpinned_host"};

const char *plugin_memory_kind_name(plugin_memory_kind kind) { return kinds[kind]; }

/* A caller's data attached to a memory: one value under one key. */
static void *memory_get(PJRT_Memory *memory, const void *key) {
  const plugin_memory *own = (plugin_memory *)memory;
  return own->user_key == key ? own->user_data : NULL;
}
static void memory_set(PJRT_Memory *memory, const void *key, void *data, void (*destroy)(void *)) {
  plugin_memory *own = (plugin_memory *)memory;
  if (own->user_free) own->user_free(own->user_data);
  own->user_key = (void *)key;
  own->user_data = data;
  own->user_free = destroy;
}
static const PJRT_Memory_FunctionTable memory_table = {.struct_size = sizeof memory_table,
                                                       .instance_struct_size = sizeof(plugin_memory),
                                                       .get_user_data = memory_get,
                                                       .set_user_data = memory_set};

void plugin_memories_make(PJRT_Device *device) {
  for (int kind = 0; kind < PLUGIN_MEMORY_KINDS; kind++) {
    plugin_memory *memory = &device->memory[kind];
    *memory = (plugin_memory){.base = {&memory_table},
                              .device = device,
                              .kind = (plugin_memory_kind)kind,
                              .id = device->description.id * PLUGIN_MEMORY_KINDS + kind};
    snprintf(memory->name, sizeof memory->name, "TenfoldMemory(id=%d, kind=%s)", memory->id, kinds[kind]);
    device->memories[kind] = &memory->base;
  }
}

void plugin_memories_free(PJRT_Device *device) {
  for (int kind = 0; kind < PLUGIN_MEMORY_KINDS; kind++) memory_set(device->memories[kind], NULL, NULL, NULL);
}

static ten_status *read_kind(const ten_attr *attr, plugin_memory_kind *out) {
  *out = PLUGIN_MEMORY_DEVICE;
  if (!attr) return NULL;
  const ten_str name = ten_attr_as_string(attr);
  for (int kind = 0; kind < PLUGIN_MEMORY_KINDS; kind++)
    if (ten_str_is(name, kinds[kind])) return *out = (plugin_memory_kind)kind, NULL;
  return ten_error(TEN_INVALID, "unknown memory kind '%.*s'; there are device, pinned_host and unpinned_host",
                   TEN_FMT(name));
}

ten_status *plugin_memories_read(plugin_program *p, const ten_op *func) {
  const size_t count = p->input_count + p->output_count;
  p->memories = ten_alloc((count + 1) * sizeof *p->memories);
  p->memory_kinds = ten_alloc((count + 1) * sizeof *p->memory_kinds);
  p->memory_kind_sizes = ten_alloc((count + 1) * sizeof *p->memory_kind_sizes);
  for (size_t i = 0; i < count; i++) {
    const bool input = i < p->input_count;
    const uint32_t at = (uint32_t)(input ? i : i - p->input_count);
    const ten_attr *kind =
        input ? ten_func_arg_attr(func, at, "mhlo.memory_kind") : ten_func_result_attr(func, at, "mhlo.memory_kind");
    ten_status *status = read_kind(kind, &p->memories[i]);
    if (status) return ten_annotate(status, "%s %u", input ? "argument" : "result", at);
    p->memory_kinds[i] = kinds[p->memories[i]];
    p->memory_kind_sizes[i] = strlen(p->memory_kinds[i]);
  }
  return NULL;
}

PJRT_Error *plugin_PJRT_Memory_Id(PJRT_Memory_Id_Args *args) {
  return args->id = ((plugin_memory *)args->memory)->id, NULL;
}
PJRT_Error *plugin_PJRT_Memory_Kind(PJRT_Memory_Kind_Args *args) {
  args->kind = kinds[((plugin_memory *)args->memory)->kind];
  args->kind_size = strlen(args->kind);
  return NULL;
}
PJRT_Error *plugin_PJRT_Memory_Kind_Id(PJRT_Memory_Kind_Id_Args *args) {
  return args->kind_id = (int)((plugin_memory *)args->memory)->kind, NULL;
}
PJRT_Error *plugin_PJRT_Memory_DebugString(PJRT_Memory_DebugString_Args *args) {
  args->debug_string = ((plugin_memory *)args->memory)->name;
  args->debug_string_size = strlen(args->debug_string);
  return NULL;
}
PJRT_Error *plugin_PJRT_Memory_ToString(PJRT_Memory_ToString_Args *args) {
  args->to_string = ((plugin_memory *)args->memory)->name;
  args->to_string_size = strlen(args->to_string);
  return NULL;
}
PJRT_Error *plugin_PJRT_Memory_AddressableByDevices(PJRT_Memory_AddressableByDevices_Args *args) {
  return args->devices = &((plugin_memory *)args->memory)->device, args->num_devices = 1, NULL;
}
