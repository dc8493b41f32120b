/* gemm_split.c: f32 matmuls by a form of split.h. C is partitioned into blocks of columns, as wide as L2 can hold parts
 * of B for, and those into tasks of some rows. A thread splits B when it starts a new block; then, 32 rows at a time, A
 * to some depth, so that the parts stay in L1 while all columns of the block use them. With few rows a thread keeps the
 * parts for all blocks, which are narrower then, and prefetches the next B meanwhile. If k is so long that blocks would
 * be narrow, it is sliced. Groups of 32 rows and 32 columns that parts cannot represent are multiplied again as f32:
 * which ones depends only on the values, so that results do not depend on threads. */
#include <string.h>

#include "backend/cpu/kernels/gemm.h"

#if defined(__AVX512F__)
enum {
  DEEP = 128 /* maximum k for which L1 holds the parts of 32 rows */,
  B_BYTES = 3 << 19 /* of the parts of a block of B, held in L2 */,
  NC = 1024 /* maximum columns */,
  SLICED_NC = 256,
  NC_LEAST = 160 /* below, k is sliced */,
  ROWS = 320 /* maximum per task */,
  FEW_ROWS = 256,
  FEW_BYTES = 3 << 18 /* of the parts of few rows, for a whole slice of k */,
  FEW_NC = 64,
  FEW_KC = 768,
  LINE = 64,
  ROWS_AT_ONCE = 8 /* for rows multiplied as f32 */
};

/* What a thread has split: a block of B, and groups of rows of A, if those are retained, as a bit set. */
typedef struct split_held {
  _Alignas(64) int64_t block;
  uint64_t rows;
} split_held;

typedef struct split_job {
  const ten_gemm *gemm;
  int64_t mc, nc, kc, deep, m_blocks, n_blocks, slices, ldc;
  bool keeps_a;  /* for all blocks of columns */
  int64_t slice; /* the current one */
  uint32_t *row_most,
      *column_most; /* the largest magnitudes, [batch][slice][row or column]: the same for whichever thread splits */
  split_held *held; /* per thread */
  char *own;        /* per thread, scratch_each bytes */
  size_t scratch_each;
} split_job;

/* Scratch of a thread. */
typedef struct split_own {
  char *a, *b;                /* parts of a group of rows, or all of them; of a block of B */
  float *fresh, *edge, *tile; /* a packed group of columns; a partial block of C; the task's block of C */
  size_t bytes;
} split_own;

static size_t lines(int64_t bytes) { return (size_t)round_up(bytes, LINE); }
static int64_t batches(const ten_gemm *g) { return g->batch > 1 ? g->batch : 1; }

/* Blocks of B. If only the epilogue stores C, k is one slice. */
static void block_columns(split_job *job) {
  const ten_gemm *g = job->gemm;
  job->deep = round_up(blocks(g->k, blocks(g->k, DEEP)), SPLIT_K); /* evenly */
  job->keeps_a = batches(g) == 1 && g->m <= FEW_ROWS && (g->k <= FEW_KC || !g->tile) &&
                 round_up(g->m, SPLIT_ROWS) * (g->k < FEW_KC ? g->k : FEW_KC) * 6 <= FEW_BYTES;
  const int64_t numbers = job->keeps_a ? FEW_KC * FEW_NC : B_BYTES / 6;
  int64_t most = numbers / round_up(g->k, job->deep) / SPLIT_COLUMNS * SPLIT_COLUMNS, slices = 1;
  if (!g->tile && most < g->n && most < (job->keeps_a ? FEW_NC : NC_LEAST)) {
    most = job->keeps_a ? FEW_NC : SLICED_NC;
    slices = blocks(g->k, numbers / most);
  }
  job->kc = blocks(blocks(g->k, job->deep), slices) * job->deep;
  job->slices = blocks(g->k, job->kc);
  const int64_t widest = job->keeps_a ? FEW_NC : NC;
  most = most > widest ? widest : most < SPLIT_COLUMNS ? SPLIT_COLUMNS : most;
  job->nc = round_up(blocks(g->n, blocks(g->n, most)), SPLIT_COLUMNS); /* evenly */
  job->n_blocks = blocks(g->n, job->nc);
}

/* Whether splitting is faster, by measurements with two threads per core (alone, tiles gain more): multiply-adds per
 * nanosecond, and the time to split an element of A and B, to start a block, and for the rest, in nanoseconds.
 * Independent of the number of threads: results must not depend on that. */
