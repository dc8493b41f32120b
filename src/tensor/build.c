/* build.c: recorded operations as an ATen program, and that as StableHLO. */
#include <stdlib.h>

#include "front/aten/aten.h"
#include "ir/assert.h"
#include "ir/builder.h"
#include "tensor/internal.h"

/* ---- walking ---- */
void tensor_graph_free(tensor_graph *graph) {
  ten_vec_free(&graph->nodes);
  ten_vec_free(&graph->inputs);
  ten_vec_free(&graph->outputs);
  ten_vec_free(&graph->key);
}

void tensor_graph_clear(tensor_graph *graph) {
  graph->nodes.count = graph->inputs.count = graph->outputs.count = graph->key.count = 0;
}

static int by_sequence(const void *a, const void *b) {
  const tensor_node *x = *(tensor_node *const *)a, *y = *(tensor_node *const *)b;
  return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

/* A walk from one result along a chain finds its operations from the last to the first. */
static void sort(tensor_graph *graph) {
  tensor_node **nodes = graph->nodes.data;
  const size_t count = graph->nodes.count;
  for (size_t i = 1; i < count; i++)
    if (nodes[i]->sequence > nodes[i - 1]->sequence) {
      qsort(nodes, count, sizeof *nodes, by_sequence);
      return;
    }
  for (size_t i = 0; i < count / 2; i++) {
    tensor_node *swap = nodes[i];
    nodes[i] = nodes[count - 1 - i];
    nodes[count - 1 - i] = swap;
  }
}

/* `number` is -1 but for inputs of the graph at hand. */
static bool is_input(const tensor_operand *operand, bool through) {
  const tensor_result *result = tensor_operand_result(operand);
  if (result->number >= 0 || !operand->node->word_count) return true;
  return result->value && !(through && operand->node->taped);
}

static void visit(ten_device *device, tensor_graph *graph, tensor_node *node) {
  if (node->mark == device->walk) return;
  node->mark = device->walk;
  for (uint32_t i = 0; i < node->result_count; i++) node->results[i].inner = 0;
  ten_vec_push(&graph->nodes, node);
}

static void input_add(tensor_graph *graph, const tensor_operand *operand) {
  tensor_result *result = tensor_operand_result(operand);
  if (result->number >= 0) return;
  result->number = (int64_t)graph->inputs.count;
  ten_vec_push(&graph->inputs, *operand);
}

void tensor_graph_reset(tensor_graph *graph) {
  for (size_t i = 0; i < graph->inputs.count; i++) tensor_operand_result(&graph->inputs.data[i])->number = -1;
}

void tensor_graph_collect(ten_device *device, tensor_graph *graph, size_t root_count, const tensor_operand *roots,
                          size_t cut_count, const tensor_operand *cuts, bool through) {
  device->walk++;
  graph->through = through;
  for (size_t i = 0; i < cut_count; i++) input_add(graph, &cuts[i]);
  for (size_t i = 0; i < root_count; i++)
    if (!is_input(&roots[i], through)) visit(device, graph, roots[i].node);
  for (size_t n = 0; n < graph->nodes.count; n++) {
    tensor_node *node = graph->nodes.data[n];
    for (uint32_t i = 0; i < node->operand_count; i++)
      if (!is_input(&node->operands[i], through)) visit(device, graph, node->operands[i].node);
  }
  sort(graph);
}

static void key_type(tensor_graph *graph, const tensor_result *result) {
  ten_vec_reserve(&graph->key, graph->key.count + 1 + result->rank);
  graph->key.data[graph->key.count++] = (uint64_t)result->dtype << 32 | result->rank;
  for (uint32_t i = 0; i < result->rank; i++) graph->key.data[graph->key.count++] = (uint64_t)result->dims[i];
}

void tensor_graph_key(tensor_graph *graph) {
  const size_t count = graph->nodes.count;
  for (size_t i = 0; i < graph->outputs.count; i++)
    if (is_input(&graph->outputs.data[i], graph->through)) input_add(graph, &graph->outputs.data[i]);
  for (size_t n = 0; n < count; n++) graph->nodes.data[n]->number = (uint32_t)n;
  for (size_t n = 0; n < count; n++) {
    const tensor_node *node = graph->nodes.data[n];
    ten_vec_reserve(&graph->key, graph->key.count + 1 + node->word_count + node->operand_count);
    graph->key.data[graph->key.count++] = (uint64_t)node->word_count << 32 | node->result_count;
    memcpy(&graph->key.data[graph->key.count], node->words, node->word_count * sizeof *node->words);
    graph->key.count += node->word_count;
    for (uint32_t i = 0; i < node->operand_count; i++) {
      const tensor_operand *operand = &node->operands[i];
      if (is_input(operand, graph->through)) {
        input_add(graph, operand);
        ten_vec_push(&graph->key, (uint64_t)tensor_operand_result(operand)->number << 1 | 1);
      } else {
        tensor_operand_result(operand)->inner++;
        ten_vec_push(&graph->key, (uint64_t)operand->node->number << 16 | operand->result << 1);
      }
    }
  }
  ten_vec_push(&graph->key, UINT64_MAX);
  for (size_t i = 0; i < graph->inputs.count; i++) key_type(graph, tensor_operand_result(&graph->inputs.data[i]));
  ten_vec_push(&graph->key, UINT64_MAX);
}

void tensor_graph_key_outputs(tensor_graph *graph) {
  for (size_t i = 0; i < graph->outputs.count; i++) {
    const tensor_operand *output = &graph->outputs.data[i];
    const int64_t number = tensor_operand_result(output)->number;
    ten_vec_push(&graph->key, number >= 0 ? (uint64_t)number << 1 | 1
                                          : (uint64_t)output->node->number << 16 | (uint64_t)output->result << 1);
  }
}

/* ---- building ---- */
typedef struct construction {
  ten_module *module;
  ten_builder b;
  const ten_type *index; /* stands for an operand */
} construction;

static const ten_attr *operand_attr(const construction *c, uint64_t operand) {
  return operand == UINT64_MAX ? ten_attr_unit(c->module) : ten_attr_int(c->module, (int64_t)operand, c->index);
}

static double number_of(uint64_t bits) {
  double number;
  memcpy(&number, &bits, sizeof number);
  return number;
}

static const ten_attr *argument_attr(const ten_device *device, construction *c, uint64_t head, const uint64_t *words) {
  ten_module *m = c->module;
  const size_t count = tensor_head_words(head);
  const ten_type *f64 = ten_type_scalar(m, TEN_F64);
  const ten_attr **items;
  switch (tensor_head_kind(head)) {
    case TEN_ARG_ARRAY: return operand_attr(c, words[0]);
    case TEN_ARG_BOOL: return ten_attr_bool(m, words[0] != 0);
    case TEN_ARG_INT: return ten_attr_i64(m, (int64_t)words[0]);
    case TEN_ARG_FLOAT: return ten_attr_float(m, number_of(words[0]), f64);
    case TEN_ARG_DTYPE: return ten_attr_type(m, ten_type_scalar(m, (ten_dtype)words[0]));
    case TEN_ARG_STRING: return ten_attr_string(m, tensor_text(device, (uint32_t)words[0]));
    case TEN_ARG_INTS: return ten_attr_list(m, TEN_I64, count, words);
    case TEN_ARG_ARRAYS:
    case TEN_ARG_COMPLEX:
    case TEN_ARG_FLOATS:
      items = ten_arena_new_array(&m->arena, const ten_attr *, count + 1);
      for (size_t i = 0; i < count; i++)
        items[i] = tensor_head_kind(head) == TEN_ARG_ARRAYS ? operand_attr(c, words[i])
                                                            : ten_attr_float(m, number_of(words[i]), f64);
      return ten_attr_array(m, count, items);
    default: return ten_attr_unit(m);
  }
}

/* Results of unknown shape are declared so, of the type that an argument `dtype` gives them. */
static ten_op *op_build(const ten_device *device, construction *c, const uint64_t *words, size_t word_count,
                        uint32_t operand_count, ten_value *const *operands, uint32_t result_count,
                        const ten_type *const *types) {
  ten_arena *arena = &c->module->arena;
  ten_named_attr *attrs = ten_arena_new_array(arena, ten_named_attr, word_count + 1);
  uint32_t attr_count = 0;
  ten_dtype dtype = TEN_F32;
  for (size_t i = 1; i < word_count; i += 1 + tensor_head_words(words[i])) {
    const ten_str name = tensor_text(device, tensor_head_name(words[i]));
    if (tensor_head_kind(words[i]) == TEN_ARG_DTYPE) dtype = (ten_dtype)words[i + 1];
    attrs[attr_count++] = (ten_named_attr){.name = {ten_arena_strdup(arena, name.data, name.size), name.size},
                                           .value = argument_attr(device, c, words[i], &words[i + 1])};
  }
  const ten_type **unknown = NULL;
  if (!types) {
    unknown = ten_arena_new_array(arena, const ten_type *, result_count + 1);
    for (uint32_t i = 0; i < result_count; i++)
      unknown[i] = ten_type_tensor_of(c->module, ten_type_scalar(c->module, dtype), false, 0, NULL, NULL);
  }
  const ten_str op = tensor_text(device, (uint32_t)words[0]);
  ten_buf name = {0};
  if (!ten_str_starts(op, "tenfold.")) ten_buf_adds(&name, "aten.");
  ten_buf_addstr(&name, op);
  const ten_str full = {ten_arena_strdup(arena, name.data, name.size), name.size};
  ten_buf_free(&name);
  return ten_build_named(&c->b, full, operand_count, operands, result_count, types ? types : unknown, attr_count, attrs,
                         0);
}

#define NODE_PLACE "node of a graph"

const tensor_node *tensor_graph_failed(const tensor_graph *graph, const ten_status *status) {
  unsigned line;
  const char *place = ten_status_place(status, &line, NULL);
  if (!place || strcmp(place, NODE_PLACE) != 0 || !line || line > graph->nodes.count) return NULL;
  return graph->nodes.data[line - 1];
}

static const ten_type *type_of(ten_module *module, const tensor_result *result) {
  return ten_type_tensor(module, result->dtype, result->rank, result->dims);
}

/* @main with these inputs, ready for ops. */
static ten_op *begin(construction *c, size_t count, const tensor_operand *inputs) {
  c->module = ten_module_create();
  c->index = ten_type_scalar(c->module, TEN_INDEX);
  const ten_type **types = ten_arena_new_array(&c->module->arena, const ten_type *, count + 1);
  for (size_t i = 0; i < count; i++) types[i] = type_of(c->module, tensor_operand_result(&inputs[i]));
  ten_op *func = ten_func_create(c->module, TEN_STR("main"), (uint32_t)count, types, 0, NULL, NULL);
  c->b = (ten_builder){.module = c->module, .block = ten_op_body(func, 0)};
  return func;
}

static ten_status *lower(construction *c, ten_op *func, uint32_t count, ten_value *const *results, bool training,
                         ten_module **out_module) {
  ten_build_return(&c->b, count, results);
  ten_func_update_type(c->module, func);
  const ten_aten_options options = {.training = training};
  ten_status *status = ten_aten_lower(c->module, &options, out_module);
  ten_module_destroy(c->module);
  return status;
}

static ten_status *types_read(const ten_module *module, uint32_t count, tensor_type *types) {
  const ten_op *func = ten_module_entry(module, TEN_STR("main"));
  const ten_op *ret = ten_block_terminator(ten_op_body(func, 0));
  for (uint32_t i = 0; i < count; i++) {
    const ten_type *type = i < ret->operand_count ? ten_op_operand(ret, i)->type : NULL;
    if (!type || !ten_type_is_static(type) || type->rank > TENSOR_RANK_MAX)
      return ten_error(TEN_UNSUPPORTED, "result %u has no shape that is known before it runs", i);
    types[i] = (tensor_type){.dtype = type->dtype, .rank = type->rank};
    if (type->rank) memcpy(types[i].dims, type->dims, type->rank * sizeof *types[i].dims);
  }
  return NULL;
}

static ten_status *find_check(ten_op *op, void *found) {
  *(bool *)found |= ten_op_is_assert(op);
  return NULL;
}

ten_status *tensor_infer(ten_device *device, const uint64_t *words, size_t word_count, uint32_t operand_count,
                         const tensor_operand *operands, uint32_t result_count, tensor_type *types) {
  construction c;
  ten_op *func = begin(&c, operand_count, operands);
  ten_value **args = ten_op_body(func, 0)->args;
  ten_op *op = op_build(device, &c, words, word_count, operand_count, args, result_count, NULL);
  ten_value **results = ten_arena_new_array(&c.module->arena, ten_value *, result_count + 1);
  for (uint32_t i = 0; i < result_count; i++) results[i] = ten_op_result(op, i);
  ten_module *module = NULL;
  TEN_TRY(lower(&c, func, result_count, results, false, &module));
  ten_status *status = types_read(module, result_count, types);
  if (!status) status = ten_op_walk(module->op, find_check, &types[0].checked);
  ten_module_destroy(module);
  return status;
}

ten_status *tensor_graph_lower(ten_device *device, const tensor_graph *graph, bool training, ten_module **out_module) {
  *out_module = NULL;
  construction c;
  ten_op *func = begin(&c, graph->inputs.count, graph->inputs.data);
  ten_value **args = ten_op_body(func, 0)->args;
  ten_arena *arena = &c.module->arena;
  ten_op **ops = ten_arena_new_array(arena, ten_op *, graph->nodes.count + 1);
  for (size_t n = 0; n < graph->nodes.count; n++) {
    const tensor_node *node = graph->nodes.data[n];
    ten_value **operands = ten_arena_new_array(arena, ten_value *, node->operand_count + 1);
    for (uint32_t i = 0; i < node->operand_count; i++) {
      const tensor_result *result = tensor_operand_result(&node->operands[i]);
      operands[i] = result->number >= 0 ? args[result->number]
                                        : ten_op_result(ops[node->operands[i].node->number], node->operands[i].result);
    }
    const ten_type **types = ten_arena_new_array(arena, const ten_type *, node->result_count + 1);
    for (uint32_t i = 0; i < node->result_count; i++) types[i] = type_of(c.module, &node->results[i]);
    /* Its check says which node it is of: of equal graphs, which share a program, each has sites of its own. */
    c.b.loc = node->checked ? ten_loc_file(c.module, TEN_STR(NODE_PLACE), (uint32_t)n + 1, 0) : NULL;
    ops[n] =
        op_build(device, &c, node->words, node->word_count, node->operand_count, operands, node->result_count, types);
  }
  c.b.loc = NULL;
  ten_value **results = ten_arena_new_array(arena, ten_value *, graph->outputs.count + 1);
  for (size_t i = 0; i < graph->outputs.count; i++) {
    const tensor_operand *output = &graph->outputs.data[i];
    const tensor_result *result = tensor_operand_result(output);
    results[i] = result->number >= 0 ? args[result->number] : ten_op_result(ops[output->node->number], output->result);
  }
  return lower(&c, func, (uint32_t)graph->outputs.count, results, training, out_module);
}
