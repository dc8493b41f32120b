/* pt2_vmap.c: torch.vmap in archives. The mapped ops are between two marks (_vmap_increment_nesting and
 * _vmap_decrement_nesting) and work on single examples; separate ops add a batch dimension to tensors and remove it,
 * _add_batch_dim(x, dim, level) and _remove_batch_dim(y, level, size, dim). Each such range of nodes becomes one node,
 * tenfold.vmap, whose graph processes one example: it is lowered as a loop over them (front/aten/control.c).
 */
#include "front/import/pt2_graph.h"
#include "ir/ten.h"

#include <stdlib.h>

enum { DEPTH_MAX = 16 };
static const char PREFIX[] = "torch._functorch.predispatch.";

typedef struct reader {
  const json_t *graph, *nodes;
  size_t at;
} reader;

/* The part of a mark's name after the prefix; NULL: some other node. */
static const char *mark(const json_t *node) {
  const char *target = json_string_value(json_object_get(node, "target"));
  return target && !strncmp(target, PREFIX, sizeof PREFIX - 1) ? target + sizeof PREFIX - 1 : NULL;
}

static bool is_mark(const json_t *node, const char *name) {
  const char *found = mark(node);
  return found && !strcmp(found, name);
}

static const json_t *argument(const json_t *node, size_t i) {
  return json_object_get(json_array_get(json_object_get(node, "inputs"), i), "arg");
}

/* The list form of a union key: "as_sym_ints" for "as_sym_int". */
static const char *symbol_tag(const char *tag) {
  if (!strncmp(tag, "as_sym_float", 12)) return "as_sym_float";
  return !strncmp(tag, "as_sym_bool", 11) ? "as_sym_bool" : "as_sym_int";
}

/* Adds to `free` the values that an argument refers to and `known` lacks, each once. */
static void refer(const json_t *value, const char *tag, json_t *known, json_t *free, uint32_t depth) {
  if (depth > DEPTH_MAX) return;
  const json_t *item;
  size_t i;
  if (json_is_array(value)) {
    json_array_foreach(value, i, item) refer(item, tag, known, free, depth + 1);
    return;
  }
  const char *key;
  json_object_foreach((json_t *)value, key, item) {
    const char *name = json_string_value(item);
    const bool tensor = !strcmp(key, "name"), symbol = !strcmp(key, "as_name");
    if (!strcmp(key, "as_graph") || !strcmp(key, "as_expr")) continue; /* graphs take all they use as arguments */
    if (!(tensor || symbol) || !name) {
      refer(item, key, known, free, depth + 1);
      continue;
    }
    if (json_object_get(known, name)) continue;
    json_object_set_new(known, name, json_true());
    json_array_append_new(free, tensor ? json_pack("{s:{s:s}}", "as_tensor", "name", name)
                                       : json_pack("{s:{s:s}}", symbol_tag(tag), "as_name", name));
  }
}

static void define(const json_t *node, json_t *known) {
  json_t *names = json_array();
  refer(json_object_get(node, "outputs"), "", known, names, 0);
  json_decref(names);
}

static json_t *input(json_t *argument) { return json_pack("{s:s,s:o}", "name", "", "arg", argument); }

