/* parse_special.c: constant, reduce, while and scan, whose syntax no format string can express. */
#include <stdlib.h>

#include "ir/text/parser.h"

/* {attributes} dense<…> : type, or (older) the generic form without quotes */
bool ten_parse_constant_op(ten_parser *p, ten_op_state *state) {
  if (ten_accept(p, '(')) {
    const ten_type *type = NULL;
    if (!ten_expect(p, ')', "')'")) return false;
    if (ten_accept(p, '<') && (!ten_parse_attr_dict(p, state, true) || !ten_expect(p, '>', "'>'"))) return false;
    if (ten_at(p, '{') && !ten_parse_attr_dict(p, state, false)) return false;
    if (!ten_expect(p, ':', "':'") || !ten_parse_function_type(p, &type)) return false;
    for (uint32_t i = 0; i < type->result_count; i++) ten_vec_push(&state->result_types, type->results[i]);
    return true;
  }
  if (ten_at(p, '{') && !ten_parse_attr_dict(p, state, false)) return false;
  const ten_attr *value = NULL;
  const ten_token place = p->token;
  if (!ten_parse_attr(p, &value)) return false;
  if (value->kind != TEN_ATTR_DENSE && value->kind != TEN_ATTR_RESOURCE)
    return ten_fail(p, &place, "the value of a constant is dense<…> or dense_resource<…>");
  ten_state_attr(state, TEN_STR("value"), value);
  ten_vec_push(&state->result_types, value->dense.type);
  return true;
}

static bool take_function(ten_parser *p, ten_op_state *state, const ten_token *place, const ten_type *type) {
  if (type->input_count != state->operands.count)
    return ten_fail(p, place, "%zu operands, but types for %u", state->operands.count, type->input_count);
  for (uint32_t i = 0; i < type->input_count; i++) ten_vec_push(&state->operand_types, type->inputs[i]);
  for (uint32_t i = 0; i < type->result_count; i++) ten_vec_push(&state->result_types, type->results[i]);
  return true;
}

/* (%a init: %b), … : the inputs first, then the inits */
static bool reduce_operands(ten_parser *p, ten_op_state *state) {
  TEN_VEC(ten_operand_ref) inits = {0};
  bool ok = true;
  while (ok && ten_accept(p, '(')) {
    ten_operand_ref input, init;
    ok = ten_parse_operand(p, &input) && ten_expect_word(p, "init") && ten_expect(p, ':', "':'") &&
         ten_parse_operand(p, &init) && ten_expect(p, ')', "')'");
    if (!ok) break;
    ten_vec_push(&state->operands, input);
    ten_vec_push(&inits, init);
    if (!ten_accept(p, ',')) break;
  }
  for (size_t i = 0; ok && i < inits.count; i++) ten_vec_push(&state->operands, inits.data[i]);
  ten_vec_free(&inits);
  return ok;
}

/* The body of `applies OP`: OP of both arguments, returned. */
static bool reduce_applies(ten_parser *p, ten_op_state *state, ten_opcode code, const ten_type *type) {
  ten_module *module = p->module;
  ten_region region = {0};
  const ten_type *scalar = ten_type_tensor_of(module, type->element, true, 0, NULL, NULL);
  ten_block *block = ten_block_create(module, &region);
  ten_value *args[2];
  for (int i = 0; i < 2; i++) args[i] = ten_block_add_arg(module, block, scalar, state->loc);
  ten_op *inner = ten_op_create(module, code, (ten_str){0}, state->loc, 2, args, 1, &scalar, 0, NULL, 0);
  ten_op_append(block, inner);
  ten_value *result = ten_op_result(inner, 0);
  ten_op_append(block, ten_op_create(module, TEN_OP_RETURN, (ten_str){0}, state->loc, 1, &result, 0, NULL, 0, NULL, 0));
  ten_vec_push(&state->regions, region);
  return true;
}

typedef TEN_VEC(ten_region_arg) arg_vec;

static bool region_arg(ten_parser *p, arg_vec *out) {
  ten_region_arg arg = {.name = p->token};
  if (!ten_accept(p, TOK_PERCENT)) return ten_expected(p, "an argument");
  arg.loc = ten_implicit_loc(p, &arg.name);
  if (!ten_expect(p, ':', "':'") || !ten_parse_type(p, &arg.type) || !ten_parse_optional_loc(p, &arg.loc)) return false;
  ten_vec_push(out, arg);
  return true;
}

/* reducer(%a: T, %b: T) (…) {…}: first the inputs' elements, then the accumulators */
static bool reduce_body(ten_parser *p, ten_op_state *state) {
  arg_vec args = {0}, second = {0};
  bool ok = true;
  while (ok && ten_accept(p, '('))
    ok = region_arg(p, &args) && ten_expect(p, ',', "','") && region_arg(p, &second) && ten_expect(p, ')', "')'");
  for (size_t i = 0; i < second.count; i++) ten_vec_push(&args, second.data[i]);
  ten_region region;
  ok = ok && ten_parse_region(p, &region, false, (ten_str){0}, args.count, args.data);
  if (ok) ten_vec_push(&state->regions, region);
  ten_vec_free(&args);
  ten_vec_free(&second);
  return ok;
}

