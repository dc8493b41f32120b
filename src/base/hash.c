/* hash.c: the only place that names xxhash. */
#include "base/hash.h"

#include <stdio.h>
#include <xxhash.h>

#include "base/arena.h"

static ten_hash128 from_xxh(XXH128_hash_t hash) { return (ten_hash128){.low = hash.low64, .high = hash.high64}; }
static XXH3_state_t *state_of(const ten_hasher *hasher) { return (XXH3_state_t *)hasher; }

uint64_t ten_hash64(const void *data, size_t size, uint64_t seed) {
  return XXH3_64bits_withSeed(size ? data : "", size, seed);
}

ten_hash128 ten_hash128_of(const void *data, size_t size, uint64_t seed) {
  return from_xxh(XXH3_128bits_withSeed(size ? data : "", size, seed));
}

void ten_hash128_hex(ten_hash128 hash, char out_text[33]) {
  snprintf(out_text, 33, "%016llx%016llx", (unsigned long long)hash.high, (unsigned long long)hash.low);
}

ten_hasher *ten_hasher_create(void) {
  XXH3_state_t *state = XXH3_createState();
  if (!state) ten_out_of_memory(576); /* about what the opaque state takes */
  XXH3_128bits_reset(state);
  return (ten_hasher *)state;
}

void ten_hasher_destroy(ten_hasher *hasher) { XXH3_freeState(state_of(hasher)); }

void ten_hasher_add(ten_hasher *hasher, const void *data, size_t size) {
  if (size) XXH3_128bits_update(state_of(hasher), data, size);
}

void ten_hasher_add_u64(ten_hasher *hasher, uint64_t number) {
  unsigned char bytes[8];
  for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(number >> (8 * i));
  ten_hasher_add(hasher, bytes, sizeof bytes);
}

void ten_hasher_add_str(ten_hasher *hasher, ten_str text) {
  ten_hasher_add_u64(hasher, text.size);
  ten_hasher_add(hasher, text.data, text.size);
}

ten_hash128 ten_hasher_result(const ten_hasher *hasher) { return from_xxh(XXH3_128bits_digest(state_of(hasher))); }
