/* index_map.c: the index arithmetic of ops that only move elements, once for all generators.
 * Needs: verified ops.  Keeps: everything. */
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
      break; /* no elements at all: 0 and 0 × 4 */
  }
  run->from_end = i;
  run->to_end = j;
  return true;
}

/* The number-th dimension of a gather's result that is no offset. */
static int64_t batch_dim(const ten_op *op, const ten_gather_dims *dims, int64_t number) {
  for (int64_t i = 0; i < (int64_t)op->results[0].type->rank; i++)
    if (!ten_ints_has(dims->offset_dims, i) && number-- == 0) return i;
  return -1;
}

ten_gather_part ten_gather_part_of(const ten_op *op, uint32_t dim) {
  const ten_gather_dims dims = ten_gather_dims_of(ten_op_attr(op, "dimension_numbers"));
  ten_gather_part part = {.component = position(dims.start_index_map, dim), .source = -1};
  part.high = ten_op_operand(op, 0)->type->dims[dim] - ten_op_ints(op, "slice_sizes").data[dim];
  const int64_t batching = position(dims.operand_batching_dims, dim);
  if (batching >= 0) {
    const int64_t from = dims.start_indices_batching_dims.data[batching];
    part.source = batch_dim(op, &dims, from > dims.index_vector_dim ? from - 1 : from);
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
  return batch_dim(op, &dims, dim > dims.index_vector_dim ? (int64_t)dim - 1 : (int64_t)dim);
}
