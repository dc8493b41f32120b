/* evaluate.h: evaluates one op for known operands. Constant folding needs it and must not depend on a backend: it is
 * declared here and implemented by the reference interpreter (backend/interp/evaluate.c). */
#ifndef TEN_VALUE_EVALUATE_H
#define TEN_VALUE_EVALUATE_H

#include "value/tensor.h"

/* Whether the op has a kernel; an op with regions also needs them to be closed. */
bool ten_can_evaluate(const ten_op *op);
/* Operands are borrowed, in order; results (op->result_count of them) are the caller's. */
TEN_MUST_USE ten_status *ten_evaluate(const ten_op *op, ten_tensor *const *operands, ten_tensor **out_results);

#endif
