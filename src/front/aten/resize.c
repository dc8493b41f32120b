/* resize.c: image resizing and sampling grids. Linear and cubic weights are matrices, one per dimension, so that
 * resizing is a matmul; nearest is a gather. */
#include "front/aten/lower.h"
#include "ir/ten.h"

enum { SPATIAL_MAX = 3, SCALE_MAX = 1 << 30 }; /* an index times a scale fits an integer */

typedef struct resize {
  uint32_t rank;
  int64_t in[SPATIAL_MAX], out[SPATIAL_MAX];
  double scale[SPATIAL_MAX]; /* input steps per output step; rounded where PyTorch has it in single precision */
} resize;

/* dims: of the input; gradient ops have them as "input_size". */
static resize resize_read(at *l, size_t dim_count, const int64_t *dims, uint32_t rank, bool align, bool wide) {
  resize r = {.rank = rank};
  at_check(l, dim_count == rank + 2, "an input of %zu dimensions", dim_count);
  const ten_ints size = at_ints(l, "output_size");
  double *factors;
  size_t factor_count = at_floats(l, "scale_factors", &factors);
  static const char *const names[SPATIAL_MAX] = {"scales_d", "scales_h", "scales_w"};
  for (uint32_t i = 0; i < rank; i++) {
    r.in[i] = dims[i + 2];
    double given = factor_count == rank ? factors[i] : 0;
    const char *name = rank == 1 ? "scales" : names[SPATIAL_MAX - rank + i];
    if (!factor_count && at_has(l, name)) given = at_float(l, name, 0);
    const double scaled = floor((double)r.in[i] * given);
    at_check(l, size.count == rank || (scaled > 0 && scaled < 1 << 24), "size %lld scaled by %g", (long long)r.in[i],
             given);
    r.out[i] = size.count == rank ? size.data[i] : (int64_t)scaled;
    at_check(l, r.out[i] > 0 && r.in[i] > 0 && r.out[i] < 1 << 24, "a size of %lld", (long long)r.out[i]);
    if (align)
      r.scale[i] = r.out[i] > 1 ? (double)(r.in[i] - 1) / (double)(r.out[i] - 1) : 0;
    else
      r.scale[i] = given > 0 ? 1 / given : (double)r.in[i] / (double)r.out[i];
    if (!wide) r.scale[i] = (double)(float)r.scale[i];
    at_check(l, r.scale[i] >= 0 && r.scale[i] <= (double)SCALE_MAX, "a scale of %g; the limit is %d", r.scale[i],
             (int)SCALE_MAX);
  }
  return r;
}

/* The source index of each output. code: rank, 4 the middle of a cell */
static ten_value *nearest_places(at *l, const resize *r, uint32_t i) {
  int64_t *places = at_new_array(l, int64_t, (size_t)r->out[i]);
  const float middle = l->row->code & 4 ? 0.5F : 0;
  for (int64_t k = 0; k < r->out[i]; k++) {
    const int64_t place = (int64_t)floorf(((float)k + middle) * (float)r->scale[i]);
    places[k] = place < r->in[i] - 1 ? place : r->in[i] - 1;
  }
  return ten_build_i64s(&l->b, (size_t)r->out[i], places);
}

static void lower_nearest(at *l) {
  ten_value *x = at_t(l, at_has(l, "input") ? "input" : "self");
  const resize r = resize_read(l, at_rank(x), at_dims(x), (uint32_t)(l->row->code & 3), false, false);
  for (uint32_t i = 0; i < r.rank; i++)
    if (r.in[i] != r.out[i] || r.scale[i] != 1) x = at_take(l, x, nearest_places(l, &r, i), i + 2);
  at_ret(l, 0, x);
}

