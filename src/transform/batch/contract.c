/* contract.c: rules of matrix products and convolutions. The batch becomes a batch dimension of the product where both
 * operands are batched, else rows or columns of one larger product. */
#include "transform/batch/rules.h"

/* Dimension `at` of x moved to the front. */
static ten_value *to_front(ten_builder *b, ten_value *x, int64_t at) {
  int64_t order[BATCH_RANK_MAX] = {at};
  uint32_t count = 1;
  for (uint32_t i = 0; i < x->type->rank; i++)
    if ((int64_t)i != at) order[count++] = i;
  return ten_build_transpose(b, x, order);
}

static void copy_attr(ten_batch *s, ten_value *made, const ten_op *op, const char *name) {
  const ten_attr *attr = ten_op_attr(op, name);
  if (attr) ten_op_set_attr(s->module, made->op, ten_str_of(name), attr);
}

bool ten_batch_dot(ten_batch *s, ten_builder *b, const ten_op *op) {
  const ten_value *x = ten_op_operand(op, 0), *y = ten_op_operand(op, 1);
  const bool left = ten_batch_is(s, x), right = ten_batch_is(s, y), both = left && right;
  const ten_dot_dims d = ten_dot_dims_of(ten_op_attr(op, "dot_dimension_numbers"));
  const ten_dot_dims dims = {both   ? ten_batch_shift_behind(s, 0, d.lhs_batch)
                             : left ? ten_batch_shift(s, d.lhs_batch)
                                    : d.lhs_batch,
                             both    ? ten_batch_shift_behind(s, 0, d.rhs_batch)
                             : right ? ten_batch_shift(s, d.rhs_batch)
                                     : d.rhs_batch,
                             left ? ten_batch_shift(s, d.lhs_contract) : d.lhs_contract,
                             right ? ten_batch_shift(s, d.rhs_contract) : d.rhs_contract};
  ten_value *made = ten_build_dot(b, ten_batch_get(s, x), ten_batch_get(s, y), &dims, op->results[0].type->dtype);
  copy_attr(s, made, op, "precision_config");
  copy_attr(s, made, op, "algorithm");
  /* Free dimensions follow the product's own batch dimensions: the left operand's first. */
  const int64_t place = both   ? 0
                        : left ? (int64_t)d.lhs_batch.count
                               : (int64_t)x->type->rank - (int64_t)d.lhs_contract.count;
  ten_batch_set(s, &op->results[0], to_front(b, made, place), true);
  return true;
}

/* The batch in front of x merged into dimension `at` of one example, as its slower part. */
static ten_value *merge(ten_builder *b, ten_value *x, int64_t at) {
  const uint32_t rank = x->type->rank - 1;
  int64_t order[BATCH_RANK_MAX], dims[BATCH_RANK_MAX];
  uint32_t count = 0;
  for (uint32_t i = 0; i < rank; i++) {
    if ((int64_t)i == at) order[count++] = 0;
    order[count++] = i + 1;
    dims[i] = x->type->dims[i + 1] * ((int64_t)i == at ? x->type->dims[0] : 1);
  }
  return ten_build_reshape(b, ten_build_transpose(b, x, order), rank, dims);
}

/* The reverse. */
static ten_value *split(ten_batch *s, ten_builder *b, ten_value *y, int64_t at) {
  int64_t dims[BATCH_RANK_MAX];
  uint32_t count = 0;
  for (uint32_t i = 0; i < y->type->rank; i++) {
    if ((int64_t)i == at) dims[count++] = s->count;
    dims[count++] = (int64_t)i == at ? y->type->dims[i] / s->count : y->type->dims[i];
  }
  return to_front(b, ten_build_reshape(b, y, count, dims), at);
}

/* With a batched kernel, examples are groups of features. */
bool ten_batch_convolution(ten_batch *s, ten_builder *b, const ten_op *op) {
  const ten_window window = ten_op_window(s->module, op);
  ten_value *x = ten_op_operand(op, 0), *kernel = ten_op_operand(op, 1);
  ten_conv_config config = {.dims = ten_conv_dims_of(ten_op_attr(op, "dimension_numbers")),
                            .rank = window.rank,
                            .strides = window.strides,
                            .padding = window.padding,
                            .lhs_dilation = window.base_dilation,
                            .rhs_dilation = window.dilation,
                            .reversal = window.reversal,
                            .feature_groups = ten_op_int(op, "feature_group_count", 1),
                            .batch_groups = ten_op_int(op, "batch_group_count", 1)};
  if (config.batch_groups != 1 || op->results[0].type->dtype != x->type->dtype) return false;
  const bool kernels = ten_batch_is(s, kernel);
  if (kernels) {
    x = merge(b, ten_batch_all(s, b, x), config.dims.input_feature);
    kernel = merge(b, ten_batch_get(s, kernel), config.dims.kernel_output_feature);
    config.feature_groups *= s->count;
  } else {
    x = merge(b, ten_batch_get(s, x), config.dims.input_batch);
    kernel = ten_batch_get(s, kernel);
  }
  ten_value *made = ten_build_conv(b, x, kernel, &config);
  copy_attr(s, made, op, "precision_config");
  ten_batch_set(s, &op->results[0], split(s, b, made, kernels ? config.dims.output_feature : config.dims.output_batch),
                true);
  return true;
}
