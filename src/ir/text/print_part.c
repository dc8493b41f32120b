/* print_part.c: the parts of ops with special syntax (`!name` in a format). */
#include <inttypes.h>

#include "ir/text/format.h"
#include "ir/text/printer.h"

static bool is_dims(const ten_attr *attr) { return attr && attr->kind == TEN_ATTR_LIST && attr->list.dtype == TEN_I64; }

static bool is_struct(const ten_attr *attr, ten_struct_id id) {
  return attr && attr->kind == TEN_ATTR_STRUCT && attr->record.id == id;
}

static bool slice_is_printable(const ten_op *op) {
  const ten_attr *start = ten_op_attr(op, "start_indices"), *limit = ten_op_attr(op, "limit_indices"),
                 *stride = ten_op_attr(op, "strides");
  return is_dims(start) && is_dims(limit) && is_dims(stride) && start->list.count == limit->list.count &&
         start->list.count == stride->list.count;
}

static bool padding_is_printable(const ten_attr *padding) {
  if (!padding) return true;
  if (padding->kind != TEN_ATTR_DENSE) return false;
  const ten_type *type = padding->dense.type;
  return type->dtype == TEN_I64 && type->rank == 2 && type->dims[1] == 2 && type->dims[0] > 0 && type->dims[0] <= 64;
}

static bool window_is_printable(const ten_op *op) {
  static const char *const lists[] = {"window_strides", "lhs_dilation", "rhs_dilation"};
  for (size_t i = 0; i < 3; i++) {
    const ten_attr *attr = ten_op_attr(op, lists[i]);
    if (attr && !is_dims(attr)) return false;
  }
  const ten_attr *reversal = ten_op_attr(op, "window_reversal");
  if (reversal && (reversal->kind != TEN_ATTR_LIST || reversal->list.dtype != TEN_I1)) return false;
  return padding_is_printable(ten_op_attr(op, "padding"));
}

static bool precision_is_printable(const ten_op *op) {
  const ten_attr *list = ten_op_attr(op, "precision_config");
  if (!list) return true;
  if (list->kind != TEN_ATTR_ARRAY) return false;
  for (size_t i = 0; i < list->array.count; i++)
    if (list->array.items[i]->kind != TEN_ATTR_ENUM || list->array.items[i]->enumeration.id != TEN_ENUM_PRECISION)
      return false;
  return true;
}

static bool dot_is_printable(const ten_op *op) {
  return is_struct(ten_op_attr(op, "dot_dimension_numbers"), TEN_STRUCT_DOT);
}

static bool conv_is_printable(const ten_op *op) {
  const ten_attr *dims = ten_op_attr(op, "dimension_numbers");
  ten_buf scratch = {0};
  const bool ok = is_struct(dims, TEN_STRUCT_CONV) && ten_print_conv_dims(&scratch, dims);
  ten_buf_free(&scratch);
  return ok;
}

static bool is_bits(const ten_attr *attr) {
  return attr && attr->kind == TEN_ATTR_INT && attr->integer.type->dtype == TEN_I32 && attr->integer.value >= 0;
}

bool ten_part_is_printable(const ten_op *op, ten_str part) {
  if (ten_str_is(part, "slice")) return slice_is_printable(op);
  if (ten_str_is(part, "conv")) return conv_is_printable(op);
  if (ten_str_is(part, "window")) return window_is_printable(op);
  if (ten_str_is(part, "target")) {
    const ten_attr *target = ten_op_attr(op, "call_target_name");
    return target && target->kind == TEN_ATTR_STRING;
  }
  if (ten_str_is(part, "precision")) return precision_is_printable(op);
  if (ten_str_is(part, "algorithm")) {
    const ten_attr *algorithm = ten_op_attr(op, "algorithm");
    return precision_is_printable(op) && (!algorithm || is_struct(algorithm, TEN_STRUCT_DOT_ALGORITHM));
  }
  if (ten_str_is(part, "dot")) return dot_is_printable(op);
  if (ten_str_is(part, "format"))
    return is_bits(ten_op_attr(op, "exponent_bits")) && is_bits(ten_op_attr(op, "mantissa_bits"));
  if (ten_str_is(part, "body")) return op->region_count == 1 && ten_op_body(op, 0) && !ten_op_body(op, 0)->next;
  if (ten_str_is(part, "pairwise")) {
    if (op->operand_count != op->result_count) return false;
    for (uint32_t i = 0; i < op->operand_count; i++)
      if (ten_op_operand(op, i)->type != op->results[i].type) return false;
  }
  return true;
}

static void print_slice(ten_buf *out, const ten_op *op) {
  const ten_ints start = ten_attr_as_ints(ten_op_attr(op, "start_indices")),
                 limit = ten_attr_as_ints(ten_op_attr(op, "limit_indices"));
  const ten_ints strides = ten_attr_as_ints(ten_op_attr(op, "strides"));
  ten_buf_addc(out, '[');
  for (size_t i = 0; i < start.count; i++) {
    ten_buf_printf(out, "%s%" PRId64 ":%" PRId64, i ? ", " : "", start.data[i], limit.data[i]);
    if (strides.data[i] != 1) ten_buf_printf(out, ":%" PRId64, strides.data[i]);
  }
  ten_buf_addc(out, ']');
}

