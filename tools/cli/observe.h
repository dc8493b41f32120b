/* observe.h: compiles a program afresh and runs it several times under observation, for `profile` and `report`. */
#ifndef TEN_CLI_OBSERVE_H
#define TEN_CLI_OBSERVE_H

#include "backend/backend.h"
#include "cli/counters.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/shapes.h"
#include "cli/training.h"

/* What is run, and how. */
typedef struct cli_observing {
  const char *device, *entry, *precision;
  cli_list inputs, shapes;
  int64_t seed;
  int64_t repeat; /* timed runs; 0: as many as fit into a second, 3 at least */
  bool train;     /* the training step of `training` */
  bool quiet;     /* no progress */
} cli_observing;

/* Rows of an option table whose values have a cli_observing called `observing` and a cli_training called `training`. */
#define CLI_OBSERVING_OPTIONS(values)                                                                     \
  {"device", 'd', CLI_TEXT, "NAME", "what to run on: the cpu", offsetof(values, observing.device)},       \
      {"input",                                                                                           \
       'i',                                                                                               \
       CLI_LIST,                                                                                          \
       "[NAME=]FILE.npy",                                                                                 \
       "an input, by its name or in the order of the program's arguments; the others are random",         \
       offsetof(values, observing.inputs)},                                                               \
      {"seed", 0, CLI_COUNT, "N", "of the random inputs (0)", offsetof(values, observing.seed)},          \
      {"entry",                                                                                           \
       0,                                                                                                 \
       CLI_TEXT,                                                                                          \
       "NAME",                                                                                            \
       "the function to run; otherwise @main, or the only public one",                                    \
       offsetof(values, observing.entry)},                                                                \
      {"precision", 0, CLI_TEXT, "f32|bf16", "as `run` takes it", offsetof(values, observing.precision)}, \
      {"repeat",                                                                                          \
       0,                                                                                                 \
       CLI_MANY,                                                                                          \
       "N",                                                                                               \
       "timed runs, after one that is not; otherwise as many as fit into a second",                       \
       offsetof(values, observing.repeat)},                                                               \
      {"shape",                                                                                           \
       0,                                                                                                 \
       CLI_LIST,                                                                                          \
       CLI_SHAPE_HELP,                                                                                    \
       "sizes of an input, or of an open dimension, as `compile` takes them",                             \
       offsetof(values, observing.shapes)},                                                               \
      {"train",                                                                                           \
       0,                                                                                                 \
       CLI_FLAG,                                                                                          \
       NULL,                                                                                              \
       "the training step that `compile --train` makes of it",                                            \
       offsetof(values, observing.train)},                                                                \
      CLI_QUIET_OPTION(values, observing.quiet), CLI_TRAINING_OPTIONS(values)

typedef struct cli_run_time {
  double start, seconds;
  size_t first_event, event_count; /* of the profile's */
} cli_run_time;

typedef struct cli_observed {
  ten_module *module; /* owned */
  ten_op *func;
  ten_executable *executable; /* owned */
  ten_steps steps;
  ten_profile profile; /* unsorted: row numbers are step numbers */
  cli_spans spans;     /* loading, phases of compiling, runs */
  TEN_VEC(cli_run_time) runs;
  double load, compile, median; /* seconds */
  size_t middle;                /* the run whose time is the median */
  cli_counters counters;        /* of the runs */
} cli_observed;

/* The module to compile: the program at `path`, or its training step; the caller destroys it. */
TEN_MUST_USE ten_status *cli_observed_load(const char *path, const cli_observing *wanted, const cli_training *training,
                                           ten_module **out_module, ten_op **out_func);
/* Of the program at `path`. The caller frees `out`, whether or not there is an error. */
TEN_MUST_USE ten_status *cli_observe(const char *path, const cli_observing *wanted, const cli_training *training,
                                     cli_observed *out);
void cli_observed_free(cli_observed *observed);

#endif
