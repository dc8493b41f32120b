/* f32 matmuls by parts of bf16 (split.h): of every shape, stride and edge no further from sums in double than products
 * by f32 instructions are allowed to be; the same bits for any number of threads; numbers that parts do not stand for
 * give what f32 instructions give. By AMX where it is there, and everywhere by a form written out here. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/cpu/kernels/kernels.h"

#if defined(__x86_64__)
/* Of any size: gemm_run takes them for large ones only. */
size_t ten_gemm_split_scratch_avx512(const ten_gemm *g, unsigned threads);
void ten_gemm_split_run_avx512(const ten_gemm *g, ten_pool *pool);

/* ---- a form without tiles ---- */

enum { HALF = 16, PART_COUNT = 3 };

static uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static float of_bits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static void parts_of(float value, uint16_t parts[PART_COUNT], uint32_t *most) {
  if ((bits_of(value) & 0x7fffffff) > *most) *most = bits_of(value) & 0x7fffffff;
  for (int i = 0; i < PART_COUNT; i++) {
    parts[i] = (uint16_t)((bits_of(value) + 0x8000) >> 16);
    value -= of_bits((uint32_t)parts[i] << 16);
  }
}

static uint16_t *tile_at(const char *parts, int64_t step, int part, int half) {
  return (uint16_t *)(uintptr_t)(parts + step * SPLIT_STEP + (2 * part + half) * SPLIT_TILE);
}

static void plain_begin(void) {}

static void plain_split_a(int rows, int64_t kc, const float *a, int64_t a_row, char *parts, uint32_t *most) {
  for (int i = 0; i < SPLIT_ROWS; i++)
    for (int64_t k = 0; k < (kc + SPLIT_K - 1) / SPLIT_K * SPLIT_K; k++) {
      uint16_t three[PART_COUNT] = {0};
      if (i < rows && k < kc) parts_of(a[i * a_row + k], three, &most[i]);
      for (int p = 0; p < PART_COUNT; p++)
        tile_at(parts, k / SPLIT_K, p, i / HALF)[i % HALF * SPLIT_K + k % SPLIT_K] = three[p];
    }
}

static void plain_split_b(int64_t kc, const float *b, int64_t b_row, char *parts, uint32_t *most) {
  for (int j = 0; j < HALF; j++)
    for (int64_t k = 0; k < (kc + SPLIT_K - 1) / SPLIT_K * SPLIT_K; k++) {
      uint16_t three[PART_COUNT] = {0};
      if (k < kc) parts_of(b[k * b_row + j], three, &most[j]);
      for (int p = 0; p < PART_COUNT; p++)
        tile_at(parts, k / SPLIT_K, p, 0)[k % SPLIT_K / 2 * SPLIT_K + 2 * j + k % 2] = three[p];
    }
}

static float product_of_parts(const uint16_t *row, const uint16_t *column) {
  float sum = 0;
  for (int k = 0; k < SPLIT_K; k++)
    sum += of_bits((uint32_t)row[k] << 16) * of_bits((uint32_t)column[k / 2 * SPLIT_K + k % 2] << 16);
  return sum;
}

static void plain_block(int64_t steps, const char *a, const char *b, float *c, int64_t ldc, bool accumulate, int halves,
                        ten_split_ahead ahead) {
  (void)halves, (void)ahead;
  for (int i = 0; i < SPLIT_ROWS; i++)
    for (int j = 0; j < SPLIT_COLUMNS; j++) {
      float sum = accumulate ? c[i * ldc + j] : 0;
      for (int64_t step = 0; step < steps; step++)
        for (int p = PART_COUNT; p-- > 0;)
          for (int q = PART_COUNT - p; q-- > 0;)
            sum += product_of_parts(tile_at(a, step, p, i / HALF) + i % HALF * SPLIT_K,
                                    tile_at(b, step, q, j / HALF) + 2 * (j % HALF));
      c[i * ldc + j] = sum;
    }
}

static const ten_split_form plain = {plain_begin, plain_begin, plain_split_a, plain_split_b, plain_block};

/* ---- products ---- */

static void *memory(size_t bytes) {
  void *at = aligned_alloc(64, (bytes + 127) / 64 * 64);
  assert_non_null(at);
  memset(at, 0xff, (bytes + 127) / 64 * 64); /* NaN: what is not written must not matter */
  return at;
}

