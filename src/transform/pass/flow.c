/* flow.c: removes decided control flow, and hoists loop-invariant work.
 *
 * An if or case on a constant becomes the chosen branch. A value that a while loop carries unchanged is read from
 * outside instead. Loop-invariant ops of a body are hoisted in front of the loop when they cost more than loading their
 * result: matmuls, reductions, sorts, elementary functions; cheap ops that they need are copied along. A loop that
 * never iterates would not have done that work, but hoisted ops have no effects.
 *
 * Needs: verified IR.  Keeps: results, bit for bit; order of effects; types; locations. */
#include <stdlib.h>

#include "ir/builder.h"
#include "ir/cost.h"
#include "transform/pass/pass.h"

static void take_branch(ten_op *op, uint32_t branch) {
  ten_block *block = ten_op_body(op, branch);
  for (ten_op *inner = block->first, *next; inner; inner = next) {
    next = inner->next;
    if (ten_op_has(inner, TEN_TRAIT_TERMINATOR)) break;
    ten_op_unlink(inner);
    ten_op_insert_before(op, inner);
  }
  const ten_op *end = ten_block_terminator(block);
  for (uint32_t i = 0; i < op->result_count; i++) ten_value_replace(&op->results[i], ten_op_operand(end, i));
  ten_op_erase(op);
}

static bool decide(ten_op *op) {
  const ten_attr *choice = ten_value_constant(ten_op_operand(op, 0));
  if (!choice || !choice->dense.data) return false;
  if (op->code == TEN_OP_IF) {
    take_branch(op, *(const uint8_t *)choice->dense.data ? 0 : 1);
  } else {
    const int64_t index = ten_dense_int(choice, 0), last = (int64_t)op->region_count - 1;
    take_branch(op, (uint32_t)(index < 0 || index > last ? last : index));
  }
  return true;
}

/* The loop without its invariant carried values; itself when there are none. */
static ten_op *drop_unchanged(ten_module *module, ten_op *loop) {
  ten_block *cond = ten_op_body(loop, 0), *body = ten_op_body(loop, 1);
  ten_op *end = ten_block_terminator(body);
  const uint32_t count = loop->operand_count;
  bool *kept = ten_arena_new_array(&module->arena, bool, count + 1);
  uint32_t kept_count = 0;
  for (uint32_t i = 0; i < count; i++) {
    kept[i] = ten_op_operand(end, i) != body->args[i];
    kept_count += kept[i];
  }
  if (kept_count == count || !kept_count) return loop;
  ten_value **inits = ten_arena_new_array(&module->arena, ten_value *, count),
            **returned = ten_arena_new_array(&module->arena, ten_value *, count);
  const ten_type **types = ten_arena_new_array(&module->arena, const ten_type *, count);
  uint32_t at = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (!kept[i]) continue;
    inits[at] = ten_op_operand(loop, i);
    returned[at] = ten_op_operand(end, i);
    types[at++] = loop->results[i].type;
  }
  ten_op_set_operands(module, end, kept_count, returned);
  for (uint32_t i = count; i-- > 0;) {
    if (kept[i]) continue;
    ten_value *init = ten_op_operand(loop, i);
    ten_value_replace(body->args[i], init);
    ten_value_replace(cond->args[i], init);
    ten_value_replace(&loop->results[i], init);
    ten_block_erase_arg(body, i);
    ten_block_erase_arg(cond, i);
  }
  ten_builder b = {.module = module, .block = loop->block, .before = loop, .loc = loop->loc};
  ten_op *made = ten_build_op(&b, TEN_OP_WHILE, kept_count, inits, kept_count, types, loop->attr_count, loop->attrs, 2);
  for (uint32_t r = 0; r < 2; r++) {
    made->regions[r].first = loop->regions[r].first;
    made->regions[r].last = loop->regions[r].last;
    for (ten_block *block = made->regions[r].first; block; block = block->next) block->region = &made->regions[r];
    loop->regions[r].first = loop->regions[r].last = NULL;
  }
  at = 0;
  for (uint32_t i = 0; i < count; i++)
    if (kept[i]) ten_value_replace(&loop->results[i], &made->results[at++]);
  ten_op_erase(loop);
  return made;
}

/* Whether the op, including its regions, reads only marked values (data != NULL) of those defined inside
 * `body`. */
static bool is_invariant(const ten_op *op, const ten_block *body) {
  if (!ten_op_is_pure(op) || ten_op_has(op, TEN_TRAIT_TERMINATOR) || op->code == TEN_OP_UNKNOWN) return false;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const ten_value *x = ten_op_operand(op, i);
    if (x->block == body || (x->op && x->op->block == body && !x->op->data)) return false;
  }
  for (uint32_t r = 0; r < op->region_count; r++)
    for (const ten_block *block = op->regions[r].first; block; block = block->next)
      for (const ten_op *inner = block->first; inner; inner = inner->next) {
        if (inner->region_count) return false;
        for (uint32_t i = 0; i < inner->operand_count; i++) {
          const ten_value *x = ten_op_operand(inner, i);
          if ((x->op ? x->op->block : x->block) != block) return false;
        }
      }
  return true;
}

/* Hoists the op: copies it, after copies of what it needs from the body. */
static ten_op *copy_out(ten_module *module, ten_op *op, ten_op *loop, ten_value_map *map) {
  const ten_block *body = op->block;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const ten_value *x = ten_op_operand(op, i);
    if (x->op && x->op->block == body && !ten_value_map_get(map, x)) copy_out(module, x->op, loop, map);
  }
  ten_op *copy = ten_op_clone(module, op, map);
  ten_op_insert_before(loop, copy);
  return copy;
}

static void move_out(ten_module *module, ten_op *loop) {
  ten_block *body = ten_op_body(loop, 1);
  ten_value_map map = {0};
  for (ten_op *op = body->first; op; op = op->next) op->data = NULL;
  for (ten_op *op = body->first, *next; op; op = next) {
    next = op->next;
    if (!is_invariant(op, body)) continue;
    op->data = op; /* known invariant */
    if (!ten_op_is_worth_hoisting(op->code)) continue;
    ten_op *copy = copy_out(module, op, loop, &map);
    for (uint32_t i = 0; i < op->result_count; i++) ten_value_replace(&op->results[i], &copy->results[i]);
    ten_op_erase(op);
  }
  for (ten_op *op = body->first; op; op = op->next) op->data = NULL;
  ten_value_map_free(&map);
}

static void run_block(ten_module *module, ten_block *block) {
  for (ten_op *op = block->first, *next; op; op = next) {
    next = op->next;
    if ((op->code == TEN_OP_IF || op->code == TEN_OP_CASE) && op->region_count) {
      ten_op *before = op->prev;
      if (decide(op)) {
        next = before ? before->next : block->first; /* its new contents are not visited yet */
        continue;
      }
    }
    for (uint32_t r = 0; r < op->region_count; r++)
      for (ten_block *inner = op->regions[r].first; inner; inner = inner->next) run_block(module, inner);
    if (op->code == TEN_OP_WHILE) move_out(module, drop_unchanged(module, op));
  }
}

static ten_status *run(ten_module *module) {
  for (ten_block *block = module->op->regions[0].first; block; block = block->next) run_block(module, block);
  return NULL;
}

const ten_pass ten_pass_flow = {
    .name = "flow", .summary = "take branches that are decided, move out of loops what does not change", .run = run};
