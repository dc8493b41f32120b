/* attr.c: constructors and accessors of attributes. */
#include "ir/attr.h"

#include <stdlib.h>

#include "ir/module.h"

static ten_attr *attr_new(ten_module *module, ten_attr_kind kind) {
  ten_attr *attr = ten_arena_new(&module->arena, ten_attr);
  attr->kind = kind;
  return attr;
}

static ten_str str_copy(ten_module *module, ten_str text) {
  return (ten_str){ten_arena_strdup(&module->arena, text.data, text.size), text.size};
}

const ten_attr *ten_attr_unit(ten_module *module) { return attr_new(module, TEN_ATTR_UNIT); }

const ten_attr *ten_attr_int(ten_module *module, int64_t value, const ten_type *type) {
  ten_attr *attr = attr_new(module, TEN_ATTR_INT);
  attr->integer.value = value;
  attr->integer.type = type;
  return attr;
}

const ten_attr *ten_attr_i64(ten_module *module, int64_t value) {
  return ten_attr_int(module, value, ten_type_scalar(module, TEN_I64));
}
const ten_attr *ten_attr_i32(ten_module *module, int32_t value) {
  return ten_attr_int(module, value, ten_type_scalar(module, TEN_I32));
}
const ten_attr *ten_attr_bool(ten_module *module, bool value) {
  return ten_attr_int(module, value, ten_type_scalar(module, TEN_I1));
}

const ten_attr *ten_attr_float(ten_module *module, double value, const ten_type *type) {
  ten_attr *attr = attr_new(module, TEN_ATTR_FLOAT);
  attr->real.value = value;
  attr->real.type = type;
  return attr;
}
const ten_attr *ten_attr_f32(ten_module *module, float value) {
  return ten_attr_float(module, (double)value, ten_type_scalar(module, TEN_F32));
}

const ten_attr *ten_attr_string(ten_module *module, ten_str text) {
  ten_attr *attr = attr_new(module, TEN_ATTR_STRING);
  attr->string = str_copy(module, text);
  return attr;
}

const ten_attr *ten_attr_opaque(ten_module *module, ten_str text) {
  ten_attr *attr = attr_new(module, TEN_ATTR_OPAQUE);
  attr->string = str_copy(module, text);
  return attr;
}

const ten_attr *ten_attr_type(ten_module *module, const ten_type *type) {
  ten_attr *attr = attr_new(module, TEN_ATTR_TYPE);
  attr->type = type;
  return attr;
}

const ten_attr *ten_attr_symbol_path(ten_module *module, size_t count, const ten_str *path) {
  ten_attr *attr = attr_new(module, TEN_ATTR_SYMBOL);
  ten_str *copy = ten_arena_new_array(&module->arena, ten_str, count);
  for (size_t i = 0; i < count; i++) copy[i] = str_copy(module, path[i]);
  attr->symbol.path = copy;
  attr->symbol.count = count;
  return attr;
}

const ten_attr *ten_attr_symbol(ten_module *module, ten_str name) { return ten_attr_symbol_path(module, 1, &name); }

const ten_attr *ten_attr_array(ten_module *module, size_t count, const ten_attr *const *items) {
  ten_attr *attr = attr_new(module, TEN_ATTR_ARRAY);
  attr->array.items = ten_arena_copy(&module->arena, items, count * sizeof *items);
  attr->array.count = count;
  return attr;
}

static int by_name(const void *a, const void *b) {
  return ten_str_compare(((const ten_named_attr *)a)->name, ((const ten_named_attr *)b)->name);
}

const ten_attr *ten_attr_dict(ten_module *module, size_t count, const ten_named_attr *items) {
  ten_attr *attr = attr_new(module, TEN_ATTR_DICT);
  ten_named_attr *copy = ten_arena_copy(&module->arena, items, count * sizeof *items);
  for (size_t i = 0; i < count; i++) {
    copy[i].name = str_copy(module, copy[i].name);
    copy[i].inherent = false;
  }
  if (count) qsort(copy, count, sizeof *copy, by_name);
  attr->dict.items = copy;
  attr->dict.count = count;
  return attr;
}

const ten_attr *ten_attr_list(ten_module *module, ten_dtype dtype, size_t count, const void *data) {
  ten_attr *attr = attr_new(module, TEN_ATTR_LIST);
  attr->list.dtype = dtype;
  attr->list.count = count;
  attr->list.data = ten_arena_copy(&module->arena, data, count * ten_dtype_bytes(dtype));
  return attr;
}

