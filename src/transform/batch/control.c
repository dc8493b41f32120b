/* control.c: rules of control flow and checks, and the loop over the examples. Where the condition is batched, both
 * sides are computed and each example takes its own; a loop runs until no example goes on. Checks and inner loops look
 * at those examples only that are there (ten_batch.active). */
#include <stdlib.h>

#include "ir/assert.h"
#include "transform/batch/rules.h"

/* For each example one of two values. */
static ten_value *choose(ten_builder *b, ten_value *pred, ten_value *yes, ten_value *no) {
  const int64_t first = 0;
  return ten_build_select(b, ten_build_broadcast(b, pred, yes->type->rank, yes->type->dims, &first), yes, no);
}

/* ---- branches ---- */
typedef struct branches {
  ten_batch *s;
  const ten_op *op;
  uint32_t next; /* region */
} branches;

/* Of the examples that are here, those for which `pred` holds. */
static ten_value *narrow(const ten_batch *s, ten_builder *b, ten_value *pred) {
  return s->active ? ten_build_binary(b, TEN_OP_AND, s->active, pred) : pred;
}

static ten_value *invert(ten_builder *b, ten_value *pred) { return ten_build_unary(b, TEN_OP_NOT, pred); }

/* The values that a region returns, all batched; false after an error. */
static bool region_values(ten_batch *s, ten_builder *b, const ten_op *op, uint32_t region, ten_value **values) {
  const ten_block *block = ten_op_body(op, region);
  if (!s->status) s->status = ten_batch_block(s, b, block);
  if (s->status) return false;
  const ten_op *end = ten_block_terminator(block);
  for (uint32_t i = 0; i < end->operand_count; i++) values[i] = ten_batch_operand(s, b, end, i);
  return true;
}

/* The same of a region that only examples with `pred` enter. */
static bool branch_values(ten_batch *s, ten_builder *b, const ten_op *op, uint32_t region, ten_value *pred,
                          ten_value **values) {
  ten_value *outside = s->active;
  s->active = narrow(s, b, pred);
  const bool done = region_values(s, b, op, region, values);
  s->active = outside;
  return done;
}

static void branch_build(ten_builder *b, ten_value *const *args, void *context) {
  (void)args;
  branches *all = context;
  ten_value **values = ten_arena_new_array(&b->module->arena, ten_value *, all->op->result_count + 1);
  if (region_values(all->s, b, all->op, all->next++, values)) ten_build_return(b, all->op->result_count, values);
}

/* The condition is the same for all examples: one side is computed. */
static bool branch_once(ten_batch *s, ten_builder *b, const ten_op *op) {
  ten_value *which = ten_batch_get(s, ten_op_operand(op, 0));
  const ten_type **types = ten_arena_new_array(&s->module->arena, const ten_type *, op->result_count + 1);
  for (uint32_t i = 0; i < op->result_count; i++) types[i] = ten_batch_type(s, op->results[i].type);
  ten_op *made = ten_build_op(b, op->code, 1, &which, op->result_count, types, 0, NULL, op->region_count);
  branches all = {s, op, 0};
  for (uint32_t r = 0; r < op->region_count; r++) ten_build_region(b, made, r, 0, NULL, branch_build, &all);
  for (uint32_t i = 0; i < op->result_count; i++) ten_batch_set(s, &op->results[i], &made->results[i], true);
  return true;
}

bool ten_batch_if(ten_batch *s, ten_builder *b, const ten_op *op) {
  const ten_value *pred = ten_op_operand(op, 0);
  if (!ten_batch_is(s, pred)) return branch_once(s, b, op);
  ten_value **yes = ten_arena_new_array(&s->module->arena, ten_value *, 2 * op->result_count + 2);
  ten_value **no = yes + op->result_count, *which = ten_batch_get(s, pred);
  if (!branch_values(s, b, op, 0, which, yes) || !branch_values(s, b, op, 1, invert(b, which), no)) return true;
  for (uint32_t i = 0; i < op->result_count; i++)
    ten_batch_set(s, &op->results[i], choose(b, which, yes[i], no[i]), true);
  return true;
}

