/* merge_matmuls.c: a sum of matmuls that contract few elements each becomes one matmul of their operands concatenated:
 * a1·b1 + a2·b2 = [a1 a2]·[b1; b2].
 *
 * The gradient of a weight that every step of an unrolled recurrence uses is such a sum. Each term is as large as the
 * weight, so that memory traffic takes much longer than the few multiplications; concatenating copies far less.
 *
 * Needs: verified IR. Keeps: types, locations; results, but for the order in which they add up. The terms are left to
 * dce. f32 and f64 only: sums of narrower elements are rounded in between. */
#include <stdlib.h>

#include "ir/builder.h"
#include "transform/pass/pass.h"

enum { RANK_MAX = 16, WORTH = 1 << 12 /* elements of a term */ };

typedef TEN_VEC(ten_value *) value_list;

static bool is_sum(const ten_value *value, const ten_op *root) {
  return value->op && value->op->code == TEN_OP_ADD && value->op->block == root->block && ten_value_used_once(value);
}

/* The terms of a tree of additions, in order. */
static void find_terms(const ten_op *root, value_list *terms) {
  value_list stack = {0};
  ten_vec_push(&stack, ten_op_operand(root, 1));
  ten_vec_push(&stack, ten_op_operand(root, 0));
  while (stack.count) {
    ten_value *value = stack.data[--stack.count];
    if (is_sum(value, root)) {
      ten_vec_push(&stack, ten_op_operand(value->op, 1));
      ten_vec_push(&stack, ten_op_operand(value->op, 0));
    } else {
      ten_vec_push(terms, value);
    }
  }
  ten_vec_free(&stack);
}

static bool is_static(const ten_value *value, ten_dtype dtype) {
  return value->type->dtype == dtype && value->type->rank <= RANK_MAX && ten_type_is_static(value->type);
}

/* Whether copying the operands of a term is far less than reading and writing the term. */
static bool can_merge(const ten_value *term, const ten_op *root) {
  const ten_op *op = term->op;
  if (!op || op->code != TEN_OP_DOT_GENERAL || op->block != root->block || !ten_value_used_once(term)) return false;
  const ten_value *x = ten_op_operand(op, 0), *y = ten_op_operand(op, 1);
  const ten_dtype dtype = term->type->dtype;
  const ten_dot_dims dims = ten_dot_dims_of(ten_op_attr(op, "dot_dimension_numbers"));
  if (!is_static(term, dtype) || !is_static(x, dtype) || !is_static(y, dtype) || ten_op_attr(op, "algorithm") ||
      ten_own_attr(op, TEN_NAME_TAPS) || dims.lhs_batch.count || dims.lhs_contract.count != 1)
    return false;
  const int64_t size = ten_type_count(term->type);
  return size >= WORTH && 2 * (ten_type_count(x->type) + ten_type_count(y->type)) <= size;
}

/* Equal but for the contracted size. */
static bool is_alike(const ten_op *a, const ten_op *b) {
  const ten_dot_dims d = ten_dot_dims_of(ten_op_attr(a, "dot_dimension_numbers"));
  const ten_dot_dims e = ten_dot_dims_of(ten_op_attr(b, "dot_dimension_numbers"));
  const int64_t along[] = {d.lhs_contract.data[0], d.rhs_contract.data[0]};
  if (along[0] != e.lhs_contract.data[0] || along[1] != e.rhs_contract.data[0]) return false;
  for (uint32_t side = 0; side < 2; side++) {
    const ten_type *x = ten_op_operand(a, side)->type, *y = ten_op_operand(b, side)->type;
    if (x->rank != y->rank) return false;
    for (uint32_t i = 0; i < x->rank; i++)
      if (i != along[side] && x->dims[i] != y->dims[i]) return false;
  }
  return true;
}

/* One matmul that replaces those among `terms` that match the one at `first`, which are removed; NULL: no other
 * matches. */
static ten_value *merge(ten_builder *b, const ten_op *root, value_list *terms, size_t first) {
  const ten_op *like = terms->data[first]->op;
  const ten_dot_dims dims = ten_dot_dims_of(ten_op_attr(like, "dot_dimension_numbers"));
  value_list sides[2] = {0};
  size_t kept = first, found = 0;
  for (size_t i = first; i < terms->count; i++)
    found += can_merge(terms->data[i], root) && is_alike(like, terms->data[i]->op);
  if (found < 2) return NULL;
  for (size_t i = first; i < terms->count; i++) {
    ten_value *term = terms->data[i];
    if (can_merge(term, root) && is_alike(like, term->op)) {
      for (uint32_t side = 0; side < 2; side++) ten_vec_push(&sides[side], ten_op_operand(term->op, side));
    } else {
      terms->data[kept++] = term;
    }
  }
  terms->count = kept;
  ten_value *x = ten_build_concat(b, (uint32_t)found, sides[0].data, dims.lhs_contract.data[0]);
  ten_value *y = ten_build_concat(b, (uint32_t)found, sides[1].data, dims.rhs_contract.data[0]);
  for (uint32_t side = 0; side < 2; side++) ten_vec_free(&sides[side]);
  return ten_build_dot(b, x, y, &dims, TEN_DTYPE_NONE);
}

static void visit(ten_module *module, ten_op *root) {
  const ten_value *sum = &root->results[0];
  const ten_dtype dtype = sum->type->dtype;
  if ((dtype != TEN_F32 && dtype != TEN_F64) || !is_static(sum, dtype)) return;
  if (ten_value_used_once(sum) && sum->uses->owner->code == TEN_OP_ADD && sum->uses->owner->block == root->block)
    return; /* part of a larger one */
  value_list terms = {0}, made = {0};
  find_terms(root, &terms);
  ten_builder b = {.module = module, .block = root->block, .before = root, .loc = root->loc};
  for (size_t i = 0; i < terms.count;) {
    ten_value *merged = can_merge(terms.data[i], root) ? merge(&b, root, &terms, i) : NULL;
    if (merged)
      ten_vec_push(&made, merged);
    else
      i++;
  }
  if (made.count) {
    for (size_t i = 0; i < terms.count; i++) ten_vec_push(&made, terms.data[i]);
    ten_value *all = made.data[0];
    for (size_t i = 1; i < made.count; i++) all = ten_build_binary(&b, TEN_OP_ADD, all, made.data[i]);
    ten_value_replace(&root->results[0], all);
    ten_op_erase(root);
  }
  ten_vec_free(&terms);
  ten_vec_free(&made);
}

static ten_status *run(ten_module *module) { return ten_pass_each(module, TEN_OP_ADD, visit); }

const ten_pass ten_pass_merge_matmuls = {
    .name = "merge-matmuls",
    .summary = "sums of small matmuls as one matmul of their operands concatenated",
    .run = run};
