/* rng.c: rng_bit_generator, bit-identical to XLA: Threefry-2x32 and Philox-4x32, counters from the state. A unit is
 * RNG_UNIT counters. */
#include <string.h>

#include "backend/cpu/rt/rt.h"

enum { LANES = TEN_RANDOM_LANES };

/* Stores `n` elements from `i` on, `step` apart, each the low bits of a word. */
static void put_words(void *out, ten_dtype dtype, int64_t i, int64_t step, int64_t n, const uint32_t *words) {
  const size_t bytes = ten_dtype_bytes(dtype);
  if (bytes == 4) {
    uint32_t *to = (uint32_t *)out + i;
    for (int64_t k = 0; k < n; k++) to[k * step] = words[k];
    return;
  }
  const uint32_t mask = ten_dtype_bits(dtype) < 8 ? (1u << ten_dtype_bits(dtype)) - 1 : UINT32_MAX;
  for (int64_t k = 0; k < n; k++) {
    const uint32_t word = words[k] & mask;
    memcpy((char *)out + (size_t)(i + k * step) * bytes, &word, bytes); /* little-endian: the low bytes */
  }
}

static bool is_wide(const ten_cpu_rng *rng) { return ten_dtype_bits(rng->dtype) == 64; }

/* Narrow elements come from 32-bit words, two per counter: positions 2j and 2j + 1 of the split dimension share a
 * counter. */
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
  return counters / TEN_RNG_UNIT + 1; /* at least one, which writes the new state */
}

/* Where a counter's two elements go: a position in the first of two rows of `inner`. */
typedef struct cursor {
  int64_t line, pair, column;
} cursor;

/* Stores the words of `n` counters at `at`, and advances it. Counters of one row or, if rows are single elements, one
 * line, are written together. */
static void put_pairs(const ten_cpu_rng *rng, cursor *at, int64_t n, uint32_t words[2][LANES], void *out) {
  const int64_t pairs = (rng->split + 1) / 2, inner = rng->inner;
  for (int64_t i = 0, run; i < n; i += run) {
    const int64_t left = n - i, rest = inner > 1 ? inner - at->column : pairs - at->pair;
    const int64_t place = (at->line * rng->split + 2 * at->pair) * inner + at->column;
    run = left < rest ? left : rest;
    if (inner > 1) {
      put_words(out, rng->dtype, place, 1, run, words[0] + i);
      if (2 * at->pair + 1 < rng->split) put_words(out, rng->dtype, place + inner, 1, run, words[1] + i);
      at->column += run;
    } else {
      const int64_t seconds = at->pair + run == pairs && rng->split % 2 ? run - 1 : run;
      put_words(out, rng->dtype, place, 2, run, words[0] + i);
      put_words(out, rng->dtype, place + 1, 2, seconds, words[1] + i);
      at->pair += run;
    }
    if (inner > 1 && at->column == inner) at->column = 0, at->pair++;
    if (at->pair == pairs) at->pair = 0, at->line++;
  }
}

static void run_threefry(const ten_cpu_rng *rng, const uint64_t *state, int64_t begin, int64_t end, void *out) {
  const ten_kernels *kernels = ten_kernels_best();
  const uint32_t key[2] = {(uint32_t)state[0], (uint32_t)(state[0] >> 32)};
  const int64_t pairs = (rng->split + 1) / 2, inner = rng->inner;
  if (begin >= end) return;
  cursor at = {0};
  if (!is_wide(rng))
    at = (cursor){.line = begin / inner / pairs, .pair = begin / inner % pairs, .column = begin % inner};
  for (int64_t first = begin; first < end; first += LANES) {
    const int64_t n = end - first < LANES ? end - first : LANES;
    uint32_t words[2][LANES];
    kernels->threefry_run(key, state[1] + (uint64_t)first, words);
    if (!is_wide(rng)) {
      put_pairs(rng, &at, n, words, out);
      continue;
    }
    for (int64_t i = 0; i < n; i++) ((uint64_t *)out)[first + i] = (uint64_t)words[1][i] << 32 | words[0][i];
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
    for (int64_t i = 0; i < LANES && first + i < end; i++) {
      const int64_t at = (first + i) * each, n = rng->count - at < each ? rng->count - at : each;
      const uint32_t four[4] = {words[0][i], words[1][i], words[2][i], words[3][i]};
      if (!wide) put_words(out, rng->dtype, at, 1, n, four);
      for (int64_t k = 0; k < n && wide; k++) ((uint64_t *)out)[at + k] = (uint64_t)four[2 * k + 1] << 32 | four[2 * k];
    }
  }
}

void ten_cpu_rng_run(void *const *args, const void *descriptor, int64_t begin, int64_t end, int64_t worker) {
  (void)worker;
  const ten_cpu_rng *rng = descriptor;
  const uint64_t *state = args[0];
  const bool threefry = rng->algorithm == 1; /* otherwise Philox, also the default */
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