bool TEN_K(gemm_splits)(const ten_gemm *g) {
  static const double by_tiles = 115, by_vectors = 62, splitting_a = 0.4, splitting_b = 0.5, beginning = 100,
                      else_all = 60000, gain = 1.03;
  enum { LEAST_K = 64, THREADS = 2 };
  if (g->accumulate || g->k < LEAST_K || g->m < SPLIT_ROWS || g->n < SPLIT_COLUMNS) return false;
  split_job job = {.gemm = g};
  block_columns(&job);
  if (g->m <= FEW_ROWS && batches(g) == 1 && (!job.keeps_a || g->k < FEW_KC)) return false;
  const double m = (double)g->m, n = (double)g->n, k = (double)g->k, times = (double)batches(g);
  const double pairs = (double)blocks(g->m, SPLIT_ROWS) * (double)blocks(g->n, SPLIT_COLUMNS);
  const double product = SPLIT_ROWS * SPLIT_COLUMNS * k / by_tiles + (double)blocks(g->k, job.deep) * beginning;
  const double times_a = (double)(job.keeps_a ? THREADS : job.n_blocks);
  const double split = pairs * product + k * (splitting_a * m * times_a + splitting_b * n);
  return times * m * n * k / by_vectors > gain * (times * split + else_all);
}

static split_job job_of(const ten_gemm *g, unsigned threads) {
  enum { TASKS = 12 /* per thread: they balance threads of different speed */ };
  split_job job = {.gemm = g};
  block_columns(&job);
  /* two threads start from either end, and split B separately; more of them each split the same B for few rows */
  const int64_t least = threads > 2 ? (int64_t)threads * SPLIT_ROWS / 2 : SPLIT_ROWS;
  const int64_t most = g->block > 0 && g->block * GEMM_MR < ROWS ? g->block * GEMM_MR : ROWS;
  const int64_t wanted = blocks(threads > 1 ? (int64_t)threads * TASKS : 1, job.n_blocks * batches(g));
  int64_t rows = g->m / wanted;
  if (rows < least) rows = least;
  if (rows > most) rows = most;
  job.mc = rows > SPLIT_ROWS ? rows / SPLIT_ROWS * SPLIT_ROWS : SPLIT_ROWS;
  job.m_blocks = blocks(g->m, job.mc);
  job.ldc = g->tile ? job.nc + LINE / 4 : g->ldc; /* avoids a row pitch of a page */
  return job;
}

/* ---- layout of parts: of A one group of rows to that depth, or [k by depths][group of rows]; of B [k by depths][group
 * of columns] ---- */

static int64_t deep_bytes(const split_job *job) { return job->deep / SPLIT_K * SPLIT_STEP; }

static char *rows_in(const split_job *job, char *parts, int64_t k, int64_t group) {
  if (!job->keeps_a) return parts;
  return parts + (k / job->deep * blocks(job->gemm->m, SPLIT_ROWS) + group) * deep_bytes(job);
}

static char *columns_in(const split_job *job, char *parts, int64_t k, int64_t group) {
  return parts + (k / job->deep * (job->nc / SPLIT_COLUMNS) + group) * deep_bytes(job);
}

/* Bytes for the largest magnitudes, and what threads hold. */
static size_t known_bytes(const split_job *job, unsigned threads) {
  const ten_gemm *g = job->gemm;
  return lines(batches(g) * job->slices * round_up(g->m, SPLIT_ROWS) * 4) +
         lines(batches(g) * job->slices * round_up(g->n, SPLIT_COLUMNS) * 4) + threads * sizeof *job->held;
}

/* Partitions a thread's scratch, from `base` on. */
static split_own lay_out(const split_job *job, char *base) {
  const int64_t rows = job->keeps_a ? blocks(job->gemm->m, SPLIT_ROWS) * (job->kc / job->deep) : 1;
  const size_t sizes[] = {lines(rows * deep_bytes(job)),
                          lines(job->kc / SPLIT_K * (job->nc / SPLIT_COLUMNS) * SPLIT_STEP),
                          lines(job->deep * SPLIT_COLUMNS * 4), lines(SPLIT_ROWS * SPLIT_COLUMNS * 4),
                          job->gemm->tile ? lines(job->mc * job->ldc * 4) : 0};
  enum { PLACES = sizeof sizes / sizeof *sizes };
  void *at[PLACES];
  size_t bytes = 0;
  for (int i = 0; i < PLACES; i++) at[i] = (void *)((uintptr_t)base + bytes), bytes += sizes[i];
  return (split_own){at[0], at[1], at[2], at[3], at[4], bytes};
}

