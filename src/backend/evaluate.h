/* evaluate.h: one op on host tensors with the options of a run: for steps that a backend leaves to the host (checks,
 * prints, custom calls). Declared here and provided by the reference interpreter (backend/interp/evaluate.c), so that
 * no backend knows it. */
#ifndef TEN_BACKEND_EVALUATE_H
#define TEN_BACKEND_EVALUATE_H

#include "backend/backend.h"

/* Operands are borrowed, in order; results (op->result_count of them) are the caller's. `options` may be NULL. */
TEN_MUST_USE ten_status *ten_evaluate_with(const ten_op *op, ten_tensor *const *operands,
                                           const ten_run_options *options, ten_tensor **out_results);

#endif
