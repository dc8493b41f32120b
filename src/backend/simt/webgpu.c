/* webgpu.c: the WebGPU driver over wgpu-native's C functions, loaded with dlopen. Their structs are declared here, as
 * releases of LIBRARY_VERSION have them; other releases are refused. Launches are collected and given to the queue
 * together, before anything else is done with buffers. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "backend/python_files.h"
#include "backend/simt/device.h"
#include "backend/simt/wgsl.h"
#include "base/arena.h"

enum {
  LIBRARY_VERSION = 29,
  GROUPS_MOST = 4096,
  PENDING_MOST = 256, /* launches */
  SPONTANEOUSLY = 3,
  HIGH_PERFORMANCE = 2,
  MAP_READ = 1,
  COPY_SOURCE = 4,
  COPY_TARGET = 8,
  UNIFORM = 0x40,
  STORAGE = 0x80,
  SOURCE_WGSL = 2,
  SHADER_INT64 = 0x30026,
  INSTANCE_EXTRAS = 0x30004,
  VULKAN_METAL_DIRECTX = 1 | 4 | 8, /* OpenGL has too few buffers, and asks for a display */
  SUCCESS = 1
};
#define NO_LENGTH SIZE_MAX

typedef struct text {
  const char *data;
  size_t length;
} text;

typedef void (*callback)(int status, void *object, text message, void *first, void *second);
typedef void (*map_callback)(int status, text message, void *first, void *second);
typedef void (*error_callback)(void *const *device, int kind, text message, void *first, void *second);

typedef struct request {
  void *next;
  int mode;
  callback call;
  void *first, *second;
} request;

typedef struct map_request {
  void *next;
  int mode;
  map_callback call;
  void *first, *second;
} map_request;

typedef struct adapter_options {
  void *next;
  int level, power;
  uint32_t fallback;
  int backend;
  void *surface;
} adapter_options;

typedef struct instance_extras {
  void *next;
  int kind;
  uint64_t backends, flags;
  uint64_t others[32]; /* zeros: the defaults */
} instance_extras;

typedef struct instance_options {
  const void *next;
  size_t feature_count;
  const int *features;
  const void *limits;
} instance_options;

typedef struct adapter_info {
  void *next;
  text vendor, architecture, device, description;
  int backend, kind;
  uint32_t vendor_id, device_id, least_subgroup, most_subgroup;
} adapter_info;

typedef struct limits {
  void *next;
  uint32_t first[11], storage_buffers, storage_textures, uniform_buffers;
  uint64_t uniform_bytes, storage_bytes;
  uint32_t second[3];
  uint64_t buffer_bytes;
  uint32_t third[5], workgroup_bytes, invocations, fourth[5];
} limits;

typedef struct device_options {
  void *next;
  text label;
  size_t feature_count;
  const int *features;
  const limits *limits;
  struct {
    void *next;
    text label;
  } queue;
  request lost;
  struct {
    void *next;
    error_callback call;
    void *first, *second;
  } error;
} device_options;

typedef struct buffer_options {
  void *next;
  text label;
  uint64_t usage, size;
  uint32_t mapped;
} buffer_options;

typedef struct shader_source {
  void *next;
  int kind;
  text code;
} shader_source;

typedef struct shader_options {
  const void *next;
  text label;
} shader_options;

typedef struct pipeline_options {
  void *next;
  text label;
  void *layout;
  struct {
    void *next;
    void *module;
    text entry;
    size_t constant_count;
    void *constants;
  } compute;
} pipeline_options;

typedef struct binding {
  void *next;
  uint32_t binding;
  void *buffer;
  uint64_t offset, size;
  void *sampler, *view;
} binding;

typedef struct group_options {
  void *next;
  text label;
  void *layout;
  size_t count;
  const binding *bindings;
} group_options;

typedef struct future {
  uint64_t id;
} future;

