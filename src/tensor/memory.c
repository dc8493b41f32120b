/* memory.c: memory of a device's arrays: its pool and its limit, and who holds how much where there is too little. */
#include <stdio.h>
#include <stdlib.h>

#include "base/versioned.h"
#include "tensor/internal.h"

enum { HOLDERS_NAMED = 5, SIZE_TEXT = 32 };

/* ---- counting ---- */
static size_t outside_bytes(const ten_tensor *value) {
  return value->release && !ten_tensor_is_resident(value) ? 0 : value->bytes;
}
static size_t held_bytes(const ten_tensor *value) { return ten_tensor_pool_bytes(value) + outside_bytes(value); }

void tensor_memory_add(ten_device *device, const ten_tensor *value) { device->outside += outside_bytes(value); }
void tensor_memory_remove(ten_device *device, const ten_tensor *value) { device->outside -= outside_bytes(value); }

static size_t node_bytes(const tensor_node *node) {
  size_t bytes = 0;
  for (uint32_t i = 0; i < node->result_count; i++) {
    const ten_tensor *value = node->results[i].value;
    if (value && value->bytes >= TENSOR_HOLDER_BYTES) bytes += held_bytes(value);
  }
  return bytes;
}

void tensor_holder_add(ten_device *device, tensor_node *node) {
  if (node->holds || node->pending || !node_bytes(node)) return;
  node->holds = true;
  node->previous = NULL;
  node->next = device->holders;
  if (node->next) node->next->previous = node;
  device->holders = node;
}

void tensor_holder_remove(ten_device *device, tensor_node *node) {
  if (!node->holds) return;
  node->holds = false;
  *(node->previous ? &node->previous->next : &device->holders) = node->next;
  if (node->next) node->next->previous = node->previous;
}

static size_t used(ten_device *device) {
  ten_mempool_stats stats;
  ten_mempool_get_stats(device->pool, &stats);
  return stats.used + device->outside;
}

/* ---- errors ---- */
typedef struct holder {
  size_t bytes, count;
  uint32_t site;
} holder;

static int by_bytes(const void *a, const void *b) {
  const holder *x = a, *y = b;
  return x->bytes > y->bytes ? -1 : x->bytes < y->bytes;
}

static const char *size_text(size_t bytes, char text[SIZE_TEXT]) {
  static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  double size = (double)bytes;
  size_t unit = 0;
  for (; size >= 1024 && unit < 4; unit++) size /= 1024;
  snprintf(text, SIZE_TEXT, unit ? "%.1f %s" : "%.0f %s", size, units[unit]);
  return text;
}

static void holder_print(const ten_device *device, const holder *of, ten_buf *out) {
  char size[SIZE_TEXT];
  const char *site = of->site ? device->strings.texts.data[of->site - 1] : "an unknown place";
  ten_buf_try_printf(out, "\n    %s in %zu array%s of %s", size_text(of->bytes, size), of->count,
                     of->count == 1 ? "" : "s", site);
}

/* The largest holders, those of one place together. Memory is short here: what does not fit is left out. */
static void holders_print(ten_device *device, ten_buf *out) {
  const size_t sites = device->strings.texts.count + 1;
  holder *holders = calloc(sites, sizeof *holders);
  if (!holders) return;
  for (const tensor_node *node = device->holders; node; node = node->next) {
    holder *of = &holders[node->site < sites ? node->site : 0];
    of->site = node->site < sites ? node->site : 0;
    of->bytes += node_bytes(node);
    of->count++;
  }
  qsort(holders, sites, sizeof *holders, by_bytes);
  for (size_t i = 0; i < sites && i < HOLDERS_NAMED && holders[i].count; i++) holder_print(device, &holders[i], out);
  free(holders);
}

ten_status *tensor_memory_explain(ten_device *device, ten_status *status) {
  if (!status || ten_status_code(status) != TEN_LIMIT) return status;
  ten_buf text = {0};
  char size[SIZE_TEXT];
  holders_print(device, &text);
  status = ten_annotate(status, "arrays on \"%s\" used %s%s%.*s", device->name, size_text(used(device), size),
                        text.size ? ":" : "", (int)text.size, text.size ? text.data : "");
  ten_buf_free(&text);
  return status;
}

