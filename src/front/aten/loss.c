/* loss.c: losses and distances. "reduction" is 0 none, 1 mean, 2 sum. */
#include "front/aten/lower.h"

static ten_value *reduced(at *l, ten_value *loss) {
  const int64_t how = at_int(l, "reduction", 1);
  int64_t dims[AT_DIMS];
  for (uint32_t i = 0; i < at_rank(loss); i++) dims[i] = i;
  if (how == 0) return loss;
  return how == 1 ? at_mean(l, loss, at_rank(loss), dims, false) : at_sum(l, loss, at_rank(loss), dims, false);
}

/* All operands in their common type with a float. */
static void make_floats(at *l, size_t count, ten_value **const *xs) {
  ten_dtype dtype = TEN_DTYPE_NONE;
  for (size_t i = 0; i < count; i++) dtype = at_promote(dtype, at_type(*xs[i]));
  for (size_t i = 0; i < count; i++) *xs[i] = at_cast(l, *xs[i], at_float_type(dtype));
}

static void lower_mse(at *l) {
  ten_value *a, *b;
  at_pair(l, "self", "target", false, &a, &b);
  ten_value *gap = at_sub(l, a, b);
  at_ret(l, 0, reduced(l, at_mul(l, gap, gap)));
}

static void lower_l1(at *l) {
  ten_value *a, *b;
  at_pair(l, "self", "target", false, &a, &b);
  at_ret(l, 0, reduced(l, at_un(l, TEN_OP_ABS, at_sub(l, a, b))));
}

/* code 1: huber, whose slope is delta */
static void lower_smooth_l1(at *l) {
  ten_value *a, *b;
  at_pair(l, "self", "target", false, &a, &b);
  const double beta = at_float(l, l->row->code ? "delta" : "beta", 1);
  ten_value *gap = at_un(l, TEN_OP_ABS, at_sub(l, a, b));
  if (beta == 0) {
    at_ret(l, 0, reduced(l, gap));
    return;
  }
  ten_value *small = at_cmp(l, l->row->code ? TEN_LE : TEN_LT, gap, at_num(l, gap, beta));
  ten_value *square = at_muln(l, at_mul(l, gap, gap), l->row->code ? 0.5 : 0.5 / beta);
  ten_value *linear = at_muln(l, at_addn(l, gap, -0.5 * beta), l->row->code ? beta : 1);
  at_ret(l, 0, reduced(l, at_sel(l, small, square, linear)));
}

static void assert_probability(at *l, ten_value *x, const char *name) {
  at_assert(l, at_and(l, at_cmp(l, TEN_GE, x, at_num(l, x, 0)), at_cmp(l, TEN_LE, x, at_num(l, x, 1))), "RuntimeError",
            "all elements of %s should be between 0 and 1", name);
}

static void lower_bce(at *l) {
  ten_value *x = at_t(l, "self"), *y = at_cast(l, at_t(l, "target"), at_type(x)), *weight = at_topt(l, "weight"),
            *one = at_num(l, x, 1), *floor_ = at_num(l, x, -100);
  assert_probability(l, x, "input");
  assert_probability(l, y, "target");
  ten_value *loss =
      at_neg(l, at_add(l, at_mul(l, y, at_max(l, at_log(l, x), floor_)),
                       at_mul(l, at_sub(l, one, y), at_max(l, at_un(l, TEN_OP_LOG_PLUS_ONE, at_neg(l, x)), floor_))));
  if (weight) loss = at_mul(l, loss, weight);
  at_ret(l, 0, reduced(l, loss));
}

static void lower_bce_logits(at *l) {
  ten_value *x = at_t(l, "self"), *y = at_cast(l, at_t(l, "target"), at_type(x)), *weight = at_topt(l, "weight"),
            *positive = at_topt(l, "pos_weight"), *one = at_num(l, x, 1);
  ten_value *log_sigmoid = at_neg(l, at_softplus(l, at_neg(l, x))), *loss;
  if (positive) {
    ten_value *scale = at_add(l, at_mul(l, at_sub(l, positive, one), y), one);
    loss = at_sub(l, at_mul(l, at_sub(l, one, y), x), at_mul(l, scale, log_sigmoid));
  } else {
    loss = at_sub(l, at_mul(l, at_sub(l, one, y), x), log_sigmoid);
  }
  if (weight) loss = at_mul(l, loss, weight);
  at_ret(l, 0, reduced(l, loss));
}

