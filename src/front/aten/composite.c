/* composite.c: composite ops that PyTorch defines by others and an export preserves: Kronecker products, integrals of
 * samples, fake quantization, combinations, block concatenation. */
#include "front/aten/lower.h"

/* Every element of a times every element of b, block by block. */
static void lower_kron(at *l) {
  ten_value *a, *b;
  at_pair(l, "self", "other", false, &a, &b);
  const uint32_t rank = at_rank(a) > at_rank(b) ? at_rank(a) : at_rank(b);
  at_check(l, 2 * rank <= AT_MAX_RANK, "too many dimensions");
  int64_t left[AT_DIMS], right[AT_DIMS], out[AT_DIMS];
  for (uint32_t i = 0; i < rank; i++) {
    const uint32_t skip_a = rank - at_rank(a), skip_b = rank - at_rank(b);
    const int64_t x = i < skip_a ? 1 : at_dim(l, a, i - skip_a), y = i < skip_b ? 1 : at_dim(l, b, i - skip_b);
    left[2 * i] = x, left[2 * i + 1] = 1;
    right[2 * i] = 1, right[2 * i + 1] = y;
    out[i] = at_mul_size(l, x, y);
  }
  at_product(l, rank, out);
  ten_value *y = at_mul(l, at_reshape(l, a, 2 * rank, left), at_reshape(l, b, 2 * rank, right));
  at_ret(l, 0, at_reshape(l, y, rank, out));
}

