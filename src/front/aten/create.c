/* create.c: tensor creation. The importer knows the element type that PyTorch chose, so its default rules are not
 * repeated. */
#include "front/aten/lower.h"

static ten_dtype own_type(at *l, ten_dtype otherwise) {
  const ten_type *declared = at_declared(l, 0);
  return declared ? declared->dtype : at_dtype(l, "dtype", otherwise);
}

/* Shape of "size", or of self for the _like forms. */
static const int64_t *own_shape(at *l, uint32_t *rank) {
  if (at_has(l, "size")) {
    const ten_ints size = at_ints(l, "size");
    at_check(l, size.count <= AT_MAX_RANK, "%zu dimensions", size.count);
    *rank = (uint32_t)size.count;
    return size.data;
  }
  ten_value *self = at_topt(l, "self");
  *rank = self ? at_rank(self) : 0;
  return self ? at_dims(self) : NULL;
}

/* zeros, ones, empty: code is the value */
static void lower_filled(at *l) {
  uint32_t rank;
  const int64_t *dims = own_shape(l, &rank);
  at_ret(l, 0, at_full(l, own_type(l, TEN_F32), rank, dims, l->row->code));
}

static void lower_full(at *l) {
  uint32_t rank;
  const int64_t *dims = own_shape(l, &rank);
  const char *key = at_has(l, "fill_value") ? "fill_value" : at_has(l, "value") ? "value" : "s";
  ten_value *value = at_ref_value(l, at_arg(l, key), own_type(l, TEN_F32));
  at_ret(l, 0, at_expand(l, at_reshape(l, value, 0, NULL), rank, dims));
}

/* `wrap` restarts the diagonal below, in a matrix taller than wide. */
static void lower_fill_diagonal(at *l) {
  ten_value *x = at_t(l, "self");
  const uint32_t rank = at_rank(x);
  at_check(l, rank >= 2, "two dimensions are needed");
  ten_value *first = at_iota(l, TEN_I64, rank, at_dims_first(l, x, rank), 0), *on = NULL;
  for (uint32_t i = 1; i < rank; i++) {
    ten_value *apart = at_sub(l, first, at_iota(l, TEN_I64, rank, at_dims_first(l, x, rank), i));
    if (rank == 2 && at_bool(l, "wrap", false))
      apart = at_bin(l, TEN_OP_REMAINDER, apart, at_int_num(l, apart, at_dim(l, x, 1) + 1));
    ten_value *equal = at_cmp(l, TEN_EQ, apart, at_num(l, apart, 0));
    on = on ? at_and(l, on, equal) : equal;
  }
  at_ret(l, 0, at_sel(l, on, at_expand_like(l, at_ref_value(l, at_arg(l, "fill_value"), at_type(x)), x), x));
}

static void lower_scalar_tensor(at *l) { at_ret(l, 0, at_ref_value(l, at_arg(l, "s"), own_type(l, TEN_F32))); }

static void lower_arange(at *l) {
  const ten_dtype dtype = own_type(l, TEN_I64);
  const at_ref start = at_arg(l, "start"), end = at_arg(l, "end"), step = at_arg(l, "step");
  const bool whole = (start.kind != AT_FLOAT && end.kind != AT_FLOAT && step.kind != AT_FLOAT) || dtype == TEN_I64;
  int64_t count;
  if (whole) {
    const int64_t s = at_int_any(l, "start", 0), e = at_int_any(l, "end", 0), d = at_int_any(l, "step", 1);
    at_check(l, d != 0, "a step of 0");
    const uint64_t span = d > 0 ? (uint64_t)e - (uint64_t)s : (uint64_t)s - (uint64_t)e,
                   step_size = d > 0 ? (uint64_t)d : 0 - (uint64_t)d;
    const bool any = d > 0 ? e > s : s > e;
    count = any && (span - 1) / step_size < INT64_MAX ? (int64_t)((span - 1) / step_size) + 1 : any ? INT64_MAX : 0;
    at_product(l, 1, &count);
    ten_value *y = at_iota(l, TEN_I64, 1, &count, 0);
    if (d != 1) y = at_mul(l, y, ten_build_scalar_int(&l->b, TEN_I64, d));
    if (s != 0) y = at_add(l, y, ten_build_scalar_int(&l->b, TEN_I64, s));
    at_ret(l, 0, at_cast(l, y, dtype));
    return;
  }
  const double s = at_float(l, "start", 0), e = at_float(l, "end", 0), d = at_float(l, "step", 1),
               n = ceil((e - s) / d);
  at_check(l, d != 0 && n < 1e15, "a range that does not end");
  count = n > 0 ? (int64_t)n : 0;
  const bool cut = ten_dtype_is_int(dtype); /* integers are truncated before the multiplication, not after */
  ten_value *y = at_addn(l, at_muln(l, at_iota(l, TEN_F64, 1, &count, 0), cut ? trunc(d) : d), cut ? trunc(s) : s);
  at_ret(l, 0, at_cast(l, y, dtype));
}

