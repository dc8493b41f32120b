/* build_infer.h: for build_*.c: creates an op with inferred result type (ir/verify). */
#ifndef TEN_IR_BUILD_INFER_H
#define TEN_IR_BUILD_INFER_H

#include "ir/builder.h"

/* An op with one result and no regions. `dtype` is the result's element type where the op does not determine it
 * (dot_general, convolution), else TEN_DTYPE_NONE. Errors of inference are refused with their message. */
ten_value *ten_build_inferred(ten_builder *b, ten_opcode code, uint32_t operand_count, ten_value *const *operands,
                              ten_dtype dtype, uint32_t attr_count, const ten_named_attr *attrs);

#endif
