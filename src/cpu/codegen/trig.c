/* trig.c: sine, cosine, tangent and their inverses of f32, computed in f64.
 *
 * An angle x = m·2^e (m an integer of 24 bits) is m·T(e) quarter turns, modulo 4, with T(e) = 2^e·2/π modulo 4: a table
 * has T in two parts, the first short enough that its product with m is exact. So every f32 is reduced alike, large
 * ones too, to some 2^-55 of a quarter turn; the closest that an f32 comes to a multiple of one is 2^-29. */
#include "cpu/codegen/vecmath.h"

enum { EXPONENTS = 256, BIAS = 150 }; /* of f32, when m is an integer */

/* `count` bits of 2/π, from the one that is worth 2^top down. */
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

/* [EXPONENTS][2]: T of every exponent field, high and low part. */
static V table_of_turns(ten_cg *cg) {
  V table = LLVMGetNamedGlobal(cg->module, "ten_turns");
  if (table) return table;
  enum { HIGH_BITS = 29, LOW_BITS = 52 };
  V parts[EXPONENTS * 2];
  for (int field = 0; field < EXPONENTS; field++) {
    const int e = field - BIAS;
    const double high = __builtin_ldexp((double)two_over_pi(1 - e, HIGH_BITS), 2 - HIGH_BITS);
    const double low = __builtin_ldexp((double)two_over_pi(1 - e - HIGH_BITS, LOW_BITS), 2 - HIGH_BITS - LOW_BITS);
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
  V sine, cosine; /* of what is left, at most an eighth of a turn, as f64 */
  V quarters;     /* i64: how many were taken away, modulo 4 in its low bits */
} angle;

static angle angle_of(ten_cg *cg, V x) {
  /* by Taylor: within 1e-11 up to π/4 */
  static const double sines[] = {-1.0 / 39916800, 1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6};
  static const double cosines[] = {1.0 / 479001600, -1.0 / 3628800, 1.0 / 40320, -1.0 / 720, 1.0 / 24, -0.5};
  static const double half_pi = 1.57079632679489661923;
  LLVMBuilderRef b = cg->b;
  V bits = LLVMBuildBitCast(b, x, cg->i32, "");
  V field = LLVMBuildAnd(b, LLVMBuildLShr(b, bits, LLVMConstInt(cg->i32, 23, false), ""),
                         LLVMConstInt(cg->i32, 255, false), "");
  V at = LLVMBuildShl(b, LLVMBuildZExt(b, field, cg->i64, ""), cg_const(cg, 1), "");
  V table = table_of_turns(cg);
  V high = entry_of(cg, table, at), low = entry_of(cg, table, LLVMBuildAdd(b, at, cg_const(cg, 1), ""));
  /* m with its sign, as a double: x·2^-e, exactly */
  V significand = LLVMBuildOr(b, LLVMBuildAnd(b, bits, LLVMConstInt(cg->i32, 0x7fffff, false), ""),
                              LLVMConstInt(cg->i32, 0x800000, false), "");
  V m = signed_as(cg, LLVMBuildSIToFP(b, significand, cg->f64, ""), widen(cg, x));
  V turns = mul(cg, m, high), n;
  V rest = add(cg, sub(cg, turns, round_magic(cg, turns, &n)), mul(cg, m, low));
  V r = mul(cg, rest, real_like(rest, half_pi));
  V is_small = less(cg, absolute(cg, x), real_like(x, 0.78)); /* itself: relative accuracy, and the sign of zero */
  angle a;
  a.quarters = choose(cg, is_small, cg_const(cg, 0), n);
  r = choose(cg, is_small, widen(cg, x), r);
  V square = mul(cg, r, r);
  a.sine = fused(cg, mul(cg, POLYNOMIAL(cg, square, sines), square), r, r);
  a.cosine = fused(cg, POLYNOMIAL(cg, square, cosines), square, real_like(r, 1.0));
  return a;
}

static V has_bit(ten_cg *cg, V value, int64_t bit) {
  return LLVMBuildICmp(cg->b, LLVMIntNE, LLVMBuildAnd(cg->b, value, cg_const(cg, bit), ""), cg_const(cg, 0), "");
}

/* Infinity has no angle. */
static V or_nan(ten_cg *cg, V x, V result) {
  V bad = LLVMBuildFCmp(cg->b, LLVMRealUNO, sub(cg, x, x), sub(cg, x, x), "");
  return choose(cg, bad, real_like(x, __builtin_nan("")), narrow(cg, result));
}

static V sine_of(ten_cg *cg, V x, const angle *a, V quarters) {
  V result = choose(cg, has_bit(cg, quarters, 1), a->cosine, a->sine);
  return or_nan(cg, x, choose(cg, has_bit(cg, quarters, 2), LLVMBuildFNeg(cg->b, result, ""), result));
}

V cg_sine_f32(ten_cg *cg, V x) {
  const angle a = angle_of(cg, x);
  return sine_of(cg, x, &a, a.quarters);
}

V cg_cosine_f32(ten_cg *cg, V x) {
  const angle a = angle_of(cg, x);
  return sine_of(cg, x, &a, LLVMBuildAdd(cg->b, a.quarters, cg_const(cg, 1), ""));
}

V cg_tangent_f32(ten_cg *cg, V x) {
  const angle a = angle_of(cg, x);
  V turned = has_bit(cg, a.quarters, 1);
  V top = choose(cg, turned, LLVMBuildFNeg(cg->b, a.cosine, ""), a.sine);
  return or_nan(cg, x, divide(cg, top, choose(cg, turned, a.sine, a.cosine)));
}

/* The angle of (x, y), doubles: atan of the smaller by the larger, brought below tan π/8. */
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
