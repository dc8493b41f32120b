/* run.c: executes plans. Also the backend struct. */
#include <stdlib.h>
#include <string.h>

#include "backend/interp/interp.h"

enum { DEPTH_MAX = 2000 }; /* call depth: infinite recursion is reported before the stack overflows */

/* A failed allocation is an error of the op: the function's values are released as for any other error. */
static ten_status *kernel_run(interp_call *call) {
  TEN_RECOVERY(recovery, "");
  if (_setjmp(recovery.place))
    return interp_error(call, TEN_LIMIT, "out of memory: %zu bytes could not be allocated", recovery.wanted);
  return interp_is_quantized(call->op) ? interp_quantized(call, call->inst->kernel) : call->inst->kernel(call);
}

static ten_status *inst_run(interp_state *state, const interp_inst *inst, ten_tensor **frame) {
  const ten_op *op = inst->op;
  ten_tensor *small_in[8], *small_out[8];
  ten_tensor **in = op->operand_count <= 8 ? small_in : ten_alloc(op->operand_count * sizeof *in);
  ten_tensor **out = op->result_count <= 8 ? small_out : ten_alloc(op->result_count * sizeof *out);
  for (uint32_t i = 0; i < op->operand_count; i++) in[i] = frame[inst->operands[i]];
  for (uint32_t i = 0; i < op->result_count; i++) out[i] = NULL;
  interp_call call = {.state = state, .inst = inst, .op = op, .frame = frame, .in = in, .out = out};
  ten_status *status = kernel_run(&call);
  if (status) ten_tensors_release(out, op->result_count);
  for (uint32_t i = 0; i < op->result_count && !status; i++) {
    ten_tensor_release(frame[inst->results[i]]);
    frame[inst->results[i]] = out[i];
  }
  for (uint32_t i = 0; i < inst->dead_count; i++) {
    ten_tensor_release(frame[inst->dead[i]]);
    frame[inst->dead[i]] = NULL;
  }
  if (in != small_in) free(in);
  if (out != small_out) free(out);
  return status;
}

static ten_status *block_run(interp_state *state, const interp_block *block, ten_tensor **frame,
                             ten_tensor *const *args, ten_tensor **results) {
  for (uint32_t i = 0; i < block->return_count; i++) results[i] = NULL;
  /* Retain all before assigning any: an argument may come from another one's slot. */
  for (uint32_t i = 0; i < block->arg_count; i++) ten_tensor_retain(args[i]);
  for (uint32_t i = 0; i < block->arg_count; i++) {
    ten_tensor_release(frame[block->args[i]]);
    frame[block->args[i]] = args[i];
  }
  for (uint32_t i = 0; i < block->count; i++) TEN_TRY(inst_run(state, &block->insts[i], frame));
  for (uint32_t i = 0; i < block->return_count; i++) results[i] = ten_tensor_retain(frame[block->returns[i]]);
  return NULL;
}

ten_status *interp_block_run(interp_call *call, const interp_block *block, ten_tensor *const *args,
                             ten_tensor **results) {
  return block_run(call->state, block, call->frame, args, results);
}

ten_status *interp_func_run(interp_state *state, const interp_func *func, ten_tensor *const *args,
                            ten_tensor **results) {
  for (uint32_t i = 0; i < func->body.return_count; i++) results[i] = NULL;
  if (state->depth >= DEPTH_MAX)
    return ten_op_error(func->op, TEN_LIMIT, "calls are nested more than %d deep", DEPTH_MAX);
  state->depth++;
  ten_tensor **frame = ten_alloc((func->slots + 1) * sizeof *frame);
  memset(frame, 0, (func->slots + 1) * sizeof *frame);
  ten_status *status = block_run(state, &func->body, frame, args, results);
  ten_tensors_release(frame, func->slots);
  free(frame);
  state->depth--;
  return status;
}

