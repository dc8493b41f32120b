/* group.c: grouped convolutions, channels last, and their gradients with respect to the input. Depthwise ones, of one
 * channel per group, are for every tap a shifted input times one vector of the kernel; others are small matmuls whose
 * rows are pixels and whose columns are the channels of a group.
 *
 * Pixels of an output row that are `spread` apart (holes in the input: the gradient of a strided convolution) use the
 * same taps, and form a line. The taps of a line are listed once; pixels at its ends, for which some taps are out of
 * bounds, have shorter lists. An element is summed in the order of the taps, whatever the blocks. */
#include <string.h>

#include "backend/cpu/kernels/group.h"
#if defined(__AVX2__) && !defined(__AVX512F__)
#include "backend/cpu/kernels/group_block.h"
#include "backend/cpu/kernels/group_depth.h"
#endif

enum { PIXELS = 4, ROWS = 6, TASK = 1 << 14 /* minimum multiply-adds per task */ };

typedef struct line {
  const float *x; /* of the image */
  float *y;       /* the first pixel */
  int64_t x_step, y_step, pixels;
  int64_t taps;
  int64_t at[TEN_GROUP_TAPS];     /* offset from x, for the first pixel */
  int64_t column[TEN_GROUP_TAPS]; /* of the input */
  int64_t tap[TEN_GROUP_TAPS];    /* of the kernel */
} line;

typedef struct group_job {
  const ten_conv2d *c;
  int64_t rows; /* of the output, over all images, per task */
} group_job;

static int64_t spread_of(int64_t spread) { return spread > 1 ? spread : 1; }

static bool is_depthwise(const ten_conv2d *c) { return c->groups == c->ci && c->groups == c->co; }

bool TEN_K(group_can)(const ten_conv2d *c) {
  if (c->groups < 2 || c->kh * c->kw > TEN_GROUP_TAPS) return false;
  return is_depthwise(c) || c->co / c->groups >= TEN_GROUP_COLUMNS;
}

static int64_t columns_padded(const ten_conv2d *c) { return round_up(c->co / c->groups, VL); }

int64_t TEN_K(group_packed_size)(const ten_conv2d *c) {
  const int64_t taps = c->kh * c->kw;
  return is_depthwise(c) ? taps * c->co : taps * c->ci * columns_padded(c);
}

int64_t TEN_K(group_pack_units)(const ten_conv2d *c) { return is_depthwise(c) ? c->kh : c->groups; }

/* Depthwise: [tap][channel]; otherwise [group][tap][input channel][output channel]. */
void TEN_K(group_pack)(const ten_conv2d *c, const float *kernel, const int64_t strides[4], int64_t begin, int64_t end,
                       float *packed) {
  if (is_depthwise(c)) {
    for (int64_t kh = begin; kh < end; kh++)
      for (int64_t kw = 0; kw < c->kw; kw++) {
        const float *from = kernel + kh * strides[0] + kw * strides[1];
        float *to = packed + (kh * c->kw + kw) * c->co;
        for (int64_t i = 0; i < c->co; i++) to[i] = from[i * strides[3]];
      }
    return;
  }
  const int64_t inputs = c->ci / c->groups, outputs = c->co / c->groups, padded = columns_padded(c);
  for (int64_t group = begin; group < end; group++) {
    float *to = packed + group * c->kh * c->kw * inputs * padded;
    for (int64_t kh = 0; kh < c->kh; kh++)
      for (int64_t kw = 0; kw < c->kw; kw++)
        for (int64_t i = 0; i < inputs; i++, to += padded) {
          const float *from = kernel + kh * strides[0] + kw * strides[1] + i * strides[2];
          for (int64_t k = 0; k < padded; k++) to[k] = k < outputs ? from[(group * outputs + k) * strides[3]] : 0;
        }
  }
}

/* The line of row `row` (over all images) whose first pixel is `phase`. */
static void line_of(const ten_conv2d *c, int64_t row, int64_t phase, line *l) {
  const int64_t oh = row % c->oh, n = row / c->oh, down = spread_of(c->spread_h), right = spread_of(c->spread_w);
  l->x = c->x + n * c->h * c->w * c->ci;
  l->y = c->y + (row * c->ow + phase) * c->co;
  l->x_step = c->stride_w * c->ci;
  l->y_step = right * c->co;
  l->pixels = (c->ow - phase + right - 1) / right;
  l->taps = 0;
  for (int64_t kh = 0; kh < c->kh; kh++) {
    const int64_t h = oh * c->stride_h + kh * c->dilation_h - c->pad_top;
    if (h < 0 || h % down || h / down >= c->h) continue;
    for (int64_t kw = 0; kw < c->kw; kw++) {
      const int64_t w = phase * c->stride_w + kw * c->dilation_w - c->pad_left;
      if (w % right) continue;
      l->column[l->taps] = w / right;
      l->at[l->taps] = (h / down * c->w + w / right) * c->ci;
      l->tap[l->taps++] = kh * c->kw + kw;
    }
  }
}

