/* vectors.c: an epilogue computes elements that follow each other along columns. What it reads of other buffers at the
 * same places (a residual), or one element a column (a bias), is loaded by the vector and bound element by element. A
 * value that is read at other places, too, is left alone: a binding holds for every index. */
#include "backend/simt/vectors.h"

#include <inttypes.h>
#include <stdio.h>

enum { SEEN_MOST = 96 };

typedef struct search {
  simt_gen *gen;
  const simt_tile *t;
  int64_t width;
  const ten_value *seen[SEEN_MOST], *elsewhere[SEEN_MOST]; /* visited; read at other places */
  uint32_t seen_count, elsewhere_count;
  bool full;
  simt_vectors *out;
} search;

static bool is_in(const ten_value *const *list, uint32_t count, const ten_value *value) {
  for (uint32_t i = 0; i < count; i++)
    if (list[i] == value) return true;
  return false;
}

static bool add_to(search *s, const ten_value **list, uint32_t *count, const ten_value *value) {
  if (is_in(list, *count, value)) return false;
  if (*count == SEEN_MOST) {
    s->full = true;
    return false;
  }
  list[(*count)++] = value;
  return true;
}

bool simt_same_dims(const ten_type *a, const ten_type *b) {
  if (a->rank != b->rank) return false;
  for (uint32_t i = 0; i < a->rank; i++)
    if (a->dims[i] != b->dims[i]) return false;
  return true;
}

bool simt_same_lines(const ten_type *a, const ten_type *b) {
  return simt_same_dims(a, b) ||
         (a->rank && b->rank && a->dims[a->rank - 1] == b->dims[b->rank - 1] && ten_type_count(a) == ten_type_count(b));
}

static bool is_loadable(ten_dtype dtype) { return dtype == TEN_F32 || dtype == TEN_BF16 || dtype == TEN_F16; }

static void add(search *s, const ten_value *value, const ten_value *source, bool along) {
  simt_vectors *out = s->out;
  if (out->count == SIMT_VECTORS_MOST || is_in(out->values, out->count, value)) return;
  out->values[out->count] = value;
  out->sources[out->count] = source;
  out->along[out->count++] = along;
}

/* All buffers that a value is computed from. */
static void block_all(search *s, const ten_value *value) {
  if (!add_to(s, s->elsewhere, &s->elsewhere_count, value) || s->gen->stored[value->number] || !value->op) return;
  for (uint32_t i = 0; i < value->op->operand_count; i++) block_all(s, ten_op_operand(value->op, i));
}

/* The dimension of the result that columns are; -1: several. */
static int64_t column_dim(const simt_contraction *c) {
  const ten_type *type = c->op->results[0].type;
  int64_t dim = (int64_t)type->rank - 1;
  if (c->op->code == TEN_OP_CONVOLUTION) dim = ten_conv_dims_of(ten_op_attr(c->op, "dimension_numbers")).output_feature;
  return c->batch == 1 && dim >= 0 && type->dims[dim] == c->columns ? dim : -1;
}

static const ten_value *spread_source(search *s, const ten_value *value) {
  const ten_op *op = value->op;
  if (!op || op->code != TEN_OP_BROADCAST_IN_DIM) return NULL;
  const ten_value *x = ten_op_operand(op, 0);
  const ten_ints map = ten_op_ints(op, "broadcast_dimensions");
  const ten_type *result = s->t->c.op->results[0].type;
  int64_t column = column_dim(&s->t->c);
  if (column >= 0 && !simt_same_dims(value->type, result)) /* of as long lines: the last one */
    column = column == (int64_t)result->rank - 1 ? (int64_t)value->type->rank - 1 : -1;
  if (map.count != 1 || map.data[0] != column || x->type->dims[0] != s->t->c.columns) return NULL;
  if (!s->gen->stored[x->number] && x->op && x->op->code == TEN_OP_CONVERT) x = ten_op_operand(x->op, 0);
  return s->gen->stored[x->number] && is_loadable(x->type->dtype) ? x : NULL;
}

