/* bessel.c: Bessel functions of order 0 and 1 and Airy functions, by the method that converges fastest: the trapezoid
 * rule on their integrals (its error falls faster than any power of the step), power series near 0, asymptotic series
 * far out. All in double precision. Accurate to about 1e-9, enough for f32. */
#include "front/aten/lower.h"

#define PI 3.14159265358979323846
#define EULER 0.57721566490153286061
enum { SWITCH = 16, NODES = 24, SERIES = 44, FAR = 12, AIRY_SERIES = 40 };

static ten_value *x_read(at *l) {
  ten_value *x = at_t(l, at_has(l, "self") ? "self" : "x");
  return at_cast(l, at_cast(l, x, at_float_type(at_type(x))), TEN_F64);
}

static void ret_as(at *l, ten_value *y) {
  ten_value *x = at_t(l, at_has(l, "self") ? "self" : "x");
  at_ret(l, 0, at_cast(l, y, at_float_type(at_type(x))));
}

static ten_value *sum_of(at *l, ten_value *a, ten_value *b) { return a ? at_add(l, a, b) : b; }

/* J: 1/π ∫ cos(νt - x sin t) over half a turn. */
static ten_value *j_near(at *l, ten_value *x, int order) {
  ten_value *sum = NULL;
  for (int i = 0; i < NODES; i++) {
    const double t = PI * ((double)i + 0.5) / (double)NODES;
    ten_value *angle = at_addn(l, at_muln(l, x, -sin(t)), order * t);
    sum = sum_of(l, sum, at_un(l, TEN_OP_COSINE, angle));
  }
  return at_muln(l, sum, 1.0 / (double)NODES);
}

/* Hankel's series: a_k(ν) = Π ((2j-1)² - 4ν²)…; √(2/πx)·(P cos χ - Q sin χ), and with sine and cosine swapped, Y. */
static ten_value *hankel(at *l, ten_value *x, int order, bool second) {
  ten_value *inverse = at_div(l, at_num(l, x, 1), x), *power = at_expand_like(l, at_num(l, x, 1), x), *p = NULL,
            *q = NULL;
  double a = 1;
  for (int k = 0; k < FAR; k++) {
    const double sign = k / 2 % 2 ? -1 : 1;
    ten_value *term = at_muln(l, power, sign * a);
    if (k % 2)
      q = sum_of(l, q, term);
    else
      p = sum_of(l, p, term);
    power = at_mul(l, power, inverse);
    a *= (4.0 * order * order - (2.0 * k + 1) * (2.0 * k + 1)) / (8.0 * (k + 1));
  }
  ten_value *chi = at_addn(l, x, -(order / 2.0 + 0.25) * PI), *c = at_un(l, TEN_OP_COSINE, chi),
            *s = at_un(l, TEN_OP_SINE, chi);
  ten_value *wave = second ? at_add(l, at_mul(l, p, s), at_mul(l, q, c)) : at_sub(l, at_mul(l, p, c), at_mul(l, q, s));
  return at_mul(l, wave, at_sqrt(l, at_muln(l, inverse, 2 / PI)));
}

static void lower_bessel_j(at *l) {
  const int order = l->row->code;
  ten_value *x = x_read(l), *size = at_un(l, TEN_OP_ABS, x), *edge = at_num(l, x, SWITCH);
  ten_value *y = at_sel(l, at_cmp(l, TEN_LT, size, edge), j_near(l, at_min(l, size, edge), order),
                        hankel(l, at_max(l, size, edge), order, false));
  if (order) y = at_sel(l, at_cmp(l, TEN_LT, x, at_num(l, x, 0)), at_neg(l, y), y);
  y = at_sel(l, at_cmp(l, TEN_EQ, size, at_num(l, x, INFINITY)), at_num(l, x, 0), y);
  ret_as(l, y);
}

/* Σ weight_k·(±x²/4)^k / (k!(k+ν)!), with weights 1, or the sums of harmonic numbers in the logarithmic term. */
static ten_value *power_series(at *l, ten_value *x, int order, double sign, bool harmonic, int terms) {
  ten_value *square = at_muln(l, at_mul(l, x, x), 0.25 * sign), *sum = NULL;
  double weights[SERIES + 1], factor = 1, h = 0;
  for (int k = 0; k < terms; k++) {
    if (k) factor /= (double)k * (k + order), h += 1.0 / k;
    weights[k] = factor * (!harmonic ? 1 : order ? 2 * h + 1.0 / (k + 1) - 2 * EULER : h);
  }
  for (int k = terms; k-- > 0;) sum = sum ? at_addn(l, at_mul(l, sum, square), weights[k]) : at_num(l, x, weights[k]);
  return sum;
}

