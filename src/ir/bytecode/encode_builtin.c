/* encode_builtin.c: types, attributes and locations in the encodings of the builtin dialect and StableHLO. Used for a
 * module's own attributes, for every location, and for ops of other dialects. What has no encoding is written as
 * text. */
#include "base/float.h"
#include "ir/bytecode/writer.h"
#include "ir/text/text.h"

enum { MODE_PLAIN = 2 };

enum {
  CODE_ARRAY,
  CODE_DICT,
  CODE_STRING,
  CODE_TYPED_STRING,
  CODE_FLAT_SYMBOL,
  CODE_SYMBOL,
  CODE_TYPE,
  CODE_UNIT,
  CODE_INTEGER,
  CODE_FLOAT,
  CODE_CALL_LOC,
  CODE_FILE_LOC,
  CODE_FUSED_LOC,
  CODE_FUSED_META_LOC,
  CODE_NAME_LOC,
  CODE_UNKNOWN_LOC,
  CODE_RESOURCE,
  CODE_LIST,
  CODE_DENSE,
  CODE_RANGE_LOC = 22
};

enum {
  CODE_INTEGER_TYPE = 0,
  CODE_FUNCTION_TYPE = 2,
  CODE_COMPLEX_TYPE = 9,
  CODE_NONE_TYPE = 12,
  CODE_TENSOR_TYPE = 13,
  CODE_TENSOR_ENCODED_TYPE = 14,
  CODE_TUPLE_TYPE = 15,
  CODE_UNRANKED_TYPE = 18
};

static uint32_t type_text(bw_writer *writer, const ten_type *type) {
  ten_buf text = {0};
  ten_type_print(&text, type);
  const uint32_t index = bw_text(writer, &writer->types, (ten_str){text.data, text.size});
  ten_buf_free(&text);
  return index;
}

static uint32_t attr_text(bw_writer *writer, const ten_attr *attr) {
  ten_buf text = {0};
  ten_attr_print(&text, attr);
  const uint32_t index = bw_text(writer, &writer->attrs, (ten_str){text.data, text.size});
  ten_buf_free(&text);
  return index;
}

static uint32_t scalar(bw_writer *writer, const ten_type *type) {
  enum { SIGNLESS, SIGNED, UNSIGNED };
  const ten_dtype dtype = type->dtype;
  const ten_dclass class = ten_dtype_class(dtype);
  uint32_t part = 0;
  if (class == TEN_CLASS_COMPLEX) part = bw_plain_type(writer, ten_type_scalar(writer->scratch, ten_dtype_part(dtype)));
  const size_t begin = bw_begin(writer);
  if (class == TEN_CLASS_COMPLEX) {
    bw_put(writer, BW_VARINT, CODE_COMPLEX_TYPE);
    bw_put(writer, BW_TYPE, part);
  } else if (class != TEN_CLASS_FLOAT && dtype != TEN_INDEX) {
    bw_put(writer, BW_VARINT, CODE_INTEGER_TYPE);
    bw_put(writer, BW_VARINT, ten_dtype_bits(dtype) << 2 | (class == TEN_CLASS_UINT ? UNSIGNED : SIGNLESS));
  } else {
    enum { OLD_CODES_END = 21 }; /* readers support the codes of small floats before writers use them: write text */
    for (size_t i = 0; i < builtin_scalar_count; i++)
      if (builtin_scalars[i].dtype == dtype && builtin_scalars[i].code < OLD_CODES_END)
        bw_put(writer, BW_VARINT, builtin_scalars[i].code);
    if (bw_begin(writer) == begin) return type_text(writer, type);
  }
  return bw_end(writer, &writer->types, "builtin", begin);
}

static uint32_t tensor_type(bw_writer *writer, const ten_type *type) {
  const uint32_t element = bw_plain_type(writer, type->element);
  const uint32_t encoding = type->encoding ? bw_plain_attr(writer, type->encoding) : 0;
  const size_t begin = bw_begin(writer);
  bw_put(writer, BW_VARINT,
         !type->ranked    ? CODE_UNRANKED_TYPE
         : type->encoding ? CODE_TENSOR_ENCODED_TYPE
                          : CODE_TENSOR_TYPE);
  if (type->encoding) bw_put(writer, BW_ATTR, encoding);
  if (type->ranked) bw_put_dims(writer, (ten_ints){type->dims, type->rank});
  bw_put(writer, BW_TYPE, element);
  return bw_end(writer, &writer->types, "builtin", begin);
}

static const uint32_t *encode_types(bw_writer *writer, size_t count, const ten_type *const *types) {
  uint32_t *list = ten_arena_new_array(&writer->arena, uint32_t, count);
  for (size_t i = 0; i < count; i++) list[i] = bw_plain_type(writer, types[i]);
  return list;
}

