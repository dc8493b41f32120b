/* rng.c: rng_bit_generator, bit for bit as XLA does it: Threefry-2x32 (20 rounds) and Philox-4x32 (10 rounds), counters
 * from the state. */
#include <string.h>

#include "cpu/rt/rt.h"

static uint32_t rotate(uint32_t x, unsigned by) { return x << by | x >> (32 - by); }

static void threefry(const uint32_t key[2], uint32_t x[2]) {
  static const unsigned rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const uint32_t keys[3] = {key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDAu};
  x[0] += keys[0];
  x[1] += keys[1];
  for (unsigned group = 0; group < 5; group++) {
    for (unsigned i = 0; i < 4; i++) {
      x[0] += x[1];
      x[1] = rotate(x[1], rotations[group % 2][i]) ^ x[0];
    }
    x[0] += keys[(group + 1) % 3];
    x[1] += keys[(group + 2) % 3] + group + 1;
  }
}

static void philox(const uint32_t key_in[2], uint32_t x[4]) {
  uint32_t key[2] = {key_in[0], key_in[1]};
  for (unsigned round = 0; round < 10; round++) {
    const uint64_t a = (uint64_t)x[0] * 0xD2511F53u, b = (uint64_t)x[2] * 0xCD9E8D57u;
    const uint32_t next[4] = {(uint32_t)(b >> 32) ^ x[1] ^ key[0], (uint32_t)b, (uint32_t)(a >> 32) ^ x[3] ^ key[1],
                              (uint32_t)a};
    memcpy(x, next, sizeof next);
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
}

static void put(void *out, ten_dtype dtype, int64_t i, uint64_t value) {
  const size_t bytes = ten_dtype_bytes(dtype);
  if (ten_dtype_bits(dtype) < 8) value &= (UINT64_C(1) << ten_dtype_bits(dtype)) - 1;
  memcpy((char *)out + (size_t)i * bytes, &value, bytes); /* little-endian: the low bytes */
}

/* Narrow elements come from 32-bit words, two of which one counter gives: positions 2j and 2j + 1 of the split
 * dimension share one. */
static void run_threefry(const ten_cpu_rng *rng, const uint64_t *state, uint64_t *next, void *out) {
  const uint32_t key[2] = {(uint32_t)state[0], (uint32_t)(state[0] >> 32)};
  const bool wide = ten_dtype_bits(rng->dtype) == 64;
  const int64_t pairs = (rng->split + 1) / 2, lines = rng->split ? rng->count / (rng->split * rng->inner) : 0;
  for (int64_t i = 0; i < rng->count; i++) {
    const int64_t line = wide ? 0 : i / (rng->split * rng->inner), at = wide ? 0 : i / rng->inner % rng->split;
    const uint64_t counter = state[1] + (uint64_t)(wide ? i : (line * pairs + at / 2) * rng->inner + i % rng->inner);
    uint32_t x[2] = {(uint32_t)counter, (uint32_t)(counter >> 32)};
    threefry(key, x);
    put(out, rng->dtype, i, wide ? (uint64_t)x[1] << 32 | x[0] : x[at % 2]);
  }
  next[0] = state[0];
  next[1] = state[1] + (uint64_t)(wide ? rng->count : lines * pairs * rng->inner);
}

static void run_philox(const ten_cpu_rng *rng, const uint64_t *state, uint64_t *next, void *out) {
  const uint32_t key[2] = {(uint32_t)state[0], (uint32_t)(state[0] >> 32)};
  uint64_t low = state[1], high = rng->state_count > 2 ? state[2] : state[0];
  const bool wide = ten_dtype_bits(rng->dtype) == 64;
  const int64_t each = wide ? 2 : 4;
  for (int64_t i = 0; i < rng->count; i += each) {
    uint32_t x[4] = {(uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high, (uint32_t)(high >> 32)};
    philox(key, x);
    for (int64_t k = 0; k < each && i + k < rng->count; k++)
      put(out, rng->dtype, i + k, wide ? (uint64_t)x[2 * k + 1] << 32 | x[2 * k] : x[k]);
    if (++low == 0) high++;
  }
  next[0] = state[0];
  next[1] = low;
  if (rng->state_count > 2) next[2] = high;
}

void ten_cpu_rng_run(void *const *args, const void *descriptor, int64_t begin, int64_t end, int64_t worker) {
  (void)begin, (void)end, (void)worker;
  const ten_cpu_rng *rng = descriptor;
  if (rng->algorithm == 1)
    run_threefry(rng, args[0], args[1], args[2]);
  else /* Philox, which is the default as well */
    run_philox(rng, args[0], args[1], args[2]);
}
