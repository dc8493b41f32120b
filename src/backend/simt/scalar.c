/* scalar.c: scalar arithmetic with the semantics of the CPU backend: division by zero does not trap, oversized shifts
 * give zero or the sign, conversions saturate, min and max propagate NaN. Signed sums wrap: they are computed
 * unsigned, as signed overflow is undefined in C. */
#include <stdio.h>

#include "backend/simt/gen.h"

/* Functions of the kernel language, for f64; f32's end in f. */
static const char *const functions[TEN_OP_COUNT] = {
    [TEN_OP_EXPONENTIAL] = "exp",
    [TEN_OP_EXPONENTIAL_MINUS_ONE] = "expm1",
    [TEN_OP_LOG] = "log",
    [TEN_OP_LOG_PLUS_ONE] = "log1p",
    [TEN_OP_SQRT] = "sqrt",
    [TEN_OP_CBRT] = "cbrt",
    [TEN_OP_SINE] = "sin",
    [TEN_OP_COSINE] = "cos",
    [TEN_OP_TAN] = "tan",
    [TEN_OP_TANH] = "tanh",
    [TEN_OP_CEIL] = "ceil",
    [TEN_OP_FLOOR] = "floor",
    [TEN_OP_ROUND_NEAREST_AFZ] = "round",
    [TEN_OP_ROUND_NEAREST_EVEN] = "rint",
    [TEN_OP_ABS] = "fabs",
    [TEN_OP_CHLO_ACOS] = "acos",
    [TEN_OP_CHLO_ACOSH] = "acosh",
    [TEN_OP_CHLO_ASIN] = "asin",
    [TEN_OP_CHLO_ASINH] = "asinh",
    [TEN_OP_CHLO_ATAN] = "atan",
    [TEN_OP_CHLO_ATANH] = "atanh",
    [TEN_OP_CHLO_COSH] = "cosh",
    [TEN_OP_CHLO_SINH] = "sinh",
    [TEN_OP_CHLO_TAN] = "tan",
    [TEN_OP_CHLO_ERF] = "erf",
    [TEN_OP_CHLO_ERFC] = "erfc",
};

static bool has_float_unary(ten_opcode code) {
  switch (code) {
    case TEN_OP_NEGATE:
    case TEN_OP_SIGN:
    case TEN_OP_RSQRT:
    case TEN_OP_LOGISTIC:
    case TEN_OP_CHLO_SQUARE: return true;
    default: return functions[code] != NULL;
  }
}

static bool has_int_unary(ten_opcode code) {
  switch (code) {
    case TEN_OP_NOT:
    case TEN_OP_NEGATE:
    case TEN_OP_ABS:
    case TEN_OP_SIGN:
    case TEN_OP_POPCNT:
    case TEN_OP_COUNT_LEADING_ZEROS:
    case TEN_OP_CHLO_SQUARE: return true;
    default: return false;
  }
}

bool simt_has_unary(ten_opcode code, ten_dtype dtype) {
  switch (ten_dtype_class(dtype)) {
    case TEN_CLASS_FLOAT: return has_float_unary(code);
    case TEN_CLASS_COMPLEX: return code == TEN_OP_NEGATE || code == TEN_OP_CHLO_CONJ;
    case TEN_CLASS_BOOL: return code == TEN_OP_NOT;
    default: return has_int_unary(code);
  }
}

bool simt_has_binary(ten_opcode code, ten_dtype dtype) {
  const ten_dclass class = ten_dtype_class(dtype);
  switch (code) {
    case TEN_OP_ADD:
    case TEN_OP_SUBTRACT:
    case TEN_OP_MULTIPLY:
    case TEN_OP_MAXIMUM:
    case TEN_OP_MINIMUM: return true;
    case TEN_OP_AND:
    case TEN_OP_OR:
    case TEN_OP_XOR: return class != TEN_CLASS_FLOAT && class != TEN_CLASS_COMPLEX;
    case TEN_OP_DIVIDE:
    case TEN_OP_REMAINDER:
    case TEN_OP_POWER: return class != TEN_CLASS_BOOL && class != TEN_CLASS_COMPLEX;
    case TEN_OP_ATAN2: return class == TEN_CLASS_FLOAT;
    case TEN_OP_CHLO_MULHI:
    case TEN_OP_SHIFT_LEFT:
    case TEN_OP_SHIFT_RIGHT_ARITHMETIC:
    case TEN_OP_SHIFT_RIGHT_LOGICAL: return class == TEN_CLASS_SINT || class == TEN_CLASS_UINT;
    default: return false;
  }
}

