/* storage.c: the list of ops that move stored integers. */
#include "ir/storage.h"

static const bool moves[TEN_OP_COUNT] = {
    [TEN_OP_CONSTANT] = true,
    [TEN_OP_BITCAST_CONVERT] = true,
    [TEN_OP_BROADCAST] = true,
    [TEN_OP_BROADCAST_IN_DIM] = true,
    [TEN_OP_DYNAMIC_BROADCAST_IN_DIM] = true,
    [TEN_OP_RESHAPE] = true,
    [TEN_OP_DYNAMIC_RESHAPE] = true,
    [TEN_OP_TRANSPOSE] = true,
    [TEN_OP_REVERSE] = true,
    [TEN_OP_SLICE] = true,
    [TEN_OP_REAL_DYNAMIC_SLICE] = true,
    [TEN_OP_DYNAMIC_SLICE] = true,
    [TEN_OP_DYNAMIC_UPDATE_SLICE] = true,
    [TEN_OP_PAD] = true,
    [TEN_OP_DYNAMIC_PAD] = true,
    [TEN_OP_CONCATENATE] = true,
    [TEN_OP_GATHER] = true,
    [TEN_OP_DYNAMIC_GATHER] = true,
    [TEN_OP_TORCH_INDEX_SELECT] = true,
    [TEN_OP_GET_DIMENSION_SIZE] = true,
    [TEN_OP_SET_DIMENSION_SIZE] = true,
    [TEN_OP_REDUCE] = true,
    [TEN_OP_REDUCE_WINDOW] = true,
    [TEN_OP_SCATTER] = true,
    [TEN_OP_SELECT_AND_SCATTER] = true,
    [TEN_OP_SORT] = true,
    [TEN_OP_MAP] = true,
    [TEN_OP_WHILE] = true,
    [TEN_OP_IF] = true,
    [TEN_OP_CASE] = true,
    [TEN_OP_CALL] = true,
    [TEN_OP_COMPOSITE] = true,
    [TEN_OP_CUSTOM_CALL] = true,
    [TEN_OP_TUPLE] = true,
    [TEN_OP_GET_TUPLE_ELEMENT] = true,
    [TEN_OP_OPTIMIZATION_BARRIER] = true,
    [TEN_OP_INFEED] = true,
    [TEN_OP_OUTFEED] = true,
    [TEN_OP_SEND] = true,
    [TEN_OP_RECV] = true,
    [TEN_OP_CAST] = true,
    [TEN_OP_CHLO_SCAN] = true,
};

bool ten_op_on_storage(const ten_op *op) {
  if (moves[op->code]) return true;
  if (op->code == TEN_OP_SELECT)
    return ten_op_operand(op, 1)->type->element == op->results[0].type->element &&
           ten_op_operand(op, 2)->type->element == op->results[0].type->element;
  return ten_op_has(op, TEN_TRAIT_COLLECTIVE | TEN_TRAIT_SIDE_EFFECT | TEN_TRAIT_TERMINATOR | TEN_TRAIT_SYMBOL);
}
