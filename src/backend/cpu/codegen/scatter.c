/* scatter.c: scatter, one update after the other, into memory that holds the operand. Threads divide what is written,
 * not the updates: an element's updates are then combined by one thread and in order, whatever the number of threads.
 */
#include "backend/cpu/codegen/scatter.h"
#include "backend/cpu/codegen/cg.h"
#include "ir/index_map.h"

typedef LLVMValueRef V;

uint32_t cg_scatter_outer(const ten_op *op) {
  const ten_scatter_dims dims = ten_scatter_dims_of(ten_op_attr(op, "scatter_dimension_numbers"));
  uint32_t outer = ten_op_operand(op, op->result_count + 1)->type->rank;
  while (outer > 0 && ten_ints_has(dims.update_window_dims, outer - 1)) outer--;
  return outer;
}

cg_scatter_split cg_scatter_split_of(const ten_op *op) {
  const ten_type *type = op->results[0].type, *updates = ten_op_operand(op, op->result_count + 1)->type;
  const int64_t outer = cg_scatter_outer(op);
  cg_scatter_split own = {-1, -1, 1}, any = {-1, -1, 1};
  for (uint32_t i = 0; i < type->rank; i++) {
    const ten_scatter_part part = ten_scatter_part_of(op, i);
    const int64_t from = part.component >= 0 ? -1 : part.batch >= 0 ? part.batch : part.window;
    if (from >= 0 && from < outer && updates->dims[from] > own.count)
      own = (cg_scatter_split){from, -1, updates->dims[from]};
    if (part.component >= 0 && part.window < 0 && type->dims[i] > any.count)
      any = (cg_scatter_split){-1, i, type->dims[i]};
  }
  return own.updates >= 0 ? own : any;
}

/* Whether the window is written: all of it is in bounds, and it is one of the units. */
static V is_inside(ten_cg *cg, const ten_op *op, const cg_scatter_split *split, const V *at, V begin, V end) {
  V inside = LLVMConstInt(cg->i1, 1, false);
  for (uint32_t i = 0; i < op->results[0].type->rank; i++) {
    const bool by_units = split->operand == i; /* units are within bounds */
    V first = by_units ? begin : cg_const(cg, 0), last = by_units ? end : cg_const(cg, ten_scatter_part_of(op, i).high);
    V low = LLVMBuildICmp(cg->b, LLVMIntSGE, at[i], first, "");
    V high = LLVMBuildICmp(cg->b, by_units ? LLVMIntSLT : LLVMIntSLE, at[i], last, "");
    inside = LLVMBuildAnd(cg->b, inside, LLVMBuildAnd(cg->b, low, high, ""), "");
  }
  return inside;
}

void cg_generate_scatter(ten_cg *cg, const ten_op *op, LLVMValueRef *outputs, V begin, V end) {
  LLVMBuilderRef b = cg->b;
  ten_arena *arena = &cg->ir->arena;
  const uint32_t count = op->result_count;
  const ten_value *starts = ten_op_operand(op, count);
  const ten_type *type = op->results[0].type, *updates = ten_op_operand(op, count + 1)->type;
  const ten_scatter_dims dims = ten_scatter_dims_of(ten_op_attr(op, "scatter_dimension_numbers"));
  V *index = cg_indices(cg, updates->rank);
  cg_loop *loops = ten_arena_new_array(arena, cg_loop, updates->rank + 1);
  const uint32_t outer = cg_scatter_outer(op);
  const cg_scatter_split split = cg_scatter_split_of(op);
  for (uint32_t i = 0; i < outer; i++) {
    const bool by_units = split.updates == i;
    V first = by_units ? begin : cg_const(cg, 0), last = by_units ? end : cg_const(cg, updates->dims[i]);
    cg_loop_begin(cg, &loops[i], first, last, 1);
    index[i] = loops[i].index;
  }
  V *at_start = cg_indices(cg, starts->type->rank), *at = cg_indices(cg, type->rank);
  const ten_ints order = dims.scatter_dims_to_operand_dims;
  for (size_t c = 0; c < order.count; c++) { /* components in memory order */
    for (uint32_t k = 0; k < starts->type->rank; k++) {
      const int64_t source = ten_scatter_start_of(op, k);
      at_start[k] = source < 0 ? cg_const(cg, (int64_t)c) : index[source];
    }
    at[order.data[c]] = cg_index(cg, starts->type->dtype, cg_element(cg, starts, at_start));
  }
  for (uint32_t i = 0; i < type->rank; i++) {
    const ten_scatter_part part = ten_scatter_part_of(op, i);
    if (part.component < 0) at[i] = part.batch < 0 ? cg_const(cg, 0) : index[part.batch];
  }
  cg_if branch;
  cg_if_begin(cg, &branch, is_inside(cg, op, &split, at, begin, end));
  for (uint32_t i = outer; i < updates->rank; i++) {
    cg_loop_begin(cg, &loops[i], cg_const(cg, 0), cg_const(cg, updates->dims[i]), 1);
    index[i] = loops[i].index;
  }
  for (uint32_t i = 0; i < type->rank; i++) {
    const int64_t window = ten_scatter_part_of(op, i).window;
    if (window >= 0) at[i] = LLVMBuildNSWAdd(b, at[i], index[window], "");
  }
  V linear = cg_linear(cg, type, at);
  cg_val *args = ten_arena_new_array(arena, cg_val, count * 2), *results = ten_arena_new_array(arena, cg_val, count);
  for (uint32_t k = 0; k < count; k++) {
    args[k] = cg_load(cg, op->results[k].type->dtype, outputs[k], linear);
    args[count + k] = cg_element(cg, ten_op_operand(op, count + 1 + k), index);
  }
  cg_region(cg, &op->regions[0], args, results);
  for (uint32_t k = 0; k < count; k++) cg_store(cg, op->results[k].type->dtype, outputs[k], linear, results[k]);
  for (uint32_t i = updates->rank; i-- > outer;) cg_loop_end(cg, &loops[i]);
  cg_if_end(cg, &branch);
  for (uint32_t i = outer; i-- > 0;) cg_loop_end(cg, &loops[i]);
}
