/* specialise.h: specialises a program with dynamic shapes for given inputs. */
#ifndef TEN_DRIVER_SPECIALISE_H
#define TEN_DRIVER_SPECIALISE_H

#include "value/tensor.h"

/* Whether any argument of the function has a dynamic shape. */
bool ten_func_is_dynamic(const ten_op *func);
/* A copy of the module in which `func` takes inputs of exactly these shapes, and everything derived from them is
 * static. Integer scalars count as sizes: their values are built in, so the copy is valid for these inputs and for
 * others with the same shapes and the same integer scalars. An input that is NULL has its declared type. The module is
 * verified first. The caller owns the copy. */
TEN_MUST_USE ten_status *ten_specialise(const ten_module *module, const ten_op *func, ten_tensor *const *inputs,
                                        size_t count, ten_module **out_module, ten_op **out_func);
#endif
