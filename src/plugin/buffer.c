/* plugin_buffer.c: buffers are host tensors; moving one is a copy or, where unobservable, a reference. */
#include <stdatomic.h>
#include <stdlib.h>

#include "base/thread.h"
#include "plugin/plugin.h"

static void add_bytes(_Atomic int64_t *in_use, _Atomic int64_t *peak_bytes, int64_t bytes) {
  const int64_t now = atomic_fetch_add(in_use, bytes) + bytes;
  int64_t peak = atomic_load(peak_bytes);
  while (now > peak && !atomic_compare_exchange_weak(peak_bytes, &peak, now)) continue;
}

static void account(plugin_memory *memory, int64_t bytes) {
  PJRT_Device *device = memory->device;
  add_bytes(&device->client->bytes_in_use, &device->client->peak_bytes, bytes);
  if (memory->kind == PLUGIN_MEMORY_DEVICE) add_bytes(&device->bytes_in_use, &device->peak_bytes, bytes);
}

PJRT_Buffer *plugin_buffer(plugin_memory *memory, ten_tensor *tensor, const PJRT_Layouts_MemoryLayout *layout) {
  PJRT_Buffer *buffer = ten_alloc(sizeof *buffer);
  const bool token = tensor->kind == TEN_VALUE_TOKEN;
  buffer->device = memory->device;
  buffer->memory = memory;
  buffer->tensor = tensor;
  buffer->type = token ? PJRT_Buffer_Type_TOKEN : pjrt_type_of(tensor->dtype);
  const size_t rank = token ? 0 : tensor->rank;
  buffer->layout.rank = rank;
  for (size_t i = 0; i < rank; i++) {
    const int64_t dim = layout ? layout->minor_to_major[rank - 1 - i] : (int64_t)i; /* the i-th, outermost first */
    buffer->layout.minor_to_major[rank - 1 - i] = dim;
    buffer->dims[dim] = tensor->dims[i];
  }
  account(memory, (int64_t)tensor->bytes);
  return buffer;
}

/* The requested memory: given, the device's default, or the first device's. */
static plugin_memory *place_of(PJRT_Client *client, PJRT_Device *device, PJRT_Memory *memory) {
  if (memory) return (plugin_memory *)memory;
  return &(device ? device : client->devices[0])->memory[PLUGIN_MEMORY_DEVICE];
}

/* Threads share buffers: one may delete or donate what another reads. Held for a few instructions. */
static ten_mutex values_mutex = TEN_MUTEX_INIT;

static ten_status *deleted(void) { return ten_error(TEN_INVALID, "the buffer was deleted or donated"); }

ten_tensor *plugin_buffer_hold(const PJRT_Buffer *buffer) {
  ten_mutex_lock(&values_mutex);
  ten_tensor *tensor = buffer->tensor ? ten_tensor_retain(buffer->tensor) : NULL;
  ten_mutex_unlock(&values_mutex);
  return tensor;
}

/* An error if the buffer was deleted or donated; the caller releases the value. */
static ten_status *hold(const PJRT_Buffer *buffer, ten_tensor **out) {
  *out = plugin_buffer_hold(buffer);
  return *out ? NULL : deleted();
}

ten_tensor *plugin_buffer_take(PJRT_Buffer *buffer, bool *out_alone) {
  ten_mutex_lock(&values_mutex);
  ten_tensor *tensor = buffer->tensor;
  buffer->tensor = NULL;
  const bool external = atomic_load(&buffer->external);
  if (tensor && external) buffer->lent = ten_tensor_retain(tensor);
  *out_alone = tensor && !external && !tensor->release && tensor->kind == TEN_VALUE_TENSOR &&
               __atomic_load_n(&tensor->references, __ATOMIC_ACQUIRE) == 1;
  ten_mutex_unlock(&values_mutex);
  if (tensor) account(buffer->memory, -(int64_t)tensor->bytes);
  return tensor;
}

void plugin_buffer_put_back(PJRT_Buffer *buffer, ten_tensor *tensor) {
  account(buffer->memory, (int64_t)tensor->bytes);
  ten_mutex_lock(&values_mutex);
  ten_tensor *lent = buffer->lent;
  buffer->lent = NULL;
  buffer->tensor = tensor;
  ten_mutex_unlock(&values_mutex);
  ten_tensor_release(lent);
}