static float *numbers(int64_t count, unsigned seed) {
  float *n = memory((size_t)count * sizeof *n);
  for (int64_t i = 0; i < count; i++) {
    seed = seed * 1664525u + 1013904223u;
    n[i] = ldexpf((float)(seed >> 8) / (float)(1 << 24) - 0.5f, (int)(seed % 7));
  }
  return n;
}

typedef struct shape {
  int64_t m, n, k, batch;
  bool a_turned, b_turned, direct, tile;
} shape;

typedef struct operands {
  float *a, *b, *packed;
  int64_t packed_size;
} operands;

static operands operands_of(const ten_kernels *kernels, const shape *s, float *a, float *b) {
  operands o = {a, b, NULL, kernels->gemm_packed_size(s->k, s->n)};
  o.packed = memory((size_t)(o.packed_size * s->batch) * sizeof(float));
  for (int64_t i = 0; i < s->batch; i++)
    kernels->gemm_pack_b(s->k, s->n, b + i * s->k * s->n, s->b_turned ? 1 : s->n, s->b_turned ? s->k : 1, 0, 1 << 20,
                         o.packed + i * o.packed_size);
  return o;
}

typedef struct output {
  float *to;
  int64_t n;
} output;

static void twice(void *context, float *c, int64_t ldc, int64_t m0, int64_t m1, int64_t n0, int64_t n1) {
  const output *out = context;
  for (int64_t m = m0; m < m1; m++)
    for (int64_t n = n0; n < n1; n++) out->to[m * out->n + n] = 2 * c[(m - m0) * ldc + n - n0];
}

static void count_one(void *context, int64_t index, unsigned thread) {
  (void)thread;
  ((char *)context)[index]++;
}

/* 2 · A × B, which keeps what is small apart; form NULL: by f32 instructions. */
static float *multiply(const ten_kernels *kernels, const ten_split_form *form, const shape *s, const operands *o,
                       ten_pool *pool) {
  enum { TASKS = 5 };
  char done[TASKS] = {0};
  float *c = memory((size_t)(s->batch * s->m * s->n) * sizeof *c);
  output out = {c, s->n};
  ten_gemm g = {.overlap = count_one,
                .overlap_context = done,
                .overlap_count = TASKS,
                .m = s->m,
                .n = s->n,
                .k = s->k,
                .a = o->a,
                .a_row = s->a_turned ? 1 : s->k,
                .a_col = s->a_turned ? s->m : 1,
                .b = s->direct ? o->b : o->packed,
                .direct = s->direct,
                .b_row = s->b_turned ? 1 : s->n,
                .b_col = s->b_turned ? s->k : 1,
                .c = s->tile ? NULL : c,
                .ldc = s->n,
                .batch = s->batch,
                .a_batch = s->m * s->k,
                .b_batch = s->direct ? s->k * s->n : o->packed_size,
                .c_batch = s->m * s->n,
                .epilogue = twice,
                .epilogue_context = &out,
                .tile = s->tile,
                .split = form};
  size_t (*const scratch)(const ten_gemm *, unsigned) = form ? ten_gemm_split_scratch_avx512 : kernels->gemm_scratch;
  g.scratch = memory(scratch(&g, ten_pool_threads(pool)));
  (form ? ten_gemm_split_run_avx512 : kernels->gemm_run)(&g, pool);
  for (int i = 0; i < TASKS; i++) assert_int_equal(done[i], 1);
  free(g.scratch);
  return c;
}

/* The largest error of a third of the sums, by how large their terms are. */
static double error_of(const shape *s, const operands *o, const float *c) {
  double most = 0;
  for (int64_t q = 0; q < s->batch; q++)
    for (int64_t i = 0; i < s->m; i++)
      for (int64_t j = i % 3; j < s->n; j += 3) {
        double sum = 0, magnitude = 1e-300;
        for (int64_t l = 0; l < s->k; l++) {
          const double x = (double)o->a[q * s->m * s->k + (s->a_turned ? l * s->m + i : i * s->k + l)] *
                           (double)o->b[q * s->k * s->n + (s->b_turned ? j * s->k + l : l * s->n + j)];
          sum += x;
          magnitude += fabs(x);
        }
        const double error = fabs(sum - (double)c[(q * s->m + i) * s->n + j] / 2) / magnitude;
        if (!(error <= most)) most = error; /* NaN too */
      }
  return most;
}

static void expect_near(const shape *s, const operands *o, const float *c) {
  const double error = error_of(s, o, c);
  if (!(error <= 4e-7)) print_error("%d × %d × %d: off by %.3g\n", (int)s->m, (int)s->n, (int)s->k, error);
  assert_true(error <= 4e-7);
}

