/* test_target.c: what is made of a program before a plugin sees it: whether it fits, how it is spread. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/pjrt/target.h"
#include "check.h"
#include "ir/text/text.h"

static ten_module *parse(const char *text) {
  ten_module *module;
  check_ok(ten_text_parse(text, strlen(text), "model.py", &module));
  return module;
}

static ten_status *prepare(const char *target_name, const char *mesh, bool bf16, const ten_module *module,
                           ten_prepared *out) {
  ten_target target;
  check_ok(ten_target_parse(target_name, &target));
  ten_target_options options = {.bf16 = bf16};
  check_ok(ten_mesh_parse(mesh, &options.mesh));
  ten_status *status = ten_target_prepare(&target, &options, module, ten_module_entry(module, (ten_str){0}), out);
  ten_target_free(&target);
  return status;
}

/* 4096 × 2^20 floats are 16 GiB, which a v5e has and nothing is left for the result. */
static const char big[] =
    "func.func @main(%x: tensor<64x4096xf32>, %w: tensor<4096x1048576xf32>) -> tensor<64x1048576xf32> {\n"
    "  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x4096xf32>, "
    "tensor<4096x1048576xf32>) -> tensor<64x1048576xf32>\n"
    "  %1 = stablehlo.tanh %0 : tensor<64x1048576xf32>\n"
    "  return %1 : tensor<64x1048576xf32>\n"
    "}\n";

static void what_does_not_fit_is_said(void **state) {
  (void)state;
  ten_module *module = parse(big);
  ten_prepared prepared;
  ten_status *status = prepare("tpu:v5e:2x2", "", false, module, &prepared);
  assert_non_null(status);
  const char *text = ten_status_text(status);
  assert_int_equal(ten_status_code(status), TEN_LIMIT);
  assert_non_null(strstr(text, "v5e:2x2: the program needs about 16.25 GiB of memory on each device"));
  assert_non_null(strstr(text, "the device has 16.00 GiB"));
  assert_non_null(strstr(text, "16384.0 MiB  tensor<4096x1048576xf32>  argument 1  model.py:2"));
  ten_status_free(status);
  check_ok(prepare("tpu:v6e:2x2", "", false, module, &prepared));
  assert_int_equal(prepared.estimate.arguments, (1ull << 34) + (1ull << 20));
  ten_prepared_free(&prepared);
  ten_module_destroy(module);
}

static void a_mesh_splits_arguments(void **state) {
  (void)state;
  ten_module *module = parse(big);
  ten_prepared prepared;
  check_ok(prepare("tpu:v6e:2x2", "data=2,model=2", true, module, &prepared));
  assert_int_equal(prepared.spread.partitions, 4);
  assert_true(prepared.spread.shardy);
  ten_buf text = {0};
  ten_text_print(&text, prepared.program.module, NULL);
  assert_non_null(strstr(text.data, "@mesh"));
  assert_non_null(strstr(text.data, "[\"data\"=2, \"model\"=2]"));
  assert_non_null(strstr(text.data, "#sdy.sharding<@mesh, [{\"data\"}, {}]>"));
  assert_non_null(strstr(text.data, "bf16"));
  ten_buf_free(&text);
  ten_prepared_free(&prepared);
  ten_status *status = prepare("tpu:v6e:2x2", "data=8", false, module, &prepared);
  check_error(status, TEN_INVALID, "the program is for 8 devices; v6e:2x2 has 4");
  ten_mesh mesh;
  status = ten_mesh_parse("rows=2", &mesh);
  assert_non_null(status);
  ten_status_free(status);
  ten_module_destroy(module);
}

/* What the plugin compiles and we cannot run: the file says why. */
static void shardings_that_are_not_run(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"module attributes {mhlo.num_replicas = 2 : i32} {\n"
       "func.func @main(%x: tensor<6xf32>) -> tensor<6xf32> {\n  return %x : tensor<6xf32>\n}\n}\n",
       "each of its 2 replicas has arguments of its own"},
      {"module attributes {mhlo.num_partitions = 4 : i32} {\n"
       "func.func @main(%x: tensor<6xf32> {mhlo.sharding = \"{devices=[4]<=[4]}\"}) -> tensor<6xf32> {\n"
       "  return %x : tensor<6xf32>\n}\n}\n",
       "argument 0 is not cut into even tiles"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ten_module *module = parse(cases[i][0]);
    ten_prepared prepared;
    check_ok(prepare("tpu:v6e:2x2", "", false, module, &prepared));
    assert_non_null(prepared.tilings.why);
    ten_target target;
    check_ok(ten_target_parse("tpu:v6e:2x2", &target));
    ten_aot_result result = {0};
    ten_buf_adds(&result.executable, "code");
    char path[] = "/tmp/tenfold-target-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    check_ok(ten_target_write(path, &target, &prepared, &result));
    ten_executable *executable;
    ten_status *status = ten_target_open(path, NULL, &executable);
    assert_non_null(status);
    assert_int_equal(ten_status_code(status), TEN_UNSUPPORTED);
    assert_non_null(strstr(ten_status_text(status), "how its arguments lie on them is not known"));
    assert_non_null(strstr(ten_status_text(status), cases[i][1]));
    ten_status_free(status);
    unlink(path);
    ten_buf_free(&result.executable);
    ten_target_free(&target);
    ten_prepared_free(&prepared);
    ten_module_destroy(module);
  }
}

