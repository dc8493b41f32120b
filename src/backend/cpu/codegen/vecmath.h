/* vecmath.h: shared by the files of transcendental functions: arithmetic on registers that the loop vectorizer can
 * vectorize. Nothing here branches. */
#ifndef TEN_CPU_CODEGEN_VECMATH_H
#define TEN_CPU_CODEGEN_VECMATH_H

#include "backend/cpu/codegen/cg.h"

typedef LLVMValueRef V;

static inline V real_like(V x, double value) { return LLVMConstReal(LLVMTypeOf(x), value); }
static inline V add(ten_cg *cg, V x, V y) { return LLVMBuildFAdd(cg->b, x, y, ""); }
static inline V sub(ten_cg *cg, V x, V y) { return LLVMBuildFSub(cg->b, x, y, ""); }
static inline V mul(ten_cg *cg, V x, V y) { return LLVMBuildFMul(cg->b, x, y, ""); }
static inline V divide(ten_cg *cg, V x, V y) { return LLVMBuildFDiv(cg->b, x, y, ""); }
static inline V less(ten_cg *cg, V x, V y) { return LLVMBuildFCmp(cg->b, LLVMRealOLT, x, y, ""); }
static inline V choose(ten_cg *cg, V condition, V x, V y) { return LLVMBuildSelect(cg->b, condition, x, y, ""); }
static inline V absolute(ten_cg *cg, V x) { return cg_intrinsic(cg, "llvm.fabs", LLVMTypeOf(x), &x, 1); }
static inline V fused(ten_cg *cg, V x, V y, V z) {
  V args[] = {x, y, z};
  return cg_intrinsic(cg, "llvm.fmuladd", LLVMTypeOf(x), args, 3);
}
static inline V signed_as(ten_cg *cg, V size, V sign) {
  V args[] = {size, sign};
  return cg_intrinsic(cg, "llvm.copysign", LLVMTypeOf(size), args, 2);
}

/* Highest power first. Long ones are two of half the length in x², to shorten the dependency chain. */
static inline V polynomial_of(ten_cg *cg, V x, const double *coefficients, size_t count, size_t step) {
  enum { SHORT = 5 };
  if (count > SHORT) {
    V square = mul(cg, x, x);
    const double *last = coefficients + (count - 1) * step;
    V even = polynomial_of(cg, square, last - (count - 1) / 2 * 2 * step, (count + 1) / 2, 2 * step);
    V odd = polynomial_of(cg, square, last - step - (count / 2 - 1) * 2 * step, count / 2, 2 * step);
    return fused(cg, odd, x, even);
  }
  V sum = real_like(x, coefficients[0]);
  for (size_t i = 1; i < count; i++) sum = fused(cg, sum, x, real_like(x, coefficients[i * step]));
  return sum;
}
static inline V polynomial(ten_cg *cg, V x, const double *coefficients, size_t count) {
  return polynomial_of(cg, x, coefficients, count, 1);
}
#define POLYNOMIAL(cg, x, table) polynomial(cg, x, table, sizeof(table) / sizeof *(table))

/* Bounds that propagate NaN. */
static inline V at_most(ten_cg *cg, V x, double high) {
  V bound = real_like(x, high);
  return choose(cg, LLVMBuildFCmp(cg->b, LLVMRealOGT, x, bound, ""), bound, x);
}
static inline V at_least(ten_cg *cg, V x, double low) {
  V bound = real_like(x, low);
  return choose(cg, less(cg, x, bound), bound, x);
}

/* Adding and subtracting 1.5·2^52 (or 2^23) rounds to an integer, which is in the low bits in between. */
static inline V round_magic(ten_cg *cg, V x, V *integer) {
  const bool wide = LLVMTypeOf(x) == cg->f64;
  V magic = real_like(x, wide ? 6755399441055744.0 : 12582912.0);
  LLVMTypeRef type = wide ? cg->i64 : cg->i32;
  V moved = add(cg, x, magic);
  *integer =
      LLVMBuildSub(cg->b, LLVMBuildBitCast(cg->b, moved, type, ""), LLVMBuildBitCast(cg->b, magic, type, ""), "");
  return sub(cg, moved, magic);
}

static inline V power_of_two(ten_cg *cg, V exponent) {
  const bool wide = LLVMTypeOf(exponent) == cg->i64;
  LLVMTypeRef type = LLVMTypeOf(exponent);
  V biased = LLVMBuildAdd(cg->b, exponent, LLVMConstInt(type, wide ? 1023 : 127, false), "");
  return LLVMBuildBitCast(cg->b, LLVMBuildShl(cg->b, biased, LLVMConstInt(type, wide ? 52 : 23, false), ""),
                          wide ? cg->f64 : cg->f32, "");
}

#define LN2 0.69314718055994530942
#define LOG2E 1.44269504088896340736

static inline V equal(ten_cg *cg, V x, V y) { return LLVMBuildFCmp(cg->b, LLVMRealOEQ, x, y, ""); }
static inline V is_nan(ten_cg *cg, V x) { return LLVMBuildFCmp(cg->b, LLVMRealUNO, x, x, ""); }
static inline V both(ten_cg *cg, V x, V y) { return LLVMBuildAnd(cg->b, x, y, ""); }
static inline V is_infinite(ten_cg *cg, V x) { return equal(cg, absolute(cg, x), real_like(x, __builtin_inf())); }
static inline V widen(ten_cg *cg, V x) { return LLVMBuildFPExt(cg->b, x, cg->f64, ""); }
static inline V narrow(ten_cg *cg, V x) { return LLVMBuildFPTrunc(cg->b, x, cg->f32, ""); }

/* math.c: e^x of a double to 1e-12, |x| < 700; and e^x - 1 on request. */
V cg_exp_wide(ten_cg *cg, V x, V *expm1);
/* Handles zero, negative numbers, infinity and NaN of `x` (`result` is the logarithm otherwise). */
V cg_log_corners(ten_cg *cg, V x, V result);

/* 1 + erf(z), x·(1 + erf(z)) / 2 and e^(-z²) for z = unit·x, unit > 0: one form with shared parts. */
V cg_erf_plus_one_f32(ten_cg *cg, V x, double unit);
V cg_gelu_f32(ten_cg *cg, V x, double unit);
V cg_erf_slope_f32(ten_cg *cg, V x, double unit);

/* trig.c and power.c: functions of f32. */
V cg_sine_f32(ten_cg *cg, V x);
V cg_cosine_f32(ten_cg *cg, V x);
V cg_tangent_f32(ten_cg *cg, V x);
V cg_asin_f32(ten_cg *cg, V x);
V cg_acos_f32(ten_cg *cg, V x);
V cg_cbrt_f32(ten_cg *cg, V x);
V cg_asinh_f32(ten_cg *cg, V x);
V cg_acosh_f32(ten_cg *cg, V x);
V cg_atanh_f32(ten_cg *cg, V x);

#endif
