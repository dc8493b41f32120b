/* print_format.c: prints an op by its format string (format.h), with upstream's rules for spaces. It first checks that
 * the form can express everything: an op that the verifier would refuse is printed in the generic form. */
#include "ir/text/format.h"
#include "ir/text/printer.h"

static bool attr_fits(const ten_attr *attr, const ten_attr_spec *spec) {
  static const ten_dtype numbers[] = {[TEN_SPEC_I32] = TEN_I32,   [TEN_SPEC_I64] = TEN_I64, [TEN_SPEC_UI32] = TEN_UI32,
                                      [TEN_SPEC_UI64] = TEN_UI64, [TEN_SPEC_F32] = TEN_F32, [TEN_SPEC_F64] = TEN_F64};
  switch (spec->kind) {
    case TEN_SPEC_I32:
    case TEN_SPEC_I64:
    case TEN_SPEC_UI32:
    case TEN_SPEC_UI64: return attr->kind == TEN_ATTR_INT && attr->integer.type->dtype == numbers[spec->kind];
    case TEN_SPEC_F32:
    case TEN_SPEC_F64: return attr->kind == TEN_ATTR_FLOAT && attr->real.type->dtype == numbers[spec->kind];
    case TEN_SPEC_BOOL: return attr->kind == TEN_ATTR_INT && attr->integer.type->dtype == TEN_I1;
    case TEN_SPEC_STRING: return attr->kind == TEN_ATTR_STRING;
    case TEN_SPEC_SYMBOL: return attr->kind == TEN_ATTR_SYMBOL;
    case TEN_SPEC_DIMS: return attr->kind == TEN_ATTR_LIST && attr->list.dtype == TEN_I64;
    case TEN_SPEC_ENUM: return attr->kind == TEN_ATTR_ENUM && (int)attr->enumeration.id == spec->subject;
    case TEN_SPEC_ELEMENTS: return attr->kind == TEN_ATTR_DENSE || attr->kind == TEN_ATTR_RESOURCE;
    default: return true;
  }
}

static bool types_fit(const ten_op *op, const ten_format_item *item) {
  const char kind = item->name.data[0];
  if (kind == 'C' || kind == 'S' || kind == 'P') return op->result_count == 1 || kind == 'F';
  if (kind == 'T') {
    const ten_type *type = op->result_count == 1 ? op->results[0].type : NULL;
    if (!type || type->kind != TEN_TYPE_TUPLE || type->input_count != op->operand_count) return false;
    for (uint32_t i = 0; i < op->operand_count; i++)
      if (ten_op_operand(op, i)->type != type->inputs[i]) return false;
    return true;
  }
  return kind != 'R' || op->result_count;
}

/* Whether to print the types of all operands, or the one type that all have. */
static bool operand_types_written(const ten_op *op, const char *format) {
  uint32_t written = 0;
  for (ten_format_item item = ten_format_next(&format); item.kind != FORMAT_END; item = ten_format_next(&format)) {
    if (item.kind == FORMAT_PART && ten_str_is(item.name, "value_type")) {
      const ten_attr *value = ten_op_attr(op, "value");
      if (!value || (value->kind != TEN_ATTR_DENSE && value->kind != TEN_ATTR_RESOURCE)) return false;
      return (op->operand_count ? ten_op_operand(op, 0)->type : op->results[0].type) == value->dense.type;
    }
    if (item.kind == FORMAT_TYPE && item.name.data[0] == 'O' && item.index >= 0)
      written++;
    else if (item.kind == FORMAT_TYPE && item.name.data[0] != 'R')
      return true;
  }
  for (uint32_t i = written; written && i < op->operand_count; i++)
    if (ten_op_operand(op, i)->type != ten_op_operand(op, 0)->type) return false;
  return written || !op->operand_count || op->code == TEN_OP_OPTIMIZATION_BARRIER;
}

