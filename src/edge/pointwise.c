/* pointwise.c: elementwise ops: two tensors, a tensor and constants, functions of one tensor. */
#include <stdlib.h>

#include "edge/recognise.h"
#include "ir/builder.h"

/* Constants as a tensor that broadcasts against one stored in `order`: leading ones are left out. `invert`: for a
 * product instead of a division; `negate`: for a sum instead of a difference. */
static uint32_t literal_tensor(recogniser *r, const edge_literal *literal, const uint8_t *order, bool invert,
                               bool negate, ten_str name) {
  int64_t steps[EDGE_RANK], step = 1, dims[EDGE_RANK], at[EDGE_RANK] = {0};
  for (uint32_t i = literal->rank; i-- > 0;) steps[i] = step, step *= literal->dims[i];
  for (uint32_t i = 0; i < literal->rank; i++) dims[i] = literal->dims[order[i]];
  float *data = ten_arena_new_array(&r->g->arena, float, literal->count);
  for (size_t k = 0; k < literal->count; k++) {
    int64_t from = 0;
    for (uint32_t i = 0; i < literal->rank; i++) from += at[i] * steps[order[i]];
    const float x = literal->data[from];
    data[k] = invert ? 1 / x : negate ? -x : x;
    for (uint32_t i = literal->rank; i-- > 0;) {
      if (++at[i] < dims[i]) break;
      at[i] = 0;
    }
  }
  uint32_t lead = 0;
  while (lead + 1 < literal->rank && dims[lead] == 1) lead++;
  const int64_t one = 1;
  return literal->rank ? edge_constant(r->g, name, literal->rank - lead, dims + lead, data)
                       : edge_constant(r->g, name, 1, &one, data);
}

static bool is_zero(const edge_literal *literal) {
  for (size_t i = 0; i < literal->count; i++)
    if (literal->data[i] == 0) return true;
  return false;
}

/* The larger of two that broadcast against each other. */
static uint32_t output_like(edge_graph *g, uint32_t a, uint32_t b, ten_str name) {
  const edge_tensor x = *edge_get(g, a), *y = edge_get(g, b);
  int64_t dims[EDGE_RANK];
  for (uint32_t i = 0; i < x.rank; i++) {
    const uint32_t lead = x.rank - y->rank;
    const int64_t other = i < lead ? 1 : y->dims[i - lead];
    dims[i] = x.dims[i] > other ? x.dims[i] : other;
  }
  return edge_tensor_add(g, name, x.rank, dims, x.order);
}

static ten_status *finish(recogniser *r, ten_op *op, edge_kind kind, uint32_t a, uint32_t b) {
  edge_activation activation;
  ten_value *end = edge_take_activation(r, &op->results[0], &activation);
  const uint32_t inputs[] = {a, b}, output = output_like(r->g, a, b, edge_name_of(op));
  if (edge_tensor_count(edge_get(r->g, output)) != ten_type_count(op->results[0].type))
    return edge_refuse(r, op, "both operands are broadcast");
  edge_node_add(r->g, kind, 2, inputs, output, op->loc)->activation = activation;
  edge_at(r->g, output)->nonnegative = activation != EDGE_LINEAR;
  edge_set(r, end, output);
  return NULL;
}

static bool is_plain(const edge_tensor *t) {
  for (uint32_t i = 0; i < t->rank; i++)
    if (t->order[i] != i) return false;
  return true;
}

static ten_status *take_two(recogniser *r, ten_op *op, uint32_t a, uint32_t b) {
  edge_graph *g = r->g;
  if (op->code == TEN_OP_DIVIDE) return edge_refuse(r, op, "a division of two values; there is one by constants");
  const bool swap =
      op->code != TEN_OP_SUBTRACT && edge_tensor_count(edge_get(g, b)) > edge_tensor_count(edge_get(g, a));
  if (swap) {
    const uint32_t kept = a;
    a = b, b = kept;
  }
  uint8_t order[EDGE_RANK];
  memcpy(order, is_plain(edge_get(g, a)) ? edge_get(g, b)->order : edge_get(g, a)->order, sizeof order);
  a = edge_arrange(g, a, order, op->loc), b = edge_arrange(g, b, order, op->loc);
  return finish(r, op, op->code == TEN_OP_ADD ? EDGE_ADD : op->code == TEN_OP_SUBTRACT ? EDGE_SUB : EDGE_MUL, a, b);
}

ten_status *edge_take_binary(recogniser *r, ten_op *op) {
  const ten_value *x = ten_op_operand(op, 0), *y = ten_op_operand(op, 1);
  edge_literal literal;
  if (!x->type->rank) return edge_refuse(r, op, "values without dimensions");
  const bool right = !y->number && edge_literal_of(r, y, &literal);
  const bool left = !right && !x->number && edge_literal_of(r, x, &literal);
  const uint32_t a = left ? EDGE_NONE : edge_tensor_of(r, x, true, op),
                 b = right ? EDGE_NONE : edge_tensor_of(r, y, true, op);
  if (!left && !right) return a == EDGE_NONE || b == EDGE_NONE ? NULL : take_two(r, op, a, b);
  const uint32_t tensor = left ? b : a;
  if (tensor == EDGE_NONE) return NULL;
  if (left && (op->code == TEN_OP_DIVIDE || op->code == TEN_OP_SUBTRACT))
    return edge_refuse(r, op, "constants %s a value", op->code == TEN_OP_DIVIDE ? "divided by" : "minus");
  const bool divide = op->code == TEN_OP_DIVIDE, subtract = op->code == TEN_OP_SUBTRACT;
  if (divide && is_zero(&literal)) return edge_refuse(r, op, "a division by zero");
  const uint32_t constant =
      literal_tensor(r, &literal, edge_get(r->g, tensor)->order, divide, subtract, edge_name_of(op));
  return finish(r, op, divide || op->code == TEN_OP_MULTIPLY ? EDGE_MUL : EDGE_ADD, tensor, constant);
}

