/* bf16.c: drives the forms of bf16.h: brings A into rows of bf16 (a matrix is converted, a convolution's input becomes
 * a padded image, one for each phase of the stride, so that its output pixels are rows at one stride too: all of it, or
 * a window for each task, which stays near; with few channels, patches of pixels, chunk by chunk, or the image as it
 * lies, whose taps lie together in a row), then computes chunks of rows by groups of panels: 32 rows by a group at a
 * time, handed to the epilogue together, so that it reads and writes long runs. Pixels between the end of one image row
 * and the start of the next are computed and dropped. */
#include "cpu/kernels/bf16_rows.h"

enum {
  CHUNK = 8 * BF16_ROWS,
  CHUNK_BYTES = 1 << 20 /* of A in a task, at most: it stays in L2 */,
  GROUP = 8,
  GROUP_BYTES = 1 << 19 /* of B, likewise */,
  WINDOW_BYTES = 3 << 17 /* of a task's window of an image, likewise */,
  NEAR_BYTES = 1 << 20 /* of either, that L2 keeps while the other passes by */,
  FAR_ROWS = 1024 /* numbers from one row to the next, or a multiple, where copying pays */,
  COPIED_PANELS = 4 /* that a copy must serve */,
  TILE = BF16_ROWS * BF16_COLUMNS,
  WIDE = GROUP * BF16_COLUMNS /* columns of a thread's tile */
};

typedef struct bf16_job {
  const ten_bf16_form *form;
  const ten_gemm *gemm;
  const ten_conv2d *conv;
  image shape;
  uint16_t *a;
  const uint16_t *b;
  int64_t *offsets;
  int64_t blocks, row_stride;
  int64_t images, image_stride, rows, wide, kept; /* rows of each image; of every `wide`, the first `kept` count */
  int64_t pixels;                                 /* rows of each image that count */
  int64_t n, panels, panel_size, b_image;
  int64_t chunk, chunks, group, groups; /* rows, and panels, of a task */
  int64_t together;                     /* panels whose sums the epilogue gets in one go, GROUP at most */
  bool by_groups; /* a group of panels meets all rows before the next; else rows meet all groups */
  bool in_place;  /* a is the caller's: its last rows are copied, since whole blocks are read */
  bool copies;    /* all of its rows are, some at a time, since they are too far apart */
  uint16_t *last; /* of each thread: those rows; its patches; or its window */
  int64_t *plain; /* offsets of patches, where `wild` */
  bool wild;      /* the image has numbers that are not finite, which weights of zero do not hide */
  int64_t window; /* rows of each phase of an image in a window; 0: the image is written out for all */
  float *c, *tiles;
  int64_t ldc, first_row;
  char *out; /* where the epilogue of a tile writes, rows of n numbers of out_bytes; NULL: unknown */
  int64_t out_bytes;
  const void *const *also; /* what it reads besides, likewise */
  int also_count;
  int64_t also_bytes;
  ten_epilogue epilogue;
  void *epilogue_context;
  size_t offset_bytes, a_bytes;
} bf16_job;

/* Whether less is fetched from afar where each group of panels meets all rows: they are then read once for every group,
 * the panels once; otherwise the panels once for every chunk of rows. What a cache holds is fetched once. */
static bool saves_by_groups(const bf16_job *job, int64_t groups) {
  const int64_t chunks = job->images * job->chunks, a = job->images * job->rows * job->row_stride * 2,
                b = job->panels * job->panel_size * 2;
  if (job->shape.patches || job->b_image || job->rows == 1) return false; /* patches would be written again */
  return (b > NEAR_BYTES ? b * chunks : b) + a > (a > NEAR_BYTES ? a * groups : a) + b;
}

/* The first rows of a group wait for all of its panels: few rows make up for few of them. */
static int64_t panels_together(const bf16_job *job) {
  const int64_t most = job->chunk >= GROUP * BF16_ROWS || job->rows == 1 ? GROUP : 2;
  const int64_t near = GROUP_BYTES / (job->panel_size * 2);
  return near < 1 ? 1 : near > most ? most : near;
}

