/* plugin_client.c: errors, events, the client, its devices and memories. One process, with TENFOLD_CPU_DEVICES logical
 * CPU devices (one by default), or the devices of a simulated TPU (simulate.c), each with its memories
 * (plugin_memory.c). */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/environment.h"
#include "driver/devices.h"
#include "ir/bytecode/bytecode.h"
#include "plugin/plugin.h"
#include "tenfold/version.h"

static const char platform_name[] = "tenfold", platform_version[] = "Tenfold " TENFOLD_VERSION, device_kind[] = "cpu";

/* Errors. One without a status is `no_memory`: allocating another failed. */
static void error_destroy(PJRT_Error *error) {
  if (!error || !((plugin_failure *)error)->status) return;
  ten_status_free(((plugin_failure *)error)->status);
  free(error);
}
static void error_message(const PJRT_Error *error, const char **message, size_t *size) {
  const ten_status *status = ((const plugin_failure *)error)->status;
  *message = status ? ten_status_text(status) : "out of memory";
  *size = strlen(*message);
}
static PJRT_Error_Code error_code(const PJRT_Error *error) {
  static const PJRT_Error_Code codes[] = {
      [TEN_INVALID] = PJRT_Error_Code_INVALID_ARGUMENT,  [TEN_NOT_FOUND] = PJRT_Error_Code_NOT_FOUND,
      [TEN_UNSUPPORTED] = PJRT_Error_Code_UNIMPLEMENTED, [TEN_IO] = PJRT_Error_Code_UNAVAILABLE,
      [TEN_LIMIT] = PJRT_Error_Code_RESOURCE_EXHAUSTED,  [TEN_MISMATCH] = PJRT_Error_Code_FAILED_PRECONDITION,
      [TEN_CANCELLED] = PJRT_Error_Code_CANCELLED,       [TEN_INTERNAL] = PJRT_Error_Code_INTERNAL};
  const ten_status *status = ((const plugin_failure *)error)->status;
  return codes[status ? ten_status_code(status) : TEN_LIMIT];
}
static void error_payload(const PJRT_Error *error, PJRT_Error_PayloadVisitor visitor, void *user) {
  (void)error, (void)visitor, (void)user; /* ours carry none */
}
static const PJRT_Error_FunctionTable error_table = {.struct_size = sizeof error_table,
                                                     .instance_size = sizeof(plugin_failure),
                                                     .destroy = error_destroy,
                                                     .message = error_message,
                                                     .get_code = error_code,
                                                     .for_each_payload = error_payload};

PJRT_Error *plugin_error(ten_status *status) {
  static plugin_failure no_memory = {{&error_table}, NULL}; /* shared, never freed; see above */
  if (!status) return NULL;
  plugin_simulation_failed(status);
  plugin_failure *failure = malloc(sizeof *failure);
  if (!failure) {
    ten_status_free(status);
    return &no_memory.base;
  }
  *failure = (plugin_failure){{&error_table}, status};
  return &failure->base;
}

void plugin_PJRT_Error_Destroy(PJRT_Error_Destroy_Args *args) { error_destroy(args->error); }
void plugin_PJRT_Error_Message(PJRT_Error_Message_Args *args) {
  error_message(args->error, &args->message, &args->message_size);
}
PJRT_Error *plugin_PJRT_Error_GetCode(PJRT_Error_GetCode_Args *args) {
  return args->code = error_code(args->error), NULL;
}
PJRT_Error *plugin_PJRT_Error_ForEachPayload(PJRT_Error_ForEachPayload_Args *args) { return (void)args, NULL; }

