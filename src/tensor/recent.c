/* recent.c: operations of one or two arrays, found by the address of their name and by the types of their operands:
 * what a loop records again and again needs neither its row written nor its key hashed. An operation that is not among
 * them is recorded as any other (record.c) and then remembered. Numbers that are operands are remembered likewise. */
#include "tensor/internal.h"

/* The first of two places where it may be. */
static size_t slot_of(const char *name, size_t count, const tensor_operand *operands) {
  uint64_t mixed = (uintptr_t)name;
  for (size_t i = 0; i < count; i++) {
    const tensor_result *result = tensor_operand_result(&operands[i]);
    mixed = mixed * 31 + (uint64_t)result->dtype * 8 + result->rank;
    if (result->rank) mixed = mixed * 31 + (uint64_t)result->dims[result->rank - 1];
  }
  return (size_t)(mixed * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (TENSOR_RECENT_OPS - 2);
}

static bool same_type(const tensor_recent_type *type, const tensor_result *result) {
  if (type->dtype != result->dtype || type->rank != result->rank) return false;
  for (uint32_t i = 0; i < result->rank; i++)
    if (type->dims[i] != result->dims[i]) return false;
  return true;
}

static bool is_it(const ten_device *device, const tensor_recent *recent, const char *name, size_t count,
                  const tensor_operand *operands) {
  if (recent->address != name || recent->count != count) return false;
  for (size_t i = 0; i < count; i++)
    if (!same_type(&recent->operands[i], tensor_operand_result(&operands[i]))) return false;
  return !strcmp(device->strings.texts.data[recent->name], name); /* other text may have come to that address since */
}

const tensor_recent *tensor_recent_find(const ten_device *device, const char *name, size_t count,
                                        const tensor_operand *operands) {
  const tensor_recent *recent = &device->recent[slot_of(name, count, operands)];
  if (is_it(device, recent, name, count, operands)) return recent;
  return is_it(device, recent + 1, name, count, operands) ? recent + 1 : NULL;
}

void tensor_recent_add(ten_device *device, const char *name, size_t count, const tensor_operand *operands,
                       const tensor_node *node) {
  if (node->word_count > TENSOR_RECENT_WORDS || node->operand_count != count || node->result_count != 1) return;
  for (size_t i = 0; i < count; i++)
    if (tensor_operand_result(&operands[i])->rank > TENSOR_RECENT_RANK) return;
  tensor_recent *recent = &device->recent[slot_of(name, count, operands)];
  recent[1] = recent[0]; /* the older of the two goes */
  *recent = (tensor_recent){.address = name, .count = count, .word_count = node->word_count};
  recent->name = tensor_name(device, name);
  for (size_t i = 0; i < count; i++) {
    const tensor_result *result = tensor_operand_result(&operands[i]);
    recent->operands[i] = (tensor_recent_type){.dtype = result->dtype, .rank = result->rank};
    if (result->rank) memcpy(recent->operands[i].dims, result->dims, result->rank * sizeof *result->dims);
  }
  memcpy(recent->words, node->words, node->word_count * sizeof *node->words);
  const tensor_result *made = &node->results[0];
  recent->type = (tensor_type){.dtype = made->dtype, .rank = made->rank, .checked = node->checked};
  if (made->rank) memcpy(recent->type.dims, made->dims, made->rank * sizeof *made->dims);
}

ten_status *tensor_number_value(ten_device *device, ten_dtype dtype, const void *element, ten_tensor **out_value) {
  const size_t bytes = ten_dtype_bytes(dtype);
  uint64_t bits = 0;
  memcpy(&bits, element, bytes < sizeof bits ? bytes : sizeof bits);
  bits = (bits + (uint64_t)dtype) * UINT64_C(0x9e3779b97f4a7c15) >> 32;
  ten_tensor **stored = &device->numbers[bits & (TENSOR_NUMBERS - 1)];
  *out_value = *stored;
  if (!*stored || (*stored)->dtype != dtype || memcmp((*stored)->data, element, bytes) != 0) {
    TEN_TRY(ten_tensor_create_unset(dtype, 0, NULL, out_value));
    memcpy((*out_value)->data, element, bytes);
    ten_tensor_release(*stored); /* it has no owner who could wait for the lock */
    *stored = *out_value;
  }
  ten_tensor_retain(*out_value);
  return NULL;
}