/* In the order of `names`. */
typedef struct functions {
  uint32_t (*GetVersion)(void);
  void *(*CreateInstance)(const instance_options *);
  future (*InstanceRequestAdapter)(void *, const adapter_options *, request);
  future (*AdapterRequestDevice)(void *, const device_options *, request);
  int (*AdapterGetLimits)(void *, limits *);
  uint32_t (*AdapterHasFeature)(void *, int);
  int (*AdapterGetInfo)(void *, adapter_info *);
  void (*AdapterInfoFreeMembers)(adapter_info);
  void *(*DeviceGetQueue)(void *);
  uint32_t (*DevicePoll)(void *, uint32_t, const void *);
  void *(*DeviceCreateBuffer)(void *, const buffer_options *);
  uint64_t (*BufferGetSize)(void *);
  void (*BufferRelease)(void *);
  void (*QueueWriteBuffer)(void *, void *, uint64_t, const void *, size_t);
  future (*BufferMapAsync)(void *, uint64_t, size_t, size_t, map_request);
  const void *(*BufferGetConstMappedRange)(void *, size_t, size_t);
  void (*BufferUnmap)(void *);
  void (*CommandEncoderCopyBufferToBuffer)(void *, void *, uint64_t, void *, uint64_t, uint64_t);
  void *(*DeviceCreateCommandEncoder)(void *, const void *);
  void *(*CommandEncoderBeginComputePass)(void *, const void *);
  void (*ComputePassEncoderSetPipeline)(void *, void *);
  void (*ComputePassEncoderSetBindGroup)(void *, uint32_t, void *, size_t, const uint32_t *);
  void (*ComputePassEncoderDispatchWorkgroups)(void *, uint32_t, uint32_t, uint32_t);
  void (*ComputePassEncoderEnd)(void *);
  void (*ComputePassEncoderRelease)(void *);
  void *(*CommandEncoderFinish)(void *, const void *);
  void (*CommandEncoderRelease)(void *);
  void (*QueueSubmit)(void *, size_t, void *const *);
  void (*CommandBufferRelease)(void *);
  void *(*DeviceCreateShaderModule)(void *, const shader_options *);
  void (*ShaderModuleRelease)(void *);
  void *(*DeviceCreateComputePipeline)(void *, const pipeline_options *);
  void (*ComputePipelineRelease)(void *);
  void *(*ComputePipelineGetBindGroupLayout)(void *, uint32_t);
  void (*BindGroupLayoutRelease)(void *);
  void *(*DeviceCreateBindGroup)(void *, const group_options *);
  void (*BindGroupRelease)(void *);
} functions;

static const char *const names[] = {"GetVersion",
                                    "CreateInstance",
                                    "InstanceRequestAdapter",
                                    "AdapterRequestDevice",
                                    "AdapterGetLimits",
                                    "AdapterHasFeature",
                                    "AdapterGetInfo",
                                    "AdapterInfoFreeMembers",
                                    "DeviceGetQueue",
                                    "DevicePoll",
                                    "DeviceCreateBuffer",
                                    "BufferGetSize",
                                    "BufferRelease",
                                    "QueueWriteBuffer",
                                    "BufferMapAsync",
                                    "BufferGetConstMappedRange",
                                    "BufferUnmap",
                                    "CommandEncoderCopyBufferToBuffer",
                                    "DeviceCreateCommandEncoder",
                                    "CommandEncoderBeginComputePass",
                                    "ComputePassEncoderSetPipeline",
                                    "ComputePassEncoderSetBindGroup",
                                    "ComputePassEncoderDispatchWorkgroups",
                                    "ComputePassEncoderEnd",
                                    "ComputePassEncoderRelease",
                                    "CommandEncoderFinish",
                                    "CommandEncoderRelease",
                                    "QueueSubmit",
                                    "CommandBufferRelease",
                                    "DeviceCreateShaderModule",
                                    "ShaderModuleRelease",
                                    "DeviceCreateComputePipeline",
                                    "ComputePipelineRelease",
                                    "ComputePipelineGetBindGroupLayout",
                                    "BindGroupLayoutRelease",
                                    "DeviceCreateBindGroup",
                                    "BindGroupRelease"};
