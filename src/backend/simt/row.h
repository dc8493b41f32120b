/* row.h: reductions by groups of threads: several threads share a row and combine their partial results in a fixed
 * tree, so results are deterministic. */
#ifndef TEN_SIMT_ROW_H
#define TEN_SIMT_ROW_H

#include "backend/simt/gen.h"

enum { SIMT_ROW_OPS_MOST = 4 };
typedef struct simt_row {
  const ten_op *ops[SIMT_ROW_OPS_MOST]; /* reductions of the same form: what they have in common is read once */
  uint32_t op_count;
  int64_t rows, length; /* results of each op, and elements of each result */
  int64_t threads;      /* per row: a power of two, at most SIMT_GROUP and length */
  bool contiguous;      /* a row's elements are contiguous in memory; otherwise a column's are */
  int64_t lanes;        /* of columns: how many of them a thread sums up, loading 16 bytes at a time */
  int64_t groups;
  int64_t splits, chunk; /* rows are split into so many pieces of `chunk`, combined by a second kernel */
  ten_value *partial[SIMT_ROW_OPS_MOST]; /* of the pieces: [splits, rows] */
} simt_row;

/* False: one thread per result: rows are short, or the order of combination matters. */
bool simt_row_choose(simt_gen *gen, const ten_op *op, simt_row *out);
/* Adds a reduction of the same form; `lanes` are known after all of them. */
bool simt_row_add(simt_row *row, const ten_op *op);
void simt_row_choose_lanes(simt_gen *gen, simt_row *row);
void simt_row_choose_one(simt_row *row); /* one lane */
/* The kernel of group `i`: writes the ops' results to q0, q1…, or partial results to row->partial. False: some buffer
 * would be read element by element, and a kernel of one lane is to be begun. */
bool simt_row_emit(simt_gen *gen, const simt_row *row, simt_ix i);
/* The kernel of group `i` of those that combine the pieces. */
int64_t simt_row_sum_groups(const simt_row *row);
void simt_row_emit_sum(simt_gen *gen, const simt_row *row, simt_ix i);

/* Parts of it: whether the region is one commutative op; element k of the row at `index` in the region's type; the
 * region; the combined values of `threads` threads in rows[TID]. */
bool simt_is_commutative(const ten_op *op);
simt_val simt_row_element(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_ix k);
const ten_value *simt_row_buffer(const simt_gen *gen, const ten_value *x); /* the first it is computed from, or NULL */
simt_val simt_row_combine(simt_gen *gen, const ten_op *op, simt_val x, simt_val y);
void simt_row_tree(simt_gen *gen, const ten_op *op, int64_t threads, const char *type, const char *step);

/* Fused row ops: reductions along the last dimensions, their results broadcast over the rows, reduced again, …: softmax
 * and normalizations. A group of threads computes all of it for its rows. */
enum { SIMT_REDUCES_MOST = 6, SIMT_ROWS_OUTPUTS = 4 };
typedef struct simt_rows {
  const ten_op *reduces[SIMT_REDUCES_MOST]; /* in order */
  uint32_t reduce_count;
  int64_t lanes; /* elements that follow each other, by one thread; 0: not chosen yet */
} simt_rows;

/* Whether a row fusion can start with this op. */
bool simt_rows_start(const ten_op *op);
/* Whether op, which reads some of its results, can join the row fusion. */
bool simt_rows_join(const simt_rows *rows, const ten_op *op);
bool simt_rows_is_full(const simt_rows *rows, const ten_value *value); /* has the full shape of the rows */
int64_t simt_rows_groups(const simt_rows *rows);
/* How many elements a thread is to load and store at a time. */
void simt_rows_choose_lanes(simt_gen *gen, simt_rows *rows, const ten_value *const *outputs, uint32_t count);
/* The kernel of group `i`: stores row-wise results to q0, q1…. False: some buffer would be read element by element, and
 * a kernel of one lane is to be begun. */
bool simt_rows_emit(simt_gen *gen, const simt_rows *rows, simt_ix i, const ten_value *const *outputs, uint32_t count);

#endif
