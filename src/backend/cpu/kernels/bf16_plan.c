/* bf16_plan.c: plans a bf16 matmul: how A is written as rows, and which rows and panels form a task. */
#include "backend/cpu/kernels/bf16_job.h"

enum {
  CHUNK = 8 * BF16_ROWS,
  CHUNK_BYTES = 1 << 20 /* maximum of A in a task: stays in L2 */,
  GROUP_BYTES = 1 << 19 /* of B, likewise */,
  WINDOW_BYTES = 3 << 17 /* of a task's window of an image, likewise */,
  FAR_ROWS = 1024 /* row stride in elements, or a multiple, where copying pays */,
  COPIED_PANELS = 4 /* that must use a copy */
};

/* Whether there is less memory traffic if each group of panels multiplies all rows: rows are then read once per group,
 * panels once; otherwise panels are read once per chunk of rows. What fits in a cache is read once. */
static bool saves_by_groups(const bf16_job *job, int64_t groups) {
  const int64_t chunks = job->images * job->chunks, a = job->images * job->rows * job->row_stride * 2,
                b = job->panels * job->panel_size * 2;
  if (job->patches || job->b_image || job->rows == 1) return false; /* patches would be rewritten */
  return (b > NEAR_BYTES ? b * chunks : b) + a > (a > NEAR_BYTES ? a * groups : a) + b;
}

/* The first rows of a group wait for all of its panels: with few rows, use few panels. */
static int64_t panels_together(const bf16_job *job) {
  const int64_t most = job->chunk >= GROUP * BF16_ROWS || job->rows == 1 ? GROUP : 2;
  const int64_t near = GROUP_BYTES / (job->panel_size * 2);
  return near < 1 ? 1 : near > most ? most : near;
}

/* A task computes some rows of an image, with its own window. Neighbouring windows overlap: they are not used if the
 * overlap is large, tasks are few, panels are read by groups, or all images fit in cache anyway. */
static void plan_window(bf16_job *job, unsigned threads) {
  enum { TASKS = 16, LEAST_TASKS = 4 }; /* per thread */
  const ten_conv2d *c = job->conv;
  const image *i = &job->shape;
  if (!c || job->in_place || job->joined || job->by_groups || c->n < 1 || c->oh < 1 || c->ow < 1) return;
  if (c->stride_h == 1 && job->images * job->image_stride * 2 <= 2 * NEAR_BYTES) return;
  const int64_t reach = i->h - c->oh, least = 2 * reach > 1 ? 2 * reach : 1;
  const int64_t most = WINDOW_BYTES / (i->phases_h * i->phases_w * i->w * i->pixel * 2) - reach;
  if (most < least || c->oh < least) return;
  int64_t rows = c->oh / ((TASKS * (int64_t)threads + job->images - 1) / job->images);
  rows = rows < least ? least : rows > most ? most : rows;
  const int64_t chunks = (c->oh + rows - 1) / rows;
  rows = (c->oh + chunks - 1) / chunks; /* evenly */
  if (threads > 1 && job->images * chunks < LEAST_TASKS * (int64_t)threads) return;
  job->window = rows + reach;
  job->chunk = rows * job->wide;
  job->chunks = (c->oh + rows - 1) / rows;
  job->together = panels_together(job);
  job->group = job->panels;
}

/* Even blocks, so that none has few rows and takes as long as a full one. */
static int64_t block_rows(int64_t rows) {
  const int64_t blocks = (rows + BF16_ROWS - 1) / BF16_ROWS;
  return blocks > 0 ? round_up((rows + blocks - 1) / blocks, 2) : BF16_ROWS;
}

