/* attention.h: code shared by the two forms of attention: exponentials, sums and maxima of rows. */
#ifndef TEN_CPU_KERNELS_ATTENTION_H
#define TEN_CPU_KERNELS_ATTENTION_H

#include <math.h>

#include "backend/cpu/kernels/gemm.h"

/* By bf16 matmuls (attention_bf16.c): scores accumulate in f32, softmax weights are rounded to bf16. */
bool TEN_K(attention_can_narrow)(const ten_attention *a);
size_t TEN_K(attention_narrow_scratch)(const ten_attention *a, unsigned threads);
void TEN_K(attention_narrow_run)(const ten_attention *a, ten_pool *pool);

/* The offset of a batch, in elements, from the batch dimensions' sizes and strides. */
ALWAYS_INLINE int64_t attention_offset(const int64_t *sizes, const int64_t *strides, int64_t batch) {
  int64_t offset = 0;
  for (int i = TEN_ATTENTION_BATCH - 1; i >= 0; i--) {
    offset += batch % sizes[i] * strides[i];
    batch /= sizes[i];
  }
  return offset;
}

/* Prefetches rows [begin, end) of an operand of the next batch, `bytes` of each: they are short and far apart, so that
 * hardware prefetchers miss them. */
ALWAYS_INLINE void attention_ask(const void *base, int64_t row_bytes, int64_t begin, int64_t end, int64_t bytes) {
  enum { LINE_BYTES = 64 };
  for (int64_t r = begin; r < end; r++)
    for (int64_t at = 0; at < bytes; at += LINE_BYTES)
      __builtin_prefetch((const char *)base + r * row_bytes + at, 0, 2);
}

/* The batch that a thread probably takes next, by the pool's schedule; its own if there is none. */
ALWAYS_INLINE int64_t attention_next(const ten_attention *a, int64_t batch, unsigned thread) {
  const int64_t next = thread % 2 ? batch - 1 : batch + 1;
  return next < 0 || next >= a->batches ? batch : next;
}

typedef int32_t vi __attribute__((vector_size(VL * sizeof(int32_t)), may_alias));

/* e^x for x ≤ 0, within 2 ulp; below the smallest normal result, 0. */
ALWAYS_INLINE vf exp_lanes(vf x) {
  const vi small = x < vsplat(-87.33f);
  const vf whole = x * vsplat(1.44269504f) + vsplat(12582912.f); /* rounds to nearest in the low bits */
  const vf n = whole - vsplat(12582912.f);
  const vf r = (x - n * vsplat(0.693359375f)) - n * vsplat(-2.12194440e-4f);
  /* by pairs, to shorten the dependency chain */
  const vf square = r * r;
  vf p = (r * vsplat(1.98919813e-4f) + vsplat(1.39345419e-3f)) * square +
         (r * vsplat(8.33331002e-3f) + vsplat(4.16664568e-2f));
  p = p * square + (r * vsplat(1.66666667e-1f) + vsplat(0.5f));
  p = (p * square + r) + vsplat(1.f);
  const vi scale = ((vi)whole << 23) + (127 << 23);
  vf result = p * (vf)scale;
  result = (vf)((vi)result & ~small);
  return result;
}

ALWAYS_INLINE float exp_one(float x) { return exp_lanes(vsplat(x))[0]; }

ALWAYS_INLINE vf larger(vf x, vf y) {
  const vi more = x > y;
  return (vf)(((vi)x & more) | ((vi)y & ~more));
}

/* Swaps lanes `s` apart: log2(VL) such steps reduce over all lanes. */
#define LANES_4(s, o) o + (0 ^ s), o + (1 ^ s), o + (2 ^ s), o + (3 ^ s)
#define FAR_4(s, o) (o ^ s), (o ^ s) + 1, (o ^ s) + 2, (o ^ s) + 3
#if defined(__AVX512F__)
#define SWAP_NEAR(x, s) __builtin_shufflevector(x, x, LANES_4(s, 0), LANES_4(s, 4), LANES_4(s, 8), LANES_4(s, 12))
#define SWAP_FAR(x, s) __builtin_shufflevector(x, x, FAR_4(s, 0), FAR_4(s, 4), FAR_4(s, 8), FAR_4(s, 12))
#elif defined(__AVX2__)
#define SWAP_NEAR(x, s) __builtin_shufflevector(x, x, LANES_4(s, 0), LANES_4(s, 4))
#define SWAP_FAR(x, s) __builtin_shufflevector(x, x, FAR_4(s, 0), FAR_4(s, 4))
#else
#define SWAP_NEAR(x, s) __builtin_shufflevector(x, x, LANES_4(s, 0))
#endif

ALWAYS_INLINE float largest_lane(vf x) {
#if defined(__AVX512F__)
  x = larger(x, SWAP_FAR(x, 8));
#endif
#if defined(SWAP_FAR)
  x = larger(x, SWAP_FAR(x, 4));
#endif
  x = larger(x, SWAP_NEAR(x, 2));
  return larger(x, SWAP_NEAR(x, 1))[0];
}

ALWAYS_INLINE float sum_of_lanes(vf x) {
#if defined(__AVX512F__)
  x += SWAP_FAR(x, 8);
#endif
#if defined(SWAP_FAR)
  x += SWAP_FAR(x, 4);
#endif
  x += SWAP_NEAR(x, 2);
  return (x + SWAP_NEAR(x, 1))[0];
}

ALWAYS_INLINE float largest(const float *row, int64_t count) {
  vf top[2] = {vsplat(-INFINITY), vsplat(-INFINITY)};
  int64_t i = 0;
  for (; i + 2 * VL <= count; i += 2 * VL)
    for (int k = 0; k < 2; k++) top[k] = larger(vload(row + i + k * VL), top[k]);
  float best = largest_lane(larger(top[0], top[1]));
  for (; i < count; i++) best = row[i] > best ? row[i] : best;
  return best;
}

/* row = e^(row - shift); returns its sum. */
ALWAYS_INLINE float exponentials(float *row, int64_t count, float shift) {
  vf sum = vsplat(0);
  int64_t i = 0;
  for (; i + VL <= count; i += VL) {
    const vf e = exp_lanes(vload(row + i) - vsplat(shift));
    vstore(row + i, e);
    sum += e;
  }
  float total = sum_of_lanes(sum);
  for (; i < count; i++) {
    row[i] = exp_one(row[i] - shift);
    total += row[i];
  }
  return total;
}

#endif
