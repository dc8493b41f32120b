/* hash.c: the only place that names xxhash. */
#include "base/hash.h"

#include <xxhash.h>

uint64_t ten_hash64(const void *data, size_t size, uint64_t seed) { return XXH3_64bits_withSeed(data, size, seed); }

ten_hash128 ten_hash128_of(const void *data, size_t size, uint64_t seed) {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(data, size, seed);
  return (ten_hash128){hash.low64, hash.high64};
}
