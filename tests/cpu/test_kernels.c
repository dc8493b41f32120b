/* Matmul and convolution of every instruction set this CPU has, against sums in double; the same bits for 1 and
 * 2 threads. */
#include "backend/cpu/kernels/kernels.h"

#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const isas[] = {"generic", "avx2", "avx512"};

static float *numbers(size_t count, unsigned seed) {
  float *data = aligned_alloc(64, (count * sizeof(float) + 127) / 64 * 64);
  for (size_t i = 0; i < count; i++) {
    seed = seed * 1664525u + 1013904223u;
    data[i] = (float)(seed >> 8) / (float)(1 << 24) - 0.5f;
  }
  return data;
}

static void add_one(void *context, float *c, int64_t ldc, int64_t m0, int64_t m1, int64_t n0, int64_t n1) {
  *(int64_t *)context += 0; /* only read by several threads: nothing to write */
  for (int64_t m = 0; m < m1 - m0; m++)
    for (int64_t n = 0; n < n1 - n0; n++) c[m * ldc + n] += 1.0f;
}

/* Runs it alone and with two threads: right, and the same bits. */
static void product_holds(const ten_kernels *kernels, ten_gemm gemm, const float *b, const double *wanted) {
  const size_t size = (size_t)(gemm.m * gemm.n);
  float *again = numbers(size, 4);
  gemm.b = b;
  gemm.scratch = numbers(kernels->gemm_scratch(&gemm, 2) / sizeof(float) + 1, 6);
  kernels->gemm_run(&gemm, NULL);
  for (size_t i = 0; i < size; i++) assert_true(fabs(wanted[i] - (double)gemm.c[i]) < 1e-6 * (double)(gemm.k + 10));
  ten_pool *pool = ten_pool_create(2);
  ten_gemm same = gemm;
  same.c = again;
  kernels->gemm_run(&same, pool);
  ten_pool_destroy(pool);
  assert_memory_equal(gemm.c, again, size * sizeof(float));
  free(again), free(gemm.scratch);
}

CHECK_NO_TSAN static double product_at(const float *a, int64_t a_step, const float *b, int64_t b_step, int64_t k) {
  double sum = 1;
  for (int64_t l = 0; l < k; l++) sum += (double)a[l * a_step] * (double)b[l * b_step];
  return sum;
}

static void product(const ten_kernels *kernels, int64_t m, int64_t n, int64_t k, bool turned) {
  float *a = numbers((size_t)(m * k), 1), *b = numbers((size_t)(k * n), 2), *c = numbers((size_t)(m * n), 3);
  float *packed = numbers((size_t)kernels->gemm_packed_size(k, n), 5), *other = numbers((size_t)(k * n), 7);
  double *wanted = malloc((size_t)(m * n + 1) * sizeof *wanted);
  assert_non_null(wanted);
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++)
      wanted[i * n + j] = product_at(a + (turned ? i : i * k), turned ? m : 1, b + j, n, k);
  for (int64_t l = 0; l < k; l++)
    for (int64_t j = 0; j < n; j++) other[j * k + l] = b[l * n + j];
  const int64_t panels = (n + kernels->gemm_nr - 1) / kernels->gemm_nr;
  kernels->gemm_pack_b(k, n, b, n, 1, 0, panels / 2, packed);
  kernels->gemm_pack_b(k, n, b, n, 1, panels / 2, panels, packed);
  int64_t nothing = 0;
  ten_gemm gemm = {.m = m,
                   .n = n,
                   .k = k,
                   .a = a,
                   .a_row = turned ? 1 : k,
                   .a_col = turned ? m : 1,
                   .c = c,
                   .ldc = n,
                   .epilogue = add_one,
                   .epilogue_context = &nothing};
  product_holds(kernels, gemm, packed, wanted);
  gemm.direct = true;
  gemm.b_row = n;
  gemm.b_col = 1;
  product_holds(kernels, gemm, b, wanted);
  gemm.b_row = 1;
  gemm.b_col = k;
  product_holds(kernels, gemm, other, wanted);
  free(a), free(b), free(c), free(packed), free(other), free(wanted);
}

