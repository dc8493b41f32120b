/* generate.c: one function per generated step: loads addresses from the argument block, then loops over the elements.
 *
 * A step is two functions: an outer one with the launch signature, and an inner one that takes every buffer as a
 * parameter, so that outputs can be marked noalias. */
#include <stdio.h>
#include <string.h>

#include "backend/cpu/codegen/jit.h"
#include "backend/cpu/codegen/scatter.h"
#include "backend/cpu/codegen/share.h"
#include "backend/cpu/codegen/spell.h"
#include "backend/cpu/exec/conv.h"
#include "backend/cpu/exec/int8.h"
#include "backend/cpu/exec/load.h"
#include "backend/cpu/plan/plan.h"
#include "ir/index_map.h"

typedef LLVMValueRef V;

enum {
  MANY = 64,      /* generated functions */
  FLAT_LONG = 256 /* elements: of fewer, too many would be left after the last full round */
};

typedef struct generated {
  V function;
  V begin, end;
  V part;         /* with checks: which of the step's parts it is */
  V *buffers;     /* one per arg of the step */
  cg_var *checks; /* their accumulators */
} generated;

static void add_attribute(ten_cg *cg, V function, unsigned index, const char *name) {
  const unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  LLVMAddAttributeAtIndex(function, index, LLVMCreateEnumAttribute(cg->context, kind, 0));
}

/* The first arg of the step that aliases it: one pointer is used for all, so that in-place updates are visible. */
static unsigned first_in_place(const cpu_plan *plan, const cpu_step *step, unsigned arg) {
  const uint32_t root = cpu_buffer_root(plan, step->args.data[arg]);
  unsigned first = 0;
  while (cpu_buffer_root(plan, step->args.data[first]) != root) first++;
  return first;
}

/* The inner function's constants: none, or a table filled by merge.c; the step's own, if it may serve several sizes
 * (variants.c). */
static V table_argument(ten_cg *cg, V block) {
  V before = cg_const(cg, -1);
  if (!cg->open) return LLVMConstNull(cg->ptr);
  return LLVMBuildLoad2(cg->b, cg->ptr, LLVMBuildInBoundsGEP2(cg->b, cg->ptr, block, &before, 1, ""), "");
}

static void outer_function(const cpu_plan *plan, ten_cg *cg, const cpu_step *step, V inner, LLVMTypeRef inner_type) {
  (void)plan;
  char name[TEN_KERNEL_NAME];
  ten_kernel_name(name, step->symbol);
  LLVMTypeRef params[] = {cg->ptr, cg->ptr, cg->i64, cg->i64, cg->i64};
  V function = LLVMAddFunction(cg->module, name, LLVMFunctionType(cg->none, params, 5, false));
  LLVMPositionBuilderAtEnd(cg->b, LLVMAppendBasicBlockInContext(cg->context, function, ""));
  const unsigned count = (unsigned)step->args.count;
  V *args = ten_arena_new_array(&cg->ir->arena, V, count + 4);
  for (unsigned i = 0; i < count; i++) {
    V at = cg_const(cg, i), block = LLVMGetParam(function, 0);
    args[i] = LLVMBuildLoad2(cg->b, cg->ptr, LLVMBuildInBoundsGEP2(cg->b, cg->ptr, block, &at, 1, ""), "");
  }
  args[count] = LLVMGetParam(function, 2);
  args[count + 1] = LLVMGetParam(function, 3);
  unsigned given = count + 2;
  if (step->checks.count) args[given++] = LLVMGetParam(function, 4);
  args[given++] = table_argument(cg, LLVMGetParam(function, 0));
  LLVMBuildCall2(cg->b, inner_type, inner, args, given, "");
  LLVMBuildRetVoid(cg->b);
}

