/* equal.c: structural equality and hashing. Names of values and locations are ignored. Values are matched by position:
 * both sides are numbered in walk order, and operands must have equal numbers. */
#include "base/hash.h"
#include "ir/module.h"

static bool lists_equal(size_t count, const ten_attr *const *a, const ten_attr *const *b) {
  for (size_t i = 0; i < count; i++) {
    if (!a[i] != !b[i]) return false;
    if (a[i] && !ten_attr_equal(a[i], b[i])) return false;
  }
  return true;
}

/* An optional field that is an empty list equals an absent one. */
static bool says_nothing(const ten_attr *attr, const ten_attr_spec *spec) {
  return !attr || (!spec->required && attr->kind == TEN_ATTR_LIST && !attr->list.count);
}

static bool records_equal(const ten_attr *a, const ten_attr *b) {
  if (a->record.id != b->record.id) return false;
  const ten_struct_info *info = &ten_struct_infos[a->record.id];
  for (uint32_t i = 0; i < info->field_count; i++) {
    const ten_attr *left = a->record.fields[i], *right = b->record.fields[i];
    const bool left_empty = says_nothing(left, &info->fields[i]), right_empty = says_nothing(right, &info->fields[i]);
    if (left_empty != right_empty || (!left_empty && !ten_attr_equal(left, right))) return false;
  }
  return true;
}

static bool all_same(const ten_attr *attr) {
  if (attr->dense.splat) return true;
  const size_t element = ten_dtype_bytes(attr->dense.type->dtype);
  return attr->dense.size >= element &&
         !memcmp(attr->dense.data, (const char *)attr->dense.data + element, attr->dense.size - element);
}

static bool dense_equal(const ten_attr *a, const ten_attr *b) {
  if (!ten_type_equal(a->dense.type, b->dense.type)) return false;
  if (a->dense.data == b->dense.data && a->dense.size == b->dense.size) return true;
  const bool known = a->dense.digest && b->dense.digest && !((a->dense.digest ^ b->dense.digest) & 1);
  if (known && a->dense.digest != b->dense.digest) return false;
  if (a->dense.splat == b->dense.splat)
    return a->dense.size == b->dense.size && (!a->dense.size || !memcmp(a->dense.data, b->dense.data, a->dense.size));
  return all_same(a) && all_same(b) && !memcmp(a->dense.data, b->dense.data, ten_dtype_bytes(a->dense.type->dtype));
}

bool ten_attr_equal(const ten_attr *a, const ten_attr *b) {
  if (a == b) return true;
  if (!a || !b || a->kind != b->kind) return false;
  switch (a->kind) {
    case TEN_ATTR_UNIT: return true;
    case TEN_ATTR_INT: return a->integer.value == b->integer.value && ten_type_equal(a->integer.type, b->integer.type);
    case TEN_ATTR_FLOAT:
      return !memcmp(&a->real.value, &b->real.value, sizeof a->real.value) &&
             ten_type_equal(a->real.type, b->real.type);
    case TEN_ATTR_STRING:
    case TEN_ATTR_OPAQUE: return ten_str_eq(a->string, b->string);
    case TEN_ATTR_TYPE: return ten_type_equal(a->type, b->type);
    case TEN_ATTR_SYMBOL:
      if (a->symbol.count != b->symbol.count) return false;
      for (size_t i = 0; i < a->symbol.count; i++)
        if (!ten_str_eq(a->symbol.path[i], b->symbol.path[i])) return false;
      return true;
    case TEN_ATTR_ARRAY:
      return a->array.count == b->array.count && lists_equal(a->array.count, a->array.items, b->array.items);
    case TEN_ATTR_DICT:
      if (a->dict.count != b->dict.count) return false;
      for (size_t i = 0; i < a->dict.count; i++)
        if (!ten_str_eq(a->dict.items[i].name, b->dict.items[i].name) ||
            !ten_attr_equal(a->dict.items[i].value, b->dict.items[i].value))
          return false;
      return true;
    case TEN_ATTR_DENSE: return dense_equal(a, b);
    case TEN_ATTR_RESOURCE:
      if (!ten_type_equal(a->dense.type, b->dense.type) || a->dense.size != b->dense.size) return false;
      return a->dense.data && b->dense.data ? !memcmp(a->dense.data, b->dense.data, a->dense.size)
                                            : ten_str_eq(a->dense.resource, b->dense.resource);
    case TEN_ATTR_LIST:
      return a->list.dtype == b->list.dtype && a->list.count == b->list.count &&
             (!a->list.count || !memcmp(a->list.data, b->list.data, a->list.count * ten_dtype_bytes(a->list.dtype)));
    case TEN_ATTR_ENUM: return a->enumeration.id == b->enumeration.id && a->enumeration.value == b->enumeration.value;
    case TEN_ATTR_STRUCT: return records_equal(a, b);
    case TEN_ATTR_LOC: return true;
  }
  return false;
}

