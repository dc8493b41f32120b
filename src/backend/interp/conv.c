/* conv.c: convolution, by its definition: for each output, the sum over window and input features. Padding is zero and
 * is skipped in the sum. Integers wrap; floats are summed in f32, f64 in f64, and rounded once to the result's type. */
#include <stdlib.h>

#include "backend/interp/interp.h"
#include "backend/interp/lanes.h"

typedef struct conv {
  ten_conv_dims dims;
  uint32_t rank; /* spatial */
  int64_t stride[TEN_RANK_MAX], low[TEN_RANK_MAX], high[TEN_RANK_MAX], base[TEN_RANK_MAX], dilation[TEN_RANK_MAX];
  bool reversed[TEN_RANK_MAX];
  int64_t kernel[TEN_RANK_MAX], in[TEN_RANK_MAX], out[TEN_RANK_MAX]; /* spatial sizes */
  int64_t batch, features_in,
      features_out; /* of the output: batch; of the kernel: features in; of the output: features */
  int64_t feature_groups, batch_groups;
  size_t xs[TEN_RANK_MAX], ks[TEN_RANK_MAX], os[TEN_RANK_MAX]; /* strides in elements */
} conv;

static void element_strides(const ten_tensor *tensor, size_t *strides) {
  size_t stride = 1;
  for (uint32_t i = tensor->rank; i-- > 0;) {
    strides[i] = stride;
    stride *= (size_t)tensor->dims[i];
  }
}

static void list_of(const ten_op *op, const char *name, uint32_t rank, int64_t *out) {
  const ten_ints list = ten_op_ints(op, name);
  for (uint32_t i = 0; i < rank; i++) out[i] = list.count >= rank ? list.data[i] : 1; /* dynamic_conv: may be longer */
}

static ten_status *conv_of(interp_call *call, const ten_tensor *x, const ten_tensor *k, conv *c) {
  const ten_op *op = call->op;
  if (x->rank < 2 || k->rank != x->rank)
    return interp_error(call, TEN_INVALID, "operands of rank %u and %u: the ranks must be equal and at least 2",
                        x->rank, k->rank);
  c->dims = ten_conv_dims_of(ten_op_attr(op, "dimension_numbers"));
  c->rank = x->rank - 2;
  if (c->dims.input_spatial.count != c->rank || c->dims.kernel_spatial.count != c->rank ||
      c->dims.output_spatial.count != c->rank)
    return interp_error(call, TEN_INVALID, "dimension numbers do not fit rank %u", x->rank);
  list_of(op, "window_strides", c->rank, c->stride);
  list_of(op, "lhs_dilation", c->rank, c->base);
  list_of(op, "rhs_dilation", c->rank, c->dilation);
  const ten_attr *padding = ten_op_attr(op, "padding"), *reversal = ten_op_attr(op, "window_reversal");
  for (uint32_t i = 0; i < c->rank; i++) {
    if (op->code == TEN_OP_DYNAMIC_CONV) {
      if (call->in[2]->count < 2 * (size_t)c->rank)
        return interp_error(call, TEN_INVALID, "padding has %zu entries", call->in[2]->count);
      c->low[i] = ten_tensor_int(call->in[2], 2 * i);
      c->high[i] = ten_tensor_int(call->in[2], 2 * i + 1);
    } else {
      c->low[i] = padding ? ten_dense_int(padding, 2 * i) : 0;
      c->high[i] = padding ? ten_dense_int(padding, 2 * i + 1) : 0;
    }
    c->reversed[i] = reversal && reversal->kind == TEN_ATTR_LIST && i < reversal->list.count &&
                     ((const uint8_t *)reversal->list.data)[i];
    c->in[i] = x->dims[c->dims.input_spatial.data[i]];
    c->kernel[i] = k->dims[c->dims.kernel_spatial.data[i]];
    if (c->stride[i] <= 0 || c->base[i] <= 0 || c->dilation[i] <= 0)
      return interp_error(call, TEN_INVALID, "strides and dilations must be positive");
    const ten_window_dim window = {c->kernel[i], c->stride[i], c->low[i], c->high[i], c->base[i], c->dilation[i]};
    if (!ten_window_places(c->in[i], &window, &c->out[i]))
      return interp_error(call, TEN_LIMIT, "spatial dimension %u is too large", i);
    if (!c->kernel[i]) c->out[i] = 0;
  }
  c->feature_groups = ten_op_int(op, "feature_group_count", 1);
  c->batch_groups = ten_op_int(op, "batch_group_count", 1);
  c->features_in = k->dims[c->dims.kernel_input_feature];
  c->features_out = k->dims[c->dims.kernel_output_feature];
  if (c->feature_groups <= 0 || c->batch_groups <= 0 || x->dims[c->dims.input_batch] % c->batch_groups ||
      x->dims[c->dims.input_feature] != c->features_in * c->feature_groups || c->features_out % c->feature_groups ||
      c->features_out % c->batch_groups)
    return interp_error(
        call, TEN_INVALID,
        "groups do not fit: %lld input features, kernel %lld in, %lld out, %lld feature groups, %lld batch groups",
        (long long)x->dims[c->dims.input_feature], (long long)c->features_in, (long long)c->features_out,
        (long long)c->feature_groups, (long long)c->batch_groups);
  c->batch = x->dims[c->dims.input_batch] / c->batch_groups;
  element_strides(x, c->xs);
  element_strides(k, c->ks);
  return NULL;
}

typedef struct taps {
  size_t *x, *k; /* offsets of the multiplied pairs */
  size_t count;
} taps;

