/* type.c: unique types. Each constructor fills a candidate on the stack; `intern` finds its equal in the module or
 * copies it. */
#include "ir/type.h"

#include <stdlib.h>

#include "base/size.h"
#include "ir/module.h"

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
  return hash * 0xff51afd7ed558ccdu;
}

static uint64_t bytes_hash(uint64_t hash, const void *data, size_t size) {
  const unsigned char *bytes = data;
  for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * 0x100000001b3u;
  return mix(hash, size);
}

static uint64_t type_hash(const ten_type *type) {
  uint64_t hash = mix((uint64_t)type->kind * 31 + (uint64_t)type->dtype, type->ranked);
  if (type->rank) hash = bytes_hash(hash, type->dims, type->rank * sizeof *type->dims);
  if (type->element) hash = mix(hash, type->element->hash);
  if (type->encoding) hash = mix(hash, ten_attr_hash(type->encoding));
  if (type->quant) {
    hash = mix(hash, (uint64_t)type->quant->expressed);
    hash = bytes_hash(hash, type->quant->scales, type->quant->count * sizeof(double));
  }
  for (uint32_t i = 0; i < type->input_count; i++) hash = mix(hash, type->inputs[i]->hash);
  for (uint32_t i = 0; i < type->result_count; i++) hash = mix(hash, type->results[i]->hash + 1);
  return type->text.size ? bytes_hash(hash, type->text.data, type->text.size) : hash;
}

static bool same_bytes(const void *a, const void *b, size_t size) { return !size || !memcmp(a, b, size); }

static bool quant_equal(const ten_quant *a, const ten_quant *b) {
  if (a == b) return true;
  if (!a || !b) return false;
  return a->storage == b->storage && a->expressed == b->expressed && a->storage_min == b->storage_min &&
         a->storage_max == b->storage_max && a->is_signed == b->is_signed && a->axis_count == b->axis_count &&
         a->count == b->count && a->block_rank == b->block_rank && !a->block_sizes == !b->block_sizes &&
         same_bytes(a->axes, b->axes, a->axis_count * sizeof *a->axes) &&
         (!a->block_sizes || same_bytes(a->block_sizes, b->block_sizes, a->axis_count * sizeof *a->block_sizes)) &&
         same_bytes(a->blocks, b->blocks, a->block_rank * sizeof *a->blocks) &&
         same_bytes(a->scales, b->scales, a->count * sizeof *a->scales) &&
         same_bytes(a->zero_points, b->zero_points, a->count * sizeof *a->zero_points);
}

static bool list_equal(uint32_t count, const ten_type *const *a, const ten_type *const *b) {
  for (uint32_t i = 0; i < count; i++)
    if (!ten_type_equal(a[i], b[i])) return false;
  return true;
}

bool ten_type_equal(const ten_type *a, const ten_type *b) {
  if (a == b) return true;
  if (a->hash != b->hash || a->kind != b->kind || a->dtype != b->dtype || a->ranked != b->ranked || a->rank != b->rank)
    return false;
  if (a->input_count != b->input_count || a->result_count != b->result_count || !ten_str_eq(a->text, b->text))
    return false;
  if (!same_bytes(a->dims, b->dims, a->rank * sizeof *a->dims) || !quant_equal(a->quant, b->quant)) return false;
  if (!a->element != !b->element || (a->element && !ten_type_equal(a->element, b->element))) return false;
  if (!a->encoding != !b->encoding || (a->encoding && !ten_attr_equal(a->encoding, b->encoding))) return false;
  return list_equal(a->input_count, a->inputs, b->inputs) && list_equal(a->result_count, a->results, b->results);
}

static void grow(ten_module *module) {
  const size_t capacity = module->type_capacity ? module->type_capacity * 2 : 64;
  const ten_type **types = ten_alloc(capacity * sizeof *types);
  for (size_t i = 0; i < module->type_capacity; i++) {
    const ten_type *type = module->types[i];
    if (!type) continue;
    size_t at = type->hash & (capacity - 1);
    while (types[at]) at = (at + 1) & (capacity - 1);
    types[at] = type;
  }
  free(module->types);
  module->types = types;
  module->type_capacity = capacity;
}

