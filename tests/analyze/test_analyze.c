/* What is counted of StableHLO programs, against numbers worked out by hand. */
#include "analyze/analyze.h"

#include "check.h"
#include "ir/text/text.h"

static ten_module *analyzed(const char *text, ten_analysis *analysis) {
  ten_module *module = NULL;
  check_ok(ten_text_parse(text, strlen(text), "<test>", &module));
  check_ok(ten_analyze_stablehlo(module, ten_module_entry(module, TEN_STR("main")), analysis));
  return module;
}

static void products(void **state) {
  (void)state;
  ten_analysis a;
  ten_module *module = analyzed(
      "func.func @main(%a: tensor<3x4x5xf32>, %b: tensor<3x5x6xf32>) -> tensor<3x4x6xf32> {\n"
      "  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] :"
      " (tensor<3x4x5xf32>, tensor<3x5x6xf32>) -> tensor<3x4x6xf32>\n"
      "  %1 = stablehlo.add %0, %0 : tensor<3x4x6xf32>\n"
      "  return %1 : tensor<3x4x6xf32>\n}\n",
      &a);
  assert_int_equal(a.total.macs, 3 * 4 * 6 * 5);
  assert_int_equal(a.total.flops, 2 * 3 * 4 * 6 * 5 + 3 * 4 * 6);
  assert_int_equal(a.input_bytes, 4 * (3 * 4 * 5 + 3 * 5 * 6));
  assert_int_equal(a.output_bytes, 4 * 72);
  assert_int_equal(a.rows.data[1].read_bytes, 4 * 72); /* one operand, read once */
  assert_int_equal(a.peak_bytes, 2 * 4 * 72);
  assert_int_equal(a.peak_row, 1);
  ten_analysis_free(&a);
  ten_module_destroy(module);
}

static void convolutions(void **state) {
  (void)state;
  ten_analysis a;
  ten_module *module = analyzed(
      "func.func @main(%x: tensor<2x8x10x10xf32>, %w: tensor<16x4x3x3xf32>, %v: tensor<16x8x3x3xf32>) ->"
      " (tensor<2x16x10x10xf32>, tensor<2x16x19x19xf32>) {\n"
      "  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],"
      " window = {pad = [[1, 1], [1, 1]]} {feature_group_count = 2 : i64, batch_group_count = 1 : i64} :"
      " (tensor<2x8x10x10xf32>, tensor<16x4x3x3xf32>) -> tensor<2x16x10x10xf32>\n"
      "  %1 = stablehlo.convolution(%x, %v) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],"
      " window = {pad = [[1, 1], [1, 1]], lhs_dilate = [2, 2]} {feature_group_count = 1 : i64, batch_group_count = 1 :"
      " i64} : (tensor<2x8x10x10xf32>, tensor<16x8x3x3xf32>) -> tensor<2x16x19x19xf32>\n"
      "  return %0, %1 : tensor<2x16x10x10xf32>, tensor<2x16x19x19xf32>\n}\n",
      &a);
  assert_int_equal(a.rows.data[0].macs, 2 * 16 * 10 * 10 * 4 * 9);
  assert_int_equal(a.rows.data[1].macs, 2 * 8 * 10 * 10 * 16 * 9); /* transposed: from the input's side */
  ten_analysis_free(&a);
  ten_module_destroy(module);
}

static void loops(void **state) {
  (void)state;
  static const char text[] =
      "func.func @main(%%x: tensor<4x4xf32>, %%n: tensor<i32>) -> tensor<4x4xf32> {\n"
      "  %%zero = stablehlo.constant dense<0> : tensor<i32>\n"
      "  %%one = stablehlo.constant dense<1> : tensor<i32>\n"
      "  %%ten = stablehlo.constant dense<10> : tensor<i32>\n"
      "  %%0:2 = stablehlo.while(%%i = %%zero, %%y = %%x) : tensor<i32>, tensor<4x4xf32>\n"
      "  cond {\n"
      "    %%2 = stablehlo.compare LT, %%i, %s : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "    stablehlo.return %%2 : tensor<i1>\n"
      "  } do {\n"
      "    %%2 = stablehlo.add %%i, %%one : tensor<i32>\n"
      "    %%3 = stablehlo.dot_general %%y, %%x, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) ->"
      " tensor<4x4xf32>\n"
      "    stablehlo.return %%2, %%3 : tensor<i32>, tensor<4x4xf32>\n"
      "  }\n"
      "  return %%0#1 : tensor<4x4xf32>\n}\n";
  const struct {
    const char *bound;
    uint64_t macs;
    size_t unknown;
  } cases[] = {{"%ten", 10 * 64, 0}, {"%n", 64, 1}};
  for (size_t i = 0; i < 2; i++) {
    ten_buf program = {0};
    ten_buf_printf(&program, text, cases[i].bound);
    ten_analysis a;
    ten_module *module = analyzed(program.data, &a);
    assert_int_equal(a.total.macs, cases[i].macs);
    assert_int_equal(a.unknown_loops, cases[i].unknown);
    ten_analysis_free(&a);
    ten_module_destroy(module);
    ten_buf_free(&program);
  }
}

static void dynamic_shapes_are_refused(void **state) {
  (void)state;
  static const char text[] =
      "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
      "  %0 = stablehlo.add %x, %x : tensor<?xf32>\n  return %0 : tensor<?xf32>\n}\n";
  ten_module *module = NULL;
  ten_analysis a;
  check_ok(ten_text_parse(text, sizeof text - 1, "<test>", &module));
  ten_status *status = ten_analyze_stablehlo(module, ten_module_entry(module, TEN_STR("main")), &a);
  assert_int_equal(ten_status_code(status), TEN_UNSUPPORTED);
  ten_status_free(status);
  ten_module_destroy(module);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products),
      cmocka_unit_test(convolutions),
      cmocka_unit_test(loops),
      cmocka_unit_test(dynamic_shapes_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
