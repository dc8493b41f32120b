/* thread_own.h: what each thread has of its own: the recovery points it set (recover.c), and the mutexes it holds in
 * the order they were locked (thread.c). One struct, because finding a thread's variable costs a call in a shared
 * library.
 */
#ifndef TEN_BASE_THREAD_OWN_H
#define TEN_BASE_THREAD_OWN_H

#include "base/recover.h"
#include "base/thread.h"

enum { TEN_MUTEXES_MOST = 16 };

typedef struct ten_thread_own {
  ten_recovery *innermost;
  size_t held_count;
  ten_mutex *held[TEN_MUTEXES_MOST];
} ten_thread_own;

ten_thread_own *ten_thread_own_get(void);

#endif
