/* conv.c: 2-D convolution, channels last, as a matmul: rows are output pixels, columns output channels, k runs over
 * (kh, kw, ci). Patches are gathered panel by panel while A is packed (implicit im2col). With few channels the input is
 * first copied with its padding: then a row of the kernel's taps is contiguous, and pixels are rows at a fixed stride,
 * which AVX-512 multiplies in place. For few pixels and a large kernel, patches are packed once for all, and tasks
 * split columns, so that the kernel is read once. Winograd is in winograd.c. */
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/kernels/group.h"
#include "backend/cpu/kernels/pad_row.h"
#include "backend/cpu/kernels/winograd.h"

enum {
  KC = 384,
  MC_PANELS = GEMM_NV > 2 ? 12 : 8,
  FEW_ROWS = 200,
  FEWER_ROWS = 8 * GEMM_MR /* below: one block */,
  LARGE = 1 << 18 /* elements of a kernel */,
  PACK_PARTS = 4
};

static bool is_pointwise(const ten_conv2d *c) {
  return c->kh == 1 && c->kw == 1 && c->stride_h == 1 && c->stride_w == 1 && !c->pad_top && !c->pad_left &&
         c->oh == c->h && c->ow == c->w;
}

static bool is_3x3(const ten_conv2d *c) {
  return c->kh == 3 && c->kw == 3 && c->stride_h == 1 && c->stride_w == 1 && c->dilation_h == 1 && c->dilation_w == 1;
}

bool TEN_K(conv_can)(const ten_conv2d *conv, ten_conv_algorithm algorithm) {
  if (algorithm == TEN_CONV_GROUPS) return TEN_K(group_can)(conv);
  if (conv->groups > 1 || conv->spread_h > 1 || conv->spread_w > 1) return false;
  switch (algorithm) {
    case TEN_CONV_GROUPS: break;
    case TEN_CONV_GEMM: return is_pointwise(conv);
    case TEN_CONV_IM2COL: return true;
    case TEN_CONV_WINOGRAD43:
    case TEN_CONV_WINOGRAD23: return is_3x3(conv);
  }
  return false;
}

int64_t TEN_K(conv_packed_size)(const ten_conv2d *conv, ten_conv_algorithm algorithm) {
  if (algorithm == TEN_CONV_GROUPS) return TEN_K(group_packed_size)(conv);
  if (algorithm == TEN_CONV_WINOGRAD43) return 36 * TEN_K(gemm_packed_size)(conv->ci, conv->co);
  if (algorithm == TEN_CONV_WINOGRAD23) return 16 * TEN_K(gemm_packed_size)(conv->ci, conv->co);
  return TEN_K(gemm_packed_size)(conv->kh * conv->kw * conv->ci, conv->co);
}

int64_t TEN_K(conv_pack_units)(const ten_conv2d *conv) {
  return conv->algorithm == TEN_CONV_GROUPS ? TEN_K(group_pack_units)(conv) : gemm_panels(conv->co);
}

enum { PACK_ROWS = 96 };

typedef float quad __attribute__((vector_size(16), aligned(4), may_alias));

/* Transposes `columns` of `rows` contiguous elements each, `apart`: row i goes to block + to[i]. */
static void transpose_columns(const float *from, int64_t apart, int64_t columns, int64_t rows, const int32_t *to,
                              float *block) {
  int64_t j = 0;
  for (; j + 4 <= columns; j += 4) {
    const float *x = from + j * apart;
    int64_t i = 0;
    for (; i + 4 <= rows; i += 4) {
      const quad a = *(const quad *)(x + i), b = *(const quad *)(x + apart + i), c = *(const quad *)(x + 2 * apart + i),
                 d = *(const quad *)(x + 3 * apart + i);
      const quad ab0 = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab1 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
      const quad cd0 = __builtin_shufflevector(c, d, 0, 4, 1, 5), cd1 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
      *(quad *)(block + to[i] + j) = __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5);
      *(quad *)(block + to[i + 1] + j) = __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7);
      *(quad *)(block + to[i + 2] + j) = __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5);
      *(quad *)(block + to[i + 3] + j) = __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7);
    }
    for (; i < rows; i++)
      for (int64_t k = 0; k < 4; k++) block[to[i] + j + k] = x[k * apart + i];
  }
  for (; j < columns; j++)
    for (int64_t i = 0; i < rows; i++) block[to[i] + j] = from[j * apart + i];
}

