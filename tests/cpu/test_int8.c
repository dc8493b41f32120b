/* Matmuls and convolutions of bytes: every form that this CPU has, against sums written out, over shapes made at
 * random: sizes that leave rests of every block, strides, dilations, holes, padding, groups, zero points, bytes of
 * either sign and the extreme ones; one thread and two; and what becomes of the sums. Forms that the CPU lacks are not
 * tried; which were is printed. AMX's is also tried with tiles in C (int8_tiles.c).
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/cpu/kernels/kernels.h"

static const char *const forms[] = {"portable", "tiles", "amx", "vnni", "avx2", "dotprod", "i8mm"};
static const char *const isas[] = {"generic", "avx2", "avx512"};
enum { FORMS = sizeof forms / sizeof *forms, ISAS = sizeof isas / sizeof *isas, SHAPES = 400 };

static unsigned seed = 1;
static int between(int low, int high) {
  seed = seed * 1664525u + 1013904223u;
  return low + (int)((seed >> 8) % (unsigned)(high - low + 1));
}

static void *memory(int64_t bytes) {
  void *at = aligned_alloc(64, (size_t)(bytes + 63) / 64 * 64);
  assert_non_null(at);
  memset(at, 0xcc, (size_t)(bytes + 63) / 64 * 64); /* what is not written must not matter */
  return at;
}

static int32_t sum_at(const ten_int8 *p, const int8_t *w, int64_t n, int64_t y, int64_t x, int64_t o) {
  const int64_t inputs = p->ci / p->groups, first = o / (p->co / p->groups) * inputs;
  uint32_t sum = 0;
  for (int64_t kh = 0; kh < p->kh; kh++)
    for (int64_t kw = 0; kw < p->kw; kw++) {
      const int64_t h = y * p->stride_h - p->pad_top + kh * p->dilation_h,
                    v = x * p->stride_w - p->pad_left + kw * p->dilation_w;
      if (h < 0 || h % p->spread_h || h / p->spread_h >= p->h || v < 0 || v % p->spread_w || v / p->spread_w >= p->w)
        continue;
      const uint8_t *at = (const uint8_t *)p->x + ((n * p->h + h / p->spread_h) * p->w + v / p->spread_w) * p->pixel;
      for (int64_t c = 0; c < inputs; c++) {
        const uint8_t byte = at[(first + c) * p->channel];
        const int value = (p->is_unsigned ? byte : (int8_t)byte) - (int)p->zero;
        sum += (uint32_t)(value * w[kh * p->weights[0] + kw * p->weights[1] + c * p->weights[2] + o * p->weights[3]]);
      }
    }
  return (int32_t)sum;
}

static void window_draw(int64_t size, int64_t *taps, int64_t *stride, int64_t *dilation, int64_t *spread, int64_t *pad,
                        int64_t *out) {
  do {
    *taps = between(1, 3), *stride = between(1, 3), *dilation = between(1, 2), *spread = between(1, 4) / 3 + 1;
    *pad = between(-1, 2);
    if (!between(0, 2)) *pad = 0, *spread = 1;
    const int64_t wide = (size - 1) * *spread + 1 + *pad + (*pad ? between(-1, 2) : 0);
    *out = wide < (*taps - 1) * *dilation + 1 ? 0 : (wide - (*taps - 1) * *dilation - 1) / *stride + 1;
  } while (*out < 1);
}

static ten_int8 convolution_draw(void) {
  ten_int8 p = {
      .n = between(1, 3), .h = between(1, 9), .w = between(1, 60), .groups = between(0, 3) ? 1 : between(2, 5)};
  window_draw(p.h, &p.kh, &p.stride_h, &p.dilation_h, &p.spread_h, &p.pad_top, &p.oh);
  window_draw(p.w, &p.kw, &p.stride_w, &p.dilation_w, &p.spread_w, &p.pad_left, &p.ow);
  const bool depthwise = p.groups > 1 && between(0, 1);
  p.ci = p.groups * (depthwise ? 1 : between(0, 3) ? between(1, 40) : 64);
  p.co = p.groups * (depthwise ? 1 : between(1, 150));
  p.pixel = p.ci, p.channel = 1;
  return p;
}