_Static_assert(sizeof(functions) == sizeof names, "a name for each function");

/* The number of elements that a kernel is launched for, in a buffer; they stay: programs have few numbers. */
typedef struct count_buffer {
  int64_t count;
  void *buffer;
} count_buffer;

static struct {
  ten_mutex mutex; /* guards all below, and the queue */
  functions f;
  void *device, *queue, *encoder; /* of launches that the queue has not been given; NULL: there are none */
  int pending;
  bool int64;
  limits limits;
  ten_buf failure; /* what the device has reported; empty: nothing */
  TEN_VEC(count_buffer) counts;
} state = {.mutex = TEN_MUTEX_INIT};

typedef struct kernel {
  void *pipeline, *layout;
} kernel;

typedef struct code {
  void *module;
  TEN_VEC(kernel *) kernels;
} code;

static ten_status *open_library(void **out) {
  static const char *const files[TEN_PYTHON_FILES_MOST] = {"wgpu/resources/libwgpu_native-release.so"};
  char *path;
  TEN_TRY(ten_python_file_find(TEN_ENV_WGPU_LIBRARY, files, "pip install wgpu", &path));
  *out = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  free(path);
  return *out ? NULL : ten_error(TEN_UNSUPPORTED, "wgpu-native cannot be loaded: %s", dlerror());
}

static ten_status *load(void) {
  void *library;
  TEN_TRY(open_library(&library));
  void **slots = (void **)&state.f;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char name[64] = "wgpu";
    strcat(name, names[i]);
    slots[i] = dlsym(library, name);
    if (!slots[i]) return ten_error(TEN_UNSUPPORTED, "wgpu-native has no %s", name);
  }
  const uint32_t version = state.f.GetVersion() >> 24;
  if (version != LIBRARY_VERSION)
    return ten_error(TEN_UNSUPPORTED, "wgpu-native is version %u; %d is the one that is known", version,
                     LIBRARY_VERSION);
  return NULL;
}

/* What the device reports, on the thread that calls it. The first message is kept: others follow from it. */
static void on_error(void *const *device, int kind, text message, void *first, void *second) {
  (void)device, (void)kind, (void)first, (void)second;
  if (!state.failure.size) ten_buf_try_printf(&state.failure, "%.*s", (int)message.length, message.data);
}

static ten_status *take_failure(const char *doing) {
  if (!state.failure.size) return NULL;
  ten_status *status = ten_error(TEN_INTERNAL, "%s: the WebGPU device reports: %.*s", doing, (int)state.failure.size,
                                 state.failure.data);
  state.failure.size = 0;
  return status;
}

static void on_object(int status, void *object, text message, void *first, void *second) {
  (void)message, (void)second;
  if (status == SUCCESS) *(void **)first = object;
}

