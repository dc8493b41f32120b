/* planar.c: shapes and types of products that kernels do not look for, as those that they do: a convolution over one
 * dimension is one over two, of which the first is of size one, channels last; one of bf16 that has no kernel is one of
 * f32; a matrix times one column is the column, as a row, times the matrix. Needs: verified IR.  Keeps: results, bit
 * for bit but for the order of sums of bf16; types. */
#include "ir/builder.h"
#include "transform/pass/pass.h"

static ten_ints two(ten_module *module, int64_t first, int64_t second) {
  int64_t *dims = ten_arena_new_array(&module->arena, int64_t, 2);
  dims[0] = first, dims[1] = second;
  return (ten_ints){dims, 2};
}

/* Inserts a dimension of size one before dimension `at`. */
static ten_value *insert_one(ten_builder *b, ten_value *x, int64_t at) {
  const ten_type *type = x->type;
  int64_t *dims = ten_arena_new_array(&b->module->arena, int64_t, type->rank + 1);
  for (uint32_t i = 0; i < type->rank; i++) dims[i + (i >= at)] = type->dims[i];
  dims[at] = 1;
  return ten_build_reshape(b, x, type->rank + 1, dims);
}

/* The operand with dimension order[i] as dimension i: itself where that is so. */
static ten_value *in_order(ten_builder *b, ten_value *x, const int64_t *order) {
  return order[0] == 0 && order[1] == 1 && order[2] == 2 ? x : ten_build_transpose(b, x, order);
}

/* How a convolution of three dimensions lies as layout.c wants it, so that transposes meet as tensors of three
 * dimensions: a reshape between them would keep them apart. Orders of input, kernel and output. */
typedef struct orders {
  int64_t input[3], kernel[3], output[3];
} orders;

static orders orders_of(const ten_op *op, const ten_conv_dims *d) {
  const ten_type *k = ten_op_operand(op, 1)->type, *y = op->results[0].type;
  const bool batch_groups = ten_op_int(op, "batch_group_count", 1) != 1,
             feature_groups = ten_op_int(op, "feature_group_count", 1) != 1;
  const int64_t in = d->input_spatial.data[0], of = d->kernel_spatial.data[0], out = d->output_spatial.data[0];
  if ((batch_groups || feature_groups) && y->dtype != TEN_F32) return (orders){{0, 1, 2}, {0, 1, 2}, {0, 1, 2}};
  const bool swapped = d->input_feature < d->input_batch;
  if (batch_groups || (swapped && !feature_groups && k->dims[of] > y->dims[out])) /* the gradient by a kernel */
    return (orders){{d->input_feature, in, d->input_batch},
                    {d->kernel_input_feature, of, d->kernel_output_feature},
                    {out, d->output_batch, d->output_feature}};
  return (orders){{d->input_batch, in, d->input_feature}, {0, 1, 2}, {d->output_batch, out, d->output_feature}};
}

/* Where dimension `dim` is in that order, once a dimension of size one stands before dimension `at`. */
static int64_t place(const int64_t *order, int64_t dim, int64_t at) {
  int64_t i = 0;
  while (order[i] != dim) i++;
  return i + (i >= at);
}

/* Of bf16 there are no kernels for groups, nor for the gradient by a kernel, whose window is larger than its output. */
static bool lacks_bf16(const ten_op *op) {
  const ten_type *k = ten_op_operand(op, 1)->type, *y = op->results[0].type;
  if (ten_op_int(op, "feature_group_count", 1) != 1 || ten_op_int(op, "batch_group_count", 1) != 1) return true;
  const ten_conv_dims d = ten_conv_dims_of(ten_op_attr(op, "dimension_numbers"));
  bool larger = false;
  for (size_t i = 0; i < d.kernel_spatial.count; i++) {
    const int64_t window = k->dims[d.kernel_spatial.data[i]], out = y->dims[d.output_spatial.data[i]];
    if (window < out || (window == out && window != 1)) return false;
    larger |= window > out;
  }
  return larger;
}

