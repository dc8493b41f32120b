/* views.c: ops that return views of their argument. Each is a function of the argument alone, so that it can be
 * recomputed after a write. Writes through a view are inverted: reshapes and permutations are undone, slices are
 * updated, anything else is scattered to the positions that the view of an iota shows. */
#include "base/size.h"
#include "front/aten/lower.h"

static ten_value *view_same(at *l, ten_value *self, uint32_t index) {
  (void)l, (void)index;
  return self;
}

static ten_value *view_detach(at *l, ten_value *self, uint32_t index) {
  (void)index;
  return at_stop(l, self);
}

/* A shape with at most one -1 in it. */
static ten_value *reshape_to(at *l, ten_value *self, ten_ints shape) {
  int64_t dims[AT_DIMS] = {0}, known = 1, hole = -1;
  at_check(l, shape.count <= AT_MAX_RANK, "%zu dimensions", shape.count);
  for (size_t i = 0; i < shape.count; i++) {
    dims[i] = shape.data[i];
    if (dims[i] == -1) {
      at_check(l, hole < 0, "a shape with two unknown sizes");
      hole = (int64_t)i;
      dims[i] = 1;
    }
  }
  known = at_product(l, (uint32_t)shape.count, dims);
  if (hole >= 0) {
    at_check(l, known > 0 && at_count(self) % known == 0, "%lld elements do not divide by %lld",
             (long long)at_count(self), (long long)known);
    dims[hole] = at_count(self) / known;
  }
  return at_reshape(l, self, (uint32_t)shape.count, dims);
}

/* The same memory as elements of another type: narrower types have more of them in the last dimension. */
static ten_value *bits_as(at *l, ten_value *self, ten_dtype to) {
  const size_t a = ten_dtype_bytes(at_type(self)), b = ten_dtype_bytes(to);
  int64_t dims[AT_DIMS];
  uint32_t rank = at_rank(self);
  for (uint32_t i = 0; i < rank; i++) dims[i] = at_dim(l, self, i);
  at_check(l, rank < AT_MAX_RANK && to != TEN_I1 && at_type(self) != TEN_I1, "bits of booleans");
  if (b > a) {
    at_check(l, rank > 0 && dims[rank - 1] % (int64_t)(b / a) == 0, "the last dimension does not divide");
    dims[rank - 1] /= (int64_t)(b / a);
    dims[rank] = (int64_t)(b / a);
    self = at_reshape(l, self, rank + 1, dims);
  } else if (a > b) {
    dims[rank] = (int64_t)(a / b);
  }
  const ten_type *type = ten_type_tensor(l->b.module, to, a > b ? rank + 1 : rank, dims);
  ten_value *y = ten_op_result(ten_build_op(&l->b, TEN_OP_BITCAST_CONVERT, 1, &self, 1, &type, 0, NULL, 0), 0);
  if (a > b) {
    at_check(l, rank > 0, "a scalar");
    dims[rank - 1] *= (int64_t)(a / b);
    y = at_reshape(l, y, rank, dims);
  }
  return y;
}

static ten_value *view_reshape(at *l, ten_value *self, uint32_t index) {
  (void)index;
  if (at_has(l, "dtype")) {
    const ten_dtype to = at_dtype(l, "dtype", at_type(self));
    return to == at_type(self) ? self : bits_as(l, self, to);
  }
  return reshape_to(l, self, at_ints(l, at_has(l, "size") ? "size" : "shape"));
}

static ten_value *view_like(at *l, ten_value *self, uint32_t index) {
  (void)index;
  ten_value *other = at_t(l, "other");
  return at_reshape(l, self, at_rank(other), at_dims(other));
}