static const ten_quant *quant_copy(ten_arena *arena, const ten_quant *quant) {
  ten_quant *copy = ten_arena_copy(arena, quant, sizeof *quant);
  copy->axes = ten_arena_copy(arena, quant->axes, quant->axis_count * sizeof *quant->axes);
  if (quant->block_sizes)
    copy->block_sizes = ten_arena_copy(arena, quant->block_sizes, quant->axis_count * sizeof(int64_t));
  copy->blocks = ten_arena_copy(arena, quant->blocks, quant->block_rank * sizeof *quant->blocks);
  copy->scales = ten_arena_copy(arena, quant->scales, quant->count * sizeof *quant->scales);
  copy->zero_points = ten_arena_copy(arena, quant->zero_points, quant->count * sizeof *quant->zero_points);
  return copy;
}

static const ten_type *intern(ten_module *module, ten_type *candidate) {
  candidate->hash = type_hash(candidate);
  if (module->type_count * 4 >= module->type_capacity * 3) grow(module);
  size_t at = candidate->hash & (module->type_capacity - 1);
  for (; module->types[at]; at = (at + 1) & (module->type_capacity - 1))
    if (ten_type_equal(module->types[at], candidate)) return module->types[at];
  ten_type *type = ten_arena_copy(&module->arena, candidate, sizeof *candidate);
  if (type->rank) type->dims = ten_arena_copy(&module->arena, type->dims, type->rank * sizeof *type->dims);
  if (type->input_count)
    type->inputs = ten_arena_copy(&module->arena, type->inputs, type->input_count * sizeof *type->inputs);
  if (type->result_count)
    type->results = ten_arena_copy(&module->arena, type->results, type->result_count * sizeof *type->results);
  if (type->kind == TEN_TYPE_QUANT) type->quant = quant_copy(&module->arena, type->quant);
  if (type->text.size) type->text.data = ten_arena_strdup(&module->arena, type->text.data, type->text.size);
  module->types[at] = type;
  module->type_count++;
  return type;
}

const ten_type *ten_type_scalar(ten_module *module, ten_dtype dtype) {
  return intern(module, &(ten_type){.kind = TEN_TYPE_SCALAR, .dtype = dtype});
}

const ten_type *ten_type_quant(ten_module *module, const ten_quant *quant) {
  return intern(module, &(ten_type){.kind = TEN_TYPE_QUANT, .dtype = quant->storage, .quant = quant});
}

static const ten_type *shaped(ten_module *module, ten_type_kind kind, const ten_type *element, bool ranked,
                              uint32_t rank, const int64_t *dims, const ten_attr *encoding) {
  ten_type type = {.kind = kind,
                   .dtype = element->dtype,
                   .ranked = ranked,
                   .rank = ranked ? rank : 0,
                   .dims = ranked ? dims : NULL,
                   .element = element,
                   .encoding = encoding,
                   .quant = element->quant};
  return intern(module, &type);
}

const ten_type *ten_type_tensor_of(ten_module *module, const ten_type *element, bool ranked, uint32_t rank,
                                   const int64_t *dims, const ten_attr *encoding) {
  return shaped(module, TEN_TYPE_TENSOR, element, ranked, rank, dims, encoding);
}

const ten_type *ten_type_buffer_of(ten_module *module, const ten_type *element, bool ranked, uint32_t rank,
                                   const int64_t *dims, const ten_attr *encoding) {
  return shaped(module, TEN_TYPE_BUFFER, element, ranked, rank, dims, encoding);
}

const ten_type *ten_type_tensor(ten_module *module, ten_dtype dtype, uint32_t rank, const int64_t *dims) {
  return ten_type_tensor_of(module, ten_type_scalar(module, dtype), true, rank, dims, NULL);
}

const ten_type *ten_type_with_dtype(ten_module *module, const ten_type *like, ten_dtype dtype) {
  return ten_type_tensor_of(module, ten_type_scalar(module, dtype), like->ranked, like->rank, like->dims,
                            like->encoding);
}

