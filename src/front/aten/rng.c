/* rng.c: counter-based random numbers. The state is two words, key and counter; each random op advances it,
 * so the same seed gives the same numbers on every device. Distributions match PyTorch's, the numbers do
 * not. */
#include "front/aten/lower.h"

/* The state with another key. */
static ten_value *state_apart(at *l, ten_value *state, uint64_t key) {
  const uint64_t words[2] = {key, 0};
  return at_add(l, state, ten_build_constant(&l->b, ten_attr_dense(l->b.module, state->type, words, sizeof words)));
}

ten_value *at_rng_state(at *l) {
  const uint64_t words[2] = {l->options->seed, 0};
  const int64_t two = 2;
  ten_value *state = l->rng;
  if (!state)
    state = ten_build_constant(
        &l->b, ten_attr_dense(l->b.module, ten_type_tensor(l->b.module, TEN_UI64, 1, &two), words, sizeof words));
  if (l->region_draws && !l->depth) { /* later ops draw other numbers than the region did */
    state = l->rng = state_apart(l, state, UINT64_C(0xd1b54a32d192ed03));
    l->region_draws = 0;
  }
  return state;
}

/* Random bits of an unsigned type. The state advances, except inside regions, where each op has its own key: a value
 * defined in a region must not be used outside it. */
static ten_value *bits(at *l, ten_dtype dtype, uint32_t rank, const int64_t *dims) {
  at_product(l, rank, dims);
  ten_value *state = at_rng_state(l);
  if (l->depth) state = state_apart(l, state, UINT64_C(0x9e3779b97f4a7c15) * ++l->region_draws);
  const ten_type *types[2] = {state->type, ten_type_tensor(l->b.module, dtype, rank, dims)};
  const ten_named_attr algorithm = {.name = TEN_STR("rng_algorithm"),
                                    .value = ten_attr_enum(l->b.module, TEN_ENUM_RNG_ALGORITHM, 1),
                                    .inherent = true};
  ten_op *op = ten_build_op(&l->b, TEN_OP_RNG_BIT_GENERATOR, 1, &state, 2, types, 1, &algorithm, 0);
  if (!l->depth) l->rng = ten_op_result(op, 0);
  l->rng_used = true;
  return ten_op_result(op, 1);
}

/* The top 24 (53) bits, scaled: every value is a multiple of 2⁻²⁴ (2⁻⁵³) and below 1. */
ten_value *at_uniform(at *l, ten_dtype dtype, uint32_t rank, const int64_t *dims) {
  const bool wide = dtype == TEN_F64;
  ten_value *raw = bits(l, wide ? TEN_UI64 : TEN_UI32, rank, dims);
  const unsigned keep = wide ? 53 : dtype == TEN_F16 ? 11 : dtype == TEN_BF16 ? 8 : 24;
  raw = at_bin(l, TEN_OP_SHIFT_RIGHT_LOGICAL, raw, at_num(l, raw, (wide ? 64 : 32) - keep));
  ten_value *real = at_cast(l, raw, wide ? TEN_F64 : TEN_F32);
  return at_cast(l, at_muln(l, real, ldexp(1, -(int)keep)), dtype);
}

/* Box–Muller, one of the two numbers. */
ten_value *at_normal(at *l, ten_dtype dtype, uint32_t rank, const int64_t *dims) {
  const ten_dtype wide = at_acc_type(dtype);
  ten_value *u = at_uniform(l, wide, rank, dims), *v = at_uniform(l, wide, rank, dims);
  ten_value *radius = at_sqrt(l, at_muln(l, at_un(l, TEN_OP_LOG_PLUS_ONE, at_neg(l, u)), -2));
  return at_cast(l, at_mul(l, radius, at_un(l, TEN_OP_COSINE, at_muln(l, v, 6.283185307179586))), dtype);
}

ten_value *at_dropout(at *l, ten_value *x, double p, ten_value **out_mask) {
  ten_value *mask = at_cmp(l, TEN_GE, at_uniform(l, TEN_F32, at_rank(x), at_dims(x)), at_const(l, TEN_F32, p));
  if (out_mask) *out_mask = mask;
  ten_value *scaled = p < 1 ? at_muln(l, x, 1 / (1 - p)) : x;
  return at_sel(l, mask, scaled, at_num(l, x, 0));
}

