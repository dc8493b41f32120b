/* trig.c: sine, cosine, tangent and their inverses of f32.
 *
 * An angle x is y·2^e, with e a multiple of 24 that only sizes from 2^48 on have, and from then on y an integer: so it
 * is y·T(e) quarter turns, modulo 4, with T(e) = 2^e·2/π modulo 4. T is in three parts, of which the first two are
 * short enough that their products with y are exact. So every f32, however large, is reduced to some 2^-60 of a quarter
 * turn; the closest that an f32 comes to a multiple of one is 2^-29. That is done in f64; the remainder goes through
 * polynomials in f32. The few T there are are chosen by comparisons, as loads from a table take many times as long in
 * vectors. */
#include "backend/cpu/codegen/vecmath.h"

enum { SCALES = 5, STEP = 24 }; /* e is 0, 24, … 96 */

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

/* Of the constants of each e, those of a size. */
static V of_scale(ten_cg *cg, V size, const double constants[SCALES]) {
  V chosen = real_like(size, constants[0]);
  for (int i = 1; i < SCALES; i++) {
    V below = less(cg, size, real_like(size, __builtin_ldexp(1, STEP * (i + 1))));
    chosen = choose(cg, below, chosen, real_like(size, constants[i]));
  }
  return chosen;
}

typedef struct angle {
  V rest;     /* f64: the remainder, at most an eighth of a turn; NaN for infinities and NaN */
  V quarters; /* i32: how many were subtracted, modulo 4 in its low bits */
  V is_small; /* x is less than that: it is itself the remainder, with the sign of zero */
} angle;

/* The same as a number. */
static double part_of_turns(int top, int count) {
  return __builtin_ldexp((double)two_over_pi(top, count), top - count + 1);
}

/* What is left of x, and `quarters` more by what was subtracted. */
static V reduced(ten_cg *cg, V x, V *quarters) {
  V n, rest = sub(cg, x, round_magic(cg, x, &n));
  *quarters = LLVMBuildAdd(cg->b, *quarters, n, "");
  return rest;
}

static angle angle_of(ten_cg *cg, V x) {
  enum { SHORT_BITS = 29, LOW_BITS = 52 };
  static const double half_pi = 1.57079632679489661923;
  double high[SCALES], middle[SCALES], low[SCALES]; /* times 2^-e, so that they are multiplied with x itself */
  for (int i = 0; i < SCALES; i++) {
    const int top = 1 - STEP * i; /* of a weight of 4·2^-e and more are whole turns */
    high[i] = part_of_turns(top, SHORT_BITS);
    middle[i] = part_of_turns(top - SHORT_BITS, SHORT_BITS);
    low[i] = part_of_turns(top - 2 * SHORT_BITS, LOW_BITS);
  }
  V wide = widen(cg, x), size = absolute(cg, wide), n = LLVMConstNull(cg->i64);
  V first = reduced(cg, mul(cg, wide, of_scale(cg, size, high)), &n);
  V second = reduced(cg, mul(cg, wide, of_scale(cg, size, middle)), &n);
  V rest = reduced(cg, fused(cg, wide, of_scale(cg, size, low), add(cg, first, second)), &n);
  angle a = {.is_small = less(cg, absolute(cg, x), real_like(x, 0.78))};
  a.rest = mul(cg, rest, real_like(rest, half_pi));
  a.quarters = choose(cg, a.is_small, LLVMConstNull(cg->i32), LLVMBuildTrunc(cg->b, n, cg->i32, ""));
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