ten_status *interp_make(interp_call *call, uint32_t result, uint32_t rank, const int64_t *dims, ten_tensor **out) {
  const ten_type *type = interp_out_type(call, result);
  const ten_dtype dtype = call->expressed && type->quant ? type->quant->expressed : type->dtype;
  const ten_run_options *options = call->state->options;
  ten_status *status = ten_tensor_create_in(options ? options->pool : NULL, true, dtype, rank, dims, out);
  if (!status) return NULL;
  ten_status *placed = interp_error(call, ten_status_code(status), "%s", ten_status_message(status));
  ten_status_free(status);
  return placed;
}

ten_status *interp_make_like(interp_call *call, uint32_t result, const ten_tensor *like, ten_tensor **out) {
  return interp_make(call, result, like->rank, like->dims, out);
}

static void program_destroy(ten_executable *executable) {
  interp_program *program = (interp_program *)executable;
  for (size_t i = 0; i < program->constants.count; i++) ten_tensor_release(program->constants.data[i]);
  ten_vec_free(&program->constants);
  ten_arena_destroy(&program->arena);
  free(program);
}

static ten_status *program_compile(const ten_backend *self, ten_module *module, const ten_op *func,
                                   const ten_settings *settings, ten_executable **out_executable) {
  (void)settings;
  (void)self;
  *out_executable = NULL;
  interp_program *program = ten_alloc(sizeof *program);
  *program = (interp_program){.module = module};
  ten_arena_init(&program->arena);
  ten_status *status = interp_plan(program, func, &program->entry);
  if (status)
    program_destroy(&program->base);
  else
    *out_executable = &program->base;
  return status;
}

static bool shares(const ten_tensor *value, ten_tensor *const *others, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (others[i]->bytes && (const char *)value->data >= (const char *)others[i]->data &&
        (const char *)value->data < (const char *)others[i]->data + others[i]->bytes)
      return true;
  return false;
}

/* The caller owns results alone: it may write to them, and they outlive the program. A constant of the program or an
 * input, possibly reshaped, is copied. */
static ten_status *give(const interp_program *program, ten_tensor *const *inputs, size_t count, ten_tensor **value) {
  ten_tensor *old = *value, *own = NULL;
  if (old->kind == TEN_VALUE_TUPLE) {
    own = ten_tensor_tuple(old->part_count, old->parts);
    ten_tensor_release(old);
    *value = own;
    for (uint32_t i = 0; i < own->part_count; i++) TEN_TRY(give(program, inputs, count, &own->parts[i]));
    return NULL;
  }
  if (old->kind != TEN_VALUE_TENSOR || !old->bytes) return NULL;
  if (!shares(old, program->constants.data, program->constants.count) && !shares(old, inputs, count)) return NULL;
  TEN_TRY(ten_tensor_create(old->dtype, old->rank, old->dims, &own));
  memcpy(own->data, old->data, old->bytes);
  ten_tensor_release(old);
  *value = own;
  return NULL;
}

static ten_status *program_execute(ten_executable *executable, ten_tensor *const *inputs, size_t input_count,
                                   const ten_run_options *options, ten_tensor **outputs) {
  const interp_program *program = (const interp_program *)executable;
  interp_state state = {.program = program, .options = options, .probes = interp_probes_create()};
  ten_status *status = interp_func_run(&state, program->entry, inputs, outputs);
  for (uint32_t i = 0; i < program->entry->body.return_count && !status; i++)
    status = give(program, inputs, input_count, &outputs[i]);
  if (status) ten_tensors_release(outputs, program->entry->body.return_count);
  interp_probes_destroy(state.probes);
  return status;
}

static ten_status *describe(const ten_backend *self, ten_buf *out) {
  (void)self;
  ten_buf_adds(out, "reference interpreter, one thread for each replica");
  return NULL;
}

const ten_backend ten_interp_backend = {
    .name = "interp",
    .summary = "the reference interpreter: every op and type, obviously right, slow",
    .dynamic = true,
    .describe = describe,
    .compile = program_compile,
    .execute = program_execute,
    .destroy = program_destroy};
