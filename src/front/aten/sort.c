/* sort.c: sorting, the k largest, order statistics. */
#include "front/aten/lower.h"

typedef struct order {
  at *l;
  bool descending;
} order;

/* Compares values only; the sort is stable. NaN is larger than everything. */
static void order_body(ten_builder *b, ten_value *const *args, void *context) {
  const order *o = context;
  at *l = o->l;
  const ten_builder was = l->b;
  l->b = *b;
  ten_value *x = args[0], *y = args[1], *before = at_cmp(l, o->descending ? TEN_GT : TEN_LT, x, y);
  if (at_is_float(x)) {
    ten_value *nan_x = at_isnan(l, x), *nan_y = at_isnan(l, y);
    if (o->descending)
      before = at_or(l, before, at_and(l, nan_x, at_not(l, nan_y)));
    else
      before = at_or(l, before, at_and(l, nan_y, at_not(l, nan_x)));
  }
  ten_build_return(&l->b, 1, &before);
  l->b = was;
}

void at_sort(at *l, ten_value *x, int64_t dim, bool descending, ten_value **values, ten_value **indices) {
  if (!at_rank(x)) {
    *values = x;
    *indices = at_const(l, TEN_I64, 0);
    return;
  }
  const bool boolean = at_type(x) == TEN_I1;
  if (boolean) x = at_cast(l, x, TEN_UI8);
  ten_value *xs[2] = {x, at_iota(l, TEN_I64, at_rank(x), at_dims(x), dim)};
  order o = {l, descending};
  ten_op *op = ten_build_sort(&l->b, 2, xs, dim, true, order_body, &o);
  *values = boolean ? at_cast(l, ten_op_result(op, 0), TEN_I1) : ten_op_result(op, 0);
  *indices = ten_op_result(op, 1);
}

static void lower_sort(at *l) {
  ten_value *x = at_t(l, "self"), *values, *indices;
  at_sort(l, x, at_dim_arg(l, "dim", -1, at_rank(x)), at_bool(l, "descending", false), &values, &indices);
  if (l->row->code) {
    at_ret(l, 0, indices);
    return;
  }
  at_ret(l, 0, values);
  at_ret(l, 1, indices);
}

static void lower_msort(at *l) {
  ten_value *values, *indices;
  at_sort(l, at_t(l, "self"), 0, false, &values, &indices);
  at_ret(l, 0, values);
}

static void lower_topk(at *l) {
  ten_value *x = at_t(l, "self"), *values, *indices;
  const int64_t dim = at_dim_arg(l, "dim", -1, at_rank(x)), k = at_int(l, "k", 1);
  at_sort(l, x, dim, at_bool(l, "largest", true), &values, &indices);
  at_ret(l, 0, at_rank(x) ? at_slice(l, values, dim, 0, k, 1) : values);
  at_ret(l, 1, at_rank(x) ? at_slice(l, indices, dim, 0, k, 1) : indices);
}

/* Element k of the sorted dimension, with its index. */
static void ret_nth(at *l, ten_value *values, ten_value *indices, int64_t dim, int64_t k, bool keep) {
  if (at_rank(values)) {
    values = at_slice(l, values, dim, k, k + 1, 1), indices = at_slice(l, indices, dim, k, k + 1, 1);
    if (!keep) values = at_squeeze(l, values, dim), indices = at_squeeze(l, indices, dim);
  }
  at_ret(l, 0, values);
  at_ret(l, 1, indices);
}

static void lower_kthvalue(at *l) {
  ten_value *x = at_t(l, "self"), *values, *indices;
  const int64_t dim = at_dim_arg(l, "dim", -1, at_rank(x)), k = at_int(l, "k", 1);
  at_sort(l, x, dim, false, &values, &indices);
  ret_nth(l, values, indices, dim, k - 1, at_bool(l, "keepdim", false));
}

