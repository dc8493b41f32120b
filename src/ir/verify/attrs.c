/* attrs.c: checks an op's attributes against its table, and reads lists and constants that may be hostile. */
#include "base/size.h"
#include "ir/verify/rules.h"

bool ten_dense_is_whole(const ten_attr *attr) {
  if (!attr || (attr->kind != TEN_ATTR_DENSE && attr->kind != TEN_ATTR_RESOURCE) || !attr->dense.type) return false;
  const ten_type *type = attr->dense.type;
  if (!ten_is_shaped(type) || !type->ranked || !type->dtype) return false;
  for (uint32_t i = 0; i < type->rank; i++)
    if (!ten_dim_known(type->dims[i]) || type->dims[i] < 0) return false;
  const size_t all = ten_type_bytes(type), one = ten_dtype_bytes(type->dtype);
  if (all == SIZE_MAX || (!attr->dense.data && all)) return false;
  return attr->dense.size >= (attr->dense.splat ? (all ? one : 0) : all);
}

bool ten_dense_ints(ten_module *m, const ten_attr *attr, ten_ints *out) {
  *out = (ten_ints){0};
  if (!attr || attr->kind != TEN_ATTR_DENSE || !ten_dense_is_whole(attr)) return false;
  const ten_dtype dtype = attr->dense.type->dtype;
  if (attr->dense.type->quant || (dtype != TEN_I1 && !ten_dtype_is_int(dtype))) return false;
  const size_t count = (size_t)ten_type_count(attr->dense.type);
  if (!attr->dense.splat && (dtype == TEN_I64 || dtype == TEN_INDEX))
    return *out = (ten_ints){attr->dense.data, count}, true;
  enum { MOST = 1 << 20 }; /* a splat of 2^60 elements is small in the file */
  if (count > MOST) return false;
  int64_t *values = ten_arena_new_array(&m->arena, int64_t, count);
  for (size_t i = 0; i < count; i++) values[i] = ten_dense_int(attr, i);
  return *out = (ten_ints){values, count}, true;
}

bool ten_value_ints(ten_module *m, const ten_value *value, ten_ints *out) {
  *out = (ten_ints){0};
  const ten_attr *attr = ten_value_constant(value);
  return attr && ten_dense_ints(m, attr, out);
}

static const char *kind_text(const ten_attr *attr) {
  switch (attr->kind) {
    case TEN_ATTR_UNIT: return "a unit";
    case TEN_ATTR_INT: return attr->integer.type && attr->integer.type->dtype == TEN_I1 ? "a boolean" : "an integer";
    case TEN_ATTR_FLOAT: return "a float";
    case TEN_ATTR_STRING: return "a string";
    case TEN_ATTR_TYPE: return "a type";
    case TEN_ATTR_SYMBOL: return "a symbol";
    case TEN_ATTR_ARRAY: return "an array";
    case TEN_ATTR_DICT: return "a dictionary";
    case TEN_ATTR_DENSE: return "a dense constant";
    case TEN_ATTR_RESOURCE: return "a dense resource";
    case TEN_ATTR_LIST: return "a list";
    case TEN_ATTR_ENUM:
      return ten_enum_infos[attr->enumeration.id].mnemonic ? ten_enum_infos[attr->enumeration.id].mnemonic : "an enum";
    case TEN_ATTR_STRUCT:
      return ten_struct_infos[attr->record.id].mnemonic ? ten_struct_infos[attr->record.id].mnemonic : "a struct";
    case TEN_ATTR_LOC: return "a location";
    case TEN_ATTR_OPAQUE: return "an attribute of another dialect";
  }
  return "something unknown";
}

