/* wgsl_expression.c: reads tokens, names and expressions, and prints the last. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "backend/simt/language.h"
#include "backend/simt/wgsl.h"
#include "backend/simt/wgsl_printer.h"

void wgsl_fail(wgsl_printer *p, ten_status *status) { p->error = ten_first_error(p->error, status); }

void wgsl_advance(wgsl_printer *p) { p->now = wgsl_next_token(&p->at); }

bool wgsl_is(const wgsl_printer *p, const char *text) { return ten_str_is(p->now.text, text); }

bool wgsl_accept(wgsl_printer *p, const char *text) {
  if (!wgsl_is(p, text)) return false;
  wgsl_advance(p);
  return true;
}

void wgsl_give_up(wgsl_printer *p, const char *wanted) {
  wgsl_fail(p, ten_error(TEN_INTERNAL, "a kernel cannot be printed as WGSL: %s is expected at '%.*s'", wanted,
                         TEN_FMT(p->now.text)));
  p->at = "";
  p->now = (wgsl_token){WGSL_END, {"", 0}};
}

void wgsl_expect(wgsl_printer *p, const char *text) {
  if (!wgsl_accept(p, text)) wgsl_give_up(p, text);
}

ten_str wgsl_take_name(wgsl_printer *p) {
  const ten_str name = p->now.text;
  if (p->now.kind == WGSL_NAME)
    wgsl_advance(p);
  else
    wgsl_give_up(p, "a name");
  return name;
}

const char *wgsl_as(wgsl_printer *p, wgsl_value value, simt_wgsl_type type) {
  return wgsl_text_of(&p->arena, wgsl_convert(&p->arena, value, type));
}

void wgsl_check_type(wgsl_printer *p, simt_wgsl_type type) {
  if (type == WGSL_F64)
    wgsl_fail(p, ten_error(TEN_UNSUPPORTED, "f64 is not available on this device: WGSL has no such type"));
  if (!p->int64 && (type == WGSL_I64 || type == WGSL_U64))
    wgsl_fail(
        p, ten_error(TEN_UNSUPPORTED,
                     "i64 is not available on this device: WGSL has no such type, and the driver no extension for it"));
}

bool wgsl_at_type(const wgsl_printer *p) {
  return p->now.kind == WGSL_NAME && (wgsl_is(p, "const") || wgsl_type_named(p->now.text) != WGSL_TYPES);
}

simt_wgsl_type wgsl_take_type(wgsl_printer *p) {
  wgsl_accept(p, "const");
  const simt_wgsl_type type = wgsl_type_named(p->now.text);
  if (type == WGSL_TYPES) {
    wgsl_give_up(p, "a type");
    return WGSL_I32;
  }
  wgsl_advance(p);
  wgsl_check_type(p, type);
  return type;
}

const char *wgsl_spelled(wgsl_printer *p, ten_str name) {
  const bool is_register = name.size > 1 && name.data[0] == 'v' && name.data[1] >= '0' && name.data[1] <= '9';
  return wgsl_format(&p->arena, "%.*s%s", TEN_FMT(name), is_register ? "" : "_");
}

const wgsl_symbol *wgsl_find(const wgsl_printer *p, ten_str name) {
  for (size_t i = p->symbols.count; i-- > 0;)
    if (ten_str_eq(p->symbols.data[i].name, name)) return &p->symbols.data[i];
  return NULL;
}

wgsl_function *wgsl_find_function(wgsl_printer *p, ten_str name) {
  for (size_t i = 0; i < p->functions.count; i++)
    if (ten_str_eq(p->functions.data[i].name, name)) return &p->functions.data[i];
  return NULL;
}

wgsl_value wgsl_place(wgsl_value index) {
  if (index.literal && (int64_t)index.number < 0) index.number = 0;
  return index;
}

wgsl_value wgsl_load(wgsl_printer *p, const wgsl_symbol *s, wgsl_value index) {
  index = wgsl_place(index);
  if (!s->words) {
    const char *at = wgsl_as(p, index, WGSL_I32);
    return wgsl_of(s->type, wgsl_format(&p->arena, "%s[%s]", s->text, at));
  }
  const unsigned bits = wgsl_bits(s->type), each = 32 / bits;
  const char *at = wgsl_as(p, index, WGSL_U32),
             *word =
                 wgsl_format(&p->arena, s->atomic ? "atomicLoad(&%s[%s / %uu])" : "%s[%s / %uu]", s->text, at, each),
             *low =
                 wgsl_format(&p->arena, "((%s >> ((%s %% %uu) * %uu)) & %uu)", word, at, each, bits, (1u << bits) - 1);
  return wgsl_convert(&p->arena, wgsl_of(WGSL_U32, low), s->type);
}

static wgsl_value number(wgsl_printer *p) {
  const ten_str text = p->now.text;
  const bool hex = text.size > 1 && text.data[1] == 'x';
  char digits[80];
  snprintf(digits, sizeof digits, "%.*s", TEN_FMT(text));
  wgsl_advance(p);
  if (!hex && strpbrk(digits, ".eEf")) {
    const bool single = digits[strlen(digits) - 1] == 'f';
    if (single) digits[strlen(digits) - 1] = '\0';
    wgsl_check_type(p, single ? WGSL_F32 : WGSL_F64);
    return wgsl_of(single ? WGSL_F32 : WGSL_F64, wgsl_format(&p->arena, "f32(%s)", digits));
  }
  char *end;
  const uint64_t value = strtoull(digits, &end, 0);
  const bool is_unsigned = *end == 'u', is_long = strchr(end, 'l') != NULL;
  const bool large = value > INT32_MAX; /* in hexadecimal an int that is too large is unsigned */
  const simt_wgsl_type type = is_long || value > UINT32_MAX ? (is_unsigned ? WGSL_U64 : WGSL_I64)
                              : is_unsigned || large        ? WGSL_U32
                                                            : WGSL_I32;
  return (wgsl_value){NULL, type, true, value};
}

