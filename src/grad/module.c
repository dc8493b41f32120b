/* module.c: the gradient of a module's entry function as a module of its own, whose entry it is: what can be compiled
 * like any other program, and differentiated again. */
#include "grad/grad.h"

ten_status *ten_grad_module(const ten_module *module, const ten_grad_options *options, ten_module **out_module) {
  *out_module = NULL;
  ten_module *copy = ten_module_clone(module);
  ten_op *entry = ten_module_entry(copy, (ten_str){0}), *gradient = NULL;
  ten_status *status =
      entry && ten_op_body(entry, 0)
          ? NULL
          : ten_error(TEN_INVALID, "the program has no @main, nor one public function, to differentiate");
  ten_grad_options wanted = options ? *options : (ten_grad_options){0};
  wanted.name = TEN_STR("tenfold.gradient");
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
