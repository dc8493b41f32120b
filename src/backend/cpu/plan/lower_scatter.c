/* lower_scatter.c: ops that change a few elements of an operand: the operand is copied to the result's buffer first
 * (aliased if this was its last use: memory.c), then updated in place. */
#include "backend/cpu/codegen/scatter.h"
#include "backend/cpu/plan/lower.h"

enum { GRAIN = 4096 }; /* elements of a result per task */

/* Copies `operand` to the result's buffer. */
static ten_status *fill(cpu_lowering *l, const ten_op *op, const ten_value *operand, const ten_value *result,
                        cpu_body *body) {
  const uint32_t from = cpu_value_buffer(l->plan, operand), to = cpu_value_place(l->plan, result);
  if (from != UINT32_MAX) {
    cpu_copy(l, op, from, to, body);
    return NULL;
  }
  /* computed directly there; other readers of the operand recompute it, since this buffer is about to change */
  l->plan->value_buffers[operand->number] = to;
  ten_status *status = cpu_lower_loops(l, op, (const ten_value *const[]){operand}, 1, body);
  l->plan->value_buffers[operand->number] = UINT32_MAX;
  return status;
}

static void write_results(cpu_lowering *l, cpu_step *step, const ten_op *op) {
  for (uint32_t i = 0; i < op->result_count; i++) {
    ten_vec_push(&step->roots, &op->results[i]);
    cpu_step_write(step, cpu_value_place(l->plan, &op->results[i]));
  }
}

ten_status *cpu_lower_update(cpu_lowering *l, const ten_op *op, cpu_body *body) {
  TEN_TRY(fill(l, op, ten_op_operand(op, 0), &op->results[0], body));
  cpu_step *step = cpu_step_new(l, CPU_UPDATE, op, body);
  for (uint32_t i = 1; i < op->operand_count; i++) cpu_collect(l, step, ten_op_operand(op, i));
  write_results(l, step, op);
  cpu_step_rows(step, ten_op_operand(op, 1)->type, 2);
  return NULL;
}

/* Divides the step where that pays. An index that every unit reads takes each of them some 8 ns, as a processor cannot
 * predict which are the unit's own: as long as 30 elements of a window. For example 12,800 rows of a table by index, on
 * two cores: rows of 128 elements take .48 ms, in two units .34; rows of 32 elements .11 and .14. */
static void divide(const cpu_lowering *l, cpu_step *step, const ten_op *op) {
  enum { UNIT_LEAST = 8000 /* ns */, INDEX = 2 /* ns */, ELEMENTS = 3 /* a ns */, WINDOW_LEAST = 64, PARTS = 4 };
  const cg_scatter_split split = cg_scatter_split_of(op);
  const ten_type *updates = ten_op_operand(op, op->result_count + 1)->type;
  const int64_t elements = ten_type_count(updates), most = l->plan->threads * (int64_t)PARTS;
  int64_t windows = 1;
  for (uint32_t i = 0; i < cg_scatter_outer(op); i++) windows *= updates->dims[i];
  int64_t parts = (windows * INDEX + elements / ELEMENTS) / UNIT_LEAST;
  if (split.operand >= 0 && windows && parts > elements / windows / WINDOW_LEAST)
    parts = elements / windows / WINDOW_LEAST;
  if (parts > most) parts = most;
  step->count = split.count;
  step->grain = parts < 2 ? split.count : (split.count + parts - 1) / parts;
}

ten_status *cpu_lower_scatter(cpu_lowering *l, const ten_op *op, cpu_body *body) {
  const uint32_t count = op->result_count;
  for (uint32_t i = 0; i < count; i++) TEN_TRY(fill(l, op, ten_op_operand(op, i), &op->results[i], body));
  cpu_step *step = cpu_step_new(l, CPU_SCATTER, op, body);
  for (uint32_t i = count; i < op->operand_count; i++) cpu_collect(l, step, ten_op_operand(op, i));
  cpu_collect_region(l, step, &op->regions[0]);
  write_results(l, step, op);
  divide(l, step, op);
  return NULL;
}

ten_status *cpu_lower_select_and_scatter(cpu_lowering *l, const ten_op *op, cpu_body *body) {
  cpu_step *step = cpu_step_new(l, CPU_SELECT_SCATTER, op, body);
  for (uint32_t i = 0; i < op->operand_count; i++) cpu_collect(l, step, ten_op_operand(op, i));
  for (uint32_t r = 0; r < 2; r++) cpu_collect_region(l, step, &op->regions[r]);
  write_results(l, step, op);
  step->count = cg_select_scatter_units(l->plan->module, op);
  const int64_t all = ten_type_count(op->results[0].type), unit = 1 + all / (step->count ? step->count : 1);
  step->grain = unit >= GRAIN ? 1 : GRAIN / unit;
  return NULL;
}
