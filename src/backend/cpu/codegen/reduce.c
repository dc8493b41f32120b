/* reduce.c: one result element of reduce and reduce_window: accumulators updated in a loop nest through the op's
 * region. */
#include "backend/cpu/codegen/cg.h"

typedef LLVMValueRef V;

/* A sum or product may be reassociated: so it can be vectorized, the same way on every run. */
static void allow_lanes(ten_cg *cg, cg_val value, ten_dtype dtype) {
  (void)cg;
  if ((dtype != TEN_F32 && dtype != TEN_F64) || !LLVMIsAInstruction(value.re)) return;
  const LLVMOpcode code = LLVMGetInstructionOpcode(value.re);
  if (code == LLVMFAdd || code == LLVMFMul) LLVMSetFastMathFlags(value.re, LLVMFastMathAllowReassoc);
}

/* Type of accumulator k: the region may use a wider type than the operands. */
static ten_dtype work_type(const ten_op *op, uint32_t k) { return ten_op_body(op, 0)->args[k]->type->dtype; }

static cg_val as_work(ten_cg *cg, const ten_op *op, uint32_t k, ten_dtype from, cg_val value) {
  return cg_convert(cg, from, work_type(op, k), value);
}

enum { CHAINS = 4, CHAINED = 64 };

/* Several results, such as argmax, form a dependency chain from element to element. A long row is split into four
 * consecutive parts, reduced in an interleaved loop and then combined in order. */
static bool can_chain(const ten_cg *cg, const ten_op *op) {
  const ten_type *type = ten_op_operand(op, 0)->type;
  const ten_ints dims = ten_op_ints(op, "dimensions");
  if (op->result_count < 2 || dims.count != 1 || dims.data[0] != (int64_t)type->rank - 1 ||
      type->dims[dims.data[0]] < CHAINED)
    return false;
  for (uint32_t k = 0; k < op->result_count; k++) { /* large code is not emitted several times */
    const ten_value *x = ten_op_operand(op, k);
    while (!cg_is_bound(cg, x) && x->op && (x->op->code == TEN_OP_RESHAPE || x->op->code == TEN_OP_BROADCAST_IN_DIM))
      x = ten_op_operand(x->op, 0);
    if (!cg_is_bound(cg, x) && x->op && x->op->code != TEN_OP_IOTA && x->op->code != TEN_OP_CONSTANT) return false;
  }
  return true;
}

static void emit_elements(ten_cg *cg, const ten_op *op, const V *at, cg_val *out) {
  for (uint32_t k = 0; k < op->result_count; k++) {
    const ten_value *x = ten_op_operand(op, k);
    out[k] = as_work(cg, op, k, x->type->dtype, cg_element(cg, x, at));
  }
}

/* vars = body(vars, element at `at`) */
static void combine_at(ten_cg *cg, const ten_op *op, cg_var *vars, const V *at) {
  const uint32_t count = op->result_count;
  cg_val *args = ten_arena_new_array(&cg->ir->arena, cg_val, count * 2),
         *results = ten_arena_new_array(&cg->ir->arena, cg_val, count);
  for (uint32_t k = 0; k < count; k++) args[k] = cg_var_get(cg, &vars[k]);
  emit_elements(cg, op, at, args + count);
  cg_region(cg, &op->regions[0], args, results);
  for (uint32_t k = 0; k < count; k++) cg_var_set(cg, &vars[k], results[k]);
}

static void emit_chains(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out) {
  ten_arena *arena = &cg->ir->arena;
  const uint32_t count = op->result_count;
  const ten_type *type = ten_op_operand(op, 0)->type;
  const uint32_t last = type->rank - 1;
  const int64_t size = type->dims[last], each = size / CHAINS;
  V *at = cg_indices(cg, type->rank);
  for (uint32_t i = 0; i < last; i++) at[i] = index[i];
  cg_var *vars[CHAINS];
  cg_val *args = ten_arena_new_array(arena, cg_val, count * 2), *results = ten_arena_new_array(arena, cg_val, count);
  for (int c = 0; c < CHAINS; c++) { /* the first starts with the initial values, the others with an element */
    vars[c] = ten_arena_new_array(arena, cg_var, count);
    at[last] = cg_const(cg, c * each);
    if (c) emit_elements(cg, op, at, results);
    for (uint32_t k = 0; k < count; k++) {
      const ten_value *init = ten_op_operand(op, count + k);
      vars[c][k] = cg_var_new(cg, work_type(op, k));
      cg_var_set(cg, &vars[c][k], c ? results[k] : as_work(cg, op, k, init->type->dtype, cg_element(cg, init, NULL)));
    }
  }
  at[last] = cg_const(cg, 0);
  combine_at(cg, op, vars[0], at);
  cg_loop loop;
  cg_loop_begin(cg, &loop, cg_const(cg, 1), cg_const(cg, each), 1);
  for (int c = 0; c < CHAINS; c++) {
    at[last] = LLVMBuildNSWAdd(cg->b, loop.index, cg_const(cg, c * each), "");
    combine_at(cg, op, vars[c], at);
  }
  cg_loop_end(cg, &loop);
  for (int c = 1; c < CHAINS; c++) {
    for (uint32_t k = 0; k < count; k++) {
      args[k] = cg_var_get(cg, &vars[0][k]);
      args[count + k] = cg_var_get(cg, &vars[c][k]);
    }
    cg_region(cg, &op->regions[0], args, results);
    for (uint32_t k = 0; k < count; k++) cg_var_set(cg, &vars[0][k], results[k]);
  }
  if (CHAINS * each < size) {
    cg_loop rest;
    cg_loop_begin(cg, &rest, cg_const(cg, CHAINS * each), cg_const(cg, size), 1);
    at[last] = rest.index;
    combine_at(cg, op, vars[0], at);
    cg_loop_end(cg, &rest);
  }
  for (uint32_t k = 0; k < count; k++)
    out[k] = cg_convert(cg, vars[0][k].dtype, op->results[k].type->dtype, cg_var_get(cg, &vars[0][k]));
}