/* Events: always complete. */
PJRT_Event *plugin_event(void) { return ten_alloc(sizeof(PJRT_Event)); }
PJRT_Error *plugin_PJRT_Event_Destroy(PJRT_Event_Destroy_Args *args) { return free(args->event), NULL; }
PJRT_Error *plugin_PJRT_Event_IsReady(PJRT_Event_IsReady_Args *args) { return args->is_ready = true, NULL; }
PJRT_Error *plugin_PJRT_Event_Error(PJRT_Event_Error_Args *args) { return (void)args, NULL; }
PJRT_Error *plugin_PJRT_Event_Await(PJRT_Event_Await_Args *args) { return (void)args, NULL; }
PJRT_Error *plugin_PJRT_Event_OnReady(PJRT_Event_OnReady_Args *args) {
  return args->callback(NULL, args->user_arg), NULL;
}

PJRT_Error *plugin_PJRT_Plugin_Initialize(PJRT_Plugin_Initialize_Args *args) { return (void)args, NULL; }

PJRT_Error *plugin_PJRT_Plugin_Attributes(PJRT_Plugin_Attributes_Args *args) {
  /* Versions that the bytecode reader supports. */
  static const int64_t current[] = {TENFOLD_STABLEHLO_MAJOR, TENFOLD_STABLEHLO_MINOR, TENFOLD_STABLEHLO_PATCH},
                       minimum[] = {TEN_VERSION_OLDEST};
  static const PJRT_NamedValue attributes[] = {{.struct_size = sizeof(PJRT_NamedValue),
                                                .name = "stablehlo_current_version",
                                                .name_size = 25,
                                                .type = PJRT_NamedValue_kInt64List,
                                                .int64_array_value = current,
                                                .value_size = 3},
                                               {.struct_size = sizeof(PJRT_NamedValue),
                                                .name = "stablehlo_minimum_version",
                                                .name_size = 25,
                                                .type = PJRT_NamedValue_kInt64List,
                                                .int64_array_value = minimum,
                                                .value_size = 3}};
  args->attributes = attributes;
  args->num_attributes = 2;
  return NULL;
}

/* The number of devices from the environment: the CPU's, or those of a simulated TPU. */
static ten_status *device_count(size_t *out, plugin_simulation **out_simulation) {
  *out = 1;
  *out_simulation = NULL;
  TEN_TRY(ten_env_check());
  *out = (size_t)ten_env_number(TEN_ENV_CPU_DEVICES, 1);
  const char *topology = ten_env_text(TEN_ENV_TPU_SIM);
  if (!topology) return NULL;
  TEN_TRY(ten_annotate(plugin_simulation_make(topology, out_simulation), "TENFOLD_TPU_SIM"));
  *out = ten_tpu_device_count(&(*out_simulation)->tpu);
  return NULL;
}

/* Takes ownership of `simulation`. */
static ten_status *client_make(size_t count, plugin_simulation *simulation, PJRT_Client **out) {
  if (count < 1 || count > PLUGIN_DEVICES_MAX)
    return ten_error(TEN_INVALID, "there may be 1 to %d devices, not %zu", PLUGIN_DEVICES_MAX, count);
  PJRT_Client *client = ten_alloc(sizeof *client);
  client->references = 1;
  client->backend = ten_backend_find(TEN_STR("cpu"));
  client->simulation = simulation;
  client->device_count = count;
  client->topology.client = client;
  for (size_t i = 0; i < count; i++) {
    PJRT_Device *device = ten_alloc(sizeof *device);
    device->client = client;
    device->description.id = (int)i;
    snprintf(device->description.name, sizeof device->description.name, "TenfoldCpu(id=%zu)", i);
    device->description.simulation = simulation;
    if (simulation) plugin_simulation_place(simulation, &device->description);
    plugin_memories_make(device);
    client->devices[i] = device;
    for (size_t k = 0; k < PLUGIN_MEMORY_KINDS; k++)
      client->memories[i * PLUGIN_MEMORY_KINDS + k] = device->memories[k];
    client->topology.descriptions[i] = &device->description;
  }
  *out = client;
  return NULL;
}

