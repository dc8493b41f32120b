/* types.h: conversion between PJRT's element types and ours. */
#ifndef TEN_PJRT_TYPES_H
#define TEN_PJRT_TYPES_H

#include "backend/pjrt/abi.h"
#include "tenfold/dtype.h"

PJRT_Buffer_Type pjrt_type_of(ten_dtype dtype); /* INVALID: not in PJRT */
/* Copies a strided array to row-major at `*to`, which is advanced; strides are in bytes and may be negative. */
void pjrt_gather_rows(const char *from, const int64_t *strides, const int64_t *dims, size_t rank, size_t element,
                      char **to);
ten_dtype pjrt_dtype_of(PJRT_Buffer_Type type); /* NONE: not supported here */

#endif