/* A number outside the branches takes the last. */
bool ten_batch_case(ten_batch *s, ten_builder *b, const ten_op *op) {
  const ten_value *number = ten_op_operand(op, 0);
  if (!ten_batch_is(s, number)) return branch_once(s, b, op);
  const uint32_t count = op->result_count;
  ten_value **chosen = ten_arena_new_array(&s->module->arena, ten_value *, 2 * count + 2), **values = chosen + count;
  ten_value *which = ten_batch_get(s, number), *last = ten_build_splat_int(b, which->type, op->region_count - 1);
  ten_value *below = ten_build_compare(b, TEN_LT, which, ten_build_splat_int(b, which->type, 0)),
            *above = ten_build_compare(b, TEN_GE, which, last);
  if (!branch_values(s, b, op, op->region_count - 1, ten_build_binary(b, TEN_OP_OR, below, above), chosen)) return true;
  for (uint32_t r = 0; r + 1 < op->region_count; r++) {
    ten_value *here = ten_build_compare(b, TEN_EQ, which, ten_build_splat_int(b, which->type, r));
    if (!branch_values(s, b, op, r, here, values)) return true;
    for (uint32_t i = 0; i < count; i++) chosen[i] = choose(b, here, values[i], chosen[i]);
  }
  for (uint32_t i = 0; i < count; i++) ten_batch_set(s, &op->results[i], chosen[i], true);
  return true;
}

/* ---- while ---- */
typedef struct loop {
  ten_batch *s;
  const ten_op *op;
  bool *batched;     /* of the values that it carries */
  bool pred_batched; /* then a mask of the examples that go on is carried, too, last */
} loop;

static bool marked(const ten_batch *s, const ten_value_map *marks, const ten_value *value) {
  return ten_value_map_get(marks, value) || ten_batch_is(s, value);
}

static bool op_marked(const ten_batch *s, const ten_value_map *marks, const ten_op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (marked(s, marks, ten_op_operand(op, i))) return true;
  for (uint32_t r = 0; r < op->region_count; r++)
    for (const ten_block *block = op->regions[r].first; block; block = block->next)
      for (const ten_op *inner = block->first; inner; inner = inner->next)
        if (op_marked(s, marks, inner)) return true;
  return false;
}

/* Marks the results of ops that depend on a marked or batched value, and sets out[i] where operand i of the terminator
 * does. Whether one changed. */
static bool block_flow(const ten_batch *s, const ten_block *block, const bool *args, bool *out) {
  ten_value_map marks = {0};
  for (uint32_t i = 0; i < block->arg_count; i++)
    if (args[i]) ten_value_map_set(&marks, block->args[i], block->args[i]);
  bool changed = false;
  for (ten_op *op = block->first; op; op = op->next) {
    if (ten_op_has(op, TEN_TRAIT_TERMINATOR)) {
      for (uint32_t i = 0; i < op->operand_count; i++) {
        const bool now = out[i] || marked(s, &marks, ten_op_operand(op, i));
        changed |= now != out[i];
        out[i] = now;
      }
    } else if (op_marked(s, &marks, op)) {
      for (uint32_t i = 0; i < op->result_count; i++) ten_value_map_set(&marks, &op->results[i], &op->results[i]);
    }
  }
  ten_value_map_free(&marks);
  return changed;
}

static void args_set(const loop *l, uint32_t region, ten_value *const *args) {
  const ten_block *block = ten_op_body(l->op, region);
  for (uint32_t i = 0; i < block->arg_count; i++) ten_batch_set(l->s, block->args[i], args[i], l->batched[i]);
}

/* Which of the examples that are here go on. */
static ten_value *condition(const loop *l, ten_builder *b, ten_value *const *args) {
  args_set(l, 0, args);
  ten_value *pred[1] = {NULL};
  return region_values(l->s, b, l->op, 0, pred) ? narrow(l->s, b, pred[0]) : NULL;
}

static void cond_build(ten_builder *b, ten_value *const *args, void *context) {
  const loop *l = context;
  if (l->pred_batched) {
    ten_value *none = ten_build_scalar_int(b, TEN_I1, 0);
    ten_value *some = ten_build_reduce(b, TEN_OP_OR, args[l->op->operand_count], none, 1, (const int64_t[]){0});
    ten_build_return(b, 1, &some);
    return;
  }
  args_set(l, 0, args);
  const ten_block *block = ten_op_body(l->op, 0);
  if (!l->s->status) l->s->status = ten_batch_block(l->s, b, block);
  if (l->s->status) return;
  ten_value *pred = ten_batch_get(l->s, ten_op_operand(ten_block_terminator(block), 0));
  ten_build_return(b, 1, &pred);
}

