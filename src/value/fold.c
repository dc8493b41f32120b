/* fold.c: evaluates small ops of constant operands with the reference interpreter.
 *
 * Needs: verified IR.  Changes: only ten_op.data. Elementary functions may differ from the compiled ones
 * in the last digit. */
#include "value/fold.h"

#include <stdlib.h>

#include "value/evaluate.h"

/* Limits in elements. A region is interpreted for each of them; WORK_MAX is the total of all ops of a module. */
enum {
  ELEMENTS_MAX = 1 << 16,
  OPERANDS_MAX = 1 << 18,
  PRODUCTS_MAX = 1 << 14,
  REGIONS_MAX = 1 << 12,
  SLICE_MAX = 1 << 12,
  WORK_MAX = 1 << 21
};

static bool is_candidate(const ten_op *op) {
  if (op->code == TEN_OP_UNKNOWN || !op->result_count || ten_op_has(op, TEN_TRAIT_TERMINATOR | TEN_TRAIT_SYMBOL))
    return false;
  switch (op->code) {
    case TEN_OP_IF:
    case TEN_OP_CASE:
    case TEN_OP_WHILE:
    case TEN_OP_REPLICA_ID:
    case TEN_OP_PARTITION_ID:
    case TEN_OP_CONVOLUTION:
    case TEN_OP_OPTIMIZATION_BARRIER: return false;
    default: break;
  }
  if (!ten_op_is_pure(op) || !ten_can_evaluate(op)) return false;
  for (uint32_t i = 0; i < op->result_count; i++) {
    const ten_type *type = op->results[i].type;
    if (!ten_type_is_tensor(type) || !ten_type_is_static(type) || type->quant || ten_type_count(type) > ELEMENTS_MAX)
      return false;
  }
  return true;
}

static bool is_single(const ten_op *op) {
  for (uint32_t i = 0; i < op->result_count; i++)
    if (ten_type_count(op->results[i].type) > 1) return false;
  return true;
}

/* Where only single elements are folded, a larger constant is an operand of those alone: any other stays unexpanded. */
static bool is_wanted(const ten_op *constant) {
  if (is_single(constant)) return true;
  for (const ten_use *use = constant->results[0].uses; use; use = use->next)
    if (use->owner->result_count && is_single(use->owner)) return true;
  return false;
}

/* Whether the op's regions use no outside values. */
static bool is_closed(const ten_op *op) {
  for (uint32_t r = 0; r < op->region_count; r++) {
    const ten_block *block = op->regions[r].first;
    if (!block || block->next) return false;
    for (const ten_op *inner = block->first; inner; inner = inner->next) {
      if (inner->region_count) return false;
      for (uint32_t i = 0; i < inner->operand_count; i++) {
        const ten_value *x = ten_op_operand(inner, i);
        if ((x->op ? x->op->block : x->block) != block) return false;
      }
    }
  }
  return true;
}

static bool operands_known(const ten_op *op) {
  const int64_t most = op->code == TEN_OP_DOT_GENERAL || op->code == TEN_OP_DOT ? PRODUCTS_MAX
                       : op->region_count                                       ? REGIONS_MAX
                                                                                : OPERANDS_MAX;
  int64_t total = 0;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const ten_value *x = ten_op_operand(op, i);
    if (!ten_fold_known(x) || x->type->quant) return false;
    total += ten_type_count(x->type);
  }
  return total <= most;
}

static ten_status *evaluate(ten_folder *f, const ten_op *op, ten_tensor **out) {
  ten_tensor **operands = ten_arena_new_array(&f->module->arena, ten_tensor *, op->operand_count + 1);
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const ten_value *x = ten_op_operand(op, i);
    operands[i] = ten_fold_known(x)->values[x->index];
  }
  return ten_evaluate(op, operands, out);
}

static void add_work(ten_folder *f, const ten_op *op) {
  for (uint32_t i = 0; i < op->result_count; i++) f->work += ten_type_count(op->results[i].type);
  for (uint32_t i = 0; i < op->operand_count; i++) f->work += ten_type_count(ten_op_operand(op, i)->type);
}