bool ten_parse_reduce_op(ten_parser *p, ten_op_state *state) {
  if (!reduce_operands(p, state)) return false;
  ten_opcode inner = TEN_OP_UNKNOWN;
  const bool applies = ten_accept_word(p, "applies");
  if (applies) {
    if (!ten_at(p, TOK_BARE)) return ten_expected(p, "the name of an op");
    inner = ten_opcode_find(p->token.text);
    const ten_op_info *info = &ten_op_infos[inner];
    if (!(info->traits & TEN_TRAIT_COMMUTATIVE) || !ten_str_starts(p->token.text, "stablehlo."))
      return ten_fail(p, &p->token, "expected a commutative StableHLO op of two operands");
    ten_advance(p);
  }
  const ten_attr *dims = NULL;
  const ten_type *type = NULL;
  if (!ten_expect_word(p, "across") || !ten_expect_word(p, "dimensions") || !ten_expect(p, '=', "'='") ||
      !ten_parse_ints(p, false, &dims))
    return false;
  ten_state_attr(state, TEN_STR("dimensions"), dims);
  if (ten_at(p, '{') && !ten_parse_attr_dict(p, state, false)) return false;
  if (!ten_expect(p, ':', "':'")) return false;
  const ten_token place = p->token;
  if (!ten_parse_function_type(p, &type) || !take_function(p, state, &place, type)) return false;
  if (!applies) return ten_expect_word(p, "reducer") && reduce_body(p, state);
  if (!ten_parse_optional_loc(p, &state->loc)) return false;
  if (!type->input_count || !type->inputs[0]->element) return ten_fail(p, &place, "reduce needs a tensor to reduce");
  return reduce_applies(p, state, inner, type->inputs[0]);
}

/* (%iterArg = %init, …) : types attributes {…} cond {…} do {…} */
bool ten_parse_while_op(ten_parser *p, ten_op_state *state) {
  arg_vec args = {0};
  bool ok = ten_expect(p, '(', "'('");
  while (ok && !ten_at(p, ')')) {
    ten_region_arg arg = {.name = p->token};
    ten_operand_ref operand;
    ok = (ten_accept(p, TOK_PERCENT) || ten_expected(p, "an argument or ')'")) && ten_expect(p, '=', "'='") &&
         ten_parse_operand(p, &operand);
    if (!ok) break;
    arg.loc = ten_implicit_loc(p, &arg.name);
    ten_vec_push(&args, arg);
    ten_vec_push(&state->operands, operand);
    if (!ten_accept(p, ',')) break;
  }
  ok = ok && ten_expect(p, ')', "',' or ')'");
  if (ok && args.count) {
    const ten_token place = p->token;
    ok = ten_expect(p, ':', "':'") && ten_parse_types(p, state, false);
    if (ok && state->operand_types.count != args.count)
      ok = ten_fail(p, &place, "%zu operands, but types for %zu", args.count, state->operand_types.count);
  }
  for (size_t i = 0; ok && i < args.count; i++) {
    args.data[i].type = state->operand_types.data[i];
    ten_vec_push(&state->result_types, args.data[i].type);
  }
  if (ok && ten_accept_word(p, "attributes")) ok = ten_parse_attr_dict(p, state, false);
  for (int i = 0; ok && i < 2; i++) {
    ten_region region;
    ok = ten_expect_word(p, i ? "do" : "cond") &&
         ten_parse_region(p, &region, false, (ten_str){0}, args.count, args.data);
    if (ok) ten_vec_push(&state->regions, region);
  }
  ten_vec_free(&args);
  return ok;
}

/* (inputs) inits (carries) dimension=0 attributes {…} {…} : type */
bool ten_parse_scan_op(ten_parser *p, ten_op_state *state) {
  int64_t dimension;
  if (!ten_expect(p, '(', "'('") || !ten_parse_operands(p, state) || !ten_expect(p, ')', "')'")) return false;
  const size_t inputs = state->operands.count;
  if (!ten_expect_word(p, "inits") || !ten_expect(p, '(', "'('") || !ten_parse_operands(p, state) ||
      !ten_expect(p, ')', "')'"))
    return false;
  const size_t carries = state->operands.count - inputs;
  if (!ten_expect_word(p, "dimension") || !ten_expect(p, '=', "'='") || !ten_parse_int(p, &dimension)) return false;
  ten_state_attr(state, TEN_STR("dimension"), ten_attr_i64(p->module, dimension));
  if (ten_accept_word(p, "attributes") && !ten_parse_attr_dict(p, state, false)) return false;
  ten_region region;
  const ten_type *type = NULL;
  if (!ten_parse_region(p, &region, true, (ten_str){0}, 0, NULL)) return false;
  ten_vec_push(&state->regions, region);
  if (!ten_expect(p, ':', "':'")) return false;
  const ten_token place = p->token;
  if (!ten_parse_function_type(p, &type) || !take_function(p, state, &place, type)) return false;
  if (type->result_count < carries) return ten_fail(p, &place, "fewer results than carried values");
  const int32_t operand_parts[] = {(int32_t)inputs, (int32_t)carries};
  const int32_t result_parts[] = {(int32_t)(type->result_count - carries), (int32_t)carries};
  ten_state_attr(state, TEN_STR("operandSegmentSizes"), ten_attr_list(p->module, TEN_I32, 2, operand_parts));
  ten_state_attr(state, TEN_STR("resultSegmentSizes"), ten_attr_list(p->module, TEN_I32, 2, result_parts));
  return true;
}
