/* rng.c: random bits, the same as XLA's, bit for bit: Threefry-2x32 with 20 rounds, Philox-4x32 with 10 (Salmon et al.,
 * SC 2011), and XLA's order of the words. The default algorithm is Philox, as on XLA's CPU.
 * stablehlo.rng draws from Threefry, keyed by replica, partition and the number of earlier draws: the same program
 * always sees the same values. */
#include <math.h>

#include "backend/interp/interp.h"
#include "backend/interp/lanes.h"
#include "base/quad.h"

static uint32_t rotate(uint32_t x, unsigned by) { return x << by | x >> (32 - by); }

static uint64_t threefry(uint64_t key, uint64_t counter) {
  static const unsigned rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
  const uint32_t ks[3] = {k0, k1, UINT32_C(0x1BD11BDA) ^ k0 ^ k1};
  uint32_t x0 = (uint32_t)counter + ks[0], x1 = (uint32_t)(counter >> 32) + ks[1];
  for (uint32_t group = 0; group < 5; group++) {
    for (int i = 0; i < 4; i++) {
      x0 += x1;
      x1 = rotate(x1, rotations[group % 2][i]) ^ x0;
    }
    x0 += ks[(group + 1) % 3];
    x1 += ks[(group + 2) % 3] + group + 1;
  }
  return x0 | (uint64_t)x1 << 32;
}

typedef struct words4 {
  uint32_t at[4];
} words4;

