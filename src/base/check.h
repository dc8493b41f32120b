/* check.h: a condition on the inputs that a program checks at run time, as eager PyTorch does: an index is in range, a
 * divisor is not zero. It is part of the compiled program, so it is plain text and independent of the IR. */
#ifndef TEN_BASE_CHECK_H
#define TEN_BASE_CHECK_H

#include "base/str.h"
#include "tenfold/dtype.h"

typedef struct ten_check {
  ten_str exception; /* the Python exception that eager mode raises: "IndexError" */
  ten_str message;   /* "{}" is replaced by the offending value */
  ten_str place;     /* "file:line" of the user's program, or empty */
  ten_dtype dtype;   /* of the value; TEN_DTYPE_NONE: no value */
} ten_check;

/* The error of a failed check; `value` is one element of check->dtype, or NULL. */
TEN_MUST_USE ten_status *ten_check_failed(const ten_check *check, const void *value);

#endif
