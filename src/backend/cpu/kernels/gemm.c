/* gemm.c: f32 matmul over packed B: partitioning, and the loops over blocks.
 *
 * B is packed once into panels of NR columns, [panel][k][NR], zero-padded (gemm.h); or, when few rows use it, panel by
 * panel on demand. A is packed block by block into [panel][k][MR] in the thread's own scratch, unless its rows can be
 * read in place (GEMM_IN_PLACE). A task is one block of MC rows by NC columns, which stays in L2 until the epilogue has
 * run over it; inside, for each KC slice: pack A, then for each panel of B (which stays in L1) run the micro-kernel
 * (gemm_tile.c) down the panels of A (which stay in L2). Every element of C is summed over k in the same order,
 * whatever the blocking, so the result does not depend on threads. With AVX2 and AVX-512, where B is small, neither is
 * packed, and nothing is partitioned. */
#include <string.h>

#include "backend/cpu/kernels/gemm.h"

#if defined(__AVX512F__)
/* A panel of B streams from L2 fast enough: the longer the slices, the less often C is read and written. */
enum { KC = 768 };
#elif defined(__aarch64__)
enum { KC = 768 }; /* 24 KiB: the fewer slices, the less often C is read and written */
#else
enum { KC = 384 };
#endif
/* Whether blocks of rows are as large for a B that each of them packs: the fewer, the less often. */
#if defined(__AVX2__) && !defined(__AVX512F__)
enum { DIRECT_IN_PLACE = 1 };
#else
enum { DIRECT_IN_PLACE = 0 };
#endif
enum {
  LINE = 16 /* floats */,
  MC_PANELS = 16 /* 128 rows are one block: B is packed for it once */,
  MC_IN_PLACE = 40 /* 320 rows of 768 fill half an L2 */,
  MC_NEAR = 8,
  NEAR_B = 1 << 18 /* elements, half an L2 or a whole one */,
  NC_MIN = 96,
  PACK_PARTS = 4,
  BLOCK = 3 << 16 /* maximum elements of C in a task */,
  FEW_LYING = 64 /* rows read in place: all use a panel of B before the next is loaded */,
  FEW_MOST = GEMM_MR == 6 ? 18 : 24 /* rows: for more, B is packed */
};

typedef struct gemm_job {
  const ten_gemm *gemm;
  int64_t mc, nc, kc, m_blocks, n_blocks, ldc;
  int64_t tile;  /* offset of the tile in a thread's scratch, in floats; 0: C is stored directly */
  float *shared; /* all of A, packed: when one block of rows uses several blocks of columns */
  char *own;     /* per thread, scratch_each bytes */
  size_t scratch_each;
} gemm_job;

static int64_t whole_panels(int64_t columns) { return round_up(columns, GEMM_NR); }

/* Rows a multiple of a page apart conflict in L1 and L2 sets: packing them pays if there are many, and many columns. */
static bool in_place(const ten_gemm *gemm) {
  enum { PAGE = 1024 /* floats */, MANY = 512, FEW = 256 };
  return GEMM_IN_PLACE && gemm->a_col == 1 && gemm->a_row > 0 &&
         (gemm->a_row % PAGE != 0 || gemm->n < MANY || gemm->m <= FEW);
}

/* Rows read in place can be reread for free: as many as L2 holds, so that B is read less often. If L2 holds all of B,
 * few, so that they are still cached for the epilogue. */
static int64_t most_panels(const ten_gemm *gemm) {
  if (gemm->block > 0) return gemm->block;
  if (!in_place(gemm) || (gemm->direct && !DIRECT_IN_PLACE)) return MC_PANELS;
  return gemm->epilogue && gemm->k * gemm->n <= NEAR_B ? MC_NEAR : MC_IN_PLACE;
}

/* Few rows multiply an unpacked B (gemm_few.c). */
static bool few(const ten_gemm *g) {
  if (g->a_col != 1 || g->m > FEW_MOST) return false;
  return g->direct ? g->b_row == 1 || g->b_col == 1 : g->m == 1;
}

/* Bytes of all of A, packed, if it is one block of rows. */
static size_t shared_size(const ten_gemm *gemm) {
  const int64_t panels = blocks(gemm->m, GEMM_MR);
  return panels <= most_panels(gemm) ? (size_t)(panels * GEMM_MR * gemm->k) * sizeof(float) + 64 : 0;
}

