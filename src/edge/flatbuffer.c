/* flatbuffer.c: the layout of FlatBuffers, written backwards. */
#include <stdint.h>

#include "edge/flatbuffer.h"

static uint32_t size_of(const fb *b) { return (uint32_t)b->reversed.size; }

static void put(fb *b, const void *data, size_t size) {
  if (b->reversed.size + size > INT32_MAX - 64) b->too_large = true;
  if (b->too_large) return;
  ten_buf_reserve(&b->reversed, size);
  for (size_t i = size; i-- > 0;) b->reversed.data[b->reversed.size++] = ((const char *)data)[i];
}

/* So that what is `after` bytes later begins at a multiple of `align`, seen from the end. */
static void align_to(fb *b, size_t align, size_t after) {
  static const char zeros[FB_ALIGN_MOST];
  const size_t over = (b->reversed.size + after) % align;
  if (over) put(b, zeros, align - over);
}

static void put_u32(fb *b, uint32_t value) { put(b, &value, sizeof value); }
static void put_u16(fb *b, uint16_t value) { put(b, &value, sizeof value); }

static fb_place vector(fb *b, size_t count, const void *data, size_t bytes, size_t align) {
  align_to(b, align < 4 ? 4 : align, bytes);
  put(b, data, bytes);
  put_u32(b, (uint32_t)count);
  return size_of(b);
}

fb_place fb_bytes(fb *b, const void *data, size_t size, size_t align) { return vector(b, size, data, size, align); }
fb_place fb_i32s(fb *b, size_t count, const int32_t *values) { return vector(b, count, values, count * 4, 4); }
fb_place fb_i64s(fb *b, size_t count, const int64_t *values) { return vector(b, count, values, count * 8, 8); }
fb_place fb_f32s(fb *b, size_t count, const float *values) { return vector(b, count, values, count * 4, 4); }

fb_place fb_string(fb *b, ten_str text) {
  align_to(b, 4, text.size + 1);
  put(b, "", 1);
  put(b, text.data, text.size);
  put_u32(b, (uint32_t)text.size);
  return size_of(b);
}

fb_place fb_places(fb *b, size_t count, const fb_place *values) {
  align_to(b, 4, count * 4);
  for (size_t i = count; i-- > 0;) put_u32(b, size_of(b) + 4 - values[i]);
  put_u32(b, (uint32_t)count);
  return size_of(b);
}

void fb_table_begin(fb *b) {
  memset(b->fields, 0, sizeof b->fields);
  b->field_count = 0;
}

static void note(fb *b, uint32_t field) {
  b->fields[field] = size_of(b);
  if (b->field_count <= field) b->field_count = field + 1;
}

void fb_u8(fb *b, uint32_t field, uint8_t value) {
  put(b, &value, 1);
  note(b, field);
}

void fb_i32(fb *b, uint32_t field, int32_t value) {
  align_to(b, 4, 4);
  put(b, &value, 4);
  note(b, field);
}

void fb_f32(fb *b, uint32_t field, float value) {
  align_to(b, 4, 4);
  put(b, &value, 4);
  note(b, field);
}

void fb_to(fb *b, uint32_t field, fb_place place) {
  if (!place) return;
  align_to(b, 4, 4);
  put_u32(b, size_of(b) + 4 - place);
  note(b, field);
}

fb_place fb_table_end(fb *b) {
  align_to(b, 4, 4);
  const uint16_t table = (uint16_t)(4 + 2 * b->field_count);
  put_u32(b, table); /* its list of fields lies right before it */
  const fb_place place = size_of(b);
  uint32_t last = 0;
  for (uint32_t i = b->field_count; i-- > 0;) {
    const uint32_t offset = b->fields[i] ? place - b->fields[i] : 0;
    if (offset > last) last = offset;
    put_u16(b, (uint16_t)offset);
  }
  put_u16(b, (uint16_t)(last + 4)); /* at least as far as the last field reaches */
  put_u16(b, table);
  return place;
}

bool fb_finish(fb *b, fb_place root, const char identifier[4], ten_buf *out) {
  align_to(b, FB_ALIGN_MOST, 8);
  put(b, identifier, 4);
  put_u32(b, size_of(b) + 4 - root);
  const bool fits = !b->too_large;
  if (fits) {
    ten_buf_reserve(out, b->reversed.size);
    for (size_t i = b->reversed.size; i-- > 0;) out->data[out->size++] = b->reversed.data[i];
  }
  ten_buf_free(&b->reversed);
  return fits;
}
