/* winograd.c: one superblock of tiles at a time, in three sweeps over the pool: input transform (directly into packed
 * panels), one matmul for each of the α² frequencies, output transform with the epilogue. The superblock is chosen so
 * that intermediates stay in cache. If L2 holds the kernel, a task does all three for some tiles: then no data moves
 * between cores. */
#include "backend/cpu/kernels/winograd.h"

#include <string.h>

enum {
  ALPHA_MAX = 6,
  SUPERBLOCK_BYTES = 9 << 20,
  NEAR_BYTES = 2 << 20 /* of a superblock, if its kernel is soon reread */,
  SMALL_KERNEL = 6 << 20 /* bytes */,
  TILES_MIN = 32,
  CO_BLOCK = GEMM_NR == 48 ? 288 : 256,
  SLICE = 64 /* channels per transform task */,
  NEAR_KERNEL = 5 << 18 /* bytes of a kernel that L2 holds */,
  APART_TILES = 128 /* minimum for tasks of all three sweeps: fewer leave threads idle */,
  OWN_BYTES = 1 << 19 /* of a task's intermediates */
};

static int alpha_of(int algorithm) { return algorithm == TEN_CONV_WINOGRAD43 ? 6 : 4; }

/* One dimension of the kernel transform: three values at `g`, `step` apart, to α at `out`. */
ALWAYS_INLINE void kernel_6(const vf *g, int step, vf *out, int out_step) {
  const vf outer = (g[0] + g[2 * step]) * (-1.0f / 6), inner = g[step] * (-1.0f / 6);
  const vf far = g[0] * (1.0f / 24) + g[2 * step] * (1.0f / 6), near = g[step] * (1.0f / 12);
  out[0] = g[0] * 0.25f;
  out[out_step] = outer + inner;
  out[2 * out_step] = outer - inner;
  out[3 * out_step] = far + near;
  out[4 * out_step] = far - near;
  out[5 * out_step] = g[2 * step];
}

ALWAYS_INLINE void kernel_4(const vf *g, int step, vf *out, int out_step) {
  const vf outer = (g[0] + g[2 * step]) * 0.5f, inner = g[step] * 0.5f;
  out[0] = g[0];
  out[out_step] = outer + inner;
  out[2 * out_step] = outer - inner;
  out[3 * out_step] = g[2 * step];
}

/* Channels packed at a time: their sources and destinations are a power of two apart, one stream per tap and frequency,
 * which conflict in cache sets. */
enum { PACK_BLOCK = GEMM_NR >= 64 ? 4 : 256 / GEMM_NR };

/* Gathers taps of channels [ci, ci + count) for the panel's outputs, in memory order. */
static void gather_taps(const ten_conv2d *conv, const float *kernel, const int64_t strides[4], int64_t n0, int64_t ci,
                        int64_t count, float (*taps)[PACK_BLOCK][GEMM_NR]) {
  const int64_t there = gemm_columns(conv->co, n0);
  const float *from = kernel + ci * strides[2] + n0 * strides[3];
  if (there < GEMM_NR) memset(taps, 0, 9 * sizeof *taps);
  if (strides[3] == 1) {
    for (int tap = 0; tap < 9; tap++)
      for (int64_t c = 0; c < count; c++)
        memcpy(taps[tap][c], from + tap / 3 * strides[0] + tap % 3 * strides[1] + c * strides[2],
               (size_t)there * sizeof(float));
  } else if (strides[2] == 1) {
    for (int tap = 0; tap < 9; tap++)
      for (int64_t i = 0; i < there; i++) {
        const float *row = from + tap / 3 * strides[0] + tap % 3 * strides[1] + i * strides[3];
        for (int64_t c = 0; c < count; c++) taps[tap][c][i] = row[c];
      }
  } else {
    for (int64_t i = 0; i < there; i++)
      for (int64_t c = 0; c < count; c++) {
        const float *at = from + c * strides[2] + i * strides[3];
        for (int tap = 0; tap < 9; tap++) taps[tap][c][i] = at[tap / 3 * strides[0] + tap % 3 * strides[1]];
      }
  }
}