static void lower_nearest_backward(at *l) {
  ten_value *grad = at_t(l, "grad_output");
  const ten_ints size = at_ints(l, "input_size");
  const resize r = resize_read(l, size.count, size.data, (uint32_t)(l->row->code & 3), false, false);
  for (uint32_t i = 0; i < r.rank; i++) {
    if (r.in[i] == r.out[i] && r.scale[i] == 1) continue;
    int64_t dims[AT_DIMS];
    for (uint32_t d = 0; d < at_rank(grad); d++) dims[d] = d == i + 2 ? r.in[i] : at_dim(l, grad, d);
    ten_value *places = at_expand_like(l, at_along(l, nearest_places(l, &r, i), at_rank(grad), i + 2), grad);
    grad = at_scatter(l, TEN_OP_ADD, at_full(l, at_type(grad), at_rank(grad), dims, 0), places, grad, i + 2);
  }
  at_ret(l, 0, grad);
}

/* Multiplies x along `dim` by a matrix of weights [out][in]; for a gradient by its transpose. */
static ten_value *apply(at *l, ten_value *x, int64_t dim, int64_t in, int64_t out, const void *weights, bool wide,
                        bool back) {
  const int64_t dims[2] = {out, in}, summed = !back;
  const ten_type *type = ten_type_tensor(l->b.module, wide ? TEN_F64 : TEN_F32, 2, dims);
  ten_value *matrix = ten_build_constant(&l->b, ten_attr_dense(l->b.module, type, weights, ten_type_bytes(type)));
  matrix = at_cast(l, matrix, at_type(x));
  ten_value *y = at_dot(l, x, matrix, (ten_ints){0}, (ten_ints){0}, (ten_ints){&dim, 1}, (ten_ints){&summed, 1});
  if (y->op->code == TEN_OP_DOT_GENERAL) /* distant pixels must not contribute, even infinite ones */
    ten_own_attr_set(l->b.module, y->op, TEN_NAME_TAPS, ten_attr_unit(l->b.module));
  int64_t order[AT_DIMS];
  const uint32_t rank = at_rank(y);
  for (uint32_t k = 0; k < rank; k++) order[k] = k < dim ? k : k == dim ? rank - 1 : k - 1;
  return at_permute(l, y, order);
}

#define REAL float
#define REAL_ABS fabsf
#define REAL_FLOOR floorf
#define NAME(x) x##_f32
#include "front/aten/resize_weights.h"
#undef REAL
#undef REAL_ABS
#undef REAL_FLOOR
#undef NAME
#define REAL double
#define REAL_ABS fabs
#define REAL_FLOOR floor
#define NAME(x) x##_f64
#include "front/aten/resize_weights.h"

/* code: rank, 4 cubic, 8 antialiased, 16 the gradient */
static void lower_linear_resize(at *l) {
  const int code = l->row->code;
  const bool align = at_bool(l, "align_corners", false), back = code & 16;
  ten_value *input = at_t(l, back                 ? "grad_output"
                             : at_has(l, "input") ? "input"
                                                  : "self"),
            *x = at_cast(l, input, at_acc_type(at_type(input)));
  const bool wide = at_type(x) == TEN_F64;
  const ten_ints size = back ? at_ints(l, "input_size") : (ten_ints){at_dims(x), at_rank(x)};
  const resize r = resize_read(l, size.count, size.data, (uint32_t)(code & 3), align, wide);
  for (uint32_t i = 0; i < r.rank; i++) {
    if (r.in[i] == r.out[i] && (r.scale[i] == 1 || align)) continue;
    at_check(l, r.in[i] * r.out[i] < (int64_t)1 << 28, "an image this large");
    const size_t count = (size_t)(r.in[i] * r.out[i]);
    void *weights = at_array(l, count, wide ? sizeof(double) : sizeof(float));
    if (wide)
      weights_fill_f64(weights, r.in[i], r.out[i], r.scale[i], align, code & 4, code & 8);
    else
      weights_fill_f32(weights, r.in[i], r.out[i], (float)r.scale[i], align, code & 4, code & 8);
    x = apply(l, x, i + 2, r.in[i], r.out[i], weights, wide, back);
  }
  at_ret(l, 0, at_cast(l, x, at_type(input)));
}

