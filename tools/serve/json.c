/* json.c: the JSON parser. */
#include "serve/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool json_fail(json_in *in, const char *expected) {
  if (!in->wrong) in->wrong = expected;
  return false;
}

static void space(json_in *in) {
  while (in->at < in->end && (*in->at == ' ' || *in->at == '\n' || *in->at == '\r' || *in->at == '\t')) in->at++;
}

char json_peek(json_in *in) {
  space(in);
  if (in->wrong || in->at == in->end) return 0;
  const char c = *in->at;
  if ((c >= '0' && c <= '9') || c == '-' || c == 'N' || c == 'I') return '0';
  return c == '{' || c == '[' || c == '"' || c == 't' || c == 'f' || c == 'n' ? c : 0;
}

static bool take(json_in *in, char c) {
  space(in);
  if (in->wrong || in->at == in->end || *in->at != c) return false;
  in->at++;
  return true;
}

bool json_enter(json_in *in, char open) {
  return take(in, open) || json_fail(in, open == '{' ? "an object" : "an array");
}

bool json_next(json_in *in, char close, bool *first) {
  const bool was_first = *first;
  *first = false;
  if (take(in, close)) return false;
  if (was_first || take(in, ',')) return !in->wrong;
  return json_fail(in, close == '}' ? "',' or '}'" : "',' or ']'");
}

static bool hex4(const char *at, unsigned *out) {
  unsigned value = 0;
  for (int i = 0; i < 4; i++) {
    const char c = at[i];
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return false;
    value = value << 4 | (unsigned)digit;
  }
  *out = value;
  return true;
}

static void add_utf8(ten_buf *out, unsigned c) {
  if (c < 0x80) {
    ten_buf_addc(out, (char)c);
  } else if (c < 0x800) {
    ten_buf_addc(out, (char)(0xc0 | c >> 6));
    ten_buf_addc(out, (char)(0x80 | (c & 63)));
  } else if (c < 0x10000) {
    ten_buf_addc(out, (char)(0xe0 | c >> 12));
    ten_buf_addc(out, (char)(0x80 | (c >> 6 & 63)));
    ten_buf_addc(out, (char)(0x80 | (c & 63)));
  } else {
    ten_buf_addc(out, (char)(0xf0 | c >> 18));
    ten_buf_addc(out, (char)(0x80 | (c >> 12 & 63)));
    ten_buf_addc(out, (char)(0x80 | (c >> 6 & 63)));
    ten_buf_addc(out, (char)(0x80 | (c & 63)));
  }
}

/* The character after a backslash. */
static bool unescape(json_in *in, ten_buf *out) {
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  if (in->at == in->end) return json_fail(in, "an escape");
  const char c = *in->at++;
  const char *simple = c ? strchr(from, c) : NULL;
  if (simple) {
    ten_buf_addc(out, to[simple - from]);
    return true;
  }
  unsigned code, low;
  if (c != 'u' || in->end - in->at < 4 || !hex4(in->at, &code)) return json_fail(in, "an escape");
  in->at += 4;
  if (code >= 0xd800 && code < 0xdc00) {
    if (in->end - in->at < 6 || in->at[0] != '\\' || in->at[1] != 'u' || !hex4(in->at + 2, &low) || low < 0xdc00 ||
        low > 0xdfff)
      return json_fail(in, "the second half of a surrogate pair");
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    in->at += 6;
  } else if (code >= 0xdc00 && code < 0xe000) {
    return json_fail(in, "a character");
  }
  add_utf8(out, code);
  return true;
}

bool json_read_string(json_in *in, ten_buf *scratch, ten_str *out_text) {
  *out_text = (ten_str){"", 0};
  if (!take(in, '"')) return json_fail(in, "a string");
  const char *start = in->at;
  while (in->at < in->end && *in->at != '"' && *in->at != '\\' && (unsigned char)*in->at >= 32) in->at++;
  if (in->at < in->end && *in->at == '"') {
    *out_text = (ten_str){start, (size_t)(in->at++ - start)};
    return true;
  }
  scratch->size = 0;
  ten_buf_add(scratch, start, (size_t)(in->at - start));
  while (in->at < in->end && *in->at != '"') {
    const char c = *in->at++;
    if ((unsigned char)c < 32) return json_fail(in, "no control character in a string");
    if (c == '\\') {
      if (!unescape(in, scratch)) return false;
    } else {
      ten_buf_addc(scratch, c);
    }
  }
  if (in->at == in->end) return json_fail(in, "the end of a string");
  in->at++;
  *out_text = (ten_str){scratch->data ? scratch->data : "", scratch->size};
  return true;
}

bool json_key(json_in *in, ten_buf *scratch, ten_str *out_key) {
  return json_read_string(in, scratch, out_key) && (take(in, ':') || json_fail(in, "':'"));
}

