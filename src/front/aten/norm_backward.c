/* norm_backward.c: gradients of the normalisations. With x̂ = (x - mean)·rstd and g = grad·weight, over the n elements
 * normalised together: dx = rstd·(g - mean(g) - x̂·mean(g·x̂)). */
#include "front/aten/lower.h"

static bool wanted(at *l, uint32_t i) {
  const ten_ints mask = at_ints(l, "output_mask");
  return i >= mask.count || mask.data[i];
}

static ten_value *input_grad(at *l, ten_value *g, ten_value *normal, ten_value *rstd, uint32_t count,
                             const int64_t *dims) {
  ten_value *mean = at_mean(l, g, count, dims, true), *tilt = at_mean(l, at_mul(l, g, normal), count, dims, true);
  return at_mul(l, rstd, at_sub(l, at_sub(l, g, mean), at_mul(l, normal, tilt)));
}

static void lower_layer_norm_backward(at *l) {
  ten_value *grad_in = at_t(l, "grad_out"), *weight = at_topt(l, "weight"), *bias = at_topt(l, "bias");
  const ten_dtype dtype = at_type(grad_in), wide = at_acc_type(dtype);
  ten_value *grad = at_cast(l, grad_in, wide), *x = at_cast(l, at_t(l, "input"), wide),
            *mean = at_cast(l, at_t(l, "mean"), wide), *rstd = at_cast(l, at_t(l, "rstd"), wide);
  const uint32_t n = (uint32_t)at_ints(l, "normalized_shape").count, rank = at_rank(x);
  at_check(l, n <= rank, "a shape of %u dimensions", n);
  int64_t inner[AT_DIMS], outer[AT_DIMS];
  for (uint32_t i = 0; i < rank; i++) {
    if (i < rank - n)
      outer[i] = i;
    else
      inner[i - (rank - n)] = i;
  }
  ten_value *normal = at_mul(l, at_sub(l, x, mean), rstd),
            *g = weight ? at_mul(l, grad, at_cast(l, weight, wide)) : grad;
  if (wanted(l, 0)) at_ret(l, 0, at_cast(l, input_grad(l, g, normal, rstd, n, inner), dtype));
  if (wanted(l, 1) && weight)
    at_ret(l, 1, at_cast(l, at_sum(l, at_mul(l, grad, normal), rank - n, outer, false), at_type(weight)));
  if (wanted(l, 2) && (bias || weight))
    at_ret(l, 2, at_cast(l, at_sum(l, grad, rank - n, outer, false), bias ? at_type(bias) : at_type(weight)));
}

static void lower_rms_norm_backward(at *l) {
  ten_value *grad_in = at_t(l, "grad_out"), *weight = at_topt(l, "weight");
  const ten_dtype dtype = at_type(grad_in), wide = at_acc_type(dtype);
  ten_value *grad = at_cast(l, grad_in, wide), *x = at_cast(l, at_t(l, "input"), wide),
            *rstd = at_cast(l, at_t(l, "rstd"), wide);
  const uint32_t n = (uint32_t)at_ints(l, "normalized_shape").count, rank = at_rank(x);
  int64_t inner[AT_DIMS], outer[AT_DIMS];
  at_check(l, n <= rank, "a shape of %u dimensions", n);
  for (uint32_t i = 0; i < rank; i++) {
    if (i < rank - n)
      outer[i] = i;
    else
      inner[i - (rank - n)] = i;
  }
  ten_value *normal = at_mul(l, x, rstd), *g = weight ? at_mul(l, grad, at_cast(l, weight, wide)) : grad;
  ten_value *tilt = at_mean(l, at_mul(l, g, normal), n, inner, true);
  at_ret(l, 0, at_cast(l, at_mul(l, rstd, at_sub(l, g, at_mul(l, normal, tilt))), dtype));
  if (weight && wanted(l, 1))
    at_ret(l, 1, at_cast(l, at_sum(l, at_mul(l, grad, normal), rank - n, outer, false), at_type(weight)));
}

static void lower_batch_norm_backward(at *l) {
  ten_value *grad_in = at_t(l, at_has(l, "grad_out") ? "grad_out" : "grad_output"), *weight = at_topt(l, "weight");
  const ten_dtype dtype = at_type(grad_in), wide = at_wide_type(grad_in);
  ten_value *grad = at_cast(l, grad_in, wide), *x = at_cast(l, at_t(l, "input"), wide), *mean, *rstd;
  const uint32_t rank = at_rank(x);
  int64_t dims[AT_DIMS];
  uint32_t n = 0;
  for (uint32_t i = 0; i < rank; i++)
    if (i != 1) dims[n++] = i;
  const bool train = at_bool(l, "train", at_bool(l, "update", true));
  const char *save_mean = at_has(l, "save_mean") ? "save_mean" : "save_mean_",
             *save_rstd = at_has(l, "save_invstd") ? "save_invstd" : "save_var";
  if (train)
    mean = at_t(l, save_mean), rstd = at_t(l, save_rstd);
  else
    mean = at_t(l, "running_mean"),
    rstd = at_rsqrt(l, at_addn(l, at_cast(l, at_t(l, "running_var"), wide), at_float(l, "eps", 1e-5)));
  mean = at_along(l, at_cast(l, mean, wide), rank, 1), rstd = at_along(l, at_cast(l, rstd, wide), rank, 1);
  /* the weight is constant over the sums: two sums serve all three gradients */
  ten_value *normal = at_mul(l, at_sub(l, x, mean), rstd), *scale = rstd;
  if (weight) scale = at_mul(l, rstd, at_along(l, at_cast(l, weight, wide), rank, 1));
  ten_value *sum = at_sum(l, grad, n, dims, true), *tilt = at_sum(l, at_mul(l, grad, normal), n, dims, true);
  if (wanted(l, 0)) {
    double count = 1;
    for (uint32_t i = 0; i < n; i++) count *= (double)at_dim(l, x, dims[i]);
    const double each = count > 0 ? 1 / count : 0;
    ten_value *g =
        train ? at_sub(l, at_sub(l, grad, at_muln(l, sum, each)), at_mul(l, normal, at_muln(l, tilt, each))) : grad;
    at_ret(l, 0, at_cast(l, at_mul(l, g, scale), dtype));
  }
  const ten_dtype stat = weight ? at_type(weight) : dtype;
  if (wanted(l, 1)) at_ret(l, 1, at_cast(l, at_flatten(l, tilt), stat));
  if (wanted(l, 2)) at_ret(l, 2, at_cast(l, at_flatten(l, sum), stat));
}

