/* pointwise.c: elementwise ops on the elements of their operands, and map. */
#include <math.h>

#include "backend/cpu/codegen/vecmath.h"

enum { OPERANDS_MAX = 3 };

static cg_val operand_element(ten_cg *cg, const ten_op *op, uint32_t i, const LLVMValueRef *index) {
  const ten_value *value = ten_op_operand(op, i);
  return cg_element(cg, value, value->type->rank ? index : NULL); /* select and clamp mix scalars with tensors */
}

static cg_val clamp_val(ten_cg *cg, ten_dtype dtype, cg_val low, cg_val x, cg_val high) {
  return cg_binary(cg, TEN_OP_MINIMUM, dtype, cg_binary(cg, TEN_OP_MAXIMUM, dtype, low, x), high);
}

/* Ops whose result type differs from the operand's. */
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

/* The argument of an error function: a value times a positive constant. */
typedef struct erf_of {
  const ten_value *x;
  double unit;
} erf_of;

/* The op that computes a value here, if it has this code; NULL: another, or the value is already available. */
static const ten_op *computed_by(const ten_cg *cg, const ten_value *value, ten_opcode code) {
  return value->op && value->op->code == code && value->type->dtype == TEN_F32 && !cg_is_bound(cg, value) ? value->op
                                                                                                          : NULL;
}

static bool is_number(ten_cg *cg, const ten_value *value, const LLVMValueRef *index, double *number) {
  if (!value->op || (value->op->code != TEN_OP_CONSTANT && value->op->code != TEN_OP_BROADCAST_IN_DIM)) return false;
  LLVMValueRef element = cg_element(cg, value, index).re;
  LLVMBool lost = false;
  if (value->type->dtype != TEN_F32 || !LLVMIsAConstantFP(element)) return false;
  *number = LLVMConstRealGetDouble(element, &lost);
  return true;
}

/* The constant factor may be negative. */
static erf_of signed_argument(ten_cg *cg, const ten_value *z, const LLVMValueRef *index) {
  const ten_op *op = computed_by(cg, z, TEN_OP_MULTIPLY);
  double unit;
  for (uint32_t i = 0; op && i < 2; i++)
    if (is_number(cg, ten_op_operand(op, i), index, &unit) && fabs(unit) > 0.1 && fabs(unit) < 10)
      return (erf_of){ten_op_operand(op, 1 - i), unit};
  return (erf_of){z, 1.0};
}

static erf_of argument(ten_cg *cg, const ten_value *z, const LLVMValueRef *index) {
  const erf_of of = signed_argument(cg, z, index);
  return of.unit > 0 ? of : (erf_of){z, 1.0};
}

/* Splits z into `of` with a positive factor; returns whether z is its negative. */
static bool is_negated(ten_cg *cg, const ten_value *z, const LLVMValueRef *index, erf_of *of) {
  const ten_op *outside = computed_by(cg, z, TEN_OP_NEGATE);
  *of = signed_argument(cg, outside ? ten_op_operand(outside, 0) : z, index);
  const ten_op *inside = computed_by(cg, of->x, TEN_OP_NEGATE);
  if (inside) of->x = ten_op_operand(inside, 0);
  const bool negated = (outside != NULL) ^ (inside != NULL) ^ (of->unit < 0);
  of->unit = fabs(of->unit);
  return negated;
}

/* Whether this is an error function plus one, where both are computed here. */
static bool is_erf_plus_one(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, erf_of *of) {
  double one;
  if (op->code != TEN_OP_ADD || op->results[0].type->dtype != TEN_F32) return false;
  for (uint32_t i = 0; i < 2; i++) {
    const ten_op *erf = computed_by(cg, ten_op_operand(op, i), TEN_OP_CHLO_ERF);
    if (!erf || !is_number(cg, ten_op_operand(op, 1 - i), index, &one) || one != 1.0) continue;
    *of = argument(cg, ten_op_operand(erf, 0), index);
    return true;
  }
  return false;
}

/* Whether one plus an error function, or erfc of the negated argument, without other readers, is a factor of this
 * product, and what the other factor is. */
static bool has_erf_plus_one(ten_cg *cg, const ten_op *product, const LLVMValueRef *index, erf_of *of,
                             const ten_value **other) {
  for (uint32_t i = 0; i < 2; i++) {
    const ten_op *sum = computed_by(cg, ten_op_operand(product, i), TEN_OP_ADD);
    *other = ten_op_operand(product, 1 - i);
    if (sum && is_erf_plus_one(cg, sum, index, of)) return true;
    const ten_op *erfc = computed_by(cg, ten_op_operand(product, i), TEN_OP_CHLO_ERFC);
    if (erfc && !erfc->results[0].uses->next && is_negated(cg, ten_op_operand(erfc, 0), index, of)) return true;
  }
  return false;
}

static bool is_half(ten_cg *cg, const ten_value *value, const LLVMValueRef *index) {
  double number;
  return is_number(cg, value, index, &number) && number == 0.5;
}