static uint32_t float_unary(simt_gen *gen, ten_opcode code, ten_dtype dtype, uint32_t x) {
  const char *suffix = dtype == TEN_F64 ? "" : "f", *type = simt_register_type(dtype);
  switch (code) {
    case TEN_OP_NEGATE: return simt_define(gen, type, "-v%u", x);
    case TEN_OP_ABS: return simt_define(gen, type, "fabs%s(v%u)", suffix, x);
    case TEN_OP_SIGN: return simt_define(gen, type, "%s_sign(v%u)", type, x);
    case TEN_OP_RSQRT: return simt_fit(gen, dtype, "(%s)1 / sqrt%s(v%u)", type, suffix, x);
    case TEN_OP_LOGISTIC: return simt_fit(gen, dtype, "(%s)1 / ((%s)1 + exp%s(-v%u))", type, type, suffix, x);
    case TEN_OP_CHLO_SQUARE: return simt_fit(gen, dtype, "v%u * v%u", x, x);
    case TEN_OP_TANH: /* in f64: some drivers' tanhf is 4 ULP off */
      if (gen->language != SIMT_WGSL || dtype == TEN_F64) return simt_fit(gen, dtype, "(%s)tanh((f64)v%u)", type, x);
      return simt_fit(gen, dtype, "tanhf(v%u)", x);
    default: return simt_fit(gen, dtype, "%s%s(v%u)", functions[code], suffix, x);
  }
}

static const char *wide_unsigned(ten_dtype dtype) { return ten_dtype_bits(dtype) == 64 ? "u64" : "u32"; }

static uint32_t int_unary(simt_gen *gen, ten_opcode code, ten_dtype dtype, uint32_t x) {
  const char *type = simt_register_type(dtype), *wide = wide_unsigned(dtype);
  const unsigned bits = ten_dtype_bits(dtype), size = bits == 64 ? 64 : 32;
  const unsigned long long mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
  switch (code) {
    case TEN_OP_NOT: return dtype == TEN_I1 ? simt_define(gen, type, "!v%u", x) : simt_fit(gen, dtype, "~v%u", x);
    case TEN_OP_NEGATE: return simt_fit(gen, dtype, "(%s)0 - (%s)v%u", wide, wide, x);
    case TEN_OP_ABS:
      if (simt_is_unsigned(dtype)) return x;
      return simt_fit(gen, dtype, "v%u < 0 ? (%s)0 - (%s)v%u : (%s)v%u", x, wide, wide, x, wide, x);
    case TEN_OP_SIGN: return simt_define(gen, type, "(%s)((v%u > 0) - (v%u < 0))", type, x, x);
    case TEN_OP_POPCNT:
      return simt_fit(gen, dtype, "popcount%u((u%u)v%u & 0x%llxu%s)", size, size, x, mask, size == 64 ? "l" : "");
    case TEN_OP_COUNT_LEADING_ZEROS:
      return simt_fit(gen, dtype, "clz%u((u%u)v%u & 0x%llxu%s) - %u", size, size, x, mask, size == 64 ? "l" : "",
                      size - bits);
    default: return simt_fit(gen, dtype, "(%s)v%u * (%s)v%u", wide, x, wide, x);
  }
}

simt_val simt_unary(simt_gen *gen, ten_opcode code, ten_dtype dtype, simt_val x) {
  if (ten_dtype_is_complex(dtype)) {
    const char *type = simt_register_type(dtype);
    const uint32_t im = simt_define(gen, type, "-v%u", x.im);
    return (simt_val){code == TEN_OP_NEGATE ? simt_define(gen, type, "-v%u", x.re) : x.re, im};
  }
  return (simt_val){ten_dtype_is_float(dtype) ? float_unary(gen, code, dtype, x.re) : int_unary(gen, code, dtype, x.re),
                    0};
}

