/* quad.h: 113-bit floats, the same on every machine: long double where that is the format, glibc's _Float128 elsewhere.
 * Functions of doubles that are worked out in them and rounded once are right to the last bit but for the rarest ties,
 * with room to spare for overflow and cancellation on the way. */
#ifndef TEN_INTERP_QUAD_H
#define TEN_INTERP_QUAD_H

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
typedef _Float128 quad;
typedef __CFLOAT128 quad_complex;
#define Q(function) function##f128
#define QC(constant) constant##Q
#define quad_lgamma_r lgammaf128_r
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