/* Rows are split last: a panel of B is read once per chunk of rows. */
static void plan_tasks(bf16_job *job, unsigned threads) {
  const int64_t wanted = threads > 1 ? (int64_t)threads * 4 : 1;
  job->panels = (job->n + BF16_COLUMNS - 1) / BF16_COLUMNS;
  job->chunk = CHUNK_BYTES / (job->row_stride * 2) / BF16_ROWS * BF16_ROWS;
  job->chunk = job->chunk < 2 * BF16_ROWS ? 2 * BF16_ROWS : job->chunk > CHUNK ? CHUNK : job->chunk;
  while (job->chunk > BF16_ROWS && job->images * ((job->rows + job->chunk - 1) / job->chunk) * job->panels < wanted)
    job->chunk = round_up(job->chunk / 2, BF16_ROWS);
  job->chunks = (job->rows + job->chunk - 1) / job->chunk;
  if (job->chunks) job->chunk = round_up((job->rows + job->chunks - 1) / job->chunks, BF16_ROWS); /* evenly */
  job->together = panels_together(job);
  const int64_t tasks = job->images * job->chunks;
  job->group = tasks < wanted ? job->panels / ((wanted + tasks - 1) / (tasks ? tasks : 1)) : job->panels;
  int64_t near_group = GROUP_BYTES / (job->panel_size * 2);
  if (near_group > job->group) near_group = job->group;
  if (near_group < 1) near_group = 1;
  job->by_groups = saves_by_groups(job, (job->panels + near_group - 1) / near_group);
  if (job->by_groups) job->group = near_group;
  if (job->joined && !job->by_groups && job->image_stride * 2 > NEAR_BYTES) job->patches = true;
  if (job->group > job->together) job->group -= job->group % job->together; /* panels are also prefetched together */
  if (job->group < 1) job->group = 1;
  plan_window(job, threads);
  job->groups = (job->panels + job->group - 1) / job->group;
  job->height = block_rows(job->chunk < job->rows ? job->chunk : job->rows);
  const int64_t served = job->together < job->panels ? job->together : job->panels;
  job->copies = job->in_place && job->rows > 1 && job->row_stride % FAR_ROWS == 0 && served >= COPIED_PANELS;
  job->far_rows = job->in_place && job->rows > 1 && job->row_stride == job->blocks * BF16_K &&
                  job->images * job->rows * job->row_stride * 2 > NEAR_BYTES;
  job->offset_bytes = (size_t)round_up(job->blocks * (int64_t)sizeof(int64_t), 64) * (job->shape.together ? 2 : 1);
  const int64_t after = BF16_ROWS + job->shape.shared;
  job->a_bytes = (size_t)round_up((job->images * job->image_stride + after * job->row_stride + BF16_K) * 2, 64);
  if (job->in_place || job->patches || job->window) job->a_bytes = 0;
}

int64_t TEN_K(bf16_copied_row)(const bf16_job *job) { return job->blocks * BF16_K + BF16_APART; }

/* Bytes of patches of some rows, where those are needed after all. */
size_t TEN_K(bf16_taps_bytes)(const bf16_job *job) {
  return job->shape.together ? (size_t)(BF16_ROWS * job->blocks * BF16_K * 2) : 0;
}

size_t TEN_K(bf16_last_bytes)(const bf16_job *job) {
  const image *i = &job->shape;
  if (job->window) { /* and what a block reads past its end */
    const int64_t pixels = i->phases_h * i->phases_w * job->window * i->w, after = BF16_ROWS + i->w;
    return (size_t)round_up((pixels * i->pixel + after * job->row_stride + BF16_K) * 2, 64) +
           TEN_K(bf16_taps_bytes)(job);
  }
  if (i->together) return TEN_K(bf16_taps_bytes)(job);
  if (job->in_place) return (size_t)(BF16_ROWS * TEN_K(bf16_copied_row)(job) * 2);
  return job->patches ? (size_t)round_up((job->chunk * job->row_stride + BF16_PATCH) * 2, 64) : 0;
}