/* code 1: the cumulative sums. */
static void lower_trapezoid(at *l) {
  ten_value *y = at_t(l, "y"), *x = at_topt(l, "x");
  const int64_t dim = at_dim_arg(l, "dim", -1, at_rank(y)), n = at_dim(l, y, dim);
  at_check(l, n > 0, "nothing to sum");
  if (!at_is_complex(y)) y = at_cast(l, y, at_float_type(at_type(y)));
  ten_value *pairs = at_add(l, at_slice(l, y, dim, 1, n, 1), at_slice(l, y, dim, 0, n - 1, 1));
  if (x) {
    x = at_cast(l, x, at_type(y));
    const int64_t along = at_rank(x) == 1 ? 0 : dim - (int64_t)(at_rank(y) - at_rank(x));
    at_check(l, along >= 0 && at_dim(l, x, along) == n, "x does not fit y");
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

/* Fake quantization: rounds to the nearest multiple of `scale` around `zero_point` within the range. code 1: a scale
 * for each index of `axis`; 2: only where a flag is set. */
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
  ten_value *low = at_num(l, wide, (double)at_int_any(l, "quant_min", -128)),
            *high = at_num(l, wide, (double)at_int_any(l, "quant_max", 127));
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

/* Sums over the dimensions that broadcasting from `size` to x added. */
static void lower_sum_to_size(at *l) {
  ten_value *x = at_t(l, "self");
  const ten_ints size = at_ints(l, "size");
  at_check(l, size.count <= at_rank(x), "a size of %zu dimensions", size.count);
  const size_t lead = at_rank(x) - size.count;
  int64_t dims[AT_DIMS];
  uint32_t count = 0;
  for (uint32_t i = 0; i < at_rank(x); i++)
    if (i < lead || (size.data[i - lead] == 1 && at_dim(l, x, i) != 1)) dims[count++] = i;
  const bool adds = count || !size.count;
  if (adds && (at_type(x) == TEN_I1 || ten_dtype_is_int(at_type(x)))) x = at_cast(l, x, TEN_I64);
  if (count) x = at_sum(l, x, count, dims, true);
  at_ret(l, 0, at_reshape(l, x, (uint32_t)size.count, size.data));
}

/* The next combination of r of n indices in order, or false after the last. */
static bool choose_next(int64_t *chosen, int64_t r, int64_t n, bool again) {
  for (int64_t i = r - 1; i >= 0; i--) {
    if (chosen[i] == (again ? n - 1 : n - r + i)) continue;
    chosen[i]++;
    for (int64_t k = i + 1; k < r; k++) chosen[k] = chosen[k - 1] + !again;
    return true;
  }
  return false;
}

static void lower_combinations(at *l) {
  enum { MOST = 1 << 22 }; /* indices */
  ten_value *x = at_t(l, "self");
  const int64_t r = at_int(l, "r", 2), n = at_count(x), none = 0;
  const bool again = at_bool(l, "with_replacement", false);
  at_check(l, at_rank(x) == 1 && r >= 0, "combinations of %lld out of %u dimensions", (long long)r, at_rank(x));
  if (r == 0) {
    at_ret(l, 0, at_full(l, at_type(x), 1, &none, 0));
    return;
  }
  int64_t chosen[AT_DIMS];
  at_check(l, r <= AT_MAX_RANK, "combinations of %lld", (long long)r);
  for (int64_t i = 0; i < r; i++) chosen[i] = again ? 0 : i;
  TEN_VEC(int64_t) all = {0};
  bool more = n > 0 && (again || r <= n);
  for (; more && all.count < MOST; more = choose_next(chosen, r, n, again))
    for (int64_t i = 0; i < r; i++) ten_vec_push(&all, chosen[i]);
  const int64_t dims[2] = {(int64_t)all.count / r, r};
  ten_value *places = ten_build_constant(&l->b, ten_attr_dense_i64(l->b.module, 2, dims, all.data));
  ten_vec_free(&all);
  at_check(l, !more, "more combinations than %d", MOST);
  at_ret(l, 0, dims[0] ? at_take(l, x, places, 0) : at_full(l, at_type(x), 2, dims, 0));
}

static void lower_pad_sequence(at *l) {
  ten_value **list;
  const size_t count = at_ts(l, "sequences", &list);
  at_check(l, count && at_rank(list[0]), "no sequences");
  const bool left = ten_str_is(at_string(l, "padding_side"), "left");
  int64_t longest = 0;
  for (size_t i = 0; i < count; i++)
    if (at_dim(l, list[i], 0) > longest) longest = at_dim(l, list[i], 0);
  const int64_t batch = at_bool(l, "batch_first", false) ? 0 : 1;
  for (size_t i = 0; i < count; i++) {
    const int64_t missing = longest - at_dim(l, list[i], 0);
    ten_value *x = at_pad(l, list[i], 0, left ? missing : 0, left ? 0 : missing, 0, at_float(l, "padding_value", 0));
    list[i] = at_unsqueeze(l, x, batch);
  }
  at_ret(l, 0, at_cat(l, count, list, batch));
}

/* The norm over all dimensions but one. */
static void lower_norm_except(at *l) {
  ten_value *x = at_t(l, "v");
  const int64_t power = at_int(l, "pow", 2), dim = at_int(l, "dim", 0),
                kept = dim < 0 ? -1 : at_wrap(l, dim, at_rank(x));
  int64_t dims[AT_DIMS];
  uint32_t count = 0;
  for (uint32_t i = 0; i < at_rank(x); i++)
    if (i != kept) dims[count++] = i;
  ten_value *each =
      power == 2 ? at_mul(l, x, x) : at_bin(l, TEN_OP_POWER, at_un(l, TEN_OP_ABS, x), at_num(l, x, (double)power));
  ten_value *sum = at_sum(l, each, count, dims, kept >= 0);
  at_ret(l, 0, power == 2 ? at_sqrt(l, sum) : at_bin(l, TEN_OP_POWER, sum, at_num(l, sum, 1 / (double)power)));
}

/* Splits each tensor into as many chunks along `dim`, the last ones zero-padded; concatenates the first chunks of all,
 * then the second. */
static void lower_chunk_cat(at *l) {
  ten_value **list;
  const size_t count = at_ts(l, "tensors", &list);
  const int64_t chunks = at_int(l, "num_chunks", 1);
  at_check(l, count && chunks > 0, "no chunks");
  const int64_t dim = at_dim_arg(l, "dim", 0, at_rank(list[0]));
  for (size_t i = 0; i < count; i++) {
    ten_value *x = list[i];
    at_check(l, at_rank(x) > dim, "too few dimensions");
    const int64_t size = at_dim(l, x, dim), each = (size + chunks - 1) / chunks;
    x = at_pad(l, x, dim, 0, each * chunks - size, 0, 0);
    int64_t dims[AT_DIMS], rest = each;
    for (int64_t k = 0; k < dim; k++) dims[k] = at_dim(l, x, k);
    for (uint32_t k = (uint32_t)dim + 1; k < at_rank(x); k++) rest *= at_dim(l, x, k);
    dims[dim] = chunks, dims[dim + 1] = rest;
    list[i] = at_reshape(l, x, (uint32_t)dim + 2, dims);
  }
  at_ret(l, 0, at_cat(l, count, list, dim + 1));
}

static void lower_flatten_all(at *l) {
  ten_value **list;
  const size_t count = at_ts(l, "tensors", &list);
  at_check(l, count, "no tensors");
  for (size_t i = 0; i < count; i++) list[i] = at_flatten(l, list[i]);
  at_ret(l, 0, at_cat(l, count, list, 0));
}

const at_row at_rows_composite[] = {
    {"kron", lower_kron},
    {"trapezoid", lower_trapezoid},
    {"trapz", lower_trapezoid},
    {"cumulative_trapezoid", lower_trapezoid, .code = 1},
    {"linalg_vecdot", lower_vecdot},
    {"chain_matmul", lower_chain_matmul},
    {"sum_to_size", lower_sum_to_size},
    {"combinations", lower_combinations},
    {"pad_sequence", lower_pad_sequence},
    {"norm_except_dim", lower_norm_except},
    {"_chunk_cat", lower_chunk_cat},
    {"flatten_dense_tensors", lower_flatten_all},
    {"fake_quantize_per_tensor_affine", lower_fake_quantize},
    {"fake_quantize_per_tensor_affine_cachemask", lower_fake_quantize},
    {"_fake_quantize_per_tensor_affine_cachemask_tensor_qparams", lower_fake_quantize, .code = 2},
    {"fake_quantize_per_channel_affine", lower_fake_quantize, .code = 1},
    {"fake_quantize_per_channel_affine_cachemask", lower_fake_quantize, .code = 1},
    {NULL}};
