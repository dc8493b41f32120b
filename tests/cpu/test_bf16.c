/* Products in bf16: every form this CPU can run, against sums in double of the rounded inputs; the same bits for one
 * thread and two. The forms that need AMX, AVX512-BF16 or BF16 on aarch64 are only tried where those are there; which
 * were is printed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/cpu/kernels/kernels.h"

static const char *const forms[] = {"portable", "avx512bf16", "amx", "neonbf16"};
enum { FORM_COUNT = sizeof forms / sizeof *forms };
static const char *const isas[] = {"generic", "avx2", "avx512"};

static uint16_t narrow_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static float wide_of(uint16_t value) {
  const uint32_t bits = (uint32_t)value << 16;
  float wide;
  memcpy(&wide, &bits, sizeof wide);
  return wide;
}

/* Numbers in both widths; the f32 ones are not yet rounded. */
typedef struct numbers {
  float *wide;
  uint16_t *narrow;
} numbers;

static void *memory(size_t bytes) {
  void *at = aligned_alloc(64, (bytes + 127) / 64 * 64);
  assert_non_null(at);
  memset(at, 0xff, (bytes + 127) / 64 * 64); /* NaN: what is not written must not matter */
  return at;
}

static numbers numbers_new(int64_t count, unsigned seed) {
  numbers n = {memory((size_t)count * 4), memory((size_t)count * 2)};
  for (int64_t i = 0; i < count; i++) {
    seed = seed * 1664525u + 1013904223u;
    n.wide[i] = (float)(seed >> 8) / (float)(1 << 24) - 0.5f;
    n.narrow[i] = narrow_of(n.wide[i]);
  }
  return n;
}

static void numbers_free(numbers n) { free(n.wide), free(n.narrow); }

typedef struct output {
  uint16_t *narrow;
  int64_t ldc;
} output;

/* As an f32 program's: in place. */
static void add_one(void *context, float *c, int64_t ldc, int64_t m0, int64_t m1, int64_t n0, int64_t n1) {
  (void)context;
  for (int64_t m = 0; m < m1 - m0; m++)
    for (int64_t n = 0; n < n1 - n0; n++) c[m * ldc + n] += 1.0f;
}

/* As a bf16 program's: out of a tile. */
static void store_narrow(void *context, float *c, int64_t ldc, int64_t m0, int64_t m1, int64_t n0, int64_t n1) {
  const output *out = context;
  for (int64_t m = m0; m < m1; m++)
    for (int64_t n = n0; n < n1; n++) out->narrow[m * out->ldc + n] = narrow_of(c[(m - m0) * ldc + n - n0]);
}

static void expect(double sum, double magnitude, double got, double relative) {
  const double allowed = relative * magnitude + 1e-6;
  if (!(fabs(sum - got) <= allowed)) print_error("%.9g, expected %.9g, allowed %.3g\n", got, sum, allowed);
  assert_true(fabs(sum - got) <= allowed);
}

static const double f32_error = 4e-6, bf16_error = 1.0 / 128;

