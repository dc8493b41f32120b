/* parse_value.c: literals, and numbers as elements of a type by upstream's rules: a hex literal is a bit pattern, a
 * float may not be written as a decimal integer, a signless integer may use every bit. */
#include <math.h>
#include <stdlib.h>

#include "base/float.h"
#include "ir/text/parser.h"

bool ten_token_uint(const ten_token *token, uint64_t *out) {
  uint64_t value = 0;
  const char *at = token->text.data, *end = at + token->text.size;
  if (end - at > 2 && at[1] == 'x') {
    for (at += 2; at < end; at++) {
      if (value >> 60) return false;
      value = value << 4 | ten_hex_values[(unsigned char)*at];
    }
  } else {
    for (; at < end; at++)
      if (__builtin_mul_overflow(value, 10u, &value) || __builtin_add_overflow(value, (unsigned)(*at - '0'), &value))
        return false;
  }
  *out = value;
  return true;
}

static bool signed_value(const ten_token *token, bool negative, int64_t *out) {
  uint64_t value;
  if (!ten_token_uint(token, &value) || value > (uint64_t)INT64_MAX + negative) return false;
  *out = (int64_t)(negative ? 0 - value : value);
  return true;
}

bool ten_parse_int(ten_parser *p, int64_t *out) {
  const bool negative = ten_accept(p, '-');
  if (!ten_at(p, TOK_INT)) return ten_expected(p, "an integer");
  if (!signed_value(&p->token, negative, out)) return ten_fail(p, &p->token, "the integer does not fit in 64 bits");
  ten_advance(p);
  return true;
}

bool ten_parse_ints(ten_parser *p, bool question, const ten_attr **out) {
  TEN_VEC(int64_t) values = {0};
  bool ok = ten_expect(p, '[', "'['");
  while (ok && !ten_at(p, ']')) {
    int64_t value = TEN_DYNAMIC;
    ok = (question && ten_accept(p, '?')) || ten_parse_int(p, &value);
    if (ok) ten_vec_push(&values, value);
    if (!ok || !ten_accept(p, ',')) break;
  }
  ok = ok && ten_expect(p, ']', "',' or ']'");
  if (ok) *out = ten_attr_dims(p->module, values.count, values.data);
  ten_vec_free(&values);
  return ok;
}

/* The token's text as a double; numbers longer than the buffer are rare and use the heap. */
static double token_double(const ten_token *token) {
  char local[128];
  char *text = token->text.size < sizeof local ? local : ten_alloc(token->text.size + 1);
  memcpy(text, token->text.data, token->text.size);
  text[token->text.size] = 0;
  const double value = strtod(text, NULL);
  if (text != local) free(text);
  return value;
}

bool ten_parse_double(ten_parser *p, double *out) {
  const bool negative = ten_accept(p, '-');
  if (!ten_at(p, TOK_FLOAT) && !ten_at(p, TOK_INT)) return ten_expected(p, "a number");
  if (ten_at(p, TOK_INT) && ten_str_starts(p->token.text, "0x")) {
    uint64_t bits;
    if (negative || !ten_token_uint(&p->token, &bits))
      return ten_fail(p, &p->token, "expected the 64 bits of a number");
    memcpy(out, &bits, sizeof bits);
  } else {
    const double value = token_double(&p->token);
    if (isinf(value)) return ten_fail(p, &p->token, "the number is too large");
    *out = negative ? -value : value;
  }
  ten_advance(p);
  return true;
}

bool ten_parse_string(ten_parser *p, ten_str *out) {
  if (!ten_at(p, TOK_STRING)) return ten_expected(p, "a string");
  p->scratch.size = 0;
  ten_token_string(&p->token, &p->scratch);
  *out = (ten_str){ten_arena_strdup(&p->module->arena, p->scratch.data, p->scratch.size), p->scratch.size};
  ten_advance(p);
  return true;
}

bool ten_parse_symbol_name(ten_parser *p, ten_str *out) {
  if (!ten_at(p, TOK_AT)) return ten_expected(p, "a symbol name");
  ten_str name = {p->token.text.data + 1, p->token.text.size - 1};
  if (name.data[0] == '"') {
    p->scratch.size = 0;
    ten_token_string(&p->token, &p->scratch);
    name = (ten_str){p->scratch.data, p->scratch.size};
  }
  *out = (ten_str){ten_arena_strdup(&p->module->arena, name.data, name.size), name.size};
  ten_advance(p);
  return true;
}

