/* pointwise.c: arithmetic, comparison, logic and selection, element by element. */
#include "front/aten/lower.h"

#define CODE(l) ((ten_opcode)(l)->row->code)

/* ---- one operand ---- */
/* Integers become floats first. */
static void un_float(at *l) {
  ten_value *x = at_t(l, "self");
  at_ret(l, 0, at_un(l, CODE(l), at_cast(l, x, at_float_type(at_type(x)))));
}

/* Integers are left as they are. */
static void un_round(at *l) {
  ten_value *x = at_t(l, "self");
  at_ret(l, 0, at_is_float(x) ? at_un(l, CODE(l), x) : x);
}

static void un_same(at *l) {
  ten_value *x = at_t(l, "self");
  if (at_type(x) == TEN_I1) x = at_cast(l, x, TEN_I1);
  at_ret(l, 0, at_un(l, CODE(l), x));
}

static ten_value *abs_of(at *l, ten_value *x) {
  if (at_type(x) == TEN_I1 || ten_dtype_class(at_type(x)) == TEN_CLASS_UINT) return x;
  if (!at_is_complex(x)) return at_un(l, TEN_OP_ABS, x);
  const ten_type *type = ten_type_with_dtype(l->b.module, x->type, ten_dtype_part(at_type(x)));
  return ten_op_result(ten_build_op(&l->b, TEN_OP_ABS, 1, &x, 1, &type, 0, NULL, 0), 0);
}

static void lower_abs(at *l) { at_ret(l, 0, abs_of(l, at_t(l, "self"))); }

static void lower_sign(at *l) {
  ten_value *x = at_t(l, "self");
  if (at_type(x) == TEN_I1) {
    at_ret(l, 0, x);
    return;
  }
  if (ten_dtype_class(at_type(x)) == TEN_CLASS_UINT) {
    at_ret(l, 0, at_cast(l, at_cast(l, x, TEN_I1), at_type(x)));
    return;
  }
  ten_value *sign = at_un(l, TEN_OP_SIGN, x);
  if (at_is_float(x)) sign = at_sel(l, at_isnan(l, x), at_num(l, x, 0), sign); /* the sign of NaN is 0 */
  at_ret(l, 0, sign);
}

static void lower_trunc(at *l) {
  ten_value *x = at_t(l, "self");
  if (!at_is_float(x)) {
    at_ret(l, 0, x);
    return;
  }
  at_ret(l, 0, at_sel(l, at_cmp(l, TEN_LT, x, at_num(l, x, 0)), at_un(l, TEN_OP_CEIL, x), at_un(l, TEN_OP_FLOOR, x)));
}

static void lower_frac(at *l) {
  ten_value *x = at_t(l, "self");
  ten_value *whole =
      at_sel(l, at_cmp(l, TEN_LT, x, at_num(l, x, 0)), at_un(l, TEN_OP_CEIL, x), at_un(l, TEN_OP_FLOOR, x));
  at_ret(l, 0, at_sub(l, x, whole));
}

static void lower_round(at *l) {
  ten_value *x = at_t(l, "self");
  const int64_t decimals = at_int(l, "decimals", 0);
  if (!at_is_float(x)) {
    at_ret(l, 0, x);
    return;
  }
  const double scale = pow(10, (double)llabs(decimals));
  if (decimals > 0) x = at_muln(l, x, scale);
  if (decimals < 0) x = at_div(l, x, at_num(l, x, scale));
  x = at_un(l, TEN_OP_ROUND_NEAREST_EVEN, x);
  if (decimals > 0) x = at_div(l, x, at_num(l, x, scale));
  if (decimals < 0) x = at_muln(l, x, scale);
  at_ret(l, 0, x);
}

static void lower_reciprocal(at *l) {
  ten_value *x = at_t(l, "self");
  x = at_cast(l, x, at_float_type(at_type(x)));
  at_ret(l, 0, at_div(l, at_num(l, x, 1), x));
}

static void lower_square(at *l) {
  ten_value *x = at_t(l, "self");
  if (at_type(x) == TEN_I1) x = at_cast(l, x, TEN_I64);
  at_ret(l, 0, at_mul(l, x, x));
}

/* log by code: 2, 10; exp2 with code 1. */
static void lower_log_base(at *l) {
  ten_value *x = at_t(l, "self");
  x = at_cast(l, x, at_float_type(at_type(x)));
  const ten_dtype dtype = at_type(x), wide = at_is_complex(x) ? dtype : TEN_F64;
  if (l->row->code == 1) {
    at_ret(l, 0, at_bin(l, TEN_OP_POWER, at_num(l, x, 2), x));
    return;
  }
  /* In double precision, so that log10(1000) is 3. */
  ten_value *y = at_div(l, at_log(l, at_cast(l, x, wide)), at_const(l, wide, log((double)l->row->code)));
  at_ret(l, 0, at_cast(l, y, dtype));
}

static void lower_bitwise_not(at *l) { at_ret(l, 0, at_not(l, at_t(l, "self"))); }
static void lower_logical_not(at *l) { at_ret(l, 0, at_not(l, at_cast(l, at_t(l, "self"), TEN_I1))); }

