/* processes.c: interpreter.run_parallel: starts several processes, which meet in collectives. */
#include <stdlib.h>

#include "backend/interp/grid.h"

typedef struct process {
  interp_state state;
  const interp_func *func;
  ten_tensor **args, **results; /* of the op's */
  ten_status *status;
  ten_thread thread;
  bool started;
} process;

static ten_status *process_execute(process *p) {
  TEN_RECOVER("running one of several processes");
  return interp_func_run(&p->state, p->func, p->args, p->results);
}

static void *process_run(void *argument) {
  process *p = argument;
  p->status = process_execute(p);
  interp_grid_leave(p->state.grid, p->status);
  return NULL;
}

/* The function each process runs; they must take and give what the op has. */
static ten_status *processes_plan(interp_call *call, const ten_attr *programs, uint32_t partitions, process *all,
                                  size_t count) {
  uint32_t args = 0, results = 0;
  for (size_t i = 0; i < count; i++) {
    const ten_attr *row = programs->array.items[i / partitions];
    if (row->kind != TEN_ATTR_ARRAY || row->array.count != partitions)
      return interp_error(call, TEN_INVALID, "rows of programs differ in length");
    const ten_op *func = interp_symbol(call->op, row->array.items[i % partitions]);
    all[i].func = func ? interp_func_find(call->state->program, func) : NULL;
    if (!all[i].func) return interp_error(call, TEN_INVALID, "a program is no function");
    all[i].args = call->in + args;
    all[i].results = call->out + results;
    args += all[i].func->body.arg_count;
    results += all[i].func->body.return_count;
  }
  if (args == call->op->operand_count && results == call->op->result_count) return NULL;
  return interp_error(call, TEN_INVALID, "programs take %u values and return %u; the op has %u and %u", args, results,
                      call->op->operand_count, call->op->result_count);
}

/* Of several errors the one that began it: not that of a process that was only told to stop. */
static ten_status *first_cause(process *all, size_t count) {
  ten_status *found = NULL;
  for (size_t pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < count; i++) {
      if (!all[i].status || (pass == 0 && ten_status_code(all[i].status) == TEN_CANCELLED)) continue;
      if (!found)
        found = all[i].status;
      else
        ten_status_free(all[i].status);
      all[i].status = NULL;
    }
  return found;
}

ten_status *interp_run_parallel(interp_call *call) {
  const ten_attr *programs = ten_op_attr(call->op, "programs"), *infeed = ten_op_attr(call->op, "infeed");
  if (!programs || programs->kind != TEN_ATTR_ARRAY || !programs->array.count ||
      programs->array.items[0]->kind != TEN_ATTR_ARRAY || !programs->array.items[0]->array.count)
    return interp_error(call, TEN_INVALID, "has no programs");
  const uint32_t replicas = (uint32_t)programs->array.count,
                 partitions = (uint32_t)programs->array.items[0]->array.count;
  const size_t count = (size_t)replicas * partitions;
  process *all = ten_alloc(count * sizeof *all);
  memset(all, 0, count * sizeof *all);
  ten_status *status = processes_plan(call, programs, partitions, all, count);
  interp_grid *grid = interp_grid_create(replicas, partitions);
  if (!status && infeed && infeed->kind == TEN_ATTR_ARRAY) {
    interp_grid_infeed *queue = interp_grid_infeeds(grid);
    queue->funcs = ten_alloc((infeed->array.count + 1) * sizeof *queue->funcs);
    for (size_t i = 0; i < infeed->array.count && !status; i++) {
      const ten_op *func = interp_symbol(call->op, infeed->array.items[i]);
      queue->funcs[queue->count++] = func ? interp_func_find(call->state->program, func) : NULL;
      if (!queue->funcs[i]) status = interp_error(call, TEN_INVALID, "an infeed item is no function");
    }
  }
  for (size_t i = 0; i < count && !status; i++) {
    all[i].state = *call->state;
    all[i].state.grid = grid;
    all[i].state.replica = (uint32_t)(i / partitions);
    all[i].state.partition = (uint32_t)(i % partitions);
    ten_status *refused = ten_thread_start(0, process_run, &all[i], &all[i].thread); /* may be at its end already */
    all[i].started = !refused;
    if (!refused) continue;
    interp_grid_leave(grid, refused); /* the others must not wait for it */
    all[i].status = refused;
  }
  for (size_t i = 0; i < count; i++)
    if (all[i].started) ten_thread_join(all[i].thread);
  status = ten_first_error(status, first_cause(all, count));
  interp_grid_destroy(grid);
  free(all);
  return status;
}
