/* size.h: checked size arithmetic. Each returns false, and leaves *out alone, when the true result does not fit. */
#ifndef TEN_BASE_SIZE_H
#define TEN_BASE_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TEN_RANK_MAX = 32 }; /* maximum rank of a tensor in memory */

static inline bool ten_mul(size_t a, size_t b, size_t *out) {
  size_t r;
  if (__builtin_mul_overflow(a, b, &r)) return false;
  return *out = r, true;
}
static inline bool ten_add(size_t a, size_t b, size_t *out) {
  size_t r;
  if (__builtin_add_overflow(a, b, &r)) return false;
  return *out = r, true;
}
static inline bool ten_mul_i64(int64_t a, int64_t b, int64_t *out) {
  int64_t r;
  if (__builtin_mul_overflow(a, b, &r)) return false;
  return *out = r, true;
}
static inline bool ten_add_i64(int64_t a, int64_t b, int64_t *out) {
  int64_t r;
  if (__builtin_add_overflow(a, b, &r)) return false;
  return *out = r, true;
}
static inline bool ten_sub_i64(int64_t a, int64_t b, int64_t *out) {
  int64_t r;
  if (__builtin_sub_overflow(a, b, &r)) return false;
  return *out = r, true;
}

#endif
