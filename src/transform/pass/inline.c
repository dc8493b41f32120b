/* inline.c: inlines the bodies of called functions, and the decompositions of composites.
 * Needs: verified IR without recursion.  Keeps: types, order of effects; the callee stays (dce erases it when it is
 * unreferenced). Calls inside a callee are inlined first, so that each body is copied in its final form. */
#include "transform/pass/pass.h"

enum { UNSEEN, ACTIVE, DONE };

static ten_status *inline_into(ten_module *module, ten_op *func);

/* The function of a symbol, looked up in the enclosing modules of `op`, innermost first. */
static ten_op *callee_of(const ten_op *op, const ten_attr *symbol) {
  if (!symbol || symbol->kind != TEN_ATTR_SYMBOL || !symbol->symbol.count) return NULL;
  for (const ten_op *scope = ten_op_parent(op); scope; scope = ten_op_parent(scope)) {
    if (scope->code != TEN_OP_MODULE) continue;
    ten_op *found = ten_symbol_find(scope, symbol->symbol.path[0]);
    for (size_t i = 1; found && i < symbol->symbol.count; i++) found = ten_symbol_find(found, symbol->symbol.path[i]);
    if (found && ten_op_is_func(found)) return found;
  }
  return NULL;
}

static ten_status *inline_call(ten_module *module, ten_op *call, const ten_attr *symbol) {
  ten_op *callee = callee_of(call, symbol);
  if (!callee || !callee->regions[0].first)
    return ten_op_error(call, TEN_NOT_FOUND, "the function that it calls does not exist");
  if (callee->number == ACTIVE) return ten_op_error(call, TEN_UNSUPPORTED, "recursive calls are not supported");
  TEN_TRY(inline_into(module, callee));
  const ten_block *body = ten_op_body(callee, 0);
  ten_value_map map = {0};
  for (uint32_t i = 0; i < body->arg_count; i++) ten_value_map_set(&map, body->args[i], ten_op_operand(call, i));
  const ten_op *end = ten_block_terminator(body);
  for (const ten_op *op = body->first; op != end; op = op->next)
    ten_op_insert_before(call, ten_op_clone(module, op, &map));
  for (uint32_t i = 0; i < call->result_count; i++) {
    ten_value *returned = ten_op_operand(end, i), *here = ten_value_map_get(&map, returned);
    ten_value_replace(&call->results[i], here ? here : returned);
  }
  ten_value_map_free(&map);
  ten_op_erase(call);
  return NULL;
}

static ten_status *inline_block(ten_module *module, ten_block *block) {
  for (ten_op *op = block->first, *next; op; op = next) {
    next = op->next;
    for (uint32_t r = 0; r < op->region_count; r++)
      for (ten_block *inner = op->regions[r].first; inner; inner = inner->next) TEN_TRY(inline_block(module, inner));
    if (op->code == TEN_OP_CALL) TEN_TRY(inline_call(module, op, ten_op_attr(op, "callee")));
    if (op->code == TEN_OP_COMPOSITE) TEN_TRY(inline_call(module, op, ten_op_attr(op, "decomposition")));
  }
  return NULL;
}

static ten_status *inline_into(ten_module *module, ten_op *func) {
  if (func->number == DONE) return NULL;
  func->number = ACTIVE;
  for (ten_block *block = func->regions[0].first; block; block = block->next) TEN_TRY(inline_block(module, block));
  func->number = DONE;
  return NULL;
}

static ten_status *clear_op(ten_op *op, void *context) {
  (void)context;
  if (ten_op_is_func(op)) op->number = UNSEEN;
  return NULL;
}

static ten_status *inline_func(ten_op *op, void *module) { return ten_op_is_func(op) ? inline_into(module, op) : NULL; }

static ten_status *inline_run(ten_module *module) {
  TEN_TRY(ten_op_walk(module->op, clear_op, NULL));
  return ten_op_walk(module->op, inline_func, module);
}

ten_status *ten_inline_function(ten_module *module, ten_op *func) {
  TEN_TRY(ten_op_walk(module->op, clear_op, NULL));
  return inline_into(module, func);
}

const ten_pass ten_pass_inline = {
    .name = "inline", .summary = "put called functions and composites where they are called", .run = inline_run};
