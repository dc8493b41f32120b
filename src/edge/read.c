/* read.c: the graph of an int8 program that program.c wrote, perhaps by way of a file. Whatever the file says, the
 * graph is only taken if writing it gives the same program: what a TFLite file made of it computes is what the program
 * computes. */
#include <math.h>
#include <stdlib.h>

#include "edge/multiplier.h"
#include "ir/bytecode/bytecode.h"
#include "ir/dims.h"

enum { COUNT_MAX = 1 << 20, IO_MAX = 1 << 10 };

typedef struct reader {
  edge_graph *g;
} reader;

static ten_status *tensor_new(reader *r, ten_value *value, ten_str name, const ten_op *op) {
  const ten_type *type = value->type;
  const bool fits = ten_type_is_tensor(type) && ten_type_is_static(type) && type->rank <= EDGE_RANK && !type->quant &&
                    (type->dtype == TEN_I8 || type->dtype == TEN_I32 || type->dtype == TEN_F32) && ten_type_count(type);
  for (uint32_t i = 0; fits && i < type->rank; i++)
    if (type->dims[i] > INT32_MAX) return ten_op_error(op, TEN_LIMIT, "a size of %lld", (long long)type->dims[i]);
  if (!fits) return ten_op_error(op, TEN_UNSUPPORTED, "a tensor of an int8 program is i8, i32 or f32, of known sizes");
  const uint32_t tensor = edge_tensor_add(r->g, name, type->rank, type->dims, NULL);
  edge_at(r->g, tensor)->dtype = type->dtype;
  const ten_attr *constant = ten_value_constant(value);
  if (constant) {
    const size_t bytes = ten_dtype_bytes(type->dtype), count = (size_t)ten_type_count(type);
    char *data = ten_arena_array(&r->g->arena, count, bytes);
    for (size_t i = 0; i < count; i++) memcpy(data + i * bytes, ten_dense_at(constant, i), bytes);
    edge_at(r->g, tensor)->data = data;
  }
  value->number = tensor + 1;
  return NULL;
}

/* Scale and zero point; every op that names a tensor has to say the same of it. */
static ten_status *take_quantization(reader *r, uint32_t tensor, const ten_attr *dict, const ten_op *op) {
  edge_tensor *t = edge_at(r->g, tensor);
  const ten_attr *scale = ten_dict_get(dict, "scale");
  if (!scale) return t->scales ? ten_op_error(op, TEN_INVALID, "a scale is missing") : NULL;
  if (scale->kind != TEN_ATTR_DENSE || scale->dense.type->dtype != TEN_F32 || scale->dense.type->rank != 1)
    return ten_op_error(op, TEN_INVALID, "a scale is a tensor of f32");
  const size_t count = (size_t)ten_type_count(scale->dense.type);
  const int64_t axis = ten_attr_as_int(ten_dict_get(dict, "axis"), 0),
                zero = ten_attr_as_int(ten_dict_get(dict, "zero_point"), 0);
  if (zero < EDGE_LOW || zero > EDGE_HIGH)
    return ten_op_error(op, TEN_INVALID, "a zero point of %lld; it is -128 to 127", (long long)zero);
  if (!count || (count > 1 && (axis < 0 || axis >= t->rank || t->dims[axis] != (int64_t)count)))
    return ten_op_error(op, TEN_INVALID, "%zu scales along dimension %lld, which has another size", count,
                        (long long)axis);
  float *scales = ten_arena_new_array(&r->g->arena, float, count);
  for (size_t i = 0; i < count; i++) {
    memcpy(&scales[i], ten_dense_at(scale, i), sizeof *scales);
    if (!(scales[i] > 0) || !isfinite(scales[i]))
      return ten_op_error(op, TEN_INVALID, "a scale of %g; it is above 0", (double)scales[i]);
  }
  if (t->scales &&
      (t->scale_count != count || memcmp(t->scales, scales, count * sizeof *scales) != 0 || t->zero_point != zero))
    return ten_op_error(op, TEN_INVALID, "another scale than an op before says of the same tensor");
  t->scales = scales, t->scale_count = count, t->axis = (int32_t)axis, t->zero_point = (int32_t)zero;
  return NULL;
}

