/* reduce.c: sums, means, extrema, norms and softmax along dimensions. Half types are summed in f32. */
#include "front/aten/lower.h"
#include "ir/ten.h"

ten_value *at_lowest(at *l, ten_dtype dtype) {
  at_check(l, !ten_dtype_is_complex(dtype), "complex elements cannot be ordered");
  if (dtype == TEN_I1) return at_const(l, dtype, 0);
  if (ten_dtype_is_float(dtype)) return at_const(l, dtype, -INFINITY);
  if (ten_dtype_class(dtype) == TEN_CLASS_UINT) return at_const(l, dtype, 0);
  const unsigned bits = ten_dtype_bits(dtype);
  return ten_build_scalar_int(&l->b, dtype, bits == 64 ? INT64_MIN : -((int64_t)1 << (bits - 1)));
}

ten_value *at_highest(at *l, ten_dtype dtype) {
  at_check(l, !ten_dtype_is_complex(dtype), "complex elements cannot be ordered");
  switch (dtype) {
    case TEN_F64: return at_const(l, dtype, 1.7976931348623157e308);
    case TEN_F32: return at_const(l, dtype, 3.4028234663852886e38);
    case TEN_BF16: return at_const(l, dtype, 3.3895313892515355e38);
    case TEN_F16: return at_const(l, dtype, 65504);
    case TEN_I1: return at_const(l, dtype, 1);
    default: break;
  }
  const unsigned bits = ten_dtype_bits(dtype);
  if (ten_dtype_class(dtype) == TEN_CLASS_UINT)
    return ten_build_scalar_int(&l->b, dtype, bits == 64 ? -1 : ((int64_t)1 << bits) - 1);
  return ten_build_scalar_int(&l->b, dtype, bits == 64 ? INT64_MAX : ((int64_t)1 << (bits - 1)) - 1);
}

static ten_value *identity_of(at *l, ten_opcode code, ten_dtype dtype) {
  switch (code) {
    case TEN_OP_MULTIPLY:
    case TEN_OP_AND: return at_const(l, dtype, 1);
    case TEN_OP_MAXIMUM: return at_lowest(l, dtype);
    case TEN_OP_MINIMUM: return ten_dtype_is_float(dtype) ? at_const(l, dtype, INFINITY) : at_highest(l, dtype);
    default: return at_const(l, dtype, 0);
  }
}

ten_value *at_reduce(at *l, ten_opcode code, ten_value *x, uint32_t count, const int64_t *dims, bool keep) {
  int64_t kept[AT_DIMS];
  for (uint32_t i = 0; i < at_rank(x); i++) kept[i] = at_dim(l, x, i);
  for (uint32_t i = 0; i < count; i++) {
    (void)at_dim(l, x, dims[i]); /* nonzero */
    kept[dims[i]] = 1;
  }
  ten_value *y = count ? ten_build_reduce(&l->b, code, x, identity_of(l, code, at_type(x)), count, dims) : x;
  return keep ? at_reshape(l, y, at_rank(x), kept) : y;
}

ten_value *at_sum(at *l, ten_value *x, uint32_t count, const int64_t *dims, bool keep) {
  const ten_dtype dtype = at_type(x);
  return at_cast(l, at_reduce(l, TEN_OP_ADD, at_cast(l, x, at_acc_type(dtype)), count, dims, keep), dtype);
}

ten_dtype at_wide_type(const ten_value *x) {
  enum { SMALL = 1 << 13 };
  const ten_dtype dtype = at_type(x);
  return dtype == TEN_F32 && (uint64_t)at_count(x) <= SMALL ? TEN_F64 : at_acc_type(dtype);
}

static double size_of(at *l, const ten_value *x, uint32_t count, const int64_t *dims) {
  double n = 1;
  for (uint32_t i = 0; i < count; i++) n *= (double)at_dim(l, x, dims[i]);
  return n;
}

ten_value *at_mean(at *l, ten_value *x, uint32_t count, const int64_t *dims, bool keep) {
  const ten_dtype dtype = at_type(x);
  ten_value *sum = at_reduce(l, TEN_OP_ADD, at_cast(l, x, at_acc_type(dtype)), count, dims, keep);
  return at_cast(l, at_div(l, sum, at_num(l, sum, size_of(l, x, count, dims))), dtype);
}

