/* plugin.h: the structs behind PJRT's opaque types when Tenfold is the plugin. Calls are synchronous, so every returned
 * event is ready; an error of a run is returned by the call. */
#ifndef TEN_PJRT_PLUGIN_H
#define TEN_PJRT_PLUGIN_H

#include "backend/backend.h"
#include "backend/pjrt/abi_extensions.h"
#include "backend/pjrt/topology.h"
#include "backend/pjrt/types.h"
#include "tenfold/buffer.h"
#include "transform/shard/spread.h"

enum { PLUGIN_DEVICES_MAX = 128, PLUGIN_COSTS = 3, PLUGIN_ATTRIBUTES = 4 };

/* The TPU that the client simulates (simulate.c). */
typedef struct plugin_simulation {
  ten_tpu_topology tpu;
  const char *kind;        /* "TPU v5 lite" */
  int64_t memory;          /* HBM bytes of one device */
  _Atomic unsigned dumped; /* runs whose values were written into files */
} plugin_simulation;

/* The memory kinds of each device, as JAX names them. All are the host's memory: programs that move values between
 * them run, and nothing is copied. */
typedef enum plugin_memory_kind {
  PLUGIN_MEMORY_DEVICE,
  PLUGIN_MEMORY_PINNED_HOST,
  PLUGIN_MEMORY_UNPINNED_HOST,
  PLUGIN_MEMORY_KINDS
} plugin_memory_kind;

typedef struct plugin_failure {
  PJRT_Error base;    /* must be first: newer callers go through its table */
  ten_status *status; /* owned */
} plugin_failure;

struct PJRT_Event {
  int nothing; /* always ready, without an error */
};

/* The order of a value's dimensions in memory. */
struct PJRT_Layouts_MemoryLayout {
  size_t rank;
  int64_t minor_to_major[TEN_RANK_MAX]; /* dimensions, the innermost first */
};

struct PJRT_DeviceDescription {
  int id;
  char name[96];
  const plugin_simulation *simulation; /* owned by the client, or NULL: what follows is not set */
  int64_t coords[3], core;
  PJRT_NamedValue attributes[PLUGIN_ATTRIBUTES];
};

typedef struct plugin_memory {
  PJRT_Memory base;
  PJRT_Device *device;
  plugin_memory_kind kind;
  int id;
  char name[64];
  void *user_key, *user_data;
  void (*user_free)(void *);
} plugin_memory;

struct PJRT_Device {
  PJRT_Client *client;
  PJRT_DeviceDescription description;
  plugin_memory memory[PLUGIN_MEMORY_KINDS]; /* the first is the default */
  PJRT_Memory *memories[PLUGIN_MEMORY_KINDS];
  _Atomic int64_t bytes_in_use, peak_bytes; /* of its own memory */
};

struct PJRT_TopologyDescription {
  PJRT_Client *client;
  PJRT_DeviceDescription *descriptions[PLUGIN_DEVICES_MAX];
};

struct PJRT_Client {
  _Atomic int references; /* the caller's, and one per program compiled for it */
  bool is_topology;       /* not a client: only backs a topology */
  const ten_backend *backend;
  plugin_simulation *simulation; /* owned; NULL: CPU devices */
  size_t device_count;
  PJRT_Device *devices[PLUGIN_DEVICES_MAX]; /* owned */
  PJRT_Memory *memories[PLUGIN_DEVICES_MAX * PLUGIN_MEMORY_KINDS];
  PJRT_TopologyDescription topology;
  _Atomic int64_t bytes_in_use, peak_bytes;
};

struct PJRT_Buffer {
  PJRT_Device *device;
  plugin_memory *memory;
  ten_tensor *tensor; /* owned; NULL once deleted; its dimensions are in memory order */
  ten_tensor *lent;   /* owned; deleted, but read from outside until `external` is 0 */
  PJRT_Buffer_Type type;
  int64_t dims[TEN_RANK_MAX];
  PJRT_Layouts_MemoryLayout layout;
  _Atomic int external;
};