static void product(const ten_kernels *kernels, const ten_bf16_form *form, const int64_t s[4], bool narrow,
                    bool turned) {
  const int64_t m = s[0], n = s[1], k = s[2], batch = s[3];
  numbers a = numbers_new(batch * m * k, 1), b = numbers_new(batch * k * n, 2);
  float *c = memory((size_t)(batch * m * n) * 4), *again = memory((size_t)(batch * m * n) * 4);
  const int64_t size = kernels->bf16_packed_size(k, n), panels = (n + BF16_COLUMNS - 1) / BF16_COLUMNS;
  uint16_t *packed = memory((size_t)(size * batch) * 2), *stored = memory((size_t)(batch * m * n) * 2);
  for (int64_t i = 0; i < batch; i++)
    for (int64_t p = 0; p < panels; p++)
      kernels->bf16_pack_b(k, n, narrow ? (void *)(b.narrow + i * k * n) : b.wide + i * k * n, narrow, turned ? 1 : n,
                           turned ? k : 1, p, p + 1, packed + i * size);
  ten_gemm gemm = {.m = m,
                   .n = n,
                   .k = k,
                   .a = narrow ? (const float *)a.narrow : a.wide,
                   .a_row = turned ? 1 : k,
                   .a_col = turned ? m : 1,
                   .b = (const float *)packed,
                   .c = c,
                   .ldc = n,
                   .batch = batch,
                   .a_batch = m * k,
                   .b_batch = size,
                   .c_batch = m * n,
                   .epilogue = add_one,
                   .form = form,
                   .narrow = narrow};
  gemm.scratch = memory(kernels->bf16_gemm_scratch(&gemm, 2));
  kernels->bf16_gemm_run(&gemm, NULL);
  ten_pool *pool = ten_pool_create(2);
  gemm.c = again;
  kernels->bf16_gemm_run(&gemm, pool);
  assert_memory_equal(c, again, (size_t)(batch * m * n) * 4);
  output out = {stored, n};
  gemm.c = NULL, gemm.epilogue = store_narrow, gemm.epilogue_context = &out;
  kernels->bf16_gemm_run(&gemm, pool);
  ten_pool_destroy(pool);
  for (int64_t q = 0; q < batch; q++)
    for (int64_t i = 0; i < m; i++)
      for (int64_t j = 0; j < n; j++) {
        double sum = 0, magnitude = 1;
        for (int64_t l = 0; l < k; l++) {
          const double x = (double)wide_of(a.narrow[q * m * k + (turned ? l * m + i : i * k + l)]) *
                           (double)wide_of(b.narrow[q * k * n + (turned ? j * k + l : l * n + j)]);
          sum += x;
          magnitude += fabs(x);
        }
        expect(sum + 1, magnitude, (double)c[(q * m + i) * n + j], f32_error);
        expect(sum, magnitude, (double)wide_of(stored[(q * m + i) * n + j]), bf16_error);
      }
  numbers_free(a), numbers_free(b);
  free(c), free(again), free(packed), free(stored), free(gemm.scratch);
}

typedef struct conv_case {
  int64_t n, h, w, ci, co, kh, kw, stride, pad, dilation;
  bool wild; /* one number is infinite: sums that it is not in stay finite */
} conv_case;

static void expect_convolution(const ten_conv2d *q, const numbers *x, const numbers *kernel, const float *y,
                               const uint16_t *stored) {
  for (int64_t at = 0; at < q->n * q->oh * q->ow * q->co; at++) {
    const int64_t co = at % q->co, ow = at / q->co % q->ow, oh = at / q->co / q->ow % q->oh,
                  n = at / q->co / q->ow / q->oh;
    double sum = 0, magnitude = 1;
    for (int64_t tap = 0; tap < q->kh * q->kw; tap++) {
      const int64_t ih = oh * q->stride_h + tap / q->kw * q->dilation_h - q->pad_top,
                    iw = ow * q->stride_h + tap % q->kw * q->dilation_h - q->pad_top;
      if (ih < 0 || iw < 0 || ih >= q->h || iw >= q->w) continue;
      for (int64_t ci = 0; ci < q->ci; ci++) {
        const double v = (double)wide_of(x->narrow[((n * q->h + ih) * q->w + iw) * q->ci + ci]) *
                         (double)wide_of(kernel->narrow[(tap * q->ci + ci) * q->co + co]);
        sum += v;
        magnitude += fabs(v);
      }
    }
    if (!isfinite(sum)) {
      assert_false(isfinite(y[at]) || isfinite(wide_of(stored[at])));
      continue;
    }
    expect(sum + 1, magnitude, (double)y[at], f32_error);
    expect(sum, magnitude, (double)wide_of(stored[at]), bf16_error);
  }
}

