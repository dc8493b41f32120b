/* plugin_api.c: the table that GetPjrtApi returns. An unimplemented call returns an error with its name: a null slot
 * would crash the caller. */
#include "plugin/plugin.h"

// clang-format off: a table
#define REFUSED_CALLS(X)                                                                                            \
  X(PJRT_CopyToDeviceStream_Destroy) X(PJRT_CopyToDeviceStream_AddChunk) X(PJRT_CopyToDeviceStream_TotalBytes)      \
  X(PJRT_CopyToDeviceStream_GranuleSize) X(PJRT_CopyToDeviceStream_CurrentBytes)                                    \
  X(PJRT_TopologyDescription_Serialize) X(PJRT_AsyncHostToDeviceTransferManager_Destroy)                            \
  X(PJRT_AsyncHostToDeviceTransferManager_TransferData) X(PJRT_Client_CreateBuffersForAsyncHostToDevice)            \
  X(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer) X(PJRT_AsyncHostToDeviceTransferManager_Device)           \
  X(PJRT_AsyncHostToDeviceTransferManager_BufferCount) X(PJRT_AsyncHostToDeviceTransferManager_BufferSize)          \
  X(PJRT_AsyncHostToDeviceTransferManager_SetBufferError) X(PJRT_AsyncHostToDeviceTransferManager_AddMetadata)      \
  X(PJRT_Client_DmaMap) X(PJRT_Client_DmaUnmap) X(PJRT_Client_UpdateGlobalProcessInfo)                              \
  X(PJRT_TopologyDescription_Deserialize) X(PJRT_Client_CreateAliasBuffer) X(PJRT_Client_FulfillAliasBuffer)        \
  X(PJRT_Client_CreateErrorBuffer) X(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral)                         \
  X(PJRT_Buffer_CopyRawToHostFuture) X(PJRT_Device_PoisonExecution) X(PJRT_Device_CreateAsyncTrackingEvent)         \
  X(PJRT_AsyncTrackingEvent_Destroy) X(PJRT_Buffer_DonateWithControlDependency) X(PJRT_Event_Create)                \
  X(PJRT_Event_Set) X(PJRT_Client_Load) X(PJRT_Buffer_Bitcast)                                                      \
  X(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace) X(PJRT_TopologyDescription_GetMemorySpaceKindIds)
// clang-format on

#define REFUSE(name)                                                                    \
  static PJRT_Error *refuse_##name(name##_Args *args) {                                 \
    (void)args;                                                                         \
    return plugin_error(ten_error(TEN_UNSUPPORTED, "Tenfold does not provide " #name)); \
  }
REFUSED_CALLS(REFUSE)
#undef REFUSE

/* A failed allocation becomes an error of the call. */
#define RECOVER(name)                                                                 \
  static PJRT_Error *call_##name(name##_Args *args) {                                 \
    TEN_RECOVERY(recovery, #name);                                                    \
    if (_setjmp(recovery.place)) return plugin_error(ten_recovery_status(&recovery)); \
    return plugin_##name(args);                                                       \
  }
PLUGIN_CALLS(RECOVER)
#undef RECOVER

static PJRT_Shardings_Extension shardings = {.base = {.struct_size = sizeof(PJRT_Shardings_Extension),
                                                      .type = PJRT_Extension_Type_Shardings,
                                                      .next = &plugin_partitioners.base},
                                             .parameter_shardings = plugin_parameter_shardings,
                                             .output_shardings = plugin_output_shardings};

static PJRT_Api api = {.struct_size = sizeof(PJRT_Api),
                       .extension_start = &shardings.base,
                       .pjrt_api_version = {.struct_size = sizeof(PJRT_Api_Version),
                                            .major_version = PJRT_API_MAJOR,
                                            .minor_version = PJRT_API_MINOR},
                       .PJRT_Error_Destroy_ = plugin_PJRT_Error_Destroy,
                       .PJRT_Error_Message_ = plugin_PJRT_Error_Message,
#define ANSWERED(name) .name##_ = call_##name,
                       PLUGIN_CALLS(ANSWERED)
#undef ANSWERED
#define REFUSED(name) .name##_ = refuse_##name,
                           REFUSED_CALLS(REFUSED)
#undef REFUSED
};

TEN_API const PJRT_Api *GetPjrtApi(void);
const PJRT_Api *GetPjrtApi(void) { return &api; }
