/* scalar.c: arithmetic of integers, booleans and floats, as in XLA where the specification leaves room: division by
 * zero does not trap, oversized shifts give zero or the sign, conversions saturate, min and max propagate NaN. Complex
 * numbers are in complex.c, transcendental functions in math.c. */
#include <math.h>

#include "backend/cpu/codegen/cg.h"

typedef LLVMValueRef V;

static V int_like(V x, int64_t value) { return LLVMConstInt(LLVMTypeOf(x), (unsigned long long)value, true); }

static V bool_binary(ten_cg *cg, ten_opcode code, V x, V y) {
  LLVMBuilderRef b = cg->b;
  switch (code) {
    case TEN_OP_ADD:
    case TEN_OP_OR:
    case TEN_OP_MAXIMUM: return LLVMBuildOr(b, x, y, "");
    case TEN_OP_MULTIPLY:
    case TEN_OP_AND:
    case TEN_OP_MINIMUM: return LLVMBuildAnd(b, x, y, "");
    case TEN_OP_SUBTRACT:
    case TEN_OP_XOR: return LLVMBuildXor(b, x, y, "");
    default: return NULL;
  }
}

/* x / 0 = -1, x % 0 = x, MIN / -1 = MIN, MIN % -1 = 0. */
static V int_divide(ten_cg *cg, bool remainder, bool is_unsigned, V x, V y) {
  LLVMBuilderRef b = cg->b;
  V zero = int_like(x, 0), one = int_like(x, 1), ones = int_like(x, -1);
  V by_zero = LLVMBuildICmp(b, LLVMIntEQ, y, zero, "");
  if (is_unsigned) {
    V safe = LLVMBuildSelect(b, by_zero, one, y, "");
    V result = remainder ? LLVMBuildURem(b, x, safe, "") : LLVMBuildUDiv(b, x, safe, "");
    return LLVMBuildSelect(b, by_zero, remainder ? x : ones, result, "");
  }
  V by_minus_one = LLVMBuildICmp(b, LLVMIntEQ, y, ones, "");
  V safe = LLVMBuildSelect(b, LLVMBuildOr(b, by_zero, by_minus_one, ""), one, y, "");
  V result = remainder ? LLVMBuildSRem(b, x, safe, "") : LLVMBuildSDiv(b, x, safe, "");
  result = LLVMBuildSelect(b, by_minus_one, remainder ? zero : LLVMBuildNeg(b, x, ""), result, "");
  return LLVMBuildSelect(b, by_zero, remainder ? x : ones, result, "");
}

/* By squaring; a negative exponent gives 0 unless the base is 1 or -1. */
static V int_power(ten_cg *cg, ten_dtype dtype, V x, V y) {
  LLVMBuilderRef b = cg->b;
  const unsigned bits = ten_dtype_bits(dtype);
  V one = int_like(x, 1), zero = int_like(x, 0);
  V result = one, base = x, exponent = y;
  for (unsigned i = 0; i < bits; i++) {
    V odd = LLVMBuildICmp(b, LLVMIntNE, LLVMBuildAnd(b, exponent, one, ""), zero, "");
    result = LLVMBuildSelect(b, odd, LLVMBuildMul(b, result, base, ""), result, "");
    base = LLVMBuildMul(b, base, base, "");
    exponent = LLVMBuildLShr(b, exponent, one, "");
  }
  if (cg_is_unsigned(dtype)) return result;
  V negative = LLVMBuildICmp(b, LLVMIntSLT, y, zero, "");
  V odd = LLVMBuildICmp(b, LLVMIntNE, LLVMBuildAnd(b, y, one, ""), zero, "");
  V minus_one = int_like(x, -1);
  V is_one = LLVMBuildICmp(b, LLVMIntEQ, x, one, ""), is_minus = LLVMBuildICmp(b, LLVMIntEQ, x, minus_one, "");
  V inverse = LLVMBuildSelect(b, is_minus, LLVMBuildSelect(b, odd, minus_one, one, ""), zero, "");
  inverse = LLVMBuildSelect(b, is_one, one, inverse, "");
  return LLVMBuildSelect(b, negative, inverse, result, "");
}

