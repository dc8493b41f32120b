/* group_wgrad.c: the kernel gradient of a depthwise convolution, channels last: dw [kh, kw, 1, co]. For each vector of
 * channels, the taps of a kernel row are summed along an output row; parts of the images, which depend only on the
 * shape, are summed separately and combined in order. Groups of several channels: wgrad.c. */
#include <string.h>

#include "backend/cpu/kernels/group.h"

#if defined(__AVX2__) && !defined(__AVX512F__)
enum { ROWS_TOGETHER = 1 };
#else
enum { ROWS_TOGETHER = 0 };
#endif
/* Channels of a task where rows are taken together: BLOCK vectors. */
enum { TOGETHER = 8 /* taps */, PARTS = 16, BLOCK = 8 };

typedef struct wgrad_job {
  const ten_wgrad2d *w;
  int64_t parts, rows; /* rows of the output, over all images, per part */
  float *sums;         /* [part][tap][channel] */
} wgrad_job;

static int64_t parts_of(const ten_wgrad2d *w, int64_t *out_rows) {
  const int64_t all = w->n * w->oh;
  *out_rows = all ? blocks(all, PARTS) : 1;
  return all ? blocks(all, *out_rows) : 0;
}

size_t TEN_K(group_wgrad_scratch)(const ten_wgrad2d *w) {
  int64_t rows;
  return (size_t)(parts_of(w, &rows) * w->kh * w->kw * w->co) * sizeof(float) + 64;
}

/* The columns [begin, end) of the output for which tap kw is in bounds. */
static void columns_of(const ten_wgrad2d *w, int64_t kw, int64_t *begin, int64_t *end) {
  const int64_t first = kw * w->dilation_w - w->pad_left; /* input column for output column 0 */
  *begin = first < 0 ? (-first + w->stride_w - 1) / w->stride_w : 0;
  *end = first < w->w ? (w->w - 1 - first) / w->stride_w + 1 : 0;
  if (*end > w->ow) *end = w->ow;
  if (*begin > *end) *begin = *end;
}

/* The input row for row oh of the output and tap kh; -1: none. */
static int64_t row_of(const ten_wgrad2d *w, int64_t oh, int64_t kh) {
  const int64_t h = oh * w->stride_h + kh * w->dilation_h - w->pad_top;
  return h >= 0 && h < w->h ? h : -1;
}

/* T taps from kw on of an output row, one vector of channels; x is the input for column 0 and tap 0. Sums are VL
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
  for (int t = 0; t < T; t++) /* columns where not all taps are in bounds */
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

/* Fewer channels than a vector. */
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
  const int64_t width = w->co - wanted < VL ? w->co - wanted : VL; /* new channels in the last vector */
  float *const to = job->sums + part * taps * w->co + wanted;
  for (int64_t t = 0; t < taps; t++)
    memcpy(to + t * w->co, sums + t * VL + (wanted - channel), (size_t)width * sizeof *sums);
}

/* The taps of R rows of a kernel with KW columns, one vector of channels, along a row of the output: as many sums at
 * once as hide an addition's latency. x: the input rows' addresses for column 0 and tap 0. `sums`: `apart` from each
 * other. */
ALWAYS_INLINE void depth_strip(const ten_wgrad2d *w, const float *const *x, const float *g, float *sums, int64_t apart,
                               const int R, const int KW) {
  vf sum[3 * 7];
#pragma GCC unroll 32
  for (int t = 0; t < R * KW; t++) sum[t] = vload(sums + t * apart);
  int64_t begin, end, last, unused;
  columns_of(w, 0, &begin, &unused);
  columns_of(w, KW - 1, &unused, &end);
  const int64_t step = w->stride_w * w->ci, right = w->dilation_w * w->ci;
  if (end < begin) end = begin;
  for (int64_t o = 0; o < w->ow; o = last) {
    const bool inside = o >= begin && o < end;
    last = inside ? end : o < begin ? begin : w->ow;
    if (inside) {
      for (; o < last; o++) {
        const vf factor = vload(g + o * w->co);
#pragma GCC unroll 4
        for (int r = 0; r < R; r++)
#pragma GCC unroll 8
          for (int k = 0; k < KW; k++) sum[r * KW + k] += vload(x[r] + o * step + k * right) * factor;
      }
      continue;
    }
    for (; o < last; o++) {
      const vf factor = vload(g + o * w->co);
      const int64_t column = o * w->stride_w - w->pad_left;
#pragma GCC unroll 8
      for (int k = 0; k < KW; k++) {
        if ((uint64_t)(column + k * w->dilation_w) >= (uint64_t)w->w) continue;
#pragma GCC unroll 4
        for (int r = 0; r < R; r++) sum[r * KW + k] += vload(x[r] + o * step + k * right) * factor;
      }
    }
  }
#pragma GCC unroll 32
  for (int t = 0; t < R * KW; t++) vstore(sums + t * apart, sum[t]);
}

