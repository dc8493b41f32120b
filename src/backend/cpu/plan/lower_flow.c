/* lower_flow.c: while, if and case. Loop-carried values have one buffer each, for the loop's lifetime. */
#include "backend/cpu/plan/lower.h"

/* A parallel move of `from` values into the carried buffers: values still to be read are not overwritten. */
static void move_all(cpu_lowering *l, const ten_op *op, uint32_t count, const uint32_t *from, const uint32_t *to,
                     cpu_body *body) {
  cpu_plan *plan = l->plan;
  uint32_t *source = ten_arena_copy(&plan->arena, from, count * sizeof *from);
  for (uint32_t i = 0; i < count; i++) {
    if (to[i] == UINT32_MAX || source[i] == to[i]) continue;
    for (uint32_t j = i + 1; j < count; j++) { /* a later move reads what this one overwrites: save it first */
      if (source[j] != to[i] || to[j] == to[i]) continue;
      const cpu_buffer *old = &plan->buffers.data[to[i]];
      const uint32_t aside = cpu_buffer_new(plan, CPU_ARENA, old->type, old->bytes);
      cpu_copy(l, op, to[i], aside, body);
      for (uint32_t k = j; k < count; k++)
        if (source[k] == to[i]) source[k] = aside;
      break;
    }
    cpu_copy(l, op, source[i], to[i], body);
  }
}

static uint32_t *buffers_of_operands(cpu_lowering *l, const ten_op *op, uint32_t first, uint32_t count) {
  uint32_t *buffers = ten_arena_new_array(&l->plan->arena, uint32_t, count);
  for (uint32_t i = 0; i < count; i++) {
    const ten_value *value = ten_op_operand(op, first + i);
    buffers[i] = cpu_has_memory(value) ? cpu_value_place(l->plan, value) : UINT32_MAX;
  }
  return buffers;
}

ten_status *cpu_lower_while(cpu_lowering *l, const ten_op *op, cpu_body *body) {
  cpu_plan *plan = l->plan;
  const uint32_t count = op->operand_count;
  const ten_block *blocks[2] = {ten_op_body(op, 0), ten_op_body(op, 1)};
  const uint32_t *inits = buffers_of_operands(l, op, 0, count);
  uint32_t *carried = ten_arena_new_array(&plan->arena, uint32_t, count);
  for (uint32_t i = 0; i < count; i++) {
    carried[i] = UINT32_MAX;
    if (!cpu_has_memory(&op->results[i])) continue;
    carried[i] = cpu_value_place(plan, &op->results[i]);
    plan->value_buffers[blocks[0]->args[i]->number] = plan->value_buffers[blocks[1]->args[i]->number] = carried[i];
    cpu_copy(l, op, inits[i], carried[i], body);
  }
  cpu_step *step = cpu_step_new(l, CPU_WHILE, op, body);
  step->body_count = 2;
  step->bodies = ten_arena_new_array(&plan->arena, cpu_body, 2);
  for (uint32_t i = 0; i < 2; i++) TEN_TRY(cpu_lower_block(l, blocks[i], &step->bodies[i]));
  cpu_step_read(step, cpu_value_place(plan, ten_op_operand(ten_block_terminator(blocks[0]), 0)));
  const ten_op *end = ten_block_terminator(blocks[1]);
  move_all(l, op, count, buffers_of_operands(l, end, 0, count), carried, &step->bodies[1]);
  for (uint32_t i = 0; i < count; i++)
    if (carried[i] != UINT32_MAX) cpu_step_write(step, carried[i]);
  return NULL;
}

ten_status *cpu_lower_case(cpu_lowering *l, const ten_op *op, cpu_body *body) {
  cpu_plan *plan = l->plan;
  cpu_step *step = cpu_step_new(l, CPU_CASE, op, body);
  step->is_if = op->code == TEN_OP_IF;
  cpu_step_read(step, cpu_value_place(plan, ten_op_operand(op, 0)));
  step->body_count = op->region_count;
  step->bodies = ten_arena_new_array(&plan->arena, cpu_body, op->region_count);
  uint32_t *results = ten_arena_new_array(&plan->arena, uint32_t, op->result_count);
  for (uint32_t i = 0; i < op->result_count; i++) {
    results[i] = cpu_has_memory(&op->results[i]) ? cpu_value_place(plan, &op->results[i]) : UINT32_MAX;
    if (results[i] != UINT32_MAX) cpu_step_write(step, results[i]);
  }
  for (uint32_t r = 0; r < op->region_count; r++) {
    const ten_block *block = ten_op_body(op, r);
    TEN_TRY(cpu_lower_block(l, block, &step->bodies[r]));
    const ten_op *end = ten_block_terminator(block);
    const uint32_t *returned = buffers_of_operands(l, end, 0, op->result_count);
    for (uint32_t i = 0; i < op->result_count; i++)
      if (results[i] != UINT32_MAX) cpu_copy(l, op, returned[i], results[i], &step->bodies[r]);
  }
  return NULL;
}
