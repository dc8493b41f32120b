/* counted.c: ops with data-dependent result sizes: the number of nonzero elements, of distinct values. The size is
 * queried (at_ask), the rest is StableHLO of static shapes. */
#include "front/aten/lower.h"

enum { MOST_COLUMNS = 1024 }; /* of rows that are sorted: each is an operand */

static ten_value *total(at *l, ten_value *flags) {
  const int64_t zero = 0;
  return at_sum(l, at_cast(l, flags, TEN_I64), 1, &zero, false);
}

/* The number of true elements up to each one, less one: the number of its group. */
static ten_value *groups(at *l, ten_value *flags) {
  return at_addn(l, at_cumulate(l, TEN_OP_ADD, at_cast(l, flags, TEN_I64), 0), -1);
}

/* Indices at which `size` flags are true. Excess elements get an index past the end, which scatter drops. */
static ten_value *places_of(at *l, ten_value *flags, int64_t size) {
  ten_value *to = at_sel(l, flags, groups(l, flags), ten_build_scalar_int(&l->b, TEN_I64, size));
  return at_scatter_flat(l, TEN_OP_UNKNOWN, at_full(l, TEN_I64, 1, &size, 0), to,
                         at_iota(l, TEN_I64, 1, at_dims_first(l, flags, 1), 0));
}

void at_true_places(at *l, ten_value *mask, ten_value **lists) {
  ten_value *flat = at_flatten(l, mask);
  const int64_t size = at_count(flat) ? at_ask(l, total(l, flat), "the number of true places") : 0;
  ten_value *places = size ? places_of(l, flat, size) : at_full(l, TEN_I64, 1, &size, 0);
  if (!at_rank(mask)) lists[0] = places;
  for (uint32_t d = at_rank(mask); d-- > 0;) {
    ten_value *n = ten_build_scalar_int(&l->b, TEN_I64, at_dim(l, mask, d) ? at_dim(l, mask, d) : 1);
    lists[d] = d ? at_bin(l, TEN_OP_REMAINDER, places, n) : places;
    if (d) places = at_div(l, places, n);
  }
}

ten_value *at_largest_and_one(at *l, ten_value *x) {
  if (!at_count(x)) return at_const(l, TEN_I64, 0);
  const int64_t zero = 0;
  return at_addn(l, at_reduce(l, TEN_OP_MAXIMUM, at_flatten(l, x), 1, &zero, false), 1);
}

static void lower_masked_select(at *l) {
  ten_value *x = at_t(l, "self"), *mask = at_cast(l, at_t(l, "mask"), TEN_I1), *places;
  uint32_t rank;
  int64_t dims[AT_DIMS];
  at_broadcast_dims(l, x, mask, &rank, dims);
  at_true_places(l, at_flatten(l, at_expand(l, mask, rank, dims)), &places);
  at_ret(l, 0, at_take(l, at_flatten(l, at_expand(l, x, rank, dims)), places, 0));
}

/* ---- distinct values ---- */
/* True for each row of [n, …] that differs from the previous one. */
static ten_value *changes(at *l, ten_value *rows) {
  const int64_t n = at_dim(l, rows, 0), one = 1, last = 1;
  ten_value *first = at_full(l, TEN_I1, 1, &one, 1);
  if (n < 2) return n ? first : at_full(l, TEN_I1, 1, &n, 0);
  ten_value *differ = at_cmp(l, TEN_NE, at_slice(l, rows, 0, 1, n, 1), at_slice(l, rows, 0, 0, n - 1, 1));
  if (at_rank(rows) > 1) {
    const int64_t flat[2] = {n - 1, at_count(differ) / (n - 1)};
    differ = at_reduce(l, TEN_OP_OR, at_reshape(l, differ, 2, flat), 1, &last, false);
  }
  return at_cat(l, 2, (ten_value *[]){first, differ}, 0);
}

typedef struct row_order {
  at *l;
  uint32_t columns;
} row_order;

/* Lexicographic: by the first column in which two rows differ. */
static void row_before(ten_builder *b, ten_value *const *args, void *context) {
  const row_order *o = context;
  at *l = o->l;
  const ten_builder was = l->b;
  l->b = *b;
  ten_value *before = at_const(l, TEN_I1, 0);
  for (uint32_t k = o->columns; k-- > 0;) {
    ten_value *x = args[2 * k], *y = args[2 * k + 1];
    before = at_or(l, at_cmp(l, TEN_LT, x, y), at_and(l, at_cmp(l, TEN_EQ, x, y), before));
  }
  ten_build_return(&l->b, 1, &before);
  l->b = was;
}

