/* special.c: special functions that CHLO lacks, from those it has, from series, or from their definitions. */
#include "front/aten/lower.h"

static ten_value *self_float(at *l) {
  ten_value *x = at_t(l, "self");
  return at_cast(l, x, at_float_type(at_type(x)));
}

static void lower_degrees(at *l) {
  ten_value *x = self_float(l);
  const double pi = 3.14159265358979323846;
  at_ret(l, 0, at_muln(l, x, l->row->code ? 180 / pi : pi / 180));
}

static void lower_sinc(at *l) {
  ten_value *x = self_float(l), *p = at_muln(l, x, 3.14159265358979323846);
  at_ret(l, 0,
         at_sel(l, at_cmp(l, TEN_EQ, x, at_num(l, x, 0)), at_num(l, x, 1), at_div(l, at_un(l, TEN_OP_SINE, p), p)));
}

/* Chebyshev sum of coefficients, highest order first, at x. */
static ten_value *chebyshev(at *l, ten_value *x, const double *c, size_t n) {
  ten_value *b0 = at_num(l, x, c[0]), *b1 = at_num(l, x, 0), *b2 = b1;
  for (size_t i = 1; i < n; i++) {
    b2 = b1, b1 = b0;
    b0 = at_addn(l, at_sub(l, at_mul(l, x, b1), b2), c[i]);
  }
  return at_muln(l, at_sub(l, b0, b2), 0.5);
}

static const double i0_near[] = {
    -4.41534164647933937950E-18, 3.33079451882223809783E-17, -2.43127984654795469359E-16, 1.71539128555513303061E-15,
    -1.16853328779934516808E-14, 7.67618549860493561688E-14, -4.85644678311192946090E-13, 2.95505266312963983461E-12,
    -1.72682629144155570723E-11, 9.67580903537323691224E-11, -5.18979560163526290666E-10, 2.65982372468238665035E-9,
    -1.30002500998624804212E-8,  6.04699502254191894932E-8,  -2.67079385394061173391E-7,  1.11738753912010371815E-6,
    -4.41673835845875056359E-6,  1.64484480707288970893E-5,  -5.75419501008210370398E-5,  1.88502885095841655729E-4,
    -5.76375574538582365885E-4,  1.63947561694133579842E-3,  -4.32430999505057594430E-3,  1.05464603945949983183E-2,
    -2.37374148058994688156E-2,  4.93052842396707084878E-2,  -9.49010970480476444210E-2,  1.71620901522208775349E-1,
    -3.04682672343198398683E-1,  6.76795274409476084995E-1};
static const double i0_far[] = {
    -7.23318048787475395456E-18, -4.83050448594418207126E-18, 4.46562142029675999901E-17,  3.46122286769746109310E-17,
    -2.82762398051658348494E-16, -3.42548561967721913462E-16, 1.77256013305652638360E-15,  3.81168066935262242075E-15,
    -9.55484669882830764870E-15, -4.15056934728722208663E-14, 1.54008621752140982691E-14,  3.85277838274214270114E-13,
    7.18012445138366623367E-13,  -1.79417853150680611778E-12, -1.32158118404477131188E-11, -3.14991652796324136454E-11,
    1.18891471078464383424E-11,  4.94060238822496958910E-10,  3.39623202570838634515E-9,   2.26666899049817806459E-8,
    2.04891858946906374183E-7,   2.89137052083475648297E-6,   6.88975834691682398426E-5,   3.36911647825569408990E-3,
    8.04490411014108831608E-1};

/* I₀(x)·e^-|x| */
static ten_value *bessel_i0e(at *l, ten_value *x) {
  ten_value *a = at_un(l, TEN_OP_ABS, x);
  ten_value *near = chebyshev(l, at_addn(l, at_muln(l, a, 0.5), -2), i0_near, sizeof i0_near / sizeof *i0_near);
  ten_value *large = at_max(l, a, at_num(l, a, 8)); /* also differentiated where it is not selected */
  ten_value *far = at_div(
      l, chebyshev(l, at_addn(l, at_div(l, at_num(l, a, 32), large), -2), i0_far, sizeof i0_far / sizeof *i0_far),
      at_sqrt(l, large));
  return at_sel(l, at_cmp(l, TEN_LE, a, at_num(l, a, 8)), near, far);
}

