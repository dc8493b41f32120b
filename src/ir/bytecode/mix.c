/* mix.c: programs of several dialects. VHLO ops have VHLO types, all others their usual types; a cast converts a value
 * between the two, and the reader drops it again. */
#include "ir/bytecode/writer.h"

bool bw_is_plain(const ten_op *op) {
  return op->code != TEN_OP_FUNC_RETURN && (op->code == TEN_OP_UNKNOWN || !vhlo_op_newest(op->code));
}

bw_space bw_space_of(const ten_value *value) {
  if (value->block) return bw_is_plain(value->block->region->op) ? BW_PLAIN : BW_VHLO;
  if (value->op->code == TEN_OP_CAST) return value->op->number == BW_PLAIN ? BW_PLAIN : BW_VHLO;
  return bw_is_plain(value->op) ? BW_PLAIN : BW_VHLO;
}

static ten_status *mix_op(ten_op *op, void *context) {
  ten_module *module = context;
  if (op->code == TEN_OP_CAST) return NULL;
  const bw_space wanted = bw_is_plain(op) ? BW_PLAIN : BW_VHLO;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    ten_value *value = ten_op_operand(op, i);
    if (bw_space_of(value) == wanted) continue;
    ten_op *cast = ten_op_create(module, TEN_OP_CAST, (ten_str){0}, op->loc, 1, &value, 1, &value->type, 0, NULL, 0);
    cast->number = wanted;
    ten_op_insert_before(op, cast);
    ten_op_set_operand(op, i, &cast->results[0]);
  }
  return NULL;
}

void bw_mix(ten_module *module) {
  ten_status *status = ten_op_walk(module->op, mix_op, module);
  (void)status; /* mix_op does not fail */
}
