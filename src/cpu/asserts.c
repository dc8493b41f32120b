/* asserts.c: checks run before results take the place of inputs. A check moves up to the step that it waits for, and
 * takes along what only works a number out for it: most look at inputs, and so run first. A program that fails
 * has changed none of its inputs: results that are written before the last check do not take their place (donate.c).
 * Needs: steps in their order, before memory is planned.  Keeps: results, the order of the checks. */
#include <string.h>

#include "cpu/plan.h"

enum { SMALL = 64 /* bytes: what is moved with a check */ };

static bool writes(const cpu_plan *plan, const cpu_step *step, uint32_t root) {
  for (size_t i = step->read_count; i < step->args.count; i++)
    if (cpu_buffer_root(plan, step->args.data[i]) == root) return true;
  for (uint32_t k = 0; k < step->body_count; k++)
    for (size_t i = 0; i < step->bodies[k].steps.count; i++)
      if (writes(plan, step->bodies[k].steps.data[i], root)) return true;
  return false;
}

/* Whether it only makes numbers that are in nobody's way. */
static bool is_small(const cpu_plan *plan, const cpu_step *step) {
  if (step->kind != CPU_LOOPS || step->args.count == step->read_count) return false;
  for (size_t i = step->read_count; i < step->args.count; i++) {
    const cpu_buffer *buffer = &plan->buffers.data[cpu_buffer_root(plan, step->args.data[i])];
    if (buffer->place != CPU_ARENA || buffer->bytes > SMALL) return false;
  }
  return true;
}

/* The last step before `at` that writes the buffer, plus one; 0: there is none. */
static size_t after_writer(const cpu_plan *plan, size_t at, uint32_t root) {
  while (at > 0 && !writes(plan, plan->body.steps.data[at - 1], root)) at--;
  return at;
}

/* Moves the step at `at` up to where all that it reads is written. A check stays behind those before it. */
static void move_up(cpu_plan *plan, size_t at) {
  cpu_step **steps = plan->body.steps.data, *step = steps[at];
  for (uint32_t k = 0; k < step->read_count; k++) {
    const size_t after = after_writer(plan, at, cpu_buffer_root(plan, step->args.data[k]));
    if (after && is_small(plan, steps[after - 1])) move_up(plan, after - 1);
  }
  size_t to = 0;
  for (uint32_t k = 0; k < step->read_count; k++) {
    const size_t after = after_writer(plan, at, cpu_buffer_root(plan, step->args.data[k]));
    if (after > to) to = after;
  }
  for (size_t i = at; i > to && step->kind == CPU_ASSERT; i--)
    if (steps[i - 1]->kind == CPU_ASSERT) to = i;
  memmove(steps + to + 1, steps + to, (at - to) * sizeof *steps);
  steps[to] = step;
}

void cpu_plan_asserts(cpu_plan *plan) {
  for (size_t i = 0; i < plan->body.steps.count; i++)
    if (plan->body.steps.data[i]->kind == CPU_ASSERT) move_up(plan, i);
}
