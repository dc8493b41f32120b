/* A call of a compiled program allocates nothing: neither the first after one has run, nor any later, on one thread or
 * on several. Every allocation of the library goes through the wrappers here (the linker's --wrap). */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "tenfold/executable.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);

static atomic_size_t allocations;

void *__wrap_malloc(size_t size) { return (void)allocations++, __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) { return (void)allocations++, __real_calloc(count, size); }
void *__wrap_realloc(void *old, size_t size) { return (void)allocations++, __real_realloc(old, size); }
void *__wrap_aligned_alloc(size_t align, size_t size) { return (void)allocations++, __real_aligned_alloc(align, size); }

static const char text[] =
    "func.func @main(%x: tensor<1x16x16x16xf32>, %w: tensor<3x3x16x32xf32>, %a: tensor<300x200xf32>, %b: tensor<200x150xf32>, "
    "%n: tensor<i32>) -> (tensor<1x16x16x32xf32>, tensor<300x150xf32>, tensor<300xf32>, tensor<i32>) {\n"
    "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} "
    "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x16x16x16xf32>, tensor<3x3x16x32xf32>) -> tensor<1x16x16x32xf32>\n"
    "  %1 = stablehlo.tanh %0 : tensor<1x16x16x32xf32>\n"
    "  %2 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<300x200xf32>, tensor<200x150xf32>) -> tensor<300x150xf32>\n"
    "  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<300x150xf32>, tensor<f32>) -> tensor<300xf32>\n"
    "  %4 = \"stablehlo.sort\"(%3) ({\n"
    "  ^bb0(%p: tensor<f32>, %q: tensor<f32>):\n"
    "    %c = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "    stablehlo.return %c : tensor<i1>\n"
    "  }) {dimension = 0 : i64, is_stable = true} : (tensor<300xf32>) -> tensor<300xf32>\n"
    "  %5 = stablehlo.while(%i = %n) : tensor<i32> cond {\n"
    "    %ten = stablehlo.constant dense<10> : tensor<i32>\n"
    "    %c = stablehlo.compare LT, %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "    stablehlo.return %c : tensor<i1>\n"
    "  } do {\n"
    "    %one = stablehlo.constant dense<1> : tensor<i32>\n"
    "    %next = stablehlo.add %i, %one : tensor<i32>\n"
    "    stablehlo.return %next : tensor<i32>\n"
    "  }\n"
    "  return %1, %2, %4, %5 : tensor<1x16x16x32xf32>, tensor<300x150xf32>, tensor<300xf32>, tensor<i32>\n}\n";

enum { MOST = 8, CALLS = 20 };

static void count_calls(const char *threads) {
  setenv("TENFOLD_THREADS", threads, 1);
  ten_program *model;
  ten_executable *compiled;
  check_ok(ten_program_parse(text, sizeof text - 1, "program", &model));
  check_ok(ten_program_compile(model, NULL, &compiled));
  ten_program_release(model);
  ten_buffer inputs[MOST], outputs[MOST];
  const size_t in = ten_executable_input_count(compiled), out = ten_executable_output_count(compiled);
  for (size_t i = 0; i < in; i++) {
    inputs[i] = ten_executable_input(compiled, i);
    inputs[i].data = calloc(1, inputs[i].bytes);
  }
  for (size_t i = 0; i < out; i++) {
    outputs[i] = ten_executable_output(compiled, i);
    outputs[i].data = calloc(1, outputs[i].bytes);
  }
  check_ok(ten_executable_execute(compiled, inputs, in, outputs, out));
  const size_t before = allocations;
  assert_true(before > 0); /* compiling allocates, and that was seen */
  for (int i = 0; i < CALLS; i++) check_ok(ten_executable_execute(compiled, inputs, in, outputs, out));
  assert_int_equal(allocations, before);
  for (size_t i = 0; i < in; i++) free(inputs[i].data);
  for (size_t i = 0; i < out; i++) free(outputs[i].data);
  ten_executable_release(compiled);
}

static void test_one_thread(void **state) { (void)state, count_calls("1"); }
static void test_two_threads(void **state) { (void)state, count_calls("2"); }

int main(void) {
  setenv("TENFOLD_CACHE", "off", 1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_thread), cmocka_unit_test(test_two_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
