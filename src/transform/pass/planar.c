/* planar.c: shapes of products that kernels do not look for, as shapes that they do: a convolution over one dimension
 * is one over two, of which the first is of size one; a matrix times one column is the column, as a row, times the
 * matrix. Needs: verified IR.  Keeps: results, bit for bit; types. */
#include "ir/builder.h"
#include "transform/pass/pass.h"

static ten_ints two(ten_module *module, int64_t first, int64_t second) {
  int64_t *dims = ten_arena_new_array(&module->arena, int64_t, 2);
  dims[0] = first, dims[1] = second;
  return (ten_ints){dims, 2};
}

/* The tensor with a dimension of size one before its dimension `at`. */
static ten_value *insert_one(ten_builder *b, ten_value *x, int64_t at) {
  const ten_type *type = x->type;
  int64_t *dims = ten_arena_new_array(&b->module->arena, int64_t, type->rank + 1);
  for (uint32_t i = 0; i < type->rank; i++) dims[i + (i >= at)] = type->dims[i];
  dims[at] = 1;
  return ten_build_reshape(b, x, type->rank + 1, dims);
}

static int64_t after(int64_t dim, int64_t at) { return dim + (dim >= at); }

static void widen(ten_module *module, ten_op *op) {
  ten_value *x = ten_op_operand(op, 0), *k = ten_op_operand(op, 1);
  const ten_type *y = op->results[0].type;
  if (x->type->rank != 3 || !ten_type_is_static(x->type) || !ten_type_is_static(k->type) || !ten_type_is_static(y))
    return;
  if (y->dtype != TEN_F32 && y->dtype != TEN_BF16) return;
  const ten_conv_dims d = ten_conv_dims_of(ten_op_attr(op, "dimension_numbers"));
  const ten_window w = ten_op_window(module, op);
  ten_builder b = {.module = module, .block = op->block, .before = op, .loc = op->loc};
  const int64_t in = d.input_spatial.data[0], of = d.kernel_spatial.data[0], out = d.output_spatial.data[0];
  const ten_ints strides = two(module, 1, w.strides[0]), spread = two(module, 1, w.base_dilation[0]),
                 dilation = two(module, 1, w.dilation[0]);
  const int64_t padding[4] = {0, 0, w.padding[0], w.padding[1]};
  const uint8_t reversal[2] = {0, w.reversal[0]};
  const ten_conv_config config = {.dims = {.input_batch = after(d.input_batch, in),
                                           .input_feature = after(d.input_feature, in),
                                           .input_spatial = two(module, in, in + 1),
                                           .kernel_input_feature = after(d.kernel_input_feature, of),
                                           .kernel_output_feature = after(d.kernel_output_feature, of),
                                           .kernel_spatial = two(module, of, of + 1),
                                           .output_batch = after(d.output_batch, out),
                                           .output_feature = after(d.output_feature, out),
                                           .output_spatial = two(module, out, out + 1)},
                                  .rank = 2,
                                  .strides = strides.data,
                                  .padding = padding,
                                  .lhs_dilation = spread.data,
                                  .rhs_dilation = dilation.data,
                                  .reversal = reversal,
                                  .feature_groups = ten_op_int(op, "feature_group_count", 1),
                                  .batch_groups = ten_op_int(op, "batch_group_count", 1)};
  ten_value *image = insert_one(&b, x, in), *kernel = insert_one(&b, k, of);
  ten_value *wide = ten_build_conv(&b, image, kernel, &config);
  if (wide->type->dtype != y->dtype) return; /* sums of another type than the operands': left as it is */
  ten_value_replace(&op->results[0], ten_build_reshape(&b, wide, y->rank, y->dims));
  ten_op_erase(op);
}

static int64_t free_size(const ten_type *type, ten_ints contract) {
  int64_t size = 1;
  for (uint32_t i = 0; i < type->rank; i++)
    if (!ten_ints_has(contract, i)) size *= type->dims[i];
  return size;
}

static void swap(ten_module *module, ten_op *op) {
  ten_value *x = ten_op_operand(op, 0), *y = ten_op_operand(op, 1);
  const ten_type *type = op->results[0].type;
  const ten_dot_dims d = ten_dot_dims_of(ten_op_attr(op, "dot_dimension_numbers"));
  if (d.lhs_batch.count || !ten_type_is_static(x->type) || !ten_type_is_static(y->type)) return;
  if (x->type->dtype != y->type->dtype || free_size(y->type, d.rhs_contract) != 1 ||
      free_size(x->type, d.lhs_contract) < 2)
    return;
  ten_builder b = {.module = module, .block = op->block, .before = op, .loc = op->loc};
  const ten_dot_dims transposed = {.lhs_contract = d.rhs_contract, .rhs_contract = d.lhs_contract};
  ten_value *row = ten_build_dot(&b, y, x, &transposed, type->dtype);
  ten_value_replace(&op->results[0], ten_build_reshape(&b, row, type->rank, type->dims));
  ten_op_erase(op);
}

static ten_status *run(ten_module *module) {
  TEN_TRY(ten_pass_each(module, TEN_OP_CONVOLUTION, widen));
  return ten_pass_each(module, TEN_OP_DOT_GENERAL, swap);
}

const ten_pass ten_pass_planar = {
    "planar", "bring convolutions over one dimension and products with one column to the kernels' shapes", run};