/* Enough for any number of threads up to `threads`. */
size_t TEN_K(gemm_split_scratch)(const ten_gemm *g, unsigned threads) {
  size_t most = 0;
  for (unsigned i = 1; i <= threads; i++) {
    const split_job job = job_of(g, i);
    const size_t bytes = known_bytes(&job, i) + lay_out(&job, NULL).bytes * i;
    if (bytes > most) most = bytes;
  }
  return most;
}

/* ---- splitting ---- */

/* Splits rows of A to that depth; transposed first if not contiguous along k. */
static void split_rows(const ten_gemm *g, const float *a, int64_t rows, int64_t kc, char *parts, uint32_t *most) {
  if (g->a_col == 1) {
    g->split->split_a((int)rows, kc, a, g->a_row, parts, most);
    return;
  }
  for (int64_t k = 0; k < kc; k += SPLIT_K, parts += SPLIT_STEP) {
    _Alignas(LINE) float transposed[SPLIT_ROWS * SPLIT_K];
    const int64_t count = kc - k < SPLIT_K ? kc - k : SPLIT_K;
    TEN_K(gemm_pack_b)(rows, count, a + k * g->a_col, g->a_row, g->a_col, 0, 1, transposed); /* A's rows are B's k */
    g->split->split_a((int)rows, count, transposed, gemm_padded(count), parts, most);
  }
}

static split_range range_of(const uint32_t *most, int64_t count) {
  split_range range = {UINT32_MAX, 0};
  for (int64_t i = 0; i < count; i++) {
    if (most[i] && most[i] < range.least) range.least = most[i];
    if (most[i] > range.most) range.most = most[i];
  }
  return range;
}

/* Addresses of rows of 16 columns of B, from row k0 on. */
typedef struct columns_at {
  const float *at;
  int64_t row;
} columns_at;

static columns_at packed_columns(const ten_gemm *g, const float *b, int64_t n, int64_t k0) {
  int64_t panel = n / GEMM_NR;
  const int64_t after = gemm_panel(g->n, panel + 1);
  if (after <= n && after < g->n) panel++; /* the last two may be narrower */
  const int64_t first = gemm_panel(g->n, panel), width = gemm_width(g->n, first);
  return (columns_at){b + first * g->k + k0 * width + (n - first), width};
}

/* Both halves of a group of columns, from k0 on; the second is NULL if missing. */
static void group_columns(const ten_gemm *g, const float *b, int64_t n, int64_t k0, int64_t kc, float *fresh,
                          columns_at at[2]) {
  const int64_t count = g->n - n < SPLIT_COLUMNS ? g->n - n : SPLIT_COLUMNS;
  at[1] = (columns_at){0};
  if (g->direct) {
    TEN_K(gemm_pack_b)(kc, count, b + k0 * g->b_row + n * g->b_col, g->b_row, g->b_col, 0, 1, fresh);
    at[0] = (columns_at){fresh, gemm_padded(count)};
    if (count > VL) at[1] = (columns_at){fresh + VL, gemm_padded(count)};
    return;
  }
  at[0] = packed_columns(g, b, n, k0);
  if (count > VL) at[1] = packed_columns(g, b, n + VL, k0);
}

/* Splits a group of columns; parts of a missing half are never read. */
static void split_columns(const ten_gemm *g, const columns_at at[2], int64_t kc, char *parts, uint32_t *most) {
  g->split->split_b(kc, at[0].at, at[0].row, parts, most);
  if (at[1].at) g->split->split_b(kc, at[1].at, at[1].row, parts + SPLIT_TILE, most + VL);
}

static int64_t depth_at(const split_job *job, int64_t k) {
  return job->gemm->k - k < job->deep ? job->gemm->k - k : job->deep;
}

static int64_t slice_end(const split_job *job) {
  const int64_t end = (job->slice + 1) * job->kc;
  return end < job->gemm->k ? end : job->gemm->k;
}

/* ---- what parts cannot represent ---- */