static void the_highest_precision(void **state) {
  (void)state;
  ten_module *module = parse(big);
  ten_prepared prepared;
  check_ok(prepare("tpu:v6e:2x2", "", false, module, &prepared));
  check_ok(pjrt_use_highest(&prepared.program));
  ten_buf text = {0};
  ten_text_print(&text, prepared.program.module, NULL);
  assert_non_null(strstr(text.data, "precision = [HIGHEST, HIGHEST]"));
  ten_buf_free(&text);
  ten_prepared_free(&prepared);
  ten_module_destroy(module);
}

static void names_of_targets(void **state) {
  (void)state;
  ten_target target;
  check_ok(ten_target_parse("pjrt:lib/x.so:v5e:2x2?a=1", &target));
  assert_string_equal(target.plugin, "lib/x.so");
  assert_string_equal(target.topology, "v5e:2x2");
  assert_true(target.is_tpu);
  ten_target_free(&target);
  static const char *const wrong[] = {"tpu", "tpu:v99", "pjrt:x.so", "pjrt:x.so:", "gpu"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    ten_status *status = ten_target_parse(wrong[i], &target);
    assert_non_null(status);
    ten_status_free(status);
  }
}

/* One of two matrices that were transposed together, and a ReLU as training has it. */
static const char transposed[] =
    "func.func @main(%x: tensor<4x2x8xf32>) -> (tensor<8x4xf32>, tensor<4x2x8xf32>) {\n"
    "  %0 = stablehlo.transpose %x, dims = [1, 2, 0] : (tensor<4x2x8xf32>) -> tensor<2x8x4xf32>\n"
    "  %1 = stablehlo.slice %0 [1:2, 0:8, 0:4] : (tensor<2x8x4xf32>) -> tensor<1x8x4xf32>\n"
    "  %2 = stablehlo.reshape %1 : (tensor<1x8x4xf32>) -> tensor<8x4xf32>\n"
    "  %z = stablehlo.constant dense<0.0> : tensor<4x2x8xf32>\n"
    "  %3 = stablehlo.compare LE, %x, %z : (tensor<4x2x8xf32>, tensor<4x2x8xf32>) -> tensor<4x2x8xi1>\n"
    "  %4 = stablehlo.select %3, %z, %x : tensor<4x2x8xi1>, tensor<4x2x8xf32>\n"
    "  return %2, %4 : tensor<8x4xf32>, tensor<4x2x8xf32>\n"
    "}\n";

static void programs_are_tidied(void **state) {
  (void)state;
  ten_module *module = parse(transposed);
  ten_prepared prepared;
  check_ok(prepare("tpu:v5e:2x2", "", false, module, &prepared));
  ten_buf text = {0};
  ten_text_print(&text, prepared.program.module, NULL);
  const char *cut = strstr(text.data, "stablehlo.slice %arg0 [0:4, 1:2, 0:8]"),
             *flat = strstr(text.data, "(tensor<4x1x8xf32>) -> tensor<4x8xf32>"),
             *turn = strstr(text.data, "dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>");
  assert_true(cut && flat && turn && cut < flat && flat < turn);
  assert_non_null(strstr(text.data, "stablehlo.maximum %arg0"));
  assert_null(strstr(text.data, "stablehlo.select"));
  assert_null(strstr(text.data, "stablehlo.compare"));
  ten_buf_free(&text);
  ten_prepared_free(&prepared);
  ten_module_destroy(module);
}

static void assert_says(const ten_prepared *prepared, const char *const *lines) {
  ten_buf text = {0};
  ten_text_print(&text, prepared->program.module, NULL);
  for (; *lines; lines++)
    if (!strstr(text.data, *lines)) fail_msg("no '%s' in\n%s", *lines, text.data);
  ten_buf_free(&text);
}

