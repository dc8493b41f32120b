/* pointwise.c: rules of elementwise ops. A cotangent g of y = f(x) becomes g·f'(x), with f' conjugated for complex x
 * (so that a step against the gradient descends: the convention of PyTorch, and of conj of JAX's). */
#include <math.h>

#include "transform/grad/rules.h"
#include "transform/grad/through.h"

/* g times the conjugate of d. */
static void chain(ten_vjp *v, uint32_t operand, ten_value *d) {
  ten_vjp_add(v, operand, mul(v, v->ct[0], ten_vjp_conj(v, d)));
}
static ten_value *unary(ten_vjp *v, ten_opcode code, ten_value *x) { return ten_build_unary(v->b, code, x); }
static ten_value *one_minus(ten_vjp *v, ten_value *x) { return sub(v, like(v, x, 1), x); }
static ten_value *one_plus(ten_vjp *v, ten_value *x) { return add(v, like(v, x, 1), x); }
static ten_value *inverse(ten_vjp *v, ten_value *x) { return divide(v, like(v, x, 1), x); }

ten_status *ten_rule_chlo_next_after(ten_vjp *v) { /* nextafter moves as its operand does */
  ten_vjp_add(v, 0, v->ct[0]);
  return NULL;
}

ten_status *ten_rule_none(ten_vjp *v) {
  (void)v; /* the derivative is zero almost everywhere */
  return NULL;
}

ten_status *ten_rule_same(ten_vjp *v) {
  for (uint32_t i = 0; i < v->op->result_count; i++)
    if (v->ct[i]) ten_vjp_add(v, i, v->ct[i]);
  return NULL;
}

ten_status *ten_rule_add(ten_vjp *v) {
  ten_vjp_add(v, 0, v->ct[0]);
  ten_vjp_add(v, 1, v->ct[0]);
  return NULL;
}

ten_status *ten_rule_subtract(ten_vjp *v) {
  ten_vjp_add(v, 0, v->ct[0]);
  if (ten_vjp_wants(v, 1)) ten_vjp_add(v, 1, neg(v, v->ct[0]));
  return NULL;
}

ten_status *ten_rule_multiply(ten_vjp *v) {
  if (ten_vjp_wants(v, 0)) chain(v, 0, x_of(v, 1));
  if (ten_vjp_wants(v, 1)) chain(v, 1, x_of(v, 0));
  return NULL;
}

ten_status *ten_rule_divide(ten_vjp *v) {
  ten_value *g = divide(v, v->ct[0], ten_vjp_conj(v, x_of(v, 1)));
  ten_vjp_add(v, 0, g);
  if (ten_vjp_wants(v, 1)) ten_vjp_add(v, 1, neg(v, mul(v, g, ten_vjp_conj(v, y_of(v, 0)))));
  return NULL;
}

ten_status *ten_rule_negate(ten_vjp *v) {
  ten_vjp_add(v, 0, neg(v, v->ct[0]));
  return NULL;
}

static ten_status *expand_sign(ten_builder *b, const ten_op *op, ten_value *const *args) { /* z / |z| */
  const ten_type *real = ten_type_with_dtype(b->module, args[0]->type, ten_dtype_part(args[0]->type->dtype));
  ten_value *size = &ten_build_op(b, TEN_OP_ABS, 1, args, 1, &real, 0, NULL, 0)->results[0];
  ten_value *y = ten_build_binary(b, TEN_OP_DIVIDE, args[0], ten_build_complex(b, size, ten_build_like(b, size, 0)));
  (void)op;
  ten_build_return(b, 1, &y);
  return NULL;
}

ten_status *ten_rule_sign(ten_vjp *v) { /* constant on the real line, a unit vector in the complex plane */
  return ten_dtype_is_complex(x_of(v, 0)->type->dtype) ? ten_vjp_through(v, expand_sign) : NULL;
}

ten_status *ten_rule_abs(ten_vjp *v) {
  ten_value *x = x_of(v, 0);
  if (!ten_dtype_is_complex(x->type->dtype)) {
    chain(v, 0, unary(v, TEN_OP_SIGN, x));
    return NULL;
  }
  ten_value *zero = like(v, v->ct[0], 0);
  ten_vjp_add(v, 0, mul(v, ten_build_complex(v->b, v->ct[0], zero), unary(v, TEN_OP_SIGN, x)));
  return NULL;
}

