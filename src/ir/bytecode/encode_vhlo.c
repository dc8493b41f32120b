/* encode_vhlo.c: types and attributes in the portable format. Each code has a first release; an older target refuses
 * it. */
#include "base/float.h"
#include "ir/bytecode/reader.h"
#include "ir/bytecode/writer.h"

enum { MODE_TYPE, MODE_ATTR };

bool bw_check(bw_writer *writer, uint16_t since, const char *what) {
  if (since <= writer->target) return true;
  bw_fail(writer, "%s needs StableHLO %u.%u.0; the target is %u.%u.%u", what, since / 256u, since % 256u,
          writer->target_version.major, writer->target_version.minor, writer->target_version.patch);
  return false;
}

static void put_types(bw_writer *writer, size_t count, const uint32_t *types) {
  bw_put(writer, BW_VARINT, count);
  for (size_t i = 0; i < count; i++) bw_put(writer, BW_TYPE, types[i]);
}

static const uint32_t *encode_types(bw_writer *writer, size_t count, const ten_type *const *types) {
  uint32_t *list = ten_arena_new_array(&writer->arena, uint32_t, count);
  for (size_t i = 0; i < count; i++) list[i] = bw_vhlo_type(writer, types[i]);
  return list;
}

static uint32_t simple(bw_writer *writer, uint64_t code) {
  const size_t begin = bw_begin(writer);
  bw_put(writer, BW_VARINT, code);
  return bw_end(writer, &writer->types, "vhlo", begin);
}

static uint32_t scalar(bw_writer *writer, ten_dtype dtype) {
  if (ten_dtype_is_complex(dtype)) {
    const uint32_t part = scalar(writer, ten_dtype_part(dtype));
    const size_t begin = bw_begin(writer);
    bw_put(writer, BW_VARINT, VHLO_TYPE_COMPLEX);
    bw_put(writer, BW_TYPE, part);
    return bw_end(writer, &writer->types, "vhlo", begin);
  }
  for (size_t i = 0; i < vhlo_scalar_count; i++) {
    if (vhlo_scalars[i].dtype != dtype) continue;
    bw_check(writer, vhlo_scalars[i].since, ten_dtype_name(dtype));
    return simple(writer, vhlo_scalars[i].code);
  }
  bw_fail(writer, "%s has no form in portable artifacts", ten_dtype_name(dtype));
  return 0;
}

static uint32_t shaped(bw_writer *writer, const ten_type *type) {
  const uint32_t element = bw_vhlo_type(writer, type->element);
  const bool is_buffer = type->kind == TEN_TYPE_BUFFER;
  uint32_t encoding = 0;
  if (is_buffer) bw_check(writer, VHLO_VERSION(1, 13), "a buffer type");
  if (type->encoding) {
    const bool bounds =
        type->encoding->kind == TEN_ATTR_STRUCT && type->encoding->record.id == TEN_STRUCT_TYPE_EXTENSIONS;
    if (!bounds || is_buffer)
      bw_fail(writer, "a tensor's encoding other than bounds has no form in portable artifacts");
    else
      encoding = bw_vhlo_attr(writer, type->encoding);
  }
  const size_t begin = bw_begin(writer);
  if (!type->ranked) {
    if (is_buffer) bw_fail(writer, "a buffer without a rank has no form in portable artifacts");
    bw_put(writer, BW_VARINT, VHLO_TYPE_UNRANKED);
  } else {
    bw_put(writer, BW_VARINT,
           is_buffer        ? VHLO_TYPE_BUFFER
           : type->encoding ? VHLO_TYPE_TENSOR_ENCODED
                            : VHLO_TYPE_TENSOR);
    if (type->encoding && !writer->error) bw_put(writer, BW_ATTR, encoding);
    bw_put_dims(writer, (ten_ints){type->dims, type->rank});
  }
  bw_put(writer, BW_TYPE, element);
  return bw_end(writer, &writer->types, "vhlo", begin);
}

static void put_double(bw_writer *writer, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  bw_put_bits(writer, 64, bits);
}

