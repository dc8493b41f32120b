/* refine.h: shared by the files of shape refinement. */
#ifndef TEN_IR_VERIFY_REFINE_H
#define TEN_IR_VERIFY_REFINE_H

#include "ir/verify/rules.h"

/* eval.c: the value of an op whose integer operands are constants (or irrelevant, as in get_dimension_size), or NULL:
 * not such an op, not constant, more than EVAL_MOST elements, or undefined. */
const ten_attr *ten_eval_op(ten_module *m, const ten_op *op);

/* static.c: replaces a dynamic op whose shape is now known by a static one. True if it did; `op` is then
 * erased. */
TEN_MUST_USE ten_status *ten_make_static(ten_module *m, ten_op *op, bool *done);
/* Replaces a value by a constant. */
void ten_replace_by_constant(ten_module *m, ten_value *value, const ten_attr *constant);

/* assert.c: custom calls about shapes: @shape_assertion, indices_of_shape_operands, stablehlo.dynamic_*. */
TEN_MUST_USE ten_status *ten_refine_custom_call(ten_module *m, ten_op *op, bool *done);

/* refine.c: merges the refined type into the type of a value. */
TEN_MUST_USE ten_status *ten_refine_value(ten_module *m, const ten_op *op, ten_value *value, const ten_type *refined);

#endif