static void buffer_drop(PJRT_Buffer *buffer) {
  bool alone;
  ten_tensor_release(plugin_buffer_take(buffer, &alone));
}

PJRT_Error *plugin_PJRT_Client_BufferFromHostBuffer(PJRT_Client_BufferFromHostBuffer_Args *args) {
  const ten_dtype dtype = pjrt_dtype_of(args->type);
  if (!dtype)
    return plugin_error(ten_error(TEN_UNSUPPORTED, "host buffers of PJRT type %d are not known", (int)args->type));
  PJRT_Layouts_MemoryLayout layout;
  ten_tensor *tensor = NULL;
  ten_status *status = plugin_layout_of(args->device_layout, args->num_dims, &layout);
  if (!status) status = ten_tensor_create(dtype, (uint32_t)args->num_dims, args->dims, &tensor);
  if (status) return plugin_error(status);
  if (tensor->bytes && args->byte_strides) {
    char *to = tensor->data;
    pjrt_gather_rows(args->data, args->byte_strides, args->dims, args->num_dims, ten_dtype_bytes(dtype), &to);
  } else if (tensor->bytes) {
    memcpy(tensor->data, args->data, tensor->bytes);
  }
  ten_tensor *laid_out = NULL;
  status = plugin_lay_out(tensor, &layout, &laid_out);
  ten_tensor_release(tensor);
  if (status) return plugin_error(status);
  plugin_memory *memory = place_of(args->client, args->device, args->memory);
  status = plugin_room(memory->device, memory, (int64_t)laid_out->bytes);
  if (status) {
    ten_tensor_release(laid_out);
    return plugin_error(status);
  }
  args->buffer = plugin_buffer(memory, laid_out, &layout);
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
  PJRT_Layouts_MemoryLayout layout;
  ten_status *status = plugin_layout_of(args->layout, args->num_dims, &layout);
  if (status) return plugin_error(status);
  int64_t dims[TEN_RANK_MAX];
  plugin_layout_dims(&layout, args->dims, dims);
  foreign *own = ten_alloc(sizeof *own);
  *own = (foreign){args->device_buffer_ptr, args->on_delete_callback_arg, args->on_delete_callback};
  ten_tensor *tensor;
  status = ten_tensor_from_memory(dtype, (uint32_t)args->num_dims, dims, args->device_buffer_ptr, foreign_release, own,
                                  &tensor);
  if (status) {
    free(own);
    return plugin_error(status);
  }
  const bool knows_memory =
      args->struct_size >= offsetof(PJRT_Client_CreateViewOfDeviceBuffer_Args, memory) + sizeof(void *);
  args->buffer =
      plugin_buffer(place_of(args->client, args->device, knows_memory ? args->memory : NULL), tensor, &layout);
  return NULL;
}

PJRT_Error *plugin_PJRT_Client_CreateUninitializedBuffer(PJRT_Client_CreateUninitializedBuffer_Args *args) {
  const ten_dtype dtype = pjrt_dtype_of(args->shape_element_type);
  ten_tensor *tensor = NULL;
  PJRT_Layouts_MemoryLayout layout;
  ten_status *status = plugin_layout_of(args->shape_layout, args->shape_num_dims, &layout);
  if (!status && !dtype)
    status = ten_error(TEN_UNSUPPORTED, "buffers of PJRT type %d are not known", (int)args->shape_element_type);
  int64_t dims[TEN_RANK_MAX];
  if (!status) plugin_layout_dims(&layout, args->shape_dims, dims);
  plugin_memory *memory = place_of(args->client, args->device, args->memory);
  if (!status) status = ten_tensor_create(dtype, (uint32_t)args->shape_num_dims, dims, &tensor);
  if (!status) status = plugin_room(memory->device, memory, (int64_t)tensor->bytes);
  if (status) {
    ten_tensor_release(tensor);
    return plugin_error(status);
  }
  args->buffer = plugin_buffer(memory, tensor, &layout);
  return NULL;
}

