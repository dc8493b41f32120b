/* mixed.c: an f32 program whose convolutions and matmuls by constant weights are in int8, for the kernels of the cpu
 * backend. Every other op stays as it is.
 *
 * Inputs of those ops become unsigned bytes with one scale and zero point each, from calibration; weights become signed
 * bytes with a scale for each output; sums are 32-bit, and are scaled back to f32 at once:
 *
 *   q = round(clamp(x / s + z, 0, 255));  y = (Σ (q - z)·w) · (s·s_w)
 *
 * In a network of convolutions, every other reader of such an input gets it from the bytes, (q - z)·s, so that only
 * bytes are in memory between layers; where two convolutions are added, the first is stored as bytes as well, and a
 * maximum over windows is taken of bytes. A matmul's input stays f32 for others: transformers lose too much otherwise.
 * Needs: an inlined, simplified function.  Keeps: types, names and order of inputs and results. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "edge/edge.h"
#include "edge/edge_mixed.h"
#include "edge/recognise.h"
#include "ir/assert.h"
#include "ir/builder.h"
#include "transform/pass/pass.h"

enum { WEIGHT_MOST = 127, CHAIN_MOST = 16, VECTOR_MOST = 1 << 14 };

/* A convolution or matmul in int8. */
typedef struct site {
  ten_op *op;
  const ten_tensor *weights; /* owned by the graph */
  int64_t feature;           /* dimension of the weights that is the outputs' */
  int64_t result_feature;    /* and of the result */
  ten_value *base;           /* its input before transposes and reshapes */
  uint32_t tensor;
} site;

typedef struct stored {
  ten_value *value, *bytes; /* bytes: once there are any */
  ten_value *scaled;        /* what is clamped and rounded to them */
  bool shared;              /* every reader gets the bytes */
  float scale;
  int64_t zero;
} stored;

/* What moves, or is a maximum of, elements of a stored tensor; likewise in bytes. */
typedef struct moved {
  const ten_value *value;
  ten_value *bytes;
} moved;

typedef struct mixing {
  ten_module *module;
  ten_op *func;
  edge_report *report;
  TEN_VEC(site) sites;
  TEN_VEC(stored) tensors; /* the graph's, in order */
  TEN_VEC(moved) moved;
  uint32_t total; /* convolutions and matmuls of the program */
} mixing;

static bool is_f32(const ten_value *value) {
  return value->type->dtype == TEN_F32 && ten_type_is_static(value->type) && ten_type_count(value->type) > 0;
}

static bool moves(const ten_op *op) { return op->code == TEN_OP_TRANSPOSE || op->code == TEN_OP_RESHAPE; }

/* A maximum over windows, whose padding never wins. */
static bool is_max_pool(const ten_op *op) {
  if (!op || op->code != TEN_OP_REDUCE_WINDOW || op->result_count != 1 || op->operand_count != 2) return false;
  const ten_block *body = ten_op_body(op, 0);
  const ten_attr *init = ten_value_number(ten_op_operand(op, 1));
  return body->first->code == TEN_OP_MAXIMUM && body->first->next == body->last && init && init->dense.data &&
         *(const float *)init->dense.data == -INFINITY;
}

static ten_value *base_of(ten_value *value) {
  while (value->op && (moves(value->op) || is_max_pool(value->op))) value = ten_op_operand(value->op, 0);
  return value;
}

/* The tensor of the value, which is made if need be; EDGE_NONE: it cannot be stored as bytes. */
static uint32_t tensor_of(mixing *m, ten_value *value) {
  for (size_t i = 0; i < m->tensors.count; i++)
    if (m->tensors.data[i].value == value) return (uint32_t)i;
  if (value->type->rank > EDGE_RANK || !is_f32(value)) return EDGE_NONE;
  edge_graph *g = &m->report->graph;
  const ten_str name = value->op ? edge_name_of(value->op) : ten_func_input_name(m->func, value->index);
  const uint32_t tensor = edge_tensor_add(g, name, value->type->rank, value->type->dims, NULL);
  edge_at(g, tensor)->value = value;
  ten_vec_push(&m->tensors, (stored){.value = value});
  return tensor;
}

