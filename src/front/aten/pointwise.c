/* pointwise.c: elementwise functions of one operand, selection, and complex numbers; arithmetic.c has those of two
 * operands. */
#include "front/aten/lower.h"

#define CODE(l) ((ten_opcode)(l)->row->code)

/* ---- one operand ---- */
/* Integers become floats first. */
static void un_float(at *l) {
  ten_value *x = at_t(l, "self");
  at_ret(l, 0, at_un(l, CODE(l), at_cast(l, x, at_float_type(at_type(x)))));
}

/* Integers are unchanged. */
static void un_round(at *l) {
  ten_value *x = at_t(l, "self");
  at_ret(l, 0, at_is_float(x) ? at_un(l, CODE(l), x) : x);
}

static void un_same(at *l) {
  ten_value *x = at_t(l, "self");
  if (at_type(x) == TEN_I1) x = at_cast(l, x, TEN_I1);
  at_ret(l, 0, at_un(l, CODE(l), x));
}

ten_value *at_abs(at *l, ten_value *x) {
  if (at_type(x) == TEN_I1 || ten_dtype_class(at_type(x)) == TEN_CLASS_UINT) return x;
  if (!at_is_complex(x)) return at_un(l, TEN_OP_ABS, x);
  const ten_type *type = ten_type_with_dtype(l->b.module, x->type, ten_dtype_part(at_type(x)));
  return ten_op_result(ten_build_op(&l->b, TEN_OP_ABS, 1, &x, 1, &type, 0, NULL, 0), 0);
}

static void lower_abs(at *l) { at_ret(l, 0, at_abs(l, at_t(l, "self"))); }

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
      at_fail(l, TEN_UNSUPPORTED, "complex elements are not supported");
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

ten_value *at_lerp(at *l, ten_value *start, ten_value *end, ten_value *weight) {
  ten_value *gap = at_sub(l, end, start);
  ten_value *small = at_cmp(l, TEN_LT, at_un(l, TEN_OP_ABS, weight), at_num(l, weight, 0.5));
  ten_value *near = at_add(l, start, at_mul(l, weight, gap));
  ten_value *far = at_sub(l, end, at_mul(l, gap, at_sub(l, at_num(l, weight, 1), weight)));
  return at_sel(l, small, near, far);
}

static void lower_lerp(at *l) {
  ten_value *start, *end;
  at_pair(l, "self", "end", false, &start, &end);
  at_ret(l, 0, at_lerp(l, start, end, at_ref_value(l, at_arg(l, "weight"), at_type(start))));
}

static ten_dtype type_of_three(at *l, const char *a, const char *b, const char *c) {
  at_mix mix = {0};
  at_mix_add(&mix, at_arg(l, a), at_t(l, a));
  at_mix_add(&mix, at_arg(l, b), at_t(l, b));
  at_mix_add(&mix, at_arg(l, c), at_t(l, c));
  return at_mix_type(mix);
}

/* a·b + c, as dynamo writes addcmul_ and similar ops of optimizers; eager mode also rounds the product. */
static void lower_fma(at *l) {
  const ten_dtype dtype = type_of_three(l, "a", "b", "c");
  ten_value *product = at_mul(l, at_ref_value(l, at_arg(l, "a"), dtype), at_ref_value(l, at_arg(l, "b"), dtype));
  at_ret(l, 0, at_add(l, product, at_ref_value(l, at_arg(l, "c"), dtype)));
}

/* addcmul, addcdiv */
static void lower_addc(at *l) {
  const at_ref self = at_arg(l, "self"), one = at_arg(l, "tensor1"), two = at_arg(l, "tensor2");
  ten_dtype dtype = type_of_three(l, "self", "tensor1", "tensor2");
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
                                    {"prims.fma", lower_fma},
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
