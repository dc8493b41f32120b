/* ranges.c: ranges of values of a program on samples, and scales and zero points as unsigned bytes. */
#include <math.h>
#include <stdio.h>

#include "edge/edge_mixed.h"
#include "edge/recognise.h"

ten_status *edge_observe(edge_report *report, ten_module *module, ten_op *func, const char *data,
                         const edge_options *options) {
  edge_graph *g = &report->graph;
  const ten_block *block = ten_op_body(func, 0);
  for (uint32_t i = 0; i < block->arg_count; i++) {
    const ten_type *type = block->args[i]->type;
    ten_str name = ten_func_input_name(func, i);
    char fallback[32];
    if (!name.size) name = (ten_str){fallback, (size_t)snprintf(fallback, sizeof fallback, "input%u", i)};
    if (type->rank > EDGE_RANK) return ten_error(TEN_UNSUPPORTED, "input %u has more than %d dimensions", i, EDGE_RANK);
    ten_vec_push(&g->inputs, edge_tensor_add(g, name, type->rank, type->dims, NULL));
  }
  ten_op *end = ten_block_terminator(block);
  ten_value **results = ten_arena_new_array(&g->arena, ten_value *, end->operand_count + 1);
  const uint32_t count = end->operand_count;
  for (uint32_t i = 0; i < count; i++) results[i] = ten_op_operand(end, i);
  const ten_attr *names = ten_op_attr(func, "res_attrs");
  edge_session *session = NULL;
  ten_status *status = edge_session_open(g, module, func, data, options, &session);
  if (!status) status = edge_session_calibrate(session);
  if (!status) report->samples = edge_session_samples(session);
  edge_session_close(session);
  ten_op_set_operands(module, end, count, results);
  if (names) ten_op_set_attr(module, func, TEN_STR("res_attrs"), names);
  ten_func_update_type(module, func);
  return status;
}

void edge_byte_scale(const edge_tensor *seen, float *out_scale, int64_t *out_zero) {
  const float low = fminf(seen->low, 0), high = fmaxf(seen->high, 0);
  *out_scale = (float)(((double)high - (double)low) / (double)EDGE_LEVELS);
  if (!(*out_scale >= 1e-12f)) *out_scale = 1.0f / (EDGE_LEVELS + 1); /* nothing but zeros */
  *out_zero = (int64_t)fminf(fmaxf(rintf(-low / *out_scale), 0), EDGE_LEVELS);
}

void edge_report_scale(edge_report *report, ten_str name, const char *kind, const ten_type *type, float scale,
                       int64_t zero) {
  ten_buf shape = {0};
  for (uint32_t k = 0; k < type->rank; k++) ten_buf_printf(&shape, "%s%lld", k ? "x" : "", (long long)type->dims[k]);
  ten_arena *arena = &report->graph.arena;
  const edge_layer layer = {.name = {ten_arena_strdup(arena, name.data, name.size), name.size},
                            .kind = ten_str_of(kind),
                            .type = {ten_arena_strdup(arena, shape.data, shape.size), shape.size},
                            .scale = scale,
                            .zero_point = (int32_t)zero,
                            .signal_to_noise = NAN};
  ten_buf_free(&shape);
  ten_vec_push(&report->layers, layer);
}

static ten_status *results_add(edge_report *report, const ten_op *func) {
  const ten_op *end = ten_block_terminator(ten_op_body(func, 0));
  for (uint32_t i = 0; i < end->operand_count; i++) {
    const ten_value *value = ten_op_operand(end, i);
    const ten_type *type = value->type;
    if (type->dtype != TEN_F32 || type->rank > EDGE_RANK || !ten_type_is_static(type) || ten_type_count(type) < 1)
      return ten_error(
          TEN_UNSUPPORTED,
          "result %u has no range: only those of f32 with sizes that are known and up to %d dimensions have", i,
          EDGE_RANK);
    char name[32];
    const ten_str text = {name, (size_t)snprintf(name, sizeof name, "result%u", i)};
    edge_at(&report->graph, edge_tensor_add(&report->graph, text, type->rank, type->dims, NULL))->value = value;
  }
  return end->operand_count ? NULL : ten_error(TEN_INVALID, "the program has no results");
}

ten_status *edge_ranges(ten_module *module, ten_op *func, const char *data, const edge_options *options,
                        edge_report *out_report) {
  *out_report = (edge_report){0};
  edge_graph_init(&out_report->graph);
  if (!data) return ten_error(TEN_INVALID, "ranges need samples: --data");
  TEN_TRY(results_add(out_report, func));
  const size_t count = out_report->graph.tensors.count;
  TEN_TRY(edge_observe(out_report, module, func, data, options));
  for (uint32_t i = 0; i < count; i++) {
    const edge_tensor *t = edge_get(&out_report->graph, i);
    float scale;
    int64_t zero;
    edge_byte_scale(t, &scale, &zero);
    edge_report_scale(out_report, t->name, "result", t->value->type, scale, zero);
  }
  return NULL;
}