/* Which dimension of the result is the weights' only other one; false: not that simple. */
static bool features_of(site *s) {
  const ten_op *op = s->op;
  const ten_type *w = ten_op_operand(op, 1)->type;
  if (op->code == TEN_OP_CONVOLUTION) {
    const ten_conv_dims d = ten_conv_dims_of(ten_op_attr(op, "dimension_numbers"));
    s->feature = d.kernel_output_feature, s->result_feature = d.output_feature;
    return w->rank == 4 && ten_op_int(op, "batch_group_count", 1) == 1;
  }
  const ten_dot_dims d = ten_dot_dims_of(ten_op_attr(op, "dot_dimension_numbers"));
  if (w->rank != 2 || d.rhs_contract.count != 1 || d.rhs_batch.count) return false;
  s->feature = 1 - d.rhs_contract.data[0], s->result_feature = (int64_t)op->results[0].type->rank - 1;
  return true;
}

static void add_site(mixing *m, ten_op *op) {
  site s = {.op = op};
  m->total++;
  if (!is_f32(&op->results[0]) || !is_f32(ten_op_operand(op, 0)) || !is_f32(ten_op_operand(op, 1)) || !features_of(&s))
    return;
  s.base = base_of(ten_op_operand(op, 0));
  recogniser known = {.g = &m->report->graph};
  s.weights = edge_known(&known, ten_op_operand(op, 1));
  if (!s.weights || edge_known(&known, s.base)) return;
  s.tensor = tensor_of(m, s.base);
  if (s.tensor == EDGE_NONE) return;
  m->tensors.data[s.tensor].shared |= op->code == TEN_OP_CONVOLUTION;
  ten_vec_push(&m->sites, s);
}

/* The convolution at the end of a chain of elementwise ops with constants, or NULL. */
static const ten_op *conv_behind(const mixing *m, const ten_value *value) {
  for (int i = 0; i < CHAIN_MOST && value->op; i++) {
    const ten_op *op = value->op;
    for (size_t k = 0; k < m->sites.count; k++)
      if (m->sites.data[k].op == op) return op->code == TEN_OP_CONVOLUTION ? op : NULL;
    if (!ten_op_has(op, TEN_TRAIT_ELEMENTWISE | TEN_TRAIT_BROADCASTS_SCALARS) || op->operand_count > 2) return NULL;
    const ten_op *first = ten_op_operand(op, 0)->op;
    const bool constant = first && (first->code == TEN_OP_CONSTANT || first->code == TEN_OP_BROADCAST_IN_DIM);
    value = ten_op_operand(op, constant && op->operand_count == 2 ? 1 : 0);
  }
  return NULL;
}

/* Of two convolutions that are added, one is computed inside the addition; the first is stored. */
static void share_sum(mixing *m, ten_op *op) {
  ten_value *x = ten_op_operand(op, 0), *y = ten_op_operand(op, 1);
  const ten_op *a = conv_behind(m, x), *b = conv_behind(m, y);
  if (!a || !b || a == b) return;
  bool first = false; /* whether a comes before b */
  for (const ten_op *at = a; at && !first; at = at->next) first = at == b;
  const uint32_t tensor = tensor_of(m, first ? x : y);
  if (tensor != EDGE_NONE) m->tensors.data[tensor].shared = true;
}

static ten_status *clear_known(ten_op *op, void *context) {
  (void)context;
  op->data = NULL; /* of constants that were computed */
  return NULL;
}

