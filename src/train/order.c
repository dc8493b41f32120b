/* order.c: orders the updates in a training step. Each parameter is updated as soon as its gradient is available and
 * its old value is dead: gradients have short lifetimes, and the new value can alias the old one.
 * Needs: @step (transform/grad/train.h).  Keeps: what it computes; the gradient is now inlined. */
#include <stdlib.h>

#include "train/recipe.h"
#include "transform/pass/pass.h"

typedef struct move {
  ten_op *op, *after; /* NULL: from the start */
  uint32_t place, number;
} move;

static int by_place(const void *a, const void *b) {
  const move *x = a, *y = b;
  if (x->place != y->place) return x->place < y->place ? -1 : 1;
  return x->number < y->number ? -1 : x->number > y->number;
}

/* The last op of the block, before `end`, that uses the value, directly or inside a region. */
static uint32_t last_use(const ten_value *value, const ten_block *block, uint32_t end) {
  uint32_t last = 0;
  for (const ten_use *use = value->uses; use; use = use->next) {
    const ten_op *owner = use->owner;
    while (owner && owner->block != block) owner = ten_op_parent(owner);
    if (owner && owner->number < end && owner->number > last) last = owner->number;
  }
  return last;
}

ten_status *ten_train_order(ten_module *module) {
  ten_op *func = ten_module_find(module, TEN_STR("step"));
  if (!func) return ten_error(TEN_INTERNAL, "a training program without @step");
  ten_block *block = ten_op_body(func, 0);
  size_t update_count = 0; /* ops after the call of the gradient */
  ten_op *call = block->first;
  while (call && call->code != TEN_OP_CALL) call = call->next;
  if (!call) return NULL;
  for (const ten_op *op = call->next; op; op = op->next) update_count++;
  TEN_TRY(ten_inline_function(module, func));
  uint32_t count = 1;
  for (ten_op *op = block->first; op; op = op->next) op->number = count++;
  const uint32_t end = count - (uint32_t)update_count;
  move *moves = ten_alloc((update_count + 1) * sizeof *moves);
  uint32_t *places = ten_alloc((count + 1) * sizeof *places);
  ten_op **ops = ten_alloc((count + 1) * sizeof *ops);
  size_t moved = 0;
  for (ten_op *op = block->first; op; op = op->next) ops[op->number] = op;
  for (uint32_t k = end; k + 1 < count; k++) { /* all but the return */
    uint32_t place = 0;
    for (uint32_t i = 0; i < ops[k]->operand_count; i++) {
      const ten_value *value = ten_op_operand(ops[k], i);
      const uint32_t from = !value->op                ? last_use(value, block, end)
                            : value->op->number < end ? value->op->number
                                                      : places[value->op->number];
      if (from > place) place = from;
    }
    places[k] = place;
    moves[moved++] = (move){ops[k], place ? ops[place] : NULL, place, k};
  }
  qsort(moves, moved, sizeof *moves, by_place);
  for (size_t i = moved; i-- > 0;) { /* last first: each goes right after its position, before those already there */
    ten_op_unlink(moves[i].op);
    if (moves[i].after)
      ten_op_insert_after(moves[i].after, moves[i].op);
    else
      ten_op_insert_before(block->first, moves[i].op);
  }
  free(moves);
  free(places);
  free(ops);
  return NULL;
}
