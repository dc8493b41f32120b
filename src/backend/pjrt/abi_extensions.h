/* clang-format off */
/* abi_extensions.h: extensions of PJRT's function table, laid out as in abi.h. */
#ifndef TEN_PJRT_ABI_EXTENSIONS_H
#define TEN_PJRT_ABI_EXTENSIONS_H

#include "backend/pjrt/abi.h"

/* Layouts extension. */
typedef struct PJRT_Layouts_MemoryLayout PJRT_Layouts_MemoryLayout;
typedef struct PJRT_Layouts_SerializedLayout PJRT_Layouts_SerializedLayout;
typedef struct PJRT_Layouts_MemoryLayout_Destroy_Args { PJRT_HEAD PJRT_Layouts_MemoryLayout *layout;
} PJRT_Layouts_MemoryLayout_Destroy_Args;
typedef struct PJRT_Layouts_MemoryLayout_Serialize_Args { PJRT_HEAD PJRT_Layouts_MemoryLayout *layout;
  const char *serialized_bytes; size_t serialized_bytes_size; PJRT_Layouts_SerializedLayout *serialized_layout;
  void (*serialized_layout_deleter)(PJRT_Layouts_SerializedLayout *layout);
} PJRT_Layouts_MemoryLayout_Serialize_Args;
typedef struct PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args { PJRT_HEAD PJRT_Buffer *buffer;
  PJRT_Layouts_MemoryLayout *layout; } PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args;
typedef struct PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args { PJRT_HEAD PJRT_Client *client; PJRT_Buffer_Type type;
  const int64_t *dims; size_t num_dims; PJRT_Layouts_MemoryLayout *layout;
} PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args;
typedef struct PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args { PJRT_HEAD
  PJRT_TopologyDescription *topology_description; PJRT_Buffer_Type type; const int64_t *dims; size_t num_dims;
  PJRT_Layouts_MemoryLayout *layout; } PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args;
typedef struct PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args { PJRT_HEAD PJRT_Executable *executable;
  size_t num_outputs; PJRT_Layouts_MemoryLayout **layouts; } PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args;
typedef struct PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args { PJRT_HEAD PJRT_Executable *executable;
  size_t num_parameters; PJRT_Layouts_MemoryLayout **layouts; } PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args;
typedef struct PJRT_Layouts_Extension { PJRT_Extension_Base base;
  PJRT_Error *(*destroy)(PJRT_Layouts_MemoryLayout_Destroy_Args *args);
  PJRT_Error *(*serialize)(PJRT_Layouts_MemoryLayout_Serialize_Args *args);
  PJRT_Error *(*client_default)(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args *args);
  PJRT_Error *(*buffer)(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args *args);
  PJRT_Error *(*topology_default)(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args *args);
  PJRT_Error *(*outputs)(PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args *args);
  PJRT_Error *(*parameters)(PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args *args);
} PJRT_Layouts_Extension;
/* Shardings extension. */
typedef struct PJRT_Shardings_PJRT_Executable_ParameterShardings_Args { PJRT_HEAD PJRT_Executable *executable;
  size_t num_parameters; const char *const *shardings; const size_t *sharding_sizes;
} PJRT_Shardings_PJRT_Executable_ParameterShardings_Args;
typedef struct PJRT_Shardings_PJRT_Executable_OutputShardings_Args { PJRT_HEAD PJRT_Executable *executable;
  size_t num_outputs; const char *const *shardings; const size_t *sharding_sizes;
} PJRT_Shardings_PJRT_Executable_OutputShardings_Args;
typedef struct PJRT_Shardings_Extension { PJRT_Extension_Base base;
  PJRT_Error *(*parameter_shardings)(PJRT_Shardings_PJRT_Executable_ParameterShardings_Args *args);
  PJRT_Error *(*output_shardings)(PJRT_Shardings_PJRT_Executable_OutputShardings_Args *args);
} PJRT_Shardings_Extension;
/* Custom partitioner extension. Whoever fills in data owns it; the callee's data lives until the head's cleanup_fn is
 * called with the head's data. */
