/* shape.c: concatenates, repeats, flips and copies tensors. Views are in views.c. */
#include "front/aten/lower.h"

static void lower_copy_of(at *l) {
  const ten_dtype from = at_type(at_t(l, "self"));
  at_ret(l, 0, at_cast(l, at_t(l, "self"), at_dtype(l, "dtype", from)));
}

/* Strides matter only for memory visible outside. */
static void lower_copy_strided(at *l) { at_ret(l, 0, at_t(l, "a")); }

/* copy(self, src): src in self's shape and type. */
static void lower_copy(at *l) {
  ten_value *self = at_t(l, "self"), *src = at_t(l, "src");
  at_ret(l, 0, at_expand_like(l, at_cast(l, src, at_type(self)), self));
}

static ten_value *view_to(at *l, ten_value *self, uint32_t index) {
  (void)index;
  ten_dtype dtype = at_dtype(l, "dtype", at_type(self));
  if (at_has(l, "other")) dtype = at_type(at_t(l, "other"));
  return at_cast(l, self, dtype);
}

/* Empty tensors of one dimension are ignored, whatever the others are. */
static void lower_cat(at *l) {
  ten_value **xs;
  const size_t all = at_ts(l, "tensors", &xs);
  at_mix mix = {0};
  size_t count = 0;
  for (size_t i = 0; i < all; i++) {
    at_check(l, xs[i], "a tensor is missing");
    at_mix_add(&mix, (at_ref){.kind = AT_TENSOR}, xs[i]);
  }
  const ten_dtype dtype = at_mix_type(mix);
  ten_value *empty = NULL;
  for (size_t i = 0; i < all; i++) {
    if (at_rank(xs[i]) == 1 && at_dim(l, xs[i], 0) == 0)
      empty = at_cast(l, xs[i], dtype);
    else
      xs[count++] = at_cast(l, xs[i], dtype);
  }
  if (!count) {
    at_check(l, empty, "nothing to join");
    at_ret(l, 0, empty);
    return;
  }
  at_ret(l, 0, at_cat(l, count, xs, at_dim_arg(l, at_has(l, "axis") ? "axis" : "dim", 0, at_rank(xs[0]))));
}

static void lower_stack(at *l) {
  ten_value **xs;
  const size_t count = at_ts(l, "tensors", &xs);
  at_check(l, count > 0 && xs[0], "nothing to stack");
  const int64_t dim = at_dim_arg(l, "dim", 0, at_rank(xs[0]) + 1);
  at_mix mix = {0};
  for (size_t i = 0; i < count; i++) at_mix_add(&mix, (at_ref){.kind = AT_TENSOR}, xs[i]);
  const ten_dtype dtype = at_mix_type(mix);
  for (size_t i = 0; i < count; i++) xs[i] = at_unsqueeze(l, at_cast(l, xs[i], dtype), dim);
  at_ret(l, 0, at_cat(l, count, xs, dim));
}

/* hstack, vstack, dstack: code is the least number of dimensions. */
static ten_value *at_least(at *l, ten_value *x, int n) {
  const uint32_t rank = at_rank(x);
  if (n == 1) return rank ? x : at_reshape(l, x, 1, (const int64_t[]){1});
  if (n == 2) {
    if (rank == 0) return at_reshape(l, x, 2, (const int64_t[]){1, 1});
    return rank == 1 ? at_unsqueeze(l, x, 0) : x;
  }
  if (rank == 0) return at_reshape(l, x, 3, (const int64_t[]){1, 1, 1});
  if (rank == 1) return at_unsqueeze(l, at_unsqueeze(l, x, 0), 2);
  return rank == 2 ? at_unsqueeze(l, x, 2) : x;
}

