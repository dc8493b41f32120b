/* calls.h: internal server calls of this folder (device.c). */
#ifndef TEN_REMOTE_CALLS_H
#define TEN_REMOTE_CALLS_H

#include "backend/remote/remote.h"

/* One call on a given connection; `method` NULL: only connects. */
TEN_MUST_USE ten_status *remote_call_device(remote_device *device, const char *method, ten_transport_call *call,
                                            uint64_t connection, uint64_t *out_connection);
/* Receives a single-message answer; `user` is a ten_buf. It runs on a transport thread, where a failing allocation
 * must not jump. */
bool remote_receive_one(void *user, const char *data, size_t size);

#endif
