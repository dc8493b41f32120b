/* gemm_split.c: f32 products by a form of split.h. A task is one block of C, and goes over k by slices: it splits its
 * rows of A, then 32 columns of B at a time, which meet all of the rows before the next come. Where one block has all
 * rows, A is split once, by all threads, before. Groups of 32 rows and 32 columns that parts do not stand for are
 * multiplied again as f32: which they are depends on the numbers alone, so that bits do not depend on threads. */
#include <string.h>

#include "cpu/kernels/gemm.h"

#if defined(__AVX512F__)
enum {
  MC = 320,
  KC = 768,
  A_BYTES = 3 << 18 /* of the parts of a slice of A, that L2 keeps */,
  BLOCK = 3 << 16 /* numbers of C in a task, at most */,
  NC_MIN = 192,
  LINE = 64,
  ROWS_AT_ONCE = 8 /* of those that are multiplied as f32 */
};

typedef struct split_job {
  const ten_gemm *gemm;
  int64_t mc, nc, kc, slices, m_blocks, n_blocks, groups /* of rows, in a block */, ldc;
  char *shared;          /* parts of all of A, by slices */
  uint32_t *shared_most; /* the largest number of each of its rows, in each slice */
  char *own;             /* of each thread, scratch_each bytes */
  size_t scratch_each;
} split_job;

/* A thread's own. */
typedef struct split_own {
  char *a, *b;                      /* parts of a slice, and of one group of columns */
  float *fresh, *edge, *tile;       /* that group, packed; a block of C that is not whole; the task's block of C */
  uint32_t *row_most, *column_most; /* the largest numbers */
  size_t bytes;
} split_own;

static int64_t blocks(int64_t size, int64_t each) { return (size + each - 1) / each; }
static int64_t round_up(int64_t size, int64_t to) { return blocks(size, to) * to; }
static size_t lines(int64_t bytes) { return (size_t)round_up(bytes, LINE); }

/* Into how many blocks of columns C falls at most where the parts of all rows of A are more than L2 keeps: each reads
 * them from afar. */
static int64_t wide_blocks(const ten_gemm *g, unsigned threads) {
  enum { WIDE = 128 };
  if (g->m * g->k * 6 <= A_BYTES) return INT64_MAX;
  return g->n / WIDE > threads ? g->n / WIDE : threads;
}

/* Whether parts are faster, by what was measured where two threads share a core (alone, tiles gain more): numbers that
 * are multiplied and added in a nanosecond, and what splitting a number, beginning a block of a slice, and a byte from
 * afar take, in nanoseconds. Not by how many threads there are: bits must not depend on that. */
bool TEN_K(gemm_splits)(const ten_gemm *g) {
  static const double by_tiles = 105, by_vectors = 74, splitting = 0.2, beginning = 150, afar = 0.03, gain = 1.05;
  enum { LEAST_K = 64, THREADS = 2 };
  if (g->accumulate || g->k < LEAST_K || g->m < SPLIT_ROWS || g->n < SPLIT_COLUMNS) return false;
  const double m = (double)g->m, n = (double)g->n, k = (double)g->k;
  const double rows = (double)blocks(g->m, SPLIT_ROWS), columns = (double)blocks(g->n, SPLIT_COLUMNS);
  const double times_a = (double)(g->m <= MC ? 1 : blocks(g->n, BLOCK / MC)), times_b = (double)blocks(g->m, MC);
  const int64_t wide = wide_blocks(g, THREADS);
  double split = rows * columns * (SPLIT_ROWS * SPLIT_COLUMNS * k / by_tiles + (double)blocks(g->k, KC) * beginning) +
                 k * splitting * (m * times_a + n * times_b);
  if (g->m <= MC && wide < INT64_MAX) split += afar * (double)wide * m * k * 6;
  return m * n * k / by_vectors > gain * split;
}

