/* record.c: an operation becomes a node: its row, its operands, and the types of its results, which are worked out once
 * for each row and operand types and remembered. */
#include <stdlib.h>

#include "base/hash.h"
#include "ir/ten.h"
#include "tensor/internal.h"

enum { WORDS_SMALL = 96, OPERANDS_SMALL = 16 };

typedef struct row {
  TEN_VEC(uint64_t) words;
  TEN_VEC(tensor_operand) operands;
} row;

static uint64_t bits_of(double number) {
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  return bits;
}

static ten_status *operand_add(ten_device *device, const char *op, ten_array *array, row *r) {
  if (!tensor_is_live(array)) return tensor_live(op, 1, &array);
  if (array->device != device) {
    const bool twice = !strcmp(device->name, array->device->name);
    return ten_error_raises(
        ten_error(TEN_INVALID, "%s: arrays of two devices, \"%s\" and \"%s\"%s: move one of them with to_device", op,
                  device->name, array->device->name, twice ? ", which was opened twice" : ""),
        "ValueError");
  }
  ten_vec_push(&r->words, r->operands.count);
  ten_vec_push(&r->operands, (tensor_operand){array->node, array->result});
  return NULL;
}

static ten_status *argument_add(ten_device *device, const char *op, const ten_argument *argument, row *r) {
  const size_t head = r->words.count;
  ten_vec_push(&r->words, 0);
  switch (argument->kind) {
    case TEN_ARG_NONE: break;
    case TEN_ARG_ARRAY:
      if (!argument->array) return ten_error(TEN_INVALID, "%s: argument '%s' is a NULL array", op, argument->name);
      TEN_TRY(operand_add(device, op, argument->array, r));
      break;
    case TEN_ARG_ARRAYS:
      for (size_t i = 0; i < argument->count; i++) {
        if (argument->arrays[i])
          TEN_TRY(operand_add(device, op, argument->arrays[i], r));
        else
          ten_vec_push(&r->words, UINT64_MAX);
      }
      break;
    case TEN_ARG_BOOL:
    case TEN_ARG_INT:
    case TEN_ARG_DTYPE: ten_vec_push(&r->words, (uint64_t)argument->integer); break;
    case TEN_ARG_FLOAT: ten_vec_push(&r->words, bits_of(argument->real)); break;
    case TEN_ARG_COMPLEX:
      ten_vec_push(&r->words, bits_of(argument->real));
      ten_vec_push(&r->words, bits_of(argument->imag));
      break;
    case TEN_ARG_INTS:
      for (size_t i = 0; i < argument->count; i++) ten_vec_push(&r->words, (uint64_t)argument->ints[i]);
      break;
    case TEN_ARG_FLOATS:
      for (size_t i = 0; i < argument->count; i++) ten_vec_push(&r->words, bits_of(argument->floats[i]));
      break;
    case TEN_ARG_STRING: ten_vec_push(&r->words, tensor_name(device, argument->text)); break;
    default: return ten_error(TEN_INVALID, "%s: argument '%s' is of no kind that there is", op, argument->name);
  }
  r->words.data[head] = tensor_head(tensor_name(device, argument->name), argument->kind, r->words.count - head - 1);
  return NULL;
}

static void inferred_clear(ten_device *device) {
  for (size_t i = 0; i < device->inferred.capacity; i++) {
    free(device->inferred.entries[i].key);
    free(device->inferred.entries[i].types);
  }
  free(device->inferred.entries);
  device->inferred.entries = NULL;
  device->inferred.count = device->inferred.capacity = 0;
}

static void inferred_grow(ten_device *device) {
  const size_t old = device->inferred.capacity, capacity = old ? old * 2 : 256;
  tensor_inferred *was = device->inferred.entries, *entries = ten_alloc(capacity * sizeof *entries);
  memset(entries, 0, capacity * sizeof *entries);
  for (size_t i = 0; i < old; i++) {
    if (!was[i].key) continue;
    size_t slot = was[i].hash & (capacity - 1);
    while (entries[slot].key) slot = (slot + 1) & (capacity - 1);
    entries[slot] = was[i];
  }
  free(was);
  device->inferred.entries = entries;
  device->inferred.capacity = capacity;
}

/* The row, and a type for each operand. */
static void key_make(const row *r, uint32_t result_count, row *key) {
  ten_vec_reserve(&key->words, r->words.count + 1 + r->operands.count * (1 + TENSOR_RANK_MAX));
  memcpy(key->words.data, r->words.data, r->words.count * sizeof *key->words.data);
  key->words.count = r->words.count;
  key->words.data[key->words.count++] = result_count;
  for (size_t i = 0; i < r->operands.count; i++) {
    const tensor_result *result = tensor_operand_result(&r->operands.data[i]);
    key->words.data[key->words.count++] = (uint64_t)result->dtype << 32 | result->rank;
    if (result->rank) memcpy(&key->words.data[key->words.count], result->dims, result->rank * sizeof *result->dims);
    key->words.count += result->rank;
  }
}

