/* stft.c: short-time Fourier transforms: frames of a signal, each times a window, transformed; and the inverse by
 * overlap-add. fft.c transforms a frame; this file frames and adds. */
#include "front/aten/lower.h"

typedef struct framing {
  int64_t size, hop, window_size;
  ten_value *window; /* of `size` elements, real */
} framing;

/* The window is centred in a frame and padded with zeros. */
static framing framing_read(at *l, ten_dtype real) {
  framing f = {.size = at_int(l, "n_fft", 0)};
  at_check(l, f.size > 0 && f.size < 1 << 24, "n_fft is %lld", (long long)f.size);
  f.hop = at_has(l, "hop_length") ? at_int(l, "hop_length", 0) : f.size / 4;
  f.window_size = at_has(l, "win_length") ? at_int(l, "win_length", 0) : f.size;
  at_check(l, f.hop > 0, "hop_length is %lld", (long long)f.hop);
  at_check(l, f.window_size > 0 && f.window_size <= f.size, "win_length is %lld", (long long)f.window_size);
  ten_value *window = at_topt(l, "window");
  if (window && at_is_complex(window)) at_fail(l, TEN_UNSUPPORTED, "a complex window is not supported");
  f.window = window ? at_cast(l, window, real) : at_full(l, real, 1, &f.window_size, 1);
  at_check(l, at_rank(f.window) == 1 && at_dim(l, f.window, 0) == f.window_size, "the window is not of win_length");
  const int64_t left = (f.size - f.window_size) / 2;
  if (f.window_size < f.size) f.window = at_pad(l, f.window, 0, left, f.size - f.window_size - left, 0, 0);
  return f;
}

/* i · hop + j: the position of element j of frame i. */
static ten_value *frame_places(at *l, int64_t count, const framing *f) {
  const int64_t dims[2] = {count, f->size};
  return at_add(l, at_bin(l, TEN_OP_MULTIPLY, at_iota(l, TEN_I64, 2, dims, 0), at_const(l, TEN_I64, (double)f->hop)),
                at_iota(l, TEN_I64, 2, dims, 1));
}

/* The signal padded by `by` elements at each end of its last dimension. */
static ten_value *padded(at *l, ten_value *x, int64_t by, ten_str mode) {
  const int64_t last = (int64_t)at_rank(x) - 1, n = at_dim(l, x, last), length = n + 2 * by;
  if (ten_str_is(mode, "constant")) return at_pad(l, x, last, by, by, 0, 0);
  ten_value *i = at_addn(l, at_iota(l, TEN_I64, 1, &length, 0), -(double)by),
            *end = at_const(l, TEN_I64, (double)(n - 1));
  if (ten_str_is(mode, "replicate")) {
    i = at_min(l, at_max(l, i, at_const(l, TEN_I64, 0)), end);
  } else if (ten_str_is(mode, "circular")) {
    i = at_bin(l, TEN_OP_REMAINDER, at_addn(l, i, (double)n), at_const(l, TEN_I64, (double)n));
  } else {
    at_check(l, by < n, "%lld elements cannot be mirrored around a signal of %lld", (long long)by, (long long)n);
    i = at_sub(l, end, at_un(l, TEN_OP_ABS, at_sub(l, end, at_un(l, TEN_OP_ABS, i))));
  }
  return at_take(l, x, i, last);
}

static void lower_stft(at *l) {
  ten_value *x = at_t(l, "self");
  const bool flat = at_rank(x) == 1;
  at_check(l, at_rank(x) == 1 || at_rank(x) == 2, "the signal has %u dimensions", at_rank(x));
  if (flat) x = at_unsqueeze(l, x, 0);
  const ten_dtype real = at_is_complex(x) ? ten_dtype_part(at_type(x)) : at_float_type(at_type(x));
  if (!at_is_complex(x)) x = at_cast(l, x, real);
  const framing f = framing_read(l, real);
  if (at_bool(l, "center", false)) x = padded(l, x, f.size / 2, at_string(l, "pad_mode"));
  const int64_t length = at_dim(l, x, 1);
  at_check(l, length >= f.size, "a signal of %lld is shorter than n_fft", (long long)length);
  const int64_t count = (length - f.size) / f.hop + 1;
  const bool onesided = at_has(l, "onesided") ? at_bool(l, "onesided", true) : !at_is_complex(x);
  ten_value *frames = at_take(l, x, frame_places(l, count, &f), 1); /* [batch, count, size] */
  if (at_is_complex(x)) {
    at_check(l, !onesided, "the transform of complex numbers has two sides");
    frames = at_mul(l, frames, at_cast(l, f.window, at_type(x)));
  } else {
    frames = at_mul(l, frames, f.window);
    if (!onesided) frames = at_cast(l, frames, real == TEN_F64 ? TEN_C128 : TEN_C64);
  }
  ten_value *out = at_fft(l, frames, onesided ? AT_FFT_REAL : AT_FFT_FORWARD, f.size);
  if (at_bool(l, "normalized", false))
    out = at_mul(l, out, at_cast(l, at_const(l, real, 1 / sqrt((double)f.size)), at_type(out)));
  out = at_swap(l, out, 1, 2);
  if (flat) out = at_squeeze(l, out, 0);
  if (!at_bool(l, "return_complex", false)) {
    const int64_t last = at_rank(out);
    ten_value *parts[2] = {at_unsqueeze(l, ten_build_part(&l->b, TEN_OP_REAL, out), last),
                           at_unsqueeze(l, ten_build_part(&l->b, TEN_OP_IMAG, out), last)};
    out = at_cat(l, 2, parts, last);
  }
  at_ret(l, 0, out);
}

