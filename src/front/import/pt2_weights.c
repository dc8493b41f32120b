/* pt2_weights.c: parameters, buffers and constants. A contiguous tensor is a view of the archive; one with other
 * strides is copied, once, into the module's arena in row-major order. */
#include <stdio.h>

#include "base/hash.h"
#include "base/size.h"
#include "front/import/pt2_reader.h"

enum { RANK_MAX = 64 };

ten_dtype pt2_dtype(int64_t scalar_type) {
  static const ten_dtype table[] = {
      [1] = TEN_UI8,         [2] = TEN_I8,          [3] = TEN_I16,        [4] = TEN_I32,       [5] = TEN_I64,
      [6] = TEN_F16,         [7] = TEN_F32,         [8] = TEN_F64,        [10] = TEN_C64,      [11] = TEN_C128,
      [12] = TEN_I1,         [13] = TEN_BF16,       [28] = TEN_UI16,      [29] = TEN_F8E4M3FN, [30] = TEN_F8E5M2,
      [31] = TEN_F8E4M3FNUZ, [32] = TEN_F8E5M2FNUZ, [33] = TEN_F8E8M0FNU, [34] = TEN_UI32,     [35] = TEN_UI64};
  return scalar_type > 0 && scalar_type < (int64_t)(sizeof table / sizeof *table) ? table[scalar_type] : TEN_DTYPE_NONE;
}

/* {"as_int": 3} is 3; an expression is TEN_DYNAMIC. */
static bool size_read(const json_t *size, int64_t *out) {
  const json_t *number = json_object_get(size, "as_int");
  if (json_is_integer(number)) return *out = json_integer_value(number), *out >= 0;
  return *out = TEN_DYNAMIC, json_is_object(json_object_get(size, "as_expr"));
}

ten_status *pt2_tensor_type(ten_module *module, const json_t *meta, const char *name, const ten_type **out_type) {
  *out_type = NULL;
  const json_t *sizes = json_object_get(meta, "sizes");
  const ten_dtype dtype = pt2_dtype(pt2_int(meta, "dtype", 0));
  const size_t rank = json_array_size(sizes);
  int64_t dims[RANK_MAX], count = 1;
  if (dtype == TEN_DTYPE_NONE)
    return ten_error(TEN_UNSUPPORTED, "tensor '%s' has element type %lld, which is not supported", name,
                     (long long)pt2_int(meta, "dtype", 0));
  if (!json_is_array(sizes) || rank > RANK_MAX) return ten_error(TEN_INVALID, "tensor '%s' has no shape", name);
  for (size_t i = 0; i < rank; i++) {
    if (!size_read(json_array_get(sizes, i), &dims[i]))
      return ten_error(TEN_INVALID, "tensor '%s': entry %zu of its sizes is not a size", name, i);
    if (dims[i] > 0 && (!ten_mul_i64(count, dims[i], &count) || count > INT64_MAX / 32))
      return ten_error(TEN_LIMIT, "tensor '%s' has too many elements", name);
  }
  const int64_t layout = pt2_int(meta, "layout", 7);
  if (layout != 7) return ten_error(TEN_UNSUPPORTED, "tensor '%s' is sparse, which is not supported", name);
  *out_type = ten_type_tensor(module, dtype, (uint32_t)rank, dims);
  return NULL;
}

static ten_status *strides_read(const json_t *meta, const ten_type *type, const char *name, int64_t *strides,
                                int64_t *offset) {
  const json_t *list = json_object_get(meta, "strides");
  if (json_array_size(list) != type->rank) return ten_error(TEN_INVALID, "weight '%s' has no strides", name);
  for (uint32_t i = 0; i < type->rank; i++)
    if (!size_read(json_array_get(list, i), &strides[i]) || strides[i] == TEN_DYNAMIC)
      return ten_error(TEN_INVALID, "weight '%s': entry %u of its strides is not a stride", name, i);
  for (uint32_t i = 0; i < type->rank; i++)
    if (type->dims[i] <= 1) strides[i] = 0; /* no step is taken: any stride is valid */
  const json_t *start = json_object_get(meta, "storage_offset");
  if (!size_read(start, offset) || *offset == TEN_DYNAMIC) *offset = 0;
  return NULL;
}

static bool is_contiguous(const ten_type *type, const int64_t *strides) {
  int64_t expected = 1;
  for (uint32_t i = type->rank; i-- > 0;) {
    if (type->dims[i] != 1 && strides[i] != expected) return false;
    expected *= type->dims[i];
  }
  return true;
}

/* Elements from the first to the last that the tensor touches; false when that does not fit. */
static bool extent(const ten_type *type, const int64_t *strides, int64_t offset, int64_t *out) {
  int64_t last = offset;
  for (uint32_t i = 0; i < type->rank; i++) {
    int64_t reach;
    if (type->dims[i] == 0) return *out = 0, true;
    if (!ten_mul_i64(type->dims[i] - 1, strides[i], &reach) || !ten_add_i64(last, reach, &last)) return false;
  }
  return ten_add_i64(last, 1, out);
}