static uint32_t quant(bw_writer *writer, const ten_quant *q) {
  const uint32_t storage = scalar(writer, bc_with_sign(q->storage, true)), expressed = scalar(writer, q->expressed);
  const bool per_axis = q->axis_count == 1 && !q->block_sizes;
  if (q->axis_count && !per_axis) bw_fail(writer, "sub-channel quantization has no form in portable artifacts");
  if (per_axis) bw_check(writer, VHLO_VERSION(0, 18), "quantization per axis");
  if (writer->error) return 0;
  const size_t begin = bw_begin(writer);
  bw_put(writer, BW_VARINT, per_axis ? VHLO_TYPE_QUANT_AXIS : VHLO_TYPE_QUANT);
  bw_put(writer, BW_VARINT, q->is_signed);
  bw_put(writer, BW_TYPE, storage);
  bw_put(writer, BW_TYPE, expressed);
  if (per_axis) {
    bw_put(writer, BW_VARINT, (uint64_t)q->axes[0]);
  } else {
    put_double(writer, q->scales[0]);
    bw_put_signed(writer, q->zero_points[0]);
  }
  bw_put_signed(writer, q->storage_min);
  bw_put_signed(writer, q->storage_max);
  if (per_axis) {
    bw_put(writer, BW_VARINT, q->count);
    for (size_t i = 0; i < q->count; i++) put_double(writer, q->scales[i]);
    bw_put_dims(writer, (ten_ints){q->zero_points, q->count});
  }
  return bw_end(writer, &writer->types, "vhlo", begin);
}

static uint32_t tupled(bw_writer *writer, uint64_t code, const ten_type *type) {
  const uint32_t *inputs = encode_types(writer, type->input_count, type->inputs);
  const uint32_t *results = encode_types(writer, type->result_count, type->results);
  const size_t begin = bw_begin(writer);
  bw_put(writer, BW_VARINT, code);
  put_types(writer, type->input_count, inputs);
  if (code == VHLO_TYPE_FUNCTION) put_types(writer, type->result_count, results);
  return bw_end(writer, &writer->types, "vhlo", begin);
}

static uint32_t encode_type(bw_writer *writer, const ten_type *type) {
  switch (type->kind) {
    case TEN_TYPE_SCALAR: return scalar(writer, type->dtype);
    case TEN_TYPE_QUANT: return quant(writer, type->quant);
    case TEN_TYPE_TENSOR:
    case TEN_TYPE_BUFFER: return shaped(writer, type);
    case TEN_TYPE_TUPLE: return tupled(writer, VHLO_TYPE_TUPLE, type);
    case TEN_TYPE_FUNCTION: return tupled(writer, VHLO_TYPE_FUNCTION, type);
    case TEN_TYPE_FUTURE:
      bw_check(writer, VHLO_VERSION(1, 15), "a future type");
      return tupled(writer, VHLO_TYPE_FUTURE, type);
    case TEN_TYPE_TOKEN: return simple(writer, VHLO_TYPE_TOKEN);
    case TEN_TYPE_NONE: bw_check(writer, VHLO_VERSION(1, 6), "the none type"); return simple(writer, VHLO_TYPE_NONE);
    case TEN_TYPE_OPAQUE:
      if (ten_str_is(type->text, "!shape.witness")) return simple(writer, VHLO_TYPE_WITNESS);
      if (type->text.size && type->text.data[0] == '!' && writer->target >= VHLO_VERSION(1, 11))
        return bw_plain_type(writer, type);
      bw_fail(writer, "type %.*s has no form in portable artifacts", TEN_FMT(type->text));
      return 0;
  }
  return 0;
}

uint32_t bw_vhlo_type(bw_writer *writer, const ten_type *type) {
  const uint32_t known = bw_memo_get(writer, type, MODE_TYPE);
  if (known != BW_NONE || writer->error) return known == BW_NONE ? 0 : known;
  const uint32_t index = encode_type(writer, type);
  if (!writer->error) bw_memo_set(writer, type, MODE_TYPE, index);
  return index;
}

static bool all_same(const ten_attr *dense, size_t element) {
  return dense->dense.size > element &&
         !memcmp(dense->dense.data, (const char *)dense->dense.data + element, dense->dense.size - element);
}

static void put_bools(bw_writer *writer, const ten_attr *dense, size_t count) {
  const uint8_t *from = dense->dense.data;
  const bool splat = dense->dense.splat || all_same(dense, 1);
  const size_t size = splat ? 1 : count / 8 + (count % 8 != 0);
  uint8_t *to = ten_arena_alloc(&writer->arena, size);
  if (splat)
    to[0] = count != 1 && from[0] ? 0xff : from[0];
  else
    for (size_t i = 0; i < count; i++) to[i / 8] = (uint8_t)(to[i / 8] | (from[i] != 0) << (i % 8));
  bw_put_blob(writer, to, size);
}

