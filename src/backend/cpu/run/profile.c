/* profile.c: times a program's steps. A step is identified by its number; its label is copied when it first runs. */
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/backend.h"

static void profile_add(ten_profile *profile, const exec_step *step, double start, double seconds) {
  while (profile->rows.count <= step->number) ten_vec_push(&profile->rows, (ten_profile_row){0});
  ten_profile_row *row = &profile->rows.data[step->number];
  if (!row->label) {
    row->label = ten_alloc(step->label.size + 1);
    memcpy(row->label, step->label.data, step->label.size);
    row->label[step->label.size] = 0;
  }
  row->seconds += seconds;
  row->flops += exec_step_flops(step);
  row->calls++;
  if (profile->timeline) ten_vec_push(&profile->events, (ten_profile_event){step->number, start, seconds, 0});
}

static void observe(exec_loaded *loaded, const exec_step *step, double start, double seconds) {
  TEN_RECOVER_AS("profiling", ); /* one row is lost */
  if (seconds >= 0) profile_add(loaded->observer, step, start, seconds);
}

static void pass_on(exec_loaded *loaded, const exec_step *step, double start, double seconds) {
  const ten_profile *profile = loaded->observer;
  if (seconds >= 0) profile->ended(profile->user, step->number, start, seconds);
}

static void pass_on_start(exec_loaded *loaded, const exec_step *step) {
  const ten_profile *profile = loaded->observer;
  profile->began(profile->user, step->number);
}

static void pass_on_work(void *user, uint32_t step, unsigned thread, uint32_t id, double start, double end) {
  ten_profile *profile = ((exec_loaded *)user)->observer;
  if (profile->worked) {
    profile->worked(profile->user, step, id, start, end - start);
    return;
  }
  TEN_RECOVER_AS("profiling", );
  ten_vec_push(&profile->events, (ten_profile_event){step, start, end - start, thread});
}

ten_status *cpu_profile(ten_executable *base, ten_profile *profile) {
  cpu_executable *executable = (cpu_executable *)base;
  executable->exec.observer = profile;
  executable->exec.begin = profile && profile->began ? pass_on_start : NULL;
  const bool works = profile && (profile->ended ? profile->worked != NULL : profile->timeline);
  executable->exec.worked = works ? pass_on_work : NULL;
  executable->exec.observe = !profile ? NULL : profile->ended ? pass_on : observe;
  return NULL;
}
