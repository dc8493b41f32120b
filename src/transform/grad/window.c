/* window.c: rules of windows. Sums distribute the cotangent by a sum over the reversed window; extrema select and
 * scatter; anything else is unrolled over the window positions. */
#include <math.h>

#include "transform/grad/rules.h"
#include "transform/grad/through.h"

enum { RANK_MAX = 64, UNROLL_MAX = 4096 };

static void add_body(ten_builder *b, ten_value *const *args, void *context) {
  (void)context;
  ten_value *sum = ten_build_binary(b, TEN_OP_ADD, args[0], args[1]);
  ten_build_return(b, 1, &sum);
}

static void window_sum(ten_vjp *v, const ten_window *w) {
  const ten_type *x = x_of(v, 0)->type, *y = y_of(v, 0)->type;
  int64_t low[RANK_MAX], high[RANK_MAX], interior[RANK_MAX];
  for (uint32_t i = 0; i < w->rank; i++) {
    const int64_t window = ten_dilated(w->size[i], w->dilation[i]);
    low[i] = window - w->padding[2 * i] - 1;
    high[i] =
        ten_dilated(x->dims[i], w->base_dilation[i]) + window - 1 - ten_dilated(y->dims[i], w->strides[i]) - low[i];
    interior[i] = w->strides[i] - 1;
  }
  ten_value *zero = ten_build_scalar(v->b, x->dtype, 0), *g = ten_build_pad(v->b, v->ct[0], zero, low, high, interior);
  const ten_window back = {.rank = w->rank, .size = w->size, .strides = w->base_dilation, .dilation = w->dilation};
  ten_vjp_add(v, 0, &ten_build_reduce_window(v->b, 1, &g, &zero, &back, add_body, NULL)->results[0]);
}

static void winner_body(ten_builder *b, ten_value *const *args, void *context) {
  ten_value *wins = ten_build_compare(b, *(const ten_compare *)context, args[0], args[1]);
  ten_build_return(b, 1, &wins);
}

static void window_extremum(ten_vjp *v, const ten_window *w, ten_compare direction) {
  ten_module *m = v->b->module;
  ten_value *zero = ten_build_scalar(v->b, x_of(v, 0)->type->dtype, 0), *operands[] = {x_of(v, 0), v->ct[0], zero};
  const int64_t pairs[] = {w->rank, 2};
  const ten_named_attr attrs[] = {{TEN_STR("window_dimensions"), ten_attr_dims(m, w->rank, w->size), true},
                                  {TEN_STR("window_strides"), ten_attr_dims(m, w->rank, w->strides), true},
                                  {TEN_STR("padding"), ten_attr_dense_i64(m, 2, pairs, w->padding), true}};
  ten_op *op = ten_build_op(v->b, TEN_OP_SELECT_AND_SCATTER, 3, operands, 1, &operands[0]->type, 3, attrs, 2);
  const ten_type *types[] = {zero->type, zero->type};
  ten_build_region(v->b, op, 0, 2, types, winner_body, &direction);
  ten_build_region(v->b, op, 1, 2, types, add_body, NULL);
  ten_vjp_add(v, 0, &op->results[0]);
}

/* Every window position as a strided slice of the padded operand, combined one after another. */
static ten_status *expand_window(ten_builder *b, const ten_op *op, ten_value *const *args) {
  const uint32_t count = op->operand_count / 2;
  const ten_window w = ten_op_window(b->module, op);
  int64_t low[RANK_MAX], high[RANK_MAX], interior[RANK_MAX], at[RANK_MAX] = {0}, places = 1;
  for (uint32_t i = 0; i < w.rank; i++) {
    low[i] = w.padding[2 * i];
    high[i] = w.padding[2 * i + 1];
    interior[i] = w.base_dilation[i] - 1;
    places *= w.size[i];
    if (places > UNROLL_MAX)
      return ten_op_error(op, TEN_UNSUPPORTED, "has no gradient for a window of over %d places and this body",
                          UNROLL_MAX);
  }
  const ten_type *type = op->results[0].type;
  ten_arena *arena = &b->module->arena;
  ten_value **both = ten_arena_new_array(arena, ten_value *, 2 * (size_t)count),
            **padded = ten_arena_new_array(arena, ten_value *, count);
  for (uint32_t i = 0; i < count; i++) {
    padded[i] = ten_build_pad(b, args[i], args[count + i], low, high, interior);
    both[i] = ten_build_broadcast_to(b, args[count + i], type->rank, type->dims);
  }
  for (int64_t place = 0; place < places; place++) {
    int64_t start[RANK_MAX], limit[RANK_MAX];
    for (uint32_t i = 0; i < w.rank; i++) {
      start[i] = at[i] * w.dilation[i];
      limit[i] = start[i] + (type->dims[i] ? (type->dims[i] - 1) * w.strides[i] + 1 : 0);
    }
    for (uint32_t i = 0; i < count; i++) both[count + i] = ten_build_slice(b, padded[i], start, limit, w.strides);
    TEN_TRY(ten_lift_body(b, ten_op_body(op, 0), both, type->rank, type->dims, both));
    for (uint32_t i = w.rank; i-- > 0 && ++at[i] == w.size[i];) at[i] = 0;
  }
  ten_build_return(b, count, both);
  return NULL;
}