PJRT_Error *plugin_PJRT_Buffer_Destroy(PJRT_Buffer_Destroy_Args *args) {
  PJRT_Buffer *buffer = args->buffer;
  if (!buffer) return NULL;
  buffer_drop(buffer);
  ten_tensor_release(buffer->lent);
  free(buffer);
  return NULL;
}
PJRT_Error *plugin_PJRT_Buffer_Delete(PJRT_Buffer_Delete_Args *args) { return buffer_drop(args->buffer), NULL; }
PJRT_Error *plugin_PJRT_Buffer_IsDeleted(PJRT_Buffer_IsDeleted_Args *args) {
  ten_tensor *tensor = plugin_buffer_hold(args->buffer);
  args->is_deleted = !tensor;
  ten_tensor_release(tensor);
  return NULL;
}
PJRT_Error *plugin_PJRT_Buffer_ElementType(PJRT_Buffer_ElementType_Args *args) {
  return args->type = args->buffer->type, NULL;
}
PJRT_Error *plugin_PJRT_Buffer_Dimensions(PJRT_Buffer_Dimensions_Args *args) {
  return args->dims = args->buffer->dims, args->num_dims = args->buffer->layout.rank, NULL;
}
PJRT_Error *plugin_PJRT_Buffer_UnpaddedDimensions(PJRT_Buffer_UnpaddedDimensions_Args *args) {
  return args->unpadded_dims = args->buffer->dims, args->num_dims = args->buffer->layout.rank, NULL;
}
PJRT_Error *plugin_PJRT_Buffer_DynamicDimensionIndices(PJRT_Buffer_DynamicDimensionIndices_Args *args) {
  return args->dynamic_dim_indices = NULL, args->num_dynamic_dims = 0, NULL;
}
PJRT_Error *plugin_PJRT_Buffer_GetMemoryLayout(PJRT_Buffer_GetMemoryLayout_Args *args) {
  args->layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  args->layout.tiled = (PJRT_Buffer_MemoryLayout_Tiled){.struct_size = sizeof(PJRT_Buffer_MemoryLayout_Tiled),
                                                        .minor_to_major = args->buffer->layout.minor_to_major,
                                                        .minor_to_major_size = args->buffer->layout.rank};
  return NULL;
}
PJRT_Error *plugin_PJRT_Buffer_OnDeviceSizeInBytes(PJRT_Buffer_OnDeviceSizeInBytes_Args *args) {
  ten_tensor *tensor;
  ten_status *status = hold(args->buffer, &tensor);
  args->on_device_size_in_bytes = status ? 0 : tensor->bytes;
  ten_tensor_release(tensor);
  return plugin_error(status);
}
PJRT_Error *plugin_PJRT_Buffer_Device(PJRT_Buffer_Device_Args *args) {
  return args->device = args->buffer->device, NULL;
}
PJRT_Error *plugin_PJRT_Buffer_Memory(PJRT_Buffer_Memory_Args *args) {
  return args->memory = &args->buffer->memory->base, NULL;
}
PJRT_Error *plugin_PJRT_Buffer_IsOnCpu(PJRT_Buffer_IsOnCpu_Args *args) {
  const bool apart = args->buffer->device->client->simulation && args->buffer->memory->kind == PLUGIN_MEMORY_DEVICE;
  return args->is_on_cpu = !apart, NULL; /* others are copied to be read, as from a TPU */
}
PJRT_Error *plugin_PJRT_Buffer_ReadyEvent(PJRT_Buffer_ReadyEvent_Args *args) {
  return args->event = plugin_event(), NULL;
}

PJRT_Error *plugin_PJRT_Buffer_CopyToDevice(PJRT_Buffer_CopyToDevice_Args *args) {
  const PJRT_Buffer *from = args->buffer; /* values are immutable, so a copy on the same machine is a reference */
  ten_tensor *tensor;
  ten_status *status = hold(from, &tensor);
  if (!status && from->memory->kind == PLUGIN_MEMORY_DEVICE)
    status = plugin_room(args->dst_device, NULL, (int64_t)tensor->bytes);
  if (!status)
    args->dst_buffer = plugin_buffer(&args->dst_device->memory[from->memory->kind], tensor, &from->layout);
  else
    ten_tensor_release(tensor);
  return plugin_error(status);
}
PJRT_Error *plugin_PJRT_Buffer_CopyToMemory(PJRT_Buffer_CopyToMemory_Args *args) {
  ten_tensor *tensor;
  ten_status *status = hold(args->buffer, &tensor);
  if (!status) args->dst_buffer = plugin_buffer((plugin_memory *)args->dst_memory, tensor, &args->buffer->layout);
  return plugin_error(status);
}

