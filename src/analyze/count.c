/* count.c: the arithmetic of a StableHLO op. Products count what their definition says: every element of the result
 * times the elements it sums over, padding included, as is the custom for convolutions. A loop counts as often as it
 * runs where its bound is a constant. */
#include "analyze/analyze.h"
#include "ir/dims.h"

static uint64_t elements(const ten_value *value) {
  if (!ten_type_is_tensor(value->type) || !ten_type_is_static(value->type)) return 0;
  return (uint64_t)ten_type_count(value->type);
}

static uint64_t dot_macs(const ten_op *op) {
  const ten_dot_dims dims = ten_dot_dims_of(ten_op_attr(op, "dot_dimension_numbers"));
  const ten_type *left = ten_op_operand(op, 0)->type;
  uint64_t depth = 1;
  for (size_t i = 0; i < dims.lhs_contract.count; i++) depth *= (uint64_t)left->dims[dims.lhs_contract.data[i]];
  return elements(&op->results[0]) * depth;
}

/* With a dilated input only every n-th place of a window holds one: counted from the input's side. */
static uint64_t conv_macs(const ten_op *op) {
  const ten_conv_dims dims = ten_conv_dims_of(ten_op_attr(op, "dimension_numbers"));
  const ten_value *x = ten_op_operand(op, 0), *kernel = ten_op_operand(op, 1);
  const ten_ints dilation = ten_attr_as_ints(ten_op_attr(op, "lhs_dilation"));
  const uint64_t out = (uint64_t)kernel->type->dims[dims.kernel_output_feature],
                 in = (uint64_t)kernel->type->dims[dims.kernel_input_feature];
  bool spread = false;
  for (size_t i = 0; i < dilation.count; i++) spread |= dilation.data[i] > 1;
  if (!out || !in) return 0;
  if (!spread) return elements(&op->results[0]) * (elements(kernel) / out);
  const int64_t groups = ten_attr_as_int(ten_op_attr(op, "feature_group_count"), 1);
  return elements(x) * (elements(kernel) / in) / (uint64_t)(groups > 0 ? groups : 1);
}

/* A number that is known: a constant scalar. */
static bool constant_int(const ten_value *value, int64_t *out) {
  const ten_attr *attr = ten_value_constant(value);
  if (!attr || ten_type_count(value->type) != 1 || !ten_dtype_is_int(value->type->dtype)) return false;
  *out = ten_dense_int(attr, 0);
  return true;
}

/* `for (i = first; i < last; i++)`, as every loop of a lowering is written. */
static bool trips(const ten_op *loop, uint64_t *out) {
  const ten_block *cond = ten_op_body(loop, 0);
  const ten_op *end = cond ? cond->last : NULL;
  const ten_op *test = end && end->operand_count ? ten_op_operand(end, 0)->op : NULL;
  if (!test || test->code != TEN_OP_COMPARE) return false;
  const ten_value *counter = ten_op_operand(test, 0), *bound = ten_op_operand(test, 1);
  if (counter->op || counter->block != cond || counter->index >= loop->operand_count) return false;
  if (!bound->op && bound->block == cond && bound->index < loop->operand_count)
    bound = ten_op_operand(loop, bound->index);
  int64_t first, last;
  if (!constant_int(ten_op_operand(loop, counter->index), &first) || !constant_int(bound, &last)) return false;
  *out = last > first ? (uint64_t)(last - first) : 0;
  return true;
}

static void count_block(const ten_block *block, uint64_t *macs, uint64_t *flops, size_t *unknown_loops) {
  for (const ten_op *op = block->first; op; op = op->next) ten_count_op(op, macs, flops, unknown_loops);
}

void ten_count_op(const ten_op *op, uint64_t *macs, uint64_t *flops, size_t *unknown_loops) {
  uint64_t products = 0, others = 0;
  switch (op->code) {
    case TEN_OP_DOT_GENERAL: products = dot_macs(op); break;
    case TEN_OP_DOT:
      products = elements(&op->results[0]) *
                 (ten_op_operand(op, 0)->type->rank
                      ? (uint64_t)ten_op_operand(op, 0)->type->dims[ten_op_operand(op, 0)->type->rank - 1]
                      : 1);
      break;
    case TEN_OP_CONVOLUTION: products = conv_macs(op); break;
    case TEN_OP_WHILE: {
      uint64_t inner_macs = 0, inner_flops = 0, count = 1;
      if (!trips(op, &count)) ++*unknown_loops;
      if (ten_op_body(op, 1)) count_block(ten_op_body(op, 1), &inner_macs, &inner_flops, unknown_loops);
      *macs += inner_macs * count;
      *flops += inner_flops * count;
      return;
    }
    case TEN_OP_IF:
    case TEN_OP_CASE: { /* the branch that does most */
      uint64_t most_macs = 0, most_flops = 0;
      for (uint32_t r = 0; r < op->region_count; r++) {
        uint64_t inner_macs = 0, inner_flops = 0;
        if (ten_op_body(op, r)) count_block(ten_op_body(op, r), &inner_macs, &inner_flops, unknown_loops);
        if (inner_flops >= most_flops) most_macs = inner_macs, most_flops = inner_flops;
      }
      *macs += most_macs;
      *flops += most_flops;
      return;
    }
    case TEN_OP_REDUCE:
    case TEN_OP_REDUCE_WINDOW:
    case TEN_OP_SELECT_AND_SCATTER:
    case TEN_OP_SCATTER:
    case TEN_OP_SORT: /* at least once for each element that goes in */
      others = op->operand_count ? elements(ten_op_operand(op, 0)) : 0;
      if (op->code == TEN_OP_REDUCE_WINDOW) {
        const ten_ints window = ten_attr_as_ints(ten_op_attr(op, "window_dimensions"));
        others = elements(&op->results[0]);
        for (size_t i = 0; i < window.count; i++) others *= (uint64_t)window.data[i];
      }
      break;
    default:
      if (ten_op_has(op, TEN_TRAIT_ELEMENTWISE) && op->code != TEN_OP_CONVERT && op->code != TEN_OP_CONSTANT)
        for (uint32_t i = 0; i < op->result_count; i++) others += elements(&op->results[i]);
  }
  *macs += products;
  *flops += 2 * products + others;
}
