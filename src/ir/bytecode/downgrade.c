/* downgrade.c: converts an op and its attributes to the target release.
 *
 * An older form of an op lacks attributes of the newest. That is lossless while they have their defaults; otherwise, or
 * when a limit of the form is exceeded, the target cannot express the program, and the message names the release that
 * can. */
#include "ir/bytecode/writer.h"

static bool is_future(const ten_type *type) { return type->kind == TEN_TYPE_FUTURE; }

static void check_limits(bw_writer *writer, const ten_op *op, const vhlo_op *form) {
  const unsigned limits = form->limits;
  if (limits & VHLO_LIMIT_ONE && op->operand_count != 1)
    bw_check(writer, (uint16_t)(form->until + 1), "more than one operand");
  if (limits & VHLO_LIMIT_REGIONS && op->region_count) bw_check(writer, (uint16_t)(form->until + 1), "a region");
  if (limits & VHLO_LIMIT_ELEMENT)
    for (uint32_t i = 0; i < op->operand_count && i < op->result_count; i++)
      if (ten_op_operand(op, i)->type->element != op->results[i].type->element)
        bw_check(writer, VHLO_VERSION(0, 17), "a result of another element type than its operand");
  if (limits & VHLO_LIMIT_CUSTOM_CALL) {
    const ten_attr *config = ten_op_attr(op, "backend_config");
    const int typed_ffi = 4;
    if (config && config->kind == TEN_ATTR_DICT) bw_check(writer, VHLO_VERSION(1, 3), "a dictionary as backend_config");
    if (ten_attr_as_int(ten_op_attr(op, "api_version"), 1) == typed_ffi)
      bw_check(writer, VHLO_VERSION(1, 3), "api_version 4");
    for (uint32_t i = 0; i < op->operand_count; i++)
      if (is_future(ten_op_operand(op, i)->type)) bw_check(writer, VHLO_VERSION(1, 17), "an operand of a future type");
  }
}

const vhlo_op *bw_form(bw_writer *writer, const ten_op *op) {
  const ten_opcode code = op->code == TEN_OP_FUNC_RETURN ? TEN_OP_RETURN : op->code;
  const vhlo_op *form = vhlo_op_at(code, writer->target);
  if (!form) {
    const vhlo_op *oldest = vhlo_op_oldest(code);
    bw_fail(writer, "it needs StableHLO %u.%u.0; the target is %u.%u.%u", oldest->since / 256u, oldest->since % 256u,
            writer->target_version.major, writer->target_version.minor, writer->target_version.patch);
    return NULL;
  }
  check_limits(writer, op, form);
  return writer->error ? NULL : form;
}

/* The member of a structured attribute of the op; NULL when the op has no such attribute. `is_member`: it could have.
 */
static const ten_attr *member(bw_writer *writer, const ten_op *op, const char *name, bool *is_member) {
  const bool id = !strcmp(name, "channel_id"), type = !strcmp(name, "channel_type");
  const char *wanted = id ? "handle" : type ? "type" : name;
  *is_member = false;
  for (const ten_attr_spec *spec = ten_op_infos[op->code].attrs; spec->kind != TEN_SPEC_END; spec++) {
    if (spec->kind != TEN_SPEC_STRUCT || ((id || type) != (spec->subject == TEN_STRUCT_CHANNEL_HANDLE))) continue;
    const ten_struct_info *info = &ten_struct_infos[spec->subject];
    for (uint32_t i = 0; i < info->field_count; i++) {
      if (strcmp(info->fields[i].name, wanted)) continue;
      *is_member = true;
      const ten_attr *record = ten_op_attr(op, spec->name);
      if (!record || record->kind != TEN_ATTR_STRUCT || (int)record->record.id != spec->subject) return NULL;
      if (record->record.fields[i]) return record->record.fields[i];
      return info->fields[i].kind == TEN_SPEC_DIMS ? ten_attr_dims(writer->scratch, 0, NULL)
                                                   : ten_attr_i64(writer->scratch, 0);
    }
  }
  return NULL;
}

static size_t window_rank(bw_writer *writer, const ten_op *op) {
  bool is_member;
  const ten_attr *spatial = member(writer, op, "input_spatial_dimensions", &is_member);
  if (is_member) return ten_attr_as_ints(spatial).count;
  const ten_attr *window = ten_op_attr(op, "window_dimensions");
  if (!window) bw_fail(writer, "it has no window_dimensions");
  return ten_attr_as_ints(window).count;
}

static const ten_attr *filled(bw_writer *writer, ten_dtype dtype, size_t rank, bool pairs, int64_t value) {
  const int64_t dims[2] = {(int64_t)rank, 2};
  const size_t count = rank * (pairs ? 2 : 1);
  const ten_type *type = ten_type_tensor(writer->scratch, dtype, pairs ? 2 : 1, dims);
  char *data = ten_arena_alloc(&writer->arena, count * ten_dtype_bytes(dtype));
  for (size_t i = 0; i < count; i++) memcpy(data + i * ten_dtype_bytes(dtype), &value, ten_dtype_bytes(dtype));
  return ten_attr_dense_view(writer->scratch, type, data, count * ten_dtype_bytes(dtype), false);
}

