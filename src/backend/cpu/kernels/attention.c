/* attention.c: softmax(q·kᵀ)·v in f32 without materializing the matrix of scores.
 *
 * K (transposed) and V are packed once per call like any B: all of them before or, if there are enough batches for
 * every thread, by the task that needs them, so that they stay in its cache. A task is a block of query rows of one
 * batch, or a whole batch: for each block of keys it computes the scores into its own tile, runs the epilogue (scale,
 * mask), takes the exponentials relative to the largest score so far, and multiplies the tile with V into an
 * accumulator that is rescaled whenever a larger score appears. The sum divides at the end. Blocks don't depend on the
 * number of threads, so results are bit-identical. */
#include <string.h>

#include "backend/cpu/kernels/attention.h"

enum {
  ROWS = (GEMM_NV > 2 ? 6 : 4) * GEMM_MR,
  KEY_PANELS = GEMM_NV > 2 ? 16 : 24,
  KEYS = KEY_PANELS * GEMM_NR,
  LINE = 16 /* floats */,
  MANY = 4 /* batches per thread */
};

typedef struct attention_job {
  const ten_attention *a;
  int64_t blocks, k_packed, v_packed, wide; /* wide: floats of an accumulator row */
  int64_t ld;                               /* row pitch of a tile, in floats */
  bool whole;                               /* a task is a batch, and packs its own keys and values */
  size_t each;                              /* floats of scratch per thread */
  float *keys, *values, *own;
} attention_job;

static attention_job job_of(const ten_attention *a) {
  attention_job job = {.a = a, .blocks = (a->m + ROWS - 1) / ROWS, .wide = gemm_padded(a->dv)};
  /* one more cache line: rows a power of two apart conflict in L1 sets */
  job.ld = round_up(a->n < KEYS ? a->n : KEYS, GEMM_NR) + LINE;
  job.k_packed = a->scores ? 0 : TEN_K(gemm_packed_size)(a->d, a->n);
  job.v_packed = TEN_K(gemm_packed_size)(a->n, a->dv);
  /* q panels, tile, the tile packed, accumulator */
  job.each = (size_t)round_up(ROWS * a->d + 2 * ROWS * job.ld + ROWS * job.wide, 16);
  job.keys = a->scratch;
  if (!job.keys) return job;
  job.values = job.keys + round_up(job.k_packed * a->batches, 16);
  job.own = job.values + round_up(job.v_packed * a->batches, 16);
  return job;
}

size_t TEN_K(attention_scratch)(const ten_attention *a, unsigned threads) {
  const attention_job job = job_of(a);
  const size_t bytes = ((size_t)round_up(job.k_packed * a->batches, 16) +
                        (size_t)round_up(job.v_packed * a->batches, 16) + job.each * threads) *
                       sizeof(float);
  const size_t narrow = TEN_K(attention_can_narrow)(a) ? TEN_K(attention_narrow_scratch)(a, threads) : 0;
  return bytes > narrow ? bytes : narrow;
}

/* ---- from bf16: WIDE columns at a time through an f32 block */

enum { WIDE = 64 };

static const void *element(const void *base, bool narrow, int64_t i) {
  return (const char *)base + i * (narrow ? 2 : 4);
}

ALWAYS_INLINE float wide_number(uint16_t bits) {
  const uint32_t word = (uint32_t)bits << 16;
  float number;
  memcpy(&number, &word, sizeof number);
  return number;
}

static void widen(const uint16_t *from, int64_t step, int64_t count, float *restrict to) {
  if (step == 1)
    for (int64_t i = 0; i < count; i++) to[i] = wide_number(from[i]);
  else
    for (int64_t i = 0; i < count; i++) to[i] = wide_number(from[i * step]);
}

/* Packs B [k, n] into panels; b_row and b_col are its strides. */
static void pack_any(int64_t k, int64_t n, const void *b, bool narrow, int64_t b_row, int64_t b_col, float *packed) {
  if (!narrow) {
    TEN_K(gemm_pack_b)(k, n, b, b_row, b_col, 0, gemm_panels(n), packed);
    return;
  }
  _Alignas(64) float block[GEMM_NR * WIDE];
  const uint16_t *from = b;
  for (int64_t n0 = 0, width; n0 < n; n0 += width, packed += k * width) {
    const int64_t columns = gemm_columns(n, n0);
    width = gemm_width(n, n0);
    for (int64_t k0 = 0; k0 < k; k0 += WIDE) {
      const int64_t kc = k - k0 < WIDE ? k - k0 : WIDE;
      if (b_col == 1) { /* rows of the block are rows of B */
        for (int64_t r = 0; r < kc; r++) widen(from + (k0 + r) * b_row + n0, 1, columns, block + r * GEMM_NR);
        TEN_K(gemm_pack_b)(kc, columns, block, GEMM_NR, 1, 0, 1, packed + k0 * width);
      } else {
        for (int64_t j = 0; j < columns; j++) widen(from + k0 * b_row + (n0 + j) * b_col, b_row, kc, block + j * WIDE);
        TEN_K(gemm_pack_b)(kc, columns, block, 1, WIDE, 0, 1, packed + k0 * width);
      }
    }
  }
}

