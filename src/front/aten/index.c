/* index.c: reads and writes at indices given by tensors. Each op becomes one gather or one scatter; negative indices
 * are wrapped where PyTorch allows them. */
#include "front/aten/lower.h"

#define INTS_OF(array, n) ((ten_ints){(array), (n)})

/* Indices below 0 count from the end. */
ten_value *at_wrapped(at *l, ten_value *index, int64_t size) {
  index = at_cast(l, index, TEN_I64);
  return at_sel(l, at_cmp(l, TEN_LT, index, at_num(l, index, 0)),
                at_add(l, index, ten_build_scalar_int(&l->b, TEN_I64, size)), index);
}

/* Indices of equal shape, one for each of `dims` (ascending), as […, count]. */
static ten_value *index_vector(at *l, size_t count, ten_value *const *indices) {
  ten_value *parts[AT_DIMS];
  for (size_t k = 0; k < count; k++) parts[k] = at_unsqueeze(l, indices[k], at_rank(indices[k]));
  return at_cat(l, count, parts, at_rank(indices[0]));
}

/* Gathers x at the indices; the index dimensions are placed at `where`, the others keep their order. */
static ten_value *gather_at(at *l, ten_value *x, size_t count, const int64_t *dims, ten_value *const *indices,
                            uint32_t where) {
  const uint32_t batch = at_rank(indices[0]), rest = at_rank(x) - (uint32_t)count;
  int64_t sizes[AT_DIMS], offsets[AT_DIMS];
  at_check(l, batch + rest <= AT_MAX_RANK, "too many dimensions");
  for (uint32_t i = 0; i < at_rank(x); i++) sizes[i] = at_dim(l, x, i);
  for (size_t k = 0; k < count; k++) {
    if (at_dim(l, x, dims[k]) == 0) { /* nothing to read: the result must be empty */
      at_check(l, at_count(indices[0]) == 0, "an index into a dimension of size 0");
    }
    sizes[dims[k]] = at_dim(l, x, dims[k]) ? 1 : 0;
  }
  for (uint32_t i = 0; i < rest; i++) offsets[i] = i < where ? i : i + batch;
  const ten_gather_dims gather = {.offset_dims = INTS_OF(offsets, rest),
                                  .collapsed_slice_dims = INTS_OF(dims, count),
                                  .start_index_map = INTS_OF(dims, count),
                                  .index_vector_dim = batch};
  return ten_build_gather(&l->b, x, index_vector(l, count, indices), &gather, sizes, false);
}

ten_value *at_take(at *l, ten_value *x, ten_value *index, int64_t dim) {
  at_check(l, dim < at_rank(x), "dimension %lld", (long long)dim);
  ten_value *places = at_cast(l, index, TEN_I64);
  if (at_dim(l, x, dim) == 0) {
    int64_t dims[AT_DIMS];
    uint32_t n = 0;
    for (uint32_t i = 0; i < at_rank(x); i++) {
      if (i != dim)
        dims[n++] = at_dim(l, x, i);
      else
        for (uint32_t k = 0; k < at_rank(index); k++) dims[n++] = at_dim(l, index, k);
    }
    return at_full(l, at_type(x), n, dims, 0);
  }
  return gather_at(l, x, 1, &dim, &places, (uint32_t)dim);
}

/* Scatters updates of shape [rest before where, index dims, rest after] into x. */
ten_value *at_scatter_at(at *l, ten_opcode code, ten_value *x, size_t count, const int64_t *dims,
                         ten_value *const *indices, uint32_t where, ten_value *updates) {
  const uint32_t batch = at_rank(indices[0]), rest = at_rank(x) - (uint32_t)count;
  int64_t windows[AT_DIMS];
  if (at_count(updates) == 0 || at_count(x) == 0) return x;
  for (uint32_t i = 0; i < rest; i++) windows[i] = i < where ? i : i + batch;
  const ten_scatter_dims scatter = {.update_window_dims = INTS_OF(windows, rest),
                                    .inserted_window_dims = INTS_OF(dims, count),
                                    .scatter_dims_to_operand_dims = INTS_OF(dims, count),
                                    .index_vector_dim = batch};
  return ten_build_scatter(&l->b, code, x, index_vector(l, count, indices), updates, &scatter, false, false);
}

