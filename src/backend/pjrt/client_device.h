/* client_device.h: an opened device: a plugin, its client, and the state behind the backend. */
#ifndef TEN_PJRT_CLIENT_DEVICE_H
#define TEN_PJRT_CLIENT_DEVICE_H

#include "backend/pjrt/client.h"
#include "backend/pjrt/spread.h"
#include "base/thread.h"

typedef struct pjrt_device pjrt_device;
struct pjrt_device {
  ten_backend base; /* must be first: a backend of ours is one of these */
  pjrt_device *next;
  char *name;           /* owned; as requested */
  char *path;           /* owned; NULL until a named plugin was found */
  const char *kind;     /* "tpu", "cuda-xla", or NULL */
  pjrt_options options; /* of the client */
  double timeout;       /* seconds that one wait may take; 0: no limit */
  ten_mesh mesh;        /* over which programs are partitioned */
  bool highest;         /* matmuls and convolutions at the device's highest precision */
  ten_mutex mutex;      /* guards what follows during opening */
  bool opened;
  pjrt_plugin plugin;
  PJRT_Client *client;
  PJRT_Device *const *devices; /* the plugin's: addressable by this process */
  size_t device_count;
};

/* Loads the plugin and creates its client on the first call; thread-safe. */
TEN_MUST_USE ten_status *pjrt_device_open(pjrt_device *device);
/* The device of a backend of ours. */
pjrt_device *pjrt_device_of(const ten_backend *backend);

/* client_execute.c */
ten_status *pjrt_compile(const ten_backend *self, ten_module *module, const ten_op *func, const ten_settings *settings,
                         ten_executable **out_executable);
ten_status *pjrt_repeat(ten_executable *executable, ten_tensor *const *inputs, size_t count, double *out_seconds,
                        ten_tensor **outputs);
ten_status *pjrt_execute(ten_executable *executable, ten_tensor *const *inputs, size_t input_count,
                         const ten_run_options *options, ten_tensor **outputs);
void pjrt_destroy(ten_executable *executable);
/* Loads a compiled program. Takes `program` (whose module belongs to the owner), `tilings` and the owner, even when it
 * fails; `entry` is the signature that the user calls. */
TEN_MUST_USE ten_status *pjrt_load(const ten_backend *backend, pjrt_program *program, ten_str code, const ten_op *entry,
                                   pjrt_tilings *tilings, void (*free_owner)(void *), void *owner,
                                   ten_executable **out_executable);

#endif