/* One compiled program, shared by PJRT's two handles for it. */
typedef struct plugin_program {
  _Atomic int references;
  PJRT_Client *client;
  ten_module *module;
  ten_executable *executable;
  uint32_t replicas, partitions;
  size_t device_count;
  PJRT_Device **devices; /* of replica r's partition p: r * partitions + p */
  ten_spread spread;     /* with several partitions */
  ten_buf sharding_bytes;
  const char **shardings; /* OpSharding of each input, then of each output; NULL without partitions */
  size_t *sharding_sizes;
  PJRT_Layouts_MemoryLayout **layouts, *layout_data; /* of each input, then of each output */
  size_t input_count, output_count;
  bool *donated;           /* of each input */
  PJRT_Buffer_Type *types; /* of each output */
  int64_t *dims;           /* of all outputs, concatenated */
  size_t *ranks;
  plugin_memory_kind *memories; /* of each input, then of each output */
  const char **memory_kinds;    /* their names */
  size_t *memory_kind_sizes;
  ten_buf name, options, artifact, fingerprint;
  PJRT_NamedValue costs[PLUGIN_COSTS];
  size_t callback_count;
  int64_t *callbacks; /* ids of the calls into Python that it may make; owned */
  ten_buf answers;    /* the partitioners' answers during compilation, for the stored form */
} plugin_program;

struct PJRT_Executable {
  plugin_program *program;
};

struct PJRT_LoadedExecutable {
  plugin_program *program;
  _Atomic bool deleted;
  PJRT_LogicalDeviceIds *logical_ids; /* owned */
};

/* NULL stays NULL; takes ownership of the status. */
PJRT_Error *plugin_error(ten_status *status);
PJRT_Event *plugin_event(void);
void plugin_client_retain(PJRT_Client *client);
void plugin_client_release(PJRT_Client *client);
/* Takes the tensor, whose dimensions are in the memory order of `layout`; NULL: row-major. */
PJRT_Buffer *plugin_buffer(plugin_memory *memory, ten_tensor *tensor, const PJRT_Layouts_MemoryLayout *layout);
/* The buffer's value, a reference of the caller's; NULL: it was deleted or donated. Any thread may delete it meanwhile.
 */
ten_tensor *plugin_buffer_hold(const PJRT_Buffer *buffer);
/* The same, and the buffer is deleted: of several threads one gets it. `out_alone`: nobody else reads its memory. */
ten_tensor *plugin_buffer_take(PJRT_Buffer *buffer, bool *out_alone);
/* Undoes that. */
void plugin_buffer_put_back(PJRT_Buffer *buffer, ten_tensor *tensor);

