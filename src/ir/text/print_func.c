/* print_func.c: module and func.func. */
#include "ir/text/printer.h"

bool ten_print_module_op(ten_printer *printer, const ten_op *op) {
  static const char *const covered[] = {"sym_name", NULL};
  const ten_attr *name = ten_op_attr(op, "sym_name");
  if ((name && name->kind != TEN_ATTR_STRING) || op->region_count != 1 || !ten_op_body(op, 0)) return false;
  if (name) {
    ten_buf_addc(printer->out, ' ');
    ten_print_symbol(printer->out, name->string);
  }
  ten_print_attr_dict(printer, op, "attributes ", ten_covered_by_list, covered);
  ten_buf_addc(printer->out, ' ');
  ten_print_region(printer, &op->regions[0], false, false);
  return true;
}

/* The dictionary of argument or result i, NULL when empty; clears *ok when the attribute is malformed. */
static const ten_attr *dict_at(const ten_attr *list, uint32_t i, uint32_t count, bool *ok) {
  if (!list) return NULL;
  if (list->kind != TEN_ATTR_ARRAY || list->array.count != count || list->array.items[i]->kind != TEN_ATTR_DICT) {
    *ok = false;
    return NULL;
  }
  return list->array.items[i]->dict.count ? list->array.items[i] : NULL;
}

static void print_typed(ten_printer *printer, const ten_type *type, const ten_attr *dict) {
  ten_type_print(printer->out, type);
  if (!dict) return;
  ten_buf_addc(printer->out, ' ');
  ten_print_attr(printer, printer->out, dict, ELIDE_NEVER);
}

static bool func_is_printable(const ten_op *op) {
  const ten_attr *name = ten_op_attr(op, "sym_name"), *visibility = ten_op_attr(op, "sym_visibility");
  const ten_type *type = ten_func_type(op);
  if (!name || name->kind != TEN_ATTR_STRING || !type || op->region_count != 1 || op->operand_count || op->result_count)
    return false;
  if (visibility && visibility->kind != TEN_ATTR_STRING) return false;
  const ten_str word = ten_attr_as_string(visibility);
  if (visibility && !ten_str_is(word, "public") && !ten_str_is(word, "private") && !ten_str_is(word, "nested"))
    return false;
  const ten_block *body = ten_op_body(op, 0);
  if (body && (body->arg_count != type->input_count || !body->first)) return false;
  bool ok = true, any = false;
  for (uint32_t i = 0; i < type->input_count; i++) {
    if (body && body->args[i]->type != type->inputs[i]) return false;
    any = dict_at(ten_op_attr(op, "arg_attrs"), i, type->input_count, &ok) || any;
  }
  if (ten_op_attr(op, "arg_attrs") && !any) return false;
  any = false;
  for (uint32_t i = 0; i < type->result_count; i++)
    any = dict_at(ten_op_attr(op, "res_attrs"), i, type->result_count, &ok) || any;
  return ok && (!ten_op_attr(op, "res_attrs") || any);
}

bool ten_print_func_op(ten_printer *printer, const ten_op *op) {
  static const char *const covered[] = {"sym_name", "function_type", "sym_visibility", "arg_attrs", "res_attrs", NULL};
  if (!func_is_printable(op)) return false;
  ten_buf *out = printer->out;
  const ten_type *type = ten_func_type(op);
  const ten_attr *visibility = ten_op_attr(op, "sym_visibility"), *arg_attrs = ten_op_attr(op, "arg_attrs");
  const ten_attr *res_attrs = ten_op_attr(op, "res_attrs");
  const ten_block *body = ten_op_body(op, 0);
  bool ok = true;
  ten_buf_addc(out, ' ');
  if (visibility) ten_buf_printf(out, "%.*s ", TEN_FMT(visibility->string));
  ten_print_symbol(out, ten_func_name(op));
  ten_buf_addc(out, '(');
  for (uint32_t i = 0; i < type->input_count; i++) {
    if (i) ten_buf_adds(out, ", ");
    if (body) {
      ten_print_value(printer, body->args[i]);
      ten_buf_adds(out, ": ");
    }
    print_typed(printer, type->inputs[i], dict_at(arg_attrs, i, type->input_count, &ok));
    if (body) ten_print_trailing_loc(printer, body->args[i]->loc);
  }
  ten_buf_addc(out, ')');
  if (type->result_count) {
    const bool bare = type->result_count == 1 && type->results[0]->kind != TEN_TYPE_FUNCTION && !res_attrs;
    ten_buf_adds(out, bare ? " -> " : " -> (");
    for (uint32_t i = 0; i < type->result_count; i++) {
      if (i) ten_buf_adds(out, ", ");
      print_typed(printer, type->results[i], dict_at(res_attrs, i, type->result_count, &ok));
    }
    if (!bare) ten_buf_addc(out, ')');
  }
  ten_print_attr_dict(printer, op, "attributes ", ten_covered_by_list, covered);
  if (body) {
    ten_buf_addc(out, ' ');
    ten_print_region(printer, &op->regions[0], false, false);
  }
  return true;
}