static void step_begin(const cpu_plan *plan, ten_cg *cg, const cpu_step *step, generated *g) {
  char name[TEN_KERNEL_NAME];
  snprintf(name, sizeof name, CG_INNER_PREFIX "%u", step->symbol);
  const unsigned count = (unsigned)step->args.count, numbers = count + (step->checks.count ? 3 : 2);
  LLVMTypeRef *params = ten_arena_new_array(&cg->ir->arena, LLVMTypeRef, numbers + 1);
  for (unsigned i = 0; i <= numbers; i++) params[i] = i < count || i == numbers ? cg->ptr : cg->i64;
  LLVMTypeRef type = LLVMFunctionType(cg->none, params, numbers + 1, false);
  g->function = cg_function_begin(cg, name, type, false);
  add_attribute(cg, g->function, (unsigned)LLVMAttributeFunctionIndex, "noinline");
  LLVMBasicBlockRef start = LLVMGetInsertBlock(cg->b);
  outer_function(plan, cg, step, g->function, type);
  LLVMPositionBuilderAtEnd(cg->b, start);
  g->buffers = ten_arena_new_array(&cg->ir->arena, V, count);
  for (unsigned i = 0; i < count; i++) {
    const unsigned place = first_in_place(plan, step, i);
    g->buffers[i] = LLVMGetParam(g->function, place);
    if (i >= step->read_count) add_attribute(cg, g->function, place + 1, "noalias");
  }
  g->begin = LLVMGetParam(g->function, count);
  g->end = LLVMGetParam(g->function, count + 1);
  g->part = step->checks.count ? LLVMGetParam(g->function, count + 2) : NULL;
  for (size_t i = 0; i < step->inputs.count; i++) cg_bind_memory(cg, step->inputs.data[i], g->buffers[i]);
}

static V store_place(ten_cg *cg, const cpu_step *step, const generated *g, size_t root) {
  (void)cg;
  return g->buffers[step->read_count + root];
}

/* Initialises the accumulators of a loop's checks. */
static void checks_begin(ten_cg *cg, const cpu_step *step, generated *g) {
  g->checks = ten_arena_new_array(&cg->ir->arena, cg_var, step->checks.count + 1);
  for (size_t i = 0; i < step->checks.count; i++) {
    const ten_op *op = step->checks.data[i];
    const ten_value *init = ten_op_operand(op, 1);
    g->checks[i] = cg_var_new(cg, init->type->dtype);
    cg_var_set(cg, &g->checks[i], cg_element(cg, init, NULL));
  }
}

/* Checks the element at the roots' position: asserts.c guarantees that there is one, under reshapes. */
static void emit_checks(ten_cg *cg, const cpu_step *step, const generated *g, const V *index) {
  const ten_type *shape = step->roots.data[0]->type;
  for (size_t i = 0; i < step->checks.count; i++) {
    const ten_op *op = step->checks.data[i];
    const ten_value *x = ten_op_operand(op, 0);
    while (!cg_is_bound(cg, x) && x->op->code == TEN_OP_RESHAPE) x = ten_op_operand(x->op, 0);
    V *at = cg_indices(cg, x->type->rank);
    const size_t bytes = shape->rank * sizeof *shape->dims;
    if (x->type->rank == shape->rank && !memcmp(x->type->dims, shape->dims, bytes))
      memcpy(at, index, shape->rank * sizeof *at);
    else
      cg_delinearise(cg, x->type->rank, x->type->dims, cg_linear(cg, shape, index), at);
    const cg_val args[] = {cg_var_get(cg, &g->checks[i]), cg_element(cg, x, at)};
    cg_val result;
    cg_region(cg, &op->regions[0], args, &result);
    cg_var_set(cg, &g->checks[i], result);
  }
}

static void checks_end(ten_cg *cg, const cpu_step *step, const generated *g) {
  for (size_t i = 0; i < step->checks.count; i++)
    cg_store(cg, g->checks[i].dtype, g->buffers[step->read_count + step->roots.count + i], g->part,
             cg_var_get(cg, &g->checks[i]));
}

/* Roots are computed, not loaded, even if also a root of an earlier kernel: emission starts from their ops. */
static void emit_roots(ten_cg *cg, const cpu_step *step, const generated *g, const V *index) {
  cg_val *out = ten_arena_new_array(&cg->ir->arena, cg_val, step->roots.count);
  for (size_t i = 0; i < step->roots.count; i++) out[i] = cg_element(cg, step->roots.data[i], index);
  emit_checks(cg, step, g, index);
  for (size_t i = 0; i < step->roots.count; i++) {
    const ten_type *type = step->roots.data[i]->type;
    cg_store(cg, type->dtype, store_place(cg, step, g, i), cg_linear(cg, type, index), out[i]);
  }
}

