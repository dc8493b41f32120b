/* recover.c: the recovery points of each thread, and the jump to the innermost. */
#include "base/recover.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/thread_own.h"

void ten_recovery_enter(ten_recovery *recovery, const char *what) {
  ten_thread_own *own = ten_thread_own_get();
  recovery->outer = own->innermost;
  recovery->what = what;
  recovery->locks = own->held_count;
  own->innermost = recovery;
}

void ten_recovery_leave(ten_recovery *recovery) { ten_thread_own_get()->innermost = recovery->outer; }
void ten_recovery_return_to(ten_recovery *recovery) { ten_thread_own_get()->innermost = recovery; }

_Noreturn void ten_out_of_memory(size_t size) {
  ten_thread_own *own = ten_thread_own_get();
  ten_recovery *recovery = own->innermost;
  if (!recovery) { /* a caller inside this project set no recovery point */
    fprintf(stderr, "tenfold: out of memory (%zu bytes wanted)\n", size);
    abort();
  }
  ten_mutexes_unlock(recovery->locks);
  recovery->wanted = size;
  own->innermost = recovery->outer;
  longjmp(recovery->place, 1);
}

ten_status *ten_recovery_status(const ten_recovery *recovery) {
  return ten_error(TEN_LIMIT, "out of memory: %zu bytes could not be allocated while %s", recovery->wanted,
                   recovery->what);
}

ten_status *ten_recover(const char *what, ten_recover_body body, void *argument) {
  TEN_RECOVER(what);
  return body(argument);
}
