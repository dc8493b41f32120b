/* safetensors.c: reads and writes the format. The header is untrusted: every offset is checked against the file and
 * the shape. */
#include "train/safetensors.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#include "base/size.h"

enum { HEADER_MOST = 100 << 20 }; /* limit of the format */

static const struct {
  const char *name;
  ten_dtype dtype;
} types[] = {{"BOOL", TEN_I1}, {"U8", TEN_UI8},           {"I8", TEN_I8},          {"U16", TEN_UI16},
             {"I16", TEN_I16}, {"U32", TEN_UI32},         {"I32", TEN_I32},        {"U64", TEN_UI64},
             {"I64", TEN_I64}, {"F16", TEN_F16},          {"BF16", TEN_BF16},      {"F32", TEN_F32},
             {"F64", TEN_F64}, {"F8_E4M3", TEN_F8E4M3FN}, {"F8_E5M2", TEN_F8E5M2}, {"C64", TEN_C64}};
enum { TYPE_COUNT = sizeof types / sizeof *types };

struct ten_safetensors {
  ten_file file;
  json_t *header;
  const char *data;
  size_t size; /* of the data */
};

static const char *type_name(ten_dtype dtype) {
  for (size_t i = 0; i < TYPE_COUNT; i++)
    if (types[i].dtype == dtype) return types[i].name;
  return NULL;
}

static ten_status *describe(const ten_named_tensor *tensors, size_t count, const ten_metadata *metadata,
                            size_t metadata_count, json_t *header) {
  json_t *notes = json_object();
  for (size_t i = 0; i < metadata_count; i++)
    json_object_set_new(notes, metadata[i].key, json_string(metadata[i].value));
  json_object_set_new(header, "__metadata__", notes);
  json_int_t at = 0;
  for (size_t i = 0; i < count; i++) {
    const ten_tensor *tensor = tensors[i].tensor;
    const char *name = type_name(tensor->dtype);
    if (!name)
      return ten_error(TEN_UNSUPPORTED, "safetensors has no name for %s ('%.*s')", ten_dtype_name(tensor->dtype),
                       TEN_FMT(tensors[i].name));
    json_t *shape = json_array();
    for (uint32_t d = 0; d < tensor->rank; d++) json_array_append_new(shape, json_integer(tensor->dims[d]));
    json_t *entry = json_pack("{s:s, s:o, s:[I, I]}", "dtype", name, "shape", shape, "data_offsets", at,
                              at + (json_int_t)tensor->bytes);
    if (json_object_setn_new(header, tensors[i].name.data, tensors[i].name.size, entry))
      return ten_error(TEN_INVALID, "'%.*s' cannot be a name in JSON", TEN_FMT(tensors[i].name));
    at += (json_int_t)tensor->bytes;
  }
  return NULL;
}

ten_status *ten_safetensors_write(const char *path, const ten_named_tensor *tensors, size_t count,
                                  const ten_metadata *metadata, size_t metadata_count) {
  TEN_RECOVER("writing safetensors");
  json_t *header = json_object();
  ten_status *status = describe(tensors, count, metadata, metadata_count, header);
  char *text = status ? NULL : json_dumps(header, JSON_COMPACT);
  json_decref(header);
  if (status) return status;
  ten_buf head = {0};
  ten_buf_adds(&head, text);
  while (head.size % 8) ten_buf_addc(&head, ' '); /* data starts aligned */
  free(text);
  const uint64_t size = head.size;
  ten_str *parts = ten_alloc((count + 2) * sizeof *parts);
  parts[0] = (ten_str){(const char *)&size, sizeof size};
  parts[1] = (ten_str){head.data, head.size};
  for (size_t i = 0; i < count; i++) parts[i + 2] = (ten_str){tensors[i].tensor->data, tensors[i].tensor->bytes};
  status = ten_file_write_parts(path, parts, count + 2);
  free(parts);
  ten_buf_free(&head);
  return status;
}

