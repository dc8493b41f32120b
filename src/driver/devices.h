/* devices.h: which backends there are, and finding one by its name or by its file. */
#ifndef TEN_DRIVER_DEVICES_H
#define TEN_DRIVER_DEVICES_H

#include "backend/backend.h"

/* Ended by NULL. */
extern const ten_backend *const ten_backends[];
const ten_backend *ten_backend_find(ten_str name); /* NULL when there is none */
/* Whether programs run on the CPU backend, here or behind a socket: training then stores weights as its kernels read
 * them. */
bool ten_backend_is_cpu(const ten_backend *backend);
/* A row of the table, or a plugin: pjrt:PATH.so[?NAME=VALUE,…], tpu?…, cuda-xla?…. The plugin is loaded when it is
 * first used. Or a server: grpc://HOST:PORT, grpcs://HOST:PORT. */
TEN_MUST_USE ten_status *ten_backend_open(const char *name, const ten_backend **out_backend);
TEN_MUST_USE ten_status *ten_backend_unknown(const char *name); /* the error that names what there is */

/* The backend whose compiled file is at `path`, or NULL; and such a file as an executable, whose function has types and
 * no body. */
const ten_backend *ten_backend_of_file(const char *path);
TEN_MUST_USE ten_status *ten_compiled_file_open(const char *path, const char *device, ten_executable **out_executable);
/* What runs programs unless told otherwise: the first of the table. */
const ten_backend *ten_backend_default(void);

#endif
