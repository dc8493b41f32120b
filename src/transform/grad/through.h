/* through.h: differentiates an op through simpler ones: expand it into ops that have rules, and differentiate
 * those. */
#ifndef TEN_GRAD_THROUGH_H
#define TEN_GRAD_THROUGH_H

#include "transform/grad/vjp.h"

/* Fills a block whose arguments are like the op's operands; must end with ten_build_return of as many values as the op
 * has results. */
typedef ten_status *(*ten_expansion)(ten_builder *b, const ten_op *op, ten_value *const *args);
TEN_MUST_USE ten_status *ten_vjp_through(ten_vjp *v, ten_expansion expand);

/* Applies the ops of a scalar body to whole tensors of the given shape: args are such tensors; fills the body's
 * results. */
TEN_MUST_USE ten_status *ten_lift_body(ten_builder *b, const ten_block *body, ten_value *const *args, uint32_t rank,
                                       const int64_t *dims, ten_value **results);

/* The op that a two-argument body applies to its arguments and returns, or TEN_OP_UNKNOWN for any other
 * body. */
ten_opcode ten_body_op(const ten_block *body);

#endif
