/* conv.c: convolution, and checks shared with dynamic_conv. */
#include "ir/verify/rules.h"

static ten_status *want_dimension_numbers(ten_module *m, const ten_op *op, uint32_t rank, int64_t first, int64_t second,
                                          ten_ints spatial, const char *name) {
  int64_t *all = ten_arena_new_array(&m->arena, int64_t, spatial.count + 2);
  all[0] = first;
  all[1] = second;
  for (size_t i = 0; i < spatial.count; i++) all[i + 2] = spatial.data[i];
  const ten_ints list = {all, spatial.count + 2};
  TEN_TRY(ten_want_in_range(m, op, list, rank, name, "input"));
  return ten_want_unique(m, op, list, name);
}

static ten_status *want_dims(ten_module *m, const ten_op *op, const ten_conv_dims *d, uint32_t rank) {
  WANT(d->input_spatial.count == d->kernel_spatial.count && d->input_spatial.count == d->output_spatial.count,
       "input, kernel and output have %zu, %zu and %zu spatial dimensions", d->input_spatial.count,
       d->kernel_spatial.count, d->output_spatial.count);
  WANT(d->input_spatial.count + 2 == rank, "dimension_numbers name %zu spatial dimensions, input has rank %u",
       d->input_spatial.count, rank);
  TEN_TRY(want_dimension_numbers(m, op, rank, d->input_batch, d->input_feature, d->input_spatial, "input dimensions"));
  TEN_TRY(want_dimension_numbers(m, op, rank, d->kernel_input_feature, d->kernel_output_feature, d->kernel_spatial,
                                 "kernel dimensions"));
  return want_dimension_numbers(m, op, rank, d->output_batch, d->output_feature, d->output_spatial,
                                "output dimensions");
}

static ten_status *want_groups(const ten_op *op, const ten_conv_dims *d) {
  const ten_type *input = ten_in(op, 0), *kernel = ten_in(op, 1);
  const long long feature_groups = ten_op_int(op, "feature_group_count", 1),
                  batch_groups = ten_op_int(op, "batch_group_count", 1);
  WANT(feature_groups > 0, "feature_group_count = %lld, must be positive", feature_groups);
  WANT(batch_groups > 0, "batch_group_count = %lld, must be positive", batch_groups);
  WANT(feature_groups == 1 || batch_groups == 1,
       "feature_group_count = %lld and batch_group_count = %lld, one must be 1", feature_groups, batch_groups);
  const int64_t batch = input->dims[d->input_batch], features = input->dims[d->input_feature];
  const int64_t kernel_in = kernel->dims[d->kernel_input_feature], kernel_out = kernel->dims[d->kernel_output_feature];
  WANT(!ten_dim_known(batch) || batch % batch_groups == 0,
       "input has batch %lld, not a multiple of batch_group_count = %lld", (long long)batch, batch_groups);
  WANT(!ten_dim_known(features) || features % feature_groups == 0,
       "input has %lld features, not a multiple of feature_group_count = %lld", (long long)features, feature_groups);
  WANT(!ten_dim_known(features) || !ten_dim_known(kernel_in) || features / feature_groups == kernel_in,
       "kernel has %lld input features, input has %lld (feature_group_count = %lld)", (long long)kernel_in,
       (long long)features, feature_groups);
  WANT(!ten_dim_known(kernel_out) || kernel_out % batch_groups == 0,
       "kernel has %lld output features, not a multiple of batch_group_count = %lld", (long long)kernel_out,
       batch_groups);
  WANT(!ten_dim_known(kernel_out) || kernel_out % feature_groups == 0,
       "kernel has %lld output features, not a multiple of feature_group_count = %lld", (long long)kernel_out,
       feature_groups);
  return NULL;
}

ten_status *ten_infer_conv_shape(ten_module *m, const ten_op *op, const ten_ints *padding, const ten_type **out) {
  const ten_type *input = ten_in(op, 0), *kernel = ten_in(op, 1);
  const uint32_t rank = input->rank;
  WANT(rank >= 2, "input %s has rank %u, must have batch and feature dimensions", ten_say_type(m, input), rank);
  WANT(kernel->rank == rank, "input %s has rank %u, kernel %s has %u", ten_say_type(m, input), rank,
       ten_say_type(m, kernel), kernel->rank);
  WANT(input->quant || kernel->quant || ten_elements_equal(input, kernel), "input has elements %s, kernel has %s",
       ten_say_element(m, input), ten_say_element(m, kernel));
  const ten_conv_dims d = ten_conv_dims_of(ten_op_attr(op, "dimension_numbers"));
  TEN_TRY(want_dims(m, op, &d, rank));
  TEN_TRY(want_groups(op, &d));
  TEN_TRY(ten_want_precision(op, TEN_ENUM_PRECISION));

  const uint32_t spatial = rank - 2;
  int64_t *sizes = ten_arena_new_array(&m->arena, int64_t, spatial),
          *dims = ten_arena_new_array(&m->arena, int64_t, rank);
  for (uint32_t i = 0; i < spatial; i++) sizes[i] = kernel->dims[d.kernel_spatial.data[i]];
  ten_window_dim *window;
  const ten_ints none = {0};
  TEN_TRY(ten_want_window(m, op, spatial, sizes, "lhs_dilation", "rhs_dilation", padding ? padding : &none, &window));
  for (uint32_t i = 0; i < spatial; i++) {
    int64_t *dim = &dims[d.output_spatial.data[i]];
    *dim = TEN_DYNAMIC;
    if (padding)
      WANT(ten_window_places(input->dims[d.input_spatial.data[i]], &window[i], dim),
           "spatial dimension %u, padded, is larger than 2^63", i);
  }
  const int64_t batch = input->dims[d.input_batch];
  dims[d.output_batch] = ten_dim_known(batch) ? batch / ten_op_int(op, "batch_group_count", 1) : TEN_DYNAMIC;
  dims[d.output_feature] = kernel->dims[d.kernel_output_feature];
  const ten_type *hint = ten_out(op, 0);
  return *out = ten_make_tensor(m, hint && ten_is_shaped(hint) ? hint->element : input->element, rank, dims, NULL),
         NULL;
}

TEN_INFER(convolution) {
  const uint32_t rank = ten_in(op, 0)->rank;
  ten_ints padding;
  TEN_TRY(ten_want_padding(m, op, rank >= 2 ? rank - 2 : 0, &padding));
  return ten_infer_conv_shape(m, op, &padding, out);
}

TEN_VERIFY(convolution) {
  const ten_type *kernel = ten_in(op, 1), *result = ten_out(op, 0);
  if (!ten_in(op, 0)->quant && !kernel->quant && !result->quant) return NULL;
  const ten_conv_dims d = ten_conv_dims_of(ten_op_attr(op, "dimension_numbers"));
  if (ten_is_per_axis(kernel))
    WANT(kernel->quant->axes[0] == d.kernel_output_feature,
         "kernel is quantized along dimension %d, its output features are dimension %lld", kernel->quant->axes[0],
         (long long)d.kernel_output_feature);
  if (ten_is_per_axis(result))
    WANT(result->quant->axes[0] == d.output_feature,
         "result is quantized along dimension %d, its features are dimension %lld", result->quant->axes[0],
         (long long)d.output_feature);
  return ten_want_contraction_quant(m, op);
}
