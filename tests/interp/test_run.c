/* Programs that must fail, and how; what a run prints. The ones that must pass are the .mlir files beside this one. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/npy.h"
#include "check.h"
#include "driver/devices.h"
#include "ir/text/text.h"

typedef struct printed {
  ten_buf text;
} printed;

static void keep(void *user, const char *text) { ten_buf_adds(&((printed *)user)->text, text); }

static ten_status *run(const char *text, printed *out) {
  ten_module *module;
  check_ok(ten_text_parse(text, strlen(text), "t.mlir", &module));
  ten_executable *executable = NULL;
  ten_tensor *results[8] = {0};
  ten_status *status = ten_compile(ten_backend_find(TEN_STR("interp")), module,
                                   ten_module_entry(module, TEN_STR("main")), NULL, &executable);
  if (!status)
    status =
        ten_execute(executable, NULL, 0, &(ten_run_options){.print = out ? keep : NULL, .print_user = out}, results);
  ten_tensors_release(results, 8);
  ten_executable_release(executable);
  ten_module_destroy(module);
  return status;
}

static void everybody_waits(void **state) {
  (void)state;
  check_error(
      run("func.func @one(%t: !stablehlo.token) -> tensor<i32> {\n"
          "  %x, %u = \"stablehlo.recv\"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true}> : "
          "(!stablehlo.token) -> (tensor<i32>, !stablehlo.token)\n"
          "  return %x : tensor<i32>\n"
          "}\n"
          "func.func @main() {\n"
          "  %t = stablehlo.after_all : !stablehlo.token\n"
          "  %r:2 = \"interpreter.run_parallel\"(%t, %t) {programs = [[@one], [@one]]} : (!stablehlo.token, "
          "!stablehlo.token) -> (tensor<i32>, tensor<i32>)\n"
          "  return\n"
          "}\n",
          NULL),
      TEN_INVALID, "t.mlir:2:12: stablehlo.recv: deadlock: every process waits for another one");
}

static void one_process_fails(void **state) {
  (void)state;
  check_error(
      run("func.func @meets(%x: tensor<i32>) -> tensor<i32> {\n"
          "  %0 = \"stablehlo.all_reduce\"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({\n"
          "  ^bb0(%a: tensor<i32>, %b: tensor<i32>):\n"
          "    %c = stablehlo.add %a, %b : tensor<i32>\n"
          "    stablehlo.return %c : tensor<i32>\n"
          "  }) : (tensor<i32>) -> tensor<i32>\n"
          "  return %0 : tensor<i32>\n"
          "}\n"
          "func.func @fails(%x: tensor<i32>) -> tensor<i32> {\n"
          "  %0 = stablehlo.custom_call @nothing(%x) : (tensor<i32>) -> tensor<i32>\n"
          "  return %0 : tensor<i32>\n"
          "}\n"
          "func.func @main() {\n"
          "  %x = stablehlo.constant dense<1> : tensor<i32>\n"
          "  %r:2 = \"interpreter.run_parallel\"(%x, %x) {programs = [[@meets], [@fails]]} : (tensor<i32>, tensor<i32>) "
          "-> (tensor<i32>, tensor<i32>)\n"
          "  return\n"
          "}\n",
          NULL),
      TEN_UNSUPPORTED, "t.mlir:10:8: stablehlo.custom_call: there is no custom call @nothing here");
}

/* Results are written by the shapes that the operand has: others must not be declared. */
static void factors_of_other_shapes(void **state) {
  (void)state;
  static const char *const calls[] = {
      "@Qr(%a) : (tensor<4x3xf32>) -> (tensor<1x1xf32>, tensor<3xf32>)",
      "@Qr(%a) : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<1xf32>)",
      "@LuDecomposition(%a) : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<1xi32>, tensor<4xi32>)",
      "@tenfold.svd(%a) : (tensor<4x3xf32>) -> (tensor<3xf32>, tensor<4x1xf32>, tensor<3x3xf32>)",
      "@ProductOfElementaryHouseholderReflectors(%a, %t) : (tensor<4x3xf32>, tensor<99xf32>) -> tensor<4x3xf32>"};
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    char text[512];
    snprintf(text, sizeof text,
             "func.func @main() {\n"
             "  %%a = stablehlo.constant dense<1.0> : tensor<4x3xf32>\n"
             "  %%t = stablehlo.constant dense<1.0> : tensor<99xf32>\n"
             "  %%r:%d = stablehlo.custom_call %s\n  return\n}\n",
             i == 4  ? 1
             : i < 2 ? 2
                     : 3,
             calls[i]);
    ten_status *status = run(text, NULL);
    assert_non_null(status);
    assert_non_null(strstr(ten_status_text(status), "does not take these operands and results"));
    ten_status_free(status);
  }
}