const ten_attr *ten_attr_dims(ten_module *module, size_t count, const int64_t *values) {
  return ten_attr_list(module, TEN_I64, count, values);
}

const ten_attr *ten_attr_enum(ten_module *module, ten_enum_id id, int value) {
  ten_attr *attr = attr_new(module, TEN_ATTR_ENUM);
  attr->enumeration.id = id;
  attr->enumeration.value = value;
  return attr;
}

const ten_attr *ten_attr_struct(ten_module *module, ten_struct_id id, const ten_attr *const *fields) {
  ten_attr *attr = attr_new(module, TEN_ATTR_STRUCT);
  attr->record.id = id;
  attr->record.fields = ten_arena_copy(&module->arena, fields, ten_struct_infos[id].field_count * sizeof *fields);
  return attr;
}

const ten_attr *ten_attr_loc(ten_module *module, const ten_loc *loc) {
  ten_attr *attr = attr_new(module, TEN_ATTR_LOC);
  attr->loc = loc;
  return attr;
}

const ten_attr *ten_attr_dense_view(ten_module *module, const ten_type *type, const void *data, size_t size,
                                    bool splat) {
  ten_attr *attr = attr_new(module, TEN_ATTR_DENSE);
  attr->dense.type = type;
  attr->dense.data = data;
  attr->dense.size = size;
  attr->dense.splat = splat;
  return attr;
}

const ten_attr *ten_attr_dense_known(ten_module *module, const ten_type *type, const void *data, size_t size,
                                     uint64_t digest, ten_source *source) {
  ten_attr *attr = (ten_attr *)(uintptr_t)ten_attr_dense_view(module, type, data, size, false);
  attr->dense.digest = digest;
  attr->dense.source = source;
  return attr;
}

const ten_attr *ten_attr_dense(ten_module *module, const ten_type *type, const void *data, size_t size) {
  const bool splat = size == ten_dtype_bytes(type->dtype) && ten_type_count(type) != 1;
  return ten_attr_dense_view(module, type, ten_arena_copy(&module->arena, data, size), size, splat);
}

const ten_attr *ten_attr_resource(ten_module *module, const ten_type *type, ten_str key, const void *data,
                                  size_t size) {
  ten_attr *attr = attr_new(module, TEN_ATTR_RESOURCE);
  attr->dense.type = type;
  attr->dense.data = data;
  attr->dense.size = size;
  attr->dense.resource = str_copy(module, key);
  return attr;
}

const ten_attr *ten_attr_dense_i64(ten_module *module, uint32_t rank, const int64_t *dims, const int64_t *values) {
  const ten_type *type = ten_type_tensor(module, TEN_I64, rank, dims);
  const size_t size = ten_type_bytes(type);
  return ten_attr_dense_view(module, type, ten_arena_copy(&module->arena, values, size), size, false);
}

const ten_attr *ten_attr_import(ten_module *module, const ten_attr *attr, bool share) {
  if (!attr) return NULL;
  ten_attr *copy = ten_arena_copy(&module->arena, attr, sizeof *attr);
  switch (attr->kind) {
    case TEN_ATTR_UNIT:
    case TEN_ATTR_ENUM: break;
    case TEN_ATTR_INT: copy->integer.type = ten_type_import(module, attr->integer.type); break;
    case TEN_ATTR_FLOAT: copy->real.type = ten_type_import(module, attr->real.type); break;
    case TEN_ATTR_STRING:
    case TEN_ATTR_OPAQUE: copy->string = str_copy(module, attr->string); break;
    case TEN_ATTR_TYPE: copy->type = ten_type_import(module, attr->type); break;
    case TEN_ATTR_SYMBOL: return ten_attr_symbol_path(module, attr->symbol.count, attr->symbol.path);
    case TEN_ATTR_ARRAY: {
      const ten_attr **items = ten_arena_new_array(&module->arena, const ten_attr *, attr->array.count);
      for (size_t i = 0; i < attr->array.count; i++) items[i] = ten_attr_import(module, attr->array.items[i], share);
      copy->array.items = items;
      break;
    }
    case TEN_ATTR_DICT: {
      ten_named_attr *items = ten_arena_copy(&module->arena, attr->dict.items, attr->dict.count * sizeof *items);
      for (size_t i = 0; i < attr->dict.count; i++) {
        items[i].name = str_copy(module, items[i].name);
        items[i].value = ten_attr_import(module, items[i].value, share);
      }
      copy->dict.items = items;
      break;
    }
    case TEN_ATTR_DENSE:
    case TEN_ATTR_RESOURCE:
      copy->dense.type = ten_type_import(module, attr->dense.type);
      copy->dense.resource = str_copy(module, attr->dense.resource);
      if (!share && attr->dense.data) {
        copy->dense.data = ten_arena_copy(&module->arena, attr->dense.data, attr->dense.size);
        copy->dense.source = NULL;
      }
      break;
    case TEN_ATTR_LIST: return ten_attr_list(module, attr->list.dtype, attr->list.count, attr->list.data);
    case TEN_ATTR_STRUCT: {
      const uint32_t count = ten_struct_infos[attr->record.id].field_count;
      const ten_attr **fields = ten_arena_new_array(&module->arena, const ten_attr *, count);
      for (uint32_t i = 0; i < count; i++) fields[i] = ten_attr_import(module, attr->record.fields[i], share);
      copy->record.fields = fields;
      break;
    }
    case TEN_ATTR_LOC: copy->loc = ten_loc_import(module, attr->loc); break;
  }
  return copy;
}