/* Fills op->data when the op can be folded. Errors of the interpreter are left to the run, which reports them. */
void ten_fold_op(ten_folder *f, ten_op *op) {
  op->data = NULL;
  const ten_attr *constant = op->code == TEN_OP_CONSTANT ? ten_value_constant(&op->results[0]) : NULL;
  if (op->code == TEN_OP_CONSTANT && (!constant || !constant->dense.data || op->results[0].type->quant ||
                                      (constant->dense.splat && ten_type_count(op->results[0].type) > ELEMENTS_MAX)))
    return;
  if (!constant && (!is_candidate(op) || !is_closed(op) || !operands_known(op))) return;
  if (f->single && !(constant ? is_wanted(op) : is_single(op))) return;
  if (!constant || constant->dense.splat) add_work(f, op);
  if (f->work > WORK_MAX) return;
  ten_folded result = {.values = ten_arena_new_array(&f->module->arena, ten_tensor *, op->result_count),
                       .count = op->result_count,
                       .generated = true};
  ten_status *status = constant ? ten_tensor_of_attr(constant, &result.values[0]) : evaluate(f, op, result.values);
  if (status) {
    ten_status_free(status);
    return;
  }
  if (constant && !constant->dense.splat && ten_type_count(op->results[0].type) > 1) result.generated = false;
  for (uint32_t i = 0; i < op->operand_count; i++) result.generated &= ten_fold_known(ten_op_operand(op, i))->generated;
  op->data = ten_arena_copy(&f->module->arena, &result, sizeof result);
  ten_vec_push(&f->all, (ten_folded *)op->data);
}

/* Recurses into all regions. */
void ten_fold_clear(ten_op *op) {
  op->data = NULL;
  for (uint32_t r = 0; r < op->region_count; r++)
    for (ten_block *block = op->regions[r].first; block; block = block->next)
      for (ten_op *inner = block->first; inner; inner = inner->next) ten_fold_clear(inner);
}

void ten_folder_free(ten_folder *folder) {
  for (size_t i = 0; i < folder->all.count; i++)
    ten_tensors_release(folder->all.data[i]->values, folder->all.data[i]->count);
  ten_vec_free(&folder->all);
}

/* Operands are looked up among earlier ops of the block, or are constants of an outer one. */
static bool take_operands(ten_folder *f, ten_op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const ten_value *x = ten_op_operand(op, i);
    if (!x->op) return false;
    if (x->op->block != op->block && x->op->code != TEN_OP_CONSTANT) return false;
    if (x->op->block != op->block && !ten_fold_known(x)) ten_fold_op(f, x->op);
    if (x->op->block == op->block && !x->op->data) x->op->data = f; /* needed */
  }
  return true;
}

const ten_attr *ten_fold_value(ten_module *module, const ten_value *value) {
  ten_op *last = value->op;
  if (!last) return NULL;
  if (last->code == TEN_OP_CONSTANT) return ten_value_constant(value);
  ten_folder f = {.module = module};
  TEN_VEC(ten_op *) slice = {0};
  ten_fold_clear(module->op);
  last->data = &f;
  bool all = true;
  for (ten_op *op = last; op && all; op = op->prev) {
    if (op->data != &f) continue;
    all = slice.count < SLICE_MAX && (op->code == TEN_OP_CONSTANT || (is_candidate(op) && is_closed(op))) &&
          take_operands(&f, op);
    ten_vec_push(&slice, op);
  }
  for (size_t i = slice.count; i-- && all;) {
    ten_fold_op(&f, slice.data[i]);
    all = slice.data[i]->data != NULL;
  }
  const ten_attr *made = NULL;
  if (all) {
    const ten_tensor *x = ten_fold_known(value)->values[value->index];
    made = ten_attr_dense(module, value->type, x->data, x->bytes);
  }
  ten_fold_clear(module->op);
  for (size_t i = 0; i < slice.count; i++) { /* also in a block that is not (yet) in the module */
    slice.data[i]->data = NULL;
    for (uint32_t k = 0; k < slice.data[i]->operand_count; k++) {
      ten_op *maker = ten_op_operand(slice.data[i], k)->op;
      if (maker) maker->data = NULL;
    }
  }
  ten_folder_free(&f);
  ten_vec_free(&slice);
  return made;
}
