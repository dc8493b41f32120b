/* lanes.c: loads and stores lanes, one loop per element type. */
#include "backend/interp/lanes.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/float.h"

static void *lanes_room(interp_lanes *lanes, size_t count) {
  lanes->heap = count > LANES_SMALL ? ten_alloc(count * sizeof(double)) : NULL;
  return lanes->heap ? lanes->heap : lanes->small;
}

int64_t *interp_lanes_new_ints(interp_lanes *lanes, size_t count) { return lanes_room(lanes, count); }
double *interp_lanes_new_reals(interp_lanes *lanes, size_t count) { return lanes_room(lanes, count); }

void interp_lanes_free(interp_lanes *lanes) {
  free(lanes->heap);
  lanes->heap = NULL;
}

#define LOAD(type)                                                        \
  do {                                                                    \
    const type *from = tensor->data;                                      \
    for (size_t i = 0; i < tensor->count; i++) out[i] = (int64_t)from[i]; \
  } while (0)

const int64_t *interp_lanes_ints(interp_lanes *lanes, const ten_tensor *tensor) {
  lanes->heap = NULL;
  if (ten_dtype_bytes(tensor->dtype) == 8) return tensor->data;
  int64_t *out = lanes_room(lanes, tensor->count);
  switch (tensor->dtype) {
    case TEN_I2:
    case TEN_I4:
    case TEN_I8: LOAD(int8_t); break;
    case TEN_I16: LOAD(int16_t); break;
    case TEN_I32: LOAD(int32_t); break;
    case TEN_UI16: LOAD(uint16_t); break;
    case TEN_UI32: LOAD(uint32_t); break;
    default: LOAD(uint8_t); break;
  }
  return out;
}
#undef LOAD

const double *interp_lanes_reals(interp_lanes *lanes, const ten_tensor *tensor) {
  lanes->heap = NULL;
  const ten_dtype dtype = ten_dtype_part(tensor->dtype);
  const size_t count = interp_parts(tensor);
  if (dtype == TEN_F64) return tensor->data;
  double *out = lanes_room(lanes, count);
  const size_t size = ten_dtype_bytes(dtype);
  if (dtype == TEN_F32) {
    const float *from = tensor->data;
    for (size_t i = 0; i < count; i++) out[i] = (double)from[i];
  } else if (dtype == TEN_BF16) {
    const uint16_t *from = tensor->data;
    for (size_t i = 0; i < count; i++) out[i] = (double)ten_bf16_to_f32(from[i]);
  } else {
    for (size_t i = 0; i < count; i++) out[i] = ten_float_decode(dtype, (const char *)tensor->data + i * size);
  }
  return out;
}

int64_t interp_wrap(ten_dtype dtype, int64_t value) {
  switch (dtype) {
    case TEN_I1: return value != 0;
    case TEN_I2: return ((value & 3) ^ 2) - 2;
    case TEN_I4: return ((value & 15) ^ 8) - 8;
    case TEN_I8: return (int8_t)value;
    case TEN_I16: return (int16_t)value;
    case TEN_I32: return (int32_t)value;
    case TEN_UI2: return value & 3;
    case TEN_UI4: return value & 15;
    case TEN_UI8: return (uint8_t)value;
    case TEN_UI16: return (uint16_t)value;
    case TEN_UI32: return (uint32_t)value;
    default: return value;
  }
}

void interp_store_int(ten_tensor *tensor, size_t index, int64_t value) {
  value = interp_wrap(tensor->dtype, value);
  switch (ten_dtype_bytes(tensor->dtype)) {
    case 1: ((uint8_t *)tensor->data)[index] = (uint8_t)value; break;
    case 2: ((uint16_t *)tensor->data)[index] = (uint16_t)value; break;
    case 4: ((uint32_t *)tensor->data)[index] = (uint32_t)value; break;
    default: ((int64_t *)tensor->data)[index] = value; break;
  }
}

void interp_store_ints(ten_tensor *tensor, const int64_t *values) {
  const ten_dtype dtype = tensor->dtype;
  if (dtype == TEN_I32) {
    int32_t *to = tensor->data;
    for (size_t i = 0; i < tensor->count; i++) to[i] = (int32_t)values[i];
  } else if (ten_dtype_bytes(dtype) == 8) {
    if (tensor->bytes) memcpy(tensor->data, values, tensor->bytes);
  } else {
    for (size_t i = 0; i < tensor->count; i++) interp_store_int(tensor, i, values[i]);
  }
}

void interp_store_real(ten_tensor *tensor, size_t index, double value) {
  const ten_dtype dtype = ten_dtype_part(tensor->dtype);
  if (dtype == TEN_F64)
    ((double *)tensor->data)[index] = value;
  else if (dtype == TEN_F32)
    ((float *)tensor->data)[index] = (float)value;
  else
    ten_float_encode(dtype, value, (char *)tensor->data + index * ten_dtype_bytes(dtype));
}

void interp_store_reals(ten_tensor *tensor, const double *values) {
  const ten_dtype dtype = ten_dtype_part(tensor->dtype);
  const size_t count = interp_parts(tensor);
  if (dtype == TEN_F64) {
    if (count) memcpy(tensor->data, values, count * sizeof *values);
  } else if (dtype == TEN_F32) {
    float *to = tensor->data;
    for (size_t i = 0; i < count; i++) to[i] = (float)values[i];
  } else {
    const size_t size = ten_dtype_bytes(dtype);
    for (size_t i = 0; i < count; i++) ten_float_encode(dtype, values[i], (char *)tensor->data + i * size);
  }
}