/* Rows [begin, end) of a shape; emits the inside once for the innermost index. */
typedef struct row_loops {
  cg_loop rows, columns;
  V *index;
  bool has_columns;
} row_loops;

static void rows_begin(ten_cg *cg, const ten_type *type, V begin, V end, row_loops *loops) {
  loops->index = cg_indices(cg, type->rank);
  cg_loop_begin(cg, &loops->rows, begin, end, 1);
  loops->has_columns = type->rank > 0;
  if (!loops->has_columns) return;
  cg_delinearise(cg, type->rank - 1, type->dims, loops->rows.index, loops->index);
  cg_loop_begin(cg, &loops->columns, cg_const(cg, 0), cg_const(cg, type->dims[type->rank - 1]), 1);
  loops->index[type->rank - 1] = type->dims[type->rank - 1] == 1 ? cg_const(cg, 0) : loops->columns.index;
}

static void rows_end(ten_cg *cg, row_loops *loops) {
  if (loops->has_columns) cg_loop_end(cg, &loops->columns);
  cg_loop_end(cg, &loops->rows);
}

static void generate_flat(ten_cg *cg, const cpu_step *step, const generated *g) {
  const ten_type *type = step->roots.data[0]->type;
  V *index = cg_indices(cg, type->rank);
  cg_loop loop;
  cg_loop_begin(cg, &loop, g->begin, g->end, 1);
  /* every index but one is zero, and that one is the position: cg_linear recovers it */
  uint32_t last = type->rank - 1;
  while (last > 0 && type->dims[last] == 1) last--;
  for (uint32_t i = 0; i < type->rank; i++) index[i] = i == last ? loop.index : cg_const(cg, 0);
  emit_roots(cg, step, g, index);
  if (ten_type_count(type) >= FLAT_LONG && !cg->open)
    cg_loop_end_long(cg, &loop);
  else
    cg_loop_end(cg, &loop);
}

/* For each row: reductions over it become scalars, buffered values a row on the stack; then the row is written. */
static void generate_rows(ten_cg *cg, const cpu_step *step, const generated *g) {
  const ten_type *type = step->roots.data[0]->type;
  const uint32_t last = type->rank - 1;
  V *index = cg_indices(cg, type->rank), columns = cg_const(cg, type->dims[last]);
  cg_loop rows, sweep;
  cg_loop_begin(cg, &rows, g->begin, g->end, 1);
  cg_delinearise(cg, last, type->dims, rows.index, index);
  for (size_t i = 0; i <= step->stages.count; i++) {
    const ten_value *value = i < step->stages.count ? step->stages.data[i] : NULL;
    if (value && value->op->code == TEN_OP_REDUCE) {
      cg_val result;
      cg_results(cg, value->op, index, &result);
      cg_bind_scalar(cg, value, result);
      continue;
    }
    const ten_dtype dtype = value ? value->type->dtype : type->dtype;
    V held = value ? cg_alloca_row(cg, cg_memory_type(cg, dtype), (uint64_t)type->dims[last]) : NULL;
    cg_loop_begin(cg, &sweep, cg_const(cg, 0), columns, 1);
    V *at = cg_indices(cg, type->rank);
    memcpy(at, index, last * sizeof *at);
    at[last] = type->dims[last] == 1 ? cg_const(cg, 0) : sweep.index;
    if (value)
      cg_store(cg, dtype, held, at[last], cg_element(cg, value, at));
    else
      emit_roots(cg, step, g, at);
    cg_loop_end(cg, &sweep);
    if (value) cg_bind_row(cg, value, held);
  }
  cg_loop_end(cg, &rows);
}

typedef struct roots_context {
  const cpu_step *step;
  const generated *g;
} roots_context;

static void emit_roots_at(ten_cg *cg, void *context, const V *index) {
  const roots_context *c = context;
  emit_roots(cg, c->step, c->g, index);
}

