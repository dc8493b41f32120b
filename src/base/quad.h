/* quad.h: 113-bit floats, the same on every machine: long double where it has that format, else glibc's _Float128.
 * Functions of doubles that are computed in them and rounded once are correctly rounded but for the rarest ties, with
 * headroom against overflow and cancellation in intermediate results. */
#ifndef TEN_BASE_QUAD_H
#define TEN_BASE_QUAD_H

#include <complex.h>
#include <float.h>
#include <math.h>

#if LDBL_MANT_DIG == 113
typedef long double quad;
typedef _Complex long double quad_complex;
#define Q(function) function##l
#define QC(constant) constant##L
#define quad_lgamma_r lgammal_r
#else
#define Q(function) function##f128
#define QC(constant) constant##Q
#define quad_lgamma_r lgammaf128_r
#if defined(__HAVE_FLOAT128) && __HAVE_FLOAT128
typedef _Float128 quad;
typedef __CFLOAT128 quad_complex;
#else /* glibc does not declare them for this compiler, though it has the type and the library has the functions */
typedef __float128 quad;
typedef _Complex __float128 quad_complex;
quad Q(fabs)(quad), Q(floor)(quad), Q(sqrt)(quad), Q(cbrt)(quad), Q(exp)(quad), Q(expm1)(quad), Q(log)(quad),
    Q(log1p)(quad), Q(sin)(quad), Q(cos)(quad), Q(tan)(quad), Q(cosh)(quad), Q(erf)(quad), Q(erfc)(quad),
    Q(atan2)(quad, quad), Q(hypot)(quad, quad), Q(pow)(quad, quad), quad_lgamma_r(quad, int *);
quad_complex Q(cexp)(quad_complex), Q(clog)(quad_complex), Q(csqrt)(quad_complex), Q(csin)(quad_complex),
    Q(ccos)(quad_complex), Q(ctan)(quad_complex), Q(csinh)(quad_complex), Q(ccosh)(quad_complex),
    Q(ctanh)(quad_complex), Q(casin)(quad_complex), Q(cacos)(quad_complex), Q(catan)(quad_complex),
    Q(casinh)(quad_complex), Q(cacosh)(quad_complex), Q(catanh)(quad_complex), Q(cpow)(quad_complex, quad_complex);
#endif
#endif

static inline quad_complex quad_make(quad real, quad imag) {
  quad_complex z;
  __real__ z = real;
  __imag__ z = imag;
  return z;
}
static inline quad quad_re(quad_complex z) { return __real__ z; }
static inline quad quad_im(quad_complex z) { return __imag__ z; }

/* quad.c: real special functions. */
quad quad_digamma(quad x);
quad quad_polygamma(quad n, quad x);
quad quad_zeta(quad s, quad q);
quad quad_erf_inv(quad x);
quad quad_bessel_i1e(quad x);
quad quad_lgamma(quad x);

#endif
