/* compare.c: equality, tolerance and ULP distance of tensors, with a message that describes the difference. */
#include "value/compare.h"

#include <math.h>
#include <stdio.h>

#include "base/float.h"

static ten_status *same_type(const ten_tensor *got, const ten_tensor *want) {
  if (got->kind == TEN_VALUE_TENSOR && want->kind == TEN_VALUE_TENSOR && got->dtype == want->dtype &&
      ten_tensor_same_shape(got, want))
    return NULL;
  ten_buf a = {0}, b = {0};
  ten_tensor_print_type(&a, got);
  ten_tensor_print_type(&b, want);
  ten_status *status = ten_error(TEN_MISMATCH, "got a value of type %s, want %s", a.data, b.data);
  ten_buf_free(&a);
  ten_buf_free(&b);
  return status;
}

typedef struct difference {
  size_t first, count;
} difference;

static ten_status *report(const ten_tensor *got, const ten_tensor *want, difference found, const char *rule) {
  if (!found.count) return NULL;
  ten_buf text = {0};
  ten_buf_adds(&text, "at ");
  ten_tensor_print_index(&text, got, found.first);
  ten_buf_adds(&text, ": got ");
  ten_tensor_print_element(&text, got, found.first);
  ten_buf_adds(&text, ", want ");
  ten_tensor_print_element(&text, want, found.first);
  if (rule[0]) ten_buf_printf(&text, " (%s)", rule);
  if (found.count > 1) ten_buf_printf(&text, "; %zu of %zu elements differ", found.count, got->count);
  ten_status *status = ten_error(TEN_MISMATCH, "%s", text.data);
  ten_buf_free(&text);
  return status;
}

static bool is_integral(ten_dtype dtype) { return dtype == TEN_I1 || ten_dtype_is_int(dtype); }
static unsigned parts_of(ten_dtype dtype) { return ten_dtype_is_complex(dtype) ? 2 : 1; }

ten_status *ten_compare_eq(const ten_tensor *got, const ten_tensor *want) {
  TEN_TRY(same_type(got, want));
  difference found = {0};
  const bool integral = is_integral(got->dtype);
  const unsigned parts = parts_of(got->dtype);
  for (size_t i = 0; i < got->count; i++) {
    bool same = true;
    if (integral) {
      same = ten_tensor_int(got, i) == ten_tensor_int(want, i);
    } else {
      for (unsigned part = 0; part < parts; part++) {
        const double a = ten_tensor_real(got, i, part), b = ten_tensor_real(want, i, part);
        same = same && (a == b || (isnan(a) && isnan(b)));
      }
    }
    if (!same && found.count++ == 0) found.first = i;
  }
  return report(got, want, found, "");
}

ten_status *ten_compare_almost_eq(const ten_tensor *got, const ten_tensor *want, double tolerance) {
  if (is_integral(got->dtype)) return ten_compare_eq(got, want);
  TEN_TRY(same_type(got, want));
  difference found = {0};
  double worst = 0;
  const unsigned parts = parts_of(got->dtype);
  for (size_t i = 0; i < got->count; i++) {
    bool same = true;
    for (unsigned part = 0; part < parts; part++) {
      const double a = ten_tensor_real(got, i, part), b = ten_tensor_real(want, i, part);
      if (a == b || (isnan(a) && isnan(b)) || (isfinite(a) && isfinite(b) && fabs(a - b) <= tolerance)) continue;
      same = false;
      if (fabs(a - b) > worst) worst = fabs(a - b);
    }
    if (!same && found.count++ == 0) found.first = i;
  }
  char rule[96];
  snprintf(rule, sizeof rule, "tolerance %g, greatest difference %g", tolerance, worst);
  return report(got, want, found, rule);
}

uint64_t ten_ulp_difference(ten_dtype dtype, double a, double b) {
  if (isnan(a) && isnan(b)) return 0;
  uint64_t bits[2] = {0, 0};
  ten_float_encode(dtype, fabs(a), &bits[0]);
  ten_float_encode(dtype, fabs(b), &bits[1]);
  if (!isfinite(a) || !isfinite(b)) return a == b ? 0 : UINT64_MAX;
  if (!signbit(a) != !signbit(b)) return bits[0] + bits[1];
  return bits[0] > bits[1] ? bits[0] - bits[1] : bits[1] - bits[0];
}

ten_status *ten_compare_close(const ten_tensor *got, const ten_tensor *want, uint64_t min_ulp, uint64_t max_ulp) {
  if (is_integral(got->dtype)) return ten_compare_eq(got, want);
  TEN_TRY(same_type(got, want));
  difference found = {0};
  uint64_t first = 0, worst = 0;
  const unsigned parts = parts_of(got->dtype);
  const ten_dtype dtype = ten_dtype_part(got->dtype);
  for (size_t i = 0; i < got->count; i++) {
    uint64_t steps = 0;
    for (unsigned part = 0; part < parts; part++) {
      const uint64_t here = ten_ulp_difference(dtype, ten_tensor_real(got, i, part), ten_tensor_real(want, i, part));
      if (here > steps) steps = here;
    }
    if (steps >= min_ulp && steps <= max_ulp) continue;
    if (found.count++ == 0) found.first = i, first = steps;
    if (steps > worst) worst = steps;
  }
  char rule[160];
  if (first == UINT64_MAX)
    snprintf(rule, sizeof rule, "one of them is not finite");
  else if (min_ulp)
    snprintf(rule, sizeof rule, "%llu ULP apart, wanted %llu to %llu", (unsigned long long)first,
             (unsigned long long)min_ulp, (unsigned long long)max_ulp);
  else if (worst == UINT64_MAX || worst == first)
    snprintf(rule, sizeof rule, "%llu ULP apart, %llu allowed", (unsigned long long)first, (unsigned long long)max_ulp);
  else
    snprintf(rule, sizeof rule, "%llu ULP apart, %llu allowed, at worst %llu", (unsigned long long)first,
             (unsigned long long)max_ulp, (unsigned long long)worst);
  return report(got, want, found, rule);
}