/* code: 0 i0, 1 i0e, 2 i1, 3 i1e */
static void lower_bessel(at *l) {
  ten_value *x = self_float(l);
  const int code = l->row->code;
  ten_value *y = code >= 2 ? at_un(l, TEN_OP_CHLO_BESSEL_I1E, x) : bessel_i0e(l, x);
  at_ret(l, 0, code & 1 ? y : at_mul(l, y, at_exp(l, at_un(l, TEN_OP_ABS, x))));
}

/* At the poles: NaN at negative integers, -inf at 0. */
static void lower_digamma(at *l) {
  ten_value *x = self_float(l), *zero = at_num(l, x, 0);
  ten_value *whole = at_and(l, at_cmp(l, TEN_LT, x, zero), at_cmp(l, TEN_EQ, x, at_un(l, TEN_OP_FLOOR, x)));
  ten_value *y = at_sel(l, whole, at_num(l, x, NAN), at_un(l, TEN_OP_CHLO_DIGAMMA, x));
  at_ret(l, 0, at_sel(l, at_cmp(l, TEN_EQ, x, zero), at_num(l, x, -INFINITY), y));
}

/* Σ 1/(x+k)²: six terms, then the asymptotic series; below ½ by reflection. */
static ten_value *trigamma(at *l, ten_value *x) {
  const double pi = 3.14159265358979323846;
  ten_value *one = at_num(l, x, 1), *left = at_cmp(l, TEN_LT, x, at_num(l, x, 0.5)), *sum = at_num(l, x, 0);
  ten_value *sine = at_un(l, TEN_OP_SINE, at_muln(l, x, pi));
  ten_value *mirror = at_div(l, at_num(l, x, pi * pi), at_mul(l, sine, sine)),
            *z = at_sel(l, left, at_sub(l, one, x), x);
  for (int i = 0; i < 6; i++) {
    sum = at_add(l, sum, at_div(l, one, at_mul(l, z, z)));
    z = at_addn(l, z, 1);
  }
  ten_value *u = at_div(l, one, at_mul(l, z, z)), *tail = at_addn(l, at_muln(l, u, -1.0 / 42), 1.0 / 30);
  tail = at_mul(l, u, at_sub(l, at_num(l, x, 1.0 / 6), at_mul(l, u, tail)));
  tail = at_add(l, at_addn(l, at_div(l, one, at_muln(l, z, 2)), 1), tail);
  sum = at_add(l, sum, at_div(l, tail, z));
  return at_sel(l, left, at_sub(l, mirror, sum), sum);
}

/* Σ (q+k)^-x. Infinite at its poles, NaN where it diverges. */
static ten_value *zeta(at *l, ten_value *x, ten_value *q) {
  ten_value *one = at_num(l, x, 1), *zero = at_num(l, q, 0), *inf = at_num(l, x, INFINITY), *nan = at_num(l, x, NAN);
  ten_value *y = at_bin(l, TEN_OP_CHLO_ZETA, x, q);
  ten_value *left = at_cmp(l, TEN_LE, q, zero), *whole = at_cmp(l, TEN_EQ, q, at_un(l, TEN_OP_FLOOR, q));
  y = at_sel(l, at_and(l, left, at_cmp(l, TEN_NE, x, at_un(l, TEN_OP_FLOOR, x))), nan, y);
  y = at_sel(l, at_and(l, left, whole), inf, y);
  y = at_sel(l, at_cmp(l, TEN_LT, x, one), nan, y);
  return at_sel(l, at_cmp(l, TEN_EQ, x, one), inf, y);
}

static void lower_polygamma(at *l) {
  const int64_t n = at_int(l, "n", 0);
  if (n == 0) {
    lower_digamma(l);
    return;
  }
  ten_value *x = self_float(l);
  if (n == 1) {
    at_ret(l, 0, trigamma(l, x));
    return;
  }
  const double factor = tgamma((double)n + 1);
  at_ret(l, 0, at_muln(l, zeta(l, at_expand_like(l, at_num(l, x, (double)n + 1), x), x), n % 2 ? factor : -factor));
}

static void lower_zeta(at *l) {
  ten_value *a, *b;
  at_pair(l, "self", "other", true, &a, &b);
  at_ret(l, 0, zeta(l, a, b));
}

static void lower_mvlgamma(at *l) {
  ten_value *x = self_float(l), *sum = NULL;
  const int64_t p = at_int(l, "p", 1);
  at_check(l, p >= 1 && p < 1024, "p of %lld", (long long)p);
  for (int64_t j = 0; j < p; j++) {
    ten_value *term = at_un(l, TEN_OP_CHLO_LGAMMA, at_addn(l, x, -0.5 * (double)j));
    sum = sum ? at_add(l, sum, term) : term;
  }
  at_ret(l, 0, at_addn(l, sum, (double)(p * (p - 1)) * 0.25 * 1.1447298858494001741));
}

