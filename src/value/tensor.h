/* tensor.h: a run-time value: a tensor in host memory, a token, or a tuple of values. Reference-counted; holders retain
 * it. Data is row-major, elements in the layout of dtype.h, and never changes once the value is shared. */
#ifndef TEN_VALUE_TENSOR_H
#define TEN_VALUE_TENSOR_H

#include "base/size.h"
#include "ir/module.h"
#include "value/mempool.h"

typedef enum ten_tensor_kind { TEN_VALUE_TENSOR, TEN_VALUE_TOKEN, TEN_VALUE_TUPLE } ten_tensor_kind;

/* Elements in the memory of a device: owned by the tensor, made and understood by the device's backend. */
typedef struct ten_resident ten_resident;
struct ten_resident {
  const void *device; /* an address that identifies it */
  ten_status *(*read)(ten_resident *resident, void *data, size_t bytes);
  void (*release)(ten_resident *resident);
};

typedef struct ten_tensor ten_tensor;
struct ten_tensor {
  ten_tensor_kind kind;
  int references;  /* atomic */
  ten_dtype dtype; /* of a quantized tensor: the storage */
  uint32_t rank;
  const int64_t *dims; /* owned */
  size_t count, bytes; /* elements; count * ten_dtype_bytes(dtype) */
  void *data;          /* owned unless `release` says otherwise */
  ten_tensor **parts;  /* tuple; owned references */
  uint32_t part_count;
  void (*release)(void *owner); /* NULL: data is owned, or borrowed from what outlives the tensor */
  void *owner;
  bool borrowed;          /* `data` is memory that others may write to */
  ten_resident *resident; /* owned, or NULL; atomic. Where `data` is NULL the elements are only there */
};

/* Zeroed. Refuses negative dimensions, more than TEN_RANK_MAX of them, and sizes that memory cannot hold. */
TEN_MUST_USE ten_status *ten_tensor_create(ten_dtype dtype, uint32_t rank, const int64_t *dims,
                                           ten_tensor **out_tensor);
/* The same with elements that are not set: for who writes all of them. */
TEN_MUST_USE ten_status *ten_tensor_create_unset(ten_dtype dtype, uint32_t rank, const int64_t *dims,
                                                 ten_tensor **out_tensor);
/* The same in memory of `pool`, which small ones are not; NULL: as ten_tensor_create or ten_tensor_create_unset. */
TEN_MUST_USE ten_status *ten_tensor_create_in(ten_mempool *pool, bool zeroed, ten_dtype dtype, uint32_t rank,
                                              const int64_t *dims, ten_tensor **out_tensor);
/* What it takes of a pool; 0: it lies in none. */
size_t ten_tensor_pool_bytes(const ten_tensor *tensor);
/* A tensor of elements that lie in memory already. Where they are aligned the tensor borrows them, and
 * `release(owner)`, if there is one, runs when the last reference goes. Where they are not (a file's, a user's) they
 * are copied and released at once, so that no backend meets them: what is written to the tensor is then not written to
 * `data`. */
TEN_MUST_USE ten_status *ten_tensor_from_memory(ten_dtype dtype, uint32_t rank, const int64_t *dims, void *data,
                                                void (*release)(void *owner), void *owner, ten_tensor **out_tensor);
/* A tensor whose elements are on a device; takes `resident`, also where it fails. Only what says so takes such a tensor
 * before it is loaded. */
TEN_MUST_USE ten_status *ten_tensor_create_resident(ten_dtype dtype, uint32_t rank, const int64_t *dims,
                                                    ten_resident *resident, ten_tensor **out_tensor);
/* Whether it was made so. */
bool ten_tensor_is_resident(const ten_tensor *tensor);
/* Copies the elements to host memory where they are not there yet. One thread at a time. */
TEN_MUST_USE ten_status *ten_tensor_load(ten_tensor *tensor);
/* Elements that are also on a device; false, and nothing taken, where the tensor has some. Safe from any thread. */
bool ten_tensor_keep(ten_tensor *tensor, ten_resident *resident);
/* Whether its elements are on some device. */
static inline bool ten_tensor_has_resident(const ten_tensor *tensor) {
  return __atomic_load_n(&tensor->resident, __ATOMIC_ACQUIRE) != NULL;
}
/* Its elements on that device, borrowed, or NULL. */
static inline ten_resident *ten_tensor_on(const ten_tensor *tensor, const void *device) {
  ten_resident *resident = __atomic_load_n(&tensor->resident, __ATOMIC_ACQUIRE);
  return resident && resident->device == device ? resident : NULL;
}
/* A dense or resource attribute; borrows the attribute's data unless it is a splat. */
TEN_MUST_USE ten_status *ten_tensor_of_attr(const ten_attr *attr, ten_tensor **out_tensor);
ten_tensor *ten_tensor_token(void);
/* Retains the parts. */
ten_tensor *ten_tensor_tuple(uint32_t count, ten_tensor *const *parts);

ten_tensor *ten_tensor_retain(ten_tensor *tensor);
void ten_tensor_release(ten_tensor *tensor);                  /* NULL is fine */
void ten_tensors_release(ten_tensor **tensors, size_t count); /* and sets them to NULL */

static inline bool ten_tensor_same_shape(const ten_tensor *a, const ten_tensor *b) {
  return a->rank == b->rank && (!a->rank || !memcmp(a->dims, b->dims, a->rank * sizeof *a->dims));
}
/* Whether a value may be used as `type`: kind, element type, and every dimension that the type knows. */
bool ten_tensor_fits(const ten_tensor *tensor, const ten_type *type);

/* "tensor<2x3xf32>", of tuples and tokens too. */
void ten_tensor_print_type(ten_buf *buf, const ten_tensor *tensor);
/* One element in readable form: 1, -2.5, true, (1.0, 2.0). */
void ten_tensor_print_element(ten_buf *buf, const ten_tensor *tensor, size_t index);
/* All elements, nested as the reference interpreter of StableHLO prints them. */
void ten_tensor_print(ten_buf *buf, const ten_tensor *tensor);
/* "[1, 0, 2]" of a flat index. */
void ten_tensor_print_index(ten_buf *buf, const ten_tensor *tensor, size_t index);

/* Integer and bool elements, sign- or zero-extended. */
int64_t ten_tensor_int(const ten_tensor *tensor, size_t index);
/* Part 0 or 1 of a float or complex element. */
double ten_tensor_real(const ten_tensor *tensor, size_t index, unsigned part);

#endif
