/* attention_grad.c: what backpropagation makes of attention becomes one call, @tenfold.attention_grad(q, k, v, g), that
 * holds no matrix of scores.
 *
 * Recognised is the gradient of softmax(scale · q·kᵀ)·v where the softmax p is recomputed, as
 * transform/grad/recompute.c does it: p from q and k, the gradient of it from g (that of the result) and v, the
 * gradient s of the scores, and the three products pᵀ·g, s·k and sᵀ·q. There are as many queries as keys, and values
 * are as wide as keys; nothing else reads what lies between. The operands of the call are [batch…, row, column]; its
 * result holds the gradients of q, k and v as parts:
 *
 *   tenfold.order   the result's dimensions, out of [part, batch…, row, column]
 *   tenfold.scale   f32
 *
 * Where the three were put together into one tensor (the gradient of a joint product of queries, keys and values), the
 * result is that tensor, in the order in which the product made it. Needs: verified IR, static shapes, f32, dead ops
 * gone.  Keeps: results to within rounding, types, locations. */
#include <math.h>
#include <string.h>

#include "base/float.h"
#include "ir/builder.h"
#include "transform/pass/pass.h"
#include "transform/pass/rows.h"

enum { RANK_MAX = 16, Q = 0, K, V, G };

/* An operand of a product: what it is a transpose of, and the dimensions of that: batch…, the free one, the other. */
typedef struct side {
  ten_value *base;
  int64_t dims[RANK_MAX];
  uint32_t batch;
} side;

typedef struct found {
  side in[4];
  ten_op *dots[3]; /* that make the gradients of q, k and v */
  float scale;
} found;

static ten_op *made_by(const ten_value *value, ten_opcode code) {
  return value->op && value->op->code == code ? value->op : NULL;
}

static bool side_of(const ten_op *dot, bool right, side *s) {
  const ten_dot_dims d = ten_dot_dims_of(ten_op_attr(dot, "dot_dimension_numbers"));
  const ten_ints batch = right ? d.rhs_batch : d.lhs_batch, contract = right ? d.rhs_contract : d.lhs_contract;
  ten_value *value = ten_op_operand(dot, right);
  const uint32_t rank = value->type->rank;
  if (contract.count != 1 || rank != batch.count + 2 || rank > RANK_MAX || value->type->dtype != TEN_F32) return false;
  s->batch = (uint32_t)batch.count;
  for (uint32_t i = 0; i < s->batch; i++) s->dims[i] = batch.data[i];
  for (int64_t i = 0; i < (int64_t)rank; i++)
    if (!ten_ints_has(batch, i) && i != contract.data[0]) s->dims[s->batch] = i;
  s->dims[s->batch + 1] = contract.data[0];
  for (const ten_op *transpose; (transpose = made_by(value, TEN_OP_TRANSPOSE)); value = ten_op_operand(transpose, 0)) {
    const ten_ints order = ten_op_ints(transpose, "permutation");
    for (uint32_t i = 0; i < rank; i++) s->dims[i] = order.data[s->dims[i]];
  }
  s->base = value;
  return true;
}

/* The same operand, summed over the other of its two dimensions. */
static bool is_turned(const side *a, const side *b) {
  return a->base == b->base && a->batch == b->batch && !memcmp(a->dims, b->dims, a->batch * sizeof *a->dims) &&
         a->dims[a->batch] == b->dims[b->batch + 1] && a->dims[a->batch + 1] == b->dims[b->batch];
}

/* Whether the left operand is `value` itself, batches first, `contract` the dimension that is summed over. */
static bool is_left(const ten_op *dot, const ten_value *value, uint32_t contract) {
  side s;
  if (dot->code != TEN_OP_DOT_GENERAL || ten_op_operand(dot, 0) != value || !side_of(dot, false, &s)) return false;
  for (uint32_t i = 0; i < s.batch; i++)
    if (s.dims[i] != i) return false;
  return s.base == value && s.dims[s.batch + 1] == contract;
}

static uint32_t uses_of(const ten_value *value) {
  uint32_t count = 0;
  for (const ten_use *use = value->uses; use; use = use->next) count++;
  return count;
}

