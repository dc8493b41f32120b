/* test_partition.c: programs with shardings, made into what each device does: tiles, and where devices meet. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "transform/shard/spread.h"

/* Two layers, the samples cut over "x", the width between the layers over "y"; the loss is one number. */
static const char layers[] =
    "sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\n"
    "func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>},\n"
    "    %a: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {\"y\"}]>},\n"
    "    %b: tensor<32x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"y\"}, {}]>})\n"
    "    -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}, tensor<f32>) {\n"
    "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %0 = stablehlo.dot_general %x, %a, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> "
    "tensor<8x32xf32>\n"
    "  %1 = stablehlo.tanh %0 : tensor<8x32xf32>\n"
    "  %2 = stablehlo.dot_general %1, %b, contracting_dims = [1] x [0] : (tensor<8x32xf32>, tensor<32x4xf32>) -> "
    "tensor<8x4xf32>\n"
    "  %3 = stablehlo.reduce(%2 init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, "
    "tensor<f32>) -> tensor<f32>\n"
    "  return %2, %3 : tensor<8x4xf32>, tensor<f32>\n"
    "}\n";

/* What goes along a dimension that is cut needs all of it. */
static const char sorted[] =
    "sdy.mesh @mesh = <[\"x\"=4]>\n"
    "func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}) -> tensor<8x4xf32> {\n"
    "  %0 = stablehlo.negate %x : tensor<8x4xf32>\n"
    "  %1 = stablehlo.reverse %0, dims = [0] : tensor<8x4xf32>\n"
    "  return %1 : tensor<8x4xf32>\n"
    "}\n";

/* Each device adds its own updates to zeros, and all add up; to other numbers, one device must. */
static const char counted[] =
    "sdy.mesh @mesh = <[\"x\"=4]>\n"
    "func.func @main(%%u: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}, %%i: tensor<8x1xi32>)\n"
    "    -> tensor<3xf32> {\n"
    "  %%z = stablehlo.constant dense<%s> : tensor<3xf32>\n"
    "  %%0 = \"stablehlo.scatter\"(%%z, %%i, %%u) <{scatter_dimension_numbers = #stablehlo.scatter<\n"
    "    inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({\n"
    "  ^bb0(%%a: tensor<f32>, %%b: tensor<f32>):\n"
    "    %%s = stablehlo.add %%a, %%b : tensor<f32>\n"
    "    stablehlo.return %%s : tensor<f32>\n"
    "  }) : (tensor<3xf32>, tensor<8x1xi32>, tensor<8xf32>) -> tensor<3xf32>\n"
    "  return %%0 : tensor<3xf32>\n"
    "}\n";

static size_t count(const char *text, const char *part) {
  size_t found = 0;
  for (; (text = strstr(text, part)); text++) found++;
  return found;
}

static char *partition(const char *text, uint32_t devices, ten_spread *out) {
  ten_module *module;
  check_ok(ten_text_parse(text, strlen(text), "test.mlir", &module));
  check_ok(ten_spread_function(module, ten_module_entry(module, (ten_str){0}), devices, out));
  ten_buf made = {0};
  ten_text_print(&made, module, NULL);
  ten_module_destroy(module);
  return ten_buf_take(&made);
}

static void devices_work_on_tiles(void **state) {
  (void)state;
  ten_spread spread;
  char *text = partition(layers, 4, &spread);
  assert_non_null(strstr(text, "(tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32>"));
  assert_non_null(strstr(text, "(tensor<4x16xf32>, tensor<16x4xf32>) -> tensor<4x4xf32>"));
  assert_int_equal(count(text, "all_reduce"), 2); /* over y, of the second product; over x, of the sum */
  assert_int_equal(count(text, "dense<[[0, 1], [2, 3]]>"), 1);
  assert_int_equal(count(text, "dense<[[0, 2], [1, 3]]>"), 1);
  assert_int_equal(count(text, "all_gather"), 0);
  assert_true(spread.together && spread.inputs[0].local && spread.inputs[1].local && spread.outputs[0].local);
  assert_false(spread.outputs[1].local);
  free(text);
  ten_spread_free(&spread);
}

static void what_needs_all_gets_all(void **state) {
  (void)state;
  ten_spread spread;
  char *text = partition(sorted, 4, &spread);
  assert_non_null(strstr(text, "stablehlo.negate %arg0 : tensor<2x4xf32>"));
  assert_int_equal(count(text, "all_gather\""), 1);
  assert_non_null(strstr(text, "dims = [0] : tensor<8x4xf32>"));
  assert_false(spread.outputs[0].local);
  free(text);
  ten_spread_free(&spread);
}

static void sums_start_once(void **state) {
  (void)state;
  const char *const starts[] = {"0.0", "[0.0, 0.0, 0.0]", "[0.0, 1.0, 2.0]"};
  for (size_t i = 0; i < 3; i++) {
    char program[1024];
    snprintf(program, sizeof program, counted, starts[i]);
    ten_spread spread;
    char *text = partition(program, 4, &spread);
    assert_int_equal(count(text, "all_reduce\""), i == 0);
    assert_int_equal(count(text, "all_gather\""), i != 0);
    free(text);
    ten_spread_free(&spread);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(devices_work_on_tiles), cmocka_unit_test(what_needs_all_gets_all),
                                     cmocka_unit_test(sums_start_once)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