static ten_status *open_device(ten_buf *description) {
  TEN_TRY(load());
  const instance_extras extras = {.kind = INSTANCE_EXTRAS, .backends = VULKAN_METAL_DIRECTX};
  const instance_options asked = {.next = &extras};
  /* a layer of Mesa's looks for a display server, and says so where there cannot be one */
  if (!getenv("XDG_RUNTIME_DIR")) setenv("NODEVICE_SELECT", "1", 0);
  void *instance = state.f.CreateInstance(&asked), *adapter = NULL;
  const adapter_options wanted = {.power = HIGH_PERFORMANCE};
  if (instance)
    state.f.InstanceRequestAdapter(instance, &wanted, (request){NULL, SPONTANEOUSLY, on_object, &adapter, NULL});
  if (!adapter)
    return ten_error(TEN_NOT_FOUND,
                     "no WebGPU adapter was found: no Vulkan driver is installed (mesa-vulkan-drivers for the CPU)");
  state.f.AdapterGetLimits(adapter, &state.limits);
  state.limits.next = NULL;
  state.int64 = state.f.AdapterHasFeature(adapter, SHADER_INT64);
  const int features[] = {SHADER_INT64};
  const device_options options = {.feature_count = state.int64,
                                  .features = features,
                                  .limits = &state.limits,
                                  .lost = {.mode = SPONTANEOUSLY},
                                  .error = {.call = on_error}};
  state.f.AdapterRequestDevice(adapter, &options, (request){NULL, SPONTANEOUSLY, on_object, &state.device, NULL});
  adapter_info info = {0};
  state.f.AdapterGetInfo(adapter, &info);
  ten_status *status = NULL;
  if (!state.device)
    status = ten_error(TEN_UNSUPPORTED, "the WebGPU adapter %.*s cannot be opened", (int)info.device.length,
                       info.device.data);
  else if (state.limits.invocations < SIMT_GROUP)
    status = ten_error(TEN_UNSUPPORTED, "the WebGPU adapter %.*s runs %u threads a group; %d are needed",
                       (int)info.device.length, info.device.data, state.limits.invocations, SIMT_GROUP);
  else
    ten_buf_printf(description, "%.*s, %.*s, buffers of %llu MiB%s", (int)info.device.length, info.device.data,
                   (int)info.description.length, info.description.data,
                   (unsigned long long)(state.limits.storage_bytes >> 20), state.int64 ? ", i64" : "");
  state.f.AdapterInfoFreeMembers(info);
  if (!status) state.queue = state.f.DeviceGetQueue(state.device);
  return status;
}

static simt_opening opening = {.mutex = TEN_MUTEX_INIT};

static ten_status *webgpu_open(ten_buf *description) {
  return simt_open_device(&opening, NULL, open_device, description);
}

/* Kernels that are to be shown may need what a device lacks. */
static ten_status *webgpu_print(const char *source, ten_buf *out) {
  return simt_wgsl_print(source, state.int64 || !state.device, out);
}

/* Kernels. */
static void webgpu_release(void *opaque) {
  code *c = opaque;
  if (!c) return;
  for (size_t i = 0; i < c->kernels.count; i++) {
    state.f.BindGroupLayoutRelease(c->kernels.data[i]->layout);
    state.f.ComputePipelineRelease(c->kernels.data[i]->pipeline);
    free(c->kernels.data[i]);
  }
  ten_vec_free(&c->kernels);
  if (c->module) state.f.ShaderModuleRelease(c->module);
  free(c);
}

static ten_status *webgpu_build(const char *source, void **out_code) {
  const shader_source wgsl = {.kind = SOURCE_WGSL, .code = {source, NO_LENGTH}};
  const shader_options options = {.next = &wgsl};
  code *c = ten_alloc(sizeof *c);
  *c = (code){0};
  ten_mutex_lock(&state.mutex);
  c->module = state.f.DeviceCreateShaderModule(state.device, &options);
  ten_status *status = take_failure("compiling generated kernels");
  ten_mutex_unlock(&state.mutex);
  if (status)
    webgpu_release(c);
  else
    *out_code = c;
  return status;
}

static ten_status *webgpu_kernel(void *opaque, const char *name, void **out_kernel) {
  code *c = opaque;
  const pipeline_options options = {.compute = {.module = c->module, .entry = {name, NO_LENGTH}}};
  ten_mutex_lock(&state.mutex);
  void *pipeline = state.f.DeviceCreateComputePipeline(state.device, &options);
  ten_status *status = take_failure(name);
  if (!status) {
    kernel *k = ten_alloc(sizeof *k);
    *k = (kernel){pipeline, state.f.ComputePipelineGetBindGroupLayout(pipeline, 0)};
    ten_vec_push(&c->kernels, k);
    *out_kernel = k;
  } else if (pipeline) {
    state.f.ComputePipelineRelease(pipeline);
  }
  ten_mutex_unlock(&state.mutex);
  return status;
}

