/* The same bits for one thread and two, and what the interpreter says, for programs whose kernels are split over
 * threads: products, convolutions, reductions down columns and along rows, softmax, sorts, fused loops, scatters. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "tenfold/executable.h"

#define CONV(stride, pad)                                                                                            \
  "dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [" stride ", " stride "], pad = [[" pad \
  ", " pad "], [" pad ", " pad "]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}"

#define HOLES(low, high, reverse)                                                                                \
  "dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {pad = [[" low ", " high "], [" low ", " high \
  "]], lhs_dilate = [2, 2], reverse = [" reverse ", 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}"

static const char *const programs[] = {
    /* products with an epilogue, of many rows and of one */
    "func.func @main(%x: tensor<130x300xf32>, %w: tensor<300x257xf32>, %b: tensor<257xf32>, %r: tensor<1x300xf32>) -> (tensor<130x257xf32>, tensor<1x257xf32>) {\n"
    "  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<130x300xf32>, tensor<300x257xf32>) -> tensor<130x257xf32>\n"
    "  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<257xf32>) -> tensor<130x257xf32>\n"
    "  %2 = stablehlo.add %0, %1 : tensor<130x257xf32>\n"
    "  %3 = stablehlo.tanh %2 : tensor<130x257xf32>\n"
    "  %4 = stablehlo.dot_general %r, %w, contracting_dims = [1] x [0] : (tensor<1x300xf32>, tensor<300x257xf32>) -> tensor<1x257xf32>\n"
    "  return %3, %4 : tensor<130x257xf32>, tensor<1x257xf32>\n}\n",
    /* batched */
    "func.func @main(%x: tensor<6x40x50xf32>, %w: tensor<6x50x33xf32>) -> tensor<6x40x33xf32> {\n"
    "  %0 = stablehlo.dot_general %x, %w, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<6x40x50xf32>, tensor<6x50x33xf32>) -> tensor<6x40x33xf32>\n"
    "  return %0 : tensor<6x40x33xf32>\n}\n",
    /* Winograd, strided, pointwise */
    "func.func @main(%x: tensor<2x21x19x32xf32>, %k: tensor<3x3x32x40xf32>, %p: tensor<1x1x32x24xf32>) -> (tensor<2x21x19x40xf32>, tensor<2x11x10x40xf32>, tensor<2x21x19x24xf32>) {\n"
    "  %0 = stablehlo.convolution(%x, %k) " CONV("1", "1") " : (tensor<2x21x19x32xf32>, tensor<3x3x32x40xf32>) -> tensor<2x21x19x40xf32>\n"
    "  %1 = stablehlo.convolution(%x, %k) " CONV("2", "1") " : (tensor<2x21x19x32xf32>, tensor<3x3x32x40xf32>) -> tensor<2x11x10x40xf32>\n"
    "  %2 = stablehlo.convolution(%x, %p) " CONV("1", "0") " : (tensor<2x21x19x32xf32>, tensor<1x1x32x24xf32>) -> tensor<2x21x19x24xf32>\n"
    "  return %0, %1, %2 : tensor<2x21x19x40xf32>, tensor<2x11x10x40xf32>, tensor<2x21x19x24xf32>\n}\n",
    /* over inputs with holes: as many convolutions as there are phases, one of them without taps */
    "func.func @main(%g: tensor<2x9x8x20xf32>, %k: tensor<3x3x16x20xf32>, %p: tensor<1x1x16x20xf32>, %s: tensor<7x7x16x20xf32>) -> (tensor<2x18x16x16xf32>, tensor<2x17x15x16xf32>, tensor<2x18x16x16xf32>) {\n"
    "  %0 = stablehlo.convolution(%g, %k) " HOLES("1", "2", "1") " : (tensor<2x9x8x20xf32>, tensor<3x3x16x20xf32>) -> tensor<2x18x16x16xf32>\n"
    "  %1 = stablehlo.convolution(%g, %p) " HOLES("0", "0", "0") " : (tensor<2x9x8x20xf32>, tensor<1x1x16x20xf32>) -> tensor<2x17x15x16xf32>\n"
    "  %2 = stablehlo.convolution(%g, %s) " HOLES("3", "4", "0") " : (tensor<2x9x8x20xf32>, tensor<7x7x16x20xf32>) -> tensor<2x18x16x16xf32>\n"
    "  return %0, %1, %2 : tensor<2x18x16x16xf32>, tensor<2x17x15x16xf32>, tensor<2x18x16x16xf32>\n}\n",
    /* one channel a group, channels first and last */
    "func.func @main(%x: tensor<2x12x11x10xf32>, %k: tensor<12x1x3x3xf32>, %y: tensor<2x11x10x20xf32>, %q: tensor<5x5x1x20xf32>) -> (tensor<2x12x6x5xf32>, tensor<2x11x10x20xf32>) {\n"
    "  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 2], pad = [[1, 1], [1, 1]], reverse = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 12 : i64} : (tensor<2x12x11x10xf32>, tensor<12x1x3x3xf32>) -> tensor<2x12x6x5xf32>\n"
    "  %1 = stablehlo.convolution(%y, %q) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[2, 2], [2, 2]]} {batch_group_count = 1 : i64, feature_group_count = 20 : i64} : (tensor<2x11x10x20xf32>, tensor<5x5x1x20xf32>) -> tensor<2x11x10x20xf32>\n"
    "  return %0, %1 : tensor<2x12x6x5xf32>, tensor<2x11x10x20xf32>\n}\n",
    /* reductions: down columns (of widths with and without a divisor, more rows than a run), along rows, of everything */
    "func.func @main(%x: tensor<9x300x70xf32>, %y: tensor<500x128xf32>) -> (tensor<70xf32>, tensor<9x70xf32>, tensor<128xf32>, tensor<9x300xf32>, tensor<f32>, tensor<300x70xf32>) {\n"
    "  %c = stablehlo.constant dense<0.5> : tensor<f32>\n"
    "  %e = stablehlo.multiply %x, %x : tensor<9x300x70xf32>\n"
    "  %0 = stablehlo.reduce(%e init: %c) applies stablehlo.add across dimensions = [0, 1] : (tensor<9x300x70xf32>, tensor<f32>) -> tensor<70xf32>\n"
    "  %1 = stablehlo.reduce(%x init: %c) applies stablehlo.maximum across dimensions = [1] : (tensor<9x300x70xf32>, tensor<f32>) -> tensor<9x70xf32>\n"
    "  %2 = stablehlo.reduce(%y init: %c) applies stablehlo.add across dimensions = [0] : (tensor<500x128xf32>, tensor<f32>) -> tensor<128xf32>\n"
    "  %3 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [2] : (tensor<9x300x70xf32>, tensor<f32>) -> tensor<9x300xf32>\n"
    "  %4 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<9x300x70xf32>, tensor<f32>) -> tensor<f32>\n"
    "  %5 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [0] : (tensor<9x300x70xf32>, tensor<f32>) -> tensor<300x70xf32>\n"
    "  return %0, %1, %2, %3, %4, %5 : tensor<70xf32>, tensor<9x70xf32>, tensor<128xf32>, tensor<9x300xf32>, tensor<f32>, tensor<300x70xf32>\n}\n",
    /* softmax, and a fused loop over many elements */
    "func.func @main(%x: tensor<300x90xf32>) -> (tensor<300x90xf32>, tensor<300x90xf32>) {\n"
    "  %c = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
    "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.maximum across dimensions = [1] : (tensor<300x90xf32>, tensor<f32>) -> tensor<300xf32>\n"
    "  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<300xf32>) -> tensor<300x90xf32>\n"
    "  %2 = stablehlo.subtract %x, %1 : tensor<300x90xf32>\n"
    "  %3 = stablehlo.exponential %2 : tensor<300x90xf32>\n"
    "  %4 = stablehlo.reduce(%3 init: %z) applies stablehlo.add across dimensions = [1] : (tensor<300x90xf32>, tensor<f32>) -> tensor<300xf32>\n"
    "  %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<300xf32>) -> tensor<300x90xf32>\n"
    "  %6 = stablehlo.divide %3, %5 : tensor<300x90xf32>\n"
    "  %7 = stablehlo.sine %x : tensor<300x90xf32>\n"
    "  %8 = stablehlo.multiply %7, %6 : tensor<300x90xf32>\n"
    "  return %6, %8 : tensor<300x90xf32>, tensor<300x90xf32>\n}\n",
    /* scatters: rows by index (some twice, some out of range), columns by index, and rows that the last update replaces */
    "func.func @main(%x: tensor<400x260xf32>, %c: tensor<130x900xf32>) -> (tensor<300x260xf32>, tensor<130x70xf32>, tensor<300x260xf32>) {\n"
    "  %n = stablehlo.iota dim = 0 : tensor<400xi32>\n"
    "  %h = stablehlo.multiply %n, %n : tensor<400xi32>\n"
    "  %p = stablehlo.constant dense<307> : tensor<400xi32>\n"
    "  %m = stablehlo.remainder %h, %p : tensor<400xi32>\n"
    "  %i = stablehlo.reshape %m : (tensor<400xi32>) -> tensor<400x1xi32>\n"
    "  %k = stablehlo.iota dim = 0 : tensor<900x1xi32>\n"
    "  %q = stablehlo.constant dense<71> : tensor<900x1xi32>\n"
    "  %j = stablehlo.remainder %k, %q : tensor<900x1xi32>\n"
    "  %z = stablehlo.constant dense<0.25> : tensor<300x260xf32>\n"
    "  %y = stablehlo.constant dense<0.5> : tensor<130x70xf32>\n"
    "  %s = stablehlo.multiply %x, %x : tensor<400x260xf32>\n"
    "  %0 = \"stablehlo.scatter\"(%z, %i, %s) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({\n"
    "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
    "    %t = stablehlo.add %a, %b : tensor<f32>\n"
    "    stablehlo.return %t : tensor<f32>\n"
    "  }) : (tensor<300x260xf32>, tensor<400x1xi32>, tensor<400x260xf32>) -> tensor<300x260xf32>\n"
    "  %1 = \"stablehlo.scatter\"(%y, %j, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> ({\n"
    "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
    "    %t = stablehlo.add %a, %b : tensor<f32>\n"
    "    stablehlo.return %t : tensor<f32>\n"
    "  }) : (tensor<130x70xf32>, tensor<900x1xi32>, tensor<130x900xf32>) -> tensor<130x70xf32>\n"
    "  %2 = \"stablehlo.scatter\"(%z, %i, %x) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({\n"
    "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
    "    stablehlo.return %b : tensor<f32>\n"
    "  }) : (tensor<300x260xf32>, tensor<400x1xi32>, tensor<400x260xf32>) -> tensor<300x260xf32>\n"
    "  return %0, %1, %2 : tensor<300x260xf32>, tensor<130x70xf32>, tensor<300x260xf32>\n}\n",
    /* and in batches, each with indices of its own */
    "func.func @main(%x: tensor<6x500x40xf32>) -> tensor<6x90x40xf32> {\n"
    "  %k = stablehlo.iota dim = 1 : tensor<6x500x1xi32>\n"
    "  %n = stablehlo.iota dim = 0 : tensor<6x500x1xi32>\n"
    "  %l = stablehlo.add %k, %n : tensor<6x500x1xi32>\n"
    "  %q = stablehlo.constant dense<91> : tensor<6x500x1xi32>\n"
    "  %i = stablehlo.remainder %l, %q : tensor<6x500x1xi32>\n"
    "  %z = stablehlo.constant dense<0.0> : tensor<6x90x40xf32>\n"
    "  %0 = \"stablehlo.scatter\"(%z, %i, %x) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({\n"
    "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
    "    %t = stablehlo.add %a, %b : tensor<f32>\n"
    "    stablehlo.return %t : tensor<f32>\n"
    "  }) : (tensor<6x90x40xf32>, tensor<6x500x1xi32>, tensor<6x500x40xf32>) -> tensor<6x90x40xf32>\n"
    "  return %0 : tensor<6x90x40xf32>\n}\n",
};

