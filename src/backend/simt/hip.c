/* hip.c: the HIP driver for AMD's GPUs, loaded with dlopen: kernels are compiled by hiprtc for the device that is open.
 * The tests compile the kernels; this driver itself has run on no GPU yet. */
#include <dlfcn.h>
#include <stdlib.h>

#include "backend/simt/device.h"
#include "base/arena.h"

enum { GROUP = 64, GROUPS_MOST = 4096, TO_DEVICE = 1, FROM_DEVICE = 2 };

typedef struct hip {
  int (*Init)(unsigned);
  int (*GetDeviceCount)(int *);
  int (*DeviceGetName)(char *, int, int);
  int (*DeviceTotalMem)(size_t *, int);
  int (*Malloc)(void **, size_t);
  int (*Free)(void *);
  int (*Memcpy)(void *, const void *, size_t, int);
  int (*DeviceSynchronize)(void);
  int (*ModuleLoadData)(void **, const void *);
  int (*ModuleUnload)(void *);
  int (*ModuleGetFunction)(void **, void *, const char *);
  int (*ModuleLaunchKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
                            void **, void **);
  const char *(*GetErrorString)(int);
} hip;

typedef struct rtc {
  int (*CreateProgram)(void **, const char *, const char *, int, const char **, const char **);
  int (*CompileProgram)(void *, int, const char **);
  int (*DestroyProgram)(void **);
  int (*GetCodeSize)(void *, size_t *);
  int (*GetCode)(void *, char *);
  int (*GetProgramLogSize)(void *, size_t *);
  int (*GetProgramLog)(void *, char *);
} rtc;

static const char *const hip_names[] = {"Init",
                                        "GetDeviceCount",
                                        "DeviceGetName",
                                        "DeviceTotalMem",
                                        "Malloc",
                                        "Free",
                                        "Memcpy",
                                        "DeviceSynchronize",
                                        "ModuleLoadData",
                                        "ModuleUnload",
                                        "ModuleGetFunction",
                                        "ModuleLaunchKernel",
                                        "GetErrorString"};
static const char *const rtc_names[] = {"CreateProgram", "CompileProgram",    "DestroyProgram", "GetCodeSize",
                                        "GetCode",       "GetProgramLogSize", "GetProgramLog"};
_Static_assert(sizeof(hip) == sizeof hip_names && sizeof(rtc) == sizeof rtc_names, "a name for each function");

static hip driver;
static rtc compiler;

static ten_status *load(const char *const *files, const char *prefix, const char *const *names, size_t count,
                        void **slots) {
  void *library = NULL;
  for (size_t i = 0; files[i] && !library; i++) library = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
  if (!library) return ten_error(TEN_NOT_FOUND, "no %s was found: install AMD's ROCm", files[0]);
  for (size_t i = 0; i < count; i++) {
    ten_buf name = {0};
    ten_buf_printf(&name, "%s%s", prefix, names[i]);
    slots[i] = dlsym(library, name.data);
    ten_status *status = slots[i] ? NULL : ten_error(TEN_UNSUPPORTED, "%s has no %s", files[0], name.data);
    ten_buf_free(&name);
    TEN_TRY(status);
  }
  return NULL;
}

static ten_status *failed(int error, const char *doing) {
  if (!error) return NULL;
  return ten_error(TEN_INTERNAL, "%s failed: %s (HIP error %d)", doing, driver.GetErrorString(error), error);
}

static ten_status *open_device(ten_buf *text) {
  static const char *const drivers[] = {"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
                                        NULL};
  static const char *const compilers[] = {"libhiprtc.so", "libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5", NULL};
  TEN_TRY(load(drivers, "hip", hip_names, sizeof hip_names / sizeof *hip_names, (void **)&driver));
  TEN_TRY(load(compilers, "hiprtc", rtc_names, sizeof rtc_names / sizeof *rtc_names, (void **)&compiler));
  int count = 0;
  if (driver.Init(0) || driver.GetDeviceCount(&count) || !count)
    return ten_error(TEN_NOT_FOUND, "no GPU of AMD's was found");
  char name[256] = "";
  size_t bytes = 0;
  driver.DeviceGetName(name, sizeof name - 1, 0);
  driver.DeviceTotalMem(&bytes, 0);
  ten_buf_printf(text, "%s, %zu MiB (never tried on a GPU)", name, bytes >> 20);
  return NULL;
}

