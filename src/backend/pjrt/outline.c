/* outline.c: an activation with one reader (or several, in mask style) becomes a function and a call. libtpu fuses
 * before it inlines calls: the bias is fused into its convolution, the activation joins them later, and the activation
 * is stored in bf16. Inlined, bias and activation would be fused into the next convolution, and the sum would be stored
 * in f32. JAX's programs have calls there too.
 * Needs: @main with all calls inlined.  Keeps: results. */
#include <stdio.h>
#include <stdlib.h>

#include "backend/pjrt/client_program.h"
#include "ir/builder.h"

typedef struct outlined {
  const ten_type *type;
  ten_op *func;
} outlined;

static ten_op *function_for(ten_module *module, const ten_op *end, const ten_type *type, size_t number) {
  char name[32];
  const int size = snprintf(name, sizeof name, "relu_%zu", number);
  const ten_str text = {ten_arena_strdup(&module->arena, name, (size_t)size), (size_t)size};
  ten_op *func = ten_func_create(module, text, 1, &type, 1, &type, end->loc);
  ten_op_set_attr(module, func, TEN_STR("sym_visibility"), ten_attr_string(module, TEN_STR("private")));
  ten_block *body = ten_op_body(func, 0);
  ten_builder b = {.module = module, .block = body, .loc = end->loc};
  ten_value *zero = ten_build_scalar(&b, type->dtype, 0);
  ten_value *result =
      ten_build_binary(&b, TEN_OP_MAXIMUM, body->args[0], ten_build_broadcast(&b, zero, type->rank, type->dims, NULL));
  ten_build_return(&b, 1, &result);
  return func;
}

/* Several readers are allowed where the gradient reads a mask instead. */
static bool is_activation(const ten_op *op, bool several) {
  const ten_value *x = op->code == TEN_OP_MAXIMUM ? ten_op_operand(op, 0) : NULL;
  if (!x || !x->op || x->op->code != TEN_OP_ADD || x->type->quant || !op->results[0].uses) return false;
  if (!several && (x->uses->next || op->results[0].uses->next)) return false;
  return pjrt_is_zero(ten_op_operand(op, 1));
}

void pjrt_outline_activations(ten_module *module, ten_op *main, pjrt_style style) {
  TEN_VEC(outlined) made = {0};
  for (ten_op *op = ten_op_body(main, 0)->first, *next; op; op = next) {
    next = op->next;
    if (!is_activation(op, style.masks)) continue;
    const ten_type *type = op->results[0].type;
    size_t at = 0;
    while (at < made.count && made.data[at].type != type) at++;
    if (at == made.count) ten_vec_push(&made, ((outlined){type, function_for(module, op, type, at)}));
    ten_builder b = {.module = module, .block = op->block, .before = op, .loc = op->loc};
    ten_value *x = ten_op_operand(op, 0);
    ten_value_replace(&op->results[0], &ten_build_call(&b, made.data[at].func, &x)->results[0]);
    ten_op_erase(op);
  }
  ten_vec_free(&made);
}