static void calls_for_ever(void **state) {
  (void)state;
  check_error(run("func.func @main() {\n  call @main() : () -> ()\n  return\n}\n", NULL), TEN_LIMIT,
              "t.mlir:1:1: func.func: calls are nested more than 2000 deep");
}

static void shapes_that_do_not_fit(void **state) {
  (void)state;
  check_error(run("func.func @main() {\n"
                  "  %n = stablehlo.constant dense<[3]> : tensor<1xi64>\n"
                  "  %m = stablehlo.constant dense<[4]> : tensor<1xi64>\n"
                  "  %x = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi64>) -> tensor<?xi32>\n"
                  "  %y = stablehlo.dynamic_iota %m, dim = 0 : (tensor<1xi64>) -> tensor<?xi32>\n"
                  "  %z = stablehlo.add %x, %y : tensor<?xi32>\n"
                  "  return\n"
                  "}\n",
                  NULL),
              TEN_INVALID, "t.mlir:6:8: stablehlo.add: operands are tensor<3xi32> and tensor<4xi32>");
  check_error(run("func.func @main() {\n"
                  "  %p = stablehlo.constant dense<[3]> : tensor<1xi64>\n"
                  "  %n = stablehlo.negate %p : tensor<1xi64>\n"
                  "  %x = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi64>) -> tensor<?xi32>\n"
                  "  return\n"
                  "}\n",
                  NULL),
              TEN_INVALID, "t.mlir:4:8: stablehlo.dynamic_iota: dimension 0 of a tensor is -3");
}

static void prints_in_order(void **state) {
  (void)state;
  printed out = {0};
  check_ok(
      run("func.func @main() {\n"
          "  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>\n"
          "  interpreter.print %x : tensor<2xi32>\n"
          "  return\n"
          "}\n",
          &out));
  assert_string_equal(out.text.data, "%x = tensor<2xi32> {\n  [1, 2]\n}\n");
  ten_buf_free(&out.text);
}

static void probes_are_written(void **state) {
  (void)state;
  char dir[] = "/tmp/tenfold-probe-XXXXXX";
  assert_non_null(mkdtemp(dir));
  const char *text =
      "func.func @main() {\n"
      "  %x = stablehlo.constant dense<[1.5, -2.0]> : tensor<2xf32>\n"
      "  %y = interpreter.probe %x, probe_id = \"a/b\" : tensor<2xf32>\n"
      "  return\n"
      "}\n";
  ten_module *module;
  check_ok(ten_text_parse(text, strlen(text), "t.mlir", &module));
  ten_executable *executable;
  check_ok(ten_compile(ten_backend_find(TEN_STR("interp")), module, ten_module_entry(module, (ten_str){0}), NULL,
                       &executable));
  check_ok(ten_execute(executable, NULL, 0, &(ten_run_options){.probe_dir = dir}, NULL));
  ten_buf path = {0};
  ten_buf_printf(&path, "%s/probe1.npy", dir);
  ten_npy array;
  check_ok(ten_npy_read(path.data, TEN_DTYPE_NONE, &array));
  assert_int_equal(array.dtype, TEN_F32);
  assert_true(((const float *)array.data)[1] == -2);
  ten_npy_free(&array);
  unlink(path.data);
  ten_buf_free(&path);
  ten_buf_printf(&path, "%s/index.csv", dir);
  ten_file index;
  check_ok(ten_file_map(path.data, &index));
  assert_true(ten_str_starts(ten_file_bytes(&index), "a/b,tensor<2xf32>,"));
  ten_file_unmap(&index);
  unlink(path.data);
  rmdir(dir);
  ten_buf_free(&path);
  ten_executable_release(executable);
  ten_module_destroy(module);
}

