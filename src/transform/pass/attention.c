/* attention.c: fuses softmax(x)·v into one call, @tenfold.attention(x, v), that never materializes the softmax.
 *
 * Matches the matmul of a softmax over its last dimension with values, in either order of the operands, in the forms of
 * PyTorch's and JAX's programs: the row maximum (or its maximum with -inf) is subtracted, the exponential divided by
 * its sum; fully masked rows give NaN, or zeros where the program selects them. The scores x are not matched, so they
 * may have any scale and mask; the backend computes them inside the call.
 *
 *   tenfold.values   the dimensions of v as [batch…, key, width]
 *   tenfold.order    the result's dimensions, out of [batch…, row, width]
 *   tenfold.empty    "zero": a row that is all -inf gives zeros; else NaN
 *
 * Needs: verified IR, static shapes, f32, no dead ops (values that a backward pass still reads are not fused).
 * Keeps: results to within rounding, types, locations. */
#include <math.h>
#include <stdlib.h>

#include "base/float.h"
#include "ir/builder.h"
#include "transform/pass/pass.h"
#include "transform/pass/rows.h"

enum { RANK_MAX = 16 };

static ten_op *made_by(const ten_value *value, ten_opcode code) {
  return value->op && value->op->code == code ? value->op : NULL;
}

/* The value of a splat. */
static bool is_all(const ten_value *value, double wanted) {
  const ten_attr *number = ten_value_number(value);
  const ten_dtype dtype = value->type->dtype;
  return number && (dtype == TEN_F32 || dtype == TEN_F64) && ten_float_decode(dtype, ten_dense_at(number, 0)) == wanted;
}

static bool is_true(const ten_value *value) {
  const ten_attr *constant = ten_value_constant(value);
  return constant && value->type->dtype == TEN_I1 && !value->type->rank && *(const char *)constant->dense.data;
}

ten_value *ten_row_reduced(const ten_value *value, ten_opcode code, double init) {
  const ten_op *op = made_by(value, TEN_OP_REDUCE);
  if (!op || op->operand_count != 2) return NULL;
  ten_value *x = ten_op_operand(op, 0);
  const ten_ints dims = ten_op_ints(op, "dimensions");
  const ten_block *body = ten_op_body(op, 0);
  const ten_op *combine = body->first;
  if (dims.count != 1 || dims.data[0] != (int64_t)x->type->rank - 1) return NULL;
  if (combine->code != code || !combine->next || !ten_op_has(combine->next, TEN_TRAIT_TERMINATOR)) return NULL;
  for (uint32_t i = 0; i < 2; i++)
    if (ten_op_operand(combine, 0) != body->args[i] && ten_op_operand(combine, 1) != body->args[i]) return NULL;
  const ten_value *first = ten_op_operand(op, 1);
  if (code == TEN_OP_AND ? !is_true(first) : !is_all(first, init)) return NULL;
  return x;
}

/* Skips reshapes that only add or drop dimensions of size one. */
static const ten_value *without_units(const ten_value *value) {
  for (;;) {
    const ten_op *op = value->op;
    if (!op || (op->code != TEN_OP_RESHAPE && op->code != TEN_OP_BROADCAST_IN_DIM)) return value;
    const ten_value *x = ten_op_operand(op, 0);
    if (!ten_type_is_static(x->type) || ten_type_count(x->type) != ten_type_count(value->type)) return value;
    uint32_t i = 0, k = 0;
    for (;; i++, k++) { /* the same sizes but for ones */
      while (i < x->type->rank && x->type->dims[i] == 1) i++;
      while (k < value->type->rank && value->type->dims[k] == 1) k++;
      if (i == x->type->rank || k == value->type->rank) break;
      if (x->type->dims[i] != value->type->dims[k]) return value;
    }
    if (i != x->type->rank || k != value->type->rank) return value;
    if (op->code == TEN_OP_BROADCAST_IN_DIM) {
      const ten_ints map = ten_op_ints(op, "broadcast_dimensions");
      for (size_t d = 1; d < map.count; d++)
        if (map.data[d] < map.data[d - 1]) return value;
    }
    value = x;
  }
}

