/* bf16.c: drives the kernels of bf16.h: writes A as rows of bf16 (a matrix is converted; a convolution's input becomes
 * a padded image, one per phase of the stride, so that its output pixels are rows at one stride too: all of it, or a
 * window per task, which stays in cache; with few channels, patches of pixels, chunk by chunk, or the image itself,
 * where the taps of a row are contiguous), then computes chunks of rows by groups of panels: 32 rows by a group at a
 * time, passed to the epilogue together, so that it reads and writes long runs. Pixels between the end of an image row
 * and the start of the next are computed and discarded. */
#include "backend/cpu/kernels/bf16_job.h"

/* How many of an image's first rows are valid. */
static int64_t counting(const bf16_job *job, int64_t rows) {
  const int64_t rest = rows % job->wide;
  return rows / job->wide * job->kept + (rest < job->kept ? rest : job->kept);
}

enum { LINE = 64 };

static void ask_for_bytes(const char *from, int64_t bytes, const bool to_write) {
  for (int64_t at = 0; at < bytes; at += LINE)
    if (to_write)
      __builtin_prefetch(from + at, 1, 3);
    else
      __builtin_prefetch(from + at, 0, 2);
}

/* Prefetches for writing the rows that the epilogue will write, and its other inputs. */
static void ask_for_rows(const bf16_job *job, int64_t first, int64_t count, int64_t n0, int64_t n1) {
  for (int64_t m = first; m < first + count; m++) {
    const int64_t at = m * job->n + n0;
    for (int i = 0; i < job->also_count; i++)
      if (job->also[i] != job->out) /* what is updated in place is prefetched for writing */
        ask_for_bytes((const char *)job->also[i] + at * job->also_bytes, (n1 - n0) * job->also_bytes, false);
    if (job->out) ask_for_bytes(job->out + at * job->out_bytes, (n1 - n0) * job->out_bytes, true);
  }
}

/* Stores rows [v0, v0 + rows) of columns [n0, n1) from the tile to the output; the first of them is row `first`. The
 * epilogue takes some at a time, and in between prefetches as many of the rows that `follow`: all of them at once would
 * delay the current reads. */
static void put_rows(const bf16_job *job, int64_t first, int64_t v0, int64_t rows, int64_t n0, int64_t n1, float *tile,
                     bool follow) {
  enum { SOME = 1024 /* elements */, FEWEST = 4 };
  int64_t x = v0 % job->wide, count = 0;
  const size_t bytes = (size_t)(n1 - n0) * sizeof *tile;
  float *c = job->c ? job->c + first * job->ldc + n0 : tile;
  const int64_t ldc = job->c ? job->ldc : WIDE;
  for (int64_t r = 0; r < rows; r++) {
    if (x < job->kept) {
      if (c + count * ldc != tile + r * WIDE) memcpy(c + count * ldc, tile + r * WIDE, bytes);
      count++;
    }
    if (++x == job->wide) x = 0;
  }
  if (!job->epilogue) return;
  const int64_t some = !follow ? rows : SOME / (n1 - n0) > FEWEST ? SOME / (n1 - n0) : FEWEST;
  for (int64_t r = 0; r < count; r += some) {
    const int64_t end = r + some < count ? r + some : count, at = job->first_row + first;
    if (follow) ask_for_rows(job, at + count + r, end - r, n0, n1);
    job->epilogue(job->epilogue_context, c + r * ldc, ldc, at + r, at + end, n0, n1);
  }
}

static void copy_rows(const bf16_job *job, const uint16_t *from, int64_t rows, uint16_t *to) {
  for (int64_t r = 0; r < rows; r++)
    memcpy(to + r * TEN_K(bf16_copied_row)(job), from + r * job->row_stride,
           (size_t)(job->blocks * BF16_K) * sizeof *to);
}

/* Cache lines of one k block of a panel. */
enum { PANEL_LINES = BF16_STEP * 2 / LINE };