/* Taps of input channels [ci, ci + count) for the panel's columns: read in memory order, stored as
 * [tap][channel][column] in `block`. */
static void gather_block(const ten_conv2d *c, const float *kernel, const int64_t strides[4], int64_t n0, int64_t ci,
                         int64_t count, float *block) {
  const int64_t columns = gemm_columns(c->co, n0), width = gemm_width(c->co, n0), taps = c->kh * c->kw;
  int32_t from[PACK_ROWS], to[PACK_ROWS];             /* by channel and tap */
  bool dense = llabs(strides[2]) < llabs(strides[3]); /* a column is contiguous */
  for (int64_t at = 0, i = 0; at < count; at++)
    for (int64_t tap = 0; tap < taps; tap++, i++) {
      from[i] = (int32_t)(at * strides[2] + tap / c->kw * strides[0] + tap % c->kw * strides[1]);
      to[i] = (int32_t)((tap * count + at) * width);
      dense &= from[i] == i;
    }
  const float *const first = kernel + ci * strides[2] + n0 * strides[3];
  if (columns < width) memset(block, 0, (size_t)(taps * count * width) * sizeof *block);
  if (dense) {
    transpose_columns(first, strides[3], columns, taps * count, to, block);
    return;
  }
  for (int64_t i = 0; i < taps * count; i++)
    for (int64_t j = 0; j < columns; j++) block[to[i] + j] = first[from[i] + j * strides[3]];
}

static void pack_panel(const ten_conv2d *c, const float *kernel, const int64_t strides[4], int64_t n0, float *to) {
  const int64_t columns = gemm_columns(c->co, n0), width = gemm_width(c->co, n0), taps = c->kh * c->kw;
  const int64_t reach = PACK_ROWS * llabs(strides[2]) + c->kh * llabs(strides[0]) + c->kw * llabs(strides[1]);
  if (strides[3] == 1 || taps > PACK_ROWS || reach > INT32_MAX) {
    for (int64_t kh = 0; kh < c->kh; kh++)
      for (int64_t kw = 0; kw < c->kw; kw++)
        for (int64_t ci = 0; ci < c->ci; ci++, to += width) {
          const float *from = kernel + kh * strides[0] + kw * strides[1] + ci * strides[2] + n0 * strides[3];
          for (int64_t j = 0; j < width; j++) to[j] = j < columns ? from[j * strides[3]] : 0;
        }
    return;
  }
  const int64_t each = PACK_ROWS / taps;
  _Alignas(64) float block[PACK_ROWS * GEMM_NR];
  for (int64_t ci = 0; ci < c->ci; ci += each) {
    const int64_t count = c->ci - ci < each ? c->ci - ci : each;
    gather_block(c, kernel, strides, n0, ci, count, block);
    for (int64_t tap = 0; tap < taps; tap++)
      memcpy(to + (tap * c->ci + ci) * width, block + tap * count * width, (size_t)(count * width) * sizeof *to);
  }
}

void TEN_K(conv_pack)(const ten_conv2d *conv, ten_conv_algorithm algorithm, const float *kernel,
                      const int64_t strides[4], int64_t begin, int64_t end, float *packed) {
  if (algorithm == TEN_CONV_GROUPS) {
    TEN_K(group_pack)(conv, kernel, strides, begin, end, packed);
    return;
  }
  if (algorithm == TEN_CONV_WINOGRAD43 || algorithm == TEN_CONV_WINOGRAD23) {
    TEN_K(winograd_pack)(conv, algorithm, kernel, strides, begin, end, packed);
    return;
  }
  for (int64_t panel = begin; panel < end; panel++)
    pack_panel(conv, kernel, strides, gemm_panel(conv->co, panel),
               packed + gemm_panel(conv->co, panel) * conv->kh * conv->kw * conv->ci);
}