const ten_value *ten_row_of(const ten_value *value) {
  const ten_op *op = made_by(value, TEN_OP_BROADCAST_IN_DIM);
  if (!op) return NULL;
  const ten_value *x = ten_op_operand(op, 0);
  const ten_ints map = ten_op_ints(op, "broadcast_dimensions");
  const uint32_t last = value->type->rank - 1;
  bool covered[RANK_MAX] = {false};
  if (value->type->rank > RANK_MAX) return NULL;
  for (size_t i = 0; i < map.count; i++) {
    if (i && map.data[i] < map.data[i - 1]) return NULL;
    if (x->type->dims[i] == value->type->dims[map.data[i]] && (uint32_t)map.data[i] != last)
      covered[map.data[i]] = true;
    else if (x->type->dims[i] != 1)
      return NULL;
  }
  for (uint32_t i = 0; i < last; i++)
    if (!covered[i] && value->type->dims[i] != 1) return NULL;
  return without_units(x);
}

typedef struct softmax {
  ten_value *x;
  bool zero; /* rows of only -inf give zeros */
} softmax;

/* select(maximum = -inf, `instead`, row): returns the row, and the condition if it was one. */
static const ten_value *through_choice(const ten_value *row, double instead, const ten_value **condition) {
  const ten_op *select = made_by(row, TEN_OP_SELECT);
  if (!select || !is_all(ten_op_operand(select, 1), instead)) return row;
  const ten_op *compare = made_by(without_units(ten_op_operand(select, 0)), TEN_OP_COMPARE);
  if (!compare || ten_op_attr(compare, "comparison_direction")->enumeration.value != TEN_EQ ||
      !is_all(ten_op_operand(compare, 1), -INFINITY))
    return row;
  *condition = without_units(ten_op_operand(compare, 0));
  return without_units(ten_op_operand(select, 2));
}

/* Whether `from` is x, up to dimensions of size one. */
static bool is_of(const ten_value *from, const ten_value *x) {
  if (!from) return false;
  return from == x || without_units(from) == without_units(x);
}

/* If x and its per-row value were both transposed, undoes both; *x is then the untransposed one. */
static const ten_value *untransposed(const ten_value *row, const ten_value **x) {
  const ten_op *transpose = made_by(row, TEN_OP_TRANSPOSE), *of_x = made_by(*x, TEN_OP_TRANSPOSE);
  if (!transpose || !of_x) return row;
  const ten_ints p = ten_op_ints(transpose, "permutation"), q = ten_op_ints(of_x, "permutation");
  if (q.count != p.count + 1 || q.data[p.count] != (int64_t)p.count) return row;
  for (size_t i = 0; i < p.count; i++)
    if (p.data[i] != q.data[i]) return row;
  *x = ten_op_operand(of_x, 0);
  return without_units(ten_op_operand(transpose, 0));
}

/* A sum of f32 elements that was computed in f64. */
static const ten_value *narrowed(const ten_value *sum, const ten_value **addend) {
  const ten_op *convert = made_by(sum, TEN_OP_CONVERT);
  if (!convert || sum->type->dtype != TEN_F32) return sum;
  const ten_value *wide = without_units(ten_op_operand(convert, 0));
  const ten_op *reduce = made_by(wide, TEN_OP_REDUCE),
               *widen = reduce ? made_by(ten_op_operand(reduce, 0), TEN_OP_CONVERT) : NULL;
  if (!widen || wide->type->dtype != TEN_F64 || !ten_value_used_once(&widen->results[0])) return sum;
  *addend = ten_op_operand(widen, 0);
  return wide;
}

