/* loaded.h: a flat program with its code, constants, memory and threads, and calling it on plain addresses. */
#ifndef TEN_CPU_EXEC_LOADED_H
#define TEN_CPU_EXEC_LOADED_H

#include "backend/cpu/exec/flat.h"
#include "backend/cpu/kernels/kernels.h"
#include "base/thread.h"

/* What one running call needs of its own: memory and the addresses that its steps use. */
typedef struct exec_instance {
  char *arena;     /* owned, 64-aligned */
  void **pointers; /* owned; step->pointer_start indexes it */
  struct exec_instance *next;
} exec_instance;

/* An address that changes with every call. */
typedef struct exec_patch {
  uint32_t pointer;
  bool output;
  uint32_t index;
} exec_patch;

typedef struct exec_loaded {
  exec_program program;
  char *hoisted;              /* owned: what init made */
  const char *hoisted_view;   /* the same, borrowed from a compiled file */
  ten_pool *pool;             /* owned; NULL: everything on the caller's thread */
  unsigned threads;           /* the most to use; 0 before it is loaded: as many as it was planned for */
  const ten_kernels *kernels; /* what its constants are packed for; NULL before it is loaded: the best */
  TEN_VEC(exec_patch) patches;
  ten_mutex mutex; /* guards `free`, and the pool: one call uses it, others run on their own thread */
  exec_instance *free;
  /* Given by those who have what they need: of steps that need the caller, with what exec_call was given; of a step
   * that begins, where `observe` is given; and of the time each step took, -1 when a piece of it is done. */
  void *observer; /* borrowed */
  ten_status *(*host)(void *caller, const exec_step *step, void **pointers);
  void (*begin)(struct exec_loaded *loaded, const exec_step *step);
  void (*observe)(struct exec_loaded *loaded, const exec_step *step, double seconds);
  /* Of a worker's share of a step (kernels/pool.h), where `observe` is given; `user` is the program. */
  void (*worked)(void *user, uint32_t step, unsigned thread, uint32_t id, double start, double end);
} exec_loaded;

/* All zeros but what needs more. To be closed whatever happens after. */
void exec_open(exec_loaded *loaded);
void exec_close(exec_loaded *loaded);
/* Takes the addresses of generated functions by their numbers, and works out the hoisted constants. */
TEN_MUST_USE ten_status *exec_load(exec_loaded *loaded, void *const *code);
/* On plain addresses, in the order of inputs and outputs: nothing is checked, nothing allocated once an instance is
 * there. `alone`: on the caller's thread only, as others like it run at the same time. `caller` goes to `host`. */
TEN_MUST_USE ten_status *exec_call(exec_loaded *loaded, void *caller, bool alone, void *const *inputs,
                                   void *const *outputs);

#endif