static V int_shift(ten_cg *cg, ten_opcode code, ten_dtype dtype, V x, V y) {
  LLVMBuilderRef b = cg->b;
  const unsigned bits = ten_dtype_bits(dtype);
  V top = int_like(x, (int64_t)bits - 1);
  /* compared as unsigned: a negative amount is also too large */
  V fits = bits == 1 ? LLVMBuildICmp(b, LLVMIntEQ, y, int_like(x, 0), "") : LLVMBuildICmp(b, LLVMIntULE, y, top, "");
  V amount = LLVMBuildSelect(b, fits, y, int_like(x, 0), "");
  if (code == TEN_OP_SHIFT_RIGHT_ARITHMETIC) return LLVMBuildAShr(b, x, LLVMBuildSelect(b, fits, y, top, ""), "");
  V shifted = code == TEN_OP_SHIFT_LEFT ? LLVMBuildShl(b, x, amount, "") : LLVMBuildLShr(b, x, amount, "");
  return LLVMBuildSelect(b, fits, shifted, int_like(x, 0), "");
}

static V int_mulhi(ten_cg *cg, ten_dtype dtype, V x, V y) {
  LLVMBuilderRef b = cg->b;
  const unsigned bits = ten_dtype_bits(dtype);
  LLVMTypeRef wide = LLVMIntTypeInContext(cg->context, bits * 2);
  const bool is_unsigned = cg_is_unsigned(dtype);
  V wx = is_unsigned ? LLVMBuildZExt(b, x, wide, "") : LLVMBuildSExt(b, x, wide, "");
  V wy = is_unsigned ? LLVMBuildZExt(b, y, wide, "") : LLVMBuildSExt(b, y, wide, "");
  V high = LLVMBuildLShr(b, LLVMBuildMul(b, wx, wy, ""), LLVMConstInt(wide, bits, false), "");
  return LLVMBuildTrunc(b, high, LLVMTypeOf(x), "");
}

static V int_binary(ten_cg *cg, ten_opcode code, ten_dtype dtype, V x, V y) {
  LLVMBuilderRef b = cg->b;
  const bool is_unsigned = cg_is_unsigned(dtype);
  switch (code) {
    case TEN_OP_ADD: return LLVMBuildAdd(b, x, y, "");
    case TEN_OP_SUBTRACT: return LLVMBuildSub(b, x, y, "");
    case TEN_OP_MULTIPLY: return LLVMBuildMul(b, x, y, "");
    case TEN_OP_AND: return LLVMBuildAnd(b, x, y, "");
    case TEN_OP_OR: return LLVMBuildOr(b, x, y, "");
    case TEN_OP_XOR: return LLVMBuildXor(b, x, y, "");
    case TEN_OP_MAXIMUM:
    case TEN_OP_MINIMUM: {
      const bool max = code == TEN_OP_MAXIMUM;
      V args[] = {x, y};
      return cg_intrinsic(cg, is_unsigned ? (max ? "llvm.umax" : "llvm.umin") : (max ? "llvm.smax" : "llvm.smin"),
                          LLVMTypeOf(x), args, 2);
    }
    case TEN_OP_DIVIDE: return int_divide(cg, false, is_unsigned, x, y);
    case TEN_OP_REMAINDER: return int_divide(cg, true, is_unsigned, x, y);
    case TEN_OP_POWER: return int_power(cg, dtype, x, y);
    case TEN_OP_CHLO_MULHI: return int_mulhi(cg, dtype, x, y);
    case TEN_OP_SHIFT_LEFT:
    case TEN_OP_SHIFT_RIGHT_ARITHMETIC:
    case TEN_OP_SHIFT_RIGHT_LOGICAL: return int_shift(cg, code, dtype, x, y);
    default: return NULL;
  }
}

