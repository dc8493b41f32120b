/* processes.c: runs several programs concurrently: the process grid of the op, threads, and the root-cause error. */
#include "backend/processes.h"

#include "base/recover.h"

static ten_process *process_at(void *processes, size_t i, size_t size) {
  return (ten_process *)(void *)((char *)processes + i * size);
}

static ten_status *run(ten_process *process) {
  TEN_RECOVER("running one of several processes");
  return process->run(process);
}

static void *run_thread(void *argument) {
  ten_process *process = argument;
  process->status = run(process);
  process->leave(process, process->status);
  return NULL;
}

ten_status *ten_processes_run(void *processes, size_t count, size_t size) {
  for (size_t i = 0; i < count; i++) {
    ten_process *process = process_at(processes, i, size);
    ten_status *refused = ten_thread_start(0, run_thread, process, &process->thread); /* may have ended already */
    process->started = !refused;
    if (!refused) continue;
    process->leave(process, refused); /* the others must not wait for it */
    process->status = refused;
  }
  for (size_t i = 0; i < count; i++)
    if (process_at(processes, i, size)->started) ten_thread_join(process_at(processes, i, size)->thread);
  ten_status *first = NULL;
  for (int pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < count; i++) {
      ten_process *process = process_at(processes, i, size);
      if (!process->status || (!pass && ten_status_code(process->status) == TEN_CANCELLED)) continue;
      first = ten_first_error(first, process->status);
      process->status = NULL;
    }
  return first;
}

ten_status *ten_processes_shape(const ten_op *op, uint32_t *replicas, uint32_t *partitions) {
  const ten_attr *programs = ten_op_attr(op, "programs");
  if (!programs || programs->kind != TEN_ATTR_ARRAY || !programs->array.count ||
      programs->array.items[0]->kind != TEN_ATTR_ARRAY || !programs->array.items[0]->array.count)
    return ten_op_error(op, TEN_INVALID, "has no programs");
  *replicas = (uint32_t)programs->array.count;
  *partitions = (uint32_t)programs->array.items[0]->array.count;
  for (size_t i = 0; i < programs->array.count; i++) {
    const ten_attr *row = programs->array.items[i];
    const size_t length = row->kind == TEN_ATTR_ARRAY ? row->array.count : 0;
    if (length != *partitions)
      return ten_op_error(op, TEN_INVALID, "row %zu of programs has %zu entries; the first has %u", i, length,
                          *partitions);
  }
  return NULL;
}

const ten_attr *ten_processes_program(const ten_op *op, size_t number) {
  const ten_attr *programs = ten_op_attr(op, "programs");
  const size_t partitions = programs->array.items[0]->array.count;
  return programs->array.items[number / partitions]->array.items[number % partitions];
}

ten_status *ten_processes_check(const ten_op *op, uint32_t inputs, uint32_t outputs) {
  if (inputs == op->operand_count && outputs == op->result_count) return NULL;
  return ten_op_error(op, TEN_INVALID, "programs take %u values and return %u; the op has %u and %u", inputs, outputs,
                      op->operand_count, op->result_count);
}