typedef struct conv_job {
  const ten_conv2d *conv;
  int64_t rows, k, mc, nc, m_blocks, n_blocks, packed_rows;
  size_t scratch_each;
  float *shared; /* all patches, packed; NULL: each task packs its own */
  const float *zeros;
  /* the input: in place, or a padded copy */
  bool padded;
  const float *x;
  int64_t h, w, pad_top, pad_left;
  int64_t run, taps_w; /* contiguous elements, and the number of such runs in a row of the kernel */
} conv_job;

enum { FEW_CHANNELS = 16 };

static bool is_padded(const ten_conv2d *c) { return c->ci < FEW_CHANNELS && c->kw > 1 && c->dilation_w == 1; }

/* Whether pixels are multiplied in place. */
static bool lies(const ten_conv2d *c) {
  enum { RUN = 16 };
  return GEMM_IN_PLACE && is_padded(c) && c->kw * c->ci >= RUN;
}

/* Bytes of all packed patches, if several threads share them. */
static size_t shared_size(const ten_conv2d *c) {
  const int64_t rows = c->n * c->oh * c->ow, k = c->kh * c->kw * c->ci;
  if (c->block > 0 || rows > FEW_ROWS || k * c->co < LARGE || lies(c)) return 0;
  return (size_t)round_up(round_up(rows, GEMM_MR) * k, 16) * sizeof(float);
}

static conv_job job_of(const ten_conv2d *c, unsigned threads) {
  conv_job job = {.conv = c, .rows = c->n * c->oh * c->ow, .k = c->kh * c->kw * c->ci, .nc = round_up(c->co, GEMM_NR)};
  job.padded = is_padded(c);
  job.x = c->x;
  job.h = job.padded ? (c->oh - 1) * c->stride_h + (c->kh - 1) * c->dilation_h + 1 : c->h;
  job.w = job.padded ? (c->ow - 1) * c->stride_w + c->kw : c->w;
  job.pad_top = job.padded ? 0 : c->pad_top;
  job.pad_left = job.padded ? 0 : c->pad_left;
  job.run = job.padded ? c->kw * c->ci : c->ci;
  job.taps_w = job.padded ? 1 : c->kw;
  if (threads > 1 && shared_size(c)) {
    const int64_t tasks = (int64_t)threads * 8;
    job.packed_rows = round_up(job.rows, GEMM_MR);
    job.mc = job.rows < FEWER_ROWS ? job.packed_rows : round_up(job.packed_rows / 2, GEMM_MR); /* evens out tasks */
    job.m_blocks = (job.rows + job.mc - 1) / job.mc;
    job.nc = round_up((c->co + tasks - 1) / tasks, GEMM_NR);
    job.n_blocks = (c->co + job.nc - 1) / job.nc;
    return job;
  }
  const int64_t panels = (job.rows + GEMM_MR - 1) / GEMM_MR, wanted = threads > 1 ? (int64_t)threads * 4 : 1;
  const int64_t most = c->block > 0 ? c->block : MC_PANELS;
  int64_t per = panels < most ? panels : most;
  while (per > 1 && (panels + per - 1) / per < wanted) per = (per + 1) / 2;
  job.mc = (per ? per : 1) * GEMM_MR;
  if (lies(c) && c->ow > 0) job.mc = round_up(job.mc, c->ow); /* rows of the output */
  job.m_blocks = (job.rows + job.mc - 1) / job.mc;
  if (job.m_blocks < wanted && threads > 1) {
    const int64_t split = (wanted + job.m_blocks - 1) / (job.m_blocks ? job.m_blocks : 1);
    const int64_t nc = round_up((c->co + split - 1) / split, GEMM_NR);
    job.nc = nc < 4 * GEMM_NR ? 4 * GEMM_NR : nc;
  }
  job.n_blocks = (c->co + job.nc - 1) / job.nc;
  if (!lies(c)) job.scratch_each = ((size_t)(job.mc * (job.k < KC ? job.k : KC)) * sizeof(float) + 127) / 64 * 64;
  return job;
}

