/* fold.h: the values that constants alone decide. A folder evaluates ops in order and keeps what it found in
 * ten_op.data; whoever uses one clears that first and after. */
#ifndef TEN_VALUE_FOLD_H
#define TEN_VALUE_FOLD_H

#include "value/tensor.h"

typedef struct ten_folded {
  ten_tensor **values; /* one for each result; owned */
  uint32_t count;
  bool generated; /* from splats and iotas alone: cheaper to compute again than to load */
} ten_folded;

typedef struct ten_folder {
  ten_module *module;
  TEN_VEC(ten_folded *) all; /* to be released; ten_op.data points to them */
  int64_t work;              /* elements looked at so far */
  bool single;               /* what has more than one element is not folded */
} ten_folder;

/* Fills op->data when the op can be folded: pure, closed, small, of known operands. What evaluation refuses is left to
 * the run, which says why. */
void ten_fold_op(ten_folder *folder, ten_op *op);
static inline const ten_folded *ten_fold_known(const ten_value *value) { return value->op ? value->op->data : NULL; }
/* Clears ten_op.data of the op and all it holds. */
void ten_fold_clear(ten_op *op);
void ten_folder_free(ten_folder *folder);

/* The value as a constant, where constants alone decide it; NULL: they do not, or it takes too long. Looks at the
 * value's own block, and at constants of outer ones. */
const ten_attr *ten_fold_value(ten_module *module, const ten_value *value);

#endif
