/* cuda_compiler.c: compiles kernels by NVRTC. Machine code is stored in the cache, under a digest of the source, the
 * version of NVRTC and the options. */
#include "backend/simt/cuda_compiler.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "backend/cache_code.h"
#include "backend/python_files.h"
#include "base/arena.h"

enum { INVALID_OPTION = 5 };

static struct {
  int (*CreateProgram)(void **, const char *, const char *, int, const char *const *, const char *const *);
  int (*CompileProgram)(void *, int, const char *const *);
  int (*GetCUBINSize)(void *, size_t *);
  int (*GetCUBIN)(void *, char *);
  int (*GetProgramLogSize)(void *, size_t *);
  int (*GetProgramLog)(void *, char *);
  int (*DestroyProgram)(void **);
  int (*Version)(int *, int *);
} nvrtc;

ten_status *cuda_load(void *library, const char *file, const char *const *names, size_t count, void **slots) {
  for (size_t i = 0; i < count; i++) {
    slots[i] = dlsym(library, names[i]);
    if (!slots[i]) return ten_error(TEN_UNSUPPORTED, "%s has no %s: it is too old", file, names[i]);
  }
  return NULL;
}

/* The library that the variable names, or the loader's, or that of a Python package. */
static ten_status *open_compiler(void **out) {
  static const char *const names[] = {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"};
  static const char *const files[TEN_PYTHON_FILES_MOST] = {"nvidia/cu13/lib/libnvrtc.so.13",
                                                           "nvidia/cuda_nvrtc/lib/libnvrtc.so.12"};
  *out = NULL;
  for (size_t i = 0; !ten_env_text(TEN_ENV_NVRTC_LIBRARY) && i < sizeof names / sizeof *names && !*out; i++)
    *out = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  if (*out) return NULL;
  char *path;
  TEN_TRY(ten_annotate(ten_python_file_find(TEN_ENV_NVRTC_LIBRARY, files, "pip install nvidia-cuda-nvrtc", &path),
                       "looking for NVRTC, the compiler for CUDA"));
  *out = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  free(path);
  return *out ? NULL : ten_error(TEN_UNSUPPORTED, "NVRTC cannot be loaded: %s", dlerror());
}

ten_status *cuda_compiler_load(void) {
  static const char *const names[] = {
      "nvrtcCreateProgram",     "nvrtcCompileProgram", "nvrtcGetCUBINSize",   "nvrtcGetCUBIN",
      "nvrtcGetProgramLogSize", "nvrtcGetProgramLog",  "nvrtcDestroyProgram", "nvrtcVersion"};
  void *library;
  TEN_TRY(open_compiler(&library));
  return cuda_load(library, "libnvrtc.so", names, sizeof names / sizeof *names, (void **)&nvrtc);
}

static const char *const fixed_options[] = {"--fmad=false", "--std=c++17"};

/* Of a source: with what compiles it, and how. */
static ten_digest key_of(const char *source, const char *target) {
  int major = 0, minor = 0;
  nvrtc.Version(&major, &minor);
  ten_digester *out = ten_alloc(sizeof *out);
  ten_digester_init(out);
  ten_digester_add_str(out, ten_str_of("tenfold kernels for cuda"));
  ten_digester_add_u64(out, (uint64_t)major);
  ten_digester_add_u64(out, (uint64_t)minor);
  ten_digester_add_str(out, ten_str_of(target));
  for (size_t i = 0; i < sizeof fixed_options / sizeof *fixed_options; i++)
    ten_digester_add_str(out, ten_str_of(fixed_options[i]));
  ten_digester_add_str(out, ten_str_of(source));
  const ten_digest key = ten_digester_result(out);
  free(out);
  return key;
}

/* Why a program does not compile. */
static ten_status *explain(void *program, const char *arch, int error) {
  int major = 0, minor = 0;
  size_t size = 0;
  ten_buf log = {0};
  nvrtc.Version(&major, &minor);
  nvrtc.GetProgramLogSize(program, &size);
  ten_buf_reserve(&log, size + 1);
  nvrtc.GetProgramLog(program, log.data);
  ten_status *status =
      error == INVALID_OPTION
          ? ten_error(TEN_UNSUPPORTED, "NVRTC %d.%d does not compile for %s; another version may: %s", major, minor,
                      arch, "pip install --upgrade nvidia-cuda-nvrtc")
          : ten_error(TEN_INTERNAL, "NVRTC %d.%d cannot compile generated kernels for %s (error %d): %.2000s", major,
                      minor, arch, error, size ? log.data : "");
  ten_buf_free(&log);
  return status;
}

static ten_status *compile(void *program, const char *arch, const char *target, ten_buf *cubin) {
  const char *const options[] = {target, fixed_options[0], fixed_options[1]};
  const int error = nvrtc.CompileProgram(program, 3, options);
  if (error) return explain(program, arch, error);
  size_t size = 0;
  nvrtc.GetCUBINSize(program, &size);
  ten_buf_reserve(cubin, size + 1);
  nvrtc.GetCUBIN(program, cubin->data);
  cubin->size = size;
  return NULL;
}

ten_status *cuda_compile(const char *source, const char *arch, ten_buf *cubin) {
  char target[48];
  snprintf(target, sizeof target, "--gpu-architecture=%s", arch);
  const ten_digest key = key_of(source, target);
  if (ten_cache_code_find(TEN_CACHE_CUBIN, &key, cubin)) return NULL;
  void *program = NULL;
  const int error = nvrtc.CreateProgram(&program, source, "program.cu", 0, NULL, NULL);
  if (error) return ten_error(TEN_INTERNAL, "NVRTC cannot create a program (error %d)", error);
  ten_status *status = compile(program, arch, target, cubin);
  nvrtc.DestroyProgram(&program);
  if (status)
    ten_buf_free(cubin);
  else
    ten_cache_code_store(TEN_CACHE_CUBIN, &key, (ten_str){cubin->data, cubin->size});
  return status;
}
