/* scatter.h: generated code that writes into memory by itself instead of giving one element. */
#ifndef TEN_CPU_CODEGEN_SCATTER_H
#define TEN_CPU_CODEGEN_SCATTER_H

#include "backend/cpu/codegen/cg.h"

/* outputs[i] holds operand i of the op already. */
void cg_generate_scatter(ten_cg *cg, const ten_op *op, LLVMValueRef *outputs);
/* Units of the step that can be run apart, and those [begin, end) of them. */
int64_t cg_select_scatter_units(ten_module *module, const ten_op *op);
void cg_generate_select_and_scatter(ten_cg *cg, const ten_op *op, LLVMValueRef output, LLVMValueRef begin,
                                    LLVMValueRef end);

#endif