static const shape shapes[] = {
    {64, 192, 64, 1, false, false, false, false},   {128, 96, 100, 1, false, false, false, true},
    {130, 200, 65, 1, false, true, true, true},     {97, 112, 70, 2, true, false, true, false},
    {352, 117, 96, 1, true, true, false, true},     {390, 97, 64, 1, false, false, true, false},
    {40, 300, 800, 1, false, true, true, true},     {70, 112, 1601, 1, true, false, false, false},
    {257, 65, 2740, 1, false, false, false, false}, {330, 50, 70, 2, false, false, false, true},
    {1000, 33, 70, 1, false, false, false, true}};
enum { SHAPE_COUNT = sizeof shapes / sizeof *shapes };

static void try_shapes(const ten_kernels *kernels, const ten_split_form *form) {
  ten_pool *two = ten_pool_create(2), *three = ten_pool_create(3);
  for (int i = 0; i < SHAPE_COUNT; i++) {
    const shape *s = &shapes[i];
    operands o = operands_of(kernels, s, numbers(s->batch * s->m * s->k, 1), numbers(s->batch * s->k * s->n, 2));
    float *c = multiply(kernels, form, s, &o, NULL), *by_two = multiply(kernels, form, s, &o, two),
          *by_three = multiply(kernels, form, s, &o, three);
    expect_near(s, &o, c);
    assert_memory_equal(c, by_two, (size_t)(s->batch * s->m * s->n) * sizeof *c);
    assert_memory_equal(c, by_three, (size_t)(s->batch * s->m * s->n) * sizeof *c);
    free(c), free(by_two), free(by_three), free(o.a), free(o.b), free(o.packed);
  }
  ten_pool_destroy(two), ten_pool_destroy(three);
}

/* No further off than sums by f32 instructions are. */
static void try_error(const ten_kernels *kernels, const ten_split_form *form) {
  const shape s = {64, 96, 768, 1, false, false, false, false};
  operands o = operands_of(kernels, &s, numbers(s.m * s.k, 3), numbers(s.k * s.n, 4));
  float *c = multiply(kernels, form, &s, &o, NULL), *right = multiply(kernels, NULL, &s, &o, NULL);
  const double by_parts = error_of(&s, &o, c), by_vectors = error_of(&s, &o, right);
  print_message("off by %.2g, by f32 instructions %.2g\n", by_parts, by_vectors);
  assert_true(by_parts <= by_vectors);
  free(c), free(right), free(o.a), free(o.b), free(o.packed);
}

/* What a row of A, or a column of B, is multiplied by. */
static void scale(const shape *s, float *a, float *b, int64_t row, int64_t column, float by) {
  for (int64_t k = 0; k < s->k; k++) {
    if (row >= 0) a[row * s->k + k] *= by;
    if (column >= 0) b[k * s->n + column] *= by;
  }
}

static bool is_near(int64_t special, int64_t at) {
  _Static_assert(SPLIT_ROWS == SPLIT_COLUMNS, "groups of both");
  return special >= 0 && at / SPLIT_ROWS == special / SPLIT_ROWS;
}

static void try_numbers(const ten_kernels *kernels, const ten_split_form *form) {
  static const struct {
    float value;         /* of one number of A at `row`, and of B at `column`; -1: of none */
    int64_t row, column; /* 0 for value: all of the row or of the column are scaled */
    float by;
    bool together; /* neither is too small alone */
  } cases[] = {{INFINITY, 70, -1, 0}, {-INFINITY, -1, 150, 0}, {NAN, 3, 191, 0},
               {3e38f, 98, -1, 0},    {0, 40, -1, 0x1p-120f},  {0, -1, 33, 0x1p-110f},
               {0, 10, 20, 0x1p-90f}, {0, 97, 0, 0x1p62f},     {0, 70, 100, 0x1p-60f, true}};
  const shape s = {100, 192, 800, 1, false, false, false, false};
  ten_pool *two = ten_pool_create(2);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    operands o = {.a = numbers(s.m * s.k, 5), .b = numbers(s.k * s.n, 6)};
    const int64_t row = cases[i].row, column = cases[i].column;
    if (cases[i].by != 0) scale(&s, o.a, o.b, row, column, cases[i].by);
    if (cases[i].value != 0 && row >= 0) o.a[row * s.k + s.k - 10] = cases[i].value;
    if (cases[i].value != 0 && column >= 0) o.b[5 * s.n + column] = cases[i].value;
    o = operands_of(kernels, &s, o.a, o.b);
    float *right = multiply(kernels, NULL, &s, &o, NULL), *c = multiply(kernels, form, &s, &o, NULL),
          *by_two = multiply(kernels, form, &s, &o, two);
    assert_memory_equal(c, by_two, (size_t)(s.m * s.n) * sizeof *c);
    for (int64_t m = 0; m < s.m; m++)
      for (int64_t n = 0; n < s.n; n++)
        if (cases[i].together ? is_near(row, m) && is_near(column, n) : is_near(row, m) || is_near(column, n))
          assert_memory_equal(&c[m * s.n + n], &right[m * s.n + n], sizeof *c);
        else
          assert_true(fabsf(c[m * s.n + n] - right[m * s.n + n]) <= 0.5f);
    free(right), free(c), free(by_two), free(o.a), free(o.b), free(o.packed);
  }
  ten_pool_destroy(two);
}