/* The maximum of each row, for a softmax: the result does not depend on it, so no gradient goes through it. */
ten_value *at_shift(at *l, ten_value *x, int64_t dim) {
  ten_value *top = at_reduce(l, TEN_OP_MAXIMUM, x, 1, &dim, true);
  ten_op *op = top->op;
  while (op && op->code == TEN_OP_RESHAPE) op = ten_op_operand(op, 0)->op;
  if (op && op->code == TEN_OP_REDUCE && l->options->training)
    ten_own_attr_set(l->b.module, op, TEN_NAME_SHIFT, ten_attr_unit(l->b.module));
  return top;
}

ten_value *at_softmax(at *l, ten_value *x, int64_t dim, bool log) {
  const ten_dtype dtype = at_type(x);
  if (!at_rank(x)) return at_full(l, dtype, 0, NULL, log ? 0 : 1);
  x = at_cast(l, x, at_acc_type(dtype));
  ten_value *shifted = at_sub(l, x, at_shift(l, x, dim));
  ten_value *exps = at_exp(l, shifted), *sum = at_reduce(l, TEN_OP_ADD, exps, 1, &dim, true);
  return at_cast(l, log ? at_sub(l, shifted, at_log(l, sum)) : at_div(l, exps, sum), dtype);
}

/* ---- indices of extrema ---- */
typedef struct pick {
  at *l;
  bool largest;
} pick;

/* (value, index) of both: the better one, NaN first, the earlier of equals. */
static void pick_body(ten_builder *b, ten_value *const *args, void *context) {
  const pick *p = context;
  at *l = p->l;
  const ten_builder was = l->b;
  l->b = *b;
  ten_value *better = at_cmp(l, p->largest ? TEN_GT : TEN_LT, args[0], args[2]);
  ten_value *equal = at_cmp(l, TEN_EQ, args[0], args[2]);
  ten_value *earlier = at_cmp(l, TEN_LT, args[1], args[3]);
  if (at_is_float(args[0])) {
    ten_value *nan_a = at_isnan(l, args[0]), *nan_b = at_isnan(l, args[2]);
    better = at_or(l, at_and(l, better, at_not(l, nan_b)), at_and(l, nan_a, at_not(l, nan_b)));
    equal = at_or(l, equal, at_and(l, nan_a, nan_b));
  }
  ten_value *take = at_or(l, better, at_and(l, equal, earlier));
  ten_value *out[2] = {at_sel(l, take, args[0], args[2]), at_sel(l, take, args[1], args[3])};
  ten_build_return(&l->b, 2, out);
  l->b = was;
}

ten_value *at_arg_extreme(at *l, ten_value *x, int64_t dim, bool largest, ten_value **out_value) {
  if (!at_rank(x)) {
    if (out_value) *out_value = x;
    return at_const(l, TEN_I64, 0);
  }
  at_check(l, at_dim(l, x, dim) > 0, "no elements to choose from");
  const bool boolean = at_type(x) == TEN_I1;
  if (boolean) x = at_cast(l, x, TEN_I32);
  ten_value *xs[2] = {x, at_iota(l, TEN_I64, at_rank(x), at_dims(x), dim)};
  ten_value *inits[2] = {identity_of(l, largest ? TEN_OP_MAXIMUM : TEN_OP_MINIMUM, at_type(x)),
                         ten_build_scalar_int(&l->b, TEN_I64, INT64_MAX)};
  pick p = {l, largest};
  ten_op *op = ten_build_reduce_with(&l->b, 2, xs, inits, 1, &dim, pick_body, &p);
  if (out_value) *out_value = boolean ? at_cast(l, ten_op_result(op, 0), TEN_I1) : ten_op_result(op, 0);
  return ten_op_result(op, 1);
}

/* ---- lowerings ---- */
/* Dimensions of "dim" (all when omitted) and "keepdim". */
static uint32_t reduced(at *l, const ten_value *x, int64_t *dims, bool *keep) {
  *keep = at_bool(l, "keepdim", false);
  return at_dims_arg(l, "dim", at_rank(x), dims);
}

