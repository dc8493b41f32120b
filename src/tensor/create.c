/* create.c: arrays from memory, from numbers and from nothing; reading them. */
#include <math.h>
#include <stdlib.h>

#include "base/float.h"
#include "tensor/internal.h"
#include "value/dlpack.h"

static ten_status *dtype_check(ten_dtype dtype) {
  if (ten_dtype_bytes(dtype)) return NULL;
  return ten_error(TEN_INVALID, "an array of no type that there is (%d)", (int)dtype);
}

static ten_status *type_check(ten_dtype dtype, uint32_t rank, const int64_t *dims) {
  TEN_TRY(dtype_check(dtype));
  if (rank > TENSOR_RANK_MAX)
    return ten_error(TEN_INVALID, "an array of %u dimensions; the limit is %d", rank, TENSOR_RANK_MAX);
  for (uint32_t i = 0; i < rank; i++)
    if (dims[i] < 0)
      return ten_error(TEN_INVALID, "size %u of an array is %lld: sizes are 0 or more", i, (long long)dims[i]);
  return NULL;
}

static ten_array *wrap(ten_device *device, ten_tensor *value) {
  tensor_lock(device);
  ten_array *array = tensor_array_of(device, value);
  tensor_unlock(device);
  return array;
}

ten_status *ten_array_create(ten_device *device, ten_dtype dtype, uint32_t rank, const int64_t *dims, const void *data,
                             size_t bytes, ten_array **out_array) {
  *out_array = NULL;
  TEN_RECOVER("making an array");
  TEN_TRY(type_check(dtype, rank, dims));
  ten_tensor *value;
  TEN_TRY(tensor_value_make(device, !data, dtype, rank, dims, &value));
  if (data && bytes != value->bytes) {
    ten_status *status = ten_error(TEN_INVALID, "%zu bytes for an array that has %zu", bytes, value->bytes);
    ten_tensor_release(value);
    return status;
  }
  if (data && bytes) memcpy(value->data, data, bytes);
  *out_array = wrap(device, value);
  return NULL;
}

ten_status *ten_array_view(ten_device *device, ten_dtype dtype, uint32_t rank, const int64_t *dims, void *data,
                           void (*release)(void *owner), void *owner, ten_array **out_array) {
  *out_array = NULL;
  TEN_RECOVER("making an array");
  TEN_TRY(type_check(dtype, rank, dims));
  ten_tensor *value;
  TEN_TRY(ten_tensor_from_memory(dtype, rank, dims, data, release, owner, &value));
  *out_array = wrap(device, value);
  return NULL;
}

ten_status *ten_array_placeholder(ten_device *device, ten_dtype dtype, uint32_t rank, const int64_t *dims,
                                  ten_array **out_array) {
  *out_array = NULL;
  TEN_RECOVER("making a placeholder");
  TEN_TRY(type_check(dtype, rank, dims));
  tensor_type type = {.dtype = dtype, .rank = rank};
  if (rank) memcpy(type.dims, dims, rank * sizeof *dims);
  tensor_lock(device);
  tensor_node *node = tensor_node_create(device, 0, NULL, 0, NULL, 1, &type);
  node->abstract = true;
  *out_array = tensor_array_new(device, node, 0);
  tensor_unlock(device);
  return NULL;
}

static void integer_store(ten_dtype dtype, int64_t value, void *data) {
  switch (ten_dtype_bytes(dtype)) {
    case 1: *(int8_t *)data = (int8_t)(dtype == TEN_I1 ? value != 0 : value); break;
    case 2: *(int16_t *)data = (int16_t)value; break;
    case 4: *(int32_t *)data = (int32_t)value; break;
    default: *(int64_t *)data = value; break;
  }
}

static void real_store(ten_dtype dtype, double value, void *data) {
  if (dtype == TEN_F64)
    *(double *)data = value;
  else if (dtype == TEN_F32)
    *(float *)data = (float)value;
  else
    ten_float_encode(dtype, value, data);
}

/* Whether the integer type holds a number of that sign, whose absolute value is cut to an integer. */
static bool integer_holds(ten_dtype dtype, bool negative, uint64_t absolute) {
  const unsigned bits = ten_dtype_bits(dtype);
  if (ten_dtype_class(dtype) == TEN_CLASS_UINT) return negative ? !absolute : bits == 64 || !(absolute >> bits);
  return absolute <= (UINT64_C(1) << (bits - 1)) - !negative;
}

static ten_status *scalar_create(ten_device *device, ten_dtype dtype, double real, double imag, ten_array **out_array) {
  const ten_dtype part = ten_dtype_part(dtype);
  const bool holds = ten_dtype_is_float(part) || dtype == TEN_I1 ||
                     (fabs(real) < 0x1p64 && integer_holds(dtype, real < 0, (uint64_t)fabs(real)));
  if (!holds) return ten_error(TEN_INVALID, "%g is no value of %s", real, ten_dtype_name(dtype));
  ten_tensor *value;
  TEN_TRY(ten_tensor_create(dtype, 0, NULL, &value));
  if (ten_dtype_is_float(part)) {
    real_store(part, real, value->data);
    if (part != dtype) real_store(part, imag, (char *)value->data + ten_dtype_bytes(part));
  } else {
    integer_store(dtype,
                  dtype == TEN_I1  ? real != 0
                  : real >= 0x1p63 ? (int64_t)(uint64_t)real
                                   : (int64_t)real,
                  value->data);
  }
  *out_array = wrap(device, value);
  return NULL;
}