ten_value *at_scatter_flat(at *l, ten_opcode code, ten_value *x, ten_value *index, ten_value *updates) {
  const int64_t dim = 0;
  ten_value *y = at_scatter_at(l, code, at_flatten(l, x), 1, &dim, &index, 0, updates);
  return at_reshape(l, y, at_rank(x), at_dims(x));
}

/* The flat position in x of each element of `index`: its own position, with `dim` replaced by the index. */
static ten_value *flat_places(at *l, const ten_value *x, ten_value *index, int64_t dim) {
  const uint32_t rank = at_rank(x);
  at_check(l, at_rank(index) == rank, "an index of %u dimensions into %u", at_rank(index), rank);
  int64_t stride = 1;
  ten_value *places = NULL;
  for (uint32_t i = rank; i-- > 0;) {
    ten_value *at_ =
        i == dim ? at_wrapped(l, index, at_dim(l, x, i)) : at_iota(l, TEN_I64, rank, at_dims_first(l, index, rank), i);
    at_check(l, i == dim || at_dim(l, index, i) <= at_dim(l, x, i), "an index of %lld in a dimension of %lld",
             (long long)at_dim(l, index, i), (long long)at_dim(l, x, i));
    at_ = at_mul(l, at_, ten_build_scalar_int(&l->b, TEN_I64, stride));
    places = places ? at_add(l, places, at_) : at_;
    stride *= at_dim(l, x, i);
  }
  return places;
}

/* Whether a value is known to be constant along every dimension but `dim`. */
static bool repeats(const ten_value *x, int64_t dim) {
  const ten_op *op = x->op;
  if (op && op->code == TEN_OP_CONSTANT) {
    const ten_attr *value = ten_op_attr(op, "value");
    return value && value->kind == TEN_ATTR_DENSE && value->dense.splat;
  }
  if (!op || op->code != TEN_OP_BROADCAST_IN_DIM) return false;
  const ten_value *narrow = ten_op_operand(op, 0);
  const ten_ints map = ten_op_ints(op, "broadcast_dimensions");
  for (uint32_t i = 0; i < at_rank(narrow); i++)
    if (narrow->type->dims[i] != 1 && map.data[i] != dim) return false;
  return true;
}

/* The first column along `dim`: all there is to know of a value that repeats it. */
static ten_value *column(at *l, ten_value *x, int64_t dim) {
  for (uint32_t i = 0; i < at_rank(x); i++)
    if (i != dim) x = at_slice(l, x, i, 0, 1, 1);
  return at_flatten(l, x);
}

/* An index that is constant along every dimension but `dim`, and covers these, moves whole rows: returns one entry for
 * each. NULL: it is not. */
static ten_value *row_index(at *l, const ten_value *x, const ten_value *index, int64_t dim) {
  const uint32_t rank = at_rank(x);
  if (rank < 2 || at_rank(index) != rank || !index->op || index->op->code != TEN_OP_BROADCAST_IN_DIM) return NULL;
  ten_value *narrow = ten_op_operand(index->op, 0);
  const int64_t count = at_dim(l, index, dim);
  for (uint32_t i = 0; i < rank; i++)
    if (i != dim && at_dim(l, index, i) != at_dim(l, x, i)) return NULL;
  return repeats(index, dim) && at_count(narrow) == count && count != 1 ? at_reshape(l, narrow, 1, &count) : NULL;
}

bool at_moves_rows(at *l, const ten_value *x, const ten_value *index, int64_t dim) {
  return row_index(l, x, index, dim);
}

