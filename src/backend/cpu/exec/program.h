/* program.h: a compiled program in memory, and running it. */
#ifndef TEN_CPU_PROGRAM_H
#define TEN_CPU_PROGRAM_H

#include "backend/backend.h"
#include "backend/cpu/codegen/jit.h"
#include "backend/cpu/exec/load.h"
#include "backend/cpu/kernels/kernels.h"
#include "backend/cpu/plan/plan.h"
#include "backend/interp/interp.h"
#include "base/file.h"
#include "base/thread.h"

/* What one running call needs of its own: memory and the addresses that its steps use. */
typedef struct cpu_instance {
  char *arena;     /* owned, 64-aligned */
  void **pointers; /* owned; step->pointer_start indexes it */
  struct cpu_instance *next;
} cpu_instance;

struct cpu_run;

/* An address that changes with every call. */
typedef struct cpu_patch {
  uint32_t pointer;
  bool output;
  uint32_t index;
} cpu_patch;

typedef struct cpu_program {
  ten_executable base;
  struct cpu_shapes
      *shapes;        /* shapes are known at the call only: the programs made so far, and nothing of what follows */
  ten_module *source; /* borrowed */
  ten_settings settings;
  cpu_plan plan;
  char *kept;                      /* owned: what init made */
  const char *kept_view;           /* the same, borrowed from a compiled file */
  ten_file file;                   /* owned: the compiled file it came from, or nothing */
  struct cpu_cache_write *storing; /* owned: it is being written to the cache, or NULL */
  ten_loaded *code;                /* owned */
  ten_pool *pool;                  /* owned; NULL: everything on the caller's thread */
  unsigned threads;                /* the most to use; 0 before it is loaded: as many as it was planned for */
  const ten_kernels *kernels;      /* what its constants are packed for; NULL before it is loaded: the best */
  TEN_VEC(cpu_patch) patches;
  ten_mutex mutex; /* guards `free`, and the pool: one call uses it, others run on their own thread */
  cpu_instance *free;
  /* Given by those who have what they need: of steps that need the caller (host.c), and of the time each step took, -1
   * when a piece of it is done. */
  void *observer; /* borrowed */
  ten_status *(*host)(struct cpu_run *run, const cpu_step *step, void **pointers);
  void (*observe)(struct cpu_program *program, const cpu_step *step, double seconds);
} cpu_program;

/* One call in progress. */
typedef struct cpu_run {
  cpu_program *program;
  cpu_instance *instance;
  interp_state *state;   /* options, and where this process stands among others */
  struct cpu_feed *feed; /* what infeed takes, or NULL */
  ten_pool *pool;
} cpu_run;

/* Items for infeed, each a program without inputs. */
typedef struct cpu_feed {
  ten_mutex mutex;
  ten_executable **items; /* owned */
  size_t count, next;
} cpu_feed;

/* compile.c. With inputs, shapes are theirs. The module is verified: runtime/backend.c sees to that. */
TEN_MUST_USE ten_status *cpu_prepare(const ten_module *module, const ten_op *func, const ten_settings *settings,
                                     ten_tensor *const *inputs, cpu_plan *plan);
TEN_MUST_USE ten_status *cpu_compile_for(ten_module *module, const ten_op *func, const ten_settings *settings,
                                         ten_tensor *const *inputs, ten_executable **out_executable);
/* All of the program and its object code, past the cache; with `tuning` (NULL: none) by what was measured;
 * one that is empty is filled in first. */
struct cpu_tuning;
TEN_MUST_USE ten_status *cpu_compile_whole(ten_module *module, const ten_op *func, const ten_settings *settings,
                                           ten_cpu_target *target, struct cpu_tuning *tuning, cpu_program **out_program,
                                           ten_buf *code);
/* object.c: links object code into the process and loads the program with it. */
TEN_MUST_USE ten_status *cpu_load_code(cpu_program *program, ten_str object);
/* specialise.c: a program for each set of input shapes. */
ten_executable *cpu_shapes_create(ten_module *module, const ten_settings *settings);
TEN_MUST_USE ten_status *cpu_shapes_find(cpu_program *program, ten_tensor *const *inputs, cpu_program **out_program);
void cpu_shapes_destroy(struct cpu_shapes *shapes);
/* call.c. Takes the addresses of generated functions by their numbers, and works out the constants. */
TEN_MUST_USE ten_status *cpu_load(cpu_program *program, void *const *code);
void cpu_unload(cpu_program *program);
/* On plain addresses, in the order of inputs and outputs: nothing is checked, nothing allocated once an instance is
 * there. */
TEN_MUST_USE ten_status *cpu_call(cpu_program *program, interp_state *state, cpu_feed *feed, void *const *inputs,
                                  void *const *outputs);
/* run.c */
TEN_MUST_USE ten_status *cpu_execute(ten_executable *executable, ten_tensor *const *inputs, size_t input_count,
                                     const ten_run_options *options, ten_tensor **outputs);
void cpu_destroy(ten_executable *executable);
/* The same inside a run: state and feed are handed on. */
TEN_MUST_USE ten_status *cpu_execute_in(cpu_program *program, interp_state *state, cpu_feed *feed,
                                        ten_tensor *const *inputs, ten_tensor **outputs);
/* host.c: steps that need the caller. */
TEN_MUST_USE ten_status *cpu_host_step(cpu_run *run, const cpu_step *step, void **pointers);

/* parallel.c: interpreter.run_parallel: several programs, a thread each, that meet in collectives. */
TEN_MUST_USE ten_status *cpu_run_parallel(cpu_run *run, const ten_op *op, ten_tensor *const *in, ten_tensor **out);

#endif
