/* attention_bf16.c: attention by bf16 matmuls (bf16.h), for bf16 queries, keys and values and a result that will be
 * rounded to bf16. A task is 32 queries of one batch or, if there are enough batches for every thread, a whole batch,
 * whose keys and values it packs itself, so that they stay in its cache: scores of 512 keys at a time in f32, scaled
 * and masked by the epilogue, exponentials relative to the largest so far, rounded to bf16 for the matmul with the
 * values. */
#include <string.h>

#include "backend/cpu/kernels/attention.h"
#include "backend/cpu/kernels/bf16_rows.h"

enum { ROWS = BF16_ROWS, PANEL = BF16_COLUMNS, TILE = ROWS * PANEL, KEYS = 512, KEY_PANELS = KEYS / PANEL };
enum {
  WEIGHTS = KEYS + 32 /* row pitch: not a power of two, to avoid L1 conflicts */,
  MANY = 4 /* batches per thread */
};

bool TEN_K(attention_can_narrow)(const ten_attention *a) {
  return a->rounded && !a->scores && a->q_narrow && a->k_narrow && a->v_narrow && a->q_col == 1 && a->k_col == 1 &&
         a->v_col == 1 && a->d > 0 && a->d % BF16_K == 0;
}

/* Scratch of a thread: queries, scores, weights, a tile, sums. */
typedef struct narrow_own {
  uint16_t *queries, *weights;
  float *scores, *tile, *sums;
} narrow_own;

typedef struct narrow_job {
  const ten_attention *a;
  int64_t blocks, k_packed, v_packed, value_panels; /* packed sizes of one batch, in elements */
  size_t offset_bytes, each;                        /* bytes; per thread */
  bool whole;                                       /* a task is a batch */
  int64_t *offsets;
  uint16_t *keys, *values;
  char *own;
} narrow_job;

static narrow_job job_of(const ten_attention *a) {
  narrow_job job = {.a = a, .blocks = (a->m + ROWS - 1) / ROWS, .value_panels = (a->dv + PANEL - 1) / PANEL};
  const int64_t keys = round_up(a->n, BF16_K), steps = a->d / BF16_K > KEY_PANELS ? a->d / BF16_K : KEY_PANELS;
  job.k_packed = keys * a->d;
  job.v_packed = keys * PANEL * job.value_panels;
  job.offset_bytes = (size_t)round_up(steps * (int64_t)sizeof(int64_t), 64);
  job.each = (size_t)(ROWS * a->d + ROWS * WEIGHTS) * sizeof(uint16_t) +
             (size_t)(KEY_PANELS * TILE + TILE + ROWS * PANEL * job.value_panels) * sizeof(float);
  if (!a->scratch) return job;
  job.offsets = a->scratch;
  for (int64_t i = 0; i < steps; i++) job.offsets[i] = i * BF16_K;
  job.keys = (uint16_t *)((char *)a->scratch + job.offset_bytes);
  job.values = job.keys + job.k_packed * a->batches;
  job.own = (char *)(job.values + job.v_packed * a->batches);
  return job;
}

size_t TEN_K(attention_narrow_scratch)(const ten_attention *a, unsigned threads) {
  ten_attention sizes = *a;
  sizes.scratch = NULL;
  const narrow_job job = job_of(&sizes);
  return job.offset_bytes + (size_t)((job.k_packed + job.v_packed) * a->batches) * sizeof(uint16_t) +
         job.each * threads;
}

typedef uint32_t quad __attribute__((vector_size(16), aligned(2), may_alias));
typedef uint16_t oct __attribute__((vector_size(16), aligned(2), may_alias));