void plugin_client_retain(PJRT_Client *client) { atomic_fetch_add(&client->references, 1); }
void plugin_client_release(PJRT_Client *client) {
  if (atomic_fetch_sub(&client->references, 1) != 1) return;
  for (size_t i = 0; i < client->device_count; i++) {
    plugin_memories_free(client->devices[i]);
    free(client->devices[i]);
  }
  free(client->simulation);
  free(client);
}

PJRT_Error *plugin_PJRT_Client_Create(PJRT_Client_Create_Args *args) {
  size_t count;
  plugin_simulation *simulation;
  ten_status *status = device_count(&count, &simulation);
  if (!status) status = client_make(count, simulation, &args->client);
  if (!status) plugin_simulation_begin(args->client);
  return plugin_error(status);
}

PJRT_Error *plugin_PJRT_Client_Destroy(PJRT_Client_Destroy_Args *args) {
  return plugin_client_release(args->client), NULL;
}

static const char *platform_of(const PJRT_Client *client) { return client->simulation ? "tpu" : platform_name; }

PJRT_Error *plugin_PJRT_Client_PlatformName(PJRT_Client_PlatformName_Args *args) {
  args->platform_name = platform_of(args->client);
  args->platform_name_size = strlen(args->platform_name);
  return NULL;
}
PJRT_Error *plugin_PJRT_Client_PlatformVersion(PJRT_Client_PlatformVersion_Args *args) {
  args->platform_version = platform_version;
  args->platform_version_size = sizeof platform_version - 1;
  return NULL;
}
PJRT_Error *plugin_PJRT_Client_ProcessIndex(PJRT_Client_ProcessIndex_Args *args) {
  return args->process_index = 0, NULL;
}
PJRT_Error *plugin_PJRT_Client_Devices(PJRT_Client_Devices_Args *args) {
  args->devices = args->client->devices;
  args->num_devices = args->client->device_count;
  return NULL;
}
PJRT_Error *plugin_PJRT_Client_AddressableDevices(PJRT_Client_AddressableDevices_Args *args) {
  args->addressable_devices = args->client->devices;
  args->num_addressable_devices = args->client->device_count;
  return NULL;
}
static PJRT_Error *find_device(const PJRT_Client *client, int id, PJRT_Device **out) {
  if (id < 0 || (size_t)id >= client->device_count)
    return plugin_error(
        ten_error(TEN_NOT_FOUND, "there is no device %d: this client has %zu", id, client->device_count));
  *out = client->devices[id];
  return NULL;
}
PJRT_Error *plugin_PJRT_Client_LookupDevice(PJRT_Client_LookupDevice_Args *args) {
  return find_device(args->client, args->id, &args->device);
}
PJRT_Error *plugin_PJRT_Client_LookupAddressableDevice(PJRT_Client_LookupAddressableDevice_Args *args) {
  return find_device(args->client, args->local_hardware_id, &args->addressable_device);
}
PJRT_Error *plugin_PJRT_Client_AddressableMemories(PJRT_Client_AddressableMemories_Args *args) {
  args->addressable_memories = args->client->memories;
  args->num_addressable_memories = args->client->device_count * PLUGIN_MEMORY_KINDS;
  return NULL;
}
PJRT_Error *plugin_PJRT_Client_DefaultDeviceAssignment(PJRT_Client_DefaultDeviceAssignment_Args *args) {
  const size_t wanted = (size_t)args->num_replicas * (size_t)args->num_partitions;
  if (wanted > args->client->device_count || wanted > args->default_assignment_size)
    return plugin_error(ten_error(
        TEN_INVALID, "%d replicas of %d partitions need %zu devices; there are %zu (TENFOLD_CPU_DEVICES makes more)",
        args->num_replicas, args->num_partitions, wanted, args->client->device_count));
  for (size_t i = 0; i < wanted; i++) args->default_assignment[i] = (int)i;
  return NULL;
}
PJRT_Error *plugin_PJRT_Client_TopologyDescription(PJRT_Client_TopologyDescription_Args *args) {
  return args->topology = &args->client->topology, NULL;
}

