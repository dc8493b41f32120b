/* unshard.c: removes the sharding dialect from a program for a single device: constraints become their operand, a
 * manual computation its body, meshes are erased. Needs: one partition.  Keeps: values, locations. */
#include "transform/pass/pass.h"

static ten_status *unshard_op(ten_op *op, void *context) {
  (void)context;
  if (op->code == TEN_OP_CUSTOM_CALL) {
    if (op->operand_count == 1 && op->result_count == 1 && op->results[0].type == ten_op_operand(op, 0)->type &&
        ten_str_is(ten_attr_as_string(ten_op_attr(op, "call_target_name")), "Sharding")) {
      ten_value_replace(&op->results[0], ten_op_operand(op, 0));
      ten_op_erase(op);
    }
    return NULL;
  }
  if (!ten_str_starts(op->name, "sdy.")) return NULL;
  if (ten_str_is(op->name, "sdy.return")) return NULL; /* erased with its parent */
  if (ten_str_is(op->name, "sdy.mesh")) {
    ten_op_erase(op);
    return NULL;
  }
  if (ten_str_is(op->name, "sdy.manual_computation") || ten_str_is(op->name, "sdy.named_computation")) {
    ten_block *body = ten_op_body(op, 0);
    if (!body || body->arg_count != op->operand_count)
      return ten_op_error(op, TEN_INVALID, "has a body of %u arguments for %u operands", body ? body->arg_count : 0,
                          op->operand_count);
    for (uint32_t i = 0; i < body->arg_count; i++) {
      if (body->args[i]->type != ten_op_operand(op, i)->type)
        return ten_op_error(op, TEN_UNSUPPORTED, "splits operand %u over several devices; there is one", i);
      ten_value_replace(body->args[i], ten_op_operand(op, i));
    }
    ten_op *end = ten_block_terminator(body);
    if (!end || end->operand_count != op->result_count)
      return ten_op_error(op, TEN_INVALID, "has a body that does not return its %u results", op->result_count);
    for (ten_op *inner = body->first, *next; inner != end; inner = next) {
      next = inner->next;
      ten_op_unlink(inner);
      ten_op_insert_before(op, inner);
    }
    for (uint32_t i = 0; i < op->result_count; i++) ten_value_replace(&op->results[i], ten_op_operand(end, i));
    ten_op_erase(op);
    return NULL;
  }
  if (op->operand_count != op->result_count) return ten_op_error(op, TEN_UNSUPPORTED, "has no meaning on one device");
  for (uint32_t i = 0; i < op->result_count; i++) {
    if (op->results[i].type != ten_op_operand(op, i)->type)
      return ten_op_error(op, TEN_UNSUPPORTED, "changes a shape, which needs several devices");
    ten_value_replace(&op->results[i], ten_op_operand(op, i));
  }
  ten_op_erase(op);
  return NULL;
}

static ten_status *run(ten_module *module) { return ten_op_walk(module->op, unshard_op, NULL); }

const ten_pass ten_pass_unshard = {"unshard", "take a program for one device out of the sharding dialect", run};