/* Pixels [begin, end) of a line for which all taps are in bounds. */
static void inside_of(const ten_conv2d *c, const line *l, int64_t *begin, int64_t *end) {
  *begin = 0, *end = l->pixels;
  for (int64_t t = 0; t < l->taps; t++) {
    const int64_t first = l->column[t] < 0 ? (-l->column[t] + c->stride_w - 1) / c->stride_w : 0,
                  last = l->column[t] < c->w ? (c->w - 1 - l->column[t]) / c->stride_w : -1;
    if (first > *begin) *begin = first;
    if (last + 1 < *end) *end = last + 1;
  }
  if (*end < *begin) *begin = *end = l->pixels;
}

/* The taps of pixel j of a line, as a line of that pixel alone. */
static void line_at(const ten_conv2d *c, const line *l, int64_t j, line *one) {
  one->x = l->x + j * l->x_step;
  one->y = l->y + j * l->y_step;
  one->x_step = l->x_step, one->y_step = l->y_step;
  one->pixels = 1;
  one->taps = 0;
  for (int64_t t = 0; t < l->taps; t++) {
    const int64_t column = l->column[t] + j * c->stride_w;
    if (column < 0 || column >= c->w) continue;
    one->at[one->taps] = l->at[t];
    one->tap[one->taps++] = l->tap[t];
  }
}

/* P pixels from j on, V vectors of channels from `channel` on. */
ALWAYS_INLINE void depth_tile(const ten_conv2d *c, const line *l, int64_t j, int64_t channel, const int P,
                              const int V) {
  vf sums[PIXELS][2];
  for (int p = 0; p < P; p++)
    for (int v = 0; v < V; v++) sums[p][v] = vsplat(0);
  const float *x = l->x + j * l->x_step + channel, *kernel = c->kernel + channel;
  for (int64_t t = 0; t < l->taps; t++) {
    const float *from = x + l->at[t], *k = kernel + l->tap[t] * c->co;
    for (int v = 0; v < V; v++) {
      const vf factor = vload(k + v * VL);
      for (int p = 0; p < P; p++) sums[p][v] += vload(from + p * l->x_step + v * VL) * factor;
    }
  }
  for (int p = 0; p < P; p++)
    for (int v = 0; v < V; v++) vstore(l->y + (j + p) * l->y_step + channel + v * VL, sums[p][v]);
}

static void depth_few(const ten_conv2d *c, const line *l, int64_t j) {
  float sums[VL] = {0};
  for (int64_t t = 0; t < l->taps; t++) {
    const float *x = l->x + j * l->x_step + l->at[t], *k = c->kernel + l->tap[t] * c->co;
    for (int64_t i = 0; i < c->co; i++) sums[i] += x[i] * k[i];
  }
  memcpy(l->y + j * l->y_step, sums, (size_t)c->co * sizeof *sums);
}

static void depth_pixels(const ten_conv2d *c, const line *l, int64_t begin, int64_t end) {
  if (c->co < VL) {
    for (int64_t j = begin; j < end; j++) depth_few(c, l, j);
    return;
  }
  for (int64_t j = begin; j < end;) {
    const bool several = end - j >= PIXELS;
    int64_t channel = 0;
    for (; channel + 2 * VL <= c->co; channel += 2 * VL)
      several ? depth_tile(c, l, j, channel, PIXELS, 2) : depth_tile(c, l, j, channel, 1, 2);
    for (; channel < c->co; channel += VL) { /* the last vector may recompute some channels */
      const int64_t from = channel + VL <= c->co ? channel : c->co - VL;
      several ? depth_tile(c, l, j, from, PIXELS, 1) : depth_tile(c, l, j, from, 1, 1);
    }
    j += several ? PIXELS : 1;
  }
}