static void lower_nstack(at *l) {
  ten_value **xs;
  const size_t count = at_ts(l, "tensors", &xs);
  at_check(l, count > 0 && xs[0], "nothing to stack");
  const int n = l->row->code;
  ten_dtype dtype = TEN_DTYPE_NONE;
  for (size_t i = 0; i < count; i++) dtype = at_promote(dtype, at_type(xs[i]));
  for (size_t i = 0; i < count; i++) {
    if (n == 4)
      xs[i] = at_rank(xs[i]) <= 1 ? at_reshape(l, xs[i], 2, (const int64_t[]){at_count(xs[i]), 1}) : xs[i];
    else
      xs[i] = at_least(l, xs[i], n);
    xs[i] = at_cast(l, xs[i], dtype);
  }
  const int64_t dim = n == 1 ? at_rank(xs[0]) > 1 : n == 2 ? 0 : n == 3 ? 2 : 1;
  at_ret(l, 0, at_cat(l, count, xs, dim));
}

static void lower_atleast(at *l) {
  ten_value **list;
  if (at_has(l, "self")) {
    at_ret(l, 0, at_least(l, at_t(l, "self"), l->row->code));
    return;
  }
  const size_t count = at_ts(l, "tensors", &list);
  for (size_t i = 0; i < count; i++) at_ret(l, (uint32_t)i, at_least(l, list[i], l->row->code));
}

static void lower_repeat(at *l) {
  ten_value *x = at_t(l, "self");
  const ten_ints given = at_ints(l, at_has(l, "repeats") ? "repeats" : "dims");
  int64_t dims[AT_DIMS], repeats[AT_DIMS], wide[2 * AT_MAX_RANK], map[AT_DIMS];
  const uint32_t rank = given.count > at_rank(x) ? (uint32_t)given.count : at_rank(x);
  at_check(l, rank <= AT_MAX_RANK / 2, "too many dimensions");
  for (uint32_t i = 0; i < rank; i++) {
    dims[i] = i + at_rank(x) >= rank ? at_dim(l, x, i + at_rank(x) - rank) : 1;
    repeats[i] = i + given.count >= rank ? given.data[i + given.count - rank] : 1;
    at_check(l, repeats[i] >= 0, "repeated %lld times", (long long)repeats[i]);
    wide[2 * i] = repeats[i], wide[2 * i + 1] = dims[i];
    map[i] = 2 * i + 1;
  }
  x = at_reshape(l, x, rank, dims);
  at_product(l, 2 * rank, wide);
  ten_value *y = ten_build_broadcast(&l->b, x, 2 * rank, wide, map);
  for (uint32_t i = 0; i < rank; i++) dims[i] *= repeats[i];
  at_ret(l, 0, at_reshape(l, y, rank, dims));
}

/* The source index of each position: the number of runs that end at or before it. The number of positions is given by
 * the caller or by the graph: the size of `dim` in its result. */
static ten_value *repeat_places(at *l, int64_t dim) {
  ten_value *repeats = at_t(l, "repeats");
  const ten_type *declared = at_declared(l, 0);
  const bool known = declared && dim < declared->rank && declared->dims[dim] != TEN_DYNAMIC;
  at_check(l, at_rank(repeats) == 1, "repeats of %u dimensions", at_rank(repeats));
  const int64_t zero = 0;
  const int64_t size = at_has(l, "output_size") ? at_int(l, "output_size", 0)
                       : known                  ? declared->dims[dim]
                                                : at_ask(l, at_sum(l, at_cast(l, repeats, TEN_I64), 1, &zero, false),
                                                         "the size that repeats given as a tensor make");
  const int64_t dims[2] = {size, at_dim(l, repeats, 0)}, square[2] = {dims[1], dims[1]}, last = 1;
  at_product(l, 2, dims);
  ten_value *upto = at_cmp(l, TEN_LE, at_iota(l, TEN_I64, 2, square, 1), at_iota(l, TEN_I64, 2, square, 0));
  ten_value *wide = at_expand(l, at_cast(l, repeats, TEN_I64), 2, square);
  ten_value *ends = at_reduce(l, TEN_OP_ADD, at_sel(l, upto, wide, at_num(l, wide, 0)), 1, &last, false);
  ten_value *before = at_cmp(l, TEN_LE, at_expand(l, ends, 2, dims), at_iota(l, TEN_I64, 2, dims, 0));
  ten_value *place = at_reduce(l, TEN_OP_ADD, at_cast(l, before, TEN_I64), 1, &last, false);
  return at_cast(l, place, at_type(repeats));
}

