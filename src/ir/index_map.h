/* index_map.h: where ops that only move elements find an element of their result, as data: generators of code print it,
 * over values of LLVM (backend/cpu/codegen) or as text (backend/simt). `index` is that of the result's element. */
#ifndef TEN_IR_INDEX_MAP_H
#define TEN_IR_INDEX_MAP_H

#include "ir/dims.h"

/* index[source] · scale + offset; without a source (-1), offset alone. */
typedef struct ten_index_part {
  int64_t source, scale, offset;
} ten_index_part;
/* Of broadcast, broadcast_in_dim, transpose, slice and reverse: dimension `dim` of the operand's index. */
ten_index_part ten_index_part_of(const ten_op *op, uint32_t dim);

/* Dimensions [from, from_end) of one shape that have as many elements as [to, to_end) of the other: what a reshape
 * leaves alone is a run of its own and costs nothing. */
typedef struct ten_reshape_run {
  uint32_t from, from_end, to, to_end;
} ten_reshape_run;
/* The next run; of zeros, the first. False: there is no more. */
bool ten_reshape_next(const ten_type *from, const ten_type *to, ten_reshape_run *run);

/* Of a gather, dimension `dim` of the operand's index: a component of the start vector clamped to [0, high], or 0
 * (component -1); plus index[source], or nothing (-1). */
typedef struct ten_gather_part {
  int64_t component, high, source;
} ten_gather_part;
ten_gather_part ten_gather_part_of(const ten_op *op, uint32_t dim);
/* Where the start vector is: dimension `dim` of its index is index[…], or the component (-1). */
int64_t ten_gather_start_of(const ten_op *op, uint32_t dim);

#endif