/* The pairs of one output position, over all window elements inside the operand. */
static void window_taps(const conv *c, const int64_t *position, taps *t) {
  t->count = 0;
  int64_t at[TEN_RANK_MAX] = {0};
  do {
    size_t x = 0, k = 0;
    bool inside = true;
    for (uint32_t i = 0; i < c->rank && inside; i++) {
      const int64_t place = position[i] * c->stride[i] + at[i] * c->dilation[i] - c->low[i];
      inside = place >= 0 && place % c->base[i] == 0 && place / c->base[i] < c->in[i];
      if (!inside) break;
      x += (size_t)(place / c->base[i]) * c->xs[c->dims.input_spatial.data[i]];
      k += (size_t)(c->reversed[i] ? c->kernel[i] - 1 - at[i] : at[i]) * c->ks[c->dims.kernel_spatial.data[i]];
    }
    if (inside) t->x[t->count] = x, t->k[t->count] = k, t->count++;
  } while (interp_index_next(c->rank, c->kernel, at));
}

typedef struct lanes_pair {
  const int64_t *xi, *ki;
  const double *xr, *kr;
  bool integral, complex;
  bool single; /* sums are f32 */
} lanes_pair;

static double keep(bool single, double value) { return single ? (double)(float)value : value; }

static void conv_one(const conv *c, const taps *t, const lanes_pair *l, size_t x0, size_t k0, ten_tensor *out,
                     size_t at) {
  const size_t xf = c->xs[c->dims.input_feature], kf = c->ks[c->dims.kernel_input_feature];
  uint64_t whole = 0;
  double real = 0, imag = 0;
  for (size_t i = 0; i < t->count; i++) {
    size_t x = x0 + t->x[i], k = k0 + t->k[i];
    for (int64_t f = 0; f < c->features_in; f++, x += xf, k += kf) {
      if (l->integral) {
        whole += (uint64_t)l->xi[x] * (uint64_t)l->ki[k];
      } else if (l->complex) {
        real = keep(l->single, real + (l->xr[2 * x] * l->kr[2 * k] - l->xr[2 * x + 1] * l->kr[2 * k + 1]));
        imag = keep(l->single, imag + (l->xr[2 * x] * l->kr[2 * k + 1] + l->xr[2 * x + 1] * l->kr[2 * k]));
      } else {
        real = keep(l->single, real + keep(l->single, l->xr[x] * l->kr[k]));
      }
    }
  }
  if (l->integral && interp_is_integral(out->dtype)) {
    interp_store_int(out, at, (int64_t)whole);
  } else if (l->complex) {
    interp_store_real(out, 2 * at, real);
    interp_store_real(out, 2 * at + 1, imag);
  } else {
    interp_store_real(out, at, l->integral ? (double)(int64_t)whole : real);
  }
}

static void conv_all(const conv *c, const lanes_pair *l, taps *t, ten_tensor *out) {
  size_t os[TEN_RANK_MAX];
  element_strides(out, os);
  const int64_t per_feature_group = c->features_out / c->feature_groups,
                per_batch_group = c->features_out / c->batch_groups;
  int64_t position[TEN_RANK_MAX] = {0};
  do {
    window_taps(c, position, t);
    size_t at = 0;
    for (uint32_t i = 0; i < c->rank; i++) at += (size_t)position[i] * os[c->dims.output_spatial.data[i]];
    for (int64_t b = 0; b < c->batch; b++)
      for (int64_t f = 0; f < c->features_out; f++) {
        const int64_t row = (c->batch_groups > 1 ? f / per_batch_group * c->batch : 0) + b;
        const size_t x0 = (size_t)row * c->xs[c->dims.input_batch] +
                          (size_t)(f / per_feature_group * c->features_in) * c->xs[c->dims.input_feature];
        conv_one(c, t, l, x0, (size_t)f * c->ks[c->dims.kernel_output_feature], out,
                 at + (size_t)b * os[c->dims.output_batch] + (size_t)f * os[c->dims.output_feature]);
      }
  } while (interp_index_next(c->rank, c->out, position));
}

ten_status *interp_convolution(interp_call *call) {
  ten_tensor *x = call->in[0], *k = call->in[1];
  conv *c = ten_alloc(sizeof *c);
  memset(c, 0, sizeof *c);
  ten_status *status = conv_of(call, x, k, c);
  int64_t dims[TEN_RANK_MAX];
  if (!status) {
    dims[c->dims.output_batch] = c->batch;
    dims[c->dims.output_feature] = c->features_out;
    for (uint32_t i = 0; i < c->rank; i++) dims[c->dims.output_spatial.data[i]] = c->out[i];
    status = interp_make(call, 0, x->rank, dims, &call->out[0]);
  }
  if (!status && call->out[0]->count) {
    size_t window = 1;
    for (uint32_t i = 0; i < c->rank; i++) window *= (size_t)c->kernel[i];
    taps t = {.x = ten_alloc(window * sizeof(size_t)), .k = ten_alloc(window * sizeof(size_t))};
    interp_lanes left = {0}, right = {0};
    lanes_pair l = {
        .integral = interp_is_integral(x->dtype),
        .complex = ten_dtype_is_complex(x->dtype),
        .single = ten_dtype_bytes(ten_dtype_part(x->dtype)) <= 4 && ten_dtype_bytes(ten_dtype_part(k->dtype)) <= 4};
    if (l.integral)
      l.xi = interp_lanes_ints(&left, x), l.ki = interp_lanes_ints(&right, k);
    else
      l.xr = interp_lanes_reals(&left, x), l.kr = interp_lanes_reals(&right, k);
    conv_all(c, &l, &t, call->out[0]);
    interp_lanes_free(&left);
    interp_lanes_free(&right);
    free(t.x);
    free(t.k);
  }
  free(c);
  return status;
}