static bool is_printable(const ten_op *op, const char *format) {
  const ten_op_info *info = &ten_op_infos[op->code];
  if (op->operand_count < info->operands_min || op->operand_count > info->operands_max ||
      op->result_count < info->results_min || op->result_count > info->results_max ||
      op->region_count < info->regions_min || op->region_count > info->regions_max)
    return false;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (!ten_op_operand(op, i)) return false;
  if (!operand_types_written(op, format)) return false;
  uint32_t operand = 0;
  bool in_group = false;
  for (ten_format_item item = ten_format_next(&format); item.kind != FORMAT_END; item = ten_format_next(&format)) {
    if (item.kind == FORMAT_GROUP) in_group = true;
    if (item.kind == FORMAT_GROUP_END) in_group = false;
    if (item.kind == FORMAT_OPERAND) operand++;
    if (item.kind == FORMAT_OPERANDS_COMMA && operand == op->operand_count)
      return false; /* upstream cannot read an empty one */
    if (item.kind == FORMAT_TYPE && !types_fit(op, &item)) return false;
    if (item.kind == FORMAT_PART && !ten_part_is_printable(op, item.name)) return false;
    if (item.kind != FORMAT_ATTR) continue;
    char name[64];
    snprintf(name, sizeof name, "%.*s", TEN_FMT(item.name));
    const ten_attr *attr = ten_op_attr(op, name);
    if (!attr                 ? !in_group
        : item.attr_kind.size ? !ten_sdy_attr_fits(attr, item.attr_kind)
                              : !attr_fits(attr, ten_op_spec(op->code, item.name)))
      return false;
  }
  return true;
}

typedef struct spacing {
  bool space, punctuation; /* a space is due; the last thing was punctuation */
} spacing;

static void print_literal(ten_printer *printer, spacing *s, ten_str word) {
  const char c = word.data[0];
  const bool alone = word.size == 1;
  bool before = c != '>';
  if (alone || ten_str_is(word, "->")) before = !strchr(s->punctuation ? ">)}]," : "<>(){}[],", c);
  if (s->space && before) ten_buf_addc(printer->out, ' ');
  ten_buf_addstr(printer->out, word);
  const char last = word.data[word.size - 1];
  if (!alone && (last == '=' || last == '(')) { /* word= and >( take no space behind */
    *s = (spacing){.punctuation = true};
    return;
  }
  s->space = !alone || !strchr("<({[", c);
  s->punctuation = c != '_' && !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'));
}

static void due_space(ten_printer *printer, spacing *s) {
  if (s->space || !s->punctuation) ten_buf_addc(printer->out, ' ');
  s->space = true;
  s->punctuation = false;
}

static bool all_same(const ten_op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (ten_op_operand(op, i)->type != op->results[0].type) return false;
  return true;
}

static void print_types(ten_printer *printer, const ten_op *op, const ten_format_item *item) {
  ten_buf *out = printer->out;
  const char kind = item->name.data[0];
  const ten_type *result = op->result_count ? op->results[0].type : NULL;
  if (kind == 'O' || kind == 'R') {
    const uint32_t count = kind == 'R' ? op->result_count : op->operand_count;
    const uint32_t from = item->index < 0 ? 0 : (uint32_t)item->index, to = item->index < 0 ? count : from + 1;
    for (uint32_t i = from; i < to; i++) {
      if (i > from) ten_buf_adds(out, ", ");
      ten_type_print(out, kind == 'R' ? op->results[i].type : ten_op_operand(op, i)->type);
    }
    return;
  }
  bool is_short = false;
  if (kind == 'T') {
    is_short = true;
  } else if (kind == 'S') {
    is_short = all_same(op);
  } else if (kind == 'C' && result->kind == TEN_TYPE_TENSOR && ten_dtype_is_complex(result->dtype)) {
    is_short = true;
    for (uint32_t i = 0; i < 2; i++) {
      const ten_type *part = ten_op_operand(op, i)->type;
      is_short = is_short && part->kind == TEN_TYPE_TENSOR && part->dtype == ten_dtype_part(result->dtype) &&
                 !part->quant && part->ranked == result->ranked && part->rank == result->rank &&
                 part->encoding == result->encoding &&
                 (!part->rank || !memcmp(part->dims, result->dims, part->rank * sizeof *part->dims));
    }
  } else if (kind == 'P') {
    is_short = ten_op_operand(op, 1)->type == result && ten_op_operand(op, 2)->type == result;
    if (is_short) {
      ten_type_print(out, ten_op_operand(op, 0)->type);
      ten_buf_adds(out, ", ");
    }
  }
  if (is_short)
    ten_type_print(out, result);
  else
    ten_print_functional(printer, op);
}

