/* alias.c: a result that is a buffer with its dimensions in another order is that buffer where the buffer's order in
 * memory can be the result's: what a forward pass saves channels last is not copied. The kernels that write and read
 * the buffer then write and read the result. */
#include "backend/simt/planner.h"

/* The order in which a buffer's elements lie as those of its transpose or reshape; NULL: as in its type. */
static bool order_wanted(simt_planner *p, const ten_op *op, const uint8_t **out) {
  *out = NULL;
  if (op->code == TEN_OP_RESHAPE) return true;
  if (op->code != TEN_OP_TRANSPOSE) return false;
  const ten_ints permutation = ten_op_ints(op, "permutation");
  uint8_t *order = ten_arena_new_array(&p->plan->module->arena, uint8_t, permutation.count + 1);
  for (size_t i = 0; i < permutation.count; i++) order[i] = (uint8_t)permutation.data[i];
  *out = order;
  return true;
}

/* Whether elements lie alike in two orders of a type: dimensions of one element do not count. */
static bool same_order(const ten_type *type, const uint8_t *a, const uint8_t *b) {
  uint32_t k = 0;
  for (uint32_t i = 0; i < type->rank; i++) {
    const uint32_t x = a ? a[i] : i;
    if (type->dims[x] == 1) continue;
    while (type->dims[b ? b[k] : k] == 1) k++;
    if ((b ? b[k] : k) != x) return false;
    k++;
  }
  return true;
}

void simt_find_aliases(simt_planner *p, const ten_block *block) {
  const ten_op *end = ten_block_terminator(block);
  for (uint32_t i = 0; i < p->plan->value_count; i++) p->home[i] = i;
  for (uint32_t i = 0; i < end->operand_count; i++) {
    const ten_value *result = ten_op_operand(end, i);
    const ten_op *op = result->op;
    const uint8_t *order;
    if (!op || op->block != block || op->data || !ten_type_is_tensor(result->type) || !order_wanted(p, op, &order))
      continue;
    const ten_value *x = ten_op_operand(op, 0);
    if (!x->op || x->op->block != block || !p->stored[x->number] || !simt_only_kernels_use(x) ||
        p->home[x->number] != x->number || p->home[result->number] != result->number || p->is_home[result->number] ||
        p->orders[result->number] || p->constant[x->number])
      continue;
    if (!p->orders[x->number] && order) p->orders[x->number] = order;
    if (!same_order(x->type, p->orders[x->number], order)) continue;
    p->home[x->number] = result->number;
    p->is_home[result->number] = true;
  }
}
