/* plan.c: compiles functions to instruction lists, once per program.
 * Needs: verified IR.  Keeps: the module unchanged; slots, constants and dead lists are in the program's arena. */
#include <stdlib.h>

#include "backend/interp/interp.h"

typedef struct planner {
  interp_program *program;
  ten_value_map slots; /* value → slot, as a pointer-sized integer */
  uint32_t count;
} planner;

/* The map stores slot + 1 as a pointer, so that absent (NULL) is not slot 0. */
static uint32_t slot_of(planner *p, const ten_value *value) {
  const uintptr_t known = (uintptr_t)ten_value_map_get(&p->slots, value);
  if (known) return (uint32_t)(known - 1);
  const uint32_t slot = p->count++;
  ten_value_map_set(&p->slots, value, (ten_value *)(uintptr_t)(slot + 1));
  return slot;
}

static bool is_scalar(const ten_type *type) {
  return ten_type_is_tensor(type) && type->ranked && type->rank == 0 && !type->quant;
}

static bool op_lifts(const ten_op *op) {
  const bool elementwise = ten_op_has(op, TEN_TRAIT_ELEMENTWISE) || op->code == TEN_OP_SELECT ||
                           op->code == TEN_OP_CLAMP || op->code == TEN_OP_CONSTANT;
  if (!elementwise || op->region_count) return false;
  /* With several operands, the kernel must broadcast scalars. */
  const interp_kernel kernel = interp_kernels[op->code];
  if (op->operand_count > 1 && kernel != interp_binary && kernel != interp_compare && kernel != interp_select &&
      kernel != interp_clamp)
    return false;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (!is_scalar(ten_op_operand(op, i)->type)) return false;
  for (uint32_t i = 0; i < op->result_count; i++)
    if (!is_scalar(op->results[i].type)) return false;
  return true;
}

static bool block_lifts(const ten_block *block) {
  for (uint32_t i = 0; i < block->arg_count; i++)
    if (!is_scalar(block->args[i]->type)) return false;
  for (const ten_op *op = block->first; op; op = op->next)
    if (!ten_op_has(op, TEN_TRAIT_TERMINATOR) && !op_lifts(op)) return false;
  return true;
}

/* The op of `block` that contains `op`, at any depth. */
static const ten_op *ancestor_in(const ten_block *block, const ten_op *op) {
  while (op && op->block != block) op = ten_op_parent(op);
  return op;
}

typedef struct death {
  uint32_t slot, at;
} death;

static uint32_t op_position(const ten_op *op) {
  uint32_t position = 0;
  for (; op->prev; op = op->prev) position++;
  return position;
}

ten_op *interp_symbol(const ten_op *from, const ten_attr *symbol) {
  const ten_str name = ten_attr_as_string(symbol);
  for (const ten_op *scope = ten_op_parent(from); scope; scope = ten_op_parent(scope)) {
    if (scope->code != TEN_OP_MODULE) continue;
    ten_op *found = ten_symbol_find(scope, name);
    if (found && ten_op_is_func(found)) return found;
  }
  return NULL;
}

interp_func *interp_func_find(const interp_program *program, const ten_op *func) {
  for (interp_func *item = program->funcs; item; item = item->next)
    if (item->op == func) return item;
  return NULL;
}

static ten_status *plan_symbol(interp_program *program, const ten_op *op, const ten_attr *symbol,
                               interp_func **out_func) {
  ten_op *func = interp_symbol(op, symbol);
  if (!func) return ten_op_error(op, TEN_INVALID, "there is no function @%.*s", TEN_FMT(ten_attr_as_string(symbol)));
  return interp_plan(program, func, out_func);
}

/* Functions referenced but not called: interpreter.run_parallel's programs and infeeds. */
static ten_status *plan_named(interp_program *program, const ten_op *op, const ten_attr *attr) {
  interp_func *func;
  if (!attr) return NULL;
  if (attr->kind == TEN_ATTR_SYMBOL) return plan_symbol(program, op, attr, &func);
  if (attr->kind == TEN_ATTR_ARRAY)
    for (size_t i = 0; i < attr->array.count; i++) TEN_TRY(plan_named(program, op, attr->array.items[i]));
  return NULL;
}

static ten_status *plan_block(planner *p, const ten_block *block, interp_block *out);

