/* multiplier.c: scales as fixed-point factors, with the rounding that TFLite gives them. */
#include "edge/multiplier.h"

#include <math.h>

edge_factor edge_factor_of(double real) {
  edge_factor factor = {0};
  if (!(real > 0)) return factor;
  if (isinf(real)) return (edge_factor){.multiplier = INT32_MAX, .shift = 30};
  const double fraction = frexp(real, &factor.shift);
  int64_t fixed = (int64_t)round(fraction * 2147483648.0);
  if (fixed == INT64_C(1) << 31) fixed /= 2, factor.shift++;
  if (factor.shift < -31) fixed = 0, factor.shift = 0;
  if (factor.shift > 30) fixed = INT32_MAX, factor.shift = 30;
  factor.multiplier = (int32_t)fixed;
  return factor;
}

void edge_range_scale(float low, float high, float *out_scale, int32_t *out_zero_point) {
  if (low > 0) low = 0;
  if (high < 0) high = 0;
  const double width = (double)high - (double)low;
  float scale = (float)(width / (EDGE_HIGH - EDGE_LOW));
  if (!(scale >= 1e-12f)) scale = 1.0f / 256; /* nothing but zeros */
  const double zero = (double)EDGE_LOW - (double)low / (double)scale;
  *out_scale = scale;
  *out_zero_point = (int32_t)fmin(fmax(round(zero), EDGE_LOW), EDGE_HIGH);
}

int32_t edge_quantized(double real, double scale, int32_t zero_point, int32_t low, int32_t high) {
  const double q = round(real / scale) + zero_point;
  return q < low ? low : q > high ? high : (int32_t)q;
}

void edge_activation_range(const edge_tensor *t, edge_activation activation, int32_t *out_low, int32_t *out_high) {
  *out_low = EDGE_LOW, *out_high = EDGE_HIGH;
  if (activation == EDGE_LINEAR || !t->scales) return;
  const double scale = (double)t->scales[0];
  *out_low = edge_quantized(0, scale, t->zero_point, EDGE_LOW, EDGE_HIGH);
  if (activation == EDGE_ACT_RELU6) *out_high = edge_quantized(6, scale, t->zero_point, EDGE_LOW, EDGE_HIGH);
}

enum { PIXEL = 1024, SIZE_MOST = 1 << 20 };

edge_place edge_linear_place(int64_t to, int64_t in, int64_t out, bool corners) {
  const bool aligned = corners && out > 1;
  const int64_t steps = aligned ? out - 1 : out, step = (PIXEL * (aligned ? in - 1 : in) + steps / 2) / steps,
                at = corners ? to * step : to * step + step / 2 - PIXEL / 2, last = in - 1;
  const int64_t low = at > 0 ? at / PIXEL : 0, high = at > 0 ? (at + PIXEL - 1) / PIXEL : 0;
  return (edge_place){
      .low = (int32_t)low, .high = (int32_t)(high < last ? high : last), .part = (int32_t)(at - PIXEL * low)};
}

/* The steps are all rounded the same way, so that the last place is the farthest off. */
bool edge_linear_fits(int64_t in, int64_t out, bool corners) {
  if (in < 1 || out < 1 || in > SIZE_MOST || out > SIZE_MOST) return false;
  const edge_place last = edge_linear_place(out - 1, in, out, corners);
  const double n = (double)in, exact = corners ? out > 1 ? n - 1 : 0 : (1 - 0.5 / (double)out) * n - 0.5,
               got = (double)last.low + (double)last.part / (double)PIXEL;
  return last.low < in && fabs(got - exact) <= 0.25;
}