static void lower_repeat_interleave(at *l) {
  if (!at_has(l, "self")) {
    at_ret(l, 0, repeat_places(l, 0));
    return;
  }
  ten_value *x = at_t(l, "self");
  if (at_arg(l, "repeats").kind == AT_TENSOR) {
    if (!at_has(l, "dim")) x = at_flatten(l, x);
    const int64_t dim = at_dim_arg(l, "dim", 0, at_rank(x));
    ten_value *repeats = at_t(l, "repeats");
    at_check(l, at_rank(x) && at_count(repeats) == at_dim(l, x, dim), "a count of repeats for each of %lld",
             (long long)(at_rank(x) ? at_dim(l, x, dim) : 1));
    at_ret(l, 0, at_take(l, x, repeat_places(l, dim), dim));
    return;
  }
  const int64_t n = at_int(l, "repeats", 1);
  if (!at_has(l, "dim")) x = at_flatten(l, x);
  const int64_t dim = at_dim_arg(l, "dim", 0, at_rank(x));
  if (!at_rank(x)) x = at_reshape(l, x, 1, (const int64_t[]){1});
  int64_t dims[AT_DIMS], map[AT_DIMS], out[AT_DIMS];
  for (uint32_t i = 0, k = 0; i < at_rank(x); i++) {
    dims[k] = at_dim(l, x, i), map[i] = k++;
    if (i == dim) dims[k++] = n;
    out[i] = i == dim ? at_mul_size(l, at_dim(l, x, i), n) : at_dim(l, x, i);
  }
  at_check(l, n >= 0 && at_rank(x) < AT_MAX_RANK, "repeated %lld times", (long long)n);
  at_product(l, at_rank(x) + 1, dims);
  at_ret(l, 0, at_reshape(l, ten_build_broadcast(&l->b, x, at_rank(x) + 1, dims, map), at_rank(x), out));
}

static void lower_flip(at *l) {
  ten_value *x = at_t(l, "self");
  int64_t dims[AT_DIMS];
  uint32_t count;
  if (l->row->code)
    dims[0] = l->row->code - 1, count = 1;
  else
    count = at_ints(l, "dims").count ? at_dims_arg(l, "dims", at_rank(x), dims) : 0;
  at_ret(l, 0, count && at_rank(x) ? ten_build_reverse(&l->b, x, count, dims) : x);
}

static void lower_roll(at *l) {
  ten_value *x = at_t(l, "self");
  const ten_ints shifts = at_ints(l, "shifts"), dims = at_ints(l, "dims");
  const uint32_t rank = at_rank(x);
  int64_t shape[AT_DIMS];
  for (uint32_t i = 0; i < rank; i++) shape[i] = at_dim(l, x, i);
  if (!dims.count) x = at_flatten(l, x);
  at_check(l, shifts.count >= (dims.count ? dims.count : 1), "as many shifts as dimensions");
  for (size_t i = 0; i < (dims.count ? dims.count : 1); i++) {
    const int64_t dim = dims.count ? at_wrap(l, dims.data[i], rank) : 0;
    if (!at_rank(x) || at_dim(l, x, dim) == 0) continue;
    const int64_t size = at_dim(l, x, dim), by = ((shifts.data[i] % size) + size) % size;
    if (!by) continue;
    ten_value *parts[2] = {at_slice(l, x, dim, size - by, size, 1), at_slice(l, x, dim, 0, size - by, 1)};
    x = at_cat(l, 2, parts, dim);
  }
  at_ret(l, 0, at_reshape(l, x, rank, shape));
}

static void lower_rot90(at *l) {
  ten_value *x = at_t(l, "self");
  const ten_ints dims = at_ints(l, "dims");
  const int64_t a = dims.count == 2 ? at_wrap(l, dims.data[0], at_rank(x)) : 0,
                b = dims.count == 2 ? at_wrap(l, dims.data[1], at_rank(x)) : 1;
  const int64_t k = ((at_int(l, "k", 1) % 4) + 4) % 4;
  if (k == 1) x = at_swap(l, ten_build_reverse(&l->b, x, 1, &b), a, b);
  if (k == 2) x = ten_build_reverse(&l->b, x, 2, a < b ? (const int64_t[]){a, b} : (const int64_t[]){b, a});
  if (k == 3) x = at_swap(l, ten_build_reverse(&l->b, x, 1, &a), a, b);
  at_ret(l, 0, x);
}

