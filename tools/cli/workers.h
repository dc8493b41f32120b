/* workers.h: work shared out to processes, so that one that crashes or hangs costs its own item and nothing else. */
#ifndef TEN_CLI_WORKERS_H
#define TEN_CLI_WORKERS_H

#include "base/str.h"

typedef struct cli_work {
  size_t count, jobs; /* items; processes, 0: one for each processor */
  double seconds;     /* an item may take; 0: as long as it likes */
  void *user;
  void (*run)(void *user, size_t index, ten_buf *result); /* in a process of its own, forked from this one */
  /* In this process, as items end, in any order. `died`: how the worker ended before it had a result, else NULL. */
  void (*done)(void *user, size_t index, ten_str result, const char *died);
} cli_work;

/* No other thread may run meanwhile: what it held would stay locked in the workers. */
TEN_MUST_USE ten_status *cli_work_all(const cli_work *work);

#endif
