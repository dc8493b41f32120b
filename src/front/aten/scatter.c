/* scatter.c: writes at indices given by tensors, and combining of duplicates. Each becomes one scatter, which index.c
 * creates. */
#include "front/aten/lower.h"

static ten_opcode reduce_code(at *l, ten_str reduce) {
  if (!reduce.size) return TEN_OP_UNKNOWN;
  if (ten_str_is(reduce, "add") || ten_str_is(reduce, "sum") || ten_str_is(reduce, "mean")) return TEN_OP_ADD;
  if (ten_str_is(reduce, "multiply") || ten_str_is(reduce, "prod")) return TEN_OP_MULTIPLY;
  if (ten_str_is(reduce, "amax")) return TEN_OP_MAXIMUM;
  if (ten_str_is(reduce, "amin")) return TEN_OP_MINIMUM;
  at_fail(l, TEN_INVALID, "reduction '%.*s' is not supported", TEN_FMT(reduce));
}

/* Booleans combine as one-bit integers. */
static ten_opcode code_for(ten_opcode code, ten_dtype dtype) {
  if (dtype != TEN_I1) return code;
  return code == TEN_OP_ADD || code == TEN_OP_MAXIMUM        ? TEN_OP_OR
         : code == TEN_OP_MULTIPLY || code == TEN_OP_MINIMUM ? TEN_OP_AND
                                                             : code;
}

static void lower_scatter(at *l) {
  ten_value *x = at_t(l, "self"), *index = at_t(l, "index");
  const char *key = at_has(l, "src") ? "src" : "value";
  ten_value *updates = at_ref_value(l, at_arg(l, key), at_type(x));
  if (!strcmp(key, "value") || !at_rank(updates)) updates = at_expand_like(l, at_reshape(l, updates, 0, NULL), index);
  const ten_opcode code = l->row->code ? (ten_opcode)l->row->code : reduce_code(l, at_string(l, "reduce"));
  const int64_t dim = at_dim_arg(l, "dim", 0, at_rank(x));
  at_assert_places(l, index, x, dim, "RuntimeError");
  at_ret(l, 0, at_scatter(l, code_for(code, at_type(x)), x, index, updates, dim));
}

static ten_value *start_of(at *l, ten_opcode code, const ten_value *x) {
  if (code == TEN_OP_MULTIPLY) return at_num(l, x, 1);
  if (code == TEN_OP_MAXIMUM) return at_lowest(l, at_type(x));
  if (code == TEN_OP_MINIMUM) return at_is_float(x) ? at_num(l, x, INFINITY) : at_highest(l, at_type(x));
  return at_num(l, x, 0);
}

/* How many values each place gets. */
static ten_value *scatter_counts(at *l, const ten_value *x, ten_value *index, int64_t dim) {
  ten_value *zeros = at_full(l, at_type(x), at_rank(x), at_dims(x), 0);
  return at_scatter(l, TEN_OP_ADD, zeros, index, at_full(l, at_type(x), at_rank(index), at_dims(index), 1), dim);
}

/* x with `start` in each place that gets a value. */
static ten_value *without_self(at *l, ten_opcode code, ten_value *x, ten_value *index, int64_t dim) {
  ten_value *start = start_of(l, code, x);
  if (at_type(x) == TEN_I1 || !at_moves_rows(l, x, index, dim))
    return at_scatter(l, TEN_OP_UNKNOWN, x, index, at_expand_like(l, start, index), dim);
  ten_value *count = scatter_counts(l, x, index, dim); /* one for each row: cheaper than to write the rows */
  return at_sel(l, at_cmp(l, TEN_GT, count, at_num(l, count, 0)), start, x);
}

static ten_value *scatter_reduced(at *l, ten_value *x, ten_value *index, ten_value *src, int64_t dim) {
  const ten_str reduce = at_string(l, "reduce");
  const bool include = at_bool(l, "include_self", true);
  const ten_opcode code = reduce_code(l, reduce);
  ten_value *base = x;
  if (!at_rank(index) && at_rank(x)) index = at_flatten(l, index);
  if (!at_rank(src) && at_rank(index)) src = at_flatten(l, src);
  if (!include) base = without_self(l, code, x, index, dim);
  ten_value *y = at_scatter(l, code_for(code, at_type(x)), base, index, src, dim);
  if (ten_str_is(reduce, "mean")) {
    ten_value *count = at_addn(l, scatter_counts(l, x, index, dim), include);
    count = at_max(l, count, at_num(l, count, 1));
    if (at_is_float(x)) return at_div(l, y, count);
    ten_value *q = at_div(l, y, count), *r = at_sub(l, y, at_mul(l, q, count)), *zero = at_num(l, y, 0);
    return at_sel(l, at_cmp(l, TEN_LT, r, zero), at_addn(l, q, -1), q);
  }
  return y;
}

