/* shapes.c: ops that move elements. A transpose is only another name for the dimensions until an op needs an order. */
#include <stdlib.h>

#include "edge/recognise.h"

/* Dimensions of size one come or go: the others stay as they are stored. */
static bool take_units(recogniser *r, ten_op *op, uint32_t tensor) {
  const ten_type *from = ten_op_operand(op, 0)->type, *to = op->results[0].type;
  const edge_tensor t = *edge_get(r->g, tensor);
  uint8_t map[EDGE_RANK], order[EDGE_RANK];
  uint32_t next = 0, rank = 0;
  for (uint32_t i = 0; i < from->rank; i++) {
    if (from->dims[i] == 1) continue;
    while (next < to->rank && to->dims[next] == 1) next++;
    if (next == to->rank || to->dims[next] != from->dims[i]) return false;
    map[i] = (uint8_t)next++;
  }
  for (uint32_t i = 0; i < to->rank; i++)
    if (to->dims[i] == 1) order[rank++] = (uint8_t)i;
  for (uint32_t i = 0; i < t.rank; i++)
    if (from->dims[t.order[i]] != 1) order[rank++] = map[t.order[i]];
  if (rank != to->rank) return false;
  int64_t dims[EDGE_RANK];
  for (uint32_t i = 0; i < rank; i++) dims[i] = to->dims[order[i]];
  edge_set(r, &op->results[0], edge_reshape(r->g, tensor, rank, dims, order, op->loc));
  return true;
}

static ten_status *take_reshape(recogniser *r, ten_op *op, uint32_t tensor) {
  if (take_units(r, op, tensor)) return NULL;
  uint8_t plain[EDGE_RANK];
  for (uint32_t i = 0; i < EDGE_RANK; i++) plain[i] = (uint8_t)i;
  const ten_type *type = op->results[0].type;
  tensor = edge_arrange(r->g, tensor, plain, op->loc);
  edge_set(r, &op->results[0], edge_reshape(r->g, tensor, type->rank, type->dims, NULL, op->loc));
  return NULL;
}

/* The same stored elements with their dimensions called otherwise. */
static ten_status *take_transpose(recogniser *r, ten_op *op, uint32_t tensor) {
  const ten_ints permutation = ten_op_ints(op, "permutation");
  const edge_tensor t = *edge_get(r->g, tensor);
  const uint32_t view = edge_tensor_add(r->g, t.name, t.rank, t.dims, t.order);
  edge_tensor *v = edge_at(r->g, view);
  for (uint32_t i = 0; i < t.rank; i++)
    for (uint32_t k = 0; k < permutation.count; k++)
      if (permutation.data[k] == t.order[i]) v->order[i] = (uint8_t)k;
  v->nonnegative = t.nonnegative;
  /* A view has to be made by something: a reshape to the same shape costs nothing and is dropped by who reads it. */
  edge_node_list(r->g, edge_node_add(r->g, EDGE_RESHAPE, 1, &tensor, view, op->loc), t.rank, t.dims);
  edge_set(r, &op->results[0], view);
  return NULL;
}

static ten_status *take_broadcast(recogniser *r, ten_op *op, uint32_t tensor) {
  const ten_ints map = ten_op_ints(op, "broadcast_dimensions");
  const ten_type *from = ten_op_operand(op, 0)->type, *to = op->results[0].type;
  const edge_tensor t = *edge_get(r->g, tensor);
  uint8_t order[EDGE_RANK];
  int64_t dims[EDGE_RANK];
  uint32_t rank = 0;
  for (uint32_t i = 0; i < to->rank; i++)
    if (!ten_ints_has(map, i)) order[rank] = (uint8_t)i, dims[rank++] = 1;
  for (uint32_t i = 0; i < t.rank; i++) order[rank] = (uint8_t)map.data[t.order[i]], dims[rank++] = t.dims[i];
  (void)from;
  edge_set(r, &op->results[0], edge_reshape(r->g, tensor, rank, dims, order, op->loc));
  return NULL;
}

/* Where dimension `dim` is stored. */
static uint32_t stored_at(const edge_tensor *t, int64_t dim) {
  uint32_t i = 0;
  while (i + 1 < t->rank && t->order[i] != dim) i++;
  return i;
}