static ten_value *view_expand(at *l, ten_value *self, uint32_t index) {
  (void)index;
  const ten_ints size = at_ints(l, "size");
  int64_t dims[AT_DIMS];
  at_check(l, size.count <= AT_MAX_RANK && size.count >= at_rank(self), "%u dimensions do not expand to %zu",
           at_rank(self), size.count);
  const size_t extra = size.count - at_rank(self);
  for (size_t i = 0; i < size.count; i++) {
    at_check(l, size.data[i] >= -1 && (size.data[i] >= 0 || i >= extra), "a size of %lld", (long long)size.data[i]);
    dims[i] = size.data[i] == -1 ? at_dim(l, self, (int64_t)(i - extra)) : size.data[i];
  }
  return at_expand(l, self, (uint32_t)size.count, dims);
}

static ten_value *view_expand_as(at *l, ten_value *self, uint32_t index) {
  (void)index;
  return at_expand_like(l, self, at_t(l, "other"));
}

/* The permutation of a permuting view; false when the current op is another. */
bool at_view_permutation(at *l, uint32_t rank, int64_t *permutation) {
  for (uint32_t i = 0; i < rank; i++) permutation[i] = i;
  const ten_str name = l->op->name;
  if (ten_str_starts(name, "aten.permute")) {
    const ten_ints dims = at_ints(l, "dims");
    at_check(l, dims.count == rank, "%zu dimensions of %u", dims.count, rank);
    for (uint32_t i = 0; i < rank; i++) permutation[i] = at_wrap(l, dims.data[i], rank);
  } else if (ten_str_starts(name, "aten.transpose") || ten_str_starts(name, "aten.swap")) {
    const bool axes = at_has(l, "axis0");
    const int64_t a = at_dim_arg(l, axes ? "axis0" : "dim0", 0, rank),
                  b = at_dim_arg(l, axes ? "axis1" : "dim1", 0, rank);
    if (rank) permutation[a] = b, permutation[b] = a;
  } else if (ten_str_starts(name, "aten.t.") || ten_str_starts(name, "aten.t_")) {
    if (rank == 2) permutation[0] = 1, permutation[1] = 0;
  } else if (ten_str_starts(name, "aten.numpy_T") || ten_str_starts(name, "aten.matrix_H") ||
             ten_str_starts(name, "aten.mT") || ten_str_starts(name, "aten.adjoint") ||
             ten_str_starts(name, "aten.mH")) {
    if (ten_str_starts(name, "aten.numpy_T")) {
      for (uint32_t i = 0; i < rank; i++) permutation[i] = rank - 1 - i;
    } else if (rank >= 2) {
      permutation[rank - 1] = rank - 2, permutation[rank - 2] = rank - 1;
    }
  } else if (ten_str_starts(name, "aten.movedim") || ten_str_starts(name, "aten.moveaxis")) {
    const ten_ints from = at_ints(l, "source"), to = at_ints(l, "destination");
    at_check(l, from.count == to.count, "as many sources as destinations");
    bool used_from[AT_DIMS] = {0}, used_to[AT_DIMS] = {0};
    for (size_t i = 0; i < from.count; i++) {
      const int64_t f = at_wrap(l, from.data[i], rank), t = at_wrap(l, to.data[i], rank);
      if (!rank) continue;
      permutation[t] = f;
      used_from[f] = used_to[t] = true;
    }
    uint32_t f = 0;
    for (uint32_t t = 0; t < rank; t++) {
      if (used_to[t]) continue;
      while (f < rank && used_from[f]) f++;
      permutation[t] = f < rank ? f++ : 0;
    }
  } else {
    return false;
  }
  return true;
}

static bool conjugates(ten_str name) {
  return ten_str_starts(name, "aten.matrix_H") || ten_str_starts(name, "aten.mH") ||
         ten_str_starts(name, "aten.adjoint");
}

static ten_value *conjugate(at *l, ten_value *x) { return at_is_complex(x) ? at_un(l, TEN_OP_CHLO_CONJ, x) : x; }

static ten_value *view_permute(at *l, ten_value *self, uint32_t index) {
  (void)index;
  int64_t permutation[AT_DIMS];
  at_view_permutation(l, at_rank(self), permutation);
  self = at_permute(l, self, permutation);
  return conjugates(l->op->name) ? conjugate(l, self) : self;
}

