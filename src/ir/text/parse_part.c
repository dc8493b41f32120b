/* parse_part.c: the parts of ops with special syntax (`!name` in a format). */
#include <stdlib.h>

#include "ir/text/format.h"

typedef TEN_VEC(int64_t) int_vec;

static void dims_attr(ten_parser *p, ten_op_state *state, const char *name, const int_vec *values) {
  ten_state_attr(state, ten_str_of(name), ten_attr_dims(p->module, values->count, values->data));
}

static bool slice_range(ten_parser *p, int_vec *starts, int_vec *limits, int_vec *strides) {
  int64_t start, limit, stride = 1;
  if (!ten_parse_int(p, &start) || !ten_expect(p, ':', "':'") || !ten_parse_int(p, &limit)) return false;
  if (ten_accept(p, ':') && !ten_parse_int(p, &stride)) return false;
  ten_vec_push(starts, start);
  ten_vec_push(limits, limit);
  ten_vec_push(strides, stride);
  return true;
}

/* [0:4, 1:8:2] */
static bool part_slice(ten_parser *p, ten_op_state *state) {
  int_vec starts = {0}, limits = {0}, strides = {0};
  bool ok = ten_expect(p, '[', "'['");
  while (ok && !ten_at(p, ']')) {
    ok = slice_range(p, &starts, &limits, &strides);
    if (!ok || !ten_accept(p, ',')) break;
  }
  ok = ok && ten_expect(p, ']', "',' or ']'");
  if (ok) {
    dims_attr(p, state, "start_indices", &starts);
    dims_attr(p, state, "limit_indices", &limits);
    dims_attr(p, state, "strides", &strides);
  }
  ten_vec_free(&starts);
  ten_vec_free(&limits);
  ten_vec_free(&strides);
  return ok;
}

static bool part_conv(ten_parser *p, ten_op_state *state) {
  const ten_attr *value = NULL;
  if (!ten_parse_conv_dims(p, &value)) return false;
  ten_state_attr(state, TEN_STR("dimension_numbers"), value);
  return true;
}

/* [[low, high], …] as a dense attribute */
static bool window_padding(ten_parser *p, const ten_attr **out) {
  int_vec values = {0};
  int64_t dims[2] = {0, 2};
  bool ok = ten_expect(p, '[', "'['");
  while (ok && !ten_at(p, ']')) {
    int64_t low, high;
    ok = ten_expect(p, '[', "'['") && ten_parse_int(p, &low) && ten_expect(p, ',', "','") && ten_parse_int(p, &high) &&
         ten_expect(p, ']', "']'");
    if (!ok) break;
    ten_vec_push(&values, low);
    ten_vec_push(&values, high);
    dims[0]++;
    if (!ten_accept(p, ',')) break;
  }
  ok = ok && ten_expect(p, ']', "',' or ']'");
  if (ok) *out = ten_attr_dense_i64(p->module, 2, dims, values.data);
  ten_vec_free(&values);
  return ok;
}

/* [0, 1] or [false, true] as a list of i1 */
static bool window_reversal(ten_parser *p, const ten_attr **out) {
  TEN_VEC(uint8_t) values = {0};
  bool ok = ten_expect(p, '[', "'['");
  while (ok && !ten_at(p, ']')) {
    int64_t value = ten_at_word(p, "true");
    ok = ten_accept_word(p, "true") || ten_accept_word(p, "false") || ten_parse_int(p, &value);
    if (ok) ten_vec_push(&values, value != 0);
    if (!ok || !ten_accept(p, ',')) break;
  }
  ok = ok && ten_expect(p, ']', "',' or ']'");
  if (ok) *out = ten_attr_list(p->module, TEN_I1, values.count, values.data);
  ten_vec_free(&values);
  return ok;
}

