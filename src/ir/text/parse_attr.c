/* parse_attr.c: builtin attributes, dictionaries, and the bare forms that ops use for their own attributes. */
#include "base/float.h"
#include "ir/text/parser.h"

static bool attr_array(ten_parser *p, const ten_attr **out) {
  TEN_VEC(const ten_attr *) items = {0};
  bool ok = true;
  while (ok && !ten_at(p, ']')) {
    const ten_attr *item = NULL;
    ok = ten_parse_attr(p, &item);
    if (ok) ten_vec_push(&items, item);
    if (!ok || !ten_accept(p, ',')) break;
  }
  ok = ok && ten_expect(p, ']', "',' or ']'");
  if (ok) *out = ten_attr_array(p->module, items.count, items.data);
  ten_vec_free(&items);
  return ok;
}

typedef TEN_VEC(ten_named_attr) attr_vec;

static int by_name(const void *a, const void *b) {
  return ten_str_compare(((const ten_named_attr *)a)->name, ((const ten_named_attr *)b)->name);
}

/* Also sorts them. */
static bool names_differ(ten_parser *p, const ten_token *place, size_t count, ten_named_attr *items) {
  if (count > 1) qsort(items, count, sizeof *items, by_name);
  for (size_t i = 1; i < count; i++)
    if (ten_str_eq(items[i - 1].name, items[i].name))
      return ten_fail(p, place, "attribute '%.*s' is given twice", TEN_FMT(items[i].name));
  return true;
}

/* name [= value], … } behind the '{'. */
static bool dict_items(ten_parser *p, attr_vec *out) {
  const ten_token place = p->token;
  while (!ten_at(p, '}')) {
    ten_named_attr item = {0};
    const ten_token name = p->token;
    if (ten_at(p, TOK_BARE)) {
      item.name = p->token.text;
      ten_advance(p);
    } else if (ten_at(p, TOK_STRING)) {
      if (!ten_parse_string(p, &item.name)) return false;
      if (!item.name.size) return ten_fail(p, &name, "an attribute needs a name");
    } else {
      return ten_expected(p, "an attribute name or '}'");
    }
    if (ten_accept(p, '=')) {
      if (!ten_parse_attr(p, &item.value)) return false;
    } else {
      item.value = ten_attr_unit(p->module);
    }
    ten_vec_push(out, item);
    if (!ten_accept(p, ',')) break;
  }
  return ten_expect(p, '}', "',' or '}'") && names_differ(p, &place, out->count, out->data);
}

static bool attr_dict(ten_parser *p, const ten_attr **out) {
  attr_vec items = {0};
  const bool ok = dict_items(p, &items);
  if (ok) *out = ten_attr_dict(p->module, items.count, items.data);
  ten_vec_free(&items);
  return ok;
}

bool ten_parse_attr_dict(ten_parser *p, ten_op_state *state, bool inherent) {
  const ten_token place = p->token;
  attr_vec items = {0};
  bool ok = ten_expect(p, '{', "'{'") && dict_items(p, &items);
  for (size_t i = 0; ok && i < items.count; i++) {
    items.data[i].inherent = inherent;
    ten_vec_push(&state->attrs, items.data[i]);
  }
  ok = ok && names_differ(p, &place, state->attrs.count, state->attrs.data);
  ten_vec_free(&items);
  return ok;
}

bool ten_parse_optional_dict(ten_parser *p, const ten_attr **out) {
  *out = NULL;
  if (!ten_accept(p, '{')) return true;
  bool ok = ten_enter(p) && attr_dict(p, out);
  ten_leave(p);
  return ok;
}

