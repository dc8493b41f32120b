/* str.h: string views and a growable text buffer. A ten_str borrows its bytes and need not end in NUL. */
#ifndef TEN_BASE_STR_H
#define TEN_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "tenfold/status.h"

typedef struct ten_str {
  const char *data;
  size_t size;
} ten_str;

#define TEN_STR(literal) ((ten_str){(literal), sizeof(literal) - 1})
/* The bytes of the character that the text begins with; 0: it is empty, or no UTF-8. */
size_t ten_utf8_size(ten_str text);
/* For printf: "%.*s", TEN_FMT(s) */
#define TEN_FMT(s) (int)(s).size, (s).data

static inline ten_str ten_str_of(const char *text) { return (ten_str){text, text ? strlen(text) : 0}; }
static inline bool ten_str_eq(ten_str a, ten_str b) {
  return a.size == b.size && (!a.size || !memcmp(a.data, b.data, a.size));
}
static inline bool ten_str_is(ten_str a, const char *text) { return ten_str_eq(a, ten_str_of(text)); }
static inline bool ten_str_starts(ten_str a, const char *prefix) {
  const size_t size = strlen(prefix);
  return a.size >= size && !memcmp(a.data, prefix, size);
}
static inline bool ten_str_ends(ten_str a, const char *suffix) {
  const size_t size = strlen(suffix);
  return a.size >= size && !memcmp(a.data + a.size - size, suffix, size);
}
int ten_str_compare(ten_str a, ten_str b);

/* Growable text, always NUL-terminated once written to. Zero-initialise; free with ten_buf_free. */
typedef struct ten_buf {
  char *data; /* owned */
  size_t size, capacity;
} ten_buf;

void ten_buf_free(ten_buf *buf);
void ten_buf_reserve(ten_buf *buf, size_t extra);
/* False, and the text unchanged, when out of memory: for callers that must not longjmp (base/recover.h). */
bool ten_buf_try_reserve(ten_buf *buf, size_t extra);
bool ten_buf_try_vprintf(ten_buf *buf, const char *format, va_list args);
bool ten_buf_try_printf(ten_buf *buf, const char *format, ...) TEN_PRINTF(2, 3);
void ten_buf_add(ten_buf *buf, const void *data, size_t size);
void ten_buf_addc(ten_buf *buf, char c);
void ten_buf_adds(ten_buf *buf, const char *text);
void ten_buf_addstr(ten_buf *buf, ten_str text);
/* As UTF-8: each byte that is part of no character becomes U+FFFD. */
void ten_buf_add_utf8(ten_buf *buf, ten_str text);
void ten_buf_add_json(ten_buf *buf, ten_str text); /* as a JSON string, of the same */
void ten_buf_printf(ten_buf *buf, const char *format, ...) TEN_PRINTF(2, 3);
void ten_buf_vprintf(ten_buf *buf, const char *format, va_list args);
/* Transfers the text; the caller frees it. */
char *ten_buf_take(ten_buf *buf);

#endif
