/* lower_linalg.c: Cholesky factors and triangular systems by whole-op kernels (rt/linalg.c). */
#include "backend/cpu/plan/lower.h"

static bool match_cholesky(cpu_lowering *l, const ten_op *op, void *descriptor) {
  (void)l;
  const ten_type *type = op->results[0].type;
  *(ten_cpu_cholesky *)descriptor = (ten_cpu_cholesky){
      .dtype = type->dtype, .n = type->dims[type->rank - 1], .lower = ten_attr_as_bool(ten_op_attr(op, "lower"))};
  return true;
}

static bool match_trisolve(cpu_lowering *l, const ten_op *op, void *descriptor) {
  (void)l;
  const ten_type *a = ten_op_operand(op, 0)->type, *type = op->results[0].type;
  const int transpose = ten_op_attr(op, "transpose_a")->enumeration.value;
  *(ten_cpu_trisolve *)descriptor = (ten_cpu_trisolve){.dtype = type->dtype,
                                                       .n = a->dims[a->rank - 1],
                                                       .rows = type->dims[type->rank - 2],
                                                       .cols = type->dims[type->rank - 1],
                                                       .left = ten_attr_as_bool(ten_op_attr(op, "left_side")),
                                                       .lower = ten_attr_as_bool(ten_op_attr(op, "lower")),
                                                       .unit = ten_attr_as_bool(ten_op_attr(op, "unit_diagonal")),
                                                       .transpose = transpose == 2 || transpose == 3,
                                                       .conjugate = transpose == 3};
  return true;
}

static ten_status *lower_matrices(cpu_lowering *l, const ten_op *op, cpu_step_kind kind, void *descriptor,
                                  cpu_body *body) {
  cpu_step *step = cpu_step_new(l, kind, op, body);
  step->descriptor = descriptor;
  cpu_step_read_operands(l, step, op);
  cpu_step_write_results(l, step, op);
  step->count = cpu_batch_of(op->results[0].type, 2);
  return NULL;
}

static ten_status *lower_cholesky(cpu_lowering *l, const ten_op *op, const void *descriptor, const ten_value *root,
                                  cpu_body *body) {
  (void)root;
  return lower_matrices(l, op, CPU_CHOLESKY, ten_arena_copy(&l->plan->arena, descriptor, sizeof(ten_cpu_cholesky)),
                        body);
}

static ten_status *lower_trisolve(cpu_lowering *l, const ten_op *op, const void *descriptor, const ten_value *root,
                                  cpu_body *body) {
  (void)root;
  return lower_matrices(l, op, CPU_TRISOLVE, ten_arena_copy(&l->plan->arena, descriptor, sizeof(ten_cpu_trisolve)),
                        body);
}

const cpu_kernel_choice cpu_choice_cholesky = {
    .ops = {TEN_OP_CHOLESKY}, .compute = 0.05, .match = match_cholesky, .lower = lower_cholesky};
const cpu_kernel_choice cpu_choice_trisolve = {
    .ops = {TEN_OP_TRIANGULAR_SOLVE}, .compute = 0.1, .match = match_trisolve, .lower = lower_trisolve};
