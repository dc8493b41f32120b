/* recover.h: handling of failed allocations. ten_alloc, ten_realloc and the arenas do not return NULL: they call
 * ten_out_of_memory, which jumps (longjmp) to the innermost recovery point of the thread. That function returns a
 * TEN_LIMIT status, as for any other error, and its callers release what they own on the way out
 * (docs/decisions/001-out-of-memory.md).
 *
 *   ten_status *ten_thing_load(..., ten_thing **out_thing) {
 *     *out_thing = NULL;
 *     TEN_RECOVER("loading a thing");
 *     ...
 *
 * 1. Every entry point that takes a caller's input sets one, and so does every thread. Without one the process
 *    ends.
 * 2. Frames between the point and the allocation are skipped: their local tables leak, and nothing else may. A
 *    ten_mutex locked since the point is unlocked, so its data must be consistent at each allocation.
 * 3. No foreign frames may be skipped: a callback that LLVM, Python, a plugin or pthread_once calls must set its own
 *    point before it allocates. */
#ifndef TEN_BASE_RECOVER_H
#define TEN_BASE_RECOVER_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

#include "tenfold/status.h"

typedef struct ten_recovery {
  jmp_buf place;
  struct ten_recovery *outer;
  const char *what; /* for the message: "compiling" */
  size_t locks;     /* how many mutexes this thread held */
  size_t wanted;    /* after a failure: the size of the allocation in bytes */
} ten_recovery;

void ten_recovery_enter(ten_recovery *recovery, const char *what);
void ten_recovery_leave(ten_recovery *recovery); /* also after a jump */
/* Drops the points set after this one: for callers that jumped past them by other means. */
void ten_recovery_return_to(ten_recovery *recovery);
/* The error; allocates only if memory is available. */
TEN_MUST_USE TEN_NEVER_NULL ten_status *ten_recovery_status(const ten_recovery *recovery);

/* From here to the end of the function, a failed allocation makes the function return the error; outputs
 * that it wrote stay. What it owns leaks: where that matters, call the failing part through ten_recover. */
#define TEN_RECOVER(what)            \
  TEN_RECOVERY(ten_recovery_, what); \
  if (_setjmp(ten_recovery_.place)) return ten_recovery_status(&ten_recovery_)
/* The same for a function that returns something else. */
#define TEN_RECOVER_AS(what, value)  \
  TEN_RECOVERY(ten_recovery_, what); \
  if (_setjmp(ten_recovery_.place)) return value
#define TEN_RECOVERY(name, what)                                  \
  ten_recovery name __attribute__((cleanup(ten_recovery_leave))); \
  ten_recovery_enter(&name, what)

/* Calls body(argument) and returns its failed allocations as an error: for callers that must clean up afterwards. */
typedef ten_status *(*ten_recover_body)(void *argument);
TEN_MUST_USE ten_status *ten_recover(const char *what, ten_recover_body body, void *argument);

/* Jumps to the innermost recovery point of this thread. */
_Noreturn void ten_out_of_memory(size_t size);

#endif
