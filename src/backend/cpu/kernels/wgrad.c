/* wgrad.c: the gradient of a 2-D convolution by its kernel, channels last:
 *
 *   dw[kh, kw, ci, co] = Σ over output pixels p of x[p shifted by (kh, kw), ci] · g[p, co]
 *
 * a product whose rows are (kh, kw, ci), whose columns are co, and whose k runs over pixels. Channels are contiguous,
 * so a panel of rows is MR neighbouring channels of each pixel: packing is copying. Pixels go by in superblocks: first
 * g is packed for all, then each task adds the superblock's part to its own rows. Every element is summed in the order
 * of the pixels. */
#include <string.h>

#include "backend/cpu/kernels/group.h"
#include "backend/cpu/kernels/winograd.h"

enum { SUPERBLOCK = 4096, KC = 256, CI_PANELS = GEMM_NV > 2 ? 6 : 4 };

typedef struct wgrad_job {
  const ten_wgrad2d *w;
  int64_t pixels, first, count; /* of this superblock */
  int64_t ci_blocks, columns;   /* with padding */
  float *packed_g;              /* [KC block][co panel][kc][its width] */
  float *packed_x;              /* MR·KC·CI_PANELS for each thread */
} wgrad_job;

static int64_t superblock(const ten_wgrad2d *w) {
  const int64_t pixels = w->n * w->oh * w->ow;
  return pixels < SUPERBLOCK ? pixels : SUPERBLOCK;
}

size_t TEN_K(wgrad_scratch)(const ten_wgrad2d *w, unsigned threads) {
  if (w->groups > 1) return TEN_K(group_wgrad_scratch)(w);
  if (w->winograd) return TEN_K(winograd_wgrad_scratch)(w, threads);
  return (size_t)(superblock(w) * gemm_padded(w->co) + (int64_t)threads * GEMM_MR * KC * CI_PANELS) * sizeof(float) +
         128;
}

static void pack_task(void *context, int64_t block, unsigned thread) {
  (void)thread;
  const wgrad_job *job = context;
  const ten_wgrad2d *w = job->w;
  const int64_t k0 = block * KC, kc = job->count - k0 < KC ? job->count - k0 : KC;
  float *to = job->packed_g + k0 * job->columns;
  for (int64_t n0 = 0, width; n0 < w->co; n0 += width) {
    const int64_t columns = gemm_columns(w->co, n0);
    width = gemm_width(w->co, n0);
    for (int64_t k = 0; k < kc; k++, to += width) {
      memcpy(to, w->g + (job->first + k0 + k) * w->co + n0, (size_t)columns * sizeof(float));
      for (int64_t j = columns; j < width; j++) to[j] = 0;
    }
  }
}

/* MR channels from ci on, of each of kc shifted pixels; zero outside of the input. */
static void pack_pixels(const ten_wgrad2d *w, int64_t tap, int64_t ci, int64_t rows, int64_t first, int64_t kc,
                        float *to) {
  const int64_t kh = tap / w->kw, kw = tap % w->kw;
  int64_t ow = first % w->ow, oh = first / w->ow % w->oh, n = first / w->ow / w->oh;
  for (int64_t k = 0; k < kc;) { /* row by row of the output */
    const int64_t run = w->ow - ow < kc - k ? w->ow - ow : kc - k;
    const int64_t ih = oh * w->stride_h + kh * w->dilation_h - w->pad_top;
    const bool row = ih >= 0 && ih < w->h;
    const float *x = w->x + (row ? (n * w->h + ih) * w->w * w->ci + ci : 0);
    for (int64_t i = 0; i < run; i++, to += GEMM_MR) {
      const int64_t iw = (ow + i) * w->stride_w + kw * w->dilation_w - w->pad_left;
      const bool inside = row && iw >= 0 && iw < w->w;
      if (inside && rows == GEMM_MR) {
        memcpy(to, x + iw * w->ci, GEMM_MR * sizeof(float));
        continue;
      }
      for (int64_t c = 0; c < GEMM_MR; c++) to[c] = inside && c < rows ? x[iw * w->ci + c] : 0;
    }
    k += run;
    ow = 0;
    if (++oh == w->oh) oh = 0, n++;
  }
}

static void sum_task(void *context, int64_t index, unsigned thread) {
  const wgrad_job *job = context;
  const ten_wgrad2d *w = job->w;
  const int64_t tap = index / job->ci_blocks, c0 = index % job->ci_blocks * GEMM_MR * CI_PANELS;
  const int64_t c1 = c0 + GEMM_MR * CI_PANELS < w->ci ? c0 + GEMM_MR * CI_PANELS : w->ci;
  float *packed = job->packed_x + (int64_t)thread * GEMM_MR * KC * CI_PANELS;
  for (int64_t k0 = 0; k0 < job->count; k0 += KC) {
    const int64_t kc = job->count - k0 < KC ? job->count - k0 : KC;
    for (int64_t c = c0; c < c1; c += GEMM_MR)
      pack_pixels(w, tap, c, c1 - c < GEMM_MR ? c1 - c : GEMM_MR, job->first + k0, kc, packed + (c - c0) * kc);
    for (int64_t n0 = 0; n0 < w->co; n0 += gemm_width(w->co, n0)) {
      const float *g = job->packed_g + k0 * job->columns + n0 * kc;
      for (int64_t c = c0; c < c1; c += GEMM_MR)
        TEN_K(gemm_tile)(c1 - c < GEMM_MR ? (int)(c1 - c) : GEMM_MR, gemm_columns(w->co, n0), kc,
                         packed + (c - c0) * kc, 0, g, w->dw + (tap * w->ci + c) * w->co + n0, w->co,
                         job->first + k0 > 0, (gemm_ahead){0});
    }
  }
}

void TEN_K(wgrad_run)(const ten_wgrad2d *w, ten_pool *pool) {
  if (w->groups > 1) {
    TEN_K(group_wgrad_run)(w, pool);
    return;
  }
  if (w->winograd) {
    TEN_K(winograd_wgrad_run)(w, pool);
    return;
  }
  wgrad_job job = {.w = w, .pixels = w->n * w->oh * w->ow};
  const int64_t taps = w->kh * w->kw, most = superblock(w);
  if (!job.pixels) {
    memset(w->dw, 0, (size_t)(taps * w->ci * w->co) * sizeof(float));
    return;
  }
  job.ci_blocks = (w->ci + GEMM_MR * CI_PANELS - 1) / (GEMM_MR * CI_PANELS);
  job.columns = gemm_padded(w->co);
  job.packed_g = w->scratch;
  job.packed_x = job.packed_g + most * job.columns;
  for (job.first = 0; job.first < job.pixels; job.first += most) {
    job.count = job.pixels - job.first < most ? job.pixels - job.first : most;
    ten_pool_run(pool, pack_task, &job, (job.count + KC - 1) / KC);
    ten_pool_run(pool, sum_task, &job, taps * job.ci_blocks);
  }
}
