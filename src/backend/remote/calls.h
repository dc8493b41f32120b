/* calls.h: how the files of this folder call a server (device.c). */
#ifndef TEN_REMOTE_CALLS_H
#define TEN_REMOTE_CALLS_H

#include "backend/remote/remote.h"

/* One call, on the connection that it is about; `method` NULL: connects only. */
TEN_MUST_USE ten_status *remote_call_device(remote_device *device, const char *method, ten_transport_call *call,
                                            uint64_t connection, uint64_t *out_connection);
/* Takes the only message of an answer; `user` is a ten_buf. It runs on a thread of the transport, where an allocation
 * that fails must not jump. */
bool remote_receive_one(void *user, const char *data, size_t size);

#endif
