/* wgsl_text.c: tokens, types, conversions and operators. */
#include "backend/simt/wgsl_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
  const char *name, *spelling;
  unsigned bits;
} types[WGSL_TYPES] = {
    [WGSL_VOID] = {"void", "", 0},   [WGSL_BOOL] = {"bool", "bool", 1}, [WGSL_I8] = {"i8", "i32", 8},
    [WGSL_U8] = {"u8", "i32", 8},    [WGSL_I16] = {"i16", "i32", 16},   [WGSL_U16] = {"u16", "i32", 16},
    [WGSL_I32] = {"i32", "i32", 32}, [WGSL_U32] = {"u32", "u32", 32},   [WGSL_I64] = {"i64", "i64", 64},
    [WGSL_U64] = {"u64", "u64", 64}, [WGSL_F32] = {"f32", "f32", 32},   [WGSL_F64] = {"f64", "f64", 64},
};

simt_wgsl_type wgsl_type_named(ten_str name) {
  simt_wgsl_type type = WGSL_VOID;
  while (type < WGSL_TYPES && !ten_str_is(name, types[type].name)) type++;
  return type;
}

const char *wgsl_kernel_name(simt_wgsl_type type) { return types[type].name; }
const char *wgsl_spelling(simt_wgsl_type type) { return types[type].spelling; }
unsigned wgsl_bits(simt_wgsl_type type) { return types[type].bits; }

static bool is_part_of_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Also behind "1e" and "0x1p": the sign of an exponent. */
static bool is_part_of_number(const char *start, const char *at) {
  if (is_part_of_name(*at) || *at == '.') return true;
  const bool hex = at - start > 1 && (start[1] == 'x' || start[1] == 'X');
  return (*at == '-' || *at == '+') && at > start && !hex && (at[-1] == 'e' || at[-1] == 'E');
}

static const char *skip(const char *at) {
  for (;;) {
    while (isspace((unsigned char)*at)) at++;
    if (at[0] == '/' && at[1] == '*') {
      const char *end = strstr(at + 2, "*/");
      at = end ? end + 2 : at + strlen(at);
    } else if (*at == '#') {
      at += strcspn(at, "\n");
    } else {
      return at;
    }
  }
}

wgsl_token wgsl_next_token(const char **cursor) {
  static const char *const signs[] = {"<<=", ">>=", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
                                      "++",  "--",  "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="};
  const char *start = skip(*cursor), *at = start;
  wgsl_token token = {WGSL_END, {start, 0}};
  if (isdigit((unsigned char)*at)) {
    token.kind = WGSL_NUMBER;
    while (is_part_of_number(start, at)) at++;
  } else if (is_part_of_name(*at)) {
    token.kind = WGSL_NAME;
    while (is_part_of_name(*at)) at++;
  } else if (*at) {
    token.kind = WGSL_SIGN;
    at++;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
      if (ten_str_starts(ten_str_of(start), signs[i])) {
        at = start + strlen(signs[i]);
        break;
      }
  }
  token.text.size = (size_t)(at - start);
  *cursor = at;
  return token;
}

const char *wgsl_format(ten_arena *arena, const char *format, ...) {
  ten_buf text = {0};
  va_list args;
  va_start(args, format);
  ten_buf_vprintf(&text, format, args);
  va_end(args);
  const char *copy = ten_arena_strdup(arena, text.data, text.size);
  ten_buf_free(&text);
  return copy;
}

wgsl_value wgsl_of(simt_wgsl_type type, const char *text) { return (wgsl_value){text, type, false, 0}; }

/* The number that the type holds for these bits. */
static uint64_t wrap(uint64_t number, simt_wgsl_type type) {
  const unsigned unused = 64 - types[type].bits;
  if (type == WGSL_BOOL) return number != 0;
  if (wgsl_is_unsigned(type)) return number << unused >> unused;
  return (uint64_t)((int64_t)(number << unused) >> unused);
}

static const char *literal_text(ten_arena *arena, uint64_t number, simt_wgsl_type type) {
  switch (type) {
    case WGSL_BOOL: return number ? "true" : "false";
    case WGSL_U32: return wgsl_format(arena, "%" PRIu64 "u", number);
    case WGSL_U64: return wgsl_format(arena, "%" PRIu64 "lu", number);
    case WGSL_I64:
      if ((int64_t)number == INT64_MIN) return "(-9223372036854775807li - 1li)";
      return wgsl_format(arena, "(%" PRId64 "li)", (int64_t)number);
    default: return wgsl_format(arena, "i32(%" PRId64 ")", (int64_t)number);
  }
}

const char *wgsl_text_of(ten_arena *arena, wgsl_value value) {
  return value.literal ? literal_text(arena, value.number, value.type) : value.text;
}

static wgsl_value convert_literal(ten_arena *arena, wgsl_value value, simt_wgsl_type to) {
  if (!wgsl_is_float(to)) {
    value.number = wrap(value.number, to);
    value.type = to;
    return value;
  }
  const double number = wgsl_is_unsigned(value.type) ? (double)value.number : (double)(int64_t)value.number;
  return wgsl_of(to, wgsl_format(arena, "%s(%.17g)", wgsl_spelling(to), number));
}

/* An i32 of any number, cut to the range of a small type. */
static const char *cut(ten_arena *arena, const char *text, simt_wgsl_type to) {
  const unsigned bits = types[to].bits;
  if (wgsl_is_unsigned(to)) return wgsl_format(arena, "(%s & %ui)", text, (1u << bits) - 1);
  return wgsl_format(arena, "((%s << %uu) >> %uu)", text, 32 - bits, 32 - bits);
}

