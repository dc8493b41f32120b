/* activation.c: activation functions. Half types are computed in f32, as PyTorch does. */
#include "front/aten/lower.h"

ten_value *at_exp(at *l, ten_value *x) { return at_un(l, TEN_OP_EXPONENTIAL, x); }
ten_value *at_log(at *l, ten_value *x) { return at_un(l, TEN_OP_LOG, x); }
ten_value *at_tanh(at *l, ten_value *x) { return at_un(l, TEN_OP_TANH, x); }
ten_value *at_sqrt(at *l, ten_value *x) { return at_un(l, TEN_OP_SQRT, x); }
ten_value *at_rsqrt(at *l, ten_value *x) { return at_un(l, TEN_OP_RSQRT, x); }
ten_value *at_sigmoid(at *l, ten_value *x) { return at_un(l, TEN_OP_LOGISTIC, x); }
ten_value *at_relu(at *l, ten_value *x) { return at_max(l, x, at_num(l, x, 0)); }
ten_value *at_silu(at *l, ten_value *x) { return at_mul(l, x, at_sigmoid(l, x)); }

/* log(1 + e^x) without overflow. */
ten_value *at_softplus(at *l, ten_value *x) {
  ten_value *tail = at_un(l, TEN_OP_LOG_PLUS_ONE, at_exp(l, at_neg(l, at_un(l, TEN_OP_ABS, x))));
  return at_add(l, at_relu(l, x), tail);
}

ten_value *at_gelu(at *l, ten_value *x, bool tanh_form) {
  if (!tanh_form) {
    ten_value *cdf = at_addn(l, at_un(l, TEN_OP_CHLO_ERF, at_muln(l, x, 0.70710678118654752440)), 1);
    return at_mul(l, at_muln(l, x, 0.5), cdf);
  }
  ten_value *cube = at_mul(l, at_mul(l, x, x), x);
  ten_value *inner = at_muln(l, at_add(l, x, at_muln(l, cube, 0.044715)), 0.79788456080286535588);
  return at_mul(l, at_muln(l, x, 0.5), at_addn(l, at_tanh(l, inner), 1));
}

/* self in a type wide enough to compute in; *dtype is the result's type. */
static ten_value *self_wide(at *l, ten_dtype *dtype) {
  ten_value *x = at_t(l, "self");
  *dtype = at_type(x);
  return at_cast(l, x, at_acc_type(at_type(x)));
}

static void ret_as(at *l, ten_value *y, ten_dtype dtype) { at_ret(l, 0, at_cast(l, y, dtype)); }

/* The layer: its gradient at zero is zero; that of a maximum would be a half. */
static ten_value *rectified(at *l, ten_value *x) {
  if (!l->options->training || !at_is_float(x)) return at_relu(l, x);
  ten_value *zero = ten_build_like(&l->b, x, 0);
  return ten_build_select(&l->b, ten_build_compare(&l->b, TEN_LE, x, zero), zero, x);
}

static void lower_relu(at *l) {
  ten_value *x = at_t(l, "self");
  at_ret(l, 0, rectified(l, x));
}

static void lower_relu6(at *l) {
  ten_value *x = at_t(l, "self");
  at_ret(l, 0, at_min(l, rectified(l, x), at_num(l, x, 6)));
}

static void lower_gelu(at *l) {
  ten_dtype dtype;
  ten_value *x = self_wide(l, &dtype);
  ret_as(l, at_gelu(l, x, ten_str_is(at_string(l, "approximate"), "tanh")), dtype);
}

static void lower_silu(at *l) {
  ten_dtype dtype;
  ten_value *x = self_wide(l, &dtype);
  ret_as(l, at_silu(l, x), dtype);
}

static void lower_mish(at *l) {
  ten_dtype dtype;
  ten_value *x = self_wide(l, &dtype);
  ret_as(l, at_mul(l, x, at_tanh(l, at_softplus(l, x))), dtype);
}

static void lower_softplus(at *l) {
  ten_dtype dtype;
  ten_value *x = self_wide(l, &dtype);
  const double beta = at_float(l, "beta", 1), threshold = at_float(l, "threshold", 20);
  ten_value *scaled = at_muln(l, x, beta);
  ten_value *soft = at_div(l, at_softplus(l, scaled), at_num(l, x, beta));
  ret_as(l, at_sel(l, at_cmp(l, TEN_GT, scaled, at_num(l, x, threshold)), x, soft), dtype);
}