/* Whether this is x·½·(1 + erf(unit·x)), with factors in any order. */
static bool is_gelu(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, erf_of *of) {
  if (op->code != TEN_OP_MULTIPLY || op->results[0].type->dtype != TEN_F32) return false;
  const ten_value *other;
  if (has_erf_plus_one(cg, op, index, of, &other)) {
    const ten_op *inner = computed_by(cg, other, TEN_OP_MULTIPLY);
    for (uint32_t i = 0; inner && i < 2; i++)
      if (ten_op_operand(inner, i) == of->x && is_half(cg, ten_op_operand(inner, 1 - i), index)) return true;
    return false;
  }
  for (uint32_t i = 0; i < 2; i++) {
    const ten_op *inner = computed_by(cg, ten_op_operand(op, i), TEN_OP_MULTIPLY);
    const ten_value *rest = ten_op_operand(op, 1 - i);
    if (!inner || !has_erf_plus_one(cg, inner, index, of, &other)) continue;
    if ((other == of->x && is_half(cg, rest, index)) || (rest == of->x && is_half(cg, other, index))) return true;
  }
  return false;
}

/* Whether this is, up to a constant factor, the derivative of an error function that is also computed. */
static bool is_erf_slope(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, erf_of *of) {
  if (op->code != TEN_OP_EXPONENTIAL || op->results[0].type->dtype != TEN_F32) return false;
  const ten_op *negate = ten_op_operand(op, 0)->op;
  const ten_op *square = negate && negate->code == TEN_OP_NEGATE ? ten_op_operand(negate, 0)->op : NULL;
  if (!square || square->code != TEN_OP_MULTIPLY || ten_op_operand(square, 0) != ten_op_operand(square, 1))
    return false;
  for (const ten_use *use = ten_op_operand(square, 0)->uses; use; use = use->next) {
    if (use->owner->code != TEN_OP_CHLO_ERF) continue;
    *of = argument(cg, ten_op_operand(square, 0), index);
    return true;
  }
  return false;
}

/* Ops that are computed together with their operands; NULL: none of them. */
static LLVMValueRef erf_family(ten_cg *cg, const ten_op *op, const LLVMValueRef *index) {
  erf_of of;
  if (is_gelu(cg, op, index, &of)) return cg_gelu_f32(cg, cg_element(cg, of.x, index).re, of.unit);
  if (is_erf_plus_one(cg, op, index, &of)) return cg_erf_plus_one_f32(cg, cg_element(cg, of.x, index).re, of.unit);
  if (is_erf_slope(cg, op, index, &of)) return cg_erf_slope_f32(cg, cg_element(cg, of.x, index).re, of.unit);
  return NULL;
}

/* A number that is clamped to what a byte holds, then rounded to even and converted, all of it computed here. Adding
 * 1.5·2^23 leaves the rounded number in the lowest bits; a NaN becomes 0, as when it is converted. */
static LLVMValueRef round_to_byte(ten_cg *cg, const ten_op *op, const LLVMValueRef *index) {
  const double levels = 255;
  double low, high;
  if (op->code != TEN_OP_CONVERT || op->results[0].type->dtype != TEN_UI8) return NULL;
  const ten_op *round = computed_by(cg, ten_op_operand(op, 0), TEN_OP_ROUND_NEAREST_EVEN),
               *clamp = round ? computed_by(cg, ten_op_operand(round, 0), TEN_OP_CLAMP) : NULL;
  if (!clamp) return NULL;
  const ten_value *least = ten_op_operand(clamp, 0), *largest = ten_op_operand(clamp, 2);
  if (!is_number(cg, least, least->type->rank ? index : NULL, &low) || low != 0) return NULL;
  if (!is_number(cg, largest, largest->type->rank ? index : NULL, &high) || high != levels) return NULL;
  LLVMBuilderRef b = cg->b;
  LLVMValueRef x = cg_element(cg, ten_op_operand(clamp, 1), index).re;
  LLVMTypeRef real = LLVMTypeOf(x);
  LLVMValueRef zero = LLVMConstNull(real), most = LLVMConstReal(real, levels);
  x = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOGT, x, zero, ""), x, zero, "");
  x = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOLT, x, most, ""), x, most, "");
  x = LLVMBuildFAdd(b, x, LLVMConstReal(real, 0x1.8p23), "");
  return LLVMBuildTrunc(b, LLVMBuildBitCast(b, x, cg->i32, ""), cg_register_type(cg, TEN_UI8), "");
}

void cg_emit_pointwise(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out) {
  cg_val x[OPERANDS_MAX];
  *out = (cg_val){.re = erf_family(cg, op, index)};
  if (!out->re) out->re = round_to_byte(cg, op, index);
  if (out->re) return;
  for (uint32_t i = 0; i < op->operand_count && i < OPERANDS_MAX; i++) x[i] = operand_element(cg, op, i, index);
  const ten_dtype from = ten_op_operand(op, 0)->type->dtype;
  if (mixed(cg, op, from, x, out)) return;
  *out = op->operand_count == 1 ? cg_unary(cg, op->code, from, x[0]) : cg_binary(cg, op->code, from, x[0], x[1]);
}

void cg_emit_map(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out) {
  cg_val *args = ten_arena_new_array(&cg->ir->arena, cg_val, op->operand_count);
  for (uint32_t i = 0; i < op->operand_count; i++) args[i] = cg_element(cg, ten_op_operand(op, i), index);
  cg_region(cg, &op->regions[0], args, out);
}
