/* tensor.c: values at run time: making, counting, printing. */
#include "value/tensor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/float.h"
#include "base/size.h"

enum { LARGE_TENSOR = 4 << 20 };

/* The system would overcommit more than the machine's memory and then kill the process. */
static bool memory_holds(size_t bytes) {
  if (bytes <= (size_t)1 << 30) return true;
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages < 0 || page <= 0 || bytes / (size_t)page < (size_t)pages;
}

/* Large tensors use huge pages where the system has them: fewer page faults on first write, and fewer TLB misses when a
 * matmul walks down their columns. */
static void ask_for_large_pages(void *data, size_t bytes) {
#ifdef MADV_HUGEPAGE
  enum { LARGE = 2 << 20 };
  const uintptr_t begin = ((uintptr_t)data + LARGE - 1) / LARGE * LARGE,
                  end = ((uintptr_t)data + bytes) / LARGE * LARGE;
  if (end > begin) (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
#else
  (void)data, (void)bytes;
#endif
}

typedef enum contents { BORROWED, ZEROED, UNSET } contents;

/* All of the header but counts and data. Calls of small programs make a few tensors each: field by field this takes a
 * third of the time of an initializer, which GCC makes a string instruction of, as it does a copy of `dims`. */
static void tensor_fill(ten_tensor *tensor, ten_dtype dtype, uint32_t rank, const int64_t *dims) {
  int64_t *own = (int64_t *)(tensor + 1);
  tensor->kind = TEN_VALUE_TENSOR;
  tensor->references = 1;
  tensor->dtype = dtype;
  tensor->rank = rank;
  tensor->dims = own;
  tensor->parts = NULL;
  tensor->part_count = 0;
  tensor->release = NULL;
  tensor->owner = NULL;
  tensor->borrowed = false;
  tensor->resident = NULL;
  for (uint32_t i = 0; i < rank; i++) own[i] = dims[i];
}

/* Header, dims and data of a tensor are one allocation: interpreting a scalar program makes millions of them. */
static ten_status *tensor_new(ten_dtype dtype, uint32_t rank, const int64_t *dims, contents contents_,
                              ten_tensor **out_tensor) {
  const bool with_data = contents_ != BORROWED;
  *out_tensor = NULL;
  if (rank > TEN_RANK_MAX)
    return ten_error(TEN_LIMIT, "a tensor of rank %u; at most %d is supported", rank, TEN_RANK_MAX);
  size_t count = 1, bytes = 0, total = 0;
  bool fits = true, empty = false;
  for (uint32_t i = 0; i < rank; i++) {
    if (dims[i] < 0) return ten_error(TEN_INVALID, "dimension %u of a tensor is %lld", i, (long long)dims[i]);
    if (dims[i] == 0)
      empty = true;
    else
      fits = fits && ten_mul(count, (size_t)dims[i], &count);
  }
  if (empty) count = 0, fits = true;
  const size_t head = (sizeof(ten_tensor) + rank * sizeof *dims + 63) & ~(size_t)63;
  fits = fits && ten_mul(count, ten_dtype_bytes(dtype), &bytes) && ten_add(head, with_data ? bytes : 0, &total);
  ten_tensor *tensor = NULL;
  if (fits && memory_holds(total)) tensor = contents_ == UNSET ? malloc(total) : calloc(1, total);
  if (!tensor && !fits)
    return ten_error(TEN_LIMIT, "out of memory: a tensor of more than 2^63 bytes, of %s", ten_dtype_name(dtype));
  if (!tensor)
    return ten_error(TEN_LIMIT, "out of memory: %zu bytes could not be allocated for a tensor of %zu %s elements",
                     total, count, ten_dtype_name(dtype));
  if (with_data && bytes >= LARGE_TENSOR) ask_for_large_pages(tensor, total);
  tensor_fill(tensor, dtype, rank, dims);
  tensor->count = count;
  tensor->bytes = bytes;
  tensor->data = (char *)tensor + head;
  *out_tensor = tensor;
  return NULL;
}

ten_status *ten_tensor_create(ten_dtype dtype, uint32_t rank, const int64_t *dims, ten_tensor **out_tensor) {
  return tensor_new(dtype, rank, dims, ZEROED, out_tensor);
}

ten_status *ten_tensor_create_unset(ten_dtype dtype, uint32_t rank, const int64_t *dims, ten_tensor **out_tensor) {
  return tensor_new(dtype, rank, dims, UNSET, out_tensor);
}

/* The size of the elements, if they have one that is worth a block. */
static bool is_for_pool(ten_dtype dtype, uint32_t rank, const int64_t *dims, size_t *out_bytes) {
  size_t bytes = ten_dtype_bytes(dtype);
  for (uint32_t i = 0; i < rank; i++)
    if (dims[i] <= 0 || !ten_mul(bytes, (size_t)dims[i], &bytes)) return false;
  *out_bytes = bytes;
  return rank <= TEN_RANK_MAX && bytes >= TEN_MEMPOOL_SMALL && memory_holds(bytes);
}

ten_status *ten_tensor_create_in(ten_mempool *pool, bool zeroed, ten_dtype dtype, uint32_t rank, const int64_t *dims,
                                 ten_tensor **out_tensor) {
  size_t bytes;
  ten_mempool_block *block =
      pool && is_for_pool(dtype, rank, dims, &bytes) ? ten_mempool_take(pool, bytes, zeroed) : NULL;
  if (!block) return tensor_new(dtype, rank, dims, zeroed ? ZEROED : UNSET, out_tensor);
  ten_status *status = tensor_new(dtype, rank, dims, BORROWED, out_tensor);
  if (status) {
    ten_mempool_give_back(block);
    return status;
  }
  (*out_tensor)->data = ten_mempool_block_data(block);
  (*out_tensor)->release = ten_mempool_give_back;
  (*out_tensor)->owner = block;
  return NULL;
}

size_t ten_tensor_pool_bytes(const ten_tensor *tensor) {
  return tensor->release == ten_mempool_give_back ? ten_mempool_block_bytes(tensor->owner) : 0;
}

ten_status *ten_tensor_from_memory(ten_dtype dtype, uint32_t rank, const int64_t *dims, void *data,
                                   void (*release)(void *owner), void *owner, ten_tensor **out_tensor) {
  if (!ten_dtype_is_aligned(dtype, data)) {
    TEN_TRY(tensor_new(dtype, rank, dims, UNSET, out_tensor));
    if ((*out_tensor)->bytes) memcpy((*out_tensor)->data, data, (*out_tensor)->bytes);
    if (release) release(owner);
    return NULL;
  }
  TEN_TRY(tensor_new(dtype, rank, dims, BORROWED, out_tensor));
  (*out_tensor)->data = data;
  (*out_tensor)->borrowed = true;
  (*out_tensor)->release = release;
  (*out_tensor)->owner = owner;
  return NULL;
}

static void host_copy_free(void *copy) { free(copy); }

ten_status *ten_tensor_create_resident(ten_dtype dtype, uint32_t rank, const int64_t *dims, ten_resident *resident,
                                       ten_tensor **out_tensor) {
  ten_status *status = tensor_new(dtype, rank, dims, BORROWED, out_tensor);
  if (status) {
    resident->release(resident);
    return status;
  }
  (*out_tensor)->data = NULL;
  (*out_tensor)->release = host_copy_free; /* NULL until there is one */
  (*out_tensor)->resident = resident;
  return NULL;
}

bool ten_tensor_is_resident(const ten_tensor *tensor) { return tensor->release == host_copy_free; }

ten_status *ten_tensor_load(ten_tensor *tensor) {
  if (tensor->kind != TEN_VALUE_TENSOR || tensor->data) return NULL;
  void *data = memory_holds(tensor->bytes) ? aligned_alloc(64, (tensor->bytes + 64) / 64 * 64) : NULL;
  if (!data)
    return ten_error(TEN_LIMIT, "out of memory: %zu bytes could not be allocated to read a tensor of a device",
                     tensor->bytes);
  if (tensor->bytes >= LARGE_TENSOR) ask_for_large_pages(data, tensor->bytes);
  ten_status *status = tensor->resident->read(tensor->resident, data, tensor->bytes);
  if (status) {
    free(data);
    return status;
  }
  tensor->owner = data;
  tensor->data = data;
  return NULL;
}

bool ten_tensor_keep(ten_tensor *tensor, ten_resident *resident) {
  ten_resident *none = NULL;
  return __atomic_compare_exchange_n(&tensor->resident, &none, resident, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

ten_status *ten_tensor_of_attr(const ten_attr *attr, ten_tensor **out_tensor) {
  *out_tensor = NULL;
  if (attr->kind != TEN_ATTR_DENSE && attr->kind != TEN_ATTR_RESOURCE)
    return ten_error(TEN_INVALID, "a constant's value must be elements of a tensor");
  const ten_type *type = attr->dense.type;
  if (!ten_type_is_static(type)) return ten_error(TEN_INVALID, "a constant's type must have a static shape");
  if (!attr->dense.data && ten_type_count(type))
    return ten_error(TEN_NOT_FOUND, "no data for dense_resource<%.*s>", TEN_FMT(attr->dense.resource));
  if (!attr->dense.splat && attr->dense.size >= ten_type_bytes(type))
    return ten_tensor_from_memory(type->dtype, type->rank, type->dims, (void *)(uintptr_t)attr->dense.data, NULL, NULL,
                                  out_tensor);
  TEN_TRY(ten_tensor_create(type->dtype, type->rank, type->dims, out_tensor));
  const size_t size = ten_dtype_bytes(type->dtype);
  char *data = (*out_tensor)->data;
  if (attr->dense.size < size && (*out_tensor)->count) {
    ten_tensor_release(*out_tensor);
    *out_tensor = NULL;
    return ten_error(TEN_INVALID, "a constant has fewer bytes than its type needs");
  }
  for (size_t i = 0; i < (*out_tensor)->count; i++) memcpy(data + i * size, attr->dense.data, size);
  return NULL;
}

ten_tensor *ten_tensor_token(void) {
  ten_tensor *token = ten_alloc(sizeof *token);
  *token = (ten_tensor){.kind = TEN_VALUE_TOKEN, .references = 1};
  return token;
}

ten_tensor *ten_tensor_tuple(uint32_t count, ten_tensor *const *parts) {
  ten_tensor *tuple = ten_alloc(sizeof *tuple + count * sizeof *parts);
  *tuple =
      (ten_tensor){.kind = TEN_VALUE_TUPLE, .references = 1, .parts = (ten_tensor **)(tuple + 1), .part_count = count};
  for (uint32_t i = 0; i < count; i++) tuple->parts[i] = ten_tensor_retain(parts[i]);
  return tuple;
}

ten_tensor *ten_tensor_retain(ten_tensor *tensor) {
  __atomic_add_fetch(&tensor->references, 1, __ATOMIC_RELAXED);
  return tensor;
}

void ten_tensor_release(ten_tensor *tensor) {
  if (!tensor || __atomic_sub_fetch(&tensor->references, 1, __ATOMIC_ACQ_REL)) return;
  for (uint32_t i = 0; i < tensor->part_count; i++) ten_tensor_release(tensor->parts[i]);
  if (tensor->release) tensor->release(tensor->owner);
  if (tensor->resident) tensor->resident->release(tensor->resident);
  free(tensor);
}

void ten_tensors_release(ten_tensor **tensors, size_t count) {
  for (size_t i = 0; i < count; i++) {
    ten_tensor_release(tensors[i]);
    tensors[i] = NULL;
  }
}

bool ten_tensor_fits(const ten_tensor *tensor, const ten_type *type) {
  switch (tensor->kind) {
    case TEN_VALUE_TOKEN: return type->kind == TEN_TYPE_TOKEN;
    case TEN_VALUE_TUPLE:
      if ((type->kind != TEN_TYPE_TUPLE && type->kind != TEN_TYPE_FUTURE) || type->input_count != tensor->part_count)
        return false;
      for (uint32_t i = 0; i < tensor->part_count; i++)
        if (!ten_tensor_fits(tensor->parts[i], type->inputs[i])) return false;
      return true;
    case TEN_VALUE_TENSOR: break;
  }
  if ((type->kind != TEN_TYPE_TENSOR && type->kind != TEN_TYPE_BUFFER) || type->dtype != tensor->dtype) return false;
  if (!type->ranked) return true;
  if (type->rank != tensor->rank) return false;
  for (uint32_t i = 0; i < tensor->rank; i++) {
    const int64_t bound = ten_type_bound(type, i);
    if (type->dims[i] != TEN_DYNAMIC ? type->dims[i] != tensor->dims[i]
                                     : bound != TEN_DYNAMIC && tensor->dims[i] > bound)
      return false;
  }
  return true;
}

int64_t ten_tensor_int(const ten_tensor *tensor, size_t index) {
  const char *at = (const char *)tensor->data + index * ten_dtype_bytes(tensor->dtype);
  switch (tensor->dtype) {
    case TEN_I2:
    case TEN_I4:
    case TEN_I8: return *(const int8_t *)at;
    case TEN_I16: return *(const int16_t *)at;
    case TEN_I32: return *(const int32_t *)at;
    case TEN_UI16: return *(const uint16_t *)at;
    case TEN_UI32: return *(const uint32_t *)at;
    case TEN_I64:
    case TEN_UI64:
    case TEN_INDEX: return *(const int64_t *)at;
    default: return *(const uint8_t *)at;
  }
}

double ten_tensor_real(const ten_tensor *tensor, size_t index, unsigned part) {
  const ten_dtype dtype = ten_dtype_part(tensor->dtype);
  return ten_float_decode(
      dtype, (const char *)tensor->data + index * ten_dtype_bytes(tensor->dtype) + part * ten_dtype_bytes(dtype));
}

void ten_tensor_print_type(ten_buf *buf, const ten_tensor *tensor) {
  switch (tensor->kind) {
    case TEN_VALUE_TOKEN: ten_buf_adds(buf, "!stablehlo.token"); return;
    case TEN_VALUE_TUPLE:
      ten_buf_adds(buf, "tuple<");
      for (uint32_t i = 0; i < tensor->part_count; i++) {
        if (i) ten_buf_adds(buf, ", ");
        ten_tensor_print_type(buf, tensor->parts[i]);
      }
      ten_buf_addc(buf, '>');
      return;
    case TEN_VALUE_TENSOR: break;
  }
  ten_buf_adds(buf, "tensor<");
  for (uint32_t i = 0; i < tensor->rank; i++) ten_buf_printf(buf, "%lldx", (long long)tensor->dims[i]);
  ten_buf_printf(buf, "%s>", ten_dtype_name(tensor->dtype));
}

/* MLIR's format: %e with six digits when that reads back to the same value, else the shortest that does; bits where
 * there is no decimal form. */
static void print_real(ten_buf *buf, ten_dtype dtype, double value) {
  if (!isfinite(value)) {
    uint64_t bits = 0;
    ten_float_encode(dtype, value, &bits);
    ten_buf_printf(buf, "0x%0*llX", (int)ten_dtype_bytes(dtype) * 2, (unsigned long long)bits);
    return;
  }
  char text[64];
  snprintf(text, sizeof text, "%.6e", value);
  if (ten_float_round(dtype, strtod(text, NULL)) != value) {
    for (int digits = 7; digits <= 17; digits++) {
      snprintf(text, sizeof text, "%.*g", digits, value);
      if (ten_float_round(dtype, strtod(text, NULL)) == value) break;
    }
  }
  ten_buf_adds(buf, text);
}

void ten_tensor_print_element(ten_buf *buf, const ten_tensor *tensor, size_t index) {
  switch (ten_dtype_class(tensor->dtype)) {
    case TEN_CLASS_BOOL: ten_buf_adds(buf, ten_tensor_int(tensor, index) ? "true" : "false"); return;
    case TEN_CLASS_SINT: ten_buf_printf(buf, "%lld", (long long)ten_tensor_int(tensor, index)); return;
    case TEN_CLASS_UINT: ten_buf_printf(buf, "%llu", (unsigned long long)ten_tensor_int(tensor, index)); return;
    case TEN_CLASS_FLOAT: print_real(buf, tensor->dtype, ten_tensor_real(tensor, index, 0)); return;
    case TEN_CLASS_COMPLEX:
      ten_buf_addc(buf, '[');
      print_real(buf, ten_dtype_part(tensor->dtype), ten_tensor_real(tensor, index, 0));
      ten_buf_adds(buf, ", ");
      print_real(buf, ten_dtype_part(tensor->dtype), ten_tensor_real(tensor, index, 1));
      ten_buf_addc(buf, ']');
      return;
  }
}

static void indent(ten_buf *buf, uint32_t depth) {
  for (uint32_t i = 0; i < depth; i++) ten_buf_adds(buf, "  ");
}

static void print_nested(ten_buf *buf, const ten_tensor *tensor, uint32_t dim, size_t offset, size_t stride) {
  indent(buf, dim + 1);
  const size_t inner = tensor->dims[dim] ? stride / (size_t)tensor->dims[dim] : 0;
  ten_buf_addc(buf, '[');
  if (dim + 1 == tensor->rank) {
    for (int64_t i = 0; i < tensor->dims[dim]; i++) {
      if (i) ten_buf_adds(buf, ", ");
      ten_tensor_print_element(buf, tensor, offset + (size_t)i);
    }
  } else {
    for (int64_t i = 0; i < tensor->dims[dim]; i++) {
      ten_buf_adds(buf, i ? ",\n" : "\n");
      print_nested(buf, tensor, dim + 1, offset + (size_t)i * inner, inner);
    }
    if (tensor->dims[dim]) {
      ten_buf_addc(buf, '\n');
      indent(buf, dim + 1);
    }
  }
  ten_buf_addc(buf, ']');
}

void ten_tensor_print(ten_buf *buf, const ten_tensor *tensor) {
  ten_tensor_print_type(buf, tensor);
  if (tensor->kind == TEN_VALUE_TOKEN) return;
  ten_buf_adds(buf, " {");
  if (tensor->kind == TEN_VALUE_TUPLE) {
    for (uint32_t i = 0; i < tensor->part_count; i++) {
      ten_buf_addc(buf, '\n');
      ten_tensor_print(buf, tensor->parts[i]);
    }
    ten_buf_addc(buf, '\n');
  } else if (tensor->rank == 0) {
    ten_tensor_print_element(buf, tensor, 0);
  } else {
    ten_buf_addc(buf, '\n');
    print_nested(buf, tensor, 0, 0, tensor->count);
    ten_buf_addc(buf, '\n');
  }
  ten_buf_addc(buf, '}');
}

void ten_tensor_print_index(ten_buf *buf, const ten_tensor *tensor, size_t index) {
  int64_t at[TEN_RANK_MAX] = {0};
  for (uint32_t i = tensor->rank; i-- > 0;) {
    at[i] = tensor->dims[i] ? (int64_t)(index % (size_t)tensor->dims[i]) : 0;
    index = tensor->dims[i] ? index / (size_t)tensor->dims[i] : 0;
  }
  ten_buf_addc(buf, '[');
  for (uint32_t i = 0; i < tensor->rank; i++) ten_buf_printf(buf, "%s%lld", i ? ", " : "", (long long)at[i]);
  ten_buf_addc(buf, ']');
}
