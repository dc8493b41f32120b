/* parallel.c: interpreter.run_parallel on compiled programs: one for each replica and partition, one thread each; they
 * communicate in collectives (backend/host.h). */
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/backend.h"
#include "backend/processes.h"

typedef struct process {
  ten_process base;
  ten_host_process state;
  cpu_feed *feed;
  cpu_executable *executable;
  ten_tensor *const *inputs;
  ten_tensor **outputs;
} process;

static ten_status *process_run(ten_process *base) {
  process *p = (process *)base;
  return cpu_execute_in(p->executable, &p->state, p->feed, p->inputs, p->outputs);
}

static void process_leave(ten_process *base, const ten_status *status) {
  ten_host_group_leave(((process *)base)->state.group, status);
}

static ten_status *compile_symbol(cpu_run *run, const ten_op *op, const ten_attr *symbol,
                                  ten_executable **out_executable) {
  const ten_op *func = ten_host_symbol(run->executable->base.func, symbol);
  if (!func || !ten_op_is_func(func))
    return ten_op_error(op, TEN_INVALID, "@%.*s is not a function of this module", TEN_FMT(ten_attr_as_string(symbol)));
  return ten_compile(run->executable->base.backend, run->executable->source, func, &run->executable->settings,
                     out_executable);
}

static ten_status *make_processes(cpu_run *run, const ten_op *op, ten_tensor *const *in, ten_tensor **out,
                                  ten_host_group *group, cpu_feed *feed, process *all, size_t count,
                                  uint32_t partitions) {
  uint32_t inputs = 0, outputs = 0;
  for (size_t i = 0; i < count; i++) {
    ten_executable *executable = NULL;
    TEN_TRY(compile_symbol(run, op, ten_processes_program(op, i), &executable));
    all[i] = (process){.base = {.run = process_run, .leave = process_leave},
                       .state = *run->process,
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
  return ten_processes_check(op, inputs, outputs);
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

ten_status *cpu_run_parallel(cpu_run *run, const ten_op *op, ten_tensor *const *in, ten_tensor **out) {
  uint32_t replicas, partitions;
  TEN_TRY(ten_processes_shape(op, &replicas, &partitions));
  const size_t count = (size_t)replicas * partitions;
  process *all = ten_alloc(count * sizeof *all);
  memset(all, 0, count * sizeof *all);
  ten_host_group *group = ten_host_group_create(replicas, partitions);
  cpu_feed feed = {0};
  ten_mutex_init(&feed.mutex);
  ten_status *status = make_feed(run, op, &feed);
  if (!status) status = make_processes(run, op, in, out, group, &feed, all, count, partitions);
  if (!status) status = ten_processes_run(all, count, sizeof *all);
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
    all[i] = (process){.base = {.run = process_run, .leave = process_leave},
                       .executable = (cpu_executable *)executable,
                       .inputs = inputs[i],
                       .outputs = outputs[i]};
    all[i].state = (ten_host_process){.group = group,
                                      .probes = probes,
                                      .replica = (uint32_t)(i / partitions),
                                      .partition = (uint32_t)(i % partitions)};
  }
  ten_status *status = ten_processes_run(all, count, sizeof *all);
  ten_host_probes_destroy(probes);
  ten_host_group_destroy(group);
  free(all);
  return status;
}