/* code: 0 nan, 1 inf, 2 +inf, 3 -inf, 4 finite, 5 real, 6 signbit */
static void lower_is(at *l) {
  ten_value *x = at_t(l, "self");
  const int code = l->row->code;
  ten_value *no = at_full(l, TEN_I1, at_rank(x), at_dims(x), 0);
  if (at_is_complex(x)) {
    ten_value *re = ten_build_part(&l->b, TEN_OP_REAL, x), *im = ten_build_part(&l->b, TEN_OP_IMAG, x);
    ten_value *finite = at_and(l, at_isfinite(l, re), at_isfinite(l, im));
    if (code == 0)
      at_ret(l, 0, at_isnan(l, x));
    else if (code == 4)
      at_ret(l, 0, finite);
    else if (code == 5)
      at_ret(l, 0, at_cmp(l, TEN_EQ, im, at_num(l, im, 0)));
    else if (code == 1) {
      ten_value *inf = at_num(l, re, INFINITY);
      at_ret(
          l, 0,
          at_or(l, at_cmp(l, TEN_EQ, at_un(l, TEN_OP_ABS, re), inf), at_cmp(l, TEN_EQ, at_un(l, TEN_OP_ABS, im), inf)));
    } else
      at_fail(l, TEN_UNSUPPORTED, "of complex numbers");
    return;
  }
  if (!at_is_float(x)) {
    if (code == 6 && ten_dtype_class(at_type(x)) == TEN_CLASS_SINT)
      at_ret(l, 0, at_cmp(l, TEN_LT, x, at_num(l, x, 0)));
    else
      at_ret(l, 0, code == 4 || code == 5 ? at_not(l, no) : no);
    return;
  }
  ten_value *inf = at_num(l, x, INFINITY);
  switch (code) {
    case 0: at_ret(l, 0, at_isnan(l, x)); break;
    case 1: at_ret(l, 0, at_cmp(l, TEN_EQ, at_un(l, TEN_OP_ABS, x), inf)); break;
    case 2: at_ret(l, 0, at_cmp(l, TEN_EQ, x, inf)); break;
    case 3: at_ret(l, 0, at_cmp(l, TEN_EQ, x, at_num(l, x, -INFINITY))); break;
    case 4: at_ret(l, 0, at_isfinite(l, x)); break;
    case 5: at_ret(l, 0, at_not(l, no)); break;
    default: {
      const unsigned bits = ten_dtype_bits(at_type(x));
      const ten_dtype as = bits == 64 ? TEN_I64 : bits == 32 ? TEN_I32 : TEN_I16;
      const ten_type *type = ten_type_with_dtype(l->b.module, x->type, as);
      ten_value *raw = ten_op_result(ten_build_op(&l->b, TEN_OP_BITCAST_CONVERT, 1, &x, 1, &type, 0, NULL, 0), 0);
      at_ret(l, 0, at_cmp(l, TEN_LT, raw, at_num(l, raw, 0)));
    }
  }
}

static void lower_nan_to_num(at *l) {
  ten_value *x = at_t(l, "self");
  if (!at_is_float(x)) {
    at_ret(l, 0, x);
    return;
  }
  ten_value *high = at_has(l, "posinf") ? at_num(l, x, at_float(l, "posinf", 0)) : at_highest(l, at_type(x));
  ten_value *low = at_has(l, "neginf") ? at_num(l, x, at_float(l, "neginf", 0)) : at_neg(l, at_highest(l, at_type(x)));
  ten_value *y = at_sel(l, at_isnan(l, x), at_num(l, x, at_float(l, "nan", 0)), x);
  y = at_sel(l, at_cmp(l, TEN_EQ, x, at_num(l, x, INFINITY)), high, y);
  at_ret(l, 0, at_sel(l, at_cmp(l, TEN_EQ, x, at_num(l, x, -INFINITY)), low, y));
}

static void lower_angle(at *l) {
  ten_value *x = at_t(l, "self");
  x = at_cast(l, x, at_float_type(at_type(x)));
  if (at_is_complex(x)) {
    at_ret(l, 0, at_bin(l, TEN_OP_ATAN2, ten_build_part(&l->b, TEN_OP_IMAG, x), ten_build_part(&l->b, TEN_OP_REAL, x)));
    return;
  }
  ten_value *y =
      at_sel(l, at_cmp(l, TEN_LT, x, at_num(l, x, 0)), at_num(l, x, 3.14159265358979323846), at_num(l, x, 0));
  at_ret(l, 0, at_sel(l, at_isnan(l, x), x, at_expand_like(l, y, x)));
}

/* ---- two operands ---- */
/* self + alpha·other; code: +1 add, -1 sub, 2 rsub */
static void lower_add(at *l) {
  ten_value *a, *b;
  at_pair(l, "self", "other", false, &a, &b);
  const at_ref alpha = at_arg(l, "alpha");
  ten_value **scaled = l->row->code == 2 ? &a : &b;
  if (alpha.kind != AT_NONE && (alpha.value || alpha.kind == AT_FLOAT ? alpha.value || alpha.f != 1 : alpha.i != 1))
    *scaled = at_type(a) == TEN_I1 ? at_and(l, *scaled, at_ref_value(l, alpha, TEN_I1))
                                   : at_mul(l, *scaled, at_ref_value(l, alpha, at_type(a)));
  if (at_type(a) == TEN_I1) {
    at_ret(l, 0, at_or(l, a, b));
    return;
  }
  at_ret(l, 0, l->row->code == 1 ? at_add(l, a, b) : l->row->code == 2 ? at_sub(l, b, a) : at_sub(l, a, b));
}

