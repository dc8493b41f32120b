/* grouped.c: grouped matmuls of rows with a matrix per group, as in mixtures of experts. The group of each row is
 * known only at run time: offs[e] is the end of group e. Rows are packed into blocks of a fixed height that hold rows
 * of one group each; there are never more than `blocks` of those, so shapes stay static and each row is multiplied
 * once. */
#include "front/aten/lower.h"

/* For n rows and the number of groups: rows per block, and blocks. A group wastes less than one block. */
static void blocks_choose(int64_t rows, int64_t groups, int64_t *height, int64_t *blocks) {
  *height = groups && rows > groups ? (rows + groups - 1) / groups : 1;
  *blocks = *height == 1 ? rows : rows / *height + (groups < rows ? groups : rows);
}

/* The number of `ends`[groups] at or below each of 0 … n-1: the group of each index. */
static ten_value *group_of(at *l, ten_value *ends, int64_t n) {
  const int64_t places[2] = {n, 1}, last = 1;
  ten_value *place = at_iota(l, TEN_I64, 2, places, 0);
  return at_sum(l, at_cast(l, at_cmp(l, TEN_GE, place, at_unsqueeze(l, ends, 0)), TEN_I64), 1, &last, false);
}

/* x[rows, k] · w[groups, k, n], group by group; rows after the last end are 0. */
static ten_value *grouped_matmul(at *l, ten_value *x, ten_value *w, ten_value *offs) {
  const int64_t rows = at_dim(l, x, 0), k = at_dim(l, x, 1), groups = at_dim(l, w, 0), n = at_dim(l, w, 2),
                dims[2] = {rows, n};
  if (!rows || !groups || !n) return at_full(l, at_type(x), 2, dims, 0);
  int64_t height, count;
  blocks_choose(rows, groups, &height, &count);
  ten_value *ends = at_cast(l, offs, TEN_I64);
  ten_value *starts = at_pad(l, at_slice(l, ends, 0, 0, groups - 1, 1), 0, 1, 0, 0, 0);
  ten_value *sizes = at_max(l, at_sub(l, ends, starts), at_num(l, ends, 0));
  ten_value *used = at_div(l, at_add(l, sizes, at_num(l, ends, (double)(height - 1))), at_num(l, ends, (double)height));
  ten_value *block_ends = at_cumulate(l, TEN_OP_ADD, used, 0), *first = at_sub(l, block_ends, used);
  ten_value *group = group_of(l, ends, rows); /* of each row; `groups` for rows outside all groups */
  ten_value *inside = at_cmp(l, TEN_LT, group, at_num(l, group, (double)groups));
  /* The slot of each row: consecutive from its group's first block. */
  ten_value *row = at_iota(l, TEN_I64, 1, &rows, 0);
  ten_value *shift = at_sub(l, at_mul(l, first, at_num(l, first, (double)height)), starts);
  ten_value *place = at_add(l, row, at_take(l, shift, group, 0));
  const int64_t slots = count * height, spare = slots + 1, blocked[3] = {count, height, k}, flat[2] = {slots, n};
  place = at_sel(l, inside, place, at_num(l, place, (double)slots)); /* other rows are dropped */
  /* The row of each slot: zero rows for empty slots. */
  ten_value *source = at_scatter_flat(l, TEN_OP_UNKNOWN, at_full(l, TEN_I64, 1, &spare, (double)rows), place, row);
  ten_value *padded = at_pad(l, x, 0, 0, 1, 0, 0);
  ten_value *laid = at_reshape(l, at_take(l, padded, at_slice(l, source, 0, 0, slots, 1), 0), 3, blocked);
  ten_value *block_group = at_min(l, group_of(l, block_ends, count), at_const(l, TEN_I64, (double)(groups - 1)));
  ten_value *y = at_reshape(l, at_matmul(l, laid, at_take(l, w, block_group, 0)), 2, flat);
  y = at_take(l, y, at_min(l, place, at_num(l, place, (double)(slots - 1))), 0);
  return at_sel(l, at_unsqueeze(l, inside, 1), y, at_num(l, y, 0));
}

/* code 1: the name that transformers uses. */
static void lower_grouped_mm(at *l) {
  const bool own = l->row->code == 1;
  ten_value *x = at_t(l, own ? "input" : "self"), *w = at_t(l, own ? "weight" : "mat2"), *offs = at_topt(l, "offs");
  const ten_dtype out = own ? at_type(x) : at_dtype(l, "out_dtype", at_type(x));
  if (!own && at_has(l, "bias")) at_fail(l, TEN_UNSUPPORTED, "a bias is not supported");
  if (at_rank(x) == 3 && at_rank(w) == 3 && !offs) {
    at_ret(l, 0, at_cast(l, at_matmul(l, x, w), out));
    return;
  }
  if (at_rank(x) != 2 || at_rank(w) != 3 || !offs)
    at_fail(l, TEN_UNSUPPORTED, "operands of %u and %u dimensions are not supported", at_rank(x), at_rank(w));
  at_check(l, at_dim(l, x, 1) == at_dim(l, w, 1), "rows of %lld, matrices of %lld rows", (long long)at_dim(l, x, 1),
           (long long)at_dim(l, w, 1));
  at_check(l, at_rank(offs) == 1 && at_dim(l, offs, 0) == at_dim(l, w, 0), "%lld ends of %lld groups",
           (long long)at_count(offs), (long long)at_dim(l, w, 0));
  at_ret(l, 0, at_cast(l, grouped_matmul(l, x, w, offs), out));
}

const at_row at_rows_grouped[] = {
    {"_grouped_mm", lower_grouped_mm}, {"transformers.grouped_mm_fallback", lower_grouped_mm, .code = 1}, {NULL}};
