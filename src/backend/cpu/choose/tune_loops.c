/* tune_loops.c: runs the program on all threads and on one, in turns, and compares its fused loops one by one: what is
 * faster alone is not shared out any more. Results do not depend on that. Inputs are zeros, so that indices stay in
 * range; a program with loops that depend on its data is left alone, as they might never end. */
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/choose/tune.h"

enum { ROUNDS = 5 };
static const double worth_it = 0.95;

typedef struct clocks {
  double *best; /* owned: by number of the step, on all threads; then, on one */
  size_t offset;
} clocks;

static void observe(cpu_program *program, const cpu_step *step, double seconds) {
  if (seconds < 0) return;
  const clocks *c = program->observer;
  double *best = &c->best[c->offset + step->number];
  if (*best <= 0 || seconds < *best) *best = seconds;
}

static void *zeros(size_t bytes) {
  void *memory = aligned_alloc(64, (bytes + 127) / 64 * 64);
  return memory ? memset(memory, 0, bytes) : NULL;
}

static bool can_try(const cpu_program *program) {
  if (!program->pool || program->plan.has_host) return false;
  for (size_t i = 0; i < program->plan.body.steps.count; i++)
    if (program->plan.body.steps.data[i]->body_count && program->plan.body.steps.data[i]->kind != CPU_CHUNKS)
      return false;
  return true;
}

static ten_status *run_rounds(cpu_program *program, clocks *c, void *const *inputs, void *const *outputs) {
  ten_pool *pool = program->pool;
  ten_status *status = NULL;
  for (int i = 0; i < 2 * ROUNDS && !status; i++) {
    c->offset = i % 2 ? program->plan.step_count : 0;
    program->pool = i % 2 ? NULL : pool;
    status = cpu_call(program, NULL, NULL, inputs, outputs);
  }
  program->pool = pool;
  return status;
}

static void decide(cpu_program *program, const clocks *c, cpu_tuning *tuning) {
  for (size_t i = 0; i < program->plan.body.steps.count; i++) {
    cpu_step *step = program->plan.body.steps.data[i];
    if (step->kind != CPU_LOOPS || step->count <= step->grain) continue;
    tuning->loops++;
    const double together = c->best[step->number], alone = c->best[program->plan.step_count + step->number];
    if (alone > together * worth_it) continue;
    tuning->alone++;
    step->grain = step->count;
  }
}

ten_status *cpu_tune_loops(cpu_program *program, cpu_tuning *tuning) {
  if (!can_try(program)) return NULL;
  const cpu_plan *plan = &program->plan;
  const size_t count = (size_t)plan->input_count + plan->output_count;
  void **at = ten_alloc((count + 1) * sizeof *at);
  bool good = true;
  for (size_t i = 0; i < count; i++) {
    const size_t bytes =
        i < plan->input_count ? plan->input_bytes[i] : ten_type_bytes(plan->output_types[i - plan->input_count]);
    good &= (at[i] = zeros(bytes)) != NULL;
  }
  clocks c = {.best = ten_alloc((plan->step_count + 1) * 2 * sizeof *c.best)};
  memset(c.best, 0, (plan->step_count + 1) * 2 * sizeof *c.best);
  program->observer = &c;
  program->observe = observe;
  ten_status *status = good ? run_rounds(program, &c, at, at + plan->input_count) : NULL;
  program->observe = NULL;
  program->observer = NULL;
  if (!status && good) decide(program, &c, tuning);
  for (size_t i = 0; i < count; i++) free(at[i]);
  free(at);
  free(c.best);
  return status;
}
