/* tune_loops.c: runs the program on all threads and on one, alternately, and compares its fused loops one by one: those
 * faster on one thread are no longer parallelized. Results are unaffected. Inputs are zeros, so that indices stay in
 * range; a program with data-dependent loops is skipped, as they might never end. */
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/choose/tune.h"

enum { ROUNDS = 5 };
static const double worth_it = 0.95;

typedef struct clocks {
  double *best; /* owned: by number of the step, on all threads; then, on one */
  size_t offset;
} clocks;

static void observe(exec_loaded *loaded, const exec_step *step, double start, double seconds) {
  (void)start;
  if (seconds < 0) return;
  const clocks *c = loaded->observer;
  double *best = &c->best[c->offset + step->number];
  if (*best <= 0 || seconds < *best) *best = seconds;
}

static void *zeros(size_t bytes) {
  void *memory = aligned_alloc(64, (bytes + 127) / 64 * 64);
  return memory ? memset(memory, 0, bytes) : NULL;
}

static bool can_try(const exec_loaded *loaded) {
  const exec_program *program = &loaded->program;
  if (!loaded->pool || program->has_host) return false;
  for (uint32_t i = 0; i < program->body.count; i++) {
    const exec_step *step = exec_step_at(program, program->body, i);
    if (step->body_count && step->kind != CPU_CHUNKS) return false;
  }
  return true;
}

static ten_status *run_rounds(exec_loaded *loaded, clocks *c, void *const *inputs, void *const *outputs) {
  ten_status *status = NULL;
  for (int i = 0; i < 2 * ROUNDS && !status; i++) {
    c->offset = i % 2 ? loaded->program.steps.count : 0;
    status = exec_call(loaded, NULL, i % 2, inputs, outputs);
  }
  return status;
}

static void decide(const exec_program *program, const clocks *c, cpu_tuning *tuning) {
  for (uint32_t i = 0; i < program->body.count; i++) {
    exec_step *step = exec_step_at(program, program->body, i);
    if (step->kind != CPU_LOOPS || step->count <= step->grain) continue;
    tuning->loops++;
    const double together = c->best[step->number], alone = c->best[program->steps.count + step->number];
    if (alone > together * worth_it) continue;
    tuning->alone++;
    step->grain = step->count;
  }
}

ten_status *cpu_tune_loops(cpu_executable *tuned, cpu_tuning *tuning) {
  exec_loaded *loaded = &tuned->exec;
  const exec_program *program = &loaded->program;
  if (!can_try(loaded)) return NULL;
  const size_t count = (size_t)program->input_count + program->output_count;
  void **at = ten_alloc((count + 1) * sizeof *at);
  bool good = true;
  for (size_t i = 0; i < count; i++) {
    const exec_type *type =
        i < program->input_count ? &program->inputs[i] : &program->outputs[i - program->input_count];
    good &= (at[i] = zeros(type->bytes)) != NULL;
  }
  clocks c = {.best = ten_alloc((program->steps.count + 1) * 2 * sizeof *c.best)};
  memset(c.best, 0, (program->steps.count + 1) * 2 * sizeof *c.best);
  loaded->observer = &c;
  loaded->observe = observe;
  ten_status *status = good ? run_rounds(loaded, &c, at, at + program->input_count) : NULL;
  loaded->observe = NULL;
  loaded->observer = NULL;
  if (!status && good) decide(program, &c, tuning);
  for (size_t i = 0; i < count; i++) free(at[i]);
  free(at);
  free(c.best);
  return status;
}
