/* batch.h: vectorization of a program: the function of one example as a function of a batch of them (vmap). */
#ifndef TEN_BATCH_BATCH_H
#define TEN_BATCH_BATCH_H

#include "ir/module.h"

/* The function `name` (empty: the module's entry) applied to every example of a batch, as a new module in which it has
 * that function's name. Argument i has a batch dimension in front, of `count`, where batched[i] is set; the others are
 * the same for all examples. Every result has the batch dimension in front. Constants are shared: the module must
 * outlive it. Errors: TEN_UNSUPPORTED for collectives, tuples and dynamic shapes, naming the op. */
TEN_MUST_USE ten_status *ten_batch_module(const ten_module *module, ten_str name, const bool *batched, int64_t count,
                                          ten_module **out_module);

#endif
