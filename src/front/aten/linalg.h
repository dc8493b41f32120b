/* linalg.h: shared by the files of linear algebra: matrices are the last two dimensions, loops over columns process
 * every matrix of a batch at once. */
#ifndef TEN_ATEN_LINALG_H
#define TEN_ATEN_LINALG_H

#include "front/aten/lower.h"

static inline int64_t at_mat_rows(at *l, const ten_value *x) { return at_dim(l, x, (int64_t)at_rank(x) - 2); }
static inline int64_t at_mat_cols(at *l, const ten_value *x) { return at_dim(l, x, (int64_t)at_rank(x) - 1); }

void at_mat_check(at *l, const ten_value *x, bool square);
ten_value *at_mat_t(at *l, ten_value *x); /* transposed */
/* Mask of `like` by comparing row and column indices. */
ten_value *at_mat_mask(at *l, const ten_value *like, ten_compare direction);
ten_value *at_mat_tril(at *l, ten_value *x);
ten_value *at_mat_triu(at *l, ten_value *x);
ten_value *at_mat_diagonal(at *l, ten_value *x); /* of a square matrix: [..., n] */
/* The identity, rows by columns, with the batch of x. */
ten_value *at_mat_eye(at *l, const ten_value *x, int64_t rows, int64_t cols);
/* Column (last dim) or row (last dim but one) k, as a dimension of size 1. */
ten_value *at_mat_pick(at *l, ten_value *x, ten_value *k, int64_t dim);

/* A loop of `count` steps. A step gets its number (i64, rank 0) and replaces the values; constants are passed as values
 * too, since the region captures nothing. */
typedef struct at_sweep {
  at *l;
  int64_t count;
  void (*step)(struct at_sweep *s, ten_value *k, ten_value **values);
  uint32_t value_count; /* at most 7 */
} at_sweep;
void at_sweep_run(at_sweep *s, ten_value **values);

/* Q (rows by rows) of the Householder QR; R in *out_r, lower part not cleared yet. */
ten_value *at_mat_qr(at *l, ten_value *x, ten_value **out_r);

#endif
