/* npy_copy.c: reads an array as a type and writes it again: `npy_copy IN TYPE OUT`. For tests/python/test_npy.py. */
#include <stdio.h>
#include <string.h>

#include "base/npy.h"

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  ten_npy array;
  ten_status *status = ten_npy_read(argv[1], ten_dtype_parse(argv[2], strlen(argv[2])), &array);
  if (!status) {
    status = ten_npy_write(argv[3], array.dtype, array.shape, array.rank, array.data);
    ten_npy_free(&array);
  }
  if (!status) return 0;
  fprintf(stderr, "%s\n", ten_status_text(status));
  ten_status_free(status);
  return 1;
}
