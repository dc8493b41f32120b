/* opencl.c: the OpenCL driver, loaded with dlopen: the devices of all platforms, GPUs first. */
#include <dlfcn.h>
#include <stdlib.h>

#include "backend/simt/device.h"
#include "base/arena.h"

enum {
  CL_OK = 0,
  CL_GPU = 4,
  CL_ANY = -1,
  LOG = 0x1183,
  KIND = 0x1000,
  NAME = 0x102B,
  VERSION = 0x102F,
  MEMORY = 0x101F,
  FP64 = 0x1032
};
enum { GROUP = 64, GROUPS_MOST = 4096, PLATFORMS_MOST = 16 };

typedef struct cl {
  int (*GetPlatformIDs)(unsigned, void **, unsigned *);
  int (*GetDeviceIDs)(void *, uint64_t, unsigned, void **, unsigned *);
  int (*GetDeviceInfo)(void *, unsigned, size_t, void *, size_t *);
  void *(*CreateContext)(const void *, unsigned, void *const *, void *, void *, int *);
  void *(*CreateCommandQueue)(void *, void *, uint64_t, int *);
  void *(*CreateProgramWithSource)(void *, unsigned, const char **, const size_t *, int *);
  int (*BuildProgram)(void *, unsigned, void *const *, const char *, void *, void *);
  int (*GetProgramBuildInfo)(void *, void *, unsigned, size_t, void *, size_t *);
  int (*ReleaseProgram)(void *);
  void *(*CreateKernel)(void *, const char *, int *);
  int (*ReleaseKernel)(void *);
  int (*SetKernelArg)(void *, unsigned, size_t, const void *);
  int (*EnqueueNDRangeKernel)(void *, void *, unsigned, const size_t *, const size_t *, const size_t *, unsigned,
                              const void *, void *);
  void *(*CreateBuffer)(void *, uint64_t, size_t, void *, int *);
  int (*ReleaseMemObject)(void *);
  int (*EnqueueWriteBuffer)(void *, void *, unsigned, size_t, size_t, const void *, unsigned, const void *, void *);
  int (*EnqueueReadBuffer)(void *, void *, unsigned, size_t, size_t, void *, unsigned, const void *, void *);
  int (*Finish)(void *);
} cl;

typedef struct cl_device {
  void *device, *context, *queue;
} cl_device;

static struct {
  ten_mutex mutex; /* guards a kernel's arguments */
  cl f;
  cl_device devices[SIMT_DEVICES_MOST];
  unsigned count;
} state = {.mutex = TEN_MUTEX_INIT};

static cl_device *here(void) { return &state.devices[simt_selected_device()]; }

typedef struct code {
  void *program;
  TEN_VEC(void *) kernels;
} code;

static ten_status *load_library(void) {
  void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return ten_error(
        TEN_NOT_FOUND,
        "no OpenCL loader was found (libOpenCL.so.1): install ocl-icd-libopencl1 and a driver, such as pocl-opencl-icd for the CPU");
  static const char *const names[] = {"clGetPlatformIDs",       "clGetDeviceIDs",        "clGetDeviceInfo",
                                      "clCreateContext",        "clCreateCommandQueue",  "clCreateProgramWithSource",
                                      "clBuildProgram",         "clGetProgramBuildInfo", "clReleaseProgram",
                                      "clCreateKernel",         "clReleaseKernel",       "clSetKernelArg",
                                      "clEnqueueNDRangeKernel", "clCreateBuffer",        "clReleaseMemObject",
                                      "clEnqueueWriteBuffer",   "clEnqueueReadBuffer",   "clFinish"};
  void **slots = (void **)&state.f;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    slots[i] = dlsym(library, names[i]);
    if (!slots[i]) return ten_error(TEN_UNSUPPORTED, "libOpenCL.so.1 has no %s", names[i]);
  }
  return NULL;
}

static void find_devices(void *platform, bool gpus) {
  void *found[SIMT_DEVICES_MOST];
  unsigned count = 0;
  if (state.f.GetDeviceIDs(platform, (uint64_t)(uint32_t)CL_ANY, SIMT_DEVICES_MOST, found, &count) != CL_OK) return;
  for (unsigned i = 0; i < count && i < SIMT_DEVICES_MOST && state.count < SIMT_DEVICES_MOST; i++) {
    uint64_t kind = 0;
    state.f.GetDeviceInfo(found[i], KIND, sizeof kind, &kind, NULL);
    if (((kind & CL_GPU) != 0) == gpus) state.devices[state.count++].device = found[i];
  }
}

static ten_status *load(ten_buf *unused) {
  (void)unused;
  TEN_TRY(load_library());
  void *platforms[PLATFORMS_MOST];
  unsigned count = 0;
  if (state.f.GetPlatformIDs(PLATFORMS_MOST, platforms, &count) != CL_OK) count = 0;
  for (int others = 0; others < 2; others++)
    for (unsigned i = 0; i < count && i < PLATFORMS_MOST; i++) find_devices(platforms[i], !others);
  if (state.count) return NULL;
  return ten_error(TEN_NOT_FOUND,
                   "no OpenCL device was found: its driver is not installed (pocl-opencl-icd for the CPU)");
}

