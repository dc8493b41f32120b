/* plugin_buffer.c: buffers are host tensors; moving one is a copy, or, where nobody can tell, a reference. */
#include <stdatomic.h>
#include <stdlib.h>

#include "pjrt/plugin.h"

static void account(PJRT_Client *client, int64_t bytes) {
  const int64_t now = atomic_fetch_add(&client->bytes_in_use, bytes) + bytes;
  int64_t peak = atomic_load(&client->peak_bytes);
  while (now > peak && !atomic_compare_exchange_weak(&client->peak_bytes, &peak, now)) continue;
}

PJRT_Buffer *plugin_buffer(PJRT_Device *device, ten_tensor *tensor) {
  PJRT_Buffer *buffer = ten_alloc(sizeof *buffer);
  const bool token = tensor->kind == TEN_VALUE_TOKEN;
  buffer->device = device;
  buffer->memory = &device->memory.base;
  buffer->tensor = tensor;
  buffer->type = token ? PJRT_Buffer_Type_TOKEN : pjrt_type_of(tensor->dtype);
  buffer->rank = token ? 0 : tensor->rank;
  buffer->dims = ten_alloc((buffer->rank + 1) * sizeof *buffer->dims);
  buffer->minor_to_major = ten_alloc((buffer->rank + 1) * sizeof *buffer->minor_to_major);
  for (size_t i = 0; i < buffer->rank; i++) {
    buffer->dims[i] = tensor->dims[i];
    buffer->minor_to_major[i] = (int64_t)(buffer->rank - 1 - i);
  }
  account(device->client, (int64_t)tensor->bytes);
  return buffer;
}

static void buffer_drop(PJRT_Buffer *buffer) {
  if (!buffer->tensor) return;
  account(buffer->device->client, -(int64_t)buffer->tensor->bytes);
  if (atomic_load(&buffer->external))
    buffer->lent = buffer->tensor;
  else
    ten_tensor_release(buffer->tensor);
  buffer->tensor = NULL;
}

static ten_status *alive(const PJRT_Buffer *buffer) {
  return buffer->tensor ? NULL : ten_error(TEN_INVALID, "the buffer was deleted or donated");
}

PJRT_Error *plugin_PJRT_Client_BufferFromHostBuffer(PJRT_Client_BufferFromHostBuffer_Args *args) {
  const ten_dtype dtype = pjrt_dtype_of(args->type);
  if (!dtype)
    return plugin_error(ten_error(TEN_UNSUPPORTED, "host buffers of PJRT type %d are not known", (int)args->type));
  PJRT_Device *device = args->device   ? args->device
                        : args->memory ? ((plugin_memory *)args->memory)->device
                                       : args->client->devices[0];
  ten_tensor *tensor;
  ten_status *status = ten_tensor_create(dtype, (uint32_t)args->num_dims, args->dims, &tensor);
  if (status) return plugin_error(status);
  if (tensor->bytes && args->byte_strides) {
    char *to = tensor->data;
    pjrt_gather_rows(args->data, args->byte_strides, args->dims, args->num_dims, ten_dtype_bytes(dtype), &to);
  } else if (tensor->bytes) {
    memcpy(tensor->data, args->data, tensor->bytes);
  }
  args->buffer = plugin_buffer(device, tensor);
  args->done_with_host_buffer = plugin_event();
  return NULL;
}

typedef struct foreign {
  void *data, *user;
  void (*release)(void *data, void *user);
} foreign;

static void foreign_release(void *owner) {
  foreign *own = owner;
  if (own->release) own->release(own->data, own->user);
  free(own);
}

PJRT_Error *plugin_PJRT_Client_CreateViewOfDeviceBuffer(PJRT_Client_CreateViewOfDeviceBuffer_Args *args) {
  const ten_dtype dtype = pjrt_dtype_of(args->element_type);
  if (!dtype)
    return plugin_error(ten_error(TEN_UNSUPPORTED, "buffers of PJRT type %d are not known", (int)args->element_type));
  foreign *own = ten_alloc(sizeof *own);
  *own = (foreign){args->device_buffer_ptr, args->on_delete_callback_arg, args->on_delete_callback};
  ten_tensor *tensor;
  ten_status *status = ten_tensor_view(dtype, (uint32_t)args->num_dims, args->dims, args->device_buffer_ptr,
                                       foreign_release, own, &tensor);
  if (status) {
    free(own);
    return plugin_error(status);
  }
  args->buffer = plugin_buffer(args->device ? args->device : args->client->devices[0], tensor);
  return NULL;
}