static void lower_mul(at *l) {
  ten_value *a, *b;
  at_pair(l, "self", "other", false, &a, &b);
  at_ret(l, 0, at_type(a) == TEN_I1 ? at_and(l, a, b) : at_mul(l, a, b));
}

/* Rounds towards -inf; integers by the remainder's sign. */
static ten_value *floor_div(at *l, ten_value *a, ten_value *b) {
  if (at_is_float(a)) {
    /* As Python does it: from the remainder, so that floor_divide(1, 0.1) is 9. */
    ten_value *mod = at_bin(l, TEN_OP_REMAINDER, a, b), *zero = at_num(l, a, 0);
    ten_value *div = at_div(l, at_sub(l, a, mod), b);
    ten_value *adjust = at_and(l, at_cmp(l, TEN_NE, mod, zero),
                               at_cmp(l, TEN_NE, at_cmp(l, TEN_LT, b, zero), at_cmp(l, TEN_LT, mod, zero)));
    div = at_sel(l, adjust, at_addn(l, div, -1), div);
    ten_value *down = at_un(l, TEN_OP_FLOOR, div);
    ten_value *near = at_sel(l, at_cmp(l, TEN_GT, at_sub(l, div, down), at_num(l, a, 0.5)), at_addn(l, down, 1), down);
    near = at_sel(l, at_cmp(l, TEN_NE, div, zero), near, at_mul(l, zero, at_div(l, a, b)));
    return at_sel(l, at_cmp(l, TEN_EQ, b, zero), at_div(l, a, b), near);
  }
  ten_value *q = at_div(l, a, b), *r = at_sub(l, a, at_mul(l, q, b)), *zero = at_num(l, a, 0);
  if (ten_dtype_class(at_type(a)) == TEN_CLASS_UINT) return q;
  ten_value *adjust =
      at_and(l, at_cmp(l, TEN_NE, r, zero), at_cmp(l, TEN_NE, at_cmp(l, TEN_LT, r, zero), at_cmp(l, TEN_LT, b, zero)));
  return at_sel(l, adjust, at_sub(l, q, at_num(l, q, 1)), q);
}

static ten_value *trunc_of(at *l, ten_value *x) {
  if (!at_is_float(x)) return x;
  return at_sel(l, at_cmp(l, TEN_LT, x, at_num(l, x, 0)), at_un(l, TEN_OP_CEIL, x), at_un(l, TEN_OP_FLOOR, x));
}

static void lower_div(at *l) {
  ten_value *a, *b;
  const ten_str mode = at_string(l, "rounding_mode");
  at_pair(l, "self", "other", !mode.size, &a, &b);
  if (at_type(a) == TEN_I1) a = at_cast(l, a, TEN_I64), b = at_cast(l, b, TEN_I64);
  at_assert_divisor(l, b);
  if (!mode.size)
    at_ret(l, 0, at_div(l, a, b));
  else if (ten_str_is(mode, "floor"))
    at_ret(l, 0, floor_div(l, a, b));
  else
    at_ret(l, 0, trunc_of(l, at_div(l, a, b)));
}

static void lower_floor_divide(at *l) {
  ten_value *a, *b;
  at_pair(l, "self", "other", false, &a, &b);
  at_assert_divisor(l, b);
  at_ret(l, 0, floor_div(l, a, b));
}

static void lower_fmod(at *l) {
  ten_value *a, *b;
  at_pair(l, "self", "other", false, &a, &b);
  at_assert_divisor(l, b);
  at_ret(l, 0, at_bin(l, TEN_OP_REMAINDER, a, b));
}

static void lower_remainder(at *l) {
  ten_value *a, *b;
  at_pair(l, "self", "other", false, &a, &b);
  at_assert_divisor(l, b);
  ten_value *r = at_bin(l, TEN_OP_REMAINDER, a, b), *zero = at_num(l, a, 0);
  if (ten_dtype_class(at_type(a)) != TEN_CLASS_UINT) {
    ten_value *adjust = at_and(l, at_cmp(l, TEN_NE, r, zero),
                               at_cmp(l, TEN_NE, at_cmp(l, TEN_LT, r, zero), at_cmp(l, TEN_LT, b, zero)));
    r = at_sel(l, adjust, at_add(l, r, b), r);
  }
  at_ret(l, 0, r);
}

/* By repeated squaring: exact, and cheap for the small exponents that programs have. */
static ten_value *int_power(at *l, ten_value *x, uint64_t n) {
  ten_value *result = NULL, *square = x;
  for (; n; n >>= 1) {
    if (n & 1) result = result ? at_mul(l, result, square) : square;
    if (n > 1) square = at_mul(l, square, square);
  }
  return result;
}