static void convolution(const ten_kernels *kernels, const ten_bf16_form *form, const conv_case *s, bool narrow) {
  ten_conv2d q = {.n = s->n,
                  .h = s->h,
                  .w = s->w,
                  .ci = s->ci,
                  .co = s->co,
                  .kh = s->kh,
                  .kw = s->kw,
                  .stride_h = s->stride,
                  .stride_w = s->stride,
                  .pad_top = s->pad,
                  .pad_left = s->pad,
                  .dilation_h = s->dilation,
                  .dilation_w = s->dilation,
                  .epilogue = add_one,
                  .form = form,
                  .narrow = narrow};
  q.oh = (s->h + 2 * s->pad - (s->kh - 1) * s->dilation - 1) / s->stride + 1;
  q.ow = (s->w + 2 * s->pad - (s->kw - 1) * s->dilation - 1) / s->stride + 1;
  numbers x = numbers_new(q.n * q.h * q.w * q.ci, 7), kernel = numbers_new(q.kh * q.kw * q.ci * q.co, 8);
  const int64_t middle = q.n * q.h * q.w * q.ci / 2 + q.w * q.ci / 2;
  if (s->wild) x.wide[middle] = INFINITY, x.narrow[middle] = narrow_of(INFINITY);
  const int64_t strides[4] = {q.kw * q.ci * q.co, q.ci * q.co, q.co, 1}, count = q.n * q.oh * q.ow * q.co;
  uint16_t *packed = memory((size_t)kernels->bf16_conv_packed_size(&q) * 2), *stored = memory((size_t)count * 2);
  for (int64_t unit = 0; unit < kernels->bf16_conv_pack_units(&q); unit++)
    kernels->bf16_conv_pack(&q, narrow ? (void *)kernel.narrow : kernel.wide, narrow, strides, unit, unit + 1, packed);
  float *y = memory((size_t)count * 4), *again = memory((size_t)count * 4);
  q.x = narrow ? (const float *)x.narrow : x.wide;
  q.kernel = (const float *)packed;
  q.y = y;
  const size_t scratch = kernels->bf16_conv_scratch(&q, 2);
  q.scratch = memory(scratch);
  memset(q.scratch, 0xff, scratch); /* what was there before is no number */
  kernels->bf16_conv_run(&q, NULL);
  ten_pool *pool = ten_pool_create(2);
  q.y = again;
  kernels->bf16_conv_run(&q, pool);
  assert_memory_equal(y, again, (size_t)count * 4);
  output out = {stored, q.co};
  q.y = NULL, q.epilogue = store_narrow, q.epilogue_context = &out;
  kernels->bf16_conv_run(&q, pool);
  ten_pool_destroy(pool);
  expect_convolution(&q, &x, &kernel, y, stored);
  numbers_free(x), numbers_free(kernel);
  free(packed), free(stored), free(y), free(again), free(q.scratch);
}

static const int64_t products[][4] = {{1, 1, 1, 1},    {1, 40, 70, 1},  {33, 31, 32, 1},  {5, 64, 129, 2},
                                      {64, 96, 64, 3}, {17, 33, 20, 1}, {130, 70, 40, 1}, {300, 70, 96, 2}};
static const conv_case convolutions[] = {{2, 9, 7, 32, 40, 3, 3, 1, 1, 1},
                                         {1, 8, 8, 16, 32, 1, 1, 1, 0, 1},
                                         {1, 9, 11, 33, 5, 3, 3, 2, 1, 1},
                                         {2, 12, 12, 3, 36, 7, 7, 2, 3, 1},
                                         {1, 8, 9, 64, 33, 1, 1, 2, 0, 1},
                                         {1, 14, 13, 20, 16, 3, 2, 1, 2, 2},
                                         {1, 5, 5, 1, 1, 5, 5, 1, 0, 1},
                                         {1, 20, 20, 32, 32, 3, 3, 3, 0, 1},
                                         {3, 7, 7, 64, 40, 1, 1, 1, 0, 1},
                                         {4, 90, 94, 32, 1, 3, 3, 1, 1, 1},
                                         {8, 33, 12, 64, 32, 3, 3, 2, 1, 1},
                                         {3, 70, 80, 40, 1, 3, 3, 1, 2, 2},
                                         /* one tap, not of all pixels: near, and not */
                                         {3, 9, 7, 48, 40, 1, 1, 2, 0, 1},
                                         {2, 66, 64, 256, 3, 1, 1, 2, 0, 1},
                                         {2, 40, 31, 40, 3, 1, 1, 3, 1, 1},
                                         /* padding that rows share, and more than that */
                                         {2, 9, 9, 32, 8, 3, 3, 1, 2, 1},
                                         {2, 7, 7, 32, 8, 3, 3, 1, 3, 1},
                                         {3, 7, 7, 64, 33, 3, 3, 1, 1, 1},
                                         {9, 30, 28, 64, 3, 3, 5, 1, 1, 1},
                                         /* few channels: rows of taps that lie together */
                                         {4, 60, 50, 3, 20, 7, 7, 2, 3, 1},
                                         {1, 20, 20, 8, 10, 3, 3, 1, 1, 1},
                                         /* patches */
                                         {2, 20, 21, 3, 33, 3, 3, 1, 1, 1},
                                         {1, 9, 9, 5, 4, 3, 3, 1, 0, 1},
                                         {2, 12, 12, 9, 4, 3, 3, 1, 1, 1},
                                         {1, 9, 8, 2, 3, 2, 2, 1, 0, 1},
                                         {1, 17, 16, 4, 9, 5, 5, 1, 2, 1},
                                         {2, 12, 12, 3, 36, 7, 7, 2, 3, 1, true},
                                         {4, 60, 50, 3, 20, 7, 7, 2, 3, 1, true},
                                         {1, 20, 22, 3, 5, 7, 7, 3, 2, 1, true}};

