/* embedding.c: rows of a table, and bags of them: rows i of the list belong to the bag whose offset is the last one not
 * above i. "mode" is 0 sum, 1 mean, 2 max. */
#include "front/aten/lower.h"

static void lower_embedding(at *l) {
  ten_value *weight = at_t(l, "weight"), *index = at_t(l, "indices");
  at_check(l, at_rank(weight) == 2, "a table of rows is needed");
  at_assert_index(l, index, 0, at_dim(l, weight, 0), false, "IndexError");
  ten_value *rows = at_take(l, weight, index, 0);
  const int64_t padding = at_int(l, "padding_idx", -1);
  if (padding >= 0 && l->options->training) { /* that row is used and never trained */
    int64_t map[AT_DIMS];
    for (uint32_t i = 0; i < at_rank(index); i++) map[i] = i;
    ten_value *hit = ten_build_compare(&l->b, TEN_EQ, index, ten_build_splat_int(&l->b, index->type, padding));
    hit = ten_build_broadcast(&l->b, hit, at_rank(rows), at_dims(rows), map);
    rows = ten_build_select(&l->b, hit, at_stop(l, rows), rows);
  }
  at_ret(l, 0, rows);
}

static ten_value *index_arg(at *l, const char *name) { return at_flatten(l, at_cast(l, at_t(l, name), TEN_I64)); }

/* A vector made as wide as the rows. */
static ten_value *wide(at *l, ten_value *vector, int64_t width) {
  return at_expand(l, at_unsqueeze(l, vector, 1), 2, (const int64_t[]){at_count(vector), width});
}

/* Rows of `updates` combined into the rows of x that `place` names. */
static ten_value *put_rows(at *l, ten_opcode code, ten_value *x, ten_value *place, ten_value *updates) {
  if (!at_count(updates)) return x;
  return at_scatter(l, code, x, wide(l, place, at_dim(l, updates, 1)), updates, 0);
}

/* How many of the n positions each bag has where the offsets are known to be 0, s, 2s… up to the end, as those of a
 * matrix of indices are; otherwise 0. */
static int64_t even_size(const ten_value *offsets, int64_t n) {
  const ten_op *op = offsets->op;
  int64_t size = 1;
  if (op && op->code == TEN_OP_MULTIPLY) {
    const ten_attr *factor = ten_value_number(ten_op_operand(op, 1));
    if (!factor) return 0;
    size = ten_dense_int(factor, 0);
    op = ten_op_operand(op, 0)->op;
  }
  if (!op || op->code != TEN_OP_IOTA || size <= 0 || n % size) return 0;
  return n / size == at_count(offsets) ? size : 0;
}

/* Which bag each position is in: how many bags start at or before it, less one. Bags may start behind the last one. */
static ten_value *bags_of(at *l, ten_value *offsets, int64_t n) {
  const int64_t places = at_add_size(l, n, 1), bags = at_count(offsets), each = even_size(offsets, n);
  if (each) return at_bin(l, TEN_OP_DIVIDE, at_iota(l, TEN_I64, 1, &n, 0), ten_build_scalar_int(&l->b, TEN_I64, each));
  ten_value *starts =
      at_scatter_flat(l, TEN_OP_ADD, at_full(l, TEN_I64, 1, &places, 0), offsets, at_full(l, TEN_I64, 1, &bags, 1));
  return at_addn(l, at_slice(l, at_cumulate(l, TEN_OP_ADD, starts, 0), 0, 0, n, 1), -1);
}

static ten_value *kept(at *l, ten_value *index) {
  const int64_t n = at_count(index), padding = at_int(l, "padding_idx", -1);
  if (padding < 0) return at_full(l, TEN_I1, 1, &n, 1);
  return at_cmp(l, TEN_NE, index, ten_build_scalar_int(&l->b, TEN_I64, padding));
}

/* A vector of the length that PyTorch's own kernel gives this result, filled up with zeros. */
static ten_value *fitted(at *l, uint32_t result, ten_value *x) {
  const ten_type *declared = at_declared(l, result);
  if (!declared || declared->rank != 1 || declared->dims[0] == TEN_DYNAMIC) return x;
  const int64_t want = declared->dims[0], have = at_count(x);
  x = want > have ? at_pad(l, x, 0, 0, want - have, 0, 0) : at_slice(l, x, 0, 0, want, 1);
  return at_cast(l, x, declared->dtype);
}

/* Rows combined by bag; bags of `each` rows, unless that is 0. */
static ten_value *combine(at *l, ten_opcode code, ten_value *initial, ten_value *rows, ten_value *bag, int64_t each) {
  if (!each) return put_rows(l, code, initial, bag, rows);
  const int64_t dims[3] = {at_dim(l, initial, 0), each, at_dim(l, rows, 1)}, along = 1;
  rows = at_reshape(l, rows, 3, dims);
  return code == TEN_OP_ADD ? at_cast(l, at_sum(l, rows, 1, &along, false), at_type(initial))
                            : at_reduce(l, code, rows, 1, &along, false);
}

