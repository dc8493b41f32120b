/* parse_type.c: types. Shapes are read from the characters, since a lexer takes the dimensions `0xf32` for a hex
 * literal. */
#include "base/size.h"
#include "ir/text/parser.h"

typedef TEN_VEC(const ten_type *) type_vec;

/* Types up to `close`, behind its opener. */
static bool type_list(ten_parser *p, int close, const char *what, type_vec *out) {
  while (!ten_at(p, close)) {
    const ten_type *type = NULL;
    if (!ten_parse_type(p, &type)) return false;
    ten_vec_push(out, type);
    if (!ten_accept(p, ',')) break;
  }
  return ten_expect(p, close, what);
}

bool ten_parse_function_type(ten_parser *p, const ten_type **out) {
  type_vec inputs = {0}, results = {0};
  bool ok = ten_expect(p, '(', "'('") && type_list(p, ')', "',' or ')'", &inputs) && ten_expect(p, TOK_ARROW, "'->'");
  if (ok && ten_accept(p, '(')) {
    ok = type_list(p, ')', "',' or ')'", &results);
  } else if (ok) {
    const ten_type *type = NULL;
    ok = ten_parse_type(p, &type);
    if (ok) ten_vec_push(&results, type);
  }
  if (ok)
    *out = ten_type_function(p->module, (uint32_t)inputs.count, inputs.data, (uint32_t)results.count, results.data);
  ten_vec_free(&inputs);
  ten_vec_free(&results);
  return ok;
}

/* The lexer's position as a token, for an error there. */
static ten_token here(const ten_parser *p, const char *at) {
  return (ten_token){TOK_BAD, p->lexer.line, {at, at < p->text_end}, p->lexer.line_start};
}

static void skip_blanks(ten_parser *p) {
  while (p->lexer.at < p->lexer.end && (*p->lexer.at == ' ' || *p->lexer.at == '\t')) p->lexer.at++;
}

static bool accept_char(ten_parser *p, char c) {
  skip_blanks(p);
  if (p->lexer.at == p->lexer.end || *p->lexer.at != c) return false;
  p->lexer.at++;
  return true;
}

typedef struct dim_list {
  bool ranked;
  TEN_VEC(int64_t) dims;
} dim_list;

/* The current token is '<'; leaves the element type as the current token. */
static bool parse_shape(ten_parser *p, dim_list *out) {
  if (!ten_at(p, '<')) return ten_expected(p, "'<'");
  out->ranked = true;
  ten_lexer *lexer = &p->lexer;
  if (accept_char(p, '*')) {
    out->ranked = false;
    if (!accept_char(p, 'x')) {
      const ten_token place = here(p, lexer->at);
      return ten_fail(p, &place, "expected 'x' after '*'");
    }
  }
  while (out->ranked) {
    int64_t dim = TEN_DYNAMIC;
    skip_blanks(p);
    const char *start = lexer->at;
    if (!accept_char(p, '?')) {
      dim = 0;
      bool fits = true;
      for (; lexer->at < lexer->end && *lexer->at >= '0' && *lexer->at <= '9'; lexer->at++)
        fits = fits && ten_mul_i64(dim, 10, &dim) && ten_add_i64(dim, *lexer->at - '0', &dim);
      if (lexer->at == start) break;
      const ten_token place = here(p, start);
      if (!fits) return ten_fail(p, &place, "the dimension does not fit in 63 bits");
    }
    if (!accept_char(p, 'x')) {
      const ten_token place = here(p, lexer->at);
      return ten_fail(p, &place, "expected 'x' after a dimension");
    }
    ten_vec_push(&out->dims, dim);
  }
  ten_advance(p);
  return true;
}

static bool parse_shaped(ten_parser *p, bool buffer, const ten_type **out) {
  dim_list shape = {0};
  const ten_type *element = NULL;
  const ten_attr *encoding = NULL;
  bool ok = parse_shape(p, &shape);
  const ten_token place = p->token;
  ok = ok && ten_parse_type(p, &element);
  if (ok && element->kind != TEN_TYPE_SCALAR && element->kind != TEN_TYPE_QUANT && element->kind != TEN_TYPE_OPAQUE)
    ok = ten_fail(p, &place, "a %s cannot have elements of this type", buffer ? "memref" : "tensor");
  if (ok && ten_accept(p, ',')) ok = ten_parse_attr(p, &encoding);
  ok = ok && ten_expect(p, '>', "'>'");
  const uint32_t rank = (uint32_t)shape.dims.count;
  if (ok)
    *out = buffer ? ten_type_buffer_of(p->module, element, shape.ranked, rank, shape.dims.data, encoding)
                  : ten_type_tensor_of(p->module, element, shape.ranked, rank, shape.dims.data, encoding);
  ten_vec_free(&shape.dims);
  return ok;
}

