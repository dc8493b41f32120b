/* known.c: constants of the program, and the small patterns around an op: one user, a bias, an activation. */
#include <stdarg.h>
#include <stdlib.h>

#include "edge/recognise.h"
#include "value/evaluate.h"

enum { DEPTH_MAX = 64, PROBLEMS_MAX = 12, SEEN = 1 };

static const char not_known; /* ten_op.data of ops that were tried in vain */

static const ten_tensor *known(recogniser *r, const ten_value *value, int depth) {
  ten_op *op = value->op;
  if (!op || depth > DEPTH_MAX || op->result_count != 1 || !ten_type_is_static(value->type) || value->type->quant)
    return NULL;
  if (op->data) return op->data == &not_known ? NULL : op->data;
  op->data = (void *)&not_known;
  const ten_attr *constant = op->code == TEN_OP_CONSTANT ? ten_value_constant(value) : NULL;
  if (!constant && (op->region_count || !ten_op_has(op, TEN_TRAIT_PURE) || !ten_can_evaluate(op))) return NULL;
  ten_tensor **operands = ten_arena_new_array(&r->g->arena, ten_tensor *, op->operand_count + 1), *made = NULL;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    operands[i] = (ten_tensor *)known(r, ten_op_operand(op, i), depth + 1);
    if (!operands[i]) return NULL;
  }
  ten_status *status = constant ? ten_tensor_of_attr(constant, &made) : ten_evaluate(op, operands, &made);
  if (status) {
    ten_status_free(status);
    return NULL;
  }
  ten_vec_push(&r->g->known, made);
  return op->data = made;
}

const ten_tensor *edge_known(recogniser *r, const ten_value *value) { return known(r, value, 0); }

/* One number, where all are the same. */
static void literal_join(edge_literal *literal) {
  for (size_t i = 1; i < literal->count; i++)
    if (memcmp(&literal->data[i], &literal->data[0], sizeof *literal->data) != 0) return;
  literal->count = 1;
  for (uint32_t i = 0; i < literal->rank; i++) literal->dims[i] = 1;
}

bool edge_literal_of(recogniser *r, const ten_value *value, edge_literal *out) {
  const ten_type *type = value->type;
  if (type->dtype != TEN_F32 || type->rank > EDGE_RANK || !ten_type_is_static(type) || !ten_type_count(type))
    return false;
  *out = (edge_literal){.rank = type->rank, .count = 1};
  for (uint32_t i = 0; i < type->rank; i++) out->dims[i] = 1;
  const ten_attr *constant = ten_value_constant(value);
  if (constant && constant->dense.splat) {
    out->data = constant->dense.data;
    return true;
  }
  const ten_value *from = value;
  if (value->op && value->op->code == TEN_OP_BROADCAST_IN_DIM) {
    const ten_ints map = ten_op_ints(value->op, "broadcast_dimensions");
    bool ascending = true;
    for (size_t i = 1; i < map.count; i++) ascending &= map.data[i] > map.data[i - 1];
    if (ascending) from = ten_op_operand(value->op, 0);
    for (size_t i = 0; i < map.count && ascending; i++) out->dims[map.data[i]] = from->type->dims[i];
  }
  if (from == value)
    for (uint32_t i = 0; i < type->rank; i++) out->dims[i] = type->dims[i];
  const ten_tensor *x = edge_known(r, from);
  if (!x) return false;
  out->data = x->data;
  out->count = x->count;
  literal_join(out);
  return true;
}

bool edge_number_of(recogniser *r, const ten_value *value, double *out) {
  edge_literal literal;
  if (!edge_literal_of(r, value, &literal) || literal.count != 1) return false;
  *out = (double)literal.data[0];
  return true;
}

uint32_t edge_tensor_of(recogniser *r, const ten_value *value, bool spread, const ten_op *user) {
  if (!value->number) return EDGE_NONE;
  const uint32_t tensor = value->number - 1;
  if (spread || edge_tensor_count(edge_get(r->g, tensor)) == ten_type_count(value->type)) return tensor;
  (void)edge_refuse(r, user, "a broadcast operand; only add, subtract and multiply take one");
  return EDGE_NONE;
}

