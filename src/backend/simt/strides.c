/* strides.c: strides of an operand's dimensions in the buffer that it reads through ops that move elements only. */
#include "backend/simt/strides.h"

#include <string.h>

#include "ir/index_map.h"

typedef struct place {
  const ten_value *source;
  int64_t offset, *strides; /* by dimension */
} place;

static place buffer_place(simt_gen *gen, const ten_value *value) {
  const ten_type *type = value->type;
  const uint8_t *order = simt_order(gen, value);
  place p = {value, 0, ten_arena_new_array(&gen->ir->arena, int64_t, type->rank + 1)};
  int64_t stride = 1;
  for (uint32_t i = type->rank; i-- > 0;) {
    const uint32_t dim = order ? order[i] : i;
    p.strides[dim] = stride;
    stride *= type->dims[dim];
  }
  return p;
}

/* Dimensions of a reshape's operand that become others must follow each other in memory. */
static bool through_reshape(const ten_type *from, const ten_type *to, const int64_t *old, int64_t *strides) {
  for (ten_reshape_run run = {0}; ten_reshape_next(to, from, &run);) {
    int64_t innermost = 0, size = 1;
    for (uint32_t i = run.to_end; i-- > run.to;) {
      if (from->dims[i] == 1) continue;
      if (size == 1) innermost = old[i];
      if (old[i] != innermost * size) return false;
      size *= from->dims[i];
    }
    for (uint32_t i = run.from_end; i-- > run.from;) {
      strides[i] = innermost;
      innermost *= to->dims[i];
    }
  }
  return true;
}

static bool place_of(simt_gen *gen, const ten_value *value, place *out) {
  if (gen->stored[value->number]) {
    *out = buffer_place(gen, value);
    return true;
  }
  const ten_op *op = value->op;
  if (!op || op->operand_count == 0) return false;
  const ten_value *x = ten_op_operand(op, 0);
  place inner;
  switch (op->code) {
    case TEN_OP_CONVERT: return place_of(gen, x, out);
    case TEN_OP_RESHAPE:
    case TEN_OP_TRANSPOSE:
    case TEN_OP_SLICE:
    case TEN_OP_BROADCAST_IN_DIM: break;
    default: return false;
  }
  if (!place_of(gen, x, &inner)) return false;
  const uint32_t rank = value->type->rank;
  *out = (place){inner.source, inner.offset, ten_arena_new_array(&gen->ir->arena, int64_t, rank + 1)};
  memset(out->strides, 0, (rank + 1) * sizeof *out->strides);
  if (op->code == TEN_OP_RESHAPE) return through_reshape(x->type, value->type, inner.strides, out->strides);
  for (uint32_t i = 0; i < x->type->rank; i++) {
    const ten_index_part part = ten_index_part_of(op, i);
    out->offset += part.offset * inner.strides[i];
    if (part.source >= 0) out->strides[part.source] += part.scale * inner.strides[i];
  }
  return true;
}

/* The listed dimensions, outermost first, as few spans. False: too many. */
static bool join(const ten_type *type, const int64_t *strides, const int64_t *list, uint32_t count, simt_spans *out) {
  out->count = 0;
  for (uint32_t i = count; i-- > 0;) {
    const int64_t size = type->dims[list[i]], stride = strides[list[i]];
    if (size == 1) continue;
    simt_span *last = out->count ? &out->at[out->count - 1] : NULL;
    if (last && last->stride * last->size == stride) {
      last->size *= size;
      continue;
    }
    if (out->count == SIMT_SPANS_MOST) return false;
    out->at[out->count++] = (simt_span){size, stride};
  }
  return true;
}

bool simt_strided_dims(simt_gen *gen, const ten_value *value, const simt_operand_dims *dims, simt_strided *out) {
  place p;
  if (!place_of(gen, value, &p)) return false;
  *out = (simt_strided){.source = p.source, .offset = p.offset};
  return join(value->type, p.strides, dims->batch, dims->batch_count, &out->batch) &&
         join(value->type, p.strides, dims->lines, dims->line_count, &out->lines) &&
         join(value->type, p.strides, dims->depth, dims->depth_count, &out->depth);
}

bool simt_strided_operand(simt_gen *gen, const simt_contraction *c, int side, simt_strided *out) {
  simt_operand_dims dims;
  return simt_contraction_dims(gen, c, side, &dims) &&
         simt_strided_dims(gen, ten_op_operand(c->op, (uint32_t)side), &dims, out);
}
