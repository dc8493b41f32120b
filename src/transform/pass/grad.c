/* grad.c: adds the gradient of the entry function next to it, as @<name>.grad.
 * A float scalar result is a loss: (args…) -> (results…, gradients…). Otherwise the cotangents of the results are
 * further arguments.
 * Needs: verified IR with static shapes.  Keeps: the existing functions; ops without a rule are expanded
 * (grad_module.c). */
#include "transform/pass/grad.h"

#include "transform/pass/pass.h"

static ten_status *add_gradient(ten_module *module, bool mark_forward) {
  TEN_TRY(ten_grad_prepare(module));
  ten_op *entry = ten_module_entry(module, (ten_str){0});
  if (!entry || !ten_op_body(entry, 0))
    return ten_error(TEN_INVALID, "the module has no @main, nor one public function, to differentiate");
  const ten_op *end = ten_block_terminator(ten_op_body(entry, 0));
  const ten_type *first = end && end->operand_count ? ten_op_operand(end, 0)->type : NULL;
  const bool loss =
      first && first->kind == TEN_TYPE_TENSOR && first->ranked && !first->rank && ten_dtype_is_float(first->dtype);
  const ten_grad_options options = {.with_results = true, .take_cotangents = !loss, .mark_forward = mark_forward};
  ten_op *gradient;
  return ten_grad(module, entry, &options, &gradient);
}

static ten_status *run(ten_module *module) { return add_gradient(module, false); }
static ten_status *run_marked(ten_module *module) { return add_gradient(module, true); }

const ten_pass ten_pass_grad = {"grad", "add the gradient of the entry function, as @<name>.grad", run};
const ten_pass ten_pass_grad_marked = {"grad", "the same with its forward part marked (transform/grad/recompute.h)",
                                       run_marked};