/* Without an instruction for IEEE 754's maximum, the existing one returns its second operand for NaN and equal zeros:
 * with a constant as the first only the maximum of 0 and -0 is wrong, which an addition fixes. */
V cg_bound(ten_cg *cg, bool larger, V x, V y) {
  V bound = LLVMIsAConstantFP(x) ? x : y, number = bound == x ? y : x, args[] = {x, y};
  LLVMBool loses = false;
  const double value = LLVMIsAConstantFP(bound) ? LLVMConstRealGetDouble(bound, &loses) : NAN;
  if (cg->target->has_maximum || isnan(value) || (value == 0 && signbit(value)))
    return cg_intrinsic(cg, larger ? "llvm.maximum" : "llvm.minimum", LLVMTypeOf(x), args, 2);
  V beyond = LLVMBuildFCmp(cg->b, larger ? LLVMRealOGT : LLVMRealOLT, bound, number, "");
  V result = LLVMBuildSelect(cg->b, beyond, bound, number, "");
  return larger && value == 0 ? LLVMBuildFAdd(cg->b, result, bound, "") : result;
}

static V float_binary(ten_cg *cg, ten_opcode code, ten_dtype dtype, V x, V y) {
  LLVMBuilderRef b = cg->b;
  const bool wide = dtype == TEN_F64;
  V args[] = {x, y};
  V result;
  switch (code) {
    case TEN_OP_ADD: result = LLVMBuildFAdd(b, x, y, ""); break;
    case TEN_OP_SUBTRACT: result = LLVMBuildFSub(b, x, y, ""); break;
    case TEN_OP_MULTIPLY: result = LLVMBuildFMul(b, x, y, ""); break;
    case TEN_OP_DIVIDE: result = LLVMBuildFDiv(b, x, y, ""); break;
    case TEN_OP_MAXIMUM:
    case TEN_OP_MINIMUM: {
      const bool larger = code == TEN_OP_MAXIMUM;
      if (dtype == TEN_F32 || wide) return cg_bound(cg, larger, x, y);
      /* as a call, which rounding (memory.c) recognizes */
      return cg_intrinsic(cg, larger ? "llvm.maximum" : "llvm.minimum", LLVMTypeOf(x), args, 2);
    }
    case TEN_OP_REMAINDER: result = cg_call(cg, wide ? "fmod" : "fmodf", LLVMTypeOf(x), args, 2); break;
    case TEN_OP_POWER: result = wide ? cg_call(cg, "pow", LLVMTypeOf(x), args, 2) : cg_power_f32(cg, x, y); break;
    case TEN_OP_ATAN2: result = wide ? cg_call(cg, "atan2", LLVMTypeOf(x), args, 2) : cg_atan2_f32(cg, x, y); break;
    case TEN_OP_CHLO_ZETA:
      result = cg_call(cg, wide ? "ten_rt_f64_zeta" : "ten_rt_f32_zeta", LLVMTypeOf(x), args, 2);
      break;
    case TEN_OP_CHLO_POLYGAMMA:
      result = cg_call(cg, wide ? "ten_rt_f64_polygamma" : "ten_rt_f32_polygamma", LLVMTypeOf(x), args, 2);
      break;
    case TEN_OP_CHLO_NEXT_AFTER: {
      V parts[] = {wide ? x : LLVMBuildFPExt(b, x, cg->f64, ""), wide ? y : LLVMBuildFPExt(b, y, cg->f64, ""),
                   LLVMConstInt(cg->i32, (unsigned)dtype, false)};
      V next = cg_call(cg, "ten_rt_next_after", cg->f64, parts, 3);
      return wide ? next : LLVMBuildFPTrunc(b, next, cg->f32, "");
    }
    default: return NULL;
  }
  return cg_round(cg, dtype, result);
}

