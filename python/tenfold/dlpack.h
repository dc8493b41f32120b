/* dlpack.h: the layout of DLPack's C structures, version 0.8 (unversioned capsules), as far as we exchange them. */
#ifndef TEN_PYTHON_DLPACK_H
#define TEN_PYTHON_DLPACK_H

#include <stdint.h>

enum { DL_CPU = 1 };
enum { DL_INT = 0, DL_UINT = 1, DL_FLOAT = 2, DL_BFLOAT = 4, DL_COMPLEX = 5, DL_BOOL = 6 };

typedef struct dl_device {
  int32_t type, id;
} dl_device;

typedef struct dl_dtype {
  uint8_t code, bits;
  uint16_t lanes;
} dl_dtype;

typedef struct dl_tensor {
  void *data;
  dl_device device;
  int32_t rank;
  dl_dtype dtype;
  int64_t *shape, *strides; /* in elements; strides may be NULL: row-major */
  uint64_t byte_offset;
} dl_tensor;

typedef struct dl_managed dl_managed;
struct dl_managed {
  dl_tensor tensor;
  void *context;
  void (*deleter)(dl_managed *self);
};

#endif