/* Descriptions and topology. */
PJRT_Error *plugin_PJRT_DeviceDescription_Id(PJRT_DeviceDescription_Id_Args *args) {
  return args->id = args->device_description->id, NULL;
}
PJRT_Error *plugin_PJRT_DeviceDescription_ProcessIndex(PJRT_DeviceDescription_ProcessIndex_Args *args) {
  return args->process_index = 0, NULL;
}
PJRT_Error *plugin_PJRT_DeviceDescription_Attributes(PJRT_DeviceDescription_Attributes_Args *args) {
  const bool any = args->device_description->simulation != NULL;
  args->attributes = any ? args->device_description->attributes : NULL;
  args->num_attributes = any ? PLUGIN_ATTRIBUTES : 0;
  return NULL;
}
PJRT_Error *plugin_PJRT_DeviceDescription_Kind(PJRT_DeviceDescription_Kind_Args *args) {
  const plugin_simulation *simulation = args->device_description->simulation;
  args->device_kind = simulation ? simulation->kind : device_kind;
  args->device_kind_size = strlen(args->device_kind);
  return NULL;
}
PJRT_Error *plugin_PJRT_DeviceDescription_DebugString(PJRT_DeviceDescription_DebugString_Args *args) {
  args->debug_string = args->device_description->name;
  args->debug_string_size = strlen(args->debug_string);
  return NULL;
}
PJRT_Error *plugin_PJRT_DeviceDescription_ToString(PJRT_DeviceDescription_ToString_Args *args) {
  args->to_string = args->device_description->name;
  args->to_string_size = strlen(args->to_string);
  return NULL;
}
/* A topology without a client is named by its number of devices, "8"; with a simulated TPU, by a TPU name. */
static PJRT_Error *topology_of_tpu(PJRT_TopologyDescription_Create_Args *args) {
  ten_buf name = {0};
  ten_buf_add(&name, args->topology_name, args->topology_name_size);
  plugin_simulation *simulation = NULL;
  PJRT_Client *client = NULL;
  ten_status *status = plugin_simulation_make(name.size ? name.data : ten_env_text(TEN_ENV_TPU_SIM), &simulation);
  ten_buf_free(&name);
  if (!status) status = client_make(ten_tpu_device_count(&simulation->tpu), simulation, &client);
  if (status) return plugin_error(status);
  client->is_topology = true;
  args->topology = &client->topology;
  return NULL;
}
PJRT_Error *plugin_PJRT_TopologyDescription_Create(PJRT_TopologyDescription_Create_Args *args) {
  if (ten_env_text(TEN_ENV_TPU_SIM)) return topology_of_tpu(args);
  size_t count = 0;
  bool is_number = args->topology_name_size > 0 && args->topology_name_size < 4;
  for (size_t i = 0; i < args->topology_name_size && is_number; i++) {
    is_number = args->topology_name[i] >= '0' && args->topology_name[i] <= '9';
    count = 10 * count + (size_t)(args->topology_name[i] - '0');
  }
  if (!is_number)
    return plugin_error(ten_error(TEN_INVALID,
                                  "'%.*s' is not a topology of CPU devices; give their number, such as '8'",
                                  (int)args->topology_name_size, args->topology_name));
  PJRT_Client *client = NULL;
  ten_status *status = client_make(count, NULL, &client);
  if (status) return plugin_error(status);
  client->is_topology = true;
  args->topology = &client->topology;
  return NULL;
}
PJRT_Error *plugin_PJRT_TopologyDescription_Destroy(PJRT_TopologyDescription_Destroy_Args *args) {
  if (args->topology->client->is_topology) plugin_client_release(args->topology->client); /* or owned by the client */
  return NULL;
}
PJRT_Error *plugin_PJRT_TopologyDescription_PlatformName(PJRT_TopologyDescription_PlatformName_Args *args) {
  args->platform_name = platform_of(args->topology->client);
  args->platform_name_size = strlen(args->platform_name);
  return NULL;
}
PJRT_Error *plugin_PJRT_TopologyDescription_PlatformVersion(PJRT_TopologyDescription_PlatformVersion_Args *args) {
  return args->platform_version = platform_version, args->platform_version_size = sizeof platform_version - 1, NULL;
}
PJRT_Error *plugin_PJRT_TopologyDescription_GetDeviceDescriptions(
    PJRT_TopologyDescription_GetDeviceDescriptions_Args *args) {
  args->descriptions = args->topology->descriptions;
  args->num_descriptions = args->topology->client->device_count;
  return NULL;
}
PJRT_Error *plugin_PJRT_TopologyDescription_Attributes(PJRT_TopologyDescription_Attributes_Args *args) {
  return args->attributes = NULL, args->num_attributes = 0, NULL;
}
PJRT_Error *plugin_PJRT_TopologyDescription_Fingerprint(PJRT_TopologyDescription_Fingerprint_Args *args) {
  return args->fingerprint = args->topology->client->device_count, NULL;
}

