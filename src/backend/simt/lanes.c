/* lanes.c: kernels in which a thread computes several elements that follow each other in memory. Indices of the
 * innermost dimension are `lanes`; a buffer that is read at all of them is loaded by 16 bytes, and what is read is
 * noted for each lane. Where some buffer would have to be read element by element, a thread computes one element. */
#include "backend/simt/lanes.h"

#include <inttypes.h>
#include <stdio.h>

enum { COUNT_LEAST = 1 << 18, OPS_MOST = 96, VECTOR = 16 /* bytes */ };

/* The dimension whose elements follow each other in memory; -1: there is one element. */
static int64_t innermost(const ten_type *type, const uint8_t *order) {
  for (uint32_t i = type->rank; i-- > 0;) {
    const uint32_t dim = order ? order[i] : i;
    if (type->dims[dim] != 1) return dim;
  }
  return -1;
}

static int64_t lane_bytes(ten_dtype dtype) {
  const int64_t bytes = (int64_t)ten_dtype_bytes(dtype);
  return !ten_dtype_is_complex(dtype) && bytes <= 4 ? bytes : 0;
}

/* Whether the value is computed from buffers without loops or branches. */
static bool is_straight(const simt_gen *gen, const ten_value *value, bool own, uint32_t *left) {
  if (gen->stored[value->number] && !own) return true;
  const ten_op *op = value->op;
  if (!op || !*left) return false;
  --*left;
  switch (op->code) {
    case TEN_OP_CONSTANT:
    case TEN_OP_IOTA:
    case TEN_OP_BROADCAST_IN_DIM:
    case TEN_OP_RESHAPE:
    case TEN_OP_TRANSPOSE:
    case TEN_OP_SLICE:
    case TEN_OP_GATHER:
    case TEN_OP_OPTIMIZATION_BARRIER: break;
    default:
      if (!simt_is_pointwise(op) || op->region_count) return false;
  }
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (!is_straight(gen, ten_op_operand(op, i), false, left)) return false;
  return true;
}

static bool same_places(const simt_gen *gen, const ten_value *a, const ten_value *b) {
  const uint8_t *x = simt_order(gen, a), *y = simt_order(gen, b);
  if (a->type->rank != b->type->rank || !x != !y) return false;
  for (uint32_t i = 0; i < a->type->rank; i++)
    if (a->type->dims[i] != b->type->dims[i] || (x && x[i] != y[i])) return false;
  return true;
}

int64_t simt_lanes_of(const simt_gen *gen, const ten_value *const *outputs, uint32_t count) {
  const ten_type *type = outputs[0]->type;
  const int64_t inner = innermost(type, simt_order(gen, outputs[0]));
  if (inner < 0 || !gen->narrow || gen->language == SIMT_WGSL || ten_type_count(type) < COUNT_LEAST) return 1;
  int64_t lanes = SIMT_LANES_MOST;
  uint32_t left = OPS_MOST;
  for (uint32_t i = 0; i < count; i++) {
    const int64_t bytes = lane_bytes(outputs[i]->type->dtype);
    if (!bytes || !same_places(gen, outputs[0], outputs[i]) || !is_straight(gen, outputs[i], true, &left)) return 1;
    if (lanes > VECTOR / bytes) lanes = VECTOR / bytes;
  }
  return type->dims[inner] % lanes ? 1 : lanes;
}

static bool is_lane(const simt_gen *gen, simt_ix index, int64_t *which) {
  for (int64_t i = 0; index.var && i < gen->lane_count; i++)
    if (gen->lanes[i] == index.var) {
      *which = i;
      return true;
    }
  return false;
}

/* Copies `bytes`, of elements of `each`, by the vector. */
static void emit_move(simt_gen *gen, const char *how, const char *to, const char *from, int64_t bytes, int64_t each) {
  for (int64_t at = 0; at < bytes; at += VECTOR) {
    const int64_t piece = bytes - at < VECTOR ? bytes - at : VECTOR;
    simt_line(gen, "%s_%" PRId64 "(%s + %" PRId64 ", %s + %" PRId64 ");", how, piece, to, at / each, from, at / each);
  }
}

/* The buffer in which a value lies as its type says, or in the order of the buffer's own; NULL: in none. */
static const ten_value *source_of(const simt_gen *gen, const ten_value *value) {
  if (gen->stored[value->number]) return value;
  const ten_value *x = value;
  while (!gen->stored[x->number]) {
    if (!x->op || x->op->code != TEN_OP_RESHAPE) return NULL;
    x = ten_op_operand(x->op, 0);
  }
  return simt_order(gen, x) ? NULL : x;
}