/* Transposes four pairs of each of four rows in registers. */
ALWAYS_INLINE void turn_pairs(const uint16_t *k, int64_t row, uint16_t *to) {
  const quad x0 = *(const quad *)k, x1 = *(const quad *)(k + row);
  const quad x2 = *(const quad *)(k + 2 * row), x3 = *(const quad *)(k + 3 * row);
  const quad low0 = __builtin_shufflevector(x0, x1, 0, 4, 1, 5), high0 = __builtin_shufflevector(x0, x1, 2, 6, 3, 7);
  const quad low1 = __builtin_shufflevector(x2, x3, 0, 4, 1, 5), high1 = __builtin_shufflevector(x2, x3, 2, 6, 3, 7);
  *(quad *)to = __builtin_shufflevector(low0, low1, 0, 1, 4, 5);
  *(quad *)(to + 2 * PANEL) = __builtin_shufflevector(low0, low1, 2, 3, 6, 7);
  *(quad *)(to + 4 * PANEL) = __builtin_shufflevector(high0, high1, 0, 1, 4, 5);
  *(quad *)(to + 6 * PANEL) = __builtin_shufflevector(high0, high1, 2, 3, 6, 7);
}

/* Packs keys as columns: adjacent elements of a row of K stay paired, [d/2][32][2]. */
static void pack_keys(const ten_attention *a, const uint16_t *k, uint16_t *packed) {
  int64_t n0 = 0;
  for (; n0 + PANEL <= a->n; n0 += PANEL, packed += a->d * PANEL)
    for (int64_t j = 0; j < PANEL; j += 4)
      for (int64_t at = 0; at < a->d; at += 8) /* d is a multiple of 32 */
        turn_pairs(k + (n0 + j) * a->k_row + at, a->k_row, packed + at * PANEL + 2 * j);
  for (int64_t j = 0; n0 < a->n && j < PANEL; j++)
    for (int64_t pair = 0; pair < a->d / 2; pair++) {
      uint32_t two = 0;
      if (n0 + j < a->n) memcpy(&two, k + (n0 + j) * a->k_row + 2 * pair, sizeof two);
      memcpy(packed + (pair * PANEL + j) * 2, &two, sizeof two);
    }
}

/* Interleaves two rows of 32 elements into 32 pairs. */
ALWAYS_INLINE void pair_rows(const uint16_t *low, const uint16_t *high, uint16_t *to) {
#pragma GCC unroll 4
  for (int j = 0; j < PANEL; j += 8) {
    const oct x = *(const oct *)(low + j), y = *(const oct *)(high + j);
    *(oct *)(to + 2 * j) = __builtin_shufflevector(x, y, 0, 8, 1, 9, 2, 10, 3, 11);
    *(oct *)(to + 2 * j + 8) = __builtin_shufflevector(x, y, 4, 12, 5, 13, 6, 14, 7, 15);
  }
}

/* Packs values as rows: two adjacent rows of V become pairs. */
static void pack_values(const ten_attention *a, const uint16_t *v, uint16_t *restrict packed) {
  for (int64_t i = 0; i < a->dv; i += PANEL) {
    const int64_t columns = a->dv - i < PANEL ? a->dv - i : PANEL;
    for (int64_t r = 0; r < round_up(a->n, BF16_K); r += 2, packed += 2 * PANEL) {
      const uint16_t *low = v + r * a->v_row + i, *high = low + a->v_row;
      const bool first = r < a->n, second = r + 1 < a->n;
      if (second && columns == PANEL) {
        pair_rows(low, high, packed);
        continue;
      }
      for (int64_t j = 0; j < columns; j++) {
        packed[2 * j] = first ? low[j] : 0;
        packed[2 * j + 1] = second ? high[j] : 0;
      }
      for (int64_t j = columns; j < PANEL; j++) packed[2 * j] = packed[2 * j + 1] = 0;
    }
  }
}

static const uint16_t *keys_of(const ten_attention *a, int64_t batch) {
  return (const uint16_t *)a->k + attention_offset(a->batch, a->k_batch, batch);
}

static const uint16_t *values_of(const ten_attention *a, int64_t batch) {
  return (const uint16_t *)a->v + attention_offset(a->batch, a->v_batch, batch);
}