void bw_put_elements(bw_writer *writer, const ten_attr *dense) {
  const ten_dtype dtype = dense->dense.type->dtype;
  const size_t bytes = ten_dtype_bytes(dtype), stored = dtype == TEN_TF32 ? 3 : bytes;
  const unsigned bits = ten_dtype_bits(dtype);
  if (dtype == TEN_I1) {
    put_bools(writer, dense, (size_t)ten_type_count(dense->dense.type));
    return;
  }
  const size_t count = dense->dense.splat || all_same(dense, bytes) ? 1 : dense->dense.size / bytes;
  const uint8_t *from = dense->dense.data;
  if (stored == bytes && bits >= 8) {
    bw_put_blob(writer, from, count * bytes);
    return;
  }
  uint8_t *to = ten_arena_alloc(&writer->arena, count * stored);
  for (size_t i = 0; i < count; i++) {
    memcpy(to + i * stored, from + i * bytes, stored);
    if (bits < 8) to[i] &= (uint8_t)((1u << bits) - 1);
  }
  bw_put_blob(writer, to, count * stored);
}

static uint32_t tensor(bw_writer *writer, const ten_attr *attr) {
  if (!attr->dense.data && attr->dense.size) bw_fail(writer, "a constant has no data");
  if (attr->kind == TEN_ATTR_RESOURCE && !attr->dense.data) {
    bw_fail(writer, "the data of resource %.*s is not there", TEN_FMT(attr->dense.resource));
    return 0;
  }
  const uint32_t type = bw_vhlo_type(writer, attr->dense.type);
  if (writer->error) return 0;
  const size_t begin = bw_begin(writer);
  bw_put(writer, BW_VARINT, VHLO_ATTR_TENSOR);
  bw_put(writer, BW_TYPE, type);
  bw_put_elements(writer, attr);
  return bw_end(writer, &writer->attrs, "vhlo", begin);
}

/* array<i64: …> and array<i1: …> are tensors of one dimension. */
static uint32_t list(bw_writer *writer, const ten_attr *attr) {
  if (attr->list.dtype != TEN_I64 && attr->list.dtype != TEN_I1) {
    bw_fail(writer, "array<%s: …> has no form in portable artifacts", ten_dtype_name(attr->list.dtype));
    return 0;
  }
  const int64_t dims[1] = {(int64_t)attr->list.count};
  ten_attr dense = {.kind = TEN_ATTR_DENSE};
  dense.dense.type = ten_type_tensor(writer->scratch, attr->list.dtype, 1, dims);
  dense.dense.data = attr->list.data;
  dense.dense.size = attr->list.count * ten_dtype_bytes(attr->list.dtype);
  return tensor(writer, &dense);
}

static uint32_t array(bw_writer *writer, const ten_attr *attr) {
  uint32_t *items = ten_arena_new_array(&writer->arena, uint32_t, attr->array.count);
  for (size_t i = 0; i < attr->array.count; i++) items[i] = bw_vhlo_attr(writer, attr->array.items[i]);
  const size_t begin = bw_begin(writer);
  bw_put(writer, BW_VARINT, VHLO_ATTR_ARRAY);
  bw_put(writer, BW_VARINT, attr->array.count);
  for (size_t i = 0; i < attr->array.count; i++) bw_put(writer, BW_ATTR, items[i]);
  return bw_end(writer, &writer->attrs, "vhlo", begin);
}

static uint32_t string(bw_writer *writer, ten_str text) {
  const size_t begin = bw_begin(writer);
  bw_put(writer, BW_VARINT, VHLO_ATTR_STRING);
  bw_put_string(writer, text);
  return bw_end(writer, &writer->attrs, "vhlo", begin);
}

static uint32_t dict(bw_writer *writer, const ten_attr *attr) {
  uint32_t *items = ten_arena_new_array(&writer->arena, uint32_t, attr->dict.count * 2);
  for (size_t i = 0; i < attr->dict.count; i++) {
    items[2 * i] = string(writer, attr->dict.items[i].name);
    items[2 * i + 1] = bw_vhlo_attr(writer, attr->dict.items[i].value);
  }
  const size_t begin = bw_begin(writer);
  bw_put(writer, BW_VARINT, VHLO_ATTR_DICT);
  bw_put(writer, BW_VARINT, attr->dict.count);
  for (size_t i = 0; i < attr->dict.count * 2; i++) bw_put(writer, BW_ATTR, items[i]);
  return bw_end(writer, &writer->attrs, "vhlo", begin);
}

