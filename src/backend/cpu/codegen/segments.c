/* segments.c: where a loop nest over a value changes what it reads: between operands of concatenations, at the edges
 * of pads and windows. A loop for each part has affine addresses and no comparisons, so that it is vectorized; one loop
 * over all would select addresses element by element, and gather.
 * Needs: values bound as in the loops to come. Leaves alone what has too many parts, or too much code for copies. */
#include <string.h>

#include "backend/cpu/codegen/cg.h"
#include "ir/index_map.h"

typedef LLVMValueRef V;

enum { LOOKED_AT = 200, EMITTED = 400 /* values, and in all copies of their code */ };
enum { CUTS = 16, SHORT = 4, LONG = 16, DEEP = 8 };

/* Where the parts of each dimension end, but for the last part. */
typedef struct segments {
  uint32_t *counts;
  int64_t (*ends)[CUTS];
} segments;

typedef struct walker {
  ten_cg *cg;
  segments *found;
  int64_t *low, *high; /* of the nest's indices, where the value being looked at is read */
  int budget;
} walker;

/* Dimension d has a part that starts at `at`. */
static void cut(walker *w, uint32_t d, int64_t at) {
  segments *s = w->found;
  if (at <= w->low[d] || at >= w->high[d]) return;
  uint32_t i = 0;
  while (i < s->counts[d] && s->ends[d][i] < at) i++;
  if (i < s->counts[d] && s->ends[d][i] == at) return;
  if (s->counts[d] == CUTS) {
    w->budget = -1;
    return;
  }
  for (uint32_t k = s->counts[d]++; k > i; k--) s->ends[d][k] = s->ends[d][k - 1];
  s->ends[d][i] = at;
}

/* The first index of the nest that `part` maps to `bound` or beyond; -1: unknown. */
static int64_t first_at(ten_index_part part, int64_t bound) {
  if (part.source < 0) return -1;
  const int64_t size = part.scale < 0 ? -part.scale : part.scale;
  const int64_t left = part.scale < 0 ? part.offset - bound : bound - part.offset;
  const int64_t down = left >= 0 ? left / size : -((-left + size - 1) / size);
  return part.scale < 0 || left != down * size ? down + 1 : down;
}

/* Larger strides and offsets are of no tensor in memory: what is read so is unknown, and no size here overflows. */
static const int64_t FAR = (int64_t)1 << 48;

static bool is_far(int64_t number) { return number <= -FAR || number >= FAR; }

/* The index times `scale` plus `offset`. */
static ten_index_part moved(ten_index_part part, int64_t scale, int64_t offset) {
  const ten_index_part unknown = {.source = -1};
  int64_t at;
  if (part.source < 0 || is_far(offset) || __builtin_mul_overflow(part.scale, scale, &part.scale) ||
      __builtin_mul_overflow(part.offset, scale, &at) || is_far(part.scale) || is_far(at) || is_far(at + offset))
    return unknown;
  part.offset = at + offset;
  return part;
}

static void cut_at(walker *w, ten_index_part part, int64_t bound) {
  if (part.source >= 0 && !is_far(bound)) cut(w, (uint32_t)part.source, first_at(part, bound));
}

static void look(walker *w, const ten_value *value, const ten_index_part *map);

/* Each piece is looked at only where it is read. */
static void look_at_pieces(walker *w, const ten_op *op, const ten_index_part *map) {
  const uint32_t rank = op->results[0].type->rank;
  ten_index_part *at = ten_arena_new_array(&w->cg->ir->arena, ten_index_part, rank);
  memcpy(at, map, rank * sizeof *at);
  for (ten_concat_piece piece = {0}; ten_concat_next(op, &piece);) {
    const ten_index_part part = map[piece.dim];
    if (piece.start) cut_at(w, part, piece.start);
    at[piece.dim] = moved(part, 1, -piece.start);
    const bool known = part.source >= 0 && part.scale > 0 && !is_far(piece.start) && !is_far(piece.end);
    int64_t *low = known ? &w->low[part.source] : NULL, *high = known ? &w->high[part.source] : NULL;
    const int64_t from = known ? *low : 0, to = known ? *high : 0;
    if (known && first_at(part, piece.start) > from) *low = first_at(part, piece.start);
    if (known && first_at(part, piece.end) < to) *high = first_at(part, piece.end);
    look(w, ten_op_operand(op, piece.operand), at);
    if (known) {
      *low = from;
      *high = to;
    }
    if (piece.last) break;
  }
}

