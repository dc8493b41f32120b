/* quant.c: what quantized operands and results must share. */
#include "ir/verify/rules.h"

static int axis_of(const ten_type *type) { return type->quant->axes[0]; }

/* add: all quantized, of one storage and expressed type; per axis along one axis or not at all. */
ten_status *ten_want_binary_quant(ten_module *m, const ten_op *op) {
  const ten_type *lhs = ten_in(op, 0), *rhs = ten_in(op, 1), *result = ten_out(op, 0);
  WANT(lhs->quant && rhs->quant && result->quant, "operands are %s and %s, result is %s: all or none must be quantized",
       ten_say_type(m, lhs), ten_say_type(m, rhs), ten_say_type(m, result));
  WANT(lhs->quant->storage == rhs->quant->storage && lhs->quant->storage == result->quant->storage,
       "operands store %s and %s, result stores %s", ten_dtype_name(lhs->quant->storage),
       ten_dtype_name(rhs->quant->storage), ten_dtype_name(result->quant->storage));
  WANT(lhs->quant->expressed == rhs->quant->expressed && lhs->quant->expressed == result->quant->expressed,
       "operands express %s and %s, result expresses %s", ten_dtype_name(lhs->quant->expressed),
       ten_dtype_name(rhs->quant->expressed), ten_dtype_name(result->quant->expressed));
  const bool per_axis = ten_is_per_axis(lhs) || ten_is_per_axis(rhs);
  WANT(per_axis == ten_is_per_axis(result), "result is quantized per %s, %s operand is per axis",
       ten_is_per_axis(result) ? "axis" : "tensor", per_axis ? "an" : "no");
  if (ten_is_per_axis(lhs))
    WANT(axis_of(lhs) == axis_of(result), "lhs is quantized along dimension %d, result along %d", axis_of(lhs),
         axis_of(result));
  if (ten_is_per_axis(rhs))
    WANT(axis_of(rhs) == axis_of(result), "rhs is quantized along dimension %d, result along %d", axis_of(rhs),
         axis_of(result));
  return NULL;
}

/* convolution, dot_general: rhs quantized; lhs and result both (full quantization) or neither (weights only). */
ten_status *ten_want_contraction_quant(ten_module *m, const ten_op *op) {
  const ten_type *lhs = ten_in(op, 0), *rhs = ten_in(op, 1), *result = ten_out(op, 0);
  WANT(rhs->quant, "lhs is %s, result is %s: rhs must be quantized too, is %s", ten_say_type(m, lhs),
       ten_say_type(m, result), ten_say_type(m, rhs));
  WANT(!lhs->quant == !result->quant, "lhs is %s, result is %s: both or neither must be quantized",
       ten_say_type(m, lhs), ten_say_type(m, result));
  if (!lhs->quant) {
    WANT(lhs->dtype == rhs->quant->expressed && result->dtype == lhs->dtype,
         "lhs has elements %s, result has %s, rhs expresses %s", ten_say_element(m, lhs), ten_say_element(m, result),
         ten_dtype_name(rhs->quant->expressed));
    return NULL;
  }
  WANT(lhs->quant->storage == rhs->quant->storage, "lhs stores %s, rhs stores %s", ten_dtype_name(lhs->quant->storage),
       ten_dtype_name(rhs->quant->storage));
  WANT(lhs->quant->expressed == rhs->quant->expressed && lhs->quant->expressed == result->quant->expressed,
       "lhs, rhs and result express %s, %s and %s", ten_dtype_name(lhs->quant->expressed),
       ten_dtype_name(rhs->quant->expressed), ten_dtype_name(result->quant->expressed));
  WANT(!ten_is_per_tensor(rhs) || ten_is_per_tensor(result), "rhs is quantized per tensor, result per axis");
  return NULL;
}

