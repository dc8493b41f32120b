/* transpose_kernels.c: stores convolution kernels on the device in the layout XLA reads. PyTorch has them as (out, in,
 * height, width); libtpu lays that out with `in` innermost, reads them with `out` innermost, and copies every kernel of
 * a training step both ways. So the program takes and returns them as (height, width, in, out), and uploads and
 * downloads convert from and to the host's layout by strides.
 * Needs: a program whose weights are arguments.  Keeps: the caller's inputs and outputs. */
#include <stdlib.h>

#include "backend/pjrt/client_program.h"
#include "ir/builder.h"
#include "ir/dims.h"
#include "value/tensor.h"

/* The order (spatial…, in, out) of a kernel's dimensions; NULL when they already have it. */
static const int64_t *order_of(ten_module *module, const ten_op *conv) {
  const ten_conv_dims d = ten_conv_dims_of(ten_op_attr(conv, "dimension_numbers"));
  const size_t spatial = d.kernel_spatial.count;
  int64_t *order = ten_arena_new_array(&module->arena, int64_t, spatial + 2);
  for (size_t i = 0; i < spatial; i++) order[i] = d.kernel_spatial.data[i];
  order[spatial] = d.kernel_input_feature;
  order[spatial + 1] = d.kernel_output_feature;
  for (size_t i = 0; i < spatial + 2; i++)
    if (order[i] != (int64_t)i) return order;
  return NULL;
}

static const int64_t *order_by_use(ten_module *module, const ten_value *kernel) {
  const ten_op *first = NULL; /* uses are listed newest first: the forward pass's is last */
  for (const ten_use *use = kernel->uses; use; use = use->next)
    if (use->owner->code == TEN_OP_CONVOLUTION && use->index == 1) first = use->owner;
  return first ? order_of(module, first) : NULL;
}

static bool may_turn(const pjrt_program *p, uint32_t argument) {
  const ten_type *type = ten_func_type(p->func)->inputs[argument];
  return p->arguments[argument].weight && type->rank > 2 && !type->quant && ten_type_is_static(type) &&
         !ten_func_arg_attr(p->func, argument, "sdy.sharding") &&
         !ten_func_arg_attr(p->func, argument, "mhlo.sharding");
}

static const ten_type *turned_type(ten_module *module, const ten_type *type, const int64_t *order) {
  int64_t dims[TEN_RANK_MAX];
  for (uint32_t i = 0; i < type->rank; i++) dims[i] = type->dims[order[i]];
  return ten_type_with_shape(module, type, type->rank, dims);
}

static const int64_t *inverse_of(ten_module *module, const int64_t *order, uint32_t rank) {
  int64_t *inverse = ten_arena_new_array(&module->arena, int64_t, rank);
  for (uint32_t i = 0; i < rank; i++) inverse[order[i]] = i;
  return inverse;
}

static void turn_argument(pjrt_program *p, uint32_t argument, const int64_t *order) {
  ten_block *body = ten_op_body(p->func, 0);
  ten_value *value = body->args[argument];
  const uint32_t rank = value->type->rank;
  value->type = turned_type(p->module, value->type, order);
  p->transposed[argument] = order;
  ten_builder b = {.module = p->module, .block = body, .before = body->first, .loc = value->loc};
  ten_value *back = ten_build_transpose(&b, value, inverse_of(p->module, order, rank));
  for (ten_use *use = value->uses, *next; use; use = next) {
    next = use->next;
    if (use->owner != back->op) ten_op_set_operand(use->owner, use->index, back);
  }
}

static void turn_result(pjrt_program *p, uint32_t result, const int64_t *order) {
  ten_block *body = ten_op_body(p->func, 0);
  ten_op *end = ten_block_terminator(body);
  ten_builder b = {.module = p->module, .block = body, .before = end, .loc = end->loc};
  p->transposed_results[result] = order;
  ten_op_set_operand(end, result, ten_build_transpose(&b, ten_op_operand(end, result), order));
}

/* The result that aliases an argument, -1 when there is none, -2 when it has another shape. */
static int64_t result_of(const pjrt_program *p, uint32_t argument) {
  const ten_type *type = ten_func_type(p->func);
  const int64_t alias = ten_attr_as_int(ten_func_arg_attr(p->func, argument, "tf.aliasing_output"), -1);
  if (alias < 0) return -1;
  return alias < (int64_t)type->result_count && type->results[alias] == type->inputs[argument] ? alias : -2;
}

void pjrt_turn_kernels(pjrt_program *p) {
  const ten_type *type = ten_func_type(p->func);
  ten_block *body = ten_op_body(p->func, 0);
  p->transposed = ten_alloc((type->input_count + 1) * sizeof *p->transposed);
  p->transposed_results = ten_alloc((type->result_count + 1) * sizeof *p->transposed_results);
  const int64_t **orders = ten_alloc((type->input_count + 1) * sizeof *orders);
  for (uint32_t i = 0; i < type->input_count; i++)
    orders[i] = may_turn(p, i) ? order_by_use(p->module, body->args[i]) : NULL;
  for (uint32_t i = 0; i < type->input_count; i++) { /* optimizer state of a kernel has the kernel's layout */
    if (orders[i] || !may_turn(p, i) || i >= p->input_count) continue;
    for (uint32_t k = 0; k < p->input_count && !orders[i]; k++)
      if (orders[k] && type->inputs[k] == type->inputs[i] && result_of(p, k) >= 0) orders[i] = orders[k];
  }
  for (uint32_t i = 0; i < type->input_count; i++) {
    const int64_t result = orders[i] ? result_of(p, i) : -2;
    if (result == -2) continue;
    turn_argument(p, i, orders[i]);
    if (result >= 0) turn_result(p, (uint32_t)result, orders[i]);
  }
  free(orders);
  ten_func_update_type(p->module, p->func);
}
