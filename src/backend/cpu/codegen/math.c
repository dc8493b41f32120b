/* math.c: transcendental functions of one float or double. The common ones of f32 are branch-free, so that the loop
 * vectorizer can vectorize them: argument reduction and a polynomial (fitted for this file, at Chebyshev nodes), in f32
 * where that is accurate enough and in f64 otherwise. All are within 2 units in the last place (tests/cpu/test_math.c
 * covers every exponent). The rest, and f64, call the C library and the runtime. */
#include <math.h>

#include "backend/cpu/codegen/vecmath.h"

typedef struct function_name {
  const char *wide, *narrow;
} function_name;

static const function_name called[TEN_OP_COUNT] = {
#define LIBM(op, name) [TEN_OP_##op] = {#name, #name "f"},
#define SHARED(op, name) LIBM(op, name)
#define RUNTIME(op, name) [TEN_OP_##op] = {"ten_rt_f64_" #name, "ten_rt_f32_" #name},
#include "backend/cpu/rt/functions.def"
};

/* Highest power first, of `unit`·x; by pairs of powers, to shorten the dependency chain. */
static V by_pairs(ten_cg *cg, V x, V square, const double *table, size_t count, double unit) {
  V sum = NULL;
  for (size_t i = 0, pair = count % 2 ? 1 : 2; i < count; i += pair, pair = 2) {
    V low = real_like(x, table[i + pair - 1] * pow(unit, (double)(count - i - pair)));
    if (pair == 2) low = fused(cg, x, real_like(x, table[i] * pow(unit, (double)(count - i - 1))), low);
    sum = sum ? fused(cg, square, sum, low) : low;
  }
  return sum;
}
#define BY_PAIRS(cg, x, square, table, unit) by_pairs(cg, x, square, table, sizeof(table) / sizeof *(table), unit)

/* The power of two whose biased exponent is in the low bits. */
static V power_of_bits(ten_cg *cg, V bits) {
  V shifted = LLVMBuildShl(cg->b, bits, LLVMConstInt(cg->i32, 23, false), "");
  return LLVMBuildBitCast(cg->b, shifted, cg->f32, "");
}
static V bits_of(ten_cg *cg, V x) { return LLVMBuildBitCast(cg->b, x, cg->i32, ""); }

#define ROUNDER 12582912.0 /* 1.5·2^23: adding it rounds to an integer, which is then in the low bits */

/* 2^n is multiplied in two steps, for subnormal results. The first exponent, about 0.9·n + 9, is that of 0 where the
 * result is 0: as for masked scores, and products that underflow take ten times as long. */
static V exp_f32(ten_cg *cg, V x) {
  static const double table[] = {0.0013946755176067471, 0.008366755564522066, 0.04166627793872902, 0.1666654171326302,
                                 0.5000000062914703};
  x = at_least(cg, at_most(cg, x, 89.0), -104.7);
  V magic = real_like(x, ROUNDER + 2 * 127), moved = fused(cg, x, real_like(x, LOG2E), magic);
  V turns = sub(cg, moved, magic);
  V r = fused(cg, turns, real_like(x, -0.693145751953125), x); /* ln 2 in two parts: the first times n is exact */
  r = fused(cg, turns, real_like(x, -(0.69314718055994530942 - 0.693145751953125)), r);
  V square = mul(cg, r, r), p = fused(cg, BY_PAIRS(cg, r, square, table, 1.0), square, r);
  V most = fused(cg, turns, real_like(x, 0.9), real_like(x, ROUNDER + 9 + 127));
  V first = power_of_bits(cg, bits_of(cg, most));
  V second = power_of_bits(cg, LLVMBuildSub(cg->b, bits_of(cg, moved), bits_of(cg, most), ""));
  return mul(cg, mul(cg, add(cg, p, real_like(x, 1.0)), first), second);
}

