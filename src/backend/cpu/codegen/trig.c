/* trig.c: sine, cosine, tangent and their inverses of f32.
 *
 * An angle x = m·2^e (m an integer of 24 bits) is m·T(e) quarter turns, modulo 4, with T(e) = 2^e·2/π modulo 4: a table
 * has T·2^-e, to be multiplied with x itself, in two parts, the first short enough that the product is exact. So every
 * f32, however large, is reduced to some 2^-55 of a quarter turn; the closest that an f32 comes to a multiple of one is
 * 2^-29. That is done in f64; the remainder goes through polynomials in f32. */
#include "backend/cpu/codegen/vecmath.h"

enum { EXPONENTS = 256, BIAS = 150 }; /* of f32, when m is an integer */

/* `count` bits of 2/π, starting with the one of weight 2^top. */
static uint64_t two_over_pi(int top, int count) {
  static const uint32_t words[] = {0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0,
                                   0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561};
  uint64_t bits = 0;
  for (int i = 0; i < count; i++) {
    const int place = -1 - (top - i); /* after the point */
    const bool known = place >= 0 && place < (int)(sizeof words / sizeof *words) * 32;
    bits = bits << 1 | (known ? words[place / 32] >> (31 - place % 32) & 1 : 0);
  }
  return bits;
}

/* [EXPONENTS][2]: T·2^-e of every exponent field, high and low part. */
static V table_of_turns(ten_cg *cg) {
  V table = LLVMGetNamedGlobal(cg->module, "ten_turns");
  if (table) return table;
  enum { HIGH_BITS = 29, LOW_BITS = 52 };
  V parts[EXPONENTS * 2];
  for (int field = 0; field < EXPONENTS; field++) {
    const int e = field - BIAS;
    const double high = __builtin_ldexp((double)two_over_pi(1 - e, HIGH_BITS), 2 - HIGH_BITS - e);
    const double low = __builtin_ldexp((double)two_over_pi(1 - e - HIGH_BITS, LOW_BITS), 2 - HIGH_BITS - LOW_BITS - e);
    parts[2 * field] = LLVMConstReal(cg->f64, high);
    parts[2 * field + 1] = LLVMConstReal(cg->f64, low);
  }
  LLVMTypeRef type = LLVMArrayType2(cg->f64, EXPONENTS * 2);
  table = LLVMAddGlobal(cg->module, type, "ten_turns");
  LLVMSetInitializer(table, LLVMConstArray2(cg->f64, parts, EXPONENTS * 2));
  LLVMSetGlobalConstant(table, true);
  LLVMSetLinkage(table, LLVMInternalLinkage);
  return table;
}

static V entry_of(ten_cg *cg, V table, V at) {
  return LLVMBuildLoad2(cg->b, cg->f64, LLVMBuildInBoundsGEP2(cg->b, cg->f64, table, &at, 1, ""), "");
}

typedef struct angle {
  V rest;     /* f64: the remainder, at most an eighth of a turn; NaN for infinities and NaN */
  V quarters; /* i32: how many were subtracted, modulo 4 in its low bits */
  V is_small; /* x is less than that: it is itself the remainder, with the sign of zero */
} angle;

static angle angle_of(ten_cg *cg, V x) {
  static const double half_pi = 1.57079632679489661923;
  LLVMBuilderRef b = cg->b;
  V bits = LLVMBuildBitCast(b, x, cg->i32, "");
  V field = LLVMBuildAnd(b, LLVMBuildLShr(b, bits, LLVMConstInt(cg->i32, 23, false), ""),
                         LLVMConstInt(cg->i32, 255, false), "");
  V at = LLVMBuildShl(b, LLVMBuildZExt(b, field, cg->i64, ""), cg_const(cg, 1), "");
  V table = table_of_turns(cg), wide = widen(cg, x);
  V high = entry_of(cg, table, at), low = entry_of(cg, table, LLVMBuildAdd(b, at, cg_const(cg, 1), ""));
  V turns = mul(cg, wide, high), n;
  V rest = fused(cg, wide, low, sub(cg, turns, round_magic(cg, turns, &n)));
  angle a = {.is_small = less(cg, absolute(cg, x), real_like(x, 0.78))};
  a.rest = mul(cg, rest, real_like(rest, half_pi));
  a.quarters = choose(cg, a.is_small, LLVMConstNull(cg->i32), LLVMBuildTrunc(b, n, cg->i32, ""));
  return a;
}

static V is_odd(ten_cg *cg, V value) {
  V bit = LLVMBuildAnd(cg->b, value, LLVMConstInt(cg->i32, 1, false), "");
  return LLVMBuildICmp(cg->b, LLVMIntNE, bit, LLVMConstNull(cg->i32), "");
}

