/* transport.h: how calls reach a server: a library of its own, libtenfold_remote.so, which alone has HTTP/2 and TLS. It
 * is loaded when a remote device is first named, so that libtenfold depends on neither. It knows no message: bytes in,
 * bytes out. */
#ifndef TEN_REMOTE_TRANSPORT_H
#define TEN_REMOTE_TRANSPORT_H

#include <stddef.h>

#define TEN_TRANSPORT_ABI 1
#define TEN_TRANSPORT_LIBRARY "libtenfold_remote.so"
#define TEN_TRANSPORT_SYMBOL "tenfold_transport"

typedef struct ten_transport ten_transport;

typedef struct ten_transport_api {
  unsigned abi;
  /* `address` is grpc://HOST:PORT, or grpcs:// with TLS; `ca` (PEM; NULL: the system's) vouches for the server, `token`
   * may be NULL. NULL on an error, which `out_error` (freed by the caller) says. */
  ten_transport *(*open)(const char *address, const char *ca, const char *token, char **out_error);
  void (*close)(ten_transport *transport);
  /* A unary call of gRPC: its code, with the answer in `out` (from malloc) when that is 0; -1: the connection is gone.
   * Otherwise `out_error` (freed by the caller) says what is wrong. One thread at a time. */
  int (*call)(ten_transport *transport, const char *path, const void *request, size_t size, void **out,
              size_t *out_size, char **out_error);
} ten_transport_api;

#endif