/* The lower of the two middle elements; a NaN makes it NaN (code 1: NaN is ignored). */
static void lower_median(at *l) {
  ten_value *x = at_t(l, "self"), *values, *indices;
  const bool whole = !at_has(l, "dim"), skip = l->row->code;
  if (whole) x = at_flatten(l, x);
  const int64_t dim = whole ? 0 : at_dim_arg(l, "dim", -1, at_rank(x));
  const bool keep = at_bool(l, "keepdim", false);
  at_sort(l, x, dim, false, &values, &indices);
  if (!at_rank(x)) {
    at_ret(l, 0, values);
    at_ret(l, 1, indices);
    return;
  }
  const int64_t size = at_dim(l, x, dim);
  if (!at_is_float(x)) {
    ret_nth(l, values, indices, dim, (size - 1) / 2, keep);
    return;
  }
  ten_value *nans = at_sum(l, at_cast(l, at_isnan(l, x), TEN_I64), 1, &dim, true);
  ten_value *total = at_const(l, TEN_I64, (double)size), *middle;
  if (skip)
    middle =
        at_max(l, at_div(l, at_addn(l, at_sub(l, total, nans), -1), at_const(l, TEN_I64, 2)), at_const(l, TEN_I64, 0));
  else {
    /* The first NaN is right behind the numbers. */
    ten_value *first_nan = at_sub(l, total, nans);
    middle = at_sel(l, at_cmp(l, TEN_GT, nans, at_num(l, nans, 0)), first_nan,
                    at_const(l, TEN_I64, (double)((size - 1) / 2)));
  }
  values = at_gather(l, values, middle, dim), indices = at_gather(l, indices, middle, dim);
  if (!keep) values = at_squeeze(l, values, dim), indices = at_squeeze(l, indices, dim);
  at_ret(l, 0, values);
  at_ret(l, 1, indices);
}

/* The smallest of the most frequent values, and its last index. */
static void lower_mode(at *l) {
  ten_value *x = at_t(l, "self");
  const int64_t dim = at_dim_arg(l, "dim", -1, at_rank(x));
  if (!at_rank(x)) {
    at_ret(l, 0, x);
    at_ret(l, 1, at_const(l, TEN_I64, 0));
    return;
  }
  ten_value *values, *indices;
  at_sort(l, x, dim, false, &values, &indices);
  /* The number of occurrences of each value, by comparing all pairs along dim. */
  ten_value *same = at_cmp(l, TEN_EQ, at_unsqueeze(l, values, dim), at_unsqueeze(l, values, dim + 1));
  ten_value *count = at_sum(l, at_cast(l, same, TEN_I64), 1, &dim, false);
  ten_value *best = at_unsqueeze(l, at_arg_extreme(l, count, dim, true, NULL), dim);
  ten_value *value = at_gather(l, values, best, dim);
  ten_value *place = at_sel(l, at_cmp(l, TEN_EQ, x, value), at_iota(l, TEN_I64, at_rank(x), at_dims(x), dim),
                            at_const(l, TEN_I64, -1));
  ten_value *last = at_reduce(l, TEN_OP_MAXIMUM, place, 1, &dim, true);
  const bool keep = at_bool(l, "keepdim", false);
  at_ret(l, 0, keep ? value : at_squeeze(l, value, dim));
  at_ret(l, 1, keep ? last : at_squeeze(l, last, dim));
}