static bool attr_number(ten_parser *p, const ten_type *type, const ten_attr **out) {
  const bool negative = ten_accept(p, '-');
  const ten_token token = p->token;
  if (token.kind != TOK_INT && token.kind != TOK_FLOAT) return ten_expected(p, "a number");
  ten_advance(p);
  const ten_token place = p->token;
  if (!type && ten_accept(p, ':')) {
    if (!ten_parse_type(p, &type)) return false;
    if (type->kind != TEN_TYPE_SCALAR || ten_dtype_is_complex(type->dtype))
      return type->kind == TEN_TYPE_OPAQUE
                 ? ten_fail_code(p, TEN_UNSUPPORTED, &place, "numbers of type %.*s are not supported",
                                 TEN_FMT(type->text))
                 : ten_fail(p, &place, "a number's type must be an integer or a float");
  }
  if (!type) type = ten_type_scalar(p->module, token.kind == TOK_FLOAT ? TEN_F64 : TEN_I64);
  unsigned char element[16] = {0};
  if (!ten_number_encode(p, &token, negative, type->dtype, element)) return false;
  if (ten_dtype_is_float(type->dtype)) {
    *out = ten_attr_float(p->module, ten_float_decode(type->dtype, element), type);
    return true;
  }
  uint64_t value = 0;
  memcpy(&value, element, ten_dtype_bytes(type->dtype));
  const unsigned spare = 64 - 8 * (unsigned)ten_dtype_bytes(type->dtype);
  if (ten_dtype_class(type->dtype) == TEN_CLASS_SINT) value = (uint64_t)((int64_t)(value << spare) >> spare);
  *out = ten_attr_int(p->module, (int64_t)value, type);
  return true;
}

static bool attr_symbol(ten_parser *p, const ten_attr **out) {
  TEN_VEC(ten_str) path = {0};
  bool ok = true;
  do {
    ten_str name = {0};
    ok = ten_parse_symbol_name(p, &name);
    if (ok) ten_vec_push(&path, name);
    if (!ok || !ten_at(p, ':') || p->lexer.at == p->lexer.end || *p->lexer.at != ':') break;
    ten_advance(p);
    ten_advance(p);
  } while (ok);
  if (ok) *out = ten_attr_symbol_path(p->module, path.count, path.data);
  ten_vec_free(&path);
  return ok;
}

static bool attr_hash(ten_parser *p, const ten_attr **out) {
  const ten_token token = p->token;
  const ten_alias *alias = ten_alias_find(p, token.text);
  ten_advance(p);
  if (alias) {
    *out = alias->kind == ALIAS_LOC ? ten_attr_loc(p->module, alias->loc) : alias->attr;
    return ten_alias_use(p, &token, alias);
  }
  if (!ten_at(p, '<') && !memchr(token.text.data, '.', token.text.size))
    return ten_fail(p, &token, "undefined attribute alias '%.*s'", TEN_FMT(token.text));
  return ten_parse_dialect_attr(p, token, out);
}

/* affine_map<…>, affine_set<…>, strided<…>, opaque<…>: stored as text. */
static bool attr_kept(ten_parser *p, const ten_attr **out) {
  const ten_token token = p->token;
  ten_advance(p);
  if (!ten_at(p, '<')) return ten_expected(p, "'<'");
  if (!ten_skip_balanced(p)) return false;
  const char *end = p->token.text.data + 1;
  ten_advance(p);
  *out = ten_attr_opaque(p->module, (ten_str){token.text.data, (size_t)(end - token.text.data)});
  return true;
}

static bool attr_word(ten_parser *p, const ten_attr **out) {
  const ten_token token = p->token;
  if (ten_accept_word(p, "true")) return *out = ten_attr_bool(p->module, true), true;
  if (ten_accept_word(p, "false")) return *out = ten_attr_bool(p->module, false), true;
  if (ten_accept_word(p, "unit")) return *out = ten_attr_unit(p->module), true;
  if (ten_accept_word(p, "dense")) return ten_parse_dense(p, out);
  if (ten_accept_word(p, "dense_resource")) return ten_parse_resource(p, out);
  if (ten_accept_word(p, "array")) return ten_parse_list(p, out);
  if (ten_accept_word(p, "loc")) {
    const ten_loc *loc = NULL;
    if (!ten_parse_loc(p, &loc)) return false;
    return *out = ten_attr_loc(p->module, loc), true;
  }
  if (ten_str_is(token.text, "affine_map") || ten_str_is(token.text, "affine_set") ||
      ten_str_is(token.text, "strided") || ten_str_is(token.text, "opaque"))
    return attr_kept(p, out);
  if (ten_str_is(token.text, "sparse"))
    return ten_fail_code(p, TEN_UNSUPPORTED, &token, "sparse<…> constants are not supported: write them as dense<…>");
  if (ten_str_is(token.text, "distinct"))
    return ten_fail_code(p, TEN_UNSUPPORTED, &token, "distinct[…] attributes are not supported");
  bool found;
  const ten_type *type = NULL;
  if (!ten_parse_optional_type(p, &found, &type)) return false;
  if (!found) return ten_fail(p, &token, "expected an attribute, not '%.*s'", TEN_FMT(token.text));
  *out = ten_attr_type(p->module, type);
  return true;
}

