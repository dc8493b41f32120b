/* fingerprint.c: a hash of a function without its sizes: its ops, what they are applied to, and the types and ranks of
 * tensors. Numbers, attributes and what computes sizes are ignored, so that a size may be a number in one program and a
 * symbol in another. */
#include "ir/module.h"

typedef struct walk {
  ten_hasher *out;
  uint32_t next; /* the number of the next tensor, from 1; others have 0 */
} walk;

static void add_value(walk *w, ten_value *value) {
  const bool is_tensor = ten_type_is_tensor(value->type);
  value->number = is_tensor ? w->next++ : 0;
  if (is_tensor) ten_hasher_add_u64(w->out, (uint64_t)value->type->rank << 32 | (uint64_t)value->type->dtype);
}

static bool has_tensors(const ten_op *op) {
  bool any = false;
  for (uint32_t i = 0; i < op->operand_count; i++) any |= ten_type_is_tensor(ten_op_operand(op, i)->type);
  for (uint32_t i = 0; i < op->result_count; i++) any |= ten_type_is_tensor(op->results[i].type);
  return any;
}

static void add_region(walk *w, const ten_region *region);

/* Sizes read from a tensor are as good as numbers. */
static void add_op(walk *w, ten_op *op) {
  uint32_t tensors = 0;
  for (uint32_t i = 0; i < op->result_count; i++) tensors += ten_type_is_tensor(op->results[i].type);
  const bool sizes_only = op->result_count && !tensors;
  if (!sizes_only && (has_tensors(op) || op->region_count)) {
    ten_hasher_add_u64(w->out, (uint64_t)op->code);
    if (op->code == TEN_OP_UNKNOWN) ten_hasher_add_str(w->out, op->name);
    for (uint32_t i = 0; i < op->operand_count; i++)
      if (ten_op_operand(op, i)->number) ten_hasher_add_u64(w->out, ten_op_operand(op, i)->number);
    ten_hasher_add_u64(w->out, 0);
  }
  for (uint32_t i = 0; i < op->result_count; i++) add_value(w, &op->results[i]);
  for (uint32_t i = 0; i < op->region_count; i++) add_region(w, &op->regions[i]);
}

static void add_region(walk *w, const ten_region *region) {
  for (const ten_block *block = region->first; block; block = block->next) {
    for (uint32_t i = 0; i < block->arg_count; i++) add_value(w, block->args[i]);
    for (ten_op *op = block->first; op; op = op->next) add_op(w, op);
    ten_hasher_add_u64(w->out, UINT64_MAX);
  }
}

ten_hash128 ten_func_fingerprint(const ten_op *func, const bool *exact) {
  walk w = {.out = ten_hasher_create(), .next = 1};
  const ten_type *type = ten_func_type(func);
  uint64_t tensors = 0;
  for (uint32_t i = 0; exact && i < type->input_count; i++) {
    const ten_type *input = type->inputs[i];
    if (!ten_type_is_tensor(input)) continue;
    tensors++;
    if (!exact[i] || !input->ranked) continue;
    ten_hasher_add_u64(w.out, tensors);
    ten_hasher_add(w.out, input->dims, input->rank * sizeof *input->dims);
  }
  for (uint32_t i = 0; i < func->region_count; i++) add_region(&w, &func->regions[i]);
  const ten_hash128 fingerprint = ten_hasher_result(w.out);
  ten_hasher_destroy(w.out);
  return fingerprint;
}
