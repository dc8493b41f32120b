/* clang-format off */
/* abi_extensions.h: extensions of PJRT's table of functions, laid out as abi.h has the table. */
#ifndef TEN_PJRT_ABI_EXTENSIONS_H
#define TEN_PJRT_ABI_EXTENSIONS_H

#include "backend/pjrt/abi.h"

/* Layouts: an extension of the table. */
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
/* Shardings: an extension of the table. */
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
#endif
