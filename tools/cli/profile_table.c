/* profile_table.c: prints a program's time by step: `run --profile`, `train --profile`. */
#include <stdio.h>
#include <string.h>

#include "cli/output.h"

enum { ROWS = 40, LABEL = 110 };

/* The number of bytes of `text` in at most `columns` characters. */
static int prefix(const char *text, int columns) {
  int at = 0;
  for (int shown = 0; text[at]; at++)
    if (((unsigned char)text[at] & 0xC0) != 0x80 && shown++ == columns) break;
  return at;
}

void cli_profile_print(FILE *out, ten_profile *profile, size_t runs) {
  ten_profile_sort(profile);
  double all = 0;
  for (size_t i = 0; i < profile->rows.count; i++) all += profile->rows.data[i].seconds;
  if (!runs) runs = 1;
  fprintf(out, "\n%10s %6s %7s %9s  step (times of one run, over %zu)\n", "ms", "%", "calls", "GFLOP/s", runs);
  double rest = all;
  size_t shown = 0;
  for (; shown < profile->rows.count && shown < ROWS; shown++) {
    const ten_profile_row *row = &profile->rows.data[shown];
    char rate[16] = "";
    if (row->flops > 0 && row->seconds > 0) snprintf(rate, sizeof rate, "%.1f", row->flops / row->seconds * 1e-9);
    const int size = prefix(row->label, LABEL);
    fprintf(out, "%10.3f %6.1f %7.0f %9s  %.*s%s\n", row->seconds * 1e3 / (double)runs,
            all > 0 ? 100 * row->seconds / all : 0, (double)row->calls / (double)runs, rate, size, row->label,
            row->label[size] ? "…" : "");
    rest -= row->seconds;
  }
  if (shown < profile->rows.count)
    fprintf(out, "%10.3f %6.1f %7s %9s  %zu more\n", rest * 1e3 / (double)runs, all > 0 ? 100 * rest / all : 0, "", "",
            profile->rows.count - shown);
  fprintf(out, "%10.3f  100.0 %7s %9s  all steps\n", all * 1e3 / (double)runs, "", "");
}

json_t *cli_profile_json(ten_profile *profile, size_t runs) {
  ten_profile_sort(profile);
  json_t *list = json_array();
  for (size_t i = 0; i < profile->rows.count; i++) {
    const ten_profile_row *row = &profile->rows.data[i];
    json_array_append_new(
        list, json_pack("{s:s, s:f, s:f, s:f}", "step", row->label, "seconds", row->seconds / (double)runs, "calls",
                        (double)row->calls / (double)runs, "flops", row->flops / (double)runs));
  }
  return list;
}
