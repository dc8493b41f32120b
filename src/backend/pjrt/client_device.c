/* client_device.c: device names, and opening devices. A plugin can be loaded only once per process and does not survive
 * being unloaded; so the opened devices are in a process-wide list. That list is the only shared state here. */
#include "backend/pjrt/client_device.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdlib.h>
#include <unistd.h>

#include "backend/pjrt/target.h"
#include "base/arena.h"

static ten_mutex devices_mutex = TEN_MUTEX_INIT;
static pjrt_device *devices_opened;

static ten_status *describe(const ten_backend *self, ten_buf *out);

static pjrt_device *device_make(const char *name, const char *kind) {
  pjrt_device *device = ten_alloc(sizeof *device);
  *device = (pjrt_device){.name = ten_strdup(name), .kind = kind};
  device->base = (ten_backend){.name = device->name,
                               .summary = "a device behind a PJRT plugin",
                               .describe = describe,
                               .compile = pjrt_compile,
                               .execute = pjrt_execute,
                               .destroy = pjrt_destroy,
                               .repeat = pjrt_repeat};
  ten_mutex_init(&device->mutex);
  return device;
}

static void device_free(pjrt_device *device) {
  pjrt_options_free(&device->options);
  ten_mutex_destroy(&device->mutex);
  free(device->path);
  free(device->name);
  free(device);
}

/* Removes and handles our own options: timeout=SECONDS, data=N, model=M, precision=highest. */
static ten_status *take_own_options(pjrt_device *device) {
  pjrt_options *options = &device->options;
  device->mesh = (ten_mesh){1, 1};
  for (size_t i = 0; i < options->count; i++) {
    const PJRT_NamedValue value = options->values[i];
    const bool timeout = !strcmp(value.name, "timeout"), data = !strcmp(value.name, "data");
    const bool precision = !strcmp(value.name, "precision");
    if (!timeout && !data && !precision && strcmp(value.name, "model")) continue;
    const double number = value.type == PJRT_NamedValue_kInt64   ? (double)value.int64_value
                          : value.type == PJRT_NamedValue_kFloat ? (double)value.float_value
                                                                 : 0;
    if (timeout) {
      device->timeout = number;
      if (!(number > 0)) return ten_error(TEN_INVALID, "timeout= takes a number of seconds above 0");
    } else if (precision) {
      device->highest = value.type == PJRT_NamedValue_kString && !strcmp(value.string_value, "highest");
      if (!device->highest && (value.type != PJRT_NamedValue_kString || strcmp(value.string_value, "default") != 0))
        return ten_error(TEN_INVALID, "precision= must be highest or default");
    } else {
      if (value.type != PJRT_NamedValue_kInt64 || number < 1 || number > (double)TEN_SPREAD_MOST)
        return ten_error(TEN_INVALID, "%s= takes a number of devices", value.name);
      *(data ? &device->mesh.data : &device->mesh.model) = (uint32_t)value.int64_value;
    }
    options->values[i--] = options->values[--options->count];
    pjrt_options_free(&(pjrt_options){.values = memcpy(ten_alloc(sizeof value), &value, sizeof value), .count = 1});
  }
  return NULL;
}

/* NAME[?OPTIONS] where NAME is pjrt:PATH, tpu or cuda-xla. */
static ten_status *device_parse(const char *name, pjrt_device **out_device) {
  *out_device = NULL;
  const ten_str all = ten_str_of(name);
  const char *question = strchr(name, '?');
  ten_str main = {name, question ? (size_t)(question - name) : all.size};
  const char *kind = ten_str_is(main, "tpu") ? "tpu" : ten_str_is(main, "cuda-xla") ? "cuda-xla" : NULL;
  if (!kind && (!ten_str_starts(main, "pjrt:") || main.size == 5))
    return ten_error(TEN_NOT_FOUND, "no device '%s'; a plugin's is pjrt:PATH.so[?NAME=VALUE,…]", name);
  pjrt_device *device = device_make(name, kind);
  if (!kind) {
    ten_buf path = {0};
    /* Without a slash the loader would search its own folders; the user meant a path. */
    ten_buf_printf(&path, "%s%.*s", memchr(main.data, '/', main.size) ? "" : "./", (int)main.size - 5, main.data + 5);
    device->path = ten_buf_take(&path);
  }
  ten_status *status = NULL;
  if (question) status = pjrt_options_parse(ten_str_of(question + 1), &device->options);
  if (!status) status = take_own_options(device);
  if (status) {
    device_free(device);
    return ten_annotate(status, "reading the device '%s'", name);
  }
  *out_device = device;
  return NULL;
}

