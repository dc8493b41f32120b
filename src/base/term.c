/* term.c: terminal capabilities, and progress on a terminal or in a log. */
#include "base/term.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"

enum { LINE = 512, BAR = 20, WIDE = 60 };                            /* characters; a bar needs a wide terminal */
static const double DRAW_EVERY = 0.1, LOG_AFTER = 2, LOG_EVERY = 10; /* seconds */

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

void ten_progress_start(ten_progress *progress, FILE *stream, const char *what, size_t total) {
  *progress = (ten_progress){
      .stream = stream, .what = what, .total = total, .log = stream && !ten_term_is(stream), .start = ten_clock()};
}

/* The largest size of at most `width` characters that does not cut a UTF-8 character. */
static size_t cut(const char *text, size_t width) {
  size_t i = 0;
  for (size_t shown = 0; text[i]; i++)
    if (((unsigned char)text[i] & 0xC0) != 0x80 && ++shown > width) break;
  return i;
}

/* "3.2/s", or for slow items "12 s each"; empty before there is a rate. */
static void print_rate(char *out, size_t size, double done, double seconds) {
  out[0] = 0;
  if (done > 0 && seconds > 0 && done >= seconds)
    snprintf(out, size, "%.*f/s", done < 100 * seconds, done / seconds);
  else if (done > 0 && seconds > 0)
    snprintf(out, size, "%.1f s each", seconds / done);
}

static void print_time(char *out, size_t size, double seconds) {
  const unsigned long all = seconds < 1e9 ? (unsigned long)(seconds + 0.5) : 1000000000ul;
  if (all >= 3600)
    snprintf(out, size, "%lu:%02lu:%02lu", all / 3600, all / 60 % 60, all % 60);
  else
    snprintf(out, size, "%lu:%02lu", all / 60, all % 60);
}

static void print_bar(char *out, size_t done, size_t total) {
  for (size_t i = 0; i < BAR; i++) out[i] = (double)i < (double)BAR * ((double)done / (double)total) ? '#' : '-';
  out[BAR] = 0;
}

/* The progress, printed before the caller's text. */
static void print_state(const ten_progress *p, bool wide, double now, char *out, size_t size) {
  const double seconds = now - p->start;
  char rate[32], left[32] = "", bar[BAR + 1] = "";
  if (!p->total) {
    print_time(rate, sizeof rate, seconds);
    snprintf(out, size, "%s%s%s  ", p->log ? "" : p->what, p->log ? "" : "  ", rate);
    return;
  }
  print_rate(rate, sizeof rate, (double)p->done, seconds);
  if (p->done) print_time(left, sizeof left, seconds / (double)p->done * (double)(p->total - p->done));
  if (p->done > p->total) left[0] = 0;
  if (!wide) {
    snprintf(out, size, "%zu/%zu  ", p->done, p->total);
    return;
  }
  print_bar(bar, p->done, p->total);
  snprintf(out, size, "%s%s%s%zu/%zu  %s%s%s%s", p->log ? "" : "[", p->log ? "" : bar, p->log ? "" : "]  ", p->done,
           p->total, rate, rate[0] ? "  " : "", left, left[0] ? " left  " : "");
}

static void show(ten_progress *p, const char *format, va_list args) {
  if (!p->stream) return;
  const double now = ten_clock(), since = now - (p->drawn_at > 0 ? p->drawn_at : p->start);
  if (p->log ? since < (p->drawn_at > 0 ? LOG_EVERY : LOG_AFTER) : p->drawn_at > 0 && since < DRAW_EVERY) return;
  p->drawn_at = now;
  char line[LINE];
  const size_t width = p->log ? sizeof line : ten_term_width(p->stream);
  print_state(p, width >= WIDE, now, line, sizeof line);
  const size_t used = strlen(line);
  vsnprintf(line + used, sizeof line - used, format, args);
  if (p->log)
    fprintf(p->stream, "tenfold: %s: %s\n", p->what, line);
  else
    fprintf(p->stream, "\r%.*s\033[K", (int)cut(line, width - 1), line);
  fflush(p->stream);
}

void ten_progress_step(ten_progress *progress, const char *format, ...) {
  progress->done++;
  va_list args;
  va_start(args, format);
  show(progress, format, args);
  va_end(args);
}

void ten_progress_show(ten_progress *progress, const char *format, ...) {
  va_list args;
  va_start(args, format);
  show(progress, format, args);
  va_end(args);
}

void ten_progress_clear(ten_progress *progress) {
  if (!progress->stream || progress->log || progress->drawn_at <= 0) return;
  fputs("\r\033[K", progress->stream);
  fflush(progress->stream);
  progress->drawn_at = 0;
}
