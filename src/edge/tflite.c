/* tflite.c: a quantized graph as a TFLite file. The schema is public; numbers of fields are those of its tables.
 * Keeps: names of inputs and results, as signature "serving_default". */
#include <stdio.h>
#include <stdlib.h>

#include "edge/flatbuffer.h"
#include "edge/graph.h"
#include "tenfold/version.h"

enum { TYPE_FLOAT32 = 0, TYPE_INT32 = 2, TYPE_INT8 = 9, VERSION = 3, PADDING_SAME = 0, PADDING_VALID = 1 };

typedef struct file {
  fb b;
  const edge_graph *g;
  TEN_VEC(fb_place) buffers;
  TEN_VEC(fb_place) tensors;
  TEN_VEC(fb_place) operators;
  int32_t codes[EDGE_KIND_COUNT]; /* the number of each kind's operator code, or -1 */
  int32_t code_count;
} file;

static int32_t buffer_add(file *f, const void *data, size_t size) {
  const fb_place bytes = size ? fb_bytes(&f->b, data, size, 16) : 0;
  fb_table_begin(&f->b);
  fb_to(&f->b, 0, bytes);
  ten_vec_push(&f->buffers, fb_table_end(&f->b));
  return (int32_t)f->buffers.count - 1;
}

static fb_place quantization(file *f, const edge_tensor *t) {
  if (!t->scales) return 0;
  int64_t *zeros = ten_alloc(t->scale_count * sizeof *zeros);
  for (size_t i = 0; i < t->scale_count; i++) zeros[i] = t->zero_point;
  const fb_place scale = fb_f32s(&f->b, t->scale_count, t->scales), zero = fb_i64s(&f->b, t->scale_count, zeros);
  free(zeros);
  fb_table_begin(&f->b);
  fb_to(&f->b, 2, scale);
  fb_to(&f->b, 3, zero);
  if (t->scale_count > 1) fb_i32(&f->b, 6, t->axis);
  return fb_table_end(&f->b);
}

static int32_t tensor_add(file *f, const edge_tensor *t, ten_str name) {
  const size_t bytes = (size_t)edge_tensor_count(t) * ten_dtype_bytes(t->dtype);
  const int32_t buffer = t->data ? buffer_add(f, t->data, bytes) : 0;
  const uint8_t type = t->dtype == TEN_F32 ? TYPE_FLOAT32 : t->dtype == TEN_I32 ? TYPE_INT32 : TYPE_INT8;
  int32_t shape[EDGE_RANK];
  for (uint32_t i = 0; i < t->rank; i++) shape[i] = (int32_t)t->dims[i];
  const fb_place dims = fb_i32s(&f->b, t->rank, shape), text = fb_string(&f->b, name), quant = quantization(f, t);
  fb_table_begin(&f->b);
  fb_to(&f->b, 0, dims);
  fb_i32(&f->b, 2, buffer);
  fb_to(&f->b, 3, text);
  fb_to(&f->b, 4, quant);
  fb_u8(&f->b, 1, type);
  ten_vec_push(&f->tensors, fb_table_end(&f->b));
  return (int32_t)f->tensors.count - 1;
}

/* Integers that an op takes as an operand. */
static int32_t list_add(file *f, const char *what, uint32_t count, const int32_t *values, uint32_t columns) {
  edge_tensor t = {.rank = columns ? 2 : 1, .dtype = TEN_I32, .data = values};
  t.dims[0] = columns ? count / columns : count, t.dims[1] = columns;
  return tensor_add(f, &t, ten_str_of(what));
}

