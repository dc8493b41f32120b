/* host.c: steps that need the caller: checks, prints, feeds, collectives. backend/host.h implements them, on views of
 * the program's buffers; compiled code does the arithmetic of collectives. */
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/run/executable.h"

/* The step's buffer for a value as a tensor: a view, or a copy if other processes may read it after this one
 * continues. */
static ten_status *tensor_of(const ten_type *type, void *data, bool copied, ten_tensor **out_tensor) {
  if (type->kind == TEN_TYPE_TOKEN) {
    *out_tensor = ten_tensor_token();
    return NULL;
  }
  if (!copied) return ten_tensor_from_memory(type->dtype, type->rank, type->dims, data, NULL, NULL, out_tensor);
  TEN_TRY(ten_tensor_create(type->dtype, type->rank, type->dims, out_tensor));
  memcpy((*out_tensor)->data, data, (*out_tensor)->bytes);
  return NULL;
}

static ten_status *combine(void *context, const ten_tensor *x, const ten_tensor *y, ten_tensor **out) {
  const exec_step *step = context;
  TEN_TRY(ten_tensor_create(x->dtype, x->rank, x->dims, out));
  void *args[] = {x->data, y->data, (*out)->data};
  step->function(args, NULL, 0, (int64_t)x->count, 0);
  return NULL;
}

static ten_status *take_infeed(cpu_run *run, const ten_op *op, ten_tensor **out) {
  cpu_feed *feed = run->feed;
  ten_executable *item = NULL;
  if (feed) {
    ten_mutex_lock(&feed->mutex);
    if (feed->next < feed->count) item = feed->items[feed->next++];
    ten_mutex_unlock(&feed->mutex);
  }
  if (!item)
    return ten_op_error(op, TEN_INVALID, "nothing is left in the infeed; interpreter.run_parallel gives it its items");
  if (item->output_count != op->result_count - 1)
    return ten_op_error(op, TEN_INVALID, "the infeed item has %u values, %u are expected", item->output_count,
                        op->result_count - 1);
  TEN_TRY(cpu_execute_in((cpu_executable *)item, run->process, feed, NULL, out));
  out[op->result_count - 1] = ten_tensor_token();
  return NULL;
}

static ten_status *dispatch(cpu_run *run, const exec_step *step, ten_tensor **in, ten_tensor **out) {
  TEN_RECOVER("running an op on the host");
  const ten_op *op = step->host;
  if (run->process->options && run->process->options->interpreted && ten_host_computes(op))
    __atomic_fetch_add(run->process->options->interpreted, 1, __ATOMIC_RELAXED);
  if (op->code == TEN_OP_INFEED) return take_infeed(run, op, out);
  if (op->code == TEN_OP_INTERPRETER_RUN_PARALLEL) return cpu_run_parallel(run, op, in, out);
  ten_host_call call = {.process = run->process, .op = op, .in = in, .out = out};
  if (step->function) call.combine = combine, call.context = (void *)(uintptr_t)step;
  return ten_host_run(&call);
}

ten_status *cpu_host_step(void *caller, const exec_step *step, void **pointers) {
  TEN_RECOVER("running an op on the host");
  cpu_run *run = caller;
  const ten_op *op = step->host;
  const bool copied = op->code != TEN_OP_CUSTOM_CALL && !ten_str_starts(op->name, "check.");
  ten_tensor **in = ten_alloc((op->operand_count + op->result_count + 1) * sizeof *in), **out = in + op->operand_count;
  memset(in, 0, (op->operand_count + op->result_count + 1) * sizeof *in);
  ten_status *status = NULL;
  uint32_t next = 0;
  for (uint32_t i = 0; i < op->operand_count && !status; i++) {
    const ten_type *type = ten_op_operand(op, i)->type;
    status = tensor_of(type, type->kind == TEN_TYPE_TOKEN ? NULL : pointers[next++], copied, &in[i]);
  }
  if (!status) status = dispatch(run, step, in, out);
  next = step->read_count;
  for (uint32_t i = 0; i < op->result_count && !status; i++) {
    if (op->results[i].type->kind == TEN_TYPE_TOKEN) continue;
    const size_t bytes = ten_type_bytes(op->results[i].type);
    if (!out[i] || out[i]->bytes != bytes)
      status = ten_op_error(op, TEN_INVALID, "result %u does not have the declared shape", i);
    else
      memcpy(pointers[next++], out[i]->data, bytes);
  }
  ten_tensors_release(in, op->operand_count + op->result_count);
  free(in);
  return status;
}

static const ten_op *first_host(const exec_program *program, exec_body body) {
  for (uint32_t i = 0; i < body.count; i++) {
    const exec_step *step = exec_step_at(program, body, i);
    const ten_op *found = step->host;
    for (uint32_t k = 0; k < step->body_count && !found; k++) found = first_host(program, step->bodies[k]);
    if (found) return found;
  }
  return NULL;
}

ten_status *cpu_check_storable(const cpu_executable *executable) {
  if (executable->shapes)
    return ten_error(
        TEN_UNSUPPORTED,
        "a program with dynamic shapes cannot be written as a compiled file: give its inputs shapes first");
  const ten_op *op = first_host(&executable->exec.program, executable->exec.program.body);
  return op ? ten_op_error(op, TEN_UNSUPPORTED,
                           "a compiled file cannot hold this op: it needs the process that runs it")
            : NULL;
}