cg_val cg_binary(ten_cg *cg, ten_opcode code, ten_dtype dtype, cg_val x, cg_val y) {
  V result = NULL;
  switch (ten_dtype_class(dtype)) {
    case TEN_CLASS_COMPLEX: return cg_complex_binary(cg, code, dtype, x, y);
    case TEN_CLASS_BOOL: result = bool_binary(cg, code, x.re, y.re); break;
    case TEN_CLASS_FLOAT: result = float_binary(cg, code, dtype, x.re, y.re); break;
    default: result = int_binary(cg, code, dtype, x.re, y.re); break;
  }
  if (!result) {
    cg_fail(cg, ten_error(TEN_UNSUPPORTED, "%s on %s", ten_op_infos[code].name, ten_dtype_name(dtype)));
    result = LLVMGetUndef(LLVMTypeOf(x.re));
  }
  return (cg_val){result, NULL};
}

static V int_unary(ten_cg *cg, ten_opcode code, ten_dtype dtype, V x) {
  LLVMBuilderRef b = cg->b;
  V zero = int_like(x, 0);
  switch (code) {
    case TEN_OP_NOT: return LLVMBuildNot(b, x, "");
    case TEN_OP_NEGATE: return LLVMBuildNeg(b, x, "");
    case TEN_OP_ABS: {
      if (cg_is_unsigned(dtype)) return x;
      V args[] = {x, LLVMConstInt(cg->i1, 0, false)};
      return cg_intrinsic(cg, "llvm.abs", LLVMTypeOf(x), args, 2);
    }
    case TEN_OP_SIGN: {
      V positive = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntEQ, x, zero, ""), zero, int_like(x, 1), "");
      if (cg_is_unsigned(dtype)) return positive;
      return LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntSLT, x, zero, ""), int_like(x, -1), positive, "");
    }
    case TEN_OP_POPCNT: return cg_intrinsic(cg, "llvm.ctpop", LLVMTypeOf(x), &x, 1);
    case TEN_OP_COUNT_LEADING_ZEROS: {
      V args[] = {x, LLVMConstInt(cg->i1, 0, false)};
      return cg_intrinsic(cg, "llvm.ctlz", LLVMTypeOf(x), args, 2);
    }
    default: return NULL;
  }
}

static V float_sign(ten_cg *cg, V x) {
  LLVMBuilderRef b = cg->b;
  LLVMTypeRef type = LLVMTypeOf(x);
  V args[] = {LLVMConstReal(type, 1.0), x};
  V one = cg_intrinsic(cg, "llvm.copysign", type, args, 2);
  V other = LLVMBuildFCmp(b, LLVMRealUEQ, x, LLVMConstNull(type), ""); /* zeros and NaN are returned as they are */
  return LLVMBuildSelect(b, other, x, one, "");
}

static V float_unary(ten_cg *cg, ten_opcode code, ten_dtype dtype, V x) {
  LLVMTypeRef type = LLVMTypeOf(x);
  switch (code) {
    case TEN_OP_NEGATE: return LLVMBuildFNeg(cg->b, x, "");
    case TEN_OP_ABS: return cg_intrinsic(cg, "llvm.fabs", type, &x, 1);
    case TEN_OP_SIGN: return float_sign(cg, x);
    /* rounding up may give integers that the narrow type cannot represent, so round again */
    case TEN_OP_CEIL: return cg_round(cg, dtype, cg_intrinsic(cg, "llvm.ceil", type, &x, 1));
    case TEN_OP_FLOOR: return cg_round(cg, dtype, cg_intrinsic(cg, "llvm.floor", type, &x, 1));
    case TEN_OP_ROUND_NEAREST_AFZ: return cg_round(cg, dtype, cg_intrinsic(cg, "llvm.round", type, &x, 1));
    case TEN_OP_ROUND_NEAREST_EVEN: return cg_round(cg, dtype, cg_intrinsic(cg, "llvm.roundeven", type, &x, 1));
    case TEN_OP_REAL: return x;
    case TEN_OP_IMAG: return LLVMConstNull(type);
    default: {
      V result = cg_float_math(cg, code, x);
      return result ? cg_round(cg, dtype, result) : NULL;
    }
  }
}

