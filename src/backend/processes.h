/* processes.h: interpreter.run_parallel, for every backend that runs it: several programs, one thread each, that
 * communicate in collectives. */
#ifndef TEN_BACKEND_PROCESSES_H
#define TEN_BACKEND_PROCESSES_H

#include "base/thread.h"
#include "ir/module.h"

/* One process. A backend embeds it as the first member of its own struct. */
typedef struct ten_process {
  ten_status *(*run)(struct ten_process *process);
  /* Tells the other processes that this one has ended; an error makes them stop. */
  void (*leave)(struct ten_process *process, const ten_status *status);
  ten_status *status; /* the rest is private to ten_processes_run */
  ten_thread thread;
  bool started;
} ten_process;

/* Starts `count` processes, `size` bytes apart in memory, and waits for all. Of several errors it returns the root
 * cause, not that of a process that was told to stop. */
TEN_MUST_USE ten_status *ten_processes_run(void *processes, size_t count, size_t size);

/* The rows of the op's programs: replicas and partitions, all rows of one length. */
TEN_MUST_USE ten_status *ten_processes_shape(const ten_op *op, uint32_t *replicas, uint32_t *partitions);
/* The program of process `number`, counted row by row. */
const ten_attr *ten_processes_program(const ten_op *op, size_t number);
/* NULL if all programs together have as many inputs and results as the op. */
TEN_MUST_USE ten_status *ten_processes_check(const ten_op *op, uint32_t inputs, uint32_t outputs);

#endif
