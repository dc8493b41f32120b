/* select_scatter.c: select_and_scatter, the gradient of max pooling: in every window, the element that the first region
 * selects is combined with the window's source by the second.
 *
 * Leading dimensions not spanned by windows are independent: a unit of the step is one index of those. If windows do
 * not span the last dimension either (channels last), a unit is a block of that dimension as well, and every loop over
 * it is vectorized: the current selection, and its position in the window, are arrays on the stack. Sources of one
 * element are added in the order of the windows, whatever the units. */
#include "backend/cpu/codegen/scatter.h"

typedef LLVMValueRef V;

enum { LANES_FROM = 4, BLOCK = 256 };

static bool is_unspanned(const ten_window *w, uint32_t d) {
  return w->size[d] == 1 && w->strides[d] == 1 && !w->padding[2 * d] && !w->padding[2 * d + 1];
}

static uint32_t leading(const ten_window *w) {
  uint32_t count = 0;
  while (count < w->rank && is_unspanned(w, count)) count++;
  return count;
}

/* The width of a block of the last dimension; 0: windows span it. */
static int64_t block_width(const ten_op *op, const ten_window *w) {
  const ten_type *type = op->results[0].type;
  const uint32_t last = w->rank - 1;
  if (w->rank < 2 || !is_unspanned(w, last) || leading(w) == w->rank || type->dims[last] < LANES_FROM) return 0;
  if (ten_dtype_is_complex(type->dtype)) return 0;
  return type->dims[last] < BLOCK ? type->dims[last] : BLOCK;
}

static int64_t leading_count(const ten_type *type, uint32_t lead) {
  int64_t count = 1;
  for (uint32_t i = 0; i < lead; i++) count *= type->dims[i];
  return count;
}

int64_t cg_select_scatter_units(ten_module *module, const ten_op *op) {
  const ten_type *type = op->results[0].type;
  const ten_window w = ten_op_window(module, op);
  if (!w.rank || !ten_type_count(type)) return 1;
  const int64_t width = block_width(op, &w), units = leading_count(type, leading(&w));
  return width ? units * ((type->dims[w.rank - 1] + width - 1) / width) : units;
}

typedef struct selecting {
  const ten_op *op;
  const ten_type *type; /* of the operand and the result */
  ten_window window;
  uint32_t lead, spanned; /* windows span dimensions [lead, spanned) */
  V output;
  V *index, *at;      /* of a window, and of one of its elements */
  V first, span;      /* the block of the last dimension */
  V chosen, position; /* arrays of a block's width; position: -1 before anything is selected */
  cg_loop *windows, *positions;
} selecting;

/* Initialises the unit's part of the result. */
static void fill(ten_cg *cg, selecting *s, cg_val init) {
  cg_loop *loops = ten_arena_new_array(&cg->ir->arena, cg_loop, s->type->rank + 1), lanes;
  V *at = cg_indices(cg, s->type->rank);
  for (uint32_t d = 0; d < s->lead; d++) at[d] = s->index[d];
  for (uint32_t d = s->lead; d < s->spanned; d++) {
    cg_loop_begin(cg, &loops[d], cg_const(cg, 0), cg_const(cg, s->type->dims[d]), 1);
    at[d] = loops[d].index;
  }
  if (s->span) {
    cg_loop_begin(cg, &lanes, cg_const(cg, 0), s->span, 1);
    at[s->spanned] = LLVMBuildNSWAdd(cg->b, s->first, lanes.index, "");
  }
  cg_store(cg, s->type->dtype, s->output, cg_linear(cg, s->type, at), init);
  if (s->span) cg_loop_end(cg, &lanes);
  for (uint32_t d = s->spanned; d-- > s->lead;) cg_loop_end(cg, &loops[d]);
}

static void windows_begin(ten_cg *cg, selecting *s) {
  const ten_type *source = ten_op_operand(s->op, 1)->type;
  for (uint32_t d = s->lead; d < s->spanned; d++) {
    cg_loop_begin(cg, &s->windows[d], cg_const(cg, 0), cg_const(cg, source->dims[d]), 1);
    s->index[d] = s->windows[d].index;
  }
}

static void windows_end(ten_cg *cg, selecting *s) {
  for (uint32_t d = s->spanned; d-- > s->lead;) cg_loop_end(cg, &s->windows[d]);
}