const ten_type *ten_type_with_shape(ten_module *module, const ten_type *like, uint32_t rank, const int64_t *dims) {
  return ten_type_tensor_of(module, like->element, true, rank, dims, NULL);
}

const ten_type *ten_type_tuple(ten_module *module, uint32_t count, const ten_type *const *elements) {
  return intern(module, &(ten_type){.kind = TEN_TYPE_TUPLE, .inputs = elements, .input_count = count});
}

const ten_type *ten_type_future(ten_module *module, uint32_t count, const ten_type *const *elements) {
  return intern(module, &(ten_type){.kind = TEN_TYPE_FUTURE, .inputs = elements, .input_count = count});
}

const ten_type *ten_type_function(ten_module *module, uint32_t input_count, const ten_type *const *inputs,
                                  uint32_t result_count, const ten_type *const *results) {
  return intern(module, &(ten_type){.kind = TEN_TYPE_FUNCTION,
                                    .inputs = inputs,
                                    .input_count = input_count,
                                    .results = results,
                                    .result_count = result_count});
}

const ten_type *ten_type_token(ten_module *module) { return intern(module, &(ten_type){.kind = TEN_TYPE_TOKEN}); }
const ten_type *ten_type_none(ten_module *module) { return intern(module, &(ten_type){.kind = TEN_TYPE_NONE}); }

const ten_type *ten_type_opaque(ten_module *module, ten_str text) {
  return intern(module, &(ten_type){.kind = TEN_TYPE_OPAQUE, .text = text});
}

static const ten_type *const *import_list(ten_module *module, uint32_t count, const ten_type *const *types) {
  const ten_type **list = ten_arena_new_array(&module->arena, const ten_type *, count);
  for (uint32_t i = 0; i < count; i++) list[i] = ten_type_import(module, types[i]);
  return list;
}

const ten_type *ten_type_import(ten_module *module, const ten_type *type) {
  if (module->type_capacity) { /* usually found without a copy */
    size_t at = type->hash & (module->type_capacity - 1);
    for (; module->types[at]; at = (at + 1) & (module->type_capacity - 1))
      if (ten_type_equal(module->types[at], type)) return module->types[at];
  }
  ten_type copy = *type;
  if (type->element) {
    copy.element = ten_type_import(module, type->element);
    copy.quant = copy.element->quant;
  }
  if (type->encoding) copy.encoding = ten_attr_import(module, type->encoding, false);
  if (type->input_count) copy.inputs = import_list(module, type->input_count, type->inputs);
  if (type->result_count) copy.results = import_list(module, type->result_count, type->results);
  return intern(module, &copy);
}

bool ten_type_is_static(const ten_type *type) {
  if (type->kind != TEN_TYPE_TENSOR || !type->ranked) return false;
  for (uint32_t i = 0; i < type->rank; i++)
    if (type->dims[i] == TEN_DYNAMIC) return false;
  return true;
}

int64_t ten_type_count(const ten_type *type) {
  int64_t count = 1;
  for (uint32_t i = 0; i < type->rank; i++)
    if (type->dims[i] == 0) return 0;
  for (uint32_t i = 0; i < type->rank; i++)
    if (type->dims[i] < 0 || !ten_mul_i64(count, type->dims[i], &count)) return INT64_MAX;
  return count;
}

size_t ten_type_bytes(const ten_type *type) {
  if (type->kind == TEN_TYPE_TOKEN) return 0;
  size_t bytes;
  const int64_t count = ten_type_count(type);
  if (count == INT64_MAX || !ten_mul((size_t)count, ten_dtype_bytes(type->dtype), &bytes)) return SIZE_MAX;
  return bytes;
}

int64_t ten_type_bound(const ten_type *type, uint32_t i) {
  if (type->dims[i] != TEN_DYNAMIC || !type->encoding) return type->dims[i];
  const ten_ints bounds = ten_attr_as_ints(ten_attr_field(type->encoding, "bounds"));
  return i < bounds.count ? bounds.data[i] : TEN_DYNAMIC;
}
