/* conv.c: convolutions, plain and transposed, and their gradients, in PyTorch's dimension order: [batch, feature,
 * spatial…] and [out, in/groups, spatial…]. The backend chooses the fastest layout. */
#include "front/aten/lower.h"

enum { SPATIAL_MAX = 3 };

typedef struct window {
  uint32_t rank; /* spatial */
  int64_t stride[SPATIAL_MAX], low[SPATIAL_MAX], high[SPATIAL_MAX], dilation[SPATIAL_MAX], lhs_dilation[SPATIAL_MAX];
  int64_t groups, batch_groups;
} window;

static const int64_t spatial_dims[SPATIAL_MAX] = {2, 3, 4};

static ten_value *convolve(at *l, ten_value *x, ten_value *kernel, const window *w, ten_conv_dims dims) {
  int64_t padding[2 * SPATIAL_MAX];
  for (uint32_t i = 0; i < w->rank; i++) padding[2 * i] = w->low[i], padding[2 * i + 1] = w->high[i];
  ten_ints spatial = {spatial_dims, w->rank};
  dims.input_spatial = dims.kernel_spatial = dims.output_spatial = spatial;
  const ten_conv_config config = {.dims = dims,
                                  .rank = w->rank,
                                  .strides = w->stride,
                                  .padding = padding,
                                  .lhs_dilation = w->lhs_dilation,
                                  .rhs_dilation = w->dilation,
                                  .feature_groups = w->groups,
                                  .batch_groups = w->batch_groups};
  return ten_build_conv(&l->b, x, kernel, &config);
}

/* [batch, feature…] × [out, in…] → [batch, out…] */
static const ten_conv_dims plain_dims = {.input_batch = 0,
                                         .input_feature = 1,
                                         .kernel_input_feature = 1,
                                         .kernel_output_feature = 0,
                                         .output_batch = 0,
                                         .output_feature = 1};

static window window_of(uint32_t rank) {
  window w = {.rank = rank, .groups = 1, .batch_groups = 1};
  for (uint32_t i = 0; i < SPATIAL_MAX; i++) w.stride[i] = w.dilation[i] = w.lhs_dilation[i] = 1;
  return w;
}

static ten_value *flip_spatial(at *l, ten_value *kernel, uint32_t rank) {
  return ten_build_reverse(&l->b, kernel, rank, spatial_dims);
}

/* [in, out/groups, …] → [out, in/groups, …] */
static ten_value *swap_features(at *l, ten_value *kernel, int64_t groups) {
  int64_t dims[SPATIAL_MAX + 3], order[SPATIAL_MAX + 3];
  const uint32_t rank = at_rank(kernel);
  const int64_t in = at_dim(l, kernel, 0), out = at_dim(l, kernel, 1);
  if (groups == 1) return at_swap(l, kernel, 0, 1);
  dims[0] = groups, dims[1] = in / groups, dims[2] = out;
  for (uint32_t i = 2; i < rank; i++) dims[i + 1] = at_dim(l, kernel, i);
  for (uint32_t i = 0; i <= rank; i++) order[i] = i;
  order[1] = 2, order[2] = 1;
  ten_value *y = at_permute(l, at_reshape(l, kernel, rank + 1, dims), order);
  int64_t flat[SPATIAL_MAX + 2] = {groups * out, in / groups};
  for (uint32_t i = 2; i < rank; i++) flat[i] = at_dim(l, kernel, i);
  return at_reshape(l, y, rank, flat);
}

static ten_value *transposed_conv(at *l, ten_value *x, ten_value *kernel, const window *given,
                                  const int64_t *output_padding) {
  window w = *given;
  for (uint32_t i = 0; i < w.rank; i++) {
    const int64_t reach = at_reach(l, given->dilation[i], at_dim(l, kernel, i + 2));
    w.lhs_dilation[i] = given->stride[i];
    w.stride[i] = 1;
    w.low[i] = reach - given->low[i];
    w.high[i] = reach - given->high[i] + output_padding[i];
  }
  return convolve(l, x, flip_spatial(l, swap_features(l, kernel, w.groups), w.rank), &w, plain_dims);
}

static ten_value *with_bias(at *l, ten_value *y, ten_value *bias) {
  return bias ? at_add(l, y, at_along(l, bias, at_rank(y), 1)) : y;
}