static void gather_strided(const ten_type *type, const int64_t *strides, const char *from, char *to) {
  const size_t item = ten_dtype_bytes(type->dtype);
  const int64_t count = ten_type_count(type);
  int64_t at[RANK_MAX] = {0}, place = 0;
  for (int64_t k = 0; k < count; k++) {
    memcpy(to + (size_t)k * item, from + (size_t)place * item, item);
    for (uint32_t i = type->rank; i-- > 0;) {
      place += strides[i];
      if (++at[i] < type->dims[i]) break;
      place -= strides[i] * type->dims[i];
      at[i] = 0;
    }
  }
}

enum { DIGEST_FROM = 1 << 16, SAMPLES = 16, SAMPLE_BYTES = 256 };

/* A table key for a large weight: the archive's checksum, its size, and samples of its bytes. Weights may collide:
 * users compare the data. Small weights are hashed whole by the user. */
static uint64_t digest_of(const ten_zip_entry *entry, const char *data, size_t bytes) {
  if (data != entry->data.data || bytes != entry->data.size || bytes < DIGEST_FROM || !entry->crc) return 0;
  uint64_t digest = ten_hash64(&entry->crc, sizeof entry->crc, bytes);
  for (size_t i = 0; i < SAMPLES; i++)
    digest = ten_hash64(data + (bytes - SAMPLE_BYTES) / (SAMPLES - 1) * i, SAMPLE_BYTES, digest);
  return digest & ~UINT64_C(1); /* not of all of the data: see attr.h */
}

ten_status *pt2_weight(pt2_reader *r, const char *name, const ten_attr **out_attr) {
  *out_attr = NULL;
  const char *folder = "weights";
  const json_t *payload = json_object_get(json_object_get(r->weights, "config"), name);
  if (!payload) folder = "constants", payload = json_object_get(json_object_get(r->constants, "config"), name);
  if (!payload) return ten_error(TEN_NOT_FOUND, "the archive has no data for '%s'", name);
  const char *path_name = json_string_value(json_object_get(payload, "path_name"));
  if (json_is_true(json_object_get(payload, "use_pickle")))
    return ten_error(TEN_UNSUPPORTED, "weight '%s' is a pickled Python object", name);
  if (!path_name) return ten_error(TEN_INVALID, "weight '%s' does not say where it is", name);
  char path[512];
  snprintf(path, sizeof path, "data/%s/%s", folder, path_name);
  const ten_zip_entry *entry = pt2_find(r, path);
  if (!entry) return ten_error(TEN_NOT_FOUND, "the archive has no '%s', the data of '%s'", path, name);
  if (entry->compressed)
    return ten_error(TEN_UNSUPPORTED, "the data of '%s' is compressed; torch.export.save stores it", name);

  const json_t *meta = json_object_get(payload, "tensor_meta");
  const ten_type *type;
  TEN_TRY(pt2_tensor_type(r->module, meta, name, &type));
  if (!ten_type_is_static(type)) return ten_error(TEN_INVALID, "weight '%s' has no fixed shape", name);
  int64_t strides[RANK_MAX], offset, reach;
  TEN_TRY(strides_read(meta, type, name, strides, &offset));
  size_t needed;
  const size_t item = ten_dtype_bytes(type->dtype);
  if (!extent(type, strides, offset, &reach) || !ten_mul((size_t)reach, item, &needed) || needed > entry->data.size)
    return ten_error(TEN_INVALID, "the data of '%s' has %zu bytes, its shape takes more", name, entry->data.size);
  if (ten_type_count(type) == 0) {
    *out_attr = ten_attr_dense_view(r->module, type, "", 0, false);
    return NULL;
  }
  const char *data = entry->data.data + (size_t)offset * item;
  /* An expanded tensor can be much larger than its data: useless to programs, useful to attackers. */
  const size_t bytes = ten_type_bytes(type);
  ten_source *source = r->source;
  if (!is_contiguous(type, strides) || !ten_dtype_is_aligned(type->dtype, data)) {
    if (bytes > (size_t)1 << 36)
      return ten_error(TEN_LIMIT, "weight '%s' takes %zu bytes, more than is supported", name, bytes);
    char *copy = ten_arena_try(&r->module->arena, bytes);
    if (!copy) return ten_error(TEN_LIMIT, "out of memory: weight '%s' takes %zu bytes", name, bytes);
    gather_strided(type, strides, data, copy);
    data = copy;
    source = NULL;
  }
  *out_attr = ten_attr_dense_known(r->module, type, data, bytes, digest_of(entry, data, bytes), source);
  return NULL;
}
