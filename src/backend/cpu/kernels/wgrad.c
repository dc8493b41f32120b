/* wgrad.c: the kernel gradient of a 2-D convolution, channels last:
 *
 *   dw[kh, kw, ci, co] = Σ over output pixels p of x[p shifted by (kh, kw), ci] · g[p, co]
 *
 * a matmul whose rows are (kh, kw, ci), whose columns are co, and whose k runs over pixels. Channels are contiguous,
 * so a panel of rows is MR adjacent channels of each pixel: packing is copying. With few channels the input is
 * first copied with its padding: then the taps of a kernel row are contiguous, and fill panels. Each group of
 * channels is such a matmul. Pixels are processed in superblocks: first g is packed for all, then each task adds the
 * superblock's contribution to its own rows. Every element is summed in pixel order. */
#include <string.h>

#include "backend/cpu/kernels/group.h"
#include "backend/cpu/kernels/pad_row.h"
#include "backend/cpu/kernels/winograd.h"

enum {
  SUPERBLOCK = 4096,
  KC = 256,
  CI_PANELS = GEMM_NV > 2 ? 6 : 4,
  FEW_CHANNELS = 8,
  COPY_MOST = 16,
  COPY_SMALL = 1 << 12
};

typedef struct wgrad_job {
  const ten_wgrad2d *w;
  int64_t pixels, first, count;      /* of this superblock */
  int64_t groups, inputs, outputs;   /* channels per group */
  int64_t ci_blocks, columns;        /* per group; with padding */
  float *packed_g;                   /* [KC block][group][co panel][kc][its width] */
  float *packed_x;                   /* MR·KC·CI_PANELS per thread */
  const float *x;                    /* the input: in place, or a padded copy */
  int64_t h, width, pixel;           /* its size; pixel stride */
  int64_t pad_top, pad_left, taps_w; /* taps_w: runs of channels in a row of the kernel */
} wgrad_job;

static bool is_depthwise(const ten_wgrad2d *w) { return w->groups > 1 && w->groups == w->ci && w->groups == w->co; }

/* Unless strides or padding make the copy much larger than the input, or than any memory: doubles do not overflow. */
static bool is_padded(const ten_wgrad2d *w) {
  if (w->groups > 1 || w->ci >= FEW_CHANNELS || w->kw == 1 || w->dilation_w != 1) return false;
  const double rows = (double)(w->oh - 1) * (double)w->stride_h + (double)(w->kh - 1) * (double)w->dilation_h + 1,
               width = (double)(w->ow - 1) * (double)w->stride_w + (double)w->kw;
  return rows * width <= (double)COPY_MOST * (double)w->h * (double)w->w + (double)COPY_SMALL;
}

static int64_t superblock(const ten_wgrad2d *w) {
  const int64_t pixels = w->n * w->oh * w->ow;
  return pixels < SUPERBLOCK ? pixels : SUPERBLOCK;
}

static wgrad_job job_of(const ten_wgrad2d *w) {
  wgrad_job job = {.w = w, .pixels = w->n * w->oh * w->ow, .groups = w->groups > 1 ? w->groups : 1};
  job.inputs = w->ci / job.groups;
  job.outputs = w->co / job.groups;
  job.columns = gemm_padded(job.outputs);
  job.x = w->x;
  job.h = w->h, job.width = w->w, job.pixel = w->ci;
  job.pad_top = w->pad_top, job.pad_left = w->pad_left, job.taps_w = w->kw;
  if (is_padded(w)) {
    job.h = job.pixels ? (w->oh - 1) * w->stride_h + (w->kh - 1) * w->dilation_h + 1 : 0;
    job.width = job.pixels ? (w->ow - 1) * w->stride_w + w->kw : 0;
    job.pad_top = job.pad_left = 0;
    job.taps_w = 1;
    job.inputs = w->kw * w->ci;
  }
  job.ci_blocks = (job.inputs + GEMM_MR * CI_PANELS - 1) / (GEMM_MR * CI_PANELS);
  return job;
}

static int64_t padded_size(const wgrad_job *job) {
  return is_padded(job->w) ? round_up(job->w->n * job->h * job->width * job->w->ci, 16) : 0;
}

size_t TEN_K(wgrad_scratch)(const ten_wgrad2d *w, unsigned threads) {
  if (is_depthwise(w)) return TEN_K(group_wgrad_scratch)(w);
  if (w->winograd) return TEN_K(winograd_wgrad_scratch)(w, threads);
  const wgrad_job job = job_of(w);
  const int64_t packed = superblock(w) * job.groups * job.columns, own = (int64_t)threads * GEMM_MR * KC * CI_PANELS;
  return (size_t)(packed + own + padded_size(&job)) * sizeof(float) + 128;
}

static void pack_task(void *context, int64_t block, unsigned thread) {
  (void)thread;
  const wgrad_job *job = context;
  const ten_wgrad2d *w = job->w;
  const int64_t k0 = block * KC, kc = job->count - k0 < KC ? job->count - k0 : KC;
  float *to = job->packed_g + k0 * job->groups * job->columns;
  for (int64_t group = 0; group < job->groups; group++)
    for (int64_t n0 = 0, width; n0 < job->outputs; n0 += width) {
      const int64_t columns = gemm_columns(job->outputs, n0);
      const float *from = w->g + (job->first + k0) * w->co + group * job->outputs + n0;
      width = gemm_width(job->outputs, n0);
      for (int64_t k = 0; k < kc; k++, to += width) {
        memcpy(to, from + k * w->co, (size_t)columns * sizeof(float));
        for (int64_t j = columns; j < width; j++) to[j] = 0;
      }
    }
}

