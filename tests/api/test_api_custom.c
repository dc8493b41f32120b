/* test_api_custom.c: operators of other libraries: a lowering that answers with StableHLO, a kernel that it calls. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "driver/devices.h"
#include "front/import/graph.h"
#include "front/import/load.h"
#include "tenfold/custom.h"

/* y = mylib.scale(x, factor) of four numbers. */
static const char graph[] =
    "{\"inputs\":[{\"as_tensor\":{\"name\":\"x\"}}],\"outputs\":[{\"as_tensor\":{\"name\":\"y\"}}],"
    "\"nodes\":[{\"target\":\"mylib.scale.default\",\"inputs\":[{\"name\":\"x\",\"arg\":{\"as_tensor\":{\"name\":\"x\"}"
    "}},{\"name\":\"factor\",\"arg\":{\"as_float\":2.5}}],\"outputs\":[{\"as_tensor\":{\"name\":\"y\"}}],"
    "\"metadata\":{}}],\"tensor_values\":{\"x\":{\"dtype\":7,\"sizes\":[{\"as_int\":4}],\"layout\":7},"
    "\"y\":{\"dtype\":7,\"sizes\":[{\"as_int\":4}],\"layout\":7}}}";

static ten_status *lower_scale(const ten_lowering_request *request, void *user, char **out_text) {
  (void)user;
  if (request->operand_count != 1 || request->operands[0].dims[0] != 4)
    return ten_error(TEN_INVALID, "one operand of four numbers is expected");
  char text[512];
  snprintf(text, sizeof text,
           "func.func @main(%%x: tensor<4xf32>) -> tensor<4xf32> {\n"
           "  %%c = stablehlo.constant dense<%e> : tensor<4xf32>\n"
           "  %%y = stablehlo.multiply %%x, %%c : tensor<4xf32>\n"
           "  func.return %%y : tensor<4xf32>\n}\n",
           ten_lowering_number(request, "factor", 1));
  *out_text = strdup(text);
  return NULL;
}

static ten_status *lower_to_kernel(const ten_lowering_request *request, void *user, char **out_text) {
  (void)request, (void)user;
  *out_text = strdup(
      "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
      "  %y = stablehlo.custom_call @plus_ten(%x) : (tensor<4xf32>) -> tensor<4xf32>\n"
      "  func.return %y : tensor<4xf32>\n}\n");
  return NULL;
}

static ten_status *lower_wrong(const ten_lowering_request *request, void *user, char **out_text) {
  (void)request, (void)user;
  *out_text = strdup("func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> { func.return %x : tensor<3xf32> }");
  return NULL;
}

static ten_status *plus_ten(const ten_buffer *in, size_t in_count, const ten_buffer *out, size_t out_count,
                            void *user) {
  (void)in_count, (void)out_count;
  if (*(int *)user) return ten_error(TEN_INVALID, "this kernel was told to fail");
  for (size_t i = 0; i < in[0].bytes / sizeof(float); i++) ((float *)out[0].data)[i] = ((float *)in[0].data)[i] + 10;
  return NULL;
}

/* Imports, lowers, compiles and runs the graph on 1, 2, 3, 4. */
static ten_status *run(const char *device, float *out) {
  ten_import program = {0};
  TEN_TRY(ten_graph_import(ten_str_of(graph), &program.aten));
  ten_module *module = NULL;
  ten_status *status = ten_import_specialize(&program, NULL, &module);
  ten_executable *executable = NULL;
  if (!status)
    status = ten_compile(ten_backend_find(ten_str_of(device)), module, ten_module_entry(module, TEN_STR("main")), NULL,
                         &executable);
  float in[] = {1, 2, 3, 4};
  ten_tensor *input = NULL, *output = NULL;
  if (!status) status = ten_tensor_from_memory(TEN_F32, 1, (const int64_t[]){4}, in, NULL, NULL, &input);
  if (!status) status = ten_execute(executable, &input, 1, NULL, &output);
  if (!status) memcpy(out, output->data, sizeof in);
  ten_tensor_release(input);
  ten_tensor_release(output);
  ten_executable_release(executable);
  if (module) ten_module_destroy(module);
  ten_import_destroy(&program);
  return status;
}

static void test_lowering(void **state) {
  (void)state;
  float y[4];
  assert_null(ten_register_lowering("mylib::scale", lower_scale, NULL));
  for (const ten_backend *const *backend = ten_backends; *backend; backend++) {
    if (strcmp((*backend)->name, "cpu") && strcmp((*backend)->name, "interp")) continue;
    assert_null(run((*backend)->name, y));
    for (int i = 0; i < 4; i++) assert_float_equal(y[i], 2.5f * (float)(i + 1), 1e-6);
  }
}

static void test_kernel(void **state) {
  (void)state;
  float y[4];
  int fails = 0;
  assert_null(ten_register_lowering("mylib::scale", lower_to_kernel, NULL));
  assert_null(ten_register_kernel("plus_ten", plus_ten, &fails));
  assert_null(run("interp", y));
  for (int i = 0; i < 4; i++) assert_float_equal(y[i], (float)(i + 11), 1e-6);
  fails = 1;
  ten_status *status = run("interp", y);
  assert_non_null(status);
  assert_non_null(strstr(ten_status_text(status), "told to fail"));
  ten_status_free(status);
}

static void test_mistakes(void **state) {
  (void)state;
  float y[4];
  assert_null(ten_register_lowering("mylib::scale", lower_wrong, NULL));
  ten_status *status = run("interp", y);
  assert_non_null(status);
  assert_non_null(strstr(ten_status_text(status), "mylib.scale"));
  ten_status_free(status);
  status = ten_register_lowering("", lower_wrong, NULL);
  assert_non_null(status);
  ten_status_free(status);
  status = ten_register_kernel("x", NULL, NULL);
  assert_non_null(status);
  ten_status_free(status);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_lowering), cmocka_unit_test(test_kernel),
                                     cmocka_unit_test(test_mistakes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
