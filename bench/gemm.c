/* gemm.c: the bf16 GEMMs of ResNet-50, BERT-base and VGG19, one shape at a time, on two threads, in three interleaved
 * variants: as they are; always prefetching lines of A and of what follows the GEMM; never prefetching
 * (docs/decisions/011).
 *
 *   make bench-gemm ARGS="MODEL ROWS [idle|busy]"      e.g. "resnet 10 idle", "bert 1280"
 *
 * ROWS are images, or rows of BERT's matrices. Whether the hyper-thread sibling of a core is busy (another guest of the
 * host, another thread) changes everything for AMX: with "idle" or "busy" all CPUs are probed, two whose siblings are
 * in that state are taken, and a round counts only if both still are after it. Prints medians in ms, and their sum over
 * the layers of the model. */
#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backend/cpu/kernels/kernels.h"
#include "backend/cpu/kernels/tables.h"
#include "clock.h"
#if defined(__AMX_BF16__)
#include <immintrin.h>
#endif

enum { TURNS = 11, CALLS = 2, MOST_CPUS = 64, HUGE_PAGE = 2 << 20, SECONDS = 3 };

/* ---- which CPUs ---- */

typedef enum sibling { ANY, IDLE, BUSY } sibling;
static sibling wanted;
static int first_cpu, second_cpu;

static void pin(int task, int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET((size_t)cpu, &set);
  sched_setaffinity(task, sizeof set, &set);
}

#if defined(__AMX_BF16__)
/* ns of a tile multiplication, with a load for each, in seven registers. */
static double tile_matmul_ns(int cpu) {
  enum { STEPS = 200, SAMPLES = 6, PRODUCTS = 4, ROW = 64 };
  static _Alignas(64) char tile[1024];
  pin(0, cpu);
  double sum = 0;
  ten_amx_begin();
  for (int s = -SAMPLES; s < SAMPLES; s++) { /* the first half warms up */
    const double start = now();
    for (int i = 0; i < STEPS; i++) {
      _tile_dpbf16ps(0, 4, 5);
      _tile_dpbf16ps(1, 4, 6);
      _tile_loadd(4, tile, ROW);
      _tile_dpbf16ps(2, 4, 5);
      _tile_loadd(5, tile, ROW);
      _tile_dpbf16ps(3, 4, 6);
      _tile_loadd(4, tile, ROW);
      _tile_loadd(6, tile, ROW);
    }
    if (s >= 0) sum += now() - start;
  }
  ten_amx_end();
  return sum / (SAMPLES * STEPS * PRODUCTS) * 1e9;
}

static bool is_wanted(int cpu) {
  const double ns = tile_matmul_ns(cpu), idle = 7.6, busy = 12;
  return wanted == IDLE ? ns < idle : ns > busy;
}
#else
static bool is_wanted(int cpu) {
  (void)cpu;
  return true;
}
#endif

/* Two CPUs that are not neighbours, which may be one core. */
static bool pick(void) {
  const int count = (int)sysconf(_SC_NPROCESSORS_ONLN);
  if (wanted != ANY && is_wanted(first_cpu) && is_wanted(second_cpu) && first_cpu != second_cpu) return true;
  int found[2], have = 0;
  for (int cpu = 0; cpu < count && cpu < MOST_CPUS && have < 2; cpu++) {
    if (have && cpu / 2 == found[0] / 2 && count > 2) continue;
    if (wanted == ANY || is_wanted(cpu)) found[have++] = cpu;
  }
  if (have < 2) return false;
  first_cpu = found[0], second_cpu = found[1];
  return true;
}

/* This thread on one, the pool's on the other. */
static void spread(void) {
  DIR *folder = opendir("/proc/self/task");
  const int self = gettid();
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    const int task = atoi(entry->d_name);
    if (task > 0) pin(task, task == self ? first_cpu : second_cpu);
  }
  if (folder) closedir(folder);
}

/* ---- the variants ---- */

static const ten_bf16_form *best;

static bool sibling_busy(int rows) {
  if (best->begin) best->begin(rows);
  return false;
}

static bool sibling_idle(int rows) {
  if (best->begin) best->begin(rows);
  return true;
}

static void always(const uint16_t *a, int64_t row_stride, const int64_t *offsets, int64_t blocks, const uint16_t *b,
                   int rows, float *c, int64_t ldc, ten_bf16_ahead ahead) {
  ahead.far_a = true;
  best->block(a, row_stride, offsets, blocks, b, rows, c, ldc, ahead);
}

static void never(const uint16_t *a, int64_t row_stride, const int64_t *offsets, int64_t blocks, const uint16_t *b,
                  int rows, float *c, int64_t ldc, ten_bf16_ahead ahead) {
  ahead.soon = false;
  best->block(a, row_stride, offsets, blocks, b, rows, c, ldc, ahead);
}

enum { WAYS = 3 };
static const char *const way_names[WAYS] = {"default", "prefetch", "no prefetch"};
static ten_bf16_form ways[WAYS];