static const char *take_arguments(wgsl_printer *p, const wgsl_function *f) {
  const char *text = "";
  wgsl_expect(p, "(");
  for (uint32_t i = 0; i < f->count && !p->error; i++) {
    if (i) wgsl_expect(p, ",");
    const char *argument = wgsl_as(p, wgsl_expression(p), f->parameters[i]);
    text = wgsl_format(&p->arena, "%s%s%s", text, i ? ", " : "", argument);
  }
  wgsl_expect(p, ")");
  return text;
}

/* Functions that are WGSL's own, of one f32, or of u32. */
static const struct {
  const char *name, *own;
  simt_wgsl_type from, gives, to;
} owns[] = {
    {"sqrtf", "sqrt", WGSL_F32, WGSL_F32, WGSL_F32},
    {"floorf", "floor", WGSL_F32, WGSL_F32, WGSL_F32},
    {"ceilf", "ceil", WGSL_F32, WGSL_F32, WGSL_F32},
    {"truncf", "trunc", WGSL_F32, WGSL_F32, WGSL_F32},
    {"rintf", "round", WGSL_F32, WGSL_F32, WGSL_F32},
    {"fabsf", "abs", WGSL_F32, WGSL_F32, WGSL_F32},
    {"as_f32", "bitcast<f32>", WGSL_U32, WGSL_F32, WGSL_F32},
    {"bits_f32", "bitcast<u32>", WGSL_F32, WGSL_U32, WGSL_U32},
    {"popcount32", "countOneBits", WGSL_U32, WGSL_U32, WGSL_I32},
    {"clz32", "countLeadingZeros", WGSL_U32, WGSL_U32, WGSL_I32},
};

static wgsl_value call_own(wgsl_printer *p, size_t which) {
  wgsl_expect(p, "(");
  const char *argument = wgsl_as(p, wgsl_expression(p), owns[which].from);
  wgsl_expect(p, ")");
  const char *text = wgsl_format(&p->arena, "%s(%s)", owns[which].own, argument);
  return wgsl_convert(&p->arena, wgsl_of(owns[which].gives, text), owns[which].to);
}

static wgsl_value call(wgsl_printer *p, ten_str name) {
  for (size_t i = 0; i < sizeof owns / sizeof *owns; i++)
    if (ten_str_is(name, owns[i].name)) return call_own(p, i);
  if (ten_str_is(name, "fmaf")) {
    const wgsl_function fused = {.parameters = {WGSL_F32, WGSL_F32, WGSL_F32}, .count = 3};
    return wgsl_of(WGSL_F32, wgsl_format(&p->arena, "fma(%s)", take_arguments(p, &fused)));
  }
  wgsl_function *f = wgsl_find_function(p, name);
  if (!f) {
    wgsl_fail(p, ten_error(TEN_UNSUPPORTED, "%.*s is not available on this device: WGSL has no such function",
                           TEN_FMT(name)));
    wgsl_give_up(p, "a function of WGSL");
    return wgsl_of(WGSL_I32, "0");
  }
  if (!f->called) {
    f->called = true;
    ten_vec_push(&p->called, (uint32_t)(f - p->functions.data));
  }
  const simt_wgsl_type type = f->type;
  wgsl_check_type(p, type);
  const wgsl_function copy = *f;
  return wgsl_of(type, wgsl_format(&p->arena, "%s(%s)", wgsl_spelled(p, name), take_arguments(p, &copy)));
}

