/* pointwise.c: elementwise ops on the elements of their operands, and map. */
#include "cpu/codegen/vecmath.h"

enum { OPERANDS_MAX = 3 };

static cg_val operand_element(ten_cg *cg, const ten_op *op, uint32_t i, const LLVMValueRef *index) {
  const ten_value *value = ten_op_operand(op, i);
  return cg_element(cg, value, value->type->rank ? index : NULL); /* select and clamp take scalars beside tensors */
}

static cg_val clamp_val(ten_cg *cg, ten_dtype dtype, cg_val low, cg_val x, cg_val high) {
  return cg_binary(cg, TEN_OP_MINIMUM, dtype, cg_binary(cg, TEN_OP_MAXIMUM, dtype, low, x), high);
}

/* Ops whose result type is not the operand's. */
static bool mixed(ten_cg *cg, const ten_op *op, ten_dtype from, const cg_val *x, cg_val *out) {
  LLVMBuilderRef b = cg->b;
  const ten_dtype to = op->results[0].type->dtype;
  switch (op->code) {
    case TEN_OP_COMPARE: {
      const ten_attr *direction = ten_op_attr(op, "comparison_direction"), *kind = ten_op_attr(op, "compare_type");
      const bool total = kind && kind->enumeration.value == 2;
      out->re = cg_compare(cg, direction->enumeration.value, total, from, x[0], x[1]);
      return true;
    }
    case TEN_OP_SELECT: *out = cg_select(cg, x[0].re, x[1], x[2]); return true;
    case TEN_OP_CLAMP: *out = clamp_val(cg, to, x[0], x[1], x[2]); return true;
    case TEN_OP_CONVERT: *out = cg_convert(cg, from, to, x[0]); return true;
    case TEN_OP_COMPLEX: *out = (cg_val){x[0].re, x[1].re}; return true;
    case TEN_OP_REAL: *out = (cg_val){x[0].re, NULL}; return true;
    case TEN_OP_IMAG: *out = (cg_val){x[0].im ? x[0].im : LLVMConstNull(LLVMTypeOf(x[0].re)), NULL}; return true;
    case TEN_OP_IS_FINITE: {
      LLVMValueRef abs = cg_intrinsic(cg, "llvm.fabs", LLVMTypeOf(x[0].re), (LLVMValueRef[]){x[0].re}, 1);
      double infinity = __builtin_inf();
      out->re = LLVMBuildFCmp(b, LLVMRealONE, abs, LLVMConstReal(LLVMTypeOf(abs), infinity), "");
      return true;
    }
    case TEN_OP_REDUCE_PRECISION:
      out->re = cg_round(cg, to,
                         cg_reduce_precision(cg, x[0].re, (int)ten_op_int(op, "exponent_bits", 8),
                                             (int)ten_op_int(op, "mantissa_bits", 23)));
      return true;
    default: return false;
  }
}

/* The value whose error function plus one this is, where both are computed here; NULL: something else. */
static const ten_value *erf_plus_one(const ten_op *op, const cg_val *x) {
  if (op->code != TEN_OP_ADD || op->results[0].type->dtype != TEN_F32) return NULL;
  for (uint32_t i = 0; i < 2; i++) {
    const ten_op *erf = ten_op_operand(op, i)->op;
    if (!erf || erf->code != TEN_OP_CHLO_ERF || !LLVMIsAConstantFP(x[1 - i].re)) continue;
    LLVMBool lost = false;
    const bool loaded = LLVMIsAInstruction(x[i].re) && LLVMGetInstructionOpcode(x[i].re) == LLVMLoad;
    if (!loaded && LLVMConstRealGetDouble(x[1 - i].re, &lost) == 1.0) return ten_op_operand(erf, 0);
  }
  return NULL;
}

/* The value whose error function has this, but for a number, as its derivative, where that function is computed too. */
static const ten_value *erf_slope(const ten_op *op) {
  if (op->code != TEN_OP_EXPONENTIAL || op->results[0].type->dtype != TEN_F32) return NULL;
  const ten_op *negate = ten_op_operand(op, 0)->op;
  const ten_op *square = negate && negate->code == TEN_OP_NEGATE ? ten_op_operand(negate, 0)->op : NULL;
  if (!square || square->code != TEN_OP_MULTIPLY || ten_op_operand(square, 0) != ten_op_operand(square, 1)) return NULL;
  for (const ten_use *use = ten_op_operand(square, 0)->uses; use; use = use->next)
    if (use->owner->code == TEN_OP_CHLO_ERF) return ten_op_operand(square, 0);
  return NULL;
}

void cg_emit_pointwise(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out) {
  cg_val x[OPERANDS_MAX];
  const ten_value *sloping = erf_slope(op);
  if (sloping) {
    *out = (cg_val){.re = cg_erf_slope_f32(cg, cg_element(cg, sloping, index).re)};
    return;
  }
  for (uint32_t i = 0; i < op->operand_count && i < OPERANDS_MAX; i++) x[i] = operand_element(cg, op, i, index);
  const ten_dtype from = ten_op_operand(op, 0)->type->dtype;
  *out = (cg_val){0};
  if (mixed(cg, op, from, x, out)) return;
  const ten_value *inner = erf_plus_one(op, x);
  if (inner) {
    out->re = cg_erf_plus_one_f32(cg, cg_element(cg, inner, index).re);
    return;
  }
  *out = op->operand_count == 1 ? cg_unary(cg, op->code, from, x[0]) : cg_binary(cg, op->code, from, x[0], x[1]);
}

void cg_emit_map(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out) {
  cg_val *args = ten_arena_new_array(&cg->ir->arena, cg_val, op->operand_count);
  for (uint32_t i = 0; i < op->operand_count; i++) args[i] = cg_element(cg, ten_op_operand(op, i), index);
  cg_region(cg, &op->regions[0], args, out);
}
