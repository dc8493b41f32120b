/* complex.h: complex arithmetic called by pointwise.c. */
#ifndef TEN_INTERP_COMPLEX_H
#define TEN_INTERP_COMPLEX_H

#include "backend/interp/interp.h"

ten_status *interp_complex_unary(interp_call *call);
/* `out` has the common shape of x and y and is filled; a scalar operand is broadcast. */
ten_status *interp_complex_binary(interp_call *call, ten_opcode code, const ten_tensor *x, const ten_tensor *y,
                                  ten_tensor *out);

#endif