static ten_status *take_pair(const ten_attr *attrs, const char *name, const ten_op *op, int64_t *out) {
  const ten_attr *attr = ten_dict_get(attrs, name);
  if (!attr) return NULL;
  if (attr->kind != TEN_ATTR_DENSE || attr->dense.type->dtype != TEN_I64 || ten_type_count(attr->dense.type) != 2)
    return ten_op_error(op, TEN_INVALID, "%s is a pair of i64", name);
  for (size_t i = 0; i < 2; i++) {
    out[i] = ten_dense_int(attr, i);
    if (out[i] < 1 || out[i] > EDGE_WINDOW_MOST)
      return ten_op_error(op, TEN_INVALID, "%s is %lld; it is 1 to %d", name, (long long)out[i], EDGE_WINDOW_MOST);
  }
  return NULL;
}

static bool list_is(const edge_node *n, uint32_t count, const int64_t *sizes) {
  for (uint32_t i = 0; i < count && n->list_count == count; i++)
    if (n->list[i] != sizes[i]) return false;
  return n->list_count == count;
}

/* Whether the list of an op has as many integers as the op takes, and those that its operands allow. */
static bool list_fits(const edge_graph *g, const edge_node *n) {
  const edge_tensor *x = edge_get(g, n->inputs[0]), *y = edge_get(g, n->output);
  const uint32_t rank = x->rank, out = y->rank;
  switch (n->kind) {
    case EDGE_TRANSPOSE: {
      uint32_t seen = 0;
      for (uint32_t i = 0; i < n->list_count; i++)
        if (n->list[i] < (int32_t)rank) seen |= 1u << n->list[i];
      return n->list_count == rank && seen == (1u << rank) - 1;
    }
    case EDGE_PAD:
    case EDGE_PADV2:
    case EDGE_SLICE: return n->list_count == 2 * rank;
    case EDGE_RESHAPE: return list_is(n, out, y->dims);
    case EDGE_RESIZE_BILINEAR:
      return rank == 4 && list_is(n, 2, y->dims + 1) && edge_linear_fits(x->dims[1], y->dims[1], n->corners) &&
             edge_linear_fits(x->dims[2], y->dims[2], n->corners);
    case EDGE_RESIZE_NEAREST_NEIGHBOR: return rank == 4 && list_is(n, 2, y->dims + 1);
    case EDGE_MEAN:
      for (uint32_t i = 0; i < n->list_count; i++)
        if (n->list[i] >= (int32_t)rank || (i && n->list[i] <= n->list[i - 1])) return false;
      return n->list_count > 0;
    default: return n->list_count == 0;
  }
}

static bool node_fits(const edge_graph *g, const edge_node *n) {
  const edge_tensor *x = edge_get(g, n->inputs[0]), *y = edge_get(g, n->output);
  const bool layer = n->kind == EDGE_CONV_2D || n->kind == EDGE_DEPTHWISE_CONV_2D || n->kind == EDGE_FULLY_CONNECTED;
  const bool image = layer ? n->kind != EDGE_FULLY_CONNECTED
                           : n->kind == EDGE_MAX_POOL_2D || n->kind == EDGE_AVERAGE_POOL_2D ||
                                 n->kind == EDGE_RESIZE_BILINEAR || n->kind == EDGE_RESIZE_NEAREST_NEIGHBOR;
  const bool two = n->kind == EDGE_ADD || n->kind == EDGE_SUB || n->kind == EDGE_MUL;
  const uint32_t wanted = layer ? 3 : two ? 2 : n->kind == EDGE_CONCATENATION ? n->input_count : 1;
  if (n->input_count != wanted || !x->rank || !y->rank || (image && (x->rank != 4 || y->rank != 4))) return false;
  for (uint32_t i = 0; i < n->input_count; i++) {
    const edge_tensor *t = edge_get(g, n->inputs[i]);
    const ten_dtype dtype = layer && i == 2 ? TEN_I32 : n->kind == EDGE_QUANTIZE ? t->dtype : TEN_I8;
    if (t->dtype != dtype || (dtype == TEN_I8 && !t->scales) || (t->dtype == TEN_I32) != (layer && i == 2))
      return false;
    if (n->kind == EDGE_CONCATENATION && t->rank != x->rank) return false;
    if (two && t->rank > y->rank) return false;
    if (t->scale_count > 1 && !(layer && i > 0)) return false;
  }
  if (y->dtype != (n->kind == EDGE_DEQUANTIZE ? TEN_F32 : TEN_I8) || (y->dtype == TEN_I8 && y->scale_count != 1))
    return false;
  if (n->kind == EDGE_CONCATENATION && (n->axis < 0 || n->axis >= x->rank)) return false;
  if (!layer) return list_fits(g, n);
  const edge_tensor *w = edge_get(g, n->inputs[1]), *bias = edge_get(g, n->inputs[2]);
  const uint32_t last = y->rank - 1;
  const size_t features = (size_t)y->dims[last];
  return w->data && bias->data && w->rank == (image ? 4u : 2u) && x->rank == w->rank && y->rank == w->rank &&
         bias->rank == 1 && (n->kind != EDGE_CONV_2D || x->dims[3] % w->dims[3] == 0) &&
         (w->scale_count == 1 || w->scale_count == features) && bias->dims[0] == y->dims[last] && list_fits(g, n);
}

