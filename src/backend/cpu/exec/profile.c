/* profile.c: times of a program's steps. A step is known by its number; its label is made when it first runs. */
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/backend.h"
#include "base/clock.h"

static void profile_add(ten_profile *profile, const cpu_plan *plan, const cpu_step *step, double seconds) {
  while (profile->rows.count <= step->number) ten_vec_push(&profile->rows, (ten_profile_row){0});
  ten_profile_row *row = &profile->rows.data[step->number];
  if (!row->label) {
    ten_buf label = {0};
    cpu_step_print(plan, step, &label);
    row->label = ten_alloc(label.size + 1);
    memcpy(row->label, label.data, label.size + 1);
    ten_buf_free(&label);
  }
  row->seconds += seconds;
  row->flops += cpu_step_flops(step);
  row->calls++;
  if (profile->timeline)
    ten_vec_push(&profile->events, (ten_profile_event){step->number, ten_clock() - seconds, seconds});
}

static void observe(cpu_program *program, const cpu_step *step, double seconds) {
  if (seconds >= 0) profile_add(program->observer, &program->plan, step, seconds);
}

ten_status *cpu_profile(ten_executable *executable, ten_profile *profile) {
  cpu_program *program = (cpu_program *)executable;
  program->observer = profile;
  program->observe = profile ? observe : NULL;
  return NULL;
}