static const ten_attr *exact(bw_writer *writer) {
  ten_module *module = writer->scratch;
  const ten_attr *zero = ten_attr_float(module, 0, ten_type_scalar(module, TEN_F64));
  const ten_attr *fields[4] = {zero, zero, ten_attr_i64(module, 0),
                               ten_attr_enum(module, TEN_ENUM_RESULT_ACCURACY_MODE, 0)};
  return ten_attr_struct(module, TEN_STRUCT_RESULT_ACCURACY, fields);
}

/* The default that VHLO writes where StableHLO omits the attribute; NULL when it is required. */
static const ten_attr *default_of(bw_writer *writer, const ten_op *op, const vhlo_attr_row *row) {
  ten_module *module = writer->scratch;
  switch (row->absent) {
    case VHLO_DEFAULT_REQUIRED: return NULL;
    case VHLO_DEFAULT_FALSE: return ten_attr_bool(module, false);
    case VHLO_DEFAULT_ZERO: return ten_attr_i64(module, 0);
    case VHLO_DEFAULT_MINUS_ONE: return ten_attr_i64(module, -1);
    case VHLO_DEFAULT_NO_TEXT: return ten_attr_string(module, (ten_str){0});
    case VHLO_DEFAULT_NO_ARRAY:
    case VHLO_DEFAULT_NO_LAYOUTS: return ten_attr_array(module, 0, NULL);
    case VHLO_DEFAULT_NO_DICT: return ten_attr_dict(module, 0, NULL);
    case VHLO_DEFAULT_NO_CONFIG: {
      const int typed_ffi = 4;
      if (ten_attr_as_int(ten_op_attr(op, "api_version"), 1) == typed_ffi) return ten_attr_dict(module, 0, NULL);
      return ten_attr_string(module, (ten_str){0});
    }
    case VHLO_DEFAULT_NO_DIMS: return ten_attr_dims(module, 0, NULL);
    case VHLO_DEFAULT_ONES: return filled(writer, TEN_I64, window_rank(writer, op), false, 1);
    case VHLO_DEFAULT_FALSES: return filled(writer, TEN_I1, window_rank(writer, op), false, 0);
    case VHLO_DEFAULT_PADDING: return filled(writer, TEN_I64, window_rank(writer, op), true, 0);
    case VHLO_DEFAULT_PRECISION: {
      const ten_attr *usual = ten_attr_enum(module, TEN_ENUM_PRECISION, 0);
      return ten_attr_array(module, 2, (const ten_attr *const[]){usual, usual});
    }
    case VHLO_DEFAULT_NOTYPE: return ten_attr_enum(module, TEN_ENUM_COMPARISON_TYPE, 0);
    case VHLO_DEFAULT_API_ORIGINAL: return ten_attr_enum(module, TEN_ENUM_CUSTOM_CALL_API_VERSION, 1);
    case VHLO_DEFAULT_ACCURACY: return exact(writer);
    case VHLO_DEFAULT_NONE_TYPE: return ten_attr_type(module, ten_type_none(module));
  }
  return NULL;
}

/* The op's value of a VHLO attribute, NULL when it has none. */
static const ten_attr *value_of(bw_writer *writer, const ten_op *op, const char *name) {
  bool is_member;
  const ten_attr *value =
      ten_op_spec(op->code, ten_str_of(name)) ? ten_op_attr(op, name) : member(writer, op, name, &is_member);
  return value && value->kind == TEN_ATTR_UNIT ? ten_attr_bool(writer->scratch, true) : value;
}

static bool says_nothing(const ten_attr *value, vhlo_default absent) {
  if (value->kind == TEN_ATTR_LIST) return absent == VHLO_DEFAULT_NO_DIMS && !value->list.count;
  return vhlo_is_default(value, absent);
}

/* Attributes that the newest form has and this one lacks must have their defaults. */
static void check_lost(bw_writer *writer, const ten_op *op, const vhlo_op *form) {
  const vhlo_op *newest = vhlo_op_newest(form->code);
  if (newest == form) return;
  for (const vhlo_attr_row *row = newest->attrs; row->name; row++) {
    if (vhlo_op_attr(form, ten_str_of(row->name))) continue;
    const ten_attr *value = value_of(writer, op, row->name);
    if (value && !says_nothing(value, row->absent)) bw_check(writer, (uint16_t)(form->until + 1), row->name);
  }
}

static bool is_written(const ten_op *op, const vhlo_op *newest, const ten_named_attr *attr) {
  if (vhlo_op_attr(newest, attr->name)) return true;
  const ten_attr_spec *spec = ten_op_spec(op->code, attr->name);
  return spec && spec->kind == TEN_SPEC_STRUCT; /* its members are */
}

void bw_downgrade(bw_writer *writer, const ten_op *op, const vhlo_op *form, bw_attr_list *inherent,
                  bw_attr_list *others) {
  const vhlo_op *newest = vhlo_op_newest(form->code);
  check_lost(writer, op, form);
  for (const vhlo_attr_row *row = form->attrs; row->name && !writer->error; row++) {
    const ten_attr *value = value_of(writer, op, row->name);
    if (!value) value = default_of(writer, op, row);
    if (!value)
      bw_fail(writer, "it has no %s", row->name);
    else
      ten_vec_push(inherent, (ten_named_attr){ten_str_of(row->name), value, true});
  }
  for (uint32_t i = 0; i < op->attr_count && !writer->error; i++)
    if (!op->attrs[i].inherent || !is_written(op, newest, &op->attrs[i])) ten_vec_push(others, op->attrs[i]);
}