static fb_place conv_options(fb *b, const edge_graph *g, const edge_node *n) {
  const bool deep = n->kind == EDGE_DEPTHWISE_CONV_2D;
  fb_table_begin(b);
  fb_i32(b, 1, (int32_t)n->stride[1]);
  fb_i32(b, 2, (int32_t)n->stride[0]);
  if (deep) fb_i32(b, 3, (int32_t)(edge_get(g, n->output)->dims[3] / edge_get(g, n->inputs[0])->dims[3]));
  fb_i32(b, deep ? 5 : 4, (int32_t)n->dilation[1]);
  fb_i32(b, deep ? 6 : 5, (int32_t)n->dilation[0]);
  fb_u8(b, 0, n->same ? PADDING_SAME : PADDING_VALID);
  fb_u8(b, deep ? 4 : 3, (uint8_t)n->activation);
  return fb_table_end(b);
}

static fb_place pool_options(fb *b, const edge_node *n) {
  fb_table_begin(b);
  fb_i32(b, 1, (int32_t)n->stride[1]);
  fb_i32(b, 2, (int32_t)n->stride[0]);
  fb_i32(b, 3, (int32_t)n->window[1]);
  fb_i32(b, 4, (int32_t)n->window[0]);
  fb_u8(b, 0, n->same ? PADDING_SAME : PADDING_VALID);
  return fb_table_end(b);
}

static fb_place options(fb *b, const edge_graph *g, const edge_node *n) {
  switch (n->kind) {
    case EDGE_CONV_2D:
    case EDGE_DEPTHWISE_CONV_2D: return conv_options(b, g, n);
    case EDGE_AVERAGE_POOL_2D:
    case EDGE_MAX_POOL_2D: return pool_options(b, n);
    case EDGE_RESHAPE: {
      const fb_place shape = fb_i32s(b, n->list_count, n->list);
      fb_table_begin(b);
      fb_to(b, 0, shape);
      return fb_table_end(b);
    }
    default: break;
  }
  if (!edge_op_infos[n->kind].options) return 0;
  fb_table_begin(b);
  if (n->kind == EDGE_SOFTMAX) fb_f32(b, 0, 1);
  if (n->kind == EDGE_LEAKY_RELU) fb_f32(b, 0, n->alpha);
  if (n->kind == EDGE_CONCATENATION) fb_i32(b, 0, (int32_t)n->axis);
  if (n->kind == EDGE_RESIZE_BILINEAR) fb_u8(b, n->corners ? 2 : 3, true); /* or half pixels */
  if (n->kind == EDGE_MEAN) fb_u8(b, 0, n->keep);
  if (n->activation) fb_u8(b, 0, (uint8_t)n->activation); /* ADD, SUB, MUL, FULLY_CONNECTED */
  return fb_table_end(b);
}

/* What an op takes as constant operands after its tensors. */
static uint32_t lists_add(file *f, const edge_node *n, int32_t *out) {
  const uint32_t rank = edge_get(f->g, n->inputs[0])->rank;
  switch (n->kind) {
    case EDGE_RESHAPE: return out[0] = list_add(f, "shape", n->list_count, n->list, 0), 1;
    case EDGE_TRANSPOSE: return out[0] = list_add(f, "permutation", n->list_count, n->list, 0), 1;
    case EDGE_MEAN: return out[0] = list_add(f, "axes", n->list_count, n->list, 0), 1;
    case EDGE_RESIZE_BILINEAR:
    case EDGE_RESIZE_NEAREST_NEIGHBOR: return out[0] = list_add(f, "size", n->list_count, n->list, 0), 1;
    case EDGE_PAD: return out[0] = list_add(f, "padding", n->list_count, n->list, 2), 1;
    case EDGE_SLICE:
      out[0] = list_add(f, "begin", rank, n->list, 0);
      out[1] = list_add(f, "size", rank, n->list + rank, 0);
      return 2;
    case EDGE_PADV2: {
      static const int8_t low = EDGE_LOW;
      edge_tensor with = *edge_get(f->g, n->inputs[0]);
      with.rank = 1, with.dims[0] = 1, with.data = &low;
      out[0] = list_add(f, "padding", n->list_count, n->list, 2);
      out[1] = tensor_add(f, &with, TEN_STR("lowest"));
      return 2;
    }
    default: return 0;
  }
}

