/* memory.c: loads and stores of elements, narrow floats, and index arithmetic. */
#include <string.h>

#include "backend/cpu/codegen/cg.h"

LLVMTypeRef cg_register_type(ten_cg *cg, ten_dtype dtype) {
  dtype = ten_dtype_part(dtype);
  if (ten_dtype_is_float(dtype)) return dtype == TEN_F64 ? cg->f64 : cg->f32;
  return LLVMIntTypeInContext(cg->context, ten_dtype_bits(dtype));
}

LLVMTypeRef cg_memory_type(ten_cg *cg, ten_dtype dtype) {
  dtype = ten_dtype_part(dtype);
  if (dtype == TEN_F32 || dtype == TEN_TF32) return cg->f32;
  if (dtype == TEN_F64) return cg->f64;
  return LLVMIntTypeInContext(cg->context, (unsigned)ten_dtype_bytes(dtype) * 8);
}

static LLVMValueRef int_const(LLVMTypeRef type, uint64_t value) { return LLVMConstInt(type, value, false); }

/* Whether the builder made `value` from bf16 by exact ops, so that its low half is zero. */
static bool is_bf16(ten_cg *cg, LLVMValueRef value, int depth) {
  if (LLVMIsAConstantFP(value)) {
    LLVMBool loses = false;
    const float number = (float)LLVMConstRealGetDouble(value, &loses);
    uint32_t bits = 0;
    memcpy(&bits, &number, sizeof bits);
    return number == number && !(bits & 0xffff);
  }
  if (depth > 4 || !LLVMIsAInstruction(value)) return false;
  switch (LLVMGetInstructionOpcode(value)) {
    case LLVMSelect:
      return is_bf16(cg, LLVMGetOperand(value, 1), depth + 1) && is_bf16(cg, LLVMGetOperand(value, 2), depth + 1);
    case LLVMCall: {
      LLVMValueRef called = LLVMGetCalledValue(value);
      return (called == LLVMGetNamedFunction(cg->module, "llvm.maximum.f32") ||
              called == LLVMGetNamedFunction(cg->module, "llvm.minimum.f32")) &&
             is_bf16(cg, LLVMGetOperand(value, 0), depth + 1) && is_bf16(cg, LLVMGetOperand(value, 1), depth + 1);
    }
    case LLVMBitCast: {
      LLVMValueRef bits = LLVMGetOperand(value, 0);
      return LLVMIsAInstruction(bits) && LLVMGetInstructionOpcode(bits) == LLVMShl &&
             LLVMGetOperand(bits, 1) == int_const(cg->i32, 16);
    }
    default: return false;
  }
}

static LLVMValueRef operand_if(LLVMValueRef value, LLVMOpcode code) {
  if (!value || !LLVMIsAInstruction(value) || LLVMGetInstructionOpcode(value) != code) return NULL;
  return LLVMGetOperand(value, 0);
}

/* `value` before it was rounded to bf16; NULL if it was not. */
static LLVMValueRef unrounded(LLVMValueRef value) {
  LLVMValueRef bits = operand_if(operand_if(value, LLVMBitCast), LLVMShl);
  LLVMValueRef number = operand_if(operand_if(operand_if(bits, LLVMZExt), LLVMBitCast), LLVMFPTrunc);
  if (number) return number;
  return operand_if(operand_if(operand_if(bits, LLVMLShr), LLVMSelect), LLVMFCmp);
}

/* max (or min) of a value rounded to bf16 and a bf16 constant equals the rounded max of the unrounded value: so a ReLU
 * need not round twice. NULL if `value` has another form. */
static LLVMValueRef rounded_later(ten_cg *cg, LLVMValueRef value) {
  if (!LLVMIsAInstruction(value) || LLVMGetInstructionOpcode(value) != LLVMCall) return NULL;
  LLVMValueRef called = LLVMGetCalledValue(value);
  const bool larger = called == LLVMGetNamedFunction(cg->module, "llvm.maximum.f32");
  if (!larger && called != LLVMGetNamedFunction(cg->module, "llvm.minimum.f32")) return NULL;
  const unsigned constant = LLVMIsAConstantFP(LLVMGetOperand(value, 0)) ? 0 : 1;
  LLVMValueRef bound = LLVMGetOperand(value, constant), number = unrounded(LLVMGetOperand(value, 1 - constant));
  if (!number || !LLVMIsAConstantFP(bound) || !is_bf16(cg, bound, 0)) return NULL;
  return cg_bound(cg, larger, number, bound);
}

