/* fft.c: Fourier transforms along any dimensions, with PyTorch's scalings (0 none, 1 by √n, 2 by n). */
#include "front/aten/lower.h"

ten_value *at_fft(at *l, ten_value *x, int kind, int64_t n) {
  const uint32_t rank = at_rank(x);
  int64_t dims[AT_DIMS];
  at_need_rank(l, x, 1);
  for (uint32_t i = 0; i < rank; i++) dims[i] = at_dim(l, x, i);
  ten_dtype dtype = at_type(x);
  if (kind == AT_FFT_REAL) dims[rank - 1] = n / 2 + 1, dtype = dtype == TEN_F64 ? TEN_C128 : TEN_C64;
  if (kind == AT_FFT_TO_REAL) dims[rank - 1] = n, dtype = ten_dtype_part(dtype);
  const ten_type *type = ten_type_tensor(l->b.module, dtype, rank, dims);
  const ten_named_attr attrs[2] = {
      {.name = TEN_STR("fft_length"), .value = ten_attr_dims(l->b.module, 1, &n), .inherent = true},
      {.name = TEN_STR("fft_type"), .value = ten_attr_enum(l->b.module, TEN_ENUM_FFT_TYPE, kind), .inherent = true}};
  return ten_op_result(ten_build_op(&l->b, TEN_OP_FFT, 1, &x, 1, &type, 2, attrs, 0), 0);
}

static ten_value *along(at *l, ten_value *x, int64_t dim, int kind, int64_t n) {
  const int64_t last = (int64_t)at_rank(x) - 1;
  return at_swap(l, at_fft(l, at_swap(l, x, dim, last), kind, n), dim, last);
}

/* StableHLO's inverse already divides by n. */
static ten_value *scaled(at *l, ten_value *x, double n, bool divided) {
  const int64_t how = at_int(l, "normalization", 0);
  double factor = how == 1 ? 1 / sqrt(n) : how == 2 ? 1 / n : 1;
  if (divided) factor *= n;
  if (factor == 1) return x;
  ten_value *by = at_const(l, ten_dtype_part(at_type(x)), factor);
  return at_mul(l, x, at_cast(l, by, at_type(x)));
}

/* Several dimensions of a small tensor are transformed in f64, without rounding in between. */
static ten_value *widened(at *l, ten_value *x, uint32_t count) {
  enum { SMALL = 1 << 13 };
  const ten_dtype dtype = at_type(x);
  if (count < 2 || (uint64_t)at_count(x) > SMALL || (dtype != TEN_F32 && dtype != TEN_C64)) return x;
  return at_cast(l, x, dtype == TEN_F32 ? TEN_F64 : TEN_C128);
}

static ten_dtype dtype_of_pair(ten_dtype real) { return real == TEN_F64 ? TEN_C128 : TEN_C64; }

static uint32_t dims_read(at *l, const ten_value *x, int64_t *dims) {
  const ten_ints list = at_ints(l, "dim");
  at_check(l, list.count <= at_rank(x), "%zu dimensions", list.count);
  for (size_t i = 0; i < list.count; i++) dims[i] = at_wrap(l, list.data[i], at_rank(x));
  return (uint32_t)list.count;
}

static void lower_c2c(at *l) {
  ten_value *x = at_t(l, "self");
  int64_t dims[AT_DIMS];
  const uint32_t count = dims_read(l, x, dims);
  const bool forward = at_bool(l, "forward", true);
  const ten_dtype dtype = at_type(x);
  double n = 1;
  x = widened(l, x, count);
  for (uint32_t i = 0; i < count; i++) {
    n *= (double)at_dim(l, x, dims[i]);
    x = along(l, x, dims[i], forward ? AT_FFT_FORWARD : AT_FFT_INVERSE, at_dim(l, x, dims[i]));
  }
  at_ret(l, 0, at_cast(l, scaled(l, x, n, !forward), dtype));
}

static void lower_r2c(at *l) {
  ten_value *x = at_t(l, "self");
  int64_t dims[AT_DIMS];
  const uint32_t count = dims_read(l, x, dims);
  at_check(l, count, "no dimension");
  const ten_dtype dtype = dtype_of_pair(at_type(x));
  double n = 1;
  x = widened(l, x, count);
  for (uint32_t i = 0; i < count; i++) n *= (double)at_dim(l, x, dims[i]);
  if (at_bool(l, "onesided", true)) {
    const int64_t last = dims[count - 1];
    x = along(l, x, last, AT_FFT_REAL, at_dim(l, x, last));
    for (uint32_t i = 0; i + 1 < count; i++) x = along(l, x, dims[i], AT_FFT_FORWARD, at_dim(l, x, dims[i]));
  } else {
    x = at_cast(l, x, dtype_of_pair(at_type(x)));
    for (uint32_t i = 0; i < count; i++) x = along(l, x, dims[i], AT_FFT_FORWARD, at_dim(l, x, dims[i]));
  }
  at_ret(l, 0, at_cast(l, scaled(l, x, n, false), dtype));
}