static void lower_pow(at *l) {
  ten_value *a, *b;
  at_pair(l, "self", "exponent", false, &a, &b);
  const at_ref exponent = at_arg(l, "exponent");
  if (exponent.kind != AT_TENSOR && !exponent.value && !at_is_complex(a)) {
    const double n = exponent.kind == AT_FLOAT ? exponent.f : (double)exponent.i;
    if (at_type(a) == TEN_I1) {
      at_ret(l, 0, n == 0 ? at_full(l, TEN_I1, at_rank(a), at_dims(a), 1) : a);
      return;
    }
    if (n == 0) {
      at_ret(l, 0, at_expand_like(l, at_num(l, a, 1), a));
      return;
    }
    if (n == floor(n) && n >= 1 && n <= 64) {
      at_ret(l, 0, int_power(l, a, (uint64_t)n));
      return;
    }
    if (at_is_float(a) && n == 0.5) {
      at_ret(l, 0, at_sqrt(l, a));
      return;
    }
    if (at_is_float(a) && n == -0.5) {
      at_ret(l, 0, at_rsqrt(l, a));
      return;
    }
    if (at_is_float(a) && n == floor(n) && n < 0 && n >= -4) {
      at_ret(l, 0, at_div(l, at_num(l, a, 1), int_power(l, a, (uint64_t)-n)));
      return;
    }
  }
  if (at_type(a) == TEN_I1) {
    at_ret(l, 0, at_or(l, a, at_not(l, b)));
    return;
  }
  at_ret(l, 0, at_bin(l, TEN_OP_POWER, a, b));
}

static void lower_float_power(at *l) {
  ten_value *a, *b;
  at_pair(l, "self", "exponent", true, &a, &b);
  const ten_dtype wide = at_is_complex(a) ? TEN_C128 : TEN_F64;
  at_ret(
      l, 0,
      at_bin(l, TEN_OP_POWER, at_ref_value(l, at_arg(l, "self"), wide), at_ref_value(l, at_arg(l, "exponent"), wide)));
}

static void bin_float(at *l) {
  ten_value *a, *b;
  at_pair(l, "self", "other", true, &a, &b);
  at_ret(l, 0, at_bin(l, CODE(l), a, b));
}

/* maximum, minimum: NaN wins. */
static void lower_extreme(at *l) {
  ten_value *a, *b;
  at_pair(l, "self", "other", false, &a, &b);
  if (at_type(a) == TEN_I1)
    at_ret(l, 0, CODE(l) == TEN_OP_MAXIMUM ? at_or(l, a, b) : at_and(l, a, b));
  else
    at_ret(l, 0, at_bin(l, CODE(l), a, b));
}

/* fmax, fmin: NaN loses. */
static void lower_fextreme(at *l) {
  ten_value *a, *b;
  at_pair(l, "self", "other", false, &a, &b);
  if (at_type(a) == TEN_I1) {
    at_ret(l, 0, CODE(l) == TEN_OP_MAXIMUM ? at_or(l, a, b) : at_and(l, a, b));
    return;
  }
  ten_value *y = at_bin(l, CODE(l), a, b);
  if (at_is_float(a)) y = at_sel(l, at_isnan(l, a), b, at_sel(l, at_isnan(l, b), a, y));
  at_ret(l, 0, y);
}

static void bin_bits(at *l) {
  ten_value *a, *b;
  at_pair(l, "self", "other", false, &a, &b);
  at_ret(l, 0, at_bin(l, CODE(l), a, b));
}

static void bin_logical(at *l) {
  ten_value *a = at_cast(l, at_t(l, "self"), TEN_I1), *b = at_cast(l, at_t(l, "other"), TEN_I1);
  at_ret(l, 0, at_bin(l, CODE(l), a, b));
}

/* Shifting by more than there is gives 0 (or the sign), as PyTorch does it. */
static void bin_shift(at *l) {
  ten_value *a, *b;
  at_pair(l, "self", "other", false, &a, &b);
  const bool right = CODE(l) == TEN_OP_SHIFT_RIGHT_ARITHMETIC,
             is_unsigned = ten_dtype_class(at_type(a)) == TEN_CLASS_UINT;
  ten_value *y = at_bin(l, right && is_unsigned ? TEN_OP_SHIFT_RIGHT_LOGICAL : CODE(l), a, b);
  ten_value *out = at_cmp(l, TEN_GE, b, at_num(l, b, ten_dtype_bits(at_type(a))));
  if (!is_unsigned) out = at_or(l, out, at_cmp(l, TEN_LT, b, at_num(l, b, 0)));
  ten_value *rest = at_num(l, a, 0);
  if (right && !is_unsigned)
    rest = at_bin(l, TEN_OP_SHIFT_RIGHT_ARITHMETIC, a, at_num(l, a, ten_dtype_bits(at_type(a)) - 1));
  at_ret(l, 0, at_sel(l, out, rest, y));
}

static void lower_compare(at *l) {
  ten_value *a, *b;
  at_pair(l, "self", "other", false, &a, &b);
  at_ret(l, 0, at_cmp(l, (ten_compare)l->row->code, a, b));
}

static void lower_copysign(at *l) {
  ten_value *a, *b;
  at_pair(l, "self", "other", true, &a, &b);
  ten_value *one = at_num(l, b, 1), *zero = at_num(l, b, 0);
  /* 1/-0 tells the zeros apart. */
  ten_value *minus = at_or(l, at_cmp(l, TEN_LT, b, zero),
                           at_and(l, at_cmp(l, TEN_EQ, b, zero), at_cmp(l, TEN_LT, at_div(l, one, b), zero)));
  ten_value *size = at_un(l, TEN_OP_ABS, a);
  at_ret(l, 0, at_sel(l, minus, at_neg(l, size), size));
}