static const char *spec_text(const ten_attr_spec *spec) {
  switch (spec->kind) {
    case TEN_SPEC_UNIT: return "a unit";
    case TEN_SPEC_BOOL: return "a boolean";
    case TEN_SPEC_I32: return "an i32 integer";
    case TEN_SPEC_I64: return "an i64 integer";
    case TEN_SPEC_UI32: return "a ui32 integer";
    case TEN_SPEC_UI64: return "a ui64 integer";
    case TEN_SPEC_F32: return "an f32 float";
    case TEN_SPEC_F64: return "an f64 float";
    case TEN_SPEC_STRING: return "a string";
    case TEN_SPEC_TYPE: return "a type";
    case TEN_SPEC_SYMBOL: return "a symbol";
    case TEN_SPEC_ARRAY: return "an array";
    case TEN_SPEC_DICT: return "a dictionary";
    case TEN_SPEC_ELEMENTS: return "a dense constant";
    case TEN_SPEC_DIMS: return "a list of i64";
    case TEN_SPEC_BOOLS: return "a list of i1";
    case TEN_SPEC_ENUM: return ten_enum_infos[spec->subject].mnemonic;
    case TEN_SPEC_STRUCT: return ten_struct_infos[spec->subject].mnemonic;
    case TEN_SPEC_END:
    case TEN_SPEC_ANY: break;
  }
  return "anything";
}

static bool is_integer(const ten_attr *attr, ten_dtype dtype) {
  return attr->kind == TEN_ATTR_INT && attr->integer.type && attr->integer.type->kind == TEN_TYPE_SCALAR &&
         attr->integer.type->dtype == dtype;
}

static bool is_float(const ten_attr *attr, ten_dtype dtype) {
  return attr->kind == TEN_ATTR_FLOAT && attr->real.type && attr->real.type->kind == TEN_TYPE_SCALAR &&
         attr->real.type->dtype == dtype;
}

static bool is_list(const ten_attr *attr, ten_dtype dtype) {
  return attr->kind == TEN_ATTR_LIST && (attr->list.dtype == dtype || !attr->list.count) &&
         (attr->list.data || !attr->list.count);
}

static bool spec_holds(const ten_attr_spec *spec, const ten_attr *attr) {
  switch (spec->kind) {
    case TEN_SPEC_END:
    case TEN_SPEC_ANY: return true;
    case TEN_SPEC_UNIT: return attr->kind == TEN_ATTR_UNIT;
    case TEN_SPEC_BOOL: return is_integer(attr, TEN_I1);
    case TEN_SPEC_I32: return is_integer(attr, TEN_I32);
    case TEN_SPEC_I64: return is_integer(attr, TEN_I64);
    case TEN_SPEC_UI32: return is_integer(attr, TEN_UI32);
    case TEN_SPEC_UI64: return is_integer(attr, TEN_UI64);
    case TEN_SPEC_F32: return is_float(attr, TEN_F32);
    case TEN_SPEC_F64: return is_float(attr, TEN_F64);
    case TEN_SPEC_STRING: return attr->kind == TEN_ATTR_STRING;
    case TEN_SPEC_TYPE: return attr->kind == TEN_ATTR_TYPE && attr->type;
    case TEN_SPEC_SYMBOL: return attr->kind == TEN_ATTR_SYMBOL && attr->symbol.count;
    case TEN_SPEC_ARRAY: return attr->kind == TEN_ATTR_ARRAY;
    case TEN_SPEC_DICT: return attr->kind == TEN_ATTR_DICT;
    case TEN_SPEC_ELEMENTS: return attr->kind == TEN_ATTR_DENSE || attr->kind == TEN_ATTR_RESOURCE;
    case TEN_SPEC_DIMS: return is_list(attr, TEN_I64);
    case TEN_SPEC_BOOLS: return is_list(attr, TEN_I1);
    case TEN_SPEC_ENUM:
      return attr->kind == TEN_ATTR_ENUM && (int)attr->enumeration.id == spec->subject &&
             ten_enum_name(attr->enumeration.id, attr->enumeration.value);
    case TEN_SPEC_STRUCT: return attr->kind == TEN_ATTR_STRUCT && (int)attr->record.id == spec->subject;
  }
  return false;
}

static ten_status *check_one(const ten_op *op, const char *prefix, const ten_attr_spec *spec, const ten_attr *attr,
                             int depth) {
  const char *dot = *prefix ? "." : "";
  if (!attr) {
    WANT(!spec->required, "attribute '%s%s%s' is missing, must be %s", prefix, dot, spec->name, spec_text(spec));
    return NULL;
  }
  WANT(spec_holds(spec, attr), "attribute '%s%s%s' is %s, must be %s", prefix, dot, spec->name, kind_text(attr),
       spec_text(spec));
  if (attr->kind == TEN_ATTR_DENSE)
    WANT(ten_dense_is_whole(attr), "attribute '%s%s%s' has %zu bytes of data, fewer than its type needs", prefix, dot,
         spec->name, attr->dense.size);
  if (spec->kind != TEN_SPEC_STRUCT || depth > 2) return NULL;
  const ten_struct_info *info = &ten_struct_infos[spec->subject];
  for (uint32_t i = 0; i < info->field_count; i++)
    TEN_TRY(check_one(op, spec->name, &info->fields[i], attr->record.fields[i], depth + 1));
  return NULL;
}

