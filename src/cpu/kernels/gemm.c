/* gemm.c: f32 matrix product over packed B.
 *
 * B is packed once into panels of NR columns, [panel][k][NR], zero-padded. A is packed block by block into
 * [panel][k][MR] in the thread's own scratch. A task is one block of MC rows by NC columns; inside, for each KC slice:
 * pack A, then for each panel of B (which stays in L1) run the micro-kernel down the panels of A (which stay in L2).
 * Every element of C is summed over k in one order, whatever the blocking, so the result does not depend on threads. */
#include <string.h>
#if defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "cpu/kernels/gemm.h"

enum { KC = 384, MC_PANELS = 12, NC_MIN = 128, ROW_PANELS = 4 };

typedef float tile_row[GEMM_NR];

/* The tile: ROWS × NR accumulators over kc steps. a: [kc][MR], b: [kc][NR]. */
ALWAYS_INLINE void micro(const int rows, int64_t kc, const float *restrict a, const float *restrict b,
                         float *restrict c, int64_t ldc, bool accumulate) {
  vf acc[GEMM_MR][GEMM_NV];
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < GEMM_NV; j++) acc[i][j] = accumulate ? vload(c + i * ldc + j * VL) : (vf){0};
  for (int64_t k = 0; k < kc; k++, a += GEMM_MR, b += GEMM_NR) {
    vf bv[GEMM_NV];
    for (int j = 0; j < GEMM_NV; j++) bv[j] = vload(b + j * VL);
#if defined(__aarch64__)
    vf av[(GEMM_MR + VL - 1) / VL]; /* a lane of a loaded vector multiplies for free */
    for (int i = 0; i < (rows + VL - 1) / VL; i++) av[i] = vload(a + i * VL);
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < GEMM_NV; j++) acc[i][j] += bv[j] * av[i / VL][i % VL];
#else
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++) {
      const vf av = vsplat(a[i]);
      for (int j = 0; j < GEMM_NV; j++) acc[i][j] += bv[j] * av;
    }
#endif
  }
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < GEMM_NV; j++) vstore(c + i * ldc + j * VL, acc[i][j]);
}

#define MICRO_CASE(rows) \
  case rows: micro(rows, kc, a, b, c, ldc, accumulate); return;

static void micro_rows(int rows, int64_t kc, const float *a, const float *b, float *c, int64_t ldc, bool accumulate) {
  // clang-format off: rows of cases
  switch (rows) {
    MICRO_CASE(1)
    MICRO_CASE(2)
    MICRO_CASE(3)
#if GEMM_MR_VALUE > 4
    MICRO_CASE(4) MICRO_CASE(5)
#endif
#if GEMM_MR_VALUE > 6
    MICRO_CASE(6) MICRO_CASE(7)
#endif
#if GEMM_MR_VALUE > 8
    MICRO_CASE(8) MICRO_CASE(9) MICRO_CASE(10) MICRO_CASE(11)
#endif
    default: micro(GEMM_MR, kc, a, b, c, ldc, accumulate);
  }
  // clang-format on
}

void TEN_K(gemm_tile)(int rows, int columns, int64_t kc, const float *a, const float *b, float *c, int64_t ldc,
                      bool accumulate) {
  if (columns == GEMM_NR) {
    micro_rows(rows, kc, a, b, c, ldc, accumulate);
    return;
  }
  _Alignas(64) tile_row tile[GEMM_MR];
  for (int i = 0; accumulate && i < rows; i++) {
    memset(tile[i], 0, sizeof tile[i]);
    memcpy(tile[i], c + i * ldc, (size_t)columns * sizeof(float));
  }
  micro_rows(rows, kc, a, b, tile[0], GEMM_NR, accumulate);
  for (int i = 0; i < rows; i++) memcpy(c + i * ldc, tile[i], (size_t)columns * sizeof(float));
}

