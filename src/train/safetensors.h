/* safetensors.h: named tensors in one file: eight bytes with the size of a JSON header, the header, the data. */
#ifndef TEN_TRAIN_SAFETENSORS_H
#define TEN_TRAIN_SAFETENSORS_H

#include "base/file.h"
#include "value/tensor.h"

typedef struct ten_named_tensor {
  ten_str name;
  const ten_tensor *tensor;
} ten_named_tensor;

typedef struct ten_metadata {
  const char *key, *value;
} ten_metadata;

/* Atomic: a reader sees the old file or the new one. Types outside the format are rejected. */
TEN_MUST_USE ten_status *ten_safetensors_write(const char *path, const ten_named_tensor *tensors, size_t count,
                                               const ten_metadata *metadata, size_t metadata_count);

typedef struct ten_safetensors ten_safetensors;
TEN_MUST_USE ten_status *ten_safetensors_open(const char *path, ten_safetensors **out_file);
void ten_safetensors_close(ten_safetensors *file);
/* A view of the file's data; TEN_NOT_FOUND when there is none of that name. Must not outlive the file. */
TEN_MUST_USE ten_status *ten_safetensors_get(const ten_safetensors *file, ten_str name, ten_tensor **out_tensor);
bool ten_safetensors_has(const ten_safetensors *file, ten_str name);
/* Iterates over the tensors' names: the first one after {0}; {0} at the end. Borrowed. */
ten_str ten_safetensors_next(const ten_safetensors *file, ten_str after);
/* NULL when absent; borrowed. */
const char *ten_safetensors_metadata(const ten_safetensors *file, const char *key);

#endif
