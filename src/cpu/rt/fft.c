/* fft.c: discrete Fourier transforms of any length, over up to three dimensions. Lengths are split by their prime
 * factors; what is left is done by the definition. Everything is worked out in double (long double for f64), so that
 * f32 results are right to the last bit or two. */
#include <math.h>
#include <string.h>

#include "cpu/rt/rt.h"

typedef long double real;
typedef struct cplx {
  real re, im;
} cplx;

static cplx mul(cplx a, cplx b) { return (cplx){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }

/* e^(±2πi·k/n), with the angle brought into the first octant so that the corners are exact. */
static cplx root_of_unity(int64_t k, int64_t n, bool inverse) {
  k %= n;
  const real angle = 2 * 3.14159265358979323846264338327950288L * (real)k / (real)n;
  cplx w = {cosl(angle), sinl(angle)};
  if (4 * k % n == 0) {
    static const cplx quarters[4] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    w = quarters[4 * k / n];
  }
  if (!inverse) w.im = -w.im;
  return w;
}

static int64_t smallest_factor(int64_t n) {
  for (int64_t p = 2; p * p <= n; p++)
    if (n % p == 0) return p;
  return n;
}

/* out[0..n) = DFT of in[0], in[stride], …; `twiddle` has e^(…k/total) and n divides total. */
static void transform(int64_t n, const cplx *in, int64_t stride, cplx *out, const cplx *twiddle, int64_t total,
                      cplx *scratch) {
  if (n == 1) {
    out[0] = in[0];
    return;
  }
  const int64_t p = smallest_factor(n), m = n / p;
  for (int64_t r = 0; r < p; r++) transform(m, in + r * stride, stride * p, out + r * m, twiddle, total, scratch);
  for (int64_t k = 0; k < m; k++) {
    for (int64_t q = 0; q < p; q++) {
      cplx sum = {0, 0};
      for (int64_t r = 0; r < p; r++) {
        const int64_t turn = r * (k + q * m) % n * (total / n);
        const cplx part = mul(out[r * m + k], twiddle[turn]);
        sum.re += part.re;
        sum.im += part.im;
      }
      scratch[q] = sum;
    }
    for (int64_t q = 0; q < p; q++) out[q * m + k] = scratch[q];
  }
}

static int64_t volume(const ten_cpu_fft *fft) {
  int64_t count = 1;
  for (uint32_t i = 0; i < fft->rank; i++) count *= fft->length[i];
  return count;
}

static int64_t longest(const ten_cpu_fft *fft) {
  int64_t length = 1;
  for (uint32_t i = 0; i < fft->rank; i++)
    if (fft->length[i] > length) length = fft->length[i];
  return length;
}

/* the whole box, and three lines: gathered, transformed, combined; and the roots */
size_t ten_cpu_fft_scratch(const ten_cpu_fft *fft) { return (size_t)(volume(fft) + 4 * longest(fft)) * sizeof(cplx); }

static cplx read_element(ten_dtype dtype, const void *base, int64_t i) {
  switch (dtype) {
    case TEN_C64: return (cplx){(real)((const float *)base)[2 * i], (real)((const float *)base)[2 * i + 1]};
    case TEN_C128: return (cplx){(real)((const double *)base)[2 * i], (real)((const double *)base)[2 * i + 1]};
    case TEN_F64: return (cplx){(real)((const double *)base)[i], 0};
    default: return (cplx){(real)((const float *)base)[i], 0};
  }
}

static void write_element(ten_dtype dtype, void *base, int64_t i, cplx value) {
  switch (dtype) {
    case TEN_C64: ((float *)base)[2 * i] = (float)value.re, ((float *)base)[2 * i + 1] = (float)value.im; break;
    case TEN_C128: ((double *)base)[2 * i] = (double)value.re, ((double *)base)[2 * i + 1] = (double)value.im; break;
    case TEN_F64: ((double *)base)[i] = (double)value.re; break;
    default: ((float *)base)[i] = (float)value.re; break;
  }
}

/* All lines of the box along dimension d. */
static void transform_dim(const ten_cpu_fft *fft, uint32_t d, bool inverse, cplx *box, cplx *lines) {
  const int64_t n = fft->length[d], count = volume(fft);
  int64_t stride = 1;
  for (uint32_t i = d + 1; i < fft->rank; i++) stride *= fft->length[i];
  cplx *in = lines, *out = lines + n, *scratch = lines + 2 * n, *twiddle = lines + 3 * n;
  for (int64_t k = 0; k < n; k++) twiddle[k] = root_of_unity(k, n, inverse);
  for (int64_t line = 0; line < count / n; line++) {
    cplx *at = box + line / stride * stride * n + line % stride;
    for (int64_t k = 0; k < n; k++) in[k] = at[k * stride];
    transform(n, in, 1, out, twiddle, n, scratch);
    for (int64_t k = 0; k < n; k++)
      at[k * stride] = inverse ? (cplx){out[k].re / (real)n, out[k].im / (real)n} : out[k];
  }
}

/* The half that irfft is given, completed: X[n - k] = conj(X[k]) along the last dimension, the other dimensions
 * mirrored too. */
static void complete(const ten_cpu_fft *fft, cplx *box) {
  const int64_t n = fft->length[fft->rank - 1], rows = volume(fft) / (n ? n : 1);
  for (int64_t row = 0; row < rows; row++) {
    int64_t mirror = 0, rest = row, scale = 1;
    for (uint32_t i = fft->rank - 1; i-- > 0;) {
      const int64_t k = rest % fft->length[i];
      mirror += (k ? fft->length[i] - k : 0) * scale;
      scale *= fft->length[i];
      rest /= fft->length[i];
    }
    for (int64_t k = n / 2 + 1; k < n; k++) {
      const cplx value = box[mirror * n + (n - k)];
      box[row * n + k] = (cplx){value.re, -value.im};
    }
  }
}

void ten_cpu_fft_run(void *const *args, const void *descriptor, int64_t begin, int64_t end, int64_t worker) {
  (void)worker;
  const ten_cpu_fft *fft = descriptor;
  const int64_t count = volume(fft), n = fft->length[fft->rank - 1], half = n / 2 + 1;
  const bool inverse = fft->kind == 1 || fft->kind == 3, halved_in = fft->kind == 3, halved_out = fft->kind == 2;
  if (!count) return;
  const int64_t in_count = halved_in ? count / n * half : count, out_count = halved_out ? count / n * half : count;
  for (int64_t unit = begin; unit < end; unit++) {
    cplx *box = (cplx *)((char *)args[2] + (size_t)unit * fft->scratch), *lines = box + count;
    for (int64_t i = 0; i < count; i++) {
      const int64_t row = i / n, k = i % n;
      if (halved_in && k >= half) continue;
      box[i] = read_element(fft->from, args[0], unit * in_count + (halved_in ? row * half + k : i));
    }
    if (halved_in) complete(fft, box);
    for (uint32_t d = fft->rank; d-- > 0;) transform_dim(fft, d, inverse, box, lines);
    for (int64_t i = 0; i < count; i++) {
      const int64_t row = i / n, k = i % n;
      if (halved_out && k >= half) continue;
      write_element(fft->to, args[1], unit * out_count + (halved_out ? row * half + k : i), box[i]);
    }
  }
}