static bool attr_any(ten_parser *p, const ten_type *type, const ten_attr **out) {
  switch (p->token.kind) {
    case '[': return ten_advance(p), attr_array(p, out);
    case '{': return ten_advance(p), attr_dict(p, out);
    case '-':
    case TOK_INT:
    case TOK_FLOAT: return attr_number(p, type, out);
    case TOK_AT: return attr_symbol(p, out);
    case TOK_HASH: return attr_hash(p, out);
    case TOK_BARE: return attr_word(p, out);
    case TOK_STRING: {
      ten_str text = {0};
      if (!ten_parse_string(p, &text)) return false;
      if (!type && ten_at(p, ':'))
        return ten_fail_code(p, TEN_UNSUPPORTED, &p->token, "strings with a type are not supported");
      return *out = ten_attr_string(p->module, text), true;
    }
    case TOK_BANG:
    case '(': {
      const ten_type *value = NULL;
      if (!ten_parse_type(p, &value)) return false;
      return *out = ten_attr_type(p->module, value), true;
    }
    default: return ten_expected(p, "an attribute");
  }
}

bool ten_parse_attr_typed(ten_parser *p, const ten_type *type, const ten_attr **out) {
  p->expanded++;
  const bool ok = ten_enter(p) && attr_any(p, type, out);
  ten_leave(p);
  return ok;
}

bool ten_parse_attr(ten_parser *p, const ten_attr **out) { return ten_parse_attr_typed(p, NULL, out); }

static bool bare_enum(ten_parser *p, ten_enum_id id, const ten_attr **out) {
  if (!ten_at(p, TOK_BARE)) return ten_expected(p, "a name");
  const int value = ten_enum_value(id, p->token.text);
  if (value < 0)
    return ten_fail(p, &p->token, "'%.*s' is not a %s", TEN_FMT(p->token.text), ten_enum_infos[id].mnemonic);
  ten_advance(p);
  *out = ten_attr_enum(p->module, id, value);
  return true;
}

bool ten_parse_spec(ten_parser *p, const ten_attr_spec *spec, const ten_attr **out) {
  static const ten_dtype numbers[] = {[TEN_SPEC_I32] = TEN_I32,   [TEN_SPEC_I64] = TEN_I64, [TEN_SPEC_UI32] = TEN_UI32,
                                      [TEN_SPEC_UI64] = TEN_UI64, [TEN_SPEC_F32] = TEN_F32, [TEN_SPEC_F64] = TEN_F64};
  switch (spec->kind) {
    case TEN_SPEC_I32:
    case TEN_SPEC_I64:
    case TEN_SPEC_UI32:
    case TEN_SPEC_UI64:
    case TEN_SPEC_F32:
    case TEN_SPEC_F64: return attr_number(p, ten_type_scalar(p->module, numbers[spec->kind]), out);
    case TEN_SPEC_BOOL:
      if (!ten_at_word(p, "true") && !ten_at_word(p, "false")) return ten_expected(p, "'true' or 'false'");
      return ten_parse_attr(p, out);
    case TEN_SPEC_STRING: {
      if (!ten_at(p, TOK_STRING)) return ten_expected(p, "a string");
      ten_str text = {0};
      if (!ten_parse_string(p, &text)) return false;
      return *out = ten_attr_string(p->module, text), true;
    }
    case TEN_SPEC_SYMBOL: return attr_symbol(p, out);
    case TEN_SPEC_DIMS: return ten_parse_ints(p, true, out);
    case TEN_SPEC_ENUM: return bare_enum(p, (ten_enum_id)spec->subject, out);
    case TEN_SPEC_STRUCT: return ten_parse_struct(p, (ten_struct_id)spec->subject, out);
    case TEN_SPEC_TYPE: {
      const ten_type *type = NULL;
      if (!ten_parse_type(p, &type)) return false;
      return *out = ten_attr_type(p->module, type), true;
    }
    default: return ten_parse_attr(p, out);
  }
}