static uint32_t bool_binary(simt_gen *gen, ten_opcode code, uint32_t x, uint32_t y) {
  switch (code) {
    case TEN_OP_MULTIPLY:
    case TEN_OP_AND:
    case TEN_OP_MINIMUM: return simt_define(gen, "bool", "v%u && v%u", x, y);
    case TEN_OP_SUBTRACT:
    case TEN_OP_XOR: return simt_define(gen, "bool", "v%u != v%u", x, y);
    default: return simt_define(gen, "bool", "v%u || v%u", x, y);
  }
}

/* The integers that arithmetic of this type is done in: of 64 bits, or where a language may lack them, as few as hold
 * the operands. */
static unsigned working_bits(const simt_gen *gen, ten_dtype dtype) {
  return gen->language == SIMT_WGSL && ten_dtype_bits(dtype) <= 32 ? 32 : 64;
}

static uint32_t short_shift(simt_gen *gen, ten_opcode code, ten_dtype dtype, uint32_t x, uint32_t y) {
  const unsigned bits = ten_dtype_bits(dtype);
  const unsigned long long mask = (1ull << bits) - 1;
  if (code == TEN_OP_SHIFT_RIGHT_ARITHMETIC)
    return simt_fit(gen, dtype, "i32_shift_right((i32)((u32)v%u << %u) >> %u, (u32)v%u, %u)", x, 32 - bits, 32 - bits,
                    y, bits);
  if (code == TEN_OP_SHIFT_LEFT) return simt_fit(gen, dtype, "(u32)v%u < %u ? (u32)v%u << v%u : 0u", y, bits, x, y);
  return simt_fit(gen, dtype, "(u32)v%u < %u ? ((u32)v%u & 0x%llxu) >> v%u : 0u", y, bits, x, mask, y);
}

static uint32_t int_shift(simt_gen *gen, ten_opcode code, ten_dtype dtype, uint32_t x, uint32_t y) {
  const unsigned bits = ten_dtype_bits(dtype);
  const unsigned long long mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
  if (working_bits(gen, dtype) == 32) return short_shift(gen, code, dtype, x, y);
  if (code == TEN_OP_SHIFT_RIGHT_ARITHMETIC) /* the sign, or for unsigned types the top bit as if it were one */
    return simt_fit(gen, dtype, "shift_right((i64)((u64)v%u << %u) >> %u, (u64)v%u, %u)", x, 64 - bits, 64 - bits, y,
                    bits);
  if (code == TEN_OP_SHIFT_LEFT) return simt_fit(gen, dtype, "(u64)v%u < %u ? (u64)v%u << v%u : 0ul", y, bits, x, y);
  return simt_fit(gen, dtype, "(u64)v%u < %u ? ((u64)v%u & 0x%llxul) >> v%u : 0ul", y, bits, x, mask, y);
}

static uint32_t int_binary(simt_gen *gen, ten_opcode code, ten_dtype dtype, uint32_t x, uint32_t y) {
  const char *type = simt_register_type(dtype), *wide = wide_unsigned(dtype);
  const unsigned bits = ten_dtype_bits(dtype);
  const bool short_full = working_bits(gen, dtype) == 32;
  const char *full = simt_is_unsigned(dtype) ? (short_full ? "u32" : "u64") : (short_full ? "i32" : "i64");
  switch (code) {
    case TEN_OP_ADD: return simt_fit(gen, dtype, "(%s)v%u + (%s)v%u", wide, x, wide, y);
    case TEN_OP_SUBTRACT: return simt_fit(gen, dtype, "(%s)v%u - (%s)v%u", wide, x, wide, y);
    case TEN_OP_MULTIPLY: return simt_fit(gen, dtype, "(%s)v%u * (%s)v%u", wide, x, wide, y);
    case TEN_OP_AND: return simt_fit(gen, dtype, "v%u & v%u", x, y);
    case TEN_OP_OR: return simt_fit(gen, dtype, "v%u | v%u", x, y);
    case TEN_OP_XOR: return simt_fit(gen, dtype, "v%u ^ v%u", x, y);
    case TEN_OP_MAXIMUM: return simt_define(gen, type, "v%u > v%u ? v%u : v%u", x, y, x, y);
    case TEN_OP_MINIMUM: return simt_define(gen, type, "v%u < v%u ? v%u : v%u", x, y, x, y);
    case TEN_OP_DIVIDE: return simt_fit(gen, dtype, "%s_divide(v%u, v%u)", full, x, y);
    case TEN_OP_REMAINDER: return simt_fit(gen, dtype, "%s_remainder(v%u, v%u)", full, x, y);
    case TEN_OP_POWER: return simt_fit(gen, dtype, "%s_power(v%u, v%u)", full, x, y);
    case TEN_OP_CHLO_MULHI:
      if (bits == 64 || (bits == 32 && short_full)) return simt_define(gen, type, "%s_mulhi(v%u, v%u)", full, x, y);
      return simt_fit(gen, dtype, "((%s)v%u * (%s)v%u) >> %u", full, x, full, y, bits);
    default: return int_shift(gen, code, dtype, x, y);
  }
}

