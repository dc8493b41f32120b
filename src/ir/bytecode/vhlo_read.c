/* vhlo_read.c: types and attributes of the portable format, converted to StableHLO's and builtin's. Where the meaning
 * depends on the op (a string that is a symbol, a tensor that is a list) upgrade.c decides. */
#include "base/float.h"
#include "ir/bytecode/reader.h"

const ten_type *bc_vhlo_type(bc_bytes *bytes) {
  ten_module *module = bytes->reader->module;
  const uint64_t code = bc_varint(bytes);
  uint32_t input_count, result_count;
  if (!bc_ok(bytes)) return NULL;
  for (size_t i = 0; i < vhlo_scalar_count; i++)
    if (vhlo_scalars[i].code == code) return ten_type_scalar(module, vhlo_scalars[i].dtype);
  switch (code) {
    case VHLO_TYPE_COMPLEX: return bc_complex(bytes);
    case VHLO_TYPE_FUNCTION: {
      const ten_type **inputs = bc_types(bytes, &input_count), **results = bc_types(bytes, &result_count);
      return bc_ok(bytes) ? ten_type_function(module, input_count, inputs, result_count, results) : NULL;
    }
    case VHLO_TYPE_TENSOR: return bc_shaped(bytes, TEN_TYPE_TENSOR, NULL);
    case VHLO_TYPE_TENSOR_ENCODED: {
      const ten_attr *encoding = bc_attr(bytes);
      return bc_shaped(bytes, TEN_TYPE_TENSOR, encoding);
    }
    case VHLO_TYPE_TOKEN: return ten_type_token(module);
    case VHLO_TYPE_TUPLE: {
      const ten_type **elements = bc_types(bytes, &input_count);
      return bc_ok(bytes) ? ten_type_tuple(module, input_count, elements) : NULL;
    }
    case VHLO_TYPE_QUANT: return bc_quant(bytes, false);
    case VHLO_TYPE_QUANT_AXIS: return bc_quant(bytes, true);
    case VHLO_TYPE_UNRANKED: {
      const ten_type *element = bc_type(bytes);
      return element ? ten_type_tensor_of(module, element, false, 0, NULL, NULL) : NULL;
    }
    case VHLO_TYPE_WITNESS: return ten_type_opaque(module, TEN_STR("!shape.witness"));
    case VHLO_TYPE_NONE: return ten_type_none(module);
    case VHLO_TYPE_BUFFER: return bc_shaped(bytes, TEN_TYPE_BUFFER, NULL);
    case VHLO_TYPE_FUTURE: {
      const ten_type **elements = bc_types(bytes, &input_count);
      return bc_ok(bytes) ? ten_type_future(module, input_count, elements) : NULL;
    }
    default: bc_fail(bytes->reader, "VHLO type code %llu is not known", (unsigned long long)code); return NULL;
  }
}

const ten_attr *bc_enum(bc_bytes *bytes, const vhlo_enum *rows, size_t count, uint64_t code) {
  for (size_t i = 0; i < count; i++) {
    if (rows[i].code != code) continue;
    const uint64_t value = bc_varint(bytes);
    if (value < 256 && ten_enum_name(rows[i].id, (int)value))
      return ten_attr_enum(bytes->reader->module, rows[i].id, (int)value);
    bc_fail(bytes->reader, "%s has no case %llu", ten_enum_infos[rows[i].id].mnemonic, (unsigned long long)value);
    return NULL;
  }
  bc_fail(bytes->reader, "attribute code %llu is not known", (unsigned long long)code);
  return NULL;
}

static const ten_attr *dict(bc_bytes *bytes) {
  const size_t count = bc_count(bytes, "named attributes");
  ten_named_attr *items = ten_arena_new_array(&bytes->reader->scratch, ten_named_attr, count);
  for (size_t i = 0; i < count && bc_ok(bytes); i++) {
    items[i].name = bc_attr_string(bytes);
    items[i].value = bc_own_value(bytes->reader, items[i].name, bc_attr(bytes));
  }
  return bc_ok(bytes) ? ten_attr_dict(bytes->reader->module, count, items) : NULL;
}

