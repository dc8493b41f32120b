/* workers.h: distributes work to processes, so that a crash or hang costs only its own item. */
#ifndef TEN_CLI_WORKERS_H
#define TEN_CLI_WORKERS_H

#include "base/str.h"

typedef struct cli_work {
  size_t count, jobs; /* items; processes, 0: one for each processor */
  double seconds;     /* time limit of an item; 0: none */
  void *user;
  void (*run)(void *user, size_t index, ten_buf *result); /* in a separate process, forked from this one */
  /* In this process, as items end, in any order. `died`: how the worker ended before it had a result, else NULL. */
  void (*done)(void *user, size_t index, ten_str result, const char *died);
} cli_work;

/* No other thread may run meanwhile: locks that it held would stay locked in the workers. */
TEN_MUST_USE ten_status *cli_work_all(const cli_work *work);

#endif
