/* fft_lines.h: transforms of lines in one precision; included by fft.c once per precision, with REAL, VECTOR (a full
 * register) and FFT(name) defined.
 *
 * `group` lines are transformed at once, interleaved: [n][group], real and imaginary parts separate. A stage of radix r
 * (Stockham's) reads x[q + s·(p + m·j)] and writes y[q + s·(r·p + k)]: its inner loop runs over s ≥ group contiguous
 * elements, so that every length is vectorized. Only forward transforms: a backward one is a forward one with real and
 * imaginary parts swapped. */

/* For q of every line: in full registers, then one by one. */
#define EACH(BODY)                                                                                           \
  do {                                                                                                       \
    int64_t q = 0;                                                                                           \
    for (; q + (int64_t)(sizeof(VECTOR) / sizeof(REAL)) <= s; q += (int64_t)(sizeof(VECTOR) / sizeof(REAL))) \
      BODY(VECTOR)                                                                                           \
    for (; q < s; q++) BODY(REAL)                                                                            \
  } while (0)
#define AT(TYPE, pointer) (*(const TYPE *)((pointer) + q))
#define PUT(TYPE, pointer, value) (*(TYPE *)((pointer) + q) = (value))

#define TWO(TYPE)                                                                                            \
  {                                                                                                          \
    const TYPE x0r = AT(TYPE, ar), x0i = AT(TYPE, ai), x1r = AT(TYPE, ar + step), x1i = AT(TYPE, ai + step); \
    const TYPE tr = x0r - x1r, ti = x0i - x1i;                                                               \
    PUT(TYPE, yr, x0r + x1r);                                                                                \
    PUT(TYPE, yi, x0i + x1i);                                                                                \
    PUT(TYPE, yr + s, tr * wr - ti * wi);                                                                    \
    PUT(TYPE, yi + s, tr * wi + ti * wr);                                                                    \
  }
static void FFT(stage2)(int64_t m, int64_t s, const REAL *tw, const REAL *ar, const REAL *ai, REAL *yr, REAL *yi) {
  const int64_t step = s * m;
  for (int64_t p = 0; p < m; p++, tw += 2, ar += s, ai += s, yr += 2 * s, yi += 2 * s) {
    const REAL wr = tw[0], wi = tw[1];
    EACH(TWO);
  }
}

#define FOUR(TYPE)                                                                                                   \
  {                                                                                                                  \
    const TYPE x0r = AT(TYPE, ar), x1r = AT(TYPE, ar + step), x2r = AT(TYPE, ar + 2 * step);                         \
    const TYPE x3r = AT(TYPE, ar + 3 * step), x0i = AT(TYPE, ai), x1i = AT(TYPE, ai + step);                         \
    const TYPE x2i = AT(TYPE, ai + 2 * step), x3i = AT(TYPE, ai + 3 * step);                                         \
    const TYPE s0r = x0r + x2r, s0i = x0i + x2i, d0r = x0r - x2r, d0i = x0i - x2i;                                   \
    const TYPE s1r = x1r + x3r, s1i = x1i + x3i, d1r = x1r - x3r, d1i = x1i - x3i;                                   \
    const TYPE t1r = d0r + d1i, t1i = d0i - d1r, t2r = s0r - s1r, t2i = s0i - s1i, t3r = d0r - d1i, t3i = d0i + d1r; \
    PUT(TYPE, yr, s0r + s1r);                                                                                        \
    PUT(TYPE, yi, s0i + s1i);                                                                                        \
    PUT(TYPE, yr + s, t1r * w1r - t1i * w1i);                                                                        \
    PUT(TYPE, yi + s, t1r * w1i + t1i * w1r);                                                                        \
    PUT(TYPE, yr + 2 * s, t2r * w2r - t2i * w2i);                                                                    \
    PUT(TYPE, yi + 2 * s, t2r * w2i + t2i * w2r);                                                                    \
    PUT(TYPE, yr + 3 * s, t3r * w3r - t3i * w3i);                                                                    \
    PUT(TYPE, yi + 3 * s, t3r * w3i + t3i * w3r);                                                                    \
  }
static void FFT(stage4)(int64_t m, int64_t s, const REAL *tw, const REAL *ar, const REAL *ai, REAL *yr, REAL *yi) {
  const int64_t step = s * m;
  for (int64_t p = 0; p < m; p++, tw += 6, ar += s, ai += s, yr += 4 * s, yi += 4 * s) {
    const REAL w1r = tw[0], w1i = tw[1], w2r = tw[2], w2i = tw[3], w3r = tw[4], w3i = tw[5];
    EACH(FOUR);
  }
}