static bool word(json_in *in, const char *text) {
  const size_t size = strlen(text);
  if ((size_t)(in->end - in->at) < size || memcmp(in->at, text, size) != 0) return false;
  in->at += size;
  return true;
}

static bool not_finite(json_in *in, json_number *out) {
  const bool negative = *in->at == '-';
  if (negative) in->at++;
  if (!negative && word(in, "NaN"))
    out->value = NAN;
  else if (word(in, "Infinity"))
    out->value = negative ? -INFINITY : INFINITY;
  else
    return json_fail(in, "a number");
  return true;
}

static size_t digits(json_in *in) {
  const char *start = in->at;
  while (in->at < in->end && *in->at >= '0' && *in->at <= '9') in->at++;
  return (size_t)(in->at - start);
}

/* Numbers too long for exact arithmetic in a double. */
static double by_library(const char *start, const char *end) {
  char text[400];
  const size_t size = (size_t)(end - start);
  if (size < sizeof text) {
    memcpy(text, start, size);
    text[size] = 0;
    return strtod(text, NULL);
  }
  char *whole = strndup(start, size);
  const double value = whole ? strtod(whole, NULL) : NAN;
  free(whole);
  return value;
}

bool json_read_number(json_in *in, json_number *out) {
  static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  *out = (json_number){0};
  if (json_peek(in) != '0') return json_fail(in, "a number");
  const char *start = in->at;
  out->is_negative = *in->at == '-';
  if (out->is_negative) in->at++;
  if (in->at == in->end || *in->at < '0' || *in->at > '9') {
    in->at = start;
    return not_finite(in, out);
  }
  const char *whole = in->at;
  const size_t whole_count = digits(in);
  if (whole_count > 1 && *whole == '0') return json_fail(in, "a number without zeros in front");
  const char *fraction = in->at;
  size_t fraction_count = 0;
  if (in->at < in->end && *in->at == '.') {
    in->at++;
    fraction = in->at;
    if (!(fraction_count = digits(in))) return json_fail(in, "digits after the point");
  }
  bool has_exponent = in->at < in->end && (*in->at == 'e' || *in->at == 'E');
  int exponent = 0;
  if (has_exponent) {
    in->at++;
    bool negative = false;
    if (in->at < in->end && (*in->at == '+' || *in->at == '-')) negative = *in->at++ == '-';
    const char *first = in->at;
    if (!digits(in)) return json_fail(in, "digits of the exponent");
    for (const char *d = first; d < in->at && exponent < 100000; d++) exponent = exponent * 10 + (*d - '0');
    if (negative) exponent = -exponent;
  }
  uint64_t mantissa = 0;
  bool fits = true;
  for (size_t i = 0; i < whole_count + fraction_count && fits; i++) {
    const char d = i < whole_count ? whole[i] : fraction[i - whole_count];
    fits = !__builtin_mul_overflow(mantissa, 10u, &mantissa) &&
           !__builtin_add_overflow(mantissa, (uint64_t)(d - '0'), &mantissa);
  }
  out->is_integer = fits && !fraction_count && !has_exponent;
  out->magnitude = out->is_integer ? mantissa : 0;
  const int scale = exponent - (int)(fraction_count < 100000 ? fraction_count : 100000);
  if (fits && mantissa < 1ull << 53 && scale >= -22 && scale <= 22) {
    const double value = scale < 0 ? (double)mantissa / tens[-scale] : (double)mantissa * tens[scale];
    out->value = out->is_negative ? -value : value;
  } else {
    out->value = by_library(start, in->at);
  }
  return true;
}

bool json_read_bool(json_in *in, bool *out_value) {
  space(in);
  *out_value = !in->wrong && word(in, "true");
  return *out_value || (!in->wrong && word(in, "false")) || json_fail(in, "true or false");
}

static bool skip(json_in *in, int depth) {
  if (depth > JSON_DEPTH_MOST) return json_fail(in, "no more than 64 levels");
  ten_buf scratch = {0};
  ten_str text;
  json_number number;
  bool first = true, fine = true;
  switch (json_peek(in)) {
    case '{':
      json_enter(in, '{');
      while (fine && json_next(in, '}', &first)) fine = json_key(in, &scratch, &text) && skip(in, depth + 1);
      break;
    case '[':
      json_enter(in, '[');
      while (fine && json_next(in, ']', &first)) fine = skip(in, depth + 1);
      break;
    case '"': fine = json_read_string(in, &scratch, &text); break;
    case '0': fine = json_read_number(in, &number); break;
    case 't':
    case 'f':
      fine = json_read_bool(in, &fine);
      fine = !in->wrong;
      break;
    case 'n': fine = word(in, "null") || json_fail(in, "null"); break;
    default: fine = json_fail(in, "a value");
  }
  ten_buf_free(&scratch);
  return fine && !in->wrong;
}

bool json_skip(json_in *in) { return skip(in, 0); }

bool json_at_end(json_in *in) {
  space(in);
  return in->at == in->end;
}