/* Every implemented call, declared with PJRT's own types. The rest return UNIMPLEMENTED with their name. */
// clang-format off: a table
#define PLUGIN_CALLS(X)                                                                                              \
  X(PJRT_Error_GetCode) X(PJRT_Error_ForEachPayload) X(PJRT_Plugin_Initialize) X(PJRT_Plugin_Attributes)             \
  X(PJRT_Event_Destroy) X(PJRT_Event_IsReady) X(PJRT_Event_Error) X(PJRT_Event_Await) X(PJRT_Event_OnReady)          \
  X(PJRT_Client_Create) X(PJRT_Client_Destroy) X(PJRT_Client_PlatformName) X(PJRT_Client_ProcessIndex)               \
  X(PJRT_Client_PlatformVersion) X(PJRT_Client_Devices) X(PJRT_Client_AddressableDevices)                            \
  X(PJRT_Client_LookupDevice) X(PJRT_Client_LookupAddressableDevice) X(PJRT_Client_AddressableMemories)              \
  X(PJRT_Client_Compile) X(PJRT_Client_DefaultDeviceAssignment) X(PJRT_Client_BufferFromHostBuffer)                  \
  X(PJRT_DeviceDescription_Id) X(PJRT_DeviceDescription_ProcessIndex) X(PJRT_DeviceDescription_Attributes)           \
  X(PJRT_DeviceDescription_Kind) X(PJRT_DeviceDescription_DebugString) X(PJRT_DeviceDescription_ToString)            \
  X(PJRT_Device_GetDescription) X(PJRT_Device_IsAddressable) X(PJRT_Device_LocalHardwareId)                          \
  X(PJRT_Device_AddressableMemories) X(PJRT_Device_DefaultMemory) X(PJRT_Device_MemoryStats)                         \
  X(PJRT_Device_GetAttributes) X(PJRT_Device_ClearMemoryStats) X(PJRT_Memory_Id) X(PJRT_Memory_Kind)                 \
  X(PJRT_Memory_Kind_Id) X(PJRT_Memory_DebugString) X(PJRT_Memory_ToString) X(PJRT_Memory_AddressableByDevices)      \
  X(PJRT_Executable_Destroy) X(PJRT_Executable_Name) X(PJRT_Executable_NumReplicas) X(PJRT_Executable_NumPartitions) \
  X(PJRT_Executable_NumOutputs) X(PJRT_Executable_SizeOfGeneratedCodeInBytes) X(PJRT_Executable_GetCostAnalysis)     \
  X(PJRT_Executable_OutputMemoryKinds) X(PJRT_Executable_ParameterMemoryKinds) X(PJRT_Executable_OptimizedProgram)   \
  X(PJRT_Executable_Serialize) X(PJRT_Executable_OutputElementTypes) X(PJRT_Executable_OutputDimensions)             \
  X(PJRT_Executable_Fingerprint) X(PJRT_Executable_GetCompiledMemoryStats) X(PJRT_Executable_GetCompileOptions)      \
  X(PJRT_Executable_DeserializeAndLoad) X(PJRT_LoadedExecutable_Destroy) X(PJRT_LoadedExecutable_GetExecutable)      \
  X(PJRT_LoadedExecutable_AddressableDevices) X(PJRT_LoadedExecutable_Delete) X(PJRT_LoadedExecutable_IsDeleted)     \
  X(PJRT_LoadedExecutable_Execute) X(PJRT_LoadedExecutable_Fingerprint)                                              \
  X(PJRT_LoadedExecutable_AddressableDeviceLogicalIds) X(PJRT_LoadedExecutable_GetDeviceAssignment)                  \
  X(PJRT_Buffer_Destroy) X(PJRT_Buffer_ElementType) X(PJRT_Buffer_Dimensions) X(PJRT_Buffer_UnpaddedDimensions)      \
  X(PJRT_Buffer_DynamicDimensionIndices) X(PJRT_Buffer_GetMemoryLayout) X(PJRT_Buffer_OnDeviceSizeInBytes)           \
  X(PJRT_Buffer_Device) X(PJRT_Buffer_Memory) X(PJRT_Buffer_Delete) X(PJRT_Buffer_IsDeleted)                         \
  X(PJRT_Buffer_CopyToDevice) X(PJRT_Buffer_CopyToMemory) X(PJRT_Buffer_ToHostBuffer) X(PJRT_Buffer_CopyRawToHost)   \
  X(PJRT_Buffer_IsOnCpu) X(PJRT_Buffer_ReadyEvent) X(PJRT_Buffer_UnsafePointer)                                      \
  X(PJRT_Buffer_IncreaseExternalReferenceCount) X(PJRT_Buffer_DecreaseExternalReferenceCount)                        \
  X(PJRT_Buffer_OpaqueDeviceMemoryDataPointer) X(PJRT_Client_CreateViewOfDeviceBuffer)                               \
  X(PJRT_Client_CreateUninitializedBuffer) X(PJRT_Client_TopologyDescription) X(PJRT_TopologyDescription_Destroy)    \
  X(PJRT_TopologyDescription_PlatformName) X(PJRT_TopologyDescription_PlatformVersion)                               \
  X(PJRT_TopologyDescription_GetDeviceDescriptions) X(PJRT_TopologyDescription_Attributes)                           \
  X(PJRT_TopologyDescription_Fingerprint) X(PJRT_ExecuteContext_Create) X(PJRT_ExecuteContext_Destroy)               \
  X(PJRT_TopologyDescription_Create) X(PJRT_Compile)
// clang-format on
#define PLUGIN_DECLARE(name) PJRT_Error *plugin_##name(name##_Args *args);
PLUGIN_CALLS(PLUGIN_DECLARE)
#undef PLUGIN_DECLARE
void plugin_PJRT_Error_Destroy(PJRT_Error_Destroy_Args *args);
void plugin_PJRT_Error_Message(PJRT_Error_Message_Args *args);

/* plugin_memory.c */
void plugin_memories_make(PJRT_Device *device);
void plugin_memories_free(PJRT_Device *device);
const char *plugin_memory_kind_name(plugin_memory_kind kind);
/* Reads the memory kind of each argument and result of the program. */
TEN_MUST_USE ten_status *plugin_memories_read(plugin_program *program, const ten_op *func);

/* plugin_layout.c */
extern PJRT_Layouts_Extension plugin_layouts;
TEN_MUST_USE ten_status *plugin_layouts_read(plugin_program *program, const ten_op *func);
bool plugin_layout_is_rows(const PJRT_Layouts_MemoryLayout *layout);
/* A layout given by a caller; NULL: row-major. */
TEN_MUST_USE ten_status *plugin_layout_of(const PJRT_Buffer_MemoryLayout *given, size_t rank,
                                          PJRT_Layouts_MemoryLayout *out);
/* The shape in memory order. */
void plugin_layout_dims(const PJRT_Layouts_MemoryLayout *layout, const int64_t *dims, int64_t *out);
/* The buffer's value `tensor` in row-major order; row-major data in the order of `layout`. Neither copies if the order
 * is unchanged. */