static ten_status *open_device(ten_buf *text) {
  cl_device *d = here();
  int error = 0;
  uint64_t doubles = 0, memory = 0;
  char name[256] = "", version[128] = "";
  state.f.GetDeviceInfo(d->device, FP64, sizeof doubles, &doubles, NULL);
  state.f.GetDeviceInfo(d->device, MEMORY, sizeof memory, &memory, NULL);
  state.f.GetDeviceInfo(d->device, NAME, sizeof name - 1, name, NULL);
  state.f.GetDeviceInfo(d->device, VERSION, sizeof version - 1, version, NULL);
  if (!doubles) return ten_error(TEN_UNSUPPORTED, "the OpenCL device %s has no f64, which kernels need", name);
  d->context = state.f.CreateContext(NULL, 1, &d->device, NULL, NULL, &error);
  if (error == CL_OK) d->queue = state.f.CreateCommandQueue(d->context, d->device, 0, &error);
  if (error != CL_OK)
    return ten_error(TEN_UNSUPPORTED, "the OpenCL device %s cannot be opened (error %d)", name, error);
  ten_buf_printf(text, "%s, %s, %llu MiB", name, version, (unsigned long long)(memory >> 20));
  return NULL;
}

static ten_status *opencl_open(ten_buf *description) {
  static simt_opening opening = {.mutex = TEN_MUTEX_INIT};
  return simt_open_device(&opening, load, open_device, description);
}

static unsigned opencl_count(void) { return state.count; }

static void opencl_release(void *opaque) {
  code *c = opaque;
  if (!c) return;
  for (size_t i = 0; i < c->kernels.count; i++) state.f.ReleaseKernel(c->kernels.data[i]);
  ten_vec_free(&c->kernels);
  if (c->program) state.f.ReleaseProgram(c->program);
  free(c);
}

static ten_status *opencl_build(const char *source, void **out_code) {
  int error = 0;
  code *c = ten_alloc(sizeof *c);
  *c = (code){0};
  c->program = state.f.CreateProgramWithSource(here()->context, 1, &source, NULL, &error);
  if (error == CL_OK)
    error = state.f.BuildProgram(c->program, 1, &here()->device, "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt",
                                 NULL, NULL);
  if (error != CL_OK) {
    char log[2048] = "";
    if (c->program) state.f.GetProgramBuildInfo(c->program, here()->device, LOG, sizeof log - 1, log, NULL);
    opencl_release(c);
    return ten_error(TEN_INTERNAL, "the OpenCL compiler cannot compile generated kernels (error %d): %s", error, log);
  }
  *out_code = c;
  return NULL;
}

static ten_status *opencl_kernel(void *opaque, const char *name, void **out_kernel) {
  code *c = opaque;
  int error = 0;
  *out_kernel = state.f.CreateKernel(c->program, name, &error);
  if (error != CL_OK) return ten_error(TEN_INTERNAL, "no kernel %s in the program (OpenCL error %d)", name, error);
  ten_vec_push(&c->kernels, *out_kernel);
  return NULL;
}

static ten_status *opencl_allocate(size_t bytes, simt_memory *out_memory) {
  int error = 0;
  *out_memory = (simt_memory)(uintptr_t)state.f.CreateBuffer(here()->context, 1, bytes ? bytes : 1, NULL, &error);
  if (error != CL_OK)
    return ten_error(TEN_LIMIT, "the OpenCL device cannot allocate %zu bytes (error %d)", bytes, error);
  return NULL;
}

static void opencl_free(simt_memory memory) { state.f.ReleaseMemObject((void *)(uintptr_t)memory); }

static ten_status *opencl_upload(simt_memory memory, const void *data, size_t bytes) {
  if (!bytes) return NULL;
  const int error =
      state.f.EnqueueWriteBuffer(here()->queue, (void *)(uintptr_t)memory, 1, 0, bytes, data, 0, NULL, NULL);
  return error == CL_OK ? NULL
                        : ten_error(TEN_IO, "copying %zu bytes to the OpenCL device failed (error %d)", bytes, error);
}

static ten_status *opencl_download(simt_memory memory, void *data, size_t bytes) {
  if (!bytes) return NULL;
  const int error =
      state.f.EnqueueReadBuffer(here()->queue, (void *)(uintptr_t)memory, 1, 0, bytes, data, 0, NULL, NULL);
  return error == CL_OK ? NULL
                        : ten_error(TEN_IO, "copying %zu bytes from the OpenCL device failed (error %d)", bytes, error);
}

static ten_status *opencl_launch(void *kernel, const simt_launch *launch, const simt_argument *arguments,
                                 uint32_t count) {
  int error = CL_OK;
  ten_mutex_lock(&state.mutex); /* the kernel object holds the arguments until it is enqueued */
  for (uint32_t i = 0; i < count && error == CL_OK; i++) {
    const void *handle = (void *)(uintptr_t)arguments[i].memory;
    error = arguments[i].is_number ? state.f.SetKernelArg(kernel, i, sizeof(int64_t), &arguments[i].number)
                                   : state.f.SetKernelArg(kernel, i, sizeof handle, &handle);
  }
  const int64_t size = launch->grouped ? SIMT_GROUP : GROUP;
  int64_t groups = (launch->threads + size - 1) / size;
  if (groups > GROUPS_MOST) groups = GROUPS_MOST;
  const size_t global = (size_t)(groups * size), local = (size_t)size;
  if (error == CL_OK)
    error = state.f.EnqueueNDRangeKernel(here()->queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
  ten_mutex_unlock(&state.mutex);
  return error == CL_OK ? NULL : ten_error(TEN_INTERNAL, "launching a kernel failed (OpenCL error %d)", error);
}

static ten_status *opencl_finish(void) {
  const int error = state.f.Finish(here()->queue);
  return error == CL_OK ? NULL : ten_error(TEN_INTERNAL, "a kernel fails (OpenCL error %d)", error);
}

const simt_driver simt_opencl = {
    .language = SIMT_OPENCL_C,
    .resident = true,
    .open = opencl_open,
    .count = opencl_count,
    .build = opencl_build,
    .release = opencl_release,
    .kernel = opencl_kernel,
    .allocate = opencl_allocate,
    .free = opencl_free,
    .upload = opencl_upload,
    .download = opencl_download,
    .launch = opencl_launch,
    .finish = opencl_finish,
};
