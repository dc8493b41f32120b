/* int8.c: matmuls and convolutions of 8-bit integers (int8.h). Two parallel loops: the input is copied to a padded
 * image, unless it can be read in place; then tasks compute blocks of rows (pixels) by columns into scratch, over which
 * the epilogue runs while they are in cache. Consecutive tasks share weights, so that those of large layers are read
 * once; or rows, where all weights stay in cache: then the input is read and the result written once. */
#include <string.h>

#include "backend/cpu/kernels/int8_job.h"

static int64_t at_least_one(int64_t value) { return value > 1 ? value : 1; }

/* Whether no tap of any output pixel is outside of the image. */
static bool is_inside(const ten_int8 *p) {
  return p->pad_top == 0 && p->pad_left == 0 && p->spread_h == 1 && p->spread_w == 1 &&
         (p->oh - 1) * p->stride_h + (p->kh - 1) * p->dilation_h < p->h &&
         (p->ow - 1) * p->stride_w + (p->kw - 1) * p->dilation_w < p->w;
}

static bool is_in_place(const ten_int8 *p) {
  if (p->form->is_split || p->form->is_signed == p->is_unsigned || p->channel != 1 || !is_inside(p)) return false;
  if (ten_int8_runs(p) && p->kw > 1 && p->pixel != p->ci) return false;
  return ten_int8_run_bytes(p) % INT8_QUAD == 0;
}

/* The rows and pixels of a copy; with one tap, only those that are used. */
static void image_size(const ten_int8 *p, int8_image *image) {
  image->step_h = p->kh == 1 ? p->stride_h : 1;
  image->step_w = p->kw == 1 ? p->stride_w : 1;
  image->rows = p->kh == 1 ? p->oh : (p->oh - 1) * p->stride_h + (p->kh - 1) * p->dilation_h + 1;
  image->width = p->kw == 1 ? p->ow : (p->ow - 1) * p->stride_w + (p->kw - 1) * p->dilation_w + 1;
  image->pixel = p->ci;
  image->row = image->width * image->pixel;
}

/* How many images are copied and computed at a time: so many that a copy stays in cache, unless the weights, which are
 * read each time, are larger. */
static int64_t images_at_once(const ten_int8 *p) {
  int8_image image;
  image_size(p, &image);
  const int64_t each = image.rows * image.row, weights = at_least_one(p->groups) * ten_int8_panels(p);
  if (p->n == 1 || p->n * each <= weights * ten_int8_panel_bytes(p)) return p->n;
  return blocks(p->n, blocks(p->n, at_least_one(INT8_CACHED / each)));
}

/* Bytes of a copy, with what the last quad reads beyond it. */
static int64_t image_bytes(const ten_int8 *p) {
  int8_image image;
  image_size(p, &image);
  return round_up(images_at_once(p) * image.rows * image.row + INT8_QUAD, INT8_LINE);
}

static int64_t depthwise_rows(const ten_int8 *p) { return at_least_one(INT8_BLOCK / p->co); }

static int64_t sums_bytes(const ten_int8 *p) { /* of one worker */
  const int64_t sums = ten_int8_is_depthwise(p) ? depthwise_rows(p) * p->co : INT8_BLOCK;
  return round_up(sums * (int64_t)sizeof(int32_t), INT8_LINE);
}

size_t TEN_K(int8_scratch)(const ten_int8 *p, unsigned threads) {
  return (size_t)((ten_int8_is_depthwise(p) ? 0 : INT8_PLANES * image_bytes(p)) + threads * sums_bytes(p));
}

