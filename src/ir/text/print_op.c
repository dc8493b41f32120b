/* print_op.c: ops, in their own form where they have one that can express them, else in the generic one; regions and
 * blocks. */
#include "ir/text/format.h"
#include "ir/text/printer.h"

void ten_print_newline(ten_printer *printer) {
  ten_buf_addc(printer->out, '\n');
  for (unsigned i = 0; i < printer->indent; i++) ten_buf_adds(printer->out, "  ");
}

static void print_base_name(ten_printer *printer, const ten_value *value) {
  const uint32_t index = value->number < printer->names.count ? value->number : 0;
  const ten_value_name *name = &printer->names.data[index];
  ten_buf_printf(printer->out, "%%%s", name->prefix);
  if (name->number != UINT32_MAX)
    ten_buf_printf(printer->out, name->joined || !name->prefix[0] ? "%u" : "_%u", name->number);
}

void ten_print_value(ten_printer *printer, const ten_value *value) {
  if (!value) {
    ten_buf_adds(printer->out, "<<NULL VALUE>>");
  } else if (value->op && value->op->result_count > 1 && !ten_print_has_named_results(printer, value->op)) {
    print_base_name(printer, ten_op_result(value->op, 0));
    ten_buf_printf(printer->out, "#%u", value->index);
  } else {
    print_base_name(printer, value);
  }
}

void ten_print_operands(ten_printer *printer, const ten_op *op, uint32_t from, uint32_t to) {
  for (uint32_t i = from; i < to; i++) {
    if (i > from) ten_buf_adds(printer->out, ", ");
    ten_print_value(printer, ten_op_operand(op, i));
  }
}

static void print_operand_types(ten_printer *printer, const ten_op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++) {
    if (i) ten_buf_adds(printer->out, ", ");
    if (ten_op_operand(op, i))
      ten_type_print(printer->out, ten_op_operand(op, i)->type);
    else
      ten_buf_adds(printer->out, "<<NULL TYPE>>");
  }
}

void ten_print_functional(ten_printer *printer, const ten_op *op) {
  ten_buf *out = printer->out;
  ten_buf_addc(out, '(');
  print_operand_types(printer, op);
  ten_buf_adds(out, ") -> ");
  const bool bare = op->result_count == 1 && op->results[0].type->kind != TEN_TYPE_FUNCTION;
  if (!bare) ten_buf_addc(out, '(');
  for (uint32_t i = 0; i < op->result_count; i++) {
    if (i) ten_buf_adds(out, ", ");
    ten_type_print(out, op->results[i].type);
  }
  if (!bare) ten_buf_addc(out, ')');
}

static void print_named(ten_printer *printer, const ten_named_attr *attr) {
  ten_print_name(printer->out, attr->name);
  if (attr->value->kind == TEN_ATTR_UNIT) return;
  ten_buf_adds(printer->out, " = ");
  ten_print_attr(printer, printer->out, attr->value, ELIDE_NEVER);
}

bool ten_covered_by_list(const void *names, ten_str name) {
  for (const char *const *at = names; *at; at++)
    if (ten_str_is(name, *at)) return true;
  return false;
}

void ten_print_attr_dict(ten_printer *printer, const ten_op *op, const char *keyword, ten_covered covered,
                         const void *context) {
  bool any = false;
  for (uint32_t i = 0; i < op->attr_count; i++) {
    if (covered(context, op->attrs[i].name)) continue;
    if (any)
      ten_buf_adds(printer->out, ", ");
    else
      ten_buf_printf(printer->out, " %s{", keyword);
    any = true;
    print_named(printer, &op->attrs[i]);
  }
  if (any) ten_buf_addc(printer->out, '}');
}

static void print_block(ten_printer *printer, const ten_block *block, bool header, uint32_t index) {
  ten_buf *out = printer->out;
  if (header) {
    ten_print_newline(printer);
    ten_buf_printf(out, "^bb%u", index);
    for (uint32_t i = 0; i < block->arg_count; i++) {
      ten_buf_adds(out, i ? ", " : "(");
      ten_print_value(printer, block->args[i]);
      ten_buf_adds(out, ": ");
      ten_type_print(out, block->args[i]->type);
      ten_print_trailing_loc(printer, block->args[i]->loc);
    }
    ten_buf_adds(out, block->arg_count ? "):" : ":");
    if (index) ten_buf_adds(out, "  // no predecessors");
  }
  printer->indent++;
  for (const ten_op *op = block->first; op; op = op->next) {
    ten_print_newline(printer);
    ten_print_op(printer, op);
  }
  printer->indent--;
}