bool ten_skip_balanced(ten_parser *p) {
  char open[TEN_TEXT_MAX_DEPTH];
  size_t depth = 0;
  do {
    switch (p->token.kind) {
      case '<':
      case '(':
      case '[':
      case '{':
        if (depth == sizeof open)
          return ten_fail_code(p, TEN_LIMIT, &p->token, "nested more than %d deep", TEN_TEXT_MAX_DEPTH);
        open[depth++] = (char)(p->token.kind == '(' ? ')' : p->token.kind + 2);
        break;
      case '>':
      case ')':
      case ']':
      case '}':
        if (!depth || open[depth - 1] != p->token.kind)
          return ten_fail(p, &p->token, "unbalanced '%c'", (char)p->token.kind);
        depth--;
        break;
      case TOK_EOF:
      case TOK_BAD: return ten_expected(p, "a closing bracket");
      default: break;
    }
    if (depth) ten_advance(p);
  } while (depth);
  return true; /* at the last bracket: the caller knows where it ends */
}

static bool int_encode(ten_parser *p, const ten_token *token, bool negative, ten_dtype dtype, void *at) {
  const unsigned bits = ten_dtype_bits(dtype);
  uint64_t value;
  if (token->kind == TOK_BARE) {
    if (dtype != TEN_I1)
      return ten_fail(p, token, "'%.*s' is of type i1, not %s", TEN_FMT(token->text), ten_dtype_name(dtype));
    value = token->text.data[0] == 't';
  } else if (token->kind != TOK_INT) {
    return ten_fail(p, token, "expected an integer for an element of type %s", ten_dtype_name(dtype));
  } else {
    if (negative && ten_dtype_class(dtype) == TEN_CLASS_UINT)
      return ten_fail(p, token, "a %s cannot be negative", ten_dtype_name(dtype));
    const uint64_t limit = negative             ? (uint64_t)1 << (bits - 1)
                           : dtype == TEN_INDEX ? INT64_MAX
                                                : UINT64_MAX >> (64 - bits);
    if (!ten_token_uint(token, &value) || value > limit)
      return ten_fail(p, token, "the integer does not fit in %s", ten_dtype_name(dtype));
    if (negative) value = 0 - value;
  }
  if (ten_dtype_class(dtype) == TEN_CLASS_SINT && bits < 64)
    value = (uint64_t)((int64_t)(value << (64 - bits)) >> (64 - bits));
  if (dtype == TEN_I1) value &= 1;
  memcpy(at, &value, ten_dtype_bytes(dtype)); /* little-endian, as every machine we run on */
  return true;
}

bool ten_number_encode(ten_parser *p, const ten_token *token, bool negative, ten_dtype dtype, void *at) {
  if (!ten_dtype_is_float(dtype)) return int_encode(p, token, negative, dtype, at);
  if (token->kind == TOK_INT) {
    if (!ten_str_starts(token->text, "0x"))
      return ten_fail(p, token, "a float needs a point: write %.*s.0", TEN_FMT(token->text));
    if (negative) return ten_fail(p, token, "a float given by its bits has no sign in front");
    uint64_t bits;
    if (!ten_token_uint(token, &bits) || (ten_dtype_bits(dtype) < 64 && bits >> ten_dtype_bits(dtype)))
      return ten_fail(p, token, "more bits than a %s has", ten_dtype_name(dtype));
    if (dtype == TEN_TF32) bits <<= 13; /* stored as an f32 whose low bits are zero */
    memcpy(at, &bits, ten_dtype_bytes(dtype));
    return true;
  }
  if (token->kind != TOK_FLOAT)
    return ten_fail(p, token, "expected a float for an element of type %s", ten_dtype_name(dtype));
  const double value = token_double(token);
  if (isinf(value)) return ten_fail(p, token, "the number is too large");
  ten_float_encode(dtype, negative ? -value : value, at);
  if (dtype == TEN_F8E8M0FNU && value == 0)
    *(unsigned char *)at = 0; /* it has no zero: upstream's parser takes the smallest */
  return true;
}
