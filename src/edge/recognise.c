/* recognise.c: an f32 program as ops of TFLite. The ops of the function are walked in order; each handler looks ahead
 * for what TFLite merges into one op (a bias, an activation, the division of a mean) and marks it as seen.
 * Needs: an inlined, simplified function of one block, static shapes. */
#include "edge/recognise.h"

#include <stdio.h>
#include <stdlib.h>

static ten_status *take(recogniser *r, ten_op *op) {
  switch (op->code) {
    case TEN_OP_CONVOLUTION: return edge_take_conv(r, op);
    case TEN_OP_DOT_GENERAL: return edge_take_linear(r, op) ? NULL : edge_take_dot(r, op);
    case TEN_OP_REDUCE: return edge_take_reduce(r, op);
    case TEN_OP_REDUCE_WINDOW: return edge_take_window(r, op);
    case TEN_OP_ADD:
    case TEN_OP_SUBTRACT:
    case TEN_OP_MULTIPLY:
    case TEN_OP_DIVIDE: return edge_take_binary(r, op);
    case TEN_OP_LOGISTIC:
    case TEN_OP_TANH: return edge_take_unary(r, op);
    case TEN_OP_MAXIMUM:
    case TEN_OP_CLAMP: return edge_take_clamp(r, op);
    case TEN_OP_COMPARE: return edge_take_compare(r, op);
    case TEN_OP_SELECT: return edge_take_select(r, op);
    case TEN_OP_RESHAPE:
    case TEN_OP_TRANSPOSE:
    case TEN_OP_BROADCAST_IN_DIM:
    case TEN_OP_CONCATENATE:
    case TEN_OP_PAD:
    case TEN_OP_SLICE: return edge_take_shape(r, op);
    case TEN_OP_GATHER: return edge_take_nearest(r, op);
    default: return edge_refuse(r, op, "no op of TFLite stands for it");
  }
}

/* Whether any operand is something that was given a tensor; problems of others are not repeated. */
static bool is_reached(const ten_op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (ten_op_operand(op, i)->number) return true;
  return false;
}

static const uint8_t image_order[] = {0, 2, 3, 1};

static ten_status *take_inputs(recogniser *r, const ten_op *func) {
  ten_block *body = ten_op_body(func, 0);
  for (uint32_t i = 0; i < body->arg_count; i++) {
    ten_value *value = body->args[i];
    const ten_type *type = value->type;
    if (!ten_type_is_tensor(type) || type->dtype != TEN_F32 || !ten_type_is_static(type) || type->rank > EDGE_RANK) {
      ten_buf text = {0};
      ten_type_print(&text, type);
      ten_status *status = ten_error(
          TEN_UNSUPPORTED, "input %u is %s; only f32 tensors of known sizes and at most %d dimensions can be quantized",
          i, text.data, EDGE_RANK);
      ten_buf_free(&text);
      return status;
    }
    if (!ten_type_count(type)) return ten_error(TEN_INVALID, "input %u has no elements", i);
    ten_str name = ten_func_input_name(func, i);
    char fallback[32];
    if (!name.size) name = (ten_str){fallback, (size_t)snprintf(fallback, sizeof fallback, "input%u", i)};
    const bool turn = r->options.channels_last && type->rank == 4;
    int64_t dims[EDGE_RANK];
    uint8_t order[EDGE_RANK];
    for (uint32_t k = 0; k < type->rank; k++)
      order[k] = turn ? image_order[k] : (uint8_t)k, dims[k] = type->dims[order[k]];
    uint32_t tensor = edge_tensor_add(r->g, name, type->rank, dims, order);
    ten_vec_push(&r->g->inputs, tensor);
    if (r->options.real_io) {
      edge_at(r->g, tensor)->dtype = TEN_F32;
      const uint32_t real = tensor;
      tensor = edge_tensor_add(r->g, name, type->rank, dims, order);
      edge_node_add(r->g, EDGE_QUANTIZE, 1, &real, tensor, value->loc);
    }
    edge_set(r, value, tensor);
  }
  return NULL;
}

static ten_status *take_outputs(recogniser *r, const ten_op *func) {
  const ten_op *last = ten_block_terminator(ten_op_body(func, 0));
  for (uint32_t i = 0; i < last->operand_count; i++) {
    const ten_value *value = ten_op_operand(last, i);
    uint32_t tensor = edge_tensor_of(r, value, false, last);
    if (tensor == EDGE_NONE) {
      if (!r->problem_count) (void)edge_refuse(r, last, "result %u is a constant", i);
      continue;
    }
    const bool turn = r->options.channels_last && value->type->rank == 4;
    uint8_t order[EDGE_RANK];
    for (uint32_t k = 0; k < value->type->rank; k++) order[k] = turn ? image_order[k] : (uint8_t)k;
    tensor = edge_arrange(r->g, tensor, order, last->loc);
    if (r->options.real_io) {
      const uint32_t stored = tensor;
      const edge_tensor t = *edge_get(r->g, stored);
      tensor = edge_tensor_add(r->g, ten_func_result_name(func, i), t.rank, t.dims, t.order);
      edge_at(r->g, tensor)->dtype = TEN_F32;
      edge_node_add(r->g, EDGE_DEQUANTIZE, 1, &stored, tensor, last->loc);
    }
    ten_vec_push(&r->g->outputs, tensor);
  }
  return NULL;
}