static uint32_t integer(bw_writer *writer, const ten_attr *attr) {
  const ten_dtype dtype = attr->integer.type->dtype;
  const uint32_t type = dtype == TEN_I1 ? 0 : bw_vhlo_type(writer, attr->integer.type);
  const size_t begin = bw_begin(writer);
  bw_put(writer, BW_VARINT, dtype == TEN_I1 ? VHLO_ATTR_BOOL : VHLO_ATTR_INT);
  if (dtype == TEN_I1) {
    bw_put(writer, BW_VARINT, attr->integer.value != 0);
  } else {
    bw_put(writer, BW_TYPE, type);
    bw_put_bits(writer, ten_dtype_bits(dtype), (uint64_t)attr->integer.value);
  }
  return bw_end(writer, &writer->attrs, "vhlo", begin);
}

static uint32_t real(bw_writer *writer, const ten_attr *attr) {
  const ten_dtype dtype = attr->real.type->dtype;
  const uint32_t type = bw_vhlo_type(writer, attr->real.type);
  uint64_t bits = 0;
  if (!writer->error) ten_float_encode(dtype, attr->real.value, &bits);
  const size_t begin = bw_begin(writer);
  bw_put(writer, BW_VARINT, VHLO_ATTR_FLOAT);
  bw_put(writer, BW_TYPE, type);
  bw_put_bits(writer, ten_dtype_bits(dtype), bits);
  return bw_end(writer, &writer->attrs, "vhlo", begin);
}

static uint32_t type_attr(bw_writer *writer, const ten_attr *attr) {
  const uint32_t type = bw_vhlo_type(writer, attr->type);
  const size_t begin = bw_begin(writer);
  bw_put(writer, BW_VARINT, VHLO_ATTR_TYPE);
  bw_put(writer, BW_TYPE, type);
  return bw_end(writer, &writer->attrs, "vhlo", begin);
}

static uint32_t enumeration(bw_writer *writer, const ten_attr *attr) {
  for (size_t i = 0; i < vhlo_enum_count; i++) {
    if (vhlo_enums[i].id != attr->enumeration.id) continue;
    bw_check(writer, vhlo_enums[i].since, ten_enum_infos[attr->enumeration.id].mnemonic);
    const size_t begin = bw_begin(writer);
    bw_put(writer, BW_VARINT, vhlo_enums[i].code);
    bw_put(writer, BW_VARINT, (uint64_t)attr->enumeration.value);
    return bw_end(writer, &writer->attrs, "vhlo", begin);
  }
  bw_fail(writer, "#%s.%s has no form in portable artifacts", ten_enum_infos[attr->enumeration.id].dialect,
          ten_enum_infos[attr->enumeration.id].mnemonic);
  return 0;
}

static const struct {
  ten_struct_id id;
  uint8_t code;
  uint16_t since;
} records[] = {
    {TEN_STRUCT_OUTPUT_OPERAND_ALIAS, VHLO_ATTR_ALIAS, VHLO_VERSION(0, 9)},
    {TEN_STRUCT_TYPE_EXTENSIONS, VHLO_ATTR_BOUNDS, VHLO_VERSION(0, 9)},
    {TEN_STRUCT_RESULT_ACCURACY, VHLO_ATTR_ACCURACY, VHLO_VERSION(1, 9)},
    {TEN_STRUCT_SUB_AXIS_INFO, VHLO_ATTR_SUB_AXIS, VHLO_VERSION(1, 16)},
    {TEN_STRUCT_AXIS_REF, VHLO_ATTR_AXIS_REF, VHLO_VERSION(1, 16)},
    {TEN_STRUCT_REPLICA_GROUP_MESH_AXES, VHLO_ATTR_GROUP_AXES, VHLO_VERSION(1, 16)},
    {TEN_STRUCT_MESH_AXIS, VHLO_ATTR_MESH_AXIS, VHLO_VERSION(1, 16)},
    {TEN_STRUCT_MESH, VHLO_ATTR_MESH, VHLO_VERSION(1, 16)},
};

/* Fields in order: numbers and lists inline, others as attributes; an optional field starts with a presence
 * flag. */
