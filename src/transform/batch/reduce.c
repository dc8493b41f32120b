/* reduce.c: rules of reductions, windows, sorts and maps, whose regions work on single elements. */
#include "transform/batch/rules.h"

/* Initial values begin at operand `first_initial`; they cannot be batched, and neither can what a region uses. */
static bool applies(const ten_batch *s, const ten_op *op, uint32_t first_initial) {
  for (uint32_t i = first_initial; i < op->operand_count; i++)
    if (ten_batch_is(s, ten_op_operand(op, i))) return false;
  return !ten_batch_captures(s, op);
}

/* The op on operands of which the first `count` are broadcast to the batch. */
static ten_op *again_first(ten_batch *s, ten_builder *b, const ten_op *op, uint32_t count) {
  ten_value **operands = ten_arena_new_array(&s->module->arena, ten_value *, op->operand_count + 1);
  for (uint32_t i = 0; i < op->operand_count; i++)
    operands[i] = i < count ? ten_batch_operand(s, b, op, i) : ten_batch_get(s, ten_op_operand(op, i));
  return ten_batch_again(s, b, op, operands);
}

bool ten_batch_reduce(ten_batch *s, ten_builder *b, const ten_op *op) {
  if (!applies(s, op, op->operand_count / 2)) return false;
  ten_op *made = again_first(s, b, op, op->operand_count / 2);
  ten_batch_dims(s, made, "dimensions", ten_batch_shift(s, ten_op_ints(op, "dimensions")));
  return true;
}

static void window_attr(ten_batch *s, ten_op *made, const char *name, uint32_t rank, const int64_t *values) {
  int64_t list[BATCH_RANK_MAX] = {1};
  for (uint32_t i = 0; i < rank; i++) list[i + 1] = values[i];
  ten_batch_dims(s, made, name, (ten_ints){list, rank + 1});
}

/* select_and_scatter: operand, source, initial value. */
bool ten_batch_window(ten_batch *s, ten_builder *b, const ten_op *op) {
  const bool scatters = op->code == TEN_OP_SELECT_AND_SCATTER;
  const uint32_t count = scatters ? 2 : op->operand_count / 2;
  if (!applies(s, op, count)) return false;
  const ten_window window = ten_op_window(s->module, op);
  ten_op *made = again_first(s, b, op, count);
  window_attr(s, made, "window_dimensions", window.rank, window.size);
  window_attr(s, made, "window_strides", window.rank, window.strides);
  if (!scatters) {
    window_attr(s, made, "base_dilations", window.rank, window.base_dilation);
    window_attr(s, made, "window_dilations", window.rank, window.dilation);
  }
  int64_t padding[2 * BATCH_RANK_MAX] = {0};
  for (uint32_t i = 0; i < 2 * window.rank; i++) padding[i + 2] = window.padding[i];
  ten_op_set_attr(s->module, made, TEN_STR("padding"),
                  ten_attr_dense_i64(s->module, 2, (const int64_t[]){window.rank + 1, 2}, padding));
  return true;
}

bool ten_batch_sort(ten_batch *s, ten_builder *b, const ten_op *op) {
  const uint32_t rank = ten_op_operand(op, 0)->type->rank;
  if (!rank || !applies(s, op, op->operand_count)) return false;
  int64_t dim = ten_op_int(op, "dimension", -1);
  if (dim < 0) dim += rank;
  ten_op *made = ten_batch_again_all(s, b, op);
  ten_op_set_attr(s->module, made, TEN_STR("dimension"), ten_attr_i64(s->module, dim + 1));
  return true;
}

bool ten_batch_map(ten_batch *s, ten_builder *b, const ten_op *op) {
  if (!applies(s, op, op->operand_count)) return false;
  ten_op *made = ten_batch_again_all(s, b, op);
  ten_batch_dims(s, made, "dimensions", ten_batch_shift_behind(s, 0, ten_op_ints(op, "dimensions")));
  return true;
}