static ten_status *find_sites(mixing *m) {
  const ten_block *block = ten_op_body(m->func, 0);
  TEN_TRY(ten_op_walk(m->module->op, clear_known, NULL));
  for (ten_op *op = block->first; op; op = op->next)
    if (op->code == TEN_OP_CONVOLUTION || op->code == TEN_OP_DOT_GENERAL) add_site(m, op);
  for (ten_op *op = block->first; op; op = op->next)
    if (op->code == TEN_OP_ADD && is_f32(&op->results[0])) share_sum(m, op);
  return ten_op_walk(m->module->op, clear_known, NULL);
}

/* x in bytes, right after it is computed. */
static void make_bytes(mixing *m, stored *t) {
  ten_block *block = t->value->op ? t->value->op->block : t->value->block;
  ten_builder b = {.module = m->module,
                   .block = block,
                   .before = t->value->op ? t->value->op->next : block->first,
                   .loc = t->value->op ? t->value->op->loc : m->func->loc};
  struct {
    TEN_VEC(ten_use) list;
  } uses = {0};
  for (const ten_use *use = t->value->uses; use; use = use->next)
    if (!ten_op_has(use->owner, TEN_TRAIT_TERMINATOR)) ten_vec_push(&uses.list, *use);
  ten_value *steps =
      ten_build_binary(&b, TEN_OP_MULTIPLY, t->value, ten_build_like(&b, t->value, 1 / (double)t->scale));
  if (t->zero) steps = ten_build_binary(&b, TEN_OP_ADD, steps, ten_build_like(&b, steps, (double)t->zero));
  t->scaled = steps;
  steps = ten_build_clamp(&b, ten_build_like(&b, steps, 0), steps, ten_build_like(&b, steps, EDGE_LEVELS));
  t->bytes = ten_build_convert(&b, ten_build_unary(&b, TEN_OP_ROUND_NEAREST_EVEN, steps), TEN_UI8);
  if (t->shared) {
    ten_value *real = ten_build_convert(&b, t->bytes, TEN_F32);
    if (t->zero) real = ten_build_binary(&b, TEN_OP_SUBTRACT, real, ten_build_like(&b, real, (double)t->zero));
    real = ten_build_binary(&b, TEN_OP_MULTIPLY, real, ten_build_like(&b, real, (double)t->scale));
    for (size_t i = 0; i < uses.list.count; i++)
      ten_op_set_operand(uses.list.data[i].owner, uses.list.data[i].index, real);
  }
  ten_vec_free(&uses.list);
}

static void max_body(ten_builder *b, ten_value *const *args, void *context) {
  (void)context;
  ten_value *y = ten_build_binary(b, TEN_OP_MAXIMUM, args[0], args[1]);
  ten_build_return(b, 1, &y);
}

/* The site's input as bytes: what moved the real elements, or took their maximum, is done to the bytes. `depth`: how
 * many such ops there are; the base itself is no longer their operand where it is shared. */
static ten_value *bytes_of(mixing *m, const ten_value *value, const stored *t, uint32_t depth) {
  if (!depth) return t->bytes;
  for (size_t i = 0; i < m->moved.count; i++)
    if (m->moved.data[i].value == value) return m->moved.data[i].bytes;
  ten_op *op = value->op;
  ten_value *from = bytes_of(m, ten_op_operand(op, 0), t, depth - 1);
  ten_builder b = {.module = m->module, .block = op->block, .before = op, .loc = op->loc};
  moved made = {.value = value};
  if (moves(op)) {
    const ten_type *type = ten_type_with_dtype(m->module, value->type, TEN_UI8);
    made.bytes = ten_op_result(ten_build_op(&b, op->code, 1, &from, 1, &type, op->attr_count, op->attrs, 0), 0);
  } else {
    const ten_window window = ten_op_window(m->module, op);
    ten_value *init = ten_build_scalar_int(&b, TEN_UI8, 0);
    made.bytes = ten_op_result(ten_build_reduce_window(&b, 1, &from, &init, &window, max_body, NULL), 0);
  }
  ten_vec_push(&m->moved, made);
  return made.bytes;
}

