/* convert.c: conversions between element types, and bitcasts. Float to integer truncates and saturates, NaN becomes 0
 * (XLA); integer to integer wraps; anything to bool tests for nonzero; complex to real drops the imaginary part. */
#include <math.h>

#include "backend/interp/interp.h"
#include "backend/interp/lanes.h"
#include "base/float.h"

static int64_t saturate(ten_dtype dtype, double x) {
  if (isnan(x)) return 0;
  const unsigned bits = ten_dtype_bits(dtype);
  if (interp_is_unsigned(dtype)) {
    if (x <= 0) return 0;
    return x >= ldexp(1, (int)bits) ? (int64_t)(bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1)
                                    : (int64_t)(uint64_t)x;
  }
  if (x >= ldexp(1, (int)bits - 1)) return (int64_t)((UINT64_C(1) << (bits - 1)) - 1);
  if (x < -ldexp(1, (int)bits - 1)) return (int64_t)(0 - (UINT64_C(1) << (bits - 1)));
  return (int64_t)x;
}

/* One rounding only: 64-bit integers may not pass through double on their way to a narrower float. */
static void store_from_int(ten_tensor *out, size_t part, ten_dtype from, int64_t value) {
  const ten_dtype dtype = ten_dtype_part(out->dtype);
  const bool is_unsigned = interp_is_unsigned(from);
  if (dtype == TEN_F64) {
    ((double *)out->data)[part] = is_unsigned ? (double)(uint64_t)value : (double)value;
  } else if (dtype == TEN_F32) {
    ((float *)out->data)[part] = is_unsigned ? (float)(uint64_t)value : (float)value;
  } else {
    /* Round-to-odd to 53 bits preserves what decides the next rounding. */
    const bool negative = !is_unsigned && value < 0;
    uint64_t size = negative ? 0 - (uint64_t)value : (uint64_t)value;
    if (size >> 53) {
      const unsigned drop = 11 - (unsigned)__builtin_clzll(size);
      const uint64_t lost = size & ((UINT64_C(1) << drop) - 1);
      size = (size >> drop | (lost != 0)) << drop;
    }
    interp_store_real(out, part, negative ? -(double)size : (double)size);
  }
}

static void convert_elements(const ten_tensor *x, ten_tensor *out) {
  if (x->dtype == out->dtype) {
    if (x->bytes) memcpy(out->data, x->data, x->bytes);
    return;
  }
  const bool from_complex = ten_dtype_is_complex(x->dtype), to_complex = ten_dtype_is_complex(out->dtype);
  const size_t stride = to_complex ? 2 : 1;
  interp_lanes lanes;
  if (interp_is_integral(x->dtype)) {
    const int64_t *a = interp_lanes_ints(&lanes, x);
    for (size_t i = 0; i < x->count; i++) {
      if (interp_is_integral(out->dtype))
        interp_store_int(out, i, a[i]);
      else
        store_from_int(out, i * stride, x->dtype, a[i]); /* the imaginary part is zero already */
    }
  } else {
    const double *a = interp_lanes_reals(&lanes, x);
    for (size_t i = 0; i < x->count; i++) {
      const double real = a[from_complex ? 2 * i : i], imag = from_complex ? a[2 * i + 1] : 0;
      if (out->dtype == TEN_I1)
        interp_store_int(out, i, real != 0);
      else if (interp_is_integral(out->dtype))
        interp_store_int(out, i, saturate(out->dtype, real));
      else
        interp_store_real(out, i * stride, real);
      if (to_complex) interp_store_real(out, i * stride + 1, imag);
    }
  }
  interp_lanes_free(&lanes);
}

ten_status *interp_convert(interp_call *call) {
  TEN_TRY(interp_make_like(call, 0, call->in[0], &call->out[0]));
  convert_elements(call->in[0], call->out[0]);
  return NULL;
}

ten_status *interp_convert_to(interp_call *call, ten_tensor *x, ten_dtype dtype, ten_tensor **out) {
  (void)call;
  if (x->dtype == dtype) {
    *out = ten_tensor_retain(x);
    return NULL;
  }
  TEN_TRY(ten_tensor_create(dtype, x->rank, x->dims, out));
  convert_elements(x, *out);
  return NULL;
}

/* Bits of element i, low half first for complex. Elements of 128 bits are two words. */
typedef struct bits128 {
  uint64_t word[2];
} bits128;

static bool bit_at(const bits128 *bits, unsigned i) { return bits->word[i / 64] >> (i % 64) & 1; }

/* Copies bit by bit: element widths from 1 to 128 on either side, least significant first. Where widths differ, the
 * narrower side has one more dimension, the last one. */