static void lower_heaviside(at *l) {
  ten_value *a, *b;
  at_pair(l, "self", "values", false, &a, &b);
  ten_value *zero = at_num(l, a, 0);
  ten_value *step = at_cast(l, at_cmp(l, TEN_GT, a, zero), at_type(a));
  at_ret(l, 0, at_sel(l, at_cmp(l, TEN_EQ, a, zero), b, at_is_float(a) ? at_sel(l, at_isnan(l, a), zero, step) : step));
}

static ten_value *gcd_of(at *l, ten_value *a, ten_value *b);

static void lower_hypot(at *l) {
  ten_value *a, *b;
  at_pair(l, "self", "other", true, &a, &b);
  ten_value *x = at_un(l, TEN_OP_ABS, a), *y = at_un(l, TEN_OP_ABS, b);
  ten_value *big = at_max(l, x, y), *small = at_min(l, x, y);
  ten_value *ratio = at_div(l, small, big);
  ten_value *h = at_mul(l, big, at_sqrt(l, at_addn(l, at_mul(l, ratio, ratio), 1)));
  ten_value *flat = at_or(l, at_cmp(l, TEN_EQ, small, at_num(l, a, 0)), at_cmp(l, TEN_EQ, big, at_num(l, a, INFINITY)));
  at_ret(l, 0, at_sel(l, flat, big, h));
}

static void lower_logaddexp(at *l) {
  ten_value *a, *b;
  at_pair(l, "self", "other", true, &a, &b);
  const bool base2 = l->row->code == 2;
  const double ln2 = 0.69314718055994530942;
  ten_value *top = at_max(l, a, b), *gap = at_un(l, TEN_OP_ABS, at_sub(l, a, b));
  ten_value *tail = at_un(l, TEN_OP_LOG_PLUS_ONE, at_exp(l, at_neg(l, at_muln(l, gap, base2 ? ln2 : 1))));
  ten_value *y = at_add(l, top, at_muln(l, tail, base2 ? 1 / ln2 : 1));
  at_ret(
      l, 0,
      at_sel(l, at_and(l, at_cmp(l, TEN_EQ, a, b), at_cmp(l, TEN_EQ, at_un(l, TEN_OP_ABS, a), at_num(l, a, INFINITY))),
             a, y));
}

static void lower_xlogy(at *l) {
  ten_value *a, *b;
  at_pair(l, "self", "other", true, &a, &b);
  ten_value *y = l->row->code ? at_un(l, TEN_OP_LOG_PLUS_ONE, b) : at_log(l, b);
  ten_value *z = at_sel(l, at_cmp(l, TEN_EQ, a, at_num(l, a, 0)), at_num(l, a, 0), at_mul(l, a, y));
  at_ret(l, 0, at_sel(l, at_isnan(l, b), b, z));
}

static void lower_ldexp(at *l) {
  ten_value *a, *b;
  at_pair(l, "self", "other", true, &a, &b);
  at_ret(l, 0, at_mul(l, a, at_bin(l, TEN_OP_POWER, at_num(l, b, 2), b)));
}

static void lower_nextafter(at *l) {
  ten_value *a, *b;
  at_pair(l, "self", "other", true, &a, &b);
  at_ret(l, 0, at_bin(l, TEN_OP_CHLO_NEXT_AFTER, a, b));
}

/* Euclid until every remainder is 0. */
static void gcd_cond(ten_builder *b, ten_value *const *args, void *context) {
  at *l = context;
  const ten_builder was = l->b;
  l->b = *b;
  ten_value *flat = at_flatten(l, at_cmp(l, TEN_NE, args[1], at_num(l, args[1], 0)));
  ten_value *any = ten_build_reduce(&l->b, TEN_OP_OR, flat, at_const(l, TEN_I1, 0), 1, (const int64_t[]){0});
  ten_build_return(&l->b, 1, &any);
  l->b = was;
}

static void gcd_body(ten_builder *b, ten_value *const *args, void *context) {
  at *l = context;
  const ten_builder was = l->b;
  l->b = *b;
  ten_value *zero = at_num(l, args[1], 0), *stop = at_cmp(l, TEN_EQ, args[1], zero);
  ten_value *safe = at_sel(l, stop, at_num(l, args[1], 1), args[1]);
  ten_value *next[2] = {at_sel(l, stop, args[0], args[1]),
                        at_sel(l, stop, zero, at_bin(l, TEN_OP_REMAINDER, args[0], safe))};
  ten_build_return(&l->b, 2, next);
  l->b = was;
}

static ten_value *gcd_of(at *l, ten_value *a, ten_value *b) {
  uint32_t rank;
  int64_t dims[AT_DIMS];
  at_broadcast_dims(l, a, b, &rank, dims);
  ten_value *inits[2] = {at_expand(l, abs_of(l, a), rank, dims), at_expand(l, abs_of(l, b), rank, dims)};
  ten_op *loop = ten_build_while(&l->b, 2, inits, gcd_cond, gcd_body, l);
  return abs_of(l, ten_op_result(loop, 0));
}

