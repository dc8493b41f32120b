/* donate.c: outputs that alias inputs.
 *
 * An argument with tf.aliasing_output is donated to that result, one with jax.buffer_donor to any of its type: the
 * state of a training step, caches that a decoding step extends. The output is computed in the input's memory if
 * nothing reads the input after the first write, or if the writing kernel reads each element before it writes it. If
 * the caller keeps the input, it is copied first (run.c). Needs: liveness.  Keeps: results. */
#include <string.h>

#include "backend/cpu/exec/conv.h"
#include "backend/cpu/exec/int8.h"
#include "backend/cpu/plan/plan.h"

static bool same_dims(const ten_type *a, const ten_type *b) {
  return a->rank == b->rank && (!a->rank || !memcmp(a->dims, b->dims, a->rank * sizeof *a->dims));
}

typedef struct reading {
  const cpu_plan *plan;
  const cpu_step *step;
  const ten_type *type;
  uint32_t buffer; /* a root */
  int budget;      /* maximum number of visited values: a large kernel is skipped */
} reading;

static bool is_stage(const reading *r, const ten_value *value) {
  for (size_t i = 0; i < r->step->stages.count; i++)
    if (r->step->stages.data[i] == value) return true;
  return false;
}

/* `own`: the value is read only at the element being written (or, in a kernel over rows, before its row is). */
static bool only_own(reading *r, const ten_value *value, bool is_root, bool own) {
  if (--r->budget < 0) return false;
  for (size_t i = 0; i < r->step->inputs.count && !is_root; i++)
    if (r->step->inputs.data[i] == value)
      return cpu_buffer_root(r->plan, r->step->args.data[i]) != r->buffer || (own && same_dims(value->type, r->type));
  const ten_op *op = value->op;
  if (!op || (op == r->step->op && cpu_has_epilogue(r->step->kind))) return true;
  const bool elementwise = ten_op_has(op, TEN_TRAIT_ELEMENTWISE | TEN_TRAIT_BROADCASTS_SCALARS);
  if (op->region_count && !is_stage(r, value)) own = false;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const ten_value *x = ten_op_operand(op, i);
    bool still = own && elementwise && same_dims(value->type, r->type);
    if (is_stage(r, value) && op->code == TEN_OP_REDUCE) still = i == 0; /* the row is reduced before it is written */
    if (own && r->step->stages.count && !same_dims(x->type, r->type)) still = true; /* a per-row value */
    if (!only_own(r, x, false, still)) return false;
  }
  return true;
}

bool cpu_reads_in_place(const cpu_plan *plan, const cpu_step *step, size_t root, uint32_t buffer) {
  if (step->kind == CPU_GEMM || step->kind == CPU_CONV || step->kind == CPU_INT8) {
    const cpu_gemm *g = step->descriptor;
    const cpu_conv *c = step->descriptor;
    const cpu_int8 *bytes = step->descriptor;
    const uint32_t matmul = step->kind == CPU_GEMM   ? g->epilogue_args
                            : step->kind == CPU_CONV ? c->epilogue_args
                                                     : bytes->epilogue_args; /* its operands */
    if (step->kind == CPU_GEMM && !g->tile) return false;
    if (step->kind == CPU_CONV && (!c->tile || !c->bf16)) return false;
    if (cpu_buffer_root(plan, step->args.data[matmul]) == buffer ||
        cpu_buffer_root(plan, step->args.data[matmul + 1]) == buffer)
      return false;
  } else if (step->kind != CPU_LOOPS || step->single) {
    return false;
  }
  for (size_t i = 0; i < step->inputs.count; i++)
    if (cpu_buffer_root(plan, step->args.data[i]) == buffer &&
        ten_dtype_bytes(step->inputs.data[i]->type->dtype) != ten_dtype_bytes(step->roots.data[root]->type->dtype))
      return false;
  for (size_t i = 0; i < step->roots.count; i++) { /* all are computed at an element before any is written there */
    const ten_value *value = step->roots.data[i];
    if (!value->op || value->op->region_count) return false;
    reading r = {plan, step, value->type, buffer, 2048};
    if (!only_own(&r, value, true, true)) return false;
  }
  return true;
}

