/* hash.h: XXH3 for keys and tables. The same bytes give the same key on every machine and in every version, so a key
 * may name a file. Not collision-resistant: compare a cache key together with the content it stands for. */
#ifndef TEN_BASE_HASH_H
#define TEN_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

typedef struct ten_hash128 {
  uint64_t low, high;
} ten_hash128;

uint64_t ten_hash64(const void *data, size_t size, uint64_t seed);
ten_hash128 ten_hash128_of(const void *data, size_t size, uint64_t seed);
static inline bool ten_hash128_eq(ten_hash128 a, ten_hash128 b) { return a.low == b.low && a.high == b.high; }
/* 32 hexadecimal digits and a NUL. */
void ten_hash128_hex(ten_hash128 hash, char out_text[33]);

/* Incremental: the result is ten_hash128_of everything that was added, with seed 0. Strings are added with their
 * length, so that ("ab", "c") and ("a", "bc") differ; numbers as eight bytes, little-endian. */
typedef struct ten_hasher ten_hasher;
ten_hasher *ten_hasher_create(void);
void ten_hasher_destroy(ten_hasher *hasher);
void ten_hasher_add(ten_hasher *hasher, const void *data, size_t size);
void ten_hasher_add_u64(ten_hasher *hasher, uint64_t number);
void ten_hasher_add_str(ten_hasher *hasher, ten_str text);
/* The key so far; more may be added. */
ten_hash128 ten_hasher_result(const ten_hasher *hasher);

#endif
