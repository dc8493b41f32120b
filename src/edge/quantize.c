/* quantize.c: the whole way from an f32 program to an int8 one, and how far the one is from the other. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "edge/edge.h"
#include "ir/assert.h"
#include "transform/pass/pass.h"

enum { COMPARED_MOST = 16 }; /* batches */

void edge_report_free(edge_report *report) {
  ten_vec_free(&report->layers);
  edge_graph_free(&report->graph);
}

/* Constants of layers are folded where they are found; this is what has to be one op first. */
static const ten_pass *const passes[] = {
    &ten_pass_tuple,  &ten_pass_inline,   &ten_pass_chlo, &ten_pass_expand, &ten_pass_simplify,
    &ten_pass_affine, &ten_pass_simplify, &ten_pass_cse,  &ten_pass_dce,    NULL};

typedef struct error_sums {
  double signal, noise, error, most;
  size_t count;
} error_sums;

/* Element i of the int8 tensor, as stored, is element `place` of the value. */
static void add_errors(const edge_tensor *t, const ten_tensor *real, const ten_tensor *stored, error_sums *sums) {
  size_t steps[EDGE_RANK], step = 1, at[EDGE_RANK] = {0};
  for (uint32_t i = real->rank; i-- > 0;) steps[i] = step, step *= (size_t)real->dims[i];
  const float *x = real->data;
  const int8_t *q = stored->data;
  const double scale = (double)t->scales[0];
  for (size_t i = 0; i < stored->count; i++) {
    size_t place = 0;
    for (uint32_t d = 0; d < t->rank; d++) place += at[d] * steps[t->order[d]];
    const double wanted = (double)x[place], error = scale * (q[i] - t->zero_point) - wanted;
    sums->signal += wanted * wanted;
    sums->noise += error * error;
    sums->error += fabs(error);
    if (fabs(error) > sums->most) sums->most = fabs(error);
    for (uint32_t d = t->rank; d-- > 0;) {
      if (++at[d] < (size_t)t->dims[d]) break;
      at[d] = 0;
    }
  }
  sums->count += stored->count;
}

/* Inputs in the order and the type that the int8 program takes. */
static ten_status *convert_input(const edge_tensor *t, ten_tensor *x, ten_tensor **out) {
  TEN_TRY(ten_tensor_create(t->dtype, t->rank, t->dims, out));
  size_t steps[EDGE_RANK], step = 1, at[EDGE_RANK] = {0};
  for (uint32_t i = x->rank; i-- > 0;) steps[i] = step, step *= (size_t)x->dims[i];
  const float *data = x->data;
  for (size_t i = 0; i < x->count; i++) {
    size_t place = 0;
    for (uint32_t d = 0; d < t->rank; d++) place += at[d] * steps[t->order[d]];
    if (t->dtype == TEN_F32) {
      ((float *)(*out)->data)[i] = data[place];
    } else {
      const double q = round((double)data[place] / (double)t->scales[0]) + t->zero_point;
      ((int8_t *)(*out)->data)[i] = (int8_t)fmin(fmax(q, EDGE_LOW), EDGE_HIGH);
    }
    for (uint32_t d = t->rank; d-- > 0;) {
      if (++at[d] < (size_t)t->dims[d]) break;
      at[d] = 0;
    }
  }
  return NULL;
}

static ten_status *compare_batch(edge_graph *g, edge_session *session, ten_executable *executable, ten_tensor **outputs,
                                 ten_tensor **converted, error_sums *sums) {
  ten_tensor **inputs, **values;
  TEN_TRY(edge_session_next(session, &inputs, &values));
  ten_status *status = NULL;
  for (size_t i = 0; i < g->inputs.count && !status; i++)
    status = convert_input(edge_get(g, g->inputs.data[i]), inputs[i], &converted[i]);
  if (!status) status = ten_execute(executable, converted, g->inputs.count, NULL, outputs);
  for (size_t i = 0; i < g->nodes.count && !status; i++) {
    const uint32_t tensor = g->nodes.data[i].output;
    if (values[tensor] && edge_get(g, tensor)->dtype == TEN_I8)
      add_errors(edge_get(g, tensor), values[tensor], outputs[i], &sums[i]);
  }
  ten_tensors_release(converted, g->inputs.count);
  ten_tensors_release(outputs, g->nodes.count);
  return status;
}