static const int64_t *shape_read(at *l, uint32_t *rank) {
  if (at_has(l, "size")) {
    const ten_ints size = at_ints(l, "size");
    at_check(l, size.count <= AT_MAX_RANK, "%zu dimensions", size.count);
    *rank = (uint32_t)size.count;
    return size.data;
  }
  ten_value *self = at_t(l, "self");
  *rank = at_rank(self);
  return at_dims(self);
}

static ten_dtype type_read(at *l) {
  const ten_type *declared = at_declared(l, 0);
  return declared ? declared->dtype : at_dtype(l, "dtype", TEN_F32);
}

static void lower_rand(at *l) {
  uint32_t rank;
  const int64_t *dims = shape_read(l, &rank);
  at_ret(l, 0, l->row->code ? at_normal(l, type_read(l), rank, dims) : at_uniform(l, type_read(l), rank, dims));
}

/* Integers in [low, high). */
static ten_value *integers(at *l, uint32_t rank, const int64_t *dims, int64_t low, int64_t high) {
  at_check(l, high > low, "no number from %lld up to %lld", (long long)low, (long long)high);
  const uint64_t span = (uint64_t)high - (uint64_t)low;
  ten_value *raw = bits(l, TEN_UI64, rank, dims);
  raw = at_bin(l, TEN_OP_REMAINDER, raw, ten_build_scalar_int(&l->b, TEN_UI64, (int64_t)span));
  return at_add(l, at_cast(l, raw, TEN_I64), ten_build_scalar_int(&l->b, TEN_I64, low));
}

static void lower_randint(at *l) {
  uint32_t rank;
  const int64_t *dims = shape_read(l, &rank);
  at_ret(l, 0, at_cast(l, integers(l, rank, dims, at_int_any(l, "low", 0), at_int_any(l, "high", 1)), type_read(l)));
}

/* random_: integers over the range that the type represents exactly. */
static void lower_random(at *l) {
  ten_value *x = at_t(l, "self");
  const ten_dtype dtype = at_type(x);
  int64_t low = at_int_any(l, "from", 0), high = at_int_any(l, "to",
                                                            dtype == TEN_I1     ? 2
                                                            : dtype == TEN_F32  ? 1 << 24
                                                            : dtype == TEN_F16  ? 1 << 11
                                                            : dtype == TEN_BF16 ? 1 << 8
                                                            : dtype == TEN_UI8  ? 256
                                                            : dtype == TEN_I8   ? 128
                                                            : dtype == TEN_I16  ? 32768
                                                            : dtype == TEN_I32  ? 2147483647
                                                                                : (int64_t)1 << 53);
  at_ret(l, 0, at_cast(l, integers(l, at_rank(x), at_dims(x), low, high), dtype));
}

static void lower_randperm(at *l) {
  const int64_t n = at_int(l, "n", 0);
  ten_value *values, *order;
  at_sort(l, at_uniform(l, TEN_F64, 1, &n), 0, false, &values, &order);
  at_ret(l, 0, at_cast(l, order, type_read(l)));
}

/* The in-place forms name it differently. */
static ten_value *dropped(at *l) { return at_t(l, at_has(l, "self") ? "self" : "input"); }

static void lower_dropout(at *l) {
  ten_value *x = dropped(l);
  const double p = at_float(l, "p", 0.5);
  const bool train = at_bool(l, "train", true);
  if (!train || p == 0) {
    at_ret(l, 0, x);
    at_ret(l, 1, at_full(l, TEN_I1, at_rank(x), at_dims(x), 1));
    return;
  }
  ten_value *mask, *y = at_dropout(l, x, p, &mask);
  at_ret(l, 0, y);
  at_ret(l, 1, mask);
}

static void lower_feature_dropout(at *l) {
  ten_value *x = dropped(l);
  const double p = at_float(l, "p", 0.5);
  if (!at_bool(l, "train", true) || p == 0) {
    at_ret(l, 0, x);
    return;
  }
  int64_t dims[AT_DIMS];
  for (uint32_t i = 0; i < at_rank(x); i++) dims[i] = i < 2 ? at_dim(l, x, i) : 1;
  ten_value *mask = at_cmp(l, TEN_GE, at_uniform(l, TEN_F32, at_rank(x), dims), at_const(l, TEN_F32, p));
  at_ret(l, 0, at_mul(l, x, at_muln(l, at_cast(l, mask, at_type(x)), p < 1 ? 1 / (1 - p) : 0)));
}