ten_status *ten_array_scalar(ten_device *device, ten_dtype dtype, double real, double imag, ten_array **out_array) {
  *out_array = NULL;
  TEN_RECOVER("making an array");
  TEN_TRY(dtype_check(dtype));
  return scalar_create(device, dtype, real, imag, out_array);
}

ten_status *ten_array_integer(ten_device *device, ten_dtype dtype, int64_t value, ten_array **out_array) {
  *out_array = NULL;
  TEN_RECOVER("making an array");
  TEN_TRY(dtype_check(dtype));
  if (!ten_dtype_is_int(dtype) && dtype != TEN_I1) return scalar_create(device, dtype, (double)value, 0, out_array);
  if (dtype != TEN_I1 && !integer_holds(dtype, value < 0, value < 0 ? -(uint64_t)value : (uint64_t)value))
    return ten_error(TEN_INVALID, "%lld is no value of %s", (long long)value, ten_dtype_name(dtype));
  ten_tensor *made;
  TEN_TRY(ten_tensor_create(dtype, 0, NULL, &made));
  integer_store(dtype, value, made->data);
  *out_array = wrap(device, made);
  return NULL;
}

ten_status *tensor_value_of(ten_array *array, ten_tensor **out_value) {
  const tensor_operand root = {array->node, array->result};
  tensor_lock(array->device);
  ten_status *status = tensor_result_of(array)->value ? NULL : tensor_evaluate(array->device, 1, &root);
  *out_value = tensor_result_of(array)->value;
  if (!status) status = ten_tensor_load(*out_value);
  tensor_unlock(array->device);
  return status;
}

ten_array *tensor_element_of(ten_array *array, size_t position) {
  ten_device *device = array->device;
  ten_array *made = NULL;
  tensor_lock(device);
  ten_tensor *value = tensor_result_of(array)->value;
  ten_status *loaded = value ? ten_tensor_load(value) : NULL;
  if (value && !loaded && !device->tapes && position < value->count) {
    const size_t bytes = ten_dtype_bytes(value->dtype);
    ten_tensor *element;
    ten_status *status = ten_tensor_create(value->dtype, 0, NULL, &element);
    if (!status) {
      memcpy(element->data, (const char *)value->data + position * bytes, bytes);
      made = tensor_array_of(device, element);
    }
    ten_status_free(status); /* too little memory: the operation that is recorded instead says so */
  }
  ten_status_free(loaded);
  tensor_unlock(device);
  return made;
}

ten_status *ten_array_data(ten_array *array, const void **out_data) {
  *out_data = NULL;
  TEN_RECOVER("computing an array");
  TEN_TRY(tensor_live("data", 1, &array));
  ten_tensor *value;
  TEN_TRY(tensor_value_of(array, &value));
  *out_data = value->data;
  return NULL;
}

ten_status *ten_array_read(ten_array *array, void *out, size_t bytes) {
  TEN_RECOVER("reading an array");
  TEN_TRY(tensor_live("read", 1, &array));
  ten_tensor *value;
  TEN_TRY(tensor_value_of(array, &value));
  if (bytes != value->bytes) return ten_error(TEN_INVALID, "%zu bytes for an array of %zu", bytes, value->bytes);
  if (bytes) memcpy(out, value->data, bytes);
  return NULL;
}

ten_status *ten_array_to(ten_array *array, ten_device *device, ten_array **out_array) {
  *out_array = NULL;
  TEN_TRY(tensor_live("to", 1, &array));
  if (array->device == device) {
    *out_array = ten_array_retain(array);
    return NULL;
  }
  TEN_RECOVER("moving an array");
  ten_tensor *value;
  TEN_TRY(tensor_value_of(array, &value));
  *out_array = wrap(device, ten_tensor_retain(value));
  return NULL;
}

ten_status *ten_array_from_dlpack(ten_device *device, struct DLManagedTensorVersioned *managed, ten_array **out_array) {
  *out_array = NULL;
  TEN_RECOVER("making an array");
  ten_tensor *value;
  TEN_TRY(ten_tensor_from_dlpack(managed, &value));
  *out_array = wrap(device, value);
  return NULL;
}

ten_status *ten_array_to_dlpack(ten_array *array, struct DLManagedTensorVersioned **out_managed) {
  *out_managed = NULL;
  TEN_RECOVER("handing an array out");
  TEN_TRY(tensor_live("to_dlpack", 1, &array));
  ten_tensor *value;
  TEN_TRY(tensor_value_of(array, &value));
  ten_status *status = ten_tensor_to_dlpack(ten_tensor_retain(value), out_managed);
  if (status)
    ten_tensor_release(value);
  else
    (*out_managed)->flags = DL_READ_ONLY; /* an array's elements never change */
  return status;
}
