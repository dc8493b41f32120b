/* term.h: terminal capabilities, and progress on a terminal or in a log. Draws only on the given stream. */
#ifndef TEN_BASE_TERM_H
#define TEN_BASE_TERM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "tenfold/status.h"

/* A terminal that understands cursor movement (TERM is set, and not "dumb"). */
bool ten_term_is(FILE *stream);
/* Columns: the terminal's, else COLUMNS, else 80. */
size_t ten_term_width(FILE *stream);
/* A terminal whose user did not set NO_COLOR. */
bool ten_term_has_color(FILE *stream);

/* On a terminal one line that is redrawn at most ten times a second: a bar, a rate, the time left. On another stream a
 * new line after two seconds, and then every ten seconds. Zeroed is off. Allocates nothing. Not thread-safe: the caller
 * locks. */
typedef struct ten_progress {
  FILE *stream;           /* borrowed; NULL is off */
  const char *what;       /* what is in progress, in a word; borrowed */
  size_t done, total;     /* total 0: unknown */
  bool log;               /* the stream is no terminal */
  double start, drawn_at; /* by ten_clock; drawn_at 0: nothing is drawn now */
} ten_progress;

void ten_progress_start(ten_progress *progress, FILE *stream, const char *what, size_t total);
/* One more item is done; `format` describes it and is truncated to the width. */
void ten_progress_step(ten_progress *progress, const char *format, ...) TEN_PRINTF(2, 3);
/* Redraws without progress. */
void ten_progress_show(ten_progress *progress, const char *format, ...) TEN_PRINTF(2, 3);
/* Erases the line: before other output on the terminal, and at the end. */
void ten_progress_clear(ten_progress *progress);

#endif
