/* client_program.c: rewrites a function for another compiler: one function @main, no calls, static shapes, only known
 * dialects.
 * - Weights become arguments, so that they are uploaded once and not compiled in.
 * - Convolutions read and write channels last (transform/pass/layout.c), and their kernels match
 * (transpose_kernels.c).
 * - check.* ops move to a separate program, which the host runs on results of the device.
 * Needs: a verified module.  Keeps: results, locations, shardings, donations. */
#include "backend/pjrt/client_program.h"

#include <stdlib.h>

#include "ir/assert.h"
#include "ir/builder.h"
#include "ir/verify/verify.h"
#include "transform/pass/pass.h"

enum { ARGUMENT_BYTES = 4096 }; /* constants of at least this size become arguments; so do all parameters of a model */

/* The dialects of XLA and those in JAX's programs; other attributes are ours and meaningless to it. */
static bool is_foreign(ten_str name) {
  static const char *const known[] = {"mhlo.", "sdy.", "tf.", "jax.", "xla.", "stablehlo.", "xla_tpu."};
  if (!memchr(name.data, '.', name.size)) return false;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (ten_str_starts(name, known[i])) return false;
  return true;
}

static const ten_attr *strip_dict(ten_module *module, const ten_attr *dict) {
  if (!dict || dict->kind != TEN_ATTR_DICT) return ten_attr_dict(module, 0, NULL);
  ten_named_attr *kept = ten_arena_new_array(&module->arena, ten_named_attr, dict->dict.count + 1);
  size_t count = 0;
  for (size_t i = 0; i < dict->dict.count; i++)
    if (!is_foreign(dict->dict.items[i].name)) kept[count++] = dict->dict.items[i];
  return ten_attr_dict(module, count, kept);
}

/* arg_attrs and res_attrs: drops our attributes, and makes one entry per current argument or result. */
static void strip_list(ten_module *module, ten_op *func, const char *name, uint32_t count) {
  const ten_attr *list = ten_op_attr(func, name);
  if (!list || list->kind != TEN_ATTR_ARRAY) return;
  const ten_attr **items = ten_arena_new_array(&module->arena, const ten_attr *, count + 1);
  for (uint32_t i = 0; i < count; i++)
    items[i] = strip_dict(module, i < list->array.count ? list->array.items[i] : NULL);
  ten_op_set_attr(module, func, ten_str_of(name), ten_attr_array(module, count, items));
}

