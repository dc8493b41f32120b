/* wgrad_winograd.c: the kernel gradient of a 3×3 convolution of stride 1 with a quarter of the multiplications.
 *
 * F(3×3, 4×4) computes the contribution to dw of 4×4 tiles of the cotangent g and 6×6 patches of the input x. Both are
 * transformed to 36 frequencies; for each, dw's transform is the matmul of x's and g's over all tiles; 36 frequencies
 * are transformed back to 9 taps. Tiles are processed in superblocks: first both are transformed, directly into packed
 * panels, then a task takes a few panels of channels through all frequencies and back, in cache, and adds the
 * superblock's contribution to its own elements of dw: every element is summed in one order, for any threads. */
#include <string.h>

#include "backend/cpu/kernels/winograd.h"

/* A superblock's g for CO_PANELS panels, and its x for one, stay in L2. */
enum { TILES = 128, AREAS = 36, CO_PANELS = 2, GROUP = 4, SMALL = 64, TILES_LEAST = 32, CHANNELS_LEAST = 16 };
/* A multiple of both the vector and the panel width. */
enum { CHUNK = GEMM_MR % VL == 0 ? GEMM_MR : GEMM_MR * VL / (GEMM_MR % 4 == 0 && VL % 4 == 0 ? 4 : 2) };

typedef struct wgrad_job {
  const ten_wgrad2d *w;
  int64_t tiles_h, tiles_w, tiles, first, count; /* in total; of this superblock */
  int64_t ci_panels, co_panels, group, groups;
  float *x;    /* [ci panel][frequency][tile][MR] */
  float *g;    /* [co panel][frequency][tile][its width] */
  float *sums; /* per thread: [panel][frequency][MR][NR] */
} wgrad_job;

static wgrad_job job_of(const ten_wgrad2d *w) {
  wgrad_job job = {.w = w, .tiles_h = (w->oh + 3) / 4, .tiles_w = (w->ow + 3) / 4};
  job.tiles = w->n * job.tiles_h * job.tiles_w;
  job.ci_panels = (w->ci + GEMM_MR - 1) / GEMM_MR;
  job.co_panels = gemm_panels(w->co);
  const int64_t pairs = (job.co_panels + CO_PANELS - 1) / CO_PANELS;
  job.group = pairs * job.ci_panels >= SMALL ? GROUP : 1;
  job.groups = (job.ci_panels + job.group - 1) / job.group;
  return job;
}

bool TEN_K(winograd_wgrad_can)(const ten_wgrad2d *w) {
  return w->kh == 3 && w->kw == 3 && w->stride_h == 1 && w->stride_w == 1 && w->dilation_h == 1 && w->dilation_w == 1 &&
         w->ci >= CHANNELS_LEAST && w->co >= CHANNELS_LEAST && job_of(w).tiles >= TILES_LEAST;
}

enum { SUMS = CO_PANELS * AREAS * GEMM_MR * GEMM_NR };

size_t TEN_K(winograd_wgrad_scratch)(const ten_wgrad2d *w, unsigned threads) {
  const wgrad_job job = job_of(w);
  const int64_t each = AREAS * TILES * (job.ci_panels * GEMM_MR + gemm_padded(w->co));
  return (size_t)(each + (int64_t)threads * SUMS) * sizeof(float) + 128;
}

/* One dimension of the cotangent's transform: four values to six. */
ALWAYS_INLINE void cotangent_6(const vf *g, int step, vf *out, int out_step) {
  const vf even = (g[0] + g[2 * step]) * (-1.0f / 6), odd = (g[step] + g[3 * step]) * (-1.0f / 6);
  const vf far = g[0] * (1.0f / 24) + g[2 * step] * (1.0f / 6), near = g[step] * (1.0f / 12) + g[3 * step] * (1.0f / 3);
  out[0] = g[0] * 0.25f;
  out[out_step] = even + odd;
  out[2 * out_step] = even - odd;
  out[3 * out_step] = far + near;
  out[4 * out_step] = far - near;
  out[5 * out_step] = g[3 * step];
}

/* One dimension of the inverse transform: six values to three. */
ALWAYS_INLINE void taps_6(const vf *m, int step, vf *out, int out_step) {
  const vf sum1 = m[step] + m[2 * step], sum2 = m[3 * step] + m[4 * step];
  out[0] = m[0] + sum1 + sum2;
  out[out_step] = (m[step] - m[2 * step]) + 2.0f * (m[3 * step] - m[4 * step]);
  out[2 * out_step] = sum1 + 4.0f * sum2 + m[5 * step];
}

/* A patch of size × size from (h0, w0) on, zero out of bounds, VL channels from c on. */
ALWAYS_INLINE void load_patch(const float *image, int64_t h, int64_t w, int64_t channels, int64_t h0, int64_t w0,
                              const int size, int64_t c, vf *out) {
  for (int i = 0; i < size; i++)
    for (int j = 0; j < size; j++) {
      const bool inside = h0 + i >= 0 && h0 + i < h && w0 + j >= 0 && w0 + j < w && c < channels;
      out[i * size + j] =
          inside ? winograd_load(image + ((h0 + i) * w + w0 + j) * channels + c, channels - c) : (vf){0};
    }
}

