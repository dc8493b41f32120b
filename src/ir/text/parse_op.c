/* parse_op.c: one op, in its generic or its own form, and its operands. */
#include <stdlib.h>

#include "ir/text/format.h"
#include "ir/text/parser.h"

typedef struct result_name {
  ten_token token;
  uint32_t count;
} result_name;
typedef TEN_VEC(result_name) result_names;

void ten_state_attr(ten_op_state *state, ten_str name, const ten_attr *value) {
  const ten_named_attr attr = {name, value, true};
  ten_vec_push(&state->attrs, attr);
}

static ten_op_state *state_take(ten_parser *p) {
  ten_op_state *state = p->spare;
  if (!state) return ten_alloc(sizeof *state);
  p->spare = state->next_spare;
  state->operands.count = state->operand_types.count = state->result_types.count = 0;
  state->attrs.count = state->regions.count = state->values.count = 0;
  return state;
}

static void state_give(ten_parser *p, ten_op_state *state) {
  state->next_spare = p->spare;
  p->spare = state;
}

bool ten_parse_operand(ten_parser *p, ten_operand_ref *out) {
  if (!ten_at(p, TOK_PERCENT)) return ten_expected(p, "a value");
  *out = (ten_operand_ref){.token = p->token};
  ten_advance(p);
  if (!ten_at(p, TOK_HASH) || p->token.text.data[1] > '9' || p->token.text.data[1] < '0') return true;
  const ten_token digits = {.text = {p->token.text.data + 1, p->token.text.size - 1}};
  uint64_t number;
  if (!ten_token_uint(&digits, &number) || number > UINT32_MAX)
    return ten_fail(p, &p->token, "the result number is out of range");
  out->number = (uint32_t)number;
  ten_advance(p);
  return true;
}

bool ten_parse_operands(ten_parser *p, ten_op_state *state) {
  if (!ten_at(p, TOK_PERCENT)) return true;
  do {
    ten_operand_ref operand;
    if (!ten_parse_operand(p, &operand)) return false;
    ten_vec_push(&state->operands, operand);
  } while (ten_accept(p, ','));
  return true;
}

bool ten_parse_types(ten_parser *p, ten_op_state *state, bool results) {
  do {
    const ten_type *type = NULL;
    if (!ten_parse_type(p, &type)) return false;
    if (results)
      ten_vec_push(&state->result_types, type);
    else
      ten_vec_push(&state->operand_types, type);
  } while (ten_accept(p, ','));
  return true;
}

/* %a, %b:2 = */
static bool parse_results(ten_parser *p, result_names *out) {
  do {
    result_name name = {p->token, 1};
    if (!ten_accept(p, TOK_PERCENT)) return ten_expected(p, "a name for a result");
    if (ten_accept(p, ':')) {
      int64_t count;
      const ten_token place = p->token;
      if (!ten_parse_int(p, &count)) return false;
      if (count < 1 || count > UINT32_MAX) return ten_fail(p, &place, "expected a positive number of results");
      name.count = (uint32_t)count;
    }
    ten_vec_push(out, name);
  } while (ten_accept(p, ','));
  return ten_expect(p, '=', "'='");
}

static ten_str region_dialect(ten_opcode code) {
  return code == TEN_OP_FUNC ? TEN_STR("func") : code == TEN_OP_MODULE ? TEN_STR("builtin") : (ten_str){0};
}

