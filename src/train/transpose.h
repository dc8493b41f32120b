/* transpose.h: state in the dimension order that its kernels want. */
#ifndef TEN_TRAIN_TRANSPOSE_H
#define TEN_TRAIN_TRANSPOSE_H

#include "train/step_file.h"

/* Kernels of convolutions, and the optimizer's state for them, become arguments and results of @step with their
 * dimensions as [height, width, in, out]: `tenfold.transposed` of such an argument gives the PyTorch dimension of each.
 * Idempotent. */
TEN_MUST_USE ten_status *ten_train_transpose(ten_module *module, ten_op *step);
/* The argument's `tenfold.transposed`; empty when it has none. */
ten_transpose ten_train_transpose_of(const ten_op *step, uint32_t argument);

/* Whether it is a permutation of the dimensions. */
bool ten_transpose_fits(const ten_transpose *transpose, uint32_t rank);
/* A new tensor: dimension i is dimension transpose[i] of `tensor`, or the inverse. */
TEN_MUST_USE ten_status *ten_transpose_tensor(const ten_tensor *tensor, const ten_transpose *transpose, bool back,
                                              ten_tensor **out);

#endif
