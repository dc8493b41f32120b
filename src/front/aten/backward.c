/* backward.c: gradients that PyTorch has as separate ops: of activations, softmax, pooling, embeddings and
 * losses. */
#include "front/aten/lower.h"

static ten_value *grad_of(at *l) {
  return at_t(l, at_has(l, "grad_output") ? "grad_output" : at_has(l, "grad") ? "grad" : "grad_out");
}

static void lower_threshold_backward(at *l) {
  ten_value *grad = grad_of(l), *x = at_t(l, "self");
  ten_value *limit = at_ref_value(l, at_arg(l, "threshold"), at_type(x));
  at_ret(l, 0, at_sel(l, at_cmp(l, TEN_LE, x, limit), at_num(l, grad, 0), grad));
}

static void lower_gelu_backward(at *l) {
  ten_value *grad = grad_of(l), *x = at_t(l, "self");
  const ten_dtype dtype = at_type(grad), wide = at_acc_type(dtype);
  grad = at_cast(l, grad, wide), x = at_cast(l, x, wide);
  ten_value *slope;
  if (!ten_str_is(at_string(l, "approximate"), "tanh")) {
    ten_value *cdf = at_muln(l, at_addn(l, at_un(l, TEN_OP_CHLO_ERF, at_muln(l, x, 0.70710678118654752440)), 1), 0.5);
    ten_value *pdf = at_muln(l, at_exp(l, at_muln(l, at_mul(l, x, x), -0.5)), 0.39894228040143267794);
    slope = at_add(l, cdf, at_mul(l, x, pdf));
  } else {
    const double b = 0.79788456080286535588, k = 0.044715;
    ten_value *square = at_mul(l, x, x), *inner = at_muln(l, at_add(l, x, at_muln(l, at_mul(l, square, x), k)), b),
              *t = at_tanh(l, inner);
    ten_value *left = at_muln(l, at_addn(l, t, 1), 0.5);
    ten_value *sech = at_sub(l, at_num(l, t, 1), at_mul(l, t, t));
    ten_value *d = at_muln(l, at_addn(l, at_muln(l, square, 3 * k), 1), b);
    slope = at_add(l, left, at_mul(l, at_muln(l, x, 0.5), at_mul(l, sech, d)));
  }
  at_ret(l, 0, at_cast(l, at_mul(l, grad, slope), dtype));
}

static void lower_silu_backward(at *l) {
  ten_value *grad = grad_of(l), *x = at_t(l, "self"), *s = at_sigmoid(l, x);
  ten_value *slope = at_mul(l, s, at_addn(l, at_mul(l, x, at_sub(l, at_num(l, x, 1), s)), 1));
  at_ret(l, 0, at_mul(l, grad, slope));
}

static void lower_sigmoid_backward(at *l) {
  ten_value *grad = grad_of(l), *y = at_t(l, "output");
  at_ret(l, 0, at_mul(l, grad, at_mul(l, at_sub(l, at_num(l, y, 1), y), y)));
}

static void lower_tanh_backward(at *l) {
  ten_value *grad = grad_of(l), *y = at_t(l, "output");
  at_ret(l, 0, at_mul(l, grad, at_sub(l, at_num(l, y, 1), at_mul(l, y, y))));
}

static void lower_leaky_relu_backward(at *l) {
  ten_value *grad = grad_of(l), *x = at_t(l, "self");
  at_ret(l, 0,
         at_sel(l, at_cmp(l, TEN_GT, x, at_num(l, x, 0)), grad, at_muln(l, grad, at_float(l, "negative_slope", 0.01))));
}

static void lower_hardtanh_backward(at *l) {
  ten_value *grad = grad_of(l), *x = at_t(l, "self");
  ten_value *out = at_or(l, at_cmp(l, TEN_LE, x, at_num(l, x, at_float(l, "min_val", -1))),
                         at_cmp(l, TEN_GE, x, at_num(l, x, at_float(l, "max_val", 1))));
  at_ret(l, 0, at_sel(l, out, at_num(l, grad, 0), grad));
}