/* value = inner · a number; without one, itself and 1. */
static ten_value *without_scale(ten_value *value, float *scale) {
  const ten_op *op = made_by(value, TEN_OP_MULTIPLY);
  *scale = 1;
  for (uint32_t i = 0; op && i < 2; i++) {
    const ten_attr *number = ten_value_number(ten_op_operand(op, i));
    if (!number) continue;
    *scale = (float)ten_float_decode(TEN_F32, ten_dense_at(number, 0));
    return ten_op_operand(op, 1 - i);
  }
  return value;
}

/* Of a product of two values, one being `x`, the other. */
static ten_value *other_of(const ten_op *op, const ten_value *x) {
  if (!op) return NULL;
  return ten_op_operand(op, 0) == x ? ten_op_operand(op, 1) : ten_op_operand(op, 1) == x ? ten_op_operand(op, 0) : NULL;
}

/* u - Σ u·p along rows, in either way of writing it: u. */
static ten_value *match_centred(const ten_value *value, const ten_value *p) {
  const ten_op *sum = made_by(value, TEN_OP_ADD), *op = sum ? sum : made_by(value, TEN_OP_SUBTRACT);
  for (uint32_t i = 0; op && i < (sum ? 2 : 1); i++) {
    ten_value *u = ten_op_operand(op, i);
    const ten_value *row = ten_row_of(ten_op_operand(op, 1 - i)), *x = row ? ten_row_reduced(row, TEN_OP_ADD, 0) : NULL;
    if (x && sum) x = made_by(x, TEN_OP_NEGATE) ? ten_op_operand(x->op, 0) : NULL;
    if (x && other_of(made_by(x, TEN_OP_MULTIPLY), p) == u && uses_of(u) == 2) return u;
  }
  return NULL;
}

/* The gradient of the product q·kᵀ, given e^(scores - top) and the softmax p = e / sum. */
static ten_value *match_scores_grad(const ten_value *e, const ten_value *p, const ten_value *sum, found *f) {
  for (const ten_use *use = e->uses; use; use = use->next) {
    ten_value *inner = use->owner->code == TEN_OP_MULTIPLY ? other_of(use->owner, e) : NULL;
    const ten_value *u = inner && ten_value_used_once(inner) ? match_centred(inner, p) : NULL;
    const ten_op *share = u ? made_by(u, TEN_OP_DIVIDE) : NULL;
    const ten_op *dot = share ? made_by(ten_op_operand(share, 0), TEN_OP_DOT_GENERAL) : NULL;
    if (!dot || ten_row_of(ten_op_operand(share, 1)) != sum || !ten_value_used_once(&dot->results[0])) continue;
    if (!side_of(dot, false, &f->in[G]) || !side_of(dot, true, &f->in[V])) return NULL;
    ten_value *s = &use->owner->results[0];
    if (f->scale == 1) return s;
    float scale = 0;
    if (!ten_value_used_once(s)) return NULL;
    s = &s->uses->owner->results[0];
    return without_scale(s, &scale) == &use->owner->results[0] && scale == f->scale ? s : NULL;
  }
  return NULL;
}

static bool match(const ten_op *exp, found *f) {
  const ten_value *e = &exp->results[0];
  const ten_op *shifted = made_by(ten_op_operand(exp, 0), TEN_OP_SUBTRACT);
  if (!shifted || e->type->dtype != TEN_F32 || !ten_type_is_static(e->type) || uses_of(e) != 3) return false;
  ten_value *x = ten_op_operand(shifted, 0);
  const ten_value *top = ten_row_of(ten_op_operand(shifted, 1)), *p = NULL, *sum = NULL;
  if (!top || ten_row_reduced(top, TEN_OP_MAXIMUM, -INFINITY) != x) return false;
  const ten_op *scores = made_by(without_scale(x, &f->scale), TEN_OP_DOT_GENERAL);
  if (!scores || !side_of(scores, false, &f->in[Q]) || !side_of(scores, true, &f->in[K])) return false;
  for (const ten_use *use = e->uses; use; use = use->next)
    if (use->owner->code == TEN_OP_DIVIDE && use->index == 0) p = &use->owner->results[0];
  if (!p || uses_of(p) != 2) return false;
  sum = ten_row_of(ten_op_operand(p->op, 1));
  if (!sum || ten_row_reduced(sum, TEN_OP_ADD, 0) != e) return false;
  const ten_value *s = match_scores_grad(e, p, sum, f);
  if (!s || uses_of(s) != 2) return false;
  const uint32_t batch = f->in[Q].batch;
  side right;
  for (const ten_use *use = p->uses; use; use = use->next)
    if (is_left(use->owner, p, batch) && side_of(use->owner, true, &right) && is_turned(&right, &f->in[G]))
      f->dots[V] = use->owner;
  for (const ten_use *use = s->uses; use; use = use->next) {
    if (is_left(use->owner, s, batch + 1) && side_of(use->owner, true, &right) && is_turned(&right, &f->in[K]))
      f->dots[Q] = use->owner;
    if (is_left(use->owner, s, batch) && side_of(use->owner, true, &right) && is_turned(&right, &f->in[Q]))
      f->dots[K] = use->owner;
  }
  return f->dots[Q] && f->dots[K] && f->dots[V];
}