/* P pixels from j on, V vectors of output channels of a group. */
ALWAYS_INLINE void group_tile(const ten_conv2d *c, const line *l, int64_t j, int64_t group, int64_t column, const int P,
                              const int V) {
  const int64_t inputs = c->ci / c->groups, outputs = c->co / c->groups, padded = columns_padded(c);
  const float *kernel = c->kernel + group * c->kh * c->kw * inputs * padded + column;
  vf sums[ROWS][2];
  for (int p = 0; p < P; p++)
    for (int v = 0; v < V; v++) sums[p][v] = vsplat(0);
  for (int64_t t = 0; t < l->taps; t++) {
    const float *x = l->x + j * l->x_step + l->at[t] + group * inputs, *k = kernel + l->tap[t] * inputs * padded;
    for (int64_t i = 0; i < inputs; i++, k += padded)
      for (int p = 0; p < P; p++)
        for (int v = 0; v < V; v++) sums[p][v] += vload(k + v * VL) * vsplat(x[p * l->x_step + i]);
  }
  for (int p = 0; p < P; p++)
    for (int v = 0; v < V; v++) {
      float *to = l->y + (j + p) * l->y_step + group * outputs + column + v * VL;
      const int64_t left = outputs - column - v * VL;
      if (left >= VL)
        vstore(to, sums[p][v]);
      else
        memcpy(to, &sums[p][v], (size_t)left * sizeof *to);
    }
}

static void group_pixels(const ten_conv2d *c, const line *l, int64_t begin, int64_t end) {
  const int64_t outputs = c->co / c->groups;
  for (int64_t j = begin; j < end;) {
    const bool several = end - j >= ROWS;
    for (int64_t group = 0; group < c->groups; group++)
      for (int64_t column = 0; column < outputs; column += 2 * VL) {
        if (outputs - column > VL)
          several ? group_tile(c, l, j, group, column, ROWS, 2) : group_tile(c, l, j, group, column, 1, 2);
        else
          several ? group_tile(c, l, j, group, column, ROWS, 1) : group_tile(c, l, j, group, column, 1, 1);
      }
    j += several ? ROWS : 1;
  }
}

/* Rows of the output, over all images: any convolution. */
static void any_rows(const ten_conv2d *c, int64_t row, int64_t last) {
  void (*const pixels)(const ten_conv2d *, const line *, int64_t, int64_t) =
      is_depthwise(c) ? depth_pixels : group_pixels;
  line l, one;
  for (; row < last; row++)
    for (int64_t phase = 0; phase < spread_of(c->spread_w) && phase < c->ow; phase++) {
      int64_t begin, end;
      line_of(c, row, phase, &l);
      inside_of(c, &l, &begin, &end);
      for (int64_t j = 0; j < l.pixels; j++) {
        if (j == begin && end > begin) {
          pixels(c, &l, begin, end);
          j = end - 1;
          continue;
        }
        line_at(c, &l, j, &one);
        pixels(c, &one, 0, 1);
      }
    }
}

#if defined(__AVX2__) && !defined(__AVX512F__)
static void depth_rows(const ten_conv2d *c, int64_t row, int64_t last) {
  for (; row < last; row++) {
    const depth_row r = {c, c->x + row / c->oh * c->h * c->w * c->ci, c->y + row * c->ow * c->co, row % c->oh};
    depth_row_run(&r);
  }
}

static void block_rows(const ten_conv2d *c, int64_t row, int64_t last) {
  for (; row < last; row++) {
    const group_row r = {c,
                         c->x + row / c->oh * c->h * c->w * c->ci,
                         c->y + row * c->ow * c->co,
                         row % c->oh,
                         c->ci / c->groups,
                         c->co / c->groups,
                         columns_padded(c) / VL};
    block_row_run(&r);
  }
}

static void group_rows(const ten_conv2d *c, int64_t row, int64_t last) {
  if (is_depthwise(c))
    (depth_can(c) ? depth_rows : any_rows)(c, row, last);
  else
    (block_can(c) ? block_rows : any_rows)(c, row, last);
}
#else
static void group_rows(const ten_conv2d *c, int64_t row, int64_t last) { any_rows(c, row, last); }
#endif

static void group_task(void *context, int64_t index, unsigned thread) {
  (void)thread;
  const group_job *job = context;
  const ten_conv2d *c = job->c;
  const int64_t all = c->n * c->oh, first = index * job->rows, last = first + job->rows < all ? first + job->rows : all;
  group_rows(c, first, last);
  if (c->epilogue)
    c->epilogue(c->epilogue_context, c->y + first * c->ow * c->co, c->co, first * c->ow, last * c->ow, 0, c->co);
}

void TEN_K(group_run)(const ten_conv2d *c, ten_pool *pool) {
  const int64_t products = c->ow * c->co * c->kh * c->kw * (c->ci / c->groups) /
                           (spread_of(c->spread_h) * spread_of(c->spread_w) * (is_depthwise(c) ? 1 : 4));
  group_job job = {.c = c, .rows = 1 + TASK / (products + 1)};
  ten_pool_run(pool, group_task, &job, blocks(c->n * c->oh, job.rows));
}