/* Loops over the positions of a window inside the operand, with their index in the window. */
static V positions_begin(ten_cg *cg, selecting *s, cg_if *branch) {
  LLVMBuilderRef b = cg->b;
  const ten_window *w = &s->window;
  V inside = LLVMConstInt(cg->i1, 1, false), number = cg_const(cg, 0);
  for (uint32_t d = 0; d < s->lead; d++) s->at[d] = s->index[d];
  for (uint32_t d = s->lead; d < s->spanned; d++) {
    cg_loop_begin(cg, &s->positions[d], cg_const(cg, 0), cg_const(cg, w->size[d]), 1);
    V k = s->positions[d].index;
    V from = LLVMBuildNSWAdd(b, LLVMBuildNSWMul(b, s->index[d], cg_const(cg, w->strides[d]), ""), k, "");
    s->at[d] = LLVMBuildNSWSub(b, from, cg_const(cg, w->padding[2 * d]), "");
    number = LLVMBuildNSWAdd(b, LLVMBuildNSWMul(b, number, cg_const(cg, w->size[d]), ""), k, "");
    inside = LLVMBuildAnd(b, inside, LLVMBuildICmp(b, LLVMIntULT, s->at[d], cg_const(cg, s->type->dims[d]), ""), "");
  }
  cg_if_begin(cg, branch, inside);
  return number;
}

static void positions_end(ten_cg *cg, selecting *s, cg_if *branch) {
  cg_if_end(cg, branch);
  for (uint32_t d = s->spanned; d-- > s->lead;) cg_loop_end(cg, &s->positions[d]);
}

/* A block of adjacent windows in the last dimension. */
static void select_lanes(ten_cg *cg, selecting *s, cg_val init) {
  const ten_dtype dtype = s->type->dtype;
  const uint32_t last = s->spanned;
  const cg_val none = {LLVMConstInt(cg->i32, (unsigned long long)-1, true), NULL};
  cg_loop lanes;
  cg_if branch;
  cg_loop_begin(cg, &lanes, cg_const(cg, 0), s->span, 1);
  cg_store(cg, dtype, s->chosen, lanes.index, init);
  cg_store(cg, TEN_I32, s->position, lanes.index, none);
  cg_loop_end(cg, &lanes);

  V number = LLVMBuildTrunc(cg->b, positions_begin(cg, s, &branch), cg->i32, "");
  cg_loop_begin(cg, &lanes, cg_const(cg, 0), s->span, 1);
  s->at[last] = LLVMBuildNSWAdd(cg->b, s->first, lanes.index, "");
  const cg_val element = cg_element(cg, ten_op_operand(s->op, 0), s->at),
               at = cg_load(cg, TEN_I32, s->position, lanes.index);
  const cg_val args[] = {cg_load(cg, dtype, s->chosen, lanes.index), element};
  cg_val keep;
  cg_region(cg, &s->op->regions[0], args, &keep);
  V stays = LLVMBuildAnd(cg->b, LLVMBuildICmp(cg->b, LLVMIntNE, at.re, none.re, ""), keep.re, "");
  cg_store(cg, dtype, s->chosen, lanes.index, cg_select(cg, stays, args[0], element));
  cg_store(cg, TEN_I32, s->position, lanes.index, cg_select(cg, stays, at, (cg_val){number, NULL}));
  cg_loop_end(cg, &lanes);
  positions_end(cg, s, &branch);
}

static void scatter_lanes(ten_cg *cg, selecting *s) {
  const uint32_t last = s->spanned;
  cg_loop lanes;
  cg_if branch;
  V number = LLVMBuildTrunc(cg->b, positions_begin(cg, s, &branch), cg->i32, "");
  cg_loop_begin(cg, &lanes, cg_const(cg, 0), s->span, 1);
  s->at[last] = s->index[last] = LLVMBuildNSWAdd(cg->b, s->first, lanes.index, "");
  V to = cg_linear(cg, s->type, s->at);
  const cg_val args[] = {cg_load(cg, s->type->dtype, s->output, to),
                         cg_element(cg, ten_op_operand(s->op, 1), s->index)};
  cg_val result;
  cg_region(cg, &s->op->regions[1], args, &result);
  V chosen = LLVMBuildICmp(cg->b, LLVMIntEQ, cg_load(cg, TEN_I32, s->position, lanes.index).re, number, "");
  cg_store(cg, s->type->dtype, s->output, to, cg_select(cg, chosen, result, args[0]));
  cg_loop_end(cg, &lanes);
  positions_end(cg, s, &branch);
}