static bool match_plain(const ten_value *weights, softmax *s) {
  const ten_op *divide = made_by(weights, TEN_OP_DIVIDE);
  if (!divide) return false;
  ten_value *exps = ten_op_operand(divide, 0);
  const ten_op *exp = made_by(exps, TEN_OP_EXPONENTIAL);
  const ten_op *subtract = exp ? made_by(ten_op_operand(exp, 0), TEN_OP_SUBTRACT) : NULL;
  const ten_value *sum = ten_row_of(ten_op_operand(divide, 1)),
                  *top = subtract ? ten_row_of(ten_op_operand(subtract, 1)) : NULL;
  if (!sum || !top) return false;
  s->x = ten_op_operand(subtract, 0);
  const ten_value *sum_empty = NULL, *top_empty = NULL;
  sum = through_choice(sum, 1, &sum_empty);
  top = through_choice(top, 0, &top_empty);
  const ten_op *with_limit = made_by(top, TEN_OP_MAXIMUM);
  for (uint32_t i = 0; i < 2 && with_limit; i++)
    if (is_all(ten_op_operand(with_limit, i), -INFINITY)) {
      top = without_units(ten_op_operand(with_limit, 1 - i));
      break;
    }
  if ((sum_empty && sum_empty != top) || (top_empty && top_empty != top) || !sum_empty != !top_empty) return false;
  s->zero = sum_empty != NULL;
  const ten_value *x = s->x, *addend = NULL;
  sum = narrowed(sum, &addend);
  const ten_value *added = ten_row_reduced(sum, TEN_OP_ADD, 0);
  if (addend ? !added || addend != exps : added != exps) return false;
  if (!is_of(ten_row_reduced(top, TEN_OP_MAXIMUM, -INFINITY), x)) {
    top = untransposed(top, &x);
    const ten_op *limit = made_by(top, TEN_OP_MAXIMUM);
    for (uint32_t i = 0; i < 2 && limit; i++)
      if (is_all(ten_op_operand(limit, i), -INFINITY)) {
        top = without_units(ten_op_operand(limit, 1 - i));
        break;
      }
    if (!is_of(ten_row_reduced(top, TEN_OP_MAXIMUM, -INFINITY), x)) return false;
  }
  for (const ten_use *use = exps->uses; use; use = use->next)
    if (use->owner != divide && use->owner != sum->op && (!addend || use->owner->code != TEN_OP_CONVERT)) return false;
  return true;
}

/* Also select(every score of the row is -inf, 0, softmax). */
static bool match_softmax(const ten_value *weights, softmax *s) {
  if (!ten_value_used_once(weights) || weights->type->dtype != TEN_F32) return false;
  const ten_op *select = made_by(weights, TEN_OP_SELECT);
  if (!select) return match_plain(weights, s);
  const ten_value *inner = ten_op_operand(select, 2), *row = ten_row_of(ten_op_operand(select, 0));
  if (!row || !is_all(ten_op_operand(select, 1), 0) || !ten_value_used_once(inner) || !match_plain(inner, s))
    return false;
  const ten_value *hidden = ten_row_reduced(row, TEN_OP_AND, 0);
  const ten_op *compare = hidden ? made_by(hidden, TEN_OP_COMPARE) : NULL;
  if (!compare || ten_op_operand(compare, 0) != s->x || !is_all(ten_op_operand(compare, 1), -INFINITY) ||
      ten_op_attr(compare, "comparison_direction")->enumeration.value != TEN_EQ)
    return false;
  s->zero = true;
  return true;
}

typedef struct side {
  ten_ints batch;
  int64_t contract, free; /* -1: every free dimension is of size one */
} side;

/* One dimension contracted, at most one free one that is not of size one. */
static bool side_of(const ten_type *type, ten_ints batch, ten_ints contract, side *out) {
  *out = (side){batch, contract.count == 1 ? contract.data[0] : -1, -1};
  if (out->contract < 0 || type->rank > RANK_MAX) return false;
  for (int64_t i = 0; i < (int64_t)type->rank; i++) {
    if (ten_ints_has(batch, i) || i == out->contract || type->dims[i] == 1) continue;
    if (out->free >= 0) return false;
    out->free = i;
  }
  return true;
}

/* Maps each dimension of the matmul to [batch…, row, width]; -1: of size one, without origin. */
static void product_axes(const ten_type *x, const ten_type *y, const side *sx, const side *sy, int64_t x_axis,
                         int64_t y_axis, int64_t *axes) {
  uint32_t at = 0;
  for (size_t i = 0; i < sx->batch.count; i++) axes[at++] = (int64_t)i;
  for (uint32_t i = 0; i < x->rank; i++)
    if (!ten_ints_has(sx->batch, i) && i != sx->contract) axes[at++] = i == sx->free ? x_axis : -1;
  for (uint32_t i = 0; i < y->rank; i++)
    if (!ten_ints_has(sy->batch, i) && i != sy->contract) axes[at++] = i == sy->free ? y_axis : -1;
}