typedef struct JAX_CustomCallPartitioner_string { const char *data; size_t size; } JAX_CustomCallPartitioner_string;
typedef struct JAX_CustomCallPartitioner_aval { JAX_CustomCallPartitioner_string shape; bool has_sharding;
  JAX_CustomCallPartitioner_string sharding; } JAX_CustomCallPartitioner_aval;
typedef struct JAX_CustomCallPartitioner_version_and_error { int64_t api_version; void *data;
  void (*cleanup_fn)(void *data); bool has_error; PJRT_Error_Code code; JAX_CustomCallPartitioner_string error_msg;
} JAX_CustomCallPartitioner_version_and_error;
typedef struct JAX_CustomCallPartitioner_Partition_Args { JAX_CustomCallPartitioner_version_and_error header;
  size_t num_args; JAX_CustomCallPartitioner_aval *op_args; JAX_CustomCallPartitioner_aval op_result;
  JAX_CustomCallPartitioner_string backend_config; JAX_CustomCallPartitioner_string mlir_module;
  JAX_CustomCallPartitioner_string *args_sharding; JAX_CustomCallPartitioner_string result_sharding;
} JAX_CustomCallPartitioner_Partition_Args;
typedef struct JAX_CustomCallPartitioner_InferShardingFromOperands_Args {
  JAX_CustomCallPartitioner_version_and_error header; size_t num_args; JAX_CustomCallPartitioner_aval *op_args;
  JAX_CustomCallPartitioner_string result_shape; JAX_CustomCallPartitioner_string backend_config;
  bool has_result_sharding; JAX_CustomCallPartitioner_string result_sharding;
} JAX_CustomCallPartitioner_InferShardingFromOperands_Args;
typedef struct JAX_CustomCallPartitioner_PropagateUserSharding_Args {
  JAX_CustomCallPartitioner_version_and_error header; JAX_CustomCallPartitioner_string backend_config;
  JAX_CustomCallPartitioner_string result_shape; JAX_CustomCallPartitioner_string result_sharding;
} JAX_CustomCallPartitioner_PropagateUserSharding_Args;
typedef struct JAX_CustomCallPartitioner_Callbacks JAX_CustomCallPartitioner_Callbacks;
struct JAX_CustomCallPartitioner_Callbacks { int64_t version; void *private_data;
  void (*dtor)(JAX_CustomCallPartitioner_Callbacks *data);
  void (*partition)(JAX_CustomCallPartitioner_Callbacks *data, JAX_CustomCallPartitioner_Partition_Args *args);
  void (*infer_sharding)(JAX_CustomCallPartitioner_Callbacks *data,
                         JAX_CustomCallPartitioner_InferShardingFromOperands_Args *args);
  void (*propagate_user_sharding)(JAX_CustomCallPartitioner_Callbacks *data,
                                  JAX_CustomCallPartitioner_PropagateUserSharding_Args *args);
  bool can_side_effecting_have_replicated_sharding; };
/* These two have no extension_start. */
typedef struct PJRT_Register_Custom_Partitioner_Args { size_t struct_size; const char *name; size_t name_size;
  JAX_CustomCallPartitioner_Callbacks *callbacks; } PJRT_Register_Custom_Partitioner_Args;
typedef struct PJRT_Register_Batch_Partitionable_Args { size_t struct_size; const char *name; size_t name_size;
} PJRT_Register_Batch_Partitionable_Args;
typedef struct PJRT_Custom_Partitioner_Extension { PJRT_Extension_Base base;
  PJRT_Error *(*register_custom_partitioner)(PJRT_Register_Custom_Partitioner_Args *args);
  PJRT_Error *(*register_batch_partitionable)(PJRT_Register_Batch_Partitionable_Args *args);
} PJRT_Custom_Partitioner_Extension;
#endif
