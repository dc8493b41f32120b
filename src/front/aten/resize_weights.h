/* resize_weights.h: rows of resizing weights, in the type that PyTorch computes them in: REAL, once for float and once
 * for double (resize.c). */
static REAL NAME(cubic)(REAL d, REAL a) {
  d = REAL_ABS(d);
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

static REAL NAME(filter)(REAL d, bool is_cubic) {
  if (is_cubic) return NAME(cubic)(d, -(REAL)0.5);
  d = REAL_ABS(d);
  return d < 1 ? 1 - d : 0;
}

/* One row of an antialiasing filter, stretched when shrinking. */
static void NAME(smooth_fill)(REAL *row, int64_t k, int64_t in, REAL scale, bool is_cubic) {
  const REAL support = (is_cubic ? (REAL)2.0 : (REAL)1.0) * (scale > 1 ? scale : 1),
             center = scale * ((REAL)k + (REAL)0.5), inverse = scale >= 1 ? 1 / scale : 1;
  int64_t first = (int64_t)((double)(center - support) + 0.5), limit = (int64_t)((double)(center + support) + 0.5);
  if (first < 0) first = 0;
  if (limit > in) limit = in;
  REAL total = 0;
  for (int64_t j = first; j < limit; j++) {
    row[j] = NAME(filter)((REAL)(((double)((REAL)j - center) + 0.5) * (double)inverse), is_cubic);
    total += row[j];
  }
  for (int64_t j = first; j < limit && total != 0; j++) row[j] /= total;
}

static void NAME(weights_fill)(REAL *weights, int64_t in, int64_t out, REAL scale, bool align, bool is_cubic,
                               bool smooth) {
  for (int64_t k = 0; k < out; k++) {
    REAL *row = weights + k * in;
    if (smooth) {
      NAME(smooth_fill)(row, k, in, scale, is_cubic);
      continue;
    }
    REAL at_ = align ? scale * (REAL)k : scale * ((REAL)k + (REAL)0.5) - (REAL)0.5;
    if (!is_cubic && at_ < 0) at_ = 0;
    int64_t base = (int64_t)REAL_FLOOR(at_);
    if (!is_cubic && base > in - 1) base = in - 1;
    REAL part = at_ - (REAL)base;
    if (part > 1) part = 1;
    const int taps = is_cubic ? 4 : 2;
    for (int t = 0; t < taps; t++) {
      int64_t j = base + t - (is_cubic ? 1 : 0);
      const REAL w = is_cubic ? NAME(cubic)(part - (REAL)(t - 1), -(REAL)0.75) : t ? part : 1 - part;
      j = j < 0 ? 0 : j > in - 1 ? in - 1 : j;
      row[j] += w;
    }
  }
}