/* The work of one task. */
typedef struct bf16_part {
  int64_t image, v_begin, v_end, p_begin, p_end;
  int64_t p_next;            /* start of the thread's probable next task; none: past the panels */
  const uint16_t *a_next;    /* likewise; NULL: none */
  const uint16_t *a;         /* row v_begin */
  const ten_bf16_form *form; /* for the blocks */
  uint16_t *last, *taps;
  float *tile;
  bool wild;  /* its window has non-finite elements */
  bool alone; /* the core's other hyper-thread is idle: the epilogue's memory needs no prefetch */
} bf16_part;

/* The rows after v to prefetch while these rows multiply panels [p0, p1): during the first panels of a task, its next
 * rows; during its last rows and panels, those of the next task. */
static const uint16_t *rows_ahead(const bf16_job *job, const bf16_part *part, int64_t v, bool first, bool last) {
  if (!job->far_rows) return NULL;
  const int64_t next = v + job->height;
  if (next >= part->v_end) return last ? part->a_next : NULL;
  return first ? part->a + (next - part->v_begin) * job->row_stride : NULL;
}

/* The share of panel `index` of `panels` in prefetching rows from `next` on. */
static ten_bf16_lines lines_of_rows(const bf16_job *job, const uint16_t *next, int64_t index, int64_t panels) {
  if (!next) return (ten_bf16_lines){0};
  const int64_t each = (job->height + panels - 1) / panels, before = index * each;
  const int64_t left = job->height > before ? job->height - before : 0;
  return (ten_bf16_lines){(const char *)next + before * job->blocks * LINE, (int)(left < each ? left : each)};
}

/* Multiplies up to one block of rows from v on by panels [p0, p1). */
static void product_rows(const bf16_job *job, const bf16_part *part, int64_t v, int64_t p0, int64_t p1) {
  const int64_t rows = part->v_end - v < job->height ? part->v_end - v : job->height;
  const int64_t tiles = (part->v_end - part->v_begin + job->height - 1) / job->height;
  const int64_t index = (v - part->v_begin) / job->height, lines = (PANEL_LINES + tiles - 1) / tiles;
  const int64_t n0 = p0 * BF16_COLUMNS, n1 = p1 * BF16_COLUMNS < job->n ? p1 * BF16_COLUMNS : job->n;
  const int64_t first = part->image * job->pixels + counting(job, v);
  const uint16_t *a = part->a + (v - part->v_begin) * job->row_stride;
  const int64_t *offsets = job->offsets;
  int64_t stride = job->row_stride;
  if (job->wild || part->wild) {
    TEN_K(bf16_copy_taps)(job, a, rows, part->taps);
    a = part->taps;
    stride = job->blocks * BF16_K;
    offsets = job->plain;
  } else if (job->copies || (job->in_place && rows < job->height)) {
    if (job->copies || p0 == part->p_begin) copy_rows(job, a, rows, part->last);
    a = part->last;
    stride = TEN_K(bf16_copied_row)(job);
  }
  if (v == part->v_begin && !part->alone)
    ask_for_rows(job, job->first_row + first, counting(job, v + rows) - counting(job, v), n0, n1);
  const uint16_t *b = job->b + part->image * job->b_image + p0 * job->panel_size;
  const uint16_t *next = rows_ahead(job, part, v, p0 == part->p_begin, p1 == part->p_end);
  int64_t panel = p0;
  for (; job->rows == 1 && panel + ROW_PANELS <= p1; panel += ROW_PANELS, b += ROW_PANELS * job->panel_size)
    TEN_K(bf16_row)(a, offsets, job->blocks, b, job->panel_size, part->tile + (panel - p0) * BF16_COLUMNS);
  for (; panel < p1; panel++, b += job->panel_size) {
    ten_bf16_ahead ahead = {.soon = true, .far_a = job->a_bytes > NEAR_BYTES};
    const int64_t later = p1 < part->p_end ? panel + p1 - p0 : part->p_next + panel - p0;
    if (later < job->panels && index * lines < PANEL_LINES) {
      ahead.panel.at = (const char *)(b + (later - panel) * job->panel_size) + index * lines * job->blocks * LINE;
      ahead.panel.count = (int)lines;
    }
    ahead.rows = lines_of_rows(job, next, panel - p0, p1 - p0);
    part->form->block(a, stride, offsets, job->blocks, b, (int)rows, part->tile + (panel - p0) * BF16_COLUMNS, WIDE,
                      ahead);
  }
  put_rows(job, first, v, rows, n0, n1, part->tile, !part->alone && v + job->height < part->v_end);
}