static void pack_queries(const ten_attention *a, int64_t rows, int64_t start, float *packed) {
  if (!a->q_narrow) {
    TEN_K(gemm_pack_a)(rows, a->d, (const float *)a->q + start, a->q_row, a->q_col, packed);
    return;
  }
  _Alignas(64) float block[GEMM_MR * WIDE];
  for (int64_t d0 = 0; d0 < a->d; d0 += WIDE) {
    const int64_t count = a->d - d0 < WIDE ? a->d - d0 : WIDE;
    for (int64_t r = 0; r < rows; r++)
      widen((const uint16_t *)a->q + start + r * a->q_row + d0 * a->q_col, a->q_col, count, block + r * WIDE);
    TEN_K(gemm_pack_a)(rows, count, block, WIDE, 1, packed + d0 * GEMM_MR);
  }
}

static void pack_keys(const attention_job *job, int64_t batch, float *packed) {
  const ten_attention *a = job->a;
  if (a->scores) return;
  const void *k = element(a->k, a->k_narrow, attention_offset(a->batch, a->k_batch, batch));
  pack_any(a->d, a->n, k, a->k_narrow, a->k_col, a->k_row, packed);
}

static void pack_values(const attention_job *job, int64_t batch, float *packed) {
  const ten_attention *a = job->a;
  const void *v = element(a->v, a->v_narrow, attention_offset(a->batch, a->v_batch, batch));
  pack_any(a->n, a->dv, v, a->v_narrow, a->v_row, a->v_col, packed);
}

static void pack_task(void *context, int64_t index, unsigned thread) {
  (void)thread;
  const attention_job *job = context;
  const int64_t batch = index / 2;
  if (index % 2)
    pack_values(job, batch, job->values + batch * job->v_packed);
  else
    pack_keys(job, batch, job->keys + batch * job->k_packed);
}

/* Whether queries are read in place. */
static bool queries_lie(const ten_attention *a) {
  return GEMM_IN_PLACE && !a->q_narrow && a->q_col == 1 && a->q_row > 0;
}

/* Scores of rows [r0, r0 + rows) by keys [n0, n0 + count) into the tile. */
static void score(const attention_job *job, int64_t batch, int64_t r0, int64_t rows, int64_t n0, int64_t count,
                  const float *queries, const float *keys, float *tile) {
  const ten_attention *a = job->a;
  if (a->scores) {
    for (int64_t r = 0; r < rows; r++)
      memcpy(tile + r * job->ld, a->scores + (batch * a->m + r0 + r) * a->n + n0, (size_t)count * sizeof(float));
    return;
  }
  const float *q =
      queries_lie(a) ? (const float *)a->q + attention_offset(a->batch, a->q_batch, batch) + r0 * a->q_row : NULL;
  for (int64_t n = n0; n < n0 + count; n += gemm_width(a->n, n))
    for (int64_t r = 0; r < rows; r += GEMM_MR) TEN_K(gemm_tile)
  (rows - r < GEMM_MR ? (int)(rows - r) : GEMM_MR, gemm_columns(a->n, n), a->d,
   q ? q + r * a->q_row : queries + r * a->d, q ? a->q_row : 0, keys + n * a->d, tile + r * job->ld + n - n0, job->ld,
   false, (gemm_ahead){0});
  if (a->epilogue)
    a->epilogue(a->epilogue_context, tile, job->ld, batch * a->m + r0, batch * a->m + r0 + rows, n0, n0 + count);
}

