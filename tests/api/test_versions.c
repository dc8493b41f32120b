/* test_versions.c: structs of the public API carry their size, and functions check it: one that is not set, one of a
 * later version whose new fields are not used, and one whose new fields are. */
#include <string.h>

#include "check.h"
#include "tenfold/migrate.h"
#include "tenfold/train.h"
#include "tenfold/version.h"

static const char text[] =
    "func.func @main(%x: tensor<4xf32>) -> tensor<f32> {\n"
    "  %0 = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0] : "
    "(tensor<4xf32>, tensor<4xf32>) -> tensor<f32>\n"
    "  return %0 : tensor<f32>\n}\n";

static void refuses(ten_status *status, ten_code code, const char *start) {
  assert_non_null(status);
  assert_int_equal(ten_status_code(status), code);
  assert_non_null(strstr(ten_status_text(status), start));
  ten_status_free(status);
}

static ten_program *load(void) {
  ten_program *program;
  check_ok(ten_program_parse(text, sizeof text - 1, "program", &program));
  return program;
}

typedef struct later_options {
  ten_compile_options known;
  size_t added;
} later_options;

static void test_options(void **state) {
  (void)state;
  ten_program *program = load(), *gradient = NULL;
  ten_executable *executable = NULL;
  refuses(ten_program_compile(program, &(ten_compile_options){.device = "interp"}, &executable), TEN_INVALID,
          "ten_compile_options.size is 0, must be sizeof(ten_compile_options)");
  assert_null(executable);
  later_options later = {.known = {.size = sizeof later, .device = "interp"}};
  check_ok(ten_program_compile(program, &later.known, &executable));
  ten_executable_release(executable);
  later.added = 1;
  refuses(ten_program_compile(program, &later.known, &executable), TEN_UNSUPPORTED, "the others must be zero");
  refuses(ten_program_gradient(program, &(ten_gradient_options){.with_results = 1}, &gradient), TEN_INVALID,
          "ten_gradient_options.size is 0");
  ten_training *training;
  refuses(ten_training_create("no.pt2", &(ten_training_options){.loss = "mse"}, &training), TEN_INVALID,
          "ten_training_options.size is 0");
  ten_migration *migration;
  refuses(ten_migrate_text("a.py", "", 0, &(ten_migrate_options){.comments = true}, &migration), TEN_INVALID,
          "ten_migrate_options.size is 0");
  ten_program_release(program);
}

static void test_results(void **state) {
  (void)state;
  ten_program *program = load();
  ten_executable *executable;
  check_ok(ten_program_compile(program, NULL, &executable));
  ten_program_release(program); /* the executable keeps what it needs */
  ten_cost cost = {0};
  refuses(ten_executable_cost(executable, &cost), TEN_INVALID, "ten_cost.size is 0, must be sizeof(ten_cost)");
  cost.size = sizeof cost;
  check_ok(ten_executable_cost(executable, &cost));
  assert_int_equal(cost.size, sizeof cost);
  assert_true(cost.flops == 8);
  ten_executable_release(executable);
}

static void test_version(void **state) {
  (void)state;
  assert_string_equal(ten_version(), TENFOLD_VERSION);
  assert_string_equal(ten_stablehlo_version(), TENFOLD_STABLEHLO_VERSION);
  assert_int_equal(ten_version_number(), TENFOLD_VERSION_NUMBER);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_options), cmocka_unit_test(test_results),
                                     cmocka_unit_test(test_version)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