V cg_exp_wide(ten_cg *cg, V x, V *expm1) {
  static const double table[] = {2.76251020053881069e-6, 2.48761640226259683e-5, 1.9841208756992321e-4,
                                 1.38888216776303631e-3, 8.33333335371715697e-3, 4.16666668909569992e-2,
                                 1.66666666666483029e-1, 4.99999999997979344e-1, 1.0};
  V n;
  V turns = round_magic(cg, mul(cg, x, real_like(x, LOG2E)), &n);
  V r = fused(cg, turns, real_like(x, -LN2), x);
  V scale = power_of_two(cg, n);
  V small = mul(cg, POLYNOMIAL(cg, r, table), r); /* e^r - 1 */
  if (expm1) *expm1 = fused(cg, small, scale, sub(cg, scale, real_like(x, 1.0)));
  return fused(cg, small, scale, scale);
}

static V expm1_f32(ten_cg *cg, V x) {
  V result;
  cg_exp_wide(cg, widen(cg, at_least(cg, at_most(cg, x, 89.0), -40.0)), &result);
  V small =
      LLVMBuildFCmp(cg->b, LLVMRealOLT, absolute(cg, x), real_like(x, 1e-10), ""); /* x itself, with the sign of zero */
  return choose(cg, small, x, narrow(cg, result));
}

/* The logarithm of a positive, finite float: m·2^e with m between √½ and √2, and ln 2 in two parts, of which the first
 * times e is exact. */
static V log_finite(ten_cg *cg, V y) {
  static const double table[] = {6.97161147145117783e-2,  -1.14797338466376356e-1, 1.16854199234867393e-1,
                                 -1.24256873314511061e-1, 1.42490576456974804e-1,  -1.66678023195012541e-1,
                                 2.00007157488921017e-1,  -2.4999996957950882e-1,  3.33333311800300481e-1};
  static const double high = 0.693359375;
  LLVMBuilderRef b = cg->b;
  V tiny = less(cg, y, real_like(y, 0x1p-126)), shift = LLVMConstInt(cg->i32, 23, false);
  V bits = LLVMBuildBitCast(b, choose(cg, tiny, mul(cg, y, real_like(y, 0x1p25)), y), cg->i32, "");
  /* subtract the bits of √½: the remaining exponent is that of y / √½ */
  V exponent = LLVMBuildAShr(b, LLVMBuildSub(b, bits, LLVMConstInt(cg->i32, 0x3f3504f3, false), ""), shift, "");
  V m = LLVMBuildBitCast(b, LLVMBuildSub(b, bits, LLVMBuildShl(b, exponent, shift, ""), ""), cg->f32, "");
  V e = LLVMBuildSIToFP(b, exponent, cg->f32, "");
  e = choose(cg, tiny, sub(cg, e, real_like(y, 25.0)), e);
  V t = sub(cg, m, real_like(y, 1.0)), square = mul(cg, t, t);
  V tail = fused(cg, POLYNOMIAL(cg, t, table), mul(cg, square, t), mul(cg, e, real_like(y, LN2 - high)));
  return fused(cg, e, real_like(y, high), add(cg, t, fused(cg, square, real_like(y, -0.5), tail)));
}

V cg_log_corners(ten_cg *cg, V x, V result) {
  V zero = LLVMConstNull(LLVMTypeOf(x));
  double infinity = __builtin_inf();
  V special = LLVMBuildFCmp(cg->b, LLVMRealOEQ, x, real_like(x, infinity), "");
  result = choose(cg, special, real_like(x, infinity), result);
  result = choose(cg, LLVMBuildFCmp(cg->b, LLVMRealOEQ, x, zero, ""), real_like(x, -infinity), result);
  return choose(cg, LLVMBuildFCmp(cg->b, LLVMRealUGE, x, zero, ""),
                LLVMBuildSelect(cg->b, LLVMBuildFCmp(cg->b, LLVMRealUNO, x, x, ""), x, result, ""),
                real_like(x, __builtin_nan("")));
}

static V log_f32(ten_cg *cg, V x) { return cg_log_corners(cg, x, log_finite(cg, x)); }

static V log1p_f32(ten_cg *cg, V x) {
  V one = real_like(x, 1.0), y = add(cg, x, one), whole = sub(cg, y, one);
  /* the rounding error of the sum, divided by the sum, corrects the logarithm */
  V lost = add(cg, sub(cg, one, sub(cg, y, whole)), sub(cg, x, whole));
  V result = cg_log_corners(cg, y, add(cg, log_finite(cg, y), divide(cg, lost, y)));
  return choose(cg, less(cg, absolute(cg, x), real_like(x, 1e-10)), x, result); /* with the sign of zero */
}

