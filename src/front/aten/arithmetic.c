/* arithmetic.c: elementwise arithmetic, comparison and logic of two operands. */
#include "front/aten/lower.h"

#define CODE(l) ((ten_opcode)(l)->row->code)

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
    /* As in Python: from the remainder, so that floor_divide(1, 0.1) is 9. */
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

/* By repeated squaring: exact, and cheap for the usual small exponents. */
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

/* maximum, minimum: propagate NaN. */
static void lower_extreme(at *l) {
  ten_value *a, *b;
  at_pair(l, "self", "other", false, &a, &b);
  if (at_type(a) == TEN_I1)
    at_ret(l, 0, CODE(l) == TEN_OP_MAXIMUM ? at_or(l, a, b) : at_and(l, a, b));
  else
    at_ret(l, 0, at_bin(l, CODE(l), a, b));
}

/* fmax, fmin: ignore NaN. */
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

/* Shifting by the bit width or more gives 0 (or the sign), as in PyTorch. */
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
  /* The sign of 1/x distinguishes 0 from -0. */
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

/* Euclid's algorithm until every remainder is 0. */
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
  ten_value *inits[2] = {at_expand(l, at_abs(l, a), rank, dims), at_expand(l, at_abs(l, b), rank, dims)};
  ten_op *loop = ten_build_while(&l->b, 2, inits, gcd_cond, gcd_body, l);
  return at_abs(l, ten_op_result(loop, 0));
}

static void lower_gcd(at *l) {
  ten_value *a, *b;
  at_pair(l, "self", "other", false, &a, &b);
  ten_value *g = gcd_of(l, a, b);
  if (l->row->code) {
    ten_value *safe = at_max(l, g, at_num(l, g, 1));
    g = at_abs(l, at_mul(l, at_div(l, a, safe), b));
  }
  at_ret(l, 0, g);
}

const at_row at_rows_arithmetic[] = {{"add", lower_add, .code = 1},
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
                                     {NULL}};
