/* control.c: changes of the repository, one at a time on a worker's thread. */
#include "serve/control.h"

#include <stdlib.h>

typedef struct control {
  serve_job job; /* first */
  serve_server *server;
  serve_exchange *exchange; /* retained; NULL: poll the folder */
  char *name;               /* owned */
  bool load;
  serve_control_done done;
  ten_status *status;
} control;

static ten_status *change(void *argument) {
  control *c = argument;
  if (!c->exchange) return serve_repository_scan(&c->server->repository);
  return c->load ? serve_repository_load(&c->server->repository, c->name)
                 : serve_repository_unload(&c->server->repository, c->name);
}

static void control_run(serve_job **jobs, size_t count) {
  for (size_t i = 0; i < count; i++) {
    control *c = (control *)jobs[i];
    c->status = ten_recover("changing the repository", change, c);
  }
}

static void control_end(serve_post *post) {
  control *c = (control *)post;
  if (c->exchange) {
    serve_conn *conn = c->exchange->conn;
    c->done(c->exchange, c->status);
    serve_exchange_release(c->exchange);
    serve_conn_resume(conn);
  } else {
    ten_status_free(c->status);
    c->server->polling = false;
  }
  free(c->name);
  free(c);
}

static void start(control *c) {
  c->job.post.run = control_end;
  c->job.run = control_run;
  if (serve_pool_add(&c->server->pool, &c->job)) return;
  c->status = ten_error(TEN_LIMIT, "the queue is full; try again later");
  control_end(&c->job.post);
}

void serve_control_start(serve_exchange *exchange, const char *name, bool load, serve_control_done done) {
  if (!exchange->server->options.allow_load) {
    done(exchange, ten_error(TEN_UNSUPPORTED, "clients may not load models; start the server with --allow-load"));
    return;
  }
  control *c = ten_alloc(sizeof *c);
  *c =
      (control){.server = exchange->server, .exchange = exchange, .name = ten_strdup(name), .load = load, .done = done};
  serve_exchange_retain(exchange);
  start(c);
}

void serve_control_poll(serve_server *server) {
  if (server->polling) return;
  server->polling = true;
  control *c = ten_alloc(sizeof *c);
  *c = (control){.server = server};
  start(c);
}