/* ---- the GEMMs ---- */

/* A square image and kernel; `times` in the model; a residual is added. */
typedef struct layer {
  const char *model, *name;
  int size, ci, co, kernel, stride, times;
  bool residual;
} layer;

static const layer layers[] = {
    {"resnet", "7x7 3 /2", 224, 3, 64, 7, 2, 1, false},     {"resnet", "3x3 64", 56, 64, 64, 3, 1, 3, false},
    {"resnet", "3x3 128 /2", 56, 128, 128, 3, 2, 1, false}, {"resnet", "3x3 128", 28, 128, 128, 3, 1, 3, false},
    {"resnet", "3x3 256 /2", 28, 256, 256, 3, 2, 1, false}, {"resnet", "3x3 256", 14, 256, 256, 3, 1, 5, false},
    {"resnet", "3x3 512 /2", 14, 512, 512, 3, 2, 1, false}, {"resnet", "3x3 512", 7, 512, 512, 3, 1, 2, false},
    {"resnet", "64-64", 56, 64, 64, 1, 1, 1, false},        {"resnet", "64-256", 56, 64, 256, 1, 1, 1, false},
    {"resnet", "64-256 +", 56, 64, 256, 1, 1, 3, true},     {"resnet", "256-64", 56, 256, 64, 1, 1, 2, false},
    {"resnet", "256-128", 56, 256, 128, 1, 1, 1, false},    {"resnet", "256-512 /2", 56, 256, 512, 1, 2, 1, false},
    {"resnet", "128-512 +", 28, 128, 512, 1, 1, 4, true},   {"resnet", "512-128", 28, 512, 128, 1, 1, 3, false},
    {"resnet", "512-256", 28, 512, 256, 1, 1, 1, false},    {"resnet", "512-1024 /2", 28, 512, 1024, 1, 2, 1, false},
    {"resnet", "256-1024 +", 14, 256, 1024, 1, 1, 6, true}, {"resnet", "1024-256", 14, 1024, 256, 1, 1, 5, false},
    {"resnet", "1024-512", 14, 1024, 512, 1, 1, 1, false},  {"resnet", "1024-2048 /2", 14, 1024, 2048, 1, 2, 1, false},
    {"resnet", "512-2048 +", 7, 512, 2048, 1, 1, 3, true},  {"resnet", "2048-512", 7, 2048, 512, 1, 1, 2, false},
    {"bert", "768-768", 1, 768, 768, 1, 1, 1, false},       {"bert", "768-2304", 1, 768, 2304, 1, 1, 1, false},
    {"bert", "768-3072", 1, 768, 3072, 1, 1, 1, false},     {"bert", "3072-768", 1, 3072, 768, 1, 1, 1, false},
    {"vgg", "3x3 3", 224, 3, 64, 3, 1, 1, false},           {"vgg", "3x3 64", 224, 64, 64, 3, 1, 1, false},
    {"vgg", "3x3 128", 112, 128, 128, 3, 1, 1, false},      {"vgg", "3x3 256", 56, 256, 256, 3, 1, 3, false},
    {"vgg", "3x3 512", 28, 512, 512, 3, 1, 3, false},       {"vgg", "3x3 512 small", 14, 512, 512, 3, 1, 4, false}};

typedef struct ending {
  uint16_t *out;
  int64_t columns;
  bool residual;
} ending;

/* What follows a convolution: the residual, what is negative cut off, rounded. */
static void end(void *context, float *c, int64_t ldc, int64_t m0, int64_t m1, int64_t n0, int64_t n1) {
  const ending *e = context;
  for (int64_t m = m0; m < m1; m++) {
    const uint32_t *restrict from = (const uint32_t *)(c + (m - m0) * ldc);
    uint16_t *restrict to = e->out + m * e->columns + n0;
    for (int64_t n = 0; n < n1 - n0; n++) {
      const uint32_t held = e->residual ? (uint32_t)to[n] << 16 : 0;
      float x, y;
      memcpy(&x, &from[n], sizeof x), memcpy(&y, &held, sizeof y);
      x += y;
      x = x > 0 ? x : 0;
      uint32_t bits;
      memcpy(&bits, &x, sizeof bits);
      to[n] = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    }
  }
}

static void *memory(size_t bytes) {
  bytes = (bytes + HUGE_PAGE) / HUGE_PAGE * HUGE_PAGE;
  void *at = aligned_alloc(HUGE_PAGE, bytes);
  if (!at) exit(1);
  madvise(at, bytes, MADV_HUGEPAGE);
  memset(at, 0, bytes);
  return at;
}

static uint16_t *numbers(size_t count, unsigned seed) {
  uint16_t *at = memory(count * sizeof *at);
  for (size_t i = 0; i < count; i++) {
    seed = seed * 1664525u + 1013904223u;
    at[i] = (uint16_t)((0x3c00 + (seed >> 24)) | (seed >> 9 & 1) << 15); /* small ones of both signs */
  }
  return at;
}

