/* sort.c: stable sorts of rows.
 *
 * Most comparators order by the first operand alone, up or down, floats with NaN at one end: those rows are radix
 * sorted by a key, without comparisons. Probing the comparator decides whether it is of that kind: if it only compares,
 * selects and combines booleans, its answers on a few sample values determine all others. Any other comparator is
 * called in a merge sort of indices. Then each operand is permuted. */
#include <string.h>

#include "backend/cpu/rt/rt.h"

enum { RUN = 8, DIGITS = 256, WIDE = 8 };

/* A key and its index; for up to 32 bits both in one word. */
typedef struct wide_key {
  uint64_t key, from;
} wide_key;

static uint64_t bits_at(const ten_cpu_sort *sort, const void *data, int64_t i) {
  switch (sort->bytes[0]) {
    case 1: return ((const uint8_t *)data)[i];
    case 2: return ((const uint16_t *)data)[i];
    case 4: return ((const uint32_t *)data)[i];
    default: return ((const uint64_t *)data)[i];
  }
}

/* A key whose unsigned order is the requested order. */
static uint64_t key_of(const ten_cpu_sort *sort, uint64_t bits) {
  const unsigned width = 8 * sort->bytes[0];
  const uint64_t all = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1, sign = UINT64_C(1) << (width - 1);
  if (sort->kind == TEN_SORT_FLOAT) {
    const uint64_t size = bits & ~sign;
    if (sort->order & TEN_SORT_NUMBERS) {
      if (size > sort->infinity) bits = all & ~sign; /* every NaN, after all other values */
      if (!size) bits = 0;
    }
    bits = bits & sign ? all & ~bits : bits | sign;
  } else if (sort->kind == TEN_SORT_SIGNED) {
    bits ^= sign;
  }
  return sort->order & TEN_SORT_DOWN ? all & ~bits : bits;
}

void ten_cpu_sort_learn(ten_cpu_sort *sort) {
  enum { SAMPLES = 12 };
  sort->order = TEN_SORT_CALLS;
  if (!sort->simple) return;
  uint64_t samples[SAMPLES] = {0}; /* as in memory: consecutive, of any width */
  const unsigned width = 8 * sort->bytes[0];
  const uint64_t sign = UINT64_C(1) << (width - 1), top = sort->kind == TEN_SORT_FLOAT ? sort->infinity : sign - 1;
  const uint64_t values[SAMPLES] = {
      0,    1,        2,        top - 1,          top,        top + (sort->kind == TEN_SORT_FLOAT),
      sign, sign | 1, sign | 2, sign | (top - 1), sign | top, (sign | top) + (sort->kind == TEN_SORT_FLOAT)};
  for (int i = 0; i < SAMPLES; i++) memcpy((char *)samples + (size_t)i * sort->bytes[0], &values[i], sort->bytes[0]);
  void *args[2] = {samples, samples};
  for (int order = TEN_SORT_UP; order < TEN_SORT_ORDERS; order++) {
    if ((order & TEN_SORT_NUMBERS) && sort->kind != TEN_SORT_FLOAT) continue;
    ten_cpu_sort trial = *sort;
    trial.order = order;
    bool same = true;
    for (int a = 0; a < SAMPLES; a++)
      for (int b = 0; b < SAMPLES; b++)
        same &= !!sort->before(args, a, b) ==
                (key_of(&trial, bits_at(sort, samples, a)) < key_of(&trial, bits_at(sort, samples, b)));
    if (same) {
      sort->order = order;
      return;
    }
  }
}

/* Start offsets of each digit's elements; false: all have the same digit. */
static bool place_digits(uint32_t *counts, int64_t size) {
  uint32_t start = 0;
  for (int d = 0; d < DIGITS; d++) {
    const uint32_t count = counts[d];
    if (count == (uint32_t)size) return false;
    counts[d] = start;
    start += count;
  }
  return true;
}

/* Fast path for the usual keys: f32 with NaN at one end. */
static bool is_usual(const ten_cpu_sort *sort) {
  return sort->kind == TEN_SORT_FLOAT && sort->bytes[0] == 4 && sort->order & TEN_SORT_NUMBERS;
}

static inline uint32_t usual_key(uint32_t bits, uint32_t down) {
  const uint32_t size = bits & INT32_MAX;
  bits = size > 0x7f800000u ? INT32_MAX : size ? bits : 0;
  return (bits ^ ((uint32_t)((int32_t)bits >> 31) | 0x80000000u)) ^ down;
}