static void body_build(ten_builder *b, ten_value *const *args, void *context) {
  const loop *l = context;
  const uint32_t count = l->op->operand_count;
  ten_value *outside = l->s->active;
  if (l->pred_batched) l->s->active = args[count];
  args_set(l, 1, args);
  const ten_block *block = ten_op_body(l->op, 1);
  if (!l->s->status) l->s->status = ten_batch_block(l->s, b, block);
  const ten_op *end = ten_block_terminator(block);
  ten_value **values = ten_arena_new_array(&b->module->arena, ten_value *, count + 1);
  for (uint32_t i = 0; i < count && !l->s->status; i++) {
    values[i] = l->batched[i] ? ten_batch_operand(l->s, b, end, i) : ten_batch_get(l->s, ten_op_operand(end, i));
    if (l->pred_batched) values[i] = choose(b, args[count], values[i], args[i]);
  }
  if (!l->s->status && l->pred_batched) values[count] = condition(l, b, values);
  l->s->active = outside;
  if (!l->s->status) ten_build_return(b, count + l->pred_batched, values);
}

bool ten_batch_while(ten_batch *s, ten_builder *b, const ten_op *op) {
  const uint32_t count = op->operand_count;
  loop l = {.s = s, .op = op, .batched = ten_arena_new_array(&s->module->arena, bool, count + 1)};
  for (uint32_t i = 0; i < count; i++) l.batched[i] = ten_batch_is(s, ten_op_operand(op, i));
  while (block_flow(s, ten_op_body(op, 1), l.batched, l.batched)) continue;
  block_flow(s, ten_op_body(op, 0), l.batched, &l.pred_batched);
  ten_value **inits = ten_arena_new_array(&s->module->arena, ten_value *, count + 1);
  for (uint32_t i = 0; i < count; i++) {
    l.batched[i] |= l.pred_batched;
    inits[i] = l.batched[i] ? ten_batch_operand(s, b, op, i) : ten_batch_get(s, ten_op_operand(op, i));
  }
  if (l.pred_batched && !(inits[count] = condition(&l, b, inits))) return true;
  const ten_op *made = ten_build_while(b, count + l.pred_batched, inits, cond_build, body_build, &l);
  for (uint32_t i = 0; i < count; i++) ten_batch_set(s, &op->results[i], &made->results[i], l.batched[i]);
  return true;
}

/* ---- checks ---- */
/* Holds where it holds for all examples that are here; the value in its message is that of the first that fails. */
bool ten_batch_assert(ten_batch *s, ten_builder *b, const ten_op *op) {
  const int64_t first = 0, one = 1;
  ten_value *ok = ten_batch_operand(s, b, op, 0), *operands[2] = {NULL, NULL};
  if (s->active) ok = ten_build_binary(b, TEN_OP_OR, ok, invert(b, s->active));
  operands[0] = ten_build_reduce(b, TEN_OP_AND, ok, ten_build_scalar_int(b, TEN_I1, 1), 1, &first);
  if (op->operand_count > 1) {
    const ten_type *numbers = ten_type_tensor(s->module, TEN_I64, 1, &s->count);
    ten_value *last = ten_build_splat_int(b, numbers, s->count - 1);
    ten_value *failing = ten_build_select(b, ok, last, ten_build_iota(b, numbers, 0));
    ten_value *at =
        ten_build_reduce(b, TEN_OP_MINIMUM, failing, ten_build_scalar_int(b, TEN_I64, s->count - 1), 1, &first);
    ten_value *value = ten_build_dynamic_slice(b, ten_batch_operand(s, b, op, 1), &at, &one);
    operands[1] = ten_build_reshape(b, value, 0, NULL);
  }
  ten_op *made = ten_op_clone(s->module, op, &s->map);
  for (uint32_t i = 0; i < op->operand_count; i++) ten_op_set_operand(made, i, operands[i]);
  ten_batch_insert(b, made);
  return true;
}

