/* graph.c: @main from a graph: no archive, no weights. */
#include "front/import/graph.h"

#include "front/import/pt2_graph.h"

/* Expressions of open sizes and numbers (front/aten/other_sizes.c). */
static const ten_attr *sizes_attr(const pt2_graph *g, const char *name) {
  const json_t *number = json_object_get(json_object_get(g->json, "sym_int_values"), name);
  const json_t *sizes = json_object_get(json_object_get(json_object_get(g->json, "tensor_values"), name), "sizes");
  const size_t count = number ? 1 : json_array_size(sizes);
  const ten_attr **texts = ten_arena_new_array(&g->module->arena, const ten_attr *, count + 1);
  bool open = false;
  for (size_t i = 0; i < count; i++) {
    const json_t *size = number ? number : json_array_get(sizes, i);
    const char *text = json_string_value(json_object_get(json_object_get(size, "as_expr"), "expr_str"));
    open |= text != NULL;
    const char *copy = text ? ten_arena_strdup(&g->module->arena, text, strlen(text)) : "";
    texts[i] = ten_attr_string(g->module, ten_str_of(copy));
  }
  const ten_named_attr item = {.name = TEN_STR("aten.sizes"), .value = ten_attr_array(g->module, count, texts)};
  return ten_attr_dict(g->module, open, &item);
}

static ten_status *main_read(pt2_graph *g, ten_op *func) {
  const json_t *inputs = json_object_get(g->json, "inputs"), *outputs = json_object_get(g->json, "outputs");
  const ten_attr **notes = ten_arena_new_array(&g->module->arena, const ten_attr *, json_array_size(inputs) + 1);
  bool open = false;
  for (size_t i = 0; i < json_array_size(inputs); i++) {
    const json_t *input = json_array_get(inputs, i);
    const char *name = pt2_argument_name(input);
    const ten_type *type;
    TEN_TRY(pt2_argument_type(g, input, &type));
    if (!name || type->kind == TEN_TYPE_NONE) return ten_error(TEN_INVALID, "input %zu has no name or type", i);
    ten_value *arg = ten_block_add_arg(g->module, g->b.block, type, NULL);
    arg->name = ten_str_of(ten_arena_strdup(&g->module->arena, name, strlen(name)));
    pt2_name_set(&g->names, ten_str_of(name), arg);
    notes[i] = sizes_attr(g, name);
    open |= notes[i]->dict.count > 0;
  }
  TEN_TRY(pt2_nodes(g));
  g->b.loc = NULL;
  const size_t count = json_array_size(outputs);
  ten_value **results = ten_arena_new_array(&g->module->arena, ten_value *, count + 1);
  for (size_t i = 0; i < count; i++) {
    const char *name = pt2_argument_name(json_array_get(outputs, i));
    results[i] = name ? pt2_name_get(&g->names, ten_str_of(name)) : NULL;
    if (!results[i]) return ten_error(TEN_INVALID, "output %zu is not a value", i);
  }
  ten_build_return(&g->b, (uint32_t)count, results);
  ten_func_update_type(g->module, func);
  if (open)
    ten_op_set_attr(g->module, func, TEN_STR("arg_attrs"), ten_attr_array(g->module, json_array_size(inputs), notes));
  return NULL;
}

ten_status *ten_graph_import(ten_str text, ten_module **out_module) {
  *out_module = NULL;
  TEN_RECOVER("reading the graph");
  json_error_t error;
  json_t *json = json_loadb(text.data, text.size, JSON_ALLOW_NUL, &error);
  if (!json_is_object(json)) {
    json_decref(json);
    return ten_error(TEN_INVALID, "a graph that cannot be read: %s", error.text);
  }
  ten_module *module = ten_module_create();
  ten_op *func = ten_func_create(module, TEN_STR("main"), 0, NULL, 0, NULL, NULL);
  pt2_graph g = {.module = module, .json = json, .b = {.module = module, .block = ten_op_body(func, 0)}};
  ten_status *status = main_read(&g, func);
  pt2_names_free(&g.names);
  json_decref(json);
  if (status) {
    ten_module_destroy(module);
    return status;
  }
  *out_module = module;
  return NULL;
}