typedef struct values_layout {
  int64_t dims[RANK_MAX], count,
      perm[RANK_MAX]; /* without dimensions of size one that are neither batch, key nor width */
} values_layout;

static void lay_values(const ten_type *type, const side *v, uint32_t batch, values_layout *out) {
  int64_t kept[RANK_MAX];
  out->count = 0;
  for (int64_t i = 0; i < (int64_t)type->rank; i++)
    if (ten_ints_has(v->batch, i) || i == v->contract || i == v->free) {
      out->dims[out->count] = type->dims[i];
      kept[out->count++] = i;
    }
  if (v->free < 0) out->dims[out->count] = 1, kept[out->count++] = -1;
  for (uint32_t i = 0; i < batch + 2; i++) {
    const int64_t wanted = i < batch ? v->batch.data[i] : i == batch ? v->contract : v->free;
    for (int64_t k = 0; k < out->count; k++)
      if (kept[k] == wanted) out->perm[i] = k;
  }
}

static ten_value *build_call(ten_builder *b, ten_value *x, ten_value *values, const ten_type *result, bool zero,
                             const int64_t *order, const int64_t *perm) {
  ten_module *module = b->module;
  ten_value *operands[] = {x, values};
  const ten_named_attr attrs[] = {
      ten_call_item(module, TEN_NAME_ATTENTION),
      ten_own_item(TEN_NAME_EMPTY, ten_attr_string(module, zero ? TEN_STR("zero") : TEN_STR("nan"))),
      ten_own_item(TEN_NAME_ORDER, ten_attr_dims(module, result->rank, order)),
      ten_own_item(TEN_NAME_VALUES, ten_attr_dims(module, result->rank, perm))};
  return &ten_build_op(b, TEN_OP_CUSTOM_CALL, 2, operands, 1, &result, 4, attrs, 0)->results[0];
}

/* The matmul's order of the dimensions of rewrite_rows: batch, the free dimensions of one side, then of the
 * other. */
static void product_order(uint32_t rank, ten_ints w_batch, bool swapped, const int64_t *at, const int64_t *wanted,
                          int64_t *order) {
  const uint32_t batch = (uint32_t)w_batch.count;
  int64_t n = 0;
  for (uint32_t i = 0; i < batch; i++) order[n++] = i;
  if (swapped) order[n++] = (int64_t)rank - 1;
  for (uint32_t i = 0; i + 1 < rank; i++) {
    if (ten_ints_has(w_batch, i)) continue;
    for (int64_t k = batch; k < (int64_t)rank - 1; k++)
      if (wanted[k] == at[i]) order[n++] = k;
  }
  if (!swapped) order[n++] = (int64_t)rank - 1;
}

/* Several row dimensions share keys and values (grouped queries): all of them are rows. The scores are used in their
 * original order, if rows follow the batch there. */
