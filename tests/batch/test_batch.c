/* Batches of every function in batch/control.mlir and grad's .mlir files, and of their gradients, against the function
 * applied to each example; every argument is batched alone, and all of them. The reference interpreter runs both. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "driver/devices.h"
#include "ir/assert.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "transform/batch/batch.h"
#include "transform/pass/grad.h"

enum { EXAMPLES = 3, ARGUMENTS_MAX = 32 };

typedef struct values {
  ten_tensor *data[ARGUMENTS_MAX];
  size_t count;
} values;

static values run(ten_module *module, const ten_op *func, const values *args) {
  ten_executable *executable;
  check_ok(ten_compile(ten_backend_find(TEN_STR("interp")), module, func, NULL, &executable));
  values out = {.count = executable->output_count};
  assert_true(out.count <= ARGUMENTS_MAX);
  check_ok(ten_execute(executable, args->data, args->count, NULL, out.data));
  ten_executable_release(executable);
  return out;
}

static void fill(ten_tensor *tensor, unsigned *seed) {
  assert_int_equal(tensor->dtype, TEN_F64);
  for (size_t e = 0; e < tensor->count; e++) {
    *seed = *seed * 1664525u + 1013904223u;
    ((double *)tensor->data)[e] = 0.1 + 0.8 * (double)(*seed >> 8) / (double)(1 << 24);
  }
}

static values make_args(const ten_op *func) {
  const ten_type *type = ten_func_type(func);
  values args = {.count = type->input_count};
  unsigned seed = 7;
  assert_true(args.count <= ARGUMENTS_MAX);
  for (size_t i = 0; i < args.count; i++) {
    check_ok(ten_tensor_create(type->inputs[i]->dtype, type->inputs[i]->rank, type->inputs[i]->dims, &args.data[i]));
    fill(args.data[i], &seed);
  }
  return args;
}

/* The arguments of example e. */
static values example(const ten_op *func, const values *all, const bool *batched, size_t e) {
  const ten_type *type = ten_func_type(func);
  values args = {.count = all->count};
  for (size_t i = 0; i < all->count; i++) {
    check_ok(ten_tensor_create(type->inputs[i]->dtype, type->inputs[i]->rank, type->inputs[i]->dims, &args.data[i]));
    const char *from = all->data[i]->data;
    memcpy(args.data[i]->data, from + (batched[i] ? e * args.data[i]->bytes : 0), args.data[i]->bytes);
  }
  return args;
}

static void compare(const ten_op *func, size_t result, size_t e, const ten_tensor *all, const ten_tensor *one) {
  assert_int_equal(all->bytes, EXAMPLES * one->bytes);
  const char *from = (const char *)all->data + e * one->bytes;
  if (one->dtype != TEN_F64) {
    assert_memory_equal(from, one->data, one->bytes);
    return;
  }
  for (size_t i = 0; i < one->count; i++) {
    const double got = ((const double *)(const void *)from)[i], want = ((const double *)one->data)[i];
    if (fabs(got - want) <= 1e-9 * (1 + fabs(want)) || (isnan(got) && isnan(want))) continue;
    print_error("@%.*s: result %zu of example %zu, element %zu: %.12g, alone it is %.12g\n",
                TEN_FMT(ten_func_name(func)), result, e, i, got, want);
    fail();
  }
}

static void check_batch(ten_module *module, const ten_op *func, const bool *batched) {
  ten_module *made;
  check_ok(ten_batch_module(module, ten_func_name(func), batched, EXAMPLES, &made));
  check_ok(ten_verify(made));
  const ten_op *entry = ten_module_find(made, ten_func_name(func));
  values all = make_args(entry), got = run(made, entry, &all);
  for (size_t e = 0; e < EXAMPLES; e++) {
    values args = example(func, &all, batched, e), want = run(module, func, &args);
    assert_int_equal(want.count, got.count);
    for (size_t r = 0; r < want.count; r++) compare(func, r, e, got.data[r], want.data[r]);
    ten_tensors_release(args.data, args.count);
    ten_tensors_release(want.data, want.count);
  }
  ten_tensors_release(all.data, all.count);
  ten_tensors_release(got.data, got.count);
  ten_module_destroy(made);
}

static void check_function(ten_module *module, const ten_op *func) {
  const size_t count = ten_func_type(func)->input_count;
  bool batched[ARGUMENTS_MAX];
  for (size_t i = 0; i < ARGUMENTS_MAX; i++) batched[i] = true;
  check_batch(module, func, batched);
  for (size_t alone = 0; alone < count && count > 1; alone++) {
    for (size_t i = 0; i < count; i++) batched[i] = i == alone;
    check_batch(module, func, batched);
  }
}

static ten_module *read_cases(const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s.mlir", TEN_BATCH_CASES, name);
  ten_file file;
  check_ok(ten_file_map(path, &file));
  ten_module *module;
  check_ok(ten_text_parse(file.data, file.size, path, &module));
  check_ok(ten_verify(module));
  ten_file_unmap(&file);
  return module;
}