bf16_job TEN_K(bf16_gemm_job)(const ten_gemm *g, unsigned threads) {
  const int64_t k = round_up(g->k, BF16_K), rows = round_up(g->m, BF16_ROWS);
  bf16_job job = {.form = g->form,
                  .gemm = g,
                  .b = (const uint16_t *)g->b,
                  .blocks = k / BF16_K,
                  .row_stride = k,
                  .images = g->batch > 1 ? g->batch : 1,
                  .image_stride = rows * k,
                  .rows = g->m,
                  .wide = 1,
                  .kept = 1,
                  .pixels = g->m,
                  .n = g->n,
                  .panel_size = k * BF16_COLUMNS,
                  .b_image = g->b_batch,
                  .c = g->c,
                  .ldc = g->ldc,
                  .first_row = g->first_row,
                  .epilogue = g->epilogue,
                  .epilogue_context = g->epilogue_context,
                  .out = g->out,
                  .out_bytes = g->out_bytes,
                  .also = g->also,
                  .also_count = g->also_count,
                  .also_bytes = g->also_bytes};
  if (g->narrow && g->a_col == 1 && k == g->k) {
    job.in_place = true;
    job.a = (uint16_t *)g->a;
    job.row_stride = g->a_row;
    job.image_stride = g->a_batch;
  }
  plan_tasks(&job, threads);
  return job;
}

/* One tap, without padding. */
static bool is_pointwise(const ten_conv2d *c) {
  return c->kh == 1 && c->kw == 1 && !c->pad_top && !c->pad_left && (c->oh - 1) * c->stride_h < c->h &&
         (c->ow - 1) * c->stride_w < c->w;
}

static bool takes_all(const ten_conv2d *c) {
  return c->stride_h == 1 && c->stride_w == 1 && c->oh == c->h && c->ow == c->w;
}

bf16_job TEN_K(bf16_conv_job)(const ten_conv2d *c, unsigned threads) {
  const image i = image_of(c);
  bf16_job job = {.form = c->form,
                  .conv = c,
                  .shape = i,
                  .b = (const uint16_t *)c->kernel,
                  .blocks = i.k / BF16_K,
                  .images = c->n,
                  .pixels = c->oh * c->ow,
                  .n = c->co,
                  .panel_size = i.k * BF16_COLUMNS,
                  .c = c->y,
                  .ldc = c->co,
                  .epilogue = c->epilogue,
                  .epilogue_context = c->epilogue_context,
                  .out = c->out,
                  .out_bytes = c->out_bytes,
                  .also = c->also,
                  .also_count = c->also_count,
                  .also_bytes = c->also_bytes};
  job.in_place = c->narrow && is_pointwise(c) && takes_all(c) && i.k == c->ci;
  job.patches = i.patches;
  job.joined = i.patches || (is_pointwise(c) && !i.together);
  if (job.joined) {
    job.images = 1;
    job.pixels = job.rows = c->n * c->oh * c->ow;
    job.wide = job.kept = 1;
    job.row_stride = job.in_place ? c->ci : i.patches ? i.k : i.pixel;
    job.image_stride = job.in_place || i.patches ? 0 : job.rows * i.pixel;
    if (job.in_place) job.a = (uint16_t *)c->x;
  } else {
    job.row_stride = i.pixel * (i.together ? c->stride_w : 1);
    job.wide = i.together ? i.w / c->stride_w : i.w;
    job.rows = (c->oh - 1) * job.wide + c->ow;
    job.kept = c->ow;
    job.image_stride = i.phases_h * i.phases_w * i.h * i.w * i.pixel;
  }
  plan_tasks(&job, threads);
  return job;
}

size_t TEN_K(bf16_job_scratch)(const bf16_job *job, unsigned threads) {
  return job->offset_bytes + job->a_bytes + threads * (GROUP * TILE * sizeof(float) + TEN_K(bf16_last_bytes)(job));
}

void TEN_K(bf16_job_place)(bf16_job *job, void *scratch, unsigned threads) {
  job->offsets = scratch;
  char *const after = (char *)scratch + job->offset_bytes;
  if (!job->in_place) job->a = (uint16_t *)after;
  job->tiles = (float *)(after + job->a_bytes);
  job->last = (uint16_t *)(job->tiles + (int64_t)threads * GROUP * TILE);
  job->plain = job->offsets + (job->shape.together ? job->offset_bytes / 2 / sizeof *job->plain : 0);
  for (int64_t i = 0; i < job->blocks; i++) job->offsets[i] = job->plain[i] = i * BF16_K;
}
