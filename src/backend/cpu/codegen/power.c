/* power.c: powers, cube roots and inverse hyperbolic functions of f32, through logarithms and roots in f64. */
#include "backend/cpu/codegen/vecmath.h"

/* The logarithm of a positive, finite double to 1e-13: y = m·2^e with m between √½ and √2. */
static V log_exact(ten_cg *cg, V y) {
  static const double table[] = {
      -0.0388716128162312121, 0.0792068427192467715, -0.08245025650742841,  0.0769951228297264919,
      -0.0818132568197160087, 0.0907278753801038662, -0.100100299043881515, 0.111127622282701765,
      -0.124996530705237522,  0.142856517675344136,  -0.1666667282322684,   0.200000010485437695,
      -0.249999999507617416,  0.333333333269642611,  -0.500000000001199645, 1.00000000000006171};
  LLVMBuilderRef b = cg->b;
  V bits = LLVMBuildBitCast(b, y, cg->i64, ""), shift = cg_const(cg, 52);
  V offset = LLVMConstInt(cg->i64, 0x3FE6A09E667F3BCDull, false); /* √½ */
  V exponent = LLVMBuildAShr(b, LLVMBuildSub(b, bits, offset, ""), shift, "");
  V m = LLVMBuildBitCast(b, LLVMBuildSub(b, bits, LLVMBuildShl(b, exponent, shift, ""), ""), cg->f64, "");
  V t = sub(cg, m, real_like(y, 1.0));
  V log_m = mul(cg, POLYNOMIAL(cg, t, table), t);
  return fused(cg, LLVMBuildSIToFP(b, exponent, cg->f64, ""), real_like(y, LN2), log_m);
}

static V whole(ten_cg *cg, V x) { return cg_intrinsic(cg, "llvm.floor", LLVMTypeOf(x), &x, 1); }

/* Common constant powers; NULL: another one. */
static V small_power(ten_cg *cg, V x, V y) {
  if (!LLVMIsAConstantFP(y)) return NULL;
  LLVMBool lost = false;
  const double power = LLVMConstRealGetDouble(y, &lost);
  V square = power == 1.0 || power == -1.0 ? NULL : mul(cg, x, x);
  if (power == 1.0) return x;
  if (power == -1.0) return divide(cg, real_like(x, 1.0), x);
  if (power == 2.0) return square;
  if (power == 3.0) return mul(cg, square, x);
  return power == 4.0 ? mul(cg, square, square) : NULL;
}

V cg_power_f32(ten_cg *cg, V x, V y) {
  V simple = small_power(cg, x, y);
  if (simple) return simple;
  V zero = LLVMConstNull(cg->f32), one = real_like(x, 1.0), size = absolute(cg, x);
  V logarithm = cg_log_corners(cg, widen(cg, size), log_exact(cg, widen(cg, size)));
  V exponent = mul(cg, widen(cg, y), logarithm);
  V result = narrow(cg, cg_exp_wide(cg, at_least(cg, at_most(cg, exponent, 690.0), -690.0), NULL));
  result = choose(cg, equal(cg, size, one), one, result); /* also to the power of infinity */
  V integral = equal(cg, whole(cg, y), y), half = mul(cg, y, real_like(y, 0.5));
  V odd = LLVMBuildFCmp(cg->b, LLVMRealONE, whole(cg, half), half, "");
  V negative = LLVMBuildICmp(cg->b, LLVMIntSLT, LLVMBuildBitCast(cg->b, x, cg->i32, ""), LLVMConstNull(cg->i32), "");
  V turns = both(cg, negative, both(cg, integral, odd));
  result = choose(cg, turns, LLVMBuildFNeg(cg->b, result, ""), result);
  V none = both(cg, both(cg, less(cg, x, zero), less(cg, size, real_like(x, __builtin_inf()))),
                LLVMBuildNot(cg->b, integral, ""));
  V bad = LLVMBuildOr(cg->b, none, LLVMBuildFCmp(cg->b, LLVMRealUNO, x, y, ""), "");
  result = choose(cg, bad, real_like(x, __builtin_nan("")), result);
  return choose(cg, LLVMBuildOr(cg->b, equal(cg, y, zero), equal(cg, x, one), ""), one, result);
}

/* A third of the exponent, then two Halley steps, each of which triples the digits. */
V cg_cbrt_f32(ten_cg *cg, V x) {
  LLVMBuilderRef b = cg->b;
  V a = widen(cg, absolute(cg, x));
  V top = LLVMBuildTrunc(b, LLVMBuildLShr(b, LLVMBuildBitCast(b, a, cg->i64, ""), cg_const(cg, 32), ""), cg->i32, "");
  V third = LLVMBuildAdd(b, LLVMBuildUDiv(b, top, LLVMConstInt(cg->i32, 3, false), ""),
                         LLVMConstInt(cg->i32, 715094163, false), "");
  V y = LLVMBuildBitCast(b, LLVMBuildShl(b, LLVMBuildZExt(b, third, cg->i64, ""), cg_const(cg, 32), ""), cg->f64, "");
  for (int i = 0; i < 2; i++) {
    V cube = mul(cg, mul(cg, y, y), y);
    y = mul(cg, y, divide(cg, add(cg, cube, add(cg, a, a)), add(cg, add(cg, cube, cube), a)));
  }
  V plain =
      LLVMBuildOr(b, equal(cg, x, LLVMConstNull(cg->f32)), LLVMBuildFCmp(b, LLVMRealUNO, sub(cg, x, x), x, ""), "");
  return choose(cg, plain, x, signed_as(cg, narrow(cg, y), x));
}

/* log of a double that may be 0 or infinite. */
static V log_any(ten_cg *cg, V x) { return cg_log_corners(cg, x, log_exact(cg, x)); }

static V root(ten_cg *cg, V x) { return cg_intrinsic(cg, "llvm.sqrt", cg->f64, &x, 1); }

V cg_asinh_f32(ten_cg *cg, V x) {
  V wide = widen(cg, x), size = absolute(cg, wide), one = real_like(wide, 1.0), square = mul(cg, wide, wide);
  V far = signed_as(cg, log_any(cg, add(cg, size, root(cg, add(cg, square, one)))), wide);
  V near = fused(cg, mul(cg, square, real_like(wide, -1.0 / 6)), wide, wide);
  V result = choose(cg, less(cg, size, real_like(wide, 1e-4)), near, far);
  return choose(cg, equal(cg, x, LLVMConstNull(cg->f32)), x, narrow(cg, result));
}

V cg_acosh_f32(ten_cg *cg, V x) {
  V wide = widen(cg, x), one = real_like(wide, 1.0);
  V result = narrow(cg, log_any(cg, add(cg, wide, root(cg, sub(cg, mul(cg, wide, wide), one)))));
  return choose(cg, LLVMBuildFCmp(cg->b, LLVMRealOGE, x, real_like(x, 1.0), ""), result,
                real_like(x, __builtin_nan("")));
}

V cg_atanh_f32(ten_cg *cg, V x) {
  V wide = widen(cg, x), one = real_like(wide, 1.0), square = mul(cg, wide, wide);
  V far = mul(cg, real_like(wide, 0.5), log_any(cg, divide(cg, add(cg, one, wide), sub(cg, one, wide))));
  V near = fused(cg, mul(cg, square, real_like(wide, 1.0 / 3)), wide, wide);
  V result = choose(cg, less(cg, absolute(cg, wide), real_like(wide, 1e-4)), near, far);
  return choose(cg, equal(cg, x, LLVMConstNull(cg->f32)), x, narrow(cg, result));
}
