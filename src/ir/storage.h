/* storage.h: which ops of quantized values work on the integers that are stored. */
#ifndef TEN_IR_STORAGE_H
#define TEN_IR_STORAGE_H

#include "ir/module.h"

/* Its results are elements of its operands, or its regions do the arithmetic: stored integers go through as they are.
 * Of all other ops the operands become real numbers first. */
bool ten_op_on_storage(const ten_op *op);

#endif
