/* contract.c: rules of matmuls and convolutions, which are linear in each operand: the cotangent of one is a matmul, or
 * a convolution, of the result's cotangent with the other. */
#include <string.h>

#include "transform/grad/rules.h"

enum { RANK_MAX = 64 };

/* Dimensions of an operand that are neither batch nor contracted, in order. */
static size_t free_dims(const ten_type *type, ten_ints batch, ten_ints contract, int64_t *out) {
  size_t count = 0;
  for (uint32_t i = 0; i < type->rank; i++)
    if (!ten_ints_has(batch, i) && !ten_ints_has(contract, i)) out[count++] = i;
  return count;
}

/* The cotangent of one side: contract g with the other side over the other's free dimensions, then put the dimensions
 * in order. */
static ten_value *dot_side(ten_vjp *v, const ten_type *mine, ten_ints batch, ten_ints contract, ten_value *other,
                           ten_ints other_batch, ten_ints other_contract, bool mine_first) {
  int64_t my_free[RANK_MAX], other_free[RANK_MAX], g_batch[RANK_MAX], g_other[RANK_MAX], order[RANK_MAX],
      sorted[RANK_MAX];
  const size_t my_count = free_dims(mine, batch, contract, my_free),
               other_count = free_dims(other->type, other_batch, other_contract, other_free);
  for (size_t i = 0; i < batch.count; i++) g_batch[i] = (int64_t)i;
  for (size_t i = 0; i < other_count; i++) g_other[i] = (int64_t)(batch.count + (mine_first ? my_count : 0) + i);
  const ten_dot_dims dims = {{g_batch, batch.count}, other_batch, {g_other, other_count}, {other_free, other_count}};
  ten_value *ct = v->ct[0]; /* for a wider accumulation type, multiply in the operands' type */
  if (ct->type->dtype != other->type->dtype) ct = ten_build_convert(v->b, ct, other->type->dtype);
  ten_value *g = ten_build_dot(v->b, ct, ten_vjp_conj(v, other), &dims, mine->dtype);
  /* g is now [batch…, my free…, other's contracted dims in its own order…]: map each to a dimension of mine. */
  size_t at = 0;
  for (size_t i = 0; i < batch.count; i++) order[at++] = batch.data[i];
  for (size_t i = 0; i < my_count; i++) order[at++] = my_free[i];
  for (uint32_t d = 0; d < other->type->rank; d++)
    for (size_t i = 0; i < other_contract.count; i++)
      if (other_contract.data[i] == d) order[at++] = contract.data[i];
  for (size_t i = 0; i < at; i++) sorted[order[i]] = (int64_t)i;
  return ten_build_transpose(v->b, g, sorted);
}

ten_status *ten_rule_dot_general(ten_vjp *v) {
  const ten_dot_dims d = ten_dot_dims_of(ten_op_attr(v->op, "dot_dimension_numbers"));
  ten_value *x = x_of(v, 0), *y = x_of(v, 1);
  if (ten_vjp_wants(v, 0))
    ten_vjp_add(v, 0, dot_side(v, x->type, d.lhs_batch, d.lhs_contract, y, d.rhs_batch, d.rhs_contract, true));
  if (ten_vjp_wants(v, 1))
    ten_vjp_add(v, 1, dot_side(v, y->type, d.rhs_batch, d.rhs_contract, x, d.lhs_batch, d.lhs_contract, false));
  return NULL;
}

ten_status *ten_rule_dot(ten_vjp *v) { /* contracts the last of the left with the first of the right */
  const int64_t last = x_of(v, 0)->type->rank - 1, first = 0;
  const ten_ints none = {0};
  ten_value *x = x_of(v, 0), *y = x_of(v, 1);
  if (ten_vjp_wants(v, 0))
    ten_vjp_add(v, 0, dot_side(v, x->type, none, (ten_ints){&last, 1}, y, none, (ten_ints){&first, 1}, true));
  if (ten_vjp_wants(v, 1))
    ten_vjp_add(v, 1, dot_side(v, y->type, none, (ten_ints){&first, 1}, x, none, (ten_ints){&last, 1}, false));
  return NULL;
}

/* Splits dimension `from` into `groups` × rest, and merges the groups in front of dimension `into`. */
static ten_value *move_groups(ten_vjp *v, ten_value *x, int64_t from, int64_t into, int64_t groups) {
  const uint32_t rank = x->type->rank;
  int64_t split[RANK_MAX] = {0}, order[RANK_MAX], merged[RANK_MAX];
  uint32_t at = 0;
  for (uint32_t i = 0; i < rank; i++) {
    if (i == from) split[at++] = groups;
    split[at++] = i == from ? x->type->dims[i] / groups : x->type->dims[i];
  }
  ten_value *apart = ten_build_reshape(v->b, x, rank + 1, split);
  at = 0;
  for (uint32_t i = 0; i < rank;
       i++) { /* i counts the original dimensions; the groups are at `from`, later dimensions shift by one */
    const int64_t place = i >= from ? i + 1 : i;
    if (i == into) order[at++] = from;
    order[at++] = place;
    merged[i] = apart->type->dims[place] * (i == into ? groups : 1);
  }
  return ten_build_reshape(v->b, ten_build_transpose(v->b, apart, order), rank, merged);
}