/* Memory. */
static ten_status *new_buffer(uint64_t bytes, uint64_t usage, void **out) {
  const buffer_options options = {.usage = usage, .size = bytes ? (bytes + 3) & ~UINT64_C(3) : 4};
  if (options.size > state.limits.buffer_bytes || ((usage & STORAGE) && options.size > state.limits.storage_bytes))
    return ten_error(TEN_LIMIT, "%llu bytes are needed in one buffer; the WebGPU device has %llu at most",
                     (unsigned long long)bytes, (unsigned long long)state.limits.storage_bytes);
  *out = state.f.DeviceCreateBuffer(state.device, &options);
  return take_failure("allocating memory");
}

static ten_status *webgpu_allocate(size_t bytes, simt_memory *out_memory) {
  void *buffer = NULL;
  ten_mutex_lock(&state.mutex);
  ten_status *status = new_buffer(bytes, STORAGE | COPY_SOURCE | COPY_TARGET, &buffer);
  ten_mutex_unlock(&state.mutex);
  *out_memory = (simt_memory)(uintptr_t)buffer;
  return status;
}

static void webgpu_free(simt_memory memory) { state.f.BufferRelease((void *)(uintptr_t)memory); }

/* Gives the queue what was collected. */
static void submit(void) {
  if (!state.encoder) return;
  void *commands = state.f.CommandEncoderFinish(state.encoder, NULL);
  state.f.QueueSubmit(state.queue, 1, &commands);
  state.f.CommandBufferRelease(commands);
  state.f.CommandEncoderRelease(state.encoder);
  state.encoder = NULL;
  state.pending = 0;
}

static ten_status *webgpu_upload(simt_memory memory, const void *data, size_t bytes) {
  void *buffer = (void *)(uintptr_t)memory;
  const size_t whole = bytes & ~(size_t)3; /* in words; the buffer has room for the last one */
  char last[4] = {0};
  memcpy(last, (const char *)data + whole, bytes - whole);
  ten_mutex_lock(&state.mutex);
  submit();
  if (whole) state.f.QueueWriteBuffer(state.queue, buffer, 0, data, whole);
  if (whole < bytes) state.f.QueueWriteBuffer(state.queue, buffer, whole, last, sizeof last);
  ten_status *status = take_failure("copying to the device");
  ten_mutex_unlock(&state.mutex);
  return status;
}

static void on_mapped(int status, text message, void *first, void *second) {
  (void)message, (void)second;
  *(int *)first = status;
}

static ten_status *read_back(void *buffer, void *data, size_t bytes) {
  const size_t size = (bytes + 3) & ~(size_t)3;
  void *staging = NULL;
  TEN_TRY(new_buffer(size, MAP_READ | COPY_TARGET, &staging));
  if (!state.encoder) state.encoder = state.f.DeviceCreateCommandEncoder(state.device, NULL);
  state.f.CommandEncoderCopyBufferToBuffer(state.encoder, buffer, 0, staging, 0, size);
  submit();
  int mapped = 0;
  state.f.BufferMapAsync(staging, MAP_READ, 0, size, (map_request){NULL, SPONTANEOUSLY, on_mapped, &mapped, NULL});
  while (!mapped && !state.failure.size) state.f.DevicePoll(state.device, true, NULL);
  ten_status *status = take_failure("copying from the device");
  const void *from = !status && mapped == SUCCESS ? state.f.BufferGetConstMappedRange(staging, 0, size) : NULL;
  if (from)
    memcpy(data, from, bytes);
  else if (!status)
    status = ten_error(TEN_IO, "copying %zu bytes from the WebGPU device failed", bytes);
  if (from) state.f.BufferUnmap(staging);
  state.f.BufferRelease(staging);
  return status;
}

static ten_status *webgpu_download(simt_memory memory, void *data, size_t bytes) {
  if (!bytes) return NULL;
  ten_mutex_lock(&state.mutex);
  ten_status *status = read_back((void *)(uintptr_t)memory, data, bytes);
  ten_mutex_unlock(&state.mutex);
  return status;
}

