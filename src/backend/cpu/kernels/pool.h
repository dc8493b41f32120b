/* pool.h: the threads that run a program. Workers spin for a short while, then sleep; the caller works too. Tasks of
 * one run are independent and each writes its own part of the output, so results do not depend on the number of
 * threads.
 *
 * Everything under src/backend/cpu/kernels stands alone (libc and pthreads only): it is also linked into exported
 * shared objects. */
#ifndef TEN_CPU_KERNELS_POOL_H
#define TEN_CPU_KERNELS_POOL_H

#include <stdint.h>

typedef struct ten_pool ten_pool;

/* `threads` includes the caller; 0: one per CPU available to the process. NULL when threads cannot be started: run
 without. */
ten_pool *ten_pool_create(unsigned threads);
void ten_pool_destroy(ten_pool *pool);
unsigned ten_pool_threads(const ten_pool *pool); /* 1 for NULL */

/* Calls task(context, i, thread) for every i below count, thread < ten_pool_threads. Returns when all are done. A task
 * must not call ten_pool_run on the same pool. One run at a time: a second caller waits. */
typedef void (*ten_task)(void *context, int64_t i, unsigned thread);
void ten_pool_run(ten_pool *pool, ten_task task, void *context, int64_t count);

/* Told of each run that the calling thread makes while it watches: when a worker (thread > 0, by the system's number
 * `id`) took its first task and ended its last, in seconds of CLOCK_MONOTONIC. On the thread that made the run. Costs a
 * reading of the clock for each task. */
typedef struct ten_pool_watch {
  void (*worked)(void *user, uint32_t step, unsigned thread, uint32_t id, double start, double end);
  void *user;
  uint32_t step; /* what the runs are for: passed on */
} ten_pool_watch;
void ten_pool_watch_set(const ten_pool_watch *watch); /* of the calling thread; borrowed; NULL: no more */

/* The task that this thread likely gets after the index-th of `count`: half of the threads come from the end. For
 * memory that is prefetched; nothing else may rely on it. */
static inline int64_t ten_pool_next(int64_t index, int64_t count, unsigned thread) {
  return (index + (thread % 2 ? count - 1 : 1)) % count;
}

#endif