/* Copies one row of the input with its padding; the job's `x` is already that copy. */
static void pad_task(void *context, int64_t index, unsigned thread) {
  (void)thread;
  const wgrad_job *job = context;
  const ten_wgrad2d *w = job->w;
  const padded_images images = {.x = w->x,
                                .h = w->h,
                                .w = w->w,
                                .ci = w->ci,
                                .pad_top = w->pad_top,
                                .pad_left = w->pad_left,
                                .rows = job->h,
                                .width = job->width,
                                .out = (float *)job->x};
  pad_row(&images, index);
}

/* Packs MR channels from `channel` on, of each of kc shifted pixels; zero out of bounds. */
static void pack_pixels(const wgrad_job *job, int64_t tap, int64_t channel, int64_t rows, int64_t first, int64_t kc,
                        float *to) {
  const ten_wgrad2d *w = job->w;
  const int64_t kh = tap / job->taps_w, kw = tap % job->taps_w;
  int64_t ow = first % w->ow, oh = first / w->ow % w->oh, n = first / w->ow / w->oh;
  for (int64_t k = 0; k < kc;) { /* by rows of the output */
    const int64_t run = w->ow - ow < kc - k ? w->ow - ow : kc - k;
    const int64_t ih = oh * w->stride_h + kh * w->dilation_h - job->pad_top;
    const bool row = ih >= 0 && ih < job->h;
    const float *x = job->x + (row ? (n * job->h + ih) * job->width * job->pixel + channel : 0);
    for (int64_t i = 0; i < run; i++, to += GEMM_MR) {
      const int64_t iw = (ow + i) * w->stride_w + kw * w->dilation_w - job->pad_left;
      const bool inside = row && iw >= 0 && iw < job->width;
      if (inside && rows == GEMM_MR) {
        memcpy(to, x + iw * job->pixel, GEMM_MR * sizeof(float));
        continue;
      }
      for (int64_t c = 0; c < GEMM_MR; c++) to[c] = inside && c < rows ? x[iw * job->pixel + c] : 0;
    }
    k += run;
    ow = 0;
    if (++oh == w->oh) oh = 0, n++;
  }
}

static void sum_task(void *context, int64_t index, unsigned thread) {
  const wgrad_job *job = context;
  const ten_wgrad2d *w = job->w;
  const int64_t taps = w->kh * job->taps_w, tap = index / job->ci_blocks % taps, group = index / job->ci_blocks / taps;
  const int64_t c0 = index % job->ci_blocks * GEMM_MR * CI_PANELS;
  const int64_t c1 = c0 + GEMM_MR * CI_PANELS < job->inputs ? c0 + GEMM_MR * CI_PANELS : job->inputs;
  float *packed = job->packed_x + (int64_t)thread * GEMM_MR * KC * CI_PANELS;
  for (int64_t k0 = 0; k0 < job->count; k0 += KC) {
    const int64_t kc = job->count - k0 < KC ? job->count - k0 : KC;
    for (int64_t c = c0; c < c1; c += GEMM_MR)
      pack_pixels(job, tap, group * job->inputs + c, c1 - c < GEMM_MR ? c1 - c : GEMM_MR, job->first + k0, kc,
                  packed + (c - c0) * kc);
    const float *const packed_g = job->packed_g + k0 * job->groups * job->columns + group * job->columns * kc;
    for (int64_t n0 = 0; n0 < job->outputs; n0 += gemm_width(job->outputs, n0)) {
      const float *g = packed_g + n0 * kc;
      for (int64_t c = c0; c < c1; c += GEMM_MR)
        TEN_K(gemm_tile)(c1 - c < GEMM_MR ? (int)(c1 - c) : GEMM_MR, gemm_columns(job->outputs, n0), kc,
                         packed + (c - c0) * kc, 0, g,
                         w->dw + (tap * job->inputs + c) * w->co + group * job->outputs + n0, w->co,
                         job->first + k0 > 0, (gemm_ahead){0});
    }
  }
}

void TEN_K(wgrad_run)(const ten_wgrad2d *w, ten_pool *pool) {
  if (is_depthwise(w)) {
    TEN_K(group_wgrad_run)(w, pool);
    return;
  }
  if (w->winograd) {
    TEN_K(winograd_wgrad_run)(w, pool);
    return;
  }
  wgrad_job job = job_of(w);
  const int64_t most = superblock(w);
  if (!job.pixels) {
    memset(w->dw, 0, (size_t)(w->kh * job.taps_w * job.inputs * w->co) * sizeof(float));
    return;
  }
  job.packed_g = w->scratch;
  job.packed_x = job.packed_g + most * job.groups * job.columns;
  if (is_padded(w)) {
    job.x = job.packed_x;
    job.packed_x += padded_size(&job);
    ten_pool_run(pool, pad_task, &job, w->n * job.h);
  }
  for (job.first = 0; job.first < job.pixels; job.first += most) {
    job.count = job.pixels - job.first < most ? job.pixels - job.first : most;
    ten_pool_run(pool, pack_task, &job, (job.count + KC - 1) / KC);
    ten_pool_run(pool, sum_task, &job, job.groups * w->kh * job.taps_w * job.ci_blocks);
  }
}