ALWAYS_INLINE void pack_panel(const ten_conv2d *conv, const int alpha, const float *kernel, const int64_t strides[4],
                              int64_t panel, float *packed) {
  const int64_t each = TEN_K(gemm_packed_size)(conv->ci, conv->co), n0 = gemm_panel(conv->co, panel),
                width = gemm_width(conv->co, n0);
  _Alignas(64) float taps[9][PACK_BLOCK][GEMM_NR], made[ALPHA_MAX * ALPHA_MAX][PACK_BLOCK][GEMM_NR];
  for (int64_t ci = 0; ci < conv->ci; ci += PACK_BLOCK) {
    const int64_t count = conv->ci - ci < PACK_BLOCK ? conv->ci - ci : PACK_BLOCK;
    gather_taps(conv, kernel, strides, n0, ci, count, taps);
    for (int64_t c = 0; c < count; c++)
      for (int v = 0; v < width / VL; v++) {
        vf g[9], half[ALPHA_MAX * 3], out[ALPHA_MAX * ALPHA_MAX];
        for (int tap = 0; tap < 9; tap++) g[tap] = vload(&taps[tap][c][v * VL]);
        for (int w = 0; w < 3; w++) {
          if (alpha == 6)
            kernel_6(g + w, 3, half + w, 3);
          else
            kernel_4(g + w, 3, half + w, 3);
        }
        for (int i = 0; i < alpha; i++) {
          if (alpha == 6)
            kernel_6(half + 3 * i, 1, out + i * alpha, 1);
          else
            kernel_4(half + 3 * i, 1, out + i * alpha, 1);
        }
        for (int f = 0; f < alpha * alpha; f++) vstore(&made[f][c][v * VL], out[f]);
      }
    for (int f = 0; f < alpha * alpha; f++)
      for (int64_t c = 0; c < count; c++)
        memcpy(packed + f * each + n0 * conv->ci + (ci + c) * width, made[f][c], (size_t)width * sizeof(float));
  }
}

void TEN_K(winograd_pack)(const ten_conv2d *conv, ten_conv_algorithm algorithm, const float *kernel,
                          const int64_t strides[4], int64_t begin, int64_t end, float *packed) {
  for (int64_t panel = begin; panel < end; panel++) {
    if (algorithm == TEN_CONV_WINOGRAD43)
      pack_panel(conv, 6, kernel, strides, panel, packed);
    else
      pack_panel(conv, 4, kernel, strides, panel, packed);
  }
}

/* The same for α = 4. */
ALWAYS_INLINE void input_4(vf *d, int step) {
  const vf d0 = d[0], d1 = d[step], d2 = d[2 * step], d3 = d[3 * step];
  d[0] = d0 - d2;
  d[step] = d1 + d2;
  d[2 * step] = d2 - d1;
  d[3 * step] = d1 - d3;
}

/* One dimension of the output transform: α values at `m` to `α - 2` at `out`. */
ALWAYS_INLINE void output_6(const vf *m, int step, vf *out, int out_step) {
  const vf sum1 = m[step] + m[2 * step], diff1 = m[step] - m[2 * step], sum2 = m[3 * step] + m[4 * step],
           diff2 = m[3 * step] - m[4 * step];
  out[0] = m[0] + sum1 + sum2;
  out[out_step] = diff1 + 2.0f * diff2;
  out[2 * out_step] = sum1 + 4.0f * sum2;
  out[3 * out_step] = diff1 + 8.0f * diff2 + m[5 * step];
}

ALWAYS_INLINE void output_4(const vf *m, int step, vf *out, int out_step) {
  out[0] = m[0] + m[step] + m[2 * step];
  out[out_step] = m[step] - m[2 * step] - m[3 * step];
}