void edge_set(recogniser *r, ten_value *value, uint32_t tensor) {
  if (tensor == EDGE_NONE) return;
  value->number = tensor + 1;
  edge_tensor *t = edge_at(r->g, tensor);
  if (!t->value && edge_tensor_count(t) == ten_type_count(value->type)) t->value = value;
}

ten_status *edge_refuse(recogniser *r, const ten_op *op, const char *format, ...) {
  if (r->problem_count++ >= PROBLEMS_MAX) return NULL;
  va_list args;
  va_start(args, format);
  const ten_loc *file = ten_loc_first_file(op->loc);
  const ten_str layer = ten_loc_name(op->loc);
  ten_buf_printf(&r->problems, "\n  %.*s", TEN_FMT(op->name));
  if (layer.size) ten_buf_printf(&r->problems, " of %.*s", TEN_FMT(layer));
  if (file) ten_buf_printf(&r->problems, " (%.*s:%u)", TEN_FMT(file->name), file->line);
  ten_buf_adds(&r->problems, ": ");
  ten_buf_vprintf(&r->problems, format, args);
  va_end(args);
  return NULL;
}

ten_op *edge_sole_user(const ten_value *value) {
  if (!ten_value_used_once(value)) return NULL;
  ten_op *user = value->uses->owner;
  const ten_block *block = value->op ? value->op->block : value->block;
  return user->block == block && user->result_count == 1 ? user : NULL;
}

void edge_seen(ten_op *op) { op->number = SEEN; }

/* The other operand of a binary op of that kind, where it is a number. */
static bool other_number(recogniser *r, const ten_op *op, ten_opcode code, const ten_value *value, double *out) {
  if (op->code != code || op->operand_count != 2) return false;
  const ten_value *other = ten_op_operand(op, ten_op_operand(op, 0) == value);
  return edge_number_of(r, other, out);
}

ten_value *edge_take_activation(recogniser *r, ten_value *value, edge_activation *out) {
  *out = EDGE_LINEAR;
  ten_op *user = edge_sole_user(value);
  double low, high;
  if (!user) return value;
  if (user->code == TEN_OP_CLAMP && ten_op_operand(user, 1) == value &&
      edge_number_of(r, ten_op_operand(user, 0), &low) && low == 0 &&
      edge_number_of(r, ten_op_operand(user, 2), &high) && high == 6) {
    *out = EDGE_ACT_RELU6;
    edge_seen(user);
    return &user->results[0];
  }
  if (!other_number(r, user, TEN_OP_MAXIMUM, value, &low) || low != 0) return value;
  *out = EDGE_ACT_RELU;
  edge_seen(user);
  value = &user->results[0];
  user = edge_sole_user(value);
  if (!user || !other_number(r, user, TEN_OP_MINIMUM, value, &high) || high != 6) return value;
  *out = EDGE_ACT_RELU6;
  edge_seen(user);
  return &user->results[0];
}

ten_value *edge_take_bias(recogniser *r, ten_value *value, int64_t feature, float *bias) {
  ten_op *user = edge_sole_user(value);
  if (!user || user->code != TEN_OP_ADD) return value;
  edge_literal literal;
  if (!edge_literal_of(r, ten_op_operand(user, ten_op_operand(user, 0) == value), &literal)) return value;
  for (uint32_t i = 0; i < literal.rank; i++)
    if (literal.dims[i] != 1 && (int64_t)i != feature) return value;
  const int64_t count = value->type->dims[feature];
  for (int64_t i = 0; i < count; i++) bias[i] += literal.data[literal.count == 1 ? 0 : i];
  edge_seen(user);
  return &user->results[0];
}

ten_str edge_name_of(const ten_op *op) {
  const ten_str layer = ten_loc_name(op->loc);
  return layer.size ? layer : op->name;
}

uint32_t edge_constant(edge_graph *g, ten_str name, uint32_t rank, const int64_t *dims, const float *data) {
  const uint32_t tensor = edge_tensor_add(g, name, rank, dims, NULL);
  edge_at(g, tensor)->real = data;
  return tensor;
}
