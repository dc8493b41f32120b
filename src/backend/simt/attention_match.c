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
  if (!simt_has_tensor_cores(gen) || !gen->narrow || product->code != TEN_OP_DOT_GENERAL || product->data ||
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

/* On which side of a product a value stands with its batches first, and whether its last dimension is summed. */
static bool stands(const ten_op *dot, const ten_value *value, int *out_side, bool *out_last) {
  const ten_dot_dims dims = ten_dot_dims_of(ten_op_attr(dot, "dot_dimension_numbers"));
  const uint32_t rank = value->type->rank;
  *out_side = ten_op_operand(dot, 1) == value;
  const ten_ints batch = *out_side ? dims.rhs_batch : dims.lhs_batch,
                 contract = *out_side ? dims.rhs_contract : dims.lhs_contract;
  if (contract.count != 1 || batch.count + 2 != rank || ten_op_operand(dot, !*out_side) == value) return false;
  for (size_t i = 0; i < batch.count; i++)
    if (batch.data[i] != (int64_t)i) return false;
  *out_last = contract.data[0] == (int64_t)rank - 1;
  return true;
}

/* An operand of a product: the matrix of 16 bits that it is a transpose of, widened; and the dimensions of that:
 * batches, free, summed. */
typedef struct operand {
  const ten_value *base;
  int64_t dims[16];
  uint32_t count;
} operand;

static bool operand_of(const ten_op *dot, int side, operand *o) {
  const ten_dot_dims d = ten_dot_dims_of(ten_op_attr(dot, "dot_dimension_numbers"));
  const ten_ints batch = side ? d.rhs_batch : d.lhs_batch, contract = side ? d.rhs_contract : d.lhs_contract;
  const ten_value *value = ten_op_operand(dot, (uint32_t)side);
  const uint32_t rank = value->type->rank;
  if (contract.count != 1 || batch.count + 2 != rank || rank > 16) return false;
  for (size_t i = 0; i < batch.count; i++) o->dims[i] = batch.data[i];
  for (int64_t i = 0; i < (int64_t)rank; i++)
    if (!ten_ints_has(batch, i) && i != contract.data[0]) o->dims[rank - 2] = i;
  o->dims[rank - 1] = contract.data[0];
  o->count = rank;
  for (; value->op && (value->op->code == TEN_OP_TRANSPOSE || value->op->code == TEN_OP_CONVERT);
       value = ten_op_operand(value->op, 0)) {
    if (value->op->code == TEN_OP_CONVERT) {
      if (ten_dtype_bytes(ten_op_operand(value->op, 0)->type->dtype) > 2) break; /* what rounds is another matrix */
      continue;
    }
    const ten_ints order = ten_op_ints(value->op, "permutation");
    for (uint32_t i = 0; i < rank; i++) o->dims[i] = order.data[o->dims[i]];
  }
  o->base = value;
  return true;
}

/* Whether two products read the same matrices, one of them summing over the other's rows. */
static bool is_same(const ten_op *x, int x_side, const ten_op *y, int y_side) {
  operand a, b;
  if (!operand_of(x, x_side, &a) || !operand_of(y, y_side, &b) || a.base != b.base || a.count != b.count) return false;
  for (uint32_t i = 0; i + 2 < a.count; i++)
    if (a.dims[i] != b.dims[i]) return false;
  return a.dims[a.count - 2] == b.dims[b.count - 1] && a.dims[a.count - 1] == b.dims[b.count - 2];
}

/* weights · (slope - Σ slope · weights): the op; adds what it is made of. */
static const ten_op *match_change(simt_attention_grad *g, const ten_op **out_slopes) {
  simt_attention *a = &g->forward;
  for (const ten_use *use = g->weights->uses; use; use = use->next) {
    if (use->owner->code != TEN_OP_MULTIPLY) continue;
    const ten_op *centred = made_by(ten_op_operand(use->owner, !use->index), TEN_OP_SUBTRACT);
    const ten_value *row = centred ? ten_row_of(ten_op_operand(centred, 1)) : NULL;
    const ten_value *shares = row ? ten_row_reduced(row, TEN_OP_ADD, 0) : NULL;
    const ten_op *share = shares ? made_by(shares, TEN_OP_MULTIPLY) : NULL;
    if (!share) continue;
    g->slope = ten_op_operand(centred, 0);
    g->sum = row;
    const bool left = ten_op_operand(share, 0) == g->slope && ten_op_operand(share, 1) == g->weights,
               right = ten_op_operand(share, 1) == g->slope && ten_op_operand(share, 0) == g->weights;
    if ((left || right) && add_scores(a, g->slope, out_slopes, 0) && *out_slopes && add_op(a, *out_slopes) &&
        add_op(a, share) && add_op(a, centred) && add_op(a, use->owner) &&
        add_row(a, ten_op_operand(centred, 1), row->op, row->op))
      return use->owner;
    return NULL;
  }
  return NULL;
}

/* The three products, and that they read what the others do. */
static bool match_products(simt_gen *gen, simt_attention_grad *g, const ten_op *scores, const ten_op *slopes) {
  const ten_value *read[] = {g->change, g->weights};
  for (uint32_t i = 0; i < 2; i++)
    for (const ten_use *use = read[i]->uses; use; use = use->next) {
      const ten_op *op = use->owner;
      int side;
      bool last;
      if (op->code != TEN_OP_DOT_GENERAL) continue;
      if (!stands(op, read[i], &side, &last) || (i && last)) return false;
      const uint32_t which = i ? SIMT_OF_VALUES : last ? SIMT_OF_QUERIES : SIMT_OF_KEYS;
      if (g->of[which].c.op || !simt_contraction_of(gen, op, &g->of[which].c)) return false;
      g->of[which].side = side;
    }
  for (uint32_t i = 0; i < 3; i++)
    if (!g->of[i].c.op || !add_op(&g->forward, g->of[i].c.op)) return false;
  return is_same(g->of[SIMT_OF_QUERIES].c.op, !g->of[SIMT_OF_QUERIES].side, scores, SIMT_RIGHT) &&
         is_same(g->of[SIMT_OF_KEYS].c.op, !g->of[SIMT_OF_KEYS].side, scores, SIMT_LEFT) &&
         is_same(g->of[SIMT_OF_VALUES].c.op, !g->of[SIMT_OF_VALUES].side, slopes, SIMT_LEFT);
}

static bool is_closed_grad(const simt_attention_grad *g) {
  const simt_attention *a = &g->forward;
  for (uint32_t i = 0; i < a->op_count; i++) {
    const ten_op *op = a->ops[i];
    if (op == g->of[0].c.op || op == g->of[1].c.op || op == g->of[2].c.op) continue;
    for (const ten_use *use = op->results[0].uses; use; use = use->next)
      if (!has_op(a, use->owner)) return false;
  }
  return true;
}

bool simt_attention_grad_match(simt_gen *gen, const ten_value *weights, simt_attention_grad *g) {
  *g = (simt_attention_grad){.weights = weights};
  simt_attention *a = &g->forward;
  const ten_op *scores = NULL, *slopes = NULL;
  if (!simt_has_tensor_cores(gen) || !gen->narrow || !match_softmax(a, weights) ||
      !add_scores(a, a->masked, &scores, 0) || !scores || !add_op(a, scores))
    return false;
  const ten_op *change = match_change(g, &slopes);
  if (!change || slopes == scores) return false;
  while (ten_value_used_once(&change->results[0]) && simt_is_pointwise(change->results[0].uses->owner) &&
         add_op(a, change->results[0].uses->owner))
    change = change->results[0].uses->owner;
  g->change = &change->results[0];
  const simt_contraction *s = &a->scores, *d = &g->slopes;
  if (!simt_contraction_of(gen, scores, &a->scores) || !simt_contraction_of(gen, slopes, &g->slopes) ||
      !match_products(gen, g, scores, slopes))
    return false;
  a->math = math_of(scores, slopes);
  const uint32_t rank = weights->type->rank;
  return a->math != SIMT_FMA &&
         simt_source_dtype(ten_op_operand(slopes, 0)) == simt_source_dtype(ten_op_operand(scores, 0)) &&
         s->batch == d->batch && s->rows == d->rows && s->columns == d->columns &&
         scores->results[0].type->rank == rank && slopes->results[0].type->rank == rank &&
         g->change->type->rank == rank && s->rows >= ROWS_LEAST && s->columns >= ROWS_LEAST && s->depth % 16 == 0 &&
         s->depth <= WIDTH_MOST && d->depth % 16 == 0 && d->depth <= WIDTH_MOST && is_closed_grad(g);
}