static split_job job_of(const ten_gemm *g, unsigned threads) {
  const int64_t batch = g->batch > 1 ? g->batch : 1, wanted = threads > 1 ? (int64_t)threads * 4 : 1;
  const int64_t most = g->block > 0 && g->block * GEMM_MR < MC ? g->block * GEMM_MR : MC;
  const int64_t wide = wide_blocks(g, threads);
  split_job job = {.gemm = g};
  job.mc = round_up(blocks(g->m, blocks(g->m, most)), SPLIT_ROWS); /* blocks that are alike */
  for (;;) {
    job.m_blocks = blocks(g->m, job.mc);
    int64_t n_blocks = blocks(g->n, BLOCK / job.mc / SPLIT_COLUMNS * SPLIT_COLUMNS);
    if (batch * job.m_blocks * n_blocks < wanted) n_blocks = blocks(wanted, batch * job.m_blocks);
    if (n_blocks > wide && batch * job.m_blocks * wide >= threads) n_blocks = wide;
    const int64_t least = job.m_blocks == 1 && batch == 1 ? SPLIT_COLUMNS : NC_MIN;
    job.nc = round_up(blocks(g->n, n_blocks), SPLIT_COLUMNS);
    if (job.nc < least) job.nc = least;
    job.n_blocks = blocks(g->n, job.nc);
    if (batch * job.m_blocks * job.n_blocks * 2 >= wanted || job.mc <= 2 * SPLIT_ROWS) break;
    job.mc = round_up(job.mc / 2, SPLIT_ROWS);
  }
  job.groups = job.mc / SPLIT_ROWS;
  const int64_t longest = A_BYTES / (job.mc * 6) / SPLIT_K * SPLIT_K;
  job.slices = blocks(g->k, longest < KC ? longest : KC);
  job.kc = round_up(blocks(g->k, job.slices), SPLIT_K);
  job.slices = blocks(g->k, job.kc);
  job.ldc = g->tile ? job.nc + LINE / 4 : g->ldc; /* rows that are not a page apart */
  return job;
}

/* Whether A is split once for all tasks. */
static bool is_shared(const split_job *job, unsigned threads) {
  return threads > 1 && job->m_blocks == 1 && job->n_blocks > 1 && job->gemm->batch <= 1;
}

static int64_t slice_bytes(const split_job *job) { return job->groups * (job->kc / SPLIT_K) * SPLIT_STEP; }

static size_t shared_bytes(const split_job *job) {
  return lines(job->slices * slice_bytes(job)) + lines(job->slices * job->mc * 4);
}

/* A thread's scratch, from `base` on. */
static split_own lay_out(const split_job *job, char *base) {
  const size_t sizes[] = {lines(slice_bytes(job)),
                          lines(job->kc / SPLIT_K * SPLIT_STEP),
                          lines(job->kc * SPLIT_COLUMNS * 4),
                          lines(SPLIT_ROWS * SPLIT_COLUMNS * 4),
                          job->gemm->tile ? lines(job->mc * job->ldc * 4) : 0,
                          lines(job->mc * 4),
                          lines(round_up(job->nc, SPLIT_COLUMNS) * 4)};
  enum { PLACES = sizeof sizes / sizeof *sizes };
  void *at[PLACES];
  size_t bytes = 0;
  for (int i = 0; i < PLACES; i++) at[i] = (void *)((uintptr_t)base + bytes), bytes += sizes[i];
  return (split_own){at[0], at[1], at[2], at[3], at[4], at[5], at[6], bytes};
}

/* Enough for any number of threads up to `threads`. */
size_t TEN_K(gemm_split_scratch)(const ten_gemm *g, unsigned threads) {
  size_t each = 0, shared = 0;
  for (unsigned i = 1; i <= threads; i++) {
    const split_job job = job_of(g, i);
    const size_t bytes = lay_out(&job, NULL).bytes;
    if (bytes > each) each = bytes;
    if (is_shared(&job, i) && shared_bytes(&job) > shared) shared = shared_bytes(&job);
  }
  return shared + each * threads;
}