int64_t TEN_K(gemm_packed_size)(int64_t k, int64_t n) { return (n + GEMM_NR - 1) / GEMM_NR * GEMM_NR * k; }

typedef float quad __attribute__((vector_size(16), aligned(4), may_alias));

/* A panel of B whose columns lie in memory one after the other: 4×4 at a time, turned over in registers. */
static void pack_turned(int64_t k, const float *b, int64_t b_col, float *packed) {
  int64_t r = 0;
  for (; r + 4 <= k; r += 4)
    for (int64_t j = 0; j < GEMM_NR; j += 4) {
      const float *from = b + j * b_col + r;
      const quad x0 = *(const quad *)from, x1 = *(const quad *)(from + b_col);
      const quad x2 = *(const quad *)(from + 2 * b_col), x3 = *(const quad *)(from + 3 * b_col);
      const quad low0 = __builtin_shufflevector(x0, x1, 0, 4, 1, 5),
                 high0 = __builtin_shufflevector(x0, x1, 2, 6, 3, 7);
      const quad low1 = __builtin_shufflevector(x2, x3, 0, 4, 1, 5),
                 high1 = __builtin_shufflevector(x2, x3, 2, 6, 3, 7);
      float *to = packed + r * GEMM_NR + j;
      *(quad *)to = __builtin_shufflevector(low0, low1, 0, 1, 4, 5);
      *(quad *)(to + GEMM_NR) = __builtin_shufflevector(low0, low1, 2, 3, 6, 7);
      *(quad *)(to + 2 * GEMM_NR) = __builtin_shufflevector(high0, high1, 0, 1, 4, 5);
      *(quad *)(to + 3 * GEMM_NR) = __builtin_shufflevector(high0, high1, 2, 3, 6, 7);
    }
  for (; r < k; r++)
    for (int64_t j = 0; j < GEMM_NR; j++) packed[r * GEMM_NR + j] = b[j * b_col + r];
}

void TEN_K(gemm_pack_b)(int64_t k, int64_t n, const float *b, int64_t b_row, int64_t b_col, int64_t begin, int64_t end,
                        float *packed) {
  packed += begin * GEMM_NR * k;
  for (int64_t n0 = begin * GEMM_NR; n0 < end * GEMM_NR && n0 < n; n0 += GEMM_NR) {
    const int64_t columns = n - n0 < GEMM_NR ? n - n0 : GEMM_NR;
    if (b_row == 1 && columns == GEMM_NR) {
      pack_turned(k, b + n0 * b_col, b_col, packed);
      packed += k * GEMM_NR;
      continue;
    }
    for (int64_t r = 0; r < k; r++, packed += GEMM_NR) {
      const float *from = b + r * b_row + n0 * b_col;
      for (int64_t j = 0; j < columns; j++) packed[j] = from[j * b_col];
      for (int64_t j = columns; j < GEMM_NR; j++) packed[j] = 0;
    }
  }
}

void TEN_K(gemm_pack_rows)(const float *const rows[GEMM_MR], int64_t from, int64_t kc, float *packed) {
  int64_t k = 0;
#if defined(__aarch64__)
  for (; k + 4 <= kc; k += 4)
    for (int i = 0; i < GEMM_MR; i += 4) { /* 4×4 at a time, turned over in registers */
      const float32x4_t r0 = vld1q_f32(rows[i] + from + k), r1 = vld1q_f32(rows[i + 1] + from + k);
      const float32x4_t r2 = vld1q_f32(rows[i + 2] + from + k), r3 = vld1q_f32(rows[i + 3] + from + k);
      const float32x4x2_t low = vtrnq_f32(r0, r1), high = vtrnq_f32(r2, r3);
      float *to = packed + k * GEMM_MR + i;
      vst1q_f32(to, vcombine_f32(vget_low_f32(low.val[0]), vget_low_f32(high.val[0])));
      vst1q_f32(to + GEMM_MR, vcombine_f32(vget_low_f32(low.val[1]), vget_low_f32(high.val[1])));
      vst1q_f32(to + 2 * GEMM_MR, vcombine_f32(vget_high_f32(low.val[0]), vget_high_f32(high.val[0])));
      vst1q_f32(to + 3 * GEMM_MR, vcombine_f32(vget_high_f32(low.val[1]), vget_high_f32(high.val[1])));
    }
#endif
  for (; k < kc; k++)
    for (int i = 0; i < GEMM_MR; i++) packed[k * GEMM_MR + i] = rows[i][from + k];
}

