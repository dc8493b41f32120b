/* executable.h: an executable of this backend: a loaded program (exec/) behind the interface of backend/backend.h. */
#ifndef TEN_CPU_RUN_EXECUTABLE_H
#define TEN_CPU_RUN_EXECUTABLE_H

#include "backend/backend.h"
#include "backend/cpu/exec/load.h"
#include "backend/cpu/exec/loaded.h"
#include "backend/cpu/machine.h"
#include "backend/host.h"
#include "backend/shapes.h"
#include "base/file.h"

typedef struct cpu_executable {
  ten_executable base;
  ten_shapes *shapes; /* for dynamic shapes: the programs made so far; the rest is unused */
  ten_module *source; /* borrowed */
  ten_settings settings;
  ten_module *module; /* owned: has HOST steps and the data of constants, or only the function's types; or NULL */
  exec_loaded exec;
  ten_file file;                             /* owned: the compiled file it came from, or empty */
  struct cpu_cache_write *storing;           /* owned: in progress of being written to the cache, or NULL */
  ten_loaded *code;                          /* owned */
  TEN_VEC(struct cpu_constants *) constants; /* that it shares with other sizes (share_constants.h) */
  struct cpu_outputs *outputs;               /* owned: memory of results, or NULL */
  unsigned calls;                            /* atomic; counted up to CPU_SETTLED */
} cpu_executable;

/* After so many calls of a program its process has most likely compiled what it needs: the memory that LLVM holds is
 * released. */
enum { CPU_SETTLED = 2 };

/* Items for infeed, each a program without inputs. */
typedef struct cpu_feed {
  ten_mutex mutex;
  ten_executable **items; /* owned */
  size_t count, next;
} cpu_feed;

/* One call in progress, as its HOST steps see it. */
typedef struct cpu_run {
  cpu_executable *executable;
  ten_host_process *process; /* options, and its position among processes */
  cpu_feed *feed;            /* items for infeed, or NULL */
} cpu_run;

/* compile.c. With inputs, shapes are taken from them. backend/backend.c has verified the module. */
unsigned cpu_wanted_threads(void); /* TENFOLD_THREADS, or one per CPU */
TEN_MUST_USE ten_status *cpu_compile_for(ten_module *module, const ten_op *func, const ten_settings *settings,
                                         ten_tensor *const *inputs, ten_executable **out_executable);
/* The whole program and its object code, bypassing the cache; with `tuning` (NULL: none) by measured choices; an empty
 * one is filled in first. */
struct cpu_tuning;
TEN_MUST_USE ten_status *cpu_compile_whole(ten_module *module, const ten_op *func, const ten_settings *settings,
                                           ten_cpu_target *target, struct cpu_tuning *tuning,
                                           cpu_executable **out_executable, ten_buf *code);
/* specialise.c: one program per set of input shapes. */
ten_executable *cpu_shapes_create(ten_module *module, const ten_settings *settings);
/* The program for these inputs, valid until ten_shapes_done(executable->shapes, *out_used). */
TEN_MUST_USE ten_status *cpu_shapes_find(cpu_executable *executable, ten_tensor *const *inputs,
                                         cpu_executable **out_executable, ten_shaped **out_used);

/* run.c */
cpu_executable *cpu_executable_create(ten_module *source, const ten_settings *settings); /* either may be NULL */
TEN_MUST_USE ten_status *cpu_execute(ten_executable *executable, ten_tensor *const *inputs, size_t input_count,
                                     const ten_run_options *options, ten_tensor **outputs);
void cpu_destroy(ten_executable *executable);
/* The same inside a run: passes process and feed on. */
TEN_MUST_USE ten_status *cpu_execute_in(cpu_executable *executable, ten_host_process *process, cpu_feed *feed,
                                        ten_tensor *const *inputs, ten_tensor **outputs);
/* Counts a call of a program that ran. */
void cpu_count_call(cpu_executable *executable);
/* outputs.c: a result of the program, not set, in memory of an earlier call where that is free. */
TEN_MUST_USE ten_status *cpu_output_create(cpu_executable *executable, uint32_t index, ten_tensor **out_tensor);
void cpu_outputs_destroy(struct cpu_outputs *outputs); /* NULL is fine */
/* workspace.c: working memory that executables share. */
ten_workspace *cpu_workspace_create(void);
void cpu_workspace_destroy(ten_workspace *workspace);
/* From now on calls take their memory from the workspace in the settings; without one, from the memory that the sizes
 * of one program share. With neither, or where a program needs little, they keep their own. */
void cpu_lend_memory(cpu_executable *executable);
/* open.c: links object code into the process and loads the program with it. */
TEN_MUST_USE ten_status *cpu_load_code(cpu_executable *executable, ten_str object);
/* The same with functions already in memory, by symbol. */
struct cpu_linked;
TEN_MUST_USE ten_status *cpu_load_linked(cpu_executable *executable, const struct cpu_linked *linked);
/* `data` is a compiled file, 64-aligned, and must outlive the program: constants are read in place. */
TEN_MUST_USE ten_status *cpu_object_read(const void *data, size_t size, const char *name,
                                         cpu_executable **out_executable);
/* The same for a file of the cache whose checksum has been verified. */
TEN_MUST_USE ten_status *cpu_object_read_verified(const void *data, size_t size, const char *name,
                                                  cpu_executable **out_executable);
/* host.c: steps that need the caller; `caller` is a cpu_run. */
TEN_MUST_USE ten_status *cpu_host_step(void *caller, const exec_step *step, void **pointers);
/* An error that names the first step which cannot be stored in a compiled file; NULL: none. */
TEN_MUST_USE ten_status *cpu_check_storable(const cpu_executable *executable);

/* parallel.c: interpreter.run_parallel: several programs, one thread each, that communicate in collectives. */
TEN_MUST_USE ten_status *cpu_run_parallel(cpu_run *run, const ten_op *op, ten_tensor *const *in, ten_tensor **out);

#endif