static void check_window(at *l, const ten_value *x, const ten_value *kernel, const window *w, bool transposed) {
  at_check(l, w->rank >= 1 && w->rank <= SPATIAL_MAX && at_rank(x) == w->rank + 2, "an input of %u dimensions",
           at_rank(x));
  at_check(l, w->groups > 0, "%lld groups", (long long)w->groups);
  const int64_t wanted = transposed ? at_dim(l, kernel, 0) : at_mul_size(l, at_dim(l, kernel, 1), w->groups);
  at_check(l, at_dim(l, x, 1) == wanted, "kernel has %lld input features, input has %lld (groups = %lld)",
           (long long)wanted, (long long)at_dim(l, x, 1), (long long)w->groups);
  at_check(l, at_dim(l, kernel, 0) % w->groups == 0, "features do not divide into %lld groups", (long long)w->groups);
  for (uint32_t i = 0; i < w->rank; i++) {
    at_check(l,
             w->stride[i] > 0 && w->dilation[i] > 0 && llabs(w->low[i]) < 1 << 30 && w->stride[i] < 1 << 30 &&
                 w->dilation[i] < 1 << 30,
             "a stride of %lld", (long long)w->stride[i]);
    const int64_t reach = ten_dilated(at_dim(l, kernel, i + 2), w->dilation[i]);
    at_check(l, transposed || at_dim(l, x, i + 2) + w->low[i] + w->high[i] >= reach,
             "the kernel is larger than the padded input");
  }
}

/* conv1d…3d, conv_transpose1d…3d, convolution: code is 1 for the transposed ones. */
static void lower_conv(at *l) {
  ten_value *x = at_autocast(l, at_t(l, "input")), *kernel = at_autocast(l, at_t(l, "weight")),
            *bias = at_autocast(l, at_topt(l, "bias"));
  const uint32_t rank = at_rank(kernel) >= 2 ? at_rank(kernel) - 2 : 0;
  at_check(l, rank >= 1 && rank <= SPATIAL_MAX, "a kernel of %u dimensions", at_rank(kernel));
  const bool transposed = l->row->code || at_bool(l, "transposed", false), single = at_rank(x) == rank + 1;
  if (single) x = at_unsqueeze(l, x, 0);
  window w = window_of(rank);
  int64_t output_padding[SPATIAL_MAX], padding[SPATIAL_MAX] = {0};
  at_window(l, "stride", rank, 1, w.stride);
  at_window(l, "dilation", rank, 1, w.dilation);
  at_window(l, "output_padding", rank, 0, output_padding);
  w.groups = at_int(l, "groups", 1);
  const ten_str mode = at_string(l, "padding");
  if (!mode.size) at_window(l, "padding", rank, 0, padding);
  for (uint32_t i = 0; i < rank; i++) {
    at_check(l, padding[i] >= 0, "negative padding is not supported: %lld", (long long)padding[i]);
    w.low[i] = w.high[i] = padding[i];
    if (ten_str_is(mode, "same")) {
      const int64_t total = at_reach(l, w.dilation[i], at_dim(l, kernel, i + 2));
      w.low[i] = total / 2, w.high[i] = total - total / 2;
    }
  }
  check_window(l, x, kernel, &w, transposed);
  ten_value *y =
      transposed ? transposed_conv(l, x, kernel, &w, output_padding) : convolve(l, x, kernel, &w, plain_dims);
  y = with_bias(l, y, bias);
  at_ret(l, 0, single ? at_squeeze(l, y, 0) : y);
}

/* ---- gradients ---- */
/* d/dx of a plain convolution: the transposed one, with the size of x. */
static ten_value *grad_of_input(at *l, ten_value *grad, ten_value *kernel, const ten_value *x, const window *given) {
  window w = *given;
  for (uint32_t i = 0; i < w.rank; i++) {
    const int64_t reach = at_reach(l, given->dilation[i], at_dim(l, kernel, i + 2));
    w.lhs_dilation[i] = given->stride[i];
    w.stride[i] = 1;
    w.low[i] = reach - given->low[i];
    const int64_t grown = at_reach(l, given->stride[i], at_dim(l, grad, i + 2)) + 1;
    w.high[i] = at_dim(l, x, i + 2) - (grown + w.low[i] - reach);
  }
  return convolve(l, grad, flip_spatial(l, swap_features(l, kernel, w.groups), w.rank), &w, plain_dims);
}