static ten_status *take_concat(recogniser *r, ten_op *op) {
  edge_graph *g = r->g;
  const int64_t dim = ten_op_int(op, "dimension", 0);
  uint32_t *inputs = ten_arena_new_array(&g->arena, uint32_t, op->operand_count);
  uint8_t order[EDGE_RANK];
  for (uint32_t i = 0; i < op->operand_count; i++) {
    if (edge_known(r, ten_op_operand(op, i))) return edge_refuse(r, op, "constants among what is joined");
    inputs[i] = edge_tensor_of(r, ten_op_operand(op, i), false, op);
    if (inputs[i] == EDGE_NONE) return NULL;
    if (!i) memcpy(order, edge_get(g, inputs[i])->order, sizeof order);
    inputs[i] = edge_arrange(g, inputs[i], order, op->loc);
  }
  bool nonnegative = true;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const edge_tensor t = *edge_get(g, inputs[i]);
    nonnegative &= t.nonnegative;
    if (!edge_get(g, edge_tie_of(g, inputs[i]))->fixed) continue;
    const uint32_t from = inputs[i]; /* its scale is its own: the joined tensor has another */
    inputs[i] = edge_tensor_add(g, t.name, t.rank, t.dims, t.order);
    edge_at(g, inputs[i])->value = t.value;
    edge_node_add(g, EDGE_QUANTIZE, 1, &from, inputs[i], op->loc);
  }
  edge_tensor t = *edge_get(g, inputs[0]);
  t.dims[stored_at(&t, dim)] = op->results[0].type->dims[dim];
  const uint32_t output = edge_tensor_add(g, edge_name_of(op), t.rank, t.dims, t.order);
  edge_node_add(g, EDGE_CONCATENATION, op->operand_count, inputs, output, op->loc)->axis = stored_at(&t, dim);
  edge_at(g, output)->nonnegative = nonnegative;
  edge_set(r, &op->results[0], output);
  return NULL;
}

static ten_status *take_pad(recogniser *r, ten_op *op, uint32_t tensor) {
  const ten_ints low = ten_op_ints(op, "edge_padding_low"), high = ten_op_ints(op, "edge_padding_high"),
                 inner = ten_op_ints(op, "interior_padding");
  double with;
  if (!edge_number_of(r, ten_op_operand(op, 1), &with) || with != 0)
    return edge_refuse(r, op, "padding with something else than 0");
  edge_tensor t = *edge_get(r->g, tensor);
  int64_t pads[2 * EDGE_RANK];
  for (uint32_t i = 0; i < t.rank; i++) {
    const uint8_t dim = t.order[i];
    if (low.data[dim] < 0 || high.data[dim] < 0 || inner.data[dim])
      return edge_refuse(r, op, "negative or interior padding");
    pads[2 * i] = low.data[dim], pads[2 * i + 1] = high.data[dim];
    t.dims[i] += pads[2 * i] + pads[2 * i + 1];
  }
  if (t.rank > 4) return edge_refuse(r, op, "padding of more than 4 dimensions");
  const uint32_t output = edge_tensor_add(r->g, edge_name_of(op), t.rank, t.dims, t.order);
  edge_node_list(r->g, edge_node_add(r->g, EDGE_PAD, 1, &tensor, output, op->loc), 2 * t.rank, pads);
  edge_at(r->g, output)->nonnegative = t.nonnegative;
  edge_set(r, &op->results[0], output);
  return NULL;
}

static ten_status *take_slice(recogniser *r, ten_op *op, uint32_t tensor) {
  const ten_ints start = ten_op_ints(op, "start_indices"), strides = ten_op_ints(op, "strides");
  edge_tensor t = *edge_get(r->g, tensor);
  int64_t list[2 * EDGE_RANK];
  for (uint32_t i = 0; i < t.rank; i++) {
    const uint8_t dim = t.order[i];
    if (strides.data[dim] != 1)
      return edge_refuse(r, op, "a slice with a stride of %lld", (long long)strides.data[dim]);
    list[i] = start.data[dim];
    list[t.rank + i] = t.dims[i] = op->results[0].type->dims[dim];
  }
  const uint32_t output = edge_tensor_add(r->g, edge_name_of(op), t.rank, t.dims, t.order);
  edge_node_list(r->g, edge_node_add(r->g, EDGE_SLICE, 1, &tensor, output, op->loc), 2 * t.rank, list);
  edge_at(r->g, output)->nonnegative = t.nonnegative;
  edge_set(r, &op->results[0], output);
  return NULL;
}

ten_status *edge_take_shape(recogniser *r, ten_op *op) {
  const ten_type *type = op->results[0].type;
  if (type->rank > EDGE_RANK || !ten_type_count(type))
    return edge_refuse(r, op, "%u dimensions, or no elements; at most %d", type->rank, EDGE_RANK);
  if (op->code == TEN_OP_CONCATENATE) return take_concat(r, op);
  const bool spread = op->code == TEN_OP_BROADCAST_IN_DIM;
  const uint32_t tensor = edge_tensor_of(r, ten_op_operand(op, 0), spread, op);
  if (tensor == EDGE_NONE) return NULL;
  switch (op->code) {
    case TEN_OP_RESHAPE: return take_reshape(r, op, tensor);
    case TEN_OP_TRANSPOSE: return take_transpose(r, op, tensor);
    case TEN_OP_BROADCAST_IN_DIM: return take_broadcast(r, op, tensor);
    case TEN_OP_PAD: return take_pad(r, op, tensor);
    default: return take_slice(r, op, tensor);
  }
}
