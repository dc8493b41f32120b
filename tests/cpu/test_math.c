/* The vector functions of codegen/math.c, through compiled programs: every exponent of f32, both signs, and the
 * corners, against the C library in long double. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "driver/devices.h"
#include "ir/text/text.h"
#include "value/compare.h"

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

static void check_program(const char *text, const char *op, reference want, uint64_t most);

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
  check_program(text, op, want, most);
}

static void check_text(const char *op, const char *result, reference want, uint64_t most) {
  char text[512];
  snprintf(
      text, sizeof text,
      "func.func @main(%%x: tensor<%dxf32>) -> tensor<%dxf32> { %%0 = %s : tensor<%dxf32> return %s : tensor<%dxf32> }",
      COUNT, COUNT, op, COUNT, result, COUNT);
  check_program(text, op, want, most);
}

static void check_program(const char *text, const char *op, reference want, uint64_t most) {
  ten_module *module;
  check_ok(ten_text_parse(text, strlen(text), "math", &module));
  ten_executable *executable;
  check_ok(
      ten_compile(ten_backend_find(TEN_STR("cpu")), module, ten_module_entry(module, (ten_str){0}), NULL, &executable));
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
  ten_executable_release(executable);
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

static void test_sine(void **state) { (void)state, check_function("stablehlo.sine", sinl, 2); }
static void test_cosine(void **state) { (void)state, check_function("stablehlo.cosine", cosl, 2); }
static void test_tan(void **state) { (void)state, check_function("stablehlo.tan", tanl, 2); }
static void test_cbrt(void **state) { (void)state, check_function("stablehlo.cbrt", cbrtl, 2); }
static void test_atan(void **state) { (void)state, check_function("chlo.atan", atanl, 2); }
static void test_asin(void **state) { (void)state, check_function("chlo.asin", asinl, 2); }
static void test_acos(void **state) { (void)state, check_function("chlo.acos", acosl, 2); }
static void test_sinh(void **state) { (void)state, check_function("chlo.sinh", sinhl, 2); }
static void test_cosh(void **state) { (void)state, check_function("chlo.cosh", coshl, 2); }
static void test_asinh(void **state) { (void)state, check_function("chlo.asinh", asinhl, 2); }
static void test_acosh(void **state) { (void)state, check_function("chlo.acosh", acoshl, 2); }
static void test_atanh(void **state) { (void)state, check_function("chlo.atanh", atanhl, 2); }

/* Pairs: the second is another sample, a small whole number, or a number near one, in turn. */
static float partner(size_t i) {
  switch (i % 3) {
    case 0: return sample((i * 7919 + 13) % COUNT);
    case 1: return (float)(int)(i / 3 % 41) - 20.0f;
    default: return ((float)(i / 3 % 4001) - 2000.0f) / 1000.0f;
  }
}

static void check_pairs(const char *op, long double (*want)(long double, long double), uint64_t most) {
  char text[512];
  snprintf(
      text, sizeof text,
      "func.func @main(%%x: tensor<%dxf32>, %%y: tensor<%dxf32>) -> tensor<%dxf32> { %%0 = %s %%x, %%y : tensor<%dxf32> "
      "return %%0 : tensor<%dxf32> }",
      COUNT, COUNT, COUNT, op, COUNT, COUNT);
  ten_module *module;
  check_ok(ten_text_parse(text, strlen(text), "math", &module));
  ten_executable *executable;
  check_ok(
      ten_compile(ten_backend_find(TEN_STR("cpu")), module, ten_module_entry(module, (ten_str){0}), NULL, &executable));
  const int64_t dims[] = {COUNT};
  ten_tensor *in[2], *out;
  for (int k = 0; k < 2; k++) check_ok(ten_tensor_create(TEN_F32, 1, dims, &in[k]));
  float *x = in[0]->data, *y = in[1]->data;
  for (size_t i = 0; i < COUNT; i++) x[i] = i % 5 ? sample(i) : partner(i + 2), y[i] = partner(i);
  static const float corners[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1.0f, -1.0f, 0.5f, -3.0f, 2.0f};
  for (size_t i = 0; i < 100; i++) x[i] = corners[i / 10], y[i] = corners[i % 10];
  check_ok(ten_execute(executable, in, 2, NULL, &out));
  for (size_t i = 0; i < COUNT; i++) {
    const float got = ((float *)out->data)[i], right = (float)want((long double)x[i], (long double)y[i]);
    if (isnan(got) && isnan(right)) continue;
    const uint64_t apart = ten_ulp_difference(TEN_F32, (double)got, (double)right);
    if (apart > most)
      fail_msg("%s(%.9g, %.9g) is %.9g, not %.9g: %llu ulp", op, (double)x[i], (double)y[i], (double)got, (double)right,
               (unsigned long long)apart);
  }
  for (int k = 0; k < 2; k++) ten_tensor_release(in[k]);
  ten_tensor_release(out);
  ten_executable_release(executable);
  ten_module_destroy(module);
}

static void test_power(void **state) { (void)state, check_pairs("stablehlo.power", powl, 2); }
/* Powers by a constant, which are products. */
static long double square(long double x) { return x * x; }
static long double cube(long double x) { return x * x * x; }
static long double inverse(long double x) { return 1 / x; }
static void test_constant_powers(void **state) {
  (void)state;
  static const char text[] = "stablehlo.constant dense<%s> : tensor<48968xf32> %%1 = stablehlo.power %%x, %%0";
  const struct {
    const char *power;
    reference want;
  } cases[] = {{"2.0", square}, {"3.0", cube}, {"-1.0", inverse}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char op[256];
    snprintf(op, sizeof op, text, cases[i].power);
    check_text(op, "%1", cases[i].want, 2);
  }
}
static void test_atan2(void **state) { (void)state, check_pairs("stablehlo.atan2", atan2l, 2); }