/* With rows that are further apart than they are long, or transposed. */
static ten_int8 matmul_draw(void) {
  ten_int8 p = {.n = 1, .h = 1, .w = between(1, 200), .ci = between(1, 70), .co = between(1, 150), .oh = 1};
  p.kh = p.kw = p.stride_h = p.stride_w = p.dilation_h = p.dilation_w = p.spread_h = p.spread_w = p.groups = 1;
  p.ow = p.w;
  const int kind = between(0, 2);
  p.pixel = kind == 2 ? 1 : p.ci + kind * between(0, 9);
  p.channel = kind == 2 ? p.w + between(0, 3) : 1;
  return p;
}

/* What becomes of a sum, each operation rounded. */
static float finished(const ten_int8_finish *f, int32_t sum, int64_t at, int64_t column) {
  const volatile float product = (float)sum * f->scale[column];
  volatile float t = product + f->bias[column];
  if (!f->other) return t;
  const volatile float more = (float)f->other[at] * f->other_scale;
  t = t + more;
  return t;
}

static uint8_t byte_of(float t) { return (uint8_t)(t > 255 ? 255 : t > 0 ? rintf(t) : 0); }

/* The same sums, finished as floats or as bytes; what is beyond the last element stays. */
static void try_finish(ten_int8 p, const ten_kernels *kernels, ten_pool *pool) {
  const int64_t rows = p.n * p.oh * p.ow, count = rows * p.co;
  float *scale = memory(p.co * 4), *bias = memory(p.co * 4);
  uint8_t *other = memory(count);
  for (int64_t i = 0; i < p.co; i++) {
    scale[i] = (float)between(-1000, 1000) * (between(0, 9) ? 1e-5f : 1.0f);
    bias[i] = (float)between(-100, 300) * (between(0, 5) ? 0.5f : 1e8f);
    if (!between(0, 30)) bias[i] = between(0, 1) ? NAN : INFINITY;
  }
  for (int64_t i = 0; i < count; i++) other[i] = (uint8_t)between(0, 255);
  for (int kind = INT8_FLOATS; kind < INT8_FINISH_COUNT; kind++) {
    ten_int8_finish f = {.kind = (ten_int8_finish_kind)kind, .scale = scale, .bias = bias};
    if (kind == INT8_BYTES && between(0, 1)) f.other = other, f.other_scale = 0.37f;
    const int64_t bytes = count * (kind == INT8_FLOATS ? 4 : 1);
    f.out = memory(bytes + 64);
    p.finish = f;
    kernels->int8_run(&p, pool);
    for (int64_t i = 0; i < count; i++) {
      const float t = finished(&f, p.out[i], i, i % p.co);
      if (kind == INT8_BYTES)
        assert_int_equal(((uint8_t *)f.out)[i], byte_of(t));
      else
        assert_true(!memcmp((float *)f.out + i, &t, sizeof t) || (isnan(t) && isnan(((float *)f.out)[i])));
    }
    for (int i = 0; i < 64; i++) assert_int_equal(((uint8_t *)f.out)[bytes + i], 0xcc);
    free(f.out);
  }
  free(scale), free(bias), free(other);
}

