/* control.c: rules of control flow. A branch is differentiated inside a new branch with the same predicate. A loop of
 * known trip count is rerun, saving the inputs of each step, then run backwards: each step is recomputed from its saved
 * inputs. */
#include "ir/cost.h"
#include "transform/grad/rules.h"

/* Branches: the derivative returns the cotangents of the outer values that they use. */
typedef struct branch {
  ten_vjp *v;
  const ten_block *block;
  ten_value **free_values;
  size_t free_count;
  ten_status *status;
} branch;

static void branch_body(ten_builder *b, ten_value *const *args, void *context) {
  branch *at = context;
  ten_value **out = ten_arena_new_array(&b->module->arena, ten_value *, at->free_count);
  const ten_block_vjp what = {.block = at->block,
                              .args = args,
                              .ct = at->v->ct,
                              .free_values = at->free_values,
                              .free_count = at->free_count,
                              .free_ct = out};
  at->status = ten_first_error(at->status, ten_block_pull_back(at->v, b, &what));
  for (size_t i = 0; i < at->free_count; i++)
    if (!out[i]) out[i] = ten_build_splat(b, at->free_values[i]->type, 0);
  ten_build_return(b, (uint32_t)at->free_count, out);
}

static ten_status *branches(ten_vjp *v) {
  size_t count;
  ten_value **values = ten_vjp_free_values(v, v->op, &count);
  if (!count) return NULL;
  const ten_type **types = ten_arena_new_array(&v->b->module->arena, const ten_type *, count);
  for (size_t i = 0; i < count; i++) types[i] = values[i]->type;
  ten_value *chooser = x_of(v, 0);
  ten_op *op = ten_build_op(v->b, v->op->code, 1, &chooser, (uint32_t)count, types, 0, NULL, v->op->region_count);
  branch at = {.v = v, .free_values = values, .free_count = count};
  for (uint32_t r = 0; r < v->op->region_count; r++) {
    at.block = ten_op_body(v->op, r);
    ten_build_region(v->b, op, r, 0, NULL, branch_body, &at);
  }
  for (size_t i = 0; !at.status && i < count; i++) ten_vjp_add_value(v, values[i], &op->results[i]);
  return at.status;
}

ten_status *ten_rule_if(ten_vjp *v) { return branches(v); }
ten_status *ten_rule_case(ten_vjp *v) { return branches(v); }

static ten_status *trip_count(const ten_op *op, int64_t *out) {
  if (ten_loop_trips(op, out)) return NULL;
  return ten_op_error(op, TEN_UNSUPPORTED,
                      "has a gradient only when its number of steps is known: a counter from a constant to a constant");
}

typedef struct loop {
  ten_vjp *v;
  const ten_op *op;
  uint32_t count; /* the original's carried values */
  int64_t steps;
  bool *is_float;      /* of each carried value */
  ten_value **buffers; /* [steps, …] of each carried value: the inputs of each step */
  ten_value **free_values;
  size_t free_count;
  ten_status *status;
} loop;

static void counted_cond(ten_builder *b, ten_value *const *args, void *context) {
  const loop *l = context;
  ten_value *more = ten_build_compare(b, TEN_LT, args[0], ten_build_scalar_int(b, TEN_I64, l->steps));
  ten_build_return(b, 1, &more);
}

static ten_value **starts_at(ten_builder *b, ten_value *k, uint32_t rank) {
  ten_value **starts = ten_arena_new_array(&b->module->arena, ten_value *, rank);
  for (uint32_t i = 0; i < rank; i++) starts[i] = i ? ten_build_scalar_int(b, TEN_I64, 0) : k;
  return starts;
}

static const int64_t *one_row(ten_builder *b, const ten_type *type) { /* [1, dims…] */
  int64_t *dims = ten_arena_new_array(&b->module->arena, int64_t, type->rank + 1);
  dims[0] = 1;
  for (uint32_t i = 0; i < type->rank; i++) dims[i + 1] = type->dims[i];
  return dims;
}

/* k, carried…, buffers… → the same after one step of the original body. */
static void keeping_body(ten_builder *b, ten_value *const *args, void *context) {
  const loop *l = context;
  const ten_block *body = ten_op_body(l->op, 1);
  ten_value **out = ten_arena_new_array(&b->module->arena, ten_value *, 1 + 2 * (size_t)l->count);
  out[0] = ten_build_binary(b, TEN_OP_ADD, args[0], ten_build_scalar_int(b, TEN_I64, 1));
  ten_value_map map = {0};
  for (uint32_t i = 0; i < l->count; i++) {
    ten_value *now = args[1 + i], *row = ten_build_reshape(b, now, now->type->rank + 1, one_row(b, now->type));
    out[1 + l->count + i] =
        ten_build_dynamic_update_slice(b, args[1 + l->count + i], row, starts_at(b, args[0], now->type->rank + 1));
    ten_value_map_set(&map, body->args[i], now);
  }
  for (const ten_op *op = body->first; op; op = op->next) {
    if (!ten_op_has(op, TEN_TRAIT_TERMINATOR)) {
      ten_op_append(b->block, ten_op_clone(b->module, op, &map));
      continue;
    }
    for (uint32_t i = 0; i < l->count; i++) {
      ten_value *mapped = ten_value_map_get(&map, ten_op_operand(op, i));
      out[1 + i] = mapped ? mapped : ten_op_operand(op, i);
    }
  }
  ten_value_map_free(&map);
  ten_build_return(b, 1 + 2 * l->count, out);
}

