/* parse_format.c: parses an op by its format string (format.h). */
#include "ir/text/format.h"

static bool literal(ten_parser *p, ten_str word) {
  if (ten_str_is(word, "->")) return ten_expect(p, TOK_ARROW, "'->'");
  const char c = word.data[0];
  if (ten_str_is(word, ">(")) return ten_expect(p, '>', "'>'") && ten_expect(p, '(', "'('");
  if (word.size > 1 && word.data[word.size - 1] == '=')
    return literal(p, (ten_str){word.data, word.size - 1}) && ten_expect(p, '=', "'='");
  if (c >= 'a' && c <= 'z') {
    if (ten_at(p, TOK_BARE) && ten_str_eq(p->token.text, word)) return ten_advance(p), true;
  } else if (ten_accept(p, c)) {
    return true;
  }
  char what[32];
  snprintf(what, sizeof what, "'%.*s'", TEN_FMT(word));
  return ten_expected(p, what);
}

/* Whether the next token starts the group. */
static bool group_is_here(const ten_parser *p, const char *cursor) {
  const ten_format_item first = ten_format_next(&cursor);
  if (first.kind == FORMAT_OPERANDS) return ten_at(p, TOK_PERCENT);
  if (first.kind == FORMAT_ATTR) return ten_at(p, TOK_BARE);
  if (first.name.data[0] < 'a') return ten_at(p, first.name.data[0]);
  return ten_at(p, TOK_BARE) && first.name.size == p->token.text.size + 1 &&
         !memcmp(first.name.data, p->token.text.data, p->token.text.size);
}

static const char *skip_group(const char *cursor) {
  while (ten_format_next(&cursor).kind != FORMAT_GROUP_END) continue;
  return cursor;
}

static bool take_function(ten_parser *p, ten_op_state *state, const ten_token *place, const ten_type *type) {
  if (type->input_count != state->operands.count)
    return ten_fail(p, place, "%zu operands, but types for %u", state->operands.count, type->input_count);
  for (uint32_t i = 0; i < type->input_count; i++) ten_vec_push(&state->operand_types, type->inputs[i]);
  for (uint32_t i = 0; i < type->result_count; i++) ten_vec_push(&state->result_types, type->results[i]);
  return true;
}

static void same_operands(ten_op_state *state, const ten_type *type) {
  while (state->operand_types.count < state->operands.count) ten_vec_push(&state->operand_types, type);
}

/* stablehlo.complex: the result's type, which determines the parts' type; stablehlo.tuple: the elements. */
static bool from_result(ten_parser *p, ten_op_state *state, char kind, const ten_token *place, const ten_type *type) {
  ten_vec_push(&state->result_types, type);
  if (kind == 'T') {
    if (type->kind != TEN_TYPE_TUPLE) return ten_fail(p, place, "expected a tuple type");
    for (uint32_t i = 0; i < type->input_count; i++) ten_vec_push(&state->operand_types, type->inputs[i]);
    return true;
  }
  if (type->kind != TEN_TYPE_TENSOR || !ten_dtype_is_complex(type->dtype))
    return ten_fail(p, place, "expected a tensor of complex numbers");
  same_operands(state, ten_type_with_dtype(p->module, type, ten_dtype_part(type->dtype)));
  return true;
}

static bool types(ten_parser *p, ten_op_state *state, const ten_format_item *item) {
  const char kind = item->name.data[0];
  const ten_token place = p->token;
  const ten_type *type = NULL;
  if (kind == 'R') return ten_parse_types(p, state, true);
  if (kind == 'O' && item->index < 0) return ten_parse_types(p, state, false);
  if (!(kind == 'F' ? ten_parse_function_type(p, &type) : ten_parse_type(p, &type))) return false;
  if (kind == 'O') {
    ten_vec_push(&state->operand_types, type);
    return true;
  }
  if (type->kind == TEN_TYPE_FUNCTION) return take_function(p, state, &place, type);
  if (kind == 'C' || kind == 'T') return from_result(p, state, kind, &place, type);
  if (kind == 'P') { /* stablehlo.select: the predicate's type, then that of the rest */
    ten_vec_push(&state->operand_types, type);
    if (!ten_expect(p, ',', "','") || !ten_parse_type(p, &type)) return false;
  }
  same_operands(state, type);
  ten_vec_push(&state->result_types, type);
  return true;
}

static bool operands_with_commas(ten_parser *p, ten_op_state *state) {
  while (ten_at(p, TOK_PERCENT)) {
    ten_operand_ref operand;
    if (!ten_parse_operand(p, &operand) || !ten_expect(p, ',', "','")) return false;
    ten_vec_push(&state->operands, operand);
  }
  return true;
}

static bool attribute(ten_parser *p, ten_op_state *state, const ten_format_item *item) {
  const ten_attr *value = NULL;
  if (!(item->attr_kind.size ? ten_sdy_parse_attr(p, item->attr_kind, &value)
                             : ten_parse_spec(p, ten_op_spec(state->code, item->name), &value)))
    return false;
  ten_state_attr(state, item->name, value);
  return true;
}

static bool one_item(ten_parser *p, ten_op_state *state, const ten_format_item *item, const char **cursor) {
  ten_operand_ref operand;
  switch (item->kind) {
    case FORMAT_LITERAL: return literal(p, item->name);
    case FORMAT_OPERAND:
      if (!ten_parse_operand(p, &operand)) return false;
      ten_vec_push(&state->operands, operand);
      return true;
    case FORMAT_OPERANDS: return ten_parse_operands(p, state);
    case FORMAT_OPERANDS_COMMA: return operands_with_commas(p, state);
    case FORMAT_ATTR: return attribute(p, state, item);
    case FORMAT_DICT: return !ten_at(p, '{') || ten_parse_attr_dict(p, state, false);
    case FORMAT_GROUP:
      if (!group_is_here(p, *cursor)) *cursor = skip_group(*cursor);
      return true;
    case FORMAT_TYPE: return types(p, state, item);
    case FORMAT_PART: return ten_parse_part(p, state, item->name);
    case FORMAT_GROUP_END:
    case FORMAT_END: break;
  }
  return true;
}

bool ten_parse_by_format(ten_parser *p, ten_op_state *state, const char *format) {
  for (ten_format_item item = ten_format_next(&format); item.kind != FORMAT_END; item = ten_format_next(&format))
    if (!one_item(p, state, &item, &format)) return false;
  /* A single type written for several operands applies to all. */
  if (state->operand_types.count) same_operands(state, state->operand_types.data[0]);
  return true;
}