ten_status *ten_rule_reduce_window(ten_vjp *v) {
  const ten_window w = ten_op_window(v->b->module, v->op);
  bool plain = true;
  for (uint32_t i = 0; i < w.rank; i++) plain &= w.base_dilation[i] == 1 && w.dilation[i] == 1;
  const ten_opcode code =
      v->op->operand_count == 2 && !ten_vjp_wants(v, 1) ? ten_body_op(ten_op_body(v->op, 0)) : TEN_OP_UNKNOWN;
  if (code == TEN_OP_ADD)
    window_sum(v, &w);
  else if (code == TEN_OP_MAXIMUM && plain)
    window_extremum(v, &w, TEN_GE);
  else if (code == TEN_OP_MINIMUM && plain)
    window_extremum(v, &w, TEN_LE);
  else
    return ten_vjp_through(v, expand_window);
  return NULL;
}

typedef struct pick {
  ten_compare direction;
} pick;

/* (value, cotangent) pairs: the pair whose value wins. */
static void pick_body(ten_builder *b, ten_value *const *args, void *context) {
  ten_value *wins = ten_build_compare(b, ((const pick *)context)->direction, args[0], args[2]);
  ten_value *out[] = {ten_build_select(b, wins, args[0], args[2]), ten_build_select(b, wins, args[1], args[3])};
  ten_build_return(b, 2, out);
}

/* Each source was scattered to the selected position of its window: it gets the cotangent from there. */
ten_status *ten_rule_select_and_scatter(ten_vjp *v) {
  const ten_op *select = ten_op_body(v->op, 0)->first;
  if (ten_body_op(ten_op_body(v->op, 1)) != TEN_OP_ADD || ten_body_op(ten_op_body(v->op, 0)) != TEN_OP_COMPARE)
    return ten_op_error(v->op, TEN_UNSUPPORTED,
                        "has a gradient only when it selects by one comparison and scatters by addition");
  const ten_compare direction = (ten_compare)ten_op_int(select, "comparison_direction", 0);
  if (direction == TEN_EQ || direction == TEN_NE)
    return ten_op_error(v->op, TEN_UNSUPPORTED, "has no gradient when it selects by equality");
  if (ten_vjp_wants(v, 1)) {
    const ten_window w = ten_op_window(v->b->module, v->op);
    const ten_dtype dtype = x_of(v, 0)->type->dtype;
    const double worst = direction == TEN_GE || direction == TEN_GT ? (double)-INFINITY : (double)INFINITY;
    ten_value *xs[] = {x_of(v, 0), v->ct[0]},
              *inits[] = {ten_build_scalar(v->b, dtype, worst), ten_build_scalar(v->b, dtype, 0)};
    pick how = {direction};
    ten_vjp_add(v, 1, &ten_build_reduce_window(v->b, 2, xs, inits, &w, pick_body, &how)->results[1]);
  }
  if (ten_vjp_wants(v, 2)) { /* every element of the result starts from it */
    int64_t all[RANK_MAX];
    for (uint32_t i = 0; i < v->ct[0]->type->rank; i++) all[i] = i;
    ten_vjp_add(v, 2, ten_vjp_sum(v, v->ct[0], v->ct[0]->type->rank, all));
  }
  return NULL;
}