/* (operands) <{properties}> (regions) {attributes} : type, behind the name */
static bool parse_generic(ten_parser *p, ten_op_state *state) {
  if (!ten_expect(p, '(', "'('") || !ten_parse_operands(p, state) || !ten_expect(p, ')', "',' or ')'")) return false;
  if (ten_at(p, '[')) return ten_fail_code(p, TEN_UNSUPPORTED, &p->token, "branches to other blocks are not supported");
  if (ten_accept(p, '<') && (!ten_parse_attr_dict(p, state, true) || !ten_expect(p, '>', "'>'"))) return false;
  if (ten_accept(p, '(')) {
    const bool isolated = (ten_op_infos[state->code].traits & TEN_TRAIT_ISOLATED) != 0;
    do {
      ten_region region;
      if (!ten_parse_region(p, &region, isolated, region_dialect(state->code), 0, NULL)) return false;
      ten_vec_push(&state->regions, region);
    } while (ten_accept(p, ','));
    if (!ten_expect(p, ')', "',' or ')'")) return false;
  }
  if (ten_at(p, '{') && !ten_parse_attr_dict(p, state, false)) return false;
  const ten_type *type = NULL;
  if (!ten_expect(p, ':', "':' and the op's type")) return false;
  const ten_token place = p->token;
  if (!ten_parse_function_type(p, &type)) return false;
  if (type->input_count != state->operands.count)
    return ten_fail(p, &place, "%zu operands, but types for %u", state->operands.count, type->input_count);
  for (uint32_t i = 0; i < type->input_count; i++) ten_vec_push(&state->operand_types, type->inputs[i]);
  for (uint32_t i = 0; i < type->result_count; i++) ten_vec_push(&state->result_types, type->results[i]);
  return true;
}

static bool parse_custom(ten_parser *p, ten_op_state *state) {
  const ten_text_form *form = &ten_text_forms[state->code];
  if (form->parse) return form->parse(p, state);
  const char *format = ten_format_of(state->code, state->name);
  if (format) return ten_parse_by_format(p, state, format);
  return ten_fail(p, &state->name_token, "%s %.*s: write it in the generic form, \"%.*s\"(…)",
                  state->code == TEN_OP_UNKNOWN ? "unknown op" : "there is no short form of", TEN_FMT(state->name),
                  TEN_FMT(state->name));
}

/* stablehlo.add, or return where the dialect is implied. */
static bool parse_name(ten_parser *p, ten_op_state *state) {
  state->name_token = p->token;
  state->name = p->token.text;
  if (ten_at(p, TOK_STRING)) {
    if (!ten_parse_string(p, &state->name)) return false;
    if (!state->name.size) return ten_fail(p, &state->name_token, "an op needs a name");
    state->code = ten_opcode_find(state->name);
    return true;
  }
  if (!ten_accept(p, TOK_BARE)) return ten_expected(p, "an op");
  state->code = ten_opcode_find(state->name);
  if (state->code != TEN_OP_UNKNOWN || memchr(state->name.data, '.', state->name.size)) return true;
  const ten_str dialects[] = {p->dialect, TEN_STR("builtin"), TEN_STR("func")};
  char full[64];
  for (size_t i = 0; i < 3 && state->code == TEN_OP_UNKNOWN; i++) {
    const int size = snprintf(full, sizeof full, "%.*s.%.*s", TEN_FMT(dialects[i]), TEN_FMT(state->name));
    if (size > 0 && (size_t)size < sizeof full) state->code = ten_opcode_find((ten_str){full, (size_t)size});
  }
  if (state->code != TEN_OP_UNKNOWN) state->name = ten_str_of(ten_op_infos[state->code].name);
  return true;
}

/* Enumerations that upstream writes as integers are enumerations here. */
static void normalise(ten_parser *p, ten_op_state *state) {
  if (state->code != TEN_OP_CUSTOM_CALL) return;
  for (size_t i = 0; i < state->attrs.count; i++) {
    ten_named_attr *attr = &state->attrs.data[i];
    if (ten_str_is(attr->name, "api_version") && attr->value->kind == TEN_ATTR_INT &&
        ten_enum_name(TEN_ENUM_CUSTOM_CALL_API_VERSION, (int)attr->value->integer.value))
      attr->value = ten_attr_enum(p->module, TEN_ENUM_CUSTOM_CALL_API_VERSION, (int)attr->value->integer.value);
  }
}