static void test_gemm(void **state) {
  (void)state;
  static const int64_t shapes[][3] = {{1, 1, 1},
                                      {1, 37, 501},
                                      {13, 8, 3},
                                      {8, 8, 8},
                                      {40, 65, 400},
                                      {97, 33, 17},
                                      {3, 2, 0},
                                      {129, 130, 31},
                                      {1, 4100, 70},
                                      {300, 40, 600},
                                      {337, 70, 450},
                                      {2, 100, 70},
                                      {5, 33, 1000},
                                      {10, 403, 901},
                                      {12, 30, 16},
                                      {17, 50, 99},
                                      {24, 9, 1600},
                                      {25, 77, 40},
                                      /* panels that are narrower than others, alone, two alike, after others */
                                      {9, 64, 33},
                                      {1, 208, 40},
                                      {70, 112, 50},
                                      {20, 48, 21},
                                      {130, 304, 20},
                                      /* neither operand is packed */
                                      {64, 64, 64},
                                      {31, 48, 50},
                                      {90, 16, 9},
                                      {41, 80, 47},
                                      {58, 112, 131},
                                      {203, 208, 194},
                                      /* few rows in two blocks */
                                      {49, 600, 30}};
  for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
    const ten_kernels *kernels = ten_kernels_named(isas[i]);
    for (size_t s = 0; kernels && s < sizeof shapes / sizeof *shapes; s++)
      for (int turned = 0; turned < 2; turned++) product(kernels, shapes[s][0], shapes[s][1], shapes[s][2], turned);
  }
}

typedef struct conv_case {
  int64_t n, h, w, ci, co, k, stride, pad, dilation;
} conv_case;

CHECK_NO_TSAN static double conv_at(const ten_conv2d *q, const float *kernel, int64_t n, int64_t oh, int64_t ow,
                                    int64_t co) {
  double sum = 1;
  for (int64_t i = 0; i < q->kh; i++)
    for (int64_t j = 0; j < q->kw; j++) {
      const int64_t ih = oh * q->stride_h + i * q->dilation_h - q->pad_top,
                    iw = ow * q->stride_w + j * q->dilation_w - q->pad_left;
      if (ih < 0 || iw < 0 || ih >= q->h || iw >= q->w) continue;
      for (int64_t ci = 0; ci < q->ci; ci++)
        sum += (double)q->x[((n * q->h + ih) * q->w + iw) * q->ci + ci] *
               (double)kernel[((i * q->kw + j) * q->ci + ci) * q->co + co];
    }
  return sum;
}

