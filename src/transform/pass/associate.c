/* associate.c: reassociates a matmul of a matmul into the order with the fewest multiplications.
 *
 * One query attends to many keys, which are tokens times a weight: q · (x · w) as (q · w) · x needs no keys, and p · (x
 * · w) as (p · x) · w no values. Between the two matmuls, transposes and reshapes that split dimensions are allowed,
 * and a bias per column of the inner one, which becomes a separate matmul.
 *
 * All three factors have named dimensions: a dimension that the outer matmul reads is a digit of one of the inner
 * result's, and factors are reshaped into digits. A name that two factors share is a batch dimension, and is summed
 * over once it is not needed later.
 *
 * Needs: verified IR. Keeps: types, locations; results, but for the order of summation. Dead ops are left to dce. f32
 * and f64 only: in narrower types the intermediate rounding is part of the result. */
#include "ir/builder.h"
#include "transform/pass/pass.h"

#include <string.h>

enum { RANK_MAX = 16, CHAIN_MAX = 8, WORTH = 1 << 20 /* multiplications */ };

/* Names of dimensions: of the outer matmul's other side by index, of digits from DIGIT on, and the inner sum. */
enum { DIGIT = 32, SUMMED = 96 };

typedef struct factor {
  ten_value *value;
  uint32_t rank;
  int names[RANK_MAX];
  int64_t sizes[RANK_MAX];
} factor;

typedef struct digit {
  int64_t of; /* dimension of the inner matmul; -1: of size one */
  int64_t step, size;
} digit;

typedef struct chain {
  ten_op *inner;   /* the inner matmul */
  ten_value *bias; /* one element per column, or NULL */
  uint32_t rank;   /* of the outer matmul's operand */
  digit digits[RANK_MAX];
} chain;

static bool is_plain(const ten_op *op) {
  const ten_type *type = op->results[0].type;
  const ten_value *x = ten_op_operand(op, 0), *y = ten_op_operand(op, 1);
  return (type->dtype == TEN_F32 || type->dtype == TEN_F64) && x->type->dtype == type->dtype &&
         y->type->dtype == type->dtype && ten_type_is_static(type) && ten_type_is_static(x->type) &&
         ten_type_is_static(y->type) && type->rank <= RANK_MAX && x->type->rank <= RANK_MAX &&
         y->type->rank <= RANK_MAX && !ten_op_attr(op, "algorithm");
}

/* A bias per column, broadcast over the rows of `product`. */
static ten_value *bias_of(const ten_value *spread, const ten_value *product) {
  const ten_op *op = spread->op;
  if (!op || op->code != TEN_OP_BROADCAST_IN_DIM || ten_op_operand(op, 0)->type->rank != 1) return NULL;
  const ten_ints map = ten_op_ints(op, "broadcast_dimensions");
  ten_value *bias = ten_op_operand(op, 0);
  const int64_t last = (int64_t)product->type->rank - 1;
  return map.data[0] == last && bias->type->dims[0] == product->type->dims[last] ? bias : NULL;
}

/* Dimensions of the result in order: unchanged, of size one, or parts of a split one. */
static bool split(const ten_type *to, const digit *from, uint32_t rank, digit *out) {
  uint32_t i = 0;
  for (uint32_t k = 0; k < to->rank;) {
    while (i < rank && from[i].of < 0) i++;
    if (to->dims[k] == 1) {
      out[k++] = (digit){-1, 0, 1};
      continue;
    }
    if (i == rank) return false;
    int64_t left = from[i].size;
    while (k < to->rank && left > 1) {
      if (left % to->dims[k]) return false;
      left /= to->dims[k];
      out[k] = (digit){from[i].of, from[i].step * left, to->dims[k]};
      if (to->dims[k] == 1) out[k] = (digit){-1, 0, 1};
      k++;
    }
    if (left > 1) return false;
    i++;
  }
  return true;
}

