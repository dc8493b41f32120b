/* build_infer.h: for build_*.c: an op whose result type is what type inference says (ir/verify). */
#ifndef TEN_IR_BUILD_INFER_H
#define TEN_IR_BUILD_INFER_H

#include "ir/builder.h"

/* An op with one result and no regions. `dtype` is the result's element type where the op leaves it open (dot_general,
 * convolution), else TEN_DTYPE_NONE. What inference refuses is refused with its text. */
ten_value *ten_build_inferred(ten_builder *b, ten_opcode code, uint32_t operand_count, ten_value *const *operands,
                              ten_dtype dtype, uint32_t attr_count, const ten_named_attr *attrs);

#endif