static const ten_attr *number(bc_bytes *bytes, bool is_float) {
  const ten_type *type = bc_type(bytes);
  if (!type) return NULL;
  const bool right =
      type->kind == TEN_TYPE_SCALAR && (is_float ? ten_dtype_is_float(type->dtype) : ten_dtype_is_int(type->dtype));
  if (!right) {
    bc_fail(bytes->reader, "a number has a type that cannot hold it");
    return NULL;
  }
  const uint64_t bits = bc_bits(bytes, ten_dtype_bits(type->dtype));
  if (!is_float) return ten_attr_int(bytes->reader->module, bc_int_of(type->dtype, bits), type);
  return ten_attr_float(bytes->reader->module, ten_float_decode(type->dtype, &bits), type);
}

static const ten_attr *boolean(bc_bytes *bytes) {
  const uint64_t value = bc_varint(bytes);
  if (value > 1) bc_fail(bytes->reader, "a boolean is %llu; it must be 0 or 1", (unsigned long long)value);
  return ten_attr_bool(bytes->reader->module, value == 1);
}

static bool field_fits(const ten_attr *attr, const ten_attr_spec *spec) {
  switch (spec->kind) {
    case TEN_SPEC_DIMS: return attr->kind == TEN_ATTR_LIST && attr->list.dtype == TEN_I64;
    case TEN_SPEC_I64:
    case TEN_SPEC_BOOL: return attr->kind == TEN_ATTR_INT;
    case TEN_SPEC_F64: return attr->kind == TEN_ATTR_FLOAT;
    case TEN_SPEC_STRING: return attr->kind == TEN_ATTR_STRING;
    case TEN_SPEC_TYPE: return attr->kind == TEN_ATTR_TYPE;
    case TEN_SPEC_ARRAY: return attr->kind == TEN_ATTR_ARRAY;
    case TEN_SPEC_ELEMENTS: return attr->kind == TEN_ATTR_DENSE;
    case TEN_SPEC_ENUM: return attr->kind == TEN_ATTR_ENUM && (int)attr->enumeration.id == spec->subject;
    case TEN_SPEC_STRUCT: return attr->kind == TEN_ATTR_STRUCT && (int)attr->record.id == spec->subject;
    default: return true;
  }
}

const ten_attr *bc_record(bc_bytes *bytes, ten_struct_id id, const ten_attr *const *fields) {
  const ten_struct_info *info = &ten_struct_infos[id];
  for (uint32_t i = 0; i < info->field_count && bc_ok(bytes); i++)
    if (fields[i] ? !field_fits(fields[i], &info->fields[i]) : info->fields[i].required)
      bc_fail(bytes->reader, "%s.%s is of the wrong kind", info->mnemonic, info->fields[i].name);
  return bc_ok(bytes) ? ten_attr_struct(bytes->reader->module, id, fields) : NULL;
}

const ten_attr *bc_accuracy(bc_bytes *bytes) {
  ten_module *module = bytes->reader->module;
  const ten_type *f64 = ten_type_scalar(module, TEN_F64);
  const ten_attr *fields[4];
  fields[0] = ten_attr_float(module, bc_double(bytes), f64);
  fields[1] = ten_attr_float(module, bc_double(bytes), f64);
  fields[2] = ten_attr_i64(module, bc_svarint(bytes));
  fields[3] = bc_attr(bytes);
  return bc_record(bytes, TEN_STRUCT_RESULT_ACCURACY, fields);
}

static const ten_attr *alias(bc_bytes *bytes) {
  const ten_attr *fields[3];
  fields[0] = bc_dims(bytes);
  fields[1] = ten_attr_i64(bytes->reader->module, bc_svarint(bytes));
  fields[2] = bc_dims(bytes);
  return bc_record(bytes, TEN_STRUCT_OUTPUT_OPERAND_ALIAS, fields);
}

