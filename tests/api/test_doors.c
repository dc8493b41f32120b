/* test_doors.c: every way by which a program reaches something that runs, plans, counts or rewrites it refuses IR that
 * is not valid. Compiled and interpreted code trusts verified IR: past a door that forgets, a slice reads foreign heap.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/analyze.h"
#include "backend/pjrt/target.h"
#include "check.h"
#include "driver/devices.h"
#include "driver/specialise.h"
#include "front/import/load.h"
#include "ir/text/text.h"
#include "tenfold/train.h"
#include "train/recipe.h"
#include "train/trainer.h"

/* Each parses, and each would be a read or a write out of bounds. */
static const char *const programs[] = {
    "func.func @main(%a: tensor<4xf32>) -> tensor<512xf32> {\n"
    "  %0 = \"stablehlo.slice\"(%a) <{start_indices = array<i64: 0>, limit_indices = array<i64: 512>, strides = array<i64: 1>}> "
    ": (tensor<4xf32>) -> tensor<512xf32>\n"
    "  return %0 : tensor<512xf32>\n"
    "}\n",
    "func.func @main(%a: tensor<1000xf32>) -> tensor<4xf32> {\n"
    "  %0 = \"stablehlo.concatenate\"(%a, %a) <{dimension = 0 : i64}> : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<4xf32>\n"
    "  return %0 : tensor<4xf32>\n"
    "}\n",
    "func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {\n"
    "  %0 = \"stablehlo.triangular_solve\"(%a, %a) <{left_side = true, lower = true, unit_diagonal = false, "
    "transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>\n"
    "  return %0 : tensor<3xf32>\n"
    "}\n",
    "func.func @main(%a: tensor<4xf32>) -> tensor<1000xf32> {\n"
    "  %0 = \"stablehlo.reshape\"(%a) : (tensor<4xf32>) -> tensor<1000xf32>\n"
    "  return %0 : tensor<1000xf32>\n"
    "}\n",
    "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
    "  %0 = func.call @absent(%a) : (tensor<4xf32>) -> tensor<4xf32>\n"
    "  return %0 : tensor<4xf32>\n"
    "}\n",
    "func.func @main(%a: tensor<4xf32>) -> tensor<900xf32> {\n  return %a : tensor<4xf32>\n}\n",
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

typedef struct bad {
  ten_module *module; /* owned */
  ten_op *func;
  char path[64]; /* the same in a file */
} bad;

static bad bad_open(size_t i) {
  bad b = {.path = "/tmp/tenfold-doors-XXXXXX.mlir"};
  check_ok(ten_text_parse(programs[i], strlen(programs[i]), "bad.mlir", &b.module));
  b.func = ten_module_find(b.module, TEN_STR("main"));
  assert_non_null(b.func);
  const int fd = mkstemps(b.path, 5);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, programs[i], strlen(programs[i])), strlen(programs[i]));
  close(fd);
  return b;
}

static void bad_close(bad *b) {
  ten_module_destroy(b->module);
  unlink(b->path);
}

/* An error about the program; anything else, a crash among it, is a failure. */
static void refused_(ten_status *status, const char *door, size_t i) {
  if (!status) fail_msg("%s takes program %zu", door, i);
  if (ten_status_code(status) != TEN_INVALID) fail_msg("%s, program %zu: %s", door, i, ten_status_text(status));
  ten_status_free(status);
}
#define refused(call) refused_((call), #call, i)

static void compiling_verifies(void **state) {
  (void)state;
  for (size_t i = 0; i < PROGRAMS; i++) {
    bad b = bad_open(i);
    ten_executable *made;
    refused(ten_compile(ten_backend_find(TEN_STR("interp")), b.module, b.func, NULL, &made));
    refused(ten_compile(ten_backend_find(TEN_STR("cpu")), b.module, b.func, NULL, &made));
    const ten_backend *cpu = ten_backend_default();
    ten_buf out = {0};
    refused(ten_backend_save(cpu, b.module, b.func, NULL, NULL, &out));
    refused(
        ten_backend_export(cpu, b.module, b.func, NULL, &(ten_export_options){.path = "/tmp/tenfold-doors.so"}, NULL));
    for (size_t k = 0; cpu->stages[k]; k++)
      refused(ten_backend_show(cpu, b.module, b.func, NULL, cpu->stages[k], &out));
    ten_memory memory;
    refused(ten_backend_plan_memory(cpu, b.module, b.func, NULL, &memory));
    ten_target target;
    check_ok(ten_target_parse("tpu:v5e:1x1", &target));
    ten_prepared prepared;
    refused(ten_target_prepare(&target, &(ten_target_options){0}, b.module, b.func, &prepared));
    ten_target_free(&target);
    ten_buf_free(&out);
    bad_close(&b);
  }
}

static void specialising_and_counting_verify(void **state) {
  (void)state;
  for (size_t i = 0; i < PROGRAMS; i++) {
    bad b = bad_open(i);
    ten_tensor *input = NULL;
    ten_module *special;
    ten_op *func;
    refused(ten_specialise(b.module, b.func, &input, 1, &special, &func));
    ten_analysis analysis;
    refused(ten_analyze_stablehlo(b.module, b.func, &analysis));
    bad_close(&b);
  }
}

static void files_are_verified(void **state) {
  (void)state;
  for (size_t i = 0; i < PROGRAMS; i++) {
    bad b = bad_open(i);
    ten_import program;
    refused(ten_import_load(b.path, &program));
    ten_module *module;
    refused(ten_recipe_load(&(ten_recipe){.loss = "output"}, b.path, &module));
    bad_close(&b);
  }
}

static void the_public_interface_verifies(void **state) {
  (void)state;
  for (size_t i = 0; i < PROGRAMS; i++) {
    bad b = bad_open(i);
    ten_program *model;
    refused(ten_program_load(b.path, &model));
    refused(ten_program_parse(programs[i], strlen(programs[i]), NULL, &model));
    ten_training *training;
    const ten_training_options options = {.size = sizeof options, .loss = "output"};
    refused(ten_training_create(b.path, &options, &training));
    refused(ten_training_compile_to(b.path, &options, "/tmp/tenfold-doors.ten"));
    bad_close(&b);
  }
}

/* The loss of a training step is a program too. */
static void a_loss_is_verified(void **state) {
  (void)state;
  static const char model[] =
      "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
      "  %w = stablehlo.constant {aten.kind = \"parameter\", aten.name = \"w\"} dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>\n"
      "  %0 = stablehlo.multiply %a, %w : tensor<4xf32>\n"
      "  return %0 : tensor<4xf32>\n"
      "}\n";
  for (size_t i = 0; i < PROGRAMS; i++) {
    bad b = bad_open(i);
    ten_import program = {0};
    check_ok(ten_text_parse(model, strlen(model), "model.mlir", &program.stablehlo));
    ten_module *module;
    refused(ten_recipe_build(&(ten_recipe){.loss = b.path}, &program, &module));
    ten_import_destroy(&program);
    bad_close(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(compiling_verifies), cmocka_unit_test(specialising_and_counting_verify),
      cmocka_unit_test(files_are_verified), cmocka_unit_test(the_public_interface_verifies),
      cmocka_unit_test(a_loss_is_verified)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