static ten_value *view_squeeze(at *l, ten_value *self, uint32_t index) {
  (void)index;
  int64_t dims[AT_DIMS];
  bool drop[AT_DIMS] = {0};
  const uint32_t rank = at_rank(self);
  const ten_ints list = at_ints(l, "dim");
  for (size_t i = 0; i < list.count; i++) {
    const int64_t dim = at_wrap(l, list.data[i], rank);
    if (rank) drop[dim] = true;
  }
  uint32_t n = 0;
  for (uint32_t i = 0; i < rank; i++)
    if (at_dim(l, self, i) != 1 || !(drop[i] || !at_has(l, "dim"))) dims[n++] = at_dim(l, self, i);
  return at_reshape(l, self, n, dims);
}

static ten_value *view_unsqueeze(at *l, ten_value *self, uint32_t index) {
  (void)index;
  return at_unsqueeze(l, self, at_dim_arg(l, "dim", 0, at_rank(self) + 1));
}

static ten_value *view_flatten(at *l, ten_value *self, uint32_t index) {
  (void)index;
  const uint32_t rank = at_rank(self);
  if (!rank) return at_reshape(l, self, 1, (const int64_t[]){1});
  if (!at_has(l, "start_dim") && ten_str_starts(l->op->name, "aten.ravel")) return at_flatten(l, self);
  const int64_t start = at_dim_arg(l, "start_dim", 0, rank), end = at_dim_arg(l, "end_dim", -1, rank);
  int64_t dims[AT_DIMS];
  uint32_t n = 0;
  for (uint32_t i = 0; i < rank; i++) {
    if (i > start && i <= end)
      dims[n - 1] *= at_dim(l, self, i);
    else
      dims[n++] = at_dim(l, self, i);
  }
  return at_reshape(l, self, n, dims);
}

static ten_value *view_unflatten(at *l, ten_value *self, uint32_t index) {
  (void)index;
  const int64_t dim = at_dim_arg(l, "dim", 0, at_rank(self));
  const ten_ints sizes = at_ints(l, "sizes");
  int64_t dims[AT_DIMS];
  size_t n = 0;
  at_check(l, at_rank(self) + sizes.count <= AT_MAX_RANK + 1, "too many dimensions");
  int64_t known = 1;
  for (size_t k = 0; k < sizes.count; k++)
    if (sizes.data[k] > 0) known = at_mul_size(l, known, sizes.data[k]);
  for (uint32_t i = 0; i < at_rank(self); i++) {
    if (i != dim)
      dims[n++] = at_dim(l, self, i);
    else
      for (size_t k = 0; k < sizes.count; k++)
        dims[n++] = sizes.data[k] == -1 ? at_dim(l, self, i) / known : sizes.data[k];
  }
  return at_reshape(l, self, (uint32_t)n, dims);
}

void at_slice_args(at *l, const ten_value *self, int64_t *dim, int64_t *start, int64_t *limit, int64_t *step) {
  const ten_str name = l->op->name;
  *dim = at_dim_arg(l, "dim", 0, at_rank(self));
  at_check(l, at_rank(self), "a slice of a scalar");
  const int64_t size = at_dim(l, self, *dim);
  *step = 1;
  if (ten_str_starts(name, "aten.select")) {
    int64_t index = at_int(l, "index", 0);
    if (index < 0) index += size;
    at_check(l, index >= 0 && index < size, "index %lld of %lld", (long long)index, (long long)size);
    *start = index, *limit = index + 1;
    return;
  }
  if (ten_str_starts(name, "aten.narrow")) {
    *start = at_int(l, "start", 0);
    if (*start < 0) *start += size;
    *limit = *start + at_int(l, "length", 0);
    at_check(l, *start >= 0 && *limit <= size && *start <= *limit, "%lld to %lld of %lld", (long long)*start,
             (long long)*limit, (long long)size);
    return;
  }
  *start = at_int_any(l, "start", 0);
  *limit = at_int_any(l, "end", INT64_MAX);
  *step = at_int_any(l, "step", 1);
  at_check(l, *step > 0, "a step of %lld", (long long)*step);
  if (*start < 0) *start += size;
  if (*limit < 0) *limit += size;
  if (*start < 0) *start = 0;
  if (*start > size) *start = size;
  if (*limit > size) *limit = size;
  if (*limit < *start) *limit = *start;
}

