/* recompute.h: which forward values a gradient saves for its backward part, and which it recomputes. */
#ifndef TEN_GRAD_RECOMPUTE_H
#define TEN_GRAD_RECOMPUTE_H

#include "ir/builder.h"

/* From least work to least memory. LEVELS counts them. */
enum {
  TEN_KEEP_ALL,
  TEN_RECOMPUTE_CHEAP,
  TEN_RECOMPUTE_ELEMENTWISE,
  TEN_RECOMPUTE_SEGMENTS,
  TEN_RECOMPUTE_LEVELS = 14
};

/* Changes a function that ten_grad created with `mark_forward`, before any other pass. CHEAP costs no noticeable time;
 * ELEMENTWISE recomputes everything but matmuls; from SEGMENTS on the forward part is cut in 2, 3, 4 … pieces, and all
 * but the last piece run twice. */
TEN_MUST_USE ten_status *ten_grad_recompute(ten_module *module, ten_op *gradient, unsigned level);

#endif
