/* Code that the sizes of a program share, as bytes and in the cache: found again by what did not generate it, bounded
 * however much was generated, and each program's own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/cache.h"
#include "backend/cpu/codegen/variants.h"
#include "backend/shared.h"
#include "check.h"
#include "driver/devices.h"
#include "ir/text/text.h"

/* A chain of `ops` ops, which no other chain shares code with, on `n` elements; whether code was generated for it. */
static bool compiles(ten_shared *shared, int ops, int64_t n, const ten_hash128 *key, bool *out_found) {
  const ten_backend *cpu = ten_backend_find(TEN_STR("cpu"));
  ten_buf text = {0};
  ten_buf_printf(&text, "func.func @main(%%0: tensor<%lldxf32>) -> tensor<%lldxf32> {\n", (long long)n, (long long)n);
  for (int i = 0; i < ops; i++)
    ten_buf_printf(&text, "  %%%d = stablehlo.%s %%%d : tensor<%lldxf32>\n", i + 1, i % 2 ? "sine" : "tanh", i,
                   (long long)n);
  ten_buf_printf(&text, "  return %%%d : tensor<%lldxf32>\n}\n", ops, (long long)n);
  ten_module *module;
  check_ok(ten_text_parse(text.data, text.size, "chain", &module));
  ten_buf_free(&text);
  const ten_settings settings = {.shared = shared, .open_sizes = &n, .open_count = 1};
  if (key) check_ok(cpu->recall(cpu, &settings, *key, out_found));
  const uint64_t before = ten_shared_count(shared).compilations;
  ten_executable *made;
  check_ok(ten_compile(cpu, module, ten_module_entry(module, TEN_STR("main")), &settings, &made));
  ten_tensor *x, *y;
  check_ok(ten_tensor_create(TEN_F32, 1, &n, &x));
  for (int64_t i = 0; i < n; i++) ((float *)x->data)[i] = 0;
  check_ok(ten_execute(made, &x, 1, NULL, &y));
  assert_float_equal(((const float *)y->data)[n - 1], 0, 1e-6);
  ten_tensor_release(x);
  ten_tensor_release(y);
  ten_executable_release(made);
  ten_module_destroy(module);
  return ten_shared_count(shared).compilations > before;
}

static ten_shared *read_back(const ten_buf *code) {
  const ten_backend *cpu = ten_backend_find(TEN_STR("cpu"));
  char *data = aligned_alloc(64, (code->size / 64 + 1) * 64);
  assert_non_null(data);
  memcpy(data, code->data, code->size);
  ten_shared *shared = ten_shared_create();
  check_ok(cpu->load_code(cpu, data, code->size, shared));
  free(data);
  return shared;
}

static void test_what_was_used_last_is_written(void **state) {
  (void)state;
  enum { MOST = CPU_VARIANTS_CODES_MOST, CHAINS = MOST + 4 };
  const ten_backend *cpu = ten_backend_find(TEN_STR("cpu"));
  ten_shared *shared = ten_shared_create();
  shared->keep_code = true;
  assert_true(compiles(shared, 1, 100, NULL, NULL)); /* for its size alone */
  for (int i = 1; i <= CHAINS; i++) {
    assert_true(compiles(shared, i, 200, NULL, NULL));
    assert_false(compiles(shared, i, 300, NULL, NULL));
  }
  assert_false(compiles(shared, 2, 500, NULL, NULL));
  ten_buf code = {0};
  check_ok(cpu->save_code(cpu, shared, &code));
  ten_shared_release(shared);
  shared = read_back(&code);
  ten_buf_free(&code);
  assert_false(compiles(shared, 2, 600, NULL, NULL)); /* used just before it was written */
  for (int i = CHAINS; i > CHAINS - MOST + 1; i--) assert_false(compiles(shared, i, 600, NULL, NULL));
  assert_true(compiles(shared, 3, 600, NULL, NULL));
  ten_shared_release(shared);
}

static void test_records(void **state) {
  (void)state;
  char dir[] = "/tmp/tenfold-sizes-XXXXXX";
  assert_non_null(mkdtemp(dir));
  setenv("TENFOLD_CACHE_DIR", dir, 1);
  setenv("TENFOLD_CACHE", "on", 1);
  const ten_hash128 key = {1, 2}, other = {1, 3};
  bool found;
  ten_shared *first = ten_shared_create();
  assert_true(compiles(first, 3, 100, &key, &found));
  assert_false(found);
  assert_true(compiles(first, 3, 200, NULL, NULL)); /* code for all sizes: it is stored */
  ten_shared_release(first);
  ten_shared *later = ten_shared_create();
  assert_false(compiles(later, 3, 70, &key, &found));
  assert_true(found);
  assert_true(compiles(later, 5, 70, NULL, NULL)); /* is added to the record */
  ten_shared_release(later);
  later = ten_shared_create();
  assert_false(compiles(later, 5, 70, &key, &found));
  assert_false(compiles(later, 3, 90, NULL, NULL));
  ten_shared_release(later);
  later = ten_shared_create();
  assert_true(compiles(later, 3, 70, &other, &found));
  assert_false(found);
  ten_shared_release(later);
  size_t removed;
  check_ok(ten_cache_clear(&removed));
  assert_true(removed > 0);
  assert_int_equal(rmdir(dir), 0);
  setenv("TENFOLD_CACHE", "off", 1);
  later = ten_shared_create();
  assert_true(compiles(later, 3, 70, &key, &found));
  assert_false(found || later->keep_code);
  ten_shared_release(later);
}

int main(void) {
  setenv("TENFOLD_CACHE", "off", 1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_was_used_last_is_written),
                                     cmocka_unit_test(test_records)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
