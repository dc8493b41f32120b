/* upgrade.c: converts attributes of a VHLO op to StableHLO's.
 *
 * VHLO writes everything explicitly: defaults, the members of structured attributes one by one, symbols as strings,
 * lists as tensors. Older forms of an op only lack attributes that then had their defaults, so omitting defaults is the
 * whole upgrade; the table of forms handles the rest. */
#include "ir/bytecode/reader.h"
#include "ir/ten.h"

static bool all_equal(const ten_attr *attr, int64_t value) {
  if (attr->kind != TEN_ATTR_DENSE || !(ten_dtype_is_int(attr->dense.type->dtype) || attr->dense.type->dtype == TEN_I1))
    return false;
  const size_t count = attr->dense.size / ten_dtype_bytes(attr->dense.type->dtype);
  for (size_t i = 0; i < count; i++)
    if (ten_dense_int(attr, i) != value) return false;
  return count > 0;
}

static bool is_int(const ten_attr *attr, int64_t value) {
  return attr->kind == TEN_ATTR_INT && attr->integer.value == value;
}

static bool is_enum(const ten_attr *attr, ten_enum_id id, int value) {
  return attr->kind == TEN_ATTR_ENUM && attr->enumeration.id == id && attr->enumeration.value == value;
}

static bool is_exact(const ten_attr *attr) {
  return ten_attr_as_float(ten_attr_field(attr, "atol"), 1) == 0 &&
         ten_attr_as_float(ten_attr_field(attr, "rtol"), 1) == 0 &&
         ten_attr_as_int(ten_attr_field(attr, "ulps"), 1) == 0 && ten_attr_as_int(ten_attr_field(attr, "mode"), 1) == 0;
}

bool vhlo_is_default(const ten_attr *attr, vhlo_default absent) {
  switch (absent) {
    case VHLO_DEFAULT_REQUIRED:
    case VHLO_DEFAULT_NO_LAYOUTS: return false;
    case VHLO_DEFAULT_FALSE: return is_int(attr, 0) && attr->integer.type->dtype == TEN_I1;
    case VHLO_DEFAULT_ZERO: return is_int(attr, 0);
    case VHLO_DEFAULT_MINUS_ONE: return is_int(attr, -1);
    case VHLO_DEFAULT_NO_TEXT: return attr->kind == TEN_ATTR_STRING && !attr->string.size;
    case VHLO_DEFAULT_NO_ARRAY: return attr->kind == TEN_ATTR_ARRAY && !attr->array.count;
    case VHLO_DEFAULT_NO_DICT: return attr->kind == TEN_ATTR_DICT && !attr->dict.count;
    case VHLO_DEFAULT_NO_CONFIG:
      return (attr->kind == TEN_ATTR_STRING && !attr->string.size) ||
             (attr->kind == TEN_ATTR_DICT && !attr->dict.count);
    case VHLO_DEFAULT_NO_DIMS: return attr->kind == TEN_ATTR_DENSE && !attr->dense.size;
    case VHLO_DEFAULT_ONES: return all_equal(attr, 1);
    case VHLO_DEFAULT_FALSES:
    case VHLO_DEFAULT_PADDING: return all_equal(attr, 0);
    case VHLO_DEFAULT_PRECISION:
      if (attr->kind != TEN_ATTR_ARRAY) return false;
      for (size_t i = 0; i < attr->array.count; i++)
        if (!is_enum(attr->array.items[i], TEN_ENUM_PRECISION, 0)) return false;
      return true;
    case VHLO_DEFAULT_NOTYPE: return is_enum(attr, TEN_ENUM_COMPARISON_TYPE, 0);
    case VHLO_DEFAULT_API_ORIGINAL: return is_enum(attr, TEN_ENUM_CUSTOM_CALL_API_VERSION, 1);
    case VHLO_DEFAULT_ACCURACY:
      return attr->kind == TEN_ATTR_STRUCT && attr->record.id == TEN_STRUCT_RESULT_ACCURACY && is_exact(attr);
    case VHLO_DEFAULT_NONE_TYPE: return attr->kind == TEN_ATTR_TYPE && attr->type->kind == TEN_TYPE_NONE;
  }
  return false;
}

