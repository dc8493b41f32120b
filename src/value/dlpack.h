/* dlpack.h: DLPack, the common form of tensors in memory: the layout of its C structures, as far as we exchange them,
 * its element types, and copies of what is strided. */
#ifndef TEN_VALUE_DLPACK_H
#define TEN_VALUE_DLPACK_H

#include "value/tensor.h"

enum { DL_CPU = 1, DL_CUDA = 2 };
enum { DL_INT = 0, DL_UINT = 1, DL_FLOAT = 2, DL_BFLOAT = 4, DL_COMPLEX = 5, DL_BOOL = 6 };
enum { DL_F8E3M4 = 7, DL_F8E4M3, DL_F8E4M3B11FNUZ, DL_F8E4M3FN, DL_F8E4M3FNUZ, DL_F8E5M2, DL_F8E5M2FNUZ, DL_F8E8M0FNU };

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

enum { DL_READ_ONLY = 1 };

/* From version 1 on: with a version and flags, and a table of functions that a framework puts on its tensor type. */
typedef struct dl_version {
  uint32_t major, minor;
} dl_version;

typedef struct DLManagedTensorVersioned dl_versioned; /* named as in tenfold/tensor.h */
struct DLManagedTensorVersioned {
  dl_version version;
  void *context;
  void (*deleter)(dl_versioned *self);
  uint64_t flags; /* DL_READ_ONLY */
  dl_tensor tensor;
};

typedef struct dl_exchange {
  dl_version version;
  void *older; /* an earlier version of the table */
  int (*allocate)(dl_tensor *like, dl_versioned **out, void *context,
                  void (*set_error)(void *context, const char *kind, const char *message));
  int (*from_object)(void *object, dl_versioned **out);
  int (*to_object)(dl_versioned *tensor, void **out_object); /* takes the tensor */
  int (*look)(void *object, dl_tensor *out);                 /* borrowed from the object */
  int (*stream)(int32_t device_type, int32_t device_id, void **out_stream);
} dl_exchange;

/* The first element; NULL stays NULL, as an empty tensor may have no memory. */
static inline char *ten_dlpack_data(const dl_tensor *tensor) {
  return tensor->data ? (char *)tensor->data + tensor->byte_offset : NULL;
}

ten_dtype ten_dlpack_to_dtype(dl_dtype dtype); /* NONE: no such type here */
bool ten_dlpack_of_dtype(ten_dtype dtype, dl_dtype *out_dtype);
bool ten_dlpack_is_contiguous(const dl_tensor *tensor);
/* Copies strided elements of `item` bytes to `to`, row-major. */
void ten_dlpack_copy(const dl_tensor *tensor, size_t item, char *to);

/* A tensor of what `managed` describes, in its memory where that is row-major and aligned. On success the tensor, or
 * the copy, has taken `managed`; on an error it is the caller's still. */
TEN_MUST_USE ten_status *ten_tensor_from_dlpack(dl_versioned *managed, ten_tensor **out_tensor);
/* The tensor for others to read; they call the deleter, which gives the reference back. Takes the reference on success.
 */
TEN_MUST_USE ten_status *ten_tensor_to_dlpack(ten_tensor *tensor, dl_versioned **out_managed);

#endif