static void lower_alpha_dropout(at *l) {
  ten_value *x = dropped(l);
  const double p = at_float(l, "p", 0.5);
  if (!at_bool(l, "train", true) || p == 0) {
    at_ret(l, 0, x);
    return;
  }
  const double alpha = -1.7580993408473766, a = 1 / sqrt((alpha * alpha * p + 1) * (1 - p)), b = -a * alpha * p;
  ten_value *mask = at_cmp(l, TEN_GE, at_uniform(l, TEN_F32, at_rank(x), at_dims(x)), at_const(l, TEN_F32, p));
  ten_value *y = at_sel(l, mask, x, at_num(l, x, alpha));
  at_ret(l, 0, at_addn(l, at_muln(l, y, a), b));
}

/* bernoulli(self): self are probabilities; bernoulli(self, p): in the shape of self; bernoulli_(self, p = 0.5) too */
static void lower_bernoulli(at *l) {
  ten_value *x = at_t(l, "self");
  const at_ref p = at_arg(l, "p");
  const ten_dtype work = at_is_float(x) && at_type(x) == TEN_F64 ? TEN_F64 : TEN_F32;
  const bool even = p.kind == AT_NONE && ten_str_starts(l->op->name, "aten.bernoulli_.");
  ten_value *chance = even                ? at_const(l, work, 0.5)
                      : p.kind == AT_NONE ? at_cast(l, x, work)
                                          : at_ref_value(l, p, work);
  at_assert(l,
            at_and(l, at_cmp(l, TEN_GE, chance, at_num(l, chance, 0)), at_cmp(l, TEN_LE, chance, at_num(l, chance, 1))),
            "RuntimeError", "bernoulli: a probability is not between 0 and 1");
  at_ret(l, 0,
         at_cast(l, at_cmp(l, TEN_LT, at_uniform(l, work, at_rank(x), at_dims(x)), at_expand_like(l, chance, x)),
                 type_read(l)));
}

static void lower_normal(at *l) {
  uint32_t rank;
  int64_t dims[AT_DIMS];
  const ten_dtype dtype = type_read(l);
  const at_ref mean = at_arg(l, "mean"), std = at_arg(l, "std");
  ten_value *m = mean.kind == AT_NONE ? at_const(l, dtype, 0) : at_ref_value(l, mean, dtype);
  ten_value *s = std.kind == AT_NONE ? at_const(l, dtype, 1) : at_ref_value(l, std, dtype);
  if (!at_is_complex(s))
    at_assert(l, at_cmp(l, TEN_GE, s, at_num(l, s, 0)), "RuntimeError", "normal expects all elements of std >= 0.0");
  if (at_has(l, "size") || at_has(l, "self")) {
    const int64_t *shape = shape_read(l, &rank);
    for (uint32_t i = 0; i < rank; i++) dims[i] = shape[i];
  } else {
    at_broadcast_dims(l, m, s, &rank, dims);
  }
  at_ret(l, 0, at_add(l, at_mul(l, at_normal(l, dtype, rank, dims), s), m));
}

/* uniform(self, from, to) and the other in-place fillers. */
static void lower_uniform(at *l) {
  ten_value *x = at_t(l, "self");
  const double from = at_float(l, "from", 0), to = at_float(l, "to", 1);
  at_check(l, from <= to, "uniform_ expects to return a [from, to) range, but found from=%g > to=%g", from, to);
  at_ret(l, 0, at_addn(l, at_muln(l, at_uniform(l, at_type(x), at_rank(x), at_dims(x)), to - from), from));
}

