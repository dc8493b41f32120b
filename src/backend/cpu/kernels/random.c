/* random.c: the words of Threefry-2x32 (20 rounds) and Philox-4x32 (10 rounds) for consecutive counters, a vector of
 * counters at a time. */
#include "backend/cpu/kernels/gemm.h"

/* Lanes whose words stay in registers through all rounds. */
enum { LANES = TEN_RANDOM_LANES, BLOCK = 4 * VL < LANES ? 4 * VL : LANES };

ALWAYS_INLINE void turn(uint32_t *restrict a, uint32_t *restrict b, const unsigned by) {
  for (int i = 0; i < BLOCK; i++) {
    a[i] += b[i];
    b[i] = (b[i] << by | b[i] >> (32 - by)) ^ a[i];
  }
}

ALWAYS_INLINE void add_keys(uint32_t *restrict a, uint32_t *restrict b, uint32_t x, uint32_t y) {
  for (int i = 0; i < BLOCK; i++) a[i] += x, b[i] += y;
}

ALWAYS_INLINE void threefry_block(const uint32_t keys[3], uint64_t counter, uint32_t *out_a, uint32_t *out_b) {
  uint32_t a[BLOCK], b[BLOCK];
  for (int i = 0; i < BLOCK; i++) {
    const uint64_t at = counter + (uint64_t)i;
    a[i] = (uint32_t)at + keys[0];
    b[i] = (uint32_t)(at >> 32) + keys[1];
  }
#pragma GCC unroll 5
  for (uint32_t group = 0; group < 5; group++) {
    if (group % 2) {
      turn(a, b, 17), turn(a, b, 29), turn(a, b, 16), turn(a, b, 24);
    } else {
      turn(a, b, 13), turn(a, b, 15), turn(a, b, 26), turn(a, b, 6);
    }
    add_keys(a, b, keys[(group + 1) % 3], keys[(group + 2) % 3] + group + 1);
  }
  for (int i = 0; i < BLOCK; i++) out_a[i] = a[i], out_b[i] = b[i];
}

void TEN_K(threefry_run)(const uint32_t key[2], uint64_t counter, uint32_t out[2][LANES]) {
  const uint32_t keys[3] = {key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDAu};
  for (int i = 0; i < LANES; i += BLOCK) threefry_block(keys, counter + (uint64_t)i, out[0] + i, out[1] + i);
}

void TEN_K(philox_run)(const uint32_t key_in[2], uint64_t low, uint64_t high, uint64_t counter,
                       uint32_t out[4][LANES]) {
  uint32_t key[2] = {key_in[0], key_in[1]};
  for (int i = 0; i < LANES; i++) {
    const uint64_t at = low + counter + (uint64_t)i, above = high + (at < low);
    out[0][i] = (uint32_t)at, out[1][i] = (uint32_t)(at >> 32);
    out[2][i] = (uint32_t)above, out[3][i] = (uint32_t)(above >> 32);
  }
  for (unsigned round = 0; round < 10; round++) {
    uint32_t *restrict x0 = out[0], *restrict x1 = out[1], *restrict x2 = out[2], *restrict x3 = out[3];
    for (int i = 0; i < LANES; i++) {
      const uint64_t a = (uint64_t)x0[i] * 0xD2511F53u, b = (uint64_t)x2[i] * 0xCD9E8D57u;
      x0[i] = (uint32_t)(b >> 32) ^ x1[i] ^ key[0];
      x1[i] = (uint32_t)b;
      x2[i] = (uint32_t)(a >> 32) ^ x3[i] ^ key[1];
      x3[i] = (uint32_t)a;
    }
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
}