static void lower_gcd(at *l) {
  ten_value *a, *b;
  at_pair(l, "self", "other", false, &a, &b);
  ten_value *g = gcd_of(l, a, b);
  if (l->row->code) {
    ten_value *safe = at_max(l, g, at_num(l, g, 1));
    g = abs_of(l, at_mul(l, at_div(l, a, safe), b));
  }
  at_ret(l, 0, g);
}

/* ---- three operands ---- */
static void lower_where(at *l) {
  ten_value *a, *b;
  at_pair(l, "self", "other", false, &a, &b);
  at_ret(l, 0, at_sel(l, at_cast(l, at_t(l, "condition"), TEN_I1), a, b));
}

static void lower_clamp(at *l) {
  const at_ref self = at_arg(l, "self"), low = at_arg(l, "min"), high = at_arg(l, "max");
  ten_value *x = at_t(l, "self");
  at_mix mix = {0};
  at_mix_add(&mix, self, x);
  at_mix_add(&mix, low, low.kind == AT_TENSOR ? at_read(l, low.tensor) : NULL);
  at_mix_add(&mix, high, high.kind == AT_TENSOR ? at_read(l, high.tensor) : NULL);
  const ten_dtype dtype = at_mix_type(mix);
  x = at_cast(l, x, dtype);
  if (low.kind != AT_NONE) x = at_max(l, x, at_ref_value(l, low, dtype));
  if (high.kind != AT_NONE) x = at_min(l, x, at_ref_value(l, high, dtype));
  at_ret(l, 0, x);
}

static void lower_clamp_one(at *l) {
  ten_value *a, *b;
  at_pair(l, "self", l->row->code == TEN_OP_MAXIMUM ? "min" : "max", false, &a, &b);
  at_ret(l, 0, at_bin(l, CODE(l), a, b));
}

static void lower_lerp(at *l) {
  ten_value *start, *end;
  at_pair(l, "self", "end", false, &start, &end);
  ten_value *weight = at_ref_value(l, at_arg(l, "weight"), at_type(start));
  ten_value *gap = at_sub(l, end, start);
  ten_value *small = at_cmp(l, TEN_LT, at_un(l, TEN_OP_ABS, weight), at_num(l, weight, 0.5));
  ten_value *near = at_add(l, start, at_mul(l, weight, gap));
  ten_value *far = at_sub(l, end, at_mul(l, gap, at_sub(l, at_num(l, weight, 1), weight)));
  at_ret(l, 0, at_sel(l, small, near, far));
}

/* addcmul, addcdiv */
static void lower_addc(at *l) {
  const at_ref self = at_arg(l, "self"), one = at_arg(l, "tensor1"), two = at_arg(l, "tensor2");
  at_mix mix = {0};
  at_mix_add(&mix, self, at_t(l, "self"));
  at_mix_add(&mix, one, at_t(l, "tensor1"));
  at_mix_add(&mix, two, at_t(l, "tensor2"));
  ten_dtype dtype = at_mix_type(mix);
  if (CODE(l) == TEN_OP_DIVIDE) dtype = at_float_type(dtype);
  const at_ref value = at_arg(l, "value");
  ten_value *y = at_bin(l, CODE(l), at_ref_value(l, one, dtype), at_ref_value(l, two, dtype));
  if (value.kind != AT_NONE) y = at_mul(l, y, at_ref_value(l, value, dtype));
  at_ret(l, 0, at_add(l, at_ref_value(l, self, dtype), y));
}

static void lower_masked_fill(at *l) {
  ten_value *x = at_t(l, "self");
  ten_value *value = at_ref_value(l, at_arg(l, "value"), at_type(x));
  at_ret(l, 0, at_sel(l, at_cast(l, at_t(l, "mask"), TEN_I1), at_reshape(l, value, 0, NULL), x));
}

static void lower_isclose(at *l) {
  ten_value *a, *b;
  at_pair(l, "self", "other", false, &a, &b);
  ten_value *equal = at_cmp(l, TEN_EQ, a, b);
  ten_value *af = at_cast(l, a, at_float_type(at_type(a))), *bf = at_cast(l, b, at_float_type(at_type(a)));
  ten_value *allowed =
      at_addn(l, at_muln(l, at_un(l, TEN_OP_ABS, bf), at_float(l, "rtol", 1e-5)), at_float(l, "atol", 1e-8));
  ten_value *gap = at_un(l, TEN_OP_ABS, at_sub(l, af, bf));
  ten_value *close = at_or(l, equal, at_and(l, at_isfinite(l, gap), at_cmp(l, TEN_LE, gap, allowed)));
  if (at_bool(l, "equal_nan", false)) close = at_or(l, close, at_and(l, at_isnan(l, a), at_isnan(l, b)));
  at_ret(l, 0, close);
}

