/* operands.c: operands of convolutions that tiles cannot copy by 16 bytes are copied to where they can, before
 * planning.
 * 1. Weights that are arguments lie as the caller has them; so does an image that is one, or that is a result, too. The
 *    copy is an optimization barrier, which gets a buffer and an order in memory of its own (fuse.c).
 * 2. On tensor cores, features that are no multiple of 16 bytes (the three colours of an image) are filled up with
 *    zeros, which add nothing.
 * 3. Where 16-bit queries are scaled as f32 before they are multiplied, their product is scaled instead. */
#include <inttypes.h>
#include <math.h>

#include "backend/simt/planner.h"
#include "base/float.h"
#include "ir/builder.h"

enum { RANK_MOST = 16 };

/* Whether a value is an argument of the function, its elements in another place or type. */
static bool is_given(const ten_value *value) {
  while (value->op) {
    switch (value->op->code) {
      case TEN_OP_TRANSPOSE:
      case TEN_OP_REVERSE:
      case TEN_OP_RESHAPE:
      case TEN_OP_CONVERT: value = ten_op_operand(value->op, 0); break;
      default: return false;
    }
  }
  return true;
}

bool simt_only_kernels_use(const ten_value *value) {
  if (!value->op || !simt_is_kernel_op(value->op) || value->op->code == TEN_OP_SCATTER || value->op->result_count != 1)
    return false;
  for (const ten_use *use = value->uses; use; use = use->next)
    if (use->owner->block != value->op->block || ten_op_has(use->owner, TEN_TRAIT_TERMINATOR) ||
        !simt_is_kernel_op(use->owner) || use->owner->code == TEN_OP_SCATTER)
      return false;
  return true;
}

bool simt_is_copy(const ten_value *value) { return value->op && value->op->code == TEN_OP_OPTIMIZATION_BARRIER; }

/* The copy of a value that another convolution has already, or a new one. */
static ten_value *copy_of(ten_builder *b, ten_value *value) {
  for (const ten_use *use = value->uses; use; use = use->next)
    if (use->owner->code == TEN_OP_OPTIMIZATION_BARRIER && use->owner->block == b->block &&
        use->owner->operand_count == 1)
      return ten_op_result(use->owner, 0);
  return ten_op_result(ten_build_op(b, TEN_OP_OPTIMIZATION_BARRIER, 1, &value, 1, &value->type, 0, NULL, 0), 0);
}

static void copy_operand(ten_builder *b, ten_op *op, uint32_t i) {
  ten_op_set_operand(op, i, copy_of(b, ten_op_operand(op, i)));
}

/* The bytes of an element on tensor cores; 0: it is not computed there. */
static int64_t narrow_bytes(const ten_op *op, const simt_plan_options *options) {
  if (options->language != SIMT_CUDA_C) return 0;
  const ten_dtype x = simt_source_dtype(ten_op_operand(op, 0)), y = simt_source_dtype(ten_op_operand(op, 1));
  if (x == y && (x == TEN_BF16 || x == TEN_F16)) return 2;
  return options->tf32 && x == TEN_F32 && y == TEN_F32 ? 4 : 0;
}

/* The last dimension in memory is the one that is summed: nothing is to be copied. */
static bool lies_well(const ten_value *value, int64_t dim) {
  const ten_op *op = value->op;
  if (!op || op->code != TEN_OP_TRANSPOSE || ten_op_operand(op, 0)->op) return false;
  const ten_ints permutation = ten_op_ints(op, "permutation");
  return permutation.data[dim] == (int64_t)permutation.count - 1;
}

/* An argument of windows of one element: its features follow each other as it is. */
static bool is_flat_kernel(const ten_value *kernel, const ten_conv_dims *dims) {
  for (size_t i = 0; i < dims->kernel_spatial.count; i++)
    if (kernel->type->dims[dims->kernel_spatial.data[i]] != 1) return false;
  return !kernel->op && dims->kernel_input_feature > dims->kernel_output_feature;
}

static ten_value *padded(ten_builder *b, ten_value *x, int64_t dim, int64_t more) {
  const int64_t zeros[RANK_MOST] = {0};
  int64_t high[RANK_MOST] = {0};
  high[dim] = more;
  return ten_build_pad(b, x, ten_build_scalar(b, x->type->dtype, 0), zeros, high, zeros);
}

static bool pad_features(ten_builder *b, ten_op *op, const ten_conv_dims *dims, int64_t width) {
  const ten_type *kernel = ten_op_operand(op, 1)->type;
  const int64_t features = kernel->dims[dims->kernel_input_feature], more = (width - features % width) % width;
  if (!more || kernel->rank > RANK_MOST || ten_op_int(op, "feature_group_count", 1) > 1 ||
      ten_op_int(op, "batch_group_count", 1) > 1)
    return false;
  ten_op_set_operand(op, 0, padded(b, ten_op_operand(op, 0), dims->input_feature, more));
  ten_op_set_operand(op, 1, padded(b, ten_op_operand(op, 1), dims->kernel_input_feature, more));
  return true;
}

