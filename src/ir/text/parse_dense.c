/* parse_dense.c: dense<…>, dense_resource<…>, array<…>. The type of a dense literal follows it, so the literal is
 * skipped, the type read, and the literal read again straight into its bytes: no intermediate form, and no allocation
 * larger than the text justifies. */
#include "base/size.h"
#include "ir/text/parser.h"

typedef struct literal {
  ten_parser *p;
  const ten_type *type;
  char *data;
  size_t element, count, filled;
} literal;

static bool shape_error(literal *l, const ten_token *place) {
  ten_buf text = {0};
  ten_type_print(&text, l->type);
  ten_fail(l->p, place, "the literal does not have the shape of %s", text.data);
  ten_buf_free(&text);
  return false;
}

static bool one_number(ten_parser *p, ten_dtype dtype, void *at) {
  const bool negative = ten_accept(p, '-');
  const ten_token token = p->token;
  if (token.kind != TOK_INT && token.kind != TOK_FLOAT && !ten_at_word(p, "true") && !ten_at_word(p, "false"))
    return token.kind == TOK_STRING
               ? ten_fail_code(p, TEN_UNSUPPORTED, &token, "constants of strings are not supported")
               : ten_expected(p, "a number");
  if (negative && token.kind == TOK_BARE) return ten_fail(p, &token, "expected a number after '-'");
  ten_advance(p);
  return ten_number_encode(p, &token, negative, dtype, at);
}

static bool one_element(literal *l, char *at) {
  ten_parser *p = l->p;
  const ten_dtype dtype = l->type->dtype;
  if (!ten_dtype_is_complex(dtype)) return one_number(p, dtype, at);
  const ten_dtype part = ten_dtype_part(dtype);
  return ten_expect(p, '(', "'('") && one_number(p, part, at) && ten_expect(p, ',', "','") &&
         one_number(p, part, at + ten_dtype_bytes(part)) && ten_expect(p, ')', "')'");
}

/* A nested list from dimension `level` on; the current token is its '['. Recursion is bounded by the rank, which the
 * type spells out. */
static bool nested(literal *l, uint32_t level) {
  ten_parser *p = l->p;
  const ten_token place = p->token;
  if (level == l->type->rank) return shape_error(l, &place);
  if (!ten_enter(p)) return ten_leave(p), false;
  ten_advance(p);
  int64_t count = 0;
  bool ok = true;
  const bool last = level + 1 == l->type->rank;
  while (ok && !ten_at(p, ']')) {
    if (count++ == l->type->dims[level])
      ok = shape_error(l, &place);
    else if (ten_at(p, '['))
      ok = last ? shape_error(l, &p->token) : nested(l, level + 1);
    else if (!last || l->filled == l->count)
      ok = shape_error(l, &p->token);
    else
      ok = one_element(l, l->data + l->element * l->filled++);
    if (!ok || !ten_accept(p, ',')) break;
  }
  ten_leave(p);
  ok = ok && ten_expect(p, ']', "',' or ']'");
  return ok && (count == l->type->dims[level] || shape_error(l, &place));
}

/* Each hex byte of a sub-byte type is one element, sign-extended as dtype.h requires. */
static void widen(ten_dtype dtype, unsigned char *data, size_t count) {
  const unsigned bits = ten_dtype_bits(dtype);
  if (bits >= 8) return;
  const bool is_signed = ten_dtype_class(dtype) == TEN_CLASS_SINT;
  for (size_t i = 0; i < count; i++) {
    const unsigned value = data[i] & ((1u << bits) - 1);
    data[i] = (unsigned char)(is_signed && value >> (bits - 1) ? value | ~0u << bits : value);
  }
}

static bool hex_decode(const char *text, size_t count, unsigned char *out) {
  unsigned bad = 0;
  for (size_t i = 0; i < count; i++) {
    const unsigned high = ten_hex_values[(unsigned char)text[2 * i]],
                   low = ten_hex_values[(unsigned char)text[2 * i + 1]];
    bad |= high | low;
    out[i] = (unsigned char)(high << 4 | low);
  }
  return bad < 16;
}

static bool hex_literal(ten_parser *p, const ten_token *token, const ten_type *type, const ten_attr **out) {
  const char *digits = token->text.data + 3;
  if (token->text.size < 4 || memcmp(token->text.data, "\"0x", 3) || token->text.size % 2)
    return ten_fail(p, token, "expected an even number of hex digits: \"0x…\"");
  const size_t size = (token->text.size - 4) / 2, element = ten_dtype_bytes(type->dtype), whole = ten_type_bytes(type);
  const int64_t count = ten_type_count(type);
  const bool packed =
      type->dtype == TEN_I1 && count > 8 && size == ((size_t)count + 7) / 8; /* before LLVM 22: a bit each */
  if (!packed && size != whole && size != element)
    return ten_fail(p, token, "the hex literal has %zu bytes, its type takes %zu", size, whole);
  unsigned char *data = ten_arena_try(&p->module->arena, packed ? (size_t)count : size);
  if (!data) return ten_fail_code(p, TEN_LIMIT, token, "out of memory: a constant takes %zu bytes", size);
  unsigned char *raw =
      packed ? data + (size_t)count - size : data; /* bits are expanded from the front, never over unread ones */
  if (!hex_decode(digits, size, raw)) return ten_fail(p, token, "expected hex digits only");
  if (packed)
    for (size_t i = 0; i < (size_t)count; i++) data[i] = raw[i / 8] >> (i % 8) & 1;
  else
    widen(type->dtype, data, size);
  *out = ten_attr_dense_view(p->module, type, data, packed ? (size_t)count : size,
                             !packed && size == element && size != whole);
  return true;
}

