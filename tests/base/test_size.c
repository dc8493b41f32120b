/* test_size.c: arithmetic that says when the true result does not fit, and then leaves the output alone. */
#include "base/size.h"
#include "check.h"

static void unsigned_arithmetic(void **state) {
  (void)state;
  size_t out = 77;
  assert_true(ten_mul(1 << 20, 1 << 20, &out));
  assert_int_equal(out, (size_t)1 << 40);
  assert_false(ten_mul(SIZE_MAX, 2, &out));
  assert_int_equal(out, (size_t)1 << 40);
  assert_true(ten_add(SIZE_MAX - 1, 1, &out));
  assert_true(out == SIZE_MAX);
  assert_false(ten_add(SIZE_MAX, 1, &out));
  assert_true(out == SIZE_MAX);
  assert_true(ten_mul(0, SIZE_MAX, &out));
  assert_int_equal(out, 0);
}

static void signed_arithmetic(void **state) {
  (void)state;
  int64_t out = 5;
  assert_false(ten_mul_i64(INT64_MIN, -1, &out));
  assert_false(ten_add_i64(INT64_MAX, 1, &out));
  assert_false(ten_sub_i64(INT64_MIN, 1, &out));
  assert_int_equal(out, 5);
  assert_true(ten_mul_i64(INT64_MIN, 1, &out));
  assert_true(out == INT64_MIN);
  assert_true(ten_add_i64(INT64_MIN, INT64_MAX, &out));
  assert_int_equal(out, -1);
  assert_true(ten_sub_i64(-1, INT64_MAX, &out));
  assert_true(out == INT64_MIN);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(unsigned_arithmetic), cmocka_unit_test(signed_arithmetic)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
