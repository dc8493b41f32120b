/* lanes.h: the elements of a tensor in their arithmetic type: int64 for bools and integers (unsigned 64-bit ones as
 * their bits), double for floats, pairs of doubles for complex. Every value of every element type fits, so loads are
 * exact; stores wrap integers to their width and round floats once, to nearest even. */
#ifndef TEN_INTERP_LANES_H
#define TEN_INTERP_LANES_H

#include "value/tensor.h"

enum { LANES_SMALL = 8 }; /* of 8 bytes: scalars need no heap */

typedef struct interp_lanes {
  void *heap; /* owned, or NULL */
  double small[LANES_SMALL];
} interp_lanes;

/* Each returns an array valid until lanes_free; for 64-bit tensors it aliases their data, so it is read-only. */
const int64_t *interp_lanes_ints(interp_lanes *lanes, const ten_tensor *tensor);
const double *interp_lanes_reals(interp_lanes *lanes, const ten_tensor *tensor);
/* Room for `count` results. */
int64_t *interp_lanes_new_ints(interp_lanes *lanes, size_t count);
double *interp_lanes_new_reals(interp_lanes *lanes, size_t count);
void interp_lanes_free(interp_lanes *lanes);

void interp_store_ints(ten_tensor *tensor, const int64_t *values);
void interp_store_reals(ten_tensor *tensor, const double *values); /* complex: pairs */
void interp_store_int(ten_tensor *tensor, size_t index, int64_t value);
void interp_store_real(ten_tensor *tensor, size_t index, double value); /* complex: index counts parts */

/* Wraps to the width of the type, in two's complement; bools: zero or not. */
int64_t interp_wrap(ten_dtype dtype, int64_t value);
static inline bool interp_is_integral(ten_dtype dtype) { return dtype == TEN_I1 || ten_dtype_is_int(dtype); }
static inline bool interp_is_unsigned(ten_dtype dtype) {
  return dtype == TEN_I1 || ten_dtype_class(dtype) == TEN_CLASS_UINT;
}
/* Number of doubles for a tensor's elements: 2 per complex one. */
static inline size_t interp_parts(const ten_tensor *tensor) {
  return tensor->count * (ten_dtype_is_complex(tensor->dtype) ? 2 : 1);
}

#endif