PJRT_Error *plugin_PJRT_Client_CreateUninitializedBuffer(PJRT_Client_CreateUninitializedBuffer_Args *args) {
  const ten_dtype dtype = pjrt_dtype_of(args->shape_element_type);
  ten_tensor *tensor = NULL;
  ten_status *status =
      dtype ? ten_tensor_create(dtype, (uint32_t)args->shape_num_dims, args->shape_dims, &tensor)
            : ten_error(TEN_UNSUPPORTED, "buffers of PJRT type %d are not known", (int)args->shape_element_type);
  if (status) return plugin_error(status);
  PJRT_Device *device = args->device   ? args->device
                        : args->memory ? ((plugin_memory *)args->memory)->device
                                       : args->client->devices[0];
  args->buffer = plugin_buffer(device, tensor);
  return NULL;
}

PJRT_Error *plugin_PJRT_Buffer_Destroy(PJRT_Buffer_Destroy_Args *args) {
  PJRT_Buffer *buffer = args->buffer;
  if (!buffer) return NULL;
  buffer_drop(buffer);
  ten_tensor_release(buffer->lent);
  free(buffer->dims);
  free(buffer->minor_to_major);
  free(buffer);
  return NULL;
}
PJRT_Error *plugin_PJRT_Buffer_Delete(PJRT_Buffer_Delete_Args *args) { return buffer_drop(args->buffer), NULL; }
PJRT_Error *plugin_PJRT_Buffer_IsDeleted(PJRT_Buffer_IsDeleted_Args *args) {
  return args->is_deleted = !args->buffer->tensor, NULL;
}
PJRT_Error *plugin_PJRT_Buffer_ElementType(PJRT_Buffer_ElementType_Args *args) {
  return args->type = args->buffer->type, NULL;
}
PJRT_Error *plugin_PJRT_Buffer_Dimensions(PJRT_Buffer_Dimensions_Args *args) {
  return args->dims = args->buffer->dims, args->num_dims = args->buffer->rank, NULL;
}
PJRT_Error *plugin_PJRT_Buffer_UnpaddedDimensions(PJRT_Buffer_UnpaddedDimensions_Args *args) {
  return args->unpadded_dims = args->buffer->dims, args->num_dims = args->buffer->rank, NULL;
}
PJRT_Error *plugin_PJRT_Buffer_DynamicDimensionIndices(PJRT_Buffer_DynamicDimensionIndices_Args *args) {
  return args->dynamic_dim_indices = NULL, args->num_dynamic_dims = 0, NULL;
}
PJRT_Error *plugin_PJRT_Buffer_GetMemoryLayout(PJRT_Buffer_GetMemoryLayout_Args *args) {
  args->layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  args->layout.tiled = (PJRT_Buffer_MemoryLayout_Tiled){.struct_size = sizeof(PJRT_Buffer_MemoryLayout_Tiled),
                                                        .minor_to_major = args->buffer->minor_to_major,
                                                        .minor_to_major_size = args->buffer->rank};
  return NULL;
}
PJRT_Error *plugin_PJRT_Buffer_OnDeviceSizeInBytes(PJRT_Buffer_OnDeviceSizeInBytes_Args *args) {
  ten_status *status = alive(args->buffer);
  args->on_device_size_in_bytes = status ? 0 : args->buffer->tensor->bytes;
  return plugin_error(status);
}
PJRT_Error *plugin_PJRT_Buffer_Device(PJRT_Buffer_Device_Args *args) {
  return args->device = args->buffer->device, NULL;
}
PJRT_Error *plugin_PJRT_Buffer_Memory(PJRT_Buffer_Memory_Args *args) {
  return args->memory = args->buffer->memory, NULL;
}
PJRT_Error *plugin_PJRT_Buffer_IsOnCpu(PJRT_Buffer_IsOnCpu_Args *args) { return args->is_on_cpu = true, NULL; }
PJRT_Error *plugin_PJRT_Buffer_ReadyEvent(PJRT_Buffer_ReadyEvent_Args *args) {
  return args->event = plugin_event(), NULL;
}

PJRT_Error *plugin_PJRT_Buffer_CopyToDevice(PJRT_Buffer_CopyToDevice_Args *args) {
  ten_status *status = alive(args->buffer); /* values never change, so a copy on the same machine is a reference */
  if (!status) args->dst_buffer = plugin_buffer(args->dst_device, ten_tensor_retain(args->buffer->tensor));
  return plugin_error(status);
}
PJRT_Error *plugin_PJRT_Buffer_CopyToMemory(PJRT_Buffer_CopyToMemory_Args *args) {
  ten_status *status = alive(args->buffer);
  if (!status)
    args->dst_buffer =
        plugin_buffer(((plugin_memory *)args->dst_memory)->device, ten_tensor_retain(args->buffer->tensor));
  return plugin_error(status);
}