static bool count_is_wrong(ten_parser *p, const ten_op_state *state, const char *what, size_t count, unsigned least,
                           unsigned most) {
  if (count >= least && (count <= most || most == TEN_ANY_COUNT)) return false;
  const unsigned wanted = count < least ? least : most;
  ten_fail(p, &state->name_token, "%.*s has %s%u %s%s, not %zu", TEN_FMT(state->name),
           least == most   ? ""
           : count < least ? "at least "
                           : "at most ",
           wanted, what, wanted == 1 ? "" : "s", count);
  return true;
}

static ten_op *state_finish(ten_parser *p, ten_op_state *state) {
  bool ok = true;
  if (state->operand_types.count != state->operands.count) {
    ten_fail(p, &state->name_token, "%zu operands, but types for %zu", state->operands.count,
             state->operand_types.count);
    return NULL;
  }
  for (size_t i = 0; i < state->operands.count; i++) {
    ten_value *value = ten_names_resolve(p, &state->operands.data[i], state->operand_types.data[i], &ok);
    ten_vec_push(&state->values, value);
  }
  const ten_op_info *info = &ten_op_infos[state->code];
  if (!ok || count_is_wrong(p, state, "operand", state->operands.count, info->operands_min, info->operands_max) ||
      count_is_wrong(p, state, "result", state->result_types.count, info->results_min, info->results_max) ||
      count_is_wrong(p, state, "region", state->regions.count, info->regions_min, info->regions_max))
    return NULL;
  normalise(p, state);
  ten_op *op = ten_op_create(p->module, state->code, state->name, state->loc, (uint32_t)state->values.count,
                             state->values.data, (uint32_t)state->result_types.count, state->result_types.data,
                             (uint32_t)state->attrs.count, state->attrs.data, (uint32_t)state->regions.count);
  for (uint32_t i = 0; i < op->region_count; i++) {
    op->regions[i].first = state->regions.data[i].first;
    op->regions[i].last = state->regions.data[i].last;
    for (ten_block *block = op->regions[i].first; block; block = block->next) block->region = &op->regions[i];
  }
  return op;
}

static bool define_results(ten_parser *p, const ten_op_state *state, const result_names *names, ten_op *op) {
  if (!names->count) return true;
  size_t total = 0;
  for (size_t i = 0; i < names->count; i++) total += names->data[i].count;
  if (total != op->result_count)
    return ten_fail(p, &state->name_token, "%.*s has %u result%s, but %zu %s named", TEN_FMT(state->name),
                    op->result_count, op->result_count == 1 ? "" : "s", total, total == 1 ? "is" : "are");
  ten_value *at = op->results;
  for (size_t i = 0; i < names->count; at += names->data[i].count, i++) {
    const ten_token *token = &names->data[i].token;
    if (token->text.data[1] > '9')
      at->name = (ten_str){ten_arena_strdup(&p->module->arena, token->text.data + 1, token->text.size - 1),
                           token->text.size - 1};
    if (!ten_names_define(p, token, at, names->data[i].count)) return false;
  }
  return true;
}

/* Uses of an op that failed to parse are not reported again. */
static void define_poison(ten_parser *p, const result_names *names) {
  for (size_t i = 0; i < names->count && !p->stop; i++)
    if (!ten_names_find(&p->names, names->data[i].token.text))
      (void)ten_names_define(p, &names->data[i].token, NULL, names->data[i].count);
}

bool ten_parse_op(ten_parser *p, ten_block *block) {
  result_names names = {0};
  ten_op_state *state = state_take(p);
  bool ok = !ten_at(p, TOK_PERCENT) || parse_results(p, &names);
  ok = ok && parse_name(p, state);
  if (ok) {
    state->loc = ten_implicit_loc(p, &state->name_token);
    ok = state->name_token.kind == TOK_STRING ? parse_generic(p, state) : parse_custom(p, state);
  }
  ok = ok && ten_parse_optional_loc(p, &state->loc);
  ten_op *op = ok ? state_finish(p, state) : NULL;
  if (op) {
    ten_op_append(block, op);
    ok = define_results(p, state, &names, op);
  } else {
    ok = false;
  }
  if (!ok) define_poison(p, &names);
  state_give(p, state);
  ten_vec_free(&names);
  return ok;
}
