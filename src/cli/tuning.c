/* tuning.c: what `compile --tune` measured, as a table and as JSON. */
#include <stdio.h>

#include "cli/output.h"
#include "cpu/tune.h"

static double gain(const cpu_choice *choice) { return choice->seconds > 0 ? choice->was_seconds / choice->seconds : 1; }

void cli_tuning_print(FILE *out, const cpu_tuning *tuning) {
  double was = 0, now = 0;
  size_t changed = 0, other_bits = 0;
  for (size_t i = 0; i < tuning->choices.count; i++) {
    const cpu_choice *choice = &tuning->choices.data[i];
    const bool same = choice->seconds == choice->was_seconds;
    changed += !same;
    other_bits += choice->other_bits;
    was += choice->was_seconds * choice->uses;
    now += choice->seconds * choice->uses;
    fprintf(out, "%10.3f ms %5.2f×  %s", choice->seconds * 1e3, gain(choice), choice->label);
    if (choice->uses > 1) fprintf(out, " (%u times)", choice->uses);
    if (same)
      fprintf(out, ": %s, as without\n", choice->now_text);
    else
      fprintf(out, ": %s instead of %s%s\n", choice->now_text, choice->was_text,
              choice->other_bits ? "; other last bits" : "");
  }
  fprintf(out,
          "%zu kernels measured in %.1f s, %zu chosen otherwise: %.3f ms instead of %.3f; %u of %u fused loops on one "
          "thread\n",
          tuning->choices.count, tuning->seconds, changed, now * 1e3, was * 1e3, tuning->alone, tuning->loops);
  if (other_bits)
    fprintf(out, "%zu of the choices add up in another order: results differ in their last bits from those without\n",
            other_bits);
}

json_t *cli_tuning_json(const cpu_tuning *tuning) {
  json_t *list = json_array();
  for (size_t i = 0; i < tuning->choices.count; i++) {
    const cpu_choice *choice = &tuning->choices.data[i];
    json_array_append_new(
        list, json_pack("{s:s, s:i, s:s, s:s, s:f, s:f, s:b}", "kernel", choice->label, "uses", (int)choice->uses,
                        "choice", choice->now_text, "default", choice->was_text, "seconds", choice->seconds,
                        "default_seconds", choice->was_seconds, "other_bits", choice->other_bits));
  }
  return json_pack("{s:o, s:f, s:i, s:i}", "kernels", list, "seconds", tuning->seconds, "loops", (int)tuning->loops,
                   "loops_alone", (int)tuning->alone);
}