static void generate_loops(ten_cg *cg, const cpu_step *step, const generated *g) {
  const ten_type *type = step->roots.data[0]->type;
  if (step->flat || step->line) {
    generate_flat(cg, step, g);
    return;
  }
  if (step->stages.count) {
    generate_rows(cg, step, g);
    return;
  }
  if (step->columns) {
    cg_generate_columns(cg, step->roots.data[0]->op, g->buffers + step->read_count, g->begin, g->end);
    return;
  }
  roots_context context = {step, g};
  const ten_value *const *roots = (const ten_value *const *)step->roots.data;
  if (cg_segmented_loops(cg, roots, step->roots.count, !step->single, g->begin, g->end, emit_roots_at, &context))
    return;
  row_loops loops;
  if (step->single) {
    loops.index = cg_indices(cg, type->rank);
    cg_loop_begin(cg, &loops.rows, g->begin, g->end, 1);
    cg_delinearise(cg, type->rank, type->dims, loops.rows.index, loops.index);
    emit_roots(cg, step, g, loops.index);
    cg_loop_end(cg, &loops.rows);
    return;
  }
  rows_begin(cg, type, g->begin, g->end, &loops);
  emit_roots(cg, step, g, loops.index);
  rows_end(cg, &loops);
}

static void generate_update(ten_cg *cg, const cpu_step *step, const generated *g) {
  const ten_value *update = ten_op_operand(step->op, 1);
  const ten_type *type = step->op->results[0].type;
  V *starts = cg_indices(cg, type->rank), *at = cg_indices(cg, type->rank);
  for (uint32_t i = 0; i < type->rank; i++) {
    const ten_start_part part = ten_start_part_of(step->op, i);
    starts[i] = cg_start_index(cg, part.start, NULL, part.high);
  }
  row_loops loops;
  rows_begin(cg, update->type, g->begin, g->end, &loops);
  for (uint32_t i = 0; i < type->rank; i++) at[i] = LLVMBuildNSWAdd(cg->b, starts[i], loops.index[i], "");
  cg_store(cg, type->dtype, store_place(cg, step, g, 0), cg_linear(cg, type, at), cg_element(cg, update, loops.index));
  rows_end(cg, &loops);
}

/* uint8_t before(args, a, b) */
static void generate_comparator(ten_cg *cg, const cpu_step *step) {
  const ten_op *op = step->op;
  char name[TEN_KERNEL_NAME];
  ten_kernel_name(name, step->symbol);
  LLVMTypeRef params[] = {cg->ptr, cg->i64, cg->i64};
  V function = cg_function_begin(cg, name, LLVMFunctionType(cg->i8, params, 3, false), true);
  const uint32_t count = op->operand_count;
  cg_val *args = ten_arena_new_array(&cg->ir->arena, cg_val, count * 2), result;
  V block = LLVMGetParam(function, 0);
  for (uint32_t i = 0; i < count + step->inputs.count; i++) {
    V at = cg_const(cg, i);
    V base = LLVMBuildLoad2(cg->b, cg->ptr, LLVMBuildInBoundsGEP2(cg->b, cg->ptr, block, &at, 1, ""), "");
    if (i >= count) {
      cg_bind_memory(cg, step->inputs.data[i - count], base);
      continue;
    }
    const ten_dtype dtype = ten_op_operand(op, i)->type->dtype;
    args[2 * i] = cg_load(cg, dtype, base, LLVMGetParam(function, 1));
    args[2 * i + 1] = cg_load(cg, dtype, base, LLVMGetParam(function, 2));
  }
  cg_region(cg, &op->regions[0], args, &result);
  cg_function_end_value(cg, LLVMBuildZExt(cg->b, result.re, cg->i8, ""));
}

/* For a reducing collective: args x, y, out (and the region's captures): out[i] = region(x[i], y[i]). */
static void generate_combiner(ten_cg *cg, const cpu_step *step) {
  char name[TEN_KERNEL_NAME];
  ten_kernel_name(name, step->symbol);
  LLVMTypeRef params[] = {cg->ptr, cg->ptr, cg->i64, cg->i64, cg->i64};
  V function = cg_function_begin(cg, name, LLVMFunctionType(cg->none, params, 5, false), true);
  const ten_dtype dtype = step->op->results[0].type->dtype;
  V bases[3];
  for (unsigned i = 0; i < 3; i++) {
    V at = cg_const(cg, i), block = LLVMGetParam(function, 0);
    bases[i] = LLVMBuildLoad2(cg->b, cg->ptr, LLVMBuildInBoundsGEP2(cg->b, cg->ptr, block, &at, 1, ""), "");
  }
  cg_loop loop;
  cg_loop_begin(cg, &loop, LLVMGetParam(function, 2), LLVMGetParam(function, 3), 1);
  const cg_val args[] = {cg_load(cg, dtype, bases[0], loop.index), cg_load(cg, dtype, bases[1], loop.index)};
  cg_val result;
  cg_region(cg, &step->op->regions[0], args, &result);
  cg_store(cg, dtype, bases[2], loop.index, result);
  cg_loop_end(cg, &loop);
  cg_function_end(cg);
}

