/* bytes.c: the primitives of the format: variable-width integers, strings, sections. */
#include <stdlib.h>

#include "ir/bytecode/reader.h"

void bc_fail(bc_reader *reader, const char *format, ...) {
  if (reader->error) return;
  va_list args;
  va_start(args, format);
  reader->error = ten_error_v(TEN_INVALID, format, args);
  va_end(args);
}

bc_bytes bc_open(bc_reader *reader, ten_str range) {
  const uint8_t *data = (const uint8_t *)range.data;
  return (bc_bytes){data, data ? data + range.size : data, reader};
}

uint8_t bc_byte(bc_bytes *bytes) {
  if (!bc_ok(bytes)) return 0;
  if (bytes->at == bytes->end) {
    bc_fail(bytes->reader, "the data ends where a byte should follow");
    return 0;
  }
  return *bytes->at++;
}

uint64_t bc_varint(bc_bytes *bytes) {
  const uint8_t first = bc_byte(bytes);
  if (first & 1) return first >> 1;
  const unsigned extra = first ? (unsigned)__builtin_ctz(first) : 8;
  if (!bc_ok(bytes)) return 0;
  if (bc_left(bytes) < extra) {
    bc_fail(bytes->reader, "the data ends inside a number");
    return 0;
  }
  uint64_t rest = 0;
  for (unsigned i = 0; i < extra; i++) rest |= (uint64_t)*bytes->at++ << (8 * i);
  if (extra == 8) return rest;
  return ((rest << 8) | first) >> (extra + 1);
}

int64_t bc_svarint(bc_bytes *bytes) {
  const uint64_t value = bc_varint(bytes);
  return (int64_t)((value >> 1) ^ (~(value & 1) + 1));
}

uint64_t bc_flagged(bc_bytes *bytes, bool *flag) {
  const uint64_t value = bc_varint(bytes);
  *flag = value & 1;
  return value >> 1;
}

size_t bc_count(bc_bytes *bytes, const char *what) {
  const uint64_t count = bc_varint(bytes);
  if (count <= bc_left(bytes)) return (size_t)count;
  bc_fail(bytes->reader, "%llu %s are announced where %zu bytes are left", (unsigned long long)count, what,
          bc_left(bytes));
  return 0;
}

ten_str bc_take(bc_bytes *bytes, uint64_t size) {
  if (!bc_ok(bytes)) return (ten_str){0};
  if (size > bc_left(bytes)) {
    bc_fail(bytes->reader, "%llu bytes are announced where %zu are left", (unsigned long long)size, bc_left(bytes));
    return (ten_str){0};
  }
  const ten_str taken = {(const char *)bytes->at, (size_t)size};
  bytes->at += size;
  return taken;
}

ten_str bc_blob(bc_bytes *bytes) { return bc_take(bytes, bc_varint(bytes)); }

ten_str bc_string(bc_bytes *bytes) {
  const uint64_t index = bc_varint(bytes);
  if (!bc_ok(bytes)) return (ten_str){0};
  if (index < bytes->reader->string_count) return bytes->reader->strings[index];
  bc_fail(bytes->reader, "string %llu is out of range: there are %zu", (unsigned long long)index,
          bytes->reader->string_count);
  return (ten_str){0};
}

/* Padding is relative to the start of the file, whatever its address in memory. */
void bc_align(bc_bytes *bytes, uint64_t alignment) {
  if (!alignment || (alignment & (alignment - 1))) {
    bc_fail(bytes->reader, "alignment %llu is not a power of two", (unsigned long long)alignment);
    return;
  }
  while (bc_ok(bytes) && ((uint64_t)(bytes->at - bytes->reader->data) & (alignment - 1)))
    if (bc_byte(bytes) != 0xcb) bc_fail(bytes->reader, "a padding byte does not have the padding value");
}

int64_t *bc_ints(bc_bytes *bytes, size_t *count) {
  *count = bc_count(bytes, "integers");
  int64_t *values = ten_arena_new_array(&bytes->reader->scratch, int64_t, *count);
  for (size_t i = 0; i < *count; i++) values[i] = bc_svarint(bytes);
  return values;
}

const ten_attr *bc_dims(bc_bytes *bytes) {
  size_t count;
  const int64_t *values = bc_ints(bytes, &count);
  return ten_attr_dims(bytes->reader->module, count, values);
}

uint64_t bc_bits(bc_bytes *bytes, unsigned bits) {
  const uint64_t value = bits <= 8 ? bc_byte(bytes) : (uint64_t)bc_svarint(bytes);
  return bits >= 64 ? value : value & ((UINT64_C(1) << bits) - 1);
}

int64_t bc_int_of(ten_dtype dtype, uint64_t bits) {
  const unsigned width = ten_dtype_bits(dtype);
  if (width >= 64 || ten_dtype_class(dtype) != TEN_CLASS_SINT || !(bits >> (width - 1) & 1)) return (int64_t)bits;
  return (int64_t)(bits | ~UINT64_C(0) << width);
}

double bc_double(bc_bytes *bytes) {
  const uint64_t bits = bc_bits(bytes, 64);
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

bool bc_section(bc_bytes *bytes, unsigned *id, ten_str *data) {
  const uint8_t tag = bc_byte(bytes);
  const uint64_t size = bc_varint(bytes);
  *id = tag & 0x7f;
  if (*id >= BC_SECTION_COUNT) bc_fail(bytes->reader, "section %u is not known", *id);
  if (tag & 0x80) bc_align(bytes, bc_varint(bytes));
  *data = bc_take(bytes, size);
  return bc_ok(bytes);
}