static void look_at_pad(walker *w, const ten_op *op, ten_index_part *at) {
  for (uint32_t i = 0; i < op->results[0].type->rank; i++) {
    const ten_pad_part part = ten_pad_part_of(op, i);
    if (part.whole) continue;
    if (part.step == 1) {
      const bool far = is_far(part.low) || is_far(part.size);
      if (!far) cut_at(w, at[i], part.low);
      if (!far) cut_at(w, at[i], part.low + part.size);
      at[i] = moved(at[i], 1, far ? FAR : -part.low);
    } else {
      at[i].source = -1;
    }
  }
  look(w, ten_op_operand(op, 0), at);
}

static void look_at_windows(walker *w, const ten_op *op, const ten_index_part *map) {
  const ten_window window = ten_op_window(w->cg->ir, op);
  const ten_type *base = ten_op_operand(op, 0)->type;
  if (!cg_unrolls_window(op, &window)) return;
  for (uint32_t i = 0; i < base->rank; i++)
    for (int64_t k = 0; k < window.size[i]; k++) {
      if (is_far(window.dilation[i]) || is_far(window.padding[2 * i]) || is_far(k * window.dilation[i])) continue;
      const ten_index_part part = moved(map[i], window.strides[i], k * window.dilation[i] - window.padding[2 * i]);
      cut_at(w, part, 0);
      cut_at(w, part, base->dims[i]);
    }
}

static void look_at_moved(walker *w, const ten_op *op, const ten_index_part *map) {
  const ten_value *x = ten_op_operand(op, 0);
  ten_index_part *at = ten_arena_new_array(&w->cg->ir->arena, ten_index_part, x->type->rank + 1);
  for (uint32_t i = 0; i < x->type->rank; i++) {
    const ten_index_part part = ten_index_part_of(op, i);
    at[i] = (ten_index_part){.source = -1};
    if (part.source < 0) continue;
    at[i] = moved(map[part.source], part.scale, part.offset);
  }
  look(w, x, at);
}

/* Dimensions that a reshape leaves alone keep their index; of the others nothing is known. */
static void look_at_reshape(walker *w, const ten_op *op, const ten_index_part *map) {
  const ten_value *x = ten_op_operand(op, 0);
  ten_index_part *at = ten_arena_new_array(&w->cg->ir->arena, ten_index_part, x->type->rank + 1);
  for (uint32_t i = 0; i < x->type->rank; i++) at[i] = (ten_index_part){.source = -1};
  for (ten_reshape_run run = {0}; ten_reshape_next(op->results[0].type, x->type, &run);)
    if (run.from_end == run.from + 1 && run.to_end == run.to + 1) at[run.to] = map[run.from];
  look(w, x, at);
}

/* Of the operands' dimensions the kept ones have the result's index. */
static void look_at_reduce(walker *w, const ten_op *op, const ten_index_part *map) {
  const uint32_t rank = ten_op_operand(op, 0)->type->rank;
  const ten_ints dims = ten_op_ints(op, "dimensions");
  ten_index_part *at = ten_arena_new_array(&w->cg->ir->arena, ten_index_part, rank + 1);
  for (uint32_t i = 0, kept = 0; i < rank; i++)
    at[i] = ten_ints_has(dims, i) ? (ten_index_part){.source = -1} : map[kept++];
  for (uint32_t i = 0; i < op->result_count; i++) look(w, ten_op_operand(op, i), at);
}

static void look(walker *w, const ten_value *value, const ten_index_part *map) {
  const ten_op *op = value->op;
  if (w->budget < 0 || value->type->rank == 0 || !op || cg_is_bound(w->cg, value)) return;
  if (w->budget-- == 0) return;
  const uint32_t rank = value->type->rank;
  switch (op->code) {
    case TEN_OP_CONCATENATE: look_at_pieces(w, op, map); return;
    case TEN_OP_PAD: {
      ten_index_part *at = ten_arena_new_array(&w->cg->ir->arena, ten_index_part, rank);
      memcpy(at, map, rank * sizeof *at);
      look_at_pad(w, op, at);
      return;
    }
    case TEN_OP_REDUCE_WINDOW: look_at_windows(w, op, map); return;
    case TEN_OP_BROADCAST:
    case TEN_OP_BROADCAST_IN_DIM:
    case TEN_OP_TRANSPOSE:
    case TEN_OP_SLICE:
    case TEN_OP_REVERSE: look_at_moved(w, op, map); return;
    case TEN_OP_RESHAPE: look_at_reshape(w, op, map); return;
    case TEN_OP_REDUCE: look_at_reduce(w, op, map); return;
    default: break;
  }
  if (ten_op_has(op, TEN_TRAIT_ELEMENTWISE | TEN_TRAIT_BROADCASTS_SCALARS))
    for (uint32_t i = 0; i < op->operand_count; i++) look(w, ten_op_operand(op, i), map);
}

/* ---- what is known of indices ------------------------------------------------------------------------------------ */