void TEN_K(int8_pack)(const ten_int8 *p, const int8_t *weights, int64_t begin, int64_t end, int8_t *packed) {
  if (ten_int8_is_depthwise(p)) {
    for (int64_t tap = begin; tap < end; tap++)
      for (int64_t i = 0; i < p->co; i++)
        packed[tap * p->co + i] =
            weights[tap / p->kw * p->weights[0] + tap % p->kw * p->weights[1] + i * p->weights[3]];
    return;
  }
  const int64_t groups = at_least_one(p->groups), columns = p->co / groups, channels = p->ci / groups,
                panels = ten_int8_panels(p), segments = ten_int8_segments(p), quads = ten_int8_quads(p),
                taps = ten_int8_runs(p) ? p->kw : 1; /* of a segment */
  for (int64_t unit = begin; unit < end; unit++) {
    const int64_t first = unit % panels * INT8_COLUMNS, most = columns - first,
                  count = most < INT8_COLUMNS ? most : INT8_COLUMNS;
    int8_t *to = packed + unit * ten_int8_panel_bytes(p);
    int32_t sums[INT8_COLUMNS] = {0};
    memset(to, 0, (size_t)ten_int8_panel_bytes(p));
    for (int64_t s = 0; s < segments; s++, to += quads * INT8_QUAD * INT8_COLUMNS)
      for (int64_t k = 0; k < taps * channels; k++) {
        const int64_t tap = s * taps + k / channels;
        const int8_t *from = weights + tap / p->kw * p->weights[0] + tap % p->kw * p->weights[1] +
                             k % channels * p->weights[2] + (unit / panels * columns + first) * p->weights[3];
        int8_t *row = to + k / INT8_QUAD * INT8_QUAD * INT8_COLUMNS + k % INT8_QUAD;
        for (int64_t j = 0; j < count; j++) {
          row[j * INT8_QUAD] = from[j * p->weights[3]];
          sums[j] += from[j * p->weights[3]];
        }
      }
    memcpy(to, sums, sizeof sums);
  }
}

ALWAYS_INLINE void copy_bytes(uint8_t *restrict to, const uint8_t *restrict from, int64_t count, int64_t step,
                              uint8_t flip) {
  if (step == 1 && !flip)
    memcpy(to, from, (size_t)count);
  else if (step == 1)
    for (int64_t i = 0; i < count; i++) to[i] = from[i] ^ flip;
  else
    for (int64_t i = 0; i < count; i++) to[i] = from[i * step] ^ flip;
}

enum { HALF_BITS = 4, HALF_MASK = 15 };

ALWAYS_INLINE void split_bytes(uint8_t *restrict low, uint8_t *restrict high, const uint8_t *restrict from,
                               int64_t count, int64_t step, uint8_t flip) {
  if (step == 1)
    for (int64_t i = 0; i < count; i++) {
      const uint8_t x = from[i] ^ flip;
      low[i] = x & HALF_MASK, high[i] = x >> HALF_BITS;
    }
  else
    for (int64_t i = 0; i < count; i++) {
      const uint8_t x = from[i * step] ^ flip;
      low[i] = x & HALF_MASK, high[i] = x >> HALF_BITS;
    }
}

static void fill_bytes(const int8_job *job, uint8_t *to, uint8_t fill, int64_t count) {
  memset(to, job->plane ? fill & HALF_MASK : fill, (size_t)count);
  if (job->plane) memset(to + job->plane, fill >> HALF_BITS, (size_t)count);
}

