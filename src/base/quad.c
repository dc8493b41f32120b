/* quad.c: special functions in 113 bits. Domains and poles are those of chlo: NaN outside, and the signs of infinity
 * that XLA gives. Has no dependencies: compiled programs call these too. */
#include "base/quad.h"

static const quad PI = QC(3.14159265358979323846264338327950288419716939937510);

quad quad_lgamma(quad x) {
  int sign;
  if (isinf(x)) return (quad)INFINITY;
  return quad_lgamma_r(x, &sign);
}

/* B(2k), k = 1…15 */
static const quad bernoulli[] = {QC(1.) / 6,
                                 QC(-1.) / 30,
                                 QC(1.) / 42,
                                 QC(-1.) / 30,
                                 QC(5.) / 66,
                                 QC(-691.) / 2730,
                                 QC(7.) / 6,
                                 QC(-3617.) / 510,
                                 QC(43867.) / 798,
                                 QC(-174611.) / 330,
                                 QC(854513.) / 138,
                                 QC(-236364091.) / 2730,
                                 QC(8553103.) / 6,
                                 QC(-23749461029.) / 870,
                                 QC(8615841276005.) / 14322};
enum { BERNOULLI_COUNT = sizeof bernoulli / sizeof *bernoulli };

/* Shifts up to where the asymptotic series holds to full precision; reflects where x is negative. */
quad quad_digamma(quad x) {
  if (isnan(x)) return x;
  if (x == 0 || (x < 0 && x == Q(floor)(x))) return (quad)NAN;
  if (x < 0) return quad_digamma(1 - x) - PI / Q(tan)(PI * x);
  if (isinf(x)) return x;
  quad sum = 0;
  for (; x < 40; x += 1) sum -= 1 / x;
  sum += Q(log)(x) - 1 / (2 * x);
  quad power = 1 / (x * x), term = power;
  for (int k = 0; k < BERNOULLI_COUNT; k++, term *= power) sum -= bernoulli[k] * term / (2 * (k + 1));
  return sum;
}

/* Hurwitz zeta by Euler–Maclaurin: the first terms directly, the rest as an integral with corrections. */
quad quad_zeta(quad s, quad q) {
  if (isnan(s) || isnan(q) || s < 1) return (quad)NAN;
  if (s == 1) return (quad)INFINITY;
  if (q <= 0) {
    if (q == Q(floor)(q)) return s == 2 * Q(floor)(s / 2) ? (quad)INFINITY : (quad)NAN;
    if (s != Q(floor)(s)) return (quad)NAN; /* a fractional power of a negative number */
  }
  if (isinf(s)) return q > 1 ? 0 : q == 1 ? 1 : (quad)INFINITY;
  quad sum = 0;
  for (int i = 0; i < 40 || q < 40; i++, q += 1) {
    const quad term = Q(pow)(q, -s);
    sum += term;
    if (isinf(sum) || (q > 0 && term < sum * QC(1e-36))) return sum;
  }
  const quad power = Q(pow)(q, -s);
  sum += power * q / (s - 1) + power / 2;
  quad rising = s, factorial = 2, down = power / q;
  for (int k = 0; k < BERNOULLI_COUNT; k++) {
    sum += bernoulli[k] * rising / factorial * down;
    rising *= (s + 2 * k + 1) * (s + 2 * k + 2);
    factorial *= (quad)(2 * k + 3) * (2 * k + 4);
    down /= q * q;
  }
  return sum;
}

/* ψ⁽ⁿ⁾(x) = (-1)ⁿ⁺¹ n! ζ(n + 1, x) */
quad quad_polygamma(quad n, quad x) {
  if (isnan(n) || isnan(x) || n < 0 || n != Q(floor)(n)) return (quad)NAN;
  if (n == 0) return quad_digamma(x);
  const quad size = Q(exp)(quad_lgamma(n + 1)) * quad_zeta(n + 1, x);
  return n == 2 * Q(floor)(n / 2) ? -size : size;
}

/* Newton's method on erf from a rough inverse; on erfc near the ends, where 1 - |x| determines the result. */
quad quad_erf_inv(quad x) {
  if (isnan(x) || x < -1 || x > 1) return (quad)NAN;
  if (x == 1 || x == -1) return x * (quad)INFINITY;
  if (x == 0) return x;
  const quad size = Q(fabs)(x), tail = 1 - size;
  const quad w = Q(log)(tail * (1 + size)), a = QC(0.147), b = 2 / (PI * a) + w / 2;
  quad y = Q(sqrt)(Q(sqrt)(b * b - w / a) - b);
  for (int i = 0; i < 12; i++) {
    const quad slope = 2 / Q(sqrt)(PI) * Q(exp)(-y * y);
    const quad miss = size < QC(0.5) ? Q(erf)(y) - size : tail - Q(erfc)(y);
    const quad step = miss / slope;
    const quad next = y - step / (1 + y * step); /* Halley */
    if (next == y) break;
    y = next;
  }
  return x < 0 ? -y : y;
}

/* exp(-|x|)·I1(x): the power series has no cancellation; for large x the asymptotic series is shorter. */
quad quad_bessel_i1e(quad x) {
  if (isnan(x)) return x;
  const quad size = Q(fabs)(x);
  quad sum;
  if (isinf(size)) {
    sum = 0;
  } else if (size < 100) {
    quad term = size / 2;
    sum = term;
    for (int k = 1; term > sum * QC(1e-36) && k < 1000; k++) sum += term *= size * size / 4 / ((quad)k * (k + 1));
    sum *= Q(exp)(-size);
  } else {
    quad term = 1;
    sum = 1;
    for (int k = 1; k < 40; k++) sum += term *= -(4 - (quad)(2 * k - 1) * (2 * k - 1)) / ((quad)k * 8 * size);
    sum /= Q(sqrt)(2 * PI * size);
  }
  return x < 0 ? -sum : sum;
}