/* Overlap-add of frames [batch, count, size]: [batch, length]. */
static ten_value *overlap(at *l, ten_value *frames, const framing *f, int64_t length) {
  const int64_t batch = at_dim(l, frames, 0), dims[3] = {batch, at_dim(l, frames, 1), f->size},
                whole[2] = {batch, length};
  ten_value *base = at_bin(l, TEN_OP_MULTIPLY, at_iota(l, TEN_I64, 3, dims, 0), at_const(l, TEN_I64, (double)length));
  ten_value *places = at_add(l, base, at_expand(l, frame_places(l, dims[1], f), 3, dims));
  ten_value *zeros = at_full(l, at_type(frames), 2, whole, 0);
  return at_scatter_flat(l, TEN_OP_ADD, zeros, at_flatten(l, places), at_flatten(l, frames));
}

static void lower_istft(at *l) {
  ten_value *x = at_t(l, "self");
  at_check(l, at_is_complex(x) && (at_rank(x) == 2 || at_rank(x) == 3),
           "a complex transform of 2 or 3 dimensions is wanted");
  if (at_bool(l, "return_complex", false)) at_fail(l, TEN_UNSUPPORTED, "a complex signal is not supported");
  const bool flat = at_rank(x) == 2;
  if (flat) x = at_unsqueeze(l, x, 0);
  const ten_dtype real = ten_dtype_part(at_type(x));
  const framing f = framing_read(l, real);
  const bool onesided = at_has(l, "onesided") ? at_bool(l, "onesided", true) : at_dim(l, x, 1) != f.size;
  at_check(l, at_dim(l, x, 1) == (onesided ? f.size / 2 + 1 : f.size), "%lld frequencies do not fit n_fft",
           (long long)at_dim(l, x, 1));
  x = at_swap(l, x, 1, 2); /* [batch, count, frequencies] */
  const int64_t count = at_dim(l, x, 1), length = at_add_size(l, f.size, at_mul_size(l, f.hop, count - 1));
  at_product(l, 2, (const int64_t[]){at_dim(l, x, 0), length});
  if (!onesided) x = at_slice(l, x, 2, 0, f.size / 2 + 1, 1); /* the rest of a real signal's spectrum is redundant */
  ten_value *frames = at_fft(l, x, AT_FFT_TO_REAL, f.size);
  if (at_bool(l, "normalized", false)) frames = at_muln(l, frames, sqrt((double)f.size));
  ten_value *sum = overlap(l, at_mul(l, frames, f.window), &f, length);
  const int64_t one[3] = {1, count, f.size};
  ten_value *weight = overlap(l, at_expand(l, at_mul(l, f.window, f.window), 3, one), &f, length);
  const bool center = at_bool(l, "center", true);
  const int64_t start = center ? f.size / 2 : 0;
  int64_t end = center ? length - f.size / 2 : length;
  if (at_has(l, "length")) end = start + at_int(l, "length", 0);
  at_check(l, end > start, "no signal is left");
  const int64_t stop = end < length ? end : length;
  at_check(l, stop > start, "no signal is left");
  ten_value *out = at_div(l, at_slice(l, sum, 1, start, stop, 1), at_slice(l, weight, 1, start, stop, 1));
  if (end > stop) out = at_pad(l, out, 1, 0, end - stop, 0, 0);
  at_ret(l, 0, flat ? at_squeeze(l, out, 0) : out);
}

const at_row at_rows_stft[] = {{"stft", lower_stft}, {"istft", lower_istft}, {NULL}};