bool simt_load_lanes(simt_gen *gen, const ten_value *value, const simt_ix *index, simt_val *out) {
  const ten_type *type = value->type;
  const ten_value *source = source_of(gen, value);
  const int64_t inner = source ? innermost(type, simt_order(gen, value)) : -1, bytes = lane_bytes(type->dtype);
  int64_t which, other;
  if (inner < 0 || !bytes || type->dims[inner] % gen->lane_count || bytes * gen->lane_count < 4) return false;
  if (!is_lane(gen, index[inner], &which)) return false;
  simt_ix *at = simt_indices(gen, type->rank);
  for (uint32_t i = 0; i < type->rank; i++) {
    if (i != inner && is_lane(gen, index[i], &other)) return false;
    at[i] = index[i];
  }
  char from[48], to[24];
  at[inner] = simt_index_of(gen->lanes[0]);
  const simt_ix place = simt_place(gen, value, at);
  snprintf(from, sizeof from, "p%u + %s", simt_parameter(gen, source), simt_text(gen, place));
  snprintf(to, sizeof to, "r%u", ++gen->registers);
  simt_line(gen, "VECTOR(%s, %s, %" PRId64 ");", simt_memory_type(type->dtype), to, gen->lane_count);
  emit_move(gen, "LOAD", to, from, bytes * gen->lane_count, bytes);
  for (int64_t i = 0; i < gen->lane_count; i++) {
    const simt_val element = simt_load(gen, type->dtype, to, simt_number(i));
    at[inner] = simt_index_of(gen->lanes[i]);
    simt_remember(gen, value, at, element);
    if (i == which) *out = element;
  }
  return true;
}

void simt_set_lanes(simt_gen *gen, simt_ix first, int64_t count) {
  gen->lane_count = count;
  gen->lanes[0] = first.var;
  for (int64_t i = 1; i < count; i++)
    gen->lanes[i] = simt_define(gen, simt_index_type(gen), "%s + %" PRId64, simt_text(gen, first), i);
}

void simt_lanes_declare(simt_gen *gen, const ten_value *const *outputs, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (outputs[i])
      simt_line(gen, "VECTOR(%s, w%u, %" PRId64 ");", simt_memory_type(outputs[i]->type->dtype), i, gen->lane_count);
}

void simt_lanes_store(simt_gen *gen, const ten_value *const *outputs, uint32_t count, simt_ix first) {
  for (uint32_t i = 0; i < count; i++) {
    if (!outputs[i]) continue;
    const int64_t bytes = (int64_t)ten_dtype_bytes(outputs[i]->type->dtype);
    char to[48], from[16];
    snprintf(to, sizeof to, "q%u + %s", i, simt_text(gen, first));
    snprintf(from, sizeof from, "w%u", i);
    emit_move(gen, "STORE", to, from, bytes * gen->lane_count, bytes);
  }
}

bool simt_emit_lanes(simt_gen *gen, bool *stored, const ten_value *const *outputs, uint32_t count, int64_t lanes,
                     simt_ix thread) {
  const int64_t inner = innermost(outputs[0]->type, simt_order(gen, outputs[0]));
  simt_ix *index = simt_indices(gen, outputs[0]->type->rank);
  const simt_ix first = simt_multiply(gen, thread, lanes);
  simt_unplace(gen, outputs[0], first, index);
  if (!index[inner].var) return false;
  simt_set_lanes(gen, index[inner], lanes);
  simt_lanes_declare(gen, outputs, count);
  bool wide = true;
  for (int64_t lane = 0; lane < lanes && wide; lane++) {
    const uint32_t before = gen->loads;
    index[inner] = simt_index_of(gen->lanes[lane]);
    for (uint32_t i = 0; i < count; i++) {
      char pointer[16];
      snprintf(pointer, sizeof pointer, "w%u", i);
      stored[outputs[i]->number] = false; /* computed in this kernel */
      const simt_val element = simt_element(gen, outputs[i], index);
      stored[outputs[i]->number] = true;
      simt_store(gen, outputs[i]->type->dtype, pointer, simt_number(lane), element);
    }
    wide = !lane || gen->loads == before; /* the first loads for all, but for what all of them read */
  }
  simt_lanes_store(gen, outputs, count, first);
  gen->lane_count = 0;
  return wide;
}
