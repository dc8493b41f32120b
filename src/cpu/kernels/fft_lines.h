/* fft_lines.h: transforms of lines in one precision; included by fft.c once for each, with REAL, VECTOR
 * (as many as a register holds) and FFT(name) defined.
 *
 * `group` lines are done at once, numbers of the same place next to each other: [n][group], real and imaginary parts
 * apart. A stage of radix r (Stockham's) reads x[q + s·(p + m·j)] and writes y[q + s·(r·p + k)]: its inner loop runs
 * over s ≥ group numbers that lie together, so that every length is done in vectors. Only forward transforms: a
 * backward one is a forward one with real and imaginary parts exchanged. */

/* At q of every line: as many as a register holds, then one by one. */
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

/* Any odd radix: x[j] and x[r - j] come as their sum and their difference, which halves the products. */
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

/* All stages of length n over `group` lines; x and y are 2·fft_part numbers each, real parts first. Where the result
 * is.
 */
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

enum { FFT(BLOCK) = 16 }; /* numbers of a line that are moved before the next line's are: whole cache lines both ways */

/* Lines [first, first + count) into x, `group` wide; those that are not there are the first one again. */
static void FFT(read)(const ten_fft *f, const REAL *from, int64_t first, int64_t count, REAL *re, REAL *im) {
  const int64_t n = f->n, given = f->kind == TEN_FFT_TO_REAL ? n / 2 + 1 : n, group = f->group;
  const int64_t width = f->kind == TEN_FFT_FROM_REAL ? 1 : 2, step = width * f->inner;
  for (int64_t k0 = 0; k0 < given; k0 += FFT(BLOCK))
    for (int64_t j = 0; j < group; j++) {
      const int64_t line = first + (j < count ? j : 0), k1 = k0 + FFT(BLOCK) < given ? k0 + FFT(BLOCK) : given;
      const REAL *at = from + width * (line / f->inner * given * f->inner + line % f->inner);
      if (width == 1)
        for (int64_t k = k0; k < k1; k++) re[k * group + j] = at[k * step], im[k * group + j] = 0;
      else
        for (int64_t k = k0; k < k1; k++) re[k * group + j] = at[k * step], im[k * group + j] = at[k * step + 1];
    }
  if (f->kind != TEN_FFT_TO_REAL) return;
  for (int64_t k = given; k < n; k++) /* X[n - k] = conj(X[k]) */
    for (int64_t j = 0; j < group; j++) {
      re[k * group + j] = re[(n - k) * group + j];
      im[k * group + j] = -im[(n - k) * group + j];
    }
  for (int64_t j = 0; j < group; j++) { /* what must be real is taken to be */
    im[j] = 0;
    if (n % 2 == 0) im[n / 2 * group + j] = 0;
  }
}

static void FFT(write)(const ten_fft *f, const REAL *re, const REAL *im, int64_t first, int64_t count, REAL *to) {
  const int64_t n = f->n, wanted = f->kind == TEN_FFT_FROM_REAL ? n / 2 + 1 : n, group = f->group;
  const int64_t width = f->kind == TEN_FFT_TO_REAL ? 1 : 2, step = width * f->inner;
  const REAL scale = f->inverse ? 1 / (REAL)n : 1;
  for (int64_t k0 = 0; k0 < wanted; k0 += FFT(BLOCK))
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

static void FFT(run)(const ten_fft *f, const REAL *from, const REAL *table, REAL *to, REAL *scratch, int64_t begin,
                     int64_t end) {
  const int64_t half = fft_part(f->m, f->group);
  for (int64_t unit = begin; unit < end; unit++) {
    const int64_t first = unit * f->group, count = f->lines - first < f->group ? f->lines - first : f->group;
    REAL *x = scratch, *y = scratch + 2 * half;
    FFT(read)(f, from, first, count, f->inverse ? x + half : x, f->inverse ? x : x + half);
    REAL *z = f->m == f->n ? FFT(stages)(f->n, f->group, table, x, y, false)
                           : FFT(bluestein)(f->n, f->m, f->group, table, x, y);
    FFT(write)(f, f->inverse ? z + half : z, f->inverse ? z : z + half, first, count, to);
  }
}
