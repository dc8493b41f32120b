/* pool.c: a run is one generation number, bumped by the caller; workers that see it change take indices from a shared
 * counter until none are left: even threads from the front, odd ones from the back. Launches of one program go over the
 * same rows repeatedly, so that much of what a thread reads is in the cache of its core. The counter holds the
 * generation in its high bits, so that a late worker can never take an index of the next run; a worker that sleeps
 * through a run is not waited for.
 *
 * A worker spins SPIN_NS after its last task before it sleeps on the futex-backed condition: launches of one program
 * follow each other within microseconds, and a wake-up costs tens of them.
 *
 * A fork leaves the child without the workers, and with the parent's run in whatever state it was. The child's first
 * run on a pool restarts it: counters from zero, new locks, new workers. */
#include "backend/cpu/kernels/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SPIN_NS = 200000, SPIN_CHECK = 64 };

/* Of one worker, during a run that is watched. */
typedef struct pool_span {
  _Alignas(64) double start, end; /* 0: it took no task */
  uint32_t id;
} pool_span;

struct ten_pool {
  unsigned threads;                   /* constant: callers size their scratch memory by it */
  unsigned started;                   /* running workers; without any the caller does all the work */
  _Atomic uint32_t forks;             /* of the process that they run in */
  pthread_t *workers;                 /* threads - 1, owned */
  _Alignas(64) _Atomic uint64_t next; /* generation << 40 | taken from the back << 20 | taken from the front */
  _Alignas(64) _Atomic uint32_t generation;
  _Alignas(64) _Atomic int64_t done; /* tasks of this generation that have finished */
  _Atomic bool stop;
  _Atomic uint32_t sleepers;
  ten_task task;
  void *context;
  int64_t first; /* index of the first task */
  _Atomic int64_t count;
  bool watched;     /* set with `task` */
  pool_span *spans; /* by thread, owned; NULL: runs cannot be watched */
  pthread_mutex_t lock, run_lock;
  pthread_cond_t wake;
};

typedef struct worker_start {
  ten_pool *pool;
  unsigned thread;
} worker_start;

static void relax(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb" ::: "memory");
#endif
}

static int64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static double now(void) { return (double)now_ns() * 1e-9; }

enum { END_BITS = 20, INDEX_BITS = 2 * END_BITS, MOST_TASKS = (1 << END_BITS) - 1 };
#define INDEX_MASK ((UINT64_C(1) << INDEX_BITS) - 1)

static void take_tasks(ten_pool *pool, uint32_t generation, unsigned thread) {
  const uint64_t mine = (uint64_t)(generation & 0xffffff) << INDEX_BITS;
  uint64_t at = atomic_load_explicit(&pool->next, memory_order_acquire);
  for (;;) {
    if ((at & ~INDEX_MASK) != mine) return;
    const int64_t front = (int64_t)(at & MOST_TASKS), back = (int64_t)(at >> END_BITS & MOST_TASKS);
    const int64_t count = atomic_load_explicit(&pool->count, memory_order_acquire);
    if (front + back >= count) return;
    const uint64_t step = thread % 2 ? UINT64_C(1) << END_BITS : 1;
    if (!atomic_compare_exchange_weak_explicit(&pool->next, &at, at + step, memory_order_acq_rel, memory_order_acquire))
      continue;
    /* the index is ours, so the run, and these fields, wait for us */
    pool_span *span = pool->watched ? &pool->spans[thread] : NULL;
    if (span && span->end == 0) span->start = now();
    pool->task(pool->context, pool->first + (thread % 2 ? count - 1 - back : front), thread);
    if (span) span->end = now();
    atomic_fetch_add_explicit(&pool->done, 1, memory_order_acq_rel);
    at = atomic_load_explicit(&pool->next, memory_order_acquire);
  }
}

static bool wait_for_work(ten_pool *pool, uint32_t seen) {
  const int64_t until = now_ns() + SPIN_NS;
  for (unsigned spin = 1;; spin++) {
    if (atomic_load_explicit(&pool->generation, memory_order_acquire) != seen) return true;
    if (atomic_load_explicit(&pool->stop, memory_order_acquire)) return false;
    relax();
    if (spin % SPIN_CHECK == 0 && now_ns() > until) break;
  }
  pthread_mutex_lock(&pool->lock);
  atomic_fetch_add(&pool->sleepers, 1);
  while (atomic_load(&pool->generation) == seen && !atomic_load(&pool->stop))
    pthread_cond_wait(&pool->wake, &pool->lock);
  atomic_fetch_sub(&pool->sleepers, 1);
  pthread_mutex_unlock(&pool->lock);
  return !atomic_load(&pool->stop);
}

static _Atomic uint32_t forks;                               /* fork generation of this process */
static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER; /* held across a fork: no pool is half started */

static void fork_before(void) { pthread_mutex_lock(&starting); }
static void fork_in_parent(void) { pthread_mutex_unlock(&starting); }
static void fork_in_child(void) {
  atomic_fetch_add(&forks, 1);
  pthread_mutex_unlock(&starting);
}

static void watch_forks(void) { pthread_atfork(fork_before, fork_in_parent, fork_in_child); }

static bool is_ours(const ten_pool *pool) {
  return atomic_load_explicit(&pool->forks, memory_order_acquire) == atomic_load_explicit(&forks, memory_order_relaxed);
}

static void *worker(void *argument) {
  const worker_start start = *(worker_start *)argument;
  free(argument);
  ten_pool *pool = start.pool;
  uint32_t seen = 0;
  if (pool->spans) pool->spans[start.thread].id = (uint32_t)syscall(SYS_gettid);
  while (wait_for_work(pool, seen)) {
    seen = atomic_load_explicit(&pool->generation, memory_order_acquire);
    take_tasks(pool, seen, start.thread);
  }
  return NULL;
}