static void check_file(const char *name, bool gradients) {
  ten_module *module = read_cases(name);
  check_ok(ten_grad_prepare(module));
  size_t count = 0;
  for (ten_op *func = ten_module_body(module)->first, *next; func; func = next) {
    next = func->next; /* gradients are appended: stop where the file ends */
    if (!ten_op_is_func(func) || ten_func_is_private(func) || ten_str_ends(ten_func_name(func), ".grad")) continue;
    check_function(module, func);
    ten_op *gradient;
    if (gradients) check_ok(ten_grad(module, func, &(ten_grad_options){.take_cotangents = true}, &gradient));
    if (gradients) check_function(module, gradient);
    count++;
  }
  assert_true(count > 1);
  ten_module_destroy(module);
}

#define FILE_TEST(name, path, gradients)  \
  static void test_##name(void **state) { \
    (void)state;                          \
    check_file(path, gradients);          \
  }
FILE_TEST(control, "batch/control", false)
FILE_TEST(elementwise, "grad/elementwise", false)
FILE_TEST(shape, "grad/shape", true)
FILE_TEST(contract, "grad/contract", true)
FILE_TEST(reduce, "grad/reduce", true)
FILE_TEST(index, "grad/index", true)
FILE_TEST(grad_control, "grad/control", true)
FILE_TEST(shorthand, "grad/shorthand", false)

static ten_module *parse(const char *text) {
  ten_module *module;
  check_ok(ten_text_parse(text, strlen(text), "batch", &module));
  check_ok(ten_verify(module));
  return module;
}

/* A check fails where it fails for one example, and its message has that example's value. */
static void test_assert(void **state) {
  (void)state;
  ten_module *module = parse(
      "func.func @main(%ok: tensor<i1>, %v: tensor<i64>) -> tensor<i64> {\n"
      "  \"stablehlo.custom_call\"(%ok, %v) <{call_target_name = \"tenfold.assert\", has_side_effect = true}> "
      "{tenfold.exception = \"IndexError\", tenfold.message = \"number {}\", tenfold.place = \"\"} : "
      "(tensor<i1>, tensor<i64>) -> ()\n"
      "  return %v : tensor<i64>\n}\n");
  ten_module *made;
  check_ok(ten_batch_module(module, (ten_str){0}, (const bool[]){true, true}, 3, &made));
  check_ok(ten_verify(made));
  ten_executable *executable;
  const ten_op *entry = ten_module_entry(made, (ten_str){0});
  check_ok(ten_compile(ten_backend_find(TEN_STR("interp")), made, entry, NULL, &executable));
  ten_tensor *args[2], *out;
  const int64_t three = 3;
  check_ok(ten_tensor_create(TEN_I1, 1, &three, &args[0]));
  check_ok(ten_tensor_create(TEN_I64, 1, &three, &args[1]));
  memcpy(args[0]->data, (const uint8_t[]){1, 0, 0}, 3);
  memcpy(args[1]->data, (const int64_t[]){5, 6, 7}, sizeof(int64_t[3]));
  ten_status *status = ten_execute(executable, args, 2, NULL, &out);
  assert_non_null(status);
  assert_non_null(strstr(ten_status_text(status), "number 6"));
  ten_status_free(status);
  memset(args[0]->data, 1, 3);
  check_ok(ten_execute(executable, args, 2, NULL, &out));
  ten_tensor_release(out);
  ten_tensors_release(args, 2);
  ten_executable_release(executable);
  ten_module_destroy(made);
  ten_module_destroy(module);
}

/* Runs the batch of @main for these numbers; NULL, or what it says. */
static ten_status *run_numbers(const char *text, const int64_t *numbers, int64_t count) {
  ten_module *module = parse(text), *made;
  check_ok(ten_batch_module(module, (ten_str){0}, (const bool[]){true}, count, &made));
  check_ok(ten_verify(made));
  ten_executable *executable;
  const ten_op *entry = ten_module_entry(made, (ten_str){0});
  check_ok(ten_compile(ten_backend_find(TEN_STR("interp")), made, entry, NULL, &executable));
  ten_tensor *arg, *out = NULL;
  check_ok(ten_tensor_create(TEN_I64, 1, &count, &arg));
  memcpy(arg->data, numbers, arg->bytes);
  ten_status *status = ten_execute(executable, &arg, 1, NULL, &out);
  ten_tensor_release(out);
  ten_tensor_release(arg);
  ten_executable_release(executable);
  ten_module_destroy(made);
  ten_module_destroy(module);
  return status;
}

#define ASSERT(ok, value)                                                                          \
  "\"stablehlo.custom_call\"(" ok ", " value                                                       \
  ") <{call_target_name = \"tenfold.assert\", has_side_effect = true}> "                           \
  "{tenfold.exception = \"IndexError\", tenfold.message = \"number {}\", tenfold.place = \"\"} : " \
  "(tensor<i1>, tensor<i64>) -> ()\n"