/* Whether an element depends on its place in dimensions `from` and following only by its position in memory: then
 * indices whose last one is that position, and the others zero, say as much. `budget` bounds the values looked at. */
static bool is_by_position(ten_cg *cg, const ten_value *value, uint32_t from, int *budget) {
  if (value->type->rank == 0) return true;
  if ((*budget)-- <= 0) return false;
  if (cg_is_bound(cg, value)) return cg_is_in_memory(cg, value);
  const ten_op *op = value->op;
  if (!op) return false;
  if (op->code == TEN_OP_CONSTANT) return true;
  if (op->code == TEN_OP_BROADCAST_IN_DIM) {
    const ten_ints dims = ten_op_ints(op, "broadcast_dimensions");
    for (size_t i = 0; i < dims.count; i++)
      if (dims.data[i] >= from && ten_op_operand(op, 0)->type->dims[i] != 1) return false;
    return true;
  }
  if (!ten_op_has(op, TEN_TRAIT_ELEMENTWISE | TEN_TRAIT_BROADCASTS_SCALARS)) return false;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (!is_by_position(cg, ten_op_operand(op, i), from, budget)) return false;
  return true;
}

enum { LONG = 512, LOOKED_AT = 32 };

/* The first of the last dimensions that are reduced in one loop: a loop for each short dimension would add up its lanes
 * at every end. Long ones are left apart: sums of sums are more accurate. */
static uint32_t merged_from(ten_cg *cg, const ten_op *op) {
  const ten_type *type = ten_op_operand(op, 0)->type;
  const ten_ints dims = ten_op_ints(op, "dimensions");
  uint32_t from = type->rank;
  if (cg->open) return from; /* how many there are depends on the sizes */
  for (int64_t size = 1; from > 0 && size < LONG && ten_ints_has(dims, from - 1); from--) size *= type->dims[from - 1];
  int budget = LOOKED_AT;
  for (uint32_t k = 0; k < op->result_count && from < type->rank; k++)
    if (!is_by_position(cg, ten_op_operand(op, k), from, &budget)) return type->rank;
  return from;
}

