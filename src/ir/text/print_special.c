/* print_special.c: constant, reduce, while and scan. */
#include <inttypes.h>

#include "ir/text/printer.h"

bool ten_print_constant_op(ten_printer *printer, const ten_op *op) {
  static const char *const covered[] = {"value", NULL};
  const ten_attr *value = ten_op_attr(op, "value");
  if (!value || (value->kind != TEN_ATTR_DENSE && value->kind != TEN_ATTR_RESOURCE) || op->result_count != 1 ||
      op->operand_count || op->region_count || value->dense.type != op->results[0].type)
    return false;
  ten_print_attr_dict(printer, op, "", ten_covered_by_list, covered);
  ten_buf_addc(printer->out, ' ');
  ten_print_dense(printer, printer->out, value);
  return true;
}

/* One commutative StableHLO op of the two arguments, returned: the form `applies`. */
static const ten_op *reduce_inner(const ten_op *op) {
  const ten_block *block = ten_op_body(op, 0);
  const ten_op *inner = block->first, *end = inner ? inner->next : NULL;
  if (!end || end->next || end->code != TEN_OP_RETURN || end->attr_count || inner->region_count || inner->attr_count)
    return NULL;
  if (!ten_op_has(inner, TEN_TRAIT_COMMUTATIVE) || !ten_str_starts(inner->name, "stablehlo.") ||
      inner->operand_count != 2 || inner->result_count != 1 || block->arg_count != 2 || end->operand_count != 1)
    return NULL;
  const ten_type *type = ten_op_operand(op, 0)->type;
  for (uint32_t i = 0; i < 2; i++)
    if (ten_op_operand(inner, i) != block->args[i] || block->args[i]->type != inner->results[0].type) return NULL;
  const ten_type *scalar = inner->results[0].type;
  if (scalar->kind != TEN_TYPE_TENSOR || !scalar->ranked || scalar->rank || scalar->encoding ||
      scalar->element != type->element)
    return NULL;
  return ten_op_operand(end, 0) == ten_op_result(inner, 0) ? inner : NULL;
}

bool ten_print_reduce_op(ten_printer *printer, const ten_op *op) {
  static const char *const covered[] = {"dimensions", NULL};
  ten_buf *out = printer->out;
  const ten_attr *dims = ten_op_attr(op, "dimensions");
  const uint32_t pairs = op->operand_count / 2;
  const ten_block *body = op->region_count == 1 ? ten_op_body(op, 0) : NULL;
  if (!dims || dims->kind != TEN_ATTR_LIST || dims->list.dtype != TEN_I64 || !body || body->next ||
      op->operand_count % 2 || !pairs || !ten_op_operand(op, 0) || !ten_op_operand(op, 0)->type->element)
    return false;
  const ten_op *inner = pairs == 1 ? reduce_inner(op) : NULL;
  if (!inner && body->arg_count != 2 * pairs) return false;
  for (uint32_t i = 0; i < pairs; i++) {
    ten_buf_adds(out, i ? ", (" : "(");
    ten_print_value(printer, ten_op_operand(op, i));
    ten_buf_adds(out, " init: ");
    ten_print_value(printer, ten_op_operand(op, i + pairs));
    ten_buf_addc(out, ')');
  }
  if (inner) ten_buf_printf(out, " applies %.*s", TEN_FMT(inner->name));
  ten_print_dims(out, ten_attr_as_ints(dims), " across dimensions = [", "]");
  ten_print_attr_dict(printer, op, "", ten_covered_by_list, covered);
  ten_buf_adds(out, " : ");
  ten_print_functional(printer, op);
  if (inner) return true;
  ten_print_newline(printer);
  ten_buf_adds(out, " reducer");
  for (uint32_t i = 0; i < pairs; i++) {
    for (uint32_t side = 0; side < 2; side++) {
      const ten_value *arg = body->args[i + side * pairs];
      ten_buf_adds(out, side ? ", " : "(");
      ten_print_value(printer, arg);
      ten_buf_adds(out, ": ");
      ten_type_print(out, arg->type);
      ten_print_trailing_loc(printer, arg->loc);
    }
    ten_buf_adds(out, ") ");
  }
  ten_buf_addc(out, ' ');
  ten_print_region(printer, &op->regions[0], false, false);
  return true;
}

