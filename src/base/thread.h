/* thread.h: mutex, condition, once, and a parallel loop. A thin layer over POSIX threads, so that another system needs
 * one new file. Locking does not fail: its errors are bugs of the caller and are asserted.
 *
 * After a fork the child has one thread. A mutex that another thread held at that moment would stay locked for ever, so
 * the child's first use of a mutex reinitializes it. The guarded data may then be half changed: writers publish each
 * change with its last store, or set a busy flag that makes the child fail. */
#ifndef TEN_BASE_THREAD_H
#define TEN_BASE_THREAD_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "tenfold/status.h"

typedef struct ten_mutex {
  pthread_mutex_t mutex;
  uint32_t forks; /* ten_forks() when it was initialized; all zeros is an unlocked mutex */
} ten_mutex;
typedef pthread_cond_t ten_cond;
typedef pthread_once_t ten_once;
#define TEN_MUTEX_INIT {PTHREAD_MUTEX_INITIALIZER, 0}
#define TEN_COND_INIT PTHREAD_COND_INITIALIZER
#define TEN_ONCE_INIT PTHREAD_ONCE_INIT

/* The number of forks between the process that loaded the library and this one: a thread started at another count does
 * not exist in this process. */
uint32_t ten_forks(void);

void ten_mutex_init(ten_mutex *mutex);
void ten_mutex_destroy(ten_mutex *mutex);
void ten_mutex_lock(ten_mutex *mutex);
void ten_mutex_unlock(ten_mutex *mutex);
/* The same around code that allocates nothing: not recorded for recovery; for calls of a microsecond. */
void ten_mutex_lock_leaf(ten_mutex *mutex);
void ten_mutex_unlock_leaf(ten_mutex *mutex);
/* How many mutexes this thread holds; and unlocking the latest until `count` are left (recover.h). */
size_t ten_mutexes_held(void);
void ten_mutexes_unlock(size_t count);
void ten_cond_init(ten_cond *cond);
void ten_cond_destroy(ten_cond *cond);
void ten_cond_wait(ten_cond *cond, ten_mutex *mutex);
void ten_cond_signal(ten_cond *cond);
void ten_cond_broadcast(ten_cond *cond);
/* Runs `function` the first time; concurrent callers wait until it is done. */
void ten_once_run(ten_once *once, void (*function)(void));

/* A thread with a stack of `stack_size` bytes (0: the system's choice). */
typedef struct ten_thread {
  pthread_t id;
  uint32_t forks; /* ten_forks() when it was started */
} ten_thread;
TEN_MUST_USE ten_status *ten_thread_start(size_t stack_size, void *(*function)(void *), void *argument,
                                          ten_thread *out_thread);
/* NULL for a thread of the parent process, before a fork. */
void *ten_thread_join(ten_thread thread);

/* How many processors this process may use, at least 1. */
size_t ten_cpu_count(void);

/* Calls body(user, i, worker) once for each i < count, on up to `threads` threads (0: one for each processor); the
 * caller's is one of them. Indices are handed out in order, one at a time. `worker` is less than the number of threads.
 * Returns when all calls have. When the system gives fewer threads than requested, those do all the work.
 * When an allocation in a call fails, no further call starts, and the caller fails too (recover.h). */
typedef void (*ten_parallel_body)(void *user, size_t index, size_t worker);
void ten_parallel_for(size_t count, size_t threads, ten_parallel_body body, void *user);

#endif
