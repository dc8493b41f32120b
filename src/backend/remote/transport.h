/* transport.h: transports calls to a server: a separate library, libtenfold_remote.so, the only one with HTTP/2 and
 * TLS. It is loaded when a remote device is first named, so that libtenfold depends on neither. Messages are opaque
 * bytes to it. */
#ifndef TEN_REMOTE_TRANSPORT_H
#define TEN_REMOTE_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>

#define TEN_TRANSPORT_ABI 3
#define TEN_TRANSPORT_LIBRARY "libtenfold_remote.so"
#define TEN_TRANSPORT_SYMBOL "tenfold_transport"

typedef struct ten_transport ten_transport;

/* One message of a request: `head`, then `data`; both are borrowed until the call ends, and sent without a copy. */
typedef struct ten_transport_message {
  const void *head, *data;
  size_t head_size, data_size;
} ten_transport_message;

typedef struct ten_transport_call {
  const char *path;
  const ten_transport_message *messages;
  size_t message_count; /* 1 unless the method takes a stream */
  /* Receives a message of the answer; false: it is malformed, and the call fails. */
  bool (*receive)(void *user, const char *data, size_t size);
  /* Called occasionally with the bytes sent and received; may be NULL. */
  void (*progress)(void *user, size_t sent, size_t received);
  void *user;
  int limit_ms; /* a call that is not over by then ends as if the connection was lost; 0: none */
} ten_transport_call;

typedef struct ten_transport_api {
  unsigned abi;
  /* `address` is grpc://HOST:PORT, or grpcs:// with TLS; `ca` (PEM; NULL: the system's) verifies the server, `token`
   * may be NULL. Connecting, and the handshake of TLS, take at most `limit_ms` each; while calls are in progress, a
   * server that does not even answer a PING in that time is lost. NULL on an error, described in
   * `out_error` (freed by the caller; NULL: out of memory). */
  ten_transport *(*open)(const char *address, const char *ca, const char *token, int limit_ms, char **out_error);
  /* When no call is in progress. */
  void (*close)(ten_transport *transport);
  /* A gRPC call: returns its code; -1: connection lost. If not 0, `out_error` (freed by the caller, may be NULL)
   * describes the error. Thread-safe: calls share the connection, and `receive` and `progress` may run on a
   * thread of another call. */
  int (*call)(ten_transport *transport, const ten_transport_call *call, char **out_error);
} ten_transport_api;

#endif
