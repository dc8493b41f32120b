/* The vector functions of codegen/math.c, through compiled programs: every exponent of f32, both signs, and the
 * corners, against the C library in long double. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "ir/text/text.h"
#include "runtime/backend.h"
#include "runtime/compare.h"

enum { PER_EXPONENT = 96, COUNT = 2 * 255 * PER_EXPONENT + 8 };

static float sample(size_t i) {
  static const float corners[8] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1.0f, -1.0f, 0x1p-149f};
  if (i < 8) return corners[i];
  i -= 8;
  const uint32_t sign = (uint32_t)(i % 2) << 31, exponent = (uint32_t)(i / 2 % 255) << 23;
  const uint32_t mantissa = (uint32_t)(i / 510 * 2654435761u) & 0x7fffff;
  const uint32_t bits = sign | exponent | mantissa;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

typedef long double (*reference)(long double);

static long double logistic(long double x) { return 1 / (1 + expl(-x)); }
static long double rsqrt(long double x) { return 1 / sqrtl(x); }

static void check_function(const char *op, reference want, uint64_t most) {
  char text[512];
  snprintf(
      text, sizeof text,
      "func.func @main(%%x: tensor<%dxf32>) -> tensor<%dxf32> { %%0 = %s %%x : tensor<%dxf32>%s return %%0 : tensor<%dxf32> }",
      COUNT, COUNT, op, COUNT,
      strncmp(op, "chlo", 4) ? ""
                             : " -> tensor<"
                               "48968"
                               "xf32>",
      COUNT);
  ten_module *module;
  check_ok(ten_text_parse(text, strlen(text), "math", &module));
  ten_executable *executable;
  check_ok(ten_compile(ten_backend_find(TEN_STR("cpu")), module, ten_module_entry(module, (ten_str){0}), &executable));
  const int64_t dims[] = {COUNT};
  ten_tensor *x, *y;
  check_ok(ten_tensor_create(TEN_F32, 1, dims, &x));
  for (size_t i = 0; i < COUNT; i++) ((float *)x->data)[i] = sample(i);
  check_ok(ten_execute(executable, &x, 1, NULL, &y));
  uint64_t worst = 0;
  for (size_t i = 0; i < COUNT; i++) {
    const float in = ((float *)x->data)[i], got = ((float *)y->data)[i], right = (float)want((long double)in);
    if (isnan(got) && isnan(right)) continue;
    const uint64_t apart = ten_ulp_difference(TEN_F32, (double)got, (double)right);
    if (apart > worst) worst = apart;
    if (apart > most)
      fail_msg("%s(%.9g) is %.9g, not %.9g: %llu ulp", op, (double)in, (double)got, (double)right,
               (unsigned long long)apart);
  }
  ten_tensor_release(x);
  ten_tensor_release(y);
  ten_executable_destroy(executable);
  ten_module_destroy(module);
}

static void test_exponential(void **state) { (void)state, check_function("stablehlo.exponential", expl, 2); }
static void test_expm1(void **state) { (void)state, check_function("stablehlo.exponential_minus_one", expm1l, 2); }
static void test_log(void **state) { (void)state, check_function("stablehlo.log", logl, 2); }
static void test_log1p(void **state) { (void)state, check_function("stablehlo.log_plus_one", log1pl, 2); }
static void test_tanh(void **state) { (void)state, check_function("stablehlo.tanh", tanhl, 2); }
static void test_logistic(void **state) { (void)state, check_function("stablehlo.logistic", logistic, 2); }
static void test_rsqrt(void **state) { (void)state, check_function("stablehlo.rsqrt", rsqrt, 2); }
static void test_erf(void **state) { (void)state, check_function("chlo.erf", erfl, 2); }
static void test_erfc(void **state) { (void)state, check_function("chlo.erfc", erfcl, 2); }

int main(void) {
  _Static_assert(COUNT == 48968, "the type that chlo's text needs");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_exponential), cmocka_unit_test(test_expm1), cmocka_unit_test(test_log),
      cmocka_unit_test(test_log1p),       cmocka_unit_test(test_tanh),  cmocka_unit_test(test_logistic),
      cmocka_unit_test(test_rsqrt),       cmocka_unit_test(test_erf),   cmocka_unit_test(test_erfc)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
