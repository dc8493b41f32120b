/* host.c: steps that need the caller: checks, prints, feeds, collectives. They are the interpreter's own functions, on
 * views of the program's buffers; what arithmetic a collective does, compiled code does. */
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/exec/program.h"

/* The step's buffer for a value as a tensor: a view, or a copy where others may look at it after this process has gone
 * on. */
static ten_status *tensor_of(const ten_type *type, void *data, bool copied, ten_tensor **out_tensor) {
  if (type->kind == TEN_TYPE_TOKEN) {
    *out_tensor = ten_tensor_token();
    return NULL;
  }
  if (!copied) return ten_tensor_view(type->dtype, type->rank, type->dims, data, NULL, NULL, out_tensor);
  TEN_TRY(ten_tensor_create(type->dtype, type->rank, type->dims, out_tensor));
  memcpy((*out_tensor)->data, data, (*out_tensor)->bytes);
  return NULL;
}

static ten_status *combine(interp_call *call, const ten_tensor *x, const ten_tensor *y, ten_tensor **out) {
  const cpu_step *step = call->user;
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
    return ten_op_error(op, TEN_INVALID, "the infeed item has %u values, %u are wanted", item->output_count,
                        op->result_count - 1);
  TEN_TRY(cpu_execute_in((cpu_program *)item, run->state, feed, NULL, out));
  out[op->result_count - 1] = ten_tensor_token();
  return NULL;
}

/* What only moves values between processes, or looks at them, is no arithmetic; nor are kernels that others brought. */
static bool is_interpreted(const ten_op *op) {
  if (op->code == TEN_OP_RNG) return true;
  return op->code == TEN_OP_CUSTOM_CALL && interp_is_factor(ten_attr_as_string(ten_op_attr(op, "call_target_name")));
}

static ten_status *dispatch(cpu_run *run, const cpu_step *step, ten_tensor **in, ten_tensor **out) {
  TEN_RECOVER("running an op on the host");
  const ten_op *op = step->op;
  if (run->state->options && run->state->options->interpreted && is_interpreted(op))
    __atomic_fetch_add(run->state->options->interpreted, 1, __ATOMIC_RELAXED);
  if (op->code == TEN_OP_INFEED) return take_infeed(run, op, out);
  if (op->code == TEN_OP_INTERPRETER_RUN_PARALLEL) return cpu_run_parallel(run, op, in, out);
  interp_call call = {.state = run->state, .op = op, .in = in, .out = out};
  if (step->function) call.combine = combine, call.user = (void *)(uintptr_t)step;
  return interp_kernels[op->code](&call);
}

ten_status *cpu_host_step(cpu_run *run, const cpu_step *step, void **pointers) {
  const ten_op *op = step->op;
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
      status = ten_op_error(op, TEN_INVALID, "result %u has not the shape that was declared", i);
    else
      memcpy(pointers[next++], out[i]->data, bytes);
  }
  ten_tensors_release(in, op->operand_count + op->result_count);
  free(in);
  return status;
}
