/* node.c: operations and values as counted nodes. A node owns a reference to each node that it is made of; the last
 * array that needs it drops it, computed or not. */
#include <stdlib.h>

#include "tensor/internal.h"

static size_t bytes_of(const tensor_type *type) {
  size_t bytes = ten_dtype_bytes(type->dtype);
  for (uint32_t i = 0; i < type->rank; i++)
    if (!ten_mul(bytes, (size_t)type->dims[i], &bytes)) return SIZE_MAX / 2;
  return bytes;
}

static void list_add(ten_device *device, tensor_node *node) {
  node->pending = true;
  node->previous = device->last;
  *(device->last ? &device->last->next : &device->first) = node;
  device->last = node;
  device->pending++;
  device->pending_bytes += node->charge;
}

static void list_remove(ten_device *device, tensor_node *node) {
  if (!node->pending) return;
  node->pending = false;
  *(node->previous ? &node->previous->next : &device->first) = node->next;
  *(node->next ? &node->next->previous : &device->last) = node->previous;
  node->next = node->previous = NULL;
  device->pending--;
  device->pending_bytes -= node->charge;
}

tensor_node *tensor_node_create(ten_device *device, size_t word_count, const uint64_t *words, uint32_t operand_count,
                                const tensor_operand *operands, uint32_t result_count, const tensor_type *types) {
  size_t dim_count = 0;
  for (uint32_t i = 0; i < result_count; i++) dim_count += types[i].rank;
  const size_t size = sizeof(tensor_node) + operand_count * sizeof(tensor_operand) +
                      result_count * sizeof(tensor_result) + word_count * sizeof *words + dim_count * sizeof(int64_t);
  tensor_node *node = ten_alloc(size);
  *node = (tensor_node){.operand_count = operand_count, .result_count = result_count, .word_count = word_count};
  node->results = (tensor_result *)(node + 1);
  node->operands = (tensor_operand *)(node->results + result_count);
  node->words = (uint64_t *)(node->operands + operand_count);
  int64_t *dims = (int64_t *)(node->words + word_count);
  if (word_count) memcpy(node->words, words, word_count * sizeof *words);
  for (uint32_t i = 0; i < operand_count; i++) {
    node->operands[i] = operands[i];
    operands[i].node->references++;
    tensor_operand_result(&operands[i])->users++;
    node->abstract |= operands[i].node->abstract;
    const ten_tensor *value = tensor_operand_result(&operands[i])->value;
    if (value) node->charge += value->bytes;
  }
  for (uint32_t i = 0; i < result_count; i++) {
    node->results[i] = (tensor_result){.dtype = types[i].dtype, .rank = types[i].rank, .dims = dims, .number = -1};
    if (types[i].rank) memcpy(dims, types[i].dims, types[i].rank * sizeof *dims);
    dims += types[i].rank;
    node->charge += bytes_of(&types[i]);
  }
  node->checked = word_count && result_count && types[0].checked;
  node->sequence = ++device->sequence;
  node->taped = device->tapes > 0;
  if (word_count && !node->abstract) list_add(device, node);
  return node;
}

static void value_drop(ten_device *device, tensor_result *result) {
  if (!result->value) return;
  device->bytes -= result->value->bytes;
  tensor_memory_remove(device, result->value);
  ten_vec_push(&device->garbage, result->value);
  result->value = NULL;
}

/* Nodes whose last reference goes wait in a list through `sequence`: chains are long, the stack is not. */
static void drop_operands(tensor_node *node, tensor_node **dead) {
  for (uint32_t i = 0; i < node->operand_count; i++) {
    tensor_node *operand = node->operands[i].node;
    tensor_operand_result(&node->operands[i])->users--;
    if (--operand->references) continue;
    operand->sequence = (uint64_t)(uintptr_t)*dead; /* the list of those that go */
    *dead = operand;
  }
  node->operand_count = 0;
}

static void free_dead(ten_device *device, tensor_node *dead) {
  while (dead) {
    tensor_node *node = dead;
    dead = (tensor_node *)(uintptr_t)node->sequence;
    list_remove(device, node);
    tensor_holder_remove(device, node);
    for (uint32_t i = 0; i < node->result_count; i++) value_drop(device, &node->results[i]);
    drop_operands(node, &dead);
    free(node);
  }
}