static void rewrite_rows(ten_module *module, ten_op *op, bool swapped, const softmax *s, const side *v) {
  const ten_dot_dims dims = ten_dot_dims_of(ten_op_attr(op, "dot_dimension_numbers"));
  ten_value *weights = ten_op_operand(op, swapped ? 1 : 0), *values = ten_op_operand(op, swapped ? 0 : 1), *x = s->x;
  const ten_ints w_batch = swapped ? dims.rhs_batch : dims.lhs_batch,
                 contract = swapped ? dims.rhs_contract : dims.lhs_contract;
  const uint32_t rank = weights->type->rank, batch = (uint32_t)w_batch.count;
  if (rank > RANK_MAX || batch + 2 > RANK_MAX || contract.count != 1 || contract.data[0] != (int64_t)rank - 1) return;
  if (x->type->rank != rank || op->results[0].type->rank > RANK_MAX) return;
  int64_t at[RANK_MAX], wanted[RANK_MAX], count = 0, plain[RANK_MAX]; /* at: maps dimensions of the weights to x */
  for (uint32_t i = 0; i < rank; i++) at[i] = plain[i] = i;
  const ten_op *transpose = made_by(x, TEN_OP_TRANSPOSE);
  if (transpose) {
    const ten_ints p = ten_op_ints(transpose, "permutation");
    if (p.data[rank - 1] == (int64_t)rank - 1) {
      x = ten_op_operand(transpose, 0);
      for (uint32_t i = 0; i < rank; i++) at[i] = p.data[i];
    }
  }
  /* the batch, then every other dimension in the order of x, then keys */
  for (uint32_t i = 0; i < batch; i++) wanted[count++] = at[w_batch.data[i]];
  int64_t rows = 1;
  for (int64_t k = 0; k < (int64_t)rank - 1; k++) {
    bool taken = false;
    for (uint32_t i = 0; i < batch; i++) taken |= wanted[i] == k;
    if (taken) continue;
    wanted[count++] = k;
    rows *= x->type->dims[k];
  }
  wanted[count++] = (int64_t)rank - 1;
  ten_builder b = {.module = module, .block = op->block, .before = op, .loc = op->loc};
  bool in_order = true;
  for (int64_t i = 0; i < count; i++) in_order &= wanted[i] == i;
  const ten_type *type = x->type;
  if (!in_order) x = ten_build_transpose(&b, x, wanted);
  int64_t shape[RANK_MAX], out[RANK_MAX], whole[RANK_MAX], order[RANK_MAX];
  for (uint32_t i = 0; i < batch; i++) shape[i] = out[i] = whole[i] = type->dims[wanted[i]];
  shape[batch] = out[batch] = rows;
  shape[batch + 1] = type->dims[rank - 1];
  const int64_t width = out[batch + 1] = v->free >= 0 ? values->type->dims[v->free] : 1;
  for (uint32_t i = batch; i + 1 < rank; i++) whole[i] = type->dims[wanted[i]];
  whole[rank - 1] = width;
  values_layout layout;
  lay_values(values->type, v, batch, &layout);
  ten_value *y =
      build_call(&b, ten_build_reshape(&b, x, batch + 2, shape),
                 ten_build_reshape(&b, values, (uint32_t)layout.count, layout.dims),
                 ten_type_with_shape(module, op->results[0].type, batch + 2, out), s->zero, plain, layout.perm);
  y = ten_build_reshape(&b, y, rank, whole);
  product_order(rank, w_batch, swapped, at, wanted, order);
  y = ten_build_transpose(&b, y, order); /* dimensions of size one come by reshaping */
  ten_value_replace(&op->results[0], ten_build_reshape(&b, y, op->results[0].type->rank, op->results[0].type->dims));
  ten_op_erase(op);
}

/* Whether the scores have the layout [batch…, row, key], but for dimensions of size one. */
static bool scores_in_order(const ten_type *type, const side *w) {
  int64_t last = -1;
  for (size_t i = 0; i < w->batch.count; i++) {
    if (type->dims[w->batch.data[i]] == 1) continue;
    if (w->batch.data[i] < last) return false;
    last = w->batch.data[i];
  }
  return w->contract == (int64_t)type->rank - 1 && (w->free < 0 || w->free >= last);
}

/* Maps the `rank` dimensions [batch…, row, width] to a result whose dimensions are `axes`, through a transpose if there
 * is one; missing ones of size one come first. */
static void result_order(uint32_t result_rank, const int64_t *axes, ten_ints transpose, uint32_t rank, int64_t *order) {
  int64_t count = 0;
  bool seen[RANK_MAX] = {false};
  for (uint32_t i = 0; i < result_rank; i++) {
    const int64_t axis = axes[transpose.count ? transpose.data[i] : i];
    if (axis >= 0) order[count++] = axis, seen[axis] = true;
  }
  for (uint32_t i = 0; i < rank; i++) {
    if (seen[i]) continue;
    for (int64_t k = count++; k > 0; k--) order[k] = order[k - 1];
    order[0] = i;
  }
}

