/* cost.c: what running a program takes, read off its plan. */
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/backend.h"

/* Constants that every call reads count; what only loading read is not needed any more. */
static void add_steps(const cpu_plan *plan, const cpu_body *body, int64_t turns, bool *seen, ten_cost *cost) {
  for (size_t i = 0; i < body->steps.count; i++) {
    const cpu_step *step = body->steps.data[i];
    const bool chunks = step->kind == CPU_CHUNKS; /* launches nothing itself */
    if (!chunks) cost->launches += (size_t)turns;
    cost->flops += (double)turns * cpu_step_flops(step);
    for (uint32_t k = 0; k < step->body_count; k++)
      add_steps(plan, &step->bodies[k], chunks ? turns * step->count : turns, seen, cost);
    for (size_t k = 0; k < step->args.count; k++) {
      const bool part = step->advance && step->advance[k];
      const double bytes = part ? (double)step->advance[k] : (double)plan->buffers.data[step->args.data[k]].bytes;
      if (!chunks) cost->bytes += (double)turns * bytes;
      const uint32_t buffer = cpu_buffer_root(plan, step->args.data[k]);
      if (plan->buffers.data[buffer].place != CPU_CONSTANT || seen[buffer]) continue;
      seen[buffer] = true;
      cost->constant_bytes += plan->buffers.data[buffer].bytes;
    }
  }
}

bool cpu_cost(const ten_executable *executable, ten_cost *out_cost) {
  const cpu_program *program = (const cpu_program *)executable;
  if (program->shapes) return false;
  *out_cost = (ten_cost){.arena_bytes = program->plan.arena_bytes, .constant_bytes = program->plan.kept_bytes};
  bool *seen = ten_alloc(program->plan.buffers.count + 1);
  memset(seen, 0, program->plan.buffers.count + 1);
  add_steps(&program->plan, &program->plan.body, 1, seen, out_cost);
  free(seen);
  return true;
}

static ten_memory memory_of(const cpu_plan *plan) {
  ten_memory memory = {.work = plan->arena_bytes + plan->kept_bytes};
  for (uint32_t i = 0; i < plan->input_count; i++) memory.arguments += ten_type_bytes(plan->input_types[i]);
  for (uint32_t k = 0; k < plan->output_count; k++) {
    bool in_place = false;
    for (uint32_t i = 0; i < plan->input_count; i++) in_place |= plan->updates[i] == k;
    if (!in_place) memory.results += ten_type_bytes(plan->output_types[k]);
  }
  return memory;
}

bool cpu_memory(const ten_executable *executable, ten_memory *out_memory) {
  const cpu_program *program = (const cpu_program *)executable;
  if (program->shapes) return false;
  *out_memory = memory_of(&program->plan);
  return true;
}

ten_status *cpu_plan_bytes(const ten_backend *self, const ten_module *module, const ten_op *func,
                           const ten_settings *settings, ten_memory *out_memory) {
  (void)self;
  cpu_plan plan = {0};
  ten_status *status = cpu_prepare(module, func, settings, NULL, &plan);
  *out_memory = status ? (ten_memory){0} : memory_of(&plan);
  cpu_plan_destroy(&plan);
  return status;
}
