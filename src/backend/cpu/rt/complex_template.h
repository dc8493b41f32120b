/* complex_template.h: complex functions of one element, computed in a wider float and rounded once. Included by
 * complex.c for each pair of types: T is the element's part, W the wider float, WC its complex type, M(f) the library's
 * function for W, RT(f) the name. */

static WC RT(make)(W re, W im) {
  WC z;
  __real__ z = re;
  __imag__ z = im;
  return z;
}

static WC RT(f_sign)(WC z) {
  const W x = __real__ z, y = __imag__ z;
  if (isnan(x) || isnan(y)) return RT(make)((W)NAN, (W)NAN);
  if (x == 0 && y == 0) return RT(make)(0, 0);
  const W size = M(hypot)(x, y);
  return RT(make)(x / size, y / size);
}

/* With an infinite real part the direction is undefined when the imaginary part is infinite or NaN. */
static WC RT(f_exp)(WC z) {
  const W x = __real__ z, y = __imag__ z;
  if (isinf(x) && !isfinite(y)) return RT(make)((W)NAN, (W)NAN);
  return M(cexp)(z);
}

/* log|1 + z|² through log1p of (2x + x²) + y², summed without losing the small part. */
static WC RT(f_log1p)(WC z) {
  const W x = __real__ z, y = __imag__ z;
  const W size = M(fabs)(x) + M(fabs)(y);
  if (!(size < (W)1e10)) return M(clog)(RT(make)(x + 1, y));
  const W a = x + x, b = x * x, c = y * y;
  const W s = a + b, t = s - a, e = (a - (s - t)) + (b - t);
  const W u = s + c, v = u - s, f = (s - (u - v)) + (c - v);
  const W near = u + (e + f);
  const W real = near > (W)-0.5 ? M(log1p)(near) / 2 : M(log)(M(hypot)(x + 1, y));
  return RT(make)(real, M(atan2)(y, x + 1));
}

/* sin / cos, so that an infinite real part gives NaN in both parts; C's gives a zero on the axis. */
static WC RT(f_tan)(WC z) {
  const W x = __real__ z;
  return isinf(x) && __imag__ z == 0 ? RT(make)(x - x, x - x) : M(ctan)(z);
}

/* e^x·cos y - 1 = (e^x - 1)·cos y - 2·sin²(y / 2) */
static WC RT(f_expm1)(WC z) {
  const W x = __real__ z, y = __imag__ z;
  if (isinf(x) && !isfinite(y)) return RT(make)(y - y, y - y); /* e^x·cos y has no limit there */
  if (!isfinite(x) || !isfinite(y)) {
    const WC e = M(cexp)(z);
    return RT(make)(__real__ e - 1, __imag__ e);
  }
  const W half = M(sin)(y / 2);
  return RT(make)(M(expm1)(x) * M(cos)(y) - 2 * half * half, y == 0 ? y : M(exp)(x) * M(sin)(y));
}

static WC RT(f_cbrt)(WC z) {
  const W x = __real__ z, y = __imag__ z;
  if (x == 0 && y == 0) return z;
  const W size = M(cbrt)(M(hypot)(x, y)), angle = M(atan2)(y, x) / 3;
  return RT(make)(size * M(cos)(angle), size * M(sin)(angle));
}

/* With |x| + i·|y| = sin(u + i·v), cos u·cosh v + i·v: the real part is that of √(1 - z)·√(1 + z). */
static WC RT(f_asin_acos_kernel)(WC z) {
  const W x = M(fabs)(__real__ z), y = M(fabs)(__imag__ z);
  if (isinf(x) || isinf(y)) return RT(make)(y, (W)INFINITY);
  const WC less = M(csqrt)(RT(make)(1 - x, -y)), more = M(csqrt)(RT(make)(1 + x, y));
  return RT(make)(__real__ less * __real__ more - __imag__ less * __imag__ more, __imag__ M(casin)(RT(make)(x, y)));
}

static WC RT(f_pow)(WC a, WC b) {
  if (__real__ a == 0 && __imag__ a == 0) {
    if (__real__ b == 0 && __imag__ b == 0) return RT(make)(1, 0);
    if (__real__ b > 0) return RT(make)(0, 0);
  }
  return M(cpow)(a, b);
}

static WC RT(f_atan2)(WC y, WC x) {
  const WC i = RT(make)(0, 1);
  return -i * M(clog)((x + i * y) / M(csqrt)(x * x + y * y));
}

#define UNARY(name, expression)          \
  void RT(name)(T re, T im, T * out);    \
  void RT(name)(T re, T im, T * out) {   \
    const WC z = RT(make)((W)re, (W)im); \
    const WC r = (expression);           \
    out[0] = (T) __real__ r;             \
    out[1] = (T) __imag__ r;             \
  }
#define BINARY(name, expression)                                         \
  void RT(name)(T xre, T xim, T yre, T yim, T * out);                    \
  void RT(name)(T xre, T xim, T yre, T yim, T * out) {                   \
    const WC x = RT(make)((W)xre, (W)xim), y = RT(make)((W)yre, (W)yim); \
    const WC r = (expression);                                           \
    out[0] = (T) __real__ r;                                             \
    out[1] = (T) __imag__ r;                                             \
  }
UNARY(sign, RT(f_sign)(z))
UNARY(exp, RT(f_exp)(z))
UNARY(expm1, RT(f_expm1)(z))
UNARY(log, M(clog)(z))
UNARY(log1p, RT(f_log1p)(z))
UNARY(logistic, RT(make)(1, 0) / (RT(make)(1, 0) + M(cexp)(-z)))
UNARY(sqrt, M(csqrt)(z))
UNARY(rsqrt, RT(make)(1, 0) / M(csqrt)(z))
UNARY(cbrt, RT(f_cbrt)(z))
UNARY(sin, M(csin)(z))
UNARY(cos, M(ccos)(z))
UNARY(tan, RT(f_tan)(z))
UNARY(tanh, M(ctanh)(z))
UNARY(sinh, M(csinh)(z))
UNARY(cosh, M(ccosh)(z))
UNARY(asin, M(casin)(z))
UNARY(acos, M(cacos)(z))
UNARY(atan, M(catan)(z))
UNARY(asinh, M(casinh)(z))
UNARY(acosh, M(cacosh)(z))
UNARY(atanh, M(catanh)(z))
UNARY(asin_acos_kernel, RT(f_asin_acos_kernel)(z))
UNARY(square, RT(make)((__real__ z - __imag__ z) * (__real__ z + __imag__ z), 2 * __real__ z * __imag__ z))
BINARY(div, x / y)
BINARY(pow, RT(f_pow)(x, y))
BINARY(atan2, RT(f_atan2)(x, y))
#undef UNARY
#undef BINARY
