/* traced.h: runs a command while its programs write traces (backend/trace.h), and reads those. */
#ifndef TEN_CLI_TRACED_H
#define TEN_CLI_TRACED_H

#include <jansson.h>

#include "backend/profile.h"
#include "backend/steps.h"
#include "cli/command.h"
#include "cli/counters.h"

/* A program that was compiled in one of the processes. Texts are borrowed from the lines. */
typedef struct cli_traced_program {
  const json_t *line; /* as it was written; borrowed */
  const char *name, *device;
  ten_str place;         /* of its first step that has one */
  double start, seconds; /* of its compilation */
  double run_seconds;
  size_t runs, first_step, step_count;
  int64_t process, thread;
  uint32_t number; /* in its file */
} cli_traced_program;

typedef struct cli_traced {
  json_t *lines; /* owned: all text that was read */
  TEN_VEC(cli_traced_program) programs;
  TEN_VEC(uint32_t) workers; /* threads that are named in `events` */
  ten_steps steps;           /* of all programs, one after the other */
  ten_profile profile;       /* a row for each of them */
  json_t *events;            /* owned: of a trace, as cli_trace_save takes it */
  json_t *phases;            /* owned: [name, start, seconds] of compiling, from the beginning */
  json_t *fallbacks;         /* owned: {op, line, why}: what PyTorch ran itself */
  double start, seconds;     /* of the command */
  double compile, run;       /* seconds in all processes and threads */
  uint64_t dropped;          /* events that were too many */
  int code;                  /* the command's exit status */
  cli_counters counters;
} cli_traced;

/* Runs the words after `--`. The caller frees `out`, whether or not there is an error. */
TEN_MUST_USE ten_status *cli_traced_run(const cli_list *words, cli_traced *out);
void cli_traced_free(cli_traced *traced);
/* Each as JSON. */
json_t *cli_traced_programs(const cli_traced *traced);
/* Programs that differ from an earlier one of the same process only in the types of their inputs:
 * [{"program", "place", "was", "is"}]. */
json_t *cli_traced_recompiles(const cli_traced *traced);

#endif
