/* scatter.c: scatter and select_and_scatter, one update after the other, into memory that holds what is updated. */
#include "backend/cpu/codegen/scatter.h"
#include "backend/cpu/codegen/cg.h"

typedef LLVMValueRef V;

static void loops_begin_some(ten_cg *cg, const ten_type *type, uint32_t first, uint32_t last, cg_loop *loops,
                             V *index) {
  for (uint32_t i = first; i < last; i++) {
    cg_loop_begin(cg, &loops[i], cg_const(cg, 0), cg_const(cg, type->dims[i]), 1);
    index[i] = loops[i].index;
  }
}

static cg_loop *loops_begin(ten_cg *cg, const ten_type *type, V *index) {
  cg_loop *loops = ten_arena_new_array(&cg->ir->arena, cg_loop, type->rank + 1);
  loops_begin_some(cg, type, 0, type->rank, loops, index);
  return loops;
}

static void loops_end(ten_cg *cg, const ten_type *type, cg_loop *loops) {
  for (uint32_t i = type->rank; i-- > 0;) cg_loop_end(cg, &loops[i]);
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
  uint32_t outer = updates->rank; /* dimensions up to the last that chooses a window: the rest runs inside of one */
  while (outer > 0 && ten_ints_has(dims.update_window_dims, outer - 1)) outer--;
  loops_begin_some(cg, updates, 0, outer, loops, index);
  V *batch = cg_indices(cg, updates->rank);
  for (uint32_t i = 0, k = 0; i < updates->rank; i++)
    if (!ten_ints_has(dims.update_window_dims, i)) batch[k++] = index[i];
  V *at_start = cg_indices(cg, starts->type->rank);
  for (uint32_t i = 0, k = 0; i < starts->type->rank; i++)
    if ((int64_t)i != dims.index_vector_dim) at_start[i] = batch[k++];
  V *at = cg_indices(cg, type->rank);
  for (uint32_t i = 0; i < type->rank; i++) at[i] = cg_const(cg, 0);
  for (size_t k = 0; k < dims.scatter_dims_to_operand_dims.count; k++) {
    if (dims.index_vector_dim < (int64_t)starts->type->rank) at_start[dims.index_vector_dim] = cg_const(cg, (int64_t)k);
    at[dims.scatter_dims_to_operand_dims.data[k]] = cg_index(cg, starts->type->dtype, cg_element(cg, starts, at_start));
  }
  for (size_t k = 0; k < dims.input_batching_dims.count; k++) {
    int64_t from = dims.scatter_indices_batching_dims.data[k];
    if (from > dims.index_vector_dim) from--;
    at[dims.input_batching_dims.data[k]] = batch[from];
  }
  /* the whole window is inside or nothing of it is written */
  V inside = LLVMConstInt(cg->i1, 1, false);
  int64_t *from = ten_arena_new_array(arena, int64_t, type->rank + 1); /* the window's dimension; -1: none */
  for (uint32_t i = 0, window = 0; i < type->rank; i++) {
    const bool one = ten_ints_has(dims.inserted_window_dims, i) || ten_ints_has(dims.input_batching_dims, i);
    from[i] = one ? -1 : dims.update_window_dims.data[window++];
    const int64_t extent = one ? 1 : updates->dims[from[i]];
    V low = LLVMBuildICmp(b, LLVMIntSGE, at[i], cg_const(cg, 0), "");
    V high = LLVMBuildICmp(b, LLVMIntSLE, at[i], cg_const(cg, type->dims[i] - extent), "");
    inside = LLVMBuildAnd(b, inside, LLVMBuildAnd(b, low, high, ""), "");
  }
  cg_if branch;
  cg_if_begin(cg, &branch, inside);
  loops_begin_some(cg, updates, outer, updates->rank, loops, index);
  for (uint32_t i = 0; i < type->rank; i++)
    if (from[i] >= 0) at[i] = LLVMBuildNSWAdd(b, at[i], index[from[i]], "");
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

/* Element `at` of the operand is compared with the one chosen so far; the region says whether that one stays. */
static void choose(ten_cg *cg, const ten_op *op, const cg_var *chosen, const cg_var *place, const cg_var *found,
                   const V *at) {
  const ten_value *x = ten_op_operand(op, 0);
  const cg_val element = cg_element(cg, x, at);
  const cg_val args[] = {cg_var_get(cg, chosen), element};
  cg_val keep;
  cg_region(cg, &op->regions[0], args, &keep);
  V stays = LLVMBuildAnd(cg->b, cg_var_get(cg, found).re, keep.re, "");
  cg_var_set(cg, chosen, cg_select(cg, stays, args[0], element));
  const cg_val here = {cg_linear(cg, x->type, at), NULL};
  cg_var_set(cg, place, cg_select(cg, stays, cg_var_get(cg, place), here));
  cg_var_set(cg, found, (cg_val){LLVMConstInt(cg->i1, 1, false), NULL});
}

void cg_generate_select_and_scatter(ten_cg *cg, const ten_op *op, LLVMValueRef output) {
  LLVMBuilderRef b = cg->b;
  const ten_value *x = ten_op_operand(op, 0), *source = ten_op_operand(op, 1);
  const ten_type *type = op->results[0].type;
  const ten_window window = ten_op_window(cg->ir, op);
  const cg_val init = cg_element(cg, ten_op_operand(op, 2), NULL);
  cg_loop fill;
  cg_loop_begin(cg, &fill, cg_const(cg, 0), cg_const(cg, ten_type_count(type)), 1);
  cg_store(cg, type->dtype, output, fill.index, init);
  cg_loop_end(cg, &fill);

  const cg_var chosen = cg_var_new(cg, type->dtype), place = cg_var_new(cg, TEN_I64), found = cg_var_new(cg, TEN_I1);
  V *index = cg_indices(cg, type->rank), *at = cg_indices(cg, type->rank);
  cg_loop *loops = loops_begin(cg, source->type, index);
  cg_var_set(cg, &found, (cg_val){LLVMConstInt(cg->i1, 0, false), NULL});
  cg_var_set(cg, &place, (cg_val){cg_const(cg, 0), NULL});
  cg_var_set(cg, &chosen, init);
  cg_loop *inner = ten_arena_new_array(&cg->ir->arena, cg_loop, type->rank + 1);
  V inside = LLVMConstInt(cg->i1, 1, false);
  for (uint32_t d = 0; d < type->rank; d++) {
    cg_loop_begin(cg, &inner[d], cg_const(cg, 0), cg_const(cg, window.size[d]), 1);
    V from = LLVMBuildNSWAdd(b, LLVMBuildNSWMul(b, index[d], cg_const(cg, window.strides[d]), ""), inner[d].index, "");
    at[d] = LLVMBuildNSWSub(b, from, cg_const(cg, window.padding[2 * d]), "");
    inside = LLVMBuildAnd(b, inside, LLVMBuildICmp(b, LLVMIntULT, at[d], cg_const(cg, type->dims[d]), ""), "");
  }
  cg_if branch;
  cg_if_begin(cg, &branch, inside);
  choose(cg, op, &chosen, &place, &found, at);
  cg_if_end(cg, &branch);
  for (uint32_t d = type->rank; d-- > 0;) cg_loop_end(cg, &inner[d]);
  cg_if_begin(cg, &branch, cg_var_get(cg, &found).re);
  V to = cg_var_get(cg, &place).re;
  const cg_val args[] = {cg_load(cg, type->dtype, output, to), cg_element(cg, source, index)};
  cg_val result;
  cg_region(cg, &op->regions[1], args, &result);
  cg_store(cg, type->dtype, output, to, result);
  cg_if_end(cg, &branch);
  loops_end(cg, source->type, loops);
  (void)x;
}