/* Ties split the cotangent in halves, as in JAX and in PyTorch's maximum. */
ten_status *ten_rule_extremum(ten_vjp *v) {
  ten_value *x = x_of(v, 0), *other = x_of(v, 1);
  const ten_compare direction = v->op->code == TEN_OP_MAXIMUM ? TEN_GT : TEN_LT;
  ten_value *wins = ten_build_compare(v->b, direction, x, other), *ties = ten_build_compare(v->b, TEN_EQ, x, other);
  ten_value *half = like(v, x, 0.5), *one = like(v, x, 1), *zero = like(v, x, 0);
  ten_value *share = ten_build_select(v->b, ties, half, ten_build_select(v->b, wins, one, zero));
  if (ten_vjp_wants(v, 0)) ten_vjp_add(v, 0, mul(v, v->ct[0], share));
  if (ten_vjp_wants(v, 1)) ten_vjp_add(v, 1, mul(v, v->ct[0], sub(v, one, share)));
  return NULL;
}

ten_status *ten_rule_power(ten_vjp *v) {
  ten_value *x = x_of(v, 0), *p = x_of(v, 1), *y = y_of(v, 0), *zero = like(v, x, 0), *one = like(v, x, 1);
  if (ten_vjp_wants(v, 0)) { /* p·x^(p-1), and 0 where p is 0, even at x = 0 */
    ten_value *d = mul(v, p, ten_build_binary(v->b, TEN_OP_POWER, x, sub(v, p, one)));
    chain(v, 0, ten_build_select(v->b, ten_build_compare(v->b, TEN_EQ, p, zero), zero, d));
  }
  if (ten_vjp_wants(v, 1)) { /* y·log x, and 0 where y is 0 at x = 0 */
    ten_value *is_zero = ten_build_compare(v->b, TEN_EQ, x, zero);
    ten_value *d = mul(v, unary(v, TEN_OP_LOG, ten_build_select(v->b, is_zero, one, x)), y);
    chain(v, 1, d);
  }
  return NULL;
}

ten_status *ten_rule_remainder(ten_vjp *v) { /* x - y·trunc(x / y) */
  ten_vjp_add(v, 0, v->ct[0]);
  if (!ten_vjp_wants(v, 1)) return NULL;
  ten_value *q = divide(v, x_of(v, 0), x_of(v, 1));
  ten_value *whole = mul(v, unary(v, TEN_OP_SIGN, q), unary(v, TEN_OP_FLOOR, unary(v, TEN_OP_ABS, q)));
  ten_vjp_add(v, 1, neg(v, mul(v, v->ct[0], whole)));
  return NULL;
}

ten_status *ten_rule_atan2(ten_vjp *v) {
  ten_value *y = x_of(v, 0), *x = x_of(v, 1), *norm = add(v, mul(v, x, x), mul(v, y, y));
  if (ten_vjp_wants(v, 0)) chain(v, 0, divide(v, x, norm));
  if (ten_vjp_wants(v, 1)) chain(v, 1, neg(v, divide(v, y, norm)));
  return NULL;
}

