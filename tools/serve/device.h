/* device.h: the remote device: a connection's objects on this server, and the calls on them. */
#ifndef TEN_SERVE_DEVICE_H
#define TEN_SERVE_DEVICE_H

#include "serve/grpc.h"
#include "serve/isolate.h"

/* The objects of a connection: on the loop's thread only. */
typedef struct serve_session {
  serve_server *server;
  serve_tables tables;  /* without --isolate */
  serve_worker *worker; /* owned: the process that holds the tables instead, or NULL */
  unsigned token;       /* the number of its token, from 1; 0: a server without tokens */
  size_t reserved;      /* bytes of arrays being received */
  size_t arrays;        /* bytes of existing arrays */
  size_t counted;       /* of both, in the token's account */
} serve_session;

extern const serve_method serve_device_methods[];
/* The client is gone: ends what runs for it in a separate process. */
void serve_session_abandon(serve_session *session);
/* Frees the objects of a connection; NULL is fine. */
void serve_session_free(serve_session *session);
/* Whether it holds objects that the client would lose. */
bool serve_session_is_used(const serve_session *session);

/* The session of a call's connection, created on first use; NULL: the call was ended with an error. */
serve_session *serve_session_of(serve_exchange *exchange);
/* The bytes that arrays may take now, existing ones included. */
size_t serve_session_room(const serve_session *session);
/* Updates the token's account. */
void serve_session_count(serve_session *session);
/* Adds the array (takes it, and `reserved` bytes of the session for it) and answers the call. */
void serve_device_add(serve_exchange *exchange, ten_tensor *tensor, size_t reserved);

/* transfer.c: arrays in parts: a message of an upload's stream, and its end; a download. */
void serve_upload_take(serve_exchange *exchange, const char *data, size_t size);
void serve_upload_finish(serve_exchange *exchange);
void serve_download_start(serve_exchange *exchange, ten_tensor *tensor); /* retains it */

#endif