/* softshrink and hardshrink. */
static void lower_shrink_backward(at *l) {
  ten_value *grad = grad_of(l), *x = at_t(l, "self");
  const double limit = at_float(l, "lambd", 0.5);
  ten_value *in = at_and(l, at_cmp(l, TEN_GE, x, at_num(l, x, -limit)), at_cmp(l, TEN_LE, x, at_num(l, x, limit)));
  at_ret(l, 0, at_sel(l, in, at_num(l, grad, 0), grad));
}

static void lower_elu_backward(at *l) {
  ten_value *grad = grad_of(l), *x = at_t(l, "self_or_result");
  const double alpha = at_float(l, "alpha", 1), scale = at_float(l, "scale", 1),
               input_scale = at_float(l, "input_scale", 1);
  ten_value *low = at_bool(l, "is_result", false)
                       ? at_muln(l, at_addn(l, x, alpha * scale), input_scale)
                       : at_muln(l, at_exp(l, at_muln(l, x, input_scale)), alpha * scale * input_scale);
  at_ret(l, 0, at_mul(l, grad, at_sel(l, at_cmp(l, TEN_LE, x, at_num(l, x, 0)), low, at_num(l, x, scale))));
}

static void lower_softmax_backward(at *l) {
  ten_value *grad = grad_of(l), *y = at_t(l, "output");
  const ten_dtype dtype = at_dtype(l, "input_dtype", at_type(grad));
  const int64_t dim = at_dim_arg(l, "dim", -1, at_rank(y));
  if (!at_rank(y)) {
    at_ret(l, 0, at_cast(l, at_muln(l, grad, 0), dtype));
    return;
  }
  if (l->row->code)
    at_ret(l, 0, at_cast(l, at_sub(l, grad, at_mul(l, at_exp(l, y), at_sum(l, grad, 1, &dim, true))), dtype));
  else
    at_ret(l, 0, at_cast(l, at_mul(l, y, at_sub(l, grad, at_sum(l, at_mul(l, grad, y), 1, &dim, true))), dtype));
}

/* Whether indices are those that max pooling of `x` gives, with windows that its gradient by the input may have. */
static bool is_pooled(at *l, const ten_value *index, const ten_value *x, ten_window *w) {
  const ten_op *op = index->op;
  if (!op || op->code != TEN_OP_REDUCE_WINDOW || op->operand_count != 4 || ten_op_operand(op, 0) != x) return false;
  *w = ten_op_window(l->b.module, op);
  for (uint32_t i = 0; i < w->rank; i++)
    if (w->dilation[i] != 1) return false;
  return true;
}

/* Each gradient goes to the position of its maximum. */
static void lower_max_pool_backward(at *l) {
  ten_value *grad = grad_of(l), *self = at_t(l, "self"), *index = at_t(l, "indices");
  ten_window window;
  if (at_type(self) == at_type(grad) && at_rank(self) == at_rank(grad) && is_pooled(l, index, self, &window)) {
    at_ret(l, 0, at_pool_gradient(l, self, grad, &window)); /* finds maxima again: no indices of eight bytes each */
    return;
  }
  const uint32_t spatial = (uint32_t)l->row->code, lead = at_rank(self) - spatial;
  int64_t batch = 1, cells = 1, inner = 1;
  at_check(l, at_rank(self) > spatial && at_rank(grad) == at_rank(self),
           "a gradient of rank %u for an input of rank %u", at_rank(grad), at_rank(self));
  for (uint32_t i = 0; i < lead; i++) batch *= at_dim(l, self, i);
  for (uint32_t i = lead; i < at_rank(self); i++) cells *= at_dim(l, self, i), inner *= at_dim(l, grad, i);
  const int64_t flat[2] = {batch, cells}, values[2] = {batch, inner};
  ten_value *y = at_scatter(l, TEN_OP_ADD, at_full(l, at_type(grad), 2, flat, 0), at_reshape(l, index, 2, values),
                            at_reshape(l, grad, 2, values), 1);
  at_ret(l, 0, at_reshape(l, y, at_rank(self), at_dims(self)));
}