/* Some rows times 16 columns as f32, sequentially in k. */
ALWAYS_INLINE void plain_rows(const int rows, const ten_gemm *g, const float *a, columns_at b, int64_t kc,
                              int64_t columns, float *c, int64_t ldc, bool accumulate) {
  vf sums[ROWS_AT_ONCE];
  for (int i = 0; i < rows; i++) {
    float before[VL] = {0};
    if (accumulate) memcpy(before, c + i * ldc, (size_t)columns * sizeof(float));
    sums[i] = vload(before);
  }
  for (int64_t k = 0; k < kc; k++)
    for (int i = 0; i < rows; i++) sums[i] += vload(b.at + k * b.row) * vsplat(a[i * g->a_row + k * g->a_col]);
  for (int i = 0; i < rows; i++) {
    float after[VL];
    vstore(after, sums[i]);
    memcpy(c + i * ldc, after, (size_t)columns * sizeof(float));
  }
}

/* Rows [m, m1) times a group of columns, all of k, as f32. */
static void plain_group(const split_job *job, const float *a, const float *b, int64_t m, int64_t m1, int64_t n,
                        int64_t n1, float *c, float *fresh) {
  const ten_gemm *g = job->gemm;
  for (int64_t k0 = 0; k0 < g->k; k0 += job->deep) {
    const int64_t kc = depth_at(job, k0);
    columns_at at[2];
    group_columns(g, b, n, k0, kc, fresh, at);
    for (int half = 0; half < 2 && at[half].at; half++) {
      const int64_t first = n + half * VL, count = n1 - first < VL ? n1 - first : VL;
      for (int64_t i = m; i < m1; i++) {
        const float *row = a + i * g->a_row + k0 * g->a_col;
        float *to = c + i * job->ldc + first;
        if (m1 - i >= ROWS_AT_ONCE) {
          plain_rows(ROWS_AT_ONCE, g, row, at[half], kc, count, to, job->ldc, k0 > 0);
          i += ROWS_AT_ONCE - 1;
        } else {
          plain_rows(1, g, row, at[half], kc, count, to, job->ldc, k0 > 0);
        }
      }
    }
  }
}

/* ---- a task ---- */

typedef struct split_block {
  int64_t m0, m1, n0, n1;
  const float *a, *b;
  float *c;
  uint32_t *row_most, *column_most; /* of its batch and slice */
  int64_t first_row;                /* in its batch, for the epilogue */
  int64_t next_n;                   /* the first column of the thread's probable next block; -1: no prefetch */
} split_block;

/* What to prefetch while the 32 × 32 block at m, n, k is multiplied: its share of the next block of B, if a thread
 * finishes those quickly; otherwise of the epilogue's other inputs, if contiguous. */
static ten_split_ahead share_of(const split_job *job, const split_block *block, int64_t m, int64_t n, int64_t k) {
  const ten_gemm *g = job->gemm;
  const int64_t k0 = job->slice * job->kc, depth = slice_end(job) - k0, wide = block->n1 - block->n0;
  const int64_t prefetches = 2 * blocks(depth_at(job, k), SPLIT_K); /* times */
  if (block->next_n >= 0) {
    const int64_t numbers =
        (m * depth + (k - k0) * SPLIT_ROWS) * wide / g->m + (n - block->n0) * job->deep * SPLIT_ROWS / g->m;
    const int64_t first = gemm_panel(g->n, block->next_n / GEMM_NR + numbers / (depth * GEMM_NR));
    const int64_t within = numbers % (depth * GEMM_NR);
    return (ten_split_ahead){(const char *)(block->b + first * g->k + k0 * gemm_width(g->n, first) + within),
                             (int)blocks(SPLIT_ROWS * SPLIT_ROWS, g->m)};
  }
  if (g->also_count && job->n_blocks == 1 && job->slice + 1 == job->slices) {
    const int64_t groups = blocks(g->n, SPLIT_COLUMNS), index = (k - k0) / job->deep * groups + n / SPLIT_COLUMNS;
    const int64_t row = g->n * g->also_bytes, each = SPLIT_ROWS * row / (groups * blocks(depth, job->deep));
    const int64_t at = (block->first_row + m) * row + index * each;
    return (ten_split_ahead){(const char *)g->also[0] + at, (int)blocks(each, prefetches * LINE)};
  }
  return (ten_split_ahead){0};
}

