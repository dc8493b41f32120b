/* symbols.c: functions that generated code calls by name (the linker also resolves them), and their addresses: complex
 * functions, special functions, narrow floats, and the C library's elementary functions. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "backend/cpu/rt/rt.h"
#include "base/float.h"
#include "base/quad.h"

#define T float
#define W double
#define WC _Complex double
#define M(f) f
#define RT(f) ten_rt_c64_##f
#include "backend/cpu/rt/complex_template.h"
#undef T
#undef W
#undef WC
#undef M
#undef RT

#define T double
#define W quad
#define WC quad_complex
#define M(f) Q(f)
#define RT(f) ten_rt_c128_##f
#include "backend/cpu/rt/complex_template.h"
#undef T
#undef W
#undef WC
#undef M
#undef RT

uint32_t ten_rt_float_encode(float value, int32_t dtype);
float ten_rt_float_decode(uint32_t bits, int32_t dtype);
float ten_rt_float_round(float value, int32_t dtype);
double ten_rt_next_after(double x, double y, int32_t dtype);

uint32_t ten_rt_float_encode(float value, int32_t dtype) {
  uint32_t bits = 0;
  ten_float_encode((ten_dtype)dtype, (double)value, &bits);
  return bits;
}
float ten_rt_float_decode(uint32_t bits, int32_t dtype) { return (float)ten_float_decode((ten_dtype)dtype, &bits); }
float ten_rt_float_round(float value, int32_t dtype) { return (float)ten_float_round((ten_dtype)dtype, (double)value); }

/* The next bit pattern of the type from x towards y. */
double ten_rt_next_after(double x, double y, int32_t dtype) {
  if (isnan(x) || isnan(y)) return (double)NAN;
  if (x == y) return y;
  uint64_t bits = 0;
  ten_float_encode((ten_dtype)dtype, x, &bits);
  const uint64_t sign = UINT64_C(1) << (ten_dtype_bits((ten_dtype)dtype) - 1);
  if (x == 0)
    bits = 1 | (y < 0 ? sign : 0);
  else
    bits += (x < y) == !(bits & sign) ? 1 : UINT64_MAX;
  return ten_float_decode((ten_dtype)dtype, &bits);
}

#define RUNTIME(op, name)                                                     \
  double ten_rt_f64_##name(double x);                                         \
  float ten_rt_f32_##name(float x);                                           \
  double ten_rt_f64_##name(double x) { return (double)quad_##name((quad)x); } \
  float ten_rt_f32_##name(float x) { return (float)quad_##name((quad)x); }
#include "backend/cpu/rt/functions.def"
#define SPECIAL2(name)                                                                           \
  double ten_rt_f64_##name(double x, double y);                                                  \
  float ten_rt_f32_##name(float x, float y);                                                     \
  double ten_rt_f64_##name(double x, double y) { return (double)quad_##name((quad)x, (quad)y); } \
  float ten_rt_f32_##name(float x, float y) { return (float)quad_##name((quad)x, (quad)y); }
SPECIAL2(zeta)
SPECIAL2(polygamma)
#undef SPECIAL2

#define ADDRESS(function) ((void *)(uintptr_t)(function))
#define OURS(f) {#f, ADDRESS(f)}
#define REAL(f) OURS(ten_rt_f32_##f), OURS(ten_rt_f64_##f)
#define MATH(name) \
  {#name, ADDRESS((double (*)(double))name)}, { #name "f", ADDRESS((float (*)(float))name##f) }
#define MATH2(name) \
  {#name, ADDRESS((double (*)(double, double))name)}, { #name "f", ADDRESS((float (*)(float, float))name##f) }

const ten_cpu_symbol ten_cpu_symbols[] = {
    OURS(ten_rt_float_encode),
    OURS(ten_rt_float_decode),
    OURS(ten_rt_float_round),
    OURS(ten_rt_next_after),
#define LIBM(op, name) MATH(name),
#define RUNTIME(op, name) REAL(name),
#define COMPLEX(op, name) OURS(ten_rt_c64_##name), OURS(ten_rt_c128_##name),
#include "backend/cpu/rt/functions.def"
    REAL(zeta),
    REAL(polygamma),
    MATH(roundeven),
    MATH2(fmod),
    MATH2(pow),
    MATH2(atan2),
    MATH2(hypot),
    {NULL, NULL},
};