static void depth_strips(const ten_wgrad2d *w, int64_t rows, const float *const *x, const float *g, float *sums,
                         int64_t apart) {
  if (w->kw == 3 && rows == 3)
    depth_strip(w, x, g, sums, apart, 3, 3);
  else if (w->kw == 3 && rows == 2)
    depth_strip(w, x, g, sums, apart, 2, 3);
  else if (w->kw == 3)
    depth_strip(w, x, g, sums, apart, 1, 3);
  else if (w->kw == 5 && rows == 2)
    depth_strip(w, x, g, sums, apart, 2, 5);
  else if (w->kw == 5)
    depth_strip(w, x, g, sums, apart, 1, 5);
  else
    depth_strip(w, x, g, sums, apart, 1, 7);
}

/* Whether depth_strips has the window. */
static bool by_strips(const ten_wgrad2d *w) {
  return ROWS_TOGETHER && w->co >= VL && (w->kw == 3 || w->kw == 5 || w->kw == 7);
}

/* Channels [from, to) of a part: a row of the output at a time, all of its taps, so that its lines are read once. */
static void strips_task(void *context, int64_t index, unsigned thread) {
  (void)thread;
  const wgrad_job *job = context;
  const ten_wgrad2d *w = job->w;
  const int64_t split = blocks(w->co, BLOCK * VL), part = index / split, taps = w->kh * w->kw;
  const int64_t from = index % split * BLOCK * VL, to = from + BLOCK * VL < w->co ? from + BLOCK * VL : w->co;
  const int64_t first = part * job->rows, all = w->n * w->oh, most = w->kw == 3 ? 3 : w->kw == 5 ? 2 : 1;
  const int64_t last = first + job->rows < all ? first + job->rows : all;
  float sums[TEN_GROUP_TAPS * BLOCK * VL];
  memset(sums, 0, (size_t)(taps * BLOCK * VL) * sizeof *sums);
  for (int64_t row = first; row < last; row++) {
    const int64_t n = row / w->oh, oh = row % w->oh;
    for (int64_t kh = 0, rows; kh < w->kh; kh += rows) {
      const float *x[3];
      rows = 1;
      if (row_of(w, oh, kh) < 0) continue;
      for (rows = 0; rows < most && kh + rows < w->kh; rows++) {
        const int64_t h = row_of(w, oh, kh + rows);
        if (h < 0) break;
        x[rows] = w->x + ((n * w->h + h) * w->w - w->pad_left) * w->ci;
      }
      for (int64_t wanted = from; wanted < to; wanted += VL) { /* the last vector may overlap the one before */
        const int64_t channel = wanted + VL <= w->co ? wanted : w->co - VL;
        const float *at[3];
        for (int64_t r = 0; r < rows; r++) at[r] = x[r] + channel;
        depth_strips(w, rows, at, w->g + row * w->ow * w->co + channel,
                     sums + kh * w->kw * BLOCK * VL + (wanted - from), BLOCK * VL);
      }
    }
  }
  float *const result = job->sums + part * taps * w->co + from;
  const int64_t whole = (to - from) / VL * VL,
                rest = to - from - whole; /* the last vector's new channels are its last */
  for (int64_t t = 0; t < taps; t++) {
    memcpy(result + t * w->co, sums + t * BLOCK * VL, (size_t)whole * sizeof *sums);
    memcpy(result + t * w->co + whole, sums + t * BLOCK * VL + whole + (rest ? VL - rest : 0),
           (size_t)rest * sizeof *sums);
  }
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

void TEN_K(group_wgrad_run)(const ten_wgrad2d *w, ten_pool *pool) {
  wgrad_job job = {.w = w, .sums = w->scratch};
  job.parts = parts_of(w, &job.rows);
  if (!job.parts) {
    memset(w->dw, 0, (size_t)(w->kh * w->kw * w->co) * sizeof(float));
    return;
  }
  if (by_strips(w))
    ten_pool_run(pool, strips_task, &job, job.parts * blocks(w->co, BLOCK * VL));
  else
    ten_pool_run(pool, part_task, &job, job.parts * (w->co < VL ? 1 : blocks(w->co, VL)));
  ten_pool_run(pool, join_task, &job, w->kh * w->kw);
}
