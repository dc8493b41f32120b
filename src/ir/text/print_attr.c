/* print_attr.c: attributes. */
#include <inttypes.h>
#include <math.h>

#include "base/float.h"
#include "ir/text/printer.h"

static void print_number_type(ten_buf *out, const ten_type *type, ten_dtype usual, ten_elide elide) {
  if (elide == ELIDE_ALWAYS || (elide == ELIDE_DEFAULT && type->dtype == usual)) return;
  ten_buf_adds(out, " : ");
  ten_type_print(out, type);
}

static void print_int_attr(ten_buf *out, const ten_attr *attr, ten_elide elide) {
  const ten_type *type = attr->integer.type;
  ten_print_int(out, type->dtype, attr->integer.value);
  if (type->dtype != TEN_I1) print_number_type(out, type, TEN_I64, elide);
}

static void print_float_attr(ten_buf *out, const ten_attr *attr, ten_elide elide) {
  unsigned char element[8] = {0};
  ten_float_encode(attr->real.type->dtype, attr->real.value, element);
  ten_print_float(out, attr->real.type->dtype, element);
  print_number_type(out, attr->real.type, TEN_F64, elide);
}

static void print_list_attr(ten_buf *out, const ten_attr *attr) {
  const ten_dtype dtype = attr->list.dtype;
  const size_t size = ten_dtype_bytes(dtype);
  ten_buf_printf(out, "array<%s", ten_dtype_name(dtype));
  for (size_t i = 0; i < attr->list.count; i++) {
    const unsigned char *at = (const unsigned char *)attr->list.data + i * size;
    ten_buf_adds(out, i ? ", " : ": ");
    if (ten_dtype_is_float(dtype)) {
      ten_print_float(out, dtype, at);
      continue;
    }
    uint64_t value = 0;
    memcpy(&value, at, size);
    const unsigned spare = 64 - 8 * (unsigned)size;
    ten_print_int(out, dtype,
                  ten_dtype_class(dtype) == TEN_CLASS_SINT ? (int64_t)(value << spare) >> spare : (int64_t)value);
  }
  ten_buf_addc(out, '>');
}

static void print_enum_attr(ten_buf *out, const ten_attr *attr) {
  const ten_enum_id id = attr->enumeration.id;
  const char *name = ten_enum_name(id, attr->enumeration.value);
  if (id == TEN_ENUM_CUSTOM_CALL_API_VERSION)
    ten_buf_printf(out, "%d : i32", attr->enumeration.value); /* the only one that upstream writes as a number */
  else if (id == TEN_ENUM_RESULT_ACCURACY_MODE)
    ten_buf_printf(out, "#stablehlo.result_accuracy_mode<%s>", name);
  else
    ten_buf_printf(out, "#%s<%s %s>", ten_enum_infos[id].dialect, ten_enum_infos[id].mnemonic, name);
}

enum { CONV_RANK_MAX = 66 };

/* One side, when its dimensions are a permutation. */
static bool conv_side(ten_buf *out, const char *letters, const ten_attr *first, const ten_attr *second,
                      const ten_attr *spatial) {
  const ten_ints places = ten_attr_as_ints(spatial);
  const size_t rank = places.count + 2;
  int names[CONV_RANK_MAX];
  if (rank > CONV_RANK_MAX) return false;
  for (size_t i = 0; i < rank; i++) names[i] = -1;
  const int64_t at[2] = {ten_attr_as_int(first, -1), ten_attr_as_int(second, -1)};
  for (size_t i = 0; i < rank; i++) {
    const int64_t place = i < 2 ? at[i] : places.data[i - 2];
    if (place < 0 || (size_t)place >= rank || names[place] != -1) return false;
    names[place] = (int)i;
  }
  for (size_t i = 0; i < rank; i++) {
    ten_buf_adds(out, i ? ", " : "[");
    if (names[i] < 2)
      ten_buf_addc(out, letters[names[i]]);
    else
      ten_buf_printf(out, "%d", names[i] - 2);
  }
  ten_buf_addc(out, ']');
  return true;
}

bool ten_print_conv_dims(ten_buf *out, const ten_attr *attr) {
  const ten_attr *const *f = attr->record.fields;
  const size_t start = out->size;
  bool ok = conv_side(out, "bf", f[0], f[1], f[2]);
  if (ok) ten_buf_addc(out, 'x');
  ok = ok && conv_side(out, "io", f[3], f[4], f[5]);
  if (ok) ten_buf_adds(out, "->");
  ok = ok && conv_side(out, "bf", f[6], f[7], f[8]);
  if (!ok) out->size = start;
  return ok;
}

/* An omitted field reads as zero, empty or absent. */
static bool field_is_silent(const ten_attr *record, const ten_attr_spec *spec, const ten_attr *field) {
  if (!field) return true;
  const bool optional =
      !spec->required || (record->record.id == TEN_STRUCT_RESULT_ACCURACY && spec->kind != TEN_SPEC_ENUM);
  if (!optional) return false;
  if (field->kind == TEN_ATTR_LIST) return !field->list.count;
  if (field->kind == TEN_ATTR_FLOAT) return field->real.value == 0 && !signbit(field->real.value);
  return field->kind == TEN_ATTR_INT && !field->integer.value;
}