static uint32_t depth_of(const ten_value *value, const ten_value *base) {
  uint32_t depth = 0;
  for (; value != base; value = ten_op_operand(value->op, 0)) depth++;
  return depth;
}

/* Weights in bytes, and for each output what a sum is multiplied with. */
static ten_value *make_weights(mixing *m, ten_builder *b, const site *s, float scale, float *factors) {
  const ten_type *type = ten_op_operand(s->op, 1)->type;
  const size_t count = (size_t)ten_type_count(type), features = (size_t)type->dims[s->feature];
  size_t step = 1;
  for (uint32_t i = (uint32_t)s->feature + 1; i < type->rank; i++) step *= (size_t)type->dims[i];
  const float *real = s->weights->data;
  int8_t *data = ten_arena_new_array(&m->module->arena, int8_t, count);
  float *most = ten_arena_new_array(&m->module->arena, float, features);
  for (size_t i = 0; i < count; i++) most[i / step % features] = fmaxf(most[i / step % features], fabsf(real[i]));
  for (size_t i = 0; i < features; i++) most[i] = most[i] > 0 ? most[i] / (float)WEIGHT_MOST : 1;
  for (size_t i = 0; i < count; i++) {
    const float q = rintf(real[i] / most[i / step % features]);
    data[i] = (int8_t)fminf(fmaxf(q, -WEIGHT_MOST), WEIGHT_MOST);
  }
  for (size_t i = 0; i < features; i++) factors[i] = (float)((double)scale * (double)most[i]);
  return ten_build_constant(b, ten_attr_dense(m->module, ten_type_with_dtype(m->module, type, TEN_I8), data, count));
}

static void rewrite(mixing *m, const site *s, uint32_t depth) {
  ten_op *op = s->op;
  const stored *t = &m->tensors.data[s->tensor];
  ten_builder b = {.module = m->module, .block = op->block, .before = op, .loc = op->loc};
  const int64_t features = s->weights->dims[s->feature];
  float *factors = ten_arena_new_array(&m->module->arena, float, (size_t)features);
  ten_value *w = ten_build_convert(&b, make_weights(m, &b, s, t->scale, factors), TEN_I32);
  ten_value *x = ten_build_convert(&b, bytes_of(m, ten_op_operand(op, 0), t, depth), TEN_I32);
  if (t->zero) x = ten_build_binary(&b, TEN_OP_SUBTRACT, x, ten_build_like(&b, x, (double)t->zero));
  ten_value *operands[] = {x, w};
  const ten_type *type = ten_type_with_dtype(m->module, op->results[0].type, TEN_I32);
  ten_value *sums = ten_op_result(ten_build_op(&b, op->code, 2, operands, 1, &type, op->attr_count, op->attrs, 0), 0);
  ten_value *real = ten_build_convert(&b, sums, TEN_F32);
  const ten_type *list = ten_type_tensor(m->module, TEN_F32, 1, &features);
  ten_value *factor =
      ten_build_constant(&b, ten_attr_dense(m->module, list, factors, (size_t)features * sizeof *factors));
  factor = ten_build_broadcast(&b, factor, real->type->rank, real->type->dims, &s->result_feature);
  ten_value_replace(&op->results[0], ten_build_binary(&b, TEN_OP_MULTIPLY, real, factor));
  ten_op_erase(op);
}

static void choose_scales(mixing *m) {
  for (size_t i = 0; i < m->tensors.count; i++) {
    stored *t = &m->tensors.data[i];
    edge_byte_scale(edge_get(&m->report->graph, (uint32_t)i), &t->scale, &t->zero);
  }
}

