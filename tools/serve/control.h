/* control.h: loading and unloading models for clients, on a worker's thread. */
#ifndef TEN_SERVE_CONTROL_H
#define TEN_SERVE_CONTROL_H

#include "serve/server.h"

/* `done` is called on the loop's thread and owns the status; TEN_UNSUPPORTED: clients may not (--allow-load). */
typedef void (*serve_control_done)(serve_exchange *exchange, ten_status *status);
void serve_control_start(serve_exchange *exchange, const char *name, bool load, serve_control_done done);
/* Polls the repository for changes, unless a poll is in progress. */
void serve_control_poll(serve_server *server);

#endif