static void lower_soft_margin(at *l) {
  ten_value *x = at_t(l, "self"), *y = at_t(l, "target");
  at_ret(l, 0, reduced(l, at_softplus(l, at_neg(l, at_mul(l, x, y)))));
}

static void lower_kl_div(at *l) {
  ten_value *x = at_t(l, "self"), *y = at_t(l, "target"), *loss;
  if (at_bool(l, "log_target", false))
    loss = at_mul(l, at_exp(l, y), at_sub(l, y, x));
  else {
    ten_value *zero = at_num(l, y, 0), *term = at_sel(l, at_cmp(l, TEN_EQ, y, zero), zero, at_mul(l, y, at_log(l, y)));
    loss = at_sub(l, at_sel(l, at_isnan(l, y), y, term), at_mul(l, y, x));
  }
  at_ret(l, 0, reduced(l, loss));
}

static void lower_poisson_nll(at *l) {
  ten_value *x = at_t(l, "input"), *y = at_t(l, "target"), *loss;
  make_floats(l, 2, (ten_value * *const[]){&x, &y});
  if (at_bool(l, "log_input", true))
    loss = at_sub(l, at_exp(l, x), at_mul(l, y, x));
  else
    loss = at_sub(l, x, at_mul(l, y, at_log(l, at_addn(l, x, at_float(l, "eps", 1e-8)))));
  if (at_bool(l, "full", false)) {
    ten_value *stirling = at_add(l, at_sub(l, at_mul(l, y, at_log(l, y)), y),
                                 at_muln(l, at_log(l, at_muln(l, y, 6.283185307179586)), 0.5));
    loss = at_add(l, loss, at_sel(l, at_cmp(l, TEN_LE, y, at_num(l, y, 1)), at_num(l, y, 0), stirling));
  }
  at_ret(l, 0, reduced(l, loss));
}

/* ---- negative log likelihood ---- */
typedef struct picked {
  ten_value *loss, *weight; /* of each element, in the shape of the target */
  ten_value *total;         /* Σ weight */
} picked;

/* log-probabilities [n, c, …] or [c], target [n, …] or [] */
static picked nll_pick(at *l, ten_value *x, ten_value *target, ten_value *class_weight, int64_t ignore) {
  const int64_t dim = at_rank(x) == 1 ? 0 : 1;
  target = at_cast(l, target, TEN_I64);
  ten_value *skip = at_cmp(l, TEN_EQ, target, ten_build_scalar_int(&l->b, TEN_I64, ignore));
  ten_value *safe = at_sel(l, skip, at_const(l, TEN_I64, 0), target);
  at_assert_range(l, safe, 0, at_dim(l, x, dim), "IndexError", "Target {} is out of bounds: there are %lld classes",
                  (long long)at_dim(l, x, dim));
  ten_value *wide = at_unsqueeze(l, safe, at_rank(x) == 1 ? 0 : dim);
  ten_value *chosen = at_gather(l, x, wide, dim);
  chosen = at_reshape(l, chosen, at_rank(target), at_dims(target));
  ten_value *weight =
      class_weight ? at_reshape(l, at_take(l, class_weight, at_flatten(l, safe), 0), at_rank(target), at_dims(target))
                   : at_full(l, at_type(x), at_rank(target), at_dims(target), 1);
  weight = at_sel(l, skip, at_num(l, x, 0), at_cast(l, weight, at_type(x)));
  ten_value *loss = at_sel(l, skip, at_num(l, x, 0), at_neg(l, at_mul(l, chosen, weight)));
  int64_t dims[AT_DIMS];
  for (uint32_t i = 0; i < at_rank(target); i++) dims[i] = i;
  return (picked){loss, weight, at_sum(l, weight, at_rank(target), dims, false)};
}

static ten_value *nll_reduce(at *l, picked p) {
  const int64_t how = at_int(l, "reduction", 1);
  int64_t dims[AT_DIMS];
  for (uint32_t i = 0; i < at_rank(p.loss); i++) dims[i] = i;
  if (how == 0) return p.loss;
  ten_value *sum = at_sum(l, p.loss, at_rank(p.loss), dims, false);
  return how == 1 ? at_div(l, sum, p.total) : sum;
}

static void lower_nll(at *l) {
  ten_value *x = at_t(l, "self");
  const picked p = nll_pick(l, x, at_t(l, "target"), at_topt(l, "weight"), at_int_any(l, "ignore_index", -100));
  at_ret(l, 0, nll_reduce(l, p));
  at_ret(l, 1, at_int(l, "reduction", 1) == 0 ? at_const(l, at_type(x), 0) : p.total);
}