/* The names that a prelude defines in C. */
static bool position(wgsl_printer *p, ten_str name, wgsl_value *out) {
  const unsigned threads = p->grouped ? (unsigned)SIMT_GROUP : (unsigned)SIMT_WGSL_THREADS;
  const char *text = ten_str_is(name, "TID")       ? "i32(thread_)"
                     : ten_str_is(name, "BLOCK")   ? "i32(group_.x)"
                     : ten_str_is(name, "BLOCKS")  ? "i32(groups_.x)"
                     : ten_str_is(name, "THREAD")  ? wgsl_format(&p->arena, "i32(group_.x * %uu + thread_)", threads)
                     : ten_str_is(name, "ZERO")    ? "count_.y"
                     : ten_str_is(name, "THREADS") ? wgsl_format(&p->arena, "i32(groups_.x * %uu)", threads)
                                                   : NULL;
  if (text) *out = wgsl_of(ten_str_is(name, "ZERO") ? WGSL_U32 : WGSL_I32, text);
  return text != NULL;
}

static wgsl_value named(wgsl_printer *p) {
  const ten_str name = wgsl_take_name(p);
  wgsl_value value;
  if (ten_str_is(name, "true") || ten_str_is(name, "false"))
    return (wgsl_value){NULL, WGSL_BOOL, true, ten_str_is(name, "true")};
  if (wgsl_is(p, "(")) return call(p, name);
  if (position(p, name, &value)) return value;
  const wgsl_symbol *s = wgsl_find(p, name);
  if (!s) {
    wgsl_give_up(p, "a name that is known");
    return wgsl_of(WGSL_I32, "0");
  }
  const wgsl_symbol copy = *s;
  if (copy.kind == WGSL_VARIABLE) return wgsl_of(copy.type, copy.text);
  wgsl_expect(p, "[");
  const wgsl_value index = wgsl_expression(p);
  wgsl_expect(p, "]");
  if (copy.kind == WGSL_BUFFER) return wgsl_load(p, &copy, index);
  return wgsl_of(copy.type, wgsl_format(&p->arena, "%s[%s]", copy.text, wgsl_as(p, index, WGSL_I32)));
}

static wgsl_value unary(wgsl_printer *p) {
  for (const char *sign = "!~-+"; *sign; sign++) {
    const char text[] = {*sign, '\0'};
    if (wgsl_accept(p, text)) return wgsl_unary(&p->arena, *sign, unary(p));
  }
  if (p->now.kind == WGSL_NUMBER) return number(p);
  if (!wgsl_accept(p, "(")) return named(p);
  if (wgsl_at_type(p)) { /* a cast; one of a number needs no type that WGSL lacks */
    const simt_wgsl_type type = wgsl_take_type(p);
    wgsl_expect(p, ")");
    return wgsl_convert(&p->arena, unary(p), type);
  }
  const wgsl_value value = wgsl_expression(p);
  wgsl_expect(p, ")");
  return value;
}

static int level_of(const wgsl_printer *p) {
  static const char *const levels[][4] = {
      {"||"},       {"&&"},     {"|"},          {"^"}, {"&"}, {"==", "!="}, {"<", ">", "<=", ">="},
      {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};
  for (int i = 0; i < (int)(sizeof levels / sizeof *levels); i++)
    for (int k = 0; k < 4 && levels[i][k]; k++)
      if (wgsl_is(p, levels[i][k])) return i;
  return -1;
}

static wgsl_value binary(wgsl_printer *p, int least) {
  wgsl_value x = unary(p);
  for (int level = level_of(p); level >= least && p->now.kind == WGSL_SIGN; level = level_of(p)) {
    const ten_str sign = p->now.text;
    wgsl_advance(p);
    const wgsl_value y = binary(p, level + 1);
    x = wgsl_binary(&p->arena, sign, x, y);
    if (!x.literal) wgsl_check_type(p, x.type);
  }
  return x;
}

wgsl_value wgsl_expression(wgsl_printer *p) {
  const wgsl_value condition = binary(p, 0);
  if (!wgsl_accept(p, "?")) return condition;
  const wgsl_value x = wgsl_expression(p);
  wgsl_expect(p, ":");
  const wgsl_value y = wgsl_expression(p);
  return wgsl_choose(&p->arena, condition, x, y);
}
