/* tidy.c: says in fewer ops what XLA would not see through.
 * - ReLU of a training step is a choice (its gradient at zero is zero, that of a maximum a half); once the gradient is
 *   there it is a maximum again, of which XLA keeps one tensor and not three.
 * - A part of a transposed tensor is the transposed part: queries, keys and values that PyTorch cuts out of one turned
 *   product are cut out of the product, and each turn becomes part of the product that reads it. XLA would turn the
 * whole. Needs: verified IR.  Keeps: results, bit for bit; types; locations. */
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
static ten_value *tidy_select(ten_builder *b, const ten_op *op) {
  ten_value *x = ten_op_operand(op, 2), *zero = ten_op_operand(op, 1);
  const ten_op *compare = ten_op_operand(op, 0)->op;
  if (!compare || compare->code != TEN_OP_COMPARE || !ten_dtype_is_float(x->type->dtype) || x->type->quant) return NULL;
  if (ten_op_operand(compare, 0) != x || !is_zero(ten_op_operand(compare, 1)) || !is_zero(zero)) return NULL;
  if (ten_op_attr(compare, "comparison_direction")->enumeration.value != TEN_LE) return NULL;
  return ten_build_binary(b, TEN_OP_MAXIMUM, x, zero);
}

static const ten_op *transpose_of(const ten_op *op) {
  const ten_op *inner = ten_op_operand(op, 0)->op;
  if (!inner || inner->code != TEN_OP_TRANSPOSE || inner->results[0].type->quant) return NULL;
  return ten_type_is_static(inner->results[0].type) ? inner : NULL;
}

static ten_value *tidy_slice(ten_builder *b, const ten_op *op) {
  const ten_op *inner = transpose_of(op);
  if (!inner) return NULL;
  const ten_ints order = ten_op_ints(inner, "permutation"), start = ten_op_ints(op, "start_indices"),
                 limit = ten_op_ints(op, "limit_indices"), stride = ten_op_ints(op, "strides");
  int64_t *moved = ten_arena_new_array(&b->module->arena, int64_t, 3 * order.count);
  for (size_t i = 0; i < order.count; i++) {
    moved[order.data[i]] = start.data[i];
    moved[order.count + (size_t)order.data[i]] = limit.data[i];
    moved[2 * order.count + (size_t)order.data[i]] = stride.count ? stride.data[i] : 1;
  }
  ten_value *part = ten_build_slice(b, ten_op_operand(inner, 0), moved, moved + order.count, moved + 2 * order.count);
  return ten_build_transpose(b, part, order.data);
}

/* A reshape that leaves out dimensions of size one, all of which the operand's turn has moved. */
static ten_value *tidy_reshape(ten_builder *b, const ten_op *op) {
  const ten_op *inner = transpose_of(op);
  if (!inner) return NULL;
  const ten_type *from = inner->results[0].type, *to = op->results[0].type;
  const ten_ints order = ten_op_ints(inner, "permutation");
  int64_t *kept = ten_arena_new_array(&b->module->arena, int64_t, 3 * (size_t)from->rank + 1),
          *dims = kept + from->rank, *place = dims + from->rank;
  uint32_t count = 0;
  for (uint32_t i = 0; i < from->rank; i++) {
    if (count < to->rank && from->dims[i] == to->dims[count])
      kept[count++] = order.data[i];
    else if (from->dims[i] != 1)
      return NULL;
  }
  if (count != to->rank || count == from->rank) return NULL;
  const ten_type *before = ten_op_operand(inner, 0)->type;
  for (uint32_t i = 0, at = 0; i < before->rank; i++)
    for (uint32_t k = 0; k < count; k++)
      if (kept[k] == (int64_t)i) {
        dims[at] = before->dims[i];
        place[k] = at++;
      }
  return ten_build_transpose(b, ten_build_reshape(b, ten_op_operand(inner, 0), count, dims), place);
}

static ten_status *tidy(ten_op *op, void *context) {
  ten_builder b = {.module = context, .block = op->block, .before = op, .loc = op->loc};
  ten_value *instead = op->code == TEN_OP_SELECT    ? tidy_select(&b, op)
                       : op->code == TEN_OP_SLICE   ? tidy_slice(&b, op)
                       : op->code == TEN_OP_RESHAPE ? tidy_reshape(&b, op)
                                                    : NULL;
  if (instead) ten_value_replace(&op->results[0], instead); /* what nobody reads now goes with the rest */
  return NULL;
}

ten_status *pjrt_tidy(ten_module *module, ten_op *func) { return ten_op_walk(func, tidy, module); }