/* A task for some rows of an image, with a window of its own. Neighbours write some rows of it twice: there is none
 * where those would be many, or tasks few, or panels are read by groups, or all images are near anyhow. */
static void plan_window(bf16_job *job, unsigned threads) {
  enum { TASKS = 16, LEAST_TASKS = 4 }; /* for each thread */
  const ten_conv2d *c = job->conv;
  const image *i = &job->shape;
  if (!c || job->in_place || i->patches || job->by_groups || c->n < 1 || c->oh < 1 || c->ow < 1) return;
  if (c->stride_h == 1 && job->images * job->image_stride * 2 <= 2 * NEAR_BYTES) return;
  const int64_t reach = i->h - c->oh, least = 2 * reach > 1 ? 2 * reach : 1;
  const int64_t most = WINDOW_BYTES / (i->phases_h * i->phases_w * i->w * i->pixel * 2) - reach;
  if (most < least || c->oh < least) return;
  int64_t rows = c->oh / ((TASKS * (int64_t)threads + job->images - 1) / job->images);
  rows = rows < least ? least : rows > most ? most : rows;
  const int64_t chunks = (c->oh + rows - 1) / rows;
  rows = (c->oh + chunks - 1) / chunks; /* alike */
  if (threads > 1 && job->images * chunks < LEAST_TASKS * (int64_t)threads) return;
  job->window = rows + reach;
  job->chunk = rows * job->wide;
  job->chunks = (c->oh + rows - 1) / rows;
  job->together = panels_together(job);
  job->group = job->panels;
}

/* Rows are split last: a panel of B is read once for each chunk of them. */
static void plan_tasks(bf16_job *job, unsigned threads) {
  const int64_t wanted = threads > 1 ? (int64_t)threads * 4 : 1;
  job->panels = (job->n + BF16_COLUMNS - 1) / BF16_COLUMNS;
  job->chunk = CHUNK_BYTES / (job->row_stride * 2) / BF16_ROWS * BF16_ROWS;
  job->chunk = job->chunk < 2 * BF16_ROWS ? 2 * BF16_ROWS : job->chunk > CHUNK ? CHUNK : job->chunk;
  while (job->chunk > BF16_ROWS && job->images * ((job->rows + job->chunk - 1) / job->chunk) * job->panels < wanted)
    job->chunk = round_up(job->chunk / 2, BF16_ROWS);
  job->chunks = (job->rows + job->chunk - 1) / job->chunk;
  if (job->chunks) job->chunk = round_up((job->rows + job->chunks - 1) / job->chunks, BF16_ROWS); /* alike */
  job->together = panels_together(job);
  const int64_t tasks = job->images * job->chunks;
  job->group = tasks < wanted ? job->panels / ((wanted + tasks - 1) / (tasks ? tasks : 1)) : job->panels;
  int64_t near_group = GROUP_BYTES / (job->panel_size * 2);
  if (near_group > job->group) near_group = job->group;
  if (near_group < 1) near_group = 1;
  job->by_groups = saves_by_groups(job, (job->panels + near_group - 1) / near_group);
  if (job->by_groups) job->group = near_group;
  if (job->group > job->together) job->group -= job->group % job->together; /* panels are asked for together, too */
  if (job->group < 1) job->group = 1;
  plan_window(job, threads);
  job->groups = (job->panels + job->group - 1) / job->group;
  const int64_t served = job->together < job->panels ? job->together : job->panels;
  job->copies = job->in_place && job->rows > 1 && job->row_stride % FAR_ROWS == 0 && served >= COPIED_PANELS;
  job->offset_bytes = (size_t)round_up(job->blocks * (int64_t)sizeof(int64_t), 64) * (job->shape.together ? 2 : 1);
  job->a_bytes = (size_t)round_up((job->images * job->image_stride + BF16_ROWS * job->row_stride + BF16_K) * 2, 64);
  if (job->in_place || job->shape.patches || job->window) job->a_bytes = 0;
}

/* From one copied row to the next. */
static int64_t copied_row(const bf16_job *job) { return job->blocks * BF16_K + BF16_APART; }

