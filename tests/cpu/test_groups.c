/* test_groups.c: grouped convolutions and the kernel gradients of depthwise ones compared with plain loops, for every
 * instruction set that this CPU has; the same bits for any number of threads. */
#include "backend/cpu/kernels/kernels.h"

#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const isas[] = {"generic", "avx2", "avx512"};

static float *numbers(size_t count, unsigned seed) {
  float *x = aligned_alloc(64, (count * sizeof *x + 127) / 64 * 64);
  assert_non_null(x);
  for (size_t i = 0; i < count; i++) {
    seed = seed * 1103515245u + 12345u;
    x[i] = (float)(int)(seed >> 8 & 0xffff) / 32768.0f - 1.0f;
  }
  return x;
}

typedef struct group_case {
  int64_t n, h, w, groups, inputs, outputs, kh, kw, stride, pad, dilation;
} group_case;

static int64_t size_after(int64_t size, int64_t taps, const group_case *s) {
  return (size + 2 * s->pad - (taps - 1) * s->dilation - 1) / s->stride + 1;
}

CHECK_NO_TSAN static double element(const ten_conv2d *q, const float *kernel, int64_t pixel, int64_t co) {
  const int64_t n = pixel / q->ow / q->oh, oh = pixel / q->ow % q->oh, ow = pixel % q->ow, inputs = q->ci / q->groups,
                first = co / (q->co / q->groups) * inputs;
  double sum = 0;
  for (int64_t i = 0; i < q->kh; i++)
    for (int64_t j = 0; j < q->kw; j++) {
      const int64_t ih = oh * q->stride_h + i * q->dilation_h - q->pad_top,
                    iw = ow * q->stride_w + j * q->dilation_w - q->pad_left;
      if (ih < 0 || iw < 0 || ih >= q->h || iw >= q->w) continue;
      for (int64_t ci = 0; ci < inputs; ci++)
        sum += (double)q->x[((n * q->h + ih) * q->w + iw) * q->ci + first + ci] *
               (double)kernel[((i * q->kw + j) * inputs + ci) * q->co + co];
    }
  return sum;
}

static void convolve(const ten_kernels *kernels, const group_case *s) {
  ten_conv2d q = {.n = s->n,
                  .h = s->h,
                  .w = s->w,
                  .ci = s->groups * s->inputs,
                  .co = s->groups * s->outputs,
                  .kh = s->kh,
                  .kw = s->kw,
                  .oh = size_after(s->h, s->kh, s),
                  .ow = size_after(s->w, s->kw, s),
                  .stride_h = s->stride,
                  .stride_w = s->stride,
                  .pad_top = s->pad,
                  .pad_left = s->pad,
                  .dilation_h = s->dilation,
                  .dilation_w = s->dilation,
                  .groups = s->groups,
                  .spread_h = 1,
                  .spread_w = 1,
                  .algorithm = TEN_CONV_GROUPS};
  if (!kernels->conv_can(&q, TEN_CONV_GROUPS)) return;
  const size_t out = (size_t)(q.n * q.oh * q.ow * q.co);
  float *x = numbers((size_t)(q.n * q.h * q.w * q.ci), 1),
        *kernel = numbers((size_t)(q.kh * q.kw * s->inputs * q.co), 2), *y = numbers(out, 3), *again = numbers(out, 4),
        *packed = numbers((size_t)kernels->conv_packed_size(&q, TEN_CONV_GROUPS), 5);
  const int64_t strides[] = {q.kw * s->inputs * q.co, s->inputs * q.co, q.co, 1};
  kernels->conv_pack(&q, TEN_CONV_GROUPS, kernel, strides, 0, kernels->conv_pack_units(&q), packed);
  q.x = x, q.y = y, q.kernel = packed;
  q.scratch = numbers(kernels->conv_scratch(&q, 2) / sizeof(float) + 1, 6);
  kernels->conv_run(&q, NULL);
  for (int64_t pixel = 0; pixel < q.n * q.oh * q.ow; pixel++)
    for (int64_t co = 0; co < q.co; co++)
      assert_true(fabs(element(&q, kernel, pixel, co) - (double)y[pixel * q.co + co]) <
                  2e-6 * (double)(q.kh * q.kw * s->inputs + 10));
  ten_pool *pool = ten_pool_create(2);
  q.y = again;
  kernels->conv_run(&q, pool);
  ten_pool_destroy(pool);
  assert_memory_equal(y, again, out * sizeof(float));
  free(x), free(kernel), free(y), free(again), free(packed), free(q.scratch);
}

CHECK_NO_TSAN static double gradient_element(const ten_wgrad2d *q, int64_t tap, int64_t channel) {
  double sum = 0;
  for (int64_t p = 0; p < q->n * q->oh * q->ow; p++) {
    const int64_t ih = p / q->ow % q->oh * q->stride_h + tap / q->kw * q->dilation_h - q->pad_top;
    const int64_t iw = p % q->ow * q->stride_w + tap % q->kw * q->dilation_w - q->pad_left;
    if (ih < 0 || iw < 0 || ih >= q->h || iw >= q->w) continue;
    sum += (double)q->x[((p / q->ow / q->oh * q->h + ih) * q->w + iw) * q->ci + channel] *
           (double)q->g[p * q->co + channel];
  }
  return sum;
}

