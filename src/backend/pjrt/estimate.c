/* estimate.c: sizes of arguments and outputs, and the peak of the temporaries. */
#include "backend/pjrt/estimate.h"

#include <inttypes.h>
#include <stdlib.h>

/* A buffer: the result of an op that must be materialized, live until `last`. */
typedef struct piece {
  const ten_value *value;
  uint64_t bytes;
  uint32_t first, last; /* op indices in the function */
} piece;

typedef struct estimate {
  TEN_VEC(piece) pieces;
} estimate;

/* Fused into its readers: its result is not materialized. */
static bool is_fused(const ten_op *op) {
  if (ten_op_has(op, TEN_TRAIT_ELEMENTWISE)) return true;
  switch (op->code) {
    case TEN_OP_BROADCAST_IN_DIM:
    case TEN_OP_RESHAPE:
    case TEN_OP_TRANSPOSE:
    case TEN_OP_CONVERT:
    case TEN_OP_IOTA:
    case TEN_OP_CONSTANT:
    case TEN_OP_SLICE:
    case TEN_OP_PAD:
    case TEN_OP_REVERSE:
    case TEN_OP_SELECT:
    case TEN_OP_CLAMP:
    case TEN_OP_OPTIMIZATION_BARRIER: return true;
    default: return false;
  }
}

/* value->number is the index of its buffer, plus one; 0: none. */
static void visit(estimate *e, ten_op *op, uint32_t place) {
  uint32_t same = 0;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const ten_value *from = ten_op_operand(op, i);
    if (!from->number) continue;
    piece *p = &e->pieces.data[from->number - 1];
    p->last = place;
    if (!same || p->bytes > e->pieces.data[same - 1].bytes) same = from->number;
  }
  for (uint32_t i = 0; i < op->result_count; i++) {
    ten_value *value = &op->results[i];
    value->number = 0;
    if (!ten_type_is_tensor(value->type) || !ten_type_is_static(value->type)) continue;
    if (is_fused(op)) {
      value->number = same;
      continue;
    }
    ten_vec_push(&e->pieces, ((piece){value, ten_type_bytes(value->type), place, place}));
    value->number = (uint32_t)e->pieces.count;
  }
}

static void keep_largest(pjrt_estimate *out, pjrt_need need) {
  size_t at = out->count < PJRT_NEEDS ? out->count++ : PJRT_NEEDS;
  if (at == PJRT_NEEDS && out->largest[PJRT_NEEDS - 1].bytes >= need.bytes) return;
  if (at == PJRT_NEEDS) at--;
  for (; at && out->largest[at - 1].bytes < need.bytes; at--) out->largest[at] = out->largest[at - 1];
  out->largest[at] = need;
}

/* The op index with the most live bytes, and how many. */
static uint32_t worst(const estimate *e, uint32_t places, uint64_t *out_bytes) {
  uint64_t *change = ten_alloc((places + 2) * sizeof *change); /* wraps: the running sum does not */
  for (size_t i = 0; i < e->pieces.count; i++) {
    change[e->pieces.data[i].first] += e->pieces.data[i].bytes;
    change[e->pieces.data[i].last + 1] -= e->pieces.data[i].bytes;
  }
  uint64_t now = 0;
  uint32_t at = 0;
  *out_bytes = 0;
  for (uint32_t i = 0; i <= places; i++) {
    now += change[i];
    if (now > *out_bytes) {
      *out_bytes = now;
      at = i;
    }
  }
  free(change);
  return at;
}

/* Into how many tiles an argument is split. */
static uint64_t tiles_of(const pjrt_tilings *tilings, uint32_t argument) {
  uint64_t count = 1;
  for (uint32_t i = 0; argument < tilings->input_count && i < tilings->inputs[argument].rank; i++)
    count *= (uint64_t)tilings->inputs[argument].tiles[i];
  return count;
}

void pjrt_estimate_program(const pjrt_program *p, const ten_mesh *mesh, const pjrt_tilings *tilings,
                           pjrt_estimate *out) {
  *out = (pjrt_estimate){0};
  const ten_block *body = ten_op_body(p->func, 0);
  const ten_type *type = ten_func_type(p->func);
  for (uint32_t i = 0; i < body->arg_count; i++) {
    body->args[i]->number = 0;
    const uint64_t bytes = ten_type_bytes(type->inputs[i]) / tiles_of(tilings, i);
    out->arguments += bytes;
    keep_largest(out, (pjrt_need){bytes, i, body->args[i]});
  }
  estimate e = {0};
  uint32_t place = 0;
  for (ten_op *op = body->first; op; op = op->next) visit(&e, op, ++place);
  for (uint32_t i = 0; i < type->result_count; i++) out->outputs += ten_type_bytes(type->results[i]);
  for (uint32_t i = 0; i < p->input_count; i++) {
    const int64_t alias = ten_attr_as_int(ten_func_arg_attr(p->func, i, "tf.aliasing_output"), -1);
    if (alias >= 0 && alias < (int64_t)type->result_count) out->outputs -= ten_type_bytes(type->results[alias]);
  }
  /* A returned value is an output, not a temporary. */
  const ten_op *end = ten_block_terminator(body);
  for (uint32_t i = 0; i < end->operand_count; i++) {
    const ten_value *value = ten_op_operand(end, i);
    if (value->number && e.pieces.data[value->number - 1].bytes == ten_type_bytes(value->type))
      e.pieces.data[value->number - 1].bytes = 0;
  }
  const uint32_t at = worst(&e, place, &out->temp);
  out->temp /= mesh->data; /* temporaries are mostly split along the batch */
  for (size_t i = 0; i < e.pieces.count; i++)
    if (e.pieces.data[i].first <= at && at <= e.pieces.data[i].last)
      keep_largest(out, (pjrt_need){e.pieces.data[i].bytes / mesh->data, -1, e.pieces.data[i].value});
  ten_vec_free(&e.pieces);
}

void pjrt_describe_need(const pjrt_program *p, const pjrt_need *need, ten_buf *out) {
  ten_type_print(out, need->value->type);
  const ten_loc *loc = need->value->op ? need->value->op->loc : need->value->loc;
  if (need->argument >= 0) {
    const pjrt_argument *argument = &p->arguments[need->argument];
    if (argument->name.size)
      ten_buf_printf(out, "  %.*s", TEN_FMT(argument->name));
    else
      ten_buf_printf(out, "  argument %" PRId64, need->argument);
    loc = argument->loc;
    /* A weight has no declaration; the first op that reads it gives its location. */
    for (const ten_use *use = need->value->uses; use; use = use->next)
      if (!ten_loc_first_file(loc) || !use->next) loc = ten_loc_first_file(use->owner->loc) ? use->owner->loc : loc;
  } else {
    ten_buf_printf(out, "  %.*s", TEN_FMT(need->value->op->name));
  }
  const ten_loc *file = ten_loc_first_file(loc);
  if (file) ten_buf_printf(out, "  %.*s:%u", TEN_FMT(file->name), file->line);
}
