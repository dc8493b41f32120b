/* device.h: devices behind PJRT plugins, as backends. `pjrt:PATH.so[?NAME=VALUE,…]` is any plugin; `tpu` is libtpu,
 * `cuda-xla` is JAX's plugin for NVIDIA GPUs. A plugin is loaded when it is first used. */
#ifndef TEN_PJRT_DEVICE_H
#define TEN_PJRT_DEVICE_H

#include "backend/backend.h"

/* The path of a named plugin, or an error that says where it was searched for and how to get it. `name` is "tpu" or
 * "cuda-xla". The caller owns the path. */
TEN_MUST_USE ten_status *ten_pjrt_find(const char *name, char **out_path);
/* The backend for "pjrt:…"; the same text gives the same backend, which lives as long as the process. */
TEN_MUST_USE ten_status *ten_pjrt_open(const char *name, const ten_backend **out_backend);

extern const ten_backend ten_tpu_backend, ten_cuda_xla_backend;
/* Whether the backend is implemented in this folder. */
bool ten_pjrt_is(const ten_backend *backend);

#endif
