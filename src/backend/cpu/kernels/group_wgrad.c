/* group_wgrad.c: the gradient of a convolution of groups by its kernel, channels last: dw [kh, kw, ci of a group, co].
 * Depthwise: for each vector of channels, the taps of a row of the kernel are summed along a row of the output; parts
 * of the images, which the shape alone decides, are summed apart and put together in their order. Groups of several
 * channels: for each tap, some input channels by the vectors of output channels, over all pixels. */
#include <string.h>

#include "backend/cpu/kernels/group.h"

enum { TOGETHER = 8 /* taps */, PARTS = 16, INPUTS = 6 };

typedef struct wgrad_job {
  const ten_wgrad2d *w;
  int64_t parts, rows; /* rows of the output, of all images, in a part */
  float *sums;         /* [part][tap][channel] */
  int64_t input_blocks;
} wgrad_job;

static bool is_depthwise(const ten_wgrad2d *w) { return w->groups == w->ci && w->groups == w->co; }

static int64_t parts_of(const ten_wgrad2d *w, int64_t *out_rows) {
  const int64_t all = w->n * w->oh;
  *out_rows = all ? blocks(all, PARTS) : 1;
  return all ? blocks(all, *out_rows) : 0;
}

size_t TEN_K(group_wgrad_scratch)(const ten_wgrad2d *w) {
  int64_t rows;
  return is_depthwise(w) ? (size_t)(parts_of(w, &rows) * w->kh * w->kw * w->co) * sizeof(float) + 64 : 64;
}

/* The columns [begin, end) of the output that tap kw meets inside of the input. */
static void columns_of(const ten_wgrad2d *w, int64_t kw, int64_t *begin, int64_t *end) {
  const int64_t first = kw * w->dilation_w - w->pad_left; /* column of the input for column 0 */
  *begin = first < 0 ? (-first + w->stride_w - 1) / w->stride_w : 0;
  *end = first < w->w ? (w->w - 1 - first) / w->stride_w + 1 : 0;
  if (*end > w->ow) *end = w->ow;
  if (*begin > *end) *begin = *end;
}

/* The row of the input that row oh of the output meets with tap kh; -1: none. */
static int64_t row_of(const ten_wgrad2d *w, int64_t oh, int64_t kh) {
  const int64_t h = oh * w->stride_h + kh * w->dilation_h - w->pad_top;
  return h >= 0 && h < w->h ? h : -1;
}

/* T taps from kw on of a row of the output, one vector of channels; x is where column 0 meets tap 0. Sums lie VL
 * apart. */
ALWAYS_INLINE void depth_taps(const ten_wgrad2d *w, const float *x, const float *g, int64_t kw, float *sums,
                              const int T) {
  vf sum[TOGETHER];
  int64_t begin[TOGETHER], end[TOGETHER], all_begin = 0, all_end = w->ow;
  const int64_t step = w->stride_w * w->ci, apart = w->dilation_w * w->ci;
  for (int t = 0; t < T; t++) {
    sum[t] = vload(sums + t * VL);
    columns_of(w, kw + t, &begin[t], &end[t]);
    if (begin[t] > all_begin) all_begin = begin[t];
    if (end[t] < all_end) all_end = end[t];
  }
  x += kw * apart;
  for (int t = 0; t < T; t++) /* before all taps are inside, and after */
    for (int64_t o = begin[t]; o < end[t]; o++) {
      if (o == all_begin && all_end > all_begin) o = all_end;
      if (o >= end[t]) break;
      sum[t] += vload(x + o * step + t * apart) * vload(g + o * w->co);
    }
  for (int64_t o = all_begin; o < all_end; o++) {
    const vf factor = vload(g + o * w->co);
    const float *from = x + o * step;
    for (int t = 0; t < T; t++) sum[t] += vload(from + t * apart) * factor;
  }
  for (int t = 0; t < T; t++) vstore(sums + t * VL, sum[t]);
}

static void depth_row(const ten_wgrad2d *w, const float *x, const float *g, float *sums) {
  for (int64_t kw = 0; kw < w->kw;) {
    const int64_t left = w->kw - kw, took = left >= 8 ? 8 : left == 6 ? 3 : left;
    float *to = sums + kw * VL;
    switch (took) {
      case 8: depth_taps(w, x, g, kw, to, 8); break;
      case 7: depth_taps(w, x, g, kw, to, 7); break;
      case 5: depth_taps(w, x, g, kw, to, 5); break;
      case 4: depth_taps(w, x, g, kw, to, 4); break;
      case 3: depth_taps(w, x, g, kw, to, 3); break;
      case 2: depth_taps(w, x, g, kw, to, 2); break;
      default: depth_taps(w, x, g, kw, to, 1); break;
    }
    kw += took;
  }
}

/* Fewer channels than a vector has. */
static void depth_few(const ten_wgrad2d *w, const float *x, const float *g, float *sums) {
  for (int64_t kw = 0; kw < w->kw; kw++, sums += VL) {
    int64_t begin, end;
    columns_of(w, kw, &begin, &end);
    for (int64_t o = begin; o < end; o++) {
      const float *from = x + (o * w->stride_w + kw * w->dilation_w) * w->ci, *by = g + o * w->co;
      for (int64_t i = 0; i < w->co; i++) sums[i] += from[i] * by[i];
    }
  }
}

