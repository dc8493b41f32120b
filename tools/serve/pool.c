/* pool.c: worker threads over one FIFO queue. */
#include "serve/pool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/clock.h"

static void take_out(serve_pool *pool, serve_job *job) {
  if (job->previous)
    job->previous->next = job->next;
  else
    pool->first = job->next;
  if (job->next)
    job->next->previous = job->previous;
  else
    pool->last = job->previous;
  job->next = job->previous = NULL;
  job->queued = false;
  pool->waiting--;
}

/* Adds the queued jobs that may run with the first; returns the total rows. */
static int64_t gather(serve_pool *pool, serve_job **jobs, size_t *count, int64_t rows) {
  const serve_batcher *batcher = jobs[0]->batcher;
  for (serve_job *job = pool->first, *next; job && rows < batcher->rows_most && *count < SERVE_BATCH_MOST; job = next) {
    next = job->next;
    if (job->batcher != batcher || job->batch_key != jobs[0]->batch_key || job->rows > batcher->rows_most - rows)
      continue;
    take_out(pool, job);
    jobs[(*count)++] = job;
    rows += job->rows;
  }
  return rows;
}

static void wait_until(serve_pool *pool, double when) {
  struct timespec time = {.tv_sec = (time_t)when, .tv_nsec = (long)((when - (double)(time_t)when) * 1e9)};
  (void)pthread_cond_timedwait(&pool->cond, &pool->mutex, &time);
}

static size_t take_batch(serve_pool *pool, serve_job **jobs) {
  size_t count = 1;
  jobs[0] = pool->first;
  take_out(pool, jobs[0]);
  const serve_batcher *batcher = jobs[0]->batcher;
  if (!batcher || batcher->rows_most < 2) return count;
  const double until = jobs[0]->queued_at + batcher->delay;
  int64_t rows = gather(pool, jobs, &count, jobs[0]->rows);
  while (rows < batcher->rows_most && count < SERVE_BATCH_MOST && !pool->stopped && ten_clock() < until) {
    pool->gathering++;
    wait_until(pool, until);
    pool->gathering--;
    rows = gather(pool, jobs, &count, rows);
  }
  return count;
}

static void *work(void *argument) {
  serve_pool *pool = argument;
  serve_job *jobs[SERVE_BATCH_MOST];
  pthread_mutex_lock(&pool->mutex);
  for (;;) {
    while (!pool->first && !pool->stopped) pthread_cond_wait(&pool->cond, &pool->mutex);
    if (!pool->first) break;
    const size_t count = take_batch(pool, jobs);
    pool->running += count;
    if (pool->first) pthread_cond_signal(&pool->cond);
    pthread_mutex_unlock(&pool->mutex);
    jobs[0]->run(jobs, count);
    pthread_mutex_lock(&pool->mutex);
    pool->running -= count;
    pthread_mutex_unlock(&pool->mutex);
    for (size_t i = 0; i < count; i++) serve_loop_post(pool->loop, &jobs[i]->post);
    pthread_mutex_lock(&pool->mutex);
  }
  pthread_mutex_unlock(&pool->mutex);
  return NULL;
}

ten_status *serve_pool_open(serve_pool *pool, serve_loop *loop, size_t threads, size_t queue) {
  *pool = (serve_pool){.loop = loop, .most = queue, .threads = ten_alloc(threads * sizeof(pthread_t))};
  pthread_condattr_t clock;
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_cond_init(&pool->cond, &clock);
  pthread_condattr_destroy(&clock);
  pthread_mutex_init(&pool->mutex, NULL);
  for (; pool->thread_count < threads; pool->thread_count++) {
    const int wrong = pthread_create(&pool->threads[pool->thread_count], NULL, work, pool);
    if (wrong) return ten_error(TEN_IO, "a thread cannot be started: %s", strerror(wrong));
  }
  return NULL;
}

void serve_pool_close(serve_pool *pool) {
  pthread_mutex_lock(&pool->mutex);
  pool->stopped = true;
  pthread_cond_broadcast(&pool->cond);
  pthread_mutex_unlock(&pool->mutex);
  for (size_t i = 0; i < pool->thread_count; i++) pthread_join(pool->threads[i], NULL);
  free(pool->threads);
  pthread_cond_destroy(&pool->cond);
  pthread_mutex_destroy(&pool->mutex);
}

bool serve_pool_add(serve_pool *pool, serve_job *job) {
  job->queued_at = ten_clock();
  job->pool = pool;
  job->next = NULL;
  pthread_mutex_lock(&pool->mutex);
  const bool room = pool->waiting < pool->most;
  if (room) {
    job->queued = true;
    job->previous = pool->last;
    if (pool->last)
      pool->last->next = job;
    else
      pool->first = job;
    pool->last = job;
    pool->waiting++;
    /* A thread that gathers a batch may consume the wake-up: wake an idle one, too. */
    if (pool->gathering)
      pthread_cond_broadcast(&pool->cond);
    else
      pthread_cond_signal(&pool->cond);
  }
  pthread_mutex_unlock(&pool->mutex);
  return room;
}

bool serve_pool_remove(serve_job *job) {
  serve_pool *pool = job->pool;
  pthread_mutex_lock(&pool->mutex);
  const bool there = job->queued;
  if (there) take_out(pool, job);
  job->cancelled = true;
  pthread_mutex_unlock(&pool->mutex);
  return there;
}

serve_job *serve_pool_expired(serve_pool *pool, double now) {
  serve_job *expired = NULL;
  pthread_mutex_lock(&pool->mutex);
  for (serve_job *job = pool->first, *next; job; job = next) {
    next = job->next;
    if (job->deadline <= 0 || job->deadline > now) continue;
    take_out(pool, job);
    job->next = expired;
    expired = job;
  }
  pthread_mutex_unlock(&pool->mutex);
  return expired;
}

void serve_pool_depth(serve_pool *pool, size_t *out_waiting, size_t *out_running) {
  pthread_mutex_lock(&pool->mutex);
  *out_waiting = pool->waiting;
  *out_running = pool->running;
  pthread_mutex_unlock(&pool->mutex);
}