/* The triangle of the last two dimensions; code 1: lower. */
static ten_value *triangle_mask(at *l, const ten_value *x, int64_t k, bool lower) {
  const uint32_t rank = at_rank(x);
  at_check(l, rank >= 2, "a matrix is needed");
  ten_value *row = at_iota(l, TEN_I64, rank, at_dims_first(l, x, rank), rank - 2),
            *col = at_iota(l, TEN_I64, rank, at_dims_first(l, x, rank), rank - 1);
  return at_cmp(l, lower ? TEN_LE : TEN_GE, col, at_add(l, row, at_num(l, row, (double)k)));
}

static void lower_tri(at *l) {
  ten_value *x = at_t(l, "self");
  ten_value *mask = triangle_mask(l, x, at_int(l, "diagonal", 0), l->row->code);
  at_ret(l, 0, at_sel(l, mask, x, at_num(l, x, 0)));
}

static ten_value *diag_embed(at *l, ten_value *x, int64_t offset, int64_t d1, int64_t d2) {
  const uint32_t rank = at_rank(x);
  at_check(l, rank >= 1 && d1 != d2, "a tensor of rank %u along dimensions %lld and %lld", rank, (long long)d1,
           (long long)d2);
  at_check(l, offset > -TEN_BUILD_COUNT_MAX && offset < TEN_BUILD_COUNT_MAX, "an offset of %lld", (long long)offset);
  const int64_t n = at_dim(l, x, rank - 1), side = n + llabs(offset);
  int64_t dims[AT_DIMS];
  for (uint32_t i = 0; i + 1 < rank; i++) dims[i] = at_dim(l, x, i);
  dims[rank - 1] = dims[rank] = side;
  at_check(l, rank < AT_MAX_RANK, "too many dimensions");
  /* A column (or row) of the padded values, selected where row and column are `offset` apart. */
  ten_value *padded = at_pad(l, x, rank - 1, offset > 0 ? offset : 0, offset < 0 ? -offset : 0, 0, 0);
  ten_value *wide = at_expand(l, at_unsqueeze(l, padded, rank - 1), rank + 1, dims);
  ten_value *row = at_iota(l, TEN_I64, rank + 1, dims, rank - 1), *col = at_iota(l, TEN_I64, rank + 1, dims, rank);
  ten_value *on = at_cmp(l, TEN_EQ, at_sub(l, col, row), at_num(l, row, (double)offset));
  ten_value *y = at_sel(l, on, wide, at_num(l, x, 0));
  int64_t order[AT_DIMS];
  uint32_t k = 0;
  for (uint32_t i = 0; i <= rank; i++) order[i] = i == d1 ? rank - 1 : i == d2 ? rank : k++;
  return at_permute(l, y, order);
}

static void lower_diag_embed(at *l) {
  ten_value *x = at_t(l, "self");
  const uint32_t rank = at_rank(x) + 1;
  int64_t offset = at_int(l, "offset", 0), d1 = at_dim_arg(l, "dim1", -2, rank), d2 = at_dim_arg(l, "dim2", -1, rank);
  at_ret(l, 0, diag_embed(l, x, offset, d1, d2));
}

static void lower_diag(at *l) {
  ten_value *x = at_t(l, "self");
  const int64_t k = at_int(l, at_has(l, "offset") ? "offset" : "diagonal", 0);
  if (at_rank(x) == 1 || l->row->code) {
    at_ret(l, 0, diag_embed(l, at_flatten(l, x), k, 0, 1));
    return;
  }
  const int64_t rows = at_dim(l, x, 0), cols = at_dim(l, x, 1);
  const int64_t count = k >= 0 ? (rows < cols - k ? rows : cols - k) : (rows + k < cols ? rows + k : cols);
  ten_value *flat = at_flatten(l, x);
  if (count <= 0) {
    at_ret(l, 0, at_slice(l, flat, 0, 0, 0, 1));
    return;
  }
  const int64_t start = k >= 0 ? k : -k * cols; /* inside the matrix: nonempty */
  at_ret(l, 0, at_slice(l, flat, 0, start, start + (count - 1) * (cols + 1) + 1, cols + 1));
}