/* h / (h + 1) with h = (e^2x - 1) / 2, which is accurate near zero: h = 2^n·g + (2^n - 1) / 2. */
static V tanh_f32(ten_cg *cg, V x) {
  static const double table[] = {0.012745306253404566, 0.0446120862567218, 0.1333323589698078, 0.33333081154094507,
                                 0.6666666727752996,   1.000000009426645}; /* (e^2r - 1 - 2·r) / (2·r²) */
  V size = at_most(cg, absolute(cg, x), 9.1), half = real_like(x, 0.5);
  V magic = real_like(x, ROUNDER + 127), moved = fused(cg, size, real_like(x, 2 * LOG2E), magic);
  V r = fused(cg, sub(cg, moved, magic), real_like(x, -LN2 / 2), size);
  V square = mul(cg, r, r), g = fused(cg, BY_PAIRS(cg, r, square, table, 1.0), square, r);
  V scale = power_of_bits(cg, bits_of(cg, moved));
  V h = fused(cg, g, scale, fused(cg, scale, half, real_like(x, -0.5)));
  return signed_as(cg, divide(cg, h, add(cg, h, real_like(x, 1.0))), x);
}

/* erf of a double with |x| < 1, and erfc of one that is at least 1, both to 1e-11. */
static V erf_near(ten_cg *cg, V x) {
  static const double table[] = {9.4285969568341643e-9,   -1.51882812473351669e-7, 1.63103565138717414e-6,
                                 -1.49133009063163957e-5, 1.20546819183105988e-4,  -8.54830487178274063e-4,
                                 5.22397715410530472e-3,  -2.68661705864968724e-2, 1.12837916705804224e-1,
                                 -3.76126389031744003e-1, 1.12837916709551219};
  return mul(cg, POLYNOMIAL(cg, mul(cg, x, x), table), x);
}
static V erfc_far(ten_cg *cg, V x) {
  static const double table[] = {1.10610286286893463e-4,  -1.01999100535364999e-4, -7.75673852090457524e-4,
                                 1.88793101353300633e-3,  2.52883101258461256e-3,  -2.37704346455688439e-2,
                                 6.83080618644062299e-2,  -1.19273666899561752e-1, 1.29645157924497633e-1,
                                 -4.75622943093197146e-2, -1.35621106121891224e-1, 1.25300805826970154};
  x = at_most(cg, x, 10.1);
  V three = real_like(x, 3.0);
  V t = divide(cg, sub(cg, x, three), add(cg, x, three));
  V scaled = divide(cg, POLYNOMIAL(cg, t, table), fused(cg, x, real_like(x, 2.0), real_like(x, 1.0)));
  return mul(cg, scaled, cg_exp_wide(cg, LLVMBuildFNeg(cg->b, mul(cg, x, x), ""), NULL));
}

/* 2^x for x between -100 and 0. Rounding leaves n + 127 in the low bits, the exponent of 2^n. */
static V exp2_small(ten_cg *cg, V x) {
  static const double table[] = {0.000153458116023, 0.00133999312158, 0.0096184889586, 0.0555032877698,
                                 0.240226468906,    0.693147205737,   1.00000000055};
  V magic = real_like(x, ROUNDER + 127), moved = add(cg, x, magic);
  V rest = sub(cg, x, sub(cg, moved, magic));
  return mul(cg, POLYNOMIAL(cg, rest, table), power_of_bits(cg, bits_of(cg, moved)));
}

/* x + x·P(x²) up to 0.8, and beyond 1 - 2^(x·Q(x)), whose tail is small compared with the 1. */
static V erf_f32(ten_cg *cg, V x) {
  static const double near_table[] = {-0.000654959738896, 0.00508743997044, -0.0268221085965,
                                      0.112831428347,     -0.376126038207,  0.128379164018};
  static const double far_table[] = {0.000311536164847, -0.00466137820115, 0.0330972715769,
                                     -0.151975675178,   -0.917060909533,   -1.62812755183};
  V size = at_most(cg, absolute(cg, x), 4.0), one = real_like(x, 1.0);
  V near = fused(cg, POLYNOMIAL(cg, mul(cg, x, x), near_table), x, x);
  V far = sub(cg, one, exp2_small(cg, mul(cg, size, POLYNOMIAL(cg, size, far_table))));
  return choose(cg, LLVMBuildFCmp(cg->b, LLVMRealOGE, size, real_like(x, 0.8), ""), signed_as(cg, far, x), near);
}

