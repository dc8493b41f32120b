/* remote.h: a remote device and calls of it. */
#ifndef TEN_REMOTE_H
#define TEN_REMOTE_H

#include "backend/backend.h"
#include "backend/remote/transport.h"

typedef struct remote_device {
  ten_backend base; /* first */
  struct remote_device *next;
  char *name;               /* owned */
  char *server;             /* owned: what it said of itself */
  ten_mutex mutex;          /* of all below: one call at a time */
  ten_transport *transport; /* owned; NULL: not connected */
  uint64_t connection;      /* counts connections: what another had is gone */
} remote_device;

/* grpc://HOST:PORT or grpcs://HOST:PORT. Connects when it is first used. */
TEN_MUST_USE ten_status *ten_remote_open(const char *name, const ten_backend **out_backend);

/* One call; the caller frees out_answer's data. `connection` (0: any) is the one that the call is about; where another
 * took its place since, that is an error. `out_connection` may be NULL. */
TEN_MUST_USE ten_status *ten_remote_call(remote_device *device, const char *method, const ten_buf *request,
                                         uint64_t connection, ten_buf *out_answer, uint64_t *out_connection);

ten_status *remote_compile(const ten_backend *self, ten_module *module, const ten_op *func,
                           const ten_settings *settings, ten_executable **out_executable);
ten_status *remote_execute(ten_executable *executable, ten_tensor *const *inputs, size_t input_count,
                           const ten_run_options *options, ten_tensor **outputs);
void remote_destroy(ten_executable *executable);

#endif
