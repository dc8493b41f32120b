/* types.c: conversion between PJRT's element types and ours, and strided arrays, for the client and for the plugin. */
#include "backend/pjrt/types.h"

#include <string.h>

static const ten_dtype dtypes[] = {[PJRT_Buffer_Type_PRED] = TEN_I1,
                                   [PJRT_Buffer_Type_S8] = TEN_I8,
                                   [PJRT_Buffer_Type_S16] = TEN_I16,
                                   [PJRT_Buffer_Type_S32] = TEN_I32,
                                   [PJRT_Buffer_Type_S64] = TEN_I64,
                                   [PJRT_Buffer_Type_U8] = TEN_UI8,
                                   [PJRT_Buffer_Type_U16] = TEN_UI16,
                                   [PJRT_Buffer_Type_U32] = TEN_UI32,
                                   [PJRT_Buffer_Type_U64] = TEN_UI64,
                                   [PJRT_Buffer_Type_F16] = TEN_F16,
                                   [PJRT_Buffer_Type_F32] = TEN_F32,
                                   [PJRT_Buffer_Type_F64] = TEN_F64,
                                   [PJRT_Buffer_Type_BF16] = TEN_BF16,
                                   [PJRT_Buffer_Type_C64] = TEN_C64,
                                   [PJRT_Buffer_Type_C128] = TEN_C128,
                                   [PJRT_Buffer_Type_F8E5M2] = TEN_F8E5M2,
                                   [PJRT_Buffer_Type_F8E4M3FN] = TEN_F8E4M3FN,
                                   [PJRT_Buffer_Type_F8E4M3B11FNUZ] = TEN_F8E4M3B11FNUZ,
                                   [PJRT_Buffer_Type_F8E5M2FNUZ] = TEN_F8E5M2FNUZ,
                                   [PJRT_Buffer_Type_F8E4M3FNUZ] = TEN_F8E4M3FNUZ,
                                   [PJRT_Buffer_Type_S4] = TEN_I4,
                                   [PJRT_Buffer_Type_U4] = TEN_UI4,
                                   [PJRT_Buffer_Type_S2] = TEN_I2,
                                   [PJRT_Buffer_Type_U2] = TEN_UI2,
                                   [PJRT_Buffer_Type_F8E4M3] = TEN_F8E4M3,
                                   [PJRT_Buffer_Type_F8E3M4] = TEN_F8E3M4,
                                   [PJRT_Buffer_Type_F8E8M0FNU] = TEN_F8E8M0FNU,
                                   [PJRT_Buffer_Type_F4E2M1FN] = TEN_F4E2M1FN,
                                   [PJRT_Buffer_Type_F6E2M3FN] = TEN_F6E2M3FN,
                                   [PJRT_Buffer_Type_F6E3M2FN] = TEN_F6E3M2FN};
enum { TYPE_COUNT = sizeof dtypes / sizeof *dtypes };

ten_dtype pjrt_dtype_of(PJRT_Buffer_Type type) { return (size_t)type < TYPE_COUNT ? dtypes[type] : TEN_DTYPE_NONE; }

PJRT_Buffer_Type pjrt_type_of(ten_dtype dtype) {
  for (size_t i = 1; i < TYPE_COUNT; i++)
    if (dtypes[i] == dtype && dtype) return (PJRT_Buffer_Type)i;
  return PJRT_Buffer_Type_INVALID;
}

void pjrt_gather_rows(const char *from, const int64_t *strides, const int64_t *dims, size_t rank, size_t element,
                      char **to) {
  if (!rank) {
    memcpy(*to, from, element);
    *to += element;
    return;
  }
  if (rank == 1 && strides[0] == (int64_t)element) {
    memcpy(*to, from, (size_t)dims[0] * element);
    *to += (size_t)dims[0] * element;
    return;
  }
  for (int64_t i = 0; i < dims[0]; i++)
    pjrt_gather_rows(from + i * strides[0], strides + 1, dims + 1, rank - 1, element, to);
}
