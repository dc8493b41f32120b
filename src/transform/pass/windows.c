/* windows.c: separates a maximum or minimum (or, and) over a large window of several dimensions into one dimension
 * after the other: 5 and 5 elements in place of 25.
 *
 * Valid for idempotent operations, whatever the initial value; NaN and signed zeros give the same result in any order.
 * Sums are unchanged: their order would differ.
 * Needs: verified IR, static shapes.  Keeps: types. */
#include <string.h>

#include "ir/builder.h"
#include "transform/pass/pass.h"

enum { WINDOW_FROM = 17 /* elements: up to 16 are unrolled in one loop */, RANK_MOST = 8 };

/* The op that combines two elements, or TEN_OP_UNKNOWN. */
static ten_opcode repeatable_body(const ten_op *op) {
  const ten_block *block = op->region_count == 1 ? op->regions[0].first : NULL;
  if (op->result_count != 1 || !block || block->next || block->arg_count != 2) return TEN_OP_UNKNOWN;
  const ten_op *body = block->first, *end = body ? body->next : NULL;
  if (!end || end != block->last || end->operand_count != 1 || ten_op_operand(end, 0)->op != body)
    return TEN_OP_UNKNOWN;
  const ten_opcode code = body->code;
  if (code != TEN_OP_MAXIMUM && code != TEN_OP_MINIMUM && code != TEN_OP_AND && code != TEN_OP_OR)
    return TEN_OP_UNKNOWN;
  const ten_value *x = ten_op_operand(body, 0), *y = ten_op_operand(body, 1);
  const bool both = (x == block->args[0] && y == block->args[1]) || (x == block->args[1] && y == block->args[0]);
  return both && x->type->dtype == ten_op_operand(op, 0)->type->dtype ? code : TEN_OP_UNKNOWN;
}

static bool is_large(const ten_window *w) {
  int64_t elements = 1;
  uint32_t dims = 0;
  for (uint32_t i = 0; i < w->rank; i++) {
    if (w->base_dilation[i] != 1 || w->size[i] < 1 || w->size[i] > INT32_MAX) return false;
    dims += w->size[i] > 1;
    if (elements < WINDOW_FROM) elements *= w->size[i];
  }
  return dims > 1 && elements >= WINDOW_FROM;
}

static void combine(ten_builder *b, ten_value *const *args, void *code) {
  ten_value *y = ten_build_binary(b, *(const ten_opcode *)code, args[0], args[1]);
  ten_build_return(b, 1, &y);
}

static void separate(ten_module *module, ten_op *op) {
  ten_value *x = ten_op_operand(op, 0), *init = ten_op_operand(op, 1);
  ten_opcode code = repeatable_body(op);
  if (code == TEN_OP_UNKNOWN || x->type->rank > RANK_MOST || !ten_type_is_static(x->type)) return;
  if (!ten_type_count(x->type) || !ten_type_count(op->results[0].type)) return;
  if (init->type->dtype != x->type->dtype || op->results[0].type->dtype != x->type->dtype) return;
  const ten_window w = ten_op_window(module, op);
  if (!is_large(&w)) return;
  ten_builder b = {.module = module, .block = op->block, .before = op, .loc = op->loc};
  for (uint32_t d = 0; d < w.rank; d++) {
    if (w.size[d] == 1 && w.strides[d] == 1 && !w.padding[2 * d] && !w.padding[2 * d + 1]) continue;
    int64_t size[RANK_MOST], strides[RANK_MOST], padding[2 * RANK_MOST] = {0}, ones[RANK_MOST], dilation[RANK_MOST];
    for (uint32_t i = 0; i < w.rank; i++) size[i] = strides[i] = ones[i] = dilation[i] = 1;
    size[d] = w.size[d];
    strides[d] = w.strides[d];
    dilation[d] = w.dilation[d];
    memcpy(padding + 2 * d, w.padding + 2 * d, 2 * sizeof *padding);
    const ten_window one = {.rank = w.rank,
                            .size = size,
                            .strides = strides,
                            .padding = padding,
                            .base_dilation = ones,
                            .dilation = dilation};
    x = &ten_build_reduce_window(&b, 1, &x, &init, &one, combine, &code)->results[0];
  }
  ten_value_replace(&op->results[0], x);
  ten_op_erase(op);
}

static ten_status *run(ten_module *module) { return ten_pass_each(module, TEN_OP_REDUCE_WINDOW, separate); }

const ten_pass ten_pass_windows = {"windows", "take maxima over large windows along one dimension after the other",
                                   run};
