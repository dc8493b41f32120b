/* buffers.c: which values get buffers: results of heavy ops, values read by host steps, loops, branches and the caller,
 * and what would be computed too often otherwise. */
#include "backend/simt/planner.h"

typedef simt_planner planner;

enum { COST_MOST = 60000, COST_AGAIN = 6, COST_WIDER = 16, COST_ROWS = 8, COST_KERNEL = 400 };

bool simt_is_control(const ten_op *op) {
  return op->code == TEN_OP_WHILE || op->code == TEN_OP_IF || op->code == TEN_OP_CASE;
}

/* Ops with a loop per element. */
static bool is_heavy(const ten_op *op) {
  switch (op->code) {
    case TEN_OP_REDUCE:
    case TEN_OP_REDUCE_WINDOW:
    case TEN_OP_SELECT_AND_SCATTER:
    case TEN_OP_DOT_GENERAL:
    case TEN_OP_CONVOLUTION: return true;
    default: return false;
  }
}

void simt_give_buffer(planner *p, const ten_value *value) {
  if (ten_type_is_tensor(value->type) && !(value->op && value->op->data)) p->stored[value->number] = true;
}

/* Stores all values that control flow ops read, including in their regions. */
static void store_captures(planner *p, const ten_op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++) simt_give_buffer(p, ten_op_operand(op, i));
  for (uint32_t r = 0; r < op->region_count; r++) {
    const ten_block *block = ten_op_body(op, r);
    for (uint32_t i = 0; i < block->arg_count; i++) simt_give_buffer(p, block->args[i]);
    for (const ten_op *inner = block->first; inner; inner = inner->next) {
      for (uint32_t i = 0; i < inner->operand_count; i++) {
        const ten_value *value = ten_op_operand(inner, i);
        const ten_block *from = value->op ? value->op->block : value->block;
        if (from != block && !(value->op && simt_can_emit(value->op) && value->op->code == TEN_OP_CONSTANT))
          simt_give_buffer(p, value);
      }
      if (ten_op_has(inner, TEN_TRAIT_TERMINATOR))
        for (uint32_t i = 0; i < inner->operand_count; i++) simt_give_buffer(p, ten_op_operand(inner, i));
    }
  }
}

/* A buffer's elements, only moved or widened: a contraction reads them from the buffer. */
static bool is_moved(const planner *p, const ten_value *value) {
  while (!p->stored[value->number]) {
    if (!value->op) return false;
    const ten_op *op = value->op;
    switch (op->code) {
      case TEN_OP_CONVERT:
      case TEN_OP_RESHAPE:
      case TEN_OP_TRANSPOSE:
      case TEN_OP_SLICE:
      case TEN_OP_BROADCAST_IN_DIM: break;
      default: return false;
    }
    if (op->code == TEN_OP_CONVERT && value->type->dtype != TEN_F32) return false;
    value = ten_op_operand(op, 0);
  }
  return true;
}

/* Stores values computed from constants, so that they are computed once, but not their copies. */
static void store_constants(planner *p, const ten_op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const ten_value *value = ten_op_operand(op, i);
    while (p->constant[value->number] && value->op->operand_count &&
           (value->op->code == TEN_OP_BROADCAST_IN_DIM || value->op->code == TEN_OP_RESHAPE))
      value = ten_op_operand(value->op, 0);
    if (p->constant[value->number] && p->cost[value->number] > 2 && value->type->rank) simt_give_buffer(p, value);
  }
}

static bool is_constant(const planner *p, const ten_op *op) {
  if (op->code == TEN_OP_CONSTANT) return true;
  if (op->region_count || !op->operand_count || !simt_can_emit(op)) return false;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (!p->constant[ten_op_operand(op, i)->number]) return false;
  return true;
}

static uint16_t cost_of(const planner *p, const ten_op *op) {
  uint32_t cost = op->code == TEN_OP_CONSTANT || op->code == TEN_OP_IOTA ? 0 : 1;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (!p->stored[ten_op_operand(op, i)->number]) cost += p->cost[ten_op_operand(op, i)->number];
  return (uint16_t)(cost > COST_MOST ? COST_MOST : cost);
}

