/* index_map.h: maps an element of the result to the element that data-movement ops read, as data: code generators print
 * it as LLVM values (backend/cpu/codegen) or as text (backend/simt). `index` is that of the result's element. */
#ifndef TEN_IR_INDEX_MAP_H
#define TEN_IR_INDEX_MAP_H

#include "ir/dims.h"

/* index[source] · scale + offset; without a source (-1), offset alone. */
typedef struct ten_index_part {
  int64_t source, scale, offset;
} ten_index_part;
/* Of broadcast, broadcast_in_dim, transpose, slice and reverse: dimension `dim` of the operand's index. */
ten_index_part ten_index_part_of(const ten_op *op, uint32_t dim);

/* Dimensions [from, from_end) of one shape with as many elements as [to, to_end) of the other: a dimension that a
 * reshape leaves unchanged is a separate run and costs nothing. */
typedef struct ten_reshape_run {
  uint32_t from, from_end, to, to_end;
} ten_reshape_run;
/* The next run; pass zeros for the first. False: no more. */
bool ten_reshape_next(const ten_type *from, const ten_type *to, ten_reshape_run *run);

/* Of a pad: dimension `dim` of the operand's index is (index[dim] - low) / step, where that divides and is in [0,
 * size); elsewhere is padding. `whole`: nothing is padded there, it is index[dim]. */
typedef struct ten_pad_part {
  int64_t low, step, size;
  bool whole;
} ten_pad_part;
ten_pad_part ten_pad_part_of(const ten_op *op, uint32_t dim);

/* Of a concatenate: a nonempty operand, and the part [start, end) of the result's dimension `dim` that it fills. */
typedef struct ten_concat_piece {
  uint32_t operand, dim;
  int64_t start, end;
  bool last;
} ten_concat_piece;
/* The next one; pass zeros for the first. False: no more. */
bool ten_concat_next(const ten_op *op, ten_concat_piece *piece);

/* Of dynamic_slice and dynamic_update_slice, dimension `dim`: the `size` elements that are read or replaced begin at
 * the scalar `start`, clamped to [0, high]. `whole`: they are all of the dimension. */
typedef struct ten_start_part {
  const ten_value *start;
  int64_t high, size;
  bool whole;
} ten_start_part;
ten_start_part ten_start_part_of(const ten_op *op, uint32_t dim);

/* Of a gather, dimension `dim` of the operand's index: a component of the start vector clamped to [0, high], or 0
 * (component -1); plus index[source], or nothing (-1). */
typedef struct ten_gather_part {
  int64_t component, high, source;
} ten_gather_part;
ten_gather_part ten_gather_part_of(const ten_op *op, uint32_t dim);
/* Where the start vector is: dimension `dim` of its index is index[…], or the component (-1). */
int64_t ten_gather_start_of(const ten_op *op, uint32_t dim);

/* Of a scatter, with `index` that of an element of the updates: dimension `dim` of the window's start in the operand is
 * a component of the start vector, index[batch], or 0 (both -1); the window is written if every start is in [0, high].
 * The element is at offset index[window] from the start, or at the start (-1). */
typedef struct ten_scatter_part {
  int64_t component, batch, high, window;
} ten_scatter_part;
ten_scatter_part ten_scatter_part_of(const ten_op *op, uint32_t dim);
/* Where the start vector is: dimension `dim` of its index is index[…], or the component (-1). */
int64_t ten_scatter_start_of(const ten_op *op, uint32_t dim);

#endif
