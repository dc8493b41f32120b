/* npy.h: NumPy's .npy files, versions 1 to 3: the array files that are read and written.
 *
 * A file names its element type, except for those that ml_dtypes adds to NumPy: bf16, the 8-bit and smaller floats and
 * the 2- and 4-bit integers are all saved as raw bytes of their width ('<V2', '<V1'). So a reader names the type it
 * wants; without one, such a file is an error. Of these types only f8E5M2 has a name ('<f1'). */
#ifndef TEN_BASE_NPY_H
#define TEN_BASE_NPY_H

#include <stddef.h>
#include <stdint.h>

#include "base/file.h"
#include "tenfold/dtype.h"
#include "tenfold/status.h"

enum { TEN_NPY_RANK_MOST = 64 }; /* NumPy's own limit */

/* Elements in row-major order, native byte order and the layout of dtype.h, whatever the file has. */
typedef struct ten_npy {
  ten_dtype dtype;
  size_t rank;
  int64_t shape[TEN_NPY_RANK_MOST];
  size_t count, size; /* elements, bytes */
  const void *data;   /* in `file` where possible, else in `storage` */
  ten_file file;      /* owned */
  void *storage;      /* owned */
} ten_npy;

/* `wanted` may be TEN_DTYPE_NONE: use the type that the file names. */
TEN_MUST_USE ten_status *ten_npy_read(const char *path, ten_dtype wanted, ten_npy *out_array);
/* The same from memory, which must outlive the array. `name` is used in messages. */
TEN_MUST_USE ten_status *ten_npy_parse(ten_str bytes, const char *name, ten_dtype wanted, ten_npy *out_array);
void ten_npy_free(ten_npy *array);

/* Converts elements of less than 8 bits, as ml_dtypes stores them (undefined bits above the value), to the layout of
 * dtype.h. */
void ten_npy_normalise(ten_dtype dtype, unsigned char *data, size_t count);

/* Writes atomically, in the format of NumPy and, for its types, ml_dtypes. */
TEN_MUST_USE ten_status *ten_npy_write(const char *path, ten_dtype dtype, const int64_t *shape, size_t rank,
                                       const void *data);

#endif