static void print_bare_attr(ten_printer *printer, const ten_op *op, const ten_format_item *item) {
  char name[64];
  snprintf(name, sizeof name, "%.*s", TEN_FMT(item->name));
  const ten_attr *attr = ten_op_attr(op, name);
  if (item->attr_kind.size)
    ten_sdy_print_attr(printer, attr, item->attr_kind);
  else if (attr->kind == TEN_ATTR_ENUM)
    ten_buf_adds(printer->out, ten_enum_name(attr->enumeration.id, attr->enumeration.value));
  else if (attr->kind == TEN_ATTR_LIST)
    ten_print_dims(printer->out, ten_attr_as_ints(attr), "[", "]");
  else
    ten_print_attr(printer, printer->out, attr, ELIDE_ALWAYS);
}

static bool covered_by_format(const void *format, ten_str name) { return ten_format_covers(format, name); }

static bool group_is_there(const ten_op *op, ten_str name) {
  if (!name.size) return op->operand_count > 0;
  char text[64];
  snprintf(text, sizeof text, "%.*s", TEN_FMT(name));
  return ten_op_attr(op, text) != NULL;
}

bool ten_print_by_format(ten_printer *printer, const ten_op *op, const char *format) {
  if (!is_printable(op, format)) return false;
  const char *cursor = format;
  spacing s = {.space = true};
  uint32_t operand = 0;
  for (ten_format_item item = ten_format_next(&cursor); item.kind != FORMAT_END; item = ten_format_next(&cursor)) {
    const bool silent =
        item.kind == FORMAT_PART && (ten_str_is(item.name, "precision") || ten_str_is(item.name, "algorithm") ||
                                     ten_str_is(item.name, "regions") || ten_str_is(item.name, "value_type"));
    switch (item.kind) {
      case FORMAT_LITERAL: print_literal(printer, &s, item.name); break;
      case FORMAT_OPERAND:
        due_space(printer, &s);
        ten_print_value(printer, ten_op_operand(op, operand++));
        break;
      case FORMAT_OPERANDS:
      case FORMAT_OPERANDS_COMMA:
        due_space(printer, &s); /* upstream prints it also where no operands follow */
        ten_print_operands(printer, op, operand, op->operand_count);
        if (item.kind == FORMAT_OPERANDS_COMMA) ten_buf_addc(printer->out, ',');
        operand = op->operand_count;
        break;
      case FORMAT_ATTR:
        due_space(printer, &s);
        print_bare_attr(printer, op, &item);
        break;
      case FORMAT_DICT: {
        const size_t before = printer->out->size;
        ten_print_attr_dict(printer, op, "", covered_by_format, format);
        if (printer->out->size > before) s = (spacing){.space = true};
        break;
      }
      case FORMAT_GROUP:
        while (!group_is_there(op, item.name) && item.kind != FORMAT_GROUP_END && item.kind != FORMAT_END) {
          const ten_format_item next = ten_format_next(&cursor);
          if (next.kind == FORMAT_GROUP_END) break;
        }
        break;
      case FORMAT_TYPE:
        due_space(printer, &s);
        print_types(printer, op, &item);
        break;
      case FORMAT_PART:
        if (!silent && !(ten_str_is(item.name, "pairwise") && !op->operand_count)) due_space(printer, &s);
        ten_print_part(printer, op, item.name);
        break;
      case FORMAT_GROUP_END:
      case FORMAT_END: break;
    }
  }
  return true;
}