enum { MOST = 8 };
typedef struct outcome {
  float *data[MOST];
  size_t counts[MOST], count;
} outcome;

static outcome run(const char *text, const char *device, const char *precision) {
  const ten_compile_options options = {.size = sizeof options, .device = device, .precision = precision};
  ten_program *model;
  ten_executable *compiled;
  check_ok(ten_program_parse(text, strlen(text), "program", &model));
  check_ok(ten_program_compile(model, &options, &compiled));
  ten_program_release(model);
  ten_buffer inputs[MOST], outputs[MOST];
  const size_t input_count = ten_executable_input_count(compiled);
  unsigned seed = 3;
  for (size_t i = 0; i < input_count; i++) {
    inputs[i] = ten_executable_input(compiled, i);
    float *data = inputs[i].data = malloc(inputs[i].bytes);
    for (size_t k = 0; k < inputs[i].bytes / sizeof *data; k++) {
      seed = seed * 1664525u + 1013904223u;
      data[k] = (float)(seed >> 8) / (float)(1 << 24) - 0.5f;
    }
  }
  outcome out = {.count = ten_executable_output_count(compiled)};
  for (size_t i = 0; i < out.count; i++) {
    outputs[i] = ten_executable_output(compiled, i);
    outputs[i].data = out.data[i] = malloc(outputs[i].bytes);
    out.counts[i] = outputs[i].bytes / sizeof(float);
  }
  check_ok(ten_executable_execute(compiled, inputs, input_count, outputs, out.count));
  for (size_t i = 0; i < input_count; i++) free(inputs[i].data);
  ten_executable_release(compiled);
  return out;
}