/* Pixels [x0, x1) of a row of the copy. */
static void copy_pixels(const int8_job *job, int64_t row, int64_t x0, int64_t x1, uint8_t *to) {
  const ten_int8 *p = job->p;
  const int64_t y = row % job->image.rows * job->image.step_h - p->pad_top, h = y / p->spread_h;
  const bool inside = y >= 0 && y % p->spread_h == 0 && h < p->h;
  const uint8_t flip = job->flip, fill = (uint8_t)p->zero ^ flip;
  if (!inside) {
    fill_bytes(job, to, fill, (x1 - x0) * p->ci);
    return;
  }
  const uint8_t *from = (const uint8_t *)p->x + (row / job->image.rows * p->h + h) * p->w * p->pixel;
  const bool plain = p->channel == 1 && p->pixel == p->ci && p->spread_w == 1 && job->image.step_w == 1;
  for (int64_t x = x0; x < x1;) {
    const int64_t at = x * job->image.step_w - p->pad_left, w = at / p->spread_w;
    if (at < 0 || at % p->spread_w || w >= p->w) {
      fill_bytes(job, to, fill, p->ci);
      x++, to += p->ci;
      continue;
    }
    const int64_t run = !plain ? 1 : x1 - x < p->w - w ? x1 - x : p->w - w;
    const uint8_t *pixel = from + w * p->pixel;
    if (job->plane)
      split_bytes(to, to + job->plane, pixel, run * p->ci, p->channel, flip);
    else
      copy_bytes(to, pixel, run * p->ci, p->channel, flip);
    x += run, to += run * p->ci;
  }
}

static void copy_task(void *context, int64_t index, unsigned thread) {
  (void)thread;
  const int8_job *job = context;
  const int64_t width = job->image.width, all = job->p->n * job->image.rows * width;
  int64_t at = index * job->copied;
  const int64_t end = at + job->copied < all ? at + job->copied : all;
  while (at < end) {
    const int64_t x = at % width, run = end - at < width - x ? end - at : width - x;
    copy_pixels(job, at / width, x, x + run, job->copy + at * job->p->ci);
    at += run;
  }
}

/* A tile by a form that has only blocks. */
static void tile_of_blocks(const ten_int8_form *form, const ten_int8_tile *t) {
  int32_t buffer[INT8_TILE_ROWS * INT8_COLUMNS], *sums = t->sums ? t->sums : buffer;
  const int64_t ldc = t->sums ? INT8_SPAN : INT8_COLUMNS;
  const int first = t->rows < INT8_HALF || t->second == INT8_HALF * t->row_stride ? t->rows : INT8_HALF;
  form->block(t->a, t->row_stride, t->offsets, t->segments, t->quads, t->b, t->init, first, sums, ldc);
  if (first < t->rows)
    form->block(t->a + t->second, t->row_stride, t->offsets, t->segments, t->quads, t->b, t->init, t->rows - first,
                sums + first * ldc, ldc);
  if (!t->sums) TEN_K(int8_finish)(t->finish, sums, ldc, t->rows, t->columns, t->co);
}

/* The finish with its pointers at row m, column n. */
static ten_int8_finish finish_at(const ten_int8 *p, int64_t m, int64_t n) {
  ten_int8_finish f = p->finish;
  const int64_t at = m * p->co + n;
  f.scale += n, f.bias += n;
  if (f.other) f.other += at;
  f.out = (char *)f.out + at * (f.kind == INT8_FLOATS ? (int64_t)sizeof(float) : 1);
  return f;
}

/* Where the group's channels of a line's first pixel are. */
static const uint8_t *line_at(const int8_job *job, int64_t line, int64_t group) {
  const int64_t image = job->line_rows == 1 ? line : line / job->line_rows, row = line - image * job->line_rows;
  return job->data + (image * job->image.rows + row * job->down) * job->image.row +
         group * (job->p->ci / at_least_one(job->p->groups));
}

/* Rows and columns of a task, and one panel of it. */
typedef struct area {
  int64_t line, lines, x, count; /* pixels [x, x + count) of each line */
  int rows, longer;              /* of a tile; so many tiles of a line have one more */
  int64_t group, first, last;    /* panels */
  int64_t panel, n;              /* the panel that is computed, and its first column */
  int32_t *sums;
} area;

static void run_tile(const int8_job *job, const area *at, ten_int8_tile *t, int64_t row) {
  const ten_int8 *p = job->p;
  ten_int8_finish finish;
  if (p->finish.kind == INT8_SUMS) {
    t->sums = at->sums + row * INT8_SPAN + (at->panel - at->first) * INT8_COLUMNS;
  } else {
    finish = finish_at(p, at->line * job->line + at->x + row, at->n);
    t->finish = &finish;
  }
  if (p->form->tile)
    p->form->tile(t);
  else
    tile_of_blocks(p->form, t);
  t->soon += t->soon_step * job->steps;
}

