/* parse_func.c: module and func.func. */
#include <stdlib.h>

#include "ir/text/parser.h"

typedef struct signature {
  TEN_VEC(ten_region_arg) args; /* names are missing in a declaration */
  TEN_VEC(const ten_type *) inputs;
  TEN_VEC(const ten_type *) results;
  TEN_VEC(const ten_attr *) arg_attrs; /* a dictionary, or NULL, for each */
  TEN_VEC(const ten_attr *) result_attrs;
} signature;

static void signature_free(signature *s) {
  ten_vec_free(&s->args);
  ten_vec_free(&s->inputs);
  ten_vec_free(&s->results);
  ten_vec_free(&s->arg_attrs);
  ten_vec_free(&s->result_attrs);
}

static bool parse_args(ten_parser *p, signature *s) {
  if (!ten_expect(p, '(', "'('")) return false;
  while (!ten_at(p, ')')) {
    ten_region_arg arg = {.name = p->token};
    const ten_attr *attrs = NULL;
    if (ten_at(p, TOK_ELLIPSIS))
      return ten_fail_code(p, TEN_UNSUPPORTED, &p->token, "variadic functions are not supported");
    const bool named = ten_accept(p, TOK_PERCENT);
    if (s->inputs.count && named != (s->args.count > 0))
      return ten_fail(p, &arg.name, "some arguments have names and some have not");
    if (named) arg.loc = ten_implicit_loc(p, &arg.name);
    if (named && !ten_expect(p, ':', "':'")) return false;
    if (!ten_parse_type(p, &arg.type) || !ten_parse_optional_dict(p, &attrs) || !ten_parse_optional_loc(p, &arg.loc))
      return false;
    if (named) ten_vec_push(&s->args, arg);
    ten_vec_push(&s->inputs, arg.type);
    ten_vec_push(&s->arg_attrs, attrs);
    if (!ten_accept(p, ',')) break;
  }
  return ten_expect(p, ')', "',' or ')'");
}

static bool parse_results(ten_parser *p, signature *s) {
  if (!ten_accept(p, TOK_ARROW)) return true;
  const bool list = ten_accept(p, '(');
  while (!list || !ten_at(p, ')')) {
    const ten_type *type = NULL;
    const ten_attr *attrs = NULL;
    if (!ten_parse_type(p, &type)) return false;
    if (list && !ten_parse_optional_dict(p, &attrs)) return false;
    ten_vec_push(&s->results, type);
    ten_vec_push(&s->result_attrs, attrs);
    if (!list || !ten_accept(p, ',')) break;
  }
  return !list || ten_expect(p, ')', "',' or ')'");
}

/* An array of dictionaries, unless all are empty. */
static void attrs_of_all(ten_parser *p, ten_op_state *state, const char *name, size_t count, const ten_attr **attrs) {
  bool any = false;
  for (size_t i = 0; i < count; i++) any = any || (attrs[i] && attrs[i]->dict.count);
  if (!any) return;
  for (size_t i = 0; i < count; i++)
    if (!attrs[i]) attrs[i] = ten_attr_dict(p->module, 0, NULL);
  ten_state_attr(state, ten_str_of(name), ten_attr_array(p->module, count, attrs));
}

static bool parse_visibility(ten_parser *p, ten_op_state *state) {
  static const char *const words[] = {"public", "private", "nested"};
  for (size_t i = 0; i < 3; i++)
    if (ten_accept_word(p, words[i])) {
      ten_state_attr(state, TEN_STR("sym_visibility"), ten_attr_string(p->module, ten_str_of(words[i])));
      break;
    }
  return true;
}

static bool parse_func(ten_parser *p, ten_op_state *state, signature *s) {
  ten_str name = {0};
  if (!parse_visibility(p, state) || !ten_parse_symbol_name(p, &name) || !parse_args(p, s) || !parse_results(p, s))
    return false;
  const ten_type *type = ten_type_function(p->module, (uint32_t)s->inputs.count, s->inputs.data,
                                           (uint32_t)s->results.count, s->results.data);
  ten_state_attr(state, TEN_STR("sym_name"), ten_attr_string(p->module, name));
  ten_state_attr(state, TEN_STR("function_type"), ten_attr_type(p->module, type));
  attrs_of_all(p, state, "arg_attrs", s->arg_attrs.count, s->arg_attrs.data);
  attrs_of_all(p, state, "res_attrs", s->result_attrs.count, s->result_attrs.data);
  if (ten_accept_word(p, "attributes") && !ten_parse_attr_dict(p, state, false)) return false;
  ten_region region = {0};
  if (ten_at(p, '{')) {
    if (s->inputs.count && !s->args.count)
      return ten_fail(p, &p->token, "a function with a body needs names for its arguments");
    const ten_token place = p->token;
    if (!ten_parse_region(p, &region, true, TEN_STR("func"), s->args.count, s->args.data)) return false;
    if (!region.first || (!region.first->first && !p->diagnostics->items.count))
      return ten_fail(p, &place, "the body of a function may not be empty");
  }
  ten_vec_push(&state->regions, region);
  return true;
}

bool ten_parse_func_op(ten_parser *p, ten_op_state *state) {
  signature s = {0};
  const bool ok = parse_func(p, state, &s);
  signature_free(&s);
  return ok;
}

bool ten_parse_module_op(ten_parser *p, ten_op_state *state) {
  if (ten_at(p, TOK_AT)) {
    ten_str name = {0};
    if (!ten_parse_symbol_name(p, &name)) return false;
    ten_state_attr(state, TEN_STR("sym_name"), ten_attr_string(p->module, name));
  }
  if (ten_accept_word(p, "attributes") && !ten_parse_attr_dict(p, state, false)) return false;
  ten_region region;
  if (!ten_parse_region(p, &region, true, TEN_STR("builtin"), 0, NULL)) return false;
  if (!region.first) ten_block_create(p->module, &region);
  ten_vec_push(&state->regions, region);
  return true;
}