/* Attention of rows from r0 on of one batch. */
static void attend(const attention_job *job, int64_t batch, int64_t r0, const float *keys, const float *values,
                   unsigned thread) {
  const ten_attention *a = job->a;
  const int64_t rows = a->m - r0 < ROWS ? a->m - r0 : ROWS, ld = job->ld;
  float *queries = job->own + job->each * thread, *tile = queries + ROWS * a->d, *packed = tile + ROWS * ld,
        *sum = packed + ROWS * ld;
  float top[ROWS], total[ROWS], scale[ROWS];
  for (int64_t r = 0; r < rows && !a->scores && !queries_lie(a); r += GEMM_MR)
    pack_queries(a, rows - r < GEMM_MR ? rows - r : GEMM_MR,
                 attention_offset(a->batch, a->q_batch, batch) + (r0 + r) * a->q_row, queries + r * a->d);
  for (int64_t r = 0; r < rows; r++) top[r] = -INFINITY, total[r] = 0;
  for (int64_t n0 = 0, panel = KEY_PANELS, count; n0 < a->n; n0 += count, panel += KEY_PANELS) {
    count = gemm_panel(a->n, panel) - n0;
    score(job, batch, r0, rows, n0, count, queries, keys, tile);
    /* all row maxima first: the following steps would wait for each of them */
    for (int64_t r = 0; r < rows; r++) {
      const float here = largest(tile + r * ld, count), now = here > top[r] ? here : top[r];
      const float shift = now == -INFINITY ? 0 : now;
      scale[r] = n0 ? exp_one(top[r] - shift) : 0;
      top[r] = now;
    }
    for (int64_t r = 0; r < rows; r++) {
      total[r] = total[r] * scale[r] + exponentials(tile + r * ld, count, top[r] == -INFINITY ? 0 : top[r]);
      for (int64_t i = 0; n0 && scale[r] != 1 && i < job->wide; i += VL)
        vstore(sum + r * job->wide + i, vload(sum + r * job->wide + i) * vsplat(scale[r]));
    }
    for (int64_t r = 0; r < rows && !GEMM_IN_PLACE; r += GEMM_MR) {
      const int64_t part = rows - r < GEMM_MR ? rows - r : GEMM_MR;
      TEN_K(gemm_pack_a)(part, count, tile + r * ld, ld, 1, packed + r * count);
    }
    for (int64_t i = 0, width; i < a->dv; i += width) {
      width = gemm_width(a->dv, i);
      for (int64_t r = 0; r < rows; r += GEMM_MR) TEN_K(gemm_tile)
      (rows - r < GEMM_MR ? (int)(rows - r) : GEMM_MR, (int)width, count,
       GEMM_IN_PLACE ? tile + r * ld : packed + r * count, GEMM_IN_PLACE ? ld : 0, values + i * a->n + n0 * width,
       sum + r * job->wide + i, job->wide, n0 > 0, (gemm_ahead){0});
    }
  }
  float *out = a->out + attention_offset(a->batch, a->out_batch, batch) + r0 * a->out_row;
  const int64_t wide = a->dv;
  for (int64_t r = 0; r < rows; r++, out += a->out_row) {
    const float by = top[r] == -INFINITY && total[r] == 0 ? (a->empty_is_zero ? 1 : 0) : total[r];
    const float share = 1 / by, *from = sum + r * job->wide;
    int64_t i = 0;
    for (; i + VL <= wide; i += VL) vstore(out + i, vload(from + i) * vsplat(share));
    for (; i < wide; i++) out[i] = from[i] * share;
  }
}

/* Prefetches one part of the batch's inputs. */
static void ask_for(const ten_attention *a, int64_t batch, int64_t part, int64_t parts) {
  const int64_t k0 = a->n * part / parts, k1 = a->n * (part + 1) / parts;
  const int64_t q0 = a->m * part / parts, q1 = a->m * (part + 1) / parts;
  const int64_t q_bytes = a->q_narrow ? 2 : 4, k_bytes = a->k_narrow ? 2 : 4, v_bytes = a->v_narrow ? 2 : 4;
  if (!a->scores && a->q_col == 1)
    attention_ask(element(a->q, a->q_narrow, attention_offset(a->batch, a->q_batch, batch)), a->q_row * q_bytes, q0, q1,
                  a->d * q_bytes);
  if (!a->scores && a->k_col == 1)
    attention_ask(element(a->k, a->k_narrow, attention_offset(a->batch, a->k_batch, batch)), a->k_row * k_bytes, k0, k1,
                  a->d * k_bytes);
  if (a->v_col == 1)
    attention_ask(element(a->v, a->v_narrow, attention_offset(a->batch, a->v_batch, batch)), a->v_row * v_bytes, k0, k1,
                  a->dv * v_bytes);
}

static void attend_task(void *context, int64_t index, unsigned thread) {
  const attention_job *job = context;
  if (!job->whole) {
    const int64_t batch = index / job->blocks;
    attend(job, batch, index % job->blocks * ROWS, job->keys + batch * job->k_packed,
           job->values + batch * job->v_packed, thread);
    return;
  }
  float *keys = job->keys + thread * job->k_packed, *values = job->values + thread * job->v_packed;
  pack_keys(job, index, keys);
  pack_values(job, index, values);
  const int64_t next = attention_next(job->a, index, thread);
  for (int64_t block = 0; block < job->blocks; block++) {
    if (next != index) ask_for(job->a, next, block, job->blocks);
    attend(job, index, block * ROWS, keys, values, thread);
  }
}

/* ---- one query, as in token-by-token decoding: keys and values are read once, in place */
static bool is_row(const ten_attention *a) {
  return a->m == 1 && !a->scores && !a->q_narrow && !a->k_narrow && !a->v_narrow && a->q_col == 1 && a->k_col == 1 &&
         a->v_col == 1;
}

