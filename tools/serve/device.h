/* device.h: the remote device: what a connection has on this server. */
#ifndef TEN_SERVE_DEVICE_H
#define TEN_SERVE_DEVICE_H

#include "serve/grpc.h"

typedef struct serve_session serve_session;
extern const serve_method serve_device_methods[];
/* Frees what a connection has; NULL is fine. */
void serve_session_free(serve_session *session);

#endif