/* The first of the three products, where everything that the call reads is there already; NULL: it is not. */
static ten_op *place_of(const found *f) {
  ten_op *first = f->dots[0];
  for (uint32_t i = 1; i < 3; i++) {
    if (f->dots[i]->block != first->block) return NULL;
    for (ten_op *op = f->dots[i]; op; op = op->next)
      if (op == first) first = f->dots[i];
  }
  for (const ten_op *op = first; op; op = op->next)
    for (uint32_t i = 0; i < 4; i++)
      if (f->in[i].base->op == op) return NULL;
  return first;
}

static ten_op *only_user(const ten_value *value) { return ten_value_used_once(value) ? value->uses->owner : NULL; }

/* The value with a dimension of size one before its others, made for one user. */
static const ten_value *as_part(const ten_value *value) {
  const ten_op *reshape = only_user(value);
  if (!reshape || reshape->code != TEN_OP_RESHAPE) return NULL;
  const ten_type *type = reshape->results[0].type;
  if (type->rank != value->type->rank + 1 || type->dims[0] != 1 ||
      memcmp(type->dims + 1, value->type->dims, value->type->rank * sizeof *type->dims))
    return NULL;
  return &reshape->results[0];
}

/* part `at` of three, all others zero: the pad that makes it of `value`. */
static ten_op *padded(const ten_value *value, int64_t at) {
  const ten_value *part = as_part(value);
  ten_op *pad = part ? only_user(part) : NULL;
  if (!pad || pad->code != TEN_OP_PAD || ten_op_operand(pad, 0) != part) return NULL;
  const ten_attr *zero = ten_value_number(ten_op_operand(pad, 1));
  if (!zero || ten_float_decode(TEN_F32, ten_dense_at(zero, 0)) != 0) return NULL;
  const ten_ints low = ten_op_ints(pad, "edge_padding_low"), high = ten_op_ints(pad, "edge_padding_high"),
                 inner = ten_op_ints(pad, "interior_padding");
  for (size_t i = 0; i < low.count; i++)
    if (low.data[i] != (i ? 0 : at) || high.data[i] != (i ? 0 : 2 - at) || inner.data[i]) return NULL;
  return pad;
}

/* The concatenation of the three, as simplify.c makes it of pads that are added. */
static ten_op *stacked(const found *f) {
  const ten_value *first = as_part(&f->dots[0]->results[0]);
  ten_op *user = first ? only_user(first) : NULL;
  if (!user || user->code != TEN_OP_CONCATENATE || user->operand_count != 3 || ten_op_int(user, "dimension", 0))
    return NULL;
  for (uint32_t i = 0; i < 3; i++)
    if (ten_op_operand(user, i) != as_part(&f->dots[i]->results[0])) return NULL;
  return user;
}

