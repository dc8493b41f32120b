/* loaded.h: a flat program with its code, constants, memory and threads; calls on plain addresses. */
#ifndef TEN_CPU_EXEC_LOADED_H
#define TEN_CPU_EXEC_LOADED_H

#include "backend/cpu/exec/arenas.h"
#include "backend/cpu/exec/flat.h"
#include "backend/cpu/kernels/kernels.h"
#include "base/thread.h"

/* The state of one running call: memory and the addresses that its steps use. */
typedef struct exec_instance {
  char *arena;     /* owned, 64-aligned; with exec_loaded.arenas taken from there for each call */
  size_t bytes;    /* of the arena */
  char *filled;    /* the arena that the addresses are in */
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
  char *hoisted;              /* owned: results of init */
  const char *hoisted_view;   /* the same, borrowed from a compiled file or another size */
  ten_pool *pool;             /* NULL: everything runs on the caller's thread */
  exec_arenas *arenas;        /* borrowed: memory shared with other programs; NULL: each instance keeps its own */
  bool pool_lent;             /* by other programs, which run on the same threads; otherwise the pool is owned */
  unsigned threads;           /* maximum; 0 before loading: as planned */
  const ten_kernels *kernels; /* that its constants are packed for; NULL before loading: the best */
  TEN_VEC(exec_patch) patches;
  ten_mutex mutex; /* guards `free`, and the pool: one call uses it, concurrent calls run on their own thread */
  exec_instance *free;
  /* Callbacks: for steps that need the caller, with exec_call's `caller`; at the start of a step, if `observe` is set;
   * and for the start and the seconds of each step, -1 seconds when a piece of it is done. */
  void *observer; /* borrowed */
  ten_status *(*host)(void *caller, const exec_step *step, void **pointers);
  void (*begin)(struct exec_loaded *loaded, const exec_step *step);
  void (*observe)(struct exec_loaded *loaded, const exec_step *step, double start, double seconds);
  /* Of a worker's share of a step (kernels/pool.h), where `observe` is given; `user` is the program. */
  void (*worked)(void *user, uint32_t step, unsigned thread, uint32_t id, double start, double end);
} exec_loaded;

/* Initialises. Must be closed whatever happens after. */
void exec_open(exec_loaded *loaded);
void exec_close(exec_loaded *loaded);
/* From now on takes the memory of calls from there, unless it already does from elsewhere or needs little. It outlives
 * the program. Not while it runs; NULL: no change. */
void exec_share(exec_loaded *loaded, exec_arenas *arenas);
/* Whether any step could use more threads than one. Before loading: as far as the plan tells. */
bool exec_wants_threads(const exec_program *program);
/* Takes the addresses of generated functions by their numbers, and computes the hoisted constants. */
TEN_MUST_USE ten_status *exec_load(exec_loaded *loaded, void *const *code);
/* On plain addresses, in the order of inputs and outputs: unchecked, allocates only for a new instance. `alone`: only
 * on the caller's thread, as similar calls run concurrently. `caller` is passed to `host`. */
TEN_MUST_USE ten_status *exec_call(exec_loaded *loaded, void *caller, bool alone, void *const *inputs,
                                   void *const *outputs);

#endif
