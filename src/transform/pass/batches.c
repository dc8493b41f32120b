/* batches.c: batched matmuls as PyTorch's gradients have them, in the form of a matmul over tensors.
 *
 * 1. A dot_general whose operands are reshapes that merge the same leading dimensions into one batch dimension keeps
 *    these apart: its result is reshaped instead, which meets the reshape that takes it apart again.
 * 2. The transpose of a matmul, or of a number times it, is the matmul of its operands in the other order.
 *
 * Needs: verified IR, static shapes.  Keeps: results, types, locations.  Dead ops are left to dce. */
#include <string.h>

#include "ir/builder.h"
#include "transform/pass/pass.h"

enum { RANK_MOST = 16 };

/* What is reshaped to `value`, whose first dimension is `*count` of its own; NULL: it is not like that. */
static ten_value *apart(ten_value *value, uint32_t *count) {
  const ten_op *op = value->op;
  if (!op || op->code != TEN_OP_RESHAPE) return NULL;
  ten_value *x = ten_op_operand(op, 0);
  const uint32_t rank = value->type->rank;
  if (!rank || x->type->rank <= rank || x->type->rank > RANK_MOST || !ten_type_is_static(x->type)) return NULL;
  *count = x->type->rank - rank + 1;
  return memcmp(x->type->dims + *count, value->type->dims + 1, (rank - 1) * sizeof *x->type->dims) ? NULL : x;
}

static bool is_first(ten_ints batch) { return batch.count == 1 && batch.data[0] == 0; }

static ten_ints moved(ten_module *module, ten_ints dims, uint32_t by) {
  int64_t *out = ten_arena_new_array(&module->arena, int64_t, dims.count + 1);
  for (size_t i = 0; i < dims.count; i++) out[i] = dims.data[i] + by;
  return (ten_ints){out, dims.count};
}

static void split(ten_module *module, ten_op *op) {
  const ten_dot_dims d = ten_dot_dims_of(ten_op_attr(op, "dot_dimension_numbers"));
  uint32_t count = 0, other = 0;
  ten_value *x = apart(ten_op_operand(op, 0), &count), *y = apart(ten_op_operand(op, 1), &other);
  if (!x || !y || count != other || !is_first(d.lhs_batch) || !is_first(d.rhs_batch)) return;
  if (memcmp(x->type->dims, y->type->dims, count * sizeof *x->type->dims) || ten_op_attr(op, "algorithm")) return;
  int64_t first[RANK_MOST];
  for (uint32_t i = 0; i < count; i++) first[i] = i;
  const ten_ints batch = {first, count};
  const ten_dot_dims dims = {.lhs_batch = batch,
                             .rhs_batch = batch,
                             .lhs_contract = moved(module, d.lhs_contract, count - 1),
                             .rhs_contract = moved(module, d.rhs_contract, count - 1)};
  ten_builder b = {.module = module, .block = op->block, .before = op, .loc = op->loc};
  const ten_type *type = op->results[0].type;
  ten_value *result = ten_build_dot(&b, x, y, &dims, type->dtype);
  ten_value_replace(&op->results[0], ten_build_reshape(&b, result, type->rank, type->dims));
  ten_op_erase(op);
}

/* Swaps the last two dimensions. */
static bool is_swap(const ten_op *op) {
  const ten_ints p = ten_op_ints(op, "permutation");
  for (size_t i = 0; i + 2 < p.count; i++)
    if (p.data[i] != (int64_t)i) return false;
  return p.count >= 2 && p.data[p.count - 2] == (int64_t)p.count - 1;
}

static ten_value *number_of(const ten_op *multiply, ten_value **out_rest) {
  for (uint32_t i = 0; i < 2; i++) {
    ten_value *number = ten_op_operand(multiply, i);
    if (!ten_value_number(number)) continue;
    *out_rest = ten_op_operand(multiply, 1 - i);
    return number;
  }
  return NULL;
}

static void swap(ten_module *module, ten_op *op) {
  ten_value *x = ten_op_operand(op, 0), *number = NULL;
  if (!is_swap(op) || !ten_value_used_once(x) || !x->op) return;
  if (x->op->code == TEN_OP_MULTIPLY && (number = number_of(x->op, &x)) && !ten_value_used_once(x)) return;
  const ten_op *dot = x->op;
  if (!dot || dot->code != TEN_OP_DOT_GENERAL || ten_op_attr(dot, "algorithm") || !ten_type_is_static(x->type)) return;
  const ten_dot_dims d = ten_dot_dims_of(ten_op_attr(dot, "dot_dimension_numbers"));
  ten_value *left = ten_op_operand(dot, 0), *right = ten_op_operand(dot, 1);
  const size_t batches = d.lhs_batch.count, contracted = d.lhs_contract.count;
  if (left->type->rank != batches + contracted + 1 || right->type->rank != batches + contracted + 1) return;
  const ten_dot_dims dims = {.lhs_batch = d.rhs_batch,
                             .rhs_batch = d.lhs_batch,
                             .lhs_contract = d.rhs_contract,
                             .rhs_contract = d.lhs_contract};
  ten_builder b = {.module = module, .block = op->block, .before = op, .loc = dot->loc};
  ten_value *result = ten_build_dot(&b, right, left, &dims, x->type->dtype);
  if (number) {
    ten_value *by = ten_build_transpose(&b, number, ten_op_ints(op, "permutation").data);
    result = ten_build_binary(&b, TEN_OP_MULTIPLY, result, by);
  }
  ten_value_replace(&op->results[0], result);
  ten_op_erase(op);
}

static ten_status *run(ten_module *module) {
  TEN_TRY(ten_pass_each(module, TEN_OP_DOT_GENERAL, split));
  return ten_pass_each(module, TEN_OP_TRANSPOSE, swap);
}

const ten_pass ten_pass_batches = {"batches", "keep merged batch dimensions of matmuls apart, and transpose matmuls",
                                   run};
