/* rng.c: rng_bit_generator, bit for bit as XLA does it: Threefry-2x32 and Philox-4x32, counters from the state. A unit
 * is RNG_UNIT counters. */
#include <string.h>

#include "cpu/rt/rt.h"

enum { LANES = TEN_RANDOM_LANES };

static void put(void *out, ten_dtype dtype, int64_t i, uint64_t value) {
  const size_t bytes = ten_dtype_bytes(dtype);
  if (bytes == 4) {
    ((uint32_t *)out)[i] = (uint32_t)value;
    return;
  }
  if (ten_dtype_bits(dtype) < 8) value &= (UINT64_C(1) << ten_dtype_bits(dtype)) - 1;
  memcpy((char *)out + (size_t)i * bytes, &value, bytes); /* little-endian: the low bytes */
}

static bool is_wide(const ten_cpu_rng *rng) { return ten_dtype_bits(rng->dtype) == 64; }

/* Narrow elements come from 32-bit words, two of which one counter gives: positions 2j and 2j + 1 of the split
 * dimension share one. */
static int64_t threefry_counters(const ten_cpu_rng *rng) {
  const int64_t pairs = (rng->split + 1) / 2, lines = rng->split ? rng->count / (rng->split * rng->inner) : 0;
  return is_wide(rng) ? rng->count : lines * pairs * rng->inner;
}

static int64_t philox_counters(const ten_cpu_rng *rng) {
  const int64_t each = is_wide(rng) ? 2 : 4;
  return (rng->count + each - 1) / each;
}

int64_t ten_cpu_rng_units(const ten_cpu_rng *rng) {
  const int64_t counters = rng->algorithm == 1 ? threefry_counters(rng) : philox_counters(rng);
  return counters / TEN_RNG_UNIT + 1; /* one at least, which writes the new state */
}

static void run_threefry(const ten_cpu_rng *rng, const uint64_t *state, int64_t begin, int64_t end, void *out) {
  const ten_kernels *kernels = ten_kernels_best();
  const uint32_t key[2] = {(uint32_t)state[0], (uint32_t)(state[0] >> 32)};
  const int64_t pairs = (rng->split + 1) / 2, inner = rng->inner;
  for (int64_t first = begin; first < end; first += LANES) {
    uint32_t words[2][LANES];
    kernels->threefry_run(key, state[1] + (uint64_t)first, words);
    for (int64_t i = 0; i < LANES && first + i < end; i++) {
      const int64_t at = first + i;
      if (is_wide(rng)) {
        put(out, rng->dtype, at, (uint64_t)words[1][i] << 32 | words[0][i]);
        continue;
      }
      const int64_t pair = at / inner % pairs,
                    place = (at / inner / pairs * rng->split + 2 * pair) * inner + at % inner;
      put(out, rng->dtype, place, words[0][i]);
      if (2 * pair + 1 < rng->split) put(out, rng->dtype, place + inner, words[1][i]);
    }
  }
}

static void run_philox(const ten_cpu_rng *rng, const uint64_t *state, int64_t begin, int64_t end, void *out) {
  const ten_kernels *kernels = ten_kernels_best();
  const uint32_t key[2] = {(uint32_t)state[0], (uint32_t)(state[0] >> 32)};
  const uint64_t high = rng->state_count > 2 ? state[2] : state[0];
  const bool wide = is_wide(rng);
  const int64_t each = wide ? 2 : 4;
  for (int64_t first = begin; first < end; first += LANES) {
    uint32_t words[4][LANES];
    kernels->philox_run(key, state[1], high, (uint64_t)first, words);
    for (int64_t i = 0; i < LANES && first + i < end; i++)
      for (int64_t k = 0, at = (first + i) * each; k < each && at < rng->count; k++, at++)
        put(out, rng->dtype, at, wide ? (uint64_t)words[2 * k + 1][i] << 32 | words[2 * k][i] : words[k][i]);
  }
}

void ten_cpu_rng_run(void *const *args, const void *descriptor, int64_t begin, int64_t end, int64_t worker) {
  (void)worker;
  const ten_cpu_rng *rng = descriptor;
  const uint64_t *state = args[0];
  const bool threefry = rng->algorithm == 1; /* else Philox, which is the default as well */
  const int64_t counters = threefry ? threefry_counters(rng) : philox_counters(rng);
  const int64_t from = begin * TEN_RNG_UNIT, to = end * TEN_RNG_UNIT < counters ? end * TEN_RNG_UNIT : counters;
  if (threefry)
    run_threefry(rng, state, from, to, args[2]);
  else
    run_philox(rng, state, from, to, args[2]);
  if (begin) return;
  uint64_t *next = args[1];
  next[0] = state[0];
  next[1] = state[1] + (uint64_t)counters;
  if (!threefry && rng->state_count > 2) next[2] = state[2] + (next[1] < state[1]);
}