/* Of large shapes, one sum of `every` is written out. */
static void try_shape(ten_int8 p, const ten_kernels *kernels, const ten_int8_form *form, ten_pool *pool,
                      int64_t every) {
  const int64_t inputs = p.ci / p.groups, rows = p.n * p.oh * p.ow;
  const int64_t weight_count = p.kh * p.kw * inputs * p.co,
                count = (p.n * p.h * p.w - 1) * p.pixel + (p.ci - 1) * p.channel + 1;
  p.is_unsigned = between(0, 1);
  p.zero = between(0, 2) ? p.is_unsigned ? between(0, 255) : between(-128, 127) : 0;
  const int64_t strides[4] = {p.kw * inputs * p.co, inputs * p.co, p.co, 1};
  memcpy(p.weights, strides, sizeof strides);
  int8_t *weights = memory(weight_count), *view = weights;
  uint8_t *x = memory(count);
  const bool extreme = !between(0, 4);
  for (int64_t i = 0; i < weight_count; i++) weights[i] = (int8_t)(extreme ? -128 : between(-128, 127));
  for (int64_t i = 0; i < count; i++) x[i] = (uint8_t)(extreme ? p.is_unsigned ? 255 : 128 : between(0, 255));
  if (!between(0, 3)) view += (p.kw - 1) * p.weights[1], p.weights[1] = -p.weights[1]; /* the last tap first */
  int8_t *packed = memory(ten_int8_packed_bytes(&p));
  for (int64_t unit = 0; unit < ten_int8_pack_units(&p); unit++) kernels->int8_pack(&p, view, unit, unit + 1, packed);
  p.x = x, p.packed = packed, p.form = form;
  p.out = memory(rows * p.co * 4);
  p.scratch = memory((int64_t)kernels->int8_scratch(&p, 2));
  kernels->int8_run(&p, pool);
  for (int64_t i = 0; i < rows * p.co; i += every) {
    const int64_t m = i / p.co, o = i % p.co;
    assert_int_equal(p.out[i], sum_at(&p, view, m / p.ow / p.oh, m / p.ow % p.oh, m % p.ow, o));
  }
  try_finish(p, kernels, pool);
  free(weights), free(x), free(packed), free(p.out), free(p.scratch);
}

/* Images larger than a cache: copied some at a time, with weights that stay and that do not. */
static void try_large(const ten_kernels *kernels, const ten_int8_form *form, ten_pool *pool) {
  static const int64_t sizes[][6] = {
      {7, 28, 28, 64, 40, 3}, {2, 56, 60, 64, 150, 1}, {1, 1, 600, 700, 600, 1}, {5, 9, 90, 100, 33, 1}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    const int64_t *s = sizes[i], pad = s[5] / 2;
    try_shape((ten_int8){.n = s[0],
                         .h = s[1],
                         .w = s[2],
                         .ci = s[3],
                         .co = s[4],
                         .kh = s[5],
                         .kw = s[5],
                         .oh = s[1],
                         .ow = s[2],
                         .pixel = s[3],
                         .channel = 1,
                         .stride_h = 1,
                         .stride_w = 1,
                         .pad_top = pad,
                         .pad_left = pad,
                         .dilation_h = 1,
                         .dilation_w = 1,
                         .spread_h = 1,
                         .spread_w = 1,
                         .groups = 1},
              kernels, form, pool, 37);
  }
}

#if defined(__x86_64__)
extern const ten_int8_form test_int8_tiles;
#endif

static const ten_int8_form *form_of(const char *name, const ten_kernels *kernels) {
  if (!strcmp(name, "portable")) return kernels->int8_portable;
#if defined(__x86_64__)
  if (!strcmp(name, "tiles")) return ten_kernels_named("avx512") ? &test_int8_tiles : NULL;
#endif
  return ten_int8_named(name);
}

static void test_shapes(void **state) {
  (void)state;
  ten_pool *pool = ten_pool_create(2);
  for (size_t i = 0; i < ISAS; i++)
    for (size_t f = 0; f < FORMS; f++) {
      const ten_kernels *kernels = ten_kernels_named(isas[i]);
      const ten_int8_form *form = kernels ? form_of(forms[f], kernels) : NULL;
      if (!form) continue;
      print_message("%s by the kernels of %s\n", forms[f], isas[i]);
      for (int k = 0; k < SHAPES; k++)
        try_shape(between(0, 3) ? convolution_draw() : matmul_draw(), kernels, form, between(0, 1) ? pool : NULL, 1);
      try_large(kernels, form, f ? pool : NULL);
    }
  ten_pool_destroy(pool);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