void TEN_K(gemm_pack_a)(int64_t rows, int64_t kc, const float *a, int64_t a_row, int64_t a_col, float *packed) {
  if (rows == GEMM_MR && a_col == 1) {
    const float *at[GEMM_MR];
    for (int i = 0; i < GEMM_MR; i++) at[i] = a + i * a_row;
    TEN_K(gemm_pack_rows)(at, 0, kc, packed);
    return;
  }
  for (int64_t k = 0; k < kc; k++, packed += GEMM_MR) {
    for (int64_t i = 0; i < rows; i++) packed[i] = a[i * a_row + k * a_col];
    for (int64_t i = rows; i < GEMM_MR; i++) packed[i] = 0;
  }
}

typedef struct gemm_job {
  const ten_gemm *gemm;
  int64_t mc, nc, m_blocks, n_blocks;
  size_t scratch_each;
} gemm_job;

static gemm_job job_of(const ten_gemm *gemm, unsigned threads) {
  const int64_t panels = (gemm->m + GEMM_MR - 1) / GEMM_MR, batch = gemm->batch > 1 ? gemm->batch : 1;
  int64_t per = panels < MC_PANELS ? panels : MC_PANELS;
  gemm_job job = {.gemm = gemm, .nc = gemm->n};
  const int64_t wanted = threads > 1 ? (int64_t)threads * 4 : 1;
  while (per > 2 && batch * ((panels + per - 1) / per) < wanted) per = (per + 1) / 2;
  job.mc = (per ? per : 1) * GEMM_MR;
  job.m_blocks = (gemm->m + job.mc - 1) / job.mc;
  const int64_t tasks = batch * job.m_blocks;
  if (tasks < wanted && threads > 1) { /* few rows: split the columns too, in whole panels */
    const int64_t split = (wanted + tasks - 1) / tasks;
    int64_t nc = ((gemm->n + split - 1) / split + GEMM_NR - 1) / GEMM_NR * GEMM_NR;
    if (nc < NC_MIN) nc = NC_MIN;
    job.nc = nc;
  }
  job.n_blocks = (gemm->n + job.nc - 1) / job.nc;
  job.scratch_each = (size_t)(job.mc * (gemm->k < KC ? gemm->k : KC)) * sizeof(float) + 64;
  return job;
}

/* Enough for any number of threads up to `threads`: blocks are largest when there is only one. */
size_t TEN_K(gemm_scratch)(const ten_gemm *gemm, unsigned threads) { return job_of(gemm, 1).scratch_each * threads; }

/* One row times panels [n0, n1) in all of k, several panels at a time: a single row keeps too few sums in flight. */
ALWAYS_INLINE void row_panels(const int count, int64_t k, const float *a, const float *b, int64_t panel_size,
                              bool accumulate, float *c) {
  vf acc[ROW_PANELS * GEMM_NV];
  for (int j = 0; j < count * GEMM_NV; j++) acc[j] = accumulate ? vload(c + j * VL) : (vf){0};
  for (int64_t r = 0; r < k; r++) {
    const vf av = vsplat(a[r]);
    for (int p = 0; p < count; p++)
      for (int j = 0; j < GEMM_NV; j++) {
        vf *sum = &acc[p * GEMM_NV + j];
        *sum += vload(b + p * panel_size + r * GEMM_NR + j * VL) * av;
      }
  }
  for (int j = 0; j < count * GEMM_NV; j++) vstore(c + j * VL, acc[j]);
}

