/* profile.c: merges and sorts the rows of a profile; lists of steps. */
#include "backend/profile.h"

#include <stdlib.h>
#include <string.h>

#include "backend/steps.h"

static int by_label(const void *a, const void *b) {
  return strcmp(((const ten_profile_row *)a)->label, ((const ten_profile_row *)b)->label);
}

static int by_time(const void *a, const void *b) {
  const double x = ((const ten_profile_row *)a)->seconds, y = ((const ten_profile_row *)b)->seconds;
  return (x < y) - (x > y);
}

void ten_profile_sort(ten_profile *profile) {
  size_t used = 0, kept = 0;
  profile->events.count = 0;
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
  ten_vec_free(&profile->events);
}

void ten_steps_free(ten_steps *steps) {
  ten_vec_free(&steps->rows);
  ten_vec_free(&steps->args);
  ten_vec_free(&steps->buffers);
}
