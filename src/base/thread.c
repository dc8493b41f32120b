/* thread.c: mutex, condition, once, and a parallel loop, over POSIX threads. */
#include "base/thread.h"

#include <assert.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/thread_own.h"

enum { WORKER_STACK = 16 << 20 }; /* walks of nested programs recurse; untouched pages of the stack cost nothing */

/* `result` is checked in every build: a lock that failed silently is worse than an abort. */
static void must(int result) {
  assert(!result);
  if (result) abort();
}

static atomic_uint forks;
static pthread_mutex_t renewing = PTHREAD_MUTEX_INITIALIZER; /* held across a fork: no reset is half done */

static void fork_before(void) { pthread_mutex_lock(&renewing); }
static void fork_in_parent(void) { pthread_mutex_unlock(&renewing); }
static void fork_in_child(void) {
  atomic_fetch_add_explicit(&forks, 1, memory_order_relaxed);
  pthread_mutex_unlock(&renewing);
}

__attribute__((constructor)) static void watch_forks(void) {
  pthread_atfork(fork_before, fork_in_parent, fork_in_child);
}

uint32_t ten_forks(void) { return atomic_load_explicit(&forks, memory_order_relaxed); }

static bool is_ours(const ten_mutex *mutex) { return __atomic_load_n(&mutex->forks, __ATOMIC_ACQUIRE) == ten_forks(); }

/* The thread that may hold it does not exist in this process. */
static void mutex_renew(ten_mutex *mutex) {
  must(pthread_mutex_lock(&renewing));
  if (!is_ours(mutex)) {
    must(pthread_mutex_init(&mutex->mutex, NULL));
    __atomic_store_n(&mutex->forks, ten_forks(), __ATOMIC_RELEASE);
  }
  must(pthread_mutex_unlock(&renewing));
}

void ten_mutex_init(ten_mutex *mutex) {
  must(pthread_mutex_init(&mutex->mutex, NULL));
  mutex->forks = ten_forks();
}

void ten_mutex_destroy(ten_mutex *mutex) {
  if (is_ours(mutex)) must(pthread_mutex_destroy(&mutex->mutex));
}

static _Thread_local ten_thread_own own;

ten_thread_own *ten_thread_own_get(void) { return &own; }

void ten_mutex_lock_leaf(ten_mutex *mutex) {
  if (!is_ours(mutex)) mutex_renew(mutex);
  must(pthread_mutex_lock(&mutex->mutex));
}

void ten_mutex_unlock_leaf(ten_mutex *mutex) { must(pthread_mutex_unlock(&mutex->mutex)); }

void ten_mutex_lock(ten_mutex *mutex) {
  ten_mutex_lock_leaf(mutex);
  ten_thread_own *mine = &own;
  must(mine->held_count == TEN_MUTEXES_MOST);
  mine->held[mine->held_count++] = mutex;
}

void ten_mutex_unlock(ten_mutex *mutex) {
  ten_thread_own *mine = &own;
  size_t at = mine->held_count;
  while (at && mine->held[at - 1] != mutex) at--;
  if (at) mine->held_count--;
  for (; at && at <= mine->held_count; at++) mine->held[at - 1] = mine->held[at];
  ten_mutex_unlock_leaf(mutex);
}

size_t ten_mutexes_held(void) { return own.held_count; }

void ten_mutexes_unlock(size_t count) {
  while (own.held_count > count) ten_mutex_unlock(own.held[own.held_count - 1]);
}

void ten_cond_init(ten_cond *cond) { must(pthread_cond_init(cond, NULL)); }
void ten_cond_destroy(ten_cond *cond) { must(pthread_cond_destroy(cond)); }
void ten_cond_wait(ten_cond *cond, ten_mutex *mutex) { must(pthread_cond_wait(cond, &mutex->mutex)); }
void ten_cond_signal(ten_cond *cond) { must(pthread_cond_signal(cond)); }
void ten_cond_broadcast(ten_cond *cond) { must(pthread_cond_broadcast(cond)); }
void ten_once_run(ten_once *once, void (*function)(void)) { must(pthread_once(once, function)); }

ten_status *ten_thread_start(size_t stack_size, void *(*function)(void *), void *argument, ten_thread *out_thread) {
  pthread_attr_t attributes;
  must(pthread_attr_init(&attributes));
  int code = stack_size ? pthread_attr_setstacksize(&attributes, stack_size) : 0;
  if (!code) code = pthread_create(&out_thread->id, &attributes, function, argument);
  pthread_attr_destroy(&attributes);
  out_thread->forks = ten_forks();
  return code ? ten_error(TEN_LIMIT, "starting a thread: %s", strerror(code)) : NULL;
}

void *ten_thread_join(ten_thread thread) {
  void *result = NULL;
  if (thread.forks == ten_forks()) must(pthread_join(thread.id, &result));
  return result;
}

size_t ten_cpu_count(void) {
#if defined(__linux__)
  cpu_set_t set;
  if (!sched_getaffinity(0, sizeof set, &set)) {
    const int count = CPU_COUNT(&set);
    if (count > 0) return (size_t)count;
  }
#endif
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (size_t)online : 1;
}

typedef struct parallel_loop {
  ten_parallel_body body;
  void *user;
  size_t count;
  atomic_size_t next;
  atomic_size_t failed; /* the size of a failed allocation; 0: none */
} parallel_loop;

typedef struct parallel_worker {
  parallel_loop *loop;
  size_t number;
  ten_thread thread;
} parallel_worker;

static void worker_loop(const parallel_worker *worker) {
  parallel_loop *loop = worker->loop;
  while (!atomic_load_explicit(&loop->failed, memory_order_relaxed)) {
    const size_t index = atomic_fetch_add_explicit(&loop->next, 1, memory_order_relaxed);
    if (index >= loop->count) return;
    loop->body(loop->user, index, worker->number);
  }
}

/* A failed allocation cannot leave its thread; the caller reports it once all threads have finished. */
static void *worker_run(void *argument) {
  const parallel_worker *worker = argument;
  TEN_RECOVERY(recovery, "working in parallel");
  if (_setjmp(recovery.place))
    atomic_store(&worker->loop->failed, recovery.wanted ? recovery.wanted : 1);
  else
    worker_loop(worker);
  return NULL;
}

void ten_parallel_for(size_t count, size_t threads, ten_parallel_body body, void *user) {
  if (!threads) threads = ten_cpu_count();
  if (threads > count) threads = count;
  if (!threads) return;
  parallel_loop loop = {.body = body, .user = user, .count = count};
  atomic_init(&loop.next, 0);
  atomic_init(&loop.failed, 0);
  parallel_worker *workers = ten_alloc(threads * sizeof *workers);
  size_t started = 1;
  for (; started < threads; started++) {
    workers[started] = (parallel_worker){.loop = &loop, .number = started};
    ten_status *status = ten_thread_start(WORKER_STACK, worker_run, &workers[started], &workers[started].thread);
    if (!status) continue;
    ten_status_free(status); /* fewer threads, same work */
    break;
  }
  workers[0] = (parallel_worker){.loop = &loop};
  worker_run(&workers[0]);
  for (size_t i = 1; i < started; i++) ten_thread_join(workers[i].thread);
  free(workers);
  const size_t failed = atomic_load(&loop.failed);
  if (failed) ten_out_of_memory(failed);
}
