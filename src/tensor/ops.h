/* ops.h: operations that are several of ATen's. Operands have one float type. */
#ifndef TEN_TENSOR_OPS_H
#define TEN_TENSOR_OPS_H

#include "tenfold/tensor.h"

TEN_MUST_USE ten_status *tensor_floor_divide(ten_array *x, ten_array *y, ten_array **out_array);
TEN_MUST_USE ten_status *tensor_remainder(ten_array *x, ten_array *y, ten_array **out_array);

#endif
