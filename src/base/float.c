/* float.c: one description of each format, one encoder, one decoder. */
#include "base/float.h"

#include <math.h>

ten_float_format ten_float_format_of(ten_dtype dtype) {
  switch (dtype) {
    case TEN_F4E2M1FN: return (ten_float_format){2, 1, 1, false, false, false, true};
    case TEN_F6E2M3FN: return (ten_float_format){2, 3, 1, false, false, false, true};
    case TEN_F6E3M2FN: return (ten_float_format){3, 2, 3, false, false, false, true};
    case TEN_F8E3M4: return (ten_float_format){3, 4, 3, true, true, false, true};
    case TEN_F8E4M3: return (ten_float_format){4, 3, 7, true, true, false, true};
    case TEN_F8E4M3B11FNUZ: return (ten_float_format){4, 3, 11, false, true, true, true};
    case TEN_F8E4M3FN: return (ten_float_format){4, 3, 7, false, true, false, true};
    case TEN_F8E4M3FNUZ: return (ten_float_format){4, 3, 8, false, true, true, true};
    case TEN_F8E5M2: return (ten_float_format){5, 2, 15, true, true, false, true};
    case TEN_F8E5M2FNUZ: return (ten_float_format){5, 2, 16, false, true, true, true};
    case TEN_F8E8M0FNU: return (ten_float_format){8, 0, 127, false, true, false, false};
    case TEN_BF16: return (ten_float_format){8, 7, 127, true, true, false, true};
    case TEN_F16: return (ten_float_format){5, 10, 15, true, true, false, true};
    case TEN_TF32: return (ten_float_format){8, 10, 127, true, true, false, true};
    case TEN_F32: return (ten_float_format){8, 23, 127, true, true, false, true};
    default: return (ten_float_format){11, 52, 1023, true, true, false, true};
  }
}

/* The largest finite pattern without its sign. */
static uint32_t max_pattern(const ten_float_format *format) {
  const uint32_t all = (1u << (format->exponent_bits + format->mantissa_bits)) - 1;
  if (format->has_infinity) return (((1u << format->exponent_bits) - 1) << format->mantissa_bits) - 1;
  return format->has_nan && !format->unsigned_zero ? all - 1 : all;
}

static double pattern_value(const ten_float_format *format, uint32_t pattern) {
  const uint32_t mantissa = pattern & ((1u << format->mantissa_bits) - 1);
  const int exponent = (int)(pattern >> format->mantissa_bits);
  if (!format->has_sign) return ldexp(1.0, exponent - format->bias); /* f8E8M0FNU: a power of two, no zero */
  if (exponent == 0) return ldexp(mantissa, 1 - format->bias - (int)format->mantissa_bits);
  return ldexp((double)(mantissa | 1u << format->mantissa_bits), exponent - format->bias - (int)format->mantissa_bits);
}

static double small_decode(const ten_float_format *format, uint32_t bits) {
  const unsigned width = format->exponent_bits + format->mantissa_bits;
  const bool negative = format->has_sign && bits >> width & 1;
  const uint32_t pattern = bits & ((1u << width) - 1);
  if (format->unsigned_zero) {
    if (negative && !pattern) return (double)NAN;
  } else if (pattern > max_pattern(format)) {
    if (format->has_infinity && !(pattern & ((1u << format->mantissa_bits) - 1)))
      return negative ? (double)-INFINITY : (double)INFINITY;
    return copysign((double)NAN, negative ? -1.0 : 1.0);
  }
  const double value = pattern_value(format, pattern);
  return negative ? -value : value;
}

static uint32_t nan_pattern(const ten_float_format *format) {
  const unsigned width = format->exponent_bits + format->mantissa_bits;
  if (format->has_infinity) return (1u << width) - (1u << (format->mantissa_bits - 1));
  return format->unsigned_zero ? 1u << width : (1u << width) - 1;
}

