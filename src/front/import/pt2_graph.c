/* pt2_graph.c: nodes → ops. The target is the op's name, each argument an attribute (front/aten/aten.h), each output a
 * result; the location is the innermost frame of the user's code in the stack trace. */
#include "front/import/pt2_graph.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"

enum { DEPTH_MAX = 48 };

void pt2_name_set(pt2_names *names, ten_str key, ten_value *value) {
  if ((names->count + 1) * 2 > names->capacity) {
    pt2_names bigger = {.capacity = names->capacity ? names->capacity * 2 : 64};
    bigger.keys = ten_alloc(bigger.capacity * sizeof *bigger.keys);
    bigger.values = ten_alloc(bigger.capacity * sizeof *bigger.values);
    memset(bigger.values, 0, bigger.capacity * sizeof *bigger.values);
    for (size_t i = 0; i < names->capacity; i++)
      if (names->values[i]) pt2_name_set(&bigger, names->keys[i], names->values[i]);
    pt2_names_free(names);
    *names = bigger;
  }
  size_t slot = ten_hash64(key.data, key.size, 0) & (names->capacity - 1);
  while (names->values[slot] && !ten_str_eq(names->keys[slot], key)) slot = (slot + 1) & (names->capacity - 1);
  if (!names->values[slot]) names->count++;
  names->keys[slot] = key;
  names->values[slot] = value;
}

ten_value *pt2_name_get(const pt2_names *names, ten_str key) {
  if (!names->capacity) return NULL;
  size_t slot = ten_hash64(key.data, key.size, 0) & (names->capacity - 1);
  for (; names->values[slot]; slot = (slot + 1) & (names->capacity - 1))
    if (ten_str_eq(names->keys[slot], key)) return names->values[slot];
  return NULL;
}

void pt2_names_free(pt2_names *names) {
  free(names->keys);
  free(names->values);
  *names = (pt2_names){0};
}

const char *pt2_union(const json_t *object, const json_t **out_value) {
  *out_value = NULL;
  if (!json_is_object(object) || json_object_size(object) != 1) return NULL;
  void *iter = json_object_iter((json_t *)object);
  *out_value = json_object_iter_value(iter);
  return json_object_iter_key(iter);
}

const char *pt2_argument_name(const json_t *argument) {
  const json_t *value;
  const char *kind = pt2_union(argument, &value);
  if (!kind) return NULL;
  if (!strcmp(kind, "as_tensor") || !strcmp(kind, "as_token") || !strcmp(kind, "as_custom_obj"))
    return json_string_value(json_object_get(value, "name"));
  if (!strcmp(kind, "as_sym_int") || !strcmp(kind, "as_sym_float") || !strcmp(kind, "as_sym_bool"))
    return json_string_value(json_object_get(value, "as_name"));
  if (!strcmp(kind, "as_optional_tensor")) return pt2_argument_name(value);
  return NULL;
}

ten_status *pt2_argument_type(const pt2_graph *g, const json_t *argument, const ten_type **out_type) {
  const json_t *value;
  const char *kind = pt2_union(argument, &value);
  *out_type = ten_type_none(g->module);
  const char *name = pt2_argument_name(argument);
  if (!kind || !name) return NULL;
  if (!strcmp(kind, "as_sym_int"))
    *out_type = ten_type_scalar(g->module, TEN_I64);
  else if (!strcmp(kind, "as_sym_float"))
    *out_type = ten_type_scalar(g->module, TEN_F64);
  else if (!strcmp(kind, "as_sym_bool"))
    *out_type = ten_type_scalar(g->module, TEN_I1);
  else if (!strcmp(kind, "as_tensor") || !strcmp(kind, "as_optional_tensor")) {
    const json_t *meta = json_object_get(json_object_get(g->json, "tensor_values"), name);
    /* An unused output may have no description. */
    if (meta) return pt2_tensor_type(g->module, meta, name, out_type);
  }
  return NULL;
}

/* ---- locations of nodes ---- */
static bool frame_is_users(ten_str path) {
  if (!path.size || path.data[0] == '<') return false;
  const ten_str torch = TEN_STR("/torch/");
  if (ten_str_starts(path, "torch/")) return false;
  for (size_t i = 0; i + torch.size <= path.size; i++)
    if (!memcmp(path.data + i, torch.data, torch.size)) return false;
  return true;
}