static size_t zeros_bytes(const conv_job *job) { return ((size_t)job->run * sizeof(float) + 63) / 64 * 64; }

static size_t padded_bytes(const conv_job *job) {
  return job->padded ? (size_t)(job->conv->n * job->h * job->w * job->conv->ci) * sizeof(float) : 0;
}

/* Copies one row of the input with its padding; the job's `x` is already that copy. */
static void pad_task(void *context, int64_t index, unsigned thread) {
  (void)thread;
  const conv_job *job = context;
  const ten_conv2d *c = job->conv;
  const padded_images images = {.x = c->x,
                                .h = c->h,
                                .w = c->w,
                                .ci = c->ci,
                                .pad_top = c->pad_top,
                                .pad_left = c->pad_left,
                                .rows = job->h,
                                .width = job->w,
                                .out = (float *)job->x};
  pad_row(&images, index);
}

/* MR output pixels: the input position of each one's first tap, which may be out of bounds. */
typedef struct conv_pixels {
  int64_t ih[GEMM_MR], iw[GEMM_MR], at[GEMM_MR];
} conv_pixels;

static conv_pixels pixels_from(const conv_job *job, int64_t first, int64_t count) {
  const ten_conv2d *c = job->conv;
  conv_pixels p;
  int64_t ow = first % c->ow, oh = first / c->ow % c->oh, n = first / c->ow / c->oh;
  for (int64_t i = 0; i < GEMM_MR; i++) {
    p.ih[i] = oh * c->stride_h - job->pad_top;
    p.iw[i] = ow * c->stride_w - job->pad_left;
    p.at[i] = ((n * job->h + p.ih[i]) * job->w + p.iw[i]) * c->ci;
    if (i >= count) p.ih[i] = INT64_MIN / 2; /* missing pixels are out of bounds */
    if (++ow < c->ow) continue;
    ow = 0;
    if (++oh == c->oh) oh = 0, n++;
  }
  return p;
}

/* The input address of each pixel for one run of taps: zeros if out of bounds. */
static void patch_rows(const conv_job *job, const conv_pixels *p, int64_t kh, int64_t kw, const float *rows[GEMM_MR]) {
  const ten_conv2d *c = job->conv;
  const int64_t down = kh * c->dilation_h, right = kw * c->dilation_w, further = (down * job->w + right) * c->ci;
  for (int i = 0; i < GEMM_MR; i++) {
    const int64_t ih = p->ih[i] + down, iw = p->iw[i] + right;
    const bool inside = ih >= 0 && ih < job->h && iw >= 0 && iw < job->w;
    rows[i] = inside ? job->x + (p->at[i] + further) : job->zeros;
  }
}

/* Packs k0 … k0+kc of the patches of `count` pixels from `first` as a panel [kc][MR]. */
static void pack_patches(const conv_job *job, int64_t first, int64_t count, int64_t k0, int64_t kc, float *packed) {
  const conv_pixels pixels = pixels_from(job, first, count);
  for (int64_t k = k0; k < k0 + kc;) {
    const int64_t tap = k / job->run, at = k % job->run;
    const int64_t run = job->run - at < k0 + kc - k ? job->run - at : k0 + kc - k;
    const float *rows[GEMM_MR];
    patch_rows(job, &pixels, tap / job->taps_w, tap % job->taps_w, rows);
    TEN_K(gemm_pack_rows)(rows, at, run, packed);
    packed += run * GEMM_MR;
    k += run;
  }
}

