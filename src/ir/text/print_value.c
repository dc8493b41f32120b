/* print_value.c: names, strings and numbers, as upstream prints them. A float takes six digits when they are exact,
 * else as many as its format needs, else (infinities, NaN, and numbers that would print without a point) the bits in
 * hex. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/float.h"
#include "ir/text/printer.h"

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_bare(ten_str text) {
  if (!text.size || !is_letter(text.data[0])) return false;
  for (size_t i = 1; i < text.size; i++)
    if (!is_letter(text.data[i]) && !is_digit(text.data[i]) && text.data[i] != '$' && text.data[i] != '.') return false;
  return true;
}

void ten_print_string(ten_buf *out, ten_str text) {
  static const char digits[] = "0123456789ABCDEF";
  ten_buf_addc(out, '"');
  for (size_t i = 0; i < text.size; i++) {
    const unsigned char c = (unsigned char)text.data[i];
    if (c == '\\') {
      ten_buf_adds(out, "\\\\");
    } else if (c >= ' ' && c < 127 && c != '"') {
      ten_buf_addc(out, (char)c);
    } else {
      ten_buf_addc(out, '\\');
      ten_buf_addc(out, digits[c >> 4]);
      ten_buf_addc(out, digits[c & 15]);
    }
  }
  ten_buf_addc(out, '"');
}

void ten_print_name(ten_buf *out, ten_str text) {
  if (is_bare(text))
    ten_buf_addstr(out, text);
  else
    ten_print_string(out, text);
}

void ten_print_symbol(ten_buf *out, ten_str text) {
  ten_buf_addc(out, '@');
  ten_print_name(out, text);
}

void ten_print_int(ten_buf *out, ten_dtype dtype, int64_t value) {
  if (dtype == TEN_I1)
    ten_buf_adds(out, value ? "true" : "false");
  else if (ten_dtype_class(dtype) == TEN_CLASS_UINT)
    ten_buf_printf(out, "%" PRIu64, (uint64_t)value);
  else
    ten_buf_printf(out, "%" PRId64, value);
}

/* Decimal digits of a finite value other than zero: d1.d2d3… × 10^exponent. */
typedef struct decimal {
  char digits[64];
  int count, exponent;
} decimal;

/* Bits of the integer from which LLVM's APFloat takes its digits: an odd n times 2^power, or n times
 * 5^-power. */
static int decimal_bits(double value, int *power) {
  int exponent;
  uint64_t odd = (uint64_t)ldexp(frexp(fabs(value), &exponent), 53);
  *power = exponent - 53;
  const int zeros = __builtin_ctzll(odd);
  odd >>= zeros;
  *power += zeros;
  if (*power >= 0) return 64 - __builtin_clzll(odd) + *power;
  long double product = (long double)odd;
  for (int i = *power; i < 0; i++) product *= 5;
  frexpl(product, &exponent);
  return exponent;
}

/* `count` significant digits, trailing zeros removed. The digits are APFloat's, which first drops digits until
 * about the wanted number remains, and rounds half up: not always the nearest number, but always upstream's
 * text. */
static decimal decimal_of(double value, int count) {
  char text[80];
  int power;
  const int bits = decimal_bits(value, &power), wanted = (count * 196 + 58) / 59;
  const int dropped = bits > wanted ? (bits - wanted) * 59 / 196 : 0;
  snprintf(text, sizeof text, "%.59e", fabs(value));
  decimal d = {.exponent = atoi(strchr(text, 'e') + 1)};
  int kept = d.exponent + 1 - (power < 0 ? power : 0) - dropped;
  if (kept > 60) kept = 60;
  text[1] = text[0]; /* over the point */
  const char *digits = text + 1;
  while (kept > 1 && digits[kept - 1] == '0') kept--;
  d.count = kept < count ? kept : count;
  memcpy(d.digits, digits, (size_t)d.count);
  if (kept > count && digits[count] >= '5') {
    int i = count - 1;
    for (; i >= 0 && d.digits[i] == '9'; i--) d.digits[i] = '0';
    if (i >= 0) {
      d.digits[i]++;
    } else {
      d.digits[0] = '1';
      d.exponent++;
    }
  }
  while (d.count > 1 && d.digits[d.count - 1] == '0') d.count--;
  return d;
}