/* Joins the nodes between two marks to one. `first` is the opening mark: it has the user's line. */
static ten_status *join(const reader *r, const json_t *first, const json_t *inside, json_t **out) {
  json_t *known = json_object(), *inputs = json_array(), *extra = json_array(), *xs = json_array();
  json_t *in_dims = json_array(), *out_dims = json_array(), *body = json_array(), *results = json_array();
  json_t *outputs = json_array();
  ten_status *status = NULL;
  const json_t *node;
  size_t i;
  json_array_foreach(inside, i, node) {
    const bool enters = is_mark(node, "_add_batch_dim"), leaves = is_mark(node, "_remove_batch_dim");
    const json_t *tensor = argument(node, 0), *dim = json_object_get(argument(node, enters ? 1 : 3), "as_int");
    json_t *made = json_array_get(json_object_get(node, "outputs"), 0);
    if (!enters && !leaves) {
      json_array_append(body, (json_t *)node);
      const json_t *given;
      size_t k;
      json_array_foreach(json_object_get(node, "inputs"), k, given)
          refer(json_object_get(given, "arg"), "", known, extra, 0);
      define(node, known);
      continue;
    }
    if (!json_is_object(json_object_get(tensor, "as_tensor")) || !json_is_integer(dim) || !made) {
      status = ten_error(TEN_INVALID, "a batch dimension that cannot be read");
      break;
    }
    if (leaves) {
      refer(tensor, "", known, extra, 0); /* not mapped: the same for each */
      json_array_append(results, (json_t *)tensor);
      json_array_append(out_dims, (json_t *)dim);
      json_array_append(outputs, made);
    } else {
      json_array_append(xs, json_object_get(tensor, "as_tensor"));
      json_array_append(in_dims, (json_t *)dim);
      json_array_append(inputs, made);
      define(node, known);
    }
  }
  if (!status && !json_array_size(xs)) status = ten_error(TEN_INVALID, "vmap maps no input");
  json_array_extend(inputs, extra);
  if (!status) {
    json_t *graph = json_copy((json_t *)r->graph);
    json_object_set(graph, "inputs", inputs);
    json_object_set(graph, "outputs", results);
    json_object_set(graph, "nodes", body);
    json_t *all = json_array();
    json_array_append_new(all, input(json_pack("{s:{s:s,s:o}}", "as_graph", "name", "vmap", "graph", graph)));
    json_array_append_new(all, input(json_pack("{s:O}", "as_tensors", xs)));
    json_array_append_new(all, input(json_pack("{s:O}", "as_optional_tensors", extra)));
    json_array_append_new(all, input(json_pack("{s:O}", "as_ints", in_dims)));
    json_array_append_new(all, input(json_pack("{s:O}", "as_ints", out_dims)));
    *out = json_pack("{s:s,s:o,s:O}", "target", ten_name_text(TEN_NAME_VMAP), "inputs", all, "outputs", outputs);
    json_object_set(*out, "metadata", json_object_get(first, "metadata"));
  }
  json_t *const made[] = {known, inputs, extra, xs, in_dims, out_dims, body, results, outputs};
  for (i = 0; i < sizeof made / sizeof *made; i++) json_decref(made[i]);
  return status;
}

/* Nodes up to the mark that ends this range, or to the end. */
static ten_status *stretch(reader *r, uint32_t depth, json_t *out) {
  if (depth > DEPTH_MAX) return ten_error(TEN_LIMIT, "vmap is nested too deep");
  for (; r->at < json_array_size(r->nodes); r->at++) {
    json_t *node = json_array_get(r->nodes, r->at);
    if (is_mark(node, "lazy_load_decompositions")) continue;
    if (is_mark(node, "_vmap_decrement_nesting") && depth) return NULL;
    if (!is_mark(node, "_vmap_increment_nesting")) {
      json_array_append(out, node);
      continue;
    }
    r->at++;
    json_t *inside = json_array(), *made = NULL;
    ten_status *status = stretch(r, depth + 1, inside);
    if (!status) status = join(r, node, inside, &made);
    json_decref(inside);
    if (status) return status;
    json_array_append_new(out, made);
  }
  return depth ? ten_error(TEN_INVALID, "vmap does not end") : NULL;
}

ten_status *pt2_vmap(const json_t *graph, json_t **out_nodes) {
  reader r = {graph, json_object_get(graph, "nodes"), 0};
  const json_t *node;
  size_t i;
  bool any = false;
  json_array_foreach(r.nodes, i, node) any |= is_mark(node, "_vmap_increment_nesting");
  if (!any) return *out_nodes = json_incref((json_t *)r.nodes), NULL;
  json_t *nodes = json_array();
  ten_status *status = stretch(&r, 0, nodes);
  if (status) return json_decref(nodes), status;
  return *out_nodes = nodes, NULL;
}
