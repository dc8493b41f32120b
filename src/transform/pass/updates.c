/* updates.c: gives state that is updated a last op of its own, where another update reads the new state, too.
 *
 *   m1 = m + g;  p1 = p - m1;  return p1, m1      becomes      m1 = m + g;  m2 = m + g;  p1 = p - m1;  return p1, m2
 *
 * with p and m donated to the results (tf.aliasing_output). Nothing is computed twice: a backend that computes all
 * updates from one gradient in one sweep then stores the new moments without reading them back (the CPU's
 * fuse/updates.c). Only where all that is computed from the new state, element by element, ends in updates of other
 * arguments. Needs: runs after the last cse, which would undo it.  Keeps: results, bit for bit. */
#include <string.h>

#include "transform/pass/pass.h"

enum { VISITS_MOST = 64 };

typedef struct search {
  const ten_op *end;   /* the function's return */
  const bool *updates; /* of its operands: a donated argument's place is taken */
  const ten_type *type;
  int left; /* visits */
} search;

static bool same_dims(const ten_type *a, const ten_type *b) {
  return a->rank == b->rank && (!a->rank || !memcmp(a->dims, b->dims, a->rank * sizeof *a->dims));
}

static bool is_elementwise(const ten_op *op) {
  return ten_op_has(op, TEN_TRAIT_ELEMENTWISE | TEN_TRAIT_BROADCASTS_SCALARS) && op->result_count == 1 &&
         !op->region_count;
}

static bool ends_in_updates(search *s, const ten_value *value) {
  if (--s->left < 0 || !same_dims(value->type, s->type) || !value->uses) return false;
  for (const ten_use *use = value->uses; use; use = use->next) {
    const ten_op *user = use->owner;
    if (user == s->end) {
      if (!s->updates[use->index]) return false;
    } else if (user->block != s->end->block || !is_elementwise(user) || !ends_in_updates(s, &user->results[0])) {
      return false;
    }
  }
  return true;
}

/* Returned once, and read by others. */
static bool is_shared(const ten_value *value, const ten_op *end) {
  uint32_t returned = 0, read = 0;
  for (const ten_use *use = value->uses; use; use = use->next) *(use->owner == end ? &returned : &read) += 1;
  return returned == 1 && read > 0;
}

static void visit(ten_module *module, ten_op *func) {
  ten_block *body = func->region_count ? ten_op_body(func, 0) : NULL;
  ten_op *end = body ? ten_block_terminator(body) : NULL;
  if (!end || !end->operand_count) return;
  bool *updates = ten_arena_new_array(&module->arena, bool, end->operand_count);
  for (uint32_t i = 0; i < body->arg_count; i++) {
    const int64_t to = ten_attr_as_int(ten_func_arg_attr(func, i, "tf.aliasing_output"), -1);
    if (to >= 0 && to < end->operand_count)
      updates[to] = same_dims(body->args[i]->type, ten_op_operand(end, (uint32_t)to)->type);
  }
  for (uint32_t i = 0; i < end->operand_count; i++) {
    const ten_value *value = ten_op_operand(end, i);
    if (!updates[i] || !value->op || value->op->block != body || !is_elementwise(value->op)) continue;
    search s = {end, updates, value->type, VISITS_MOST};
    if (!value->type->rank || !is_shared(value, end) || !ends_in_updates(&s, value)) continue;
    ten_value_map nothing = {0};
    ten_op *own = ten_op_clone(module, value->op, &nothing);
    ten_value_map_free(&nothing);
    ten_op_insert_before(value->op->next, own); /* the sweep is at its last op, and is to overlap with what follows */
    ten_op_set_operand(end, i, &own->results[0]);
  }
}

static ten_status *run(ten_module *module) { return ten_pass_each(module, TEN_OP_FUNC, visit); }

const ten_pass ten_pass_updates = {"updates", "give donated state that other updates read a last op of its own", run};