/* The sine shifted by `more` quarter turns; two of them flip the sign. */
static V sine_of(ten_cg *cg, V x, unsigned more) {
  static const double sines[] = {2.72437814095e-6, -0.000198400388726, 0.00833333178522, -0.166666666636};
  static const double cosines[] = {2.45428711109e-5, -0.00138882793306, 0.0416666645363, -0.5};
  LLVMBuilderRef b = cg->b;
  const angle a = angle_of(cg, x);
  V r = choose(cg, a.is_small, x, narrow(cg, a.rest)), square = mul(cg, r, r);
  V sine = fused(cg, mul(cg, POLYNOMIAL(cg, square, sines), square), r, r);
  V cosine = fused(cg, POLYNOMIAL(cg, square, cosines), square, real_like(r, 1.0));
  V quarters = more ? LLVMBuildAdd(b, a.quarters, LLVMConstInt(cg->i32, more, false), "") : a.quarters;
  V bits = LLVMBuildBitCast(b, choose(cg, is_odd(cg, quarters), cosine, sine), cg->i32, "");
  V half = LLVMBuildAnd(b, quarters, LLVMConstInt(cg->i32, 2, false), "");
  V sign = LLVMBuildShl(b, half, LLVMConstInt(cg->i32, 30, false), "");
  return LLVMBuildBitCast(b, LLVMBuildXor(b, bits, sign, ""), cg->f32, "");
}

V cg_sine_f32(ten_cg *cg, V x) { return sine_of(cg, x, 0); }
V cg_cosine_f32(ten_cg *cg, V x) { return sine_of(cg, x, 1); }

/* In f64: the errors of numerator and denominator add up. */
V cg_tangent_f32(ten_cg *cg, V x) {
  /* by Taylor: within 1e-11 up to π/4 */
  static const double sines[] = {-1.0 / 39916800, 1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6};
  static const double cosines[] = {1.0 / 479001600, -1.0 / 3628800, 1.0 / 40320, -1.0 / 720, 1.0 / 24, -0.5};
  const angle a = angle_of(cg, x);
  V r = choose(cg, a.is_small, widen(cg, x), a.rest), square = mul(cg, r, r);
  V sine = fused(cg, mul(cg, POLYNOMIAL(cg, square, sines), square), r, r);
  V cosine = fused(cg, POLYNOMIAL(cg, square, cosines), square, real_like(r, 1.0));
  V turned = is_odd(cg, a.quarters);
  V top = choose(cg, turned, LLVMBuildFNeg(cg->b, cosine, ""), sine);
  return narrow(cg, divide(cg, top, choose(cg, turned, sine, cosine)));
}

/* The angle of (x, y), doubles: atan of the smaller over the larger, reduced below tan π/8. */
static V angle_wide(ten_cg *cg, V y, V x) {
  static const double table[] = {0.0306605533625310662,  -0.0587438391569797526, 0.0756367179360588897,
                                 -0.0907838777792073122, 0.111103847260942092,   -0.142856904109692632,
                                 0.199999996046397045,   -0.333333333308015787,  0.999999999999973209};
  static const double pi = 3.14159265358979323846;
  V one = real_like(x, 1.0), size_x = absolute(cg, x), size_y = absolute(cg, y);
  V steep = less(cg, size_x, size_y);
  V large = choose(cg, steep, size_y, size_x), small = choose(cg, steep, size_x, size_y);
  V t = divide(cg, small, large);
  t = choose(cg, equal(cg, small, large), one, t); /* ∞/∞; 0/0 is next */
  t = choose(cg, equal(cg, large, LLVMConstNull(cg->f64)), LLVMConstNull(cg->f64), t);
  V beyond = LLVMBuildFCmp(cg->b, LLVMRealOGT, t, real_like(x, 0.41421356237309503), "");
  V u = choose(cg, beyond, divide(cg, sub(cg, t, one), add(cg, t, one)), t);
  V r = mul(cg, POLYNOMIAL(cg, mul(cg, u, u), table), u);
  r = choose(cg, beyond, add(cg, r, real_like(x, pi / 4)), r);
  r = choose(cg, steep, sub(cg, real_like(x, pi / 2), r), r);
  V left = LLVMBuildICmp(cg->b, LLVMIntSLT, LLVMBuildBitCast(cg->b, x, cg->i64, ""), cg_const(cg, 0), "");
  r = signed_as(cg, choose(cg, left, sub(cg, real_like(x, pi), r), r), y);
  return choose(cg, LLVMBuildFCmp(cg->b, LLVMRealUNO, x, y, ""), add(cg, x, y), r);
}

V cg_atan2_f32(ten_cg *cg, V y, V x) { return narrow(cg, angle_wide(cg, widen(cg, y), widen(cg, x))); }

/* √(1 - x²), NaN beyond 1. */
static V other_side(ten_cg *cg, V x) {
  V one = real_like(x, 1.0), square = mul(cg, sub(cg, one, x), add(cg, one, x));
  return cg_intrinsic(cg, "llvm.sqrt", cg->f64, &square, 1);
}

V cg_asin_f32(ten_cg *cg, V x) {
  V wide = widen(cg, x);
  return narrow(cg, angle_wide(cg, wide, other_side(cg, wide)));
}

V cg_acos_f32(ten_cg *cg, V x) {
  V wide = widen(cg, x);
  return narrow(cg, angle_wide(cg, other_side(cg, wide), wide));
}