/* With the dimensions in the order that the host asks for, the innermost named first. There is something to copy. */
static ten_status *copy_laid_out(const ten_tensor *tensor, const PJRT_Buffer_MemoryLayout_Tiled *layout, char *to) {
  int64_t lying[TEN_RANK_MAX], strides[TEN_RANK_MAX] = {0}, dims[TEN_RANK_MAX],
                               stride = (int64_t)ten_dtype_bytes(tensor->dtype);
  if (layout->minor_to_major_size != tensor->rank || layout->num_tiles)
    return ten_error(TEN_UNSUPPORTED, "the host asks for %zu dimensions and %zu tiles of a value of %u dimensions",
                     layout->minor_to_major_size, layout->num_tiles, tensor->rank);
  for (uint32_t i = tensor->rank; i--;) {
    lying[i] = stride;
    stride *= tensor->dims[i];
  }
  for (uint32_t i = 0; i < tensor->rank; i++) {
    const int64_t dim = layout->minor_to_major[tensor->rank - 1 - i];
    if (dim < 0 || dim >= (int64_t)tensor->rank || !lying[dim])
      return ten_error(TEN_INVALID, "the order of dimensions that the host asks for is none");
    dims[i] = tensor->dims[dim];
    strides[i] = lying[dim];
    lying[dim] = 0;
  }
  bool as_it_lies = true;
  for (uint32_t i = 0; i < tensor->rank; i++)
    as_it_lies &= layout->minor_to_major[i] == (int64_t)(tensor->rank - 1 - i);
  if (as_it_lies)
    memcpy(to, tensor->data, tensor->bytes);
  else
    pjrt_gather_rows(tensor->data, strides, dims, tensor->rank, ten_dtype_bytes(tensor->dtype), &to);
  return NULL;
}

PJRT_Error *plugin_PJRT_Buffer_ToHostBuffer(PJRT_Buffer_ToHostBuffer_Args *args) {
  ten_status *status = alive(args->src);
  if (status) return plugin_error(status);
  const ten_tensor *tensor = args->src->tensor;
  if (!args->dst) {
    args->dst_size = tensor->bytes;
    return NULL;
  }
  if (args->dst_size < tensor->bytes)
    return plugin_error(
        ten_error(TEN_INVALID, "the host buffer holds %zu bytes, the value has %zu", args->dst_size, tensor->bytes));
  const PJRT_Buffer_MemoryLayout *layout = args->host_layout;
  if (layout && layout->type == PJRT_Buffer_MemoryLayout_Type_Tiled && tensor->rank > 1 && tensor->bytes) {
    status = copy_laid_out(tensor, &layout->tiled, args->dst);
    if (status) return plugin_error(status);
  } else if (tensor->bytes) {
    memcpy(args->dst, tensor->data, tensor->bytes);
  }
  args->event = plugin_event();
  return NULL;
}

PJRT_Error *plugin_PJRT_Buffer_CopyRawToHost(PJRT_Buffer_CopyRawToHost_Args *args) {
  ten_status *status = alive(args->buffer);
  if (!status && (args->offset < 0 || args->transfer_size < 0 || (size_t)args->offset > args->buffer->tensor->bytes ||
                  (size_t)args->transfer_size > args->buffer->tensor->bytes - (size_t)args->offset))
    status = ten_error(TEN_INVALID, "bytes %lld to %lld are not all inside the buffer", (long long)args->offset,
                       (long long)(args->offset + args->transfer_size));
  if (status) return plugin_error(status);
  memcpy(args->dst, (const char *)args->buffer->tensor->data + args->offset, (size_t)args->transfer_size);
  args->event = plugin_event();
  return NULL;
}

PJRT_Error *plugin_PJRT_Buffer_UnsafePointer(PJRT_Buffer_UnsafePointer_Args *args) {
  ten_status *status = alive(args->buffer);
  if (!status) args->buffer_pointer = (uintptr_t)args->buffer->tensor->data;
  return plugin_error(status);
}
PJRT_Error *plugin_PJRT_Buffer_OpaqueDeviceMemoryDataPointer(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args *args) {
  ten_status *status = alive(args->buffer);
  if (!status) args->device_memory_ptr = args->buffer->tensor->data;
  return plugin_error(status);
}
PJRT_Error *plugin_PJRT_Buffer_IncreaseExternalReferenceCount(PJRT_Buffer_IncreaseExternalReferenceCount_Args *args) {
  return (void)atomic_fetch_add(&args->buffer->external, 1), NULL;
}
PJRT_Error *plugin_PJRT_Buffer_DecreaseExternalReferenceCount(PJRT_Buffer_DecreaseExternalReferenceCount_Args *args) {
  const int before = atomic_fetch_sub(&args->buffer->external, 1);
  if (before == 1) {
    ten_tensor_release(args->buffer->lent);
    args->buffer->lent = NULL;
  }
  if (before > 0) return NULL;
  atomic_fetch_add(&args->buffer->external, 1);
  return plugin_error(ten_error(TEN_INVALID, "the buffer has no external reference to give back"));
}
