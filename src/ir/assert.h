/* assert.h: checks in a program. `stablehlo.custom_call @tenfold.assert(%ok, %value)` fails the program where %ok, a
 * tensor<i1>, is false; %value, which may be absent, is a scalar i64, f32 or f64 that stands for "{}" in the message.
 * Attributes: tenfold.message, tenfold.exception (Python's name of what eager mode raises) and tenfold.place (the
 * user's "file:line", or empty). Only lowerings of PyTorch ops create them: StableHLO clamps indices. */
#ifndef TEN_IR_ASSERT_H
#define TEN_IR_ASSERT_H

#include "base/check.h"
#include "ir/builder.h"

bool ten_op_is_assert(const ten_op *op);
/* `ok` is a scalar; `value` may be NULL. The place is b->loc. */
ten_op *ten_build_assert(ten_builder *b, ten_value *ok, ten_value *value, const char *exception, ten_str message);
/* Its message and exception; borrowed from the op. */
ten_check ten_assert_check(const ten_op *op);
/* TENFOLD_CHECKS, for the whole process: on, unless it is "off". */
TEN_MUST_USE ten_status *ten_asserts_wanted(bool *out_wanted);
/* Removes all of them: for devices that cannot stop a program, and for users who do not want them. */
void ten_asserts_strip(ten_module *module);

#endif