static void put_types(bw_writer *writer, size_t count, const uint32_t *types) {
  bw_put(writer, BW_VARINT, count);
  for (size_t i = 0; i < count; i++) bw_put(writer, BW_TYPE, types[i]);
}

static uint32_t tupled(bw_writer *writer, const ten_type *type) {
  enum { FUTURE = 1 };
  const uint32_t *inputs = encode_types(writer, type->input_count, type->inputs);
  const uint32_t *results = encode_types(writer, type->result_count, type->results);
  const bool is_function = type->kind == TEN_TYPE_FUNCTION, is_future = type->kind == TEN_TYPE_FUTURE;
  const size_t begin = bw_begin(writer);
  bw_put(writer, BW_VARINT, is_function ? CODE_FUNCTION_TYPE : is_future ? FUTURE : CODE_TUPLE_TYPE);
  put_types(writer, type->input_count, inputs);
  if (is_function) put_types(writer, type->result_count, results);
  return bw_end(writer, &writer->types, is_future ? "stablehlo" : "builtin", begin);
}

static uint32_t simple_type(bw_writer *writer, const char *dialect, uint64_t code) {
  const size_t begin = bw_begin(writer);
  bw_put(writer, BW_VARINT, code);
  return bw_end(writer, &writer->types, dialect, begin);
}

static uint32_t encode_type(bw_writer *writer, const ten_type *type) {
  switch (type->kind) {
    case TEN_TYPE_SCALAR: return scalar(writer, type);
    case TEN_TYPE_TENSOR: return tensor_type(writer, type);
    case TEN_TYPE_TUPLE:
    case TEN_TYPE_FUNCTION:
    case TEN_TYPE_FUTURE: return tupled(writer, type);
    case TEN_TYPE_TOKEN: return simple_type(writer, "stablehlo", 0);
    case TEN_TYPE_NONE: return simple_type(writer, "builtin", CODE_NONE_TYPE);
    case TEN_TYPE_QUANT:
    case TEN_TYPE_BUFFER:
    case TEN_TYPE_OPAQUE: return type_text(writer, type);
  }
  return 0;
}

uint32_t bw_plain_type(bw_writer *writer, const ten_type *type) {
  if (writer->error) return 0;
  const uint32_t known = bw_memo_get(writer, type, MODE_PLAIN);
  if (known != BW_NONE) return known;
  const uint32_t index = encode_type(writer, type);
  if (!writer->error) bw_memo_set(writer, type, MODE_PLAIN, index);
  return index;
}

static uint32_t end(bw_writer *writer, size_t begin) { return bw_end(writer, &writer->attrs, "builtin", begin); }

static uint32_t string(bw_writer *writer, ten_str text) {
  const size_t begin = bw_begin(writer);
  bw_put(writer, BW_VARINT, CODE_STRING);
  bw_put_string(writer, text);
  return end(writer, begin);
}

static uint32_t flat_symbol(bw_writer *writer, ten_str name) {
  const uint32_t text = string(writer, name);
  const size_t begin = bw_begin(writer);
  bw_put(writer, BW_VARINT, CODE_FLAT_SYMBOL);
  bw_put(writer, BW_ATTR, text);
  return end(writer, begin);
}

static uint32_t symbol(bw_writer *writer, const ten_attr *attr) {
  const size_t count = attr->symbol.count;
  if (count < 2) return flat_symbol(writer, ten_attr_as_string(attr));
  const uint32_t root = string(writer, attr->symbol.path[0]);
  uint32_t *rest = ten_arena_new_array(&writer->arena, uint32_t, count);
  for (size_t i = 1; i < count; i++) rest[i] = flat_symbol(writer, attr->symbol.path[i]);
  const size_t begin = bw_begin(writer);
  bw_put(writer, BW_VARINT, CODE_SYMBOL);
  bw_put(writer, BW_ATTR, root);
  bw_put(writer, BW_VARINT, count - 1);
  for (size_t i = 1; i < count; i++) bw_put(writer, BW_ATTR, rest[i]);
  return end(writer, begin);
}

static uint32_t array(bw_writer *writer, const ten_attr *attr) {
  uint32_t *items = ten_arena_new_array(&writer->arena, uint32_t, attr->array.count);
  for (size_t i = 0; i < attr->array.count; i++) items[i] = bw_plain_attr(writer, attr->array.items[i]);
  const size_t begin = bw_begin(writer);
  bw_put(writer, BW_VARINT, CODE_ARRAY);
  bw_put(writer, BW_VARINT, attr->array.count);
  for (size_t i = 0; i < attr->array.count; i++) bw_put(writer, BW_ATTR, items[i]);
  return end(writer, begin);
}

