/* scatter.h: generated code that writes to memory itself instead of computing one element. */
#ifndef TEN_CPU_CODEGEN_SCATTER_H
#define TEN_CPU_CODEGEN_SCATTER_H

#include "backend/cpu/codegen/cg.h"

/* What a scatter is divided by, so that no two units write the same element: a dimension of the updates, each index of
 * which writes to its own part of the operand (`updates`), or a dimension of the operand, where every unit reads all
 * indices and applies those that fall into it (`operand`). The other is -1; both are: it is not divided. Either way an
 * element is combined with its updates in their order. */
typedef struct cg_scatter_split {
  int64_t updates, operand, count;
} cg_scatter_split;
cg_scatter_split cg_scatter_split_of(const ten_op *op);
/* The number of the updates' dimensions up to the last that is not one of a window: the rest is a contiguous window. */
uint32_t cg_scatter_outer(const ten_op *op);
/* outputs[i] already holds operand i of the op. Units [begin, end) of the split. */
void cg_generate_scatter(ten_cg *cg, const ten_op *op, LLVMValueRef *outputs, LLVMValueRef begin, LLVMValueRef end);
/* The number of independent units of the step, and code for [begin, end) of them. */
int64_t cg_select_scatter_units(ten_module *module, const ten_op *op);
void cg_generate_select_and_scatter(ten_cg *cg, const ten_op *op, LLVMValueRef output, LLVMValueRef begin,
                                    LLVMValueRef end);

#endif