/* Whether its instructions flush subnormals to zero. */
static bool is_bf16_product(const cpu_step *step) {
  if (!strcmp(ten_bf16_best()->name, "portable")) return false;
  if (step->kind == CPU_CONV) return ((const cpu_conv *)step->descriptor)->bf16;
  return step->kind == CPU_GEMM && ((const cpu_gemm *)step->descriptor)->bf16;
}

/* Whether the epilogue's results stay in the matmul's buffer. */
static bool is_hoisted(const cpu_step *step) {
  if (step->kind == CPU_GEMM && ((const cpu_gemm *)step->descriptor)->tile) return false;
  return step->roots.data[0]->type->dtype == TEN_F32 && step->op->results[0].type->dtype == TEN_F32;
}

/* Parameters of the inner function of an epilogue, before the buffers. */
enum { EPI_C, EPI_LDC, EPI_M0, EPI_M1, EPI_N0, EPI_N1, EPI_BUFFERS };

/* void epilogue(args, c, ldc, m0, m1, n0, n1), which loads the buffers from args and calls the inner function. */
static void epilogue_outer(ten_cg *cg, const cpu_step *step, V inner, LLVMTypeRef type) {
  const unsigned count = (unsigned)step->inputs.count, all = EPI_BUFFERS + count + (unsigned)step->roots.count;
  LLVMTypeRef params[] = {cg->ptr, cg->ptr, cg->i64, cg->i64, cg->i64, cg->i64, cg->i64};
  char name[TEN_KERNEL_NAME];
  ten_kernel_name(name, step->symbol);
  V outer = LLVMAddFunction(cg->module, name, LLVMFunctionType(cg->none, params, 7, false));
  LLVMPositionBuilderAtEnd(cg->b, LLVMAppendBasicBlockInContext(cg->context, outer, ""));
  V *args = ten_arena_new_array(&cg->ir->arena, V, all + 1);
  for (unsigned i = 0; i < EPI_BUFFERS; i++) args[i] = LLVMGetParam(outer, i + 1);
  for (unsigned i = 0; i < all - EPI_BUFFERS; i++) { /* between inputs and outputs: A and packed B */
    V at = cg_const(cg, i < count ? i : i + 2), block = LLVMGetParam(outer, 0);
    args[EPI_BUFFERS + i] =
        LLVMBuildLoad2(cg->b, cg->ptr, LLVMBuildInBoundsGEP2(cg->b, cg->ptr, block, &at, 1, ""), "");
  }
  args[all] = table_argument(cg, LLVMGetParam(outer, 0));
  LLVMBuildCall2(cg->b, type, inner, args, all + 1, "");
  LLVMBuildRetVoid(cg->b);
}