static void rewrite(ten_module *module, ten_op *op) {
  const ten_dot_dims dims = ten_dot_dims_of(ten_op_attr(op, "dot_dimension_numbers"));
  softmax s = {0};
  const bool swapped = !match_softmax(ten_op_operand(op, 0), &s);
  if (swapped && !match_softmax(ten_op_operand(op, 1), &s)) return;
  ten_value *weights = ten_op_operand(op, swapped ? 1 : 0), *values = ten_op_operand(op, swapped ? 0 : 1);
  if (!ten_type_count(weights->type) || !ten_type_count(values->type)) return;
  if (values->type->dtype != TEN_F32 || op->results[0].type->dtype != TEN_F32) return;
  side w, v;
  if (!side_of(values->type, swapped ? dims.lhs_batch : dims.rhs_batch, swapped ? dims.lhs_contract : dims.rhs_contract,
               &v))
    return;
  if (!side_of(weights->type, swapped ? dims.rhs_batch : dims.lhs_batch,
               swapped ? dims.rhs_contract : dims.lhs_contract, &w)) {
    rewrite_rows(module, op, swapped, &s, &v);
    return;
  }
  const uint32_t batch = (uint32_t)w.batch.count, rank = batch + 2;
  if (!scores_in_order(weights->type, &w) || rank > RANK_MAX) return;
  int64_t shape[RANK_MAX], axes[RANK_MAX], canonical[RANK_MAX];
  for (uint32_t i = 0; i < batch; i++) canonical[i] = shape[i] = weights->type->dims[w.batch.data[i]];
  shape[batch] = canonical[batch] = w.free >= 0 ? weights->type->dims[w.free] : 1;
  shape[batch + 1] = weights->type->dims[w.contract];
  canonical[batch + 1] = v.free >= 0 ? values->type->dims[v.free] : 1;
  ten_builder b = {.module = module, .block = op->block, .before = op, .loc = op->loc};
  values_layout layout;
  lay_values(values->type, &v, batch, &layout);
  /* the result, or a transpose that is its only reader */
  ten_op *end = op;
  const ten_op *user = ten_value_used_once(&op->results[0]) ? op->results[0].uses->owner : NULL;
  if (user && user->code == TEN_OP_TRANSPOSE && user->block == op->block) end = op->results[0].uses->owner;
  const ten_type *type = op->results[0].type;
  if (type->rank > RANK_MAX) return;
  product_axes(ten_op_operand(op, 0)->type, ten_op_operand(op, 1)->type, swapped ? &v : &w, swapped ? &w : &v,
               swapped ? batch + 1 : batch, swapped ? batch : batch + 1, axes);
  int64_t order[RANK_MAX], out[RANK_MAX];
  result_order(type->rank, axes, end == op ? (ten_ints){0} : ten_op_ints(end, "permutation"), rank, order);
  const bool direct = order[rank - 1] == (int64_t)rank - 1; /* rows of the result are contiguous */
  int64_t plain[RANK_MAX];
  for (uint32_t i = 0; i < rank; i++) {
    plain[i] = i;
    out[i] = canonical[direct ? order[i] : i];
  }
  b.before = end;
  ten_value *y = build_call(&b, ten_build_reshape(&b, s.x, rank, shape),
                            ten_build_reshape(&b, values, (uint32_t)layout.count, layout.dims),
                            ten_type_with_shape(module, type, rank, out), s.zero, direct ? order : plain, layout.perm);
  if (!direct) y = ten_build_transpose(&b, y, order);
  y = ten_build_reshape(&b, y, end->results[0].type->rank, end->results[0].type->dims);
  ten_value_replace(&end->results[0], y);
  if (end != op) ten_op_erase(end);
  ten_op_erase(op);
}

typedef TEN_VEC(ten_op *) op_list;

static ten_status *collect(ten_op *op, void *context) {
  op_list *list = context;
  if (op->code == TEN_OP_DOT_GENERAL && ten_type_is_static(op->results[0].type) && !op->results[0].type->quant)
    ten_vec_push(list, op);
  return NULL;
}

static ten_status *run(ten_module *module) {
  op_list found = {0};
  ten_status *status = ten_op_walk(module->op, collect, &found);
  for (size_t i = 0; i < found.count && !status; i++) rewrite(module, found.data[i]);
  ten_vec_free(&found);
  return status;
}

const ten_pass ten_pass_attention = {
    .name = "attention", .summary = "make one call of a softmax and the product with values", .run = run};
