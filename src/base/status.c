/* status.c: an error owns its message, where it happened, what Python would raise, and a chain of annotations,
 * outermost last. */
#include "tenfold/status.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/str.h"

struct ten_status {
  ten_code code;
  unsigned line, column;
  char *file;      /* owned, may be NULL */
  char *message;   /* owned */
  char *exception; /* owned, may be NULL */
  ten_buf context; /* the "while …" lines */
  ten_buf text;    /* rendered on demand */
};

ten_status *ten_error_v(ten_code code, const char *format, va_list args) {
  ten_status *status = ten_alloc(sizeof *status);
  ten_buf message = {0};
  ten_buf_vprintf(&message, format, args);
  status->code = code;
  status->message = ten_buf_take(&message);
  return status;
}

ten_status *ten_error(ten_code code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  ten_status *status = ten_error_v(code, format, args);
  va_end(args);
  return status;
}

ten_status *ten_error_at(ten_status *status, const char *file, unsigned line, unsigned column) {
  if (!status || status->file || !file) return status;
  ten_buf copy = {0};
  ten_buf_adds(&copy, file);
  status->file = ten_buf_take(&copy);
  status->line = line;
  status->column = column;
  return status;
}

ten_status *ten_error_raises(ten_status *status, const char *exception) {
  if (!status || status->exception || !exception) return status;
  ten_buf copy = {0};
  ten_buf_adds(&copy, exception);
  status->exception = ten_buf_take(&copy);
  return status;
}

ten_status *ten_annotate(ten_status *status, const char *format, ...) {
  if (!status) return NULL;
  va_list args;
  va_start(args, format);
  ten_buf_adds(&status->context, "\n  while ");
  ten_buf_vprintf(&status->context, format, args);
  va_end(args);
  return status;
}

ten_status *ten_first_error(ten_status *first, ten_status *second) {
  if (!first) return second;
  ten_status_free(second);
  return first;
}

ten_code ten_status_code(const ten_status *status) { return status->code; }
const char *ten_status_message(const ten_status *status) { return status->message; }
const char *ten_status_exception(const ten_status *status) { return status->exception; }

const char *ten_status_code_name(ten_code code) {
  static const char *const names[] = {
      [TEN_INVALID] = "invalid",
      [TEN_NOT_FOUND] = "not found",
      [TEN_UNSUPPORTED] = "unsupported",
      [TEN_IO] = "i/o",
      [TEN_LIMIT] = "limit",
      [TEN_MISMATCH] = "mismatch",
      [TEN_CANCELLED] = "cancelled",
      [TEN_INTERNAL] = "internal",
  };
  const size_t count = sizeof names / sizeof *names;
  return (size_t)code < count && names[code] ? names[code] : "unknown";
}

const char *ten_status_place(const ten_status *status, unsigned *line, unsigned *column) {
  if (line) *line = status->line;
  if (column) *column = status->column;
  return status->file;
}

const char *ten_status_text(const ten_status *status) {
  ten_buf *text = &((ten_status *)status)->text; /* a cache: the status is logically unchanged */
  text->size = 0;
  if (status->file) {
    ten_buf_adds(text, status->file);
    if (status->line) ten_buf_printf(text, ":%u", status->line);
    if (status->line && status->column) ten_buf_printf(text, ":%u", status->column);
    ten_buf_adds(text, ": ");
  }
  ten_buf_adds(text, status->message);
  if (status->context.size) ten_buf_addstr(text, (ten_str){status->context.data, status->context.size});
  return text->data;
}

void ten_status_free(ten_status *status) {
  if (!status) return;
  free(status->file);
  free(status->message);
  free(status->exception);
  ten_buf_free(&status->context);
  ten_buf_free(&status->text);
  free(status);
}
