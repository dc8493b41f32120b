/* tuning.c: the measurements of `compile --tune`, as a table and as JSON. */
#include <stdio.h>

#include "cli/output.h"

static double gain(const ten_tuning_row *row) { return row->seconds > 0 ? row->default_seconds / row->seconds : 1; }

void cli_tuning_print(FILE *out, const ten_tuning *tuning) {
  double before = 0, now = 0;
  size_t changed = 0, reordered = 0;
  for (size_t i = 0; i < tuning->rows.count; i++) {
    const ten_tuning_row *row = &tuning->rows.data[i];
    const bool same = row->seconds == row->default_seconds;
    changed += !same;
    reordered += row->reorders_sums;
    before += row->default_seconds * row->uses;
    now += row->seconds * row->uses;
    fprintf(out, "%10.3f ms %5.2f×  %s", row->seconds * 1e3, gain(row), row->kernel);
    if (row->uses > 1) fprintf(out, " (%u times)", row->uses);
    if (same)
      fprintf(out, ": %s, the default\n", row->choice);
    else
      fprintf(out, ": %s instead of %s%s\n", row->choice, row->default_choice,
              row->reorders_sums ? "; may differ in the last bits" : "");
  }
  fprintf(out,
          "%zu kernels measured in %.1f s, %zu chosen otherwise: %.3f ms instead of %.3f; %u of %u fused loops on one "
          "thread\n",
          tuning->rows.count, tuning->seconds, changed, now * 1e3, before * 1e3, tuning->single_thread_loops,
          tuning->loops);
  if (reordered)
    fprintf(out, "%zu of the choices sum in another order: results may differ in the last bits from the defaults\n",
            reordered);
}

json_t *cli_tuning_json(const ten_tuning *tuning) {
  json_t *list = json_array();
  for (size_t i = 0; i < tuning->rows.count; i++) {
    const ten_tuning_row *row = &tuning->rows.data[i];
    json_array_append_new(
        list, json_pack("{s:s, s:i, s:s, s:s, s:f, s:f, s:b}", "kernel", row->kernel, "uses", (int)row->uses, "choice",
                        row->choice, "default", row->default_choice, "seconds", row->seconds, "default_seconds",
                        row->default_seconds, "other_bits", row->reorders_sums));
  }
  return json_pack("{s:o, s:f, s:i, s:i}", "kernels", list, "seconds", tuning->seconds, "loops", (int)tuning->loops,
                   "loops_alone", (int)tuning->single_thread_loops);
}
