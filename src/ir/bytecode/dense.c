/* dense.c: converts elements from MLIR's layout to ours. The layouts differ in few places: i1 is packed eight to a byte
 * in files (a splat is 0x00 or 0xff), integers of less than a byte are zero-extended, tf32 takes three bytes. */
#include "base/hash.h"
#include "base/size.h"
#include "ir/bytecode/reader.h"

/* A constant of LARGE bytes is hashed when it is read; one below SMALL bytes is copied: reading it in place would map
 * many pages around it, which belong to large constants that are no longer needed. */
enum { LARGE = 1 << 18, SMALL = 1 << 15 };

static size_t stored_bytes(ten_dtype dtype) { return dtype == TEN_TF32 ? 3 : ten_dtype_bytes(dtype); }

/* The significant bits of each byte; 0 for all. */
static uint8_t byte_mask(ten_dtype dtype) {
  const unsigned bits = ten_dtype_bits(dtype);
  return bits < 8 ? (uint8_t)((1u << bits) - 1) : 0;
}

static const ten_attr *packed_bools(bc_reader *reader, const ten_type *type, size_t count, ten_str raw) {
  const uint8_t *from = (const uint8_t *)raw.data;
  const bool one_byte = raw.size == 1;
  if (one_byte && count != 1 && (from[0] == 0xff || from[0] == 0 || count > 8)) {
    const uint8_t value = from[0] != 0;
    return ten_attr_dense(reader->module, type, &value, 1);
  }
  if (raw.size != count && raw.size != count / 8 + (count % 8 != 0)) {
    bc_fail(reader, "%zu bytes hold a constant of %zu booleans", raw.size, count);
    return NULL;
  }
  uint8_t *to = ten_arena_try(&reader->module->arena, count);
  if (!to) {
    bc_fail(reader, "out of memory: a constant takes %zu bytes", count);
    return NULL;
  }
  if (raw.size == count)
    for (size_t i = 0; i < count; i++) to[i] = from[i] != 0;
  else
    for (size_t i = 0; i < count; i++) to[i] = from[i / 8] >> (i % 8) & 1;
  return ten_attr_dense_view(reader->module, type, to, count, false);
}

/* Copies `count` elements into the layout of dtype.h. */
static const void *relaid(bc_reader *reader, ten_dtype dtype, size_t count, const uint8_t *from) {
  const size_t bytes = ten_dtype_bytes(dtype), stored = stored_bytes(dtype);
  uint8_t *to = ten_arena_try(&reader->module->arena, count * bytes);
  if (!to) {
    bc_fail(reader, "out of memory: a constant takes %zu bytes", count * bytes);
    return NULL;
  }
  const uint8_t mask = byte_mask(dtype);
  if (stored != bytes) {
    memset(to, 0, count * bytes);
    for (size_t i = 0; i < count; i++) memcpy(to + i * bytes, from + i * stored, stored);
  } else if (mask) {
    for (size_t i = 0; i < count; i++) to[i] = (uint8_t)bc_int_of(dtype, from[i] & mask);
  } else if (count) {
    memcpy(to, from, count * bytes);
  }
  return to;
}

static bool is_as_ours(bc_reader *reader, ten_dtype dtype, const uint8_t *data) {
  if (!reader->borrow || byte_mask(dtype) || stored_bytes(dtype) != ten_dtype_bytes(dtype)) return false;
  return ten_dtype_is_aligned(dtype, data);
}

static bool element_count(bc_reader *reader, const ten_type *type, size_t *count) {
  const int64_t elements =
      type && ten_type_is_static(type) && !type->quant && type->dtype ? ten_type_count(type) : INT64_MAX;
  if (elements < 0 || elements == INT64_MAX || ten_type_bytes(type) == SIZE_MAX) {
    bc_fail(reader, "a constant has a type that no constant can have");
    return false;
  }
  *count = (size_t)elements;
  return true;
}

static const ten_attr *sized(bc_reader *reader, const ten_type *type, size_t count, ten_str raw, bool may_splat) {
  const size_t stored = stored_bytes(type->dtype);
  size_t whole;
  const bool splat = may_splat && raw.size == stored && count != 1; /* also with no elements */
  if (!splat && (!ten_mul(count, stored, &whole) || whole != raw.size)) {
    bc_fail(reader, "%zu bytes hold a constant of %zu elements of %s", raw.size, count, ten_dtype_name(type->dtype));
    return NULL;
  }
  const size_t kept = splat ? 1 : count;
  const uint8_t *from = (const uint8_t *)raw.data;
  if (!splat && raw.size >= LARGE && is_as_ours(reader, type->dtype, from)) /* read once here, not by every pass */
    return ten_attr_dense_known(reader->module, type, from, raw.size, ten_hash64(from, raw.size, 0) | 1, NULL);
  const bool stays = raw.size >= SMALL && is_as_ours(reader, type->dtype, from);
  const void *data = stays ? from : relaid(reader, type->dtype, kept, from);
  return data ? ten_attr_dense_view(reader->module, type, data, kept * ten_dtype_bytes(type->dtype), splat) : NULL;
}

const ten_attr *bc_dense(bc_reader *reader, const ten_type *type, ten_str raw) {
  size_t count;
  if (reader->error || !element_count(reader, type, &count)) return NULL;
  if (type->dtype == TEN_I1) return packed_bools(reader, type, count, raw);
  return sized(reader, type, count, raw, true);
}

const ten_attr *bc_dense_resource(bc_reader *reader, const ten_type *type, const bc_resource *resource) {
  size_t count;
  if (reader->error || !element_count(reader, type, &count)) return NULL;
  if (!resource->data) return ten_attr_resource(reader->module, type, resource->key, NULL, 0);
  const ten_attr *dense = sized(reader, type, count, (ten_str){(const char *)resource->data, resource->size}, false);
  return dense ? ten_attr_resource(reader->module, type, resource->key, dense->dense.data, dense->dense.size) : NULL;
}
