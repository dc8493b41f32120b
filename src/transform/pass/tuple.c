/* tuple.c: removes tuples that one op packs and another unpacks, and passes the operands of optimization barriers and
 * while loops through. Tuples that are arguments or results of a function stay. Needs: verified IR, calls inlined.
 * Keeps: everything else. */
#include "transform/pass/pass.h"

static ten_status *visit(ten_op *op, void *context) {
  (void)context;
  if (op->code != TEN_OP_GET_TUPLE_ELEMENT) return NULL;
  const ten_value *tuple = ten_op_operand(op, 0);
  if (!tuple->op || tuple->op->code != TEN_OP_TUPLE) return NULL;
  const int64_t index = ten_attr_as_int(ten_op_attr(op, "index"), 0);
  ten_value_replace(&op->results[0], ten_op_operand(tuple->op, (uint32_t)index));
  return NULL;
}

static ten_status *tuple_run(ten_module *module) { return ten_op_walk(module->op, visit, NULL); }

const ten_pass ten_pass_tuple = {.name = "tuple", .summary = "take tuples apart", .run = tuple_run};