/* Any odd radix: uses the sum and difference of x[j] and x[r - j], which halves the multiplications. */
#define ODD(TYPE)                                                                                        \
  {                                                                                                      \
    TYPE sr[FFT_PRIME_MOST / 2], si[FFT_PRIME_MOST / 2], dr[FFT_PRIME_MOST / 2], di[FFT_PRIME_MOST / 2]; \
    const TYPE x0r = AT(TYPE, ar), x0i = AT(TYPE, ai);                                                   \
    TYPE allr = x0r, alli = x0i;                                                                         \
    for (int64_t j = 0; j < half; j++) {                                                                 \
      const REAL *fr = ar + (j + 1) * step, *fi = ai + (j + 1) * step;                                   \
      const REAL *br = ar + (r - 1 - j) * step, *bi = ai + (r - 1 - j) * step;                           \
      sr[j] = AT(TYPE, fr) + AT(TYPE, br);                                                               \
      si[j] = AT(TYPE, fi) + AT(TYPE, bi);                                                               \
      dr[j] = AT(TYPE, fr) - AT(TYPE, br);                                                               \
      di[j] = AT(TYPE, fi) - AT(TYPE, bi);                                                               \
      allr += sr[j];                                                                                     \
      alli += si[j];                                                                                     \
    }                                                                                                    \
    PUT(TYPE, yr, allr);                                                                                 \
    PUT(TYPE, yi, alli);                                                                                 \
    for (int64_t k = 1; k <= half; k++) {                                                                \
      TYPE er = x0r, ei = x0i, ur = x0r - x0r, ui = ur;                                                  \
      for (int64_t j = 0, at = k; j < half; j++, at = at + k < r ? at + k : at + k - r) {                \
        const REAL c = roots[2 * at], w = roots[2 * at + 1];                                             \
        er += sr[j] * c;                                                                                 \
        ei += si[j] * c;                                                                                 \
        ur -= di[j] * w;                                                                                 \
        ui += dr[j] * w;                                                                                 \
      }                                                                                                  \
      const TYPE pr = er + ur, pi = ei + ui, nr = er - ur, ni = ei - ui;                                 \
      const REAL *f = tw + 2 * (k - 1), *g = tw + 2 * (r - k - 1);                                       \
      PUT(TYPE, yr + k * s, pr * f[0] - pi * f[1]);                                                      \
      PUT(TYPE, yi + k * s, pr * f[1] + pi * f[0]);                                                      \
      PUT(TYPE, yr + (r - k) * s, nr * g[0] - ni * g[1]);                                                \
      PUT(TYPE, yi + (r - k) * s, nr * g[1] + ni * g[0]);                                                \
    }                                                                                                    \
  }
ALWAYS_INLINE void FFT(odd)(const int64_t r, int64_t m, int64_t s, const REAL *roots, const REAL *tw, const REAL *ar,
                            const REAL *ai, REAL *yr, REAL *yi) {
  const int64_t half = r / 2, step = s * m;
  for (int64_t p = 0; p < m; p++, tw += 2 * (r - 1), ar += s, ai += s, yr += r * s, yi += r * s) EACH(ODD);
}
static void FFT(stage)(int64_t r, int64_t m, int64_t s, const REAL *roots, const REAL *tw, const REAL *xr,
                       const REAL *xi, REAL *yr, REAL *yi) {
  switch (r) {
    case 3: FFT(odd)(3, m, s, roots, tw, xr, xi, yr, yi); break;
    case 5: FFT(odd)(5, m, s, roots, tw, xr, xi, yr, yi); break;
    default: FFT(odd)(r, m, s, roots, tw, xr, xi, yr, yi);
  }
}
#undef EACH
#undef AT
#undef PUT
#undef TWO
#undef FOUR
#undef ODD

/* All stages of length n over `group` lines; x and y are 2·fft_part elements each, real parts first. Returns the
 * result's buffer. */