/* The first group of a thread's probable next task, by the pool's schedule: from the front, or from the back. If it is
 * the current one, or there is none: past the last. */
static int64_t next_group(const bf16_job *job, int64_t group, int64_t place, bool backwards) {
  const int64_t last = backwards ? 0 : job->images * job->chunks - 1, step = backwards ? job->groups - 1 : 1;
  return job->groups == 1 || (job->by_groups && place != last) ? job->groups : (group + step) % job->groups;
}

/* The rows of a task: chunks of one image, then those of the next. */
static int64_t place_of(const bf16_job *job, int64_t index) {
  return job->by_groups ? index % (job->images * job->chunks) : index / job->groups;
}

static const uint16_t *rows_at(const bf16_job *job, int64_t place) {
  return job->a + place / job->chunks * job->image_stride + place % job->chunks * job->chunk * job->row_stride;
}

static void product_task(void *context, int64_t index, unsigned thread) {
  const bf16_job *job = context;
  const int64_t all = job->images * job->chunks, place = place_of(job, index), chunk = place % job->chunks;
  const int64_t group = job->by_groups ? index / all : index % job->groups;
  const int64_t next = place_of(job, ten_pool_next(index, all * job->groups, thread));
  bf16_part part = {.image = place / job->chunks,
                    .v_begin = chunk * job->chunk,
                    .tile = job->tiles + (int64_t)thread * GROUP * TILE,
                    .last = (uint16_t *)((char *)job->last + TEN_K(bf16_last_bytes)(job) * thread)};
  part.v_end = part.v_begin + job->chunk < job->rows ? part.v_begin + job->chunk : job->rows;
  part.p_begin = group * job->group;
  part.p_end = part.p_begin + job->group < job->panels ? part.p_begin + job->group : job->panels;
  part.p_next = next_group(job, group, place, thread % 2) * job->group;
  part.a = rows_at(job, place);
  part.a_next = next == place ? NULL : rows_at(job, next);
  if (job->patches) {
    TEN_K(bf16_write_patches)(job, part.v_begin, part.v_end, part.last);
    part.a = part.last;
  } else if (job->window) {
    part.wild = TEN_K(bf16_write_window)(job, part.image, part.v_begin / job->wide, part.last);
    part.a = part.last;
  }
  part.taps = (uint16_t *)((char *)part.last + TEN_K(bf16_last_bytes)(job) - TEN_K(bf16_taps_bytes)(job));
  /* A single row is memory bound: plain vectors keep up, and read no rows of A beyond the end. */
  part.form = job->rows == 1 ? &TEN_K(bf16_portable) : job->form;
  part.alone = part.form->begin && part.form->begin((int)job->height);
  for (int64_t p0 = part.p_begin; p0 < part.p_end; p0 += job->together) {
    const int64_t p1 = p0 + job->together < part.p_end ? p0 + job->together : part.p_end;
    for (int64_t v = part.v_begin; v < part.v_end; v += job->height) product_rows(job, &part, v, p0, p1);
  }
  if (part.form->end) part.form->end();
}

