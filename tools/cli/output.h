/* output.h: output of the command: errors on stderr with their location and a caret, JSON on stdout. */
#ifndef TEN_CLI_OUTPUT_H
#define TEN_CLI_OUTPUT_H

#include <jansson.h>
#include <stdio.h>

#include "backend/profile.h"
#include "backend/steps.h"
#include "backend/tuning.h"
#include "base/log.h"
#include "cli/command.h"

/* Prints the error as `tenfold: …`, with the source line and a caret if the error has a location in a readable file,
 * frees it, and returns the exit code: CLI_MISUSE for missing things, CLI_NO for the rest. */
int cli_fail(ten_status *status);

/* A log that writes to stderr, `tenfold: warn: …`, at the level of TENFOLD_LOG (default warn). */
TEN_MUST_USE ten_status *cli_log_open(ten_log *out_log);

/* Whether the path is a device or a pipe, whose name says nothing about the format of its contents. */
bool cli_is_device(const char *path);

/* A string of JSON, which is UTF-8, of any bytes (a file's name, a layer's): never NULL because of them. */
json_t *cli_json_text(ten_str text);
/* Prints and frees `root`, indented on a terminal. */
void cli_json_print(json_t *root);

/* The time of `runs` calls by step: a table, the longest first; or the same as JSON. */
void cli_profile_print(FILE *out, ten_profile *profile, size_t runs);
json_t *cli_profile_json(ten_profile *profile, size_t runs);

/* A part of a command's time that is not a step: loading, compiling, a run, a copy between the host and a device. */
typedef struct cli_span {
  const char *name;
  double start, seconds; /* by ten_clock */
  size_t bytes;          /* of a copy; 0: it is none */
} cli_span;
typedef TEN_VEC(cli_span) cli_spans;

/* Adds copies between the host and devices to `spans` from now on; NULL: no more. */
void cli_spans_add_transfers(cli_spans *spans);
const char *cli_transfer_name(bool to_device);

/* Writes spans and a profile's events as a trace that Perfetto and chrome://tracing open. Before the profile is sorted.
 * `steps` say where each came from; NULL: that is not known. */
TEN_MUST_USE ten_status *cli_trace_write(const char *path, const cli_spans *spans, const ten_profile *profile,
                                         const ten_steps *steps);
/* Its parts: one event (start relative to the trace's; takes `args`), the name of a process or thread, the arguments of
 * a step, and the file (takes `events`). */
void cli_trace_event(json_t *events, const cli_span *span, const char *category, int64_t process, int64_t thread,
                     json_t *args);
void cli_trace_name(json_t *events, const char *what, const char *name, int64_t process, int64_t thread);
json_t *cli_trace_args(const ten_step_row *step, size_t number, double flops);
TEN_MUST_USE ten_status *cli_trace_save(const char *path, json_t *events);

/* The measurements and choices of `compile --tune`, as a table or as JSON. */
void cli_tuning_print(FILE *out, const ten_tuning *tuning);
json_t *cli_tuning_json(const ten_tuning *tuning);

#endif