wgsl_value wgsl_convert(ten_arena *arena, wgsl_value value, simt_wgsl_type to) {
  const simt_wgsl_type from = value.type;
  if (from == to || from == WGSL_VOID) return value;
  if (value.literal) return convert_literal(arena, value, to);
  const char *have = wgsl_spelling(from), *want = wgsl_spelling(to), *text = value.text;
  if (to == WGSL_BOOL) return wgsl_of(to, wgsl_format(arena, "(%s != %s(0))", text, have));
  if (wgsl_bits(to) == 64 && !wgsl_is_float(to) && wgsl_bits(from) <= 32 && !wgsl_is_float(from)) {
    /* First extended by its own sign, then read as it is wanted. The zero that compilers do not know is there for
     * Mesa's: that of 22.3 compares an i64 that it knows to be an i32 with constants wrongly. */
    have = from == WGSL_U32 ? "u64" : "i64";
    if (from == WGSL_BOOL) text = wgsl_format(arena, "i32(%s)", text);
    text = wgsl_format(arena, "(%s(%s) | %s(count_.y))", have, text, have);
  }
  if (strcmp(have, want) != 0) text = wgsl_format(arena, "%s(%s)", want, text);
  if (wgsl_is_small(to) && from != WGSL_BOOL &&
      !(wgsl_is_small(from) && types[from].bits < types[to].bits && (wgsl_is_unsigned(from) || !wgsl_is_unsigned(to))))
    text = cut(arena, text, to);
  return wgsl_of(to, text);
}

static wgsl_value promote(ten_arena *arena, wgsl_value x) {
  return x.type < WGSL_I32 ? wgsl_convert(arena, x, WGSL_I32) : x;
}

wgsl_value wgsl_unary(ten_arena *arena, char sign, wgsl_value x) {
  if (sign == '!') {
    x = wgsl_convert(arena, x, WGSL_BOOL);
    return wgsl_of(WGSL_BOOL, wgsl_format(arena, "!(%s)", wgsl_text_of(arena, x)));
  }
  x = promote(arena, x);
  if (x.literal) {
    x.number = wrap(sign == '-' ? 0 - x.number : sign == '~' ? ~x.number : x.number, x.type);
    return x;
  }
  if (sign == '+') return x;
  if (sign == '-' && wgsl_is_unsigned(x.type))
    return wgsl_of(x.type, wgsl_format(arena, "(%s(0) - %s)", wgsl_spelling(x.type), x.text));
  return wgsl_of(x.type, wgsl_format(arena, "(%c%s)", sign, x.text));
}

static bool is_one_of(ten_str sign, const char *const *signs) {
  for (; *signs; signs++)
    if (ten_str_is(sign, *signs)) return true;
  return false;
}

static uint64_t fold(ten_str sign, uint64_t x, uint64_t y) {
  switch (sign.data[0]) {
    case '+': return x + y;
    case '-': return x - y;
    case '*': return x * y;
    case '&': return x & y;
    case '|': return x | y;
    default: return x ^ y;
  }
}

wgsl_value wgsl_binary(ten_arena *arena, ten_str sign, wgsl_value x, wgsl_value y) {
  static const char *const logic[] = {"&&", "||", NULL}, *const shifts[] = {"<<", ">>", NULL},
                           *const comparisons[] = {"==", "!=", "<", ">", "<=", ">=", NULL}, *const folded[] = {"+", "-",
                                                                                                               "*", "&",
                                                                                                               "|", "^",
                                                                                                               NULL};
  simt_wgsl_type type = x.type > y.type ? x.type : y.type;
  const bool compares = is_one_of(sign, comparisons);
  if (is_one_of(sign, logic)) {
    type = WGSL_BOOL;
  } else if (is_one_of(sign, shifts)) {
    x = promote(arena, x);
    y = wgsl_convert(arena, y, WGSL_U32);
    return wgsl_of(x.type,
                   wgsl_format(arena, "(%s %.*s %s)", wgsl_text_of(arena, x), TEN_FMT(sign), wgsl_text_of(arena, y)));
  } else if (type < WGSL_I32) {
    const bool equality = ten_str_is(sign, "==") || ten_str_is(sign, "!=");
    if (!equality || type != WGSL_BOOL) type = WGSL_I32;
  }
  x = wgsl_convert(arena, x, type);
  y = wgsl_convert(arena, y, type);
  if (x.literal && y.literal && is_one_of(sign, folded))
    return (wgsl_value){NULL, type, true, wrap(fold(sign, x.number, y.number), type)};
  if (wgsl_is_float(type) && ten_str_is(sign, "!=")) /* wgpu-native's own is false of NaN */
    return wgsl_of(WGSL_BOOL, wgsl_format(arena, "!(%s == %s)", wgsl_text_of(arena, x), wgsl_text_of(arena, y)));
  return wgsl_of(compares ? WGSL_BOOL : type,
                 wgsl_format(arena, "(%s %.*s %s)", wgsl_text_of(arena, x), TEN_FMT(sign), wgsl_text_of(arena, y)));
}

wgsl_value wgsl_choose(ten_arena *arena, wgsl_value condition, wgsl_value x, wgsl_value y) {
  simt_wgsl_type type = x.type > y.type ? x.type : y.type;
  if (type < WGSL_I32 && x.type != y.type) type = WGSL_I32;
  condition = wgsl_convert(arena, condition, WGSL_BOOL);
  x = wgsl_convert(arena, x, type);
  y = wgsl_convert(arena, y, type);
  return wgsl_of(type, wgsl_format(arena, "select(%s, %s, %s)", wgsl_text_of(arena, y), wgsl_text_of(arena, x),
                                   wgsl_text_of(arena, condition)));
}
