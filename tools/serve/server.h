/* server.h: the server: options, connections, models, and counters. */
#ifndef TEN_SERVE_SERVER_H
#define TEN_SERVE_SERVER_H

#include <stdatomic.h>

#include "serve/conn.h"
#include "serve/model.h"
#include "serve/options.h"
#include "serve/pool.h"
#include "serve/repository.h"
#include "serve/shared.h"

enum { SERVE_SCRATCH = 256 << 10, SERVE_TOKENS_MOST = 64, SERVE_DIGEST = 32 };

typedef struct serve_token {
  unsigned char digest[SERVE_DIGEST]; /* SHA-256: tokens are compared by it, in constant time, and not stored */
  uint64_t requests, refused;
  uint64_t rate_most;      /* requests per second; 0: unlimited */
  double allowance, since; /* requests allowed now, and when that was computed */
  uint64_t running_most;   /* requests in progress; 0: unlimited */
  uint64_t running;
  size_t arrays_most; /* bytes of arrays on all of its connections; 0: unlimited */
  size_t arrays;
} serve_token;

/* Counted on the loop's thread. */
typedef struct serve_metrics {
  uint64_t connections, refused_connections, timed_out_connections, timed_out_requests;
  uint64_t requests, grpc_requests, unauthorized, floods;
  uint64_t by_class[6]; /* answers of REST by their status / 100; [0]: calls of gRPC that failed */
} serve_metrics;

struct serve_server {
  serve_options options;
  serve_loop loop;
  serve_listener listeners[2];
  size_t listener_count;
  SSL_CTX *tls; /* owned, or NULL */
  serve_conn *conns;
  size_t conn_count;
  int spare_fd;     /* reserve, for accepting when descriptors run out */
  size_t memory;    /* of requests being received or answered */
  size_t processes; /* of clients, with --isolate */
  bool draining, polling;
  double drain_until, next_poll;
  serve_pool pool;    /* runs models */
  serve_pool readers; /* reads large requests meanwhile, so that the next batch is full */
  serve_repository repository;
  serve_shared shared;
  serve_token tokens[SERVE_TOKENS_MOST];
  unsigned token_count;
  serve_metrics metrics;
  double started;
  int log_fd;    /* of the access log, or -1 */
  char *scratch; /* owned: SERVE_SCRATCH bytes that connections receive into */
};

/* admit.c: checks before the body has arrived: 0, or the status of the refusal. */
int serve_admit(serve_exchange *exchange, uint64_t length);
TEN_MUST_USE ten_status *serve_tokens_read(serve_server *server, const char *path);

/* rest.c: answers a complete request. */
void serve_dispatch(serve_exchange *exchange);
/* rest_control.c: `path` is what follows "/v2/". */
void serve_rest_control(serve_exchange *exchange, char *path);
/* A JSON error, {"error": "…"}. */
void serve_rest_error(serve_exchange *exchange, int status, const char *format, ...) TEN_PRINTF(3, 4);
/* The REST status, and the gRPC code, of an error. */
int serve_http_status(const ten_status *status);
int serve_grpc_code(const ten_status *status);

/* grpc.c: a call begins; more of its messages have arrived (exchange->body); the client has sent all. */
void serve_grpc_begin(serve_exchange *exchange);
void serve_grpc_received(serve_exchange *exchange);
void serve_grpc_half_close(serve_exchange *exchange);

/* log.c */
void serve_log_access(const serve_exchange *exchange);

/* metrics.c: text for Prometheus, and the status page. */
void serve_metrics_print(serve_server *server, ten_buf *out);
void serve_page_print(serve_server *server, ten_buf *out);

/* listen.c */
TEN_MUST_USE ten_status *serve_listen(serve_server *server, const char *address, const char *scheme);
TEN_MUST_USE ten_status *serve_tls_open(serve_server *server);

/* The server's name and version for clients. */
extern const char *const serve_extensions[];
enum { SERVE_EXTENSION_COUNT = 6 };

#endif