static ten_value *view_slice(at *l, ten_value *self, uint32_t index) {
  (void)index;
  int64_t dim, start, limit, step;
  at_slice_args(l, self, &dim, &start, &limit, &step);
  return at_slice(l, self, dim, start, limit, step);
}

static ten_value *view_select(at *l, ten_value *self, uint32_t index) {
  const int64_t dim = at_dim_arg(l, "dim", 0, at_rank(self));
  const at_ref place = at_arg(l, "index");
  if (place.value && at_rank(self)) { /* an index read out of a tensor */
    ten_value *at_ = at_cast(l, place.value, TEN_I64);
    return at_take(
        l, self,
        at_sel(l, at_cmp(l, TEN_LT, at_, at_num(l, at_, 0)), at_addn(l, at_, (double)at_dim(l, self, dim)), at_), dim);
  }
  return at_squeeze(l, view_slice(l, self, index), dim);
}

/* Piece `index` of a split: its start and end. */
static ten_value *piece(at *l, ten_value *self, int64_t dim, int64_t start, int64_t size) {
  int64_t end = start + size;
  if (end > at_dim(l, self, dim)) end = at_dim(l, self, dim);
  return at_slice(l, self, dim, start, end, 1);
}

/* The elements of a vector, queried one by one. */
static ten_ints numbers_of(at *l, ten_value *vector) {
  const int64_t count = at_dim(l, vector, 0);
  int64_t *numbers = at_new_array(l, int64_t, (size_t)count + 1);
  for (int64_t i = 0; i < count; i++) {
    numbers[i] = at_ask(l, at_reshape(l, at_slice(l, vector, 0, i, i + 1, 1), 0, NULL), "where to split");
    at_check(l, numbers[i] >= -TEN_BUILD_COUNT_MAX && numbers[i] <= TEN_BUILD_COUNT_MAX, "a split at %lld",
             (long long)numbers[i]);
  }
  return (ten_ints){numbers, (size_t)count};
}

static ten_value *view_split(at *l, ten_value *self, uint32_t index) {
  const int64_t dim = at_dim_arg(l, "dim", 0, at_rank(self));
  at_check(l, at_rank(self), "a split of a scalar");
  const char *key = at_has(l, "split_sizes")                  ? "split_sizes"
                    : at_has(l, "split_size")                 ? "split_size"
                    : at_has(l, "sections")                   ? "sections"
                    : at_has(l, "indices")                    ? "indices"
                    : at_has(l, "tensor_indices_or_sections") ? "tensor_indices_or_sections"
                                                              : "chunks";
  const bool listed = !strcmp(key, "tensor_indices_or_sections") && at_rank(at_t(l, key)) == 1;
  const ten_ints list = listed ? numbers_of(l, at_t(l, key)) : at_ints(l, key);
  if (listed) key = "indices";
  const int64_t size = at_dim(l, self, dim);
  at_check(l, list.count > 0 || !strcmp(key, "split_sizes") || !strcmp(key, "indices"), "no sizes to split by");
  if (!strcmp(key, "split_sizes") || (!strcmp(key, "split_size") && list.count > 1)) {
    at_check(l, index < list.count, "piece %u of %zu", index, list.count);
    int64_t start = 0;
    for (uint32_t i = 0; i < index; i++)
      at_check(l, ten_add_i64(start, list.data[i], &start), "pieces of %lld elements and more", (long long)start);
    return piece(l, self, dim, start, list.data[index]);
  }
  if (!strcmp(key, "indices")) {
    int64_t start = index ? at_item(l, list, index - 1) : 0, end = index < list.count ? list.data[index] : size;
    if (start < 0) start += size;
    if (end < 0) end += size;
    if (start > size) start = size;
    if (end > size) end = size;
    return piece(l, self, dim, start, end > start ? end - start : 0);
  }
  const int64_t n = list.data[0];
  at_check(l, n > 0 || (n == 0 && size == 0), "pieces of %lld", (long long)n);
  if (!n) return piece(l, self, dim, 0, 0);
  if (!strcmp(key, "sections") || !strcmp(key, "tensor_indices_or_sections")) {
    const int64_t small = size / n, large = size % n, i = index;
    return piece(l, self, dim, i * small + (i < large ? i : large), small + (i < large));
  }
  const int64_t each = !strcmp(key, "chunks") ? (size + n - 1) / n : n;
  return piece(l, self, dim, index * each, each);
}