static uint32_t float_binary(simt_gen *gen, ten_opcode code, ten_dtype dtype, uint32_t x, uint32_t y) {
  const char *suffix = dtype == TEN_F64 ? "" : "f", *type = simt_register_type(dtype);
  switch (code) {
    case TEN_OP_ADD: return simt_fit(gen, dtype, "v%u + v%u", x, y);
    case TEN_OP_SUBTRACT: return simt_fit(gen, dtype, "v%u - v%u", x, y);
    case TEN_OP_MULTIPLY: return simt_fit(gen, dtype, "v%u * v%u", x, y);
    case TEN_OP_DIVIDE: return simt_fit(gen, dtype, "v%u / v%u", x, y);
    case TEN_OP_MAXIMUM: return simt_define(gen, type, "%s_max(v%u, v%u)", type, x, y);
    case TEN_OP_MINIMUM: return simt_define(gen, type, "%s_min(v%u, v%u)", type, x, y);
    case TEN_OP_REMAINDER: return simt_fit(gen, dtype, "fmod%s(v%u, v%u)", suffix, x, y);
    case TEN_OP_POWER: return simt_fit(gen, dtype, "pow%s(v%u, v%u)", suffix, x, y);
    default: return simt_fit(gen, dtype, "atan2%s(v%u, v%u)", suffix, x, y);
  }
}

static simt_val complex_binary(simt_gen *gen, ten_opcode code, ten_dtype dtype, simt_val x, simt_val y) {
  const char *type = simt_register_type(dtype), *single = gen->language == SIMT_WGSL ? "fused" : "fmaf",
             *fma = dtype == TEN_C64 ? single : "fma";
  switch (code) {
    case TEN_OP_ADD:
      return (simt_val){simt_define(gen, type, "v%u + v%u", x.re, y.re),
                        simt_define(gen, type, "v%u + v%u", x.im, y.im)};
    case TEN_OP_SUBTRACT:
      return (simt_val){simt_define(gen, type, "v%u - v%u", x.re, y.re),
                        simt_define(gen, type, "v%u - v%u", x.im, y.im)};
    case TEN_OP_MULTIPLY: /* one product of each sum is rounded, the other fused, as on the CPU */
      return (simt_val){simt_define(gen, type, "%s(v%u, v%u, -(v%u * v%u))", fma, x.re, y.re, x.im, y.im),
                        simt_define(gen, type, "%s(v%u, v%u, v%u * v%u)", fma, x.im, y.re, x.re, y.im)};
    default: { /* maximum and minimum: by real part, then by imaginary part */
      const char *more = code == TEN_OP_MAXIMUM ? ">" : "<";
      const uint32_t first = simt_define(gen, "bool", "v%u %s v%u || (v%u == v%u && v%u %s= v%u)", x.re, more, y.re,
                                         x.re, y.re, x.im, more, y.im);
      return simt_select(gen, dtype, first, x, y);
    }
  }
}

simt_val simt_binary(simt_gen *gen, ten_opcode code, ten_dtype dtype, simt_val x, simt_val y) {
  switch (ten_dtype_class(dtype)) {
    case TEN_CLASS_COMPLEX: return complex_binary(gen, code, dtype, x, y);
    case TEN_CLASS_BOOL: return (simt_val){bool_binary(gen, code, x.re, y.re), 0};
    case TEN_CLASS_FLOAT: return (simt_val){float_binary(gen, code, dtype, x.re, y.re), 0};
    default: return (simt_val){int_binary(gen, code, dtype, x.re, y.re), 0};
  }
}

