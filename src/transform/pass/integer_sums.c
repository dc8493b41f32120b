/* integer_sums.c: matmuls and convolutions of small integers, with i32 sums, become f32 ones where no sum can leave the
 * integers that f32 holds exactly, and there is no kernel for bytes (byte_products.c): the fastest others are for f32.
 *
 * Bounds come from the types that operands were converted from, constants added to them, and the weights themselves:
 * the largest sum of |weight| of one result times the largest |x|. Every partial sum is below that, so their order does
 * not matter. Operands up to 256 stay exact where a kernel rounds them to bf16, too. Winograd's transforms would round:
 * convolutions get an attribute that rules it out, and so nothing may make other ones of them after this pass.
 * Needs: verified IR.  Keeps: results, bit for bit; types; locations. */
#include <stdlib.h>

#include "ir/builder.h"
#include "transform/pass/byte_products.h"
#include "transform/pass/pass.h"

enum { EXACT_MOST = 1 << 24, OPERAND_MOST = 256, DEPTH_MOST = 8 };

typedef struct range {
  int64_t low, high;
} range;

static bool constant_range(const ten_attr *constant, range *out) {
  const ten_dclass class = ten_dtype_class(constant->dense.type->dtype);
  const size_t count = constant->dense.splat ? 1 : (size_t)ten_type_count(constant->dense.type);
  if ((class != TEN_CLASS_SINT && class != TEN_CLASS_UINT) || !count || !constant->dense.data) return false;
  *out = (range){INT64_MAX, INT64_MIN};
  for (size_t i = 0; i < count; i++) {
    const int64_t x = ten_dense_int(constant, i);
    if (x < out->low) out->low = x;
    if (x > out->high) out->high = x;
  }
  return true;
}