static void lower_quantile(at *l) {
  ten_value *x = at_t(l, "self");
  const ten_dtype dtype = at_type(x);
  const at_ref q_ref = at_arg(l, "q");
  ten_value *q = at_ref_value(l, q_ref, dtype);
  const bool whole = !at_has(l, "dim"), keep = at_bool(l, "keepdim", false), skip = l->row->code;
  const uint32_t rank_in = at_rank(x);
  if (whole) x = at_flatten(l, x);
  if (!at_rank(x)) x = at_flatten(l, x);
  const int64_t dim = whole ? 0 : at_dim_arg(l, "dim", 0, at_rank(x));
  ten_value *values, *indices;
  at_sort(l, x, dim, false, &values, &indices);
  const int64_t last = (int64_t)at_rank(values) - 1;
  values = at_swap(l, values, dim, last);
  const uint32_t q_rank = at_rank(q);
  ten_value *qs = at_flatten(l, q);
  ten_value *n = at_full(l, dtype, 0, NULL, (double)at_dim(l, values, last));
  ten_value *nans = NULL;
  if (skip)
    n = at_sum(l, at_cast(l, at_not(l, at_isnan(l, values)), dtype), 1, &last, true);
  else
    nans = at_reduce(l, TEN_OP_OR, at_isnan(l, values), 1, &last, true);
  ten_value *rank = at_mul(l, qs, at_addn(l, n, -1)); /* […, q] */
  if (skip) rank = at_relu(l, rank);
  int64_t dims[AT_DIMS];
  for (uint32_t i = 0; i < at_rank(values); i++) dims[i] = i == last ? at_count(qs) : at_dim(l, values, i);
  rank = at_expand(l, rank, at_rank(values), dims);
  const ten_str mode = at_string(l, "interpolation");
  ten_value *low = at_un(l, TEN_OP_FLOOR, rank), *high = at_un(l, TEN_OP_CEIL, rank), *y;
  if (ten_str_is(mode, "lower")) rank = low;
  if (ten_str_is(mode, "higher")) rank = high;
  if (ten_str_is(mode, "nearest")) rank = at_un(l, TEN_OP_ROUND_NEAREST_EVEN, rank);
  if (ten_str_is(mode, "lower") || ten_str_is(mode, "higher") || ten_str_is(mode, "nearest")) {
    y = at_gather(l, values, at_cast(l, rank, TEN_I64), last);
  } else {
    ten_value *a = at_gather(l, values, at_cast(l, low, TEN_I64), last),
              *b = at_gather(l, values, at_cast(l, high, TEN_I64), last);
    ten_value *part = ten_str_is(mode, "midpoint") ? at_num(l, rank, 0.5) : at_sub(l, rank, low);
    y = at_add(l, a, at_mul(l, at_sub(l, b, a), part));
  }
  if (nans) y = at_sel(l, nans, at_num(l, y, NAN), y);
  /* […, q] with the reduced dimension in place of q's: q goes first. */
  ten_value *moved = at_unsqueeze(l, y, 0);
  int64_t order_[AT_DIMS];
  for (uint32_t i = 0; i < at_rank(moved); i++) order_[i] = i;
  order_[0] = at_rank(moved) - 1, order_[at_rank(moved) - 1] = 0;
  moved = at_permute(l, moved, order_); /* [q, …, 1] */
  moved = at_swap(l, moved, dim + 1, last + 1);
  if (whole && keep) {
    int64_t ones[AT_DIMS];
    ones[0] = at_dim(l, moved, 0);
    for (uint32_t i = 0; i < rank_in; i++) ones[i + 1] = 1;
    moved = at_reshape(l, moved, rank_in + 1, ones);
  } else if (!keep) {
    moved = at_squeeze(l, moved, dim + 1);
  }
  if (rank_in == 0 && !whole) moved = at_reshape(l, moved, 1, (const int64_t[]){at_count(qs)});
  at_ret(l, 0, q_rank ? moved : at_squeeze(l, moved, 0));
}

const at_row at_rows_sort[] = {{"sort", lower_sort},
                               {"argsort", lower_sort, .code = 1},
                               {"msort", lower_msort},
                               {"topk", lower_topk},
                               {"kthvalue", lower_kthvalue},
                               {"median", lower_median},
                               {"nanmedian", lower_median, .code = 1},
                               {"mode", lower_mode},
                               {"quantile", lower_quantile},
                               {"nanquantile", lower_quantile, .code = 1},
                               {NULL}};
