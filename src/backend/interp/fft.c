/* fft.c: the discrete Fourier transform, one dimension at a time, in double. */
#include <stdlib.h>

#include "backend/interp/interp.h"
#include "backend/interp/lanes.h"
#include "base/quad.h"

enum { FFT, IFFT, RFFT, IRFFT };

typedef struct field { /* complex values of some shape */
  uint32_t rank;
  int64_t dims[TEN_RANK_MAX];
  double *data; /* owned, pairs */
  size_t count;
} field;

static size_t field_count(const field *f) {
  size_t count = 1;
  for (uint32_t i = 0; i < f->rank; i++) count *= (size_t)f->dims[i];
  return count;
}

/* Transforms `length` values, `stride` apart, into `out`: split by the smallest factor, so that only primes are summed
 * by definition. `turn` is the stride of this length's roots in the table of the full length. */
static void line_transform(const double *x, size_t stride, size_t length, const double *roots, size_t turn,
                           size_t whole, double *out) {
  if (length == 1) {
    out[0] = x[0], out[1] = x[1];
    return;
  }
  size_t factor = 2;
  while (length % factor) factor++;
  const size_t rest = length / factor;
  double *parts = ten_alloc(2 * length * sizeof *parts);
  for (size_t p = 0; p < factor; p++)
    line_transform(x + 2 * p * stride, stride * factor, rest, roots, turn * factor, whole, parts + 2 * p * rest);
  for (size_t k = 0; k < length; k++) {
    double real = 0, imag = 0;
    for (size_t p = 0; p < factor; p++) {
      const double *part = parts + 2 * (p * rest + k % rest), *w = roots + 2 * (k * p * turn % whole);
      real += part[0] * w[0] - part[1] * w[1];
      imag += part[0] * w[1] + part[1] * w[0];
    }
    out[2 * k] = real, out[2 * k + 1] = imag;
  }
  free(parts);
}

/* Transforms dimension `dim`. Each root of unity is rounded from 113 bits. */
static void transform(field *f, uint32_t dim, bool inverse) {
  const size_t length = (size_t)f->dims[dim];
  if (!f->count || length < 2) return;
  size_t stride = 1;
  for (uint32_t i = dim + 1; i < f->rank; i++) stride *= (size_t)f->dims[i];
  double *roots = ten_alloc(4 * length * sizeof *roots), *line = roots + 2 * length;
  for (size_t k = 0; k < length; k++) {
    const quad angle = 2 * QC(3.14159265358979323846264338327950288419716939937510) * (quad)k / (quad)length;
    roots[2 * k] = (double)Q(cos)(angle);
    roots[2 * k + 1] = (double)(inverse ? Q(sin)(angle) : -Q(sin)(angle));
  }
  for (size_t n = 0; n < f->count / length; n++) {
    double *start = f->data + 2 * (n / stride * stride * length + n % stride);
    line_transform(start, stride, length, roots, 1, length, line);
    for (size_t k = 0; k < length; k++) {
      start[2 * k * stride] = inverse ? line[2 * k] / (double)length : line[2 * k];
      start[2 * k * stride + 1] = inverse ? line[2 * k + 1] / (double)length : line[2 * k + 1];
    }
  }
  free(roots);
}

/* Resizes the last dimension to `length`: truncated, or extended by the mirrored half of a real signal's spectrum. */
static void resize_last(field *f, int64_t length, bool mirror) {
  const size_t old = (size_t)f->dims[f->rank - 1], wanted = (size_t)length, lines = old ? f->count / old : 0;
  double *data = ten_alloc(2 * (lines * wanted + 1) * sizeof *data);
  for (size_t n = 0; n < lines; n++)
    for (size_t k = 0; k < wanted; k++) {
      const bool mirrored = mirror && k >= old;
      const double *from = f->data + 2 * (n * old + (mirrored ? wanted - k : k));
      double *to = data + 2 * (n * wanted + k);
      to[0] = from[0];
      to[1] = mirrored ? -from[1] : from[1];
      if (mirror && (k == 0 || 2 * k == wanted)) to[1] = 0; /* real by symmetry, whatever the input */
    }
  free(f->data);
  f->data = data;
  f->dims[f->rank - 1] = length;
  f->count = field_count(f);
}

ten_status *interp_fft(interp_call *call) {
  const ten_tensor *x = call->in[0];
  const int64_t kind = ten_op_int(call->op, "fft_type", FFT);
  const ten_ints length = ten_op_ints(call->op, "fft_length");
  if (length.count < 1 || length.count > x->rank)
    return interp_error(call, TEN_INVALID, "fft_length has %zu entries for rank %u; it must have 1 to 3", length.count,
                        x->rank);
  field f = {.rank = x->rank, .count = x->count};
  const bool from_complex = ten_dtype_is_complex(x->dtype);
  for (uint32_t i = 0; i < x->rank; i++) f.dims[i] = x->dims[i];
  for (size_t k = 0; k < length.count; k++) {
    const int64_t have = x->dims[x->rank - length.count + k], want = length.data[k];
    const bool last = k + 1 == length.count;
    if (have != (last && kind == IRFFT ? want / 2 + 1 : want) && !(last && kind == IRFFT && want == 0))
      return interp_error(call, TEN_INVALID, "fft_length %lld does not fit a dimension of %lld", (long long)want,
                          (long long)have);
  }
  f.data = ten_alloc(2 * (x->count + 1) * sizeof *f.data);
  for (size_t i = 0; i < x->count; i++) {
    f.data[2 * i] = ten_tensor_real(x, i, 0);
    f.data[2 * i + 1] = from_complex ? ten_tensor_real(x, i, 1) : 0;
  }
  const bool inverse = kind == IFFT || kind == IRFFT;
  const uint32_t first = x->rank - (uint32_t)length.count, last = x->rank - 1;
  const int64_t last_length = length.data[length.count - 1];
  if (kind == IRFFT) {
    for (uint32_t dim = first; dim < last; dim++) transform(&f, dim, true);
    resize_last(&f, last_length, true);
    transform(&f, last, true);
  } else {
    transform(&f, last, inverse);
    if (kind == RFFT) resize_last(&f, last_length ? last_length / 2 + 1 : 0, false);
    for (uint32_t dim = first; dim < last; dim++) transform(&f, dim, inverse);
  }
  ten_status *status = interp_make(call, 0, f.rank, f.dims, &call->out[0]);
  if (!status) {
    const bool to_complex = ten_dtype_is_complex(call->out[0]->dtype);
    for (size_t i = 0; i < call->out[0]->count; i++) {
      interp_store_real(call->out[0], to_complex ? 2 * i : i, f.data[2 * i]);
      if (to_complex) interp_store_real(call->out[0], 2 * i + 1, f.data[2 * i + 1]);
    }
  }
  free(f.data);
  return status;
}