static ten_str dialect_of(const ten_op *op) {
  return op->code == TEN_OP_FUNC ? TEN_STR("func.") : op->code == TEN_OP_MODULE ? TEN_STR("builtin.") : (ten_str){0};
}

void ten_print_region(ten_printer *printer, const ten_region *region, bool entry_args, bool empty_header) {
  const ten_str dialect = printer->dialect;
  printer->dialect = dialect_of(region->op);
  ten_buf_addc(printer->out, '{');
  uint32_t index = 0;
  for (const ten_block *block = region->first; block; block = block->next, index++) {
    const bool entry = block == region->first;
    print_block(printer, block, !entry || (entry_args && block->arg_count) || (empty_header && !block->first), index);
  }
  ten_print_newline(printer);
  ten_buf_addc(printer->out, '}');
  printer->dialect = dialect;
}

static bool is_testing(const ten_printer *printer, const ten_op *op) {
  return printer->options.generic_testing &&
         (ten_str_starts(op->name, "check.") || ten_str_starts(op->name, "interpreter."));
}

static void print_generic(ten_printer *printer, const ten_op *op) {
  ten_buf *out = printer->out;
  const bool properties = !is_testing(printer, op); /* upstream has none for an unknown op */
  ten_print_string(out, op->name);
  ten_buf_addc(out, '(');
  ten_print_operands(printer, op, 0, op->operand_count);
  ten_buf_addc(out, ')');
  bool any = false;
  for (uint32_t i = 0; i < op->attr_count; i++) {
    if (!op->attrs[i].inherent || !properties) continue;
    ten_buf_adds(out, any ? ", " : " <{");
    any = true;
    print_named(printer, &op->attrs[i]);
  }
  if (any) ten_buf_adds(out, "}>");
  for (uint32_t i = 0; i < op->region_count; i++) {
    ten_buf_adds(out, i ? ", " : " (");
    ten_print_region(printer, &op->regions[i], true, true);
  }
  if (op->region_count) ten_buf_addc(out, ')');
  any = false;
  for (uint32_t i = 0; i < op->attr_count; i++) {
    if (op->attrs[i].inherent && properties) continue;
    ten_buf_adds(out, any ? ", " : " {");
    any = true;
    print_named(printer, &op->attrs[i]);
  }
  ten_buf_adds(out, any ? "} : " : " : ");
  ten_print_functional(printer, op);
}

static bool wants_generic(const ten_printer *printer, const ten_op *op) {
  if (printer->options.generic) return true;
  return is_testing(printer, op);
}

/* The name and the op's own form; false, with nothing printed, when the form cannot express this op. */
static bool print_pretty(ten_printer *printer, const ten_op *op) {
  const ten_text_form *form = &ten_text_forms[op->code];
  const size_t start = printer->out->size;
  const bool short_name = printer->dialect.size && op->name.size > printer->dialect.size &&
                          !memcmp(op->name.data, printer->dialect.data, printer->dialect.size);
  const size_t cut = short_name ? printer->dialect.size : 0;
  ten_buf_add(printer->out, op->name.data + cut, op->name.size - cut);
  bool ok = false;
  if (form->print)
    ok = form->print(printer, op);
  else if (ten_format_of(op->code, op->name))
    ok = ten_print_by_format(printer, op, ten_format_of(op->code, op->name));
  if (!ok) printer->out->size = start;
  return ok;
}

void ten_print_op(ten_printer *printer, const ten_op *op) {
  if (op->result_count) {
    print_base_name(printer, ten_op_result(op, 0));
    const bool named = op->result_count > 1 && ten_print_has_named_results(printer, op);
    for (uint32_t i = 1; named && i < op->result_count; i++) {
      ten_buf_adds(printer->out, ", ");
      print_base_name(printer, ten_op_result(op, i));
    }
    if (op->result_count > 1 && !named) ten_buf_printf(printer->out, ":%u", op->result_count);
    ten_buf_adds(printer->out, " = ");
  }
  if (wants_generic(printer, op) || !print_pretty(printer, op)) print_generic(printer, op);
  ten_print_trailing_loc(printer, op->loc);
}
