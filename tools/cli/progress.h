/* progress.h: what a command that takes long says on stderr meanwhile: a bar on a terminal, lines in a log, nothing
 * with --quiet or TENFOLD_PROGRESS=off. */
#ifndef TEN_CLI_PROGRESS_H
#define TEN_CLI_PROGRESS_H

#include "backend/settings.h"
#include "base/term.h"

/* The row of an option table whose values have the bool `field`. */
#define CLI_QUIET_OPTION(values, field) \
  {"quiet", 'q', CLI_FLAG, NULL, "show no progress on stderr", offsetof(values, field)}

/* Where progress is shown; NULL: nowhere. */
FILE *cli_progress_stream(bool quiet);

/* Something whose end nobody knows, with a name: compiling. One at a time. A thread shows how long it has been at
 * it. Stopping what was not started does nothing. */
void cli_progress_start(const char *what, bool quiet);
void cli_progress_stop(void);
/* What it is at; `doing` is a literal or lives as long as the process. */
void cli_progress_at(const char *doing);
/* The phases of compiling with these settings are shown; whoever was told of them before still is. */
void cli_progress_follow(ten_settings *settings);

#endif
