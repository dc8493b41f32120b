/* builtin_attrs.c: attributes and locations of the builtin dialect. */
#include "base/float.h"
#include "ir/bytecode/reader.h"

static const ten_attr *dict(bc_bytes *bytes) {
  bc_reader *reader = bytes->reader;
  const size_t count = bc_count(bytes, "named attributes");
  ten_named_attr *items = ten_arena_new_array(&reader->scratch, ten_named_attr, count);
  for (size_t i = 0; i < count && bc_ok(bytes); i++) {
    items[i].name = bc_attr_string(bytes);
    items[i].value = bc_attr(bytes);
  }
  return bc_ok(bytes) ? ten_attr_dict(reader->module, count, items) : NULL;
}

static const ten_attr *symbol(bc_bytes *bytes, bool nested) {
  bc_reader *reader = bytes->reader;
  const ten_str root = bc_attr_string(bytes);
  if (!nested) return ten_attr_symbol(reader->module, root);
  size_t count;
  const ten_attr **rest = bc_attrs(bytes, &count);
  if (!bc_ok(bytes)) return NULL;
  ten_str *path = ten_arena_new_array(&reader->scratch, ten_str, count + 1);
  path[0] = root;
  for (size_t i = 0; i < count; i++) {
    if (rest[i]->kind != TEN_ATTR_SYMBOL) bc_fail(reader, "a part of a nested symbol is not a symbol");
    path[i + 1] = ten_attr_as_string(rest[i]);
  }
  return ten_attr_symbol_path(reader->module, count + 1, path);
}

static const ten_attr *integer(bc_bytes *bytes) {
  bc_reader *reader = bytes->reader;
  const ten_type *type = bc_type(bytes);
  if (!type) return NULL;
  if (type->kind == TEN_TYPE_SCALAR && (ten_dtype_is_int(type->dtype) || type->dtype == TEN_I1))
    return ten_attr_int(reader->module, bc_int_of(type->dtype, bc_bits(bytes, ten_dtype_bits(type->dtype))), type);
  /* Signed and odd widths are preserved; values must fit in 64 bits. */
  const ten_str text = type->kind == TEN_TYPE_OPAQUE ? type->text : (ten_str){0};
  const bool is_signed = text.size > 1 && text.data[0] == 's';
  unsigned width = 0;
  for (size_t i = 0; i < text.size && width < 1000; i++)
    if (text.data[i] >= '0' && text.data[i] <= '9') width = width * 10 + (unsigned)(text.data[i] - '0');
  if (!width || width > 64) {
    bc_fail(reader, "an integer attribute of %u bits is not supported: 1 to 64 are", width);
    return NULL;
  }
  uint64_t bits = bc_bits(bytes, width);
  if (is_signed && width < 64 && bits >> (width - 1)) bits |= ~UINT64_C(0) << width;
  return ten_attr_int(reader->module, (int64_t)bits, type);
}

static const ten_attr *real(bc_bytes *bytes) {
  const ten_type *type = bc_type(bytes);
  if (!type) return NULL;
  if (type->kind != TEN_TYPE_SCALAR || !ten_dtype_is_float(type->dtype)) {
    bc_fail(bytes->reader, "a float attribute has a type that is not a float");
    return NULL;
  }
  const uint64_t bits = bc_bits(bytes, ten_dtype_bits(type->dtype));
  return ten_attr_float(bytes->reader->module, ten_float_decode(type->dtype, &bits), type);
}

static const ten_attr *list(bc_bytes *bytes) {
  const ten_type *type = bc_type(bytes);
  const uint64_t count = bc_varint(bytes);
  const ten_str raw = bc_blob(bytes);
  if (!bc_ok(bytes)) return NULL;
  const size_t size = type->kind == TEN_TYPE_SCALAR ? ten_dtype_bytes(type->dtype) : 0;
  if (!size || raw.size % size || raw.size / size != count) {
    bc_fail(bytes->reader, "an array of %llu elements has %zu bytes", (unsigned long long)count, raw.size);
    return NULL;
  }
  return ten_attr_list(bytes->reader->module, type->dtype, (size_t)count, raw.data);
}

static const ten_attr *resource(bc_bytes *bytes) {
  bc_reader *reader = bytes->reader;
  const ten_type *type = bc_type(bytes);
  const uint64_t index = bc_varint(bytes);
  if (!bc_ok(bytes)) return NULL;
  if (index >= reader->resources.count) {
    bc_fail(reader, "resource %llu is out of range: there are %zu", (unsigned long long)index, reader->resources.count);
    return NULL;
  }
  return bc_dense_resource(reader, type, &reader->resources.data[index]);
}

static uint32_t line_of(bc_bytes *bytes) {
  const uint64_t value = bc_varint(bytes);
  if (value > UINT32_MAX)
    bc_fail(bytes->reader, "a location's line or column is %llu; at most 2^32 - 1 is allowed",
            (unsigned long long)value);
  return (uint32_t)value;
}

