/* Every file under chunks/: asked to go one image at a time, its program takes the steps of its first line, those in
 * brackets for each image; and whether one, two or all images go at a time, on one thread or two, called again, or out
 * of a compiled file, the results are the same bits, and the interpreter's; with bf16 matmuls the same bits. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "backend/settings.h"
#include "base/file.h"
#include "cases.h"
#include "driver/devices.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"

/* "pack_conv chunks [conv loops] gemm", of the text that shows a plan. */
static void step_kinds(const char *plan, ten_buf *out) {
  const char *at = strstr(plan, "every call:\n");
  bool inside = false;
  for (at = strchr(at ? at : plan, '\n'); at && at[1]; at = strchr(at + 1, '\n')) {
    const size_t indent = strspn(at + 1, " ");
    if (inside && indent == 2) ten_buf_addc(out, ']');
    if (out->size) ten_buf_addc(out, ' ');
    if (!inside && indent > 2) ten_buf_addc(out, '[');
    inside = indent > 2;
    ten_buf_add(out, at + 1 + indent, strcspn(at + 1 + indent, " \n"));
  }
  if (inside) ten_buf_addc(out, ']');
  ten_buf_addc(out, 0);
}

static ten_tensor *input_of(const ten_type *type, unsigned seed) {
  ten_tensor *tensor;
  check_ok(ten_tensor_create(type->dtype, type->rank, type->dims, &tensor));
  assert_int_equal(type->dtype, TEN_F32);
  for (size_t i = 0; i < tensor->count; i++) {
    seed = seed * 1664525u + 1013904223u;
    ((float *)tensor->data)[i] = (float)(seed >> 8) / (float)(1 << 22) - 2;
  }
  return tensor;
}

enum { MOST = 4 };

typedef struct net {
  ten_module *module;
  const ten_op *func;
  const ten_type *type;
  ten_tensor *inputs[MOST];
  ten_settings settings;
} net;

static ten_executable *compile(net *n, const char *backend, const char *chunk, const char *threads) {
  ten_executable *executable;
  ten_settings settings = n->settings;
  if (!strcmp(backend, "interp")) settings.precision = TEN_PRECISION_DEFAULT; /* it has no other */
  setenv("TENFOLD_CHUNK", chunk, 1);
  setenv("TENFOLD_THREADS", threads, 1);
  check_ok(ten_compile(ten_backend_find(ten_str_of(backend)), n->module, n->func, &settings, &executable));
  unsetenv("TENFOLD_CHUNK");
  unsetenv("TENFOLD_THREADS");
  return executable;
}

/* Runs it, twice, and lets it go. */
static void check_same(net *n, ten_executable *executable, ten_tensor *const *want, const char *what) {
  for (int turn = 0; turn < 2; turn++) {
    ten_tensor *outputs[MOST];
    check_ok(ten_execute(executable, n->inputs, n->type->input_count, NULL, outputs));
    for (uint32_t i = 0; i < n->type->result_count; i++)
      if (memcmp(outputs[i]->data, want[i]->data, want[i]->bytes))
        fail_msg("%s, call %d: result %u is not what whole batches give", what, turn, i);
    ten_tensors_release(outputs, n->type->result_count);
  }
  ten_executable_release(executable);
}

static void check_close(const net *n, ten_tensor *const *got, ten_tensor *const *want, double most, const char *path) {
  for (uint32_t i = 0; i < n->type->result_count; i++) {
    double largest = 0;
    for (size_t k = 0; k < want[i]->count; k++) largest = fmax(largest, fabs((double)((float *)want[i]->data)[k]));
    for (size_t k = 0; k < want[i]->count; k++) {
      const double a = (double)((float *)got[i]->data)[k], b = (double)((float *)want[i]->data)[k];
      if (!(fabs(a - b) <= most * largest)) fail_msg("%s: result %u element %zu is %g, not %g", path, i, k, a, b);
    }
  }
}

static void check_file(net *n, ten_tensor *const *want) {
  char path[] = "/tmp/tenfold_chunks_XXXXXX.ten";
  const int made = mkstemps(path, 4);
  assert_true(made >= 0);
  close(made);
  ten_buf file = {0};
  ten_executable *opened;
  setenv("TENFOLD_CHUNK", "2", 1);
  check_ok(ten_backend_save(ten_backend_default(), n->module, n->func, &n->settings, NULL, &file));
  unsetenv("TENFOLD_CHUNK");
  check_ok(ten_file_write_atomic(path, file.data, file.size));
  check_ok(ten_compiled_file_open(path, NULL, &opened));
  check_same(n, opened, want, "from a file");
  ten_buf_free(&file);
  unlink(path);
}

/* An input that is given away holds the result. */
static void check_donated(net *n, ten_tensor *const *want) {
  static const bool donated[MOST] = {true, true, true, true};
  if (!ten_func_arg_attr(n->func, 0, "tf.aliasing_output")) return;
  ten_executable *executable = compile(n, "cpu", "1", "2");
  ten_tensor *outputs[MOST];
  check_ok(ten_execute(executable, n->inputs, n->type->input_count, &(ten_run_options){.donated = donated}, outputs));
  assert_memory_equal(outputs[0]->data, want[0]->data, want[0]->bytes);
  ten_tensors_release(outputs, n->type->result_count);
  ten_executable_release(executable);
}