static void lower_exponential(at *l) {
  ten_value *self = at_t(l, "self"), *x = at_cast(l, self, at_float_type(at_type(self)));
  ten_value *u = at_uniform(l, at_type(x), at_rank(x), at_dims(x));
  ten_value *e = at_neg(l, at_un(l, TEN_OP_LOG_PLUS_ONE, at_neg(l, u)));
  const ten_str name = l->op->name;
  if (ten_str_starts(name, "aten.cauchy")) {
    ten_value *y = at_un(l, TEN_OP_TAN, at_muln(l, at_addn(l, u, -0.5), 3.141592653589793));
    at_ret(l, 0, at_addn(l, at_muln(l, y, at_float(l, "sigma", 1)), at_float(l, "median", 0)));
  } else if (ten_str_starts(name, "aten.geometric")) {
    ten_value *y = at_un(l, TEN_OP_CEIL, at_div(l, e, at_num(l, x, -log1p(-at_float(l, "p", 0.5)))));
    at_ret(l, 0, at_cast(l, y, at_type(self)));
  } else if (ten_str_starts(name, "aten.log_normal")) {
    ten_value *n = at_normal(l, at_type(x), at_rank(x), at_dims(x));
    at_ret(l, 0, at_exp(l, at_addn(l, at_muln(l, n, at_float(l, "std", 2)), at_float(l, "mean", 1))));
  } else {
    at_ret(l, 0, at_div(l, e, at_num(l, x, at_float(l, "lambd", 1))));
  }
}

static void assert_weights(at *l, ten_value *p, int64_t last) {
  if (!l->checks) return;
  ten_value *zero = at_num(l, p, 0);
  at_assert(l, at_and(l, at_cmp(l, TEN_GE, p, zero), at_isfinite(l, p)), "RuntimeError",
            "probability tensor contains either `inf`, `nan` or element < 0");
  ten_value *most = at_reduce(l, TEN_OP_MAXIMUM, p, 1, &last, false);
  at_assert(l, at_cmp(l, TEN_GT, most, zero), "RuntimeError",
            "invalid multinomial distribution (sum of probabilities <= 0)");
}

/* Without replacement: the largest of log p + Gumbel noise; with: one such draw per sample. */
static void lower_multinomial(at *l) {
  ten_value *p = at_t(l, "self");
  const int64_t n = at_int(l, "num_samples", 1), last = (int64_t)at_rank(p) - 1;
  const ten_dtype dtype = at_acc_type(at_type(p));
  at_check(l, at_rank(p) == 1 || at_rank(p) == 2, "weights of rank %u; 1 or 2 is allowed", at_rank(p));
  at_check(l, n > 0, "cannot sample n_sample <= 0 samples: %lld", (long long)n);
  assert_weights(l, p, last);
  ten_value *logs = at_log(l, at_cast(l, p, dtype));
  if (at_bool(l, "replacement", false)) {
    int64_t dims[AT_DIMS];
    for (uint32_t i = 0; i < at_rank(p); i++) dims[i] = at_dim(l, p, i);
    dims[last] = n, dims[last + 1] = at_dim(l, p, last);
    ten_value *u = at_uniform(l, dtype, at_rank(p) + 1, dims);
    ten_value *noise = at_neg(l, at_log(l, at_neg(l, at_un(l, TEN_OP_LOG_PLUS_ONE, at_neg(l, u)))));
    at_ret(l, 0, at_arg_extreme(l, at_add(l, at_unsqueeze(l, logs, last), noise), last + 1, true, NULL));
    return;
  }
  ten_value *u = at_uniform(l, dtype, at_rank(p), at_dims(p)), *values, *order;
  ten_value *noise = at_neg(l, at_log(l, at_neg(l, at_un(l, TEN_OP_LOG_PLUS_ONE, at_neg(l, u)))));
  at_sort(l, at_add(l, logs, noise), last, true, &values, &order);
  at_ret(l, 0, at_slice(l, order, last, 0, n, 1));
}

const at_row at_rows_rng[] = {{"rand", lower_rand},
                              {"rand_like", lower_rand},
                              {"randn", lower_rand, .code = 1},
                              {"randn_like", lower_rand, .code = 1},
                              {"randint", lower_randint},
                              {"randint_like", lower_randint},
                              {"random", lower_random},
                              {"randperm", lower_randperm},
                              {"native_dropout", lower_dropout},
                              {"dropout", lower_dropout},
                              {"feature_dropout", lower_feature_dropout},
                              {"alpha_dropout", lower_alpha_dropout},
                              {"feature_alpha_dropout", lower_alpha_dropout},
                              {"bernoulli", lower_bernoulli},
                              {"normal", lower_normal},
                              {"normal_functional", lower_normal},
                              {"uniform", lower_uniform},
                              {"exponential", lower_exponential},
                              {"cauchy", lower_exponential},
                              {"geometric", lower_exponential},
                              {"log_normal", lower_exponential},
                              {"multinomial", lower_multinomial},
                              {NULL}};