static const ten_attr *located(bc_bytes *bytes, ten_loc loc) {
  bc_reader *reader = bytes->reader;
  if (reader->error) return NULL;
  return ten_attr_loc(reader->module, ten_arena_copy(&reader->module->arena, &loc, sizeof loc));
}

/* Names in locations are already attributes of the module, so they are shared. */
static const ten_attr *file_loc(bc_bytes *bytes) {
  ten_loc loc = {.kind = TEN_LOC_FILE, .name = bc_attr_string(bytes)};
  loc.line = line_of(bytes);
  loc.column = line_of(bytes);
  return located(bytes, loc);
}

/* Omitted fields: no line, no column; an end on the same line; an end equal to the start. */
static const ten_attr *range_loc(bc_bytes *bytes) {
  ten_loc loc = {.kind = TEN_LOC_FILE, .name = bc_attr_string(bytes)};
  const size_t count = bc_count(bytes, "positions");
  uint32_t at[4] = {0};
  if (count > 4) bc_fail(bytes->reader, "a location has %zu positions; 0 to 4 are allowed", count);
  for (size_t i = 0; i < count && bc_ok(bytes); i++) at[i] = line_of(bytes);
  loc.line = at[0];
  loc.column = at[1];
  if (count == 3) loc.end_line = at[0], loc.end_column = at[2];
  if (count == 4) loc.end_line = at[2], loc.end_column = at[3];
  return located(bytes, loc);
}

static const ten_attr *fused_loc(bc_bytes *bytes, bool has_metadata) {
  bc_reader *reader = bytes->reader;
  ten_loc loc = {.kind = TEN_LOC_FUSED, .part_count = bc_count(bytes, "locations")};
  const ten_loc **parts = ten_arena_new_array(&reader->module->arena, const ten_loc *, loc.part_count);
  for (size_t i = 0; i < loc.part_count && bc_ok(bytes); i++) parts[i] = bc_loc(bytes);
  loc.parts = parts;
  if (has_metadata) loc.metadata = bc_attr(bytes);
  return located(bytes, loc);
}

static const ten_attr *call_loc(bc_bytes *bytes) {
  ten_loc loc = {.kind = TEN_LOC_CALL};
  loc.first = bc_loc(bytes);
  loc.second = bc_loc(bytes);
  return located(bytes, loc);
}

static const ten_attr *name_loc(bc_bytes *bytes) {
  ten_loc loc = {.kind = TEN_LOC_NAME, .name = bc_attr_string(bytes)};
  loc.first = bc_loc(bytes);
  return located(bytes, loc);
}

/* Codes of the builtin dialect's attributes. */
enum {
  ARRAY,
  DICT,
  STRING,
  TYPED_STRING,
  FLAT_SYMBOL,
  SYMBOL,
  TYPE,
  UNIT,
  INTEGER,
  FLOAT,
  CALL_LOC,
  FILE_LOC,
  FUSED_LOC,
  FUSED_META_LOC,
  NAME_LOC,
  UNKNOWN_LOC,
  RESOURCE,
  LIST,
  DENSE,
  DENSE_STRING,
  SPARSE,
  DISTINCT,
  RANGE_LOC
};

const ten_attr *bc_builtin_attr(bc_bytes *bytes) {
  ten_module *module = bytes->reader->module;
  const uint64_t code = bc_varint(bytes);
  if (!bc_ok(bytes)) return NULL;
  switch (code) {
    case ARRAY: {
      size_t count;
      const ten_attr **items = bc_attrs(bytes, &count);
      return ten_attr_array(module, count, items);
    }
    case DICT: return dict(bytes);
    case STRING: return ten_attr_string(module, bc_string(bytes));
    case TYPED_STRING: {
      const ten_attr *text = ten_attr_string(module, bc_string(bytes));
      bc_type(bytes); /* a string's type has no meaning in the dialects read here */
      return text;
    }
    case FLAT_SYMBOL: return symbol(bytes, false);
    case SYMBOL: return symbol(bytes, true);
    case TYPE: {
      const ten_type *type = bc_type(bytes);
      return type ? ten_attr_type(module, type) : NULL;
    }
    case UNIT: return ten_attr_unit(module);
    case INTEGER: return integer(bytes);
    case FLOAT: return real(bytes);
    case CALL_LOC: return call_loc(bytes);
    case FILE_LOC: return file_loc(bytes);
    case FUSED_LOC: return fused_loc(bytes, false);
    case FUSED_META_LOC: return fused_loc(bytes, true);
    case NAME_LOC: return name_loc(bytes);
    case UNKNOWN_LOC: return ten_attr_loc(module, NULL);
    case RESOURCE: return resource(bytes);
    case LIST: return list(bytes);
    case DENSE: {
      const ten_type *type = bc_type(bytes);
      return bc_dense(bytes->reader, type, bc_blob(bytes));
    }
    case DISTINCT: return bc_attr(bytes);
    case RANGE_LOC: return range_loc(bytes);
    default:
      bc_fail(bytes->reader, "builtin attribute code %llu is not known here", (unsigned long long)code);
      return NULL;
  }
}