/* Into `dst`, or only its size. */
static ten_status *copy_to_host(PJRT_Buffer_ToHostBuffer_Args *args, ten_tensor *tensor) {
  if (!args->dst) {
    args->dst_size = tensor->bytes;
    return NULL;
  }
  if (args->dst_size < tensor->bytes)
    return ten_error(TEN_INVALID, "the host buffer holds %zu bytes, the value has %zu", args->dst_size, tensor->bytes);
  PJRT_Layouts_MemoryLayout layout;
  const PJRT_Buffer_MemoryLayout *wanted = args->host_layout;
  if (wanted && wanted->type == PJRT_Buffer_MemoryLayout_Type_Strides) wanted = NULL; /* means row-major */
  TEN_TRY(plugin_layout_of(wanted, args->src->layout.rank, &layout));
  plugin_copy_out(args->src, tensor, &layout, args->dst);
  plugin_simulation_read(args->src, tensor->bytes);
  args->event = plugin_event();
  return NULL;
}

PJRT_Error *plugin_PJRT_Buffer_ToHostBuffer(PJRT_Buffer_ToHostBuffer_Args *args) {
  ten_tensor *tensor;
  ten_status *status = hold(args->src, &tensor);
  if (!status) status = copy_to_host(args, tensor);
  ten_tensor_release(tensor);
  return plugin_error(status);
}

PJRT_Error *plugin_PJRT_Buffer_CopyRawToHost(PJRT_Buffer_CopyRawToHost_Args *args) {
  ten_tensor *tensor;
  ten_status *status = hold(args->buffer, &tensor);
  if (!status && (args->offset < 0 || args->transfer_size < 0 || (size_t)args->offset > tensor->bytes ||
                  (size_t)args->transfer_size > tensor->bytes - (size_t)args->offset))
    status = ten_error(TEN_INVALID, "%lld bytes from byte %lld on reach beyond the buffer",
                       (long long)args->transfer_size, (long long)args->offset);
  if (!status) {
    memcpy(args->dst, (const char *)tensor->data + args->offset, (size_t)args->transfer_size);
    plugin_simulation_read(args->buffer, (size_t)args->transfer_size);
    args->event = plugin_event();
  }
  ten_tensor_release(tensor);
  return plugin_error(status);
}

/* The memory stays as long as the buffer is neither deleted nor donated, or has an external reference. */
static ten_status *address_of(const PJRT_Buffer *buffer, void **out) {
  ten_tensor *tensor;
  TEN_TRY(hold(buffer, &tensor));
  *out = tensor->data;
  ten_tensor_release(tensor);
  return NULL;
}

PJRT_Error *plugin_PJRT_Buffer_UnsafePointer(PJRT_Buffer_UnsafePointer_Args *args) {
  void *address = NULL;
  ten_status *status = address_of(args->buffer, &address);
  if (!status) args->buffer_pointer = (uintptr_t)address;
  return plugin_error(status);
}
PJRT_Error *plugin_PJRT_Buffer_OpaqueDeviceMemoryDataPointer(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args *args) {
  return plugin_error(address_of(args->buffer, &args->device_memory_ptr));
}
PJRT_Error *plugin_PJRT_Buffer_IncreaseExternalReferenceCount(PJRT_Buffer_IncreaseExternalReferenceCount_Args *args) {
  return (void)atomic_fetch_add(&args->buffer->external, 1), NULL;
}
PJRT_Error *plugin_PJRT_Buffer_DecreaseExternalReferenceCount(PJRT_Buffer_DecreaseExternalReferenceCount_Args *args) {
  PJRT_Buffer *buffer = args->buffer;
  ten_mutex_lock(&values_mutex);
  const bool wrong = atomic_load(&buffer->external) < 1;
  ten_tensor *lent = NULL;
  if (!wrong && atomic_fetch_sub(&buffer->external, 1) == 1) lent = buffer->lent, buffer->lent = NULL;
  ten_mutex_unlock(&values_mutex);
  ten_tensor_release(lent);
  return wrong ? plugin_error(ten_error(TEN_INVALID, "the buffer has no external reference to give back")) : NULL;
}