static void convolve(const ten_kernels *kernels, const conv_case *shape, ten_conv_algorithm algorithm) {
  ten_conv2d q = {.n = shape->n,
                  .h = shape->h,
                  .w = shape->w,
                  .ci = shape->ci,
                  .co = shape->co,
                  .kh = shape->k,
                  .kw = shape->k,
                  .stride_h = shape->stride,
                  .stride_w = shape->stride,
                  .pad_top = shape->pad,
                  .pad_left = shape->pad,
                  .dilation_h = shape->dilation,
                  .dilation_w = shape->dilation,
                  .algorithm = (int)algorithm};
  q.oh = (q.h + 2 * shape->pad - (q.kh - 1) * shape->dilation - 1) / shape->stride + 1;
  q.ow = (q.w + 2 * shape->pad - (q.kw - 1) * shape->dilation - 1) / shape->stride + 1;
  if (!kernels->conv_can(&q, algorithm)) return;
  const size_t out = (size_t)(q.n * q.oh * q.ow * q.co);
  float *x = numbers((size_t)(q.n * q.h * q.w * q.ci), 1), *kernel = numbers((size_t)(q.kh * q.kw * q.ci * q.co), 2);
  float *y = numbers(out, 3), *again = numbers(out, 4),
        *packed = numbers((size_t)kernels->conv_packed_size(&q, algorithm), 5);
  const int64_t strides[] = {q.kw * q.ci * q.co, q.ci * q.co, q.co, 1};
  for (int64_t unit = 0; unit < kernels->conv_pack_units(&q); unit++)
    kernels->conv_pack(&q, algorithm, kernel, strides, unit, unit + 1, packed);
  int64_t nothing = 0;
  q.x = x, q.y = y, q.kernel = packed, q.epilogue = add_one, q.epilogue_context = &nothing;
  q.scratch = numbers(kernels->conv_scratch(&q, 2) / sizeof(float) + 1, 6);
  kernels->conv_run(&q, NULL);
  const double bound = (algorithm == TEN_CONV_WINOGRAD43 ? 2e-5 : 2e-6) * (double)(q.kh * q.kw * q.ci + 10);
  for (int64_t n = 0; n < q.n; n++)
    for (int64_t oh = 0; oh < q.oh; oh++)
      for (int64_t ow = 0; ow < q.ow; ow++)
        for (int64_t co = 0; co < q.co; co++)
          assert_true(fabs(conv_at(&q, kernel, n, oh, ow, co) - (double)y[((n * q.oh + oh) * q.ow + ow) * q.co + co]) <
                      bound);
  ten_pool *pool = ten_pool_create(2);
  q.y = again;
  kernels->conv_run(&q, pool);
  ten_pool_destroy(pool);
  assert_memory_equal(y, again, out * sizeof(float));
  free(x), free(kernel), free(y), free(again), free(packed), free(q.scratch);
}

static void test_conv(void **state) {
  (void)state;
  static const conv_case cases[] = {
      {1, 8, 8, 8, 16, 3, 1, 1, 1},     {2, 13, 9, 7, 19, 3, 1, 1, 1},   {1, 5, 5, 3, 4, 3, 1, 0, 1},
      {2, 11, 12, 5, 9, 3, 2, 1, 1},    {1, 6, 6, 33, 34, 1, 1, 0, 1},   {1, 20, 17, 3, 8, 7, 2, 3, 1},
      {1, 12, 12, 4, 6, 3, 1, 2, 2},    {3, 4, 4, 150, 40, 3, 1, 1, 1},  {1, 1, 1, 2, 3, 3, 1, 1, 1},
      {1, 7, 9, 150, 200, 3, 2, 1, 1},  {1, 6, 6, 5, 64, 3, 1, 1, 1},    {1, 5, 6, 4, 304, 3, 1, 1, 1},
      {1, 6, 7, 9, 112, 1, 1, 0, 1},    {1, 8, 8, 512, 512, 1, 1, 0, 1}, {1, 45, 51, 5, 20, 3, 1, 1, 1},
      {1, 33, 37, 100, 90, 3, 1, 1, 1}, {0, 8, 8, 8, 16, 3, 1, 1, 1}};
  for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
    const ten_kernels *kernels = ten_kernels_named(isas[i]);
    for (size_t c = 0; kernels && c < sizeof cases / sizeof *cases; c++)
      for (int algorithm = TEN_CONV_GEMM; algorithm <= TEN_CONV_WINOGRAD23; algorithm++)
        convolve(kernels, &cases[c], (ten_conv_algorithm)algorithm);
  }
}

CHECK_NO_TSAN static double weight_gradient_at(const ten_wgrad2d *q, int64_t tap, int64_t ci, int64_t co) {
  double sum = 0;
  for (int64_t p = 0; p < q->n * q->oh * q->ow; p++) {
    const int64_t ih = p / q->ow % q->oh * q->stride_h + tap / q->kw * q->dilation_h - q->pad_top;
    const int64_t iw = p % q->ow * q->stride_w + tap % q->kw * q->dilation_w - q->pad_left;
    if (ih < 0 || iw < 0 || ih >= q->h || iw >= q->w) continue;
    sum += (double)q->x[((p / q->ow / q->oh * q->h + ih) * q->w + iw) * q->ci + ci] * (double)q->g[p * q->co + co];
  }
  return sum;
}

