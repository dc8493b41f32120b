/* attention_match.c: recognises attention: divide(e, sum of e) with e = exp(x - maximum of x) over the last dimension,
 * multiplied by values, where x is computed from a product of queries and keys element by element (scale, mask). */
#include <math.h>

#include "backend/simt/attention.h"
#include "base/float.h"
#include "ir/builder.h"
#include "transform/pass/rows.h"

enum { WIDTH_MOST = 128, ROWS_LEAST = 16 };

static const ten_op *made_by(const ten_value *value, ten_opcode code) {
  return value->op && value->op->code == code ? value->op : NULL;
}

static bool add_op(simt_attention *a, const ten_op *op) {
  for (uint32_t i = 0; i < a->op_count; i++)
    if (a->ops[i] == op) return true;
  if (a->op_count == SIMT_ATTENTION_OPS || op->data) return false;
  a->ops[a->op_count++] = op;
  return true;
}

static bool has_op(const simt_attention *a, const ten_op *op) {
  for (uint32_t i = 0; i < a->op_count; i++)
    if (a->ops[i] == op) return true;
  return false;
}

static bool is_all(const ten_value *value, double wanted) {
  const ten_attr *number = ten_value_number(value);
  return number && value->type->dtype == TEN_F32 && ten_float_decode(TEN_F32, ten_dense_at(number, 0)) == wanted;
}

static const ten_value *without_units(const ten_value *value) {
  while (made_by(value, TEN_OP_RESHAPE)) value = ten_op_operand(value->op, 0);
  return value;
}

/* select(maximum = -inf, `instead`, row): the row, and the maximum. */
static const ten_value *through_choice(const ten_value *row, double instead, const ten_value **maximum) {
  const ten_op *select = made_by(row, TEN_OP_SELECT),
               *compare = select ? made_by(ten_op_operand(select, 0), TEN_OP_COMPARE) : NULL;
  if (!compare || !is_all(ten_op_operand(select, 1), instead) || !is_all(ten_op_operand(compare, 1), -INFINITY) ||
      ten_op_attr(compare, "comparison_direction")->enumeration.value != TEN_EQ)
    return row;
  *maximum = without_units(ten_op_operand(compare, 0));
  return without_units(ten_op_operand(select, 2));
}

/* What leads from one number for each row, spread along the rows again, to the reductions that gave it. */
static bool add_row(simt_attention *a, const ten_value *value, const ten_op *sum, const ten_op *top) {
  const ten_op *op = value->op;
  if (ten_value_number(value)) return true;
  if (!op) return false;
  if (op == sum || op == top) return add_op(a, op);
  if (op->code != TEN_OP_BROADCAST_IN_DIM && op->code != TEN_OP_RESHAPE && op->code != TEN_OP_SELECT &&
      op->code != TEN_OP_COMPARE)
    return false;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (!add_row(a, ten_op_operand(op, i), sum, top)) return false;
  return add_op(a, op);
}

/* From the scores back to the product: pointwise ops on values of the same sizes. */
static bool add_scores(simt_attention *a, const ten_value *value, const ten_op **product, unsigned depth) {
  const ten_op *op = value->op;
  if (!op || depth > 8) return true; /* another operand: a mask */
  if (op->code == TEN_OP_DOT_GENERAL) {
    if (*product && *product != op) return false;
    *product = op;
    return true;
  }
  if (!simt_is_pointwise(op) || op->result_count != 1) return true;
  const ten_op *before = *product;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (ten_op_operand(op, i)->type->rank == value->type->rank)
      if (!add_scores(a, ten_op_operand(op, i), product, depth + 1)) return false;
  return *product == before || add_op(a, op);
}

