/* program.c: a quantized graph as StableHLO. Each op is a stablehlo.composite named after TFLite's op, with scales and
 * windows in its attributes, and a function of plain integer ops that computes it: any reader of StableHLO gets the
 * same integers, and read.c gets the graph back. Keeps: what is computed, bit for bit; the names of inputs, results and
 * layers. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include "edge/kernels.h"
#include "ir/ten.h"
#include "ir/verify/verify.h"

typedef struct writer {
  const edge_graph *g;
  ten_module *module;
  ten_builder b;      /* at the end of @main */
  ten_value **values; /* by tensor */
  jmp_buf refused;
  ten_status *status;
} writer;

/* Only a graph that was read from a damaged program is refused. */
static void refuse(void *context, const char *reason) {
  writer *w = context;
  w->status = ten_error(TEN_INVALID, "the program does not fit together: %s", reason);
  longjmp(w->refused, 1);
}

static const ten_type *type_of(writer *w, uint32_t tensor) {
  const edge_tensor *t = edge_get(w->g, tensor);
  return ten_type_tensor(w->module, t->dtype, t->rank, t->dims);
}

static ten_value *value_of(writer *w, uint32_t tensor) {
  const edge_tensor *t = edge_get(w->g, tensor);
  if (!w->values[tensor] && t->data) {
    const ten_type *type = type_of(w, tensor);
    w->values[tensor] = ten_build_constant(&w->b, ten_attr_dense(w->module, type, t->data, ten_type_bytes(type)));
  }
  if (!w->values[tensor]) refuse(w, "a tensor is used before it is made");
  return w->values[tensor];
}

static const ten_attr *ints(writer *w, size_t count, const int64_t *values) {
  const int64_t size = (int64_t)count;
  return ten_attr_dense_i64(w->module, 1, &size, values);
}

static const ten_attr *quantization(writer *w, uint32_t tensor) {
  ten_module *m = w->module;
  const edge_tensor *t = edge_get(w->g, tensor);
  if (!t->scales) return ten_attr_dict(m, 0, NULL);
  const int64_t count = (int64_t)t->scale_count;
  const ten_type *type = ten_type_tensor(m, TEN_F32, 1, &count);
  const ten_named_attr items[] = {
      {TEN_STR("scale"), ten_attr_dense(m, type, t->scales, t->scale_count * sizeof *t->scales), false},
      {TEN_STR("zero_point"), ten_attr_i64(m, t->zero_point), false},
      {TEN_STR("axis"), ten_attr_i64(m, t->axis), false}};
  return ten_attr_dict(m, t->scale_count > 1 ? 3 : 2, items);
}

static bool is_ones(const int64_t *pair) { return pair[0] == 1 && pair[1] == 1; }

static const ten_attr *attributes(writer *w, const edge_node *n) {
  ten_module *m = w->module;
  ten_named_attr items[16];
  size_t count = 0;
#define ADD(name, attr) \
  items[count++] = (ten_named_attr) { TEN_STR(name), (attr), false }
  const ten_attr **inputs = ten_arena_new_array(&m->arena, const ten_attr *, n->input_count);
  for (uint32_t i = 0; i < n->input_count; i++) inputs[i] = quantization(w, n->inputs[i]);
  ADD("inputs", ten_attr_array(m, n->input_count, inputs));
  ADD("output", quantization(w, n->output));
  ADD("layer", ten_attr_string(m, edge_get(w->g, n->output)->name));
  if (n->activation)
    ADD("activation", ten_attr_string(m, n->activation == EDGE_ACT_RELU ? TEN_STR("RELU") : TEN_STR("RELU6")));
  if (n->kind == EDGE_LEAKY_RELU) ADD("alpha", ten_attr_f32(m, n->alpha));
  if (n->same) ADD("same", ten_attr_bool(m, true));
  if (n->corners) ADD("corners", ten_attr_bool(m, true));
  if (n->keep) ADD("keep", ten_attr_bool(m, true));
  if (!is_ones(n->stride)) ADD("stride", ints(w, 2, n->stride));
  if (!is_ones(n->dilation)) ADD("dilation", ints(w, 2, n->dilation));
  if (!is_ones(n->window)) ADD("window", ints(w, 2, n->window));
  if (n->kind == EDGE_CONCATENATION) ADD("axis", ten_attr_i64(m, n->axis));
  if (n->list_count) {
    int64_t *list = ten_arena_new_array(&m->arena, int64_t, n->list_count);
    for (uint32_t i = 0; i < n->list_count; i++) list[i] = n->list[i];
    ADD("list", ints(w, n->list_count, list));
  }
#undef ADD
  return ten_attr_dict(m, count, items);
}