/* Floats of a task's block, for any partitioning. */
static int64_t tile_size(const ten_gemm *gemm) {
  const int64_t rows = round_up(gemm->m, GEMM_MR), whole = rows * (whole_panels(gemm->n) + LINE),
                most = (gemm->block > 0 ? gemm->block : MC_IN_PLACE) * GEMM_MR;
  const int64_t block = BLOCK + (NC_MIN + LINE) * (rows < most ? rows : most);
  return round_up(whole < block ? whole : block, LINE);
}

/* Rows first: a block of A is packed once for all its columns, and B is read once per block of rows. So columns are
 * split before rows, until a block has few of them. */
static gemm_job job_of(const ten_gemm *gemm, unsigned threads) {
  const int64_t panels = blocks(gemm->m, GEMM_MR), batch = gemm->batch > 1 ? gemm->batch : 1;
  /* If A is packed once for all, or not at all, small tasks are cheap, and balance cores of different speed. */
  const bool once = (in_place(gemm) && !gemm->direct) || (panels <= most_panels(gemm) && batch == 1);
  const int64_t wanted = threads > 1 ? (int64_t)threads * (!once ? 4 : GEMM_IN_PLACE ? 16 : 8) : 1;
  const int64_t least = once && GEMM_IN_PLACE ? GEMM_NR : NC_MIN;
  gemm_job job = {.gemm = gemm, .nc = gemm->n};
  const bool all = few(gemm); /* all rows in one block */
  int64_t per = 1;
  if (panels) per = all ? panels : blocks(panels, blocks(panels, most_panels(gemm))); /* even blocks of rows */
  for (;;) {
    job.mc = per * GEMM_MR;
    job.m_blocks = blocks(gemm->m, job.mc);
    const int64_t most = BLOCK / job.mc / GEMM_NR * GEMM_NR, tasks = batch * job.m_blocks;
    int64_t n_blocks = blocks(gemm->n, most);
    if (tasks * n_blocks < wanted) n_blocks = blocks(wanted, tasks);
    job.nc = whole_panels(blocks(gemm->n, n_blocks));
    if (job.nc < least) job.nc = least;
    job.n_blocks = blocks(gemm->n, job.nc);
    if (tasks * job.n_blocks * 2 >= wanted || per <= 2 || all) break;
    per = (per + 1) / 2;
  }
  if (batch * job.n_blocks == 1 && job.m_blocks % threads && job.m_blocks > threads) { /* as many per thread */
    job.mc = blocks(panels, (job.m_blocks / threads + 1) * threads) * GEMM_MR;
    job.m_blocks = blocks(gemm->m, job.mc);
  }
  const int64_t slices = gemm->k > KC ? blocks(gemm->k, KC) : 1; /* evenly, so that none is short */
  job.kc = slices > 1 ? round_up(blocks(gemm->k, slices), 8) : gemm->k;
  const int64_t packed = in_place(gemm) && !gemm->direct ? 0 : job.mc + (gemm->direct ? GEMM_NR : 0);
  job.ldc = gemm->ldc;
  if (gemm->tile) {
    job.tile = round_up(packed * job.kc + LINE, LINE);
    const int64_t columns = whole_panels(gemm->n);
    job.ldc = (job.nc < columns ? job.nc : columns) + LINE; /* avoids a row pitch of a page */
  }
  job.scratch_each = (size_t)(gemm->tile ? job.tile + tile_size(gemm) : packed * job.kc) * sizeof(float) + 64;
  job.own = gemm->scratch;
  if (threads > 1 && batch == 1 && job.m_blocks == 1 && job.n_blocks > 1 && !few(gemm) && !in_place(gemm)) {
    job.shared = gemm->scratch;
    job.own += shared_size(gemm);
  }
  return job;
}

/* Enough for up to `threads` threads: blocks are largest for a single one. Also for split matmuls: a plan may run on a
 * CPU that has tiles for them. */
size_t TEN_K(gemm_scratch)(const ten_gemm *gemm, unsigned threads) {
  size_t most = job_of(gemm, 1).scratch_each * threads + (threads > 1 && gemm->batch <= 1 ? shared_size(gemm) : 0);
#if defined(__AVX512F__)
  const size_t split = TEN_K(gemm_splits)(gemm) ? TEN_K(gemm_split_scratch)(gemm, threads) : 0;
  if (split > most) most = split;
#endif
  return most;
}

