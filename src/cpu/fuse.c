/* fuse.c: decides which values get memory; every other one is computed inside the kernels that want it.
 *
 * A value gets memory when someone needs it whole (a C kernel, control flow, a return), when computing it again would cost more
 * than reading it back (several users, or one that reads each element many times), or when its op cannot be emitted by element.
 * What only moves elements, and constants of one value, are never worth memory of their own. */
#include "cpu/codegen/cg.h"
#include "cpu/plan.h"

enum { FUSE_MAX = 48 }; /* ops in one kernel's expression: beyond this compile time hurts */

/* Gives one element at the cost of an address. */
static bool is_view(const ten_op *op) {
  switch (op->code) {
    case TEN_OP_IOTA:
    case TEN_OP_BROADCAST_IN_DIM:
    case TEN_OP_BROADCAST:
    case TEN_OP_RESHAPE:
    case TEN_OP_TRANSPOSE:
    case TEN_OP_SLICE:
    case TEN_OP_REVERSE:
    case TEN_OP_REAL:
    case TEN_OP_IMAG:
    case TEN_OP_OPTIMIZATION_BARRIER: return true;
    case TEN_OP_CONSTANT: return cg_can_emit(op);
    default: return false;
  }
}

/* Loops for every element it gives, so it is the root of its own kernel. */
static bool is_loop(const ten_op *op) {
  switch (op->code) {
    case TEN_OP_REDUCE:
    case TEN_OP_REDUCE_WINDOW:
    case TEN_OP_DOT_GENERAL:
    case TEN_OP_CONVOLUTION: return true;
    default: return false;
  }
}

/* Reads an operand element more than once for each result element, or for several result elements. */
static bool rereads(const ten_op *op, uint32_t operand) {
  switch (op->code) {
    case TEN_OP_DOT_GENERAL:
    case TEN_OP_CONVOLUTION:
    case TEN_OP_REDUCE_WINDOW:
    case TEN_OP_GATHER:
    case TEN_OP_TORCH_INDEX_SELECT: return true;
    case TEN_OP_BROADCAST_IN_DIM:
    case TEN_OP_BROADCAST: return ten_type_count(op->results[0].type) > ten_type_count(ten_op_operand(op, operand)->type);
    case TEN_OP_DYNAMIC_SLICE:
    case TEN_OP_DYNAMIC_UPDATE_SLICE:
    case TEN_OP_PAD: return operand > 0 && ten_op_operand(op, operand)->type->rank == 0;
    case TEN_OP_BITCAST_CONVERT: return true;
    default: return false;
  }
}

/* Whether someone reads elements of `value` more than once, looking through views. */
static bool read_often(const ten_value *value, int depth) {
  for (const ten_use *use = value->uses; use; use = use->next) {
    const ten_op *user = use->owner;
    if (rereads(user, use->index)) return true;
    if (is_view(user) && depth < 8 && read_often(&user->results[0], depth + 1)) return true;
  }
  return false;
}

/* Kernels that would compute `value`: its users, with views standing for theirs. Stops counting at 2. */
static unsigned kernel_users(const ten_value *value, int depth) {
  unsigned count = 0;
  const ten_op *seen = NULL;
  for (const ten_use *use = value->uses; use && count < 2; use = use->next) {
    if (use->owner == seen) continue;
    seen = use->owner;
    count += is_view(use->owner) && depth < 8 ? kernel_users(&use->owner->results[0], depth + 1) : 1;
  }
  return count;
}

static bool needs_memory(const ten_value *value, const ten_block *block) {
  for (const ten_use *use = value->uses; use; use = use->next) {
    const ten_op *user = use->owner;
    if (user->block == block) {
      if (ten_op_has(user, TEN_TRAIT_TERMINATOR) || !cg_can_emit(user)) return true;
      continue;
    }
    /* inside a region: the body of a reduce is emitted in place, other regions are other kernels */
    const ten_op *outer = user;
    while (outer && outer->block != block) outer = ten_op_parent(outer);
    if (!outer || !cg_can_emit(outer)) return true;
  }
  return false;
}

static unsigned expression_size(const cpu_plan *plan, const ten_value *value, const bool *in_memory, const uint32_t *sizes) {
  (void)plan;
  if (!value->op || in_memory[value->number]) return 0;
  return sizes[value->number];
}

void cpu_fuse(const cpu_plan *plan, const ten_block *block, bool *in_memory) {
  uint32_t *sizes = ten_arena_new_array((ten_arena *)&plan->arena, uint32_t, plan->value_count + 1);
  for (uint32_t i = 0; i < block->arg_count; i++) in_memory[block->args[i]->number] = true;
  for (const ten_op *op = block->first; op; op = op->next) {
    unsigned size = 1;
    for (uint32_t i = 0; i < op->operand_count; i++) size += expression_size(plan, ten_op_operand(op, i), in_memory, sizes);
    const bool emits = cg_can_emit(op);
    for (uint32_t i = 0; i < op->result_count; i++) {
      const ten_value *value = &op->results[i];
      bool memory = !emits || needs_memory(value, block);
      if (op->code == TEN_OP_CONSTANT && emits && !memory) {
        sizes[value->number] = 0;
        continue;
      }
      if (!is_view(op)) memory |= is_loop(op) || kernel_users(value, 0) > 1 || read_often(value, 0) || size > FUSE_MAX;
      in_memory[value->number] = memory;
      sizes[value->number] = size;
    }
    /* results of one op live together */
    for (uint32_t i = 1; i < op->result_count; i++)
      if (in_memory[op->results[i].number]) in_memory[op->results[0].number] = true;
    for (uint32_t i = 1; i < op->result_count; i++)
      in_memory[op->results[i].number] = in_memory[op->results[0].number];
  }
}
