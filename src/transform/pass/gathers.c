/* gathers.c: elementwise ops of gathered rows. f(gather(a, i), gather(b, i)) becomes gather(f(a, b), i) where the
 * tables are smaller than what is read of them, as in a graph with more edges than nodes: f is computed once for each
 * row, and one table is read, not two. gather(f(a), i) becomes f(gather(a, i)) where few rows are read, as of an
 * embedding.
 *
 * Needs: verified IR, static shapes, equal values merged (cse). Keeps: results to the bit, types, locations. What is
 * combined is left to dce. Leaves divisions and remainders of integers alone: those of rows that nobody reads could be
 * by zero. */
#include <string.h>

#include "ir/builder.h"
#include "ir/cost.h"
#include "transform/pass/pass.h"

enum { OPERANDS_MOST = 3, TIMES_FEWER = 4, DEPTH_MOST = 64 };

static bool is_plain(const ten_value *value) {
  return ten_type_is_tensor(value->type) && ten_type_is_static(value->type) && !value->type->quant;
}

static bool can_move(const ten_op *op) {
  if (!ten_op_has(op, TEN_TRAIT_ELEMENTWISE | TEN_TRAIT_BROADCASTS_SCALARS) || !ten_op_has(op, TEN_TRAIT_PURE))
    return false;
  if (op->result_count != 1 || op->region_count || op->operand_count > OPERANDS_MOST) return false;
  if (!is_plain(&op->results[0]) || !op->results[0].type->rank) return false;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (!is_plain(ten_op_operand(op, i))) return false;
  const bool divides = op->code == TEN_OP_DIVIDE || op->code == TEN_OP_REMAINDER;
  return !divides || !ten_dtype_is_int(op->results[0].type->dtype);
}

static bool same_dims(const ten_type *a, const ten_type *b) {
  return a->rank == b->rank && !memcmp(a->dims, b->dims, a->rank * sizeof *a->dims);
}

/* Whether both read the same elements of tables of the same shape. */
static bool reads_alike(const ten_op *a, const ten_op *b) {
  return ten_op_operand(a, 1) == ten_op_operand(b, 1) &&
         same_dims(ten_op_operand(a, 0)->type, ten_op_operand(b, 0)->type) &&
         ten_attr_equal(ten_op_attr(a, "dimension_numbers"), ten_op_attr(b, "dimension_numbers")) &&
         ten_attr_equal(ten_op_attr(a, "slice_sizes"), ten_op_attr(b, "slice_sizes"));
}

static bool used_by_alone(const ten_value *value, const ten_op *user) {
  for (const ten_use *use = value->uses; use; use = use->next)
    if (use->owner != user) return false;
  return true;
}

/* The same at every index: a scalar operand, or a number. */
static bool is_everywhere(const ten_op *op, const ten_value *value) {
  return (value->type->rank == 0 && op->results[0].type->rank) || ten_value_number(value);
}

/* Such a value for an op whose result has `shape`. */
static ten_value *everywhere(ten_builder *b, ten_value *value, const ten_type *shape) {
  const ten_attr *number = ten_value_number(value);
  if (!value->type->rank || !number) return value;
  const ten_type *scalar = ten_type_with_shape(b->module, value->type, 0, NULL);
  const ten_attr *one = ten_attr_dense(b->module, scalar, number->dense.data, ten_dtype_bytes(scalar->dtype));
  return ten_build_broadcast(b, ten_build_constant(b, one), shape->rank, shape->dims, NULL);
}

static ten_value *rebuild(ten_builder *b, const ten_op *op, ten_value *const *operands, const ten_type *shape) {
  const ten_type *type = ten_type_with_shape(b->module, op->results[0].type, shape->rank, shape->dims);
  return &ten_build_op(b, op->code, op->operand_count, operands, 1, &type, op->attr_count, op->attrs, 0)->results[0];
}