/* e^(-z²) for z = unit·x, to 1e-7 absolute (it is at most 1). Rounding leaves n + 121 in the low bits, the exponent of
 * 2^(n - 6), and the table is of 64·2^x: values so small that products with them would be subnormal, which takes a
 * hundred times as long, are 0. */
static V erf_slope(ten_cg *cg, V x, double unit, V *size, V *square) {
  static const double end = 9.162, /* 2^-121.1, whose exponent is that of 0 */
      table[] = {64 * 0.0013225722006296652, 64 * 0.009671763197633087, 64 * 0.055508913796326886,
                 64 * 0.24022237031273003,   64 * 0.6931468293070684,   64};
  *size = at_most(cg, absolute(cg, x), end / unit), *square = mul(cg, *size, *size);
  V rate = real_like(x, -LOG2E * unit * unit), magic = real_like(x, ROUNDER + 121);
  V moved = fused(cg, *square, rate, magic);
  V rest = fused(cg, *square, rate, LLVMBuildFNeg(cg->b, sub(cg, moved, magic), ""));
  V fraction = BY_PAIRS(cg, rest, mul(cg, rest, rest), table, 1.0);
  return mul(cg, fraction, power_of_bits(cg, bits_of(cg, moved)));
}

V cg_erf_slope_f32(ten_cg *cg, V x, double unit) {
  V size, square;
  return erf_slope(cg, x, unit, &size, &square);
}

/* erfc(|unit·x|) / 2. e^(z²)·erfc(z) is a quotient of short polynomials for all z ≥ 0: small results stay accurate,
 * and the derivative, which gradients also need, is a by-product. */
static V half_erfc(ten_cg *cg, V x, double unit, V *size) {
  static const double above[] = {0.040801605255479545, 0.2169927682221754, 0.4848779609986456, 0.4999999908638423},
                      below[] = {0.1446789302962307, 0.7682016570161468, 1.801522890799777, 2.0981325022214605, 1.0};
  V square, slope = erf_slope(cg, x, unit, size, &square);
  V quotient = divide(cg, BY_PAIRS(cg, *size, square, above, unit), BY_PAIRS(cg, *size, square, below, unit));
  return mul(cg, slope, quotient);
}

V cg_erf_plus_one_f32(ten_cg *cg, V x, double unit) {
  V size, half = half_erfc(cg, x, unit, &size), tail = add(cg, half, half);
  return choose(cg, less(cg, x, LLVMConstNull(cg->f32)), tail, sub(cg, real_like(x, 2.0), tail));
}

/* x for positive x, minus a part that is even in x; NaN for -infinity, where it is undefined. */
V cg_gelu_f32(ten_cg *cg, V x, double unit) {
  V size, half = half_erfc(cg, x, unit, &size);
  return fused(cg, LLVMBuildFNeg(cg->b, size, ""), half, sub(cg, x, at_most(cg, x, 0.0)));
}

/* Small values of the complement stay accurate: that takes doubles. */
static V erfc_f32(ten_cg *cg, V narrow_x) {
  V x = widen(cg, narrow_x), one = real_like(x, 1.0), size = absolute(cg, x);
  V tail = erfc_far(cg, at_least(cg, size, 1.0));
  V far = choose(cg, less(cg, x, LLVMConstNull(cg->f64)), sub(cg, real_like(x, 2.0), tail), tail);
  return narrow(cg, choose(cg, less(cg, size, one), sub(cg, one, erf_near(cg, x)), far));
}

/* e^x / 2 as e^(x + ln ½), which does not overflow where the result does not; the rounding error of the sum is added
 * back, as for a large x it is several units of the result. */