ten_value *at_gather(at *l, ten_value *x, ten_value *index, int64_t dim) {
  if (at_count(index) == 0) return at_full(l, at_type(x), at_rank(index), at_dims(index), 0);
  if (!at_rank(x)) return at_rank(index) ? at_expand_like(l, x, index) : x;
  if (!at_rank(index)) index = at_reshape(l, index, 1, (const int64_t[]){1}), dim = 0, x = at_flatten(l, x);
  ten_value *rows = row_index(l, x, index, dim);
  if (rows) return at_take(l, x, at_wrapped(l, rows, at_dim(l, x, dim)), dim);
  return at_take(l, at_flatten(l, x), flat_places(l, x, index, dim), 0);
}

ten_value *at_scatter(at *l, ten_opcode code, ten_value *x, ten_value *index, ten_value *updates, int64_t dim) {
  const uint32_t rank = at_rank(x);
  if (!rank) {
    ten_value *one =
        at_scatter(l, code, at_reshape(l, x, 1, (const int64_t[]){1}), at_flatten(l, index), at_flatten(l, updates), 0);
    return at_reshape(l, one, 0, NULL);
  }
  if (!at_count(index)) return x;
  if (!at_rank(index)) index = at_flatten(l, index);
  if (!at_rank(updates)) updates = at_flatten(l, updates);
  at_check(l, at_rank(index) == rank && at_rank(updates) == rank, "tensors of different ranks");
  for (uint32_t i = 0; i < rank; i++) {
    at_check(l, at_dim(l, index, i) <= at_dim(l, updates, i), "more indices than values");
    updates = at_slice(l, updates, i, 0, at_dim(l, index, i), 1);
  }
  if (at_count(index) == 0) return x;
  ten_value *rows = row_index(l, x, index, dim);
  if (rows) {
    rows = at_wrapped(l, rows, at_dim(l, x, dim));
    if (!repeats(x, dim) || !repeats(updates, dim))
      return at_scatter_at(l, code, x, 1, &dim, &rows, (uint32_t)dim, updates);
    const int64_t first = 0; /* counts, say: every column has the same */
    ten_value *one = at_scatter_at(l, code, column(l, x, dim), 1, &first, &rows, 0, column(l, updates, dim));
    return at_expand_like(l, at_along(l, one, rank, dim), x);
  }
  return at_scatter_flat(l, code, x, at_flatten(l, flat_places(l, x, index, dim)), at_flatten(l, updates));
}

/* ---- index, index_put ---- */
typedef struct places {
  size_t count;
  int64_t dims[AT_DIMS];
  ten_value *indices[AT_DIMS];
  uint32_t where;  /* of the indices' dimensions in the result */
  ten_value *mask; /* instead: the only index is boolean */
  int64_t mask_dim;
} places;

/* The true positions of a constant mask, as one list of indices per dimension. */
static void true_places(at *l, const ten_attr *mask, size_t *out_count, int64_t **out) {
  const ten_type *type = mask->dense.type;
  const int64_t total = ten_type_count(type);
  size_t count = 0;
  for (int64_t i = 0; i < total; i++) count += ten_dense_int(mask, i) != 0;
  int64_t *lists = at_new_array(l, int64_t, count * type->rank + 1);
  size_t n = 0;
  for (int64_t i = 0; i < total; i++) {
    if (!ten_dense_int(mask, i)) continue;
    int64_t rest = i;
    for (uint32_t d = type->rank; d-- > 0; rest /= type->dims[d]) lists[d * count + n] = rest % type->dims[d];
    n++;
  }
  *out_count = count, *out = lists;
}

