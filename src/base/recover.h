/* recover.h: what a failed allocation leads to. ten_alloc, ten_realloc and the arenas do not return NULL: they call
 * ten_out_of_memory, which jumps (longjmp) to the innermost recovery point of the thread. That function returns a
 * TEN_LIMIT status, as for any other error, and its callers release what they own on the way out
 * (docs/decisions/001-out-of-memory.md).
 *
 *   ten_status *ten_thing_load(..., ten_thing **out_thing) {
 *     *out_thing = NULL;
 *     TEN_RECOVER("loading a thing");
 *     ...
 *
 * 1. Every function through which a caller hands in input sets one, and so does every thread. Without one the process
 *    ends.
 * 2. What lies between the point and the allocation is skipped: its local tables are lost (a leak), nothing else may
 *    be. A ten_mutex that was locked since is unlocked, so what it guards must be whole at each allocation.
 * 3. Nobody else's frames may lie between: no callback that LLVM, Python, a plugin or pthread_once calls may allocate
 *    without a point of its own. */
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
  size_t wanted;    /* once it failed: how many bytes */
} ten_recovery;

void ten_recovery_enter(ten_recovery *recovery, const char *what);
void ten_recovery_leave(ten_recovery *recovery); /* also after a jump */
/* Drops the points that were set after this one: for who jumped past them in a way of its own. */
void ten_recovery_return_to(ten_recovery *recovery);
/* The error; allocates only if there is memory for it. */
TEN_MUST_USE TEN_NEVER_NULL ten_status *ten_recovery_status(const ten_recovery *recovery);

/* From here to the end of the function, a failed allocation makes it return the error; what the function wrote to its
 * outputs stays. What it owns then is
 * lost: where that matters, ten_recover calls the part that fails. */
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

/* body(argument), whose failed allocations are its error: for who has things to release afterwards. */
typedef ten_status *(*ten_recover_body)(void *argument);
TEN_MUST_USE ten_status *ten_recover(const char *what, ten_recover_body body, void *argument);

/* Jumps to the innermost recovery point of this thread. */
_Noreturn void ten_out_of_memory(size_t size);

#endif