static unsigned usable_cpus(void) {
  cpu_set_t set;
  if (!sched_getaffinity(0, sizeof set, &set)) {
    const int count = CPU_COUNT(&set);
    if (count > 0) return (unsigned)count;
  }
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (unsigned)online : 1;
}

/* Starts workers for a pool that has none, as many as the system allows. */
static void pool_start(ten_pool *pool) {
  pthread_mutex_init(&pool->lock, NULL);
  pthread_mutex_init(&pool->run_lock, NULL);
  pthread_cond_init(&pool->wake, NULL);
  atomic_store(&pool->next, 0);
  atomic_store(&pool->generation, 0);
  atomic_store(&pool->done, 0);
  atomic_store(&pool->sleepers, 0);
  atomic_store(&pool->count, 0);
  pool->started = 0;
  for (unsigned i = 1; i < pool->threads; i++) {
    worker_start *start = malloc(sizeof *start);
    if (!start) break;
    *start = (worker_start){pool, i};
    if (pthread_create(&pool->workers[i - 1], NULL, worker, start)) {
      free(start);
      break;
    }
    pool->started = i;
  }
}

ten_pool *ten_pool_create(unsigned threads) {
  static pthread_once_t watched = PTHREAD_ONCE_INIT;
  pthread_once(&watched, watch_forks);
  if (!threads) threads = usable_cpus();
  ten_pool *pool = aligned_alloc(64, (sizeof *pool + 63) / 64 * 64);
  if (!pool) return NULL;
  *pool = (ten_pool){.workers = calloc(threads, sizeof *pool->workers),
                     .spans = aligned_alloc(_Alignof(pool_span), threads * sizeof *pool->spans)};
  for (unsigned i = 0; pool->spans && i < threads; i++) pool->spans[i] = (pool_span){0};
  pool->threads = pool->workers ? threads : 1;
  pthread_mutex_lock(&starting);
  pool_start(pool);
  pool->threads = pool->started + 1;
  atomic_store(&pool->forks, atomic_load(&forks));
  pthread_mutex_unlock(&starting);
  return pool;
}

static void start_again(ten_pool *pool) {
  pthread_mutex_lock(&starting);
  if (!is_ours(pool)) {
    pool_start(pool);
    atomic_store_explicit(&pool->forks, atomic_load(&forks), memory_order_release);
  }
  pthread_mutex_unlock(&starting);
}

void ten_pool_destroy(ten_pool *pool) {
  if (!pool) return;
  if (is_ours(pool)) { /* otherwise its threads belong to another process */
    pthread_mutex_lock(&pool->lock);
    atomic_store(&pool->stop, true);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < pool->started; i++) pthread_join(pool->workers[i], NULL);
    pthread_mutex_destroy(&pool->lock);
    pthread_mutex_destroy(&pool->run_lock);
    pthread_cond_destroy(&pool->wake);
  }
  free(pool->workers);
  free(pool->spans);
  free(pool);
}

unsigned ten_pool_threads(const ten_pool *pool) { return pool ? pool->threads : 1; }

static _Thread_local const ten_pool_watch *watch;

void ten_pool_watch_set(const ten_pool_watch *now_watch) { watch = now_watch; }

static void report_spans(const ten_pool *pool) {
  for (unsigned i = 1; i < pool->threads; i++) {
    const pool_span *span = &pool->spans[i];
    if (span->end > 0) watch->worked(watch->user, watch->step, i, span->id, span->start, span->end);
  }
}

static void run_some(ten_pool *pool, ten_task task, void *context, int64_t first, int64_t count) {
  const uint32_t generation = atomic_load_explicit(&pool->generation, memory_order_relaxed) + 1;
  /* Close the counter first: a late worker that reads the new count together with the old index must fail to take it.
   */
  atomic_store(&pool->next, (uint64_t)(generation & 0xffffff) << INDEX_BITS | INDEX_MASK);
  pool->task = task;
  pool->context = context;
  pool->first = first;
  atomic_store_explicit(&pool->done, 0, memory_order_relaxed);
  atomic_store_explicit(&pool->count, count, memory_order_release);
  atomic_store_explicit(&pool->next, (uint64_t)(generation & 0xffffff) << INDEX_BITS, memory_order_release);
  atomic_store(&pool->generation, generation);
  if (atomic_load(&pool->sleepers)) {
    pthread_mutex_lock(&pool->lock);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
  }
  take_tasks(pool, generation, 0);
  while (atomic_load_explicit(&pool->done, memory_order_acquire) < count) relax();
}

void ten_pool_run(ten_pool *pool, ten_task task, void *context, int64_t count) {
  if (count <= 0) return;
  if (!pool || pool->threads == 1 || count == 1) {
    for (int64_t i = 0; i < count; i++) task(context, i, 0);
    return;
  }
  if (!is_ours(pool)) start_again(pool);
  pthread_mutex_lock(&pool->run_lock);
  pool->watched = watch && pool->spans;
  for (unsigned i = 0; pool->watched && i < pool->threads; i++) pool->spans[i].start = pool->spans[i].end = 0;
  for (int64_t first = 0; first < count; first += MOST_TASKS)
    run_some(pool, task, context, first, count - first < MOST_TASKS ? count - first : MOST_TASKS);
  if (pool->watched) report_spans(pool);
  pthread_mutex_unlock(&pool->run_lock);
}
