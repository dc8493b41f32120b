/* given.c: programs that were quantized before they came here: PyTorch's exports have activations as i8 for a moment
 * (quantized_decomposed.quantize_per_tensor and back), and weights as i8 constants with their scales. */
#include <math.h>

#include "edge/recognise.h"

/* The operand of a binary op whose other operand is a number; NULL: another op, or no number. */
static ten_value *operand_with_constant(recogniser *r, const ten_value *value, ten_opcode code, double *out) {
  ten_op *op = value->op;
  if (!op || op->code != code || op->operand_count != 2) return NULL;
  if (edge_number_of(r, ten_op_operand(op, 1), out)) return ten_op_operand(op, 0);
  if (code != TEN_OP_SUBTRACT && edge_number_of(r, ten_op_operand(op, 0), out)) return ten_op_operand(op, 1);
  return NULL;
}

static ten_value *operand_of(const ten_value *value, ten_opcode code) {
  return value && value->op && value->op->code == code ? ten_op_operand(value->op, 0) : NULL;
}

/* What conversions come from, each of which counts as seen when `seen`. */
static ten_value *behind_conversions(ten_value *value, bool seen) {
  while (operand_of(value, TEN_OP_CONVERT)) {
    if (seen) edge_seen(value->op);
    value = ten_op_operand(value->op, 0);
  }
  return value;
}

/* (convert(q) - zero) · scale, of q = convert(min(max(round(x · 1/scale) + zero, least), most)). */
bool edge_find_fake(recogniser *r, ten_op *end, ten_value **out_x, double *out_scale, double *out_zero_point) {
  double zero = 0, again = 0, least = 0, most = 0, inverse;
  if (end->code != TEN_OP_MULTIPLY || end->results[0].type->dtype != TEN_F32) return false;
  ten_value *shifted = operand_with_constant(r, &end->results[0], TEN_OP_MULTIPLY, out_scale);
  ten_value *real = shifted ? operand_with_constant(r, shifted, TEN_OP_SUBTRACT, &zero) : NULL,
            *q = operand_of(real, TEN_OP_CONVERT);
  if (!q || (q->type->dtype != TEN_I8 && q->type->dtype != TEN_UI8)) return false;
  ten_value *high = behind_conversions(q, false), *low = operand_with_constant(r, high, TEN_OP_MINIMUM, &most);
  ten_value *sum = low ? operand_with_constant(r, low, TEN_OP_MAXIMUM, &least) : NULL,
            *rounded = sum ? operand_with_constant(r, sum, TEN_OP_ADD, &again) : NULL,
            *scaled = operand_of(rounded, TEN_OP_ROUND_NEAREST_EVEN),
            *x = scaled ? operand_with_constant(r, scaled, TEN_OP_MULTIPLY, &inverse) : NULL;
  if (!x || x->type->dtype != TEN_F32 || zero != again || most - least > 255 || !(*out_scale > 0)) return false;
  if (fabs(inverse * *out_scale - 1) > 1e-5) return false;
  *out_zero_point = q->type->dtype == TEN_UI8 ? zero + (double)EDGE_LOW : zero;
  if (!(*out_zero_point >= (double)EDGE_LOW && *out_zero_point <= (double)EDGE_HIGH) ||
      *out_zero_point != rint(*out_zero_point))
    return false;
  const ten_value *const made[] = {shifted, real, high, low, sum, rounded, scaled};
  for (size_t i = 0; i < sizeof made / sizeof *made; i++) edge_seen(made[i]->op);
  behind_conversions(q, true);
  *out_x = x;
  return true;
}

static bool is_zero(const ten_tensor *x) {
  const bool real = x && ten_dtype_is_float(x->dtype);
  for (size_t i = 0; x && i < x->count; i++)
    if (real ? ten_tensor_real(x, i, 0) != 0 : ten_tensor_int(x, i) != 0) return false;
  return x != NULL;
}

/* The i8 constant behind conversions and the subtraction of zeros; NULL: there is none. */
static const ten_value *stored_weights(recogniser *r, const ten_value *value) {
  while (value->op && value->type->dtype != TEN_I8) {
    const ten_opcode code = value->op->code;
    if (code != TEN_OP_CONVERT && (code != TEN_OP_SUBTRACT || !is_zero(edge_known(r, ten_op_operand(value->op, 1)))))
      return NULL;
    value = ten_op_operand(value->op, 0);
  }
  return value->type->dtype == TEN_I8 && edge_known(r, value) ? value : NULL;
}

const float *edge_given_scales(recogniser *r, const ten_value *weights, int64_t feature) {
  const ten_op *op = weights->op;
  edge_literal scale;
  if (!op || op->code != TEN_OP_MULTIPLY || weights->type->rank > EDGE_RANK) return NULL;
  if (!stored_weights(r, ten_op_operand(op, 0)) || !edge_literal_of(r, ten_op_operand(op, 1), &scale)) return NULL;
  for (uint32_t i = 0; i < scale.rank; i++)
    if (scale.dims[i] != 1 && (int64_t)i != feature) return NULL;
  const int64_t count = weights->type->dims[feature];
  float *scales = ten_arena_new_array(&r->g->arena, float, count);
  for (int64_t i = 0; i < count; i++) {
    scales[i] = scale.data[scale.count == 1 ? 0 : i];
    if (!(scales[i] > 0) || !isfinite(scales[i])) return NULL;
  }
  return scales;
}