/* Rows of A, of one slice of k; turned over first where they do not lie along k. */
static void split_rows(const ten_gemm *g, const float *a, int64_t rows, int64_t kc, char *parts, uint32_t *most) {
  if (g->a_col == 1) {
    g->split->split_a((int)rows, kc, a, g->a_row, parts, most);
    return;
  }
  for (int64_t k = 0; k < kc; k += SPLIT_K, parts += SPLIT_STEP) {
    _Alignas(LINE) float turned[SPLIT_ROWS * SPLIT_K];
    const int64_t count = kc - k < SPLIT_K ? kc - k : SPLIT_K;
    TEN_K(gemm_pack_b)(rows, count, a + k * g->a_col, g->a_row, g->a_col, 0, 1, turned); /* its rows are B's k */
    g->split->split_a((int)rows, count, turned, gemm_padded(count), parts, most);
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

/* Where rows of 16 columns of B lie, from row k0 on. */
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

/* Both halves of a group of columns, from slice k0 on; the second is NULL where there is none. */
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

/* A group of columns as parts. */
static void split_columns(const ten_gemm *g, const columns_at at[2], int64_t kc, char *parts, uint32_t *most) {
  g->split->split_b(kc, at[0].at, at[0].row, parts, most);
  if (at[1].at)
    g->split->split_b(kc, at[1].at, at[1].row, parts + SPLIT_TILE, most + VL);
  else
    for (int64_t i = 0; i < blocks(kc, SPLIT_K) * 3; i++) memset(parts + (2 * i + 1) * SPLIT_TILE, 0, SPLIT_TILE);
}

/* The index-th share in asking for a group of columns, by blocks of so many steps of k. */
static ten_split_ahead share_of(const columns_at at[2], int64_t kc, int64_t steps, int64_t index, int64_t count) {
  const int64_t times = blocks(kc, count * steps), from = index * steps * times;
  if (!at[0].at || from >= kc) return (ten_split_ahead){0};
  ten_split_ahead ahead = {.times = (int)times};
  for (int i = 0; i < 2; i++) {
    const columns_at *half = at[i].at ? &at[i] : &at[0];
    ahead.at[i] = (const char *)(half->at + from * half->row);
    ahead.step[i] = half->row * (int64_t)sizeof(float);
  }
  return ahead;
}

/* A block of C that is not whole goes through one that is. */
static void edge_block(const ten_split_form *form, int64_t steps, const char *a, const char *b, int64_t rows,
                       int64_t columns, float *c, int64_t ldc, bool accumulate, float *edge, ten_split_ahead ahead) {
  for (int64_t i = 0; accumulate && i < rows; i++)
    memcpy(edge + i * SPLIT_COLUMNS, c + i * ldc, (size_t)columns * sizeof(float));
  form->block(steps, a, b, edge, SPLIT_COLUMNS, accumulate, ahead);
  for (int64_t i = 0; i < rows; i++) memcpy(c + i * ldc, edge + i * SPLIT_COLUMNS, (size_t)columns * sizeof(float));
}

/* Some rows times 16 columns as f32, k by k. */
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
  for (int64_t k0 = 0; k0 < g->k; k0 += job->kc) {
    const int64_t kc = g->k - k0 < job->kc ? g->k - k0 : job->kc;
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

/* A block of C, and where the thread likely goes on after it. */
typedef struct split_block {
  int64_t m0, m1, n0, n1, next_n;
  const float *b;
  float *c;
} split_block;

/* The group of columns that comes after the one at n: beside it, the first one of the next slice, or of the next block.
 * Only where B is packed. */
static void next_columns(const ten_gemm *g, const split_block *block, int64_t n, int64_t k0, int64_t kc,
                         columns_at at[2]) {
  const bool beside = n + SPLIT_COLUMNS < block->n1, below = !beside && k0 + kc < g->k;
  at[0] = at[1] = (columns_at){0};
  if (!g->direct)
    group_columns(g, block->b,
                  beside  ? n + SPLIT_COLUMNS
                  : below ? block->n0
                          : block->next_n,
                  beside  ? k0
                  : below ? k0 + kc
                          : 0,
                  kc, NULL, at);
}

/* One slice of k: all groups of columns times all rows, whose parts are at `parts`. */
static void slice_task(const split_job *job, const split_block *block, const char *parts, int64_t k0,
                       const split_own *own) {
  const ten_gemm *g = job->gemm;
  const int64_t kc = g->k - k0 < job->kc ? g->k - k0 : job->kc, steps = blocks(kc, SPLIT_K);
  const int64_t groups = blocks(block->m1 - block->m0, SPLIT_ROWS);
  for (int64_t n = block->n0; n < block->n1; n += SPLIT_COLUMNS) {
    const int64_t columns = block->n1 - n < SPLIT_COLUMNS ? block->n1 - n : SPLIT_COLUMNS;
    columns_at at[2], next[2];
    group_columns(g, block->b, n, k0, kc, own->fresh, at);
    next_columns(g, block, n, k0, kc, next);
    split_columns(g, at, kc, own->b, own->column_most + (n - block->n0));
    for (int64_t i = 0; i < groups; i++) {
      const int64_t m = block->m0 + i * SPLIT_ROWS, rows = block->m1 - m < SPLIT_ROWS ? block->m1 - m : SPLIT_ROWS;
      const char *a = parts + i * (job->kc / SPLIT_K) * SPLIT_STEP;
      const ten_split_ahead ahead = share_of(next, kc, steps, i, groups);
      float *to = block->c + m * job->ldc + n;
      if (rows < SPLIT_ROWS || columns < SPLIT_COLUMNS)
        edge_block(g->split, steps, a, own->b, rows, columns, to, job->ldc, k0 > 0, own->edge, ahead);
      else
        g->split->block(steps, a, own->b, to, job->ldc, k0 > 0, ahead);
    }
  }
}

/* Rows [from, to) of a block of A that begins at `a`, one slice of k, into where the block's parts are. */
static void split_group_rows(const split_job *job, const float *a, int64_t slice, int64_t from, int64_t to, char *parts,
                             uint32_t *most) {
  const ten_gemm *g = job->gemm;
  const int64_t k0 = slice * job->kc, kc = g->k - k0 < job->kc ? g->k - k0 : job->kc;
  for (int64_t m = from; m < to; m += SPLIT_ROWS)
    split_rows(g, a + m * g->a_row + k0 * g->a_col, to - m < SPLIT_ROWS ? to - m : SPLIT_ROWS, kc,
               parts + m * (job->kc / SPLIT_K) * (SPLIT_STEP / SPLIT_ROWS), most + m);
}

static int64_t task_count(const split_job *job) {
  return (job->gemm->batch > 1 ? job->gemm->batch : 1) * job->m_blocks * job->n_blocks;
}

static void split_task(void *context, int64_t index, unsigned thread) {
  const split_job *job = context;
  const ten_gemm *g = job->gemm;
  const int64_t other = gemm_beside(g, task_count(job), &index);
  if (other >= 0) {
    g->beside(g->beside_context, other, thread);
    return;
  }
  const split_own own = lay_out(job, job->own + job->scratch_each * thread);
  const int64_t n_block = index % job->n_blocks, m_block = index / job->n_blocks % job->m_blocks;
  const int64_t batch = index / job->n_blocks / job->m_blocks;
  const int64_t m0 = m_block * job->mc, m1 = m0 + job->mc < g->m ? m0 + job->mc : g->m;
  const int64_t n0 = n_block * job->nc, n1 = n0 + job->nc < g->n ? n0 + job->nc : g->n;
  const float *a = g->a + batch * g->a_batch, *b = g->b + batch * g->b_batch;
  float *c = g->tile ? own.tile - (m0 * job->ldc + n0) : g->c + batch * g->c_batch;
  const split_block block = {m0, m1, n0, n1, (n_block + (thread % 2 ? job->n_blocks - 1 : 1)) % job->n_blocks * job->nc,
                             b,  c};
  memset(own.row_most, 0, (size_t)job->mc * sizeof *own.row_most);
  memset(own.column_most, 0, (size_t)round_up(n1 - n0, SPLIT_COLUMNS) * sizeof *own.column_most);
  g->split->begin();
  for (int64_t slice = 0; slice < job->slices; slice++) {
    const int64_t k0 = slice * job->kc;
    if (job->shared) {
      const uint32_t *most = job->shared_most + slice * job->mc;
      for (int64_t i = 0; i < m1 - m0; i++)
        if (most[i] > own.row_most[i]) own.row_most[i] = most[i];
    } else {
      split_group_rows(job, a + m0 * g->a_row, slice, 0, m1 - m0, own.a, own.row_most);
    }
    slice_task(job, &block, job->shared ? job->shared + slice * slice_bytes(job) : own.a, k0, &own);
  }
  g->split->end();
  for (int64_t n = n0; n < n1; n += SPLIT_COLUMNS) {
    const split_range columns = range_of(own.column_most + (n - n0), SPLIT_COLUMNS);
    for (int64_t m = m0; m < m1; m += SPLIT_ROWS) {
      if (split_fits(range_of(own.row_most + (m - m0), SPLIT_ROWS), columns)) continue;
      plain_group(job, a, b, m, m1 - m < SPLIT_ROWS ? m1 : m + SPLIT_ROWS, n,
                  n1 - n < SPLIT_COLUMNS ? n1 : n + SPLIT_COLUMNS, c, own.fresh);
    }
  }
  if (g->epilogue)
    g->epilogue(g->epilogue_context, c + m0 * job->ldc + n0, job->ldc, batch * g->m + m0, batch * g->m + m1, n0, n1);
}

/* A group of rows of one slice of A, where it is shared. */
static void share_task(void *context, int64_t index, unsigned thread) {
  (void)thread;
  const split_job *job = context;
  const int64_t slice = index / job->groups, from = index % job->groups * SPLIT_ROWS;
  const int64_t to = from + SPLIT_ROWS < job->gemm->m ? from + SPLIT_ROWS : job->gemm->m;
  uint32_t *most = job->shared_most + slice * job->mc;
  memset(most + from, 0, SPLIT_ROWS * sizeof *most);
  split_group_rows(job, job->gemm->a, slice, from, to, job->shared + slice * slice_bytes(job), most);
}

void TEN_K(gemm_split_run)(const ten_gemm *g, ten_pool *pool) {
  const unsigned threads = ten_pool_threads(pool);
  split_job job = job_of(g, threads);
  job.scratch_each = lay_out(&job, NULL).bytes;
  job.own = g->scratch;
  if (is_shared(&job, threads)) {
    job.shared = g->scratch;
    job.shared_most = (uint32_t *)(job.shared + lines(job.slices * slice_bytes(&job)));
    job.own += shared_bytes(&job);
    ten_pool_run(pool, share_task, &job, job.slices * job.groups);
  }
  ten_pool_run(pool, split_task, &job, g->beside_count + task_count(&job));
}
#endif