uint32_t bw_plain_dict(bw_writer *writer, size_t count, const ten_named_attr *items,
                       uint32_t (*encode)(bw_writer *, const ten_attr *)) {
  uint32_t *pairs = ten_arena_new_array(&writer->arena, uint32_t, count * 2);
  for (size_t i = 0; i < count; i++) {
    pairs[2 * i] = string(writer, items[i].name);
    pairs[2 * i + 1] = encode(writer, items[i].value);
  }
  const size_t begin = bw_begin(writer);
  bw_put(writer, BW_VARINT, CODE_DICT);
  bw_put(writer, BW_VARINT, count);
  for (size_t i = 0; i < count * 2; i++) bw_put(writer, BW_ATTR, pairs[i]);
  return end(writer, begin);
}

static uint32_t number(bw_writer *writer, const ten_type *type, uint64_t code, uint64_t bits, unsigned width) {
  const uint32_t encoded = bw_plain_type(writer, type);
  const size_t begin = bw_begin(writer);
  bw_put(writer, BW_VARINT, code);
  bw_put(writer, BW_TYPE, encoded);
  bw_put_bits(writer, width, bits);
  return end(writer, begin);
}

static uint32_t real(bw_writer *writer, const ten_attr *attr) {
  uint64_t bits = 0;
  const ten_dtype dtype = attr->real.type->dtype;
  if (attr->real.type->kind != TEN_TYPE_SCALAR || !ten_dtype_is_float(dtype)) return attr_text(writer, attr);
  ten_float_encode(dtype, attr->real.value, &bits);
  return number(writer, attr->real.type, CODE_FLOAT, bits, ten_dtype_bits(dtype));
}

static uint32_t dense(bw_writer *writer, const ten_attr *attr) {
  if (!attr->dense.data && attr->dense.size) bw_fail(writer, "a constant has no data");
  const uint32_t type = bw_plain_type(writer, attr->dense.type);
  if (writer->error) return 0;
  const size_t begin = bw_begin(writer);
  bw_put(writer, BW_VARINT, CODE_DENSE);
  bw_put(writer, BW_TYPE, type);
  bw_put_elements(writer, attr);
  return end(writer, begin);
}

static uint32_t list(bw_writer *writer, const ten_attr *attr) {
  const uint32_t type = bw_plain_type(writer, ten_type_scalar(writer->scratch, attr->list.dtype));
  const size_t begin = bw_begin(writer);
  bw_put(writer, BW_VARINT, CODE_LIST);
  bw_put(writer, BW_TYPE, type);
  bw_put(writer, BW_VARINT, attr->list.count);
  bw_put_blob(writer, attr->list.data, attr->list.count * ten_dtype_bytes(attr->list.dtype));
  return end(writer, begin);
}

static uint32_t bounds(bw_writer *writer, const ten_attr *attr) {
  enum { BOUNDS = 13 };
  const size_t begin = bw_begin(writer);
  bw_put(writer, BW_VARINT, BOUNDS);
  bw_put_dims(writer, ten_attr_as_ints(attr->record.fields[0]));
  return bw_end(writer, &writer->attrs, "stablehlo", begin);
}

static uint32_t encode_attr(bw_writer *writer, const ten_attr *attr) {
  const size_t begin = bw_begin(writer);
  switch (attr->kind) {
    case TEN_ATTR_UNIT: bw_put(writer, BW_VARINT, CODE_UNIT); return end(writer, begin);
    case TEN_ATTR_INT: {
      const ten_type *type = attr->integer.type;
      if (type->kind != TEN_TYPE_SCALAR) return attr_text(writer, attr);
      return number(writer, type, CODE_INTEGER, (uint64_t)attr->integer.value, ten_dtype_bits(type->dtype));
    }
    case TEN_ATTR_FLOAT: return real(writer, attr);
    case TEN_ATTR_STRING: return string(writer, attr->string);
    case TEN_ATTR_TYPE: {
      const uint32_t type = bw_plain_type(writer, attr->type);
      bw_put(writer, BW_VARINT, CODE_TYPE);
      bw_put(writer, BW_TYPE, type);
      return end(writer, begin);
    }
    case TEN_ATTR_SYMBOL: return symbol(writer, attr);
    case TEN_ATTR_ARRAY: return array(writer, attr);
    case TEN_ATTR_DICT: return bw_plain_dict(writer, attr->dict.count, attr->dict.items, bw_plain_attr);
    case TEN_ATTR_DENSE: return dense(writer, attr);
    case TEN_ATTR_RESOURCE:
      if (!attr->dense.data) bw_fail(writer, "the data of resource %.*s is not there", TEN_FMT(attr->dense.resource));
      return dense(writer, attr);
    case TEN_ATTR_LIST: return list(writer, attr);
    case TEN_ATTR_STRUCT:
      if (attr->record.id == TEN_STRUCT_TYPE_EXTENSIONS) return bounds(writer, attr);
      return attr_text(writer, attr);
    case TEN_ATTR_ENUM: return attr_text(writer, attr);
    case TEN_ATTR_LOC: return bw_loc(writer, attr->loc);
    case TEN_ATTR_OPAQUE: return bw_text(writer, &writer->attrs, attr->string);
  }
  return 0;
}