static void mask_places(at *l, const ten_value *x, const ten_attr *mask, int64_t dim, places *p) {
  const ten_type *type = mask->dense.type;
  size_t count;
  int64_t *lists;
  at_check(l, dim + type->rank <= at_rank(x), "a mask of %u dimensions", type->rank);
  for (uint32_t d = 0; d < type->rank; d++)
    at_check(l, type->dims[d] == at_dim(l, x, dim + d), "a mask of %lld for %lld", (long long)type->dims[d],
             (long long)at_dim(l, x, dim + d));
  true_places(l, mask, &count, &lists);
  const int64_t length = (int64_t)count;
  for (uint32_t d = 0; d < type->rank; d++) {
    p->dims[p->count] = dim + d;
    p->indices[p->count++] = ten_build_constant(&l->b, ten_attr_dense_i64(l->b.module, 1, &length, lists + d * count));
  }
}

static void ret_places(at *l, ten_value *x, bool lists_wanted) {
  ten_value *lists[AT_DIMS];
  const uint32_t rank = at_rank(x);
  at_true_places(l, at_cast(l, x, TEN_I1), lists);
  if (!rank) {
    at_ret(l, 0, lists_wanted ? lists[0] : at_full(l, TEN_I64, 2, (const int64_t[]){at_dim(l, lists[0], 0), 0}, 0));
    return;
  }
  for (uint32_t d = 0; lists_wanted && d < rank; d++) at_ret(l, d, lists[d]);
  for (uint32_t d = 0; !lists_wanted && d < rank; d++) lists[d] = at_unsqueeze(l, lists[d], 1);
  if (!lists_wanted) at_ret(l, 0, at_cat(l, rank, lists, 1));
}

/* One row of indices for each nonzero element; where(x) has a list per dimension instead. */
static void lower_nonzero(at *l) {
  const bool lists_wanted = l->row->code;
  ten_value *x = at_t(l, l->row->code == 1 ? "condition" : "self");
  const ten_attr *known = at_known(l, x);
  if (!known || (!ten_dtype_is_int(known->dense.type->dtype) && known->dense.type->dtype != TEN_I1)) {
    ret_places(l, x, lists_wanted);
    return;
  }
  size_t count;
  int64_t *lists;
  true_places(l, known, &count, &lists);
  const int64_t rank = known->dense.type->rank, dims[2] = {rank, (int64_t)count};
  for (uint32_t d = 0; lists_wanted && d < rank; d++)
    at_ret(l, d, ten_build_constant(&l->b, ten_attr_dense_i64(l->b.module, 1, &dims[1], lists + d * count)));
  if (lists_wanted) return;
  if (!count || !rank) {
    at_ret(l, 0, at_full(l, TEN_I64, 2, (const int64_t[]){dims[1], rank}, 0));
    return;
  }
  ten_value *rows = ten_build_constant(&l->b, ten_attr_dense_i64(l->b.module, 2, dims, lists));
  at_ret(l, 0, at_swap(l, rows, 0, 1));
}