static bool are_one(at *l, const ten_value *x, uint32_t count, const int64_t *dims) {
  for (uint32_t i = 0; i < count; i++)
    if (at_dim(l, x, dims[i]) != 1) return false;
  return true;
}

static void lower_sum(at *l) {
  ten_value *x = at_t(l, "self");
  int64_t dims[AT_DIMS];
  bool keep;
  const ten_dtype own = at_is_float(x) || at_is_complex(x) ? at_type(x) : TEN_I64;
  x = at_cast(l, x, at_dtype(l, "dtype", own));
  const uint32_t count = reduced(l, x, dims, &keep);
  if (l->row->code && at_is_float(x)) x = at_sel(l, at_isnan(l, x), at_num(l, x, 0), x);
  const ten_dtype dtype = at_type(x), wide = are_one(l, x, count, dims) ? dtype : at_wide_type(x);
  at_ret(l, 0, at_cast(l, at_sum(l, at_cast(l, x, wide), count, dims, keep), dtype));
}

static void lower_mean(at *l) {
  ten_value *x = at_t(l, "self");
  int64_t dims[AT_DIMS];
  bool keep;
  x = at_cast(l, x, at_dtype(l, "dtype", at_type(x)));
  const uint32_t count = reduced(l, x, dims, &keep);
  if (!l->row->code) {
    at_ret(l, 0, at_mean(l, x, count, dims, keep));
    return;
  }
  ten_value *nan = at_isnan(l, x);
  ten_value *sum = at_sum(l, at_sel(l, nan, at_num(l, x, 0), x), count, dims, keep);
  at_ret(l, 0, at_div(l, sum, at_sum(l, at_cast(l, at_not(l, nan), at_type(x)), count, dims, keep)));
}

static void lower_prod(at *l) {
  ten_value *x = at_t(l, "self");
  const ten_dtype own = at_is_float(x) || at_is_complex(x) ? at_type(x) : TEN_I64;
  x = at_cast(l, x, at_dtype(l, "dtype", own));
  int64_t dims[AT_DIMS];
  bool keep;
  const uint32_t count = reduced(l, x, dims, &keep);
  at_ret(
      l, 0,
      at_cast(l, at_reduce(l, TEN_OP_MULTIPLY, at_cast(l, x, at_acc_type(at_type(x))), count, dims, keep), at_type(x)));
}

static ten_value *extreme_of(at *l, ten_opcode code, ten_value *x, uint32_t count, const int64_t *dims, bool keep) {
  if (at_type(x) == TEN_I1) code = code == TEN_OP_MAXIMUM ? TEN_OP_OR : TEN_OP_AND;
  return at_reduce(l, code, x, count, dims, keep);
}

static void lower_amax(at *l) {
  ten_value *x = at_t(l, "self");
  int64_t dims[AT_DIMS];
  bool keep;
  const uint32_t count = reduced(l, x, dims, &keep);
  at_ret(l, 0, extreme_of(l, (ten_opcode)l->row->code, x, count, dims, keep));
}

static void lower_aminmax(at *l) {
  ten_value *x = at_t(l, "self");
  int64_t dims[AT_DIMS];
  bool keep;
  const uint32_t count = reduced(l, x, dims, &keep);
  at_ret(l, 0, extreme_of(l, TEN_OP_MINIMUM, x, count, dims, keep));
  at_ret(l, 1, extreme_of(l, TEN_OP_MAXIMUM, x, count, dims, keep));
}

static void lower_max_dim(at *l) {
  ten_value *x = at_t(l, "self"), *value;
  const int64_t dim = at_dim_arg(l, "dim", 0, at_rank(x));
  ten_value *index = at_arg_extreme(l, x, dim, l->row->code == TEN_OP_MAXIMUM, &value);
  if (at_bool(l, "keepdim", false) && at_rank(x))
    value = at_unsqueeze(l, value, dim), index = at_unsqueeze(l, index, dim);
  at_ret(l, 0, value);
  at_ret(l, 1, index);
}