/* ∂out/∂in of average pooling along one dimension, as a matrix: weights[out, in]. */
static ten_value *average_matrix(at *l, ten_dtype dtype, int64_t in, int64_t out, const int64_t *starts,
                                 const int64_t *ends) {
  const int64_t grid[2] = {out, in};
  ten_value *col = at_iota(l, TEN_I64, 2, grid, 1);
  ten_value *s = at_unsqueeze(l, ten_build_i64s(&l->b, (size_t)out, starts), 1),
            *e = at_unsqueeze(l, ten_build_i64s(&l->b, (size_t)out, ends), 1);
  return at_cast(l, at_and(l, at_cmp(l, TEN_GE, col, s), at_cmp(l, TEN_LT, col, e)), dtype);
}

/* grad[…, out, …] × matrix[out, in] along dim. */
static ten_value *along(at *l, ten_value *grad, ten_value *matrix, int64_t dim) {
  const int64_t zero = 0;
  ten_value *y = at_dot(l, grad, matrix, (ten_ints){0}, (ten_ints){0}, (ten_ints){&dim, 1}, (ten_ints){&zero, 1});
  int64_t order[AT_DIMS];
  const uint32_t rank = at_rank(y);
  for (uint32_t k = 0; k < rank; k++) order[k] = k < dim ? k : k == dim ? rank - 1 : k - 1;
  return at_permute(l, y, order);
}

static ten_value *scale_by(at *l, ten_value *grad, int64_t dim, const int64_t *counts) {
  ten_value *by = at_cast(l, ten_build_i64s(&l->b, (size_t)at_dim(l, grad, dim), counts), at_type(grad));
  return at_div(l, grad, at_along(l, by, at_rank(grad), dim));
}

/* Each element of grad added to the k inputs of its window: a sum of shifted copies, so that a NaN affects only its own
 * window. */
static ten_value *spread(at *l, ten_value *grad, int64_t dim, int64_t in, int64_t k, int64_t stride, int64_t padding) {
  const int64_t out = at_dim(l, grad, dim);
  if (!out) return at_pad(l, grad, dim, 0, in, 0, 0);
  ten_value *wide = at_pad(l, grad, dim, k - 1 - padding, in - 1 + padding - (out - 1) * stride, stride - 1, 0);
  ten_value *sum = NULL;
  for (int64_t t = 0; t < k; t++) {
    ten_value *part = at_slice(l, wide, dim, t, t + in, 1);
    sum = sum ? at_add(l, sum, part) : part;
  }
  return sum;
}

enum { POOL_MAX = 1 << 30 };

static void lower_avg_pool_backward(at *l) {
  ten_value *grad = grad_of(l), *self = at_t(l, "self");
  const uint32_t spatial = (uint32_t)l->row->code, lead = at_rank(self) - spatial;
  int64_t kernel[3], stride[3], padding[3];
  at_window(l, "kernel_size", spatial, 1, kernel);
  memcpy(stride, kernel, sizeof stride);
  if (at_ints(l, "stride").count) at_window(l, "stride", spatial, 1, stride);
  at_window(l, "padding", spatial, 0, padding);
  const bool include = at_bool(l, "count_include_pad", true), override = at_has(l, "divisor_override");
  at_check(l, at_rank(self) > spatial && at_rank(grad) == at_rank(self),
           "a gradient of rank %u for an input of rank %u", at_rank(grad), at_rank(self));
  for (uint32_t i = 0; i < spatial; i++) {
    const int64_t in = at_dim(l, self, lead + i), out = at_dim(l, grad, lead + i);
    at_check(l,
             kernel[i] > 0 && stride[i] > 0 && padding[i] >= 0 && kernel[i] < POOL_MAX && stride[i] < POOL_MAX &&
                 padding[i] < POOL_MAX && out < POOL_MAX,
             "windows of %lld by steps of %lld", (long long)kernel[i], (long long)stride[i]);
    int64_t *lists = at_new_array(l, int64_t, (size_t)out * 3 + 1), *starts = lists, *ends = lists + out,
            *counts = lists + 2 * out;
    for (int64_t k = 0; k < out; k++) {
      int64_t s = k * stride[i] - padding[i], e = s + kernel[i];
      if (e > in + padding[i]) e = in + padding[i];
      counts[k] = e - s;
      starts[k] = s < 0 ? 0 : s, ends[k] = e > in ? in : e;
      if (!include) counts[k] = ends[k] - starts[k];
    }
    if (!override) grad = scale_by(l, grad, lead + i, counts);
    grad = kernel[i] <= 64 ? spread(l, grad, lead + i, in, kernel[i], stride[i], padding[i])
                           : along(l, grad, average_matrix(l, at_type(grad), in, out, starts, ends), lead + i);
  }
  if (override) grad = at_div(l, grad, at_num(l, grad, at_float(l, "divisor_override", 1)));
  at_ret(l, 0, grad);
}

