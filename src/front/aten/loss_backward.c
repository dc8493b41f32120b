/* loss_backward.c: margin losses over several labels, and gradients of margin losses and of distances.
 * "reduction" is 0 none, 1 mean, 2 sum. */
#include "front/aten/lower.h"

/* The gradient of the loss, one element per row: [n, 1], or rank 0. */
static ten_value *grad_rows(at *l) {
  ten_value *grad = at_t(l, "grad_output");
  return at_rank(grad) ? at_unsqueeze(l, grad, 1) : grad;
}

/* x as rows of classes, and the mean's factor 1/n. */
static ten_value *class_rows(at *l, ten_value *x, double *mean) {
  if (at_rank(x) < 2) x = at_reshape(l, x, 2, (const int64_t[]){1, at_count(x)});
  *mean = 1 / (double)(at_dim(l, x, 1) ? at_dim(l, x, 1) : 1);
  if (at_int(l, "reduction", 1) == 1 && at_dim(l, x, 0)) *mean /= (double)at_dim(l, x, 0);
  return x;
}

static void lower_multi_margin_backward(at *l) {
  ten_value *self = at_t(l, "self"), *weight = at_topt(l, "weight");
  const double p = at_float(l, "p", 1), margin = at_float(l, "margin", 1);
  const int64_t last = 1;
  double mean;
  ten_value *x = class_rows(l, self, &mean);
  ten_value *y = at_flatten(l, at_cast(l, at_t(l, "target"), TEN_I64)), *index = at_unsqueeze(l, y, 1);
  ten_value *own = at_cmp(l, TEN_EQ, at_iota(l, TEN_I64, 2, at_dims_first(l, x, 2), 1), index), *zero = at_num(l, x, 0);
  ten_value *z = at_addn(l, at_sub(l, x, at_gather(l, x, index, 1)), margin);
  ten_value *h = p == 2 ? at_muln(l, z, 2 * mean) : at_expand_like(l, at_num(l, x, mean), x);
  if (weight) h = at_mul(l, h, at_unsqueeze(l, at_take(l, weight, y, 0), 1));
  h = at_sel(l, at_and(l, at_cmp(l, TEN_GT, z, zero), at_not(l, own)), h, zero);
  h = at_sel(l, own, at_neg(l, at_sum(l, h, 1, &last, true)), h);
  at_ret(l, 0, at_reshape(l, at_mul(l, h, grad_rows(l)), at_rank(self), at_dims(self)));
}

/* Labels j of row n up to the first negative one, against classes k: [n, j, k]. */
typedef struct labels {
  ten_value *hot;    /* whether label j is class k */
  ten_value *is_any; /* whether class k is a label: [n, 1, k] */
  ten_value *excess; /* 1 - x[label j] + x[k] where j is a label and k is not, else 0 */
} labels;

static labels labels_read(at *l, ten_value *x, ten_value *target) {
  const int64_t n = at_dim(l, x, 0), c = at_dim(l, x, 1), cube[3] = {n, c, c}, one = 1, two = 2;
  target = at_reshape(l, at_cast(l, target, TEN_I64), 2, at_dims_first(l, x, 2));
  ten_value *zero = at_const(l, TEN_I64, 0), *stop = at_cast(l, at_cmp(l, TEN_LT, target, zero), TEN_I64);
  ten_value *valid = at_cmp(l, TEN_EQ, at_cumulate(l, TEN_OP_ADD, stop, 1), zero);
  ten_value *hot = at_and(l, at_cmp(l, TEN_EQ, at_unsqueeze(l, target, 2), at_iota(l, TEN_I64, 3, cube, 2)),
                          at_unsqueeze(l, valid, 2));
  ten_value *any = at_reduce(l, TEN_OP_OR, hot, 1, &one, true);
  ten_value *of_class = at_unsqueeze(l, x, 1), *none = at_num(l, x, 0);
  ten_value *of_label = at_sum(l, at_sel(l, hot, of_class, none), 1, &two, true);
  ten_value *excess = at_relu(l, at_addn(l, at_sub(l, of_class, of_label), 1));
  ten_value *counts = at_and(l, at_unsqueeze(l, valid, 2), at_not(l, any));
  return (labels){hot, any, at_sel(l, counts, excess, none)};
}

static void lower_multilabel_margin(at *l) {
  ten_value *self = at_t(l, "self"), *target = at_t(l, "target");
  const int64_t how = at_int(l, "reduction", 1), inner[2] = {1, 2}, zero = 0;
  double mean;
  ten_value *x = class_rows(l, self, &mean);
  const labels found = labels_read(l, x, target);
  ten_value *loss = at_muln(l, at_sum(l, found.excess, 2, inner, false), mean);
  if (how || at_rank(self) < 2) loss = at_sum(l, loss, 1, &zero, false);
  at_ret(l, 0, loss);
  if (l->result_count < 2) return; /* only the loss is used */
  at_ret(l, 1, at_cast(l, at_reshape(l, found.is_any, at_rank(target), at_dims(target)), at_type(self)));
}