uint32_t bw_plain_attr(bw_writer *writer, const ten_attr *attr) {
  if (writer->error) return 0;
  const uint32_t known = bw_memo_get(writer, attr, MODE_PLAIN);
  if (known != BW_NONE) return known;
  const uint32_t index = encode_attr(writer, attr);
  if (!writer->error) bw_memo_set(writer, attr, MODE_PLAIN, index);
  return index;
}

/* Readers know ranges from 1.9.0 on; before that, write the start only. */
static uint32_t file_loc(bw_writer *writer, const ten_loc *loc) {
  const uint32_t name = string(writer, loc->name);
  const bool is_range = loc->end_line && (loc->end_line != loc->line || loc->end_column != loc->column) &&
                        writer->target >= VHLO_VERSION(1, 9);
  const size_t begin = bw_begin(writer);
  bw_put(writer, BW_VARINT, is_range ? CODE_RANGE_LOC : CODE_FILE_LOC);
  bw_put(writer, BW_ATTR, name);
  if (is_range) bw_put(writer, BW_VARINT, loc->end_line == loc->line ? 3 : 4);
  bw_put(writer, BW_VARINT, loc->line);
  bw_put(writer, BW_VARINT, loc->column);
  if (is_range && loc->end_line != loc->line) bw_put(writer, BW_VARINT, loc->end_line);
  if (is_range) bw_put(writer, BW_VARINT, loc->end_column);
  return end(writer, begin);
}

static uint32_t fused_loc(bw_writer *writer, const ten_loc *loc) {
  uint32_t *parts = ten_arena_new_array(&writer->arena, uint32_t, loc->part_count);
  for (size_t i = 0; i < loc->part_count; i++) parts[i] = bw_loc(writer, loc->parts[i]);
  const uint32_t metadata = loc->metadata ? bw_plain_attr(writer, loc->metadata) : 0;
  const size_t begin = bw_begin(writer);
  bw_put(writer, BW_VARINT, loc->metadata ? CODE_FUSED_META_LOC : CODE_FUSED_LOC);
  bw_put(writer, BW_VARINT, loc->part_count);
  for (size_t i = 0; i < loc->part_count; i++) bw_put(writer, BW_ATTR, parts[i]);
  if (loc->metadata) bw_put(writer, BW_ATTR, metadata);
  return end(writer, begin);
}

static uint32_t encode_loc(bw_writer *writer, const ten_loc *loc) {
  if (loc && loc->kind == TEN_LOC_FILE) return file_loc(writer, loc);
  if (loc && loc->kind == TEN_LOC_FUSED) return fused_loc(writer, loc);
  if (!loc || loc->kind == TEN_LOC_OPAQUE) {
    const size_t begin = bw_begin(writer);
    bw_put(writer, BW_VARINT, CODE_UNKNOWN_LOC);
    return end(writer, begin);
  }
  const bool is_name = loc->kind == TEN_LOC_NAME;
  const uint32_t name = is_name ? string(writer, loc->name) : 0;
  const uint32_t first = bw_loc(writer, loc->first), second = is_name ? 0 : bw_loc(writer, loc->second);
  const size_t begin = bw_begin(writer);
  bw_put(writer, BW_VARINT, is_name ? CODE_NAME_LOC : CODE_CALL_LOC);
  if (is_name) bw_put(writer, BW_ATTR, name);
  bw_put(writer, BW_ATTR, first);
  if (!is_name) bw_put(writer, BW_ATTR, second);
  return end(writer, begin);
}

uint32_t bw_loc(bw_writer *writer, const ten_loc *loc) {
  const uint32_t known = loc ? bw_memo_get(writer, loc, MODE_PLAIN) : BW_NONE;
  if (known != BW_NONE) return known;
  const uint32_t index = encode_loc(writer, loc);
  if (loc) bw_memo_set(writer, loc, MODE_PLAIN, index);
  return index;
}