/* The mean over each group of a value of its channels, for each of these. */
static ten_value *mean_of_groups(at *l, ten_value *sums, ten_value *weight, int64_t groups, double each) {
  ten_value *of = at_over_groups(l, weight ? at_mul(l, sums, weight) : sums, groups);
  return at_to_channels(l, at_div(l, of, at_num(l, of, each)), at_dim(l, sums, 1), at_rank(sums));
}

/* Two sums for each image and channel serve all three gradients. */
static void lower_group_norm_backward(at *l) {
  ten_value *grad_in = at_t(l, "grad_out"), *x_in = at_t(l, "input"), *weight = at_topt(l, "weight");
  const ten_dtype dtype = at_type(grad_in), wide = at_wide_type(grad_in);
  const uint32_t rank = at_rank(x_in);
  const int64_t groups = at_int(l, "group", 1), batch = 0;
  at_check(l, rank >= 2 && groups > 0 && at_dim(l, x_in, 1) % groups == 0, "%lld groups", (long long)groups);
  const int64_t channels = at_dim(l, x_in, 1),
                each = at_product(l, rank - 1, at_dims_first(l, x_in, rank) + 1) / groups;
  ten_value *grad = at_cast(l, grad_in, wide), *x = at_cast(l, x_in, wide);
  ten_value *mean = at_to_channels(l, at_cast(l, at_t(l, "mean"), wide), channels, rank),
            *rstd = at_to_channels(l, at_cast(l, at_t(l, "rstd"), wide), channels, rank);
  ten_value *normal = at_mul(l, at_sub(l, x, mean), rstd);
  if (weight) weight = at_along(l, at_cast(l, weight, wide), rank, 1);
  int64_t dims[AT_DIMS];
  uint32_t n = 0;
  for (uint32_t i = 2; i < rank; i++) dims[n++] = i;
  ten_value *sum = at_reduce(l, TEN_OP_ADD, grad, n, dims, true),
            *tilt = at_reduce(l, TEN_OP_ADD, at_mul(l, grad, normal), n, dims, true);
  ten_value *made[3] = {NULL, at_reduce(l, TEN_OP_ADD, tilt, 1, &batch, false),
                        at_reduce(l, TEN_OP_ADD, sum, 1, &batch, false)};
  if (wanted(l, 0)) {
    ten_value *g = weight ? at_mul(l, grad, weight) : grad,
              *level = mean_of_groups(l, sum, weight, groups, (double)each),
              *slope = mean_of_groups(l, tilt, weight, groups, (double)each);
    made[0] = at_mul(l, rstd, at_sub(l, at_sub(l, g, level), at_mul(l, normal, slope)));
  }
  for (uint32_t i = 0; i < 3; i++) { /* under autocast the types are not all the gradient's */
    const ten_type *declared = at_declared(l, i);
    if (!wanted(l, i)) continue;
    at_ret(l, i, at_cast(l, i ? at_flatten(l, made[i]) : made[i], declared ? declared->dtype : dtype));
  }
}

/* Of w = v·g/|v|, the norm over all dimensions but one. */
static void lower_weight_norm_backward(at *l) {
  ten_value *grad = at_t(l, "grad_w"), *v = at_t(l, "saved_v"), *g = at_t(l, "saved_g"), *norm = at_t(l, "saved_norms");
  const int64_t dim = at_int(l, "dim", 0);
  int64_t dims[AT_DIMS];
  uint32_t n = 0;
  for (uint32_t i = 0; i < at_rank(v); i++)
    if (i != dim) dims[n++] = i;
  ten_value *along = at_div(l, at_sum(l, at_mul(l, grad, v), n, dims, true), norm);
  at_ret(l, 0, at_mul(l, at_div(l, g, norm), at_sub(l, grad, at_mul(l, v, at_div(l, along, norm)))));
  at_ret(l, 1, at_reshape(l, along, at_rank(g), at_dims(g)));
}

const at_row at_rows_norm_backward[] = {{"native_layer_norm_backward", lower_layer_norm_backward},
                                        {"_fused_rms_norm_backward", lower_rms_norm_backward},
                                        {"native_batch_norm_backward", lower_batch_norm_backward},
                                        {"batch_norm_backward", lower_batch_norm_backward},
                                        {"native_group_norm_backward", lower_group_norm_backward},
                                        {"_weight_norm_interface_backward", lower_weight_norm_backward},
                                        {NULL}};