static LLVMValueRef bf16_encode(ten_cg *cg, LLVMValueRef value) {
  LLVMBuilderRef b = cg->b;
  LLVMValueRef later = rounded_later(cg, value);
  if (later) value = later;
  LLVMValueRef bits = LLVMBuildBitCast(b, value, cg->i32, "");
  if (is_bf16(cg, value, 0)) return LLVMBuildLShr(b, bits, int_const(cg->i32, 16), "");
  if (cg->target->has_bf16 && cg->drops_subnormals) {
    LLVMValueRef number = LLVMBuildFPTrunc(b, value, LLVMBFloatTypeInContext(cg->context), "");
    return LLVMBuildZExt(b, LLVMBuildBitCast(b, number, cg->i16, ""), cg->i32, "");
  }
  LLVMValueRef odd = LLVMBuildAnd(b, LLVMBuildLShr(b, bits, int_const(cg->i32, 16), ""), int_const(cg->i32, 1), "");
  LLVMValueRef rounded = LLVMBuildAdd(b, LLVMBuildAdd(b, bits, int_const(cg->i32, 0x7fff), ""), odd, "");
  LLVMValueRef quiet = LLVMBuildOr(b, bits, int_const(cg->i32, 0x7fc00000u), "");
  LLVMValueRef is_nan = LLVMBuildFCmp(b, LLVMRealUNO, value, value, "");
  return LLVMBuildLShr(b, LLVMBuildSelect(b, is_nan, quiet, rounded, ""), int_const(cg->i32, 16), "");
}

static LLVMValueRef bf16_decode(ten_cg *cg, LLVMValueRef bits32) {
  return LLVMBuildBitCast(cg->b, LLVMBuildShl(cg->b, bits32, int_const(cg->i32, 16), ""), cg->f32, "");
}

LLVMValueRef cg_to_bits(ten_cg *cg, ten_dtype dtype, LLVMValueRef value) {
  LLVMBuilderRef b = cg->b;
  LLVMTypeRef type = LLVMIntTypeInContext(cg->context, (unsigned)ten_dtype_bytes(dtype) * 8);
  switch (ten_dtype_class(dtype)) {
    case TEN_CLASS_SINT: return LLVMBuildSExtOrBitCast(b, value, type, "");
    case TEN_CLASS_BOOL:
    case TEN_CLASS_UINT: return LLVMBuildZExtOrBitCast(b, value, type, "");
    default: break;
  }
  if (dtype == TEN_F32 || dtype == TEN_F64 || dtype == TEN_TF32) return LLVMBuildBitCast(b, value, type, "");
  if (dtype == TEN_BF16) return LLVMBuildTrunc(b, bf16_encode(cg, value), type, "");
  if (dtype == TEN_F16 && cg->target->has_f16)
    return LLVMBuildBitCast(b, LLVMBuildFPTrunc(b, value, cg->f16, ""), type, "");
  LLVMValueRef args[] = {value, LLVMConstInt(cg->i32, (unsigned)dtype, false)};
  return LLVMBuildTruncOrBitCast(b, cg_call(cg, "ten_rt_float_encode", cg->i32, args, 2), type, "");
}

LLVMValueRef cg_from_bits(ten_cg *cg, ten_dtype dtype, LLVMValueRef bits) {
  LLVMBuilderRef b = cg->b;
  LLVMTypeRef type = cg_register_type(cg, dtype);
  if (dtype == TEN_I1) return LLVMBuildICmp(b, LLVMIntNE, bits, LLVMConstNull(LLVMTypeOf(bits)), "");
  if (!ten_dtype_is_float(dtype)) return LLVMBuildTruncOrBitCast(b, bits, type, "");
  if (dtype == TEN_F32 || dtype == TEN_F64 || dtype == TEN_TF32) return LLVMBuildBitCast(b, bits, type, "");
  if (dtype == TEN_BF16) return bf16_decode(cg, LLVMBuildZExt(b, bits, cg->i32, ""));
  if (dtype == TEN_F16 && cg->target->has_f16)
    return LLVMBuildFPExt(b, LLVMBuildBitCast(b, bits, cg->f16, ""), type, "");
  LLVMValueRef args[] = {LLVMBuildZExt(b, bits, cg->i32, ""), LLVMConstInt(cg->i32, (unsigned)dtype, false)};
  return cg_call(cg, "ten_rt_float_decode", cg->f32, args, 2);
}