/* Constants and inputs come out as copies: writing to them changes nothing, and they outlive the program. */
static void results_are_the_callers(void **state) {
  (void)state;
  static const char text[] =
      "func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<f32>, tensor<1x2xf32>, tensor<2x1xf32>) {\n"
      "  %a = stablehlo.constant dense<3.0> : tensor<f32>\n"
      "  %b = stablehlo.constant dense<[3.0, 4.0]> : tensor<2xf32>\n"
      "  %c = stablehlo.reshape %b : (tensor<2xf32>) -> tensor<1x2xf32>\n"
      "  %d = stablehlo.reshape %x : (tensor<2xf32>) -> tensor<2x1xf32>\n"
      "  return %b, %a, %c, %d : tensor<2xf32>, tensor<f32>, tensor<1x2xf32>, tensor<2x1xf32>\n"
      "}\n";
  for (int cpu = 0; cpu < 2; cpu++) {
    ten_module *module;
    ten_executable *executable;
    ten_tensor *input, *results[4];
    check_ok(ten_text_parse(text, strlen(text), "t.mlir", &module));
    check_ok(ten_compile(ten_backend_find(cpu ? TEN_STR("cpu") : TEN_STR("interp")), module,
                         ten_module_entry(module, TEN_STR("main")), NULL, &executable));
    check_ok(ten_tensor_create(TEN_F32, 1, (int64_t[]){2}, &input));
    float *x = input->data;
    x[0] = 3, x[1] = 4;
    for (int turn = 0; turn < 2; turn++) {
      check_ok(ten_execute(executable, &input, 1, NULL, results));
      for (int i = 0; i < 4; i++) assert_true(*(float *)results[i]->data == 3);
      for (int i = 0; i < 4; i++) *(float *)results[i]->data = 5;
      assert_true(x[0] == 3);
      if (!turn) ten_tensors_release(results, 4);
    }
    ten_executable_release(executable);
    ten_module_destroy(module);
    ten_tensor_release(input);
    for (int i = 0; i < 4; i++) assert_true(*(float *)results[i]->data == 5);
    ten_tensors_release(results, 4);
  }
}

/* A group that names an axis twice would have more members than its devices have places. */
static void axes_of_a_group_overlap(void **state) {
  (void)state;
  check_error(
      run("func.func @one(%x: tensor<f32>) -> tensor<f32> {\n"
          "  %0 = \"stablehlo.all_reduce\"(%x) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = "
          "#stablehlo.mesh<axes = [<name = \"a\", size = 4>, <name = \"b\", "
          "size = 4>]>, axes = [#stablehlo.axis_ref<name = \"a\">, #stablehlo.axis_ref<name = \"a\">]>}> ({\n"
          "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
          "    %s = stablehlo.add %a, %b : tensor<f32>\n"
          "    stablehlo.return %s : tensor<f32>\n"
          "  }) : (tensor<f32>) -> tensor<f32>\n"
          "  return %0 : tensor<f32>\n"
          "}\n"
          "func.func @main() {\n"
          "  %x = stablehlo.constant dense<1.0> : tensor<f32>\n"
          "  %r:2 = \"interpreter.run_parallel\"(%x, %x) {programs = [[@one], [@one]]} : (tensor<f32>, tensor<f32>) -> "
          "(tensor<f32>, tensor<f32>)\n"
          "  return\n"
          "}\n",
          NULL),
      TEN_INVALID, "t.mlir:2:8: stablehlo.all_reduce: the axes of a group overlap");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(axes_of_a_group_overlap), cmocka_unit_test(probes_are_written),
                                     cmocka_unit_test(everybody_waits),         cmocka_unit_test(one_process_fails),
                                     cmocka_unit_test(factors_of_other_shapes), cmocka_unit_test(calls_for_ever),
                                     cmocka_unit_test(shapes_that_do_not_fit),  cmocka_unit_test(prints_in_order),
                                     cmocka_unit_test(results_are_the_callers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