/* The row that each element of a bag's maximum came from. */
static ten_value *sources(at *l, ten_value *rows, ten_value *dense, ten_value *bag, ten_value *index, ten_value *keep) {
  const int64_t n = at_count(index), width = at_dim(l, rows, 1);
  ten_value *best = at_cmp(l, TEN_EQ, rows, at_take(l, dense, bag, 0)), *none = at_const(l, TEN_I64, (double)n);
  ten_value *place = at_iota(l, TEN_I64, 2, at_dims_first(l, rows, 2), 0);
  place = at_sel(l, at_and(l, best, wide(l, keep, width)), place, none);
  ten_value *first =
      put_rows(l, TEN_OP_MINIMUM, at_full(l, TEN_I64, 2, at_dims_first(l, dense, 2), (double)n), bag, place);
  ten_value *row = at_take(l, index, at_min(l, first, at_const(l, TEN_I64, (double)(n ? n - 1 : 0))), 0);
  return at_sel(l, at_cmp(l, TEN_LT, first, none), row, at_const(l, TEN_I64, 0));
}

/* Results: the bags, the bag of each position, the size of each bag, where maxima came from. */
static void lower_embedding_bag(at *l) {
  ten_value *weight = at_t(l, "weight"), *index = index_arg(l, "indices"), *offsets = index_arg(l, "offsets"),
            *per_sample = at_topt(l, "per_sample_weights");
  const int64_t mode = at_int(l, "mode", 0), n = at_count(index), width = at_dim(l, weight, 1);
  at_assert_index(l, index, 0, at_dim(l, weight, 0), false, "RuntimeError");
  at_assert_range(l, at_slice(l, offsets, 0, 0, at_count(offsets) ? 1 : 0, 1), 0, 1, "RuntimeError",
                  "offsets[0] has to be 0, and is {}");
  at_assert_range(l, at_slice(l, offsets, 0, at_count(offsets) ? at_count(offsets) - 1 : 0, at_count(offsets), 1), 0,
                  n + 1, "RuntimeError", "offsets[-1] is {}: there are %lld indices", (long long)n);
  if (at_bool(l, "include_last_offset", false)) offsets = at_slice(l, offsets, 0, 0, at_count(offsets) - 1, 1);
  const int64_t bags = at_count(offsets), out[2] = {bags, width};
  ten_value *dense = at_full(l, at_type(weight), 2, out, 0), *from = at_full(l, TEN_I64, 2, out, 0);
  ten_value *size = at_full(l, TEN_I64, 1, &bags, 0), *bag = at_full(l, TEN_I64, 1, &n, 0);
  if (n && bags) {
    ten_value *rows = at_take(l, weight, index, 0), *keep = kept(l, index);
    const int64_t each = even_size(offsets, n), apart[2] = {bags, each}, along = 1;
    bag = bags_of(l, offsets, n);
    ten_value *counted = at_cast(l, keep, TEN_I64);
    size = each ? at_sum(l, at_reshape(l, counted, 2, apart), 1, &along, false)
                : at_scatter_flat(l, TEN_OP_ADD, size, bag, counted);
    if (per_sample) rows = at_mul(l, rows, at_unsqueeze(l, per_sample, 1));
    if (mode == 2) {
      rows = at_sel(l, wide(l, keep, width), rows, at_num(l, rows, -INFINITY));
      dense = combine(l, TEN_OP_MAXIMUM, at_full(l, at_type(weight), 2, out, -INFINITY), rows, bag, each);
      from = sources(l, rows, dense, bag, index, keep);
      dense =
          at_sel(l, at_cmp(l, TEN_EQ, at_unsqueeze(l, size, 1), at_const(l, TEN_I64, 0)), at_num(l, dense, 0), dense);
    } else {
      dense = combine(l, TEN_OP_ADD, dense, at_sel(l, wide(l, keep, width), rows, at_num(l, rows, 0)), bag, each);
      ten_value *count = at_cast(l, at_max(l, size, at_const(l, TEN_I64, 1)), at_type(dense));
      if (mode == 1) dense = at_div(l, dense, at_unsqueeze(l, count, 1));
    }
  }
  at_ret(l, 0, dense);
  if (l->result_count < 4) return;
  const ten_type *declared = at_declared(l, 3);
  at_ret(l, 1, fitted(l, 1, bag));
  at_ret(l, 2, fitted(l, 2, size));
  at_ret(l, 3, declared && declared->rank == 2 ? at_cast(l, from, declared->dtype) : fitted(l, 3, size));
}