/* From both ends, so that each end is exact; code 1: powers. */
static void lower_linspace(at *l) {
  const ten_dtype dtype = own_type(l, TEN_F32);
  const int64_t count = at_int(l, "steps", 100);
  at_product(l, 1, &count);
  const ten_dtype work = ten_dtype_is_complex(dtype) ? dtype : TEN_F64;
  ten_value *s = at_ref_value(l, at_arg(l, "start"), work), *e = at_ref_value(l, at_arg(l, "end"), work);
  if (!ten_dtype_is_complex(dtype) && !ten_dtype_is_float(dtype)) {
    s = at_cast(l, at_cast(l, s, TEN_I64), work), e = at_cast(l, at_cast(l, e, TEN_I64), work);
  }
  s = at_reshape(l, s, 0, NULL), e = at_reshape(l, e, 0, NULL);
  ten_value *y;
  if (count == 1) {
    y = at_expand(l, s, 1, &count);
  } else {
    ten_value *i = at_cast(l, at_iota(l, TEN_I64, 1, &count, 0), work),
              *step = at_div(l, at_sub(l, e, s), at_num(l, s, (double)(count - 1)));
    ten_value *first = at_add(l, s, at_mul(l, i, step));
    ten_value *back = at_sub(l, e, at_mul(l, at_sub(l, at_num(l, i, (double)(count - 1)), i), step));
    ten_value *half = at_cmp(l, TEN_LT, at_iota(l, TEN_I64, 1, &count, 0), at_const(l, TEN_I64, (double)(count / 2)));
    y = at_sel(l, half, first, back);
  }
  if (l->row->code) y = at_bin(l, TEN_OP_POWER, at_num(l, y, at_float(l, "base", 10)), y);
  at_ret(l, 0, at_cast(l, y, dtype));
}

static void lower_eye(at *l) {
  const int64_t n = at_int(l, "n", 0), dims[2] = {n, at_int(l, "m", n)};
  at_product(l, 2, dims);
  ten_value *on = at_cmp(l, TEN_EQ, at_iota(l, TEN_I32, 2, dims, 0), at_iota(l, TEN_I32, 2, dims, 1));
  at_ret(l, 0, at_cast(l, on, own_type(l, TEN_F32)));
}

/* tril_indices (code 1), triu_indices: computed here, as they depend on sizes alone. */
static void lower_tri_indices(at *l) {
  const int64_t rows = at_int(l, "row", 0), cols = at_int(l, "col", 0), offset = at_int(l, "offset", 0);
  at_check(l, rows >= 0 && cols >= 0 && rows < 1 << 20 && cols < 1 << 20 && rows * cols <= 1 << 24, "%lld by %lld",
           (long long)rows, (long long)cols);
  TEN_VEC(int64_t) where = {0};
  for (int pass = 0; pass < 2; pass++)
    for (int64_t r = 0; r < rows; r++)
      for (int64_t c = 0; c < cols; c++)
        if (l->row->code ? c <= r + offset : c >= r + offset) ten_vec_push(&where, pass ? c : r);
  const int64_t count = (int64_t)where.count / 2, dims[2] = {2, count};
  ten_value *y = at_reshape(l, ten_build_i64s(&l->b, where.count, where.data), 2, dims);
  ten_vec_free(&where);
  at_ret(l, 0, at_cast(l, y, own_type(l, TEN_I64)));
}