static ten_status *take_node(reader *r, ten_op *op, edge_kind kind) {
  edge_graph *g = r->g;
  const ten_attr *attrs = ten_op_attr(op, "composite_attributes"), *inputs = ten_dict_get(attrs, "inputs"),
                 *list = ten_dict_get(attrs, "list");
  const ten_str layer = ten_attr_as_string(ten_dict_get(attrs, "layer")),
                act = ten_attr_as_string(ten_dict_get(attrs, "activation"));
  if (!op->operand_count || op->result_count != 1 || !inputs || inputs->kind != TEN_ATTR_ARRAY ||
      inputs->array.count != op->operand_count)
    return ten_op_error(op, TEN_INVALID, "'inputs' has the quantization of each operand");
  uint32_t *operands = ten_arena_new_array(&g->arena, uint32_t, op->operand_count);
  for (uint32_t i = 0; i < op->operand_count; i++) {
    ten_value *value = ten_op_operand(op, i);
    if (!value->number && ten_value_constant(value)) TEN_TRY(tensor_new(r, value, layer, op));
    if (!value->number)
      return ten_op_error(op, TEN_UNSUPPORTED, "operand %u is made by an op that is none of TFLite's", i);
    operands[i] = value->number - 1;
    TEN_TRY(take_quantization(r, operands[i], inputs->array.items[i], op));
  }
  TEN_TRY(tensor_new(r, &op->results[0], layer, op));
  TEN_TRY(take_quantization(r, op->results[0].number - 1, ten_dict_get(attrs, "output"), op));
  edge_node *n = edge_node_add(g, kind, op->operand_count, operands, op->results[0].number - 1, op->loc);
  n->activation = ten_str_is(act, "RELU") ? EDGE_ACT_RELU : ten_str_is(act, "RELU6") ? EDGE_ACT_RELU6 : EDGE_LINEAR;
  n->same = ten_attr_as_bool(ten_dict_get(attrs, "same"));
  n->corners = ten_attr_as_bool(ten_dict_get(attrs, "corners"));
  n->keep = ten_attr_as_bool(ten_dict_get(attrs, "keep"));
  const double alpha = ten_attr_as_float(ten_dict_get(attrs, "alpha"), 0);
  if (kind == EDGE_LEAKY_RELU && !(alpha > 0 && alpha < 1))
    return ten_op_error(op, TEN_INVALID, "alpha is %g; it is above 0 and below 1", alpha);
  n->alpha = (float)alpha;
  n->axis = ten_attr_as_int(ten_dict_get(attrs, "axis"), 0);
  TEN_TRY(take_pair(attrs, "stride", op, n->stride));
  TEN_TRY(take_pair(attrs, "dilation", op, n->dilation));
  TEN_TRY(take_pair(attrs, "window", op, n->window));
  if (list) {
    if (list->kind != TEN_ATTR_DENSE || list->dense.type->dtype != TEN_I64 ||
        ten_type_count(list->dense.type) > 2 * EDGE_RANK)
      return ten_op_error(op, TEN_INVALID, "'list' is a tensor of i64, of at most %d", 2 * EDGE_RANK);
    int64_t values[2 * EDGE_RANK];
    const uint32_t count = (uint32_t)ten_type_count(list->dense.type);
    for (uint32_t i = 0; i < count; i++) {
      values[i] = ten_dense_int(list, i);
      if (values[i] < 0 || values[i] > INT32_MAX)
        return ten_op_error(op, TEN_INVALID, "'list' has %lld", (long long)values[i]);
    }
    edge_node_list(g, n, count, values);
  }
  return node_fits(g, n) ? NULL : ten_op_error(op, TEN_INVALID, "attributes that do not fit its operands");
}