#define COMPARE(how, x, y) "stablehlo.compare " how ", " x ", " y " : (tensor<i64>, tensor<i64>) -> tensor<i1>\n"

/* A check inside of a branch or loop is for the examples that are there: others compute it, and it may fail. */
static void test_assert_inside(void **state) {
  (void)state;
  static const char branches[] =
      "func.func @main(%x: tensor<i64>) -> tensor<i64> {\n"
      "  %five = stablehlo.constant dense<5> : tensor<i64>\n  %many = stablehlo.constant dense<100> : tensor<i64>\n"
      "  %no = stablehlo.constant dense<false> : tensor<i1>\n  %p = " COMPARE("LT", "%x", "%five")
      "  %r = \"stablehlo.if\"(%p) ({\n" ASSERT("%p", "%x")
      "    stablehlo.return %x : tensor<i64>\n  }, {\n    %q = " COMPARE("GE", "%x", "%five") ASSERT("%q", "%x")
      "    %g = " COMPARE("GE", "%x", "%many")
      "    %z = \"stablehlo.if\"(%g) ({\n" ASSERT("%no", "%five")
      "      stablehlo.return %five : tensor<i64>\n    }, {\n      stablehlo.return %x : tensor<i64>\n"
      "    }) : (tensor<i1>) -> tensor<i64>\n    stablehlo.return %z : tensor<i64>\n"
      "  }) : (tensor<i1>) -> tensor<i64>\n  return %r : tensor<i64>\n}\n";
  static const char loop[] =
      "func.func @main(%step: tensor<i64>) -> tensor<i64> {\n"
      "  %zero = stablehlo.constant dense<0> : tensor<i64>\n  %ten = stablehlo.constant dense<10> : tensor<i64>\n"
      "  %r = stablehlo.while(%i = %zero) : tensor<i64>\n   cond {\n    %p = " COMPARE(
          "LT", "%i", "%ten") "    stablehlo.return %p : tensor<i1>\n  } do {\n    %q = " COMPARE("LT", "%i", "%ten")
          ASSERT("%q", "%i") "    %n = stablehlo.add %i, %step : tensor<i64>\n    %o = " COMPARE("LT", "%step", "%ten")
              ASSERT("%o", "%step") "    stablehlo.return %n : tensor<i64>\n  }\n  return %r : tensor<i64>\n}\n";
  check_ok(run_numbers(loop, (const int64_t[]){5, 1, 3}, 3));
  check_error(run_numbers(loop, (const int64_t[]){5, 1, 12}, 3), TEN_INVALID, "number 12");
  check_ok(run_numbers(branches, (const int64_t[]){1, 7, 3}, 3));
  check_error(run_numbers(branches, (const int64_t[]){1, 100, 3}, 3), TEN_INVALID, "number 5");
}

static void test_refused(void **state) {
  (void)state;
  ten_module *module = parse(
      "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
      "  %y = \"stablehlo.all_reduce\"(%x) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({\n"
      "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
      "    %s = stablehlo.add %a, %b : tensor<f32>\n"
      "    stablehlo.return %s : tensor<f32>\n"
      "  }) : (tensor<2xf32>) -> tensor<2xf32>\n"
      "  return %y : tensor<2xf32>\n}\n");
  ten_module *made;
  ten_status *status = ten_batch_module(module, (ten_str){0}, (const bool[]){true}, 3, &made);
  assert_non_null(status);
  assert_int_equal(ten_status_code(status), TEN_UNSUPPORTED);
  assert_non_null(strstr(ten_status_text(status), "all_reduce"));
  assert_null(made);
  ten_status_free(status);
  ten_module_destroy(module);
}

/* A result that is the same for every example has one more dimension afterwards, too. */
static void test_too_many_dimensions(void **state) {
  (void)state;
  char dims[256] = "";
  for (int i = 0; i < 64; i++) strcat(dims, "1x");
  char text[1024];
  snprintf(text, sizeof text,
           "func.func @main(%%x: tensor<2xf32>, %%y: tensor<%sf32>) -> (tensor<2xf32>, tensor<%sf32>) {\n"
           "  return %%x, %%y : tensor<2xf32>, tensor<%sf32>\n}\n",
           dims, dims, dims);
  ten_module *module = parse(text), *made;
  ten_status *status = ten_batch_module(module, (ten_str){0}, (const bool[]){true, false}, 3, &made);
  assert_non_null(status);
  assert_non_null(strstr(ten_status_text(status), "result 1: only tensors of known shapes and at most 62 dimensions"));
  ten_status_free(status);
  ten_module_destroy(module);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_control),      cmocka_unit_test(test_elementwise),
      cmocka_unit_test(test_shape),        cmocka_unit_test(test_contract),
      cmocka_unit_test(test_reduce),       cmocka_unit_test(test_index),
      cmocka_unit_test(test_grad_control), cmocka_unit_test(test_shorthand),
      cmocka_unit_test(test_assert),       cmocka_unit_test(test_assert_inside),
      cmocka_unit_test(test_refused),      cmocka_unit_test(test_too_many_dimensions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
