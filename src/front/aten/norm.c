/* norm.c: batch, layer, group, instance and root-mean-square normalisation. Statistics of half types are f32. */
#include "front/aten/lower.h"

typedef struct moments {
  ten_value *mean, *var; /* reduced dimensions kept with size 1 */
  double count;
} moments;

static moments moments_of(at *l, ten_value *x, uint32_t count, const int64_t *dims) {
  moments m = {.count = 1};
  for (uint32_t i = 0; i < count; i++) m.count *= (double)at_dim(l, x, dims[i]);
  m.mean = at_mean(l, x, count, dims, true);
  ten_value *gap = at_sub(l, x, m.mean);
  m.var = at_mean(l, at_mul(l, gap, gap), count, dims, true);
  return m;
}

static uint32_t channel_dims(const ten_value *x, int64_t *dims) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < at_rank(x); i++)
    if (i != 1) dims[n++] = i;
  return n;
}

static ten_value *channel(at *l, ten_value *v, const ten_value *x, ten_dtype dtype) {
  return at_along(l, at_cast(l, v, dtype), at_rank(x), at_rank(x) > 1);
}

/* x·scale + shift, one pair per channel. */
static ten_value *scaled(at *l, ten_value *x, ten_value *mean, ten_value *rstd, ten_value *weight, ten_value *bias,
                         ten_dtype wide) {
  ten_value *scale = weight ? at_mul(l, rstd, channel(l, weight, x, wide)) : rstd;
  ten_value *shift = at_neg(l, at_mul(l, mean, scale));
  if (bias) shift = at_add(l, channel(l, bias, x, wide), shift);
  return at_add(l, at_mul(l, x, scale), shift);
}

static void running_update(at *l, const char *name, ten_value *value, double momentum) {
  at_tensor *running = at_alias(l, name);
  if (!running) return;
  ten_value *old = at_read(l, running);
  ten_value *fresh = at_cast(l, at_flatten(l, value), at_type(old));
  at_write(l, running, at_add(l, at_muln(l, old, 1 - momentum), at_muln(l, fresh, momentum)));
}

/* The same as a result, in the type that PyTorch declares: statistics of a half type are f32 in its functional form. */
static void running_result(at *l, uint32_t index, ten_value *old, ten_value *value, double momentum) {
  const ten_type *declared = at_declared(l, index);
  const ten_dtype dtype = declared ? declared->dtype : at_type(old), wide = at_promote(dtype, at_type(value));
  ten_value *fresh = at_cast(l, at_flatten(l, value), wide);
  ten_value *sum = at_add(l, at_muln(l, at_cast(l, old, wide), 1 - momentum), at_muln(l, fresh, momentum));
  at_ret(l, index, at_cast(l, sum, dtype));
}

/* Results 1 and 2 of the native forms: mean and 1/σ of the batch (empty when the running ones were used).
 * code: 1 statistics of the batch, 2 never those, 4 functional: the new running statistics are results 3 and 4 */