static void lower_argmax(at *l) {
  ten_value *x = at_t(l, "self");
  const uint32_t rank = at_rank(x);
  const bool keep = at_bool(l, "keepdim", false);
  if (!at_has(l, "dim")) {
    ten_value *index = at_arg_extreme(l, at_flatten(l, x), 0, l->row->code == TEN_OP_MAXIMUM, NULL);
    int64_t ones[AT_DIMS];
    for (uint32_t i = 0; i < rank; i++) ones[i] = 1;
    at_ret(l, 0, keep ? at_reshape(l, index, rank, ones) : index);
    return;
  }
  const int64_t dim = at_dim_arg(l, "dim", 0, rank);
  ten_value *index = at_arg_extreme(l, x, dim, l->row->code == TEN_OP_MAXIMUM, NULL);
  at_ret(l, 0, keep && rank ? at_unsqueeze(l, index, dim) : index);
}

static void lower_any(at *l) {
  ten_value *x = at_t(l, "self");
  const bool bytes = at_type(x) == TEN_UI8; /* the only type whose any and all keep it */
  int64_t dims[AT_DIMS];
  bool keep;
  const uint32_t count = reduced(l, x, dims, &keep);
  ten_value *y = at_reduce(l, (ten_opcode)l->row->code, at_cast(l, x, TEN_I1), count, dims, keep);
  at_ret(l, 0, bytes ? at_cast(l, y, TEN_UI8) : y);
}

static void lower_count_nonzero(at *l) {
  ten_value *x = at_cast(l, at_cast(l, at_t(l, "self"), TEN_I1), TEN_I64);
  int64_t dims[AT_DIMS];
  const uint32_t count = at_dims_arg(l, "dim", at_rank(x), dims);
  at_ret(l, 0, at_sum(l, x, count, dims, false));
}

static ten_value *variance(at *l, ten_value *x, uint32_t count, const int64_t *dims, bool keep, double correction,
                           ten_value **mean) {
  const ten_dtype dtype = at_type(x);
  x = at_cast(l, x, at_acc_type(dtype));
  ten_value *center = at_mean(l, x, count, dims, true), *gap = at_sub(l, x, center);
  ten_value *square = at_is_complex(x) ? at_mul(l, gap, at_un(l, TEN_OP_CHLO_CONJ, gap)) : at_mul(l, gap, gap);
  if (at_is_complex(x)) square = ten_build_part(&l->b, TEN_OP_REAL, square);
  ten_value *sum = at_reduce(l, TEN_OP_ADD, square, count, dims, keep);
  double n = size_of(l, x, count, dims) - correction;
  if (n < 0) n = 0;
  if (mean) *mean = at_cast(l, at_mean(l, x, count, dims, keep), dtype);
  return at_cast(l, at_div(l, sum, at_num(l, sum, n)), ten_dtype_part(dtype));
}

/* code: 1 square root, 2 with the mean */
static void lower_var(at *l) {
  ten_value *x = at_t(l, "self"), *mean;
  int64_t dims[AT_DIMS];
  bool keep;
  const uint32_t count = reduced(l, x, dims, &keep);
  double correction = at_has(l, "unbiased") ? at_bool(l, "unbiased", true) : 1;
  if (at_has(l, "correction")) correction = at_float(l, "correction", 1);
  ten_value *y = variance(l, x, count, dims, keep, correction, &mean);
  if (l->row->code & 1) y = at_sqrt(l, y);
  at_ret(l, 0, y);
  if (l->row->code & 2) at_ret(l, 1, mean);
}

static ten_value *magnitude(at *l, ten_value *x) {
  if (!at_is_complex(x)) return at_un(l, TEN_OP_ABS, x);
  const ten_type *type = ten_type_with_dtype(l->b.module, x->type, ten_dtype_part(at_type(x)));
  return ten_op_result(ten_build_op(&l->b, TEN_OP_ABS, 1, &x, 1, &type, 0, NULL, 0), 0);
}

/* x^e for x ≥ 0. At the ends of its range the slope is infinite or NaN; gradients there are 0, as in
 * PyTorch. */