ten_status *ten_rule_exponential(ten_vjp *v) { return chain(v, 0, y_of(v, 0)), NULL; }
ten_status *ten_rule_expm1(ten_vjp *v) { return chain(v, 0, one_plus(v, y_of(v, 0))), NULL; }
ten_status *ten_rule_log(ten_vjp *v) {
  return ten_vjp_add(v, 0, divide(v, v->ct[0], ten_vjp_conj(v, x_of(v, 0)))), NULL;
}
ten_status *ten_rule_log1p(ten_vjp *v) {
  return ten_vjp_add(v, 0, divide(v, v->ct[0], ten_vjp_conj(v, one_plus(v, x_of(v, 0))))), NULL;
}
ten_status *ten_rule_logistic(ten_vjp *v) { return chain(v, 0, mul(v, y_of(v, 0), one_minus(v, y_of(v, 0)))), NULL; }
ten_status *ten_rule_tanh(ten_vjp *v) { return chain(v, 0, one_minus(v, mul(v, y_of(v, 0), y_of(v, 0)))), NULL; }
ten_status *ten_rule_tan(ten_vjp *v) { return chain(v, 0, one_plus(v, mul(v, y_of(v, 0), y_of(v, 0)))), NULL; }
ten_status *ten_rule_sine(ten_vjp *v) { return chain(v, 0, unary(v, TEN_OP_COSINE, x_of(v, 0))), NULL; }
ten_status *ten_rule_cosine(ten_vjp *v) { return chain(v, 0, neg(v, unary(v, TEN_OP_SINE, x_of(v, 0)))), NULL; }
ten_status *ten_rule_sqrt(ten_vjp *v) { return chain(v, 0, divide(v, like(v, x_of(v, 0), 0.5), y_of(v, 0))), NULL; }
ten_status *ten_rule_rsqrt(ten_vjp *v) {
  return chain(v, 0, mul(v, like(v, x_of(v, 0), -0.5), divide(v, y_of(v, 0), x_of(v, 0)))), NULL;
}
ten_status *ten_rule_cbrt(ten_vjp *v) {
  return chain(v, 0, inverse(v, mul(v, like(v, x_of(v, 0), 3), mul(v, y_of(v, 0), y_of(v, 0))))), NULL;
}

ten_status *ten_rule_convert(ten_vjp *v) {
  const ten_dtype from = x_of(v, 0)->type->dtype;
  ten_value *g = v->ct[0];
  if (ten_dtype_is_complex(g->type->dtype) && !ten_dtype_is_complex(from)) g = ten_build_part(v->b, TEN_OP_REAL, g);
  ten_vjp_add(v, 0, ten_build_convert(v->b, g, from));
  return NULL;
}

ten_status *ten_rule_complex(ten_vjp *v) {
  if (ten_vjp_wants(v, 0)) ten_vjp_add(v, 0, ten_build_part(v->b, TEN_OP_REAL, v->ct[0]));
  if (ten_vjp_wants(v, 1)) ten_vjp_add(v, 1, ten_build_part(v->b, TEN_OP_IMAG, v->ct[0]));
  return NULL;
}

ten_status *ten_rule_real(ten_vjp *v) {
  ten_value *g = v->ct[0];
  ten_vjp_add(v, 0, ten_dtype_is_complex(x_of(v, 0)->type->dtype) ? ten_build_complex(v->b, g, like(v, g, 0)) : g);
  return NULL;
}

ten_status *ten_rule_imag(ten_vjp *v) {
  ten_value *g = v->ct[0];
  if (ten_dtype_is_complex(x_of(v, 0)->type->dtype)) ten_vjp_add(v, 0, ten_build_complex(v->b, like(v, g, 0), g));
  return NULL;
}

static ten_value *summed_to_scalar(ten_vjp *v, ten_value *g, const ten_value *operand) {
  if (operand->type->rank == g->type->rank) return g;
  int64_t dims[64];
  for (uint32_t i = 0; i < g->type->rank; i++) dims[i] = i;
  return ten_vjp_sum(v, g, g->type->rank, dims);
}

/* select(x <= c, c, x), a relu: the result shows whether x was above c, so x need not be saved for it. */
static ten_value *choice_of(ten_vjp *v) {
  ten_value *pred = x_of(v, 0), *low = x_of(v, 1), *x = x_of(v, 2);
  const ten_op *compare = pred->op && pred->op->code == TEN_OP_COMPARE ? pred->op : NULL;
  if (!compare || ten_op_operand(compare, 0) != x || ten_op_operand(compare, 1) != low || !ten_value_constant(low) ||
      ten_op_int(compare, "comparison_direction", 0) != TEN_LE)
    return pred;
  return ten_build_compare(v->b, TEN_LE, y_of(v, 0), low);
}

ten_status *ten_rule_select(ten_vjp *v) {
  ten_value *pred = choice_of(v), *zero = like(v, v->ct[0], 0);
  if (ten_vjp_wants(v, 1)) ten_vjp_add(v, 1, ten_build_select(v->b, pred, v->ct[0], zero));
  if (ten_vjp_wants(v, 2)) ten_vjp_add(v, 2, ten_build_select(v->b, pred, zero, v->ct[0]));
  return NULL;
}