/* A convolution with bias and ReLU; its kernel is updated in place, as training does. */
static const char convolution[] =
    "func.func @main(%x: tensor<1x2x8x8xf32>, %k: tensor<5x2x3x3xf32> {tenfold.role = \"parameter\", "
    "tf.aliasing_output = 1 : i32}, %b: tensor<5xf32>) -> (tensor<1x5x6x6xf32>, tensor<5x2x3x3xf32>) {\n"
    "  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} "
    "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x8x8xf32>, tensor<5x2x3x3xf32>) -> "
    "tensor<1x5x6x6xf32>\n"
    "  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<5xf32>) -> tensor<1x5x6x6xf32>\n"
    "  %2 = stablehlo.add %0, %1 : tensor<1x5x6x6xf32>\n"
    "  %z = stablehlo.constant dense<0.0> : tensor<1x5x6x6xf32>\n"
    "  %3 = stablehlo.maximum %2, %z : tensor<1x5x6x6xf32>\n"
    "  %4 = stablehlo.tanh %3 : tensor<1x5x6x6xf32>\n"
    "  %5 = stablehlo.add %k, %k : tensor<5x2x3x3xf32>\n"
    "  return %4, %5 : tensor<1x5x6x6xf32>, tensor<5x2x3x3xf32>\n"
    "}\n";

static void convolutions_are_as_xla_reads_them(void **state) {
  (void)state;
  ten_module *module = parse(convolution);
  ten_prepared prepared;
  check_ok(prepare("tpu:v5e:2x2", "", false, module, &prepared));
  static const char *const lines[] = {
      "%arg1: tensor<3x3x2x5xf32>", "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]",          "call @relu_0",
      "func.func private @relu_0",  "stablehlo.add %arg1, %arg1 : tensor<3x3x2x5xf32>", NULL};
  assert_says(&prepared, lines);
  assert_memory_equal(prepared.program.transposed[1], ((const int64_t[]){2, 3, 1, 0}), 4 * sizeof(int64_t));
  assert_ptr_equal(prepared.program.transposed[1], prepared.program.transposed_results[1]);
  assert_null(prepared.program.transposed[0]);
  ten_prepared_free(&prepared);
  ten_module_destroy(module);
}

/* Attention as PyTorch writes it. */
static const char attention[] =
    "func.func @main(%q: tensor<2x8x3x4xf32>, %k: tensor<2x8x3x4xf32>, %v: tensor<2x8x3x4xf32>, %s: tensor<2x3x8x8xf32>) "
    "-> tensor<2x8x3x4xf32> {\n"
    "  %0 = stablehlo.transpose %q, dims = [0, 2, 1, 3] : (tensor<2x8x3x4xf32>) -> tensor<2x3x8x4xf32>\n"
    "  %1 = stablehlo.transpose %k, dims = [0, 2, 3, 1] : (tensor<2x8x3x4xf32>) -> tensor<2x3x4x8xf32>\n"
    "  %2 = stablehlo.transpose %v, dims = [0, 2, 1, 3] : (tensor<2x8x3x4xf32>) -> tensor<2x3x8x4xf32>\n"
    "  %3 = stablehlo.dot_general %0, %1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : "
    "(tensor<2x3x8x4xf32>, tensor<2x3x4x8xf32>) -> tensor<2x3x8x8xf32>\n"
    "  %4 = stablehlo.exponential %3 : tensor<2x3x8x8xf32>\n"
    "  %5 = stablehlo.divide %4, %s : tensor<2x3x8x8xf32>\n"
    "  %6 = stablehlo.dot_general %5, %2, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : "
    "(tensor<2x3x8x8xf32>, tensor<2x3x8x4xf32>) -> tensor<2x3x8x4xf32>\n"
    "  %7 = stablehlo.transpose %6, dims = [0, 2, 1, 3] : (tensor<2x3x8x4xf32>) -> tensor<2x8x3x4xf32>\n"
    "  return %7 : tensor<2x8x3x4xf32>\n"
    "}\n";

static void attention_reads_what_was_not_turned(void **state) {
  (void)state;
  ten_module *module = parse(attention);
  ten_prepared prepared;
  check_ok(prepare("tpu:v5e:2x2", "", false, module, &prepared));
  static const char *const lines[] = {
      "stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3]",
      "stablehlo.dot_general %arg2, %2, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3]",
      "dims = [0, 3, 1, 2] : (tensor<2x3x4x8xf32>) -> tensor<2x8x3x4xf32>", NULL};
  assert_says(&prepared, lines);
  ten_prepared_free(&prepared);
  ten_module_destroy(module);
}

