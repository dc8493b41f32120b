/* index.c: rules of gathers, scatters and slices at computed positions. Batched positions make the batch a batching
 * dimension of the gather or scatter; with the same positions for all examples it is one more dimension of the slices.
 */
#include "transform/batch/rules.h"

static void sizes_set(ten_batch *s, ten_op *made, const char *name, ten_ints sizes, int64_t first) {
  int64_t list[BATCH_RANK_MAX] = {first};
  for (size_t i = 0; i < sizes.count; i++) list[i + 1] = sizes.data[i];
  ten_batch_dims(s, made, name, (ten_ints){list, sizes.count + 1});
}

bool ten_batch_gather(ten_batch *s, ten_builder *b, const ten_op *op) {
  const ten_value *x = ten_op_operand(op, 0), *indices = ten_op_operand(op, 1);
  const bool values = ten_batch_is(s, x), places = ten_batch_is(s, indices), both = values && places;
  const ten_gather_dims d = ten_gather_dims_of(ten_op_attr(op, "dimension_numbers"));
  const ten_gather_dims dims = {
      places ? ten_batch_shift(s, d.offset_dims) : ten_batch_shift_behind(s, 0, d.offset_dims),
      values ? ten_batch_shift(s, d.collapsed_slice_dims) : d.collapsed_slice_dims,
      both     ? ten_batch_shift_behind(s, 0, d.operand_batching_dims)
      : values ? ten_batch_shift(s, d.operand_batching_dims)
               : d.operand_batching_dims,
      both     ? ten_batch_shift_behind(s, 0, d.start_indices_batching_dims)
      : places ? ten_batch_shift(s, d.start_indices_batching_dims)
               : d.start_indices_batching_dims,
      values ? ten_batch_shift(s, d.start_index_map) : d.start_index_map,
      d.index_vector_dim + places};
  ten_value *operands[] = {ten_batch_get(s, x), ten_batch_get(s, indices)};
  ten_op *made = ten_batch_again(s, b, op, operands);
  ten_op_set_attr(s->module, made, TEN_STR("dimension_numbers"), ten_attr_gather_dims(s->module, &dims));
  if (values) sizes_set(s, made, "slice_sizes", ten_op_ints(op, "slice_sizes"), places ? 1 : s->count);
  if (places) ten_op_remove_attr(made, "indices_are_sorted");
  return true;
}

bool ten_batch_scatter(ten_batch *s, ten_builder *b, const ten_op *op) {
  if (ten_batch_captures(s, op)) return false;
  const uint32_t count = op->operand_count / 2; /* inputs, indices, updates */
  const bool places = ten_batch_is(s, ten_op_operand(op, count));
  ten_value **operands = ten_arena_new_array(&s->module->arena, ten_value *, op->operand_count);
  for (uint32_t i = 0; i < op->operand_count; i++)
    operands[i] = i == count ? ten_batch_get(s, ten_op_operand(op, i)) : ten_batch_operand(s, b, op, i);
  const ten_scatter_dims d = ten_scatter_dims_of(ten_op_attr(op, "scatter_dimension_numbers"));
  const ten_scatter_dims dims = {
      places ? ten_batch_shift(s, d.update_window_dims) : ten_batch_shift_behind(s, 0, d.update_window_dims),
      ten_batch_shift(s, d.inserted_window_dims),
      places ? ten_batch_shift_behind(s, 0, d.input_batching_dims) : ten_batch_shift(s, d.input_batching_dims),
      places ? ten_batch_shift_behind(s, 0, d.scatter_indices_batching_dims) : d.scatter_indices_batching_dims,
      ten_batch_shift(s, d.scatter_dims_to_operand_dims),
      d.index_vector_dim + places};
  ten_op *made = ten_batch_again(s, b, op, operands);
  ten_op_set_attr(s->module, made, TEN_STR("scatter_dimension_numbers"), ten_attr_scatter_dims(s->module, &dims));
  if (places) ten_op_remove_attr(made, "indices_are_sorted");
  return true;
}

/* ---- slices at computed positions ---- */
static bool starts_are_batched(const ten_batch *s, const ten_op *op, uint32_t first) {
  for (uint32_t i = first; i < op->operand_count; i++)
    if (ten_batch_is(s, ten_op_operand(op, i))) return true;
  return false;
}