static uint64_t mix(uint64_t hash, uint64_t value) { return ten_hash64(&value, sizeof value, hash); }
static uint64_t mix_str(uint64_t hash, ten_str text) { return ten_hash64(text.data, text.size, hash); }

uint64_t ten_attr_hash(const ten_attr *attr) {
  if (!attr) return 0;
  uint64_t hash = mix(1, (uint64_t)attr->kind);
  switch (attr->kind) {
    case TEN_ATTR_UNIT:
    case TEN_ATTR_LOC: break;
    case TEN_ATTR_INT: return mix(mix(hash, (uint64_t)attr->integer.value), attr->integer.type->hash);
    case TEN_ATTR_FLOAT:
      return mix(ten_hash64(&attr->real.value, sizeof attr->real.value, hash), attr->real.type->hash);
    case TEN_ATTR_STRING:
    case TEN_ATTR_OPAQUE: return mix_str(hash, attr->string);
    case TEN_ATTR_TYPE: return mix(hash, attr->type->hash);
    case TEN_ATTR_SYMBOL:
      for (size_t i = 0; i < attr->symbol.count; i++) hash = mix_str(hash, attr->symbol.path[i]);
      break;
    case TEN_ATTR_ARRAY:
      for (size_t i = 0; i < attr->array.count; i++) hash = mix(hash, ten_attr_hash(attr->array.items[i]));
      break;
    case TEN_ATTR_DICT:
      for (size_t i = 0; i < attr->dict.count; i++)
        hash = mix(mix_str(hash, attr->dict.items[i].name), ten_attr_hash(attr->dict.items[i].value));
      break;
    case TEN_ATTR_DENSE:
    case TEN_ATTR_RESOURCE: {
      hash = mix(hash, attr->dense.type->hash);
      if (!attr->dense.data) return mix_str(hash, attr->dense.resource);
      if (attr->dense.digest) return mix(hash, attr->dense.digest);
      const size_t size =
          attr->dense.size && all_same(attr) ? ten_dtype_bytes(attr->dense.type->dtype) : attr->dense.size;
      return ten_hash64(attr->dense.data, size, hash);
    }
    case TEN_ATTR_LIST: return ten_hash64(attr->list.data, attr->list.count * ten_dtype_bytes(attr->list.dtype), hash);
    case TEN_ATTR_ENUM: return mix(hash, (uint64_t)attr->enumeration.id << 32 | (uint32_t)attr->enumeration.value);
    case TEN_ATTR_STRUCT: {
      const ten_struct_info *info = &ten_struct_infos[attr->record.id];
      for (uint32_t i = 0; i < info->field_count; i++)
        if (!says_nothing(attr->record.fields[i], &info->fields[i]))
          hash = mix(hash, ten_attr_hash(attr->record.fields[i]) + i);
      break;
    }
  }
  return hash;
}

typedef struct comparison {
  uint32_t next;
  ten_buf *why; /* NULL: not requested */
} comparison;

static bool differs(comparison *state, const ten_op *a, const ten_op *b, const char *what) {
  if (state->why && !state->why->size) {
    const ten_loc *left = ten_loc_first_file(a->loc), *right = ten_loc_first_file(b->loc);
    ten_buf_printf(state->why, "%.*s (line %u) and %.*s (line %u): %s", TEN_FMT(a->name), left ? left->line : 0,
                   TEN_FMT(b->name), right ? right->line : 0, what);
  }
  return false;
}