static uint32_t *rows_known(const split_job *job, int64_t batch, int64_t slice) {
  return job->row_most + (batch * job->slices + slice) * round_up(job->gemm->m, SPLIT_ROWS);
}

static uint32_t *columns_known(const split_job *job, int64_t batch, int64_t slice) {
  return job->column_most + (batch * job->slices + slice) * round_up(job->gemm->n, SPLIT_COLUMNS);
}

/* Splits the block of B, and finds its largest magnitudes. */
static void split_b(const split_job *job, const split_block *block, const split_own *own) {
  const ten_gemm *g = job->gemm;
  const int64_t k0 = job->slice * job->kc, k1 = slice_end(job);
  for (int64_t n = block->n0; n < block->n1; n += SPLIT_COLUMNS) {
    uint32_t most[SPLIT_COLUMNS] = {0};
    for (int64_t k = k0; k < k1; k += job->deep) {
      columns_at at[2];
      group_columns(g, block->b, n, k, depth_at(job, k), own->fresh, at);
      split_columns(g, at, depth_at(job, k), columns_in(job, own->b, k - k0, (n - block->n0) / SPLIT_COLUMNS), most);
    }
    for (int i = 0; i < SPLIT_COLUMNS; i++) __atomic_store_n(&block->column_most[n + i], most[i], __ATOMIC_RELAXED);
  }
}

/* Multiplies 32 × 32 of C; a partial block goes through a whole one. */
static void multiply(const split_job *job, const split_block *block, int64_t m, int64_t n, int64_t k, const char *a,
                     const char *b, float *edge) {
  const ten_split_form *form = job->gemm->split;
  const int64_t rows = block->m1 - m, columns = block->n1 - n, steps = blocks(depth_at(job, k), SPLIT_K);
  float *c = block->c + m * job->ldc + n;
  if (rows >= SPLIT_ROWS && columns >= SPLIT_COLUMNS) {
    form->block(steps, a, b, c, job->ldc, k > 0, 2, share_of(job, block, m, n, k));
    return;
  }
  const size_t bytes = (size_t)(columns < SPLIT_COLUMNS ? columns : SPLIT_COLUMNS) * sizeof(float);
  for (int64_t i = 0; k > 0 && i < rows && i < SPLIT_ROWS; i++)
    memcpy(edge + i * SPLIT_COLUMNS, c + i * job->ldc, bytes);
  form->block(steps, a, b, edge, SPLIT_COLUMNS, k > 0, columns > VL ? 2 : 1, share_of(job, block, m, n, k));
  for (int64_t i = 0; i < rows && i < SPLIT_ROWS; i++) memcpy(c + i * job->ldc, edge + i * SPLIT_COLUMNS, bytes);
}

/* Multiplies 32 rows by the block of B. */
static void multiply_rows(const split_job *job, const split_block *block, int64_t m, const split_own *own,
                          split_held *held) {
  const ten_gemm *g = job->gemm;
  const int64_t rows = block->m1 - m < SPLIT_ROWS ? block->m1 - m : SPLIT_ROWS, k0 = job->slice * job->kc;
  const int64_t group = m / SPLIT_ROWS;
  const bool there = job->keeps_a && held->rows >> group & 1;
  uint32_t most[SPLIT_ROWS] = {0};
  for (int64_t k = k0; k < slice_end(job); k += job->deep) {
    char *const parts = rows_in(job, own->a, k - k0, group);
    if (!there) split_rows(g, block->a + m * g->a_row + k * g->a_col, rows, depth_at(job, k), parts, most);
    for (int64_t n = block->n0; n < block->n1; n += SPLIT_COLUMNS)
      multiply(job, block, m, n, k, parts, columns_in(job, own->b, k - k0, (n - block->n0) / SPLIT_COLUMNS), own->edge);
  }
  if (job->keeps_a) held->rows |= (uint64_t)1 << group;
  for (int i = 0; i < SPLIT_ROWS && !there; i++) __atomic_store_n(&block->row_most[m + i], most[i], __ATOMIC_RELAXED);
}

/* The largest magnitudes of 32 rows or columns over all slices, `apart` from each other. */
static split_range known_range(const split_job *job, const uint32_t *known, int64_t apart) {
  uint32_t most[SPLIT_COLUMNS] = {0};
  _Static_assert(SPLIT_ROWS == SPLIT_COLUMNS, "both");
  for (int64_t slice = 0; slice < job->slices; slice++)
    for (int i = 0; i < SPLIT_COLUMNS; i++) {
      const uint32_t here = __atomic_load_n(&known[slice * apart + i], __ATOMIC_RELAXED);
      if (here > most[i]) most[i] = here;
    }
  return range_of(most, SPLIT_COLUMNS);
}

