/* test_special.c: special functions against a table of their values (special_values.py), on the interpreter and
 * compiled. Both call the same code, so neither can be the other's reference. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "driver/devices.h"
#include "ir/text/text.h"
#include "value/compare.h"

typedef struct special_value {
  const char *name;
  double x, y, wide, narrow;
} special_value;

static const special_value values[] = {
#include "special_values.inc"
};
enum { VALUES = sizeof values / sizeof *values };

typedef struct run {
  const char *name;
  size_t first, count;
  uint32_t operands;
} run;

static ten_tensor *operand(const run *r, ten_dtype dtype, uint32_t which) {
  ten_tensor *x;
  const int64_t count = (int64_t)r->count;
  check_ok(ten_tensor_create(dtype, 1, &count, &x));
  for (size_t i = 0; i < r->count; i++) {
    const double value = which ? values[r->first + i].y : values[r->first + i].x;
    if (dtype == TEN_F32)
      ((float *)x->data)[i] = (float)value;
    else
      ((double *)x->data)[i] = value;
  }
  return x;
}

static void check_run(const run *r, ten_dtype dtype, const char *device) {
  char type[32], text[512];
  snprintf(type, sizeof type, "tensor<%zux%s>", r->count, ten_dtype_name(dtype));
  snprintf(text, sizeof text,
           r->operands == 1 ? "func.func @main(%%x: %s) -> %s { %%0 = chlo.%s %%x : %s -> %s return %%0 : %s }"
                            : "func.func @main(%%x: %s, %%y: %s) -> %s { %%0 = chlo.%s %%x, %%y : %s, %s -> %s return "
                              "%%0 : %s }",
           type, type, r->operands == 1 ? r->name : type, r->operands == 1 ? type : r->name, type, type, type, type);
  ten_module *module;
  check_ok(ten_text_parse(text, strlen(text), "special", &module));
  ten_executable *executable;
  check_ok(ten_compile(ten_backend_find(ten_str_of(device)), module, ten_module_entry(module, (ten_str){0}), NULL,
                       &executable));
  ten_tensor *in[2] = {operand(r, dtype, 0), r->operands > 1 ? operand(r, dtype, 1) : NULL}, *out;
  check_ok(ten_execute(executable, in, r->operands, NULL, &out));
  for (size_t i = 0; i < r->count; i++) {
    const special_value *v = &values[r->first + i];
    const double want = dtype == TEN_F32 ? v->narrow : v->wide, got = ten_tensor_real(out, i, 0);
    if (isnan(want) && isnan(got)) continue;
    if (want != got)
      fail_msg("%s(%.17g, %.17g) in %s on %s is %.17g (%a), not %.17g (%a)", r->name, v->x, v->y, ten_dtype_name(dtype),
               device, got, got, want, want);
  }
  for (uint32_t k = 0; k < r->operands; k++) ten_tensor_release(in[k]);
  ten_tensor_release(out);
  ten_executable_release(executable);
  ten_module_destroy(module);
}

static void check_function(const char *name, uint32_t operands) {
  run r = {name, 0, 0, operands};
  while (r.first < VALUES && strcmp(values[r.first].name, name)) r.first++;
  while (r.first + r.count < VALUES && !strcmp(values[r.first + r.count].name, name)) r.count++;
  assert_true(r.count > 30);
  check_run(&r, TEN_F64, "interp");
  check_run(&r, TEN_F32, "interp");
  check_run(&r, TEN_F64, "cpu");
  check_run(&r, TEN_F32, "cpu");
}

static void test_digamma(void **state) { (void)state, check_function("digamma", 1); }
static void test_lgamma(void **state) { (void)state, check_function("lgamma", 1); }
static void test_erf_inv(void **state) { (void)state, check_function("erf_inv", 1); }
static void test_bessel_i1e(void **state) { (void)state, check_function("bessel_i1e", 1); }
static void test_zeta(void **state) { (void)state, check_function("zeta", 2); }
static void test_polygamma(void **state) { (void)state, check_function("polygamma", 2); }

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_digamma), cmocka_unit_test(test_lgamma),
                                     cmocka_unit_test(test_erf_inv), cmocka_unit_test(test_bessel_i1e),
                                     cmocka_unit_test(test_zeta),    cmocka_unit_test(test_polygamma)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