/* `mask_alone`: keep a single boolean index as a mask. */
static void places_read(at *l, const ten_value *x, bool mask_alone, places *p) {
  const bool checked = !ten_str_starts(l->op->name, "aten._unsafe");
  ten_value **list;
  const size_t given = at_ts_opt(l, "indices", &list);
  *p = (places){0};
  size_t tensors = 0;
  for (size_t i = 0; i < given; i++) tensors += list[i] != NULL;
  int64_t dim = 0;
  uint32_t rank = 0;
  int64_t dims[AT_DIMS];
  for (size_t i = 0; i < given; i++) {
    at_check(l, dim <= at_rank(x), "more indices than dimensions");
    if (!list[i]) {
      dim++;
      continue;
    }
    if (at_type(list[i]) == TEN_I1 || at_type(list[i]) == TEN_UI8) {
      const uint32_t wide = at_rank(list[i]);
      const ten_attr *known = at_known(l, list[i]);
      if (known && wide && p->count + wide <= AT_MAX_RANK) {
        mask_places(l, x, known, dim, p);
        dim += wide;
        continue;
      }
      ten_value *mask = at_cast(l, list[i], TEN_I1);
      if (tensors == 1 && mask_alone) {
        p->mask = mask;
        p->mask_dim = dim;
        return;
      }
      at_check(l, wide && p->count + wide <= AT_MAX_RANK && dim + wide <= at_rank(x), "a mask of %u dimensions", wide);
      at_true_places(l, mask, p->indices + p->count);
      for (uint32_t d = 0; d < wide; d++) p->dims[p->count++] = dim++;
      continue;
    }
    at_check(l, dim < at_rank(x), "more indices than dimensions");
    if (checked) at_assert_index(l, list[i], dim, at_dim(l, x, dim), true, "IndexError");
    p->dims[p->count] = dim;
    p->indices[p->count++] = at_wrapped(l, list[i], at_dim(l, x, dim));
    dim++;
  }
  at_check(l, p->count, "no indices");
  for (size_t k = 0; k < p->count; k++) {
    ten_value *so_far = k ? at_full(l, TEN_I64, rank, dims, 0) : p->indices[0];
    at_broadcast_dims(l, so_far, p->indices[k], &rank, dims);
  }
  for (size_t k = 0; k < p->count; k++) p->indices[k] = at_expand(l, p->indices[k], rank, dims);
  bool adjacent = true;
  for (size_t k = 1; k < p->count; k++) adjacent &= p->dims[k] == p->dims[k - 1] + 1;
  p->where = adjacent ? (uint32_t)p->dims[0] : 0;
}

/* Indices of adjacent dimensions become one index into their product: x[i, j] reads the flat x at i * columns +
 * j. */
static ten_value *join_dims(at *l, ten_value *x, places *p) {
  int64_t dims[AT_DIMS];
  uint32_t rank = 0;
  for (size_t k = 1; k < p->count; k++)
    if (p->dims[k] != p->dims[0] + (int64_t)k) return x;
  for (uint32_t i = 0; i < at_rank(x); i++) {
    if (i > p->dims[0] && i < p->dims[0] + (int64_t)p->count)
      dims[rank - 1] *= at_dim(l, x, i);
    else
      dims[rank++] = at_dim(l, x, i);
  }
  for (size_t k = 1; k < p->count; k++) {
    ten_value *row = ten_build_scalar_int(&l->b, TEN_I64, at_dim(l, x, p->dims[k]));
    p->indices[0] = at_add(l, at_mul(l, p->indices[0], row), p->indices[k]);
  }
  p->count = 1;
  return at_reshape(l, x, rank, dims);
}

/* code 1: elements outside the mask get another value. */
static void lower_index(at *l) {
  ten_value *x = at_t(l, "self");
  places p;
  places_read(l, x, false, &p);
  if (at_count(x) == 0 || at_count(p.indices[0]) == 0) { /* nothing is read: only its shape matters */
    int64_t dims[2 * AT_MAX_RANK];
    uint32_t rank = 0;
    for (uint32_t i = 0; i <= at_rank(x); i++) {
      for (uint32_t k = 0; i == p.where && k < at_rank(p.indices[0]); k++) dims[rank++] = at_dim(l, p.indices[0], k);
      bool indexed = i == at_rank(x);
      for (size_t k = 0; k < p.count; k++) indexed |= p.dims[k] == i;
      if (!indexed) dims[rank++] = at_dim(l, x, i);
    }
    at_check(l, rank <= AT_MAX_RANK, "%u dimensions", rank);
    at_ret(l, 0, at_full(l, at_type(x), rank, dims, 0));
    return;
  }
  const ten_dtype dtype = at_type(x);
  x = join_dims(l, x, &p);
  ten_value *found = gather_at(l, x, p.count, p.dims, p.indices, p.where);
  if (l->row->code) found = at_sel(l, at_t(l, "mask"), found, at_ref_value(l, at_arg(l, "fill"), dtype));
  at_ret(l, 0, found);
}