static const ten_loc *node_loc(ten_module *module, const json_t *node) {
  const char *text = json_string_value(json_object_get(json_object_get(node, "metadata"), "stack_trace"));
  ten_str best = {0}, last = {0};
  unsigned long best_line = 0, last_line = 0;
  for (const char *at = text ? strstr(text, "File \"") : NULL; at; at = strstr(at, "File \"")) {
    at += 6;
    const char *end = strchr(at, '"');
    if (!end) break;
    const char *number = !strncmp(end, "\", line ", 8) ? end + 8 : NULL;
    if (!number) continue;
    last = (ten_str){at, (size_t)(end - at)};
    last_line = strtoul(number, NULL, 10);
    if (frame_is_users(last)) best = last, best_line = last_line;
    at = end;
  }
  if (!best.size) best = last, best_line = last_line;
  if (!best.size || best_line > UINT32_MAX) return NULL;
  return ten_loc_file(module, best, (uint32_t)best_line, 0);
}

/* The innermost module of "key,path,class;key,path,class", which contains the node. Graphs of dynamo have
 * none. */
static void note_layer(ten_module *module, ten_op *op, const json_t *node) {
  const char *text = json_string_value(json_object_get(json_object_get(node, "metadata"), "nn_module_stack"));
  const char *last = text ? strrchr(text, ';') : NULL;
  last = last ? last + 1 : text;
  const char *path = last ? strchr(last, ',') : NULL, *class_name = path ? strchr(path + 1, ',') : NULL;
  if (!class_name || *last == '_') return;
  const ten_str parts[] = {{path + 1, (size_t)(class_name - path - 1)}, ten_str_of(class_name + 1)};
  static const char *const names[] = {"aten.layer", "aten.class"};
  for (size_t i = 0; i < 2; i++)
    ten_op_set_attr(
        module, op, ten_str_of(names[i]),
        ten_attr_string(module, ten_str_of(ten_arena_strdup(&module->arena, parts[i].data, parts[i].size))));
}

/* ---- one node ---- */
typedef struct node_reader {
  pt2_graph *g;
  const char *target;
  TEN_VEC(ten_value *) operands;
  TEN_VEC(ten_named_attr) attrs;
  TEN_VEC(const json_t *) graphs;
  TEN_VEC(const ten_type *) types;
  TEN_VEC(ten_str) names; /* of the results; empty: none */
} node_reader;

static ten_str text_keep(ten_module *module, const char *text) {
  return ten_str_of(ten_arena_strdup(&module->arena, text, strlen(text)));
}

static ten_status *operand_attr(node_reader *n, const char *name, const ten_attr **out) {
  ten_value *value = pt2_name_get(&n->g->names, ten_str_of(name));
  if (!value) return ten_error(TEN_INVALID, "'%s' is used before it is defined", name);
  size_t k = 0;
  while (k < n->operands.count && n->operands.data[k] != value) k++;
  if (k == n->operands.count) ten_vec_push(&n->operands, value);
  *out = ten_attr_int(n->g->module, (int64_t)k, ten_type_scalar(n->g->module, TEN_INDEX));
  return NULL;
}

static double float_read(const json_t *value) {
  const char *text = json_string_value(value);
  if (!text) return json_number_value(value);
  if (!strcmp(text, "Infinity")) return INFINITY;
  if (!strcmp(text, "-Infinity")) return -INFINITY;
  return NAN;
}

static ten_status *argument_attr(node_reader *n, const json_t *argument, uint32_t depth, const ten_attr **out);

typedef enum item_kind {
  ITEM_TENSOR,
  ITEM_UNION,
  ITEM_INT,
  ITEM_FLOAT,
  ITEM_BOOL,
  ITEM_STRING,
  ITEM_INTS,
  ITEM_FLOATS,
  ITEM_TENSORS
} item_kind;

static ten_status *list_attr(node_reader *n, const json_t *list, item_kind kind, uint32_t depth, const ten_attr **out);

static ten_status *item_attr(node_reader *n, const json_t *item, item_kind kind, uint32_t depth, const ten_attr **out) {
  ten_module *module = n->g->module;
  const char *name;
  switch (kind) {
    case ITEM_TENSOR:
      name = json_string_value(json_object_get(item, "name"));
      if (!name) return ten_error(TEN_INVALID, "a tensor without a name");
      return operand_attr(n, name, out);
    case ITEM_UNION: {
      const json_t *value;
      const char *tag = pt2_union(item, &value);
      if (tag && !strcmp(tag, "as_name") && json_is_string(value))
        return operand_attr(n, json_string_value(value), out);
      return argument_attr(n, item, depth + 1, out);
    }
    case ITEM_INT: *out = ten_attr_i64(module, json_integer_value(item)); return NULL;
    case ITEM_FLOAT: *out = ten_attr_float(module, float_read(item), ten_type_scalar(module, TEN_F64)); return NULL;
    case ITEM_BOOL: *out = ten_attr_bool(module, json_is_true(item)); return NULL;
    case ITEM_STRING:
      *out = ten_attr_string(module, text_keep(module, json_is_string(item) ? json_string_value(item) : ""));
      return NULL;
    case ITEM_INTS: return list_attr(n, item, ITEM_INT, depth + 1, out);
    case ITEM_FLOATS: return list_attr(n, item, ITEM_FLOAT, depth + 1, out);
    default: return list_attr(n, item, ITEM_TENSOR, depth + 1, out);
  }
}