/* Launches. */
static ten_status *find_count(int64_t count, void **out) {
  for (size_t i = 0; i < state.counts.count; i++)
    if (state.counts.data[i].count == count) {
      *out = state.counts.data[i].buffer;
      return NULL;
    }
  const uint32_t words[4] = {(uint32_t)count};
  TEN_TRY(new_buffer(sizeof words, UNIFORM | COPY_TARGET, out));
  state.f.QueueWriteBuffer(state.queue, *out, 0, words, sizeof words);
  ten_vec_push(&state.counts, (count_buffer){count, *out});
  return NULL;
}

static ten_status *bind(const kernel *k, const simt_argument *arguments, uint32_t count, void **out_group) {
  binding *bindings = ten_alloc((count + 1) * sizeof *bindings);
  ten_status *status = NULL;
  uint32_t next = 1;
  for (uint32_t i = 0; i < count && !status; i++) {
    void *buffer = (void *)(uintptr_t)arguments[i].memory;
    const uint32_t place = arguments[i].is_number ? 0 : next++;
    if (arguments[i].is_number) status = find_count(arguments[i].number, &buffer);
    if (!status) bindings[i] = (binding){.binding = place, .buffer = buffer, .size = state.f.BufferGetSize(buffer)};
  }
  const group_options options = {.layout = k->layout, .count = count, .bindings = bindings};
  if (!status) *out_group = state.f.DeviceCreateBindGroup(state.device, &options);
  free(bindings);
  return status;
}

static ten_status *launch_kernel(const kernel *k, const simt_launch *launch, const simt_argument *arguments,
                                 uint32_t count) {
  void *group = NULL;
  if (count - 1 > state.limits.storage_buffers)
    return ten_error(TEN_LIMIT, "a kernel reads and writes %u buffers; the WebGPU device has %u at most", count - 1,
                     state.limits.storage_buffers);
  TEN_TRY(bind(k, arguments, count, &group));
  const int64_t size = launch->grouped ? (int64_t)SIMT_GROUP : (int64_t)SIMT_WGSL_THREADS;
  int64_t groups = (launch->threads + size - 1) / size;
  if (groups > GROUPS_MOST) groups = GROUPS_MOST;
  if (!state.encoder) state.encoder = state.f.DeviceCreateCommandEncoder(state.device, NULL);
  void *pass = state.f.CommandEncoderBeginComputePass(state.encoder, NULL);
  state.f.ComputePassEncoderSetPipeline(pass, k->pipeline);
  state.f.ComputePassEncoderSetBindGroup(pass, 0, group, 0, NULL);
  state.f.ComputePassEncoderDispatchWorkgroups(pass, (uint32_t)groups, 1, 1);
  state.f.ComputePassEncoderEnd(pass);
  state.f.ComputePassEncoderRelease(pass);
  state.f.BindGroupRelease(group);
  if (++state.pending == PENDING_MOST) submit();
  return take_failure("launching a kernel");
}

static ten_status *webgpu_launch(void *opaque, const simt_launch *launch, const simt_argument *arguments,
                                 uint32_t count) {
  ten_mutex_lock(&state.mutex);
  ten_status *status = launch_kernel(opaque, launch, arguments, count);
  ten_mutex_unlock(&state.mutex);
  return status;
}

static ten_status *webgpu_finish(void) {
  ten_mutex_lock(&state.mutex);
  submit();
  state.f.DevicePoll(state.device, true, NULL);
  ten_status *status = take_failure("running kernels");
  ten_mutex_unlock(&state.mutex);
  return status;
}

const simt_driver simt_webgpu = {
    .language = SIMT_WGSL,
    .resident = true,
    .open = webgpu_open,
    .print = webgpu_print,
    .build = webgpu_build,
    .release = webgpu_release,
    .kernel = webgpu_kernel,
    .allocate = webgpu_allocate,
    .free = webgpu_free,
    .upload = webgpu_upload,
    .download = webgpu_download,
    .launch = webgpu_launch,
    .finish = webgpu_finish,
};
