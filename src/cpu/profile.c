/* profile.c: times of a program's steps. A step is known by its number; its label is made when it first runs. */
#include "cpu/profile.h"

#include <stdlib.h>
#include <string.h>

#include "cpu/program.h"

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
}

static int by_label(const void *a, const void *b) {
  return strcmp(((const ten_profile_row *)a)->label, ((const ten_profile_row *)b)->label);
}

static int by_time(const void *a, const void *b) {
  const double x = ((const ten_profile_row *)a)->seconds, y = ((const ten_profile_row *)b)->seconds;
  return (x < y) - (x > y);
}

void ten_profile_sort(ten_profile *profile) {
  size_t used = 0, kept = 0;
  ten_profile_row *rows = profile->rows.data;
  for (size_t i = 0; i < profile->rows.count; i++)
    if (rows[i].label) rows[used++] = rows[i];
  if (used) qsort(rows, used, sizeof *rows, by_label);
  for (size_t i = 0; i < used; i++) {
    if (!kept || strcmp(rows[kept - 1].label, rows[i].label)) {
      rows[kept++] = rows[i];
      continue;
    }
    ten_profile_row *same = &rows[kept - 1];
    same->seconds += rows[i].seconds;
    same->flops += rows[i].flops;
    same->calls += rows[i].calls;
    free(rows[i].label);
  }
  profile->rows.count = kept;
  if (kept) qsort(rows, kept, sizeof *rows, by_time);
}

void ten_profile_free(ten_profile *profile) {
  for (size_t i = 0; i < profile->rows.count; i++) free(profile->rows.data[i].label);
  ten_vec_free(&profile->rows);
}

static void observe(cpu_program *program, const cpu_step *step, double seconds) {
  if (seconds >= 0) profile_add(program->observer, &program->plan, step, seconds);
}

ten_status *ten_cpu_profile(ten_executable *executable, ten_profile *profile) {
  if (strcmp(executable->backend->name, "cpu"))
    return ten_error(TEN_UNSUPPORTED, "there is no profile of device '%s': only the cpu's steps can be timed",
                     executable->backend->name);
  cpu_program *program = (cpu_program *)executable;
  program->observer = profile;
  program->observe = profile ? observe : NULL;
  return NULL;
}