static int64_t task_count(const gemm_job *job) {
  return (job->gemm->batch > 1 ? job->gemm->batch : 1) * job->m_blocks * job->n_blocks;
}

/* The share of tile `index` in prefetching an unpacked panel of B: a column of it or, for the first tile, all rows. */
static gemm_ahead share_lying(const ten_gemm *g, const float *next, int64_t index) {
  if (g->b_row == 1 && index < GEMM_NR) return (gemm_ahead){next + index * g->b_col, 1};
  if (g->b_col == 1 && index == 0) return (gemm_ahead){next, g->b_row};
  return (gemm_ahead){0};
}

/* The first column of block `index`: a panel boundary. */
static int64_t block_at(const gemm_job *job, int64_t index) {
  return gemm_panel(job->gemm->n, index * job->nc / GEMM_NR);
}

static void gemm_task(void *context, int64_t index, unsigned thread) {
  const gemm_job *job = context;
  const ten_gemm *g = job->gemm;
  const int64_t other = gemm_overlapped(g, task_count(job), &index);
  if (other >= 0) {
    g->overlap(g->overlap_context, other, thread);
    return;
  }
  float *const own = (float *)(job->own + job->scratch_each * thread);
  const bool lies = in_place(g), across = lies && g->m <= FEW_LYING;
  const int64_t n_block = (across ? index / job->m_blocks : index) % job->n_blocks;
  const int64_t m_block = (across ? index : index / job->n_blocks) % job->m_blocks;
  const int64_t batch = index / job->n_blocks / job->m_blocks;
  const int64_t m0 = m_block * job->mc, n0 = block_at(job, n_block), n1 = block_at(job, n_block + 1),
                likely = ten_pool_next(n_block, job->n_blocks, thread);
  const int64_t m1 = m0 + job->mc < g->m ? m0 + job->mc : g->m, ldc = job->ldc;
  const float *a = g->a + batch * g->a_batch, *b = g->b + batch * g->b_batch;
  float *c = job->tile ? own + job->tile - (m0 * ldc + n0) : g->c + batch * g->c_batch;
  if (!g->k && !g->accumulate)
    for (int64_t m = m0; m < m1; m++) memset(c + m * ldc + n0, 0, (size_t)(n1 - n0) * sizeof(float));
  const bool as_it_lies = few(g);
  if (as_it_lies && g->k) {
    ten_gemm rows = *g;
    rows.ldc = ldc;
    TEN_K(gemm_few)(&rows, a, b, c, n0, n1, job->kc, own);
  }
  for (int64_t k0 = 0; k0 < g->k && !as_it_lies; k0 += job->kc) {
    const int64_t kc = g->k - k0 < job->kc ? g->k - k0 : job->kc;
    float *const packed = job->shared ? job->shared + k0 * job->mc : own;
    float *const fresh = job->shared ? own : own + job->mc * kc; /* direct: the current panel of B */
    if (!job->shared && !lies)
      TEN_K(gemm_pack_block)(m1 - m0, kc, a + m0 * g->a_row + k0 * g->a_col, g->a_row, g->a_col, packed);
    for (int64_t n = n0, width; n < n1; n += width) {
      width = gemm_width(g->n, n);
      const int columns = gemm_columns(g->n, n);
      const float *panel = g->direct ? fresh : b + n * g->k + k0 * width;
      if (g->direct) TEN_K(gemm_pack_panel)(kc, columns, b + k0 * g->b_row + n * g->b_col, g->b_row, g->b_col, fresh);
      /* prefetch the next panel, the first one of the next slice, or of the thread's probable next task */
      const bool right = n + width < n1, below = !right && k0 + kc < g->k;
      const int64_t next_n = right   ? n + width
                             : below ? n0
                                     : block_at(job, likely),
                    next_k = right   ? k0
                             : below ? k0 + kc
                                     : 0;
      const float *next =
          b + (g->direct ? next_n * g->b_col + next_k * g->b_row : next_n * g->k + next_k * gemm_width(g->n, next_n));
      for (int64_t m = m0, rows; m < m1; m += rows) {
        rows = m1 - m <= GEMM_MR_MOST ? m1 - m : GEMM_MR;
        const int64_t tile = (m - m0) / GEMM_MR;
        const gemm_ahead ahead = g->direct ? share_lying(g, next, tile)
                                           : TEN_K(gemm_share)(next, tile, (m1 - m0 + GEMM_MR - 1) / GEMM_MR, kc);
        TEN_K(gemm_tile)((int)rows, columns, kc, lies ? a + m * g->a_row + k0 : packed + (m - m0) * kc,
                         lies ? g->a_row : 0, panel, c + m * ldc + n, ldc, k0 > 0 || g->accumulate, ahead);
      }
    }
  }
  if (g->epilogue)
    g->epilogue(g->epilogue_context, c + m0 * ldc + n0, ldc, batch * g->m + m0, batch * g->m + m1, n0, n1);
}

