/* hash.h: XXH3 for keys and tables. Not for adversaries: a cache key is compared together with what it stands for. */
#ifndef TEN_BASE_HASH_H
#define TEN_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct ten_hash128 {
  uint64_t low, high;
} ten_hash128;

uint64_t ten_hash64(const void *data, size_t size, uint64_t seed);
ten_hash128 ten_hash128_of(const void *data, size_t size, uint64_t seed);

#endif