cg_val cg_unary(ten_cg *cg, ten_opcode code, ten_dtype dtype, cg_val x) {
  if (ten_dtype_is_complex(dtype)) return cg_complex_unary(cg, code, dtype, x);
  V result = ten_dtype_is_float(dtype) ? float_unary(cg, code, dtype, x.re) : int_unary(cg, code, dtype, x.re);
  if (!result) {
    cg_fail(cg, ten_error(TEN_UNSUPPORTED, "%s on %s", ten_op_infos[code].name, ten_dtype_name(dtype)));
    result = LLVMGetUndef(LLVMTypeOf(x.re));
  }
  return (cg_val){result, NULL};
}

/* IEEE's total order as the order of integers: -NaN < -inf < … < -0 < +0 < … < inf < NaN. */
static V total_key(ten_cg *cg, V x) {
  LLVMBuilderRef b = cg->b;
  const bool wide = LLVMTypeOf(x) == cg->f64;
  LLVMTypeRef type = wide ? cg->i64 : cg->i32;
  V bits = LLVMBuildBitCast(b, x, type, "");
  V sign = LLVMBuildAShr(b, bits, LLVMConstInt(type, wide ? 63 : 31, false), "");
  return LLVMBuildXor(b, bits, LLVMBuildLShr(b, sign, LLVMConstInt(type, 1, false), ""), "");
}

LLVMValueRef cg_compare(ten_cg *cg, int direction, bool total, ten_dtype dtype, cg_val x, cg_val y) {
  /* order of COMPARISON_DIRECTION: EQ, NE, GE, GT, LE, LT */
  static const LLVMRealPredicate real[] = {LLVMRealOEQ, LLVMRealUNE, LLVMRealOGE,
                                           LLVMRealOGT, LLVMRealOLE, LLVMRealOLT};
  static const LLVMIntPredicate sint[] = {LLVMIntEQ, LLVMIntNE, LLVMIntSGE, LLVMIntSGT, LLVMIntSLE, LLVMIntSLT};
  static const LLVMIntPredicate uint[] = {LLVMIntEQ, LLVMIntNE, LLVMIntUGE, LLVMIntUGT, LLVMIntULE, LLVMIntULT};
  LLVMBuilderRef b = cg->b;
  if (ten_dtype_is_complex(dtype)) {
    V re = LLVMBuildFCmp(b, real[direction], x.re, y.re, ""), im = LLVMBuildFCmp(b, real[direction], x.im, y.im, "");
    return direction == 1 ? LLVMBuildOr(b, re, im, "") : LLVMBuildAnd(b, re, im, "");
  }
  if (!ten_dtype_is_float(dtype))
    return LLVMBuildICmp(b, (cg_is_unsigned(dtype) ? uint : sint)[direction], x.re, y.re, "");
  if (total) return LLVMBuildICmp(b, sint[direction], total_key(cg, x.re), total_key(cg, y.re), "");
  return LLVMBuildFCmp(b, real[direction], x.re, y.re, "");
}

cg_val cg_select(ten_cg *cg, LLVMValueRef condition, cg_val x, cg_val y) {
  cg_val result = {LLVMBuildSelect(cg->b, condition, x.re, y.re, ""), NULL};
  if (x.im) result.im = LLVMBuildSelect(cg->b, condition, x.im, y.im, "");
  return result;
}

