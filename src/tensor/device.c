/* device.c: devices of arrays: opening, counting, strings by number. */
#include <stdlib.h>

#include "base/hash.h"
#include "driver/devices.h"
#include "tensor/internal.h"

ten_status *ten_device_open(const char *name, ten_device **out_device) {
  *out_device = NULL;
  TEN_RECOVER("opening a device");
  const ten_backend *backend = ten_backend_default();
  if (name) TEN_TRY(ten_backend_open(name, &backend));
  ten_buf text = {0};
  ten_status *status = backend->describe(backend, &text);
  if (status) {
    ten_buf_free(&text);
    return ten_annotate(status, "opening the device \"%s\"", name ? name : backend->name);
  }
  ten_device *device = ten_alloc(sizeof *device);
  *device = (ten_device){.references = 1, .forks = ten_forks(), .backend = backend, .limit = SIZE_MAX};
  device->pool = ten_mempool_create();
  if (!device->pool) {
    ten_buf_free(&text);
    free(device);
    return ten_error(TEN_LIMIT, "out of memory: a pool of host memory");
  }
  const ten_backend *kind = backend->first ? backend->first : backend;
  const bool in_table = ten_backend_find(ten_str_of(kind->name)) == kind;
  device->name = ten_strdup(in_table ? backend->name : name);
  device->kind = kind->name;
  device->description = ten_buf_take(&text);
  device->recent = ten_renew(NULL, TENSOR_RECENT_OPS * sizeof *device->recent);
  if (backend == ten_backend_default())
    device->small = ten_backend_find(TEN_STR("interp"));
  else if (strcmp(backend->name, "interp") != 0)
    device->mover = ten_backend_find(TEN_STR("interp"));
  tensor_refusals_number(device);
  ten_mutex_init(&device->mutex);
  *out_device = device;
  return NULL;
}

ten_device *ten_device_retain(ten_device *device) {
  __atomic_add_fetch(&device->references, 1, __ATOMIC_RELAXED);
  return device;
}

void ten_device_release(ten_device *device) {
  if (!device || __atomic_sub_fetch(&device->references, 1, __ATOMIC_ACQ_REL)) return;
  for (size_t i = 0; i < device->programs.count; i++) tensor_program_free(device->programs.data[i]);
  ten_vec_free(&device->programs);
  free(device->program_table.slots);
  for (size_t i = 0; i < device->inferred.capacity; i++) {
    free(device->inferred.entries[i].key);
    free(device->inferred.entries[i].types);
  }
  free(device->inferred.entries);
  for (size_t i = 0; i < device->strings.texts.count; i++) free(device->strings.texts.data[i]);
  ten_vec_free(&device->strings.texts);
  free(device->strings.slots);
  free(device->recent);
  ten_tensors_release(device->numbers, TENSOR_NUMBERS);
  tensor_graph_free(&device->walked);
  ten_vec_free(&device->garbage);
  ten_vec_free(&device->taped);
  for (size_t i = 0; i < TENSOR_RELEASED; i++) free(device->released[i]);
  ten_mempool_release(device->pool);
  ten_mutex_destroy(&device->mutex);
  free(device->name);
  free(device->description);
  free(device);
}

const char *ten_device_name_at(size_t index) {
  for (const ten_backend *const *backend = ten_backends; *backend; backend++) {
    if ((*backend)->internal) continue;
    if (!index--) return (*backend)->name;
  }
  return NULL;
}

const char *ten_device_get_name(const ten_device *device) { return device->name; }
const char *ten_device_get_kind(const ten_device *device) { return device->kind; }
unsigned ten_device_get_index(const ten_device *device) { return device->backend->index; }
const char *ten_device_get_description(const ten_device *device) { return device->description; }

ten_status *ten_device_synchronize(ten_device *device) {
  TEN_RECOVER("running what was recorded");
  tensor_lock(device);
  ten_status *status = tensor_flush(device);
  tensor_unlock(device);
  return status;
}

/* In a child: what another thread of the parent was doing when it forked. */
static void fork_notice(ten_device *device) {
  device->forks = ten_forks();
  if (device->use == TENSOR_CHANGES) device->broken = true;
  if (device->use == TENSOR_RUNS && device->walking) {
    tensor_graph_reset(&device->walked);
    device->walking = false;
  }
}

void tensor_lock(ten_device *device) {
  ten_mutex_lock(&device->mutex);
  if (device->forks != ten_forks()) fork_notice(device);
  device->use = TENSOR_CHANGES;
}

ten_status *tensor_usable(const ten_device *device) {
  if (!device->broken) return NULL;
  return ten_error(TEN_UNSUPPORTED,
                   "this process was forked while another thread used arrays on \"%s\", which cannot be used here: "
                   "fork before threads use arrays, or start processes by \"spawn\"",
                   device->name);
}

/* Releasing a value may call its owner, who may wait for a lock that a thread holds that waits for this device. */
void tensor_unlock(ten_device *device) {
  device->use = TENSOR_IDLE;
  if (!device->garbage.count) {
    ten_mutex_unlock(&device->mutex);
    return;
  }
  ten_tensor **values = device->garbage.data;
  const size_t count = device->garbage.count;
  device->garbage.data = NULL;
  device->garbage.count = device->garbage.capacity = 0;
  ten_mutex_unlock(&device->mutex);
  ten_tensors_release(values, count);
  free(values);
}

static void strings_grow(tensor_strings *strings) {
  const size_t capacity = strings->capacity ? strings->capacity * 2 : 256;
  strings->slots = ten_renew(strings->slots, capacity * sizeof *strings->slots);
  strings->capacity = capacity;
  for (uint32_t i = 0; i < strings->texts.count; i++) {
    const char *text = strings->texts.data[i];
    size_t slot = ten_hash64(text, strlen(text), 0) & (capacity - 1);
    while (strings->slots[slot]) slot = (slot + 1) & (capacity - 1);
    strings->slots[slot] = i + 1;
  }
}

uint32_t tensor_string(ten_device *device, ten_str text) {
  tensor_strings *strings = &device->strings;
  if (strings->texts.count * 2 >= strings->capacity) strings_grow(strings);
  size_t slot = ten_hash64(text.data, text.size, 0) & (strings->capacity - 1);
  for (; strings->slots[slot]; slot = (slot + 1) & (strings->capacity - 1))
    if (ten_str_is(text, strings->texts.data[strings->slots[slot] - 1])) return strings->slots[slot] - 1;
  char *copy = ten_alloc(text.size + 1);
  memcpy(copy, text.data, text.size);
  copy[text.size] = 0;
  ten_vec_push(&strings->texts, copy);
  strings->slots[slot] = (uint32_t)strings->texts.count;
  return (uint32_t)strings->texts.count - 1;
}

uint32_t tensor_name(ten_device *device, const char *text) {
  if (!text) text = "";
  tensor_strings *strings = &device->strings;
  const uintptr_t address = (uintptr_t)text;
  const size_t slot = (address >> 3 ^ address >> 9) & (TENSOR_RECENT - 1);
  if (strings->recent[slot].address == text) { /* other text may have come to that address since */
    const char *stored = strings->texts.data[strings->recent[slot].number];
    if (stored == text || !strcmp(stored, text)) return strings->recent[slot].number;
  }
  strings->recent[slot].number = tensor_string(device, ten_str_of(text));
  strings->recent[slot].address = text;
  return strings->recent[slot].number;
}