/* Recomputes groups that parts cannot represent. */
static void mend(const split_job *job, const split_block *block, int64_t batch, float *fresh) {
  const int64_t wide = round_up(job->gemm->n, SPLIT_COLUMNS), high = round_up(job->gemm->m, SPLIT_ROWS);
  for (int64_t n = block->n0; n < block->n1; n += SPLIT_COLUMNS) {
    const split_range columns = known_range(job, columns_known(job, batch, 0) + n, wide);
    const int64_t n1 = block->n1 - n < SPLIT_COLUMNS ? block->n1 : n + SPLIT_COLUMNS;
    for (int64_t m = block->m0; m < block->m1; m += SPLIT_ROWS) {
      if (split_fits(known_range(job, rows_known(job, batch, 0) + m, high), columns)) continue;
      plain_group(job, block->a, block->b, m, block->m1 - m < SPLIT_ROWS ? block->m1 : m + SPLIT_ROWS, n, n1, block->c,
                  fresh);
    }
  }
}

static int64_t task_count(const split_job *job) { return batches(job->gemm) * job->n_blocks * job->m_blocks; }

static void split_task(void *context, int64_t index, unsigned thread) {
  const split_job *job = context;
  const ten_gemm *g = job->gemm;
  if (!job->slice) {
    const int64_t other = gemm_overlapped(g, task_count(job), &index);
    if (other >= 0) {
      g->overlap(g->overlap_context, other, thread);
      return;
    }
  }
  const split_own own = lay_out(job, job->own + job->scratch_each * thread);
  const int64_t which = index / job->m_blocks, n_block = which % job->n_blocks, batch = which / job->n_blocks;
  const int64_t m0 = index % job->m_blocks * job->mc, m1 = m0 + job->mc < g->m ? m0 + job->mc : g->m;
  const int64_t n0 = n_block * job->nc, n1 = n0 + job->nc < g->n ? n0 + job->nc : g->n;
  const split_block block = {
      .m0 = m0,
      .m1 = m1,
      .n0 = n0,
      .n1 = n1,
      .a = g->a + batch * g->a_batch,
      .b = g->b + batch * g->b_batch,
      .c = g->tile ? own.tile - (m0 * job->ldc + n0) : g->c + batch * g->c_batch,
      .row_most = rows_known(job, batch, job->slice),
      .column_most = columns_known(job, batch, job->slice),
      .first_row = batch * g->m,
      .next_n = job->keeps_a && !g->direct ? ten_pool_next(n_block, job->n_blocks, thread) * job->nc : -1};
  split_held *held = &job->held[thread];
  if (held->block != which) split_b(job, &block, &own);
  held->block = which;
  g->split->begin();
  for (int64_t m = m0; m < m1; m += SPLIT_ROWS) multiply_rows(job, &block, m, &own, held);
  g->split->end();
  if (job->slice + 1 < job->slices) return;
  mend(job, &block, batch, own.fresh);
  if (g->epilogue)
    g->epilogue(g->epilogue_context, block.c + m0 * job->ldc + n0, job->ldc, block.first_row + m0, block.first_row + m1,
                n0, n1);
}

void TEN_K(gemm_split_run)(const ten_gemm *g, ten_pool *pool) {
  const unsigned threads = ten_pool_threads(pool);
  split_job job = job_of(g, threads);
  char *known = g->scratch;
  job.scratch_each = lay_out(&job, NULL).bytes;
  job.row_most = (uint32_t *)known;
  job.column_most = (uint32_t *)(known + lines(batches(g) * job.slices * round_up(g->m, SPLIT_ROWS) * 4));
  job.held = (split_held *)(known + known_bytes(&job, threads)) - threads;
  job.own = known + known_bytes(&job, threads);
  for (; job.slice < job.slices; job.slice++) {
    for (unsigned i = 0; i < threads; i++) job.held[i] = (split_held){.block = -1};
    ten_pool_run(pool, split_task, &job, (job.slice ? 0 : g->overlap_count) + task_count(&job));
  }
}
#endif