typedef struct conv_parts {
  ten_conv_dims dims;
  ten_window window;
  int64_t feature_groups, batch_groups;
} conv_parts;

static ten_value *conv_input(ten_vjp *v, const conv_parts *c) {
  const ten_type *x = x_of(v, 0)->type, *y = y_of(v, 0)->type;
  ten_value *kernel = ten_vjp_conj(v, x_of(v, 1));
  const ten_conv_dims *d = &c->dims;
  const int64_t groups = c->feature_groups > 1 ? c->feature_groups : c->batch_groups;
  if (groups > 1) kernel = move_groups(v, kernel, d->kernel_output_feature, d->kernel_input_feature, groups);
  int64_t padding[2 * RANK_MAX];
  uint8_t reversal[RANK_MAX];
  for (uint32_t i = 0; i < c->window.rank; i++) {
    const int64_t window = ten_dilated(kernel->type->dims[d->kernel_spatial.data[i]], c->window.dilation[i]);
    const int64_t in = ten_dilated(x->dims[d->input_spatial.data[i]], c->window.base_dilation[i]);
    const int64_t out = ten_dilated(y->dims[d->output_spatial.data[i]], c->window.strides[i]);
    padding[2 * i] = window - c->window.padding[2 * i] - 1;
    padding[2 * i + 1] = in + window - 1 - out - padding[2 * i];
    reversal[i] = !c->window.reversal[i];
  }
  const ten_conv_config config = {.dims = {.input_batch = d->output_batch,
                                           .input_feature = d->output_feature,
                                           .input_spatial = d->output_spatial,
                                           .kernel_input_feature = d->kernel_output_feature,
                                           .kernel_output_feature = d->kernel_input_feature,
                                           .kernel_spatial = d->kernel_spatial,
                                           .output_batch = d->input_batch,
                                           .output_feature = d->input_feature,
                                           .output_spatial = d->input_spatial},
                                  .rank = c->window.rank,
                                  .strides = c->window.base_dilation,
                                  .padding = padding,
                                  .lhs_dilation = c->window.strides,
                                  .rhs_dilation = c->window.dilation,
                                  .reversal = reversal,
                                  .feature_groups = groups,
                                  .batch_groups = 1};
  ten_value *g = ten_build_conv(v->b, v->ct[0], kernel, &config);
  return c->batch_groups > 1 ? move_groups(v, g, d->input_feature, d->input_batch, c->batch_groups) : g;
}

static ten_value *conv_kernel(ten_vjp *v, const conv_parts *c) {
  ten_value *x = ten_vjp_conj(v, x_of(v, 0));
  const ten_type *kernel = x_of(v, 1)->type, *y = y_of(v, 0)->type;
  const ten_conv_dims *d = &c->dims;
  int64_t padding[2 * RANK_MAX], reversed[RANK_MAX];
  size_t reversed_count = 0;
  for (uint32_t i = 0; i < c->window.rank; i++) {
    const int64_t window = ten_dilated(kernel->dims[d->kernel_spatial.data[i]], c->window.dilation[i]);
    const int64_t in = ten_dilated(x->type->dims[d->input_spatial.data[i]], c->window.base_dilation[i]);
    const int64_t out = ten_dilated(y->dims[d->output_spatial.data[i]], c->window.strides[i]);
    padding[2 * i] = c->window.padding[2 * i];
    padding[2 * i + 1] = out + window - in - 1 - padding[2 * i];
    if (c->window.reversal[i]) reversed[reversed_count++] = d->kernel_spatial.data[i];
  }
  const ten_conv_config config = {.dims = {.input_batch = d->input_feature,
                                           .input_feature = d->input_batch,
                                           .input_spatial = d->input_spatial,
                                           .kernel_input_feature = d->output_batch,
                                           .kernel_output_feature = d->output_feature,
                                           .kernel_spatial = d->output_spatial,
                                           .output_batch = d->kernel_input_feature,
                                           .output_feature = d->kernel_output_feature,
                                           .output_spatial = d->kernel_spatial},
                                  .rank = c->window.rank,
                                  .strides = c->window.dilation,
                                  .padding = padding,
                                  .lhs_dilation = c->window.base_dilation,
                                  .rhs_dilation = c->window.strides,
                                  .feature_groups = c->batch_groups,
                                  .batch_groups = c->feature_groups};
  return ten_build_reverse(v->b, ten_build_conv(v->b, x, v->ct[0], &config), reversed_count, reversed);
}

ten_status *ten_rule_convolution(ten_vjp *v) {
  const conv_parts c = {.dims = ten_conv_dims_of(ten_op_attr(v->op, "dimension_numbers")),
                        .window = ten_op_window(v->b->module, v->op),
                        .feature_groups = ten_op_int(v->op, "feature_group_count", 1),
                        .batch_groups = ten_op_int(v->op, "batch_group_count", 1)};
  if (ten_vjp_wants(v, 0)) ten_vjp_add(v, 0, conv_input(v, &c));
  if (ten_vjp_wants(v, 1)) ten_vjp_add(v, 1, conv_kernel(v, &c));
  return NULL;
}