static void weight_gradient(const ten_kernels *kernels, const conv_case *shape, bool winograd) {
  ten_wgrad2d q = {.n = shape->n,
                   .h = shape->h,
                   .w = shape->w,
                   .ci = shape->ci,
                   .co = shape->co,
                   .kh = shape->k,
                   .kw = shape->k,
                   .stride_h = shape->stride,
                   .stride_w = shape->stride,
                   .pad_top = shape->pad,
                   .pad_left = shape->pad,
                   .dilation_h = shape->dilation,
                   .dilation_w = shape->dilation};
  q.oh = (q.h + 2 * shape->pad - (q.kh - 1) * shape->dilation - 1) / shape->stride + 1;
  q.ow = (q.w + 2 * shape->pad - (q.kw - 1) * shape->dilation - 1) / shape->stride + 1;
  if (winograd && !kernels->wgrad_can_winograd(&q)) return;
  q.winograd = winograd;
  const size_t out = (size_t)(q.kh * q.kw * q.ci * q.co);
  float *x = numbers((size_t)(q.n * q.h * q.w * q.ci), 1), *g = numbers((size_t)(q.n * q.oh * q.ow * q.co), 2);
  float *dw = numbers(out, 3), *again = numbers(out, 4);
  q.x = x, q.g = g, q.dw = dw, q.scratch = numbers(kernels->wgrad_scratch(&q, 2) / sizeof(float) + 1, 5);
  kernels->wgrad_run(&q, NULL);
  for (int64_t tap = 0; tap < q.kh * q.kw; tap++)
    for (int64_t ci = 0; ci < q.ci; ci++)
      for (int64_t co = 0; co < q.co; co++) {
        const double sum = weight_gradient_at(&q, tap, ci, co);
        assert_true(fabs(sum - (double)dw[(tap * q.ci + ci) * q.co + co]) < 2e-6 * (double)(q.n * q.oh * q.ow + 10));
      }
  ten_pool *pool = ten_pool_create(2);
  q.dw = again;
  kernels->wgrad_run(&q, pool);
  ten_pool_destroy(pool);
  assert_memory_equal(dw, again, out * sizeof(float));
  free(x), free(g), free(dw), free(again), free(q.scratch);
}

static void test_weight_gradient(void **state) {
  (void)state;
  static const conv_case cases[] = {{1, 8, 8, 8, 16, 3, 1, 1, 1},    {2, 13, 9, 7, 19, 3, 1, 1, 1},
                                    {2, 11, 12, 5, 9, 3, 2, 1, 1},   {1, 70, 70, 3, 8, 3, 1, 1, 1},
                                    {1, 20, 17, 3, 8, 7, 2, 3, 1},   {1, 12, 12, 40, 6, 3, 1, 2, 2},
                                    {2, 26, 23, 40, 70, 3, 1, 1, 1}, {5, 30, 25, 17, 33, 3, 1, 0, 1},
                                    {2, 17, 16, 20, 64, 3, 1, 1, 1}, {2, 16, 17, 17, 112, 3, 1, 1, 1}};
  for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
    const ten_kernels *kernels = ten_kernels_named(isas[i]);
    for (size_t c = 0; kernels && c < sizeof cases / sizeof *cases; c++) {
      weight_gradient(kernels, &cases[c], false);
      weight_gradient(kernels, &cases[c], true);
    }
  }
}

static void count_task(void *context, int64_t i, unsigned thread) {
  (void)thread;
  __atomic_fetch_add(&((int *)context)[i], 1, __ATOMIC_RELAXED);
}

/* Rows of [batch, length, heads, width], as a network has them; the first query sees nothing. */
static void hide_first(void *context, float *c, int64_t ldc, int64_t m0, int64_t m1, int64_t n0, int64_t n1) {
  const int64_t rows = *(const int64_t *)context;
  for (int64_t m = m0; m < m1; m++)
    for (int64_t n = n0; n < n1; n++) {
      float *at = &c[(m - m0) * ldc + n - n0];
      *at = m % rows == 0 ? -INFINITY : *at * 3;
    }
}

