/* grad.h: wrappers of ten_grad: preparation of programs, gradients as programs. */
#ifndef TEN_PASS_GRAD_H
#define TEN_PASS_GRAD_H

#include "transform/grad/grad.h"

/* Expands ops that have no gradient rule: tuples, einsum, CHLO's broadcasts and others. */
TEN_MUST_USE ten_status *ten_grad_prepare(ten_module *module);

/* The gradient of the module's entry function as a new module, in which it has that function's name. Constants are
 * shared: the module must outlive it. `options` may be NULL. */
TEN_MUST_USE ten_status *ten_grad_module(const ten_module *module, const ten_grad_options *options,
                                         ten_module **out_module);

#endif