static ten_status *plan_inst(planner *p, const ten_op *op, interp_inst *inst) {
  ten_arena *arena = &p->program->arena;
  inst->op = op;
  inst->kernel = interp_kernels[op->code];
  if (!inst->kernel) return ten_op_error(op, TEN_UNSUPPORTED, "the interpreter does not know this op");
  uint32_t *operands = ten_arena_new_array(arena, uint32_t, op->operand_count);
  for (uint32_t i = 0; i < op->operand_count; i++) operands[i] = slot_of(p, ten_op_operand(op, i));
  uint32_t *results = ten_arena_new_array(arena, uint32_t, op->result_count);
  for (uint32_t i = 0; i < op->result_count; i++) results[i] = slot_of(p, &op->results[i]);
  inst->operands = operands;
  inst->results = results;
  if (op->code == TEN_OP_CONSTANT || op->code == TEN_OP_CHLO_CONSTANT) {
    const ten_attr *value = ten_op_attr(op, "value");
    if (!value) return ten_op_error(op, TEN_INVALID, "a constant has no value");
    TEN_TRY(ten_annotate(ten_tensor_of_attr(value, &inst->constant), "%.*s", TEN_FMT(op->name)));
    ten_vec_push(&p->program->constants, inst->constant);
  }
  if (op->code == TEN_OP_CALL) TEN_TRY(plan_symbol(p->program, op, ten_op_attr(op, "callee"), &inst->callee));
  if (op->code == TEN_OP_COMPOSITE)
    TEN_TRY(plan_symbol(p->program, op, ten_op_attr(op, "decomposition"), &inst->callee));
  if (op->code == TEN_OP_INTERPRETER_RUN_PARALLEL) {
    TEN_TRY(plan_named(p->program, op, ten_op_attr(op, "programs")));
    TEN_TRY(plan_named(p->program, op, ten_op_attr(op, "infeed")));
  }
  inst->regions = ten_arena_new_array(arena, interp_block, op->region_count);
  for (uint32_t i = 0; i < op->region_count; i++) {
    const ten_block *body = op->regions[i].first;
    if (!body || body->next) return ten_op_error(op, TEN_UNSUPPORTED, "region %u must have one block", i);
    TEN_TRY(plan_block(p, body, &inst->regions[i]));
  }
  return NULL;
}

/* Finds the last use of each value of the block. An unused value dies at its definition. */
static void plan_deaths(planner *p, const ten_block *block, interp_block *out) {
  TEN_VEC(death) deaths = {0};
  uint32_t *tally = ten_alloc((out->count + 1) * sizeof *tally);
  memset(tally, 0, (out->count + 1) * sizeof *tally);
  uint32_t position = 0;
  for (ten_op *op = block->first; op; op = op->next) op->number = position++;
  position = 0;
  for (ten_op *op = block->first; op && position < out->count; op = op->next, position++)
    for (uint32_t i = 0; i < op->result_count; i++) {
      uint32_t last = position;
      bool returned = false;
      for (const ten_use *use = op->results[i].uses; use; use = use->next) {
        const ten_op *user = ancestor_in(block, use->owner);
        if (!user) continue;
        if (user->number >= out->count)
          returned = true;
        else if (user->number > last)
          last = user->number;
      }
      if (returned) continue;
      ten_vec_push(&deaths, ((death){slot_of(p, &op->results[i]), last}));
      tally[last]++;
    }
  for (uint32_t i = 0; i < out->count; i++) {
    out->insts[i].dead = ten_arena_new_array(&p->program->arena, uint32_t, tally[i]);
    out->insts[i].dead_count = 0;
  }
  for (size_t i = 0; i < deaths.count; i++) {
    interp_inst *inst = &out->insts[deaths.data[i].at];
    ((uint32_t *)(uintptr_t)inst->dead)[inst->dead_count++] = deaths.data[i].slot;
  }
  ten_vec_free(&deaths);
  free(tally);
}

static ten_status *plan_block(planner *p, const ten_block *block, interp_block *out) {
  ten_arena *arena = &p->program->arena;
  out->block = block;
  uint32_t *args = ten_arena_new_array(arena, uint32_t, block->arg_count);
  for (uint32_t i = 0; i < block->arg_count; i++) args[i] = slot_of(p, block->args[i]);
  out->args = args;
  out->arg_count = block->arg_count;
  const ten_op *end = ten_block_terminator(block);
  if (!end || !ten_op_has(end, TEN_TRAIT_TERMINATOR))
    return ten_op_error(end ? end : block->region->op, TEN_INVALID, "the block does not end with a return");
  out->count = op_position(end);
  out->insts = ten_arena_new_array(arena, interp_inst, out->count);
  uint32_t position = 0;
  for (const ten_op *op = block->first; op != end; op = op->next) TEN_TRY(plan_inst(p, op, &out->insts[position++]));
  uint32_t *returns = ten_arena_new_array(arena, uint32_t, end->operand_count);
  for (uint32_t i = 0; i < end->operand_count; i++) returns[i] = slot_of(p, ten_op_operand(end, i));
  out->returns = returns;
  out->return_count = end->operand_count;
  out->lifts = block_lifts(block);
  plan_deaths(p, block, out);
  return NULL;
}

ten_status *interp_plan(interp_program *program, const ten_op *func, interp_func **out_func) {
  TEN_RECOVER("planning the program");
  *out_func = interp_func_find(program, func);
  if (*out_func) return NULL;
  const ten_block *body = func->regions[0].first;
  if (!body) return ten_op_error(func, TEN_INVALID, "@%.*s has no body", TEN_FMT(ten_func_name(func)));
  if (body->next)
    return ten_op_error(func, TEN_UNSUPPORTED, "@%.*s has more than one block", TEN_FMT(ten_func_name(func)));
  interp_func *made = ten_arena_new(&program->arena, interp_func);
  made->op = func;
  made->next = program->funcs;
  program->funcs = made; /* before its body: it may be recursive */
  planner p = {.program = program};
  ten_status *status = plan_block(&p, body, &made->body);
  made->slots = p.count;
  ten_value_map_free(&p.slots);
  *out_func = made;
  return status;
}