static void add_layers(mixing *m) {
  for (size_t i = 0; i < m->sites.count; i++) {
    const site *s = &m->sites.data[i];
    const char *kind = s->op->code == TEN_OP_CONVOLUTION ? "convolution" : "matmul";
    const stored *t = &m->tensors.data[s->tensor];
    edge_report_scale(m->report, edge_name_of(s->op), kind, s->base->type, t->scale, t->zero);
  }
}

/* Scales and zero points go into factors and biases where nothing but bytes is read. */
static void fold_scales(mixing *m) {
  for (size_t i = 0; i < m->tensors.count; i++) {
    const stored *t = &m->tensors.data[i];
    if (!t->value->uses || t->value->uses->next) continue;
    const ten_builder b = {
        .module = m->module, .block = t->scaled->op->block, .before = t->scaled->op, .loc = t->scaled->op->loc};
    ten_value *folded = edge_fold_scale(b, t->value, 1 / (double)t->scale, (double)t->zero);
    if (folded) ten_value_replace(t->scaled, folded);
  }
}

/* Vectors that constants alone decide, such as a bias with its batch norm, are computed now. */
static ten_status *fold_vectors(mixing *m) {
  TEN_TRY(ten_op_walk(m->module->op, clear_known, NULL));
  recogniser known = {.g = &m->report->graph};
  for (ten_op *op = ten_op_body(m->func, 0)->first; op; op = op->next) {
    ten_value *from = op->code == TEN_OP_BROADCAST_IN_DIM ? ten_op_operand(op, 0) : NULL;
    if (!from || !is_f32(from) || ten_value_constant(from) || ten_type_count(from->type) > VECTOR_MOST) continue;
    const ten_tensor *x = edge_known(&known, from);
    if (!x) continue;
    ten_builder b = {.module = m->module, .block = op->block, .before = op, .loc = op->loc};
    void *data = ten_arena_copy(&m->module->arena, x->data, x->bytes);
    ten_op_set_operand(op, 0, ten_build_constant(&b, ten_attr_dense(m->module, from->type, data, x->bytes)));
  }
  return ten_op_walk(m->module->op, clear_known, NULL);
}

static void rewrite_all(mixing *m) {
  uint32_t *depths = ten_arena_new_array(&m->module->arena, uint32_t, m->sites.count + 1);
  for (size_t i = 0; i < m->sites.count; i++)
    depths[i] = depth_of(ten_op_operand(m->sites.data[i].op, 0), m->sites.data[i].base);
  for (size_t i = 0; i < m->tensors.count; i++) make_bytes(m, &m->tensors.data[i]);
  for (size_t i = 0; i < m->sites.count; i++) rewrite(m, &m->sites.data[i], depths[i]);
}

/* What has to be one op, and constants where they are used. */
static const ten_pass *const passes_after[] = {&ten_pass_cse, &ten_pass_dce, NULL};

static ten_status *mix(mixing *m, const char *data, const edge_options *options) {
  TEN_TRY(find_sites(m));
  if (!m->sites.count) return ten_error(TEN_UNSUPPORTED, "no convolution and no matmul with constant weights of f32");
  if (!data) return ten_error(TEN_INVALID, "ranges of activations need samples: --data");
  TEN_TRY(edge_observe(m->report, m->module, m->func, data, options));
  choose_scales(m);
  add_layers(m);
  rewrite_all(m);
  fold_scales(m);
  TEN_TRY(fold_vectors(m));
  return ten_pipeline_run(passes_after, m->module, NULL);
}

ten_status *edge_quantize_mixed(ten_module *module, ten_op *func, const char *data, const edge_options *options,
                                edge_report *out_report) {
  *out_report = (edge_report){0};
  edge_graph_init(&out_report->graph);
  TEN_RECOVER("quantizing");
  TEN_TRY(edge_prepare(module, &func));
  mixing m = {.module = module, .func = func, .report = out_report};
  ten_status *status = mix(&m, data, options);
  ten_vec_free(&m.sites);
  ten_vec_free(&m.tensors);
  ten_vec_free(&m.moved);
  return status;
}
