/* status.c: an error owns its message, its location, the name of the Python exception, and a chain of annotations,
 * outermost last. Nothing here leaves by longjmp: without memory for the message the error is `no_memory`, and
 * annotations that do not fit in memory are dropped. */
#include "tenfold/status.h"

#include <stdlib.h>

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

static char no_memory_message[] = "out of memory";
static ten_status no_memory = {.code = TEN_LIMIT,
                               .message = no_memory_message}; /* shared: never changed, never freed */

ten_status *ten_error_v(ten_code code, const char *format, va_list args) {
  ten_status *status = calloc(1, sizeof *status);
  ten_buf message = {0};
  if (!status || !ten_buf_try_vprintf(&message, format, args)) {
    ten_buf_free(&message);
    free(status);
    return &no_memory;
  }
  status->code = code;
  status->message = message.data;
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
  if (!status || status == &no_memory || status->file || !file) return status;
  status->file = strdup(file);
  if (!status->file) return status;
  status->line = line;
  status->column = column;
  return status;
}

ten_status *ten_error_raises(ten_status *status, const char *exception) {
  if (!status || status == &no_memory || status->exception || !exception) return status;
  status->exception = strdup(exception);
  return status;
}

ten_status *ten_annotate(ten_status *status, const char *format, ...) {
  if (!status || status == &no_memory) return status;
  va_list args;
  va_start(args, format);
  const size_t before = status->context.size;
  if (!ten_buf_try_printf(&status->context, "\n  while ") || !ten_buf_try_vprintf(&status->context, format, args))
    status->context.size = before;
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
  if (status == &no_memory) return status->message;
  text->size = 0;
  bool whole = true;
  if (status->file) {
    whole = ten_buf_try_printf(text, "%s", status->file);
    if (status->line) whole = whole && ten_buf_try_printf(text, ":%u", status->line);
    if (status->line && status->column) whole = whole && ten_buf_try_printf(text, ":%u", status->column);
    whole = whole && ten_buf_try_printf(text, ": ");
  }
  whole = whole && ten_buf_try_printf(text, "%s", status->message);
  if (status->context.size)
    whole = whole && ten_buf_try_printf(text, "%.*s", (int)status->context.size, status->context.data);
  return whole ? text->data : status->message;
}

void ten_status_free(ten_status *status) {
  if (!status || status == &no_memory) return;
  free(status->file);
  free(status->message);
  free(status->exception);
  ten_buf_free(&status->context);
  ten_buf_free(&status->text);
  free(status);
}