static void transform_x(const wgrad_job *job, const float *image, int64_t h0, int64_t w0, int64_t tile) {
  const ten_wgrad2d *w = job->w;
  for (int64_t c0 = 0; c0 < w->ci; c0 += CHUNK) {
    _Alignas(64) float rows[AREAS][CHUNK];
    for (int64_t c = c0; c < c0 + CHUNK; c += VL) {
      vf d[AREAS];
      load_patch(image, w->h, w->w, w->ci, h0, w0, 6, c, d);
      for (int i = 0; i < 6; i++) winograd_input_6(d + i * 6, 1);
      for (int j = 0; j < 6; j++) winograd_input_6(d + j, 6);
      for (int f = 0; f < AREAS; f++) vstore(&rows[f][c - c0], d[f]);
    }
    for (int64_t c = c0; c < c0 + CHUNK && c < w->ci; c += GEMM_MR) {
      float *to = job->x + (c / GEMM_MR * AREAS * TILES + tile) * GEMM_MR;
      for (int f = 0; f < AREAS; f++)
        memcpy(to + (int64_t)f * TILES * GEMM_MR, &rows[f][c - c0], GEMM_MR * sizeof(float));
    }
  }
}

static void transform_g(const wgrad_job *job, const float *image, int64_t h0, int64_t w0, int64_t tile) {
  const ten_wgrad2d *w = job->w;
  for (int64_t c = 0, n0 = 0, width = gemm_width(w->co, 0); c < gemm_padded(w->co); c += VL) {
    if (c == n0 + width) n0 = c, width = gemm_width(w->co, n0);
    vf patch[16], half[24], out[AREAS];
    load_patch(image, w->oh, w->ow, w->co, h0, w0, 4, c, patch);
    for (int j = 0; j < 4; j++) cotangent_6(patch + j, 4, half + j, 4);
    for (int i = 0; i < 6; i++) cotangent_6(half + i * 4, 1, out + i * 6, 1);
    float *to = job->g + n0 * AREAS * TILES + tile * width + c - n0;
    for (int f = 0; f < AREAS; f++) vstore(to + f * TILES * width, out[f]);
  }
}

static void transform_task(void *context, int64_t index, unsigned thread) {
  (void)thread;
  const wgrad_job *job = context;
  const ten_wgrad2d *w = job->w;
  const int64_t tile = job->first + index, n = tile / job->tiles_w / job->tiles_h;
  const int64_t h0 = tile / job->tiles_w % job->tiles_h * 4, w0 = tile % job->tiles_w * 4;
  transform_x(job, w->x + n * w->h * w->w * w->ci, h0 - w->pad_top, w0 - w->pad_left, index);
  transform_g(job, w->g + n * w->oh * w->ow * w->co, h0, w0, index);
}

/* One panel of ci by one of co: transforms back to taps, adds to dw. */
static void add_taps(const wgrad_job *job, const float *sums, int64_t c0, int64_t n0) {
  const ten_wgrad2d *w = job->w;
  const int columns = gemm_columns(w->co, n0);
  for (int64_t i = 0; i < GEMM_MR && c0 + i < w->ci; i++)
    for (int64_t v = 0; v < columns; v += VL) {
      vf m[AREAS], half[18], out[9];
      for (int f = 0; f < AREAS; f++) m[f] = vload(sums + (f * GEMM_MR + i) * GEMM_NR + v);
      for (int j = 0; j < 6; j++) taps_6(m + j, 6, half + j, 6);
      for (int r = 0; r < 3; r++) taps_6(half + r * 6, 1, out + r * 3, 1);
      const int64_t lanes = w->co - n0 - v < VL ? w->co - n0 - v : VL;
      for (int tap = 0; tap < 9; tap++) {
        float *to = w->dw + (tap * w->ci + c0 + i) * w->co + n0 + v;
        vf value = out[tap];
        if (job->first) value += winograd_load(to, lanes);
        if (lanes == VL)
          vstore(to, value);
        else
          memcpy(to, &value, (size_t)lanes * sizeof(float));
      }
    }
}

static void product_task(void *context, int64_t index, unsigned thread) {
  const wgrad_job *job = context;
  float *sums = job->sums + (int64_t)thread * SUMS;
  const int64_t n0 = index / job->groups * CO_PANELS, p0 = index % job->groups * job->group;
  const int64_t n1 = n0 + CO_PANELS < job->co_panels ? n0 + CO_PANELS : job->co_panels, co = job->w->co;
  for (int64_t p = p0; p < p0 + job->group && p < job->ci_panels; p++) {
    const float *x = job->x + p * AREAS * TILES * GEMM_MR;
    for (int64_t f = 0; f < AREAS; f++)
      for (int64_t n = n0; n < n1; n++) {
        const int64_t at = gemm_panel(co, n), width = gemm_width(co, at);
        TEN_K(gemm_tile)(GEMM_MR, (int)width, job->count, x + f * TILES * GEMM_MR, 0,
                         job->g + (at * AREAS + f * width) * TILES, sums + ((n - n0) * AREAS + f) * GEMM_MR * GEMM_NR,
                         GEMM_NR, false, (gemm_ahead){0});
      }
    for (int64_t n = n0; n < n1; n++)
      add_taps(job, sums + (n - n0) * AREAS * GEMM_MR * GEMM_NR, p * GEMM_MR, gemm_panel(co, n));
  }
}

void TEN_K(winograd_wgrad_run)(const ten_wgrad2d *w, ten_pool *pool) {
  wgrad_job job = job_of(w);
  job.x = w->scratch;
  job.g = job.x + AREAS * TILES * job.ci_panels * GEMM_MR;
  job.sums = job.g + AREAS * TILES * gemm_padded(w->co);
  const int64_t pairs = (job.co_panels + CO_PANELS - 1) / CO_PANELS;
  for (job.first = 0; job.first < job.tiles; job.first += TILES) {
    job.count = job.tiles - job.first < TILES ? job.tiles - job.first : TILES;
    ten_pool_run(pool, transform_task, &job, job.count);
    ten_pool_run(pool, product_task, &job, pairs * job.groups);
  }
}