static void print_field(ten_printer *printer, ten_buf *out, ten_struct_id id, const ten_attr_spec *spec,
                        const ten_attr *field) {
  if (field->kind == TEN_ATTR_LIST && spec->kind == TEN_SPEC_DIMS) {
    ten_print_dims(out, ten_attr_as_ints(field), "[", "]");
  } else if (field->kind == TEN_ATTR_STRUCT && field->record.id == TEN_STRUCT_SUB_AXIS_INFO) {
    ten_buf_printf(out, "(%" PRId64 ")%" PRId64, ten_attr_as_int(field->record.fields[0], 0),
                   ten_attr_as_int(field->record.fields[1], 0));
  } else if (field->kind == TEN_ATTR_ARRAY && id == TEN_STRUCT_MESH) {
    ten_buf_addc(out, '[');
    for (size_t i = 0; i < field->array.count; i++) {
      if (i) ten_buf_adds(out, ", ");
      ten_print_struct_body(printer, out, field->array.items[i]);
    }
    ten_buf_addc(out, ']');
  } else {
    ten_print_attr(printer, out, field, spec->kind == TEN_SPEC_ANY ? ELIDE_NEVER : ELIDE_ALWAYS);
  }
}

void ten_print_struct_body(ten_printer *printer, ten_buf *out, const ten_attr *attr) {
  const ten_struct_id id = attr->record.id;
  const ten_struct_info *info = &ten_struct_infos[id];
  ten_buf_addc(out, '<');
  if (id == TEN_STRUCT_TYPE_EXTENSIONS) {
    ten_print_dims(out, ten_attr_as_ints(attr->record.fields[0]), "", ">");
    return;
  }
  if (id == TEN_STRUCT_CONV) {
    if (ten_print_conv_dims(out, attr)) {
      ten_buf_addc(out, '>');
      return;
    }
    ten_buf_adds(out, "raw ");
  }
  const char *separator = "";
  for (uint32_t i = 0; i < info->field_count; i++) {
    const ten_attr *field = attr->record.fields[i];
    if (field_is_silent(attr, &info->fields[i], field)) continue;
    ten_buf_printf(out, id == TEN_STRUCT_MESH ? "%s%s=" : "%s%s = ", separator, info->fields[i].name);
    print_field(printer, out, id, &info->fields[i], field);
    separator = ", ";
  }
  ten_buf_addc(out, '>');
}

static void print_struct_attr(ten_printer *printer, ten_buf *out, const ten_attr *attr) {
  const ten_struct_info *info = &ten_struct_infos[attr->record.id];
  if (attr->record.id == TEN_STRUCT_SUB_AXIS_INFO) {
    ten_buf_printf(out, "#stablehlo<sub_axis_info (%" PRId64 ")%" PRId64 ">",
                   ten_attr_as_int(attr->record.fields[0], 0), ten_attr_as_int(attr->record.fields[1], 0));
    return;
  }
  ten_buf_printf(out, "#%s.%s", info->dialect, info->mnemonic);
  ten_print_struct_body(printer, out, attr);
}

static void print_dict_attr(ten_printer *printer, ten_buf *out, const ten_attr *attr) {
  ten_buf_addc(out, '{');
  for (size_t i = 0; i < attr->dict.count; i++) {
    if (i) ten_buf_adds(out, ", ");
    ten_print_name(out, attr->dict.items[i].name);
    if (attr->dict.items[i].value->kind == TEN_ATTR_UNIT) continue;
    ten_buf_adds(out, " = ");
    ten_print_attr(printer, out, attr->dict.items[i].value, ELIDE_NEVER);
  }
  ten_buf_addc(out, '}');
}

void ten_print_attr(ten_printer *printer, ten_buf *out, const ten_attr *attr, ten_elide elide) {
  switch (attr->kind) {
    case TEN_ATTR_UNIT: ten_buf_adds(out, "unit"); break;
    case TEN_ATTR_INT: print_int_attr(out, attr, elide); break;
    case TEN_ATTR_FLOAT: print_float_attr(out, attr, elide); break;
    case TEN_ATTR_STRING: ten_print_string(out, attr->string); break;
    case TEN_ATTR_TYPE: ten_type_print(out, attr->type); break;
    case TEN_ATTR_SYMBOL:
      for (size_t i = 0; i < attr->symbol.count; i++) {
        if (i) ten_buf_adds(out, "::");
        ten_print_symbol(out, attr->symbol.path[i]);
      }
      break;
    case TEN_ATTR_ARRAY:
      ten_buf_addc(out, '[');
      for (size_t i = 0; i < attr->array.count; i++) {
        if (i) ten_buf_adds(out, ", ");
        ten_print_attr(printer, out, attr->array.items[i], ELIDE_DEFAULT);
      }
      ten_buf_addc(out, ']');
      break;
    case TEN_ATTR_DICT: print_dict_attr(printer, out, attr); break;
    case TEN_ATTR_DENSE:
    case TEN_ATTR_RESOURCE: ten_print_dense(printer, out, attr); break;
    case TEN_ATTR_LIST: print_list_attr(out, attr); break;
    case TEN_ATTR_ENUM: print_enum_attr(out, attr); break;
    case TEN_ATTR_STRUCT: print_struct_attr(printer, out, attr); break;
    case TEN_ATTR_LOC:
      ten_buf_adds(out, "loc(");
      ten_loc_print(out, attr->loc);
      ten_buf_addc(out, ')');
      break;
    case TEN_ATTR_OPAQUE: ten_buf_addstr(out, attr->string); break;
  }
}

void ten_attr_print(ten_buf *out, const ten_attr *attr) { ten_print_attr(NULL, out, attr, ELIDE_NEVER); }