/* Walks from the outer matmul's operand to an inner matmul, over values that are read once. */
static bool find_chain(ten_value *value, chain *c) {
  ten_op *way[CHAIN_MAX];
  uint32_t count = 0;
  *c = (chain){0};
  for (;; count++) {
    ten_op *op = value->op;
    if (!op || !ten_value_used_once(value) || count == CHAIN_MAX) return false;
    if (op->code == TEN_OP_DOT_GENERAL) break;
    if (op->code == TEN_OP_ADD) { /* the inner matmul itself, so that its columns are still one dimension */
      ten_value *x = ten_op_operand(op, 0), *y = ten_op_operand(op, 1);
      const bool left = x->op && x->op->code == TEN_OP_DOT_GENERAL;
      value = left ? x : y;
      if (!value->op || value->op->code != TEN_OP_DOT_GENERAL) return false;
      c->bias = bias_of(left ? y : x, value);
      if (!c->bias) return false;
    } else if (op->code == TEN_OP_TRANSPOSE || op->code == TEN_OP_RESHAPE) {
      value = ten_op_operand(op, 0);
    } else {
      return false;
    }
    way[count] = op;
  }
  c->inner = value->op;
  const ten_dot_dims dims = ten_dot_dims_of(ten_op_attr(c->inner, "dot_dimension_numbers"));
  if (!is_plain(c->inner) || dims.lhs_batch.count || dims.lhs_contract.count != 1) return false;
  if (ten_op_operand(c->inner, 1)->type->rank != 2) return false;
  const ten_type *type = value->type;
  c->rank = type->rank;
  for (uint32_t i = 0; i < type->rank; i++)
    c->digits[i] = (digit){type->dims[i] == 1 ? -1 : (int64_t)i, 1, type->dims[i]};
  for (; count > 0; count--) {
    const ten_op *op = way[count - 1];
    digit next[RANK_MAX];
    if (op->code == TEN_OP_ADD) continue;
    type = op->results[0].type;
    if (type->rank > RANK_MAX) return false;
    if (op->code == TEN_OP_TRANSPOSE) {
      const ten_ints order = ten_op_ints(op, "permutation");
      for (uint32_t i = 0; i < type->rank; i++) next[i] = c->digits[order.data[i]];
    } else if (!split(type, c->digits, c->rank, next)) {
      return false;
    }
    c->rank = type->rank;
    memcpy(c->digits, next, sizeof next);
  }
  return true;
}

static bool has(const factor *f, int name) {
  for (uint32_t i = 0; i < f->rank; i++)
    if (f->names[i] == name) return true;
  return false;
}

static int64_t work_of(const factor *a, const factor *b) {
  int64_t work = 1;
  for (uint32_t i = 0; i < a->rank; i++) work *= a->sizes[i];
  for (uint32_t i = 0; i < b->rank; i++)
    if (!has(a, b->names[i])) work *= b->sizes[i];
  return work;
}

/* The remaining dimensions of two factors: in `wanted`, or in `later` (which may be NULL). Without a builder only names
 * and sizes. */