/* e^x²·erfc(x), in f64: directly while both factors fit, else by its asymptotic series. Each branch is clamped to its
 * range: a gradient evaluates both. */
static ten_value *erfcx(at *l, ten_value *x) {
  const ten_dtype dtype = at_type(x);
  x = at_cast(l, x, TEN_F64);
  ten_value *limit = at_num(l, x, 12), *small = at_bin(l, TEN_OP_MINIMUM, x, limit), *large = at_max(l, x, limit);
  ten_value *u = at_div(l, at_num(l, x, 0.5), at_mul(l, large, large)), *one = at_num(l, x, 1), *series = one;
  for (int k = 19; k > 0; k -= 2) series = at_sub(l, one, at_mul(l, at_muln(l, u, k), series));
  ten_value *near = at_mul(l, at_exp(l, at_mul(l, small, small)), at_un(l, TEN_OP_CHLO_ERFC, small));
  ten_value *far = at_div(l, at_muln(l, series, 0.56418958354775628695), large);
  return at_cast(l, at_sel(l, at_cmp(l, TEN_GT, x, limit), far, near), dtype);
}

static void lower_erfcx(at *l) { at_ret(l, 0, erfcx(l, self_float(l))); }

/* The normal distribution's CDF, and its logarithm; that is rounded where PyTorch rounds, as its gradient uses the
 * result. */
static void lower_ndtr(at *l) {
  ten_value *x = self_float(l);
  const double root = 0.70710678118654752440;
  if (!l->row->code) {
    at_ret(l, 0, at_muln(l, at_un(l, TEN_OP_CHLO_ERFC, at_muln(l, x, -root)), 0.5));
    return;
  }
  ten_value *limit = at_num(l, x, -1), *t = at_muln(l, at_bin(l, TEN_OP_MINIMUM, x, limit), root);
  ten_value *left = at_sub(l, at_log(l, at_muln(l, erfcx(l, at_neg(l, t)), 0.5)), at_mul(l, t, t));
  ten_value *high = at_muln(l, at_max(l, x, limit), root);
  ten_value *right = at_un(l, TEN_OP_LOG_PLUS_ONE, at_muln(l, at_un(l, TEN_OP_CHLO_ERFC, high), -0.5));
  at_ret(l, 0, at_sel(l, at_cmp(l, TEN_LT, x, limit), left, right));
}

static void lower_ndtri(at *l) {
  ten_value *x = self_float(l);
  at_ret(l, 0, at_muln(l, at_un(l, TEN_OP_CHLO_ERF_INV, at_addn(l, at_muln(l, x, 2), -1)), 1.41421356237309504880));
}

static void lower_entr(at *l) {
  ten_value *x = self_float(l), *zero = at_num(l, x, 0);
  ten_value *y = at_neg(l, at_mul(l, x, at_log(l, x)));
  y = at_sel(l, at_cmp(l, TEN_EQ, x, zero), zero, y);
  y = at_sel(l, at_cmp(l, TEN_LT, x, zero), at_num(l, x, -INFINITY), y);
  at_ret(l, 0, at_sel(l, at_isnan(l, x), x, y));
}

/* Lower and upper regularised gamma: the power series below a + 1, Lentz's continued fraction above, both
 * unrolled. */