typedef struct winograd_job {
  const ten_conv2d *conv;
  int alpha;
  int64_t tiles_h, tiles_w, tiles; /* of the whole output */
  int64_t first, count, panels;    /* of this superblock */
  int64_t co_blocks;
  int64_t input_row;               /* stride between tiles' channels, if GEMM_IN_PLACE */
  int64_t input_area, output_area; /* stride between frequencies, in floats */
  float *input;                    /* [α²][panel][ci][MR]; [α²][tile][ci] if GEMM_IN_PLACE */
  float *output;                   /* [α²][tile][co] */
  bool apart;                      /* a task does all sweeps, in its thread's memory */
} winograd_job;

/* A transform touches all frequencies at once, a matmul all rows of a panel: one more cache line between them avoids
 * cache set conflicts. */
static void place_areas(winograd_job *job, int64_t tiles) {
  enum { LINE = 16, APART = 256 };
  job->input_row = job->conv->ci + (GEMM_IN_PLACE && job->conv->ci % APART == 0 ? LINE : 0);
  job->input_area = tiles * job->input_row + LINE;
  job->output_area = tiles * job->conv->co + LINE;
}

static int64_t kernel_bytes(const ten_conv2d *c, int alpha) {
  return (int64_t)alpha * alpha * TEN_K(gemm_packed_size)(c->ci, c->co) * (int64_t)sizeof(float);
}

/* Bytes of one tile's intermediates. */
static int64_t tile_bytes(const ten_conv2d *c, int alpha) {
  const int64_t channels = c->ci + c->co;
  return (int64_t)alpha * alpha * (channels ? channels : 1) * (int64_t)sizeof(float);
}

/* Evenly sized superblocks. */
static int64_t superblock(const ten_conv2d *c, int alpha, int64_t tiles) {
  const int64_t bytes = kernel_bytes(c, alpha) <= SMALL_KERNEL ? NEAR_BYTES : SUPERBLOCK_BYTES;
  int64_t count = bytes / tile_bytes(c, alpha);
  if (count < TILES_MIN) count = TILES_MIN;
  if (tiles) count = blocks(tiles, blocks(tiles, count));
  return round_up(count, GEMM_MR);
}

/* Tiles per task for all three sweeps: enough tasks to balance threads of different speed. */
static int64_t tiles_apart(const ten_conv2d *c, int alpha, int64_t tiles, unsigned threads) {
  enum { TASKS = 6 /* per thread */, LEAST = 2 * GEMM_MR };
  int64_t count = OWN_BYTES / tile_bytes(c, alpha);
  if (count > tiles / (threads * TASKS)) count = tiles / (threads * TASKS);
  return count < LEAST ? LEAST : count / GEMM_MR * GEMM_MR;
}

static winograd_job job_of(const ten_conv2d *c, unsigned threads) {
  winograd_job job = {.conv = c, .alpha = alpha_of(c->algorithm)};
  const int64_t step = job.alpha - 2;
  job.tiles_h = blocks(c->oh, step);
  job.tiles_w = blocks(c->ow, step);
  job.tiles = c->n * job.tiles_h * job.tiles_w;
  job.apart = c->block <= 0 && kernel_bytes(c, job.alpha) <= NEAR_KERNEL && job.tiles >= APART_TILES;
  job.count = job.apart ? tiles_apart(c, job.alpha, job.tiles, threads) : superblock(c, job.alpha, job.tiles);
  if (c->block > 0) {
    const int64_t wanted = blocks(c->block, GEMM_MR), all = blocks(job.tiles, GEMM_MR);
    job.count = (wanted < all ? wanted : all) * GEMM_MR;
  }
  job.co_blocks = blocks(c->co, CO_BLOCK);
  place_areas(&job, job.count);
  return job;
}

/* Intermediates of a superblock, or of a thread's tiles. */
static size_t between_bytes(const winograd_job *job) {
  return ((size_t)(job->alpha * job->alpha * (job->input_area + job->output_area)) * sizeof(float) + 127) / 64 * 64;
}