static void lower_scatter_reduce(at *l) {
  ten_value *x = at_t(l, "self"), *index = at_t(l, "index");
  const int64_t dim = at_dim_arg(l, "dim", 0, at_rank(x));
  at_assert_places(l, index, x, dim, "RuntimeError");
  at_ret(l, 0, scatter_reduced(l, x, index, at_t(l, "src"), dim));
}

/* A vector index along dim, broadcast to source. */
static ten_value *widened(at *l, ten_value *index, const ten_value *source, int64_t dim) {
  if (!at_rank(source)) return at_reshape(l, index, 0, NULL);
  return at_expand_like(l, at_along(l, at_flatten(l, index), at_rank(source), dim), source);
}

static void lower_index_reduce(at *l) {
  ten_value *x = at_t(l, "self"), *source = at_t(l, "source");
  const int64_t dim = at_dim_arg(l, "dim", 0, at_rank(x));
  at_assert_places(l, at_t(l, "index"), x, dim, "IndexError");
  at_ret(l, 0, scatter_reduced(l, x, widened(l, at_t(l, "index"), source, dim), source, dim));
}

/* index_add, index_copy */
static void lower_index_add(at *l) {
  ten_value *x = at_t(l, "self"), *source = at_cast(l, at_t(l, "source"), at_type(x)),
            *index = at_flatten(l, at_t(l, "index"));
  const int64_t dim = at_dim_arg(l, "dim", 0, at_rank(x));
  const at_ref alpha = at_arg(l, "alpha");
  at_assert_places(l, index, x, dim, "IndexError");
  for (uint32_t i = 0; i < at_rank(x) && at_rank(source) == at_rank(x); i++)
    at_check(l, at_dim(l, source, i) == (i == dim ? at_count(index) : at_dim(l, x, i)),
             "a source of %lld in dimension %u, where %lld are written", (long long)at_dim(l, source, i), i,
             (long long)(i == dim ? at_count(index) : at_dim(l, x, i)));
  if (alpha.kind != AT_NONE)
    source = at_type(x) == TEN_I1 ? at_and(l, source, at_ref_value(l, alpha, TEN_I1))
                                  : at_mul(l, source, at_ref_value(l, alpha, at_type(x)));
  const ten_opcode code = code_for((ten_opcode)l->row->code, at_type(x));
  if (!at_rank(x)) {
    at_ret(l, 0, at_scatter(l, code, x, index, at_flatten(l, source), 0));
    return;
  }
  if (!at_rank(source) && at_rank(x) == 1) source = at_flatten(l, source);
  at_check(l, at_rank(source) == at_rank(x), "a source of rank %u for a tensor of rank %u", at_rank(source),
           at_rank(x));
  index = at_wrapped(l, index, at_dim(l, x, dim));
  at_ret(l, 0, at_scatter_at(l, code, x, 1, &dim, &index, (uint32_t)dim, source));
}

static void lower_index_fill(at *l) {
  ten_value *x = at_t(l, "self"), *index = at_flatten(l, at_t(l, "index"));
  const int64_t dim = at_dim_arg(l, "dim", 0, at_rank(x));
  ten_value *value = at_reshape(l, at_ref_value(l, at_arg(l, "value"), at_type(x)), 0, NULL);
  at_assert_index(l, index, dim, at_rank(x) ? at_dim(l, x, dim) : 1, true, "IndexError");
  if (!at_rank(x)) {
    at_ret(l, 0, value);
    return;
  }
  int64_t dims[AT_DIMS];
  for (uint32_t i = 0; i < at_rank(x); i++) dims[i] = i == dim ? at_count(index) : at_dim(l, x, i);
  index = at_wrapped(l, index, at_dim(l, x, dim));
  at_ret(l, 0,
         at_scatter_at(l, TEN_OP_UNKNOWN, x, 1, &dim, &index, (uint32_t)dim, at_expand(l, value, at_rank(x), dims)));
}

/* The elements selected by the mask, in order, then zeros. */
static void lower_masked_scatter_backward(at *l) {
  ten_value *grad = at_t(l, "grad_output"), *mask = at_expand_like(l, at_t(l, "mask"), grad), *values, *order;
  const ten_ints sizes = at_ints(l, "sizes");
  const int64_t have = at_count(grad), zero = 0;
  at_check(l, sizes.count <= AT_MAX_RANK, "%zu dimensions", sizes.count);
  const int64_t size = at_product(l, (uint32_t)sizes.count, sizes.data);
  mask = at_flatten(l, mask);
  at_sort(l, at_cast(l, at_not(l, mask), TEN_I32), 0, false, &values, &order);
  ten_value *count = at_sum(l, at_cast(l, mask, TEN_I64), 1, &zero, false);
  ten_value *y = at_take(l, at_flatten(l, grad), order, 0);
  y = at_sel(l, at_cmp(l, TEN_LT, at_iota(l, TEN_I64, 1, &have, 0), count), y, at_num(l, y, 0));
  y = size > have ? at_pad(l, y, 0, 0, size - have, 0, 0) : at_slice(l, y, 0, 0, size, 1);
  at_ret(l, 0, at_reshape(l, y, (uint32_t)sizes.count, sizes.data));
}