/* ---- the loop over the examples ---- */
typedef struct each {
  ten_batch *s;
  const ten_op *op;
  TEN_VEC(const ten_value *) values; /* batched ones that the op uses, of one example */
  TEN_VEC(ten_value *) whole;        /* what they became */
} each;

static void each_collect(each *e, const ten_op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const ten_value *value = ten_op_operand(op, i);
    bool found = !ten_batch_is(e->s, value);
    for (size_t j = 0; j < e->values.count && !found; j++) found = e->values.data[j] == value;
    if (found) continue;
    ten_vec_push(&e->values, value);
    ten_vec_push(&e->whole, ten_batch_get(e->s, value));
  }
  for (uint32_t r = 0; r < op->region_count; r++)
    for (const ten_block *block = op->regions[r].first; block; block = block->next)
      for (const ten_op *inner = block->first; inner; inner = inner->next) each_collect(e, inner);
}

static void each_cond(ten_builder *b, ten_value *const *args, void *context) {
  const each *e = context;
  ten_value *more = ten_build_compare(b, TEN_LT, args[0], ten_build_scalar_int(b, TEN_I64, e->s->count));
  ten_build_return(b, 1, &more);
}

/* The starts [i, 0, 0…] of example i. */
static void starts_fill(ten_builder *b, ten_value *i, uint32_t rank, ten_value **starts) {
  starts[0] = i;
  for (uint32_t d = 1; d < rank; d++) starts[d] = ten_build_scalar_int(b, TEN_I64, 0);
}

static void each_body(ten_builder *b, ten_value *const *args, void *context) {
  each *e = context;
  ten_value *starts[BATCH_RANK_MAX];
  int64_t sizes[BATCH_RANK_MAX] = {1};
  for (size_t v = 0; v < e->values.count; v++) {
    const ten_type *type = e->values.data[v]->type;
    for (uint32_t d = 0; d < type->rank; d++) sizes[d + 1] = type->dims[d];
    starts_fill(b, args[0], type->rank + 1, starts);
    ten_value *part = ten_build_dynamic_slice(b, e->whole.data[v], starts, sizes);
    ten_value_map_set(&e->s->map, e->values.data[v], ten_build_reshape(b, part, type->rank, type->dims));
  }
  ten_op *made = ten_op_clone(e->s->module, e->op, &e->s->map);
  ten_op_append(b->block, made);
  ten_value **next = ten_arena_new_array(&b->module->arena, ten_value *, e->op->result_count + 1);
  next[0] = ten_build_binary(b, TEN_OP_ADD, args[0], ten_build_scalar_int(b, TEN_I64, 1));
  for (uint32_t i = 0; i < e->op->result_count; i++) {
    const ten_type *type = made->results[i].type;
    for (uint32_t d = 0; d < type->rank; d++) sizes[d + 1] = type->dims[d];
    starts_fill(b, args[0], type->rank + 1, starts);
    next[i + 1] = ten_build_dynamic_update_slice(
        b, args[i + 1], ten_build_reshape(b, &made->results[i], type->rank + 1, sizes), starts);
  }
  ten_build_return(b, e->op->result_count + 1, next);
}

void ten_batch_loop(ten_batch *s, ten_builder *b, const ten_op *op) {
  each e = {.s = s, .op = op};
  each_collect(&e, op);
  ten_value **inits = ten_arena_new_array(&s->module->arena, ten_value *, op->result_count + 1);
  inits[0] = ten_build_scalar_int(b, TEN_I64, 0);
  for (uint32_t i = 0; i < op->result_count; i++)
    inits[i + 1] = ten_build_splat(b, ten_batch_type(s, op->results[i].type), 0);
  const ten_op *made = ten_build_while(b, op->result_count + 1, inits, each_cond, each_body, &e);
  for (size_t v = 0; v < e.values.count; v++) ten_value_map_set(&s->map, e.values.data[v], e.whole.data[v]);
  for (uint32_t i = 0; i < op->result_count; i++) ten_batch_set(s, &op->results[i], &made->results[i + 1], true);
  ten_vec_free(&e.values);
  ten_vec_free(&e.whole);
}
