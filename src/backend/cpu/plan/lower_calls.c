/* lower_calls.c: ops that need the caller, and code shared by whole-op steps. Operands and results are in memory. */
#include "backend/cpu/plan/lower.h"
#include "ir/assert.h"

void cpu_step_read_operands(cpu_lowering *l, cpu_step *step, const ten_op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (cpu_has_memory(ten_op_operand(op, i))) cpu_step_read(step, cpu_value_place(l->plan, ten_op_operand(op, i)));
}

void cpu_step_write_results(cpu_lowering *l, cpu_step *step, const ten_op *op) {
  for (uint32_t i = 0; i < op->result_count; i++)
    if (cpu_has_memory(&op->results[i])) cpu_step_write(step, cpu_value_place(l->plan, &op->results[i]));
}

void cpu_step_write_scratch(cpu_lowering *l, cpu_step *step, size_t bytes) {
  cpu_step_write(step, cpu_buffer_new(l->plan, CPU_ARENA, NULL, bytes));
}

int64_t cpu_batch_of(const ten_type *type, uint32_t trailing) {
  int64_t count = 1;
  for (uint32_t i = 0; i + trailing < type->rank; i++) count *= type->dims[i];
  return count;
}

ten_status *cpu_lower_assert(cpu_lowering *l, const ten_op *op, cpu_body *body) {
  cpu_step *step = cpu_step_new(l, CPU_ASSERT, op, body);
  ten_check *check = step->descriptor = ten_arena_new(&l->plan->arena, ten_check);
  *check = ten_assert_check(op);
  cpu_step_read_operands(l, step, op);
  return NULL;
}

ten_status *cpu_lower_host(cpu_lowering *l, const ten_op *op, cpu_body *body) {
  cpu_step *step = cpu_step_new(l, CPU_HOST, op, body);
  l->plan->has_host = true;
  cpu_step_read_operands(l, step, op);
  for (uint32_t r = 0; r < op->region_count; r++) cpu_collect_region(l, step, &op->regions[r]);
  cpu_step_write_results(l, step, op);
  return NULL;
}
