/* columns.c: a kernel for a reduce that keeps the last dimension. Reducing one column at a time would touch a cache
 * line per element; instead a block of columns is summed row by row, in arrays that the vectorizer keeps in registers
 * or in L1. Rows are combined in runs of RUN first, then the runs: sums of many rows stay accurate, and the order
 * depends only on the shape. */
#include <string.h>

#include "backend/cpu/codegen/cg.h"

typedef LLVMValueRef V;

enum { RUN = 128, ROWS = 4 };

typedef struct columns {
  const ten_op *op;
  uint32_t count; /* of results */
  int64_t width;
  V *total, *partial; /* arrays of `width`, one per result */
  V *at;              /* index of an operand element */
  uint32_t last;      /* its last dimension */
  V first, span;      /* first column of the block, and its number of columns */
} columns;

static ten_dtype work_type(const ten_op *op, uint32_t k) { return ten_op_body(op, 0)->args[k]->type->dtype; }

static void load_all(ten_cg *cg, const columns *c, const V *from, V i, cg_val *out) {
  for (uint32_t k = 0; k < c->count; k++) out[k] = cg_load(cg, work_type(c->op, k), from[k], i);
}

static void store_all(ten_cg *cg, const columns *c, const V *to, V i, const cg_val *values) {
  for (uint32_t k = 0; k < c->count; k++) cg_store(cg, work_type(c->op, k), to[k], i, values[k]);
}

/* The operands' elements of column first + i. */
static void elements(ten_cg *cg, const columns *c, V i, cg_val *out) {
  c->at[c->last] = LLVMBuildNSWAdd(cg->b, c->first, i, "");
  for (uint32_t k = 0; k < c->count; k++) {
    const ten_value *x = ten_op_operand(c->op, k);
    out[k] = cg_convert(cg, x->type->dtype, work_type(c->op, k), cg_element(cg, x, c->at));
  }
}

/* For each column: to = region(to, from). */
static void combine(ten_cg *cg, const columns *c, const V *to, const V *from) {
  cg_val *args = ten_arena_new_array(&cg->ir->arena, cg_val, c->count * 3), *results = args + 2 * c->count;
  cg_loop sweep;
  cg_loop_begin(cg, &sweep, cg_const(cg, 0), c->span, 1);
  load_all(cg, c, to, sweep.index, args);
  load_all(cg, c, from, sweep.index, args + c->count);
  cg_region(cg, &c->op->regions[0], args, results);
  store_all(cg, c, to, sweep.index, results);
  cg_loop_end(cg, &sweep);
}

/* For each column: to = region(…region(to, element of row `start`)…, element of row start + count - 1), rows being
 * those along dimension d: the accumulator is read and written once for all of them. */
static void combine_rows(ten_cg *cg, const columns *c, const V *to, uint32_t d, V start, int count) {
  cg_val *args = ten_arena_new_array(&cg->ir->arena, cg_val, c->count * 3), *results = args + 2 * c->count;
  cg_loop sweep;
  cg_loop_begin(cg, &sweep, cg_const(cg, 0), c->span, 1);
  load_all(cg, c, to, sweep.index, results);
  for (int i = 0; i < count; i++) {
    c->at[d] = LLVMBuildNSWAdd(cg->b, start, cg_const(cg, i), "");
    memcpy(args, results, c->count * sizeof *args);
    elements(cg, c, sweep.index, args + c->count);
    cg_region(cg, &c->op->regions[0], args, results);
  }
  store_all(cg, c, to, sweep.index, results);
  cg_loop_end(cg, &sweep);
}

/* One run along dimension d from `start`: its first row into `partial`, accumulates the others, adds it to `total`. */
static void one_run(ten_cg *cg, const columns *c, uint32_t d, int64_t size, V start) {
  cg_val *values = ten_arena_new_array(&cg->ir->arena, cg_val, c->count);
  cg_loop sweep, rows;
  c->at[d] = start;
  cg_loop_begin(cg, &sweep, cg_const(cg, 0), c->span, 1);
  elements(cg, c, sweep.index, values);
  store_all(cg, c, c->partial, sweep.index, values);
  cg_loop_end(cg, &sweep);
  V from = LLVMBuildNSWAdd(cg->b, start, cg_const(cg, 1), ""), end = cg_const(cg, size);
  if (size > RUN || cg->open) {
    V args[] = {LLVMBuildNSWAdd(cg->b, start, cg_const(cg, RUN), ""), end};
    end = cg_intrinsic(cg, "llvm.smin", cg->i64, args, 2);
  }
  V left = LLVMBuildNSWSub(cg->b, end, from, "");
  V fours = LLVMBuildNSWSub(cg->b, end, LLVMBuildSRem(cg->b, left, cg_const(cg, ROWS), ""), "");
  if (size > ROWS || cg->open) {
    cg_loop_begin(cg, &rows, from, fours, ROWS);
    combine_rows(cg, c, c->partial, d, rows.index, ROWS);
    cg_loop_end(cg, &rows);
    from = fours;
  }
  cg_loop_begin(cg, &rows, from, end, 1);
  combine_rows(cg, c, c->partial, d, rows.index, 1);
  cg_loop_end(cg, &rows);
  combine(cg, c, c->total, c->partial);
}