/* The op with a start of 0 for the batch dimension. */
static ten_value **starts_with_batch(ten_batch *s, ten_builder *b, const ten_op *op, uint32_t first) {
  const uint32_t count = op->operand_count - first;
  ten_value **starts = ten_arena_new_array(&s->module->arena, ten_value *, count + 1);
  for (uint32_t i = 0; i < count; i++) starts[i + 1] = ten_batch_get(s, ten_op_operand(op, first + i));
  starts[0] = ten_build_splat_int(b, count ? starts[1]->type : ten_type_tensor(s->module, TEN_I64, 0, NULL), 0);
  return starts;
}

/* The starts as one tensor [batch, dimensions] of i64; those of ui64 beyond its largest number become that number: they
 * are clamped later anyway. */
static ten_value *starts_joined(ten_batch *s, ten_builder *b, const ten_op *op, uint32_t first) {
  const uint32_t count = op->operand_count - first;
  ten_value **columns = ten_arena_new_array(&s->module->arena, ten_value *, count + 1);
  for (uint32_t i = 0; i < count; i++) {
    ten_value *column = ten_batch_operand(s, b, op, first + i);
    if (column->type->dtype == TEN_UI64)
      column = ten_build_binary(b, TEN_OP_MINIMUM, column, ten_build_splat_int(b, column->type, INT64_MAX));
    column = ten_build_convert(b, column, TEN_I64);
    columns[i] = ten_build_reshape(b, column, 2, (const int64_t[]){s->count, 1});
  }
  return ten_build_concat(b, count, columns, 1);
}

/* 0, 1, 2… from `first` on. */
static ten_ints row(ten_batch *s, int64_t first, uint32_t count) {
  int64_t *list = ten_arena_new_array(&s->module->arena, int64_t, count + 1);
  for (uint32_t i = 0; i < count; i++) list[i] = first + i;
  return (ten_ints){list, count};
}

static const int64_t zero = 0;

bool ten_batch_dynamic_slice(ten_batch *s, ten_builder *b, const ten_op *op) {
  const ten_value *x = ten_op_operand(op, 0);
  const ten_ints sizes = ten_op_ints(op, "slice_sizes");
  int64_t list[BATCH_RANK_MAX] = {s->count};
  for (size_t i = 0; i < sizes.count; i++) list[i + 1] = sizes.data[i];
  ten_value *made;
  if (!starts_are_batched(s, op, 1)) {
    made = ten_build_dynamic_slice(b, ten_batch_get(s, x), starts_with_batch(s, b, op, 1), list);
  } else {
    const bool values = ten_batch_is(s, x);
    const uint32_t rank = x->type->rank;
    const ten_gather_dims dims = {.offset_dims = row(s, 1, rank),
                                  .operand_batching_dims = {&zero, values},
                                  .start_indices_batching_dims = {&zero, values},
                                  .start_index_map = row(s, values, rank),
                                  .index_vector_dim = 1};
    list[0] = 1;
    made = ten_build_gather(b, ten_batch_get(s, x), starts_joined(s, b, op, 1), &dims, values ? list : list + 1, false);
  }
  ten_batch_set(s, &op->results[0], made, true);
  return true;
}

bool ten_batch_dynamic_update_slice(ten_batch *s, ten_builder *b, const ten_op *op) {
  ten_value *x = ten_batch_operand(s, b, op, 0), *update = ten_batch_operand(s, b, op, 1), *made;
  if (!starts_are_batched(s, op, 2)) {
    made = ten_build_dynamic_update_slice(b, x, update, starts_with_batch(s, b, op, 2));
  } else { /* a scatter drops what is outside, so the starts are clamped first */
    const uint32_t rank = ten_op_operand(op, 0)->type->rank;
    int64_t limits[BATCH_RANK_MAX];
    for (uint32_t i = 0; i < rank; i++) limits[i] = x->type->dims[i + 1] - update->type->dims[i + 1];
    ten_value *starts = starts_joined(s, b, op, 2);
    ten_value *most = ten_build_broadcast_to(b, ten_build_i64s(b, rank, limits), 2, starts->type->dims);
    starts = ten_build_clamp(b, ten_build_splat_int(b, starts->type, 0), starts, most);
    const ten_scatter_dims dims = {.update_window_dims = row(s, 1, rank),
                                   .input_batching_dims = {&zero, 1},
                                   .scatter_indices_batching_dims = {&zero, 1},
                                   .scatter_dims_to_operand_dims = row(s, 1, rank),
                                   .index_vector_dim = 1};
    made = ten_build_scatter(b, TEN_OP_UNKNOWN, x, starts, update, &dims, false, true);
  }
  ten_batch_set(s, &op->results[0], made, true);
  return true;
}