static void lower_window(at *l) {
  const int64_t n = at_int(l, "window_length", 0);
  const ten_dtype dtype = own_type(l, TEN_F32);
  const bool periodic = at_bool(l, "periodic", true);
  const double width = (double)(periodic ? n : n - 1), tau = 6.283185307179586;
  at_product(l, 1, &n);
  if (n <= 1) {
    at_ret(l, 0, at_full(l, dtype, 1, &n, 1));
    return;
  }
  ten_value *i = at_iota(l, TEN_F64, 1, &n, 0), *y;
  const double alpha = at_float(l, "alpha", l->row->code == 1 ? 0.54 : 0.5),
               beta = at_float(l, "beta", l->row->code == 1 ? 0.46 : 0.5);
  ten_value *cosine = at_un(l, TEN_OP_COSINE, at_muln(l, i, tau / width));
  if (l->row->code == 2) {
    y = at_addn(
        l,
        at_add(l, at_muln(l, cosine, -0.5), at_muln(l, at_un(l, TEN_OP_COSINE, at_muln(l, i, 2 * tau / width)), 0.08)),
        0.42);
  } else if (l->row->code == 3) {
    ten_value *t = at_addn(l, at_muln(l, i, 2 / width), -1);
    y = at_addn(l, at_neg(l, at_un(l, TEN_OP_ABS, t)), 1);
  } else {
    y = at_addn(l, at_muln(l, cosine, -beta), alpha);
  }
  at_ret(l, 0, at_cast(l, y, dtype));
}

static void lower_vander(at *l) {
  ten_value *x = at_t(l, "x");
  if (!at_rank(x)) x = at_flatten(l, x);
  const int64_t n = at_int(l, at_has(l, "N") ? "N" : "n", at_dim(l, x, (int64_t)at_rank(x) - 1));
  int64_t dims[AT_DIMS];
  for (uint32_t i = 0; i < at_rank(x); i++) dims[i] = at_dim(l, x, i);
  dims[at_rank(x)] = n;
  const uint32_t rank = at_rank(x) + 1;
  if (!at_is_float(x) && !at_is_complex(x)) x = at_cast(l, x, TEN_I64);
  ten_value *base = at_expand(l, at_unsqueeze(l, x, rank - 1), rank, dims);
  ten_value *col = at_iota(l, TEN_I64, rank, dims, rank - 1);
  base = at_sel(l, at_cmp(l, TEN_EQ, col, at_num(l, col, 0)), at_num(l, base, 1), base);
  ten_value *y = n > 1 ? at_cumulate(l, TEN_OP_MULTIPLY, base, rank - 1) : base;
  const int64_t last = rank - 1;
  const bool increasing = l->row->code ? true : at_bool(l, "increasing", false);
  at_ret(l, 0, increasing ? y : ten_build_reverse(&l->b, y, 1, &last));
}

const at_row at_rows_create[] = {{"zeros", lower_filled},
                                 {"zeros_like", lower_filled},
                                 {"new_zeros", lower_filled},
                                 {"zero", lower_filled},
                                 {"ones", lower_filled, .code = 1},
                                 {"ones_like", lower_filled, .code = 1},
                                 {"new_ones", lower_filled, .code = 1},
                                 {"empty", lower_filled},
                                 {"empty_like", lower_filled},
                                 {"new_empty", lower_filled},
                                 {"empty_strided", lower_filled},
                                 {"new_empty_strided", lower_filled},
                                 {"empty_permuted", lower_filled},
                                 {"full", lower_full},
                                 {"full_like", lower_full},
                                 {"new_full", lower_full},
                                 {"fill", lower_full},
                                 {"fill_diagonal", lower_fill_diagonal},
                                 {"scalar_tensor", lower_scalar_tensor},
                                 {"arange", lower_arange},
                                 {"range", lower_arange},
                                 {"linspace", lower_linspace},
                                 {"logspace", lower_linspace, .code = 1},
                                 {"eye", lower_eye},
                                 {"tril_indices", lower_tri_indices, .code = 1},
                                 {"triu_indices", lower_tri_indices},
                                 {"hann_window", lower_window},
                                 {"hamming_window", lower_window, .code = 1},
                                 {"blackman_window", lower_window, .code = 2},
                                 {"bartlett_window", lower_window, .code = 3},
                                 {"vander", lower_vander},
                                 {"linalg_vander", lower_vander, .code = 1},
                                 {NULL}};