static factor product_of(ten_builder *b, factor x, factor y, const factor *wanted, const factor *later) {
  int64_t xs[2][RANK_MAX], ys[2][RANK_MAX], summed[RANK_MAX]; /* multiplied along, summed over */
  size_t counts[2] = {0}, alone = 0;
  factor out = {0}, kept = {0};
  for (uint32_t i = 0; i < x.rank; i++) { /* dimensions of x alone that are not needed later are summed first */
    const int name = x.names[i];
    if (has(&y, name) || has(wanted, name) || (later && has(later, name))) {
      kept.names[kept.rank] = name;
      kept.sizes[kept.rank++] = x.sizes[i];
    } else {
      summed[alone++] = i;
    }
  }
  if (alone && b)
    kept.value = ten_build_reduce(b, TEN_OP_ADD, x.value, ten_build_scalar(b, x.value->type->dtype, 0), alone, summed);
  else
    kept.value = x.value;
  for (uint32_t i = 0; i < kept.rank; i++)
    for (uint32_t k = 0; k < y.rank; k++) {
      if (kept.names[i] != y.names[k]) continue;
      const bool along = has(wanted, kept.names[i]) || (later && has(later, kept.names[i]));
      xs[!along][counts[!along]] = i, ys[!along][counts[!along]++] = k;
      if (!along) continue;
      out.names[out.rank] = kept.names[i];
      out.sizes[out.rank++] = kept.sizes[i];
    }
  for (int side = 0; side < 2; side++) {
    const factor *mine = side ? &y : &kept, *other = side ? &kept : &y;
    for (uint32_t i = 0; i < mine->rank && out.rank < RANK_MAX; i++) {
      if (has(other, mine->names[i])) continue;
      out.names[out.rank] = mine->names[i];
      out.sizes[out.rank++] = mine->sizes[i];
    }
  }
  const ten_dot_dims dims = {{xs[0], counts[0]}, {ys[0], counts[0]}, {xs[1], counts[1]}, {ys[1], counts[1]}};
  if (b) out.value = ten_build_dot(b, kept.value, y.value, &dims, TEN_DTYPE_NONE);
  return out;
}

/* A side of the inner matmul in digits. `first`: the first of the inner result's dimensions that comes from this side;
 * summed: the contracted dimension. Digits of one dimension have descending steps. */
static bool side_of(const chain *c, const int *names, ten_value *value, int64_t first, int64_t summed, factor *out) {
  *out = (factor){.value = value};
  int64_t at = first;
  for (uint32_t d = 0; d < value->type->rank; d++) {
    if (out->rank == RANK_MAX) return false;
    if (d == summed) {
      out->names[out->rank] = SUMMED;
      out->sizes[out->rank++] = value->type->dims[d];
      continue;
    }
    for (int64_t left = value->type->dims[d]; left > 1;) {
      uint32_t k = 0;
      while (k < c->rank && !(c->digits[k].of == at && c->digits[k].step * c->digits[k].size == left)) k++;
      if (k == c->rank || out->rank == RANK_MAX) return false;
      out->names[out->rank] = names[k];
      out->sizes[out->rank++] = c->digits[k].size;
      left = c->digits[k].step;
    }
    at++;
  }
  return true;
}

static ten_value *in_digits(ten_builder *b, const factor *f) {
  return ten_build_reshape(b, f->value, f->rank, f->sizes);
}

/* Transposes to the order of `wanted`; broadcasts missing dimensions. */
static ten_value *in_order(ten_builder *b, const factor *f, const factor *wanted) {
  int64_t order[RANK_MAX], map[RANK_MAX];
  uint32_t at = 0;
  for (uint32_t i = 0; i < wanted->rank; i++)
    for (uint32_t k = 0; k < f->rank; k++)
      if (f->names[k] == wanted->names[i]) order[at] = k, map[at++] = i;
  return ten_build_broadcast(b, ten_build_transpose(b, f->value, order), wanted->rank, wanted->sizes, map);
}