static ten_status *list_attr(node_reader *n, const json_t *list, item_kind kind, uint32_t depth, const ten_attr **out) {
  if (!json_is_array(list)) return ten_error(TEN_INVALID, "a list is expected");
  const size_t count = json_array_size(list);
  ten_module *module = n->g->module;
  if (kind == ITEM_INT) {
    int64_t *values = ten_arena_new_array(&module->arena, int64_t, count + 1);
    for (size_t i = 0; i < count; i++) values[i] = json_integer_value(json_array_get(list, i));
    *out = ten_attr_dims(module, count, values);
    return NULL;
  }
  const ten_attr **items = ten_arena_new_array(&module->arena, const ten_attr *, count + 1);
  for (size_t i = 0; i < count; i++) TEN_TRY(item_attr(n, json_array_get(list, i), kind, depth, &items[i]));
  *out = ten_attr_array(module, count, items);
  return NULL;
}

static const char *format_name(int64_t format) {
  static const char *const names[] = {"unknown", "contiguous", "channels_last", "channels_last_3d", "preserve"};
  return format >= 0 && format < 5 ? names[format] : names[0];
}

/* Arguments that are one item, or a list of such. */
static const struct {
  const char *tag;
  item_kind kind;
  bool list;
} argument_kinds[] = {{"as_tensor", ITEM_TENSOR, false},
                      {"as_tensors", ITEM_TENSOR, true},
                      {"as_int", ITEM_INT, false},
                      {"as_ints", ITEM_INT, true},
                      {"as_float", ITEM_FLOAT, false},
                      {"as_floats", ITEM_FLOAT, true},
                      {"as_bool", ITEM_BOOL, false},
                      {"as_bools", ITEM_BOOL, true},
                      {"as_string", ITEM_STRING, false},
                      {"as_strings", ITEM_STRING, true},
                      {"as_sym_int", ITEM_UNION, false},
                      {"as_sym_ints", ITEM_UNION, true},
                      {"as_sym_float", ITEM_UNION, false},
                      {"as_sym_floats", ITEM_UNION, true},
                      {"as_sym_bool", ITEM_UNION, false},
                      {"as_sym_bools", ITEM_UNION, true},
                      {"as_optional_tensor", ITEM_UNION, false},
                      {"as_optional_tensors", ITEM_UNION, true},
                      {"as_operator", ITEM_STRING, false},
                      {"as_int_lists", ITEM_INTS, true},
                      {"as_float_lists", ITEM_FLOATS, true},
                      {"as_nested_tensors", ITEM_TENSORS, true}};

static ten_status *argument_attr(node_reader *n, const json_t *argument, uint32_t depth, const ten_attr **out) {
  ten_module *module = n->g->module;
  const json_t *value;
  const char *tag = pt2_union(argument, &value);
  if (!tag || depth > DEPTH_MAX) return ten_error(TEN_INVALID, "an argument that cannot be read");
  for (size_t i = 0; i < sizeof argument_kinds / sizeof *argument_kinds; i++) {
    if (strcmp(tag, argument_kinds[i].tag)) continue;
    return argument_kinds[i].list ? list_attr(n, value, argument_kinds[i].kind, depth, out)
                                  : item_attr(n, value, argument_kinds[i].kind, depth, out);
  }
  if (!strcmp(tag, "as_none")) return *out = ten_attr_unit(module), NULL;
  if (!strcmp(tag, "as_scalar_type")) {
    const ten_dtype dtype = pt2_dtype(json_integer_value(value));
    if (dtype == TEN_DTYPE_NONE)
      return ten_error(TEN_UNSUPPORTED, "element type %lld is not supported", (long long)json_integer_value(value));
    return *out = ten_attr_type(module, ten_type_scalar(module, dtype)), NULL;
  }
  if (!strcmp(tag, "as_memory_format"))
    return *out = ten_attr_string(module, ten_str_of(format_name(json_integer_value(value)))), NULL;
  if (!strcmp(tag, "as_layout"))
    return *out = ten_attr_string(module, ten_str_of(json_integer_value(value) == 7 ? "strided" : "sparse")), NULL;
  if (!strcmp(tag, "as_device")) {
    const char *type = json_string_value(json_object_get(value, "type"));
    return *out = ten_attr_string(module, text_keep(module, type ? type : "")), NULL;
  }
  if (!strcmp(tag, "as_complex")) {
    const ten_attr *parts[2] = {
        ten_attr_float(module, float_read(json_object_get(value, "real")), ten_type_scalar(module, TEN_F64)),
        ten_attr_float(module, float_read(json_object_get(value, "imag")), ten_type_scalar(module, TEN_F64))};
    return *out = ten_attr_array(module, 2, parts), NULL;
  }
  if (!strcmp(tag, "as_graph")) {
    const json_t *graph = json_object_get(value, "graph");
    if (!json_is_object(graph)) return ten_error(TEN_INVALID, "a graph that cannot be read");
    *out = ten_attr_int(module, (int64_t)n->graphs.count, ten_type_scalar(module, TEN_I32));
    ten_vec_push(&n->graphs, graph);
    return NULL;
  }
  return ten_error(TEN_UNSUPPORTED, "an argument of kind '%s' is not supported", tag);
}