/* Packs some panels of one slice of k, where conv_task expects them. */
static void pack_task(void *context, int64_t index, unsigned thread) {
  (void)thread;
  const conv_job *job = context;
  const int64_t k0 = index / PACK_PARTS * KC, kc = job->k - k0 < KC ? job->k - k0 : KC;
  const int64_t panels = job->packed_rows / GEMM_MR, part = index % PACK_PARTS;
  for (int64_t panel = panels * part / PACK_PARTS; panel < panels * (part + 1) / PACK_PARTS; panel++) {
    const int64_t m = panel * GEMM_MR;
    pack_patches(job, m, job->rows - m < GEMM_MR ? job->rows - m : GEMM_MR, k0, kc,
                 job->shared + k0 * job->packed_rows + m * kc);
  }
}

/* The first column of block `index`: a panel boundary. */
static int64_t block_at(const conv_job *job, int64_t index) {
  return gemm_panel(job->conv->co, index * job->nc / GEMM_NR);
}

/* Reads the input in place: some pixels of one output row at a time, all rows of taps. */
static void multiply_in_place(const conv_job *job, int64_t m0, int64_t m1, int64_t n0, int64_t n1) {
  const ten_conv2d *c = job->conv;
  for (int64_t n = n0, width; n < n1; n += width) {
    width = gemm_width(c->co, n);
    for (int64_t m = m0, rows; m < m1; m += rows) {
      const int64_t ow = m % c->ow, oh = m / c->ow % c->oh, image = m / c->ow / c->oh;
      const float *const first = job->x + ((image * job->h + oh * c->stride_h) * job->w + ow * c->stride_w) * c->ci;
      rows = c->ow - ow < m1 - m ? c->ow - ow : m1 - m;
      if (rows > GEMM_MR) rows = GEMM_MR;
      const gemm_runs taps = {c->stride_w * c->ci, c->kh, c->dilation_h * job->w * c->ci};
      TEN_K(gemm_tile_runs)((int)rows, gemm_columns(c->co, n), job->run, first, taps, c->kernel + n * job->k,
                            c->y + m * c->co + n, c->co, false, (gemm_ahead){0});
    }
  }
}

/* The block of columns of a task. */
static int64_t columns_of(const conv_job *job, int64_t index) {
  return job->shared ? index / job->m_blocks : index % job->n_blocks;
}

static void conv_task(void *context, int64_t index, unsigned thread) {
  const conv_job *job = context;
  const ten_conv2d *c = job->conv;
  float *const own = (float *)((char *)c->scratch + job->scratch_each * thread);
  const int64_t m_block = job->shared ? index % job->m_blocks : index / job->n_blocks;
  const int64_t n_block = columns_of(job, index), tasks = job->m_blocks * job->n_blocks;
  const int64_t likely_n = block_at(job, columns_of(job, ten_pool_next(index, tasks, thread)));
  const int64_t m0 = m_block * job->mc, n0 = block_at(job, n_block);
  const int64_t m1 = m0 + job->mc < job->rows ? m0 + job->mc : job->rows, n1 = block_at(job, n_block + 1);
  if (lies(c)) multiply_in_place(job, m0, m1, n0, n1);
  for (int64_t k0 = 0; k0 < job->k && !lies(c); k0 += KC) {
    const int64_t kc = job->k - k0 < KC ? job->k - k0 : KC;
    float *const packed = job->shared ? job->shared + k0 * job->packed_rows + m0 * kc : own;
    for (int64_t m = m0; m < m1 && !job->shared; m += GEMM_MR)
      pack_patches(job, m, m1 - m < GEMM_MR ? m1 - m : GEMM_MR, k0, kc, packed + (m - m0) * kc);
    for (int64_t n = n0, width; n < n1; n += width) {
      width = gemm_width(c->co, n);
      const float *panel = c->kernel + n * job->k + k0 * width, *next = c->kernel + likely_n * job->k;
      const int columns = gemm_columns(c->co, n);
      if (n + width < n1)
        next = c->kernel + (n + width) * job->k + k0 * gemm_width(c->co, n + width);
      else if (k0 + kc < job->k)
        next = c->kernel + n0 * job->k + (k0 + kc) * gemm_width(c->co, n0);
      for (int64_t m = m0; m < m1; m += GEMM_MR)
        TEN_K(gemm_tile)(m1 - m < GEMM_MR ? (int)(m1 - m) : GEMM_MR, columns, kc, packed + (m - m0) * kc, 0, panel,
                         c->y + m * c->co + n, c->co, k0 > 0,
                         TEN_K(gemm_share)(next, (m - m0) / GEMM_MR, (m1 - m0 + GEMM_MR - 1) / GEMM_MR, kc));
    }
  }
  if (c->epilogue) c->epilogue(c->epilogue_context, c->y + m0 * c->co + n0, c->co, m0, m1, n0, n1);
}