static V half_exp_f32(ten_cg *cg, V x) {
  static const double shift = -0.693147182464599609375, shift_rest = 1.904654299957768e-09;
  V sum = add(cg, x, real_like(x, shift));
  V was = sub(cg, sum, real_like(x, shift));
  V lost = add(cg, sub(cg, x, was), sub(cg, real_like(x, shift), sub(cg, sum, was)));
  lost = add(cg, lost, real_like(x, shift_rest));
  lost = choose(cg, less(cg, absolute(cg, lost), real_like(x, 1.0)), lost, real_like(x, 0.0)); /* of infinities */
  V e = exp_f32(cg, sum);
  return choose(cg, less(cg, e, real_like(x, INFINITY)), fused(cg, e, lost, e), e);
}

static V hyperbolic_f32(ten_cg *cg, V x, bool cosine) {
  V up = half_exp_f32(cg, x), down = half_exp_f32(cg, LLVMBuildFNeg(cg->b, x, ""));
  if (cosine) return add(cg, up, down);
  V far = sub(cg, up, down);
  V grown = expm1_f32(cg, x); /* (e + e / (e + 1)) / 2 with e = e^x - 1: no cancellation near zero */
  V near = mul(cg, real_like(x, 0.5), add(cg, grown, divide(cg, grown, add(cg, grown, real_like(x, 1.0)))));
  return choose(cg, less(cg, absolute(cg, x), real_like(x, 1.0)), near, far);
}

static V inline_f32(ten_cg *cg, ten_opcode code, V x) {
  switch (code) {
    case TEN_OP_EXPONENTIAL: return exp_f32(cg, x);
    case TEN_OP_EXPONENTIAL_MINUS_ONE: return expm1_f32(cg, x);
    case TEN_OP_LOG: return log_f32(cg, x);
    case TEN_OP_LOG_PLUS_ONE: return log1p_f32(cg, x);
    case TEN_OP_TANH: return tanh_f32(cg, x);
    case TEN_OP_CHLO_ERF: return erf_f32(cg, x);
    case TEN_OP_CHLO_ERFC: return erfc_f32(cg, x);
    case TEN_OP_CHLO_COSH: return hyperbolic_f32(cg, x, true);
    case TEN_OP_CHLO_SINH: return hyperbolic_f32(cg, x, false);
    case TEN_OP_SINE: return cg_sine_f32(cg, x);
    case TEN_OP_COSINE: return cg_cosine_f32(cg, x);
    case TEN_OP_TAN:
    case TEN_OP_CHLO_TAN: return cg_tangent_f32(cg, x);
    case TEN_OP_CHLO_ATAN: return cg_atan2_f32(cg, x, real_like(x, 1.0));
    case TEN_OP_CHLO_ASIN: return cg_asin_f32(cg, x);
    case TEN_OP_CHLO_ACOS: return cg_acos_f32(cg, x);
    case TEN_OP_CBRT: return cg_cbrt_f32(cg, x);
    case TEN_OP_CHLO_ASINH: return cg_asinh_f32(cg, x);
    case TEN_OP_CHLO_ACOSH: return cg_acosh_f32(cg, x);
    case TEN_OP_CHLO_ATANH: return cg_atanh_f32(cg, x);
    default: return NULL;
  }
}

LLVMValueRef cg_float_math(ten_cg *cg, ten_opcode code, LLVMValueRef x) {
  LLVMTypeRef type = LLVMTypeOf(x);
  V one = LLVMConstReal(type, 1.0);
  switch (code) {
    case TEN_OP_SQRT: return cg_intrinsic(cg, "llvm.sqrt", type, &x, 1);
    case TEN_OP_RSQRT: return divide(cg, one, cg_intrinsic(cg, "llvm.sqrt", type, &x, 1));
    case TEN_OP_LOGISTIC: { /* e / (1 + e) for negative x: 1 / (1 + e^-x) would underflow long before the result */
      V e = cg_float_math(cg, TEN_OP_EXPONENTIAL, LLVMBuildFNeg(cg->b, absolute(cg, x), ""));
      return divide(cg, choose(cg, less(cg, x, LLVMConstNull(type)), e, one), add(cg, one, e));
    }
    default: break;
  }
  V result = type == cg->f32 ? inline_f32(cg, code, x) : NULL;
  if (result) return result;
  const function_name *name = &called[code];
  if (!name->wide) return NULL;
  return cg_call(cg, type == cg->f64 ? name->wide : name->narrow, type, &x, 1);
}