static _Thread_local int rows_begun;

static bool whole_begin(int rows) {
  rows_begun = rows;
  return true;
}

/* Reads, and writes, as much as a form may. */
static void whole_block(const uint16_t *a, int64_t row_stride, const int64_t *offsets, int64_t blocks,
                        const uint16_t *b, int rows, float *c, int64_t ldc, ten_bf16_ahead ahead) {
  volatile uint16_t seen = 0;
  for (int64_t block = 0; block < blocks; block++)
    for (int i = 0; i < rows_begun; i++)
      seen = a[i * row_stride + offsets[block]], seen = a[i * row_stride + offsets[block] + BF16_K - 1];
  (void)seen;
  for (int i = 0; i < rows_begun; i++) memset(c + i * ldc, 0, BF16_COLUMNS * sizeof *c);
  ten_kernels_best()->bf16_portable->block(a, row_stride, offsets, blocks, b, rows, c, ldc, ahead);
}

static void try_all(const ten_kernels *kernels, const ten_bf16_form *form) {
  print_message("%s on %s kernels\n", form->name, kernels->isa);
  for (size_t s = 0; s < sizeof products / sizeof *products; s++)
    for (int i = 0; i < 4; i++) product(kernels, form, products[s], i & 1, i >> 1);
  for (size_t s = 0; s < sizeof convolutions / sizeof *convolutions; s++)
    for (int i = 0; i < 2; i++) convolution(kernels, form, &convolutions[s], i);
}

static void test_forms(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
    const ten_kernels *kernels = ten_kernels_named(isas[i]);
    if (kernels) try_all(kernels, kernels->bf16_portable);
  }
  const ten_bf16_form whole = {.name = "whole blocks", .block = whole_block, .begin = whole_begin};
  try_all(ten_kernels_best(), &whole);
  for (size_t i = 1; i < FORM_COUNT; i++) {
    const ten_bf16_form *form = ten_bf16_named(forms[i]);
    if (form)
      try_all(ten_kernels_best(), form);
    else
      print_message("this CPU has no %s\n", forms[i]);
  }
}

/* What is asked for ahead changes no sum, nor how many rows a block may have. */
static void same_ahead(const ten_bf16_form *form) {
  enum { BLOCKS = 5, ROW = BLOCKS * BF16_K, ASKS = 16 };
  numbers a = numbers_new(BF16_ROWS * ROW, 3), b = numbers_new((BLOCKS + 2) * BF16_STEP, 4);
  int64_t offsets[BLOCKS];
  for (int i = 0; i < BLOCKS; i++) offsets[i] = i * BF16_K;
  for (int rows = 1; rows <= BF16_ROWS; rows++) {
    float sums[2][BF16_ROWS * BF16_COLUMNS];
    for (int ask = 0; ask < ASKS; ask++) {
      const ten_bf16_lines lines = {(const char *)b.narrow, ask & 8 ? 2 : 0};
      const ten_bf16_ahead ahead = {.panel = lines, .rows = lines, .soon = ask & 1, .far_a = ask & 2};
      if (form->begin) form->begin(ask & 4 ? rows : BF16_ROWS);
      form->block(a.narrow, ROW, offsets, BLOCKS, b.narrow, rows, sums[ask > 0], BF16_COLUMNS, ahead);
      if (form->end) form->end();
      assert_memory_equal(sums[0], sums[ask > 0], (size_t)(rows * BF16_COLUMNS) * sizeof(float));
    }
  }
  numbers_free(a), numbers_free(b);
}

static void test_ahead(void **state) {
  (void)state;
  for (size_t i = 0; i < FORM_COUNT; i++) {
    const ten_bf16_form *form = ten_bf16_named(forms[i]);
    if (form) same_ahead(form);
  }
}

static void test_names(void **state) {
  (void)state;
  assert_null(ten_bf16_named("nothing"));
  assert_non_null(ten_bf16_best());
  setenv("TENFOLD_CPU", "generic", 1);
  ten_kernels_reload();
  assert_string_equal(ten_bf16_best()->name, "portable");
  unsetenv("TENFOLD_CPU");
  ten_kernels_reload();
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_forms), cmocka_unit_test(test_ahead),
                                     cmocka_unit_test(test_names)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