static void outcome_free(outcome *out) {
  for (size_t i = 0; i < out->count; i++) free(out->data[i]);
}

static void same_bits(const char *text, const char *precision, outcome *out_one) {
  setenv("TENFOLD_THREADS", "1", 1);
  *out_one = run(text, NULL, precision);
  for (int threads = 2; threads <= 3; threads++) {
    char number[8];
    snprintf(number, sizeof number, "%d", threads);
    setenv("TENFOLD_THREADS", number, 1);
    outcome several = run(text, NULL, precision);
    for (size_t i = 0; i < out_one->count; i++)
      assert_memory_equal(out_one->data[i], several.data[i], out_one->counts[i] * sizeof(float));
    outcome_free(&several);
  }
  unsetenv("TENFOLD_THREADS");
}

static void test_programs(void **state) {
  (void)state;
  for (size_t p = 0; p < sizeof programs / sizeof *programs; p++) {
    outcome one, right = run(programs[p], "interp", NULL);
    same_bits(programs[p], NULL, &one);
    for (size_t i = 0; i < one.count; i++) {
      double most = 0, size = 1e-30;
      for (size_t k = 0; k < one.counts[i]; k++) {
        const double apart = fabs((double)one.data[i][k] - (double)right.data[i][k]),
                     is = fabs((double)right.data[i][k]);
        most = apart <= most ? most : apart; /* gcc 12 fails on two fmax in one loop at -O3 */
        size = is > size ? is : size;
      }
      if (!(most <= 2e-5 * size)) fail_msg("program %zu, output %zu: %g apart, of %g", p, i, most, size);
    }
    outcome_free(&one), outcome_free(&right);
    same_bits(programs[p], "bf16", &one);
    outcome_free(&one);
  }
}

int main(void) {
  setenv("TENFOLD_CACHE", "off", 1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_programs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
