/* test_cost.c: the facts that ops.def, cost.c and dims.c hold for every stage. */
#include "check.h"
#include "ir/cost.h"
#include "ir/text/text.h"

static void every_elementwise_op_has_a_cost_of_one_element(void **state) {
  (void)state;
  for (int code = 1; code < TEN_OP_COUNT; code++) {
    const ten_op_info *info = &ten_op_infos[code];
    const bool elementwise = info->traits & (TEN_TRAIT_ELEMENTWISE | TEN_TRAIT_BROADCASTS_SCALARS);
    const bool counted = info->cost >= TEN_COST_COPY && info->cost <= TEN_COST_SPECIAL;
    if (elementwise != (counted && !ten_op_broadcasts((ten_opcode)code)))
      fail_msg("%s has cost class %s", info->name, ten_cost_infos[info->cost].name);
  }
  for (int cost = 0; cost < TEN_COST_COUNT; cost++) assert_non_null(ten_cost_infos[cost].name);
  assert_true(ten_op_is_expensive(TEN_OP_TANH) && ten_op_is_expensive(TEN_OP_CHLO_ERF));
  assert_true(ten_op_is_simple(TEN_OP_ADD) && !ten_op_is_simple(TEN_OP_DIVIDE) && !ten_op_is_expensive(TEN_OP_DIVIDE));
}

static void every_broadcasting_op_names_what_it_broadcasts(void **state) {
  (void)state;
  for (int code = 1; code < TEN_OP_COUNT; code++) {
    const ten_str name = ten_str_of(ten_op_infos[code].name);
    const ten_opcode of = ten_op_broadcasts((ten_opcode)code);
    assert_int_equal(of != TEN_OP_UNKNOWN, ten_str_starts(name, "chlo.broadcast_"));
    if (of != TEN_OP_UNKNOWN)
      assert_string_equal(strrchr(ten_op_infos[of].name, '.') + 1, name.data + strlen("chlo.broadcast_"));
  }
}

static int64_t places(int64_t base, ten_window_dim window) {
  int64_t count = -1;
  return ten_window_places(base, &window, &count) ? count : -1;
}

static void windows_are_counted(void **state) {
  (void)state;
  assert_int_equal(places(7, (ten_window_dim){3, 1, 0, 0, 1, 1}), 5);
  assert_int_equal(places(7, (ten_window_dim){3, 2, 1, 1, 1, 1}), 4);
  assert_int_equal(places(4, (ten_window_dim){2, 1, 0, 0, 3, 4}), 6); /* 10 elements wide, a window of 5 */
  assert_int_equal(places(2, (ten_window_dim){3, 1, 0, 0, 1, 1}), 0);
  assert_int_equal(places(0, (ten_window_dim){0, 1, 0, 0, 1, 1}), 0); /* nothing to stand on */
  assert_int_equal(places(3, (ten_window_dim){1, 1, -4, 0, 1, 1}), 0);
  assert_int_equal(places(TEN_DYNAMIC, (ten_window_dim){3, 1, 0, 0, 1, 1}), TEN_DYNAMIC);
  assert_int_equal(places(3, (ten_window_dim){1, 0, 0, 0, 1, 1}), -1);
  assert_int_equal(places(3, (ten_window_dim){1, 1, 0, 0, INT64_MAX, 1}), -1);
  assert_int_equal(ten_dilated(5, 3), 13);
  assert_int_equal(ten_dilated(0, 3), 0);
}

static void arithmetic_is_counted(void **state) {
  (void)state;
  static const char text[] =
      "func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {\n"
      "  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> "
      "tensor<4x8xf32>\n"
      "  %z = stablehlo.tanh %y : tensor<4x8xf32>\n"
      "  return %z : tensor<4x8xf32>\n"
      "}\n"
      "func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {\n"
      "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
      "  %r:2 = stablehlo.while(%i = %zero, %s = %x) : tensor<i32>, tensor<4x8xf32>\n"
      "    cond {\n"
      "      %end = stablehlo.constant dense<5> : tensor<i32>\n"
      "      %c = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "      stablehlo.return %c : tensor<i1>\n"
      "    } do {\n"
      "      %step = stablehlo.constant dense<2> : tensor<i32>\n"
      "      %j = stablehlo.add %i, %step : tensor<i32>\n"
      "      %n = func.call @layer(%s, %w) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>\n"
      "      stablehlo.return %j, %n : tensor<i32>, tensor<4x8xf32>\n"
      "    }\n"
      "  return %r#1 : tensor<4x8xf32>\n"
      "}\n";
  ten_module *module;
  check_ok(ten_text_parse(text, strlen(text), "t.mlir", &module));
  ten_work work = {0};
  const ten_op *func = ten_module_entry(module, TEN_STR("main"));
  for (const ten_op *op = ten_op_body(func, 0)->first; op; op = op->next) ten_count_op(module, op, &work);
  assert_int_equal(work.macs, 3 * 4 * 8 * 8);
  assert_int_equal(work.transcendentals, 3 * 4 * 8);
  assert_int_equal(work.flops, 2 * work.macs + work.transcendentals + 3); /* 0, 2, 4 */
  assert_int_equal(work.unknown_loops, 0);
  ten_module_destroy(module);
}

static void factorisations_transforms_and_sorts_are_counted(void **state) {
  (void)state;
  static const char text[] =
      "func.func @main(%x: tensor<2x6x6xf32>, %c: tensor<3x8xcomplex<f32>>) {\n"
      "  %0 = stablehlo.cholesky %x, lower = true : tensor<2x6x6xf32>\n"
      "  %1 = \"stablehlo.triangular_solve\"(%x, %x) <{left_side = true, lower = true, transpose_a = "
      "#stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x6x6xf32>, tensor<2x6x6xf32>) -> "
      "tensor<2x6x6xf32>\n"
      "  %2 = stablehlo.fft %c, type = FFT, length = [8] : (tensor<3x8xcomplex<f32>>) -> tensor<3x8xcomplex<f32>>\n"
      "  %3 = \"stablehlo.sort\"(%x) <{dimension = 1 : i64, is_stable = false}> ({\n"
      "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
      "    %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
      "    stablehlo.return %p : tensor<i1>\n"
      "  }) : (tensor<2x6x6xf32>) -> tensor<2x6x6xf32>\n"
      "  return\n"
      "}\n";
  ten_module *module;
  check_ok(ten_text_parse(text, sizeof text - 1, "text", &module));
  static const uint64_t wanted[] = {2 * 6 * 6 * 6 / 3, 2 * 6 * 6 * 6, 5 * 3 * 8 * 3, 2 * 6 * 6 * 3};
  const ten_op *op = ten_op_body(ten_module_find(module, TEN_STR("main")), 0)->first;
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++, op = op->next) {
    ten_work work = {0};
    ten_count_op(module, op, &work);
    assert_int_equal(work.flops, wanted[i]);
  }
  ten_module_destroy(module);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_elementwise_op_has_a_cost_of_one_element),
                                     cmocka_unit_test(every_broadcasting_op_names_what_it_broadcasts),
                                     cmocka_unit_test(windows_are_counted), cmocka_unit_test(arithmetic_is_counted),
                                     cmocka_unit_test(factorisations_transforms_and_sorts_are_counted)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