static uint32_t small_encode(const ten_float_format *format, double value) {
  const unsigned width = format->exponent_bits + format->mantissa_bits;
  const uint32_t sign = signbit(value) ? 1u << width : 0;
  if (!format->has_sign && (isnan(value) || value <= 0 || isinf(value))) return nan_pattern(format);
  if (isnan(value)) {
    if (!format->has_nan) return sign ? 0 : 1u << width; /* no NaN: zero, as in ml_dtypes */
    return format->unsigned_zero ? nan_pattern(format) : nan_pattern(format) | sign;
  }
  const uint32_t overflow = format->has_infinity ? ((1u << format->exponent_bits) - 1) << format->mantissa_bits | sign
                            : !format->has_nan   ? max_pattern(format) | sign
                            : format->unsigned_zero ? nan_pattern(format)
                                                    : nan_pattern(format) | sign;
  if (isinf(value)) return overflow;
  int exponent;
  const double magnitude = fabs(value);
  if (magnitude == 0) return format->unsigned_zero ? 0 : sign;
  frexp(magnitude, &exponent);
  exponent--;
  const int min_exponent = format->has_sign ? 1 - format->bias : -format->bias;
  const int quantum = (exponent > min_exponent ? exponent : min_exponent) - (int)format->mantissa_bits;
  if (exponent > 200 + format->bias) return overflow;
  const double scaled = nearbyint(ldexp(magnitude, -quantum));
  const double one = (double)(1u << format->mantissa_bits);
  if (!format->has_sign) { /* the smallest value is 2^-127; there is no zero */
    const int field = quantum + format->bias + (scaled >= 2 ? 1 : 0);
    return (uint32_t)field > 254 ? overflow : (uint32_t)field;
  }
  uint32_t pattern;
  if (scaled < one)
    pattern = (uint32_t)scaled;
  else
    pattern = ((uint32_t)(quantum + (int)format->mantissa_bits + format->bias) << format->mantissa_bits) +
              (uint32_t)(scaled - one);
  if (pattern > max_pattern(format)) return overflow;
  return !pattern && format->unsigned_zero ? 0 : pattern | sign;
}

double ten_float_decode(ten_dtype dtype, const void *at) {
  if (dtype == TEN_F32 || dtype == TEN_TF32) {
    float value;
    memcpy(&value, at, sizeof value);
    return (double)value;
  }
  if (dtype == TEN_F64) {
    double value;
    memcpy(&value, at, sizeof value);
    return value;
  }
  uint16_t bits = *(const uint8_t *)at;
  if (ten_dtype_bytes(dtype) == 2) memcpy(&bits, at, sizeof bits);
  if (dtype == TEN_BF16) return (double)ten_bf16_to_f32(bits);
  const ten_float_format format = ten_float_format_of(dtype);
  return small_decode(&format, bits);
}

void ten_float_encode(ten_dtype dtype, double value, void *at) {
  if (dtype == TEN_F64) {
    memcpy(at, &value, sizeof value);
  } else if (dtype == TEN_F32) {
    const float narrow = (float)value;
    memcpy(at, &narrow, sizeof narrow);
  } else if (dtype == TEN_TF32) {
    const ten_float_format format = ten_float_format_of(dtype);
    const uint32_t bits = small_encode(&format, value) << 13; /* the fields of f32 with 13 mantissa bits fewer */
    memcpy(at, &bits, sizeof bits);
  } else {
    const ten_float_format format = ten_float_format_of(dtype);
    const uint32_t bits = small_encode(&format, value);
    if (ten_dtype_bytes(dtype) == 2)
      memcpy(at, &(uint16_t){(uint16_t)bits}, 2);
    else
      *(uint8_t *)at = (uint8_t)bits;
  }
}

double ten_float_round(ten_dtype dtype, double value) {
  char at[8];
  ten_float_encode(dtype, value, at);
  return ten_float_decode(dtype, at);
}

double ten_float_max(ten_dtype dtype) {
  if (dtype == TEN_F64) return 0x1.fffffffffffffp1023;
  if (dtype == TEN_F32) return 0x1.fffffep127;
  const ten_float_format format = ten_float_format_of(dtype);
  return pattern_value(&format, format.has_sign ? max_pattern(&format) : 254);
}

double ten_float_min_positive(ten_dtype dtype) {
  if (dtype == TEN_F64) return 0x1p-1074;
  const ten_float_format format = ten_float_format_of(dtype);
  return format.has_sign ? ldexp(1.0, 1 - format.bias - (int)format.mantissa_bits) : ldexp(1.0, -format.bias);
}
