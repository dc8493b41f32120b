/* fuzz_npy.c: any bytes as a .npy file. The first byte chooses the type that is wanted. */
#include <stdint.h>
#include <stdlib.h>

#include "base/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!size) return 0;
  ten_npy array;
  const ten_dtype wanted = (ten_dtype)(data[0] % TEN_DTYPE_COUNT);
  ten_status *status = ten_npy_parse((ten_str){(const char *)data + 1, size - 1}, "fuzz", wanted, &array);
  if (!status) {
    /* Every byte that is promised is there. */
    volatile unsigned char sum = 0;
    for (size_t i = 0; i < array.size; i++) sum = (unsigned char)(sum + ((const unsigned char *)array.data)[i]);
    ten_npy_free(&array);
  }
  ten_status_free(status);
  return 0;
}
