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
  int64_t splits, chunk; /* rows are cut into so many pieces of `chunk`, combined by a second kernel */
  ten_value *partial;    /* of the pieces: [splits, rows] */
} simt_row;

/* False: the op is for single threads: rows are short, or the order of combining matters. */
bool simt_row_choose(simt_gen *gen, const ten_op *op, simt_row *out);
/* The kernel of a group, number `i`: the op's result to q0, or what it has of a piece to row->partial. */
void simt_row_emit(simt_gen *gen, const simt_row *row, simt_ix i);
/* The kernel of one result, number `i`: the pieces combined. */
void simt_row_emit_sum(simt_gen *gen, const simt_row *row, simt_ix i);

/* Parts of it: whether the region is one commutative op; element k of the row at `index` in the type the region works
 * in; the region; what `threads` threads have in rows[TID], combined. */
bool simt_is_commutative(const ten_op *op);
simt_val simt_row_element(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_ix k);
simt_val simt_row_combine(simt_gen *gen, const ten_op *op, simt_val x, simt_val y);
void simt_row_tree(simt_gen *gen, const ten_op *op, int64_t threads, const char *type, const char *step);

/* Rows along the last dimensions that are reduced, the results spread over the rows again, reduced again, …: softmax
 * and normalizations. A group of threads does it all for its rows. */
enum { SIMT_REDUCES_MOST = 6 };
typedef struct simt_rows {
  const ten_op *reduces[SIMT_REDUCES_MOST]; /* in order */
  uint32_t reduce_count;
} simt_rows;

/* Whether rows can start with this op. */
bool simt_rows_start(const ten_op *op);
/* Whether op, which reads some of its results, can be computed row by row, too. */
bool simt_rows_join(const simt_rows *rows, const ten_op *op);
bool simt_rows_is_full(const simt_rows *rows, const ten_value *value); /* has all elements of the rows */
int64_t simt_rows_groups(const simt_rows *rows);
/* The kernel of a group, number `i`: values that were computed row by row to q0, q1…. */
void simt_rows_emit(simt_gen *gen, const simt_rows *rows, simt_ix i, const ten_value *const *outputs, uint32_t count);

#endif
