/* executable.h: an executable of this backend: a loaded program (exec/) behind the interface of backend/backend.h. */
#ifndef TEN_CPU_RUN_EXECUTABLE_H
#define TEN_CPU_RUN_EXECUTABLE_H

#include "backend/backend.h"
#include "backend/cpu/exec/load.h"
#include "backend/cpu/exec/loaded.h"
#include "backend/cpu/machine.h"
#include "backend/host.h"
#include "base/file.h"

typedef struct special cpu_special; /* specialise.c: one set of shapes */

typedef struct cpu_executable {
  ten_executable base;
  struct cpu_shapes
      *shapes;        /* shapes are known at the call only: the programs made so far, and nothing of what follows */
  ten_module *source; /* borrowed */
  ten_settings settings;
  ten_module *module; /* owned: what constants and HOST steps lie in, or the function's types alone */
  exec_loaded exec;
  ten_file file;                   /* owned: the compiled file it came from, or nothing */
  struct cpu_cache_write *storing; /* owned: it is being written to the cache, or NULL */
  ten_loaded *code;                /* owned */
  struct cpu_outputs *outputs;     /* owned: memory of results, or NULL */
} cpu_executable;

/* Items for infeed, each a program without inputs. */
typedef struct cpu_feed {
  ten_mutex mutex;
  ten_executable **items; /* owned */
  size_t count, next;
} cpu_feed;

/* One call in progress, as its HOST steps see it. */
typedef struct cpu_run {
  cpu_executable *executable;
  ten_host_process *process; /* options, and where this process stands among others */
  cpu_feed *feed;            /* what infeed takes, or NULL */
} cpu_run;

/* compile.c. With inputs, shapes are theirs. The module is verified: backend/backend.c sees to that. */
unsigned cpu_wanted_threads(void); /* TENFOLD_THREADS, or one for each CPU */
TEN_MUST_USE ten_status *cpu_compile_for(ten_module *module, const ten_op *func, const ten_settings *settings,
                                         ten_tensor *const *inputs, ten_executable **out_executable);
/* All of the program and its object code, past the cache; with `tuning` (NULL: none) by what was measured;
 * one that is empty is filled in first. */
struct cpu_tuning;
TEN_MUST_USE ten_status *cpu_compile_whole(ten_module *module, const ten_op *func, const ten_settings *settings,
                                           ten_cpu_target *target, struct cpu_tuning *tuning,
                                           cpu_executable **out_executable, ten_buf *code);
/* specialise.c: a program for each set of input shapes. */
ten_executable *cpu_shapes_create(ten_module *module, const ten_settings *settings);
/* The one for these inputs, which stays until cpu_shapes_done(executable, *out_special). */
TEN_MUST_USE ten_status *cpu_shapes_find(cpu_executable *executable, ten_tensor *const *inputs,
                                         cpu_executable **out_executable, cpu_special **out_special);
void cpu_shapes_done(cpu_executable *executable, cpu_special *used); /* NULL is fine */
void cpu_shapes_destroy(struct cpu_shapes *shapes);

/* run.c */
cpu_executable *cpu_executable_create(ten_module *source, const ten_settings *settings); /* either may be NULL */
TEN_MUST_USE ten_status *cpu_execute(ten_executable *executable, ten_tensor *const *inputs, size_t input_count,
                                     const ten_run_options *options, ten_tensor **outputs);
void cpu_destroy(ten_executable *executable);
/* The same inside a run: process and feed are handed on. */
TEN_MUST_USE ten_status *cpu_execute_in(cpu_executable *executable, ten_host_process *process, cpu_feed *feed,
                                        ten_tensor *const *inputs, ten_tensor **outputs);
/* outputs.c: a result of the program, not set, in memory of an earlier call where that is free. */
TEN_MUST_USE ten_status *cpu_output_create(cpu_executable *executable, uint32_t index, ten_tensor **out_tensor);
void cpu_outputs_destroy(struct cpu_outputs *outputs); /* NULL is fine */
/* open.c: links object code into the process and loads the program with it. */
TEN_MUST_USE ten_status *cpu_load_code(cpu_executable *executable, ten_str object);
/* The same with functions that are in memory already, by symbol. */
struct cpu_linked;
TEN_MUST_USE ten_status *cpu_load_linked(cpu_executable *executable, const struct cpu_linked *linked);
/* `data` is a compiled file, 64-aligned, and must outlive the program: constants are read where they lie. */
TEN_MUST_USE ten_status *cpu_object_read(const void *data, size_t size, const char *name,
                                         cpu_executable **out_executable);
/* The same of a file of the cache; its checksum was found right before. */
TEN_MUST_USE ten_status *cpu_object_read_verified(const void *data, size_t size, const char *name,
                                                  cpu_executable **out_executable);
/* host.c: steps that need the caller; `caller` is a cpu_run. */
TEN_MUST_USE ten_status *cpu_host_step(void *caller, const exec_step *step, void **pointers);
/* An error that names the first step which no compiled file can hold; NULL: there is none. */
TEN_MUST_USE ten_status *cpu_check_storable(const cpu_executable *executable);

/* parallel.c: interpreter.run_parallel: several programs, a thread each, that meet in collectives. */
TEN_MUST_USE ten_status *cpu_run_parallel(cpu_run *run, const ten_op *op, ten_tensor *const *in, ten_tensor **out);

#endif