/* Whether two lines are one tile: a line is half of one. */
static bool makes_pairs(const int8_job *job) {
  const ten_int8_form *form = job->p->form;
  if (job->pieces > 1 || form->rows < INT8_TILE_ROWS) return false;
  return form->begin ? job->line <= form->rows / 2 && job->lines > 1 : job->line == INT8_HALF;
}

/* Tiles of equal halves: the last ones begin with rows that another finished. */
static void run_equal_tiles(const int8_job *job, const area *at, ten_int8_tile *t) {
  const int64_t stride = t->row_stride, tiles = blocks(at->count, at->rows);
  t->rows = at->rows;
  t->second = (t->rows - t->half) * stride;
  for (int64_t l = 0; l < at->lines; l++) {
    const uint8_t *a = line_at(job, at->line + l, at->group) + at->x * stride;
    for (int64_t i = 0, done = 0; i < tiles; i++, done += t->rows - t->done) {
      const int64_t first = tiles == 1 ? 0 : i * (at->count - at->rows) / (tiles - 1);
      t->done = (int)(done - first);
      t->a = a + first * stride;
      run_tile(job, at, t, l * job->line + first);
    }
  }
}

/* Sums of a panel's columns. */
static void run_panel(const int8_job *job, const area *at, ten_int8_tile *t) {
  const int64_t stride = t->row_stride;
  if (makes_pairs(job)) {
    for (int64_t l = 0; l < at->lines; l += 2) {
      const bool two = l + 1 < at->lines;
      t->a = line_at(job, at->line + l, at->group);
      t->second = two ? line_at(job, at->line + l + 1, at->group) - t->a : 0;
      t->rows = (two ? 2 : 1) * t->half;
      run_tile(job, at, t, l * t->half);
    }
    return;
  }
  if (job->p->form->begin) {
    run_equal_tiles(job, at, t);
    return;
  }
  t->second = INT8_HALF * stride;
  for (int64_t l = 0; l < at->lines; l++) {
    const uint8_t *a = line_at(job, at->line + l, at->group) + at->x * stride;
    int64_t longer = at->longer;
    for (int64_t done = 0; done < at->count; done += t->rows, longer--) {
      t->a = a + done * stride;
      t->rows = at->rows + (longer > 0);
      run_tile(job, at, t, l * job->line + done);
    }
  }
}

static void finish(const int8_job *job, int32_t *sums, int64_t ldc, int64_t m0, int64_t m1, int64_t n0, int64_t n1) {
  const ten_int8 *p = job->p;
  if (p->epilogue) {
    p->epilogue(p->epilogue_context, (float *)sums, ldc, p->first_row + m0, p->first_row + m1, n0, n1);
    return;
  }
  for (int64_t m = m0; m < m1; m++)
    memcpy(p->out + m * p->co + n0, sums + (m - m0) * ldc, (size_t)(n1 - n0) * sizeof *sums);
}

/* The rows of the next task, spread over the panels of this one. */
static void prefetch_rows(const int8_job *job, const area *at, ten_int8_tile *t) {
  const bool piece = job->pieces > 1;
  const int64_t panels = at->last - at->first,
                bytes = piece ? at->count * t->row_stride : at->lines * job->down * job->image.row,
                tiles = (piece ? 1 : at->lines) * blocks(at->count, job->p->form->rows);
  const uint8_t *next = piece ? line_at(job, at->line, at->group) + (at->x + at->count) * t->row_stride
                              : line_at(job, at->line + at->lines, at->group);
  t->soon = (const char *)next + bytes / panels * (at->panel - at->first);
  t->soon_step = bytes / at_least_one(panels * tiles * job->steps);
}