/* Enough for any number of threads up to `threads`. */
size_t TEN_K(winograd_scratch)(const ten_conv2d *conv, unsigned threads) {
  size_t most = 0;
  for (unsigned i = 1; i <= threads; i++) {
    const winograd_job job = job_of(conv, i);
    const size_t bytes = between_bytes(&job) * (job.apart ? i : 1);
    if (bytes > most) most = bytes;
  }
  return most;
}

/* Transforms the α × α patch of one tile, VL channels from ci on. */
ALWAYS_INLINE void transform_tile(const winograd_job *job, const int alpha, int64_t tile, int64_t ci, vf *d) {
  const ten_conv2d *c = job->conv;
  const int64_t tw = tile % job->tiles_w, th = tile / job->tiles_w % job->tiles_h,
                n = tile / job->tiles_w / job->tiles_h;
  const int64_t ih0 = th * (alpha - 2) - c->pad_top, iw0 = tw * (alpha - 2) - c->pad_left;
  const bool inside = ih0 >= 0 && iw0 >= 0 && ih0 + alpha <= c->h && iw0 + alpha <= c->w && ci + VL <= c->ci;
  const float *base = c->x + ((n * c->h + ih0) * c->w + iw0) * c->ci + ci;
  for (int i = 0; i < alpha; i++)
    for (int j = 0; j < alpha; j++) {
      const float *at = base + ((int64_t)i * c->w + j) * c->ci;
      const int64_t ih = ih0 + i, iw = iw0 + j;
      if (inside)
        d[i * alpha + j] = vload(at);
      else
        d[i * alpha + j] = ih >= 0 && ih < c->h && iw >= 0 && iw < c->w ? winograd_load(at, c->ci - ci) : (vf){0};
    }
  for (int i = 0; i < alpha; i++) {
    if (alpha == 6)
      winograd_input_6(d + i * alpha, 1);
    else
      input_4(d + i * alpha, 1);
  }
  for (int j = 0; j < alpha; j++) {
    if (alpha == 6)
      winograd_input_6(d + j, alpha);
    else
      input_4(d + j, alpha);
  }
}

/* The matmul reads rows in place: they are written unpacked. */
ALWAYS_INLINE void input_rows(const winograd_job *job, const int alpha, int64_t panel, int64_t begin, int64_t end) {
  const ten_conv2d *c = job->conv;
  for (int64_t local = panel * GEMM_MR; local < (panel + 1) * GEMM_MR && local < job->count; local++)
    for (int64_t ci = begin; ci < end; ci += VL) {
      vf d[ALPHA_MAX * ALPHA_MAX];
      transform_tile(job, alpha, job->first + local, ci, d);
      float *to = job->input + local * job->input_row + ci;
      if (c->ci - ci >= VL)
        for (int f = 0; f < alpha * alpha; f++) vstore(to + f * job->input_area, d[f]);
      else
        for (int f = 0; f < alpha * alpha; f++)
          memcpy(to + f * job->input_area, &d[f], (size_t)(c->ci - ci) * sizeof(float));
    }
}

ALWAYS_INLINE void input_panel(const winograd_job *job, const int alpha, int64_t panel, int64_t begin, int64_t end) {
  const ten_conv2d *c = job->conv;
  const int64_t first = job->first + panel * GEMM_MR;
  if (GEMM_IN_PLACE) {
    input_rows(job, alpha, panel, begin, end);
    return;
  }
  for (int64_t ci = begin; ci < end; ci += VL) {
    _Alignas(64) float block[ALPHA_MAX * ALPHA_MAX][GEMM_MR][VL];
    const int64_t channels = c->ci - ci < VL ? c->ci - ci : VL;
    for (int i = 0; i < GEMM_MR; i++) {
      vf d[ALPHA_MAX * ALPHA_MAX];
      const bool there = first + i < job->tiles && panel * GEMM_MR + i < job->count;
      if (there) transform_tile(job, alpha, first + i, ci, d);
      for (int f = 0; f < alpha * alpha; f++) vstore(block[f][i], there ? d[f] : (vf){0});
    }
    for (int f = 0; f < alpha * alpha; f++) {
      float *to = job->input + f * job->input_area + (panel * c->ci + ci) * GEMM_MR;
      const float *rows[GEMM_MR];
      for (int i = 0; i < GEMM_MR; i++) rows[i] = block[f][i];
      TEN_K(gemm_pack_rows)(rows, 0, channels, to);
    }
  }
}