/* stride = [1, 1], pad = [[0, 0], …], … in any order */
static bool part_window(ten_parser *p, ten_op_state *state) {
  static const char *const names[][2] = {{"stride", "window_strides"},
                                         {"pad", "padding"},
                                         {"lhs_dilate", "lhs_dilation"},
                                         {"rhs_dilate", "rhs_dilation"},
                                         {"reverse", "window_reversal"}};
  bool seen[5] = {0};
  while (ten_at(p, TOK_BARE)) {
    size_t i = 0;
    while (i < 5 && !ten_str_is(p->token.text, names[i][0])) i++;
    if (i == 5 || seen[i])
      return ten_fail(p, &p->token,
                      i == 5 ? "expected stride, pad, lhs_dilate, rhs_dilate or reverse" : "it is given twice");
    seen[i] = true;
    ten_advance(p);
    const ten_attr *value = NULL;
    if (!ten_expect(p, '=', "'='")) return false;
    if (!(i == 1 ? window_padding(p, &value) : i == 4 ? window_reversal(p, &value) : ten_parse_ints(p, false, &value)))
      return false;
    ten_state_attr(state, ten_str_of(names[i][1]), value);
    if (!ten_accept(p, ',')) break;
  }
  return true;
}

static bool part_target(ten_parser *p, ten_op_state *state) {
  ten_str name = {0};
  if (!ten_parse_symbol_name(p, &name)) return false;
  ten_state_attr(state, TEN_STR("call_target_name"), ten_attr_string(p->module, name));
  return true;
}

/* [DEFAULT, HIGH] */
static bool precision_list(ten_parser *p, ten_op_state *state) {
  const ten_attr_spec spec = {.kind = TEN_SPEC_ENUM, .subject = TEN_ENUM_PRECISION};
  TEN_VEC(const ten_attr *) items = {0};
  bool ok = ten_expect(p, '=', "'='") && ten_expect(p, '[', "'['");
  while (ok && !ten_at(p, ']')) {
    const ten_attr *item = NULL;
    ok = ten_parse_spec(p, &spec, &item);
    if (ok) ten_vec_push(&items, item);
    if (!ok || !ten_accept(p, ',')) break;
  }
  ok = ok && ten_expect(p, ']', "',' or ']'");
  if (ok) ten_state_attr(state, TEN_STR("precision_config"), ten_attr_array(p->module, items.count, items.data));
  ten_vec_free(&items);
  return ok;
}

/* [, precision = […]] [, algorithm = <…>] */
static bool part_precision(ten_parser *p, ten_op_state *state, bool algorithm) {
  if (!ten_accept(p, ',')) return true;
  if (!algorithm || !ten_at_word(p, "algorithm")) {
    if (!ten_expect_word(p, "precision") || !precision_list(p, state)) return false;
    if (!algorithm || !ten_accept(p, ',')) return true;
  }
  const ten_attr *value = NULL;
  if (!ten_expect_word(p, "algorithm") || !ten_expect(p, '=', "'='") ||
      !ten_parse_struct(p, TEN_STRUCT_DOT_ALGORITHM, &value))
    return false;
  ten_state_attr(state, TEN_STR("algorithm"), value);
  return true;
}

static bool dot_pair(ten_parser *p, const ten_attr **left, const ten_attr **right) {
  return ten_expect(p, '=', "'='") && ten_parse_ints(p, false, left) && ten_expect_word(p, "x") &&
         ten_parse_ints(p, false, right);
}

/* [batching_dims = [0] x [0],] contracting_dims = [1] x [0] */
static bool part_dot(ten_parser *p, ten_op_state *state) {
  const ten_attr *fields[4] = {0};
  if (ten_accept_word(p, "batching_dims") && (!dot_pair(p, &fields[0], &fields[1]) || !ten_expect(p, ',', "','")))
    return false;
  if (!ten_expect_word(p, "contracting_dims") || !dot_pair(p, &fields[2], &fields[3])) return false;
  ten_state_attr(state, TEN_STR("dot_dimension_numbers"), ten_attr_struct(p->module, TEN_STRUCT_DOT, fields));
  return true;
}

