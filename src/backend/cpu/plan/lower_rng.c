/* lower_rng.c: random bits by a whole-op kernel (rt/rng.c). */
#include "backend/cpu/plan/lower.h"

static bool match(cpu_lowering *l, const ten_op *op, void *descriptor) {
  (void)l;
  const ten_type *state = ten_op_operand(op, 0)->type, *type = op->results[1].type;
  /* XLA splits the first even dimension, or else the longest. */
  uint32_t split = type->rank;
  for (uint32_t i = type->rank; i-- > 0;)
    if (type->dims[i] % 2 == 0) split = i;
  for (uint32_t i = 0; i < type->rank && split == type->rank; i++) {
    bool longest = true;
    for (uint32_t k = 0; k < type->rank; k++) longest = longest && type->dims[k] <= type->dims[i];
    if (longest) split = i;
  }
  int64_t inner = 1;
  for (uint32_t i = split + 1; i < type->rank; i++) inner *= type->dims[i];
  *(ten_cpu_rng *)descriptor = (ten_cpu_rng){.algorithm = ten_op_attr(op, "rng_algorithm")->enumeration.value,
                                             .dtype = type->dtype,
                                             .count = ten_type_count(type),
                                             .state_count = (int64_t)(ten_type_bytes(state) / 8),
                                             .split = type->rank ? type->dims[split] : 1,
                                             .inner = inner ? inner : 1}; /* a divisor */
  return true;
}

static ten_status *lower(cpu_lowering *l, const ten_op *op, const void *descriptor, const ten_value *root,
                         cpu_body *body) {
  (void)root;
  cpu_step *step = cpu_step_new(l, CPU_RNG, op, body);
  step->descriptor = ten_arena_copy(&l->plan->arena, descriptor, sizeof(ten_cpu_rng));
  cpu_step_read_operands(l, step, op);
  cpu_step_write_results(l, step, op);
  step->count = ten_cpu_rng_units(step->descriptor);
  return NULL;
}

const cpu_kernel_choice cpu_choice_rng = {
    .ops = {TEN_OP_RNG_BIT_GENERATOR}, .compute = 0.02, .match = match, .lower = lower};