static void lower_elu(at *l) {
  ten_dtype dtype;
  ten_value *x = self_wide(l, &dtype);
  const double alpha = at_float(l, "alpha", 1), scale = at_float(l, "scale", 1),
               input_scale = at_float(l, "input_scale", 1);
  ten_value *low = at_muln(l, at_un(l, TEN_OP_EXPONENTIAL_MINUS_ONE, at_muln(l, x, input_scale)), alpha * scale);
  ret_as(l, at_sel(l, at_cmp(l, TEN_GT, x, at_num(l, x, 0)), at_muln(l, x, scale), low), dtype);
}

static void lower_selu(at *l) {
  ten_dtype dtype;
  ten_value *x = self_wide(l, &dtype);
  const double alpha = 1.6732632423543772848170429916717, scale = 1.0507009873554804934193349852946;
  ten_value *low = at_muln(l, at_un(l, TEN_OP_EXPONENTIAL_MINUS_ONE, x), alpha * scale);
  ret_as(l, at_sel(l, at_cmp(l, TEN_GT, x, at_num(l, x, 0)), at_muln(l, x, scale), low), dtype);
}

static void lower_celu(at *l) {
  ten_dtype dtype;
  ten_value *x = self_wide(l, &dtype);
  const double alpha = at_float(l, "alpha", 1);
  ten_value *low = at_muln(l, at_un(l, TEN_OP_EXPONENTIAL_MINUS_ONE, at_div(l, x, at_num(l, x, alpha))), alpha);
  ret_as(l, at_sel(l, at_cmp(l, TEN_GT, x, at_num(l, x, 0)), x, low), dtype);
}

static void lower_leaky_relu(at *l) {
  ten_value *x = at_t(l, "self");
  at_ret(l, 0, at_sel(l, at_cmp(l, TEN_GT, x, at_num(l, x, 0)), x, at_muln(l, x, at_float(l, "negative_slope", 0.01))));
}

static void lower_prelu(at *l) {
  ten_value *x = at_t(l, "self"), *weight = at_t(l, "weight");
  if (at_count(weight) == 1)
    weight = at_reshape(l, weight, 0, NULL);
  else if (at_rank(weight) == 1 && at_rank(x) > 1)
    weight = at_along(l, weight, at_rank(x), 1);
  at_ret(l, 0, at_sel(l, at_cmp(l, TEN_GT, x, at_num(l, x, 0)), x, at_mul(l, weight, x)));
}

/* Without randomness, the mean slope of the range. */
static void lower_rrelu(at *l) {
  ten_value *x = at_t(l, "self");
  const double low = at_float(l, "lower", 0.125), high = at_float(l, "upper", 1.0 / 3);
  ten_value *slope = at_num(l, x, (low + high) / 2);
  if (at_bool(l, "training", false))
    slope = at_addn(l, at_muln(l, at_uniform(l, at_type(x), at_rank(x), at_dims(x)), high - low), low);
  ten_value *positive = at_cmp(l, TEN_GT, x, at_num(l, x, 0));
  at_ret(l, 0, at_sel(l, positive, x, at_mul(l, x, slope)));
  at_ret(l, 1, at_expand_like(l, at_sel(l, positive, at_num(l, x, 1), slope), x));
}

static void lower_hardtanh(at *l) {
  ten_value *x = at_t(l, "self");
  at_ret(l, 0,
         at_min(l, at_max(l, x, at_num(l, x, at_float(l, "min_val", -1))), at_num(l, x, at_float(l, "max_val", 1))));
}

static ten_value *hardsigmoid(at *l, ten_value *x) {
  ten_value *y = at_min(l, at_max(l, at_addn(l, x, 3), at_num(l, x, 0)), at_num(l, x, 6));
  return at_div(l, y, at_num(l, x, 6));
}

static void lower_hardsigmoid(at *l) {
  ten_dtype dtype;
  ten_value *x = self_wide(l, &dtype);
  ret_as(l, hardsigmoid(l, x), dtype);
}

