/* remote.h: a remote device and calls on it. */
#ifndef TEN_REMOTE_H
#define TEN_REMOTE_H

#include "backend/backend.h"
#include "backend/remote/transport.h"

/* A connection; any number of threads share it. Once lost, its last call closes it. */
typedef struct remote_link {
  ten_transport *transport; /* owned */
  uint64_t number;          /* counts connections of a device: ids of an earlier connection are invalid */
  size_t calls;             /* in progress */
  bool lost;
} remote_link;

typedef struct remote_device {
  ten_backend base; /* first */
  struct remote_device *next;
  char *name;          /* owned */
  char *server, *runs; /* owned: its own description, and the backend that programs run on there */
  ten_mutex mutex;     /* guards all below */
  remote_link *link;   /* owned; NULL: not connected */
  uint64_t connections;
} remote_device;

/* Called with the bytes of an array sent or received so far, of `all`. */
typedef struct remote_progress {
  void (*tell)(void *user, size_t done, size_t all);
  void *user;
} remote_progress;

/* grpc://HOST:PORT or grpcs://HOST:PORT. Connects on first use. */
TEN_MUST_USE ten_status *ten_remote_open(const char *name, const ten_backend **out_backend);
/* Whether the backend is a remote device. */
bool ten_remote_is(const ten_backend *backend);
/* Uploads a compiled file, whose executable is `local` (taken, even after an error); the server must allow it. */
TEN_MUST_USE ten_status *ten_remote_send(const ten_backend *self, const char *path, ten_executable *local,
                                         ten_executable **out_executable);
/* Whether programs run on the backend 'cpu', remote or local. */
bool ten_remote_runs_on_cpu(const ten_backend *backend);

/* Calls below: `connection` (0: any) is the required connection; if it has been replaced, the call is an error.
 * `out_connection` may be NULL. Thread-safe. */

/* One request message, one answer message; the caller frees out_answer's data. */
TEN_MUST_USE ten_status *ten_remote_call(remote_device *device, const char *method, const ten_buf *request,
                                         uint64_t connection, ten_buf *out_answer, uint64_t *out_connection);
/* Uploads an array without a copy; returns its number there. `progress` may be NULL, here and below. */
TEN_MUST_USE ten_status *ten_remote_upload(remote_device *device, const ten_tensor *tensor, uint64_t connection,
                                           const remote_progress *progress, uint64_t *out_number,
                                           uint64_t *out_connection);
/* Downloads an array into `data`; `size` must be exactly the array's bytes. */
TEN_MUST_USE ten_status *ten_remote_download(remote_device *device, uint64_t number, void *data, size_t size,
                                             uint64_t connection, const remote_progress *progress);
/* Frees arrays; the server frees the rest when the connection closes. */
void ten_remote_free(remote_device *device, const uint64_t *numbers, size_t count, uint64_t connection);

ten_status *remote_compile(const ten_backend *self, ten_module *module, const ten_op *func,
                           const ten_settings *settings, ten_executable **out_executable);
ten_status *remote_execute(ten_executable *executable, ten_tensor *const *inputs, size_t input_count,
                           const ten_run_options *options, ten_tensor **outputs);
ten_status *remote_hold(ten_executable *executable, ten_tensor *const *state, size_t count);
ten_status *remote_advance(ten_executable *executable, ten_tensor *const *inputs, size_t count, ten_tensor **outputs);
ten_status *remote_fetch(ten_executable *executable, size_t index, ten_tensor **out_value);
void remote_destroy(ten_executable *executable);

#endif