static ten_value *y_near(at *l, ten_value *x, int order) {
  ten_value *lg = at_log(l, at_muln(l, x, 0.5)), *j = power_series(l, x, order, -1, false, SERIES);
  ten_value *rest = power_series(l, x, order, -1, true, SERIES);
  if (!order) return at_muln(l, at_sub(l, at_mul(l, at_addn(l, lg, EULER), j), rest), 2 / PI);
  ten_value *half = at_muln(l, x, 0.5);
  ten_value *body = at_mul(l, half, at_sub(l, at_muln(l, at_mul(l, lg, j), 2), rest));
  return at_muln(l, at_sub(l, body, at_div(l, at_num(l, x, 2), x)), 1 / PI);
}

/* -inf at 0, NaN below. */
static ten_value *poles(at *l, ten_value *x, ten_value *y, double at_zero) {
  ten_value *zero = at_num(l, x, 0);
  y = at_sel(l, at_cmp(l, TEN_EQ, x, zero), at_num(l, x, at_zero), y);
  return at_sel(l, at_cmp(l, TEN_LT, x, zero), at_num(l, x, NAN), y);
}

static void lower_bessel_y(at *l) {
  const int order = l->row->code;
  ten_value *x = x_read(l), *edge = at_num(l, x, SWITCH);
  ten_value *y = at_sel(l, at_cmp(l, TEN_LT, x, edge), y_near(l, at_min(l, x, edge), order),
                        hankel(l, at_max(l, x, edge), order, true));
  ret_as(l, poles(l, x, y, -INFINITY));
}

/* eˣ·K_ν(x) = ∫ exp(-x(cosh t - 1)) cosh νt dt from 0, for x ≥ 1. */
static ten_value *k_far(at *l, ten_value *x, double order) {
  ten_value *sum = NULL;
  const double step = 0.2;
  for (int i = 0; i < NODES; i++) {
    const double t = step * i, weight = cosh(order * t) * (i ? step : step / 2);
    sum = sum_of(l, sum, at_muln(l, at_exp(l, at_muln(l, x, 1 - cosh(t))), weight));
  }
  return sum;
}

static ten_value *k_near(at *l, ten_value *x, int order) {
  ten_value *lg = at_log(l, at_muln(l, x, 0.5)), *i = power_series(l, x, order, 1, false, 12);
  ten_value *rest = power_series(l, x, order, 1, true, 12);
  if (!order) return at_sub(l, rest, at_mul(l, at_addn(l, lg, EULER), i));
  ten_value *body = at_sub(l, at_mul(l, lg, i), at_muln(l, rest, 0.5));
  return at_add(l, at_div(l, at_num(l, x, 1), x), at_mul(l, at_muln(l, x, 0.5), body));
}

/* code: order, 2 scaled by eˣ */
static void lower_bessel_k(at *l) {
  const int order = l->row->code & 1;
  const bool scaled = l->row->code & 2;
  ten_value *x = x_read(l), *one = at_num(l, x, 1), *small = at_min(l, x, one), *large = at_max(l, x, one);
  ten_value *near = k_near(l, small, order), *far = k_far(l, large, order);
  if (scaled)
    near = at_mul(l, near, at_exp(l, small));
  else
    far = at_mul(l, far, at_exp(l, at_neg(l, large)));
  ten_value *y = at_sel(l, at_cmp(l, TEN_LT, x, one), near, far);
  ret_as(l, poles(l, x, y, INFINITY));
}

static void lower_spherical_j0(at *l) {
  ten_value *x = x_read(l), *square = at_mul(l, x, x), *sum = NULL;
  static const double series[] = {1, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800};
  for (int k = 7; k-- > 0;) sum = sum ? at_addn(l, at_mul(l, sum, square), series[k]) : at_num(l, x, series[k]);
  ten_value *size = at_un(l, TEN_OP_ABS, x);
  ten_value *y = at_sel(l, at_cmp(l, TEN_LT, size, at_num(l, x, 0.5)), sum, at_div(l, at_un(l, TEN_OP_SINE, x), x));
  ret_as(l, at_sel(l, at_cmp(l, TEN_EQ, size, at_num(l, x, INFINITY)), at_num(l, x, 0), y));
}