static void lower_hardswish(at *l) {
  ten_dtype dtype;
  ten_value *x = self_wide(l, &dtype);
  ten_value *y = at_min(l, at_max(l, at_addn(l, x, 3), at_num(l, x, 0)), at_num(l, x, 6));
  ret_as(l, at_div(l, at_mul(l, x, y), at_num(l, x, 6)), dtype);
}

static void lower_shrink(at *l) {
  ten_value *x = at_t(l, "self");
  const double lambda = at_float(l, "lambd", 0.5);
  ten_value *zero = at_num(l, x, 0), *high = at_cmp(l, TEN_GT, x, at_num(l, x, lambda)),
            *low = at_cmp(l, TEN_LT, x, at_num(l, x, -lambda));
  ten_value *y;
  if (l->row->code)
    y = at_sel(l, high, at_addn(l, x, -lambda), at_sel(l, low, at_addn(l, x, lambda), zero));
  else
    y = at_sel(l, at_or(l, high, at_or(l, low, at_isnan(l, x))), x, zero);
  at_ret(l, 0, y);
}

static void lower_threshold(at *l) {
  ten_value *x = at_t(l, "self");
  ten_value *limit = at_ref_value(l, at_arg(l, "threshold"), at_type(x)),
            *value = at_ref_value(l, at_arg(l, "value"), at_type(x));
  at_ret(l, 0, at_sel(l, at_cmp(l, TEN_LE, x, limit), value, x));
}

static void lower_log_sigmoid(at *l) {
  ten_dtype dtype;
  ten_value *x = self_wide(l, &dtype);
  ret_as(l, at_neg(l, at_softplus(l, at_neg(l, x))), dtype);
  at_ret(l, 1, at_exp(l, at_neg(l, at_un(l, TEN_OP_ABS, x))));
}

static void lower_glu(at *l) {
  ten_value *x = at_t(l, "self");
  const int64_t dim = at_dim_arg(l, "dim", -1, at_rank(x)), half = at_dim(l, x, dim) / 2;
  at_ret(l, 0, at_mul(l, at_slice(l, x, dim, 0, half, 1), at_sigmoid(l, at_slice(l, x, dim, half, 2 * half, 1))));
}

static void lower_logit(at *l) {
  ten_value *x = at_t(l, "self");
  x = at_cast(l, x, at_float_type(at_type(x)));
  if (at_has(l, "eps")) {
    const double eps = at_float(l, "eps", 0);
    x = at_min(l, at_max(l, x, at_num(l, x, eps)), at_num(l, x, 1 - eps));
  }
  at_ret(l, 0, at_log(l, at_div(l, x, at_sub(l, at_num(l, x, 1), x))));
}

static void lower_softsign(at *l) {
  ten_value *x = at_t(l, "self");
  at_ret(l, 0, at_div(l, x, at_addn(l, at_un(l, TEN_OP_ABS, x), 1)));
}

const at_row at_rows_activation[] = {{"relu", lower_relu},
                                     {"relu6", lower_relu6},
                                     {"gelu", lower_gelu},
                                     {"silu", lower_silu},
                                     {"mish", lower_mish},
                                     {"softplus", lower_softplus},
                                     {"elu", lower_elu},
                                     {"selu", lower_selu},
                                     {"celu", lower_celu},
                                     {"leaky_relu", lower_leaky_relu},
                                     {"prelu", lower_prelu},
                                     {"_prelu_kernel", lower_prelu},
                                     {"rrelu", lower_rrelu},
                                     {"rrelu_with_noise", lower_rrelu},
                                     {"rrelu_with_noise_functional", lower_rrelu},
                                     {"hardtanh", lower_hardtanh},
                                     {"hardsigmoid", lower_hardsigmoid},
                                     {"hardswish", lower_hardswish},
                                     {"hardshrink", lower_shrink},
                                     {"softshrink", lower_shrink, .code = 1},
                                     {"threshold", lower_threshold},
                                     {"log_sigmoid", lower_log_sigmoid},
                                     {"log_sigmoid_forward", lower_log_sigmoid},
                                     {"glu", lower_glu},
                                     {"logit", lower_logit},
                                     {"special_logit", lower_logit},
                                     {"softsign", lower_softsign},
                                     {NULL}};