static void lower_batch_norm(at *l) {
  ten_value *input = at_t(l, "input"), *weight = at_topt(l, "weight"), *bias = at_topt(l, "bias");
  ten_value *mean_in = at_topt(l, "running_mean"), *var_in = at_topt(l, "running_var");
  const ten_dtype dtype = at_type(input), wide = at_acc_type(dtype);
  const double eps = at_float(l, "eps", 1e-5), momentum = at_float(l, "momentum", 0.1);
  at_check(l, at_rank(input) >= 2, "an input of %u dimensions", at_rank(input));
  bool training = at_bool(l, "training", at_bool(l, "train", l->row->code & 1));
  if (l->row->code & 2) training = false;
  if (!mean_in) training = true;
  at_check(l, !mean_in == !var_in, "a running mean and a running variance are given together or not at all");
  const uint32_t running = l->result_count == 6 ? 4 : 3; /* of the functional forms, behind the kernel's reserve */
  ten_value *x = at_cast(l, input, wide), *mean, *var;
  int64_t dims[AT_DIMS];
  const uint32_t count = channel_dims(x, dims);
  if (training) {
    const moments m = moments_of(l, x, count, dims);
    mean = m.mean, var = m.var;
    const double unbiased = m.count > 1 ? m.count / (m.count - 1) : m.count;
    ten_value *full_var = at_muln(l, var, unbiased);
    if (l->row->code & 4) {
      if (mean_in) {
        running_result(l, running, mean_in, mean, momentum);
        running_result(l, running + 1, var_in, full_var, momentum);
      }
    } else {
      running_update(l, "running_mean", mean, momentum);
      running_update(l, "running_var", full_var, momentum);
    }
  } else {
    mean = channel(l, mean_in, x, wide), var = channel(l, var_in, x, wide);
    if (l->row->code & 4) at_ret(l, running, mean_in), at_ret(l, running + 1, var_in);
  }
  ten_value *rstd = at_rsqrt(l, at_addn(l, var, eps));
  if (training) { /* subtract the mean first: if it is large, scale and shift would lose precision */
    ten_value *y = at_mul(l, at_sub(l, x, mean), weight ? at_mul(l, rstd, channel(l, weight, x, wide)) : rstd);
    at_ret(l, 0, at_cast(l, bias ? at_add(l, y, channel(l, bias, x, wide)) : y, dtype));
  } else {
    at_ret(l, 0, at_cast(l, scaled(l, x, mean, rstd, weight, bias, wide), dtype));
  }
  if (l->result_count < 3) return;
  const int64_t none = 0;
  if (l->result_count == 4 || l->result_count == 6)
    at_ret(l, 3, at_full(l, TEN_UI8, 1, &none, 0)); /* the reserve of a kernel */
  const ten_type *declared = at_declared(l, 1);
  if (training || (declared && declared->rank == 1 && declared->dims[0] != 0)) {
    const ten_dtype stat = declared ? declared->dtype : wide;
    at_ret(l, 1, at_cast(l, at_flatten(l, mean), stat));
    at_ret(l, 2, at_cast(l, at_flatten(l, rstd), stat));
  } else {
    const ten_dtype empty = declared ? declared->dtype : wide;
    at_ret(l, 1, at_full(l, empty, 1, &none, 0));
    at_ret(l, 2, at_full(l, empty, 1, &none, 0));
  }
}

static void lower_instance_norm(at *l) {
  ten_value *input = at_t(l, "input"), *weight = at_topt(l, "weight"), *bias = at_topt(l, "bias");
  const ten_dtype dtype = at_type(input), wide = at_acc_type(dtype);
  ten_value *x = at_cast(l, input, wide), *mean, *var;
  const double eps = at_float(l, "eps", 1e-5), momentum = at_float(l, "momentum", 0.1);
  if (at_bool(l, "use_input_stats", true)) {
    int64_t dims[AT_DIMS];
    uint32_t count = 0;
    for (uint32_t i = 2; i < at_rank(x); i++) dims[count++] = i;
    const moments m = moments_of(l, x, count, dims);
    mean = m.mean, var = m.var;
    const int64_t batch = 0;
    if (at_alias(l, "running_mean")) {
      running_update(l, "running_mean", at_mean(l, mean, 1, &batch, true), momentum);
      running_update(l, "running_var",
                     at_muln(l, at_mean(l, var, 1, &batch, true), m.count > 1 ? m.count / (m.count - 1) : 1), momentum);
    }
  } else {
    mean = channel(l, at_t(l, "running_mean"), x, wide), var = channel(l, at_t(l, "running_var"), x, wide);
  }
  at_ret(l, 0, at_cast(l, scaled(l, x, mean, at_rsqrt(l, at_addn(l, var, eps)), weight, bias, wide), dtype));
}

static uint32_t tail_dims(at *l, const ten_value *x, int64_t *dims) {
  const size_t n = at_ints(l, "normalized_shape").count;
  at_check(l, n <= at_rank(x), "a shape of %zu dimensions", n);
  for (size_t i = 0; i < n; i++) dims[i] = (int64_t)(at_rank(x) - n + i);
  return (uint32_t)n;
}

