/* processes.h: interpreter.run_parallel, for every backend that runs it: several programs, a thread each, that meet in
 * collectives. */
#ifndef TEN_BACKEND_PROCESSES_H
#define TEN_BACKEND_PROCESSES_H

#include "base/thread.h"
#include "ir/module.h"

/* One process. A backend's own struct begins with it. */
typedef struct ten_process {
  ten_status *(*run)(struct ten_process *process);
  /* Tells the others that this one is at its end; an error makes them stop. */
  void (*leave)(struct ten_process *process, const ten_status *status);
  ten_status *status; /* the rest is ten_processes_run's */
  ten_thread thread;
  bool started;
} ten_process;

/* Starts `count` processes, which lie `size` bytes apart, and waits for all. Of several errors it returns the one that
 * began it, not that of a process that was only told to stop. */
TEN_MUST_USE ten_status *ten_processes_run(void *processes, size_t count, size_t size);

/* The rows of the op's programs: replicas and partitions, all rows of one length. */
TEN_MUST_USE ten_status *ten_processes_shape(const ten_op *op, uint32_t *replicas, uint32_t *partitions);
/* The program of process `number`, counted row by row. */
const ten_attr *ten_processes_program(const ten_op *op, size_t number);
/* NULL where all programs together take and return what the op does. */
TEN_MUST_USE ten_status *ten_processes_check(const ten_op *op, uint32_t inputs, uint32_t outputs);

#endif