/* The same convolution of f32, which sums the same products: rounded once, as of bf16. */
static ten_op *in_f32(ten_module *module, ten_op *op) {
  ten_value *x = ten_op_operand(op, 0), *k = ten_op_operand(op, 1);
  const ten_type *y = op->results[0].type;
  if (x->type->dtype != TEN_BF16 || k->type->dtype != TEN_BF16 || (y->dtype != TEN_BF16 && y->dtype != TEN_F32) ||
      !ten_type_is_static(x->type) || !ten_type_is_static(k->type) || !ten_type_is_static(y) || !lacks_bf16(op))
    return op;
  ten_builder b = {.module = module, .block = op->block, .before = op, .loc = op->loc};
  ten_value *operands[] = {ten_build_convert(&b, x, TEN_F32), ten_build_convert(&b, k, TEN_F32)};
  const ten_type *type = ten_type_with_dtype(module, y, TEN_F32);
  ten_op *conv = ten_build_op(&b, TEN_OP_CONVOLUTION, 2, operands, 1, &type, op->attr_count, op->attrs, 0);
  ten_value_replace(&op->results[0], ten_build_convert(&b, &conv->results[0], y->dtype));
  ten_op_erase(op);
  return conv;
}

static void widen(ten_module *module, ten_op *op) {
  ten_conv_absorb_kernel(module, op);
  op = in_f32(module, op);
  ten_value *x = ten_op_operand(op, 0), *k = ten_op_operand(op, 1);
  const ten_type *y = op->results[0].type;
  if (x->type->rank != 3 || !ten_type_is_static(x->type) || !ten_type_is_static(k->type) || !ten_type_is_static(y))
    return;
  if (y->dtype != TEN_F32 && y->dtype != TEN_BF16) return;
  if (x->type->dtype != y->dtype || k->type->dtype != y->dtype) return; /* sums of another type than the operands' */
  const ten_conv_dims d = ten_conv_dims_of(ten_op_attr(op, "dimension_numbers"));
  const ten_window w = ten_op_window(module, op);
  ten_builder b = {.module = module, .block = op->block, .before = op, .loc = op->loc};
  const orders o = orders_of(op, &d);
  const int64_t in = place(o.input, d.input_spatial.data[0], 3), of = place(o.kernel, d.kernel_spatial.data[0], 3),
                out = place(o.output, d.output_spatial.data[0], 3);
  const ten_ints strides = two(module, 1, w.strides[0]), spread = two(module, 1, w.base_dilation[0]),
                 dilation = two(module, 1, w.dilation[0]);
  const int64_t padding[4] = {0, 0, w.padding[0], w.padding[1]};
  const uint8_t reversal[2] = {0, w.reversal[0]};
  const ten_conv_config config = {.dims = {.input_batch = place(o.input, d.input_batch, in),
                                           .input_feature = place(o.input, d.input_feature, in),
                                           .input_spatial = two(module, in, in + 1),
                                           .kernel_input_feature = place(o.kernel, d.kernel_input_feature, of),
                                           .kernel_output_feature = place(o.kernel, d.kernel_output_feature, of),
                                           .kernel_spatial = two(module, of, of + 1),
                                           .output_batch = place(o.output, d.output_batch, out),
                                           .output_feature = place(o.output, d.output_feature, out),
                                           .output_spatial = two(module, out, out + 1)},
                                  .rank = 2,
                                  .strides = strides.data,
                                  .padding = padding,
                                  .lhs_dilation = spread.data,
                                  .rhs_dilation = dilation.data,
                                  .reversal = reversal,
                                  .feature_groups = ten_op_int(op, "feature_group_count", 1),
                                  .batch_groups = ten_op_int(op, "batch_group_count", 1)};
  ten_value *image = insert_one(&b, in_order(&b, x, o.input), in),
            *kernel = insert_one(&b, in_order(&b, k, o.kernel), of);
  ten_value *wide = ten_build_conv(&b, image, kernel, &config);
  int64_t dims[3], back[3];
  for (int64_t i = 0; i < 3; i++) dims[i] = y->dims[o.output[i]], back[o.output[i]] = i;
  ten_value_replace(&op->results[0], in_order(&b, ten_build_reshape(&b, wide, 3, dims), back));
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