/* One task: converts up to 32 rows of A. */
static void convert_task(void *context, int64_t index, unsigned thread) {
  (void)thread;
  const bf16_job *job = context;
  const ten_gemm *g = job->gemm;
  const int64_t per = (g->m + BF16_ROWS - 1) / BF16_ROWS, batch = index / per, m0 = index % per * BF16_ROWS;
  const int64_t m1 = m0 + BF16_ROWS < g->m ? m0 + BF16_ROWS : g->m;
  uint16_t *to = job->a + batch * job->image_stride + m0 * job->row_stride;
  for (int64_t m = m0; m < m1; m++, to += job->row_stride) {
    const void *from = element(g->a, g->narrow, batch * g->a_batch + m * g->a_row);
    if (g->a_col == 1)
      convert(from, g->narrow, g->k, to);
    else
      for (int64_t k = 0; k < g->k; k++) to[k] = bf16_at(from, g->narrow, k * g->a_col);
    memset(to + g->k, 0, (size_t)(job->row_stride - g->k) * sizeof *to);
  }
}

/* One task: writes one row of one phase of one image. */
static void image_task(void *context, int64_t index, unsigned thread) {
  (void)thread;
  bf16_job *job = context;
  const image *i = &job->shape;
  const int64_t phases = i->phases_h * i->phases_w, numbers = i->w * i->pixel;
  uint16_t *row = job->a + index * numbers;
  TEN_K(bf16_write_row)(job, index / i->h / phases, index / i->h % phases, index % i->h, row);
  if (i->together && TEN_K(bf16_has_wild)(row, numbers)) __atomic_store_n(&job->wild, true, __ATOMIC_RELAXED);
}

size_t TEN_K(bf16_gemm_scratch)(const ten_gemm *gemm, unsigned threads) {
  const bf16_job job = TEN_K(bf16_gemm_job)(gemm, 1);
  return TEN_K(bf16_job_scratch)(&job, threads);
}

void TEN_K(bf16_gemm_run)(const ten_gemm *gemm, ten_pool *pool) {
  if (gemm->m <= 0 || gemm->n <= 0) return;
  if (gemm_is_small(gemm)) pool = NULL;
  bf16_job job = TEN_K(bf16_gemm_job)(gemm, ten_pool_threads(pool));
  TEN_K(bf16_job_place)(&job, gemm->scratch, ten_pool_threads(pool));
  if (!job.in_place) ten_pool_run(pool, convert_task, &job, job.images * ((gemm->m + BF16_ROWS - 1) / BF16_ROWS));
  ten_pool_run(pool, product_task, &job, job.images * job.chunks * job.groups);
}

/* Enough for any number of threads up to `threads`. */
size_t TEN_K(bf16_conv_scratch)(const ten_conv2d *conv, unsigned threads) {
  size_t most = 0;
  for (unsigned i = 1; i <= threads; i++) {
    const bf16_job job = TEN_K(bf16_conv_job)(conv, i);
    const size_t bytes = TEN_K(bf16_job_scratch)(&job, i);
    if (bytes > most) most = bytes;
  }
  return most;
}

void TEN_K(bf16_conv_run)(const ten_conv2d *c, ten_pool *pool) {
  bf16_job job = TEN_K(bf16_conv_job)(c, ten_pool_threads(pool));
  const image *i = &job.shape;
  TEN_K(bf16_job_place)(&job, c->scratch, ten_pool_threads(pool));
  if (!job.in_place && !job.patches) {
    const int64_t taps = c->kh * c->kw, height = job.window ? job.window : i->h;
    for (int64_t at = 0; at < job.blocks; at++) { /* a block of channels with all of its taps, for locality */
      const int64_t tap = i->together ? at * c->kw : at % taps, block = i->together ? 0 : at / taps;
      const int64_t y = tap / c->kw * c->dilation_h, x = tap % c->kw * c->dilation_w;
      const int64_t phase = y % c->stride_h * i->phases_w + x % c->stride_w;
      job.offsets[at] = ((phase * height + y / c->stride_h) * i->w + x / c->stride_w) * i->pixel + block * BF16_K;
    }
    if (!job.window) {
      TEN_K(bf16_write_end)(&job, job.a + job.images * job.image_stride);
      ten_pool_run(pool, image_task, &job, c->n * i->phases_h * i->phases_w * i->h);
    }
  }
  ten_pool_run(pool, product_task, &job, job.images * job.chunks * job.groups);
}
