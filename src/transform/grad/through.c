/* through.c: expansions into simpler ops. */
#include "transform/grad/through.h"

#include <stdlib.h>

ten_opcode ten_body_op(const ten_block *body) {
  const ten_op *op = body->first, *end = ten_block_terminator(body);
  if (!op || body->arg_count != 2 || op->next != end || op->operand_count != 2 || end->operand_count != 1)
    return TEN_OP_UNKNOWN;
  if (ten_op_operand(end, 0) != &op->results[0]) return TEN_OP_UNKNOWN;
  const ten_value *x = ten_op_operand(op, 0), *y = ten_op_operand(op, 1);
  const bool straight = x == body->args[0] && y == body->args[1], crossed = x == body->args[1] && y == body->args[0];
  return straight || (crossed && ten_op_has(op, TEN_TRAIT_COMMUTATIVE)) ? op->code : TEN_OP_UNKNOWN;
}

ten_status *ten_lift_body(ten_builder *b, const ten_block *body, ten_value *const *args, uint32_t rank,
                          const int64_t *dims, ten_value **results) {
  ten_value_map map = {0};
  ten_status *status = NULL;
  for (uint32_t i = 0; i < body->arg_count; i++) ten_value_map_set(&map, body->args[i], args[i]);
  for (const ten_op *op = body->first; op && !status; op = op->next) {
    ten_value **operands = ten_arena_new_array(&b->module->arena, ten_value *, op->operand_count);
    for (uint32_t i = 0; i < op->operand_count; i++) {
      ten_value *mapped = ten_value_map_get(&map, op->operands[i].value);
      if (!mapped) mapped = ten_build_broadcast_to(b, op->operands[i].value, rank, dims); /* a captured scalar */
      operands[i] = mapped;
    }
    if (ten_op_has(op, TEN_TRAIT_TERMINATOR)) {
      for (uint32_t i = 0; i < op->operand_count; i++) results[i] = operands[i];
      break;
    }
    if (op->code == TEN_OP_CONSTANT) {
      const ten_attr *value = ten_op_attr(op, "value");
      const ten_type *type = ten_type_with_shape(b->module, op->results[0].type, rank, dims);
      const ten_attr *splat = ten_attr_dense_view(b->module, type, value->dense.data, ten_dtype_bytes(type->dtype),
                                                  ten_type_count(type) != 1);
      ten_value_map_set(&map, &op->results[0], ten_build_constant(b, splat));
      continue;
    }
    if (!ten_op_has(op, TEN_TRAIT_ELEMENTWISE | TEN_TRAIT_BROADCASTS_SCALARS) || op->result_count != 1) {
      status = ten_op_error(op, TEN_UNSUPPORTED, "has no gradient inside the body of a reduction");
      break;
    }
    const ten_type *type = ten_type_with_shape(b->module, op->results[0].type, rank, dims);
    ten_op *lifted = ten_build_op(b, op->code, op->operand_count, operands, 1, &type, op->attr_count, op->attrs, 0);
    ten_value_map_set(&map, &op->results[0], &lifted->results[0]);
  }
  ten_value_map_free(&map);
  return status;
}

ten_status *ten_vjp_through(ten_vjp *v, ten_expansion expand) {
  ten_module *module = v->b->module;
  const ten_op *op = v->op;
  const ten_type **types = ten_arena_new_array(&module->arena, const ten_type *, op->operand_count);
  ten_value **args = ten_arena_new_array(&module->arena, ten_value *, op->operand_count);
  ten_value **arg_ct = ten_arena_new_array(&module->arena, ten_value *, op->operand_count);
  for (uint32_t i = 0; i < op->operand_count; i++) {
    args[i] = ten_op_operand(op, i);
    types[i] = args[i]->type;
  }
  ten_op *scratch = ten_func_create(module, TEN_STR("expansion"), op->operand_count, types, 0, NULL, op->loc);
  ten_builder b = {.module = module, .block = ten_op_body(scratch, 0), .loc = op->loc};
  ten_status *status = expand(&b, op, b.block->args);
  if (!status) {
    size_t free_count;
    ten_value **free_values = ten_vjp_free_values(v, op, &free_count);
    ten_value **free_ct = ten_arena_new_array(&module->arena, ten_value *, free_count);
    const ten_block_vjp what = {.block = b.block,
                                .args = args,
                                .ct = v->ct,
                                .arg_ct = arg_ct,
                                .free_values = free_values,
                                .free_count = free_count,
                                .free_ct = free_ct};
    status = ten_block_pull_back(v, v->b, &what);
    for (uint32_t i = 0; !status && i < op->operand_count; i++) {
      bool seen = false; /* a repeated operand has all of its cotangent at its first position */
      for (uint32_t j = 0; j < i && !seen; j++) seen = args[j] == args[i];
      if (!seen) ten_vjp_add(v, i, arg_ct[i]);
    }
    for (size_t i = 0; !status && i < free_count; i++) ten_vjp_add_value(v, free_values[i], free_ct[i]);
  }
  ten_op_erase(scratch);
  return status;
}