static void lower_c2r(at *l) {
  ten_value *x = at_t(l, "self");
  int64_t dims[AT_DIMS];
  const uint32_t count = dims_read(l, x, dims);
  at_check(l, count, "no dimension");
  const int64_t last = dims[count - 1], size = at_int(l, "last_dim_size", 1);
  const ten_dtype dtype = ten_dtype_part(at_type(x));
  at_check(l, size > 0, "last_dim_size is %lld; it must be at least 1", (long long)size);
  double n = (double)size;
  x = widened(l, x, count);
  for (uint32_t i = 0; i + 1 < count; i++) {
    n *= (double)at_dim(l, x, dims[i]);
    x = along(l, x, dims[i], AT_FFT_INVERSE, at_dim(l, x, dims[i]));
  }
  const int64_t want = size / 2 + 1, have = at_dim(l, x, last);
  if (have > want) x = at_slice(l, x, last, 0, want, 1);
  if (have < want) x = at_pad(l, x, last, 0, want - have, 0, 0);
  at_ret(l, 0, at_cast(l, scaled(l, along(l, x, last, AT_FFT_TO_REAL, size), n, true), dtype));
}

/* ---- the composite forms: sizes first (n or s), then the scaling by name ---- */
static ten_value *resized(at *l, ten_value *x, int64_t dim, int64_t n) {
  const int64_t have = at_dim(l, x, dim);
  if (n < have) return at_slice(l, x, dim, 0, n, 1);
  return n > have ? at_pad(l, x, dim, 0, n - have, 0, 0) : x;
}

static double norm_factor(at *l, double n, bool forward) {
  const ten_str mode = at_string(l, "norm");
  if (ten_str_is(mode, "ortho")) return 1 / sqrt(n);
  const bool divides = ten_str_is(mode, "forward") ? forward : !forward;
  return divides ? 1 / n : 1;
}

static ten_value *factored(at *l, ten_value *x, double factor) {
  if (factor == 1) return x;
  return at_mul(l, x, at_cast(l, at_const(l, ten_dtype_part(at_type(x)), factor), at_type(x)));
}

/* code: 0 fft, 1 ifft, 2 rfft, 3 irfft, 4 hfft, 5 ihfft; +8: over several dimensions */
static void lower_named(at *l) {
  ten_value *x = at_t(l, "self");
  const int kind = l->row->code & 7;
  const bool many = l->row->code & 8, forward = kind == 0 || kind == 2 || kind == 4, to_real = kind == 3 || kind == 4,
             from_real = kind == 2 || kind == 5;
  const uint32_t rank = at_rank(x);
  at_check(l, rank, "a scalar");
  if (!at_is_complex(x)) x = at_cast(l, x, at_float_type(at_type(x)));
  if (!from_real && !at_is_complex(x)) x = at_cast(l, x, at_type(x) == TEN_F64 ? TEN_C128 : TEN_C64);
  int64_t dims[AT_DIMS], sizes[AT_DIMS];
  uint32_t count = 1;
  const ten_ints s = at_ints(l, many ? "s" : "n"), d = at_ints(l, "dim");
  if (many)
    count = d.count   ? (uint32_t)d.count
            : s.count ? (uint32_t)s.count
            : ten_str_starts(l->op->name, "aten.fft_fft2") || ten_str_starts(l->op->name, "aten.fft_ifft2") ||
                    ten_str_starts(l->op->name, "aten.fft_rfft2") || ten_str_starts(l->op->name, "aten.fft_irfft2") ||
                    ten_str_starts(l->op->name, "aten.fft_hfft2") || ten_str_starts(l->op->name, "aten.fft_ihfft2")
                ? 2
                : rank;
  at_check(l, count <= rank, "%u dimensions", count);
  for (uint32_t i = 0; i < count; i++) {
    dims[i] = d.count ? at_wrap(l, d.data[i < d.count ? i : 0], rank)
              : many  ? (int64_t)(rank - count + i)
                      : (int64_t)rank - 1;
    sizes[i] = i < s.count && s.data[i] >= 0 ? s.data[i] : at_dim(l, x, dims[i]);
    if (to_real && i + 1 == count && !(i < s.count && s.data[i] >= 0)) sizes[i] = 2 * (at_dim(l, x, dims[i]) - 1);
    at_check(l, sizes[i] > 0, "a length of %lld", (long long)sizes[i]);
  }
  double n = 1;
  for (uint32_t i = 0; i < count; i++) n *= (double)sizes[i];
  const uint32_t last = count - 1;
  if (from_real) {
    for (uint32_t i = 0; i < count; i++) x = resized(l, x, dims[i], sizes[i]);
    x = along(l, x, dims[last], AT_FFT_REAL, sizes[last]);
    for (uint32_t i = 0; i < last; i++) x = along(l, x, dims[i], AT_FFT_FORWARD, sizes[i]);
    if (kind == 5) x = at_un(l, TEN_OP_CHLO_CONJ, x);
    at_ret(l, 0, factored(l, x, norm_factor(l, n, forward)));
    return;
  }
  if (kind == 4) x = at_un(l, TEN_OP_CHLO_CONJ, x);
  for (uint32_t i = 0; i < count; i++) {
    if (to_real && i == last) break;
    x = resized(l, x, dims[i], sizes[i]);
    x = along(l, x, dims[i], kind == 0 ? AT_FFT_FORWARD : AT_FFT_INVERSE, sizes[i]);
  }
  if (to_real) x = along(l, resized(l, x, dims[last], sizes[last] / 2 + 1), dims[last], AT_FFT_TO_REAL, sizes[last]);
  at_ret(l, 0, factored(l, x, norm_factor(l, n, forward) * (kind == 0 ? 1 : n)));
}

