/* dims.c: structured attributes to plain C and back. */
#include "ir/dims.h"

#include "base/size.h"

static ten_ints ints(const ten_attr *attr, const char *name) { return ten_attr_as_ints(ten_attr_field(attr, name)); }
static int64_t integer(const ten_attr *attr, const char *name) {
  return ten_attr_as_int(ten_attr_field(attr, name), 0);
}

ten_dot_dims ten_dot_dims_of(const ten_attr *attr) {
  return (ten_dot_dims){ints(attr, "lhs_batching_dimensions"), ints(attr, "rhs_batching_dimensions"),
                        ints(attr, "lhs_contracting_dimensions"), ints(attr, "rhs_contracting_dimensions")};
}

ten_gather_dims ten_gather_dims_of(const ten_attr *attr) {
  return (ten_gather_dims){ints(attr, "offset_dims"),           ints(attr, "collapsed_slice_dims"),
                           ints(attr, "operand_batching_dims"), ints(attr, "start_indices_batching_dims"),
                           ints(attr, "start_index_map"),       integer(attr, "index_vector_dim")};
}

ten_scatter_dims ten_scatter_dims_of(const ten_attr *attr) {
  return (ten_scatter_dims){ints(attr, "update_window_dims"),           ints(attr, "inserted_window_dims"),
                            ints(attr, "input_batching_dims"),          ints(attr, "scatter_indices_batching_dims"),
                            ints(attr, "scatter_dims_to_operand_dims"), integer(attr, "index_vector_dim")};
}

ten_conv_dims ten_conv_dims_of(const ten_attr *attr) {
  return (ten_conv_dims){.input_batch = integer(attr, "input_batch_dimension"),
                         .input_feature = integer(attr, "input_feature_dimension"),
                         .kernel_input_feature = integer(attr, "kernel_input_feature_dimension"),
                         .kernel_output_feature = integer(attr, "kernel_output_feature_dimension"),
                         .output_batch = integer(attr, "output_batch_dimension"),
                         .output_feature = integer(attr, "output_feature_dimension"),
                         .input_spatial = ints(attr, "input_spatial_dimensions"),
                         .kernel_spatial = ints(attr, "kernel_spatial_dimensions"),
                         .output_spatial = ints(attr, "output_spatial_dimensions")};
}

static const int64_t *filled(ten_module *module, const ten_attr *attr, uint32_t count, int64_t value) {
  if (attr && !(attr->kind == TEN_ATTR_DENSE && attr->dense.splat)) return ten_attr_as_ints(attr).data;
  int64_t *list = ten_arena_new_array(&module->arena, int64_t, count);
  for (uint32_t i = 0; i < count; i++) list[i] = attr ? ten_dense_int(attr, 0) : value;
  return list;
}

ten_window ten_op_window(ten_module *module, const ten_op *op) {
  const bool conv = op->code == TEN_OP_CONVOLUTION || op->code == TEN_OP_DYNAMIC_CONV;
  ten_window window = {.rank = ten_op_operand(op, 0)->type->rank};
  if (conv) window.rank -= 2;
  const ten_attr *reversal = ten_op_attr(op, "window_reversal");
  if (!conv) window.size = filled(module, ten_op_attr(op, "window_dimensions"), window.rank, 1);
  window.strides = filled(module, ten_op_attr(op, "window_strides"), window.rank, 1);
  if (op->code != TEN_OP_DYNAMIC_CONV) window.padding = filled(module, ten_op_attr(op, "padding"), window.rank * 2, 0);
  window.base_dilation = filled(module, ten_op_attr(op, conv ? "lhs_dilation" : "base_dilations"), window.rank, 1);
  window.dilation = filled(module, ten_op_attr(op, conv ? "rhs_dilation" : "window_dilations"), window.rank, 1);
  window.reversal =
      reversal && reversal->kind == TEN_ATTR_LIST ? reversal->list.data : ten_arena_alloc(&module->arena, window.rank);
  return window;
}

bool ten_dilate(int64_t size, int64_t dilation, int64_t *out) {
  *out = 0;
  if (dilation < 1) return false;
  return size <= 0 || (ten_mul_i64(size - 1, dilation, out) && ten_add_i64(*out, 1, out));
}

bool ten_window_places(int64_t base, const ten_window_dim *dim, int64_t *out) {
  *out = TEN_DYNAMIC;
  if (base == TEN_DYNAMIC || dim->size == TEN_DYNAMIC) return true;
  int64_t padded, window;
  if (dim->stride < 1 || !ten_dilate(base, dim->base_dilation, &padded) || !ten_add_i64(padded, dim->low, &padded) ||
      !ten_add_i64(padded, dim->high, &padded) || !ten_dilate(dim->size, dim->dilation, &window))
    return false;
  *out = padded <= 0 || window > padded ? 0 : (padded - window) / dim->stride + 1;
  return true;
}

static const ten_attr *list(ten_module *module, ten_ints values) {
  return ten_attr_dims(module, values.count, values.data);
}

const ten_attr *ten_attr_dot_dims(ten_module *module, const ten_dot_dims *dims) {
  const ten_attr *fields[] = {list(module, dims->lhs_batch), list(module, dims->rhs_batch),
                              list(module, dims->lhs_contract), list(module, dims->rhs_contract)};
  return ten_attr_struct(module, TEN_STRUCT_DOT, fields);
}

const ten_attr *ten_attr_gather_dims(ten_module *module, const ten_gather_dims *dims) {
  const ten_attr *fields[] = {
      list(module, dims->offset_dims),           list(module, dims->collapsed_slice_dims),
      list(module, dims->operand_batching_dims), list(module, dims->start_indices_batching_dims),
      list(module, dims->start_index_map),       ten_attr_i64(module, dims->index_vector_dim)};
  return ten_attr_struct(module, TEN_STRUCT_GATHER, fields);
}

const ten_attr *ten_attr_scatter_dims(ten_module *module, const ten_scatter_dims *dims) {
  const ten_attr *fields[] = {
      list(module, dims->update_window_dims),           list(module, dims->inserted_window_dims),
      list(module, dims->input_batching_dims),          list(module, dims->scatter_indices_batching_dims),
      list(module, dims->scatter_dims_to_operand_dims), ten_attr_i64(module, dims->index_vector_dim)};
  return ten_attr_struct(module, TEN_STRUCT_SCATTER, fields);
}

const ten_attr *ten_attr_conv_dims(ten_module *module, const ten_conv_dims *dims) {
  const ten_attr *fields[] = {ten_attr_i64(module, dims->input_batch),
                              ten_attr_i64(module, dims->input_feature),
                              list(module, dims->input_spatial),
                              ten_attr_i64(module, dims->kernel_input_feature),
                              ten_attr_i64(module, dims->kernel_output_feature),
                              list(module, dims->kernel_spatial),
                              ten_attr_i64(module, dims->output_batch),
                              ten_attr_i64(module, dims->output_feature),
                              list(module, dims->output_spatial)};
  return ten_attr_struct(module, TEN_STRUCT_CONV, fields);
}