static void put_field(bw_writer *writer, const ten_attr *field, uint32_t encoded, const ten_attr_spec *spec,
                      ten_struct_id id) {
  switch (spec->kind) {
    case TEN_SPEC_I64: bw_put_signed(writer, ten_attr_as_int(field, 0)); break;
    case TEN_SPEC_F64: put_double(writer, ten_attr_as_float(field, 0)); break;
    case TEN_SPEC_DIMS: bw_put_dims(writer, ten_attr_as_ints(field)); break;
    default:
      if (spec->required) {
        bw_put(writer, BW_ATTR, encoded);
      } else if (id == TEN_STRUCT_MESH) {
        if (field)
          bw_put(writer, BW_OPTIONAL, encoded);
        else
          bw_put(writer, BW_VARINT, 0);
      } else {
        bw_put(writer, BW_VARINT, field != NULL);
        if (field) bw_put(writer, BW_ATTR, encoded);
      }
  }
}

static bool is_inline(const ten_attr_spec *spec) {
  return spec->kind == TEN_SPEC_I64 || spec->kind == TEN_SPEC_F64 || spec->kind == TEN_SPEC_DIMS;
}

static uint32_t record(bw_writer *writer, const ten_attr *attr) {
  const ten_struct_info *info = &ten_struct_infos[attr->record.id];
  for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
    if (records[i].id != attr->record.id) continue;
    bw_check(writer, records[i].since, info->mnemonic);
    uint32_t encoded[TEN_STRUCT_FIELDS_MAX] = {0};
    for (uint32_t k = 0; k < info->field_count; k++) {
      if (attr->record.fields[k] && !is_inline(&info->fields[k]))
        encoded[k] = bw_vhlo_attr(writer, attr->record.fields[k]);
      if (!attr->record.fields[k] && info->fields[k].required)
        bw_fail(writer, "%s has no %s", info->mnemonic, info->fields[k].name);
    }
    if (writer->error) return 0;
    const size_t begin = bw_begin(writer);
    bw_put(writer, BW_VARINT, records[i].code);
    for (uint32_t k = 0; k < info->field_count; k++)
      put_field(writer, attr->record.fields[k], encoded[k], &info->fields[k], records[i].id);
    return bw_end(writer, &writer->attrs, "vhlo", begin);
  }
  bw_fail(writer, "#%s.%s has no form in portable artifacts", info->dialect, info->mnemonic);
  return 0;
}

/* What VHLO cannot express is written unchanged, in releases that allow other dialects. */
static uint32_t foreign(bw_writer *writer, const ten_attr *attr, const char *what) {
  if (writer->target >= VHLO_VERSION(1, 11)) return bw_plain_attr(writer, attr);
  bw_fail(writer, "%s needs StableHLO 1.11.0; the target is %u.%u.%u", what, writer->target_version.major,
          writer->target_version.minor, writer->target_version.patch);
  return 0;
}

static uint32_t encode_attr(bw_writer *writer, const ten_attr *attr) {
  switch (attr->kind) {
    case TEN_ATTR_UNIT: return foreign(writer, attr, "a unit attribute");
    case TEN_ATTR_INT: return integer(writer, attr);
    case TEN_ATTR_FLOAT: return real(writer, attr);
    case TEN_ATTR_STRING: return string(writer, attr->string);
    case TEN_ATTR_TYPE: return type_attr(writer, attr);
    case TEN_ATTR_SYMBOL:
      if (attr->symbol.count == 1) return string(writer, attr->symbol.path[0]);
      return foreign(writer, attr, "a symbol of several parts");
    case TEN_ATTR_ARRAY: return array(writer, attr);
    case TEN_ATTR_DICT: return dict(writer, attr);
    case TEN_ATTR_DENSE:
    case TEN_ATTR_RESOURCE: return tensor(writer, attr);
    case TEN_ATTR_LIST: return list(writer, attr);
    case TEN_ATTR_ENUM: return enumeration(writer, attr);
    case TEN_ATTR_STRUCT: return record(writer, attr);
    case TEN_ATTR_LOC: return bw_loc(writer, attr->loc);
    case TEN_ATTR_OPAQUE: return foreign(writer, attr, "an attribute of another dialect");
  }
  return 0;
}

uint32_t bw_vhlo_attr(bw_writer *writer, const ten_attr *attr) {
  if (writer->error) return 0;
  const uint32_t known = bw_memo_get(writer, attr, MODE_ATTR);
  if (known != BW_NONE) return known;
  const uint32_t index = encode_attr(writer, attr);
  if (!writer->error) bw_memo_set(writer, attr, MODE_ATTR, index);
  return index;
}