ten_status *ten_safetensors_open(const char *path, ten_safetensors **out_file) {
  *out_file = NULL;
  TEN_RECOVER("reading safetensors");
  ten_safetensors *f = ten_alloc(sizeof *f);
  ten_status *status = ten_file_map(path, &f->file);
  uint64_t size = 0;
  if (!status && f->file.size >= 8) memcpy(&size, f->file.data, 8);
  if (!status && (f->file.size < 8 || size > HEADER_MOST || size > f->file.size - 8))
    status = ten_error(TEN_INVALID, "%s is not a safetensors file", path);
  if (!status) {
    json_error_t error;
    f->header = json_loadb(f->file.data + 8, (size_t)size, JSON_REJECT_DUPLICATES, &error);
    if (!json_is_object(f->header))
      status =
          ten_error(TEN_INVALID, "%s: its header cannot be read: %s", path, f->header ? "not an object" : error.text);
    f->data = f->file.data + 8 + size;
    f->size = f->file.size - 8 - (size_t)size;
  }
  if (status) {
    ten_safetensors_close(f);
    return status;
  }
  *out_file = f;
  return NULL;
}

void ten_safetensors_close(ten_safetensors *file) {
  if (!file) return;
  json_decref(file->header);
  ten_file_unmap(&file->file);
  free(file);
}

ten_status *ten_safetensors_get(const ten_safetensors *file, ten_str name, ten_tensor **out_tensor) {
  *out_tensor = NULL;
  TEN_RECOVER("reading safetensors");
  const json_t *entry = json_object_getn(file->header, name.data, name.size);
  if (!entry) return ten_error(TEN_NOT_FOUND, "there is no tensor '%.*s'", TEN_FMT(name));
  const char *type = json_string_value(json_object_get(entry, "dtype"));
  const json_t *shape = json_object_get(entry, "shape"), *offsets = json_object_get(entry, "data_offsets");
  const json_int_t from = json_integer_value(json_array_get(offsets, 0)),
                   to = json_integer_value(json_array_get(offsets, 1));
  ten_dtype dtype = TEN_DTYPE_NONE;
  for (size_t i = 0; type && i < TYPE_COUNT; i++)
    if (!strcmp(types[i].name, type)) dtype = types[i].dtype;
  const size_t rank = json_array_size(shape);
  if (!dtype || rank > TEN_RANK_MAX || from < 0 || to < from || (uint64_t)to > file->size)
    return ten_error(TEN_INVALID, "tensor '%.*s' has a type, shape or place that cannot be right", TEN_FMT(name));
  int64_t dims[TEN_RANK_MAX];
  size_t bytes = ten_dtype_bytes(dtype);
  for (size_t i = 0; i < rank; i++) {
    const json_t *size = json_array_get(shape, i);
    dims[i] = json_integer_value(size);
    if (!json_is_integer(size) || dims[i] < 0 || !ten_mul(bytes, (size_t)dims[i], &bytes))
      return ten_error(TEN_INVALID, "tensor '%.*s' has a shape that cannot be right", TEN_FMT(name));
  }
  if (bytes != (size_t)(to - from))
    return ten_error(TEN_INVALID, "tensor '%.*s' has %" PRId64 " bytes, its shape says %zu", TEN_FMT(name),
                     (int64_t)(to - from), bytes);
  return ten_tensor_from_memory(dtype, (uint32_t)rank, dims, (void *)(file->data + from), NULL, NULL, out_tensor);
}

bool ten_safetensors_has(const ten_safetensors *file, ten_str name) {
  return json_object_getn(file->header, name.data, name.size) != NULL;
}

ten_str ten_safetensors_next(const ten_safetensors *file, ten_str after) {
  void *at = json_object_iter(file->header);
  if (after.data) {
    at = json_object_key_to_iter(after.data);
    at = json_object_iter_next(file->header, at);
  }
  if (at && !strcmp(json_object_iter_key(at), "__metadata__")) at = json_object_iter_next(file->header, at);
  return at ? (ten_str){json_object_iter_key(at), json_object_iter_key_len(at)} : (ten_str){0};
}

const char *ten_safetensors_metadata(const ten_safetensors *file, const char *key) {
  return json_string_value(json_object_get(json_object_get(file->header, "__metadata__"), key));
}