/* k, cotangents of the float carried values…, of the free values… → the same one step earlier. */
static void backward_body(ten_builder *b, ten_value *const *args, void *context) {
  loop *l = context;
  ten_arena *arena = &b->module->arena;
  ten_value **given = ten_arena_new_array(arena, ten_value *, l->count),
            **ct = ten_arena_new_array(arena, ten_value *, l->count);
  ten_value **arg_ct = ten_arena_new_array(arena, ten_value *, l->count),
            **free_ct = ten_arena_new_array(arena, ten_value *, l->free_count);
  ten_value *last = ten_build_scalar_int(b, TEN_I64, l->steps - 1),
            *k = ten_build_binary(b, TEN_OP_SUBTRACT, last, args[0]);
  uint32_t at = 1;
  for (uint32_t i = 0; i < l->count; i++) {
    const ten_type *type = ten_op_operand(l->op, i)->type;
    ten_value *row = ten_build_dynamic_slice(b, l->buffers[i], starts_at(b, k, type->rank + 1), one_row(b, type));
    given[i] = ten_build_reshape(b, row, type->rank, type->dims);
    ct[i] = l->is_float[i] ? args[at++] : NULL;
  }
  const ten_block_vjp what = {.block = ten_op_body(l->op, 1),
                              .args = given,
                              .ct = ct,
                              .arg_ct = arg_ct,
                              .free_values = l->free_values,
                              .free_count = l->free_count,
                              .free_ct = free_ct};
  l->status = ten_first_error(l->status, ten_block_pull_back(l->v, b, &what));
  ten_value **out = ten_arena_new_array(arena, ten_value *, 1 + l->count + l->free_count);
  uint32_t outs = 0;
  out[outs++] = ten_build_binary(b, TEN_OP_ADD, args[0], ten_build_scalar_int(b, TEN_I64, 1));
  for (uint32_t i = 0; i < l->count; i++)
    if (l->is_float[i]) out[outs++] = arg_ct[i] ? arg_ct[i] : ten_build_splat(b, given[i]->type, 0);
  for (size_t i = 0; i < l->free_count; i++, at++)
    out[outs++] = free_ct[i] ? ten_build_binary(b, TEN_OP_ADD, args[at], free_ct[i]) : args[at];
  ten_build_return(b, outs, out);
}

/* Reruns the loop in front of the original, saving the inputs of each step; the original is then unused. */
static void keep_steps(ten_vjp *v, loop *l) {
  ten_builder b = {.module = v->b->module, .block = v->op->block, .before = v->op, .loc = v->op->loc};
  ten_value **inits = ten_arena_new_array(&b.module->arena, ten_value *, 1 + 2 * (size_t)l->count);
  inits[0] = ten_build_scalar_int(&b, TEN_I64, 0);
  for (uint32_t i = 0; i < l->count; i++) {
    ten_value *init = ten_op_operand(v->op, i);
    int64_t *dims = (int64_t *)one_row(&b, init->type);
    dims[0] = l->steps;
    inits[1 + i] = init;
    inits[1 + l->count + i] =
        ten_build_splat(&b, ten_type_with_shape(b.module, init->type, init->type->rank + 1, dims), 0);
  }
  ten_op *again = ten_build_while(&b, 1 + 2 * l->count, inits, counted_cond, keeping_body, l);
  for (uint32_t i = 0; i < l->count; i++) {
    ten_value_replace(&v->op->results[i], &again->results[1 + i]);
    l->buffers[i] = &again->results[1 + l->count + i];
  }
}

ten_status *ten_rule_while(ten_vjp *v) {
  ten_arena *arena = &v->b->module->arena;
  loop l = {.v = v, .op = v->op, .count = v->op->operand_count};
  TEN_TRY(trip_count(v->op, &l.steps));
  l.is_float = ten_arena_new_array(arena, bool, l.count);
  l.buffers = ten_arena_new_array(arena, ten_value *, l.count);
  for (uint32_t i = 0; i < l.count; i++) {
    const ten_type *type = x_of(v, i)->type;
    l.is_float[i] = ten_dtype_is_float(type->dtype) || ten_dtype_is_complex(type->dtype);
  }
  if (!l.steps) return ten_rule_same(v);
  l.free_values = ten_vjp_free_values(v, v->op, &l.free_count);
  keep_steps(v, &l);
  ten_value **inits = ten_arena_new_array(arena, ten_value *, 1 + l.count + l.free_count);
  uint32_t count = 0;
  inits[count++] = ten_build_scalar_int(v->b, TEN_I64, 0);
  for (uint32_t i = 0; i < l.count; i++)
    if (l.is_float[i]) inits[count++] = ten_vjp_ct_or_zero(v, i);
  for (size_t i = 0; i < l.free_count; i++) inits[count++] = ten_build_splat(v->b, l.free_values[i]->type, 0);
  ten_op *back = ten_build_while(v->b, count, inits, counted_cond, backward_body, &l);
  if (l.status) return l.status;
  uint32_t at = 1;
  for (uint32_t i = 0; i < l.count; i++)
    if (l.is_float[i]) ten_vjp_add(v, i, &back->results[at++]);
  for (size_t i = 0; i < l.free_count; i++) ten_vjp_add_value(v, l.free_values[i], &back->results[at++]);
  return NULL;
}
