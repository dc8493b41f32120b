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

/* As far from the place by real numbers as steps in 1024ths of a pixel allow, and inside of the image. */
static void test_places_between_pixels(void **state) {
  (void)state;
  static const int64_t sizes[][2] = {{1, 1}, {1, 7}, {7, 14}, {7, 13}, {14, 7}, {31, 5}, {65, 513}, {5, 1}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    const int64_t in = sizes[i][0], out = sizes[i][1];
    for (int corners = 0; corners < 2; corners++) {
      assert_true(edge_linear_fits(in, out, corners));
      for (int64_t to = 0; to < out; to++) {
        const edge_place place = edge_linear_place(to, in, out, corners);
        assert_in_range(place.low, 0, in - 1);
        assert_in_range(place.high, place.low, place.low + 1 < in ? place.low + 1 : in - 1);
        double wanted = ((double)to + 0.5) * (double)in / (double)out - 0.5;
        if (corners && out > 1) wanted = (double)(to * (in - 1)) / (double)(out - 1);
        if (corners && out == 1) wanted = 0;
        wanted = fmin(fmax(wanted, 0), (double)(in - 1));
        const double got = place.low + (place.high - place.low) * place.part / 1024.0;
        assert_true(fabs(got - wanted) <= fmin((0.5 * (double)out + 1) / 1024, 0.25));
      }
    }
  }
  assert_false(edge_linear_fits(2, 3000, false));
  assert_false(edge_linear_fits(2, 3000, true));
  assert_false(edge_linear_fits(0, 3, false));
  assert_false(edge_linear_fits(1 << 20, (INT64_C(1) << 20) + 1, false));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_factors_stand_for_their_number),
                                     cmocka_unit_test(test_factors_at_the_ends),
                                     cmocka_unit_test(test_places_between_pixels),
                                     cmocka_unit_test(test_ranges_hold_zero), cmocka_unit_test(test_activations)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
