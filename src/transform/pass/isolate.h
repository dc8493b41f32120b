/* isolate.h: where every compiling backend starts: one function alone. */
#ifndef TEN_PASS_ISOLATE_H
#define TEN_PASS_ISOLATE_H

#include "value/tensor.h"

/* The function alone in a module of its own, with everything it calls inside it and its shapes known: those of `inputs`
 * where they are given (NULL: the types say them). The constants' data is borrowed: `module` must outlive the copy.
 * `out_module` is the caller's, after an error too. */
TEN_MUST_USE ten_status *ten_isolate(const ten_module *module, const ten_op *func, ten_tensor *const *inputs,
                                     ten_module **out_module, ten_op **out_func);

#endif