/* The n-th true element takes the n-th value. */
ten_value *at_masked_values(at *l, ten_value *mask, ten_value *values) {
  ten_value *flat = at_flatten(l, mask);
  ten_value *order = at_addn(l, at_cumulate(l, TEN_OP_ADD, at_cast(l, flat, TEN_I64), 0), -1);
  order = at_max(l, at_min(l, order, at_num(l, order, (double)(at_dim(l, values, 0) - 1))), at_num(l, order, 0));
  return at_take(l, values, order, 0); /* one row per element of the mask */
}

/* code 1: accumulates, if a flag says so. */
static void lower_index_put(at *l) {
  ten_value *x = at_t(l, "self"), *values = at_cast(l, at_t(l, "values"), at_type(x));
  const bool masked = l->row->code, add = masked || at_bool(l, "accumulate", false);
  if (masked) values = at_sel(l, at_t(l, "mask"), values, at_num(l, values, 0));
  places p;
  places_read(l, x, true, &p);
  if (p.mask) {
    const uint32_t mask_rank = at_rank(p.mask), rank = at_rank(x);
    at_check(l, p.mask_dim + mask_rank <= rank, "a mask of %u dimensions", mask_rank);
    int64_t dims[AT_DIMS];
    for (uint32_t i = 0; i < rank; i++) dims[i] = i >= p.mask_dim && i < p.mask_dim + mask_rank ? at_dim(l, x, i) : 1;
    ten_value *wide = at_reshape(l, p.mask, rank, dims);
    const uint32_t rest = rank - mask_rank;
    if (at_rank(values) == rest + 1 && at_dim(l, values, 0) != 1 && p.mask_dim == 0) {
      if (at_dim(l, values, 0) == 0) {
        at_ret(l, 0, x);
        return;
      }
      values = at_reshape(l, at_masked_values(l, p.mask, values), rank, at_dims_first(l, x, rank));
    } else if (at_rank(values) == rest + 1 && p.mask_dim == 0) {
      values = at_squeeze(l, values, 0);
    } else {
      at_check(l, at_rank(values) <= rest || at_count(values) == 1, "values that depend on the mask");
      if (at_count(values) == 1) values = at_reshape(l, values, 0, NULL);
    }
    at_ret(l, 0, at_sel(l, wide, add ? at_add(l, x, at_expand_like(l, values, x)) : values, x));
    return;
  }
  if (at_count(p.indices[0]) == 0 || at_count(x) == 0) {
    at_ret(l, 0, x);
    return;
  }
  const uint32_t batch = at_rank(p.indices[0]);
  int64_t dims[AT_DIMS];
  uint32_t n = 0, seen = 0;
  bool is_indexed[AT_DIMS] = {0};
  for (size_t k = 0; k < p.count; k++) is_indexed[p.dims[k]] = true;
  for (uint32_t i = 0; i < at_rank(x); i++) {
    if (is_indexed[i]) continue;
    if (seen++ == p.where)
      for (uint32_t k = 0; k < batch; k++) dims[n++] = at_dim(l, p.indices[0], k);
    dims[n++] = at_dim(l, x, i);
  }
  if (seen <= p.where)
    for (uint32_t k = 0; k < batch; k++) dims[n++] = at_dim(l, p.indices[0], k);
  values = at_expand(l, values, n, dims);
  at_ret(l, 0, at_scatter_at(l, add ? TEN_OP_ADD : TEN_OP_UNKNOWN, x, p.count, p.dims, p.indices, p.where, values));
}

static void lower_index_select(at *l) {
  ten_value *x = at_t(l, "self"), *index = at_t(l, "index");
  if (!at_rank(x)) {
    at_ret(l, 0, x);
    return;
  }
  const int64_t dim = at_dim_arg(l, "dim", 0, at_rank(x));
  at_assert_index(l, index, dim, at_dim(l, x, dim), false, "IndexError");
  at_ret(l, 0, at_take(l, x, at_wrapped(l, at_flatten(l, index), at_dim(l, x, dim)), dim));
}

