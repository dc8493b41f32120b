/* reduce.c: rules of reductions. Sums broadcast the cotangent; extrema give it to the winners, shared among ties; any
 * other body is differentiated through a tree of whole-tensor applications of it. */
#include "ir/ten.h"
#include "transform/grad/rules.h"
#include "transform/grad/through.h"

enum { RANK_MAX = 64 };

/* Broadcasts a reduced value to the shape of the operand. */
static ten_value *spread(ten_vjp *v, ten_value *reduced, const ten_type *to, ten_ints dims) {
  int64_t map[RANK_MAX];
  uint32_t at = 0;
  for (uint32_t i = 0; i < to->rank; i++)
    if (!ten_ints_has(dims, i)) map[at++] = i;
  return ten_build_broadcast(v->b, reduced, to->rank, to->dims, map);
}

static void sum_rule(ten_vjp *v, ten_ints dims) {
  if (ten_vjp_wants(v, 0)) ten_vjp_add(v, 0, spread(v, v->ct[0], x_of(v, 0)->type, dims));
  if (!ten_vjp_wants(v, 1)) return;
  int64_t all[RANK_MAX];
  for (uint32_t i = 0; i < v->ct[0]->type->rank; i++) all[i] = i;
  ten_vjp_add(v, 1, ten_vjp_sum(v, v->ct[0], v->ct[0]->type->rank, all));
}

static void extremum_rule(ten_vjp *v, ten_ints dims) {
  ten_value *x = x_of(v, 0), *winner = spread(v, y_of(v, 0), x->type, dims);
  ten_value *wins = ten_build_convert(v->b, ten_build_compare(v->b, TEN_EQ, x, winner), x->type->dtype);
  ten_value *ties = ten_vjp_sum(v, wins, dims.count, dims.data);
  ten_value *share = divide(
      v, v->ct[0], ten_build_binary(v->b, TEN_OP_MAXIMUM, ties, like(v, ties, 1))); /* none: the initial value won */
  ten_vjp_add(v, 0, mul(v, wins, spread(v, share, x->type, dims)));
}

/* [reduced…, kept…] with the reduced dimensions merged into one, in front. */
static ten_value *front(ten_builder *b, ten_value *x, ten_ints dims) {
  int64_t order[RANK_MAX], shape[RANK_MAX];
  uint32_t at = 0, kept = 1;
  shape[0] = 1;
  for (size_t i = 0; i < dims.count; i++) {
    order[at++] = dims.data[i];
    shape[0] *= x->type->dims[dims.data[i]];
  }
  for (uint32_t i = 0; i < x->type->rank; i++) {
    if (ten_ints_has(dims, i)) continue;
    order[at++] = i;
    shape[kept++] = x->type->dims[i];
  }
  return ten_build_reshape(b, ten_build_transpose(b, x, order), kept, shape);
}

static ten_status *combine(ten_builder *b, const ten_block *body, uint32_t count, ten_value *const *left,
                           ten_value *const *right, ten_value **out) {
  ten_value **args = ten_arena_new_array(&b->module->arena, ten_value *, 2 * (size_t)count);
  for (uint32_t i = 0; i < count; i++) {
    args[i] = left[i];
    args[count + i] = right[i];
  }
  return ten_lift_body(b, body, args, left[0]->type->rank, left[0]->type->dims, out);
}

static ten_status *expand_reduce(ten_builder *b, const ten_op *op, ten_value *const *args) {
  const uint32_t count = op->operand_count / 2;
  const ten_block *body = ten_op_body(op, 0);
  const ten_ints dims = ten_op_ints(op, "dimensions");
  ten_arena *arena = &b->module->arena;
  ten_value **xs = ten_arena_new_array(arena, ten_value *, count),
            **low = ten_arena_new_array(arena, ten_value *, count);
  ten_value **high = ten_arena_new_array(arena, ten_value *, count),
            **out = ten_arena_new_array(arena, ten_value *, count);
  for (uint32_t i = 0; i < count; i++) xs[i] = front(b, args[i], dims);
  for (int64_t left = xs[0]->type->dims[0]; left > 1; left = xs[0]->type->dims[0]) {
    const int64_t half = left / 2;
    for (uint32_t i = 0; i < count; i++) {
      low[i] = ten_build_slice_dim(b, xs[i], 0, 0, half, 1);
      high[i] = ten_build_slice_dim(b, xs[i], 0, half, 2 * half, 1);
    }
    TEN_TRY(combine(b, body, count, low, high, out));
    for (uint32_t i = 0; i < count; i++) {
      ten_value *parts[] = {out[i], left % 2 ? ten_build_slice_dim(b, xs[i], 0, left - 1, left, 1) : NULL};
      xs[i] = ten_build_concat(b, left % 2 ? 2 : 1, parts, 0);
    }
  }
  for (uint32_t i = 0; i < count; i++) {
    const ten_type *type = op->results[i].type;
    low[i] = ten_build_broadcast_to(b, args[count + i], type->rank, type->dims);
    high[i] = xs[i]->type->dims[0] ? ten_build_reshape(b, xs[i], type->rank, type->dims) : NULL;
  }
  if (!high[0]) {
    ten_build_return(b, count, low);
    return NULL;
  }
  TEN_TRY(combine(b, body, count, low, high, out));
  ten_build_return(b, count, out);
  return NULL;
}

ten_status *ten_rule_reduce(ten_vjp *v) {
  const ten_ints dims = ten_op_ints(v->op, "dimensions");
  switch (ten_body_op(ten_op_body(v->op, 0))) {
    case TEN_OP_ADD: sum_rule(v, dims); return NULL;
    case TEN_OP_MAXIMUM:
    case TEN_OP_MINIMUM:
      if (ten_vjp_wants(v, 1)) break;
      if (!ten_own_attr(v->op, TEN_NAME_SHIFT)) extremum_rule(v, dims); /* softmax: the subtracted maximum cancels */
      return NULL;
    default: break;
  }
  return ten_vjp_through(v, expand_reduce);
}

static ten_status *expand_map(ten_builder *b, const ten_op *op, ten_value *const *args) {
  const ten_type *type = op->results[0].type;
  ten_value *out;
  TEN_TRY(ten_lift_body(b, ten_op_body(op, 0), args, type->rank, type->dims, &out));
  ten_build_return(b, 1, &out);
  return NULL;
}

ten_status *ten_rule_map(ten_vjp *v) { return ten_vjp_through(v, expand_map); }