/* Packs some rows of one k slice of A, where gemm_task expects them. */
static void pack_task(void *context, int64_t index, unsigned thread) {
  (void)thread;
  const gemm_job *job = context;
  const ten_gemm *g = job->gemm;
  const int64_t k0 = index / PACK_PARTS * job->kc, kc = g->k - k0 < job->kc ? g->k - k0 : job->kc;
  const int64_t panels = blocks(g->m, GEMM_MR), part = index % PACK_PARTS;
  const int64_t begin = panels * part / PACK_PARTS * GEMM_MR, stop = panels * (part + 1) / PACK_PARTS * GEMM_MR;
  TEN_K(gemm_pack_block)((stop < g->m ? stop : g->m) - begin, kc, g->a + begin * g->a_row + k0 * g->a_col, g->a_row,
                         g->a_col, job->shared + k0 * job->mc + begin * kc);
}

#if defined(__AVX2__)
static int64_t small_pitch(const ten_gemm *g) { return g->tile ? whole_panels(g->n) + LINE : g->ldc; }

/* Whether L2 holds B: tiles then read it as fast as packed, and the calls around the micro-kernel would count. */
static bool is_small(const ten_gemm *g) {
  enum { B_MOST = 1 << 16, C_MOST = 1 << 16 };
  return g->direct && g->b_col == 1 && g->n % VL == 0 && g->b_row >= g->n && g->k * g->b_row <= B_MOST && g->k > 0 &&
         g->m * g->n <= C_MOST && g->batch <= 1 && !g->overlap_count && in_place(g) && !few(g) &&
         (!g->tile || g->m * small_pitch(g) <= tile_size(g));
}

/* Some rows of C, which stay in L2 for the epilogue. */
static void small_task(void *context, int64_t index, unsigned thread) {
  (void)thread;
  const gemm_job *job = context;
  const ten_gemm *g = job->gemm;
  const int64_t m0 = index * job->mc, m1 = m0 + job->mc < g->m ? m0 + job->mc : g->m;
  ten_gemm rows = *g;
  rows.m = m1 - m0;
  rows.a += m0 * g->a_row;
  float *const c = (g->tile ? (float *)g->scratch : g->c) + m0 * job->ldc;
  TEN_K(gemm_small)(&rows, c, job->ldc);
  if (g->epilogue) g->epilogue(g->epilogue_context, c, job->ldc, m0, m1, 0, g->n);
}

static void run_small(const ten_gemm *g, ten_pool *pool) {
  const unsigned threads = ten_pool_threads(pool);
  const int64_t panels = blocks(g->m, GEMM_MR), per = threads > 1 ? blocks(panels, (int64_t)threads * 4) : panels;
  gemm_job job = {.gemm = g, .mc = per * GEMM_MR, .ldc = small_pitch(g)};
  ten_pool_run(pool, small_task, &job, blocks(g->m, job.mc));
}
#endif

void TEN_K(gemm_run)(const ten_gemm *gemm, ten_pool *pool) {
  if (gemm->m <= 0 || gemm->n <= 0) return;
  if (!gemm->overlap_count && gemm_is_small(gemm)) pool = NULL;
#if defined(__AVX512F__)
  if (gemm->split && TEN_K(gemm_splits)(gemm)) {
    TEN_K(gemm_split_run)(gemm, pool);
    return;
  }
#endif
#if defined(__AVX2__)
  if (is_small(gemm)) {
    run_small(gemm, pool);
    return;
  }
#endif
  gemm_job job = job_of(gemm, ten_pool_threads(pool));
  if (job.shared) ten_pool_run(pool, pack_task, &job, blocks(gemm->k, job.kc) * PACK_PARTS);
  ten_pool_run(pool, gemm_task, &job, gemm->overlap_count + task_count(&job));
}
