/* index_map.c: the index arithmetic of ops that only move elements, once for all generators.
 * Needs: verified ops.  Modifies nothing. */
#include "ir/index_map.h"

static int64_t position(ten_ints list, int64_t wanted) {
  for (size_t i = 0; i < list.count; i++)
    if (list.data[i] == wanted) return (int64_t)i;
  return -1;
}

ten_index_part ten_index_part_of(const ten_op *op, uint32_t dim) {
  const ten_type *x = ten_op_operand(op, 0)->type, *type = op->results[0].type;
  ten_index_part part = {.source = dim, .scale = 1};
  switch (op->code) {
    case TEN_OP_BROADCAST: /* new dimensions come first */
    case TEN_OP_BROADCAST_IN_DIM:
      if (x->dims[dim] == 1) return (ten_index_part){.source = -1};
      part.source = op->code == TEN_OP_BROADCAST ? (int64_t)(type->rank - x->rank + dim)
                                                 : ten_op_ints(op, "broadcast_dimensions").data[dim];
      break;
    case TEN_OP_TRANSPOSE: part.source = position(ten_op_ints(op, "permutation"), dim); break;
    case TEN_OP_SLICE:
      part.scale = ten_op_ints(op, "strides").data[dim];
      part.offset = ten_op_ints(op, "start_indices").data[dim];
      break;
    case TEN_OP_REVERSE:
      if (!ten_ints_has(ten_op_ints(op, "dimensions"), dim)) break;
      part.scale = -1;
      part.offset = x->dims[dim] - 1;
      break;
    default: break;
  }
  return part;
}

bool ten_reshape_next(const ten_type *from, const ten_type *to, ten_reshape_run *run) {
  uint32_t i = run->from = run->from_end, j = run->to = run->to_end;
  if (i == from->rank && j == to->rank) return false;
  int64_t left = i < from->rank ? from->dims[i++] : 1, right = j < to->rank ? to->dims[j++] : 1;
  while (left != right) {
    if (i < from->rank && (left < right || j == to->rank))
      left *= from->dims[i++];
    else if (j < to->rank)
      right *= to->dims[j++];
    else
      break; /* no elements: sizes like 0 and 0 × 4 */
  }
  run->from_end = i;
  run->to_end = j;
  return true;
}

ten_pad_part ten_pad_part_of(const ten_op *op, uint32_t dim) {
  const int64_t low = ten_op_ints(op, "edge_padding_low").data[dim],
                high = ten_op_ints(op, "edge_padding_high").data[dim],
                interior = ten_op_ints(op, "interior_padding").data[dim];
  return (ten_pad_part){.low = low,
                        .step = interior + 1,
                        .size = ten_op_operand(op, 0)->type->dims[dim],
                        .whole = !low && !high && !interior};
}

bool ten_concat_next(const ten_op *op, ten_concat_piece *piece) {
  const int64_t dim = ten_op_int(op, "dimension", 0);
  uint32_t i = piece->end ? piece->operand + 1 : 0;
  while (i < op->operand_count && !ten_op_operand(op, i)->type->dims[dim]) i++;
  if (i == op->operand_count) return false;
  *piece = (ten_concat_piece){.operand = i, .dim = (uint32_t)dim, .start = piece->end};
  piece->end = piece->start + ten_op_operand(op, i)->type->dims[dim];
  piece->last = piece->end == op->results[0].type->dims[dim];
  return true;
}

ten_start_part ten_start_part_of(const ten_op *op, uint32_t dim) {
  const bool updates = op->code == TEN_OP_DYNAMIC_UPDATE_SLICE;
  const int64_t all = ten_op_operand(op, 0)->type->dims[dim],
                size = (updates ? ten_op_operand(op, 1)->type : op->results[0].type)->dims[dim];
  return (ten_start_part){
      .start = ten_op_operand(op, (updates ? 2 : 1) + dim), .high = all - size, .size = size, .whole = size == all};
}

/* The number-th of `rank` dimensions outside the list (of a gather's offset or a scatter's window dimensions). */
static int64_t batch_dim(uint32_t rank, ten_ints others, int64_t number) {
  for (int64_t i = 0; i < (int64_t)rank; i++)
    if (!ten_ints_has(others, i) && number-- == 0) return i;
  return -1;
}

/* The batch dimension that corresponds to dimension `dim` of the start indices. */
static int64_t batch_of_start(uint32_t rank, ten_ints others, int64_t vector_dim, int64_t dim) {
  return batch_dim(rank, others, dim > vector_dim ? dim - 1 : dim);
}

ten_gather_part ten_gather_part_of(const ten_op *op, uint32_t dim) {
  const ten_gather_dims dims = ten_gather_dims_of(ten_op_attr(op, "dimension_numbers"));
  ten_gather_part part = {.component = position(dims.start_index_map, dim), .source = -1};
  part.high = ten_op_operand(op, 0)->type->dims[dim] - ten_op_ints(op, "slice_sizes").data[dim];
  const int64_t batching = position(dims.operand_batching_dims, dim);
  if (batching >= 0) {
    part.source = batch_of_start(op->results[0].type->rank, dims.offset_dims, dims.index_vector_dim,
                                 dims.start_indices_batching_dims.data[batching]);
    return part;
  }
  if (ten_ints_has(dims.collapsed_slice_dims, dim)) return part;
  size_t offset = 0; /* among the dimensions of a slice */
  for (uint32_t i = 0; i < dim; i++)
    offset += !ten_ints_has(dims.collapsed_slice_dims, i) && !ten_ints_has(dims.operand_batching_dims, i);
  part.source = dims.offset_dims.data[offset];
  return part;
}

int64_t ten_gather_start_of(const ten_op *op, uint32_t dim) {
  const ten_gather_dims dims = ten_gather_dims_of(ten_op_attr(op, "dimension_numbers"));
  if (dim == dims.index_vector_dim) return -1;
  return batch_of_start(op->results[0].type->rank, dims.offset_dims, dims.index_vector_dim, dim);
}

ten_scatter_part ten_scatter_part_of(const ten_op *op, uint32_t dim) {
  const ten_scatter_dims dims = ten_scatter_dims_of(ten_op_attr(op, "scatter_dimension_numbers"));
  const ten_type *updates = ten_op_operand(op, op->result_count + 1)->type;
  ten_scatter_part part = {.component = position(dims.scatter_dims_to_operand_dims, dim), .batch = -1, .window = -1};
  const int64_t batching = position(dims.input_batching_dims, dim);
  if (batching >= 0)
    part.batch = batch_of_start(updates->rank, dims.update_window_dims, dims.index_vector_dim,
                                dims.scatter_indices_batching_dims.data[batching]);
  if (batching < 0 && !ten_ints_has(dims.inserted_window_dims, dim)) {
    size_t number = 0; /* among the dimensions of a window */
    for (uint32_t i = 0; i < dim; i++)
      number += !ten_ints_has(dims.inserted_window_dims, i) && !ten_ints_has(dims.input_batching_dims, i);
    part.window = dims.update_window_dims.data[number];
  }
  part.high = op->results[0].type->dims[dim] - (part.window < 0 ? 1 : updates->dims[part.window]);
  return part;
}

int64_t ten_scatter_start_of(const ten_op *op, uint32_t dim) {
  const ten_scatter_dims dims = ten_scatter_dims_of(ten_op_attr(op, "scatter_dimension_numbers"));
  if (dim == dims.index_vector_dim) return -1;
  return batch_of_start(ten_op_operand(op, op->result_count + 1)->type->rank, dims.update_window_dims,
                        dims.index_vector_dim, dim);
}