int64_t cg_columns_width(const ten_op *op) {
  if (op->code != TEN_OP_REDUCE) return 0;
  const ten_type *type = ten_op_operand(op, 0)->type;
  const ten_ints dims = ten_op_ints(op, "dimensions");
  if (type->rank < 2 || !dims.count || ten_ints_has(dims, type->rank - 1) || !ten_type_count(type)) return 0;
  const int64_t wide = type->dims[type->rank - 1], others = ten_type_count(op->results[0].type) / wide;
  if (wide < 4) return 0;
  /* a divisor, so that loops have a known length; narrow enough for several threads, and otherwise wide: rows are pages
   * apart, and only the block's part of each is read */
  static const int64_t widths[] = {256, 192, 128, 96, 64, 48, 32, 16};
  for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
    if (wide % widths[i] == 0 && (wide / widths[i] * others >= 8 || widths[i] == 16)) return widths[i];
  return wide < 64 ? wide : 64;
}

/* Stores the totals of a block to the columns of each result at `kept`. */
static void write_totals(ten_cg *cg, const columns *c, const LLVMValueRef *outputs, V *kept, cg_val *values) {
  const ten_type *result = c->op->results[0].type;
  cg_loop sweep;
  cg_loop_begin(cg, &sweep, cg_const(cg, 0), c->span, 1);
  load_all(cg, c, c->total, sweep.index, values);
  kept[result->rank - 1] = LLVMBuildNSWAdd(cg->b, c->first, sweep.index, "");
  for (uint32_t k = 0; k < c->count; k++) {
    const ten_dtype dtype = c->op->results[k].type->dtype;
    cg_store(cg, dtype, outputs[k], cg_linear(cg, result, kept), cg_convert(cg, work_type(c->op, k), dtype, values[k]));
  }
  cg_loop_end(cg, &sweep);
}

void cg_generate_columns(ten_cg *cg, const ten_op *op, const LLVMValueRef *outputs, LLVMValueRef begin,
                         LLVMValueRef end) {
  ten_arena *arena = &cg->ir->arena;
  const ten_type *type = ten_op_operand(op, 0)->type, *result = op->results[0].type;
  const ten_ints dims = ten_op_ints(op, "dimensions");
  columns c = {.op = op, .count = op->result_count, .width = cg_columns_width(op), .last = type->rank - 1};
  const int64_t all = type->dims[c.last], blocks = (all + c.width - 1) / c.width;
  c.total = ten_arena_new_array(arena, V, c.count);
  c.partial = ten_arena_new_array(arena, V, c.count);
  for (uint32_t k = 0; k < c.count; k++) {
    LLVMTypeRef memory = cg_memory_type(cg, work_type(op, k));
    const uint64_t parts = (uint64_t)c.width * (ten_dtype_is_complex(work_type(op, k)) ? 2 : 1);
    c.total[k] = cg_alloca_row(cg, memory, parts);
    c.partial[k] = cg_alloca_row(cg, memory, parts);
  }
  c.at = cg_indices(cg, type->rank);
  V *kept = cg_indices(cg, result->rank);
  cg_loop units, sweep;
  cg_loop_begin(cg, &units, begin, end, 1);
  V block = LLVMBuildSRem(cg->b, units.index, cg_const(cg, blocks), "");
  cg_delinearise(cg, result->rank - 1, result->dims, LLVMBuildSDiv(cg->b, units.index, cg_const(cg, blocks), ""), kept);
  c.first = LLVMBuildNSWMul(cg->b, block, cg_const(cg, c.width), "");
  c.span = cg_const(cg, c.width);
  if (all % c.width || cg->open) {
    V args[] = {LLVMBuildNSWSub(cg->b, cg_const(cg, all), c.first, ""), c.span};
    c.span = cg_intrinsic(cg, "llvm.smin", cg->i64, args, 2);
  }
  cg_val *values = ten_arena_new_array(arena, cg_val, c.count);
  for (uint32_t k = 0; k < c.count; k++) {
    const ten_value *init = ten_op_operand(op, c.count + k);
    values[k] = cg_convert(cg, init->type->dtype, work_type(op, k), cg_element(cg, init, NULL));
  }
  cg_loop_begin(cg, &sweep, cg_const(cg, 0), c.span, 1);
  store_all(cg, &c, c.total, sweep.index, values);
  cg_loop_end(cg, &sweep);

  cg_loop *loops = ten_arena_new_array(arena, cg_loop, type->rank + 1);
  uint32_t loop_count = 0, along = 0;
  for (uint32_t i = 0; i < type->rank; i++)
    if (ten_ints_has(dims, i)) along = i;
  for (uint32_t i = 0, next = 0; i < c.last; i++) {
    if (!ten_ints_has(dims, i)) {
      c.at[i] = kept[next++];
      continue;
    }
    cg_loop_begin(cg, &loops[loop_count], cg_const(cg, 0), cg_const(cg, type->dims[i]), i == along ? RUN : 1);
    c.at[i] = loops[loop_count++].index;
  }
  one_run(cg, &c, along, type->dims[along], c.at[along]);
  while (loop_count-- > 0) cg_loop_end(cg, &loops[loop_count]);
  write_totals(cg, &c, outputs, kept, values);
  cg_loop_end(cg, &units);
}