TEN_MUST_USE ten_status *plugin_rows_of(const PJRT_Buffer *buffer, ten_tensor *tensor, ten_tensor **out);
TEN_MUST_USE ten_status *plugin_lay_out(ten_tensor *rows, const PJRT_Layouts_MemoryLayout *layout, ten_tensor **out);
/* Copies it into the caller's memory, in the order of `layout`. */
void plugin_copy_out(const PJRT_Buffer *buffer, const ten_tensor *tensor, const PJRT_Layouts_MemoryLayout *layout,
                     char *to);

/* simulate.c. `plugin_room` is an error when so many additional bytes do not fit into the device's HBM (`memory` NULL:
 * its own memory). */
TEN_MUST_USE ten_status *plugin_simulation_make(const char *topology, plugin_simulation **out);
void plugin_simulation_place(const plugin_simulation *tpu, PJRT_DeviceDescription *device);
TEN_MUST_USE ten_status *plugin_room(const PJRT_Device *device, const plugin_memory *memory, int64_t bytes);
/* Bytes of results and temporaries of a run, per device. */
int64_t plugin_simulation_needs(const plugin_program *p);
TEN_MUST_USE ten_status *plugin_simulation_fits(const plugin_program *p);
/* Rejects what only a real TPU runs. */
TEN_MUST_USE ten_status *plugin_simulation_check(PJRT_Client *client, ten_module *module);
/* Ops computed as a TPU's compiler computes them, because programs rely on it. */
TEN_MUST_USE ten_status *plugin_simulation_expand(PJRT_Client *client, ten_module *module);
/* What the log records of a program, taken before it is rewritten. */
typedef struct plugin_skeleton_of {
  uint64_t skeleton; /* hash of its ops, without types */
  ten_buf line;      /* "train.py:12", or empty */
} plugin_skeleton_of;
void plugin_simulation_begin(const PJRT_Client *client);
void plugin_simulation_note(plugin_skeleton_of *of, ten_module *module);
void plugin_simulation_compiled(const plugin_program *p, const plugin_skeleton_of *of);
void plugin_simulation_ran(const plugin_program *p);
void plugin_simulation_read(const PJRT_Buffer *buffer, size_t bytes);
void plugin_simulation_failed(const ten_status *status); /* logs an error before the caller gets it */

/* dump.c: writes programs, and the operands and results of runs, into the folder TENFOLD_TPU_SIM_DUMP. Operands are
 * written before a run, which may reuse the memory of donated ones; `run` numbers it. */
TEN_MUST_USE ten_status *plugin_dump_program(const PJRT_Client *client, const ten_module *module,
                                             const ten_buf *fingerprint);
TEN_MUST_USE ten_status *plugin_dump_operands(const plugin_program *p, ten_tensor *const *values, unsigned *run);
TEN_MUST_USE ten_status *plugin_dump_results(const plugin_program *p, ten_tensor *const *values, unsigned run);

/* plugin_callback.c: the interface to the package that lowers calls into Python. `call` makes call `id`: it reads
 * inputs, fills outputs, and returns nonzero with a message on failure. `hold` is called when a program that may make
 * the call is created (1) and destroyed (-1). Both may be called from any thread. */
typedef int (*plugin_callback_call)(int64_t id, const ten_buffer *inputs, size_t input_count, const ten_buffer *outputs,
                                    size_t output_count, char *message, size_t size);
typedef void (*plugin_callback_hold)(int64_t id, int change);
void plugin_callbacks_hold(plugin_program *program);
void plugin_callbacks_release(plugin_program *program);

/* plugin_cost.c: computes the cost of the compiled program. */
void plugin_costs(plugin_program *program);

/* partitioner.c: functions of the caller that partition calls (JAX's custom_partitioning). */
extern PJRT_Custom_Partitioner_Extension plugin_partitioners;
/* Partitions the calls of one program: by registered functions, whose answers are appended to `answers`; or, if
 * `given` is not empty, by replaying those. */
typedef struct plugin_partitioning {
  ten_partitioner base;
  ten_buf *answers;
  ten_str given, targets; /* the remaining stored answers; all of them */
  bool replays;
} plugin_partitioning;
void plugin_partitioning_start(ten_buf *answers, ten_str given, plugin_partitioning *out);

/* sharding.c: converts OpSharding, XLA's protocol buffer, to and from a tiling; prepares a program's shardings. */
void plugin_put_sharding(ten_buf *out, const ten_tiling *tiling);
TEN_MUST_USE ten_status *plugin_tiling_of(ten_str sharding, uint32_t rank, uint32_t devices, ten_tiling *out);
void plugin_shardings(plugin_program *program);
PJRT_Error *plugin_parameter_shardings(PJRT_Shardings_PJRT_Executable_ParameterShardings_Args *args);
PJRT_Error *plugin_output_shardings(PJRT_Shardings_PJRT_Executable_OutputShardings_Args *args);

#endif