/* The rows of [n, columns] sorted, and their original indices. */
static ten_value *rows_sorted(at *l, ten_value *rows, ten_value **out_from) {
  const int64_t n = at_dim(l, rows, 0), columns = at_dim(l, rows, 1);
  if (columns > MOST_COLUMNS)
    at_fail(l, TEN_UNSUPPORTED, "rows of %lld are sorted; at most %d", (long long)columns, (int)MOST_COLUMNS);
  ten_value **parts = at_new_array(l, ten_value *, (size_t)columns + 1);
  for (int64_t k = 0; k < columns; k++) parts[k] = at_squeeze(l, at_slice(l, rows, 1, k, k + 1, 1), 1);
  parts[columns] = at_iota(l, TEN_I64, 1, &n, 0);
  row_order order = {l, (uint32_t)columns};
  const ten_op *sorted = ten_build_sort(&l->b, (uint32_t)columns + 1, parts, 0, true, row_before, &order);
  for (int64_t k = 0; k < columns; k++) parts[k] = at_unsqueeze(l, ten_op_result(sorted, (uint32_t)k), 1);
  *out_from = ten_op_result(sorted, (uint32_t)columns);
  return columns ? at_cat(l, (size_t)columns, parts, 1) : rows;
}

/* Results: the distinct rows, the group number of each row in the shape of `like`, the count of each. `from`: original
 * indices of the sorted rows; NULL: in order. */
static void ret_groups(at *l, ten_value *rows, ten_value *from, uint32_t like_rank, const int64_t *like_dims,
                       ten_value **out_rows) {
  ten_value *first = changes(l, rows), *places, *group = groups(l, first);
  const int64_t n = at_dim(l, rows, 0), none = 0;
  at_true_places(l, first, &places);
  *out_rows = at_take(l, rows, places, 0);
  ten_value *inverse = at_full(l, TEN_I64, 1, &none, 0), *counts = inverse;
  if (at_bool(l, "return_inverse", false)) {
    inverse = from ? at_scatter_flat(l, TEN_OP_UNKNOWN, at_full(l, TEN_I64, 1, &n, 0), from, group) : group;
    inverse = at_reshape(l, inverse, like_rank, like_dims);
  }
  if (at_bool(l, "return_counts", false))
    counts = at_scatter_flat(l, TEN_OP_ADD, at_full(l, TEN_I64, 1, at_dims_first(l, places, 1), 0), group,
                             at_full(l, TEN_I64, 1, &n, 1));
  at_ret(l, 1, inverse);
  at_ret(l, 2, counts);
}

/* Code 0: of sorted values; 1: of consecutive values only. */
static void lower_unique(at *l) {
  ten_value *x = at_t(l, "self"), *flat = at_flatten(l, x), *from = NULL, *values;
  if (!l->row->code) at_sort(l, flat, 0, false, &flat, &from);
  ret_groups(l, flat, from, at_rank(x), at_dims(x), &values);
  at_ret(l, 0, values);
}

static void lower_unique_rows(at *l) {
  if (!at_has(l, "dim")) {
    lower_unique(l);
    return;
  }
  ten_value *x = at_t(l, "self"), *from = NULL, *rows, *values;
  const int64_t dim = at_dim_arg(l, "dim", 0, at_rank(x)), n = at_dim(l, x, dim);
  const bool boolean = at_type(x) == TEN_I1;
  x = at_swap(l, boolean ? at_cast(l, x, TEN_UI8) : x, 0, dim);
  const int64_t flat[2] = {n, n ? at_count(x) / n : 0};
  rows = at_reshape(l, x, 2, flat);
  if (!l->row->code && n) rows = rows_sorted(l, rows, &from);
  ret_groups(l, rows, from, 1, &n, &values);
  int64_t dims[AT_DIMS];
  for (uint32_t d = 0; d < at_rank(x); d++) dims[d] = d ? at_dim(l, x, d) : at_dim(l, values, 0);
  values = at_swap(l, at_reshape(l, values, at_rank(x), dims), 0, dim);
  at_ret(l, 0, boolean ? at_cast(l, values, TEN_I1) : values);
}

static void lower_bincount(at *l) {
  ten_value *x = at_cast(l, at_t(l, "self"), TEN_I64), *weights = at_topt(l, "weights");
  const int64_t least = at_int(l, "minlength", 0);
  int64_t size = at_ask(l, at_largest_and_one(l, x), "the size of bincount");
  at_check(l, size >= 0, "bincount of numbers below 0");
  if (size < least) size = least;
  const ten_dtype dtype = !weights ? TEN_I64 : at_type(weights) == TEN_F32 ? TEN_F32 : TEN_F64;
  weights = weights ? at_cast(l, weights, dtype) : at_full(l, TEN_I64, 1, at_dims_first(l, x, 1), 1);
  at_ret(l, 0, at_scatter_flat(l, TEN_OP_ADD, at_full(l, dtype, 1, &size, 0), x, weights));
}

const at_row at_rows_counted[] = {{"masked_select", lower_masked_select},
                                  {"_unique2", lower_unique},
                                  {"_unique", lower_unique},
                                  {"unique_dim", lower_unique_rows},
                                  {"unique_consecutive", lower_unique_rows, .code = 1},
                                  {"bincount", lower_bincount},
                                  {NULL}};