/* @tfl.conv_2d.3 computes the op. */
static ten_op *decomposition(writer *w, size_t index, const edge_node *n) {
  ten_module *m = w->module;
  const ten_type **types = ten_arena_new_array(&m->arena, const ten_type *, n->input_count);
  for (uint32_t i = 0; i < n->input_count; i++) types[i] = type_of(w, n->inputs[i]);
  const ten_type *result = type_of(w, n->output);
  char name[64];
  const int size = snprintf(name, sizeof name, "%s.%zu", edge_op_infos[n->kind].composite, index);
  ten_op *func = ten_func_create(m, (ten_str){name, (size_t)size}, n->input_count, types, 1, &result, w->b.loc);
  ten_op_set_attr(m, func, TEN_STR("sym_visibility"), ten_attr_string(m, TEN_STR("private")));
  ten_builder b = ten_builder_in(&w->b, ten_op_body(func, 0));
  ten_value *made = edge_build(&b, w->g, n, b.block->args);
  if (made->type != result) refuse(w, "an op does not give what its type says");
  ten_build_return(&b, 1, &made);
  return func;
}

static void write_node(writer *w, size_t index) {
  ten_module *m = w->module;
  const edge_node *n = &w->g->nodes.data[index];
  ten_value **operands = ten_arena_new_array(&m->arena, ten_value *, n->input_count);
  w->b.loc = ten_loc_import(m, n->loc);
  for (uint32_t i = 0; i < n->input_count; i++) operands[i] = value_of(w, n->inputs[i]);
  const ten_op *func = decomposition(w, index, n);
  const ten_named_attr attrs[] = {
      {TEN_STR("name"), ten_attr_string(m, ten_str_of(edge_op_infos[n->kind].composite)), true},
      {TEN_STR("composite_attributes"), attributes(w, n), true},
      {TEN_STR("decomposition"), ten_attr_symbol(m, ten_func_name(func)), true}};
  const ten_type *type = type_of(w, n->output);
  ten_op *op = ten_build_op(&w->b, TEN_OP_COMPOSITE, n->input_count, operands, 1, &type, 3, attrs, 0);
  w->values[n->output] = &op->results[0];
}

/* What inputs and results are called, as attributes of the function. */
static void write_names(writer *w, ten_op *func, ten_str attribute, size_t count, const uint32_t *tensors) {
  ten_module *m = w->module;
  bool any = false;
  const ten_attr **dicts = ten_arena_new_array(&m->arena, const ten_attr *, count);
  for (size_t i = 0; i < count; i++) {
    const ten_named_attr name = {ten_str_of(ten_name_text(TEN_NAME_NAME)),
                                 ten_attr_string(m, edge_get(w->g, tensors[i])->name), false};
    any |= name.value->string.size > 0;
    dicts[i] = ten_attr_dict(m, name.value->string.size ? 1 : 0, &name);
  }
  if (any) ten_op_set_attr(m, func, attribute, ten_attr_array(m, count, dicts));
}

static void write_all(writer *w, bool all) {
  const edge_graph *g = w->g;
  ten_module *m = w->module;
  const ten_type **types = ten_arena_new_array(&m->arena, const ten_type *, g->inputs.count);
  for (size_t i = 0; i < g->inputs.count; i++) types[i] = type_of(w, g->inputs.data[i]);
  ten_op *func = ten_func_create(m, TEN_STR("main"), (uint32_t)g->inputs.count, types, 0, NULL, NULL);
  w->b = (ten_builder){
      .module = m, .block = ten_op_body(func, 0), .refuse = refuse, .refuse_context = w, .rank_max = EDGE_RANK};
  for (size_t i = 0; i < g->inputs.count; i++) w->values[g->inputs.data[i]] = w->b.block->args[i];
  for (size_t i = 0; i < g->nodes.count; i++) write_node(w, i);
  const size_t count = all ? g->nodes.count : g->outputs.count;
  ten_value **results = ten_arena_new_array(&m->arena, ten_value *, count);
  for (size_t i = 0; i < count; i++) results[i] = value_of(w, all ? g->nodes.data[i].output : g->outputs.data[i]);
  w->b.loc = NULL;
  ten_build_return(&w->b, (uint32_t)count, results);
  ten_func_update_type(m, func);
  write_names(w, func, TEN_STR("arg_attrs"), g->inputs.count, g->inputs.data);
  if (!all) write_names(w, func, TEN_STR("res_attrs"), count, g->outputs.data);
}

ten_status *edge_program(const edge_graph *g, bool all, ten_module **out_module) {
  *out_module = NULL;
  TEN_RECOVER("writing the int8 program");
  writer *w = ten_alloc(sizeof *w);
  *w = (writer){.g = g, .module = ten_module_create()};
  w->values = ten_arena_new_array(&w->module->arena, ten_value *, g->tensors.count + 1);
  if (!_setjmp(w->refused)) write_all(w, all);
  ten_module *module = w->module;
  ten_status *status = w->status;
  free(w);
  if (!status) status = ten_verify(module);
  if (status)
    ten_module_destroy(module);
  else
    *out_module = module;
  return status;
}
