/* evaluate.c: evaluates one op on known operands, for constant folding (value/evaluate.h): the op alone in its own
 * function. It comes from a verified module, so the copy is not verified again. */
#include "value/evaluate.h"

#include "backend/interp/interp.h"
#include "ir/builder.h"

bool ten_can_evaluate(const ten_op *op) { return interp_kernels[op->code] != NULL; }

static ten_op *isolate(ten_module *module, const ten_op *op) {
  const ten_type **types = ten_arena_new_array(&module->arena, const ten_type *, op->operand_count + 1),
                 **results = ten_arena_new_array(&module->arena, const ten_type *, op->result_count);
  ten_value **values = ten_arena_new_array(&module->arena, ten_value *, op->result_count);
  for (uint32_t i = 0; i < op->operand_count; i++) types[i] = ten_type_import(module, ten_op_operand(op, i)->type);
  for (uint32_t i = 0; i < op->result_count; i++) results[i] = ten_type_import(module, op->results[i].type);
  ten_op *func = ten_func_create(module, TEN_STR("fold"), op->operand_count, types, op->result_count, results, op->loc);
  ten_block *body = ten_op_body(func, 0);
  ten_value_map map = {0};
  for (uint32_t i = 0; i < op->operand_count; i++) ten_value_map_set(&map, ten_op_operand(op, i), body->args[i]);
  ten_op *copy = ten_op_clone(module, op, &map);
  for (uint32_t i = 0; i < op->operand_count; i++) ten_op_set_operand(copy, i, body->args[i]);
  ten_op_append(body, copy);
  for (uint32_t i = 0; i < op->result_count; i++) values[i] = &copy->results[i];
  ten_builder b = {.module = module, .block = body};
  ten_build_return(&b, op->result_count, values);
  ten_value_map_free(&map);
  return func;
}

ten_status *ten_evaluate(const ten_op *op, ten_tensor *const *operands, ten_tensor **out_results) {
  for (uint32_t i = 0; i < op->result_count; i++) out_results[i] = NULL;
  ten_module *module = ten_module_create();
  ten_executable *executable = NULL;
  static const ten_run_options none;
  const ten_backend *interp = &ten_interp_backend;
  ten_status *status = interp->compile(interp, module, isolate(module, op), &(ten_settings){0}, &executable);
  if (!status) status = interp->execute(executable, operands, op->operand_count, &none, out_results);
  if (executable) interp->destroy(executable);
  ten_module_destroy(module);
  return status;
}