/* A failed allocation jumps to the caller's recovery point, which unlocks the mutex. */
static ten_status *device_find(const char *name, pjrt_device **out_device) {
  ten_status *status = NULL;
  ten_mutex_lock(&devices_mutex);
  pjrt_device *device = devices_opened;
  while (device && strcmp(device->name, name)) device = device->next;
  if (!device) {
    status = device_parse(name, &device);
    if (!status) {
      device->next = devices_opened;
      devices_opened = device;
    }
  }
  ten_mutex_unlock(&devices_mutex);
  *out_device = device;
  return status;
}

ten_status *ten_pjrt_open(const char *name, const ten_backend **out_backend) {
  *out_backend = NULL;
  TEN_RECOVER("opening a device");
  pjrt_device *device;
  TEN_TRY(device_find(name, &device));
  *out_backend = &device->base;
  return NULL;
}

bool ten_pjrt_is(const ten_backend *backend) { return backend->execute == pjrt_execute; }

/* The rows `tpu` and `cuda-xla` of the table are constant; their devices are listed under the same name. */
pjrt_device *pjrt_device_of(const ten_backend *backend) {
  pjrt_device *found;
  ten_status_free(device_find(backend->name, &found)); /* cannot fail: the name was parsed before */
  return found;
}

/* Loads NVIDIA's libraries from the Python packages next to JAX's plugin, which looks them up by name only. */
static void load_cuda_libraries(const char *plugin) {
  static const char *const names[] = {"cuda_runtime/lib/libcudart.so.1?",
                                      "cu13/lib/libcudart.so.1?",
                                      "cuda_nvrtc/lib/libnvrtc.so.1?",
                                      "cu13/lib/libnvrtc.so.1?",
                                      "cublas/lib/libcublas*.so.1?",
                                      "cu13/lib/libcublas*.so.1?",
                                      "nccl/lib/libnccl.so.2",
                                      "cuda_cupti/lib/libcupti.so.1?",
                                      "cu13/lib/libcupti.so.1?",
                                      "nvjitlink/lib/libnvJitLink.so.1?",
                                      "cusparse/lib/libcusparse.so.1?",
                                      "cu13/lib/libcusparse.so.1?",
                                      "cusolver/lib/libcusolver.so.1?",
                                      "cu13/lib/libcusolver.so.1?",
                                      "cufft/lib/libcufft.so.1?",
                                      "cu13/lib/libcufft.so.1?",
                                      "nvshmem/lib/libnvshmem_host.so.3",
                                      "cudnn/lib/libcudnn.so.9"};
  const char *site = strstr(plugin, "/jax_plugins/");
  for (size_t i = 0; site && i < sizeof names / sizeof *names; i++) {
    ten_buf pattern = {0};
    ten_buf_printf(&pattern, "%.*s/nvidia/%s", (int)(site - plugin), plugin, names[i]);
    glob_t found;
    if (!glob(pattern.data, 0, NULL, &found))
      for (size_t k = 0; k < found.gl_pathc; k++) (void)dlopen(found.gl_pathv[k], RTLD_LAZY | RTLD_LOCAL);
    globfree(&found);
    ten_buf_free(&pattern);
  }
}

/* XLA runs NVIDIA's assembler, which also comes as a package. */
static void find_assembler(const char *plugin) {
  static const char *const folders[] = {"cu13", "cuda_nvcc"};
  const char *site = strstr(plugin, "/jax_plugins/"), *flags = getenv("XLA_FLAGS");
  if (!site || (flags && strstr(flags, "xla_gpu_cuda_data_dir"))) return;
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    ten_buf path = {0}, all = {0};
    ten_buf_printf(&path, "%.*s/nvidia/%s", (int)(site - plugin), plugin, folders[i]);
    ten_buf_printf(&all, "%s%s--xla_gpu_cuda_data_dir=%s", flags ? flags : "", flags ? " " : "", path.data);
    ten_buf assembler = {0};
    ten_buf_printf(&assembler, "%s/bin/ptxas", path.data);
    const bool there = !access(assembler.data, X_OK);
    if (there) setenv("XLA_FLAGS", all.data, 1);
    ten_buf_free(&assembler);
    ten_buf_free(&path);
    ten_buf_free(&all);
    if (there) return;
  }
}

