/* grad_module.c: the gradient of a module's entry function as the entry of a new module, which can be compiled like any
 * other program, and differentiated again. */
#include "transform/grad/vjp.h"
#include "transform/pass/grad.h"
#include "transform/pass/pass.h"

static ten_status *look(ten_op *op, void *found) {
  if (ten_vjp_rules[op->code]) return NULL;
  switch (op->code) {
    case TEN_OP_BATCH_NORM_GRAD:
    case TEN_OP_EINSUM:
    case TEN_OP_GET_TUPLE_ELEMENT:
    case TEN_OP_REAL_DYNAMIC_SLICE:
    case TEN_OP_TORCH_INDEX_SELECT:
    case TEN_OP_TUPLE:
    case TEN_OP_UNARY_EINSUM: *(bool *)found = true; break;
    default: *(bool *)found |= ten_str_starts(op->name, "chlo.");
  }
  return NULL;
}

ten_status *ten_grad_prepare(ten_module *module) {
  static const ten_pass *const passes[] = {&ten_pass_tuple, &ten_pass_chlo, &ten_pass_expand, NULL};
  bool found = false;
  TEN_TRY(ten_op_walk(module->op, look, &found));
  return found ? ten_pipeline_run(passes, module, NULL) : NULL;
}

ten_status *ten_grad_module(const ten_module *module, const ten_grad_options *options, ten_module **out_module) {
  *out_module = NULL;
  TEN_RECOVER("differentiating the program");
  ten_module *copy = ten_module_clone(module);
  ten_status *status = ten_grad_prepare(copy);
  ten_op *entry = ten_module_entry(copy, (ten_str){0}), *gradient = NULL;
  if (!status && (!entry || !ten_op_body(entry, 0)))
    status = ten_error(TEN_INVALID, "the program has no @main, nor one public function, to differentiate");
  ten_grad_options wanted = options ? *options : (ten_grad_options){0};
  wanted.name = ten_name_str(TEN_NAME_GRADIENT);
  if (!status) status = ten_grad(copy, entry, &wanted, &gradient);
  if (status) {
    ten_module_destroy(copy);
    return status;
  }
  const ten_str name = ten_func_name(entry);
  ten_op_set_attr(copy, gradient, TEN_STR("sym_name"), ten_attr_string(copy, name));
  ten_op_erase(entry);
  *out_module = copy;
  return NULL;
}