/* vsplit splits rows, hsplit columns, dsplit the third dimension. */
static ten_value *view_nsplit(at *l, ten_value *self, uint32_t index) {
  const int64_t dim = ten_str_starts(l->op->name, "aten.vsplit")   ? 0
                      : ten_str_starts(l->op->name, "aten.dsplit") ? 2
                                                                   : at_rank(self) > 1;
  at_check(l, dim < at_rank(self), "too few dimensions");
  const int64_t size = at_dim(l, self, dim);
  if (at_has(l, "sections")) {
    const int64_t n = at_int(l, "sections", 1), each = n > 0 ? size / n : 0;
    return piece(l, self, dim, index * each, each);
  }
  const ten_ints list = at_ints(l, "indices");
  int64_t start = index ? at_item(l, list, index - 1) : 0, end = index < list.count ? list.data[index] : size;
  if (start < 0) start += size;
  if (end < 0) end += size;
  if (end > size) end = size;
  if (start > end) start = end;
  return piece(l, self, dim, start, end - start);
}

static ten_value *view_unbind(at *l, ten_value *self, uint32_t index) {
  const int64_t dim = at_dim_arg(l, "dim", 0, at_rank(self));
  return at_squeeze(l, at_slice(l, self, dim, index, index + 1, 1), dim);
}

/* Elements of the flat storage at offset + Σ iᵏ·strideᵏ. */
static ten_value *strided(at *l, ten_value *flat, uint32_t rank, const int64_t *dims, const int64_t *strides,
                          int64_t offset) {
  ten_value *index = at_full(l, TEN_I64, rank, dims, (double)offset);
  for (uint32_t i = 0; i < rank; i++)
    if (strides[i]) index = at_add(l, index, at_muln(l, at_iota(l, TEN_I64, rank, dims, i), (double)strides[i]));
  return at_take(l, flat, index, 0);
}

/* Elements in memory order, where the importer says that it differs from the order of the dimensions. */
static ten_value *in_memory_order(at *l, ten_value *self) {
  const ten_attr *order = ten_op_attr(l->op, "aten.order");
  if (!order) return self;
  const ten_ints dims = ten_attr_as_ints(order);
  if (dims.count != at_rank(self))
    at_fail(l, TEN_UNSUPPORTED, "strides over a view of part of another tensor are not supported");
  return at_permute(l, self, dims.data);
}

static ten_value *view_as_strided(at *l, ten_value *self, uint32_t index) {
  (void)index;
  const ten_ints size = at_ints(l, "size"), stride = at_ints(l, "stride");
  at_check(l, size.count == stride.count && size.count <= AT_MAX_RANK, "as many sizes as strides");
  self = in_memory_order(l, self);
  /* If it is already in place, no gather is needed. */
  bool plain = at_product(l, (uint32_t)size.count, size.data) == at_count(self) && at_int(l, "storage_offset", 0) == 0;
  int64_t expected = 1;
  for (size_t i = size.count; i-- > 0 && plain;) {
    plain = size.data[i] == 1 || stride.data[i] == expected;
    expected *= size.data[i];
  }
  if (plain) return at_reshape(l, self, (uint32_t)size.count, size.data);
  return strided(l, at_flatten(l, self), (uint32_t)size.count, size.data, stride.data, at_int(l, "storage_offset", 0));
}