static void lower_complex(at *l) {
  ten_value *a, *b;
  const at_ref first = at_arg(l, l->row->code ? "abs" : "real"), second = at_arg(l, l->row->code ? "angle" : "imag");
  if (first.kind == AT_TENSOR && second.kind == AT_TENSOR)
    at_check(l, at_type(at_read(l, first.tensor)) == at_type(at_read(l, second.tensor)), "parts of different types");
  at_pair(l, l->row->code ? "abs" : "real", l->row->code ? "angle" : "imag", true, &a, &b);
  uint32_t rank;
  int64_t dims[AT_DIMS];
  at_broadcast_dims(l, a, b, &rank, dims);
  a = at_expand(l, a, rank, dims), b = at_expand(l, b, rank, dims);
  if (l->row->code) {
    ten_value *re = at_mul(l, a, at_un(l, TEN_OP_COSINE, b));
    b = at_mul(l, a, at_un(l, TEN_OP_SINE, b));
    a = re;
  }
  at_ret(l, 0, ten_build_complex(&l->b, a, b));
}

static void lower_conj(at *l) {
  ten_value *x = at_t(l, "self");
  at_ret(l, 0, at_is_complex(x) ? at_un(l, TEN_OP_CHLO_CONJ, x) : x);
}

static void lower_pass(at *l) { at_ret(l, 0, at_t(l, "self")); }

