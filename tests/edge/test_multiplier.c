/* Fixed-point factors and ranges, by their definition. */
#include "check.h"

#include <math.h>

#include "edge/multiplier.h"

static void test_factors_stand_for_their_number(void **state) {
  (void)state;
  for (double real = 1e-9; real < 1e6; real *= 1.37) {
    const edge_factor factor = edge_factor_of(real);
    const double again = ldexp(factor.multiplier, factor.shift - 31);
    assert_true(fabs(again - real) <= real * ldexp(1, -30));
    assert_true(factor.multiplier >= 1 << 30);
  }
}

static void test_factors_at_the_ends(void **state) {
  (void)state;
  assert_int_equal(edge_factor_of(0).multiplier, 0);
  assert_int_equal(edge_factor_of(-1).multiplier, 0);
  assert_int_equal(edge_factor_of(NAN).multiplier, 0);
  assert_int_equal(edge_factor_of(1e-12).multiplier, 0); /* below 2^-31: nothing is left of it */
  assert_int_equal(edge_factor_of(1e30).multiplier, INT32_MAX);
  assert_int_equal(edge_factor_of(1e30).shift, 30);
  assert_int_equal(edge_factor_of(1 - 1e-16).multiplier, 1 << 30); /* rounds up to 1 */
  assert_int_equal(edge_factor_of(1 - 1e-16).shift, 1);
}

static void test_ranges_hold_zero(void **state) {
  (void)state;
  const float ranges[][2] = {{0, 6}, {-1, 1}, {2, 3}, {-5, -4}, {0, 0}, {-1e-30f, 1e-30f}, {-3e38f, 3e38f}};
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
    float scale;
    int32_t zero;
    edge_range_scale(ranges[i][0], ranges[i][1], &scale, &zero);
    assert_true(scale > 0 && isfinite(scale));
    assert_in_range(zero + 128, 0, 255);
    const double low = fmin(0, (double)ranges[i][0]), high = fmax(0, (double)ranges[i][1]);
    if (high - low < 1e-9) continue;
    assert_true((-128 - zero) * (double)scale <= low + (double)scale &&
                (127 - zero) * (double)scale >= high - (double)scale);
  }
}

static void test_activations(void **state) {
  (void)state;
  const float scale = 0.05f;
  const edge_tensor t = {.scales = &scale, .zero_point = -100};
  int32_t low, high;
  edge_activation_range(&t, EDGE_LINEAR, &low, &high);
  assert_int_equal(low, -128);
  edge_activation_range(&t, EDGE_ACT_RELU, &low, &high);
  assert_int_equal(low, -100);
  assert_int_equal(high, 127);
  edge_activation_range(&t, EDGE_ACT_RELU6, &low, &high);
  assert_int_equal(high, 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_factors_stand_for_their_number),
                                     cmocka_unit_test(test_factors_at_the_ends),
                                     cmocka_unit_test(test_ranges_hold_zero), cmocka_unit_test(test_activations)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
