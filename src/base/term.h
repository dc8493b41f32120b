/* term.h: what a terminal can show, and progress on it or in a log. Draws only on the stream it is handed. */
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

/* On a terminal one line that is drawn over itself, at most ten times a second: a bar, a rate, the time that is left.
 * On another stream a line of its own after two seconds, and every ten seconds from then on. Zeroed is off. Allocates
 * nothing. Not for several threads at once: the caller locks. */
typedef struct ten_progress {
  FILE *stream;           /* borrowed; NULL is off */
  const char *what;       /* what is going on, in a word; borrowed */
  size_t done, total;     /* total 0: nobody knows */
  bool log;               /* the stream is no terminal */
  double start, drawn_at; /* by ten_clock; drawn_at 0: nothing is drawn now */
} ten_progress;

void ten_progress_start(ten_progress *progress, FILE *stream, const char *what, size_t total);
/* One more is done; `format` says what, and is cut to the width. */
void ten_progress_step(ten_progress *progress, const char *format, ...) TEN_PRINTF(2, 3);
/* Draws again, with nothing more done. */
void ten_progress_show(ten_progress *progress, const char *format, ...) TEN_PRINTF(2, 3);
/* Takes the line away: before other output on the terminal, and at the end. */
void ten_progress_clear(ten_progress *progress);

#endif