static const ten_attr *named_size(bc_bytes *bytes, ten_struct_id id, const ten_attr *first) {
  const ten_attr *fields[2] = {first, ten_attr_i64(bytes->reader->module, bc_svarint(bytes))};
  return bc_record(bytes, id, fields);
}

static const ten_attr *axis_ref(bc_bytes *bytes) {
  const ten_attr *fields[2] = {bc_attr(bytes), NULL};
  const uint64_t has_info = bc_varint(bytes);
  if (has_info) fields[1] = bc_attr(bytes);
  return bc_record(bytes, TEN_STRUCT_AXIS_REF, fields);
}

/* A mesh by name is a string here, a symbol in StableHLO. */
static const ten_attr *group_axes(bc_bytes *bytes) {
  const ten_attr *fields[2];
  fields[0] = bc_attr(bytes);
  fields[1] = bc_attr(bytes);
  if (fields[0] && fields[0]->kind == TEN_ATTR_STRING)
    fields[0] = ten_attr_symbol(bytes->reader->module, fields[0]->string);
  return bc_record(bytes, TEN_STRUCT_REPLICA_GROUP_MESH_AXES, fields);
}

static const ten_attr *mesh(bc_bytes *bytes) {
  const ten_attr *fields[2];
  fields[0] = bc_attr(bytes);
  fields[1] = bc_optional_attr(bytes);
  return bc_record(bytes, TEN_STRUCT_MESH, fields);
}

const ten_attr *bc_vhlo_attr(bc_bytes *bytes) {
  bc_reader *reader = bytes->reader;
  ten_module *module = reader->module;
  const uint64_t code = bc_varint(bytes);
  if (!bc_ok(bytes)) return NULL;
  switch (code) {
    case VHLO_ATTR_ARRAY: {
      size_t count;
      const ten_attr **items = bc_attrs(bytes, &count);
      return bc_ok(bytes) ? ten_attr_array(module, count, items) : NULL;
    }
    case VHLO_ATTR_BOOL: return boolean(bytes);
    case VHLO_ATTR_DICT: return dict(bytes);
    case VHLO_ATTR_FLOAT: return number(bytes, true);
    case VHLO_ATTR_INT: return number(bytes, false);
    case VHLO_ATTR_ALIAS: return alias(bytes);
    case VHLO_ATTR_STRING: return ten_attr_string(module, bc_string(bytes));
    case VHLO_ATTR_TENSOR: {
      const ten_type *type = bc_type(bytes);
      return bc_dense(reader, type, bc_blob(bytes));
    }
    case VHLO_ATTR_TYPE: {
      const ten_type *type = bc_type(bytes);
      return type ? ten_attr_type(module, type) : NULL;
    }
    case VHLO_ATTR_BOUNDS: {
      const ten_attr *bounds = bc_dims(bytes);
      return bc_record(bytes, TEN_STRUCT_TYPE_EXTENSIONS, &bounds);
    }
    case VHLO_ATTR_ACCURACY: return bc_accuracy(bytes);
    case VHLO_ATTR_SUB_AXIS:
      return named_size(bytes, TEN_STRUCT_SUB_AXIS_INFO, ten_attr_i64(module, bc_svarint(bytes)));
    case VHLO_ATTR_AXIS_REF: return axis_ref(bytes);
    case VHLO_ATTR_GROUP_AXES: return group_axes(bytes);
    case VHLO_ATTR_MESH_AXIS: return named_size(bytes, TEN_STRUCT_MESH_AXIS, bc_attr(bytes));
    case VHLO_ATTR_MESH: return mesh(bytes);
    default: return bc_enum(bytes, vhlo_enums, vhlo_enum_count, code);
  }
}
