/* conn.h: connections and the requests on them. A connection is a socket, plain or with TLS, that speaks HTTP/1.1 or
 * HTTP/2 (distinguished by the first bytes); an exchange is one request and its answer, in either version. All of it
 * runs on the loop's thread. Buffers are bounded: output to a client that does not read is paused, a client that sends
 * too much is refused. */
#ifndef TEN_SERVE_CONN_H
#define TEN_SERVE_CONN_H

#include <openssl/types.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"
#include "serve/http.h"
#include "serve/loop.h"

typedef struct serve_server serve_server;
typedef struct serve_conn serve_conn;
typedef struct serve_exchange serve_exchange;
typedef struct serve_call serve_call;

/* Bytes to be sent. */
typedef struct serve_chunk serve_chunk;
struct serve_chunk {
  serve_chunk *next;
  size_t size, at;           /* `at`: sent so far */
  char *data;                /* owned, inside the chunk, or in the tensor */
  struct ten_tensor *tensor; /* retained, or NULL */
  bool room;                 /* small writes may be appended to it */
};
void serve_chunk_free(serve_chunk *chunk);

enum { SERVE_OUT_MOST = 2 << 20 }; /* bytes queued for the socket; above, HTTP/2 creates no more frames */

struct serve_conn {
  serve_watch watch; /* first */
  serve_server *server;
  serve_conn *next, *previous; /* of the server's list */
  SSL *ssl;                    /* owned, or NULL */
  uint32_t events;             /* events watched now */
  unsigned references;         /* exchanges */
  enum { CONN_HANDSHAKE, CONN_NEW, CONN_HTTP1, CONN_HTTP2 } state;
  bool closed;             /* the socket is closed; freed when no exchange refers to it */
  bool ending;             /* close when everything is sent */
  bool busy;               /* HTTP/1: a request is being answered, reading is paused */
  bool reading;            /* HTTP/1: requests are being parsed from `in` */
  bool retired;            /* HTTP/2: no longer usable by its client; closed once it is idle */
  bool refused;            /* HTTP/1: answered before the request was read; the rest of it is discarded */
  double opened, progress; /* time of accept, and of the last byte received or sent */
  double request_start;    /* of the request being received; 0: none */
  char peer[64];
  char *in; /* owned: received and not parsed yet (HTTP/1) */
  size_t in_size, in_capacity;
  serve_chunk *out, *out_last; /* owned */
  size_t out_size;             /* unsent bytes in them */
  serve_exchange *exchange;    /* HTTP/1: the one being received or answered */
  http_head head;              /* HTTP/1: flags of that one */
  http_chunks chunks;
  uint64_t body_left;
  struct serve_h2 *h2;           /* owned: HTTP/2 */
  struct serve_session *session; /* owned: its state of the remote device, or NULL */
};

struct serve_exchange {
  serve_conn *conn; /* retained */
  serve_server *server;
  int32_t stream; /* of HTTP/2; 0: HTTP/1 */
  bool grpc;
  bool keep_alive; /* HTTP/1 */
  bool received;   /* the request is complete */
  bool responded;  /* the answer is complete */
  bool busy;       /* gRPC: one of its messages is being answered */
  bool abandoned;  /* the client disconnected, or cancelled it */
  char method[16];
  char *path;        /* owned */
  char *header_text; /* owned: `fields` are views of it */
  http_fields fields;
  double start, deadline; /* deadline 0: none */
  double partial_since;   /* HTTP/2: when the incomplete message began to arrive */
  char *body;             /* owned, aligned to 64 */
  size_t body_size, body_capacity;
  unsigned references;     /* calls in progress, and the connection or stream itself */
  serve_call *calls;       /* in progress, linked by next_of_exchange */
  struct serve_stream *h2; /* HTTP/2: the stream's output; owned */
  serve_exchange *next_stream;
  const struct serve_method *grpc_method;
  void *state; /* of the method, freed by state_free */
  void (*state_free)(void *state);
  void (*more)(serve_exchange *exchange); /* HTTP/2: called when the queue is empty; NULL: the output is complete */
  int status;                             /* for the log: of HTTP, or of gRPC */
  size_t sent;                            /* bytes of the answer */
  char subject[128];                      /* the model, for the log */
  unsigned token;                         /* the number of its token, from 1; 0: none */
  bool counted;                           /* counted in the token's requests in progress */
  const char *why;                        /* static: the reason for a refusal, if the status does not tell; or NULL */
};