static int64_t slices(int64_t channels) { return blocks(channels, SLICE); }

/* One task: a slice of the channels of one panel of tiles. */
static void input_task(void *context, int64_t index, unsigned thread) {
  (void)thread;
  const winograd_job *job = context;
  const int64_t parts = slices(job->conv->ci), panel = index / parts, begin = index % parts * SLICE;
  const int64_t end = begin + SLICE < job->conv->ci ? begin + SLICE : job->conv->ci;
  if (job->alpha == 6)
    input_panel(job, 6, panel, begin, end);
  else
    input_panel(job, 4, panel, begin, end);
}

/* The kernel of the first panel of matmul `index`. */
static const float *first_panel(const winograd_job *job, int64_t index) {
  const ten_conv2d *c = job->conv;
  const int64_t f = index / job->co_blocks, first = index % job->co_blocks * (CO_BLOCK / GEMM_NR);
  return c->kernel + f * TEN_K(gemm_packed_size)(c->ci, c->co) + gemm_panel(c->co, first) * c->ci;
}

/* One matmul, or some columns of it; `then` is the kernel of the probable next one. */
static void product(const winograd_job *job, int64_t index, const float *then) {
  const ten_conv2d *c = job->conv;
  const int64_t f = index / job->co_blocks, first = index % job->co_blocks * (CO_BLOCK / GEMM_NR);
  const int64_t n0 = gemm_panel(c->co, first), n1 = gemm_panel(c->co, first + CO_BLOCK / GEMM_NR);
  const float *kernel = first_panel(job, index) - n0 * c->ci, *input = job->input + f * job->input_area;
  float *output = job->output + f * job->output_area;
  for (int64_t n = n0, width; n < n1; n += width) {
    width = gemm_width(c->co, n);
    const float *next = n + width < n1 ? kernel + (n + width) * c->ci : then;
    for (int64_t panel = 0; panel < job->panels; panel++) {
      const int64_t rows = job->count - panel * GEMM_MR;
      TEN_K(gemm_tile)(rows < GEMM_MR ? (int)rows : GEMM_MR, gemm_columns(c->co, n), c->ci,
                       input + panel * job->input_row * GEMM_MR, GEMM_IN_PLACE ? job->input_row : 0, kernel + n * c->ci,
                       output + panel * GEMM_MR * c->co + n, c->co, false,
                       TEN_K(gemm_share)(next, panel, job->panels, c->ci));
    }
  }
}

static void product_task(void *context, int64_t index, unsigned thread) {
  const winograd_job *job = context;
  const int64_t count = (int64_t)job->alpha * job->alpha * job->co_blocks;
  product(job, index, first_panel(job, ten_pool_next(index, count, thread)));
}