static ten_value *gather_of(ten_builder *b, const ten_op *like, ten_value *table) {
  const ten_type *shape = like->results[0].type,
                 *type = ten_type_with_shape(b->module, table->type, shape->rank, shape->dims);
  ten_value *operands[] = {table, ten_op_operand(like, 1)};
  return &ten_build_op(b, TEN_OP_GATHER, 2, operands, 1, &type, like->attr_count, like->attrs, 0)->results[0];
}

/* The first gather of the operands, which all are alike, used by the op alone, and worth combining; or NULL. */
static const ten_op *find_gathers(const ten_op *op) {
  const ten_op *first = NULL;
  uint32_t tables = 0;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const ten_value *value = ten_op_operand(op, i);
    if (is_everywhere(op, value)) continue;
    const ten_op *gather = value->op;
    if (!gather || gather->code != TEN_OP_GATHER || gather->block != op->block || !used_by_alone(value, op) ||
        !is_plain(ten_op_operand(gather, 0)))
      return NULL;
    if (first && !reads_alike(first, gather)) return NULL;
    tables += !first || ten_op_operand(first, 0) != ten_op_operand(gather, 0);
    if (!first) first = gather;
  }
  if (!first) return NULL;
  const int64_t table = ten_type_count(ten_op_operand(first, 0)->type), read = ten_type_count(op->results[0].type);
  if (!table || (tables > 1 ? table > read : ten_op_is_simple(op->code) || 2 * table > read)) return NULL;
  return first;
}

static void combine(ten_module *module, ten_op *op) {
  const ten_op *first = can_move(op) ? find_gathers(op) : NULL;
  if (!first) return;
  ten_builder b = {.module = module, .block = op->block, .before = op, .loc = op->loc};
  const ten_type *shape = ten_op_operand(first, 0)->type;
  ten_value *operands[OPERANDS_MOST];
  for (uint32_t i = 0; i < op->operand_count; i++) {
    ten_value *value = ten_op_operand(op, i);
    operands[i] = is_everywhere(op, value) ? everywhere(&b, value, shape) : ten_op_operand(value->op, 0);
  }
  ten_value_replace(&op->results[0], gather_of(&b, first, rebuild(&b, op, operands, shape)));
  ten_op_erase(op);
}

/* Computes only the rows that are read, in a chain of at most `depth` ops. */
static void narrow(ten_module *module, ten_op *gather, int depth) {
  ten_value *table = ten_op_operand(gather, 0);
  ten_op *op = table->op;
  if (!op || op->block != gather->block || !is_plain(&gather->results[0]) || !can_move(op)) return;
  const ten_type *shape = gather->results[0].type;
  if (!ten_value_used_once(table) || ten_type_count(table->type) / TIMES_FEWER < ten_type_count(shape)) return;
  ten_builder b = {.module = module, .block = gather->block, .before = gather, .loc = op->loc};
  ten_value *operands[OPERANDS_MOST];
  ten_op *made[OPERANDS_MOST] = {NULL};
  for (uint32_t i = 0; i < op->operand_count; i++) {
    ten_value *value = ten_op_operand(op, i);
    const uint32_t same = i && value == ten_op_operand(op, i - 1) ? i - 1 : i;
    if (same < i)
      operands[i] = operands[same];
    else if (is_everywhere(op, value))
      operands[i] = everywhere(&b, value, shape);
    else
      made[i] = (operands[i] = gather_of(&b, gather, value))->op;
  }
  ten_value_replace(&gather->results[0], rebuild(&b, op, operands, shape));
  const uint32_t count = op->operand_count;
  ten_op_erase(gather);
  ten_op_erase(op);
  for (uint32_t i = 0; i < count && depth > 1; i++)
    if (made[i]) narrow(module, made[i], depth - 1);
}

static ten_status *visit(ten_op *op, void *context) {
  if (op->code == TEN_OP_GATHER)
    narrow(context, op, DEPTH_MOST);
  else
    combine(context, op);
  return NULL;
}

static ten_status *run(ten_module *module) { return ten_op_walk(module->op, visit, module); }

const ten_pass ten_pass_gathers = {"gathers", "compute functions of gathered rows where there are fewer rows", run};