static void part_task(void *context, int64_t index, unsigned thread) {
  (void)thread;
  const wgrad_job *job = context;
  const ten_wgrad2d *w = job->w;
  const int64_t taps = w->kh * w->kw, vectors = w->co < VL ? 1 : blocks(w->co, VL), part = index / vectors;
  const int64_t wanted = index % vectors * VL, channel = w->co < VL || wanted + VL <= w->co ? wanted : w->co - VL;
  const int64_t first = part * job->rows, all = w->n * w->oh;
  const int64_t last = first + job->rows < all ? first + job->rows : all;
  float sums[TEN_GROUP_TAPS * VL];
  memset(sums, 0, (size_t)(taps * VL) * sizeof *sums);
  for (int64_t row = first; row < last; row++) {
    const int64_t n = row / w->oh, oh = row % w->oh;
    const float *g = w->g + row * w->ow * w->co + channel;
    for (int64_t kh = 0; kh < w->kh; kh++) {
      const int64_t h = row_of(w, oh, kh);
      if (h < 0) continue;
      const float *x = w->x + ((n * w->h + h) * w->w - w->pad_left) * w->ci + channel;
      w->co < VL ? depth_few(w, x, g, sums + kh * w->kw * VL) : depth_row(w, x, g, sums + kh * w->kw * VL);
    }
  }
  const int64_t width = w->co - wanted < VL ? w->co - wanted : VL; /* of the last vector, channels that are new */
  float *const to = job->sums + part * taps * w->co + wanted;
  for (int64_t t = 0; t < taps; t++)
    memcpy(to + t * w->co, sums + t * VL + (wanted - channel), (size_t)width * sizeof *sums);
}

static void join_task(void *context, int64_t tap, unsigned thread) {
  (void)thread;
  const wgrad_job *job = context;
  const ten_wgrad2d *w = job->w;
  const int64_t size = w->kh * w->kw * w->co;
  float *to = w->dw + tap * w->co;
  memcpy(to, job->sums + tap * w->co, (size_t)w->co * sizeof *to);
  for (int64_t part = 1; part < job->parts; part++) {
    const float *from = job->sums + part * size + tap * w->co;
    for (int64_t i = 0; i < w->co; i++) to[i] += from[i];
  }
}

/* A vector of which `count` numbers are wanted, and others may be anything. */
ALWAYS_INLINE vf load_part(const float *at, const float *end, int64_t count) {
  if (at + VL <= end) return vload(at);
  vf value = vsplat(0);
  memcpy(&value, at, (size_t)(count < VL ? count : VL) * sizeof *at);
  return value;
}

/* I input channels from `input` on by V vectors of output channels, of one group and one tap, over all pixels. */
ALWAYS_INLINE void group_tile(const ten_wgrad2d *w, int64_t tap, int64_t group, int64_t input, int64_t column,
                              const int I, const int V, int64_t outputs) {
  const int64_t inputs = w->ci / w->groups, each = w->co / w->groups, kh = tap / w->kw, kw = tap % w->kw;
  int64_t begin, end;
  columns_of(w, kw, &begin, &end);
  const float *const g_end = w->g + w->n * w->oh * w->ow * w->co;
  vf sums[INPUTS][2];
  for (int i = 0; i < I; i++)
    for (int v = 0; v < V; v++) sums[i][v] = vsplat(0);
  for (int64_t row = 0; row < w->n * w->oh; row++) {
    const int64_t h = row_of(w, row % w->oh, kh);
    if (h < 0) continue;
    const float *x =
        w->x + ((row / w->oh * w->h + h) * w->w + kw * w->dilation_w - w->pad_left) * w->ci + group * inputs + input;
    const float *g = w->g + row * w->ow * w->co + group * each + column;
    for (int64_t o = begin; o < end; o++)
      for (int v = 0; v < V; v++) {
        const vf factor = load_part(g + o * w->co + v * VL, g_end, outputs - v * VL);
        for (int i = 0; i < I; i++) sums[i][v] += factor * vsplat(x[o * w->stride_w * w->ci + i]);
      }
  }
  for (int i = 0; i < I; i++)
    for (int v = 0; v < V; v++) {
      float *to = w->dw + (tap * inputs + input + i) * w->co + group * each + column + v * VL;
      const int64_t left = outputs - v * VL;
      memcpy(to, &sums[i][v], (size_t)(left < VL ? left : VL) * sizeof *to);
    }
}

static void group_task(void *context, int64_t index, unsigned thread) {
  (void)thread;
  const wgrad_job *job = context;
  const ten_wgrad2d *w = job->w;
  const int64_t inputs = w->ci / w->groups, each = w->co / w->groups, block = index % job->input_blocks;
  const int64_t tap = index / job->input_blocks % (w->kh * w->kw), group = index / job->input_blocks / (w->kh * w->kw);
  const int64_t last = (block + 1) * INPUTS < inputs ? (block + 1) * INPUTS : inputs;
  for (int64_t column = 0; column < each; column += 2 * VL) {
    const int64_t outputs = each - column < 2 * VL ? each - column : 2 * VL;
    int64_t input = block * INPUTS;
    if (last - input == INPUTS) {
      outputs > VL ? group_tile(w, tap, group, input, column, INPUTS, 2, outputs)
                   : group_tile(w, tap, group, input, column, INPUTS, 1, outputs);
      continue;
    }
    for (; input < last; input++)
      outputs > VL ? group_tile(w, tap, group, input, column, 1, 2, outputs)
                   : group_tile(w, tap, group, input, column, 1, 1, outputs);
  }
}

void TEN_K(group_wgrad_run)(const ten_wgrad2d *w, ten_pool *pool) {
  wgrad_job job = {.w = w, .sums = w->scratch};
  const int64_t taps = w->kh * w->kw;
  if (is_depthwise(w)) {
    job.parts = parts_of(w, &job.rows);
    ten_pool_run(pool, part_task, &job, job.parts * (w->co < VL ? 1 : blocks(w->co, VL)));
    ten_pool_run(pool, join_task, &job, taps);
    return;
  }
  job.input_blocks = blocks(w->ci / w->groups, INPUTS);
  ten_pool_run(pool, group_task, &job, w->groups * taps * job.input_blocks);
}