/* `side` of the outer matmul is the inner one. */
static bool associate(ten_module *module, ten_op *op, uint32_t side) {
  chain c;
  if (!find_chain(ten_op_operand(op, side), &c)) return false;
  const ten_dot_dims outer = ten_dot_dims_of(ten_op_attr(op, "dot_dimension_numbers"));
  const ten_dot_dims inner = ten_dot_dims_of(ten_op_attr(c.inner, "dot_dimension_numbers"));
  const ten_ints batch[] = {outer.lhs_batch, outer.rhs_batch}, contract[] = {outer.lhs_contract, outer.rhs_contract};
  ten_value *const other = ten_op_operand(op, 1 - side);
  int names[RANK_MAX];
  for (uint32_t i = 0; i < c.rank; i++) names[i] = DIGIT + (int)i;
  for (size_t i = 0; i < batch[0].count; i++) names[batch[side].data[i]] = (int)batch[1 - side].data[i];
  for (size_t i = 0; i < contract[0].count; i++) names[contract[side].data[i]] = (int)contract[1 - side].data[i];
  factor left = {.value = other, .rank = other->type->rank}, wanted = {0}, x, w;
  for (uint32_t i = 0; i < left.rank; i++) left.names[i] = (int)i, left.sizes[i] = other->type->dims[i];
  for (size_t i = 0; i < batch[0].count; i++) {
    wanted.names[wanted.rank] = (int)batch[1 - side].data[i];
    wanted.sizes[wanted.rank++] = other->type->dims[batch[1 - side].data[i]];
  }
  for (uint32_t s = 0; s < 2; s++) { /* then the free dimensions of the left and of the right */
    const uint32_t rank = s == side ? c.rank : left.rank;
    for (uint32_t i = 0; i < rank; i++) {
      if (ten_ints_has(batch[s], i) || ten_ints_has(contract[s], i) || (s == side && c.digits[i].of < 0)) continue;
      wanted.names[wanted.rank] = s == side ? names[i] : (int)i;
      wanted.sizes[wanted.rank++] = s == side ? c.digits[i].size : left.sizes[i];
    }
  }
  ten_value *tokens = ten_op_operand(c.inner, 0), *weight = ten_op_operand(c.inner, 1);
  const int64_t columns = (int64_t)tokens->type->rank - 1;
  if (!side_of(&c, names, tokens, 0, inner.lhs_contract.data[0], &x) ||
      !side_of(&c, names, weight, columns, inner.rhs_contract.data[0], &w))
    return false;
  if (left.rank + x.rank + w.rank > RANK_MAX) return false;
  factor whole = wanted; /* the outer matmul's current operand */
  whole.rank = 0;
  for (uint32_t i = 0; i < c.rank; i++)
    if (c.digits[i].of >= 0) whole.names[whole.rank] = names[i], whole.sizes[whole.rank++] = c.digits[i].size;
  const int64_t now = work_of(&x, &w) + work_of(&left, &whole);
  const factor by_weight = product_of(NULL, left, w, &wanted, &x), by_tokens = product_of(NULL, left, x, &wanted, &w);
  const int64_t first = work_of(&left, &w) + work_of(&by_weight, &x),
                second = work_of(&left, &x) + work_of(&by_tokens, &w);
  if (now < WORTH || 2 * (first < second ? first : second) > now) return false;
  ten_builder b = {.module = module, .block = op->block, .before = op, .loc = op->loc};
  x.value = in_digits(&b, &x), w.value = in_digits(&b, &w);
  const factor half = product_of(&b, left, first < second ? w : x, &wanted, first < second ? &x : &w);
  const factor all = product_of(&b, half, first < second ? x : w, &wanted, NULL);
  ten_value *made = in_order(&b, &all, &wanted);
  if (c.bias) {
    factor share = {0};
    for (uint32_t i = 0; i < w.rank; i++)
      if (w.names[i] != SUMMED) share.names[share.rank] = w.names[i], share.sizes[share.rank++] = w.sizes[i];
    share.value = ten_build_reshape(&b, c.bias, share.rank, share.sizes);
    const factor added = product_of(&b, left, share, &wanted, NULL);
    made = ten_build_binary(&b, TEN_OP_ADD, made, in_order(&b, &added, &wanted));
  }
  const ten_type *type = op->results[0].type;
  ten_value_replace(&op->results[0], ten_build_reshape(&b, made, type->rank, type->dims));
  ten_op_erase(op);
  return true;
}

static void visit(ten_module *module, ten_op *op) {
  if (!is_plain(op)) return;
  if (!associate(module, op, 1)) associate(module, op, 0);
}

static ten_status *run(ten_module *module) { return ten_pass_each(module, TEN_OP_DOT_GENERAL, visit); }

const ten_pass ten_pass_associate = {
    .name = "associate", .summary = "chains of matmuls in the order that multiplies least", .run = run};