static ten_status *strip_op(ten_op *op, void *context) {
  (void)context;
  for (uint32_t i = op->attr_count; i--;)
    if (!op->attrs[i].inherent && is_foreign(op->attrs[i].name)) {
      char name[128];
      if (op->attrs[i].name.size >= sizeof name) continue;
      memcpy(name, op->attrs[i].name.data, op->attrs[i].name.size);
      name[op->attrs[i].name.size] = 0;
      ten_op_remove_attr(op, name);
    }
  return NULL;
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

static ten_status *refine(ten_module *module, ten_op *func) {
  bool found = false;
  TEN_TRY(ten_op_walk(func, look_for_dynamic, &found));
  if (!found) return NULL;
  const ten_type *type = ten_func_type(func);
  return ten_refine_shapes(module, type->inputs, type->input_count);
}

/* Copies the function alone, as @main. */
static ten_status *isolate(const ten_module *module, const ten_op *func, pjrt_program *p) {
  if (ten_op_parent(func) != module->op)
    return ten_op_error(func, TEN_UNSUPPORTED, "functions of nested modules run on cpu and interp only");
  p->module = ten_module_clone(module);
  p->func = ten_module_find(p->module, ten_func_name(func));
  if (!p->func) return ten_op_error(func, TEN_INTERNAL, "the function was lost in copying");
  TEN_TRY(ten_inline_function(p->module, p->func));
  for (ten_op *op = ten_module_body(p->module)->first, *next; op; op = next) {
    next = op->next;
    if (op != p->func && (ten_op_is_func(op) || op->code == TEN_OP_MODULE)) ten_op_erase(op);
  }
  ten_op_set_attr(p->module, p->func, TEN_STR("sym_name"), ten_attr_string(p->module, TEN_STR("main")));
  ten_op_remove_attr(p->func, "sym_visibility");
  ten_asserts_strip(p->module); /* a device cannot stop a program */
  return refine(p->module, p->func);
}

static bool is_host_op(const ten_op *op) {
  if (ten_str_starts(op->name, "check.") || op->code == TEN_OP_INTERPRETER_PRINT) return true;
  const ten_attr *target = op->code == TEN_OP_CUSTOM_CALL ? ten_op_attr(op, "call_target_name") : NULL;
  return target && ten_str_starts(ten_attr_as_string(target), "check.");
}

static ten_status *refuse_host_op(ten_op *op, void *context) {
  (void)context;
  if (ten_str_starts(op->name, "interpreter.") && op->code != TEN_OP_INTERPRETER_PRINT)
    return ten_op_error(op, TEN_UNSUPPORTED, "runs on cpu and interp only");
  if (!is_host_op(op) || ten_op_parent(op) == context) return NULL;
  return ten_op_error(op, TEN_UNSUPPORTED, "inside another op it runs on cpu and interp only");
}

/* Provides an operand of a host op: a constant is cloned, anything else is returned by the device. */
static void give_to_host(pjrt_program *p, ten_block *host, ten_value_map *map, ten_value *value, ten_op *end) {
  if (ten_value_map_get(map, value)) return;
  if (value->op && value->op->code == TEN_OP_CONSTANT) {
    ten_op_append(host, ten_op_clone(p->host, value->op, map));
    return;
  }
  ten_value_map_set(map, value, ten_block_add_arg(p->host, host, ten_type_import(p->host, value->type), value->loc));
  ten_value **values = ten_arena_new_array(&p->module->arena, ten_value *, end->operand_count + 1);
  for (uint32_t i = 0; i < end->operand_count; i++) values[i] = ten_op_operand(end, i);
  values[end->operand_count] = value;
  ten_op_set_operands(p->module, end, end->operand_count + 1, values);
}

/* A host op's result may be one of the program's results: then the device returns zeros in its place. */
static ten_status *return_from_host(pjrt_program *p, ten_op *op, const ten_op *end, ten_value **results) {
  for (uint32_t i = 0; i < op->result_count; i++) {
    for (ten_use *use = op->results[i].uses, *next; use; use = next) {
      next = use->next;
      if (use->owner != end || !ten_type_is_tensor(op->results[i].type))
        return ten_op_error(op, TEN_UNSUPPORTED, "its result is used; that runs on cpu and interp only");
      p->host_results[p->host_result_count] = use->index;
      results[p->host_result_count++] = &op->results[i];
    }
  }
  return NULL;
}

static void stand_in(pjrt_program *p, ten_op *op) {
  ten_builder b = {.module = p->module, .block = op->block, .before = op, .loc = op->loc};
  for (uint32_t i = 0; i < op->result_count; i++)
    if (ten_value_has_uses(&op->results[i]))
      ten_value_replace(&op->results[i], ten_build_splat_int(&b, op->results[i].type, 0));
}

static ten_status *move_host_ops(pjrt_program *p) {
  ten_block *body = ten_op_body(p->func, 0);
  ten_op *end = ten_block_terminator(body);
  ten_block *host = NULL;
  ten_op *host_func = NULL;
  ten_value_map map = {0};
  p->host_results = ten_alloc((end->operand_count + 1) * sizeof *p->host_results);
  ten_value **results = ten_arena_new_array(&p->module->arena, ten_value *, end->operand_count + 1);
  ten_status *status = ten_op_walk(p->func, refuse_host_op, p->func);
  for (ten_op *op = body->first, *next; op != end && !status; op = next) {
    next = op->next;
    if (!is_host_op(op)) continue;
    status = return_from_host(p, op, end, results);
    if (status) break;
    if (!p->host) {
      p->host = ten_module_create();
      host_func = ten_func_create(p->host, TEN_STR("main"), 0, NULL, 0, NULL, NULL);
      host = ten_op_body(host_func, 0);
    }
    for (uint32_t i = 0; i < op->operand_count; i++) give_to_host(p, host, &map, ten_op_operand(op, i), end);
    ten_op_append(host, ten_op_clone(p->host, op, &map));
    stand_in(p, op);
    ten_op_erase(op);
  }
  for (uint32_t i = 0; i < p->host_result_count && !status; i++) results[i] = ten_value_map_get(&map, results[i]);
  ten_value_map_free(&map);
  if (status || !p->host) return status;
  ten_builder b = {.module = p->host, .block = host};
  ten_build_return(&b, p->host_result_count, results);
  ten_func_update_type(p->host, host_func);
  ten_func_update_type(p->module, p->func);
  return NULL;
}

static bool is_weight(const ten_op *op) {
  const ten_attr *value = op->code == TEN_OP_CONSTANT ? ten_op_attr(op, "value") : NULL;
  if (!value || (value->kind != TEN_ATTR_DENSE && value->kind != TEN_ATTR_RESOURCE) || value->dense.splat) return false;
  if (!value->dense.data || !ten_value_has_uses(&op->results[0])) return false;
  return value->dense.size >= ARGUMENT_BYTES || ten_op_attr(op, "aten.kind");
}

/* If only some rows of a weight are read, the weight becomes a view of those rows. */
static void cut_weights(pjrt_program *p) {
  ten_block *body = ten_op_body(p->func, 0);
  for (ten_op *op = body->first, *next; op; op = next) {
    next = op->next;
    ten_op *whole = op->code == TEN_OP_SLICE ? ten_op_operand(op, 0)->op : NULL;
    if (!whole || !is_weight(whole) || whole->results[0].uses->next) continue;
    const ten_type *from = whole->results[0].type, *to = op->results[0].type;
    const ten_ints stride = ten_op_ints(op, "strides");
    if (!from->rank || from->quant || (stride.count && stride.data[0] != 1)) continue;
    bool rows = true;
    for (uint32_t i = 1; i < from->rank; i++) rows &= from->dims[i] == to->dims[i];
    const ten_attr *data = ten_op_attr(whole, "value");
    if (!rows || !from->dims[0] || data->dense.size % (size_t)from->dims[0]) continue;
    const size_t row = data->dense.size / (size_t)from->dims[0];
    const ten_attr *part = ten_attr_dense_view(
        p->module, to, (const char *)data->dense.data + (size_t)ten_op_ints(op, "start_indices").data[0] * row,
        (size_t)to->dims[0] * row, false);
    ten_value_replace(&op->results[0], &whole->results[0]);
    ten_op_erase(op);
    whole->results[0].type = to;
    ten_op_set_attr(p->module, whole, TEN_STR("value"), part);
  }
}

static void weights_to_arguments(pjrt_program *p) {
  ten_block *body = ten_op_body(p->func, 0);
  size_t room = 0;
  for (const ten_op *op = body->first; op; op = op->next) room += is_weight(op);
  p->constants = ten_alloc((room + 1) * sizeof *p->constants);
  p->arguments = ten_realloc(p->arguments, (p->input_count + room + 1) * sizeof *p->arguments);
  for (ten_op *op = body->first, *next; op; op = next) {
    next = op->next;
    if (!is_weight(op)) continue;
    p->arguments[p->input_count + p->constant_count] =
        (pjrt_argument){.name = ten_attr_as_string(ten_op_attr(op, "aten.name")), .weight = true, .loc = op->loc};
    p->constants[p->constant_count++] = ten_op_attr(op, "value");
    ten_value_replace(&op->results[0], ten_block_add_arg(p->module, body, op->results[0].type, op->loc));
    ten_op_erase(op);
  }
  ten_func_update_type(p->module, p->func);
}

/* Training steps annotate their arguments with names and roles. */
static void describe_arguments(pjrt_program *p) {
  p->arguments = ten_alloc((p->input_count + 1) * sizeof *p->arguments);
  for (uint32_t i = 0; i < p->input_count; i++) {
    const ten_str role = ten_attr_as_string(ten_own_arg_attr(p->func, i, TEN_NAME_ROLE));
    p->arguments[i] = (pjrt_argument){.name = ten_attr_as_string(ten_own_arg_attr(p->func, i, TEN_NAME_NAME)),
                                      .weight = role.size && !ten_str_is(role, "input") && !ten_str_is(role, "target"),
                                      .loc = ten_op_body(p->func, 0)->args[i]->loc};
  }
}

static ten_status *check_types(const pjrt_program *p, uint32_t count, const ten_type *const *types, const char *what) {
  for (uint32_t i = 0; i < count; i++) {
    if (ten_type_is_tensor(types[i]) && ten_type_is_static(types[i])) continue;
    ten_buf text = {0};
    ten_type_print(&text, types[i]);
    ten_status *status = ten_op_error(
        p->func, TEN_UNSUPPORTED, "%s %u is %s: a plugin takes and gives tensors of known shapes", what, i, text.data);
    ten_buf_free(&text);
    return status;
  }
  return NULL;
}

/* True for a training step, where the gradient of a slice is a whole tensor padded with zeros. */
static bool gives_up(const pjrt_program *p) {
  for (uint32_t i = 0; i < p->input_count; i++)
    if (p->donated[i]) return true;
  return false;
}

static ten_status *make(const ten_module *module, const ten_op *func, pjrt_style style, pjrt_program *p) {
  static const ten_pass *const passes[] = {&ten_pass_tuple, &ten_pass_chlo, &ten_pass_quantize, &ten_pass_dce, NULL};
  static const ten_pass *const layout[] = {&ten_pass_layout, &ten_pass_dce, NULL};
  TEN_TRY(isolate(module, func, p));
  const ten_type *type = ten_func_type(p->func);
  p->input_count = type->input_count;
  p->output_count = type->result_count;
  p->donated = ten_alloc(p->input_count + 1);
  for (uint32_t i = 0; i < p->input_count; i++)
    p->donated[i] =
        ten_func_arg_attr(p->func, i, "tf.aliasing_output") || ten_func_arg_attr(p->func, i, "jax.buffer_donor");
  describe_arguments(p);
  TEN_TRY(move_host_ops(p));
  if (style.parts && !gives_up(p)) TEN_TRY(ten_pass_trim.run(p->module));
  TEN_TRY(pjrt_tidy(p->module, p->func, style));
  TEN_TRY(ten_pipeline_run(passes, p->module, NULL));
  cut_weights(p);
  weights_to_arguments(p);
  pjrt_turn_kernels(p);
  TEN_TRY(ten_pipeline_run(layout, p->module, NULL));
  pjrt_outline_activations(p->module, p->func, style);
  type = ten_func_type(p->func);
  TEN_TRY(check_types(p, type->input_count, type->inputs, "argument"));
  TEN_TRY(check_types(p, type->result_count, type->results, "result"));
  TEN_TRY(ten_op_walk(p->module->op, strip_op, NULL));
  strip_list(p->module, p->func, "arg_attrs", type->input_count);
  strip_list(p->module, p->func, "res_attrs", type->result_count);
  TEN_TRY(p->host ? ten_verify(p->host) : NULL);
  return ten_annotate(ten_verify(p->module), "making the program ready for a plugin");
}

ten_status *pjrt_program_make(const ten_module *module, const ten_op *func, pjrt_style style,
                              pjrt_program *out_program) {
  *out_program = (pjrt_program){0};
  ten_status *status = make(module, func, style, out_program);
  if (status) pjrt_program_free(out_program);
  return status;
}

void pjrt_program_free(pjrt_program *program) {
  if (program->module) ten_module_destroy(program->module);
  if (program->host) ten_module_destroy(program->host);
  free(program->constants);
  free(program->donated);
  free(program->arguments);
  free(program->host_results);
  free(program->transposed);
  free(program->transposed_results);
  *program = (pjrt_program){0};
}

ten_status *pjrt_program_write(const pjrt_program *program, ten_vhlo_version target, ten_buf *out) {
  ten_status *status = ten_bytecode_write(program->module, target, out);
  return ten_annotate(status, "writing the program as StableHLO %d.%d.%d", target.major, target.minor, target.patch);
}