/* ReLU of a sum, and its gradient as a training step has it; the second result is what the step gives up. */
static const char relu_step[] =
    "func.func @main(%x: tensor<4x8xf32>, %b: tensor<4x8xf32> {tf.aliasing_output = 1 : i32}, %g: tensor<4x8xf32>) -> "
    "(tensor<4x8xf32>, tensor<4x8xf32>) {\n"
    "  %z = stablehlo.constant dense<0.0> : tensor<4x8xf32>\n"
    "  %0 = stablehlo.add %x, %b : tensor<4x8xf32>\n"
    "  %1 = stablehlo.compare LE, %0, %z : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>\n"
    "  %2 = stablehlo.select %1, %z, %0 : tensor<4x8xi1>, tensor<4x8xf32>\n"
    "  %3 = stablehlo.tanh %2 : tensor<4x8xf32>\n"
    "  %4 = stablehlo.compare LE, %2, %z : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>\n"
    "  %5 = stablehlo.select %4, %z, %g : tensor<4x8xi1>, tensor<4x8xf32>\n"
    "  return %3, %5 : tensor<4x8xf32>, tensor<4x8xf32>\n"
    "}\n";

static void relu_has_a_mask_where_that_is_less(void **state) {
  (void)state;
  static const char *const masked[] = {"%1 = call @relu_0(%0)", "stablehlo.compare LE, %0,", "stablehlo.select %2,",
                                       NULL},
                           *const plain[] = {"%1 = stablehlo.maximum %0,", "stablehlo.compare LE, %1,", NULL};
  static const struct {
    const char *target, *const *lines;
  } cases[] = {{"tpu:v6e:2x2", masked}, {"tpu:tpu7x:2x2x1", masked}, {"tpu:v5e:2x2", plain}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ten_module *module = parse(relu_step);
    ten_prepared prepared;
    check_ok(prepare(cases[i].target, "", false, module, &prepared));
    assert_says(&prepared, cases[i].lines);
    ten_prepared_free(&prepared);
    ten_module_destroy(module);
  }
}

#define READS_ONE_ROW(given_up)                                                                                \
  "func.func @main(%x: tensor<8x4xf32>" given_up                                                               \
  ", %w: tensor<4x4xf32>) -> (tensor<1x4xf32>, tensor<8x4xf32>) {\n"                                           \
  "  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<8x4xf32>, tensor<4x4xf32>) -> " \
  "tensor<8x4xf32>\n"                                                                                          \
  "  %1 = stablehlo.tanh %0 : tensor<8x4xf32>\n"                                                               \
  "  %2 = stablehlo.slice %1 [0:1, 0:4] : (tensor<8x4xf32>) -> tensor<1x4xf32>\n"                              \
  "  return %2, %x : tensor<1x4xf32>, tensor<8x4xf32>\n"                                                       \
  "}\n"

static void what_is_not_read_is_not_computed_after_the_last_product(void **state) {
  (void)state;
  static const char *const part[] = {"stablehlo.slice %0 [0:1, 0:4]", "stablehlo.tanh %1 : tensor<1x4xf32>", NULL},
                           *const whole[] = {"stablehlo.tanh %0 : tensor<8x4xf32>", NULL};
  for (int step = 0; step < 2; step++) {
    ten_module *module = parse(step ? READS_ONE_ROW(" {tf.aliasing_output = 1 : i32}") : READS_ONE_ROW(""));
    ten_prepared prepared;
    check_ok(prepare("tpu:v5p:2x2x1", "", false, module, &prepared));
    assert_says(&prepared, step ? whole : part);
    ten_prepared_free(&prepared);
    ten_module_destroy(module);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_does_not_fit_is_said),
                                     cmocka_unit_test(a_mesh_splits_arguments),
                                     cmocka_unit_test(shardings_that_are_not_run),
                                     cmocka_unit_test(the_highest_precision),
                                     cmocka_unit_test(names_of_targets),
                                     cmocka_unit_test(programs_are_tidied),
                                     cmocka_unit_test(convolutions_are_as_xla_reads_them),
                                     cmocka_unit_test(attention_reads_what_was_not_turned),
                                     cmocka_unit_test(relu_has_a_mask_where_that_is_less),
                                     cmocka_unit_test(what_is_not_read_is_not_computed_after_the_last_product)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
