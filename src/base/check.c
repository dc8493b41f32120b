/* check.c: the error of a failed check. */
#include "base/check.h"

#include <stdint.h>
#include <stdlib.h>

static void add_value(ten_buf *out, ten_dtype dtype, const void *value) {
  int64_t whole = 0;
  double real = 0;
  float narrow = 0;
  switch (dtype) {
    case TEN_I64:
      memcpy(&whole, value, sizeof whole);
      ten_buf_printf(out, "%lld", (long long)whole);
      return;
    case TEN_F64:
      memcpy(&real, value, sizeof real);
      ten_buf_printf(out, "%g", real);
      return;
    case TEN_F32:
      memcpy(&narrow, value, sizeof narrow);
      ten_buf_printf(out, "%g", (double)narrow);
      return;
    default: ten_buf_adds(out, "a value");
  }
}

ten_status *ten_check_failed(const ten_check *check, const void *value) {
  ten_buf text = {0}, word = {0};
  size_t done = 0;
  for (size_t i = 0; i + 1 < check->message.size; i++) {
    if (check->message.data[i] != '{' || check->message.data[i + 1] != '}') continue;
    ten_buf_add(&text, check->message.data + done, i - done);
    add_value(&text, value ? check->dtype : TEN_DTYPE_NONE, value);
    done = i + 2;
  }
  ten_buf_add(&text, check->message.data + done, check->message.size - done);
  ten_status *status = ten_error(TEN_INVALID, "%s", text.data ? text.data : "a check failed");
  ten_buf_addstr(&word, check->exception);
  status = ten_error_raises(status, word.data);
  const char *colon = check->place.size ? memrchr(check->place.data, ':', check->place.size) : NULL;
  if (colon) {
    word.size = 0;
    ten_buf_addstr(&word, check->place);
    char *end = word.data + (colon - check->place.data);
    const unsigned long line = strtoul(end + 1, NULL, 10);
    *end = 0;
    status = ten_error_at(status, word.data, (unsigned)line, 0);
  }
  ten_buf_free(&text);
  ten_buf_free(&word);
  return status;
}
