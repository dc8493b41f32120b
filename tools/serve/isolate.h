/* isolate.h: runs a client's programs in a separate process (--isolate): it holds the client's tables, is limited in
 * memory and in system calls, and is killed when it takes too long. The server talks to it over a socket. */
#ifndef TEN_SERVE_ISOLATE_H
#define TEN_SERVE_ISOLATE_H

#include "serve/options.h"
#include "serve/session.h"

typedef struct serve_worker serve_worker;

/* One request for the process, and its answer. */
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
/* From any thread; blocks, also for requests of other threads. After an error for which serve_worker_is_dead is true,
 * the process and its objects are gone. */
TEN_MUST_USE ten_status *serve_worker_ask(serve_worker *worker, serve_question *question);
bool serve_worker_is_dead(serve_worker *worker);
/* Ends the process; waiting requests get an error. */
void serve_worker_kill(serve_worker *worker);
void serve_worker_free(serve_worker *worker); /* NULL is fine */

/* The main function of the process: `argv` is what serve_worker_start passed. */
int serve_isolated_main(int argc, char **argv);
#define SERVE_ISOLATED "--isolated"

#endif
