/* flatbuffer.h: writes FlatBuffers: tables, vectors and strings with offsets between them. A buffer grows from its end
 * to its start, since what a table points to lies after it: places are counted in bytes from the end.
 * Children are written before the table that points to them; between fb_table_begin and fb_table_end only fields are.
 */
#ifndef TEN_EDGE_FLATBUFFER_H
#define TEN_EDGE_FLATBUFFER_H

#include <stdint.h>

#include "base/str.h"

typedef uint32_t fb_place; /* of something written; 0: nothing */

enum { FB_FIELDS = 16, FB_ALIGN_MOST = 16 };

typedef struct fb {
  ten_buf reversed; /* the bytes, last first */
  fb_place fields[FB_FIELDS];
  uint32_t field_count; /* one more than the last field that was set */
  bool too_large;       /* more than 2 GiB: offsets do not reach */
} fb;

/* Vectors. */
fb_place fb_bytes(fb *b, const void *data, size_t size, size_t align);
fb_place fb_string(fb *b, ten_str text);
fb_place fb_i32s(fb *b, size_t count, const int32_t *values);
fb_place fb_i64s(fb *b, size_t count, const int64_t *values);
fb_place fb_f32s(fb *b, size_t count, const float *values);
fb_place fb_places(fb *b, size_t count, const fb_place *values);

void fb_table_begin(fb *b);
fb_place fb_table_end(fb *b);
/* Fields of the table that is open, by their number in the schema. */
void fb_u8(fb *b, uint32_t field, uint8_t value);
void fb_i32(fb *b, uint32_t field, int32_t value);
void fb_f32(fb *b, uint32_t field, float value);
void fb_to(fb *b, uint32_t field, fb_place place); /* 0: the field is absent */

/* The finished bytes, appended to `out`; frees the builder. False: too large. */
bool fb_finish(fb *b, fb_place root, const char identifier[4], ten_buf *out);

#endif
