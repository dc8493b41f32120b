/* test_fold.c: in a program that is compiled for many sizes only single elements are folded, and only what they are
 * computed from is evaluated. */
#include <string.h>

#include "check.h"
#include "ir/text/text.h"
#include "value/fold.h"

static void only_operands_of_single_elements(void **state) {
  (void)state;
  static const char text[] =
      "func.func @main(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<1xf32>) {\n"
      "  %large = stablehlo.constant dense<2.0> : tensor<8x8xf32>\n"
      "  %small = stablehlo.constant dense<[1.0, 3.0]> : tensor<2xf32>\n"
      "  %0 = stablehlo.add %x, %large : tensor<8x8xf32>\n"
      "  %1 = stablehlo.slice %small [1:2] : (tensor<2xf32>) -> tensor<1xf32>\n"
      "  return %0, %1 : tensor<8x8xf32>, tensor<1xf32>\n}\n";
  ten_module *module;
  check_ok(ten_text_parse(text, strlen(text), "test.mlir", &module));
  ten_folder f = {.module = module, .single = true};
  ten_op *op = ten_op_body(ten_module_entry(module, (ten_str){0}), 0)->first;
  static const bool folded[] = {false, true, false, true};
  for (size_t i = 0; i < sizeof folded; i++, op = op->next) {
    ten_fold_op(&f, op);
    assert_int_equal(op->data != NULL, folded[i]);
  }
  ten_fold_clear(module->op);
  ten_folder_free(&f);
  ten_module_destroy(module);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(only_operands_of_single_elements)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