/* How often the row of each position is named. */
static ten_value *frequency(at *l, ten_value *index, int64_t rows, ten_dtype dtype) {
  const int64_t n = at_count(index);
  ten_value *counts =
      at_scatter_flat(l, TEN_OP_ADD, at_full(l, TEN_I64, 1, &rows, 0), index, at_full(l, TEN_I64, 1, &n, 1));
  return at_cast(l, at_take(l, counts, index, 0), dtype);
}

static void lower_embedding_backward(at *l) {
  ten_value *grad = at_t(l, "grad_output"), *index = index_arg(l, "indices");
  const int64_t rows = at_int(l, "num_weights", 0), width = at_dim(l, grad, (int64_t)at_rank(grad) - 1),
                n = at_count(index), flat[2] = {n, width}, out[2] = {rows, width};
  grad = at_reshape(l, grad, 2, flat);
  if (n && at_bool(l, "scale_grad_by_freq", false))
    grad = at_div(l, grad, at_unsqueeze(l, frequency(l, index, rows, at_type(grad)), 1));
  grad = at_sel(l, wide(l, kept(l, index), width), grad, at_num(l, grad, 0));
  at_ret(l, 0, put_rows(l, TEN_OP_ADD, at_full(l, at_type(grad), 2, out, 0), index, grad));
}

/* The bag of each position, from the offsets where they are given: the forward op may have left it out. */
static ten_value *bags_given(at *l, int64_t n) {
  ten_value *offsets = at_topt(l, "offsets");
  return offsets ? bags_of(l, at_flatten(l, at_cast(l, offsets, TEN_I64)), n) : index_arg(l, "offset2bag");
}

static void lower_bag_backward(at *l) {
  ten_value *grad = at_t(l, "grad"), *index = index_arg(l, "indices"), *per_sample = at_topt(l, "per_sample_weights");
  const int64_t rows = at_int(l, "num_weights", 0), mode = at_int(l, "mode", 0), n = at_count(index),
                width = at_dim(l, grad, 1), out[2] = {rows, width};
  if (at_bool(l, "sparse", false)) at_fail(l, TEN_UNSUPPORTED, "a sparse gradient is not supported");
  ten_value *table = at_full(l, at_type(grad), 2, out, 0);
  if (!n || !at_count(grad)) {
    at_ret(l, 0, table);
    return;
  }
  ten_value *size = mode ? at_slice(l, index_arg(l, "bag_size"), 0, 0, at_dim(l, grad, 0), 1) : NULL;
  if (mode == 2) {
    ten_value *full = at_cmp(l, TEN_GT, at_unsqueeze(l, size, 1), at_const(l, TEN_I64, 0));
    ten_value *from = at_cast(l, at_t(l, "maximum_indices"), TEN_I64);
    at_ret(l, 0, at_scatter(l, TEN_OP_ADD, table, from, at_sel(l, full, grad, at_num(l, grad, 0)), 0));
    return;
  }
  if (mode == 1) {
    ten_value *count = at_cast(l, at_max(l, size, at_const(l, TEN_I64, 1)), at_type(grad));
    grad = at_div(l, grad, at_unsqueeze(l, count, 1));
  }
  ten_value *each = at_take(l, grad, bags_given(l, n), 0);
  if (per_sample) each = at_mul(l, each, at_unsqueeze(l, per_sample, 1));
  if (at_bool(l, "scale_grad_by_freq", false))
    each = at_div(l, each, at_unsqueeze(l, frequency(l, index, rows, at_type(grad)), 1));
  each = at_sel(l, wide(l, kept(l, index), width), each, at_num(l, each, 0));
  at_ret(l, 0, put_rows(l, TEN_OP_ADD, table, index, each));
}

static void lower_per_sample_backward(at *l) {
  ten_value *grad = at_t(l, "grad"), *weight = at_t(l, "weight"), *index = index_arg(l, "indices");
  const int64_t n = at_count(index), last = 1;
  if (!n) {
    at_ret(l, 0, at_full(l, at_type(grad), 1, &n, 0));
    return;
  }
  ten_value *each = at_mul(l, at_take(l, grad, bags_given(l, n), 0), at_take(l, weight, index, 0));
  ten_value *y = at_sum(l, each, 1, &last, false);
  at_ret(l, 0, at_sel(l, kept(l, index), y, at_num(l, y, 0)));
}

const at_row at_rows_embedding[] = {{"embedding", lower_embedding},
                                    {"embedding_bag", lower_embedding_bag},
                                    {"_embedding_bag", lower_embedding_bag},
                                    {"_embedding_bag_forward_only", lower_embedding_bag},
                                    {"embedding_dense_backward", lower_embedding_backward},
                                    {"_embedding_bag_backward", lower_bag_backward},
                                    {"_embedding_bag_dense_backward", lower_bag_backward},
                                    {"_embedding_bag_per_sample_weights_backward", lower_per_sample_backward},
                                    {NULL}};
