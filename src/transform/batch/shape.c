/* shape.c: rules of ops that move elements. */
#include <string.h>

#include "transform/batch/rules.h"

bool ten_batch_lead(ten_batch *s, ten_builder *b, const ten_op *op) {
  ten_batch_again_all(s, b, op);
  return true;
}

bool ten_batch_broadcast(ten_batch *s, ten_builder *b, const ten_op *op) {
  ten_op *made = ten_batch_again_all(s, b, op);
  ten_batch_dims(s, made, "broadcast_dimensions",
                 ten_batch_shift_behind(s, 0, ten_op_ints(op, "broadcast_dimensions")));
  return true;
}

bool ten_batch_transpose(ten_batch *s, ten_builder *b, const ten_op *op) {
  ten_op *made = ten_batch_again_all(s, b, op);
  ten_batch_dims(s, made, "permutation", ten_batch_shift_behind(s, 0, ten_op_ints(op, "permutation")));
  return true;
}

/* `first` in front of a list that stays as it is. */
static void put_in_front(ten_batch *s, ten_op *made, const ten_op *op, const char *name, int64_t first) {
  const ten_ints list = ten_op_ints(op, name);
  int64_t values[BATCH_RANK_MAX];
  values[0] = first;
  for (size_t i = 0; i < list.count; i++) values[i + 1] = list.data[i];
  ten_batch_dims(s, made, name, (ten_ints){values, list.count + 1});
}

bool ten_batch_slice(ten_batch *s, ten_builder *b, const ten_op *op) {
  ten_op *made = ten_batch_again_all(s, b, op);
  put_in_front(s, made, op, "start_indices", 0);
  put_in_front(s, made, op, "limit_indices", s->count);
  put_in_front(s, made, op, "strides", 1);
  return true;
}

bool ten_batch_pad(ten_batch *s, ten_builder *b, const ten_op *op) {
  if (ten_batch_is(s, ten_op_operand(op, 1))) return false; /* another padding value for each example */
  ten_value *operands[] = {ten_batch_operand(s, b, op, 0), ten_batch_get(s, ten_op_operand(op, 1))};
  ten_op *made = ten_batch_again(s, b, op, operands);
  put_in_front(s, made, op, "edge_padding_low", 0);
  put_in_front(s, made, op, "edge_padding_high", 0);
  put_in_front(s, made, op, "interior_padding", 0);
  return true;
}

bool ten_batch_concatenate(ten_batch *s, ten_builder *b, const ten_op *op) {
  ten_op *made = ten_batch_again_all(s, b, op);
  ten_op_set_attr(s->module, made, TEN_STR("dimension"), ten_attr_i64(s->module, ten_op_int(op, "dimension", 0) + 1));
  return true;
}

bool ten_batch_reverse(ten_batch *s, ten_builder *b, const ten_op *op) {
  ten_op *made = ten_batch_again_all(s, b, op);
  ten_batch_dims(s, made, "dimensions", ten_batch_shift(s, ten_op_ints(op, "dimensions")));
  return true;
}