/* 1.500000e+00 */
static void six_digits(ten_buf *out, double value) {
  const decimal d = decimal_of(value, 6);
  ten_buf_printf(out, "%s%c.%.*s", signbit(value) ? "-" : "", d.digits[0], d.count - 1, d.digits + 1);
  for (int i = d.count; i < 7; i++) ten_buf_addc(out, '0');
  ten_buf_printf(out, "e%c%02d", d.exponent < 0 ? '-' : '+', abs(d.exponent));
}

/* As many digits as needed, plain when the point is near: 0.00123, 123.5, 1.5E+20. */
static void all_digits(ten_buf *out, double value, int precision) {
  const decimal d = decimal_of(value, precision);
  const int scale = d.exponent - (d.count - 1); /* of the last digit */
  if (signbit(value)) ten_buf_addc(out, '-');
  bool scientific;
  if (scale >= 0)
    scientific = scale > 3 || d.count + scale > precision;
  else
    scientific = d.exponent < 0 && -d.exponent > 3;
  if (scientific) {
    ten_buf_printf(out, "%c.%.*sE%c%d", d.digits[0], d.count > 1 ? d.count - 1 : 1, d.count > 1 ? d.digits + 1 : "0",
                   d.exponent < 0 ? '-' : '+', abs(d.exponent));
  } else if (scale >= 0) {
    ten_buf_add(out, d.digits, (size_t)d.count);
    for (int i = 0; i < scale; i++) ten_buf_addc(out, '0');
  } else if (d.exponent >= 0) {
    ten_buf_printf(out, "%.*s.%s", d.exponent + 1, d.digits, "");
    ten_buf_add(out, d.digits + d.exponent + 1, (size_t)(d.count - d.exponent - 1));
  } else {
    ten_buf_adds(out, "0.");
    for (int i = -1; i > d.exponent; i--) ten_buf_addc(out, '0');
    ten_buf_add(out, d.digits, (size_t)d.count);
  }
}

/* True when the text, read as this type, gives these bits. */
static bool reads_back(const char *text, ten_dtype dtype, const void *at) {
  unsigned char again[8] = {0};
  if (dtype == TEN_F32)
    memcpy(again, &(float){strtof(text, NULL)}, 4);
  else
    ten_float_encode(dtype, strtod(text, NULL), again);
  return !memcmp(again, at, ten_dtype_bytes(dtype));
}

void ten_print_float(ten_buf *out, ten_dtype dtype, const void *at) {
  const double value = ten_float_decode(dtype, at);
  const size_t start = out->size;
  if (value == 0) {
    ten_buf_adds(out, signbit(value) ? "-0.000000e+00" : "0.000000e+00");
    return;
  }
  if (isfinite(value)) {
    six_digits(out, value);
    if (reads_back(out->data + start, dtype, at)) return;
    out->size = start;
    all_digits(out, value, 2 + ((int)ten_float_format_of(dtype).mantissa_bits + 1) * 59 / 196);
    if (memchr(out->data + start, '.', out->size - start)) return;
    out->size = start;
  }
  uint64_t bits = 0;
  memcpy(&bits, at, ten_dtype_bytes(dtype));
  if (dtype == TEN_TF32) bits >>= 13;
  ten_buf_printf(out, "0x%" PRIX64, bits);
}

void ten_print_double(ten_buf *out, double value) {
  const size_t start = out->size;
  if (value == 0) {
    ten_buf_adds(out, signbit(value) ? "-0.000000e+00" : "0.000000e+00");
    return;
  }
  if (!isfinite(value)) { /* only before verification */
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    ten_buf_printf(out, "0x%" PRIX64, bits);
    return;
  }
  six_digits(out, value);
  if (reads_back(out->data + start, TEN_F64, &value)) return;
  out->size = start;
  all_digits(out, value, 17);
  if (memchr(out->data + start, '.', out->size - start)) return;
  out->size = start;
  ten_buf_printf(out, "%.16e", value);
}

void ten_print_dims(ten_buf *out, ten_ints dims, const char *open, const char *close) {
  ten_buf_adds(out, open);
  for (size_t i = 0; i < dims.count; i++) {
    if (i) ten_buf_adds(out, ", ");
    if (dims.data[i] == TEN_DYNAMIC)
      ten_buf_addc(out, '?');
    else
      ten_buf_printf(out, "%" PRId64, dims.data[i]);
  }
  ten_buf_adds(out, close);
}