static ten_value *view_diagonal(at *l, ten_value *self, uint32_t index) {
  (void)index;
  const uint32_t rank = at_rank(self);
  const bool last = ten_str_starts(l->op->name, "aten.linalg_");
  const int64_t offset = at_int(l, "offset", 0), d1 = at_dim_arg(l, "dim1", last ? -2 : 0, rank),
                d2 = at_dim_arg(l, "dim2", last ? -1 : 1, rank);
  at_check(l, rank >= 2 && d1 != d2, "two dimensions are needed");
  const int64_t rows = at_dim(l, self, d1), cols = at_dim(l, self, d2);
  int64_t count =
      offset >= 0 ? (rows < cols - offset ? rows : cols - offset) : (rows + offset < cols ? rows + offset : cols);
  if (count < 0) count = 0;
  /* Moves the two dimensions last and joins them: elements k·(cols+1) + start. */
  int64_t order[AT_DIMS], dims[AT_DIMS];
  uint32_t n = 0;
  for (uint32_t i = 0; i < rank; i++)
    if (i != d1 && i != d2) dims[n] = at_dim(l, self, i), order[n++] = i;
  order[n] = d1, order[n + 1] = d2;
  ten_value *x = at_permute(l, self, order);
  dims[n] = rows * cols;
  x = at_reshape(l, x, n + 1, dims);
  if (!count) return at_slice(l, x, n, 0, 0, 1);
  const int64_t start = offset >= 0 ? offset : -offset * cols; /* inside the matrix: nonempty */
  const int64_t limit = start + (count - 1) * (cols + 1) + 1;
  return at_slice(l, x, n, start, limit, cols + 1);
}

static ten_value *view_unfold(at *l, ten_value *self, uint32_t index) {
  (void)index;
  const uint32_t rank = at_rank(self);
  const int64_t dim = at_dim_arg(l, "dimension", 0, rank), size = at_int(l, "size", 1), step = at_int(l, "step", 1);
  if (!rank) return at_reshape(l, self, 1, (const int64_t[]){size});
  at_check(l, size >= 0 && step > 0 && size <= at_dim(l, self, dim), "windows of %lld in %lld", (long long)size,
           (long long)at_dim(l, self, dim));
  const int64_t count = (at_dim(l, self, dim) - size) / step + 1, dims[2] = {count, size};
  ten_value *place =
      at_add(l, at_muln(l, at_iota(l, TEN_I64, 2, dims, 0), (double)step), at_iota(l, TEN_I64, 2, dims, 1));
  ten_value *y = at_take(l, self, place, dim); /* …, count, size, … */
  int64_t order[AT_DIMS];
  uint32_t n = 0;
  for (uint32_t i = 0; i < at_rank(y); i++)
    if (i != dim + 1) order[n++] = i;
  order[n] = dim + 1;
  return at_permute(l, y, order);
}

/* ---- parts of complex numbers ---- */
static ten_value *view_conj(at *l, ten_value *self, uint32_t index) {
  (void)index;
  return conjugate(l, self);
}

static ten_value *view_real(at *l, ten_value *self, uint32_t index) {
  (void)index;
  return at_is_complex(self) ? ten_build_part(&l->b, TEN_OP_REAL, self) : self;
}

static ten_value *view_imag(at *l, ten_value *self, uint32_t index) {
  (void)index;
  return at_is_complex(self) ? ten_build_part(&l->b, TEN_OP_IMAG, self)
                             : at_full(l, at_type(self), at_rank(self), at_dims(self), 0);
}

