/* epilogues.c: finds matmul epilogues that a C kernel implements, without generated code (kernels/ready.c): matmul +
 * bias, max(matmul + bias, 0) and max(matmul, 0) in f32, with one bias element per column. Needs: steps with roots and
 * inputs.  Keeps: everything except cpu_step.ready. */
#include "backend/cpu/exec/attention.h"
#include "backend/cpu/exec/int8.h"
#include "backend/cpu/kernels/kernels.h"
#include "backend/cpu/plan/plan.h"

static bool is_zero(const ten_value *value) {
  const ten_attr *number = ten_value_number(value);
  return number && *(const uint32_t *)number->dense.data == 0; /* not -0 */
}

/* Whether `value` is the step's only input, broadcast along columns. */
static bool is_bias(const cpu_step *step, const ten_value *value) {
  if (step->inputs.count != 1) return false;
  const ten_value *input = step->inputs.data[0];
  const ten_type *type = step->roots.data[0]->type;
  if (input->type->dtype != TEN_F32 || ten_type_count(input->type) != type->dims[type->rank - 1]) return false;
  if (value == input) return true; /* of the root's shape, with as many elements as its last dimension */
  const ten_op *op = value->op;
  if (!op || op->code != TEN_OP_BROADCAST_IN_DIM || ten_op_operand(op, 0) != input || input->type->rank != 1)
    return false;
  return ten_op_ints(op, "broadcast_dimensions").data[0] == (int64_t)type->rank - 1;
}

static uint32_t form_of(const cpu_step *step) {
  const ten_value *matmul = &step->op->results[0], *root = step->roots.data[0], *at = root;
  const ten_type *type = root->type;
  if (type->dtype != TEN_F32 || matmul->type->dtype != TEN_F32 || !type->rank) return 0;
  if (type->dims[type->rank - 1] != cpu_matmul_columns(step)) return 0;
  const bool relu = at->op && at->op->code == TEN_OP_MAXIMUM && at != matmul;
  if (relu) {
    const uint32_t zero = is_zero(ten_op_operand(at->op, 0)) ? 0 : 1;
    if (!is_zero(ten_op_operand(at->op, zero))) return 0;
    at = ten_op_operand(at->op, 1 - zero);
  }
  if (at == matmul) return relu && !step->inputs.count ? 1 + TEN_READY_RELU : 0;
  if (!at->op || at->op->code != TEN_OP_ADD) return 0;
  const uint32_t side = ten_op_operand(at->op, 0) == matmul ? 1 : 0;
  if (ten_op_operand(at->op, 1 - side) != matmul || !is_bias(step, ten_op_operand(at->op, side))) return 0;
  return 1 + (relu ? TEN_READY_BIAS_RELU : TEN_READY_BIAS);
}

static void find_in(cpu_body *body) {
  for (size_t i = 0; i < body->steps.count; i++) {
    cpu_step *step = body->steps.data[i];
    const bool matmul = step->kind == CPU_GEMM || step->kind == CPU_CONV;
    const bool tile = step->kind == CPU_GEMM && ((const cpu_gemm *)step->descriptor)->tile;
    if (matmul && !tile && step->roots.count == 1) step->ready = form_of(step);
    for (uint32_t k = 0; k < step->body_count; k++) find_in(&step->bodies[k]);
  }
}

void cpu_find_ready(cpu_plan *plan) {
  find_in(&plan->init);
  find_in(&plan->body);
}

int64_t cpu_matmul_columns(const cpu_step *step) {
  if (step->kind == CPU_ATTENTION) return ((const cpu_attention *)step->descriptor)->shape.n;
  if (step->kind == CPU_INT8) return ((const cpu_int8 *)step->descriptor)->shape.co;
  if (step->kind == CPU_GEMM) return ((const cpu_gemm *)step->descriptor)->n;
  return ((const cpu_conv *)step->descriptor)->conv.co;
}