static void lower_layer_norm(at *l) {
  ten_value *input = at_t(l, "input"), *weight = at_topt(l, "weight"), *bias = at_topt(l, "bias");
  const ten_dtype dtype = at_type(input), wide = at_acc_type(dtype);
  ten_value *x = at_cast(l, input, wide);
  int64_t dims[AT_DIMS];
  const uint32_t count = tail_dims(l, x, dims);
  ten_value *mean = at_mean(l, x, count, dims, true), *gap = at_sub(l, x, mean);
  ten_value *var = at_mean(l, at_mul(l, gap, gap), count, dims, true);
  ten_value *rstd = at_rsqrt(l, at_addn(l, var, at_float(l, "eps", 1e-5)));
  ten_value *y = at_mul(l, gap, rstd);
  if (weight) y = at_mul(l, y, at_cast(l, weight, wide));
  if (bias) y = at_add(l, y, at_cast(l, bias, wide));
  at_ret(l, 0, at_cast(l, y, dtype));
  const ten_type *declared = at_declared(l, 1);
  at_ret(l, 1, at_cast(l, mean, declared ? declared->dtype : wide));
  at_ret(l, 2, at_cast(l, rstd, declared ? declared->dtype : wide));
}

static void lower_rms_norm(at *l) {
  ten_value *input = at_t(l, "input"), *weight = at_topt(l, "weight");
  const ten_dtype dtype = at_type(input), wide = at_acc_type(dtype);
  ten_value *x = at_cast(l, input, wide);
  int64_t dims[AT_DIMS];
  const uint32_t count = tail_dims(l, x, dims);
  const double eps = at_float(l, "eps",
                              dtype == TEN_F64                      ? 2.220446049250313e-16
                              : wide == TEN_F32 && dtype == TEN_F32 ? 1.1920928955078125e-07
                              : dtype == TEN_BF16                   ? 0.0078125
                                                                    : 0.0009765625);
  ten_value *rstd = at_rsqrt(l, at_addn(l, at_mean(l, at_mul(l, x, x), count, dims, true), eps));
  ten_value *y = at_mul(l, x, rstd);
  if (weight) y = at_mul(l, y, at_cast(l, weight, wide));
  const ten_dtype out = weight ? at_promote(dtype, at_type(weight)) : dtype;
  at_ret(l, 0, at_cast(l, y, out));
  at_ret(l, 1, rstd);
}

ten_value *at_to_channels(at *l, ten_value *groups, int64_t channels, uint32_t rank) {
  const int64_t n = at_dim(l, groups, 0), count = at_dim(l, groups, 1), wide[3] = {n, count, channels / count};
  int64_t dims[AT_DIMS] = {n, channels};
  for (uint32_t i = 2; i < rank; i++) dims[i] = 1;
  return at_reshape(l, at_expand(l, at_unsqueeze(l, groups, 2), 3, wide), rank, dims);
}

/* The pixels of a channel first: the input keeps its shape and may lie channels last, as convolutions lay it. */
ten_value *at_over_groups(at *l, ten_value *x, int64_t groups) {
  int64_t dims[AT_DIMS];
  uint32_t count = 0;
  for (uint32_t i = 2; i < at_rank(x); i++) dims[count++] = i;
  const int64_t n = at_dim(l, x, 0), split[3] = {n, groups, at_dim(l, x, 1) / groups}, last = 2;
  ten_value *sums = at_reduce(l, TEN_OP_ADD, x, count, dims, false);
  return at_reduce(l, TEN_OP_ADD, at_reshape(l, sums, 3, split), 1, &last, false);
}

static ten_value *group_mean(at *l, ten_value *x, int64_t groups) {
  const int64_t n = at_dim(l, x, 0);
  ten_value *sum = at_over_groups(l, x, groups);
  return at_div(l, sum, at_num(l, sum, n > 0 ? (double)(at_count(x) / at_mul_size(l, n, groups)) : 1));
}