static void lower_block_diag(at *l) {
  ten_value **xs;
  const size_t count = at_ts(l, "tensors", &xs);
  int64_t width = 0, before = 0;
  ten_dtype dtype = TEN_DTYPE_NONE;
  for (size_t i = 0; i < count; i++) {
    dtype = at_promote(dtype, at_type(xs[i]));
    xs[i] = at_least(l, xs[i], 2);
    width += at_dim(l, xs[i], 1);
  }
  for (size_t i = 0; i < count; i++) {
    const int64_t own = at_dim(l, xs[i], 1);
    xs[i] = at_pad(l, at_cast(l, xs[i], dtype), 1, before, width - before - own, 0, 0);
    before += own;
  }
  at_ret(l, 0, at_cat(l, count, xs, 0));
}

static void lower_meshgrid(at *l) {
  ten_value **xs;
  const size_t count = at_ts(l, "tensors", &xs);
  int64_t dims[AT_DIMS];
  const bool xy = ten_str_is(at_string(l, "indexing"), "xy") && count >= 2;
  at_check(l, count <= AT_MAX_RANK, "too many dimensions");
  for (size_t i = 0; i < count; i++) dims[i] = at_count(xs[i]);
  if (xy) dims[0] = at_count(xs[1]), dims[1] = at_count(xs[0]);
  for (size_t i = 0; i < count; i++) {
    const int64_t along = xy && i < 2 ? 1 - (int64_t)i : (int64_t)i;
    at_ret(l, (uint32_t)i,
           at_expand(l, at_along(l, at_flatten(l, xs[i]), (uint32_t)count, along), (uint32_t)count, dims));
  }
}

static void lower_broadcast_tensors(at *l) {
  ten_value **xs;
  const size_t count = at_ts(l, "tensors", &xs);
  uint32_t rank = 0;
  int64_t dims[AT_DIMS];
  for (size_t i = 0; i < count; i++) {
    ten_value *so_far = at_full(l, at_type(xs[i]), rank, dims, 0);
    at_broadcast_dims(l, so_far, xs[i], &rank, dims);
  }
  for (size_t i = 0; i < count; i++) at_ret(l, (uint32_t)i, at_expand(l, xs[i], rank, dims));
}

static void lower_pixel_shuffle(at *l) {
  ten_value *x = at_t(l, "self");
  const uint32_t rank = at_rank(x);
  at_check(l, rank >= 3 && rank + 2 <= AT_MAX_RANK, "an image is needed");
  const bool down = l->row->code;
  const int64_t r = at_int(l, down ? "downscale_factor" : "upscale_factor", 1), c = at_dim(l, x, rank - 3),
                h = at_dim(l, x, rank - 2), w = at_dim(l, x, rank - 1);
  int64_t dims[AT_DIMS], order[AT_DIMS];
  const uint32_t b = rank - 3;
  at_check(l, r > 0, "a factor of %lld", (long long)r);
  for (uint32_t i = 0; i < b; i++) dims[i] = at_dim(l, x, i), order[i] = i;
  if (!down) {
    dims[b] = c / at_mul_size(l, r, r), dims[b + 1] = r, dims[b + 2] = r, dims[b + 3] = h, dims[b + 4] = w;
    const int64_t tail[5] = {b, b + 3, b + 1, b + 4, b + 2};
    memcpy(order + b, tail, sizeof tail);
    x = at_permute(l, at_reshape(l, x, b + 5, dims), order);
    dims[b + 1] = h * r, dims[b + 2] = w * r;
  } else {
    dims[b] = c, dims[b + 1] = h / r, dims[b + 2] = r, dims[b + 3] = w / r, dims[b + 4] = r;
    const int64_t tail[5] = {b, b + 2, b + 4, b + 1, b + 3};
    memcpy(order + b, tail, sizeof tail);
    x = at_permute(l, at_reshape(l, x, b + 5, dims), order);
    dims[b] = c * r * r, dims[b + 1] = h / r, dims[b + 2] = w / r;
  }
  at_ret(l, 0, at_reshape(l, x, rank, dims));
}