static void pack_task(void *context, int64_t index, unsigned thread) {
  (void)thread;
  const narrow_job *job = context;
  const int64_t batch = index / 2;
  if (index % 2)
    pack_values(job->a, values_of(job->a, batch), job->values + batch * job->v_packed);
  else
    pack_keys(job->a, keys_of(job->a, batch), job->keys + batch * job->k_packed);
}

typedef uint32_t vu __attribute__((vector_size(VL * sizeof(uint32_t)), may_alias));
typedef uint16_t vh __attribute__((vector_size(VL * sizeof(uint16_t)), aligned(2), may_alias));

/* Non-negative, so that rounding cannot flip a NaN's sign; NaN stays NaN. */
ALWAYS_INLINE void store_weights(uint16_t *to, vf value) {
  const vu bits = (vu)value, rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  const vu nan = (vu)((bits & 0x7fffffff) > 0x7f800000);
  *(vh *)to = __builtin_convertvector((rounded & ~nan) | (nan & 0x7fc0), vh);
}

/* The maximum so far of one row of scores of `count` keys, 32 of them per tile; returns the factor to rescale earlier
 * sums. Beyond `count` a tile is padded with -inf, which has weight zero. */
static float find_largest(float *scores, int64_t count, bool first, float *top) {
  const int64_t whole = round_up(count, PANEL);
  for (int64_t n = count; n < whole; n++) scores[(n - n % PANEL) * ROWS + n % PANEL] = -INFINITY;
  vf best = vsplat(-INFINITY);
  for (int64_t n = 0; n < whole; n += PANEL)
    for (int64_t j = 0; j < PANEL; j += VL) best = larger(vload(scores + n * ROWS + j), best);
  const float here = largest_lane(best), now = here > *top ? here : *top;
  const float scale = first ? 0 : exp_one(*top - (now == -INFINITY ? 0 : now));
  *top = now;
  return scale;
}

/* Converts scores to weights; returns their sum. */
static float weigh(const float *scores, int64_t count, float top, uint16_t *weights) {
  const float shift = top == -INFINITY ? 0 : top;
  vf sum = vsplat(0);
  for (int64_t n = 0; n < round_up(count, PANEL); n += PANEL)
    for (int64_t j = 0; j < PANEL; j += VL) {
      const vf weight = exp_lanes(vload(scores + n * ROWS + j) - vsplat(shift));
      store_weights(weights + n + j, weight);
      sum += weight;
    }
  return sum_of_lanes(sum);
}

static narrow_own own_of(const narrow_job *job, unsigned thread) {
  narrow_own own = {.scores = (float *)(job->own + job->each * thread)};
  own.tile = own.scores + KEY_PANELS * TILE;
  own.sums = own.tile + TILE;
  own.queries = (uint16_t *)(own.sums + ROWS * PANEL * job->value_panels);
  own.weights = own.queries + ROWS * job->a->d;
  return own;
}