/* Both regions take the op's operands, so one list of names serves; other arguments need the generic form. */
static bool while_is_printable(const ten_op *op) {
  if (op->region_count != 2 || op->result_count != op->operand_count) return false;
  for (uint32_t r = 0; r < 2; r++) {
    const ten_block *block = ten_op_body(op, r);
    if (!block || block->next || block->arg_count != op->operand_count) return false;
    if (!op->operand_count && !block->first) return false;
    for (uint32_t i = 0; i < op->operand_count; i++)
      if (!ten_op_operand(op, i) || block->args[i]->type != ten_op_operand(op, i)->type ||
          op->results[i].type != ten_op_operand(op, i)->type)
        return false;
  }
  return true;
}

bool ten_print_while_op(ten_printer *printer, const ten_op *op) {
  static const char *const covered[] = {NULL};
  if (!while_is_printable(op)) return false;
  ten_buf *out = printer->out;
  const ten_block *body = ten_op_body(op, 1);
  ten_buf_addc(out, '(');
  for (uint32_t i = 0; i < op->operand_count; i++) {
    if (i) ten_buf_adds(out, ", ");
    ten_print_value(printer, body->args[i]);
    ten_buf_adds(out, " = ");
    ten_print_value(printer, ten_op_operand(op, i));
  }
  ten_buf_addc(out, ')');
  for (uint32_t i = 0; i < op->operand_count; i++) {
    ten_buf_adds(out, i ? ", " : " : ");
    ten_type_print(out, ten_op_operand(op, i)->type);
  }
  ten_print_attr_dict(printer, op, "attributes ", ten_covered_by_list, covered);
  ten_print_newline(printer);
  ten_buf_adds(out, "cond ");
  ten_print_region(printer, &op->regions[0], false, false);
  ten_buf_adds(out, " do ");
  ten_print_region(printer, &op->regions[1], false, false);
  return true;
}

bool ten_print_scan_op(ten_printer *printer, const ten_op *op) {
  static const char *const covered[] = {"dimension", "operandSegmentSizes", "resultSegmentSizes", NULL};
  const ten_attr *dimension = ten_op_attr(op, "dimension"), *sizes = ten_op_attr(op, "operandSegmentSizes");
  const ten_attr *results = ten_op_attr(op, "resultSegmentSizes");
  if (!dimension || dimension->kind != TEN_ATTR_INT || !sizes || sizes->kind != TEN_ATTR_LIST ||
      sizes->list.dtype != TEN_I32 || sizes->list.count != 2 || !results || results->kind != TEN_ATTR_LIST ||
      results->list.dtype != TEN_I32 || results->list.count != 2 || op->region_count != 1)
    return false;
  const int32_t *parts = sizes->list.data, *result_parts = results->list.data;
  if (parts[0] < 0 || parts[1] < 0 || (uint32_t)parts[0] + (uint32_t)parts[1] != op->operand_count ||
      result_parts[1] != parts[1] || (int64_t)result_parts[0] + result_parts[1] != op->result_count)
    return false;
  const uint32_t inputs = (uint32_t)parts[0];
  ten_buf *out = printer->out;
  ten_buf_addc(out, '(');
  ten_print_operands(printer, op, 0, inputs);
  ten_buf_adds(out, ") inits (");
  ten_print_operands(printer, op, inputs, op->operand_count);
  ten_buf_printf(out, ") dimension=%" PRId64 " ", dimension->integer.value);
  ten_print_attr_dict(printer, op, "attributes ", ten_covered_by_list, covered);
  ten_buf_addc(out, ' ');
  ten_print_region(printer, &op->regions[0], true, false);
  ten_buf_adds(out, " : ");
  ten_print_functional(printer, op);
  return true;
}