/* While the first rows are computed, the weights of the next panel; where tasks share weights, with the last rows the
 * first panel of the next columns. Otherwise rows of an input that is in no cache near. */
static void prefetch_for(const int8_job *job, const area *at, int64_t rows, ten_int8_tile *t) {
  const int64_t when = at->panel + 1 < at->last || job->shares_rows ? 0 : job->row_blocks - 1,
                panels = ten_int8_panels(job->p);
  t->soon = (const char *)t->b;
  t->soon_step = 0;
  if (rows == when && at->panel + 1 < panels) {
    t->soon += ten_int8_panel_bytes(job->p);
    t->soon_step = job->soon_step;
  } else if (job->is_far && (!job->shares_rows || at->last == panels)) {
    prefetch_rows(job, at, t);
  }
}

/* Rows of the halves of a task's tiles, which are all alike where the form wants that: then a line's tiles overlap. */
static int halves(const int8_job *job, area *at) {
  const ten_int8_form *form = job->p->form;
  if (!form->begin) return INT8_HALF;
  if (makes_pairs(job)) return (int)job->line;
  at->rows += at->longer > 0, at->longer = 0;
  return at->rows > form->rows / 2 ? (at->rows + 1) / 2 : at->rows;
}

static void block_task(void *context, int64_t index, unsigned thread) {
  const int8_job *job = context;
  const ten_int8 *p = job->p;
  const int64_t rows = job->shares_rows ? index / job->column_blocks : index % job->row_blocks,
                columns = job->shares_rows ? index % job->column_blocks : index / job->row_blocks,
                group = columns / job->column_blocks, each = p->co / at_least_one(p->groups),
                first = columns % job->column_blocks * INT8_PANELS, panels = ten_int8_panels(p),
                bytes = ten_int8_panel_bytes(p);
  /* several whole lines, or a piece of one */
  const int64_t line = rows / job->pieces * job->together, piece = rows % job->pieces,
                x = job->line * piece / job->pieces;
  area at = {.line = line,
             .lines = line + job->together < job->lines ? job->together : job->lines - line,
             .x = x,
             .count = job->line * (piece + 1) / job->pieces - x,
             .group = group,
             .first = first,
             .last = first + INT8_PANELS < panels ? first + INT8_PANELS : panels,
             .sums = (int32_t *)(job->sums + thread * job->sums_bytes)};
  const int tiles = (int)blocks(at.count, p->form->rows);
  at.rows = (int)at.count / tiles, at.longer = (int)at.count % tiles;
  const int half = halves(job, &at);
  int32_t init[INT8_COLUMNS];
  ten_int8_tile t = {.plane = job->plane,
                     .row_stride = job->right * job->image.pixel,
                     .offsets = job->offsets,
                     .segments = job->segments,
                     .quads = job->quads,
                     .init = init,
                     .half = half,
                     .co = p->co};
  if (p->form->begin) p->form->begin(half, job->quads);
  for (at.panel = first; at.panel < at.last; at.panel++) {
    t.b = (const int8_t *)p->packed + (group * panels + at.panel) * bytes;
    memcpy(init, t.b + bytes - (int64_t)sizeof init, sizeof init);
    for (int i = 0; i < INT8_COLUMNS; i++) init[i] = (int32_t)((uint32_t)init[i] * (uint32_t)job->correction);
    const int64_t n = at.panel * INT8_COLUMNS;
    at.n = group * each + n;
    t.columns = (int)(each - n < INT8_COLUMNS ? each - n : INT8_COLUMNS);
    prefetch_for(job, &at, rows, &t);
    run_panel(job, &at, &t);
  }
  if (p->form->end) p->form->end();
  if (p->finish.kind != INT8_SUMS) return;
  const int64_t n0 = group * each + first * INT8_COLUMNS, n1 = group * each + at.last * INT8_COLUMNS,
                end = (group + 1) * each, m0 = line * job->line + x;
  finish(job, at.sums, INT8_SPAN, m0, m0 + at.lines * at.count, n0, n1 < end ? n1 : end);
}