static void lower_masked_scatter(at *l) {
  ten_value *x = at_t(l, "self"), *source = at_flatten(l, at_t(l, "source"));
  at_check(l, at_type(at_t(l, "mask")) == TEN_I1, "masked_scatter takes boolean masks");
  ten_value *mask = at_cast(l, at_t(l, "mask"), TEN_I1);
  uint32_t rank;
  int64_t dims[AT_DIMS];
  at_broadcast_dims(l, x, mask, &rank, dims);
  x = at_expand(l, x, rank, dims), mask = at_expand(l, mask, rank, dims);
  if (l->checks && at_count(mask) > at_count(source)) { /* otherwise source has enough for any mask */
    const int64_t zero = 0;
    ten_value *wanted = at_sum(l, at_cast(l, at_flatten(l, mask), TEN_I64), 1, &zero, false);
    at_assert(l, at_cmp(l, TEN_LE, wanted, ten_build_scalar_int(&l->b, TEN_I64, at_count(source))), "RuntimeError",
              "masked_scatter: the source has %lld elements, fewer than the mask is true", (long long)at_count(source));
  }
  if (at_count(source) == 0) {
    at_ret(l, 0, x);
    return;
  }
  at_ret(l, 0, at_sel(l, mask, at_reshape(l, at_masked_values(l, mask, source), rank, dims), x));
}

/* Replaces the view of self by src. */
static void lower_view_scatter(at *l) {
  ten_value *self = at_t(l, "self"), *src = at_cast(l, at_t(l, "src"), at_type(self));
  char name[64];
  const ten_str full = l->op->name;
  size_t n = 0;
  while (n < full.size && n + 1 < sizeof name &&
         memcmp(full.data + n, "_scatter", full.size - n < 8 ? full.size - n : 8))
    name[n] = full.data[n], n++;
  name[n] = 0;
  const at_row *row = at_row_find(l, (ten_str){name + 5, n - 5});
  at_check(l, row && row->view, "no such view");
  const int64_t count = at_count(self);
  if (ten_str_is((ten_str){name, n}, "aten.slice") || ten_str_is((ten_str){name, n}, "aten.select")) {
    int64_t dim, start, limit, step, dims[AT_DIMS];
    at_slice_args(l, self, &dim, &start, &limit, &step);
    if (step == 1) {
      for (uint32_t i = 0; i < at_rank(self); i++) dims[i] = i == dim ? limit - start : at_dim(l, self, i);
      ten_value *parts[3];
      size_t k = 0;
      if (start > 0) parts[k++] = at_slice(l, self, dim, 0, start, 1);
      if (limit > start) {
        ten_value *middle = ten_str_is((ten_str){name, n}, "aten.select") ? at_unsqueeze(l, src, dim) : src;
        parts[k++] = at_expand(l, middle, at_rank(self), dims);
      }
      if (limit < at_dim(l, self, dim)) parts[k++] = at_slice(l, self, dim, limit, at_dim(l, self, dim), 1);
      at_ret(l, 0, k ? at_cat(l, k, parts, dim) : self);
      return;
    }
  }
  ten_value *where = at_reshape(l, at_iota(l, TEN_I64, 1, &count, 0), at_rank(self), at_dims(self));
  where = row->view(l, where, 0);
  at_ret(l, 0,
         at_scatter_flat(l, TEN_OP_UNKNOWN, self, at_flatten(l, where), at_flatten(l, at_expand_like(l, src, where))));
}

const at_row at_rows_scatter[] = {{"scatter", lower_scatter},
                                  {"scatter_add", lower_scatter, .code = TEN_OP_ADD},
                                  {"scatter_reduce", lower_scatter_reduce},
                                  {"index_reduce", lower_index_reduce},
                                  {"index_add", lower_index_add, .code = TEN_OP_ADD},
                                  {"index_copy", lower_index_add, .code = TEN_OP_UNKNOWN},
                                  {"index_fill", lower_index_fill},
                                  {"masked_scatter_backward", lower_masked_scatter_backward},
                                  {"masked_scatter", lower_masked_scatter},
                                  {"slice_scatter", lower_view_scatter},
                                  {"select_scatter", lower_view_scatter},
                                  {"diagonal_scatter", lower_view_scatter},
                                  {"as_strided_scatter", lower_view_scatter},
                                  {NULL}};