/* The loops of the inner function. `places`: the outputs, if results are not stored at c. */
static void epilogue_loops(ten_cg *cg, const cpu_step *step, V inner, V *places, bool in_place, bool narrow) {
  enum { LANES = 16 };
  const unsigned outputs = (unsigned)step->roots.count;
  const ten_value *root = step->roots.data[0], *product = &step->op->results[0];
  const ten_type *shape = root->type;
  V c = LLVMGetParam(inner, EPI_C), ldc = LLVMGetParam(inner, EPI_LDC), m0 = LLVMGetParam(inner, EPI_M0),
    n0 = LLVMGetParam(inner, EPI_N0);
  V *index = cg_indices(cg, shape->rank);
  cg_loop rows, columns;
  cg_loop_begin(cg, &rows, m0, LLVMGetParam(inner, EPI_M1), 1);
  if (root != product) cg_delinearise(cg, shape->rank - 1, shape->dims, rows.index, index);
  V row = LLVMBuildNSWMul(cg->b, LLVMBuildNSWSub(cg->b, rows.index, m0, ""), ldc, "");
  V row_out = LLVMBuildNSWMul(cg->b, rows.index, cg_const(cg, cpu_matmul_columns(step)), "");
  cg_loop_begin(cg, &columns, n0, LLVMGetParam(inner, EPI_N1), 1);
  V at = LLVMBuildNSWAdd(cg->b, row, LLVMBuildNSWSub(cg->b, columns.index, n0, ""), "");
  const cg_val bound =
      cg_round_val(cg, product->type->dtype, cg_load(cg, step->kind == CPU_INT8 ? TEN_I32 : TEN_F32, c, at));
  cg_val *results = ten_arena_new_array(&cg->ir->arena, cg_val, outputs);
  results[0] = bound;
  if (root != product) {
    index[shape->rank - 1] = columns.index;
    cg_bind_scalar(cg, product, bound);
    for (unsigned i = 0; i < outputs; i++) results[i] = cg_element(cg, step->roots.data[i], index);
  }
  if (in_place) cg_store(cg, TEN_F32, c, at, results[0]);
  V at_out = LLVMBuildNSWAdd(cg->b, row_out, columns.index, "");
  for (unsigned i = 0; i < outputs && !in_place; i++) cg_store(cg, shape->dtype, places[i], at_out, results[i]);
  if (narrow) /* otherwise LLVM uses a quarter of a register */
    cg_loop_end_wide(cg, &columns, LANES);
  else
    cg_loop_end(cg, &columns);
  cg_loop_end(cg, &rows);
}

/* Rows [m0, m1) and columns [n0, n1) of the matmul are at c; the roots are computed from each, in place, or into the
 * outputs if the matmul is not stored. The buffers are parameters of an inner function, where c and the outputs can be
 * marked noalias except with those that they overwrite. */
static void generate_epilogue(const cpu_plan *plan, ten_cg *cg, const cpu_step *step) {
  char name[TEN_KERNEL_NAME];
  const bool narrow = cg->target->has_bf16 && is_bf16_product(step), in_place = is_hoisted(step);
  const unsigned count = (unsigned)step->inputs.count, outputs = (unsigned)step->roots.count,
                 all = EPI_BUFFERS + count + outputs;
  LLVMTypeRef *params = ten_arena_new_array(&cg->ir->arena, LLVMTypeRef, all + 1);
  for (unsigned i = 0; i <= all; i++) params[i] = i == EPI_C || i >= EPI_BUFFERS ? cg->ptr : cg->i64;
  LLVMTypeRef type = LLVMFunctionType(cg->none, params, all + 1, false); /* the last is for merge.c */
  snprintf(name, sizeof name, CG_INNER_PREFIX "%u", step->symbol);
  V inner = cg_function_begin(cg, name, type, false);
  cg->drops_subnormals = narrow;
  add_attribute(cg, inner, (unsigned)LLVMAttributeFunctionIndex, "noinline");
  add_attribute(cg, inner, 1 + EPI_C, "noalias");
  LLVMBasicBlockRef start = LLVMGetInsertBlock(cg->b);
  epilogue_outer(cg, step, inner, type);
  LLVMPositionBuilderAtEnd(cg->b, start);
  for (unsigned i = 0; i < count; i++) cg_bind_memory(cg, step->inputs.data[i], LLVMGetParam(inner, EPI_BUFFERS + i));
  V *places = ten_arena_new_array(&cg->ir->arena, V, outputs);
  for (unsigned i = 0; i < outputs && !in_place; i++) {
    const unsigned place = first_in_place(plan, step, count + 2 + i), at = place < count ? place : count + i;
    places[i] = LLVMGetParam(inner, EPI_BUFFERS + at);
    add_attribute(cg, inner, 1 + EPI_BUFFERS + at, "noalias");
  }
  epilogue_loops(cg, step, inner, places, in_place, narrow);
  cg->drops_subnormals = false;
  cg_function_end(cg);
}

static bool step_needs_code(const cpu_step *step) {
  if (step->ready) return false;
  if (step->kind == CPU_INT8 && ((const cpu_int8 *)step->descriptor)->shape.finish.kind) return false;
  if (cpu_has_epilogue(step->kind)) return step->roots.count > 0;
  if (step->kind == CPU_HOST) return step->op->region_count && ten_op_has(step->op, TEN_TRAIT_COLLECTIVE);
  return step->kind <= CPU_SELECT_SCATTER || step->kind == CPU_SORT;
}