void tensor_node_release(ten_device *device, tensor_node *node) {
  if (--node->references) return;
  node->sequence = 0;
  free_dead(device, node);
}

void tensor_node_set(ten_device *device, tensor_node *node, uint32_t result, ten_tensor *value) {
  node->results[result].value = value;
  device->bytes += value->bytes;
  if (device->bytes > device->bytes_peak) device->bytes_peak = device->bytes;
  tensor_memory_add(device, value);
  tensor_holder_add(device, node);
}

static void operands_forget(ten_device *device, tensor_node *node) {
  tensor_node *dead = NULL;
  drop_operands(node, &dead);
  node->word_count = 0;
  node->taped = false;
  free_dead(device, dead);
}

void tensor_node_done(ten_device *device, tensor_node *node) {
  list_remove(device, node);
  tensor_holder_add(device, node);
  if (!node->taped || !device->tapes) {
    operands_forget(device, node);
    return;
  }
  node->references++;
  ten_vec_push(&device->taped, node);
}

void tensor_tape_forget(ten_device *device) {
  for (size_t i = 0; i < device->taped.count; i++) operands_forget(device, device->taped.data[i]);
  for (size_t i = 0; i < device->taped.count; i++) tensor_node_release(device, device->taped.data[i]);
  device->taped.count = 0;
}

ten_array *tensor_array_new(ten_device *device, tensor_node *node, uint32_t result) {
  ten_array *array = ten_alloc(sizeof *array);
  *array = (ten_array){.references = 1, .device = device, .node = node, .result = result};
  if (!device->arrays++) ten_device_retain(device);
  node->references++;
  node->results[result].handles++;
  return array;
}

ten_array *tensor_array_of(ten_device *device, ten_tensor *value) {
  tensor_type type = {.dtype = value->dtype, .rank = value->rank};
  if (value->rank) memcpy(type.dims, value->dims, value->rank * sizeof *type.dims);
  tensor_node *node = tensor_node_create(device, 0, NULL, 0, NULL, 1, &type);
  tensor_node_set(device, node, 0, value);
  return tensor_array_new(device, node, 0);
}

ten_array *ten_array_retain(ten_array *array) {
  if (__atomic_add_fetch(&array->references, 1, __ATOMIC_RELAXED) > 1) return array;
  __atomic_sub_fetch(&array->references, 1, __ATOMIC_RELAXED);
  return NULL; /* it was released */
}

static bool reference_drop(ten_array *array) {
  return __atomic_sub_fetch(&array->references, 1, __ATOMIC_ACQ_REL) == 0;
}

/* Whether it was the device's last array, whose reference to the device the caller gives back. */
static bool array_free(ten_device *device, ten_array *array) {
  if (device->broken) return false; /* whatever it is part of stays */
  tensor_result_of(array)->handles--;
  tensor_node_release(device, array->node);
  array->node = NULL;
  ten_array **place = &device->released[device->released_count++ % TENSOR_RELEASED];
  free(*place);
  *place = array;
  return !--device->arrays;
}

void tensor_array_drop(ten_device *device, ten_array *array) {
  if (reference_drop(array) && array_free(device, array)) ten_device_release(device); /* the caller holds another */
}

void ten_array_release(ten_array *array) {
  if (!array || !reference_drop(array)) return;
  ten_device *device = array->device;
  TEN_RECOVER_AS("releasing an array", );
  tensor_lock(device);
  const bool last = array_free(device, array);
  tensor_unlock(device);
  if (last) ten_device_release(device);
}

/* Of an array that was released there is nothing to tell. */
ten_dtype ten_array_dtype(const ten_array *array) {
  return tensor_is_live(array) ? tensor_result_of(array)->dtype : TEN_DTYPE_NONE;
}
uint32_t ten_array_rank(const ten_array *array) { return tensor_is_live(array) ? tensor_result_of(array)->rank : 0; }
const int64_t *ten_array_dims(const ten_array *array) {
  return tensor_is_live(array) ? tensor_result_of(array)->dims : NULL;
}
ten_device *ten_array_device(const ten_array *array) { return array->device; }

size_t ten_array_count(const ten_array *array) {
  if (!tensor_is_live(array)) return 0;
  const tensor_result *result = tensor_result_of(array);
  size_t count = 1;
  for (uint32_t i = 0; i < result->rank; i++) count *= (size_t)result->dims[i];
  return count;
}