/* Accepts on the listening `fd`; `tls` may be NULL. */
typedef struct serve_listener {
  serve_watch watch; /* first */
  serve_server *server;
  SSL_CTX *tls; /* borrowed */
} serve_listener;
void serve_listener_ready(serve_watch *watch, uint32_t events);

/* Queues bytes for sending: copied, or owned (from malloc). */
void serve_conn_send(serve_conn *conn, const void *data, size_t size);
void serve_conn_send_owned(serve_conn *conn, char *data, size_t size);
/* Takes the chunk, of which `at` bytes are already sent. */
void serve_conn_send_chunk(serve_conn *conn, serve_chunk *chunk);
/* An answer was queued outside of the connection's own callback: continues with received bytes. */
void serve_conn_resume(serve_conn *conn);
/* Sends what it can, and watches for writability. */
void serve_conn_flush(serve_conn *conn);
void serve_conn_close(serve_conn *conn);
/* Frees it if it is closed and nothing refers to it. */
void serve_conn_reap(serve_conn *conn);
/* Closes it if it is too slow or idle for too long. */
void serve_conn_check_time(serve_conn *conn, double now);

/* http1.c: parses conn->in; and continues after an answer was queued. */
void serve_http1_read(serve_conn *conn);
void serve_http1_respond(serve_exchange *exchange, int status, const char *content_type, const char *headers,
                         char *body, size_t size);

/* h2.c */
bool serve_h2_open(serve_conn *conn);
void serve_h2_close(serve_conn *conn);
bool serve_h2_receive(serve_conn *conn, const char *data, size_t size);
/* Moves HTTP/2's output to the connection's queue, as long as that is short. */
bool serve_h2_fill(serve_conn *conn);
/* No new streams; closes once the open ones have ended. */
void serve_h2_drain(serve_conn *conn);
bool serve_h2_idle(const serve_conn *conn);
/* Ends requests that take too long to arrive. */
void serve_h2_check_time(serve_conn *conn, double now, double patience);
void serve_h2_respond(serve_exchange *exchange, int status, const char *content_type, const char *headers, char *body,
                      size_t size);
/* A gRPC message (takes `body`, which is packed without its prefix), and the end: code and text. */
void serve_grpc_send(serve_exchange *exchange, char *body, size_t size);
void serve_grpc_end(serve_exchange *exchange, int code, const char *message);
/* A message of `head` and `size` bytes of the tensor from `at`, sent without a copy. */
void serve_grpc_send_borrowed(serve_exchange *exchange, const char *head, size_t head_size, struct ten_tensor *tensor,
                              size_t at, size_t size);
/* The bytes of answers queued in the stream. */
size_t serve_grpc_pending(const serve_exchange *exchange);

serve_exchange *serve_exchange_create(serve_conn *conn, int32_t stream);
void serve_exchange_retain(serve_exchange *exchange);
void serve_exchange_release(serve_exchange *exchange);
/* Appends to the body; 0, or the status of the refusal: 413 too large, 503 out of memory. `hint`: its expected size, or
 * 0. */
int serve_exchange_add(serve_exchange *exchange, const void *data, size_t size, uint64_t hint);
void serve_exchange_free_body(serve_exchange *exchange);
/* The client is gone: cancels calls in progress. */
void serve_exchange_abandon(serve_exchange *exchange);
/* The answer of REST (takes `body`, from malloc). `headers` are whole lines "Name: value\r\n", or NULL. */
void serve_respond(serve_exchange *exchange, int status, const char *content_type, const char *headers, char *body,
                   size_t size);
const char *http_reason(int status);

#endif