static ten_status *admit(ten_device *device, size_t bytes, const char *what) {
  const size_t now = used(device);
  size_t all;
  if (device->limit == SIZE_MAX || (ten_add(now, bytes, &all) && all <= device->limit)) return NULL;
  char size[SIZE_TEXT], limit[SIZE_TEXT];
  ten_status *status = ten_error(TEN_LIMIT, "out of memory: %s for %s, and arrays on \"%s\" may use %s together",
                                 size_text(bytes, size), what, device->name, size_text(device->limit, limit));
  return tensor_memory_explain(device, ten_error_raises(status, "MemoryError"));
}

ten_status *tensor_memory_admit(ten_device *device, const ten_op *func) {
  if (device->limit == SIZE_MAX) return NULL;
  const ten_type *type = ten_func_type(func);
  size_t bytes = 0;
  for (uint32_t i = 0; i < type->result_count; i++)
    if (ten_type_is_static(type->results[i]) && !ten_add(bytes, ten_type_bytes(type->results[i]), &bytes))
      bytes = SIZE_MAX;
  return admit(device, bytes, "results");
}

/* ---- values ---- */
static ten_status *limit_check(ten_device *device, ten_dtype dtype, uint32_t rank, const int64_t *dims) {
  if (__atomic_load_n(&device->limit, __ATOMIC_RELAXED) == SIZE_MAX) return NULL;
  size_t bytes = ten_dtype_bytes(dtype);
  for (uint32_t i = 0; i < rank; i++)
    if (dims[i] < 0 || !ten_mul(bytes, (size_t)dims[i], &bytes)) return NULL; /* an error of another kind */
  tensor_lock(device);
  ten_status *status = admit(device, bytes, "an array");
  tensor_unlock(device);
  return status;
}

ten_status *tensor_value_make(ten_device *device, bool zeroed, ten_dtype dtype, uint32_t rank, const int64_t *dims,
                              ten_tensor **out_value) {
  *out_value = NULL;
  TEN_TRY(limit_check(device, dtype, rank, dims));
  ten_status *status = ten_tensor_create_in(device->pool, zeroed, dtype, rank, dims, out_value);
  if (!status || ten_status_code(status) != TEN_LIMIT) return status;
  tensor_lock(device);
  status = tensor_memory_explain(device, status);
  tensor_unlock(device);
  return status;
}

uint32_t tensor_site(ten_device *device, const char *text) {
  tensor_lock(device);
  const uint32_t site = tensor_string(device, ten_str_of(text)) + 1;
  tensor_unlock(device);
  return site;
}

void ten_array_set_place(ten_array *array, const char *place) {
  TEN_RECOVER_AS("naming a place", );
  __atomic_store_n(&array->node->site, tensor_site(array->device, place), __ATOMIC_RELAXED);
}

/* ---- devices ---- */
ten_status *ten_device_get_stats(ten_device *device, ten_device_stats *out_stats) {
  ten_mempool_stats pool;
  tensor_lock(device);
  ten_mempool_get_stats(device->pool, &pool);
  const ten_device_stats stats = {.bytes = device->bytes,
                                  .bytes_peak = device->bytes_peak,
                                  .pending = device->pending,
                                  .programs = device->programs.count,
                                  .recorded = device->recorded,
                                  .runs = device->runs,
                                  .compiled = device->compiled,
                                  .interpreted_runs = device->interpreted_runs,
                                  .pool_used = pool.used,
                                  .pool_used_peak = pool.used_peak,
                                  .pool_reserved = pool.reserved,
                                  .pool_reserved_peak = pool.reserved_peak,
                                  .memory_limit = device->limit == SIZE_MAX ? 0 : device->limit,
                                  .allocations = pool.allocations,
                                  .reused = pool.reused};
  tensor_unlock(device);
  return TEN_RESULT_FILL(out_stats, &stats, ten_device_stats, interpreted_runs);
}

void ten_device_set_memory_limit(ten_device *device, size_t bytes) {
  tensor_lock(device);
  __atomic_store_n(&device->limit, bytes ? bytes : SIZE_MAX, __ATOMIC_RELAXED);
  ten_mempool_set_limit(device->pool, device->limit);
  tensor_unlock(device);
}

size_t ten_device_trim(ten_device *device, size_t keep) { return ten_mempool_trim(device->pool, keep); }