const at_row at_rows_pointwise[] = {{"cos", un_float, .code = TEN_OP_COSINE},
                                    {"sin", un_float, .code = TEN_OP_SINE},
                                    {"tan", un_float, .code = TEN_OP_TAN},
                                    {"tanh", un_float, .code = TEN_OP_TANH},
                                    {"exp", un_float, .code = TEN_OP_EXPONENTIAL},
                                    {"log", un_float, .code = TEN_OP_LOG},
                                    {"expm1", un_float, .code = TEN_OP_EXPONENTIAL_MINUS_ONE},
                                    {"log1p", un_float, .code = TEN_OP_LOG_PLUS_ONE},
                                    {"sqrt", un_float, .code = TEN_OP_SQRT},
                                    {"rsqrt", un_float, .code = TEN_OP_RSQRT},
                                    {"sigmoid", un_float, .code = TEN_OP_LOGISTIC},
                                    {"special_expit", un_float, .code = TEN_OP_LOGISTIC},
                                    {"special_expm1", un_float, .code = TEN_OP_EXPONENTIAL_MINUS_ONE},
                                    {"special_log1p", un_float, .code = TEN_OP_LOG_PLUS_ONE},
                                    {"acos", un_float, .code = TEN_OP_CHLO_ACOS},
                                    {"acosh", un_float, .code = TEN_OP_CHLO_ACOSH},
                                    {"asin", un_float, .code = TEN_OP_CHLO_ASIN},
                                    {"asinh", un_float, .code = TEN_OP_CHLO_ASINH},
                                    {"atan", un_float, .code = TEN_OP_CHLO_ATAN},
                                    {"atanh", un_float, .code = TEN_OP_CHLO_ATANH},
                                    {"arccos", un_float, .code = TEN_OP_CHLO_ACOS},
                                    {"arccosh", un_float, .code = TEN_OP_CHLO_ACOSH},
                                    {"arcsin", un_float, .code = TEN_OP_CHLO_ASIN},
                                    {"arcsinh", un_float, .code = TEN_OP_CHLO_ASINH},
                                    {"arctan", un_float, .code = TEN_OP_CHLO_ATAN},
                                    {"arctanh", un_float, .code = TEN_OP_CHLO_ATANH},
                                    {"cosh", un_float, .code = TEN_OP_CHLO_COSH},
                                    {"sinh", un_float, .code = TEN_OP_CHLO_SINH},
                                    {"erf", un_float, .code = TEN_OP_CHLO_ERF},
                                    {"special_erf", un_float, .code = TEN_OP_CHLO_ERF},
                                    {"erfc", un_float, .code = TEN_OP_CHLO_ERFC},
                                    {"special_erfc", un_float, .code = TEN_OP_CHLO_ERFC},
                                    {"erfinv", un_float, .code = TEN_OP_CHLO_ERF_INV},
                                    {"special_erfinv", un_float, .code = TEN_OP_CHLO_ERF_INV},
                                    {"lgamma", un_float, .code = TEN_OP_CHLO_LGAMMA},
                                    {"special_gammaln", un_float, .code = TEN_OP_CHLO_LGAMMA},
                                    {"ceil", un_round, .code = TEN_OP_CEIL},
                                    {"floor", un_round, .code = TEN_OP_FLOOR},
                                    {"trunc", lower_trunc},
                                    {"fix", lower_trunc},
                                    {"frac", lower_frac},
                                    {"round", lower_round},
                                    {"special_round", lower_round},
                                    {"neg", un_same, .code = TEN_OP_NEGATE},
                                    {"negative", un_same, .code = TEN_OP_NEGATE},
                                    {"positive", lower_pass},
                                    {"abs", lower_abs},
                                    {"absolute", lower_abs},
                                    {"sign", lower_sign},
                                    {"sgn", lower_sign},
                                    {"reciprocal", lower_reciprocal},
                                    {"square", lower_square},
                                    {"log2", lower_log_base, .code = 2},
                                    {"log10", lower_log_base, .code = 10},
                                    {"exp2", lower_log_base, .code = 1},
                                    {"special_exp2", lower_log_base, .code = 1},
                                    {"bitwise_not", lower_bitwise_not},
                                    {"logical_not", lower_logical_not},
                                    {"isnan", lower_is, .code = 0},
                                    {"isinf", lower_is, .code = 1},
                                    {"isposinf", lower_is, .code = 2},
                                    {"isneginf", lower_is, .code = 3},
                                    {"isfinite", lower_is, .code = 4},
                                    {"isreal", lower_is, .code = 5},
                                    {"signbit", lower_is, .code = 6},
                                    {"nan_to_num", lower_nan_to_num},
                                    {"angle", lower_angle},
                                    {"add", lower_add, .code = 1},
                                    {"sub", lower_add, .code = -1},
                                    {"subtract", lower_add, .code = -1},
                                    {"rsub", lower_add, .code = 2},
                                    {"mul", lower_mul},
                                    {"multiply", lower_mul},
                                    {"div", lower_div},
                                    {"divide", lower_div},
                                    {"true_divide", lower_div},
                                    {"floor_divide", lower_floor_divide},
                                    {"fmod", lower_fmod},
                                    {"remainder", lower_remainder},
                                    {"pow", lower_pow},
                                    {"float_power", lower_float_power},
                                    {"atan2", bin_float, .code = TEN_OP_ATAN2},
                                    {"arctan2", bin_float, .code = TEN_OP_ATAN2},
                                    {"maximum", lower_extreme, .code = TEN_OP_MAXIMUM},
                                    {"minimum", lower_extreme, .code = TEN_OP_MINIMUM},
                                    {"max.other", lower_extreme, .code = TEN_OP_MAXIMUM},
                                    {"min.other", lower_extreme, .code = TEN_OP_MINIMUM},
                                    {"fmax", lower_fextreme, .code = TEN_OP_MAXIMUM},
                                    {"fmin", lower_fextreme, .code = TEN_OP_MINIMUM},
                                    {"bitwise_and", bin_bits, .code = TEN_OP_AND},
                                    {"bitwise_or", bin_bits, .code = TEN_OP_OR},
                                    {"bitwise_xor", bin_bits, .code = TEN_OP_XOR},
                                    {"__and__", bin_bits, .code = TEN_OP_AND},
                                    {"__or__", bin_bits, .code = TEN_OP_OR},
                                    {"__xor__", bin_bits, .code = TEN_OP_XOR},
                                    {"bitwise_left_shift", bin_shift, .code = TEN_OP_SHIFT_LEFT},
                                    {"bitwise_right_shift", bin_shift, .code = TEN_OP_SHIFT_RIGHT_ARITHMETIC},
                                    {"__lshift__", bin_shift, .code = TEN_OP_SHIFT_LEFT},
                                    {"__rshift__", bin_shift, .code = TEN_OP_SHIFT_RIGHT_ARITHMETIC},
                                    {"logical_and", bin_logical, .code = TEN_OP_AND},
                                    {"logical_or", bin_logical, .code = TEN_OP_OR},
                                    {"logical_xor", bin_logical, .code = TEN_OP_XOR},
                                    {"eq", lower_compare, .code = TEN_EQ},
                                    {"ne", lower_compare, .code = TEN_NE},
                                    {"ge", lower_compare, .code = TEN_GE},
                                    {"gt", lower_compare, .code = TEN_GT},
                                    {"le", lower_compare, .code = TEN_LE},
                                    {"lt", lower_compare, .code = TEN_LT},
                                    {"not_equal", lower_compare, .code = TEN_NE},
                                    {"greater_equal", lower_compare, .code = TEN_GE},
                                    {"greater", lower_compare, .code = TEN_GT},
                                    {"less_equal", lower_compare, .code = TEN_LE},
                                    {"less", lower_compare, .code = TEN_LT},
                                    {"copysign", lower_copysign},
                                    {"heaviside", lower_heaviside},
                                    {"hypot", lower_hypot},
                                    {"logaddexp", lower_logaddexp},
                                    {"logaddexp2", lower_logaddexp, .code = 2},
                                    {"xlogy", lower_xlogy},
                                    {"special_xlogy", lower_xlogy},
                                    {"special_xlog1py", lower_xlogy, .code = 1},
                                    {"ldexp", lower_ldexp},
                                    {"nextafter", lower_nextafter},
                                    {"gcd", lower_gcd},
                                    {"lcm", lower_gcd, .code = 1},
                                    {"where.self", lower_where},
                                    {"where.ScalarSelf", lower_where},
                                    {"where.ScalarOther", lower_where},
                                    {"where.Scalar", lower_where},
                                    {"clamp", lower_clamp},
                                    {"clip", lower_clamp},
                                    {"clamp_min", lower_clamp_one, .code = TEN_OP_MAXIMUM},
                                    {"clamp_max", lower_clamp_one, .code = TEN_OP_MINIMUM},
                                    {"lerp", lower_lerp},
                                    {"addcmul", lower_addc, .code = TEN_OP_MULTIPLY},
                                    {"addcdiv", lower_addc, .code = TEN_OP_DIVIDE},
                                    {"masked_fill", lower_masked_fill},
                                    {"isclose", lower_isclose},
                                    {"complex", lower_complex},
                                    {"polar", lower_complex, .code = 1},
                                    {"conj_physical", lower_conj},
                                    {"_conj_physical", lower_conj},
                                    {"resolve_conj", lower_pass},
                                    {"resolve_neg", lower_pass},
                                    {NULL}};