static void set_up(pjrt_device *device) {
  if (!device->kind) return;
  if (!strcmp(device->kind, "cuda-xla")) {
    load_cuda_libraries(device->path);
    find_assembler(device->path);
    if (!pjrt_options_have(&device->options, "platform_name"))
      pjrt_options_add(&device->options, TEN_STR("platform_name"), TEN_STR("cuda"));
    /* The GPU is shared: allocate memory on demand. */
    if (!pjrt_options_have(&device->options, "preallocate") && !getenv("XLA_PYTHON_CLIENT_PREALLOCATE"))
      pjrt_options_add(&device->options, TEN_STR("preallocate"), TEN_STR("false"));
  }
}

static ten_status *make_client(pjrt_device *device) {
  pjrt_plugin *plugin = &device->plugin;
  PJRT_Client_Create_Args create =
      PJRT_ARGS(PJRT_Client_Create, .create_options = device->options.values, .num_options = device->options.count);
  TEN_TRY(PJRT_TRY_CALL(plugin, PJRT_Client_Create, &create));
  device->client = create.client;
  if (!device->client) return ten_error(TEN_INVALID, "%s: Client_Create returned no client", plugin->name);
  PJRT_Client_AddressableDevices_Args list = PJRT_ARGS(PJRT_Client_AddressableDevices, .client = device->client);
  TEN_TRY(PJRT_TRY_CALL(plugin, PJRT_Client_AddressableDevices, &list));
  if (!list.num_addressable_devices || !list.addressable_devices)
    return ten_error(TEN_NOT_FOUND, "%s: its client has no device", plugin->name);
  device->devices = list.addressable_devices;
  device->device_count = list.num_addressable_devices;
  return NULL;
}

static bool exists(const char *pattern) {
  glob_t found;
  const bool there = !glob(pattern, 0, NULL, &found) && found.gl_pathc;
  globfree(&found);
  return there;
}

/* Probing a vendor's library without its hardware takes minutes and prints a page of text: the device files answer at
 * once. */
static ten_status *check_hardware(const pjrt_device *device, const char *path) {
  const bool tpu = device->kind && !strcmp(device->kind, "tpu");
  if (!device->kind || (tpu ? exists("/dev/accel[0-9]*") || exists("/dev/vfio/[0-9]*")
                            : exists("/dev/nvidia[0-9]*") || exists("/dev/dxg")))
    return NULL;
  if (tpu)
    return ten_error(
        TEN_NOT_FOUND,
        "no TPU in this machine (neither /dev/accel* nor /dev/vfio/* is there); %s compiles for one all the "
        "same: compile --target tpu:v5e:2x2",
        path);
  return ten_error(TEN_NOT_FOUND, "no NVIDIA GPU in this machine (no /dev/nvidia*); the plugin is %s", path);
}

static ten_status *open_locked(pjrt_device *device) {
  if (device->opened) return NULL;
  if (!device->path) TEN_TRY(ten_pjrt_find(device->kind, &device->path));
  TEN_TRY(check_hardware(device, device->path));
  if (!device->plugin.api) {
    set_up(device);
    TEN_TRY(pjrt_plugin_load(device->path, &device->plugin));
  }
  ten_status *status = make_client(device);
  if (status && device->client) {
    PJRT_Client_Destroy_Args destroy = PJRT_ARGS(PJRT_Client_Destroy, .client = device->client);
    status = ten_first_error(status, PJRT_TRY_CALL(&device->plugin, PJRT_Client_Destroy, &destroy));
    device->client = NULL;
  }
  device->opened = !status;
  return status;
}

ten_status *pjrt_device_open(pjrt_device *device) {
  ten_mutex_lock(&device->mutex);
  ten_status *status = open_locked(device);
  ten_mutex_unlock(&device->mutex);
  return ten_annotate(status, "opening the device '%s'", device->name);
}

