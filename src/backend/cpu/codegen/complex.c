/* complex.c: complex arithmetic in registers; the transcendental functions are C functions of the runtime
 * (kernels/complex.c), since their special cases take too much code to inline. */
#include "backend/cpu/codegen/cg.h"

#include <stdio.h>

typedef LLVMValueRef V;

static const char *const rt_names[TEN_OP_COUNT] = {
#define COMPLEX(op, name) [TEN_OP_##op] = #name,
#define SHARED_COMPLEX(op, name) COMPLEX(op, name)
#include "backend/cpu/rt/functions.def"
};

/* void ten_rt_c64_exp(float re, float im, float *out) */
static cg_val call_rt(ten_cg *cg, ten_opcode code, ten_dtype dtype, V *parts, unsigned part_count) {
  char name[40];
  LLVMTypeRef type = cg_register_type(cg, dtype);
  if (!rt_names[code]) {
    cg_fail(cg, ten_error(TEN_UNSUPPORTED, "%s of elements of type %s is not supported", ten_op_infos[code].name,
                          ten_dtype_name(dtype)));
    return (cg_val){LLVMGetUndef(type), LLVMGetUndef(type)};
  }
  snprintf(name, sizeof name, "ten_rt_%s_%s", dtype == TEN_C64 ? "c64" : "c128", rt_names[code]);
  V out = cg_alloca(cg, type, 2);
  V args[5];
  for (unsigned i = 0; i < part_count; i++) args[i] = parts[i];
  args[part_count] = out;
  cg_call(cg, name, cg->none, args, part_count + 1);
  V one = cg_const(cg, 1);
  V second = LLVMBuildInBoundsGEP2(cg->b, type, out, &one, 1, "");
  return (cg_val){LLVMBuildLoad2(cg->b, type, out, ""), LLVMBuildLoad2(cg->b, type, second, "")};
}

cg_val cg_complex_unary(ten_cg *cg, ten_opcode code, ten_dtype dtype, cg_val x) {
  LLVMBuilderRef b = cg->b;
  switch (code) {
    case TEN_OP_NEGATE: return (cg_val){LLVMBuildFNeg(b, x.re, ""), LLVMBuildFNeg(b, x.im, "")};
    case TEN_OP_CHLO_CONJ: return (cg_val){x.re, LLVMBuildFNeg(b, x.im, "")};
    case TEN_OP_ABS: {
      V args[] = {x.re, x.im};
      return (cg_val){cg_call(cg, dtype == TEN_C64 ? "hypotf" : "hypot", LLVMTypeOf(x.re), args, 2), NULL};
    }
    default: {
      V parts[] = {x.re, x.im};
      return call_rt(cg, code, dtype, parts, 2);
    }
  }
}

cg_val cg_complex_binary(ten_cg *cg, ten_opcode code, ten_dtype dtype, cg_val x, cg_val y) {
  LLVMBuilderRef b = cg->b;
  switch (code) {
    case TEN_OP_ADD: return (cg_val){LLVMBuildFAdd(b, x.re, y.re, ""), LLVMBuildFAdd(b, x.im, y.im, "")};
    case TEN_OP_SUBTRACT: return (cg_val){LLVMBuildFSub(b, x.re, y.re, ""), LLVMBuildFSub(b, x.im, y.im, "")};
    case TEN_OP_MULTIPLY: {
      /* one product of each sum is rounded, the other fused: as XLA does on machines with FMA */
      V re_args[] = {x.re, y.re, LLVMBuildFNeg(b, LLVMBuildFMul(b, x.im, y.im, ""), "")};
      V im_args[] = {x.im, y.re, LLVMBuildFMul(b, x.re, y.im, "")};
      LLVMTypeRef type = LLVMTypeOf(x.re);
      return (cg_val){cg_intrinsic(cg, "llvm.fma", type, re_args, 3), cg_intrinsic(cg, "llvm.fma", type, im_args, 3)};
    }
    case TEN_OP_MAXIMUM:
    case TEN_OP_MINIMUM: { /* by real part, then by imaginary part */
      const bool max = code == TEN_OP_MAXIMUM;
      V more = LLVMBuildFCmp(b, max ? LLVMRealOGT : LLVMRealOLT, x.re, y.re, "");
      V same = LLVMBuildFCmp(b, LLVMRealOEQ, x.re, y.re, "");
      V then = LLVMBuildFCmp(b, max ? LLVMRealOGE : LLVMRealOLE, x.im, y.im, "");
      return cg_select(cg, LLVMBuildOr(b, more, LLVMBuildAnd(b, same, then, ""), ""), x, y);
    }
    default: {
      V parts[] = {x.re, x.im, y.re, y.im};
      return call_rt(cg, code, dtype, parts, 4);
    }
  }
}