static ten_gemm pointwise(const ten_conv2d *c) {
  return (ten_gemm){.m = c->n * c->oh * c->ow,
                    .n = c->co,
                    .k = c->ci,
                    .a = c->x,
                    .a_row = c->ci,
                    .a_col = 1,
                    .b = c->kernel,
                    .c = c->y,
                    .ldc = c->co,
                    .epilogue = c->epilogue,
                    .epilogue_context = c->epilogue_context,
                    .scratch = c->scratch,
                    .split = c->split,
                    .block = c->block,
                    .also = {c->also[0], c->also[1], c->also[2]},
                    .also_count = c->also_count,
                    .also_bytes = c->also_bytes};
}

size_t TEN_K(conv_scratch)(const ten_conv2d *conv, unsigned threads) {
  const ten_gemm gemm = pointwise(conv);
  switch ((ten_conv_algorithm)conv->algorithm) {
    case TEN_CONV_GEMM: return TEN_K(gemm_scratch)(&gemm, threads);
    case TEN_CONV_WINOGRAD43:
    case TEN_CONV_WINOGRAD23: return TEN_K(winograd_scratch)(conv, threads);
    case TEN_CONV_GROUPS: return 0;
    case TEN_CONV_IM2COL: break;
  }
  const conv_job job = job_of(conv, 1);
  const size_t own = job.scratch_each * threads, shared = threads > 1 ? shared_size(conv) : 0;
  return (own > shared ? own : shared) + zeros_bytes(&job) + padded_bytes(&job);
}

void TEN_K(conv_run)(const ten_conv2d *conv, ten_pool *pool) {
  if (conv->algorithm == TEN_CONV_GEMM) {
    const ten_gemm gemm = pointwise(conv);
    TEN_K(gemm_run)(&gemm, pool);
  } else if (conv->algorithm == TEN_CONV_GROUPS) {
    TEN_K(group_run)(conv, pool);
  } else if (conv->algorithm != TEN_CONV_IM2COL) {
    TEN_K(winograd_run)(conv, pool);
  } else {
    const unsigned threads = ten_pool_threads(pool);
    conv_job job = job_of(conv, threads);
    const bool together = threads > 1 && shared_size(conv) > 0;
    if (together) job.shared = conv->scratch;
    const size_t before = together ? shared_size(conv) : job.scratch_each * threads;
    float *zeros = (float *)((char *)conv->scratch + before);
    memset(zeros, 0, (size_t)job.run * sizeof(float));
    job.zeros = zeros;
    if (job.padded) {
      job.x = (float *)((char *)zeros + zeros_bytes(&job));
      ten_pool_run(pool, pad_task, &job, conv->n * job.h);
    }
    if (together) ten_pool_run(pool, pack_task, &job, (job.k + KC - 1) / KC * PACK_PARTS);
    ten_pool_run(pool, conv_task, &job, job.m_blocks * job.n_blocks);
  }
}
