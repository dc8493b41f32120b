/* float.h: conversion of every float format to and from double, rounding to nearest even. A value out of range becomes
 * what ml_dtypes and LLVM make of it: infinity if the format has one, else NaN if it has one, else the largest finite
 * value. */
#ifndef TEN_BASE_FLOAT_H
#define TEN_BASE_FLOAT_H

#include <stdint.h>
#include <string.h>

#include "tenfold/dtype.h"

/* `dtype` is a float type; `at` points to ten_dtype_bytes(dtype) bytes. */
double ten_float_decode(ten_dtype dtype, const void *at);
void ten_float_encode(ten_dtype dtype, double value, void *at);
/* `value` after a round trip through the format. */
double ten_float_round(ten_dtype dtype, double value);

typedef struct ten_float_format {
  unsigned exponent_bits, mantissa_bits;
  int bias;
  bool has_infinity; /* IEEE: the top exponent holds infinity and NaN */
  bool has_nan;
  bool unsigned_zero; /* the pattern of -0 is the only NaN (FNUZ) */
  bool has_sign;
} ten_float_format;
ten_float_format ten_float_format_of(ten_dtype dtype);
/* Largest finite value, and smallest positive one. */
double ten_float_max(ten_dtype dtype);
double ten_float_min_positive(ten_dtype dtype);

static inline float ten_bf16_to_f32(uint16_t bits) {
  const uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}

static inline uint16_t ten_f32_to_bf16(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return (uint16_t)(((bits >> 16) & 0x8000u) | 0x7fc0u);
  return (uint16_t)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

#endif