int64_t simt_copy_width(const simt_gen *gen, const ten_value *value) {
  const uint8_t *order = simt_order(gen, value);
  if (gen->language != SIMT_CUDA_C || !order || !simt_is_copy(value) || value->type->rank > RANK_MOST) return 1;
  const int64_t width = 16 / (int64_t)ten_dtype_bytes(value->type->dtype);
  return value->type->dims[order[value->type->rank - 1]] % width ? 1 : width;
}

void simt_emit_copy(simt_gen *gen, ten_value *value, int64_t width, simt_ix thread, bool *stored) {
  const ten_type *type = value->type;
  const uint32_t last = simt_order(gen, value)[type->rank - 1];
  int64_t dims[RANK_MOST];
  simt_ix *index = simt_indices(gen, type->rank), *first = simt_indices(gen, type->rank);
  for (uint32_t i = 0; i < type->rank; i++) dims[i] = type->dims[i] / (i == last ? width : 1);
  simt_delinearise(gen, type->rank, dims, thread, index);
  index[last] = simt_multiply(gen, index[last], width);
  for (uint32_t i = 0; i < type->rank; i++) first[i] = index[i];
  simt_line(gen, "__align__(16) %s w[%" PRId64 "];", simt_memory_type(type->dtype), width);
  simt_open(gen, "UNROLL for (i32 j = 0; j < %" PRId64 "; j++)", width);
  const simt_ix j = simt_index_of(simt_define(gen, "i32", "j"));
  index[last] = simt_add(gen, index[last], j);
  *stored = false; /* here it is computed */
  simt_store(gen, type->dtype, "w", j, simt_element(gen, value, index));
  *stored = true;
  simt_close(gen);
  simt_line(gen, "*(uint4 *)(q0 + %s) = *(const uint4 *)w;", simt_text(gen, simt_place(gen, value, first)));
}

/* A value without what it is multiplied by as a whole, however it is moved then. */
static ten_value *without_factor(ten_builder *b, ten_value *value, double *factor) {
  const ten_op *op = value->op;
  if (!op || value->type->dtype != TEN_F32) return value;
  if (op->code == TEN_OP_MULTIPLY) {
    for (uint32_t i = 0; i < 2; i++) {
      const ten_attr *number = ten_value_number(ten_op_operand(op, i));
      if (!number) continue;
      *factor *= ten_float_decode(TEN_F32, ten_dense_at(number, 0));
      return without_factor(b, ten_op_operand(op, 1 - i), factor);
    }
  }
  if (op->code != TEN_OP_TRANSPOSE && op->code != TEN_OP_RESHAPE) return value;
  ten_value *x = ten_op_operand(op, 0), *inner = without_factor(b, x, factor);
  if (inner == x) return value;
  return op->code == TEN_OP_TRANSPOSE ? ten_build_transpose(b, inner, ten_op_ints(op, "permutation").data)
                                      : ten_build_reshape(b, inner, value->type->rank, value->type->dims);
}

/* A product of 16-bit numbers that are scaled as f32: the product is scaled instead, so that tensor cores can compute
 * it, or at least no scaled copy is needed. */
static void scale_result(simt_plan *plan, ten_op *op) {
  if (op->results[0].type->dtype != TEN_F32) return;
  ten_builder b = {.module = plan->module, .block = op->block, .before = op, .loc = op->loc};
  double factor = 1;
  for (uint32_t i = 0; i < 2; i++) {
    double own = 1;
    ten_value *side = without_factor(&b, ten_op_operand(op, i), &own);
    const ten_dtype dtype = simt_source_dtype(side);
    if ((dtype != TEN_BF16 && dtype != TEN_F16) || own == 1 || !isfinite((float)(own * factor)) || own == 0) continue;
    factor *= own;
    ten_op_set_operand(op, i, side);
  }
  if (factor == 1) return;
  b.before = op->next;
  ten_value *result = ten_op_result(op, 0), *by = ten_build_splat(&b, result->type, factor);
  ten_value *scaled = ten_build_binary(&b, TEN_OP_MULTIPLY, result, by);
  ten_value_replace(result, scaled);
  ten_op_set_operand(scaled->op, 0, result);
}

void simt_copy_operands(simt_plan *plan, const simt_plan_options *options) {
  for (ten_op *op = ten_op_body(plan->func, 0)->first; op; op = op->next) {
    if (op->code == TEN_OP_DOT_GENERAL && options->language == SIMT_CUDA_C) scale_result(plan, op);
    if (op->code != TEN_OP_CONVOLUTION) continue;
    ten_builder b = {.module = plan->module, .block = op->block, .before = op, .loc = op->loc};
    const ten_conv_dims dims = ten_conv_dims_of(ten_op_attr(op, "dimension_numbers"));
    const int64_t bytes = narrow_bytes(op, options);
    const bool gradient = simt_is_weight_gradient(op);
    const bool longer = bytes && !gradient && pad_features(&b, op, &dims, 16 / bytes);
    const ten_value *x = ten_op_operand(op, 0), *kernel = ten_op_operand(op, 1);
    if (longer ||
        (bytes && !simt_only_kernels_use(x) && !lies_well(x, gradient ? dims.input_batch : dims.input_feature)))
      copy_operand(&b, op, 0);
    if (longer || (is_given(kernel) && !is_flat_kernel(kernel, &dims)) ||
        (bytes && gradient && !simt_only_kernels_use(kernel)))
      copy_operand(&b, op, 1);
  }
}
