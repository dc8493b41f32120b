/* proto.c: protocol-buffer fields. */
#include "base/proto.h"

static bool varint(ten_str *from, uint64_t *out) {
  *out = 0;
  for (unsigned shift = 0; shift < 64 && from->size; shift += 7) {
    const unsigned char byte = (unsigned char)*from->data;
    from->data++;
    from->size--;
    *out |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80)) return true;
  }
  return false;
}

static bool fixed(ten_str *from, size_t size, uint64_t *out) {
  *out = 0;
  if (from->size < size) return false;
  memcpy(out, from->data, size); /* little-endian, like the host */
  from->data += size;
  from->size -= size;
  return true;
}

bool ten_proto_next(ten_str *message, ten_proto_field *out_field) {
  ten_str rest = *message;
  uint64_t tag;
  if (!rest.size || !varint(&rest, &tag)) return false;
  *out_field = (ten_proto_field){.number = (uint32_t)(tag >> 3), .wire = (uint32_t)(tag & 7)};
  switch (out_field->wire) {
    case 0:
      if (!varint(&rest, &out_field->value)) return false;
      break;
    case 1:
      if (!fixed(&rest, 8, &out_field->value)) return false;
      break;
    case 5:
      if (!fixed(&rest, 4, &out_field->value)) return false;
      break;
    case 2: {
      uint64_t size;
      if (!varint(&rest, &size) || size > rest.size) return false;
      out_field->bytes = (ten_str){rest.data, (size_t)size};
      rest.data += size;
      rest.size -= (size_t)size;
      break;
    }
    default: return false;
  }
  *message = rest;
  return true;
}

bool ten_proto_packed(ten_str *packed, uint64_t *out) { return varint(packed, out); }

uint64_t ten_proto_varint(ten_str message, uint32_t number, uint64_t otherwise) {
  ten_proto_field field;
  while (ten_proto_next(&message, &field))
    if (field.number == number && field.wire == 0) otherwise = field.value;
  return otherwise;
}

ten_str ten_proto_bytes(ten_str message, uint32_t number) {
  ten_proto_field field;
  ten_str found = {0};
  while (ten_proto_next(&message, &field))
    if (field.number == number && field.wire == 2) found = field.bytes;
  return found;
}

static void put(ten_buf *out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) ten_buf_addc(out, (char)(value | 0x80));
  ten_buf_addc(out, (char)value);
}

void ten_proto_put_varint(ten_buf *out, uint32_t number, uint64_t value) {
  put(out, (uint64_t)number << 3);
  put(out, value);
}

void ten_proto_put_head(ten_buf *out, uint32_t number, size_t size) {
  put(out, (uint64_t)number << 3 | 2);
  put(out, size);
}

void ten_proto_put_bytes(ten_buf *out, uint32_t number, ten_str bytes) {
  ten_proto_put_head(out, number, bytes.size);
  ten_buf_addstr(out, bytes);
}
