/* buffer.h: memory that a program reads or writes. A buffer is a description; the caller owns the memory, which is used
 * in place. */
#ifndef TENFOLD_BUFFER_H
#define TENFOLD_BUFFER_H

#include <stdint.h>

#include "tenfold/dtype.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Row-major, elements as dtype.h lays them out, aligned to their size at least, complex ones to that of their parts:
 * misaligned data is TEN_INVALID. Buffers are passed in arrays: this struct never grows. */
typedef struct ten_buffer {
  ten_dtype dtype;
  uint32_t rank;
  const int64_t *dims; /* borrowed; as many as the rank */
  void *data;          /* borrowed; NULL in descriptions */
  size_t bytes;        /* at data */
} ten_buffer;

#ifdef __cplusplus
}
#endif
#endif
