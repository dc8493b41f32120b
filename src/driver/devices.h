/* devices.h: the list of backends, and lookup by name or by file. */
#ifndef TEN_DRIVER_DEVICES_H
#define TEN_DRIVER_DEVICES_H

#include "backend/backend.h"

/* Terminated by NULL. */
extern const ten_backend *const ten_backends[];
const ten_backend *ten_backend_find(ten_str name); /* NULL when there is none */
/* Whether programs run on the CPU backend, local or remote: training then stores weights in its kernels' layout. */
bool ten_backend_is_cpu(const ten_backend *backend);
/* A row of the table, also by number ("cuda:1"), or a plugin: pjrt:PATH.so[?NAME=VALUE,…], tpu?…, cuda-xla?…. The
 * plugin is loaded on first use. Or a server: grpc://HOST:PORT, grpcs://HOST:PORT. */
TEN_MUST_USE ten_status *ten_backend_open(const char *name, const ten_backend **out_backend);
TEN_MUST_USE ten_status *ten_backend_unknown(const char *name); /* the error that lists the valid names */

/* The backend whose compiled file is at `path`, or NULL; and such a file as an executable, whose function has types and
 * no body. */
const ten_backend *ten_backend_of_file(const char *path);
TEN_MUST_USE ten_status *ten_compiled_file_open(const char *path, const char *device, ten_executable **out_executable);
/* The default device: the first of the table. */
const ten_backend *ten_backend_default(void);

#endif