/* code 1: the native form, with mean and 1/σ of each group as [n, groups]. */
static void lower_group_norm(at *l) {
  ten_value *input = at_t(l, "input"), *weight = at_topt(l, "weight"), *bias = at_topt(l, "bias");
  const int64_t groups = at_int(l, l->row->code ? "group" : "num_groups", 1);
  const ten_dtype dtype = at_type(input), wide = at_acc_type(dtype);
  at_check(l, at_rank(input) >= 2 && groups > 0 && at_dim(l, input, 1) % groups == 0, "%lld groups", (long long)groups);
  const int64_t channels = at_dim(l, input, 1);
  const uint32_t rank = at_rank(input);
  ten_value *x = at_cast(l, input, wide), *mean = group_mean(l, x, groups);
  ten_value *gap = at_sub(l, x, at_to_channels(l, mean, channels, rank));
  ten_value *rstd = at_rsqrt(l, at_addn(l, group_mean(l, at_mul(l, gap, gap), groups), at_float(l, "eps", 1e-5)));
  ten_value *scale = at_to_channels(l, rstd, channels, rank);
  if (weight) scale = at_mul(l, scale, channel(l, weight, x, wide));
  ten_value *y = at_mul(l, gap, scale);
  if (bias) y = at_add(l, y, channel(l, bias, x, wide));
  at_ret(l, 0, at_cast(l, y, dtype));
  const ten_type *declared = at_declared(l, 1);
  const ten_dtype stat = declared ? declared->dtype : wide;
  at_ret(l, 1, at_cast(l, mean, stat));
  at_ret(l, 2, at_cast(l, rstd, stat));
}

static void lower_weight_norm(at *l) {
  ten_value *v = at_t(l, "v"), *g = at_t(l, "g");
  const int64_t dim = at_int(l, "dim", 0);
  int64_t dims[AT_DIMS];
  uint32_t n = 0;
  for (uint32_t i = 0; i < at_rank(v); i++)
    if (i != dim) dims[n++] = i;
  ten_value *norm = at_sqrt(l, at_sum(l, at_mul(l, v, v), n, dims, true));
  at_ret(l, 0, at_mul(l, v, at_div(l, g, norm)));
  at_ret(l, 1, norm);
}

static void lower_renorm(at *l) {
  ten_value *x = at_t(l, "self");
  const double p = at_float(l, "p", 2), limit = at_float(l, "maxnorm", 1);
  const int64_t dim = at_dim_arg(l, "dim", 0, at_rank(x));
  int64_t dims[AT_DIMS];
  uint32_t n = 0;
  for (uint32_t i = 0; i < at_rank(x); i++)
    if (i != dim) dims[n++] = i;
  ten_value *size = at_un(l, TEN_OP_ABS, x);
  ten_value *norm =
      isinf(p) ? at_reduce(l, TEN_OP_MAXIMUM, size, n, dims, true)
      : p == 2 ? at_sqrt(l, at_sum(l, at_mul(l, size, size), n, dims, true))
               : at_bin(l, TEN_OP_POWER, at_sum(l, at_bin(l, TEN_OP_POWER, size, at_num(l, x, p)), n, dims, true),
                        at_num(l, x, 1 / p));
  ten_value *factor = at_div(l, at_num(l, x, limit), at_addn(l, norm, 1e-7));
  at_ret(l, 0, at_mul(l, x, at_sel(l, at_cmp(l, TEN_GT, norm, at_num(l, x, limit)), factor, at_num(l, x, 1))));
}

const at_row at_rows_norm[] = {{"batch_norm", lower_batch_norm},
                               {"native_batch_norm", lower_batch_norm},
                               {"_native_batch_norm_legit", lower_batch_norm},
                               {"_native_batch_norm_legit.no_stats", lower_batch_norm, .code = 1},
                               {"_native_batch_norm_legit_no_training", lower_batch_norm, .code = 2},
                               {"_native_batch_norm_legit_functional", lower_batch_norm, .code = 4},
                               {"_batch_norm_with_update", lower_batch_norm, .code = 1},
                               {"_batch_norm_with_update_functional", lower_batch_norm, .code = 5},
                               {"_batch_norm_no_update", lower_batch_norm, .code = 2},
                               {"cudnn_batch_norm", lower_batch_norm},
                               {"instance_norm", lower_instance_norm},
                               {"layer_norm", lower_layer_norm},
                               {"native_layer_norm", lower_layer_norm},
                               {"rms_norm", lower_rms_norm},
                               {"_fused_rms_norm", lower_rms_norm},
                               {"group_norm", lower_group_norm},
                               {"native_group_norm", lower_group_norm, .code = 1},
                               {"_weight_norm", lower_weight_norm},
                               {"_weight_norm_interface", lower_weight_norm},
                               {"renorm", lower_renorm},
                               {NULL}};