void cg_emit_reduce(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out) {
  if (can_chain(cg, op)) {
    emit_chains(cg, op, index, out);
    return;
  }
  ten_arena *arena = &cg->ir->arena;
  const uint32_t count = op->result_count;
  const ten_type *type = ten_op_operand(op, 0)->type;
  const ten_ints dims = ten_op_ints(op, "dimensions");
  cg_var *vars = ten_arena_new_array(arena, cg_var, count);
  for (uint32_t k = 0; k < count; k++) {
    const ten_value *init = ten_op_operand(op, count + k);
    vars[k] = cg_var_new(cg, work_type(op, k));
    cg_var_set(cg, &vars[k], as_work(cg, op, k, init->type->dtype, cg_element(cg, init, NULL)));
  }
  V *at = cg_indices(cg, type->rank);
  cg_loop *loops = ten_arena_new_array(arena, cg_loop, type->rank + 1);
  const uint32_t merged = merged_from(cg, op);
  uint32_t loop_count = 0;
  for (uint32_t i = 0, kept = 0; i < merged; i++) {
    if (!ten_ints_has(dims, i)) {
      at[i] = index[kept++];
      continue;
    }
    cg_loop_begin(cg, &loops[loop_count], cg_const(cg, 0), cg_const(cg, type->dims[i]), 1);
    at[i] = loops[loop_count++].index;
  }
  if (merged < type->rank) {
    uint32_t last = type->rank - 1; /* a dimension of 1 has no part in a position */
    while (last > merged && type->dims[last] == 1) last--;
    int64_t size = 1;
    for (uint32_t i = merged; i < type->rank; i++) {
      size *= type->dims[i];
      at[i] = cg_const(cg, 0);
    }
    cg_loop_begin(cg, &loops[loop_count], cg_const(cg, 0), cg_const(cg, size), 1);
    at[last] = loops[loop_count++].index;
  }
  cg_val *args = ten_arena_new_array(arena, cg_val, count * 2);
  for (uint32_t k = 0; k < count; k++) {
    args[k] = cg_var_get(cg, &vars[k]);
    args[count + k] = as_work(cg, op, k, ten_op_operand(op, k)->type->dtype, cg_element(cg, ten_op_operand(op, k), at));
  }
  cg_val *results = ten_arena_new_array(arena, cg_val, count);
  cg_region(cg, &op->regions[0], args, results);
  if (count == 1) allow_lanes(cg, results[0], vars[0].dtype);
  for (uint32_t k = 0; k < count; k++) cg_var_set(cg, &vars[k], results[k]);
  while (loop_count-- > 0) cg_loop_end(cg, &loops[loop_count]);
  for (uint32_t k = 0; k < count; k++)
    out[k] = cg_convert(cg, vars[k].dtype, op->results[k].type->dtype, cg_var_get(cg, &vars[k]));
}

/* The base index of window position k of result index i: `at`, and whether it is in bounds and not in a hole. */
static V window_position(ten_cg *cg, const ten_window *window, uint32_t d, int64_t size, V i, V k, V *at) {
  LLVMBuilderRef b = cg->b;
  V from = LLVMBuildNSWAdd(b, LLVMBuildNSWMul(b, i, cg_const(cg, window->strides[d]), ""),
                           LLVMBuildNSWMul(b, k, cg_const(cg, window->dilation[d]), ""), "");
  from = LLVMBuildNSWSub(b, from, cg_const(cg, window->padding[2 * d]), "");
  V inside = LLVMBuildICmp(b, LLVMIntSGE, from, cg_const(cg, 0), "");
  if (window->base_dilation[d] != 1) {
    V step = cg_const(cg, window->base_dilation[d]);
    V whole = LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildSRem(b, from, step, ""), cg_const(cg, 0), "");
    inside = LLVMBuildAnd(b, inside, whole, "");
    from = LLVMBuildSDiv(b, from, step, "");
  }
  *at = from;
  return LLVMBuildAnd(b, inside, LLVMBuildICmp(b, LLVMIntSLT, from, cg_const(cg, size), ""), "");
}

enum { UNROLLED = 16 };

/* A small window over a non-empty base is unrolled: no branch and no loop, so that the loop over result elements can be
 * vectorized. Out of bounds, a clamped position is read and the initial value selected. */
bool cg_unrolls_window(const ten_op *op, const ten_window *window) {
  const ten_type *type = ten_op_operand(op, 0)->type;
  int64_t positions = ten_type_count(type) > 0 && op->result_count == 1 ? 1 : UNROLLED + 1;
  for (uint32_t i = 0; i < type->rank && positions <= UNROLLED; i++)
    positions = window->base_dilation[i] != 1 ? UNROLLED + 1 : positions * window->size[i];
  return positions <= UNROLLED;
}

/* Whether position k of dimension d is in bounds for every result index; where sizes are open, for every size: with a
 * stride the last window may or may not reach into the padding, of which there is as much as before the first, or less
 * where a program pads no more than it reads. */
static bool always_inside(const ten_cg *cg, const ten_op *op, const ten_window *window, uint32_t d, int64_t k) {
  const int64_t first = k * window->dilation[d] - window->padding[2 * d];
  if (first < 0) return false;
  if (cg->open) {
    const int64_t low = window->padding[2 * d], high = window->padding[2 * d + 1];
    return (high > low ? high : low) <= (window->size[d] - 1 - k) * window->dilation[d];
  }
  return (op->results[0].type->dims[d] - 1) * window->strides[d] + first < ten_op_operand(op, 0)->type->dims[d];
}

