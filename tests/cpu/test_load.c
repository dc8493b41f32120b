/* The linker of generated code: what it linked runs (every other test says so); damaged objects are refused, and no
 * byte of their tables leads it astray. LLVM is not loaded by what needs none of it. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/codegen/jit.h"
#include "backend/cpu/run/executable.h"
#include "check.h"
#include "ir/text/text.h"

static const char text[] =
    "func.func @main(%x: tensor<300xf32>, %k: tensor<300xi32>) -> (tensor<300xf32>, tensor<300xf32>) {\n"
    "  %0 = stablehlo.tanh %x : tensor<300xf32>\n"
    "  %1 = chlo.lgamma %x : tensor<300xf32> -> tensor<300xf32>\n"
    "  %2 = stablehlo.constant dense<[0.5, 1.5, 2.5]> : tensor<3xf32>\n"
    "  %3 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<3xf32>) -> tensor<100x3xf32>\n"
    "  %4 = stablehlo.reshape %3 : (tensor<100x3xf32>) -> tensor<300xf32>\n"
    "  %5 = stablehlo.add %1, %4 : tensor<300xf32>\n"
    "  return %0, %5 : tensor<300xf32>, tensor<300xf32>\n}\n";

typedef struct fixture {
  ten_module *module;
  cpu_executable *executable;
  ten_cpu_target target;
  ten_buf code;
  void **addresses;
} fixture;

static void *is_llvm_here(void) { return dlopen("libLLVM.so.19.1", RTLD_LAZY | RTLD_NOLOAD); }

static int open_fixture(void **state) {
  fixture *f = calloc(1, sizeof *f);
  check_ok(ten_text_parse(text, sizeof text - 1, "program", &f->module));
  assert_null(is_llvm_here());
  check_ok(ten_cpu_target_host(&f->target));
  assert_non_null(is_llvm_here());
  const ten_op *func = ten_module_entry(f->module, (ten_str){0});
  check_ok(cpu_compile_whole(f->module, func, &(ten_settings){0}, &f->target, NULL, &f->executable, &f->code));
  f->addresses = calloc(f->executable->exec.program.symbol_count + 1, sizeof *f->addresses);
  *state = f;
  return 0;
}

static int close_fixture(void **state) {
  fixture *f = *state;
  cpu_destroy(&f->executable->base);
  ten_cpu_target_free(&f->target);
  ten_buf_free(&f->code);
  ten_module_destroy(f->module);
  free(f->addresses);
  free(f);
  return 0;
}

static bool loads(const fixture *f, const char *object, size_t size) {
  ten_loaded *loaded = NULL;
  ten_status *status = ten_loaded_create(object, size, f->executable->exec.program.symbol_count, f->addresses, &loaded);
  ten_loaded_destroy(loaded);
  ten_status_free(status);
  return loaded != NULL;
}

static void test_loads(void **state) {
  const fixture *f = *state;
  assert_true(f->executable->exec.program.symbol_count > 0);
  assert_true(loads(f, f->code.data, f->code.size));
  for (uint32_t i = 0; i < f->executable->exec.program.symbol_count; i++) assert_non_null(f->addresses[i]);
}

static void test_cut_short(void **state) {
  const fixture *f = *state;
  for (size_t size = 0; size < f->code.size; size += 7) {
    char *object = malloc(size + 1); /* of its own, for sanitizers to watch its end */
    memcpy(object, f->code.data, size);
    assert_false(loads(f, object, size));
    free(object);
  }
}

static void test_damaged(void **state) {
  const fixture *f = *state;
  char *object = malloc(f->code.size);
  memcpy(object, f->code.data, f->code.size);
  size_t refused = 0;
  for (size_t i = 0; i < f->code.size; i++) {
    object[i] = (char)~object[i];
    refused += !loads(f, object, f->code.size);
    object[i] = (char)~object[i];
  }
  assert_true(refused > 100);
  assert_true(loads(f, object, f->code.size));
  free(object);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_loads), cmocka_unit_test(test_cut_short),
                                     cmocka_unit_test(test_damaged)};
  return cmocka_run_group_tests(tests, open_fixture, close_fixture);
}
