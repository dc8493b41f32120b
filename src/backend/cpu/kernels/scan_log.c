/* scan_log.c: cumulative log(Σ exp x) along one dimension, in f64: the largest so far, and the sum of the exponentials
 * relative to it, rescaled when a larger one appears. One exponential and one logarithm per element, vectorized along
 * the line, or across adjacent lines. */
#include <math.h>
#include <string.h>

#include "backend/cpu/kernels/gemm.h"

enum { LANES = VL / 2, CHUNK = 64, COLUMNS = TEN_SCAN_COLUMNS };
_Static_assert(CHUNK % LANES == 0 && COLUMNS % LANES == 0, "whole vectors");

typedef double vd __attribute__((vector_size(LANES * sizeof(double)), may_alias));
typedef int64_t vi __attribute__((vector_size(LANES * sizeof(double)), may_alias));

ALWAYS_INLINE vd splat(double x) { return x - (vd){0}; }
ALWAYS_INLINE vd either(vi mask, vd yes, vd no) { return (vd)((mask & (vi)yes) | (~mask & (vi)no)); }

/* exp(x) of x ≤ 0, to 1 ulp; subnormal results are 0, as they vanish against the 1 that they are added to. */
ALWAYS_INLINE vd exp_below(vd x) {
  const double round = 6755399441055744.0; /* 1.5·2^52: adding it leaves the integer in the low bits */
  const vd shifted = x * 1.4426950408889634 + round, n = shifted - round;
  const vd r = (x - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;
  static const double terms[] = {
      1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
      1.0 / 720,        1.0 / 120,       1.0 / 24,       1.0 / 6,       1.0 / 2,      1.0,         1.0};
  vd sum = splat(terms[0]);
  for (size_t i = 1; i < sizeof terms / sizeof *terms; i++) sum = sum * r + terms[i];
  const vd scale = (vd)(((vi)shifted + 1023) << 52);
  return either(x < splat(-708), splat(0), sum * scale);
}

/* log(x) of finite x ≥ 1; NaN propagates. */
ALWAYS_INLINE vd log_above(vd x) {
  const vi bits = (vi)x - 0x3FE6A09E667F3BCD; /* of √½: the mantissa is in [√½, √2) */
  const vi n = (bits >> 52) & 0x7FF;          /* not negative */
  const vd m = (vd)((vi)x - (n << 52)), magic = splat(6755399441055744.0);
  const vd e = (vd)((vi)magic + n) - magic;
  const vd f = (m - 1) / (m + 1), s = f * f;
  vd sum = splat(2.0 / 23);
  for (int k = 21; k >= 3; k -= 2) sum = sum * s + 2.0 / k;
  const vd small = f * s * sum + 2 * f;
  return either(x == x, e * 6.93147180369123816490e-01 + (small + e * 1.90821492927058770002e-10), x);
}

/* exp(x - top), where the distance of equal infinities is zero. */
ALWAYS_INLINE vd below(vd x, vd top) { return exp_below(either(x == top, splat(0), x - top)); }

ALWAYS_INLINE vd larger(vd a, vd b) { return either((a > b) | (a != a), a, b); } /* NaN propagates */

typedef struct line {
  double top, sum;
} line;

/* The next `CHUNK` elements of a line, in place. */
static void chunk_run(line *l, double x[CHUNK]) {
  double tops[1 + CHUNK], sums[CHUNK], shrink[CHUNK];
  tops[0] = l->top;
  for (int k = 0; k < CHUNK; k++) tops[k + 1] = tops[k] > x[k] || tops[k] != tops[k] ? tops[k] : x[k];
  const bool rises = !(tops[CHUNK] == tops[0]);
  for (int k = 0; k < CHUNK; k += LANES) {
    vd value, top, before;
    memcpy(&value, x + k, sizeof value);
    memcpy(&top, tops + 1 + k, sizeof top);
    memcpy(&before, tops + k, sizeof before);
    const vd part = below(value, top), less = rises ? below(before, top) : splat(1);
    memcpy(sums + k, &part, sizeof part);
    memcpy(shrink + k, &less, sizeof less);
  }
  double sum = l->sum;
  for (int k = 0; k < CHUNK; k++) sums[k] = sum = sum * shrink[k] + sums[k];
  for (int k = 0; k < CHUNK; k += LANES) {
    vd top, all;
    memcpy(&top, tops + 1 + k, sizeof top);
    memcpy(&all, sums + k, sizeof all);
    const vd y = top + log_above(all);
    memcpy(x + k, &y, sizeof y);
  }
  *l = (line){tops[CHUNK], sum};
}

/* One row of a block of columns, in place. */
static void row_run(int64_t columns, double *tops, double *sums, double *x) {
  for (int64_t j = 0; j < columns; j += LANES) {
    vd value, before, sum;
    memcpy(&value, x + j, sizeof value);
    memcpy(&before, tops + j, sizeof before);
    memcpy(&sum, sums + j, sizeof sum);
    const vd top = larger(before, value);
    sum = sum * below(before, top) + below(value, top);
    value = top + log_above(sum);
    memcpy(x + j, &value, sizeof value);
    memcpy(tops + j, &top, sizeof top);
    memcpy(sums + j, &sum, sizeof sum);
  }
}

ALWAYS_INLINE double number(const void *from, bool wide, int64_t at) {
  return wide ? ((const double *)from)[at] : (double)((const float *)from)[at];
}

ALWAYS_INLINE void put(void *to, bool wide, int64_t at, double x) {
  if (wide)
    ((double *)to)[at] = x;
  else
    ((float *)to)[at] = (float)x;
}

ALWAYS_INLINE void unit_run(const ten_scan *s, const void *from, void *to, bool wide, int64_t unit) {
  const int64_t blocks = (s->inner + COLUMNS - 1) / COLUMNS, c0 = unit % blocks * COLUMNS;
  const int64_t columns = s->inner - c0 < COLUMNS ? s->inner - c0 : COLUMNS;
  const int64_t step = s->reverse ? -s->inner : s->inner;
  int64_t at = unit / blocks * s->n * s->inner + c0 + (s->reverse ? (s->n - 1) * s->inner : 0);
  if (columns == 1) {
    line l = {.top = (double)-INFINITY};
    for (int64_t k = 0; k < s->n; k += CHUNK) {
      const int64_t count = s->n - k < CHUNK ? s->n - k : CHUNK;
      double x[CHUNK];
      for (int64_t i = 0; i < count; i++) x[i] = number(from, wide, at + i * step);
      for (int64_t i = count; i < CHUNK; i++) x[i] = (double)-INFINITY;
      chunk_run(&l, x);
      for (int64_t i = 0; i < count; i++, at += step) put(to, wide, at, x[i]);
    }
    return;
  }
  double tops[COLUMNS], sums[COLUMNS] = {0}, x[COLUMNS] = {0};
  for (int64_t j = 0; j < COLUMNS; j++) tops[j] = (double)-INFINITY;
  for (int64_t k = 0; k < s->n; k++, at += step) {
    for (int64_t j = 0; j < columns; j++) x[j] = number(from, wide, at + j);
    row_run(columns, tops, sums, x);
    for (int64_t j = 0; j < columns; j++) put(to, wide, at + j, x[j]);
  }
}

void TEN_K(scan_log_run)(const ten_scan *s, const void *from, void *to, int64_t begin, int64_t end) {
  for (int64_t unit = begin; unit < end; unit++)
    if (s->type == TEN_SCAN_F64)
      unit_run(s, from, to, true, unit);
    else
      unit_run(s, from, to, false, unit);
}