static const ten_attr *find(const bc_attr_list *list, const char *name) {
  for (size_t i = 0; i < list->count; i++)
    if (ten_str_is(list->data[i].name, name)) return list->data[i].value;
  return NULL;
}

static bool is_empty_array(const ten_attr *attr) { return !attr || vhlo_is_default(attr, VHLO_DEFAULT_NO_ARRAY); }

static bool is_left_away(const bc_attr_list *in, const vhlo_attr_row *row, const ten_attr *value) {
  if (row->absent == VHLO_DEFAULT_NO_LAYOUTS)
    return is_empty_array(find(in, "operand_layouts")) && is_empty_array(find(in, "result_layouts"));
  return vhlo_is_default(value, row->absent);
}

/* A tensor as a list. */
static const ten_attr *list_of(bc_reader *reader, const ten_attr *attr, ten_dtype dtype) {
  if (attr->kind == TEN_ATTR_LIST) return attr;
  if (attr->kind != TEN_ATTR_DENSE || attr->dense.type->dtype != dtype || attr->dense.type->rank != 1) {
    bc_fail(reader, "a list of %s is not written as a tensor of them", ten_dtype_name(dtype));
    return attr;
  }
  const size_t count = (size_t)attr->dense.type->dims[0];
  if (!attr->dense.splat) return ten_attr_list(reader->module, dtype, count, attr->dense.data);
  /* A splat has its declared length, however small its data; no op has that many dimensions. */
  if (count > UINT16_MAX) {
    bc_fail(reader, "a list of %zu equal elements is longer than is supported", count);
    return attr;
  }
  const size_t size = ten_dtype_bytes(dtype);
  char *data = ten_arena_alloc(&reader->scratch, count * size);
  for (size_t i = 0; i < count; i++) memcpy(data + i * size, attr->dense.data, size);
  return ten_attr_list(reader->module, dtype, count, data);
}

const ten_attr *bc_own_value(bc_reader *reader, ten_str name, const ten_attr *value) {
  const ten_name own = value ? ten_name_find(name) : TEN_NAME_COUNT;
  if (own == TEN_NAME_COUNT || ten_name_infos[own].value != TEN_SPEC_DIMS || value->kind != TEN_ATTR_DENSE)
    return value;
  return list_of(reader, value, TEN_I64);
}

static const ten_attr *symbol_of(bc_reader *reader, const ten_attr *attr) {
  if (attr->kind == TEN_ATTR_SYMBOL) return attr;
  if (attr->kind != TEN_ATTR_STRING) {
    bc_fail(reader, "a symbol is not written as a string");
    return attr;
  }
  return ten_attr_symbol(reader->module, attr->string);
}

static const ten_attr *symbols_of(bc_reader *reader, const ten_attr *attr) {
  if (attr->kind != TEN_ATTR_ARRAY) return symbol_of(reader, attr);
  const ten_attr **items = ten_arena_new_array(&reader->scratch, const ten_attr *, attr->array.count);
  for (size_t i = 0; i < attr->array.count; i++) items[i] = symbol_of(reader, attr->array.items[i]);
  return ten_attr_array(reader->module, attr->array.count, items);
}

/* The value in the kind of the op's attribute; NULL when it carries no information. */
static const ten_attr *as_spec(bc_reader *reader, const ten_attr_spec *spec, const ten_attr *value) {
  switch (spec->kind) {
    case TEN_SPEC_DIMS: return list_of(reader, value, TEN_I64);
    case TEN_SPEC_BOOLS: return list_of(reader, value, TEN_I1);
    case TEN_SPEC_SYMBOL: return symbol_of(reader, value);
    case TEN_SPEC_UNIT:
      if (value->kind != TEN_ATTR_INT) return value;
      return value->integer.value ? ten_attr_unit(reader->module) : NULL;
    default: return !strcmp(spec->name, "called_computations") ? symbols_of(reader, value) : value;
  }
}

