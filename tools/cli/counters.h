/* counters.h: the CPU's own counters (perf_event_open), where the system allows them: of this process, its threads and
 * the processes that it starts, from when they are opened. */
#ifndef TEN_CLI_COUNTERS_H
#define TEN_CLI_COUNTERS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

enum { CLI_COUNTERS = 4 };

typedef struct cli_counters {
  int files[CLI_COUNTERS]; /* -1: not there */
  int error;               /* errno of the first that is not */
} cli_counters;

/* Threads and processes that exist already are not counted, so open them first. */
void cli_counters_open(cli_counters *counters);
void cli_counters_count(const cli_counters *counters, bool on);
void cli_counters_close(cli_counters *counters);
/* What was counted, divided by `runs`: {"cycles": …, "instructions": …}; or {"missing": why}. */
json_t *cli_counters_json(const cli_counters *counters, double runs);
/* The same as one line, if anything was counted. */
void cli_counters_print(FILE *out, const cli_counters *counters, double runs);

#endif