static ten_status *inputs_read(node_reader *n, const json_t *inputs) {
  for (size_t i = 0; i < json_array_size(inputs); i++) {
    const json_t *input = json_array_get(inputs, i);
    const char *name = json_string_value(json_object_get(input, "name"));
    char position[32];
    snprintf(position, sizeof position, "arg%zu", i);
    if (!name || !*name) name = position;
    const ten_attr *attr;
    ten_status *status = argument_attr(n, json_object_get(input, "arg"), 0, &attr);
    if (status) return ten_annotate(status, "reading argument '%s' of %s", name, n->target);
    bool twice = false;
    for (size_t k = 0; k < n->attrs.count; k++) twice |= ten_str_is(n->attrs.data[k].name, name);
    if (twice) return ten_error(TEN_INVALID, "%s has argument '%s' twice", n->target, name);
    ten_vec_push(&n->attrs, (ten_named_attr){.name = text_keep(n->g->module, name), .value = attr});
  }
  return NULL;
}

static ten_status *output_read(node_reader *n, const json_t *output) {
  const json_t *value;
  const char *tag = pt2_union(output, &value);
  if (!tag) return ten_error(TEN_INVALID, "an output of %s cannot be read", n->target);
  if (!strcmp(tag, "as_tensors") || !strcmp(tag, "as_optional_tensors")) {
    const bool plain = !strcmp(tag, "as_tensors");
    for (size_t i = 0; i < json_array_size(value); i++) {
      json_t *item = json_array_get(value, i);
      json_t *wrapped = plain ? json_pack("{s:O}", "as_tensor", item) : json_incref(item);
      ten_status *status = output_read(n, wrapped);
      if (!status && plain) {
        const char *name = json_string_value(json_object_get(item, "name"));
        if (n->names.count) n->names.data[n->names.count - 1] = ten_str_of(name);
      }
      json_decref(wrapped);
      TEN_TRY(status);
    }
    return NULL;
  }
  const ten_type *type;
  TEN_TRY(pt2_argument_type(n->g, output, &type));
  const char *name = pt2_argument_name(output);
  ten_vec_push(&n->types, type);
  ten_vec_push(&n->names, name ? ten_str_of(name) : (ten_str){0});
  return NULL;
}

/* "torch.ops.aten.add.Tensor" → "aten.add.Tensor". */
static ten_str op_name(const char *target) {
  const ten_str name = ten_str_of(target);
  return ten_str_starts(name, "torch.ops.") ? (ten_str){name.data + 10, name.size - 10} : name;
}

