/* math.c: transcendental functions of one float or double. */
#include "cpu/codegen/cg.h"

typedef LLVMValueRef V;

typedef struct libm_name {
  const char *wide, *narrow;
} libm_name;

static const libm_name libm[TEN_OP_COUNT] = {
    [TEN_OP_EXPONENTIAL] = {"exp", "expf"},
    [TEN_OP_EXPONENTIAL_MINUS_ONE] = {"expm1", "expm1f"},
    [TEN_OP_LOG] = {"log", "logf"},
    [TEN_OP_LOG_PLUS_ONE] = {"log1p", "log1pf"},
    [TEN_OP_SINE] = {"sin", "sinf"},
    [TEN_OP_COSINE] = {"cos", "cosf"},
    [TEN_OP_TAN] = {"tan", "tanf"},
    [TEN_OP_TANH] = {"tanh", "tanhf"},
    [TEN_OP_CBRT] = {"cbrt", "cbrtf"},
    [TEN_OP_CHLO_TAN] = {"tan", "tanf"},
    [TEN_OP_CHLO_ASIN] = {"asin", "asinf"},
    [TEN_OP_CHLO_ACOS] = {"acos", "acosf"},
    [TEN_OP_CHLO_ATAN] = {"atan", "atanf"},
    [TEN_OP_CHLO_SINH] = {"sinh", "sinhf"},
    [TEN_OP_CHLO_COSH] = {"cosh", "coshf"},
    [TEN_OP_CHLO_ASINH] = {"asinh", "asinhf"},
    [TEN_OP_CHLO_ACOSH] = {"acosh", "acoshf"},
    [TEN_OP_CHLO_ATANH] = {"atanh", "atanhf"},
    [TEN_OP_CHLO_LGAMMA] = {"ten_rt_f64_lgamma", "ten_rt_f32_lgamma"},
    [TEN_OP_CHLO_DIGAMMA] = {"ten_rt_f64_digamma", "ten_rt_f32_digamma"},
    [TEN_OP_CHLO_ERF_INV] = {"ten_rt_f64_erf_inv", "ten_rt_f32_erf_inv"},
    [TEN_OP_CHLO_BESSEL_I1E] = {"ten_rt_f64_bessel_i1e", "ten_rt_f32_bessel_i1e"},
    [TEN_OP_CHLO_ERF] = {"erf", "erff"},
    [TEN_OP_CHLO_ERFC] = {"erfc", "erfcf"},
};

LLVMValueRef cg_float_math(ten_cg *cg, ten_opcode code, LLVMValueRef x) {
  LLVMTypeRef type = LLVMTypeOf(x);
  V one = LLVMConstReal(type, 1.0);
  switch (code) {
    case TEN_OP_SQRT: return cg_intrinsic(cg, "llvm.sqrt", type, &x, 1);
    case TEN_OP_RSQRT: return LLVMBuildFDiv(cg->b, one, cg_intrinsic(cg, "llvm.sqrt", type, &x, 1), "");
    case TEN_OP_LOGISTIC: {
      V down = cg_float_math(cg, TEN_OP_EXPONENTIAL, LLVMBuildFNeg(cg->b, x, ""));
      return LLVMBuildFDiv(cg->b, one, LLVMBuildFAdd(cg->b, one, down, ""), "");
    }
    default: break;
  }
  const libm_name *name = &libm[code];
  if (!name->wide) return NULL;
  return cg_call(cg, type == cg->f64 ? name->wide : name->narrow, type, &x, 1);
}