ALWAYS_INLINE void output_tile(const winograd_job *job, const int alpha, int64_t local, int64_t begin, int64_t end) {
  const ten_conv2d *c = job->conv;
  const int64_t tile = job->first + local;
  const int step = alpha - 2;
  const int64_t tw = tile % job->tiles_w, th = tile / job->tiles_w % job->tiles_h,
                n = tile / job->tiles_w / job->tiles_h;
  const int64_t oh0 = th * step, ow0 = tw * step;
  const int64_t rows = c->oh - oh0 < step ? c->oh - oh0 : step, columns = c->ow - ow0 < step ? c->ow - ow0 : step;
  float *y = c->y + ((n * c->oh + oh0) * c->ow + ow0) * c->co;
  for (int64_t co = begin; co < end; co += VL) {
    vf m[ALPHA_MAX * ALPHA_MAX], half[ALPHA_MAX * ALPHA_MAX], out[ALPHA_MAX * ALPHA_MAX];
    const int64_t channels = c->co - co < VL ? c->co - co : VL;
    for (int f = 0; f < alpha * alpha; f++)
      m[f] = winograd_load(job->output + f * job->output_area + local * c->co + co, channels);
    for (int j = 0; j < alpha; j++) {
      if (alpha == 6)
        output_6(m + j, alpha, half + j, alpha);
      else
        output_4(m + j, alpha, half + j, alpha);
    }
    for (int i = 0; i < step; i++) {
      if (alpha == 6)
        output_6(half + i * alpha, 1, out + i * step, 1);
      else
        output_4(half + i * alpha, 1, out + i * step, 1);
    }
    for (int64_t i = 0; i < rows; i++)
      for (int64_t j = 0; j < columns; j++) {
        float *to = y + (i * c->ow + j) * c->co + co;
        if (channels == VL)
          vstore(to, out[i * step + j]);
        else
          memcpy(to, &out[i * step + j], (size_t)channels * sizeof(float));
      }
  }
  for (int64_t i = 0; c->epilogue && i < rows; i++) {
    const int64_t m0 = (n * c->oh + oh0 + i) * c->ow + ow0;
    c->epilogue(c->epilogue_context, y + i * c->ow * c->co + begin, c->co, m0, m0 + columns, begin, end);
  }
}

static void output_task(void *context, int64_t index, unsigned thread) {
  (void)thread;
  const winograd_job *job = context;
  const int64_t parts = slices(job->conv->co), panel = index / parts, begin = index % parts * SLICE;
  const int64_t end = begin + SLICE < job->conv->co ? begin + SLICE : job->conv->co;
  for (int64_t local = panel * GEMM_MR; local < (panel + 1) * GEMM_MR && local < job->count; local++) {
    if (job->alpha == 6)
      output_tile(job, 6, local, begin, end);
    else
      output_tile(job, 4, local, begin, end);
  }
}

/* All sweeps for some tiles. */
static void apart_task(void *context, int64_t index, unsigned thread) {
  winograd_job job = *(const winograd_job *)context;
  const int64_t areas = (int64_t)job.alpha * job.alpha, most = job.count;
  job.input = (float *)((char *)job.input + between_bytes(&job) * thread);
  job.output = job.input + areas * job.input_area;
  job.first = index * most;
  job.count = job.tiles - job.first < most ? job.tiles - job.first : most;
  job.panels = blocks(job.count, GEMM_MR);
  for (int64_t i = 0; i < job.panels * slices(job.conv->ci); i++) input_task(&job, i, thread);
  for (int64_t i = 0, count = areas * job.co_blocks; i < count; i++)
    product(&job, i, first_panel(&job, (i + 1) % count));
  for (int64_t i = 0; i < job.panels * slices(job.conv->co); i++) output_task(&job, i, thread);
}

void TEN_K(winograd_run)(const ten_conv2d *conv, ten_pool *pool) {
  winograd_job job = job_of(conv, ten_pool_threads(pool));
  const int64_t most = job.count, areas = (int64_t)job.alpha * job.alpha;
  job.input = conv->scratch;
  if (job.apart) {
    ten_pool_run(pool, apart_task, &job, blocks(job.tiles, most));
    return;
  }
  job.output = job.input + areas * job.input_area;
  for (job.first = 0; job.first < job.tiles; job.first += most) {
    job.count = job.tiles - job.first < most ? job.tiles - job.first : most;
    job.panels = blocks(job.count, GEMM_MR);
    ten_pool_run(pool, input_task, &job, job.panels * slices(conv->ci));
    ten_pool_run(pool, product_task, &job, areas * job.co_blocks);
    ten_pool_run(pool, output_task, &job, job.panels * slices(conv->co));
  }
}