/* One pixel: a sum for each channel. Products are below 2^15. */
ALWAYS_INLINE void depthwise_tap(const bool is_unsigned, const void *x, int zero, const int8_t *w, int64_t channels,
                                 int32_t *sums) {
  if (is_unsigned)
    for (int64_t i = 0; i < channels; i++) sums[i] += (int16_t)((((const uint8_t *)x)[i] - zero) * w[i]);
  else
    for (int64_t i = 0; i < channels; i++) sums[i] += (int16_t)((((const int8_t *)x)[i] - zero) * w[i]);
}

static void depthwise_task(void *context, int64_t index, unsigned thread) {
  const int8_job *job = context;
  const ten_int8 *p = job->p;
  int32_t *sums = (int32_t *)(job->sums + thread * job->sums_bytes);
  const int64_t all = p->n * p->oh * p->ow, m0 = index * job->together,
                m1 = m0 + job->together < all ? m0 + job->together : all;
  for (int64_t m = m0; m < m1; m++) {
    const int64_t top = m / p->ow % p->oh * p->stride_h - p->pad_top, left = m % p->ow * p->stride_w - p->pad_left;
    int32_t *to = sums + (m - m0) * p->co;
    memset(to, 0, (size_t)p->co * sizeof *to);
    for (int64_t kh = 0; kh < p->kh; kh++) {
      const int64_t y = top + kh * p->dilation_h;
      if (y < 0 || y % p->spread_h || y / p->spread_h >= p->h) continue;
      const int64_t row = (m / p->ow / p->oh * p->h + y / p->spread_h) * p->w;
      for (int64_t kw = 0; kw < p->kw; kw++) {
        const int64_t x = left + kw * p->dilation_w;
        if (x < 0 || x % p->spread_w || x / p->spread_w >= p->w) continue;
        const uint8_t *from = (const uint8_t *)p->x + (row + x / p->spread_w) * p->ci;
        const int8_t *w = (const int8_t *)p->packed + (kh * p->kw + kw) * p->co;
        if (p->is_unsigned)
          depthwise_tap(true, from, (int)p->zero, w, p->co, to);
        else
          depthwise_tap(false, from, (int)p->zero, w, p->co, to);
      }
    }
  }
  if (p->finish.kind == INT8_SUMS) {
    finish(job, sums, p->co, m0, m1, 0, p->co);
    return;
  }
  const ten_int8_finish f = finish_at(p, m0, 0);
  TEN_K(int8_finish)(&f, sums, p->co, m1 - m0, p->co, p->co);
}

/* Where the segments of k start, from the first tap's pixel. */
static void list_segments(int8_job *job) {
  const ten_int8 *p = job->p;
  job->segments = ten_int8_segments(p);
  job->quads = ten_int8_quads(p);
  const int64_t taps = ten_int8_runs(p) ? 1 : p->kw;
  for (int64_t s = 0; s < job->segments; s++)
    job->offsets[s] = s / taps * p->dilation_h * job->image.row + s % taps * p->dilation_w * job->image.pixel;
}