static uint32_t unary(recogniser *r, const ten_op *op, edge_kind kind, uint32_t tensor) {
  const edge_tensor t = *edge_get(r->g, tensor);
  const uint32_t output = edge_tensor_add(r->g, edge_name_of(op), t.rank, t.dims, t.order);
  edge_node_add(r->g, kind, 1, &tensor, output, op->loc);
  return output;
}

ten_status *edge_take_unary(recogniser *r, ten_op *op) {
  const uint32_t tensor = edge_tensor_of(r, ten_op_operand(op, 0), true, op);
  if (tensor == EDGE_NONE) return NULL;
  const uint32_t output = unary(r, op, op->code == TEN_OP_TANH ? EDGE_TANH : EDGE_LOGISTIC, tensor);
  edge_at(r->g, output)->fixed = true;
  edge_at(r->g, output)->nonnegative = op->code == TEN_OP_LOGISTIC;
  edge_set(r, &op->results[0], output);
  return NULL;
}

/* An activation that no op before it can take. */
ten_status *edge_take_clamp(recogniser *r, ten_op *op) {
  const bool clamp = op->code == TEN_OP_CLAMP;
  ten_value *x = ten_op_operand(op, clamp ? 1 : 0);
  double low, high;
  uint32_t tensor;
  edge_kind kind = EDGE_RELU;
  ten_value *end = &op->results[0];
  if (clamp) {
    if (!edge_number_of(r, ten_op_operand(op, 0), &low) || low != 0 ||
        !edge_number_of(r, ten_op_operand(op, 2), &high) || high != 6)
      return edge_refuse(r, op, "a range that is not 0 to 6");
    kind = EDGE_RELU6;
  } else {
    if (!x->number) x = ten_op_operand(op, 1);
    const ten_value *other = ten_op_operand(op, ten_op_operand(op, 0) == x);
    if (!edge_number_of(r, other, &low) || low != 0)
      return edge_refuse(r, op, "a maximum of other things than a value and 0");
    ten_op *user = edge_sole_user(end);
    if (user && user->code == TEN_OP_MINIMUM &&
        edge_number_of(r, ten_op_operand(user, ten_op_operand(user, 0) == end), &high) && high == 6) {
      kind = EDGE_RELU6;
      edge_seen(user);
      end = &user->results[0];
    }
  }
  tensor = edge_tensor_of(r, x, true, op);
  if (tensor == EDGE_NONE) return NULL;
  const uint32_t output = unary(r, op, kind, tensor);
  edge_at(r->g, output)->nonnegative = true;
  edge_set(r, end, output);
  return NULL;
}

/* Left to the selection that it is of. */
ten_status *edge_take_compare(recogniser *r, ten_op *op) {
  const ten_op *user = edge_sole_user(&op->results[0]);
  return user && user->code == TEN_OP_SELECT ? NULL : edge_refuse(r, op, "no op of TFLite stands for it");
}

/* A leaky ReLU: x where it is above 0, else x times a number. */
ten_status *edge_take_select(recogniser *r, ten_op *op) {
  const ten_op *above = ten_op_operand(op, 0)->op, *scaled = ten_op_operand(op, 2)->op;
  const ten_value *x = ten_op_operand(op, 1);
  double zero, slope = 0;
  const bool compared = above && above->code == TEN_OP_COMPARE && ten_op_operand(above, 0) == x &&
                        edge_number_of(r, ten_op_operand(above, 1), &zero) && zero == 0;
  const ten_attr *direction = compared ? ten_op_attr(above, "comparison_direction") : NULL;
  const bool greater = direction && direction->kind == TEN_ATTR_ENUM &&
                       (direction->enumeration.value == TEN_GT || direction->enumeration.value == TEN_GE);
  const bool product = scaled && scaled->code == TEN_OP_MULTIPLY &&
                       ((ten_op_operand(scaled, 0) == x && edge_number_of(r, ten_op_operand(scaled, 1), &slope)) ||
                        (ten_op_operand(scaled, 1) == x && edge_number_of(r, ten_op_operand(scaled, 0), &slope)));
  if (!greater || !product || !(slope > 0 && slope < 1)) return edge_refuse(r, op, "a selection that is no leaky ReLU");
  const uint32_t tensor = edge_tensor_of(r, x, true, op);
  if (tensor == EDGE_NONE) return NULL;
  const uint32_t output = unary(r, op, EDGE_LEAKY_RELU, tensor);
  r->g->nodes.data[r->g->nodes.count - 1].alpha = (float)slope;
  edge_set(r, &op->results[0], output);
  return NULL;
}