/* Operand 0 and the result represent the same values: scales and zero points are equal. */
ten_status *ten_want_same_scale(ten_module *m, const ten_op *op) {
  const ten_type *operand = ten_in(op, 0), *result = ten_out(op, 0);
  if (ten_is_per_tensor(operand) && ten_is_per_tensor(result))
    WANT(ten_elements_equal(operand, result), "operand is %s, result is %s: scale or zero point differs",
         ten_say_element(m, operand), ten_say_element(m, result));
  if (!ten_is_per_axis(operand) || !ten_is_per_axis(result)) return NULL;
  const ten_quant *a = operand->quant, *b = result->quant;
  bool same = a->count == b->count;
  for (size_t i = 0; same && i < a->count; i++)
    same = a->scales[i] == b->scales[i] && a->zero_points[i] == b->zero_points[i];
  WANT(same, "operand is %s, result is %s: scales or zero points differ", ten_say_element(m, operand),
       ten_say_element(m, result));
  return NULL;
}

static bool count_before(const ten_type *type, int axis, uint64_t *out) {
  uint64_t product = 1;
  for (int i = 0; i < axis; i++)
    if (!ten_dim_known(type->dims[i]))
      return false;
    else
      product *= (uint64_t)type->dims[i];
  return *out = product, true;
}

ten_status *ten_want_reshape_quant(ten_module *m, const ten_op *op) {
  const ten_type *operand = ten_in(op, 0), *result = ten_out(op, 0);
  TEN_TRY(ten_want_same_scale(m, op));
  if (!ten_is_per_axis(operand) || !ten_is_per_axis(result)) return NULL;
  const int from = axis_of(operand), to = axis_of(result);
  WANT(ten_dims_agree(operand->dims[from], result->dims[to]),
       "quantized dimension %d of operand has size %lld, %d of result has %lld", from, (long long)operand->dims[from],
       to, (long long)result->dims[to]);
  uint64_t before, after;
  if (count_before(operand, from, &before) && count_before(result, to, &after))
    WANT(before == after, "%llu elements lie before quantized dimension %d of operand, %llu before %d of result",
         (unsigned long long)before, from, (unsigned long long)after, to);
  return NULL;
}

ten_status *ten_want_broadcast_quant(ten_module *m, const ten_op *op, ten_ints dims) {
  const ten_type *operand = ten_in(op, 0), *result = ten_out(op, 0);
  if (ten_is_per_tensor(operand) && ten_is_per_tensor(result)) return ten_want_same_scale(m, op);
  if (!ten_is_per_axis(result)) return NULL;
  WANT(ten_is_per_axis(operand), "result is %s, operand is %s: both must be quantized per axis",
       ten_say_type(m, result), ten_say_type(m, operand));
  const int from = axis_of(operand), to = axis_of(result);
  WANT(from >= 0 && (size_t)from < dims.count && dims.data[from] == to,
       "operand is quantized along dimension %d, which is broadcast to %lld, result along %d", from,
       from >= 0 && (size_t)from < dims.count ? (long long)dims.data[from] : -1LL, to);
  if (operand->dims[from] != 1) return NULL;
  for (size_t i = 0; i < result->quant->count; i++)
    WANT(operand->quant->count && result->quant->scales[i] == operand->quant->scales[0] &&
             result->quant->zero_points[i] == operand->quant->zero_points[0],
         "scale and zero point %zu of result are %g and %lld, operand's only ones are %g and %lld", i,
         result->quant->scales[i], (long long)result->quant->zero_points[i],
         operand->quant->count ? operand->quant->scales[0] : 0.0,
         operand->quant->count ? (long long)operand->quant->zero_points[0] : 0LL);
  return NULL;
}

TEN_INFER(uniform_dequantize) {
  return out[0] = ten_with_element(m, ten_in(op, 0), ten_type_scalar(m, ten_in(op, 0)->quant->expressed)), NULL;
}

TEN_INFER(uniform_quantize) {
  const ten_type *hint = ten_out(op, 0);
  WANT(hint && ten_is_shaped(hint), "the result's quantization does not follow from the operand, and none is given");
  return out[0] = ten_with_element(m, ten_in(op, 0), hint->element), NULL;
}

TEN_VERIFY(uniform_quantize) {
  (void)m;
  const ten_type *operand = ten_in(op, 0), *result = ten_out(op, 0);
  const ten_dtype wanted = operand->quant ? operand->quant->expressed : operand->dtype;
  WANT(result->quant->expressed == wanted, "result expresses %s, operand %s %s",
       ten_dtype_name(result->quant->expressed), operand->quant ? "expresses" : "is", ten_dtype_name(wanted));
  return NULL;
}