static void lower_cross_entropy(at *l) {
  ten_value *x = at_t(l, "self"), *target = at_t(l, "target"), *weight = at_topt(l, "weight");
  const int64_t dim = at_rank(x) == 1 ? 0 : 1, classes = at_dim(l, x, dim), how = at_int(l, "reduction", 1);
  const double smoothing = at_float(l, "label_smoothing", 0);
  ten_value *logs = at_softmax(l, x, dim, true);
  if (at_is_float(target)) { /* probabilities */
    if (smoothing > 0) target = at_addn(l, at_muln(l, target, 1 - smoothing), smoothing / (double)classes);
    ten_value *loss = at_neg(l, at_mul(l, logs, target));
    if (weight) loss = at_mul(l, loss, at_along(l, weight, at_rank(x), dim));
    loss = at_sum(l, loss, 1, &dim, false);
    int64_t dims[AT_DIMS];
    for (uint32_t i = 0; i < at_rank(loss); i++) dims[i] = i;
    if (how == 0)
      at_ret(l, 0, loss);
    else {
      ten_value *sum = at_sum(l, loss, at_rank(loss), dims, false);
      const double n = (double)at_count(loss);
      at_ret(l, 0, how == 1 ? at_div(l, sum, at_num(l, sum, n)) : sum);
    }
    return;
  }
  const int64_t ignore = at_int_any(l, "ignore_index", -100);
  const picked p = nll_pick(l, logs, target, weight, ignore);
  ten_value *loss = nll_reduce(l, p);
  if (smoothing > 0) {
    ten_value *each = weight ? at_mul(l, logs, at_along(l, weight, at_rank(x), dim)) : logs;
    ten_value *smooth = at_neg(l, at_sum(l, each, 1, &dim, false));
    ten_value *skip = at_cmp(l, TEN_EQ, at_cast(l, target, TEN_I64), ten_build_scalar_int(&l->b, TEN_I64, ignore));
    smooth = at_sel(l, skip, at_num(l, smooth, 0), smooth);
    int64_t dims[AT_DIMS];
    for (uint32_t i = 0; i < at_rank(smooth); i++) dims[i] = i;
    if (how) {
      ten_value *sum = at_sum(l, smooth, at_rank(smooth), dims, false);
      ten_value *live = at_sum(l, at_cast(l, at_not(l, skip), at_type(x)), at_rank(smooth), dims, false);
      smooth = how == 1 ? at_div(l, sum, weight ? p.total : live) : sum;
    }
    loss = at_add(l, at_muln(l, loss, 1 - smoothing), at_muln(l, smooth, smoothing / (double)classes));
  }
  at_ret(l, 0, loss);
}

static void lower_margin_ranking(at *l) {
  ten_value *a = at_t(l, "input1"), *b = at_t(l, "input2"), *y = at_t(l, "target");
  make_floats(l, 3, (ten_value * *const[]){&a, &b, &y});
  ten_value *loss = at_addn(l, at_neg(l, at_mul(l, y, at_sub(l, a, b))), at_float(l, "margin", 0));
  at_ret(l, 0, reduced(l, at_relu(l, loss)));
}

static void lower_hinge_embedding(at *l) {
  ten_value *x = at_t(l, "self"), *y = at_t(l, "target"), *zero = at_num(l, x, 0);
  ten_value *margin = at_relu(l, at_addn(l, at_neg(l, x), at_float(l, "margin", 1)));
  ten_value *apart = at_sel(l, at_cmp(l, TEN_EQ, y, at_num(l, y, 1)), zero, margin),
            *near = at_sel(l, at_cmp(l, TEN_EQ, y, at_num(l, y, -1)), zero, x);
  at_ret(l, 0, reduced(l, at_add(l, apart, near)));
}

static ten_value *cosine(at *l, ten_value *a, ten_value *b, int64_t dim, double eps, bool squared) {
  uint32_t rank;
  int64_t dims[AT_DIMS];
  at_broadcast_dims(l, a, b, &rank, dims);
  a = at_expand(l, a, rank, dims), b = at_expand(l, b, rank, dims);
  dim = at_wrap(l, dim, rank);
  ten_value *dot = at_sum(l, at_mul(l, a, b), 1, &dim, false), *aa = at_sum(l, at_mul(l, a, a), 1, &dim, false),
            *bb = at_sum(l, at_mul(l, b, b), 1, &dim, false);
  if (squared) return at_div(l, dot, at_sqrt(l, at_mul(l, at_addn(l, aa, eps), at_addn(l, bb, eps))));
  return at_div(
      l, dot, at_mul(l, at_max(l, at_sqrt(l, aa), at_num(l, aa, eps)), at_max(l, at_sqrt(l, bb), at_num(l, bb, eps))));
}