/* Attention of 32 queries from r0 on. */
static void attend(const narrow_job *job, int64_t batch, int64_t r0, const uint16_t *keys, const uint16_t *all_values,
                   unsigned thread) {
  const ten_attention *a = job->a;
  const int64_t rows = a->m - r0 < ROWS ? a->m - r0 : ROWS, wide = PANEL * job->value_panels;
  const narrow_own own = own_of(job, thread);
  const uint16_t *q = (const uint16_t *)a->q + attention_offset(a->batch, a->q_batch, batch) + r0 * a->q_row;
  const ten_bf16_ahead none = {0};
  float top[ROWS], total[ROWS], scale[ROWS];
  memset(own.queries, 0, (size_t)(ROWS * a->d) * sizeof *own.queries);
  for (int64_t r = 0; r < ROWS; r++) /* as many as are read */
    memset(own.weights + r * WEIGHTS, 0, (size_t)(a->n < KEYS ? round_up(a->n, BF16_K) : KEYS) * sizeof *own.weights);
  for (int64_t r = 0; r < rows; r++) {
    memcpy(own.queries + r * a->d, q + r * a->q_row, (size_t)a->d * sizeof *q);
    top[r] = -INFINITY, total[r] = 0;
  }
  if (a->form->begin) a->form->begin(BF16_ROWS);
  for (int64_t n0 = 0; n0 < a->n; n0 += KEYS) {
    const int64_t count = a->n - n0 < KEYS ? a->n - n0 : KEYS;
    for (int64_t n = 0; n < count; n += PANEL) {
      float *tile = own.scores + n * ROWS;
      a->form->block(own.queries, a->d, job->offsets, a->d / BF16_K, keys + (n0 + n) * a->d, (int)rows, tile, PANEL,
                     none);
      if (a->epilogue)
        a->epilogue(a->epilogue_context, tile, PANEL, batch * a->m + r0, batch * a->m + r0 + rows, n0 + n,
                    n0 + n + (count - n < PANEL ? count - n : PANEL));
    }
    /* all row maxima first: the following steps would wait for each of them */
    for (int64_t r = 0; r < rows; r++) scale[r] = find_largest(own.scores + r * PANEL, count, n0 == 0, &top[r]);
    for (int64_t r = 0; r < rows; r++)
      total[r] = total[r] * scale[r] + weigh(own.scores + r * PANEL, count, top[r], own.weights + r * WEIGHTS);
    for (int64_t i = 0; i < job->value_panels; i++) {
      const uint16_t *values = all_values + (i * round_up(a->n, BF16_K) + n0) * PANEL;
      a->form->block(own.weights, WEIGHTS, job->offsets, (count + BF16_K - 1) / BF16_K, values, (int)rows, own.tile,
                     PANEL, none);
      for (int64_t r = 0; r < rows; r++) {
        float *sum = own.sums + r * wide + i * PANEL;
        const float *part = own.tile + r * PANEL;
        for (int64_t j = 0; j < PANEL; j++) sum[j] = n0 ? sum[j] * scale[r] + part[j] : part[j];
      }
    }
  }
  if (a->form->end) a->form->end();
  float *out = a->out + attention_offset(a->batch, a->out_batch, batch);
  for (int64_t r = 0; r < rows; r++) {
    const float by = 1 / (top[r] == -INFINITY && total[r] == 0 ? (a->empty_is_zero ? 1 : 0) : total[r]);
    for (int64_t i = 0; i < a->dv; i++) out[(r0 + r) * a->out_row + i] = own.sums[r * wide + i] * by;
  }
}

static void attend_task(void *context, int64_t index, unsigned thread) {
  const narrow_job *job = context;
  if (!job->whole) {
    const int64_t batch = index / job->blocks;
    attend(job, batch, index % job->blocks * ROWS, job->keys + batch * job->k_packed,
           job->values + batch * job->v_packed, thread);
    return;
  }
  uint16_t *keys = job->keys + thread * job->k_packed, *values = job->values + thread * job->v_packed;
  pack_keys(job->a, keys_of(job->a, index), keys);
  pack_values(job->a, values_of(job->a, index), values);
  const ten_attention *a = job->a;
  const int64_t next = attention_next(a, index, thread);
  for (int64_t block = 0; block < job->blocks; block++) {
    const int64_t k0 = a->n * block / job->blocks, k1 = a->n * (block + 1) / job->blocks;
    if (next != index) {
      attention_ask(keys_of(a, next), a->k_row * 2, k0, k1, a->d * 2);
      attention_ask(values_of(a, next), a->v_row * 2, k0, k1, a->dv * 2);
    }
    attend(job, index, block * ROWS, keys, values, thread);
  }
}

void TEN_K(attention_narrow_run)(const ten_attention *a, ten_pool *pool) {
  narrow_job job = job_of(a);
  job.whole = a->batches >= MANY * (int64_t)ten_pool_threads(pool);
  if (!job.whole) ten_pool_run(pool, pack_task, &job, a->batches * 2);
  ten_pool_run(pool, attend_task, &job, job.whole ? a->batches : a->batches * job.blocks);
}
