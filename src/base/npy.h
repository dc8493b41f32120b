/* npy.h: NumPy's .npy files, versions 1 to 3: how arrays come in and go out.
 *
 * A file names its element type, except for those that ml_dtypes adds to NumPy: bf16, the 8-bit and smaller floats and
 * the 2- and 4-bit integers are all saved as raw bytes of their width ('<V2', '<V1'). So a reader says which type it
 * wants; one that wants nothing in particular gets an error for such a file. f8E5M2 alone has a name of its own
 * ('<f1'). */
#ifndef TEN_BASE_NPY_H
#define TEN_BASE_NPY_H

#include <stddef.h>
#include <stdint.h>

#include "base/file.h"
#include "tenfold/dtype.h"
#include "tenfold/status.h"

enum { TEN_NPY_RANK_MOST = 64 }; /* NumPy's own limit */

/* Elements in row-major order, native byte order, and the form dtype.h describes, whatever the file has. */
typedef struct ten_npy {
  ten_dtype dtype;
  size_t rank;
  int64_t shape[TEN_NPY_RANK_MOST];
  size_t count, size; /* elements, bytes */
  const void *data;   /* in `file` where that is possible, else in `storage` */
  ten_file file;      /* owned */
  void *storage;      /* owned */
} ten_npy;

/* `wanted` may be TEN_DTYPE_NONE: whatever the file says. */
TEN_MUST_USE ten_status *ten_npy_read(const char *path, ten_dtype wanted, ten_npy *out_array);
/* The same from memory, which must outlive the array. `name` stands in messages. */
TEN_MUST_USE ten_status *ten_npy_parse(ten_str bytes, const char *name, ten_dtype wanted, ten_npy *out_array);
void ten_npy_free(ten_npy *array);

/* Elements of less than 8 bits with zeros or garbage above the value, as ml_dtypes has them, to the form of dtype.h. */
void ten_npy_normalise(ten_dtype dtype, unsigned char *data, size_t count);

/* Writes atomically, as NumPy (and for its types ml_dtypes) would. */
TEN_MUST_USE ten_status *ten_npy_write(const char *path, ten_dtype dtype, const int64_t *shape, size_t rank,
                                       const void *data);

#endif
