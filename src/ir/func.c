/* func.c: symbols and functions. */
#include "ir/ten.h"

ten_op *ten_symbol_find(const ten_op *scope, ten_str name) {
  for (uint32_t i = 0; i < scope->region_count; i++)
    for (ten_block *block = scope->regions[i].first; block; block = block->next)
      for (ten_op *op = block->first; op; op = op->next) {
        const ten_attr *symbol = ten_op_attr(op, "sym_name");
        if (symbol && ten_str_eq(ten_attr_as_string(symbol), name)) return op;
      }
  return NULL;
}

ten_str ten_func_name(const ten_op *func) { return ten_attr_as_string(ten_op_attr(func, "sym_name")); }

const ten_type *ten_func_type(const ten_op *func) {
  const ten_attr *type = ten_op_attr(func, "function_type");
  return type && type->kind == TEN_ATTR_TYPE && type->type->kind == TEN_TYPE_FUNCTION ? type->type : NULL;
}

bool ten_func_is_private(const ten_op *func) {
  return ten_str_is(ten_attr_as_string(ten_op_attr(func, "sym_visibility")), "private");
}

ten_op *ten_module_entry(const ten_module *module, ten_str name) {
  if (name.size) {
    ten_op *op = ten_module_find(module, name);
    return op && ten_op_is_func(op) ? op : NULL;
  }
  ten_op *main_func = ten_module_find(module, TEN_STR("main"));
  if (main_func && ten_op_is_func(main_func)) return main_func;
  ten_op *only = NULL;
  for (ten_op *op = ten_module_body(module)->first; op; op = op->next) {
    if (!ten_op_is_func(op) || ten_func_is_private(op) || !op->regions[0].first) continue;
    if (only) return NULL;
    only = op;
  }
  return only;
}

ten_op *ten_func_create(ten_module *module, ten_str name, uint32_t input_count, const ten_type *const *inputs,
                        uint32_t result_count, const ten_type *const *results, const ten_loc *loc) {
  const ten_type *type = ten_type_function(module, input_count, inputs, result_count, results);
  const ten_named_attr attrs[] = {{TEN_STR("sym_name"), ten_attr_string(module, name), true},
                                  {TEN_STR("function_type"), ten_attr_type(module, type), true}};
  ten_op *func = ten_op_create(module, TEN_OP_FUNC, (ten_str){0}, loc, 0, NULL, 0, NULL, 2, attrs, 1);
  ten_block *body = ten_block_create(module, &func->regions[0]);
  for (uint32_t i = 0; i < input_count; i++) ten_block_add_arg(module, body, inputs[i], loc);
  ten_op_append(ten_module_body(module), func);
  return func;
}

void ten_func_update_type(ten_module *module, ten_op *func) {
  const ten_block *body = ten_op_body(func, 0);
  const ten_op *end = ten_block_terminator(body);
  const uint32_t result_count = end ? end->operand_count : 0;
  const ten_type **inputs = ten_arena_new_array(&module->arena, const ten_type *, body->arg_count);
  const ten_type **results = ten_arena_new_array(&module->arena, const ten_type *, result_count);
  for (uint32_t i = 0; i < body->arg_count; i++) inputs[i] = body->args[i]->type;
  for (uint32_t i = 0; i < result_count; i++) results[i] = ten_op_operand(end, i)->type;
  const ten_type *type = ten_type_function(module, body->arg_count, inputs, result_count, results);
  ten_op_set_attr(module, func, TEN_STR("function_type"), ten_attr_type(module, type));
}

static const ten_attr *from_list(const ten_attr *list, uint32_t index, const char *name) {
  if (!list || list->kind != TEN_ATTR_ARRAY || index >= list->array.count) return NULL;
  return ten_dict_get(list->array.items[index], name);
}

const ten_attr *ten_func_arg_attr(const ten_op *func, uint32_t index, const char *name) {
  return from_list(ten_op_attr(func, "arg_attrs"), index, name);
}

const ten_attr *ten_func_result_attr(const ten_op *func, uint32_t index, const char *name) {
  return from_list(ten_op_attr(func, "res_attrs"), index, name);
}

ten_str ten_func_input_name(const ten_op *func, uint32_t index) {
  const char *const attributes[] = {"aten.name", ten_name_text(TEN_NAME_NAME)};
  for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
    const ten_attr *attr = ten_func_arg_attr(func, index, attributes[i]);
    if (attr) return ten_attr_as_string(attr);
  }
  const ten_block *body = ten_op_body(func, 0);
  if (!body || index >= body->arg_count) return (ten_str){0};
  const ten_value *argument = body->args[index];
  if (argument->name.size) return argument->name;
  const ten_loc *loc = argument->loc;
  return loc && loc->kind == TEN_LOC_NAME ? loc->name : (ten_str){0};
}

ten_str ten_func_result_name(const ten_op *func, uint32_t index) {
  const char *const attributes[] = {"aten.name", ten_name_text(TEN_NAME_NAME), "aten.mutates", "jax.result_info"};
  for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
    const ten_str name = ten_attr_as_string(ten_func_result_attr(func, index, attributes[i]));
    if (name.size) return name;
  }
  return (ten_str){0};
}