/* d/dkernel: features of x as batch, batch as features, grad as the kernel. */
static ten_value *grad_of_kernel(at *l, ten_value *grad, ten_value *x, const ten_value *kernel, const window *given) {
  window w = *given;
  for (uint32_t i = 0; i < w.rank; i++) {
    w.dilation[i] = given->stride[i];
    w.stride[i] = given->dilation[i];
    const int64_t reach = at_reach(l, given->stride[i], at_dim(l, grad, i + 2)) + 1;
    w.high[i] = at_reach(l, given->dilation[i], at_dim(l, kernel, i + 2)) + reach - at_dim(l, x, i + 2) - given->low[i];
  }
  w.groups = 1, w.batch_groups = given->groups;
  const ten_conv_dims dims = {.input_batch = 1,
                              .input_feature = 0,
                              .kernel_input_feature = 0,
                              .kernel_output_feature = 1,
                              .output_batch = 1,
                              .output_feature = 0};
  return convolve(l, x, grad, &w, dims);
}

static void lower_conv_backward(at *l) {
  ten_value *grad = at_t(l, "grad_output"), *x = at_t(l, "input"), *kernel = at_t(l, "weight");
  const uint32_t rank = at_rank(kernel) - 2;
  at_check(l, rank >= 1 && rank <= SPATIAL_MAX, "a kernel of %u dimensions", at_rank(kernel));
  const bool transposed = at_bool(l, "transposed", false);
  const ten_ints mask = at_ints(l, "output_mask");
  window w = window_of(rank);
  int64_t padding[SPATIAL_MAX], zero[SPATIAL_MAX] = {0};
  at_window(l, "stride", rank, 1, w.stride);
  at_window(l, "dilation", rank, 1, w.dilation);
  at_window(l, "padding", rank, 0, padding);
  w.groups = at_int(l, "groups", 1);
  for (uint32_t i = 0; i < rank; i++) w.low[i] = w.high[i] = padding[i];
  check_window(l, x, kernel, &w, transposed);
  (void)zero;
  if (mask.count < 1 || mask.data[0]) {
    /* The gradient of a transposed convolution is the plain one. */
    if (!transposed)
      at_ret(l, 0, grad_of_input(l, grad, kernel, x, &w));
    else {
      /* Output padding may leave rows of grad that no input reached. */
      window plain = w;
      for (uint32_t i = 0; i < rank; i++) {
        const int64_t reach = at_reach(l, w.dilation[i], at_dim(l, kernel, i + 2)) + 1;
        plain.high[i] = at_reach(l, w.stride[i], at_dim(l, x, i + 2)) + reach - at_dim(l, grad, i + 2) - w.low[i];
      }
      at_ret(l, 0, convolve(l, grad, kernel, &plain, plain_dims));
    }
  }
  if (mask.count < 2 || mask.data[1]) {
    if (!transposed)
      at_ret(l, 1, grad_of_kernel(l, grad, x, kernel, &w));
    else
      at_ret(l, 1, grad_of_kernel(l, x, grad, kernel, &w));
  }
  if (mask.count < 3 || mask.data[2]) {
    int64_t dims[SPATIAL_MAX + 1] = {0, 2, 3, 4};
    at_ret(l, 2, at_sum(l, grad, rank + 1, dims, false));
  }
}

/* [n, c·k, blocks]: the values of every window. */
static void lower_im2col(at *l) {
  ten_value *x = at_t(l, "self");
  int64_t kernel[2], dilation[2], padding[2], stride[2];
  at_window(l, "kernel_size", 2, 1, kernel);
  at_window(l, "dilation", 2, 1, dilation);
  at_window(l, "padding", 2, 0, padding);
  at_window(l, "stride", 2, 1, stride);
  for (int i = 0; i < 2; i++)
    at_check(l, kernel[i] > 0 && stride[i] > 0, "windows of %lld by steps of %lld", (long long)kernel[i],
             (long long)stride[i]);
  const bool single = at_rank(x) == 3;
  if (single) x = at_unsqueeze(l, x, 0);
  at_check(l, at_rank(x) == 4, "an image is needed");
  int64_t out[2];
  for (int i = 0; i < 2; i++) {
    x = at_pad(l, x, i + 2, padding[i], padding[i], 0, 0);
    at_check(l, at_dim(l, x, i + 2) >= dilation[i] * (kernel[i] - 1) + 1, "windows larger than the image");
    out[i] = (at_dim(l, x, i + 2) - dilation[i] * (kernel[i] - 1) - 1) / stride[i] + 1;
    const int64_t grid[2] = {kernel[i], out[i]};
    ten_value *place = at_add(l, at_muln(l, at_iota(l, TEN_I64, 2, grid, 0), (double)dilation[i]),
                              at_muln(l, at_iota(l, TEN_I64, 2, grid, 1), (double)stride[i]));
    x = at_take(l, x, place, i == 0 ? 2 : 4); /* n c kh oh (kw ow) */
    if (i == 0) {                             /* the width is dimension 4 now: pad and gather it here */
      int64_t dims[5] = {at_dim(l, x, 0), at_dim(l, x, 1), at_dim(l, x, 2), at_dim(l, x, 3), at_dim(l, x, 4)};
      x = at_pad(l, x, 4, padding[1], padding[1], 0, 0);
      dims[4] = at_dim(l, x, 4);
      out[1] = (dims[4] - dilation[1] * (kernel[1] - 1) - 1) / stride[1] + 1;
      const int64_t wide[2] = {kernel[1], out[1]};
      ten_value *col = at_add(l, at_muln(l, at_iota(l, TEN_I64, 2, wide, 0), (double)dilation[1]),
                              at_muln(l, at_iota(l, TEN_I64, 2, wide, 1), (double)stride[1]));
      x = at_take(l, x, col, 4); /* n c kh oh kw ow */
      break;
    }
  }
  const int64_t order[6] = {0, 1, 2, 4, 3, 5};
  x = at_permute(l, x, order);
  const int64_t dims[3] = {at_dim(l, x, 0), at_mul_size(l, at_dim(l, x, 1), kernel[0] * kernel[1]),
                           at_mul_size(l, out[0], out[1])};
  x = at_reshape(l, x, 3, dims);
  at_ret(l, 0, single ? at_squeeze(l, x, 0) : x);
}

