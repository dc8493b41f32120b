/* dims.h: the structured attributes of ops as plain C structs, with every default filled in. Lists are borrowed from
 * the attribute, or from the module's arena where they hold defaults. */
#ifndef TEN_IR_DIMS_H
#define TEN_IR_DIMS_H

#include "ir/module.h"

typedef struct ten_dot_dims {
  ten_ints lhs_batch, rhs_batch, lhs_contract, rhs_contract;
} ten_dot_dims;

typedef struct ten_gather_dims {
  ten_ints offset_dims, collapsed_slice_dims, operand_batching_dims, start_indices_batching_dims, start_index_map;
  int64_t index_vector_dim;
} ten_gather_dims;

typedef struct ten_scatter_dims {
  ten_ints update_window_dims, inserted_window_dims, input_batching_dims, scatter_indices_batching_dims,
      scatter_dims_to_operand_dims;
  int64_t index_vector_dim;
} ten_scatter_dims;

typedef struct ten_conv_dims {
  int64_t input_batch, input_feature, kernel_input_feature, kernel_output_feature, output_batch, output_feature;
  ten_ints input_spatial, kernel_spatial, output_spatial;
} ten_conv_dims;

/* A window over `rank` dimensions: of convolution (spatial ones), reduce_window and select_and_scatter (all of them).
 */
typedef struct ten_window {
  uint32_t rank;
  const int64_t *size; /* reduce_window, select_and_scatter; NULL for convolution: the kernel's */
  const int64_t *strides;
  const int64_t *padding;       /* low, high pairs */
  const int64_t *base_dilation; /* lhs_dilation */
  const int64_t *dilation;      /* rhs_dilation, window_dilations */
  const uint8_t *reversal;      /* convolution */
} ten_window;

/* One dimension of a window. */
typedef struct ten_window_dim {
  int64_t size, stride, low, high, base_dilation, dilation;
} ten_window_dim;

/* The extent of `size` elements with `dilation`: 0 for none. False: not below 2^63, or dilation < 1. */
TEN_MUST_USE bool ten_dilate(int64_t size, int64_t dilation, int64_t *out);
/* The same for verified sizes, which cannot overflow. */
static inline int64_t ten_dilated(int64_t size, int64_t dilation) {
  int64_t length;
  return ten_dilate(size, dilation, &length) ? length : INT64_MAX;
}
/* The number of window positions along a dimension of `base` elements; TEN_DYNAMIC when a size is unknown. False: the
 * arithmetic overflows, or a stride or dilation is not positive. */
TEN_MUST_USE bool ten_window_places(int64_t base, const ten_window_dim *dim, int64_t *out);

ten_dot_dims ten_dot_dims_of(const ten_attr *attr);
ten_gather_dims ten_gather_dims_of(const ten_attr *attr);
ten_scatter_dims ten_scatter_dims_of(const ten_attr *attr);
ten_conv_dims ten_conv_dims_of(const ten_attr *attr);
/* Of convolution, dynamic_conv (padding NULL), reduce_window, select_and_scatter. The op must be verified. */
ten_window ten_op_window(ten_module *module, const ten_op *op);

const ten_attr *ten_attr_dot_dims(ten_module *module, const ten_dot_dims *dims);
const ten_attr *ten_attr_gather_dims(ten_module *module, const ten_gather_dims *dims);
const ten_attr *ten_attr_scatter_dims(ten_module *module, const ten_scatter_dims *dims);
const ten_attr *ten_attr_conv_dims(ten_module *module, const ten_conv_dims *dims);

/* "dims" of an op by attribute name: empty when absent. */
static inline ten_ints ten_op_ints(const ten_op *op, const char *name) {
  return ten_attr_as_ints(ten_op_attr(op, name));
}
static inline int64_t ten_op_int(const ten_op *op, const char *name, int64_t otherwise) {
  return ten_attr_as_int(ten_op_attr(op, name), otherwise);
}
static inline bool ten_ints_has(ten_ints list, int64_t value) {
  for (size_t i = 0; i < list.count; i++)
    if (list.data[i] == value) return true;
  return false;
}

#endif