/* The numbers cut down to bf16, and the same as bf16. */
static uint16_t *narrowed(float *values, size_t count) {
  uint16_t *narrow = malloc((count + 1) * sizeof *narrow);
  for (size_t i = 0; i < count; i++) {
    uint32_t bits;
    memcpy(&bits, &values[i], sizeof bits);
    narrow[i] = (uint16_t)(bits >> 16);
    bits &= 0xffff0000u;
    memcpy(&values[i], &bits, sizeof bits);
  }
  return narrow;
}

enum { BATCH = 2, HEADS = 3 };

/* The scores times three, the first row hidden: as hide_first makes them. */
CHECK_NO_TSAN static void expect_attention(const ten_attention *a, const float *q, const float *k, const float *v,
                                           const float *out) {
  const int64_t m = a->m, n = a->n, d = a->d, dv = a->dv;
  double *weights = malloc((size_t)n * sizeof *weights);
  for (int64_t b = 0; b < BATCH; b++)
    for (int64_t h = 0; h < HEADS; h++)
      for (int64_t i = 0; i < m; i++) {
        double top = -INFINITY, sum = 0;
        for (int64_t j = 0; j < n; j++) {
          weights[j] = 0;
          for (int64_t l = 0; l < d; l++)
            weights[j] += (double)q[((b * m + i) * HEADS + h) * d + l] * (double)k[((b * n + j) * HEADS + h) * d + l];
          weights[j] *= 3;
          top = fmax(top, weights[j]);
        }
        for (int64_t j = 0; j < n; j++) sum += weights[j] = exp(weights[j] - top);
        for (int64_t l = 0; l < dv; l++) {
          double want = 0;
          for (int64_t j = 0; j < n && i; j++) want += weights[j] / sum * (double)v[((b * n + j) * HEADS + h) * dv + l];
          assert_true(fabs(want - (double)out[((b * m + i) * HEADS + h) * dv + l]) < 2e-6);
        }
      }
  free(weights);
}

static void attention(const ten_kernels *kernels, int64_t m, int64_t n, int64_t d, int64_t dv) {
  float *q = numbers((size_t)(BATCH * HEADS * m * d), 1), *k = numbers((size_t)(BATCH * HEADS * n * d), 2),
        *v = numbers((size_t)(BATCH * HEADS * n * dv), 3), *out = numbers((size_t)(BATCH * HEADS * m * dv), 4),
        *again = numbers((size_t)(BATCH * HEADS * m * dv), 5);
  uint16_t *narrow_q = narrowed(q, (size_t)(BATCH * HEADS * m * d)),
           *narrow_k = narrowed(k, (size_t)(BATCH * HEADS * n * d)),
           *narrow_v = narrowed(v, (size_t)(BATCH * HEADS * n * dv));
  ten_attention a = {.batches = BATCH * HEADS,
                     .m = m,
                     .n = n,
                     .d = d,
                     .dv = dv,
                     .batch = {BATCH, HEADS, 1, 1},
                     .q_batch = {m * HEADS * d, d},
                     .k_batch = {n * HEADS * d, d},
                     .v_batch = {n * HEADS * dv, dv},
                     .out_batch = {m * HEADS * dv, dv},
                     .q_row = HEADS * d,
                     .q_col = 1,
                     .k_row = HEADS * d,
                     .k_col = 1,
                     .v_row = HEADS * dv,
                     .v_col = 1,
                     .out_row = HEADS * dv,
                     .q = q,
                     .k = k,
                     .v = v,
                     .out = out,
                     .empty_is_zero = true,
                     .epilogue = hide_first,
                     .epilogue_context = &m};
  a.scratch = numbers(kernels->attention_scratch(&a, 2) / sizeof(float) + 1, 6);
  kernels->attention_run(&a, NULL);
  expect_attention(&a, q, k, v, out);
  ten_pool *pool = ten_pool_create(2);
  a.out = again;
  kernels->attention_run(&a, pool);
  ten_pool_destroy(pool);
  assert_memory_equal(out, again, (size_t)(BATCH * HEADS * m * dv) * sizeof(float));
  memset(again, 0, (size_t)(BATCH * HEADS * m * dv) * sizeof(float));
  a.q = narrow_q, a.k = narrow_k, a.v = narrow_v;
  a.q_narrow = a.k_narrow = a.v_narrow = true;
  kernels->attention_run(&a, NULL);
  assert_memory_equal(out, again, (size_t)(BATCH * HEADS * m * dv) * sizeof(float));
  if (d % 32 == 0) { /* by bf16 matmuls: as far off as the rounding of its weights */
    a.rounded = true;
    a.form = kernels->bf16_portable;
    free(a.scratch);
    a.scratch = numbers(kernels->attention_scratch(&a, 2) / sizeof(float) + 1, 6);
    kernels->attention_run(&a, NULL);
    for (int64_t i = 0; i < BATCH * HEADS * m * dv; i++) assert_true(fabsf(out[i] - again[i]) < 4e-3f);
    memcpy(out, again, (size_t)(BATCH * HEADS * m * dv) * sizeof(float));
    pool = ten_pool_create(2);
    kernels->attention_run(&a, pool);
    ten_pool_destroy(pool);
    assert_memory_equal(out, again, (size_t)(BATCH * HEADS * m * dv) * sizeof(float));
  }
  free(narrow_q), free(narrow_k), free(narrow_v);
  free(q), free(k), free(v), free(out), free(again), free(a.scratch);
}