ten_status *ten_rule_clamp(ten_vjp *v) { /* min(max(x, low), high) */
  ten_value *x = x_of(v, 1), *zero = like(v, x, 0), *low = x_of(v, 0), *high = x_of(v, 2);
  ten_value *low_all = ten_build_broadcast_to(v->b, low, x->type->rank, x->type->dims);
  ten_value *high_all = ten_build_broadcast_to(v->b, high, x->type->rank, x->type->dims);
  ten_value *raised = ten_build_binary(v->b, TEN_OP_MAXIMUM, x, low_all),
            *over = ten_build_compare(v->b, TEN_GT, raised, high_all);
  ten_value *below = ten_build_compare(v->b, TEN_LT, x, low_all),
            *outside = ten_build_binary(v->b, TEN_OP_OR, below, over);
  ten_value *under = ten_build_binary(v->b, TEN_OP_AND, below, ten_build_unary(v->b, TEN_OP_NOT, over));
  if (ten_vjp_wants(v, 1)) ten_vjp_add(v, 1, ten_build_select(v->b, outside, zero, v->ct[0]));
  if (ten_vjp_wants(v, 0)) ten_vjp_add(v, 0, summed_to_scalar(v, ten_build_select(v->b, under, v->ct[0], zero), low));
  if (ten_vjp_wants(v, 2)) ten_vjp_add(v, 2, summed_to_scalar(v, ten_build_select(v->b, over, v->ct[0], zero), high));
  return NULL;
}

/* chlo */
static ten_value *squared(ten_vjp *v, ten_value *x) { return mul(v, x, x); }

ten_status *ten_rule_chlo_square(ten_vjp *v) { return chain(v, 0, mul(v, like(v, x_of(v, 0), 2), x_of(v, 0))), NULL; }
ten_status *ten_rule_chlo_asin(ten_vjp *v) {
  return chain(v, 0, unary(v, TEN_OP_RSQRT, one_minus(v, squared(v, x_of(v, 0))))), NULL;
}
ten_status *ten_rule_chlo_acos(ten_vjp *v) {
  return chain(v, 0, neg(v, unary(v, TEN_OP_RSQRT, one_minus(v, squared(v, x_of(v, 0)))))), NULL;
}
ten_status *ten_rule_chlo_atan(ten_vjp *v) {
  return chain(v, 0, inverse(v, one_plus(v, squared(v, x_of(v, 0))))), NULL;
}
ten_status *ten_rule_chlo_asinh(ten_vjp *v) {
  return chain(v, 0, unary(v, TEN_OP_RSQRT, one_plus(v, squared(v, x_of(v, 0))))), NULL;
}
ten_status *ten_rule_chlo_acosh(ten_vjp *v) { /* 1 / (√(x-1)·√(x+1)): also correct on the whole complex plane */
  ten_value *x = x_of(v, 0), *one = like(v, x, 1);
  return chain(v, 0, mul(v, unary(v, TEN_OP_RSQRT, sub(v, x, one)), unary(v, TEN_OP_RSQRT, add(v, x, one)))), NULL;
}
ten_status *ten_rule_chlo_atanh(ten_vjp *v) {
  return chain(v, 0, inverse(v, one_minus(v, squared(v, x_of(v, 0))))), NULL;
}
ten_status *ten_rule_chlo_sinh(ten_vjp *v) { return chain(v, 0, unary(v, TEN_OP_CHLO_COSH, x_of(v, 0))), NULL; }
ten_status *ten_rule_chlo_cosh(ten_vjp *v) { return chain(v, 0, unary(v, TEN_OP_CHLO_SINH, x_of(v, 0))), NULL; }
ten_status *ten_rule_chlo_conj(ten_vjp *v) { return ten_vjp_add(v, 0, ten_vjp_conj(v, v->ct[0])), NULL; }