static bool bounds_of(const ten_cg *cg, V value, int depth, int64_t *low, int64_t *high) {
  if (LLVMIsAConstantInt(value)) {
    *low = *high = (int64_t)LLVMConstIntGetSExtValue(value);
    return true;
  }
  for (uint32_t i = 0; i < cg->range_count; i++)
    if (cg->ranges[i].index == value) {
      *low = cg->ranges[i].low;
      *high = cg->ranges[i].high - 1;
      return true;
    }
  if (depth == DEEP || !LLVMIsAInstruction(value)) return false;
  const LLVMOpcode code = LLVMGetInstructionOpcode(value);
  if (code != LLVMAdd && code != LLVMSub && code != LLVMMul) return false;
  int64_t x[2], y[2];
  if (!bounds_of(cg, LLVMGetOperand(value, 0), depth + 1, &x[0], &x[1])) return false;
  if (!bounds_of(cg, LLVMGetOperand(value, 1), depth + 1, &y[0], &y[1])) return false;
  if (code == LLVMMul && (x[0] < 0 || y[0] < 0)) return false;
  const bool minus = code == LLVMSub;
  if (code == LLVMMul) return !__builtin_mul_overflow(x[0], y[0], low) && !__builtin_mul_overflow(x[1], y[1], high);
  if (minus) return !__builtin_sub_overflow(x[0], y[1], low) && !__builtin_sub_overflow(x[1], y[0], high);
  return !__builtin_add_overflow(x[0], y[0], low) && !__builtin_add_overflow(x[1], y[1], high);
}

bool cg_bounds_of(const ten_cg *cg, V value, int64_t *low, int64_t *high) {
  return cg->range_count && bounds_of(cg, value, 0, low, high);
}

static void know(ten_cg *cg, V index, int64_t low, int64_t high) {
  if (cg->range_count == CG_RANGES || LLVMIsAConstantInt(index)) return;
  cg->ranges[cg->range_count++] = (cg_range){index, low, high};
}

/* ---- the loops --------------------------------------------------------------------------------------------------- */

typedef struct nest {
  const ten_type *type;
  segments found;
  uint32_t outer; /* dimensions whose indices are given; a loop over the last one, if it is not */
  V *index;
  cg_nest_body *body;
  void *context;
} nest;

static int64_t part_low(const nest *n, uint32_t d, uint32_t part) { return part ? n->found.ends[d][part - 1] : 0; }
static int64_t part_high(const nest *n, uint32_t d, uint32_t part) {
  return part < n->found.counts[d] ? n->found.ends[d][part] : n->type->dims[d];
}

static uint32_t widest(const nest *n, uint32_t d) {
  uint32_t best = 0;
  for (uint32_t i = 1; i <= n->found.counts[d]; i++)
    if (part_high(n, d, i) - part_low(n, d, i) > part_high(n, d, best) - part_low(n, d, best)) best = i;
  return best;
}

static void emit_columns(ten_cg *cg, nest *n) {
  const uint32_t last = n->type->rank - 1, known = cg->range_count;
  if (n->outer > last) {
    n->body(cg, n->context, n->index);
    return;
  }
  for (uint32_t i = 0; i <= n->found.counts[last]; i++) {
    const int64_t low = part_low(n, last, i), high = part_high(n, last, i);
    cg_loop loop;
    const bool single = high - low == 1;
    n->index[last] = cg_const(cg, low);
    if (single) {
      cg_scope_push(cg);
    } else {
      cg_loop_begin(cg, &loop, cg_const(cg, low), cg_const(cg, high), 1);
      n->index[last] = loop.index;
      know(cg, loop.index, low, high);
    }
    n->body(cg, n->context, n->index);
    cg->range_count = known;
    if (single)
      cg_scope_pop(cg);
    else
      cg_loop_end(cg, &loop);
  }
}

/* The outer dimension that has parts, if it is the only one and these are few; rank: else; -1: none. */
static int64_t outer_dimension(const nest *n) {
  int64_t found = -1;
  for (uint32_t d = 0; d < n->outer; d++)
    if (n->found.counts[d]) found = found < 0 && n->found.counts[d] < SHORT ? d : n->type->rank;
  return found;
}

/* A branch for each part of dimension d. */
static void emit_parts(ten_cg *cg, nest *n, uint32_t d) {
  cg_if branches[CUTS];
  const uint32_t cuts = n->found.counts[d], known = cg->range_count;
  for (uint32_t i = 0; i <= cuts; i++) {
    V end = cg_const(cg, part_high(n, d, i));
    if (i < cuts) cg_if_begin(cg, &branches[i], LLVMBuildICmp(cg->b, LLVMIntSLT, n->index[d], end, ""));
    know(cg, n->index[d], part_low(n, d, i), part_high(n, d, i));
    emit_columns(cg, n);
    cg->range_count = known;
    if (i < cuts) cg_if_else(cg, &branches[i]);
  }
  for (uint32_t i = cuts; i-- > 0;) cg_if_end(cg, &branches[i]);
}