/* A few small numbers among larger ones, and zeros, are none to be multiplied again: nothing else would be as near. */
static void try_small(const ten_kernels *kernels, const ten_split_form *form) {
  const shape s = {64, 192, 128, 1, false, false, false, false};
  float *a = numbers(s.m * s.k, 7), *b = numbers(s.k * s.n, 8);
  for (int64_t i = 0; i < s.m * s.k; i += 3) a[i] = i % 2 ? 0x1p-140f : 0;
  for (int64_t i = 0; i < s.n * s.k; i += 5) b[i] = of_bits((uint32_t)i % 0x10000); /* too small for bf16 */
  for (int64_t k = 0; k < s.k; k++) b[k * s.n + 9] = 0;
  operands o = operands_of(kernels, &s, a, b);
  float *c = multiply(kernels, form, &s, &o, NULL);
  expect_near(&s, &o, c);
  free(c), free(a), free(b), free(o.packed);
}

/* Large products go by the form they are given, small ones do not. */
static int64_t blocks_done;

static void count_block(int64_t steps, const char *a, const char *b, float *c, int64_t ldc, bool accumulate, int halves,
                        ten_split_ahead ahead) {
  (void)steps, (void)a, (void)b, (void)c, (void)ldc, (void)accumulate, (void)halves, (void)ahead;
  blocks_done++;
}

static void try_sizes(const ten_kernels *kernels) {
  const ten_split_form counting = {plain_begin, plain_begin, plain_split_a, plain_split_b, count_block};
  static const struct {
    int64_t m, n, k;
    bool by_form;
  } sizes[] = {{320, 512, 768, true}, {16, 512, 768, false}, {320, 16, 768, false}, {320, 512, 16, false}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    const int64_t m = sizes[i].m, n = sizes[i].n, k = sizes[i].k;
    float *a = numbers(m * k, 9), *b = numbers(n * k, 10), *c = memory((size_t)(m * n) * sizeof *c);
    ten_gemm g = {.m = m, .n = n, .k = k, .a = a, .a_row = k, .a_col = 1, .b = b, .direct = true};
    g.b_row = n, g.b_col = 1, g.c = c, g.ldc = n, g.split = &counting;
    g.scratch = memory(kernels->gemm_scratch(&g, 1));
    blocks_done = 0;
    kernels->gemm_run(&g, NULL);
    assert_int_equal(blocks_done > 0, sizes[i].by_form);
    free(a), free(b), free(c), free(g.scratch);
  }
}
#endif

static void test_forms(void **state) {
  (void)state;
#if defined(__x86_64__)
  const ten_kernels *kernels = ten_kernels_named("avx512");
  if (!kernels) {
    print_message("this CPU has no avx512\n");
    skip();
  }
  const ten_split_form *best = ten_split_best(), *forms[] = {&plain, best};
  if (!best) print_message("this CPU has no amx\n");
  for (int i = 0; i < 2 && forms[i]; i++) {
    try_shapes(kernels, forms[i]);
    try_error(kernels, forms[i]);
    try_numbers(kernels, forms[i]);
    try_small(kernels, forms[i]);
  }
  try_sizes(kernels);
#else
  print_message("only x86_64 has such tiles\n");
  skip();
#endif
}

static void test_names(void **state) {
  (void)state;
  setenv("TENFOLD_CPU", "generic", 1);
  ten_kernels_reload();
  assert_null(ten_split_best());
  setenv("TENFOLD_CPU", "avx512", 1);
  ten_kernels_reload();
  if (ten_kernels_named("avx512")) assert_null(ten_split_best());
  unsetenv("TENFOLD_CPU");
  ten_kernels_reload();
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_forms), cmocka_unit_test(test_names)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