static ten_value *power_of(at *l, ten_value *x, double e) {
  ten_value *none = at_num(l, x, 0), *all = at_num(l, x, INFINITY), *zero = at_cmp(l, TEN_EQ, x, none);
  ten_value *end = e > 0 ? zero : ten_build_binary(&l->b, TEN_OP_OR, zero, at_cmp(l, TEN_EQ, x, all));
  ten_value *safe = at_sel(l, end, at_num(l, x, 1), x);
  ten_value *y = e == 0.5 ? at_sqrt(l, safe) : at_bin(l, TEN_OP_POWER, safe, at_num(l, x, e));
  if (e < 0) y = at_sel(l, end, none, y);
  return at_sel(l, zero, e > 0 ? none : all, y);
}

static ten_value *vector_norm(at *l, ten_value *x, double p, uint32_t count, const int64_t *dims, bool keep) {
  const ten_dtype dtype = ten_dtype_part(at_type(x));
  x = magnitude(l, x);
  x = at_cast(l, x, at_acc_type(dtype));
  ten_value *y;
  if (isinf(p))
    y = at_reduce(l, p > 0 ? TEN_OP_MAXIMUM : TEN_OP_MINIMUM, x, count, dims, keep);
  else if (p == 0)
    y = at_reduce(l, TEN_OP_ADD, at_cast(l, at_cmp(l, TEN_NE, x, at_num(l, x, 0)), at_type(x)), count, dims, keep);
  else if (p == 1)
    y = at_reduce(l, TEN_OP_ADD, x, count, dims, keep);
  else if (p == 2)
    y = power_of(l, at_reduce(l, TEN_OP_ADD, at_mul(l, x, x), count, dims, keep), 0.5);
  else {
    x = p < 1 ? power_of(l, x, p) : at_bin(l, TEN_OP_POWER, x, at_num(l, x, p));
    y = power_of(l, at_reduce(l, TEN_OP_ADD, x, count, dims, keep), 1 / p);
  }
  return at_cast(l, y, dtype);
}

static void lower_norm(at *l) {
  ten_value *x = at_t(l, "self");
  x = at_cast(l, x, at_dtype(l, "dtype", at_float_type(at_type(x))));
  int64_t dims[AT_DIMS];
  bool keep;
  const uint32_t count = reduced(l, x, dims, &keep);
  at_ret(l, 0, vector_norm(l, x, at_float(l, l->row->code ? "ord" : "p", 2), count, dims, keep));
}

static void lower_logsumexp(at *l) {
  ten_value *x = at_t(l, "self");
  x = at_cast(l, x, at_float_type(at_type(x)));
  const ten_dtype dtype = at_type(x);
  x = at_cast(l, x, at_acc_type(dtype));
  int64_t dims[AT_DIMS];
  bool keep;
  const uint32_t count = reduced(l, x, dims, &keep);
  ten_value *top = at_reduce(l, TEN_OP_MAXIMUM, x, count, dims, true);
  top = at_sel(l, at_cmp(l, TEN_EQ, at_un(l, TEN_OP_ABS, top), at_num(l, top, INFINITY)), at_num(l, top, 0), top);
  ten_value *y = at_add(l, at_log(l, at_reduce(l, TEN_OP_ADD, at_exp(l, at_sub(l, x, top)), count, dims, true)), top);
  if (!keep) {
    ten_value *flat = at_reduce(l, TEN_OP_ADD, y, count, dims, false); /* every reduced size is 1 here */
    y = at_reshape(l, y, at_rank(flat), at_dims(flat));
  }
  at_ret(l, 0, at_cast(l, y, dtype));
}

static void lower_softmax(at *l) {
  ten_value *x = at_t(l, "self");
  ten_dtype dtype = at_dtype(l, "dtype", at_float_type(at_type(x)));
  if (at_bool(l, "half_to_float", false)) dtype = TEN_F32;
  x = at_cast(l, x, dtype);
  const int64_t dim = at_dim_arg(l, "dim", -1, at_rank(x));
  if (l->row->code & 2) x = at_neg(l, x);
  at_ret(l, 0, at_softmax(l, x, dim, l->row->code & 1));
}

