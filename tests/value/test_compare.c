#include <math.h>

#include "check.h"
#include "value/compare.h"

static ten_tensor *floats(size_t count, const float *values) {
  ten_tensor *tensor;
  check_ok(ten_tensor_create(TEN_F32, 1, (const int64_t[]){(int64_t)count}, &tensor));
  memcpy(tensor->data, values, count * sizeof *values);
  return tensor;
}

#define FLOATS(...) floats(sizeof((const float[]){__VA_ARGS__}) / sizeof(float), (const float[]){__VA_ARGS__})

static void equality(void **state) {
  (void)state;
  ten_tensor *a = FLOATS(1, 0.f, NAN, 3), *b = FLOATS(1, -0.f, NAN, 3), *c = FLOATS(1, 2, NAN, 4);
  check_ok(ten_compare_eq(a, b));
  check_error(ten_compare_eq(a, c), TEN_MISMATCH,
              "at [1]: got 0.000000e+00, want 2.000000e+00; 2 of 4 elements differ");
  ten_tensor *d = FLOATS(1);
  check_error(ten_compare_eq(a, d), TEN_MISMATCH, "got a value of type tensor<4xf32>, want tensor<1xf32>");
  ten_tensor_release(a);
  ten_tensor_release(b);
  ten_tensor_release(c);
  ten_tensor_release(d);
}

static void nearness(void **state) {
  (void)state;
  ten_tensor *a = FLOATS(1, INFINITY, NAN, 0), *b = FLOATS(1.00005f, INFINITY, NAN, 1e-5f),
             *c = FLOATS(1, -INFINITY, NAN, 0);
  check_ok(ten_compare_almost_eq(a, b, TEN_ALMOST_EQ_DEFAULT));
  check_error(ten_compare_almost_eq(a, c, 1e30), TEN_MISMATCH,
              "at [1]: got 0x7F800000, want 0xFF800000 (tolerance 1e+30, greatest difference inf)");
  ten_tensor_release(a);
  ten_tensor_release(b);
  ten_tensor_release(c);
}

static void steps(void **state) {
  (void)state;
  assert_int_equal(ten_ulp_difference(TEN_F32, 1, 1 + 3 * 0x1p-23), 3);
  assert_int_equal(ten_ulp_difference(TEN_F32, 0x1p-149, -0x1p-149), 2);
  assert_int_equal(ten_ulp_difference(TEN_F32, 0, -0.0), 0);
  assert_int_equal(ten_ulp_difference(TEN_BF16, 1, 1.0078125), 1);
  assert_int_equal(ten_ulp_difference(TEN_F64, NAN, NAN), 0);
  assert_true(ten_ulp_difference(TEN_F64, INFINITY, 1e308) == UINT64_MAX);
  ten_tensor *a = FLOATS(1, 2), *b = FLOATS(1, nextafterf(nextafterf(2, 3), 3));
  check_ok(ten_compare_close(a, b, 0, 2));
  check_error(ten_compare_close(a, b, 0, 1), TEN_MISMATCH,
              "at [1]: got 2.000000e+00, want 2.0000005 (2 ULP apart, 1 allowed)");
  check_error(ten_compare_close(a, b, 3, 5), TEN_MISMATCH,
              "at [0]: got 1.000000e+00, want 1.000000e+00 (0 ULP apart, wanted 3 to 5); 2 of 2 elements differ");
  ten_tensor_release(a);
  ten_tensor_release(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(equality), cmocka_unit_test(nearness), cmocka_unit_test(steps)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
