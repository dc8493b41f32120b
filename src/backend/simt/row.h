/* row.h: reductions by groups of threads: some threads share the elements of a row and combine what each has in a fixed
 * tree, so results do not depend on timing. */
#ifndef TEN_SIMT_ROW_H
#define TEN_SIMT_ROW_H

#include "backend/simt/gen.h"

typedef struct simt_row {
  const ten_op *op;
  int64_t rows, length; /* results, and elements of each */
  int64_t threads;      /* of a row: a power of two, at most SIMT_GROUP and length */
  bool contiguous;      /* a row's elements follow each other in memory; else those of a column do */
  int64_t groups;
} simt_row;

/* False: the op is for single threads: rows are short, or the order of combining matters. */
bool simt_row_choose(simt_gen *gen, const ten_op *op, simt_row *out);
/* The kernel of a group, number `i`: the op's results to q0, q1…. */
void simt_row_emit(simt_gen *gen, const simt_row *row, simt_ix i);

#endif
