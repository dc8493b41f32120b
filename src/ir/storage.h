/* storage.h: which ops of quantized values work on the stored integers. */
#ifndef TEN_IR_STORAGE_H
#define TEN_IR_STORAGE_H

#include "ir/module.h"

/* Its results are elements of its operands, or its regions do the arithmetic: stored integers pass through unchanged.
 * For all other ops, operands are dequantized first. */
bool ten_op_on_storage(const ten_op *op);

#endif