static void lower_fftfreq(at *l) {
  const int64_t n = at_int(l, "n", 1);
  const double d = at_float(l, "d", 1);
  const bool real = l->row->code;
  const int64_t count = real ? n / 2 + 1 : n;
  const ten_type *declared = at_declared(l, 0);
  ten_value *i = at_iota(l, TEN_F64, 1, &count, 0);
  if (!real) i = at_sel(l, at_cmp(l, TEN_GE, i, at_num(l, i, (double)((n + 1) / 2))), at_addn(l, i, -(double)n), i);
  at_ret(l, 0, at_cast(l, at_muln(l, i, 1 / ((double)n * d)), declared ? declared->dtype : TEN_F32));
}

static void lower_shift(at *l) {
  ten_value *x = at_t(l, "self");
  int64_t dims[AT_DIMS];
  const uint32_t count = at_dims_arg(l, "dim", at_rank(x), dims);
  for (uint32_t i = 0; i < count; i++) {
    const int64_t n = at_dim(l, x, dims[i]), by = l->row->code ? (n + 1) / 2 : n / 2;
    if (!by || by == n) continue;
    ten_value *parts[2] = {at_slice(l, x, dims[i], n - by, n, 1), at_slice(l, x, dims[i], 0, n - by, 1)};
    x = at_cat(l, 2, parts, dims[i]);
  }
  at_ret(l, 0, x);
}

const at_row at_rows_fft[] = {{"_fft_c2c", lower_c2c},
                              {"_fft_r2c", lower_r2c},
                              {"_fft_c2r", lower_c2r},
                              {"fft_fft", lower_named, .code = 0},
                              {"fft_ifft", lower_named, .code = 1},
                              {"fft_rfft", lower_named, .code = 2},
                              {"fft_irfft", lower_named, .code = 3},
                              {"fft_hfft", lower_named, .code = 4},
                              {"fft_ihfft", lower_named, .code = 5},
                              {"fft_fftn", lower_named, .code = 8},
                              {"fft_ifftn", lower_named, .code = 9},
                              {"fft_rfftn", lower_named, .code = 10},
                              {"fft_irfftn", lower_named, .code = 11},
                              {"fft_fft2", lower_named, .code = 8},
                              {"fft_ifft2", lower_named, .code = 9},
                              {"fft_rfft2", lower_named, .code = 10},
                              {"fft_irfft2", lower_named, .code = 11},
                              {"fft_hfft2", lower_named, .code = 12},
                              {"fft_hfftn", lower_named, .code = 12},
                              {"fft_ihfft2", lower_named, .code = 13},
                              {"fft_ihfftn", lower_named, .code = 13},
                              {"fft_fftfreq", lower_fftfreq},
                              {"fft_rfftfreq", lower_fftfreq, .code = 1},
                              {"fft_fftshift", lower_shift},
                              {"fft_ifftshift", lower_shift, .code = 1},
                              {NULL}};
