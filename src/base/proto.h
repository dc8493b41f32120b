/* proto.h: the protocol-buffer wire format, the subset that PJRT and remote devices need: reads and writes fields. */
#ifndef TEN_BASE_PROTO_H
#define TEN_BASE_PROTO_H

#include <stdint.h>

#include "base/str.h"

typedef struct ten_proto_field {
  uint32_t number;
  uint32_t wire;  /* 0 varint, 1 fixed 64, 2 bytes, 5 fixed 32 */
  uint64_t value; /* wires 0, 1, 5 */
  ten_str bytes;  /* wire 2 */
} ten_proto_field;

/* Reads the next field of `message`; false at its end, and when the rest is not a field (then message->size is not
 * 0). */
bool ten_proto_next(ten_str *message, ten_proto_field *out_field);
/* Reads the next number of a packed field; false at its end. */
bool ten_proto_packed(ten_str *packed, uint64_t *out);
/* The last varint field of that number, or `otherwise`. */
uint64_t ten_proto_varint(ten_str message, uint32_t number, uint64_t otherwise);
/* The last bytes field of that number, or nothing. */
ten_str ten_proto_bytes(ten_str message, uint32_t number);

void ten_proto_put_varint(ten_buf *out, uint32_t number, uint64_t value);
void ten_proto_put_bytes(ten_buf *out, uint32_t number, ten_str bytes);
/* The header of a field of `size` bytes that are written separately. */
void ten_proto_put_head(ten_buf *out, uint32_t number, size_t size);

#endif
