/* scatter.c: scatter, one update after the other, into memory that holds the operand. */
#include "backend/cpu/codegen/scatter.h"
#include "backend/cpu/codegen/cg.h"
#include "ir/index_map.h"

typedef LLVMValueRef V;

static void loops_begin_some(ten_cg *cg, const ten_type *type, uint32_t first, uint32_t last, cg_loop *loops,
                             V *index) {
  for (uint32_t i = first; i < last; i++) {
    cg_loop_begin(cg, &loops[i], cg_const(cg, 0), cg_const(cg, type->dims[i]), 1);
    index[i] = loops[i].index;
  }
}

void cg_generate_scatter(ten_cg *cg, const ten_op *op, LLVMValueRef *outputs) {
  LLVMBuilderRef b = cg->b;
  ten_arena *arena = &cg->ir->arena;
  const uint32_t count = op->result_count;
  const ten_value *starts = ten_op_operand(op, count);
  const ten_type *type = op->results[0].type, *updates = ten_op_operand(op, count + 1)->type;
  const ten_scatter_dims dims = ten_scatter_dims_of(ten_op_attr(op, "scatter_dimension_numbers"));
  V *index = cg_indices(cg, updates->rank);
  cg_loop *loops = ten_arena_new_array(arena, cg_loop, updates->rank + 1);
  uint32_t outer = updates->rank; /* dimensions up to the last that selects a window: the rest runs inside one */
  while (outer > 0 && ten_ints_has(dims.update_window_dims, outer - 1)) outer--;
  loops_begin_some(cg, updates, 0, outer, loops, index);
  V *at_start = cg_indices(cg, starts->type->rank), *at = cg_indices(cg, type->rank);
  const ten_ints order = dims.scatter_dims_to_operand_dims;
  for (size_t c = 0; c < order.count; c++) { /* components in memory order */
    for (uint32_t k = 0; k < starts->type->rank; k++) {
      const int64_t source = ten_scatter_start_of(op, k);
      at_start[k] = source < 0 ? cg_const(cg, (int64_t)c) : index[source];
    }
    at[order.data[c]] = cg_index(cg, starts->type->dtype, cg_element(cg, starts, at_start));
  }
  /* a window is written only if all of it is in bounds */
  V inside = LLVMConstInt(cg->i1, 1, false);
  for (uint32_t i = 0; i < type->rank; i++) {
    const ten_scatter_part part = ten_scatter_part_of(op, i);
    if (part.component < 0) at[i] = part.batch < 0 ? cg_const(cg, 0) : index[part.batch];
    V low = LLVMBuildICmp(b, LLVMIntSGE, at[i], cg_const(cg, 0), "");
    V high = LLVMBuildICmp(b, LLVMIntSLE, at[i], cg_const(cg, part.high), "");
    inside = LLVMBuildAnd(b, inside, LLVMBuildAnd(b, low, high, ""), "");
  }
  cg_if branch;
  cg_if_begin(cg, &branch, inside);
  loops_begin_some(cg, updates, outer, updates->rank, loops, index);
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
