/* pt2_program.c: @main of an archive. User inputs become arguments; parameters, buffers and constants become
 * stablehlo.constant ops that carry their names; tensors that the signature says are mutated become extra results,
 * after the user's. */
#include <stdio.h>
#include <stdlib.h>

#include "front/import/pt2_graph.h"

typedef struct signature {
  pt2_graph g;
  pt2_reader *r;
  ten_op *func;
  TEN_VEC(const ten_attr *) arg_attrs;
  TEN_VEC(ten_value *) results;
  TEN_VEC(const ten_attr *) result_attrs;
} signature;

/* "Symbol('s77', positive=True, integer=True)" → s77; empty when the expression is more than one symbol. */
static ten_str symbol_of(ten_module *module, const char *expression) {
  if (!expression || strncmp(expression, "Symbol('", 8)) return (ten_str){0};
  const char *start = expression + 8, *end = strchr(start, '\''), *close = end ? strchr(end, ')') : NULL;
  if (!close || close[1]) return (ten_str){0};
  return ten_str_of(ten_arena_strdup(&module->arena, start, (size_t)(end - start)));
}

/* For symbolic sizes: the symbol of each, and the sizes at export. */
static const ten_attr *input_attrs(ten_module *module, const json_t *meta, const char *name) {
  const json_t *sizes = json_object_get(meta, "sizes");
  const size_t rank = json_array_size(sizes);
  const ten_attr **symbols = ten_arena_new_array(&module->arena, const ten_attr *, rank + 1);
  int64_t *example = ten_arena_new_array(&module->arena, int64_t, rank + 1);
  bool dynamic = false;
  for (size_t i = 0; i < rank; i++) {
    const json_t *size = json_array_get(sizes, i), *expression = json_object_get(size, "as_expr");
    example[i] = expression ? pt2_int(json_object_get(expression, "hint"), "as_int", -1) : pt2_int(size, "as_int", -1);
    const char *text = json_string_value(json_object_get(expression, "expr_str"));
    symbols[i] = ten_attr_string(module, symbol_of(module, text));
    dynamic |= expression != NULL;
  }
  ten_named_attr items[3] = {
      {.name = TEN_STR("aten.name"),
       .value = ten_attr_string(module, ten_str_of(ten_arena_strdup(&module->arena, name, strlen(name))))},
      {.name = TEN_STR("aten.example"), .value = ten_attr_dims(module, rank, example)},
      {.name = TEN_STR("aten.symbols"), .value = ten_attr_array(module, rank, symbols)}};
  return ten_attr_dict(module, dynamic ? 3 : 1, items);
}

static ten_status *user_input(signature *s, const json_t *argument) {
  const char *name = pt2_argument_name(argument);
  if (!name) return NULL; /* a literal: the program was exported for this value */
  const ten_type *type;
  TEN_TRY(pt2_argument_type(&s->g, argument, &type));
  if (type->kind == TEN_TYPE_NONE) return ten_error(TEN_INVALID, "input '%s' has no type", name);
  ten_value *arg = ten_block_add_arg(s->g.module, s->g.b.block, type, NULL);
  arg->name = ten_str_of(ten_arena_strdup(&s->g.module->arena, name, strlen(name)));
  pt2_name_set(&s->g.names, ten_str_of(name), arg);
  const json_t *meta = json_object_get(json_object_get(s->g.json, "tensor_values"), name);
  ten_vec_push(&s->arg_attrs, input_attrs(s->g.module, meta, name));
  return NULL;
}

static ten_status *lifted_input(signature *s, const json_t *spec, const char *key, const char *kind) {
  const char *fqn = json_string_value(json_object_get(spec, key));
  const char *name = json_string_value(json_object_get(json_object_get(spec, "arg"), "name"));
  if (!fqn || !name) return ten_error(TEN_INVALID, "an input of the signature cannot be read");
  const ten_attr *value;
  TEN_TRY(pt2_weight(s->r, fqn, &value));
  const json_t *payload = json_object_get(json_object_get(s->r->weights, "config"), fqn);
  if (json_is_false(json_object_get(json_object_get(payload, "tensor_meta"), "requires_grad")) &&
      !strcmp(kind, "parameter"))
    kind = "frozen";
  if (json_is_false(json_object_get(spec, "persistent"))) kind = "constant"; /* not in the state_dict */
  ten_value *constant = ten_build_constant(&s->g.b, value);
  ten_module *module = s->g.module;
  ten_op_set_attr(module, constant->op, TEN_STR("aten.name"),
                  ten_attr_string(module, ten_str_of(ten_arena_strdup(&module->arena, fqn, strlen(fqn)))));
  ten_op_set_attr(module, constant->op, TEN_STR("aten.kind"), ten_attr_string(module, ten_str_of(kind)));
  constant->name = ten_str_of(ten_arena_strdup(&module->arena, name, strlen(name)));
  pt2_name_set(&s->g.names, ten_str_of(name), constant);
  return NULL;
}

static ten_status *inputs_read(signature *s, const json_t *specs) {
  for (size_t i = 0; i < json_array_size(specs); i++) {
    const json_t *spec;
    const char *kind = pt2_union(json_array_get(specs, i), &spec);
    if (!kind) return ten_error(TEN_INVALID, "input %zu of the signature cannot be read", i);
    ten_status *status = NULL;
    if (!strcmp(kind, "user_input"))
      status = user_input(s, json_object_get(spec, "arg"));
    else if (!strcmp(kind, "parameter"))
      status = lifted_input(s, spec, "parameter_name", kind);
    else if (!strcmp(kind, "buffer"))
      status = lifted_input(s, spec, "buffer_name", kind);
    else if (!strcmp(kind, "tensor_constant"))
      status = lifted_input(s, spec, "tensor_constant_name", "constant");
    else if (!strcmp(kind, "custom_obj"))
      status = ten_error(TEN_UNSUPPORTED, "the program takes a Python object as a constant");
    TEN_TRY(status);
  }
  return NULL;
}