static void add_layers(edge_report *report, const error_sums *sums) {
  edge_graph *g = &report->graph;
  for (size_t i = 0; i < g->nodes.count; i++) {
    const edge_node *n = &g->nodes.data[i];
    const edge_tensor *t = edge_get(g, n->output);
    if (!sums[i].count || (edge_op_infos[n->kind].moves && n->kind != EDGE_RESIZE_BILINEAR)) continue;
    char shape[EDGE_RANK * 21];
    int size = 0;
    for (uint32_t d = 0; d < t->rank; d++)
      size += snprintf(shape + size, sizeof shape - (size_t)size, "%s%lld", d ? "x" : "", (long long)t->dims[d]);
    const edge_layer layer = {
        .name = t->name,
        .kind = ten_str_of(edge_op_infos[n->kind].builtin),
        .type = {ten_arena_strdup(&g->arena, shape, (size_t)size), (size_t)size},
        .scale = t->scales[0],
        .zero_point = t->zero_point,
        .signal_to_noise = sums[i].noise > 0 ? 10 * log10(sums[i].signal / sums[i].noise) : INFINITY,
        .mean_error = sums[i].error / (double)sums[i].count,
        .max_error = sums[i].most};
    ten_vec_push(&report->layers, layer);
  }
}

/* Every layer of the int8 program against the f32 program, on some of the data. */
static ten_status *compare(edge_report *report, edge_session *session, const edge_options *options) {
  edge_graph *g = &report->graph;
  ten_module *module;
  TEN_TRY(edge_program(g, true, &module));
  ten_executable *executable = NULL;
  ten_status *status = ten_compile(options->device, module, ten_module_entry(module, TEN_STR("main")),
                                   &(ten_settings){.transient = true}, &executable);
  ten_tensor **outputs = ten_arena_new_array(&g->arena, ten_tensor *, g->nodes.count + 1),
             **converted = ten_arena_new_array(&g->arena, ten_tensor *, g->inputs.count + 1);
  error_sums *sums = ten_arena_new_array(&g->arena, error_sums, g->nodes.count + 1);
  const int64_t most = edge_session_batches(session) < COMPARED_MOST ? edge_session_batches(session) : COMPARED_MOST;
  for (int64_t i = 0; i < most && !status; i++)
    status = compare_batch(g, session, executable, outputs, converted, sums);
  if (!status) add_layers(report, sums);
  if (executable) ten_executable_release(executable);
  ten_module_destroy(module);
  return status;
}

ten_status *edge_prepare(ten_module *module, ten_op **func) {
  ten_asserts_strip(module);
  const ten_str name = ten_func_name(*func);
  TEN_TRY(ten_pipeline_run(passes, module, NULL));
  *func = ten_module_find(module, name);
  return *func ? NULL : ten_error(TEN_INTERNAL, "the function @%.*s is gone", TEN_FMT(name));
}

static ten_status *quantize(ten_module *module, ten_op *func, const char *data, const edge_options *options,
                            edge_report *report, ten_module **out_module) {
  edge_graph *g = &report->graph;
  TEN_TRY(edge_recognise(module, func, &options->shape, g));
  edge_session *session = NULL;
  ten_status *status = data ? edge_session_open(g, module, func, data, options, &session) : NULL;
  if (!status && session) status = edge_session_calibrate(session);
  if (!status) status = edge_parameters(g, options);
  if (!status) status = edge_program(g, false, out_module);
  if (!status && session) status = compare(report, session, options);
  if (session) report->samples = edge_session_samples(session);
  edge_session_close(session);
  return status;
}

ten_status *edge_quantize(ten_module *module, ten_op *func, const char *data, const edge_options *options,
                          edge_report *out_report, ten_module **out_module) {
  *out_module = NULL;
  *out_report = (edge_report){0};
  edge_graph_init(&out_report->graph);
  TEN_RECOVER("quantizing");
  TEN_TRY(edge_prepare(module, &func));
  ten_status *status = quantize(module, func, data, options, out_report, out_module);
  if (status && *out_module) ten_module_destroy(*out_module), *out_module = NULL;
  return status;
}
