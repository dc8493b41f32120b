/* bf16 programs, and f32 programs compiled with precision bf16 or without Winograd, against the interpreter. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "tenfold/executable.h"

static const char narrow[] =
    "func.func @main(%x: tensor<2x3x20x70xbf16>, %w: tensor<3x2x70x50xbf16>, %c: tensor<50xbf16>,\n"
    "                %i: tensor<2x9x9x20xbf16>, %k: tensor<3x3x20x10xbf16>)\n"
    "    -> (tensor<3x2x20x50xbf16>, tensor<2x3x20x50xf32>, tensor<2x5x5x10xbf16>, tensor<20x50xbf16>) {\n"
    "  %0 = stablehlo.dot_general %x, %w, batching_dims = [1, 0] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x3x20x70xbf16>, tensor<3x2x70x50xbf16>) -> tensor<3x2x20x50xbf16>\n"
    "  %t = stablehlo.transpose %w, dims = [1, 0, 2, 3] : (tensor<3x2x70x50xbf16>) -> tensor<2x3x70x50xbf16>\n"
    "  %1 = stablehlo.dot_general %x, %t, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x3x20x70xbf16>, tensor<2x3x70x50xbf16>) -> tensor<2x3x20x50xf32>\n"
    "  %2 = stablehlo.convolution(%i, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x9x20xbf16>, tensor<3x3x20x10xbf16>) -> tensor<2x5x5x10xbf16>\n"
    "  %s = stablehlo.slice %x [0:1, 0:1, 0:20, 0:70] : (tensor<2x3x20x70xbf16>) -> tensor<1x1x20x70xbf16>\n"
    "  %sx = stablehlo.reshape %s : (tensor<1x1x20x70xbf16>) -> tensor<20x70xbf16>\n"
    "  %v = stablehlo.slice %w [0:1, 0:1, 0:70, 0:50] : (tensor<3x2x70x50xbf16>) -> tensor<1x1x70x50xbf16>\n"
    "  %sv = stablehlo.reshape %v : (tensor<1x1x70x50xbf16>) -> tensor<70x50xbf16>\n"
    "  %3 = stablehlo.dot_general %sx, %sv, contracting_dims = [1] x [0] : (tensor<20x70xbf16>, tensor<70x50xbf16>) -> tensor<20x50xbf16>\n"
    "  %b = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<50xbf16>) -> tensor<20x50xbf16>\n"
    "  %4 = stablehlo.add %3, %b : tensor<20x50xbf16>\n"
    "  %5 = stablehlo.tanh %4 : tensor<20x50xbf16>\n"
    "  return %0, %1, %2, %5 : tensor<3x2x20x50xbf16>, tensor<2x3x20x50xf32>, tensor<2x5x5x10xbf16>, tensor<20x50xbf16>\n"
    "}\n";

static const char wide[] =
    "func.func @main(%x: tensor<9x70xf32>, %w: tensor<70x50xf32>, %i: tensor<1x24x24x32xf32>, %k: tensor<3x3x32x32xf32>)\n"
    "    -> (tensor<9x50xf32>, tensor<1x24x24x32xf32>) {\n"
    "  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<9x70xf32>, tensor<70x50xf32>) -> tensor<9x50xf32>\n"
    "  %1 = stablehlo.exponential %0 : tensor<9x50xf32>\n"
    "  %2 = stablehlo.convolution(%i, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x24x24x32xf32>, tensor<3x3x32x32xf32>) -> tensor<1x24x24x32xf32>\n"
    "  return %1, %2 : tensor<9x50xf32>, tensor<1x24x24x32xf32>\n"
    "}\n";

/* Sums that take the place of what they add to: a convolution's and a product's, and an image that is read twice. */
static const char residual[] =
    "func.func @main(%x: tensor<2x9x9x40xbf16>, %k: tensor<3x3x40x40xbf16>, %w: tensor<40x40xbf16>)\n"
    "    -> (tensor<162x40xbf16>) {\n"
    "  %zero = stablehlo.constant dense<0.0> : tensor<2x9x9x40xbf16>\n"
    "  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x9x40xbf16>, tensor<3x3x40x40xbf16>) -> tensor<2x9x9x40xbf16>\n"
    "  %1 = stablehlo.convolution(%0, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x9x40xbf16>, tensor<3x3x40x40xbf16>) -> tensor<2x9x9x40xbf16>\n"
    "  %2 = stablehlo.convolution(%1, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x9x40xbf16>, tensor<3x3x40x40xbf16>) -> tensor<2x9x9x40xbf16>\n"
    "  %3 = stablehlo.add %2, %0 : tensor<2x9x9x40xbf16>\n"
    "  %4 = stablehlo.maximum %3, %zero : tensor<2x9x9x40xbf16>\n"
    "  %5 = stablehlo.convolution(%4, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x9x40xbf16>, tensor<3x3x40x40xbf16>) -> tensor<2x9x9x40xbf16>\n"
    "  %6 = stablehlo.add %4, %5 : tensor<2x9x9x40xbf16>\n"
    "  %7 = stablehlo.reshape %6 : (tensor<2x9x9x40xbf16>) -> tensor<162x40xbf16>\n"
    "  %8 = stablehlo.dot_general %7, %w, contracting_dims = [1] x [0] : (tensor<162x40xbf16>, tensor<40x40xbf16>) -> tensor<162x40xbf16>\n"
    "  %9 = stablehlo.dot_general %8, %w, contracting_dims = [1] x [0] : (tensor<162x40xbf16>, tensor<40x40xbf16>) -> tensor<162x40xbf16>\n"
    "  %10 = stablehlo.subtract %9, %7 : tensor<162x40xbf16>\n"
    "  %11 = stablehlo.dot_general %10, %w, contracting_dims = [1] x [0] : (tensor<162x40xbf16>, tensor<40x40xbf16>) -> tensor<162x40xbf16>\n"
    "  return %11 : tensor<162x40xbf16>\n"
    "}\n";