static ten_status *take_op(reader *r, ten_op *op) {
  if (op->code == TEN_OP_CONSTANT) return NULL;
  const ten_str name = op->code == TEN_OP_COMPOSITE ? ten_attr_as_string(ten_op_attr(op, "name")) : (ten_str){0};
  for (int kind = 0; kind < EDGE_KIND_COUNT; kind++)
    if (ten_str_is(name, edge_op_infos[kind].composite)) return take_node(r, op, (edge_kind)kind);
  return ten_op_error(op, TEN_UNSUPPORTED,
                      "the program is not quantized: `tenfold quantize` makes an int8 program of it first");
}

static ten_status *read(reader *r, const ten_op *func) {
  ten_block *body = ten_op_body(func, 0);
  if (!body || body->next) return ten_op_error(func, TEN_UNSUPPORTED, "a function of one block is wanted");
  size_t count = 0;
  if (body->arg_count > IO_MAX || ten_block_terminator(body)->operand_count > IO_MAX)
    return ten_op_error(func, TEN_LIMIT, "more than %d inputs or results", IO_MAX);
  for (ten_op *op = body->first; op; op = op->next) {
    if (++count > COUNT_MAX) return ten_op_error(func, TEN_LIMIT, "more than %d ops", COUNT_MAX);
    for (uint32_t i = 0; i < op->result_count; i++) op->results[i].number = 0;
  }
  for (uint32_t i = 0; i < body->arg_count; i++) {
    body->args[i]->number = 0;
    TEN_TRY(tensor_new(r, body->args[i], ten_func_input_name(func, i), func));
    ten_vec_push(&r->g->inputs, body->args[i]->number - 1);
  }
  ten_op *last = ten_block_terminator(body);
  for (ten_op *op = body->first; op != last; op = op->next) TEN_TRY(take_op(r, op));
  for (uint32_t i = 0; i < last->operand_count; i++) {
    const ten_value *value = ten_op_operand(last, i);
    if (!value->number) return ten_op_error(last, TEN_UNSUPPORTED, "result %u is a constant", i);
    const ten_str name = ten_func_result_name(func, i);
    edge_tensor *t = edge_at(r->g, value->number - 1);
    if (name.size) t->name = (ten_str){ten_arena_strdup(&r->g->arena, name.data, name.size), name.size};
    ten_vec_push(&r->g->outputs, value->number - 1);
  }
  return NULL;
}

/* The program as a file of bytecode gives it back: with the defaults of all attributes filled in. */
static ten_status *normalised(const ten_module *module, ten_buf *bytes, ten_module **out_module) {
  TEN_TRY(ten_bytecode_write(module, ten_vhlo_version_current, bytes));
  return ten_bytecode_read(bytes->data, bytes->size, "int8 program", true, out_module);
}

/* Whether the program that the graph stands for is this one. */
static ten_status *compare(const ten_module *module, const edge_graph *g) {
  ten_module *again, *ours = NULL, *theirs = NULL;
  TEN_TRY(edge_program(g, false, &again));
  ten_buf our_bytes = {0}, their_bytes = {0}, why = {0};
  ten_status *status = normalised(again, &our_bytes, &ours);
  if (!status) status = normalised(module, &their_bytes, &theirs);
  if (!status && !ten_module_explain(ours, theirs, &why))
    status = ten_error(TEN_INVALID, "what the program computes is not what the attributes of its ops say: %s",
                       why.data ? why.data : "");
  if (ours) ten_module_destroy(ours);
  if (theirs) ten_module_destroy(theirs);
  ten_module_destroy(again);
  ten_buf_free(&our_bytes);
  ten_buf_free(&their_bytes);
  ten_buf_free(&why);
  return status;
}

ten_status *edge_read(const ten_module *module, const ten_op *func, edge_graph *g) {
  TEN_RECOVER("reading the int8 program");
  reader r = {.g = g};
  g->name = TEN_STR("main");
  TEN_TRY(read(&r, func));
  return compare(module, g);
}