static ten_status *infer(ten_device *device, const row *r, uint32_t result_count, row *key, const tensor_type **types) {
  key_make(r, result_count, key);
  const size_t bytes = key->words.count * sizeof *key->words.data;
  const uint64_t hash = ten_hash64(key->words.data, bytes, 0);
  if (device->inferred.count >= TENSOR_INFERRED_MAX) inferred_clear(device);
  if (device->inferred.count * 2 >= device->inferred.capacity) inferred_grow(device);
  size_t slot = hash & (device->inferred.capacity - 1);
  for (; device->inferred.entries[slot].key; slot = (slot + 1) & (device->inferred.capacity - 1)) {
    const tensor_inferred *entry = &device->inferred.entries[slot];
    if (entry->hash == hash && entry->key_count == key->words.count && !memcmp(entry->key, key->words.data, bytes)) {
      *types = entry->types;
      return NULL;
    }
  }
  tensor_type *made = ten_alloc(result_count * sizeof *made);
  const char *name = tensor_text(device, (uint32_t)r->words.data[0]).data;
  ten_status *status = tensor_wrong_types(r->words.data[0], (uint32_t)r->operands.count, r->operands.data);
  if (!status) {
    status = tensor_infer(device, r->words.data, r->words.count, (uint32_t)r->operands.count, r->operands.data,
                          result_count, made);
    status = tensor_wrong_operands(status, name, (uint32_t)r->operands.count, r->operands.data);
  }
  if (status) {
    free(made);
    return status;
  }
  uint64_t *copy = ten_alloc(bytes);
  memcpy(copy, key->words.data, bytes);
  device->inferred.entries[slot] = (tensor_inferred){hash, copy, key->words.count, result_count, made};
  device->inferred.count++;
  *types = made;
  return NULL;
}

/* Runs pending operations once there are too many. What fails is reported where its value is read, not where something
 * else is recorded: until it is tried again, more may be pending. */
static void make_room(ten_device *device) {
  const bool full = device->pending >= TENSOR_PENDING_MAX || device->pending_bytes >= TENSOR_PENDING_BYTES;
  if (!full || device->pending < device->pending_stuck) return;
  ten_status *status = tensor_flush(device);
  device->pending_stuck = status ? device->pending + TENSOR_PENDING_MAX / 64 : 0;
  ten_status_free(status);
}

ten_status *tensor_record_row(ten_device *device, size_t word_count, const uint64_t *words, uint32_t operand_count,
                              const tensor_operand *operands, const tensor_type *types, ten_array **outputs,
                              size_t output_count) {
  TEN_TRY(tensor_usable(device));
  make_room(device);
  tensor_node *node =
      tensor_node_create(device, word_count, words, operand_count, operands, (uint32_t)output_count, types);
  device->recorded++;
  for (size_t i = 0; i < output_count; i++) outputs[i] = tensor_array_new(device, node, (uint32_t)i);
  return NULL;
}

static ten_status *record(ten_device *device, const char *name, const ten_argument *arguments, size_t count,
                          ten_array **outputs, size_t output_count, row *r, row *key) {
  if (!name) return ten_error(TEN_INVALID, "an operation without a name");
  ten_vec_push(&r->words, tensor_name(device, name));
  for (size_t i = 0; i < count; i++) TEN_TRY(argument_add(device, name, &arguments[i], r));
  const tensor_type *types;
  TEN_TRY(infer(device, r, (uint32_t)output_count, key, &types));
  return tensor_record_row(device, r->words.count, r->words.data, (uint32_t)r->operands.count, r->operands.data, types,
                           outputs, output_count);
}

ten_status *tensor_record(ten_device *device, const char *name, const ten_argument *arguments, size_t count,
                          ten_array **outputs, size_t output_count) {
  row r = {0}, key = {0};
  uint64_t words[WORDS_SMALL], key_words[WORDS_SMALL + OPERANDS_SMALL * 4];
  tensor_operand operands[OPERANDS_SMALL];
  /* What fits is on the stack; the vectors grow from there into memory of their own. */
  size_t needed = 1, arrays = 0;
  for (size_t i = 0; i < count; i++) needed += 3 + arguments[i].count, arrays += 1 + arguments[i].count;
  const bool small = needed <= WORDS_SMALL && arrays <= OPERANDS_SMALL;
  if (small) {
    r.words.data = words, r.words.capacity = WORDS_SMALL;
    r.operands.data = operands, r.operands.capacity = OPERANDS_SMALL;
  }
  const bool small_key = small && needed + 1 + arrays * (1 + TENSOR_RANK_MAX) <= sizeof key_words / sizeof *key_words;
  if (small_key) key.words.data = key_words, key.words.capacity = sizeof key_words / sizeof *key_words;
  ten_status *status = record(device, name, arguments, count, outputs, output_count, &r, &key);
  if (!small) {
    ten_vec_free(&r.words);
    ten_vec_free(&r.operands);
  }
  if (!small_key) ten_vec_free(&key.words);
  return status;
}

ten_status *tensor_record_body(ten_device *device, uint32_t string, size_t input_count, ten_array *const *inputs,
                               ten_array **outputs, size_t output_count) {
  const ten_argument arguments[] = {
      {.name = "inputs", .kind = TEN_ARG_ARRAYS, .count = input_count, .arrays = inputs},
      {.name = "body", .kind = TEN_ARG_STRING, .text = device->strings.texts.data[string]}};
  return tensor_record(device, ten_text_INLINE, arguments, 2, outputs, output_count);
}

ten_status *ten_array_op(ten_device *device, const char *name, const ten_argument *arguments, size_t count,
                         ten_array **outputs, size_t output_count) {
  for (size_t i = 0; i < output_count; i++) outputs[i] = NULL;
  TEN_RECOVER("recording an operation");
  if (!device) return ten_error(TEN_INVALID, "an operation without a device");
  if (!output_count || output_count > TENSOR_OUTPUTS_MAX)
    return ten_error(TEN_INVALID, "%s: %zu results; there are 1 to %d", name, output_count, TENSOR_OUTPUTS_MAX);
  tensor_lock(device);
  ten_status *status = tensor_record(device, name, arguments, count, outputs, output_count);
  tensor_unlock(device);
  return status;
}
