/* composite.c: ops that PyTorch itself writes with others, and that an export leaves whole: sums of products of all
 * pairs, integrals of samples, rounding to a grid. */
#include "aten/lower.h"

/* Every element of a times every element of b, block by block. */
static void lower_kron(at *l) {
  ten_value *a, *b;
  at_pair(l, "self", "other", false, &a, &b);
  const uint32_t rank = at_rank(a) > at_rank(b) ? at_rank(a) : at_rank(b);
  at_check(l, 2 * rank <= AT_MAX_RANK, "too many dimensions");
  int64_t left[AT_MAX_RANK], right[AT_MAX_RANK], out[AT_MAX_RANK];
  for (uint32_t i = 0; i < rank; i++) {
    const uint32_t skip_a = rank - at_rank(a), skip_b = rank - at_rank(b);
    const int64_t x = i < skip_a ? 1 : at_dim(a, i - skip_a), y = i < skip_b ? 1 : at_dim(b, i - skip_b);
    left[2 * i] = x, left[2 * i + 1] = 1;
    right[2 * i] = 1, right[2 * i + 1] = y;
    out[i] = x * y;
  }
  at_product(l, rank, out);
  ten_value *y = at_mul(l, at_reshape(l, a, 2 * rank, left), at_reshape(l, b, 2 * rank, right));
  at_ret(l, 0, at_reshape(l, y, rank, out));
}

/* code 1: the sums on the way. */
static void lower_trapezoid(at *l) {
  ten_value *y = at_t(l, "y"), *x = at_topt(l, "x");
  const int64_t dim = at_dim_arg(l, "dim", -1, at_rank(y)), n = at_dim(y, dim);
  at_check(l, n > 0, "nothing to sum");
  if (!at_is_complex(y)) y = at_cast(l, y, at_float_type(at_type(y)));
  ten_value *pairs = at_add(l, at_slice(l, y, dim, 1, n, 1), at_slice(l, y, dim, 0, n - 1, 1));
  if (x) {
    x = at_cast(l, x, at_type(y));
    const int64_t along = at_rank(x) == 1 ? 0 : dim - (int64_t)(at_rank(y) - at_rank(x));
    at_check(l, along >= 0 && at_dim(x, along) == n, "x does not fit y");
    ten_value *steps = at_sub(l, at_slice(l, x, along, 1, n, 1), at_slice(l, x, along, 0, n - 1, 1));
    pairs = at_mul(l, pairs, at_rank(x) == 1 ? at_along(l, steps, at_rank(y), dim) : steps);
    pairs = at_muln(l, pairs, 0.5);
  } else {
    pairs = at_muln(l, pairs, 0.5 * at_float(l, "dx", 1));
  }
  at_ret(l, 0, l->row->code ? at_cumulate(l, TEN_OP_ADD, pairs, dim) : at_sum(l, pairs, 1, &dim, false));
}

static void lower_vecdot(at *l) {
  ten_value *a, *b;
  at_pair(l, "x", "y", false, &a, &b);
  if (at_is_complex(a)) a = at_un(l, TEN_OP_CHLO_CONJ, a);
  ten_value *product = at_mul(l, a, b);
  const int64_t dim = at_dim_arg(l, "dim", -1, at_rank(product));
  at_ret(l, 0, at_sum(l, product, 1, &dim, false));
}

static void lower_chain_matmul(at *l) {
  ten_value **list;
  const size_t count = at_ts(l, "matrices", &list);
  at_check(l, count, "no matrices");
  ten_value *y = list[0];
  for (size_t i = 1; i < count; i++) y = at_matmul(l, y, list[i]);
  at_ret(l, 0, y);
}

/* Rounded to the nearest number that so many steps of `scale` around `zero_point` reach; and back. code 1: a scale for
 * each place of `axis`; 2: only where a number says so. */
static void lower_fake_quantize(at *l) {
  ten_value *x = at_t(l, "self");
  const ten_dtype dtype = at_type(x);
  ten_value *wide = at_cast(l, x, TEN_F32), *scale = at_ref_value(l, at_arg(l, "scale"), TEN_F32),
            *zero = at_ref_value(l, at_arg(l, "zero_point"), TEN_F32);
  if (l->row->code == 1) {
    const int64_t axis = at_dim_arg(l, "axis", 0, at_rank(x));
    scale = at_along(l, scale, at_rank(x), axis), zero = at_along(l, zero, at_rank(x), axis);
  } else {
    scale = at_reshape(l, scale, 0, NULL), zero = at_reshape(l, zero, 0, NULL);
  }
  ten_value *inverse = at_div(l, at_num(l, wide, 1), scale);
  ten_value *q = at_un(l, TEN_OP_ROUND_NEAREST_EVEN, at_add(l, at_mul(l, wide, inverse), zero));
  ten_value *low = at_num(l, wide, (double)at_int(l, "quant_min", -128)),
            *high = at_num(l, wide, (double)at_int(l, "quant_max", 127));
  ten_value *y = at_mul(l, at_sub(l, at_min(l, at_max(l, q, low), high), zero), scale);
  ten_value *inside = at_and(l, at_cmp(l, TEN_GE, q, low), at_cmp(l, TEN_LE, q, high));
  if (l->row->code == 2) {
    ten_value *enabled = at_reshape(l, at_cast(l, at_t(l, "fake_quant_enabled"), TEN_I1), 0, NULL);
    y = at_sel(l, enabled, y, wide);
    inside = at_or(l, inside, at_not(l, enabled));
  }
  at_ret(l, 0, at_cast(l, y, dtype));
  if (l->result_count > 1) at_ret(l, 1, inside);
}

const at_row at_rows_composite[] = {
    {"kron", lower_kron},
    {"trapezoid", lower_trapezoid},
    {"trapz", lower_trapezoid},
    {"cumulative_trapezoid", lower_trapezoid, .code = 1},
    {"linalg_vecdot", lower_vecdot},
    {"chain_matmul", lower_chain_matmul},
    {"fake_quantize_per_tensor_affine", lower_fake_quantize},
    {"fake_quantize_per_tensor_affine_cachemask", lower_fake_quantize},
    {"_fake_quantize_per_tensor_affine_cachemask_tensor_qparams", lower_fake_quantize, .code = 2},
    {"fake_quantize_per_channel_affine", lower_fake_quantize, .code = 1},
    {"fake_quantize_per_channel_affine_cachemask", lower_fake_quantize, .code = 1},
    {NULL}};