/* What the elements of an integer tensor may be. */
static bool range_of(const ten_value *value, int depth, range *out) {
  const ten_op *op = value->op;
  const ten_dtype dtype = value->type->dtype;
  const ten_dclass class = ten_dtype_class(dtype);
  if (class != TEN_CLASS_SINT && class != TEN_CLASS_UINT) return false;
  const ten_attr *constant = ten_value_constant(value);
  if (constant) return constant_range(constant, out);
  range a, b;
  if (op && depth < DEPTH_MOST) {
    switch (op->code) {
      case TEN_OP_CONVERT:
      case TEN_OP_RESHAPE:
      case TEN_OP_TRANSPOSE:
      case TEN_OP_SLICE:
      case TEN_OP_BROADCAST_IN_DIM:
        if (ten_dtype_bits(dtype) < 32) break;
        return range_of(ten_op_operand(op, 0), depth + 1, out);
      case TEN_OP_PAD:
      case TEN_OP_ADD:
      case TEN_OP_SUBTRACT:
        if (ten_dtype_bits(dtype) < 32 || !range_of(ten_op_operand(op, 0), depth + 1, &a) ||
            !range_of(ten_op_operand(op, 1), depth + 1, &b) || a.low < -EXACT_MOST || a.high > EXACT_MOST ||
            b.low < -EXACT_MOST || b.high > EXACT_MOST)
          break;
        if (op->code == TEN_OP_ADD) *out = (range){a.low + b.low, a.high + b.high};
        if (op->code == TEN_OP_SUBTRACT) *out = (range){a.low - b.high, a.high - b.low};
        if (op->code == TEN_OP_PAD) *out = (range){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
        return true;
      default: break;
    }
  }
  const unsigned bits = ten_dtype_bits(dtype);
  if (bits > 8) return false;
  *out = class == TEN_CLASS_UINT ? (range){0, (1 << bits) - 1} : (range){-(1 << (bits - 1)), (1 << (bits - 1)) - 1};
  return true;
}

static int64_t largest(range r) { return -r.low > r.high ? -r.low : r.high; }

/* The constant behind conversions, or NULL. */
static const ten_attr *constant_of(const ten_value *value) {
  while (value->op && value->op->code == TEN_OP_CONVERT) value = ten_op_operand(value->op, 0);
  const ten_attr *constant = ten_value_constant(value);
  range unused;
  return constant && !value->type->quant && constant_range(constant, &unused) ? constant : NULL;
}

/* The largest sum of |weight| over all dimensions but `feature` (-1: there is none), or -1 when it overflows. */
static int64_t weight_sum(const ten_attr *constant, int64_t feature) {
  const ten_type *type = constant->dense.type;
  const size_t count = (size_t)ten_type_count(type);
  size_t step = 1, features = feature < 0 ? 1 : (size_t)type->dims[feature];
  for (uint32_t i = feature < 0 ? type->rank : (uint32_t)feature + 1; i < type->rank; i++)
    step *= (size_t)type->dims[i];
  int64_t *sums = ten_alloc(features * sizeof *sums), most = 0;
  memset(sums, 0, features * sizeof *sums);
  for (size_t i = 0; i < count; i++) sums[feature < 0 ? 0 : i / step % features] += llabs(ten_dense_int(constant, i));
  for (size_t i = 0; i < features; i++)
    if (sums[i] > most) most = sums[i];
  free(sums);
  return most;
}

/* Whether every sum of products is exact in f32. `terms`: of one result; `feature`: of the weights, what results differ
 * by, -1: not one dimension. */
static bool is_exact(const ten_op *op, int64_t terms, int64_t feature) {
  const ten_value *x = ten_op_operand(op, 0), *y = ten_op_operand(op, 1);
  range a, b;
  if (op->results[0].type->dtype != TEN_I32 || x->type->dtype != TEN_I32 || y->type->dtype != TEN_I32) return false;
  if (!ten_type_is_static(x->type) || !ten_type_is_static(y->type) || !ten_type_is_static(op->results[0].type) ||
      terms < 1)
    return false;
  if (!range_of(x, 0, &a) || !range_of(y, 0, &b) || largest(a) > OPERAND_MOST || largest(b) > OPERAND_MOST)
    return false;
  if (terms <= EXACT_MOST && terms * largest(a) * largest(b) <= EXACT_MOST) return true;
  const ten_attr *weights = feature < 0 ? NULL : constant_of(y);
  return weights && weights->dense.type->rank == y->type->rank &&
         weight_sum(weights, feature) * largest(a) <= EXACT_MOST;
}

/* A constant as f32 at once; anything else is converted. */
static ten_value *as_real(ten_builder *b, ten_value *x) {
  const ten_attr *constant = constant_of(x);
  if (!constant) return ten_build_convert(b, x, TEN_F32);
  const ten_type *type = ten_type_with_dtype(b->module, x->type, TEN_F32);
  const size_t count = constant->dense.splat ? 1 : (size_t)ten_type_count(type);
  float *data = ten_arena_new_array(&b->module->arena, float, count);
  for (size_t i = 0; i < count; i++) data[i] = (float)ten_dense_int(constant, i);
  return ten_build_constant(b, ten_attr_dense(b->module, type, data, count * sizeof *data));
}

static ten_op *rewrite(ten_module *module, ten_op *op) {
  ten_builder b = {.module = module, .block = op->block, .before = op, .loc = op->loc};
  ten_value *operands[] = {as_real(&b, ten_op_operand(op, 0)), as_real(&b, ten_op_operand(op, 1))};
  const ten_type *type = ten_type_with_dtype(module, op->results[0].type, TEN_F32);
  ten_op *real = ten_build_op(&b, op->code, 2, operands, 1, &type, op->attr_count, op->attrs, 0);
  ten_value_replace(&op->results[0], ten_build_convert(&b, &real->results[0], TEN_I32));
  ten_op_erase(op);
  return real;
}

static void visit_conv(ten_module *module, ten_op *op) {
  const ten_type *kernel = ten_op_operand(op, 1)->type;
  const ten_conv_dims dims = ten_conv_dims_of(ten_op_attr(op, "dimension_numbers"));
  if (ten_is_byte_product(op) || !ten_type_is_static(kernel) || ten_op_int(op, "batch_group_count", 1) != 1) return;
  const int64_t features = kernel->dims[dims.kernel_output_feature];
  if (!is_exact(op, features ? ten_type_count(kernel) / features : 0, dims.kernel_output_feature)) return;
  ten_own_attr_set(module, rewrite(module, op), TEN_NAME_INTEGERS, ten_attr_unit(module));
}

static void visit_dot(ten_module *module, ten_op *op) {
  const ten_type *x = ten_op_operand(op, 0)->type, *y = ten_op_operand(op, 1)->type;
  const ten_dot_dims dims = ten_dot_dims_of(ten_op_attr(op, "dot_dimension_numbers"));
  if (ten_is_byte_product(op) || !ten_type_is_static(x)) return;
  int64_t terms = 1, feature = -1;
  for (size_t i = 0; i < dims.lhs_contract.count; i++) terms *= x->dims[dims.lhs_contract.data[i]];
  for (uint32_t i = 0; i < y->rank; i++)
    if (!ten_ints_has(dims.rhs_contract, i)) feature = feature == -1 ? (int64_t)i : -2;
  if (is_exact(op, terms, feature < 0 ? -1 : feature)) rewrite(module, op);
}

static ten_status *run(ten_module *module) {
  TEN_TRY(ten_pass_each(module, TEN_OP_CONVOLUTION, visit_conv));
  return ten_pass_each(module, TEN_OP_DOT_GENERAL, visit_dot);
}

const ten_pass ten_pass_integer_sums = {
    .name = "integer-sums",
    .summary = "matmuls and convolutions of small integers in f32, where that is exact",
    .run = run};
