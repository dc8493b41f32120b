/* progress.h: progress of long commands on stderr: a bar on a terminal, lines in a log, nothing with --quiet or
 * TENFOLD_PROGRESS=off. */
#ifndef TEN_CLI_PROGRESS_H
#define TEN_CLI_PROGRESS_H

#include "backend/settings.h"
#include "base/term.h"

/* The row of an option table whose values have the bool `field`. */
#define CLI_QUIET_OPTION(values, field) \
  {"quiet", 'q', CLI_FLAG, NULL, "show no progress on stderr", offsetof(values, field)}

/* The stream for progress; NULL: none. */
FILE *cli_progress_stream(bool quiet);

/* An activity of unknown length, with a name: compiling. One at a time. A thread shows the elapsed time. Stopping
 * without a start does nothing. */
void cli_progress_start(const char *what, bool quiet);
void cli_progress_stop(void);
/* The current part of it; `doing` is a literal or lives as long as the process. */
void cli_progress_at(const char *doing);
/* Shows the phases of compiling with these settings; a previous receiver still gets them. */
void cli_progress_follow(ten_settings *settings);

#endif