static cg_val window_element(ten_cg *cg, const ten_op *op, const ten_window *window, const V *index, const int64_t *k,
                             cg_val init) {
  const ten_value *base = ten_op_operand(op, 0);
  V *at = cg_indices(cg, base->type->rank), inside = NULL;
  for (uint32_t d = 0; d < base->type->rank; d++) {
    const int64_t size = base->type->dims[d];
    V here = window_position(cg, window, d, size, index[d], cg_const(cg, k[d]), &at[d]);
    if (always_inside(cg, op, window, d, k[d])) continue;
    int64_t least, most;
    if (cg_bounds_of(cg, at[d], &least, &most)) {
      if (least >= 0 && most < size) continue;
      if (most < 0 || least >= size) return init;
    }
    V low = cg_const(cg, 0), high = cg_const(cg, size - 1);
    at[d] = LLVMBuildSelect(cg->b, LLVMBuildICmp(cg->b, LLVMIntSLT, at[d], low, ""), low, at[d], "");
    at[d] = LLVMBuildSelect(cg->b, LLVMBuildICmp(cg->b, LLVMIntSGT, at[d], high, ""), high, at[d], "");
    inside = inside ? LLVMBuildAnd(cg->b, inside, here, "") : here;
  }
  const cg_val value = as_work(cg, op, 0, base->type->dtype, cg_element(cg, base, at));
  return inside ? cg_select(cg, inside, value, init) : value;
}

static void emit_unrolled(ten_cg *cg, const ten_op *op, const ten_window *window, const V *index, cg_val *out) {
  const uint32_t rank = ten_op_operand(op, 0)->type->rank;
  const ten_value *start = ten_op_operand(op, 1);
  const cg_val init = as_work(cg, op, 0, start->type->dtype, cg_element(cg, start, NULL));
  cg_val sum = init;
  int64_t *k = ten_arena_new_array(&cg->ir->arena, int64_t, rank + 1);
  for (bool more = true; more;) {
    const cg_val args[2] = {sum, window_element(cg, op, window, index, k, init)};
    cg_region(cg, &op->regions[0], args, &sum);
    more = false;
    for (uint32_t d = rank; d-- > 0 && !more;) {
      more = ++k[d] < window->size[d];
      if (!more) k[d] = 0;
    }
  }
  out[0] = cg_convert(cg, work_type(op, 0), op->results[0].type->dtype, sum);
}

void cg_emit_reduce_window(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out) {
  ten_arena *arena = &cg->ir->arena;
  const uint32_t count = op->result_count;
  const ten_type *type = ten_op_operand(op, 0)->type;
  const ten_window window = ten_op_window(cg->ir, op);
  if (cg_unrolls_window(op, &window)) {
    emit_unrolled(cg, op, &window, index, out);
    return;
  }
  cg_var *vars = ten_arena_new_array(arena, cg_var, count), *elements = ten_arena_new_array(arena, cg_var, count);
  cg_val *inits = ten_arena_new_array(arena, cg_val, count);
  for (uint32_t k = 0; k < count; k++) {
    const ten_value *init = ten_op_operand(op, count + k);
    vars[k] = cg_var_new(cg, work_type(op, k));
    elements[k] = cg_var_new(cg, work_type(op, k));
    inits[k] = as_work(cg, op, k, init->type->dtype, cg_element(cg, init, NULL));
    cg_var_set(cg, &vars[k], inits[k]);
  }
  V *at = cg_indices(cg, type->rank);
  V inside = LLVMConstInt(cg->i1, ten_type_count(type) > 0, false);
  cg_loop *loops = ten_arena_new_array(arena, cg_loop, type->rank + 1);
  uint32_t loop_count = 0;
  for (uint32_t i = 0; i < type->rank; i++) {
    V k = cg_const(cg, 0);
    if (window.size[i] != 1) {
      cg_loop_begin(cg, &loops[loop_count], k, cg_const(cg, window.size[i]), 1);
      k = loops[loop_count++].index;
    }
    inside = LLVMBuildAnd(cg->b, inside, window_position(cg, &window, i, type->dims[i], index[i], k, &at[i]), "");
  }
  for (uint32_t k = 0; k < count; k++) cg_var_set(cg, &elements[k], inits[k]);
  cg_if branch;
  cg_if_begin(cg, &branch, inside);
  for (uint32_t k = 0; k < count; k++)
    cg_var_set(cg, &elements[k],
               as_work(cg, op, k, ten_op_operand(op, k)->type->dtype, cg_element(cg, ten_op_operand(op, k), at)));
  cg_if_end(cg, &branch);
  cg_val *args = ten_arena_new_array(arena, cg_val, count * 2), *results = ten_arena_new_array(arena, cg_val, count);
  for (uint32_t k = 0; k < count; k++) {
    args[k] = cg_var_get(cg, &vars[k]);
    args[count + k] = cg_var_get(cg, &elements[k]);
  }
  cg_region(cg, &op->regions[0], args, results);
  for (uint32_t k = 0; k < count; k++) cg_var_set(cg, &vars[k], results[k]);
  while (loop_count-- > 0) cg_loop_end(cg, &loops[loop_count]);
  for (uint32_t k = 0; k < count; k++)
    out[k] = cg_convert(cg, vars[k].dtype, op->results[k].type->dtype, cg_var_get(cg, &vars[k]));
}