/* Few rows, which every thread copies, while other values are alive. */
static const char few_rows[] =
    "func.func @main(%x: tensor<10x4096xbf16>, %u: tensor<10x4096xbf16>, %w: tensor<4096x3000xbf16>) -> (tensor<10x3000xbf16>, tensor<10x4096xbf16>) {\n"
    "  %z = stablehlo.tanh %u : tensor<10x4096xbf16>\n"
    "  %y = stablehlo.tanh %x : tensor<10x4096xbf16>\n"
    "  %p = stablehlo.dot_general %y, %w, contracting_dims = [1] x [0] : (tensor<10x4096xbf16>, tensor<4096x3000xbf16>) -> tensor<10x3000xbf16>\n"
    "  %q = stablehlo.dot_general %z, %w, contracting_dims = [1] x [0] : (tensor<10x4096xbf16>, tensor<4096x3000xbf16>) -> tensor<10x3000xbf16>\n"
    "  %r = stablehlo.add %p, %q : tensor<10x3000xbf16>\n"
    "  %s = stablehlo.add %z, %y : tensor<10x4096xbf16>\n"
    "  return %r, %s : tensor<10x3000xbf16>, tensor<10x4096xbf16>\n"
    "}\n";

enum { MOST = 8 };
typedef struct results {
  void *data[MOST];
  ten_buffer buffers[MOST];
  size_t count;
} results;