static void lower_igamma(at *l) {
  ten_value *a, *x;
  at_pair(l, "self", "other", true, &a, &x);
  const ten_dtype dtype = at_type(a);
  a = at_cast(l, a, TEN_F64), x = at_cast(l, x, TEN_F64);
  uint32_t rank;
  int64_t dims[AT_DIMS];
  at_broadcast_dims(l, a, x, &rank, dims);
  a = at_expand(l, a, rank, dims), x = at_expand(l, x, rank, dims);
  ten_value *one = at_num(l, a, 1), *zero = at_num(l, a, 0), *tiny = at_num(l, a, 1e-300);
  ten_value *front = at_exp(l, at_sub(l, at_sub(l, at_mul(l, a, at_log(l, x)), x), at_un(l, TEN_OP_CHLO_LGAMMA, a)));
  ten_value *term = at_div(l, one, a), *sum = term, *ap = a;
  for (int i = 0; i < 120; i++) {
    ap = at_add(l, ap, one);
    term = at_div(l, at_mul(l, term, x), ap);
    sum = at_add(l, sum, term);
  }
  ten_value *series = at_mul(l, sum, front);
  ten_value *b = at_sub(l, at_add(l, x, one), a), *c = at_num(l, a, 1e300),
            *d = at_div(l, one, at_sel(l, at_cmp(l, TEN_EQ, b, zero), tiny, b)), *h = d;
  c = at_expand_like(l, c, a);
  for (int i = 1; i < 80; i++) {
    ten_value *an = at_muln(l, at_sub(l, at_num(l, a, i), a), -i);
    b = at_addn(l, b, 2);
    d = at_add(l, at_mul(l, an, d), b);
    d = at_sel(l, at_cmp(l, TEN_EQ, d, zero), tiny, d);
    c = at_add(l, b, at_div(l, an, c));
    c = at_sel(l, at_cmp(l, TEN_EQ, c, zero), tiny, c);
    d = at_div(l, one, d);
    h = at_mul(l, h, at_mul(l, d, c));
  }
  ten_value *upper = at_mul(l, front, h);
  ten_value *left = at_cmp(l, TEN_LT, x, at_add(l, a, one));
  ten_value *lower = at_sel(l, left, series, at_sub(l, one, upper));
  upper = at_sel(l, left, at_sub(l, one, series), upper);
  ten_value *y = l->row->code ? upper : lower;
  y = at_sel(l, at_cmp(l, TEN_EQ, x, zero), at_num(l, y, l->row->code), y);
  y = at_sel(l, at_cmp(l, TEN_EQ, x, at_num(l, x, INFINITY)), at_num(l, y, !l->row->code), y);
  /* Undefined below 0 and at (0, 0); all of the mass is at 0 when a is 0. */
  y = at_sel(l, at_cmp(l, TEN_EQ, a, zero), at_num(l, y, !l->row->code), y);
  ten_value *undefined = at_or(l, at_cmp(l, TEN_LT, a, zero), at_cmp(l, TEN_LT, x, zero));
  undefined = at_or(l, undefined, at_and(l, at_cmp(l, TEN_EQ, a, zero), at_cmp(l, TEN_EQ, x, zero)));
  at_ret(l, 0, at_cast(l, at_sel(l, undefined, at_num(l, y, NAN), y), dtype));
}

/* Mantissa in [0.5, 1) and exponent. */
static void lower_frexp(at *l) {
  ten_value *x = at_t(l, "self"), *zero = at_num(l, x, 0), *size = at_un(l, TEN_OP_ABS, x);
  const ten_dtype wide = TEN_F64;
  ten_value *e =
      at_addn(l, at_un(l, TEN_OP_FLOOR, at_muln(l, at_log(l, at_cast(l, size, wide)), 1.44269504088896340736)), 1);
  ten_value *m = at_div(l, at_cast(l, x, wide), at_bin(l, TEN_OP_POWER, at_num(l, e, 2), e));
  /* The logarithm may be off by one at powers of two. */
  ten_value *big = at_cmp(l, TEN_GE, at_un(l, TEN_OP_ABS, m), at_num(l, m, 1)),
            *small = at_cmp(l, TEN_LT, at_un(l, TEN_OP_ABS, m), at_num(l, m, 0.5));
  m = at_sel(l, big, at_muln(l, m, 0.5), at_sel(l, small, at_muln(l, m, 2), m));
  e = at_add(l, e, at_sub(l, at_cast(l, big, wide), at_cast(l, small, wide)));
  ten_value *odd = at_or(l, at_cmp(l, TEN_EQ, x, zero), at_not(l, at_isfinite(l, x)));
  at_ret(l, 0, at_sel(l, odd, x, at_cast(l, m, at_type(x))));
  at_ret(l, 1, at_cast(l, at_sel(l, odd, at_num(l, e, 0), e), TEN_I32));
}

static void lower_dist(at *l) {
  ten_value *a, *b;
  at_pair(l, "self", "other", true, &a, &b);
  const double p = at_float(l, "p", 2);
  ten_value *gap = at_flatten(l, at_un(l, TEN_OP_ABS, at_sub(l, a, b))), *y;
  const int64_t dim = 0;
  if (isinf(p))
    y = at_reduce(l, p > 0 ? TEN_OP_MAXIMUM : TEN_OP_MINIMUM, gap, 1, &dim, false);
  else if (p == 0)
    y = at_sum(l, at_cast(l, at_cmp(l, TEN_NE, gap, at_num(l, gap, 0)), at_type(gap)), 1, &dim, false);
  else if (p == 2)
    y = at_sqrt(l, at_sum(l, at_mul(l, gap, gap), 1, &dim, false));
  else
    y = at_bin(l, TEN_OP_POWER, at_sum(l, at_bin(l, TEN_OP_POWER, gap, at_num(l, gap, p)), 1, &dim, false),
               at_num(l, gap, 1 / p));
  at_ret(l, 0, y);
}

