/* isolate.h: the first step of every compiling backend: extracting one function. */
#ifndef TEN_PASS_ISOLATE_H
#define TEN_PASS_ISOLATE_H

#include "value/tensor.h"

/* The function in a new module, with its callees inlined and its shapes known: those of `inputs` if given (NULL: from
 * the types). The constants' data is borrowed: `module` must outlive the copy. The caller owns `out_module`, also after
 * an error. */
TEN_MUST_USE ten_status *ten_isolate(const ten_module *module, const ten_op *func, ten_tensor *const *inputs,
                                     ten_module **out_module, ten_op **out_func);
/* The same in the module itself, whose other functions are erased, for static shapes. */
TEN_MUST_USE ten_status *ten_isolate_in_place(ten_module *module, ten_op *func);

#endif