static REAL *FFT(stages)(int64_t n, int64_t group, const REAL *table, REAL *x, REAL *y, bool exchanged) {
  const int64_t half = fft_part(n, group), first = exchanged ? half : 0, second = exchanged ? 0 : half;
  for (int64_t left = n, s = group; left > 1;) {
    const int64_t r = fft_radix(left), m = left / r;
    const REAL *factors = table + 2 * r;
    if (r == 4)
      FFT(stage4)(m, s, factors, x + first, x + second, y + first, y + second);
    else if (r == 2)
      FFT(stage2)(m, s, factors, x + first, x + second, y + first, y + second);
    else
      FFT(stage)(r, m, s, table, factors, x + first, x + second, y + first, y + second);
    table = factors + 2 * m * (r - 1);
    left = m;
    s *= r;
    REAL *other = x;
    x = y;
    y = other;
  }
  return x;
}

static void FFT(multiply)(int64_t count, int64_t group, const REAL *factors, REAL *re, REAL *im) {
  for (int64_t k = 0; k < count; k++) {
    const REAL wr = factors[2 * k], wi = factors[2 * k + 1];
    for (int64_t q = k * group; q < (k + 1) * group; q++) {
      const REAL r = re[q], i = im[q];
      re[q] = r * wr - i * wi;
      im[q] = r * wi + i * wr;
    }
  }
}

/* Length n through one of length m ≥ 2n - 1. The table: stages of m, the chirp, the transform of its inverse over m. */
static REAL *FFT(bluestein)(int64_t n, int64_t m, int64_t group, const REAL *table, REAL *x, REAL *y) {
  const REAL *chirp = table + 2 * fft_stages_size(m), *filter = chirp + 2 * n;
  const int64_t part = fft_part(m, group);
  FFT(multiply)(n, group, chirp, x, x + part);
  memset(x + n * group, 0, (size_t)((m - n) * group) * sizeof(REAL));
  memset(x + part + n * group, 0, (size_t)((m - n) * group) * sizeof(REAL));
  REAL *z = FFT(stages)(m, group, table, x, y, false);
  FFT(multiply)(m, group, filter, z, z + part);
  z = FFT(stages)(m, group, table, z, z == x ? y : x, true);
  FFT(multiply)(n, group, chirp, z, z + part);
  return z;
}

/* Moves four elements of four lines at once. */
typedef REAL FFT(four) __attribute__((vector_size(4 * sizeof(REAL)), aligned(sizeof(REAL)), may_alias));
#define MIX(a, b, ...) ((FFT(four))__builtin_shufflevector(a, b, __VA_ARGS__))

ALWAYS_INLINE void FFT(transpose)(FFT(four) * v) {
  const FFT(four) a = MIX(v[0], v[1], 0, 4, 1, 5), b = MIX(v[0], v[1], 2, 6, 3, 7);
  const FFT(four) c = MIX(v[2], v[3], 0, 4, 1, 5), d = MIX(v[2], v[3], 2, 6, 3, 7);
  v[0] = MIX(a, c, 0, 1, 4, 5);
  v[1] = MIX(a, c, 2, 3, 6, 7);
  v[2] = MIX(b, d, 0, 1, 4, 5);
  v[3] = MIX(b, d, 2, 3, 6, 7);
}

/* Moves elements [0, n) of four lines, `between` apart, to [k][group]; returns how many were moved. */
static int64_t FFT(read_four)(int64_t n, int64_t group, int64_t width, const REAL *from, int64_t between, REAL *re,
                              REAL *im) {
  int64_t k = 0;
  for (; k + 4 <= n; k += 4, re += 4 * group, im += 4 * group) {
    FFT(four) r[4], i[4];
    for (int l = 0; l < 4; l++) {
      const FFT(four) *at = (const FFT(four) *)(from + l * between + k * width);
      r[l] = width == 1 ? at[0] : MIX(at[0], at[1], 0, 2, 4, 6);
      i[l] = width == 1 ? (FFT(four)){0} : MIX(at[0], at[1], 1, 3, 5, 7);
    }
    FFT(transpose)(r);
    if (width != 1) FFT(transpose)(i);
    for (int l = 0; l < 4; l++) *(FFT(four) *)(re + l * group) = r[l], *(FFT(four) *)(im + l * group) = i[l];
  }
  return k;
}
static int64_t FFT(write_four)(int64_t n, int64_t group, int64_t width, REAL scale, const REAL *re, const REAL *im,
                               REAL *to, int64_t between) {
  int64_t k = 0;
  for (; k + 4 <= n; k += 4, re += 4 * group, im += 4 * group) {
    FFT(four) r[4], i[4];
    for (int l = 0; l < 4; l++) {
      r[l] = *(const FFT(four) *)(re + l * group) * scale;
      i[l] = *(const FFT(four) *)(im + l * group) * scale;
    }
    FFT(transpose)(r);
    if (width != 1) FFT(transpose)(i);
    for (int l = 0; l < 4; l++) {
      FFT(four) *at = (FFT(four) *)(to + l * between + k * width);
      at[0] = width == 1 ? r[l] : MIX(r[l], i[l], 0, 4, 1, 5);
      if (width != 1) at[1] = MIX(r[l], i[l], 2, 6, 3, 7);
    }
  }
  return k;
}