static void weight_gradient(const ten_kernels *kernels, const group_case *s) {
  if (s->inputs != 1 || s->outputs != 1) return;
  ten_wgrad2d q = {.n = s->n,
                   .h = s->h,
                   .w = s->w,
                   .ci = s->groups,
                   .co = s->groups,
                   .kh = s->kh,
                   .kw = s->kw,
                   .oh = size_after(s->h, s->kh, s),
                   .ow = size_after(s->w, s->kw, s),
                   .stride_h = s->stride,
                   .stride_w = s->stride,
                   .pad_top = s->pad,
                   .pad_left = s->pad,
                   .dilation_h = s->dilation,
                   .dilation_w = s->dilation,
                   .groups = s->groups};
  const size_t out = (size_t)(q.kh * q.kw * q.co);
  float *x = numbers((size_t)(q.n * q.h * q.w * q.ci), 1), *g = numbers((size_t)(q.n * q.oh * q.ow * q.co), 2),
        *dw = numbers(out, 3), *again = numbers(out, 4);
  q.x = x, q.g = g, q.dw = dw, q.scratch = numbers(kernels->wgrad_scratch(&q, 2) / sizeof(float) + 1, 5);
  kernels->wgrad_run(&q, NULL);
  for (int64_t tap = 0; tap < q.kh * q.kw; tap++)
    for (int64_t channel = 0; channel < q.co; channel++)
      assert_true(fabs(gradient_element(&q, tap, channel) - (double)dw[tap * q.co + channel]) <
                  2e-6 * (double)(q.n * q.oh * q.ow + 10));
  ten_pool *pool = ten_pool_create(2);
  q.dw = again;
  kernels->wgrad_run(&q, pool);
  ten_pool_destroy(pool);
  assert_memory_equal(dw, again, out * sizeof(float));
  free(x), free(g), free(dw), free(again), free(q.scratch);
}

/* Windows of 3, 5 and 7 and others, strides 1, 2 and 3, rows shorter than a block of pixels or than the window,
 * channels that are no multiple of a vector; groups of few and of many channels, with one, two and three vectors of
 * columns. */
static const group_case cases[] = {
    {1, 9, 14, 24, 1, 1, 3, 3, 1, 1, 1},  {2, 7, 7, 72, 1, 1, 3, 3, 1, 1, 1},   {1, 15, 16, 20, 1, 1, 3, 3, 2, 1, 1},
    {2, 8, 11, 70, 1, 1, 5, 5, 1, 2, 1},  {1, 7, 5, 9, 1, 1, 5, 5, 2, 2, 1},    {1, 3, 3, 17, 1, 1, 5, 5, 1, 2, 1},
    {1, 7, 7, 33, 1, 1, 7, 7, 1, 3, 1},   {2, 12, 23, 16, 1, 1, 7, 7, 2, 3, 1}, {1, 2, 2, 40, 1, 1, 7, 7, 1, 3, 1},
    {1, 1, 1, 8, 1, 1, 3, 3, 1, 1, 1},    {1, 9, 10, 16, 1, 1, 3, 3, 1, 2, 2},  {1, 6, 20, 18, 1, 1, 1, 5, 1, 0, 1},
    {1, 11, 12, 19, 1, 1, 4, 2, 1, 1, 1}, {1, 10, 13, 24, 1, 1, 3, 3, 3, 1, 1}, {1, 6, 7, 5, 1, 1, 3, 3, 1, 1, 1},
    {3, 12, 10, 11, 1, 1, 9, 9, 1, 4, 1}, {1, 9, 9, 8, 1, 1, 3, 3, 1, 0, 1},    {1, 30, 3, 12, 1, 1, 3, 7, 1, 3, 1},
    {1, 8, 14, 3, 24, 24, 3, 3, 1, 1, 1}, {2, 7, 7, 2, 8, 8, 3, 3, 1, 1, 1},    {1, 9, 13, 2, 16, 16, 3, 3, 2, 1, 1},
    {1, 6, 28, 2, 12, 40, 3, 3, 1, 1, 1}, {1, 5, 5, 4, 4, 4, 3, 3, 1, 1, 1},    {1, 4, 4, 2, 9, 13, 5, 5, 1, 2, 1},
    {1, 8, 9, 2, 8, 20, 3, 3, 1, 2, 2},   {1, 3, 3, 2, 16, 56, 3, 3, 1, 1, 1},  {1, 6, 11, 3, 300, 6, 1, 1, 1, 0, 1},
    {1, 5, 17, 2, 10, 17, 2, 4, 3, 1, 1}, {1, 3, 50, 2, 24, 24, 3, 3, 1, 1, 1}, {1, 3, 50, 2, 16, 16, 3, 3, 1, 1, 1},
    {0, 8, 8, 8, 1, 1, 3, 3, 1, 1, 1}};

static void test_groups(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
    const ten_kernels *kernels = ten_kernels_named(isas[i]);
    for (size_t c = 0; kernels && c < sizeof cases / sizeof *cases; c++) {
      convolve(kernels, &cases[c]);
      weight_gradient(kernels, &cases[c]);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_groups)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
