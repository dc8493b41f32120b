/* isolate.c: extracts a function and its callees from its module. */
#include "transform/pass/isolate.h"

#include "ir/verify/verify.h"
#include "transform/pass/pass.h"

/* The copy in `module` of a function of another module, found by the same names. */
static ten_op *find_copy(const ten_op *root, const ten_op *func) {
  const ten_op *parent = ten_op_parent(func);
  const ten_op *scope = parent && ten_op_parent(parent) ? find_copy(root, parent) : root;
  return scope ? ten_symbol_find(scope, ten_attr_as_string(ten_op_attr(func, "sym_name"))) : NULL;
}

/* Only `func` is compiled: every other function is erased once its body has been inlined. */
static void keep_only(ten_op *scope, const ten_op *func) {
  for (ten_op *op = ten_op_body(scope, 0)->first, *next; op; op = next) {
    next = op->next;
    bool around = false;
    for (const ten_op *at = func; at; at = ten_op_parent(at)) around |= at == op;
    if (!around)
      ten_op_erase(op);
    else if (op->code == TEN_OP_MODULE)
      keep_only(op, func);
  }
}

static ten_status *look_for_dynamic(ten_op *op, void *found) {
  for (uint32_t i = 0; i < op->result_count; i++)
    if (ten_type_is_tensor(op->results[i].type) && !ten_type_is_static(op->results[i].type)) *(bool *)found = true;
  if (ten_str_starts(op->name, "stablehlo.dynamic_") && op->code != TEN_OP_DYNAMIC_SLICE &&
      op->code != TEN_OP_DYNAMIC_UPDATE_SLICE)
    *(bool *)found = true;
  if (op->code == TEN_OP_REAL_DYNAMIC_SLICE) *(bool *)found = true;
  return NULL;
}

static ten_status *look_for_programs(ten_op *op, void *found) {
  if (op->code == TEN_OP_INTERPRETER_RUN_PARALLEL) *(bool *)found = true;
  return NULL;
}

/* Refines shapes for these inputs. */
static ten_status *refine(ten_module *module, ten_op *func, ten_tensor *const *inputs) {
  bool found = inputs != NULL;
  TEN_TRY(ten_op_walk(func, look_for_dynamic, &found));
  if (!found) return NULL;
  const ten_type *type = ten_func_type(func);
  const ten_type **types = ten_arena_new_array(&module->arena, const ten_type *, type->input_count);
  for (uint32_t i = 0; i < type->input_count; i++) {
    types[i] = ten_type_import(module, type->inputs[i]);
    if (inputs && ten_type_is_tensor(types[i]))
      types[i] = ten_type_with_shape(module, types[i], inputs[i]->rank, inputs[i]->dims);
  }
  ten_op_remove_attr(func, "sym_visibility");
  return ten_refine_shapes(module, types, type->input_count);
}

/* Inlines what the function calls and erases the others. */
static ten_status *make_single(ten_module *module, ten_op *func) {
  TEN_TRY(ten_inline_function(module, func));
  bool names_others = false; /* which interpreter.run_parallel does */
  TEN_TRY(ten_op_walk(func, look_for_programs, &names_others));
  if (!names_others) keep_only(module->op, func);
  return NULL;
}

ten_status *ten_isolate_in_place(ten_module *module, ten_op *func) {
  TEN_TRY(make_single(module, func));
  return refine(module, func, NULL);
}

ten_status *ten_isolate(const ten_module *module, const ten_op *func, ten_tensor *const *inputs,
                        ten_module **out_module, ten_op **out_func) {
  *out_module = ten_module_clone_view(module);
  ten_op *copy = *out_func = find_copy((*out_module)->op, func);
  if (!copy) return ten_op_error(func, TEN_INTERNAL, "the function was lost in copying");
  TEN_TRY(make_single(*out_module, copy));
  return refine(*out_module, copy, inputs);
}