static void test_attention(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
    const ten_kernels *kernels = ten_kernels_named(isas[i]);
    if (!kernels) continue;
    attention(kernels, 2, 1, 1, 1);
    attention(kernels, 7, 13, 5, 3);
    attention(kernels, 70, 900, 20, 19);
    attention(kernels, 30, 40, 150, 70);
    attention(kernels, 70, 900, 64, 19);
    attention(kernels, 33, 31, 32, 33);
    attention(kernels, 50, 784, 16, 64); /* keys whose last panel is one vector more than a block of them */
  }
}

static void test_pool(void **state) {
  (void)state;
  ten_pool *pool = ten_pool_create(3);
  for (int round = 0; round < 20000; round++) {
    int counts[17] = {0};
    const int64_t count = round % 17 + 1;
    ten_pool_run(pool, count_task, counts, count);
    for (int64_t i = 0; i < 17; i++) assert_int_equal(counts[i], i < count ? 1 : 0);
  }
  ten_pool_destroy(pool);
}

/* The input is not written out with its padding where strides make that larger than any memory. */
static void test_weight_gradient_of_far_pixels(void **state) {
  (void)state;
  const ten_wgrad2d w = {.n = 1,
                         .h = 4,
                         .w = 4,
                         .ci = 3,
                         .co = 2,
                         .kh = 3,
                         .kw = 3,
                         .oh = 2,
                         .ow = 2,
                         .stride_h = INT32_MAX,
                         .stride_w = INT32_MAX,
                         .dilation_h = INT32_MAX,
                         .dilation_w = 1};
  assert_true(ten_kernels_best()->wgrad_scratch(&w, 2) < 1 << 24);
}

static void test_forced(void **state) {
  (void)state;
  assert_null(ten_kernels_named("z80"));
  setenv("TENFOLD_CPU", "generic", 1);
  ten_kernels_reload();
  assert_string_equal(ten_kernels_best()->isa, "generic");
  unsetenv("TENFOLD_CPU");
  ten_kernels_reload();
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_gemm),
                                     cmocka_unit_test(test_conv),
                                     cmocka_unit_test(test_weight_gradient),
                                     cmocka_unit_test(test_attention),
                                     cmocka_unit_test(test_weight_gradient_of_far_pixels),
                                     cmocka_unit_test(test_pool),
                                     cmocka_unit_test(test_forced)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