/* f64 to a float that rounds on to a narrower type as if rounded once: inexact results get an odd last bit. */
static V round_to_odd(ten_cg *cg, V x) {
  LLVMBuilderRef b = cg->b;
  V near = LLVMBuildFPTrunc(b, x, cg->f32, "");
  V back = LLVMBuildFPExt(b, near, cg->f64, "");
  V abs_x = cg_intrinsic(cg, "llvm.fabs", cg->f64, &x, 1), abs_back = cg_intrinsic(cg, "llvm.fabs", cg->f64, &back, 1);
  V inexact = LLVMBuildFCmp(b, LLVMRealONE, back, x, "");
  V above = LLVMBuildFCmp(b, LLVMRealOGT, abs_back, abs_x, "");
  V bits = LLVMBuildBitCast(b, near, cg->i32, "");
  bits = LLVMBuildSub(b, bits, LLVMBuildZExt(b, above, cg->i32, ""), "");
  bits = LLVMBuildOr(b, bits, LLVMBuildZExt(b, inexact, cg->i32, ""), "");
  return LLVMBuildBitCast(b, bits, cg->f32, "");
}

static V convert_to_float(ten_cg *cg, ten_dtype from, ten_dtype to, V x) {
  LLVMBuilderRef b = cg->b;
  LLVMTypeRef type = cg_register_type(cg, to);
  const bool narrow = to != TEN_F32 && to != TEN_F64;
  if (!ten_dtype_is_float(from)) {
    LLVMTypeRef middle = narrow && ten_dtype_bits(from) > 16 ? cg->f64 : type;
    V real = cg_is_unsigned(from) ? LLVMBuildUIToFP(b, x, middle, "") : LLVMBuildSIToFP(b, x, middle, "");
    if (middle != type) real = round_to_odd(cg, real);
    return cg_round(cg, to, real);
  }
  if (from == TEN_F64 && to != TEN_F64) x = narrow ? round_to_odd(cg, x) : LLVMBuildFPTrunc(b, x, type, "");
  if (from != TEN_F64 && to == TEN_F64) return LLVMBuildFPExt(b, x, type, "");
  return from == to ? x : cg_round(cg, to, x);
}

/* llvm.fptosi.sat from f32 to i32, spelled out: LLVM computes vectors of it element by element on x86. What a
 * conversion out of range gives is never selected. */
static V saturate_to_i32(ten_cg *cg, V x) {
  LLVMBuilderRef b = cg->b;
  LLVMTypeRef real = LLVMTypeOf(x);
  const double end = 2147483648.0;
  V low = LLVMBuildFCmp(b, LLVMRealOLT, x, LLVMConstReal(real, -end), ""),
    high = LLVMBuildFCmp(b, LLVMRealOGE, x, LLVMConstReal(real, end), ""),
    nan = LLVMBuildFCmp(b, LLVMRealUNO, x, x, "");
  V within = LLVMBuildFPToSI(b, x, cg->i32, "");
  within = LLVMBuildSelect(b, high, LLVMConstInt(cg->i32, INT32_MAX, false), within, "");
  within = LLVMBuildSelect(b, low, LLVMConstInt(cg->i32, (uint32_t)INT32_MIN, false), within, "");
  return LLVMBuildSelect(b, nan, LLVMConstInt(cg->i32, 0, false), within, "");
}

static V convert_to_int(ten_cg *cg, ten_dtype from, ten_dtype to, V x) {
  LLVMBuilderRef b = cg->b;
  LLVMTypeRef type = cg_register_type(cg, to);
  if (from == TEN_F32 && to == TEN_I32) return saturate_to_i32(cg, x);
  if (ten_dtype_is_float(from))
    return cg_intrinsic2(cg, cg_is_unsigned(to) ? "llvm.fptoui.sat" : "llvm.fptosi.sat", type, LLVMTypeOf(x), &x, 1);
  const unsigned have = ten_dtype_bits(from), want = ten_dtype_bits(to);
  if (have == want) return x;
  if (have > want) return LLVMBuildTrunc(b, x, type, "");
  return cg_is_unsigned(from) ? LLVMBuildZExt(b, x, type, "") : LLVMBuildSExt(b, x, type, "");
}

