/* graph.c: tensors and nodes, ties between scales, and the order in which dimensions are stored. */
#include "edge/graph.h"

#include <stdlib.h>

const edge_op_info edge_op_infos[EDGE_KIND_COUNT] = {
#define EDGE_OP(kind, composite, builtin, code, version, options, moves) \
  [EDGE_##kind] = {composite, builtin, code, version, options, moves},
#include "edge/ops.def"
#undef EDGE_OP
};

void edge_graph_init(edge_graph *g) {
  *g = (edge_graph){0};
  ten_arena_init(&g->arena);
}

void edge_graph_free(edge_graph *g) {
  ten_tensors_release(g->known.data, g->known.count);
  ten_vec_free(&g->known);
  ten_vec_free(&g->tensors);
  ten_vec_free(&g->nodes);
  ten_vec_free(&g->inputs);
  ten_vec_free(&g->outputs);
  ten_arena_destroy(&g->arena);
}

uint32_t edge_tensor_add(edge_graph *g, ten_str name, uint32_t rank, const int64_t *dims, const uint8_t *order) {
  const uint32_t index = (uint32_t)g->tensors.count;
  edge_tensor t = {.rank = rank, .dtype = TEN_I8, .tie = index, .low = 1, .high = 0};
  t.name = (ten_str){ten_arena_strdup(&g->arena, name.data ? name.data : "", name.size), name.size};
  for (uint32_t i = 0; i < rank; i++) t.dims[i] = dims[i], t.order[i] = order ? order[i] : (uint8_t)i;
  ten_vec_push(&g->tensors, t);
  return index;
}

int64_t edge_tensor_count(const edge_tensor *t) {
  int64_t count = 1;
  for (uint32_t i = 0; i < t->rank; i++) count *= t->dims[i];
  return count;
}

int64_t edge_tensor_dim(const edge_tensor *t, uint32_t dim) {
  for (uint32_t i = 0; i < t->rank; i++)
    if (t->order[i] == dim) return t->dims[i];
  return 1;
}

edge_node *edge_node_add(edge_graph *g, edge_kind kind, uint32_t input_count, const uint32_t *inputs, uint32_t output,
                         const ten_loc *loc) {
  const edge_node node = {.kind = kind,
                          .inputs = ten_arena_copy(&g->arena, inputs, input_count * sizeof *inputs),
                          .input_count = input_count,
                          .output = output,
                          .stride = {1, 1},
                          .dilation = {1, 1},
                          .window = {1, 1},
                          .loc = loc};
  ten_vec_push(&g->nodes, node);
  if (edge_op_infos[kind].moves)
    for (uint32_t i = 0; i < input_count; i++) edge_tie(g, inputs[i], output);
  return &g->nodes.data[g->nodes.count - 1];
}

void edge_node_list(edge_graph *g, edge_node *node, uint32_t count, const int64_t *values) {
  int32_t *list = ten_arena_new_array(&g->arena, int32_t, count + 1);
  for (uint32_t i = 0; i < count; i++) list[i] = (int32_t)values[i];
  node->list = list;
  node->list_count = count;
}

uint32_t edge_tie_of(const edge_graph *g, uint32_t tensor) {
  while (g->tensors.data[tensor].tie != tensor) tensor = g->tensors.data[tensor].tie;
  return tensor;
}

void edge_tie(edge_graph *g, uint32_t a, uint32_t b) {
  a = edge_tie_of(g, a), b = edge_tie_of(g, b);
  if (a == b) return;
  edge_at(g, b)->tie = a;
  edge_tensor *x = edge_at(g, a);
  const edge_tensor *y = edge_get(g, b);
  x->fixed |= y->fixed;
  if (!x->scales) x->scales = y->scales, x->zero_point = y->zero_point;
}

/* A node that did the same already. */
static uint32_t find_moved(const edge_graph *g, edge_kind kind, uint32_t tensor, uint32_t rank, const int64_t *dims,
                           const uint8_t *order) {
  for (size_t i = g->nodes.count; i-- > 0;) {
    const edge_node *node = &g->nodes.data[i];
    if (node->kind != kind || node->inputs[0] != tensor) continue;
    const edge_tensor *t = edge_get(g, node->output);
    if (t->rank == rank && !memcmp(t->dims, dims, rank * sizeof *dims) && !memcmp(t->order, order, rank))
      return node->output;
  }
  return EDGE_NONE;
}

static uint32_t moved(edge_graph *g, edge_kind kind, uint32_t tensor, uint32_t rank, const int64_t *dims,
                      const uint8_t *order, const int64_t *list, const ten_loc *loc) {
  const uint32_t found = find_moved(g, kind, tensor, rank, dims, order);
  if (found != EDGE_NONE) return found;
  const uint32_t output = edge_tensor_add(g, edge_get(g, tensor)->name, rank, dims, order);
  edge_at(g, output)->nonnegative = edge_get(g, tensor)->nonnegative;
  edge_node_list(g, edge_node_add(g, kind, 1, &tensor, output, loc), rank, list);
  return output;
}

uint32_t edge_arrange(edge_graph *g, uint32_t tensor, const uint8_t *order, const ten_loc *loc) {
  const edge_tensor t = *edge_get(g, tensor);
  int64_t permutation[EDGE_RANK], dims[EDGE_RANK], last = -1;
  bool same = true, units = true; /* units: only dimensions of size one change places */
  for (uint32_t i = 0; i < t.rank; i++) {
    uint32_t from = 0;
    while (from < t.rank && t.order[from] != order[i]) from++;
    permutation[i] = from;
    dims[i] = t.dims[from];
    same &= from == i;
    if (dims[i] == 1) continue;
    units &= (int64_t)from > last;
    last = from;
  }
  if (same) return tensor;
  uint32_t output;
  if (units)
    output = moved(g, EDGE_RESHAPE, tensor, t.rank, dims, order, dims, loc);
  else
    output = moved(g, EDGE_TRANSPOSE, tensor, t.rank, dims, order, permutation, loc);
  edge_at(g, output)->value = t.value;
  return output;
}

uint32_t edge_reshape(edge_graph *g, uint32_t tensor, uint32_t rank, const int64_t *dims, const uint8_t *order,
                      const ten_loc *loc) {
  uint8_t plain[EDGE_RANK];
  for (uint32_t i = 0; i < rank; i++) plain[i] = order ? order[i] : (uint8_t)i;
  const edge_tensor *t = edge_get(g, tensor);
  if (t->rank == rank && !memcmp(t->dims, dims, rank * sizeof *dims) && !memcmp(t->order, plain, rank)) return tensor;
  return moved(g, EDGE_RESHAPE, tensor, rank, dims, plain, dims, loc);
}