/* Median ms of each way; false: the CPUs were never as they should be. */
static bool time_layer(const ten_kernels *kernels, ten_pool *pool, const layer *l, int64_t count, double *ms) {
  ten_conv2d q = {.n = count,
                  .h = l->size,
                  .w = l->size,
                  .ci = l->ci,
                  .co = l->co,
                  .kh = l->kernel,
                  .kw = l->kernel,
                  .oh = (l->size - 1) / l->stride + 1,
                  .stride_h = l->stride,
                  .stride_w = l->stride,
                  .pad_top = l->kernel / 2,
                  .pad_left = l->kernel / 2,
                  .dilation_h = 1,
                  .dilation_w = 1,
                  .narrow = true,
                  .form = best};
  q.ow = q.oh;
  const size_t out_count = (size_t)(q.n * q.oh * q.ow * q.co);
  uint16_t *x = numbers((size_t)(q.n * q.h * q.w * q.ci), 1), *kernel = numbers((size_t)(q.kh * q.kw * q.ci * q.co), 2);
  uint16_t *packed = memory((size_t)kernels->bf16_conv_packed_size(&q) * sizeof *packed);
  const int64_t strides[4] = {q.kw * q.ci * q.co, q.ci * q.co, q.co, 1};
  kernels->bf16_conv_pack(&q, kernel, true, strides, 0, kernels->bf16_conv_pack_units(&q), packed);
  ending e = {memory(out_count * sizeof *e.out), q.co, l->residual};
  q.x = (const float *)x, q.kernel = (const float *)packed;
  q.epilogue = end, q.epilogue_context = &e, q.out = e.out, q.out_bytes = sizeof *e.out;
  if (l->residual) q.also[0] = e.out, q.also_count = 1, q.also_bytes = sizeof *e.out;
  q.scratch = memory(kernels->bf16_conv_scratch(&q, 2));

  double times[WAYS][TURNS];
  int turns = 0;
  const double until = now() + SECONDS;
  for (int at = 0; turns < TURNS && (now() < until || (wanted == ANY && !turns)); at++) {
    if (!pick()) continue;
    spread();
    for (int i = 0; i < WAYS; i++) {
      const int way = (i + at) % WAYS;
      q.form = &ways[way];
      if (l->residual) memset(e.out, 0, out_count * sizeof *e.out);
      kernels->bf16_conv_run(&q, pool);
      const double start = now();
      for (int call = 0; call < CALLS; call++) kernels->bf16_conv_run(&q, pool);
      times[way][turns] = (now() - start) / CALLS * 1e3;
    }
    turns += wanted == ANY || (is_wanted(first_cpu) && is_wanted(second_cpu));
  }
  for (int way = 0; way < WAYS && turns; way++) {
    qsort(times[way], (size_t)turns, sizeof **times, ascending);
    ms[way] = times[way][turns / 2];
  }
  free(x), free(kernel), free(packed), free(e.out), free(q.scratch);
  return turns > 0;
}

int main(int count, char **arguments) {
  const int64_t rows = count > 2 ? atoll(arguments[2]) : 0;
  if (rows < 1) {
    fprintf(stderr, "usage: gemm resnet|bert|vgg ROWS [idle|busy]\n");
    return 2;
  }
  best = ten_bf16_best();
  if (count > 3) wanted = !strcmp(arguments[3], "idle") ? IDLE : !strcmp(arguments[3], "busy") ? BUSY : ANY;
  if (count > 3 && wanted == ANY) {
    fprintf(stderr, "gemm: unknown state '%s' of the sibling; use idle or busy\n", arguments[3]);
    return 2;
  }
  if (wanted != ANY && strcmp(best->name, "amx")) {
    puts("gemm: the state of a sibling shows in AMX alone, which this CPU does not have");
    return 0;
  }
  ways[0] = ways[1] = ways[2] = *best;
  ways[1].block = always, ways[1].begin = sibling_busy;
  ways[2].block = never, ways[2].begin = sibling_idle;
  ten_pool *pool = ten_pool_create(2);
  double sums[WAYS] = {0};
  printf("%-14s", "ms");
  for (int way = 0; way < WAYS; way++) printf("%12s", way_names[way]);
  puts("");
  for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
    const layer *l = &layers[i];
    double ms[WAYS];
    if (strcmp(l->model, arguments[1])) continue;
    if (!time_layer(ten_kernels_best(), pool, l, rows, ms)) {
      printf("%-14s no two CPUs were in that state\n", l->name);
      continue;
    }
    printf("%-14s", l->name);
    for (int way = 0; way < WAYS; way++) printf("%12.3f", ms[way]), sums[way] += ms[way] * l->times;
    puts("");
    fflush(stdout);
  }
  printf("%-14s", "the model's");
  for (int way = 0; way < WAYS; way++) printf("%12.3f", sums[way]);
  puts("");
  ten_pool_destroy(pool);
  return 0;
}