cg_val cg_convert(ten_cg *cg, ten_dtype from, ten_dtype to, cg_val x) {
  if (from == to) return x;
  const ten_dtype part = ten_dtype_part(from);
  if (ten_dtype_is_complex(to)) {
    const ten_dtype to_part = ten_dtype_part(to);
    cg_val result = {convert_to_float(cg, part, to_part, x.re), LLVMConstNull(cg_register_type(cg, to_part))};
    if (x.im) result.im = convert_to_float(cg, part, to_part, x.im);
    return result;
  }
  if (to == TEN_I1) {
    V zero = LLVMConstNull(LLVMTypeOf(x.re));
    if (!ten_dtype_is_float(part)) return (cg_val){LLVMBuildICmp(cg->b, LLVMIntNE, x.re, zero, ""), NULL};
    return (cg_val){LLVMBuildFCmp(cg->b, LLVMRealUNE, x.re, zero, ""), NULL}; /* the real part of complex numbers */
  }
  return (cg_val){ten_dtype_is_float(to) ? convert_to_float(cg, part, to, x.re) : convert_to_int(cg, part, to, x.re),
                  NULL};
}

LLVMValueRef cg_index(ten_cg *cg, ten_dtype dtype, cg_val value) {
  return convert_to_int(cg, dtype, TEN_I64, value.re);
}

/* Keeps exponent_bits and mantissa_bits of a float, rounding to nearest even; too large becomes infinity, too small
 * zero. */
LLVMValueRef cg_reduce_precision(ten_cg *cg, LLVMValueRef x, int exponent_bits, int mantissa_bits) {
  LLVMBuilderRef b = cg->b;
  const bool wide = LLVMTypeOf(x) == cg->f64;
  LLVMTypeRef type = wide ? cg->i64 : cg->i32;
  const int own_mantissa = wide ? 52 : 23, own_exponent = wide ? 11 : 8, sign_bit = wide ? 63 : 31;
  V bits = LLVMBuildBitCast(b, x, type, "");
  V is_nan = LLVMBuildFCmp(b, LLVMRealUNO, x, x, "");
  V result = bits;
  if (mantissa_bits < own_mantissa) {
    const int drop = own_mantissa - mantissa_bits;
    V odd = LLVMBuildAnd(b, LLVMBuildLShr(b, bits, LLVMConstInt(type, (unsigned)drop, false), ""),
                         LLVMConstInt(type, 1, false), "");
    V half = LLVMBuildAdd(b, odd, LLVMConstInt(type, (1ull << (drop - 1)) - 1, false), "");
    result = LLVMBuildAnd(b, LLVMBuildAdd(b, bits, half, ""), LLVMConstInt(type, ~((1ull << drop) - 1), false), "");
  }
  if (exponent_bits < own_exponent) {
    const uint64_t own_bias = (1ull << (own_exponent - 1)) - 1, bias = (1ull << (exponent_bits - 1)) - 1;
    const uint64_t exponent_mask = ((1ull << own_exponent) - 1) << own_mantissa;
    V exponent = LLVMBuildAnd(b, result, LLVMConstInt(type, exponent_mask, false), "");
    V sign = LLVMBuildAnd(b, result, LLVMConstInt(type, 1ull << sign_bit, false), "");
    V too_large =
        LLVMBuildICmp(b, LLVMIntUGT, exponent, LLVMConstInt(type, (own_bias + bias) << own_mantissa, false), "");
    V too_small =
        LLVMBuildICmp(b, LLVMIntULE, exponent, LLVMConstInt(type, (own_bias - bias) << own_mantissa, false), "");
    result =
        LLVMBuildSelect(b, too_large, LLVMBuildOr(b, sign, LLVMConstInt(type, exponent_mask, false), ""), result, "");
    result = LLVMBuildSelect(b, too_small, sign, result, "");
  }
  V nan = bits; /* without mantissa there is no NaN: it becomes infinity */
  if (mantissa_bits == 0) nan = LLVMBuildAnd(b, bits, LLVMConstInt(type, ~((1ull << own_mantissa) - 1), false), "");
  return LLVMBuildBitCast(b, LLVMBuildSelect(b, is_nan, nan, result, ""), LLVMTypeOf(x), "");
}