enum { ROW_KEYS = 4 };

ALWAYS_INLINE void row_scores(const int count, int64_t d, const float *q, const float *k, int64_t k_row, float *to) {
  vf sums[ROW_KEYS][2];
  for (int j = 0; j < count; j++) sums[j][0] = sums[j][1] = (vf){0};
  int64_t i = 0;
  for (; i + 2 * VL <= d; i += 2 * VL)
#pragma GCC unroll 4
    for (int j = 0; j < count; j++) {
      __builtin_prefetch(k + (count + j) * k_row + i);
      sums[j][0] += vload(q + i) * vload(k + j * k_row + i);
      sums[j][1] += vload(q + i + VL) * vload(k + j * k_row + i + VL);
    }
  for (int j = 0; j < count; j++) {
    const vf sum = sums[j][0] + sums[j][1];
    float total = 0;
    for (int lane = 0; lane < VL; lane++) total += sum[lane];
    for (int64_t r = i; r < d; r++) total += q[r] * k[j * k_row + r];
    to[j] = total;
  }
}

/* sum += weights · rows of V, four at a time. */
ALWAYS_INLINE void row_values(const int count, int64_t dv, const float *weights, const float *v, int64_t v_row,
                              float *sum) {
  int64_t i = 0;
  for (; i + VL <= dv; i += VL) {
    vf x = vload(sum + i);
#pragma GCC unroll 4
    for (int j = 0; j < count; j++) x += vload(v + j * v_row + i) * vsplat(weights[j]);
    vstore(sum + i, x);
  }
  for (; i < dv; i++)
    for (int j = 0; j < count; j++) sum[i] += v[j * v_row + i] * weights[j];
}

static void row_task(void *context, int64_t batch, unsigned thread) {
  const attention_job *job = context;
  const ten_attention *a = job->a;
  float *tile = job->own + job->each * thread, *sum = tile + KEYS, top = -INFINITY, total = 0;
  const float *q = (const float *)a->q + attention_offset(a->batch, a->q_batch, batch),
              *keys = (const float *)a->k + attention_offset(a->batch, a->k_batch, batch),
              *values = (const float *)a->v + attention_offset(a->batch, a->v_batch, batch);
  memset(sum, 0, (size_t)a->dv * sizeof *sum);
  for (int64_t n0 = 0; n0 < a->n; n0 += KEYS) {
    const int64_t count = a->n - n0 < KEYS ? a->n - n0 : KEYS;
    const float *k = keys + n0 * a->k_row, *v = values + n0 * a->v_row;
    int64_t n = 0;
    for (; n + ROW_KEYS <= count; n += ROW_KEYS) row_scores(ROW_KEYS, a->d, q, k + n * a->k_row, a->k_row, tile + n);
    for (; n < count; n++) row_scores(1, a->d, q, k + n * a->k_row, a->k_row, tile + n);
    if (a->epilogue) a->epilogue(a->epilogue_context, tile, KEYS, batch, batch + 1, n0, n0 + count);
    const float here = largest(tile, count), now = here > top ? here : top, shift = now == -INFINITY ? 0 : now;
    const float scale = n0 ? exp_one(top - shift) : 0;
    total = total * scale + exponentials(tile, count, shift);
    top = now;
    for (int64_t i = 0; n0 && scale != 1 && i < a->dv; i++) sum[i] *= scale;
    for (n = 0; n + ROW_KEYS <= count; n += ROW_KEYS)
      row_values(ROW_KEYS, a->dv, tile + n, v + n * a->v_row, a->v_row, sum);
    for (; n < count; n++) row_values(1, a->dv, tile + n, v + n * a->v_row, a->v_row, sum);
  }
  float *out = a->out + attention_offset(a->batch, a->out_batch, batch);
  const float by = top == -INFINITY && total == 0 ? (a->empty_is_zero ? 1 : 0) : total, scale = 1 / by;
  for (int64_t i = 0; i < a->dv; i++) out[i] = sum[i] * scale;
}

void TEN_K(attention_run)(const ten_attention *a, ten_pool *pool) {
  if (a->m <= 0 || a->dv <= 0 || a->batches <= 0) return;
  if (a->form && TEN_K(attention_can_narrow)(a)) {
    TEN_K(attention_narrow_run)(a, pool);
    return;
  }
  attention_job job = job_of(a);
  if (is_row(a)) {
    ten_pool_run(pool, row_task, &job, a->batches);
    return;
  }
  job.whole = a->batches >= MANY * (int64_t)ten_pool_threads(pool);
  if (!job.whole) ten_pool_run(pool, pack_task, &job, a->batches * 2);
  ten_pool_run(pool, attend_task, &job, job.whole ? a->batches : a->batches * job.blocks);
}
