/* status.h: errors are values. A function that can fail returns `ten_status *`: NULL is success, anything else is owned
 * by the caller, who must free it with ten_status_free, return it, or annotate and return it.
 *
 * Threads: a status belongs to one thread at a time; there is no stored last error. When memory runs out while an error
 * is created, a static out-of-memory error replaces it. */
#ifndef TENFOLD_STATUS_H
#define TENFOLD_STATUS_H

#include <stdarg.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TEN_MUST_USE __attribute__((warn_unused_result))
#define TEN_PRINTF(format_index, first_arg) __attribute__((format(printf, format_index, first_arg)))
#define TEN_API __attribute__((visibility("default")))
#define TEN_NEVER_NULL __attribute__((returns_nonnull))
#else
#define TEN_MUST_USE
#define TEN_NEVER_NULL
#define TEN_PRINTF(format_index, first_arg)
#define TEN_API
#endif

typedef enum ten_code {
  TEN_INVALID = 1,     /* the input is wrong: malformed, ill-typed, out of range */
  TEN_NOT_FOUND = 2,   /* a file, symbol, device or plugin does not exist */
  TEN_UNSUPPORTED = 3, /* valid, but this build, backend or target version does not support it */
  TEN_IO = 4,          /* an error of the operating system */
  TEN_LIMIT = 5,       /* too big, too deep, out of memory */
  TEN_MISMATCH = 6,    /* the answer is no: a check failed, results differ */
  TEN_CANCELLED = 7,
  TEN_INTERNAL = 8 /* a bug in Tenfold */
} ten_code;

typedef struct ten_status ten_status;

/* A new error of kind `code`, owned by the caller. `format` is as of printf, with its arguments after it; the message
 * has no trailing newline and no "error:" in front. */
TEN_API TEN_MUST_USE TEN_NEVER_NULL ten_status *ten_error(ten_code code, const char *format, ...) TEN_PRINTF(2, 3);
/* The same for `code` and `format` with arguments in `args`. */
TEN_API TEN_MUST_USE TEN_NEVER_NULL ten_status *ten_error_v(ten_code code, const char *format, va_list args);

/* Attaches where it happened to `status` and returns it; NULL stays NULL. `file` is copied, `line` and `column` are
 * 1-based, 0 is unknown. The innermost place wins. */
TEN_API TEN_MUST_USE ten_status *ten_error_at(ten_status *status, const char *file, unsigned line, unsigned column);

/* Adds to `status` what was being done, as `format` and its arguments say it, outermost last. Consumes the status and
 * returns it; NULL stays NULL. */
TEN_API TEN_MUST_USE ten_status *ten_annotate(ten_status *status, const char *format, ...) TEN_PRINTF(2, 3);

/* Says which `exception` of Python stands for `status`, by name: "IndexError", say. The name is copied; the first one
 * said wins. Returns the status; NULL stays NULL. */
TEN_API TEN_MUST_USE ten_status *ten_error_raises(ten_status *status, const char *exception);

/* Returns `first` and frees `second`, or returns `second` where the first is NULL, so that clean-up code can collect
 * several failures and report the first. */
TEN_API TEN_MUST_USE ten_status *ten_first_error(ten_status *first, ten_status *second);

/* The kind of error that `status`, not NULL, is. */
TEN_API ten_code ten_status_code(const ten_status *status);
/* `code` in a word, "invalid"; static. */
TEN_API const char *ten_status_code_name(ten_code code);
/* The whole text of `status`: place, message, and one indented "while …" line for each annotation. Borrowed from the
 * status. */
TEN_API const char *ten_status_text(const ten_status *status);
/* The message of `status` alone, without place and annotations. Borrowed from the status. */
TEN_API const char *ten_status_message(const ten_status *status);
/* The file that `status` is about, borrowed from it, or NULL; and where in it in `line` and `column`, 0 where that is
 * not known. Both may be NULL. */
TEN_API const char *ten_status_place(const ten_status *status, unsigned *line, unsigned *column);
/* The exception that PyTorch raises for `status` in eager mode ("IndexError", "RuntimeError", "LinAlgError"…), or NULL:
 * of no particular kind. Borrowed from the status. */
TEN_API const char *ten_status_exception(const ten_status *status);
/* Frees `status`; NULL is allowed. */
TEN_API void ten_status_free(ten_status *status);

#define TEN_TRY(expression)                      \
  do {                                           \
    ten_status *ten_try_status_ = (expression);  \
    if (ten_try_status_) return ten_try_status_; \
  } while (0)

#ifdef __cplusplus
}
#endif
#endif