static void operator_add(file *f, const edge_node *n) {
  int32_t *inputs = ten_alloc((n->input_count + 2) * sizeof *inputs);
  for (uint32_t i = 0; i < n->input_count; i++) inputs[i] = (int32_t)n->inputs[i];
  const uint32_t extra_count = lists_add(f, n, inputs + n->input_count);
  if (f->codes[n->kind] < 0) f->codes[n->kind] = f->code_count++;
  const int32_t output = (int32_t)n->output;
  const fb_place in = fb_i32s(&f->b, n->input_count + extra_count, inputs), out = fb_i32s(&f->b, 1, &output),
                 table = options(&f->b, f->g, n);
  free(inputs);
  fb_table_begin(&f->b);
  fb_i32(&f->b, 0, f->codes[n->kind]);
  fb_to(&f->b, 1, in);
  fb_to(&f->b, 2, out);
  fb_to(&f->b, 4, table);
  if (table) fb_u8(&f->b, 3, (uint8_t)edge_op_infos[n->kind].options);
  ten_vec_push(&f->operators, fb_table_end(&f->b));
}

static fb_place codes_write(file *f) {
  fb_place places[EDGE_KIND_COUNT];
  for (int kind = 0; kind < EDGE_KIND_COUNT; kind++) {
    if (f->codes[kind] < 0) continue;
    const edge_op_info *info = &edge_op_infos[kind];
    fb_table_begin(&f->b);
    fb_i32(&f->b, 2, info->version);
    fb_i32(&f->b, 3, info->code);
    fb_u8(&f->b, 0, (uint8_t)info->code); /* what readers before 2020 look at */
    places[f->codes[kind]] = fb_table_end(&f->b);
  }
  return fb_places(&f->b, (size_t)f->code_count, places);
}

static fb_place subgraph_write(file *f) {
  const edge_graph *g = f->g;
  const fb_place tensors = fb_places(&f->b, f->tensors.count, f->tensors.data),
                 inputs = fb_i32s(&f->b, g->inputs.count, (const int32_t *)g->inputs.data),
                 outputs = fb_i32s(&f->b, g->outputs.count, (const int32_t *)g->outputs.data),
                 operators = fb_places(&f->b, f->operators.count, f->operators.data), name = fb_string(&f->b, g->name);
  fb_table_begin(&f->b);
  fb_to(&f->b, 0, tensors);
  fb_to(&f->b, 1, inputs);
  fb_to(&f->b, 2, outputs);
  fb_to(&f->b, 3, operators);
  fb_to(&f->b, 4, name);
  const fb_place place = fb_table_end(&f->b);
  return fb_places(&f->b, 1, &place);
}

static bool is_named(const edge_graph *g, const uint32_t *tensors, size_t count, ten_str name) {
  for (size_t i = 0; i < count; i++)
    if (ten_str_eq(name, edge_get(g, tensors[i])->name)) return true;
  return false;
}

/* The tensor's own name, or "input_1" where an earlier one has it: a number that no other tensor has or gets. */
static ten_str io_name(const edge_graph *g, const uint32_t *tensors, size_t count, size_t i, const char *what,
                       char *text, size_t size) {
  ten_str name = edge_get(g, tensors[i])->name;
  if (name.size && !is_named(g, tensors, i, name)) return name;
  size_t number = i;
  do name = (ten_str){text, (size_t)snprintf(text, size, "%s_%zu", what, number)}, number += count;
  while (is_named(g, tensors, count, name));
  return name;
}

static fb_place map_write(file *f, size_t count, const uint32_t *tensors, const char *what) {
  fb_place *places = ten_alloc((count + 1) * sizeof *places);
  for (size_t i = 0; i < count; i++) {
    char text[32];
    const fb_place name = fb_string(&f->b, io_name(f->g, tensors, count, i, what, text, sizeof text));
    fb_table_begin(&f->b);
    fb_to(&f->b, 0, name);
    fb_i32(&f->b, 1, (int32_t)tensors[i]);
    places[i] = fb_table_end(&f->b);
  }
  const fb_place all = fb_places(&f->b, count, places);
  free(places);
  return all;
}

