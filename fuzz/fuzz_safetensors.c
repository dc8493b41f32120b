/* fuzz_safetensors.c: any bytes as a safetensors file; with an odd first byte they are a header whose size is right,
 * and the data after it. Every byte of every tensor that is given must be there. */
#include <jansson.h>

#include "input.h"
#include "train/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_all(const ten_safetensors *file, const char *header, size_t size) {
  json_t *names = json_loadb(header, size, 0, NULL);
  const char *name;
  json_t *value;
  json_object_foreach(names, name, value) {
    ten_tensor *tensor = NULL;
    ten_status *status = ten_safetensors_get(file, ten_str_of(name), &tensor);
    volatile unsigned char sum = 0;
    for (size_t i = 0; !status && i < tensor->bytes; i++)
      sum = (unsigned char)(sum + ((unsigned char *)tensor->data)[i]);
    ten_tensor_release(tensor);
    ten_status_free(status);
    (void)ten_safetensors_metadata(file, name);
  }
  json_decref(names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_bytes in = {data, size};
  const bool framed = fuzz_byte(&in) & 1;
  ten_buf made = {0};
  const uint8_t *end = in.size ? memchr(in.data, 0, in.size) : NULL;
  const uint64_t header = end ? (uint64_t)(end - in.data) : in.size;
  if (framed) ten_buf_add(&made, &header, sizeof header);
  ten_buf_add(&made, in.data, (size_t)header);
  if (end) ten_buf_add(&made, end + framed, in.size - (size_t)header - framed);
  char path[32];
  const int fd = fuzz_file(made.data, made.size, path);
  ten_safetensors *file;
  ten_status *status = ten_safetensors_open(path, &file);
  uint64_t told = 0;
  if (!status) memcpy(&told, made.data, 8);
  if (!status) read_all(file, made.data + 8, (size_t)told);
  ten_safetensors_close(file);
  ten_status_free(status);
  close(fd);
  ten_buf_free(&made);
  return 0;
}
