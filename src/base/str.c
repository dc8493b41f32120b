/* str.c: string views and the text buffer. */
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/size.h"

int ten_str_compare(ten_str a, ten_str b) {
  const size_t size = a.size < b.size ? a.size : b.size;
  const int order = size ? memcmp(a.data, b.data, size) : 0;
  if (order) return order;
  return a.size < b.size ? -1 : a.size > b.size;
}

void ten_buf_free(ten_buf *buf) {
  free(buf->data);
  memset(buf, 0, sizeof *buf);
}

bool ten_buf_try_reserve(ten_buf *buf, size_t extra) {
  if (buf->capacity - buf->size > extra) return true;
  size_t wanted = buf->capacity ? buf->capacity * 2 : 64, least;
  if (!ten_add(buf->size, extra, &least) || !ten_add(least, 1, &least)) return false;
  if (wanted < least) wanted = least;
  char *data = realloc(buf->data, wanted);
  if (!data) return false;
  buf->data = data;
  buf->capacity = wanted;
  return true;
}

void ten_buf_reserve(ten_buf *buf, size_t extra) {
  if (!ten_buf_try_reserve(buf, extra)) ten_out_of_memory(extra);
}

void ten_buf_add(ten_buf *buf, const void *data, size_t size) {
  ten_buf_reserve(buf, size);
  if (size) memcpy(buf->data + buf->size, data, size);
  buf->size += size;
  buf->data[buf->size] = 0;
}

void ten_buf_addc(ten_buf *buf, char c) {
  ten_buf_reserve(buf, 1);
  buf->data[buf->size++] = c;
  buf->data[buf->size] = 0;
}

void ten_buf_adds(ten_buf *buf, const char *text) { ten_buf_add(buf, text, strlen(text)); }

size_t ten_utf8_size(ten_str text) {
  const unsigned char *at = (const unsigned char *)text.data;
  if (!text.size || at[0] < 0x80) return text.size > 0;
  const size_t size = at[0] >= 0xc2 && at[0] < 0xe0 ? 2 : at[0] >= 0xe0 && at[0] < 0xf0 ? 3 : at[0] >= 0xf0 ? 4 : 0;
  if (!size || size > text.size) return 0;
  for (size_t i = 1; i < size; i++)
    if ((at[i] & 0xc0) != 0x80) return 0;
  const unsigned lead = (unsigned)at[0] << 8 | at[1]; /* too long a form, a surrogate, or above U+10FFFF */
  return (lead >= 0xe000 && lead < 0xe0a0) || (lead >= 0xeda0 && lead < 0xee00) || (lead >= 0xf000 && lead < 0xf090) ||
                 lead >= 0xf490
             ? 0
             : size;
}

void ten_buf_add_utf8(ten_buf *buf, ten_str text) {
  while (text.size) {
    const size_t size = ten_utf8_size(text), used = size ? size : 1;
    ten_buf_addstr(buf, size ? (ten_str){text.data, size} : TEN_STR("\xef\xbf\xbd"));
    text = (ten_str){text.data + used, text.size - used};
  }
}

void ten_buf_add_json(ten_buf *buf, ten_str text) {
  static const char plain[] = "\"\\\n\t\r", letters[] = "\"\\ntr";
  ten_buf_addc(buf, '"');
  while (text.size) {
    size_t run = 0;
    while (run < text.size && (unsigned char)text.data[run] >= ' ' && !strchr(plain, text.data[run])) run++;
    ten_buf_add_utf8(buf, (ten_str){text.data, run});
    if (run == text.size) break;
    const char c = text.data[run], *known = c ? strchr(plain, c) : NULL;
    if (known)
      ten_buf_add(buf, (const char[]){'\\', letters[known - plain]}, 2);
    else
      ten_buf_printf(buf, "\\u%04x", (unsigned)(unsigned char)c);
    text = (ten_str){text.data + run + 1, text.size - run - 1};
  }
  ten_buf_addc(buf, '"');
}

void ten_buf_addstr(ten_buf *buf, ten_str text) { ten_buf_add(buf, text.data, text.size); }

bool ten_buf_try_vprintf(ten_buf *buf, const char *format, va_list args) {
  if (!ten_buf_try_reserve(buf, 64)) return false;
  va_list again;
  va_copy(again, args);
  const int size = vsnprintf(buf->data + buf->size, buf->capacity - buf->size, format, args);
  bool fits = size <= 0 || (size_t)size < buf->capacity - buf->size;
  if (!fits && ten_buf_try_reserve(buf, (size_t)size)) {
    fits = true;
    vsnprintf(buf->data + buf->size, buf->capacity - buf->size, format, again);
  }
  va_end(again);
  if (size > 0 && fits) buf->size += (size_t)size;
  buf->data[buf->size] = 0;
  return fits;
}

bool ten_buf_try_printf(ten_buf *buf, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const bool fits = ten_buf_try_vprintf(buf, format, args);
  va_end(args);
  return fits;
}

void ten_buf_vprintf(ten_buf *buf, const char *format, va_list args) {
  if (!ten_buf_try_vprintf(buf, format, args)) ten_out_of_memory(buf->size + 64);
}

void ten_buf_printf(ten_buf *buf, const char *format, ...) {
  va_list args;
  va_start(args, format);
  ten_buf_vprintf(buf, format, args);
  va_end(args);
}

char *ten_buf_take(ten_buf *buf) {
  ten_buf_reserve(buf, 0);
  buf->data[buf->size] = 0;
  char *data = buf->data;
  memset(buf, 0, sizeof *buf);
  return data;
}