static void lower_multilabel_margin_backward(at *l) {
  ten_value *self = at_t(l, "self");
  const int64_t one = 1, two = 2;
  double mean;
  ten_value *x = class_rows(l, self, &mean);
  const labels found = labels_read(l, x, at_t(l, "target"));
  ten_value *on = at_cast(l, at_cmp(l, TEN_GT, found.excess, at_num(l, x, 0)), at_type(x));
  ten_value *pushed = at_sum(l, on, 1, &one, false); /* the gradient of classes that are not labels */
  ten_value *pulled = at_mul(l, at_cast(l, found.hot, at_type(x)), at_sum(l, on, 1, &two, true));
  ten_value *y = at_muln(l, at_sub(l, pushed, at_sum(l, pulled, 1, &one, false)), mean);
  at_ret(l, 0, at_reshape(l, at_mul(l, y, grad_rows(l)), at_rank(self), at_dims(self)));
}

/* grad·∂‖gap‖ₚ/∂gap, where dist = ‖gap‖ₚ; 0 where dist is 0. */
static ten_value *distance_grad(at *l, ten_value *grad, ten_value *gap, ten_value *dist, double p) {
  ten_value *zero = at_num(l, gap, 0), *size = at_un(l, TEN_OP_ABS, gap), *sign = at_un(l, TEN_OP_SIGN, gap), *y;
  ten_value *none = at_cmp(l, TEN_EQ, dist, zero);
  if (p == 0) return at_expand_like(l, zero, gap);
  if (p == 1) return at_mul(l, grad, sign);
  if (isinf(p)) return at_sel(l, at_cmp(l, TEN_EQ, size, dist), at_mul(l, grad, sign), zero);
  if (p == 2)
    y = at_div(l, at_mul(l, grad, gap), dist);
  else
    y = at_mul(l, at_mul(l, sign, grad),
               at_div(l, at_bin(l, TEN_OP_POWER, size, at_num(l, gap, p - 1)),
                      at_bin(l, TEN_OP_POWER, dist, at_num(l, gap, p - 1))));
  if (p < 1) none = at_or(l, none, at_cmp(l, TEN_EQ, gap, zero));
  return at_sel(l, none, zero, y);
}

static void lower_cdist_backward(at *l) {
  ten_value *grad = at_t(l, "grad"), *a = at_t(l, "x1"), *b = at_t(l, "x2"), *dist = at_t(l, "cdist");
  if (!at_count(grad)) {
    at_ret(l, 0, at_full(l, at_type(a), at_rank(a), at_dims(a), 0));
    return;
  }
  ten_value *gap = at_sub(l, at_unsqueeze(l, a, at_rank(a) - 1), at_unsqueeze(l, b, at_rank(b) - 2));
  ten_value *y = distance_grad(l, at_unsqueeze(l, grad, at_rank(grad)), gap, at_unsqueeze(l, dist, at_rank(dist)),
                               at_float(l, "p", 2));
  const int64_t points = (int64_t)at_rank(y) - 2;
  at_ret(l, 0, at_sum(l, y, 1, &points, false));
}

static void lower_pdist_backward(at *l) {
  ten_value *grad = at_t(l, "grad"), *x = at_t(l, "self"), *dist = at_t(l, "pdist"), *end[2];
  const int64_t pairs = at_point_pairs(l, x, end);
  at_check(l, at_rank(grad) == 1 && at_count(grad) == pairs && at_rank(dist) == 1 && at_count(dist) == pairs,
           "%lld gradients and %lld distances of %lld pairs of points", (long long)at_count(grad),
           (long long)at_count(dist), (long long)pairs);
  ten_value *y = at_full(l, at_type(x), 2, at_dims_first(l, x, 2), 0);
  if (!pairs) {
    at_ret(l, 0, y);
    return;
  }
  ten_value *gap = at_sub(l, at_take(l, x, end[0], 0), at_take(l, x, end[1], 0));
  ten_value *each = distance_grad(l, at_unsqueeze(l, grad, 1), gap, at_unsqueeze(l, dist, 1), at_float(l, "p", 2));
  for (int e = 0; e < 2; e++)
    y = at_scatter(l, TEN_OP_ADD, y, at_expand_like(l, at_unsqueeze(l, end[e], 1), gap), e ? at_neg(l, each) : each, 0);
  at_ret(l, 0, y);
}

const at_row at_rows_loss_backward[] = {{"multi_margin_loss_backward", lower_multi_margin_backward},
                                        {"multilabel_margin_loss_forward", lower_multilabel_margin},
                                        {"multilabel_margin_loss", lower_multilabel_margin},
                                        {"multilabel_margin_loss_backward", lower_multilabel_margin_backward},
                                        {"_cdist_backward", lower_cdist_backward},
                                        {"_pdist_backward", lower_pdist_backward},
                                        {NULL}};