/* The keys of a row, of at most 32 bits, with their indices. */
static void narrow_keys(const ten_cpu_sort *sort, const void *data, int64_t base, uint64_t *keys) {
  const int64_t n = sort->size, inner = sort->inner;
  if (is_usual(sort)) {
    const uint32_t *from = (const uint32_t *)data + base, down = sort->order & TEN_SORT_DOWN ? UINT32_MAX : 0;
    for (int64_t i = 0; i < n; i++) keys[i] = (uint64_t)usual_key(from[i * inner], down) << 32 | (uint64_t)i;
    return;
  }
  for (int64_t i = 0; i < n; i++) keys[i] = key_of(sort, bits_at(sort, data, base + i * inner)) << 32 | (uint64_t)i;
}

/* The first few elements of a row, sorted. */
typedef struct best_few {
  uint64_t keys[TEN_SORT_TOP];
  int64_t count, top;
} best_few;

static void best_add(best_few *best, uint64_t key) {
  int64_t k = best->count < best->top ? best->count++ : best->top - 1;
  for (; k > 0 && best->keys[k - 1] > key; k--) best->keys[k] = best->keys[k - 1];
  best->keys[k] = key;
}

/* Only the first `top`: each element is compared with the current last, for the usual keys a group at once: few groups
 * contain a better one. */
static void narrow_top(const ten_cpu_sort *sort, const void *data, int64_t base, uint64_t *keys, int64_t *order) {
  enum { GROUP = 16 };
  best_few best = {.top = sort->top};
  const int64_t n = sort->size;
  int64_t i = 0;
  if (is_usual(sort) && sort->inner == 1) {
    const uint32_t *from = (const uint32_t *)data + base, down = sort->order & TEN_SORT_DOWN ? UINT32_MAX : 0;
    for (; i + GROUP <= n; i += GROUP) {
      uint32_t group[GROUP], least = UINT32_MAX;
      for (int k = 0; k < GROUP; k++) group[k] = usual_key(from[i + k], down);
      for (int k = 0; k < GROUP; k++) least = group[k] < least ? group[k] : least;
      if (best.count == best.top && least >= best.keys[best.top - 1] >> 32) continue; /* of equals the earlier stays */
      for (int k = 0; k < GROUP; k++)
        if (best.count < best.top || group[k] < best.keys[best.top - 1] >> 32)
          best_add(&best, (uint64_t)group[k] << 32 | (uint64_t)(i + k));
    }
    for (; i < n; i++) {
      const uint64_t key = (uint64_t)usual_key(from[i], down) << 32 | (uint64_t)i;
      if (best.count < best.top || key < best.keys[best.top - 1]) best_add(&best, key);
    }
  } else {
    narrow_keys(sort, data, base, keys);
    for (; i < n; i++)
      if (best.count < best.top || keys[i] < best.keys[best.top - 1]) best_add(&best, keys[i]);
  }
  for (int64_t k = 0; k < best.count; k++) order[k] = (int64_t)(best.keys[k] & UINT32_MAX);
}

static void narrow_digits(const ten_cpu_sort *sort, const void *data, int64_t base, uint64_t *keys, uint64_t *other,
                          int64_t *order) {
  const int64_t n = sort->size;
  if (sort->top <= TEN_SORT_TOP) {
    narrow_top(sort, data, base, keys, order);
    return;
  }
  narrow_keys(sort, data, base, keys);
  uint32_t counts[4][DIGITS] = {{0}};
  const unsigned passes = sort->bytes[0];
  for (int64_t i = 0; i < n; i++)
    for (unsigned p = 0; p < passes; p++) counts[p][keys[i] >> (32 + 8 * p) & 255]++;
  for (unsigned p = 0; p < passes; p++) {
    if (!place_digits(counts[p], n)) continue;
    for (int64_t i = 0; i < n; i++) other[counts[p][keys[i] >> (32 + 8 * p) & 255]++] = keys[i];
    uint64_t *swap = keys;
    keys = other;
    other = swap;
  }
  for (int64_t i = 0; i < n; i++) order[i] = (int64_t)(keys[i] & UINT32_MAX);
}

