/* contract.c: one result element of dot_general and convolution, for types and shapes without a dedicated kernel.
 * Narrow floats are summed in f32 and rounded once, integers in the result's type, as XLA does. */
#include "backend/cpu/codegen/cg.h"

typedef LLVMValueRef V;

static ten_dtype sum_type(ten_dtype operand, ten_dtype result) {
  if (ten_dtype_is_float(result)) return result == TEN_F64 || operand == TEN_F64 ? TEN_F64 : TEN_F32;
  return result;
}

static void accumulate(ten_cg *cg, const cg_var *sum, ten_dtype lhs, cg_val x, ten_dtype rhs, cg_val y) {
  x = cg_convert(cg, lhs, sum->dtype, x);
  y = cg_convert(cg, rhs, sum->dtype, y);
  const cg_val product = cg_binary(cg, TEN_OP_MULTIPLY, sum->dtype, x, y);
  cg_var_set(cg, sum, cg_binary(cg, TEN_OP_ADD, sum->dtype, cg_var_get(cg, sum), product));
}

static cg_val zero_of(ten_cg *cg, ten_dtype dtype) {
  V zero = LLVMConstNull(cg_register_type(cg, dtype));
  return (cg_val){zero, ten_dtype_is_complex(dtype) ? zero : NULL};
}

void cg_emit_dot_general(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out) {
  const ten_value *x = ten_op_operand(op, 0), *y = ten_op_operand(op, 1);
  const ten_dot_dims dims = ten_dot_dims_of(ten_op_attr(op, "dot_dimension_numbers"));
  const ten_dtype result = op->results[0].type->dtype;
  V *at_x = cg_indices(cg, x->type->rank), *at_y = cg_indices(cg, y->type->rank);
  uint32_t next = 0;
  for (size_t i = 0; i < dims.lhs_batch.count; i++, next++)
    at_x[dims.lhs_batch.data[i]] = at_y[dims.rhs_batch.data[i]] = index[next];
  for (uint32_t i = 0; i < x->type->rank; i++)
    if (!ten_ints_has(dims.lhs_batch, i) && !ten_ints_has(dims.lhs_contract, i)) at_x[i] = index[next++];
  for (uint32_t i = 0; i < y->type->rank; i++)
    if (!ten_ints_has(dims.rhs_batch, i) && !ten_ints_has(dims.rhs_contract, i)) at_y[i] = index[next++];
  const cg_var sum = cg_var_new(cg, sum_type(x->type->dtype, result));
  cg_var_set(cg, &sum, zero_of(cg, sum.dtype));
  const size_t count = dims.lhs_contract.count;
  cg_loop *loops = ten_arena_new_array(&cg->ir->arena, cg_loop, count + 1);
  for (size_t i = 0; i < count; i++) {
    cg_loop_begin(cg, &loops[i], cg_const(cg, 0), cg_const(cg, x->type->dims[dims.lhs_contract.data[i]]), 1);
    at_x[dims.lhs_contract.data[i]] = at_y[dims.rhs_contract.data[i]] = loops[i].index;
  }
  accumulate(cg, &sum, x->type->dtype, cg_element(cg, x, at_x), y->type->dtype, cg_element(cg, y, at_y));
  for (size_t i = count; i-- > 0;) cg_loop_end(cg, &loops[i]);
  out[0] = cg_convert(cg, sum.dtype, result, cg_var_get(cg, &sum));
}