static fb_place signature_write(file *f) {
  const edge_graph *g = f->g;
  const fb_place inputs = map_write(f, g->inputs.count, g->inputs.data, "input"),
                 outputs = map_write(f, g->outputs.count, g->outputs.data, "output"),
                 key = fb_string(&f->b, TEN_STR("serving_default"));
  fb_table_begin(&f->b);
  fb_to(&f->b, 0, inputs);
  fb_to(&f->b, 1, outputs);
  fb_to(&f->b, 2, key);
  fb_i32(&f->b, 4, 0);
  const fb_place place = fb_table_end(&f->b);
  return fb_places(&f->b, 1, &place);
}

/* The oldest runtime that has all these ops in these versions. */
static fb_place metadata_write(file *f) {
  static const char oldest[16] = "2.3.0";
  const int32_t buffer = buffer_add(f, oldest, sizeof oldest);
  const fb_place name = fb_string(&f->b, TEN_STR("min_runtime_version"));
  fb_table_begin(&f->b);
  fb_to(&f->b, 0, name);
  fb_i32(&f->b, 1, buffer);
  const fb_place place = fb_table_end(&f->b);
  return fb_places(&f->b, 1, &place);
}

/* Inputs and results have their names; others get a number behind it, for every name to be one tensor's. */
static void tensors_write(file *f) {
  const edge_graph *g = f->g;
  bool *plain = ten_alloc(g->tensors.count + 1);
  memset(plain, 0, g->tensors.count + 1);
  for (size_t i = 0; i < g->inputs.count; i++) plain[g->inputs.data[i]] = true;
  for (size_t i = 0; i < g->outputs.count; i++) plain[g->outputs.data[i]] = true;
  for (size_t i = 0; i < g->tensors.count; i++) {
    const edge_tensor *t = edge_get(g, (uint32_t)i);
    ten_buf name = {0};
    ten_buf_addstr(&name, t->name);
    if (!plain[i] || !t->name.size) ten_buf_printf(&name, "%s%zu", t->name.size ? "/" : "tensor_", i);
    tensor_add(f, t, (ten_str){name.data, name.size});
    ten_buf_free(&name);
  }
  free(plain);
}

ten_status *edge_tflite(const edge_graph *g, ten_buf *out) {
  TEN_RECOVER("writing the TFLite file");
  file f = {.g = g};
  for (int i = 0; i < EDGE_KIND_COUNT; i++) f.codes[i] = -1;
  buffer_add(&f, NULL, 0); /* the first is of tensors without data */
  tensors_write(&f);
  for (size_t i = 0; i < g->nodes.count; i++) operator_add(&f, &g->nodes.data[i]);
  const fb_place metadata = metadata_write(&f), signature = signature_write(&f), subgraphs = subgraph_write(&f),
                 codes = codes_write(&f), buffers = fb_places(&f.b, f.buffers.count, f.buffers.data),
                 text = fb_string(&f.b, TEN_STR("written by Tenfold " TENFOLD_VERSION));
  fb_table_begin(&f.b);
  fb_i32(&f.b, 0, VERSION);
  fb_to(&f.b, 1, codes);
  fb_to(&f.b, 2, subgraphs);
  fb_to(&f.b, 3, text);
  fb_to(&f.b, 4, buffers);
  fb_to(&f.b, 6, metadata);
  fb_to(&f.b, 7, signature);
  const fb_place root = fb_table_end(&f.b);
  const bool fits = fb_finish(&f.b, root, "TFL3", out);
  ten_vec_free(&f.buffers);
  ten_vec_free(&f.tensors);
  ten_vec_free(&f.operators);
  return fits ? NULL : ten_error(TEN_LIMIT, "a TFLite file has at most 2 GiB");
}