ten_status *ten_rule_check_attr(const ten_op *op, const ten_attr_spec *spec, const ten_attr *attr) {
  return check_one(op, "", spec, attr, 0);
}

ten_status *ten_rule_check_attrs(ten_module *m, const ten_op *op) {
  (void)m;
  for (const ten_attr_spec *spec = ten_op_infos[op->code].attrs; spec->kind != TEN_SPEC_END; spec++)
    TEN_TRY(check_one(op, "", spec, ten_op_attr(op, spec->name), 0));
  return NULL;
}

ten_status *ten_want_in_range(ten_module *m, const ten_op *op, ten_ints dims, uint32_t rank, const char *name,
                              const char *of) {
  for (size_t i = 0; i < dims.count; i++)
    WANT(dims.data[i] >= 0 && dims.data[i] < rank, "%s %s names dimension %lld, %s has rank %u", name,
         ten_say_list(m, dims), (long long)dims.data[i], of, rank);
  return NULL;
}

/* Lists of dimension numbers are short; refuse a hostile list longer than any rank. */
enum { LONGEST = 4096 };

static bool repeats(ten_ints a, ten_ints b, int64_t *which) {
  const size_t total = a.count + b.count;
  for (size_t i = 0; i < total; i++) {
    const int64_t value = i < a.count ? a.data[i] : b.data[i - a.count];
    for (size_t j = 0; j < i; j++)
      if ((j < a.count ? a.data[j] : b.data[j - a.count]) == value) return *which = value, true;
  }
  return false;
}

ten_status *ten_want_unique(ten_module *m, const ten_op *op, ten_ints dims, const char *name) {
  int64_t which;
  WANT(dims.count <= LONGEST, "%s has %zu entries, more than the %d that are read", name, dims.count, LONGEST);
  if (repeats(dims, (ten_ints){0}, &which))
    BAD("%s %s has %lld more than once", name, ten_say_list(m, dims), (long long)which);
  return NULL;
}

ten_status *ten_want_sorted(ten_module *m, const ten_op *op, ten_ints dims, const char *name) {
  for (size_t i = 1; i < dims.count; i++)
    WANT(dims.data[i - 1] <= dims.data[i], "%s %s is not in ascending order", name, ten_say_list(m, dims));
  return NULL;
}

ten_status *ten_want_disjoint(ten_module *m, const ten_op *op, ten_ints a, ten_ints b, const char *name_a,
                              const char *name_b) {
  int64_t which;
  WANT(a.count <= LONGEST && b.count <= LONGEST, "%s and %s have %zu and %zu entries, more than the %d that are read",
       name_a, name_b, a.count, b.count, LONGEST);
  if (repeats(a, b, &which))
    BAD("%s %s and %s %s have dimension %lld more than once", name_a, ten_say_list(m, a), name_b, ten_say_list(m, b),
        (long long)which);
  return NULL;
}

ten_status *ten_want_dim(const ten_op *op, const char *name, uint32_t rank, const char *of, int64_t *out) {
  const int64_t dim = ten_op_int(op, name, -1);
  WANT(dim >= 0 && dim < rank, "%s = %lld, but %s has rank %u", name, (long long)dim, of, rank);
  return *out = dim, NULL;
}

ten_status *ten_want_precision(const ten_op *op, ten_enum_id id) {
  const ten_attr *config = ten_op_attr(op, "precision_config");
  if (!config) return NULL;
  WANT(config->array.count <= 2, "precision_config has %zu entries, must have one for each of the two operands at most",
       config->array.count);
  for (size_t i = 0; i < config->array.count; i++) {
    const ten_attr *item = config->array.items[i];
    WANT(item && item->kind == TEN_ATTR_ENUM && item->enumeration.id == id,
         "precision_config[%zu] is %s, must be a precision", i, item ? kind_text(item) : "nothing");
  }
  return NULL;
}