static const cpu_step *step_at(const cpu_body *body, int64_t position) {
  for (size_t i = 0; i < body->steps.count; i++)
    if (body->steps.data[i]->position == position) return body->steps.data[i];
  return NULL; /* inside control flow */
}

static uint32_t output_buffer(const cpu_plan *plan, uint32_t index) {
  for (uint32_t i = 0; i < plan->buffers.count; i++)
    if (plan->buffers.data[i].place == CPU_OUTPUT && plan->buffers.data[i].index == index &&
        plan->buffers.data[i].same_as == i)
      return i;
  return UINT32_MAX;
}

static int64_t last_assert(const cpu_body *body) {
  int64_t last = -1;
  for (size_t i = 0; i < body->steps.count; i++) {
    const cpu_step *step = body->steps.data[i];
    if (step->kind == CPU_ASSERT && step->position > last) last = step->position;
    for (uint32_t k = 0; k < step->body_count; k++) {
      const int64_t inside = last_assert(&step->bodies[k]);
      if (inside > last) last = inside;
    }
  }
  return last;
}

/* `checked`: position of the last check. A program that stops there must not have changed its inputs. */
static bool can_update(const cpu_plan *plan, uint32_t input, uint32_t output, int64_t checked) {
  const cpu_buffer *from = &plan->buffers.data[input], *to = &plan->buffers.data[output];
  if (to->first < checked) return false;
  if (from->bytes != to->bytes || from->same_as != input) return false;
  if (from->last < to->first) return true;
  if (from->last > to->first) return false;
  const cpu_step *step = step_at(&plan->body, to->first);
  if (!step) return false;
  if (step->kind == CPU_COPY) return true;
  for (size_t r = 0; (step->kind == CPU_LOOPS || step->kind == CPU_GEMM) && r < step->roots.count; r++)
    if (cpu_buffer_root(plan, step->args.data[step->read_count + r]) == output)
      return cpu_reads_in_place(plan, step, r, input);
  return false;
}

/* The output to which an argument is donated: UINT32_MAX: none; UINT32_MAX - 1: any. */
static uint32_t wanted_output(const cpu_plan *plan, uint32_t input) {
  const ten_attr *alias = ten_func_arg_attr(plan->func, input, "tf.aliasing_output");
  if (alias) return (uint32_t)ten_attr_as_int(alias, -1);
  return ten_func_arg_attr(plan->func, input, "jax.buffer_donor") ? UINT32_MAX - 1 : UINT32_MAX;
}

uint32_t cpu_update_input(const cpu_plan *plan, uint32_t output) {
  for (uint32_t i = 0; i < plan->input_count; i++)
    if (wanted_output(plan, i) == output) return plan->value_buffers[ten_op_body(plan->func, 0)->args[i]->number];
  return UINT32_MAX;
}

bool cpu_is_update(const cpu_plan *plan, const ten_value *value) {
  for (const ten_use *use = value->uses; use; use = use->next) {
    if (use->owner->code != TEN_OP_FUNC_RETURN) continue;
    for (uint32_t i = 0; i < plan->input_count; i++)
      if (wanted_output(plan, i) == use->index) {
        for (const ten_use *read = ten_op_body(plan->func, 0)->args[i]->uses; read; read = read->next)
          if (read->owner->block == value->op->block && same_dims(plan->input_types[i], value->type)) return true;
      }
  }
  return false;
}

void cpu_plan_donate(cpu_plan *plan) {
  const int64_t checked = last_assert(&plan->body);
  for (uint32_t i = 0; i < plan->input_count; i++) {
    const uint32_t wanted = wanted_output(plan, i),
                   input = plan->value_buffers[ten_op_body(plan->func, 0)->args[i]->number];
    if (wanted == UINT32_MAX || input == UINT32_MAX) continue;
    for (uint32_t k = 0; k < plan->output_count; k++) {
      const uint32_t output = wanted == k || wanted == UINT32_MAX - 1 ? output_buffer(plan, k) : UINT32_MAX;
      if (output == UINT32_MAX || plan->output_types[k] != plan->input_types[i] ||
          !can_update(plan, input, output, checked))
        continue;
      plan->updates[i] = k;
      cpu_buffer_join(plan, input, output);
      break;
    }
  }
}
