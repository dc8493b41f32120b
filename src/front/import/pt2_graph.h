/* pt2_graph.h: imports the nodes of one graph of an archive as ops of one block. */
#ifndef TEN_IMPORT_PT2_GRAPH_H
#define TEN_IMPORT_PT2_GRAPH_H

#include "front/import/pt2_reader.h"

typedef struct pt2_names {
  ten_str *keys; /* owned table, borrowed strings */
  ten_value **values;
  size_t count, capacity;
} pt2_names;

typedef struct pt2_graph {
  ten_module *module;
  ten_builder b;
  const json_t *json; /* the Graph */
  pt2_names names;    /* values defined in this graph */
  uint32_t depth;
} pt2_graph;

void pt2_name_set(pt2_names *names, ten_str key, ten_value *value);
ten_value *pt2_name_get(const pt2_names *names, ten_str key); /* NULL when absent */
void pt2_names_free(pt2_names *names);

/* The only member of a union object: {"as_int": 3}. NULL when it is something else. */
const char *pt2_union(const json_t *object, const json_t **out_value);
/* The name inside an argument that refers to a value, or NULL when it is a literal. */
const char *pt2_argument_name(const json_t *argument);
/* The type of the value an argument refers to. */
TEN_MUST_USE ten_status *pt2_argument_type(const pt2_graph *g, const json_t *argument, const ten_type **out_type);
/* The op may return a view or a copy of its tensor, and by the strides in the graph it was a copy; contiguous() is one
 * also without strides. */
bool pt2_copies(const pt2_graph *g, ten_str op, const json_t *node);
/* The op uses strides, and its tensor is not row-major: the order of its dimensions in memory, PT2_RANK_MAX + 1 at
 * most; one extra entry where memory also has other elements. */
enum { PT2_RANK_MAX = 64 };
bool pt2_order(const pt2_graph *g, ten_str op, const json_t *node, size_t *out_count, int64_t *order);
/* Other results of the op depend on whether its tensor is row-major, and it is not. */
bool pt2_is_turned(const pt2_graph *g, ten_str op, const json_t *node);
/* The graph's nodes, with those of each torch.vmap joined to one; a new reference. */
TEN_MUST_USE ten_status *pt2_vmap(const json_t *graph, json_t **out_nodes);
/* Appends the ops of every node to g->b's block. */
TEN_MUST_USE ten_status *pt2_nodes(pt2_graph *g);

#endif
