/* control.c: branches, loops, calls, tuples, tokens, and ops that forward their operands. */
#include <stdlib.h>

#include "backend/interp/interp.h"

bool interp_is_true(const ten_tensor *pred) { return pred->count > 0 && *(const uint8_t *)pred->data != 0; }

ten_status *interp_if(interp_call *call) {
  return interp_block_run(call, interp_region(call, interp_is_true(call->in[0]) ? 0 : 1), NULL, call->out);
}

/* An out-of-range index selects the last branch. */
ten_status *interp_case(interp_call *call) {
  const int64_t last = (int64_t)call->op->region_count - 1;
  if (last < 0) return interp_error(call, TEN_INVALID, "has no branch");
  const int64_t index = ten_tensor_int(call->in[0], 0);
  return interp_block_run(call, interp_region(call, (uint32_t)(index < 0 || index > last ? last : index)), NULL,
                          call->out);
}

ten_status *interp_while(interp_call *call) {
  const uint32_t count = call->op->operand_count;
  const interp_block *cond = interp_region(call, 0), *body = interp_region(call, 1);
  if (cond->arg_count != count || body->arg_count != count || body->return_count != count || cond->return_count != 1)
    return interp_error(call, TEN_INVALID, "the regions do not fit %u operands", count);
  ten_tensor **state = ten_alloc((2 * count + 1) * sizeof *state), **next = state + count;
  for (uint32_t i = 0; i < count; i++) state[i] = ten_tensor_retain(call->in[i]);
  ten_status *status = NULL;
  for (;;) {
    ten_tensor *go = NULL;
    status = interp_block_run(call, cond, state, &go);
    const bool again = !status && interp_is_true(go);
    ten_tensor_release(go);
    if (!again) break;
    status = interp_block_run(call, body, state, next);
    if (status) break;
    ten_tensors_release(state, count);
    memcpy(state, next, count * sizeof *state);
  }
  if (status)
    ten_tensors_release(state, count);
  else
    memcpy(call->out, state, count * sizeof *state);
  free(state);
  return status;
}

/* func.call, and composite via its decomposition. */
ten_status *interp_callee(interp_call *call) {
  const interp_func *callee = call->inst->callee;
  if (callee->body.arg_count != call->op->operand_count || callee->body.return_count != call->op->result_count)
    return interp_error(call, TEN_INVALID, "@%.*s takes %u values and returns %u", TEN_FMT(ten_func_name(callee->op)),
                        callee->body.arg_count, callee->body.return_count);
  return interp_func_run(call->state, callee, call->in, call->out);
}

/* optimization_barrier, casts and other identities: results are the operands. */
ten_status *interp_identity(interp_call *call) {
  if (call->op->operand_count != call->op->result_count)
    return interp_error(call, TEN_INVALID, "%u operands, %u results", call->op->operand_count, call->op->result_count);
  for (uint32_t i = 0; i < call->op->result_count; i++) call->out[i] = ten_tensor_retain(call->in[i]);
  return NULL;
}

ten_status *interp_token(interp_call *call) {
  call->out[0] = ten_tensor_token();
  return NULL;
}

ten_status *interp_tuple(interp_call *call) {
  call->out[0] = ten_tensor_tuple(call->op->operand_count, call->in);
  return NULL;
}

ten_status *interp_get_tuple_element(interp_call *call) {
  const int64_t index = ten_op_int(call->op, "index", 0);
  const ten_tensor *tuple = call->in[0];
  if (tuple->kind != TEN_VALUE_TUPLE || index < 0 || index >= tuple->part_count)
    return interp_error(call, TEN_INVALID, "element %lld is out of range for a tuple of %u", (long long)index,
                        tuple->part_count);
  call->out[0] = ten_tensor_retain(tuple->parts[index]);
  return NULL;
}

/* Asynchronous work runs immediately; a future is a tuple of its results. */
ten_status *interp_async_start(interp_call *call) {
  const interp_block *body = interp_region(call, 0);
  ten_tensor **results = ten_alloc((body->return_count + 1) * sizeof *results);
  ten_status *status = interp_block_run(call, body, call->in, results);
  if (!status) {
    call->out[0] = ten_tensor_tuple(body->return_count, results);
    ten_tensors_release(results, body->return_count);
  }
  free(results);
  return status;
}

ten_status *interp_async_done(interp_call *call) {
  const ten_tensor *future = call->in[0];
  if (future->kind != TEN_VALUE_TUPLE || future->part_count != call->op->result_count)
    return interp_error(call, TEN_INVALID, "the operand is not a future of %u values", call->op->result_count);
  for (uint32_t i = 0; i < future->part_count; i++) call->out[i] = ten_tensor_retain(future->parts[i]);
  return NULL;
}
