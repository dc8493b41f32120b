/* compare.h: the rules of the check dialect. Each compares two values of one type and reports where and by how much
 * they differ.
 *
 * Unlike upstream's specification, expect_eq takes two NaNs for equal, since a program whose correct result is NaN
 * could not be checked otherwise. */
#ifndef TEN_VALUE_COMPARE_H
#define TEN_VALUE_COMPARE_H

#include "value/tensor.h"

/* NULL: they agree. TEN_MISMATCH: the message has the first difference, its index, and how many there are. */
TEN_MUST_USE ten_status *ten_compare_eq(const ten_tensor *got, const ten_tensor *want);
/* Each part within `tolerance`, absolutely; infinities must be equal; NaN equals NaN. */
TEN_MUST_USE ten_status *ten_compare_almost_eq(const ten_tensor *got, const ten_tensor *want, double tolerance);
/* Each part at least `min_ulp` and at most `max_ulp` representable values away. */
TEN_MUST_USE ten_status *ten_compare_close(const ten_tensor *got, const ten_tensor *want, uint64_t min_ulp,
                                           uint64_t max_ulp);

/* The number of representable values from a to b; UINT64_MAX between a finite value and one that is not. */
uint64_t ten_ulp_difference(ten_dtype dtype, double a, double b);

enum { TEN_CLOSE_ULPS_DEFAULT = 3 }; /* custom_call @check.expect_close */
#define TEN_ALMOST_EQ_DEFAULT 1e-4   /* check.expect_almost_eq, @check.eq of floats */
#define TEN_ALMOST_EQ_CALL 1e-3      /* custom_call @check.expect_almost_eq */

#endif