static void visit(search *s, const ten_value *value) {
  const ten_type *type = s->t->c.op->results[0].type;
  if (value == &s->t->c.op->results[0] || !add_to(s, s->seen, &s->seen_count, value)) return;
  if (s->gen->stored[value->number]) {
    if (simt_same_lines(value->type, type) && is_loadable(value->type->dtype) &&
        simt_contraction_stores(s->gen, &s->t->c, value, s->width))
      add(s, value, value, false);
    return;
  }
  const ten_value *source = simt_same_lines(value->type, type) ? spread_source(s, value) : NULL;
  if (source) {
    add(s, value, source, true);
    return;
  }
  if (!value->op) return;
  const bool pointwise = simt_is_pointwise(value->op);
  for (uint32_t i = 0; i < value->op->operand_count; i++) {
    const ten_value *operand = ten_op_operand(value->op, i);
    const bool reshapes = value->op->code == TEN_OP_RESHAPE && simt_same_lines(value->type, type);
    if (pointwise ? simt_same_dims(operand->type, value->type)
                  : reshapes && simt_same_lines(operand->type, value->type))
      visit(s, operand);
    else
      block_all(s, operand);
  }
}

void simt_vectors_find(simt_gen *gen, const simt_tile *t, int64_t width, const ten_value *const *outputs,
                       uint32_t count, simt_vectors *out) {
  *out = (simt_vectors){.type = t->c.op->results[0].type};
  search s = {.gen = gen, .t = t, .width = width, .out = out};
  for (uint32_t i = 0; i < count; i++) visit(&s, outputs[i]);
  uint32_t left = 0;
  for (uint32_t i = 0; i < out->count && !s.full; i++) {
    if (is_in(s.elsewhere, s.elsewhere_count, out->values[i])) continue;
    out->values[left] = out->values[i];
    out->sources[left] = out->sources[i];
    out->along[left++] = out->along[i];
  }
  out->count = left;
}

void simt_vectors_declare(simt_gen *gen, const simt_vectors *vectors, int64_t turns, int64_t width) {
  for (uint32_t i = 0; i < vectors->count; i++)
    simt_line(gen, "__align__(16) %s r%u[%" PRId64 "][%" PRId64 "];",
              simt_memory_type(vectors->sources[i]->type->dtype), i, turns, width);
}

void simt_vectors_load(simt_gen *gen, const simt_vectors *vectors, const simt_ix *index, simt_ix column,
                       int64_t width) {
  for (uint32_t i = 0; i < vectors->count; i++) {
    const ten_value *source = vectors->sources[i];
    const int64_t bytes = (int64_t)ten_dtype_bytes(source->type->dtype),
                  piece = width * bytes < 16 ? width * bytes : 16;
    const char *type = piece == 16 ? "uint4" : "uint2";
    const bool same = simt_same_dims(source->type, vectors->type);
    const simt_ix first = vectors->along[i] ? column
                          : same            ? simt_place(gen, source, index)
                                            : simt_linear(gen, vectors->type, index);
    for (int64_t at = 0; at < width; at += piece / bytes)
      simt_line(gen, "*(%s *)(r%u[u] + %" PRId64 ") = *(const %s *)(p%u + %s + %" PRId64 ");", type, i, at, type,
                simt_parameter(gen, source), simt_text(gen, first), at);
  }
}

void simt_vectors_bind(simt_gen *gen, const simt_vectors *vectors) {
  for (uint32_t i = 0; i < vectors->count; i++) {
    char pointer[16];
    snprintf(pointer, sizeof pointer, "r%u[u]", i);
    const ten_dtype from = vectors->sources[i]->type->dtype, to = vectors->values[i]->type->dtype;
    const simt_val element = simt_load(gen, from, pointer, simt_index_of(simt_define(gen, "i32", "j")));
    simt_bind(gen, vectors->values[i], from == to ? element : simt_convert(gen, from, to, element));
  }
}
