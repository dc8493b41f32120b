/* counters.h: the CPU's performance counters (perf_event_open), where the system allows them: of this process, its
 * threads and its child processes, from opening on. */
#ifndef TEN_CLI_COUNTERS_H
#define TEN_CLI_COUNTERS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

enum { CLI_COUNTERS = 4 };

typedef struct cli_counters {
  int files[CLI_COUNTERS]; /* -1: unavailable */
  int error;               /* errno of the first that is unavailable */
} cli_counters;

/* Existing threads and processes are not counted, so open the counters first. */
void cli_counters_open(cli_counters *counters);
void cli_counters_count(const cli_counters *counters, bool on);
void cli_counters_close(cli_counters *counters);
/* The counts, divided by `runs`: {"cycles": …, "instructions": …}; or {"missing": why}. */
json_t *cli_counters_json(const cli_counters *counters, double runs);
/* The same as one line, if anything was counted. */
void cli_counters_print(FILE *out, const cli_counters *counters, double runs);

#endif
