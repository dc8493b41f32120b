/* transpose.h: state in the order of dimensions that its kernels want. */
#ifndef TEN_TRAIN_TRANSPOSE_H
#define TEN_TRAIN_TRANSPOSE_H

#include "train/step_file.h"

/* Kernels of convolutions, and the optimizer's state for them, become arguments and results of @step with their
 * dimensions as [height, width, in, out]: `tenfold.transposed` of such an argument says which dimension of PyTorch's
 * each is. Done twice it does nothing more. */
TEN_MUST_USE ten_status *ten_train_transpose(ten_module *module, ten_op *step);
/* What the argument's `tenfold.transposed` says; nothing when it has none. */
ten_transpose ten_train_transpose_of(const ten_op *step, uint32_t argument);

/* Whether it is an order of its dimensions. */
bool ten_transpose_fits(const ten_transpose *transpose, uint32_t rank);
/* A new tensor: dimension i is dimension transpose[i] of `tensor`, or the other way round. */
TEN_MUST_USE ten_status *ten_transpose_tensor(const ten_tensor *tensor, const ten_transpose *transpose, bool back,
                                              ten_tensor **out);

#endif