static ten_status *output_add(signature *s, const json_t *argument, const ten_named_attr *note) {
  const char *name = pt2_argument_name(argument);
  if (!name) return NULL; /* a literal or None: nothing to compute */
  ten_value *value = pt2_name_get(&s->g.names, ten_str_of(name));
  if (!value) return ten_error(TEN_INVALID, "'%s' is returned but not defined", name);
  ten_vec_push(&s->results, value);
  ten_vec_push(&s->result_attrs, ten_attr_dict(s->g.module, note ? 1 : 0, note));
  return NULL;
}

static int64_t input_index(const signature *s, const char *name) {
  ten_value *value = name ? pt2_name_get(&s->g.names, ten_str_of(name)) : NULL;
  return value && value->block == s->g.b.block ? (int64_t)value->index : -1;
}

/* pass 0: the user's results; pass 1: mutated tensors. */
static ten_status *output_read(signature *s, const json_t *entry, int pass) {
  const json_t *spec;
  const char *kind = pt2_union(entry, &spec);
  if (!kind) return ten_error(TEN_INVALID, "an output of the signature cannot be read");
  const json_t *argument = json_object_get(spec, "arg");
  if (!strcmp(kind, "user_output")) return pass == 0 ? output_add(s, argument, NULL) : NULL;
  if (!strcmp(kind, "token")) return NULL;
  const bool mutation = strstr(kind, "mutation") != NULL;
  if (pass != mutation) return NULL;
  json_t *wrapped = json_pack("{s:O}", "as_tensor", argument);
  ten_module *module = s->g.module;
  ten_named_attr note = {.name = TEN_STR("aten.mutates")};
  if (!strcmp(kind, "user_input_mutation")) {
    note.name = TEN_STR("aten.mutates_input");
    note.value = ten_attr_i64(module, input_index(s, json_string_value(json_object_get(spec, "user_input_name"))));
  } else if (mutation) {
    const char *name =
        json_string_value(json_object_get(spec, !strcmp(kind, "buffer_mutation") ? "buffer_name" : "parameter_name"));
    note.value = ten_attr_string(
        module, ten_str_of(ten_arena_strdup(&module->arena, name ? name : "", name ? strlen(name) : 0)));
  }
  ten_status *status =
      wrapped ? output_add(s, wrapped, mutation ? &note : NULL) : ten_error(TEN_INVALID, "an output cannot be read");
  json_decref(wrapped);
  return status;
}

static const ten_attr *ranges_read(ten_module *module, const json_t *ranges) {
  TEN_VEC(ten_named_attr) items = {0};
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)ranges, key, value) {
    const int64_t pair[2] = {pt2_int(value, "min_val", 0), pt2_int(value, "max_val", INT64_MAX)};
    ten_vec_push(&items, (ten_named_attr){.name = ten_str_of(ten_arena_strdup(&module->arena, key, strlen(key))),
                                          .value = ten_attr_dims(module, 2, pair)});
  }
  const ten_attr *attr = items.count ? ten_attr_dict(module, items.count, items.data) : NULL;
  ten_vec_free(&items);
  return attr;
}

static ten_status *main_read(signature *s, const json_t *graph_module) {
  const json_t *spec = json_object_get(graph_module, "signature");
  const json_t *inputs = json_object_get(spec, "input_specs"), *outputs = json_object_get(spec, "output_specs");
  if (!json_is_array(inputs) || !json_is_array(outputs)) return ten_error(TEN_INVALID, "the program has no signature");
  TEN_TRY(inputs_read(s, inputs));
  TEN_TRY(pt2_nodes(&s->g));
  s->g.b.loc = NULL;
  for (int pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < json_array_size(outputs); i++) TEN_TRY(output_read(s, json_array_get(outputs, i), pass));
  ten_build_return(&s->g.b, (uint32_t)s->results.count, s->results.data);
  ten_func_update_type(s->g.module, s->func);
  ten_module *module = s->g.module;
  if (s->arg_attrs.count)
    ten_op_set_attr(module, s->func, TEN_STR("arg_attrs"),
                    ten_attr_array(module, s->arg_attrs.count, s->arg_attrs.data));
  bool any = false; /* a list of empty dictionaries has no pretty form */
  for (size_t i = 0; i < s->result_attrs.count; i++) any |= s->result_attrs.data[i]->dict.count > 0;
  if (any)
    ten_op_set_attr(module, s->func, TEN_STR("res_attrs"),
                    ten_attr_array(module, s->result_attrs.count, s->result_attrs.data));
  const ten_attr *ranges = ranges_read(module, json_object_get(s->r->program, "range_constraints"));
  if (ranges) ten_op_set_attr(module, s->func, TEN_STR("aten.ranges"), ranges);
  return NULL;
}

ten_status *pt2_program(pt2_reader *r) {
  const json_t *graph_module = json_object_get(r->program, "graph_module");
  signature s = {.r = r, .g = {.module = r->module, .json = json_object_get(graph_module, "graph")}};
  if (!json_is_object(s.g.json)) return ten_error(TEN_INVALID, "the program has no graph");
  s.func = ten_func_create(r->module, TEN_STR("main"), 0, NULL, 0, NULL, NULL);
  s.g.b = (ten_builder){.module = r->module, .block = ten_op_body(s.func, 0)};
  ten_status *status = main_read(&s, graph_module);
  pt2_names_free(&s.g.names);
  ten_vec_free(&s.arg_attrs);
  ten_vec_free(&s.results);
  ten_vec_free(&s.result_attrs);
  return status;
}