/* One branch for the widest part of each dimension, and one for all others. */
static void emit_inside(ten_cg *cg, nest *n) {
  const uint32_t known = cg->range_count;
  V inside = LLVMConstInt(cg->i1, 1, false);
  for (uint32_t d = 0; d < n->outer; d++) {
    if (!n->found.counts[d]) continue;
    const uint32_t part = widest(n, d);
    V low = cg_const(cg, part_low(n, d, part)), high = cg_const(cg, part_high(n, d, part));
    inside = LLVMBuildAnd(cg->b, inside, LLVMBuildICmp(cg->b, LLVMIntSGE, n->index[d], low, ""), "");
    inside = LLVMBuildAnd(cg->b, inside, LLVMBuildICmp(cg->b, LLVMIntSLT, n->index[d], high, ""), "");
    know(cg, n->index[d], part_low(n, d, part), part_high(n, d, part));
  }
  cg_if branch;
  cg_if_begin(cg, &branch, inside);
  emit_columns(cg, n);
  cg->range_count = known;
  cg_if_else(cg, &branch);
  emit_columns(cg, n);
  cg_if_end(cg, &branch);
}

/* Parts of rows that are vectors for the most part, or a few elements; or few results at the edges. */
static bool is_worthwhile(const nest *n) {
  const uint32_t last = n->type->rank - 1, part = widest(n, last);
  const int64_t size = n->type->dims[last];
  if (n->outer > last) {
    double inside = 1;
    for (uint32_t d = 0; d <= last; d++)
      inside *= (double)(part_high(n, d, widest(n, d)) - part_low(n, d, widest(n, d))) / (double)n->type->dims[d];
    const int64_t outer = outer_dimension(n);
    return outer >= 0 && (outer <= last || inside >= 0.5);
  }
  if (!n->found.counts[last]) return outer_dimension(n) >= 0 && size >= SHORT;
  return size <= SHORT || (size >= LONG && part_high(n, last, part) - part_low(n, last, part) >= size / 4);
}

/* How often the code of one element is emitted. */
static int copies_of(const nest *n) {
  const uint32_t last = n->type->rank - 1;
  const int64_t outer = outer_dimension(n);
  const int branches = outer < 0 ? 1 : outer <= last ? (int)n->found.counts[outer] + 1 : 2;
  return branches * (n->outer > last ? 1 : (int)n->found.counts[last] + 1);
}

bool cg_segmented_loops(ten_cg *cg, const ten_value *const *roots, size_t count, bool by_rows, V begin, V end,
                        cg_nest_body *body, void *context) {
  ten_arena *arena = &cg->ir->arena;
  const ten_type *type = roots[0]->type;
  const uint32_t rank = type->rank;
  if (cg->open || !rank || !ten_type_count(type)) return false; /* where parts end depends on the sizes */
  nest n = {.type = type, .outer = by_rows ? rank - 1 : rank, .body = body, .context = context};
  n.found.counts = ten_arena_new_array(arena, uint32_t, rank);
  n.found.ends = (int64_t(*)[CUTS])ten_arena_new_array(arena, int64_t, (size_t)rank *CUTS);
  walker w = {.cg = cg, .found = &n.found, .budget = LOOKED_AT};
  w.low = ten_arena_new_array(arena, int64_t, rank);
  w.high = ten_arena_new_array(arena, int64_t, rank);
  ten_index_part *map = ten_arena_new_array(arena, ten_index_part, rank);
  for (uint32_t i = 0; i < rank; i++) {
    w.high[i] = type->dims[i];
    map[i] = (ten_index_part){.source = i, .scale = 1};
  }
  for (size_t i = 0; i < count; i++) look(&w, roots[i], map);
  if (w.budget < 0 || (LOOKED_AT - w.budget) * copies_of(&n) > EMITTED || !is_worthwhile(&n)) return false;
  n.index = cg_indices(cg, rank);
  cg_loop units;
  cg_loop_begin(cg, &units, begin, end, 1);
  cg_delinearise(cg, n.outer, type->dims, units.index, n.index);
  const int64_t outer = outer_dimension(&n);
  if (outer < 0)
    emit_columns(cg, &n);
  else if (outer < rank)
    emit_parts(cg, &n, (uint32_t)outer);
  else
    emit_inside(cg, &n);
  cg_loop_end(cg, &units);
  return true;
}
