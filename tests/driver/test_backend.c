#include "check.h"
#include "driver/devices.h"
#include "ir/text/text.h"

static ten_module *parse(const char *text) {
  ten_module *module;
  check_ok(ten_text_parse(text, strlen(text), "test.mlir", &module));
  return module;
}

static ten_executable *compile(ten_module *module) {
  ten_executable *executable;
  check_ok(ten_compile(ten_backend_find(TEN_STR("interp")), module, ten_module_entry(module, (ten_str){0}), NULL,
                       &executable));
  return executable;
}

static ten_tensor *scalar(ten_dtype dtype) {
  ten_tensor *tensor;
  check_ok(ten_tensor_create(dtype, 0, NULL, &tensor));
  return tensor;
}

static void inputs_are_checked(void **state) {
  (void)state;
  ten_module *module = parse("func.func @f(%x: tensor<f32>) -> tensor<f32> {\n return %x : tensor<f32>\n}");
  ten_executable *executable = compile(module);
  ten_tensor *input = scalar(TEN_I32), *output;
  check_error(ten_execute(executable, &input, 1, NULL, &output), TEN_INVALID,
              "input 0 is tensor<i32>, @f takes tensor<f32>");
  check_error(ten_execute(executable, NULL, 0, NULL, &output), TEN_INVALID, "@f takes 1 inputs, got 0");
  ten_tensor_release(input);
  ten_executable_release(executable);
  ten_module_destroy(module);
}

static const char failing[] =
    "func.func @main() {\n"
    "  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>\n"
    "  check.expect_eq_const %0, dense<[1, 3]> : tensor<2xi32>\n"
    "  check.expect_eq %0, %0 : tensor<2xi32>\n"
    "  check.expect_eq_const %0, dense<[0, 2]> : tensor<2xi32>\n"
    "  return\n"
    "}\n";

static void checks_are_collected(void **state) {
  (void)state;
  ten_module *module = parse(failing);
  ten_executable *executable = compile(module);
  ten_checks checks;
  ten_checks_init(&checks);
  check_ok(ten_execute(executable, NULL, 0, &(ten_run_options){.checks = &checks}, NULL));
  assert_int_equal(checks.run, 3);
  assert_int_equal(checks.failures.count, 2);
  assert_string_equal(ten_status_text(checks.failures.data[0]),
                      "test.mlir:3:3: check.expect_eq_const: at [1]: got 2, want 3");
  ten_checks_destroy(&checks);
  check_error(ten_execute(executable, NULL, 0, NULL, NULL), TEN_MISMATCH,
              "test.mlir:3:3: check.expect_eq_const: at [1]: got 2, want 3");
  ten_executable_release(executable);
  ten_module_destroy(module);
}

static void backends_are_found_by_name(void **state) {
  (void)state;
  assert_non_null(ten_backend_find(TEN_STR("interp")));
  assert_null(ten_backend_find(TEN_STR("abacus")));
  for (const ten_backend *const *backend = ten_backends; *backend; backend++)
    assert_ptr_equal(ten_backend_find(ten_str_of((*backend)->name)), *backend);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(inputs_are_checked), cmocka_unit_test(checks_are_collected),
                                     cmocka_unit_test(backends_are_found_by_name)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
