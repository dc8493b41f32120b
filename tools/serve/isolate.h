/* isolate.h: programs of a client in a process of its own (--isolate): it has the client's tables, is limited in memory
 * and in what it may ask of the system, and is killed when it takes too long. The server talks to it over a socket. */
#ifndef TEN_SERVE_ISOLATE_H
#define TEN_SERVE_ISOLATE_H

#include "serve/options.h"
#include "serve/session.h"

typedef struct serve_worker serve_worker;

/* One request for the process, and what came back. */
typedef struct serve_question {
  serve_op_kind kind;
  const void *request; /* packed; NULL: of an upload */
  size_t size;
  ten_tensor *tensor; /* of an upload; retained: what a download gives */
  size_t room;        /* bytes that arrays may take */
  char *answer;       /* owned by the caller: packed */
  size_t answer_size;
  size_t bytes; /* that arrays take now */
} serve_question;

TEN_MUST_USE ten_status *serve_worker_start(const serve_options *options, serve_worker **out_worker);
/* Any thread; waits, also for the questions of others. After an error that serve_worker_is_dead tells, the process and
 * all it had are gone. */
TEN_MUST_USE ten_status *serve_worker_ask(serve_worker *worker, serve_question *question);
bool serve_worker_is_dead(serve_worker *worker);
/* Ends the process; whoever asks is told. */
void serve_worker_kill(serve_worker *worker);
void serve_worker_free(serve_worker *worker); /* NULL is fine */

/* What the process runs: `argv` is what serve_worker_start gave it. */
int serve_isolated_main(int argc, char **argv);
#define SERVE_ISOLATED "--isolated"

#endif