static words4 philox(uint64_t low, uint64_t high, uint64_t key) {
  words4 x = {{(uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high, (uint32_t)(high >> 32)}};
  uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
  for (int round = 0; round < 10; round++, k0 += UINT32_C(0x9E3779B9), k1 += UINT32_C(0xBB67AE85)) {
    const uint64_t a = (uint64_t)x.at[0] * UINT32_C(0xD2511F53), b = (uint64_t)x.at[2] * UINT32_C(0xCD9E8D57);
    x = (words4){{(uint32_t)(b >> 32) ^ x.at[1] ^ k0, (uint32_t)b, (uint32_t)(a >> 32) ^ x.at[3] ^ k1, (uint32_t)a}};
  }
  return x;
}

static void store_bits(ten_tensor *out, size_t index, uint64_t bits) {
  if (interp_is_integral(out->dtype)) {
    interp_store_int(out, index, (int64_t)bits);
    return;
  }
  const unsigned width = ten_dtype_bits(out->dtype);
  if (width < 64) bits &= (UINT64_C(1) << width) - 1;
  memcpy(interp_to(out, index), &bits, ten_dtype_bytes(out->dtype));
}

/* Narrow elements come from 32-bit words, two per counter: along the first even dimension, or else the longest,
 * positions 2j and 2j + 1 share a counter. Returns the number of counters used. */
static uint64_t fill_threefry(ten_tensor *out, uint64_t key, uint64_t counter) {
  if (ten_dtype_bits(out->dtype) == 64) {
    for (size_t i = 0; i < out->count; i++) store_bits(out, i, threefry(key, counter + i));
    return out->count;
  }
  if (out->rank == 0) {
    store_bits(out, 0, (uint32_t)threefry(key, counter));
    return 1;
  }
  uint32_t split = 0;
  bool even = false;
  for (uint32_t i = 0; i < out->rank && !even; i++)
    if (out->dims[i] % 2 == 0) split = i, even = true;
  for (uint32_t i = 0; i < out->rank && !even; i++)
    if (out->dims[i] > out->dims[split]) split = i;
  int64_t half[TEN_RANK_MAX], index[TEN_RANK_MAX] = {0}, at[TEN_RANK_MAX];
  uint64_t used = 1;
  for (uint32_t i = 0; i < out->rank; i++) {
    half[i] = i == split ? (out->dims[i] + 1) / 2 : out->dims[i];
    used *= (uint64_t)half[i];
  }
  for (size_t n = 0; n < out->count; n++, interp_index_next(out->rank, out->dims, index)) {
    memcpy(at, index, sizeof at);
    at[split] = index[split] / 2;
    const uint64_t word = threefry(key, counter + interp_offset(out->rank, half, at));
    store_bits(out, n, index[split] % 2 ? word >> 32 : (uint32_t)word);
  }
  return used;
}

/* Four consecutive words per counter; 64-bit elements take two. Returns the number of counters used. */
static uint64_t fill_philox(ten_tensor *out, uint64_t key, uint64_t low, uint64_t high) {
  const bool wide = ten_dtype_bits(out->dtype) == 64;
  const size_t per = wide ? 2 : 4;
  for (size_t n = 0; n < out->count; n++) {
    const uint64_t at = low + n / per;
    const words4 words = philox(at, at < low ? high + 1 : high, key);
    const size_t k = n % per;
    store_bits(out, n, wide ? words.at[2 * k] | (uint64_t)words.at[2 * k + 1] << 32 : words.at[k]);
  }
  return (out->count + per - 1) / per;
}

enum { ALGORITHM_DEFAULT, ALGORITHM_THREE_FRY, ALGORITHM_PHILOX };

ten_status *interp_rng_bit_generator(interp_call *call) {
  const ten_tensor *state = call->in[0];
  const ten_type *type = interp_out_type(call, 1);
  const int64_t algorithm = ten_op_int(call->op, "rng_algorithm", ALGORITHM_DEFAULT);
  const bool is_threefry = algorithm == ALGORITHM_THREE_FRY;
  if (state->rank != 1 || state->dtype != TEN_UI64 || state->count < 2 || state->count > (is_threefry ? 2 : 3))
    return interp_error(call, TEN_INVALID, "the state must be %s, not %zu elements of %s",
                        is_threefry ? "2xui64" : "2xui64 or 3xui64", state->count, ten_dtype_name(state->dtype));
  if (ten_dtype_bits(type->dtype) > 64)
    return interp_error(call, TEN_UNSUPPORTED, "random bits of type %s are not supported", ten_dtype_name(type->dtype));
  TEN_TRY(interp_make_like(call, 0, state, &call->out[0]));
  TEN_TRY(interp_make(call, 1, type->rank, type->dims, &call->out[1]));
  const uint64_t *in = state->data;
  uint64_t *out = call->out[0]->data;
  out[0] = in[0];
  if (is_threefry) {
    out[1] = in[1] + fill_threefry(call->out[1], in[0], in[1]);
    return NULL;
  }
  /* With two words, the key is also the counter's upper half. */
  const uint64_t high = state->count == 3 ? in[2] : in[0];
  out[1] = in[1] + fill_philox(call->out[1], in[0], in[1], high);
  if (state->count == 3) out[2] = high + (out[1] < in[1]);
  return NULL;
}

enum { DISTRIBUTION_UNIFORM = 1, DISTRIBUTION_NORMAL = 2 };

/* In [0, 1), with 53 bits. */
static double unit(uint64_t bits) { return (double)(bits >> 11) * 0x1p-53; }

ten_status *interp_rng(interp_call *call) {
  const ten_tensor *a = call->in[0], *b = call->in[1], *shape = call->in[2];
  int64_t dims[TEN_RANK_MAX];
  if (shape->count > TEN_RANK_MAX)
    return interp_error(call, TEN_LIMIT, "a shape of rank %zu is more than is supported", shape->count);
  for (size_t i = 0; i < shape->count; i++) dims[i] = ten_tensor_int(shape, i);
  TEN_TRY(interp_make(call, 0, (uint32_t)shape->count, dims, &call->out[0]));
  ten_tensor *out = call->out[0];
  const uint64_t key = (uint64_t)call->state->replica << 32 | call->state->partition;
  const uint64_t first = call->state->rng_calls++ << 32;
  const bool normal = ten_op_int(call->op, "rng_distribution", DISTRIBUTION_UNIFORM) == DISTRIBUTION_NORMAL;
  for (size_t i = 0; i < out->count; i++) {
    const uint64_t bits = threefry(key, first + i);
    if (interp_is_integral(out->dtype)) {
      const int64_t low = ten_tensor_int(a, 0);
      const uint64_t range = (uint64_t)ten_tensor_int(b, 0) - (uint64_t)low;
      interp_store_int(out, i, (int64_t)((uint64_t)low + (range ? bits % range : 0)));
      continue;
    }
    const double low = ten_tensor_real(a, 0, 0), high = ten_tensor_real(b, 0, 0);
    double value;
    if (normal) {
      value = low + high * M_SQRT2 * (double)quad_erf_inv(2 * (quad)unit(bits) - 1 + QC(0x1p-53));
    } else {
      value = low + (high - low) * unit(bits);
      interp_store_real(out, i, value);
      if (ten_tensor_real(out, i, 0) >= high) value = low; /* rounding must not reach the end of the interval */
    }
    interp_store_real(out, i, value);
  }
  return NULL;
}