static void lower_cross(at *l) {
  ten_value *a, *b;
  at_pair(l, "self", "other", false, &a, &b);
  uint32_t rank;
  int64_t dims[AT_DIMS];
  at_broadcast_dims(l, a, b, &rank, dims);
  a = at_expand(l, a, rank, dims), b = at_expand(l, b, rank, dims);
  const int64_t dim = at_dim_arg(l, "dim", -1, rank);
  at_check(l, rank && dims[dim] == 3, "three components are needed");
  ten_value *pa[3], *pb[3], *out[3];
  for (int64_t i = 0; i < 3; i++) pa[i] = at_slice(l, a, dim, i, i + 1, 1), pb[i] = at_slice(l, b, dim, i, i + 1, 1);
  for (int i = 0; i < 3; i++)
    out[i] = at_sub(l, at_mul(l, pa[(i + 1) % 3], pb[(i + 2) % 3]), at_mul(l, pa[(i + 2) % 3], pb[(i + 1) % 3]));
  at_ret(l, 0, at_cat(l, 3, out, dim));
}

/* Σ over sumdim of i1·i2·i3, each expanded at the given dimensions. */
static void lower_trilinear(at *l) {
  static const char *const names[3] = {"i1", "i2", "i3"}, *const expands[3] = {"expand1", "expand2", "expand3"};
  ten_value *product = NULL;
  for (int k = 0; k < 3; k++) {
    ten_value *x = at_t(l, names[k]);
    const ten_ints where = at_ints(l, expands[k]);
    for (size_t i = 0; i < where.count; i++) x = at_unsqueeze(l, x, where.data[i]);
    product = product ? at_mul(l, product, x) : x;
  }
  int64_t dims[AT_DIMS];
  const uint32_t count = at_ints(l, "sumdim").count ? at_dims_arg(l, "sumdim", at_rank(product), dims) : 0;
  at_ret(l, 0, at_sum(l, product, count, dims, false));
}

static void lower_histc(at *l) {
  ten_value *self = at_t(l, "self"), *x = at_flatten(l, self);
  if (!at_is_float(x)) x = at_cast(l, x, TEN_F64); /* devices other than the CPU also count integers */
  const int64_t bins = at_int(l, "bins", 100);
  const double low = at_float(l, "min", 0), high = at_float(l, "max", 0);
  const int64_t zero = 0;
  at_check(l, bins > 0, "%lld bins", (long long)bins);
  ten_value *from = at_num(l, x, low), *to = at_num(l, x, high);
  if (low == high) { /* the data's own range */
    from = at_reduce(l, TEN_OP_MINIMUM, x, 1, &zero, false), to = at_reduce(l, TEN_OP_MAXIMUM, x, 1, &zero, false);
    ten_value *flat = at_cmp(l, TEN_EQ, from, to);
    from = at_sel(l, flat, at_addn(l, from, -1), from), to = at_sel(l, flat, at_addn(l, to, 1), to);
  }
  ten_value *place =
      at_un(l, TEN_OP_FLOOR, at_div(l, at_muln(l, at_sub(l, x, from), (double)bins), at_sub(l, to, from)));
  place = at_min(l, place, at_num(l, x, (double)(bins - 1)));
  ten_value *in = at_and(l, at_cmp(l, TEN_GE, x, from), at_cmp(l, TEN_LE, x, to));
  ten_value *index = at_cast(l, at_max(l, place, at_num(l, x, 0)), TEN_I64);
  const ten_dtype dtype = at_type(self);
  at_ret(l, 0, at_scatter_flat(l, TEN_OP_ADD, at_full(l, dtype, 1, &bins, 0), index, at_cast(l, in, dtype)));
}

