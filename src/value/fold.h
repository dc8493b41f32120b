/* fold.h: values that depend on constants alone. A folder evaluates ops in order and stores results in ten_op.data,
 * which its user clears before and after. */
#ifndef TEN_VALUE_FOLD_H
#define TEN_VALUE_FOLD_H

#include "value/tensor.h"

typedef struct ten_folded {
  ten_tensor **values; /* one for each result; owned */
  uint32_t count;
  bool generated; /* computed from splats and iotas alone: cheaper to recompute than to load */
} ten_folded;

typedef struct ten_folder {
  ten_module *module;
  TEN_VEC(ten_folded *) all; /* to be released; ten_op.data points to them */
  int64_t work;              /* elements processed so far */
  bool single;               /* fold only single elements */
} ten_folder;

/* Fills op->data when the op can be folded: pure, closed, small, with known operands. Errors of evaluation are left to
 * the run, which reports them. */
void ten_fold_op(ten_folder *folder, ten_op *op);
static inline const ten_folded *ten_fold_known(const ten_value *value) { return value->op ? value->op->data : NULL; }
/* Clears ten_op.data of the op and all nested ops. */
void ten_fold_clear(ten_op *op);
void ten_folder_free(ten_folder *folder);

/* The value as a constant, if it depends on constants alone; NULL: it does not, or evaluation is too expensive. Uses
 * the value's own block, and constants of outer ones. */
const ten_attr *ten_fold_value(ten_module *module, const ten_value *value);

#endif