/* Devices and memories. */
PJRT_Error *plugin_PJRT_Device_GetDescription(PJRT_Device_GetDescription_Args *args) {
  return args->device_description = &args->device->description, NULL;
}
PJRT_Error *plugin_PJRT_Device_IsAddressable(PJRT_Device_IsAddressable_Args *args) {
  return args->is_addressable = true, NULL;
}
PJRT_Error *plugin_PJRT_Device_LocalHardwareId(PJRT_Device_LocalHardwareId_Args *args) {
  return args->local_hardware_id = args->device->description.id, NULL;
}
PJRT_Error *plugin_PJRT_Device_AddressableMemories(PJRT_Device_AddressableMemories_Args *args) {
  return args->memories = args->device->memories, args->num_memories = PLUGIN_MEMORY_KINDS, NULL;
}
PJRT_Error *plugin_PJRT_Device_DefaultMemory(PJRT_Device_DefaultMemory_Args *args) {
  return args->memory = args->device->memories[PLUGIN_MEMORY_DEVICE], NULL;
}
PJRT_Error *plugin_PJRT_Device_MemoryStats(PJRT_Device_MemoryStats_Args *args) {
  PJRT_Device_MemoryStats_Args out = {
      .struct_size = args->struct_size, .extension_start = args->extension_start, .device = args->device};
  const plugin_simulation *simulation = args->device->client->simulation;
  out.bytes_in_use = atomic_load(simulation ? &args->device->bytes_in_use : &args->device->client->bytes_in_use);
  out.peak_bytes_in_use = atomic_load(simulation ? &args->device->peak_bytes : &args->device->client->peak_bytes);
  out.peak_bytes_in_use_is_set = true;
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  out.bytes_limit = simulation ? simulation->memory : pages > 0 && size > 0 ? (int64_t)pages * size : 0;
  out.bytes_limit_is_set = out.bytes_limit > 0;
  memcpy(args, &out, args->struct_size < sizeof out ? args->struct_size : sizeof out);
  return NULL;
}
PJRT_Error *plugin_PJRT_Device_ClearMemoryStats(PJRT_Device_ClearMemoryStats_Args *args) {
  PJRT_Client *client = args->device->client;
  atomic_store(&client->peak_bytes, atomic_load(&client->bytes_in_use));
  atomic_store(&args->device->peak_bytes, atomic_load(&args->device->bytes_in_use));
  return NULL;
}
static void no_attributes(PJRT_Device_Attributes *attributes) { (void)attributes; }
PJRT_Error *plugin_PJRT_Device_GetAttributes(PJRT_Device_GetAttributes_Args *args) {
  const bool any = args->device->description.simulation != NULL;
  args->attributes = any ? args->device->description.attributes : NULL;
  args->num_attributes = any ? PLUGIN_ATTRIBUTES : 0;
  args->device_attributes = NULL;
  args->attributes_deleter = no_attributes;
  return NULL;
}
