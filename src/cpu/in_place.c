/* in_place.c: which outputs can be written where an input lies. The function's signature asks for it
 * (tf.aliasing_output); it is so when no step reads the input once the output is being written, but the step that
 * writes it, element by element.
 * Needs: steps in their final order.  Keeps: the plan; callers who give other memory are served as before. */
#include "cpu/plan.h"

typedef struct pair {
  const cpu_plan *plan;
  uint32_t input, output;
  bool written, safe;
} pair;

static bool is_at(const cpu_plan *plan, uint32_t buffer, cpu_place place, uint32_t index) {
  const cpu_buffer *root = &plan->buffers.data[cpu_buffer_root(plan, buffer)];
  return root->place == place && root->index == index;
}

/* Each element of the input is read for the same element of the output alone. */
static bool is_elementwise(const cpu_step *step, uint32_t arg) {
  if (step->kind != CPU_LOOPS || !step->flat || arg >= step->inputs.count || !step->roots.count) return false;
  const ten_type *from = step->inputs.data[arg]->type, *to = step->roots.data[0]->type;
  return from->rank == to->rank && from->dtype == to->dtype && ten_type_count(from) == ten_type_count(to);
}

static void look(pair *p, const cpu_body *body, bool nested) {
  for (size_t i = 0; i < body->steps.count && p->safe; i++) {
    const cpu_step *step = body->steps.data[i];
    bool writes = false;
    for (uint32_t k = 0; k < step->args.count; k++)
      writes |= k >= step->read_count && is_at(p->plan, step->args.data[k], CPU_OUTPUT, p->output);
    for (uint32_t k = 0; k < step->args.count; k++) {
      if (!is_at(p->plan, step->args.data[k], CPU_INPUT, p->input)) continue;
      if (p->written || (writes && step->kind != CPU_COPY && !is_elementwise(step, k))) p->safe = false;
    }
    if (writes && nested) p->safe = false;
    p->written |= writes;
    for (uint32_t k = 0; k < step->body_count; k++) look(p, &step->bodies[k], true);
  }
}

void cpu_plan_in_place(cpu_plan *plan) {
  plan->in_place = ten_arena_new_array(&plan->arena, uint32_t, plan->output_count + 1);
  for (uint32_t i = 0; i < plan->output_count; i++) plan->in_place[i] = UINT32_MAX;
  for (uint32_t i = 0; i < plan->input_count; i++) {
    const ten_attr *wish = ten_func_arg_attr(plan->func, i, "tf.aliasing_output");
    const int64_t output = wish ? ten_attr_as_int(wish, -1) : -1;
    if (output < 0 || output >= plan->output_count || plan->input_types[i] != plan->output_types[output]) continue;
    pair p = {.plan = plan, .input = i, .output = (uint32_t)output, .safe = true};
    look(&p, &plan->body, false);
    if (p.safe) plan->in_place[output] = i;
  }
}