static void lower_adaptive_avg_backward(at *l) {
  ten_value *grad = grad_of(l), *self = at_t(l, "self");
  const uint32_t spatial = (uint32_t)l->row->code, lead = at_rank(self) - spatial;
  at_check(l, at_rank(self) > spatial && at_rank(grad) == at_rank(self),
           "a gradient of rank %u for an input of rank %u", at_rank(grad), at_rank(self));
  for (uint32_t i = 0; i < spatial; i++) {
    const int64_t in = at_dim(l, self, lead + i), out = at_dim(l, grad, lead + i);
    at_check(l, in < POOL_MAX && out < POOL_MAX, "sizes %lld and %lld", (long long)in, (long long)out);
    int64_t *lists = at_new_array(l, int64_t, (size_t)out * 3 + 1), *starts = lists, *ends = lists + out,
            *counts = lists + 2 * out;
    for (int64_t k = 0; k < out; k++)
      starts[k] = k * in / out, ends[k] = ((k + 1) * in + out - 1) / out, counts[k] = ends[k] - starts[k];
    grad = along(l, scale_by(l, grad, lead + i, counts), average_matrix(l, at_type(grad), in, out, starts, ends),
                 lead + i);
  }
  at_ret(l, 0, grad);
}

static void lower_nll_backward(at *l) {
  ten_value *grad = grad_of(l), *x = at_t(l, "self"), *target = at_cast(l, at_t(l, "target"), TEN_I64),
            *weight = at_topt(l, "weight");
  const int64_t how = at_int(l, "reduction", 1), dim = at_rank(x) == 1 ? 0 : 1;
  if (how == 1) grad = at_div(l, grad, at_t(l, "total_weight"));
  ten_value *index = at_unsqueeze(l, target, at_rank(x) == 1 ? 0 : dim);
  ten_value *hot = at_cmp(l, TEN_EQ, at_iota(l, TEN_I64, at_rank(x), at_dims(x), dim), index);
  hot = at_and(l, hot,
               at_cmp(l, TEN_NE, index, ten_build_scalar_int(&l->b, TEN_I64, at_int_any(l, "ignore_index", -100))));
  ten_value *each = at_rank(grad) ? at_unsqueeze(l, grad, dim) : grad;
  ten_value *y = at_neg(l, each);
  if (weight) y = at_mul(l, y, at_along(l, weight, at_rank(x), dim));
  at_ret(l, 0, at_sel(l, hot, at_expand_like(l, y, x), at_num(l, x, 0)));
}

static void lower_mse_backward(at *l) {
  ten_value *grad = grad_of(l), *x = at_t(l, "self"), *y = at_t(l, "target");
  const double norm = at_int(l, "reduction", 1) == 1 ? 2.0 / (double)at_count(x) : 2.0;
  at_ret(l, 0, at_mul(l, at_muln(l, at_sub(l, x, y), norm), grad));
}