enum { FFT(BLOCK) = 16 }; /* elements of a line moved before the next line's: whole cache lines both ways */

/* Loads lines [first, first + count) into x, `group` wide; missing ones repeat the first. */
static void FFT(read)(const ten_fft *f, int64_t given, int64_t width, const REAL *from, int64_t first, int64_t count,
                      REAL *re, REAL *im) {
  const int64_t group = f->group, step = width * f->inner;
  int64_t begin = 0;
  if (width == 2 && first % f->inner + group <= f->inner && count == group) { /* adjacent lines */
    const REAL *at = from + 2 * (first / f->inner * given * f->inner + first % f->inner);
    for (; begin < given; begin++, at += step)
      for (int64_t j = 0; j < group; j++) re[begin * group + j] = at[2 * j], im[begin * group + j] = at[2 * j + 1];
  }
  for (int64_t j = 0; f->inner == 1 && count == group && group % 4 == 0 && j < group; j += 4)
    begin = FFT(read_four)(given, group, width, from + width * (first + j) * given, width * given, re + j, im + j);
  for (int64_t k0 = begin; k0 < given; k0 += FFT(BLOCK))
    for (int64_t j = 0; j < group; j++) {
      const int64_t line = first + (j < count ? j : 0), k1 = k0 + FFT(BLOCK) < given ? k0 + FFT(BLOCK) : given;
      const REAL *at = from + width * (line / f->inner * given * f->inner + line % f->inner);
      if (width == 1)
        for (int64_t k = k0; k < k1; k++) re[k * group + j] = at[k * step], im[k * group + j] = 0;
      else
        for (int64_t k = k0; k < k1; k++) re[k * group + j] = at[k * step], im[k * group + j] = at[k * step + 1];
    }
}

/* Fills the other half of a Hermitian spectrum. */
static void FFT(mirror)(int64_t n, int64_t group, REAL *re, REAL *im) {
  for (int64_t k = n / 2 + 1; k < n; k++) /* X[n - k] = conj(X[k]) */
    for (int64_t j = 0; j < group; j++) {
      re[k * group + j] = re[(n - k) * group + j];
      im[k * group + j] = -im[(n - k) * group + j];
    }
  for (int64_t j = 0; j < group; j++) { /* imaginary parts that must be zero are ignored */
    im[j] = 0;
    if (n % 2 == 0) im[n / 2 * group + j] = 0;
  }
}

/* 2h real elements as h complex ones. With E and O the transforms of the even and the odd ones, that of all is X[k] =
 * E[k] + w^k·O[k], and that of the pairs Z[k] = E[k] + i·O[k], where E and O at h - k are their conjugates: X is
 * computed from Z at k and h - k together. `factors` are w^k up to h / 2. */