/* Real and imaginary part of a complex element as a last dimension, and back. */
static ten_value *as_real(at *l, ten_value *x) {
  ten_value *parts[2] = {ten_build_part(&l->b, TEN_OP_REAL, x), ten_build_part(&l->b, TEN_OP_IMAG, x)};
  for (int i = 0; i < 2; i++) parts[i] = at_unsqueeze(l, parts[i], at_rank(x));
  return at_cat(l, 2, parts, at_rank(x));
}

static ten_value *as_complex(at *l, ten_value *x) {
  const int64_t last = (int64_t)at_rank(x) - 1;
  at_check(l, last >= 0 && at_dim(l, x, last) == 2, "the last dimension is not 2");
  ten_value *re = at_squeeze(l, at_slice(l, x, last, 0, 1, 1), last),
            *im = at_squeeze(l, at_slice(l, x, last, 1, 2, 1), last);
  return ten_build_complex(&l->b, re, im);
}

static ten_value *view_as_real(at *l, ten_value *self, uint32_t index) {
  (void)index;
  return as_real(l, self);
}

static ten_value *view_as_complex(at *l, ten_value *self, uint32_t index) {
  (void)index;
  return as_complex(l, self);
}

/* ---- writing through a view ---- */
/* The new parent of a view of its bits or of parts of its numbers; NULL for a view of elements. */
static ten_value *put_parts(at *l, at_view view, ten_value *parent, ten_value *value) {
  if (view == view_as_real) return as_complex(l, value);
  if (view == view_as_complex) return as_real(l, value);
  if (view == view_conj) return conjugate(l, value);
  if (view == view_reshape && at_type(parent) != at_type(value)) return bits_as(l, value, at_type(parent));
  if (!at_is_complex(parent) || (view != view_real && view != view_imag)) return view == view_real ? value : NULL;
  ten_value *kept = ten_build_part(&l->b, view == view_real ? TEN_OP_IMAG : TEN_OP_REAL, parent);
  return view == view_real ? ten_build_complex(&l->b, value, kept) : ten_build_complex(&l->b, kept, value);
}

ten_value *at_view_put(at *l, at_tensor *tensor, ten_value *parent, ten_value *value) {
  ten_op *was = l->op;
  l->op = tensor->view;
  const ten_str name = l->op->name;
  bool in_place;
  const at_row *row = at_row_of(l, name, &in_place);
  int64_t permutation[AT_DIMS], inverse[AT_DIMS];
  ten_value *result = row && row->view ? put_parts(l, row->view, parent, value) : NULL;
  if (!result && ((row && row->flags & AT_VIEW_RESHAPE) || at_count(parent) == at_count(value))) {
    if (at_view_permutation(l, at_rank(parent), permutation)) {
      for (uint32_t i = 0; i < at_rank(parent); i++) inverse[permutation[i]] = i;
      result = at_permute(l, conjugates(name) ? conjugate(l, value) : value, inverse);
    } else if (row && row->flags & AT_VIEW_RESHAPE) {
      result = at_reshape(l, value, at_rank(parent), at_dims(parent));
    }
  }
  if (!result &&
      (ten_str_starts(name, "aten.slice") || ten_str_starts(name, "aten.select") ||
       ten_str_starts(name, "aten.narrow")) &&
      !at_arg(l, "index").value) {
    int64_t dim, start, limit, step, dims[AT_DIMS];
    at_slice_args(l, parent, &dim, &start, &limit, &step);
    if (step == 1) {
      for (uint32_t i = 0; i < at_rank(parent); i++) dims[i] = i == dim ? limit - start : at_dim(l, parent, i);
      ten_value *parts[3];
      size_t n = 0;
      if (start > 0) parts[n++] = at_slice(l, parent, dim, 0, start, 1);
      if (limit > start) parts[n++] = at_reshape(l, value, at_rank(parent), dims);
      if (limit < at_dim(l, parent, dim)) parts[n++] = at_slice(l, parent, dim, limit, at_dim(l, parent, dim), 1);
      result = n ? at_cat(l, n, parts, dim) : parent;
    }
  }
  if (!result) {
    at_check(l, row && row->view, "cannot be written through");
    const int64_t count = at_count(parent);
    ten_value *places = at_reshape(l, at_iota(l, TEN_I64, 1, &count, 0), at_rank(parent), at_dims(parent));
    places = row->view(l, places, tensor->view_index);
    result = at_scatter_flat(l, TEN_OP_UNKNOWN, parent, at_flatten(l, places),
                             at_flatten(l, at_expand_like(l, value, places)));
  }
  l->op = was;
  return result;
}

