/* scatter.h: generated code that writes to memory itself instead of computing one element. */
#ifndef TEN_CPU_CODEGEN_SCATTER_H
#define TEN_CPU_CODEGEN_SCATTER_H

#include "backend/cpu/codegen/cg.h"

/* outputs[i] already holds operand i of the op. */
void cg_generate_scatter(ten_cg *cg, const ten_op *op, LLVMValueRef *outputs);
/* The number of independent units of the step, and code for [begin, end) of them. */
int64_t cg_select_scatter_units(ten_module *module, const ten_op *op);
void cg_generate_select_and_scatter(ten_cg *cg, const ten_op *op, LLVMValueRef output, LLVMValueRef begin,
                                    LLVMValueRef end);

#endif