/* The op that puts the three together; NULL: they go their own ways. */
static ten_op *joined(const found *f) {
  ten_op *pads[3], *users[3], *whole = stacked(f);
  if (whole) return whole;
  for (int64_t i = 0; i < 3; i++) {
    pads[i] = padded(&f->dots[i]->results[0], i);
    users[i] = pads[i] ? only_user(&pads[i]->results[0]) : NULL;
    if (!users[i] || users[i]->code != TEN_OP_ADD) return NULL;
  }
  for (uint32_t i = 0; i < 3; i++) {
    const ten_op *pair = users[(i + 1) % 3];
    if (pair == users[(i + 2) % 3] && only_user(&pair->results[0]) == users[i]) return users[i];
  }
  return NULL;
}

static ten_value *build_call(ten_builder *b, const found *f, uint32_t rank, const int64_t *order) {
  ten_module *module = b->module;
  ten_value *operands[4];
  int64_t whole[RANK_MAX + 1] = {3}, dims[RANK_MAX + 1];
  for (uint32_t i = 0; i < 4; i++) {
    const side *s = &f->in[i]; /* rows before columns: all four are summed over columns there */
    bool in_order = true;
    for (uint32_t k = 0; k + 1 < rank; k++) in_order &= s->dims[k] == k;
    operands[i] = in_order ? s->base : ten_build_transpose(b, s->base, s->dims);
  }
  memcpy(whole + 1, operands[0]->type->dims, (rank - 1) * sizeof *whole);
  for (uint32_t i = 0; i < rank; i++) dims[i] = whole[order[i]];
  const ten_type *type = ten_type_with_shape(module, operands[0]->type, rank, dims);
  const ten_named_attr attrs[] = {ten_call_item(module, TEN_NAME_ATTENTION_GRAD),
                                  ten_own_item(TEN_NAME_ORDER, ten_attr_dims(module, rank, order)),
                                  ten_own_item(TEN_NAME_SCALE, ten_attr_f32(module, f->scale))};
  return &ten_build_op(b, TEN_OP_CUSTOM_CALL, 4, operands, 1, &type, 3, attrs, 0)->results[0];
}

static void rewrite(ten_module *module, ten_op *exp) {
  found f = {0};
  if (!match(exp, &f)) return;
  const ten_type *q = ten_op_operand(f.dots[K], 1)->type, *out = f.dots[Q]->results[0].type;
  const uint32_t batch = f.in[Q].batch, rank = batch + 3;
  for (uint32_t i = 0; i < 3; i++) {
    const ten_type *type = f.dots[i]->results[0].type;
    if (type->rank != out->rank || memcmp(type->dims, out->dims, out->rank * sizeof *out->dims)) return;
  }
  if (rank > RANK_MAX || q->dtype != TEN_F32 || !ten_type_count(out)) return;
  ten_op *first = place_of(&f);
  if (!first) return;
  /* [part, batch, …], or, of two batch dimensions, as a joint product has them: batch, row, part, head, column */
  static const int64_t joint[] = {1, 3, 0, 2, 4}, back[] = {2, 0, 3, 1, 4};
  int64_t order[RANK_MAX + 1];
  for (uint32_t i = 0; i < rank; i++) order[i] = batch == 2 ? joint[i] : i;
  ten_builder b = {.module = module, .block = first->block, .before = first, .loc = first->loc};
  ten_value *y = build_call(&b, &f, rank, order);
  ten_op *whole = joined(&f), *transpose = whole ? only_user(&whole->results[0]) : NULL;
  if (transpose && transpose->code == TEN_OP_TRANSPOSE && batch == 2 &&
      !memcmp(ten_op_ints(transpose, "permutation").data, joint, sizeof joint)) {
    ten_value_replace(&transpose->results[0], y);
    return;
  }
  ten_value *parts = batch == 2 ? ten_build_transpose(&b, y, back) : y;
  if (whole) {
    ten_value_replace(&whole->results[0], parts);
    return;
  }
  for (uint32_t i = 0; i < 3; i++) {
    ten_value *part = ten_build_slice_dim(&b, parts, 0, i, i + 1, 1);
    ten_value_replace(&f.dots[i]->results[0], ten_build_reshape(&b, part, out->rank, out->dims));
  }
}

static ten_status *run(ten_module *module) { return ten_pass_each(module, TEN_OP_EXPONENTIAL, rewrite); }

const ten_pass ten_pass_attention_grad = {
    .name = "attention-grad", .summary = "make one call of what backpropagation makes of attention", .run = run};