/* Indices of gather and scatter: negative ones are invalid. */
void at_assert_places(at *l, ten_value *index, const ten_value *x, int64_t dim, const char *exception) {
  at_assert_index(l, index, dim, at_rank(x) ? at_dim(l, x, dim) : 1, false, exception);
}

static void lower_gather(at *l) {
  ten_value *x = at_t(l, "self"), *index = at_t(l, "index");
  const int64_t dim = at_dim_arg(l, "dim", 0, at_rank(x));
  at_assert_places(l, index, x, dim, "RuntimeError");
  at_ret(l, 0, at_gather(l, x, index, dim));
}

static void lower_take_along(at *l) {
  ten_value *x = at_t(l, "self"), *index = at_t(l, "indices");
  if (!at_has(l, "dim")) {
    at_assert_index(l, index, 0, at_count(x), false, "RuntimeError");
    at_ret(l, 0, at_take(l, at_flatten(l, x), at_wrapped(l, at_flatten(l, index), at_count(x)), 0));
    return;
  }
  const int64_t dim = at_dim_arg(l, "dim", 0, at_rank(x));
  int64_t dx[AT_DIMS], di[AT_DIMS];
  at_check(l, at_rank(x) == at_rank(index), "tensors of different ranks");
  for (uint32_t i = 0; i < at_rank(x); i++) {
    const int64_t a = at_dim(l, x, i), b = at_dim(l, index, i);
    dx[i] = i == dim ? a : a == 1 ? b : a;
    di[i] = i == dim ? b : b == 1 ? a : b;
  }
  at_ret(l, 0, at_gather(l, at_expand(l, x, at_rank(x), dx), at_expand(l, index, at_rank(x), di), dim));
}

static void assert_flat(at *l, ten_value *index, const ten_value *x) {
  const int64_t count = at_count(x);
  at_assert_range(l, index, -count, count, "IndexError",
                  "out of range: tried to access index {} on a tensor of %lld elements", (long long)count);
}

static void lower_take(at *l) {
  ten_value *x = at_t(l, "self"), *index = at_t(l, "index");
  assert_flat(l, index, x);
  at_ret(l, 0, at_take(l, at_flatten(l, x), at_wrapped(l, index, at_count(x)), 0));
}

static void lower_put(at *l) {
  ten_value *x = at_t(l, "self"), *index = at_t(l, "index"), *source = at_t(l, "source");
  const ten_opcode code = at_bool(l, "accumulate", false) ? TEN_OP_ADD : TEN_OP_UNKNOWN;
  assert_flat(l, index, x);
  at_ret(l, 0, at_scatter_flat(l, code, x, at_wrapped(l, at_flatten(l, index), at_count(x)), at_flatten(l, source)));
}

static void lower_one_hot(at *l) {
  ten_value *x = at_cast(l, at_t(l, "self"), TEN_I64);
  int64_t classes = at_int(l, "num_classes", -1);
  at_assert_range(l, x, 0, classes < 0 ? INT64_MAX : classes, "RuntimeError",
                  "one_hot: class {} is not among the classes, of which there are %lld", (long long)classes);
  if (classes < 0) classes = at_ask(l, at_largest_and_one(l, x), "the size of one_hot without num_classes");
  int64_t dims[AT_DIMS];
  for (uint32_t i = 0; i < at_rank(x); i++) dims[i] = at_dim(l, x, i);
  dims[at_rank(x)] = classes;
  ten_value *hot =
      at_cmp(l, TEN_EQ, at_unsqueeze(l, x, at_rank(x)), at_iota(l, TEN_I64, at_rank(x) + 1, dims, at_rank(x)));
  at_ret(l, 0, at_cast(l, hot, TEN_I64));
}