static void by_lanes(ten_cg *cg, selecting *s, cg_val init, V block, int64_t width) {
  const int64_t all = s->type->dims[s->spanned];
  s->first = LLVMBuildNSWMul(cg->b, block, cg_const(cg, width), "");
  s->span = cg_const(cg, width);
  if (all % width) {
    V args[] = {LLVMBuildNSWSub(cg->b, cg_const(cg, all), s->first, ""), s->span};
    s->span = cg_intrinsic(cg, "llvm.smin", cg->i64, args, 2);
  }
  fill(cg, s, init);
  windows_begin(cg, s);
  select_lanes(cg, s, init);
  scatter_lanes(cg, s);
  windows_end(cg, s);
}

/* Windows in any dimensions, one after the other. */
static void one_by_one(ten_cg *cg, selecting *s, cg_val init) {
  const ten_dtype dtype = s->type->dtype;
  const ten_value *x = ten_op_operand(s->op, 0), *source = ten_op_operand(s->op, 1);
  const cg_var chosen = cg_var_new(cg, dtype), place = cg_var_new(cg, TEN_I64), found = cg_var_new(cg, TEN_I1);
  cg_if branch;
  fill(cg, s, init);
  windows_begin(cg, s);
  cg_var_set(cg, &found, (cg_val){LLVMConstInt(cg->i1, 0, false), NULL});
  cg_var_set(cg, &place, (cg_val){cg_const(cg, 0), NULL});
  cg_var_set(cg, &chosen, init);
  positions_begin(cg, s, &branch);
  const cg_val element = cg_element(cg, x, s->at), here = {cg_linear(cg, x->type, s->at), NULL};
  const cg_val pair[] = {cg_var_get(cg, &chosen), element};
  cg_val keep, result;
  cg_region(cg, &s->op->regions[0], pair, &keep);
  V stays = LLVMBuildAnd(cg->b, cg_var_get(cg, &found).re, keep.re, "");
  cg_var_set(cg, &chosen, cg_select(cg, stays, pair[0], element));
  cg_var_set(cg, &place, cg_select(cg, stays, cg_var_get(cg, &place), here));
  cg_var_set(cg, &found, (cg_val){LLVMConstInt(cg->i1, 1, false), NULL});
  positions_end(cg, s, &branch);
  cg_if_begin(cg, &branch, cg_var_get(cg, &found).re);
  V to = cg_var_get(cg, &place).re;
  const cg_val args[] = {cg_load(cg, dtype, s->output, to), cg_element(cg, source, s->index)};
  cg_region(cg, &s->op->regions[1], args, &result);
  cg_store(cg, dtype, s->output, to, result);
  cg_if_end(cg, &branch);
  windows_end(cg, s);
}

void cg_generate_select_and_scatter(ten_cg *cg, const ten_op *op, V output, V begin, V end) {
  ten_arena *arena = &cg->ir->arena;
  const ten_type *type = op->results[0].type;
  selecting s = {.op = op, .type = type, .window = ten_op_window(cg->ir, op), .output = output};
  if (!ten_type_count(type)) return;
  const int64_t width = type->rank ? block_width(op, &s.window) : 0;
  s.lead = type->rank ? leading(&s.window) : 0;
  s.spanned = width ? type->rank - 1 : type->rank;
  s.index = cg_indices(cg, type->rank);
  s.at = cg_indices(cg, type->rank);
  s.windows = ten_arena_new_array(arena, cg_loop, type->rank + 1);
  s.positions = ten_arena_new_array(arena, cg_loop, type->rank + 1);
  const cg_val init = cg_element(cg, ten_op_operand(op, 2), NULL);
  cg_loop units;
  cg_loop_begin(cg, &units, begin, end, 1);
  if (!width) {
    cg_delinearise(cg, s.lead, type->dims, units.index, s.index);
    one_by_one(cg, &s, init);
  } else {
    s.chosen = cg_alloca_row(cg, cg_memory_type(cg, type->dtype), (uint64_t)width);
    s.position = cg_alloca_row(cg, cg_memory_type(cg, TEN_I32), (uint64_t)width);
    V blocks = cg_const(cg, (type->dims[type->rank - 1] + width - 1) / width);
    cg_delinearise(cg, s.lead, type->dims, LLVMBuildSDiv(cg->b, units.index, blocks, ""), s.index);
    by_lanes(cg, &s, init, LLVMBuildSRem(cg->b, units.index, blocks, ""), width);
  }
  cg_loop_end(cg, &units);
}