/* The kind of the first device, the number of devices, and its memory. */
static ten_status *describe_opened(pjrt_device *device, ten_buf *out) {
  const pjrt_plugin *plugin = &device->plugin;
  PJRT_Device_GetDescription_Args get = PJRT_ARGS(PJRT_Device_GetDescription, .device = device->devices[0]);
  TEN_TRY(PJRT_TRY_CALL(plugin, PJRT_Device_GetDescription, &get));
  PJRT_DeviceDescription_Kind_Args kind =
      PJRT_ARGS(PJRT_DeviceDescription_Kind, .device_description = get.device_description);
  TEN_TRY(PJRT_TRY_CALL(plugin, PJRT_DeviceDescription_Kind, &kind));
  PJRT_Client_PlatformName_Args platform = PJRT_ARGS(PJRT_Client_PlatformName, .client = device->client);
  TEN_TRY(PJRT_TRY_CALL(plugin, PJRT_Client_PlatformName, &platform));
  ten_buf_printf(out, "%zu × %.*s (%.*s), PJRT %d.%d, StableHLO %d.%d.%d, %s", device->device_count,
                 (int)kind.device_kind_size, kind.device_kind, (int)platform.platform_name_size, platform.platform_name,
                 plugin->api->pjrt_api_version.major_version, plugin->api->pjrt_api_version.minor_version,
                 plugin->stablehlo.major, plugin->stablehlo.minor, plugin->stablehlo.patch, plugin->path);
  PJRT_Device_AddressableMemories_Args memories =
      PJRT_ARGS(PJRT_Device_AddressableMemories, .device = device->devices[0]);
  ten_status *status = PJRT_TRY_CALL(plugin, PJRT_Device_AddressableMemories, &memories);
  for (size_t i = 0; !status && i < memories.num_memories; i++) {
    PJRT_Memory_Kind_Args memory = PJRT_ARGS(PJRT_Memory_Kind, .memory = memories.memories[i]);
    status = PJRT_TRY_CALL(plugin, PJRT_Memory_Kind, &memory);
    if (!status) ten_buf_printf(out, "%s%.*s", i ? ", " : "; memories: ", (int)memory.kind_size, memory.kind);
  }
  ten_status_free(status); /* a plugin need not report it */
  PJRT_Device_MemoryStats_Args stats = PJRT_ARGS(PJRT_Device_MemoryStats, .device = device->devices[0]);
  status = PJRT_TRY_CALL(plugin, PJRT_Device_MemoryStats, &stats);
  if (!status && stats.bytes_limit_is_set)
    ten_buf_printf(out, "; %.1f of %.1f GiB in use", (double)stats.bytes_in_use / 0x1p30,
                   (double)stats.bytes_limit / 0x1p30);
  ten_status_free(status);
  return NULL;
}

static bool owns_file(const ten_backend *self, const char *path) {
  (void)self;
  return ten_target_file_at(path);
}

static ten_status *open_file(const ten_backend *self, const char *path, const ten_backend *device,
                             ten_executable **out_executable) {
  (void)self;
  return ten_target_open(path, device, out_executable);
}

static ten_status *describe(const ten_backend *self, ten_buf *out) {
  pjrt_device *device = pjrt_device_of(self);
  if (device->kind && !device->opened) {
    char *path;
    TEN_TRY(ten_pjrt_find(device->kind, &path));
    ten_status *status = check_hardware(device, path);
    free(path);
    TEN_TRY(status);
  }
  TEN_TRY(pjrt_device_open(device));
  return describe_opened(device, out);
}

const ten_backend ten_tpu_backend = {.name = "tpu",
                                     .summary = "Google's TPUs, by libtpu",
                                     .describe = describe,
                                     .compile = pjrt_compile,
                                     .execute = pjrt_execute,
                                     .destroy = pjrt_destroy,
                                     .repeat = pjrt_repeat,
                                     .owns_file = owns_file,
                                     .open = open_file};
const ten_backend ten_cuda_xla_backend = {.name = "cuda-xla",
                                          .summary = "NVIDIA's GPUs, by JAX's CUDA plugin",
                                          .describe = describe,
                                          .compile = pjrt_compile,
                                          .execute = pjrt_execute,
                                          .destroy = pjrt_destroy,
                                          .repeat = pjrt_repeat};
