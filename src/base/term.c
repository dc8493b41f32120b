/* term.c: what a terminal can show, and one line of progress on it. */
#include "base/term.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"

static const double DRAW_EVERY = 0.1; /* seconds */

bool ten_term_is(FILE *stream) {
  const char *name = getenv("TERM");
  return name && *name && strcmp(name, "dumb") && isatty(fileno(stream));
}

size_t ten_term_width(FILE *stream) {
  struct winsize size;
  if (!ioctl(fileno(stream), TIOCGWINSZ, &size) && size.ws_col) return size.ws_col;
  const char *columns = getenv("COLUMNS");
  const long width = columns ? strtol(columns, NULL, 10) : 0;
  return width > 0 && width < 10000 ? (size_t)width : 80;
}

bool ten_term_has_color(FILE *stream) {
  const char *refused = getenv("NO_COLOR");
  return !(refused && *refused) && ten_term_is(stream);
}

void ten_progress_start(ten_progress *progress, FILE *stream, size_t total) {
  *progress = (ten_progress){.stream = ten_term_is(stream) ? stream : NULL, .total = total};
}

/* The largest size of at most `width` characters that does not cut a UTF-8 character. */
static size_t cut(const char *text, size_t width) {
  size_t i = 0;
  for (size_t shown = 0; text[i]; i++)
    if (((unsigned char)text[i] & 0xC0) != 0x80 && ++shown > width) break;
  return i;
}

void ten_progress_step(ten_progress *progress, const char *format, ...) {
  progress->done++;
  if (!progress->stream) return;
  const double at = ten_clock();
  if (at - progress->drawn_at < DRAW_EVERY) return;
  progress->drawn_at = at;
  ten_buf line = {0};
  ten_buf_printf(&line, "%zu/%zu  ", progress->done, progress->total);
  va_list args;
  va_start(args, format);
  ten_buf_vprintf(&line, format, args);
  va_end(args);
  const size_t width = ten_term_width(progress->stream);
  fprintf(progress->stream, "\r%.*s\033[K", (int)cut(line.data, width - 1), line.data);
  fflush(progress->stream);
  ten_buf_free(&line);
}

void ten_progress_clear(ten_progress *progress) {
  if (!progress->stream || progress->drawn_at <= 0) return;
  fputs("\r\033[K", progress->stream);
  fflush(progress->stream);
  progress->drawn_at = 0;
}