static ten_status *region_read(const node_reader *n, ten_op *op, uint32_t r, const json_t *graph) {
  pt2_graph inner = {.module = n->g->module, .json = graph, .depth = n->g->depth + 1};
  if (inner.depth > DEPTH_MAX) return ten_error(TEN_LIMIT, "graphs are nested too deep");
  ten_block *block = ten_block_create(n->g->module, &op->regions[r]);
  inner.b = (ten_builder){.module = n->g->module, .block = block};
  ten_status *status = NULL;
  const json_t *inputs = json_object_get(graph, "inputs"), *outputs = json_object_get(graph, "outputs");
  for (size_t i = 0; i < json_array_size(inputs) && !status; i++) {
    const json_t *input = json_array_get(inputs, i);
    const ten_type *type;
    status = pt2_argument_type(&inner, input, &type);
    if (status) break;
    ten_value *arg = ten_block_add_arg(n->g->module, block, type, NULL);
    const char *name = pt2_argument_name(input);
    if (name) pt2_name_set(&inner.names, ten_str_of(name), arg);
  }
  if (!status) status = pt2_nodes(&inner);
  TEN_VEC(ten_value *) results = {0};
  for (size_t i = 0; i < json_array_size(outputs) && !status; i++) {
    const char *name = pt2_argument_name(json_array_get(outputs, i));
    if (!name) continue;
    ten_value *value = pt2_name_get(&inner.names, ten_str_of(name));
    if (value)
      ten_vec_push(&results, value);
    else
      status = ten_error(TEN_INVALID, "'%s' is returned but not defined", name);
  }
  if (!status) ten_build_return(&inner.b, (uint32_t)results.count, results.data);
  ten_vec_free(&results);
  pt2_names_free(&inner.names);
  return status;
}

/* A check or a print, ordered by a token that it takes and returns; it determines no result. */
static bool is_effect_only(const char *target, const json_t *outputs) {
  bool only = !strcmp(target, "torch.ops.higher_order.with_effects");
  for (size_t i = 1; only && i < json_array_size(outputs); i++)
    only = json_object_get(json_array_get(outputs, i), "as_none") != NULL;
  return only;
}

static ten_status *node_read(node_reader *n, const json_t *node) {
  n->target = json_string_value(json_object_get(node, "target"));
  if (!n->target || !*op_name(n->target).data) return ten_error(TEN_INVALID, "a node without a target");
  if (is_effect_only(n->target, json_object_get(node, "outputs"))) return NULL;
  TEN_TRY(inputs_read(n, json_object_get(node, "inputs")));
  const json_t *outputs = json_object_get(node, "outputs");
  for (size_t i = 0; i < json_array_size(outputs); i++) TEN_TRY(output_read(n, json_array_get(outputs, i)));
  if (n->operands.count > UINT32_MAX / 2 || n->types.count > UINT32_MAX / 2)
    return ten_error(TEN_LIMIT, "%s is too large", n->target);
  const ten_str name = op_name(n->target);
  ten_op *op = ten_build_named(&n->g->b, text_keep(n->g->module, name.data), (uint32_t)n->operands.count,
                               n->operands.data, (uint32_t)n->types.count, n->types.data, (uint32_t)n->attrs.count,
                               n->attrs.data, (uint32_t)n->graphs.count);
  note_layer(n->g->module, op, node);
  if (pt2_copies(n->g, name, node))
    ten_op_set_attr(n->g->module, op, TEN_STR("aten.copies"), ten_attr_unit(n->g->module));
  if (pt2_is_turned(n->g, name, node))
    ten_op_set_attr(n->g->module, op, TEN_STR("aten.transposed"), ten_attr_unit(n->g->module));
  size_t rank;
  int64_t order[PT2_RANK_MAX + 1];
  if (pt2_order(n->g, name, node, &rank, order))
    ten_op_set_attr(n->g->module, op, TEN_STR("aten.order"), ten_attr_dims(n->g->module, rank, order));
  for (uint32_t i = 0; i < n->names.count; i++) {
    if (!n->names.data[i].size) continue;
    op->results[i].name = text_keep(n->g->module, n->names.data[i].data);
    pt2_name_set(&n->g->names, n->names.data[i], &op->results[i]);
  }
  for (uint32_t r = 0; r < n->graphs.count; r++) TEN_TRY(region_read(n, op, r, n->graphs.data[r]));
  return NULL;
}

ten_status *pt2_nodes(pt2_graph *g) {
  if (!json_is_array(json_object_get(g->json, "nodes"))) return ten_error(TEN_INVALID, "the graph has no nodes");
  json_t *nodes;
  TEN_TRY(pt2_vmap(g->json, &nodes));
  ten_status *status = NULL;
  for (size_t i = 0; i < json_array_size(nodes) && !status; i++) {
    const json_t *node = json_array_get(nodes, i);
    g->b.loc = node_loc(g->module, node);
    node_reader n = {.g = g};
    status = node_read(&n, node);
    ten_vec_free(&n.operands);
    ten_vec_free(&n.attrs);
    ten_vec_free(&n.graphs);
    ten_vec_free(&n.types);
    ten_vec_free(&n.names);
    if (status && g->b.loc) status = ten_error_at(status, g->b.loc->name.data, g->b.loc->line, 0);
  }
  json_decref(nodes);
  return status;
}