int64_t ten_attr_as_int(const ten_attr *attr, int64_t otherwise) {
  if (!attr) return otherwise;
  if (attr->kind == TEN_ATTR_INT) return attr->integer.value;
  return attr->kind == TEN_ATTR_ENUM ? attr->enumeration.value : otherwise;
}

bool ten_attr_as_bool(const ten_attr *attr) {
  return attr && (attr->kind == TEN_ATTR_UNIT || (attr->kind == TEN_ATTR_INT && attr->integer.value));
}

double ten_attr_as_float(const ten_attr *attr, double otherwise) {
  return attr && attr->kind == TEN_ATTR_FLOAT ? attr->real.value : otherwise;
}

ten_str ten_attr_as_string(const ten_attr *attr) {
  if (attr && (attr->kind == TEN_ATTR_STRING || attr->kind == TEN_ATTR_OPAQUE)) return attr->string;
  if (attr && attr->kind == TEN_ATTR_SYMBOL && attr->symbol.count) return attr->symbol.path[attr->symbol.count - 1];
  return (ten_str){0};
}

ten_ints ten_attr_as_ints(const ten_attr *attr) {
  if (attr && attr->kind == TEN_ATTR_LIST && attr->list.dtype == TEN_I64)
    return (ten_ints){attr->list.data, attr->list.count};
  if (attr && attr->kind == TEN_ATTR_DENSE &&
      (attr->dense.type->dtype == TEN_I64 || attr->dense.type->dtype == TEN_INDEX) && !attr->dense.splat)
    return (ten_ints){attr->dense.data, attr->dense.size / sizeof(int64_t)};
  return (ten_ints){0};
}

const ten_attr *ten_attr_field(const ten_attr *record, const char *name) {
  if (!record || record->kind != TEN_ATTR_STRUCT) return NULL;
  const ten_struct_info *info = &ten_struct_infos[record->record.id];
  for (uint32_t i = 0; i < info->field_count; i++)
    if (!strcmp(info->fields[i].name, name)) return record->record.fields[i];
  return NULL;
}

const ten_attr *ten_dict_get(const ten_attr *dict, const char *name) {
  if (!dict || dict->kind != TEN_ATTR_DICT) return NULL;
  for (size_t i = 0; i < dict->dict.count; i++)
    if (ten_str_is(dict->dict.items[i].name, name)) return dict->dict.items[i].value;
  return NULL;
}

const void *ten_dense_at(const ten_attr *attr, size_t i) {
  return (const char *)attr->dense.data + (attr->dense.splat ? 0 : i * ten_dtype_bytes(attr->dense.type->dtype));
}

int64_t ten_dense_int(const ten_attr *attr, size_t i) {
  const void *at = ten_dense_at(attr, i);
  switch (attr->dense.type->dtype) {
    case TEN_I2:
    case TEN_I4:
    case TEN_I8: return *(const int8_t *)at;
    case TEN_I1:
    case TEN_UI2:
    case TEN_UI4:
    case TEN_UI8: return *(const uint8_t *)at;
    case TEN_I16: return *(const int16_t *)at;
    case TEN_UI16: return *(const uint16_t *)at;
    case TEN_I32: return *(const int32_t *)at;
    case TEN_UI32: return *(const uint32_t *)at;
    default: return *(const int64_t *)at;
  }
}