/* The reverse of im2col: overlapping values are added. */
static void lower_col2im(at *l) {
  ten_value *x = at_t(l, "self");
  int64_t kernel[2], dilation[2], padding[2], stride[2], size[2];
  at_window(l, "kernel_size", 2, 1, kernel);
  at_window(l, "dilation", 2, 1, dilation);
  at_window(l, "padding", 2, 0, padding);
  at_window(l, "stride", 2, 1, stride);
  at_window(l, "output_size", 2, 1, size);
  const bool single = at_rank(x) == 2;
  if (single) x = at_unsqueeze(l, x, 0);
  int64_t out[2], padded[2];
  for (int i = 0; i < 2; i++) {
    padded[i] = size[i] + 2 * padding[i];
    at_check(l, kernel[i] > 0 && stride[i] > 0 && padded[i] >= dilation[i] * (kernel[i] - 1) + 1,
             "windows larger than the image");
    out[i] = (padded[i] - dilation[i] * (kernel[i] - 1) - 1) / stride[i] + 1;
  }
  const int64_t n = at_dim(l, x, 0), c = at_dim(l, x, 1) / (kernel[0] * kernel[1]),
                cells = at_mul_size(l, padded[0], padded[1]);
  const int64_t grid[4] = {kernel[0], kernel[1], out[0], out[1]};
  ten_value *row = at_add(l, at_muln(l, at_iota(l, TEN_I64, 4, grid, 0), (double)dilation[0]),
                          at_muln(l, at_iota(l, TEN_I64, 4, grid, 2), (double)stride[0]));
  ten_value *col = at_add(l, at_muln(l, at_iota(l, TEN_I64, 4, grid, 1), (double)dilation[1]),
                          at_muln(l, at_iota(l, TEN_I64, 4, grid, 3), (double)stride[1]));
  ten_value *place = at_flatten(l, at_add(l, at_muln(l, row, (double)padded[1]), col));
  const int64_t flat[2] = {n * c, cells}, values[2] = {n * c, at_count(place)};
  ten_value *updates = at_reshape(l, x, 2, values);
  ten_value *y = at_scatter(l, TEN_OP_ADD, at_full(l, at_type(x), 2, flat, 0),
                            at_expand(l, at_unsqueeze(l, place, 0), 2, values), updates, 1);
  const int64_t image[4] = {n, c, padded[0], padded[1]};
  y = at_reshape(l, y, 4, image);
  for (int i = 0; i < 2; i++) y = at_slice(l, y, i + 2, padding[i], padding[i] + size[i], 1);
  at_ret(l, 0, single ? at_squeeze(l, y, 0) : y);
}

const at_row at_rows_conv[] = {{"conv1d", lower_conv},
                               {"conv2d", lower_conv},
                               {"conv3d", lower_conv},
                               {"convolution", lower_conv},
                               {"_convolution", lower_conv},
                               {"_convolution_mode", lower_conv},
                               {"convolution_overrideable", lower_conv},
                               {"mkldnn_convolution", lower_conv},
                               {"conv_transpose1d", lower_conv, .code = 1},
                               {"conv_transpose2d", lower_conv, .code = 1},
                               {"conv_transpose3d", lower_conv, .code = 1},
                               {"convolution_backward", lower_conv_backward},
                               {"im2col", lower_im2col},
                               {"col2im", lower_col2im},
                               {NULL}};