/* A reshape of a reshape is one of what that one takes; one that changes nothing is dropped. */
static void join_reshapes(edge_graph *g) {
  uint32_t *alias = ten_arena_new_array(&g->arena, uint32_t, g->tensors.count + 1),
           *from = ten_arena_new_array(&g->arena, uint32_t, g->tensors.count + 1);
  for (uint32_t i = 0; i < g->tensors.count; i++) alias[i] = from[i] = i;
  for (size_t i = 0; i < g->nodes.count; i++) {
    edge_node *node = &g->nodes.data[i];
    uint32_t *inputs = ten_arena_copy(&g->arena, node->inputs, node->input_count * sizeof *inputs);
    for (uint32_t k = 0; k < node->input_count; k++) inputs[k] = alias[inputs[k]];
    node->inputs = inputs;
    if (node->kind != EDGE_RESHAPE) continue;
    inputs[0] = from[node->output] = from[inputs[0]];
    const edge_tensor *x = edge_get(g, inputs[0]), *y = edge_get(g, node->output);
    if (x->rank == y->rank && !memcmp(x->dims, y->dims, x->rank * sizeof *x->dims)) alias[node->output] = inputs[0];
  }
  for (size_t i = 0; i < g->outputs.count; i++) g->outputs.data[i] = alias[g->outputs.data[i]];
}

/* Drops nodes that nothing needs. */
static void prune(edge_graph *g) {
  bool *needed = ten_arena_alloc(&g->arena, g->tensors.count + 1);
  for (size_t i = 0; i < g->outputs.count; i++) needed[g->outputs.data[i]] = true;
  for (size_t i = g->nodes.count; i-- > 0;) {
    const edge_node *node = &g->nodes.data[i];
    for (uint32_t k = 0; k < node->input_count && needed[node->output]; k++) needed[node->inputs[k]] = true;
  }
  size_t count = 0;
  for (size_t i = 0; i < g->nodes.count; i++)
    if (needed[g->nodes.data[i].output]) g->nodes.data[count++] = g->nodes.data[i];
  g->nodes.count = count;
}

/* Several ops that are one: a softmax, or a value that was quantized and back. */
typedef struct pattern {
  ten_op *end;
  ten_value *x;
  int64_t dim; /* of a softmax; -1: of none */
  double scale, zero_point;
} pattern;
typedef TEN_VEC(pattern) pattern_list;

/* The tensor stays, with the scale that the program gives it. */
static ten_status *take_fake(recogniser *r, const pattern *p) {
  const uint32_t tensor = edge_tensor_of(r, p->x, true, p->end);
  if (tensor == EDGE_NONE) return NULL;
  edge_tensor *root = edge_at(r->g, edge_tie_of(r->g, tensor));
  const float scale = (float)p->scale;
  if (!root->scales) {
    root->scales = ten_arena_copy(&r->g->arena, &scale, sizeof scale);
    root->zero_point = (int32_t)p->zero_point;
  }
  edge_set(r, &p->end->results[0], tensor);
  return NULL;
}

static ten_status *walk(recogniser *r, const ten_op *func, const pattern_list *found) {
  for (ten_op *op = ten_op_body(func, 0)->first; op && op->next; op = op->next) {
    bool done = op->number != 0;
    for (size_t i = 0; i < found->count && !done; i++) {
      const pattern *p = &found->data[i];
      if (p->end != op) continue;
      TEN_TRY(p->dim < 0 ? take_fake(r, p) : edge_take_softmax(r, op, p->x, p->dim));
      done = true;
    }
    if (!done && is_reached(op)) TEN_TRY(take(r, op));
  }
  return NULL;
}

static ten_status *recognise(recogniser *r, const ten_op *func) {
  ten_block *body = ten_op_body(func, 0);
  if (!body || body->next) return ten_error(TEN_UNSUPPORTED, "the function has several blocks");
  for (uint32_t i = 0; i < body->arg_count; i++) body->args[i]->number = 0;
  for (ten_op *op = body->first; op; op = op->next) {
    op->number = 0;
    op->data = NULL;
    for (uint32_t i = 0; i < op->result_count; i++) op->results[i].number = 0;
  }
  TEN_TRY(take_inputs(r, func));
  pattern_list found = {0};
  for (ten_op *op = body->first; op; op = op->next) {
    pattern p = {.end = op, .dim = -1};
    if (edge_find_softmax(r, op, &p.x, &p.dim) || edge_find_fake(r, op, &p.x, &p.scale, &p.zero_point))
      ten_vec_push(&found, p);
  }
  ten_status *status = walk(r, func, &found);
  ten_vec_free(&found);
  if (!status) status = take_outputs(r, func);
  for (ten_op *op = body->first; op; op = op->next) op->data = NULL;
  if (status) return status;
  if (r->problem_count)
    return ten_error(TEN_UNSUPPORTED, "%zu op%s cannot be quantized for TFLite:%s%s", r->problem_count,
                     r->problem_count == 1 ? "" : "s", r->problems.data, r->problem_count > 12 ? "\n  …" : "");
  join_reshapes(r->g);
  prune(r->g);
  return NULL;
}

ten_status *edge_recognise(ten_module *module, const ten_op *func, const edge_shape_options *options, edge_graph *g) {
  recogniser r = {.g = g, .module = module, .options = *options};
  const ten_str name = ten_func_name(func);
  g->name = (ten_str){ten_arena_strdup(&g->arena, name.data, name.size), name.size};
  ten_status *status = recognise(&r, func);
  ten_buf_free(&r.problems);
  return status;
}