ten_status *interp_bitcast_convert(interp_call *call) {
  const ten_tensor *x = call->in[0];
  const ten_dtype to = interp_out_type(call, 0)->dtype;
  const unsigned from_bits = ten_dtype_bits(x->dtype), to_bits = ten_dtype_bits(to);
  int64_t dims[TEN_RANK_MAX + 1];
  uint32_t rank = x->rank;
  for (uint32_t i = 0; i < rank; i++) dims[i] = x->dims[i];
  if (from_bits > to_bits) {
    if (from_bits % to_bits || rank >= TEN_RANK_MAX)
      return interp_error(call, TEN_INVALID, "elements of %u bits cannot be split into elements of %u", from_bits,
                          to_bits);
    dims[rank++] = from_bits / to_bits;
  } else if (from_bits < to_bits) {
    if (to_bits % from_bits || !rank || (uint64_t)dims[rank - 1] != to_bits / from_bits)
      return interp_error(call, TEN_INVALID, "the last dimension must be %u, the elements of one result",
                          to_bits / from_bits);
    rank--;
  }
  TEN_TRY(interp_make(call, 0, rank, dims, &call->out[0]));
  ten_tensor *out = call->out[0];
  const size_t from_size = ten_dtype_bytes(x->dtype), to_size = ten_dtype_bytes(to);
  const size_t groups = from_bits < to_bits ? out->count : x->count;
  const size_t per_in = x->count / (groups ? groups : 1), per_out = out->count / (groups ? groups : 1);
  for (size_t g = 0; g < groups; g++) {
    bits128 all = {{0, 0}};
    unsigned at = 0;
    for (size_t k = 0; k < per_in; k++) {
      bits128 one = {{0, 0}};
      memcpy(&one, interp_at(x, g * per_in + k), from_size);
      for (unsigned b = 0; b < from_bits; b++, at++) all.word[at / 64] |= (uint64_t)bit_at(&one, b) << (at % 64);
    }
    at = 0;
    for (size_t k = 0; k < per_out; k++) {
      bits128 one = {{0, 0}};
      for (unsigned b = 0; b < to_bits; b++, at++) one.word[b / 64] |= (uint64_t)bit_at(&all, at) << (b % 64);
      if (ten_dtype_class(to) == TEN_CLASS_SINT && to_bits < 8)
        one.word[0] = (uint64_t)interp_wrap(to, (int64_t)one.word[0]);
      memcpy(interp_to(out, g * per_out + k), &one, to_size);
    }
  }
  return NULL;
}

/* Rounds to the mantissa, then to the exponent range: too large is infinity, too small is zero. Works on the bits, as
 * XLA does. */
static uint64_t reduce_bits(uint64_t bits, const ten_float_format *format, unsigned exponent_bits,
                            unsigned mantissa_bits) {
  const unsigned width = format->exponent_bits + format->mantissa_bits + 1;
  const uint64_t sign = UINT64_C(1) << (width - 1);
  const uint64_t exponent_mask = ((UINT64_C(1) << format->exponent_bits) - 1) << format->mantissa_bits;
  if (mantissa_bits < format->mantissa_bits) {
    const unsigned drop = format->mantissa_bits - mantissa_bits;
    const uint64_t last = UINT64_C(1) << drop;
    bits += ((last >> 1) - 1) + ((bits & last) >> drop);
    bits &= ~(last - 1);
  }
  if (exponent_bits < format->exponent_bits) {
    const uint64_t bias = (UINT64_C(1) << (format->exponent_bits - 1)) - 1,
                   reduced = (UINT64_C(1) << (exponent_bits - 1)) - 1;
    const uint64_t exponent = bits & exponent_mask, zero = bits & sign;
    if (exponent > (bias + reduced) << format->mantissa_bits)
      bits = zero | exponent_mask;
    else if (exponent <= (bias - reduced) << format->mantissa_bits)
      bits = zero;
  }
  return bits;
}

ten_status *interp_reduce_precision(interp_call *call) {
  const ten_tensor *x = call->in[0];
  const int64_t exponent_bits = ten_op_int(call->op, "exponent_bits", 1),
                mantissa_bits = ten_op_int(call->op, "mantissa_bits", 0);
  if (exponent_bits < 1 || mantissa_bits < 0)
    return interp_error(call, TEN_INVALID, "exponent_bits must be at least 1 and mantissa_bits at least 0");
  TEN_TRY(interp_make_like(call, 0, x, &call->out[0]));
  const ten_float_format format = ten_float_format_of(x->dtype);
  const size_t size = ten_dtype_bytes(x->dtype);
  for (size_t i = 0; i < x->count; i++) {
    uint64_t bits = 0;
    memcpy(&bits, interp_at(x, i), size);
    if (!isnan(ten_tensor_real(x, i, 0))) {
      bits = reduce_bits(bits, &format, (unsigned)exponent_bits, (unsigned)mantissa_bits);
    } else if (mantissa_bits == 0) {
      ten_float_encode(x->dtype, (double)INFINITY, &bits);
    }
    memcpy(interp_to(call->out[0], i), &bits, size);
  }
  return NULL;
}
