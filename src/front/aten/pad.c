/* pad.c: constant, reflective, replicating and circular padding. */
#include "front/aten/lower.h"

static void lower_constant_pad(at *l) {
  ten_value *x = at_t(l, "self");
  const ten_ints pad = at_ints(l, "pad");
  const at_ref fill = at_arg(l, "value");
  at_check(l, pad.count % 2 == 0 && pad.count / 2 <= at_rank(x), "%zu amounts", pad.count);
  int64_t low[AT_DIMS] = {0}, high[AT_DIMS] = {0}, inner[AT_DIMS] = {0};
  for (size_t i = 0; i < pad.count / 2; i++) {
    const size_t dim = at_rank(x) - 1 - i;
    low[dim] = pad.data[2 * i], high[dim] = pad.data[2 * i + 1];
    at_check(l,
             llabs(low[dim]) < (int64_t)1 << 40 && llabs(high[dim]) < (int64_t)1 << 40 &&
                 at_dim(l, x, (int64_t)dim) + low[dim] + high[dim] >= 0,
             "padding of %lld and %lld", (long long)low[dim], (long long)high[dim]);
  }
  ten_value *value = fill.kind == AT_NONE ? at_num(l, x, 0) : at_reshape(l, at_ref_value(l, fill, at_type(x)), 0, NULL);
  at_ret(l, 0, ten_build_pad(&l->b, x, value, low, high, inner));
}

typedef enum pad_mode { PAD_REFLECT, PAD_REPLICATE, PAD_CIRCULAR } pad_mode;

static ten_value *strip(at *l, ten_value *x, int64_t dim, pad_mode mode, int64_t amount, bool front) {
  const int64_t n = at_dim(l, x, dim);
  if (mode == PAD_CIRCULAR) {
    at_check(l, amount <= n, "padding of %lld around %lld", (long long)amount, (long long)n);
    return front ? at_slice(l, x, dim, n - amount, n, 1) : at_slice(l, x, dim, 0, amount, 1);
  }
  if (mode == PAD_REPLICATE) {
    int64_t dims[AT_DIMS];
    for (uint32_t i = 0; i < at_rank(x); i++) dims[i] = i == dim ? amount : at_dim(l, x, i);
    return at_expand(l, front ? at_slice(l, x, dim, 0, 1, 1) : at_slice(l, x, dim, n - 1, n, 1), at_rank(x), dims);
  }
  at_check(l, amount < n, "reflection of %lld in %lld", (long long)amount, (long long)n);
  ten_value *part = front ? at_slice(l, x, dim, 1, amount + 1, 1) : at_slice(l, x, dim, n - 1 - amount, n - 1, 1);
  return ten_build_reverse(&l->b, part, 1, &dim);
}

static ten_value *pad_by(at *l, ten_value *x, ten_ints pad, pad_mode mode) {
  at_check(l, pad.count % 2 == 0 && pad.count / 2 <= at_rank(x), "%zu amounts", pad.count);
  for (size_t i = 0; i < pad.count / 2; i++) {
    const int64_t dim = (int64_t)(at_rank(x) - 1 - i);
    int64_t low = pad.data[2 * i], high = pad.data[2 * i + 1];
    const int64_t cut_low = low < 0 ? -low : 0, cut_high = high < 0 ? -high : 0;
    if (low < 0) low = 0;
    if (high < 0) high = 0;
    /* Negative amounts crop: before circular padding, after edge padding. */
    if (mode == PAD_CIRCULAR) x = at_slice(l, x, dim, cut_low, at_dim(l, x, dim) - cut_high, 1);
    ten_value *parts[3];
    size_t n = 0;
    if (low) parts[n++] = strip(l, x, dim, mode, low, true);
    parts[n++] = x;
    if (high) parts[n++] = strip(l, x, dim, mode, high, false);
    x = at_cat(l, n, parts, dim);
    if (mode != PAD_CIRCULAR) x = at_slice(l, x, dim, cut_low, at_dim(l, x, dim) - cut_high, 1);
  }
  return x;
}

static void lower_pad_mode(at *l) {
  at_ret(l, 0, pad_by(l, at_t(l, "self"), at_ints(l, "padding"), (pad_mode)l->row->code));
}

static void lower_pad(at *l) {
  const ten_str mode = at_string(l, "mode");
  if (!mode.size || ten_str_is(mode, "constant")) {
    lower_constant_pad(l);
    return;
  }
  const pad_mode by = ten_str_is(mode, "reflect")     ? PAD_REFLECT
                      : ten_str_is(mode, "replicate") ? PAD_REPLICATE
                                                      : PAD_CIRCULAR;
  at_ret(l, 0, pad_by(l, at_t(l, "self"), at_ints(l, "pad"), by));
}

/* The gradient sums over all copies of an element: the same padding, applied to indices. */
static void lower_pad_backward(at *l) {
  ten_value *grad = at_t(l, "grad_output"), *self = at_t(l, "self");
  const int64_t count = at_count(self);
  ten_value *places = at_reshape(l, at_iota(l, TEN_I64, 1, &count, 0), at_rank(self), at_dims(self));
  places = pad_by(l, places, at_ints(l, "padding"), (pad_mode)l->row->code);
  ten_value *zero = at_full(l, at_type(grad), at_rank(self), at_dims(self), 0);
  at_ret(l, 0, at_scatter_flat(l, TEN_OP_ADD, zero, at_flatten(l, places), at_flatten(l, grad)));
}

const at_row at_rows_pad[] = {{"constant_pad_nd", lower_constant_pad},
                              {"pad", lower_pad},
                              {"reflection_pad1d", lower_pad_mode, .code = PAD_REFLECT},
                              {"reflection_pad2d", lower_pad_mode, .code = PAD_REFLECT},
                              {"reflection_pad3d", lower_pad_mode, .code = PAD_REFLECT},
                              {"replication_pad1d", lower_pad_mode, .code = PAD_REPLICATE},
                              {"replication_pad2d", lower_pad_mode, .code = PAD_REPLICATE},
                              {"replication_pad3d", lower_pad_mode, .code = PAD_REPLICATE},
                              {"_pad_circular", lower_pad},
                              {"reflection_pad1d_backward", lower_pad_backward, .code = PAD_REFLECT},
                              {"reflection_pad2d_backward", lower_pad_backward, .code = PAD_REFLECT},
                              {"reflection_pad3d_backward", lower_pad_backward, .code = PAD_REFLECT},
                              {"replication_pad1d_backward", lower_pad_backward, .code = PAD_REPLICATE},
                              {"replication_pad2d_backward", lower_pad_backward, .code = PAD_REPLICATE},
                              {"replication_pad3d_backward", lower_pad_backward, .code = PAD_REPLICATE},
                              {NULL}};