/* The inverse of slice, select and diagonal: zeros, with the gradient at its original position. */
static void lower_slice_backward(at *l) {
  ten_value *grad = grad_of(l);
  const ten_ints sizes = at_ints(l, "input_sizes");
  at_check(l, sizes.count <= AT_MAX_RANK && sizes.count > 0, "%zu dimensions", sizes.count);
  const int64_t dim = at_dim_arg(l, "dim", 0, (uint32_t)sizes.count), size = sizes.data[dim];
  if (l->row->code) {
    int64_t index = at_int(l, "index", 0);
    if (index < 0) index += size;
    at_check(l, index >= 0 && index < size, "index %lld of size %lld", (long long)index, (long long)size);
    at_ret(l, 0, at_pad(l, at_unsqueeze(l, grad, dim), dim, index, size - 1 - index, 0, 0));
    return;
  }
  int64_t start = at_int_any(l, "start", 0), step = at_int_any(l, "step", 1);
  if (start < 0) start += size;
  if (start > size) start = size;
  at_check(l, step > 0 && start >= 0 && size >= 0, "a slice from %lld by steps of %lld of size %lld", (long long)start,
           (long long)step, (long long)size);
  const int64_t n = at_dim(l, grad, dim), covered = n ? at_add_size(l, at_mul_size(l, n - 1, step), 1) : 0;
  at_ret(l, 0, at_pad(l, grad, dim, start, at_sub_size(l, size - start, covered), step - 1, 0));
}

static void lower_dropout_backward(at *l) {
  ten_value *grad = grad_of(l), *mask = at_t(l, "mask");
  const ten_type *declared = at_declared(l, 0);
  grad = at_cast(l, grad, declared ? declared->dtype : at_float_type(at_type(grad)));
  at_ret(l, 0, at_mul(l, grad, at_muln(l, at_cast(l, mask, at_type(grad)), at_float(l, "scale", 1))));
}

const at_row at_rows_backward[] = {{"threshold_backward", lower_threshold_backward},
                                   {"gelu_backward", lower_gelu_backward},
                                   {"silu_backward", lower_silu_backward},
                                   {"sigmoid_backward", lower_sigmoid_backward},
                                   {"tanh_backward", lower_tanh_backward},
                                   {"leaky_relu_backward", lower_leaky_relu_backward},
                                   {"hardtanh_backward", lower_hardtanh_backward},
                                   {"softshrink_backward", lower_shrink_backward},
                                   {"hardshrink_backward", lower_shrink_backward},
                                   {"elu_backward", lower_elu_backward},
                                   {"_softmax_backward_data", lower_softmax_backward},
                                   {"_log_softmax_backward_data", lower_softmax_backward, .code = 1},
                                   {"max_pool2d_with_indices_backward", lower_max_pool_backward, .code = 2},
                                   {"max_pool3d_with_indices_backward", lower_max_pool_backward, .code = 3},
                                   {"adaptive_max_pool2d_backward", lower_max_pool_backward, .code = 2},
                                   {"adaptive_max_pool3d_backward", lower_max_pool_backward, .code = 3},
                                   {"fractional_max_pool2d_backward", lower_max_pool_backward, .code = 2},
                                   {"fractional_max_pool3d_backward", lower_max_pool_backward, .code = 3},
                                   {"avg_pool2d_backward", lower_avg_pool_backward, .code = 2},
                                   {"avg_pool3d_backward", lower_avg_pool_backward, .code = 3},
                                   {"_adaptive_avg_pool2d_backward", lower_adaptive_avg_backward, .code = 2},
                                   {"_adaptive_avg_pool3d_backward", lower_adaptive_avg_backward, .code = 3},
                                   {"nll_loss_backward", lower_nll_backward},
                                   {"nll_loss2d_backward", lower_nll_backward},
                                   {"mse_loss_backward", lower_mse_backward},
                                   {"slice_backward", lower_slice_backward},
                                   {"select_backward", lower_slice_backward, .code = 1},
                                   {"native_dropout_backward", lower_dropout_backward},
                                   {NULL}};