const at_row at_rows_views[] = {{"alias", .view = view_same, .flags = AT_VIEW_RESHAPE},
                                {"detach", .view = view_detach, .flags = AT_VIEW_RESHAPE},
                                {"lift_fresh", .view = view_same, .flags = AT_VIEW_RESHAPE},
                                {"lift", .view = view_same, .flags = AT_VIEW_RESHAPE},
                                {"contiguous", .view = view_same, .flags = AT_VIEW_RESHAPE},
                                {"requires_grad", .view = view_same, .flags = AT_VIEW_RESHAPE},
                                {"view", .view = view_reshape, .flags = AT_VIEW_RESHAPE},
                                {"reshape", .view = view_reshape, .flags = AT_VIEW_RESHAPE},
                                {"_reshape_alias", .view = view_reshape, .flags = AT_VIEW_RESHAPE},
                                {"_unsafe_view", .view = view_reshape, .flags = AT_VIEW_RESHAPE},
                                {"view_as", .view = view_like, .flags = AT_VIEW_RESHAPE},
                                {"reshape_as", .view = view_like, .flags = AT_VIEW_RESHAPE},
                                {"expand", .view = view_expand},
                                {"expand_as", .view = view_expand_as},
                                {"broadcast_to", .view = view_expand},
                                {"permute", .view = view_permute},
                                {"transpose", .view = view_permute},
                                {"swapaxes", .view = view_permute},
                                {"swapdims", .view = view_permute},
                                {"t", .view = view_permute},
                                {"numpy_T", .view = view_permute},
                                {"matrix_H", .view = view_permute},
                                {"mT", .view = view_permute},
                                {"mH", .view = view_permute},
                                {"adjoint", .view = view_permute},
                                {"movedim", .view = view_permute},
                                {"moveaxis", .view = view_permute},
                                {"squeeze", .view = view_squeeze, .flags = AT_VIEW_RESHAPE},
                                {"unsqueeze", .view = view_unsqueeze, .flags = AT_VIEW_RESHAPE},
                                {"flatten", .view = view_flatten, .flags = AT_VIEW_RESHAPE},
                                {"ravel", .view = view_flatten, .flags = AT_VIEW_RESHAPE},
                                {"unflatten", .view = view_unflatten, .flags = AT_VIEW_RESHAPE},
                                {"slice", .view = view_slice},
                                {"narrow", .view = view_slice},
                                {"select", .view = view_select},
                                {"split", .view = view_split},
                                {"split_with_sizes", .view = view_split},
                                {"unsafe_split", .view = view_split},
                                {"unsafe_split_with_sizes", .view = view_split},
                                {"chunk", .view = view_split},
                                {"unsafe_chunk", .view = view_split},
                                {"tensor_split", .view = view_split},
                                {"vsplit", .view = view_nsplit},
                                {"hsplit", .view = view_nsplit},
                                {"dsplit", .view = view_nsplit},
                                {"unbind", .view = view_unbind},
                                {"as_strided", .view = view_as_strided},
                                {"real", .view = view_real},
                                {"imag", .view = view_imag},
                                {"conj", .view = view_conj},
                                {"_conj", .view = view_conj},
                                {"view_as_real", .view = view_as_real},
                                {"view_as_complex", .view = view_as_complex},
                                {"diagonal", .view = view_diagonal},
                                {"linalg_diagonal", .view = view_diagonal},
                                {"unfold", .view = view_unfold},
                                {NULL}};
