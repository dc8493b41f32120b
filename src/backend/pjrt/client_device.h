/* client_device.h: an opened device: a plugin, its client, and what stands behind our backend's row. */
#ifndef TEN_PJRT_CLIENT_DEVICE_H
#define TEN_PJRT_CLIENT_DEVICE_H

#include "backend/pjrt/client.h"
#include "backend/pjrt/spread.h"
#include "base/thread.h"

typedef struct pjrt_device pjrt_device;
struct pjrt_device {
  ten_backend base; /* first: a backend of ours is one of these */
  pjrt_device *next;
  char *name;           /* owned; as it was requested */
  char *path;           /* owned; NULL until a named plugin was found */
  const char *kind;     /* "tpu", "cuda-xla", or NULL */
  pjrt_options options; /* of the client */
  double timeout;       /* seconds that one wait may take; 0: no limit */
  ten_mesh mesh;        /* over which programs are spread */
  bool highest;         /* matmuls and convolutions as precise as the device can */
  ten_mutex mutex;      /* of what follows, while it is opened */
  bool opened;
  pjrt_plugin plugin;
  PJRT_Client *client;
  PJRT_Device *const *devices; /* the plugin's: those of this process */
  size_t device_count;
};

/* Loads the plugin and makes its client, the first time; several threads may call it. */
TEN_MUST_USE ten_status *pjrt_device_open(pjrt_device *device);
/* The device behind a backend of ours. */
pjrt_device *pjrt_device_of(const ten_backend *backend);

/* client_execute.c */
ten_status *pjrt_compile(const ten_backend *self, ten_module *module, const ten_op *func, const ten_settings *settings,
                         ten_executable **out_executable);
ten_status *pjrt_repeat(ten_executable *executable, ten_tensor *const *inputs, size_t count, double *out_seconds,
                        ten_tensor **outputs);
ten_status *pjrt_execute(ten_executable *executable, ten_tensor *const *inputs, size_t input_count,
                         const ten_run_options *options, ten_tensor **outputs);
void pjrt_destroy(ten_executable *executable);
/* A program that was compiled before. Takes `program` (whose module is the owner's), `tilings` and the owner, also when
 * it fails; `entry` is what the user calls. */
TEN_MUST_USE ten_status *pjrt_load(const ten_backend *backend, pjrt_program *program, ten_str code, const ten_op *entry,
                                   pjrt_tilings *tilings, void (*free_owner)(void *), void *owner,
                                   ten_executable **out_executable);

#endif