static void row_product(const ten_gemm *g, const float *a, const float *b, float *c, int64_t n0, int64_t n1) {
  const int64_t size = g->k * GEMM_NR;
  int64_t n = n0;
  for (; n + ROW_PANELS * GEMM_NR <= n1; n += ROW_PANELS * GEMM_NR)
    row_panels(ROW_PANELS, g->k, a, b + n * g->k, size, g->accumulate, c + n);
  for (; n + GEMM_NR <= n1; n += GEMM_NR) row_panels(1, g->k, a, b + n * g->k, size, g->accumulate, c + n);
  if (n == n1) return;
  _Alignas(64) float rest[GEMM_NR] = {0};
  if (g->accumulate) memcpy(rest, c + n, (size_t)(n1 - n) * sizeof(float));
  row_panels(1, g->k, a, b + n * g->k, size, g->accumulate, rest);
  memcpy(c + n, rest, (size_t)(n1 - n) * sizeof(float));
}

static void gemm_task(void *context, int64_t index, unsigned thread) {
  const gemm_job *job = context;
  const ten_gemm *g = job->gemm;
  float *packed = (float *)((char *)g->scratch + job->scratch_each * thread);
  const int64_t n_block = index % job->n_blocks, m_block = index / job->n_blocks % job->m_blocks;
  const int64_t batch = index / job->n_blocks / job->m_blocks;
  const int64_t m0 = m_block * job->mc, n0 = n_block * job->nc;
  const int64_t m1 = m0 + job->mc < g->m ? m0 + job->mc : g->m, n1 = n0 + job->nc < g->n ? n0 + job->nc : g->n;
  const float *a = g->a + batch * g->a_batch, *b = g->b + batch * g->b_batch;
  float *c = g->c + batch * g->c_batch;
  if (!g->k && !g->accumulate)
    for (int64_t m = m0; m < m1; m++) memset(c + m * g->ldc + n0, 0, (size_t)(n1 - n0) * sizeof(float));
  const bool row = m1 - m0 == 1 && g->a_col == 1;
  if (row) row_product(g, a + m0 * g->a_row, b, c + m0 * g->ldc, n0, n1);
  for (int64_t k0 = 0; k0 < g->k && !row; k0 += KC) {
    const int64_t kc = g->k - k0 < KC ? g->k - k0 : KC;
    for (int64_t m = m0; m < m1; m += GEMM_MR)
      TEN_K(gemm_pack_a)(m1 - m < GEMM_MR ? m1 - m : GEMM_MR, kc, a + m * g->a_row + k0 * g->a_col, g->a_row, g->a_col,
                         packed + (m - m0) * kc);
    for (int64_t n = n0; n < n1; n += GEMM_NR) {
      const float *panel = b + n * g->k + k0 * GEMM_NR;
      const int columns = n1 - n < GEMM_NR ? (int)(n1 - n) : GEMM_NR;
      for (int64_t m = m0; m < m1; m += GEMM_MR)
        TEN_K(gemm_tile)(m1 - m < GEMM_MR ? (int)(m1 - m) : GEMM_MR, columns, kc, packed + (m - m0) * kc, panel,
                         c + m * g->ldc + n, g->ldc, k0 > 0 || g->accumulate);
    }
  }
  if (g->epilogue)
    g->epilogue(g->epilogue_context, c + m0 * g->ldc + n0, g->ldc, batch * g->m + m0, batch * g->m + m1, n0, n1);
}

void TEN_K(gemm_run)(const ten_gemm *gemm, ten_pool *pool) {
  if (gemm->m <= 0 || gemm->n <= 0) return;
  gemm_job job = job_of(gemm, ten_pool_threads(pool));
  ten_pool_run(pool, gemm_task, &job, (gemm->batch > 1 ? gemm->batch : 1) * job.m_blocks * job.n_blocks);
}
