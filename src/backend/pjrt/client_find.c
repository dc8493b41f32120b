/* client_find.c: finds named plugins: libtpu and JAX's plugin for CUDA are Python packages. */
#include <string.h>

#include "backend/pjrt/device.h"
#include "backend/python_files.h"

static const struct {
  const char *name;
  ten_env variable; /* an environment variable with its path */
  const char *files[TEN_PYTHON_FILES_MOST];
  const char *get;
} plugins[] = {
    {"tpu", TEN_ENV_TPU_LIBRARY, {"libtpu/libtpu.so"}, "pip install libtpu (x86_64 Linux)"},
    {"cuda-xla",
     TEN_ENV_CUDA_PLUGIN,
     {"jax_plugins/xla_cuda13/xla_cuda_plugin.so", "jax_plugins/xla_cuda12/xla_cuda_plugin.so"},
     "pip install \"jax[cuda13]\""},
};
enum { PLUGIN_COUNT = sizeof plugins / sizeof *plugins };

ten_status *ten_pjrt_find(const char *name, char **out_path) {
  for (size_t i = 0; i < PLUGIN_COUNT; i++)
    if (!strcmp(name, plugins[i].name))
      return ten_python_file_find(plugins[i].variable, plugins[i].files, plugins[i].get, out_path);
  *out_path = NULL;
  return ten_error(TEN_NOT_FOUND, "there is no plugin named '%s'", name);
}