static void lower_nonzero_static(at *l) {
  ten_value *x = at_cast(l, at_t(l, "self"), TEN_I1), *flat = at_flatten(l, x);
  const int64_t size = at_int(l, "size", 0), rank = at_rank(x), fill = at_int_any(l, "fill_value", -1),
                dims[2] = {size, rank};
  if (!size || !rank) {
    at_ret(l, 0, at_full(l, TEN_I64, 2, dims, (double)fill));
    return;
  }
  /* The true elements first, in order: a stable sort by "not true". */
  ten_value *values, *order;
  at_sort(l, at_cast(l, at_not(l, flat), TEN_I32), 0, false, &values, &order);
  const int64_t have = at_count(x), zero = 0;
  ten_value *count = at_sum(l, at_cast(l, flat, TEN_I64), 1, &zero, false);
  if (size > have) order = at_pad(l, order, 0, 0, size - have, 0, 0);
  order = at_slice(l, order, 0, 0, size, 1);
  ten_value *live = at_cmp(l, TEN_LT, at_iota(l, TEN_I64, 1, &size, 0), count), *parts[AT_DIMS];
  for (int64_t i = rank; i-- > 0;) {
    ten_value *n = ten_build_scalar_int(&l->b, TEN_I64, at_dim(l, x, i));
    parts[i] = at_unsqueeze(
        l, at_sel(l, live, at_bin(l, TEN_OP_REMAINDER, order, n), ten_build_scalar_int(&l->b, TEN_I64, fill)), 1);
    order = at_div(l, order, n);
  }
  at_ret(l, 0, at_cat(l, (size_t)rank, parts, 1));
}

/* Scales rows whose norm exceeds the limit down to it, in the table itself. */
static void lower_embedding_renorm(at *l) {
  ten_value *x = at_t(l, "self"), *index = at_flatten(l, at_cast(l, at_t(l, "indices"), TEN_I64));
  const double limit = at_float(l, "max_norm", 1), p = at_float(l, "norm_type", 2);
  const int64_t last = 1, rows = at_dim(l, x, 0);
  ten_value *size = at_un(l, TEN_OP_ABS, x);
  ten_value *norm =
      p == 2 ? at_sqrt(l, at_sum(l, at_mul(l, size, size), 1, &last, true))
             : at_bin(l, TEN_OP_POWER, at_sum(l, at_bin(l, TEN_OP_POWER, size, at_num(l, x, p)), 1, &last, true),
                      at_num(l, x, 1 / p));
  ten_value *scaled = at_mul(l, x, at_div(l, at_num(l, x, limit), at_addn(l, norm, 1e-7)));
  ten_value *hit = at_scatter_flat(l, TEN_OP_OR, at_full(l, TEN_I1, 1, &rows, 0), index,
                                   at_full(l, TEN_I1, 1, at_dims_first(l, index, 1), 1));
  at_ret(l, 0, at_sel(l, at_and(l, at_unsqueeze(l, hit, 1), at_cmp(l, TEN_GT, norm, at_num(l, x, limit))), scaled, x));
}

const at_row at_rows_special[] = {{"deg2rad", lower_degrees},
                                  {"rad2deg", lower_degrees, .code = 1},
                                  {"sinc", lower_sinc},
                                  {"special_sinc", lower_sinc},
                                  {"i0", lower_bessel},
                                  {"special_i0", lower_bessel},
                                  {"special_i0e", lower_bessel, .code = 1},
                                  {"special_modified_bessel_i0", lower_bessel},
                                  {"special_modified_bessel_i1", lower_bessel, .code = 2},
                                  {"special_i1", lower_bessel, .code = 2},
                                  {"special_i1e", lower_bessel, .code = 3},
                                  {"digamma", lower_digamma},
                                  {"special_digamma", lower_digamma},
                                  {"special_psi", lower_digamma},
                                  {"polygamma", lower_polygamma},
                                  {"special_polygamma", lower_polygamma},
                                  {"special_zeta", lower_zeta},
                                  {"mvlgamma", lower_mvlgamma},
                                  {"special_multigammaln", lower_mvlgamma},
                                  {"special_ndtr", lower_ndtr},
                                  {"special_log_ndtr", lower_ndtr, .code = 1},
                                  {"special_ndtri", lower_ndtri},
                                  {"special_entr", lower_entr},
                                  {"special_erfcx", lower_erfcx},
                                  {"igamma", lower_igamma},
                                  {"special_gammainc", lower_igamma},
                                  {"igammac", lower_igamma, .code = 1},
                                  {"special_gammaincc", lower_igamma, .code = 1},
                                  {"frexp", lower_frexp},
                                  {"dist", lower_dist},
                                  {"cross", lower_cross},
                                  {"linalg_cross", lower_cross},
                                  {"_trilinear", lower_trilinear},
                                  {"histc", lower_histc},
                                  {"nonzero_static", lower_nonzero_static},
                                  {"embedding_renorm", lower_embedding_renorm},
                                  {NULL}};