static void FFT(from_pairs)(int64_t h, int64_t group, const REAL *factors, REAL *re, REAL *im) {
  for (int64_t j = 0; j < group; j++) {
    const REAL r = re[j], i = im[j];
    re[j] = r + i, im[j] = 0;
    re[h * group + j] = r - i, im[h * group + j] = 0;
  }
  for (int64_t k = 1; 2 * k <= h; k++) {
    const REAL wr = factors[2 * k], wi = factors[2 * k + 1];
    REAL *ar = re + k * group, *ai = im + k * group, *br = re + (h - k) * group, *bi = im + (h - k) * group;
    for (int64_t j = 0; j < group; j++) {
      const REAL er = (ar[j] + br[j]) / 2, ei = (ai[j] - bi[j]) / 2;
      const REAL or = (ai[j] + bi[j]) / 2, oi = (br[j] - ar[j]) / 2;
      const REAL tr = or * wr - oi * wi, ti = or * wi + oi * wr;
      ar[j] = er + tr, ai[j] = ei + ti;
      br[j] = er - tr, bi[j] = ti - ei;
    }
  }
}
/* Computes 2·Z from X. */
static void FFT(to_pairs)(int64_t h, int64_t group, const REAL *factors, REAL *re, REAL *im) {
  for (int64_t j = 0; j < group; j++) {
    const REAL first = re[j], last = re[h * group + j];
    re[j] = first + last, im[j] = first - last;
  }
  for (int64_t k = 1; 2 * k <= h; k++) {
    const REAL wr = factors[2 * k], wi = -factors[2 * k + 1];
    REAL *ar = re + k * group, *ai = im + k * group, *br = re + (h - k) * group, *bi = im + (h - k) * group;
    for (int64_t j = 0; j < group; j++) {
      const REAL er = ar[j] + br[j], ei = ai[j] - bi[j], dr = ar[j] - br[j], di = ai[j] + bi[j];
      const REAL or = dr * wr - di * wi, oi = dr * wi + di * wr;
      ar[j] = er - oi, ai[j] = ei + or ;
      br[j] = er + oi, bi[j] = or - ei;
    }
  }
}

static void FFT(write)(const ten_fft *f, int64_t wanted, int64_t width, const REAL *re, const REAL *im, int64_t first,
                       int64_t count, REAL *to) {
  const int64_t group = f->group, step = width * f->inner;
  const REAL scale = f->inverse ? 1 / (REAL)f->n : 1;
  int64_t begin = 0;
  if (width == 2 && first % f->inner + group <= f->inner && count == group) {
    REAL *at = to + 2 * (first / f->inner * wanted * f->inner + first % f->inner);
    for (; begin < wanted; begin++, at += step)
      for (int64_t j = 0; j < group; j++)
        at[2 * j] = re[begin * group + j] * scale, at[2 * j + 1] = im[begin * group + j] * scale;
  }
  for (int64_t j = 0; f->inner == 1 && count == group && group % 4 == 0 && j < group; j += 4)
    begin =
        FFT(write_four)(wanted, group, width, scale, re + j, im + j, to + width * (first + j) * wanted, width * wanted);
  for (int64_t k0 = begin; k0 < wanted; k0 += FFT(BLOCK))
    for (int64_t j = 0; j < count; j++) {
      const int64_t line = first + j, k1 = k0 + FFT(BLOCK) < wanted ? k0 + FFT(BLOCK) : wanted;
      REAL *at = to + width * (line / f->inner * wanted * f->inner + line % f->inner);
      if (width == 1)
        for (int64_t k = k0; k < k1; k++) at[k * step] = re[k * group + j] * scale;
      else
        for (int64_t k = k0; k < k1; k++)
          at[k * step] = re[k * group + j] * scale, at[k * step + 1] = im[k * group + j] * scale;
    }
}

#undef MIX

static void FFT(run)(const ten_fft *f, const REAL *from, const REAL *table, REAL *to, REAL *scratch, int64_t begin,
                     int64_t end) {
  const int64_t part = fft_part(f->m, f->group), group = f->group, n = f->half ? f->n / 2 : f->n, some = f->n / 2 + 1;
  const bool from_real = f->kind == TEN_FFT_FROM_REAL, to_real = f->kind == TEN_FFT_TO_REAL;
  const REAL *factors = table + 2 * fft_stages_size(f->m); /* for `half` */
  for (int64_t unit = begin; unit < end; unit++) {
    const int64_t first = unit * group, count = f->lines - first < group ? f->lines - first : group;
    REAL *x = scratch, *y = scratch + 2 * part, *re = f->inverse ? x + part : x, *im = f->inverse ? x : x + part;
    FFT(read)(f, to_real ? some : n, from_real && !f->half ? 1 : 2, from, first, count, re, im);
    if (to_real && f->half)
      FFT(to_pairs)(n, group, factors, re, im);
    else if (to_real)
      FFT(mirror)(n, group, re, im);
    REAL *z = f->m == n ? FFT(stages)(n, group, table, x, y, false) : FFT(bluestein)(n, f->m, group, table, x, y);
    re = f->inverse ? z + part : z, im = f->inverse ? z : z + part;
    if (from_real && f->half) FFT(from_pairs)(n, group, factors, re, im);
    FFT(write)(f, from_real ? some : n, to_real && !f->half ? 1 : 2, re, im, first, count, to);
  }
}