static bool parse_complex(ten_parser *p, const ten_type **out) {
  const ten_type *part = NULL;
  if (!ten_expect(p, '<', "'<'")) return false;
  const ten_token place = p->token;
  if (!ten_parse_type(p, &part)) return false;
  if (part->kind != TEN_TYPE_SCALAR || (part->dtype != TEN_F32 && part->dtype != TEN_F64))
    return ten_fail_code(p, TEN_UNSUPPORTED, &place, "the elements of complex must be f32 or f64");
  *out = ten_type_scalar(p->module, part->dtype == TEN_F32 ? TEN_C64 : TEN_C128);
  return ten_expect(p, '>', "'>'");
}

/* Uninterpreted text, from the token `from` through balanced brackets if any follow immediately. */
static bool parse_kept(ten_parser *p, const ten_token *from, const ten_type **out) {
  const char *end = from->text.data + from->text.size;
  if (ten_at(p, '<') && p->token.text.data == end) {
    if (!ten_skip_balanced(p)) return false;
    end = p->token.text.data + 1;
    ten_advance(p);
  }
  *out = ten_type_opaque(p->module, (ten_str){from->text.data, (size_t)(end - from->text.data)});
  return true;
}

static bool parse_elements(ten_parser *p, bool future, const ten_type **out) {
  type_vec types = {0};
  const bool ok = ten_expect(p, '<', "'<'") && type_list(p, '>', "',' or '>'", &types);
  if (ok)
    *out = future ? ten_type_future(p->module, (uint32_t)types.count, types.data)
                  : ten_type_tuple(p->module, (uint32_t)types.count, types.data);
  ten_vec_free(&types);
  return ok;
}

static bool parse_dialect_type(ten_parser *p, const ten_type **out) {
  const ten_token token = p->token;
  const ten_alias *alias = ten_alias_find(p, token.text);
  ten_advance(p);
  if (alias) {
    *out = alias->type;
    return ten_alias_use(p, &token, alias);
  }
  if (ten_str_is(token.text, "!stablehlo.token")) {
    *out = ten_type_token(p->module);
    return true;
  }
  if (ten_str_is(token.text, "!stablehlo.future")) return parse_elements(p, true, out);
  if (ten_str_is(token.text, "!quant.uniform")) return ten_parse_quant(p, out);
  if (!memchr(token.text.data, '.', token.text.size) && !ten_at(p, '<'))
    return ten_fail(p, &token, "undefined type alias '%.*s'", TEN_FMT(token.text));
  return parse_kept(p, &token, out);
}

/* i3, si8, ui128, f80…: MLIR types outside StableHLO are stored, not interpreted. */
static bool is_other_scalar(ten_str text) {
  static const char *const floats[] = {"f80", "f128"};
  for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
    if (ten_str_is(text, floats[i])) return true;
  size_t digits = ten_str_starts(text, "si") || ten_str_starts(text, "ui") ? 2
                  : ten_str_starts(text, "i")                              ? 1
                                                                           : text.size;
  if (digits >= text.size || text.size - digits > 8 || text.data[digits] == '0') return false;
  for (; digits < text.size; digits++)
    if (text.data[digits] < '0' || text.data[digits] > '9') return false;
  return true;
}

static bool parse_word_type(ten_parser *p, bool *found, const ten_type **out) {
  const ten_token token = p->token;
  const ten_dtype dtype = ten_dtype_parse(token.text.data, token.text.size);
  *found = true;
  if (dtype != TEN_DTYPE_NONE) {
    ten_advance(p);
    *out = ten_type_scalar(p->module, dtype);
    return true;
  }
  if (ten_str_is(token.text, "tensor")) return ten_advance(p), parse_shaped(p, false, out);
  if (ten_str_is(token.text, "memref")) return ten_advance(p), parse_shaped(p, true, out);
  if (ten_str_is(token.text, "complex")) return ten_advance(p), parse_complex(p, out);
  if (ten_str_is(token.text, "tuple")) return ten_advance(p), parse_elements(p, false, out);
  if (ten_str_is(token.text, "none")) return ten_advance(p), *out = ten_type_none(p->module), true;
  if (is_other_scalar(token.text) || ten_str_is(token.text, "vector"))
    return ten_advance(p), parse_kept(p, &token, out);
  *found = false;
  return true;
}

bool ten_parse_optional_type(ten_parser *p, bool *found, const ten_type **out) {
  *found = true;
  if (!ten_at(p, TOK_BARE) && !ten_at(p, TOK_BANG) && !ten_at(p, '(')) {
    *found = false;
    return true;
  }
  bool ok = ten_enter(p);
  p->expanded++;
  if (ok && ten_at(p, TOK_BARE))
    ok = parse_word_type(p, found, out);
  else if (ok && ten_at(p, TOK_BANG))
    ok = parse_dialect_type(p, out);
  else if (ok)
    ok = ten_parse_function_type(p, out);
  ten_leave(p);
  return ok;
}

bool ten_parse_type(ten_parser *p, const ten_type **out) {
  bool found;
  if (!ten_parse_optional_type(p, &found, out)) return false;
  if (found) return true;
  if (!ten_at(p, TOK_BARE)) return ten_expected(p, "a type");
  return ten_fail(p, &p->token, "unknown type '%.*s'", TEN_FMT(p->token.text));
}