static bool body_needs_code(const cpu_body *body) {
  for (size_t i = 0; i < body->steps.count; i++) {
    const cpu_step *step = body->steps.data[i];
    if (step_needs_code(step)) return true;
    for (uint32_t k = 0; k < step->body_count; k++)
      if (body_needs_code(&step->bodies[k])) return true;
  }
  return false;
}

bool cpu_needs_code(const cpu_plan *plan) { return body_needs_code(&plan->init) || body_needs_code(&plan->body); }

static void generate_step(cpu_plan *plan, ten_cg *cg, cpu_sharing *sharing, cpu_step *step) {
  if (!step_needs_code(step)) return;
  if (step->kind == CPU_LOOPS || cpu_has_epilogue(step->kind)) {
    uint32_t symbol = plan->symbol_count;
    const bool shared = cpu_share_find(sharing, plan, step, &symbol);
    step->symbol = symbol;
    if (shared) return;
  }
  if (cpu_has_epilogue(step->kind)) {
    step->symbol = plan->symbol_count++;
    generate_epilogue(plan, cg, step);
    return;
  }
  if (step->kind == CPU_HOST) {
    step->symbol = plan->symbol_count++;
    generate_combiner(cg, step);
    return;
  }
  if (step->kind == CPU_SORT) {
    step->symbol = plan->symbol_count++;
    generate_comparator(cg, step);
    return;
  }
  step->symbol = plan->symbol_count++;
  generated g = {0};
  step_begin(plan, cg, step, &g);
  switch (step->kind) {
    case CPU_LOOPS:
      checks_begin(cg, step, &g);
      generate_loops(cg, step, &g);
      checks_end(cg, step, &g);
      break;
    case CPU_UPDATE: generate_update(cg, step, &g); break;
    case CPU_SCATTER: cg_generate_scatter(cg, step->op, g.buffers + step->read_count, g.begin, g.end); break;
    default: cg_generate_select_and_scatter(cg, step->op, store_place(cg, step, &g, 0), g.begin, g.end); break;
  }
  cg_function_end(cg);
}

static void generate_body(cpu_plan *plan, ten_cg *cg, cpu_sharing *sharing, const cpu_body *body) {
  for (size_t i = 0; i < body->steps.count; i++) {
    cpu_step *step = body->steps.data[i];
    generate_step(plan, cg, sharing, step);
    if (cg->error) {
      cg->error = ten_annotate(cg->error, "compiling %.*s", TEN_FMT(step->op->name));
      return;
    }
    for (uint32_t k = 0; k < step->body_count; k++) generate_body(plan, cg, sharing, &step->bodies[k]);
  }
}

/* For hundreds of outer functions, optimizing takes longer than it will ever save. */
static void compile_outer_fast(ten_cg *cg) {
  for (V f = LLVMGetFirstFunction(cg->module); f; f = LLVMGetNextFunction(f)) {
    if (LLVMIsDeclaration(f) || LLVMGetLinkage(f) == LLVMPrivateLinkage ||
        LLVMGetNextBasicBlock(LLVMGetEntryBasicBlock(f)))
      continue;
    add_attribute(cg, f, (unsigned)LLVMAttributeFunctionIndex, "noinline");
    add_attribute(cg, f, (unsigned)LLVMAttributeFunctionIndex, "optnone");
  }
}

static ten_status *find_huge(ten_op *op, void *context) {
  ten_cg *cg = context;
  for (uint32_t i = 0; i < op->result_count; i++) {
    const ten_type *type = op->results[i].type;
    cg->huge |= ten_type_is_tensor(type) && ten_type_count(type) > INT32_MAX;
  }
  return NULL;
}

ten_status *cpu_generate(cpu_plan *plan, ten_cg *cg) {
  TEN_RECOVER("generating code");
  TEN_TRY(ten_op_walk(plan->module->op, find_huge, cg));
  cpu_sharing sharing = {0};
  generate_body(plan, cg, &sharing, &plan->init);
  generate_body(plan, cg, &sharing, &plan->body);
  cpu_sharing_free(&sharing);
  if (!cg->error && plan->symbol_count > MANY) compile_outer_fast(cg);
  ten_status *error = cg->error;
  cg->error = NULL;
  return error;
}