static void check_all(net *n, const char *path, double most) {
  ten_tensor *want[MOST], *whole[MOST];
  ten_executable *interp = compile(n, "interp", "0", "1"), *all = compile(n, "cpu", "0", "1");
  check_ok(ten_execute(interp, n->inputs, n->type->input_count, NULL, want));
  check_ok(ten_execute(all, n->inputs, n->type->input_count, NULL, whole));
  check_close(n, whole, want, most, path);
  for (int threads = 1; threads <= 2; threads++)
    for (int chunk = 1; chunk <= 2; chunk++) {
      char what[4200], numbers[2][4];
      snprintf(what, sizeof what, "%s, %d images, %d threads", path, chunk, threads);
      snprintf(numbers[0], sizeof numbers[0], "%d", chunk);
      snprintf(numbers[1], sizeof numbers[1], "%d", threads);
      check_same(n, compile(n, "cpu", numbers[0], numbers[1]), whole, what);
    }
  check_file(n, whole);
  check_donated(n, whole);
  ten_tensors_release(want, n->type->result_count);
  ten_tensors_release(whole, n->type->result_count);
  ten_executable_release(interp);
  ten_executable_release(all);
}

static void check_steps(const net *n, const char *path, const char *text) {
  ten_buf plan = {0}, kinds = {0};
  setenv("TENFOLD_CHUNK", "1", 1);
  check_ok(ten_backend_show(ten_backend_default(), n->module, n->func, &n->settings, "plan", &plan));
  unsetenv("TENFOLD_CHUNK");
  ten_buf_addc(&plan, 0);
  step_kinds(plan.data, &kinds);
  static const char head[] = "// steps: ";
  assert_memory_equal(text, head, sizeof head - 1);
  const char *wanted = text + sizeof head - 1;
  if (strlen(kinds.data) != strcspn(wanted, "\n") || memcmp(kinds.data, wanted, strlen(kinds.data)))
    fail_msg("%s: the steps are %s\n%s", path, kinds.data, plan.data);
  ten_buf_free(&plan);
  ten_buf_free(&kinds);
}

static void run_case(const char *path) {
  ten_file file;
  check_ok(ten_file_map(path, &file));
  for (int bf16 = 0; bf16 < 2; bf16++) {
    net n = {0};
    check_ok(ten_text_parse(file.data, file.size, path, &n.module));
    check_ok(ten_verify(n.module));
    n.settings.precision = bf16 ? TEN_PRECISION_BF16 : TEN_PRECISION_DEFAULT;
    n.func = ten_module_entry(n.module, (ten_str){0});
    n.type = ten_func_type(n.func);
    assert_true(n.type->input_count <= MOST && n.type->result_count <= MOST);
    for (uint32_t i = 0; i < n.type->input_count; i++) n.inputs[i] = input_of(n.type->inputs[i], i + 1);
    if (!bf16) check_steps(&n, path, file.data);
    check_all(&n, path, bf16 ? INFINITY : 1e-4);
    ten_tensors_release(n.inputs, n.type->input_count);
    ten_module_destroy(n.module);
  }
  ten_file_unmap(&file);
}

static void test_chunks(void **state) {
  (void)state;
  check_cases(CHUNKS, 8, run_case);
}

/* Two convolutions of images of 32 × 32 × 64 numbers. */
static bool goes_in_chunks(int images) {
  char text[2000];
  snprintf(text, sizeof text,
           "func.func @main(%%x: tensor<%dx32x32x64xf32>, %%k: tensor<1x1x64x64xf32>) -> tensor<%dx32x32x64xf32> {\n"
           "  %%0 = stablehlo.convolution(%%x, %%k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
           "window = {pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
           "(tensor<%dx32x32x64xf32>, tensor<1x1x64x64xf32>) -> tensor<%dx32x32x64xf32>\n"
           "  %%1 = stablehlo.convolution(%%0, %%k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
           "window = {pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
           "(tensor<%dx32x32x64xf32>, tensor<1x1x64x64xf32>) -> tensor<%dx32x32x64xf32>\n"
           "  return %%1 : tensor<%dx32x32x64xf32>\n}\n",
           images, images, images, images, images, images, images);
  ten_module *module;
  check_ok(ten_text_parse(text, strlen(text), "layers", &module));
  ten_buf plan = {0};
  setenv("TENFOLD_THREADS", "2", 1);
  check_ok(
      ten_backend_show(ten_backend_default(), module, ten_module_entry(module, (ten_str){0}), NULL, "plan", &plan));
  unsetenv("TENFOLD_THREADS");
  ten_buf_addc(&plan, 0);
  const bool found = strstr(plan.data, "chunks") != NULL;
  ten_buf_free(&plan);
  ten_module_destroy(module);
  return found;
}

/* By itself it leaves alone what caches hold. */
static void test_by_cost(void **state) {
  (void)state;
  assert_false(goes_in_chunks(1));
  assert_false(goes_in_chunks(2));
  assert_true(goes_in_chunks(512));
}

int main(void) {
  unsetenv("TENFOLD_CHUNK");
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_chunks), cmocka_unit_test(test_by_cost)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
