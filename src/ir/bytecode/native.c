/* native.c: attributes and types of StableHLO and CHLO in their own encodings, for bytecode that is not a portable
 * artifact. */
#include "ir/bytecode/reader.h"

/* A struct's fields one after the other: lists as svarint[], numbers as svarint. */
static const ten_attr *plain_record(bc_bytes *bytes, ten_struct_id id) {
  const ten_struct_info *info = &ten_struct_infos[id];
  const ten_attr *fields[TEN_STRUCT_FIELDS_MAX] = {0};
  for (uint32_t i = 0; i < info->field_count; i++)
    fields[i] =
        info->fields[i].kind == TEN_SPEC_DIMS ? bc_dims(bytes) : ten_attr_i64(bytes->reader->module, bc_svarint(bytes));
  return bc_record(bytes, id, fields);
}

static const ten_attr *type_attr(bc_bytes *bytes) {
  const ten_type *type = bc_type(bytes);
  return type ? ten_attr_type(bytes->reader->module, type) : NULL;
}

static const ten_attr *algorithm(bc_bytes *bytes) {
  ten_module *module = bytes->reader->module;
  const ten_attr *fields[7];
  for (size_t i = 0; i < 3; i++) fields[i] = type_attr(bytes);
  for (size_t i = 3; i < 6; i++) fields[i] = ten_attr_i64(module, bc_svarint(bytes));
  fields[6] = ten_attr_bool(module, bc_byte(bytes) != 0);
  return bc_record(bytes, TEN_STRUCT_DOT_ALGORITHM, fields);
}

static const ten_attr *group_axes(bc_bytes *bytes) {
  const ten_attr *fields[2] = {bc_attr(bytes), NULL};
  size_t count;
  const ten_attr **axes = bc_attrs(bytes, &count);
  if (bc_ok(bytes)) fields[1] = ten_attr_array(bytes->reader->module, count, axes);
  return bc_record(bytes, TEN_STRUCT_REPLICA_GROUP_MESH_AXES, fields);
}

static const ten_attr *axis_ref(bc_bytes *bytes) {
  const ten_attr *fields[2] = {ten_attr_string(bytes->reader->module, bc_string(bytes)), NULL};
  if (bc_byte(bytes)) fields[1] = bc_attr(bytes);
  return bc_record(bytes, TEN_STRUCT_AXIS_REF, fields);
}

static const ten_attr *mesh_axis(bc_bytes *bytes) {
  const ten_attr *fields[2] = {ten_attr_string(bytes->reader->module, bc_string(bytes)), NULL};
  fields[1] = ten_attr_i64(bytes->reader->module, bc_svarint(bytes));
  return bc_record(bytes, TEN_STRUCT_MESH_AXIS, fields);
}

static const ten_attr *mesh(bc_bytes *bytes) {
  const ten_attr *fields[2] = {bc_attr(bytes), NULL};
  if (bc_byte(bytes)) fields[1] = bc_attr(bytes);
  return bc_record(bytes, TEN_STRUCT_MESH, fields);
}

const ten_attr *bc_stablehlo_attr(bc_bytes *bytes) {
  enum {
    CHANNEL_HANDLE = 1,
    CONV = 4,
    DOT = 5,
    GATHER = 7,
    SCATTER = 11,
    BOUNDS = 13,
    ALIAS = 14,
    ALGORITHM = 15,
    ACCURACY = 17,
    GROUP_AXES = 18,
    SUB_AXIS = 19,
    AXIS_REF = 20,
    MESH_AXIS = 21,
    MESH = 22
  };
  const uint64_t code = bc_varint(bytes);
  switch (code) {
    case CHANNEL_HANDLE: return plain_record(bytes, TEN_STRUCT_CHANNEL_HANDLE);
    case CONV: return plain_record(bytes, TEN_STRUCT_CONV);
    case DOT: return plain_record(bytes, TEN_STRUCT_DOT);
    case GATHER: return plain_record(bytes, TEN_STRUCT_GATHER);
    case SCATTER: return plain_record(bytes, TEN_STRUCT_SCATTER);
    case BOUNDS: return plain_record(bytes, TEN_STRUCT_TYPE_EXTENSIONS);
    case ALIAS: return plain_record(bytes, TEN_STRUCT_OUTPUT_OPERAND_ALIAS);
    case ALGORITHM: return algorithm(bytes);
    case ACCURACY: return bc_accuracy(bytes);
    case GROUP_AXES: return group_axes(bytes);
    case SUB_AXIS: return plain_record(bytes, TEN_STRUCT_SUB_AXIS_INFO);
    case AXIS_REF: return axis_ref(bytes);
    case MESH_AXIS: return mesh_axis(bytes);
    case MESH: return mesh(bytes);
    default: return bc_enum(bytes, stablehlo_enums, stablehlo_enum_count, code);
  }
}

const ten_type *bc_stablehlo_type(bc_bytes *bytes) {
  enum { TOKEN = 0, FUTURE = 1 };
  const uint64_t code = bc_varint(bytes);
  if (code == TOKEN) return ten_type_token(bytes->reader->module);
  if (code == FUTURE) {
    uint32_t count;
    const ten_type **elements = bc_types(bytes, &count);
    return bc_ok(bytes) ? ten_type_future(bytes->reader->module, count, elements) : NULL;
  }
  bc_fail(bytes->reader, "StableHLO type code %llu is not known", (unsigned long long)code);
  return NULL;
}

const ten_attr *bc_chlo_attr(bc_bytes *bytes) { return bc_enum(bytes, chlo_enums, chlo_enum_count, bc_varint(bytes)); }