/* e8m10 */
static bool part_format(ten_parser *p, ten_op_state *state) {
  unsigned exponent = 0, mantissa = 0;
  int used = 0;
  char text[32] = "";
  if (ten_at(p, TOK_BARE) && p->token.text.size < sizeof text) memcpy(text, p->token.text.data, p->token.text.size);
  if (sscanf(text, "e%9um%9u%n", &exponent, &mantissa, &used) != 2 || text[used])
    return ten_expected(p, "a format such as e8m10");
  ten_advance(p);
  ten_state_attr(state, TEN_STR("exponent_bits"), ten_attr_i32(p->module, (int32_t)exponent));
  ten_state_attr(state, TEN_STR("mantissa_bits"), ten_attr_i32(p->module, (int32_t)mantissa));
  return true;
}

/* [(region, …)] */
static bool part_regions(ten_parser *p, ten_op_state *state) {
  if (!ten_accept(p, '(')) return true;
  do {
    ten_region region;
    if (!ten_parse_region(p, &region, false, (ten_str){0}, 0, NULL)) return false;
    ten_vec_push(&state->regions, region);
  } while (ten_accept(p, ','));
  return ten_expect(p, ')', "',' or ')'");
}

/* %a, %b : T, T or () */
static bool part_pairwise(ten_parser *p, ten_op_state *state) {
  if (ten_accept(p, '(')) return ten_expect(p, ')', "')'");
  if (!ten_parse_operands(p, state) || !ten_expect(p, ':', "':'") || !ten_parse_types(p, state, false)) return false;
  for (size_t i = 0; i < state->operand_types.count; i++)
    ten_vec_push(&state->result_types, state->operand_types.data[i]);
  return true;
}

/* (%a: T, …) {…}, isolated from above */
static bool part_body(ten_parser *p, ten_op_state *state) {
  TEN_VEC(ten_region_arg) args = {0};
  bool ok = ten_expect(p, '(', "'('");
  while (ok && !ten_at(p, ')')) {
    ten_region_arg arg = {.name = p->token};
    ok = ten_accept(p, TOK_PERCENT) || ten_expected(p, "an argument or ')'");
    if (!ok) break;
    arg.loc = ten_implicit_loc(p, &arg.name);
    ok = ten_expect(p, ':', "':'") && ten_parse_type(p, &arg.type) && ten_parse_optional_loc(p, &arg.loc);
    if (ok) ten_vec_push(&args, arg);
    if (!ok || !ten_accept(p, ',')) break;
  }
  ten_region region;
  ok =
      ok && ten_expect(p, ')', "',' or ')'") && ten_parse_region(p, &region, true, (ten_str){0}, args.count, args.data);
  if (ok) ten_vec_push(&state->regions, region);
  ten_vec_free(&args);
  return ok;
}

/* Consumes nothing: the type is that of the constant. */
static bool part_value_type(ten_parser *p, ten_op_state *state) {
  for (size_t i = 0; i < state->attrs.count; i++) {
    const ten_attr *value = state->attrs.data[i].value;
    if (!ten_str_is(state->attrs.data[i].name, "value") ||
        (value->kind != TEN_ATTR_DENSE && value->kind != TEN_ATTR_RESOURCE))
      continue;
    if (state->operands.count)
      ten_vec_push(&state->operand_types, value->dense.type);
    else
      ten_vec_push(&state->result_types, value->dense.type);
    return true;
  }
  return ten_fail(p, &state->name_token, "the value must be a constant: dense<…> or dense_resource<…>");
}

bool ten_parse_part(ten_parser *p, ten_op_state *state, ten_str part) {
  if (ten_str_is(part, "slice")) return part_slice(p, state);
  if (ten_str_is(part, "conv")) return part_conv(p, state);
  if (ten_str_is(part, "window")) return part_window(p, state);
  if (ten_str_is(part, "target")) return part_target(p, state);
  if (ten_str_is(part, "precision")) return part_precision(p, state, false);
  if (ten_str_is(part, "algorithm")) return part_precision(p, state, true);
  if (ten_str_is(part, "dot")) return part_dot(p, state);
  if (ten_str_is(part, "format")) return part_format(p, state);
  if (ten_str_is(part, "regions")) return part_regions(p, state);
  if (ten_str_is(part, "pairwise")) return part_pairwise(p, state);
  if (ten_str_is(part, "body")) return part_body(p, state);
  return part_value_type(p, state);
}