/* Rows of only -inf become zeros. */
static void lower_safe_softmax(at *l) {
  ten_value *x = at_t(l, "self");
  x = at_cast(l, x, at_dtype(l, "dtype", at_type(x)));
  const int64_t dim = at_dim_arg(l, "dim", -1, at_rank(x));
  if (!at_rank(x)) {
    at_ret(l, 0, at_softmax(l, x, dim, false));
    return;
  }
  const ten_dtype dtype = at_type(x);
  x = at_cast(l, x, at_acc_type(dtype));
  ten_value *top = at_shift(l, x, dim), *empty = at_cmp(l, TEN_EQ, top, at_num(l, top, -INFINITY));
  ten_value *exps = at_exp(l, at_sub(l, x, at_sel(l, empty, at_num(l, top, 0), top)));
  ten_value *sum = at_reduce(l, TEN_OP_ADD, exps, 1, &dim, true);
  at_ret(l, 0, at_cast(l, at_div(l, exps, at_sel(l, empty, at_num(l, sum, 1), sum)), dtype));
}

static void lower_equal(at *l) {
  ten_value *a = at_t(l, "self"), *b = at_t(l, "other");
  ten_value *same = a->type == b->type ? at_cmp(l, TEN_EQ, a, b) : NULL;
  at_ref ref = {.kind = AT_BOOL};
  if (same) {
    int64_t zero = 0;
    ref.value = at_reduce(l, TEN_OP_AND, at_flatten(l, same), 1, &zero, false);
  }
  at_ret_ref(l, 0, ref);
}

static void lower_trace(at *l) {
  ten_value *x = at_t(l, "self");
  if (!at_is_float(x) && !at_is_complex(x)) x = at_cast(l, x, TEN_I64);
  ten_value *diagonal = at_cmp(l, TEN_EQ, at_iota(l, TEN_I32, 2, at_dims_first(l, x, 2), 0),
                               at_iota(l, TEN_I32, 2, at_dims_first(l, x, 2), 1));
  const int64_t dims[2] = {0, 1};
  at_ret(l, 0, at_sum(l, at_sel(l, diagonal, x, at_num(l, x, 0)), 2, dims, false));
}

const at_row at_rows_reduce[] = {{"sum", lower_sum},
                                 {"nansum", lower_sum, .code = 1},
                                 {"mean", lower_mean},
                                 {"nanmean", lower_mean, .code = 1},
                                 {"prod", lower_prod},
                                 {"amax", lower_amax, .code = TEN_OP_MAXIMUM},
                                 {"amin", lower_amax, .code = TEN_OP_MINIMUM},
                                 {"aminmax", lower_aminmax},
                                 {"_aminmax", lower_aminmax},
                                 {"max.default", lower_amax, .code = TEN_OP_MAXIMUM},
                                 {"min.default", lower_amax, .code = TEN_OP_MINIMUM},
                                 {"max.dim", lower_max_dim, .code = TEN_OP_MAXIMUM},
                                 {"min.dim", lower_max_dim, .code = TEN_OP_MINIMUM},
                                 {"argmax", lower_argmax, .code = TEN_OP_MAXIMUM},
                                 {"argmin", lower_argmax, .code = TEN_OP_MINIMUM},
                                 {"any", lower_any, .code = TEN_OP_OR},
                                 {"all", lower_any, .code = TEN_OP_AND},
                                 {"_is_any_true", lower_any, .code = TEN_OP_OR},
                                 {"_is_all_true", lower_any, .code = TEN_OP_AND},
                                 {"count_nonzero", lower_count_nonzero},
                                 {"var", lower_var},
                                 {"std", lower_var, .code = 1},
                                 {"var_mean", lower_var, .code = 2},
                                 {"std_mean", lower_var, .code = 3},
                                 {"norm", lower_norm},
                                 {"frobenius_norm", lower_norm},
                                 {"linalg_vector_norm", lower_norm, .code = 1},
                                 {"logsumexp", lower_logsumexp},
                                 {"special_logsumexp", lower_logsumexp},
                                 {"_softmax", lower_softmax},
                                 {"softmax", lower_softmax},
                                 {"special_softmax", lower_softmax},
                                 {"_log_softmax", lower_softmax, .code = 1},
                                 {"log_softmax", lower_softmax, .code = 1},
                                 {"special_log_softmax", lower_softmax, .code = 1},
                                 {"softmin", lower_softmax, .code = 2},
                                 {"_safe_softmax", lower_safe_softmax},
                                 {"equal", lower_equal},
                                 {"trace", lower_trace},
                                 {NULL}};
