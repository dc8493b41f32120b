/* device.h: the remote device: what a connection has on this server, and the calls on it. */
#ifndef TEN_SERVE_DEVICE_H
#define TEN_SERVE_DEVICE_H

#include "serve/grpc.h"
#include "serve/isolate.h"

/* What a connection has: on the loop's thread only. */
typedef struct serve_session {
  serve_server *server;
  serve_tables tables;  /* without --isolate */
  serve_worker *worker; /* owned: the process that has the tables instead, or NULL */
  unsigned token;       /* whose it is, from 1; 0: of a server without tokens */
  size_t reserved;      /* bytes of arrays that are being received */
  size_t arrays;        /* bytes of those that are there */
  size_t counted;       /* of both, in the token's account */
} serve_session;

extern const serve_method serve_device_methods[];
/* The client is gone: what runs for it in a process of its own is ended. */
void serve_session_abandon(serve_session *session);
/* Frees what a connection has; NULL is fine. */
void serve_session_free(serve_session *session);
/* Whether it has something that the client would lose. */
bool serve_session_is_used(const serve_session *session);

/* The session of a call's connection, made when it is first used; NULL: the call was ended with an error. */
serve_session *serve_session_of(serve_exchange *exchange);
/* Bytes that arrays may take now, those that are there included. */
size_t serve_session_room(const serve_session *session);
/* Notes what changed in the token's account. */
void serve_session_count(serve_session *session);
/* Adds the array (takes it, and `reserved` bytes of the session for it) and answers the call. */
void serve_device_add(serve_exchange *exchange, ten_tensor *tensor, size_t reserved);

/* transfer.c: arrays in parts: a message of an upload's stream, and its end; a download. */
void serve_upload_take(serve_exchange *exchange, const char *data, size_t size);
void serve_upload_finish(serve_exchange *exchange);
void serve_download_start(serve_exchange *exchange, ten_tensor *tensor); /* retains it */

#endif