/* From the token behind '<' to the one behind '>', with the type known. */
static bool literal_again(ten_parser *p, const ten_type *type, size_t text_size, const ten_attr **out) {
  const ten_token place = p->token;
  if (ten_at(p, TOK_STRING)) {
    const ten_token token = p->token;
    ten_advance(p);
    return hex_literal(p, &token, type, out);
  }
  literal l = {.p = p, .type = type, .element = ten_dtype_bytes(type->dtype), .count = (size_t)ten_type_count(type)};
  if (ten_at(p, '>')) {
    if (l.count) return ten_fail(p, &place, "an empty literal needs a type without elements");
    return *out = ten_attr_dense_view(p->module, type, NULL, 0, false), true;
  }
  if (!ten_at(p, '[')) {
    char element[16] = {0};
    if (!one_element(&l, element)) return false;
    const void *data = ten_arena_copy(&p->module->arena, element, l.element);
    return *out = ten_attr_dense_view(p->module, type, data, l.element, l.count != 1), true;
  }
  size_t size;
  if (l.count > text_size || !ten_mul(l.count, l.element, &size)) return shape_error(&l, &place);
  l.data = ten_arena_try(&p->module->arena, size);
  if (!l.data) return ten_fail_code(p, TEN_LIMIT, &place, "out of memory: a constant takes %zu bytes", size);
  if (!nested(&l, 0)) return false;
  return *out = ten_attr_dense_view(p->module, type, l.data, size, false), true;
}

static bool literal_type(ten_parser *p, const char *what, const ten_type **out) {
  if (!ten_expect(p, ':', "':' and the type of the constant")) return false;
  const ten_token place = p->token;
  if (!ten_parse_type(p, out)) return false;
  if (!ten_type_is_static(*out) || (*out)->dtype == TEN_DTYPE_NONE)
    return ten_fail(p, &place, "%s needs a tensor type of known shape", what);
  return true;
}

bool ten_parse_dense(ten_parser *p, const ten_attr **out) {
  if (!ten_expect(p, '<', "'<'")) return false;
  const ten_lexer start = p->lexer;
  const ten_token first = p->token;
  while (!ten_at(p, '>')) {
    if (ten_at(p, TOK_EOF) || ten_at(p, TOK_BAD)) return ten_expected(p, "'>'");
    ten_advance(p);
  }
  const size_t text_size = (size_t)(p->token.text.data - first.text.data);
  const ten_type *type = NULL;
  ten_advance(p);
  if (!literal_type(p, "dense<…>", &type)) return false;
  const ten_lexer end = p->lexer;
  const ten_token next = p->token;
  p->lexer = start;
  p->token = first;
  if (!literal_again(p, type, text_size, out) || !ten_expect(p, '>', "'>'")) return false;
  p->lexer = end;
  p->token = next;
  return true;
}

bool ten_parse_resource(ten_parser *p, const ten_attr **out) {
  if (!ten_expect(p, '<', "'<'")) return false;
  ten_str key = p->token.text;
  if (ten_at(p, TOK_STRING)) {
    if (!ten_parse_string(p, &key)) return false;
  } else if (ten_at(p, TOK_BARE)) {
    ten_advance(p);
  } else {
    return ten_expected(p, "a resource name");
  }
  const ten_type *type = NULL;
  if (!ten_expect(p, '>', "'>'") || !literal_type(p, "dense_resource<…>", &type)) return false;
  ten_attr *attr = (ten_attr *)ten_attr_resource(p->module, type, key, NULL, 0); /* ours until the blob is known */
  ten_vec_push(&p->resources, attr);
  *out = attr;
  return true;
}

bool ten_parse_list(ten_parser *p, const ten_attr **out) {
  const ten_type *type = NULL;
  if (!ten_expect(p, '<', "'<'")) return false;
  const ten_token place = p->token;
  if (!ten_parse_type(p, &type)) return false;
  if (type->kind != TEN_TYPE_SCALAR || ten_dtype_is_complex(type->dtype))
    return ten_fail(p, &place, "an array holds integers or floats");
  ten_buf bytes = {0};
  size_t count = 0;
  bool ok = true;
  if (ten_accept(p, ':')) {
    do {
      char element[16] = {0};
      ok = one_number(p, type->dtype, element);
      ten_buf_add(&bytes, element, ten_dtype_bytes(type->dtype));
      count++;
    } while (ok && ten_accept(p, ','));
  }
  ok = ok && ten_expect(p, '>', "',' or '>'");
  if (ok) *out = ten_attr_list(p->module, type->dtype, count, bytes.data);
  ten_buf_free(&bytes);
  return ok;
}