/* Patches of some rows, where those are needed after all. */
static size_t taps_bytes(const bf16_job *job) {
  return job->shape.together ? (size_t)(BF16_ROWS * job->blocks * BF16_K * 2) : 0;
}

static size_t last_bytes(const bf16_job *job) {
  const image *i = &job->shape;
  if (job->window) { /* and what a block past its end reads */
    const int64_t pixels = i->phases_h * i->phases_w * job->window * i->w, after = BF16_ROWS + i->w;
    return (size_t)round_up((pixels * i->pixel + after * job->row_stride + BF16_K) * 2, 64) + taps_bytes(job);
  }
  if (i->together) return taps_bytes(job);
  if (!job->in_place && !job->shape.patches) return 0;
  if (job->in_place) return (size_t)(BF16_ROWS * copied_row(job) * 2);
  return (size_t)round_up(job->chunk * job->blocks * BF16_K * 2, 64);
}

static bf16_job gemm_job_of(const ten_gemm *g, unsigned threads) {
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

static bool is_pointwise(const ten_conv2d *c) {
  return c->kh == 1 && c->kw == 1 && c->stride_h == 1 && c->stride_w == 1 && !c->pad_top && !c->pad_left &&
         c->oh == c->h && c->ow == c->w;
}

static bf16_job conv_job_of(const ten_conv2d *c, unsigned threads) {
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
  if (c->narrow && is_pointwise(c) && i.k == c->ci) {
    job.in_place = true;
    job.a = (uint16_t *)c->x;
    job.images = 1;
    job.pixels = job.rows = c->n * c->oh * c->ow;
    job.wide = job.kept = 1;
    job.row_stride = c->ci;
  } else if (i.patches) {
    job.row_stride = i.k;
    job.rows = job.pixels;
    job.wide = job.kept = 1;
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

static size_t scratch_of(const bf16_job *job, unsigned threads) {
  return job->offset_bytes + job->a_bytes + threads * (GROUP * TILE * sizeof(float) + last_bytes(job));
}

static void place(bf16_job *job, void *scratch, unsigned threads) {
  job->offsets = scratch;
  char *const after = (char *)scratch + job->offset_bytes;
  if (!job->in_place) job->a = (uint16_t *)after;
  job->tiles = (float *)(after + job->a_bytes);
  job->last = (uint16_t *)(job->tiles + (int64_t)threads * GROUP * TILE);
  job->plain = job->offsets + (job->shape.together ? job->offset_bytes / 2 / sizeof *job->plain : 0);
  for (int64_t i = 0; i < job->blocks; i++) job->offsets[i] = job->plain[i] = i * BF16_K;
}

/* How many of an image's first rows count. */
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

/* Asks for rows that the epilogue will write, to be written, and for what it reads besides. */
static void ask_for_rows(const bf16_job *job, int64_t first, int64_t count, int64_t n0, int64_t n1) {
  for (int64_t m = first; m < first + count; m++) {
    const int64_t at = m * job->n + n0;
    for (int i = 0; i < job->also_count; i++)
      if (job->also[i] != job->out) /* what is updated in place comes to be written */
        ask_for_bytes((const char *)job->also[i] + at * job->also_bytes, (n1 - n0) * job->also_bytes, false);
    if (job->out) ask_for_bytes(job->out + at * job->out_bytes, (n1 - n0) * job->out_bytes, true);
  }
}

/* Rows [v0, v0 + rows) of columns [n0, n1), out of the tile to where they belong; the first of them is row `first`. The
 * epilogue takes them some at a time, between which memory is asked for as many of the rows that `follow`: all of them
 * at once would keep what is read now waiting. */
static void put_rows(const bf16_job *job, int64_t first, int64_t v0, int64_t rows, int64_t n0, int64_t n1, float *tile,
                     bool follow) {
  enum { SOME = 1024 /* numbers */, FEWEST = 4 };
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
    memcpy(to + r * copied_row(job), from + r * job->row_stride, (size_t)(job->blocks * BF16_K) * sizeof *to);
}

typedef uint16_t patch_vector __attribute__((vector_size(64), aligned(2), may_alias));

/* One patch inside of the image: rows of `taps` numbers, a vector each, whose last numbers the next row writes over;
 * then what k has more than taps. */
ALWAYS_INLINE void write_patch(const uint16_t *from, int64_t row, int64_t rows, int64_t taps, int64_t k, uint16_t *to) {
  for (int64_t i = 0; i + 1 < rows; i++, from += row, to += taps) *(patch_vector *)to = *(const patch_vector *)from;
  convert_few(from, true, taps, to);
  memset(to + taps, 0, (size_t)(k - rows * taps) * sizeof *to);
}

/* The patches of pixels [v0, v1) of one image. */
static void write_patches(const bf16_job *job, int64_t n, int64_t v0, int64_t v1, uint16_t *to) {
  enum { WIDE_PATCH = sizeof(patch_vector) / sizeof(uint16_t) };
  const ten_conv2d *c = job->conv;
  const int64_t k = job->shape.k, taps = c->kw * c->ci, last = c->n * c->h * c->w * c->ci - WIDE_PATCH;
  const bool by_vectors = c->narrow && c->dilation_w == 1 && taps <= WIDE_PATCH && (c->kh - 2) * taps + WIDE_PATCH <= k;
  int64_t oh = v0 / c->ow, ow = v0 % c->ow;
  for (int64_t v = v0; v < v1; v++, to += k) {
    const int64_t left = ow * c->stride_w - c->pad_left, top = oh * c->stride_h - c->pad_top;
    const bool run = c->dilation_w == 1 && left >= 0 && left + c->kw <= c->w; /* a row of taps lies together */
    const int64_t at = ((n * c->h + top) * c->w + left) * c->ci, row = c->dilation_h * c->w * c->ci;
    if (by_vectors && run && top >= 0 && top + (c->kh - 1) * c->dilation_h < c->h && at + (c->kh - 1) * row <= last) {
      write_patch((const uint16_t *)c->x + at, row, c->kh, taps, k, to);
    } else {
      memset(to + c->kh * taps, 0, (size_t)(k - c->kh * taps) * sizeof *to);
      for (int64_t kh = 0; kh < c->kh; kh++) {
        const int64_t ih = top + kh * c->dilation_h, begin = (n * c->h + ih) * c->w;
        uint16_t *taps_to = to + kh * taps;
        const bool inside = ih >= 0 && ih < c->h;
        if (inside && run) {
          convert_few(element(c->x, c->narrow, (begin + left) * c->ci), c->narrow, taps, taps_to);
          continue;
        }
        memset(taps_to, 0, (size_t)taps * sizeof *to);
        for (int64_t kw = 0; kw < c->kw && inside; kw++) {
          const int64_t iw = left + kw * c->dilation_w;
          if (iw >= 0 && iw < c->w)
            convert_few(element(c->x, c->narrow, (begin + iw) * c->ci), c->narrow, c->ci, taps_to + kw * c->ci);
        }
      }
    }
    if (++ow == c->ow) ow = 0, oh++;
  }
}

/* Pixels of few numbers, into as many and zeros. */
static void spread_pixels(const void *from, bool narrow, int64_t ci, int64_t count, int64_t channels, uint16_t *to) {
  const uint16_t *numbers = from;
  int64_t x = 0;
  if (narrow && ci == 3 && channels == 4)
    for (; x + 2 < count; x += 2, numbers += 6, to += 8) {
      const oct two = *(const oct *)numbers;
      *(oct *)to = __builtin_shufflevector(two, (oct){0}, 0, 1, 2, 8, 3, 4, 5, 8);
    }
  for (; x < count; x++, to += channels) {
    for (int64_t k = 0; k < channels; k++) to[k] = k < ci ? bf16_at(from, narrow, x * ci + k) : 0;
  }
}

static bool has_wild(const uint16_t *numbers, int64_t count) {
  enum { EXPONENT = 0x7f80 };
  int found = 0;
  for (int64_t i = 0; i < count; i++) found |= (numbers[i] & EXPONENT) == EXPONENT;
  return found;
}

/* Row y of one phase of an image, with its padding. */
static void write_image_row(const bf16_job *job, int64_t n, int64_t phase, int64_t y, uint16_t *to) {
  const ten_conv2d *c = job->conv;
  const image *i = &job->shape;
  const int64_t ih = y * c->stride_h + phase / i->phases_w - c->pad_top;
  if (ih < 0 || ih >= c->h) {
    memset(to, 0, (size_t)(i->w * i->pixel) * sizeof *to);
    return;
  }
  const void *const row = element(c->x, c->narrow, (n * c->h + ih) * c->w * c->ci);
  const int64_t step = i->together ? 1 : c->stride_w;
  if (step == 1 && c->pad_left >= 0 &&
      (i->together || i->pixel == c->ci)) { /* pixels follow each other as they do in the input */
    const int64_t before = c->pad_left < i->w ? c->pad_left : i->w;
    const int64_t inside = c->w < i->w - before ? c->w : i->w - before, after = i->w - before - inside;
    memset(to, 0, (size_t)(before * i->channels) * sizeof *to);
    if (i->channels == c->ci)
      convert(row, c->narrow, inside * c->ci, to + before * c->ci);
    else
      spread_pixels(row, c->narrow, c->ci, inside, i->channels, to + before * i->channels);
    memset(to + (before + inside) * i->channels, 0, (size_t)(after * i->channels) * sizeof *to);
    return;
  }
  for (int64_t x = 0; x < i->w; x++, to += i->pixel) {
    const int64_t iw = x * step + phase % i->phases_w - c->pad_left;
    const bool inside = iw >= 0 && iw < c->w;
    if (inside) convert(element(row, c->narrow, iw * c->ci), c->narrow, c->ci, to);
    const int64_t filled = inside ? c->ci : 0;
    if (filled < i->channels) memset(to + filled, 0, (size_t)(i->channels - filled) * sizeof *to);
  }
}

/* What a task needs of an image, from row y0 on; whether it has numbers that are not finite, where that matters. */
static bool write_window(const bf16_job *job, int64_t n, int64_t y0, uint16_t *to) {
  const image *i = &job->shape;
  bool wild = false;
  for (int64_t phase = 0; phase < i->phases_h * i->phases_w; phase++)
    for (int64_t y = y0; y < y0 + job->window && y < i->h; y++) {
      uint16_t *row = to + (phase * job->window + y - y0) * i->w * i->pixel;
      write_image_row(job, n, phase, y, row);
      wild |= i->together && has_wild(row, i->w * i->channels);
    }
  return wild;
}

/* Rows of taps, out of the image, without the pixels after them. */
static void copy_taps(const bf16_job *job, const uint16_t *a, int64_t rows, uint16_t *to) {
  const int64_t taps = job->conv->kw * job->shape.channels;
  for (int64_t r = 0; r < rows; r++, a += job->row_stride)
    for (int64_t i = 0; i < job->blocks; i++, to += BF16_K) {
      memcpy(to, a + job->offsets[i], (size_t)taps * sizeof *to);
      memset(to + taps, 0, (size_t)(BF16_K - taps) * sizeof *to);
    }
}

/* Lines of memory that one block of k of a panel takes. */
enum { PANEL_LINES = BF16_STEP * 2 / 64 };

/* What a task works on. */
typedef struct bf16_part {
  int64_t image, v_begin, v_end, p_end;
  int64_t p_next;            /* where the thread's next task begins, likely; none: past the panels */
  const uint16_t *a;         /* row v_begin */
  const ten_bf16_form *form; /* of the blocks */
  uint16_t *last, *taps;
  float *tile;
  bool wild; /* its window is */
} bf16_part;

/* Up to 32 rows from v on, by panels [p0, p1). */
static void product_rows(const bf16_job *job, const bf16_part *part, int64_t v, int64_t p0, int64_t p1, bool copied) {
  const int64_t rows = part->v_end - v < BF16_ROWS ? part->v_end - v : BF16_ROWS;
  const int64_t tiles = (part->v_end - part->v_begin + BF16_ROWS - 1) / BF16_ROWS;
  const int64_t index = (v - part->v_begin) / BF16_ROWS, lines = (PANEL_LINES + tiles - 1) / tiles;
  const int64_t n0 = p0 * BF16_COLUMNS, n1 = p1 * BF16_COLUMNS < job->n ? p1 * BF16_COLUMNS : job->n;
  const int64_t first = part->image * job->pixels + counting(job, v);
  const uint16_t *a = part->a + (v - part->v_begin) * job->row_stride;
  const int64_t *offsets = job->offsets;
  int64_t stride = job->row_stride;
  if (job->wild || part->wild) {
    copy_taps(job, a, rows, part->taps);
    a = part->taps;
    stride = job->blocks * BF16_K;
    offsets = job->plain;
  } else if (job->copies || (job->in_place && rows < BF16_ROWS)) {
    if (job->copies || !copied) copy_rows(job, a, rows, part->last);
    a = part->last;
    stride = copied_row(job);
  }
  if (v == part->v_begin) ask_for_rows(job, job->first_row + first, counting(job, v + rows) - counting(job, v), n0, n1);
  const uint16_t *b = job->b + part->image * job->b_image + p0 * job->panel_size;
  const bool far_b = job->panels * job->panel_size * 2 > NEAR_BYTES;
  int64_t panel = p0;
  for (; job->rows == 1 && panel + ROW_PANELS <= p1; panel += ROW_PANELS, b += ROW_PANELS * job->panel_size)
    TEN_K(bf16_row)(a, offsets, job->blocks, b, job->panel_size, part->tile + (panel - p0) * BF16_COLUMNS);
  for (; panel < p1; panel++, b += job->panel_size) {
    ten_bf16_ahead ahead = {.soon = true, .far_a = job->a_bytes > NEAR_BYTES, .far_b = far_b};
    const int64_t later = p1 < part->p_end ? panel + p1 - p0 : part->p_next + panel - p0;
    if (later < job->panels && index * lines < PANEL_LINES) {
      ahead.at = (const char *)(b + (later - panel) * job->panel_size) + index * lines * job->blocks * 64;
      ahead.lines = (int)lines;
    }
    part->form->block(a, stride, offsets, job->blocks, b, (int)rows, part->tile + (panel - p0) * BF16_COLUMNS, WIDE,
                      ahead);
  }
  put_rows(job, first, v, rows, n0, n1, part->tile, v + BF16_ROWS < part->v_end);
}

/* Which group a thread's next task begins with, likely, as the pool shares out: from the front, or from the back. One
 * that it has at hand, or none: after the last. */
static int64_t next_group(const bf16_job *job, int64_t group, int64_t place, bool backwards) {
  const int64_t last = backwards ? 0 : job->images * job->chunks - 1, step = backwards ? job->groups - 1 : 1;
  return job->groups == 1 || (job->by_groups && place != last) ? job->groups : (group + step) % job->groups;
}

static void product_task(void *context, int64_t index, unsigned thread) {
  const bf16_job *job = context;
  const int64_t rows_of_all = job->images * job->chunks;
  const int64_t group = job->by_groups ? index / rows_of_all : index % job->groups,
                place = job->by_groups ? index % rows_of_all : index / job->groups, chunk = place % job->chunks;
  bf16_part part = {.image = place / job->chunks,
                    .v_begin = chunk * job->chunk,
                    .tile = job->tiles + (int64_t)thread * GROUP * TILE,
                    .last = (uint16_t *)((char *)job->last + last_bytes(job) * thread)};
  part.v_end = part.v_begin + job->chunk < job->rows ? part.v_begin + job->chunk : job->rows;
  const int64_t p_begin = group * job->group;
  part.p_end = p_begin + job->group < job->panels ? p_begin + job->group : job->panels;
  part.p_next = next_group(job, group, place, thread % 2) * job->group;
  part.a = job->a + part.image * job->image_stride + part.v_begin * job->row_stride;
  if (job->shape.patches) {
    write_patches(job, part.image, part.v_begin, part.v_end, part.last);
    part.a = part.last;
  } else if (job->window) {
    part.wild = write_window(job, part.image, part.v_begin / job->wide, part.last);
    part.a = part.last;
  }
  part.taps = (uint16_t *)((char *)part.last + last_bytes(job) - taps_bytes(job));
  /* A single row waits for memory alone: plain vectors keep up with it, and read no more of A than there is. */
  part.form = job->rows == 1 ? &TEN_K(bf16_portable) : job->form;
  if (part.form->begin) part.form->begin();
  for (int64_t p0 = p_begin; p0 < part.p_end; p0 += job->together) {
    const int64_t p1 = p0 + job->together < part.p_end ? p0 + job->together : part.p_end;
    for (int64_t v = part.v_begin; v < part.v_end; v += BF16_ROWS) product_rows(job, &part, v, p0, p1, p0 > p_begin);
  }
  if (part.form->end) part.form->end();
}

/* One task: up to 32 rows of A. */
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

/* One task: one row of one phase of one image. */
static void image_task(void *context, int64_t index, unsigned thread) {
  (void)thread;
  bf16_job *job = context;
  const image *i = &job->shape;
  const int64_t phases = i->phases_h * i->phases_w, numbers = i->w * i->pixel;
  uint16_t *row = job->a + index * numbers;
  write_image_row(job, index / i->h / phases, index / i->h % phases, index % i->h, row);
  if (i->together && has_wild(row, numbers)) __atomic_store_n(&job->wild, true, __ATOMIC_RELAXED);
}

size_t TEN_K(bf16_gemm_scratch)(const ten_gemm *gemm, unsigned threads) {
  const bf16_job job = gemm_job_of(gemm, 1);
  return scratch_of(&job, threads);
}

void TEN_K(bf16_gemm_run)(const ten_gemm *gemm, ten_pool *pool) {
  if (gemm->m <= 0 || gemm->n <= 0) return;
  if (gemm_is_small(gemm)) pool = NULL;
  bf16_job job = gemm_job_of(gemm, ten_pool_threads(pool));
  place(&job, gemm->scratch, ten_pool_threads(pool));
  if (!job.in_place) ten_pool_run(pool, convert_task, &job, job.images * ((gemm->m + BF16_ROWS - 1) / BF16_ROWS));
  ten_pool_run(pool, product_task, &job, job.images * job.chunks * job.groups);
}

/* Enough for any number of threads up to `threads`. */
size_t TEN_K(bf16_conv_scratch)(const ten_conv2d *conv, unsigned threads) {
  size_t most = 0;
  for (unsigned i = 1; i <= threads; i++) {
    const bf16_job job = conv_job_of(conv, i);
    if (scratch_of(&job, i) > most) most = scratch_of(&job, i);
  }
  return most;
}

void TEN_K(bf16_conv_run)(const ten_conv2d *c, ten_pool *pool) {
  bf16_job job = conv_job_of(c, ten_pool_threads(pool));
  const image *i = &job.shape;
  place(&job, c->scratch, ten_pool_threads(pool));
  if (!job.in_place && !i->patches) {
    const int64_t taps = c->kh * c->kw, height = job.window ? job.window : i->h;
    for (int64_t at = 0; at < job.blocks; at++) { /* a block of channels, all of its taps, so that they are near */
      const int64_t tap = i->together ? at * c->kw : at % taps, block = i->together ? 0 : at / taps;
      const int64_t y = tap / c->kw * c->dilation_h, x = tap % c->kw * c->dilation_w;
      const int64_t phase = y % c->stride_h * i->phases_w + x % c->stride_w;
      job.offsets[at] = ((phase * height + y / c->stride_h) * i->w + x / c->stride_w) * i->pixel + block * BF16_K;
    }
    if (!job.window) ten_pool_run(pool, image_task, &job, c->n * i->phases_h * i->phases_w * i->h);
  }
  ten_pool_run(pool, product_task, &job, job.images * job.chunks * job.groups);
}