static void print_window(ten_buf *out, const ten_op *op) {
  static const char *const names[][2] = {{"stride", "window_strides"},
                                         {"pad", "padding"},
                                         {"lhs_dilate", "lhs_dilation"},
                                         {"rhs_dilate", "rhs_dilation"},
                                         {"reverse", "window_reversal"}};
  const char *separator = "";
  for (size_t n = 0; n < 5; n++) {
    const ten_attr *attr = ten_op_attr(op, names[n][1]);
    if (!attr) continue;
    ten_buf_printf(out, "%s%s = ", separator, names[n][0]);
    separator = ", ";
    if (n == 1) {
      ten_buf_addc(out, '[');
      for (size_t i = 0; i < (size_t)attr->dense.type->dims[0]; i++)
        ten_buf_printf(out, "%s[%" PRId64 ", %" PRId64 "]", i ? ", " : "", ten_dense_int(attr, 2 * i),
                       ten_dense_int(attr, 2 * i + 1));
      ten_buf_addc(out, ']');
    } else if (n == 4) {
      ten_buf_addc(out, '[');
      for (size_t i = 0; i < attr->list.count; i++)
        ten_buf_printf(out, "%s%s", i ? ", " : "", ((const uint8_t *)attr->list.data)[i] ? "true" : "false");
      ten_buf_addc(out, ']');
    } else {
      ten_print_dims(out, ten_attr_as_ints(attr), "[", "]");
    }
  }
}

static void print_precision(ten_printer *printer, const ten_op *op, bool algorithm) {
  ten_buf *out = printer->out;
  const ten_attr *list = ten_op_attr(op, "precision_config"), *record = algorithm ? ten_op_attr(op, "algorithm") : NULL;
  if (list) {
    ten_buf_adds(out, ", precision = [");
    for (size_t i = 0; i < list->array.count; i++)
      ten_buf_printf(out, "%s%s", i ? ", " : "",
                     ten_enum_name(TEN_ENUM_PRECISION, list->array.items[i]->enumeration.value));
    ten_buf_addc(out, ']');
  }
  if (!record) return;
  ten_buf_adds(out, ", algorithm = ");
  ten_print_struct_body(printer, out, record);
}

static void print_dot(ten_buf *out, const ten_op *op) {
  const ten_attr *record = ten_op_attr(op, "dot_dimension_numbers");
  ten_ints lists[4];
  for (int i = 0; i < 4; i++) lists[i] = ten_attr_as_ints(record->record.fields[i]);
  if (lists[0].count || lists[1].count) {
    ten_print_dims(out, lists[0], "batching_dims = [", "]");
    ten_print_dims(out, lists[1], " x [", "], ");
  }
  ten_print_dims(out, lists[2], "contracting_dims = [", "]");
  ten_print_dims(out, lists[3], " x [", "]");
}

static void print_regions(ten_printer *printer, const ten_op *op) {
  for (uint32_t i = 0; i < op->region_count; i++) {
    ten_buf_adds(printer->out, i ? ", " : " (");
    ten_print_region(printer, &op->regions[i], true, true);
  }
  if (op->region_count) ten_buf_addc(printer->out, ')');
}

static void print_pairwise(ten_printer *printer, const ten_op *op) {
  if (!op->operand_count) {
    ten_buf_adds(printer->out, "()");
    return;
  }
  ten_print_operands(printer, op, 0, op->operand_count);
  for (uint32_t i = 0; i < op->operand_count; i++) {
    ten_buf_adds(printer->out, i ? ", " : " : ");
    ten_type_print(printer->out, op->results[i].type);
  }
}

static void print_body(ten_printer *printer, const ten_op *op) {
  const ten_block *block = ten_op_body(op, 0);
  ten_buf_addc(printer->out, '(');
  for (uint32_t i = 0; i < block->arg_count; i++) {
    if (i) ten_buf_adds(printer->out, ", ");
    ten_print_value(printer, block->args[i]);
    ten_buf_adds(printer->out, ": ");
    ten_type_print(printer->out, block->args[i]->type);
    ten_print_trailing_loc(printer, block->args[i]->loc);
  }
  ten_buf_adds(printer->out, ") ");
  ten_print_region(printer, &op->regions[0], false, false);
}

void ten_print_part(ten_printer *printer, const ten_op *op, ten_str part) {
  ten_buf *out = printer->out;
  if (ten_str_is(part, "slice"))
    print_slice(out, op);
  else if (ten_str_is(part, "conv"))
    (void)ten_print_conv_dims(out, ten_op_attr(op, "dimension_numbers"));
  else if (ten_str_is(part, "window"))
    print_window(out, op);
  else if (ten_str_is(part, "target"))
    ten_print_symbol(out, ten_op_attr(op, "call_target_name")->string);
  else if (ten_str_is(part, "precision"))
    print_precision(printer, op, false);
  else if (ten_str_is(part, "algorithm"))
    print_precision(printer, op, true);
  else if (ten_str_is(part, "dot"))
    print_dot(out, op);
  else if (ten_str_is(part, "regions"))
    print_regions(printer, op);
  else if (ten_str_is(part, "pairwise"))
    print_pairwise(printer, op);
  else if (ten_str_is(part, "body"))
    print_body(printer, op);
  else if (ten_str_is(part, "format"))
    ten_buf_printf(out, "e%" PRId64 "m%" PRId64, ten_attr_as_int(ten_op_attr(op, "exponent_bits"), 0),
                   ten_attr_as_int(ten_op_attr(op, "mantissa_bits"), 0));
}