LLVMValueRef cg_round(ten_cg *cg, ten_dtype dtype, LLVMValueRef value) {
  if (dtype == TEN_F32 || dtype == TEN_F64) return value;
  if (dtype == TEN_BF16) return bf16_decode(cg, bf16_encode(cg, value));
  if (dtype == TEN_F16 && cg->target->has_f16)
    return LLVMBuildFPExt(cg->b, LLVMBuildFPTrunc(cg->b, value, cg->f16, ""), cg->f32, "");
  LLVMValueRef args[] = {value, LLVMConstInt(cg->i32, (unsigned)dtype, false)};
  return cg_call(cg, "ten_rt_float_round", cg->f32, args, 2);
}

cg_val cg_round_val(ten_cg *cg, ten_dtype dtype, cg_val value) {
  if (ten_dtype_is_float(dtype)) value.re = cg_round(cg, dtype, value.re);
  return value;
}

static LLVMValueRef part_load(ten_cg *cg, ten_dtype part, LLVMValueRef base, LLVMValueRef element) {
  LLVMTypeRef type = cg_memory_type(cg, part);
  LLVMValueRef at = LLVMBuildInBoundsGEP2(cg->b, type, base, &element, 1, "");
  LLVMValueRef raw = LLVMBuildLoad2(cg->b, type, at, "");
  if (part == TEN_F32 || part == TEN_F64 || part == TEN_TF32) return raw;
  return cg_from_bits(cg, part, raw);
}

static void part_store(ten_cg *cg, ten_dtype part, LLVMValueRef base, LLVMValueRef element, LLVMValueRef value) {
  LLVMTypeRef type = cg_memory_type(cg, part);
  LLVMValueRef at = LLVMBuildInBoundsGEP2(cg->b, type, base, &element, 1, "");
  const bool plain = part == TEN_F32 || part == TEN_F64 || part == TEN_TF32;
  LLVMBuildStore(cg->b, plain ? value : cg_to_bits(cg, part, value), at);
}

cg_val cg_load(ten_cg *cg, ten_dtype dtype, LLVMValueRef base, LLVMValueRef element) {
  if (!ten_dtype_is_complex(dtype)) return (cg_val){part_load(cg, dtype, base, element), NULL};
  const ten_dtype part = ten_dtype_part(dtype);
  LLVMValueRef first = LLVMBuildNSWMul(cg->b, element, cg_const(cg, 2), "");
  LLVMValueRef second = LLVMBuildNSWAdd(cg->b, first, cg_const(cg, 1), "");
  return (cg_val){part_load(cg, part, base, first), part_load(cg, part, base, second)};
}

void cg_store(ten_cg *cg, ten_dtype dtype, LLVMValueRef base, LLVMValueRef element, cg_val value) {
  if (!ten_dtype_is_complex(dtype)) {
    part_store(cg, dtype, base, element, value.re);
    return;
  }
  const ten_dtype part = ten_dtype_part(dtype);
  LLVMValueRef first = LLVMBuildNSWMul(cg->b, element, cg_const(cg, 2), "");
  part_store(cg, part, base, first, value.re);
  part_store(cg, part, base, LLVMBuildNSWAdd(cg->b, first, cg_const(cg, 1), ""), value.im);
}

LLVMValueRef *cg_indices(ten_cg *cg, uint32_t rank) {
  return ten_arena_new_array(&cg->ir->arena, LLVMValueRef, rank ? rank : 1);
}

LLVMValueRef cg_linear(ten_cg *cg, const ten_type *type, const LLVMValueRef *index) {
  LLVMValueRef sum = cg_const(cg, 0);
  for (uint32_t i = 0; i < type->rank; i++) {
    if (type->dims[i] == 1) continue;
    sum = LLVMBuildNSWMul(cg->b, sum, cg_const(cg, type->dims[i]), "");
    sum = LLVMBuildNSWAdd(cg->b, sum, index[i], "");
  }
  return sum;
}

void cg_delinearise(ten_cg *cg, uint32_t rank, const int64_t *dims, LLVMValueRef linear, LLVMValueRef *out) {
  uint32_t outer = 0; /* the outermost dimension that is not 1 needs no remainder */
  while (outer < rank && dims[outer] == 1) outer++;
  for (uint32_t i = rank; i-- > 0;) {
    if (dims[i] <= 1) {
      out[i] = cg_const(cg, 0);
    } else if (i == outer) {
      out[i] = linear;
    } else {
      LLVMValueRef size = cg_const(cg, dims[i]);
      out[i] = LLVMBuildURem(cg->b, linear, size, "");
      linear = LLVMBuildUDiv(cg->b, linear, size, "");
    }
  }
}
