/* dlpack.c: tensors in and out by DLPack, without copies. What is not contiguous is copied once, here. */
#include "value/dlpack.h"

#include <stdlib.h>
#include <string.h>

/* Floats of 8 bits have a code each. */
static const ten_dtype floats8[] = {
    [DL_F8E3M4] = TEN_F8E3M4,         [DL_F8E4M3] = TEN_F8E4M3,         [DL_F8E4M3B11FNUZ] = TEN_F8E4M3B11FNUZ,
    [DL_F8E4M3FN] = TEN_F8E4M3FN,     [DL_F8E4M3FNUZ] = TEN_F8E4M3FNUZ, [DL_F8E5M2] = TEN_F8E5M2,
    [DL_F8E5M2FNUZ] = TEN_F8E5M2FNUZ, [DL_F8E8M0FNU] = TEN_F8E8M0FNU,
};

static uint8_t code_of_float8(ten_dtype dtype) {
  for (uint8_t code = DL_F8E3M4; code <= DL_F8E8M0FNU; code++)
    if (floats8[code] == dtype) return code;
  return 0;
}

ten_dtype ten_dlpack_to_dtype(dl_dtype d) {
  if (d.lanes != 1) return TEN_DTYPE_NONE;
  if (d.code >= DL_F8E3M4 && d.code <= DL_F8E8M0FNU) return d.bits == 8 ? floats8[d.code] : TEN_DTYPE_NONE;
  static const struct {
    uint8_t code, bits;
    ten_dtype dtype;
  } table[] = {
      {DL_BOOL, 8, TEN_I1},    {DL_INT, 8, TEN_I8},       {DL_INT, 16, TEN_I16},     {DL_INT, 32, TEN_I32},
      {DL_INT, 64, TEN_I64},   {DL_UINT, 1, TEN_I1},      {DL_UINT, 8, TEN_UI8},     {DL_UINT, 16, TEN_UI16},
      {DL_UINT, 32, TEN_UI32}, {DL_UINT, 64, TEN_UI64},   {DL_FLOAT, 16, TEN_F16},   {DL_FLOAT, 32, TEN_F32},
      {DL_FLOAT, 64, TEN_F64}, {DL_BFLOAT, 16, TEN_BF16}, {DL_COMPLEX, 64, TEN_C64}, {DL_COMPLEX, 128, TEN_C128}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (table[i].code == d.code && table[i].bits == d.bits) return table[i].dtype;
  return TEN_DTYPE_NONE;
}

bool ten_dlpack_of_dtype(ten_dtype dtype, dl_dtype *out) {
  const unsigned bits = (unsigned)ten_dtype_bytes(dtype) * 8;
  uint8_t code;
  if (dtype == TEN_I1)
    code = DL_BOOL;
  else if (dtype == TEN_BF16)
    code = DL_BFLOAT;
  else if (dtype == TEN_F16 || dtype == TEN_F32 || dtype == TEN_F64)
    code = DL_FLOAT;
  else if (ten_dtype_is_complex(dtype))
    code = DL_COMPLEX;
  else if (ten_dtype_is_int(dtype))
    code = ten_dtype_class(dtype) == TEN_CLASS_UINT ? DL_UINT : DL_INT;
  else if (!(code = code_of_float8(dtype)))
    return false;
  *out = (dl_dtype){code, (uint8_t)bits, 1};
  return true;
}

bool ten_dlpack_is_contiguous(const dl_tensor *t) {
  if (!t->strides) return true;
  int64_t expected = 1;
  for (int32_t i = t->rank; i-- > 0;) {
    if (t->shape[i] == 0) return true;
    if (t->shape[i] != 1 && t->strides[i] != expected) return false;
    if (__builtin_mul_overflow(expected, t->shape[i], &expected)) return false; /* no tensor is as large */
  }
  return true;
}

#define COPY_STEPS(type)              \
  for (int64_t i = 0; i < count; i++) \
  memcpy(to + (size_t)i * sizeof(type), from + i * step * (int64_t)sizeof(type), sizeof(type))

/* Numbers that are so many numbers apart; of the sizes that there are, by single loads and stores. */
static void copy_steps(const char *from, int64_t step, int64_t count, size_t item, char *to) {
  if (item == 1)
    COPY_STEPS(uint8_t);
  else if (item == 2)
    COPY_STEPS(uint16_t);
  else if (item == 4)
    COPY_STEPS(uint32_t);
  else if (item == 8)
    COPY_STEPS(uint64_t);
  else
    for (int64_t i = 0; i < count; i++) memcpy(to + (size_t)i * item, from + i * step * (int64_t)item, item);
}

void ten_dlpack_copy(const dl_tensor *t, size_t item, char *to) {
  int64_t sizes[TEN_RANK_MAX], steps[TEN_RANK_MAX], at[TEN_RANK_MAX] = {0}, count = 1;
  int32_t rank = 0;
  for (int32_t i = 0; i < t->rank; i++) { /* dimensions that go on where the next one ends are one */
    count *= t->shape[i];
    if (t->shape[i] == 1) continue;
    const bool joins = rank > 0 && steps[rank - 1] == t->strides[i] * t->shape[i];
    if (!joins) sizes[rank++] = 1;
    sizes[rank - 1] *= t->shape[i];
    steps[rank - 1] = t->strides[i];
  }
  if (!count) return;
  if (!rank) sizes[0] = 1, steps[0] = 1, rank = 1;
  const char *from = ten_dlpack_data(t);
  const int64_t run = sizes[rank - 1];
  for (int64_t k = 0; k < count; k += run, to += (size_t)run * item) {
    copy_steps(from, steps[rank - 1], run, item, to);
    for (int32_t i = rank - 1; i-- > 0;) {
      from += steps[i] * (int64_t)item;
      if (++at[i] < sizes[i]) break;
      from -= steps[i] * sizes[i] * (int64_t)item;
      at[i] = 0;
    }
  }
}

static void versioned_release(void *owner) {
  dl_versioned *managed = owner;
  if (managed->deleter) managed->deleter(managed);
}

static ten_status *check(const dl_versioned *managed) {
  const dl_tensor *t = &managed->tensor;
  if (managed->version.major != 1)
    return ten_error(TEN_UNSUPPORTED, "a tensor by version %u.%u of DLPack; 1 is supported", managed->version.major,
                     managed->version.minor);
  if (t->device.type != DL_CPU)
    return ten_error(TEN_UNSUPPORTED, "a tensor in memory of DLPack's device type %d; host memory (%d) is supported",
                     t->device.type, DL_CPU);
  if (ten_dlpack_to_dtype(t->dtype) == TEN_DTYPE_NONE)
    return ten_error(TEN_UNSUPPORTED, "a tensor of DLPack's type code %u with %u bits in %u lanes", t->dtype.code,
                     t->dtype.bits, t->dtype.lanes);
  if (t->rank < 0 || t->rank > TEN_RANK_MAX)
    return ten_error(TEN_INVALID, "a tensor of %d dimensions; the limit is %d", t->rank, TEN_RANK_MAX);
  if (t->rank && !t->shape) return ten_error(TEN_INVALID, "a tensor of %d dimensions without sizes", t->rank);
  bool empty = false;
  for (int32_t i = 0; i < t->rank; i++) empty |= t->shape[i] == 0;
  if (!t->data && !empty) return ten_error(TEN_INVALID, "a tensor with elements, but without memory");
  return NULL;
}

ten_status *ten_tensor_from_dlpack(dl_versioned *managed, ten_tensor **out_tensor) {
  *out_tensor = NULL;
  TEN_TRY(check(managed));
  const dl_tensor *t = &managed->tensor;
  const ten_dtype dtype = ten_dlpack_to_dtype(t->dtype);
  const uint32_t rank = (uint32_t)t->rank;
  if (ten_dlpack_is_contiguous(t))
    return ten_tensor_from_memory(dtype, rank, t->shape, ten_dlpack_data(t), versioned_release, managed, out_tensor);
  TEN_TRY(ten_tensor_create_unset(dtype, rank, t->shape, out_tensor));
  ten_dlpack_copy(t, ten_dtype_bytes(dtype), (*out_tensor)->data);
  versioned_release(managed);
  return NULL;
}

static void tensor_delete(dl_versioned *managed) {
  ten_tensor_release(managed->context);
  free(managed);
}

ten_status *ten_tensor_to_dlpack(ten_tensor *tensor, dl_versioned **out_managed) {
  *out_managed = NULL;
  TEN_RECOVER("handing a tensor out");
  dl_dtype dtype;
  if (!ten_dlpack_of_dtype(tensor->dtype, &dtype))
    return ten_error(TEN_UNSUPPORTED, "DLPack has no %s", ten_dtype_name(tensor->dtype));
  dl_versioned *managed = ten_alloc(sizeof *managed);
  *managed = (dl_versioned){.version = {1, 0},
                            .context = tensor,
                            .deleter = tensor_delete,
                            .tensor = {.data = tensor->data,
                                       .device = {DL_CPU, 0},
                                       .rank = (int32_t)tensor->rank,
                                       .dtype = dtype,
                                       .shape = (int64_t *)(uintptr_t)tensor->dims}};
  *out_managed = managed;
  return NULL;
}