static void lower_affine_grid(at *l) {
  ten_value *theta = at_t(l, "theta");
  const ten_ints size = at_ints(l, "size");
  const bool align = at_bool(l, "align_corners", false);
  const uint32_t rank = size.count >= 4 && size.count <= 5 ? (uint32_t)size.count - 2 : 0;
  at_check(l, rank, "%zu sizes", size.count);
  int64_t dims[SPATIAL_MAX + 1], cells = 1;
  for (uint32_t i = 0; i < rank; i++) dims[i] = size.data[i + 2], cells = at_mul_size(l, cells, dims[i]);
  dims[rank] = 1;
  ten_value *parts[SPATIAL_MAX + 1];
  for (uint32_t i = 0; i < rank; i++) { /* the width first */
    const uint32_t d = rank - 1 - i;
    const double n = (double)dims[d];
    ten_value *k = at_cast(l, at_iota(l, TEN_I64, rank + 1, dims, d), at_type(theta));
    parts[i] = align ? at_addn(l, at_muln(l, k, n > 1 ? 2 / (n - 1) : 0), n > 1 ? -1 : 0)
                     : at_addn(l, at_muln(l, k, 2 / n), 1 / n - 1);
  }
  parts[rank] = at_full(l, at_type(theta), rank + 1, dims, 1);
  ten_value *base = at_cat(l, rank + 1, parts, rank);
  const int64_t flat[2] = {cells, rank + 1};
  base = at_reshape(l, base, 2, flat);
  ten_value *y = at_matmul(l, base, at_swap(l, theta, 1, 2)); /* [cells, r+1] × [n, r+1, r] */
  if (at_rank(y) == 2) y = at_unsqueeze(l, y, 0);
  int64_t out[SPATIAL_MAX + 2] = {at_dim(l, theta, 0)};
  for (uint32_t i = 0; i < rank; i++) out[i + 1] = dims[i];
  out[rank + 1] = rank;
  at_ret(l, 0, at_reshape(l, y, rank + 2, out));
}

const at_row at_rows_resize[] = {{"upsample_nearest1d", lower_nearest, .code = 1},
                                 {"upsample_nearest2d", lower_nearest, .code = 2},
                                 {"upsample_nearest3d", lower_nearest, .code = 3},
                                 {"_upsample_nearest_exact1d", lower_nearest, .code = 5},
                                 {"_upsample_nearest_exact2d", lower_nearest, .code = 6},
                                 {"_upsample_nearest_exact3d", lower_nearest, .code = 7},
                                 {"upsample_linear1d", lower_linear_resize, .code = 1},
                                 {"upsample_bilinear2d", lower_linear_resize, .code = 2},
                                 {"upsample_trilinear3d", lower_linear_resize, .code = 3},
                                 {"upsample_bicubic2d", lower_linear_resize, .code = 6},
                                 {"_upsample_bilinear2d_aa", lower_linear_resize, .code = 10},
                                 {"_upsample_bicubic2d_aa", lower_linear_resize, .code = 14},
                                 {"upsample_nearest1d_backward", lower_nearest_backward, .code = 1},
                                 {"upsample_nearest2d_backward", lower_nearest_backward, .code = 2},
                                 {"upsample_nearest3d_backward", lower_nearest_backward, .code = 3},
                                 {"_upsample_nearest_exact1d_backward", lower_nearest_backward, .code = 5},
                                 {"_upsample_nearest_exact2d_backward", lower_nearest_backward, .code = 6},
                                 {"_upsample_nearest_exact3d_backward", lower_nearest_backward, .code = 7},
                                 {"upsample_linear1d_backward", lower_linear_resize, .code = 16 + 1},
                                 {"upsample_bilinear2d_backward", lower_linear_resize, .code = 16 + 2},
                                 {"upsample_trilinear3d_backward", lower_linear_resize, .code = 16 + 3},
                                 {"upsample_bicubic2d_backward", lower_linear_resize, .code = 16 + 6},
                                 {"_upsample_bilinear2d_aa_backward", lower_linear_resize, .code = 16 + 10},
                                 {"_upsample_bicubic2d_aa_backward", lower_linear_resize, .code = 16 + 14},
                                 {"affine_grid_generator", lower_affine_grid},
                                 {NULL}};