static void lower_cosine_similarity(at *l) {
  ten_value *a, *b;
  at_pair(l, "x1", "x2", true, &a, &b);
  at_ret(l, 0, cosine(l, a, b, at_int(l, "dim", 1), at_float(l, "eps", 1e-8), false));
}

static void lower_cosine_embedding(at *l) {
  ten_value *a = at_t(l, "input1"), *b = at_t(l, "input2"), *y = at_t(l, "target");
  const ten_dtype dtype = at_float_type(at_promote(at_type(a), at_type(b)));
  ten_value *cos_ = cosine(l, at_cast(l, a, dtype), at_cast(l, b, dtype), at_rank(y) ? 1 : 0, 1e-8, true),
            *zero = at_num(l, cos_, 0);
  cos_ = cosine(l, at_cast(l, a, dtype), at_cast(l, b, dtype), at_rank(y) ? 1 : 0, 9.9999999747524270787835121155e-13,
                true);
  ten_value *same = at_sel(l, at_cmp(l, TEN_EQ, y, at_num(l, y, 1)), at_addn(l, at_neg(l, cos_), 1), zero);
  ten_value *other =
      at_sel(l, at_cmp(l, TEN_EQ, y, at_num(l, y, -1)), at_relu(l, at_addn(l, cos_, -at_float(l, "margin", 0))), zero);
  at_ret(l, 0, reduced(l, at_add(l, same, other)));
}

/* ‖gap‖ₚ along the last dimension. */
static ten_value *p_norm(at *l, ten_value *gap, double p) {
  const int64_t last = (int64_t)at_rank(gap) - 1;
  gap = at_un(l, TEN_OP_ABS, gap);
  if (p == 0) return at_sum(l, at_cast(l, at_cmp(l, TEN_NE, gap, at_num(l, gap, 0)), at_type(gap)), 1, &last, false);
  if (isinf(p)) return at_reduce(l, TEN_OP_MAXIMUM, gap, 1, &last, false);
  if (p == 1) return at_sum(l, gap, 1, &last, false);
  if (p == 2) return at_sqrt(l, at_sum(l, at_mul(l, gap, gap), 1, &last, false));
  return at_bin(l, TEN_OP_POWER, at_sum(l, at_bin(l, TEN_OP_POWER, gap, at_num(l, gap, p)), 1, &last, false),
                at_num(l, gap, 1 / p));
}

static void lower_pairwise_distance(at *l) {
  ten_value *a, *b;
  at_pair(l, "x1", "x2", true, &a, &b);
  ten_value *d = p_norm(l, at_addn(l, at_sub(l, a, b), at_float(l, "eps", 1e-6)), at_float(l, "p", 2));
  at_ret(l, 0, at_bool(l, "keepdim", false) ? at_unsqueeze(l, d, at_rank(d)) : d);
}

static void lower_cdist(at *l) {
  ten_value *a = at_t(l, "x1"), *b = at_t(l, "x2");
  at_check(l, at_rank(a) >= 2 && at_rank(b) >= 2, "points are rows of a matrix");
  ten_value *gap = at_sub(l, at_unsqueeze(l, a, at_rank(a) - 1), at_unsqueeze(l, b, at_rank(b) - 2));
  at_ret(l, 0, p_norm(l, gap, at_float(l, "p", 2)));
}

int64_t at_point_pairs(at *l, ten_value *points, ten_value *ends[2]) {
  at_check(l, at_rank(points) == 2, "points are rows of a matrix, not of a tensor of rank %u", at_rank(points));
  const int64_t n = at_dim(l, points, 0);
  if (n >= 1 << 14)
    at_fail(l, TEN_LIMIT, "%lld points; the pairs of at most %d are listed", (long long)n, (1 << 14) - 1);
  const int64_t pairs = n ? n * (n - 1) / 2 : 0;
  int64_t *list = at_new_array(l, int64_t, (size_t)pairs * 2 + 1), k = 0;
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = i + 1; j < n; j++, k++) list[k] = i, list[pairs + k] = j;
  for (int e = 0; e < 2; e++) ends[e] = pairs ? ten_build_i64s(&l->b, (size_t)pairs, list + e * pairs) : NULL;
  return pairs;
}