/* Arithmetic that takes a few instructions at most. */
static bool is_quick(const ten_op *op) {
  switch (op->code) {
    case TEN_OP_ADD:
    case TEN_OP_SUBTRACT:
    case TEN_OP_MULTIPLY:
    case TEN_OP_NEGATE:
    case TEN_OP_MAXIMUM:
    case TEN_OP_MINIMUM:
    case TEN_OP_CONVERT:
    case TEN_OP_COMPARE:
    case TEN_OP_SELECT: return true;
    default: return false;
  }
}

/* Bytes that are read of buffers for each of `count` elements, by quick arithmetic; a large number: not so. */
static size_t bytes_read(const planner *p, const ten_value *value, int64_t count, bool own) {
  const ten_op *op = value->op;
  if (ten_type_count(value->type) != count) return 0;
  if (p->stored[value->number] && !own) return ten_dtype_bytes(value->type->dtype);
  if (!op || op->code == TEN_OP_CONSTANT) return op ? 0 : COST_MOST;
  if (op->code == TEN_OP_BROADCAST_IN_DIM && ten_type_count(ten_op_operand(op, 0)->type) < count) return 0;
  if (!is_quick(op) && op->code != TEN_OP_TRANSPOSE && op->code != TEN_OP_RESHAPE) return COST_MOST;
  size_t bytes = 0;
  for (uint32_t i = 0; i < op->operand_count; i++) bytes += bytes_read(p, ten_op_operand(op, i), count, false);
  return bytes;
}

/* Whether writing the value and reading it takes more memory traffic than computing it again where it is read. */
static bool is_wider(const planner *p, const ten_value *value, uint16_t cost) {
  return cost <= COST_WIDER &&
         bytes_read(p, value, ten_type_count(value->type), true) <= ten_dtype_bytes(value->type->dtype);
}

/* Quick arithmetic on buffers that a kernel of rows, which reads them twice, has in its cache the second time. */
static bool is_again(const planner *p, const ten_value *value) {
  return p->cost[value->number] <= COST_WIDER && bytes_read(p, value, ten_type_count(value->type), true) < COST_MOST;
}

/* Chooses the stored values of a block, in order: an op's operands are decided before it. */
void simt_choose_buffers(planner *p, const ten_block *block) {
  for (const ten_op *op = block->first; op; op = op->next) {
    const bool kernel = simt_is_kernel_op(op);
    if (simt_is_control(op)) {
      store_captures(p, op);
      for (uint32_t r = 0; r < op->region_count; r++) simt_choose_buffers(p, ten_op_body(op, r));
    }
    if (ten_op_has(op, TEN_TRAIT_TERMINATOR) || (!kernel && !simt_is_control(op)))
      for (uint32_t i = 0; i < op->operand_count; i++) simt_give_buffer(p, ten_op_operand(op, i));
    if (is_heavy(op) || op->code == TEN_OP_SCATTER)
      for (uint32_t i = 0; i < op->operand_count; i++) {
        const ten_value *value = ten_op_operand(op, i);
        const bool once = op->code == TEN_OP_REDUCE, /* reads each element once */
            copies = (op->code == TEN_OP_DOT_GENERAL || op->code == TEN_OP_CONVOLUTION) && is_moved(p, value);
        const int most = once                                         ? (op->data ? COST_ROWS : COST_KERNEL)
                         : p->gen.language == SIMT_CUDA_C && op->data ? 0
                                                                      : 2;
        if (value->op && !copies && p->cost[value->number] > most && !(once && is_again(p, value)))
          simt_give_buffer(p, value);
      }
    const bool constant = is_constant(p, op);
    for (uint32_t i = 0; i < op->result_count; i++) p->constant[op->results[i].number] = constant;
    if (!constant) store_constants(p, op);
    const uint16_t cost = cost_of(p, op);
    for (uint32_t i = 0; i < op->result_count && op->data; i++) p->cost[op->results[i].number] = cost;
    for (uint32_t i = 0; i < op->result_count && !op->data; i++) { /* fused ops are already decided */
      const ten_value *value = &op->results[i];
      p->cost[value->number] = cost;
      const bool again =
          value->uses && value->uses->next && cost > COST_AGAIN && value->type->rank && !is_wider(p, value, cost);
      if (!kernel || is_heavy(op) || op->code == TEN_OP_SCATTER || simt_is_dense_constant(op) || again ||
          cost > COST_KERNEL)
        simt_give_buffer(p, value);
    }
  }
}
