/* type.h: types are immutable and unique within a module, so equal types of one module are equal pointers. All of them
 * live in the module's arena. */
#ifndef TEN_IR_TYPE_H
#define TEN_IR_TYPE_H

#include <stdint.h>

#include "base/str.h"
#include "tenfold/dtype.h"

typedef struct ten_module ten_module;
typedef struct ten_type ten_type;
typedef struct ten_attr ten_attr;

/* Whether the address is aligned for elements; complex types need the alignment of their parts. */
static inline bool ten_dtype_is_aligned(ten_dtype dtype, const void *data) {
  const size_t alignment = ten_dtype_bytes(ten_dtype_part(dtype));
  return !alignment || (uintptr_t)data % alignment == 0;
}

#define TEN_DYNAMIC INT64_MIN /* a dimension not known before run time, spelt `?` */

typedef enum ten_type_kind {
  TEN_TYPE_SCALAR,   /* an element type on its own: f32, i64, index, complex<f32> */
  TEN_TYPE_QUANT,    /* !quant.uniform<…> */
  TEN_TYPE_TENSOR,   /* tensor<…> */
  TEN_TYPE_BUFFER,   /* memref<…>: StableHLO's buffer; same fields as a tensor */
  TEN_TYPE_TUPLE,    /* tuple<…> */
  TEN_TYPE_FUNCTION, /* (…) -> … */
  TEN_TYPE_FUTURE,   /* !stablehlo.future<…> */
  TEN_TYPE_TOKEN,    /* !stablehlo.token */
  TEN_TYPE_NONE,     /* none */
  TEN_TYPE_OPAQUE    /* a type of a dialect that is not interpreted; `text` as written, with the leading ! */
} ten_type_kind;

/* The mapping of integers to reals: real = (stored - zero_point) * scale. One pair for all, or one for each slice. */
typedef struct ten_quant {
  ten_dtype storage, expressed;
  int64_t storage_min, storage_max;
  bool narrow; /* the range was written out, <min:max> */
  bool is_signed;
  uint32_t axis_count; /* 0 per tensor, 1 per axis, more: blocks (sub-channel) */
  const int32_t *axes;
  const int64_t *block_sizes; /* NULL unless sub-channel; for a plain axis every slice is one block */
  const int64_t *blocks;      /* sub-channel: how many blocks along each dimension (shape of the scales) */
  uint32_t block_rank;
  size_t count; /* of scales and zero points */
  const double *scales;
  const int64_t *zero_points;
} ten_quant;

struct ten_type {
  ten_type_kind kind;
  ten_dtype dtype; /* scalar: itself; tensor, buffer: of the elements (of the storage when quantized); quant: storage;
                      else NONE */
  bool ranked;     /* tensor: false for tensor<*x…> */
  uint32_t rank;
  const int64_t *dims;
  const ten_type *element;       /* tensor: scalar, quant or opaque */
  const ten_attr *encoding;      /* tensor: bounds (#stablehlo.bounds) or whatever was written, or NULL */
  const ten_quant *quant;        /* quant, and tensor of quant */
  const ten_type *const *inputs; /* tuple, future: the elements; function: the arguments */
  uint32_t input_count;
  const ten_type *const *results; /* function */
  uint32_t result_count;
  ten_str text; /* opaque */
  uint64_t hash;
};

const ten_type *ten_type_scalar(ten_module *module, ten_dtype dtype);
const ten_type *ten_type_quant(ten_module *module, const ten_quant *quant);
const ten_type *ten_type_tensor(ten_module *module, ten_dtype dtype, uint32_t rank, const int64_t *dims);
/* All parameters: element may be a quant type, encoding may be NULL, !ranked ignores rank and dims. */
const ten_type *ten_type_tensor_of(ten_module *module, const ten_type *element, bool ranked, uint32_t rank,
                                   const int64_t *dims, const ten_attr *encoding);
/* `like` with another element type, or with another shape (the encoding is dropped). */
const ten_type *ten_type_with_dtype(ten_module *module, const ten_type *like, ten_dtype dtype);
const ten_type *ten_type_with_shape(ten_module *module, const ten_type *like, uint32_t rank, const int64_t *dims);
const ten_type *ten_type_buffer_of(ten_module *module, const ten_type *element, bool ranked, uint32_t rank,
                                   const int64_t *dims, const ten_attr *encoding);
const ten_type *ten_type_tuple(ten_module *module, uint32_t count, const ten_type *const *elements);
const ten_type *ten_type_future(ten_module *module, uint32_t count, const ten_type *const *elements);
const ten_type *ten_type_function(ten_module *module, uint32_t input_count, const ten_type *const *inputs,
                                  uint32_t result_count, const ten_type *const *results);
const ten_type *ten_type_token(ten_module *module);
const ten_type *ten_type_none(ten_module *module);
const ten_type *ten_type_opaque(ten_module *module, ten_str text);
/* The same type, owned by `module` (which may already own it). */
const ten_type *ten_type_import(ten_module *module, const ten_type *type);
/* Across modules; within one module compare pointers. */
bool ten_type_equal(const ten_type *a, const ten_type *b);

static inline bool ten_type_is_tensor(const ten_type *type) { return type->kind == TEN_TYPE_TENSOR; }
static inline bool ten_type_is_quantized(const ten_type *type) { return type->quant != NULL; }
/* A ranked tensor with every dimension known. */
bool ten_type_is_static(const ten_type *type);
/* Elements of a static tensor; INT64_MAX when it does not fit (verified types always fit). */
int64_t ten_type_count(const ten_type *type);
/* Bytes in memory of a static tensor, 0 for tokens; SIZE_MAX when it does not fit. */
size_t ten_type_bytes(const ten_type *type);
/* Bound of dimension i: its size, or what #stablehlo.bounds says, or TEN_DYNAMIC. */
int64_t ten_type_bound(const ten_type *type, uint32_t i);
/* As MLIR text, for messages: appended to `buf`. Long literals are cut. */
void ten_type_print(ten_buf *buf, const ten_type *type);

#endif