void cg_emit_convolution(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out) {
  LLVMBuilderRef b = cg->b;
  const ten_value *x = ten_op_operand(op, 0), *kernel = ten_op_operand(op, 1);
  const ten_type *type = op->results[0].type;
  const ten_conv_dims dims = ten_conv_dims_of(ten_op_attr(op, "dimension_numbers"));
  const ten_window window = ten_op_window(cg->ir, op);
  const int64_t feature_groups = ten_op_int(op, "feature_group_count", 1),
                batch_groups = ten_op_int(op, "batch_group_count", 1);
  V *at_x = cg_indices(cg, x->type->rank), *at_k = cg_indices(cg, kernel->type->rank);
  V feature = index[dims.output_feature], batch = index[dims.output_batch];
  const int64_t features = type->dims[dims.output_feature], inputs = kernel->type->dims[dims.kernel_input_feature];
  at_k[dims.kernel_output_feature] = feature;
  at_x[dims.input_batch] = batch;
  if (batch_groups > 1) {
    V group = LLVMBuildUDiv(b, feature, cg_const(cg, features / batch_groups), "");
    at_x[dims.input_batch] =
        LLVMBuildNSWAdd(b, batch, LLVMBuildNSWMul(b, group, cg_const(cg, type->dims[dims.output_batch]), ""), "");
  }
  V first_input = cg_const(cg, 0);
  if (feature_groups > 1) {
    V group = LLVMBuildUDiv(b, feature, cg_const(cg, features / feature_groups), "");
    first_input = LLVMBuildNSWMul(b, group, cg_const(cg, inputs), "");
  }
  const cg_var sum = cg_var_new(cg, sum_type(x->type->dtype, type->dtype));
  cg_var_set(cg, &sum, zero_of(cg, sum.dtype));
  cg_loop *loops = ten_arena_new_array(&cg->ir->arena, cg_loop, window.rank + 1);
  V inside = LLVMConstInt(cg->i1, 1, false);
  for (uint32_t d = 0; d < window.rank; d++) {
    const int64_t size = kernel->type->dims[dims.kernel_spatial.data[d]];
    cg_loop_begin(cg, &loops[d], cg_const(cg, 0), cg_const(cg, size), 1);
    V k = loops[d].index;
    at_k[dims.kernel_spatial.data[d]] = window.reversal[d] ? LLVMBuildNSWSub(b, cg_const(cg, size - 1), k, "") : k;
    V from = LLVMBuildNSWMul(b, index[dims.output_spatial.data[d]], cg_const(cg, window.strides[d]), "");
    from = LLVMBuildNSWAdd(b, from, LLVMBuildNSWMul(b, k, cg_const(cg, window.dilation[d]), ""), "");
    from = LLVMBuildNSWSub(b, from, cg_const(cg, window.padding[2 * d]), "");
    inside = LLVMBuildAnd(b, inside, LLVMBuildICmp(b, LLVMIntSGE, from, cg_const(cg, 0), ""), "");
    if (window.base_dilation[d] != 1) {
      V step = cg_const(cg, window.base_dilation[d]);
      inside = LLVMBuildAnd(b, inside,
                            LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildSRem(b, from, step, ""), cg_const(cg, 0), ""), "");
      from = LLVMBuildSDiv(b, from, step, "");
    }
    const int64_t extent = x->type->dims[dims.input_spatial.data[d]];
    inside = LLVMBuildAnd(b, inside, LLVMBuildICmp(b, LLVMIntSLT, from, cg_const(cg, extent), ""), "");
    at_x[dims.input_spatial.data[d]] = from;
  }
  cg_if branch;
  cg_if_begin(cg, &branch, inside);
  cg_loop_begin(cg, &loops[window.rank], cg_const(cg, 0), cg_const(cg, inputs), 1);
  V input = loops[window.rank].index;
  at_k[dims.kernel_input_feature] = input;
  at_x[dims.input_feature] = LLVMBuildNSWAdd(b, first_input, input, "");
  accumulate(cg, &sum, x->type->dtype, cg_element(cg, x, at_x), kernel->type->dtype, cg_element(cg, kernel, at_k));
  cg_loop_end(cg, &loops[window.rank]);
  cg_if_end(cg, &branch);
  for (uint32_t d = window.rank; d-- > 0;) cg_loop_end(cg, &loops[d]);
  out[0] = cg_convert(cg, sum.dtype, type->dtype, cg_var_get(cg, &sum));
}