static void lower_channel_shuffle(at *l) {
  ten_value *x = at_t(l, "self");
  const int64_t groups = at_int(l, "groups", 1);
  int64_t dims[AT_DIMS], order[AT_DIMS];
  const uint32_t rank = at_rank(x);
  at_check(l, rank >= 3 && rank < AT_MAX_RANK && groups > 0, "an image is needed");
  dims[0] = at_dim(l, x, 0), dims[1] = groups, dims[2] = at_dim(l, x, 1) / groups;
  for (uint32_t i = 2; i < rank; i++) dims[i + 1] = at_dim(l, x, i);
  for (uint32_t i = 0; i <= rank; i++) order[i] = i;
  order[1] = 2, order[2] = 1;
  ten_value *y = at_permute(l, at_reshape(l, x, rank + 1, dims), order);
  at_ret(l, 0, at_reshape(l, y, rank, at_dims_first(l, x, rank)));
}

static void lower_cartesian_prod(at *l) {
  ten_value **xs;
  const size_t count = at_ts(l, "tensors", &xs);
  int64_t dims[AT_DIMS];
  at_check(l, count && count < AT_MAX_RANK, "%zu tensors", count);
  if (count == 1) {
    at_ret(l, 0, xs[0]);
    return;
  }
  for (size_t i = 0; i < count; i++) dims[i] = at_count(xs[i]);
  for (size_t i = 0; i < count; i++)
    xs[i] = at_unsqueeze(
        l, at_flatten(l, at_expand(l, at_along(l, xs[i], (uint32_t)count, (int64_t)i), (uint32_t)count, dims)), 1);
  at_ret(l, 0, at_cat(l, count, xs, 1));
}

const at_row at_rows_shape[] = {
    {"clone", lower_copy_of},
    {"lift_fresh_copy", lower_copy_of},
    {"_to_copy", lower_copy_of},
    {"detach_copy", lower_copy_of},
    {"alias_copy", lower_copy_of},
    {"prims.copy_strided", lower_copy_strided},
    {"copy", lower_copy},
    {"to", .view = view_to, .flags = AT_VIEW_COPY_IF | AT_VIEW_RESHAPE},
    {"type_as", .view = view_to, .flags = AT_VIEW_COPY_IF | AT_VIEW_RESHAPE},
    {"_autocast_to_reduced_precision", lower_copy_of},
    {"_autocast_to_full_precision", lower_copy_of},
    {"prims.convert_element_type", .view = view_to, .flags = AT_VIEW_COPY_IF | AT_VIEW_RESHAPE},
    {"cat", lower_cat},
    {"concat", lower_cat},
    {"concatenate", lower_cat},
    {"stack", lower_stack},
    {"hstack", lower_nstack, .code = 1},
    {"vstack", lower_nstack, .code = 2},
    {"row_stack", lower_nstack, .code = 2},
    {"dstack", lower_nstack, .code = 3},
    {"column_stack", lower_nstack, .code = 4},
    {"atleast_1d", lower_atleast, .code = 1},
    {"atleast_2d", lower_atleast, .code = 2},
    {"atleast_3d", lower_atleast, .code = 3},
    {"repeat", lower_repeat},
    {"tile", lower_repeat},
    {"repeat_interleave", lower_repeat_interleave},
    {"flip", lower_flip},
    {"flipud", lower_flip, .code = 1},
    {"fliplr", lower_flip, .code = 2},
    {"roll", lower_roll},
    {"rot90", lower_rot90},
    {"triu", lower_tri},
    {"tril", lower_tri, .code = 1},
    {"diag_embed", lower_diag_embed},
    {"diag", lower_diag},
    {"diagflat", lower_diag, .code = 1},
    {"block_diag", lower_block_diag},
    {"meshgrid", lower_meshgrid},
    {"broadcast_tensors", lower_broadcast_tensors},
    {"pixel_shuffle", lower_pixel_shuffle},
    {"pixel_unshuffle", lower_pixel_shuffle, .code = 1},
    {"channel_shuffle", lower_channel_shuffle},
    {"native_channel_shuffle", lower_channel_shuffle},
    {"cartesian_prod", lower_cartesian_prod},
    {NULL}};
