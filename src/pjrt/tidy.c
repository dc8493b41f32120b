/* tidy.c: says in fewer ops what XLA would not see through. ReLU of a training step is a choice (its gradient at zero is
 * zero, that of a maximum a half); once the gradient is there it is a maximum again, of which XLA keeps one tensor and
 * not three.  Needs: verified IR.  Keeps: results, bit for bit; types; locations. */
#include "ir/builder.h"
#include "pjrt/client_program.h"

static bool is_zero(const ten_value *value) {
  const ten_op *op = value->op;
  if (op && op->code == TEN_OP_BROADCAST_IN_DIM) return is_zero(ten_op_operand(op, 0));
  const ten_attr *data = op && op->code == TEN_OP_CONSTANT ? ten_op_attr(op, "value") : NULL;
  if (!data || data->kind != TEN_ATTR_DENSE || (!data->dense.splat && ten_type_count(value->type) != 1)) return false;
  const unsigned char *bytes = ten_dense_at(data, 0);
  for (size_t i = 0; i < ten_dtype_bytes(value->type->dtype); i++)
    if (bytes[i]) return false;
  return true;
}

/* select(x <= 0, 0, x): NaN stays NaN and -0 becomes 0 in both. */
static ten_status *tidy(ten_op *op, void *context) {
  if (op->code != TEN_OP_SELECT) return NULL;
  ten_value *x = ten_op_operand(op, 2), *zero = ten_op_operand(op, 1);
  const ten_op *compare = ten_op_operand(op, 0)->op;
  if (!compare || compare->code != TEN_OP_COMPARE || !ten_dtype_is_float(x->type->dtype) || x->type->quant) return NULL;
  if (ten_op_operand(compare, 0) != x || !is_zero(ten_op_operand(compare, 1)) || !is_zero(zero)) return NULL;
  if (ten_op_attr(compare, "comparison_direction")->enumeration.value != TEN_LE) return NULL;
  ten_builder b = {.module = context, .block = op->block, .before = op, .loc = op->loc};
  ten_value_replace(&op->results[0], ten_build_binary(&b, TEN_OP_MAXIMUM, x, zero));
  return NULL; /* what nobody reads now goes with the rest */
}

ten_status *pjrt_tidy(ten_module *module, ten_op *func) { return ten_op_walk(func, tidy, module); }