/* The structured attribute of `code` with the member `name`. */
static const ten_attr_spec *struct_with(ten_opcode code, ten_str name, uint32_t *field) {
  for (const ten_attr_spec *spec = ten_op_infos[code].attrs; spec->kind != TEN_SPEC_END; spec++) {
    if (spec->kind != TEN_SPEC_STRUCT) continue;
    const ten_struct_info *info = &ten_struct_infos[spec->subject];
    for (uint32_t i = 0; i < info->field_count; i++)
      if (ten_str_is(name, info->fields[i].name)) return *field = i, spec;
  }
  return NULL;
}

/* channel_id and channel_type are the members of a channel handle. */
static const ten_attr_spec *member_of(ten_opcode code, ten_str name, uint32_t *field) {
  if (ten_str_is(name, "channel_id")) return *field = 0, ten_op_spec(code, TEN_STR("channel_handle"));
  if (ten_str_is(name, "channel_type")) return *field = 1, ten_op_spec(code, TEN_STR("channel_handle"));
  return struct_with(code, name, field);
}

typedef struct bc_member_set {
  const ten_attr_spec *spec;
  const ten_attr *fields[TEN_STRUCT_FIELDS_MAX];
} bc_member_set;

enum { STRUCTS_MAX = 4 };

static void member_put(bc_reader *reader, bc_member_set *sets, const ten_attr_spec *spec, uint32_t field,
                       const ten_attr *value) {
  size_t at = 0;
  while (sets[at].spec && sets[at].spec != spec) at++;
  sets[at].spec = spec;
  const ten_attr_spec *wanted = &ten_struct_infos[spec->subject].fields[field];
  sets[at].fields[field] = wanted->kind == TEN_SPEC_DIMS ? list_of(reader, value, TEN_I64) : value;
}

/* Members that a form lacks are empty lists and zeros. */
static void members_finish(bc_reader *reader, bc_member_set *set, bc_attr_list *out) {
  const ten_struct_info *info = &ten_struct_infos[set->spec->subject];
  for (uint32_t i = 0; i < info->field_count; i++) {
    if (set->fields[i]) continue;
    set->fields[i] = info->fields[i].kind == TEN_SPEC_DIMS ? ten_attr_dims(reader->module, 0, NULL)
                                                           : ten_attr_i64(reader->module, 0);
  }
  bc_bytes bytes = {NULL, NULL, reader};
  const ten_attr *record = bc_record(&bytes, (ten_struct_id)set->spec->subject, set->fields);
  if (record) ten_vec_push(out, (ten_named_attr){ten_str_of(set->spec->name), record, true});
}

void bc_upgrade(bc_reader *reader, const vhlo_op *op, const bc_attr_list *in, bc_attr_list *out) {
  bc_member_set sets[STRUCTS_MAX] = {0};
  for (size_t i = 0; i < in->count && !reader->error; i++) {
    const ten_named_attr *attr = &in->data[i];
    const vhlo_attr_row *row = vhlo_op_attr(op, attr->name);
    if (!row) {
      ten_vec_push(out, *attr);
      out->data[out->count - 1].value = bc_own_value(reader, attr->name, attr->value);
      continue;
    }
    uint32_t field;
    const ten_attr_spec *spec = ten_op_spec(op->code, attr->name);
    const ten_attr_spec *owner = spec ? NULL : member_of(op->code, attr->name, &field);
    const bool is_handle = owner && owner->subject == TEN_STRUCT_CHANNEL_HANDLE;
    if (owner && (!is_handle || !is_left_away(in, row, attr->value))) {
      if (row->absent != VHLO_DEFAULT_NONE_TYPE || !vhlo_is_default(attr->value, row->absent))
        member_put(reader, sets, owner, field, attr->value);
    } else if (spec && !is_left_away(in, row, attr->value)) {
      const ten_attr *value = as_spec(reader, spec, attr->value);
      if (value) ten_vec_push(out, (ten_named_attr){ten_str_of(spec->name), value, true});
    }
    /* Neither: the padding of dynamic_conv_v1, which its operand overrides. */
  }
  for (size_t i = 0; i < STRUCTS_MAX && sets[i].spec && !reader->error; i++) members_finish(reader, &sets[i], out);
}