/* The number of sorted values before each of `values`. */
static ten_value *search(at *l, ten_value *sorted, ten_value *values, bool right) {
  const uint32_t rank = at_rank(values);
  const ten_dtype dtype = at_promote(at_type(sorted), at_type(values));
  sorted = at_cast(l, sorted, dtype), values = at_cast(l, values, dtype);
  if (at_rank(sorted) > 1) sorted = at_unsqueeze(l, sorted, at_rank(sorted) - 1);
  ten_value *before = at_cmp(l, right ? TEN_LE : TEN_LT, sorted, at_unsqueeze(l, values, rank));
  /* NaN sorts last. */
  if (ten_dtype_is_float(dtype))
    before = at_or(l, before,
                   at_and(l, at_isnan(l, at_unsqueeze(l, values, rank)),
                          right ? at_const(l, TEN_I1, 1) : at_not(l, at_isnan(l, sorted))));
  const int64_t last = rank;
  return at_sum(l, at_cast(l, before, TEN_I64), 1, &last, false);
}

static void lower_searchsorted(at *l) {
  ten_value *sorted = at_t(l, l->row->code ? "boundaries" : "sorted_sequence"), *values = at_t(l, "self");
  const ten_str side = at_string(l, "side");
  at_check(l, !l->row->code || at_rank(sorted) == 1, "boundaries tensor must be 1 dimension, not %u", at_rank(sorted));
  const bool right = at_bool(l, "right", false) || ten_str_is(side, "right");
  if (at_has(l, "sorter"))
    at_assert_range(l, at_t(l, "sorter"), 0, at_dim(l, sorted, (int64_t)at_rank(sorted) - 1), "RuntimeError",
                    "torch.searchsorted(): sorter index {} is out of range");
  if (at_has(l, "sorter")) sorted = at_gather(l, sorted, at_t(l, "sorter"), (int64_t)at_rank(sorted) - 1);
  ten_value *y = search(l, sorted, values, right);
  at_ret(l, 0, at_cast(l, y, at_bool(l, "out_int32", false) ? TEN_I32 : TEN_I64));
}

static void lower_isin(at *l) {
  ten_value *a = at_t(l, at_has(l, "elements") ? "elements" : "element"),
            *b = at_flatten(l, at_t(l, at_has(l, "test_elements") ? "test_elements" : "test_element"));
  const ten_dtype dtype = at_promote(at_type(a), at_type(b));
  const int64_t last = at_rank(a);
  ten_value *same = at_cmp(l, TEN_EQ, at_unsqueeze(l, at_cast(l, a, dtype), last), at_cast(l, b, dtype));
  ten_value *in = at_reduce(l, TEN_OP_OR, same, 1, &last, false);
  at_ret(l, 0, at_bool(l, "invert", false) ? at_not(l, in) : in);
}

const at_row at_rows_index[] = {{"index", lower_index},
                                {"_unsafe_index", lower_index},
                                {"index_put", lower_index_put},
                                {"_unsafe_index_put", lower_index_put},
                                {"_unsafe_masked_index_put_accumulate", lower_index_put, .code = 1},
                                {"_unsafe_masked_index", lower_index, .code = 1},
                                {"_index_put_impl", lower_index_put},
                                {"index_select", lower_index_select},
                                {"gather", lower_gather},
                                {"take_along_dim", lower_take_along},
                                {"take", lower_take},
                                {"put", lower_put},
                                {"one_hot", lower_one_hot},
                                {"searchsorted", lower_searchsorted},
                                {"bucketize", lower_searchsorted, .code = 1},
                                {"isin", lower_isin},
                                {"nonzero", lower_nonzero},
                                {"argwhere", lower_nonzero},
                                {"nonzero_numpy", lower_nonzero, .code = 2},
                                {"where.default", lower_nonzero, .code = 1},
                                {NULL}};
