/* The verifier between passes: a pass that leaves a module which breaks a rule is named; without verification it goes
 * unnoticed. */
#include <stdlib.h>

#include "check.h"
#include "ir/text/text.h"
#include "ir/type.h"
#include "transform/pass/pass.h"

static const char program[] =
    "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
    "  %0 = stablehlo.add %x, %x : tensor<4xf32>\n"
    "  return %0 : tensor<4xf32>\n}\n";

static ten_op *first_op(ten_module *module) { return ten_op_body(ten_module_entry(module, (ten_str){0}), 0)->first; }

static ten_status *break_type(ten_module *module) {
  first_op(module)->results[0].type = ten_type_tensor(module, TEN_F32, 1, (const int64_t[]){5});
  return NULL;
}

static ten_status *break_dialect(ten_module *module) {
  ten_op_set_attr(module, first_op(module), TEN_STR("tenfold.nonsense"), ten_attr_unit(module));
  return NULL;
}

static const ten_pass bad_type = {"bad-type", "breaks a type", break_type},
                      bad_dialect = {"bad-dialect", "writes what is no attribute of the dialect", break_dialect};

static ten_status *run(const ten_pass *bad, bool verify_each) {
  ten_module *module;
  check_ok(ten_text_parse(program, sizeof program - 1, "program", &module));
  const ten_pass *const passes[] = {&ten_pass_dce, bad, &ten_pass_dce, NULL};
  ten_status *status = ten_pipeline_run(passes, module, &(ten_pipeline_options){.verify_each = verify_each});
  ten_module_destroy(module);
  return status;
}

static void refuses(ten_status *status, const char *what, const char *pass) {
  assert_non_null(status);
  assert_non_null(strstr(ten_status_text(status), what));
  assert_non_null(strstr(ten_status_text(status), pass));
  ten_status_free(status);
}

static void test_option(void **state) {
  (void)state;
  unsetenv("TENFOLD_VERIFY_EACH");
  refuses(run(&bad_type, true), "tensor<5xf32>", "after pass bad-type");
  refuses(run(&bad_dialect, true), "there is no attribute 'tenfold.nonsense'", "after pass bad-dialect");
  check_ok(run(&bad_type, false));
  check_ok(run(&ten_pass_dce, true));
}

static void test_environment(void **state) {
  (void)state;
  setenv("TENFOLD_VERIFY_EACH", "on", 1);
  refuses(run(&bad_type, false), "tensor<5xf32>", "after pass bad-type");
  setenv("TENFOLD_VERIFY_EACH", "off", 1);
  check_ok(run(&bad_type, false));
  unsetenv("TENFOLD_VERIFY_EACH");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_option), cmocka_unit_test(test_environment)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