static simt_opening opening = {.mutex = TEN_MUTEX_INIT};

static ten_status *hip_open(ten_buf *description) { return simt_open_device(&opening, NULL, open_device, description); }

/* The compiler's log, or what is known without it. */
static ten_status *compile_error(void *program, int error) {
  size_t size = 0;
  compiler.GetProgramLogSize(program, &size);
  char *log = ten_alloc(size + 1);
  log[0] = log[size] = '\0';
  if (size) compiler.GetProgramLog(program, log);
  ten_status *status =
      ten_error(TEN_INTERNAL, "hiprtc cannot compile generated kernels (error %d): %.2000s", error, log);
  free(log);
  return status;
}

static ten_status *load_code(void *program, void **out_code) {
  size_t size = 0;
  int error = compiler.GetCodeSize(program, &size);
  char *code = ten_alloc(size + 1);
  if (!error) error = compiler.GetCode(program, code);
  ten_status *status = error ? ten_error(TEN_INTERNAL, "hiprtc gives no code (error %d)", error)
                             : failed(driver.ModuleLoadData(out_code, code), "loading kernels");
  free(code);
  return status;
}

static ten_status *hip_build(const char *source, void **out_code) {
  static const char *options[] = {"-O3", "-ffp-contract=off"};
  void *program = NULL;
  int error = compiler.CreateProgram(&program, source, "kernels.hip", 0, NULL, NULL);
  if (error) return ten_error(TEN_INTERNAL, "hiprtc takes no program (error %d)", error);
  error = compiler.CompileProgram(program, sizeof options / sizeof *options, options);
  ten_status *status = error ? compile_error(program, error) : load_code(program, out_code);
  compiler.DestroyProgram(&program);
  return status;
}

static void hip_release(void *code) { driver.ModuleUnload(code); }

static ten_status *hip_kernel(void *code, const char *name, void **out_kernel) {
  return failed(driver.ModuleGetFunction(out_kernel, code, name), name);
}

static ten_status *hip_allocate(size_t bytes, simt_memory *out_memory) {
  void *memory = NULL;
  const int error = driver.Malloc(&memory, bytes ? bytes : 1);
  *out_memory = (simt_memory)(uintptr_t)memory;
  return error ? ten_error(TEN_LIMIT, "the GPU cannot allocate %zu bytes: %s", bytes, driver.GetErrorString(error))
               : NULL;
}

static void hip_free(simt_memory memory) { driver.Free((void *)(uintptr_t)memory); }

static ten_status *hip_upload(simt_memory memory, const void *data, size_t bytes) {
  return bytes ? failed(driver.Memcpy((void *)(uintptr_t)memory, data, bytes, TO_DEVICE), "copying to the GPU") : NULL;
}

static ten_status *hip_download(simt_memory memory, void *data, size_t bytes) {
  return bytes ? failed(driver.Memcpy(data, (void *)(uintptr_t)memory, bytes, FROM_DEVICE), "copying from the GPU")
               : NULL;
}

static ten_status *hip_launch(void *kernel, const simt_launch *launch, const simt_argument *arguments, uint32_t count) {
  void **values = ten_alloc((count + 1) * sizeof *values);
  for (uint32_t i = 0; i < count; i++) {
    const void *at = arguments[i].is_number ? (const void *)&arguments[i].number : (const void *)&arguments[i].memory;
    values[i] = (void *)(uintptr_t)at; /* which is only read */
  }
  const int64_t size = launch->grouped ? SIMT_GROUP : GROUP;
  int64_t groups = (launch->threads + size - 1) / size;
  if (groups > GROUPS_MOST) groups = GROUPS_MOST;
  const int error =
      driver.ModuleLaunchKernel(kernel, (unsigned)groups, 1, 1, (unsigned)size, 1, 1, 0, NULL, values, NULL);
  free(values);
  return failed(error, "launching a kernel");
}

static ten_status *hip_finish(void) { return failed(driver.DeviceSynchronize(), "running kernels"); }

const simt_driver simt_hip = {
    .language = SIMT_HIP_C,
    .resident = true,
    .open = hip_open,
    .build = hip_build,
    .release = hip_release,
    .kernel = hip_kernel,
    .allocate = hip_allocate,
    .free = hip_free,
    .upload = hip_upload,
    .download = hip_download,
    .launch = hip_launch,
    .finish = hip_finish,
};
