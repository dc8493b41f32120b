/* json.h: parses JSON in place, value by value, without building a tree: a request of a million numbers takes no memory
 * but its tensors. Also accepts NaN, Infinity and -Infinity, as Python writes them. */
#ifndef TEN_SERVE_JSON_H
#define TEN_SERVE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum { JSON_DEPTH_MOST = 64 };

typedef struct json_in {
  const char *begin, *at, *end;
  const char *wrong; /* static: what was expected; NULL: no error so far */
} json_in;

typedef struct json_number {
  bool is_integer, is_negative;
  uint64_t magnitude; /* of an integer */
  double value;
} json_number;

static inline json_in json_of(const char *data, size_t size) { return (json_in){data, data, data + size, NULL}; }

/* The next value: '{' '[' '"' '0' (a number) 't' 'f' 'n', or 0 at the end or at an error. */
char json_peek(json_in *in);
/* Enters '{' or '['; then json_next is true before each member or element, and false after the last. */
bool json_enter(json_in *in, char open);
bool json_next(json_in *in, char close, bool *first);
/* A member's name, and the colon. `scratch` holds a text that had escapes; it is overwritten each time. */
bool json_key(json_in *in, ten_buf *scratch, ten_str *out_key);
bool json_read_string(json_in *in, ten_buf *scratch, ten_str *out_text);
bool json_read_number(json_in *in, json_number *out_number);
bool json_read_bool(json_in *in, bool *out_value);
bool json_skip(json_in *in);
/* Whether only white space is left. */
bool json_at_end(json_in *in);
/* Stores the error, unless there was one; returns false. */
bool json_fail(json_in *in, const char *expected);

#endif