/* gelu and its derivative, whose error function and exponential are of one form: to 2e-7, or of what is larger than one
 * to that part of it, and far below zero, where both are small, still to some digits. */
static void check_gelu(const char *result, bool derivative) {
  char text[2048];
  snprintf(
      text, sizeof text,
      "func.func @main(%%x: tensor<48968xf32>) -> tensor<48968xf32> {"
      " %%c = stablehlo.constant dense<0.707106769> : tensor<48968xf32>"
      " %%one = stablehlo.constant dense<1.0> : tensor<48968xf32>"
      " %%h = stablehlo.constant dense<0.5> : tensor<48968xf32>"
      " %%k = stablehlo.constant dense<0.398942292> : tensor<48968xf32>"
      " %%z = stablehlo.multiply %%x, %%c : tensor<48968xf32>"
      " %%e = chlo.erf %%z : tensor<48968xf32> -> tensor<48968xf32>"
      " %%p = stablehlo.add %%e, %%one : tensor<48968xf32> %%hp = stablehlo.multiply %%p, %%h : tensor<48968xf32>"
      " %%y = stablehlo.multiply %%x, %%hp : tensor<48968xf32>"
      " %%zz = stablehlo.multiply %%z, %%z : tensor<48968xf32> %%n = stablehlo.negate %%zz : tensor<48968xf32>"
      " %%s = stablehlo.exponential %%n : tensor<48968xf32> %%ks = stablehlo.multiply %%k, %%s : tensor<48968xf32>"
      " %%xs = stablehlo.multiply %%x, %%ks : tensor<48968xf32> %%d = stablehlo.add %%hp, %%xs : tensor<48968xf32>"
      " %%nx = stablehlo.negate %%x : tensor<48968xf32> %%nz = stablehlo.multiply %%nx, %%c : tensor<48968xf32>"
      " %%q = chlo.erfc %%nz : tensor<48968xf32> -> tensor<48968xf32>"
      " %%hx = stablehlo.multiply %%x, %%h : tensor<48968xf32> %%j = stablehlo.multiply %%hx, %%q : tensor<48968xf32>"
      " return %s : tensor<48968xf32> }",
      result);
  ten_module *module;
  check_ok(ten_text_parse(text, strlen(text), "gelu", &module));
  ten_executable *executable;
  check_ok(
      ten_compile(ten_backend_find(TEN_STR("cpu")), module, ten_module_entry(module, (ten_str){0}), NULL, &executable));
  const int64_t dims[] = {COUNT};
  ten_tensor *x, *out;
  check_ok(ten_tensor_create(TEN_F32, 1, dims, &x));
  for (int i = 0; i < COUNT; i++) ((float *)x->data)[i] = (float)(i - COUNT / 2) * (14.0f * 2 / (float)COUNT);
  ((float *)x->data)[0] = -INFINITY, ((float *)x->data)[1] = INFINITY, ((float *)x->data)[2] = NAN;
  check_ok(ten_execute(executable, &x, 1, NULL, &out));
  const float *at = out->data; /* -inf times 0 is NaN; the derivative at infinity is, too */
  assert_true(isnan(at[0]) && isnan(at[2]) && (derivative || at[1] == INFINITY));
  for (size_t i = 3; i < COUNT; i++) {
    const long double in = (long double)((float *)x->data)[i], below = erfcl(-in * sqrtl(0.5L)) / 2;
    const long double want = derivative ? below + in * expl(-in * in / 2) * 0.39894228040143267794L : in * below;
    const double got = (double)((float *)out->data)[i], size = fabs((double)want);
    const double most = in < -5 ? 1e-4 * size + 1e-30 : size > 1 ? 2e-7 * size : 2e-7;
    if (!(fabs(got - (double)want) <= most))
      fail_msg("%s of %.9g is %.9g, not %.9g", result, (double)in, got, (double)want);
  }
  ten_tensor_release(out);
  ten_tensor_release(x);
  ten_executable_release(executable);
  ten_module_destroy(module);
}
static void test_gelu(void **state) {
  (void)state;
  check_gelu("%y", false);
  check_gelu("%d", true);
  check_gelu("%j", false);
}

int main(void) {
  _Static_assert(COUNT == 48968, "the type that chlo's text needs");
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_exponential),
                                     cmocka_unit_test(test_expm1),
                                     cmocka_unit_test(test_log),
                                     cmocka_unit_test(test_log1p),
                                     cmocka_unit_test(test_tanh),
                                     cmocka_unit_test(test_logistic),
                                     cmocka_unit_test(test_rsqrt),
                                     cmocka_unit_test(test_erf),
                                     cmocka_unit_test(test_erfc),
                                     cmocka_unit_test(test_sine),
                                     cmocka_unit_test(test_cosine),
                                     cmocka_unit_test(test_tan),
                                     cmocka_unit_test(test_cbrt),
                                     cmocka_unit_test(test_atan),
                                     cmocka_unit_test(test_asin),
                                     cmocka_unit_test(test_acos),
                                     cmocka_unit_test(test_sinh),
                                     cmocka_unit_test(test_cosh),
                                     cmocka_unit_test(test_asinh),
                                     cmocka_unit_test(test_acosh),
                                     cmocka_unit_test(test_atanh),
                                     cmocka_unit_test(test_power),
                                     cmocka_unit_test(test_constant_powers),
                                     cmocka_unit_test(test_atan2),
                                     cmocka_unit_test(test_gelu)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