/* Ai for -8…1.5: from the two solutions that start as 1 and as x. */
static ten_value *airy_near(at *l, ten_value *x) {
  ten_value *cube = at_mul(l, at_mul(l, x, x), x), *f = NULL, *g = NULL;
  double a[AIRY_SERIES], b[AIRY_SERIES];
  a[0] = 0.355028053887817239, b[0] = -0.258819403792806798;
  for (int k = 1; k < AIRY_SERIES; k++)
    a[k] = a[k - 1] / ((3.0 * k - 1) * (3.0 * k)), b[k] = b[k - 1] / ((3.0 * k) * (3.0 * k + 1));
  for (int k = AIRY_SERIES; k-- > 0;) {
    f = f ? at_addn(l, at_mul(l, f, cube), a[k]) : at_num(l, x, a[k]);
    g = g ? at_addn(l, at_mul(l, g, cube), b[k]) : at_num(l, x, b[k]);
  }
  return at_add(l, f, at_mul(l, g, x));
}

/* Below -8, with z = 2/3·|x|^1.5: π^-½|x|^-¼ (sin(z + π/4) Σ ± c₂ₖ/z²ᵏ - cos(z + π/4) Σ ± c₂ₖ₊₁/z²ᵏ⁺¹). */
static ten_value *airy_left(at *l, ten_value *size) {
  ten_value *root = at_sqrt(l, size), *z = at_muln(l, at_mul(l, size, root), 2.0 / 3);
  ten_value *inverse = at_div(l, at_num(l, z, 1), z), *power = at_expand_like(l, at_num(l, z, 1), z), *p = NULL,
            *q = NULL;
  double c = 1;
  for (int k = 0; k < FAR; k++) {
    ten_value *term = at_muln(l, power, (k / 2 % 2 ? -1 : 1) * c);
    if (k % 2)
      q = sum_of(l, q, term);
    else
      p = sum_of(l, p, term);
    power = at_mul(l, power, inverse);
    c *= (6.0 * k + 5) * (6.0 * k + 3) * (6.0 * k + 1) / (216.0 * (k + 1) * (2.0 * k + 1));
  }
  ten_value *angle = at_addn(l, z, PI / 4);
  ten_value *wave = at_sub(l, at_mul(l, p, at_un(l, TEN_OP_SINE, angle)), at_mul(l, q, at_un(l, TEN_OP_COSINE, angle)));
  return at_div(l, at_muln(l, wave, 0.56418958354775628695), at_sqrt(l, root));
}

static void lower_airy(at *l) {
  ten_value *x = x_read(l), *low = at_num(l, x, -8), *high = at_num(l, x, 1.5);
  ten_value *right = at_max(l, x, high), *z = at_muln(l, at_mul(l, right, at_sqrt(l, right)), 2.0 / 3);
  ten_value *far = at_mul(l, at_mul(l, k_far(l, z, 1.0 / 3), at_exp(l, at_neg(l, z))),
                          at_muln(l, at_sqrt(l, at_muln(l, right, 1.0 / 3)), 1 / PI));
  ten_value *near = airy_near(l, at_max(l, at_min(l, x, high), low));
  ten_value *left = airy_left(l, at_max(l, at_neg(l, x), at_num(l, x, 8)));
  ten_value *y = at_sel(l, at_cmp(l, TEN_LT, x, low), left, at_sel(l, at_cmp(l, TEN_GT, x, high), far, near));
  ten_value *infinite = at_cmp(l, TEN_EQ, at_un(l, TEN_OP_ABS, x), at_num(l, x, INFINITY));
  ret_as(l, at_sel(l, infinite, at_num(l, x, NAN), y));
}

const at_row at_rows_bessel[] = {{"special_bessel_j0", lower_bessel_j},
                                 {"special_bessel_j1", lower_bessel_j, .code = 1},
                                 {"special_bessel_y0", lower_bessel_y},
                                 {"special_bessel_y1", lower_bessel_y, .code = 1},
                                 {"special_modified_bessel_k0", lower_bessel_k},
                                 {"special_modified_bessel_k1", lower_bessel_k, .code = 1},
                                 {"special_scaled_modified_bessel_k0", lower_bessel_k, .code = 2},
                                 {"special_scaled_modified_bessel_k1", lower_bessel_k, .code = 3},
                                 {"special_spherical_bessel_j0", lower_spherical_j0},
                                 {"special_airy_ai", lower_airy},
                                 {NULL}};
