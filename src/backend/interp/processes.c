/* processes.c: interpreter.run_parallel: starts several processes, which communicate in collectives. */
#include <stdlib.h>

#include "backend/interp/grid.h"
#include "backend/processes.h"

typedef struct process {
  ten_process base;
  interp_state state;
  const interp_func *func;
  ten_tensor **args, **results; /* this process's share of the op's */
} process;

static ten_status *process_run(ten_process *base) {
  process *p = (process *)base;
  return interp_func_run(&p->state, p->func, p->args, p->results);
}

static void process_leave(ten_process *base, const ten_status *status) {
  interp_grid_leave(((process *)base)->state.grid, status);
}

static ten_status *find_function(interp_call *call, const ten_attr *symbol, const interp_func **out_func) {
  const ten_op *func = interp_symbol(call->op, symbol);
  *out_func = func ? interp_func_find(call->state->program, func) : NULL;
  return *out_func ? NULL
                   : interp_error(call, TEN_INVALID, "@%.*s is not a function of this module",
                                  TEN_FMT(ten_attr_as_string(symbol)));
}

/* Plans the function of each process; together they must match the op's operands and results. */
static ten_status *processes_plan(interp_call *call, uint32_t partitions, interp_grid *grid, process *all,
                                  size_t count) {
  uint32_t args = 0, results = 0;
  for (size_t i = 0; i < count; i++) {
    process *p = &all[i];
    *p = (process){.base = {.run = process_run, .leave = process_leave},
                   .state = *call->state,
                   .args = call->in + args,
                   .results = call->out + results};
    p->state.grid = grid;
    p->state.replica = (uint32_t)(i / partitions);
    p->state.partition = (uint32_t)(i % partitions);
    TEN_TRY(find_function(call, ten_processes_program(call->op, i), &p->func));
    args += p->func->body.arg_count;
    results += p->func->body.return_count;
  }
  return ten_processes_check(call->op, args, results);
}

static ten_status *infeed_plan(interp_call *call, interp_grid *grid) {
  const ten_attr *infeed = ten_op_attr(call->op, "infeed");
  if (!infeed || infeed->kind != TEN_ATTR_ARRAY) return NULL;
  interp_grid_infeed *queue = interp_grid_infeeds(grid);
  queue->funcs = ten_alloc((infeed->array.count + 1) * sizeof *queue->funcs);
  for (size_t i = 0; i < infeed->array.count; i++)
    TEN_TRY(find_function(call, infeed->array.items[i], &queue->funcs[queue->count++]));
  return NULL;
}

ten_status *interp_run_parallel(interp_call *call) {
  uint32_t replicas, partitions;
  TEN_TRY(ten_processes_shape(call->op, &replicas, &partitions));
  const size_t count = (size_t)replicas * partitions;
  process *all = ten_alloc(count * sizeof *all);
  interp_grid *grid = interp_grid_create(replicas, partitions);
  ten_status *status = processes_plan(call, partitions, grid, all, count);
  if (!status) status = infeed_plan(call, grid);
  if (!status) status = ten_processes_run(all, count, sizeof *all);
  interp_grid_destroy(grid);
  free(all);
  return status;
}