static bool ops_equal(comparison *state, const ten_op *a, const ten_op *b);

static bool regions_equal(comparison *state, const ten_op *a, const ten_op *b, uint32_t r) {
  const ten_block *left = a->regions[r].first, *right = b->regions[r].first;
  for (; left && right; left = left->next, right = right->next) {
    if (left->arg_count != right->arg_count) return differs(state, a, b, "number of block arguments");
    for (uint32_t i = 0; i < left->arg_count; i++) {
      if (!ten_type_equal(left->args[i]->type, right->args[i]->type))
        return differs(state, a, b, "type of a block argument");
      left->args[i]->number = right->args[i]->number = state->next++;
    }
    const ten_op *x = left->first, *y = right->first;
    for (; x && y; x = x->next, y = y->next)
      if (!ops_equal(state, x, y)) return false;
    if (x || y) return differs(state, a, b, x ? "the second ends early" : "the first ends early");
  }
  return !left && !right ? true : differs(state, a, b, "number of blocks");
}

static bool ops_equal(comparison *state, const ten_op *a, const ten_op *b) {
  if (a->code != b->code || !ten_str_eq(a->name, b->name)) return differs(state, a, b, "different ops");
  if (a->operand_count != b->operand_count || a->result_count != b->result_count || a->region_count != b->region_count)
    return differs(state, a, b, "number of operands, results or regions");
  for (uint32_t i = 0; i < a->operand_count; i++) {
    const ten_value *x = a->operands[i].value, *y = b->operands[i].value;
    if (!x != !y || (x && x->number != y->number)) return differs(state, a, b, "operands");
  }
  if (a->attr_count != b->attr_count) return differs(state, a, b, "number of attributes");
  for (uint32_t i = 0; i < a->attr_count; i++)
    if (!ten_str_eq(a->attrs[i].name, b->attrs[i].name) || !ten_attr_equal(a->attrs[i].value, b->attrs[i].value))
      return differs(state, a, b, a->attrs[i].name.data);
  for (uint32_t i = 0; i < a->result_count; i++) {
    if (!ten_type_equal(a->results[i].type, b->results[i].type)) return differs(state, a, b, "type of a result");
    a->results[i].number = b->results[i].number = state->next++;
  }
  for (uint32_t i = 0; i < a->region_count; i++)
    if (!regions_equal(state, a, b, i)) return false;
  return true;
}

bool ten_op_equal(const ten_op *a, const ten_op *b) { return ops_equal(&(comparison){.next = 1}, a, b); }
bool ten_module_equal(const ten_module *a, const ten_module *b) { return ten_op_equal(a->op, b->op); }
bool ten_module_explain(const ten_module *a, const ten_module *b, ten_buf *why) {
  return ops_equal(&(comparison){.next = 1, .why = why}, a->op, b->op);
}

static uint64_t op_hash(const ten_op *op, uint32_t *next, uint64_t hash) {
  hash = op->code == TEN_OP_UNKNOWN ? mix_str(hash, op->name) : mix(hash, (uint64_t)op->code);
  for (uint32_t i = 0; i < op->operand_count; i++)
    hash = mix(hash, op->operands[i].value ? op->operands[i].value->number : 0);
  for (uint32_t i = 0; i < op->attr_count; i++)
    hash = mix(mix_str(hash, op->attrs[i].name), ten_attr_hash(op->attrs[i].value));
  for (uint32_t i = 0; i < op->result_count; i++) {
    hash = mix(hash, op->results[i].type->hash);
    op->results[i].number = (*next)++;
  }
  for (uint32_t r = 0; r < op->region_count; r++)
    for (const ten_block *block = op->regions[r].first; block; block = block->next) {
      hash = mix(hash, block->arg_count);
      for (uint32_t i = 0; i < block->arg_count; i++) {
        hash = mix(hash, block->args[i]->type->hash);
        block->args[i]->number = (*next)++;
      }
      for (const ten_op *inner = block->first; inner; inner = inner->next) hash = op_hash(inner, next, hash);
    }
  return mix(hash, op->region_count);
}

uint64_t ten_op_hash(const ten_op *op) {
  uint32_t next = 1;
  return op_hash(op, &next, 0);
}