/* Lines are rows of pixels at one distance: output rows, or all of them where these follow each other. */
static void list_lines(int8_job *job) {
  const ten_int8 *p = job->p;
  const int8_image *image = &job->image;
  job->lines = p->n * p->oh, job->line = p->ow, job->line_rows = p->oh;
  const int64_t bytes = p->ow * job->right * image->pixel; /* of a line */
  if ((p->oh == 1 || image->row * job->down == bytes) && (p->n == 1 || image->rows * image->row == p->oh * bytes))
    job->lines = 1, job->line = p->n * p->oh * p->ow, job->line_rows = 1;
  const int64_t most =
      (int64_t)p->form->rows * INT8_TILES < INT8_ROWS ? (int64_t)p->form->rows * INT8_TILES : INT8_ROWS;
  job->pieces = blocks(job->line, most);
  job->together = job->pieces > 1 ? 1 : at_least_one(most / job->line);
  job->row_blocks = job->pieces > 1 ? job->lines * job->pieces : blocks(job->lines, job->together);
  job->column_blocks = blocks(ten_int8_panels(p), INT8_PANELS);
  const int64_t weights = ten_int8_panels(p) * ten_int8_panel_bytes(p), data = p->n * image->rows * image->row;
  job->shares_rows = p->groups <= 1 && weights <= INT8_CACHED && weights <= data;
  job->is_far = p->groups <= 1 && data > INT8_CACHED;
  /* a panel is prefetched while all tiles of a task are computed; a line of 64 bytes at once, so that of few tiles a
   * part */
  const int64_t tiles = job->pieces > 1 ? blocks(blocks(job->line, job->pieces), p->form->rows)
                                        : blocks(job->line * job->together, p->form->rows),
                least = p->form->begin ? 1 : 4;
  job->steps = job->segments * (job->quads / INT8_STEP);
  job->soon_step = INT8_STEP * INT8_COLUMNS * INT8_QUAD / (tiles < least ? least : tiles);
}

/* The images that are copied at a time, or all of them in place. */
static void run_images(const ten_int8 *p, bool in_place, uint8_t *copy, char *sums, ten_pool *pool) {
  enum { SIGN = 0x80 };
  const bool flips = p->form->is_signed == p->is_unsigned;
  int8_job job = {.p = p, .sums = sums, .sums_bytes = sums_bytes(p), .copy = copy};
  job.flip = flips ? SIGN : 0;
  job.correction = (int32_t)((!flips ? 0 : p->is_unsigned ? SIGN : -SIGN) - p->zero);
  job.image = (int8_image){.rows = p->h, .width = p->w, .pixel = p->pixel, .row = p->w * p->pixel};
  job.down = p->stride_h, job.right = p->stride_w, job.data = p->x;
  if (!in_place) {
    image_size(p, &job.image);
    job.down = p->kh == 1 ? 1 : p->stride_h, job.right = p->kw == 1 ? 1 : p->stride_w;
    job.data = copy;
    job.plane = p->form->is_split ? image_bytes(p) : 0;
    job.copied = at_least_one(INT8_COPIED / p->ci);
    ten_pool_run(pool, copy_task, &job, blocks(p->n * job.image.rows * job.image.width, job.copied));
  }
  list_segments(&job);
  list_lines(&job);
  ten_pool_run(pool, block_task, &job, job.row_blocks * job.column_blocks * at_least_one(p->groups));
}

void TEN_K(int8_run)(const ten_int8 *p, ten_pool *pool) {
  if (ten_int8_is_depthwise(p)) {
    int8_job job = {.p = p, .sums = p->scratch, .sums_bytes = sums_bytes(p), .together = depthwise_rows(p)};
    ten_pool_run(pool, depthwise_task, &job, blocks(p->n * p->oh * p->ow, job.together));
    return;
  }
  const bool in_place = is_in_place(p);
  const int64_t most = in_place ? p->n : images_at_once(p), rows = p->oh * p->ow;
  for (int64_t first = 0; first < p->n; first += most) {
    ten_int8 part = *p;
    if (p->form->instead) part.form = p->form->instead(ten_int8_quads(p));
    part.n = p->n - first < most ? p->n - first : most;
    part.x = (const char *)p->x + first * p->h * p->w * p->pixel;
    part.first_row += first * rows;
    if (p->out) part.out += first * rows * p->co;
    if (p->finish.kind != INT8_SUMS) part.finish = finish_at(p, first * rows, 0);
    run_images(&part, in_place, p->scratch, (char *)p->scratch + INT8_PLANES * image_bytes(p), pool);
  }
}