static float element(const ten_buffer *buffer, const void *data, size_t i) {
  if (buffer->dtype == TEN_F32) return ((const float *)data)[i];
  const uint32_t bits = (uint32_t)((const uint16_t *)data)[i] << 16;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static size_t elements(const ten_buffer *buffer) { return buffer->bytes / (buffer->dtype == TEN_F32 ? 4 : 2); }

static results run(const char *text, const ten_compile_options *options) {
  ten_program *model;
  ten_executable *compiled;
  check_ok(ten_program_parse(text, strlen(text), "program", &model));
  check_ok(ten_program_compile(model, options, &compiled));
  ten_program_release(model);
  ten_buffer inputs[MOST];
  const size_t count = ten_executable_input_count(compiled);
  unsigned seed = 1;
  for (size_t i = 0; i < count; i++) {
    inputs[i] = ten_executable_input(compiled, i);
    inputs[i].data = calloc(1, inputs[i].bytes);
    for (size_t k = 0; k < elements(&inputs[i]); k++) {
      seed = seed * 1664525u + 1013904223u;
      const float value = (float)(seed >> 8) / (float)(1 << 24) - 0.5f;
      if (inputs[i].dtype == TEN_F32)
        ((float *)inputs[i].data)[k] = value;
      else
        memcpy((uint16_t *)inputs[i].data + k, (const char *)&value + 2, 2);
    }
  }
  results r = {.count = ten_executable_output_count(compiled)};
  for (size_t i = 0; i < r.count; i++) {
    r.buffers[i] = ten_executable_output(compiled, i);
    r.buffers[i].data = r.data[i] = calloc(1, r.buffers[i].bytes);
  }
  check_ok(ten_executable_execute(compiled, inputs, count, r.buffers, r.count));
  for (size_t i = 0; i < count; i++) free(inputs[i].data);
  ten_executable_release(compiled);
  return r;
}

/* The largest difference, by the largest size there is. */
static double distance(const results *a, const results *b, size_t output) {
  double most = 0, size = 1e-30;
  for (size_t i = 0; i < elements(&a->buffers[output]); i++) {
    const double x = (double)element(&a->buffers[output], a->data[output], i),
                 y = (double)element(&b->buffers[output], b->data[output], i);
    assert_false(isnan(x));
    most = fmax(most, fabs(x - y));
    size = fmax(size, fabs(y));
  }
  return most / size;
}

static void results_free(results *r) {
  for (size_t i = 0; i < r->count; i++) free(r->data[i]);
}

static ten_compile_options options_of(const char *device, const char *precision, int exact_conv) {
  return (ten_compile_options){
      .size = sizeof(ten_compile_options), .device = device, .precision = precision, .exact_conv = exact_conv};
}

static void test_narrow_program(void **state) {
  (void)state;
  const ten_compile_options interp = options_of("interp", NULL, 0);
  results expected = run(narrow, &interp), got = run(narrow, NULL);
  for (size_t i = 0; i < got.count; i++) assert_true(distance(&got, &expected, i) < (i == 1 ? 1e-5 : 1.0 / 128));
  results_free(&expected), results_free(&got);
  expected = run(residual, &interp), got = run(residual, NULL);
  assert_true(distance(&got, &expected, 0) < 1.0 / 64);
  results_free(&expected), results_free(&got);
}

static void test_many_threads(void **state) {
  (void)state;
  setenv("TENFOLD_THREADS", "1", 1);
  results expected = run(few_rows, NULL);
  setenv("TENFOLD_THREADS", "8", 1);
  results got = run(few_rows, NULL);
  unsetenv("TENFOLD_THREADS");
  for (size_t i = 0; i < got.count; i++) assert_memory_equal(got.data[i], expected.data[i], got.buffers[i].bytes);
  results_free(&expected), results_free(&got);
}

static void test_settings(void **state) {
  (void)state;
  const ten_compile_options bf16 = options_of(NULL, "bf16", 0), f32 = options_of("cpu", "f32", 0),
                            exact = options_of(NULL, NULL, 1), interp = options_of("interp", NULL, 0);
  results expected = run(wide, &interp), rounded = run(wide, &bf16), plain = run(wide, &f32),
          summed = run(wide, &exact);
  for (size_t i = 0; i < expected.count; i++) {
    assert_true(distance(&plain, &expected, i) < 1e-5);
    assert_true(distance(&summed, &expected, i) < 1e-6);
    assert_true(distance(&rounded, &expected, i) < 2e-2);
    assert_true(distance(&rounded, &expected, i) > 1e-4); /* it was rounded */
  }
  assert_memory_equal(plain.data[0], summed.data[0], plain.buffers[0].bytes);
  assert_true(memcmp(plain.data[1], summed.data[1], plain.buffers[1].bytes)); /* Winograd, and not */
  setenv("TENFOLD_PRECISION", "bf16", 1);
  setenv("TENFOLD_WINOGRAD", "0", 1);
  results forced = run(wide, NULL);
  assert_memory_equal(forced.data[0], rounded.data[0], forced.buffers[0].bytes);
  results requested = run(wide, &f32); /* what an option says counts more */
  assert_memory_equal(requested.data[0], plain.data[0], requested.buffers[0].bytes);
  unsetenv("TENFOLD_PRECISION");
  results forced_exact = run(wide, NULL);
  assert_memory_equal(forced_exact.data[1], summed.data[1], summed.buffers[1].bytes);
  unsetenv("TENFOLD_WINOGRAD");
  results_free(&expected), results_free(&rounded), results_free(&plain), results_free(&summed);
  results_free(&forced), results_free(&forced_exact), results_free(&requested);
}

static void test_refusals(void **state) {
  (void)state;
  ten_program *model;
  ten_executable *compiled;
  const ten_compile_options unknown = options_of(NULL, "f8", 0), elsewhere = options_of("interp", "bf16", 0);
  check_ok(ten_program_parse(wide, strlen(wide), "program", &model));
  check_error(ten_program_compile(model, &unknown, &compiled), TEN_INVALID,
              "unknown precision 'f8'; use f32, bf16 or tf32");
  check_error(ten_program_compile(model, &elsewhere, &compiled), TEN_UNSUPPORTED,
              "device 'interp' computes f32 matmuls in f32: it does not take precision bf16");
  const ten_compile_options cut = options_of("cpu", "tf32", 0);
  check_error(ten_program_compile(model, &cut, &compiled), TEN_UNSUPPORTED,
              "device 'cpu' computes f32 matmuls in f32 or bf16: it does not take precision tf32");
  ten_program_release(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_narrow_program), cmocka_unit_test(test_many_threads),
                                     cmocka_unit_test(test_settings), cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