simt_val simt_select(simt_gen *gen, ten_dtype dtype, uint32_t condition, simt_val x, simt_val y) {
  const char *type = simt_register_type(dtype);
  simt_val out = {simt_define(gen, type, "v%u ? v%u : v%u", condition, x.re, y.re), 0};
  if (x.im) out.im = simt_define(gen, type, "v%u ? v%u : v%u", condition, x.im, y.im);
  return out;
}

uint32_t simt_compare(simt_gen *gen, int direction, bool total, ten_dtype dtype, simt_val x, simt_val y) {
  /* order of COMPARISON_DIRECTION: EQ, NE, GE, GT, LE, LT */
  static const char *const signs[] = {"==", "!=", ">=", ">", "<=", "<"};
  const char *type = simt_register_type(dtype), *sign = signs[direction];
  if (x.im)
    return simt_define(gen, "bool", "v%u %s v%u %s v%u %s v%u", x.re, sign, y.re, direction == 1 ? "||" : "&&", x.im,
                       sign, y.im);
  if (total && ten_dtype_is_float(dtype))
    return simt_define(gen, "bool", "%s_order(v%u) %s %s_order(v%u)", type, x.re, sign, type, y.re);
  return simt_define(gen, "bool", "v%u %s v%u", x.re, sign, y.re);
}

static uint32_t to_float(simt_gen *gen, ten_dtype from, ten_dtype to, uint32_t x) {
  const bool narrow = to != TEN_F32 && to != TEN_F64;
  const char *type = simt_register_type(to);
  /* what is inexact in f32 is rounded once: to odd first, then to the narrow type */
  if (narrow && (from == TEN_F64 || (!ten_dtype_is_float(from) && ten_dtype_bits(from) > 16)))
    return gen->language == SIMT_WGSL && from != TEN_F64 ? simt_fit(gen, to, "%s_odd(v%u)", simt_register_type(from), x)
                                                         : simt_fit(gen, to, "f32_odd((f64)v%u)", x);
  if (from == to) return x;
  return simt_fit(gen, to, "(%s)v%u", type, x);
}

static uint32_t to_int(simt_gen *gen, ten_dtype from, ten_dtype to, uint32_t x) {
  if (!ten_dtype_is_float(from)) return from == to ? x : simt_fit(gen, to, "v%u", x);
  const unsigned bits = ten_dtype_bits(to);
  const char *float_type = simt_register_type(from);
  return simt_fit(gen, to, "%s_to_%c%u(v%u, %u)", float_type, simt_is_unsigned(to) ? 'u' : 'i', working_bits(gen, to),
                  x, bits);
}

simt_val simt_convert(simt_gen *gen, ten_dtype from, ten_dtype to, simt_val x) {
  if (from == to) return x;
  const ten_dtype part = ten_dtype_part(from);
  if (ten_dtype_is_complex(to)) {
    const ten_dtype to_part = ten_dtype_part(to);
    simt_val out = {to_float(gen, part, to_part, x.re), 0};
    out.im = x.im ? to_float(gen, part, to_part, x.im) : simt_zero(gen, to_part).re;
    return out;
  }
  if (to == TEN_I1) return (simt_val){simt_define(gen, "bool", "v%u != 0", x.re), 0};
  return (simt_val){ten_dtype_is_float(to) ? to_float(gen, part, to, x.re) : to_int(gen, part, to, x.re), 0};
}

simt_ix simt_as_index(simt_gen *gen, ten_dtype dtype, simt_val value) {
  if (gen->language == SIMT_WGSL && ten_dtype_bits(dtype) >= 32) { /* what is out of bounds remains so */
    const char *suffix = ten_dtype_bits(dtype) == 64 ? "l" : "";
    const uint32_t low = value.re, most = SIMT_NARROW_MOST;
    const uint32_t high =
        simt_define(gen, simt_register_type(dtype), "v%u > %u%s ? %u%s : v%u", low, most, suffix, most, suffix, low);
    if (simt_is_unsigned(dtype)) return simt_index_of(simt_define(gen, "i32", "(i32)v%u", high));
    return simt_index_of(simt_define(gen, "i32", "v%u < -%u%s ? -%u : (i32)v%u", high, most, suffix, most, high));
  }
  if (dtype == TEN_I64 || dtype == TEN_INDEX) return simt_index_of(value.re);
  return simt_index_of(simt_define(gen, simt_wide_type(gen), "(%s)v%u", simt_wide_type(gen), value.re));
}
