/* refine.h: what the files of shape refinement share. */
#ifndef TEN_IR_VERIFY_REFINE_H
#define TEN_IR_VERIFY_REFINE_H

#include "ir/verify/rules.h"

/* eval.c: the value of an op whose integer operands are constants (or do not matter, as in get_dimension_size), or
 * NULL: not such an op, not constant, more than EVAL_MOST elements, or undefined. */
const ten_attr *ten_eval_op(ten_module *m, const ten_op *op);

/* static.c: puts a static op in the place of a dynamic one whose shape is known by now. True when it did; `op` is gone
 * then. */
TEN_MUST_USE ten_status *ten_make_static(ten_module *m, ten_op *op, bool *done);
/* Puts a constant in the place of a value. */
void ten_replace_by_constant(ten_module *m, ten_value *value, const ten_attr *constant);

/* assert.c: custom calls that speak about shapes: @shape_assertion, indices_of_shape_operands, stablehlo.dynamic_*. */
TEN_MUST_USE ten_status *ten_refine_custom_call(ten_module *m, ten_op *op, bool *done);

/* refine.c: sets the type of a value to what is known from its own and the refined one. */
TEN_MUST_USE ten_status *ten_refine_value(ten_module *m, const ten_op *op, ten_value *value, const ten_type *refined);

#endif