static ten_value *gaussian(ten_vjp *v, ten_value *x, double scale) { /* scale · e^(-x²) */
  return mul(v, like(v, x, scale), unary(v, TEN_OP_EXPONENTIAL, neg(v, squared(v, x))));
}
ten_status *ten_rule_chlo_erf(ten_vjp *v) { return chain(v, 0, gaussian(v, x_of(v, 0), 1.1283791670955126)), NULL; }
ten_status *ten_rule_chlo_erfc(ten_vjp *v) { return chain(v, 0, gaussian(v, x_of(v, 0), -1.1283791670955126)), NULL; }
ten_status *ten_rule_chlo_erf_inv(ten_vjp *v) { /* √π/2 · e^(y²) */
  ten_value *y = y_of(v, 0);
  return chain(v, 0, mul(v, like(v, y, 0.8862269254527580), unary(v, TEN_OP_EXPONENTIAL, squared(v, y)))), NULL;
}
ten_status *ten_rule_chlo_lgamma(ten_vjp *v) { return chain(v, 0, unary(v, TEN_OP_CHLO_DIGAMMA, x_of(v, 0))), NULL; }
ten_status *ten_rule_chlo_digamma(ten_vjp *v) {
  return chain(v, 0, ten_build_binary(v->b, TEN_OP_CHLO_POLYGAMMA, like(v, x_of(v, 0), 1), x_of(v, 0))), NULL;
}

ten_status *ten_rule_chlo_polygamma(ten_vjp *v) {
  ten_value *n = x_of(v, 0), *x = x_of(v, 1);
  if (ten_vjp_wants(v, 0))
    return ten_op_error(v->op, TEN_UNSUPPORTED, "has no gradient with respect to the order n, only to x");
  chain(v, 1, ten_build_binary(v->b, TEN_OP_CHLO_POLYGAMMA, one_plus(v, n), x));
  return NULL;
}

ten_status *ten_rule_chlo_zeta(ten_vjp *v) { /* d/dq ζ(s, q) = -s·ζ(s+1, q) */
  ten_value *s = x_of(v, 0), *q = x_of(v, 1);
  if (ten_vjp_wants(v, 0)) return ten_op_error(v->op, TEN_UNSUPPORTED, "has no gradient with respect to s, only to q");
  chain(v, 1, neg(v, mul(v, s, ten_build_binary(v->b, TEN_OP_CHLO_ZETA, one_plus(v, s), q))));
  return NULL;
}

/* I₀(x)·e^-|x|: the trapezoid rule on its integral, whose error is below 1e-14 up to 32; beyond that the asymptotic
 * series, which converges as fast. */
static ten_value *bessel_i0e(ten_vjp *v, ten_value *x) {
  enum { NODES = 24, TERMS = 12, NEAR = 32 };
  const double pi = 3.14159265358979323846;
  ten_value *a = unary(v, TEN_OP_ABS, x), *near = NULL, *limit = like(v, x, NEAR);
  for (int i = 0; i < NODES; i++) {
    ten_value *term = unary(v, TEN_OP_EXPONENTIAL, mul(v, a, like(v, x, cos(pi * (i + 0.5) / (double)NODES) - 1)));
    near = near ? add(v, near, term) : term;
  }
  near = mul(v, near, like(v, x, 1.0 / (double)NODES));
  ten_value *large = ten_build_binary(v->b, TEN_OP_MAXIMUM, a, limit), *far = like(v, x, 1);
  for (int k = TERMS; k > 0; k--) { /* 1 + t₁(1 + t₂(1 + …)), tₖ = (2k - 1)² / 8kx */
    const double odd = 2 * k - 1;
    far = add(v, like(v, x, 1), mul(v, far, divide(v, like(v, x, odd * odd / (8 * k)), large)));
  }
  far = mul(v, far, unary(v, TEN_OP_RSQRT, mul(v, large, like(v, x, 2 * pi))));
  return ten_build_select(v->b, ten_build_compare(v->b, TEN_LE, a, limit), near, far);
}

/* I₁' = I₀ - I₁/x, where I₁/x is ½ at 0; and the factor e^-|x|. */
ten_status *ten_rule_chlo_bessel_i1e(ten_vjp *v) {
  ten_value *x = x_of(v, 0), *y = y_of(v, 0), *one = like(v, x, 1);
  ten_value *zero = ten_build_compare(v->b, TEN_EQ, x, like(v, x, 0));
  ten_value *ratio = ten_build_select(v->b, zero, like(v, x, 0.5), divide(v, y, ten_build_select(v->b, zero, one, x)));
  chain(v, 0, sub(v, sub(v, bessel_i0e(v, x), ratio), mul(v, unary(v, TEN_OP_SIGN, x), y)));
  return NULL;
}