static bool match_softmax(simt_attention *a, const ten_value *weights) {
  const ten_op *divide = made_by(weights, TEN_OP_DIVIDE);
  const ten_value *exps = divide ? ten_op_operand(divide, 0) : NULL;
  const ten_op *exp = exps ? made_by(exps, TEN_OP_EXPONENTIAL) : NULL,
               *subtract = exp ? made_by(ten_op_operand(exp, 0), TEN_OP_SUBTRACT) : NULL;
  if (!subtract || weights->type->dtype != TEN_F32) return false;
  const ten_value *sum = ten_row_of(ten_op_operand(divide, 1)), *top = ten_row_of(ten_op_operand(subtract, 1)),
                  *sum_empty = NULL, *top_empty = NULL;
  if (!sum || !top) return false;
  a->masked = ten_op_operand(subtract, 0);
  sum = through_choice(sum, 1, &sum_empty);
  top = through_choice(top, 0, &top_empty);
  if (sum_empty != top_empty || (top_empty && top_empty != top)) return false;
  a->zero = top_empty != NULL;
  if (ten_row_reduced(sum, TEN_OP_ADD, 0) != exps || ten_row_reduced(top, TEN_OP_MAXIMUM, -INFINITY) != a->masked)
    return false;
  return add_op(a, divide) && add_op(a, exp) && add_op(a, subtract) &&
         add_row(a, ten_op_operand(divide, 1), sum->op, top->op) &&
         add_row(a, ten_op_operand(subtract, 1), sum->op, top->op);
}

/* [batch…, row, key] · values, with batches in order. */
static bool is_plain_product(const ten_op *product) {
  const ten_dot_dims dims = ten_dot_dims_of(ten_op_attr(product, "dot_dimension_numbers"));
  const ten_type *weights = ten_op_operand(product, 0)->type;
  if (weights->rank != dims.lhs_batch.count + 2 || dims.lhs_contract.count != 1 ||
      dims.lhs_contract.data[0] != (int64_t)weights->rank - 1)
    return false;
  for (size_t i = 0; i < dims.lhs_batch.count; i++)
    if (dims.lhs_batch.data[i] != (int64_t)i) return false;
  return true;
}

/* Nobody else reads what is inside. */
static bool is_closed(const simt_attention *a) {
  const ten_op *last = a->result.op;
  for (uint32_t i = 0; i < a->op_count; i++)
    for (const ten_use *use = a->ops[i]->results[0].uses; a->ops[i] != last && use; use = use->next)
      if (!has_op(a, use->owner)) return false;
  return true;
}

static simt_math math_of(const ten_op *scores, const ten_op *product) {
  const ten_dtype q = simt_source_dtype(ten_op_operand(scores, 0)), k = simt_source_dtype(ten_op_operand(scores, 1)),
                  v = simt_source_dtype(ten_op_operand(product, 1));
  if (q != k || q != v) return SIMT_FMA;
  return q == TEN_BF16 ? SIMT_MMA_BF16 : q == TEN_F16 ? SIMT_MMA_F16 : SIMT_FMA;
}

bool simt_attention_match(simt_gen *gen, const ten_op *product, simt_attention *a) {
  *a = (simt_attention){0};
  if (gen->language != SIMT_CUDA_C || !gen->narrow || product->code != TEN_OP_DOT_GENERAL || product->data ||
      !is_plain_product(product) || !simt_contraction_of(gen, product, &a->result))
    return false;
  const ten_value *weights = ten_op_operand(product, 0);
  const ten_op *rounding = made_by(weights, TEN_OP_CONVERT);
  if (rounding) {
    a->narrow = true;
    weights = ten_op_operand(rounding, 0);
    if (!add_op(a, rounding)) return false;
  }
  const ten_op *scores = NULL;
  if (!match_softmax(a, weights) || !add_scores(a, a->masked, &scores, 0) || !scores || !add_op(a, scores))
    return false;
  if (!add_op(a, product) || !simt_contraction_of(gen, scores, &a->scores)) return false;
  a->math = math_of(scores, product);
  const simt_contraction *s = &a->scores, *r = &a->result;
  return a->math != SIMT_FMA && s->batch == r->batch && s->rows == r->rows && s->columns == r->depth &&
         scores->results[0].type->rank == weights->type->rank && s->rows >= ROWS_LEAST && s->depth % 16 == 0 &&
         s->depth <= WIDTH_MOST && r->columns % 16 == 0 && r->columns <= WIDTH_MOST && is_closed(a);
}
