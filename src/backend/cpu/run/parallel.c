/* parallel.c: interpreter.run_parallel on compiled programs: one for each replica and partition, a thread each;
 * they meet in collectives (backend/host.h). */
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/backend.h"

typedef struct process {
  ten_host_process state;
  cpu_feed *feed;
  cpu_executable *executable;
  ten_tensor *const *inputs;
  ten_tensor **outputs;
  ten_status *status;
  ten_thread thread;
  bool started;
} process;

static ten_status *process_execute(process *p) {
  TEN_RECOVER("running one of several processes");
  return cpu_execute_in(p->executable, &p->state, p->feed, p->inputs, p->outputs);
}

static void *process_run(void *argument) {
  process *p = argument;
  p->status = process_execute(p);
  ten_host_group_leave(p->state.group, p->status);
  return NULL;
}

static ten_status *compile_symbol(cpu_run *run, const ten_op *op, const ten_attr *symbol,
                                  ten_executable **out_executable) {
  const ten_op *func = ten_host_symbol(run->executable->base.func, symbol);
  if (!func || !ten_op_is_func(func)) return ten_op_error(op, TEN_INVALID, "a program is no function");
  return ten_compile(run->executable->base.backend, run->executable->source, func, &run->executable->settings,
                     out_executable);
}

/* Of several errors the one that began it, not that of a process that was only told to stop. */
static ten_status *first_cause(process *all, size_t count) {
  ten_status *found = NULL;
  for (int pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < count; i++) {
      if (!all[i].status || (!pass && ten_status_code(all[i].status) == TEN_CANCELLED)) continue;
      found = ten_first_error(found, all[i].status);
      all[i].status = NULL;
    }
  return found;
}

static ten_status *make_processes(cpu_run *run, const ten_op *op, const ten_attr *programs, ten_tensor *const *in,
                                  ten_tensor **out, ten_host_group *group, cpu_feed *feed, process *all,
                                  size_t partitions) {
  uint32_t inputs = 0, outputs = 0;
  for (size_t i = 0; i < programs->array.count * partitions; i++) {
    const ten_attr *row = programs->array.items[i / partitions];
    if (row->kind != TEN_ATTR_ARRAY || row->array.count != partitions)
      return ten_op_error(op, TEN_INVALID, "rows of programs differ in length");
    ten_executable *executable = NULL;
    TEN_TRY(compile_symbol(run, op, row->array.items[i % partitions], &executable));
    all[i] = (process){.state = *run->process,
                       .feed = feed,
                       .executable = (cpu_executable *)executable,
                       .inputs = in + inputs,
                       .outputs = out + outputs};
    all[i].state.group = group;
    all[i].state.replica = (uint32_t)(i / partitions);
    all[i].state.partition = (uint32_t)(i % partitions);
    inputs += executable->input_count;
    outputs += executable->output_count;
  }
  if (inputs == op->operand_count && outputs == op->result_count) return NULL;
  return ten_op_error(op, TEN_INVALID, "programs take %u values and return %u; the op has %u and %u", inputs, outputs,
                      op->operand_count, op->result_count);
}

static ten_status *make_feed(cpu_run *run, const ten_op *op, cpu_feed *feed) {
  const ten_attr *infeed = ten_op_attr(op, "infeed");
  if (!infeed || infeed->kind != TEN_ATTR_ARRAY) return NULL;
  feed->items = ten_alloc((infeed->array.count + 1) * sizeof *feed->items);
  for (size_t i = 0; i < infeed->array.count; i++) {
    TEN_TRY(compile_symbol(run, op, infeed->array.items[i], &feed->items[i]));
    feed->count++;
  }
  return NULL;
}

/* Starts all of them and waits; a process that cannot be started must not be waited for by the others. */
static ten_status *run_all(process *all, size_t count, ten_host_group *group) {
  for (size_t i = 0; i < count; i++) {
    all[i].status = ten_thread_start(0, process_run, &all[i], &all[i].thread);
    all[i].started = !all[i].status;
    if (all[i].status) ten_host_group_leave(group, all[i].status);
  }
  for (size_t i = 0; i < count; i++)
    if (all[i].started) ten_thread_join(all[i].thread);
  return first_cause(all, count);
}

ten_status *cpu_run_parallel(cpu_run *run, const ten_op *op, ten_tensor *const *in, ten_tensor **out) {
  const ten_attr *programs = ten_op_attr(op, "programs");
  if (!programs || programs->kind != TEN_ATTR_ARRAY || !programs->array.count ||
      programs->array.items[0]->kind != TEN_ATTR_ARRAY || !programs->array.items[0]->array.count)
    return ten_op_error(op, TEN_INVALID, "has no programs");
  const size_t partitions = programs->array.items[0]->array.count, count = programs->array.count * partitions;
  process *all = ten_alloc(count * sizeof *all);
  memset(all, 0, count * sizeof *all);
  ten_host_group *group = ten_host_group_create((uint32_t)programs->array.count, (uint32_t)partitions);
  cpu_feed feed = {0};
  ten_mutex_init(&feed.mutex);
  ten_status *status = make_feed(run, op, &feed);
  if (!status) status = make_processes(run, op, programs, in, out, group, &feed, all, partitions);
  if (!status) status = run_all(all, count, group);
  for (size_t i = 0; i < count; i++) ten_executable_release((ten_executable *)all[i].executable);
  for (size_t i = 0; i < feed.count; i++) ten_executable_release(feed.items[i]);
  free(feed.items);
  ten_mutex_destroy(&feed.mutex);
  ten_host_group_destroy(group);
  free(all);
  return status;
}

ten_status *cpu_execute_together(ten_executable *executable, uint32_t replicas, uint32_t partitions,
                                 ten_tensor *const *const *inputs, ten_tensor **const *outputs) {
  const size_t count = (size_t)replicas * partitions;
  process *all = ten_alloc((count + 1) * sizeof *all);
  memset(all, 0, (count + 1) * sizeof *all);
  ten_host_group *group = ten_host_group_create(replicas, partitions);
  ten_host_probes *probes = ten_host_probes_create();
  for (size_t i = 0; i < count; i++) {
    all[i] = (process){.executable = (cpu_executable *)executable, .inputs = inputs[i], .outputs = outputs[i]};
    all[i].state = (ten_host_process){.group = group,
                                      .probes = probes,
                                      .replica = (uint32_t)(i / partitions),
                                      .partition = (uint32_t)(i % partitions)};
  }
  ten_status *status = run_all(all, count, group);
  ten_host_probes_destroy(probes);
  ten_host_group_destroy(group);
  free(all);
  return status;
}