static void wide_digits(const ten_cpu_sort *sort, const void *data, int64_t base, wide_key *keys, wide_key *other,
                        int64_t *order) {
  uint32_t counts[WIDE][DIGITS] = {{0}};
  const int64_t n = sort->size;
  for (int64_t i = 0; i < n; i++) {
    keys[i] = (wide_key){key_of(sort, bits_at(sort, data, base + i * sort->inner)), (uint64_t)i};
    for (unsigned p = 0; p < WIDE; p++) counts[p][keys[i].key >> 8 * p & 255]++;
  }
  for (unsigned p = 0; p < WIDE; p++) {
    if (!place_digits(counts[p], n)) continue;
    for (int64_t i = 0; i < n; i++) other[counts[p][keys[i].key >> 8 * p & 255]++] = keys[i];
    wide_key *swap = keys;
    keys = other;
    other = swap;
  }
  for (int64_t i = 0; i < n; i++) order[i] = (int64_t)keys[i].from;
}

static void sort_runs(const ten_cpu_sort *sort, void *const *args, int64_t *order, int64_t base) {
  for (int64_t start = 0; start < sort->size; start += RUN) {
    const int64_t end = start + RUN < sort->size ? start + RUN : sort->size;
    for (int64_t i = start + 1; i < end; i++) {
      const int64_t moved = order[i];
      int64_t k = i;
      while (k > start && sort->before(args, base + moved * sort->inner, base + order[k - 1] * sort->inner)) {
        order[k] = order[k - 1];
        k--;
      }
      order[k] = moved;
    }
  }
}

/* Merges [start, middle) and [middle, end) of `from` into `to`; stable. */
static void merge(const ten_cpu_sort *sort, void *const *args, int64_t base, const int64_t *from, int64_t *to,
                  int64_t start, int64_t middle, int64_t end) {
  int64_t left = start, right = middle;
  for (int64_t i = start; i < end; i++) {
    const bool take_right = left == middle || (right < end && sort->before(args, base + from[right] * sort->inner,
                                                                           base + from[left] * sort->inner));
    to[i] = take_right ? from[right++] : from[left++];
  }
}

static int64_t *merge_sort(const ten_cpu_sort *sort, void *const *args, int64_t base, int64_t *order, int64_t *other) {
  for (int64_t i = 0; i < sort->size; i++) order[i] = i;
  sort_runs(sort, args, order, base);
  for (int64_t width = RUN; width < sort->size; width *= 2) {
    for (int64_t start = 0; start < sort->size; start += 2 * width) {
      const int64_t middle = start + width < sort->size ? start + width : sort->size;
      const int64_t stop = start + 2 * width < sort->size ? start + 2 * width : sort->size;
      merge(sort, args, base, order, other, start, middle, stop);
    }
    int64_t *swap = order;
    order = other;
    other = swap;
  }
  return order;
}

#define MOVE(type)                        \
  for (int64_t i = 0; i < sort->top; i++) \
    ((type *)outputs[k])[base + i * sort->inner] = ((const type *)args[k])[base + order[i] * sort->inner];

static void permute(const ten_cpu_sort *sort, void *const *args, const int64_t *order, int64_t base) {
  void *const *outputs = args + sort->count + sort->extra;
  for (uint32_t k = 0; k < sort->count; k++) {
    const size_t bytes = sort->bytes[k];
    if (bytes == 4) {
      MOVE(uint32_t)
    } else if (bytes == 8) {
      MOVE(uint64_t)
    } else {
      for (int64_t i = 0; i < sort->top; i++)
        memcpy((char *)outputs[k] + (size_t)(base + i * sort->inner) * bytes,
               (const char *)args[k] + (size_t)(base + order[i] * sort->inner) * bytes, bytes);
    }
  }
}

size_t ten_cpu_sort_scratch(const ten_cpu_sort *sort) {
  return ((size_t)sort->size * (sort->bytes[0] > 4 ? 5 : 3) * sizeof(uint64_t) + 63) / 64 * 64;
}

void ten_cpu_sort_rows(void *const *args, const void *descriptor, int64_t begin, int64_t end, int64_t worker) {
  const ten_cpu_sort *sort = descriptor;
  char *scratch = (char *)args[2 * sort->count + sort->extra] + ten_cpu_sort_scratch(sort) * (size_t)worker;
  int64_t *first = (int64_t *)scratch, *second = first + sort->size;
  for (int64_t row = begin; row < end; row++) {
    const int64_t base = row / sort->inner * sort->size * sort->inner + row % sort->inner;
    const int64_t *order = first;
    if (sort->order == TEN_SORT_CALLS || sort->size > UINT32_MAX)
      order = merge_sort(sort, args, base, first, second);
    else if (sort->bytes[0] > 4)
      wide_digits(sort, args[0], base, (wide_key *)second, (wide_key *)second + sort->size, first);
    else
      narrow_digits(sort, args[0], base, (uint64_t *)second, (uint64_t *)second + sort->size, first);
    permute(sort, args, order, base);
  }
}