static void lower_pdist(at *l) {
  ten_value *x = at_t(l, "self"), *ends[2];
  const int64_t pairs = at_point_pairs(l, x, ends);
  if (!pairs)
    at_ret(l, 0, at_full(l, at_type(x), 1, &pairs, 0));
  else
    at_ret(l, 0, p_norm(l, at_sub(l, at_take(l, x, ends[0], 0), at_take(l, x, ends[1], 0)), at_float(l, "p", 2)));
}

static void lower_triplet(at *l) {
  ten_value *a = at_t(l, "anchor"), *p = at_t(l, "positive"), *n = at_t(l, "negative");
  make_floats(l, 3, (ten_value * *const[]){&a, &p, &n});
  const double norm = at_float(l, "p", 2), eps = at_float(l, "eps", 1e-6);
  ten_value *near = p_norm(l, at_addn(l, at_sub(l, a, p), eps), norm),
            *far = p_norm(l, at_addn(l, at_sub(l, a, n), eps), norm);
  if (at_bool(l, "swap", false)) far = at_min(l, far, p_norm(l, at_addn(l, at_sub(l, p, n), eps), norm));
  at_ret(l, 0, reduced(l, at_relu(l, at_addn(l, at_sub(l, near, far), at_float(l, "margin", 1)))));
}

static void lower_multi_margin(at *l) {
  ten_value *x = at_t(l, "self"), *y = at_cast(l, at_t(l, "target"), TEN_I64), *weight = at_topt(l, "weight");
  const double p = at_float(l, "p", 1), margin = at_float(l, "margin", 1);
  const bool single = at_rank(x) < 2;
  if (single) x = at_reshape(l, x, 2, (const int64_t[]){1, at_count(x)}), y = at_flatten(l, y);
  const int64_t last = 1;
  at_assert_range(l, y, 0, at_dim(l, x, 1), "RuntimeError", "target {} is out of range: there are %lld classes",
                  (long long)at_dim(l, x, 1));
  ten_value *index = at_unsqueeze(l, y, 1), *right = at_gather(l, x, index, 1);
  ten_value *z = at_relu(l, at_addn(l, at_sub(l, x, right), margin));
  if (p == 2) z = at_mul(l, z, z);
  if (weight) z = at_mul(l, z, at_unsqueeze(l, at_take(l, weight, y, 0), 1));
  ten_value *own = at_cmp(l, TEN_EQ, at_iota(l, TEN_I64, 2, at_dims_first(l, x, 2), 1), index);
  z = at_sel(l, own, at_num(l, z, 0), z);
  ten_value *loss = at_div(l, at_sum(l, z, 1, &last, false), at_num(l, z, (double)at_dim(l, x, 1)));
  at_ret(l, 0, reduced(l, single ? at_reshape(l, loss, 0, NULL) : loss));
}

const at_row at_rows_loss[] = {{"mse_loss", lower_mse},
                               {"l1_loss", lower_l1},
                               {"smooth_l1_loss", lower_smooth_l1},
                               {"huber_loss", lower_smooth_l1, .code = 1},
                               {"binary_cross_entropy", lower_bce},
                               {"binary_cross_entropy_with_logits", lower_bce_logits},
                               {"soft_margin_loss", lower_soft_margin},
                               {"kl_div", lower_kl_div},
                               {"poisson_nll_loss", lower_poisson_nll},
                               {"nll_loss", lower_nll},
                               {"nll_loss_nd", lower_nll},
                               {"nll_loss_forward", lower_nll},
                               {"nll_loss2d", lower_nll},
                               {"nll_loss2d_forward", lower_nll},
                               {"cross_entropy_loss", lower_cross_entropy},
                               {"margin_ranking_loss", lower_margin_ranking},
                               {"hinge_embedding_loss", lower_hinge_embedding},
                               {"cosine_similarity", lower_cosine_similarity},
                               {"cosine_embedding_loss", lower_cosine_embedding},
                               {"pairwise_distance", lower_pairwise_distance},
                               {"cdist", lower_cdist},
                               {"_cdist_forward", lower_cdist},
                               {"_euclidean_dist", lower_cdist},
                               {"pdist", lower_pdist},
                               {"_pdist_forward", lower_pdist},
                               {"triplet_margin_loss", lower_triplet},
                               {"multi_margin_loss", lower_multi_margin},
                               {NULL}};
