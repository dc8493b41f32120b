/* pool.h: threads that run requests, and their queue. Queued jobs of one batcher may be run together. */
#ifndef TEN_SERVE_POOL_H
#define TEN_SERVE_POOL_H

#include "serve/loop.h"

typedef struct serve_job serve_job;
typedef struct serve_batcher serve_batcher;

struct serve_batcher {
  int64_t rows_most; /* of a batch */
  double delay;      /* seconds that the first job of a batch waits for others */
};

enum { SERVE_BATCH_MOST = 256 }; /* jobs of a batch */

struct serve_job {
  serve_post post; /* first: the post that returns it to the loop */
  serve_job *next, *previous;
  struct serve_pool *pool; /* the one it was or will be added to */
  bool queued;
  bool cancelled;               /* under the pool's mutex */
  double deadline;              /* by ten_clock; 0: none */
  double queued_at;             /* by ten_clock */
  const serve_batcher *batcher; /* NULL: runs alone */
  uint64_t batch_key;           /* only jobs of one key run together */
  int64_t rows;
  /* On a worker's thread: jobs[0] contains this function, the others have the same batcher and key. The pool posts each
   * of them to the loop afterwards. */
  void (*run)(serve_job **jobs, size_t count);
};

typedef struct serve_pool {
  serve_loop *loop;
  pthread_mutex_t mutex;
  pthread_cond_t cond;
  serve_job *first, *last; /* under the mutex, as all below */
  size_t waiting, running, most;
  size_t gathering; /* threads that wait for a batch to fill */
  bool stopped;
  pthread_t *threads; /* owned */
  size_t thread_count;
} serve_pool;

TEN_MUST_USE ten_status *serve_pool_open(serve_pool *pool, serve_loop *loop, size_t threads, size_t queue);
/* Waits for running jobs. */
void serve_pool_close(serve_pool *pool);
/* False: the queue is full. */
bool serve_pool_add(serve_pool *pool, serve_job *job);
/* Removes a job from its queue if it is still there: true, and it will neither run nor be posted. */
bool serve_pool_remove(serve_job *job);
/* Removes jobs whose deadline has passed: a list by `next`. */
serve_job *serve_pool_expired(serve_pool *pool, double now);
void serve_pool_depth(serve_pool *pool, size_t *out_waiting, size_t *out_running);

#endif
